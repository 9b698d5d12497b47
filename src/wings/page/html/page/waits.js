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

// Rows of one cause, in whatever steps and however sure, as one. What is known of the longest gap comes first.
function mergedCauses(causes) {
  const merged = [];
  for (const row of causes) {
    const gap = (row.longest && data.timeline && timeline.gaps.find((one) => one.device === row.longest.device && one.start === row.longest.start_ps - data.timeline.from_ps)) || null;
    let one = merged.find((other) => other.cause === row.cause);
    if (!one) merged.push(one = {cause: row.cause, time_ps: 0, gaps: 0, in_steps: true, certainties: [], evidence: [], gap: null});
    const isLonger = gap && (!one.gap || gap.length > one.gap.length), evidence = row.evidence.slice(1);
    one.time_ps += row.time_ps;
    one.gaps += row.gaps;
    one.in_steps = one.in_steps && row.in_steps;
    one.certainties.push(row.certainty);
    one.evidence = [...new Set(isLonger ? [...evidence, ...one.evidence] : [...one.evidence, ...evidence])];
    if (isLonger) one.gap = gap;
  }
  return merged.sort((a, b) => b.time_ps - a.time_ps);
}

function causeList(causes) {
  const most = 8;
  const rows = mergedCauses(causes).map((cause) => {
    const gap = cause.gap;
    const colour = cause.cause === "exposed_comm" ? "exposed_communication" : cause.cause === "exposed_copy" ? "exposed_copies"
      : cause.cause === "straggler_wait" ? "wait" : causeTone(cause.cause);
    return node("tr", {},
      node("th", {scope: "row"}, node("span", {class: "swatch use " + colour, "aria-hidden": "true"}), spaced(cause.cause),
        node("div", {class: "note"}, [...new Set(cause.certainties)].join(", "))),
      node("td", {class: "number"}, duration(cause.time_ps), node("div", {class: "note"}, partOf(cause.time_ps, cause.in_steps))),
      node("td", {class: "text"}, node("div", {}, data.verdict.causes[cause.cause] + (cause.gaps ? "; " + plural(cause.gaps, "gap") : "")),
        ...cause.evidence.map((text) => node("div", {class: "note"}, text))),
      node("td", {}, gap ? node("button", {type: "button", class: "tool", on: {click: () => timeline.show(gap)},
        "aria-label": "Show longest gap in the timeline: " + spaced(cause.cause)}, "Show longest") : ""));
  });
  const rest = node("button", {type: "button", class: "more", "data-left": leftOut(rows.length - most, "cause"), hidden: rows.length <= most,
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
  const most = 8;
  return [node("ol", {class: "advice"}, ...merged.slice(0, most).map((one) => node("li", {},
    node("div", {class: "gain"}, one.recoverable_ps > 0 ? "up to " + duration(one.recoverable_ps) : "",
      one.recoverable_ps > 0 ? node("div", {class: "note"}, partOf(one.recoverable_ps, one.in_steps)) : ""),
    node("div", {}, node("div", {}, one.text), one.how ? node("div", {class: "how"}, one.how) : "",
      one.evidence.length ? node("div", {class: "note"}, one.evidence[0] + (one.others ? "; also for " + plural(one.others, "other kind") : "")) : "")))),
    merged.length > most ? node("p", {class: "note"}, leftOut(merged.length - most, "smaller one")) : ""];
}
