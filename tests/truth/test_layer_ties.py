#!/usr/bin/env python3
"""`architecture` where two are alike: equal times and counts, numbers exactly at a bound, what is listed when there is too much."""
import sys

import truth
from model_parts import BASE, LetterCase, PartsCase, US
from ascend import Rank


class Reported(LetterCase):
    def test_which_device_is_reported(self):
        """Layers of attention before any others, then the number of layers, then the first; without any layer most kernels."""
        plain, parts = "MUMU", "NMU" * 5
        for texts, reported in ((("AMNAMN", "AMNAMN"), 0), (("AMNAMN", "AMNAMNAMN"), 1), (("AMNAMNAMN", "AMNAMN", "AMNAMNAMN"), 0),
                                ((parts, "AMNAMN"), 1), (("AMNAMN", parts), 0), ((plain, parts), 1), ((parts, plain * 9), 0),
                                ((plain, plain + "M"), 1), ((plain + "M", plain), 0), ((plain, plain), 0),
                                (("AMNUUUAMNUUU", "AMNAMN"), 0), (("AMNAMN", "AMNUUUAMNUUU"), 0)):
            rank = Rank(BASE)
            for device, text in enumerate(texts):
                self.rows(text, rank, device=device)
            found = self.ask(self.folder(rank))
            self.assertEqual((found["device"], [d["reported"] for d in found["devices"]]),
                             (reported, [d == reported for d in range(len(texts))]), texts)


class Names(LetterCase):
    def test_kernels_of_the_ai_cpu(self):
        """Those that run most come first, of as many by their names; four are named."""
        for counts, said in (({"Zeta": 1, "Beta": 2, "Alpha": 2},
                              "5 kernels of these layers run on the AI CPU: Alpha x2, Beta x2, Zeta x1"),
                             ({"D": 1, "C": 1, "B": 1, "A": 1}, "4 kernels of these layers run on the AI CPU: A x1, B x1, C x1, D x1"),
                             ({"E": 1, "D": 3, "C": 1, "B": 1, "A": 1, "F": 1},
                              "8 kernels of these layers run on the AI CPU: D x3, A x1, B x1, C x1, and 2 more"),
                             ({"One": 1}, "1 kernel of these layers runs on the AI CPU: One x1")):
            rank = self.rows("EAMNAMNSEAMNAMNS")
            at = BASE + 30 * US
            for name, times in counts.items():
                for _ in range(times):
                    rank.kernel(0, name, name, "AI_CPU", at, 100, stream=17)
                    at += 200
            found = self.ask(self.folder(rank))
            self.assertEqual([[a for a in s["anomalies"] if "AI CPU" in a] for s in found["substructures"]], [[said], []], counts)

    def test_many_kinds_of_attention(self):
        """Four op types of one family are named, and how many others there are; each once."""
        rank, at = Rank(BASE), BASE
        for n in (0, 1, 2, 3, 4, 0, 5, 1):
            for op_type in (f"FusedInferAttentionScoreV{n}", "MatMulV3", "RmsNorm"):
                rank.kernel(0, op_type, op_type, "AI_CORE", at, 20 * US)
                at += 21 * US
        found = self.ask(self.folder(rank))
        self.assertEqual((found["anchor"], found["anchor_details"]["family"], found["anchor_details"]["count"]),
                         (", ".join(f"FusedInferAttentionScoreV{n}" for n in range(4)) + ", and 2 more", "FusedInferAttentionScore", 8))

    def test_words_of_a_folder(self):
        """A number of up to six digits; experts and sequences may stand without one. Of lengths the first two count."""
        for name, said in (("dp2-tp4.pp08_ep_sp", ["data parallel 2", "tensor parallel 4", "pipeline parallel 08", "expert parallel",
                                                   "sequence parallel"]),
                           ("tp_dp_pp_cp_bs", []), ("TP8_Bs16_cp3", ["tensor parallel 8", "batch size 16", "context parallel 3"]),
                           ("tp123456_dp1234567", ["tensor parallel 123456"]), ("tp8x_ep4_epoch", ["expert parallel 4"]),
                           ("8k_1k_2k", ["context of 8k tokens", "generation of 1k tokens"]), ("k_xk_4k", ["context of 4k tokens"])):
            found = self.run_of("EAMNAMNS" * 2, name=name)
            self.assertEqual(found["configuration"]["parallelism"], [f"{text} (folder name)" for text in said] or ["not determinable"],
                             name)


class Transitions(LetterCase):
    def test_the_first_three_are_listed(self):
        long, short = 12_000, 20
        for lengths, count in (([long, short, long, short], 3), ([long, short, long, short, long], 4),
                               ([short, short, long, long, short, long, short, short], 4), ([short, short, short], 0)):
            found = self.run_of("EAMNAMNS" * len(lengths), lengths=[n for n in lengths for _ in (0, 1)])
            rows = [e for e in found["evidence"] if e["evidence"].startswith("Phase transition")]
            name = {long: "prefill", short: "decode"}
            at, starts = 0, []
            for n in lengths:
                starts.append(at)
                at += 8 * 21 + 2 * (n - 20)
            ms = lambda us: f"{us}.000 us" if us < 1000 else f"{us // 1000}.{us % 1000:03} ms"
            expected = [{"evidence": "Phase transition", "value": f"at {ms(starts[n])}",
                         "interpretation": f"{name[lengths[n - 1]]} to {name[lengths[n]]} with pass {n}, after a pause of 1.000 us"}
                        for n in range(1, len(lengths)) if lengths[n] != lengths[n - 1]][:3]
            if count > 3:
                expected.append({"evidence": "Phase transitions", "value": str(count), "interpretation": "only the first three are listed"})
            self.assertEqual(rows, expected, lengths)


class Streams(LetterCase):
    def test_equal_streams(self):
        """Of streams that compute as long the first one that ran is the main one; of overlaps as long the first stream stands first."""
        rank = Rank(BASE)
        for stream, start, length, core in ((9, 0, 100, "AI_CORE"), (4, 10, 100, "AI_CORE"), (7, 20, 100, "AI_CORE"), (3, 300, 50, "HCCL")):
            rank.kernel(0, f"k{stream}", "hcom_allReduce_" if core == "HCCL" else "MatMulV3", core, BASE + start * US, length * US,
                        stream=stream)
        found = self.ask(self.folder(rank))
        shown = [(s["stream"], s["role"], [(o["stream"], o["ns"]) for o in s["overlaps"]]) for s in found["streams"]]
        self.assertEqual(shown, [("9", "main compute", [("4", 90_000), ("7", 80_000)]),
                                 ("4", "side compute", [("9", 90_000), ("7", 90_000)]),
                                 ("7", "side compute", [("4", 90_000), ("9", 80_000)]), ("3", "collectives", [])])
        self.assertEqual([found["pipeline"][key] for key in ("wall_ns", "busy_ns", "compute_ns", "comm_ns", "hidden_ns", "hidden_ratio")],
                         [350_000, 170_000, 120_000, 50_000, 0, 0])

    def test_no_stream_computes(self):
        """Then none is the main one, and nothing is hidden; a stream of kernels without time is busy for none."""
        rank = Rank(BASE)
        rank.kernel(0, "hcom_allReduce__1_2@9", "hcom_allReduce_", "HCCL", BASE, 40 * US, stream=46)
        rank.kernel(0, "hcom_alltoall__1_2@9", "hcom_alltoall_", "HCCL", BASE + 20 * US, 40 * US, stream=47)
        rank.kernel(0, "m", "MatMulV3", "AI_CORE", BASE + 30 * US, 0, stream=2)
        found = self.ask(self.folder(rank))
        shown = [(s["stream"], s["role"], s["busy_ns"], [(o["stream"], o["ns"]) for o in s["overlaps"]]) for s in found["streams"]]
        self.assertEqual(shown, [
            ("46", "collectives", 40_000, [("47", 20_000)]), ("47", "all-to-all", 40_000, [("46", 20_000)]), ("2", "side compute", 0, [])])
        self.assertEqual([found["pipeline"][key] for key in ("wall_ns", "busy_ns", "kernel_sum_ns", "compute_ns", "comm_ns", "comm_sum_ns",
                                                             "hidden_ns")], [60_000, 60_000, 80_000, 0, 60_000, 80_000, 0])


class Doubts(LetterCase):
    def test_kernels_of_no_known_family(self):
        """More than a tenth of the time of all kernels but copies."""
        for unknown, said in ((17_777, False), (17_900, True)):
            rank = self.rows("AMNAMNNN")  # 160 us
            rank.kernel(0, "Y", "MEMCPY_ASYNC", "MEMCPY_ASYNC", BASE + 200 * US, 900 * US, stream=9)
            rank.kernel(0, "Strange", "Strange", "AI_VECTOR_CORE", BASE + 300 * US, unknown)
            found = [x for x in self.ask(self.folder(rank))["limitations"] if "no known family" in x]
            share = f"{100 * unknown / (160_000 + unknown):.1f} %"
            self.assertEqual(found, [f"kernels of no known family take {share} of the time: layers, their types and phases are no more "
                                     "than possible"] if said else [])

    def test_experts_of_unknown_kind(self):
        """They make a doubt, but not in a pass that the capture cuts, whose last layer lacks some kernels."""
        doubt = "there are kernels of experts, and how tokens reach them is not known: the types of layers are no more than possible"
        for text, said in (("EAMNAGDNS" * 2, False), ("EAMNAGNS" * 2, True), ("EAMNAGDNS" * 2 + "EAGN", False), ("AGNS" + "EAMNAGDNS" * 2,
                                                                                                               False)):
            found = self.run_of(text)
            self.assertEqual((doubt in found["limitations"], found["confidence"]), (said, "low" if said else "high"), text)


class Counts(PartsCase):
    def totals(self, **counts):
        PartsCase.number += 1
        rows = "".join(f"0,{name},AI_CORE,{count},{10 * count}\n" for name, count in counts.items())
        path = self.write(f"{PartsCase.number}/op_statistic_1.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n" + rows)
        return self.ask(path)

    def test_passes_of_counts(self):
        """The op that chooses tokens most often and fits; only where none does, that which looks words up. Two layers a pass at least."""
        for counts, passes, layers, name in (
                ({"ArgMaxV2": 3, "TopKTopPSampler": 4}, 4, 6, "TopKTopPSampler"), ({"ArgMaxV2": 4, "TopKTopPSampler": 3}, 4, 6, "ArgMaxV2"),
                ({"ArgMaxV2": 3, "TopKTopPSampler": 5}, 3, 8, "ArgMaxV2"), ({"ArgMaxV2": 3, "GatherV2": 4}, 3, 8, "ArgMaxV2"),
                ({"ArgMaxV2": 5, "GatherV2": 4}, 4, 6, "GatherV2"), ({"ArgMaxV2": 12}, 12, 2, "ArgMaxV2"),
                ({"ArgMaxV2": 24, "GatherV2": 2}, 2, 12, "GatherV2"), ({"ArgMaxV2": 24}, 0, 0, None), ({}, 0, 0, None)):
            found = self.totals(FusedInferAttentionScore=24, MatMulV3=7, **counts)
            said = [x for x in found["limitations"] if "number of" in x]
            self.assertEqual((found["configuration"]["counted_passes"], found["layers_per_pass"]), (passes, layers), counts)
            self.assertEqual(said, [f"the number of passes rests on one count: {name} is taken to run once in each"] if name else [
                "no kernel that stands once in a pass fits the number of attention kernels: whether 24 layers are of one pass or of "
                "several is not known"], counts)

    def test_types_of_counts(self):
        """Of 24 layers: fused experts, half as many as dispatch and combine, what else is chosen for, and the rest."""
        fused, gate, grouped, send, combine = ("DispatchFFNCombine", "MoeGatingTopK", "GroupedMatmul", "MoeDistributeDispatch",
                                               "MoeDistributeCombine")
        for counts, types in (
                ({}, {"Dense": 24}), ({fused: 20, gate: 20}, {"Dense": 4, "MoE+DFC": 20}), ({gate: 24, grouped: 48}, {"MoE(other)": 24}),
                ({gate: 10, grouped: 20, "hcom_alltoall_": 20}, {"Dense": 14, "MoE+GMM": 10}),
                ({fused: 4, gate: 9, send: 2, combine: 1}, {"Dense": 15, "MoE+DFC": 4, "MoE(other)": 3, "MoE+MDD": 2}),
                ({grouped: 12}, {}), ({grouped: 12, fused: 6}, {"Dense": 18, "MoE+DFC": 6}), ({fused: 6, gate: 5}, {}),
                ({fused: 25, gate: 25}, {})):
            found = self.totals(FusedInferAttentionScore=24, ArgMaxV2=3, **counts)
            self.assertEqual({t["type"]: t["occurrences"] for t in found["layer_types"]}, types, counts)

    def test_checks_of_counts(self):
        """Numbers of kernels a layer are rounded to whole ones; one more or less in a pass is explained."""
        name = "cache writes = k x layers, give or take 1 a pass"
        for writes, said in ((24, (24, 24, "pass", None)), (21, (24, 21, "explained", "one more or less in a pass")),
                             (20, (24, 20, "fail", None)), (27, (24, 27, "explained", "one more or less in a pass")),
                             (48, (48, 48, "pass", "k = 2")), (35, (24, 35, "fail", None)), (36, (48, 36, "fail", "k = 2"))):
            found = self.totals(FusedInferAttentionScore=24, ArgMaxV2=3, ReshapeAndCache=writes)
            check, = [c for c in found["cross_checks"] if c["name"] == name]
            self.assertEqual((check["expected"], check["actual"], check["result"], check["note"]), said)


class Facts(LetterCase):
    def test_formats_that_differ(self):
        """A surer one takes the place of another; of two that are likely none is, and the first stays, whatever comes later."""
        nv, mx, fp8 = ("bmm_E2m1_x", 2), ("bmm_MxE2m1_y", 3), ("deep_gemm::fp8_gemm", 4)
        said = {nv: "nvfp4 by kernel: 2 x bmm_E2m1_x", mx: "mxfp4 by kernel: 3 x bmm_MxE2m1_y",
                fp8: "fp8 by kernel: 4 x deep_gemm::fp8_gemm"}
        for kernels, value, sure, others in (
                ((nv,), "nvfp4", "possible", []), ((mx,), "mxfp4", "likely", []), ((nv, mx), "mxfp4", "likely", [nv]),
                ((mx, nv), "mxfp4", "likely", [nv]), ((mx, fp8), "mxfp4", "possible", [fp8]), ((fp8, mx), "fp8", "possible", [mx]),
                ((nv, mx, fp8), "mxfp4", "possible", [nv, fp8]), ((mx, nv, fp8), "mxfp4", "possible", [nv, fp8]),
                ((fp8, mx, nv), "fp8", "possible", [mx, nv])):
            found = self.facts(self.trace(kernels=[("a", 1), *kernels]))["weight_format"]
            first = next(k for k in kernels if said[k].startswith(value))
            expected = (value, sure, said[first].split(": ", 1)[1], *([[said[k] for k in others]] if others else []))
            self.assertEqual(found, expected, kernels)

    def test_layers_of_kernels(self):
        """As sure as the passes agree; with and without experts they are counted where the first pass is whole and there are experts."""
        with_experts, without = "kernels of experts in these layers", "no kernels of experts in these layers"
        for text, layers, sure, experts, dense in (
                ("EAMNAGDNS" * 2, 2, "likely", 1, 1), ("EAGDNAGDNS" * 2, 2, "likely", 2, None), ("EAMNAMNS" * 2, 2, "likely", None, None),
                ("EAMNAGDNS", 2, "possible", 1, 1), ("AGDNS" + "EAMNAGDNS" * 2, 2, "likely", None, None),
                ("EAMNAGDNAMNS" * 2 + "EAMN", 3, "likely", 1, 2), ("EAMNS", None, None, None, None)):
            found = self.short(self.run_of(text)["facts"])
            count = text.count("A")
            self.assertEqual(found.get("layers"), layers and (layers, sure, f"{count} x FusedInferAttentionScore"), text)
            self.assertEqual((found.get("moe_layers"), found.get("dense_layers")),
                             (experts and (experts, "possible", with_experts), dense and (dense, "possible", without)), text)
            self.assertEqual(found["moe"][0], "G" in text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
