#!/usr/bin/env python3
"""Snapshots that map the clock of devices to that of their host: which count, what their times count from, which lines they are for, and
what becomes of a node that has too few."""
import fractions
import math
import sys

import proto_reader as reader
import proto_writer as proto
import truth
from test_merge_command import AHEAD_NS, S_NS, START_NS, offsets, snapshots
from wire import message, number

F = fractions.Fraction
S = 10**12  # ps
DAY_NS = 86_400 * S_NS
OWN_NS = START_NS + AHEAD_NS  # when the collector of node 1 started, on its own clock; node 0's has another zero
GPU_NS = 9_000
TRUE = [(k * S_NS, k * S_NS) for k in range(4)]


def pairs(times, period=None):
    """(tracer, wall) in ns since node 1's start."""
    return b"".join(message(1, number(1, OWN_NS + wall) + number(2, GPU_NS + tracer)) for tracer, wall in times) + \
        (b"" if period is None else number(2, period))


def embedded(times, base_ns=OWN_NS, stat="rocm_ns", wrap=proto.Uint):
    plane = proto.Plane("/host:snapshots", 70)
    plane.line("pairs", base_ns, [plane.event("pair", round(wall * 1000), 0, [(stat, wrap(GPU_NS + tracer))]) for tracer, wall in times])
    return plane


class MergeSnapshots(truth.Case):
    def merge(self, times=(0, 10**12), *, file=b"", planes=(), options=(), status=0, more=(), line_ns=OWN_NS, rows=None):
        """`times`: of the events of node 1's device, in ps since its start. Gives what they are in the merge."""
        zero = proto.Plane("/device:GPU:0")
        zero.line("l", START_NS, [zero.event("e", 0)])
        self.write("node0.xplane.pb", proto.xspace([zero]))
        self.write("node0.pb", snapshots(START_NS, 5_000))
        device = proto.Plane("/device:GPU:0")
        device.line("l", line_ns, [device.event(f"e{i}", at, *more) for i, at in enumerate(times)])
        self.write("node1.xplane.pb", proto.xspace([device, *planes]))
        if file is not None:
            self.write("node1.pb", file)
        self.write("offsets.jsonl", offsets() if rows is None else rows)
        second = "" if file is None else "node1.pb"
        said = truth.run("merge", "--traces", "node0.xplane.pb", "node1.xplane.pb", "--snapshots", "node0.pb", second, "--offsets",
                         "offsets.jsonl", "-o", "out.xspace", "--json", "--normalize", "node0", *options, status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        if status:
            return self.said["message"]
        self.planes = reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"]
        found = sorted((e["name"], e["offset"], e["duration"]) for e in self.planes[1]["lines"][0]["events"])
        return [at if not more else (at, duration) for _, at, duration in found]

    @staticmethod
    def expected(knots, times):
        found = []
        for at in times:
            i = min(max(sum(k[0] * 1000 <= at for k in knots) - 1, 0), len(knots) - 2)
            (x0, y0), (x1, y1) = knots[i], knots[i + 1]
            found.append(math.floor(F(y0) * 1000 + (at - x0 * 1000) * F(y1 - y0, x1 - x0) + F(1, 2)))
        return found

    def node(self):
        return self.said["nodes"][1]

    def test_which_snapshots_count(self):
        """Those of the file; where that holds none, those in the trace, of which the first plane counts."""
        bent, other = [(0, 100), (S_NS, S_NS + 7_100)], [(0, 300), (S_NS, S_NS + 300)]
        times = [0, 333_333_333_333, S, 2 * S]
        cases = (
            (pairs(bent), [embedded(other)], bent, "file"), (b"", [embedded(other), embedded(bent)], other, "embedded"),
            (None, [embedded(bent)], bent, "embedded"), (number(2, 5), [embedded(bent)], bent, "embedded"),
            (None, [embedded(bent, wrap=int)], bent, "embedded"), (None, [embedded([(0, F(1, 2)), (S_NS, S_NS + F(1, 4))])],
                                                                   [(0, F(1, 2)), (S_NS, S_NS + F(1, 4))], "embedded"))
        for file, planes, knots, source in cases:
            self.assertEqual(self.merge(times, file=file, planes=planes), self.expected(knots, times))
            self.check([self.node()["snapshots"], self.node()["snapshot_source"]], [2, source])
            self.assertEqual(any("holds no snapshot; those in the trace are used" in w for w in self.said["warnings"]),
                             file is not None and len(file) < 5)
        for planes in ([embedded(bent, stat="other_ns")], [embedded(bent, wrap=str)], [embedded(bent[:1]), embedded(bent)]):
            self.assertIn("two are needed", self.merge(file=None, planes=planes, status=2))

    def test_times_from_the_start(self):
        """Wall times more than a day before the start count from it: the first one decides."""
        times = [0, S // 3, 2 * S]
        bent = [(0, 100), (S_NS, S_NS + 7_100)]
        self.assertEqual(self.merge(times, file=None, planes=[embedded(bent, base_ns=0)]), self.expected(bent, times))
        day = [(-DAY_NS - 50, -DAY_NS), (S_NS - 50, S_NS)]

        def since(knots, base_ns):  # the tracer clock has run for two days then
            plane = proto.Plane("/host:snapshots", 70)
            plane.line("pairs", base_ns - DAY_NS, [plane.event("pair", (wall + DAY_NS) * 1000, 0, [
                ("rocm_ns", proto.Uint(2 * DAY_NS + tracer))]) for tracer, wall in knots])
            return plane
        rows = offsets().replace('"start_gpu_ns": 9000', f'"start_gpu_ns": {2 * DAY_NS}')
        self.assertEqual(self.merge(times, file=None, planes=[since(day, OWN_NS)], rows=rows), self.expected(day, times))
        found = self.merge(times, file=None, planes=[since(day, OWN_NS - 1)], rows=rows, status=4)
        self.assertIn("more than 26 days from the start", found)

    def test_the_order_of_snapshots(self):
        """They are sorted by the tracer's clock; those of one tracer time stand in their middle."""
        times = [0, S // 4, 3 * S // 2, 3 * S]
        knots = [(0, 0), (S_NS, S_NS + 4_000), (2 * S_NS, 2 * S_NS + 5_000)]
        for mixed, kinds in (([knots[2], knots[0], knots[1]], 1), ([knots[0], (S_NS, S_NS + 3_000), (S_NS, S_NS + 5_000), knots[2]], 1),
                             ([knots[0], knots[0], *knots[1:]], 1), (knots, 0)):
            self.assertEqual(self.merge(times, file=pairs(mixed)), self.expected(knots, times))
            self.assertEqual(len(self.node()["anomalies"]), kinds)
            self.check(self.node()["snapshots"], len(mixed))

    def test_events_beyond_the_measurements(self):
        """The last instant of the snapshots and of the offsets is none of them; one ps later is. Of hosts, the offsets alone."""
        times = [-1, 0, 1, 2 * S, 2 * S + 1, 3 * S, 3 * S + 1]
        host = proto.Plane("/host:CPU")
        host.line("l", OWN_NS, [host.event("h", 0), host.event("h", 3 * S + 1)])
        self.assertEqual(self.merge(times, file=pairs([(0, 0), (2 * S_NS, 2 * S_NS)]), planes=[host]), times)
        self.check([self.node()[key] for key in ("snapshot_extrapolated_events", "offset_extrapolated_events", "events")], [4, 3, 9])

    def test_which_lines_are_of_the_tracer(self):
        """Those of GPUs; `Host Threads/N` of /host:ROCTRACER when asked for."""
        lines = (("/host:ROCTRACER", "Host Threads/7"), ("/host:ROCTRACER", "Host threads"), ("/host:CPU", "Host Threads/7"),
                 ("/device:TPU:0", "l"), ("/device:GPU:3", "l"))
        planes = []
        for name, line in lines:
            planes.append(proto.Plane(name))
            planes[-1].line(line, OWN_NS, [planes[-1].event("e", S)])
        moved = [(0, 1_000), (S_NS, S_NS + 9_000)]
        for options, tracers in (([], [4]), (["--tracer-host-threads"], [0, 4])):
            self.merge(file=pairs(moved), planes=planes, options=options)
            found = [p["lines"][0]["events"][0]["offset"] for p in self.planes[2:7]]
            self.assertEqual(found, [S + 9_000_000 if i in tracers else S for i in range(5)])

    def test_ends(self):
        """--scale-durations maps ends too; what lasts no time does not, wherever it is."""
        knots = [(0, 0), (S_NS, S_NS + 90_000), (2 * S_NS, 2 * S_NS + 80_000)]
        for at, length in ((0, S), (S // 2, S), (S, S // 3), (S // 2, 0)):
            start, end = self.expected(knots, [at, at + length])
            self.assertEqual(self.merge([at], file=pairs(knots), more=[length]), [(start, length)])
            self.assertEqual(self.merge([at], file=pairs(knots), more=[length], options=["--scale-durations"]), [(start, end - start)])

    def test_a_node_that_is_not_corrected(self):
        """Too few snapshots, or a start that is not known: refused, or by wall time where that start is known."""
        no_gpu = offsets().replace(', "start_gpu_ns": 9000', "")
        neither = no_gpu.replace(f', {{"node_id": 1, "start_walltime_ns": {OWN_NS}}}', "")
        nothing = offsets().splitlines()
        none_of_it = "\n".join(r for r in nothing if '"meta"' in r or '"node_id": 0' in r) + "\n"
        for file, rows, words, status in (
                (pairs(TRUE[:1]), None, "it has 1 clock snapshot; two are needed", "walltime"),
                (b"", None, "it has 0 clock snapshots; two are needed", "walltime"),
                (pairs(TRUE), no_gpu, "its start_walltime_ns or start_gpu_ns is not known", "walltime"),
                (pairs(TRUE), neither, "its start_walltime_ns or start_gpu_ns is not known", "raw"),
                (pairs(TRUE[:1] * 3), None, "all of one instant", "walltime"),
                (pairs(TRUE), none_of_it, "the offsets file has no usable row for it", "walltime")):
            self.assertIn(words, self.merge(file=file, rows=rows, status=2))
            # Without a clock a device counts from the start of its node, else from its line.
            line_ns = OWN_NS + 77
            found = self.merge([5], file=file, rows=rows, options=["--keep-going"], line_ns=line_ns)
            self.assertEqual(found, [AHEAD_NS * 1000 + 5 + (77_000 if status == "raw" else 0)], words)
            self.check([self.node()["status"], self.node()["bound"], self.node()["method"]], [status, None, None])
            self.assertTrue(any(words in w for w in self.said["warnings"]), words)

    def test_files_that_hold_something_else(self):
        for file, words in ((message(3, b""), "it has a field 3"), (message(1, number(3, 1)), "a pair has a field 3"),
                            (pairs(TRUE)[:-1], "ends inside a pair or is damaged"), (message(1, number(1, 1 << 63)), "past the year 2262")):
            self.assertIn(words, self.merge(file=file, status=4))

    def test_the_period(self):
        """What is no int64 is none."""
        for period, expected in ((None, 0), (S_NS, S_NS), (1 << 63, 0), ((1 << 63) - 1, (1 << 63) - 1)):
            self.merge(file=pairs(TRUE, period))
            self.check([self.node()["sampling_period_ns"], self.node()["missing_snapshots"]], [expected, 0])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
