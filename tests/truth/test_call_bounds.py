#!/usr/bin/env python3
"""`profkit validate` of merged traces: how far the clock of a node may be wrong, where that is known, is 0, changes, or is not known."""
import sys

import truth
from test_validate import US, Call, Clock, trace

UNKNOWN = "the clock error of a node is not known"


class Bounds(truth.Case):
    def ask(self, clocks, calls, *options):
        """`calls`: (op, node, start, end), ps; those of one name are one call."""
        rows = [Call(op, "jit_a", 0, node, 0, start, end, at, run=1) for at, (op, node, start, end) in enumerate(calls)]
        path = self.write("a.xplane.pb", trace(rows, clocks))
        return truth.parsed(truth.run("validate", path, "--json", *options))

    @staticmethod
    def ops(found):
        return [[op[key] for key in ("name", "violations", "violations_raw", "unjudged", "unjudged_reason", "cost")] for op in found["ops"]]

    def warnings(self, found):
        return [[w["kind"], w["node"], w["count"], w["text"]] for w in found["warning_list"]]

    def test_where_it_is_known(self):
        """Of the last to begin and of the first to end the error at those instants counts: from the begin of a window on, until the next
        begins. Where one of both is not known nothing is judged, and so it is of what a node whose clock was not corrected ran."""
        clocks = [Clock(0, "ada", [(0, 50 * US, 1_000, 7, 0), (50 * US, 90 * US, -1, 7, 0)]), Clock(2, "bob", [], "aligned"),
                  Clock(10, "cleo", [(0, 90 * US, 0, -1, 0)])]
        calls = []
        for at, (a, b, start_a, end_a, start_b, end_b) in enumerate((
                (0, 10, 10 * US, 11 * US, 11 * US + 1_000, 12 * US),      # 1000 late, and so wrong may it be
                (0, 10, 13 * US, 14 * US, 14 * US + 1_001, 15 * US),
                (0, 10, 20 * US, 50 * US - 1, 51 * US, 52 * US),          # ends in the first window
                (0, 10, 53 * US, 60 * US, 61 * US, 62 * US),
                (10, 0, 40 * US, 49 * US, 50 * US - 1, 70 * US),          # begins in the first
                (10, 0, 41 * US, 49 * US, 50 * US, 71 * US),              # begins in the second
                (2, 10, 72 * US, 73 * US, 74 * US, 75 * US),
                (2, 10, 76 * US, 78 * US, 77 * US, 79 * US))):            # in order
            calls += [(f"all-reduce.{at}", a, start_a, end_a), (f"all-reduce.{at}", b, start_b, end_b)]
        found = self.ask(clocks, calls)
        rows = [[0, 1, 0, None], [1, 1, 0, None], [1, 1, 0, None], [0, 1, 1, UNKNOWN], [1, 1, 0, None], [0, 1, 1, UNKNOWN],
                [0, 1, 1, UNKNOWN], [0, 0, 1, UNKNOWN]]
        self.check(self.ops(found), [[f"all-reduce.{at}", *row, "inconclusive"] for at, row in enumerate(rows)])
        self.check([found[key] for key in ("clocks", "bounds_known", "violations", "violations_raw", "unjudged", "overlaps")],
                   ["corrected", False, 3, 7, 4, 0])
        self.check([[n["id"], n["bound_ps"]] for n in found["nodes"]], [["0", None], ["2", None], ["10", 0]])
        self.check(self.warnings(found), [
            ["bound_unknown", "0", 0, "its tracer clock was reset: the error of its device times is unknown"],
            ["bound_unknown", "2", 0, "its times were aligned by wall time only: their error is unknown"]])
        # An error that is given counts for all.
        found = self.ask(clocks, calls, "--bound", "500ps")
        self.check([found["violations"], found["unjudged"], [n["bound_ps"] for n in found["nodes"]], found["warning_list"]],
                   [6, 0, [500] * 3, []])

    def test_an_error_of_0(self):
        """It is one that is known: what is late by the least is out of order."""
        clocks = [Clock(node, f"host{node}", [(0, 90 * US, 0, 0, 0)]) for node in (0, 1)]
        found = self.ask(clocks, [("all-reduce.0", 0, 0, US), ("all-reduce.0", 1, US, 2 * US), ("all-reduce.1", 0, 3 * US, 4 * US),
                                  ("all-reduce.1", 1, 4 * US + 1, 5 * US)])
        self.check(self.ops(found), [["all-reduce.0", 0, 1, 0, None, "arrival"], ["all-reduce.1", 1, 1, 0, None, "arrival"]])
        self.check([found["bounds_known"], [n["bound_ps"] for n in found["nodes"]], found["warning_list"]], [True, [0, 0], []])

    def test_the_widest(self):
        """Of several windows the widest is what is said of a node, be it in the middle; one of them alone is suspect."""
        clocks = [Clock(0, "ada", [(0, 10 * US, 5, 1, 0), (10 * US, 20 * US, 900, 1, 2), (20 * US, 90 * US, 7, 1, 1)]),
                  Clock(3, "bob", [(0, 30 * US, 800, 1_000, 1), (30 * US, 90 * US, 6, 1_000, 0)])]
        found = self.ask(clocks, [("all-reduce.0", 0, 15 * US, 16 * US), ("all-reduce.0", 3, 16 * US + 1_700, 17 * US),
                                  ("all-reduce.1", 0, 25 * US, 26 * US), ("all-reduce.1", 3, 26 * US + 808, 27 * US),
                                  ("all-reduce.2", 0, 35 * US, 36 * US), ("all-reduce.2", 3, 36 * US + 14, 37 * US)])
        self.check([[op["name"], op["violations"]] for op in found["ops"]], [["all-reduce.0", 0], ["all-reduce.1", 1], ["all-reduce.2", 1]])
        self.check([[d["op"], d["gap_ps"], d["bound_ps"]] for d in found["details"]],
                   [["all-reduce.1", 808, 807], ["all-reduce.2", 14, 13], ["all-reduce.0", 1_700, 1_700]])
        self.check([[n["id"], n["bound_ps"]] for n in found["nodes"]], [["0", 900], ["3", 800]])
        self.check(self.warnings(found), [["suspect_clock", "0", 0,
                                           "its clock jumped, or ran at an impossible rate: the error bound is wide there"]])


class Absent(truth.Case):
    def test_why_nothing_is_compared(self):
        """Where all that several nodes ran lies outside of the window, or nothing was run by two."""
        clocks = [Clock(node, f"host{node}", [(0, 90 * US, 0, 0, 0)]) for node in (0, 1)]
        def reason(calls, *options):
            rows = [Call(op, "jit_a", 0, node, 0, start, start + US, at, run=1) for at, (op, node, start) in enumerate(calls)]
            found = truth.parsed(truth.run("validate", self.write("a.xplane.pb", trace(rows, clocks)), "--json", *options))
            return [found["status"], found["reason"], found["assumptions"]]
        both = [("all-reduce.0", 0, US), ("all-reduce.0", 1, US)]
        self.check(reason(both, "--time", "2us:"), ["absent", "no collective that several nodes ran lies in the time asked for", []])
        self.check(reason(both, "--time", "1999999ps:")[:2], ["ok", None])
        self.check(reason([("all-reduce.0", 0, US), ("all-gather.1", 1, US)]),
                   ["absent", "no collective was run by more than one node", []])
        self.check(reason([("fusion.0", 0, US)])[:1], ["absent"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
