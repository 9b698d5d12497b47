#!/usr/bin/env python3
"""Counts the lines that are kept by hand, by folder, and those that are written from schema; and those of the JSON writers.

count_lines.py [ROOT]
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ("src", "include", "capi", "tools", "bindings", "docs/schemas", "schema")
# Written by scripts/generate and bindings/declarations.py as a whole; in other files between two marks.
WRITTEN = re.compile(r"^docs/schemas/|^bindings/rust/profkit-sys/src/lib\.rs$|/_declarations\.py$|/rows_of_tables\.rs$")
REGION = re.compile(r"^ *(?:/\*|//|#) (.*): written by scripts/generate.*?^ *(?:/\*|//|#) end of \1", re.DOTALL | re.MULTILINE)


def main(root):
    names = subprocess.run(["git", "ls-files", "--", *FOLDERS], cwd=root, check=True, capture_output=True, text=True).stdout.split()
    by_hand, written, writers = {folder: 0 for folder in FOLDERS}, 0, 0
    for name in names:
        text = (pathlib.Path(root) / name).read_text(encoding="utf-8", errors="replace")
        lines = text.count("\n")
        regions = lines if WRITTEN.search(name) else sum(region[0].count("\n") for region in REGION.finditer(text))
        folder = next(folder for folder in FOLDERS if name.startswith(folder + "/"))
        by_hand[folder] += lines - regions
        written += regions
        writers += lines if re.match(r"src/core/export/json/.*\.[ch]pp$", name) else 0
    for folder, lines in by_hand.items():
        print(f"{lines:8,} {folder}")
    print(f"{sum(by_hand.values()):8,} kept by hand\n{written:8,} written from schema and kept\n{writers:8,} of the JSON writers")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
