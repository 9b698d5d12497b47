#!/usr/bin/env python3
"""`profkit ops --by` of kernels that graphs replay: where the trace has the capture they belong to its launches by order, and to
nothing wherever another answer is possible."""
import json
import random
import sys

import group_rows
import truth

NOTHING = {"op": "", "outer-op": "", "module": [], "source": "", "phase": "", "range": ""}
REPLAYED = {**NOTHING, "range": "replay"}
KEYS = list(NOTHING)
NAMES = ["gemm", "softmax", "norm", "add"]


class Traced:
    """Threads that capture graphs and replay them. `runtime`: "cuda", "cu" or "hip"."""

    def __init__(self, seed, runtime="cuda"):
        self.rng, self.runtime = random.Random(seed), runtime
        self.events, self.kernels, self.clock, self.device_clock, self.next_id = [], [], {11: 1000, 12: 1000}, 1_000_000, 100

    def inside(self, tid, category, name, body, args=None):
        start = self.clock[tid] = self.clock[tid] + self.rng.randint(0, 3)
        made = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "ts": start, "args": args or {}}
        self.events.append(made)
        body()
        self.clock[tid] += self.rng.randint(1, 3)
        made["dur"] = self.clock[tid] - start
        self.clock[tid] += 1

    def call(self, tid, name, length=2, operation=None):
        self.next_id += 1
        start = self.clock[tid] = self.clock[tid] + self.rng.randint(1, 3)
        self.events.append({"ph": "X", "cat": "cuda_driver" if self.runtime == "cu" else "cuda_runtime", "name": self.runtime + name, "pid": 1,
                            "tid": tid, "ts": start, "dur": length,
                            "args": {"correlation": self.next_id, **({} if operation is None else {"External id": operation})}})
        self.clock[tid] += length
        return self.next_id

    def kernel(self, name, correlation, place, stream=7, by_order=False, copy=False, **more):
        start, took = self.device_clock + self.rng.randint(1, 5), self.rng.randint(1, 900)
        self.device_clock = start + took
        self.events.append({"ph": "X", "cat": "gpu_memcpy" if copy else "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": took,
                            "args": {"device": 0, "stream": stream, "correlation": correlation, **more}})
        self.kernels.append({"place": place, "ps": took * 10**6, "by_order": by_order, "shape": "", "work": (0, 0)})
        return self.kernels[-1]

    def launch(self, tid, place, own=False, operation=None):
        """In a capture, or with a kernel of its own. `operation`: its number, the shapes of its inputs, what it does."""
        correlation = self.call(tid, self.rng.choice(["LaunchKernel", "LaunchKernelExC"]), operation=operation and operation[0])
        if own:
            self.kernel("own", correlation, place)
        else:
            self.nodes.append((place, operation))

    def part(self, size):
        """Modules and operators of the main thread, and what runs backward on another, with that many launches."""
        def forward(path, count):
            name = f"Layer_{self.rng.randint(0, 9)}"
            inner = path + [name]

            def body():
                left = count
                while left:
                    kernels = min(left, self.rng.randint(1, 2))
                    left -= kernels
                    op = self.rng.choice(["aten::mm", "aten::add", "aten::view"])
                    place = {"op": op, "outer-op": op, "module": inner, "source": "", "phase": "forward", "range": ""}
                    self.next_id += 1
                    m, n, k = [self.rng.randint(1, 9) for _ in range(3)]
                    shapes, work = {"aten::mm": ([[m, k], [k, n]], (2 * m * n * k, 4 * (m * k + k * n + m * n))),
                                    "aten::add": ([[m, n], [m, n]], (m * n, 12 * m * n)), "aten::view": ([[m, n], []], (0, 0))}[op]
                    args = {"External id": self.next_id, "Input Dims": shapes, "Input type": ["float", "float" if shapes[1] else "ScalarList"]}
                    self.inside(11, "cpu_op", op, lambda place=place, operation=(self.next_id, str(shapes), work), kernels=kernels: [
                        self.launch(11, place, operation=operation) for _ in range(kernels)], args)
            self.inside(11, "python_function", f"nn.Module: {name}", body)

        def backward(count):
            self.clock[12] = self.clock[11]
            for _ in range(count):
                place = {"op": "MmBackward0", "outer-op": "MmBackward0", "module": [], "source": "", "phase": "backward", "range": ""}
                self.inside(12, "cpu_op", "autograd::engine::evaluate_function: MmBackward0", lambda place=place: self.launch(12, place))
            self.clock[11] = self.clock[12]
        behind = self.rng.randint(0, size)
        forward([], size - behind)
        backward(behind)

    def capture(self, size, more=lambda: None, end=True):
        self.nodes = []
        self.call(11, "StreamBeginCapture" + self.rng.choice(["", "_v2"]))
        self.part(size)
        more()
        if end:
            self.call(11, "StreamEndCapture")
        return {"nodes": self.nodes, "names": [self.rng.choice(NAMES) for _ in range(size)], "id": self.next_id}

    def replay(self, graph, known, names=None, streams=(7,), ids=None, copy=False):
        """`ids`: the numbers of graph and nodes that newer recorders write."""
        def body():
            correlation, worked = self.call(11, "GraphLaunch"), {}
            for i, name in enumerate(names or graph["names"]):
                more = {} if ids is None else {"graph id": ids[0], "graph node id": ids[1][i]}
                place, operation = graph["nodes"][i] if known else (REPLAYED, None)
                place = {**place, "range": "replay"}  # open when the graph ran; those of its capture are none of its kernels
                made = self.kernel(name, correlation, place, streams[i % len(streams)], known, **more)
                if operation is not None:
                    made["shape"] = operation[1]
                    worked.setdefault(operation, []).append(made)
                if copy and i == 0:
                    self.kernel("Memcpy DtoD", correlation, REPLAYED, copy=True)
            for (_, _, work), kernels in worked.items():
                max(kernels, key=lambda k: k["ps"])["work"] = work
        self.inside(11, "user_annotation", "replay", body)

    def eager(self):
        place = {"op": "aten::eq", "outer-op": "aten::eq", "module": [], "source": "", "phase": "forward", "range": ""}
        self.inside(11, "cpu_op", "aten::eq", lambda: self.launch(11, place, own=True))

    def write(self, folder):
        path = folder / "graphs.pt.trace.json"
        self.rng.shuffle(self.events)
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": self.events}))
        return path


FIELDS = "count", "self_ps", "flops", "bytes"


def tree(kernels, keys):
    def names(k, key):
        value = k["shape"] if key == "shape" else k["place"][key]
        return (value or [""]) if key == "module" else [value]
    return group_rows.tree(kernels, keys, names, lambda k: (1, k["ps"], *k["work"]))


class GraphOpsTest(truth.Case):
    maxDiff = 3000

    def check_trace(self, t, any_known):
        path = t.write(self.scratch)
        by_order = sum(k["by_order"] for k in t.kernels)
        self.assertEqual(by_order > 0, any_known)
        for keys in [[key] for key in [*KEYS, "shape"]] + [["phase", "module", "op"], ["op", "shape"]]:
            with self.subTest(keys=keys):
                document = truth.loads(truth.run("ops", path, "--by", ",".join(keys), "--json", "--limit", "0"))
                self.assertEqual(group_rows.shown(document, *FIELDS), tree(t.kernels, keys))
                self.assertEqual(document.get("by_order", 0), by_order)
                self.assertEqual(document["unlinked"], sum(not {**k, **k["place"]}[keys[0]] for k in t.kernels))
        text = truth.run("ops", path, "--by", "op")
        self.assertEqual(f"{by_order} that graphs launched belong to launches by their order in a capture" in " ".join(text.split()), any_known)
        return path

    def test_captures_of_different_sizes(self):
        for seed, runtime in enumerate(["cuda", "cu", "hip", "cuda", "cuda", "hip"]):
            with self.subTest(seed=seed):
                t = Traced(seed, runtime)
                t.eager()
                small, large = t.capture(t.rng.randint(1, 4)), t.capture(t.rng.randint(5, 9), more=t.eager)
                t.eager()
                for _ in range(3):
                    t.replay(large, True, copy=seed == 3)
                    t.replay(small, True, ids=(5, [2 * i for i in range(9)]) if seed == 4 else None)
                self.check_trace(t, True)

    def test_launches_of_a_capture_ran_nothing(self):
        t = Traced(3)
        graph = t.capture(4)
        t.replay(graph, True)
        found = truth.loads(truth.run("report", t.write(self.scratch), "--json"))
        self.assertNotIn("no record of a device", json.dumps(found))
        self.assertEqual([f["id"] for f in found["findings"] if "record" in f["title"]], [])

    def nothing(self, make):
        """What is not certain is not said."""
        for seed in range(3):
            with self.subTest(seed=seed):
                t = Traced(seed)
                make(t)
                self.check_trace(t, False)

    def test_two_captures_of_one_size(self):
        def make(t):
            a, b = t.capture(4), t.capture(4)
            if t.rng.random() < 0.5:
                t.replay(a, False)
            t.replay(b, False, names=a["names"])
        self.nothing(make)

    def test_a_replay_before_any_capture(self):
        def make(t):
            graph = {"nodes": [], "names": ["gemm"] * 4}
            t.replay(graph, False)
            graph = t.capture(4)
            t.replay(graph, False)
        self.nothing(make)

    def test_a_replay_of_another_size(self):
        def make(t):
            graph = t.capture(4)
            t.replay(graph, False)
            t.replay(graph, False, names=["gemm"] * 3)
        self.nothing(make)

    def test_replays_with_other_kernels(self):
        def make(t):
            graph = t.capture(4)
            t.replay(graph, False, names=["gemm", "gemm", "add", "add"])
            t.replay(graph, False, names=["gemm", "add", "gemm", "add"])
        self.nothing(make)

    def test_several_streams(self):
        def make(t):
            t.replay(t.capture(4), False, streams=(7, 8))
        self.nothing(make)

    def test_a_stream_that_joins_the_capture(self):
        def make(t):
            t.replay(t.capture(4, more=lambda: t.call(11, "StreamWaitEvent")), False)
        self.nothing(make)

    def test_a_graph_in_a_graph(self):
        def make(t):
            t.replay(t.capture(4, more=lambda: t.call(11, "GraphLaunch")), False)
        self.nothing(make)

    def test_nodes_in_another_order(self):
        def make(t):
            t.replay(t.capture(4), False, ids=(5, [4, 3, 2, 1]))
        self.nothing(make)

    def test_two_graphs_of_one_capture(self):
        def make(t):
            graph = t.capture(4)
            t.replay(graph, False, ids=(5, [1, 2, 3, 4]))
            t.replay(graph, False, ids=(6, [1, 2, 3, 4]))
        self.nothing(make)

    def test_a_capture_without_an_end(self):
        def make(t):
            t.replay(t.capture(4, end=False), False)
        self.nothing(make)

    def test_captures_at_one_time(self):
        def make(t):
            t.clock[13] = t.clock[11] + 3
            t.call(13, "StreamBeginCapture")
            graph = t.capture(4)
            t.clock[13] = t.clock[11]
            t.call(13, "StreamEndCapture")
            t.replay(graph, False)
        self.nothing(make)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
