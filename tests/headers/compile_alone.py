#!/usr/bin/env python3
"""Compiles every public header alone, warnings as errors, and all together in each later standard that they promise.

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


def is_core(header):
    return header.startswith("profkit/core/")


def jobs_of(headers):
    """Yields (headers, language, flags) of each translation unit; headers are given relative to include/."""
    for header in headers:
        if header == "profkit/profkit.h":
            yield [header], "c", ["-std=c99", "-Wstrict-prototypes"]
        is_view = not is_core(header) and header not in ("profkit/profkit.h", "profkit/profkit.hpp")
        yield [header], "c++", ["-std=c++17"] + (NO_RUNTIME if is_view else [])
    yield headers, "c++", ["-std=c++20"]
    yield [header for header in headers if not is_core(header)], "c++", ["-std=c++23"]


def check(headers, language, flags, compilers, include, library, scratch):
    """Returns what went wrong, or an empty string."""
    title = headers[0] if len(headers) == 1 else f"{len(headers)} headers"
    stem = pathlib.Path(scratch) / ("_".join([title, *flags]).replace("/", "_").replace("=", "_").replace(" ", "_"))
    source = stem.with_name(stem.name + "." + ("c" if language == "c" else "cpp"))
    # Twice: the include guard is part of what is checked.
    source.write_text("".join(f"#include <{header}>\n" for header in headers * 2) + "int main(void) { return 0; }\n", encoding="utf-8")
    command = [*compilers[language], *flags, *WARNINGS, f"-I{include}", str(source)]
    if library and not any(map(is_core, headers)):
        folder, name = os.path.split(library)
        command += ["-o", str(stem) + ".out", library, f"-Wl,-rpath,{folder}"]
    else:
        command += ["-fsyntax-only"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{title} {' '.join(flags)}:\n{done.stderr}"


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
    jobs = list(jobs_of(headers))
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda job: check(*job, compilers, include, library, scratch), jobs))
        # The check itself must be able to fail.
        bad = pathlib.Path(scratch) / "bad" / "profkit"
        bad.mkdir(parents=True)
        (bad / "bad.hpp").write_text("#pragma once\ninline std::string name() { return {}; }\n", encoding="utf-8")
        if not check(["profkit/bad.hpp"], "c++", ["-std=c++17"], compilers, bad.parent, None, scratch):
            problems.append("a header that lacks an #include was accepted")
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(jobs) + 1 - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
