#!/usr/bin/env python3
"""Checks scripts/count_tests.py: what it adds up, what it calls a failure, and its last line."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1])


def record(result, stdout=""):
    return {"name": "some test", "result": result, "stdout": stdout}


CASES = [
    # what, records of one log (None: the log is missing), further arguments, last line, status
    ("plain tests count as one", [record("OK"), record("OK"), record("SKIP")], [], "2 passed, 0 failed, 1 skipped", 0),
    ("own counts are used", [record("OK", "...\n5 passed, 0 failed, 2 skipped\n")], [], "5 passed, 0 failed, 2 skipped", 0),
    ("a failed case", [record("FAIL", "4 passed, 1 failed, 0 skipped\n")], [], "4 passed, 1 failed, 0 skipped", 1),
    ("a crash after good counts", [record("FAIL", "4 passed, 0 failed, 0 skipped\n")], [], "4 passed, 1 failed, 0 skipped", 1),
    ("a time-out", [record("TIMEOUT")], [], "0 passed, 1 failed, 0 skipped", 1),
    ("every case skipped", [record("SKIP", "SKIPPED a: no corpus\n0 passed, 0 failed, 3 skipped\n")], [],
     "0 passed, 0 failed, 3 skipped", 0),
    ("what needs the corpus is no test without it", [record("SKIP", "SKIPPED a: needs PROFKIT_CORPUS: x\n"),
     record("OK", "SKIPPED b: needs PROFKIT_CORPUS\nSKIPPED c: no browser\n3 passed, 0 failed, 2 skipped\n")], [],
     "3 passed, 0 failed, 1 skipped", 0),
    ("a missing log", None, [], "0 passed, 1 failed, 0 skipped", 1),
    ("a broken build", [record("OK")], ["--broken-builds", "1"], "1 passed, 1 failed, 0 skipped", 1),
]

failed = 0
with tempfile.TemporaryDirectory() as scratch:
    for number, (what, records, arguments, last_line, status) in enumerate(CASES):
        log = pathlib.Path(scratch) / f"{number}.json"
        if records is not None:
            log.write_text("".join(json.dumps(entry) + "\n" for entry in records), encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, *arguments, f"run={log}"], capture_output=True, text=True)
        if done.returncode != status or done.stdout.splitlines()[-1:] != [last_line]:
            failed += 1
            print(f"{what}: expected {last_line!r} and status {status}, got {done.stdout!r} and {done.returncode}")
    log = pathlib.Path(scratch) / "times.json"
    log.write_text("".join(json.dumps({**record("OK"), "name": name, "duration": seconds}) + "\n"
                           for name, seconds in (("short", 10.0), ("long", 12.4), ("longest", 61.6))), encoding="utf-8")
    done = subprocess.run([sys.executable, SCRIPT, f"run={log}"], capture_output=True, text=True)
    if done.stdout.splitlines() != ["Over 10 s:", "    62 s  run: longest", "    12 s  run: long", "3 passed, 0 failed, 0 skipped"]:
        failed += 1
        print(f"tests that ran long: got {done.stdout!r}")
print(f"{len(CASES) + 1 - failed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
