#!/usr/bin/env python3
"""How many of the facts on record `profkit architecture --json` gives, and how many of what it gives are wrong.

score_facts.py PROFKIT [--truth FILE [--captures DIR]]... [--table]

Without --truth: the cases of fact_cases.py, made on the spot, of which every recorded fact must be given and none may be wrong.
A truth is {"captures": [{"path", "facts": [{"name", "value", "accept", "recorded"}], "forbidden": [name]}]}; paths are relative to
--captures, else to the file. A fact that is given and differs is wrong, whether or not the capture records it; so is a forbidden one.
A wrong one of certainty "proved" or "likely" is a failure.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import fact_cases

SURE = ("proved", "likely")


def plain(value):
    return re.sub(r"[^a-z0-9]+", "", str(value).lower())


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def fits_one(given, wanted):
    if isinstance(given, bool) or isinstance(wanted, bool):
        return given is wanted
    if is_number(given) and is_number(wanted):
        return math.isclose(given, wanted, rel_tol=1e-9)
    if isinstance(given, list) and isinstance(wanted, list):
        return given == wanted or sorted(map(plain, given)) == sorted(map(plain, wanted))
    if isinstance(given, list):
        return any(fits_one(one, wanted) for one in given)
    if isinstance(wanted, list) or is_number(given) != is_number(wanted):
        return plain(given) == plain(wanted)
    # Words: "FlashAttention-2" is "flash attention 2", and names a "flash" attention.
    return plain(given) == plain(wanted) or (len(plain(wanted)) > 1 and plain(wanted) in plain(given))


def fits(given, fact):
    return any(fits_one(given, wanted) for wanted in [fact["value"], *(fact.get("accept") or [])])


def facts_of(profkit, path):
    done = subprocess.run([profkit, "architecture", str(path), "--json", "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{path}: exit status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout).get("facts", [])


class Score:
    def __init__(self):
        self.recorded = self.right = self.wrong = self.failures = self.given = 0
        self.wrong_rows, self.missing = [], {}

    def add(self, other):
        for key in ("recorded", "right", "wrong", "failures", "given"):
            setattr(self, key, getattr(self, key) + getattr(other, key))
        self.wrong_rows += other.wrong_rows
        for name, count in other.missing.items():
            self.missing[name] = self.missing.get(name, 0) + count

    def text(self):
        share = 100 * self.right / self.recorded if self.recorded else 100.0
        return (f"{self.recorded} recorded, {self.right} right ({share:.1f} %), {self.wrong} wrong of {self.given} given, "
                f"{self.failures} of them at a high certainty")


def score(given, capture):
    s = Score()
    s.given = len(given)
    by_name = {fact["name"]: fact for fact in given}
    known = {}
    for fact in capture["facts"]:
        known.setdefault(fact["name"], []).append(fact)

    def note_wrong(fact, wanted):
        s.wrong += 1
        s.failures += fact["certainty"] in SURE
        s.wrong_rows.append((capture["path"], fact["name"], fact["value"], wanted, fact["certainty"], fact["source"]["text"]))

    for name, wanted in known.items():
        recorded = any(fact.get("recorded", True) for fact in wanted)
        s.recorded += recorded
        if name not in by_name:
            if recorded:
                s.missing[name] = s.missing.get(name, 0) + 1
        elif any(fits(by_name[name]["value"], fact) for fact in wanted):
            s.right += recorded
        else:
            note_wrong(by_name[name], wanted[0]["value"])
    for name in capture.get("forbidden") or []:
        if name in by_name:
            note_wrong(by_name[name], "forbidden")
    return s


def score_truth(profkit, truth, captures, table):
    total = Score()
    for capture in json.loads(truth.read_text(encoding="utf-8"))["captures"]:
        one = score(facts_of(profkit, captures / capture["path"]), capture)
        if table:
            print(f"{one.right:4} of {one.recorded:3}  wrong {one.wrong:2}  {capture['path']}  missing: {', '.join(sorted(one.missing))}")
        total.add(one)
    return total


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("profkit")
    asked.add_argument("--truth", type=pathlib.Path, action="append", default=[])
    asked.add_argument("--captures", type=pathlib.Path)
    asked.add_argument("--table", action="store_true")
    given = asked.parse_args()
    for truth in given.truth:
        total = score_truth(given.profkit, truth, given.captures or truth.parent, given.table)
        for row in total.wrong_rows:
            print("wrong:", *row)
        print(f"{truth}: {total.text()}")
    if given.truth:
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        truth = fact_cases.write_all(folder)
        total = score_truth(given.profkit, truth, folder, given.table)
    for row in total.wrong_rows:
        print("wrong:", *row)
    for name, count in sorted(total.missing.items()):
        print(f"not given: {name} ({count})")
    print(total.text())
    return 0 if total.wrong == 0 and total.right >= total.recorded * fact_cases.WANTED_PERCENT / 100 else 1


if __name__ == "__main__":
    sys.exit(main())
