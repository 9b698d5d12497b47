"""The examples over many captures (examples/fleet) run, and give what the captures hold."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from test_fleet import many, write_capture  # noqa: F401  pylint: disable=unused-import

import profkit
from profkit import fleet

EXAMPLES = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[3])) / "examples" / "fleet"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not beside the tests")


@pytest.fixture
def captures(many):  # noqa: F811  pylint: disable=redefined-outer-name
    """Those of `many` but for the one of which a part is intact, and the time of each kernel, the largest first."""
    (many / "day=0" / "run040.xplane.pb").unlink()
    times = {name: sum((at + 1) * 1_000_000 for number in range(1, 101) if number not in (40, 41, 42) for at in range(number) if at % 2 == odd)
             for odd, name in enumerate(("kernel_0", "kernel_1"))}
    return many, sorted(((ps, name) for name, ps in times.items()), reverse=True)


def printed(name, *arguments):
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, check=True, timeout=300)
    return done.stdout.decode().splitlines()


def check_lines(lines, times):
    at = lines.index("99 captures, 2 of them not to the end")
    assert [line.split() for line in lines[at + 1:]] == [[str(ps), name] for ps, name in times]


def test_ray(captures):
    pytest.importorskip("ray.data")
    check_lines(printed("ray_captures.py", captures[0]), captures[1])


def test_dask(captures):
    pytest.importorskip("dask.dataframe")
    check_lines(printed("dask_captures.py", captures[0]), captures[1])


@pytest.mark.skipif(not os.environ.get("PROFKIT_TEST_SPARK"), reason="Spark is started by scripts/test engines")
def test_spark_job(captures, tmp_path):
    pytest.importorskip("pyspark")
    target = tmp_path / "ops.parquet"
    check_lines(printed("spark_job.py", captures[0], target), captures[1])
    assert {path.name for path in target.glob("folder=*")} == {f"folder=day%3D{day}" for day in range(4)}


@pytest.mark.skipif(not os.environ.get("PROFKIT_TEST_SPARK"), reason="Spark is started by scripts/test engines")
def test_spark_of_3_5_job(captures):
    pytest.importorskip("pyspark")
    check_lines(printed("spark35_job.py", captures[0]), captures[1])


def test_uris_are_mapped_to_batches(many):  # noqa: F811  pylint: disable=redefined-outer-name
    pyarrow = pytest.importorskip("pyarrow")
    of = fleet.captures(many)
    wanted = pyarrow.Table.from_batches(list(fleet.scan(many, "ops")))
    uris = pyarrow.table({"uri": [one.uri for one in of]}).to_batches(max_chunksize=7)
    assert pyarrow.Table.from_batches(list(fleet.scan([], "ops").read_uris(uris))) == wanted


def test_duckdb_notebook(captures, tmp_path, monkeypatch, capsys):
    pytest.importorskip("duckdb")
    monkeypatch.setenv("PROFKIT_CAPTURES", str(captures[0]))
    monkeypatch.setenv("PROFKIT_DATASET", str(tmp_path / "ops.dataset"))
    cells = json.loads((EXAMPLES / "duckdb.ipynb").read_text("utf-8"))["cells"]
    space = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)  # pylint: disable=exec-used
    for name in ("costliest", "again"):
        found = [(round(row[1] * 1e12), row[0]) for row in space[name].fetchall()]
        assert found == captures[1]
    assert space["written"].captures == 99 and space["written"].errors == 2
    assert "kernel_0" in capsys.readouterr().out


def exporter():
    spec = importlib.util.spec_from_file_location("prometheus_exporter", EXAMPLES / "prometheus_exporter.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def samples(text):
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if not line.startswith("#")}


def test_prometheus_exporter(tmp_path):
    totals = exporter().Totals()
    totals.look(tmp_path)
    assert samples(totals.text()) == {f'profkit_captures_total{{read="{ended}"}}': 0 for ended in ("whole", "with_error")}
    write_capture(tmp_path / "run003.xplane.pb", 3)
    write_capture(tmp_path / "run005.xplane.pb", 5)
    (tmp_path / "run006.xplane.pb").write_bytes(b"no capture" * 5)
    totals.look(tmp_path)
    assert totals.captures == {}  # they may still be written
    for _ in range(3):
        totals.look(tmp_path)
    found = samples(totals.text())
    assert found['profkit_captures_total{read="whole"}'] == 2 and found['profkit_captures_total{read="with_error"}'] == 1
    busy = found['profkit_device_seconds_total{use="compute",cause=""}']
    assert busy == pytest.approx((6 + 15) / 1e6)
    # From the first kernel to the end of the last.
    assert sum(value for name, value in found.items() if "seconds" in name) == pytest.approx((200 + 3 + 400 + 5) / 1e6)
    write_capture(tmp_path / "run004.xplane.pb", 4)
    totals.look(tmp_path)
    totals.look(tmp_path)
    assert samples(totals.text())['profkit_device_seconds_total{use="compute",cause=""}'] == pytest.approx((6 + 15 + 10) / 1e6)


def test_prometheus_exporter_is_a_server(tmp_path):
    write_capture(tmp_path / "run003.xplane.pb", 3)
    with subprocess.Popen([sys.executable, EXAMPLES / "prometheus_exporter.py", tmp_path, "--port", "0", "--every", "0.05"],
                          stdout=subprocess.PIPE, text=True) as running:
        ender = threading.Timer(60, running.kill)
        ender.start()
        try:
            url = running.stdout.readline().strip()
            for _ in range(200):
                with urllib.request.urlopen(url, timeout=20) as answer:
                    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
                    found = samples(answer.read().decode())
                if found['profkit_captures_total{read="whole"}'] == 1:
                    break
                time.sleep(0.05)
            assert found['profkit_device_seconds_total{use="compute",cause=""}'] == pytest.approx(6e-6)
        finally:
            ender.cancel()
            running.kill()
