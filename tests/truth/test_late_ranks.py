"""Ranks that wait for each other, and communication that nothing hides: three ranks, groups of two names, executions that tie."""
import sys

import idle_trace
import truth

US = idle_trace.US
REDUCE, GATHER, CAST = "ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather", "ncclDevKernel_Broadcast"


def group(name, ranks):
    return {"Collective name": "x", "Process Group Name": name, "Process Group Ranks": str(ranks), "Group size": len(ranks)}


WORLD, FIRST_TWO, ENDS = group("0", [0, 1, 2]), group("1", [0, 1]), group("1", [0, 2])


class Waits(idle_trace.Case):
    def ranks(self, kernels, world=3, size=1_000):
        """By rank: name, start, duration, and what it has on record of its group, in µs. A step of `size` µs each."""
        made = []
        for number, of_rank in enumerate(kernels):
            rank = idle_trace.Rank(number, world)
            rank.step(0, 0, size)
            rank.kernel("gemm", 0, 10)
            for name, start, took, *given in of_rank:
                rank.kernel(name, start, took, stream=8, **(given[0] if given else {}))
            rank.kernel("gemm", size - 10, 10)
            made.append(rank)
        return self.bubbles(*made)

    def straggler(self, document):
        """Certainty, scope, time in µs and what is said."""
        return [(c["certainty"], c["scope"], c["target_id"], c["gaps"], c["time_ns"] / 1000, c["span"], c["evidence"])
                for c in document["causes"] if c["cause"] == "straggler_wait"]

    def waiting(self, document):
        """By device, in µs: exposed communication that waits, and that does not."""
        rows = [r for r in document["time"] if r["use"] == "exposed_communication" and r["in_steps"]]
        return {device: tuple(sum(r["time_ps"] for r in rows if r["device"] == device and (r["cause"] is None) == other) // US
                              for other in (False, True)) for device in (None, 0, 1, 2)}

    def expect(self, document, late, times, of, waited_for, longest, who, what, all_waits):
        self.expect_said(document, f"rank {late} comes last in {times} of {of} collective{'s' * (of != 1)}; the others wait "
                         f"{waited_for}.000 us for it", longest, who, what, all_waits)

    def expect_said(self, document, said, longest, who, what, all_waits):
        self.assertEqual(self.straggler(document), [
            ("proved", "global", None, 0, all_waits, None,
             [said,
              f"the longest, {longest}.000 us: rank {who} in {what}"])])

    def test_groups_of_one_name(self):
        """In µs: all three reduce twice, ranks 0 and 1 and ranks 0 and 2 are a group of their own of one name. Waits for the rank that
        comes last: 0: 10 + 40; 1: 5; 2: 40 + 40, of 2,700 in steps: a twentieth."""
        kernels = (
            [(REDUCE, 100, 20, WORLD), (REDUCE, 200, 60, WORLD), (GATHER, 300, 45, FIRST_TWO), (GATHER, 400, 60, ENDS)],
            [(REDUCE, 100, 30, WORLD), (REDUCE, 200, 40, WORLD), (GATHER, 300, 40, FIRST_TWO)],
            [(REDUCE, 100, 60, WORLD), (REDUCE, 200, 30, WORLD), (GATHER, 400, 20, ENDS)])
        document = self.ranks(kernels, size=900)
        self.expect(document, 2, 2, 4, 80, 40, 2, REDUCE, 135)
        self.assertEqual(self.waiting(document), {None: (135, 405 - 135), 0: (0 + 30 + 5 + 40, 110), 1: (10 + 10, 90), 2: (40, 70)})
        document = self.ranks(kernels, size=901)
        self.assertEqual(self.straggler(document), [])
        self.assertEqual(self.waiting(document)[None], (135, 270))

    def test_ties(self):
        """In µs: ranks 1 and 2 come last once each, for 80: nobody is named. In the last one all come together. The first wait of 40
        is the longest. Then two come together after the first: nobody is the last."""
        document = self.ranks((
            [(REDUCE, 100, 60), (REDUCE, 200, 60), (REDUCE, 300, 20)],
            [(REDUCE, 100, 60), (REDUCE, 200, 20), (REDUCE, 300, 20)],
            [(REDUCE, 100, 20), (REDUCE, 200, 60), (REDUCE, 300, 20)]))
        self.expect_said(document, "nobody is waited for most in 3 collectives: rank 1 and rank 2 for 80.000 us each", 40, 0, REDUCE, 160)
        document = self.ranks(([(REDUCE, 100, 50)], [(REDUCE, 100, 20)], [(REDUCE, 100, 20)]), size=200)
        self.expect_said(document, "no one comes last alone in 1 collective; all together wait 30.000 us", 30, 0, REDUCE, 30)

    def test_the_rank_that_costs_most_is_not_the_one_that_is_late_most(self):
        """In µs: rank 0 comes last three times for 3, rank 2 once for 70; rank 1 waits longest, in the second execution."""
        document = self.ranks((
            [(REDUCE, 100, 20), (GATHER, 150, 40), (REDUCE, 200, 20), (REDUCE, 300, 20)],
            [(REDUCE, 100, 21), (GATHER, 150, 50), (REDUCE, 200, 20), (REDUCE, 300, 21)],
            [(REDUCE, 100, 20), (GATHER, 150, 10), (REDUCE, 200, 21), (REDUCE, 300, 20)]), size=450)
        self.expect(document, 2, 1, 4, 70, 40, 1, GATHER, 73)

    def test_what_does_not_count(self):
        """Broadcasts need not end together; of ENDS one member does not name it. Of two all-gathers of FIRST_TWO rank 1 ran the first,
        to which it came 70 later."""
        document = self.ranks((
            [(CAST, 100, 90, WORLD), (GATHER, 300, 90, FIRST_TWO), (GATHER, 400, 30, FIRST_TWO), (REDUCE, 500, 70, ENDS),
             (REDUCE, 600, 30, WORLD)],
            [(CAST, 100, 20, WORLD), (GATHER, 300, 20, FIRST_TWO), (REDUCE, 600, 10, WORLD)],
            [(CAST, 100, 20, WORLD), (REDUCE, 600, 30, WORLD)]), size=800)
        self.assertEqual(self.straggler(document), [])  # 110 of 2,400
        self.assertEqual(self.waiting(document), {None: (110, 300), 0: (90, 220), 1: (0, 50), 2: (20, 30)})

    def why(self, document):
        return [e.split("not known: ")[1] for e in document["evidence_gaps"] if e.startswith("how long collectives wait")]

    def test_why_nothing_is_known(self):
        """Without a group all of three ranks have to be here; a group of two is complete with its own."""
        document = self.ranks(([(REDUCE, 100, 60, FIRST_TWO)], [(REDUCE, 100, 20, FIRST_TWO)]), size=400)
        self.expect(document, 1, 1, 1, 40, 40, 0, REDUCE, 40)
        self.assertEqual(self.why(document), [])
        for ranks, why in ((2, "only 2 ranks of 3 are here"), (1, "only 1 rank of 3 is here"), (3, "not every member recorded them")):
            document = self.ranks(([(REDUCE, 100, 60)], [(REDUCE, 100, 20)], [(GATHER, 200, 20)])[:ranks], size=400)
            self.assertEqual((self.straggler(document), self.why(document)), ([], [why]), ranks)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
