"""Tables of kernels in `bubbles`: which stream is the main one, what stands first of as long kernels, ops and waits at a bound; in µs."""
import decimal
import sys

import truth
from ascend import Rank

BASE = 1_764_246_900 * 10 ** 9
US = 1_000  # ns
CORES = {"m": ("MatMulV3", "AI_CORE"), "v": ("Add", "AI_VECTOR_CORE"), "u": ("Unique2", "AI_CPU"), "r": ("hcom_allReduce_", "HCCL"),
         "c": ("MEMCPY_ASYNC", "MEMCPY_ASYNC")}


class Tables(truth.Case):
    number = 0

    def ask(self, *steps, options=()):
        """Of each step the kernels: (letter, start, length, stream, wait before it, name of the op), the first step at 0."""
        rank = Rank(BASE)
        for number, kernels in enumerate(steps):
            for letter, start, length, *more in kernels:
                stream, wait, op_type = (*more, *(2, 0, None)[len(more):])
                given, core = CORES[letter]
                rank.kernel(0, letter + str(len(rank.lines)), op_type or given, core, BASE + round(start * US), round(length * US),
                            wait=round(wait * US), stream=stream, step=str(number))
        Tables.number += 1
        folder = self.scratch / f"{Tables.number}_ascend_pt"
        self.write(f"{folder.name}/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rank.table())
        return truth.parsed(truth.run("bubbles", folder, "--json", "--limit", 0, "--window-policy", "guide", *options))

    def halves(self, *steps, options=()):
        """By step and part, what is on record of it."""
        return {(row["step_id"], row["part"]): row for row in self.ask(*steps, options=options)["block_side"]}


class Streams(Tables):
    def test_which_is_the_main_one(self):
        """That with most compute; of as much the lower number, whichever comes first. Each step has its own."""
        def main(*kernels):
            return self.halves(kernels)["0", "block"]["dominant_stream"]
        for kernels, stream in (((("m", 0, 30, 9), ("m", 40, 30, 4)), "4"), ((("m", 0, 30, 4), ("m", 40, 30, 9)), "4"),
                                ((("m", 0, 31, 9), ("m", 40, 30, 4)), "9"), ((("m", 0, 20, 4), ("m", 40, 30, 9), ("m", 80, 10, 4)), "4"),
                                ((("u", 0, 90, 3), ("r", 100, 90, 5), ("m", 200, 10, 4)), "4"),
                                ((("m", 0, 20, 11), ("m", 40, 20, 12), ("m", 80, 20, 10)), "10")):
            self.assertEqual(main(*kernels), stream, kernels)
        rows = self.halves([("m", 0, 30, 9), ("m", 40, 20, 4)], [("m", 100, 20, 9), ("m", 140, 30, 4)], [("r", 200, 20, 9)])
        self.assertEqual([(key, row["dominant_stream"], row["kernel_count"]) for key, row in rows.items()], [
            (("0", "block"), "9", 1), (("0", "side"), "4", 1), (("1", "block"), "4", 1), (("1", "side"), "9", 1), (("2", "block"), None, 0),
            (("2", "side"), "9", 1)])

    def test_small_kernels(self):
        """From 10 on a kernel is no small one; its stream and its core count by their time, of as much the lower number."""
        rows = self.halves([("m", 0, 10), ("m", 20, 9.999), ("v", 40, 30), ("r", 80, 5, 7), ("c", 90, 5, 6), ("m", 100, 25)])
        block, side = rows["0", "block"], rows["0", "side"]
        self.assertEqual([k["name"] for k in block["top_by_duration"]], ["v2", "m5", "m0"])
        self.assertEqual([k["name"] for k in side["top_by_duration"]], ["m1", "r3", "c4"])
        self.assertEqual((block["dominant_core"], side["dominant_core"], side["dominant_stream"]), ("AI_CORE", "AI_CORE", "2"))
        rows = self.halves([("m", 0, 30), ("r", 80, 5, 7), ("c", 90, 5, 6)])
        self.assertEqual(rows["0", "side"]["dominant_stream"], "6")
        rows = self.halves([("m", 0, 10)], options=("--threshold", "small_kernel_us=10.000001"))
        self.assertEqual([rows["0", part]["kernel_count"] for part in ("block", "side")], [0, 1])

    def test_the_five_longest(self):
        """Of as long kernels the first ones stay, in their order; with their waits others may come first."""
        rows = self.halves([("m", 40 * n, length, 2, wait) for n, (length, wait) in enumerate(
            ((20, 0), (30, 0), (20, 10), (30, 0), (20, 0), (20, 15), (20, 0), (31, 0)))])
        block = rows["0", "block"]
        self.assertEqual([k["name"] for k in block["top_by_duration"]], ["m7", "m1", "m3", "m0", "m2"])
        self.assertEqual([k["name"] for k in block["top_by_total_cost"]], ["m5", "m7", "m1", "m2", "m3"])

    def test_communication_beside_the_main_stream(self):
        """Collectives that overlap count once, and so does what they have in common with large kernels of the main stream."""
        rows = self.halves([("m", 0, 100), ("r", 50, 100, 7), ("r", 90, 110, 8), ("m", 120, 20), ("m", 150, 5), ("m", 190, 30, 9)])
        side = rows["0", "side"]
        self.check([side["comm_busy_union_ms"], side["comm_over_block_ms"]], [0.150, 0.070])
        self.assertEqual([(row["bubble_count"], row["bubble_total_ms"], row["bubble_largest_ms"]) for row in rows.values()],
                         [(1, decimal.Decimal("0.02"), decimal.Decimal("0.02")), (0, 0, 0)])

    def test_waits_that_are_heavy(self):
        """More than four fifths of a kernel and the wait before it."""
        for wait, heavy in ((80, 0), (80.001, 1)):
            self.assertEqual(self.halves([("m", 100, 20, 2, wait)])["0", "block"]["wait_heavy_kernels"], heavy)

    def test_readings(self):
        """Waits before streams side by side, those before gaps, and all times alike: each from just beyond its bound on."""
        for kernels, said in (
                ([("m", 0, 50, 2, 50), ("m", 50, 50, 2, 50)], ""), ([("m", 0, 50, 2, 50), ("m", 50, 50, 2, 50.001)], "wait_anchor_danger"),
                ([("m", 0, 80), ("m", 80, 20)], "clean_serial"), ([("m", 0, 80), ("m", 81, 19)], "clean_serial"),
                ([("m", 0, 60), ("m", 80, 20)], ""), ([("m", 0, 60), ("m", 80.001, 20)], "bubbles"),
                ([("m", 0, 90), ("m", 70, 30)], ""), ([("m", 0, 90), ("m", 69.999, 30.001)], "stream_parallelism"),
                ([("m", 0, 100, 2, 5)], "clean_serial"), ([("m", 0, 100, 2, 5.001)], "")):
            self.assertEqual(self.halves(kernels)["0", "block"]["reading"], said, kernels)


class Ops(Tables):
    def test_false_hotspots(self):
        """More than 95 % of the cost is waiting, kernels shorter than 10 on average, and among the first of their mean cost."""
        for wait, length, said in ((190, 10, False), (190.1, 10, False), (190, 9.999, True), (171, 9, False), (171.001, 9, True)):
            op, = [o for o in self.ask([("m", 0, 100), ("v", 300, length, 2, wait)])["ops"]["by_total_cost"] if o["op_type"] == "Add"]
            self.assertEqual(op["is_false_hotspot_risk"], said, (wait, length))
        kernels = [("m", 0, 500, 2, 0, "Long"), ("v", 1_000, 5, 2, 200, "First"), ("v", 1_300, 5, 2, 200, "Second")]
        for rank, found in ((1, []), (2, ["First"]), (3, ["First", "Second"])):
            ops = self.ask(kernels, options=("--threshold", f"wait_anchor_rank={rank}"))["ops"]["by_total_cost"]
            self.assertEqual([o["op_type"] for o in ops if o["is_false_hotspot_risk"]], found, rank)

    def test_small_ops(self):
        """Shorter than 10 on average; inefficient from a hundredth of all steps on, with the gaps before them."""
        def small(kernels, options=()):
            return {o["op_type"]: o["small_op"] for o in self.ask(kernels, options=options)["ops"]["by_total_cost"]}
        whole = [("m", 0, 880), ("v", 880, 10, 2, 0, "Ten"), ("v", 890, 8, 2, 0, "Eight"), ("v", 898, 2, 2, 0, "Two"),
                 ("v", 908, 2, 2, 0, "Two"), ("m", 910, 90)]
        self.assertEqual(small(whole), {"MatMulV3": None, "Ten": None, "Eight": "noise", "Two": "inefficient"})
        for share, said in (("0.012", "inefficient"), ("0.012001", "noise"), ("0.007", "inefficient")):
            self.assertEqual(small(whole, ("--threshold", f"small_op_share={share}"))["Two"], said)

    def test_equal_ops(self):
        """By their cost, of as much by their mean cost, then by their time, then in the order of the first calls."""
        kernels = [("v", 0, 20, 2, 20, "A"), ("v", 50, 20, 2, 0, "B"), ("v", 80, 20, 2, 0, "B"), ("v", 110, 40, 2, 0, "C"),
                   ("v", 170, 40, 2, 0, "D")]
        ops = self.ask(kernels)["ops"]
        self.assertEqual([(o["op_type"], o["rank_by_total_cost"], o["rank_by_duration"]) for o in ops["by_total_cost"]],
                         [("C", 1, 2), ("D", 2, 3), ("A", 3, 4), ("B", 4, 1)])
        self.assertEqual([o["op_type"] for o in ops["by_duration"]], ["B", "C", "D", "A"])

    def test_ops_of_the_ai_cpu(self):
        """Those with most time that compute does not hide; each call has a verdict, and all together have one."""
        steps = [("m", 0, 90), ("u", 0, 100, 17, 0, "Nine"), ("m", 200, 20), ("u", 200, 100, 18, 0, "Two"), ("m", 400, 19),
                 ("u", 400, 100, 19, 0, "Less"), ("m", 600, 100), ("u", 600, 100, 20, 0, "Half"), ("u", 800, 100, 20, 0, "Half")]
        found = self.ask(steps)
        self.assertEqual([(a["op_type"], a["verdict"], a["exposed_calls"], a["partially_exposed_calls"]) for a in found["aicpu_ops"]], [
            ("Half", "AICPU_PARTIALLY_EXPOSED", 1, 0), ("Less", "AICPU_EXPOSED_NOT_ALLOWED", 1, 0),
            ("Two", "AICPU_PARTIALLY_EXPOSED", 0, 1), ("Nine", "AICPU_MASKED_BUT_UNDESIRABLE", 0, 0)])
        advice = [(a["target_id"], a["priority"], a["evidence"]) for a in found["recommendations"] if a["text"].startswith("Move this op")]
        said = "{}, {}.000 us not hidden by compute on NPU 0"  # of 900 in the step
        self.assertEqual(advice, [("Half", "P0", [said.format("2 calls", 100)]), ("Less", "P0", [said.format("1 call", 81)]),
                                  ("Two", "P0", [said.format("1 call", 80)])])

    def test_steps_that_a_collective_pollutes(self):
        """Waits that reach back into a collective that began before the kernel: a fifth of those of the step is enough."""
        for wait, risk in ((80, True), (81, False)):
            step = self.ask([("r", 0, 100, 7), ("m", 110, 10, 2, 20), ("m", 400, 10, 2, wait)])["steps"][0]
            self.assertEqual((step["wait_sum_ns"], step["polluted_wait_ns"], "WAIT_POLLUTION_RISK" in step["anomaly_tags"]),
                             ((20 + wait) * US, 20 * US, risk))
        for wait, polluted in ((10, 0), (10.001, 10_001)):  # the collective ends 10 before the kernel begins
            self.assertEqual(self.ask([("r", 0, 100, 7), ("m", 110, 10, 2, wait)])["steps"][0]["polluted_wait_ns"], polluted)
        # One that begins with the kernel is not waited for.
        self.assertEqual(self.ask([("r", 110, 100, 7), ("m", 110, 10, 2, 50)])["steps"][0]["polluted_wait_ns"], 0)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
