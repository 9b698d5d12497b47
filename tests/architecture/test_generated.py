#!/usr/bin/env python3
"""Profiles with a known model, through the command: layers, types, ranges, passes, phases and op counts equal it.

test_generated.py PROFKIT [--all]: the stored profiles, and new ones made on the spot; --all makes every scenario.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FAILURES = []
PHASES = {"P": "prefill", "D": "decode"}


def check(condition, what):
    if not condition:
        FAILURES.append(what)


def run(profkit, *arguments):
    done = subprocess.run([profkit, "architecture", *arguments, "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{arguments}: exit status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def ranges_of(indices):
    """[0, 1, 5] as [(0, 1), (5, 5)]."""
    found = []
    for i in indices:
        if found and found[-1][1] + 1 == i:
            found[-1] = (found[-1][0], i)
        else:
            found.append((i, i))
    return found


def compare_types(found, truth, where):
    """The ranges of every order of types are those of the truth's passes that have it."""
    types = {tuple(map(int, key.split("/"))): kind for key, kind in truth["layer_types"].items()}
    for at, layout in enumerate(found["layouts"]):
        if layout["cut"] or not any(key[0] == layout["first_pass"] for key in types):
            continue
        want = {}
        for (number, index), kind in sorted(types.items()):
            if number == layout["first_pass"]:
                want.setdefault(kind, []).append(index)
        got = {}
        for row in found["layer_types"]:
            if row["layout"] != at:
                continue
            check(row["count"] == sum(r["last"] - r["first"] + 1 for r in row["ranges"]), f"{where}: count of a type")
            for r in row["ranges"]:
                got.setdefault(row["type"], []).extend(range(r["first"], r["last"] + 1))
        check({k: ranges_of(v) for k, v in want.items()} == {k: ranges_of(sorted(v)) for k, v in got.items()},
              f"{where}: layer types {got}, not {want}")


def compare(profkit, folder, where):
    truth = json.loads((folder / "ground_truth.json").read_text())
    found = json.loads(run(profkit, str(folder), "--json"))
    cut = bool(truth["flags"].get("partial"))
    check(len(found["devices"]) == truth.get("devices", 1), f"{where}: devices")
    check(found["layers_per_pass"] == truth["layers"],
          f"{where}: {found['layers_per_pass']} layers a pass, not {truth['layers']}")
    check(found["op_counts"] == truth["op_counts"], f"{where}: op counts differ")
    passes = found["passes"]
    # A capture that is cut may miss passes at its ends, but not the phases between them.
    want = [PHASES[p] for p in truth["passes"]]
    got = [p["phase"] for p in passes]
    check(got == want or (cut and "".join(got) in "".join(want) and len(got) >= len(want) - 2),
          f"{where}: passes {got}, not {want}")
    types = {tuple(map(int, key.split("/"))): kind for key, kind in truth["layer_types"].items()}
    for layer in found["layers"]:
        p = passes[layer["pass"]]
        kind = types.get((layer["pass"], layer["index"]))
        if kind is None or (p["cut"] == "end" and layer is found["layers"][-1]):
            continue
        check(layer["type"] == kind, f"{where}: layer {layer['pass']}/{layer['index']} {layer['type']}, not {kind}")
        check(layer["phase"] == p["phase"], f"{where}: phase of layer {layer['pass']}/{layer['index']}")
        check(layer["sampling"] == (layer["index"] == truth["layers"] - 1), f"{where}: sampling of {layer['index']}")
    for p in passes:
        if p["cut"] == "none":
            check(p["layers"] == truth["layers"], f"{where}: pass {p['index']} has {p['layers']} layers")
    check(sum(p["kernels"] for p in passes) + found["configuration"]["duplicates"] <= truth["rows"], f"{where}: kernels")
    compare_types(found, truth, where)
    for c in found["cross_checks"]:
        check(c["result"] != "fail", f"{where}: check fails: {c['name']}")
    whole = sum(p["cut"] == "none" for p in passes)
    expected = "high" if whole >= 2 else "medium"
    check(found["confidence"] == expected, f"{where}: confidence {found['confidence']}, not {expected}")


def compare_totals(profkit, folder, into, where):
    """The same tables without start times, and no trace: counts equal, nothing claimed of order."""
    truth = json.loads((folder / "ground_truth.json").read_text())
    copy = into / "totals"
    shutil.copytree(folder, copy)
    for trace in [*copy.rglob("msprof*.json"), *copy.rglob("trace_view*.json")]:
        trace.unlink()
    for table in copy.rglob("op_summary*.csv"):
        with open(table, newline="", encoding="utf-8-sig") as text:
            rows = list(csv.reader(text))
        start = next(i for i, name in enumerate(rows[0]) if "start time" in name.lower())
        with open(table, "w", newline="", encoding="utf-8") as text:
            csv.writer(text).writerows([cell for i, cell in enumerate(row) if i != start] for row in rows)
    found = json.loads(run(profkit, str(copy), "--json"))
    check(found["configuration"]["totals_only"], f"{where}: totals")
    check(found["op_counts"] == truth["op_counts"], f"{where}: op counts of totals differ")
    check(found["configuration"]["counted_passes"] == len(truth["passes"]), f"{where}: passes by counts")
    check(found["layers_per_pass"] == truth["layers"], f"{where}: layers by counts")
    want = {}
    for kind in truth["layer_types"].values():
        want[kind] = want.get(kind, 0) + 1
    # The truth leaves out what a profiled pass repeats.
    if sum(want.values()) == truth["layers"] * len(truth["passes"]):
        check({t["type"]: t["occurrences"] for t in found["layer_types"]} == want, f"{where}: types by counts")
    check(sum(t["occurrences"] for t in found["layer_types"]) == found["anchor_details"]["count"], f"{where}: all layers")
    check(found["passes"] == [] and found["layers"] == [] and found["substructures"] == [], f"{where}: no order is known")
    check(found["confidence"] == "low", f"{where}: confidence of totals")
    check(all(c["result"] != "fail" for c in found["cross_checks"]), f"{where}: a check of totals fails")
    report = run(profkit, str(copy), "--markdown").decode()
    headings = [line for line in report.splitlines() if line.startswith("## ")]
    check([h.split(".")[0] for h in headings] == [f"## {i}" for i in range(1, 11)], f"{where}: headings {headings}")


def compare_forms(profkit, folder, where):
    """The same bytes over runs and thread counts; ten sections in order."""
    first = run(profkit, str(folder), "--json", "--threads", "1")
    check(first == run(profkit, str(folder), "--json", "--threads", "4"), f"{where}: JSON differs between thread counts")
    report = run(profkit, str(folder), "--markdown", "--threads", "1")
    check(report == run(profkit, str(folder), "--markdown", "--threads", "3"), f"{where}: Markdown differs")
    headings = [line for line in report.decode().splitlines() if line.startswith("## ")]
    check([h.split(".")[0] for h in headings] == [f"## {i}" for i in range(1, 11)], f"{where}: headings {headings}")
    for block in report.decode().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        check(len({len(r) for r in rows}) <= 1, f"{where}: a table is not aligned: {rows[:1]}")


def generated(generator, into, number, all_scenarios):
    listed = subprocess.run([sys.executable, str(generator), "--list"], stdout=subprocess.PIPE, check=True).stdout.decode()
    words = dict(line.split(":", 1) for line in listed.splitlines() if ":" in line)
    scenarios, variants = words["scenarios"].split(), words["variants"].split()
    if not all_scenarios:
        scenarios = scenarios[::5] + ["mixed", "partial_capture", "no_steps"]
    for i, scenario in enumerate(scenarios):
        variant = variants[(i + number) % len(variants)]
        seed = 1000 + number * 100 + i
        layers, dense = 3 + (seed * 7) % 9, (seed * 5) % 4
        folder = into / f"{scenario}_{variant}_{seed}"
        subprocess.run([sys.executable, str(generator), "--out", str(folder), "--seed", str(seed), "--scenario", scenario,
                        "--variant", variant, "--layers", str(layers), "--dense", str(dense),
                        "--passes", ["P,D,D", "P,P,D,D,D", "D,D,P,D"][i % 3], "--trace-density", "0.2"],
                       stdout=subprocess.DEVNULL, check=True)
        yield folder, f"{scenario}/{variant}/seed {seed}/{layers} layers"


def main():
    profkit = sys.argv[1]
    corpus = pathlib.Path(os.environ.get("PROFKIT_CORPUS") or pathlib.Path(__file__).resolve().parents[3] / "shared")
    ascend = corpus / "oracles" / "ascend"
    if not ascend.is_dir():
        print("SKIPPED generated profiles: needs PROFKIT_CORPUS")
        return SKIPPED
    count = 0
    for stored in sorted((ascend / "golden").glob("gen_*")):
        compare(profkit, stored / "input", stored.name)
        count += 1
    compare_forms(profkit, ascend / "golden" / "gen_mixed" / "input", "gen_mixed")
    compare_forms(profkit, ascend / "golden" / "gen_two_devices" / "input", "gen_two_devices")
    with tempfile.TemporaryDirectory() as temporary:
        compare_totals(profkit, ascend / "golden" / "gen_mixed_op_summary" / "input", pathlib.Path(temporary), "totals")
        number = int(os.environ.get("PROFKIT_TEST_SEED", "0"))
        for folder, where in generated(ascend / "gen_ascend.py", pathlib.Path(temporary), number, "--all" in sys.argv):
            compare(profkit, folder, where)
            count += 1
            if any(folder.rglob("op_summary*.csv")) and not json.loads((folder / "ground_truth.json").read_text())["flags"].get("partial"):
                compare_totals(profkit, folder, pathlib.Path(tempfile.mkdtemp(dir=temporary)), where)
    for what in FAILURES[:40]:
        print(what)
    print(f"{count} profiles, {len(FAILURES)} failures")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
