#!/usr/bin/env python3
"""Traces that are not whole: what validate says of the calls that they lack, what a merge hands on, and spans of which one end is on
record."""
import json
import sys

import ranks
import truth
import xspace as x

US = ranks.US
REASON = "the file ends inside an event"


def in_a_line(screen):
    return " ".join(screen.split())


class CutRanks(ranks.RanksCase):
    """Three ranks with eight calls each, at 1,000 us, 2,000 us, …; of the file of rank 1 the first three are left."""

    def paths(self, kept=3):
        """The file of rank 1 ends inside its next call."""
        found = []
        for rank in range(3):
            events = [ranks.call("allreduce", 1_000 * (i + 1), 1_000 * (i + 1) + 100, ranks=(0, 1, 2), Seq=i) for i in range(8)]
            found.append(self.rank(rank, events, 3))
        if kept < 8:
            text = found[1].read_text()
            at = -1
            for _ in range(kept + 1):
                at = text.index('{"ph"', at + 1)
            found[1].write_text(text[:at + 20])
        return found

    KEYS = ("where", "op", "module", "process_group", "call", "call_start_ps", "node", "device", "rank", "count", "evidence")

    def check_calls(self, document):
        """Rank 1 did not stop: five of the calls are not in its file."""
        self.check([[row[key] for key in self.KEYS] for row in document["unrecorded_calls"]], [
            ["end", "allreduce", "", "", 3, 4_000 * US, "1", 0, "1", 5,
             f"the file of rank 1 ends here: 5 calls of its groups that other members ran are not in it ({REASON})"]])
        self.check(document["irregularities"], [])
        self.check([node["incomplete"] for node in document["nodes"]], [None, REASON, None])

    def test_calls_that_a_cut_file_lacks(self):
        paths = self.paths()
        self.check_calls(truth.parsed(truth.run("validate", *paths, "--json", "--bound", "1ns", status=5)))
        screen = truth.run("validate", *paths, "--bound", "1ns", "--wide", status=5)
        self.assertIn("the file of rank 1 ends here", screen)
        for word in ("stopped", "Irregular"):
            self.assertNotIn(word, screen)

    def test_calls_of_one_group_of_two(self):
        """Four ranks in two pairs; what the file of rank 1 lacks is of its pair."""
        paths = []
        for rank in range(4):
            pair = (0, 1) if rank < 2 else (2, 3)
            paths.append(self.rank(rank, [ranks.call("allreduce", 1_000 * (i + 1), 1_000 * (i + 1) + 100, ranks=pair, group="tp", Seq=i)
                                          for i in range(4)], 4))
        text = paths[1].read_text()
        paths[1].write_text(text[:text.index('{"ph"', text.index('{"ph"') + 1) + 20])
        found = truth.parsed(truth.run("validate", *paths, "--json", "--bound", "1ns", status=5))
        self.check([[row[key] for key in ("where", "process_group", "rank", "count")] for row in found["unrecorded_calls"]],
                   [["end", "tp [0, 1]", "1", 3]])

    def test_whole_files(self):
        """Who has no calls at the end of a whole file stopped."""
        paths = self.paths(kept=8)
        whole = json.loads(paths[1].read_text())
        whole["traceEvents"] = whole["traceEvents"][:3]
        paths[1].write_text(json.dumps(whole))
        found = truth.parsed(truth.run("validate", *paths, "--json", "--bound", "1ns"))
        self.check([found["unrecorded_calls"], [[row["kind"], row["count"]] for row in found["irregularities"]]], [[], [["stopped", 5]]])
        self.check([node["incomplete"] for node in found["nodes"]], [None] * 3)

    def test_calls_lost_in_between(self):
        """What is broken in the middle of a file is said to be so, too."""
        paths = self.paths(kept=8)
        text = paths[1].read_text()
        at = text.index('{"ph"', text.index('{"ph"') + 1)
        paths[1].write_text(text[:at] + "x" + text[at + 1:])
        found = truth.parsed(truth.run("validate", *paths, "--json", "--bound", "1ns", status=5))
        self.check([[row["where"], row["call"], row["count"]] for row in found["unrecorded_calls"]], [["between", 1, 1]])
        self.check(found["irregularities"], [])

    def merged(self, name, *paths):
        output = self.scratch / name
        truth.run("merge", "--traces", *paths, "--no-correction", "--keep-going", "-o", output, "--quiet")
        return output

    def test_a_merge_stays_incomplete(self):
        paths = self.paths()
        for name in ("all.trace.json", "all.trace.json.gz"):
            output = self.merged(name, *paths)
            lost = f"node 1, rank 1: its trace is incomplete: {REASON}"
            found = truth.parsed(truth.run("report", output, "--json"))
            self.check([found["complete"], found["reasons"]], [False, [f"{output}: {lost}"]])
            self.assertIn(lost, in_a_line(truth.run("report", output)))
            for command in ("report", "info", "ops"):
                truth.run(command, output, "--fail-on", "incomplete", status=1)
            self.check_calls(truth.parsed(truth.run("validate", output, "--json", "--bound", "1ns")))
            metadata = truth.parsed((self.scratch / "all.metadata.json").read_text())
            self.check([metadata["status"], [node["incomplete"] for node in metadata["nodes"]]], ["partial", [None, REASON, None]])
            header = json.loads(output.read_text())["profkit_incomplete"] if name.endswith("json") else [lost]
            self.assertEqual(header, [lost])

    def test_a_node_that_is_missing(self):
        """A trace that cannot be read at all is missing in what was merged."""
        paths = self.paths(kept=8)
        paths[0].write_text("")
        output = self.merged("all.trace.json", *paths)
        found = truth.parsed(truth.run("info", output, "--json"))
        self.assertFalse(found["complete"])
        self.assertEqual(len(found["reasons"]), 1)
        self.assertIn("node 0: its trace is missing: ", found["reasons"][0])
        truth.run("report", output, "--fail-on", "incomplete", status=1)

    def test_perfetto(self):
        """Its viewers show a moment that says it."""
        output = self.merged("all.pftrace", *self.paths())
        self.assertIn(f"node 1, rank 1: its trace is incomplete: {REASON}".encode(), output.read_bytes())
        self.assertNotIn(b"incomplete", self.merged("whole.pftrace", *self.paths(kept=8)).read_bytes())

    def test_whole_traces_stay_whole(self):
        output = self.merged("all.trace.json", *self.paths(kept=8))
        found = truth.parsed(truth.run("report", output, "--json", "--fail-on", "incomplete"))
        self.check([found["complete"], found["reasons"]], [True, []])
        self.assertNotIn("profkit_incomplete", output.read_text())


class CutSpaces(truth.Case):
    """Two XSpaces of one plane with 200 events; the second is cut at two thirds."""

    def paths(self, errors=(), cut=True):
        def space(errors):
            events = [x.event(1, 1_000_000 * i, 500_000) for i in range(200)]
            return x.space(x.plane(0, "/host:CPU", x.event_metadata(1, "work"), x.line(1, "thread", events, 1_700_000_000_000_000_000)),
                           errors=errors, hostnames=("h",))
        whole, other = space(()), space(errors)
        return [self.write("node0.xplane.pb", whole), self.write("node1.xplane.pb", other[:len(other) * 2 // 3] if cut else other)]

    def merged(self, name, *paths):
        output = self.scratch / name
        truth.run("merge", "--traces", *paths, "--no-correction", "--keep-going", "-o", output, "--quiet")
        return output

    LOST = "node 1: its trace is incomplete: "

    def test_a_merge_stays_incomplete(self):
        for name in ("all.xspace", "all.trace.json"):
            output = self.merged(name, *self.paths())
            found = truth.parsed(truth.run("info", output, "--json"))
            self.check([found["status"], found["complete"], len(found["reasons"])], ["ok", False, 1])
            self.assertIn(f"{output}: {self.LOST}", found["reasons"][0])
            self.assertIn(self.LOST, in_a_line(truth.run("report", output)))
            truth.run("report", output, "--fail-on", "incomplete", status=1)
        self.assertIn(self.LOST.encode(), self.merged("all.pftrace", *self.paths()).read_bytes())

    def test_a_merge_of_a_merge(self):
        first = self.merged("first.xspace", *self.paths())
        output = self.scratch / "second.xspace"
        truth.run("merge", "--traces", first, "--no-correction", "-o", output, "--quiet")
        reasons = truth.parsed(truth.run("info", output, "--json"))["reasons"]
        self.assertEqual(len(reasons), 1)
        self.assertIn(f"{output}: {self.LOST}", reasons[0])

    def test_what_a_recorder_lost(self):
        """Errors of a recorder are handed on, to trace JSON as well."""
        paths = self.paths(errors=("buffer was full",), cut=False)
        output = self.merged("all.xspace", *paths)
        self.check(truth.parsed(truth.run("info", output, "--json"))["reasons"],
                   [f"{output}: the recorder reported an error: node 1: buffer was full"])
        output = self.merged("all.trace.json", *paths)
        self.check(truth.parsed(truth.run("info", output, "--json"))["reasons"],
                   [f"{output}: node 1: its recorder reported an error: buffer was full"])


class Ends(truth.Case):
    """A 0-100 us with B 10-40 inside, "lost" from 20 on; C 200-300 with D 210-250; an end at 350; F from 400 on."""

    def trace(self, *events, name="trace.json"):
        made = [{"ph": ph, "ts": ts, "pid": 1, "tid": 1, **({} if called is None else {"name": called})} for ph, ts, called in events]
        return self.write(name, json.dumps({"traceEvents": made}))

    def unpaired(self):
        return self.trace(("B", 0, "A"), ("B", 10, "B"), ("B", 20, "lost"), ("E", 40, "B"), ("E", 100, "A"), ("B", 200, "C"), ("B", 210, "D"),
                          ("E", 250, None), ("E", 300, None), ("E", 350, "E"), ("B", 400, "F"))

    SAID = '2 begins have no end ("lost", "F"), 1 of which may have run when the trace ended; 1 end has no begin ("E"): no total has them'

    def test_they_are_counted_and_said(self):
        path = self.unpaired()
        found = truth.parsed(truth.run("info", path, "--json"))
        self.check(found["files"][0]["unpaired"], {"begins": 2, "open_begins": 1, "ends": 1})
        self.check([found["complete"], found["reasons"]], [False, [f"{path}: {self.SAID}"]])
        self.assertIn(self.SAID, in_a_line(truth.run("info", path)))
        ops = truth.parsed(truth.run("ops", path, "--json"))
        self.check(ops["unpaired"], {"begins": 2, "open_begins": 1, "ends": 1})
        self.check(sorted((op["name"], op["total_ps"], op["self_ps"]) for op in ops["lines"][0]["ops"]),
                   [("A", 100 * US, 70 * US), ("B", 30 * US, 30 * US), ("C", 100 * US, 60 * US), ("D", 40 * US, 40 * US)])
        self.assertIn(self.SAID, in_a_line(truth.run("ops", path)))
        self.assertIn(self.SAID, in_a_line(truth.run("report", path)))
        truth.run("report", path, "--fail-on", "incomplete", status=1)

    def test_where_all_have_both(self):
        path = self.trace(("B", 0, "A"), ("E", 10, "A"))
        found = truth.parsed(truth.run("info", path, "--json"))
        self.check([found["complete"], found["reasons"], "unpaired" in found["files"][0]], [True, [], False])
        self.assertNotIn("unpaired", truth.parsed(truth.run("ops", path, "--json")))

    def test_which_may_have_run_at_the_end(self):
        """Of what began and did not end: that which nothing outlived that began before it."""
        for events, open_begins, begins in (
                ([("B", 0, "a"), ("B", 1, "b"), ("B", 2, "c"), ("E", 3, "b"), ("B", 4, "d")], 2, 3),
                ([("B", 0, "a"), ("B", 1, "b"), ("B", 2, "c")], 3, 3),
                ([("B", 0, "a"), ("B", 1, "b"), ("B", 2, "c"), ("B", 3, "d"), ("E", 4, "b"), ("E", 5, "c"), ("B", 6, "e")], 2, 3),
                ([("B", 0, "a"), ("B", 1, "b"), ("B", 2, "c"), ("E", 3, "a")], 0, 2)):
            found = truth.parsed(truth.run("info", self.trace(*events), "--json"))["files"][0]["unpaired"]
            self.check(found, {"begins": begins, "open_begins": open_begins, "ends": 0})

    def test_asynchronous_ones(self):
        events = [{"ph": "b", "ts": 1, "pid": 1, "tid": 1, "cat": "c", "id": 1, "name": "begun"},
                  {"ph": "e", "ts": 2, "pid": 1, "tid": 1, "cat": "c", "id": 2, "name": "ended"},
                  {"ph": "X", "ts": 2, "dur": 1, "pid": 1, "tid": 1, "name": "x"}]
        found = truth.parsed(truth.run("info", self.write("trace.json", json.dumps({"traceEvents": events})), "--json"))
        self.check(found["files"][0]["unpaired"], {"begins": 1, "open_begins": 1, "ends": 1})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
