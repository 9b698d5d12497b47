#!/usr/bin/env python3
"""Imports profkit beside what Python hosts load, in every order: import_orders.py LIBPROFKIT.SO SOURCE_ROOT.

jax, torch and protobuf bring their own abseil, protobuf and OpenMP runtimes. Those that are not installed are told.
"""
import importlib.util
import itertools
import os
import subprocess
import sys

LIBRARY, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])
WANTED = ["jax", "torch", "google.protobuf.message", "pyarrow"]
AT_AN_END = "pyarrow"  # in every order it would be 120 processes
PROGRAM = """
import importlib, sys
for name in sys.argv[2:]:
    importlib.import_module(name)
import profkit
with profkit.open(sys.argv[1]) as profile:
    assert profile.document("info")["status"] == "ok"
    assert len(profile.planes) == 7
for name in sys.argv[2:]:
    if name == "jax":
        import jax.numpy
        assert int(jax.numpy.arange(10).sum()) == 45
    if name == "torch":
        import torch
        assert int(torch.arange(10).sum()) == 45
"""


def is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


found = [name for name in WANTED if is_there(name)]
missing = [name for name in WANTED if name not in found]
if missing:
    print(f"SKIPPED imports: {sys.executable} has no {', '.join(missing)}")
if not found:
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(77)
capture = os.path.join(ROOT, "tests", "data", "xspace", "tpu_v6e_inference.xplane.pb")
environment = dict(os.environ, PROFKIT_LIBRARY=LIBRARY, PYTHONDONTWRITEBYTECODE="1", JAX_PLATFORMS="cpu",
                   PYTHONPATH=os.path.join(ROOT, "bindings", "python", "src"))
problems = []
orders = [list(order) for order in itertools.permutations([name for name in [*found, "profkit"] if name != AT_AN_END])]
if AT_AN_END in found:
    for position, order in enumerate(orders):
        order.insert(0 if position % 2 == 0 else len(order), AT_AN_END)
for order in orders:
    done = subprocess.run([sys.executable, "-c", PROGRAM, capture, *order], env=environment, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        problems.append(f"{' '.join(order)}: exit {done.returncode}\n{done.stderr[-2000:]}")
print(*problems, sep="\n")
print(f"{len(orders) - len(problems)} passed, {len(problems)} failed, {1 if missing else 0} skipped")
sys.exit(1 if problems else 0)
