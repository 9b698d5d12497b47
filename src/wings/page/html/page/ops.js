// Time by op: every op that was written, with sort and search.

section("ops", "Time by op", (box) => {
  const ops = summary.ops.top;
  if (!ops.length) return false;
  ops.forEach((op, i) => { op.shown = data.names[data.op_names[i]] || op.short_name; });
  const whole = summary.busy_ps;
  const programs = new Set(ops.map((op) => op.program));
  const details = (op) => [op.name && op.name !== op.short_name ? op.name : op.short_name, op.program].filter((text) => text).join("\n");
  const nests = ops.some((op) => op.self_ps !== op.total_ps);
  const columns = [
    {name: "op", left: true, wide: true, sort: (op) => op.shown, cell: (op) => node("span", {class: "name", title: details(op)}, shortened(op.shown, programs.size > 1 ? 48 : 72))},
    {name: "of all ops", title: "of the time in which any op ran, by self time", text: (op) => share(op.self_ps, whole), sort: (op) => op.self_ps, bar: (op) => op.self_ps / ops[0].self_ps},
    {name: "self time", title: "without what ran inside it", text: (op) => duration(op.self_ps), sort: (op) => op.self_ps},
    ...(nests ? [{name: "total", text: (op) => duration(op.total_ps), sort: (op) => op.total_ps}] : []),
    {name: "runs", text: (op) => grouped(op.count), sort: (op) => op.count},
    {name: "mean", title: "total by runs", text: (op) => op.count ? duration(Math.round(op.total_ps / op.count)) : "", sort: (op) => op.count ? op.total_ps / op.count : 0},
  ];
  if (ops.some((op) => op.category)) columns.push({name: "category", left: true, text: (op) => op.category || "", sort: (op) => op.category || ""});
  if (programs.size > 1) columns.push({name: "program", left: true, sort: (op) => op.program || "", cell: (op) => node("span", {class: "name", title: op.program || false}, shortened(op.program || "", 22))});
  const rate = (amount, op) => amount && op.total_ps ? amount * op.count / (op.total_ps / 1e12) : 0;
  if (ops.some((op) => op.flops)) columns.push({name: "FLOP/s", text: (op) => si(rate(op.flops, op)), sort: (op) => rate(op.flops, op)});
  if (ops.some((op) => op.bytes)) columns.push({name: "B/s", text: (op) => si(rate(op.bytes, op)), sort: (op) => rate(op.bytes, op)});
  box.append(sortedTable(columns, ops, {order: "self time", noun: "op", label: "Ops by time", placeholder: "Search ops, programs, categories",
    search: (op) => [op.shown, op.short_name, op.name, op.program, op.category].join(" ")}));
  if (ops.length < summary.ops.names)
    box.append(node("p", {class: "note"}, "The " + grouped(ops.length) + " ops with most time of " + grouped(summary.ops.names) + "."));
  return true;
});
