#!/usr/bin/env python3
"""`profkit validate` where nothing is on record of who sends to whom: what times leave possible counts, of equal ones the first."""
import sys

import truth
from test_validate import US, Call, Clock, trace

SENDS = "ncclDevKernel_SendRecv"


class Directions(truth.Case):
    def ask(self, rows, kernel=SENDS):
        """`rows`: (op, node, invocation, start, end), ns."""
        nodes = sorted({row[1] for row in rows})
        clocks = [Clock(node, f"host{node}", [(0, 900 * US, 1_000, 9, 0)]) for node in nodes]
        calls = [Call(op, "jit_a", 0, node, which, start * 1_000, end * 1_000, at, run=which)
                 for at, (op, node, which, start, end) in enumerate(rows)]
        found = truth.parsed(truth.run("validate", self.write("a.xplane.pb", trace(calls, clocks, kernel)), "--json", "--bound", "1ns"))
        counts = [[op[key] for key in ("name", "semantics", "groups", "violations", "violations_raw", "unjudged", "unjudged_reason")]
                  for op in found["ops"]]
        details = [[d["rank"], d["beyond_bound"], d["latest_start_node"], d["earliest_end_node"], d["gap_ps"]] for d in found["details"]]
        return counts, details, [found["pair_violations"], found["overlaps"]]

    def permute(self, *calls):
        """`calls`: of each (start, end) of each node."""
        return self.ask([("collective-permute.1", node, which, 1_000 * which + start, 1_000 * which + end)
                         for which, spans in enumerate(calls, 1) for node, (start, end) in enumerate(spans)])

    FITS = "the trace does not say which node receives from which, and at least one pairing fits"
    EARLY, LATE, TOGETHER = (0, 10), (20, 30), (5, 25)

    def test_two_nodes(self):
        """The direction that is contradicted least; of equal ones from the first node. An error of both clocks is no contradiction."""
        first, then = (self.EARLY, self.LATE), (self.LATE, self.EARLY)
        both = (self.TOGETHER, self.TOGETHER)
        counts, details, sums = self.permute(first, then, first, both)
        self.check(counts, [["collective-permute.1", "point_to_point", 4, 1, 3, 0, None]])
        self.check([details, sums], [[[1, True, "0", "1", 10_000]], [3, 3]])
        counts, details, _ = self.permute(then, first, then, both)
        self.check([counts[0][2:6], details], [[4, 1, 3, 0], [[1, True, "1", "0", 10_000]]])
        counts, details, _ = self.permute(first, then)
        self.check([counts[0][2:6], details], [[2, 1, 2, 0], [[1, True, "0", "1", 10_000]]])
        near = ((0, 10), (12, 30))
        counts, details, _ = self.permute(near, near, near[::-1])  # 2 ns are what both clocks may be wrong by
        self.check([counts[0][2:6], details], [[3, 0, 3, 0], [[2, False, "0", "1", 2_000]]])

    def test_three_nodes(self):
        """Only what no pairing allows is out of order; where one fits, nothing is said."""
        counts, details, _ = self.permute((self.EARLY, self.LATE, (40, 50)))
        self.check([counts, details], [[["collective-permute.1", "point_to_point", 1, 0, 1, 1, self.FITS]], []])
        counts, details, _ = self.permute((self.EARLY, self.LATE, (40, 50)), ((40, 50), self.LATE, self.EARLY))
        self.check([counts, details], [[["collective-permute.1", "point_to_point", 2, 1, 2, 1, self.FITS]], [[1, True, "0", "1", 10_000]]])

    def test_another_kernel(self):
        counts, _, _ = self.ask([("collective-permute.1", node, 1, 100 + 50 * node, 110 + 50 * node) for node in (0, 1)], "loop_fusion")
        self.check(counts, [["collective-permute.1", "point_to_point", 1, 0, 1, 1,
                             "the event says when the operation was issued, not when its data arrived"]])

    def sends(self, *calls):
        """`calls`: of each (start, end) of the send of nodes 0 and 1 and of the recv of nodes 2 and 3."""
        names = ("send.1", "send.1", "recv.2", "recv.2")
        return self.ask([(names[node], node, which, 1_000 * which + span[0], 1_000 * which + span[1])
                         for which, spans in enumerate(calls, 1) for node, span in enumerate(spans) if span])

    def test_who_sends(self):
        """To each that receives it is the sender that is contradicted least, of equal ones the first; of two that receive the one that is
        furthest out of order counts."""
        late, early, fine = (50, 60), (0, 10), (0, 60)
        counts, details, sums = self.sends((late, fine, early, None), (fine, fine, early, None), (late, fine, early, None))
        self.check([counts, details, sums], [[["send.1, recv.2", "point_to_point", 3, 0, 0, 0, None]], [], [0, 3]])
        counts, details, sums = self.sends((late, fine, early, None), (fine, late, early, None))
        self.check([counts, details, sums],
                   [[["send.1, recv.2", "point_to_point", 2, 1, 1, 0, None]], [[0, True, "0", "2", 40_000]], [1, 1]])
        counts, details, sums = self.sends((late, None, early, (0, 20)), (late, None, (0, 30), early), (fine, None, early, early))
        self.check([counts[0][2:6], details, sums],
                   [[3, 2, 2, 0], [[0, True, "0", "2", 40_000], [1, True, "0", "3", 40_000]], [4, 1]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
