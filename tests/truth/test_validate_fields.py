#!/usr/bin/env python3
"""Collectives of process groups over two nodes of two devices each, field by field: who comes late, in which group, by how much."""
import sys

import hlo
import proto_writer as proto
import truth
import wire
from test_validate import Call, Clock, clock_plane_of, trace

US, ZERO_NS = 1_000_000, 1_700_000_000_000_000_000
STEPS, PERIOD = 5, 2000  # us


class Groups(truth.Case):
    """Device d of node n is 2 n + d to the program. In µs, of each step that begins at B: all-reduce.1 of everyone from B + 400 to
    B + 1000, but device 3 begins at B + 900; all-reduce.3 of 0 and 2, and of 1 and 3, from B + 1400 to B + 1500, but device 2 begins
    at B + 1410. In step 2 device 3 begins that at B + 1600, when device 1 is through. all-gather.2 is of the devices of a node."""
    PROGRAM = hlo.module("jit_step", 11, hlo.replicas_on(0, 1, 2, 3), hlo.computation(
        1, "main", *(hlo.instruction(at, name, name.split(".")[0], hlo.shape(hlo.F32, [25]), more=hlo.replica_groups(*groups))
                     for at, (name, groups) in enumerate((("all-reduce.1", [[0, 1, 2, 3]]), ("all-gather.2", [[0, 1], [2, 3]]),
                                                          ("all-reduce.3", [[0, 2], [1, 3]])), 1))))

    of_device_3 = STEPS  # how many steps its trace has

    def times(self, name, step, device):
        begin = 1000 + PERIOD * step
        if name == "all-reduce.1":
            return begin + (900 if device == 3 else 400), begin + 1000
        if name == "all-gather.2":
            return begin + 1100, begin + 1200
        if (step, device) == (2, 3):
            return begin + 1600, begin + 1650
        return begin + (1410 if device == 2 else 1400), begin + 1500

    def space(self, node):
        planes = []
        for device in (0, 1):
            plane = proto.Plane(f"/device:GPU:{device}", device)
            plane.line("Stream #7(NCCL)", ZERO_NS, [
                plane.event("ncclDevKernel_X", start * US, (end - start) * US, [
                    ("hlo_op", proto.Ref(name)), ("program_id", 11), ("hlo_module", proto.Ref("jit_step"))])
                for step in range(self.of_device_3 if 2 * node + device == 3 else STEPS) for name in ("all-reduce.1", "all-gather.2", "all-reduce.3")
                for start, end in [self.times(name, step, 2 * node + device)]], line_id=7)
            planes.append(plane)
        metadata = proto.Plane("/host:metadata", first_event_id=11)
        metadata.event_metadata("jit_step(11)", stats=[("Hlo Proto", self.PROGRAM)])
        start = proto.Plane("Task Environment")
        start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        return proto.xspace([*planes, metadata, start], [f"host-{node}"])

    def setUp(self):
        super().setUp()
        self.paths = [self.write(f"t{node}.xplane.pb", self.space(node)) for node in (0, 1)]

    def ask(self, *options, more=(), status=0):
        return truth.parsed(truth.run("validate", *self.paths, *more, "--bound", "1ns", "--json", *options, status=status))

    def calls(self, name, devices):
        """Of each step what its members ran: {device: (start, end)}."""
        return [{device: self.times(name, step, device) for device in devices} for step in range(STEPS)]

    GROUPS = (("all-gather.2", "[0, 1]", (0, 1)), ("all-gather.2", "[2, 3]", (2, 3)), ("all-reduce.1", "", (0, 1, 2, 3)),
              ("all-reduce.3", "[0, 2]", (0, 2)), ("all-reduce.3", "[1, 3]", (1, 3)))

    def test_operations(self):
        """Who comes last most often, nobody where several come at once; how late that is, and how long data moves: 25 numbers of 4 bytes a call."""
        expected = []
        for name, group, devices in self.GROUPS:
            calls, last = self.calls(name, devices), []
            for call in calls:
                latest = max(start for start, _ in call.values())
                latest = [device for device, (start, _) in call.items() if start == latest]
                last += latest if len(latest) == 1 else []
            skews = [max(start for start, _ in call.values()) - min(start for start, _ in call.values()) for call in calls]
            moving = sum(max(end for _, end in call.values()) - max(start for start, _ in call.values()) for call in calls) * US
            self.assertLessEqual(len(set(last)), 1)  # here it is always the same
            late = last[0] if last else None
            of_late = (None, -1, None) if late is None else (str(late // 2), late % 2, str(late))
            expected.append((name, group, True, -1, STEPS, int(group == "[1, 3]"), sum(skews) * US // STEPS, max(skews) * US,
                             *of_late, last.count(late), STEPS, 100 * STEPS, moving))
        self.assertEqual([tuple(op[key] for key in (
            "name", "process_group", "by_group", "device", "groups", "violations", "mean_arrival_skew_ps", "most_arrival_skew_ps",
            "latest_node", "latest_device", "latest_rank", "latest_count", "sized_groups", "payload_bytes", "moving_ps"))
                          for op in self.ask()["ops"]], expected)

    def test_details(self):
        """Of the call in which a member begins when another is through: by 100 us, where both clocks may be wrong by 1 ns."""
        (start_1, end_1), (start_3, end_3) = (self.times("all-reduce.3", 2, device) for device in (1, 3))
        self.check(self.ask()["details"], [{
            "op": "all-reduce.3", "process_group": "[1, 3]", "device": -1, "rank": 2, "beyond_bound": True, "latest_start_node": "1",
            "latest_start_ps": start_3 * US, "earliest_end_node": "0", "earliest_end_ps": end_1 * US, "gap_ps": 100 * US, "bound_ps": 2000,
            "members": [{"node": node, "device": 1, "rank": rank, "part": "both", "start_ps": start * US, "end_ps": end * US,
                         "correlation_id": None} for node, rank, start, end in (("0", "1", start_1, end_1), ("1", "3", start_3, end_3))]}])

    def test_irregularities(self):
        """Before the first call nothing is known of how long a device took for its own. Before the fourth device 3 had less time."""
        start = min(start for start, _ in self.calls("all-reduce.1", (0, 1, 2, 3))[0].values())
        own = [self.times("all-reduce.1", step, 3)[0] - self.times("all-reduce.3", step - 1, 3)[1] for step in range(1, STEPS)]
        usual = [self.times("all-reduce.1", step, 1)[0] - self.times("all-reduce.3", step - 1, 1)[1] for step in range(1, STEPS)]
        late = sorted(a - b for a, b in zip(own, usual))
        self.assertEqual(late, [350, 500, 500, 500])
        row, = self.ask()["irregularities"]
        self.check({key: row[key] for key in row if key != "evidence"}, {
            "kind": "straggler", "op": "all-reduce.1", "module": "jit_step", "process_group": "", "call": 0, "call_start_ps": start * US,
            "node": "1", "device": 1, "rank": "3", "count": 4, "of_count": 4, "late_ps": 500 * US})

    def test_what_a_recorder_lost(self):
        """The recorder of node 1 reports an error: that device 3 has no calls of the last two steps says nothing of it."""
        self.of_device_3 = 3
        self.write("t1.xplane.pb", self.space(1) + wire.message(2, "out of buffers"))
        why = "its recorder reported an error: out of buffers"
        found = self.ask()
        begins = [[min(start for start, _ in self.calls(name, devices)[3].values()) * US for name, group, devices in self.GROUPS
                   if name == wanted and 3 in devices][0] for wanted in ("all-gather.2", "all-reduce.1", "all-reduce.3")]
        self.check(found["unrecorded_calls"], [{
            "where": "end", "op": "all-reduce.1", "module": "jit_step", "process_group": "", "call": 3, "call_start_ps": begins[1], "node": "1",
            "device": 1, "rank": "3", "count": 6,
            "evidence": f"the file of rank 3 ends here: 6 calls of its groups that other members ran are not in it ({why})"}])
        self.check([node["incomplete"] for node in found["nodes"]], [None, why])
        self.assertEqual([row["kind"] for row in found["irregularities"] if row["kind"] in ("missing", "late", "stopped")], [])

    def test_nodes(self):
        for paths, hosts in ((self.paths, ("host-0", "host-1")), (self.paths[::-1], ("host-1", "host-0"))):
            found = truth.parsed(truth.run("validate", *paths, "--bound", "7ns", "--json"))
            self.check(found["nodes"], [{"id": str(at), "hostname": host, "trace": at, "clock": at, "devices": 2, "collectives": 30,
                                         "bound_ps": 7000, "incomplete": None} for at, host in enumerate(hosts)])
            self.check(found["traces"], [str(path) for path in paths])

    def test_what_is_left_out(self):
        whole, found = self.ask("--limit", "0"), self.ask("--limit", "2")
        self.assertEqual((len(whole["ops"]), len(whole["calls"])), (5, 25))
        self.check(found["ops"], whole["ops"][:2])
        self.check(found["arrivals"], {**whole["arrivals"], "devices": whole["arrivals"]["devices"][:2]})
        self.check(found["limited"], truth.limited(2, ("arrivals.devices", 2, 4), ("calls", 2, 25), ("ops", 2, 5)))

    def test_a_third_trace_that_is_damaged(self):
        """It counts as node 2, of which the calls before the damage are there; of the program it would be devices 4 and 5."""
        whole = self.space(2)
        body = whole.index(b"Task Environment")
        path = self.write("t2.xplane.pb", whole[:body + 4])
        found = self.ask(more=[path], status=5)
        self.assertEqual(found["status"], "partial")
        at = body - 4  # a tag and a length of the plane, and of its name
        self.check(found["damage"], [{"file": 2, "code": "damaged", "message": f"damaged XSpace at byte {at}: the file ends inside a plane",
                                      "path": str(path), "byte_offset": at, "hint": truth.Text}])

    def test_what_stays_within_a_node(self):
        """Each node runs a program of two devices on its own two: there is nothing to compare. On one device each it may be of both."""
        text = "%all-reduce.9 = f32[25]{0} all-reduce(f32[25]{0} %p.1), channel_id=1, replica_groups={{0,1}}, to_apply=%add"
        for devices, within in (((0, 1), 2 * 3 + 2 * 4), ((0,), 0)):
            paths = []
            for node, runs in ((0, 3), (1, 4)):
                planes = []
                for device in devices:
                    plane = proto.Plane(f"/device:TPU:{device}", device)
                    plane.line("XLA Ops", ZERO_NS, [plane.event(text, at * US, 100) for at in range(runs)], 3)
                    planes.append(plane)
                paths.append(self.write(f"own{node}.xplane.pb", proto.xspace(planes, [f"host-{node}"])))
            found = truth.parsed(truth.run("validate", *paths, "--json"))
            self.assertEqual((found["within_node"], len(found["ops"]), found["status"]),
                             (within, 0 if within else 1, "absent" if within else "ok"))


class Alignment(truth.Case):
    def paths(self, nodes, rows):
        made = []
        for node in nodes:
            clock = Clock(node, f"host{node}", [])
            space = trace([c for c in rows if c.node == node], [clock])
            made.append(self.write(f"t{node}.xplane.pb", space.replace(clock_plane_of(clock), b"")))
        return made

    def ask(self, *paths):
        return truth.parsed(truth.run("validate", *paths, "--align", "collectives", "--json"))["alignment"]

    def test_whose_clocks(self):
        """Node 6 is 3 us ahead of node 4, which is the first."""
        rows = [Call("all-reduce.1", "jit_a", 0, node, i, at + ahead, at + ahead + US, 10 * i + node, run=i)
                for i, at in enumerate((5 * US, 15 * US, 25 * US)) for node, ahead in ((4, 0), (6, 3 * US))]
        found = self.ask(*self.paths((4, 6), rows))
        self.assertEqual([(n["id"], n["hostname"], n["reached"], n["contains_zero"]) for n in found["nodes"]],
                         [("4", "host4", True, True), ("6", "host6", True, False)])
        self.assertEqual((found["reference_node"], found["absent"]), ("4", None))
        self.assertEqual(found["assumptions"], [
            "matched executions are one invocation, and all of them took part in it",
            "no member of an all-reduce, or of a collective like it, can end before the last member has begun",
            "every clock runs at a constant rate over the capture, off by no more than 1000 ppm"])

    def test_why_there_is_nothing_to_align(self):
        rows = [Call("all-reduce.1", "jit_a", 0, 4, 0, US, 2 * US, 1, run=1)]
        found = self.ask(*self.paths((4,), rows))
        self.assertEqual((found["absent"], found["pairs"]), ("one node: there is nothing to align", []))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
