#!/usr/bin/env python3
"""Runs the tests of one binding against a built library.

run.py python|rust|rust-features|go --library LIBPROFKIT.SO --source ROOT --scratch FOLDER [--sanitize KINDS]

Rust and Go are tested with every toolchain that is found: the one of PATH, and the oldest that is promised.

With --sanitize address… the library is sanitized and the binding is not: the run-time library of the sanitizer is loaded
before all else (LD_PRELOAD), so that every byte the binding makes the library touch is looked at.

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


def tour_is_right(command, environment, folder, options):
    """Whether the tour of a language prints what it prints in every other."""
    root = pathlib.Path(options.source)
    capture = root / "tests" / "data" / "xspace" / "tpu_v6e_inference.xplane.pb"
    _, out = run([*command, capture, pathlib.Path(options.scratch) / "tour.xplane.pb"], environment, folder)
    expected = (root / "tests" / "examples" / "tour.txt").read_text(encoding="utf-8")
    if not out.endswith(expected):
        print(f"the tour is to print:\n{expected}")
    return out.endswith(expected)


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
    # The C++ library, too: the sanitizer looks for __cxa_throw at its start, which is before a module of Python (DuckDB) brings it.
    paths = [subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False).stdout.strip()
             for name in ("libasan.so", "libstdc++.so.6")]
    return ":".join(paths) if all(os.path.isabs(path) for path in paths) else None


def test_python(options):
    for module in ("pytest", "numpy"):
        if importlib.util.find_spec(module) is None:
            skip("python", f"{sys.executable} has no {module} (Debian: python3-{module})")
    prefix = staged(options)
    source = pathlib.Path(options.source) / "bindings" / "python"
    environment = environment_for(options, prefix)
    environment.update(PYTHONPATH=str(source / "src"), PYTHONDONTWRITEBYTECODE="1",
                       PROFKIT_MYPY_CACHE=str(pathlib.Path(options.scratch) / "mypy"))
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
    tour = pathlib.Path(options.source) / "examples" / "tour" / "tour.py"
    failed = counts.get("failed", 0) + counts.get("error", 0) + (
        not tour_is_right([sys.executable, tour], environment, source, options))
    summary(counts.get("passed", 0), failed if failed or status == 0 else 1, counts.get("skipped", 0))


OLDEST_RUST, OLDEST_GO = (1, 63), (1, 19)  # what the packages promise


def version_of(command):
    """(major, minor) that a tool tells; None when it cannot be run."""
    try:
        told = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(r"(\d+)\.(\d+)", told)
    return (int(found.group(1)), int(found.group(2))) if found else None


def rust_toolchains():
    """(version, cargo, variables): of PATH, and of the oldest release promised where the machine has it."""
    found = {}
    for folder in (None, "/usr/bin"):
        tools = {tool: shutil.which(tool) if folder is None else f"{folder}/{tool}"
                 for tool in ("cargo", "rustc", "rustdoc")}
        version = version_of([tools["rustc"], "--version"]) if tools["cargo"] and tools["rustc"] else None
        if version and version not in found and version_of([tools["cargo"], "--version"]):
            found[version] = (tools["cargo"], {} if folder is None else
                              {"RUSTC": tools["rustc"], "RUSTDOC": tools["rustdoc"]})
    return found


def runner_of(options, environment, leaks):
    """What runs the test programs: nothing, or env with a sanitizer's library before all else."""
    preload = sanitizer_runtime(options.sanitize)
    if not preload:
        return ""
    environment["ASAN_OPTIONS"] = f"detect_leaks={int(leaks)}:abort_on_error=0"
    environment["LSAN_OPTIONS"] = "print_suppressions=0"
    environment["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    return f"/usr/bin/env LD_PRELOAD={preload}"


def rust_crates(options, with_features):
    """The crates in a folder of the build, where cargo writes its lock file; with_features: what optional features need is there."""
    source, tree = pathlib.Path(options.source), pathlib.Path(options.scratch) / ("crates" if with_features else "crates-bare")
    shutil.rmtree(tree, ignore_errors=True)
    rust = tree / "bindings" / "rust"
    for folder in (rust / "profkit", rust / "features"):
        folder.mkdir(parents=True)
    links = ["tests"] + ["bindings/rust/" + name for name in (
        "Cargo.toml", "README.md", "profkit-sys", "profkit/build.rs", "profkit/src", "profkit/tests", "profkit/examples", "features/Cargo.toml",
        "features/lib.rs", "features/tests")]
    for name in links + ["bindings/rust/profkit/Cargo.toml"] * with_features:
        (tree / name).symlink_to(source / name)
    if not with_features:
        manifest = (source / "bindings/rust/profkit/Cargo.toml").read_text(encoding="utf-8")
        manifest = re.sub(r"^.*optional = true.*\n", "", manifest, flags=re.MULTILINE)
        manifest = re.sub(r"= \[\"dep:.*\]$", "= []", manifest, flags=re.MULTILINE)
        (rust / "profkit" / "Cargo.toml").write_text(manifest, encoding="utf-8")
    return rust


def resolves(cargo, folder, environment):
    """Whether cargo has fetched all that a folder needs."""
    return subprocess.run([cargo, "metadata", "--offline", "--format-version", "1"], cwd=folder, env=environment,
                          capture_output=True, check=False).returncode == 0


def test_rust_features(options):
    """The features that need crates of others: serde and arrow."""
    if "PROFKIT_SLOW" not in os.environ:
        skip("rust", "the features serde and arrow take a minute to compile: PROFKIT_SLOW=1, as scripts/test slow sets")
    toolchains = rust_toolchains()
    if not toolchains:
        skip("rust", "cargo was not found (Debian: cargo)")
    cargo, variables = next(iter(toolchains.values()))
    environment = dict(environment_for(options, staged(options)), **variables,
                       CARGO_TARGET_DIR=str(pathlib.Path(options.scratch) / "features"))
    folder = rust_crates(options, with_features=True)
    if not all(resolves(cargo, place, environment) for place in (folder, folder / "features")):
        skip("rust", "cargo has not fetched the crates of serde and arrow (once, with a network: cargo fetch in bindings/rust/features)")
    status, out = run([cargo, "test", "--offline"], environment, folder / "features")
    counts = [(int(good), int(bad)) for good, bad in re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed", out)]
    passed, failed = sum(good for good, _ in counts), max(sum(bad for _, bad in counts), int(status != 0))
    for command in ([cargo, "clippy", "--offline", "-p", "profkit", "--all-features", "--", "-D", "warnings"],
                    [cargo, "doc", "--offline", "-p", "profkit", "--all-features", "--no-deps"]):
        if command[1] == "clippy" and shutil.which("cargo-clippy") is None:
            continue
        status, _ = run(command, dict(environment, RUSTDOCFLAGS="-D warnings"), folder)
        passed, failed = passed + (status == 0), failed + (status != 0)
    summary(passed, failed)


def test_rust(options):
    toolchains = rust_toolchains()
    if not toolchains:
        skip("rust", "cargo was not found (Debian: cargo)")
    if sanitizer_runtime(options.sanitize) is None:
        skip("rust", f"no run-time library to preload for -Db_sanitize={options.sanitize}")
    prefix = staged(options)
    environment = environment_for(options, prefix)
    runner = runner_of(options, environment, leaks=True)
    if runner:
        environment["CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"] = runner
    passed = failed = skipped = 0
    for version, (cargo, variables) in toolchains.items():
        print(f"== rustc {version[0]}.{version[1]}")
        chosen = dict(environment, **variables,
                      CARGO_TARGET_DIR=str(pathlib.Path(options.scratch) / f"rust-{version[0]}.{version[1]}"))
        # Where cargo has never fetched what optional features need, it cannot even leave them out.
        folder = rust_crates(options, with_features=False)
        # The build finds the library, and its programs do too.
        by_itself = {key: value for key, value in chosen.items() if key != "LD_LIBRARY_PATH"}
        status, out = run([cargo, "test", "--offline", "--workspace", "--all-targets"], by_itself, folder)
        doc_status, doc_out = (0, "") if runner else run([cargo, "test", "--offline", "--workspace", "--doc"], chosen, folder)
        bad_of_this = 0
        for good, bad in re.findall(r"test result: \w+\. (\d+) passed; (\d+) failed", out + doc_out):
            passed, bad_of_this = passed + int(good), bad_of_this + int(bad)
        failed += max(bad_of_this, 1 if status or doc_status else 0)
        if runner:
            continue
        if variables or shutil.which("cargo-clippy") is None:
            if not variables:
                print("SKIPPED rust: cargo clippy was not found (rustup component add clippy)")
                skipped += 1
            continue
        by_folder = dict(by_itself, PKG_CONFIG="no-pkg-config", PROFKIT_LIB_DIR=str(prefix / "lib"))
        right = tour_is_right([cargo, "run", "--offline", "-q", "--example", "tour", "--"], by_folder, folder / "profkit", options)
        passed, failed = passed + right, failed + (not right)
        status, _ = run([cargo, "clippy", "--offline", "--workspace", "--all-targets", "--", "-D", "warnings"],
                        chosen, folder)
        passed, failed = passed + (status == 0), failed + (status != 0)
        # Documentation is built where no libprofkit is, as docs.rs does.
        bare = {key: value for key, value in chosen.items() if key not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
        bare.update(PKG_CONFIG_LIBDIR=str(prefix / "nothing"), RUSTDOCFLAGS="-D warnings",
                    CARGO_TARGET_DIR=str(pathlib.Path(options.scratch) / "rust-doc"))
        status, _ = run([cargo, "doc", "--offline", "--workspace", "--no-deps"], bare, folder)
        passed, failed = passed + (status == 0), failed + (status != 0)
    if OLDEST_RUST not in toolchains:
        print(f"SKIPPED rust: rustc {OLDEST_RUST[0]}.{OLDEST_RUST[1]}, the oldest promised, was not found (Debian 12: rustc)")
        skipped += 1
    summary(passed, failed, skipped)


def go_toolchains():
    """{version: go}: of PATH, and of the oldest release promised where the machine has it."""
    found = {}
    for tool in (shutil.which("go"), f"/usr/lib/go-{OLDEST_GO[0]}.{OLDEST_GO[1]}/bin/go"):
        version = version_of([tool, "version"]) if tool else None
        if version and version not in found:
            found[version] = tool
    return found


def test_go(options):
    toolchains = go_toolchains()
    if not toolchains:
        skip("go", "go was not found (Debian: golang-go)")
    if sanitizer_runtime(options.sanitize) is None:
        skip("go", f"no run-time library to preload for -Db_sanitize={options.sanitize}")
    prefix = staged(options)
    environment = environment_for(options, prefix)
    environment.update(GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local", CGO_ENABLED="1",
                       CGO_LDFLAGS=f"-O2 -L{prefix / 'lib'}")  # Go's cache does not look at what pkg-config says
    folder = pathlib.Path(options.source) / "bindings" / "go"
    # Go's heap is no place where a leak checker looks for pointers.
    runner = runner_of(options, environment, leaks=False)
    passed = failed = skipped = 0
    for version, go in toolchains.items():
        print(f"== go {version[0]}.{version[1]}")
        commands = [[go, "vet", "./..."], [go, "test", "-race", "-count=1", "-v", "./..."],
                    [go, "test", "-run", "^$", "-bench", ".", "-benchtime", "1x", "./..."]]
        if runner:
            commands = [[go, "test", "-exec", runner, "-count=1", "-v", "./..."]]
        for command in commands:
            status, out = run(command, environment, folder)
            good = len(re.findall(r"^\s*--- PASS", out, re.MULTILINE))
            bad = len(re.findall(r"^\s*--- FAIL", out, re.MULTILINE))
            passed += good if good else status == 0
            failed += bad if bad else status != 0
        if runner:
            break
        # Without cgo there is no way to the library: the compiler's error says what to do.
        status, out = run([go, "build", "."], dict(environment, CGO_ENABLED="0"), folder)
        right = status != 0 and "build with CGO_ENABLED=1" in out and len(out.splitlines()) <= 3
        passed, failed = passed + right, failed + (not right)
        right = tour_is_right([go, "run", "./cmd/tour"], environment, folder, options)
        passed, failed = passed + right, failed + (not right)
    if OLDEST_GO not in toolchains:
        print(f"SKIPPED go: go {OLDEST_GO[0]}.{OLDEST_GO[1]}, the oldest promised, was not found (Debian 12: golang-1.19-go)")
        skipped += 1
    unformatted, out = run(["gofmt", "-l", "."], environment, folder) if shutil.which("gofmt") else (0, "")
    failed += bool(unformatted or out.strip())
    summary(passed, failed, skipped)


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=["python", "rust", "rust-features", "go"])
    parser.add_argument("--library", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--sanitize", default="none")
    options = parser.parse_args(arguments)
    if "toml" in os.environ.get("PROFKIT_LEFT_OUT", ""):
        skip(options.language, "built without toml, whose answers the tests of bindings know")
    {"python": test_python, "rust": test_rust, "rust-features": test_rust_features, "go": test_go}[options.language](options)


if __name__ == "__main__":
    main(sys.argv[1:])
