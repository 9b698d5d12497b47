"""`validate` as text: which columns stand there, what is said of clocks and of what is left out, and the exit status."""
import sys
from fractions import Fraction

import truth
from ranks import RanksCase, call
from screens import table, time

US = 1_000_000  # ps
NODES = [">node", "host", ">devices", ">collectives", ">clock error"]
OPS = ["collective", "group", ">times", ">violations", ">arrival skew", ">transfer", ">bus B/s", "time goes to", "last to come"]
UNCORRECTED = ("clocks were not corrected: violations may be skew (`profkit merge` corrects clocks of XSpaces, --align=collectives "
               "bounds any)")


def reduce(start, end, ranks=(0, 1), **more):
    return call("allreduce", start, end, ranks=ranks, **more)


def last(node, share="100.0 %"):
    return f"node {node}, device 0 ({share})"


def per_second(size, us):
    """Three digits of millions."""
    return f"{float(Fraction(size, us)):.2f} M"


class ValidateScreen(RanksCase):
    def parts(self, ranks, *options, hosts=None, status=0):
        """{title: lines}; what stands first has none."""
        paths = [self.rank(rank, events, len(ranks), hosts and hosts[rank]) for rank, events in ranks.items()]
        blocks = [block.splitlines() for block in truth.run("validate", *paths, *options, status=status).split("\n\n")]
        return {None: " ".join(" ".join(blocks[0]).split()), **{block[0]: block[1:] for block in blocks[1:]}}

    def test_head(self):
        """What counts as a violation depends on what is known of clocks."""
        ranks = {0: [reduce(0, 100)], 1: [reduce(110, 200)]}
        for options, hosts, violations, warnings, sentence in (
                ((), None, 1, 1, UNCORRECTED),
                (("--bound", "1us"), None, 1, 0, "a violation exceeds the given bound (1 if that error is ignored)"),
                (("--bound", "5us"), None, 0, 0, "a violation exceeds the given bound (1 if that error is ignored)"),
                (("--bound", "4999999ps"), None, 1, 0, "a violation exceeds the given bound (1 if that error is ignored)"),
                ((), ["h", "h"], 1, 0, "one host, one clock: what is out of order by more than the error of device times is no skew")):
            found = self.parts(ranks, *options, hosts=hosts)
            head = f"Violations: {violations}, Overlaps: 0, Warnings: {warnings} {sentence} 1 invocation compared across 2 "
            self.assertEqual(found[None][:len(head)], head)
            self.assertIn(", 1 pair of nodes out of order rank 1 comes last in 1 of 1 collective; the others wait 10.000 us for it "
                          "assumed: ", found[None])
            self.assertEqual("Warnings" in found, warnings == 1)

    def test_nothing_out_of_order(self):
        found = self.parts({0: [reduce(0, 100), reduce(200, 300)], 1: [reduce(10, 100), reduce(200, 300)]}, "--bound", "1us")
        head = "Violations: 0, Overlaps: 2, Warnings: 0 a violation exceeds the given bound (0 if that error is ignored) 2 invocations "
        self.assertEqual(found[None][:len(head)], head)
        self.assertNotIn("out of order", found[None])
        self.assertEqual(list(found), [None, "Nodes", "Collectives"])

    def test_nodes(self):
        """The error of the clock where it is known."""
        ranks = {0: [reduce(0, 100), reduce(200, 300)], 1: [reduce(10, 100)]}
        for options, error in (((), "unknown"), (("--bound", "1500ns"), "±1.500 us"), (("--bound", "0"), "±0 ps")):
            self.assertEqual(self.parts(ranks, *options, hosts=["one", "two"])["Nodes"],
                             table(NODES, [0, "one", 1, 2, error], [1, "two", 1, 1, error], indent=2))

    def test_columns(self):
        """Groups where one is not of all; rates where a size is known of one; each other cell is empty."""
        every, pair = (0, 1, 2), {"ranks": (0, 1), "group": "5"}
        ranks = {0: [reduce(0, 100, every, elements=30), reduce(200, 300, **pair)],
                 1: [reduce(4, 100, every, elements=30), reduce(220, 300, **pair)], 2: [reduce(6, 100, every, elements=30)]}
        bus = per_second(120 * 4, 3 * 94)  # 2(n-1)/n of 120 bytes for three
        rows = [["allreduce", "5 [0, 1]", 1, 0, time(20 * US), time(80 * US), "500 k", "transfer", last(1)],
                ["allreduce", "", 1, 0, time(6 * US), time(94 * US), bus, "transfer", last(2)]]
        self.assertEqual(self.parts(ranks, "--bound", "1us")["Collectives"], table(OPS, *rows, indent=2))
        ranks[1][1] = reduce(220, 300, elements=20, **pair)  # not what the other has
        rows[0][6] = ""
        self.assertEqual(self.parts(ranks, "--bound", "1us")["Collectives"], table(OPS, *rows, indent=2))
        ranks[2][0] = reduce(6, 100, every, elements=20)
        rows[1][6] = ""
        self.assertEqual(self.parts(ranks, "--bound", "1us")["Collectives"], table(OPS, *rows, indent=2))

    def test_last_to_come(self):
        """Who did most often, with how often; nobody where two did as often. Ends are together: whose call is shorter by 5 came last."""
        for late, said in (((1, 1, 0), last(1, "66.7 %")), ((0, 1, 0, 0), last(0, "75.0 %")), ((1, 0), None), ((1, 0, 1, 0), None)):
            starts = [[100 * at + (5 if late[at] == rank else 0) for at in range(len(late))] for rank in (0, 1)]
            found = self.parts({rank: [reduce(start, 100 * at + 50) for at, start in enumerate(starts[rank])] for rank in (0, 1)})
            titles, row = found["Collectives"]
            self.assertEqual((titles.endswith("  last to come"), row.endswith(f"  {said or 'inconclusive'}")), (said is not None, True), late)

    def test_lists_that_are_cut(self):
        """Each by the limit, and what is left out of it is counted."""
        every = (0, 1, 2)
        ranks = {0: [reduce(100 * at, 100 * at + 50, every) for at in range(3)], 1: [reduce(0, 50, every)], 2: [reduce(0, 50, every)]}
        for rank, events in ranks.items():
            events.append(call("allgather", 0, 10, every, stream=8))
        whole = self.parts(ranks, "--bound", "1us")
        title = "Irregular in their process group"
        for options, ops, rows in ((("--limit", 1), 1, 1), (("--limit", 2), 2, 2), (("--limit", 0), 2, 2)):
            found = self.parts(ranks, "--bound", "1us", *options)
            self.assertEqual(len([line for line in found["Collectives"] if line.startswith("  all")]), ops)
            self.assertEqual(len([line for line in found[title] if line.startswith("  stopped: ")]), rows)
            for part in ("Collectives", title):
                self.assertEqual(found[part][-1] == "  … 1 more (--limit 0 shows all)", options[1] == 1, found[part])
        self.assertEqual(whole, found)

    def test_exit_status(self):
        paths = [self.rank(rank, [reduce(at, at + 50)]) for rank, at in ((0, 0), (1, 100))]
        gone, bad = self.scratch / "gone.json", self.write("bad.json", "no trace")
        gate = ("--fail-on", "violations")
        for arguments, status in (((*paths, ), 0), ((*paths, *gate), 1), ((*paths, *gate, "--bound", "1ms"), 0), ((*paths, gone), 5),
                                  ((*paths, bad), 5), ((*paths, bad, *gate), 5), ((*paths, bad, "--strict"), 4), ((gone, ), 3),
                                  ((bad, ), 4), ((gone, bad), 3), ((bad, gone), 4), ((paths[0], ), 0), ((paths[0], bad), 5), ((), 2),
                                  ((*paths, "--fail-on", "rain"), 2), ((*paths, "--json", "--csv", "-"), 2)):
            truth.run("validate", *arguments, status=status)
        text = truth.run("validate", paths[0], bad, status=5)
        self.assertEqual(text, "[absent] all collectives are of one node: there is nothing to compare them with\n")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
