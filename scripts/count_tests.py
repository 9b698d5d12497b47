#!/usr/bin/env python3
"""Adds up the results of Meson test runs: count_tests.py [--broken-builds N] NAME=TESTLOG.JSON ...

A test program that ends its output with a line `N passed, N failed, N skipped` counts with its own cases,
any other as one. Tests that ran long are listed with their time. What asks for files of the large corpus, which is not part of the
project, is no test without it: a line says how much that is. The last line printed is the sum, in the same form; the status is 1
if anything failed.
"""
import json
import re
import sys

COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
LONG_S = 10
OF_CORPUS = "needs PROFKIT_CORPUS"
SKIP_REASON = re.compile(r"^SKIPPED (.*)$", re.MULTILINE)


def counts_of(record):
    """Returns (passed, failed, skipped) of one record of the log."""
    own_lines = COUNTS.findall(record.get("stdout") or "")
    passed, failed, skipped = map(int, own_lines[-1]) if own_lines else (0, 0, 0)
    result = record["result"]
    if result in ("OK", "EXPECTEDFAIL"):
        return (passed, failed, skipped) if own_lines else (1, 0, 0)
    if result == "SKIP":
        return (passed, failed, skipped) if own_lines else (0, 0, 1)
    # A crash, a time-out or a sanitizer's report at exit is a failure that the program's own line may not know.
    return (passed, max(failed, 1), skipped)


def main(arguments):
    total = [0, 0, 0]
    if arguments[:1] == ["--broken-builds"]:
        total[1] += int(arguments[1])
        arguments = arguments[2:]
    failures, skips, slow, of_corpus = [], [], [], 0
    for argument in arguments:
        run, path = argument.split("=", 1)
        try:
            with open(path, encoding="utf-8") as log:
                records = [json.loads(line) for line in log if line.strip()]
        except OSError as problem:
            records = []
            failures.append(f"{run}: no test log ({problem.strerror}: {path})")
            total[1] += 1
        for record in records:
            if record.get("duration", 0) > LONG_S:
                slow.append((record["duration"], f"{run}: {record['name']}"))
            passed, failed, skipped = counts_of(record)
            if failed:
                failures.append(f"{run}: {record['name']} ({record['result']})")
            if skipped:
                reasons = SKIP_REASON.findall(record.get("stdout") or "") or ["no reason given"]
                skips += [f"{run}: {record['name']}: {reason}" for reason in reasons if OF_CORPUS not in reason]
                without_corpus = min(skipped, sum(OF_CORPUS in reason for reason in reasons))
                skipped -= without_corpus
                of_corpus += without_corpus
            total = [sum(pair) for pair in zip(total, (passed, failed, skipped))]
    longest = [f"{seconds:4.0f} s  {name}" for seconds, name in sorted(slow, reverse=True)]
    for title, lines in ((f"Over {LONG_S} s", longest), ("Skipped", skips), ("Failed", failures)):
        if lines:
            print(f"{title}:", *lines, sep="\n  ")
    if of_corpus:
        print(f"{of_corpus} more tests ask for the large corpus: PROFKIT_CORPUS=FOLDER runs them")
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
