#!/usr/bin/env python3
"""`architecture`: steps and passes of other sizes, collectives that are listed twice, layers too large to be shown, rates of parts,
counts alone, and facts that contradict one another."""
import sys

import arrow
import kineto
import model_run
import truth
from architecture_model import Device
from ascend import Rank

US = 1000  # ns


def run_of(passes, base=model_run.BASE):
    """`passes`: (step, kernels of each layer, without its attention: (op type, core, stream)). Each pass begins with an embedding."""
    rank, at = Rank(base), base
    for step, layers in passes:
        rank.kernel(0, "aclnn_GatherV2", "GatherV2", "AI_VECTOR_CORE", at, 5 * US, step=step)
        at += 6 * US
        for layer in layers:
            for op, core, stream in [("FusedInferAttentionScore", "MIX_AIC", 2), *layer]:
                attends = op.startswith("Fused")
                rank.kernel(0, f"aclnn_{op}" if core != "HCCL" else f"{op}__1_0_1@99", op, core, at, 20 * US, stream=stream, step=step,
                            shapes=model_run.DECODE if attends else "")
                at += 21 * US
        at += 500 * US
    return rank


class Passes(truth.Case):
    def ask(self, rank, name="one"):
        self.write(f"{name}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        return truth.parsed(truth.run("architecture", self.scratch / f"{name}_ascend_pt", "--json"))

    def test_steps_and_passes_of_other_sizes(self):
        """Four passes of three layers, and between them one of two: it is not cut, as the last one is, which has one."""
        small, large = [("MatMulV3", "AI_CORE", 2)], [("MatMulV3", "AI_CORE", 2), ("RmsNorm", "AI_VECTOR_CORE", 2)]
        sizes = (3, 3, 2, 3, 3, 1)
        found = self.ask(run_of([(str(10 + n), [small, large, large][:size]) for n, size in enumerate(sizes)]))
        self.assertEqual((found["configuration"]["steps"], found["configuration"]["step_source"], found["layers_per_pass"]),
                         (6, "step ids", 3))
        self.assertEqual([(p["step"], p["layers"], p["irregular"], p["cut"]) for p in found["passes"]], [
            (str(10 + n), size, size == 2, "end" if n == 5 else "none") for n, size in enumerate(sizes)])
        counts = [1 + len(layer) for size in sizes for layer in [small, large, large][:size]][:-1]  # the capture may end in the last one
        self.check([part["variation"]["kernels"] for part in found["substructures"]], [Device.spread(counts, False)])

    def test_collectives_that_are_listed_twice(self):
        """Once without a stream: it is a kernel of the table, and no other one."""
        rank = run_of([("", [[("hcom_allReduce_", "HCCL", 46), ("MatMulV3", "AI_CORE", 2)]] * 3)] * 2)
        lines = [line for line in rank.lines if "hcom" in line]
        rank.lines += [line.replace(",46,", ",N/A,", 1) for line in lines[1:4]]
        found = self.ask(rank)
        configuration = found["configuration"]
        self.assertEqual((configuration["kernels"], configuration["duplicates"], configuration["steps"]), (2 * (1 + 3 * 3) + 3, 3, 0))

    def test_a_layer_of_many_parts(self):
        """96 runs of kernels that do the same are shown of it; what would begin one more is not, and is counted."""
        for times, more in ((40, 0), (60, 13)):
            rank = run_of([("", [[("RmsNorm", "AI_VECTOR_CORE", 2), ("hcom_allReduce_", "HCCL", 2)] * times] * 3)] * 2)
            part, = self.ask(rank)["substructures"]
            shown = sum(op["count"] for node in part["tree"] for op in node["ops"])
            self.assertEqual((part["typical"]["kernels"], part["tree_kernels_left_out"]), (1 + 2 * times, 1 + 2 * times - shown))
            self.assertEqual((len(part["tree"]) == 96, part["tree_kernels_left_out"] > 0), (bool(more), bool(more)))

    def test_attention_that_runs_backward(self):
        """It marks no layer, and makes a pass one of training."""
        rank, at = Rank(model_run.BASE), model_run.BASE
        for _ in range(2):
            for op in ["GatherV2"] + ["FlashAttentionScore", "MatMulV3"] * 3 + ["FlashAttentionScoreGrad", "MatMulV3"] * 3 + ["ApplyAdamW"]:
                rank.kernel(0, f"aclnn_{op}", op, "AI_CORE", at, 20 * US)
                at += 21 * US
        found = self.ask(rank)
        self.check(found["anchor_details"], {"source": "attention", "family": "FlashAttentionScore", "count": 6, "backward_count": 6,
                                             "above_10_ms": 0, "below_1_ms": 6})
        self.assertEqual([(p["phase"], p["layers"]) for p in found["passes"]], [("training", 3)] * 2)

    def test_counts_alone(self):
        """Tokens are chosen once a pass: 24 times attention are 8 layers of 3 passes; where the numbers do not fit, that is not known."""
        for attends, chooses, layers, passes in ((24, 3, 8, 3), (25, 3, 0, 0)):
            path = self.write(f"{attends}/op_statistic_1.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n"
                              f"0,FusedInferAttentionScore,MIX_AIC,{attends},2400\n0,ArgMaxV2,AI_VECTOR_CORE,{chooses},30\n"
                              "0,MatMulV3,AI_CORE,96,960\n")
            found = truth.parsed(truth.run("architecture", path, "--json"))
            configuration = found["configuration"]
            self.assertEqual((configuration["totals_only"], configuration["counted_passes"], found["layers_per_pass"], found["passes"]),
                             (True, passes, layers, []))


class Rates(truth.Case):
    def trace(self, dims):
        """Two steps of three layers: attention, and a product of 2 us whose operator has inputs of these sizes."""
        trace = kineto.Trace(model_run.BASE, 0, 0, 1)
        trace.name_process(900, "python")
        for step in (0, 1):
            at = 1_000_000 * (step + 1)
            trace.span("user_annotation", f"ProfilerStep#{step}", at, 900_000, kind="marker")
            for layer in range(3):
                here = at + 20_000 * layer
                args = {"Input Dims": dims, "Input type": ["c10::Half"] * 2} if dims else {}
                trace.span("cpu_op", "aten::mm", here + 1_500, 2_000, args=args)
                trace.kernel(0, "flash_fwd_kernel", here + 10_000, 5_000, launch=(here + 1_000, 300, 11))
                trace.kernel(0, "gemm", here + 16_000, 2_000, launch=(here + 2_000, 500, 11))
        return self.write("rank0.pt.trace.json", trace.text())

    def test_of_parts(self):
        """2 n k m operations, and each number of two bytes is read or written once; of attention nothing is on record."""
        n, k, m = 128, 64, 256
        for dims, rates in (([[n, k], [k, m]], (2 * n * k * m / 2e-6, 2 * (n * k + k * m + n * m) / 2e-6)), (None, (None, None))):
            found = truth.parsed(truth.run("architecture", self.trace(dims), "--json"))
            part, = found["substructures"]
            self.check([[c["wall_ns"], c["kernels"], c["flops_per_s"], c["bytes_per_s"]] for c in part["components"]],
                       [[5000, 1, None, None], [2000, 1, *rates]])


class Facts(truth.Case):
    def test_two_that_differ(self):
        """Both are on record, so that neither is sure: the first one is given, and the other one beside it."""
        trace = kineto.Trace(model_run.BASE, 0, 0, 1)
        trace.name_process(900, "python")
        for step in range(3):
            at = 1_000_000 * (step + 1)
            trace.span("user_annotation", "step[DECODE bs=8]", at, 900_000, kind="annotation")
            trace.kernel(0, "gemm", at + 16_000, 2_000, launch=(at + 2_000, 500, 11))
        for at, name in ((5_000_000, "AdamW"), (5_100_000, "AdamW"), (5_200_000, "SGD")):
            trace.span("user_annotation", f"Optimizer.step#{name}.step", at, 1_000)
        path = self.write("rank0.pt.trace.json", trace.text())
        facts = {f["name"]: f for f in truth.parsed(truth.run("architecture", path, "--json"))["facts"]}
        step, adam, sgd = "3 x annotation step[DECODE bs=8]", "2 x Optimizer.step#AdamW.step", "1 x Optimizer.step#SGD.step"
        expected = [  # name, value, unit, certainty, source, evidence, contradictions; steps are 1 ms apart, the last one lasts 0.9 ms
            ("batch", 8, "sequences", "proved", "annotation", step, []),
            ("mode", "inference", None, "possible", "annotation", step, [f"training by kernel: {adam}"]),
            ("optimizer", "AdamW", None, "possible", "annotation", adam, [f"SGD by annotation: {sgd}"]),
            ("tokens_per_s", 3 * 8 / 2.9e-3, "tokens/s", "likely", "annotation", "8 a step, 3 steps in 2.900 ms", [])]
        self.check([facts[row[0]] for row in expected], [
            {"name": name, "value": value, "unit": unit, "certainty": sure, "source": {"kind": kind, "text": text},
             "contradictions": others} for name, value, unit, sure, kind, text, others in expected])
        with arrow.Handle("profile", path, None) as profile:
            rows = {row["name"]: row for row in arrow.table("facts", profile)[1]}
        self.assertEqual([tuple(rows[row[0]][key] for key in ("name", "unit", "certainty", "source", "evidence", "contradictions"))
                          for row in expected], [(name, unit, sure, kind, text, "; ".join(others) or None)
                                                 for name, _, unit, sure, kind, text, others in expected])
        self.assertEqual([rows[name]["value"] for name in ("batch", "mode", "optimizer")], ["8", "inference", "AdamW"])

    def test_three_that_differ(self):
        """However many are on record, none of them is sure, and what was said first is given."""
        for names, others in ((("AdamW", "SGD", "Lion"), ["Lion", "SGD"]), (("AdamW", "SGD", "SGD"), ["SGD"]),
                              (("AdamW", "SGD", "Lion", "AdamW"), ["Lion", "SGD"])):
            trace = kineto.Trace(model_run.BASE, 0, 0, 1)
            trace.name_process(900, "python")
            trace.kernel(0, "gemm", 1_016_000, 2_000, launch=(1_002_000, 500, 11))
            for at, name in enumerate(names):
                trace.span("user_annotation", f"Optimizer.step#{name}.step", 5_000_000 + at * 100_000, 1_000)
            path = self.write("rank0.pt.trace.json", trace.text())
            fact, = (f for f in truth.parsed(truth.run("architecture", path, "--json"))["facts"] if f["name"] == "optimizer")
            with self.subTest(names):
                self.check((fact["certainty"], sorted(c.split()[0] for c in fact["contradictions"])), ("possible", sorted(
                    {*others, "AdamW"} - {fact["value"]})))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
