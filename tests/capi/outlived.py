#!/usr/bin/env python3
"""AddressSanitizer catches what outlives its profile: outlived.py PROGRAM"""
import subprocess
import sys

problems = []
for what in ("cursor", "text"):
    done = subprocess.run([sys.argv[1], what], capture_output=True, text=True, check=False)
    if done.returncode == 0 or "heap-use-after-free" not in done.stderr:
        problems.append(f"{what}: exit {done.returncode}, no report of heap-use-after-free\n{done.stderr}")
print(*problems, sep="\n")
print(f"{2 - len(problems)} passed, {len(problems)} failed, 0 skipped")
sys.exit(1 if problems else 0)
