#!/usr/bin/env python3
"""No two types of one namespace share a name: check_names.py SOURCE_ROOT. Where two files define different types of one
name, the linker keeps one of their inline functions for both, and memory is read as what it is not. Types of unnamed
namespaces are a file's own.
"""
import collections
import pathlib
import re
import sys

OPENS = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
CLOSES = re.compile(r"^\}  // namespace")
DEFINES = re.compile(r"^(?:struct|class|union|enum class|enum) (\w+)(?: final)?(?: : [^;]*)? \{")


def types_in(lines):
    spaces = []
    for number, line in enumerate(lines, 1):
        if opened := OPENS.match(line):
            spaces.append(opened.group(1))
        elif CLOSES.match(line):
            spaces.pop()
        elif (defined := DEFINES.match(line)) and None not in spaces:
            yield "::".join([*spaces, defined.group(1)]), number


def main(root):
    example = ["namespace a {", "struct b {", "};", "namespace {", "struct c {", "}  // namespace", "enum class d : int {"]
    assert list(types_in(example)) == [("a::b", 2), ("a::d", 7)]
    places = collections.defaultdict(list)
    for top in ("include", "src", "capi", "tools"):
        for path in sorted((pathlib.Path(root) / top).rglob("*.[ch]pp")):
            for name, number in types_in(path.read_text(encoding="utf-8").splitlines()):
                places[name].append(f"{path.relative_to(root).as_posix()}:{number}")
    assert len(places) > 500, "the sources were not found"
    problems = [f"{name} is defined at {' and '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
