"""Every field of every schema is read by an exact test, but for those of fields_not_read.txt, which only gets shorter.

It looks at what the other tests of this folder wrote down when they ran last, and is skipped where one of them did not run since the
build: test_fields.py PROFKIT LIBPROFKIT TEST ...
"""
import json
import os
import pathlib
import sys

import fields

LIST = pathlib.Path(__file__).resolve().parent / "fields_not_read.txt"


def skip(why):
    print(f"SKIPPED {why}\n0 passed, 0 failed, 1 skipped")
    sys.exit(77)


def read_by(tests, built):
    paths = set()
    for name in tests:
        wrote = pathlib.Path(fields.FOLDER) / f"test_{name.replace('-', '_')}.json"
        if not wrote.is_file() or wrote.stat().st_mtime < built:
            skip(f"truth-{name} did not run since the build: run all tests of tests/truth first")
        paths |= {tuple(path) for path in json.loads(wrote.read_text(encoding="utf-8"))}
    return paths


def main():
    profkit, library, *tests = sys.argv[1:]
    if "PROFKIT_SANITIZED" in os.environ:
        skip("Python cannot load a sanitized library: the command alone was asked")
    if os.environ.get("PROFKIT_LEFT_OUT", ""):
        skip("built without a part whose fields are read, too")
    schemas = fields.Schemas()
    read = {field for path in read_by(tests, max(map(os.path.getmtime, (profkit, library)))) for field in schemas.fields_at(path)}
    unread = {fields.shown(field) for field in schemas.fields() - read}
    listed = set(LIST.read_text(encoding="utf-8").split())
    for field in sorted(unread - listed):
        print(f"no exact test reads {field}")
    for field in sorted(listed - unread):
        print(f"{field} is read now, or no field any more: take it out of {LIST.name}")
    wrong = len(unread ^ listed)
    print(f"{len(schemas.fields())} fields, {len(unread)} of them not read")
    print(f"{int(not wrong)} passed, {int(bool(wrong))} failed, 0 skipped")
    sys.exit(1 if wrong else 0)


main()
