#!/usr/bin/env python3
"""A folder that is merged twice, outputs that may be replaced and those that may not, and what --keep-going leaves of a node whose inputs
contradict each other."""
import gzip
import json
import sys

import proto_writer as proto
import truth
from test_merge_command import AHEAD_NS, START_NS, offsets, snapshots, trace
from trace_events import x


def xspace(host="h"):
    plane = proto.Plane("/device:GPU:0")
    plane.line("l", START_NS, [plane.event("e", 0, 5)])
    return proto.xspace([plane], [host])


class MergeAgain(truth.Case):
    def merge(self, *words, output="run/out.xplane.pb", how=("--no-correction",), status=0):
        said = truth.run("merge", *words, *how, "-o", output, "--json", status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        return self.said["message"] if status else [n["id"] for n in self.said["nodes"]]

    def content(self, name):
        return (self.scratch / name).read_bytes()

    def test_a_folder_that_holds_its_merge(self):
        """It is no input of the next one, which replaces it: an XSpace as well as trace JSON."""
        for node in (0, 1):
            self.write(f"run/node{node}.xplane.pb", xspace())
            self.write(f"ranks/r{node}.json", json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": node}, "traceEvents": [
                x("kernel", "k", 0, 7, START_NS // 1000, 1)]}))
        for folder, output in (("run", "run/out.xplane.pb"), ("run", "run/out.xspace"), ("run", "run/out.trace.json"),
                               ("ranks", "ranks/out.trace.json"), ("ranks", "ranks/out.trace.json.gz")):
            self.assertEqual(self.merge("--run-dir", folder, output=output), [0, 1])
            first = self.content(output)
            self.assertEqual(self.merge("--run-dir", folder, output=output), [0, 1], output)
            self.assertEqual(self.content(output), first)
            for way in ("./" + output, f"{folder}/../{output}", self.scratch / output):
                self.assertEqual(self.merge("--run-dir", folder, output=way), [0, 1], way)
            (self.scratch / output).unlink()

    def test_a_merge_that_is_an_input(self):
        """One of another name in the folder is a trace like others, and its nodes come twice."""
        self.write("run/node0.xplane.pb", xspace())
        self.merge("--run-dir", "run")
        self.assertIn("node 0 comes from two of the traces", self.merge("--run-dir", "run", output="run/more.xplane.pb", status=2))
        self.assertEqual(self.merge("--traces", "run/out.xplane.pb", output="run/more.xplane.pb"), [0])

    def test_files_that_are_not_replaced(self):
        """Of a run's folder anything but a merge; elsewhere an output replaces what is there."""
        self.write("run/node0.xplane.pb", xspace())
        self.write("run/notes.xplane.pb", "notes")
        self.write("run/other.json", '{"a": 1}')
        self.write("run/lone.xspace", xspace())
        self.write("elsewhere.xspace", "notes")
        for output in ("run/node0.xplane.pb", "run/notes.xplane.pb", "run/other.json", "run/lone.xspace"):
            before = self.content(output)
            self.assertEqual(self.merge("--run-dir", "run", output=output, status=2), "the output file is a file of the capture")
            self.assertEqual(self.content(output), before)
        self.assertEqual(self.merge("--traces", "run/node0.xplane.pb", output="elsewhere.xspace"), [0])
        self.assertEqual(self.merge("--traces", "run/node0.xplane.pb", output="run/lone.xspace"), [0])

    def test_compressed_traces(self):
        """They are as good as others, and the number before the endings counts."""
        self.write("node4.xplane.pb.gz", gzip.compress(xspace("a")))
        self.write("node1.xplane.pb", xspace("b"))
        self.assertEqual(self.merge("--traces", "node4.xplane.pb.gz", "node1.xplane.pb", output="out.xspace"), [4, 1])
        self.assertEqual([n["hostname"] for n in self.said["nodes"]], ["a", "b"])
        self.write("node4.xplane.pb.gz", gzip.compress(xspace("a"))[:-12])
        self.merge("--traces", "node4.xplane.pb.gz", "node1.xplane.pb", output="out.xspace", status=4)
        self.merge("--traces", "node4.xplane.pb.gz", "node1.xplane.pb", output="out.xspace", how=("--no-correction", "--keep-going"))
        self.assertEqual(self.said["nodes"][0]["status"], "corrupt")

    def test_snapshots_of_a_folder(self):
        """Those of a trace's name, else of its number; a file of another number is of no trace."""
        for node, start in ((0, START_NS), (1, START_NS + AHEAD_NS)):
            self.write(f"run/t-node{node}.xplane.pb", trace(node, start))
        self.write("run/t-node0.snapshot_pairs.pb", snapshots(START_NS, 5_000))
        self.write("run/deep/clock-node-1.snapshots.pb", snapshots(START_NS + AHEAD_NS, 9_000))
        self.write("run/clock-node-11.snapshots.pb", snapshots(START_NS, 5_000)[:20])
        self.write("run/offsets/rows.jsonl", offsets())
        self.write("run/other.jsonl", "no offsets\n")
        self.assertEqual(self.merge("--run-dir", "run", output="out.xspace", how=()), [0, 1])
        self.check([[n["snapshots"], n["snapshot_source"], n["status"]] for n in self.said["nodes"]], [[4, "file", "corrected"]] * 2)
        self.assertEqual(self.said["nodes"][1]["max_correction_ns"], AHEAD_NS)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
