#!/usr/bin/env python3
"""Facts of trace files by Python's own JSON reader, for tests/chrome/facts.tsv.

make_facts.py CORPUS > facts.tsv reads every Chrome trace under CORPUS/captures/{jax,kineto}.
Columns: path, events, phases (ph:count), X events with dur, their sum in ps, then the least and the
greatest ts of events other than M as whole us and ps past them.
"""
import collections
import decimal
import gzip
import json
import pathlib
import sys

PS_PER_US = 1_000_000
decimal.getcontext().prec = 60


def picoseconds(value):
    scaled = decimal.Decimal(value) * PS_PER_US
    return int(scaled.to_integral_value(rounding=decimal.ROUND_HALF_UP))  # away from zero


def facts_of(path):
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    document = json.loads(raw, parse_float=decimal.Decimal)
    events = document if isinstance(document, list) else document["traceEvents"]
    phases = collections.Counter(e.get("ph", "") for e in events)
    durations = [picoseconds(e["dur"]) for e in events if e.get("ph") == "X" and "dur" in e]
    times = [picoseconds(e["ts"]) for e in events if "ts" in e and e.get("ph") != "M"]
    first, last = (divmod(f(times), PS_PER_US) for f in (min, max))
    return [len(events), ",".join(f"{p}:{n}" for p, n in sorted(phases.items())), len(durations), sum(durations),
            *first, *last]


def main():
    corpus = pathlib.Path(sys.argv[1])
    found = [p for folder in ("jax", "kineto") for p in (corpus / "captures" / folder).rglob("*")
             if p.name.endswith((".json", ".json.gz"))]
    for path in sorted(found):
        print(path.relative_to(corpus), *facts_of(path), sep="\t")


main()
