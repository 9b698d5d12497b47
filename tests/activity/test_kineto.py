#!/usr/bin/env python3
"""Kineto traces of the corpus: busy and idle time of every rank, launches and markers, against json and Decimal.

test_kineto.py ACTIVITY_FACTS
"""
import gzip
import json
import re
import sys
from decimal import Decimal

from common import CORPUS, Checker, facts, length, scaled, skip_without, union

FOLDER = CORPUS / "captures" / "kineto"
KERNELS = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}


def load(path):
    opened = gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")
    with opened as stream:
        return json.loads(stream.read(), parse_float=Decimal, strict=False)


def ps(number):
    return scaled(number, 6)


def expected(path):
    """Devices of a trace by ordinal, from the trace alone."""
    document = load(path)
    events = document["traceEvents"] if isinstance(document, dict) else document
    calls, by_external = {}, {}
    for e in events:
        if e.get("ph") == "X" and e.get("cat") in CALLS:
            calls.setdefault(e["args"].get("correlation"), ps(e["ts"]))
            by_external.setdefault(e["args"].get("External id"), ps(e["ts"]))
    calls.pop(None, None)
    by_external.pop(None, None)
    devices, markers = {}, []
    for e in events:
        if e.get("ph") != "X":
            continue
        name, cat = e.get("name", ""), e.get("cat")
        # Steps of PyTorch's profiler, of SGLang's scheduler and of vLLM's worker.
        is_step = re.fullmatch(r"ProfilerStep#\d+|step\[.*\]|execute_.*context_.*\)_generation_.*\)", name)
        if is_step and cat not in ("gpu_user_annotation", "Trace"):
            markers.append((ps(e["ts"]), ps(e["ts"]) + ps(e["dur"]), name))
        if cat not in KERNELS:
            continue
        args = e["args"]
        d = devices.setdefault(args["device"], {"spans": [], "launched": 0, "comm": 0, "copy": 0, "streams": set()})
        start = ps(e["ts"])
        d["spans"].append((start, start + ps(e["dur"])))
        d["streams"].add(args["stream"])
        correlation = args.get("correlation")
        d["launched"] += correlation in calls if correlation is not None else args.get("External id") in by_external
        d["comm"] += "nccl" in name.lower() or "multimem_" in name or "Collective name" in args
        d["copy"] += cat.lower().endswith(("memcpy", "memset"))
    return devices, sorted(markers)


def check_trace(check, name, found_devices, found_markers, path):
    devices, markers = expected(path)
    check.equal(name + " devices", sorted(d["ordinal"] for d in found_devices), sorted(devices))
    for found in found_devices:
        wanted = devices[found["ordinal"]]
        what = f"{name} device {found['ordinal']}"
        merged = union(wanted["spans"])
        first, last = min(s for s, _ in wanted["spans"]), max(e for _, e in wanted["spans"])
        check.equal(what + " kernels", found["kernels"], len(wanted["spans"]))
        check.equal(what + " busy", found["busy_ps"], length(merged))
        check.equal(what + " idle", found["end_ps"] - found["start_ps"] - found["busy_ps"],
                    last - first - length(merged))
        check.equal(what + " segments", found["segments"], len(merged))
        check.equal(what + " launched", found["launched"], wanted["launched"])
        check.equal(what + " comm", found["classes"].get("comm", 0), wanted["comm"])
        check.equal(what + " copy", found["classes"].get("copy", 0), wanted["copy"])
        check.equal(what + " streams", found["streams"], len(wanted["streams"]))
    # The trace's zero is the capture's own: starts are held against the first kernel, else against the first marker.
    ours = min((d["start_ps"] for d in found_devices), default=min((m[4] for m in found_markers), default=0))
    theirs = min((s for d in devices.values() for s, _ in d["spans"]), default=min((s for s, _, _ in markers), default=0))
    check.equal(name + " markers", sorted((m[2], m[4] - ours, m[5] - m[4]) for m in found_markers),
                sorted((n, s - theirs, e - s) for s, e, n in markers))


def main():
    tool = sys.argv[1]
    skip_without(FOLDER)
    check = Checker()
    files = sorted(p for p in FOLDER.rglob("*") if p.suffix in (".gz", ".json"))
    for path in files:
        found = facts(tool, path)
        host = [m for m in found["markers"] if m[1] == -1]
        check_trace(check, path.name, found["devices"], host, path)
    # All ranks of a folder at once: each is a host group of its own.
    ranks = sorted((FOLDER / "dlrm_8_ranks").iterdir())
    found = facts(tool, FOLDER / "dlrm_8_ranks")
    check.equal("ranks", sorted(d["rank"] for d in found["devices"]), list(range(8)))
    check.equal("groups", len({d["host_group"] for d in found["devices"]}), 8)
    for path, device in zip(ranks, sorted(found["devices"], key=lambda d: d["host_group"])):
        host = [m for m in found["markers"] if m[1] == -1 and m[0] == device["host_group"]]
        check_trace(check, "together " + path.name, [device], host, path)
    check.finish()


if __name__ == "__main__":
    main()
