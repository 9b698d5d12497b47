#!/usr/bin/env python3
"""Copies what ninja or Meson prints to a file and tells how far they are: COMMAND | progress.py FILE building|testing [EVERY_S]

Every EVERY_S seconds (20) a line such as `building: 112 of 341, about 3 min left` goes to standard error. A test that does not
pass is named at once, with what it printed. What is left is reckoned from the jobs that are done.
"""
import re
import sys
import time

DONE = re.compile(r"^(?:\[| *)(\d+)/(\d+)\b")
BAD = re.compile(r"^ *\d+/\d+ .*\b(FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS)\b")


def time_left(seconds):
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else "less than 2 min left"


def main(path, what, every_s="20"):
    begun = told = time.monotonic()
    with open(path, "w", encoding="utf-8", errors="replace") as log:
        for line in sys.stdin:
            log.write(line)
            log.flush()
            at = DONE.match(line)
            if what == "testing" and (BAD.match(line) or not at):
                print(line, end="", file=sys.stderr, flush=True)
            now = time.monotonic()
            if at and now - told >= float(every_s):
                done, whole = map(int, at.groups())
                left = (now - begun) / max(done, 1) * (whole - done)
                print(f"{what}: {done} of {whole}, {time_left(left)}", file=sys.stderr, flush=True)
                told = now


if __name__ == "__main__":
    sys.stdin.reconfigure(errors="replace")
    main(*sys.argv[1:])
