#!/usr/bin/env python3
"""merge --align=collectives against clocks whose laws are known: every event lies within the written bound of its true time.

test_merge_align.py PROFKIT [--seed N...] [--count K]
Clusters come from cluster_model.py. Their first node's clock is the true one; each other clock is a straight line, so that the true
time of what it shows is a fraction.
"""
import argparse
import decimal
import fractions
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import cluster_model
import proto_reader
import proto_writer as proto

ASKED = argparse.Namespace(profkit="profkit", seed=[5], count=12)
BASE_PS = cluster_model.BASE_NS * 1000
READING_PS = 1000  # times are whole ns
STEP_PS = 10 * 10**12
WIDE = ["--max-bound", "10s"]


def run(*arguments, status=0):
    done = subprocess.run([ASKED.profkit, *map(str, arguments)], capture_output=True, check=False, text=True)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: {done.returncode}, not {status}: {done.stderr}")
    return done


class Law:
    """A clock that shows base + t + t * ppb / 10^9 at the true time base of all + t."""

    def __init__(self, clock):
        self.ahead_ps, self.ppb = clock["base_ps"] - BASE_PS, clock["ppb"]

    def shown(self, t):
        return (self.ahead_ps + t + t * self.ppb // 10**9) // 1000 * 1000

    def true(self, shown_ps):
        return fractions.Fraction((shown_ps - self.ahead_ps) * 10**9, 10**9 + self.ppb)

    def distance(self, shown_ps, corrected_ps):
        """The most that a corrected time can be off: what was shown was cut to whole ns, and to whole ps before that."""
        return max(abs(corrected_ps - self.true(shown_ps + cut)) for cut in (0, READING_PS))


class LongCluster(cluster_model.Cluster):
    """Steps lie ten seconds apart, some longer than others, in which clocks drift further than collectives leave open. Nodes may
    lack the first steps, or the last ones."""

    lossy, step_ps = False, STEP_PS

    def show_other_clocks(self):
        longer = [self.r.randrange(self.step_ps // 10 + 1) for _ in range(self.steps)]
        lost = [(self.r.choice([0, 1, 2]), self.r.choice([0, 1])) if self.lossy else (0, 0) for _ in range(self.nodes)]
        for call in self.calls:
            for rank, times in call["seen"].items():
                call["seen"][rank] = [t + call["step"] * self.step_ps + longer[call["step"]] for t in times]
                first, last = lost[rank // self.gpus]
                if not first <= call["step"] < self.steps - last:
                    call["absent"][rank] = "late"
        super().show_other_clocks()


class Cluster:
    def __init__(self, folder, seed, host_lines=True, kind=LongCluster):
        self.model = kind(seed, "clocks")
        self.model.write_xspace(folder)
        self.laws = [Law(clock) for clock in self.model.clocks]
        self.paths = [folder / f"node{k}.xplane.pb" for k in range(self.model.nodes)]
        self.host_times = [k * STEP_PS + 7_000_000 for k in range(14)]
        if host_lines:  # whose times count from the start of the profile
            for path, law in zip(self.paths, self.laws):
                host = proto.Plane("/host:CPU", 90, first_event_id=5000)
                host.line("python", 0, [host.event("work", law.shown(t), 1_000) for t in self.host_times])
                path.write_bytes(path.read_bytes() + proto.xspace([host]))
        self.decided = set(self.model.comparable())
        # Of more than two, of which no two bound one another from both sides.
        self.is_ring = self.model.nodes > 2 and any(op["pairs"] for op in self.model.ops) and len(self.decided) > 1

    def merge(self, output, *more, status=0):
        return run("merge", "--traces", *self.paths, "--align", "collectives", "-o", output, "-q", "--json", *more, status=status)


def lines_of(path):
    """The times of the lines with events, by the node in the stats of the plane and the place in the file."""
    lines = {}
    for plane in proto_reader.xspace(path.read_bytes())["planes"]:
        node = dict(plane["stats"]).get("node_id", 0)
        for line in plane["lines"]:
            lines.setdefault(node, []).append([(line["timestamp"] * 1000 + (e["offset"] or 0), e["duration"]) for e in line["events"]])
    return lines


def clock_planes(path):
    return {dict(p["stats"])["node_id"]: dict(p["stats"]) for p in proto_reader.xspace(path.read_bytes())["planes"]
            if p["name"].endswith("/clock_metadata")}


def bound_at(windows, t):
    """Of the last window that begins before; the outermost ones hold beyond their ends."""
    return next((w["host_bound_ps"] for w in reversed(windows) if t >= w["from_ps"]), windows[0]["host_bound_ps"])


class MergeByCollectives(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def clusters(self):
        for seed in ASKED.seed:
            for k in range(ASKED.count):
                yield Cluster(self.folder / f"{seed}.{k}", f"{seed}.{k}")

    def check_events(self, cluster, output, document, ends):
        origin_ps, merged = int(document["origin_ns"]) * 1000 - BASE_PS, lines_of(output)
        for node in document["nodes"]:
            law, windows = cluster.laws[node["id"]], node["bound"]["windows"]
            self.assertEqual([w["from_ps"] for w in windows[1:]], [w["to_ps"] for w in windows[:-1]])
            recorded = lines_of(cluster.paths[node["id"]])[0]
            self.assertEqual(len(merged[node["id"]]), len(recorded))
            for before, after in zip(recorded, merged[node["id"]]):
                self.assertEqual(len(before), len(after))
                start_ps = BASE_PS if before[0][0] >= BASE_PS // 2 else 0
                for (shown, duration), (at, length) in zip(before, after):
                    instants = [(shown - start_ps, at)] + ([(shown - start_ps + duration, at + length)] if ends else [])
                    for was, now in instants:
                        self.assertLessEqual(law.distance(was, now + origin_ps), bound_at(windows, now) + 2, (node["id"], was))
                    self.assertTrue(windows[0]["from_ps"] <= at <= windows[-1]["to_ps"])
                    if not ends:
                        self.assertEqual(duration, length)

    def check_bounds(self, cluster, document):
        """As wide as what validate leaves of each clock, by the distance from the pivot, and no wider."""
        said = json.loads(run("validate", *cluster.paths, "--align", "collectives", "--json", "-q", "--max-bound", "10s").stdout)
        shift = int(said["origin_unix_ns"]) * 1000 - int(document["origin_ns"]) * 1000
        for row in said["alignment"]["nodes"]:
            node = next(n for n in document["nodes"] if n["id"] == int(row["id"]))
            windows = node["bound"]["windows"]
            if row["id"] == said["alignment"]["reference_node"]:
                self.assertEqual([w["host_bound_ps"] for w in windows], [READING_PS] * len(windows))
                continue
            pivot = row["pivot_ps"] + shift
            offset, drift = row["point_offset_ps"], row["point_drift_ppm"]
            self.assertAlmostEqual(node["host_drift_ppm"], drift, delta=0.01)
            wide = max(row["most_offset_ps"] - offset, offset - row["least_offset_ps"])
            steep = max(row["most_drift_ppm"] - drift, drift - row["least_drift_ppm"])
            for w in windows:
                far = max(abs(w["from_ps"] - pivot), abs(w["to_ps"] - pivot))
                expected = (wide + steep * far / 1e6) / (1 + min(0, row["least_drift_ppm"]) / 1e6) + READING_PS
                self.assertAlmostEqual(w["host_bound_ps"], expected, delta=6_000 + expected / 1000)
                self.assertEqual(w["tracer_bound_ps"], w["host_bound_ps"])
            # In steps, so that near the pivot the bound is what it is there.
            self.assertLess(min(w["host_bound_ps"] for w in windows), 1.2 * wide + READING_PS + 6_000)

    def test_ranks_of_pytorch(self):
        """The ranks of the same clusters as trace JSON: a node each, those of one host with one clock."""
        decided = 0
        for at, cluster in enumerate(self.clusters()):
            folder, output = self.folder / f"ranks{at}", self.folder / "all.trace.json"
            cluster.model.write_kineto(folder)
            paths = [folder / f"rank{k}.json" for k in range(cluster.model.world)]
            document = json.loads(run("merge", "--traces", *paths, "--align", "collectives", "-o", output, "-q", "--json", "--keep-going",
                                      *WIDE).stdout)
            merged, events = json.loads(output.read_text(), parse_float=decimal.Decimal), {}
            for e in merged["traceEvents"]:
                if e["name"] == "profkit_node":
                    of_node = events.setdefault(e["args"]["node"], [])
                elif e["ph"] == "X":
                    of_node.append(e)
            origin_ps = merged["baseTimeNanoseconds"] * 1000 - BASE_PS
            for node in document["nodes"]:
                recorded = [e for e in json.loads(paths[node["id"]].read_text(), parse_float=decimal.Decimal)["traceEvents"]]
                self.assertEqual(len(events[node["id"]]), len(recorded))
                if not node["bound"]:
                    continue
                law = cluster.laws[node["id"] // cluster.model.gpus]
                for was, now in zip(recorded, events[node["id"]]):
                    self.assertEqual({k: v for k, v in was.items() if k not in ("ts", "pid")},
                                     {k: v for k, v in now.items() if k not in ("ts", "pid")})
                    at_ps = int(now["ts"] * 10**6)
                    self.assertLessEqual(law.distance(int(was["ts"] * 10**6), at_ps + origin_ps), bound_at(node["bound"]["windows"], at_ps) + 2)
                decided += node["id"] >= cluster.model.gpus
            said = json.loads(run("validate", output, "--json", "-q").stdout)
            known = [n for n in document["nodes"] if events[n["id"]]]
            self.assertEqual([int(n["id"]) for n in said["nodes"]], [n["id"] for n in known])
            for node, checked in zip(known, said["nodes"]):  # the bounds are in the merged trace
                widest = max(w["tracer_bound_ps"] for w in node["bound"]["windows"]) if node["bound"] else None
                self.assertEqual(checked["bound_ps"], widest)
        self.assertGreater(decided, ASKED.count // 2)

    def test_what_is_decided_holds_whatever_is_missing(self):
        """Of steps that are alike it may be unknown which belong together: nothing is decided then, but nothing is wrong."""
        decided = 0
        lossy = lambda step_ps: type("LossyCluster", (LongCluster,), {"lossy": True, "step_ps": step_ps})
        for k in range(6 * ASKED.count):
            kind = (cluster_model.Cluster, lossy(STEP_PS), LongCluster, lossy(0))[k % 4]
            cluster, output = Cluster(self.folder / f"missing{k}", f"missing {k}", kind=kind), self.folder / "out.xspace"
            document = json.loads(cluster.merge(output, *WIDE, "--keep-going").stdout)
            document["nodes"] = [n for n in document["nodes"] if n["bound"]]
            self.assertLessEqual({n["id"] for n in document["nodes"]}, cluster.decided)
            self.check_events(cluster, output, document, ends=False)
            decided += len(document["nodes"]) - 1
        self.assertGreater(decided, ASKED.count // 3)

    def test_decided_nodes_lie_within_their_bounds_and_others_are_refused(self):
        decided = undecided = 0
        for cluster in self.clusters():
            everyone, output = set(range(cluster.model.nodes)), self.folder / "out.xspace"
            if cluster.is_ring:
                continue  # below
            if cluster.decided == everyone:
                document = json.loads(cluster.merge(output, *WIDE).stdout)
                self.assertEqual([(n["id"], n["status"], n["method"]) for n in document["nodes"]],
                                 [(k, "corrected", "collectives") for k in sorted(everyone)])
                self.check_events(cluster, output, document, ends=False)
                self.check_bounds(cluster, document)
                document = json.loads(cluster.merge(output, *WIDE, "--scale-durations").stdout)
                self.check_events(cluster, output, document, ends=True)
                decided += len(everyone)
                continue
            undecided += 1
            refused = cluster.merge(output, *WIDE, status=2)
            first = min(everyone - cluster.decided)
            self.assertIn(f"node {first}: its clock is not corrected: no collectives bound it", refused.stderr)
            document = json.loads(cluster.merge(output, *WIDE, "--keep-going").stdout)
            for node in document["nodes"]:
                known = node["id"] in cluster.decided
                self.assertEqual((node["status"], node["method"]), ("corrected", "collectives") if known else ("raw", None))
                self.assertEqual(node["bound"] is not None, known)
                if not known:
                    self.assertTrue(any(w.find(f"node {node['id']}: its clock is not corrected") >= 0 for w in document["warnings"]))
                    self.assertNotIn("clock_windows", clock_planes(output)[node["id"]])
        self.assertGreater(decided, 0)
        self.assertGreater(undecided, 0)

    def whole_cluster(self, **how):
        for k in range(99):
            cluster = Cluster(self.folder / f"whole{k}", f"whole {k}", **how)
            if len(cluster.decided) == cluster.model.nodes > 2 and not cluster.is_ring and any(law.ppb for law in cluster.laws):
                return cluster
        raise AssertionError("no cluster whose clocks can all be compared")

    def test_the_document_and_the_planes_say_how(self):
        cluster, output = self.whole_cluster(), self.folder / "out.xspace"
        document = json.loads(cluster.merge(output, *WIDE).stdout)
        said = document["assumptions"]
        self.assertIn("every clock runs at a constant rate over the capture, off by no more than 1000 ppm", said)
        self.assertIn("all lines of a node, of its host and of its devices, show the time of one clock", said)
        self.assertFalse([s for s in said if "paths between nodes" in s])
        self.assertEqual(json.loads((self.folder / "out.metadata.json").read_text(encoding="utf-8")), document)
        for node, stats in clock_planes(output).items():
            windows = next(n for n in document["nodes"] if n["id"] == node)["bound"]["windows"]
            self.assertEqual(json.loads(stats["clock_windows"]),
                             [[w["from_ps"], w["to_ps"], w["tracer_bound_ps"], w["host_bound_ps"], 1 if w["extrapolated"] else 0]
                              for w in windows])
            self.assertEqual((stats["status"], stats["corrected"], stats["clock_method"]), ("corrected", 1, "collectives"))
        # What lies outside of all collectives is extrapolated.
        calls = [t for call in cluster.model.calls for rank, seen in call["seen"].items() for t in seen
                 if rank < cluster.model.gpus and len(call["group"]) > 1]
        origin_ps = int(document["origin_ns"]) * 1000 - BASE_PS
        for node in document["nodes"]:
            for w in node["bound"]["windows"]:
                inside = w["from_ps"] <= max(calls) - origin_ps and w["to_ps"] > min(calls) - origin_ps
                self.assertEqual(w["extrapolated"], not inside, w)
            if node["id"] != 0:  # whose bound is one window for all times but those beyond
                edges = {w["from_ps"] for w in node["bound"]["windows"]}
                self.assertLessEqual({min(calls) - origin_ps, max(calls) + READING_PS - origin_ps}, edges)
        # Nothing is out of order any more, and merged again nothing changes.
        checked = json.loads(run("validate", output, "--json", "-q").stdout)
        self.assertEqual((checked["violations"], checked["clocks"], checked["bounds_known"]), (0, "corrected", True))
        again = self.folder / "again.xspace"
        second = json.loads(run("merge", "--traces", output, "-o", again, "-q", "--json").stdout)
        self.assertEqual([(n["status"], n["method"], n["bound"]) for n in second["nodes"]],
                         [(n["status"], n["method"], n["bound"]) for n in document["nodes"]])
        self.assertEqual(lines_of(again), lines_of(output))
        self.assertIn("collectives were matched rightly", " ".join(second["assumptions"]))
        # A merge is not aligned once more.
        refused = run("merge", "--traces", output, "--align", "collectives", "-o", again, "-q", status=2)
        self.assertIn("were not merged before", refused.stderr)

    def test_an_interval_that_is_too_wide_decides_nothing(self):
        cluster, output = self.whole_cluster(), self.folder / "out.xspace"
        self.assertIn("more than --max-bound", cluster.merge(output, "--max-bound", "1us", status=2).stderr)
        self.assertFalse(output.exists())

    def test_without_the_reference_nothing_is_decided(self):
        cluster, output = self.whole_cluster(), self.folder / "out.xspace"
        cluster.paths[0].unlink()
        document = json.loads(cluster.merge(output, *WIDE, "--keep-going").stdout)
        self.assertEqual([n["bound"] for n in document["nodes"]], [None] * cluster.model.nodes)
        self.assertEqual(sum("the trace of the reference node cannot be opened" in w for w in document["warnings"]), cluster.model.nodes - 1)

    def test_the_reference_node_is_that_of_the_run(self):
        cluster, output = self.whole_cluster(), self.folder / "out.xspace"
        metadata = self.folder / "run_metadata.json"
        metadata.write_text(json.dumps({"run_id": "r", "reference_node": 1, "nodes": [
            {"node_id": k, "trace": p.name} for k, p in enumerate(cluster.paths)]}), encoding="utf-8")
        document = json.loads(cluster.merge(output, *WIDE, "--run-metadata", metadata).stdout)
        self.assertEqual(document["reference_node"], 1)
        # On the clock of node 1: what it shows is as it was, the others' bounds hold against it.
        merged, other = lines_of(output), cluster.laws[1]
        origin_ps = int(document["origin_ns"]) * 1000 - BASE_PS
        for node in document["nodes"]:
            law, windows = cluster.laws[node["id"]], node["bound"]["windows"]
            for before, after in zip(lines_of(cluster.paths[node["id"]])[0], merged[node["id"]]):
                start_ps = BASE_PS if before[0][0] >= BASE_PS // 2 else 0
                for (shown, _), (at, _) in zip(before, after):
                    true = law.true(shown - start_ps)
                    right = other.ahead_ps + true + true * other.ppb / 10**9
                    self.assertLessEqual(abs(at + origin_ps - right), bound_at(windows, at) + READING_PS)
                    if node["id"] == 1:
                        self.assertEqual(at + origin_ps, shown - start_ps)

    def test_times_in_whole_ns_contradict_nothing(self):
        """Calls without any slack, on a clock that is ahead by less than a ns: what is shown seems out of order by a ns. Traces
        without a start of the profile, whose first lines begin apart: relative times count from these."""
        ahead_ps, calls = 600, []
        for k in range(8):
            at, later = k * 10**12 + 50_000_500, k * 10**12 + 90_000_000
            calls.append([(at - 20_000_000, at), (at, at + 9_000_000)])  # the first ends when the second begins
            calls.append([(later, later + 9_000_000), (later - 20_000_000, later)])
        paths, work = [self.folder / f"node{node}.xplane.pb" for node in (0, 1)], [11_000, 2_000_000]
        for node, path in enumerate(paths):
            first_ps = node * 5_000_000
            shown = lambda t: (t + node * ahead_ps) // 1000 * 1000
            device, host = proto.Plane("/device:GPU:0", 1), proto.Plane("/host:CPU", 2)
            device.line("Stream #7(NCCL)", cluster_model.BASE_NS + first_ps // 1000, [
                device.event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", shown(a) - first_ps, shown(b) - shown(a),
                             [("hlo_op", proto.Ref("all-reduce.1")), ("run_id", 1 + number)])
                for number, (a, b) in enumerate(call[node] for call in calls)])
            host.line("python", 7, [host.event("work", t, 5) for t in work])
            path.write_bytes(proto.xspace([device, host], [f"host{node}"]))
        output = self.folder / "out.xspace"
        document = json.loads(run("merge", "--traces", *paths, "--align", "collectives", "-o", output, "-q", "--json").stdout)
        origin_ps, merged = int(document["origin_ns"]) * 1000 - BASE_PS, lines_of(output)
        for node in (0, 1):
            bound = document["nodes"][node]["bound"]["host_ns"] * 1000
            self.assertLess(bound, 10_000)
            device, host = merged[node]
            for call, (at, _) in zip(calls, device):
                self.assertLessEqual(abs(at + origin_ps - call[node][0]), bound)
            for t, (at, _) in zip(work, host):
                self.assertLessEqual(abs(at + origin_ps - (t + 7_000 + node * (5_000_000 - ahead_ps))), bound)

    def even_calls(self, irregular_ps, lost, ahead_ps, count=60, runs=False):
        """Two nodes that call each ms, and by up to so much later; the second lacks the first calls."""
        r, calls, t = random.Random(f"{irregular_ps} {lost}"), [], 20 * 10**9
        for k in range(count):
            t += 10**9 + r.randrange(irregular_ps + 1)
            starts = [t + r.randrange(20_000_000) for _ in (0, 1)]
            calls.append([(start, max(starts) + 50_000_000 + r.randrange(2_000_000)) for start in starts])
        paths = [self.folder / f"even{irregular_ps}.{lost}.node{node}.xplane.pb" for node in (0, 1)]
        for node, path in enumerate(paths):
            device, start = proto.Plane("/device:GPU:0", 1), proto.Plane("Task Environment")
            device.line("Stream #7(NCCL)", cluster_model.BASE_NS, [
                device.event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", (a + node * ahead_ps) // 1000 * 1000, (b - a) // 1000 * 1000,
                             [("hlo_op", proto.Ref("all-reduce.1"))] + ([("run_id", number)] if runs else []))
                for number, (a, b) in list(enumerate(call[node] for call in calls))[lost * node:]])
            start.own_stat("profile_start_time", proto.Uint(cluster_model.BASE_NS))
            path.write_bytes(proto.xspace([device, start], [f"host{node}"]))
        return ["merge", "--traces", *paths, "--align", "collectives", "-o", self.folder / "even.xspace", "-q", "--json"]

    def are_known(self, *paths):
        """What validate says of the same two nodes."""
        alignment = json.loads(run("validate", *paths, "--align", "collectives", "--json", "-q").stdout)["alignment"]
        self.assertEqual([node["decidable"] for node in alignment["nodes"]], [True, True])
        return alignment["nodes"][1]["calls_known"]

    def test_calls_that_fit_others_as_well_decide_nothing(self):
        ahead_ps = -5_300_000_000
        self.assertIn("fit earlier or later calls", run(*self.even_calls(0, 3, ahead_ps), status=2).stderr)
        self.assertIn("fit earlier or later calls", run(*self.even_calls(0, 0, ahead_ps), status=2).stderr)
        self.assertIn("fit earlier or later calls", run(*self.even_calls(300_000_000, 0, ahead_ps, count=7), status=2).stderr)
        self.assertFalse(self.are_known(*self.even_calls(0, 0, ahead_ps)[2:4]))
        for irregular_ps, lost, count, runs in ((300_000_000, 0, 60, False), (300_000_000, 3, 60, False), (300_000_000, 1, 60, False),
                                                (0, 3, 60, True), (300_000_000, 0, 8, False)):
            asked = self.even_calls(irregular_ps, lost, ahead_ps, count, runs)
            self.assertTrue(self.are_known(*asked[2:4]))
            node = json.loads(run(*asked).stdout)["nodes"][1]
            self.assertLessEqual(abs(node["max_correction_ns"] * 1000 - ahead_ps), node["bound"]["host_ns"] * 1000)
            self.assertLess(node["bound"]["host_ns"], 200_000)

    def test_numbers_of_calls_say_which_belong_together(self):
        """Ranks of PyTorch whose steps are alike; the second lacks the first call and is 3 ms ahead. Seq counts the calls of a group."""
        group = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2,
                 "In msg nelems": 1024, "Out msg nelems": 1024, "dtype": "float", "stream": 7}
        for numbered in (True, False):
            paths = [self.folder / f"{numbered}.rank{rank}.json" for rank in (0, 1)]
            for rank, path in enumerate(paths):
                events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7,
                           "ts": 20_000 + 1000 * k + 5 * rank * (-1) ** k + 3000 * rank, "dur": 70 - 5 * rank * (-1) ** k,
                           "args": {**group, **({"Seq": 41 + k} if numbered else {})}} for k in range(rank, 60)]
                path.write_text(json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
                                            "baseTimeNanoseconds": cluster_model.BASE_NS, "host_name": f"host{rank}",
                                            "traceEvents": events}), encoding="utf-8")
            self.assertEqual(self.are_known(*paths), numbered)
            merge = ["merge", "--traces", *paths, "--align", "collectives", "-o", self.folder / "numbered.trace.json", "-q", "--json"]
            if not numbered:
                self.assertIn("fit earlier or later calls", run(*merge, status=2).stderr)
                continue
            node = json.loads(run(*merge).stdout)["nodes"][1]
            self.assertLessEqual(abs(node["max_correction_ns"] - 3_000_000), node["bound"]["host_ns"])
            self.assertLess(node["bound"]["host_ns"], 200_000)

    def test_a_node_with_snapshots_has_two_clocks(self):
        cluster, output = self.whole_cluster(host_lines=False), self.folder / "out.xspace"
        pair = proto.Plane("/host:snapshots", 91, first_event_id=6000)
        pair.line("pairs", cluster_model.BASE_NS, [pair.event("pair", k * 10**9, 0, [("rocm_ns", 5_000 + k)]) for k in range(3)])
        cluster.paths[1].write_bytes(cluster.paths[1].read_bytes() + proto.xspace([pair]))
        refused = cluster.merge(output, *WIDE, status=2)
        self.assertIn("node 1: its clock is not corrected: its clock snapshots show", refused.stderr)

    def test_what_does_not_go_together(self):
        cluster, output = self.whole_cluster(), self.folder / "out.xspace"
        offsets = self.folder / "offsets.jsonl"
        offsets.write_text("{}\n", encoding="utf-8")
        for more in (["--offsets", offsets], ["--no-correction"], ["--correction", "none"]):
            self.assertIn("--align=collectives", cluster.merge(output, *more, status=2).stderr)
        self.assertIn("--max-bound belongs", run("merge", "--traces", *cluster.paths, "-o", output, "--max-bound", "1ms", status=2).stderr)
        # In a folder, offsets are found and left alone.
        document = json.loads(run("merge", "--run-dir", cluster.paths[0].parent, "--align", "collectives", *WIDE, "-o", output, "-q",
                                  "--json").stdout)
        self.assertEqual(len(document["nodes"]), cluster.model.nodes)
        self.assertEqual(document["warnings"], [])
        (cluster.paths[0].parent / "offsets.jsonl").write_text("{}\n", encoding="utf-8")
        document = json.loads(run("merge", "--run-dir", cluster.paths[0].parent, "--align", "collectives", *WIDE, "-o", output, "-q",
                                  "--json").stdout)
        self.assertIn("is not used: clocks are corrected by collectives", document["warnings"][0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profkit")
    parser.add_argument("--seed", type=int, nargs="+", default=[5])
    parser.add_argument("--count", type=int, default=12)
    parser.parse_args(namespace=ASKED)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(MergeByCollectives)
    outcome = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
