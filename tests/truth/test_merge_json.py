"""`profkit merge` of trace JSON, of PyTorch and Ascend: every event is kept as it was but for its time, its process and the ids that
join it to others; the merged file reads, node by node, like the files that were merged.
"""
import decimal
import gzip
import json
import random
import sys

import proto_writer as proto
import truth

D = decimal.Decimal
decimal.getcontext().prec = 60
BASE_NS = 1_700_000_000_000_000_000
JOINED = "stfbneSTpFNOD"  # phases whose ids count in all processes


def exact(text):
    return json.loads(text, parse_float=D)


def written(value):
    """JSON in which numbers keep their digits."""
    if isinstance(value, D):
        return format(value, "f")
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(v) for v in value) + "]"
    return json.dumps(value)


class Rank:
    """One trace of awkward events. `since`: the times count from baseTimeNanoseconds; else they are Unix microseconds."""

    def __init__(self, seed, rank, since, named=True):
        r = random.Random(seed)
        self.rank, self.since, self.named = rank, since, named
        self.base_ns = BASE_NS + r.randrange(10**9) if since else 0
        self.first_us = r.randrange(10**6) if since else BASE_NS // 1000 + r.randrange(10**6)
        self.header = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU \"X\"", "totalGlobalMem": 2**35}],
                       "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "record_shapes": 1,
                       "odd": [1, {"a": None}, "é\n", D("0.1000")]}
        if since:
            self.header["baseTimeNanoseconds"] = self.base_ns
        pids = [0, 1, 59811, "Spans", "", "7"]
        self.events = [
            {"ph": "M", "name": "process_name", "pid": 59811, "tid": 0, "ts": D(self.first_us), "args": {"name": "python3", "more": 5}},
            {"ph": "M", "name": "process_labels", "pid": 59811, "tid": 0, "args": {"labels": "CPU"}},
            {"ph": "M", "name": "process_sort_index", "pid": 0, "tid": 0, "args": {"sort_index": 5_000_000}},
            {"ph": "M", "name": "process_sort_index", "pid": 59811, "tid": 0, "args": {"sort_index": 3}},
            {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
            {"ph": "M", "name": "process_name", "pid": "7", "tid": 0, "args": {"name": ""}}]
        for k in range(r.randrange(60, 90)):
            us = self.first_us + D(r.randrange(10**9)) / 10**r.choice([3, 6])
            kind = r.choice("XXXXXBEiICstfbneNODPx")
            e = {"ph": kind, "name": r.choice(["gemm", "all \"x\"", "a\\b", "Δ"]), "pid": r.choice(pids), "tid": r.choice([7, "t", 9])}
            if r.random() < 0.1:
                del e["pid"]
            e["ts"] = us if r.random() < 0.8 else format(us, "f")
            if kind == "X":
                e["dur"] = D(r.randrange(10**6)) / 1000
                e["cat"] = r.choice(["kernel", "cpu_op", "cuda_runtime"])
            if kind in JOINED or r.random() < 0.1:
                e["id"] = r.choice([k, k % 7, str(k % 5), 2**53 - 1, "0x1f", 2**63])
            if r.random() < 0.1:
                e["bind_id"] = k % 3
            if r.random() < 0.1:
                e["id2"] = r.choice([{"local": "0x1"}, {"global": "0x2"}])
            if r.random() < 0.7:
                e["args"] = {"device": 0, "stream": 7, "correlation": k, "x": [D("1.500"), "\n\t", {}, None, True], "ts": 5}
            for extra, value in (("cname", "good"), ("tts", D("1.25")), ("s", "g"), ("bp", "e")):
                if r.random() < 0.1:
                    e[extra] = value
            self.events.append(dict(sorted(e.items(), key=lambda _: r.random())))

    def text(self, lines=False):
        text = written({**self.header, "traceEvents": self.events})
        return text.replace('{"', '{\n  "').replace('},', '},\n') if lines else text

    def unix_ps(self, us):
        return self.base_ns * 1000 + int(D(us) * 10**6)


def ids_of(event):
    if "id" in event and event["ph"] in JOINED:
        yield "id", event["id"]
    if "bind_id" in event:
        yield "bind_id", event["bind_id"]
    if "global" in event.get("id2", {}):
        yield "id2", event["id2"]["global"]


class MergeJson(truth.Case):
    def merge(self, names, *more, output="all.trace.json", status=0):
        self.said = truth.run("merge", "--traces", *names, "-o", output, "--json", *more, status=status, cwd=self.scratch)
        if status:
            return None
        raw = (self.scratch / output).read_bytes()
        return exact((gzip.decompress(raw) if output.endswith(".gz") else raw).decode())

    def check_nodes(self, merged, ranks, shift_ps):
        """`shift_ps`: what each node's clock is ahead. Gives the events of each node without what the merge added."""
        sections, seen_pids, seen_ids = [], {}, {}
        for e in merged["traceEvents"]:
            if e["name"] == "profkit_node":
                sections.append((e["args"], []))
            elif not e.get("args", {}).get("added"):
                sections[-1][1].append(e)
        self.assertEqual([s[0]["node"] for s in sections], [r.rank for r in ranks])
        origin_ps = merged["baseTimeNanoseconds"] * 1000
        for (said, events), rank, ahead_ps in zip(sections, ranks, shift_ps):
            label = f"node {rank.rank}, rank {rank.rank}"
            self.check(json.loads(written(said["header"])), json.loads(written(rank.header)))
            self.assertEqual(len(events), len(rank.events))
            pids, ids = {}, {}
            for got, was in zip(events, rank.events):
                got, was = dict(got), dict(was)
                key = json.dumps(was.pop("pid", None))
                self.assertEqual(pids.setdefault(key, got["pid"]), got.pop("pid"))
                for (where, new), (_, old) in zip(list(ids_of(got)), list(ids_of(was))):
                    self.assertEqual(ids.setdefault(str(old), str(new)), str(new), where)
                    self.assertEqual(isinstance(new, str), isinstance(old, str) or old > 2**52)
                for e in (got, was):
                    for where, _ in list(ids_of(e)):
                        e.pop(where)
                ts = was.pop("ts", None)
                if was["ph"] == "M":
                    self.assertNotIn("ts", got)
                else:
                    self.assertEqual(got.pop("ts") * 10**6, rank.unix_ps(ts) - ahead_ps - origin_ps)
                if was["name"] == "process_name":
                    was["args"] = {**was["args"], "name": f"{label}: {was['args']['name']}"}
                elif was["name"] == "process_sort_index":
                    was["args"] = {"sort_index": got["args"]["sort_index"], "recorded_sort_index": was["args"]["sort_index"]}
                self.check(json.loads(written(got)), json.loads(written(was)))
            for kind, found in ((seen_pids, pids), (seen_ids, ids)):
                for new in found.values():
                    self.assertEqual(kind.setdefault(new, rank.rank), rank.rank, f"{new} is of two nodes")
            self.assertEqual(len(set(pids.values())), len(pids))
        names = {}
        for e in merged["traceEvents"]:
            if e["name"] == "process_name":
                names[e["pid"]] = e["args"]["name"]
        self.assertEqual(set(names), set(seen_pids))
        for pid, node in seen_pids.items():
            self.assertTrue(names[pid].startswith(f"node {node}, rank {node}"), names[pid])
        return sections

    def ranks(self, seed):
        ranks = [Rank(f"{seed}.{k}", k, since=(seed + k) % 2 == 0) for k in range(3)]
        names = [f"worker{k}.pt.trace.json" for k in range(3)]
        for k, (name, rank) in enumerate(zip(names, ranks)):
            self.write(name, rank.text(lines=k == 1).encode())
        return names, ranks

    def test_by_wall_time(self):
        for seed in range(4):
            names, ranks = self.ranks(seed)
            self.check_nodes(self.merge(names, "--no-correction"), ranks, [0, 0, 0])

    def test_by_offsets(self):
        ahead_ns = [0, 250_000, -3_000_007]
        names, ranks = self.ranks(11)
        # A constant offset: rows lie an hour to both sides.
        rows = [{"node_id": n, "round_id": k, "midpoint_sys_ns": BASE_NS + (k - 2) * 10**12, "offset_ns": a}
                for k in range(5) for n, a in enumerate(ahead_ns)]
        self.write("offsets.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
        merged = self.merge(names, "--offsets", "offsets.jsonl")
        self.check_nodes(merged, ranks, [1000 * a for a in ahead_ns])
        for n in truth.loads(self.said)["nodes"]:
            self.assertEqual((n["status"], n["method"]), ("corrected", "offsets"))
            self.assertIsNone(n["bound"]["tracer_ns"])  # nothing was measured of the devices' clocks
            self.assertLess(n["bound"]["host_ns"], 1000)
            self.assertEqual(n["events"], len(ranks[n["id"]].events))

    def test_an_xspace_beside_trace_json(self):
        names, ranks = self.ranks(8)
        device = proto.Plane("/device:GPU:0", 1)
        starts = [k * 777_000_001 for k in range(20)]
        device.line("Stream #1", BASE_NS, [device.event("gemm", ps, 5_001) for ps in starts])
        self.write("node9.xplane.pb", proto.xspace([device], ["nine"]))
        for output in ("all.trace.json", "all.pftrace"):
            self.said = truth.run("merge", "--traces", names[0], "node9.xplane.pb", "-o", output, "--no-correction", "--json", cwd=self.scratch)
            self.assertEqual([(n["id"], n["hostname"]) for n in truth.loads(self.said)["nodes"]], [(0, "worker0"), (9, "nine")])
        merged = exact((self.scratch / "all.trace.json").read_text())
        found = [e for e in merged["traceEvents"] if e["name"] == "gemm" and e["ph"] == "X" and "cat" not in e]
        base_ps = merged["baseTimeNanoseconds"] * 1000
        self.assertEqual([(base_ps + D(e["ts"]) * 10**6, D(e["dur"]) * 10**6) for e in found], [(BASE_NS * 1000 + ps, 5_001) for ps in starts])
        self.assertEqual(len(merged["traceEvents"]) > len(ranks[0].events) + 20, True)
        self.assertFalse([p.name for p in self.scratch.iterdir() if ".part" in p.name])
        self.merge([names[0], "node9.xplane.pb"], "--no-correction", output="all.xspace", status=4)

    def test_without_anything_measured_it_is_refused(self):
        names, _ = self.ranks(1)
        self.merge(names, status=2)
        self.assertFalse((self.scratch / "all.trace.json").exists())
        self.merge(names, "--no-correction", output="all.xspace", status=4)

    def test_ranks_number_the_nodes(self):
        names, ranks = self.ranks(7)
        self.check_nodes(self.merge(names[::-1], "--no-correction", "--normalize", "min"), ranks[::-1], [0, 0, 0])
        self.assertEqual(min(D(e["ts"]) for e in exact((self.scratch / "all.trace.json").read_text())["traceEvents"] if "ts" in e) // 1, 0)

    def test_compressed_in_and_out(self):
        names, ranks = self.ranks(2)
        for name in names:
            self.write(name + ".gz", gzip.compress((self.scratch / name).read_bytes()))
        self.check_nodes(self.merge([n + ".gz" for n in names], "--no-correction", output="all.trace.json.gz"), ranks, [0, 0, 0])

    def test_a_folder_of_ranks(self):
        _, ranks = self.ranks(3)
        self.said = truth.run("merge", "--run-dir", ".", "-o", "all.trace.json", "--no-correction", cwd=self.scratch)
        self.check_nodes(exact((self.scratch / "all.trace.json").read_text()), ranks, [0, 0, 0])

    def test_a_damaged_rank(self):
        names, ranks = self.ranks(5)
        whole = (self.scratch / names[2]).read_text()
        cut = whole.rfind('{"', 0, whole.rfind('"ph"'))
        self.write(names[2], whole[:cut + 5].encode())
        self.merge(names, "--no-correction", status=4)
        merged = self.merge(names, "--no-correction", "--keep-going")
        ranks[2].events.pop()
        ranks[2].header["profkit_incomplete"] = ["node 2, rank 2: its trace is incomplete: the file ends inside an event"]
        self.check_nodes(merged, ranks, [0, 0, 0])
        self.assertEqual(truth.loads(self.said)["nodes"][2]["status"], "corrupt")

    def test_nodes_read_like_their_files(self):
        names, _ = self.ranks(6)
        (self.scratch / "ranks").mkdir()
        names = [str((self.scratch / n).rename(self.scratch / "ranks" / n)) for n in names]
        self.merge(names, "--no-correction")
        info = truth.loads(truth.run("info", "all.trace.json", "--json", cwd=self.scratch))
        self.assertEqual([f["hosts"] for f in info["files"]], [["worker0"], ["worker1"], ["worker2"]])

        def bare(value):
            if isinstance(value, dict):
                return {k: bare(v) for k, v in value.items() if k not in ("files", "path", "limited", "bytes", "start_ps", "origin_unix_ns")}
            return [bare(v) for v in value] if isinstance(value, list) else value

        def said(command, path, *more):
            return bare(truth.loads(truth.run(command, path, "--json", *more, cwd=self.scratch)))

        for command in ("ops", "framework", "collectives", "tree"):
            self.check(said(command, "all.trace.json"), said(command, "ranks"))
        for host in ("worker1", "worker2"):
            self.check(said("ops", "all.trace.json", "--host", host), said("ops", "ranks", "--host", host))
        self.assertTrue(said("ops", "all.trace.json", "--host", "worker1")["lines"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
