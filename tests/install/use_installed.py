#!/usr/bin/env python3
"""Installs the build into a scratch folder and uses it as a stranger would.

use_installed.py BUILD_ROOT MESON CC CXX: a C99 program through pkg-config, a C++ program on the views alone,
the examples as their READMEs build them, and, where there is a cmake, the C program through find_package.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

C_PROGRAM = """
#include <profkit/profkit.h>
#include <stdio.h>
int main(void) { return puts(pk_version_string()) < 0; }
"""
VIEWS_PROGRAM = """
#include <profkit/xspace.hpp>
int main() { return 0; }
"""
CMAKE_PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(stranger C CXX)
find_package(profkit REQUIRED)
add_executable(stranger stranger.c)
target_link_libraries(stranger PRIVATE profkit::profkit)
add_executable(views views.cpp)
target_link_libraries(views PRIVATE profkit::views)
"""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(build_root, meson, cc, cxx):
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        run(meson, "install", "-C", build_root, "--no-rebuild", "--quiet", "--destdir", scratch)
        pc_file = next(scratch.rglob("profkit.pc"))
        prefix = pc_file
        while not (prefix / "include" / "profkit").is_dir():
            prefix = prefix.parent
        library = next(prefix.rglob("libprofkit.so")).parent
        if (prefix / "include" / "profkit" / "core").exists():
            sys.exit("the core's headers were installed with the shared library")

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

        if shutil.which("cmake"):
            (scratch / "CMakeLists.txt").write_text(CMAKE_PROJECT, encoding="utf-8")
            run("cmake", "-S", scratch, "-B", scratch / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}")
            run("cmake", "--build", scratch / "cmake")
            run(scratch / "cmake" / "stranger")
        else:
            print("no cmake here: find_package was not tried")


if __name__ == "__main__":
    main(*sys.argv[1:])
