#!/usr/bin/env python3
"""`architecture` of counts alone, what it says of ranks, and how sure it is."""
import json
import sys

import truth
from model_parts import LetterCase, PartsCase

HEAD = "Device_id,OP Type,Core Type,Count,Total Time(us)\n"


class Totals(PartsCase):
    def count(self, *ops, status=0):
        """`ops`: (op type, count) or with the core."""
        PartsCase.number += 1
        lines = [f"0,{op},{core[0] if core else 'AI_CORE'},{count},{100 * count}\n" for op, count, *core in ops]
        path = self.write(f"{PartsCase.number}/op_statistic_1.csv", HEAD + "".join(lines))
        return truth.parsed(truth.run("architecture", path, "--json", status=status))

    def test_passes(self):
        """The most frequent kernel that chooses tokens and fits, else one that looks up embeddings; a pass has two layers at least."""
        fused = "FusedInferAttentionScore"
        for ops, passes, by in (
                ([("ArgMaxV2", 3), ("ArgMaxV3", 6)], 6, "ArgMaxV3"), ([("ArgMaxV2", 6), ("ArgMaxV3", 3)], 6, "ArgMaxV2"),
                ([("ArgMaxV2", 3), ("ArgMaxV3", 5)], 3, "ArgMaxV2"), ([("ArgMaxV2", 12)], 12, "ArgMaxV2"), ([("ArgMaxV2", 24)], 0, None),
                ([("ArgMaxV2", 5), ("GatherV2", 4)], 4, "GatherV2"), ([("ArgMaxV2", 2), ("GatherV2", 4)], 2, "ArgMaxV2"),
                ([("GatherV2", 4), ("GatherV2D", 8)], 8, "GatherV2D"), ([("ArgMaxV2", 3), ("ArgMaxV3", 3)], 3, "ArgMaxV2")):
            found = self.count((fused, 24), *ops)
            self.assertEqual((found["configuration"]["counted_passes"], found["layers_per_pass"]), (passes, 24 // passes if passes
                                                                                                    else 0), ops)
            said = [x for x in found["limitations"] if x.startswith("the number of passes")]
            self.assertEqual(said, [f"the number of passes rests on one count: {by} is taken to run once in each"] if by else [])
        self.assertIn("no kernel that stands once in a pass fits the number of attention kernels: whether 24 layers are of one pass or "
                      "of several "
                      "is not known", self.count((fused, 24), ("ArgMaxV2", 24))["limitations"])

    def test_anchors(self):
        found = self.count(("FlashAttentionScore", 4), ("FusedInferAttentionScore", 3), ("FusedInferAttentionScoreV2", 5))
        self.assertEqual((found["anchor"], found["anchor_details"]["family"], found["anchor_details"]["count"]), (
            "FlashAttentionScore, FusedInferAttentionScore, FusedInferAttentionScoreV2",
            "FlashAttentionScore and FusedInferAttentionScore", 12))
        self.assertIn("attention kernels of several families: they may share the layers", found["limitations"])
        found = self.count(("MatMulV3", 4))
        self.assertIn("no attention kernel is known by name: layers cannot be counted", found["limitations"])

    def test_types(self):
        fused = ("FusedInferAttentionScore", 12)
        for ops, types in (
                ([], [("Dense", 12)]), ([("MoeGatingTopK", 8), ("DispatchFFNCombine", 8)], [("Dense", 4), ("MoE+DFC", 8)]),
                ([("MoeGatingTopK", 9), ("DispatchFFNCombine", 4), ("MoeDistributeDispatch", 2), ("MoeDistributeCombine", 2)],
                 [("Dense", 3), ("MoE+DFC", 4), ("MoE(other)", 3), ("MoE+MDD", 2)]),
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 24), ("hcom_alltoall_", 24, "HCCL")], [("MoE+GMM", 12)]),
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 24)], [("MoE(other)", 12)]), ([("GroupedMatmul", 24)], []),
                ([("GroupedMatmul", 24), ("DispatchFFNCombine", 5)], [("Dense", 7), ("MoE+DFC", 5)]),
                ([("MoeDistributeDispatch", 2), ("MoeDistributeCombine", 1)], [("Dense", 10), ("MoE+MDD", 2)]),
                ([("MoeGatingTopK", 3), ("DispatchFFNCombine", 4)], []), ([("MoeGatingTopK", 13)], []),
                ([("DispatchFFNCombine", 13)], [])):
            found = self.count(fused, ("ArgMaxV2", 3), *ops)
            self.assertEqual([(t["type"], t["occurrences"]) for t in found["layer_types"]], types, ops)

    def test_checks(self):
        grouped, cache = "grouped matmuls = k x the MoE layers that have them", "cache writes = k x layers, give or take 1 a pass"
        fused = [("FusedInferAttentionScore", 12), ("ArgMaxV2", 3)]
        for ops, name, said in (
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 24)], grouped, (24, 24, "pass", "k = 2")),
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 12)], grouped, (12, 12, "pass", None)),
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 17)], grouped, (12, 17, "fail", None)),
                ([("MoeGatingTopK", 12), ("GroupedMatmul", 18)], grouped, (24, 18, "fail", "k = 2")),
                ([("ReshapeAndCache", 15)], cache, (12, 15, "explained", "one more or less in a pass")),
                ([("ReshapeAndCache", 9)], cache, (12, 9, "explained", "one more or less in a pass")),
                ([("ReshapeAndCache", 8)], cache, (12, 8, "fail", None)), ([("ReshapeAndCache", 16)], cache, (12, 16, "fail", None)),
                ([("ReshapeAndCache", 12)], cache, (12, 12, "pass", None)),
                ([("InterleaveRope", 21)], "QKV preparations = k x layers, give or take 1 a pass",
                 (24, 21, "explained", "one more or less in a pass")),
                ([("MoeGatingTopK", 13)], "expert layers <= attention kernels", (12, 13, "fail", None)),
                ([("MoeGatingTopK", 3), ("DispatchFFNCombine", 4)], "expert layers <= attention kernels", (12, 4, "fail", None))):
            found = self.count(*fused, *ops)
            checks = {c["name"]: (c["expected"], c["actual"], c["result"], c["note"]) for c in found["cross_checks"]}
            self.assertEqual(checks.get(name), said, ops)

    def test_summary(self):
        found = self.count(("FusedInferAttentionScore", 24), ("ArgMaxV2", 3), ("MoeGatingTopK", 21), ("DispatchFFNCombine", 21))
        self.assertEqual(found["summary"],
                         "probably 8 layers a pass and 3 passes (3 Dense, 21 MoE+DFC in all), from totals of ops without times; "
                         "confidence low")
        self.assertEqual([tuple(e.values()) for e in found["evidence"]], [
            ("Attention kernels", "24 kernels", "one a layer: FusedInferAttentionScore"), ("Passes", "3 passes", "ArgMaxV2 runs so often"),
            ("Layers a pass", "8 layers", "24 attention kernels in 3 passes"),
            ("Dense", "3 layers", "in all passes, by the counts of expert kernels"),
            ("MoE+DFC", "21 layers", "in all passes, by the counts of expert kernels"),
            ("Confidence", "low", "counts alone: nothing says in which order they ran")])


class Ranks(LetterCase):
    def said(self, name, text="EAMNAMNS", metadata=None, **more):
        folder = self.folder(self.rows(text, **more), name)
        if metadata:
            self.write(f"{folder.relative_to(self.scratch)}/profiler_metadata.json", json.dumps(metadata))
        found = self.ask(folder)
        return found["configuration"]["parallelism"], self.short(found["facts"])

    def test_names_of_folders(self):
        for name, said in (
                ("dp2_tp4-ep.8k 1k_bs16_sp", ["data parallel 2", "tensor parallel 4", "expert parallel", "batch size 16",
                                              "sequence parallel",
                                              "context of 8k tokens", "generation of 1k tokens"]),
                ("TP8_pp2_cp3_ep16", ["tensor parallel 8", "pipeline parallel 2", "context parallel 3", "expert parallel 16"]),
                ("tp_dp_bs_tpx_tp1234567", ["not determinable"]), ("tp123456", ["tensor parallel 123456"]),
                ("k_1k_2k_3k", ["context of 1k tokens", "generation of 2k tokens"])):
            self.assertEqual(self.said(name)[0], [x if x == said[0] == "not determinable" else x + " (folder name)" for x in said], name)

    def test_what_was_recorded_comes_before_names(self):
        """The first spelling of each size; settings before groups."""
        for arguments, groups, said in (
                ({"tensor_model_parallel_size": 8, "tp_size": 4, "pp_size": 2, "sequence_parallel": True, "world_size": 64, "rank": 0},
                 {"tp": 3},
                 "TP 8, PP 2, sequence parallel, world size 64"),
                ({"tp_size": 4, "sequence_parallel": False}, {"tp": 3, "dp": 2, "exp": 4, "default_group": 12},
                 "TP 4, DP 2, EP 4, world size 12"),
                ({}, {"ep": 3, "exp": 4, "cp": 2}, "CP 2, EP 3"), ({"tensor_parallel_size": 1, "expert_parallel_size": 2}, {},
                                                                   "TP 1, EP 2")):
            metadata = {"distributed_args": arguments, "parallel_group_info": {
                f"g{n}": {"group_name": name, "group_rank": 0, "global_ranks": list(range(size))} for n,
                (name, size) in enumerate(groups.items())}}
            found, _ = self.said("tp16_bs3_x_ascend_pt", metadata=metadata)
            self.assertEqual(found, [said + " (profiler metadata)", "batch size 3 (folder name)"])

    def test_heads_on_several_ranks(self):
        metadata = {"distributed_args": {"tensor_model_parallel_size": 4, "world_size": 8}}
        shapes = "3,6,1,16;3,2,7,16;3,2,7,16"
        facts = self.said("x_ascend_pt", "AMNAMN", metadata, shapes=[shapes] * 2)[1]
        text = f'2 x FusedInferAttentionScore "{shapes}"'
        self.assertEqual([facts[name] for name in ("tensor_parallel", "attention_heads_per_rank", "attention_heads", "kv_heads_per_rank",
                                                   "kv_heads", "attention_kind", "head_dim")], [
            (4, "proved", "tensor_model_parallel_size = 4"), (6, "proved", text), (24, "likely", text + ", on each of 4 ranks"),
            (2, "proved", text), (8, "likely", text + ", on each of 4 ranks"), ("GQA", "possible", text + ": 6 query heads to 2 of keys"),
            (16, "proved", text)])
        for heads, kv, sure, kind, kind_sure in ((4, 1, "possible", "GQA", "possible"), (4, 4, "likely", "MHA", "likely"),
                                                 (1, 1, "possible", "MHA", "possible")):
            shapes = f"3,{heads},2,16;3,{kv},7,16;3,{kv},7,16"
            facts = self.said("x_ascend_pt", "AMNAMN", metadata, shapes=[shapes] * 2)[1]
            self.assertEqual((facts["kv_heads"][:2], facts["attention_kind"][:2]), ((kv * 4, sure), (kind, kind_sure)))

    def test_groups_and_sends(self):
        """Without sizes what kernels do is probable."""
        pipeline = "probable: pipeline parallel, the device sends to and receives from others"
        experts = "probable: expert parallel, there are all-to-all kernels"
        self.assertEqual(self.said("x", "AMNVAMNX")[0], [pipeline, experts])
        self.assertEqual(self.said("x", "MNVMNX")[0], [experts])
        self.assertEqual(self.said("x", "AMNVAMNX", {"distributed_args": {"tp_size": 2}})[0], ["TP 2 (profiler metadata)"])


class Sure(LetterCase):
    def sure(self, text, **more):
        found = self.run_of(text, **more)
        return found["confidence"], found["evidence"][-1]["interpretation"], found["limitations"]

    def test_of_whole_passes(self):
        usual = "EAMNAMNS"
        self.assertEqual(self.sure(usual * 2)[:2], ("high", "2 passes agree, and the cross-checks hold"))
        self.assertEqual(self.sure(usual + "EAMN")[:2], ("medium", "there is no second whole pass to agree with"))
        self.assertEqual(self.sure("AMN" * 4)[:2], ("low", "there is no second whole pass to agree with"))
        self.assertEqual(self.sure("AMN" * 4 + "_" + "AMN" * 4)[:2], ("medium", "see the limitations"))
        self.assertEqual(self.sure("1AMNAMN2AMN3AMNAMN")[1], "a cross-check fails: anchors = layers a pass x whole passes")
        self.assertEqual(self.sure("EAMNVAMNS" * 2)[:2], ("medium", "see the limitations"))
        self.assertEqual(self.sure("EAMFNAMFNS" * 2)[:2], ("medium", "see the limitations"))

    def test_of_thin_layers(self):
        """Half of them may have fewer than three kernels."""
        for text, sure in (("EAMNAMAMNAMUS", "high"), ("EAMNAMAMAMUS", "high"), ("EAMAMAMAMUS", "low"), ("EAMAMAMNAMUS", "high")):
            count = text.count("A")
            thin = sum(1 + len(part.rstrip("S")) + part.count("S") < 3 for part in text.split("A")[1:])
            self.assertEqual("low" if thin * 2 > count else "high", sure)
            self.assertEqual(self.sure(text * 2)[0], sure, text)

    def test_of_unknown_kernels(self):
        """More than a tenth of the time, but for copies."""
        known = "AMNAMNS"  # seven of them, and the embedding: 8; 36 us of unknown kernels would be 18 us more than a tenth
        for length, doubt in ((17, False), (18, True)):
            rank = self.rows(("E" + known) * 2)
            rank.kernel(0, "Tiny", "Tiny", "AI_VECTOR_CORE", rank.origin_ns + 17 * 21_000, 2 * length * 1000)
            rank.kernel(0, "copy", "MEMCPY_ASYNC", "MEMCPY_ASYNC", rank.origin_ns + 20 * 21_000, 900_000)
            found = self.ask(self.folder(rank))
            self.assertEqual([x.split(" take ")[1].split(" of")[0] for x in found["limitations"] if "no known family" in x],
                             [f"{200 * length / (320 + 2 * length):.1f} %"] if doubt else [])
            self.assertEqual(found["confidence"], "low" if doubt else "high")

    def test_of_experts_that_are_not_known(self):
        doubt = "there are kernels of experts, and how tokens reach them is not known: the types of layers are no more than possible"
        for text, said in (("EAMNAGPNS" * 2, True), ("EAMNAGXPNS" * 2, False), ("EAMNAMNSEAMNAMNSEAGN", False)):
            sure, _, limitations = self.sure(text)
            self.assertEqual((doubt in limitations, sure), (said, "low" if said else "high"), text)

    def test_of_training(self):
        doubt = ("kernels of a backward pass or of an optimiser run, but attention kernels of a backward pass are not known by name: "
                 "layers may be "
                 "counted in both directions")
        for text, said in (("EAMNAMNO" * 2, True), ("FMNFMNBMBMO" * 2, False), ("EAMNAMNS" * 2, False)):
            self.assertEqual(doubt in self.sure(text)[2], said, text)

    def test_phases_that_follow_each_other(self):
        """Three of four transitions are listed: when, and after which pause."""
        lengths = sum(([n, n] for n in (12000, 20, 20, 12000, 20, 12000)), [])
        found = self.run_of("EAMNAMNS_" * 6, lengths=lengths)
        rows = [tuple(e.values()) for e in found["evidence"] if e["evidence"].startswith("Phase")]
        pause = "after a pause of 501.000 us"
        self.assertEqual([row[2] for row in rows], [f"prefill to decode with pass 1, {pause}", f"decode to prefill with pass 3, {pause}",
                                                    f"prefill to decode with pass 4, {pause}", "only the first three are listed"])
        whole, part = 6 * 21 + 24002, 8 * 21  # us of a pass with long and with short attention, and 500 between two
        starts = [whole + 500, whole + 500 + 2 * (part + 500), 2 * (whole + 500) + 2 * (part + 500)]
        self.assertEqual([row[1] for row in rows], [*(f"at {us / 1000:.3f} ms" for us in starts), "4"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
