#!/usr/bin/env python3
"""Ascend folders made by the generator of the corpus: rows, rejects and busy time equal to its own truth, exactly.

test_generated.py ACTIVITY_FACTS
"""
import json
import subprocess
import sys
import tempfile
import pathlib

from common import CORPUS, Checker, facts, length, scaled, skip_without, union

GENERATOR = CORPUS / "oracles" / "ascend" / "gen_ascend.py"
SCENARIOS = """aicpu_exposed aicpu_masked aicpu_partial clean decode_only dense_only dup_comm edge_thresholds gmm_all
internal_comm internal_h2d_copy internal_insufficient internal_launch_lag internal_serial internal_sync
internal_sync_comm internal_untraced many_bubbles mixed moe_v2 no_comm_json no_fia no_steps no_trace nonrecurring
partial_capture prefill_only prelaunch prelaunch_untraced shapes_missing short_prefill single_pass straddle
sync_sparse_coexist tail variable_shapes wait_anchor within_layer""".split()
VARIANTS = "level0 old2023 tab2024 dev2025 blocknum2026 nostep guide op_summary".split()
VARIANT_NAMES = {"level0": "kernel_details level0", "old2023": "kernel_details 2023", "tab2024": "kernel_details 2024",
                 "dev2025": "kernel_details 2025", "blocknum2026": "kernel_details 2026",
                 "nostep": "kernel_details 2025", "guide": "kernel_details guide", "op_summary": "op_summary"}


def cases():
    for scenario in SCENARIOS:
        yield scenario, "dev2025", 7, []
    for seed, variant in enumerate(VARIANTS, start=21):
        yield "mixed", variant, seed, []
        yield "dup_comm", variant, seed, ["--bom"]
    yield "mixed", "dev2025", 5, ["--dirty", "--bom"]
    yield "mixed", "tab2024", 6, ["--dirty"]
    yield "clean", "dev2025", 8, ["--devices", "2"]
    yield "tail", "op_summary", 9, ["--devices", "3"]


def generate(folder, scenario, variant, seed, more):
    command = [sys.executable, str(GENERATOR), "--out", str(folder), "--scenario", scenario, "--variant", variant,
               "--seed", str(seed), "--layers", "4", "--passes", "P,D,D", *more]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / "ground_truth.json").read_text())


def busy_in(device, window):
    """Merged busy spans of the device's kernels in a window, in ns; rows with an exact ns only."""
    start, end = window
    spans = []
    for row in device["rows"]:
        if row[10] & 4:  # the same collective a second time
            continue
        a, b = max(row[0] // 1000, start), min((row[0] + row[1]) // 1000, end)
        spans.append((a, b))
    return union(spans)


def check_steps(check, name, found, device, truth):
    origin = int(found["origin_ns"])
    for step in truth["steps"]:
        start = scaled(step["start_us"], 3) - origin
        end = scaled(step["end_us"], 3) - origin
        merged = busy_in(device, (start, end))
        what = f"{name} step {step['step']}"
        gaps = [b[0] - a[1] for a, b in zip(merged, merged[1:])]
        check.equal(what + " busy", length(merged), step["busy_ns"])
        check.equal(what + " prelaunch", merged[0][0] - start if merged else end - start, step["prelaunch_ns"])
        check.equal(what + " tail", end - merged[-1][1] if merged else 0, step["tail_ns"])
        check.equal(what + " bubbles", len(gaps), step["bubble_count"])
        check.equal(what + " internal", sum(gaps), step["internal_total_ns"])


def check_markers(check, name, found, truth):
    origin = int(found["origin_ns"])
    seen = [(m[2], m[4] // 1000 + origin, m[5] // 1000 + origin) for m in found["markers"] if m[1] == -1]
    wanted = [(f"ProfilerStep#{s['step']}", scaled(s["start_us"], 3), scaled(s["end_us"], 3)) for s in truth["steps"]]
    check.equal(name + " markers", seen, wanted)


def check_case(check, tool, folder, scenario, variant, seed, more):
    name = " ".join([scenario, variant, str(seed), *more])
    truth = generate(folder, scenario, variant, seed, more)
    found = facts(tool, folder, "--rows")
    table = [i for i in found["inputs"] if i["path"].endswith(".csv") and "step_trace" not in i["path"]][0]
    devices = truth.get("devices", 1)
    rejected = truth.get("expected_rejected_rows", 0)
    check.equal(name + " devices", len(found["devices"]), devices)
    check.equal(name + " rejected", table["rejected"], rejected)
    check.equal(name + " rows", table["rows"], truth["rows"] * devices + rejected)
    check.equal(name + " variant", table["variant"], VARIANT_NAMES[variant])
    check.equal(name + " unknown", table["unknown_columns"], [])
    check.equal(name + " damaged", [i["path"] for i in found["inputs"] if "damage" in i], [table["path"]] * (rejected > 0))
    flags = truth["flags"]
    for device in found["devices"]:
        check.equal(name + " kernels", device["kernels"], truth["rows"])
        check.equal(name + " waits", device["has_waits"], True)
        shapes = variant != "level0" and not flags.get("noshapes")
        check.equal(name + " shapes", device["has_shapes"], shapes)
        check.equal(name + " classes", device["has_classes"], variant != "level0")
        if variant != "level0":
            check.equal(name + " op types", count_types(device), truth["op_counts"])
        if flags.get("dupcomm"):
            comm = device["classes"]["comm"] - sum(1 for r in device["rows"] if "Aicpu" in r[2])
            check.equal(name + " duplicates", device["duplicates"], comm // 2)
        traced = not flags.get("notrace") and devices == 1
        if traced and variant != "old2023":
            check.equal(name + " launches", device["launched"], device["kernels"])
        if variant != "old2023":
            check_steps(check, name, found, device, truth)
    if not flags.get("notrace") and not flags.get("nosteps") and not flags.get("partial") and variant != "op_summary":
        check_markers(check, name, found, truth)


def count_types(device):
    counts = {}
    for row in device["rows"]:
        counts[row[3]] = counts.get(row[3], 0) + 1
    return counts


def main():
    tool = sys.argv[1]
    skip_without(GENERATOR)
    check = Checker()
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            check_case(check, tool, pathlib.Path(folder) / "node_ascend_pt", *case)
    check.finish()


if __name__ == "__main__":
    main()
