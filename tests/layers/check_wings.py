#!/usr/bin/env python3
"""What others ask of a wing (src/wings), its left_out.cpp answers, and nothing else: check_wings.py NM BUILD_ROOT LEFT_OUT.a ..."""
import pathlib
import re
import subprocess
import sys

GLOBAL = "BDRT"   # strong definitions; inline functions are everywhere


def symbols_of(nm, paths):
    """(defined, asked for) by object files and archives."""
    defined, asked = set(), set()
    out = subprocess.run([nm, "--extern-only", "--format=posix", *map(str, paths)], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        name, kind, *_ = line.split() + ["", ""]
        if kind in GLOBAL and kind:
            defined.add(name)
        elif kind == "U":
            asked.add(name)
    return defined, asked


def problems(wing, defined, asked_by_others, answered):
    needed = defined & asked_by_others
    yield from (f"{wing}: left_out.cpp does not answer {name}" for name in sorted(needed - answered))
    yield from (f"{wing}: nobody asks for {name}, which left_out.cpp answers" for name in sorted((answered & defined) - needed))
    yield from (f"{wing}: left_out.cpp defines {name}, which the wing does not have" for name in sorted(answered - defined))


def main(nm, build_root, *archives):
    assert len(list(problems("a", {"f", "g", "h"}, {"f", "g"}, {"g", "h", "x"}))) == 3
    assert not list(problems("a", {"f", "g"}, {"g", "z"}, {"g"}))
    objects = {}   # by folder of the build
    for path in pathlib.Path(build_root).rglob("*.o"):
        if match := re.match(r"(?:tools/)?(?:lib)?(profkit\w*)(?:\.a|\.so[.\d]*|)\.p/", path.relative_to(build_root).as_posix()):
            objects.setdefault(match[1], []).append(path)
    found = []
    for archive in archives:
        wing = re.search(r"profkit_(\w+)_left_out", archive)[1]
        own = {f"profkit_{wing}", f"profkit_{wing}_hot", f"profkit_{wing}_cold"}
        defined, _ = symbols_of(nm, [path for name in own for path in objects.get(name, [])])
        assert defined, f"{build_root} has no objects of {wing}"
        _, asked = symbols_of(nm, [path for name, paths in objects.items() if name not in own and not name.endswith("_left_out") for path in paths])
        answered, _ = symbols_of(nm, [archive])
        found += problems(wing, defined, asked, answered)
    demangled = subprocess.run(["c++filt"], input="\n".join(found), capture_output=True, text=True).stdout if found else ""
    print(demangled.replace("profkit::", ""))
    print(f"{len(archives)} passed, {len(found)} failed, 0 skipped")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
