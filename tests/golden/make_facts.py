#!/usr/bin/env python3
"""Writes tests/golden/facts/*.tsv: counts and times of every real XSpace capture, from generated protobuf code.

make_facts.py CORPUS

The independent reader is Google's protobuf for Python with CORPUS/oracles/proto/xplane_pb2.py; nothing of profkit
takes part. Run it again only when captures are added. compare_facts.py holds our documents against the tables.

Rows: file   hosts, errors, warnings, first_ps, last_ps
      plane  position, id, name, event metadata, stat metadata, stats
      line   plane, position, id, name, timestamp_ns, events, event stats, duration_sum_ps, first_ps, last_ps
      ops    plane, line, ops, executions, total_ps, self_ps, digest of (id, count, total, self, min, max) by id
"""
import glob
import hashlib
import json
import pathlib
import sys

CAPTURES = ["captures/xspace/*.xplane.pb", "captures/jax/**/*.xplane.pb"]


def text(value):
    return json.dumps(value, ensure_ascii=True)


def self_times(events):
    """Time of each event minus what events that start later cover of it: (start, duration) -> self, in order."""
    order = sorted(range(len(events)), key=lambda i: (events[i][0], -events[i][1], i))
    selves = [0] * len(events)
    stack, at = [], None

    def run_until(limit):
        nonlocal at
        while stack and at < limit:
            top = stack[-1]
            end = sum(events[top])
            if end <= at:
                stack.pop()
                continue
            step = min(end, limit)
            selves[top] += step - at
            at = step
        at = limit

    for i in order:
        start, duration = events[i]
        if at is not None:
            run_until(start)
        at = start
        stack.append(i)
    if stack:
        run_until(max(sum(e) for e in events))
    return selves


def is_ops_line(plane, line, device_has_events):
    if plane.name.startswith("/device:"):
        return line.name == "XLA Ops" or line.name.startswith("Stream #")
    return plane.name.startswith("/host:CPU") and not device_has_events


def ops_row(plane, line, only_hlo_ops):
    hlo_op = {k for k, m in plane.stat_metadata.items() if m.name == "hlo_op"}
    chosen = [e for e in line.events
              if e.WhichOneof("data") != "num_occurrences"
              and (not only_hlo_ops or any(s.metadata_id in hlo_op for s in e.stats))]
    names = {k: m.name for k, m in plane.stat_metadata.items()}
    stats = [{names[s.metadata_id]: s for s in e.stats} for e in chosen]
    times = [(e.offset_ps, e.duration_ps) for e in chosen]
    if all("device_offset_ps" in s and "device_duration_ps" in s for s in stats):  # the device's own clock
        times = [(s["device_offset_ps"].uint64_value, s["device_duration_ps"].uint64_value) for s in stats]
    ops = {}
    for e, s, (_, duration), own in zip(chosen, stats, times, self_times(times)):
        program = s["program_id"].int64_value if "program_id" in s else None
        row = ops.setdefault((e.metadata_id, program), [0, 0, 0, duration, duration])
        row[0] += 1
        row[1] += duration
        row[2] += own
        row[3] = min(row[3], duration)
        row[4] = max(row[4], duration)
    lines = "".join(" ".join(map(str, row)) + "\n" for row in sorted((key[0], *row) for key, row in ops.items()))
    return [len(ops), sum(r[0] for r in ops.values()), sum(r[1] for r in ops.values()), sum(r[2] for r in ops.values()),
            hashlib.sha256(lines.encode()).hexdigest()[:16]]


def facts_of(space):
    rows, spans = [], []
    device_has_events = any(line.events for p in space.planes if p.name.startswith("/device:") for line in p.lines)
    for number, plane in enumerate(space.planes):
        rows.append(["plane", number, plane.id, text(plane.name), len(plane.event_metadata), len(plane.stat_metadata),
                     len(plane.stats)])
        for position, line in enumerate(plane.lines):
            placed = [e for e in line.events if e.WhichOneof("data") == "offset_ps"]
            starts = [line.timestamp_ns * 1000 + e.offset_ps for e in placed]
            ends = [line.timestamp_ns * 1000 + e.offset_ps + e.duration_ps for e in placed]
            span = [min(starts), max(ends)] if placed else ["", ""]
            if placed:
                spans.append(span)
            rows.append(["line", number, position, line.id, text(line.name or line.display_name), line.timestamp_ns,
                         len(line.events), sum(len(e.stats) for e in line.events),
                         sum(e.duration_ps for e in line.events), *span])
            if is_ops_line(plane, line, device_has_events) and line.events:
                ops = ops_row(plane, line, not plane.name.startswith("/device:"))
                if ops[0]:
                    rows.append(["ops", number, position, *ops])
    first = min(s[0] for s in spans) if spans else ""
    last = max(s[1] for s in spans) if spans else ""
    rows.insert(0, ["file", text(list(space.hostnames)), text(list(space.errors)), text(list(space.warnings)), first, last])
    return rows


def main():
    corpus = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(corpus / "oracles" / "proto"))
    import xplane_pb2   # noqa: E402, the path comes from the command line
    folder = pathlib.Path(__file__).resolve().parent / "facts"
    folder.mkdir(exist_ok=True)
    for pattern in CAPTURES:
        for path in sorted(glob.glob(str(corpus / pattern), recursive=True)):
            relative = pathlib.Path(path).relative_to(corpus)
            space = xplane_pb2.XSpace()
            try:
                space.ParseFromString(pathlib.Path(path).read_bytes())
            except Exception as broken:   # the mangled capture is a test of its own
                print(f"{relative}: left out, {broken}")
                continue
            name = "__".join(relative.parts[1:]).replace(".xplane.pb", "").replace("plugins__profile__", "") + ".tsv"
            rows = facts_of(space)
            (folder / name).write_text("# " + str(relative) + "\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows))
            print(f"{relative}: {len(rows)} rows")


if __name__ == "__main__":
    main()
