#!/usr/bin/env python3
"""Rows of bindings follow from descriptions: check_rows.py SOURCE_ROOT. Every struct of profkit.h that a function fills is described
in schema/tables.toml, and has a row in Go, Python and Rust, or is named here.
"""
import pathlib
import re
import sys

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

NO_ROWS = {"pk_str", "pk_value", "pk_stat",  # a text, a value, a value with its name
           "pk_event", "pk_probe_record",    # bindings read them in the place where they are
           "pk_profile_info",                # the profile itself has its members
           "pk_event_cursor", "pk_stat_cursor", "pk_metadata_cursor"}
ROWS_APART = {("pk_column", "python")}  # there an Arrow schema says it


def problems_in(header, schema):
    structs = set(re.findall(r"^typedef struct (pk_\w+) \{", header, re.MULTILINE))
    described = {given["row"]: given for given in schema["table"] + schema["struct"] if "row" in given}
    filled = {name for function in re.findall(r"^PK_API [^;]*;", header, re.MULTILINE)
              for name in re.findall(r"(?<!const )\b(pk_\w+)\* ", function)} & structs
    assert len(filled) > 20, "the functions were not found"
    for name in sorted(filled - set(described) - NO_ROWS):
        yield f"{name} is filled by a function and not described"
    for name in sorted(NO_ROWS - filled | NO_ROWS & set(described)):
        yield f"{name} is named here, and is described or filled by no function"
    for name, given in described.items():
        for language in ("go", "python", "rust"):
            if (language in given) == ((name, language) in ROWS_APART):
                yield f"{name} {'has a' if language in given else 'has no'} row in {language}"


def main(root):
    root = pathlib.Path(root)
    problems = list(problems_in((root / "include/profkit/profkit.h").read_text(encoding="utf-8"),
                                tomllib.loads((root / "schema/tables.toml").read_text(encoding="utf-8"))))
    print(*problems, sep="\n")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
