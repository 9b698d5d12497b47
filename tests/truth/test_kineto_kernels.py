#!/usr/bin/env python3
"""Kernels of PyTorch traces, row by row: which call launched a kernel, which device and stream it ran on, what it counts as, where ids
are 0, come twice, or are missing."""
import json
import sys

import truth
from trace_events import KernelsCase, launch, operator, run, x

US = 1_000_000  # ps


class Launches(KernelsCase):
    KEYS = ("name", "launch_ps", "framework_op", "input_shapes")

    def test_by_correlation(self):
        """The first call in the file that has its number, be it 0, on whatever thread and however late. A number without a call says
        nothing, though the operator's number leads to one; a number below 0 is none."""
        path = self.save([
            operator("aten::mm", 1, 0, 30, 5, [[2, 3], [3, 4]]), launch(1, 20, correlation=0, External_id=5), launch(2, 10, correlation=0),
            launch(2, 2, correlation=0), launch(2, 40, correlation=2), launch(1, 60, correlation=-1), launch(1, 70, correlation="3"),
            launch(1, 80, correlation=None),
            run("zero", 100, 5, correlation=0), run("two", 110, 5, correlation=2), run("lost", 120, 5, correlation=9, External_id=5),
            run("below", 130, 5, correlation=-1), run("again", 140, 5, correlation=0), run("none", 150, 5)])
        self.check(self.rows(path, *self.KEYS), [
            ["zero", 20 * US, "aten::mm", "[[2, 3], [3, 4]]"], ["two", 40 * US, None, None], ["lost", None, None, "[[2, 3], [3, 4]]"],
            ["below", None, None, None], ["again", 20 * US, "aten::mm", "[[2, 3], [3, 4]]"],
            ["none", None, None, None]])

    def test_by_the_number_of_the_operator(self):
        """Of a kernel without a correlation the first call of its operator, and the shapes of the last operator of that number that has
        any; a kernel with both has the call of its correlation."""
        path = self.save([
            operator("aten::a", 1, 0, 10, 0, [[1]]), operator("aten::b", 1, 20, 10, 0, [[2]]), operator("aten::c", 1, 40, 10, 0),
            operator("aten::d", 1, 60, 10, 1, [[4]]), launch(1, 61, External_id=1), launch(1, 41, External_id=0),
            launch(1, 21, correlation=3, External_id=0),
            run("by op", 100, 5, External_id=0), run("by both", 110, 5, correlation=3, External_id=1), run("lower", 120, 5, external_id=1),
            run("upper", 130, 5, external_id=0, External_id=1), run("none", 140, 5, External_id=2)])
        self.check(self.rows(path, *self.KEYS), [
            ["by op", 41 * US, "aten::c", "[[2]]"], ["by both", 21 * US, "aten::b", "[[4]]"], ["lower", 61 * US, "aten::d", "[[4]]"],
            ["upper", 61 * US, "aten::d", "[[4]]"], ["none", None, None, None]])

    def test_of_two_ranks(self):
        """Numbers are those of a file: equal ones of another file say nothing here."""
        for rank, at in ((0, 10), (1, 40)):
            self.save([operator(f"aten::of{rank}", 1, at - 5, 20, 0, [[rank]]), launch(1, at, correlation=0, External_id=0),
                       run("k", 100 + rank, 5, correlation=0, External_id=0), run("l", 200, 5, correlation=1 - rank)],
                      f"run/rank{rank}.json", distributedInfo={"rank": rank, "world_size": 2}, baseTimeNanoseconds=10**18)
        self.check(self.rows(self.scratch / "run", "rank", *self.KEYS), [
            [0, "k", 10 * US, "aten::of0", "[[0]]"], [0, "l", None, None, None], [1, "k", 40 * US, "aten::of1", "[[1]]"],
            [1, "l", 40 * US, "aten::of1", "[[1]]"]])

    def test_what_was_launched_without_a_record(self):
        """Launches by step that no kernel has the number of; a call that is no launch counts for nothing, nor one without a number."""
        path = self.save([
            x("user_annotation", "ProfilerStep#0", 50, 1, 0, 1_000), x("user_annotation", "ProfilerStep#1", 50, 1, 1_000, 1_000),
            launch(1, 10, correlation=0), launch(1, 20, correlation=1), launch(1, 30, name="cudaStreamSynchronize", correlation=2),
            launch(1, 40), launch(1, 999, name="cudaGraphLaunch", correlation=3), launch(1, 1_000, name="cudaMemcpyAsync", correlation=4),
            launch(1, 1_010, correlation=5),
            run("a", 100, 5, correlation=0), run("b", 1_500, 5, correlation=5), run("c", 1_900, 5, correlation=0)])
        self.check(self.rows(path, "step", "unrecorded_launches", table="steps"), [[0, 2], [1, 1]])


class Devices(KernelsCase):
    def test_which_device(self):
        """What its arguments say, be it 0, before the number of the process that shows it; the same for the stream and the thread."""
        plain = {"ph": "X", "cat": "kernel", "dur": 5}
        path = self.save([
            {**plain, "name": "a", "pid": 1, "tid": 8, "ts": 10, "args": {"device": 0, "stream": 0}},
            {**plain, "name": "b", "pid": 1, "tid": 8, "ts": 20, "args": {}},
            {**plain, "name": "c", "pid": 0, "tid": 0, "ts": 30, "args": {"device": 1}},
            {**plain, "name": "d", "pid": 2, "tid": 3, "ts": 40, "args": {"stream": 8}},
            {**plain, "name": "e", "pid": "gpu", "tid": "q", "ts": 50, "args": {"device": 2, "stream": 8}}])
        self.check(self.rows(path, "device_name", "stream", "name"), [
            ["GPU 0", 0, "a"], ["GPU 1", 8, "b"], ["GPU 1", 0, "c"], ["GPU 2", 8, "d"], ["GPU 2", 8, "e"]])

    def test_devices_without_a_number(self):
        """Each process is one, by its name, else its id; where there is one alone it needs none."""
        plain = {"ph": "X", "cat": "kernel", "dur": 5, "args": {}}
        named = {"ph": "M", "name": "process_name", "tid": 0}
        first = [{**plain, "name": "a", "pid": "p", "tid": "t", "ts": 10}, {**plain, "name": "b", "pid": "p", "tid": "u", "ts": 20}]
        path = self.save(first, "one.json")
        self.check(self.rows(path, "device_name", "name"), [["GPU", "a"], ["GPU", "b"]])
        path = self.save([*first, {**plain, "name": "c", "pid": "q", "tid": "t", "ts": 5},
                          {**plain, "name": "d", "pid": 0, "tid": "t", "ts": 1},
                          {**named, "pid": "q", "args": {"name": "first"}}, {**named, "pid": "q", "args": {"name": "card"}}])
        self.check(self.rows(path, "device_name", "name"), [["GPU p", "a"], ["GPU p", "b"], ["GPU card", "c"], ["GPU 0", "d"]])

    def test_what_counts_as_what(self):
        """A copy by its category whatever its name is, and by its name in any; a collective that the recorder names, before its kernel."""
        rows = [("Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", {}, "copy", "Memcpy HtoD"), ("Memset (Device)", "gpu_memset", {}, "copy",
                                                                                                  "Memset"),
                ("Memcpy PtoP", "kernel", {}, "copy", "Memcpy PtoP"), ("own_copy", "gpu_memcpy", {}, "copy", "own_copy"),
                ("MemsetX", "kernel", {}, "copy", "MemsetX"), ("a Memset", "kernel", {}, "compute", "a Memset"),
                ("ncclDevKernel_AllReduce_Sum", "kernel", {}, "comm", "ncclDevKernel_AllReduce_Sum"),
                ("void gemm<float>(int)", "kernel", {"Collective_name": "broadcast"}, "comm", "broadcast"),
                ("ncclDevKernel_SendRecv(x)", "kernel", {"Collective_name": "send"}, "comm", "send"),
                ("void gemm<float, 3>(int)", "Kernel", {}, "compute", "gemm"), ("old", "Memcpy", {}, "copy", "old"),
                ("mtia", "mtia_ccp_events", {}, "compute", "mtia"), ("hpu", "hpu_op", {}, "compute", "hpu")]
        path = self.save([run(name, 10 * i, 5, cat=cat, **args) for i, (name, cat, args, _, _) in enumerate(rows)])
        self.check(self.rows(path, "name", "kind", "op_type"), [[name, kind, what] for name, _, _, kind, what in rows])

    def test_resolution(self):
        """Of a file whose times are all whole us that is how fine they are; another file says nothing of it. Lengths count, too; those of
        the host do not."""
        for name, last in (("whole", (30, 5)), ("start", (30.001, 5)), ("length", (30, 5.001))):
            self.save([run("a", 10, 5), run("b", 10, 5, device=1), run("c", *last), launch(1, 3.25, 1.5)], f"run/{name}.json")
        found = truth.parsed(truth.run("bubbles", self.scratch / "run", "--json"))["devices"]
        self.check([[d["file"], d["timestamp_resolution_ps"]] for d in found],
                   [[0, 1_000], [0, 1_000], [1, 1_000], [1, 1_000], [2, US], [2, US]])

    def test_launches_of_graphs(self):
        """Only kernels whose call launches a graph are of one, each by its own call."""
        path = self.save([launch(1, 10, name="cudaGraphLaunch", correlation=0), launch(1, 20, correlation=1),
                          launch(1, 30, name="cudaGraphLaunch", correlation=2), run("a", 100, 7, correlation=1),
                          run("b", 110, 8, correlation=0),
                          run("c", 120, 9, correlation=2, device=1), run("d", 130, 11, correlation=3)])
        found = truth.parsed(truth.run("ops", path, "--json", "--by", "op"))
        self.check([found["count"], found["by_graph"]], [4, 2])
        notes = truth.parsed(truth.run("bubbles", path, "--json"))["inputs"][0]["notes"]
        self.check(notes, ["1 of 4 kernels have no launch in the trace: who launched them is unattributed",
                           "2 of 4 kernels were launched by graphs: their launch is that of the whole graph"])


    def test_what_is_said_of_launches(self):
        """Kernels without a launch are counted where the trace has numbers or a host; a device that waits is no host."""
        note = "{0} of 2 kernels have no launch in the trace: who launched them is unattributed".format
        wait = x("cuda_sync", "Event Sync", 50, 1, 0, 5)
        for events, expected in (([run("a", 10, 5), run("b", 20, 5)], []), ([wait, run("a", 10, 5), run("b", 20, 5)], []),
                                 ([run("a", 10, 5, correlation=0), run("b", 20, 5)], [note(2)]),
                                 ([run("a", 10, 5), run("b", 20, 5, External_id=0)], [note(2)]),
                                 ([operator("aten::add", 1, 0, 5), run("a", 10, 5), run("b", 20, 5)], [note(2)]),
                                 ([x("user_annotation", "ProfilerStep#0", 50, 1, 0, 50), run("a", 10, 5), run("b", 20, 5)], [note(2)]),
                                 ([launch(1, 1, correlation=0), run("a", 10, 5, correlation=0), run("b", 20, 5)], [note(1)]),
                                 ([run("a", 10, 5, correlation=-2), run("b", 20, 5)], [])):
            found = truth.parsed(truth.run("bubbles", self.save(events), "--json"))["inputs"][0]["notes"]
            self.check(found, expected)


class Categories(KernelsCase):
    RUNTIMES = ("cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "hip_api", "hsa_api", "xpu_runtime", "xpu_driver",
                "mtia_runtime", "glow_runtime", "privateuse1_runtime", "privateuse1_driver", "Runtime")
    OTHERS = ("cpu_op", "python_function", "user_annotation", "overhead", "Operator", "cuda_sync", "collective_comm",
              "external_correlation", "cuda_event", "Trace", "cpu_instant_event", "gpu_pm_counter", "cuda_runtime2", "Cuda_runtime")

    def test_who_launches(self):
        """Calls of every runtime launch, and nothing else does, whatever numbers it has."""
        every = self.RUNTIMES + self.OTHERS
        path = self.save([launch(1, 10 * at, cat=cat, correlation=at) for at, cat in enumerate(every)] +
                         [run(f"k{at:02}", 1_000 + 10 * at, 5, correlation=at) for at in range(len(every))])
        self.check(self.rows(path, "name", "launch_ps"), [
            [f"k{at:02}", 10 * at * US if cat in self.RUNTIMES else None] for at, cat in enumerate(every)])

    def test_whose_kernels(self):
        """Kernels and copies of every spelling; a device that is no GPU is none."""
        rows = [("kernel", 0, "GPU 0"), ("gpu_memcpy", 1, "GPU 1"), ("gpu_memset", 2, "GPU 2"), ("mtia_ccp_events", 3, "device 3"),
                ("hpu_op", 4, "device 4"), ("Kernel", 5, "GPU 5"), ("Memcpy", 6, "GPU 6"), ("Memset", 7, "GPU 7")]
        path = self.save([run("k", 10, 5, device, cat=cat) for cat, device, _ in rows])
        self.check(self.rows(path, "device_name", "stream"), [[name, 7] for _, _, name in rows])

    def test_what_a_host_did(self):
        """Spans are counted by what they are; what only helps the recorder is none."""
        events = [x(cat, "some name", 50, 1, 10 * at, 5) for at, cat in enumerate(self.OTHERS[:5] + self.OTHERS[7:12])]
        path = self.save([run("k", 500, 5), *events, x("user_annotation", "ProfilerStep#0", 50, 1, 200, 9)])
        found = truth.parsed(truth.run("ops", path, "--json"))["left_out"]
        self.check({row["why"].split(" (")[0]: row["events"] for row in found}, {
            "host events": 5, "step marks": 1, "the recorder's own events": 5})


class Groups(KernelsCase):
    def test_ranks_that_are_cut(self):
        """The head has the whole list of a group, by its name, and of its third member as well; a list that is not cut stays as it is."""
        many = list(range(0, 80, 2))
        cut = "[" + ", ".join(map(str, many[:30])) + ", ...]"
        config = [{"pg_name": "1", "pg_desc": "a", "ranks": [0, 2]}, {"pg_name": "2", "pg_desc": "b", "ranks": many},
                  {"pg_name": "3", "pg_desc": "c", "ranks": [4, 6]}]
        paths = []
        for rank in (0, 2):
            events = [run("ncclDevKernel_X", 100 * k, 10, Collective_name="allreduce", In_msg_nelems=1, Out_msg_nelems=1, dtype="Float",
                          Group_size=size, Process_Group_Name=name, Process_Group_Ranks=ranks)
                      for k, (name, size, ranks) in enumerate((("2", 40, cut), ("1", 2, "[0, 2]"), ("9", 40, cut)))]
            paths.append(self.save(events, f"rank{rank}.json", baseTimeNanoseconds=10**18,
                                   distributedInfo={"rank": rank, "world_size": 80, "pg_config": config}))
        extra = self.save([run("gemm", 1, 1)], "rank4.json", baseTimeNanoseconds=10**18, distributedInfo={"rank": 4, "world_size": 80})
        found = truth.parsed(truth.run("validate", *paths, extra, "--json", "--bound", "0ps"))
        self.check(sorted([op["process_group"], op["groups"], op["payload_bytes"]] for op in found["ops"])[:2],
                   [["1 [0, 2]", 1, 4], [f"2 {json.dumps(many)}", 1, 4]])


class Markers(KernelsCase):
    def test_windows_of_devices(self):
        """Each device has its own windows; where one has some, another without has none of its own. A step of number 0 is one."""
        path = self.save([
            *(x("gpu_user_annotation", name, device, 7, start, size, device=device) for name, device, start, size in (
                ("ProfilerStep#0", 0, 100, 50), ("ProfilerStep#1", 0, 200, 50), ("ProfilerStep#7", 1, 120, 50), ("other", 0, 150, 5))),
            run("a", 110, 20), run("b", 210, 20), run("c", 130, 20, device=1), run("d", 500, 20, device=1)])
        found = truth.parsed(truth.run("bubbles", path, "--json", "--window-policy", "marker"))
        self.check([[d["device"], d["window_source"], d["kernels_before_steps"], d["kernels_after_steps"]] for d in found["devices"]],
                   [[0, "device annotations", 0, 0], [1, "device annotations", 0, 1]])
        self.check(self.rows(path, "device", "step_id", "start_ps", "busy_ps", table="steps"), [
            [0, "0", 100 * US, 20 * US], [0, "1", 200 * US, 20 * US], [1, "7", 120 * US, 40 * US]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
