"""Where the captures are, and traces of two nodes."""
import os
import pathlib

import pytest

import profkit

ROOT = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[3]))
DATA = ROOT / "tests" / "data"


@pytest.fixture
def tpu():
    with profkit.open(DATA / "xspace" / "tpu_v6e_inference.xplane.pb") as profile:
        yield profile


@pytest.fixture
def gpu_path():
    return DATA / "xspace" / "jax08_gemm_mi300.xplane.pb"


@pytest.fixture
def data():
    return DATA


@pytest.fixture
def two_nodes(tmp_path):
    """Two traces of one collective each; the second node's clock is 2 ms ahead."""
    paths = []
    for node in range(2):
        path = tmp_path / f"node{node}.xplane.pb"
        start_ns = 1_700_000_000_000_000_000 + node * 2_000_000
        with profkit.XSpaceWriter(path) as writer:
            writer.hostname(f"node{node}")
            with writer.plane("/device:GPU:0"):
                with writer.line("Stream #1", id=1, timestamp_ns=0):
                    writer.event("all-reduce", offset_ps=1000, duration_ps=5000, stats={"bytes": 8, "ratio": 0.5})
            with writer.plane("Task Environment", stats={"profile_start_time": start_ns}):
                pass
        paths.append(path)
    return paths
