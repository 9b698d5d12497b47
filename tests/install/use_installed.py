#!/usr/bin/env python3
"""Installs the build into a scratch folder and uses it as a stranger would.

use_installed.py BUILD_ROOT MESON CC CXX: a C99 program through pkg-config, a C++ program on the views alone, one on the
core with a format of its own, the examples as their READMEs build them, find_package of CMake, a Meson subproject, a
static library, a Debian package, Bazel. What else is there: licences, documents and examples.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

C_PROGRAM = """
#include <profkit/profkit.h>
#include <stdio.h>
int main(void) { return puts(pk_version_string()) < 0; }
"""
QUICK = "--buildtype=plain"  # how they are linked is tested, not how fast they are
VIEWS_PROGRAM = """
#include <profkit/xspace.hpp>
int main() { return 0; }
"""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(build_root, meson, cc, cxx):
    if os.environ.get("PROFKIT_LEFT_OUT"):
        print(f"SKIPPED install: built without {os.environ['PROFKIT_LEFT_OUT']}\n0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        run(meson, "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", scratch)
        pc_file = next(scratch.rglob("profkit.pc"))
        prefix = pc_file
        while not (prefix / "include" / "profkit").is_dir():
            prefix = prefix.parent
        library = next(prefix.rglob("libprofkit.so")).parent
        (scratch / "stranger.c").write_text(C_PROGRAM, encoding="utf-8")
        (scratch / "views.cpp").write_text(VIEWS_PROGRAM, encoding="utf-8")
        environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(pc_file.parent))

        def flags(*query):
            return run("pkg-config", f"--define-variable=prefix={prefix}", *query, env=environment).split()

        run(cc, "-std=c99", "-pedantic-errors", "-Werror", scratch / "stranger.c", "-o", scratch / "stranger",
            *flags("--cflags", "--libs", "profkit"), f"-Wl,-rpath,{library}")
        version = run(scratch / "stranger").strip()
        if version != flags("--modversion", "profkit")[0]:
            sys.exit(f"the library says it is {version}, pkg-config says otherwise")
        run(cxx, "-std=c++17", scratch / "views.cpp", "-o", scratch / "views", *flags("--cflags", "profkit-views"))

        source = pathlib.Path(os.environ["PROFKIT_SOURCE_ROOT"])
        capture = source / "tests/data/xspace/jax08_gemm_mi300.xplane.pb"
        for example, compiler, package in (
                ("c/busiest_ops.c", (cc, "-std=c99"), ("--libs", "profkit")),
                ("cpp-raii/longest_event.cpp", (cxx, "-std=c++17"), ("--libs", "profkit")),
                ("cpp-views/events_per_plane.cpp", (cxx, "-std=c++17"), ("profkit-views",))):
            program = scratch / pathlib.Path(example).stem
            run(*compiler, source / "examples" / example, "-o", program, *flags("--cflags", *package),
                f"-Wl,-rpath,{library}")
            if "/device:GPU:0" not in run(program, capture):
                sys.exit(f"{example} did not print what is in {capture}")

        documents(source, prefix)
        inhouse_profiler(source, scratch, cxx, flags("--cflags", "--libs", "profkit"), library)
        core(source, scratch, cxx, pc_file.parent, prefix)
        makefile(source, scratch, cc, pc_file, prefix, library, capture)
        cmake_package(source, prefix, scratch, cc, cxx, capture)
        meson_subproject(source, meson, scratch, capture)
        static_library(source, meson, scratch, cc, cxx, capture)
        debian_package(source, build_root, scratch, capture)
        bazel_package(source, prefix, scratch, capture)


def documents(source, prefix):
    """Licences, documents and examples, and nothing that is not in the sources."""
    share = prefix / "share" / "doc" / "profkit"
    wanted = {"LICENSE", "NOTICE"}
    wanted |= {path.relative_to(source / "docs").as_posix() for path in (source / "docs").rglob("*.*") if path.parent.name != "man"}
    wanted |= {path.relative_to(source).as_posix() for path in (source / "examples").rglob("*.*")} - {"examples/meson.build"}
    wanted |= {"examples/c/Makefile"}
    found = {path.relative_to(share).as_posix() for path in share.rglob("*") if path.is_file()}
    if found != wanted:
        sys.exit(f"installed documents lack {sorted(wanted - found)} and have {sorted(found - wanted)} more")
    if (prefix / "bin" / "profkit").exists() and not list(prefix.rglob("man1/profkit.1*")):
        sys.exit("the command was installed without its manual")


def inhouse_profiler(source, scratch, cxx, flags, library):
    program, folder = scratch / "inhouse_profiler", scratch / "inhouse-run"
    folder.mkdir()
    run(cxx, "-std=c++17", source / "examples" / "inhouse-profiler" / "inhouse_profiler.cpp", "-o", program, *flags,
        f"-Wl,-rpath,{library}")
    expected = (source / "tests" / "examples" / "inhouse-profiler.txt").read_text(encoding="utf-8")
    if run(program, folder) != expected:
        sys.exit("the in-house profiler printed something else than in its test")


def core(source, scratch, cxx, pc_folder, prefix):
    """The core with a format of the host's own, as the example's README builds it; each header alone."""
    environment = dict(os.environ, PKG_CONFIG_PATH=str(pc_folder))
    named = run("pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "profkit-core", env=environment).split()
    program, folder = scratch / "own_format", source / "examples" / "own-format"
    run(cxx, "-std=c++17", "-O2", folder / "own_format.cpp", "-o", program, *named)
    for document in ("report", "ops", "steps", "bubbles", "collectives", "info", "tree"):
        told = json.loads(run(program, document, folder / "training.spans"))
        if told["schema"] != f"profkit.{document}" or told["status"] != "ok":
            sys.exit(f"{document} of a format of the host's own: {told['status']}: {told['reason']}")
    if "gemm_backward" not in run(program, "export", folder / "training.spans"):
        sys.exit("the export of a format of the host's own lacks its kernels")
    if "libprofkit" in run("readelf", "-d", program):
        sys.exit("a program with the core inside needs libprofkit.so")
    installed = prefix / "include" / "profkit"
    sources = source / "include" / "profkit"
    files = {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()}
    if files != {path.relative_to(sources) for path in sources.rglob("*") if path.is_file()}:
        sys.exit("the installed headers are not those of include/profkit")
    every = scratch / "headers.cpp"
    every.write_text("".join(f"#include <profkit/{path}>\n" for path in sorted(files)), encoding="utf-8")
    run(cxx, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", prefix / "include", every)


def makefile(source, scratch, cc, pc_file, prefix, library, capture):
    """The Makefile as it stands: pkg-config finds the staged prefix as that of another system."""
    if not shutil.which("make"):
        print("SKIPPED make: no make here")
        return
    folder = scratch / "make"
    shutil.copytree(source / "examples" / "c", folder)
    named = next(line.split("=", 1)[1] for line in pc_file.read_text(encoding="utf-8").splitlines()
                 if line.startswith("prefix="))
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=str(pc_file.parent),
                       PKG_CONFIG_SYSROOT_DIR=str(prefix)[:-len(named)])
    run("make", "-C", folder, f"CC={cc}", env=environment)
    shows_the_device(folder / "busiest_ops", capture, env=dict(os.environ, LD_LIBRARY_PATH=str(library)))


def cmake_package(source, prefix, scratch, cc, cxx, capture):
    if not shutil.which("cmake"):
        print("SKIPPED cmake: no cmake here, so find_package was not tried")
        return
    run("cmake", "-S", source / "examples" / "cmake", "-B", scratch / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}")
    run("cmake", "--build", scratch / "cmake")
    for program in ("busiest_ops", "events_per_plane"):
        shows_the_device(scratch / "cmake" / program, capture)
    core = found_by_cmake(scratch, "core", "COMPONENTS core", source / "examples/own-format/own_format.cpp", "profkit::core", prefix, cc, cxx)
    if json.loads(run(core, "report", source / "examples/own-format/training.spans"))["status"] != "ok":
        sys.exit("the core that CMake finds does not report on a format of the host's own")


def found_by_cmake(scratch, name, components, program, target, prefix, cc, cxx):
    """A program over what find_package gives."""
    host = scratch / f"cmake-{name}"
    host.mkdir()
    (host / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(host C CXX)\nfind_package(profkit 0.1 REQUIRED {components})\n"
        f"add_executable(program {program})\ntarget_link_libraries(program PRIVATE {target})\n", encoding="utf-8")
    run("cmake", "-S", host, "-B", host / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={cc}",
        f"-DCMAKE_CXX_COMPILER={cxx}")
    run("cmake", "--build", host / "build")
    if "libprofkit" in run("readelf", "-d", host / "build" / "program"):
        sys.exit(f"a program with {target} inside needs libprofkit.so")
    return host / "build" / "program"


def shows_the_device(program, capture, *arguments, **options):
    if "/device:GPU:0" not in run(program, *arguments, capture, **options):
        sys.exit(f"{program} did not print what is in {capture}")


def meson_subproject(source, meson, scratch, capture):
    """A host that vendors the sources. PROFKIT_TEST_SUBPROJECT=library builds the library once more, which takes long;
    without it the views are used and the library is only configured."""
    whole = os.environ.get("PROFKIT_TEST_SUBPROJECT") == "library"
    host = scratch / "host"
    shutil.copytree(source / "examples" / "meson-subproject", host)
    (host / "subprojects").mkdir()
    (host / "subprojects" / "profkit").symlink_to(source)
    for example in ("c/busiest_ops.c", "cpp-views/events_per_plane.cpp"):
        shutil.copy(source / "examples" / example, host)
    run(meson, "setup", host / "build", host, "-Dprofkit:tools=disabled", QUICK)
    programs = ["events_per_plane"] + (["busiest_ops"] if whole else [])
    run("ninja", "-C", host / "build", *programs)
    for program in programs:
        shows_the_device(host / "build" / program, capture)
    linked = run("readelf", "-d", host / "build" / "events_per_plane")
    if "libprofkit" in linked:
        sys.exit("the views linked libprofkit")
    if not whole:
        print("SKIPPED subproject: the library was configured, not built again; scripts/test packages does")


def static_library(source, meson, scratch, cc, cxx, capture):
    """The static library through pkg-config --static, from a C linker, and through CMake."""
    if os.environ.get("PROFKIT_TEST_SUBPROJECT") != "library":
        print("SKIPPED static: the static library was not built; scripts/test packages does")
        return
    prefix = scratch / "static-prefix"
    run(meson, "setup", scratch / "static", source, QUICK, "-Ddefault_library=static",
        "-Dtests=disabled", "-Dtools=disabled", "-Dexamples=disabled", f"--prefix={prefix}", "--libdir=lib")
    run(meson, "install", "-C", scratch / "static", "--quiet")
    environment = dict(os.environ)
    environment["PKG_CONFIG_PATH"] = str(prefix / "lib" / "pkgconfig")
    for package, query, expected in (("profkit", "--print-requires", set()),
                                     ("profkit", "--print-requires-private", {"profkit-core"}),
                                     ("profkit-core", "--print-requires",
                                      {"absl_flat_hash_map", "libisal", "libzstd", "re2", "simdjson", "tomlplusplus"})):
        named = {line.split()[0] for line in run("pkg-config", query, package, env=environment).splitlines()}
        if named != expected:
            sys.exit(f"{package}.pc of the static library, {query}: {', '.join(sorted(named))}")
    flags = run("pkg-config", "--static", "--cflags", "--libs", "profkit", env=environment).split()
    program = scratch / "busiest_ops_static"
    run(cc, "-std=c99", source / "examples" / "c" / "busiest_ops.c", "-o", program, *flags)
    shows_the_device(program, capture)
    if "libprofkit" in run("readelf", "-d", program):
        sys.exit("the static program needs libprofkit.so")
    if shutil.which("cmake"):
        shows_the_device(found_by_cmake(scratch, "static", "", source / "examples/c/busiest_ops.c", "profkit::profkit", prefix, cc, cxx),
                         capture)


def debian_package(source, build_root, scratch, capture):
    if not shutil.which("dpkg-deb"):
        print("SKIPPED deb: no dpkg-deb here")
        return
    made = pathlib.Path(run(source / "scripts" / "package-deb", "--build", build_root, scratch).split()[-1])
    root = scratch / "unpacked"
    run("dpkg-deb", "-x", made, root)
    control = run("dpkg-deb", "-I", made)
    for needed in ("Package: profkit", "libc6", "libzstd1"):
        if needed not in control:
            sys.exit(f"the package's control file lacks {needed}:\n{control}")
    library = next(root.rglob("libprofkit.so.0")).parent
    command = next(root.rglob("bin/profkit"), None)
    if command is not None:
        shows_the_device(command, capture, "info", env=dict(os.environ, LD_LIBRARY_PATH=str(library)))


RULES_OF_DEBIAN = {"rules_java": "/usr/share/bazel/rules/java", "rules_proto": "/usr/share/bazel/rules/proto",
                   "platforms": "/usr/share/bazel/tools/platforms"}
BUILT_IN_RULES = ("binary", "import", "library", "proto_library", "test", "toolchain", "toolchain_suite")


def offline_rules(bazel, scratch):
    """What makes an old Bazel, whose rules are built in, fetch nothing; None when it lacks something. A later one (from 7
    on) fetches rules_cc."""
    version = re.search(r"bazel (\d+)\.", run(bazel, "--version"))  # Debian's 4.2 tells none
    if version and int(version.group(1)) >= 7:
        return []
    if not all(os.path.isdir(folder) for folder in RULES_OF_DEBIAN.values()):
        return None
    rules_cc = scratch / "rules_cc" / "cc"
    rules_cc.mkdir(parents=True)
    (rules_cc.parent / "WORKSPACE").touch()
    (rules_cc / "BUILD").touch()
    (rules_cc / "defs.bzl").write_text("".join(f"cc_{rule} = native.cc_{rule}\n" for rule in BUILT_IN_RULES)
                                       + "objc_library = native.objc_library\n", encoding="utf-8")
    folders = dict(RULES_OF_DEBIAN, rules_cc=rules_cc.parent)
    return [f"--override_repository={name}={folder}" for name, folder in folders.items()] + ["--nosandbox_debug"]


def bazel_package(source, prefix, scratch, capture):
    bazel = shutil.which("bazel")
    if not bazel:
        print("SKIPPED bazel: no bazel here")
        return
    rules = offline_rules(bazel, scratch)
    if rules is None:
        print("SKIPPED bazel: this bazel would fetch rules (Debian: bazel-rules-java bazel-rules-proto bazel-platforms)")
        return
    host = scratch / "bazel"
    shutil.copytree(source / "examples" / "bazel", host)
    for example in ("c/busiest_ops.c", "cpp-views/events_per_plane.cpp"):
        shutil.copy(source / "examples" / example, host)
    for name in ("MODULE.bazel", "WORKSPACE.bazel"):
        text = (host / name).read_text(encoding="utf-8")
        if "/usr/local" not in text:
            sys.exit(f"{name} names no prefix")
        (host / name).write_text(text.replace("/usr/local", str(prefix)), encoding="utf-8")
    base = [bazel, f"--output_user_root={scratch / 'bazel-root'}"]
    try:
        for program in ("busiest_ops", "events_per_plane"):
            done = subprocess.run([*base, "run", *rules, f":{program}", "--", str(capture)], cwd=host,
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0 and rules == [] and re.search("Unknown host|[Ff]etch|[Dd]ownload", done.stderr):
                print("SKIPPED bazel: rules_cc could not be fetched")
                return
            if done.returncode != 0 or "/device:GPU:0" not in done.stdout:
                sys.exit(f"bazel run {program} did not print what is in {capture}:\n{done.stdout}{done.stderr}")
    finally:
        subprocess.run([*base, "clean", "--expunge"], cwd=host, capture_output=True, check=False)  # ends its server, too


if __name__ == "__main__":
    main(*sys.argv[1:])
