#!/usr/bin/env python3
"""Real Ascend folders of the corpus against exact numbers, the exporters' own step times and communication times.

test_real_ascend.py ACTIVITY_FACTS
"""
import csv
import json
import sys

from common import CORPUS, Checker, facts, scaled, skip_without

GOLDEN = CORPUS / "oracles" / "ascend" / "golden"
CAPTURES = CORPUS / "captures" / "ascend"


def rounded(found_ps):
    return (found_ps + 500) // 1000


def check_exact(check, tool, golden):
    wanted = json.loads((golden / "exact_ns.json").read_text())
    path = CORPUS / wanted["file"]
    found = facts(tool, path)
    name = golden.name
    check.equal(name + " devices", len(found["devices"]), 1)
    device = found["devices"][0]
    origin = int(found["origin_ns"])
    check.equal(name + " rows", device["kernels"], wanted["rows"])
    exact = device["resolution_ps"] == 1000
    tolerance = 0 if exact else 1000 * wanted["rows"]
    check.equal(name + " start", device["start_ps"] // 1000 + origin, int(wanted["span_start_ns"]))
    for key, value in (("span_ns", device["end_ps"] - device["start_ps"]), ("busy_union_ns", device["busy_ps"]),
                       ("kernel_sum_ns", device["sum_ps"]), ("wait_sum_ns", device["wait_ps"])):
        if key == "wait_sum_ns":  # waits have six decimals in 2025: the truth rounds each to a nanosecond
            check.true(f"{name} {key}", abs(value - wanted[key] * 1000) <= 1000 * wanted["rows"])
        else:
            check.true(f"{name} {key} {value} {wanted[key]}", abs(value - wanted[key] * 1000) <= tolerance)
    if exact:
        check.equal(name + " bubbles", device["segments"] - 1, wanted["bubble_count"])


def check_communication(check, tool, folder):
    """Each operation of communication.json has the length of the kernel of its name."""
    found = facts(tool, folder, "--rows")
    kernels = {}
    for device in found["devices"]:
        for row in device["rows"]:
            kernels.setdefault(row[2], []).append(row[1])
    matched = 0
    for operation in found["communication"]:
        lengths = kernels.get(operation[1], [])
        if any(abs(length - operation[4]) <= 1000 for length in lengths):
            matched += 1
    check.equal(f"{folder} communication", matched, len(found["communication"]))
    return matched


def check_step_trace(check, tool, folder):
    found = facts(tool, folder)
    if not found["devices"] or not found["step_trace"]:
        return
    device, step = found["devices"][0], found["step_trace"][0]
    span = device["end_ps"] - device["start_ps"]
    check.true(f"{folder} stage {span} {step[3]}", abs(span - step[3]) <= 250_000)
    check.true(f"{folder} free", abs(span - device["busy_ps"] - step[2]) <= 250_000)
    markers = [m for m in found["markers"] if m[1] == -1]
    if markers:
        check.true(f"{folder} preparing", abs(device["start_ps"] - markers[0][4] - step[4]) <= 250_000)


def main():
    tool = sys.argv[1]
    skip_without(GOLDEN, CAPTURES)
    check = Checker()
    for golden in sorted(GOLDEN.glob("real_*")):
        check_exact(check, tool, golden)
    text = CAPTURES / "msinsight/test/data/pytorch/text"
    folders = sorted(text.glob("*/rank*_ascend_pt")) + [CAPTURES / "msinsight/test/st/level2/rank_0_ascend_pt"]
    operations = 0
    for folder in folders:
        check_step_trace(check, tool, folder)
        operations += check_communication(check, tool, folder)
        found = facts(tool, folder)
        for device in found["devices"]:
            check.equal(f"{folder} rank", device["rank"], int(folder.name.split("rank")[1].strip("_")[0]))
        for entry in found["inputs"]:
            check.equal(entry["path"] + " rejected", entry["rejected"], 0)
            check.equal(entry["path"] + " unknown", entry["unknown_columns"], [])
    check.true("operations were compared", operations >= 20)
    # Two ranks that lie beside each other are one run.
    both = facts(tool, text / "level1")
    check.equal("ranks", sorted(d["rank"] for d in both["devices"]), [0, 1])
    check.equal("ranks' groups", len({d["host_group"] for d in both["devices"]}), 2)
    # Only databases: no kernel, and the way out is named.
    database = facts(tool, CAPTURES / "msinsight/test/data/pytorch/db/level0/rank0_ascend_pt")
    check.equal("database devices", database["devices"], [])
    check.true("database remedy", any("export it as text" in n for i in database["inputs"] for n in i["notes"]))
    # Every table of kernels that is there is read whole.
    for path in sorted(CAPTURES.rglob("kernel_details.csv")) + sorted(CAPTURES.rglob("op_summary*.csv")):
        with open(path, newline="", encoding="utf-8-sig") as stream:
            rows = sum(1 for row in csv.reader(stream) if row) - 1
        found = facts(tool, path)
        check.equal(f"{path} rows", sum(d["kernels"] for d in found["devices"]), rows)
    # The trace of a folder without a table has kernels, too.
    trace = facts(tool, CAPTURES / "msprof-analyze/test/ut/advisor/timeline_advice/trace_view.json")
    check.equal("trace kernels", [d["kernels"] for d in trace["devices"]], [276])
    check.equal("trace launches", [d["launched"] for d in trace["devices"]], [274])
    check.true("trace hosts", trace["hosts"][0].get("op", 0) > 0 and trace["hosts"][0].get("runtime", 0) > 0)
    check.finish()


if __name__ == "__main__":
    main()
