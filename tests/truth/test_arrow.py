#!/usr/bin/env python3
"""Arrow tables of events and of ops, value by value."""
import re
import sys

import arrow
import ops_model as model
import pair
import truth
import wire
import xspace as x

NAME = "dict<i, u>"
# What every table of devices is joined with.
PLACES = [("run", NAME, None), ("host", NAME, None), ("rank", "i", None), ("node", "l", None), ("device_name", NAME, None)]


def offsets(data, field, start=0):
    """Where the fields of that number begin and where what they hold does, from the beginning of the file."""
    at, found = 0, []
    while at < len(data):
        begin = at
        tag, at = wire.read_varint(data, at)
        if tag & 7 == 2:
            size, at = wire.read_varint(data, at)
            if tag >> 3 == field:
                found.append((start + begin, start + at, data[at:at + size]))
            at += size
        elif tag & 7 == 0:
            _, at = wire.read_varint(data, at)
        else:
            at += {1: 8, 5: 4}[tag & 7]
    return found


def records(host, plane, line):
    """Where to read on in the file for each event of a line: where the one before ends, or the line begins."""
    _, start, body = offsets(host.bytes(), 1)[plane]
    _, start, body = offsets(body, 3, start)[line]
    return [start] + [begin + len(held) for _, begin, held in offsets(body, 4, start)]


def places(file, position, host, plane):
    """Whose the rows of a plane are: devices are counted over all files, by their position in each."""
    devices = [(f, p) for f, h in enumerate(pair.HOSTS) for p, other in enumerate(h.planes) if other.kind == "device"]
    number = devices.index((file, position)) if plane.kind == "device" else None
    return {"run": "run1", "host": host.name, "rank": None, "node": None, "file": file, "device": number,
            "device_name": None if number is None else plane.name}


def stream_of(line):
    if line.kind == "thread":
        return line.key
    found = re.match(r"Stream #(\d+)", line.title)
    return int(found[1]) if found else None


def events(hosts=None, only_file=None):
    for file, p, n, host, plane, line in pair.lines(hosts=hosts):
        if only_file is not None and file != only_file:
            continue
        for e, row in zip(line.events, records(host, p, n)):
            if e.occurrences is not None:
                continue
            op = plane.ops.get(e.op, pair.Op(""))
            yield {**places(file, p, host, plane), "plane": plane.name, "line": line.title, "plane_kind": plane.kind,
                   "line_kind": line.kind, "plane_position": p, "line_position": n,
                   "stream": stream_of(line), "name": op.display_name or op.name, "start_ps": pair.placed(line, e),
                   "duration_ps": e.duration_ps, "source_row": row}


class ArrowTest(pair.PairCase):
    def setUp(self):
        super().setUp()
        truth.library()

    def profile(self):
        return arrow.Handle("profile", self.folder, None)

    def test_events(self):
        with self.profile() as profile:
            columns, rows = arrow.table("events", profile)
        self.assertEqual(
            [c[:3] for c in columns],
            [
                *PLACES,
                ("file", "I", None),
                ("device", "i", None),
                ("plane", NAME, None),
                ("line", NAME, None),
                ("plane_kind", NAME, None),
                ("line_kind", NAME, None),
                ("plane_position", "i", None),
                ("line_position", "i", None),
                ("stream", "l", None),
                ("name", NAME, None),
                ("start_ps", "l", "ps"),
                ("duration_ps", "l", "ps"),
                ("source_row", "L", None),
            ],
        )
        self.check(rows, list(events()))

    def test_events_of_a_file(self):
        with self.profile() as profile:
            for file in (0, 1):
                self.check(
                    arrow.table("events", profile, file=file)[1],
                    list(events(only_file=file)),
                )

    def test_batches_of_every_size_hold_the_same(self):
        for rows in (1, 2, 7, 64):
            with self.profile() as profile:
                self.check(arrow.table("events", profile, batch_rows=rows)[1], list(events()))
                self.check(arrow.table("ops", profile, batch_rows=rows)[1], arrow.table("ops", profile)[1])

    def test_ops_of_a_part(self):
        with self.profile() as profile:
            for limit in (1, 3):
                _, rows = arrow.table("ops", profile, limit=limit, plane="TPU:1")
                expected = [
                    (place[0], int(op["metadata_id"]), op["total_ps"])
                    for place in pair.lines({"ops"})
                    if "TPU:1" in place[4].name
                    for op in model.line_document(place, lambda e: True, "", limit)["ops"]
                ]
                self.check([(r["file"], r["metadata_id"], r["total_ps"]) for r in rows], expected)

    def test_ops(self):
        expected = []
        for place in pair.lines({"ops"}):
            file, position, _, host, plane, _ = place
            line = model.line_document(place, lambda e: True)
            for row in line["ops"]:
                stats = plane.ops[int(row["metadata_id"])].stats if int(row["metadata_id"]) in plane.ops else []
                category = [s[2] for s in stats if s[0] == "hlo_category"]
                flops, moved = (model.last_number(stats, n) for n in ("flops", "bytes_accessed"))
                has_flops = [s for s in stats if s[0] == "flops" and s[1] == "double"]  # a number, but no count
                expected.append({
                    **places(file, position, host, plane), "plane": line["plane_name"], "line": line["line_name"], "name": row["name"],
                    "display_name": row["display_name"], "category": category[-1] if category else None,
                    "metadata_id": int(row["metadata_id"]), "count": row["count"], "total_ps": row["total_ps"],
                    "self_ps": row["self_ps"], "min_ps": row["min_ps"], "max_ps": row["max_ps"],
                    "flops": None if has_flops else flops, "bytes_accessed": moved, "program": row["program"],
                    "clock": line["clock"]})
        with self.profile() as profile:
            columns, rows = arrow.table("ops", profile)
        self.assertEqual([c[:3] for c in columns], [
            *PLACES, ("file", "I", None), ("device", "i", None), ("plane", NAME, None), ("line", NAME, None),
            ("name", NAME, None), ("display_name", NAME, None), ("category", NAME, None), ("program", NAME, None),
            ("clock", NAME, None), ("metadata_id", "l", None), ("count", "L", None), ("total_ps", "l", "ps"),
            ("self_ps", "l", "ps"), ("min_ps", "l", "ps"), ("max_ps", "l", "ps"), ("flops", "L", "flop"),
            ("bytes_accessed", "L", "bytes")])
        self.check(rows, expected)


class FewTest(truth.Case):
    """What few files have."""

    def table(self, path, name="events", **options):
        with arrow.Handle("profile", path, None) as profile:
            return arrow.table(name, profile, **options)[1]

    def test_the_host_that_a_file_names_and_ids_that_are_far_apart(self):
        far = 1 << 40
        planes = [
            x.plane(
                i,
                f"p{i}",
                x.line(1, "t", [x.event(far, 0, 1), x.event(-5, 1, 1)]),
                x.event_metadata(far, f"far {i}"),
                x.event_metadata(-5, f"below {i}"),
            )
            for i in (1, 2)
        ]
        rows = self.table(self.write("other.xplane.pb", x.space(*planes, hostnames=["inside"])))
        self.check([[r["host"], r["name"]] for r in rows],
                   [["inside", name] for name in ("far 1", "below 1", "far 2", "below 2")])

    def test_an_export_is_read_when_it_is_asked_for(self):
        self.write("plugins/profile/r/a.xplane.pb", x.space(x.plane(1, "p", x.line(1, "t", [x.event(1, 0, 1)]),
                                                                    x.event_metadata(1, "own"))))
        self.write(
            "plugins/profile/r/a.trace.json", '{"traceEvents": [{"ph": "X", "ts": 1, "dur": 1, "name": "again"}]}'
        )
        names = [[r["name"] for r in self.table(self.scratch, file=file)]
                 for file in (0, 1)]
        self.check(sorted(names), [["again"], ["own"]])
        self.check([r["name"] for r in self.table(self.scratch)], ["own"])

    def test_counts_below_zero_are_not_known(self):
        path = self.write(
            "a.xplane.pb",
            x.space(
                x.plane(
                    1,
                    "/device:TPU:0",
                    x.line(3, "XLA Ops", [x.event(1, 0, 1)]),
                    x.event_metadata(1, "op", "", [x.stat(1, -5), x.stat(2, 7, "uint")]),
                    x.stat_metadata(1, "flops"),
                    x.stat_metadata(2, "bytes_accessed"),
                )
            ),
        )
        rows = self.table(path, "ops")
        self.check([[r["flops"], r["bytes_accessed"]] for r in rows], [[None, 7]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
