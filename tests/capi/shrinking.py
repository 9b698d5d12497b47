#!/usr/bin/env python3
"""Files that another process truncates while a host reads them: shrinking.py LIBRARY DATA

The host lives, and what it is told is an answer or an error."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))
import xspace

# The host: opens PATH, waits for a line, asks everything. Python's profkit loads the library.
HOST = """
import sys
import profkit
try:
    opened = profkit.open(sys.argv[1], run="all")
except profkit.Error:
    opened = None
print("open", flush=True)
sys.stdin.readline()
if opened is not None:
    for name in profkit.profile._DOCUMENTS:
        try:
            opened.document(name)
        except profkit.Error:
            pass
    for name in ("files", "devices", "ops", "kernels", "gaps", "live_buffers", "probe_records"):
        try:
            opened.table(name).to_dicts()
        except profkit.Error:
            pass
    try:
        opened.write_export(len, "trace.json")
    except profkit.Error:
        pass
print("lives", flush=True)
"""


def files_of(path):
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def grown(path, bytes_at_least=700_000):
    """Files above the size from which they are mapped, where mapping was asked for: XSpaces with a plane of padding, text with blanks."""
    for file in files_of(path):
        padding = bytes_at_least - file.stat().st_size
        if padding <= 0:
            continue
        if file.name.endswith(".xplane.pb"):
            file.write_bytes(file.read_bytes() + xspace.space(xspace.plane(99, "p" * padding)))
        elif file.suffix in (".csv", ".json"):
            file.write_bytes(file.read_bytes() + b"\n" * padding)


def outlives(capture, part, when):
    """Why the host did not live; None where it did."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / capture.name
        if capture.is_dir():
            shutil.copytree(capture, path)
        else:
            shutil.copy(capture, path)
        for file in files_of(path):
            file.chmod(0o644)
        grown(path)
        with subprocess.Popen([sys.executable, "-c", HOST, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as host:
            if when == "open":
                host.stdout.readline()
            for file in files_of(path):
                os.truncate(file, int(file.stat().st_size * part))
            try:
                out, err = host.communicate("go\n", timeout=60)
            except subprocess.TimeoutExpired:
                host.kill()
                return "did not end within a minute"
    if host.returncode < 0:
        return signal.Signals(-host.returncode).name
    return None if host.returncode == 0 and out.endswith("lives\n") else f"exit {host.returncode}: {err[-300:]}"


def main(library, data):
    os.environ["PROFKIT_LIBRARY"] = library
    os.environ["PYTHONPATH"] = str(pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "src")
    captures = sorted(p for folder in pathlib.Path(data).iterdir() if folder.is_dir() for p in folder.iterdir())
    captures = [p for p in captures if p.name != "xprof_hlo_work.json"]
    problems, count = [], 0
    for capture in captures:
        for part in (0.5, 0):
            for when in ("open", "opening"):
                count += 1
                if why := outlives(capture, part, when):
                    problems.append(f"{capture.name}, truncated to {part:.0%} when {when}: {why}")
    print(*problems, sep="\n")
    print(f"{count - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
