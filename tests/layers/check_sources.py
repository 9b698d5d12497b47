#!/usr/bin/env python3
"""Every .cpp under src/ and capi/ is built once: check_sources.py SOURCE_ROOT. A file that stands in two lists of its
folder's meson.build would be compiled twice, one that stands in none would be missed by nobody until it is called.
"""
import collections
import pathlib
import re
import sys

BUILT_BY_ROOT = {"capi/version.cpp"}


def problems_in(folder, names, files):
    counts = collections.Counter(names)
    for name in sorted(files | set(counts)):
        if name not in files:
            yield f"{folder}/meson.build lists {name}, which is not there"
        elif counts[name] != 1 and f"{folder}/{name}" not in BUILT_BY_ROOT:
            yield f"{folder}/meson.build lists {name} {counts[name]} times"


def main(root):
    assert len(list(problems_in("a", ["b.cpp", "b.cpp", "d.cpp"], {"b.cpp", "c.cpp"}))) == 3
    assert not list(problems_in("a", ["b.cpp"], {"b.cpp"}))
    problems, count = [], 0
    for top in ("src", "capi"):
        for build in sorted((pathlib.Path(root) / top).rglob("meson.build")):
            folder = build.parent.relative_to(root).as_posix()
            files = {path.name for path in build.parent.glob("*.cpp")}
            count += len(files)
            by_hand = re.sub(r"output: \[.*?\]", "", build.read_text(encoding="utf-8"), flags=re.DOTALL)
            problems += problems_in(folder, re.findall(r"'(\w+\.cpp)'", by_hand), files)
    assert count > 100, "the sources were not found"
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
