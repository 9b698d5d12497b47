#!/usr/bin/env python3
"""`profkit ops --by` of Ascend ranks: of random programs whose kernels know where they come from, and of real captures, where the
queue between the threads of torch_npu is a second way from a kernel to its operator."""
import csv
import json
import random
import re
import sys
from collections import defaultdict
from fractions import Fraction

import group_rows
import truth
from ascend import micros, quoted

HOST, CANN, DEVICE, HCCL = 10, 20, 1024, 2048
ORIGIN = 1_736_408_883_000_000_000
KEYS = ["op", "outer-op", "module", "source", "phase"]
NOTHING = {"op": "", "outer-op": "", "module": [], "source": "", "phase": ""}
COLUMNS = ["Step Id", "Task ID", "Stream ID", "Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)",
           "Block Dim", "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats"]
FEW_COLUMNS = ["Step Id", "Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim"]


class Npu:
    """A rank: threads of its host that call one another, and what they give to the device. `few`: as Level0 records it."""

    def __init__(self, seed, few):
        self.rng, self.few = random.Random(seed), few
        self.events, self.rows, self.kernels, self.clock, self.next_id, self.sequence = [], [], [], {}, 1, 0
        self.device_clock = {2: ORIGIN + 900_000_000, 3: ORIGIN + 900_500_000, None: ORIGIN + 950_000_000}
        for pid, name, label in ((HOST, "Python", "CPU"), (CANN, "CANN", "CPU"), (DEVICE, "Ascend Hardware", "NPU"), (HCCL, "HCCL", "NPU")):
            self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})
            self.events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}})
        self.events.append({"ph": "M", "name": "thread_name", "pid": HCCL, "tid": 0, "args": {"name": "Group 0 Communication"}})

    def inside(self, tid, category, name, body, args=None):
        """A span around what the body does, which is given when the span began."""
        start = self.clock.setdefault(tid, ORIGIN + 1000) + self.rng.randint(1, 300)
        self.clock[tid] = start
        made = {"ph": "X", "cat": category, "name": name, "pid": HOST, "tid": tid, "ts": micros(start), "args": args or {}}
        self.events.append(made)
        body(start)
        self.clock[tid] += self.rng.randint(1, 300)
        made["dur"] = (self.clock[tid] - start) / 1000
        self.clock[tid] += self.rng.randint(1, 200)

    def flow(self, number, tid, at, device_pid, stream, kernel_start):
        self.events.append({"ph": "s", "bp": "e", "name": "torch_to_npu", "id": number, "pid": HOST, "tid": tid, "ts": micros(at), "cat": "async_npu"})
        if kernel_start is not None:
            self.events.append({"ph": "f", "bp": "e", "name": "torch_to_npu", "id": number, "pid": device_pid, "tid": stream,
                                "ts": micros(kernel_start), "cat": "async_npu"})

    def kernel(self, tid, at, place, op_type="Add", shapes="8,8;8,8", types="FLOAT;FLOAT", out="8,8", took=None, work=None, of_op=None):
        """Given by what began at that time. `of_op`: the operator of which a kernel does the work, its shapes and that work."""
        is_collective = op_type.startswith("hcom")
        stream = None if is_collective else self.rng.choice([2, 3])
        lane = 2 if self.few and stream else stream  # without streams kernels lie on one line
        start = self.device_clock[lane] + self.rng.randint(2_000, 5_000)
        took = took or self.rng.randint(1, 900) * 1000 + self.rng.randint(0, 999)
        self.device_clock[lane] = start + took
        self.next_id += 1
        damage = None if place is None else self.rng.choice(["none"] * 16 + ["two starts", "two arrows", "no end", "no thread", "same moment"])
        track = (HCCL, 0) if is_collective else (DEVICE, stream)
        if place is not None:
            # Of a collective the trace rounds what the table cuts.
            self.flow(self.next_id, tid if damage != "no thread" else 77, at, *track,
                      None if damage == "no end" else start + (1 if is_collective and self.rng.random() < 0.5 else 0))
        if damage == "two starts":
            self.flow(self.next_id, tid, at + 1, 0, 0, None)
        if damage == "two arrows":
            self.next_id += 1
            self.flow(self.next_id, tid, at + 1, *track, start)
        self.row(op_type, stream, start, took, shapes, types, out)
        known = place if damage == "none" else None
        if damage == "same moment" and not is_collective:  # two kernels of one stream that begin at once
            self.row("Cast", stream, start, 0, shapes, types, out)
            self.expect(None, 0, shapes, None)
        elif damage == "same moment":
            known = place
        self.expect(known, took, "" if is_collective else shapes, work, of_op)

    def row(self, op_type, stream, start, took, shapes, types, out):
        is_collective = op_type.startswith("hcom")
        values = {"Step Id": "", "Task ID": len(self.rows), "Stream ID": "N/A" if stream is None else stream, "Name": f"k_{op_type}", "Type": op_type,
                  "Accelerator Core": "HCCL" if is_collective else "AI_CORE", "Start Time(us)": micros(start) + "\t", "Duration(us)": micros(took),
                  "Wait Time(us)": "0", "Block Dim": "0" if self.few else "8", "Input Shapes": "N/A" if is_collective else f'"{shapes}"',
                  "Input Data Types": "N/A" if is_collective else types, "Input Formats": "ND", "Output Shapes": "N/A" if is_collective else f'"{out}"',
                  "Output Data Types": types.split(";")[0], "Output Formats": "ND"}
        self.rows.append(",".join(quoted(str(values[c])) for c in (FEW_COLUMNS if self.few else COLUMNS)))

    def expect(self, place, took, shapes, work, of_op=None):
        self.kernels.append({"place": place or NOTHING, "ps": took * 1000, "shape": shapes if not self.few else "", "work": work, "of_op": of_op if place else None})

    def op(self, tid, place, depth=0, sequence=None):
        name = self.rng.choice(["aten::add", "aten::mm", "npu::fused", "aten::view", "c10d::allreduce_"])
        inner = {**place, "op": name, "outer-op": place["outer-op"] or name, "phase": place["phase"] or "forward"}
        args = {"Sequence number": -1 if sequence is None else sequence, "Fwd thread id": 0}
        m, n, k = [self.rng.randint(1, 9) for _ in range(3)]
        dims, kinds, work = ("", "", None)
        if name == "aten::mm":
            dims, kinds, work = f"{m},{k};{k},{n}", "float;float", (2 * m * n * k, 4 * (m * k + k * n + m * n))
        elif name == "aten::add":
            dims, kinds, work = f"{m},{n};{n};", "float;float;Scalar", (m * n, 4 * (m * n + n + m * n))
        elif name == "npu::fused":
            dims, kinds = "", "TensorList"
        if kinds:
            args.update({"Input Dims": dims.replace(";", ";\r\n"), "Input type": kinds.replace(";", ";\r\n")})
        if self.rng.random() < 0.3:
            line = f"/home/me/net/layer.py({self.rng.randint(1, 99)}): run"
            args["Call stack"] = (f"/usr/lib/site-packages/torch/nn/functional.py(7): linear;\r\n/usr/site-packages/torch_npu/x.py(1): y;\r\n{line};\r\n"
                                  "/home/me/net/main.py(3): main")
            inner["source"] = line
        call = [name, dims, work, []]

        def launches(at, where):
            kernel = dict(of_op=call if where is inner else None)
            if name == "c10d::allreduce_":
                self.kernel(tid, at, where, "hcom_allReduce_")
            elif name == "aten::mm" and self.rng.random() < 0.7:
                a, b = self.rng.choice([f"{m},{k}", f"{k},{m}"]), self.rng.choice([f"{k},{n}", f"{n},{k}"])
                self.kernel(tid, at, where, "MatMulV2", f"{a};{b};{n}", "FLOAT16;FLOAT16;FLOAT16", f"{m},{n}",
                            work=(2 * m * n * k, 2 * (m * k + k * n + m * n)), **kernel)
            elif self.rng.random() < 0.2:  # products of other layouts and shapes that do not fit
                kind, shapes, out = self.rng.choice([("MatMulV2", "1,1,16,16;1,1,16,16", "1,1,16,16"), ("MatMulV2", "3,4;5,6", "3,6"),
                                                     ("BatchMatMulV2", "2,3,4;1,4,5", "2,3,5"), ("MatMulV3", "3,4;4,5", "3,5,1")])
                self.kernel(tid, at, where, kind, shapes, "FLOAT;FLOAT", out, **kernel)
            else:
                self.kernel(tid, at, where, self.rng.choice(["Add", "TransData"]), **kernel)

        def body(start):
            for _ in range(self.rng.randint(0, 2)):
                if depth < 2 and self.rng.random() < 0.4:
                    self.op(tid, inner, depth + 1)
                else:
                    library = self.rng.choice(["aclnnMm", "Conv2DBackpropInput", "aclnnThresholdBackward"])
                    self.inside(tid, "cpu_op", library, lambda at: [launches(at, inner) for _ in range(self.rng.randint(1, 2))],
                                {"Sequence number": -1})
            if self.rng.random() < 0.3:
                launches(start, inner)
        self.inside(tid, "cpu_op", name, body, args)

    def module(self, tid, path, source, depth):
        path = path + [self.rng.choice(["Linear_%d", "Block_%d"]) % self.rng.randint(0, 3)]
        line = f"net/model_{depth}.py({self.rng.randint(1, 99)}): forward"

        def frame(_):
            for _ in range(self.rng.randint(1, 2)):
                if depth < 3 and self.rng.random() < 0.5:
                    self.module(tid, path, line, depth + 1)
                else:
                    self.sequence += 1
                    self.forward.append((self.sequence, path, line))
                    self.op(tid, {**NOTHING, "module": path, "source": line}, sequence=self.sequence)
                    self.sources[self.sequence] = self.last_source
        self.inside(tid, "python_function", f"nn.Module: {path[-1]}", lambda _: self.inside(tid, "python_function", line, frame))

    def backward(self, tid):
        for sequence, path, _ in reversed(self.forward):
            node = self.rng.choice(["AddmmBackward0", "torch::autograd::AccumulateGrad"])
            place = {"op": node, "outer-op": node, "module": path, "source": self.sources[sequence], "phase": "backward"}
            self.inside(tid, "cpu_op", f"autograd::engine::evaluate_function: {node}",
                        lambda _, place=place, sequence=sequence, node=node: self.inside(
                            tid, "cpu_op", node, lambda _: self.op(tid, place), {"Sequence number": sequence}),
                        {"Sequence number": sequence})

    def optimizer(self, tid):
        """The range begins in a function of the framework and outlives it."""
        start = self.clock[tid] + 10
        frame = {"ph": "X", "cat": "python_function", "name": "torch/autograd/profiler.py(9): __enter__", "pid": HOST, "tid": tid,
                 "ts": micros(start - 5), "dur": 0.02, "args": {}}
        self.events.append(frame)
        self.clock[tid] = start - 1

        def body(_):
            self.clock[tid] += 100
            self.op(tid, {**NOTHING, "phase": "optimizer"})
        made = len(self.events)
        self.inside(tid, "cpu_op", "Optimizer.step#SGD.step", body, {"Sequence number": -1})
        frame["dur"] = (Fraction(self.events[made]["ts"]) - Fraction(frame["ts"]) + Fraction(5, 1000)).__float__()

    def lone_library_call(self, tid):
        place = {**NOTHING, "op": "HcclBarrier", "outer-op": "HcclBarrier", "phase": "forward"}
        self.inside(tid, "cpu_op", "HcclBarrier", lambda at: self.kernel(tid, at, place), {"Sequence number": -1})

    def step(self):
        self.forward, self.sources = [], {}
        self.op(11, NOTHING, sequence=self.sequence + 1)  # what runs before has the number of the next that runs backward
        self.module(11, [], "", 0)
        self.clock[12] = max(self.clock.get(12, 0), self.clock[11])
        self.backward(12)
        self.clock[11] = max(self.clock[11], self.clock[12])
        self.optimizer(11)
        self.lone_library_call(11)
        self.kernel(11, self.clock[11], None)  # no arrow leads to it

    @property
    def last_source(self):
        """Of the operator that was made last with a sequence number: its call stack, where it has one, else the frame around it."""
        made = [e for e in self.events if e.get("cat") == "cpu_op" and e["args"].get("Sequence number") == self.sequence][-1]
        stack = [line for line in made["args"].get("Call stack", "").split(";\r\n") if line.startswith("/home/me")]
        return stack[0] if stack else self.forward[-1][2]

    def write(self, folder):
        output = folder / "rank_0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True, exist_ok=True)
        (output / "kernel_details.csv").write_text(",".join(FEW_COLUMNS if self.few else COLUMNS) + "\n" + "\n".join(self.rows) + "\n")
        events = list(self.events)
        self.rng.shuffle(events)
        (output / "trace_view.json").write_text(json.dumps(events))
        (output.parent / "profiler_info_0.json").write_text("{}")
        return output.parent

    def settle_work(self):
        """Kernels whose table has a product did that; of other operators the longest kernel did the work."""
        calls = {}
        for k in self.kernels:
            own = None if self.few else k["work"]
            k["does"] = own
            if k["of_op"] is not None:
                calls.setdefault(id(k["of_op"]), (k["of_op"], []))[1].append((k, own))
                if self.few:
                    k["shape"] = k["of_op"][1]
        for (_, _, work, _), kernels in calls.values():
            if work is not None and not any(own for _, own in kernels):
                max(kernels, key=lambda each: each[0]["ps"])[0]["does"] = work


FIELDS = "count", "self_ps", "flops", "bytes"


def tree(kernels, keys):
    def names(k, key):
        value = k["shape"].replace(",", ", ") if key == "shape" else k["place"][key]
        return (value or [""]) if key == "module" else [value]
    return group_rows.tree(kernels, keys, names, lambda k: (1, k["ps"], *(k["does"] or (0, 0))))


class RealRank:
    """What Python reads in a capture: each kernel of the table, and the operators around the moment at which its task was queued."""

    def __init__(self, output):
        events = json.loads((output / "trace_view.json").read_text())
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.spans, self.forward = defaultdict(list), {}  # arrows from operators to what runs backward for them
        enqueued, dequeued, starts, ends = {}, [], {}, {}
        for e in events:
            if e["ph"] == "X" and processes[e["pid"]] == "Python":
                at = Fraction(e["ts"])
                if e["cat"] == "enqueue":
                    enqueued[e["args"]["correlation_id"]] = (e["tid"], at)
                elif e["cat"] == "dequeue":
                    dequeued.append((e["tid"], at, at + Fraction(str(e["dur"])), e["args"]["correlation_id"]))
                else:
                    self.spans[e["tid"]].append((at, at + Fraction(str(e["dur"])), e))
            if e.get("cat") == "fwdbwd" and e["ph"] == "s":
                self.forward[e["id"]] = (e["tid"], Fraction(e["ts"]))
            if e.get("cat") == "HostToDevice":
                (starts if e["ph"] == "s" else ends)[e["id"]] = (e["tid"], Fraction(e["ts"]))
        self.issued = {}  # thread and time at which what begins there on the device was queued
        for number, (tid, at) in ends.items():
            queued = [n for thread, begin, end, n in dequeued if number in starts and thread == starts[number][0]
                      and begin <= starts[number][1] < end]
            if queued:
                self.issued[at] = enqueued[queued[0]]
        with open(output / "kernel_details.csv", encoding="utf-8") as table:
            self.rows = list(csv.DictReader(table))

    def around(self, thread, at):
        return sorted((s for s in self.spans[thread] if s[0] <= at < s[1]), key=lambda s: (s[0], -s[1]))

    def place(self, start):
        """None: the second way does not lead to an operator."""
        by = self.issued.get(start) or self.issued.get(start + Fraction(1, 1000))
        if by is None:
            return None
        lasting = [e for _, _, e in self.around(*by)]
        ops = [e for e in lasting if e["cat"] == "cpu_op" and "::" in e["name"] and not e["name"].startswith("autograd::")
               or re.fullmatch(r"[A-Z]\w*Backward\d", e["name"])]
        backward = [e for e in lasting if e["name"].startswith("autograd::engine::evaluate_function: ")]
        modules = [e for e in lasting if e["name"].startswith("nn.Module: ")]
        phase = "backward" if backward else "optimizer" if any(e["name"].startswith("Optimizer.") for e in lasting) else "forward"
        if backward:
            forward = next((self.forward.get(e["args"]["Sequence number"]) for e in ops if e["args"]["Sequence number"] >= 0), None)
            modules = [e for _, _, e in self.around(*forward) if e["name"].startswith("nn.Module: ")] if forward else []
        outer = backward[0]["name"].removeprefix("autograd::engine::evaluate_function: ") if backward else ops[0]["name"]
        return {"op": ops[-1]["name"], "outer-op": outer, "phase": phase, "module": [e["name"].removeprefix("nn.Module: ") for e in modules]}


class AscendOpsTest(truth.Case):
    maxDiff = 3000

    def ask(self, path, by):
        return truth.loads(truth.run("ops", path, "--by", by, "--json", "--limit", "0"))

    def test_random_programs(self):
        for seed in range(16):
            program = Npu(seed, few=seed % 4 == 3)
            for _ in range(2):
                program.step()
            program.settle_work()
            path = program.write(self.scratch / str(seed))
            for keys in [[key] for key in KEYS + ["shape"]] + [["phase", "module", "op"], ["op", "shape"]]:
                with self.subTest(seed=seed, keys=keys):
                    document = self.ask(path, ",".join(keys))
                    self.assertEqual(group_rows.shown(document, *FIELDS), tree(program.kernels, keys))
                    nameless = [k for k in program.kernels if not (k["shape"] if keys[0] == "shape" else k["place"][keys[0]])]
                    self.assertEqual((document["unlinked"], document["unlinked_ps"]), (len(nameless), sum(k["ps"] for k in nameless)))
                    self.assertEqual(document["count"], len(program.kernels))

    def test_other_answers_do_not_change(self):
        """That origins are looked for changes no row of `ops` itself."""
        program = Npu(50, few=False)
        program.step()
        path = program.write(self.scratch)
        plain = truth.loads(truth.run("ops", path, "--json", "--limit", "0"))
        self.assertEqual(sum(op["count"] for line in plain["lines"] for op in line["ops"]), len(program.kernels))
        self.assertEqual({g["name"] for g in self.ask(path, "kernel")["groups"]},
                         {op["name"] for line in plain["lines"] for op in line["ops"]})

    def test_real_captures(self):
        folder = truth.corpus("captures/ascend/msinsight/test/data/pytorch/text")
        outputs = sorted(folder.glob("level*/*/ASCEND_PROFILER_OUTPUT"))
        self.assertEqual(len(outputs), 6)
        products = set()
        for output in outputs:
            with self.subTest(path=str(output)):
                rank = RealRank(output)
                expected, rest = defaultdict(lambda: [0, 0]), [0, 0]
                for row in rank.rows:
                    took = int(Fraction(row["Duration(us)"].strip()) * 10**6)
                    place = rank.place(Fraction(row["Start Time(us)"].strip()))
                    into = rest if place is None else expected[place["op"], place["outer-op"], place["phase"], *(place["module"] or [""])]
                    into[0] += 1
                    into[1] += took
                self.assertLessEqual(rest[0], 9)  # collectives and what runs beside them have no task in the queue
                document = self.ask(output.parent, "op,outer-op,phase,module")
                self.assertEqual((document["count"], document["unlinked"]), (len(rank.rows), 0))
                found = {}
                for path, (count, ps, _, _) in group_rows.shown(document, *FIELDS).items():
                    for parent in range(3, len(path)):
                        if path[:parent] in found:
                            found[path[:parent]] = [found[path[:parent]][0] - count, found[path[:parent]][1] - ps]
                    found = {p: v for p, v in found.items() if v[0]}
                    if len(path) > 3:
                        found[path] = [count, ps]
                names = {tuple(name for _, name in path): sums for path, sums in found.items()}
                for place, (count, ps) in expected.items():
                    self.assertGreaterEqual(tuple(names.get(place, (0, 0))), (count, ps), place)
                    names[place] = [names[place][0] - count, names[place][1] - ps]
                self.assertEqual([sum(v[0] for v in names.values()), sum(v[1] for v in names.values())], rest)
                flops = {g["name"]: g["flops"] for g in self.ask(output.parent, "op")["groups"]}
                products.add((flops["aten::mm"], flops["aten::addmm"]))
                dims = [[list(map(int, s.split(","))) for s in e["args"]["Input Dims"].split(";\r\n")[:3] if s] for spans in rank.spans.values()
                        for _, _, e in spans if e["name"] in ("aten::mm", "aten::addmm")]
                counted = sum(2 * s[-2][0] * s[-2][1] * s[-1][1] for s in dims)
                self.assertEqual(sum(max(products)), counted)
        self.assertEqual(len(products), 1)  # by shapes of operators at Level0, of kernels at the others


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
