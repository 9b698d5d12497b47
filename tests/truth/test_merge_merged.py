#!/usr/bin/env python3
"""Merging what was merged: names, nodes and bounds stay, and times move with time zero alone; what does not go together is refused."""
import json
import sys

import proto_reader as reader
import proto_writer as proto
import truth
import wire
from test_merge_command import AHEAD_NS, START_NS, offsets, snapshots, trace


def xspace(*hosts, at_ns=START_NS, events=((0, 5),), planes=("/device:GPU:0", "/host:CPU")):
    made = []
    for name in planes:
        made.append(proto.Plane(name, 4))
        made[-1].line("l", at_ns, [made[-1].event("e", *e) for e in events], 3)
    return proto.xspace(made, hosts)


class MergeMerged(truth.Case):
    def merge(self, output, *traces, options=("--no-correction",), status=0):
        found = truth.parsed(truth.run("merge", "--traces", *traces, "-o", output, "--json", *options, status=status, cwd=self.scratch))
        return found["message"] if status else found

    def planes(self, name):
        return reader.xspace((self.scratch / name).read_bytes())["planes"]

    def corrected(self, output, run=None, reference=0, node_ids=(0, 1)):
        """The pair of test_merge_command, corrected by snapshots and offsets; node 1 is 250 us ahead."""
        text = offsets() if run is None else offsets().replace('"run_id": "r"', f'"run_id": "{run}"')
        for node, start, gpu in ((0, START_NS, 5_000), (1, START_NS + AHEAD_NS, 9_000)):
            self.write(f"in/node{node_ids[node]}.xplane.pb", trace(node, start))
            self.write(f"in/s{node}.pb", snapshots(start, gpu))
            text = text.replace(f'"node_id": {node},', f'"node_id": "{node_ids[node]}",')
        self.write("in/o.jsonl", text)
        options = ["--snapshots", "in/s0.pb", "in/s1.pb", "--offsets", "in/o.jsonl"]
        if reference:
            known = {"run_id": run or "r", "reference_node": reference, "nodes": [{"node_id": n} for n in node_ids]}
            self.write("in/run.json", json.dumps(known))
            options += ["--run-metadata", "in/run.json"]
        return self.merge(output, *(f"in/node{n}.xplane.pb" for n in node_ids), options=options)

    def test_a_merge_and_a_trace(self):
        """Planes keep names and ids; only new ones are named, and what each says of its node stands."""
        for node in (0, 1, 4):
            self.write(f"node{node}.xplane.pb", xspace(f"h{node}"))
        self.merge("one.xspace", "node0.xplane.pb", "node1.xplane.pb")
        found = self.merge("two.xspace", "one.xspace", "node4.xplane.pb")
        first, second = self.planes("one.xspace"), self.planes("two.xspace")
        self.assertEqual(second[:4], first[:4])
        self.assertEqual([(p["name"], p["id"]) for p in second[4:]], [
            ("/device:GPU:256", 256), ("/device:GPU:40000", 40_000), ("/node:0/clock_metadata", 900_000),
            ("/node:1/clock_metadata", 900_001), ("/node:4/clock_metadata", 900_002), ("Task Environment", 0)])
        self.assertEqual([(n["id"], n["hostname"], n["aligned_before"], n["events"], n["planes"], n["trace"]) for n in found["nodes"]], [
            (0, "h0", True, 4, 4, "one.xspace"), (1, "h1", True, 0, 0, "one.xspace"), (4, "h4", False, 2, 2, "node4.xplane.pb")])
        self.assertEqual([p["node"] for p in found["planes"]], [0, 0, 1, 1, 4, 4])
        self.assertEqual((found["events"], found["hostnames"]), (6, ["h0", "h1", "h4"]))
        lines = [row["name"] for row in second[5]["lines"]]
        self.assertEqual(lines, ["/node:4/l"])

    def test_ids_that_are_taken(self):
        """Of the two that want one id the first in the file keeps it, and a plane of a merge moves as any other does."""
        self.write("node1.xplane.pb", xspace(planes=["/device:GPU:0"]))
        self.write("node0.xplane.pb", xspace(planes=["/device:GPU:64"]))
        self.merge("one.xspace", "node1.xplane.pb")
        found = self.merge("two.xspace", "node0.xplane.pb", "one.xspace")
        self.assertEqual([(p["name"], p["node"], p["moved"]) for p in found["planes"]], [
            ("/device:GPU:64", 0, False), ("/device:GPU:65", 1, True)])

    def test_texts_of_a_merge(self):
        """They have their node already."""
        self.write("node2.xplane.pb", xspace() + wire.message(2, "no disk") + wire.message(3, "lost"))
        self.merge("one.xspace", "node2.xplane.pb")
        self.merge("two.xspace", "one.xspace")
        found = reader.xspace((self.scratch / "two.xspace").read_bytes())
        self.assertEqual((found["errors"], found["warnings"]), (["node 2: no disk"], ["node 2: lost"]))

    def test_time_zero_moves(self):
        """An earlier trace brings time zero with it: times and windows of the merge move by as much, and nothing else."""
        before = self.corrected("one.xspace")
        self.write("node7.xplane.pb", xspace("h7", at_ns=START_NS - 3_000))
        found = self.merge("two.xspace", "one.xspace", "node7.xplane.pb")
        self.assertEqual((before["origin_ns"], found["origin_ns"]), (str(START_NS), str(START_NS - 3_000)))
        for ours, theirs in zip(self.planes("two.xspace")[:4], self.planes("one.xspace")):
            self.assertEqual([e["offset"] for line in ours["lines"] for e in line["events"]],
                             [e["offset"] + 3_000_000 for line in theirs["lines"] for e in line["events"]])
        for ours, theirs in zip(found["nodes"][:2], before["nodes"]):
            self.assertEqual(ours["bound"]["windows"], [{**w, "from_ps": w["from_ps"] + 3_000_000, "to_ps": w["to_ps"] + 3_000_000}
                                                        for w in theirs["bound"]["windows"]])
            same = ("status", "method", "snapshots", "snapshot_source", "offset_windows", "residual_ns", "sampling_period_ns")
            self.assertEqual([ours[k] for k in same], [theirs[k] for k in same])
        self.assertEqual([n["status"] for n in found["nodes"]], ["corrected", "corrected", "raw"])
        self.assertEqual(found["nodes"][2]["bound"], None)

    def test_nodes_that_come_twice(self):
        for node in (0, 1):
            self.write(f"node{node}.xplane.pb", xspace())
        self.merge("one.xspace", "node0.xplane.pb", "node1.xplane.pb")
        self.merge("other.xspace", "node1.xplane.pb")
        self.assertIn("node 1 comes from two of the traces", self.merge("two.xspace", "one.xspace", "node1.xplane.pb", status=2))
        self.assertIn("node 1 comes from two of the traces", self.merge("two.xspace", "one.xspace", "other.xspace", status=2))
        self.assertFalse((self.scratch / "two.xspace").exists())
        self.write("node5.xplane.pb", xspace())
        self.assertEqual([n["id"] for n in self.merge("two.xspace", "one.xspace", "node5.xplane.pb")["nodes"]], [0, 1, 5])

    def test_runs_and_references_that_differ(self):
        """Merges of two references or runs do not go together; what was not corrected has no reference."""
        self.corrected("a.xspace")
        self.write("node8.xplane.pb", xspace())
        self.merge("raw.xspace", "node8.xplane.pb")
        found = self.merge("two.xspace", "raw.xspace", "a.xspace", options=())
        self.assertEqual((found["reference_node"], found["run_id"]), (0, "r"))
        self.corrected("c.xspace", run="q", node_ids=(3, 4), reference=3)
        message = self.merge("two.xspace", "a.xspace", "c.xspace", status=2)
        self.assertIn("this merged trace belongs to run 'q', the others to run 'r'", message)
        self.corrected("c.xspace", run="r", node_ids=(3, 4), reference=3)
        for order in (["a.xspace", "c.xspace"], ["c.xspace", "a.xspace"]):
            self.assertIn("is on the clock of node", self.merge("two.xspace", *order, status=2))
        found = self.merge("two.xspace", "c.xspace")
        self.assertEqual((found["reference_node"], [n["id"] for n in found["nodes"]]), (3, [3, 4]))

    def test_a_clock_that_cannot_be_read(self):
        self.corrected("one.xspace")
        whole = (self.scratch / "one.xspace").read_bytes()
        at = whole.index(b"[[")
        self.write("odd.xspace", whole[:at] + b"{[" + whole[at + 2:])
        self.assertIn("its clock_windows cannot be read", self.merge("two.xspace", "odd.xspace", options=(), status=4))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
