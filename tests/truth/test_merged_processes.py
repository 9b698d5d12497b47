#!/usr/bin/env python3
"""Merged trace JSON: names and order of processes, ids of two nodes, durations and time zero, and what the metadata says of it."""
import decimal
import fractions
import json
import sys

import proto_writer as proto
import truth
import wire
from trace_events import meta, x

D, F = decimal.Decimal, fractions.Fraction
START_NS = 1_700_000_000_000_000_000
START_US = START_NS // 1000


def kernel(pid, start=0, length=1, name="k"):
    return x("kernel", name, pid, 7, START_US + start, length)


def with_id(phase, key, **more):
    return {"ph": phase, "name": "j", "cat": "c", "pid": 1, "tid": 7, "ts": START_US, "id": key, **more}


class MergedProcesses(truth.Case):
    def merge(self, *nodes, options=("--no-correction",), status=0, names=None):
        """`nodes`: events, or events and headers. Keeps the document and gives the events of each node as they are written."""
        names = names or [f"t{i}.json" for i in range(len(nodes))]
        for name, node in zip(names, nodes):
            events, header = node if isinstance(node, tuple) else (node, {})
            self.write(name, json.dumps({"schemaVersion": 1, **header, "traceEvents": events}))
        said = truth.run("merge", "--traces", *names, "-o", "out.trace.json", "--json", *options, status=status, cwd=self.scratch)
        self.said = truth.parsed(said)
        if status:
            return self.said["message"]
        self.written = json.loads((self.scratch / "out.trace.json").read_text(), parse_float=D)
        found = []
        for event in self.written["traceEvents"]:
            if event["name"] == "profkit_node":
                found.append([])
                continue
            found[-1].append(event)
        return found

    def test_names_of_processes(self):
        """The node, its rank, and the name that was recorded, else the number; none where there is none."""
        rank = {"distributedInfo": {"rank": 4}}
        without = {"ph": "X", "name": "k", "tid": 1, "ts": START_US, "dur": 1}
        events = [kernel(3), kernel("Spans"), meta("process_name", 5, 0, "python"), kernel(5), without]
        first, second = self.merge((events, rank), [kernel(3)], names=["node6.json", "node2.json"])
        titles = [{e["pid"]: e["args"]["name"] for e in node if e["name"] == "process_name"} for node in (first, second)]
        self.assertEqual(sorted(titles[0].values()), ["node 6, rank 4", "node 6, rank 4: Spans", "node 6, rank 4: process 3",
                                                      "node 6, rank 4: python"])
        self.assertEqual(list(titles[1].values()), ["node 2: process 3"])
        self.assertEqual([[e["args"].get("added", False) for e in node if e["name"] == "process_name"] for node in (first, second)],
                         [[True, True, True, False], [True]])
        listed = {p["id"]: (p["name"], p["node"], p["source"]) for p in self.said["planes"]}
        self.assertEqual([titles[0][e["pid"]] for e in first if e["ph"] == "X"], [
            "node 6, rank 4: process 3", "node 6, rank 4: Spans", "node 6, rank 4: python", "node 6, rank 4"])
        recorded = {"process 3": "3", "Spans": "Spans", "python": "python"}
        for title, expected in ((t, (t, 6, recorded.get(t.split(": ")[-1]))) for t in titles[0].values() if ": " in t):
            self.assertIn(expected, listed.values(), title)
        self.assertEqual({key: value for key, value in listed.items() if value[1] == 2}, {
            str(pid): ("node 2: process 3", 2, "3") for pid in titles[1]})
        self.assertEqual({key: value[0] for key, value in listed.items() if value[1] == 6}, {str(p): t for p, t in titles[0].items()})
        self.check([n["planes"] for n in self.said["nodes"]], [4, 1])

    def test_the_order_of_processes(self):
        """Node after node, in each by the place that was recorded; equal ones and those without one (0) as they first stood."""
        def place(pid, at):
            return {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "args": {"sort_index": at}}
        first = [kernel(9), place(8, 5), kernel(8), place(7, -1), place(6, 5), kernel(5)]
        second = [place(9, -50), place(8, -60), kernel(7)]
        places = []
        for node, events in zip(self.merge(first, second), (first, second)):
            recorded = {}
            for old, new in zip(events, [e for e in node if not e["args"].get("added")]):
                recorded[new["pid"]] = old["pid"]
            found = [(e["args"]["sort_index"], recorded[e["pid"]]) for e in node if e["name"] == "process_sort_index"]
            self.assertEqual(len(found), len(recorded))
            places += sorted(found)
        self.assertEqual([pid for _, pid in places], [7, 9, 5, 8, 6, 8, 9, 7])
        self.assertEqual(sorted(places), places)

    def test_ids_of_two_nodes(self):
        """Numbers stay numbers that a double holds, in quotes or not; larger ones and other texts become texts. No two nodes share one."""
        edge = (2**53) // 2 - 1  # of two nodes, each has half of them
        keys = [0, 1, "1", edge - 1, edge, 2**53, "0x1f", "", "007", 10**17]
        events = [with_id("s", key) for key in keys] + [with_id("X", 77, dur=1, bind_id=5), with_id("f", 5, id2={"local": "0x9"})]
        events += [{"ph": "b", "name": "j", "cat": "c", "pid": 1, "tid": 7, "ts": START_US, "id2": {"global": 4}},
                   {"ph": "n", "name": "j", "cat": "c", "pid": 1, "tid": 7, "ts": START_US, "id": 4}]
        found = [[e for e in node if e["ph"] != "M"] for node in self.merge(events, events)]
        ids = [[e["id"] for e in node[:len(keys)]] for node in found]
        for node in ids:
            self.assertEqual([isinstance(i, int) for i in node], [True, True, False, True, False, False, False, False, False, False])
            self.assertEqual(str(node[1]), node[2])
            self.assertTrue(all(i < 2**53 for i in node if isinstance(i, int)))
            self.assertEqual(len(set(map(str, node))), len(keys) - 1)
        self.assertFalse({str(i) for i in ids[0]} & {str(i) for i in ids[1]})
        for node in found:
            span, flow, opened, asynchronous = node[len(keys):]
            self.assertEqual((span["id"], flow["id2"]), (77, {"local": "0x9"}))  # of no other event
            self.assertEqual((span["bind_id"], opened["id2"]), (flow["id"], {"global": asynchronous["id"]}))
        self.assertNotEqual(*(node[len(keys)]["bind_id"] for node in found))

    def test_hosts(self):
        """The metadata of the run, else what the trace says, else the name of the file."""
        names = ["aa.pt.trace.json", "bb.pt.trace.json", "cc.pt.trace.json"]
        nodes = [([kernel(0)], {"host_name": "ada"}), ([kernel(0)], {"host_name": "bob"}), [kernel(0)]]
        self.write("run.json", json.dumps({"nodes": [{"node_id": 0, "hostname": "zoe"}, {"node_id": 1}, {"node_id": 2}]}))
        self.merge(*nodes, names=names)
        self.check([n["hostname"] for n in self.said["nodes"]], ["ada", "bob", "cc"])
        self.merge(*nodes, names=names, options=["--no-correction", "--run-metadata", "run.json"])
        self.assertEqual(self.said["hostnames"], ["zoe", "bob", "cc"])
        heads = [e["args"] for e in self.written["traceEvents"] if e["name"] == "profkit_node"]
        self.assertEqual([(h["node"], h["hostname"], h["rank"], h["label"]) for h in heads],
                         [(0, "zoe", None, "node 0"), (1, "bob", None, "node 1"), (2, "cc", None, "node 2")])

    def test_time_zero(self):
        """The start of node 0, or what begins before it, in whole nanoseconds. A span before zero counts, a name does not."""
        since = {"baseTimeNanoseconds": START_NS}
        for other, options, zero_ns in (("0", [], 0), ("0.0015", [], 0), ("-0.0015", [], -2), ("-0.002", [], -2), ("-7", [], -7_000),
                                        ("2.5005", ["--normalize", "min"], 2_500), ("-7", ["--normalize", "node0"], 0),
                                        ("9", ["--normalize", "min"], 3_000)):
            second = json.dumps({**since, "schemaVersion": 1, "traceEvents": [
                {"ph": "M", "name": "process_name", "pid": 0, "ts": -999, "args": {"name": "p"}}, x("kernel", "k", 0, 7, "@", 1)]})
            self.write("u.json", second.replace('"@"', other))
            found = self.merge(([x("kernel", "k", 0, 7, 3, 1)], since), options=["--no-correction", *options, "--traces", "u.json"])
            self.assertEqual(self.said["origin_ns"], str(START_NS + zero_ns))
            self.assertEqual(self.written["baseTimeNanoseconds"], START_NS + zero_ns)
            self.assertEqual([D(e["ts"]) * 1000 + zero_ns for node in found for e in node if e["ph"] == "X"], [3_000, D(other) * 1000])

    def test_durations(self):
        """They stay as they are written; --scale-durations maps the ends. Clocks that run 100 ppm fast: 1 s of one is 0.9999 s."""
        rows = [{"node_id": n, "midpoint_sys_ns": START_NS + k * 10**9, "offset_ns": n * k * 100_010} for k in range(4) for n in (0, 1)]
        header = {"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS} for n in (0, 1)]}
        self.write("offsets.jsonl", "".join(json.dumps(r) + "\n" for r in [header, *rows]))
        since = {"baseTimeNanoseconds": START_NS}
        spans = [x("kernel", "k", 0, 7, at, length) for at, length in ((0, 1_000_100.01), (10, 0), (2_000_200.02, 1_000_100.01))]
        for options, length in ((["--offsets", "offsets.jsonl"], D("1000100.01")),
                                (["--offsets", "offsets.jsonl", "--scale-durations"], D(1_000_000))):
            found = self.merge([kernel(0)], (spans, since), options=options)[1]
            spans_found = [e for e in found if e["ph"] == "X"]
            self.assertEqual([D(e["dur"]) for e in spans_found], [length, 0, length])
            self.assertEqual([D(spans_found[i]["ts"]) for i in (0, 2)], [0, 2_000_000])
            node = self.said["nodes"][1]
            self.check([node["min_correction_ns"], node["max_correction_ns"]], [F(0), F(200_020)])
            self.assertEqual(F(node["mean_correction_ns"]), F((0 + 1_000 + 200_020_000) // 3, 1000))

    def test_what_is_refused(self):
        ok = [kernel(0)]

        def refused(words, *nodes, more=(), status=4):
            self.assertIn(words, self.merge(*nodes, options=["--no-correction", *more], status=status))
        refused("its trace holds no event", ok, [])
        self.merge(ok, ok)
        (self.scratch / "out.trace.json").rename(self.scratch / "m.json")
        refused("this is a merged trace JSON", ok, more=["--traces", "m.json"])
        self.write("s.pb", wire.message(1, wire.number(1, START_NS) + wire.number(2, 5)))
        refused("clock snapshots are of XSpaces", ok, ok, more=["--snapshots", "", "s.pb"], status=2)
        plane = proto.Plane("/host:snapshots", 70)
        plane.line("pairs", START_NS, [plane.event("pair", k * 10**12, 0, [("rocm_ns", proto.Uint(k * 10**9 + 5))]) for k in (0, 1)])
        self.write("node3.xplane.pb", proto.xspace([plane], ["h"]))
        refused("devices have a clock of their own", ok, more=["--traces", "node3.xplane.pb"])
        self.assertFalse((self.scratch / "out.trace.json").exists())


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
