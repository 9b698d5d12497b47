#!/usr/bin/env python3
"""What stands in unnamed namespaces has names of its own: check_unnamed.py SOURCE_ROOT. No two files of src, of capi or
of tools use one name for such things, nor does a header there for what all may use in the same namespace: scripts/report
compiles several files as one, where the names would meet.
"""
import collections
import pathlib
import re
import sys

from check_names import CLOSES, DEFINES, OPENS

ALIAS = re.compile(r"^(?:__extension__ )?using (\w+) =")
NAMELESS = re.compile(r"^(?:[\s}#/)]|using |static_assert|namespace|extern|template <[^>]*>$|$)")
# The word before the first '(', '=', '{', '[' or ';': a function, a variable, a type that is only declared.
DECLARES = re.compile(r"^[^=;{(\[]*?(?<!::)\b(\w+) ?[(={\[;]")
FURTHER = re.compile(r", (\w+) =")  # constexpr int a = 1, b = 2;


def names_in(lines, unnamed):
    """Yields name, alias and line number of what begins a line in an unnamed namespace, or else in named ones alone."""
    spaces = []
    for number, line in enumerate(lines, 1):
        if opened := OPENS.match(line):
            spaces += [] if "}" in line else [opened.group(1)]
        elif CLOSES.match(line):
            spaces.pop()
        elif spaces and (None in spaces) == unnamed and not (NAMELESS.match(line) and not ALIAS.match(line)):
            line = re.sub(r"^(?:\[\[\w+\]\] |template <[^>]*> )+", "", line)
            alias = ALIAS.match(line)
            found = DEFINES.match(line) or alias or DECLARES.match(line)
            names = [found.group(1)] if found else []
            if found and "(" not in line:
                names += FURTHER.findall(line)
            for name in names:
                yield "::".join([*filter(None, spaces), name]), line if alias else "", number


def self_test():
    example = ["namespace a {", "namespace {", "constexpr int b = 1, c = 2;", "int d(int n) {", "  return n;", "}",
               "void e::f() {", "using g = int;", "}  // namespace", "[[nodiscard]] int h();"]
    assert list(names_in(example, True)) == [("a::b", "", 3), ("a::c", "", 3), ("a::d", "", 4),
                                             ("a::g", "using g = int;", 8)]
    assert list(names_in(example, False)) == [("a::h", "", 10)]


def problems_in(root, top):
    """Yields None for a name that is in order, else what is wrong."""
    unnamed, shared = collections.defaultdict(dict), {}
    for path in sorted((root / top).rglob("*.[ch]pp")):
        lines, file = path.read_text(encoding="utf-8").splitlines(), path.relative_to(root).as_posix()
        for name, alias, number in names_in(lines, True):
            unnamed[name].setdefault(file, (f"{file}:{number}", alias))
        if path.suffix == ".hpp":
            shared.update((name, f"{file}:{number}") for name, _, number in names_in(lines, False))
    for name, files in sorted(unnamed.items()):
        places, aliases = zip(*files.values())
        same_alias = aliases[0] != "" and len(set(aliases)) == 1
        if name in shared:
            yield f"{name} of the unnamed namespace at {places[0]} is also at {shared[name]}, for all"
        else:
            yield None if len(files) == 1 or same_alias else f"{name} is in the unnamed namespaces of {' and '.join(places)}"


def main(root):
    self_test()
    found = [problem for top in ("src", "capi", "tools") for problem in problems_in(pathlib.Path(root), top)]
    assert len(found) > 1000, "the sources were not found"
    problems = [problem for problem in found if problem]
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
