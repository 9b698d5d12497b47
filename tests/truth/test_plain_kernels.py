#!/usr/bin/env python3
"""Kernels of traces whose events have no category: rocprof, TensorFlow's timeline and XLA's exporter, row by row; each limit from both
sides."""
import json
import sys

import truth
from trace_events import RowsCase, meta

US = 1_000_000  # ps


class PlainCase(RowsCase):
    def setUp(self):
        super().setUp()
        self.events = []

    def process(self, pid, name, **threads):
        self.events.append(meta("process_name", pid, None, name))
        self.events += [meta("thread_name", pid, int(tid[1:]), thread) for tid, thread in threads.items()]

    def x(self, pid, tid, name, start, length, **args):
        self.events.append({"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": start, "dur": length,
                            "args": {key.replace("__", "-"): value for key, value in args.items()}})

    def save(self, name="a.json", **head):
        path = self.write(name, json.dumps({**head, "traceEvents": self.events}))
        self.events = []
        return path


class Rocprof(PlainCase):
    def test_lengths_in_ns(self):
        """Beside whole us stand ns: they count where they are at most one us more, and not less."""
        self.process(6, "GPU0")
        for at, more in enumerate((0, 1, 999, 1_000, 1_001, -1)):
            self.x(6, 0, f"k{at}", 10 * at, 5, BeginNs=str(10_000 * at), EndNs=str(10_000 * at + 5_000 + more), dev__id="0")
        self.x(6, 0, "part", 90, 5.5, BeginNs="90000", EndNs="95900", dev__id="0")
        self.x(6, 0, "begin", 95, 1, BeginNs="-1", EndNs="1500", dev__id="0")
        self.x(6, 0, "no end", 97, 1, BeginNs="97000", dev__id="0")
        self.check(self.rows(self.save(), "name", "duration_ps"), [
            ["k0", 5 * US], ["k1", 5_001_000], ["k2", 5_999_000], ["k3", 6 * US], ["k4", 5 * US], ["k5", 5 * US], ["part", 5_500_000],
            ["begin", US]])

    def test_which_device(self):
        """"dev-id" before "gpu-id", and 0 is one. Copies without a device are those of the only one; of two they are of none."""
        def capture(*kernels):
            self.process(1, "CPU HIP API")
            self.process(2, "COPY")
            self.process(6, "GPU")
            self.process(7, "GPU Barriers 0")
            self.x(2, 3, "CopyH2D", 5, 1, BeginNs="5000", EndNs="6000")
            for at, (name, pid, more) in enumerate(kernels):
                self.x(pid, 4, name, 10 + at, 1, BeginNs=str(10_000 + 1_000 * at), EndNs=str(11_000 + 1_000 * at), **more)
            self.x(1, 11, "hipLaunchKernel", 0, 2, BeginNs="0", EndNs="2000")
            return self.rows(self.save(), "device_name", "stream", "name", "kind")
        self.check(capture(("a", 6, {"dev__id": "0", "gpu__id": "1"}), ("b", 6, {"gpu__id": "0"}), ("wait", 7, {"dev__id": "0"}),
                           ("own", 2, {"dev__id": "0"})), [
            ["GPU 0", 3, "CopyH2D", "copy"], ["GPU 0", 4, "a", "compute"], ["GPU 0", 4, "b", "compute"], ["GPU 0", 4, "wait", "other"],
            ["GPU 0", 4, "own", "copy"]])
        self.check(capture(("a", 6, {"dev__id": "1"}), ("b", 6, {"dev__id": "3"})), [
            ["GPU 1", 4, "a", "compute"], ["GPU 3", 4, "b", "compute"], ["GPU", 3, "CopyH2D", "copy"]])
        self.check(capture(("a", 6, {"dev__id": "3"})), [["GPU 3", 3, "CopyH2D", "copy"], ["GPU 3", 4, "a", "compute"]])

    def test_queues(self):
        """A queue of each process is a stream of its own, though two have one number."""
        self.process(6, "GPU 0")
        self.process(9, "GPU 0 again")
        for pid, name, at in ((6, "a", 1), (9, "b", 3), (6, "c", 5)):
            self.x(pid, 4, name, at, 1, BeginNs=str(1_000 * at), EndNs=str(1_000 * at + 1_000), dev__id="0")
        lines = truth.parsed(truth.run("ops", self.save(), "--json"))["lines"]
        self.check([[line["line_name"], [op["name"] for op in line["ops"]]] for line in lines],
                   [["stream 4", ["a", "c"]], ["stream 4", ["b"]]])


class Timeline(PlainCase):
    def test_streams(self):
        """What "stream:all" and "memcpy" have, others have, too, where it is the same to the last event; lanes are streams."""
        gpu = "/job:localhost/replica:0/task:0/device:GPU:{}/{} Compute"
        for pid, device, name in ((1, 0, "stream:17"), (2, 0, "stream:all"), (3, 0, "memcpy"), (4, 1, "stream:all"), (5, 1, "stream:5")):
            self.process(pid, gpu.format(device, name))
        self.process(6, "/job:localhost/replica:0/task:0/device:GPU:0 Compute")
        for pid, tid, name, start, size in ((1, 0, "MatMul", 10, 5), (1, 1, "Add", 12, 5), (2, 0, "MatMul", 10, 5), (2, 1, "Add", 12, 5),
                                            (3, 0, "CopyIn", 30, 5), (1, 0, "MEMCPYDtoH", 50, 5), (4, 0, "MatMul", 10, 5),
                                            (4, 0, "Add", 20, 6), (5, 0, "MatMul", 10, 5), (5, 0, "Add", 20, 5), (6, 0, "op", 0, 100)):
            self.x(pid, tid, name, start, size)
        path = self.save()
        self.check(self.rows(path, "device_name", "name", "kind", "start_ps"), [
            ["GPU 0", "MatMul", "compute", 10 * US], ["GPU 0", "Add", "compute", 12 * US], ["GPU 0", "CopyIn", "copy", 30 * US],
            ["GPU 0", "MEMCPYDtoH", "copy", 50 * US], ["GPU 1", "MatMul", "compute", 10 * US], ["GPU 1", "MatMul", "compute", 10 * US],
            ["GPU 1", "Add", "compute", 20 * US], ["GPU 1", "Add", "compute", 20 * US]])
        found = truth.parsed(truth.run("ops", path, "--json"))
        self.check([line["line_name"] for line in found["lines"]],
                   ["stream:17", "stream:17, lane 1", "memcpy", "stream:all", "stream:5"])
        self.check([[row["lines"], row["events"]] for row in found["left_out"]], [[2, 2], [1, 1]])


    def test_names_of_processes(self):
        """A stream has a device and a name, by its last mark; the executor of a device is a host, and so is what has no such end."""
        rows = [("/device:GPU:0/stream:1 Compute", ["GPU 0", "stream:1"]), ("/gpu:3/memcpy Compute", ["GPU 3", "memcpy"]),
                ("/task:1/device:GPU:12/stream:all Compute", ["GPU 12", "stream:all"]), ("/device:GPU:1/stream:1", None),
                ("/gpu:1/device:GPU:2/a Compute", ["GPU 2", "a"]), ("/device:GPU:/stream:1 Compute", None), ("/device:GPU:4 Compute", None),
                ("/device:GPU:5/ Compute", None), ("/device:GPU:6x/a Compute", None), ("/device:GPU:99999999999/a Compute", None),
                ("/device:CPU:0/a Compute", None)]
        for at, (name, _) in enumerate(rows):
            self.process(at + 1, "/job:x" + name)
            self.x(at + 1, 0, f"k{at:02}", 10 * at, 5)
        lines = truth.parsed(truth.run("ops", self.save(), "--json"))["lines"]
        found = sorted([line["ops"][0]["name"], line["plane_name"], line["line_name"]] for line in lines)
        self.check([row for row in found if row[0][0] == "k" and row[1][:4] == "GPU "],
                   [[f"k{at:02}", *expected] for at, (_, expected) in enumerate(rows) if expected])

    def test_processes_of_rocprof(self):
        """Calls, ranges and barriers of no device are what a host did; a process of another name says nothing of who ran its events."""
        rows = [("CPU HIP API", 1), ("CPU HSA API", 1), ("CPU KFD API", 1), ("Markers and Ranges", 1), ("CPU HIP API 2", 0), ("Other", 0),
                ("GPU Barriers0", 0)]
        for at, (name, _) in enumerate(rows):
            self.process(at + 1, name)
            self.x(at + 1, 0, f"k{at}", 10 * at, 5)
        self.process(20, "GPU0")
        self.x(20, 0, "kernel", 100, 5, BeginNs="100000", EndNs="105000", dev__id="0")
        found = truth.parsed(truth.run("ops", self.save(), "--json"))
        self.check({row["why"].split(" (")[0]: [row["lines"], row["events"]] for row in found["left_out"]}, {
            "host events": [5, 5], "events that do not say whether a device or a host ran them": [2, 2]})


class Planes(PlainCase):
    """Traces of XLA's exporter."""

    def tpu(self, pid, device, **more):
        self.process(pid, f"/device:TPU:{device}", t1="XLA Modules", t2="XLA Ops", t3="Steps", t4="Async XLA Ops", **more)

    def test_runs_of_programs_are_steps(self):
        """Where no device has steps; the runs of a device's own line, else those of others. Of one that has steps they are none."""
        self.process(1, "/device:TPU:0", t1="XLA Modules", t2="XLA Ops", t5="Sparse Core Modules")
        self.process(2, "/device:TPU:1", t1="Sparse Core Modules", t2="XLA Ops")
        for pid, tid, name, start, size in ((1, 1, "jit_a(1)", 0, 10), (1, 1, "jit_a(2)", 20, 10), (1, 5, "other(1)", 5, 10),
                                            (2, 1, "jit_b(7)", 3, 10), (1, 2, "fusion.1", 2, 3), (2, 2, "fusion.1", 4, 3),
                                            (1, 2, "fusion.2", 22, 3)):
            self.x(pid, tid, name, start, size)
        rows = truth.parsed(truth.run("bubbles", self.save(), "--json"))
        self.check([[s["device"], s["step_id"]] for s in rows["steps"]], [[0, "jit_a#0"], [0, "jit_a#1"], [1, "jit_b#0"]])

    def test_steps(self):
        """The number that the event gives, be it 0, else that at the end of its name; each device has its own."""
        for pid in (1, 2):
            self.tpu(pid, pid - 1)
            for at, name, more in ((0, "12", {}), (20, "3", {"step_num": "0"}), (40, "x", {"step_num": "9"})):
                self.x(pid, 3, name, at + pid, 10, **more)
                self.x(pid, 2, "fusion.1", at + 2 + pid, 3)
        found = truth.parsed(truth.run("steps", self.save(), "--json"))["steps"]
        self.check([[s["plane"], s["name"], s["step_num"], s["index"], s["start_ps"] // US] for s in found], [
            [plane, name, number, at, 1 + plane + 20 * at] for plane in (0, 1)
            for at, (name, number) in enumerate((("12", "12"), ("3", "0"), ("x", "9")))])

    def test_what_ops_count_as(self):
        """By the instruction: a collective, a copy, another; on a GPU by the kernel."""
        self.tpu(1, 0)
        self.process(2, "/device:GPU:1", t1="Stream #1(Kernel)", t2="XLA Ops")
        for tid, name, start in ((2, "all-reduce.1", 0), (2, "copy.3", 10), (2, "copy-start.3", 20), (2, "fusion.2", 30),
                                 (4, "all-gather-start.5", 5), (2, "reduce-scatter-done.1", 40)):
            self.x(1, tid, name, start, 4)
        for tid, name, start in ((1, "MemcpyD2D", 0), (1, "ncclDevKernel_AllReduce", 10), (1, "copy.3", 20)):
            self.x(2, tid, name, start, 4)
        self.check(self.rows(self.save(), "device_name", "name", "kind", "op_type"), [
            ["TPU 0", "all-reduce.1", "comm", "all-reduce"], ["TPU 0", "all-gather-start.5", "comm", "all-gather"],
            ["TPU 0", "copy.3", "copy", "copy"], ["TPU 0", "copy-start.3", "copy", "copy"], ["TPU 0", "fusion.2", "compute", "fusion"],
            ["TPU 0", "reduce-scatter-done.1", "comm", "reduce-scatter"], ["GPU 1", "MemcpyD2D", "copy", "MemcpyD2D"],
            ["GPU 1", "ncclDevKernel_AllReduce", "comm", "ncclDevKernel_AllReduce"], ["GPU 1", "copy.3", "compute", "copy.3"]])

    def test_times_of_the_device(self):
        """By the device's clock, be they 0, where an event has them; what lacks them has those of the trace."""
        self.tpu(1, 0)
        self.tpu(2, 1)
        for pid in (1, 2):
            for name, start, more in (("fusion.1", 0, {"device_offset_ps": "0", "device_duration_ps": "0"}),
                                      ("fusion.2", 10, {"device_offset_ps": "7", "device_duration_ps": "9"}),
                                      ("fusion.3", 20, {"device_duration_ps": "11"} if pid == 1 else {"device_offset_ps": "30",
                                                                                                     "device_duration_ps": "13"})):
                self.x(pid, 2, name, start, 4, **more)
        found = truth.parsed(truth.run("ops", self.save(), "--json"))
        self.check([[line["plane"], [[op["name"], op["total_ps"]] for op in line["ops"]]] for line in found["lines"]], [
            [0, [["fusion.3", 11], ["fusion.2", 9], ["fusion.1", 0]]], [1, [["fusion.3", 13], ["fusion.2", 9], ["fusion.1", 0]]]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
