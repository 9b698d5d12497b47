#!/usr/bin/env python3
"""`profkit ops --by`: of random programs, whose kernels know where they come from because they were made there, and of real
captures, whose recorder numbers operators and kernels alike."""
import gzip
import json
import os
import pathlib
import random
import re
import sys
from collections import defaultdict
from fractions import Fraction

import group_rows
import truth
import xspace as x
from wire import message, number

UNKNOWN = ""
KEYS = ["kernel", "function", "instruction", "op", "outer-op", "module", "module-kind", "range", "source", "phase", "stream", "category", "device"]


class Program:
    """Threads of a host that call one another, and the kernels that they launch."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.events, self.kernels, self.clock, self.device_clock = [], [], {}, {7: 10_000_000, 20: 10_000_000}
        self.next_id, self.sequence, self.ranges = 1, 100, []

    def event(self, **fields):
        self.events.append({"ph": "X", "pid": 1, **fields})
        return self.events[-1]

    def inside(self, tid, category, name, body, args=None):
        """A span around what the body does."""
        start = self.clock.setdefault(tid, 1000) + self.rng.randint(0, 3)
        self.clock[tid] = start
        made = self.event(cat=category, name=name, tid=tid, ts=start, args=args or {})
        if category == "user_annotation":
            self.ranges.append(name)
        body()
        if category == "user_annotation":
            self.ranges.pop()
        self.clock[tid] += self.rng.randint(1, 3)
        made["dur"] = self.clock[tid] - start
        self.clock[tid] += self.rng.randint(0, 2)

    def launch(self, tid, place, call="cudaLaunchKernel"):
        """`place`: op, outer op, modules, source, phase."""
        start = self.clock[tid] = self.clock[tid] + self.rng.randint(0, 2)
        took = self.rng.randint(1, 4)
        self.event(cat="cuda_runtime", name=call, tid=tid, ts=start, dur=took, args={"correlation": self.next_id})
        self.clock[tid] += took
        for _ in range(3 if call == "cudaGraphLaunch" else 1):
            self.kernel(place, self.next_id, call == "cudaGraphLaunch")
        self.next_id += 1

    def kernel(self, place, correlation=None, by_graph=False):
        stream = self.rng.choice([7, 7, 20])
        start, took = self.device_clock[stream] + self.rng.randint(0, 5), self.rng.randint(1, 900)
        self.device_clock[stream] = start + took
        category = self.rng.choice(["kernel"] * 5 + ["gpu_memcpy"])
        name = self.rng.choice(["gemm_a", "gemm_b", "softmax"]) if category == "kernel" else "Memcpy HtoD (Pinned -> Device)"
        args = {"device": 0, "stream": stream}
        if correlation is not None:
            args["correlation"] = correlation
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start, "dur": took, "args": args})
        op, outer, modules, source, phase = place
        ranges = list(self.ranges) if correlation is not None and self.ranges else [""]
        self.kernels.append({"kernel": [name], "function": [name], "instruction": [""], "op": ["" if by_graph else op], "outer-op": ["" if by_graph else outer],
                             "module": modules or [""], "module-kind": [re.sub(r"_\d+$", "", modules[-1]) if modules else ""],
                             "range": ranges, "source": [source], "phase": [phase], "stream": [f"stream {stream}"],
                             "category": ["compute" if category == "kernel" else "copy"], "device": ["GPU 0"], "ps": took * 1_000_000,
                             "by_graph": by_graph})

    def op(self, tid, place, depth=0, sequence=None):
        name = self.rng.choice(["aten::linear", "aten::addmm", "aten::mm", "aten::copy_"])
        _, outer, modules, source, phase = place
        phase = phase or "forward"
        inner = (name, outer or name, modules, source, phase)
        args = {"External id": self.rng.randint(1, 999)}
        if sequence is not None:
            args["Sequence number"] = sequence

        def body():
            for _ in range(self.rng.randint(0, 2)):
                if depth < 2 and self.rng.random() < 0.5:
                    self.op(tid, inner, depth + 1)
                elif self.rng.random() < 0.1:
                    self.launch(tid, inner, "cudaGraphLaunch")
                else:
                    self.launch(tid, inner)
        self.inside(tid, "cpu_op", name, body, args)

    def module(self, tid, path, source, depth):
        name = self.rng.choice(["Linear_%d", "Block_%d", "Norm_%d"]) % self.rng.randint(0, 3)
        path = path + [name]
        line = f"net/model_{depth}.py({self.rng.randint(1, 99)}): forward"

        def frame():
            for _ in range(self.rng.randint(1, 3)):
                if depth < 3 and self.rng.random() < 0.5:
                    self.inside(tid, "python_function", "torch/nn/modules/module.py(1743): _call_impl",
                                lambda: self.module(tid, path, line, depth + 1))
                else:
                    self.sequence += 1
                    self.forward.append((self.sequence, path, line))
                    self.op(tid, ("", "", path, line, ""), sequence=self.sequence)
            if self.rng.random() < 0.2:  # a call that no operator makes
                self.launch(tid, ("", "", path, line, "forward"))
            if self.rng.random() < 0.2:
                self.launch(tid, ("", "", path, line, "forward"), "cudaGraphLaunch")
        self.inside(tid, "python_function", f"nn.Module: {name}", lambda: self.inside(tid, "python_function", line, frame))

    def backward(self, tid):
        for sequence, path, line in reversed(self.forward):
            node = self.rng.choice(["AddmmBackward0", "MmBackward0"])
            place = (node, node, path, line, "backward")
            early = self.rng.random() < 0.3  # as early recorders: no span of the engine around the node

            def body(place=place):
                self.op(tid, place)
                if self.rng.random() < 0.3:
                    self.launch(tid, place)
            named = lambda: self.inside(tid, "cpu_op", node, body, {"Sequence number": sequence})  # noqa: E731
            if early:
                named()
            else:
                self.inside(tid, "cpu_op", f"autograd::engine::evaluate_function: {node}", named, {"Sequence number": sequence})

    def wait_for_backward(self):
        self.clock[12] = max(self.clock.get(12, 0), self.clock[11])
        self.backward(12)
        self.clock[11] = max(self.clock[11], self.clock[12])

    def step(self):
        self.forward = []
        self.op(11, ("", "", [], "", ""), sequence=self.sequence + 1)  # what runs before has the number of the next that runs backward
        entering = self.event(cat="python_function", name="net/ranges.py(9): __enter__", tid=11, ts=self.clock[11] - 1)
        self.inside(11, "user_annotation", "my region", lambda: self.module(11, [], "", 0))
        region = next(e for e in reversed(self.events) if e["name"] == "my region")  # begins in that function and outlives it
        entering["dur"] = region["ts"] + 1 - entering["ts"]
        self.module(11, [], "", 0)
        if self.rng.random() < 0.5:  # the thread that asks for it waits in its ranges
            self.inside(11, "user_annotation", "step", lambda: self.inside(11, "user_annotation", "backward / all", self.wait_for_backward))
        else:
            self.wait_for_backward()
        self.inside(11, "user_annotation", "Optimizer.step#AdamW.step", lambda: self.op(11, ("", "", [], "", "optimizer")))
        self.kernel(("", "", [], "", ""))  # launched before the recording began

    def text(self):
        self.rng.shuffle(self.events)
        return json.dumps({"schemaVersion": 1, "traceEvents": self.events})


def tree(items, keys):
    """The rows of a tree by path: [executions, self time, own self time]."""
    rows = defaultdict(lambda: [0, 0, 0])
    for item in items:
        path = ()
        for key in keys:
            for name in item[key]:
                path += ((key, name),)
                rows[path][0] += item.get("count", 1)
                rows[path][1] += item["ps"]
        rows[path][2] += item["ps"]
    return {path: tuple(sums) for path, sums in rows.items()}


def shown(document):
    return group_rows.shown(document, "count", "self_ps", "own_ps")


class OpGroupsTest(truth.Case):
    maxDiff = 3000

    def ask(self, path, by, *more):
        return truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0", *more))

    def check(self, path, items, keys):
        document = self.ask(path, ",".join(keys))
        self.assertEqual(shown(document), tree(items, keys), keys)
        first = [i for i in items if i[keys[0]][0] == UNKNOWN]
        self.assertEqual((document["unlinked"], document["unlinked_ps"]),
                         (sum(i.get("count", 1) for i in first), sum(i["ps"] for i in first)))
        self.assertEqual((document["count"], document["self_ps"]), (sum(i.get("count", 1) for i in items), sum(i["ps"] for i in items)))
        self.assertEqual(document["by_graph"], sum(i["by_graph"] for i in first))
        self.assertEqual(document["by"], list(keys))
        order = [(g["depth"], g["self_ps"]) for g in document["groups"]]
        siblings = {}
        for depth, ps in order:  # the longest first among those of one parent
            siblings = {d: p for d, p in siblings.items() if d <= depth}
            self.assertLessEqual(ps, siblings.get(depth, ps))
            siblings[depth] = ps
        return document

    def check_rows(self, path, items):
        """The table: a tree for each key."""
        found, paths = {}, []
        for row in truth.rows("op_groups", truth.run("rows", path, "op_groups", "--format", "json")):
            inside = [] if row["parent"] is None else paths[row["parent"]]
            self.assertEqual([row[key] for key in ("depth", "device_name", "rank", "node")], [len(inside), "GPU 0", None, None])
            paths.append(inside + [(row["by"], row["name"] or UNKNOWN)])
            found[tuple(paths[-1])] = tuple(row[name] for name in ("count", "self_ps", "own_ps"))
        keys = {key for ((key, _), *_) in found}
        self.assertEqual(keys, {"op", "outer-op", "module", "module-kind", "range", "source", "phase", "kind", "category", "program"})
        expected = {}
        for key in keys - {"kind", "program"}:
            expected.update(tree(items, [key]))
        self.assertEqual({path: sums for path, sums in found.items() if path[0][0] not in ("kind", "program")}, expected)

    def test_random_programs(self):
        rng = random.Random(1)
        for seed in range(12):
            program = Program(seed)
            for _ in range(rng.randint(1, 3)):
                program.step()
            path = self.scratch / f"{seed}.pt.trace.json"
            path.write_text(program.text())
            self.check_rows(path, program.kernels)
            for keys in [[key] for key in KEYS] + [rng.sample(KEYS, 2) for _ in range(6)] + [rng.sample(KEYS, 3)]:
                with self.subTest(seed=seed, keys=keys):
                    self.check(path, program.kernels, keys)

    def test_limits_keep_the_largest(self):
        program = Program(77)
        for _ in range(3):
            program.step()
        path = self.scratch / "t.pt.trace.json"
        path.write_text(program.text())
        whole = shown(self.ask(path, "module,op"))
        for limit in (1, 3, 7):
            document = truth.loads(truth.run("ops", path, "--by", "module,op", "--json", "--limit", limit))
            kept = shown(document)
            self.assertEqual(len(kept), limit)
            self.assertEqual(document["groups_left_out"], len(whole) - limit)
            self.assertEqual(sorted((v[1] for v in kept.values()), reverse=True), sorted((v[1] for v in whole.values()), reverse=True)[:limit])

    def test_folded_stacks(self):
        program = Program(5)
        program.step()
        path, folded = self.scratch / "t.pt.trace.json", self.scratch / "s.folded"
        path.write_text(program.text())
        truth.run("ops", path, "-o", folded)
        expected = defaultdict(int)
        for k in program.kernels:
            expected[";".join(n or "(not recorded)" for key in ("module", "op", "kernel") for n in k[key])] += k["ps"] // 1000
        lines = dict(line.rsplit(" ", 1) for line in folded.read_text().splitlines())
        self.assertEqual({k: int(v) for k, v in lines.items()}, dict(expected))
        # What is left out counts for what it lies in: no time is lost.
        whole = sum(expected.values())
        for limit in (1, 2, 4):
            truth.run("ops", path, "-o", folded, "--limit", limit)
            lines = [line.rsplit(" ", 1) for line in folded.read_text().splitlines()]
            self.assertLessEqual(len(lines), limit)
            outer = {name for name, _ in lines if ";" not in name}
            kept = {k: v for k, v in expected.items() if k.split(";")[0] in outer | {name.split(";")[0] for name, _ in lines}}
            self.assertEqual(sum(int(ns) for _, ns in lines), sum(kept.values()), whole)

    def test_folded_stacks_with_a_limit(self):
        """The longest, as in a table; a limit of 0, like none, keeps all."""
        kernels = {f"kernel{at}": [70 + at, 500 - 10 * at] for at in range(60)}  # us
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1_000 * (2 * at + second), "dur": dur,
                   "args": {"device": 0, "stream": 7}} for at, (name, durs) in enumerate(kernels.items()) for second, dur in enumerate(durs)
                  if dur > 0]
        path, folded = self.scratch / "t.pt.trace.json", self.scratch / "s.folded"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        # 570 us of the first down to 120 us of the fiftieth; later ones run once, and take 120 us to 129 us.
        longest = sorted(kernels, key=lambda name: -sum(d for d in kernels[name] if d > 0))
        for limit in (None, 0, 1, 2, 7, 45):
            truth.run("ops", path, "--by", "kernel", "-o", folded, *([] if limit is None else ["--limit", limit]))
            lines = dict(line.rsplit(" ", 1) for line in folded.read_text().splitlines())
            self.assertEqual({k: int(v) for k, v in lines.items()},
                             {k: 1000 * sum(d for d in kernels[k] if d > 0) for k in longest[:limit or None]}, limit)

    def test_scopes_of_an_xspace(self):
        """tf_op and source of op metadata; [name, tf_op, modules, op, phase]."""
        ops = [
            ("fusion.1", "jit(step)/jit(main)/jvp(Net)/layer_0/attn/dot_general", ["Net", "layer_0", "attn"], "dot_general", "forward"),
            ("fusion.2", "jit(step)/transpose(jvp(Net))/layer_0/attn/dot_general", ["Net", "layer_0", "attn"], "dot_general", "backward"),
            ("fusion.3", "jit(step)/jit(main)/while/body/layer_1/add:", ["layer_1"], "add", ""),
            ("fusion.4", "model/dense/MatMul:MatMul", ["model", "dense"], "MatMul", ""),
            ("fusion.5", "jit(step)/transpose(jvp(a/b))/rematted_computation/mul", ["a/b"], "mul", "backward"),
            ("copy.6", "", [""], "", ""),
        ]
        stat_names = ["tf_op", "source", "hlo_category"]
        metadata = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, name))) for i, name in enumerate(stat_names, 1))
        items, events, offset = [], b"", 0
        for at, (name, tf_op, modules, op, phase) in enumerate(ops, 1):
            stats = message(5, number(1, 3) + message(5, "loop fusion" if at % 2 else "copy"))
            if tf_op:
                stats += message(5, number(1, 1) + message(5, tf_op)) + message(5, number(1, 2) + message(5, f"net.py:{at}"))
            metadata += message(4, number(1, at) + message(2, number(1, at) + message(2, name) + stats))
            for _ in range(at):
                took = 1000 * at + 7
                events += message(4, number(1, at) + number(2, offset) + number(3, took))
                offset += took + 5
                items.append({"kernel": [name], "function": [name], "instruction": [name], "op": [op], "outer-op": [op], "module": modules, "module-kind": [
                    re.sub(r"_\d+$", "", modules[-1])], "range": [""], "phase": [phase], "source": [f"net.py:{at}" if tf_op else ""],
                    "category": ["loop fusion" if at % 2 else "copy"], "stream": ["XLA Ops"], "device": ["/device:TPU:0"], "ps": took,
                    "by_graph": False})
        plane = message(1, number(1, 1) + message(2, "/device:TPU:0") + metadata + message(3, number(1, 1) + message(2, "XLA Ops") + events))
        path = self.scratch / "vm.xplane.pb"
        path.write_bytes(plane)
        for keys in [[key] for key in KEYS] + [["phase", "module", "op"], ["module", "kernel"]]:
            with self.subTest(keys=keys):
                self.check(path, items, keys)

    def test_events_and_programs_of_an_xspace(self):
        """Of GPUs and CPUs the events name instructions, and the program inside the file says the rest."""
        rng = random.Random(4)
        names = ["hlo_op", "name", "tf_op", "program_id", "hlo_module", "Hlo Proto"]
        stats_metadata = b"".join(message(5, number(1, i) + message(2, number(1, i) + message(2, n))) for i, n in enumerate(names, 1))
        # Instructions: name, opcode, fusion kind, scope, source file and line, or the stack frame that has them.
        programs = {
            7: ("jit_a", [("fusion.1", "fusion", "kLoop", "jit(a)/net/layer_0/mul", "net.py", 3, 0),
                          ("dot.2", "dot", "", "jit(a)/net/layer_0/dot_general", "", 0, 2),
                          ("custom-call.3", "custom-call", "", "", "", 0, 0)]),
            9: ("jit_b", [("fusion.1", "fusion", "kInput", "jit(b)/transpose(jvp(net))/add", "", 0, 1)]),
        }
        frames = [("model.py", 11), ("train.py", 22)]
        table = message(17, b"".join(message(1, f) for f, _ in frames)
                        + b"".join(message(3, number(1, i) + number(3, at)) for i, (_, at) in enumerate(frames, 1))
                        + b"".join(message(4, number(1, i)) for i in (1, 2)))
        metadata_plane = b""
        for program, (module, instructions) in programs.items():
            body = b""
            for at, (name, opcode, kind, scope, file, where, frame) in enumerate(instructions, 1):
                body += message(2, message(1, name) + message(2, opcode) + (message(11, kind) if kind else b"") + number(35, at) + message(
                    7, message(2, scope) + (message(3, file) + number(4, where) if file else b"") + (number(15, frame) if frame else b"")))
            proto = message(1, message(1, module) + message(2, "main") + message(3, message(1, "main") + body + number(5, 1)) + number(5, program)
                            + number(6, 1) + table)
            metadata_plane += message(4, number(1, program) + message(2, number(1, program) + message(2, f"{module}({program})")
                                                                       + message(5, number(1, 6) + message(6, proto))))
        items, events, kernels, offset = [], b"", ["gemm.kd", "loop.kd"], 0
        for _ in range(60):
            kernel = rng.randrange(2)
            program = rng.choice(list(programs))
            module, instructions = programs[program]
            name, opcode, kind, scope, file, where, frame = rng.choice(instructions)
            named = rng.random() < 0.5 and scope  # the event says the scope itself
            if rng.random() < 0.2:  # of an instruction that the program does not have
                name, opcode, kind, scope, file, where, frame, named = "gone.4", "", "", "jit(a)/net/extra_9/sub", "", 0, 0, True
            stats = message(4, number(1, 1) + message(5, name)) + message(4, number(1, 4) + number(4, program))
            stats += message(4, number(1, 5) + message(5, module)) + message(4, number(1, 3) + message(5, "XlaModule:"))
            if named:  # the whole of it, or only the way there
                said = scope if name == "gone.4" else rng.choice([scope, scope.split("/")[0]])
                stats += message(4, number(1, 2) + message(5, said))
            took = rng.randint(1, 10**6)
            events += message(4, number(1, kernel + 1) + number(2, offset) + number(3, took) + stats)
            offset += took + rng.randint(0, 9)
            parts = scope.split("/")[1:-1]
            modules = [p.replace("transpose(jvp(", "").replace("))", "") for p in parts]
            file, where = (file, where) if file else frames[frame - 1] if frame else ("", 0)
            op = scope.split("/")[-1]
            items.append({"kernel": [kernels[kernel]], "function": [kernels[kernel].replace(".kd", "")], "instruction": [name], "op": [op], "outer-op": [op], "module": modules or [""],
                          "module-kind": [re.sub(r"_\d+$", "", modules[-1]) if modules else ""], "range": [""],
                          "phase": ["backward" if "transpose" in scope else ""], "source": [f"{file}:{where}" if file else ""],
                          "category": [{"kLoop": "loop fusion", "kInput": "input fusion"}.get(kind, opcode)], "stream": ["Stream #1(Compute)"],
                          "device": ["/device:GPU:0"], "program": [f"{module}({program})"], "ps": took, "by_graph": False})
        device = message(1, number(1, 1) + message(2, "/device:GPU:0") + stats_metadata + b"".join(
            message(4, number(1, i) + message(2, number(1, i) + message(2, k))) for i, k in enumerate(kernels, 1))
            + message(3, number(1, 1) + message(2, "Stream #1(Compute)") + events))
        host = message(1, number(1, 2) + message(2, "/host:metadata") + stats_metadata + metadata_plane)
        path = self.scratch / "gpu.xplane.pb"
        path.write_bytes(device + host)
        for keys in [[key] for key in KEYS + ["program"]] + [["phase", "module", "op"], ["program", "source", "kernel"]]:
            with self.subTest(keys=keys):
                self.check(path, items, keys)

    def test_steps_of_an_xspace(self):
        """An event belongs to the step of its device in which it begins, wherever it ends."""
        rng = random.Random(8)
        items, planes = [], b""
        for device in range(3):
            steps, now = [], rng.randint(0, 50)
            for _ in range(rng.randint(2, 6) if device else 0):
                took = rng.randint(5, 60)
                steps.append((now, now + took))
                now += took + rng.choice([0, 0, 9])
            starts = sorted([rng.randint(0, 300) for _ in range(80)] + [end for _, end in steps])
            events = b""
            for at, start in enumerate(starts):
                took = min(rng.randint(1, 30), (starts + [400])[at + 1] - start)  # they do not overlap
                events += message(4, number(1, 1 + at % 2) + number(2, start) + number(3, took))
                index = next((i for i, (begin, end) in enumerate(steps) if begin <= start < end), None)
                items.append({"step": ["" if index is None else f"step {index}"], "kernel": ["ab"[at % 2]], "device": [f"/device:TPU:{device}"],
                              "ps": took, "by_graph": False})
            marks = b"".join(message(4, number(1, 3) + number(2, a) + number(3, b - a)) for a, b in steps)
            names = b"".join(message(4, number(1, i) + message(2, number(1, i) + message(2, n))) for i, n in ((1, "a"), (2, "b"), (3, "77")))
            planes += message(1, number(1, device) + message(2, f"/device:TPU:{device}") + names
                              + (message(3, number(1, 2) + message(2, "Steps") + marks) if steps else b"")
                              + message(3, number(1, 1) + message(2, "XLA Ops") + events))
        path = self.scratch / "vm.xplane.pb"
        path.write_bytes(planes)
        for item in items:  # a device without steps of its own has those of the file
            if item["device"] == ["/device:TPU:0"]:
                item["step"] = None
        rest = [i for i in items if i["step"] is not None]
        document = self.ask(path, "device,step,kernel")
        found = {p: v for p, v in shown(document).items() if p[0][1] != "/device:TPU:0"}
        self.assertEqual(found, tree(rest, ["device", "step", "kernel"]))
        self.assertEqual(document["self_ps"], sum(i["ps"] for i in items))

    def test_steps_are_those_that_can_be_asked_for(self):
        """Of PyTorch a step of a device is what was launched in it; each kernel is in one step, or in none."""
        paths = sorted(truth.corpus("captures/kineto").glob("rank-0*.json.gz"))
        self.assertTrue(paths)
        for path in paths:
            rows = shown(self.ask(path, "step,kernel"))
            steps = [p[0][1] for p in rows if len(p) == 1 and p[0][1]]
            self.assertGreaterEqual(len(steps), 5)
            for step in steps:
                alone = shown(self.ask(path, "kernel", "--step", step.removeprefix("step ")))
                self.assertEqual({p[1:]: v for p, v in rows.items() if p[0][1] == step and len(p) == 2}, alone)

    def test_functions_of_kernels(self):
        names = [line.split("\t") for line in (pathlib.Path(os.environ["PROFKIT_SOURCE_ROOT"]) / "tests/data/kernel_names.tsv").read_text().splitlines()[1:]]
        self.assertGreater(len(names), 40)
        expected = defaultdict(int)
        events = []
        for at, (name, function) in enumerate(names):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * at, "dur": 1 + at,
                           "args": {"device": 0, "stream": 7}})
            expected[function] += (1 + at) * 10**6
        path = self.scratch / "rank0.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertEqual({g["name"]: g["total_ps"] for g in self.ask(path, "function")["groups"]}, dict(expected))

    def test_whole_documents(self):
        """Two devices of two files: ops that hold others, whose total is more than their self time; with a limit, and of a part."""
        def space(length):
            events = [x.event(1, 0, 1000), x.event(2, 100, length), x.event(2, 1500, 40)]
            return x.space(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", events), x.event_metadata(1, "while.1"),
                                   x.event_metadata(2, "fusion.2")))
        paths = [str(self.write(f"run/{name}.xplane.pb", space(length))) for name, length in (("a", 300), ("b", 500))]
        frame = {"schema": "profkit.op_groups", "version": 1, "status": "ok", "reason": None, "source": "XLA Ops", "worked_ps": 0,
                 "flops": 0, "bytes": 0, "attainable_ps": 0, "compute_bound_ps": 0, "memory_bound_ps": 0, "neither_bound_ps": 0,
                 "unlinked": 0, "unlinked_ps": 0, "by_graph": 0, "peaks": [], "damage": [],
                 "files": [{"path": path, "family": "xspace", "export_of": -1} for path in paths]}

        def ask(*options):
            found = truth.loads(truth.run("ops", self.scratch / "run", "--json", *options))
            rows = [(g["depth"], g["by"], g["name"], g["count"], g["self_ps"], g["total_ps"]) for g in found.pop("groups")]
            return found, rows
        whole = {**frame, "by": ["kernel"], "count": 6, "self_ps": 2 * 1000 + 2 * 40, "total_ps": 2 * 1000 + 300 + 500 + 2 * 40,
                 "groups_left_out": 0, "events_checked": "some"}
        longest = (0, "kernel", "while.1", 2, 2000 - 300 - 500, 2000)
        found, rows = ask("--by", "kernel")
        super().check(found, whole)
        self.assertEqual(rows, [longest, (0, "kernel", "fusion.2", 4, 300 + 500 + 80, 300 + 500 + 80)])
        found, rows = ask("--by", "kernel", "--limit", "1")
        super().check(found, {**whole, "groups_left_out": 1, "limited": truth.limited(1, ("groups", 1, 2))})
        self.assertEqual(rows, [longest])
        found, rows = ask("--by", "kernel", "--name", "fusion", "--host", "b")
        super().check(found, {**whole, "count": 2, "self_ps": 540, "total_ps": 540})
        self.assertEqual(rows, [(0, "kernel", "fusion.2", 2, 540, 540)])

    def test_real_captures(self):
        """PyTorch gives the operator and its kernels one number ("External id"): a second way to the same answer."""
        paths = sorted(truth.corpus("captures/kineto").glob("*.json.gz"))
        paths = [p for p in paths if p.stat().st_size < 2_000_000 and not p.name.startswith("resnet50")]  # that one has no such numbers
        self.assertGreaterEqual(len(paths), 4)
        for path in paths:
            with self.subTest(path=path.name):
                events = json.loads(gzip.decompress(path.read_bytes()), parse_float=Fraction)["traceEvents"]
                names = {e["args"]["External id"]: e["name"] for e in events
                         if e.get("cat") == "cpu_op" and "External id" in e.get("args", {})}
                items = [(names.get(e["args"].get("External id"), ""), int(Fraction(e["dur"]) * 10**6)) for e in events
                         if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
                expected = defaultdict(lambda: [0, 0])
                for name, ps in items:
                    expected[name][0] += 1
                    expected[name][1] += ps
                found = {g["name"]: [g["count"], g["total_ps"]] for g in self.ask(path, "op")["groups"]}
                self.assertEqual(found, dict(expected))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
