#!/usr/bin/env python3
"""Code above the formats asks what a file holds, not which format it is: check_formats.py SOURCE_ROOT. Counts the lines that
name a file_family outside src/core/formats. Those that are left name the values of the C ABI, what detection found, and where
nothing was found.
"""
import pathlib
import sys

MAX_LINES = 22


def main(root):
    found = []
    for top in ("src", "include", "capi", "tools"):
        for path in sorted((pathlib.Path(root) / top).rglob("*.[ch]*")):
            name = path.relative_to(root).as_posix()
            if not name.startswith("src/core/formats/"):
                found += [f"{name}:{number}" for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
                          if "file_family::" in line]
    assert found, "the sources were not found"
    is_few = len(found) <= MAX_LINES
    if not is_few:
        print(f"{len(found)} lines name a format, at most {MAX_LINES} may: ask content_of() (profkit/core/capture.hpp)", *found, sep="\n  ")
    print(f"{1 if is_few else 0} passed, {0 if is_few else 1} failed, 0 skipped")
    return 0 if is_few else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
