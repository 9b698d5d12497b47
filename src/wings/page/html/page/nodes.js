// What nodes say of each other: process groups, who is irregular in them, and clocks.

section("nodes", "Across nodes", (box) => {
  const nodes = data.nodes;
  if (!nodes && !summary.across_nodes.length) return false;
  box.append(bullets(summary.across_nodes));
  if (!nodes) return true;
  const rate = (value) => (value === null ? "" : si(value) + "B/s");
  const most = Math.max(1, ...nodes.ops.map((op) => op.bus_bytes_per_s || 0));
  const last = (op) => (op.latest_node === null ? "" : "node " + op.latest_node + (op.latest_device < 0 ? "" : ", device " + op.latest_device) + " (" + share(op.latest_count, op.calls) + ")");
  if (nodes.ops.length)
    box.append(node("h3", {}, "Process groups"), sortedTable([
      {name: "collective", left: true, wide: true, sort: (op) => op.name, cell: (op) => node("span", {class: "name", title: op.name}, shortened(op.name, 50))},
      {name: "group", left: true, text: (op) => shortened(op.group, 30), sort: (op) => op.group},
      {name: "calls", text: (op) => grouped(op.calls), sort: (op) => op.calls},
      {name: "violations", title: "a member ended before another began, by more than the clocks may be wrong", text: (op) => grouped(op.violations), sort: (op) => op.violations},
      {name: "waits", title: "from the first member that began to the last, on average", text: (op) => duration(op.skew_ps), sort: (op) => op.skew_ps},
      {name: "transfer", title: "from the last start to the first end, on average", text: (op) => duration(op.transfer_ps), sort: (op) => op.transfer_ps},
      ...(nodes.ops.some((op) => op.bus_bytes_per_s !== null) ? [{name: "bus bandwidth", title: "what each link carries at least, while all members are there", text: (op) => rate(op.bus_bytes_per_s), sort: (op) => op.bus_bytes_per_s || 0, bar: (op) => (op.bus_bytes_per_s || 0) / most}] : []),
      {name: "last to come", left: true, text: last, sort: last},
    ], nodes.ops, {order: "waits", noun: "collective", label: "Collectives of process groups", first: 10, placeholder: "Search collectives and groups", search: (op) => op.name + " " + op.group}));
  if (nodes.irregular.length)
    box.append(node("h3", {}, "Irregular in their process group"), sortedTable([
      {name: "kind", left: true, text: (row) => row.kind, sort: (row) => row.kind},
      {name: "where", left: true, text: (row) => "node " + row.node + ", device " + row.device, sort: (row) => row.node * 1000 + row.device},
      {name: "collective", left: true, text: (row) => shortened(row.name, 40) + " " + shortened(row.group, 20) + ", call " + grouped(row.call), sort: (row) => row.name},
      {name: "why", left: true, wide: true, text: (row) => row.evidence, sort: (row) => row.evidence},
    ], nodes.irregular, {order: "kind", noun: "row", label: "Members that did otherwise than the others", first: 10}));
  const clocks = nodes.clocks.filter((clock) => clock.is_reference || clock.bound_ps !== null || clock.least_offset_ps < clock.most_offset_ps);
  if (clocks.length > 1) {
    // What a merge corrected lies about zero.
    const least = (clock) => (clock.least_offset_ps !== null ? clock.least_offset_ps : -(clock.bound_ps || 0));
    const greatest = (clock) => (clock.most_offset_ps !== null ? clock.most_offset_ps : clock.bound_ps || 0);
    const from = Math.min(...clocks.map(least)), wide = Math.max(1, Math.max(...clocks.map(greatest)) - from), signed = (ps) => (ps < 0 ? "\u2212" : "+") + duration(Math.abs(ps));
    const said = (clock) => (clock.is_reference ? "the reference" : nodes.clocks_corrected ? "within " + duration(clock.bound_ps) : signed(clock.least_offset_ps) + " to " + signed(clock.most_offset_ps));
    const x = (ps) => (1 + (ps - from) / wide * 198).toFixed(2);
    const bar = (clock) => node("svg:svg", {viewBox: "0 0 200 12", preserveAspectRatio: "none", role: "img", class: "interval", "aria-label": said(clock)},
      node("svg:path", {d: "M" + x(0) + " 0V12", class: "zero"}),
      node("svg:path", {d: "M" + x(least(clock)) + " 3H" + (Number(x(greatest(clock))) + 0.5) + "V9H" + x(least(clock)) + "z", class: "fill-comm"}));
    box.append(node("h3", {}, "Clocks"), node("p", {class: "note"}, nodes.clocks_corrected ? "How far a time can be from the reference clock: each bar is as wide as that."
      : "How far each clock is from the first one's: every value in a bar fits all collectives, none outside does."), sortedTable([
      {name: "node", left: true, text: (clock) => String(clock.node) + (clock.host ? " " + shortened(clock.host, 30) : ""), sort: (clock) => clock.node},
      {name: "from the reference", left: true, text: said, sort: least},
      {name: "range", left: true, wide: true, cell: bar, sort: (clock) => greatest(clock) - least(clock)},
    ], clocks, {order: "range", noun: "clock", label: "Clocks of nodes", first: 16}));
  }
  return true;
});
