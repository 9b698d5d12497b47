#!/usr/bin/env python3
"""A program that was linked against a newer release than it finds: check_older.py LIBPROFKIT.SO SOURCE_ROOT CC...

The loader names the version node that is missing, before the program runs. Asked for through dlsym, a name that is not
there is no more than absent; docs/abi-policy.md promises both. Newer option structs are tested by `capi`.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NODES = "PROFKIT_0.1.0 { global: pk_version_number; local: *; };\nPROFKIT_0.99.0 { global: pk_of_tomorrow; };\n"
NEWER_LIBRARY = "unsigned pk_version_number(void) { return 9900; }\nint pk_of_tomorrow(void) { return 0; }\n"
TODAY = """
#include <profkit/profkit.h>
#include <stdio.h>
int main(void) { return printf("ran %u\\n", (unsigned)pk_version_number()) < 0; }
"""
TOMORROW = """
#include <profkit/profkit.h>
#include <stdio.h>
int pk_of_tomorrow(void);
int main(void) { puts("ran"); return pk_of_tomorrow() + (pk_version_number() == 0); }
"""


def main(library, root, *compiler):
    library = os.path.abspath(library)
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)

        def compiled(name, text, *flags):
            (folder / f"{name}.c").write_text(text, encoding="utf-8")
            subprocess.run([*compiler, f"{name}.c", "-o", name, f"-I{root}/include", *flags], cwd=folder, check=True)
            return folder / name

        (folder / "nodes.map").write_text(NODES, encoding="utf-8")
        compiled("libprofkit.so.0", NEWER_LIBRARY, "-shared", "-fPIC", "-Wl,-soname,libprofkit.so.0",
                 "-Wl,--version-script=nodes.map")
        programs = {name: compiled(name, text, "./libprofkit.so.0") for name, text in
                    (("today", TODAY), ("tomorrow", TOMORROW))}
        (folder / "installed").mkdir()
        (folder / "installed" / "libprofkit.so.0").symlink_to(library)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder / "installed"))

        def run(name):
            return subprocess.run([programs[name]], env=environment, capture_output=True, text=True, check=False)

        done = run("today")
        if done.returncode != 0 or not done.stdout.startswith("ran "):
            problems.append(f"a program that uses nothing new does not run: {done.stderr}")
        done = run("tomorrow")
        if done.returncode == 0 or "ran" in done.stdout or "PROFKIT_0.99.0" not in done.stderr:
            problems.append(f"a program of a newer release: exit {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    handle = ctypes.CDLL(library)
    if hasattr(handle, "pk_of_tomorrow"):
        problems.append("pk_of_tomorrow is there")
    header = (pathlib.Path(root) / "include/profkit/profkit.h").read_text(encoding="utf-8")
    major, minor, patch = (int(re.search(rf"#define PK_VERSION_{part} (\d+)", header).group(1))
                           for part in ("MAJOR", "MINOR", "PATCH"))
    handle.pk_version_number.restype = ctypes.c_uint32
    if handle.pk_version_number() != major * 1000000 + minor * 1000 + patch:
        problems.append(f"pk_version_number() is {handle.pk_version_number()}")
    print(*problems, sep="\n")
    print(f"{4 - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
