// The verdict: the sentence, the bar of the time, and its parts with what they mean.

const useMeanings = {
  compute: "at least one kernel computes",
  exposed_communication: "the device only communicates: no compute hides it",
  exposed_copies: "the device only copies: no compute hides it",
  other_work: "work that is neither compute, communication nor a copy",
  idle: "the device has nothing to run",
  not_recorded: "work was launched, of which there is no record",
};

// Rows of one use and cause, whatever their certainty, as one part.
function timeParts(rows) {
  const parts = [];
  for (const row of rows) {
    const cause = row.use === "idle" && (row.cause === null || row.cause === "unexplained") ? "unknown" : row.cause;
    let part = parts.find((other) => other.use === row.use && other.cause === cause);
    if (!part) parts.push(part = {use: row.use, cause, ps: 0, proved: 0, gaps: 0});
    part.ps += row.time_ps;
    part.gaps += row.gaps || 0;
    if (row.certainty === "proved") part.proved += row.time_ps;
    part.sure = part.sure || row.certainty;
  }
  const uses = Object.keys(useMeanings);
  const rank = (part) => (part.cause === "unknown" ? 1 : 0);
  return parts.sort((a, b) => uses.indexOf(a.use) - uses.indexOf(b.use) || rank(a) - rank(b) || b.ps - a.ps);
}

function partName(part) {
  if (part.use === "idle") return part.cause === "unknown" ? "idle, cause not known" : "idle: " + spaced(part.cause);
  return part.cause === "straggler_wait" ? "waiting for other ranks" : spaced(part.use);
}

function partMeaning(part) {
  if (part.use === "idle" && part.cause === "unknown") return "gaps too short to explain, at an edge, or without evidence";
  return part.cause ? data.verdict.causes[part.cause] : useMeanings[part.use];
}

// A cause has the same tone in all pictures; the last one is shared.
function causeTone(cause) {
  const place = data.verdict.causes_by_time.indexOf(cause);
  return place < 0 ? "unknown" : "cause" + Math.min(place, 4);
}

const timeSplit = summary.idle ? timeParts(summary.idle.time) : [];
for (const part of timeSplit) part.colour = part.use === "idle" ? causeTone(part.cause) : part.cause ? "wait" : part.use;

function shareBar(parts, whole, label) {
  return node("div", {class: "split", role: "img", "aria-label": label},
    ...parts.filter((part) => part.ps > 0).map((part) => node("span", {
      class: "use " + part.colour, title: partName(part) + ": " + share(part.ps, whole) + ", " + duration(part.ps),
      style: {flexGrow: String(part.ps / whole)}}, part.ps / whole >= 0.08 ? share(part.ps, whole) : "")));
}

section("verdict", "Verdict", (box) => {
  const [first, ...rest] = data.verdict.text.split(/(?<=\.) (?=[A-Z])/);
  box.append(node("p", {class: "sentence"}, first), rest.length ? node("p", {class: "second"}, rest.join(" ")) : "");
  if (summary.idle && summary.idle.time.length) box.append(...split(summary.idle));
  const notes = summary.notes;
  if (notes.length) box.append(node("h3", {}, "What stands out"), bullets(notes));
  return true;
});

function split(idle) {
  const parts = timeSplit, whole = idle.service_ps;
  const name = data.verdict.in_steps ? "Time in steps" : "Time";
  return [
    node("div", {class: "axis"}, node("span", {}, name + (data.verdict.devices > 1 ? ", all devices together" : "")), node("span", {}, duration(whole))),
    shareBar(parts, whole, parts.map((part) => partName(part) + " " + share(part.ps, whole)).join(", ")),
    node("table", {class: "parts"},
      node("caption", {class: "unseen"}, name + " by use"),
      node("tbody", {}, ...parts.map((part) => node("tr", {"data-use": part.use, "data-cause": part.cause || false},
        node("th", {scope: "row"}, node("span", {class: "swatch use " + part.colour, "aria-hidden": "true"}), partName(part)),
        node("td", {class: "number"}, share(part.ps, whole)),
        node("td", {class: "number"}, duration(part.ps)),
        node("td", {class: "meaning"}, partMeaning(part) + (part.use !== "idle" || part.cause === "unknown" ? ""
          : part.proved === part.ps ? " (proved)" : part.proved > 0 ? " (" + share(part.proved, whole) + " proved)" : " (" + part.sure + ")")))))),
  ];
}
