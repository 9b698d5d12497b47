#!/usr/bin/env python3
"""Offsets that are no clock: one that is off its neighbours, how many may be, gaps, jumps and a reference that has some of its own."""
import json
import sys

import proto_reader as reader
import proto_writer as proto
import truth

START_NS = 1_700_000_000_000_000_000
SECOND = 10**9
AHEAD_NS = 250_000


class MergeOddities(truth.Case):
    def merge(self, points, *, status=0, reference=(), **more):
        """`points`: (instant, by how much node 1 is ahead) in ns. Gives where events at those instants of node 0 are in the merge, less
        the instants, in ps: 0 where the offset there was applied."""
        for node in (0, 1):
            plane = proto.Plane("/host:CPU")
            times = [at for at, _ in points] if node == 0 else [at + ahead for at, ahead in points]
            plane.line("l", START_NS, [plane.event(f"e{i:03}", at * 1000) for i, at in enumerate(times)], 1)
            self.write(f"node{node}.xplane.pb", proto.xspace([plane]))
        rows = [{"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS} for n in (0, 1)]}]
        rows += [{"node_id": node, "midpoint_sys_ns": START_NS + at, "offset_ns": offset, **(more if node else {})}
                 for node, list_of_node in ((0, reference), (1, points)) for at, offset in list_of_node]
        self.write("offsets.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        said = truth.run("merge", "--traces", "node0.xplane.pb", "node1.xplane.pb", "--offsets", "offsets.jsonl", "-o", "out.xspace",
                         "--json", "--normalize", "node0", "--keep-order", status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        if status:
            return self.said["message"]
        plane = reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"][1]
        return [e["offset"] - at * 1000 for e, (at, _) in zip(plane["lines"][0]["events"], points)]

    def odd(self, node=1):
        return [(a["kind"], int(a["at_ns"]), int(a["size_ns"])) for a in self.said["nodes"][node]["anomalies"]]

    @staticmethod
    def straight(count, off=(), by_ns=90_000):
        return [(k * SECOND, AHEAD_NS + (by_ns if k in off else 0)) for k in range(count)]

    def test_one_that_is_off(self):
        """It is left out, on either side, in the middle or at an end; six measurements show it, five do not."""
        for count, at, by_ns in ((13, 5, 90_000), (13, 5, -90_000), (6, 3, 90_000), (13, 0, 90_000), (13, 12, -90_000), (13, 1, 90_000)):
            found = self.merge(self.straight(count, [at], by_ns))
            self.assertEqual(found, [by_ns * 1000 if k == at else 0 for k in range(count)], (count, at))
            self.assertEqual(self.odd(), [("offset_jump", at * SECOND, 90_000)])
            self.assertEqual(self.said["nodes"][1]["offset_windows"], count)
        self.assertEqual(self.merge(self.straight(5, [2])), [0] * 5)
        self.assertEqual(self.odd(), [])

    def test_how_many_may_be_off(self):
        """A quarter: of more it is not known which are right, and all are kept."""
        off = [3, 4, 10, 11]
        found = self.merge(self.straight(16, off))
        self.assertEqual(found, [90_000_000 if k in off else 0 for k in range(16)])
        self.assertEqual(sorted(self.odd()), [("offset_jump", at * SECOND, 90_000) for at in off])
        self.assertEqual(self.merge(self.straight(15, off)), [0] * 15)
        self.assertEqual(self.odd(), [])

    def test_what_is_within_the_scatter(self):
        """Twelve times what measurements usually scatter is not off."""
        noise = [0, 700, -300, 500, -800, 100, 900, -600, 200, -100, 400, -900, 600, -400, 300]
        points = [(k * SECOND, AHEAD_NS + n + (4_000 if k == 7 else 0)) for k, n in enumerate(noise)]
        self.assertEqual(self.merge(points), [0] * 15)
        self.assertEqual(self.odd(), [])
        points[7] = (7 * SECOND, AHEAD_NS + 60_000)
        found = self.merge(points)
        self.assertEqual([k for k, off in enumerate(found) if off], [7])
        self.assertEqual([kind for kind, _, _ in self.odd()], ["offset_jump"])

    def test_gaps(self):
        """Four times as long as usual is none; a nanosecond more is, of six measurements or more."""
        for count, gap_ns, expected in ((12, 4 * SECOND, 0), (12, 4 * SECOND + 1, 1), (6, 4 * SECOND + 1, 1), (5, 40 * SECOND, 0)):
            points = [(k * SECOND + (gap_ns - SECOND if k > 2 else 0), AHEAD_NS) for k in range(count)]
            self.assertEqual(self.merge(points), [0] * count)
            self.assertEqual(self.odd(), [("slope", 2 * SECOND, 0)] * expected)
            texts = [a["text"] for a in self.said["nodes"][1]["anomalies"]]
            self.assertEqual([t.split(",")[0] for t in texts], ["no offsets for 4000.0 ms"] * expected)

    def test_jumps(self):
        """One that no clock shows is a path that changed, and all times may be off by it; round trips would show that."""
        points = [(k * SECOND, AHEAD_NS + (2_000_000 if k > 6 else 0)) for k in range(13)]
        self.assertEqual(self.merge(points), [0] * 13)
        self.assertEqual(self.odd(), [("offset_jump", 6 * SECOND, 2_000_000)])
        self.assertIn("a path may have changed", self.said["nodes"][1]["anomalies"][0]["text"])
        self.assertTrue(all(w["host_bound_ps"] >= 2_000_000_000 for w in self.said["nodes"][1]["bound"]["windows"]))
        self.merge(points, rtt_ns=1_000)
        self.assertEqual(self.odd(), [("offset_jump", 6 * SECOND, 2_000_000)])
        self.assertNotIn("a path", self.said["nodes"][1]["anomalies"][0]["text"])
        self.assertLess(self.said["nodes"][1]["bound"]["windows"][0]["host_bound_ps"], 10_000_000)

    def test_round_trips(self):
        """Half of one bounds the offset, up to the rows next to it; what is less than nothing bounds nothing."""
        bounds = []
        for more in ({}, {"rtt_ns": 0}, {"rtt_ns": -5}, {"rtt_ns": 2_000_000}, {"rtt_ns": 4_000_000}):
            self.merge(self.straight(13), **more)
            bounds.append([w["host_bound_ps"] for w in self.said["nodes"][1]["bound"]["windows"]])
        self.assertEqual((bounds[0], bounds[0]), (bounds[1], bounds[2]))
        self.assertEqual([max(b) - max(bounds[0]) for b in bounds[3:]], [1_000_000_000, 2_000_000_000])

    def test_offsets_of_the_reference(self):
        """They are not used; what is more than measuring a clock against itself gives is measured against another."""
        self.assertEqual(self.merge(self.straight(6), reference=[(k * SECOND, 0) for k in range(6)]), [0] * 6)
        self.assertEqual((self.odd(0), self.said["nodes"][0]["offset_windows"]), ([], 6))
        self.assertEqual(self.merge(self.straight(6), reference=[(k * SECOND, 500 * (k == 3)) for k in range(6)]), [0] * 6)
        self.assertEqual(self.odd(0), [("offset_jump", 3 * SECOND, 500)])
        message = self.merge(self.straight(6), reference=[(k * SECOND, 50_000) for k in range(6)], status=2)
        self.assertIn("the offsets are relative to another node than the reference, node 0", message)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
