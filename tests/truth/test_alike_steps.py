"""Which steps `bubbles` counts as alike, what it says of them together, which places recur, and which step the capture cuts; in µs."""
from fractions import Fraction
import sys

import idle_trace
import truth

US = idle_trace.US
REDUCE = "ncclDevKernel_AllReduce_Sum"


def row_of(names, size=20, gap=0, at=0):
    """Kernels one after the other: (name, start, length) each."""
    return [(name, at + (size + gap) * n, size) for n, name in enumerate(names)]


class Steps(idle_trace.Case):
    def look(self, steps, *options, policy="marker"):
        """`steps`: (length, kernels), one after the other, or (length, kernels, time until the next one)."""
        trace, at = idle_trace.Rank(), 1_000
        for number, (size, kernels, *rest) in enumerate(steps):
            trace.step(number, at, size)
            for name, start, length, *device in kernels:
                trace.kernel(name, at + start, length, device=device[0] if device else 0)
            at += size + (rest[0] if rest else 0)
        found = self.bubbles(trace, options=("--window-policy", policy, *options))
        return found, {g["group_id"]: g for g in found["anomaly_discovery"]["step_group_anomalies"]}

    def groups(self, steps, *options):
        return [s["group_id"] for s in self.look(steps, *options)[0]["steps"]]


class Alike(Steps):
    def test_numbers_of_kernels(self):
        """Counts that differ by a twentieth of the larger one, and a share of nine tenths of the ops, are enough."""
        whole = (500, row_of("a" * 20))
        for other, alike in (("a" * 18 + "b", True), ("a" * 18 + "bb", True), ("a" * 17 + "bb", False), ("a" * 17 + "b", False),
                             ("b" + "a" * 20, True), ("b" + "a" * 21, False), ("bb" + "a" * 20, False)):
            self.assertEqual(self.groups([whole, (500, row_of(other))]) == ["g0", "g0"], alike, other)
        other = (500, row_of("a" * 17 + "b"))
        for count, overlap, alike in (("0.1", "0.85", True), ("0.099999", "0.85", False), ("0.1", "0.850001", False)):
            found = self.groups([whole, other], "--threshold", f"group_count_tolerance={count}", "--threshold", f"group_overlap={overlap}")
            self.assertEqual(found, ["g0", "g0"] if alike else ["g0", "g1"])

    def test_chains(self):
        """The first and the third are alike only through the second; a fourth of other ops stays alone."""
        first, second, third = "a" * 20, "a" * 18 + "bb", "bbbb" + "a" * 16
        self.assertEqual(self.groups([(500, row_of(first)), (500, row_of(third))]), ["g0", "g1"])
        for order in ((first, second, third), (first, third, second), (second, third, first), (third, first, second)):
            self.assertEqual(self.groups([(500, row_of(text)) for text in (*order, "c" * 20)]), ["g0", "g0", "g0", "g1"])

    def test_what_takes_most_time(self):
        """Steps of the same ops in another order are alike when the same class takes most time in both; of two as long compute does."""
        def step(*kernels):
            rows, at = [], 0
            for name, size in kernels:
                rows.append((name, at, size))
                at += size
            return 200, rows
        for other, alike in (((REDUCE, 10), ("a", 30)), True), (((REDUCE, 30), ("a", 30)), True), (((REDUCE, 31), ("a", 30)), False):
            self.assertEqual(self.groups([step(("a", 30), (REDUCE, 10)), step(*other)]) == ["g0", "g0"], alike, other)

    def test_steps_without_kernels(self):
        """They are a group of their own; groups come by the time of their steps, of as much the first."""
        full, other = (100, row_of("ab")), (100, row_of("cd"))
        self.assertEqual(self.groups([full, (60, []), other, (40, [])]), ["g0", "g1", "g2", "g1"])
        self.assertEqual(self.groups([full, (60, []), other, (41, [])]), ["g1", "g0", "g2", "g0"])
        self.assertEqual(self.groups([full, (60, []), (101, row_of("cd")), (40, [])]), ["g1", "g2", "g0", "g2"])

    def test_devices_share_groups(self):
        """Steps of two devices are alike as those of one are; each device has its own rows."""
        kernels = lambda names, device: [(*row, device) for row in row_of(names)]
        found, groups = self.look([(100, kernels("ab", 0) + kernels("cd", 1)), (100, kernels("cd", 0) + kernels("ab", 1)),
                                   (100, kernels("ab", 0) + kernels("ab", 1))])
        self.assertEqual([(s["device"], s["step_id"], s["group_id"]) for s in found["steps"]], [
            (0, "0", "g0"), (0, "1", "g1"), (0, "2", "g0"), (1, "0", "g1"), (1, "1", "g0"), (1, "2", "g0")])
        self.assertEqual({name: g["group_size"] for name, g in groups.items()}, {"g0": 4, "g1": 2})


class Measures(Steps):
    def test_quantiles(self):
        """Lines between neighbours: of lengths 100, 200, 400, 1000 the median is 300, of which nine tenths are 820 and 95 % are 910."""
        found, groups = self.look([(size, row_of("ab")) for size in (400, 100, 1_000, 200)])
        self.assertEqual([s["service_ns"] for s in found["steps"]], [400_000, 100_000, 1_000_000, 200_000])
        group = groups["g0"]
        tails = [size - 40 for size in (100, 200, 400, 1_000)]
        for name, values in (("service_ms", (100, 200, 400, 1_000)), ("tail_gap_ms", tails), ("device_busy_union_ms", [40] * 4)):
            line = lambda at: values[int(at)] + (at - int(at)) * (values[min(int(at) + 1, 3)] - values[int(at)])
            expected = [Fraction(sum(values), 4)] + [line(Fraction(3 * q, 100)) for q in (50, 90, 95)]
            self.check([group[f"{name}_{what}"] for what in ("avg", "median", "p90", "p95")], [x / 1000 for x in expected])
        self.assertEqual([group["complete_steps"], group["dominant_idle_pattern"], group["bubble_count_median"]], [4, "tail", 0])

    def test_time_between_steps(self):
        """Of each group, from the end of each of its steps to the next step of the device, whatever that is; the last has none."""
        ab, cd = row_of("ab"), row_of("cd")
        _, groups = self.look([(100, ab, 30), (100, cd, 50), (100, ab, 0), (100, ab, 90), (100, cd, 0)])
        self.check([groups[g]["inter_step_gap_ms_avg"] for g in ("g0", "g1")], [Fraction(40, 1000), Fraction(50, 1000)])

    def test_kinds_of_idle_time(self):
        """The kind with most time on average; from four fifths of it on the second makes it mixed."""
        def pattern(before, inside, after, between=0, *options):
            size = before + 20 + inside + 20 + after
            step = (size, [("a", before, 20), ("b", before + 20 + inside, 20)], between)
            group = self.look([step] * 3, *options)[1]["g0"]
            return group["dominant_idle_pattern"], group["dominant_idle_pattern_script"]
        for lengths, said in (((100, 79, 0), ("prelaunch", "prelaunch")), ((100, 80, 0), ("mixed", "prelaunch")),
                              ((0, 100, 79), ("internal_bubble", "internal_bubble")), ((0, 80, 100), ("mixed", "tail")),
                              ((100, 0, 100), ("mixed", "prelaunch")), ((0, 100, 100), ("mixed", "tail")),
                              ((100, 100, 100), ("mixed", "prelaunch")), ((0, 0, 0), ("none", "none")),
                              ((50, 0, 0), ("prelaunch", "prelaunch")), ((49, 0, 0), ("none", "prelaunch")),
                              ((0, 0, 50), ("tail", "tail")), ((0, 49, 30), ("none", "internal_bubble"))):
            self.assertEqual(pattern(*lengths), said, lengths)
        # Three times as long as any kind in a step is the mean time to the next one.
        for between, said in ((300, "inter_step"), (299, "prelaunch"), (0, "prelaunch")):
            self.assertEqual(pattern(100, 20, 60, between)[0], said)
        self.assertEqual(pattern(0, 0, 0, 1), ("inter_step", "none"))
        # A hundredth of the steps, and 50 at least.
        share = lambda value: ("--threshold", f"pattern_share={value}")
        for value, said in (("0.5", "prelaunch"), ("0.51", "none")):  # 100 of 200
            self.assertEqual(pattern(100, 60, 0, 0, *share(value))[0], said)


class Recurring(Steps):
    def test_how_many_steps(self):
        """A gap between the same kernels in three of five steps recurs, in two of five not; gaps at the edges are places of their own."""
        gap, tight = [("a", 0, 30), ("b", 90, 10)], [("a", 0, 30), ("b", 30, 10)]
        for count, places in ((3, 1), (2, 0), (5, 1)):
            steps = [(100, gap) if n < count else (40, tight) for n in range(5)]
            group = self.look(steps)[1]["g0"]
            self.assertEqual((group["group_size"], group["recurring_places"], "RECURRING_BUBBLE_PATTERN" in group["anomaly_tags"]),
                             (5, places, places > 0), count)
        # Twice in one step after kernels of one op counts once; between parts of a step that repeat each is a place of its own.
        twice = [("a", 0, 30), ("a", 90, 30), ("c", 180, 30)]
        for count, places in ((3, 1), (2, 0)):
            steps = [(210, twice)] * count + [(90, row_of("aac", 30))] * (5 - count)
            self.assertEqual(self.look(steps)[1]["g0"]["recurring_places"], places)
        self.assertEqual(self.look([(210, row_of("aaa", 30, 60))] * 2)[1]["g0"]["recurring_places"], 2)
        # Before the first kernel, twice inside, and after the last one.
        whole = (300, [("a", 60, 30), ("b", 150, 30), ("c", 240, 5)])
        self.assertEqual([self.look([whole] * count)[1]["g0"]["recurring_places"] for count in (1, 2, 5)], [0, 4, 4])


class Edges(Steps):
    def test_steps_that_are_cut(self):
        """The first and the last of three with less than four fifths of the kernels that the others have, in the middle."""
        def cut(counts, *options):
            found = self.look([(20 * n, row_of("a" * n)) for n in counts], *options)[0]
            return [s["step_id"] for s in found["steps"] if "PARTIAL_CAPTURE_BOUNDARY" in s["anomaly_tags"]]
        for counts, said in (((7, 10, 10), ["0"]), ((8, 10, 10), []), ((10, 10, 7), ["2"]), ((10, 10, 8), []),
                             ((7, 10, 10, 10, 7), ["0", "4"]), ((10, 7, 10), []), ((7, 10), []), ((10, 7), []),
                             ((7, 9, 8, 10, 10), ["0"]), ((7, 8, 8, 10, 10), ["0"]),
                             ((7, 8, 8, 8, 10), []), ((1, 1, 10, 10, 10), ["0"])):
            self.assertEqual(cut(counts), said, counts)
        for share, said in (("0.7", []), ("0.700001", ["0"])):
            self.assertEqual(cut((7, 10, 10), "--threshold", f"cut_step={share}"), said)

    def test_gaps_over_the_edge_of_a_step(self):
        """What ends one step and begins the next is one gap as well; a step without a kernel parts it."""
        kernels = [("a", 60, 40)]
        for steps, gaps in (
                ([(200, kernels), (200, kernels)], [("prelaunch", False, 0, 60), ("tail", False, 100, 200), ("global", True, 100, 260),
                                                    ("prelaunch", False, 200, 260), ("tail", False, 300, 400)]),
                ([(200, kernels), (100, []), (200, kernels)], [("prelaunch", False, 0, 60), ("tail", False, 100, 200),
                                                               ("prelaunch", False, 200, 300), ("prelaunch", False, 300, 360),
                                                               ("tail", False, 400, 500)]),
                ([(200, kernels, 50), (200, kernels)], [("prelaunch", False, 0, 60), ("tail", False, 100, 200), ("global", False, 200, 250),
                                                        ("prelaunch", False, 250, 310), ("tail", False, 350, 450)]),
                ([(100, kernels), (200, kernels)], [("prelaunch", False, 0, 60), ("prelaunch", False, 100, 160),
                                                    ("tail", False, 200, 300)]),
                ([(200, kernels), (200, [("a", 0, 40)])], [("prelaunch", False, 0, 60), ("tail", False, 100, 200),
                                                           ("tail", False, 240, 400)])):
            found = self.look(steps)[0]
            origin = found["steps"][0]["exact_ps"]["start"] // US
            shown = sorted((g["scope"], g["inter_step"], g["start_rel_ns"] // 1000 - origin, (g["start_rel_ns"] + g["duration_ns"]) // 1000
                            - origin) for g in idle_trace.gaps(found))
            self.assertEqual(shown, sorted(gaps), steps)

    def test_kernels_over_the_edge_of_a_step(self):
        """Each step has its part of the time; the kernel counts where it begins."""
        found = self.look([(100, [("a", 10, 150)]), (100, [("b", 80, 40)]), (100, [("c", 50, 20)])])[0]
        parts = [[s["exact_ps"][key] // US for key in ("prelaunch", "busy", "internal", "tail")] + [s["kernels"]["compute"]]
                 for s in found["steps"]]
        self.assertEqual(parts, [[10, 90, 0, 0, 1], [0, 80, 20, 0, 1], [0, 40, 30, 30, 1]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
