#!/usr/bin/env python3
"""XSpaces beside trace JSON, offsets that are written as they were applied, and wall time of hosts, GPUs and TPUs."""
import decimal
import json
import sys

import proto_reader as reader
import proto_writer as proto
import truth
from trace_events import x

D = decimal.Decimal
START_NS = 1_700_000_000_000_000_000
SECOND = 10**9


def xspace(host, events, at_ns=START_NS, planes=("/device:GPU:0",)):
    made = []
    for name in planes:
        made.append(proto.Plane(name))
        made[-1].line("l", at_ns, [made[-1].event(*e) for e in events], 3)
    return proto.xspace(made, [host] if host else [])


class MergeMixed(truth.Case):
    def merge(self, *names, options=("--no-correction",), output="out.trace.json", status=0):
        said = truth.run("merge", "--traces", *names, "-o", output, "--json", *options, status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        return self.said["message"] if status else self.said["nodes"]

    def written(self):
        """Unix times of complete events in ps, and their durations, by node."""
        found = {}
        made = json.loads((self.scratch / "out.trace.json").read_text(), parse_float=D)
        for event in made["traceEvents"]:
            if event["name"] == "profkit_node":
                node = found[event["args"]["node"]] = []
            elif event["ph"] == "X":
                node.append((event["name"], made["baseTimeNanoseconds"] * 1000 + D(event["ts"]) * 10**6, D(event["dur"]) * 10**6))
        return found

    def json_trace(self, name, *events, **header):
        self.write(name, json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": START_NS, **header, "traceEvents": list(events)}))

    def test_an_xspace_beside_trace_json(self):
        """Its events keep their ps, its host and its number, in whatever place of the list it stands."""
        self.json_trace("node7.json", x("kernel", "k", 0, 7, 3, 1.5), host_name="jim")
        self.write("a.xplane.pb", xspace("ann", [("e", 1, 1_000_001), ("f", 2_000_003, 7)], START_NS + 1))
        self.write("node2.xplane.pb", xspace('b"o\\', [("g", 5, 6)], START_NS - 1))
        nodes = self.merge("a.xplane.pb", "node7.json", "node2.xplane.pb")
        self.assertEqual([(n["id"], n["hostname"], n["trace"], n["status"]) for n in nodes], [
            (0, "ann", "a.xplane.pb", "walltime"), (7, "jim", "node7.json", "walltime"), (2, 'b"o\\', "node2.xplane.pb", "walltime")])
        zero = START_NS * 1000
        self.assertEqual(self.written(), {0: [("e", zero + 1_001, 1_000_001), ("f", zero + 2_001_003, 7)],
                                          7: [("k", zero + 3_000_000, 1_500_000)], 2: [("g", zero - 995, 6)]})
        self.assertEqual(sorted(p.name for p in self.scratch.iterdir()), ["a.xplane.pb", "node2.xplane.pb", "node7.json",
                                                                         "out.metadata.json", "out.trace.json"])
        # Into an XSpace there is no way.
        message = self.merge("a.xplane.pb", "node7.json", output="all.xspace", status=4)
        self.assertIn("node 7: this is a Chrome trace", message)

    def test_processes_without_a_number(self):
        """Have no name in the input."""
        self.json_trace("node0.json", {"ph": "X", "name": "k", "ts": 3, "dur": 1}, x("kernel", "k", 5, 7, 3, 1))
        self.merge("node0.json")
        self.assertEqual(sorted(plane["source"] for plane in self.said["planes"]), ["", "5"])

    def test_both_by_offsets(self):
        """One clock each: devices of XSpaces follow their host as those of trace JSON do."""
        self.json_trace("node0.json", x("kernel", "k", 0, 7, 3, 1))
        self.write("node1.xplane.pb", xspace("", [("e", 2_000_000, 1)], START_NS))
        rows = [{"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS} for n in (0, 1)]}]
        rows += [{"node_id": 1, "midpoint_sys_ns": START_NS + k * SECOND, "offset_ns": -700} for k in range(3)]
        self.write("o.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        nodes = self.merge("node0.json", "node1.xplane.pb", options=["--offsets", "o.jsonl"])
        self.check([[n["status"], n["method"]] for n in nodes], [["corrected", "offsets"]] * 2)
        self.assertEqual(self.written(), {0: [("k", START_NS * 1000 + 3_000_000, 10**6)], 1: [("e", START_NS * 1000 + 2_700_000, 1)]})

    def test_offsets_as_they_were_applied(self):
        """Rows of each node in turn, numbered; offsets with their ps; a round trip that leaves as much open as the bound."""
        for node in (0, 3):
            self.write(f"node{node}.xplane.pb", xspace("", [("e", 0, 5), ("e", 800_000_000_000, 5)]))
        for offset in ("-0.25", "0.125", "-1.5", "12", "0.001", "-0.001"):
            rows = json.dumps({"meta": True, "run_id": "a \"b\"", "nodes": [{"node_id": n, "start_walltime_ns": START_NS} for n in (0, 3)]})
            for k in (0, 1):
                rows += f'\n{{"node_id": 3, "midpoint_sys_ns": {START_NS + k * SECOND}, "offset_ns": {offset}}}'
            self.write("o.jsonl", rows + "\n")
            nodes = self.merge("node0.xplane.pb", "node3.xplane.pb", options=["--offsets", "o.jsonl", "--write-offsets", "w.jsonl"],
                               output="out.xspace")
            header, *found = [json.loads(line, parse_float=D) for line in (self.scratch / "w.jsonl").read_text().splitlines()]
            self.assertEqual(header, {"meta": True, "run_id": "a \"b\"", "nodes": [
                {"node_id": n, "start_walltime_ns": START_NS} for n in (0, 3)]})
            self.assertEqual([row["round_id"] for row in found], list(range(len(found))))
            self.assertEqual([row["node_id"] for row in found], sorted(row["node_id"] for row in found))
            self.assertEqual({D(row["offset_ns"]) for row in found if row["node_id"] == 3}, {D(offset)})
            for node, bound in ((0, nodes[0]["bound"]["host_ns"]), (3, nodes[1]["bound"]["host_ns"])):
                trips = [row["rtt_ns"] for row in found if row["node_id"] == node]
                self.assertTrue(all(trip % 2 == 0 for trip in trips))
                self.assertTrue(0 <= max(trips) - 2 * D(bound) < 2, (trips, bound))
            self.assertEqual({(row["reachable"], row["converged"]) for row in found}, {(True, True)})
            apart = [row["midpoint_sys_ns"] - START_NS for row in found if row["node_id"] == 0]
            self.assertEqual(apart, [k * SECOND // 10 for k in range(9)])  # both ends, and eighths between

    def test_walltime(self):
        """Devices of GPUs count from the start of their collector, whatever their lines say; TPUs and hosts from their lines."""
        planes = ("/device:GPU:0", "/device:TPU:0", "/host:CPU", "/host:ROCTRACER")
        self.write("node0.xplane.pb", xspace("", [("e", 5, 1)], START_NS + 40, planes))
        self.write("run.json", json.dumps({"nodes": [{"node_id": 0, "start_walltime_ns": START_NS + 7}]}))
        for how, gpu in ((["--no-correction"], 5), (["--correction", "walltime"], 5), (["--correction", "none"], 33_005)):
            self.merge("node0.xplane.pb", options=[*how, "--run-metadata", "run.json"], output="out.xspace")
            found = reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"][:4]
            self.assertEqual([p["lines"][0]["events"][0]["offset"] for p in found], [gpu, 33_005, 33_005, 33_005], how)
            status = "raw" if "none" in how else "walltime"
            self.check([self.said["nodes"][0]["status"], self.said["origin_ns"]], [status, str(START_NS + 7)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
