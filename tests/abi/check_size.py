#!/usr/bin/env python3
"""Compares the code and constants of libprofkit.so with the record of such a build: check_size.py LIBPROFKIT.SO SIZES.TXT BUILD.

A tenth more than the record fails: write the new size there, with a change that is worth it. Compilers differ by a few percent.
"""
import subprocess
import sys


def recorded(text, build):
    lines = (line.split("#", 1)[0].split() for line in text.splitlines())
    return next(int(size) for name, size in filter(None, lines) if name == build)


def is_within(size, record):
    return size * 10 <= record * 11


def main(library, sizes, build):
    assert is_within(110, 100) and not is_within(111, 100)
    assert recorded("# what\nwhole 5  # x\ncore 3\n", "core") == 3
    out = subprocess.run(["size", "--format=berkeley", library], check=True, capture_output=True, text=True).stdout
    size = int(out.splitlines()[1].split()[0])
    with open(sizes, encoding="ascii") as text:
        record = recorded(text.read(), build)
    print(f"{library}: {size} bytes of code and constants, {record} on record")
    good = is_within(size, record)
    print(f"{int(good)} passed, {int(not good)} failed, 0 skipped")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
