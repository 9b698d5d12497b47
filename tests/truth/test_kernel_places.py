"""Where a kernel of trace JSON lies, which call launched it and what it is, where two parts of its event differ or are 0."""
import json
import sys

import truth
from trace_events import RowsCase, meta, x

US = 1_000_000  # ps


def kernel(name, ts, pid=0, tid=7, dur=2, cat="kernel", **args):
    return x(cat, name, pid, tid, ts, dur, **args)


def call(name, ts, dur=1, tid=11, cat="cuda_runtime", **args):
    return x(cat, name, 900, tid, ts, dur, **args)


def process(pid, name):
    return meta("process_name", pid, None, name)


class Places(RowsCase):
    number = 0

    def trace(self, events, **head):
        Places.number += 1
        return self.write(f"{Places.number}/rank.json", json.dumps({**head, "traceEvents": events}))

    def kineto(self, events, **head):
        return self.trace(events, schemaVersion=1, deviceProperties=[{"id": 0, "name": "A"}], **head)

    def by_name(self, path, *columns):
        return {name: tuple(row) for name, *row in self.rows(path, "name", *columns)}


class Numbers(Places):

    def test_arguments_before_process_and_thread(self):
        path = self.kineto([
            kernel("both", 0, pid=5, tid=6, device=1, stream=2),
            kernel("zeros", 10, pid=5, tid=6, device=0, stream=0),
            kernel("neither", 20, pid=3, tid=4),
            kernel("device alone", 30, pid=3, tid=4, device=1),
            kernel("stream alone", 40, pid=3, tid=4, stream=0),
            kernel("no process", 50, pid="x", tid=4, stream=3),
            kernel("no numbers", 60, pid=3, tid=4, device="x", stream="y"),
            kernel("below 0", 80, pid=2, tid=4, device=-1, stream=4)
        ])
        self.check(
            self.by_name(path, "device_name", "stream"), {
                "both": ("GPU 1", 2), "zeros": ("GPU 0", 0), "neither": ("GPU 3", 4), "device alone": ("GPU 1", 4),
                "stream alone": ("GPU 3", 0), "no process": ("GPU x", 3), "no numbers": ("GPU 3", 4), "below 0": ("GPU 2", 4)
            })

    def test_devices_without_numbers(self):
        """One is "GPU"; of several each has the name of its process, or what stands for it."""
        path = self.kineto(
            [process("a", "first"),
             kernel("one", 0, pid="a"),
             kernel("two", 10, pid="b"),
             kernel("three", 20, pid="c", device=2)])
        self.check(self.by_name(path, "device_name"), {"one": ("GPU first",), "two": ("GPU b",), "three": ("GPU 2",)})
        path = self.kineto(
            [process("a", "first"),
             kernel("one", 0, pid="a"),
             kernel("two", 10, pid="a", tid=8),
             kernel("three", 20, device=0)])
        self.check(self.by_name(path, "device_name", "stream"), {"one": ("GPU", 7), "two": ("GPU", 8), "three": ("GPU 0", 7)})


class Launches(Places):

    def test_correlations(self):
        """The number of a launch may be 0; the correlation counts before the id of an operation."""
        path = self.kineto([
            call("cudaLaunchKernel", 0, correlation=0),
            call("cudaLaunchKernel", 2, correlation=1),
            call("cudaLaunchKernel", 4, correlation=2),
            call("cudaLaunchKernel", 6, tid=12, correlation=3),
            call("cudaMemcpyAsync", 8, correlation=4),
            call("hipLaunchKernel", 10, correlation=5),
            kernel("of 0", 20, device=0, stream=7, correlation=0),
            kernel("of 2", 30, device=0, stream=7, correlation=2),
            kernel("of 3", 40, device=0, stream=7, correlation=3),
            kernel("of 1", 50, device=0, stream=7, correlation=1),
            kernel("copied", 60, device=0, stream=7, cat="gpu_memcpy", correlation=4),
            kernel("of 5", 70, device=1, stream=7, correlation=5),
            kernel("of 6", 80, device=0, stream=7, correlation=6),
            kernel("of none", 90, device=0, stream=7)
        ])
        self.check(
            self.by_name(path, "launch_ps", "kind"), {
                "of 0": (0, "compute"), "of 2": (4 * US, "compute"), "of 3": (6 * US, "compute"), "of 1": (2 * US, "compute"),
                "copied": (8 * US, "copy"), "of 5": (10 * US, "compute"), "of 6": (None, "compute"), "of none": (None, "compute")
            })

    def test_operators(self):
        """Of several operators that are open the inner one, by its id; the outer one by time; nothing of another thread."""
        ops = [
            call("aten::outer", 0, 30, cat="cpu_op", **{"External id": 10, "Input Dims": [[9]], "Input type": ["float"]}),
            call("aten::first", 1, 9, cat="cpu_op", **{"External id": 0, "Input Dims": [[1]], "Input type": ["half"]}),
            call("aten::second", 11, 9, cat="cpu_op", **{"External id": 2, "Input Dims": [[2, 3]], "Input type": ["int"]}),
            call("aten::other", 0, 50, tid=12, cat="cpu_op", **{"External id": 3, "Input Dims": [[4]], "Input type": ["float"]})
        ]
        calls = [
            call("cudaLaunchKernel", 2, correlation=1, **{"External id": 0}),
            call("cudaLaunchKernel", 12, correlation=2, **{"External id": 2}),
            call("cudaLaunchKernel", 13, tid=12, correlation=3, **{"External id": 3}),
            call("cudaLaunchKernel", 22, correlation=4, **{"External id": 10})
        ]
        kernels = [kernel(f"of {n}", 100 + 10 * n, device=0, stream=7, correlation=n) for n in (4, 3, 2, 1)]
        path = self.kineto(ops + calls + kernels)
        self.check(
            self.by_name(path, "framework_op", "outer_op", "input_types", "input_shapes"), {
                "of 1": ("aten::first", "aten::outer", '["half"]', "[[1]]"), "of 2": ("aten::second", "aten::outer", '["int"]', "[[2, 3]]"),
                "of 3": ("aten::other", "aten::other", '["float"]', "[[4]]"), "of 4": ("aten::outer", "aten::outer", '["float"]', "[[9]]")
            })


class Kinds(Places):

    def test_kinds(self):
        path = self.kineto([
            kernel("ncclDevKernel_AllReduce_Sum_f32", 0, device=0, stream=7),
            kernel("Memcpy HtoD (Pinned -> Device)", 10, device=0, stream=7),
            kernel("Memset (Device)", 20, device=0, stream=7),
            kernel("plain", 30, device=0, stream=7, cat="gpu_memset"),
            kernel("xMemcpy", 40, device=0, stream=7),
            kernel("any", 50, device=0, stream=7, **{"Collective name": "allgather"}),
            kernel("copied", 60, device=0, stream=7, cat="gpu_memcpy", **{"Collective name": "send"})
        ])
        self.check(
            self.by_name(path, "kind", "op_type"), {
                "ncclDevKernel_AllReduce_Sum_f32": ("comm", "ncclDevKernel_AllReduce_Sum_f32"),
                "Memcpy HtoD (Pinned -> Device)": ("copy", "Memcpy HtoD"), "Memset (Device)": ("copy", "Memset"),
                "plain": ("copy", "plain"), "xMemcpy": ("compute", "xMemcpy"), "any": ("comm", "allgather"), "copied": ("comm", "send")
            })


class Rocprof(Places):

    @staticmethod
    def ran(name, ts, dur, begin, end, pid=6, tid=0, **args):
        return {
            "ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur,
            "args": {**({} if begin is None else {"BeginNs": str(begin)}), **({} if end is None else {"EndNs": str(end)}), **args}
        }

    def test_exact_lengths(self):
        """A length in ns is taken where it is that of the event cut to whole microseconds, and at most one more."""
        path = self.trace([process(6, "GPU0")] + [
            self.ran("equal", 10, 5, 10_000, 15_000, **{"dev-id": 0}),
            self.ran("more", 20, 5, 20_300, 25_999, **{"dev-id": 0}),
            self.ran("one more", 30, 5, 30_000, 36_000, **{"dev-id": 0}),
            self.ran("too much", 40, 5, 40_000, 46_001, **{"dev-id": 0}),
            self.ran("less", 50, 5, 50_000, 54_999, **{"dev-id": 0}),
            self.ran("parts", 60, 5.5, 60_000, 65_600, **{"dev-id": 0}),
            self.ran("turned", 70, 5, 75_000, 70_000, **{"dev-id": 0}),
            self.ran("before", 80, 5, -1000, 4_500, **{"dev-id": 0})
        ])
        self.check(
            self.by_name(path, "duration_ps"), {
                "equal": (5 * US, ), "more": (5_699_000, ), "one more": (6 * US, ), "too much": (5 * US, ), "less": (5 * US, ),
                "parts": (5_500_000, ), "turned": (5 * US, ), "before": (5 * US, )
            })

    def test_devices(self):
        """`dev-id` counts before `gpu-id`; 0 is a device; copies of none in particular are those of the one device that there is."""
        both = [
            self.ran("first", 10, 5, 10_000, 15_000, **{"dev-id": 0, "gpu-id": 3}),
            self.ran("second", 20, 5, 20_000, 25_000, **{"gpu-id": 0})
        ]
        copy = self.ran("CopyHostToDevice", 30, 5, 30_000, 35_000, pid=1)
        names = [process(6, "GPU0"), process(1, "COPY")]
        self.check(self.by_name(self.trace(names + [copy] + both), "device_name", "kind"),
                   {"first": ("GPU 0", "compute"), "second": ("GPU 0", "compute"), "CopyHostToDevice": ("GPU 0", "copy")})
        third = self.ran("third", 40, 5, 40_000, 45_000, **{"dev-id": 1})
        self.check(self.by_name(self.trace(names + [copy, third] + both), "device_name", "kind"), {
            "first": ("GPU 0", "compute"), "second": ("GPU 0", "compute"), "third": ("GPU 1", "compute"),
            "CopyHostToDevice": ("GPU", "copy")
        })


class Timelines(Places):

    def test_streams_and_lanes(self):
        """The last device in the name of the process; "stream:all" repeats others unless it has what they have not."""

        def events(more=()):
            names = {
                1: "/job:a/device:GPU:3/device:GPU:0/stream:5 Compute", 2: "/gpu:1/memcpy Compute", 3: "/device:GPU:0/stream:all Compute"
            }
            return [process(pid, name)
                    for pid, name in names.items()] + [{"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": {}}
                                                       for name, pid, tid, ts, dur in (("a", 1, 0, 0, 5), ("b", 1, 2, 3, 5),
                                                                                       ("c", 2, 0, 0, 5), ("a again", 3, 0, 0, 5),
                                                                                       ("b again", 3, 0, 3, 5), *more)]

        columns = ("device_name", "kind", "start_ps", "duration_ps")
        a, b, c = ("GPU 0", "compute", 0, 5 * US), ("GPU 0", "compute", 3 * US, 5 * US), ("GPU 1", "copy", 0, 5 * US)
        self.check(self.by_name(self.trace(events()), *columns), {"a": a, "b": b, "c": c})
        for length, start in ((6, 0), (5, 1)):
            found = self.by_name(self.trace(events([("more", 3, 0, start, length)])), *columns)
            self.check(found, {"a": a, "b": b, "c": c, "a again": a, "b again": b, "more": ("GPU 0", "compute", start * US, length * US)})


class Planes(Places):

    def test_devices_of_two_kinds(self):
        """A GPU and a TPU of one number are two devices."""
        names = [
            process(1, "/device:TPU:0"),
            meta("thread_name", 1, 1, "XLA Ops"),
            process(2, "/device:GPU:0"),
            meta("thread_name", 2, 1, "Stream #1"),
            process(3, "/device:TPU:1"),
            meta("thread_name", 3, 1, "XLA Ops")
        ]
        ops = [{"ph": "X", "name": name, "pid": pid, "tid": 1, "ts": ts, "dur": 5}
               for name, pid, ts in (("fusion.1", 1, 0), ("gemm", 2, 0), ("fusion.2", 3, 0), ("fusion.3", 1, 10), ("gelu", 2, 10))]
        self.check(self.by_name(self.trace(names + ops), "device_name"),
                   {"fusion.1": ("TPU 0",), "gemm": ("GPU 0",), "fusion.2": ("TPU 1",), "fusion.3": ("TPU 0",), "gelu": ("GPU 0",)})


class HostsWithoutCategories(Places):

    def test_steps(self):
        """`step_num` counts before the number in a name; 0 is one."""
        names = [
            process(1, "/host:CPU"),
            meta("thread_name", 1, 1, "python"),
            process(2, "/device:TPU:0"),
            meta("thread_name", 2, 1, "XLA Ops")
        ]
        marks = [("train 7", 0, 4), ("train 8", 10, 0), ("eval", 20, 5), ("eval", 30, None), ("other", 40, 0)]
        events = [{
            "ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 8, "args": {} if step is None else {"step_num": str(step)}
        } for name, ts, step in marks]
        ops = [{"ph": "X", "name": f"fusion.{n}", "pid": 2, "tid": 1, "ts": 10 * n + 1, "dur": 5} for n in range(5)]
        steps = truth.parsed(truth.run("steps", self.trace(names + events + ops), "--json"))["steps"]
        self.check([(s["name"], s["step_num"], s["start_ps"]) for s in steps], [("train 7", "4", 0), ("train 8", "0", 10 * US),
                                                                                ("eval", "5", 20 * US), ("other", "0", 40 * US)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
