"""What the tests of the activity share: the corpus, the tool that prints the facts, and exact arithmetic."""
import json
import os
import pathlib
import subprocess
import sys
from decimal import Decimal

SOURCE_ROOT = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
CORPUS = pathlib.Path(os.environ.get("PROFKIT_CORPUS", SOURCE_ROOT.parent / "shared"))
SKIPPED = 77  # what Meson takes for a skipped test


def skip_without(*needed):
    """Ends the test as skipped, with the reason, when the large corpus is not there."""
    for path in needed:
        if not path.exists():
            print(f"SKIPPED {path.name}: needs PROFKIT_CORPUS")
            sys.exit(SKIPPED)


def facts(tool, path, *options):
    done = subprocess.run([tool, *options, str(path)], capture_output=True, text=True, errors="surrogateescape")
    if done.returncode != 0:
        raise AssertionError(f"{path}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def scaled(text, power):
    """A decimal number times 10^power as an integer, rounded half away from zero."""
    value = Decimal(str(text).strip()).scaleb(power)
    whole = int(abs(value) + Decimal("0.5"))
    return -whole if value < 0 else whole


def union(intervals):
    """The merged intervals of non-empty spans; touching ones merge."""
    merged = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(merged):
    return sum(end - start for start, end in merged)


class Checker:
    def __init__(self):
        self.failed = 0
        self.checked = 0

    def equal(self, what, got, wanted):
        self.checked += 1
        if got != wanted:
            self.failed += 1
            print(f"FAIL {what}: got {got!r}, expected {wanted!r}")

    def true(self, what, condition):
        self.equal(what, bool(condition), True)

    def finish(self):
        print(f"{self.checked} checks, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
