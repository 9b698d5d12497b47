#!/usr/bin/env python3
"""AddressSanitizer catches what outlives its profile, and a buffer that its profile outlives: outlived.py PROGRAM"""
import subprocess
import sys

WHAT = ("cursor", "text", "buffer")
problems = []
for what in WHAT:
    done = subprocess.run([sys.argv[1], what], capture_output=True, text=True, check=False)
    if done.returncode == 0 or "heap-use-after-free" not in done.stderr:
        problems.append(f"{what}: exit {done.returncode}, no report of heap-use-after-free\n{done.stderr}")
print(*problems, sep="\n")
print(f"{len(WHAT) - len(problems)} passed, {len(problems)} failed, 0 skipped")
sys.exit(1 if problems else 0)
