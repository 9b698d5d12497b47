"""`diff`: random runs before and after planted changes. Times of a step are worked out from what was written."""
import gzip
import json
import os
import random
import sys
import threading
from fractions import Fraction

import idle_trace
import truth
import xspace as x
from wire import message, number, varint

US = idle_trace.US
BASE_NS = 1_700_000_000_000_000_000


class Run:
    """Steps of one device, each a list of (operator, module, kernel, size, gap before it), in µs."""

    def __init__(self, steps, rest=50, rank=None):
        self.steps, self.trace, at = steps, idle_trace.Rank(rank, 2 if rank is not None else 0), 1000
        self.step_ps = []
        for number, kernels in enumerate(steps):
            start = at
            at += 20
            for operator, module, kernel, size, gap in kernels:
                at += gap
                if module:
                    self.trace.span(f"nn.Module: {module}", at - 18, 16, category="python_function")
                if operator:
                    self.trace.span(operator, at - 16, 12)
                self.trace.kernel(kernel, at, size, (at - 14, 4))
                at += size
            at += rest
            self.trace.step(number, start, at - start)
            self.step_ps.append((at - start) * US)

    def text(self):
        return self.trace.text().encode()

    def counted(self, warm_up=0):
        return self.steps[warm_up:], self.step_ps[warm_up:]


def use_of(kernel):
    return "exposed_communication" if kernel.startswith("nccl") else "exposed_copies" if kernel.startswith("Memcpy") else "compute"


class Diff(truth.Case):
    def ask(self, before, after, *options, **how):
        paths = [self.write(f"{name}.pt.trace.json", run.text() if isinstance(run, Run) else run) for name, run in (("before", before), ("after", after))]
        self.paths = paths
        return truth.loads(truth.run("diff", *paths, "--json", "--limit", "0", *options, **how))

    def check_sums(self, document):
        """Parts add up to the whole to the picosecond, on both sides and in what changed."""
        for rows, whole in (("time", "step"), ("ops", "op_time")):
            for key in ("before_ps", "after_ps", "change_ps"):
                self.assertEqual(sum(row[key] for row in document[rows]), document[whole][key], (rows, key))
            sizes = [(-abs(row["change_ps"]), -max(row["before_ps"], row["after_ps"])) for row in document[rows]]
            self.assertEqual(sizes, sorted(sizes))

    def check_side(self, document, side, run, warm_up=0):
        """One side: the step to the picosecond; its parts and ops to one, for they are rounded so that they add up."""
        steps, step_ps = run.counted(warm_up)
        n = len(step_ps)
        self.assertEqual((document[side]["steps"], document[side]["warm_up_steps"], document[side]["shortest_ps"], document[side]["longest_ps"]),
                         (n, warm_up, min(step_ps), max(step_ps)))
        self.assertEqual(document["step"][f"{side}_ps"], sum(step_ps) // n)
        uses, ops = {}, {}
        for step, ps in zip(steps, step_ps):
            for _, _, kernel, size, _ in step:
                uses[use_of(kernel)] = uses.get(use_of(kernel), 0) + size * US
                name = kernel.split("_")[0] if kernel.rsplit("_")[-1].isdigit() else kernel
                ops[name] = ops.get(name, 0) + size * US
            uses["idle"] = uses.get("idle", 0) + ps - sum(k[3] for k in step) * US
        found = {}
        for row in document["time"]:
            found[row["use"]] = found.get(row["use"], 0) + row[f"{side}_ps"]
        for use in set(uses) | set(found):
            self.assertLessEqual(abs(found.get(use, 0) - Fraction(uses.get(use, 0), n)), len(document["time"]), use)
        rows = {}
        for row in document["ops"]:
            if len(row[side]) == 1:
                rows[row[side][0]] = rows.get(row[side][0], 0) + row[f"{side}_ps"]
        for name, ps in rows.items():
            self.assertLessEqual(abs(ps - Fraction(ops[name], n)), len(document["ops"]), name)

    def test_random_runs(self):
        for seed in range(12):
            rng = random.Random(seed)
            names = ["gemm", "relu", "softmax_7", "ncclDevKernel_AllReduce_Sum", "Memcpy HtoD (Pinned -> Device)"]

            def run(count, scale):
                kernels = rng.randint(3, 9)
                return Run([[(None, None, rng.choice(names), int(rng.randint(50, 900) * scale), rng.randint(20, 40)) for _ in range(kernels)]
                            for _ in range(count)])
            before, after = run(rng.randint(1, 3), 1), run(rng.randint(1, 3), 1.2)  # too few for a warm-up
            with self.subTest(seed=seed):
                document = self.ask(before, after)
                self.check_sums(document)
                self.check_side(document, "before", before)
                self.check_side(document, "after", after)

    def test_one_op_is_slower(self):
        plain = [("aten::mm", None, "gemm", 1000, 30), ("aten::relu", None, "relu", 200, 30), ("aten::add", None, "add", 100, 30)]
        slow = [("aten::mm", None, "gemm", 1050, 30), *plain[1:]]
        document = self.ask(Run([plain] * 8), Run([slow] * 6))
        self.check_sums(document)
        self.assertEqual(document["step"]["change_ps"], 50 * US)
        first = document["ops"][0]
        self.assertEqual((first["before"], first["after"], first["change"], first["certainty"], first["change_ps"], first["before_count"], first["after_count"]),
                         (["gemm"], ["gemm"], "same", "proved", 50 * US, 8, 6))
        self.assertEqual([row["change_ps"] for row in document["ops"][1:]], [0, 0])
        self.assertEqual((document["time"][0]["use"], document["time"][0]["change_ps"]), ("compute", 50 * US))

    def test_whole_document(self):
        """Every field; the device, a module and the rank are on record."""
        def run(size, model):
            made = Run([[("aten::mm", "Net_0", "gemm", size, 30), (None, None, "Memcpy HtoD (Pinned -> Device)", 100, 0)]] * 4, rank=1)
            head = json.loads(made.text())
            head["deviceProperties"] = [{"id": 0, "name": model}]
            return made, json.dumps(head).encode()
        (before, old), (after, new) = run(1000, "H100"), run(1100, "B200")
        document = self.ask(old, new, "--fail-on", "step>1%")

        def side(path, made, model):
            return {"path": str(path), "runs": 1, "devices": [{"model": model, "devices": 1}], "software": ["PyTorch (Kineto)"], "marked": True,
                    "step_name": None, "steps": 4, "warm_up_steps": 0, "cut_steps": 0, "other_steps": 0,
                    **{f"{name}_ps": made.step_ps[0] for name in ("median", "shortest", "longest")}}

        def row(was, now, **more):
            return {**more, "before_ps": was * US, "after_ps": now * US, "change_ps": (now - was) * US}

        def op(name, was, now, **more):
            return row(was, now, change="same", certainty="proved", before=[name], after=[name], before_count=4, after_count=4, by_chance=None, **more)
        change = document["step"]["change_ps"] / document["step"]["before_ps"]
        of_gate = document["gates"][0]["change"]
        self.assertAlmostEqual(of_gate, 1300 / 1200 - 1, places=12)
        idle = [r for r in document["time"] if r["use"] == "idle"]
        self.assertEqual(sum(r["before_ps"] for r in idle), (20 + 30 + 50) * US)
        self.check(document, {
            "schema": "profkit.diff", "version": 1, "status": "ok", "reason": None,
            "before": side(self.paths[0], before, "H100"), "after": side(self.paths[1], after, "B200"),
            "settings": [{"what": "device", "before": "H100", "after": "B200"}],
            "step": row(1200, 1300), "step_change": {"change": change, "method": "none", "low": None, "high": None, "p": None},
            "gates": [{"gate": "step>1%", "state": "undecided", "change": of_gate, "low": None, "why": "+8.3 %; 1 run before and 1 after "
                       "are too few to know it from what runs differ by: three a side are enough"}],
            "time": [row(1000, 1100, use="compute", cause=None), row(100, 100, use="exposed_copies", cause=None), *idle],
            "op_time": row(1100, 1200),
            "ops": [op("gemm", 1000, 1100, framework_op="aten::mm", module="Net", kind="compute"),
                    op("Memcpy HtoD (Pinned -> Device)", 100, 100, framework_op=None, module=None, kind="copy")],
            "ops_left_out": 0, "devices": [row(1200, 1300, device="GPU 0", rank=1)], "devices_left_out": 0, "events_checked": "all", "damage": []})

    def test_warm_up_does_not_count(self):
        step = [("aten::mm", None, "gemm", 1000, 30)]
        slow = [("aten::mm", None, "gemm", 3000, 30)]
        document = self.ask(Run([slow, slow] + [step] * 8), Run([step] * 4))
        self.check_sums(document)
        self.check_side(document, "before", Run([slow, slow] + [step] * 8), warm_up=2)
        self.assertEqual(document["step"]["change_ps"], 0)
        # A quarter of the steps at most.
        document = self.ask(Run([slow, slow, slow] + [step] * 5), Run([step] * 4))
        self.assertEqual((document["before"]["warm_up_steps"], document["before"]["steps"]), (2, 6))

    def change(self, before, after):
        """What is said of the ops that are not the same: (change, certainty, names before, after)."""
        document = self.ask(Run([before] * 4), Run([after] * 4))
        self.check_sums(document)
        return [(row["change"], row["certainty"], row["before"], row["after"]) for row in document["ops"] if row["change"] != "same"]

    def test_what_became_of_ops(self):
        rest = ("aten::add", "Net_0", "add", 100, 30)
        linear = lambda kernel, size=500, module="Linear_0": ("aten::linear", module, kernel, size, 30)
        self.assertEqual(self.change([linear("gemm_a"), rest], [linear("cutlass_b"), rest]), [("renamed", "likely", ["gemm_a"], ["cutlass_b"])])
        self.assertEqual(self.change([linear("fused"), rest], [linear("left", 300), linear("right"), rest]),
                         [("split", "likely", ["fused"], ["right", "left"])])
        self.assertEqual(self.change([linear("left", 300), linear("right"), rest], [linear("fused"), rest]),
                         [("joined", "likely", ["right", "left"], ["fused"])])
        self.assertEqual(self.change([linear("gemm", module="Linear_0"), rest], [linear("gemm", module="Head_0"), rest]),
                         [("moved", "possible", ["gemm"], ["gemm"])])
        copy = ("aten::to", "Net_0", "Memcpy DtoD (Device -> Device)", 80, 30)
        self.assertEqual(self.change([rest], [copy, rest]), [("appeared", "proved", [], [copy[2]])])
        self.assertEqual(self.change([copy, rest], [rest]), [("gone", "proved", [copy[2]], [])])
        # It may be another name: nothing says where either is from.
        plain = lambda name: (None, None, name, 100, 30)
        self.assertEqual(self.change([plain("old"), rest], [plain("new"), rest]),
                         [("gone", "possible", ["old"], []), ("appeared", "possible", [], ["new"])])

    def test_numbers_of_instances_and_layers_say_nothing(self):
        """fusion.3 of one compilation is fusion.17 of another; layers that do the same are one row."""
        before = [("aten::mm", f"Layer_{n}", f"fusion.{n}", 100, 30) for n in range(3)]
        after = [("aten::mm", f"Layer_{n}", f"fusion.{n + 14}", 100, 30) for n in range(3)]
        document = self.ask(Run([before] * 4), Run([after] * 4))
        self.assertEqual([(row["before"], row["change"], row["module"], row["before_count"]) for row in document["ops"]],
                         [(["fusion"], "same", "Layer", 12)])

    def test_one_rank_is_slower(self):
        step = [("aten::mm", None, "gemm", 1000, 30)]
        slow = [("aten::mm", None, "gemm", 1200, 30)]
        for name, second in (("old", step), ("new", slow)):
            for rank, steps in ((0, step), (1, second)):
                self.write(f"{name}/rank{rank}.pt.trace.json", Run([steps] * 5, rank=rank).text())
        document = truth.loads(truth.run("diff", self.scratch / "old", self.scratch / "new", "--json"))
        self.check_sums(document)
        self.assertEqual(document["step"]["change_ps"], 100 * US)
        self.assertEqual([(row["rank"], row["change_ps"]) for row in document["devices"]], [(1, 200 * US), (0, 0)])

    def sides(self, before, after):
        """Options for runs of both sides; each a list of sizes of gemm, one a step."""
        options = []
        for side, runs in (("before", before), ("after", after)):
            options += [f"--{side}", *(self.write(f"{side}{n}.pt.trace.json", self.sized(run).text()) for n, run in enumerate(runs))]
        return options

    @staticmethod
    def sized(sizes):
        return Run([[("aten::mm", None, "gemm", size, 30), ("aten::relu", None, "relu", 300, 30)] for size in sizes])

    def test_several_runs_a_side(self):
        """All steps of a side count alike, whatever run they are of; the change is that of the medians of runs."""
        before, after = [[1000, 1010, 1020], [990, 1000], [1005] * 3], [[1100, 1110], [1090, 1100, 1120], [1105]]
        document = truth.loads(truth.run("diff", *self.sides(before, after), "--json"))
        self.check_sums(document)
        for side, runs in (("before", before), ("after", after)):
            steps = [ps for run in runs for ps in self.sized(run).step_ps]
            self.assertEqual((document[side]["runs"], document[side]["steps"], document["step"][f"{side}_ps"]),
                             (3, len(steps), sum(steps) // len(steps)))
        def geometric_mean(runs):
            product = 1
            for run in runs:
                product *= sorted(self.sized(run).step_ps)[len(run) // 2]
            return product ** (1 / len(runs))
        change = document["step_change"]
        self.assertEqual(change["method"], "arrangements")
        self.assertAlmostEqual(change["change"], geometric_mean(after) / geometric_mean(before) - 1, places=9)
        ops = {row["after"][0]: row for row in document["ops"]}
        self.assertLess(ops["gemm"]["by_chance"], 0.001)  # 1,000 became 1,105, and runs differ by 7
        self.assertEqual(ops["relu"]["by_chance"], 1)
        self.assertIn(" by chance ", truth.run("diff", *self.sides(before, after)))
        # 20 arrangements: the most apart of them, in either direction.
        self.assertAlmostEqual(change["p"], 2 / 20)
        self.assertEqual((change["low"], change["high"]), (None, None))

    def test_warm_up_of_each_run(self):
        run = [3000] + [1000] * 7
        document = truth.loads(truth.run("diff", *self.sides([run, run], [run[1:]]), "--json"))
        self.assertEqual((document["before"]["warm_up_steps"], document["before"]["steps"], document["step"]["change_ps"]), (2, 14, 0))

    def test_one_run_a_side_says_what_it_does_not_know(self):
        rng = random.Random(3)
        sides = self.sides([[rng.randint(950, 1050) for _ in range(30)]], [[rng.randint(1050, 1150) for _ in range(30)]])
        document = truth.loads(truth.run("diff", *sides, "--json"))
        change = document["step_change"]
        self.assertEqual((change["method"], change["p"]), ("within_two_runs", None))
        self.assertAlmostEqual(change["change"], document["step"]["change_ps"] / document["step"]["before_ps"], places=12)
        self.assertTrue(0 < change["low"] < change["change"] < change["high"] < 0.15, change)
        self.assertIn("Within these two runs only", truth.run("diff", *sides))
        self.assertEqual(truth.loads(truth.run("diff", *self.sides([[1000] * 7], [[1100] * 7]), "--json"))["step_change"]["method"], "none")

    def test_gates(self):
        plain, slow = [[1000, 1004, 996], [1010] * 3, [990] * 3], [[1200, 1210, 1190], [1205] * 3, [1195] * 3]
        sides = self.sides(plain, slow)

        def states(*gates, status=0):
            document = truth.loads(truth.run("diff", *sides, "--json", "--fail-on", ",".join(gates), status=status))
            return [gate["state"] for gate in document["gates"]]
        self.assertEqual(states("step>+2%", "step>30%", "op:gemm>10%", "op:relu>0%", "compute>5%", status=1),
                         ["tripped", "holds", "tripped", "holds", "tripped"])
        self.assertEqual(states("step>30%", "idle>1%"), ["holds", "holds"])
        self.assertEqual(states("memory>1%", "exposed>1%", "op:none>1%"), ["undecided"] * 3)
        self.assertEqual(states("memory>1%", "undecided", status=1), ["undecided"])
        self.assertIn("gate step>+2%: tripped, +1", truth.run("diff", *sides, "--fail-on", "step>+2%", status=1))
        sides = self.sides(plain[:2], slow[:2])
        self.assertEqual(states("step>+2%"), ["undecided"])
        self.assertEqual(states("step>+2%", "undecided", status=1), ["undecided"])
        for wrong in ("step", "steps>2%", "step>much"):
            self.assertIn("the gate", truth.run("diff", *sides, "--fail-on", wrong, status=2, stderr=True))
        self.assertIn("two captures, or some of each side", truth.run("diff", *sides[:3], status=2, stderr=True))

    def test_markdown(self):
        """The tables of the screen, as GitHub shows them: a row a line, names whole, what it would take for marks as it is."""
        name = "void cutlass::gemm_kernel<128, 64>(float*, a|b)"
        run = Run([[(None, None, name, 500, 30), (None, None, "relu", 100, 30)]] * 3)
        self.ask(run, run)
        text = truth.run("diff", *self.paths, "--markdown")
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(rows[0], "| before | after | change | of the step | a step on average |")
        self.assertEqual(rows[1], "|---:|---:|---:|---:|---|")
        self.assertIn(r"| 500.000 us | 500.000 us | +0 ps | +0.0 % | cutlass::gemm\_kernel\<128, 64> |", rows)
        self.assertTrue(text.startswith("before  ") and "### Ops of a step" in text)
        self.assertIn("two forms of one result", truth.run("diff", *self.paths, "--markdown", "--json", status=2, stderr=True))

    def test_without_marked_steps(self):
        def run(size):
            made = idle_trace.Rank()
            made.kernel("gemm", 100, size, (50, 10))
            return made.text().encode()
        document = self.ask(run(100), run(130))
        self.assertEqual((document["before"]["marked"], document["before"]["steps"], document["step"]["change_ps"]), (False, 1, 30 * US))
        self.assertIn("No step is marked", truth.run("diff", *self.paths))

    def test_what_cannot_be_compared(self):
        run = Run([[("aten::mm", None, "gemm", 1000, 30)]] * 3)
        self.assertIn("diff takes two captures", truth.run("diff", self.write("one.json", run.text()), status=2, stderr=True))
        self.assertIn("cannot open", truth.run("diff", self.scratch / "one.json", self.scratch / "none", status=3, stderr=True))
        written = self.scratch / "diff.json"
        both = [self.scratch / "one.json"] * 2
        text = truth.run("diff", *both, "--json", "-o", written)
        self.assertEqual(written.read_text(encoding="utf-8"), text)
        self.assertIn("the output file is a file of the capture", truth.run("diff", *both, "-o", both[0], status=2, stderr=True))
        cut = self.write("cut.json", run.text()[:-400])
        document = truth.loads(truth.run("diff", self.scratch / "one.json", cut, "--json", status=5))
        self.assertEqual((document["status"], [d["file"] for d in document["damage"]]), ("partial", [1]))


    def test_kinds_of_steps(self):
        """Runs of two programs: those of the one that took more time count. An error says where, on whichever side it is."""
        us = US

        def capture(name, length, ops):
            each = length + 100  # a step lasts until the next run
            runs = [x.event(1, at * each * us, length * us) for at in range(6)] + [x.event(2, (6 * each + at * 100) * us, 50 * us) for at in range(3)]
            events = [event for at in range(6) for event in (x.event(5, at * each * us, ops * us), x.event(6, (at * each + ops) * us, 10 * us))] + [x.event(5, (6 * each + at * 100) * us, 10 * us) for at in range(3)]
            return self.write(name, x.space(*(x.plane(
                n, f"/device:TPU:{n}", x.line(1, "XLA Modules", runs, timestamp_ns=BASE_NS), x.line(2, "XLA Ops", events, timestamp_ns=BASE_NS),
                x.event_metadata(1, "jit_train(7)"), x.event_metadata(2, "jit_eval(8)"), x.event_metadata(5, "fusion.1"),
                x.event_metadata(6, "copy.2")) for n in range(2))))
        paths = [capture("old.xplane.pb", 900, 800), capture("new.xplane.pb", 850, 750)]
        document = truth.loads(truth.run("diff", *paths, "--json", "--limit", "1"))
        for side in ("before", "after"):
            self.assertEqual([document[side][key] for key in ("step_name", "steps", "other_steps", "cut_steps")], ["jit_train", 12, 6, 0])
        self.assertEqual(document["step"], {"before_ps": 1000 * US, "after_ps": 950 * US, "change_ps": -50 * US})
        self.assertEqual(document["op_time"], {"before_ps": 810 * US, "after_ps": 760 * US, "change_ps": -50 * US})  # none of jit_eval
        self.assertEqual((document["devices_left_out"], document["ops_left_out"], len(document["devices"]), len(document["ops"])), (1, 1, 1, 1))
        self.assertEqual(document["limited"], truth.limited(1, ("ops", 1, 2), ("devices", 1, 2)))
        cut = self.write("cut.json.gz", gzip.compress(random.Random(5).randbytes(4000))[:2500])
        self.assertGreater(truth.loads(truth.run("diff", paths[0], cut, "--json", status=4))["byte_offset"], 2000)
        self.write("text.json", b"no capture")
        for sides in ((self.scratch / "text.json", paths[0]), (paths[0], self.scratch / "text.json")):
            error = truth.loads(truth.run("diff", *sides, "--json", status=4))
            self.assertEqual([error[key] for key in ("schema", "status", "code", "path", "byte_offset")],
                             ["profkit.diff", "error", "unrecognised", str(self.scratch / "text.json"), None])
            self.assertIn("no reader", error["message"])
            self.assertTrue(error["hint"] and error["reason"])

    def test_a_step_that_began_before_the_capture(self):
        kernels = [(None, None, name, 200, 30) for name in ("gemm", "relu", "add", "softmax", "gemm", "relu", "add", "softmax")]
        document = self.ask(Run([kernels[:2], kernels, kernels, kernels]), Run([kernels] * 3))
        self.assertEqual((document["before"]["cut_steps"], document["before"]["steps"], document["step"]["change_ps"]), (1, 3, 0))

    def test_pipes(self):
        """Read once: what is looked at to know a snapshot is no part of a capture that is lost."""
        run = Run([[("aten::mm", None, "gemm", 1000, 30)]] * 4)
        plain = self.ask(run, run)
        pipes = [self.scratch / name for name in ("one.fifo", "two.fifo")]
        writers = []
        for pipe in pipes:
            os.mkfifo(pipe)
            writers.append(threading.Thread(target=pipe.write_bytes, args=(run.text(),)))
            writers[-1].start()
        piped = truth.loads(truth.run("diff", *pipes, "--json", "--limit", "0"))
        for writer in writers:
            writer.join()
        for document in (plain, piped):
            for side in ("before", "after"):
                del document[side]["path"]
        self.check(piped, plain)

    def test_what_is_read_is_not_written(self):
        base = self.kept("base", Run([[("aten::mm", None, "gemm", 1000, 30)]] * 4))
        before = base.read_bytes()
        self.assertIn("the output file is a file of the capture", truth.run("diff", base, base, "-o", base, status=2, stderr=True))
        self.assertEqual(base.read_bytes(), before)
        # A gate that is none is said before anything is opened.
        self.assertIn("the gate", truth.run("diff", self.scratch / "none", self.scratch / "none", "--fail-on", "steps>1%", status=2, stderr=True))

    def kept(self, name, run):
        path = self.scratch / f"{name}.pks"
        truth.run("snapshot", self.write(f"{name}.pt.trace.json", run.text()), "-o", path)
        return path

    def test_a_snapshot_is_compared_as_its_capture(self):
        for seed in range(6):
            rng = random.Random(seed)
            runs = [Run([[("aten::mm", f"Net_{rng.randint(0, 2)}", rng.choice(["gemm", "relu_3", "Memcpy HtoD"]), rng.randint(100, 900), 30)
                          for _ in range(5)] for _ in range(9)]) for _ in range(2)]
            paths = [self.kept(name, run) for name, run in zip(("before", "after"), runs)]
            kept, captures = truth.loads(truth.run("diff", *paths, "--json", "--limit", "0")), self.ask(*runs)
            for document in (kept, captures):
                for side in ("before", "after"):
                    del document[side]["path"]
            self.check(kept, captures)

    def test_many_ops(self):
        """The 2,000 longest by name, and the exact sum of the others."""
        step = [(None, None, f"op{n:04d}x", 10 + n, 20) for n in range(2_300)]
        slow = [(None, None, "op2299x", 5_000, 20) if k[2] == "op2299x" else k for k in step]
        document = truth.loads(truth.run("diff", self.kept("a", Run([step] * 2)), self.write("b.pt.trace.json", Run([slow] * 2).text()),
                                         "--json", "--limit", "0"))
        self.check_sums(document)
        self.assertEqual((len(document["ops"]), document["ops"][0]["before"], document["ops"][0]["change_ps"]), (2_001, ["op2299x"], (5_000 - 2_309) * US))
        rest = [row for row in document["ops"] if row["before"] == ["(300 other ops)"] == row["after"]]
        self.assertEqual([(row["change"], row["before_ps"], row["before_count"]) for row in rest], [("same", sum(10 + n for n in range(300)) * US, 600)])
        # Of captures every op stands by itself.
        document = self.ask(Run([step] * 2), Run([slow] * 2))
        self.check_sums(document)
        self.assertEqual({(row["change"], row["certainty"]) for row in document["ops"]}, {("same", "proved")})
        self.assertEqual(len(document["ops"]), 2_300)

    def test_the_first_version(self):
        """Written by hand as proto/pk_snapshot.proto says: what was kept once is read for ever."""
        parts = [message(1, "profkit.snapshot"), number(2, 1), message(3, "old"), message(4, message(1, "H100"), number(2, 2)), message(5, "PyTorch"),
                 message(6, message(1, "layers"), message(2, "24")), number(7, 1), message(8, "train"), number(9, 1), number(10, 2), number(11, 3),
                 message(12, message(1, "GPU 0"), number(2, 6), message(3, varint(1000 * US), varint(1002 * US))),
                 message(13, message(1, "compute"), number(3, 1500 * US)), message(13, message(1, "idle"), message(2, "launch_bound"), number(3, 502 * US)),
                 message(14, message(1, "gemm"), message(2, "aten::mm"), message(3, "Net"), message(5, "comm"), number(6, 4), number(7, 1400 * US)),
                 message(14, message(5, "other"), number(6, 2), number(7, 60 * US)),
                 message(14, message(5, "other"), number(6, 9), number(7, 100 * US), number(8, 7)),
                 number(15, 1 << 30), message(99, "of a later release")]

        def kept(name, given, count=None):
            return self.write(name, b"".join(given) + number(18, len(given) if count is None else count))
        old = kept("old.pks", parts)
        document = truth.loads(truth.run("diff", old, old, "--json", "--fail-on", "memory>0%"))
        side = document["before"]
        self.assertEqual([side[key] for key in ("devices", "software", "marked", "step_name", "steps", "warm_up_steps", "cut_steps", "other_steps",
                                                "shortest_ps", "longest_ps")],
                         [[{"model": "H100", "devices": 2}], ["PyTorch"], True, "train", 2, 1, 2, 3, 1000 * US, 1002 * US])
        self.assertEqual(document["step"]["before_ps"], 1001 * US)
        self.assertEqual([(r["use"], r["cause"], r["before_ps"]) for r in document["time"]], [("compute", None, 750 * US), ("idle", "launch_bound", 251 * US)])
        self.assertEqual([(r["before"], r["framework_op"], r["module"], r["kind"], r["before_ps"], r["before_count"]) for r in document["ops"]],
                         [(["gemm"], "aten::mm", "Net", "comm", 700 * US, 4), (["(7 other ops)"], None, None, "other", 50 * US, 9),
                          ([""], None, None, "other", 30 * US, 2)])
        self.assertEqual([(d["device"], d["rank"]) for d in document["devices"]], [("GPU 0", 5)])
        self.assertEqual([(g["state"], g["change"], g["low"]) for g in document["gates"]], [("holds", 0, 0)])
        # More memory trips it, whatever else differs; another fact of the model is said.
        new = kept("new.pks", [number(15, (1 << 30) + (1 << 28)) if part == parts[-2] else
                               message(6, message(1, "layers"), message(2, "32")) if part == parts[5] else part for part in parts])
        document = truth.loads(truth.run("diff", old, new, "--json", "--fail-on", "memory>24%", status=1))
        self.assertEqual([(g["state"], g["change"], g["low"]) for g in document["gates"]], [("tripped", 0.25, 0.25)])
        self.assertEqual(document["settings"], [{"what": "layers", "before": "24", "after": "32"}])
        # A later version is refused, and so is what was cut or changed: at every byte.
        self.assertIn("version 2", truth.run("diff", kept("later.pks", [number(2, 2) if part == parts[1] else part for part in parts]), old,
                                             status=4, stderr=True))
        self.assertIn("it is cut", truth.run("diff", kept("short.pks", parts[:8] + parts[9:], len(parts)), old, status=4, stderr=True))
        whole = old.read_bytes()
        for end in range(18, len(whole)):
            truth.run("diff", self.write("cut.pks", whole[:end]), old, status=4, stderr=True)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
