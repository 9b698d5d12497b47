"""Lines of the screen of `validate`: what is counted, order of operations, devices, what is not judged, who is irregular, remarks on clocks."""
import sys

import truth
from ranks import RanksCase, call
from screens import table, time

US = 1_000_000
GIVEN = "  a violation exceeds the given bound ({} if that error is ignored)"
ASSUMED = ["  assumed: members of a process group make the same calls in the same order",
           "  assumed: no member of an all-reduce, or of a collective like it, can end before the last member has begun"]
OPS = ["collective", "group", ">device", ">times", ">violations", ">arrival skew", ">transfer", ">bus B/s", "time goes to", "last to come"]
THREE = (0, 1, 2)


def reduce(start, end, name="allreduce", **more):
    return call(name, start, end, **more)


class Lines(RanksCase):
    def parts(self, ranks, *options, status=0):
        """{title: lines}; what stands first has none."""
        paths = [self.rank(rank, events, len(ranks)) for rank, events in ranks.items()]
        blocks = [block.splitlines() for block in truth.run("validate", *paths, "--wide", *options, status=status).split("\n\n")]
        return {None: blocks[0], **{block[0]: block[1:] for block in blocks[1:]}}

    def given(self, ranks, *options):
        return self.parts(ranks, "--bound", "1us", *options)


class Heads(Lines):
    def test_counts(self):
        """Invocations, pairs of nodes out of order, and calls that are not judged: one, several, or nothing said."""
        late = {0: [reduce(0, 10, ranks=THREE)], 1: [reduce(20, 30, ranks=THREE)], 2: [reduce(40, 50, ranks=THREE)]}
        same = [reduce(0, 50)]
        for ranks, violations, overlaps, counts in (
                ({0: same, 1: same}, 0, 1, "1 invocation compared across 2 nodes"),
                ({0: same + [reduce(100, 150)], 1: same + [reduce(100, 150)]}, 0, 2, "2 invocations compared across 2 nodes"),
                ({0: [reduce(0, 10)], 1: [reduce(20, 30)]}, 1, 0, "1 invocation compared across 2 nodes, 1 pair of nodes out of order"),
                (late, 1, 0, "1 invocation compared across 3 nodes, 3 pairs of nodes out of order")):
            found = self.given(ranks)
            self.assertEqual(found[None], [f"Violations: {violations}, Overlaps: {overlaps}, Warnings: 0", GIVEN.format(violations),
                                           "  " + counts, *ASSUMED])
            self.assertEqual(list(found)[1:], ["Nodes", "Collectives"])

    def test_a_bound_that_hides_them(self):
        """How many would be violations without it is said; an excess of what both may be off is none."""
        ranks = {0: [reduce(0, 10), reduce(100, 150)], 1: [reduce(20, 30), reduce(104, 150)]}
        for bound, violations in (("4us", 1), ("4999999ps", 1), ("5us", 0), ("6us", 0)):
            found = self.parts(ranks, "--bound", bound)
            self.assertEqual(found[None][:2], [f"Violations: {violations}, Overlaps: 1, Warnings: 0", GIVEN.format(1)], bound)

    def test_not_judged(self):
        """The calls of one reason together, with the first operation and how many more there are."""
        why = "the trace does not say who is the root"
        names = ("broadcast", "reduce", "scatter", "gather")
        for count, text in ((1, "1 of broadcast"), (2, "2 of broadcast and 1 more operation"), (3, "3 of broadcast and 2 more operations"),
                            (4, "4 of broadcast and 3 more operations")):
            events = [reduce(0, 50), *(reduce(100 * at, 100 * at + 50, name) for at, name in enumerate(names[:count], 1))]
            found = self.given({0: events, 1: events})
            self.assertEqual(found[None][:3], ["Violations: 0, Overlaps: 1, Warnings: 0", GIVEN.format(0),
                                               f"  {count + 1} invocations compared across 2 nodes, {count} not judged"])
            self.assertEqual([line for line in found["Collectives"] if "judged" in line], [f"  not judged: {text}: {why}"])
        events = [reduce(0, 50), reduce(100, 150, "broadcast"), reduce(200, 250, "broadcast"), reduce(300, 310, "send")]
        found = self.given({0: events, 1: events})
        self.assertEqual([line for line in found["Collectives"] if "judged" in line], [
            f"  not judged: 2 of broadcast: {why}", "  not judged: 1 of send: the trace does not say who sends to whom"])


class Operations(Lines):
    def row(self, name, times, violations, skew, transfer, cost, last, device=""):
        return [name, "", device, times, violations, time(skew * US), time(transfer * US), "", cost, last]

    def test_order(self):
        """What is out of order most often comes first, then where most time is waited in all."""
        sizeless = {"elements": "?"}
        first = [reduce(0, 50, "allgather", **sizeless), *(reduce(100 * at, 100 * at + 50, **sizeless) for at in (1, 2, 3)),
                 reduce(400, 410, "alltoall", **sizeless)]
        second = [reduce(8, 50, "allgather", **sizeless), *(reduce(100 * at + 3, 100 * at + 50, **sizeless) for at in (1, 2, 3)),
                  reduce(414, 420, "alltoall", **sizeless)]
        last = "node 1, device 0 (100.0 %)"
        rows = [self.row("alltoall", 1, 1, 14, 0, "arrival", last), self.row("allreduce", 3, 0, 3, 47, "transfer", last),
                self.row("allgather", 1, 0, 8, 42, "transfer", last)]
        self.assertEqual(self.given({0: first, 1: second})["Collectives"], table(OPS, *rows, indent=2))
        for limit in (1, 2):
            found = self.given({0: first, 1: second}, "--limit", limit)["Collectives"]
            names = [line.split()[0] for line in found[1:-1]]
            self.assertEqual((names, found[-1]), (["alltoall", "allreduce"][:limit], f"  … {3 - limit} more (--limit 0 shows all)"))

    def test_devices(self):
        """A send of no group on record is of one device, a collective of all; the column is there where one of them is of one."""
        send = {"ph": "X", "cat": "kernel", "name": "ncclKernel_SendRecv_RING", "pid": 0, "tid": 7, "ts": 100, "dur": 10,
                "args": {"device": 0, "stream": 7}}
        events = [reduce(0, 50), send]
        later = [reduce(4, 50), {**send, "ts": 103, "dur": 7}]
        found = self.given({0: events, 1: later})["Collectives"]
        self.assertEqual(found[0].split(), ["collective", "device", "times", "violations", "arrival", "skew", "transfer", "bus", "B/s", "time",
                                            "goes", "to", "last", "to", "come"])
        self.assertEqual([line.split()[:3] for line in found[1:3]], [["allreduce", "all", "1"], [send["name"], "0", "1"]])
        self.assertEqual([line.rstrip().rsplit("  ", 1)[1] for line in found[1:3]], ["node 1, device 0 (100.0 %)", "node 1 (100.0 %)"])
        found = self.given({0: events[:1], 1: events[:1]})["Collectives"]
        self.assertEqual(found[0].split()[:2], ["collective", "times"])
        self.assertNotIn("last to come", found[0])  # both came at once


class Rows(Lines):
    TITLE = "Irregular in their process group"

    def test_stopped(self):
        """Calls count from zero: the first one that is missing, and how many there are."""
        whole = [reduce(100 * at, 100 * at + 50) for at in range(4)]
        for kept, lacks in ((3, "1 call"), (2, "2 calls"), (1, "3 calls")):
            found = self.given({0: whole, 1: whole[:kept]})
            self.assertEqual(found[self.TITLE], [f"  stopped: node 1, device 0 (rank 1), call {kept} of allreduce: its last collective comes "
                                                 f"before {lacks} of its groups that other members ran"])

    def test_sizes(self):
        """What the one has and what others have, of the call of its own group."""
        ours = [reduce(0, 50), reduce(100, 150, group="5"), reduce(200, 250, elements=7)]
        theirs = [reduce(5, 50), reduce(120, 150, group="5"), reduce(200, 250, elements=8)]
        self.assertEqual(self.given({0: ours, 1: theirs})[self.TITLE], [
            "  size: node 1, device 0 (rank 1), call 1 of allreduce: 8 elements in, 8 out, of Float; 1 of 2 members: 7 elements in, 7 out, "
            "of Float"])

    def test_warnings(self):
        """Of a node and an operation where it is theirs; the clocks are nobody's."""
        ranks = {0: [reduce(0, 50, ranks=THREE)], 1: [reduce(0, 50, ranks=THREE)], 2: [reduce(0, 50, "allgather", ranks=THREE)]}
        alone = "  node 2: allgather: only this node ran it, though devices of other nodes are in its process group"
        clocks = "  the clocks of these nodes were not corrected: an apparent violation may be clock skew"
        self.assertEqual(self.given(ranks)["Warnings"], [alone])
        self.assertEqual(sorted(self.parts(ranks)["Warnings"]), sorted([alone, clocks]))
        self.assertEqual(self.parts(ranks)[None][0], "Violations: 0, Overlaps: 1, Warnings: 2")
        found = self.parts(ranks, "--limit", 1)["Warnings"]
        self.assertEqual((found[0] in (alone, clocks), found[1:]), (True, ["  … 1 more (--limit 0 shows all)"]))


class Clocks(Lines):
    TITLE = "Clocks, from collectives alone"

    def rows(self, ranks, *options):
        """Of each node the last cell, after what is said of the whole."""
        found = self.given(ranks, "--align", "collectives", *options)[self.TITLE]
        self.assertEqual(found[:4], ["  against node 0; every value between least and most fits all collectives that were used",
                                     "  assumed: matched executions are one invocation, and all of them took part in it", ASSUMED[1],
                                     "  assumed: every clock runs at a constant rate over the capture, off by no more than 1000 ppm"])
        self.assertEqual(found[4].split(), ["node", "least", "most", "best", "guess", "drift", "spread"])
        return {line.split()[0]: line.strip().rsplit("  ", 1)[-1] for line in found[5:]}

    def test_remarks(self):
        """What is too wide, no shift, of other calls as well, or not joined; the node that others are compared with has no row."""
        ours, theirs = ([reduce(100 * at + late, 100 * at + 50) for at in range(4)] for late in (0, 7))
        for bound, text in (("93us", "may be no shift at all"), ("46us", "undecidable (over 46.000 us)"), ("1us", "undecidable (over 1.000 us)")):
            self.assertEqual(self.rows({0: ours, 1: theirs}, "--max-bound", bound), {"1": text})
        late = {0: [reduce(0, 10, ranks=THREE)], 1: [reduce(20, 30, ranks=THREE)], 2: [reduce(20, 30, "allgather", ranks=THREE)]}
        self.assertEqual(self.rows(late), {"1": "or of calls before or after these, which fit, too", "2": "not joined by any"})

    def test_best_guess(self):
        """In the middle where nothing else speaks, with its sign."""
        for late, text in ((20, "+20.000 us"), (-20, "-20.000 us")):
            found = self.given({0: [reduce(100, 110)], 1: [reduce(100 + late, 110 + late)]}, "--align", "collectives")[self.TITLE]
            self.assertIn(f"  {text}  +0.000 ppm    0 ps  ", found[-1])

    def test_without_it(self):
        ranks = {0: [reduce(0, 50)], 1: [reduce(0, 50)]}
        self.assertNotIn(self.TITLE, self.given(ranks))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
