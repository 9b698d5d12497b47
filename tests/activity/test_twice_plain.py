#!/usr/bin/env python3
"""Traces of rocprof, XLA and TensorFlow, which have no categories: two devices of each, two sources of what is said of them.

rocprof numbers a device twice, and a copy of no device is of none where there are two. An XLA trace has steps on one device alone, in
another one programs run on two lines of each device; a step has a number in its name and another one beside it; times of the device's
own clock are there of all ops of a device, of some and in half. A stream of TensorFlow repeats the others, another one does so in part.

test_twice_plain.py ACTIVITY_DUMP
"""
import sys

import twice
from test_twice_kineto import Rank


class Plain(Rank):
    def __init__(self):
        super().__init__(0, 0, {})
        self.line_names = {}

    def name_thread(self, pid, tid, name):
        of = self.tracks.setdefault(pid, {})
        of.setdefault(tid, len(of))
        self.thread(pid, tid)
        self.line_names[pid, tid] = name
        self.events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}})

    def event(self, use, name, pid, tid, start, duration, **args):
        at = self.add(use, None, name, pid, tid, start, duration, args)
        del self.events[at]["cat"]
        self.thread(pid, tid)
        return at

    def host_span(self, name, kind, pid, tid, start, duration, **args):
        at = self.event("span", name, pid, tid, start, duration, **args)
        self.spans.append((name, kind, start, duration, at, self.thread(pid, tid)))

    def plain_kernel(self, key, ordinal, name, pid, tid, start, duration, exact=None, use="kernel", stream=None, **more):
        """`exact`: its length, where the arguments have it in ns; `stream`: name and kind of its line."""
        args = more.pop("args", {})
        at = self.event(use, name, pid, tid, start, duration, **args)
        of = self.device(key, ordinal)
        of["streams"].setdefault((pid, tid), stream or (f"stream {tid}", "stream"))
        own = {key: more.pop(key) for key in ("own_start_ps", "own_duration_ps") if key in more}
        of["rows"].append(twice.row(name, self.ps(start), (duration if exact is None else exact) * 1000, at, stream=tid, **own, **more))

    def plain_device(self, key, name, kind="gpu", clocks=None, left_out=(), **more):
        of = self.devices[key]
        rows = sorted(of["rows"], key=lambda r: (r["start_ps"], r["duration_ps"], r["source_row"]))
        streams = [twice.stream(tid, self.planes[pid], self.tracks[pid][tid], text, line_kind, (clocks or {}).get(tid, "none"))
                   for (pid, tid), (text, line_kind) in of["streams"].items()]
        return twice.device(name, kind, [r for r in rows if r["stream"] not in left_out], streams, ordinal=of["ordinal"], **more)

    def plain_threads(self):
        return [{**t, "name": self.line_names.get(key, t["name"])} for t, key in zip(self.read_threads(), self.threads)]

    def plain_lines(self, plane_types, line_types):
        return [{**line, "line_name": self.line_names.get(key, ""), "plane_type": plane_types.get(key[0], "other"),
                 "line_type": line_types.get(self.line_names.get(key), "thread" if plane_types.get(key[0]) == "host" else "other")}
                for line, key in zip(self.read_lines(), self.lines)]

    def everything(self, devices, hosts, markers, lines, **of_input):
        return {"devices": devices, "hosts": hosts, "threads": self.plain_threads(), "markers": markers, "communication": [], "step_trace": [],
                "lines": lines, "operator_calls": [],
                "inputs": [twice.taken("trace.json", len(self.events), **of_input)]}

    def plain_host(self, writer, **more):
        return {**self.read_host(), "writer": writer, "recorder": "", **more}


def own(start, duration):
    return {"args": {**({} if start is None else {"device_offset_ps": start}), "device_duration_ps": duration},
            "own_start_ps": start, "own_duration_ps": duration}


class Everything(twice.Case):
    def read(self, trace, expected):
        path = self.write("x.json", trace.text().replace(', "baseTimeNanoseconds": 1700000000000000000', "").replace(
            '"baseTimeNanoseconds": 1700000000000000000, ', ""))
        self.check(self.dump(path), expected)

    def test_rocprof(self):
        r = Plain()
        for pid, name in ((6, "GPU0"), (7, "GPU1"), (2, "CPU HIP API"), (3, "COPY"), (4, "Markers and Ranges"), (5, "GPU Barriers 0")):
            r.name(pid, name)

        def exact(begin, end, **device):
            return {"args": {"BeginNs": str(begin), "EndNs": str(end), **device}}
        # Numbered twice: the first is the device. The length in ns belongs to that in whole µs, or counts for nothing.
        r.plain_kernel(0, 0, "first", 6, 1, 100_000, 5_000, 5_300, **exact(1_000_100_000, 1_000_105_300, **{"dev-id": 0, "gpu-id": 1}))
        r.plain_kernel(1, 1, "second", 7, 1, 110_000, 6_000, 6_000, **exact(1_000_110_000, 1_000_119_000, **{"dev-id": 1, "gpu-id": 0}))
        r.plain_kernel(1, 1, "second", 7, 2, 130_000, 6_000, 6_999, **exact(1_000_130_000, 1_000_136_999, **{"gpu-id": 1}))
        r.plain_kernel(0, 0, "waiting", 5, 1, 140_000, 1_000, 1_000, kind="other", stream=("barriers stream 1", "stream"),
                       **exact(1_000_140_000, 1_000_141_000, **{"dev-id": 0}))
        r.host_span("hipLaunchKernel", "runtime", 2, 77, 90_000, 4_000)
        r.host_span("a range", "annotation", 4, 77, 80_000, 90_000)
        # Of two devices it is not known whose these copies are.
        r.plain_kernel(None, None, "CopyHostToDevice", 3, 1, 150_000, 7_000, 7_100, kind="copy", stream=("COPY stream 1", "stream"),
                       **exact(1_000_150_000, 1_000_157_100))
        devices = [r.plain_device(0, "GPU 0"), r.plain_device(1, "GPU 1"), r.plain_device(None, "GPU")]
        kernels = sum(len(d["rows"]) for d in devices)
        self.read(r, r.everything(
            devices, [r.plain_host("rocprof")], [], r.plain_lines({}, {}),
            notes=[f"{kernels} of {kernels} kernels have no launch in the trace: who launched them is unattributed"]))

    LINES = {"XLA Ops": "ops", "XLA Modules": "modules", "Sparse Core Modules": "modules", "Steps": "steps", "Async XLA Ops": "async"}

    def tpu(self, with_steps):
        r = Plain()
        for pid, name in ((1, "/device:TPU:0"), (2, "/device:TPU:1"), (9, "/host:CPU")):
            r.name(pid, name)
        for pid in (1, 2):
            for tid, name in ((4, "Sparse Core Modules"), (3, "XLA Modules"), (1, "XLA Ops"), (2, "Async XLA Ops"), (5, "Steps")):
                if name != "Steps" or (with_steps and pid == 1):
                    r.name_thread(pid, tid, name)
        r.name_thread(9, 30, "main")
        ops, beside = ("XLA Ops", "ops"), ("Async XLA Ops", "async")
        for device, pid in ((0, 1), (1, 2)):
            at = 1_000_000 * pid
            # The first device has its own clock of one op and half of another, the second of all.
            r.plain_kernel(device, device, "fusion.1", pid, 1, at, 10_000, stream=ops, op_type="fusion", **own(7_000 + pid, 9_000))
            r.plain_kernel(device, device, "all-reduce.2", pid, 1, at + 20_000, 10_000, stream=ops, op_type="all-reduce", kind="comm",
                           **own(None if pid == 1 else 8_000, 9_500))
            r.plain_kernel(device, device, "copy-start.3", pid, 2, at + 5_000, 30_000, use="asynchronous", stream=beside, op_type="copy",
                           own_start_ps=None, own_duration_ps=None, kind="copy")
            r.event("program_run", f"sparse({pid})", pid, 4, at - 2_000, 50_000)
            r.event("program_run", f"jit_step({pid}1)", pid, 3, at - 1_000, 40_000)
            r.event("program_run", f"jit_step({pid}2)", pid, 3, at + 90_000, 10_000)
        r.host_span("PjitFunction(f)", "other", 9, 30, 900_000, 50_000)
        return r

    def step_of_host(self, r):
        """A number beside the name counts more than that in the name."""
        r.event("step", "ProfilerStep#3", 9, 30, 800_000, 100_000, step_num=9)
        r.event("step", "train", 9, 30, 950_000, 100_000, step_num=10)
        thread = list(r.threads).index((9, 30))
        return [twice.marker("ProfilerStep#3", 9, r.ps(800_000), r.ps(900_000), "profiler_step", thread=thread),
                twice.marker("train", 10, r.ps(950_000), r.ps(1_050_000), "step_num", thread=thread)]

    def tpu_devices(self, r):
        return [r.plain_device(0, "TPU 0", "tpu", {1: "some"}), r.plain_device(1, "TPU 1", "tpu", {1: "all"})]

    def tpu_notes(self):
        return ["6 of 6 kernels have no launch in the trace: who launched them is unattributed"]

    PLANES = {1: "device", 2: "device", 9: "host"}

    def test_steps_of_one_device(self):
        r = self.tpu(True)
        r.event("step", "7", 1, 5, 995_000, 60_000, step_num=17)
        r.event("step", "8", 1, 5, 1_060_000, 60_000)
        markers = self.step_of_host(r) + [twice.marker("7", 17, r.ps(995_000), r.ps(1_055_000), "line", device=0),
                                          twice.marker("8", 8, r.ps(1_060_000), r.ps(1_120_000), "line", device=0)]
        self.read(r, r.everything(self.tpu_devices(r), [r.plain_host("xla")], markers, r.plain_lines(self.PLANES, self.LINES),
                                  notes=self.tpu_notes()))

    def test_programs_of_two_lines(self):
        """Those of the core's own line, which comes last in the file, are its steps."""
        r = self.tpu(False)
        markers = self.step_of_host(r)
        for device, pid in ((0, 1), (1, 2)):
            for number, start, duration in ((1, -1_000, 40_000), (2, 90_000, 10_000)):
                at = 1_000_000 * pid + start
                markers.append(twice.marker("jit_step", None, r.ps(at), r.ps(at + duration), "run", device=device,
                                            whole_name=f"jit_step({pid}{number})", thread=list(r.threads).index((pid, 3))))
        self.read(r, r.everything(self.tpu_devices(r), [r.plain_host("xla")], markers, r.plain_lines(self.PLANES, self.LINES),
                                  notes=self.tpu_notes()))

    def test_tensorflow(self):
        r = Plain()
        worker = "/job:worker/replica:0/task:0/device:GPU:"
        names = {1: worker + "0/stream:all Compute", 2: worker + "0/stream:13 Compute", 3: worker + "0/memcpy Compute",
                 4: worker + "1/stream:all Compute", 5: worker + "1/stream:13 Compute", 6: "/job:worker/replica:0/task:0/device:CPU:0 Compute"}
        for pid, name in names.items():
            r.name(pid, name)

        def kernel(device, name, pid, tid, start, duration, stream, **more):
            r.plain_kernel((device, pid), device, name, pid, tid, start, duration, stream=(stream, "stream"), **more)
        # All of what the first stream of GPU 0 has lies on another one; that of GPU 1 has a kernel of its own.
        for device, whole, own_stream in ((0, 1, 2), (1, 4, 5)):
            for n, name in enumerate(("MatMul", "Add")):
                kernel(device, name, whole, 0, 100_000 + 10_000 * n, 5_000 + n, "stream:all")
                kernel(device, name, own_stream, 0, 100_000 + 10_000 * n, 5_000 + n, "stream:13")
        kernel(1, "alone", 4, 0, 100_000, 9_000, "stream:all")
        kernel(0, "MEMCPYHtoD", 3, 2, 200_000, 4_000, "memcpy, lane 2", kind="copy")
        r.host_span("MatMul", "other", 6, 0, 90_000, 5_000)
        # One device each, of all its streams.
        for (device, pid), of in list(r.devices.items()):
            into = r.devices.setdefault(device, {"ordinal": device, "rows": [], "streams": {}, "markers": []})
            into["rows"] += [{**k, "of": pid} for k in of["rows"]]
            into["streams"].update(of["streams"])
        lines = r.plain_lines({}, {})
        for line, (pid, tid) in zip(lines, r.lines):
            if pid == 1:
                line["repeated"] = line.pop("kernel")
        devices = []
        for device, left_out in ((0, 1), (1, None)):
            made = r.plain_device(device, f"GPU {device}")
            made["rows"] = [{key: value for key, value in k.items() if key != "of"} for k in made["rows"] if k["of"] != left_out]
            made["kernels"] = len(made["rows"])
            devices.append(made)
        kernels = sum(d["kernels"] for d in devices)
        self.read(r, r.everything(devices, [r.plain_host("tensorflow")], [], lines,
                                  notes=[f"{kernels} of {kernels} kernels have no launch in the trace: who launched them is unattributed"]))


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
