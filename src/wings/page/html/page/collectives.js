// Collectives and asynchronous copies: kinds, then ops.

section("collectives", "Collectives", (box) => {
  const kinds = summary.collectives, ops = data.collectives ? data.collectives.ops : [];
  if (!kinds.length && !ops.length) return false;
  if (kinds.length) {
    const onStream = new Set(ops.filter((op) => op.on_stream).map((op) => op.category));
    const how = (kind) => (!kind.blocking ? "beside other work" : onStream.has(kind.kind) ? "kernels on streams" : "nothing else runs on its line");
    const known = kinds.some((kind) => kind.exposed_ps !== null);
    box.append(sortedTable([
      {name: "kind", left: true, wide: true, text: (kind) => kind.kind, sort: (kind) => kind.kind},
      {name: "total", text: (kind) => duration(kind.total_ps), sort: (kind) => kind.total_ps, bar: (kind) => kind.total_ps / Math.max(1, ...kinds.map((one) => one.total_ps))},
      {name: "runs", text: (kind) => grouped(kind.count), sort: (kind) => kind.count},
      {name: "longest", text: (kind) => duration(kind.max_ps), sort: (kind) => kind.max_ps},
      ...(known ? [{name: "exposed", title: "while the device did nothing else", text: (kind) => kind.exposed_ps === null ? "" : duration(kind.exposed_ps) + " (" + share(kind.exposed_ps, kind.total_ps) + ")", sort: (kind) => kind.exposed_ps || 0}] : []),
      {name: "how", left: true, text: how, sort: how},
    ], kinds, {order: "total", noun: "kind", label: "Kinds of collectives and asynchronous copies"}));
  }
  if (ops.length) {
    const planes = new Set(ops.map((op) => op.plane)).size > 1;
    box.append(node("h3", {}, "By op"), sortedTable([
      {name: "op", left: true, wide: true, sort: (op) => op.name, cell: (op) => node("span", {class: "name", title: op.name}, shortened(op.name, 60) + (op.is_half ? " (half of an asynchronous one)" : ""))},
      {name: "total", text: (op) => duration(op.total_ps), sort: (op) => op.total_ps, bar: (op) => op.total_ps / Math.max(1, ops[0].total_ps)},
      {name: "runs", text: (op) => grouped(op.count), sort: (op) => op.count},
      {name: "mean", text: (op) => (op.count ? duration(Math.round(op.total_ps / op.count)) : ""), sort: (op) => (op.count ? op.total_ps / op.count : 0)},
      {name: "shortest", text: (op) => duration(op.min_ps), sort: (op) => op.min_ps},
      {name: "longest", text: (op) => duration(op.max_ps), sort: (op) => op.max_ps},
      {name: "category", left: true, text: (op) => op.category, sort: (op) => op.category},
      ...(planes ? [{name: "device", left: true, text: (op) => shortened(op.plane, 30), sort: (op) => op.plane}] : []),
    ], ops, {order: "total", noun: "op", label: "Collectives by op", first: 10, placeholder: "Search collectives", search: (op) => [op.name, op.category, op.plane].join(" ")}));
  }
  return true;
});
