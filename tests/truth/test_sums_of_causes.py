"""What `bubbles` says of all gaps of one cause together: scope, certainty, order, what is named of as long ones, priority; in µs."""
import sys

import idle_trace
import truth
from idle_sentences import counted, human, percent

US = idle_trace.US
LOADER, SAVE, MALLOC, FREE = "DataLoaderIter.__next__", "save_checkpoint", "cudaMalloc", "cudaFree"
NOTE = "user_annotation"


class Sums(idle_trace.Case):
    def capture(self, *steps, first=10_000, options=()):
        """Of each step what lies between its kernels, which last 1000 each unless said otherwise: (length of the gap, name of what the
        host does in it or None, for how long, length of the kernel after it). Kernels are launched right before the end of a gap, and
        the first one of a step follows the last one of the step before at once."""
        trace, at, begins = idle_trace.Rank(), first, []
        for gaps in steps:
            begins.append(at - 20)
            trace.kernel("gemm", at, 1_000, (at - 15, 5))
            at += 1_000
            for length, name, covered, *size in gaps:
                if name is not None:
                    trace.span(name, at, covered, category=NOTE)
                trace.kernel("gemm", at + length, size[0] if size else 1_000, (at + length - 10, 10))
                at += length + (size[0] if size else 1_000)
        for number, (begin, end) in enumerate(zip(begins, [*begins[1:], at])):
            trace.step(number, begin, end - begin)
        return self.bubbles(trace, options=options)

    def causes(self, *steps):
        return self.capture(*steps)["causes"]


class Scopes(Sums):
    def test_one_step_or_all(self):
        """A cause of one step of several is that step's; where a group has one step it is the group's."""
        loads, saves = (1_000, LOADER, 1_000), (600, SAVE, 600)
        for steps, said in (([[loads], [loads]], [("data_loader", "group", "g0", 2)]),
                            ([[loads], []], [("data_loader", "step", "0", 1)]), ([[], [loads]], [("data_loader", "step", "1", 1)]),
                            ([[], [loads, loads], []], [("data_loader", "step", "1", 2)]), ([[loads]], [("data_loader", "group", "g0", 1)]),
                            ([[loads], [saves], [loads]], [("data_loader", "group", "g0", 2), ("checkpoint", "step", "1", 1)])):
            found = self.causes(*steps)
            self.assertEqual([(c["cause"], c["scope"], c["target_id"], c["gaps"]) for c in found], said, steps)

    def test_what_is_said(self):
        """The longest gap is the first of its length; the name that covers most, of as much the first of the capture."""
        found, = self.causes([(500, MALLOC, 400), (700, FREE, 600)], [(700, MALLOC, 630), (300, FREE, 300)])
        total, covered = 2_200, 400 + 600 + 630 + 300
        self.assertEqual((found["cause"], found["span"], found["time_ns"]), ("allocation", MALLOC, total * 1000))
        self.assertEqual(found["evidence"], [
            f"{counted(4, 'gap')}, {human(total * US)} together", f"the longest, {human(700 * US)}: GPU 0, step 0, after gemm, before gemm",
            f"mostly in {MALLOC}", f"the evidence covers {percent(covered, total)}",
            "the kernel after 4 gaps was launched after the gap had begun"])
        for order, name in (((MALLOC, FREE), MALLOC), ((FREE, MALLOC), FREE)):
            found, = self.causes([(500, order[0], 500)], [(500, order[1], 500)])
            self.assertEqual((found["span"], found["evidence"][1:3]), (name, [
                "the longest, 500.000 us: GPU 0, step 0, after gemm, before gemm", f"mostly in {name}"]))

    def test_how_sure_all_are(self):
        """Nine tenths of the time proved, or half of it likely at least."""
        proved, likely, possible = (1_000, LOADER, 1_000), (1_000, LOADER, 500), (1_000, LOADER, 200)
        for gaps, sure in (([proved] * 9 + [possible], "proved"), ([proved] * 8 + [possible], "likely"), ([proved, possible], "likely"),
                           ([proved, possible, possible], "possible"), ([likely] * 3, "likely"), ([likely, likely, possible], "likely"),
                           ([likely, possible, possible], "possible"), ([proved] * 8 + [likely], "likely"),
                           ([(8_000, LOADER, 7_500), (1_000, LOADER, 999), (1_000, LOADER, 200)], "proved"),
                           ([(8_000, LOADER, 7_500), (999, LOADER, 999), (1_000, LOADER, 200)], "likely")):
            found, = self.causes(gaps)
            self.assertEqual((found["certainty"], found["gaps"]), (sure, len(gaps)), gaps)

    def test_the_order_of_causes(self):
        """Those with most time first; of as much one order whatever comes first in the capture."""
        a, b, c = (800, SAVE, 800), (800, LOADER, 800), (800, MALLOC, 800)
        for gaps in ([a, b, c], [c, b, a], [b, a, c]):
            self.assertEqual([x["cause"] for x in self.causes(gaps)], ["data_loader", "allocation", "checkpoint"])
        self.assertEqual([x["cause"] for x in self.causes([a, b, (801, MALLOC, 801)])], ["allocation", "data_loader", "checkpoint"])
        self.assertEqual([x["cause"] for x in self.causes([a, (500, LOADER, 500), c, (301, LOADER, 301)])],
                         ["data_loader", "allocation", "checkpoint"])

    def test_rows_of_time(self):
        """Each cause has a row for each certainty, those with most time first; of as much by cause, and the less sure one first."""
        found = self.capture([(1_000, SAVE, 1_000), (1_000, LOADER, 1_000), (1_000, LOADER, 500), (40, None, 0)])
        rows = [(r["cause"], r["certainty"], r["gaps"], r["time_ps"] // US) for r in found["time"] if r["use"] == "idle" and r["in_steps"]
                and r["device"] is None]
        self.assertEqual(rows, [("data_loader", "likely", 1, 1_000), ("data_loader", "proved", 1, 1_000),
                                ("checkpoint", "proved", 1, 1_000), (None, "unknown", 0, 40)])
        found = self.capture([(1_000, SAVE, 1_000), (600, LOADER, 600), (700, LOADER, 700), (1_001, LOADER, 501)])
        rows = [(r["cause"], r["certainty"], r["gaps"], r["time_ps"] // US) for r in found["time"] if r["use"] == "idle" and r["in_steps"]
                and r["device"] == 0]
        self.assertEqual(rows, [("data_loader", "proved", 2, 1_300), ("data_loader", "likely", 1, 1_001),
                                ("checkpoint", "proved", 1, 1_000)])


class Advice(Sums):
    def priorities(self, *steps):
        found = self.capture(*steps)
        return [(a["text"].split(":")[0], a["priority"], float(a["recoverable_ms"]) * 1000) for a in found["recommendations"]
                if a["recoverable_ms"]]

    def test_how_urgent(self):
        """Of all time in steps a twentieth is P0 at most, a hundredth P1."""
        loads = (2_000, LOADER, 2_000)
        for length, size, priority in ((700, 1_300, "P0"), (699, 1_300, "P1"), (130, 870, "P1"), (129, 870, "P2")):
            found = self.priorities([loads, (length, SAVE, length, size)], [loads], [loads])
            self.assertEqual(found, [("Have the next batch ready", "P0", 6_000),
                                     ("Save asynchronously, less often, or from fewer ranks.", priority, length)], length)

    def test_places_that_recur(self):
        """Whether gaps stand at the same places of most steps changes nothing: what they cost does."""
        loads = (2_000, LOADER, 2_000)
        for count, priority in ((5, "P0"), (3, "P0"), (2, "P0"), (1, "P0")):
            found = self.priorities(*[[loads] if n < count else [(0, None, 0)] for n in range(5)])
            self.assertEqual(found, [("Have the next batch ready", priority, 2_000 * count)], count)


class Edges(idle_trace.Case):
    def look(self, *steps, options=("--window-policy", "marker")):
        """Of each step its length and the kernels (start, length) in it; nothing is launched on record, and steps follow at once."""
        trace, at = idle_trace.Rank(), 0
        for number, (size, kernels) in enumerate(steps):
            trace.step(number, at, size)
            for start, length in kernels:
                trace.kernel("gemm", at + start, length)
            at += size
        return self.bubbles(trace, options=options)

    def test_steps_whose_longest_gap_is_at_the_edge(self):
        """The first and the last step are cut where no gap is longer than that at the edge; it counts from 50 on."""
        middle = (300, [(0, 100), (150, 150)])
        def cut(first, last):
            found = self.look(first, middle, middle, last)
            return [s["step_id"] for s in found["steps"] if "PARTIAL_CAPTURE_BOUNDARY" in s["anomaly_tags"]]
        whole = (300, [(0, 150), (200, 100)])
        for first, last, said in (
                (whole, whole, []), ((300, [(100, 50), (250, 50)]), whole, ["0"]), ((300, [(99, 51), (250, 50)]), whole, []),
                ((300, [(50, 210), (270, 30)]), whole, ["0"]), ((300, [(49, 211), (270, 30)]), whole, []),
                (whole, (300, [(0, 50), (150, 50)]), ["3"]), (whole, (300, [(0, 50), (150, 51)]), []),
                (whole, (300, [(0, 200), (210, 40)]), ["3"]), (whole, (300, [(0, 200), (210, 41)]), []),
                ((300, [(0, 100), (150, 50)]), whole, []), (whole, (300, [(100, 100), (250, 50)]), [])):
            self.assertEqual(cut(first, last), said, (first, last))

    def test_gaps_at_the_edge_have_no_cause(self):
        """They are listed, and are of no row with a cause."""
        found = self.look((300, [(100, 100)]), (300, [(100, 100)]), (300, [(60, 100)]))
        gaps = {(g["scope"], g["step_id"]): g["boundary_adjacent"] for g in idle_trace.gaps(found) if not g["inter_step"]}
        self.assertEqual(gaps, {("prelaunch", "0"): True, ("tail", "0"): False, ("prelaunch", "1"): False, ("tail", "1"): False,
                                ("prelaunch", "2"): False, ("tail", "2"): True})
        cause, = found["causes"]
        self.assertEqual((cause["gaps"], cause["time_ns"]), (4, (100 + 100 + 100 + 60) * 1000))
        rows = [(r["cause"], r["gaps"], r["time_ps"] // US) for r in found["time"] if r["use"] == "idle" and r["device"] == 0]
        self.assertEqual(rows, [("host_untraced", 4, 360), (None, 0, 240)])

    def test_which_gaps_are_listed(self):
        """From 50 on; shorter ones are summed. Those of the whole device are the longest, of as long ones the first."""
        found = self.look((1_000, [(0, 100), (150, 100), (299, 101), (460, 40), (560, 40), (650, 350)]))
        step, = found["steps"]
        self.assertEqual([step["bubble_count"], step["reportable_count"], step["internal_bubble_total_ns"] // 1000,
                          step["largest_internal_bubble_ns"] // 1000], [5, 4, 50 + 49 + 60 + 60 + 50, 60])
        windows = found["devices"][0]["gaps"]["top_gap_windows"]
        self.assertEqual([(int(w["start_ns"]) // 1000, int(w["end_ns"]) // 1000) for w in windows],
                         [(400, 460), (500, 560), (100, 150), (600, 650), (250, 299)])
        self.assertEqual([(g["start_rel_ns"] // 1000, g["duration_ns"] // 1000) for g in idle_trace.gaps(found)],
                         [(100, 50), (400, 60), (500, 60), (600, 50)])

    def test_equal_sums_of_exposed_time(self):
        """Of steps with as much exposed the first is named."""
        trace = idle_trace.Rank()
        for number, exposed in enumerate((50, 80, 80)):
            at = 1_000 * number
            trace.step(number, at, 1_000)
            trace.kernel("gemm", at, 500)
            trace.kernel("ncclDevKernel_AllReduce_Sum", at + 500, exposed, stream=8)
        cause, = [c for c in self.bubbles(trace, options=("--window-policy", "marker"))["causes"] if c["cause"] == "exposed_comm"]
        self.assertEqual(cause["evidence"], ["210.000 us, 7.0 % of the time in 3 steps", "the most, 80.000 us: step 1"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
