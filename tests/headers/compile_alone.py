#!/usr/bin/env python3
"""Compiles every public header alone, warnings as errors, in each language that it promises.

compile_alone.py SOURCE_ROOT --cc CC... --cxx CXX... [--library LIBPROFKIT.SO]
The headers that are installed with the shared library are also linked against nothing but it.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-pedantic-errors", "-Wconversion", "-Wshadow", "-Werror"]
NO_RUNTIME = ["-fno-exceptions", "-fno-rtti"]


def variants_of(header):
    """Yields (language, flags) for one header, given relative to include/."""
    if header == "profkit/profkit.h":
        yield "c", ["-std=c99", "-Wstrict-prototypes"]
        for standard in ("c++17", "c++20", "c++23"):
            yield "c++", [f"-std={standard}"]
        return
    is_view = not header.startswith("profkit/core/") and header != "profkit/profkit.hpp"
    yield "c++", ["-std=c++17"] + (NO_RUNTIME if is_view else [])
    yield "c++", ["-std=c++20"]
    if not header.startswith("profkit/core/"):
        yield "c++", ["-std=c++23"]


def check(header, language, flags, compilers, include, library, scratch):
    """Returns what went wrong, or an empty string."""
    suffix = "c" if language == "c" else "cpp"
    stem = pathlib.Path(scratch) / ("_".join([header, *flags]).replace("/", "_").replace("=", "_"))
    source = stem.with_name(stem.name + "." + suffix)
    # Twice: the include guard is part of what is checked.
    source.write_text(f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n", encoding="utf-8")
    command = [*compilers[language], *flags, *WARNINGS, f"-I{include}", str(source)]
    if library and not header.startswith("profkit/core/"):
        folder, name = os.path.split(library)
        command += ["-o", str(stem) + ".out", library, f"-Wl,-rpath,{folder}"]
    else:
        command += ["-fsyntax-only"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{header} {' '.join(flags)}:\n{done.stderr}"


def split_arguments(arguments):
    options = {}
    current = options.setdefault("root", [])
    for argument in arguments:
        if argument in ("--cc", "--cxx", "--library"):
            current = options.setdefault(argument, [])
        else:
            current.append(argument)
    return options


def main(arguments):
    options = split_arguments(arguments)
    include = pathlib.Path(options["root"][0]) / "include"
    compilers = {"c": options["--cc"], "c++": options["--cxx"]}
    library = options.get("--library", [None])[0]
    headers = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.h*"))
    jobs = [(header, language, flags) for header in headers for language, flags in variants_of(header)]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda job: check(*job, compilers, include, library, scratch), jobs))
        # The check itself must be able to fail.
        bad = pathlib.Path(scratch) / "bad" / "profkit"
        bad.mkdir(parents=True)
        (bad / "bad.hpp").write_text("#pragma once\ninline std::string name() { return {}; }\n", encoding="utf-8")
        if not check("profkit/bad.hpp", "c++", ["-std=c++17"], compilers, bad.parent, None, scratch):
            problems.append("a header that lacks an #include was accepted")
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(jobs) + 1 - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
