#!/usr/bin/env python3
"""What the metadata of a merge counts when something is odd: events that would go back or have no time, snapshots that lack, steps of
clocks, ids that are taken, collectives out of order; and a reference that is not the first node."""
import json
import sys

import proto_writer as proto
import truth
from test_merge_command import AHEAD_NS, S_NS, START_NS, offsets, snapshots, trace

S = 1_000_000_000_000  # ps


class MergeFields(truth.Case):
    """Node 1's wall clock is 250 us ahead; both devices run a kernel at 0, 0.5 and 1 s and one at 1.6 s."""

    def setUp(self):
        super().setUp()
        for node, (start, gpu) in enumerate(((START_NS, 5_000), (START_NS + AHEAD_NS, 9_000))):
            self.write(f"node{node}.xplane.pb", trace(node, start))
            self.write(f"node{node}.snapshots.pb", snapshots(start, gpu))
        self.write("offsets.jsonl", offsets())

    def merge(self, *options, status=0):
        return truth.parsed(truth.run("merge", "--run-dir", ".", "-o", "out.xspace", "--json", *options, status=status, cwd=self.scratch))

    def device(self, node, *events, number=0):
        """events: (name, start, length) in ps"""
        plane = proto.Plane(f"/device:GPU:{number}", number + 1)
        plane.line("Stream #1", START_NS + node * AHEAD_NS, [plane.event(*event) for event in events])
        return plane

    def counts(self, found, name):
        return [node[name] for node in found["nodes"]]

    def test_snapshots_that_lack(self):
        """From 0 to 1.6 s there are 17 tenths and 7 quarters of a second; four were taken."""
        self.check(self.counts(self.merge(), "missing_snapshots"), [0, 0])
        for node, (parts, lacking) in enumerate(((10, 13), (4, 3))):
            path = self.scratch / f"node{node}.snapshots.pb"
            path.write_bytes(path.read_bytes() + proto.number(2, S_NS // parts))
            self.check(self.counts(self.merge(), "missing_snapshots")[node], lacking)
        self.check(self.counts(self.merge(), "sampling_period_ns"), [S_NS // 10, S_NS // 4])

    def test_events_that_would_go_back(self):
        """A wall clock falls from 0.5 s to 0.25 s while the tracer clock goes on to 1 s: the kernel there would lie before one."""
        start = START_NS + AHEAD_NS
        self.write("node1.snapshots.pb", b"".join(
            proto.text(1, proto.number(1, start + wall * S_NS // 4) + proto.number(2, 9_000 + tracer * S_NS // 4))
            for tracer, wall in ((0, 0), (2, 2), (4, 1), (6, 3), (8, 5))))
        found = self.merge()
        self.check(self.counts(found, "clamped_events"), [0, 1])
        self.check(self.counts(found, "events"), [5, 5])

    def test_events_without_a_time(self):
        """2^62 ps are more than 53 days: such an event is refused, or left out with a plane of a node that is kept."""
        far = [("far", 1 << 62, 5)] * 3
        self.write("node1.xplane.pb", proto.xspace([self.device(1, ("near", 0, 5), *far), self.device(1, ("near", 0, 5), number=1)]))
        self.assertEqual(self.merge(status=4)["status"], "error")
        self.check(self.counts(self.merge("--keep-going"), "out_of_reach_events"), [0, 3])

    def test_a_step_of_a_clock(self):
        """The wall clock of node 1 steps by 50 ms between 0.75 s and 1 s, and its offsets do: within so much of it times are suspect."""
        step, quarter, start = S_NS // 20, S_NS // 4, START_NS + AHEAD_NS
        self.write("node1.snapshots.pb", b"".join(
            proto.text(1, proto.number(1, start + at * quarter + (step if at >= 4 else 0)) + proto.number(2, 9_000 + at * quarter))
            for at in range(13)))
        rows = offsets().splitlines()[:1]
        for at in range(16):
            rows += [json.dumps({"node_id": node, "round_id": at, "midpoint_sys_ns": START_NS + at * S_NS // 5,
                                 "offset_ns": node * (AHEAD_NS + (step if at >= 5 else 0))}) for node in (0, 1)]
        self.write("offsets.jsonl", "\n".join(rows) + "\n")
        first, second = self.merge()["nodes"]
        self.assertEqual([window["suspect"] for window in first["bound"]["windows"]], [False])
        windows = second["bound"]["windows"]
        odd = [window for window in windows if window["suspect"]]
        self.assertTrue(700 * S // 1000 <= odd[0]["from_ps"] <= 750 * S // 1000 and S <= odd[-1]["to_ps"] <= 1050 * S // 1000, odd)
        self.assertEqual([a["to_ps"] for a in windows[:-1]], [b["from_ps"] for b in windows[1:]])
        self.assertEqual([window["suspect"] for window in windows if window["to_ps"] <= odd[0]["from_ps"] or
                          window["from_ps"] >= odd[-1]["to_ps"]], [False, False])
        self.assertEqual([(a["kind"], a["size_ns"]) for a in second["anomalies"]], [("host_step", step), ("offset_jump", step)])

    def test_ids_that_are_taken(self):
        """Device 64 of node 0 has the number that device 0 of node 1 would have: that gets one that no other device has a right to."""
        self.write("node0.xplane.pb", proto.xspace([self.device(0, ("a", 0, 5), number=number) for number in (0, 64)]))
        self.write("node1.xplane.pb", proto.xspace([self.device(1, ("a", 0, 5), number=number) for number in (0, 1)]))
        self.check(self.merge()["planes"], [
            {"name": f"/device:GPU:{key}", "id": str(key), "node": node, "source": f"/device:GPU:{number}", "moved": key == 66}
            for key, node, number in ((0, 0, 0), (64, 0, 64), (66, 1, 0), (65, 1, 1))])

    def test_collectives_out_of_order(self):
        """Of node 1 they begin 2 ns, 1 us and 3 us after node 0 has ended; times are wrong by 2 ns and 2.5 ns at most."""
        kernel = "ncclDevKernel_AllReduce"
        for node, more in ((0, (0, 0, 0)), (1, (9_000, 1_007_000, 3_007_000))):
            extra = [("ncclDevKernel_Broadcast", 14 * S // 10, 5)] if node else []
            calls = [(kernel, at * S // 2 + late, 7_000) for at, late in enumerate(more)]
            self.write(f"node{node}.xplane.pb", proto.xspace([self.device(node, *calls, *extra)], [f"host{node}"]))
        found = self.merge("--validate")
        self.check([max(w["tracer_bound_ps"] for w in node["bound"]["windows"]) for node in found["nodes"]], [2_000, 2_500])
        self.check(found["validation"], {"violations": 2, "violations_raw": 3, "pair_violations": 3, "overlaps": 0, "warnings": 1})

    def test_another_reference(self):
        """The offsets are those of node 0 against node 1, and times are on the clock of that."""
        rows = [json.dumps({"meta": True, "run_id": "r", "nodes": [
            {"node_id": 0, "start_walltime_ns": START_NS, "start_gpu_ns": 5_000},
            {"node_id": 1, "start_walltime_ns": START_NS + AHEAD_NS, "start_gpu_ns": 9_000}]})]
        for at in range(4):
            rows += [json.dumps({"node_id": node, "round_id": at, "midpoint_sys_ns": START_NS + AHEAD_NS + at * S_NS,
                                 "offset_ns": (node - 1) * AHEAD_NS}) for node in (0, 1)]
        self.write("offsets.jsonl", "\n".join(rows) + "\n")
        self.write("run_metadata.json", json.dumps({"run_id": "r", "reference_node": 1, "nodes": [
            {"node_id": node, "hostname": f"host{node}", "start_walltime_ns": START_NS + node * AHEAD_NS,
             "start_gpu_ns": (5_000, 9_000)[node]} for node in (0, 1)]}))
        found = self.merge()
        self.assertEqual((found["reference_node"], found["origin_ns"], found["run_id"]), (1, str(START_NS + AHEAD_NS), "r"))
        self.check(self.counts(found, "max_correction_ns"), [truth.fractions.Fraction(-AHEAD_NS), truth.fractions.Fraction(0)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
