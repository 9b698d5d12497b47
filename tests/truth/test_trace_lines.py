"""Lines and events of trace JSON: `ops` counts those that `info` counts, or says which it leaves out and why."""
import collections
import gzip
import json
import random
import sys

import truth
from trace_events import meta

US = 1_000_000  # ps
SEEDS = range(1, 21)
UNTOLD = "events of traces that do not say which are of devices"


def span(pid, tid, name, start, size, **more):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": size, **more}


def ask(command, path, *options, **how):
    return truth.parsed(truth.run(command, path, "--json", *options, **how))


def is_trace(document, file):
    return document["files"][file]["family"] == "chrome_trace"


class Lines(truth.Case):
    def save(self, events, name="a.json"):
        return self.write(name, json.dumps({"traceEvents": events}))

    def agree(self, path):
        """Every line and every event of `info` is in `ops`, or it says that it is not."""
        info, ops = ask("info", path), ask("ops", path, "--limit", 0)
        lines = [line for file in info["files"] if file["family"] == "chrome_trace" and file["export_of"] < 0
                 for plane in file["planes"] for line in plane["lines"]]
        shown = [line for line in ops["lines"] if is_trace(ops, line["file"])]
        out = ops.get("left_out", [])
        self.assertEqual(sum(line["events"] for line in lines),
                         sum(line["events"] for line in shown) + sum(row["events"] for row in out), path)
        self.assertEqual(len(lines), len(shown) + sum(row["lines"] for row in out), path)
        for row in out:
            self.assertTrue(row["why"])
            self.assertGreater(row["lines"] + row["events"], 0)
        return info, ops

    def totals(self, ops):
        found = collections.Counter()
        counts = collections.Counter()
        for line in ops["lines"]:
            for op in line["ops"]:
                found[op["name"]] += op["total_ps"]
                counts[op["name"]] += op["count"]
        return {name: (counts[name], found[name]) for name in found}

    # ---- ids of every kind ----

    def ids(self, r, kind):
        return {"small": lambda: r.randrange(1, 9), "big": lambda: r.randrange(2**63, 2**64),
                "long": lambda: r.randrange(2**62, 2**63), "negative": lambda: -r.randrange(1, 2**40),
                "text": lambda: f"warp {r.randrange(99)} (line:{r.randrange(9)})",
                "digits": lambda: str(r.randrange(99)), "none": lambda: None}[kind]()

    def test_ids(self):
        for seed in SEEDS:
            r = random.Random(seed)
            events, right, threads = [], collections.Counter(), collections.Counter()
            for p in range(r.randrange(1, 5)):
                pid = f"core {p}" if r.random() < 0.5 else p if r.random() < 0.7 else 2**63 + p
                if r.random() < 0.3:
                    events.append(meta("process_name", pid, None, r.choice(["engine", "core"])))
                for tid in {self.ids(r, r.choice(["small", "big", "long", "text", "negative", "digits", "none"]))
                            for _ in range(r.randrange(1, 6))}:
                    at = 0
                    for _ in range(r.randrange(1, 5)):
                        name, size = r.choice(["load", "mma", "store"]), r.randrange(1, 50)
                        if r.random() < 0.5:
                            events.append(span(pid, tid, name, at, size))
                        else:
                            events += [{"ph": ph, "name": name, "pid": pid, "tid": tid, "ts": at + more}
                                       for ph, more in (("B", 0), ("E", size))]
                        at += size + r.randrange(3)
                        right[name] += size * US
                        threads[repr((pid, tid))] += 1
            with self.subTest(seed=seed):
                path = self.save(events, f"{seed}.json")
                info, ops = self.agree(path)
                self.assertEqual((ops["source"], len(ops["lines"])), (UNTOLD, len(threads)))
                self.assertEqual({name: total for name, (_, total) in self.totals(ops).items()}, right)
                self.assertNotIn("left_out", ops)
                self.assertEqual(sum(threads.values()), sum(line["events"] for line in ops["lines"]))
                report = ask("report", path)
                self.assertEqual(report["ops"]["lines"], ask("ops", path)["lines"])
                # No device is known, and none is said to be missing.
                reason = ask("bubbles", path)["reason"]
                self.assertIn(f"{sum(threads.values())} event", reason)
                self.assertNotIn("no kernel of a device", reason)
                del info

    def test_kernels_on_threads_that_are_text(self):
        """Each is a line, and each process without a number a device."""
        events = [span(pid, tid, f"k{i}", 10 * i, 5, cat="kernel", args={})
                  for i, (pid, tid) in enumerate([("gpu a", "q0"), ("gpu a", "q1"), ("gpu b", "q0"), ("gpu b", 2**63 + 1)])]
        _, ops = self.agree(self.save(events))
        self.assertEqual([(line["plane_name"], line["line_name"], line["events"]) for line in ops["lines"]],
                         [("GPU gpu a", "stream q0", 1), ("GPU gpu a", "stream q1", 1), ("GPU gpu b", "stream q0", 1),
                          ("GPU gpu b", "stream 9223372036854775809", 1)])

    def test_a_recorder_that_tells_devices(self):
        """A host of PyTorch without a device says so; what says nothing beside its kernels is left out aloud."""
        host = [span(5, 1, "aten::mm", 0, 10, cat="cpu_op")]
        _, ops = self.agree(self.save(host))
        self.assertEqual(ops["source"], "host spans of traces: no device is recorded")
        self.assertEqual(ask("bubbles", self.scratch / "a.json")["reason"], "no kernel of a device was found here")
        events = host + [span(0, 7, "k", 0, 5, cat="kernel", args={"device": 0, "stream": 7}),
                         span("who", "knows", "x", 0, 5), {"ph": "i", "name": "now", "pid": 5, "tid": 1, "ts": 3},
                         {"ph": "C", "name": "bytes", "pid": 5, "ts": 3, "args": {}},
                         {"ph": "B", "name": "open", "pid": 5, "tid": 9, "ts": 3}, span(0, 7, "?", 9, 5)]
        _, ops = self.agree(self.save(events, "b.json"))
        self.assertEqual({(row["lines"], row["events"]) for row in ops["left_out"]}, {(1, 1), (0, 1), (1, 2), (1, 0)})

    # ---- devices told by arguments and names ----

    def rocprof(self, r, gpus):
        """(events, kernels by device, calls): times are text, devices are told by arguments."""
        events, busy, calls = [meta("process_name", 2, 0, "CPU HIP API")], collections.defaultdict(list), 0
        for gpu in range(gpus):
            events.append(meta("process_name", 6 + gpu, 0, f"GPU{gpu}"))
        at = r.randrange(10**11, 10**12)
        device_key = r.choice(["dev-id", "gpu-id"])
        for i in range(r.randrange(2, 30)):
            gpu, queue, size = r.randrange(gpus), r.randrange(3), r.randrange(1, 900)
            at += r.randrange(1, 2000)
            events.append({"ph": "X", "name": "hipLaunchKernel", "pid": 2, "tid": 4711, "ts": str(at), "dur": "5",
                           "args": {"BeginNs": f"{at}000", "EndNs": f"{at + 5}000", "pid": "4711"}})
            calls += 1
            more_ns = r.randrange(1000)
            begin = 1000 * (at + 10)
            events.append({"ph": "X", "name": f"k{i % 3}(int*)", "pid": 6 + gpu, "tid": queue, "ts": str(at + 10),
                           "dur": str(size), "args": {"BeginNs": str(begin), "EndNs": str(begin + 1000 * size + more_ns),
                                                      device_key: str(gpu), "queue-id": str(queue)}})
            busy[gpu].append((begin, begin + 1000 * size + more_ns, queue))
        return events, busy, calls

    @staticmethod
    def union(spans):
        total, end = 0, 0
        for begin, stop, *_ in sorted(spans):
            total += max(stop - max(begin, end), 0)
            end = max(end, stop)
        return total

    def test_rocprof(self):
        for seed in SEEDS:
            r = random.Random(seed)
            events, busy, calls = self.rocprof(r, r.randrange(1, 5))
            path = self.save(events, f"rocprof{seed}/results.json")
            with self.subTest(seed=seed):
                _, ops = self.agree(path)
                self.assertEqual(ops["source"], "kernels of traces and tables")
                self.assertEqual({line["plane_name"] for line in ops["lines"]}, {f"GPU {gpu}" for gpu in busy})
                self.assertEqual(len(ops["lines"]), len({(gpu, k[2]) for gpu, kernels in busy.items() for k in kernels}))
                # To the nanosecond, which whole microseconds of the event do not have.
                self.assertEqual(sum(line["duration_sum_ps"] for line in ops["lines"]),
                                 sum(1000 * (end - begin) for kernels in busy.values() for begin, end, _ in kernels))
                self.assertEqual([(row["lines"], row["events"]) for row in ops["left_out"]], [(1, calls)])
                report = ask("report", path)["summary"]
                self.assertEqual({d["device"]: d["busy_ps"] for d in report["busy_devices"]},
                                 {f"GPU {gpu}": 1000 * self.union(kernels) for gpu, kernels in busy.items()})
                for text in (truth.run("report", path), truth.run("ops", path), truth.run("bubbles", path)):
                    self.assertNotIn("no device is recorded", text)
                    self.assertNotIn("no kernel of a device", text)
                names = ask("framework", path)["names"]
                self.assertEqual([(n["name"], n["count"]) for n in names], [("hipLaunchKernel", calls)])

    def test_rocprof_copies_and_barriers(self):
        def event(pid, tid, name, at, size, **args):
            return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": str(at), "dur": str(size),
                    "args": {"BeginNs": f"{at}000", "EndNs": f"{at + size}000", **args}}
        events = [meta("process_name", pid, 0, name) for pid, name in ((0, "Markers and Ranges"), (1, "COPY"), (2, "CPU HIP API"),
                                                                      (6, "GPU0"), (518, "GPU Barriers0"))]
        events += [event(6, 1, "k", 100, 50, **{"dev-id": "0"}), event(1, 1, "CopyHostToDevice", 200, 30, **{"dev-id": "0"}),
                   event(1, 9, "async-copy", 300, 20), event(518, 1, "<barrier packet>", 150, 40, **{"dev-id": "0"}),
                   event(0, 3, "epoch", 0, 900), event(2, 3, "hipMemcpy", 190, 50)]
        path = self.save(events)
        _, ops = self.agree(path)
        self.assertEqual([(line["plane_name"], line["line_name"], op["name"], op["stats"]["category"], op["total_ps"] // US)
                          for line in ops["lines"] for op in line["ops"]],
                         [("GPU 0", "stream 1", "k", "compute", 50), ("GPU 0", "COPY stream 1", "CopyHostToDevice", "copy", 30),
                          ("GPU 0", "barriers stream 1", "<barrier packet>", "other", 40), ("GPU 0", "COPY stream 9", "async-copy", "copy", 20)])
        kinds = {e["name"]: next(s["value"] for s in e["stats"]) for e in ask("framework", path)["events"]}
        self.assertEqual(kinds, {"epoch": "annotation", "hipMemcpy": "runtime"})

    def timeline(self, r, streams, separate_copies):
        """A timeline of TensorFlow 1.x: each kernel on "stream:all" and on its stream, each copy on "memcpy" and on its stream."""
        processes = ["/job:localhost/replica:0/task:0/device:GPU:0 Compute", "/device:GPU:0/stream:all Compute", "/device:GPU:0/memcpy Compute"]
        processes += [f"/device:GPU:0/stream:{n} Compute" for n in range(13, 13 + streams)]
        pids = {name: 2 * i + 1 for i, name in enumerate(processes)}
        events, right = [meta("process_name", pid, None, name) for name, pid in pids.items()], collections.Counter()

        def add(process, name, at, size):
            events.append(span(pids[process], 0, name, at, size, cat="Op", args={"name": name, "op": name}))
        for i in range(r.randrange(3, 20)):
            at, size, copy = 1000 * i, r.randrange(1, 900), r.random() < 0.4
            name = "MEMCPYHtoD" if copy else r.choice(["MatMul", "Conv2D"])
            add(processes[0], name, at - 20, 10)
            add(processes[2] if copy else processes[1], name, at, size)
            if streams and not (copy and separate_copies):
                add(processes[3 + r.randrange(streams)], name, at, size)
            right[name] += size * US
        return events, right

    def test_timeline_of_tensorflow(self):
        for seed in SEEDS:
            r = random.Random(seed)
            streams, separate = r.choice([(0, False), (1, False), (3, False), (2, True)])
            events, right = self.timeline(r, streams, separate)
            with self.subTest(seed=seed):
                _, ops = self.agree(self.save(events, f"timeline{seed}.json"))
                self.assertEqual({name: total for name, (_, total) in self.totals(ops).items()}, right)
                self.assertEqual({line["plane_name"] for line in ops["lines"]}, {"GPU 0"})
                kinds = {op["name"]: op["stats"]["category"] for line in ops["lines"] for op in line["ops"]}
                self.assertEqual(kinds, {name: "copy" if "MEMCPY" in name else "compute" for name in right})

    def test_lines_of_a_device_that_have_no_name(self):
        """They are streams; beside lines whose names are known they are left out aloud."""
        unnamed = [meta("process_name", 1, 0, "/device:GPU:0"), span(1, 5, "k", 0, 3), span(1, "six", "k", 2, 4)]
        _, ops = self.agree(self.save(unnamed))
        self.assertEqual([(line["plane_name"], line["line_name"], line["busy_ps"]) for line in ops["lines"]],
                         [("GPU 0", "stream 5", 3 * US), ("GPU 0", "stream six", 4 * US)])
        named = unnamed + [meta("thread_name", 1, 8, "Stream #8"), span(1, 8, "k", 0, 9)]
        _, ops = self.agree(self.save(named, "b.json"))
        self.assertEqual([line["line_name"] for line in ops["lines"]], ["Stream #8"])
        self.assertEqual([(row["lines"], row["events"]) for row in ops["left_out"]], [(2, 2)])

    # ---- real ones ----

    def check_folder(self, folder):
        """Traces of 16 MiB and less; gives how many there are."""
        looked_at = 0
        for path in sorted(folder.rglob("*")):
            if not path.name.endswith((".json", ".json.gz")) or path.stat().st_size > 16 << 20:
                continue
            with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
                head = file.read(1 << 16)
            if b'"traceEvents"' not in head and b'"ph"' not in head:
                continue
            with self.subTest(path=path):
                self.agree(path)
            looked_at += 1
        return looked_at

    def test_real_traces(self):
        self.assertGreaterEqual(self.check_folder(truth.ROOT / "tests" / "data"), 4)

    def test_the_corpus(self):
        self.assertGreaterEqual(self.check_folder(truth.corpus("captures")), 10)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
