#!/usr/bin/env python3
"""What layers consist of: roles of their kernels, streams side by side, what is unusual, what marks layers without attention."""
import sys
from fractions import Fraction

import truth
from model_parts import BASE, LETTERS, LetterCase, US
from ascend import Rank

OF_TYPE = {op_type: letter for letter, (op_type, _, _) in LETTERS.items()}
SHORT = {"attention": "at", "projection": "pr", "tp_comm": "tp", "norm": "no", "dense_ffn": "ff", "moe_routing": "ro",
         "expert_dispatch": "di", "ep_comm": "ep", "expert_ffn": "ex", "post_ffn_norm": "po", "next_layer_prep": "ne",
         "output_head": "he", "sampling": "sa", "other": "ot"}


class Ends(LetterCase):
    def test_the_last_layer_ends_with_what_ends_last(self):
        """Which may be a kernel of another stream that began before others."""
        rank = self.rows("EAMNWMNAMNWMNS" * 2)
        rank.kernel(0, "hcom_allReduce__1_2@9", "hcom_allReduce_", "HCCL", BASE + 450 * US, 200 * US, stream=46)
        found = self.ask(self.folder(rank))
        self.assertEqual([(x["start_rel_ns"], x["end_rel_ns"]) for x in found["layers"]],
                         [(21_000, 147_000), (147_000, 293_000), (315_000, 441_000), (441_000, 650_000)])
        self.assertEqual([(x["start_rel_ns"], x["end_rel_ns"]) for x in found["passes"]], [(0, 293_000), (294_000, 650_000)])


class Roles(LetterCase):
    def roles(self, layer, *, last=False):
        """Letters of the layer, each followed by its role: of one that is followed by another, or of the last of its pass."""
        text = f"E{'' if last else 'A' + layer}{'AMU' if last else ''}A{layer if last else 'MUUS'}"
        found = self.run_of(text * 3)
        number = len(layer) + 1
        part = [s for s in found["substructures"] if s["typical"]["kernels"] == number and s["typical"]["index"] == int(last)]
        nodes = part[0]["tree"]
        return " ".join("".join(OF_TYPE[op["op"]] * op["count"] for op in node["ops"]) + ":" + SHORT[node["role"]]
                        for node in nodes if node["role"] != "attention")

    def test_of_dense_layers(self):
        for layer, roles in (
                ("MRNMWMRNMQK", "M:pr R:tp N:no MWM:ff R:tp N:po MQK:ne"), ("MNMWMNMQK", "M:pr N:no MWM:ff N:po MQK:ne"),
                ("MRMWMRMQK", "M:pr R:tp MWM:ff R:tp MQK:ne"), ("MNNMN", "M:pr NN:no M:ff N:po"), ("MNMNMNM", "M:pr N:no M:ff N:po MNM:ne"),
                ("MNMNNMN", "M:pr N:no M:ff NN:po MN:ne"), ("MWMNMU", "M:pr WM:ff N:po MU:ne"), ("UMUNUMU", "UMU:pr N:no UMU:ff"),
                ("MNUNMUN", "M:pr NUN:no MU:ff N:po"), ("MNUUNM", "M:pr NUUN:no M:ff"), ("MNUUUNMN", "M:pr N:no UUU:ff N:no M:ff N:po"),
                ("MRRMR", "M:pr RR:tp M:ff R:tp"), ("MVNMVM", "M:pr V:tp N:no M:ff V:tp M:ne"), ("MKMU", "M:pr KMU:ne")):
            self.assertEqual(self.roles(layer), roles, layer)

    def test_of_layers_with_experts(self):
        for layer, roles in (
                ("MNMGDNMQK", "M:pr N:no MG:ro D:di N:po MQK:ne"), ("MNUMGDN", "M:pr N:no UMG:ro D:di N:po"),
                ("MNMMGDN", "M:pr N:no M:ex MG:ro D:di N:po"), ("MNMUUUGDN", "M:pr N:no MUUUG:ro D:di N:po"),
                ("MNMUUUUGDN", "M:pr N:no M:ex UUUUG:ro D:di N:po"), ("MNGXPWPXNMK", "M:pr N:no G:ro X:ep P:di W:ex P:di X:ep N:po MK:ne"),
                ("NGTMCNM", "N:no G:ro T:ep M:ex C:ep N:po M:ne"), ("MRGDRM", "M:pr R:tp G:ro D:di R:tp M:ne"),
                ("GWMN", "G:ro WM:ex N:po")):
            self.assertEqual(self.roles(layer), roles, layer)

    def test_of_last_layers(self):
        """After the last cache write, or where there is none after the first kernel of all, products make words."""
        for layer, roles in (("MNMWMNMS", "M:pr N:no MWM:ff N:po M:he S:sa"), ("MNMWMNMQKMS", "M:pr N:no MWM:ff N:po MQK:ne M:he S:sa"),
                             ("MNMWMNMQMKMUMS", "M:pr N:no MWM:ff N:po MQMK:ne M:he U:ot M:he S:sa"),
                             ("MNMWMNUMS", "M:pr N:no MWM:ff N:po U:ot M:he S:sa")):
            self.assertEqual(self.roles(layer, last=True), roles, layer)

    def test_side_streams(self):
        """Other streams end no part of the main one, which ends theirs. What runs on the AI CPU is of no part."""
        found = self.run_of("EAMXGIXPXMAMUUS" * 3)
        part, = [s for s in found["substructures"] if not s["sampling"]]
        nodes = [("".join(OF_TYPE[op["op"]] * op["count"] for op in n["ops"]), SHORT[n["role"]], n["stream"], n["beside"])
                 for n in part["tree"]]
        self.assertEqual(nodes, [("A", "at", "2", False), ("M", "pr", "2", False), ("X", "ep", "47", True), ("G", "ro", "2", False),
                                 ("I", "ot", "17", True), ("X", "ep", "47", True), ("P", "di", "2", False), ("X", "ep", "47", True),
                                 ("M", "ex", "2", False)])
        self.assertEqual([(SHORT[c["role"]], c["kernels"], c["streams"]) for c in part["components"]], [
            ("ep", 3, ["47"]), ("at", 1, ["2"]), ("pr", 1, ["2"]), ("ro", 1, ["2"]), ("di", 1, ["2"]), ("ex", 1, ["2"]), ("ot", 1, ["17"])])
        self.assertEqual(part["anomalies"], ["3 kernels of these layers run on the AI CPU: Unique2 x3"])


class Unusual(LetterCase):
    def test_numbers_of_kernels(self):
        usual, more, fewer = "AMNUU", "AMNUUU", "AMNU"
        for layers, said in ((usual * 3 + more, ["1 of 8 layers does not have the usual 5 kernels (5 to 6)"]), (usual * 4, []),
                             (fewer + usual + more * 2, ["3 of 8 layers do not have the usual 5 kernels (4 to 6)"])):
            part, = self.run_of("1" + layers + "2" + usual * 4)["substructures"]
            self.assertEqual((part["anomalies"], part["variation"]["kernels"]["median"]), (said, 5))

    def test_first_layers_that_take_longer(self):
        """More than 1.2 times the median."""
        for first, warm in ((30, False), (31, True)):  # a layer of 50 us and gaps of 2 lasts 62; the first one 72 or 73
            text = "E" + "AMN" * 5 + "S" + "E" + "AMN" * 5 + "S"
            lengths = ([first + 2.6] + [20] * 4) * 2
            found = self.run_of(text, lengths=lengths)
            part = found["substructures"][0]
            median = 63_000
            said = (63_000 - 20_000 + (first + 2.6) * 1000) / 6 > median / 5
            self.assertEqual(said, warm)
            self.assertEqual(part["anomalies"], ["layer 0 takes more than 1.2 x the median of its type in 2 of 2 passes: warm-up"] if warm
                             else [])

    def test_the_typical_layer_is_the_middle_one(self):
        """Of an even number the lower one, of equal ones the first."""
        for lengths, index, spread in (([40, 20, 30, 50], 2, (20, 30, 50)), ([20, 40, 20, 50], 2, (20, 20, 50)), ([30, 20, 20, 10], 1,
                                                                                                                  (10, 20, 30)),
                                       ([20, 20, 20, 20], 1, (20, 20, 20))):
            found = self.run_of(("E" + "AMN" * 5 + "S") * 2, lengths=[*lengths, 20] * 2)
            part = found["substructures"][0]
            self.assertEqual(part["layers"], 8)
            least, median, most = spread
            self.check([part["variation"]["anchor_ns"][key] for key in ("min", "median", "max")], [least * 1000, median * 1000,
                                                                                                   most * 1000])
            walls = sorted((n, p, i) for p in (0, 1) for i, n in enumerate(lengths))
            self.assertEqual((walls[3][1], walls[3][2]), (part["typical"]["pass"], part["typical"]["index"]), (lengths, index))


class Streams(LetterCase):
    def test_roles(self):
        """The stream with most compute is the main one; others are of what more than half of their kernels are."""
        rank = self.rows("EAMNAMNSEAMNAMNS")
        def add(stream, *kinds):
            for op_type, core in kinds:
                rank.kernel(0, op_type, op_type, core, BASE + 2 * US * len(rank.lines), US, stream=stream)
        reduce, exchange = ("hcom_allReduce_", "HCCL"), ("hcom_alltoall_", "HCCL")
        cpu, copy, tiny = ("Unique2", "AI_CPU"), ("MEMCPY_ASYNC", "MEMCPY_ASYNC"), ("Tiny", "AI_VECTOR_CORE")
        add(30, reduce, reduce, tiny)
        add(31, reduce, tiny)
        add(32, exchange, exchange, reduce)
        add(33, exchange, reduce)
        add(34, cpu, cpu, tiny)
        add(35, cpu, tiny)
        add(36, copy, copy, tiny)
        add(37, copy, tiny)
        add(0, tiny)
        found = self.ask(self.folder(rank))
        self.assertEqual({s["stream"]: (s["role"], s["kernels"]) for s in found["streams"]}, {
            "2": ("main compute", 16), "30": ("collectives", 3), "31": ("side compute", 2), "32": ("all-to-all", 3), "33": ("collectives",
                                                                                                                            2),
            "34": ("AI CPU", 3), "35": ("side compute", 2), "36": ("copy", 3), "37": ("side compute", 2), "0": ("side compute", 1)})

    def test_time_together(self):
        """Three streams: 0 to 100 and 150 to 250, 50 to 200, 200 to 300 us; those with more time in common come first."""
        rank = Rank(BASE)
        for stream, start, length, core in ((2, 0, 100, "AI_CORE"), (0, 50, 150, "HCCL"), (2, 150, 100, "AI_CORE"), (5, 200, 100, "HCCL")):
            rank.kernel(0, f"k{stream}", "hcom_allReduce_" if core == "HCCL" else "MatMulV3", core, BASE + start * US, length * US,
                        stream=stream)
        found = self.ask(self.folder(rank))
        us = 1000
        self.check(found["streams"], [
            {"stream": "2", "role": "main compute", "kernels": 2, "busy_ns": 200 * us, "compute_sum_ns": 200 * us, "comm_sum_ns": 0,
             "overlaps": [
                {"stream": "0", "ns": 100 * us, "ratio": Fraction(1, 2)}, {"stream": "5", "ns": 50 * us, "ratio": Fraction(1, 4)}]},
            {"stream": "0", "role": "collectives", "kernels": 1, "busy_ns": 150 * us, "compute_sum_ns": 0, "comm_sum_ns": 150 * us,
             "overlaps": [
                {"stream": "2", "ns": 100 * us, "ratio": Fraction(2, 3)}]},
            {"stream": "5", "role": "collectives", "kernels": 1, "busy_ns": 100 * us, "compute_sum_ns": 0, "comm_sum_ns": 100 * us,
             "overlaps": [
                {"stream": "2", "ns": 50 * us, "ratio": Fraction(1, 2)}]}])
        self.check(found["pipeline"], {
            "wall_ns": 300 * us, "busy_ns": 300 * us, "kernel_sum_ns": 450 * us, "compute_ns": 200 * us, "comm_ns": 250 * us,
            "comm_sum_ns": 250 * us, "hidden_ns": 150 * us, "hidden_ratio": Fraction(3, 5), "hidden_of_comm_sum_ratio": Fraction(3, 5),
            "kernel_sum_of_busy_ratio": Fraction(3, 2)})


class Anchors(LetterCase):
    def test_families_that_take_turns_share_layers(self):
        """Those that follow each other in blocks mark the layers together."""
        for text, family, count, others in (
                ("AMN" * 4 + "FMN" * 4, "FusedInferAttentionScore and FlashAttentionScore", 8, []),
                ("AMFN" * 4, "FusedInferAttentionScore", 4, ["4 kernels of FlashAttentionScore"]),
                ("FMAN" * 4 + "FM", "FusedInferAttentionScore", 4, ["5 kernels of FlashAttentionScore"]),
                ("AMAMFMFMAMAMFMFM", "FusedInferAttentionScore", 4, ["4 kernels of FlashAttentionScore"]),
                ("AMAMFMFMFMAMAM", "FusedInferAttentionScore and FlashAttentionScore", 7, [])):
            found = self.run_of(text)
            details = found["anchor_details"]
            self.assertEqual((details["family"], details["count"], [x.split(" run ")[0] for x in found["limitations"] if "among" in x]),
                             (family, count, others), text)

    def test_what_recurs_evenly(self):
        """At least four times, three kernels apart: the most frequent, and of as many the most even; communication where nothing else."""
        def at(length, *places):
            letters = ["M"] * length
            for letter, where in places:
                for n in where:
                    letters[n] = letter
            return "".join(letters)
        even, less = (1, 6, 11, 16), (0, 5, 9, 15)
        for text, source, anchor, count in (
                ("NMU" * 4, "periodic_op", "RmsNorm", 4), ("NMU" * 3, "none", None, 0), ("NM" * 6, "none", None, 0),
                ("NWMMM" * 4, "periodic_op", "RmsNorm", 4), ("WNMMM" * 4, "periodic_op", "SwiGlu", 4), ("RMM" * 5, "communication",
                                                                                                    "hcom_allReduce_", 5),
                (at(20, ("N", even), ("W", less)), "periodic_op", "RmsNorm", 4), (at(20, ("W", even), ("N", less)), "periodic_op",
                                                                                  "SwiGlu", 4),
                (at(24, ("N", even), ("W", (*less, 20))), "periodic_op", "SwiGlu", 5),
                # A squared variation of a sixteenth is even enough.
                (at(20, ("N", (0, 3, 8, 11, 16))), "periodic_op", "RmsNorm", 5), (at(20, ("N", (0, 2, 7, 11, 16))), "none", None, 0),
                # What recurs spans at least half of the kernels.
                (at(32, ("N", (0, 4, 8, 12))), "periodic_op", "RmsNorm", 4), (at(33, ("N", (0, 4, 8, 12))), "none", None, 0)):
            found = self.run_of(text)
            self.assertEqual((found["anchor_details"]["source"], found["anchor"] or None, found["anchor_details"]["count"]),
                             (source, anchor, count), text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
