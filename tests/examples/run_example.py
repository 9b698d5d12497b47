#!/usr/bin/env python3
"""Runs an example and compares what it prints: run_example.py EXPECTED.TXT PROGRAM ARGUMENT..."""
import difflib
import subprocess
import sys

expected_path, *command = sys.argv[1:]
done = subprocess.run(command, capture_output=True, text=True)
with open(expected_path, encoding="utf-8") as file:
    expected = file.read()
problems = list(difflib.unified_diff(expected.splitlines(), done.stdout.splitlines(), "expected", "printed",
                                     lineterm=""))
if done.returncode != 0 or done.stderr:
    problems.append(f"exit {done.returncode}\n{done.stderr}")
# A capture that is not there is told, and is no success.
absent = subprocess.run([command[0], "/nonexistent/a.xplane.pb", *command[2:]], capture_output=True, text=True)
if len(command) > 1 and (absent.returncode != 1 or not absent.stderr):
    problems.append(f"a missing capture gave exit {absent.returncode}: {absent.stderr}")
print("\n".join(problems))
print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
sys.exit(1 if problems else 0)
