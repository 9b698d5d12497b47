// Memory: curves over time and over the schedule of a program, and what is alive at their peaks.

section("memory", "Memory", (box) => {
  const memory = data.memory;
  if (!memory) return false;
  if (memory.summary.length) box.append(bullets(memory.summary));
  if (memory.runtime) box.append(...allocatorPart(memory.runtime));
  if (memory.program) box.append(...programPart(memory.program));
  return true;
});

function allocatorPart(run) {
  const points = [], from = run.samples[0];
  for (let i = 0; i < run.samples.length; i += 3) points.push({x: (run.samples[i] - from) * 1000, layers: [run.samples[i + 2], run.samples[i + 1]]});
  const named = (text) => text && !text.startsWith("<no ") && text !== "invalid" ? text : "";
  const rows = run.alive.map((row) => ({...row, what: named(row.what) || (row.kind === "buffer" ? "buffer of no known op" : spaced(row.kind)), shape: named(row.shape), type: named(row.type), lifetime: row.lifetime === "unknown" ? "" : row.lifetime}));
  return [
    node("h3", {}, (run.device ? run.device + ", " : "") + "while it ran"),
    memoryPicture(points, {label: "Bytes in use over time", names: ["held for programs", "allocated"], colours: ["copy", "compute"], limit: run.capacity_bytes,
      peak: {x: run.peak_ps - from * 1000, y: run.peak_bytes}, xText: (x) => duration(Math.round(x + from * 1000)), axis: "time since the capture's origin"}),
    node("h3", {}, "Alive at the peak of " + bytes(run.peak_bytes)),
    aliveTable(rows, run, [
      {name: "shape", left: true, text: (row) => [row.type, row.shape].filter((text) => text).join(" "), sort: (row) => row.shape},
      {name: "lifetime", left: true, text: (row) => row.lifetime, sort: (row) => row.lifetime}])];
}

function programPart(program) {
  const points = [];
  for (let i = 0; i < program.curve.length; i += 2) points.push({x: program.curve[i], layers: [program.indefinite_bytes, Math.max(0, program.curve[i + 1] - program.indefinite_bytes)]});
  const at = points.find((point) => point.x === program.peak_event);
  return [
    node("h3", {}, program.module + (program.space ? ", in " + program.space : "") + ", over its schedule"),
    points.length > 1 ? memoryPicture(points, {label: "Bytes that the program needs, event by event", names: ["alive all the time", "temporary"], colours: ["copy", "compute"],
      peak: at ? {x: at.x, y: program.peak_bytes} : null, xText: (x) => grouped(x), xName: "event ", axis: "event of the schedule"}) : "",
    node("h3", {}, "Alive at the peak of " + bytes(program.peak_bytes) + (program.peak_instruction ? ", at " + program.peak_instruction : "")),
    aliveTable(program.alive.map((row) => ({...row, what: row.what || row.opcode})), program, [
      {name: "opcode", left: true, text: (row) => row.opcode, sort: (row) => row.opcode},
      {name: "shape", left: true, text: (row) => shortened(row.shape, 40), sort: (row) => row.shape},
      {name: "from", left: true, sort: (row) => row.op_name, cell: (row) => node("span", {title: [row.op_name, row.source && row.source + ":" + row.line].filter((text) => text).join("\n")},
        shortened(row.source ? row.source.slice(row.source.lastIndexOf("/") + 1) + ":" + row.line : row.op_name, 36))}])];
}

function aliveTable(rows, of, columns) {
  const whole = of.peak_bytes;
  columns = columns.filter((column) => rows.some((row) => column.sort(row)));
  const made = sortedTable([
    {name: "what", left: true, wide: true, sort: (row) => row.what, cell: (row) => node("span", {class: "name", title: row.what}, shortened(row.what, 60))},
    {name: "of the peak", text: (row) => share(row.bytes, whole), sort: (row) => row.bytes, bar: (row) => row.bytes / rows[0].bytes},
    {name: "size", text: (row) => bytes(row.bytes), sort: (row) => row.bytes}, ...columns],
    rows, {order: "size", noun: "buffer", label: "What is alive at the peak of " + (of.module || of.device || "the device"), first: 10});
  if (of.alive_rows > rows.length)
    made.append(node("p", {class: "note"}, "The " + grouped(rows.length) + " largest of " + grouped(of.alive_rows) + ", " +
      share(rows.reduce((sum, row) => sum + row.bytes, 0), whole) + " of the peak."));
  return made;
}

// Areas above each other. Every point holds until the next one.
function memoryPicture(points, options) {
  const width = 1000, height = 180;
  const first = points[0].x, last = Math.max(points[points.length - 1].x, first + 1);
  const most = Math.max(1, options.peak ? options.peak.y : 0, ...points.map((point) => point.layers.reduce((a, b) => a + b, 0)));
  // The limit is drawn where it is near enough for the curve to keep its shape.
  const limit = options.limit && options.limit < 4 * most ? options.limit : 0, top = Math.max(most, limit) * 1.04;
  const x = (value) => (value - first) / (last - first) * width, y = (value) => height - value / top * height;
  const below = points.map(() => 0), paths = [];
  options.names.forEach((name, layer) => {
    const until = (i) => x(i + 1 < points.length ? points[i + 1].x : last).toFixed(1);
    let path = "";
    points.forEach((point, i) => { path += (i ? "V" : "M" + x(point.x).toFixed(1) + " ") + y(below[i] + point.layers[layer]).toFixed(1) + "H" + until(i); });
    for (let i = points.length; i-- > 0;) path += "V" + y(below[i]).toFixed(1) + "H" + x(points[i].x).toFixed(1);
    points.forEach((point, i) => { below[i] += point.layers[layer]; });
    paths.push(node("svg:path", {d: path + "z", class: "fill-" + options.colours[layer]}));
  });
  const line = limit ? node("svg:path", {d: "M0 " + y(limit).toFixed(1) + "H" + width, class: "limit"}) : "";
  const peak = options.peak && options.peak.x >= first && options.peak.x <= last
    ? node("svg:path", {d: "M" + x(options.peak.x).toFixed(1) + " " + height + "V" + y(options.peak.y).toFixed(1), class: "peak"}) : "";
  const readout = node("div", {class: "note readout", role: "status"}, "");
  const showPoint = (event) => {
    const at = first + event.offsetX / event.currentTarget.clientWidth * (last - first);
    const point = points[Math.max(0, firstAfter(points.map((one) => one.x), at) - 1)];
    readout.textContent = (options.xName || "at ") + options.xText(point.x) + ": " + options.names.map((name, i) => bytes(point.layers[i]) + " " + name).join(", ");
  };
  const keys = options.names.map((name, i) => points.some((point) => point.layers[i]) ? node("span", {class: "key"},
    node("span", {class: "swatch", "aria-hidden": "true", style: {background: "var(--" + options.colours[i] + ")"}}), name) : "");
  return node("figure", {class: "curve"},
    node("div", {class: "axis"}, node("span", {}, bytes(Math.round(top / 1.04)) + (limit && limit >= most ? " (all there is)" : "")), node("span", {}, ...keys)),
    node("svg:svg", {viewBox: "0 0 " + width + " " + height, preserveAspectRatio: "none", role: "img", on: {pointermove: showPoint},
      "aria-label": options.label + ": at most " + bytes(most) + (options.limit ? " of " + bytes(options.limit) : "")}, ...paths, line, peak),
    node("div", {class: "axis"}, node("span", {}, options.xText(first)), node("span", {}, options.axis), node("span", {}, options.xText(last))), readout);
}
