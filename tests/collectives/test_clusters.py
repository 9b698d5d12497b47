#!/usr/bin/env python3
"""Process groups of clusters whose faults are known: violations, missing calls, sizes, order, who is late, and clocks from calls.

test_clusters.py PROFKIT [--seed N...] [--count K] [--cases DIR] [--verbose]
Cases are made by cluster_model.py from the seed; --cases takes a folder of others with the same truth.json. The floors are what is
reached on seeds that were not looked at; they may only rise. Nothing may be said that is not so.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cluster_model

US = 1_000_000  # ps
KINDS = ("violations", "missing", "partial", "size", "order", "straggler", "moves", "compared", "arrivals")
TOGETHER = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")  # all members end a call of these at once
FLOORS = {form: {kind: 100 for kind in KINDS} for form in ("xspace", "kineto")}


class Case:
    """A case in one format, and what is said of it."""

    def __init__(self, profkit, folder, form):
        self.truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        self.name, self.form = f"{folder.name}/{form}", form
        self.bounded = self.truth["claim"] == "bound"
        asked = ["--bound", f"{self.truth['bound_ps']}ps"] if self.bounded else ["--align", "collectives"]
        done = subprocess.run([profkit, "validate", folder / form, "--json", "-q", "--limit", "0", *asked], capture_output=True,
                              check=False)
        self.found = json.loads(done.stdout)
        # A member is known by its rank and when it began.
        self.call_of = {(m[0], int(m[1])): c["id"] for c in self.truth["calls"] for m in c["members"]}
        self.calls = {c["id"]: c for c in self.truth["calls"]}
        self.origin_ps = int(self.found["origin_unix_ns"] or 0) * 1000

    def rank(self, row, device=None):
        node = int(row["node"])
        return node if self.form == "kineto" else node * self.truth["gpus"] + row.get("device", device)

    def call_at(self, rank, start_ps):
        """The call of a group of this rank of which the first member begins then."""
        return next((c["id"] for c in self.calls.values() if rank in c["group"]
                     and min(int(m[1]) for m in c["members"]) == start_ps), None)

    def calls_of(self, detail):
        return {self.call_of.get((self.rank(m, detail["device"]), m["start_ps"] + self.origin_ps)) for m in detail["members"]}


class Score:
    def __init__(self):
        self.sums = collections.defaultdict(lambda: [0, 0, 0])  # found, of, said though it is not so
        self.notes = []

    def judge(self, form, kind, case, expected, said):
        """Both are sets."""
        row = self.sums[form, kind]
        row[0] += len(expected & said)
        row[1] += len(expected)
        row[2] += len(said - expected)
        for what in sorted(expected - said, key=str):
            self.notes.append(f"{kind}: {case}: not found: {what}")
        for what in sorted(said - expected, key=str):
            self.notes.append(f"{kind}: {case}: NOT SO: {what}")

    def add(self, case):
        self.add_arrivals(case)
        if not case.bounded:
            return self.add_clocks(case)
        self.add_violations(case)
        self.add_moves(case)
        rows = case.found.get("irregularities", [])
        of = lambda kind: [r for r in rows if r["kind"] == kind]
        call = lambda r: case.call_at(case.rank(r), r["call_start_ps"] + case.origin_ps)
        truth, g = case.truth, case.truth["gpus"]
        # Of calls whose order differs, those that are put together are no one call of the truth.
        at = lambda kind: {(call(r), case.rank(r)) for r in of(kind)
                           if not truth["order_differences"] or not case.calls.get(call(r), {"misordered": True})["misordered"]}
        self.judge(case.form, "missing", case.name, {tuple(x) for x in truth["missing"]}, at("missing"))
        self.judge(case.form, "size", case.name, {tuple(x) for x in truth["size_differences"]}, at("size"))
        self.judge(case.form, "partial", case.name, set(truth["late_or_stopped"]),
                   {case.rank(r) // g for r in of("late") + of("stopped")})
        orders = {(o["rank"], o["step"]) for o in truth["order_differences"]}
        self.judge(case.form, "order", case.name, orders,
                   {(case.rank(r), case.calls[call(r)]["step"] if call(r) in case.calls else None) for r in of("order")})
        late = truth["straggler"]
        whole = late and "rank" not in late
        group = lambda r: tuple(case.calls.get(call(r), {"group": ()})["group"])
        self.judge(case.form, "straggler", case.name,
                   set() if not late else {late["node"]} if whole else {(late["rank"], tuple(late["group"]))},
                   {case.rank(r) // g if whole else (case.rank(r), group(r)) for r in of("straggler")})

    def add_arrivals(self, case):
        """Of calls that end together the shortest came last, whatever clocks say. What is judged in others is not known here."""
        if not all(call["kind"] in TOGETHER and not call["misordered"] for call in case.calls.values()):
            return
        expected = collections.defaultdict(lambda: [0, 0, 0, 0])  # by rank: calls, times last, waited for it, waited
        recorded = [call for call in case.calls.values() if call["members"]]
        whole = [call for call in recorded if len(call["members"]) == len(call["group"])]
        for call in whole:
            lengths = {m[0]: int(m[2]) - int(m[1]) for m in call["members"]}
            shortest = min(lengths.values())
            last = [rank for rank, length in lengths.items() if length == shortest]
            for rank, length in lengths.items():
                expected[rank][0] += 1
                expected[rank][3] += length - shortest
            if len(last) == 1:
                expected[last[0]][1] += 1
                expected[last[0]][2] += sum(length - shortest for length in lengths.values())
        found = case.found["arrivals"]
        said = {(case.rank(d), d["calls"], d["times_last"], d["waited_for_ps"], d["waited_ps"]) for d in found["devices"]}
        missing = sum(u["calls"] for u in found["unjudged"])
        self.judge(case.form, "arrivals", case.name, {*((rank, *row) for rank, row in expected.items()), ("judged", len(whole)),
                                                      ("unjudged", len(recorded) - len(whole))},
                   {*said, ("judged", found["judged"]), ("unjudged", missing)})

    def add_moves(self, case):
        """How much each call moved, how fast, and who came last. Of sends and receives the size alone: they are two calls of the truth,
        and ranks have a permute as such."""
        expected, said = set(), set()
        in_parts = ("send", "recv", *(["collective-permute"] if case.form == "kineto" else []))
        for call in case.calls.values():
            m = call.get("moves")
            if m and m["bytes"] and call["kind"] not in in_parts:
                last = max(call["members"], key=lambda each: int(each[1]))
                expected.add((call["id"], int(last[1]), m["bytes"], m["ps"], round(m["link_bytes"] * 10**12 / m["ps"])))
        for r in case.found["calls"]:
            start = r["last_start_ps"] + case.origin_ps
            ranks = {rank for rank, at in case.call_of if at == start}  # of those that began at once none is the last
            if r["latest_node"] is not None:
                ranks = {case.rank({"node": r["latest_node"]}, r["latest_device"])}
            call = next((case.calls.get(case.call_of.get((rank, start))) for rank in ranks), None)
            if call is None or not call.get("moves"):
                continue  # another test looks at calls that are put together
            if call["kind"] in in_parts or not call["moves"]["bytes"]:
                if r["payload_bytes"] != call["moves"]["bytes"]:
                    said.add((call["id"], r["payload_bytes"]))
                continue
            said.add((call["id"], start, r["payload_bytes"], r["moving_ps"], round(r["bus_bytes_per_s"] or -1)))
        self.judge(case.form, "moves", case.name, expected, said)

    def add_violations(self, case):
        """Calls of an order difference count neither way, and those of one clock that are out of order by less than the bound."""
        truth, said = case.truth, set()
        for detail in case.found.get("details", []):
            if not detail["beyond_bound"]:
                continue
            ids = case.calls_of(detail)
            # A send and its recv are two calls of the truth.
            kinds = {case.calls[i]["kind"] for i in ids if i in case.calls}
            ids = {i for i in ids if i not in case.calls or case.calls[i]["kind"] == "recv"} if kinds == {"send", "recv"} else ids
            if all(i in case.calls and (case.calls[i]["misordered"] or case.calls[i]["verdict"] == "fine") for i in ids):
                continue
            said.add(min(ids) if len(ids) == 1 and None not in ids else tuple(sorted(map(str, ids))))
        self.judge(case.form, "violations", case.name, set(truth["violations"]), said)

    def add_clocks(self, case):
        """What is said of a clock must hold; undecided is no mistake."""
        aligned = case.found.get("alignment") or {"nodes": []}
        laws = case.truth["clocks"]
        if "comparable" in case.truth:
            g = 1 if case.form == "xspace" else case.truth["gpus"]
            self.judge(case.form, "compared", case.name, set(case.truth["comparable"]) if aligned["nodes"] else set(),
                       {int(node["id"]) // g for node in aligned["nodes"] if node["reached"]})
        for node in aligned["nodes"]:
            if not node["reached"] or node["id"] == aligned["reference_node"]:
                continue
            g = 1 if case.form == "xspace" else case.truth["gpus"]
            mine, other = laws[int(node["id"]) // g], laws[int(aligned["reference_node"]) // g]
            row = self.sums[case.form, "proofs"]
            row[1] += 1
            if not node["feasible"]:
                row[2] += 1
                self.notes.append(f"proofs: {case.name}: NOT SO: contradiction at node {node['id']}")
                continue
            # True time at which the reference shows the pivot; both clocks are lines.
            at = (node["pivot_ps"] + case.origin_ps - int(other["base_ps"])) * 10**9 // (10**9 + other["ppb"])
            true = int(mine["base_ps"]) + at + at * mine["ppb"] // 10**9 - (node["pivot_ps"] + case.origin_ps)
            if node["least_offset_ps"] - 2000 <= true <= node["most_offset_ps"] + 2000:
                row[0] += node["decidable"]
            else:
                row[2] += 1
                self.notes.append(f"proofs: {case.name}: NOT SO: node {node['id']}: {true} is not in "
                                  f"[{node['least_offset_ps']}, {node['most_offset_ps']}]")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profkit")
    parser.add_argument("--seed", type=int, nargs="+", default=[3])
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--cases", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    score = Score()
    with tempfile.TemporaryDirectory() as temporary:
        folders = [asked.cases] if asked.cases else []
        for seed in [first + i for first in asked.seed for i in range(0 if asked.cases else asked.count)]:
            folders.append(pathlib.Path(temporary) / str(seed))
            cluster_model.build_all(folders[-1], seed)
        cases = sorted((p.parent, form) for f in folders for p in f.glob("*/truth.json") for form in ("xspace", "kineto")
                       if (p.parent / form).is_dir())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case in pool.map(lambda c: Case(asked.profkit, *c), cases):
                score.add(case)
    failed = not cases
    for (form, kind), (right, of, wrong) in sorted(score.sums.items()):
        least = FLOORS[form].get(kind, 0)
        failed = failed or wrong > 0 or 100 * right < least * of
        print(f"{form} {kind}: {right} of {of}, {wrong} not so (at least {least} %)")
    if asked.verbose or failed:
        print("\n".join(score.notes[:120]))
    print(f"{len(cases)} captures\n{0 if failed else 1} passed, {1 if failed else 0} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
