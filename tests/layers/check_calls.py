#!/usr/bin/env python3
"""Fails when a layer calls a function of a layer above it, which it can see through a header of include/profkit/core.

check_calls.py SOURCE_ROOT. docs/architecture.md, "Who may include whom", has the layers. Functions are told by their names: those that
two layers define are left out, and so are members.
"""
import collections
import pathlib
import re
import sys

import check_includes

# From below to above: a layer calls itself and those before it.
LAYERS = [prefix.split("/")[2] for prefix, _ in check_includes.LAYERS if prefix.startswith("src/") and prefix.endswith("/")]
# What the core asks of a wing by way of a public header: src/wings/WING/left_out.cpp answers where the wing is left out.
ASKED_OF_WINGS = {
    "analyse_architecture": "model",
    "compare_nodes": "clusters",
    "fact_text": "model",
    "find_model": "model",
    "profile_label": "model",
    "validate_collectives_of": "clusters",
    "write_validation": "clusters",
}
RESULT = r"(?:\[\[nodiscard\]\] )?[\w:<>,&*\s]+?[\s&*]"
DECLARED = re.compile(rf"^(?!\s|return|using|typedef|friend){RESULT}(\w+)\((?:[^;{{}}]|\{{\}})*\)(?: noexcept)?;", re.M)
DEFINED = re.compile(rf"^(?!\s){RESULT}(\w+)\([^;{{}}]*\)(?: noexcept)? \{{", re.M)


def calls_up(files):
    """[(path, line, function, layer that defines it)] of {path: text}; paths begin with a layer, or with core/."""
    declared = {name for path, text in files.items() if path.startswith("core/") for name in DECLARED.findall(text)}
    of_source = {path: text for path, text in files.items() if not path.startswith("core/")}
    layers = collections.defaultdict(set)
    for path, text in of_source.items():
        for name in DEFINED.findall(text):
            layers[name].add(path.partition("/")[0])
    above = {name: layers[name].pop() for name in declared if len(layers[name]) == 1}
    found = []
    for path, text in sorted(of_source.items()):
        layer = path.partition("/")[0]
        for call in re.finditer(r"(?<![\w.>:])(\w+)\(", text):
            defining = above.get(call[1])
            if defining and LAYERS.index(defining) > LAYERS.index(layer):
                found.append((path, text.count("\n", 0, call.start()) + 1, call[1], defining))
    return found


def self_test():
    core = "int low(int x);\n[[nodiscard]] result<void> high(const trace& t) noexcept;\nvoid both();\n"
    files = {"core/a.hpp": core, "base/low.cpp": "int low(int x) {\n  return high(x);\n}\nvoid both() {\n}\n",
             "export/high.cpp": "result<void> high(const trace& t) noexcept {\n  low(1);\n  both();\n}\nvoid both() {\n}\n",
             "read/ok.cpp": "void f() {\n  x.high(1);\n  low(2);\n  both();\n}\n"}
    assert calls_up(files) == [("base/low.cpp", 2, "high", "export")], calls_up(files)


def main(root):
    self_test()
    files = {}
    for folder, place in (("src/core", ""), ("src/wings", ""), ("include/profkit/core", "core/")):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            files[place + path.relative_to(root / folder).as_posix()] = check_includes.without_comments(path.read_text(encoding="utf-8"))
    found = calls_up(files)
    wrong = [call for call in found if ASKED_OF_WINGS.get(call[2]) != call[3]]
    for path, line, name, layer in wrong:
        print(f"src/{path}:{line}: calls {name}() of {layer}, a layer above it")
    unused = set(ASKED_OF_WINGS) - {name for _, _, name, _ in found}
    for name in sorted(unused):
        print(f"no layer calls {name}(): take it out of ASKED_OF_WINGS")
    failed = len(wrong) + len(unused)
    print(f"{len(files)} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
