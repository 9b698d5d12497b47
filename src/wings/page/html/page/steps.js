// The steps: a column each, as high as the step is long, in the colours of what it was spent on.

const barUses = ["compute", "exposed_communication", "exposed_copies", "other_work", "idle", "not_recorded"];
const barColours = ["compute", "comm", "copy", "other", "idle", "missing"];

section("steps", "Steps", (box) => {
  if (!data.step_bars || !data.step_bars.length) return false;
  box.append(...stepBars(data.step_bars));
  return true;
});

function stepBars(devices) {
  const height = 72, width = 1000, names = data.names;
  const longest = Math.max(...devices.flatMap((device) => device.bars.map((bar) => (bar[2] - bar[1]) / bar[0])));
  const made = devices.map((device) => {
    const each = Math.min(40, width / device.bars.length), gap = each > 3 ? 1 : 0;
    const paths = barUses.map(() => "");
    device.bars.forEach((bar, i) => {
      let y = height;
      const spent = bar.slice(4), total = spent.reduce((a, b) => a + b, 0), tall = (bar[2] - bar[1]) / bar[0] / longest * height;
      spent.forEach((ps, use) => {
        if (!ps) return;
        const part = ps / total * tall;
        paths[use] += "M" + (i * each).toFixed(2) + " " + y.toFixed(2) + "v" + (-part).toFixed(2) + "h" + (each - gap).toFixed(2) + "v" + part.toFixed(2) + "z";
        y -= part;
      });
    });
    const steps = device.bars.reduce((n, bar) => n + bar[0], 0);
    const label = node("div", {class: "note", role: "status"}, "");
    const showBar = (bar) => {
      const spent = bar.slice(4), total = spent.reduce((a, b) => a + b, 0);
      label.textContent = (bar[0] === 1 ? "Step " : plural(bar[0], "step") + ", ") + names[bar[3]] + ": " + duration(Math.round((bar[2] - bar[1]) / bar[0])) +
        (bar[0] > 1 ? " on average" : "") + "; " + barUses.map((use, i) => spent[i] ? spaced(use) + " " + share(spent[i], total) : "").filter((text) => text).join(", ");
    };
    const at = (event) => device.bars[Math.floor(event.offsetX / event.currentTarget.clientWidth * width / each)];
    const picture = node("svg:svg", {viewBox: "0 0 " + width + " " + height, preserveAspectRatio: "none", role: "img", class: "bars",
      "aria-label": plural(steps, "step") + " of " + device.name + ", the longest column " + duration(Math.round(Math.max(...device.bars.map((bar) => (bar[2] - bar[1]) / bar[0])))),
      on: {pointermove: (event) => { const bar = at(event); if (bar) showBar(bar); },
           click: (event) => { const bar = at(event); if (bar && timeline.look) timeline.look(bar[1] - data.timeline.from_ps, bar[2] - data.timeline.from_ps); }}},
      ...paths.map((path, use) => path ? node("svg:path", {d: path, class: "fill-" + barColours[use]}) : ""));
    return node("div", {class: "strip"}, node("div", {class: "name"}, device.name), node("div", {}, picture, label));
  });
  const used = barUses.filter((use, i) => devices.some((device) => device.bars.some((bar) => bar[4 + i])));
  return [node("p", {class: "note"}, "A column is a step, or several, as high as it is long.\u2003", ...used.map((use) => node("span", {class: "key"}, node("span", {class: "swatch", "aria-hidden": "true",
      style: {background: "var(--" + barColours[barUses.indexOf(use)] + ")"}}), spaced(use)))),
    ...made];
}
