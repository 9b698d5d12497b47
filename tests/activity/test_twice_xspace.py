#!/usr/bin/env python3
"""Two XSpaces with two of everything, of which all that is read is worked out here.

Ids of names mean others on the next plane; a step has a number of its own and one in its name; two lines have steps, of which one is the
core's own; calls share the id of a launch; kernels begin together, lie on two lines, overlap; a copy and a collective lie on one line
beside the ops; a stat is there twice; the name of a stat is there twice, under an id that means something else later.

test_twice_xspace.py ACTIVITY_DUMP
"""
import sys

import twice
from proto_writer import Plane, Uint, xspace
from wire import message, number

BASE, LATER = 1_700_000_000_000_000_000, 7_000_000  # ns: when the lines of the first file begin, and how much later those of the second


class Space:
    """Planes, and what is read of them. Times are ps from the beginning of the file's lines."""

    def __init__(self, file, shift):
        self.file, self.shift, self.planes, self.rows, self.places = file, shift, [], {}, []
        self.threads, self.spans, self.markers, self.counts = [], [], [], {}

    def plane(self, name, **first_ids):
        self.planes.append(Plane(name, len(self.planes) + 1, **first_ids))
        return self.planes[-1]

    def at(self, ps):
        return ps + self.shift * 1000

    def line(self, plane, name, events, line_id, take):
        """`events`: (name, start, duration, stats, facts); `take` is given the start, duration and facts of each, and where it stands."""
        head = number(1, line_id) + message(2, name) + number(3, BASE + self.shift)
        written = [plane.event(event, start, duration, stats) for event, start, duration, stats, _ in events]
        body = head + b"".join(message(4, e) for e in written)
        plane.lines.append(body)
        offset = 0
        for (event, start, duration, _, facts), text in zip(events, written):
            self.places.append((body, offset, take(event, self.at(start), duration, facts)))
            offset = (offset or len(head)) + len(message(4, text))

    def kernels(self, plane, name, events, line_id, stream):
        rows = self.rows.setdefault(plane.name, [])
        def take(event, start, duration, facts):
            rows.append({**twice.row(event, start, duration, None), "stream": stream, **facts})
            return rows[-1]
        self.line(plane, name, events, line_id, take)

    def thread(self, plane, name, events, line_id):
        number_of = len(self.threads)
        self.threads.append({"file": self.file, "plane": self.planes.index(plane), "line": len(plane.lines), "process": plane.name, "name": name,
                             "system_thread": None})
        def take(event, start, duration, facts):
            self.spans.append({"name": event, "kind": "op", "start_ps": start, "duration_ps": duration, "source_row": None, "thread": number_of, **facts})
            return self.spans[-1]
        self.line(plane, name, events, line_id, take)

    def bytes(self):
        data = xspace(self.planes)
        for body, offset, row in self.places:
            if "source_row" in row:
                assert data.count(body) == 1
                row["source_row"] = data.index(body) + offset
        return data

    def device(self, plane, kind, streams, **more):
        rows = sorted(self.rows[plane.name], key=lambda r: (r["start_ps"], r["duration_ps"], r["source_row"]))
        return twice.device(plane.name, kind, rows, [twice.stream(*s[:1], None, None, s[1], s[2]) for s in streams], file=self.file,
                            plane=self.planes.index(plane), host_group=self.file, **more)


def tpus():
    s = Space(0, 0)
    for device, first in ((0, 1), (1, 2)):  # ids that mean the next name on the next plane
        p = s.plane(f"/device:TPU:{device}", first_event_id=first, first_stat_id=3 - first)
        p.event_metadata("%fusion.1 = f32[] fusion()", stats=[("hlo_category", "first"), ("hlo_category", "convolution fusion")])
        p.event_metadata("long name", "shown.7")
        ops = [("%fusion.1 = f32[] fusion()", 1_000, 500, [], {"name": "fusion.1", "op_type": "convolution fusion"}),
               ("long name", 2_000, 300, [], {"name": "shown.7", "op_type": "shown"}),
               ("long name", 2_000, 100, [], {"name": "shown.7", "op_type": "shown"})]
        if device == 0:
            s.kernels(p, "XLA Ops", ops, 3, 3)
            s.kernels(p, "Async XLA Ops", [("all-reduce-start.2", 1_100, 900, [], {"op_type": "all-reduce-start", "kind": "comm"}),
                                           ("slice-start.3", 1_200, 900, [], {"op_type": "slice-start", "kind": "copy", "flags": ["in_flight"]})], 4, 4)
        else:
            s.kernels(p, "XLA Ops", ops, 3, 3)
        def step(number_of):
            return lambda event, start, duration, facts: s.markers.append(
                twice.marker(event, number_of[event], start, start + duration, "line", device=number_of["device"], host_group=0)) or {}
        if device == 0:
            # A number of its own, and that in its name; the other line of steps is no one's.
            s.line(p, "Sparse Core Steps", [("99", 900, 5_000, [], {})], 1, lambda *_: {})
            s.line(p, "Steps", [("5", 1_000, 1_000, [("step_num", 15)], {}), ("6", 2_000, 1_000, [], {})], 2, step({"device": 0, "5": 15, "6": 6}))
        else:
            s.line(p, "Sparse Core Steps", [("7", 1_000, 2_000, [], {})], 1, step({"device": 1, "7": 7}))
    h = s.plane("/host:CPU")
    h.event_metadata("wide", "shown wide")
    s.thread(h, "python", [("wide", 500, 4_000, [], {"name": "shown wide"}), ("$f.py:1 f", 600, 100, [], {"kind": "frame"})], 11)
    s.thread(h, "main", [("ProfilerStep#3", 500, 900, [("step_num", 9)], {})], 12)
    return s


def gpus():
    s = Space(1, LATER)
    for device in (0, 1):
        p = s.plane(f"/device:GPU:{device}", first_event_id=1 + device, first_stat_id=1 + device)
        names = ("gemm", "MemcpyD2H") if device == 0 else ("softmax", "gemm")
        def launch(number_of):
            begin, end, thread = LAUNCHES[number_of]
            return {"launch_ps": s.at(begin), "launch_end_ps": s.at(end), "launch_thread": thread}
        # The last of two stats of one name counts.
        first = [(names[0], 10_000, 2_000, [("correlation_id", Uint(99)), ("correlation_id", Uint(7 + device))], {**launch(7 + device)}),
                 (names[1], 13_000, 2_000, [("correlation_id", Uint(20 + device))], {"kind": "copy"} if device == 0 else {})]
        s.kernels(p, "Stream #16(Kernel)", first, 5, 16)
        # Together with one of the other stream.
        s.kernels(p, "Stream #17(Kernel)", [(names[0], 10_000, 1_000, [("correlation_id", Uint(9))], {**launch(9)})], 6, 17)
        s.kernels(p, "Framework Ops", [], 7, None)
    h = s.plane("/host:CPU")
    calls = [("cuLaunchKernel", *LAUNCHES[8][:2], [("correlation_id", Uint(8))], {"kind": "runtime"}),
             ("cuLaunchKernel", 5_000, 400, [("correlation_id", Uint(7))], {"kind": "runtime"}),
             ("cuLaunchKernel", 5_500, 100, [("correlation_id", Uint(9))], {"kind": "runtime"}),
             ("cuMemcpyDtoH", 6_000, 200, [("correlation_id", Uint(500))], {"kind": "runtime"})]
    calls = [(name, start, took if name != "cuLaunchKernel" or stats[0][1].value != 8 else took - start, stats, facts)
             for name, start, took, stats, facts in calls]
    s.thread(h, "first", calls, 31)
    s.thread(h, "second", [("cuLaunchKernel", 4_000, 300, [("correlation_id", Uint(7))], {"kind": "runtime"}),
                           ("ProfilerStep#3", 3_000, 9_000, [("step_num", 9)], {}), ("train", 13_000, 2_000, [("step_num", 10)], {}),
                           ("ProfilerStep#4", 15_000, 500, [], {})], 32)
    return s


# Correlation id -> start, end and thread: of two calls the earlier one, whichever thread it is of.
LAUNCHES = {7: (4_000, 4_300, 3), 8: (4_400, 4_700, 2), 9: (5_500, 5_600, 2)}


class Everything(twice.Case):
    def test_all_that_is_read(self):
        a, b = tpus(), gpus()
        for space, name in ((a, "host0"), (b, "host1")):
            self.write(f"run/{name}.xplane.pb", space.bytes())
        threads = a.threads + b.threads
        for span in b.spans:
            span["thread"] += len(a.threads)
        tpu = {"timestamp_resolution_ps": 1}
        devices = [a.device(a.planes[0], "tpu", [(3, "XLA Ops", "ops"), (4, "Async XLA Ops", "async")], ordinal=0, **tpu),
                   a.device(a.planes[1], "tpu", [(3, "XLA Ops", "ops")], ordinal=1, **tpu),
                   *(b.device(b.planes[n], "gpu", [(16, "Stream #16(Kernel)", "stream"), (17, "Stream #17(Kernel)", "stream")], ordinal=n,
                              has_launches=True) for n in (0, 1))]
        def step(name, number_of, start, took, source):
            return twice.marker(name, number_of, b.at(start), b.at(start + took), source, host_group=1)
        markers = a.markers + [step("ProfilerStep#3", 9, 3_000, 9_000, "profiler_step"), step("train", 10, 13_000, 2_000, "step_num"),
                               step("ProfilerStep#4", 4, 15_000, 500, "profiler_step")]
        unrecorded = [{"name": "cuMemcpyDtoH", "work": "copy", "start_ps": b.at(6_000), "end_ps": b.at(6_200), "thread": 2}]
        hosts = [twice.host(a.spans, writer="xla"), twice.host(b.spans, writer="xla", file=1, launches=[4, 1, 0], unrecorded=unrecorded)]
        kernels = [sum(map(len, s.rows.values())) for s in (a, b)]
        inputs = [twice.taken("xspace", kernels[0]), twice.taken("xspace", kernels[1], file=1, incomplete=[
            "1 of 5 launches have no record of a device (1 of 1 copies): what the device did for them, and when, is not known"])]
        self.check(self.dump(self.scratch / "run"), {
            "origin_unix_ns": str(BASE), "devices": devices, "hosts": hosts, "threads": threads, "markers": markers, "communication": [],
            "step_trace": [], "lines": [], "operator_calls": [], "inputs": inputs})


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
