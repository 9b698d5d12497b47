// Why devices wait: causes with their evidence, and advice.

section("waits", "Why devices wait", (box) => {
  const waits = data.waits;
  if (!waits || !(waits.causes.length || waits.advice.length)) return false;
  if (waits.causes.length) box.append(...causeList(waits.causes));
  if (waits.advice.length) box.append(node("h3", {}, "What could help"), ...adviceList(waits.advice));
  return true;
});

// What is in steps is a part of the time in steps, all else of the whole time of the devices.
function partOf(ps, inSteps) {
  const outside = data.waits.outside_ps, whole = data.waits.in_steps_ps + (inSteps ? 0 : outside);
  return share(ps, whole) + (outside === 0 ? "" : inSteps ? " of the steps" : " of all time");
}

function causeList(causes) {
  const most = 8;
  const rows = causes.map((cause) => {
    const gap = cause.longest && data.timeline && timeline.gaps.find((one) => one.device === cause.longest.device && one.start === cause.longest.start_ps - data.timeline.from_ps);
    const colour = cause.cause === "exposed_comm" ? "exposed_communication" : cause.cause === "exposed_copy" ? "exposed_copies"
      : cause.cause === "straggler_wait" ? "wait" : causeTone(cause.cause);
    return node("tr", {},
      node("th", {scope: "row"}, node("span", {class: "swatch use " + colour, "aria-hidden": "true"}), spaced(cause.cause),
        node("div", {class: "note"}, cause.certainty)),
      node("td", {class: "number"}, duration(cause.time_ps), node("div", {class: "note"}, partOf(cause.time_ps, cause.in_steps))),
      node("td", {class: "text"}, node("div", {}, data.verdict.causes[cause.cause] + (cause.gaps ? "; " + plural(cause.gaps, "gap") : "")),
        ...cause.evidence.slice(1).map((text) => node("div", {class: "note"}, text))),
      node("td", {}, gap ? node("button", {type: "button", class: "tool", on: {click: () => timeline.show(gap)},
        "aria-label": "Show longest gap in the timeline: " + spaced(cause.cause)}, "Show longest") : ""));
  });
  const rest = node("button", {type: "button", class: "more", hidden: rows.length <= most,
    on: {click: () => { rows.slice(most).forEach((row) => { row.hidden = false; }); rest.hidden = true; }}}, "Show the other " + (rows.length - most));
  rows.slice(most).forEach((row) => { row.hidden = true; });
  return [node("div", {class: "scroll"}, node("table", {class: "causes"}, node("caption", {class: "unseen"}, "Causes, the longest first"), node("tbody", {}, ...rows))), rest];
}

// The same advice for several kinds of steps, or ops, is one.
function adviceList(all) {
  const merged = [];
  for (const one of all) {
    const same = merged.find((other) => other.text === one.text && other.how === one.how);
    if (same) { same.recoverable_ps += one.recoverable_ps; same.in_steps = same.in_steps && one.in_steps; same.priority = Math.min(same.priority, one.priority); same.others += 1; }
    else merged.push({...one, others: 0});
  }
  merged.sort((a, b) => b.recoverable_ps - a.recoverable_ps);
  return [node("ol", {class: "advice"}, ...merged.slice(0, 8).map((one) => node("li", {},
    node("div", {class: "gain"}, one.recoverable_ps > 0 ? "up to " + duration(one.recoverable_ps) : "",
      one.recoverable_ps > 0 ? node("div", {class: "note"}, partOf(one.recoverable_ps, one.in_steps)) : ""),
    node("div", {}, node("div", {}, one.text), one.how ? node("div", {class: "how"}, one.how) : "",
      one.evidence.length ? node("div", {class: "note"}, one.evidence[0] + (one.others ? "; also for " + plural(one.others, "other kind") : "")) : ""))))];
}
