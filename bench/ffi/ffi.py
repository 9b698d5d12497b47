#!/usr/bin/env python3
"""What the way over the C ABI costs in each language, in one run on one capture.

C, C++, Rust and Go sum the durations of all events of a capture that is made here (eight streams of a GPU, two stats each), in
batches. Python loads captures and makes columns of their events: plane, line, name, start and duration, and once all that
there are; beside it jax.profiler.ProfileData opens the same file and puts the same five of each event into lists. Neither
reads stats. Python reads the capture that is made, the bundled ones, and those of the large corpus: as they are, and, when
they are below 5 MB, as many times in one file as make 10 MB (copies behind one another are an XSpace with so many times the
planes).

Needed: a build of the library, a C compiler, pkg-config. cargo, go, pyarrow and jax are told and left out where they are
not. Ratios matter: times depend on the machine, and what else runs on it.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 7
COLUMNS = ["plane", "line", "name", "start_ps", "duration_ps"]


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def capture(events):
    """Eight lines of events with two stats each, as a recorder writes them."""
    names = [f"fusion.{at}" for at in range(200)]
    plane = field(2, b"/device:GPU:0")
    for at, name in enumerate(names, 1):
        plane += field(4, b"\x08" + varint(at) + field(2, b"\x08" + varint(at) + field(2, name.encode())))
    for at, name in enumerate(("flops", "run_id"), 1):
        plane += field(5, b"\x08" + varint(at) + field(2, b"\x08" + varint(at) + field(2, name.encode())))
    stats = field(4, b"\x08\x01\x18" + varint(123456)) + field(4, b"\x08\x02\x20" + varint(7))
    for line in range(8):
        body = [b"\x08" + varint(line + 1) + field(2, f"Stream #{line}".encode())]
        for event in range(events // 8):
            body.append(field(4, b"\x08" + varint(event % 200 + 1) + b"\x10" + varint(event * 2_000_000) + b"\x18"
                              + varint(900_000 + event % 1000) + stats))
        plane += field(3, b"".join(body))
    return field(1, plane)


def run(command, environment, folder=None):
    done = subprocess.run([str(part) for part in command], env=environment, cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return [line.split() for line in done.stdout.splitlines() if line]


def staged(build, scratch):
    prefix = scratch / "prefix"
    (prefix / "lib" / "pkgconfig").mkdir(parents=True)
    for name in ("libprofkit.so", "libprofkit.so.0"):
        (prefix / "lib" / name).symlink_to((build / "libprofkit.so").resolve())
    (prefix / "lib" / "pkgconfig" / "profkit.pc").write_text(
        f"Name: profkit\nDescription: this build\nVersion: 0.1.0\nCflags: -I{ROOT / 'include'}\n"
        f"Libs: -L{prefix / 'lib'} -lprofkit\n", encoding="utf-8")
    return dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"), LD_LIBRARY_PATH=str(prefix / "lib"),
                PROFKIT_LIBRARY=str(prefix / "lib" / "libprofkit.so.0"), CARGO_TARGET_DIR=str(scratch / "rust"),
                GOFLAGS="-mod=mod", GOPROXY="off", GOTOOLCHAIN="local",
                # Go's cache does not look at what pkg-config says.
                CGO_LDFLAGS=f"-O2 -L{prefix / 'lib'}",
                PYTHONPATH=str(ROOT / "bindings" / "python" / "src"))


# ---- what a process of its own measures ----

def load_columns(path, columns):
    import profkit  # pylint: disable=import-outside-toplevel
    with profkit.open(path) as profile:
        return profile.events_table(columns=columns).to_pyarrow()


def load_lists(path):
    from jax.profiler import ProfileData  # pylint: disable=import-outside-toplevel,import-error
    planes, lines, names, starts, durations = [], [], [], [], []
    for plane in ProfileData.from_file(path).planes:
        plane_name = plane.name
        for line in plane.lines:
            line_name = line.name
            for event in line.events:
                planes.append(plane_name)
                lines.append(line_name)
                names.append(event.name)
                starts.append(event.start_ns)
                durations.append(event.duration_ns)
    return planes, lines, names, starts, durations


def measure(what, path):
    """Prints the least processor time of some rounds, and what was found."""
    load = {"few": lambda: load_columns(path, COLUMNS), "all": lambda: load_columns(path, None),
            "jax": lambda: load_lists(path)}[what]
    found = load()
    if what == "jax":
        rows, total_ns = len(found[4]), sum(found[4])
    else:
        import pyarrow.compute  # pylint: disable=import-outside-toplevel
        rows, total_ns = found.num_rows, (pyarrow.compute.sum(found["duration_ps"]).as_py() or 0) / 1000
    best, until = None, time.process_time() + (2 if what == "jax" else 1)
    for round_ in range(1000):
        if round_ >= 3 and time.process_time() > until:
            break
        del found
        begin = time.process_time_ns()
        found = load()
        took = time.process_time_ns() - begin
        best = took if best is None else min(best, took)
    print(json.dumps({"best_ns": best, "rows": rows, "total_ns": total_ns}))


# ---- the tables ----

def measured(what, path, environment):
    """What measure() prints in a process of its own, or why it cannot."""
    done = subprocess.run([sys.executable, __file__, "--measure", what, str(path)], env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)
    return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"it ended with {done.returncode}"


def python_row(name, path, environment, with_jax):
    """False when the capture cannot be read."""
    few, every = measured("few", path, environment), measured("all", path, environment)
    for found in (few, every):
        if isinstance(found, str):
            print(f"  SKIPPED {name}: {found}")
            return False
    row = f"  {name:44.44} {few['rows']:9,} {few['best_ns'] / 1e3:10,.0f} {every['best_ns'] / 1e3:10,.0f}"
    if with_jax:
        jax = measured("jax", path, environment)
        if isinstance(jax, str):
            print(f"{row}   SKIPPED ProfileData: {jax}")
            return True
        if jax["rows"] != few["rows"] or abs(jax["total_ns"] - few["total_ns"]) > 1e-6 * few["total_ns"] + few["rows"]:
            sys.exit(f"{name}: profkit found {few}, ProfileData {jax}")
        row += (f" {jax['best_ns'] / 1e3:12,.0f} {jax['best_ns'] / few['best_ns']:7.1f} x "
                f"{jax['best_ns'] / every['best_ns']:6.1f} x")
    print(row, flush=True)
    return True


def python_table(traces, environment, scratch):
    def lacks(module):
        return subprocess.run([sys.executable, "-c", f"import {module}"], env=environment, capture_output=True,
                              check=False).returncode != 0

    if lacks("pyarrow"):
        print(f"  SKIPPED Python: {sys.executable} has no pyarrow (pip install pyarrow)")
        return
    with_jax = not lacks("jax.profiler")
    if not with_jax:
        print(f"  SKIPPED ProfileData: {sys.executable} has no jax (pip install jax)")
    print("  Python, us of processor time a capture: 5 columns and all 14 of profkit, 5 lists of ProfileData, and how many\n"
          "  times as fast each is\n"
          f"  {'':44} {'events':>9} {'5 columns':>10} {'all':>10}" + (f" {'ProfileData':>12}" if with_jax else ""))
    for name, path in traces:
        if not python_row(name, path, environment, with_jax):
            continue
        size = path.stat().st_size
        if 0 < size < 5_000_000:
            copies = -(-10_000_000 // size)
            repeated = scratch / "repeated.xplane.pb"
            repeated.write_bytes(path.read_bytes() * copies)
            python_row(f"  {copies} times that", repeated, environment, with_jax)


def languages_table(trace, environment, scratch):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "profkit"], env=environment, capture_output=True,
                           text=True, check=True).stdout.split()
    run(["cc", "-std=c11", "-O2", ROOT / "bench" / "ffi" / "events.c", "-o", scratch / "events", *flags], environment)
    run(["c++", "-std=c++17", "-O2", ROOT / "bench" / "ffi" / "events.cpp", "-o", scratch / "events_cpp", *flags], environment)
    rows = {}
    rust = go = None
    if shutil.which("cargo"):
        run(["cargo", "build", "--offline", "--release", "--example", "events_time"], environment,
            ROOT / "bindings" / "rust" / "profkit")
        rust = scratch / "rust" / "release" / "examples" / "events_time"
    if shutil.which("go"):
        go = scratch / "eventstime"
        run(["go", "build", "-o", go, "./cmd/eventstime"], environment, ROOT / "bindings" / "go")
    for _ in range(3):  # in turn, so that what the machine does meanwhile hits all of them
        found = {"C, batches": run([scratch / "events", trace, ROUNDS], environment)[0],
                 "C++, range": run([scratch / "events_cpp", trace, ROUNDS], environment)[0]}
        if rust:
            found["Rust, iterator"], found["Rust, batches"] = run([rust, trace, ROUNDS], environment)
        if go:
            found["Go, batches"], found["Go, event by event"] = run([go, trace, ROUNDS], environment)
        for name, row in found.items():
            if name not in rows or float(row[0]) < float(rows[name][0]):
                rows[name] = row
    base = float(rows["C, batches"][0])
    print(f"  ns of processor time an event, the best of 3 times {ROUNDS} rounds")
    for name, (ns, count, total) in rows.items():
        if (count, total) != tuple(rows["C, batches"][1:]):
            sys.exit(f"{name} read something else: {count} events, {total} ps")
        print(f"  {name:20} {float(ns):8.2f}   {float(ns) / base:5.2f} x C")
    for tool, there in (("cargo", rust), ("go", go)):
        if not there:
            print(f"  SKIPPED {tool}: not found")


# ---- the command ----

BUNDLED = [ROOT / "tests" / "data" / "xspace" / name
           for name in ("tpu_v6e_inference.xplane.pb", "jax08_gemm_mi300.xplane.pb")]


def corpus():
    """The captures of the large corpus, where it is."""
    folder = pathlib.Path(os.environ.get("PROFKIT_CORPUS", ROOT.parent / "shared")) / "captures"
    return sorted(path for path in folder.rglob("*.xplane.pb") if "MUST_REJECT" not in path.name)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", nargs="?", default=ROOT / "build" / "release", type=pathlib.Path,
                        help="a build folder, with libprofkit.so in it (default: build/release)")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the capture that is made (default: 1,000,000)")
    parser.add_argument("--captures", metavar="PATH", nargs="+", type=pathlib.Path,
                        help="XSpace files that Python reads too (default: those of $PROFKIT_CORPUS or ../shared)")
    parser.add_argument("--python-only", action="store_true", help="leave out C, C++, Rust and Go")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "PATH"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        return given
    if not (given.build / "libprofkit.so").exists():
        parser.error(f"there is no {given.build / 'libprofkit.so'}: make it with\n"
                     f"  meson setup {given.build} --buildtype=release && ninja -C {given.build} libprofkit.so")
    tools = [] if given.python_only else [tool for tool in ("cc", "c++", "pkg-config") if not shutil.which(tool)]
    if tools:
        parser.error(f"{' and '.join(tools)} not found: install, or use --python-only")
    for path in (given.captures or []) + BUNDLED:
        if not path.is_file():
            parser.error(f"there is no file {path}")
    if given.events < 8:
        parser.error("--events: at least 8")
    return given


def label(path):
    """Of files of a run the folder of the capture tells more than "vm.xplane.pb"."""
    parts = path.parts
    return "/".join(parts[-5:-4] + parts[-1:]) if "plugins" in parts[-5:] else path.name


def main():
    given = arguments()
    if given.measure:
        measure(*given.measure)
        return
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        environment = staged(given.build.resolve(), scratch)
        trace = scratch / "ffi.xplane.pb"
        trace.write_bytes(capture(given.events))
        print(f"{given.events:,} events, {trace.stat().st_size / 1e6:.0f} MB")
        if not given.python_only:
            languages_table(trace, environment, scratch)
        others = corpus() if given.captures is None else given.captures
        known = {path.name for path in others}
        others = [path for path in BUNDLED if path.name not in known] + others
        python_table([("generated", trace)] + [(label(path), path) for path in others], environment, scratch)
    print(f"  ({time.perf_counter() - started:.0f} s)")


if __name__ == "__main__":
    main()
