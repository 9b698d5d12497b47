// What was captured: files, devices, software, steps.

section("capture", "About this capture", (box) => {
  const files = data.files.filter((file) => !file.is_export);
  const fileText = (file) => (files.length > 1 ? file.path.slice(file.path.lastIndexOf("/") + 1) + ": " : "") + file.family + ", " + bytes(file.bytes) +
    (file.compression === "none" ? "" : " of " + file.compression);
  const most = 8, ranks = summary.ranks;
  box.append(facts([
    ["path", data.path],
    [files.length > 1 ? "files" : "file", files.slice(0, most).map(fileText).concat(files.length > most ? ["… " + plural(files.length - most, "more file")] : [])],
    ["devices", summary.devices.map((d) => (d.devices > 1 ? grouped(d.devices) + " × " : "") + d.model +
      (d.with_events !== null && d.with_events < d.devices ? "; events on " + grouped(d.with_events) + " of them" : ""))],
    ["hosts", summary.hosts.slice(0, most).map((host) => host.name).concat(summary.hosts.length > most ? ["… " + plural(summary.hosts.length - most, "more host")] : [])],
    ["software", summary.software],
    ["ranks", ranks.length ? "rank " + ranks[0].rank + (ranks.length > 1 ? " to " + ranks[ranks.length - 1].rank : "") + " of " + ranks[0].world_size +
      (ranks[0].backend ? " (" + ranks[0].backend + ")" : "") : ""],
    ["time", span ? duration(span) + " of events" + (data.origin_unix_ns === null ? "; the date is not recorded" : "; began " + date(data.origin_unix_ns)) : ""],
    ["events", data.events ? grouped(data.events) : ""],
    ["steps", summary.steps.slice(0, most).map((group) => plural(group.count, "step") + " of " + group.plane_name + ", median " + duration(group.median_ps) +
      " (" + duration(group.min_ps) + " to " + duration(group.max_ps) + ", from " + group.source + ")")],
  ]));
  return true;
});
