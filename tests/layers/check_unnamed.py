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
ENUM = re.compile(r"^enum (?!class\b)[^;{]*\{(.*)$")
ENUMERATOR = re.compile(r"\w+")


def enumerators(lines, first, rest):
    """Yields the name and line number of what an enum that is no class holds, which begins with `rest` of line `first`."""
    for number in range(first, len(lines) + 1):
        text = (rest if number == first else lines[number - 1]).split("//")[0]
        for item in text.split("}")[0].split(","):
            if name := ENUMERATOR.search(item.split("=")[0]):
                yield name.group(0), number
        if "}" in text:
            return


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
            named = [(name, number) for name in names]
            if held := ENUM.match(line):
                named += enumerators(lines, number, held.group(1))
            for name, at in named:
                yield "::".join([*filter(None, spaces), name]), line if alias else "", at


def self_test():
    example = ["namespace a {", "namespace {", "constexpr int b = 1, c = 2;", "int d(int n) {", "  return n;", "}",
               "void e::f() {", "using g = int;",
               "enum i : int {", "  j = 1,  // k", "  l", "};", "enum class m { n };",
               "enum o { p, q };",
               "}  // namespace", "[[nodiscard]] int h();"]
    assert list(names_in(example, True)) == [("a::b", "", 3), ("a::c", "", 3), ("a::d", "", 4),
                                             ("a::g", "using g = int;", 8), ("a::i", "", 9), ("a::j", "", 10),
                                             ("a::l", "", 11), ("a::m", "", 13), ("a::o", "", 14), ("a::p", "", 14),
                                             ("a::q", "", 14)]
    assert list(names_in(example, False)) == [("a::h", "", 16)]


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
