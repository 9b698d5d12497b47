#!/usr/bin/env python3
"""Tests scripts/vendor on wraps of its own: check_vendor.py VENDOR"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

CONTENT = b"a release"


def main(vendor):
    with tempfile.TemporaryDirectory() as scratch_name:
        root = pathlib.Path(scratch_name)
        (root / "scripts").mkdir()
        (root / "subprojects").mkdir()
        script = shutil.copy(vendor, root / "scripts" / "vendor")
        (root / "there.tar.gz").write_bytes(CONTENT)
        cache = root / "subprojects" / "packagecache"

        def wrap(name, url, content=CONTENT):
            (root / "subprojects" / f"{name}.wrap").write_text(
                f"[wrap-file]\ndirectory = {name}-1\nsource_url = {url}\nsource_filename = {name}-1.tar.gz\n"
                f"source_hash = {hashlib.sha256(content).hexdigest()}\n[provide]\n{name} = {name}_dep\n", encoding="utf-8")

        def check(names, status, out, err=""):
            done = subprocess.run([sys.executable, script, *names], capture_output=True, text=True, check=False)
            told = done.returncode == status and out in done.stdout and err in done.stderr
            assert told and bool(done.stderr) == bool(err), f"{names}: {done.returncode}\n{done.stdout}{done.stderr}"

        wrap("one", (root / "there.tar.gz").as_uri())
        check([], 0, "one: from file://")
        assert [path.name for path in cache.iterdir()] == ["one-1.tar.gz"] and (cache / "one-1.tar.gz").read_bytes() == CONTENT
        (root / "there.tar.gz").unlink()
        check(["one"], 0, "one: there already")
        (cache / "one-1.tar.gz").write_bytes(b"something else")
        check(["one"], 1, "", "delete it and run this again")
        (cache / "one-1.tar.gz").unlink()
        check(["one"], 1, "", f"put that file at {cache / 'one-1.tar.gz'} yourself")
        (root / "there.tar.gz").write_bytes(b"something else")
        check(["one"], 1, "", "nothing was written")
        assert not list(cache.iterdir())
        wrap("two", (root / "there.tar.gz").as_uri(), b"something else")
        check([], 1, "two: from file://", "one: ")  # the others are collected all the same
        check(["three"], 1, "", "there is no subprojects/three.wrap; there are one, two")
        check(["--force"], 2, "scripts/vendor [NAME ...]")


main(*sys.argv[1:])
print("8 passed, 0 failed, 0 skipped")
