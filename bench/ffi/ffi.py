#!/usr/bin/env python3
"""What the way over the C ABI costs in each language, in one run on one capture.

ffi.py BUILD_FOLDER [EVENTS [CAPTURE ...]]

BUILD_FOLDER has libprofkit.so; the capture is made here (default: 2,000,000 events). Python also reads the bundled TPU and
GPU captures, and those that are named: as they are, and as many times in one file as make 10 MB (copies behind one another
are an XSpace with so many times the planes).

C, Rust and Go sum the durations of all events that they read in batches. Python loads the capture and makes Arrow columns
of it, and, where jax is installed, jax.profiler.ProfileData opens the same file and name, start and duration of each event
are taken. What a machine lacks is told and left out. Ratios matter; times depend on the machine.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 7


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


PROFKIT_PYTHON = """
import sys, time, pyarrow, pyarrow.compute, profkit
best = 1e300
for _ in range(int(sys.argv[2])):
    begin = time.process_time()
    with profkit.open(sys.argv[1]) as profile:
        table = profile.events_table().to_pyarrow()
    rows = table.num_rows
    total = pyarrow.compute.sum(table["duration_ps"]).as_py()
    best = min(best, (time.process_time() - begin) * 1e9 / rows)
print(f"{best:.3f} {rows} {total}")
"""
JAX_PYTHON = """
import sys, time
from jax.profiler import ProfileData
best = 1e300
for _ in range(int(sys.argv[2])):
    begin = time.process_time()
    data = ProfileData.from_file(sys.argv[1])
    rows = total = 0
    names, starts = [], []
    for plane in data.planes:
        for line in plane.lines:
            for event in line.events:
                names.append(event.name)
                starts.append(event.start_ns)
                total += event.duration_ns
                rows += 1
    best = min(best, (time.process_time() - begin) * 1e9 / rows)
print(f"{best:.3f} {rows} {total}")
"""


def main(build, events=2_000_000, *captures):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        environment = staged(build, scratch)
        trace = scratch / "ffi.xplane.pb"
        trace.write_bytes(capture(int(events)))
        print(f"{int(events):,} events, {trace.stat().st_size / 1e6:.0f} MB; the best of {ROUNDS} rounds, ns of CPU per event")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "profkit"], env=environment, capture_output=True,
                               text=True, check=True).stdout.split()
        run(["cc", "-std=c11", "-O2", ROOT / "bench" / "ffi" / "events.c", "-o", scratch / "events", *flags], environment)
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
            found = {"C, batches": run([scratch / "events", trace, ROUNDS], environment)[0]}
            if rust:
                found["Rust, iterator"], found["Rust, batches"] = run([rust, trace, ROUNDS], environment)
            if go:
                found["Go, batches"], found["Go, event by event"] = run([go, trace, ROUNDS], environment)
            for name, row in found.items():
                if name not in rows or float(row[0]) < float(rows[name][0]):
                    rows[name] = row
        base = float(rows["C, batches"][0])
        for name, (ns, count, total) in rows.items():
            assert (count, total) == tuple(rows["C, batches"][1:]), f"{name} read something else"
            print(f"  {name:20} {float(ns):8.2f}   {float(ns) / base:5.2f} × C")
        for tool, there in (("cargo", rust), ("go", go)):
            if not there:
                print(f"  SKIPPED {tool}: not found")
        traces = [("generated", trace)]
        for given in BUNDLED + [pathlib.Path(path) for path in captures]:
            content = given.read_bytes()
            copies = -(-10_000_000 // len(content))
            repeated = scratch / f"{copies}_{given.name}"
            repeated.write_bytes(content * copies)
            traces += [(given.name, given), (f"{copies} times that", repeated)]
        print("  Python: Arrow columns of profkit, and jax.profiler.ProfileData; ns of CPU per event")
        for name, path in traces:
            python(name, path, environment)


BUNDLED = [ROOT / "tests" / "data" / "xspace" / name
           for name in ("tpu_v6e_inference.xplane.pb", "jax08_gemm_mi300.xplane.pb")]


def python(name, trace, environment):
    def measured(program, rounds):
        done = subprocess.run([sys.executable, "-c", program, str(trace), str(rounds)], env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"  SKIPPED: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}")
            return None
        return done.stdout.split()

    small = trace.stat().st_size < 5_000_000
    ours, theirs = measured(PROFKIT_PYTHON, 100 if small else 7), measured(JAX_PYTHON, 7 if small else 2)
    if ours and theirs:
        assert ours[1] == theirs[1], f"{name}: profkit has {ours[1]} events, ProfileData {theirs[1]}"
        print(f"  {name:32} {int(ours[1]):9,} events {float(ours[0]):8.1f} {float(theirs[0]):8.0f}   "
              f"{float(theirs[0]) / float(ours[0]):5.1f} times as fast")
    elif ours:
        print(f"  {name:32} {int(ours[1]):9,} events {float(ours[0]):8.1f}")


if __name__ == "__main__":
    started = time.perf_counter()
    main(*sys.argv[1:])
    print(f"  ({time.perf_counter() - started:.0f} s)")
