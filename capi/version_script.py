#!/usr/bin/env python3
"""Turns capi/symbols.txt (lines of `name since`) into a linker version script.

One version node for each release that added names, oldest first, each inheriting from the one before.
"""
import re
import sys


def read_symbols(path):
    """Returns {since: [names]}; stops on a line that is not `name since` or on a name given twice."""
    names_by_release = {}
    seen = set()
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines, 1):
            text = line.split("#", 1)[0].strip()
            if not text:
                continue
            match = re.fullmatch(r"(pk_[a-z0-9_]+)\s+(\d+\.\d+\.\d+)", text)
            if not match:
                sys.exit(f"{path}:{number}: expected `pk_name MAJOR.MINOR.PATCH`, found `{text}`")
            name, since = match.groups()
            if name in seen:
                sys.exit(f"{path}:{number}: {name} is listed twice")
            seen.add(name)
            names_by_release.setdefault(since, []).append(name)
    return names_by_release


def version_script(names_by_release):
    releases = sorted(names_by_release, key=lambda release: [int(part) for part in release.split(".")])
    nodes = []
    previous = ""
    for release in releases:
        names = "".join(f"    {name};\n" for name in sorted(names_by_release[release]))
        hidden = "  local:\n    *;\n" if not previous else ""
        nodes.append(f"PROFKIT_{release} {{\n  global:\n{names}{hidden}}}{previous};\n")
        previous = f" PROFKIT_{release}"
    return "\n".join(nodes)


if __name__ == "__main__":
    symbols_path, script_path = sys.argv[1:]
    with open(script_path, "w", encoding="ascii") as script:
        script.write(version_script(read_symbols(symbols_path)))
