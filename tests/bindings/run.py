#!/usr/bin/env python3
"""Runs the tests of one binding against a built library.

run.py python|rust|go --library LIBPROFKIT.SO --source ROOT --scratch FOLDER [--sanitize KINDS]

Nothing is fetched from a network. What a machine lacks is a skip with its reason (exit 77).
"""
import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77


def skip(language, reason):
    print(f"SKIPPED {language}: {reason}\n0 passed, 0 failed, 1 skipped")
    sys.exit(SKIPPED)


def run(command, environment, folder):
    done = subprocess.run([str(part) for part in command], env=environment, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout)
    return done.returncode, done.stdout


def summary(passed, failed, skipped=0):
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


def staged(options):
    """A prefix with the headers, the library and a profkit.pc, as `meson install` would lay it out."""
    prefix = pathlib.Path(options.scratch) / "prefix"
    for folder in ("lib/pkgconfig", "include"):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
    library = pathlib.Path(options.library)
    for name in ("libprofkit.so", "libprofkit.so.0"):
        link = prefix / "lib" / name
        if link.is_symlink() or link.exists():
            link.unlink()
        link.symlink_to(library.resolve())
    include = prefix / "include" / "profkit"
    if not include.is_symlink():
        include.symlink_to(pathlib.Path(options.source) / "include" / "profkit")
    (prefix / "lib" / "pkgconfig" / "profkit.pc").write_text(
        f"prefix={prefix}\nName: profkit\nDescription: the library of this build\nVersion: 0.1.0\n"
        "Cflags: -I${prefix}/include\nLibs: -L${prefix}/lib -lprofkit\n", encoding="utf-8")
    return prefix


def environment_for(options, prefix):
    environment = dict(os.environ, PROFKIT_LIBRARY=str(prefix / "lib" / "libprofkit.so.0"),
                       PROFKIT_SOURCE_ROOT=options.source,
                       PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"), PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1",
                       LD_LIBRARY_PATH=str(prefix / "lib"))
    return environment


def sanitizer_runtime(kinds):
    """What a program that is not sanitized has to load first."""
    if kinds == "none":
        return ""
    if kinds.startswith("thread"):
        return None
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    path = found.stdout.strip()
    return path if os.path.isabs(path) else None


def test_python(options):
    for module in ("pytest", "numpy"):
        if importlib.util.find_spec(module) is None:
            skip("python", f"{sys.executable} has no {module} (Debian: python3-{module})")
    prefix = staged(options)
    source = pathlib.Path(options.source) / "bindings" / "python"
    environment = environment_for(options, prefix)
    environment.update(PYTHONPATH=str(source / "src"), PYTHONDONTWRITEBYTECODE="1")
    preload = sanitizer_runtime(options.sanitize)
    if preload is None:
        skip("python", f"no run-time library to preload for -Db_sanitize={options.sanitize}")
    if preload:
        environment.update(LD_PRELOAD=preload, ASAN_OPTIONS="detect_leaks=0", PYTHONMALLOC="malloc")
    status, out = run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
                       *(["--deselect", "tests/test_package.py", "--deselect",
                          "tests/test_reading.py::test_opening_and_closing_frees"] if preload else []),
                       source / "tests"], environment, source)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", out)}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    for reason in re.findall(r"^SKIPPED \[\d+\] (.*)$", out, re.MULTILINE):
        print(f"SKIPPED python: {reason}")
    summary(counts.get("passed", 0), failed if failed or status == 0 else 1, counts.get("skipped", 0))


def test_rust(options):
    if shutil.which("cargo") is None:
        skip("rust", "cargo was not found (Debian: cargo)")
    if options.sanitize != "none":
        skip("rust", "a sanitized library cannot be linked into Rust's test programs")
    prefix = staged(options)
    environment = environment_for(options, prefix)
    environment["CARGO_TARGET_DIR"] = str(pathlib.Path(options.scratch) / "rust")
    folder = pathlib.Path(options.source) / "bindings" / "rust"
    passed = failed = skipped = 0
    status, out = run(["cargo", "test", "--offline", "--workspace", "--all-targets"], environment, folder)
    doc_status, doc_out = run(["cargo", "test", "--offline", "--workspace", "--doc"], environment, folder)
    for good, bad in re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed", out + doc_out):
        passed, failed = passed + int(good), failed + int(bad)
    failed = max(failed, 1 if status or doc_status else 0)
    if shutil.which("cargo-clippy") is None:
        print("SKIPPED rust: cargo clippy was not found (rustup component add clippy)")
        skipped += 1
    else:
        status, _ = run(["cargo", "clippy", "--offline", "--workspace", "--all-targets", "--", "-D", "warnings"],
                        environment, folder)
        passed, failed = passed + (status == 0), failed + (status != 0)
    status, _ = run(["cargo", "doc", "--offline", "--workspace", "--no-deps"],
                    dict(environment, RUSTDOCFLAGS="-D warnings"), folder)
    passed, failed = passed + (status == 0), failed + (status != 0)
    summary(passed, failed, skipped)


def test_go(options):
    if shutil.which("go") is None:
        skip("go", "go was not found (Debian: golang-go)")
    if options.sanitize != "none":
        skip("go", "a sanitized library cannot be linked into Go's test programs")
    prefix = staged(options)
    environment = environment_for(options, prefix)
    environment.update(GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local", CGO_ENABLED="1",
                       CGO_LDFLAGS=f"-O2 -L{prefix / 'lib'}")  # Go's cache does not look at what pkg-config says
    folder = pathlib.Path(options.source) / "bindings" / "go"
    passed = failed = 0
    for command in (["go", "vet", "./..."], ["go", "test", "-race", "-count=1", "-v", "./..."],
                    ["go", "test", "-run", "^$", "-bench", ".", "-benchtime", "1x", "./..."]):
        status, out = run(command, environment, folder)
        good, bad = len(re.findall(r"^\s*--- PASS", out, re.MULTILINE)), len(re.findall(r"^\s*--- FAIL", out, re.MULTILINE))
        passed += good if good else status == 0
        failed += bad if bad else status != 0
    unformatted, out = run(["gofmt", "-l", "."], environment, folder) if shutil.which("gofmt") else (0, "")
    failed += bool(unformatted or out.strip())
    summary(passed, failed)


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=["python", "rust", "go"])
    parser.add_argument("--library", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--sanitize", default="none")
    options = parser.parse_args(arguments)
    {"python": test_python, "rust": test_rust, "go": test_go}[options.language](options)


if __name__ == "__main__":
    main(sys.argv[1:])
