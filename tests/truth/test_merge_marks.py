#!/usr/bin/env python3
"""Clocks that collectives correct: the line that they are put on, how far it may be wrong at each instant, and which node is the
reference."""
import json
import sys
from fractions import Fraction as F

import truth
from ranks import US, ZERO_NS, RanksCase, call
from trace_events import x

STEEPEST = F(2, 1_000)  # two clocks, 1000 ppm each
NS = 1_000  # ps


def ranges(pivot, calls):
    """The offsets and the drifts that are possible of a clock that shows x + offset + drift * (x - pivot). `calls`: (start, end) on the
    reference, then on the clock; ps. Ends are read in whole ns: each may be one later."""
    cuts = [(0, 1, STEEPEST), (0, -1, STEEPEST)]
    for (start, end), (other_start, other_end) in calls:
        cuts += [(1, start - pivot, other_end + NS - start), (-1, pivot - end - NS, end + NS - other_start)]
    corners = []
    for i, (a, b, c) in enumerate(cuts):
        for d, e, f in cuts[:i]:
            det = a * e - b * d
            if det:
                at = F(c * e - b * f) / det, F(a * f - c * d) / det
                if all(k * at[0] + m * at[1] <= n for k, m, n in cuts):
                    corners.append(at)
    return tuple((min(values), max(values)) for values in zip(*corners))


class MergeMarks(RanksCase):
    # (start of rank 0, start of rank 1, end of both) in us of a true clock: both end together, and wait in turns
    TRUE = [(1_000, 1_004, 1_010), (2_000, 1_995, 2_008), (3_001, 3_000, 3_020), (4_000, 4_012, 4_019), (5_000, 4_990, 5_003),
            (6_000, 6_001, 6_030), (7_007, 7_000, 7_012), (8_000, 8_003, 8_009), (9_001, 9_000, 9_011)]
    ALONE = (200, 9_700)  # two kernels of rank 1 before and after all calls

    def write_ranks(self, ahead_us, ranks=(0, 1), ppm=0):
        """Rank 1's clock shows so much more at 5 ms, and gains so many us in a second."""
        def shown(us):
            return us + ahead_us + F(us - 5_000) * ppm / 10**6

        self.recorded = []
        events = {0: [], 1: []}
        for at, (first, second, end) in enumerate(self.TRUE):
            spans = ((first, end), tuple(float(shown(us)) for us in (second, end)))
            self.recorded.append([[round(F(str(us)) * US) for us in span] for span in spans])
            for node, span in enumerate(spans):
                events[node].append(call("allreduce", *span, ranks, Seq=at))
        events[0].append(x("kernel", "alone", 0, 7, 5_500, 1, device=0, stream=7))
        events[1] += [x("kernel", "alone", 0, 7, float(shown(us)), 1, device=0, stream=7) for us in self.ALONE]
        return [self.rank(rank, events[at], host=f"host{rank}") for at, rank in enumerate(ranks)]

    def merge(self, paths, *options, status=0):
        said = truth.run("merge", "--traces", *paths, "--align", "collectives", "-o", "all.trace.json", "--json", *options, status=status,
                         cwd=self.scratch)
        self.said = truth.parsed(said)
        return self.said["message"] if status else self.said["nodes"]

    def times(self, name):
        """In ps since the ranks' zero, of each node."""
        found = {}
        written = json.loads((self.scratch / "all.trace.json").read_text(), parse_float=F)
        self.base_ps = (written["baseTimeNanoseconds"] - ZERO_NS) * 1000
        for event in written["traceEvents"]:
            if event["name"] == "profkit_node":
                node = found[event["args"]["node"]] = []
            elif event["name"] == name:
                node.append(F(event["ts"]) * US + self.base_ps)
        return found

    def test_the_line(self):
        """Ends lie together on it: an offset alone, and one that drifts."""
        for ahead_us, ppm in ((300, 0), (-40, 0), (300, 5), (-7, -100)):
            nodes = self.merge(self.write_ranks(ahead_us, ppm=ppm))
            times = self.times("ncclDevKernel_X")
            self.assertEqual(times[0], [first * US for first, _, _ in self.TRUE])
            wrong = [abs(found - second * US) for found, (_, second, _) in zip(times[1], self.TRUE)]
            self.assertLessEqual(max(wrong), 3 if ppm else 0, (ahead_us, ppm))
            self.assertLessEqual(max(abs(found - us * US) for found, us in zip(self.times("alone")[1], self.ALONE)), 4 if ppm else 0)
            self.check([n["method"] for n in nodes], ["collectives"] * 2)
            self.assertLess(abs(float(nodes[1]["host_drift_ppm"]) - ppm), 0.001)
            self.assertEqual(nodes[0]["host_drift_ppm"], 0)

    def test_how_far_it_may_be_wrong(self):
        """At the far end of a window: the offset that lies furthest, and the drift that does for as long as it is from the pivot."""
        for ahead_us, ppm in ((300, 0), (-40, 0), (1_500, 20)):
            nodes = self.merge(self.write_ranks(ahead_us, ppm=ppm), "--max-bound", "1s")
            self.assertEqual(len(self.times("ncclDevKernel_X")[1]), len(self.TRUE))
            ends = [end for spans in self.recorded for _, end in spans]
            starts = [start for spans in self.recorded for start, _ in spans]
            pivot = (min(starts) + max(ends) + NS) // 2
            (least, most), (slowest, fastest) = ranges(pivot, self.recorded)
            drift = F(ppm, 10**6)
            ahead = ahead_us * US + (pivot - 5_000 * US) * drift  # when the reference shows the pivot
            furthest = max(most - ahead, ahead - least) / (1 + min(0, slowest))
            growth = max(fastest - drift, drift - slowest) / (1 + min(0, slowest))
            windows = nodes[1]["bound"]["windows"]
            for window in windows:
                far = max(abs(window[end] + self.base_ps - pivot) for end in ("from_ps", "to_ps"))
                expected = furthest + growth * far + NS
                self.assertTrue(expected <= window["host_bound_ps"] <= expected + 30, (ahead_us, window, float(expected)))
                self.assertEqual(window["tracer_bound_ps"], window["host_bound_ps"])
            # From the first event to the end of the last, beyond the calls of the reference extrapolated.
            calls = (self.TRUE[0][0] * US, self.TRUE[-1][2] * US + NS)
            self.assertLessEqual(abs(windows[0]["from_ps"] + self.base_ps - self.ALONE[0] * US), 3)
            self.assertLessEqual(abs(windows[-1]["to_ps"] + self.base_ps - (self.ALONE[1] + 1) * US), 30)
            self.assertEqual([w["extrapolated"] for w in windows], [
                w["to_ps"] + self.base_ps <= calls[0] or w["from_ps"] + self.base_ps >= calls[1] for w in windows])
            self.assertEqual({w["extrapolated"] for w in windows}, {True, False})
            self.assertEqual({w["host_bound_ps"] for w in nodes[0]["bound"]["windows"]}, {NS})

    def test_how_well_it_must_be_known(self):
        """Half of what the offset may be, and no more than --max-bound, or the node is refused, or not corrected."""
        paths = self.write_ranks(300)
        pivot = (min(s for spans in self.recorded for s, _ in spans) + max(e for spans in self.recorded for _, e in spans) + NS) // 2
        (least, most), _ = ranges(pivot, self.recorded)
        half = int((most - least) / 2)
        self.merge(paths, "--max-bound", f"{half + 12}ps")
        message = self.merge(paths, "--max-bound", f"{half - 12}ps", status=2)
        self.assertIn(f"node 1: its clock is not corrected: collectives leave it +- {half // US} us, which is more than", message)
        nodes = self.merge(paths, "--max-bound", f"{half - 12}ps", "--keep-going")
        self.check([[n["status"], n["method"], n["bound"] is None] for n in nodes],
                   [["corrected", "collectives", False], ["walltime", None, True]])
        self.assertEqual(self.times("ncclDevKernel_X")[1], [(second + 300) * US for _, second, _ in self.TRUE])

    def test_the_reference(self):
        """That of the run, else node 0, else the first; its own times stay."""
        self.write("run.json", json.dumps({"reference_node": 4, "nodes": [
            {"node_id": n, "trace": f"rank{n}.pt.trace.json"} for n in (0, 4)]}))
        for ranks, order, options, reference in (((0, 1), (0, 1), [], 0), ((0, 1), (1, 0), [], 0), ((3, 5), (0, 1), [], 3),
                                                 ((3, 5), (1, 0), [], 5), ((0, 4), (0, 1), ["--run-metadata", "run.json"], 4)):
            paths = self.write_ranks(300, ranks)
            self.merge([paths[at] for at in order], *options)
            self.assertEqual(self.said["reference_node"], reference, (ranks, order))
            times, ahead = self.times("ncclDevKernel_X"), 0 if reference == ranks[0] else 300
            for node, place in ((ranks[0], 0), (ranks[1], 1)):
                self.assertEqual(times[node], [(spans[place] + ahead) * US for spans in self.TRUE], (ranks, order, node))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
