#!/usr/bin/env python3
"""Compiles and runs the programs of README and docs as they stand there, as one who copies them does.

docs_code.py c|cpp|rust|go|python --library LIBPROFKIT.SO --source ROOT --scratch FOLDER [--compiler COMMAND...]

A program of another language's toolchain that is absent is a skip with its reason (exit 77).
"""
import argparse
import pathlib
import re
import shutil
import sys

import run as bindings

# What the programs of one page need and a machine may lack, or what stands for a place that only its owner has.
NOT_RUN = {"spark": "needs Spark and a store", "torch": "needs PyTorch and a model"}


def programs(root, language):
    """(page, number, text) of each block of a language."""
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "bindings").glob("*/README.md"))]
    for page in pages:
        found = re.findall(rf"^```{language}(?:,\w+)?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
        for number, text in enumerate(found, 1):
            yield page.relative_to(root).as_posix(), number, text


def place(root, scratch):
    """A folder with the captures that the programs name."""
    shutil.rmtree(scratch, ignore_errors=True)
    capture = root / "tests/data/xspace/tpu_v6e_inference.xplane.pb"
    for name in ("host.xplane.pb", "vm.xplane.pb", "run/vm.xplane.pb", "captures/monday/vm.xplane.pb"):
        link = scratch / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(capture)
    (scratch / "tests").symlink_to(root / "tests")
    return scratch


def compiled(options, environment, prefix, folder, name, text):
    """Commands for C and C++: compile with the flags that pkg-config gives, then run."""
    suffix, standard = {"c": (".c", "-std=c99"), "cpp": (".cpp", "-std=c++17")}[options.language]
    source = folder / f"{name}{suffix}"
    source.write_text(text, encoding="utf-8")
    links = [] if "profkit/xspace.hpp" in text else [f"-L{prefix / 'lib'}", "-lprofkit"]
    yield [*options.compiler, standard, "-Wall", "-Wextra", "-Werror", f"-I{prefix / 'include'}", source, "-o", folder / name, *links]
    yield [folder / name]


def of_rust(options, environment, prefix, folder, name, text):
    cargo, variables = next(iter(bindings.rust_toolchains().values()))
    environment.update(variables, PROFKIT_LIB_DIR=str(prefix / "lib"), CARGO_TARGET_DIR=str(folder / "target"))
    package = folder / "package"
    (package / "src" / "bin").mkdir(parents=True, exist_ok=True)
    crate = bindings.rust_crates(options, with_features=False) / "profkit"
    (package / "Cargo.toml").write_text("[package]\nname = \"stranger\"\nversion = \"0.0.0\"\nedition = \"2021\"\n"
                                        f"[dependencies]\nprofkit = {{ path = \"{crate}\" }}\n", encoding="utf-8")
    (package / "src" / "bin" / f"{name}.rs").write_text(text, encoding="utf-8")
    yield [cargo, "build", "--offline", "-q", "--manifest-path", package / "Cargo.toml", "--bin", name]
    yield [folder / "target" / "debug" / name]


def of_go(options, environment, prefix, folder, name, text):
    go = next(iter(bindings.go_toolchains().values()))
    environment.update(GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local", CGO_ENABLED="1", CGO_LDFLAGS=f"-O2 -L{prefix / 'lib'}")
    package = folder / name
    package.mkdir()
    (package / "main.go").write_text(text, encoding="utf-8")
    module = "github.com/profkit/profkit/bindings/go"
    yield ["bash", "-c", f'cd "$0" && "$1" mod init stranger && "$1" mod edit -require {module}@v0.0.0 -replace {module}="$2" && "$1" vet . && "$1" build -o main .',
           package, go, pathlib.Path(options.source) / "bindings" / "go"]
    yield [package / "main"]


def of_python(options, environment, prefix, folder, name, text):
    environment["PYTHONPATH"] = str(pathlib.Path(options.source) / "bindings" / "python" / "src")
    source = folder / f"{name}.py"
    source.write_text(text, encoding="utf-8")
    yield [sys.executable, "-W", "error::SyntaxWarning", "-m", "py_compile", source]
    yield [sys.executable, source]


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=["c", "cpp", "rust", "go", "python"])
    parser.add_argument("--library", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--compiler", nargs="+")
    options = parser.parse_args(arguments)
    if options.language == "rust" and not bindings.rust_toolchains():
        bindings.skip("rust", "cargo was not found (Debian: cargo)")
    if options.language == "go" and not bindings.go_toolchains():
        bindings.skip("go", "go was not found (Debian: golang-go)")
    root, prefix = pathlib.Path(options.source), bindings.staged(options)
    folder = place(root, pathlib.Path(options.scratch) / "programs")
    steps_of = {"c": compiled, "cpp": compiled, "rust": of_rust, "go": of_go, "python": of_python}[options.language]
    passed = failed = skipped = 0
    for page, number, text in programs(root, options.language):
        name = re.sub(r"\W", "_", f"{page.removesuffix('.md')}_{number}")
        environment = bindings.environment_for(options, prefix)
        commands = list(steps_of(options, environment, prefix, folder, name, text))
        why = next((why for word, why in NOT_RUN.items() if word in text), None)
        print(f"== {page}, program {number}", f"is not run: {why}" if why else "", flush=True)
        status = 0
        for command in commands[:1] if why else commands:
            if status:
                break
            status, said = bindings.run(command, environment, folder)[:2]
            lacks = options.language == "python" and re.search(r"^ModuleNotFoundError: No module named '(?!profkit)(\w+)'", said, re.MULTILINE)
            if status and lacks:
                status, why = 0, f"the package {lacks[1]} is not here"
                print(f"== {page}, program {number} is not run: {why}", flush=True)
        passed, failed, skipped = passed + (not status and not why), failed + bool(status), skipped + bool(why and not status)
    bindings.summary(passed, failed, skipped)


if __name__ == "__main__":
    main(sys.argv[1:])
