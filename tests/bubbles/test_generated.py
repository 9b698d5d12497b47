#!/usr/bin/env python3
"""Profiles made on the spot with new seeds, through the command: metrics, tags and labels equal to their truth.

test_generated.py PROFKIT [--all]: --all crosses every scenario with every variant, which takes some minutes.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
FAILURES = []


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def ns(text):
    whole, _, fraction = text.partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def bubbles(profkit, folder, *more):
    done = subprocess.run([profkit, "bubbles", folder, "--json", "--window-policy", "marker", "-q", *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{folder}: exit status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


TAGS = {"DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", "TAIL_GAP_HEAVY", "INTERNAL_BUBBLE_HEAVY"}


def check_whole(found, truth, where):
    """What holds of a capture whatever its steps: every long gap inside of a step is one of the device, at its place."""
    gaps = {(int(b["start_ns"]), int(b["end_ns"])) for b in found["anomaly_discovery"]["bubble_windows"]}
    for step in truth["steps"]:
        for want in step["bubbles_ge_100us"]:
            check((ns(want["start_us"]), ns(want["end_us"])) in gaps, f"{where}: no gap at {want['start_us']}")
    check(sum(d["kernels"] + d["duplicates"] for d in found["devices"]) == truth["rows"] * len(found["devices"]) or
          sum(d["kernels"] + d["duplicates"] for d in found["devices"]) == truth["rows"], f"{where}: kernels")
    check(found["self_check"]["busy_and_idle_fill_every_step"], f"{where}: busy and idle do not fill a step")


def compare(profkit, folder, where):
    truth = json.loads((folder / "ground_truth.json").read_text())
    if truth["variant"] == "op_summary":   # msprof writes no step markers: the capture is one step
        whole = bubbles(profkit, str(folder))
        check([s["step_id"] for s in whole["steps"]] == ["capture"], f"{where}: steps without markers")
        check_whole(whole, truth, where)
        return
    rounded = truth["variant"] == "old2023"
    found = bubbles(profkit, str(folder))
    check(found == bubbles(profkit, str(folder), "--threads", "1"), f"{where}: another number of threads, another story")
    steps = {s["step_id"]: s for s in found["steps"]}
    for want in truth["steps"]:
        whole = want["step"] == "global"
        got = found["steps"][0] if whole else steps.get(str(want["step"]))
        if got is None or (truth["flags"].get("notrace") or truth["flags"].get("partial")):
            check(truth["flags"].get("notrace") or truth["flags"].get("partial"), f"{where}: no step {want['step']}")
            continue
        slack = 1000 + 300 * want["bubble_count"] if rounded else 0
        for ours, theirs in (("service_ns", "service_ns"), ("device_busy_union_ns", "busy_ns"),
                             ("underfeed_ns", "underfeed_ns"), ("prelaunch_gap_ns", "prelaunch_ns"),
                             ("tail_gap_ns", "tail_ns"), ("internal_bubble_total_ns", "internal_total_ns"),
                             ("largest_internal_bubble_ns", "largest_ns")):
            check(abs(got[ours] - want[theirs]) <= slack, f"{where} step {want['step']}: {ours} {got[ours]}, not {want[theirs]}")
        if not rounded:
            check(got["bubble_count"] == want["bubble_count"], f"{where} step {want['step']}: bubble_count")
            check(got["start_ns"] == str(ns(want["start_us"])), f"{where} step {want['step']}: start {got['start_ns']}")
        tags = {t.replace("(rulebook)", "") for t in want["tags"] if "(script)" not in t}
        check(set(got["anomaly_tags"]) & TAGS == tags, f"{where} step {want['step']}: {got['anomaly_tags']}, not {tags}")
        check(sum(got["breakdown"].values()) == got["exact_ps"]["end"] - got["exact_ps"]["start"], f"{where}: breakdown")
    if truth["flags"].get("notrace") or truth["flags"].get("nosteps") or truth["flags"].get("partial"):
        return
    slack = 600 if rounded else 0
    windows = found["anomaly_discovery"]["bubble_windows"]
    # No long gap inside of a step that the truth does not have.
    if not rounded:
        longer = {(int(b["start_ns"]), int(b["end_ns"])) for b in windows
                  if b["scope"] == "step_internal" and b["duration_ns"] >= 100_000}
        wanted = {(ns(b["start_us"]), ns(b["end_us"])) for step in truth["steps"] for b in step["bubbles_ge_100us"]}
        check(longer == wanted, f"{where}: gaps {sorted(longer ^ wanted)[:4]} are in one of both only")
    # No launch names its thread here, and without one a cause is never certain.
    sure = [b for b in windows if b["cause"]["certainty"] in ("proved", "likely")]
    check(all(b["launch"] is not None for b in sure), f"{where}: too certain")
    for want in truth["injected_bubbles"]:
        start, end = ns(want["start_us"]), ns(want["end_us"])
        match = [b for b in found["anomaly_discovery"]["bubble_windows"] if b["scope"] == want["scope"]
                 and abs(int(b["start_ns"]) - start) <= slack and abs(int(b["end_ns"]) - end) <= slack]
        check(len(match) >= 1, f"{where}: no bubble {want['scope']} at {want['start_us']}")
        for b in match:
            check(set(b["candidate_labels"]) == set(want["labels"]),
                  f"{where}: {b['bubble_id']} {b['candidate_labels']}, not {want['labels']}")
            check(b["kernels_after"] or b["scope"] == "tail", f"{where}: {b['bubble_id']} has no kernel behind it")
    check(all(row["agrees"] for row in found["self_check"]["step_trace_time"]), f"{where}: step_trace_time disagrees")
    left_out = [gap for gap in found["evidence_gaps"] if "not compared with step_trace_time" in gap]
    check(truth["scenario"] != "straddle" or left_out, f"{where}: it is not said that steps were not compared")
    check(found["self_check"]["busy_and_idle_fill_every_step"], f"{where}: busy and idle do not fill a step")
    flags = {f["op_name"]: f["is_false_hotspot_risk"] for f in found["anomaly_discovery"]["wait_anchor_ops"]}
    if truth["flags"].get("anchor") and truth["variant"] != "level0":
        check(flags.get("ZerosLike"), f"{where}: the wait anchor was not found in {sorted(flags)}")
    tags = {t for g in found["anomaly_discovery"]["step_group_anomalies"] for t in g["anomaly_tags"]}
    if truth["flags"].get("noshapes"):
        check("VARIABLE_SHAPE_SAME_TEMPLATE" not in tags, f"{where}: shapes vary that are not there")
    if truth["flags"].get("varshape"):
        check("VARIABLE_SHAPE_SAME_TEMPLATE" in tags, f"{where}: changing shapes were not seen")


def main():
    profkit = sys.argv[1]
    root = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
    corpus = pathlib.Path(os.environ.get("PROFKIT_CORPUS", root.parent / "shared"))
    generator = corpus / "oracles" / "ascend" / "gen_ascend.py"
    if not generator.exists():
        print("SKIPPED generated profiles: needs PROFKIT_CORPUS\n0 passed, 0 failed, 1 skipped")
        return SKIPPED
    listed = subprocess.run([sys.executable, generator, "--list"], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    scenarios, variants = listed[0].split()[1:], listed[1].split()[1:]
    jobs = [(s, "dev2025", 100 + i) for i, s in enumerate(scenarios)] + [("mixed", v, 200 + i) for i, v in enumerate(variants)]
    if "--all" in sys.argv:
        jobs = [(s, v, 7 * i + j) for i, s in enumerate(scenarios) for j, v in enumerate(variants)]
    with tempfile.TemporaryDirectory() as temporary:
        for scenario, variant, seed in jobs:
            folder = pathlib.Path(temporary) / f"{scenario}_{variant}_{seed}"
            subprocess.run([sys.executable, generator, "--out", folder, "--seed", str(seed), "--scenario", scenario,
                            "--variant", variant, "--layers", "5", "--passes", "P,D,D,D", "--trace-density", "0.2"],
                           stdout=subprocess.DEVNULL, check=True)
            compare(profkit, folder, f"{scenario}/{variant}/{seed}")
    for failure in FAILURES[:40]:
        print("FAILED", failure)
    print(f"{len(jobs)} profiles; {len(FAILURES)} differences\n{0 if FAILURES else 1} passed, {1 if FAILURES else 0} failed, 0 skipped")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
