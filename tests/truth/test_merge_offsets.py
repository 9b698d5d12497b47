#!/usr/bin/env python3
"""Offsets that correct the clocks of hosts: which rows count, at which instants, what lies between them and beyond, and what the
metadata and --write-offsets say of it."""
import fractions
import json
import math
import sys

import proto_reader as reader
import proto_writer as proto
import truth

F = fractions.Fraction
START_NS = 1_700_000_000_000_000_000
SECOND = 10**9  # ns
AHEAD_NS = 250_000  # of node 1 as its collector started


def row(node, at_ns, offset, **more):
    return {"node_id": node, "midpoint_sys_ns": START_NS + at_ns, "offset_ns": offset, **more}


def straight(times=range(4), slope_ppm=0):
    """Rows of node 1 at these seconds."""
    return [row(1, k * SECOND, AHEAD_NS + k * 1000 * slope_ppm) for k in times]


def window(node, from_ns, to_ns, offset, **more):
    return {"node_id": node, "window_start_ns": START_NS + from_ns, "window_end_ns": START_NS + to_ns, "offset_ns": offset, **more}


class MergeOffsets(truth.Case):
    def merge(self, rows, at_ps=(0, 10**12), *, options=(), status=0, header=None, device=False):
        """`at_ps`: where the events of node 1 begin, on its clock since its start. Gives where they begin in the merge."""
        for node, ahead in ((0, 0), (1, AHEAD_NS)):
            plane = proto.Plane("/device:GPU:0" if device else "/host:CPU")
            plane.line("l", START_NS + ahead, [plane.event(f"e{i}", at) for i, at in enumerate(at_ps if node else (0, 10**12))], 1)
            self.write(f"node{node}.xplane.pb", proto.xspace([plane]))
        first = {"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS + n * AHEAD_NS} for n in (0, 1)]}
        lines = [json.dumps(r) if not isinstance(r, str) else r for r in [first if header is None else header, *rows]]
        self.write("offsets.jsonl", "\n".join(lines) + "\n")
        said = truth.run("merge", "--traces", "node0.xplane.pb", "node1.xplane.pb", "--offsets", "offsets.jsonl", "-o", "out.xspace",
                         "--json", "--normalize", "node0", *options, status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        if status:
            return self.said["message"]
        plane = reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"][1]
        return [e["offset"] for _, e in sorted((e["name"], e) for e in plane["lines"][0]["events"])]

    def expected(self, knots, at_ps):
        """`knots`: (instant of node 0 in ns since its start, by how much node 1 is ahead there). Beyond them the last slopes go on."""
        points = [((at + ahead) * 1000, at * 1000) for at, ahead in knots]
        found = []
        for at in at_ps:
            x = AHEAD_NS * 1000 + at
            i = min(max(sum(p[0] <= x for p in points) - 1, 0), max(len(points) - 2, 0))
            (x0, y0), (x1, y1) = points[i], points[min(i + 1, len(points) - 1)]
            slope = F(y1 - y0, x1 - x0) if x1 > x0 else 1
            found.append(math.floor(y0 + (x - x0) * slope + F(1, 2)))
        return found

    def check_times(self, rows, knots, **how):
        at_ps = how.pop("at_ps", [-10**12, 0, 1, 10**12 - 1, 10**12, 10**12 + 333, 1_600_000_000_001, 2 * 10**12, 5 * 10**12])
        self.assertEqual(self.merge(rows, at_ps, **how), self.expected(knots, at_ps))
        return self.said["nodes"][1]

    def test_between_and_beyond(self):
        bent = [(0, AHEAD_NS), (SECOND, AHEAD_NS + 1_000), (2 * SECOND, AHEAD_NS + 7_000), (3 * SECOND, AHEAD_NS + 7_001)]
        for device in (False, True):  # devices follow their host
            node = self.check_times([row(1, *k) for k in bent], bent, device=device)
            self.check([node["method"], node["offset_windows"], node["bound"]["tracer_ns"]], ["offsets", 4, None])
        self.check_times([row(1, *k) for k in bent[::-1]], bent)  # in any order
        self.check_times([row(1, *bent[1])], [(SECOND, AHEAD_NS + 1_000)])
        self.check_times([row(1, *k) for k in bent[:2]], bent[:2])

    def test_windows(self):
        """The middle of a window, in half nanoseconds, where no midpoint is written."""
        tenth = SECOND // 10
        rows = [window(1, -tenth, tenth, AHEAD_NS), window(1, SECOND - tenth, SECOND + 5 * tenth, AHEAD_NS + 40_000),
                {**window(1, 0, 10, AHEAD_NS + 50_000), **row(1, 2 * SECOND, AHEAD_NS + 50_000)},
                {**window(1, 3 * SECOND, 3 * SECOND + tenth, AHEAD_NS + 60_000), "midpoint_sys_ns": None}]
        self.check_times(rows, [(0, AHEAD_NS), (12 * tenth, AHEAD_NS + 40_000), (2 * SECOND, AHEAD_NS + 50_000),
                                (3 * SECOND + tenth // 2, AHEAD_NS + 60_000)])
        # A quarter of a thousandth more each nanosecond: in a second even half of one shows.
        rows = [window(1, -3, 4, AHEAD_NS), window(1, 4_000, 4_001, AHEAD_NS + 1)]
        self.check_times(rows, [(F(1, 2), AHEAD_NS), (4_000 + F(1, 2), AHEAD_NS + 1)])
        rows = [window(1, -4, 3, AHEAD_NS), window(1, 4_001, 4_000, AHEAD_NS + 1)]
        self.check_times(rows, [(F(-1, 2), AHEAD_NS), (4_000 + F(1, 2), AHEAD_NS + 1)])

    def test_rounds(self):
        """All of a round belongs to when node 0 says that it was; a row without a round, or of one that node 0 lacks, to its own."""
        rows = [row(0, k * SECOND, 0, round_id=k) for k in range(3)]
        rows += [row(1, 0, AHEAD_NS, round_id=0), row(1, SECOND + 300_000_000, AHEAD_NS + 30_000, round_id=1),
                 row(1, 2 * SECOND - 100_000_000, AHEAD_NS + 50_000, round_id=7), row(1, 3 * SECOND, AHEAD_NS + 90_000)]
        node = self.check_times(rows, [(0, AHEAD_NS), (SECOND, AHEAD_NS + 30_000), (1_900_000_000, AHEAD_NS + 50_000),
                                       (3 * SECOND, AHEAD_NS + 90_000)])
        self.assertEqual([n["offset_windows"] for n in self.said["nodes"]], [3, node["offset_windows"]])
        self.check_times(rows[:3][::-1] + rows[3:5], [(0, AHEAD_NS), (SECOND, AHEAD_NS + 30_000)])

    def test_rows_that_do_not_count(self):
        """Of nodes that were not reached, of no node, without an offset's instant, and lines that are no JSON."""
        odd = [row(1, SECOND // 2, AHEAD_NS + 10**6, reachable=False), {"midpoint_sys_ns": START_NS, "offset_ns": 5}, "no JSON", "",
               {"node_id": 1, "offset_ns": 7}, row(5, 0, 10**9)]
        node = self.check_times([*odd, *straight(slope_ppm=3)], [(k * SECOND, AHEAD_NS + 3_000 * k) for k in range(4)])
        self.assertEqual(node["offset_windows"], 4)
        warnings = [w.split(": ", 1)[1] for w in self.said["warnings"] if "offsets.jsonl" in w]
        self.assertEqual(warnings, ["1 line is no JSON and was passed over", "1 row of an unreachable node is not used"])
        late = [row(1, k * SECOND, AHEAD_NS + 3_000 * k, converged=k != 2) for k in range(4)]
        self.assertEqual(self.check_times(late, [(k * SECOND, AHEAD_NS + 3_000 * k) for k in range(4)])["offset_windows"], 4)
        self.assertIn("1 row is of a round that did not converge", self.said["warnings"][0])
        self.assertIn("the offsets file has no usable row for it", self.merge([row(1, 0, 5, reachable=False)], status=2))

    def test_numbers_in_quotes(self):
        header = {"meta": 1, "nodes": [{"node_id": str(n), "start_walltime_ns": str(START_NS + n * AHEAD_NS)} for n in (0, 1)]}
        self.check_times([{**r, "node_id": "1"} for r in straight()], [(0, AHEAD_NS), (SECOND, AHEAD_NS)], header=header)
        self.assertEqual(len([w for w in self.said["warnings"] if " is a string; it is read as a number" in w]), 2)
        for wrong in ("soon", "", [1]):
            header["nodes"][1]["start_walltime_ns"] = wrong
            self.assertIn("start_walltime_ns of node 1", self.merge(straight(), header=header, status=4))

    def test_offsets_of_one_instant(self):
        """They count once, in their middle."""
        rows = [row(1, 0, AHEAD_NS - 30), row(1, 0, AHEAD_NS + 10), *straight((1, 2))]
        node = self.check_times(rows, [(0, AHEAD_NS - 10), (SECOND, AHEAD_NS), (2 * SECOND, AHEAD_NS)])
        self.assertEqual([a["kind"] for a in node["anomalies"]], ["duplicate", "duplicate"])

    def test_drift_beyond_the_offsets(self):
        """`drift_ppm` goes on where it agrees with the offsets within a part in a million; --no-drift goes on as they do."""
        at_ps = [-10**12, 500_000_000_000, 9 * 10**12]
        knots = [(k * SECOND, AHEAD_NS + 3_000 * k) for k in range(4)]
        for drift, agrees in ((3.5, True), (4, True), (2, True), (40, False), (3, True)):
            rows = [{**r, "drift_ppm": drift} for r in straight(slope_ppm=3)]
            own = self.expected(knots, at_ps)
            slope = 1 / (1 + F(drift) / 10**6) if agrees else None
            ends = [math.floor(at * 1000 + (AHEAD_NS * 1000 + x - (at + o) * 1000) * slope + F(1, 2)) if agrees else y
                    for (at, o), x, y in ((knots[0], at_ps[0], own[0]), (knots[-1], at_ps[2], own[2]))]
            found = self.merge(rows, at_ps)
            self.assertEqual(found[1], own[1])
            self.assertLessEqual(max(abs(found[0] - ends[0]), abs(found[2] - ends[1])), 9)  # slopes are kept to 10^-12
            self.assertEqual(["drift_disagrees" in [a["kind"] for a in n["anomalies"]] for n in self.said["nodes"]], [False, not agrees])
            self.assertEqual(self.merge(rows, at_ps, options=["--no-drift"]), own)

    def test_least_mean_and_largest_correction(self):
        """Of what the clock is ahead where events begin: the largest is that by size, with its sign."""
        for ahead, (least, mean, most) in (((-9_000, 3_000), (-9_000, -3_000, -9_000)), ((-3_000, 9_000), (-3_000, 3_000, 9_000)),
                                           ((-5_000, 5_000), (-5_000, 0, 5_000))):
            at_ps = [(ahead[0] - AHEAD_NS) * 1000, SECOND * 500 + ((ahead[0] + ahead[1]) // 2 - AHEAD_NS) * 1000,
                     (SECOND + ahead[1] - AHEAD_NS) * 1000]
            self.assertEqual(self.merge([row(1, 0, ahead[0]), row(1, SECOND, ahead[1])], at_ps), [0, SECOND * 500, SECOND * 1000])
            node = self.said["nodes"][1]
            self.check([node["min_correction_ns"], node["mean_correction_ns"], node["max_correction_ns"]], [F(least), F(mean), F(most)])

    def test_clocks_that_are_hours_apart(self):
        for ahead in (3 * 3600 * SECOND + 7, -5 * 3600 * SECOND - 7):
            self.merge([row(1, 0, ahead), row(1, SECOND, ahead)], [0])
            node = self.said["nodes"][1]
            self.check([node["min_correction_ns"], node["mean_correction_ns"], node["max_correction_ns"]], [F(ahead)] * 3)

    def test_what_was_applied_as_offsets(self):
        """At both ends of the events and at each offset between them, every one in its place."""
        knots = [(0, AHEAD_NS), (SECOND, AHEAD_NS + 1_000), (2 * SECOND, AHEAD_NS - 500), (3 * SECOND, AHEAD_NS)]
        at_ps = [0, 1_500 * SECOND]
        self.merge([row(1, *k) for k in knots], at_ps, options=["--write-offsets", "applied.jsonl"])
        header, *rows = [json.loads(line, parse_float=F) for line in (self.scratch / "applied.jsonl").read_text().splitlines()]
        self.assertEqual(header["nodes"], [{"node_id": n, "start_walltime_ns": START_NS + n * AHEAD_NS} for n in (0, 1)])
        self.assertEqual([r["round_id"] for r in rows], list(range(len(rows))))
        mine = {r["midpoint_sys_ns"] - START_NS: r["offset_ns"] for r in rows if r["node_id"] == 1}
        self.assertEqual([mine[at] for at, _ in knots[:2]], [ahead for _, ahead in knots[:2]])
        last = math.floor(F(self.expected(knots, at_ps)[1], 1000))
        self.assertEqual((min(mine), max(mine)), (0, last))
        self.assertEqual({r["offset_ns"] for r in rows if r["node_id"] == 0}, {0})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
