#!/usr/bin/env python3
"""What `architecture` says of a model in words: its summary, limitations, evidence, doubts."""
import sys

import truth
from model_parts import BASE, LetterCase, US
from ascend import Rank


class Words(LetterCase):
    def test_summaries(self):
        long = 12_000
        for text, lengths, said in (
                ("EAMNAGDNS" * 2, [20] * 4, "2 layers a pass (1 Dense, 1 MoE+DFC), 2 passes (2 decode); confidence high"),
                # Types of the other phase where they are not the same.
                ("EAMNAMNS" + "EAMNAGDNS" * 2, [long] * 2 + [20] * 4,
                 "2 layers a pass (2 Dense; in decode 1 Dense, 1 MoE+DFC), 3 passes (1 prefill, 2 decode); confidence high"),
                ("EAMNAMNS" * 2 + "EAMNAMNS", [long] * 4 + [20] * 2,
                 "2 layers a pass (2 Dense), 3 passes (2 prefill, 1 decode); confidence high"),
                ("AMNAMN", [2000] * 2, "possibly 2 layers a pass (2 Dense), 1 pass; confidence low"),
                ("FMNFMNBMBMO" * 2, [20] * 4, "2 layers a pass (2 Dense), 2 passes (2 training); confidence high"),
                ("NMUW" * 5, [], "possibly 5 repeating parts a pass, by RmsNorm, 1 pass; confidence low"),
                ("EAMRNAMRNS" * 2, [20] * 4,
                 "2 layers a pass (2 Dense), 2 passes (2 decode), 0.0 % of communication hidden; confidence high"),
                ("MNM", [], "NPU 0: no layers are known"),
                # A pass that is cut says nothing of the types of one.
                ("AGDNS" + "EAMNAGDNS" * 2, [20] * 5, "2 layers a pass (1 Dense, 1 MoE+DFC), 3 passes (3 decode); confidence high")):
            self.assertEqual(self.run_of(text, lengths=lengths)["summary"], said, text)

    def test_limitations(self):
        twice = ("there are twice as many forward as backward attention kernels: activations are computed again, and the model probably "
                 "has half as "
                 "many layers as are counted")
        thin = "most layers hold fewer than 3 kernels: the capture does not list all that ran, or its anchors are no layers"
        training = ("a training capture: layers are those of the forward pass, and the last one reaches to the end of its pass, with "
                    "loss, backward "
                    "pass and optimiser in it")
        stages = ("the device sends to and receives from others during the pass: with pipeline parallelism its layers are those of its "
                  "stages, and a "
                  "step of several micro-batches runs them more than once")
        unmarked = "nothing marks where a pass begins or ends: the {} layers may be of several passes or of a part of one"
        all_of_them = (twice, thin, training, stages, unmarked.format(3), "only one whole pass: passes cannot be compared with each other",
                       "no decode pass in this capture", "no prefill pass in this capture", "no step markers",
                       "neither names, shapes nor lengths of the attention kernels separate prefill from decode")
        for text, lengths, said in (
                ("FMNFMNFMNFMNBMBMO" * 2, [], {0, 2, 8}), ("FMNFMNFMNBMBMO" * 2, [], {2, 8}), ("AMAMAMN", [20] * 3, {1, 4, 7, 8}),
                ("EAMNAMNVS" * 2, [20] * 4, {3, 7, 8}), ("EAMNAMNAMNS", [20] * 3, {5, 7, 8}), ("EAMNAMNS" * 2, [12_000] * 4, {6, 8}),
                ("1EAMNAMNS2EAMNAMNS", [2000] * 4, {9}), ("EAMNAMNSEAMN", [12_000] * 2 + [20], {5, 8})):
            found = self.run_of(text, lengths=lengths)["limitations"]
            self.assertEqual({n for n, limitation in enumerate(all_of_them) if limitation in found}, said, text)

    def test_passes_of_other_sizes(self):
        for text, said in (("1AMNAMNAMN2AMNAMN3AMNAMNAMN4AMNAMNAMN", ["1 pass of 4 has another number of layers than 3"]),
                           ("1AMNAMNAMN2AMNAMN3AMNAMNAMN4AMNAMN5AMNAMNAMN", ["2 passes of 5 have another number of layers than 3"]),
                           ("1AMNAMN2AMNAMN", [])):
            self.assertEqual([x for x in self.run_of(text)["limitations"] if "another number" in x], said)

    def test_evidence(self):
        rows = lambda text, **more: {e["evidence"]: (e["value"], e["interpretation"]) for e in self.run_of(text, **more)["evidence"]}
        found = rows("7EAMNAMNS8EAMNAMNS", lengths=[12_000, 12_000, 20, 20])
        self.assertEqual(found, {
            "Attention kernels": ("4 kernels", "each begins a layer: FusedInferAttentionScore"),
            "Prefill attention": ("2 kernels", "by length: no shapes"), "Decode attention": ("2 kernels", "by length: no shapes"),
            "By length alone": ("2 above 10 ms, 2 below 1 ms", "every attention kernel is decided by the rule"),
            "Steps": ("2 steps", "from step ids"), "Passes": ("2 passes", "cut by steps"),
            "Layers a pass": ("2 layers", "4 anchors in 2 passes, 2 of them whole"),
            "Phase transition": ("at 24.128 ms", "prefill to decode with pass 1, after a pause of 1.000 us"),
            "Cross-checks": ("2 checks", "2 pass, 0 explained, 0 fail"), "Confidence": ("high",
                                                                                        "2 passes agree, and the cross-checks hold")})
        found = rows("FMNFMNBMBMO" * 2)
        self.assertEqual((found["Backward attention"], found["Passes"]), (("4 kernels", "a training step"), ("2 passes",
            "cut by backward attention")))
        self.assertEqual(set(found) & {"By length alone", "Prefill attention", "Steps"}, set())
        found = rows("NMUW" * 5)
        self.assertEqual((found["Anchors"], found["Parts a pass"], found["Passes"]), (
            ("5 kernels", "each begins a part: RmsNorm"), ("5 parts", "5 anchors in 1 pass, 1 of them whole"),
            ("1 pass", "nothing cuts the anchors")))
        decode = "16,16,64;16,1,64;16,1,64;2"
        found = rows("AMNAMN", shapes=[decode] * 2, lengths=[20, 2000])
        self.assertEqual((found["Decode attention"], found["By length alone"]), (
            ("2 kernels", "by query tokens a sequence: more than 8 is prefill"), ("0 above 10 ms, 1 below 1 ms",
                                                                                 "for comparison: phases are not taken from it")))

    def test_names_that_look_like_experts(self):
        """The first op type whose family may be of experts and whose name has such a word."""
        doubt = ("kernels such as {} look like routing or experts, and their family does not say which: the types of layers are no more "
                 "than "
                 "possible")
        for names, said in ((("plain", "MoeCombine", "ExpertX"), "MoeCombine"), (("RouterMatMul", "MoeY"), "RouterMatMul"),
                            (("TopKThing",), "TopKThing"), (("RmsNormMoe",), None), (("plain",), None)):
            rank = self.rows("EAMNAMNSEAMNAMNS")
            for n, name in enumerate(names):
                rank.kernel(0, name, name, "AI_VECTOR_CORE", BASE + 3 * 21 * US + n * US, US // 2)
            found = self.ask(self.folder(rank))
            self.assertEqual([x for x in found["limitations"] if "look like" in x], [doubt.format(said)] if said else [], names)
            self.assertEqual(found["confidence"], "low" if said else "high")

    def test_streams_without_a_number(self):
        """Collectives and what else names none are two."""
        rank = Rank(BASE)
        for n, (kind, core, stream) in enumerate((("MatMulV3", "AI_CORE", None), ("hcom_allReduce_", "HCCL", None), ("MatMulV3",
                                                                                                                     "AI_CORE", 0))):
            rank.kernel(0, f"k{n}", kind, core, BASE + n * 10 * US, (8 - n) * US, stream=stream)
        found = self.ask(self.folder(rank))
        self.assertEqual([(s["stream"], s["role"], s["busy_ns"]) for s in found["streams"]], [
            ("no stream", "main compute", 8000), ("collectives (no stream)", "collectives", 7000), ("0", "side compute", 6000)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
