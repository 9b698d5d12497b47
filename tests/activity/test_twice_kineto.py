#!/usr/bin/env python3
"""Three ranks of PyTorch with two of everything, of which all that is read is worked out here.

In the first rank a kernel's own arguments disagree with the process that it lies in, calls and operators have the number of others,
devices have no number but two processes, kernels of two contexts share a stream, groups have the name of others, numbers of autograd
come back on the same thread and on another one, and two captures of graphs are alike. In the second the capture of a graph comes after
its launch, and events are broken in two ways; all its times are whole µs. In the third the order of launches says where kernels of a
graph come from.

test_twice_kineto.py ACTIVITY_DUMP
"""
import json
import sys

import twice

BASE, SECOND = 1_700_000_000_000_000_000, 5_000_000  # ns: the first rank, and how much later the others begin
HOST, LAUNCH = 900, "cudaLaunchKernel"
FLAT = {"cpu_op": "op", "cuda_runtime": "runtime", "user_annotation": "annotation", "python_function": "frame", "cuda_sync": "device_marker"}


class Rank:
    """Events and, at the same time, what has to be read of them. Times are ns of the rank's own clock."""

    def __init__(self, file, shift, head):
        self.file, self.shift, self.head = file, shift, head
        self.events, self.planes, self.tracks, self.lines, self.threads = [], {}, {}, {}, {}
        self.spans, self.markers, self.operators, self.launches = [], [], [], [0, 0, 0]
        self.devices, self.first_thread, self.names = {}, 0, {}

    def ps(self, ns):
        return (ns + self.shift) * 1000

    def name(self, pid, name):
        self.planes.setdefault(pid, len(self.planes))
        self.names[pid] = name
        self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})

    def add(self, use, cat, name, pid, tid, start, duration, args):
        """The ordinal of the event."""
        self.planes.setdefault(pid, len(self.planes))
        of = self.tracks.setdefault(pid, {})
        of.setdefault(tid, len(of))
        event = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}
        if duration is None:
            del event["dur"]
        self.events.append(event)
        line = self.lines.setdefault((pid, tid), {"uses": {}, "sum": 0, "first": [], "last": []})
        line["uses"][use] = line["uses"].get(use, 0) + 1
        line["sum"] += max(duration or 0, 0)
        line["first"].append(start)
        line["last"].append(start + max(duration or 0, 0))
        return len(self.events) - 1

    def thread(self, pid, tid):
        return self.threads.setdefault((pid, tid), len(self.threads))

    def span(self, cat, name, tid, start, duration, **args):
        use = {"cpu_op": "op", "cuda_sync": "device_wait"}.get(cat, "span")
        at = self.add(use, cat, name, HOST, tid, start, duration, args)
        thread = self.thread(HOST, tid)
        self.spans.append((name, FLAT[cat], start, duration, at, thread))
        if cat == "cpu_op" and "Input Dims" in args:
            self.operators.append((name, json.dumps(args["Input Dims"]), json.dumps(args["Input type"]), start, duration, thread))

    def op(self, name, tid, start, duration, number=None, dims=None, sequence=None):
        args = {} if number is None else {"External id": number}
        if dims is not None:
            args.update({"Input Dims": dims, "Input type": ["float"] * len(dims)})
        self.span("cpu_op", name, tid, start, duration, **args, **({} if sequence is None else {"Sequence number": sequence}))

    def call(self, tid, start, duration, correlation=None, external=None, name=LAUNCH, counts=True):
        """What a kernel that it launches knows of it."""
        args = {key: value for key, value in (("correlation", correlation), ("External id", external)) if value is not None}
        self.span("cuda_runtime", name, tid, start, duration, **args)
        if correlation is not None and counts:
            self.launches[{"cudaGraphLaunch": 2, "cudaMemcpyAsync": 1}.get(name, 0)] += 1
        return {"launch_ps": self.ps(start), "launch_end_ps": self.ps(start + duration), "launch_thread": (HOST, tid)}

    def step(self, name, tid, start, duration):
        self.add("step", "user_annotation", name, HOST, tid, start, duration, {})
        self.markers.append(twice.marker(name, int(name.split("#")[1]), self.ps(start), self.ps(start + duration), "profiler_step",
                                         host_group=self.file, thread=(HOST, tid)))

    def device(self, key, ordinal):
        return self.devices.setdefault(key, {"ordinal": ordinal, "rows": [], "streams": {}, "markers": []})

    def kernel(self, key, ordinal, stream, name, pid, tid, start, duration, args, launch=None, cat="kernel", lasts=None, **more):
        """`key`: of the device; `lasts`: as it is read, where the record is too long."""
        at = self.add("kernel", cat, name, pid, tid, start, duration, args)
        of = self.device(key, ordinal)
        of["streams"].setdefault(stream, (pid, tid))
        of["rows"].append(twice.row(name, self.ps(start), (lasts or duration) * 1000, at, stream=stream, **(launch or {}), **more))

    # ---- what has to be read ----

    def thread_of(self, key):
        return None if key is None else self.first_thread + self.threads[key]

    def settled(self, thing, key):
        return {**thing, key: self.thread_of(thing[key])}

    def read_device(self, key, name, **more):
        of = self.devices[key]
        rows = sorted(of["rows"], key=lambda r: (r["start_ps"], r["duration_ps"], r["source_row"]))
        streams = [twice.stream(number, self.planes[pid], self.tracks[pid][tid]) for number, (pid, tid) in of["streams"].items()]
        shapes = any("details" in r and r["details"]["input_shapes"] for r in rows)
        graphs = [r["duration_ps"] for r in rows if "by_graph" in r["flags"]]
        return twice.device(name, "gpu", [self.settled(r, "launch_thread") for r in rows], streams, file=self.file, ordinal=of["ordinal"],
                            host_group=self.file, has_shapes=shapes, has_launches=any(r["launch_ps"] is not None for r in rows),
                            graph_launched=len(graphs), graph_launched_ps=sum(graphs), **more)

    def read_host(self, **more):
        spans = [{"name": name, "kind": kind, "start_ps": self.ps(start), "duration_ps": duration * 1000, "source_row": at,
                  "thread": self.first_thread + thread} for name, kind, start, duration, at, thread in self.spans]
        return twice.host(sorted(spans, key=lambda s: (s["start_ps"], s["source_row"])), file=self.file, writer="pytorch",
                          recorder="PyTorch (Kineto)", launches=self.launches, **more)

    def read_threads(self):
        out = []
        for pid, tid in self.threads:
            name = self.names.get(pid, "")
            out.append({"file": self.file, "plane": self.planes[pid], "line": self.tracks[pid][tid],
                        "process": f"{name} {pid}" if name else f"process {pid}", "name": f"thread {tid}", "system_thread": None})
        return out

    def read_lines(self):
        return [{"file": self.file, "plane": self.planes[pid], "line": self.tracks[pid][tid], "plane_name": self.names.get(pid, ""),
                 "line_name": "", "plane_type": "other", "line_type": "other", "id": tid, **line["uses"], "duration_sum_ps": line["sum"] * 1000,
                 "first_ps": self.ps(min(line["first"])), "last_ps": self.ps(max(line["last"]))}
                for (pid, tid), line in self.lines.items()]

    def read_operators(self):
        return [{"name": name, "shapes": shapes, "types": types, "values": "", "start_ps": self.ps(start), "duration_ps": duration * 1000,
                 "thread": self.first_thread + thread, "host_group": self.file}
                for name, shapes, types, start, duration, thread in self.operators]

    def text(self):
        def written(event):
            times = "".join(f', "{key}": {event[key] // 1000}' + (f".{event[key] % 1000:03}" if event[key] % 1000 else "")
                            for key in ("ts", "dur") if key in event)
            return json.dumps({key: value for key, value in event.items() if key not in ("ts", "dur")})[:-1] + times + "}"
        head = {**self.head, "baseTimeNanoseconds": BASE + self.shift}
        return json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(map(written, self.events)) + "\n]}\n"


def shapes(dims, **more):
    return twice.details(input_shapes=json.dumps(dims), input_dtypes=json.dumps(["float"] * len(dims)), **more)


def head(name, rank, world, groups, devices):
    return {"schemaVersion": 1, "deviceProperties": [{"id": i, "name": d} for i, d in enumerate(devices)], "host_name": name,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world, "pg_config": groups}}


GROUPS = [{"pg_name": "7", "pg_desc": "TP:0", "pg_size": 4, "ranks": [0, 1, 2, 3]},
          {"pg_name": "7", "pg_desc": "tp:1", "pg_size": 2, "ranks": [0, 1, 2, 3, 4]},
          {"pg_name": "8", "pg_desc": "default_pg", "pg_size": 3, "ranks": [3, 5, 9]},
          {"pg_name": "9", "pg_desc": "dp", "pg_size": 6, "ranks": [3]}]
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def first():
    r = Rank(0, 0, head("alpha", 3, 8, GROUPS, ["NVIDIA A", "NVIDIA B"]))
    r.name(HOST, "python")
    r.name("left", "card L")
    r.name("right", "card R")
    # An operator in another one; a second operator and a second call have the numbers of the first.
    small, large = [[2, 2], [2, 2]], [[4, 8], [8, 2]]
    r.op("aten::linear", 11, 890_000, 40_000, 99, [[4, 8], [2, 8]])
    r.op("aten::mm", 11, 892_000, 20_000, 100, small)
    r.op("aten::mm", 12, 950_000, 20_000, 100, large)
    origin = {"op": "aten::mm", "outer_op": "aten::linear", "phase": "forward"}
    one = r.call(11, 900_000, 5_000, 10, 100)
    r.call(12, 955_000, 5_000, 10, 100)
    two = r.call(11, 906_000, 2_000, 11, 100)
    # Of two kernels of one operator that last as long the first stands for what it did.
    work = {"flops": 2 * 4 * 8 * 2, "bytes": 4 * (4 * 8 + 8 * 2 + 4 * 2)}
    r.kernel(0, 0, 7, "gemm", 0, 7, 1_000_500, 50_000, {"device": 0, "stream": 7, "correlation": 10, "External id": 100}, one, **origin,
             details=shapes(large, **work))
    r.kernel(0, 0, 7, "gemm", 0, 7, 1_060_000, 50_000, {"device": 0, "stream": 7, "correlation": 11, "External id": 100}, two, **origin,
             details=shapes(large))
    # Both spellings of the operator's number, which differ.
    r.op("custom::add", 12, 995_000, 20_000, 103, [[6]])
    r.op("custom::mul", 12, 1_020_000, 5_000, 104, [[7]])
    r.kernel(0, 0, 7, "elementwise", 0, 7, 1_120_000, 30_000,
             {"device": 0, "stream": 7, "correlation": 12, "External id": 103, "external id": 104}, r.call(12, 1_000_000, 3_000, 12, 103),
             op="custom::add", outer_op="custom::add", phase="forward", details=shapes([[6]]))
    # Devices without a number, on which the same operator runs.
    r.op("custom::scale", 11, 1_090_000, 40_000, 200, [[5, 5]])
    scaled = {"op": "custom::scale", "outer_op": "custom::scale", "phase": "forward", "details": shapes([[5, 5]])}
    for pid, number, at in (("left", 20, 1_100_000), ("right", 21, 1_110_000)):
        r.kernel(pid, None, 3, "scale", pid, 3, at + 100_000, 20_000, {"correlation": number, "External id": 200},
                 r.call(11, at, 4_000, number, 200), **scaled)
    # What the kernel says itself counts, whatever its process and thread are numbered.
    r.kernel(1, 1, 20, "elsewhere", 5, 77, 1_400_000, 10_000, {"device": 1, "stream": 20, "correlation": 30},
             r.call(12, 1_200_000, 4_000, 30))
    r.kernel(0, 0, 7, "again", 0, 7, 1_450_000, 10_000, {"device": 0, "stream": 7, "correlation": 31}, r.call(12, 1_210_000, 4_000, 31))
    # The annotation of a device names it by its process alone.
    r.add("step", "gpu_user_annotation", "ProfilerStep#4", 1, 20, 1_350_000, 200_000, {})
    r.device(1, 1)["markers"].append(twice.marker("ProfilerStep#4", 4, r.ps(1_350_000), r.ps(1_550_000), "device_annotation"))
    r.step("ProfilerStep#4", 11, 880_000, 500_000)
    r.step("ProfilerStep#4", 12, 885_000, 600_000)  # the same step, of another thread
    later = r.markers.pop()
    r.markers[-1]["end_ps"] = later["end_ps"]
    # Two contexts share the number of a stream: nothing is known of what is too long there.
    for context, at, took in ((1, 2_000_000, 5_000_000), (2, 3_000_000, 1_000), (1, 4_000_000, 1_000)):
        r.kernel(0, 0, 9, f"of context {context}", 0, 9, at, took, {"device": 0, "stream": 9, "context": context})
    # One context alone: kernels that last into later ones end where these begin.
    r.kernel(1, 1, 21, "stuck first", 1, 21, 2_000_000, 6_000_000, {"device": 1, "stream": 21, "context": 1}, lasts=1_000_000, flags=["cut"])
    r.kernel(1, 1, 21, "stuck later", 1, 21, 3_000_000, 5_000_000, {"device": 1, "stream": 21, "context": 1}, lasts=3_500_000, flags=["cut"])
    r.kernel(1, 1, 21, "sound", 1, 21, 6_500_000, 1_000, {"device": 1, "stream": 21, "context": 1})
    # Groups: the list that was cut is whole in the head, of two of one name the last; a list that is whole counts as it is.
    counted = {"In msg nelems": 64, "Out msg nelems": 256, "Group size": 4}
    for number, at, group, ranks, text, whole in ((40, 1_500_000, "7", "[0, 1, ..., ...]", "tp", "[0, 1, 2, 3, 4]"),
                                                  (41, 1_600_000, "8", "[3, 5]", None, "[3, 5]")):
        named = {"Process Group Name": group, "Process Group Ranks": ranks, **({"Process Group Description": text} if text else {})}
        r.kernel(0, 0, 30, NCCL, 0, 30, at, 40_000,
                 {"device": 0, "stream": 30, "correlation": number, "Collective name": "allreduce", **counted, "dtype": "Float", "Seq": number + 2,
                  "Root": 1, "Src Rank": 2, "Dst Rank": 3, **named},
                 r.call(12, at - 200_000, 4_000, number), op_type="allreduce", kind="comm",
                 details=twice.details(group=text or group, group_name=group, group_ranks=whole, group_size=4, group_sequence=number + 2,
                                       root_rank=1, source_rank=2, target_rank=3, input_dtypes="Float", counters=counted))
    # A kernel without a correlation: the first call of its number. What has one and no kernel is known by that number, or not at all.
    by_number = r.call(11, 1_300_000, 4_000, None, 300)
    r.call(12, 1_340_000, 4_000, None, 300)
    r.call(12, 1_345_000, 1_000, 901, 300)
    r.kernel(1, 1, 20, "by number", 1, 20, 1_700_000, 10_000, {"device": 1, "stream": 20, "External id": 300}, by_number)
    r.call(12, 1_700_000, 2_000, 900, None, "cudaMemcpyAsync")
    # Numbers of autograd: the last operator of a thread has it for itself; of two threads nobody knows.
    for tid, module, at, sequence in ((11, "Outer_0", 3_000_000, 5), (11, "Other_0", 3_100_000, 5), (11, "Outer_0", 3_200_000, 6),
                                      (12, "Third_0", 3_300_000, 6)):
        r.span("python_function", f"nn.Module: {module}", tid, at, 50_000)
        r.op("custom::run", tid, at + 10_000, 20_000, sequence=sequence)
    for number, at, sequence, module in ((50, 3_400_000, 5, "Other_0"), (51, 3_500_000, 6, "")):
        r.op("autograd::engine::evaluate_function: RunBackward0", 13, at, 50_000, sequence=sequence)
        r.kernel(0, 0, 7, "backward", 0, 7, at + 20_000, 10_000, {"device": 0, "stream": 7, "correlation": number},
                 r.call(13, at + 10_000, 4_000, number), op="RunBackward0", outer_op="RunBackward0", module=module, phase="backward")
    # Two captures of as many launches: a replay may be of either.
    for at, number in ((4_000_000, 70), (4_100_000, 71)):
        r.span("cuda_runtime", "cudaStreamBeginCapture", 14, at, 5_000)
        r.op("custom::captured", 14, at + 10_000, 30_000, number, [[number]])
        r.call(14, at + 20_000, 5_000, number, number, counts=False)
        r.span("cuda_runtime", "cudaStreamEndCapture", 14, at + 50_000, 5_000)
    r.kernel(0, 0, 7, "replayed", 0, 7, 4_300_000, 10_000, {"device": 0, "stream": 7, "correlation": 72, "graph id": 2, "graph node id": 3},
             r.call(14, 4_200_000, 5_000, 72, None, "cudaGraphLaunch"), flags=["by_graph"])
    return r


def second():
    r = Rank(1, SECOND, head("beta", 1, 8, [], ["NVIDIA A", "NVIDIA A"]))
    r.name(HOST, "python")
    # The capture of a graph comes after the launch of it.
    r.kernel(0, 0, 7, "replayed", 0, 7, 1_300_000, 10_000, {"device": 0, "stream": 7, "correlation": 72},
             r.call(14, 1_200_000, 5_000, 72, None, "cudaGraphLaunch"), flags=["by_graph"])
    r.span("cuda_runtime", "cudaStreamBeginCapture", 14, 2_000_000, 5_000)
    r.op("custom::captured", 14, 2_010_000, 30_000, 70, [[70]])
    r.call(14, 2_020_000, 5_000, 70, 70, counts=False)
    r.span("cuda_runtime", "cudaStreamEndCapture", 14, 2_050_000, 5_000)
    r.step("ProfilerStep#4", 14, 1_000_000, 2_000_000)
    r.step("ProfilerStep#5", 14, 3_000_000, 1_000_000)
    for name, duration in (("without a length", None), ("of a negative length", -7_000), ("of another negative length", -9_000)):
        r.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 5_000_000, "args": {"device": 0, "stream": 7},
                         **({} if duration is None else {"dur": duration})})
    r.lines[0, 7]["uses"]["unusable"] = 3
    r.lines[0, 7]["last"].append(5_000_000)
    return r


def third():
    r = Rank(2, SECOND, head("alpha", 2, 8, [], []))
    r.name(HOST, "python")
    r.span("cuda_runtime", "cudaStreamBeginCapture", 14, 1_000_000, 5_000)
    launches = []
    for n, name in ((0, "custom::one"), (1, "custom::two")):
        r.op(name, 14, 1_010_000 + 40_000 * n, 30_000, 70 + n, [[70 + n]])
        r.call(14, 1_020_000 + 40_000 * n, 5_000, 70 + n, 70 + n, counts=False)
        launches.append({"op": name, "outer_op": name, "phase": "forward", "details": shapes([[70 + n]])})
    r.span("cuda_runtime", "cudaStreamEndCapture", 14, 1_100_000, 5_000)
    for replay in (0, 1):
        launch = r.call(14, 1_200_000 + 500_000 * replay, 5_000, 72 + replay, None, "cudaGraphLaunch")
        for n, origin in enumerate(launches):
            r.kernel(0, 0, 7, f"node {n}", 0, 7, 1_300_500 + 500_000 * replay + 50_000 * n, 10_000,
                     {"device": 0, "stream": 7, "correlation": 72 + replay, "graph id": 2, "graph node id": 3 + n}, launch,
                     flags=["by_graph", "by_order"], **origin)
    return r


class Everything(twice.Case):
    def setUp(self):
        super().setUp()
        self.ranks = first(), second(), third()
        for r, before in zip(self.ranks[1:], self.ranks):
            r.first_thread = before.first_thread + len(before.threads)

    def test_all_that_is_read(self):
        texts = [r.text() for r in self.ranks]
        for letter, text in zip("abc", texts):
            self.write(f"run/{letter}.pt.trace.json", text)
        a, b, c = self.ranks
        common = {"world_size": 8}
        sizes = [["group tp", 4], ["group dp", 6]]
        devices = [a.read_device(0, "GPU 0 of rank 3", rank=3, parallel_sizes=sizes, **common),
                   a.read_device("left", "GPU card L", rank=3, parallel_sizes=sizes, **common),
                   a.read_device("right", "GPU card R", rank=3, parallel_sizes=sizes, **common),
                   a.read_device(1, "GPU 1", rank=3, parallel_sizes=sizes, **common),
                   b.read_device(0, "GPU 0 of rank 1", rank=1, timestamp_resolution_ps=1_000_000, **common),
                   c.read_device(0, "GPU 0 of rank 2", rank=2, **common)]
        hosts = [a.read_host(hostname="alpha", devices=["NVIDIA A", "NVIDIA B"], rank=3, backend="nccl", **common,
                             unrecorded=[{"name": "cudaMemcpyAsync", "work": "copy", "start_ps": a.ps(1_700_000), "end_ps": a.ps(1_702_000),
                                          "thread": a.thread_of((HOST, 12))}]),
                 b.read_host(hostname="beta", devices=["NVIDIA A", "NVIDIA A"], rank=1, backend="nccl", **common),
                 c.read_host(hostname="alpha", rank=2, backend="nccl", **common)]
        window = {**a.devices[1]["markers"][0], "device": 3}
        markers = [a.settled(a.markers[0], "thread"), window, *(b.settled(m, "thread") for m in b.markers)]
        kernels = sum(len(d["rows"]) for d in a.devices.values())
        alone = sum(r["launch_ps"] is None for d in a.devices.values() for r in d["rows"])
        launches = sum(a.launches)
        broken = [texts[1].index(f'{{"ph": "X", "cat": "kernel", "name": "{name}"') for name in ("without a length", "of a negative length")]
        inputs = [twice.taken("kineto", len(a.events), incomplete=[
                      f"1 of {launches} launches have no record of a device (1 of 1 copies): what the device did for them, and when, is not known",
                      "2 kernels last over the start of later kernels of the same stream, which cannot be (at most by 5.000 ms: stuck first); "
                      "such a duration ends at the start of the next kernel here"],
                      last_ps=a.ps(7_000_000),
                      notes=[f"{alone} of {kernels} kernels have no launch in the trace: who launched them is unattributed",
                             f"1 of {kernels} kernels were launched by graphs: their launch is that of the whole graph"]),
                  twice.taken("kineto", len(b.events), file=1, rejected=3, first_rejected_line=len(b.events) - 2, first_rejected_byte=broken[0],
                              reject_reasons={"no usable duration": 1, "the duration is negative": 2},
                              notes=["1 of 1 kernels were launched by graphs: their launch is that of the whole graph"],
                              damage=f"3 of {len(b.events)} events were passed over, the first at byte {broken[0]}: no usable duration (1)"),
                  twice.taken("kineto", len(c.events), file=2,
                              notes=["4 of 4 kernels were launched by graphs: their launch is that of the whole graph"])]
        self.check(self.dump(self.scratch / "run"), {
            "origin_unix_ns": str(BASE), "devices": devices, "hosts": hosts, "threads": [t for r in self.ranks for t in r.read_threads()],
            "markers": markers, "communication": [], "step_trace": [], "lines": [line for r in self.ranks for line in r.read_lines()],
            "operator_calls": [o for r in self.ranks for o in r.read_operators()], "inputs": inputs})


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
