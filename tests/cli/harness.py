"""What the tests of the command share: running it, captures made on the spot, and a count at the end."""
import importlib.util
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))

from wire import double, number, varint  # noqa: E402,F401  pylint: disable=wrong-import-position,unused-import
from wire import message as text  # noqa: E402  pylint: disable=wrong-import-position

PROFKIT = ""  # set by main()
ROOT = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
DATA = ROOT / "tests" / "data"
TPU = DATA / "xspace" / "tpu_v6e_inference.xplane.pb"
GPU = DATA / "xspace" / "jax08_gemm_mi300.xplane.pb"
CPU_RUN = DATA / "jax" / "two_process_rank0"
COMMANDS = ["report", "explain", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives", "memory",
            "bubbles", "architecture"]
LEFT_OUT = os.environ.get("PROFKIT_LEFT_OUT", "").split()   # options of meson_options.txt


def corpus():
    """The folder of captures that are not part of the repository, or None."""
    path = pathlib.Path(os.environ.get("PROFKIT_CORPUS", ROOT.parent / "shared")) / "captures"
    return path if path.is_dir() else None


def needed_corpus():
    """The same folder; a test that gets here without it is skipped."""
    if corpus() is None:
        raise unittest.SkipTest("needs PROFKIT_CORPUS")
    return corpus()


class Outcome:
    def __init__(self, finished):
        self.status = finished.returncode
        self.out = finished.stdout.decode("utf-8")  # the command writes nothing but valid UTF-8
        self.err = finished.stderr.decode("utf-8")


def run(*arguments, environment=None, **more):
    """Runs the command with standard input closed unless given otherwise."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    env.update(environment or {})
    if "input" not in more and "stdin" not in more:
        more["stdin"] = subprocess.DEVNULL
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    finished = subprocess.run([PROFKIT, *map(str, arguments)], stderr=subprocess.PIPE, env=env, timeout=120,
                              check=False, **more)
    finished.stdout = finished.stdout or b""
    return Outcome(finished)


def shown_on_terminal(start):
    """What `start(terminal)`, which gives a running process, shows there until it ends, and its status."""
    ours, theirs = os.openpty()
    running = start(theirs)
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 1)[0]:
            continue
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return shown, running.wait(timeout=60)


# ---- a writer of the few messages that made-up captures need ----

def event(metadata_id, offset_ps, duration_ps):
    return text(4, number(1, metadata_id) + number(2, offset_ps) + number(3, duration_ps))


def line(line_id, name, events, timestamp_ns=0):
    return text(3, number(1, line_id) + text(2, name) + number(3, timestamp_ns) + b"".join(events))


def event_name(key, name, display_name=""):
    value = number(1, key) + text(2, name) + (text(4, display_name) if display_name else b"")
    return text(4, number(1, key) + text(2, value))


def plane(plane_id, name, *fields):
    return text(1, number(1, plane_id) + text(2, name) + b"".join(fields))


def small_tpu(names=("fusion.1", "copy.2"), errors=()):
    """One TPU with one module run, two ops and two steps."""
    ops = [event(1, 1000, 500), event(2, 1500, 250), event(1, 3000, 700)]
    return plane(
        1, "/device:TPU:0",
        line(1, "Steps", [event(3, 1000, 1500), event(4, 2500, 1500)]),
        line(3, "XLA Ops", ops),
        *(event_name(i + 1, name) for i, name in enumerate(names)),
        event_name(3, "0"), event_name(4, "1"),
    ) + b"".join(text(2, e) for e in errors)


def needs(part):
    """For a test of what a build may leave out (an option of meson_options.txt, by its name)."""
    return unittest.skipIf(part in LEFT_OUT, f"built without {part}")


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def check_schema(self, document, name):
        """Skips where there is no jsonschema."""
        self.check_schemas([document], name)

    def check_schemas(self, documents, name):
        """The same for several, for the schemas take long to read."""
        spec = importlib.util.spec_from_file_location("validate_documents", ROOT / "tests/golden/validate_documents.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        try:
            checks = module.validators(ROOT / "docs" / "schemas")
        except ImportError:
            self.skipTest("no Python package jsonschema")
        for document in documents:
            errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in checks[name].iter_errors(document)]
            self.assertEqual(errors, [])

    def check_status(self, outcome, expected):
        self.assertEqual(outcome.status, expected, f"\n--- stdout\n{outcome.out}\n--- stderr\n{outcome.err}")


def main(module):
    global PROFKIT
    PROFKIT = os.path.abspath(sys.argv[1])
    loader = unittest.defaultTestLoader
    names = sys.argv[2:]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    for _, reason in result.skipped:
        print(f"SKIPPED {reason}")
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
