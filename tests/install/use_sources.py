#!/usr/bin/env python3
"""Takes the sources in as hosts do that build profkit themselves, and as those who install the views alone.

use_sources.py MESON CC CXX: -Dviews_only=true, alone and as a Meson subproject; add_subdirectory and FetchContent of CMake, and
whether its lists are Meson's. Of the library one object is compiled, from code that the build writes; PROFKIT_SLOW=1 builds
it, static and shared.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["PROFKIT_SOURCE_ROOT"])
CAPTURE = SOURCE / "tests/data/xspace/jax08_gemm_mi300.xplane.pb"
EXAMPLES = ("c/busiest_ops.c", "cpp-views/events_per_plane.cpp")
VIEWS = {path.name for path in (SOURCE / "include/profkit").glob("*.hpp")} - {"profkit.hpp"}


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def shows_the_device(program):
    if "/device:GPU:0" not in run(program, CAPTURE):
        sys.exit(f"{program} did not print what is in {CAPTURE}")


def host_of(example, scratch, name):
    """The example with its programs and profkit in it."""
    host = scratch / name
    shutil.copytree(SOURCE / "examples" / example, host)
    for program in EXAMPLES:
        shutil.copy(SOURCE / "examples" / program, host)
    return host


def views_installed(meson, scratch):
    build, prefix = scratch / "views", scratch / "prefix"
    run(meson, "setup", build, SOURCE, "-Dviews_only=true", f"--prefix={prefix}")
    if "no work to do" not in run("ninja", "-C", build, "-n"):
        sys.exit("a build of the views alone would compile something")
    run(meson, "install", "-C", build, "--quiet")
    installed = {path.name for path in (prefix / "include").rglob("*") if path.is_file()}
    packages = {path.name for path in prefix.rglob("*.pc")}
    if installed != VIEWS or packages != {"profkit-views.pc"}:
        sys.exit(f"the views alone install {sorted(installed)} and {sorted(packages)}")
    if not shutil.which("cmake"):
        return
    for components, expected in (("", 0), (" COMPONENTS views", 0), (" COMPONENTS core", 1)):
        host = scratch / f"find{components.replace(' ', '-')}"
        host.mkdir()
        (host / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(host CXX)\n"
                                             f"find_package(profkit 0.1 REQUIRED{components})\n"
                                             "if(TARGET profkit::profkit)\n  message(FATAL_ERROR profkit::profkit)\nendif()\n"
                                             "add_library(host INTERFACE)\ntarget_link_libraries(host INTERFACE profkit::views)\n",
                                             encoding="utf-8")
        done = subprocess.run(["cmake", "-S", host, "-B", host / "build", f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True,
                              text=True, check=False)
        if done.returncode != expected or expected and "has no component core" not in " ".join(done.stderr.split()):
            sys.exit(f"find_package(profkit{components}) of the views alone: {done.returncode}\n{done.stderr}")


def views_as_subproject(meson, scratch):
    host = host_of("meson-subproject", scratch, "meson-host")
    (host / "subprojects").mkdir()
    (host / "subprojects" / "profkit").symlink_to(SOURCE)
    run(meson, "setup", host / "build", host, "-Dprofkit:views_only=true", "-Dlibrary=false", "--buildtype=plain")
    steps = re.findall(r"^\[\d+/\d+\] (.*)", run("ninja", "-C", host / "build"), re.M)
    if len(steps) != 2:
        sys.exit("a host of the views alone built more than its program:\n" + "\n".join(steps))
    shows_the_device(host / "build" / "events_per_plane")


def cmake_host(scratch, name, cc, cxx, *options, fetched=False):
    """Configures the host, with add_subdirectory or as the README says with FetchContent, and tells where it is built."""
    host = host_of("cmake-subdirectory", scratch, name)
    (host / "profkit").symlink_to(SOURCE)
    if fetched:
        script, readme = host / "CMakeLists.txt", (host / "README.md").read_text(encoding="utf-8")
        fetch = re.sub(r"GIT_REPOSITORY \S+ GIT_TAG \w+", f"SOURCE_DIR {SOURCE}", re.search(r"```cmake\n(.*?)```", readme, re.S)[1])
        script.write_text(script.read_text(encoding="utf-8").replace("add_subdirectory(profkit)", fetch), encoding="utf-8")
    run("cmake", "-G", "Ninja", "-S", host, "-B", host / "build", f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}", *options)
    return host / "build"


def with_cmake(scratch, cc, cxx):
    views = cmake_host(scratch, "cmake-views", cc, cxx, "-DPROFKIT_VIEWS_ONLY=ON", fetched=True)
    built = run("cmake", "--build", views)
    if "busiest_ops" in built or "profkit/" in built:
        sys.exit(f"a host of the views alone built more than its program:\n{built}")
    shows_the_device(views / "events_per_plane")

    kinds = ("OFF", "ON") if os.environ.get("PROFKIT_SLOW") else ("ON",)
    for shared in kinds:
        build = cmake_host(scratch, f"cmake-shared-{shared}", cc, cxx, f"-DBUILD_SHARED_LIBS={shared}")
        if not os.environ.get("PROFKIT_SLOW"):
            run("cmake", "--build", build, "--target",
                "profkit/CMakeFiles/profkit_core.dir/src/core/export/json/fields_common.cpp.o", "events_per_plane")
            print("SKIPPED the library was configured and one of its objects was compiled; PROFKIT_SLOW=1 builds it")
            continue
        run("cmake", "--build", build)
        shows_the_device(build / "busiest_ops")
        if ("libprofkit.so.0" in run("readelf", "-d", build / "busiest_ops")) != (shared == "ON"):
            sys.exit(f"BUILD_SHARED_LIBS={shared} was not heeded")
        if shared == "ON":
            library = build / "profkit" / "libprofkit.so.0"
            exported = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()}
            listed = re.findall(r"^(pk_\w+)", (SOURCE / "capi/symbols.txt").read_text(encoding="utf-8"), re.M)
            strange = {name for name in exported if not name.startswith("pk_") and not name.startswith("PROFKIT_")}
            if not set(listed) <= exported or strange:
                sys.exit(f"the library of CMake exports {sorted(strange)} and lacks {sorted(set(listed) - exported)}")


def main(meson, cc, cxx):
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        views_installed(meson, scratch)
        views_as_subproject(meson, scratch)
        print(run(sys.executable, SOURCE / "scripts" / "cmake-sources", "--check"), end="")
        missing = [tool for tool in ("cmake", "ninja", "pkg-config") if not shutil.which(tool)]
        if missing:
            print(f"SKIPPED there is no {' and no '.join(missing)}: nothing was built with CMake")
            return
        with_cmake(scratch, cc, cxx)


if __name__ == "__main__":
    main(*sys.argv[1:])
