#!/usr/bin/env python3
"""`architecture`: kernels between steps, steps without layers, passes that are cut or irregular, and which of two sources counts."""
import re
import sys

import truth
from model_parts import BASE, LetterCase, US
from ascend import Rank

DECODE, PREFILL = "16,16,64;16,1,64;16,1,64;2", "17,16,64;17,1,64;17,1,64;2"


class Steps(LetterCase):
    def passes(self, text, *keys, **more):
        found = self.run_of(text, **more)
        return found, [tuple(p[key] for key in keys) for p in found["passes"]]

    def test_kernels_between_steps(self):
        """They are of no pass: not those before the first step, between two or after the last."""
        for text, rows in (("1NAMAMN2NAMAMN", [("1", 6, 1, 2), ("2", 6, 1, 2)]),
                           ("NN.1NAMAMN.NNN2AMAMNN.NN", [("1", 6, 1, 2), ("2", 6, 0, 2)]),
                           ("NNNN1AMAMN.U2AMAM.U3NNAM", [("1", 5, 0, 2), ("2", 4, 0, 2), ("3", 4, 2, 1)])):
            found, shown = self.passes(text, "step", "kernels", "prologue_kernels", "layers")
            self.assertEqual((found["pass_source"], shown), ("steps", rows), text)
            self.assertEqual(found["configuration"]["kernels"], sum(letter.isalpha() for letter in text))
            self.assertEqual([sum(x["kernels"] for x in found["layers"] if x["pass"] == n) for n in range(len(rows))],
                             [kernels - before for _, kernels, before, _ in rows], text)

    def test_steps_without_layers(self):
        """They are no passes; a step counts, whether it has layers or not."""
        found, shown = self.passes("1AMAM2NNN3AMAM4UU5AMAM", "step", "kernels", "layers", "cut")
        self.assertEqual(shown, [("1", 4, 2, "none"), ("3", 4, 2, "none"), ("5", 4, 2, "none")])
        self.assertEqual((found["configuration"]["steps"], found["confidence"]), (5, "low"))
        said = {e["evidence"]: (e["value"], e["interpretation"]) for e in found["evidence"]}
        self.assertEqual([said[name] for name in ("Steps", "Passes", "Layers a pass")], [
            ("5 steps", "from step ids"), ("3 passes", "cut by steps"), ("2 layers", "6 anchors in 3 passes, 3 of them whole")])

    def test_marks_inside_of_steps(self):
        """Sampling before embedding before backward attention, the first that parts all steps alike; one that parts none is none."""
        for text, source, layers in (("1EAMAMSEAMAMS2EAMAMSEAMAMS", "steps and sampling", [2] * 4),
                                     ("1EAMAMEAMAM2EAMAMEAMAM", "steps and embedding", [2] * 4),
                                     ("1EAMAMSEAMAMAMAM2EAMAMEAMAMAMAM", "steps", [6, 6]),
                                     ("1EAMSAMEAMAM2EAMAMEAMAM", "steps and embedding", [2] * 4),
                                     ("1FMFMBMBMFMFMBMBO2FMFMBMBMFMFMBMBO", "steps and backward attention", [2] * 4),
                                     ("1EAMAMS2EAMAMS3EAMAMS", "steps", [2] * 3), ("1EAMSEAMS2EAMSEAMS", "steps", [2, 2])):
            found, shown = self.passes(text, "layers")
            self.assertEqual((found["pass_source"], [n for n, in shown]), (source, layers), text)

    def test_irregular_passes(self):
        """Their layers count from the first one on, those of a pass that is cut at its beginning from the last one back."""
        found, shown = self.passes("1AMAM2AMAMAM3AM4AMAMAM5AMAMAMAM6AMAMAM7AM", "layers", "cut", "irregular")
        self.assertEqual(shown, [(2, "beginning", False), (3, "none", False), (1, "none", True), (3, "none", False), (4, "none", True),
                                 (3, "none", False), (1, "end", False)])
        self.assertEqual([[x["index"] for x in found["layers"] if x["pass"] == n] for n in range(7)],
                         [[1, 2], [0, 1, 2], [0], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2], [0]])
        self.assertIn("2 passes of 7 have another number of layers than 3", found["limitations"])
        # The last layer of a pass that the capture ends is of no part; those of the first pass are.
        self.assertEqual([part["layers"] for part in found["substructures"]], [16])
        check = found["cross_checks"][0]
        self.check(check, {"name": "anchors = layers a pass x whole passes", "expected": 15, "actual": 14, "result": "fail",
                           "note": "2 of 5 passes differ"})


class Ranges(LetterCase):
    def test_layers_of_one_type(self):
        """Neighbours make a range; after another type a new one begins."""
        layers = ("GDN", "GDN", "MN", "GDN", "MN", "MN", "GDN", "GDN", "GDN", "MNS")
        found = self.run_of(("E" + "".join("A" + x for x in layers)) * 2)
        shown = [(t["type"], t["sampling"], [tuple(r.values()) for r in t["ranges"]], t["count"], t["occurrences"])
                 for t in found["layer_types"]]
        self.assertEqual(shown, [("MoE+DFC", False, [(0, 1), (3, 3), (6, 8)], 6, 12), ("Dense", False, [(2, 2), (4, 5)], 3, 6),
                                 ("Dense", True, [(9, 9)], 1, 2)])
        self.assertEqual(found["summary"], "10 layers a pass (6 MoE+DFC, 4 Dense), 2 passes (2 decode); confidence high")

    def test_orders_that_change(self):
        """The pass at which the first order of the first phase changes is named, or where it does not, that another one does."""
        long, short, one, two = 12_000, 20, "AMNAGDNS", "AGDNAMNS"
        for passes, note, change in (
                (((one, short), (one, short), (two, short)), "the order changes at pass 2", ("2", "decode")),
                (((one, short), (two, long), (two, short), (one, short)), "the order changes at pass 2", ("2", "decode")),
                (((one, long), (one, short), (two, short), (two, short)), "the order of types changes between passes of one phase",
                 ("2", "decode")),
                (((one, short), (one, long), (one, short), (two, long), (two, short)), "the order changes at pass 4", ("3", "prefill"))):
            found = self.run_of("".join("E" + text for text, _ in passes), lengths=[n for _, n in passes for _ in (0, 1)])
            self.assertEqual((found["cross_checks"][-1]["name"], found["cross_checks"][-1]["note"]),
                             ("orders of layer types = phases", note), passes)
            self.assertEqual([x for x in found["limitations"] if "order of layer" in x],
                             [f"the order of layer types changes at pass {change[0]}: {change[1]} passes are not all alike"], passes)

    def test_checks_of_whole_passes(self):
        """Those that the capture cuts do not count, but passes keep their numbers; the first that differs is named."""
        whole, less = "EAMKAGDKS", "EAMKAGDDDKKKS"
        name = "DispatchFFNCombine kernels = MoE+DFC layers"
        for text, numbers, note in (("AGDKS" + whole * 3 + less + whole, (5, 7), "pass 4 has 3 for 1 layers"),
                                    ("AGDKS" + whole + less, (4, 4), "pass 1 has 1 for 1 layers"),  # two on average
                                    (whole + less + less + whole, (8, 8), "pass 0 has 1 for 1 layers"),
                                    (less + whole * 4 + "EAGDDDD", (5, 7), "pass 0 has 3 for 1 layers")):
            found = self.run_of(text)
            check, = [c for c in found["cross_checks"] if c["name"] == name]
            self.assertEqual((check["expected"], check["actual"], check["result"], check["note"]), (*numbers, "fail", note), text)
            self.assertEqual(found["evidence"][-1]["interpretation"], f"a cross-check fails: {name}")


class Sources(LetterCase):
    def test_names_come_before_shapes(self):
        """A kernel whose name says its phase needs no shapes; where one kernel's phase is not known otherwise, its shapes count."""
        for kinds, source, phases in (
                ((("PromptFlashAttention", DECODE), ("IncreFlashAttention", PREFILL)), "names", ["prefill", "decode"]),
                ((("IncreFlashAttention", PREFILL), ("FusedInferAttentionScore", PREFILL)), "shapes", ["decode", "prefill"]),
                ((("FusedInferAttentionScore", PREFILL), ("FusedInferAttentionScore", DECODE)), "shapes", ["prefill", "decode"]),
                ((("IncreFlashAttention", ""), ("FlashAttentionScore", "")), None, ["decode", "undetermined"])):
            rank, at = Rank(BASE), BASE
            for op_type, shapes in kinds:
                for _ in range(3):
                    rank.kernel(0, op_type, op_type, "AI_CORE", at, 2000 * US, shapes=shapes)
                    rank.kernel(0, "m", "MatMulV3", "AI_CORE", at + 2001 * US, 20 * US)
                    rank.kernel(0, "n", "RmsNorm", "AI_CORE", at + 2022 * US, 20 * US)
                    at += 2043 * US
            found = self.ask(self.folder(rank))
            self.assertEqual((found["phase_source"], [x["phase"] for x in found["layers"]]),
                             (source, [p for p in phases for _ in range(3)]))

    def test_shapes_come_before_lengths(self):
        """Only where one of them says nothing the lengths of all count."""
        for shapes, lengths, source, phases in (
                ([DECODE, DECODE, PREFILL, PREFILL], [12_000, 12_000, 20, 20], "shapes", ["decode", "decode", "prefill", "prefill"]),
                ([DECODE, DECODE, PREFILL, "16"], [12_000, 12_000, 20, 20], "durations", ["prefill", "prefill", "decode", "decode"]),
                ([DECODE, DECODE, PREFILL, "16"], [12_000, 2_000, 20, 20], None, ["decode", "decode", "prefill", "undetermined"])):
            found = self.run_of("EAMNAMNS" * 2, shapes=shapes, lengths=lengths)
            self.assertEqual((found["phase_source"], [x["phase"] for x in found["layers"]]), (source, phases))
            self.assertEqual([x["rule_phase"] for x in found["layers"]],
                             ["prefill" if n > 10_000 else "decode" if n < 1_000 else "undetermined" for n in lengths])

    def test_which_family_marks_layers(self):
        """One of them before all others, however seldom it runs; of the others that which runs most, of as many the first."""
        def rows(*names):
            rank, at = Rank(BASE), BASE
            for name in names:
                for op_type in (name, "MatMulV3", "RmsNorm"):
                    rank.kernel(0, op_type, op_type, "AI_CORE", at, 20 * US)
                    at += 21 * US
            details = self.ask(self.folder(rank))["anchor_details"]
            return details["family"], details["count"]
        fused, flash, prompt, paged = "FusedInferAttentionScore", "FlashAttentionScore", "PromptFlashAttention", "PagedAttention"
        self.assertEqual(rows(*[flash, fused, flash, flash] * 4), (fused, 4))
        self.assertEqual(rows(*[prompt, flash] * 4), (prompt, 4))
        self.assertEqual(rows(*[flash, prompt] * 4), (flash, 4))
        self.assertEqual(rows(*[prompt, flash, flash] * 4), (flash, 8))
        # In blocks they mark the layers together: that with most kernels first, then in the order of their first ones.
        self.assertEqual(rows(*[prompt] * 3 + [flash] * 4 + [prompt]), (f"{prompt} and {flash}", 8))
        self.assertEqual(rows(*[prompt] * 3 + [flash] * 5 + ["PagedAttentionMaskNd"] * 3),
                         (f"{flash} and {prompt} and paged attention", 11))

    def test_how_sure(self):
        """The least that any reason allows, and the reason that is named."""
        for text, sure, why in (
                ("EAMNAMNS" * 2, "high", "2 passes agree, and the cross-checks hold"),
                ("EAMNAMNVS" * 2, "medium", "see the limitations"),
                ("EAMNAMNS" + "EAMN", "medium", "there is no second whole pass to agree with"),
                ("AMNAMNS" + "EAMNAMNS" + "EAMN", "high", "2 passes agree, and the cross-checks hold"),
                ("1AMNAMNAMN2AMNAMN3AMNAMNAMN", "low", "a cross-check fails: anchors = layers a pass x whole passes"),
                ("AMNAMN", "low", "there is no second whole pass to agree with"),
                ("EAMAMS" * 2, "high", "2 passes agree, and the cross-checks hold"),  # half of the layers hold only two
                ("EAMAMAMS" * 2, "low", "layers with hardly any kernel"),
                ("FMNFMNFMNFMNBMBMO" * 2, "low", "layers are probably counted twice"),
                ("NMUW" * 5, "low", "no attention kernel: that parts are layers is a guess"),
                ("EAMNAGNS" * 2, "low", "the names of the kernels leave open what ran: see the limitations")):
            found = self.run_of(text)
            self.assertEqual((found["confidence"], found["evidence"][-1]["value"], found["evidence"][-1]["interpretation"]),
                             (sure, sure, why), text)


class Dearest(LetterCase):
    def test_which_layers_are_drawn(self):
        """A layer in the middle of the type that takes most time, and the one after it, or before it where it is the last of its pass;
        of types that take as long the first of one order."""
        for text, lengths, heading, drawn in (
                ("EAMNAMNAMNS" * 2, [20] * 6, "Dense (decode, 4 layers)", (0, 1, 2)),
                ("EAMNAMNNNNNNNNNS" * 2, [20] * 4, "Dense+sampling (decode, 2 layers)", (0, 0, 1)),
                ("EADNAMNADNAMN" * 2, [20] * 8, "MoE+DFC (decode, 4 layers)", (0, 2, 3)),
                ("EAMNADNAMNADN" * 2, [20] * 8, "Dense (decode, 4 layers)", (0, 2, 3)),
                ("EAMNADNAMNS" * 2, [60, 60, 20] * 2, "Dense (decode, 2 layers)", (0, 0, 1)),
                ("EADNAMNAMNS" * 2, [60, 60, 20] * 2, "Dense (decode, 2 layers)", (0, 1, 2)),
                ("EADNAMNAMNS" * 2, [61, 60, 20] * 2, "MoE+DFC (decode, 2 layers)", (0, 0, 1)),
                ("EADNAMNAMNS" * 2, [60, 20, 20, 60, 60, 20], "MoE+DFC (decode, 2 layers)", (0, 0, 1)),
                ("EAMNAMNAMNS" * 2, [20, 30, 20, 40, 50, 20], "Dense (decode, 4 layers)", (0, 1, 2)),
                ("EAMNAMNAMNS" * 2, [90, 20, 20, 80, 50, 20], "Dense (decode, 4 layers)", (1, 1, 2)),
                # Those of a long pass before one of decoding.
                ("EAMNAMNAMNS" * 2, [12_000] * 3 + [20] * 3, "Dense (prefill, 2 layers)", (0, 0, 1))):
            report = truth.run("architecture", self.folder(self.rows(text, lengths=lengths)), "--markdown")
            self.assertEqual(re.search(r"^Inside one layer: (.*)$", report, re.M)[1], heading, (text, lengths))
            number, ruler = re.search(r"^Two neighbouring layers .*, pass (\d+):\n\n```text\n(.*)$", report, re.M).groups()
            self.assertEqual((int(number), *map(int, re.findall(r"\|layer (\d+)", ruler))), drawn, (text, lengths))

    def test_a_layer_alone(self):
        report = truth.run("architecture", self.folder(self.rows("EAMNS" * 3)), "--markdown")
        number, ruler = re.search(r"^A layer of the type that takes most time, pass (\d+):\n\n```text\n(.*)$", report, re.M).groups()
        self.assertEqual((number, re.findall(r"\|layer (\d+)", ruler)), ("1", ["0"]))  # of three equal ones the second
        self.assertNotIn("neighbouring", report)

    def test_first_page(self):
        """What takes most of the layer, how busy the device is in its passes, and how much communication is hidden."""
        rank = self.rows("EAMNAMNS" * 2, lengths=[40] * 4)  # passes of 207 us, with a microsecond between kernels
        report = truth.run("architecture", self.folder(rank), "--markdown")
        self.assertEqual([line for line in report.splitlines() if line.startswith("* ")][:3], [
            "* Attention takes 38.8 % of it.", "* The device is busy for 96.6 % of its passes."])
        rank = self.rows("EAMNAMNS" * 2, lengths=[40] * 4)
        rank.kernel(0, "hcom_allReduce__1_2@9", "hcom_allReduce_", "HCCL", BASE + 600 * US, 40 * US, stream=46)
        found = self.ask(self.folder(rank))
        self.assertEqual([found["passes"][1][key] for key in ("kernels", "end_rel_ns", "busy_ns")], [9, 640_000, 240_000])
        self.assertEqual(found["pipeline"]["hidden_ns"], 0)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
