#!/usr/bin/env python3
"""Which device `architecture` reports, what its anchors and the files of its report are called, and what kernels and operators count."""
import sys

import kineto
import truth
from ascend import Rank
from model_parts import BASE, LetterCase, US, attention, embedding, layer_norm, linear, operator, rms_norm


class Reported(LetterCase):
    def reported(self, *devices):
        rank = Rank(BASE)
        for number, text in enumerate(devices):
            self.rows(text, rank, device=number)
        found = self.ask(self.folder(rank))
        self.assertEqual([d["reported"] for d in found["devices"]], [n == found["device"] for n in range(len(devices))])
        return found["device"], found

    def test_which_one(self):
        """Layers that attention marks, then more layers, then more kernels; of equals the first."""
        for devices, said in ((("AM" * 3, "AM" * 4, "AM" * 4), 1), (("AM" * 3, "NMU" * 9, "AM" * 2), 0), (("NMU" * 9, "AM" * 2, "AM"), 1),
                              (("MN", "MNM", "NMM"), 1), (("MNM", "MN", "MN"), 0), (("NMU" * 4, "NMU" * 5, "MMM" * 9), 1),
                              (("AM" * 3, "AMN" * 3, "AMNN" * 3), 0)):
            self.assertEqual(self.reported(*devices)[0], said, devices)

    def test_what_is_said_of_the_others(self):
        found = self.reported("AMNAMN", "EAMNAMNSEAMNAMNS", "M")[1]
        self.assertEqual([(d["name"], d["kernels"], d["layers_per_pass"], d["passes"], d["layers"], d["confidence"])
                          for d in found["devices"]], [
            ("NPU 0", 6, 2, 1, 2, "low"), ("NPU 1", 16, 2, 2, 4, "high"), ("NPU 2", 1, 0, 0, 0, "low")])
        self.assertEqual(found["configuration"]["parallelism"], ["3 devices in the capture"])
        facts = self.short(found["facts"])
        self.assertEqual((facts["devices"][0], facts["layers"]), (3, (2, "likely", "4 x FusedInferAttentionScore")))

    def test_names_of_anchors(self):
        """Four op types are named, in the order in which they are met."""
        for count, said in ((4, "FlashAttentionScoreV3, FlashAttentionScoreV2, FlashAttentionScoreV1, FlashAttentionScoreV0"),
                            (5, "FlashAttentionScoreV4, FlashAttentionScoreV3, FlashAttentionScoreV2, FlashAttentionScoreV1, and 1 more")):
            rank = Rank(BASE)
            for n in range(2 * count):
                kind = f"FlashAttentionScoreV{count - 1 - n % count}"
                rank.kernel(0, kind, kind, "AI_CORE", BASE + 50 * US * n, 20 * US)
            self.assertEqual(self.ask(self.folder(rank))["anchor"], said)

    def test_names_of_reports(self):
        """Without the folder of the output, and without the endings of formats."""
        for name, said in (("a.b_ascend_pt", "a.b_ascend_pt"), ("run.json", "run"), ("x.trace", "x"), (".json", ".json")):
            folder = self.folder(self.rows("AMN"), name)
            for path in (folder, folder / "ASCEND_PROFILER_OUTPUT"):
                into = self.scratch / f"out{len(list(self.scratch.glob('out*')))}"
                truth.run("architecture", path, "--json", "-o", f"{into}/", "-q")
                self.assertEqual([p.name for p in into.iterdir()], [f"model_architecture_{said}.json"])

    def test_kernels_that_are_listed_twice_count_once(self):
        """As what they are, but not among the layers or facts."""
        rank = self.rows("EAMRAMRSEAMRAMRS")
        rank.lines += [line.replace(",46,", ",N/A,", 1) for line in rank.lines if "hcom" in line]
        found = self.ask(self.folder(rank))
        self.assertEqual((found["configuration"]["kernels"], found["configuration"]["duplicates"], found["op_counts"]["hcom_allReduce_"]),
                         (20, 4, 8))
        self.assertEqual([s["kernels"] for s in found["streams"]], [12, 4])
        self.assertEqual([x["kernels"] for x in found["layers"]], [3, 4] * 2)

    def test_more_streams_than_lanes(self):
        """32 of them have a lane of their own but for the last one, which further ones share."""
        for count, last in ((32, 1), (33, 2), (35, 4)):
            rank = Rank(BASE)
            for n in range(count):
                rank.kernel(0, "m", "MatMulV3", "AI_CORE", BASE + 10 * US * n, 5 * US, stream=100 + n)
            found = self.ask(self.folder(rank))
            self.assertEqual((len(found["streams"]), found["streams"][-1]["stream"], found["streams"][-1]["kernels"]), (32, "131", last))


class Operators(LetterCase):
    def test_nested_operators_count_once(self):
        """What an operator of the same kind calls is its own work, and all that attention calls."""
        def trace(*spans):
            made = kineto.Trace(BASE, 0, 0, 1)
            made.name_process(900, "python")
            for one, start, length, thread in spans:
                made.span("cpu_op", one["name"], start * US, length * US, thread, args=one["args"])
            return self.write(f"{len(list(self.scratch.iterdir()))}/rank0.pt.trace.json", made.text())
        half = ["c10::Half"]
        norm, inner = layer_norm(64), operator("aten::native_layer_norm", [[4, 8, 64], [], [64], [64]], half)
        product, attends = linear(32, 64, 96), attention(4, 4, 8, 16)
        words = embedding(1000, 64, 4, 8)
        root = rms_norm(64)
        for spans, calls in (([(norm, 100, 10, 11), (inner, 100, 10, 11)], 1), ([(norm, 100, 10, 11), (inner, 102, 8, 11)], 1),
                             ([(norm, 100, 10, 11), (inner, 102, 9, 11)], 2), ([(norm, 100, 10, 11), (inner, 102, 3, 12)], 2),
                             ([(norm, 100, 10, 11), (product, 101, 8, 11), (inner, 102, 3, 11)], 1),
                             ([(attends, 100, 10, 11), (inner, 102, 3, 11)], 0)):
            # Beside one of another kind: of as many that one counts.
            facts = self.facts(trace(*spans, (root, 150, 5, 11), (words, 200, 5, 11)))
            self.assertEqual(facts["norm"][:2], [("RMSNorm", "proved"), ("RMSNorm", "likely"), ("LayerNorm", "likely")][calls], spans)
        # Products in attention are its own: the width that it has is no fact.
        for start, known in ((102, False), (120, True)):
            facts = self.facts(trace((attends, 100, 10, 11), (linear(32, 64, 64), start, 3, 11), (words, 200, 5, 11)))
            self.assertEqual(facts.get("hidden_size", (None,))[0], 64 if known else None)
        # A call of autograd: what lasts until its end lies in it.
        back = {"name": "autograd::engine::evaluate_function: X", "args": {}}
        for length, thread, known in ((10, 11, False), (11, 11, True), (10, 12, True)):
            facts = self.facts(trace((back, 100, 20, 11), (linear(32, 64, 64), 110, length, thread), (words, 200, 5, 11)))
            self.assertEqual(facts.get("hidden_size", (None,))[0], 64 if known else None, (length, thread))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
