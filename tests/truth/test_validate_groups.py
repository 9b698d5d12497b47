#!/usr/bin/env python3
"""Calls of process groups, field by field: two groups of one name, two calls that came equally late, sizes that members disagree on,
every collective that has a bus bandwidth, clocks that are known and clocks that are not."""
import json
import random
import sys
from fractions import Fraction

import truth

US, ORIGIN_NS = 1_000_000, 1_700_000_000_000_000_000
WORLD = (0, 1, 2, 3)
# Name in the trace, what it is, factor of the bus, elements in and out of a payload of one element a member.
KINDS = {"allreduce": ("all-reduce", lambda n: Fraction(2 * (n - 1), n), lambda n: (n, n)),
         "_allgather_base": ("all-gather", lambda n: Fraction(n - 1, n), lambda n: (1, n)),
         "_reduce_scatter_base": ("reduce-scatter", lambda n: Fraction(n - 1, n), lambda n: (n, 1)),
         "all_to_all": ("all-to-all", lambda n: Fraction(n - 1, n), lambda n: (n, n))}


class Call:
    """One call of a group: elements a member, and of each member its start and its length in us."""

    def __init__(self, name, group, ranks, number, elements, members, odd=None):
        self.name, self.group, self.ranks, self.number, self.elements = name, group, ranks, number, elements
        self.members = members  # rank: (start, length)
        self.odd = odd  # rank: another number of elements
        self.last = max(start for start, _ in members.values())
        self.first = min(start for start, _ in members.values())
        self.end = max(start + length for start, length in members.values())

    def elements_of(self, rank):
        return self.odd.get(rank, self.elements) if self.odd else self.elements

    @property
    def latest(self):
        """The rank that began last; none where several did."""
        last = [rank for rank, (start, _) in self.members.items() if start == self.last]
        return last[0] if len(last) == 1 else None

    @property
    def payload(self):
        """Four bytes an element; what a member has in the end, or had at first."""
        return None if self.odd else 4 * self.elements * len(self.ranks)

    def moving(self, known):
        return (self.end - self.last) * US if known else min(length for _, length in self.members.values()) * US


def calls_of(seed):
    r = random.Random(seed)
    calls, at, elements = [], 100, {}
    for number in range(12):
        for name, group, ranks in ((r.choice(list(KINDS)), "0", WORLD), (r.choice(list(KINDS)), "1", (0, 1)),
                                   (r.choice(list(KINDS)), "1", (2, 3)), (r.choice(list(KINDS)), "2", (0, 1))):
            late = r.randrange(1, 40)
            members = {rank: (at + r.choice((0, late)), r.randrange(60, 120)) for rank in ranks}
            odd = {r.choice(ranks): 3} if (number, group) in ((5, "0"), (7, "1"), (9, "1")) else None
            usual = elements.setdefault((name, ranks), r.randrange(4, 9_000))
            calls.append(Call(name, group, ranks, number + 1, usual, members, odd))
            at += 200
    return calls


def trace_of(rank, calls):
    events = []
    for call in calls:
        if rank in call.members:
            start, length = call.members[rank]
            into, out = (part * call.elements_of(rank) for part in KINDS[call.name][2](len(call.ranks)))
            events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X(ncclDevComm*)", "pid": 0, "tid": 7, "ts": start,
                           "dur": length, "args": {
                               "device": 0, "stream": 7, "Collective name": call.name, "In msg nelems": into, "Out msg nelems": out,
                               "dtype": "Float", "Group size": len(call.ranks), "Seq": call.number, "Process Group Name": call.group,
                               "Process Group Ranks": json.dumps(list(call.ranks))}})
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
            "baseTimeNanoseconds": ORIGIN_NS, "traceEvents": events}


def shown_group(call):
    """Everyone has no name; two groups of one name have their ranks beside it; two names of the same ranks are two groups."""
    return "" if call.ranks == WORLD else f"{call.group} {json.dumps(list(call.ranks))}"


def rates(payload, ps, factor):
    algorithm = Fraction(payload * 10**12, ps)
    return {"algorithm_bytes_per_s": algorithm, "bus_bytes_per_s": algorithm * factor}


def size_text(call, rank):
    into, out = (part * call.elements_of(rank) for part in KINDS[call.name][2](len(call.ranks)))
    return f"{into:,} elements in, {out:,} out, of Float"


NO_RATES = {"algorithm_bytes_per_s": None, "bus_bytes_per_s": None}


class Groups(truth.Case):
    def paths(self, calls):
        return [self.write(f"rank{rank}.pt.trace.json", json.dumps(trace_of(rank, calls))) for rank in WORLD]

    def expected(self, calls, known):
        """`ops` and `calls`; which call of its op and group each is counts by their order."""
        of = {}
        for call in calls:
            of.setdefault((call.name, shown_group(call)), []).append(call)
        ops, rows = [], []
        for (name, group), its in sorted(of.items()):
            kind, factor, _ = KINDS[name]
            size = len(its[0].ranks)
            counts = {}
            for call in its:
                if call.last > call.first:
                    counts[call.latest] = counts.get(call.latest, 0) + 1
            for at, call in enumerate(its):
                moving = call.moving(known)
                rows.append({
                    "op": name, "module": "", "process_group": group, "device": -1, "call": at, "last_start_ps": call.last * US,
                    "latest_node": None if call.latest is None else str(call.latest), "latest_device": -1 if call.latest is None else 0,
                    "latest_rank": None if call.latest is None else str(call.latest),
                    "arrival_skew_ps": (call.last - call.first) * US, "span_ps": (call.end - call.first) * US if known else None,
                    "payload_bytes": call.payload, "moving_ps": moving,
                    **(rates(call.payload, moving, factor(size)) if call.payload else NO_RATES)})
            sized = [call for call in its if call.payload]
            ops.append({
                "name": name, "collective": kind, "process_group": group, "groups": len(its), "violations": 0,
                "sized_groups": len(sized),
                "payload_bytes": sum(call.payload for call in sized) if sized else None,
                "moving_ps": sum(call.moving(known) for call in sized) if sized else None,
                **(rates(sum(c.payload for c in sized), sum(c.moving(known) for c in sized), factor(size)) if sized else NO_RATES),
                "most_arrival_skew_ps": max(call.last - call.first for call in its) * US})
        return ops, rows

    def test_all(self):
        for seed in range(3):
            calls = calls_of(seed)
            paths = self.paths(calls)
            for known in (True, False):
                with self.subTest(seed=seed, known=known):
                    found = truth.parsed(truth.run("validate", *paths, "--json", "--limit", 0, *(["--bound", "1ns"] if known else [])))
                    ops, rows = self.expected(calls, known)
                    self.check([{key: op[key] for key in ops[0]} for op in found["ops"]], ops)
                    at = {(row["op"], row["process_group"], row["call"]): row for row in found["calls"]}
                    self.assertEqual(len(at), len(found["calls"]))
                    self.check([at.get((row["op"], row["process_group"], row["call"])) for row in rows], rows)
                    waits = [row["arrival_skew_ps"] for row in found["calls"]]
                    self.assertEqual(waits, sorted(waits, reverse=True))
                    self.check([odd for odd in found["irregularities"] if odd["kind"] == "size"], self.sizes(calls))

    def sizes(self, calls):
        """Who moved another size than most members, or, of as many each, than that operation moves otherwise. Members of an
        all-to-all may have shares that are not equal; and where half of the calls differ, that is how they are written down."""
        of, found = {}, []
        for call in calls:
            of.setdefault((shown_group(call), call.name), []).append(call)
        for (group, name), its in of.items():
            odd = [call for call in its if call.odd]
            if name == "all_to_all" or 2 * len(odd) > len(its):
                continue
            for call in odd:
                rank = next(iter(call.odd))
                other = next(r for r in call.ranks if r != rank)
                found.append({
                    "kind": "size", "op": name, "module": "", "process_group": group, "call": its.index(call),
                    "call_start_ps": call.first * US, "node": str(rank), "device": 0, "rank": str(rank), "count": 1,
                    "of_count": len(its), "late_ps": None,
                    "evidence": f"{size_text(call, rank)}; {len(call.ranks) - 1} of {len(call.ranks)} members: {size_text(call, other)}"})
        return sorted(found, key=lambda row: row["call_start_ps"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
