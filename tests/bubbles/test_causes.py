#!/usr/bin/env python3
"""Why devices wait, on captures whose gaps have known causes: what is named first, what is called proved, what is not said.

test_causes.py PROFKIT [--seed N] [--count K] [--verbose]
The floors are what the detector reaches on seeds that were not looked at; they may only rise.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
# Least shares, in percent: cases whose first cause is right; proved causes that are true; cases with a true proved cause;
# controls of which nothing is said; causes whose time is right within 1 %; stragglers
# found, with the time that others wait for them; sentences of how much of the idle time has a cause.
FLOORS = {"first": 97, "proved": 99, "with_proved": 85, "silent": 100, "time": 98, "coverage": 100, "straggler": 100}


def ask(profkit, case):
    truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
    done = subprocess.run([profkit, "bubbles", case / truth["path"], "--json", "-q", "--limit", "0"], capture_output=True,
                          check=False)
    return case.name, truth, json.loads(done.stdout)


class Score:
    def __init__(self):
        self.sums = collections.defaultdict(lambda: [0, 0])  # right, of
        self.forbidden, self.notes = 0, []

    def add(self, what, right, note):
        self.sums[what][0] += bool(right)
        self.sums[what][1] += 1
        if not right:
            self.notes.append(f"{what}: {note}")

    def judge(self, name, truth, found):
        if "causes" not in found:
            return self.add("control" if truth["control"] else "first", False, f"{name}: {found.get('reason')}")
        if truth["control"]:
            return self.add("silent", not found["causes"] and not found["recommendations"],
                            f"{name}: {[c['cause'] for c in found['causes']]}")
        first = found["causes"][0]["cause"] if found["causes"] else None
        self.add("first", first in truth["accepted_first"], f"{name}: {first}, not {truth['accepted_first']}")
        self.judge_coverage(name, found)
        gaps = {(g["start_ns"], g["end_ns"]): g for g in truth["gaps"]}
        true_ones, said = 0, collections.Counter()
        for window in found["anomaly_discovery"]["bubble_windows"]:
            gap, cause = gaps.get((int(window["start_ns"]), int(window["end_ns"]))), window["cause"]
            if gap is not None and cause["id"] in gap["must_not_say"]:
                self.forbidden += 1
                self.notes.append(f"must not say: {name}: {cause['id']} of {gap['cause']}")
            if gap is not None and cause["id"] in gap["accepted"]:
                said[gap["cause"]] += gap["end_ns"] - gap["start_ns"]
            if cause["certainty"] == "proved":
                right = gap is not None and cause["id"] in gap["may_be_high"]
                true_ones += right
                self.add("proved", right, f"{name}: {cause['id']} of {gap and gap['cause']}")
        if any(g["may_be_high"] for g in truth["gaps"]):
            self.add("with_proved", true_ones > 0, name)
        if truth.get("straggler"):
            late = f"rank {truth['straggler']['rank']} comes last"
            named = [c for c in found["causes"] if c["cause"] == "straggler_wait" and c["evidence"][0].startswith(late)]
            waited = truth["exposed"]["straggler_wait_ns"]
            self.add("straggler", named and 100 * abs(named[0]["time_ns"] - waited) <= waited, f"{name}: {named} of {waited} ns")
        for cause in truth["causes"]:
            if cause.get("gap_ns"):
                off = abs(said[cause["cause"]] - cause["gap_ns"])
                self.add("time", 100 * off <= cause["gap_ns"], f"{name}: {cause['cause']} {said[cause['cause']]} of {cause['gap_ns']} ns")

    def judge_coverage(self, name, found):
        """The sentence says for how much of the idle time causes are known and proved."""
        said = re.search(r"causes are known for <?([0-9.]+) % of the idle time, proved for <?([0-9.]+) %", found["summary"]["q5"])
        idle = [r for r in found["time"] if r["device"] is None and r["in_steps"] and r["use"] == "idle"]
        known = [r for r in idle if r["cause"] not in (None, "unexplained")]
        if said:
            for printed, rows in zip(said.groups(), (known, [r for r in known if r["certainty"] == "proved"])):
                exact = 100 * sum(r["time_ps"] for r in rows) / sum(r["time_ps"] for r in idle)
                self.add("coverage", abs(float(printed) - exact) <= 0.1, f"{name}: {found['summary']['q5']} {exact:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profkit")
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    root = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
    generator = pathlib.Path(os.environ.get("PROFKIT_CORPUS", root.parent / "shared")) / "oracles" / "causes" / "gen_causes.py"
    if not generator.exists():
        print("SKIPPED planted causes: needs PROFKIT_CORPUS\n0 passed, 0 failed, 1 skipped")
        return SKIPPED
    score = Score()
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([sys.executable, generator, temporary, "--seed", str(asked.seed), "--count", str(asked.count)],
                       stdout=subprocess.DEVNULL, check=True)
        cases = sorted(p.parent for p in pathlib.Path(temporary).glob("*/truth.json"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for answer in pool.map(lambda case: ask(asked.profkit, case), cases):
                score.judge(*answer)
    failed = score.forbidden > 0
    for what, least in FLOORS.items():
        right, of = score.sums[what]
        failed = failed or of == 0 or 100 * right < least * of
        print(f"{what}: {right} of {of} ({100 * right / max(of, 1):.1f} %, at least {least} %)")
    print(f"must not say: {score.forbidden}")
    if asked.verbose or failed:
        print("\n".join(score.notes[:60]))
    print(f"{len(cases)} captures\n{0 if failed else 1} passed, {1 if failed else 0} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
