#!/usr/bin/env python3
"""Checks scripts/progress.py: how far it says they are, what it shows of tests that fail, and that the file has all of it."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import types

SCRIPT = pathlib.Path(sys.argv[1])
BUILD = "ninja: Entering directory\n[1/4] Compiling a.cpp\n[2/4] Compiling b.cpp\nb.cpp:1: warning\n"
TESTS = " 9/12 profkit:one   OK   0.1s\n10/12 profkit:two   FAIL 0.1s exit status 1\nwhat two printed\n11/12 profkit:ERRORS   OK   0.1s\n"
LEFT = ", less than 2 min left"
CASES = [
    ("a build", BUILD, "building", "0", ["building: 1 of 4" + LEFT, "building: 2 of 4" + LEFT]),
    ("seldom", BUILD, "building", "60", []),
    ("a test that fails", TESTS, "testing", "60", ["10/12 profkit:two   FAIL 0.1s exit status 1", "what two printed"]),
    ("nothing to do", "[0/0] nothing\n", "building", "0", ["building: 0 of 0" + LEFT]),
]

failed = 0
with tempfile.TemporaryDirectory() as scratch:
    log = pathlib.Path(scratch) / "log"
    for name, given, what, every_s, expected in CASES:
        done = subprocess.run([sys.executable, SCRIPT, log, what, every_s], input=given, capture_output=True, text=True)
        if done.returncode or done.stdout or done.stderr.splitlines() != expected or log.read_text(encoding="utf-8") != given:
            failed += 1
            print(f"{name}: expected {expected}, got {done.stderr!r}, status {done.returncode}, log {log.read_text(encoding='utf-8')!r}")
    # What is left is reckoned from what is done: one job of 241 took two seconds here.
    sys.path.insert(0, str(SCRIPT.parent))
    import progress
    progress.time = types.SimpleNamespace(monotonic=iter([0.0, 2.0]).__next__)
    sys.stdin, told = io.StringIO("[1/241] one\n"), io.StringIO()
    with contextlib.redirect_stderr(told):
        progress.main(log, "building", "1")
    if told.getvalue() != "building: 1 of 241, about 8 min left\n":
        failed += 1
        print(f"the time left: {told.getvalue()!r}")
print(f"{len(CASES) + 1 - failed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
