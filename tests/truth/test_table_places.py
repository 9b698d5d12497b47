#!/usr/bin/env python3
"""Whose the rows of every table are: node, rank, host, device and file, each where it is not that of the first file or device."""
import json
import sys

import arrow
import fields
import hlo
import proto_writer as proto
import test_memory_questions as programs
import truth
import xspace as x
from test_memory_hlo import PARAMETER, Allocation, Buffer, Op
from test_missing_work import Trace
from test_tables import rank_of
from test_validate import Call, Clock, trace

ZERO_NS = 1_700_000_000_000_000_000
US = 1_000_000  # ps


def few(rows, *names):
    return [tuple(row[name] for name in names) for row in rows]


class Nodes(truth.Case):
    """A merge of node 5 (host five) and node 2 (host two), in this order; times in µs. Of each node devices 0 and 1 run one program twice:
    fusion.1 at 10 for 100, all-reduce.1 at 300 for 50 (on device 1 for 51), fusion.2 at 500 on node 5, at 700 on node 2, for 90."""
    NODES = ((5, "five", 500, 100), (2, "two", 700, 300))
    PLANES = ((0, 5, "five", "/device:TPU:320"), (1, 5, "five", "/device:TPU:321"), (2, 2, "two", "/device:TPU:128"),
              (3, 2, "two", "/device:TPU:129"))
    NAMES = ("device", "node", "host", "device_name")

    def setUp(self):
        super().setUp()
        planes = []
        for node, host, late, size in self.NODES:
            for device in (0, 1):
                plane = proto.Plane(f"/device:TPU:{64 * node + device}", 64 * node + device + 1)
                plane.own_stat("node_id", node)
                plane.own_stat("hostname", host)
                plane.line("XLA Modules", ZERO_NS, [plane.event("jit_f(1)", at * US, 1000 * US) for at in (0, 2000)], 2)
                plane.line("XLA Ops", ZERO_NS, [
                    plane.event(name, (first + at) * US, length * US) for first in (0, 2000) for name, at, length in (
                        ("fusion.1", 10, 100), ("all-reduce.1", 300, 50 + device), ("fusion.2", late, 90))], 3)
                planes.append(plane)
            plane = proto.Plane("/host:CPU", 5000 + node, first_event_id=20)
            plane.own_stat("node_id", node)
            plane.own_stat("hostname", host)
            plane.line("thread", ZERO_NS, [plane.event("MemoryAllocation", 1000 + device, 0, [
                ("allocator_name", f"TPU_{device}_bfc"), ("addr", 8), ("allocation_bytes", size + device)]) for device in (0, 1)])
            planes.append(plane)
        self.path = self.write("combined.xplane.pb", proto.xspace(planes))

    def rows(self, name):
        with arrow.Handle("profile", self.path, None) as profile:
            return arrow.table(name, profile)[1]

    def test_devices(self):
        self.assertEqual(few(self.rows("devices"), "device", "node", "host", "name", "ordinal", "plane", "rank"), [
            (*place, ordinal, plane, None) for place, ordinal, plane in zip(self.PLANES, (320, 321, 128, 129), (0, 1, 3, 4))])

    def test_events(self):
        found = few(self.rows("events"), *self.NAMES, "name", "start_ps")
        expected = []
        for at, (device, node, host, name) in enumerate(self.PLANES):
            late = dict((n, at) for n, _, at, _ in self.NODES)[node]
            expected += [(device, node, host, name, "jit_f(1)", start * US) for start in (0, 2000)]
            expected += [(device, node, host, name, op, (first + start) * US) for first in (0, 2000) for op, start in (
                ("fusion.1", 10), ("all-reduce.1", 300), ("fusion.2", late))]
            if at % 2:  # then the threads of the node's host
                expected += [(None, node, host, None, "MemoryAllocation", 1000 + n) for n in (0, 1)]
        self.assertEqual(found, expected)

    def test_steps(self):
        """A program is a step that lasts to the next one, the last one as long as its program."""
        expected = []
        for device, node, host, name in self.PLANES:
            end = (590, 790)[device // 2]
            expected += [(device, node, host, name, 2 * device, "jit_f#0", 0, 2000 * US, (240 + device % 2) * US, (2000 - end) * US),
                         (device, node, host, name, 2 * device + 1, "jit_f#1", 2000 * US, 3000 * US, (240 + device % 2) * US,
                          (1000 - end) * US)]
        self.assertEqual(few(self.rows("steps"), *self.NAMES, "step", "step_id", "start_ps", "end_ps", "busy_ps", "tail_ps"), expected)

    def test_kernels(self):
        expected = []
        for device, node, host, name in self.PLANES:
            late = (500, 700)[device // 2]
            expected += [(device, node, host, name, op, (first + at) * US, length * US) for first in (0, 2000) for op, at, length in (
                ("fusion.1", 10, 100), ("all-reduce.1", 300, 50 + device % 2), ("fusion.2", late, 90))]
        self.assertEqual(few(self.rows("kernels"), *self.NAMES, "name", "start_ps", "duration_ps"), expected)

    def test_gaps_and_causes(self):
        """Gaps of 50 us and more. What lies between two steps is there as a whole and as the end of the first one."""
        gaps, causes = [], []
        for device, node, host, name in self.PLANES:
            place, late = (device, node, host, name), (500, 700)[device // 2]
            first, second = 2 * device, 2 * device + 1
            for step, start, end in (
                    (first, 110, 300), (first, 350 + device % 2, late), (None, late + 90, 2010), (first, late + 90, 2000),
                    (second, 2110, 2300), (second, 2350 + device % 2, 2000 + late), (second, 2090 + late, 3000)):
                causes.append((*place, len(gaps), step, start * US, end * US))
                gaps.append((*place, step, start * US, end * US))
        self.assertEqual(few(self.rows("gaps"), *self.NAMES, "step", "start_ps", "end_ps"), gaps)
        self.assertEqual(few(self.rows("causes"), *self.NAMES, "gap", "step", "start_ps", "end_ps"), causes)

    def test_the_time_of_devices(self):
        """In steps: two of fusion.1 and fusion.2, two of all-reduce.1, and the rest idle."""
        found = {}
        for row in self.rows("device_time"):
            self.assertTrue(row["in_steps"])
            key = (row["device"], row["node"], row["host"], row["device_name"], row["use"])
            found[key] = found.get(key, 0) + row["time_ps"]
        expected = {}
        for device, node, host, name in self.PLANES:
            comm = 100 + 2 * (device % 2)
            for use, time in (("compute", 380), ("exposed_communication", comm), ("idle", 3000 - 380 - comm)):
                expected[device, node, host, name, use] = time * US
        self.assertEqual(found, expected)

    def test_collectives(self):
        """The longest first; of equal ones in the order of the file."""
        self.assertEqual(few(self.rows("collectives"), *self.NAMES, "name", "count", "total_ps"), [
            (*self.PLANES[device], "all-reduce.1", 2, time * US) for device, time in ((1, 102), (3, 102), (0, 100), (2, 100))])

    def test_allocators(self):
        self.assertEqual(few(self.rows("allocators"), *self.NAMES, "name", "heap_peak_bytes", "chosen"), [
            (*self.PLANES[0], "TPU_0_bfc", 100, False), (*self.PLANES[1], "TPU_1_bfc", 101, False),
            (*self.PLANES[2], "TPU_0_bfc", 300, False), (*self.PLANES[3], "TPU_1_bfc", 301, True)])

    def test_facts(self):
        """They are of one device: the first of those that ran as much, or the one that is asked for."""
        for plane, place in ((None, self.PLANES[0]), ("TPU:129", self.PLANES[3])):
            with arrow.Handle("profile", self.path, None) as profile:
                found = arrow.table("facts", profile, **({"plane": plane} if plane else {}))[1]
            self.assertEqual({row[:4] for row in few(found, *self.NAMES)}, {place})
            self.assertEqual([few([row], "value", "certainty") for row in found if row["name"] == "framework"], [[("JAX", "likely")]])


class Ranks(truth.Case):
    """Two ranks of PyTorch: the later one has the first file, and the other one a second device."""

    def setUp(self):
        super().setUp()
        for name, rank, kernels in (("a", 1, [(130, 30, 1000), (290, 45, 500)]), ("b", 0, [(100, 50, 1000), (300, 40, 500)])):
            document = rank_of(rank, kernels)
            document["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 1 - rank, "tid": 8, "ts": 400, "dur": 7,
                                            "args": {"device": 2 + rank, "stream": 8}})
            self.write(f"run/{name}.pt.trace.json", json.dumps(document))

    def rows(self, name, **asked):
        with arrow.Handle("profile", self.scratch / "run", None) as profile:
            return arrow.table(name, profile, **asked)[1]

    def test_devices(self):
        self.assertEqual(few(self.rows("devices"), "file", "device", "rank", "run", "name", "ordinal", "accelerator"), [
            (0, 0, 1, "run", "GPU 0 of rank 1", 0, "gpu"), (0, 1, 1, "run", "GPU 3", 3, "gpu"),
            (1, 2, 0, "run", "GPU 0 of rank 0", 0, "gpu"), (1, 3, 0, "run", "GPU 2", 2, "gpu")])

    def test_events(self):
        reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
        self.assertEqual(few(self.rows("events"), "file", "device", "rank", "device_name", "name", "start_ps", "duration_ps"), [
            (0, 0, 1, "GPU 0 of rank 1", reduce, 130 * US, 30 * US), (0, 0, 1, "GPU 0 of rank 1", reduce, 290 * US, 45 * US),
            (0, 1, 1, "GPU 3", "gemm", 400 * US, 7 * US),
            (1, 2, 0, "GPU 0 of rank 0", reduce, 100 * US, 50 * US), (1, 2, 0, "GPU 0 of rank 0", reduce, 300 * US, 40 * US),
            (1, 3, 0, "GPU 2", "gemm", 400 * US, 7 * US)])

    def test_collectives(self):
        """The longest sum first; kernels run on streams, beside others."""
        self.assertEqual(few(self.rows("collectives"), "file", "device", "rank", "category", "on_stream", "is_half", "count", "total_ps",
                             "min_ps", "max_ps"), [
            (1, 2, 0, "all-reduce", True, False, 2, 90 * US, 40 * US, 50 * US),
            (0, 0, 1, "all-reduce", True, False, 2, 75 * US, 30 * US, 45 * US)])

    def test_facts(self):
        for plane, file, device, rank in (("GPU 3", 0, 1, 1), ("GPU 2", 1, 3, 0), ("GPU 0 of rank 1", 0, 0, 1), ("GPU 0 of rank 0", 1, 2, 0)):
            self.assertEqual(set(few(self.rows("facts", plane=plane), "file", "device", "rank", "device_name")),
                             {(file, device, rank, plane)})

    def test_a_device_by_the_name_that_it_is_shown_by(self):
        """With its rank, for another one has the same name without."""
        for plane, durations in (("GPU 0 of rank 1", [30, 45]), ("GPU 0 of rank 0", [50, 40]), ("GPU 0", [30, 45, 50, 40]), ("GPU 3", [7])):
            self.assertEqual([row["duration_ps"] for row in self.rows("kernels", plane=plane)], [us * US for us in durations], plane)
            steps = truth.parsed(truth.run("bubbles", self.scratch / "run", "--plane", plane, "--json"))
            self.assertEqual(len(steps["devices"]), 2 if plane == "GPU 0" else 1, plane)
            self.assertIn(plane, steps["devices"][0]["name"])

    def test_calls_of_groups(self):
        """A group is called by its name and its ranks, for two may have one name; that of everyone is not called."""
        groups = {"7": ((0, 1), (2, 3)), "9": ((1, 2),), "0": ((0, 1, 2, 3),)}
        starts = {(0, 1): (130, 140), (2, 3): (330, 310), (1, 2): (500, 507), (0, 1, 2, 3): (700, 701, 720, 703)}
        for rank in range(4):
            events = []
            for name, of_name in groups.items():
                for ranks in of_name:
                    if rank in ranks:
                        events += rank_of(rank, [(starts[ranks][ranks.index(rank)], 50, 1000)])["traceEvents"]
                        events[-1]["args"].update({"Process Group Name": name, "Process Group Ranks": json.dumps(list(ranks)),
                                                   "Group size": len(ranks)})
            document = {**rank_of(rank, []), "traceEvents": events, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4}}
            self.write(f"groups/{'dcba'[rank]}.pt.trace.json", json.dumps(document))
        with arrow.Handle("profile", self.scratch / "groups", None) as profile:
            found = arrow.table("collective_calls", profile)[1]
        names = ("process_group", "members", "start_gap_ps", "span_ps", "moving_ps", "latest_node", "rank", "file")
        self.assertEqual(sorted(few(found, *names), key=str), sorted((  # files are in the order of their names
            ("7 [0, 1]", 2, 10 * US, 60 * US, 50 * US, 1, 1, 2), ("7 [2, 3]", 2, 20 * US, 70 * US, 50 * US, 2, 2, 1),
            ("9 [1, 2]", 2, 7 * US, 57 * US, 50 * US, 2, 2, 1), (None, 4, 20 * US, 70 * US, 50 * US, 2, 2, 1)), key=str))


class Calls(truth.Case):
    def test_the_error_of_both_clocks(self):
        """Nodes 0 and 2, times of which are wrong by 1 ns and 2 ns at most; on device 1 the second call is out of order by more."""
        clocks = [Clock(0, "ada", [(-5 * US, 90 * US, 1_000, 7, 0)]), Clock(2, "bob", [(-5 * US, 90 * US, 2_000, 9, 0)])]
        calls = [Call("all-reduce.1", "jit_a", device, node, which, start, end, 10 * which + node, 70 + which)
                 for device, node, which, start, end in (
                     (0, 0, 0, 1000, 900_000), (0, 2, 0, 5000, 901_000),
                     (1, 0, 0, 2 * US, 2_500_000), (1, 2, 0, 1_900_000, 2_400_000),
                     (1, 0, 1, 6 * US, 6_400_000), (1, 2, 1, 6_403_001, 7 * US))]
        path = self.write("merged.xplane.pb", trace(calls, clocks))
        with arrow.Handle("profile", path, None) as profile:
            found = arrow.table("collective_calls", profile)[1]
        self.assertEqual(few(found, "name", "call", "members", "start_gap_ps", "order_gap_ps", "bound_ps", "latest_node", "latest_device",
                             "judged", "violates"), [
            ("all-reduce.1", 0, 2, 4000, 5000 - 900_000, 3000, 2, 0, True, False),
            ("all-reduce.1", 0, 2, 100_000, 2 * US - 2_400_000, 3000, 0, 1, True, False),
            ("all-reduce.1", 1, 2, 403_001, 3001, 3000, 2, 1, True, True)])


class Files(truth.Case):
    def test_an_export_beside_its_xspace(self):
        """It repeats the file beside it, not the one of the same name in another run, nor the one before it."""
        space = x.space(x.plane(1, "p"))
        self.write("plugins/profile/r/a.xplane.pb", space)
        self.write("plugins/profile/r/b.xplane.pb", space)
        self.write("plugins/profile/r/b.trace.json", '{"traceEvents": [{"ph": "i", "ts": 1}]}')
        with arrow.Handle("profile", self.scratch, None) as profile:
            found = arrow.table("files", profile)[1]
        paths = [row["path"].rsplit("/", 1)[1] for row in found]
        self.assertEqual(sorted(paths), ["a.xplane.pb", "b.trace.json", "b.xplane.pb"])
        self.assertEqual([row["export_of"] for row in found], [
            paths.index("b.xplane.pb") if path.endswith(".json") else None for path in paths])

    def test_a_rank_that_was_given(self):
        """Of a capture in memory: whose it is says who opens it, and that counts before what the file says."""
        plane = proto.Plane("/host:CPU", 9)
        plane.line("t", ZERO_NS, [plane.event("MemoryAllocation", 1000, 0, [
            ("allocator_name", "TPU_1_bfc"), ("addr", 8), ("allocation_bytes", 70)])])
        data = proto.xspace([proto.Plane("/device:TPU:0", 1), proto.Plane("/device:TPU:1", 2), plane], ["of the file"])
        for rank, host in ((3, "given"), (5, "another")):
            with truth.library().open_buffer(data, "a.xplane.pb", rank=rank, host=host) as profile:
                found = fields.placed(profile.table("allocators").to_dicts(), ("table.allocators",))
            self.assertEqual(few(found, "rank", "device", "device_name", "host", "name", "heap_peak_bytes", "chosen"), [
                (rank, 1, "/device:TPU:1", host, "TPU_1_bfc", 70, True)])


class Memory(truth.Case):
    """Two hosts, each with a program: that of the second one needs more, and a part of its result is alive at its peak."""

    def setUp(self):
        super().setUp()
        small = programs.plain("jit_small", 100, 300, 200)
        large = programs.program(
            "jit_large", [Op(1, "p", "parameter"), Op(2, "pair", "fusion", (1,)), Op(3, "out", "tuple", (2, 1))],
            [Buffer(1, 400, 1), Buffer(2, 50, 2, 0, (0,)), Buffer(3, 70, 2, 0, (1, 12))],
            [Allocation(0, 400, PARAMETER, 0, [(1, 0, 400)]), Allocation(1, 120, 0, 0, [(2, 0, 50), (3, 50, 70)])],
            [[("a", 2, 0, "pair"), ("a", 3, 0, "pair"), ("f", 2, 0, "out"), ("f", 3, 0, "out")]], 2)
        for host, of in (("alpha", small), ("beta", large)):
            self.write(f"log/plugins/profile/r7/{host}.xplane.pb", x.space(
                x.plane(1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"),
                        x.event_metadata(of.key, f"{of.name}({of.key})", "", [x.stat(1, of.bytes(), "bytes")])), hostnames=[host]))

    def rows(self, name):
        with arrow.Handle("profile", self.scratch / "log", None) as profile:
            return arrow.table(name, profile)[1]

    def test_live_buffers(self):
        self.assertEqual(few(self.rows("live_buffers"), "run", "host", "file", "logical_buffer_id", "size_bytes", "offset_bytes",
                             "instruction_name", "shape_index"), [
            ("r7", "beta", 1, 1, 400, 0, "p", None), ("r7", "beta", 1, 3, 70, 50, "pair", "1,12"),
            ("r7", "beta", 1, 2, 50, 0, "pair", "0")])

    def test_the_live_curve(self):
        """With the 400 bytes that stay: what is alive after each event of the simulation."""
        self.assertEqual(few(self.rows("live_curve"), "run", "host", "file", "event", "live_bytes"), [
            ("r7", "beta", 1, event, 400 + alive) for event, alive in enumerate((50, 120, 70, 0))])


class Modules(truth.Case):
    def test_a_broken_one_and_one_that_is_beside(self):
        """The larger first; the file beside the trace differs from what the trace holds of that program, and stands for itself, too."""
        other, whole = hlo.proto("jit_step", 7, extra=True), hlo.proto("jit_step", 7)
        broken = hlo.proto("jit_eval", 9)[:-3]
        self.write("plugins/profile/r/a.xplane.pb", x.space(x.plane(
            1, "/host:metadata", x.stat_metadata(1, "Hlo Proto"),
            *(x.event_metadata(key, name, "", [x.stat(1, data, "bytes")])
              for key, name, data in ((7, "jit_step(7)", whole), (9, "jit_eval(9)", broken))))))
        path = str(self.write("plugins/profile/r/beside.hlo_proto.pb", other))
        with arrow.Handle("profile", self.scratch, None) as profile:
            found = arrow.table("modules", profile, flags=arrow.SKIP_DAMAGE)[1]
        self.assertEqual(few(found, "name", "plane", "metadata_id", "damaged", "sibling", "sibling_path"), sorted((
            ("jit_step(7)", 0, 7, False, "differs", path), ("jit_eval(9)", 0, 9, True, "none", None),
            ("beside", None, 0, False, "none", None)), key=lambda row: -len({"j": whole, "b": other}[row[0][0]])))


class MissingWork(truth.Case):
    def test_steps(self):
        """In µs: of step 1 a launch at 1200, when its stream is free, is not on record; the next kernel there begins at 1700."""
        trace_of_rank = Trace()
        for number, missing in enumerate((0, 1)):
            first = 1000 * number
            trace_of_rank.step(number, first, 1000)
            for name, at in (("first", 100), ("next", 700), ("last", 900)):
                trace_of_rank.kernel(name, first + at, 50, trace_of_rank.call("cudaLaunchKernel", first + at - 90, 5))
                if missing and name == "first":
                    trace_of_rank.call("cudaLaunchKernel", first + 200, 5)
        with arrow.Handle("profile", trace_of_rank.save(self.scratch / "a.pt.trace.json"), None) as profile:
            found = arrow.table("steps", profile)[1]
        self.assertEqual(few(found, "step_id", "start_ps", "end_ps", "busy_ps", "not_recorded_ps", "unrecorded_launches", "idle_ps"), [
            ("0", 0, 1000 * US, 150 * US, 0, 0, 850 * US), ("1", 1000 * US, 2000 * US, 150 * US, 500 * US, 1, 350 * US)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
