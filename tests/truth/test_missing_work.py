"""Work that was launched and is not on record, and kernels that last longer than their stream allows."""
import json
import random
import sys

import ascend
import truth
import xspace

US = 1_000_000  # ps
SEEDS = range(1, 16)
CALLS = {"kernel": ["cudaLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel", "hipExtModuleLaunchKernel"],
         "graph": ["cudaGraphLaunch", "hipGraphLaunch"], "copy": ["cudaMemcpyAsync", "hipMemcpyWithStream"]}


class Trace:
    """A trace of one process with one GPU, written event by event; times in µs."""

    def __init__(self):
        self.events = []
        self.correlation = 0

    def step(self, number, start, size):
        self.events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 77, "tid": 1, "ts": start,
                            "dur": size, "args": {}})

    def call(self, name, start, size):
        self.correlation += 1
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 77, "tid": 1, "ts": start, "dur": size,
                            "args": {"correlation": self.correlation}})
        return self.correlation

    def kernel(self, name, start, size, correlation, stream=7, category="kernel", context=1):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start, "dur": size,
                            "args": {"device": 0, "context": context, "stream": stream, "correlation": correlation}})

    def save(self, path):
        path.write_text(json.dumps({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": self.events}))
        return path


def ask(command, path, *options, **how):
    return truth.parsed(truth.run(command, path, "--json", *options, **how))


class NotOnRecord(truth.Case):
    def replays(self, r, recorded):
        """Steps that launch a kernel, something else, and a kernel again, on one stream; by step what is not known."""
        trace, unknown, launches = Trace(), [], {"kernel": 0, "graph": 0, "copy": 0}
        size = 20_000
        for number in range(r.randrange(2, 6)):
            at = number * size
            trace.step(number, at, size)
            trace.kernel("embed", at + 100, 50, trace.call("cudaLaunchKernel", at + 10, 5))
            kind = r.choice(sorted(launches))
            missing = not recorded and (number == 0 or r.random() < 0.8)
            correlation = trace.call(r.choice(CALLS[kind]), at + 200, 7)
            if not missing:
                category = "gpu_memcpy" if kind == "copy" else "kernel"
                for node in range(3 if kind == "graph" else 1):
                    trace.kernel("layer", at + 300 + node * 6_000, 6_000, correlation, category=category)
            launches[kind] += missing
            trace.call("cudaStreamSynchronize", at + 220, 18_800)
            trace.kernel("sample", at + 19_300, 60, trace.call("cudaLaunchKernel", at + 19_250, 5))
            unknown.append((19_300 - 200) * US if missing else 0)
        return trace, unknown, launches

    def test_replays(self):
        for seed in SEEDS:
            r = random.Random(seed)
            trace, unknown, launches = self.replays(r, recorded=False)
            path = trace.save(self.scratch / f"{seed}.json")
            found = ask("bubbles", path)
            with self.subTest(seed=seed):
                self.assertEqual([s["breakdown"]["not_recorded_ps"] for s in found["steps"]], unknown)
                self.assertEqual([s["unrecorded_launches"] for s in found["steps"]], [int(ps > 0) for ps in unknown])
                for step in found["steps"]:
                    self.assertEqual(sum(step["breakdown"].values()), step["exact_ps"]["end"] - step["exact_ps"]["start"])
                    # No gap, and so no cause, lies where it is not known whether the device worked.
                    for gap in step["bubbles"] if "bubbles" in step else []:
                        self.assertLess(gap["length_ps"], 19_000 * US)
                info = ask("info", path)
                self.assertFalse(info["complete"])
                count = sum(launches.values())
                self.assertIn(f"{count} of ", " ".join(info["reasons"]))
                truth.run("info", path, "--fail-on", "incomplete", status=1)
                text = " ".join(truth.run("bubbles", path).split())
                self.assertIn("Not known for ", text)
                if all(unknown):
                    self.assertNotIn("sync drain", text)

    def test_everything_on_record(self):
        for seed in SEEDS:
            r = random.Random(seed)
            path = self.replays(r, recorded=True)[0].save(self.scratch / f"whole{seed}.json")
            with self.subTest(seed=seed):
                self.assertEqual({s["breakdown"]["not_recorded_ps"] for s in ask("bubbles", path)["steps"]}, {0})
                truth.run("info", path, "--fail-on", "incomplete")
                self.assertNotIn("ot known for", truth.run("bubbles", path))

    def test_calls_that_need_no_record(self):
        trace = Trace()
        trace.step(0, 0, 1_000)
        trace.kernel("gemm", 100, 50, trace.call("cudaLaunchKernel", 10, 5))
        for i, name in enumerate(["cudaMemsetAsync", "cudaLaunchHostFunc", "cudaStreamSynchronize", "cudaEventRecord", "cudaFree"]):
            trace.call(name, 200 + 10 * i, 5)
        path = trace.save(self.scratch / "calls.json")
        truth.run("info", path, "--fail-on", "incomplete")

    def test_no_kernel_names_its_launch(self):
        trace = Trace()
        trace.call("cudaLaunchKernel", 10, 5)
        trace.kernel("gemm", 100, 50, 0)
        for event in trace.events:
            if event["cat"] == "kernel":
                del event["args"]["correlation"]
        truth.run("info", trace.save(self.scratch / "untied.json"), "--fail-on", "incomplete")

    def test_other_thread_and_device(self):
        """A launch goes to the device of the kernel that its thread launched before."""
        trace = Trace()
        trace.step(0, 0, 10_000)
        for device, thread in ((0, 1), (1, 2)):
            for at, name in ((100 + device, "first"), (9_000 + device, "last")):
                correlation = trace.call("cudaLaunchKernel", at - 50, 5)
                trace.events[-1]["tid"] = thread
                trace.kernel(name, at, 20, correlation)
                trace.events[-1]["pid"] = trace.events[-1]["args"]["device"] = device
        trace.call("cudaGraphLaunch", 1_000, 5)
        trace.events[-1]["tid"] = 2
        found = ask("bubbles", trace.save(self.scratch / "threads.json"))
        by_device = {s["device"]: s["breakdown"]["not_recorded_ps"] for s in found["steps"]}
        self.assertEqual(sorted(by_device.values()), [0, 8_001 * US])


    def test_a_copy_does_not_say_where_kernels_go(self):
        """In µs: after a kernel that ends at 200 a copy is launched, and at 200 something of which nothing is on record. It went to the
        stream of the kernel, where the next one begins at 700, and not to that of the copy, where it is at 900."""
        trace = Trace()
        trace.step(0, 0, 1_000)
        trace.kernel("first", 100, 100, trace.call("cudaLaunchKernel", 10, 5))
        trace.kernel("Memcpy HtoD", 210, 30, trace.call("cudaMemcpyAsync", 100, 5), stream=9, category="gpu_memcpy")
        trace.call("cudaLaunchKernel", 200, 5)
        trace.kernel("next", 700, 50, trace.call("cudaLaunchKernel", 600, 5))
        trace.kernel("other", 900, 50, trace.call("cudaLaunchKernel", 850, 5), stream=9)
        step, = ask("bubbles", trace.save(self.scratch / "copy.json"))["steps"]
        self.assertEqual((step["breakdown"]["not_recorded_ps"], step["unrecorded_launches"]), ((700 - 200 - 30) * US, 1))

    def test_a_thread_that_launched_nothing_else(self):
        """In µs: thread 3 launches at 200, and nothing of it is on record; nothing says on which stream. Of what other threads launch
        later, one kernel begins at 400 and one that is launched after it at 300: until then it can have run."""
        trace = Trace()
        trace.step(0, 0, 1_000)
        trace.kernel("first", 100, 50, trace.call("cudaLaunchKernel", 10, 5))
        trace.call("cudaGraphLaunch", 200, 5)
        trace.events[-1]["tid"] = 3
        trace.kernel("late", 400, 50, trace.call("cudaLaunchKernel", 250, 5))
        trace.kernel("early", 300, 50, trace.call("cudaLaunchKernel", 270, 5), stream=9)
        step, = ask("bubbles", trace.save(self.scratch / "thread.json"))["steps"]
        self.assertEqual((step["breakdown"]["not_recorded_ps"], step["unrecorded_launches"]), (100 * US, 1))


class NpuNotOnRecord(truth.Case):
    """What CANN launched, by its arrows to a device of an Ascend folder."""
    ORIGIN = 1_764_246_877_000_000  # µs since 1970
    CALLS = {"kernel": "Node@launch", "copy": "AscendCL@aclrtMemcpyAsync", "graph": "AscendCL@aclmdlRIExecuteAsync"}

    def folder(self, name, r, tabled, lost, work):
        """Steps of three kernels, the second of which may be lost: "arrow": without a trace but that its launch began,
        "event": an arrow ends where no event is. Gives the folder and which steps lack a kernel."""
        events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": process}}
                  for pid, process in ((10, "Python"), (20, "CANN"), (1024, "Ascend Hardware"))]
        rows, lacking, size = [], [], 20_000

        def span(pid, tid, called, at, length, **more):
            events.append({"ph": "X", "name": called, "pid": pid, "tid": tid, "ts": f"{self.ORIGIN + at}.000", "dur": length,
                           "args": {}, **more})

        for number in range(r.randrange(2, 6)):
            at = number * size
            span(10, 201, f"ProfilerStep#{number}", at, size, cat="cpu_op")
            lacks = lost is not None and (number == 0 or r.random() < 0.7)
            for kernel, (launch, start, length) in enumerate(((10, 100, 50), (200, 400, 18_000), (19_250, 19_300, 60))):
                span(20, 201, self.CALLS[work] if kernel == 1 else "Node@launch", at + launch - 5, 20)
                flow = {"cat": "HostToDevice", "id": str(number * 10 + kernel), "name": f"HostToDevice{number * 10 + kernel}"}
                events.append({"ph": "s", "pid": 20, "tid": 201, "ts": f"{self.ORIGIN + at + launch}.000", **flow})
                if not (lacks and kernel == 1 and lost == "arrow"):
                    events.append({"ph": "f", "bp": "e", "pid": 1024, "tid": 2, "ts": f"{self.ORIGIN + at + start}.000", **flow})
                if lacks and kernel == 1:
                    continue
                span(1024, 2, "MatMul", at + start, length, args={"Task Type": "AI_CORE"})
                rows.append({"Device_id": 0, "Stream ID": 2, "Name": "MatMul", "Type": "MatMul", "Accelerator Core": "AI_CORE",
                             "Start Time(us)": f"{self.ORIGIN + at + start}.000\t", "Duration(us)": length})
            lacking.append(lacks)
        output = self.scratch / name / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        (output.parent / "profiler_info_0.json").write_text("{}")
        (output / "trace_view.json").write_text(json.dumps(events))
        if tabled:
            lines = [",".join(str(row.get(c, "N/A")) for c in ascend.COLUMNS) for row in rows]
            (output / "kernel_details.csv").write_text("\n".join([",".join(ascend.COLUMNS), *lines]) + "\n")
        return output.parent, lacking

    def test_lost_kernels(self):
        for seed in SEEDS:
            r = random.Random(seed)
            lost, tabled, work = r.choice(["arrow", "event"]), r.random() < 0.6, r.choice(sorted(self.CALLS))
            path, lacking = self.folder(f"npu{seed}", r, tabled, lost, work)
            with self.subTest(seed=seed, lost=lost, tabled=tabled, work=work):
                found = ask("bubbles", path)
                self.assertEqual([s["unrecorded_launches"] for s in found["steps"]], [int(lacks) for lacks in lacking])
                self.assertEqual([s["breakdown"]["not_recorded_ps"] for s in found["steps"]],
                                 [(19_300 - 200) * US * lacks for lacks in lacking])
                count, launches = sum(lacking), 3 * len(lacking)
                of_kind = launches if work == "kernel" else len(lacking)
                plural = {"kernel": "kernels", "copy": "copies", "graph": "graphs"}[work]
                self.assertIn(f"{count} of {launches} launches have no record of a device ({count} of {of_kind} {plural})",
                              " ".join(ask("info", path)["reasons"]))
                truth.run("info", path, "--fail-on", "incomplete", status=1)

    def test_nothing_lost(self):
        for seed in SEEDS:
            path, lacking = self.folder(f"npu_whole{seed}", random.Random(seed), seed % 2 == 0, None, "kernel")
            with self.subTest(seed=seed):
                self.assertEqual({s["breakdown"]["not_recorded_ps"] for s in ask("bubbles", path)["steps"]}, {0})
                truth.run("info", path, "--fail-on", "incomplete")

    def test_kernels_of_the_table_alone(self):
        """A trace of the host alone: no loss is an arrow that ends where neither it nor the table, which has no copies, has
        anything."""
        path, _ = self.folder("npu_host", random.Random(1), True, None, "kernel")
        trace = path / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        trace.write_text(json.dumps([e for e in json.loads(trace.read_text()) if e["pid"] != 1024 or e["ph"] == "f"]))
        table = path / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
        table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")
        truth.run("info", path, "--fail-on", "incomplete")


class TooLong(truth.Case):
    def kernels(self, path):
        """By name: count and total, in ps."""
        lines = ask("ops", path, "--limit", 0)["lines"]
        return {op["name"]: (op["count"], op["total_ps"]) for line in lines for op in line["ops"]}

    def test_one_of_many(self):
        for seed in SEEDS:
            r = random.Random(seed)
            trace, count = Trace(), r.randrange(8, 40)
            wrong = r.randrange(count - 4)
            too_long = r.choice([2_950, 5_000, 1_600_000])
            for i in range(count):
                size = too_long if i == wrong else 900
                trace.kernel("wrong" if i == wrong else "right", 1_000 * i, size, trace.call("cudaLaunchKernel", 1_000 * i - 20, 5),
                             category="gpu_memcpy" if i == wrong and seed % 2 else "kernel")
            trace.kernel("Memcpy HtoD", 500, 1_000, trace.call("cudaMemcpyAsync", 480, 5), stream=8, category="gpu_memcpy")
            path = trace.save(self.scratch / f"{seed}.json")
            with self.subTest(seed=seed):
                found = self.kernels(path)
                self.assertEqual(found["right"], (count - 1, (count - 1) * 900 * US))
                self.assertEqual(found["wrong"], (1, 1_000 * US))
                self.assertEqual(sum(line["events_cut"] for line in ask("ops", path)["lines"]), 1)
                reason = " ".join(ask("info", path)["reasons"])
                self.assertIn("1 kernel lasts over the start of later kernels of the same stream", reason)
                truth.run("report", path, "--fail-on", "incomplete", status=1)

    def test_what_may_overlap(self):
        trace = Trace()
        trace.kernel("a", 0, 1_000.027, trace.call("cudaLaunchKernel", 0, 1))      # the grain of a clock
        trace.kernel("b", 1_000, 1_003.7, trace.call("cudaLaunchKernel", 1, 1))    # the next one was launched early
        trace.kernel("c", 2_000, 1_000, trace.call("cudaLaunchKernel", 2, 1))
        trace.kernel("other stream", 0, 9_000, trace.call("cudaLaunchKernel", 3, 1), stream=8)
        graph = trace.call("cudaGraphLaunch", 4, 1)
        trace.kernel("node", 4_000, 3_000, graph)
        trace.kernel("node", 4_100, 500, graph)
        trace.kernel("node", 4_700, 1_000, graph)
        trace.kernel("Memcpy DtoD", 8_000, 5_000, trace.call("cudaMemcpyAsync", 5, 1), stream=10, category="gpu_memcpy")
        trace.kernel("beside a copy", 9_000, 100, trace.call("cudaLaunchKernel", 6, 1))
        trace.kernel("one context", 20_000, 5_000, trace.call("cudaLaunchKernel", 7, 1), stream=9)
        trace.kernel("another", 21_000, 100, trace.call("cudaLaunchKernel", 8, 1), stream=9, context=2)
        path = trace.save(self.scratch / "healthy.json")
        truth.run("report", path, "--fail-on", "incomplete")
        self.assertEqual(self.kernels(path)["node"], (3, 4_500 * US))
        self.assertEqual(self.kernels(path)["one context"], (1, 5_000 * US))

    def test_streams_of_an_xspace(self):
        """The same as of a trace: streams are cut, that of the copies as well; the line whose events nest is not."""
        for seed in SEEDS:
            r = random.Random(seed)
            count = r.randrange(8, 40)
            wrong = r.randrange(count - 4)
            too_long = r.choice([2_950, 5_000, 1_600_000])
            names = ["right", "wrong", "Memcpy HtoD", "module"]
            ids = r.sample(range(1, 90), len(names))
            key = dict(zip(names, ids))
            kernels = [xspace.event(key["wrong" if i == wrong else "right"], 1_000 * i * US, (too_long if i == wrong else 900) * US)
                       for i in range(count)]
            copies = [xspace.event(key["Memcpy HtoD"], 100 * US, 5_000 * US), xspace.event(key["Memcpy HtoD"], 200 * US, US)]
            nested = [xspace.event(key["module"], 0, 9_000 * US), xspace.event(key["right"], 10 * US, 20 * US)]
            gpu = xspace.plane(1, "/device:GPU:0", xspace.line(7, "Stream #7(Compute)", kernels),
                               xspace.line(8, "Stream #8(MemcpyH2D)", copies), xspace.line(9, "XLA Modules", nested),
                               *(xspace.event_metadata(i, name) for name, i in key.items()))
            path = self.scratch / f"{seed}.xplane.pb"
            path.write_bytes(xspace.space(gpu))
            with self.subTest(seed=seed):
                lines = {line["line_name"]: line for line in ask("ops", path, "--limit", 0)["lines"]}
                stream = lines["Stream #7(Compute)"]
                self.assertEqual({op["name"]: (op["count"], op["total_ps"], op["self_ps"]) for op in stream["ops"]},
                                 {"right": (count - 1, (count - 1) * 900 * US, (count - 1) * 900 * US),
                                  "wrong": (1, 1_000 * US, 1_000 * US)})
                self.assertEqual((stream["events"], stream["events_cut"]), (count, 1))
                self.assertEqual(stream["busy_ps"], stream["duration_sum_ps"])
                self.assertEqual([(lines[name]["events_cut"], lines[name]["duration_sum_ps"]) for name in lines if "#8" in name],
                                 [(1, 101 * US)])
                self.assertIn("1 kernel lasted over the start of the next one", " ".join(truth.run("ops", path).split()))

    def test_span_ends_with_the_last_event(self):
        trace = Trace()
        for i in range(5):
            trace.kernel("k", 100 * i, 90_000 if i == 1 else 90, trace.call("cudaLaunchKernel", 100 * i, 5))
        path = trace.save(self.scratch / "span.json")
        self.assertEqual(ask("info", path)["files"][0]["last_ps"], 490 * US)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
