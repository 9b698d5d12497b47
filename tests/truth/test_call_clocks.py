#!/usr/bin/env python3
"""`profkit validate --align collectives` of ranks: what calls say of clocks in which not everybody waits for everybody, of ranks that share
a clock, and of calls that might be others."""
import sys
from fractions import Fraction

import truth
from ranks import US, RanksCase, call

WORLD = (0, 1, 2)
DRIFT = Fraction(2, 1_000)  # two clocks, 1000 ppm each


def limits(pivot, after, before):
    """The least and the most that a clock may be ahead of the reference at the pivot. `after`: (start on the reference, end on the clock
    that comes after it); `before`: (start on the clock, end on the reference after it); ps."""
    cuts = [(1, start - pivot, end - start) for start, end in after] + [(-1, -(end - pivot), end - start) for start, end in before]
    cuts += [(0, 1, DRIFT), (0, -1, DRIFT)]
    offsets = []
    for i, (a, b, c) in enumerate(cuts):
        for d, e, f in cuts[:i]:
            det = a * e - b * d
            if det:
                x, y = Fraction(c * e - b * f) / det, Fraction(a * f - c * d) / det
                if all(k * x + m * y <= n for k, m, n in cuts):
                    offsets.append(x)
    return min(offsets), max(offsets)


class ClocksCase(RanksCase):
    def align(self, events, *options, hosts=None, world=None):
        found = self.ask(events, "--align", "collectives", *options, hosts=hosts, world=world)
        self.assertEqual(found["status"], "ok")
        return found["alignment"]

    def check_offsets(self, entry, expected):
        """What is allowed, and a few ps more."""
        least, most = expected
        self.assertTrue(least - 8 <= entry["least_offset_ps"] <= least, (entry, float(least)))
        self.assertTrue(most <= entry["most_offset_ps"] <= most + 8, (entry, float(most)))

    def facts(self, aligned):
        return [[node["id"], node["reached"], node["calls_known"]] for node in aligned["nodes"]]


class Orders(ClocksCase):
    def spans(self, *calls, name="broadcast", ranks=WORLD):
        """(root, (start, end) of each rank)"""
        events = {rank: [] for rank in ranks}
        for number, (root, *of_ranks) in enumerate(calls):
            for rank, span in zip(ranks, of_ranks):
                events[rank].append(call(name, *span, ranks, Root=root, Seq=number))
        return events

    def test_roots(self):
        """Of a broadcast who sends begins before each other ends; of a reduce the others begin before the root ends. Others say nothing of
        one another."""
        calls = [(0, (100, 110), (104, 140), (90, 150)), (1, (300, 310), (302, 330), (290, 320)), (2, (500, 530), (500, 560), (507, 570)),
                 (0, (700, 706), (690, 705), (680, 707))]
        ps = lambda *pairs: [(start * US, end * US) for start, end in pairs]
        pivot = (90 + 707) * US // 2
        aligned = self.align(self.spans(*calls))
        self.check([[p["a"], p["b"], p["constraints"], p["feasible"]] for p in aligned["pairs"]],
                   [["0", "1", 3, True], ["0", "2", 3, True], ["1", "2", 2, True]])
        self.check_offsets(aligned["pairs"][0], limits(pivot, ps((100, 140), (700, 705)), ps((302, 310))))
        self.check_offsets(aligned["pairs"][1], limits(pivot, ps((100, 150), (700, 707)), ps((507, 530))))
        self.check_offsets(aligned["pairs"][2], limits(pivot, ps((302, 320)), ps((507, 560))))
        self.assertEqual(aligned["nodes"][1]["pivot_ps"], pivot)
        aligned = self.align(self.spans(*calls, name="reduce"))
        self.check_offsets(aligned["pairs"][0], limits(pivot, ps((300, 330)), ps((104, 110), (690, 706))))
        self.check_offsets(aligned["pairs"][1], limits(pivot, ps((500, 570)), ps((90, 110), (680, 706))))
        self.check_offsets(aligned["pairs"][2], limits(pivot, ps((500, 570)), ps((290, 330))))

    def test_one_side_alone(self):
        """From one side a clock is bound by nothing; two that bind it from both sides join it."""
        aligned = self.align(self.spans((0, (100, 110), (104, 140), (90, 150)), (0, (700, 706), (690, 705), (680, 707))))
        self.check([self.facts(aligned), aligned["pairs"], aligned["undecidable"]],
                   [[["0", True, True], ["1", False, False], ["2", False, False]], [], 2])
        # Round in a circle: 0 sends to 1, 1 to 2, 2 to 0.
        events = {rank: [] for rank in WORLD}
        for at, (source, target) in enumerate(((0, 1), (1, 2), (2, 0))):
            events[source].append(call("send", 100 * at, 100 * at + 50, WORLD, Dst_Rank=target, kernel="ncclDevKernel_SendRecv", Seq=at))
            events[target].append(call("recv", 100 * at + 10, 100 * at + 60, WORLD, Src_Rank=source, kernel="ncclDevKernel_SendRecv",
                                       Seq=at))
        aligned = self.align(events)
        self.check([[node["id"], node["reached"], node["feasible"]] for node in aligned["nodes"]],
                   [["0", True, True], ["1", True, True], ["2", True, True]])
        self.check(aligned["pairs"], [])

    def test_pairs(self):
        """Who sends begins before who receives has it; rank 0 is one."""
        events = {0: [call("send", 100, 150, (0, 1), Dst_Rank=1, kernel="ncclDevKernel_SendRecv", Seq=0),
                      call("recv", 305, 320, (0, 1), Src_Rank=1, kernel="ncclDevKernel_SendRecv", Seq=1)],
                  1: [call("recv", 90, 130, (0, 1), Src_Rank=0, kernel="ncclDevKernel_SendRecv", Seq=0),
                      call("send", 300, 360, (0, 1), Dst_Rank=0, kernel="ncclDevKernel_SendRecv", Seq=1)]}
        aligned = self.align(events)
        self.check([[p["a"], p["b"], p["constraints"]] for p in aligned["pairs"]], [["0", "1", 2]])
        self.check_offsets(aligned["pairs"][0], limits((90 + 360) * US // 2, [(100 * US, 130 * US)], [(300 * US, 320 * US)]))
        self.check(aligned["assumptions"][1:-1], ["nobody has received before the sender has begun"])


class Shared(ClocksCase):
    def test_ranks_of_two_hosts(self):
        """Ranks of a host have one clock: the last of them to begin and the first to end count; what is said of one is said of both."""
        ranks = (0, 1, 2, 3)
        rows = [((100, 200), (110, 190), (150, 260), (130, 270)), ((400, 500), (420, 510), (460, 570), (440, 555))]
        events = {rank: [call("allreduce", *row[rank], ranks, Seq=number) for number, row in enumerate(rows)] for rank in ranks}
        aligned = self.align(events, hosts=("ada", "bob", "bob", "ada"))
        self.check([[p["a"], p["b"], p["constraints"]] for p in aligned["pairs"]], [["0", "1", 2]])
        pivot = (100 + 570) * US // 2
        ada = [(130, 200), (440, 500)]
        bob = [(150, 190), (460, 510)]
        within = limits(pivot, [(a[0] * US, b[1] * US) for a, b in zip(ada, bob)], [(b[0] * US, a[1] * US) for a, b in zip(ada, bob)])
        self.check_offsets(aligned["pairs"][0], within)
        for node in aligned["nodes"][1:3]:
            self.check_offsets(node, within)
        self.check([[n[key] for key in ("id", "hostname", "reached", "decidable", "contains_zero", "constraints")]
                    for n in aligned["nodes"]], [
            ["0", "ada", True, True, True, 0], ["1", "bob", True, True, True, 2], ["2", "bob", True, True, True, 2],
            ["3", "ada", True, True, True, 0]])
        self.assertIn("processes of one host show the time of one clock", aligned["assumptions"])

    def test_over_a_third(self):
        """Rank 2 shares calls with rank 1 alone: it is bound by what adds up."""
        events = {0: [call("allreduce", 0, 100, (0, 1), "a", Seq=0)],
                  1: [call("allreduce", 20, 90, (0, 1), "a", Seq=0), call("allreduce", 200, 300, (1, 2), "b", Seq=0)],
                  2: [call("allreduce", 210, 280, (1, 2), "b", Seq=0)]}
        aligned = self.align(events)
        self.check([[n["id"], n["reached"], n["calls_known"], n["constraints"]] for n in aligned["nodes"]],
                   [["0", True, True, 0], ["1", True, True, 1], ["2", True, True, 0]])
        pivot = 150 * US
        first = limits(pivot, [(0, 90 * US)], [(20 * US, 100 * US)])
        self.check_offsets(aligned["nodes"][1], first)
        second = limits(pivot, [(200 * US, 280 * US)], [(210 * US, 300 * US)])
        node = aligned["nodes"][2]
        drift = 2 * US  # what clocks may drift between
        self.assertLessEqual(abs(node["least_offset_ps"] - (first[0] + second[0])), drift)
        self.assertLessEqual(abs(node["most_offset_ps"] - (first[1] + second[1])), drift)


    def test_whose_clock_counts(self):
        """That of the least rank, in whatever order the traces come."""
        events = {3: [call("allreduce", 30, 90, (1, 3), "a", Seq=0)], 1: [call("allreduce", 0, 100, (1, 3), "a", Seq=0)]}
        aligned = self.align(events, world=4)
        self.check([aligned["reference_node"], [[p["a"], p["b"]] for p in aligned["pairs"]], [n["id"] for n in aligned["nodes"]]],
                   ["1", [["1", "3"]], ["1", "3"]])
        self.check_offsets(aligned["pairs"][0], limits(50 * US, [(0, 90 * US)], [(30 * US, 100 * US)]))

    def test_two_that_contradict_each_other(self):
        """What they say of one another counts for nothing; what the reference and each of them say does."""
        events = {0: [], 1: [], 2: []}
        for number, (ranks, group, spans) in enumerate((
                ((0, 1), "a", ((0, 100), (10, 90))), ((0, 2), "b", ((200, 300), (210, 280))),
                ((1, 2), "c", ((400, 410), (420, 430))), ((1, 2), "c", ((520, 530), (500, 510))))):
            for rank, span in zip(ranks, spans):
                events[rank].append(call("allreduce", *span, ranks, group, Seq=number))
        aligned = self.align(events)
        self.check([[p["a"], p["b"], p["constraints"], p["feasible"]] for p in aligned["pairs"]],
                   [["0", "1", 1, True], ["0", "2", 1, True], ["1", "2", 2, False]])
        pivot = 265 * US
        self.check_offsets(aligned["nodes"][1], limits(pivot, [(0, 90 * US)], [(10 * US, 100 * US)]))
        self.check_offsets(aligned["nodes"][2], limits(pivot, [(200 * US, 280 * US)], [(210 * US, 300 * US)]))
        self.check([aligned["contradictions"], aligned["undecidable"], [n["feasible"] for n in aligned["nodes"]]], [1, 0, [True] * 3])

    def test_from_which_width_on(self):
        """Half of the width, and not more, may be what is asked for."""
        events = {0: [call("allreduce", 0, 100, (0, 1), Seq=0)], 1: [call("allreduce", 0, 100, (0, 1), Seq=0)]}
        node = self.align(events)["nodes"][1]
        self.check([node["least_offset_ps"] + node["most_offset_ps"], node["contains_zero"]], [0, True])
        half = node["most_offset_ps"]
        for most, decidable in ((half - 8, False), (half + 8, True)):
            aligned = self.align(events, "--max-bound", f"{most}ps")
            self.check([aligned["nodes"][1]["decidable"], aligned["undecidable"]], [decidable, int(not decidable)])


class Known(ClocksCase):
    def known(self, starts, length, numbered=False):
        events = {rank: [call("allreduce", at, at + length, **({"Seq": k} if numbered else {})) for k, at in enumerate(starts)]
                  for rank in (0, 1)}
        return [node["calls_known"] for node in self.align(events)["nodes"]]

    def test_which_calls_are_known(self):
        """By their numbers, however few they are. Else eight at the least, which do not fit a bit earlier or later."""
        uneven = [0, 1_000, 2_700, 3_600, 5_900, 7_000, 9_500, 10_100]
        self.check(self.known([0], 10, numbered=True), [True, True])
        self.check(self.known(uneven, 10), [True, True])
        self.check(self.known(uneven[:7], 10), [True, False])
        self.check(self.known([1_000 * k for k in range(8)], 10), [True, False])
        self.check(self.known([1_000 * k for k in range(20)], 10), [True, False])
        self.check(self.known([1_000 * k for k in range(20)], 10, numbered=True), [True, True])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
