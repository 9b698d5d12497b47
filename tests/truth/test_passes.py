#!/usr/bin/env python3
"""Where passes begin, how many layers they have, and of which phase and type those are: each case is a row of letters."""
import sys

import truth
from model_parts import LetterCase, US


class Passes(LetterCase):
    def cut(self, text, source, sizes, per_pass, cuts=None, **more):
        """`sizes`: layers of the passes, those that are irregular negative; `cuts`: of the passes, "b" and "e" for cut ones."""
        found = self.run_of(text, **more)
        self.assertEqual((found["pass_source"], [-p["layers"] if p["irregular"] else p["layers"] for p in found["passes"]],
                          found["layers_per_pass"]), (source, sizes, per_pass), text)
        named = {"b": "beginning", "e": "end"}
        self.assertEqual([p["cut"] for p in found["passes"]], [named.get(c, "none") for c in cuts or "-" * len(sizes)], text)
        return found

    def test_sampling(self):
        self.cut("AMSAMAMSAMAMSAM", "sampling", [1, 2, 2, 1], 2, "b--e")
        self.cut("AMSAMAMAMS", "sampling", [1, 3], 3, "b-")
        self.cut("AMAMAMSAM", "sampling", [3, 1], 3, "-e")
        # An uneven pass in the middle, or a longer one at an end: sampling marks none.
        self.cut("AMAMSAMSAMAMS", None, [5], 5)
        self.cut("AMAMAMSAMAMSAMAMS", None, [7], 7)
        self.cut("AMAMSAMAMSAMAMAM", None, [7], 7)

    def test_sampling_twice_a_pass(self):
        """Sizes that repeat in a pattern of two to four."""
        self.cut("AMAMAMSAMS" * 2, "sampling", [4, 4], 4)
        self.cut("AMAMAMSAMS" * 3, "sampling", [4, 4, 4], 4)
        self.cut("AMAMAMSAMSAMAMAMSAM", "sampling", [4, 4], 4)
        self.cut("AMAMAMSAMAMSAMS" * 2, "sampling", [6, 6], 6)
        self.cut("AMAMAMSAMAMSAMSAMAMAMAMS" * 2, "sampling", [10, 10], 10)
        self.cut("AMAMAMSAMAMSAMSAMAMAMAMSAMAMAMAMAMS" * 2, "order of layers", [15, 15], 15)
        self.cut("AMAMAMSAMSAMAMAMS", None, [7], 7)

    def test_marks_of_every_layer(self):
        """Sampling after each layer parts layers, unless embeddings agree that each pass has one."""
        self.cut("AMSAMSAMSAMS", None, [4], 4)
        self.cut("EAMSEAMSEAMS", "sampling", [1, 1, 1], 1)
        self.cut("EAMSEAMSEAMSAMS", None, [4], 4)

    def test_sampling_comes_before_embedding(self):
        self.cut("EAMAMSEAMAMS", "sampling", [2, 2], 2)
        self.cut("EAMAMEAMAMEAM", "embedding", [2, 2, 1], 2, "--e")
        self.cut("AMAMSAMSEAMAMAM", "embedding", [3, 3], 3)  # what is sampled is uneven

    def test_backward_attention(self):
        found = self.cut("FMFMBMBMFMFMBMBMO", "backward attention", [2, 2], 2)
        self.assertEqual([p["phase"] for p in found["passes"]], ["training"] * 2)

    def test_what_comes_before_the_first_layer(self):
        """A pass begins after sampling, and else with its embedding; the first of several."""
        for text, prologue, kernels in (("EAMAMSNEAMAMS", [1, 1], [7, 6]), ("EAMAMSNNAMAMS", [1, 2], [6, 7]),
                                        ("EAMAMNEENAMAM", [1, 3], [6, 7]), ("NEAMAMSEENAMAMS", [2, 3], [7, 8]),
                                        ("EAMAMSNSNEAMAMS", [1, 1], [9, 6])):
            found = self.cut(text, "sampling" if "S" in text else "embedding", [2, 2], 2)
            self.assertEqual(([p["prologue_kernels"] for p in found["passes"]], [p["kernels"] for p in found["passes"]]),
                             (prologue, kernels), text)
        # Without a mark, after the longest pause before the first layer, the first of two.
        for text, prologue in (("AMAMAMAM_NMNAMAMAMAM", 3), ("AMAMAMAMN_MNAMAMAMAM", 2), ("AMAMAMAM_NM_NAMAMAMAM", 3),
                               ("AMAMAMAMNM__N_AMAMAMAM", 1)):
            found = self.cut(text, "pauses", [4, 4], 4)
            self.assertEqual([p["prologue_kernels"] for p in found["passes"]], [0, prologue], text)

    def test_pauses_of_more_than_five_layers(self):
        """Layers begin every 42 us; one that begins after 210 us follows at once, after more than that a pass begins."""
        for pause, cut in ((168, False), (169, True)):
            rank = self.rows("AMAMAM")
            again = self.rows("AMAMAM", rank, at=rank.origin_ns + (3 * 42 + pause) * US)
            found = self.ask(self.folder(again))
            self.assertEqual((found["pass_source"], [p["layers"] for p in found["passes"]]), ("pauses", [3, 3]) if cut else (None, [6]))
        for count in (3, 4):  # layers that say what is usual
            found = self.run_of("AM" * (count - 1) + "_" + "AM")
            self.assertEqual(found["pass_source"], "pauses" if count == 4 else None)

    def test_orders_of_layers(self):
        """Kinds that repeat: at least two of them, at least twice. What the last layer holds is open."""
        self.cut("AMAGAMAGAMAG", "order of layers", [2, 2, 2], 2)
        self.cut("AMAMAGAMAMAG", "order of layers", [3, 3], 3)
        self.cut("AMAMAGAMAM", None, [5], 5)
        self.cut("AMAMAMAM", None, [4], 4)
        self.cut("AMAGAMAGA", "order of layers", [2, 2, 1], 2, "--e")
        self.cut("AGAMAMAM", None, [4], 4)

    def test_one_pass_that_is_marked(self):
        for text, sure in (("EAMNAMNAMNS", "medium"), ("AMNAMNAMNS", "low"), ("EAMNAMNAMN", "low"), ("EAMNAMNSAMN", "medium")):
            found = self.run_of(text)
            self.assertEqual(found["confidence"], sure, text)
        self.assertEqual(self.run_of("EAMNAMNAMNS")["evidence"][4], {
            "evidence": "Passes", "value": "1 pass", "interpretation": "one, marked at its beginning and its end"})

    def test_steps(self):
        """Kernels of a step make a pass; sampling parts it where all parts are alike."""
        self.cut("1AMAM2AMAM3AM", "steps", [2, 2, 1], 2, "--e")
        found = self.cut("1AMAMSAMAMS2AMAMSAMAMS", "steps and sampling", [2, 2, 2, 2], 2)
        self.assertEqual([p["step"] for p in found["passes"]], ["1", "1", "2", "2"])
        self.cut("1AMAMSAMS2AMAMSAMS", "steps", [3, 3], 3)
        found = self.cut("7EAMAMS3EAMAMS", "steps", [2, 2], 2)
        self.assertEqual(([p["step"] for p in found["passes"]], found["configuration"]["steps"]), (["7", "3"], 2))
        # Of sizes that are as frequent the largest is usual; one that is shorter and not at an end is irregular.
        self.cut("1AMAM2AMAMAM3AMAM4AMAMAM", "steps", [2, 3, -2, 3], 3, "b---")
        self.cut("1AMAMAM2AMAM3AM4AMAM", "steps", [-3, 2, -1, 2], 2)
        self.cut("1AMAM2AMAMAM", "steps", [2, 3], 3, "b-")
        self.cut("1AMAM2AMAM3AMAMAM", "steps", [2, 2, -3], 2)
        found = self.cut("1AMAM", None, [2], 2)
        self.assertEqual(found["configuration"]["steps"], 1)

    def test_indices_of_layers_count_from_the_end_of_a_cut_pass(self):
        found = self.cut("AMSAMAGMAMSAMAGMAMSAM", "sampling", [1, 3, 3, 1], 3, "b--e")
        self.assertEqual([(x["pass"], x["index"], x["type"], x["sampling"]) for x in found["layers"]], [
            (0, 2, "Dense", True), *((n, *layer) for n in (1, 2) for layer in ((0, "Dense", False), (1, "MoE(other)", False), (2, "Dense",
                                                                                                                               True))),
            (3, 0, "Dense", False)])
        self.assertEqual([(t["type"], t["sampling"], t["layout"], [tuple(r.values()) for r in t["ranges"]], t["count"], t["occurrences"])
                          for t in found["layer_types"]], [
            ("Dense", True, 0, [(2, 2)], 1, 1), ("Dense", False, 1, [(0, 0)], 1, 2), ("MoE(other)", False, 1, [(1, 1)], 1, 2),
            ("Dense", True, 1, [(2, 2)], 1, 2), ("Dense", False, 2, [(0, 0)], 1, 1)])
        self.assertEqual(found["limitations"][:2], [
            "the capture begins inside of pass 0: 1 of 3 layers are in it, counted from its end",
            "the capture ends inside of pass 3: 1 of 3 layers are in it, and the last of them may be cut"])


class Types(LetterCase):
    def test_kinds_of_layers(self):
        """The first rule that fits: a fused kernel, groups with an exchange, dispatch and combine, anything else of experts."""
        layers = ("M", "GDX", "GXP", "GTMC", "GTPC", "GP", "G", "X", "DPX", "PXT")
        found = self.run_of("E" + "".join("A" + x for x in layers) + "S" + "E" + "".join("A" + x for x in layers) + "S")
        kinds = ["Dense", "MoE+DFC", "MoE+GMM", "MoE+MDD", "MoE+MDD", "MoE(other)", "MoE(other)", "Dense", "MoE+DFC", "MoE+GMM"]
        self.assertEqual([x["type"] for x in found["layers"]], kinds * 2)
        self.assertEqual([(t["type"], t["sampling"], [tuple(r.values()) for r in t["ranges"]], t["count"], t["occurrences"])
                          for t in found["layer_types"]], [
            ("Dense", False, [(0, 0), (7, 7)], 2, 4), ("MoE+DFC", False, [(1, 1), (8, 8)], 2, 4), ("MoE+GMM", False, [(2, 2)], 1, 2),
            ("MoE+MDD", False, [(3, 4)], 2, 4), ("MoE(other)", False, [(5, 6)], 2, 4), ("MoE+GMM", True, [(9, 9)], 1, 2)])

    def test_layouts(self):
        """Passes of the same types in the same order are alike; those of another order or phase are not."""
        found = self.run_of("".join("E" + x + "S" for x in ("AMAG", "AMAG", "AGAM", "AMAG", "AMAG")), lengths=[20] * 8 + [12000] * 2)
        self.assertEqual([p["layout"] for p in found["passes"]], [0, 0, 1, 0, 2])
        self.assertEqual([tuple(x.values()) for x in found["layouts"]], [
            (0, "decode", 2, 0, 3, False), (1, "decode", 2, 2, 1, False), (2, "prefill", 2, 4, 1, False)])
        self.assertIn("the order of layer types changes at pass 2: decode passes are not all alike", found["limitations"])
        check = found["cross_checks"][-1]
        self.check(check, {"name": "orders of layer types = phases", "expected": 2, "actual": 3, "result": "fail",
                           "note": "the order changes at pass 2"})

    def test_phases_of_passes(self):
        """That of most layers; of as many, that of the first."""
        long, short = 12000, 20
        for lengths, phases, means in (([long, short, short, short, long, long], ["decode", "prefill"], [20, 12000]),
                                       ([long, long, short, long, short, short], ["prefill", "decode"], [12000, 20])):
            found = self.run_of("EAMAMAMS" * 2, lengths=lengths)
            self.assertEqual([p["phase"] for p in found["passes"]], phases)
            self.assertEqual([p["anchor_mean_ns"] for p in found["passes"]], [n * 1000 for n in means])
        for lengths, phase in (([long, short] * 2, "prefill"), ([short, long] * 2, "decode")):
            found = self.run_of("EAMAMS" * 2, lengths=lengths)
            self.assertEqual([(p["phase"], p["decode_layers"]) for p in found["passes"]], [(phase, 1)] * 2)


class Phases(LetterCase):
    def phases(self, letter="A", **more):
        count = len(more.get("shapes") or more.get("lengths"))
        found = self.run_of(f"{letter}M" * count, **more)
        return [x["phase"] for x in found["layers"]], found

    def test_lengths(self):
        """Above 10 ms is prefill, below 1 ms decode."""
        found = self.phases(lengths=[10000, 10001, 1000, 999])[1]
        self.assertEqual([x["rule_phase"] for x in found["layers"]], ["undetermined", "prefill", "undetermined", "decode"])
        self.assertEqual((found["anchor_details"]["above_10_ms"], found["anchor_details"]["below_1_ms"], found["phase_source"]),
                         (1, 1, None))
        phases, found = self.phases(lengths=[10001, 10001, 999, 999])
        self.assertEqual((phases, found["phase_source"]), (["prefill"] * 2 + ["decode"] * 2, "durations"))
        # The rule is made for one family.
        phases, found = self.phases("F", lengths=[10001, 10001, 999, 999])
        self.assertEqual((phases, found["phase_source"]), (["undetermined"] * 4, None))

    def test_shapes(self):
        cases = [
            ("1,257,4,64", "prefill"), ("1,256,4,64", None), ("1,4,256,64", None), ("1,256,1,64", "decode"), ("1,1,256,64", "decode"),
            ("1,8,8,64", "decode"), ("1,8,9,64", None), ("1,9,9,64", "prefill"), ("1,2,8,64", "decode"), ("1,9,8,64", None),
            # keys of three dimensions have the batch of the query
            ("4,20,577;4,30,577", "prefill"), ("4,8,577;4,30,577", "decode"), ("4,9,577;4,30,577", "prefill"),
            ("20,4,577;30,4,577", "prefill"), ("8,4,577;30,4,577", "decode"), ("9,4,577;30,4,577", "prefill"),
            ("4,20,577;4,20,577", None), ("4,1,577;4,1,577", "decode"), ("20,1,577;20,1,577", "prefill"), ("1,20,577;1,20,577", "prefill"),
            ("1,1,577;1,1,577", "decode"), ("20,4,577;20,30", None),
            # the list of lengths has an entry for each sequence
            ("4,20,577;1,1,1;1,1,1;4", "prefill"), ("20,4,577;1,1,1;1,1,1;4", "prefill"), ("4,8,577;1,1,1;1,1,1;4", "decode"),
            ("4,20,577;1,1,1;1,1,1;20", "decode"), ("4,20,577;4;4;7", None), ("20,4,577;1,1;4;9,9;;4", "prefill"),
            # both readings say the same
            ("20,30,577", "prefill"), ("9,9,577", "prefill"), ("8,8,577", "decode"), ("8,9,577", None), ("4,20,577", None),
            # tokens of all sequences
            ("16,4,576;1;1;2", "decode"), ("17,4,576;1;1;2", "prefill"), ("16,64;1;1;2", "decode"), ("17,64;1;1;2", "prefill"),
            ("16,64;2;2", None), ("17,64;1;1;2;3", "prefill"), ("24,64;1;1;9,9;3;2", "decode"), ("0,64;1;1;2", None),
            ("16,64;1;1;0;2", "decode"), ("524289,64;1;1;65536", "prefill"), ("524288,64;1;1;65536", "decode"), ("8,64;1;1;65537", None),
            # what is no list of shapes
            ("16,64;1;1;2x", None), ("16", None), ("16,4,4,4,4;1;1;2", None)]
        phases, found = self.phases(shapes=[shapes for shapes, _ in cases], lengths=[2000] * len(cases))
        self.assertEqual([(shapes, phase) for (shapes, _), phase in zip(cases, phases)],
                         [(shapes, phase or "undetermined") for shapes, phase in cases])
        self.assertIsNone(found["phase_source"])
        doubt = [text for text in found["limitations"] if "sequence or batch first" in text]
        self.assertEqual(doubt,
                         ["inputs of attention such as [4,20,577;4,20,577] may be [S,B,H] or [B,S,H], sequence or batch first: phases "
                                 "are not read from them"])

    def test_two_groups_of_lengths(self):
        """Four times as long, at least four of each, none between them, and in blocks."""
        def groups(*lengths):
            return self.phases("F", lengths=lengths)
        low, high = 2000, 9000
        for lengths, said in (([low] * 4 + [high] * 4, True), ([low] * 3 + [high] * 5, False), ([low] * 5 + [high] * 3, False),
                              ([low] * 4 + [7900] * 4, False), ([low, low, high, high, high, high, low, low], True),
                              ([low, high, low, low, low, high, high, high], False),
                              ([low] * 4 + [3732, 6964] + [12996] * 4, False), ([low] * 4 + [4287, 9190] + [19698] * 4, True)):
            phases, found = groups(*lengths)
            expected = ["prefill" if n >= 7000 else "decode" for n in lengths]
            self.assertEqual((found["phase_source"], phases), ("clusters", expected) if said else (None, ["undetermined"] * len(lengths)),
                             lengths)

    def test_names(self):
        """Kernels for prompts and for single tokens are of their phase, whatever they last; all must be known."""
        for kinds, source, phases in ((("PromptFlashAttention", "IncreFlashAttention"), "names", ["prefill", "decode"]),
                                      (("IncreFlashAttention", "PromptFlashAttention"), "names", ["decode", "prefill"])):
            rank = self.rows("M")
            for op_type in kinds:
                for _ in range(3):
                    at = rank.origin_ns + 50 * US * len(rank.lines)
                    rank.kernel(0, op_type, op_type, "AI_CORE", at, 20 * US)
                    rank.kernel(0, "m", "MatMulV3", "AI_CORE", at + 21 * US, 20 * US)
            found = self.ask(self.folder(rank))
            self.assertEqual((found["phase_source"], [x["phase"] for x in found["layers"]]),
                             (source, [p for p in phases for _ in range(3)]))
            self.assertEqual(found["anchor"], ", ".join(kinds))
            self.assertEqual(found["anchor_details"]["family"], " and ".join(kinds))


class Checks(LetterCase):
    def checks(self, text, **more):
        found = self.run_of(text, **more)
        return {c["name"]: (c["expected"], c["actual"], c["result"], c["note"]) for c in found["cross_checks"]}, found["confidence"]

    def test_kernels_of_experts(self):
        grouped, gating = "grouped matmuls = k x the MoE layers that have them", "gating kernels = MoE layers"
        fused, dispatch = "DispatchFFNCombine kernels = MoE+DFC layers", "distributed dispatch and combine = 2 x MoE+MDD layers"
        def twice(*layers, more=()):
            return "".join("E" + "".join("A" + x for x in (more if n and more else layers)) + "S" for n in (0, 1))
        for layers, more, name, said in (
                (("MN", "GXPN", "GXPN"), (), grouped, (4, 4, "pass", None)), (("MN", "GXPPPN", "GXPPPN"), (), grouped, (12, 12, "pass",
                                                                                                                        "k = 3")),
                (("MN", "GXPPPP", "GXPPPP"), (), grouped, (16, 16, "explained", "4 kernels a layer, the same in every pass")),
                (("MN", "GXPPN", "GXPN"), ("MN", "GXPN", "GXPPN"), grouped, (8, 6, "fail", "pass 0 has 3 for 2 layers")),
                (("MN", "GXPN", "GXPN"), ("MN", "GXPPN", "GXPN"), grouped, (4, 5, "fail", "pass 1 has 3 for 2 layers")),
                (("MN", "GDN", "GDN"), (), fused, (4, 4, "pass", None)),
                (("MN", "GDDN", "GDDN"), (), fused, (8, 8, "explained", "2 kernels a layer, the same in every pass")),
                (("MN", "GTMCN", "GTMCN"), (), dispatch, (8, 8, "pass", "k = 2")),
                (("MN", "GTMN", "GTMN"), (), dispatch, (4, 4, "pass", None)),
                (("MN", "GN", "GN"), (), gating, (4, 4, "pass", None)),
                (("MN", "GXPN", "XPN"), (), gating, (4, 2, "fail", "pass 0 has 1 for 2 layers"))):
            checks, sure = self.checks(twice(*layers, more=more))
            self.assertEqual(checks[name], said, layers)
            self.assertEqual(sure == "low", said[2] == "fail" or name == gating)

    def test_cache_writes(self):
        """One may be missing at the end of a pass, or stand before it."""
        name = "cache writes = layers, give or take 1"
        open_end = ": the first layer's stands before it, or the last layer has none for a next one"
        for each, said in ((("MK", "MK", "MN"), (6, 4, "explained", "pass 0 has 2 for 3 layers" + open_end)),
                           (("MK", "MN", "MN"), (6, 2, "fail", "pass 0 has 1 for 3 layers")), (("MK", "MK", "MK"), (6, 6, "pass", None)),
                           (("MKK", "MK", "MK"), (6, 8, "explained", "pass 0 has 4 for 3 layers" + open_end)),
                           (("MKK", "MKK", "MK"), (12, 10, "explained", "pass 0 has 5 for 3 layers" + open_end)),
                           (("MKK", "MKK", "MKK"), (12, 12, "explained", "2 kernels a layer, the same in every pass"))):
            checks, _ = self.checks("".join("E" + "".join("A" + x for x in each) + "S" for _ in (0, 1)))
            self.assertEqual(checks[name], said, each)
        # Those of the prologue are of the pass, and passes that the capture cuts do not count.
        checks, _ = self.checks("AMKS" + "EKAMKAMNS" * 2 + "EAM")
        self.assertEqual(checks[name], (4, 4, "pass", None))

    def test_backward_attention(self):
        name = "backward attention = forward attention"
        for text, said in (("FMFMBMBMO" * 2, (4, 4, "pass", None)),
                           ("FMFMFMFMBMBMO" * 2, (8, 4, "explained", "the forward pass runs twice: activations are computed again")),
                           ("FMFMFMBMBMO" * 2, (6, 4, "fail", "the capture may cut a step"))):
            self.assertEqual(self.checks(text)[0][name], said)

    def test_anchors(self):
        name = "anchors = layers a pass x whole passes"
        for text, said in (("1AMN2AMNAMN3AMNAMN", (4, 4, "pass", None)), ("1AMNAMN2AMN3AMNAMN", (6, 5, "fail", "1 of 3 passes differ")),
                           ("1AMNAMN", None), ("AMNAGNAMNAGNAMNAGN", None)):
            self.assertEqual(self.checks(text)[0].get(name), said, text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
