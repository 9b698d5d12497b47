"""Nodes after a merge: filters by host and node, names in what is exported, offsets that were applied, damaged traces."""
import json
import re
import sys

import proto_reader as reader
import proto_writer as proto
import truth

START_NS = 1_700_000_000_000_000_000
AHEAD_NS = (0, 250_000, -40_000)
HOSTS = ("alpha", "", "beta")


def trace(node, events=30):
    """Kernels k of node n last n + 1 ns each and begin at k ms."""
    device = proto.Plane("/device:GPU:0", 1)
    device.line("Stream #1", START_NS + AHEAD_NS[node],
                [device.event(f"gemm_{node}", k * 10**9, (node + 1) * 1000) for k in range(events)])
    host = proto.Plane("/host:CPU", 2)
    host.line("python", START_NS + AHEAD_NS[node], [host.event(f"step_{node}", k * 10**9, 500_000) for k in range(events)])
    return proto.xspace([device, host], [HOSTS[node]] if HOSTS[node] else [])


def offsets(jitter_ns=0):
    """`jitter_ns`: of the second node's measurements."""
    rows = [{"meta": True, "nodes": [{"node_id": n, "start_walltime_ns": START_NS + a} for n, a in enumerate(AHEAD_NS)]}]
    rows += [{"node_id": n, "round_id": 3 * k + n, "midpoint_sys_ns": START_NS + (k - 2) * 10**12, "offset_ns": a + (n == 1) * (-1)**k * jitter_ns}
             for k in range(5) for n, a in enumerate(AHEAD_NS)]
    return "".join(json.dumps(r) + "\n" for r in rows)


class MergedNodes(truth.Case):
    def setUp(self):
        super().setUp()
        for node in range(3):
            self.write(f"node{node}.xplane.pb", trace(node))
        self.write("offsets.jsonl", offsets())

    def run_here(self, *arguments, status=0):
        return truth.run(*arguments, status=status, cwd=self.scratch)

    def merge(self, output, *more, status=0):
        return self.run_here("merge", "--traces", *(f"node{n}.xplane.pb" for n in range(3)), "--offsets", "offsets.jsonl",
                             "-q", "-o", output, *more, status=status)

    def ops(self, *filters):
        found = truth.loads(self.run_here("ops", "all.xplane.pb", "--json", *filters))
        return sorted({op["name"] for line in found["lines"] for op in line["ops"]})

    def test_filters(self):
        self.merge("all.xplane.pb")
        self.assertEqual(self.ops(), ["gemm_0", "gemm_1", "gemm_2"])
        for filters, expected in ((("--node", "1"), ["gemm_1"]), (("--host", "node:1"), ["gemm_1"]), (("--host", "beta"), ["gemm_2"]),
                                  (("--host", "eta"), ["gemm_2"]), (("--host", "lph"), ["gemm_0"]), (("--node", "0"), ["gemm_0"])):
            self.assertEqual(self.ops(*filters), expected, filters)
        self.run_here("ops", "all.xplane.pb", "--node", "7", status=2)
        self.run_here("ops", "all.xplane.pb", "--node", "1", "--host", "beta", status=2)
        tree = truth.loads(self.run_here("tree", "all.xplane.pb", "--node", "2", "--json"))
        names = re.findall(r'"name": "((?:gemm|step)_[0-9])"', json.dumps(tree))
        self.assertEqual(set(names), {"gemm_2", "step_2"})
        info = truth.loads(self.run_here("info", "all.xplane.pb", "--node", "1", "--json"))
        lines = [line for f in info["files"] for p in f["planes"] for line in p["lines"]]
        self.assertEqual(sum(line["events"] for line in lines), 60)
        self.run_here("export", "all.xplane.pb", "--node", "2", "-o", "part.xplane.pb")
        events = [e for p in reader.xspace((self.scratch / "part.xplane.pb").read_bytes())["planes"] for line in p["lines"]
                  for e in line["events"]]
        self.assertEqual(len(events), 60)

    def test_names(self):
        self.merge("all.xplane.pb")
        self.run_here("export", "all.xplane.pb", "-o", "all.trace.json")
        made = json.loads((self.scratch / "all.trace.json").read_text())["traceEvents"]
        names = {e["pid"]: e["args"].get("name") for e in made if e["name"] == "process_name"}
        for e in made:
            if e["ph"] == "X":
                node = int(e["name"][-1])
                title = f"node {node}" + (f" ({HOSTS[node]})" if HOSTS[node] else "") + ": "
                self.assertTrue(names[e["pid"]].startswith(title), names[e["pid"]])
        self.run_here("export", "all.xplane.pb", "-o", "all.csv")
        rows = [row.split(",") for row in (self.scratch / "all.csv").read_text().splitlines()]
        host_at, name_at = rows[0].index("host"), rows[0].index("name")
        for row in rows[1:]:
            node = int(row[name_at][-1])
            self.assertEqual(row[host_at], HOSTS[node] or f"node:{node}")

    def test_other_formats(self):
        said = truth.loads(self.merge("all.trace.json", "--json"))
        made = json.loads((self.scratch / "all.trace.json").read_text(), parse_float=truth.decimal.Decimal)
        base_ns = made["baseTimeNanoseconds"]
        self.assertEqual(base_ns, START_NS)
        self.assertEqual(said["events"], 180)
        starts = {}
        for e in made["traceEvents"]:
            if e["ph"] == "X":
                starts.setdefault(e["name"], []).append(e["ts"])
        self.assertEqual(starts, {f"{what}_{n}": [1000 * k for k in range(30)] for n in range(3) for what in ("gemm", "step")})
        self.merge("all.pftrace")
        self.assertGreater((self.scratch / "all.pftrace").stat().st_size, 1000)
        self.assertFalse([p.name for p in self.scratch.iterdir() if ".part" in p.name])

    def times(self, name):
        return [[(line["timestamp"] * 1000 + (e["offset"] or 0), e["duration"]) for e in line["events"]]
                for p in reader.xspace((self.scratch / name).read_bytes())["planes"] for line in p["lines"]]

    def test_offsets_that_were_applied(self):
        self.merge("all.xplane.pb", "--write-offsets", "applied.jsonl")
        rows = [json.loads(line) for line in (self.scratch / "applied.jsonl").read_text().splitlines()]
        self.assertEqual({n["node_id"]: n["start_walltime_ns"] for n in rows[0]["nodes"]},
                         {n: START_NS + a for n, a in enumerate(AHEAD_NS)})
        self.assertEqual({r["offset_ns"] for r in rows[1:] if r["node_id"] == 1}, {AHEAD_NS[1]})
        self.assertEqual({r["offset_ns"] for r in rows[1:] if r["node_id"] == 2}, {AHEAD_NS[2]})
        for jitter_ns in (0, 900):
            self.write("offsets.jsonl", offsets(jitter_ns))
            first = truth.loads(self.merge("all.xplane.pb", "--write-offsets", "applied.jsonl", "--json"))
            (self.scratch / "applied.jsonl").replace(self.scratch / "offsets.jsonl")
            again = truth.loads(self.merge("again.xplane.pb", "--json"))
            for a, b in zip(self.times("again.xplane.pb"), self.times("all.xplane.pb")):
                self.assertLessEqual(max(abs(x[0] - y[0]) for x, y in zip(a, b)), 2)  # ps: rows stand at whole ns
            for a, b in zip(first["nodes"], again["nodes"]):
                self.assertGreaterEqual(b["bound"]["host_ns"], a["bound"]["host_ns"])  # nothing is better known than it was

    def test_a_damaged_trace_keeps_what_is_intact(self):
        whole = trace(2)
        device = reader.xspace(whole)["planes"][0]["lines"][0]
        self.assertEqual(len(device["events"]), 30)
        cut = whole[:whole.index(b"python") + 60]  # in the events of the host's line
        self.write("cut.xplane.pb", cut)
        known = truth.loads(self.run_here("info", "cut.xplane.pb", "--json", status=5))
        events = sum(line["events"] for p in known["files"][0]["planes"] for line in p["lines"])
        self.assertGreater(events, 30)
        self.run_here("export", "cut.xplane.pb", "-o", "saved.xplane.pb", status=5)
        sound = truth.loads(self.run_here("info", "saved.xplane.pb", "--json"))
        self.assertEqual(sum(line["events"] for p in sound["files"][0]["planes"] for line in p["lines"]), events)
        self.write("node2.xplane.pb", cut)
        self.merge("all.xplane.pb", status=4)
        said = truth.loads(self.merge("all.xplane.pb", "--keep-going", "--json"))
        self.assertEqual([n["events"] for n in said["nodes"]], [60, 60, events])
        self.assertEqual(said["nodes"][2]["status"], "corrupt")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
