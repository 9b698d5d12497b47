"""The whole document `architecture` of an inference run, its report in Markdown and its screen text."""
import json
import pathlib
import sys

import truth
import kineto
import model_run
from architecture_model import Device
from ascend import Rank

EXPECTED = pathlib.Path(__file__).parent / "expected"
NAME = "dp2_tp4_8k_ascend_pt"
PARALLELISM = ["data parallel 2 (folder name)", "tensor parallel 4 (folder name)", "context of 8k tokens (folder name)",
               "2 devices in the capture", "probable: expert parallel, there are all-to-all kernels"]
CHECKS = [("anchors = layers a pass x whole passes", 16, None), ("DispatchFFNCombine kernels = MoE+DFC layers", 4, None),
          ("grouped matmuls = k x the MoE layers that have them", 8, None),  # of all four of a pass, experts in three
          ("distributed dispatch and combine = 2 x MoE+MDD layers", 8, "k = 2"), ("gating kernels = MoE layers", 12, None),
          ("cache writes = layers, give or take 1", 16, None), ("orders of layer types = phases", 2, None)]
ROLES = {2: "main compute", 46: "collectives", 47: "all-to-all", 17: "AI CPU"}
ANOMALIES = {("prefill", "Dense"): ["1 kernel of these layers runs on the AI CPU: Unique2 x1"],
             ("decode", "Dense"): ["4 kernels of these layers run on the AI CPU: Unique2 x4"]}


class Architecture(truth.Case):
    def setUp(self):
        super().setUp()
        run = model_run.described()
        self.path = self.scratch / NAME
        self.write(f"{NAME}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", run.rank.table())
        self.sentences = json.loads((EXPECTED / "architecture.json").read_text(encoding="utf-8"))
        self.devices = [Device(run.rows[0], 4), Device(run.rows[1], 4)]

    @staticmethod
    def facts(of):
        """Without module names and with shapes of attention alone: 16 query heads of 64 and one of keys, on each of several ranks."""
        def count(op_type, shapes=None):
            return sum(k.op_type == op_type and (shapes is None or k.shapes == shapes) for k in of.kernels)

        def by_name(op_type, shapes=None):
            return f"{count(op_type, shapes)} x aclnn_{op_type}_{op_type}"

        attention = "FusedInferAttentionScore"
        decode = f'{count(attention, model_run.DECODE)} x {attention} "{model_run.DECODE}"'
        rows = [("moe", True, "proved", "kernel", by_name("MoeGatingTopK")),
                ("mode", "inference", "likely", "count", "nothing of a backward pass or of an optimizer"),
                ("phases", ["decode", "prefill"], "possible", "count", "by the shapes of attention kernels"),
                ("sampling", True, "likely", "count", by_name("ArgMaxV2")),
                ("sampling_method", "greedy", "likely", "count", by_name("ArgMaxV2")),
                ("layers", 4, "likely", "kernel", f"{count(attention)} x {attention}"),
                ("norm", "RMSNorm", "likely", "kernel", by_name("RmsNorm")),
                ("ffn_gated", True, "likely", "kernel", by_name("SwiGlu")),
                ("activation", "swiglu", "likely", "kernel", by_name("SwiGlu")),
                ("attention_heads_per_rank", 16, "proved", "shape", decode),
                ("kv_heads_per_rank", 1, "proved", "shape", decode),
                ("head_dim", 64, "proved", "shape", decode),
                ("attention_backend", f"{attention} (CANN)", "likely", "kernel", by_name(attention, model_run.DECODE)),
                ("moe_backend", "GroupedMatmul (CANN)", "possible", "kernel", by_name("GroupedMatmul")),
                ("devices", 2, "proved", "recorder", "devices with kernels in the capture")]
        return [{"name": name, "value": value, "unit": None, "certainty": sure, "source": {"kind": kind, "text": text}, "contradictions": []}
                for name, value, sure, kind, text in rows]

    def expected(self, d=0):
        of = self.devices[d]
        above = sum(of.rule(x) == "prefill" for x in of.layers)
        return {
            "schema": "profkit.architecture", "version": 1, "status": "ok", "reason": None, "families_version": 3,
            "summary": self.sentences["summary"], "facts": self.facts(of),
            "devices": [{"device": i, "name": f"NPU {i}", "type": "npu", "rank": -1, "reported": i == d,
                         "kernels": len(x.kernels), "layers_per_pass": 4, "passes": len(x.passes), "layers": len(x.layers),
                         "confidence": "high"} for i, x in enumerate(self.devices)],
            "device": d, "anchor": "FusedInferAttentionScore",
            "anchor_details": {"source": "attention", "family": "FusedInferAttentionScore", "count": len(of.layers),
                               "backward_count": 0, "above_10_ms": above, "below_1_ms": len(of.layers) - above},
            "configuration": {"kernels": len(of.kernels), "duplicates": 0, "kernels_left_out": 0,
                              "first_rel_ns": min(k.start for k in of.kernels) // 1000,
                              "span_ns": (max(k.end for k in of.kernels) - min(k.start for k in of.kernels)) // 1000, "steps": 0,
                              "step_source": "none", "parallelism": PARALLELISM, "totals_only": False,
                              "counted_passes": 0},
            "layers_per_pass": 4, "pass_source": "sampling", "phase_source": "shapes", "passes_total": len(of.passes),
            "passes": [of.pass_row(p) for p in of.passes], "layers_total": len(of.layers),
            "layers": [of.layer_row(x) for x in of.layers],
            "layouts": [{key: x[key] for key in ("layout", "phase", "layers", "first_pass", "passes", "cut")}
                        for x in of.layouts],
            "layer_types": of.types(), "op_counts": of.op_counts(),
            "cross_checks": [{"name": name, "expected": n, "actual": n, "result": "pass", "note": note}
                             for name, n, note in CHECKS],
            "substructures": of.anatomies(ANOMALIES), "streams": of.streams(ROLES), "pipeline": of.pipeline(),
            "evidence": self.sentences["evidence"], "confidence": "high", "limitations": self.sentences["limitations"],
            "files": [{"path": f"{self.path}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "family": "ascend_kernels",
                       "export_of": -1}], "events_checked": "all", "damage": []}

    def test_document(self):
        self.check(truth.parsed(truth.run("architecture", self.path, "--json")), self.expected())

    def test_facts(self):
        whole = self.expected()
        self.check(truth.parsed(truth.run("architecture", self.path, "--facts", "--json")), {
            "schema": "profkit.facts", **{key: whole[key] for key in ("version", "status", "reason", "facts", "files", "events_checked", "damage")}})

    def test_facts_of_a_damaged_table(self):
        table = self.path / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
        rows = table.read_text(encoding="utf-8")
        table.write_text(rows + '"cut', encoding="utf-8")
        said = f"1 of {rows.count(chr(10))} rows were passed over, the first on line {rows.count(chr(10)) + 1}: the row ends inside a quoted field (1)"
        found = truth.parsed(truth.run("architecture", self.path, "--facts", "--json", status=5))
        self.check([found[key] for key in ("status", "reason", "facts", "damage")], [
            "partial", f"the file is damaged: {said}", self.expected()["facts"],
            [{"file": 0, "code": "damaged", "message": said, "path": str(table), "byte_offset": None, "hint": "the others were read"}]])

    def test_document_of_the_library(self):
        profkit = truth.library()
        with profkit.open(str(self.path)) as profile:
            self.assertEqual(profile.document_bytes("architecture").decode().rstrip(),
                             truth.run("architecture", self.path, "--json").rstrip())

    def test_limit(self):
        """Every list of rows is limited, not what others need or say."""
        expected = truth.cut(self.expected(), 2, {"files", "facts", "contradictions", "cross_checks", "evidence", "limitations", "parallelism",
                                                  "anomalies"})
        self.check(truth.parsed(truth.run("architecture", self.path, "--json", "--limit", "2")), expected)

    def test_report(self):
        self.check_text(truth.run("architecture", self.path, "--markdown"),
                        (EXPECTED / "architecture.md").read_text(encoding="utf-8"))

    def test_screen(self):
        self.check_text(truth.run("architecture", self.path), (EXPECTED / "architecture.txt").read_text(encoding="utf-8"))

    def test_files(self):
        """-o DIR/ writes the report, with --json the document."""
        into = self.scratch / "out"
        truth.run("architecture", self.path, "-o", f"{into}/", "-q")
        truth.run("architecture", self.path, "--json", "-o", f"{into}/", "-q")
        self.assertEqual(sorted(p.name for p in into.iterdir()),
                         [f"model_architecture_{NAME}.json", f"model_architecture_report_{NAME}.md"])
        self.assertEqual((into / f"model_architecture_report_{NAME}.md").read_text(),
                         truth.run("architecture", self.path, "--markdown"))
        self.assertEqual((into / f"model_architecture_{NAME}.json").read_text(),
                         truth.run("architecture", self.path, "--json"))


class Losses(truth.Case):
    def test_what_was_passed_over_is_a_limitation_of_every_device(self):
        for number in (0, 1):
            rank = Rank(model_run.BASE)
            rank.kernel(number, "aclnnAdd", "Add", "AI_VECTOR_CORE", model_run.BASE, 5_000)
            table = rank.table() + (rank.table().splitlines()[1].replace("5.000", "-5.000") + "\n" if number else "")
            self.write(f"rank_{number}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", table)
        found = truth.parsed(truth.run("architecture", self.scratch, "--json", status=5))
        self.assertEqual([text.split(" (")[0] for text in found["limitations"] if "skipped" in text],
                         ["1 of 2 rows of kernel_details.csv were skipped"])

    def test_of_many_files_twenty_are_named(self):
        for number in range(22):
            rank = Rank(model_run.BASE)
            rank.kernel(number, "aclnnAdd", "Add", "AI_VECTOR_CORE", model_run.BASE, 5_000)
            table = rank.table() + rank.table().splitlines()[1].replace("5.000", "-5.000") + "\n"
            self.write(f"rank_{number}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", table)
        for command, key in (("architecture", "limitations"), ("bubbles", "evidence_gaps")):
            found = truth.parsed(truth.run(command, self.scratch, "--json", status=5))
            self.assertEqual([text.split(" (")[0] for text in found[key] if "skipped" in text or "the same holds" in text],
                             ["1 of 2 rows of kernel_details.csv were skipped"] * 20 + ["the same holds for 2 more files"])


class PhasesOfShapes(truth.Case):
    def test_shapes_come_before_lengths(self):
        """Attention of 2 ms is of no phase by its length; its shapes are those of decoding."""
        rank, at = Rank(model_run.BASE), model_run.BASE
        for _ in range(2):
            for op in ["GatherV2"] + ["FusedInferAttentionScore", "MatMulV3"] * 3 + ["ArgMaxV2"]:
                attends = op.startswith("Fused")
                length = 2_000_000 if attends else 5_000
                rank.kernel(0, f"aclnn_{op}", op, "AI_CORE", at, length, shapes=model_run.DECODE if attends else "")
                at += length + 1_000
        self.write("one_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        found = truth.parsed(truth.run("architecture", self.scratch / "one_ascend_pt", "--json"))
        passes = [(p["phase"], p["layers"], p["decode_layers"]) for p in found["passes"]]
        self.assertEqual(passes, [("decode", 3, 3)] * 2)
        self.assertEqual({x["rule_phase"] for x in found["layers"]}, {"undetermined"})


class TwoHosts(truth.Case):
    def test_facts_are_of_the_host_that_is_reported(self):
        """The rank whose device has more layers is reported, whichever it is: steps, operators and rank are its own."""
        # steps, layers a step, what the host calls, heads, size of a head
        ranks = [(3, 4, "aten::linear", 8, 64), (5, 2, "aten::mse_loss", 16, 32)]
        for order in (ranks, ranks[::-1]):
            for rank, (steps, layers, operator, heads, size) in enumerate(order):
                trace = kineto.Trace(model_run.BASE, 0, rank, 2)
                trace.name_process(900, "python")
                for step in range(steps):
                    at = 1_000_000 * (step + 1)
                    trace.span("user_annotation", f"ProfilerStep#{step}", at, 900_000, kind="marker")
                    for layer in range(layers):
                        here = at + 20_000 * layer
                        trace.span("cpu_op", operator, here, 5_000)
                        trace.span("cpu_op", "aten::scaled_dot_product_attention", here + 6_000, 3_000, args={
                            "Input Dims": [[2, heads, 128, size]] * 3 + [[]] * 5, "Input type": ["c10::Half"] * 3 + [""] * 5})
                        trace.kernel(0, "flash_fwd_kernel", here + 10_000, 5_000, launch=(here + 1_000, 500, 11))
                        trace.kernel(0, "gemm", here + 16_000, 2_000, launch=(here + 2_000, 500, 11))
                self.write(f"run/rank{rank}.pt.trace.json", trace.text())
            found = truth.parsed(truth.run("architecture", self.scratch / "run", "--json"))
            facts = {fact["name"]: fact["value"] for fact in found["facts"]}
            self.assertEqual(found["device"], order.index(ranks[0]))
            self.assertEqual([facts.get(name) for name in ("steps", "layers", "loss", "world_size", "attention_heads", "head_dim")],
                             [3, 4, None, 2, 8, 64])


class Machine(truth.Case):
    def test_devices_of_a_machine_have_a_name_if_it_is_one(self):
        for names, said in ((["GPU A", "GPU A"], "GPU A"), (["GPU A", "GPU B"], None), (["GPU B", "GPU A"], None)):
            trace = kineto.Trace(model_run.BASE, 0, 0, 1)
            for at in range(8):
                trace.kernel(0, "flash_fwd_kernel" if at % 2 else "gemm", 1_000_000 + 10_000 * at, 5_000)
            whole = json.loads(trace.text())
            whole["deviceProperties"] = [{"id": i, "name": name, "numSms": 8} for i, name in enumerate(names)]
            found = truth.parsed(truth.run("architecture", self.write("one.pt.trace.json", json.dumps(whole)), "--json"))
            self.assertEqual({fact["name"]: fact["value"] for fact in found["facts"]}.get("device"), said, names)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
