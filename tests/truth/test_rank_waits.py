"""How long ranks wait for others in collectives, and why that is not known; three ranks, groups of them, and equal lengths."""
import sys

import idle_trace
import truth

REDUCE, GATHER, SCATTER, EXCHANGE = ("ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather_Ring", "ncclDevKernel_ReduceScatter_Sum",
                                     "ncclDevKernel_AllToAll")
ALL = ("--threshold", "exposed_ratio=0.0001")


class RankWaits(truth.Case):
    def save(self, ranks, world=3, group=None, files=None, step=900):
        """By rank: name, start and duration of its kernels in µs. `files`: which rank each file is of, in the order of their names."""
        for place, rank in enumerate(files or sorted(ranks)):
            one = idle_trace.Rank(rank, world)
            one.step(0, 0, step)
            for name, start, size in ranks[rank]:
                more = {"Collective name": "allreduce", **group} if group and "nccl" in name else {}
                one.kernel(name, start, size, (start - 5, 1), **more)
            self.write(f"ranks/file{place}.json", one.text())

    def ask(self, *options):
        found = truth.parsed(truth.run("bubbles", self.scratch / "ranks", "--json", "--limit", 0, "--window-policy", "guide", *options))
        causes = [c for c in found["causes"] if c["cause"] == "straggler_wait"]
        missing = [text.split(": ", 1)[1] for text in found["evidence_gaps"] if text.startswith("how long collectives wait")]
        return causes, missing, found

    def expect(self, evidence, time_ns, *options):
        causes, missing, _ = self.ask(*options)
        self.assertEqual(missing, [])
        self.assertEqual([(c["certainty"], c["scope"], c["target_id"], c["gaps"], c["time_ns"], c["span"], c["evidence"]) for c in causes],
                         [("proved", "global", None, 0, time_ns, None, evidence)] if evidence else [])

    def expect_missing(self, why):
        causes, missing, _ = self.ask()
        self.assertEqual((causes, missing), ([], [why]))

    def test_the_second_of_three_is_waited_for_longest(self):
        """In µs, by rank: 0 is waited for 10 + 10 once, 1 40 + 50 once, 2 30 + 60 once and nothing in the last, where all are alike."""
        self.save({0: [(REDUCE, 100, 20), (REDUCE, 200, 60), (REDUCE, 300, 70), (REDUCE, 500, 40)],
                   1: [(REDUCE, 100, 30), (REDUCE, 200, 20), (REDUCE, 300, 100), (REDUCE, 500, 40)],
                   2: [(REDUCE, 100, 30), (REDUCE, 200, 70), (REDUCE, 300, 40), (REDUCE, 500, 40)]})
        # When all come together nobody counts as the last.
        self.expect(["nobody is waited for most in 4 collectives: rank 1 and rank 2 for 90.000 us each",
                     f"the longest, 60.000 us: rank 1 in {REDUCE}"], 200_000)

    def test_files_in_another_order_than_ranks(self):
        """In µs: ranks 0 and 2 wait 30 each; the first rank with the longest wait is named, not that of the first file."""
        self.save({0: [(REDUCE, 100, 50)], 1: [(REDUCE, 120, 20)], 2: [(REDUCE, 100, 50)]}, files=[2, 1, 0])
        self.expect(["rank 1 comes last in 1 of 1 collective; the others wait 60.000 us for it",
                     f"the longest, 30.000 us: rank 0 in {REDUCE}"], 60_000)

    def test_kinds_that_end_together(self):
        """All-reduce, all-gather, reduce-scatter and all-to-all are compared; broadcasts, reduces and sends are not. In µs: rank 2 is
        late by 5, 6, 7 and 8."""
        kinds = [(REDUCE, 5), (GATHER, 6), (SCATTER, 7), (EXCHANGE, 8), ("ncclDevKernel_Broadcast", 50), ("ncclDevKernel_SendRecv", 60),
                 ("ncclDevKernel_Reduce_Sum", 70)]
        self.save({rank: [(name, 100 + 100 * at, 20 + (0 if rank == 2 else late)) for at, (name, late) in enumerate(kinds)]
                   for rank in range(3)})
        self.expect(["rank 2 comes last in 4 of 4 collectives; the others wait 52.000 us for it",
                     f"the longest, 8.000 us: rank 0 in {EXCHANGE}"], 52_000, *ALL)

    def test_a_rank_that_ran_one_more(self):
        """In µs: rank 2 comes last to the all-reduce, for 20 + 10, and rank 0 to the all-gather, for 10 + 20. Rank 1 ran an all-reduce
        that nobody else did, long after: that one is not judged."""
        both = {rank: [(REDUCE, 100, 40 - 10 * rank), (GATHER, 300, 20 + 10 * rank)] for rank in range(3)}
        both[1].append((REDUCE, 500, 30))
        self.save(both)
        self.expect(["nobody is waited for most in 2 collectives: rank 0 and rank 2 for 30.000 us each",
                     f"the longest, 20.000 us: rank 0 in {REDUCE}"], 60_000, *ALL)
        unjudged = "it is not known of all collectives how long ranks wait in them: not judged: 1 collective (not every member recorded them)"
        self.assertIn(unjudged, self.ask()[2]["evidence_gaps"])
        for of in both.values():
            of[:] = [k for k in of if k[0] == REDUCE]
        self.save(both)
        self.expect(["rank 2 comes last in 1 of 1 collective; the others wait 30.000 us for it",
                     f"the longest, 20.000 us: rank 0 in {REDUCE}"], 30_000, *ALL)

    def test_ranks_that_are_not_here(self):
        kernels = {0: [(REDUCE, 100, 40)], 1: [(REDUCE, 100, 20)]}
        self.save(kernels)
        self.expect_missing("only 2 ranks of 3 are here")
        (self.scratch / "ranks/file1.json").unlink()
        self.save({0: kernels[0]}, world=2)
        self.expect_missing("only 1 rank of 2 is here")

    def test_groups_of_some_ranks(self):
        """A group of two in a world of three is whole; one of three of which two are here is not."""
        group = {"Process Group Name": "0", "Process Group Ranks": "[0, 2]", "Group size": 2}
        kernels = {0: [(REDUCE, 100, 40)], 2: [(REDUCE, 130, 10)]}
        self.save(kernels, group=group)
        self.expect(["rank 2 comes last in 1 of 1 collective; the others wait 30.000 us for it",
                     f"the longest, 30.000 us: rank 0 in {REDUCE}"], 30_000)
        self.save(kernels, group={**group, "Process Group Ranks": "[0, 1, 2]", "Group size": 3})
        self.expect_missing("only 2 ranks of 3 are here")

    def test_how_much_waiting_is_worth_a_word(self):
        """In µs: of two steps of 1000, which end with their kernels, 100 are a twentieth; 99 are less. Of a chosen step
        nothing is said."""
        for size, word in ((120, True), (119, False)):
            self.save({0: [("gemm", 100, 10), (REDUCE, 200, size), ("gemm", 1_090, 10)], 1: [("gemm", 100, 10), (REDUCE, 200, 20),
                                                                                            ("gemm", 1_090, 10)]}, world=2, step=2_000)
            wanted = ["rank 1 comes last in 1 of 1 collective; the others wait 100.000 us for it",
                      f"the longest, 100.000 us: rank 0 in {REDUCE}"]
            self.expect(wanted if word else [], 100_000)
            self.assertEqual(self.ask("--step", 0)[0], [])
            self.assertEqual(bool(self.ask("--threshold", "exposed_ratio=0.050001")[0]), False)
            self.assertEqual(bool(self.ask("--threshold", "exposed_ratio=0.0495")[0]), True)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
