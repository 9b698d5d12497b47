#!/usr/bin/env python3
"""Compiles every public header as a strict host does: alone, in each standard that it promises, warnings as errors.

compile_alone.py SOURCE_ROOT --cc CC... --cxx CXX... [--library LIBPROFKIT.SO]
The headers that are installed with the shared library are also linked against nothing but it. Other compilers of the
machine (clang++, g++-13, …) compile them as well, and a host that reads every table, with every inline function kept.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-pedantic-errors", "-Wconversion", "-Wshadow", "-Werror"]
OF_C = [*WARNINGS, "-Wstrict-prototypes"]
OF_CXX = [*WARNINGS, "-Wold-style-cast"]
C_STANDARDS = ("c89", "c99", "c11", "c17")
CXX_STANDARDS = ("c++17", "c++20", "c++2b")
OTHER_COMPILERS = ("g++-12", "g++-13", "g++-14", "g++-15", "clang++")
NO_RUNTIME = ["-fno-exceptions", "-fno-rtti"]


def is_core(header):
    return header.startswith("profkit/core/")


def jobs_of(headers):
    """Yields (headers, language, flags) of each translation unit; headers are given relative to include/."""
    for header in headers:
        if header == "profkit/profkit.h":
            yield from ([[header], "c", [f"-std={standard}"]] for standard in C_STANDARDS)
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
    warnings = OF_C if language == "c" else OF_CXX
    command = [*compilers[language], *flags, *warnings, f"-I{include}", str(source)]
    if library and not any(map(is_core, headers)):
        folder, name = os.path.split(library)
        command += ["-o", str(stem) + ".out", library, f"-Wl,-rpath,{folder}"]
    else:
        command += ["-fsyntax-only"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{title} {' '.join(flags)}:\n{done.stderr}"


# A loop over the rows of each table, as README writes it.
HOST = """#include <profkit/profkit.hpp>
template <class Row>
std::size_t rows_of(const profkit::lib::profile& profile) {
  static_assert(sizeof(profkit::lib::table_rows<Row>) <= 1024, "rows lie on the stack of a host");
  std::size_t count = 0;
  auto rows = profile.rows<Row>().or_throw();
  for (const Row& row : rows) count += sizeof(row);
  for (const Row& row : *profile.rows<Row>()) count += sizeof(row);
  return count;
}
int main(int, char** arguments) {
  auto profile = profkit::lib::profile::open(arguments[1]).or_throw();
  return ROWS == 0;
}
"""


def check_host(compiler, flags, include, scratch):
    """Compiles a host that reads every table, so that warnings which need the flow of data are met. Returns what went wrong."""
    rows = re.findall(r"struct table_of<(\w+)>", (include / "profkit/profkit.hpp").read_text(encoding="utf-8"))
    source = pathlib.Path(scratch) / "host.cpp"
    source.write_text(HOST.replace("ROWS", " + ".join(f"rows_of<{row}>(profile)" for row in rows)), encoding="utf-8")
    command = [*compiler, *flags, *OF_CXX, f"-I{include}", "-c", str(source), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if rows and done.returncode == 0 else f"a host, {' '.join(command)}:\n{done.stderr}"


def compilers_of_hosts(own):
    """The compiler of this build and every other that the machine has, each once."""
    found = {os.path.realpath(shutil.which(own[-1]) or own[-1]): own}
    for name in OTHER_COMPILERS:
        if path := shutil.which(name):
            if "ccache" not in (real := os.path.realpath(path)):
                found.setdefault(real, [path])
    return list(found.values())


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
        everything = []
        hosts = compilers_of_hosts(compilers["c++"])
        for compiler in hosts:
            problems.append(check(headers, "c++", ["-std=c++17"], {"c++": compiler}, include, None, scratch))
            kept = [] if "clang" in compiler[-1] else ["-fkeep-inline-functions"]  # so that unused ones are compiled as well
            everything += [(compiler, [f"-std={s}", "-O2"]) for s in CXX_STANDARDS]
            everything += [(compiler, ["-std=c++17", level, *kept]) for level in ("-O1", "-O2", "-O3")]
        problems += pool.map(lambda host: check_host(*host, include, scratch), everything)
        print("compiled a host with", *(compiler[-1] for compiler in hosts))
        # The check itself must be able to fail.
        bad = pathlib.Path(scratch) / "bad" / "profkit"
        bad.mkdir(parents=True)
        (bad / "bad.hpp").write_text("#pragma once\ninline std::string name() { return {}; }\n", encoding="utf-8")
        if not check(["profkit/bad.hpp"], "c++", ["-std=c++17"], compilers, bad.parent, None, scratch):
            problems.append("a header that lacks an #include was accepted")
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n")
    print(f"{len(jobs) + len(hosts) + len(everything) + 1 - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
