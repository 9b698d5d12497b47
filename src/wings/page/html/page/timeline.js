// The timeline: steps, kernels and gaps of each device on a canvas, from the whole capture to a single gap.

const gapFields = ["device", "start", "length", "cause", "sure", "edge", "step", "before", "after", "span", "covered", "launch"];
const timeline = {gaps: [], show: null, look: null};
if (data.timeline) {
  timeline.gaps = data.timeline.gaps.map((row) => Object.fromEntries(gapFields.map((field, i) => [field, row[i]])));
  timeline.length = data.timeline.to_ps - data.timeline.from_ps;
}
// Times are held from the first one that is drawn on, where a number has the digits for them, and said from the origin of the
// capture on, as all commands say and take them.
const instant = (ps) => duration(Math.round(ps + data.timeline.from_ps));

const laneStyles = {steps: ["--other", 14], compute: ["--compute", 18], communication: ["--comm", 12], copies: ["--copy", 12], other: ["--other", 10]};
const idleHeight = 14, gutter = 132, axisHeight = 38, betweenDevices = 12, laneGap = 3;

// Five numbers an item become columns that are searched by time.
function laneColumns(flat) {
  const count = flat.length / 5, columns = {count, start: new Float64Array(count), end: new Float64Array(count), name: [], runs: [], idle: []};
  for (let i = 0, at = 0; i < count; ++i) {
    columns.start[i] = at += flat[5 * i];
    columns.end[i] = at += flat[5 * i + 1];
    columns.name.push(flat[5 * i + 2]);
    columns.runs.push(flat[5 * i + 3]);
    columns.idle.push(flat[5 * i + 4]);
  }
  return columns;
}

function firstAfter(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle; else low = middle + 1;
  }
  return low;
}

// A distance of ticks of 1, 2 or 5, at least `least` apart, how their times are written, and in what unit.
function ticksOf(least) {
  let step = Math.pow(10, Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5, 10]) if (step * factor >= least) { step *= factor; break; }
  step = Math.max(1, step);
  const [unit, ps] = [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3], ["ps", 1]].find(([, size]) => step >= size) || ["ps", 1];
  return {step, unit, text: (at) => grouped(Math.round((at + data.timeline.from_ps) / ps))};
}

section("timeline", "Timeline", (box) => {
  if (!data.timeline) return false;
  const whole = timeline.length, widths = data.timeline.widths_ps, names = data.names;
  // What is drawn where, from the top.
  const lanes = [];
  let height = axisHeight;
  data.timeline.devices.forEach((device, d) => {
    const gaps = timeline.gaps.filter((gap) => gap.device === d);
    if (!device.lanes.length && !gaps.length) return;
    const top = height;
    for (const lane of device.lanes) {
      const [colour, tall] = laneStyles[lane.kind];
      lanes.push({device: d, kind: lane.kind, y: height, height: tall, colour, levels: lane.levels.map(laneColumns)});
      height += tall + laneGap;
    }
    if (gaps.length || device.unlisted_ps > 0) {
      const ran = lanes.filter((lane) => lane.device === d && lane.kind !== "steps");
      const ends = ran.map((lane) => lane.levels[0]).filter((items) => items.count).map((items) => [items.start[0], items.end[items.count - 1]]);
      lanes.push({device: d, kind: "idle", y: height, height: idleHeight, gaps, starts: gaps.map((gap) => gap.start), ran, unlisted: device.unlisted_ps > 0 && ends.length > 0,
        first: Math.min(...ends.map((two) => two[0])), last: Math.max(...ends.map((two) => two[1]))});
      height += idleHeight + laneGap;
    }
    for (const lane of lanes) if (lane.device === d) Object.assign(lane, {top, bottom: height - laneGap});
    height += betweenDevices;
  });

  const canvas = node("canvas", {tabindex: "0", role: "application", "aria-label":
    "Timeline of devices. Left and right move, plus and minus zoom, 0 shows all, n and p go to the next and the previous gap."});
  const tip = node("div", {class: "tip", hidden: true});
  const panel = node("div", {class: "panel", role: "status"});
  let from = 0, to = whole, selected = null, colours = {}, waiting = false;

  const xOf = (ps) => gutter + (ps - from) / (to - from) * (canvas.clientWidth - gutter);
  const psOf = (x) => from + (x - gutter) / (canvas.clientWidth - gutter) * (to - from);

  function look(first, last) {
    const least = 1000, width = Math.min(whole, Math.max(least, last - first));
    from = Math.min(Math.max(0, (first + last - width) / 2), whole - width);
    to = from + width;
    redraw();
  }
  const zoom = (factor, at) => look(at - (at - from) * factor, at + (to - at) * factor);
  const pan = (part) => { const width = to - from, start = Math.min(Math.max(0, from + part * width), whole - width); look(start, start + width); };

  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "ink", "soft", "line", "wash", "compute", "comm", "copy", "other", "unknown", "idle", "cause0", "cause1", "cause2", "cause3", "cause4"])
      colours["--" + name] = style.getPropertyValue("--" + name).trim();
  }
  const gapColour = (gap) => colours["--" + (gap.edge ? "idle" : causeTone(gap.cause))];

  function draw() {
    const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    drawAxis(pen, width);
    pen.save();
    pen.beginPath();
    pen.rect(gutter, axisHeight, width - gutter, height);
    pen.clip();
    const level = levelNow();
    let drawn = 0;
    for (const lane of lanes) {
      if (lane.unlisted) drawUnlisted(pen, lane, level);
      drawn += lane.gaps ? drawGaps(pen, lane) : drawItems(pen, lane, lane.levels[level]);
    }
    canvas.dataset.items = drawn;
    canvas.dataset.from = from;
    canvas.dataset.to = to;
    if (selected) drawSelected(pen);
    pen.restore();
    drawNames(pen);
  }

  function drawAxis(pen, width) {
    const perPoint = (to - from) / (width - gutter);
    let ticks = ticksOf(perPoint * 100);
    // Late times have many digits.
    ticks = ticksOf(perPoint * Math.max(100, pen.measureText(ticks.text(to)).width + 20));
    const {step, unit, text} = ticks, over = data.timeline.from_ps % step;
    pen.fillStyle = colours["--soft"];
    pen.strokeStyle = colours["--line"];
    pen.lineWidth = 1;
    pen.beginPath();
    pen.fillText("time since the capture's origin, " + unit, gutter, 9);
    for (let at = Math.ceil((from + over) / step) * step - over; at <= to; at += step) {
      const x = Math.round(xOf(at)) + 0.5;
      pen.moveTo(x, axisHeight - 6);
      pen.lineTo(x, height);
      const label = text(at), half = pen.measureText(label).width / 2;
      if (x + half <= width) pen.fillText(label, Math.max(gutter, x - half), 24);
    }
    pen.stroke();
  }

  function drawItems(pen, lane, items) {
    const last = firstAfter(items.start, to), colour = colours[lane.colour];
    let drawn = 0;
    for (let i = firstAfter(items.end, from); i < last; ++i, ++drawn) {
      const x = Math.max(gutter - 2, xOf(items.start[i])), end = Math.min(xOf(items.end[i]), canvas.clientWidth + 2), wide = end - x;
      const length = items.end[i] - items.start[i];
      pen.globalAlpha = lane.kind === "steps" ? 0.28 : 0.35 + 0.65 * (1 - items.idle[i] / length);
      pen.fillStyle = colour;
      pen.fillRect(x, lane.y, Math.max(1, wide > 3 ? wide - 1 : wide), lane.height);
      if (wide < 34 || lane.height < 12) continue;
      pen.globalAlpha = 1;
      pen.fillStyle = lane.kind === "steps" ? colours["--ink"] : lane.kind === "compute" ? "#fff" : "#111";
      const room = Math.floor((wide - 8) / 6.6), text = items.runs[i] > 1 ? grouped(items.runs[i]) + (lane.kind === "steps" ? " steps" : " runs") : names[items.name[i]];
      if (room > 3) pen.fillText(shortened(text, room), x + 4, lane.y + lane.height / 2 + 0.5);
    }
    pen.globalAlpha = 1;
    return drawn;
  }

  // Hatched where nothing ran; the gaps that are listed are drawn over it.
  function drawUnlisted(pen, lane, level) {
    const left = Math.max(gutter, xOf(lane.first)), right = Math.min(xOf(lane.last), canvas.clientWidth);
    if (right <= left) return;
    pen.save();
    pen.beginPath();
    pen.rect(left, lane.y, right - left, lane.height);
    pen.clip();
    pen.strokeStyle = colours["--soft"];
    pen.lineWidth = 1;
    pen.beginPath();
    for (let x = left - left % 5 - lane.height; x < right; x += 5) {
      pen.moveTo(x, lane.y + lane.height);
      pen.lineTo(x + lane.height, lane.y);
    }
    pen.stroke();
    pen.fillStyle = colours["--paper"];
    for (const {levels} of lane.ran) {
      const items = levels[level], last = firstAfter(items.start, to);
      for (let i = firstAfter(items.end, from); i < last; ++i) pen.fillRect(xOf(items.start[i]), lane.y, xOf(items.end[i]) - xOf(items.start[i]), lane.height);
    }
    pen.restore();
  }

  function drawGaps(pen, lane) {
    const last = firstAfter(lane.starts, to);
    let drawn = 0;
    for (let i = 0; i < last; ++i) {
      const gap = lane.gaps[i];
      if (gap.start + gap.length < from) continue;
      const x = Math.max(gutter - 2, xOf(gap.start)), wide = Math.min(xOf(gap.start + gap.length), canvas.clientWidth + 2) - x;
      pen.fillStyle = gapColour(gap);
      pen.fillRect(x, lane.y, Math.max(1, wide), lane.height);
      ++drawn;
      if (wide < 60) continue;
      pen.fillStyle = ["cause0", "cause2", "cause4"].includes(causeTone(gap.cause)) && !gap.edge && !darkScheme.matches ? "#fff" : darkScheme.matches && (gap.edge || causeTone(gap.cause) === "unknown") ? colours["--ink"] : "#111";
      pen.fillText(shortened(spaced(gap.cause), Math.floor((wide - 8) / 6.6)), x + 4, lane.y + lane.height / 2 + 0.5);
    }
    return drawn;
  }

  function drawSelected(pen) {
    const lane = lanes.find((one) => one.device === selected.device);
    const x = xOf(selected.start), wide = Math.max(2, xOf(selected.start + selected.length) - x);
    pen.globalAlpha = 0.12;
    pen.fillStyle = colours["--ink"];
    pen.fillRect(x, lane.top - 2, wide, lane.bottom - lane.top + 4);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours["--ink"];
    pen.lineWidth = 1.5;
    pen.strokeRect(x, lane.top - 2, wide, lane.bottom - lane.top + 4);
  }

  function drawNames(pen) {
    let device = -1;
    for (const lane of lanes) {
      pen.fillStyle = colours["--soft"];
      pen.textAlign = "right";
      pen.fillText(lane.kind, gutter - 8, lane.y + lane.height / 2 + 0.5);
      pen.textAlign = "left";
      if (lane.device === device) continue;
      device = lane.device;
      pen.fillStyle = colours["--ink"];
      pen.font = "600 12px system-ui, sans-serif";
      const name = data.timeline.devices[device].name;
      const room = lane.top === lane.y ? gutter - 16 - 52 : gutter - 16;
      let text = name;
      while (text.length > 4 && pen.measureText(text).width > room) text = shortened(name, text.length - 1);
      pen.fillText(text, 0, lane.y + lane.height / 2 + 0.5);
      pen.font = "11px system-ui, sans-serif";
    }
  }

  // What is drawn: items as fine as the points of the screen.
  function levelNow() {
    const perPoint = (to - from) / (canvas.clientWidth - gutter);
    let level = 0;
    while (level + 1 < widths.length && widths[level + 1] <= perPoint) ++level;
    return level;
  }

  // The item or gap under a point.
  function under(x, y) {
    const lane = lanes.find((one) => y >= one.y - 1 && y <= one.y + one.height + 1);
    if (!lane || x < gutter) return null;
    const near = psOf(x + 2) - psOf(x), at = psOf(x), level = levelNow();
    if (lane.gaps) {
      const gap = lane.gaps.filter((one) => one.start - near <= at && at <= one.start + one.length + near).sort((a, b) => b.length - a.length)[0];
      if (gap) return {lane, gap};
      const runs = ({levels}) => { const items = levels[level], i = firstAfter(items.start, at) - 1; return i >= 0 && at <= items.end[i]; };
      return lane.unlisted && lane.first <= at && at <= lane.last && !lane.ran.some(runs) ? {lane, unlisted: data.timeline.devices[lane.device]} : null;
    }
    const items = lane.levels[level], i = Math.max(0, firstAfter(items.start, at + near) - 1);
    return items.count && items.start[i] - near <= at && at <= items.end[i] + near ? {lane, items, i} : null;
  }

  function describe({lane, gap, unlisted, items, i}) {
    if (unlisted) return [unlistedText(unlisted) + " on this device", "nothing is on record as running here, and no gap is listed"];
    if (gap) return [duration(gap.length) + " idle, from " + instant(gap.start), causeText(gap)];
    const length = items.end[i] - items.start[i], runs = items.runs[i], name = names[items.name[i]];
    const what = lane.kind === "steps" ? (runs > 1 ? plural(runs, "step") : "Step " + name) : runs > 1 ? plural(runs, "run") + ", the longest " + name : name;
    return [duration(length) + (items.idle[i] ? ", " + share(length - items.idle[i], length) + " of it busy" : "") + ", from " + instant(items.start[i]), what];
  }

  function select(gap, zoomed) {
    selected = gap;
    panel.replaceChildren(...(gap ? gapDetails(gap) : []));
    if (gap && zoomed) {
      look(gap.start - 0.6 * gap.length, gap.start + 1.6 * gap.length);
      // With many devices the canvas is higher than what holds it.
      const {top, bottom} = lanes.find((lane) => lane.device === gap.device), holder = canvas.parentElement;
      if (top < holder.scrollTop || bottom > holder.scrollTop + holder.clientHeight) holder.scrollTop = Math.max(0, (top + bottom - holder.clientHeight) / 2);
    }
    redraw();
  }

  const goThere = () => {
    document.getElementById("timeline").scrollIntoView({block: "start"});
    canvas.focus({preventScroll: true});
  };
  timeline.show = (gap) => { goThere(); select(gap, true); };
  timeline.look = (first, last) => { goThere(); look(first, last); };

  const inOrder = [...timeline.gaps].sort((a, b) => a.start - b.start || a.device - b.device);
  function go(by) {
    if (!inOrder.length) return;
    const at = selected ? inOrder.indexOf(selected) + by : by > 0 ? 0 : inOrder.length - 1;
    select(inOrder[(at + inOrder.length) % inOrder.length], true);
  }
  const longest = () => select(timeline.gaps.reduce((a, b) => (b.length > a.length ? b : a)), true);
  const middle = () => (from + to) / 2;

  canvas.addEventListener("keydown", (event) => {
    const acts = {ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()),
      "-": () => zoom(2, middle()), 0: () => look(0, whole), Home: () => look(0, whole), n: () => go(1), p: () => go(-1), Escape: () => select(null)};
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  });
  canvas.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoom(Math.pow(1.002, event.deltaY), psOf(event.offsetX));
    else if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) pan(sideways / canvas.clientWidth);
    else return;
    event.preventDefault();
  }, {passive: false});
  let grip = null;
  canvas.addEventListener("pointerdown", (event) => { grip = {x: event.offsetX, from, moved: false}; canvas.setPointerCapture(event.pointerId); tip.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    if (grip) {
      grip.moved = grip.moved || Math.abs(event.offsetX - grip.x) > 3;
      if (grip.moved) { const width = to - from, start = Math.min(Math.max(0, grip.from - (event.offsetX - grip.x) / (canvas.clientWidth - gutter) * width), whole - width); look(start, start + width); }
      return;
    }
    const found = under(event.offsetX, event.offsetY);
    tip.hidden = !found;
    canvas.style.cursor = found && found.gap ? "pointer" : "";
    if (!found) return;
    const [numbers, text] = describe(found);
    tip.replaceChildren(node("b", {}, numbers), node("div", {}, text));
    tip.style.left = Math.min(event.offsetX + 14, Math.max(0, canvas.clientWidth - tip.offsetWidth)) + "px";
    tip.style.top = event.offsetY + 18 + "px";
  });
  canvas.addEventListener("pointerup", (event) => {
    const clicked = grip && !grip.moved;
    grip = null;
    if (!clicked) return;
    const found = under(event.offsetX, event.offsetY);
    select(found && found.gap ? found.gap : null);
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("dblclick", (event) => {
    const found = under(event.offsetX, event.offsetY);
    if (found && found.gap) select(found.gap, true);
    else zoom(0.25, psOf(event.offsetX));
  });

  const button = (text, label, act) => node("button", {type: "button", class: "tool", title: label, "aria-label": label, on: {click: act}}, text);
  box.append(
    node("div", {class: "tools"},
      button("−", "Zoom out", () => zoom(2, middle())), button("+", "Zoom in", () => zoom(0.5, middle())), button("All", "Show all", () => look(0, whole)),
      ...(timeline.gaps.length ? [button("◀ Gap", "Previous gap", () => go(-1)), button("Gap ▶", "Next gap", () => go(1)), button("Longest gap", "Zoom to the longest gap", longest)] : []),
      node("span", {class: "note keys"}, "drag to move, Ctrl and wheel or + and − to zoom, n and p for gaps")),
    node("div", {class: "canvas"}, canvas, tip), panel);
  const left = [];
  if (data.timeline.devices_left_out) left.push(plural(data.timeline.devices_left_out, "more device") + (data.timeline.devices_left_out === 1 ? " is" : " are") + " not drawn.");
  if (data.timeline.gaps_left_out) left.push("Of " + grouped(timeline.gaps.length + data.timeline.gaps_left_out) + " gaps the longest " + grouped(timeline.gaps.length) + " are drawn.");
  const rest = data.timeline.devices.filter((device) => device.unlisted_ps > 0), sum = (of) => rest.reduce((all, device) => all + of(device), 0);
  if (rest.length)
    left.push("Hatched: " + unlistedText({unlisted_ps: sum((device) => device.unlisted_ps),
      unlisted_gaps: rest.some((device) => device.unlisted_gaps === null) ? null : sum((device) => device.unlisted_gaps)}) + (rest.length > 1 ? ", all devices together." : "."));
  if (widths[0]) left.push("What ran within " + duration(widths[0]) + " is drawn as one.");
  if (left.length) box.append(node("p", {class: "note"}, left.join(" ")));
  canvas.style.height = height + "px";
  readColours();
  // At once: a page that is printed gets no frames.
  for (const media of [darkScheme, window.matchMedia("print")]) media.addEventListener("change", () => { readColours(); draw(); });
  new ResizeObserver(redraw).observe(canvas);
  return true;
});

const unlistedText = (device) => duration(device.unlisted_ps) + " idle " +
  (device.unlisted_gaps === null ? "in gaps that are not listed" : "in " + plural(device.unlisted_gaps, "gap") + " not listed");

const causeText = (gap) => (gap.edge ? "at an edge of the recording, so its cause is not counted"
  : gap.cause === "unexplained" ? data.verdict.causes.unexplained
  : spaced(gap.cause) + " (" + gap.sure + "): " + data.verdict.causes[gap.cause]);

function gapDetails(gap) {
  const names = data.names, device = data.timeline.devices[gap.device].name;
  const around = [names[gap.before] && "after " + shortened(names[gap.before], 80), names[gap.after] && "before " + shortened(names[gap.after], 80)].filter((text) => text);
  const launch = gap.launch === null ? "" : gap.launch < gap.start ? "the next kernel was launched " + duration(gap.start - gap.launch) + " before the gap began"
    : "the next kernel was launched " + duration(gap.launch - gap.start) + " after the gap began";
  return [
    node("h3", {}, "Gap of " + duration(gap.length) + " on " + device),
    facts([
      ["cause", causeText(gap)],
      ["evidence", names[gap.span] ? names[gap.span] + (gap.covered ? ", for " + duration(gap.covered) + " of the gap" : "") : gap.covered ? duration(gap.covered) + " of the gap are covered by it" : ""],
      ["where", around],
      ["launch", launch],
      ["step", names[gap.step]],
      ["time", "at " + instant(gap.start) + " since the capture's origin"],
    ]),
  ];
}
