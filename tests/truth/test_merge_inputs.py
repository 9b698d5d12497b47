#!/usr/bin/env python3
"""Which inputs a merge takes for which node: numbers of nodes from names, ranks and the metadata of the run, files of a folder that go
together, and inputs that contradict each other."""
import json
import sys

import proto_writer as proto
import truth

START_NS = 1_700_000_000_000_000_000


def xspace(*hosts, name="/device:GPU:0"):
    device = proto.Plane(name)
    device.line("l", START_NS, [device.event("e", 0, 5)])
    return proto.xspace([device], hosts)


def kineto(rank):
    header = {**({"distributedInfo": {"rank": rank}} if rank is not None else {})}
    event = {"ph": "X", "name": "e", "cat": "kernel", "pid": 0, "tid": 7, "ts": START_NS // 1000, "dur": 1}
    return json.dumps({"schemaVersion": 1, **header, "traceEvents": [event]})


def run(*nodes, **more):
    return json.dumps({"run_id": "r", "nodes": [{"node_id": n, **facts} for n, facts in nodes], **more})


class MergeInputs(truth.Case):
    def merge(self, traces, *options, status=0, output="out.xspace"):
        how = ["--traces", *traces] if traces else []
        return truth.parsed(truth.run("merge", *how, "--no-correction", "-o", output, "--json", *options, status=status, cwd=self.scratch))

    def ids(self, traces, *options, output="out.xspace"):
        return [n["id"] for n in self.merge(traces, *options, output=output)["nodes"]]

    def refused(self, words, traces, *options, status=2, output="out.xspace"):
        (self.scratch / output).unlink(missing_ok=True)
        found = self.merge(traces, *options, status=status, output=output)
        self.assertIn(words, found["message"])
        self.assertFalse((self.scratch / output).exists())

    def test_numbers_in_names(self):
        """The digits after the last `node`, of the file's own name; else the place in the list."""
        for name, expected in (("node7.xplane.pb", 7), ("node-12.xplane.pb", 12), ("x_node_3b.xplane.pb", 3),
                               ("node1-of-node2.xplane.pb", 2),
                               ("node5/a.xplane.pb", 1), ("node.xplane.pb", 1), ("node--4.xplane.pb", 1), ("noder6.xplane.pb", 1),
                               ("node007.xplane.pb", 7), ("4.xplane.pb", 1), ("node1000000000.xplane.pb", 10**9), ("Node8.xplane.pb", 1)):
            self.write("a.xplane.pb", xspace())
            self.write(name, xspace())
            self.assertEqual(self.ids(["a.xplane.pb", name]), [0, expected], name)
        self.write("node1000000001.xplane.pb", xspace())
        self.refused("node id 1000000001 is out of range", ["a.xplane.pb", "node1000000001.xplane.pb"])

    def test_two_traces_of_one_node(self):
        """A name may say the number that another has by its place."""
        for name in ("a.xplane.pb", "b.xplane.pb", "node1.xplane.pb", "x/node1.xplane.pb"):
            self.write(name, xspace())
        self.assertEqual(self.ids(["a.xplane.pb", "node1.xplane.pb"]), [0, 1])
        self.refused("two traces are node 1", ["a.xplane.pb", "b.xplane.pb", "node1.xplane.pb"])
        self.refused("two traces are node 1", ["node1.xplane.pb", "x/node1.xplane.pb"])
        self.write("node0.xplane.pb", xspace())
        self.refused("two traces are node 0", ["a.xplane.pb", "node0.xplane.pb"])

    def test_ranks(self):
        """They number the nodes only where each has one and no two are alike; a name that says a number goes first."""
        for name, rank in (("a.json", 5), ("b.json", 2), ("c.json", 2), ("d.json", None), ("node4.json", 9), ("e.json", 0)):
            self.write(name, kineto(rank))
        for names, expected in ((["a", "b"], [5, 2]), (["a", "b", "c"], [0, 1, 2]), (["b", "d"], [0, 1]), (["node4"], [4]),
                                (["e", "a"], [0, 5]), (["a"], [5])):
            self.assertEqual(self.ids([f"{n}.json" for n in names], output="out.trace.json"), expected, names)

    def test_numbers_of_the_run(self):
        """An entry that names a trace by its path goes before one that names it by its last part."""
        for name in ("x/a.xplane.pb", "y/a.xplane.pb", "node3.xplane.pb", "b.xplane.pb"):
            self.write(name, xspace())
        self.write("run.json", run((6, {"trace": "/elsewhere/a.xplane.pb"}), (8, {"trace": "y/a.xplane.pb"}), (1, {}), (3, {})))
        one = ["--run-metadata", "run.json"]
        self.assertEqual(self.ids(["y/a.xplane.pb", "b.xplane.pb", "x/a.xplane.pb", "node3.xplane.pb"], *one), [8, 1, 6, 3])
        self.refused("the run metadata has no node 0", ["b.xplane.pb", "x/a.xplane.pb"], *one)
        # Whichever comes first: the whole path, else the most of it.
        for first, second in (((6, {"trace": "a.xplane.pb"}), (8, {"trace": "y/a.xplane.pb"})),
                              ((8, {"trace": "y/a.xplane.pb"}), (6, {"trace": "a.xplane.pb"}))):
            self.write("run.json", run(first, second))
            self.assertEqual(self.ids(["y/a.xplane.pb", "x/a.xplane.pb"], *one), [8, 6])
            self.assertEqual(self.ids([self.scratch / "y/a.xplane.pb"], *one), [8])
        self.write("run.json", run((6, {"trace": "/elsewhere/a.xplane.pb"}), (8, {"trace": "y/a.xplane.pb"}), (1, {}), (3, {})))
        self.write("run.json", run((6, {"trace": "/elsewhere/a.xplane.pb"}), (4, {"trace": "node3.xplane.pb"})))
        self.assertEqual(self.ids(["x/a.xplane.pb"], *one), [6])
        self.refused("the run metadata calls this trace node 4, its name says node 3", ["x/a.xplane.pb", "node3.xplane.pb"], *one)

    def test_hosts(self):
        """The metadata of the run, then the trace; where they differ a warning says so."""
        self.write("node0.xplane.pb", xspace("ada", "bob"))
        self.write("node1.xplane.pb", xspace())
        self.write("node2.xplane.pb", xspace("cid"))
        traces = [f"node{n}.xplane.pb" for n in range(3)]
        self.write("run.json", run((0, {"hostname": "eve"}), (1, {"hostname": "fay"}), (2, {"hostname": ""})))
        found = self.merge(traces, "--run-metadata", "run.json")
        self.check([n["hostname"] for n in found["nodes"]], ["eve", "fay", "cid"])
        self.assertEqual([w for w in found["warnings"] if "calls its host" in w],
                         ["node 0: the run metadata calls its host eve, the trace ada"])
        self.check([n["hostname"] for n in self.merge(traces)["nodes"]], ["ada", "", "cid"])

    def test_start_times_that_differ(self):
        """Those of the header of the offsets and of the run must be equal; one that only one of them has is taken."""
        self.write("node0.xplane.pb", xspace())
        for header, metadata, same in ((START_NS, START_NS, True), (START_NS, str(START_NS), True), (START_NS, START_NS + 1, False),
                                       (None, START_NS - 7, True)):
            self.write("offsets.jsonl", json.dumps({"meta": True, "nodes": [
                {"node_id": 0, "start_gpu_ns": 5, **({"start_walltime_ns": header} if header else {})}]}) + "\n")
            self.write("run.json", run((0, {"start_walltime_ns": metadata, "start_gpu_ns": 5})))
            options = ["--offsets", "offsets.jsonl", "--run-metadata", "run.json"]
            if same:
                self.assertEqual(self.merge(["node0.xplane.pb"], *options)["origin_ns"], str(metadata))
            else:
                self.refused("give different start times", ["node0.xplane.pb"], *options)
                found = self.merge(["node0.xplane.pb"], *options, "--keep-going")
                self.assertEqual((found["origin_ns"], len(found["warnings"])), (str(header), 1))

    def test_runs_that_differ(self):
        self.write("node0.xplane.pb", xspace())
        for header, metadata, expected in (("r", "r", "r"), ("", "r", "r"), ("q", "", "q"), ("q", "r", None)):
            nodes = [{"node_id": 0, "start_walltime_ns": START_NS}]
            self.write("offsets.jsonl", json.dumps({"meta": True, "run_id": header, "nodes": nodes}) + "\n")
            self.write("run_metadata.json", run((0, {}), run_id=metadata) if metadata else '{"nodes": [{"node_id": 0}]}')
            if expected is not None:
                self.assertEqual(self.merge([], "--run-dir", ".")["run_id"], expected)
            else:
                self.refused("the offsets file belongs to run 'q', the others to run 'r'", [], "--run-dir", ".")
                self.assertEqual(self.merge([], "--run-dir", ".", "--keep-going")["run_id"], "r")

    def test_files_of_a_folder(self):
        """XSpaces come first, and trace JSON only where there are none; what is named is not looked for."""
        self.write("run/a.json", kineto(3))
        self.write("run/b.txt", kineto(4))
        self.write("run/c.json", '{"neither": []}')
        self.assertEqual(self.ids([], "--run-dir", "run", output="out.trace.json"), [3])
        self.write("run/deep/node2.xplane.pb", xspace())
        self.assertEqual(self.ids([], "--run-dir", "run"), [2])
        self.write("node9.xplane.pb", xspace())
        self.write("run/run_metadata.json", run((9, {"hostname": "nina"})))
        found = self.merge(["node9.xplane.pb"], "--run-dir", "run")
        self.assertEqual([(n["id"], n["hostname"]) for n in found["nodes"]], [(9, "nina")])
        self.write("run/more/run_metadata.json", run((9, {"hostname": "olga"})))
        self.refused("2 run metadata files below the folder", ["node9.xplane.pb"], "--run-dir", "run")
        found = self.merge(["node9.xplane.pb"], "--run-dir", "run", "--run-metadata", "run/more/run_metadata.json")
        self.assertEqual(found["nodes"][0]["hostname"], "olga")
        (self.scratch / "none").mkdir()
        self.refused("no trace to merge", [], "--run-dir", "none", status=3, output="none.xspace")

    def test_a_folder_that_stands_for_a_trace(self):
        self.write("one/plugins/profile/1/h.xplane.pb", xspace("h"))
        self.write("two/a.xplane.pb", xspace())
        self.write("two/b.xplane.pb", xspace())
        found = self.merge(["one"])
        self.assertEqual([(n["id"], n["hostname"]) for n in found["nodes"]], [(0, "h")])
        self.refused("this folder holds 2 traces", ["two"])

    def test_snapshot_files_are_counted(self):
        self.write("node0.xplane.pb", xspace())
        self.write("node1.xplane.pb", xspace())
        traces = ["node0.xplane.pb", "node1.xplane.pb"]
        self.refused("2 traces, but 1 snapshot file", traces, "--snapshots", "")
        self.assertEqual(self.ids(traces, "--snapshots", "", ""), [0, 1])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
