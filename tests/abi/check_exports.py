#!/usr/bin/env python3
"""Compares what libprofkit.so exports and needs with the two lists that say what it may.

check_exports.py LIBPROFKIT.SO SYMBOLS.TXT NEEDED.TXT [PART_LEFT_OUT_OR_INSIDE ...]
"""
import re
import subprocess
import sys


def read_list(path):
    """Lines of a list file without comments."""
    with open(path, encoding="ascii") as lines:
        return [text for text in (line.split("#", 1)[0].strip() for line in lines) if text]


def expected_exports(symbol_lines):
    """Each listed name in its version node, and the nodes themselves."""
    pairs = [line.split() for line in symbol_lines]
    return {f"T {name}@@PROFKIT_{since}" for name, since in pairs} | {f"A PROFKIT_{since}" for _, since in pairs}


def found_exports(nm_text):
    """`T name@@NODE` for each dynamic symbol that the library defines; a node prints with or without its version."""
    found = set()
    for line in nm_text.splitlines():
        _, kind, name = line.split()
        if kind == "A":
            name = name.split("@@")[0]
        found.add(f"{kind} {name}")
    return found


def found_needed(readelf_text):
    names = re.findall(r"\(NEEDED\).*\[(.+?)\]", readelf_text)
    return {re.sub(r"\.so(\.\d+)*$", "", name) for name in names}


def allowed_needed(needed_lines, absent_parts):
    pairs = [line.split() for line in needed_lines]
    return [name for name, *part in pairs if not set(part) & set(absent_parts)]


def differences(exports, symbol_lines, needed, allowed):
    expected = expected_exports(symbol_lines)
    problems = [f"exported, but not in symbols.txt: {name}" for name in sorted(exports - expected)]
    problems += [f"in symbols.txt, but not exported: {name}" for name in sorted(expected - exports)]
    problems += [f"needed, but not in needed.txt: {name}" for name in sorted(needed - set(allowed))]
    return problems


def self_test():
    listed = ["pk_a 0.1.0", "pk_b 0.2.0"]
    good = found_exports("0 T pk_a@@PROFKIT_0.1.0\n0 T pk_b@@PROFKIT_0.2.0\n0 A PROFKIT_0.1.0@@PROFKIT_0.1.0\n"
                         "0 A PROFKIT_0.2.0\n")
    assert not differences(good, listed, {"libc"}, ["libc"])
    assert len(differences(good | {"W _ZNSt6vector"}, listed, {"libc"}, ["libc"])) == 1
    assert len(differences(good, listed[:1], set(), [])) == 2
    assert len(differences(good - {"T pk_a@@PROFKIT_0.1.0"}, listed, set(), [])) == 1
    assert differences(good, listed, {"libprotobuf"}, ["libc"]) == ["needed, but not in needed.txt: libprotobuf"]
    assert allowed_needed(["libc", "libz zlib", "libre2 re2"], ["re2"]) == ["libc", "libz"]
    assert found_needed(" 0x1 (NEEDED)  Shared library: [libstdc++.so.6]\n") == {"libstdc++"}


def main(library, symbols_path, needed_path, *absent_parts):
    self_test()
    run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout
    problems = differences(found_exports(run("nm", "-D", "--defined-only", library)), read_list(symbols_path),
                           found_needed(run("readelf", "-d", library)), allowed_needed(read_list(needed_path), absent_parts))
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
