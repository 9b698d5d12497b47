"""Many captures at once: scans, Parquet datasets, and what is damaged among them."""
import functools
import http.server
import json
import os
import pathlib
import shutil
import sys
import threading

import pytest

import profkit

pa = pytest.importorskip("pyarrow")
fleet = pytest.importorskip("profkit.fleet")


def write_capture(path, number):
    """A trace with `number` kernels, of which the last takes number us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with profkit.XSpaceWriter(path) as writer:
        writer.hostname(f"host{number % 3}")
        with writer.plane("/device:GPU:0"):
            with writer.line("Stream #1", id=1, timestamp_ns=0):
                for at in range(number):
                    writer.event(f"kernel_{at % 2}", offset_ps=at * 100_000_000, duration_ps=(at + 1) * 1_000_000)


@pytest.fixture
def many(tmp_path):
    """100 captures in folders of days, of which three are damaged: one cut short, one that is no capture, one that is empty."""
    root = tmp_path / "captures"
    for number in range(1, 101):
        write_capture(root / f"day={number % 4}" / f"run{number:03}.xplane.pb", number)
    cut = root / "day=0" / "run040.xplane.pb"
    cut.write_bytes(cut.read_bytes()[:-30])
    (root / "day=1" / "run041.xplane.pb").write_bytes(b"this is no capture" * 10)
    (root / "day=2" / "run042.xplane.pb").write_bytes(b"")
    (root / "notes.txt").write_text("nothing to read")
    return root


DAMAGED = {"run040", "run041", "run042"}


def number_of(uri):
    return int(pathlib.PurePath(uri).name[3:6])


def test_a_scan_has_every_capture(many):
    found = fleet.scan(many, "ops", workers=3)
    assert len(found.captures) == 100
    rows = found.to_pyarrow().to_pylist()
    assert found.schema.names[0] == "uri" and found.schema.names[-1] == "error"
    # In the order of the captures, whoever was read first.
    assert [row["uri"] for row in rows] == sorted(row["uri"] for row in rows)
    errors = {pathlib.PurePath(row["uri"]).name[:6]: row["error"] for row in rows if row["error"] is not None}
    assert set(errors) == DAMAGED and all(errors.values())
    by_capture = {}
    for row in rows:
        if row["error"] is None and number_of(row["uri"]) not in (40, 41, 42):
            by_capture.setdefault(number_of(row["uri"]), []).append((row["name"], row["count"], row["total_ps"], row["host"]))
    assert set(by_capture) == set(range(1, 101)) - {40, 41, 42}
    for number, ops in by_capture.items():
        kernels = {f"kernel_{odd}": [at + 1 for at in range(number) if at % 2 == odd] for odd in (0, 1)}
        assert sorted(ops) == [(name, len(times), sum(times) * 1_000_000, f"host{number % 3}")
                               for name, times in kernels.items() if times]


def test_what_was_intact_of_a_damaged_capture_is_there(many):
    rows = fleet.scan(many / "day=0" / "run040.xplane.pb", "events", columns=["name", "start_ps"]).to_pyarrow().to_pylist()
    assert rows[-1]["error"] and all(row["error"] is None for row in rows[:-1])
    assert [row["start_ps"] for row in rows[:-1]] == [at * 100_000_000 for at in range(len(rows) - 1)]
    assert len(rows) - 1 >= 30


def test_columns_and_filters(many):
    found = fleet.scan(str(many / "day=1" / "*.pb"), "ops", columns=["self_ps", "name"], event="kernel_1")
    assert found.schema.names == ["uri", "self_ps", "name", "error"]
    rows = found.to_pyarrow().to_pylist()
    assert {row["name"] for row in rows if row["error"] is None} == {"kernel_1"}
    # A capture without such an op has no rows, and nothing is wrong with it.
    assert {pathlib.PurePath(row["uri"]).name[:6] for row in rows if row["error"] is not None} <= DAMAGED
    nothing = fleet.scan(many / "day=1" / "run001.xplane.pb", "ops", event="no such op").to_pyarrow()
    assert nothing.num_rows == 0
    with pytest.raises(ValueError, match="at least one column"):
        fleet.scan(many, columns=["uri"])
    assert fleet.scan(many / "nothing").to_pyarrow().column("error").to_pylist() != [None]


def test_no_unsigned_numbers_and_no_dictionaries(many):
    for table in ("ops", "events", "kernels", "steps", "gaps", "files"):
        for field in fleet.scan(many, table).schema:
            assert not pa.types.is_dictionary(field.type) and not pa.types.is_unsigned_integer(field.type), (table, field)
            assert field.nullable


def test_a_scan_that_is_left_early_ends_its_threads(many, monkeypatch):
    monkeypatch.setattr(fleet, "BATCH_ROWS", 1)  # more batches than wait for their turn
    for _ in fleet.scan(many, "events", workers=4):
        break
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("profkit-fleet")]


def test_duckdb_groups_by_host(many):
    duckdb = pytest.importorskip("duckdb")
    ops = fleet.scan(many, "ops")
    assert ops is not None
    found = duckdb.sql("select host, count(distinct uri), sum(count)::bigint from ops "
                       "where error is null and uri not like '%run040%' group by all order by host").fetchall()
    whole = [number for number in range(1, 101) if number not in (40, 41, 42)]
    assert found == [(f"host{host}", sum(n % 3 == host for n in whole), sum(n for n in whole if n % 3 == host)) for host in range(3)]


def test_sql(many, monkeypatch):
    pytest.importorskip("duckdb")
    asked = []
    opened = profkit.Profile.table

    def table(self, name, **given):
        asked.append((name, tuple(given.get("columns") or ())))
        return opened(self, name, **given)

    monkeypatch.setattr(profkit.Profile, "table", table)
    whole = {number for number in range(1, 101) if number not in (40, 41, 42)}
    found = profkit.sql("select host, count(*), sum(total_ps)::hugeint from ops where error is null and uri not like '%run040%' "
                        "group by host order by host", many)
    expected = [(f"host{host}", sum(min(n, 2) for n in whole if n % 3 == host),
                 sum(sum(range(1, n + 1)) for n in whole if n % 3 == host) * 1_000_000) for host in range(3)]
    # As often as somebody asks.
    assert found.fetchall() == expected and found.fetchall() == expected
    # Of the table the columns whose names are in the query, once its schema is known.
    assert {columns for _, columns in asked if columns} == {("host", "count", "total_ps")}
    assert len(profkit.sql("select uri from ops", many / "day=1" / "run005.xplane.pb").fetchall()) == 2
    # A table that is joined with itself, and one with another.
    many_one = many / "day=1" / "run005.xplane.pb"
    assert profkit.sql("select count(*) from ops a join ops b using (uri, name)", many_one).fetchall() == [(2,)]
    assert profkit.sql("select o.name, count(e.start_ps) from ops o join events e on o.name = e.name group by all order by all",
                       many_one).fetchall() == [("kernel_0", 3), ("kernel_1", 2)]
    assert len(profkit.sql("select * from ops", many_one).columns) == len(fleet.scan(many_one, "ops").schema)


def write_steps(path, host, step_us):
    path.parent.mkdir(parents=True, exist_ok=True)
    with profkit.XSpaceWriter(path) as writer:
        writer.hostname(host)
        with writer.plane("/device:TPU:0"):
            with writer.line("Steps", id=0, timestamp_ns=0):
                for at in range(5):
                    writer.event(str(at), offset_ps=at * 1_000_000_000, duration_ps=step_us * 1_000_000)
            with writer.line("XLA Ops", id=1, timestamp_ns=0):
                for at in range(5):
                    writer.event("fusion.1", offset_ps=at * 1_000_000_000, duration_ps=step_us * 500_000)


def test_questions(many, tmp_path):
    pytest.importorskip("duckdb")
    runs = tmp_path / "runs"
    for run, times in (("monday", (100, 100, 150, 100)), ("tuesday", (300, 300, 300, 330))):
        for host, step_us in enumerate(times):
            write_steps(runs / "log" / "plugins" / "profile" / run / f"host{host}.xplane.pb", f"host{host}", step_us)
    slow = [(pathlib.PurePath(run).name, host, steps, work_ms, round(slower_percent, 9))
            for run, host, _, steps, work_ms, slower_percent in fleet.ask("stragglers", runs).fetchall()]
    assert slow == [("monday", "host2", 5, 0.075, 50.0), ("tuesday", "host3", 5, 0.165, 10.0)]
    # From step to step there is 1 ms; the last ends with its mark.
    uses = {use: seconds for use, seconds, _, _ in fleet.ask("uses", runs).fetchall()}
    work = 5 * (450 + 1230) / 2e6
    assert uses["compute"] == pytest.approx(work) and sum(uses.values()) == pytest.approx(8 * 4e-3 + (450 + 1230) / 1e6)
    assert sum(percent for _, _, percent, _ in fleet.ask("uses", runs).fetchall()) == pytest.approx(100)
    causes = fleet.ask("causes", runs).fetchall()
    assert sum(row[2] for row in causes) == pytest.approx(uses["idle"])
    (name, _, seconds, count, captures), = fleet.ask("ops", runs).fetchall()
    assert (name, count, captures) == ("fusion.1", 40, 8) and seconds == pytest.approx(work)
    coverage = {family: (captures, errors) for family, captures, _, errors in fleet.ask("coverage", many).fetchall()}
    assert coverage == {"xspace": (98, 1), "cannot be read": (2, 2)}  # one could be read in part
    assert fleet.sql("select uri from captures", runs).fetchall() == [(capture.uri,) for capture in fleet.captures(runs)]
    wrong = fleet.sql("select uri, message from errors", many).fetchall()
    assert {number_of(uri) for uri, _ in wrong} == {40, 41, 42} and all(message for _, message in wrong)
    with pytest.raises(ValueError, match="stragglers"):
        fleet.ask("why", many)


def write_trace(path, kernel_us, *, model="BertModel", device="NVIDIA H100 80GB HBM3", begin_s=0, step_us=1000):
    """A trace of PyTorch with three steps, recorded from `begin_s` on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = []
    for at in range(3):
        begin = at * step_us
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{at}", "pid": 1, "tid": 1, "ts": begin, "dur": step_us},
            {"ph": "X", "cat": "python_function", "name": f"nn.Module: {model}_0", "pid": 1, "tid": 1, "ts": begin + 1, "dur": step_us - 50,
             "args": {"Python id": at + 1, "Python module id": 0}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 5, "dur": 3, "args": {"correlation": at + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": begin + 20, "dur": kernel_us,
             "args": {"device": 0, "stream": 7, "correlation": at + 1}}]
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": device}],
                                "baseTimeNanoseconds": (1_700_000_000 + begin_s) * 10**9, "traceEvents": events}))


def test_regressions_are_of_one_model_and_device(tmp_path):
    """Between others nothing is slower or faster."""
    pytest.importorskip("duckdb")
    day = 86400
    for at, (folder, step_us, given) in enumerate([
            ("v1", 1000, {}), ("other-model", 9000, {"model": "LlamaModel"}), ("other-device", 4000, {"device": "NVIDIA B200"}),
            ("v2", 1200, {}), ("other-model-2", 4500, {"model": "LlamaModel"})]):
        write_trace(tmp_path / folder / "rank0.trace.json", 300, step_us=step_us, begin_s=at * day, **given)
    write_steps(tmp_path / "other-format" / "host.xplane.pb", "host", 500)
    asked = fleet.ask("regressions", tmp_path)
    found = [dict(zip(asked.columns, row)) for row in asked.fetchall()]
    assert [(pathlib.PurePath(row["before"]).name, pathlib.PurePath(row["folder"]).name, row["before_ms"], row["step_ms"],
             round(row["slower_percent"], 6)) for row in found] == [
        ("v1", "v2", 1.0, 1.2, 20.0), ("other-model", "other-model-2", 9.0, 4.5, -50.0)]
    assert (found[0]["model"], found[0]["device"], found[0]["captures"], found[0]["steps"]) == ("bert", "NVIDIA H100 80GB HBM3", 1, 3)
    assert not any(value is None for row in found for value in row.values())


def test_stragglers_are_of_one_run(tmp_path):
    """A run is what stands in a folder, as for `waits`, and was recorded together; less than 1 % is nothing."""
    pytest.importorskip("duckdb")
    for rank, kernel_us in enumerate((400, 403, 400, 480)):
        write_trace(tmp_path / "job" / f"rank{rank}.trace.json", kernel_us, begin_s=rank)
    write_trace(tmp_path / "job" / "other-model.trace.json", 800, model="LlamaModel")
    write_trace(tmp_path / "job" / "other-device.trace.json", 700, device="NVIDIA B200")
    for night, kernel_us in enumerate((400, 500, 600)):
        write_trace(tmp_path / "nights" / f"night{night}.trace.json", kernel_us, begin_s=night * 86400)
    found = fleet.ask("stragglers", tmp_path).fetchall()
    assert [(run, round(percent, 3)) for run, *_, percent in found] == [(str(tmp_path / "job"), round(100 * (480 / 401.5 - 1), 3))]


def test_links_are_of_one_run(tmp_path):
    """Ranks in one folder are a run and are not compared with each other."""
    pytest.importorskip("duckdb")
    for run, lengths in (("a", (400, 900)), ("b", (400, 700)), ("c", (600, 950))):
        for rank, length in enumerate(lengths):
            write_trace(tmp_path / run / f"rank{rank}.trace.json", length)
            trace = json.loads((tmp_path / run / f"rank{rank}.trace.json").read_text())
            for event in trace["traceEvents"]:
                if event["cat"] == "kernel":
                    event["name"] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
            (tmp_path / run / f"rank{rank}.trace.json").write_text(json.dumps(trace))
    found = [(pathlib.PurePath(run).name, compared, round(percent, 6)) for run, _, _, compared, percent in fleet.ask("links", tmp_path).fetchall()]
    assert found == [("c", 3, 50.0), ("a", 3, 0.0), ("b", 3, 0.0)]


@pytest.mark.parametrize("capture, first, words", [("kineto/h100_bert_small.pt.trace.json.gz", "launch_bound", "issues work more slowly"),
                                                   ("xspace/tpu_v6e_inference.xplane.pb", "exposed_copy", None),
                                                   ("xspace/jax08_gemm_mi300.xplane.pb", "sync_wait", None)])
def test_the_first_cause_is_that_of_the_report(data, capture, first, words):
    """Summed over certainties and in steps, before what is not known."""
    pytest.importorskip("duckdb")
    asked = fleet.ask("causes", data / capture)
    found = [dict(zip(asked.columns, row)) for row in asked.fetchall()]
    with profkit.open(data / capture) as profile:
        summary = profile.report()["summary"]
        rows = [row for row in profile.document("bubbles", limit=0)["time"] if row["device"] is None and row["in_steps"]]
    assert (found[0]["cause"], found[0]["during"]) == (first, "steps")
    assert words is None or words in summary["verdict"] and f"({found[0]['percent']:.1f} %)" in summary["verdict"]
    without_cause = {"idle": "unknown", "exposed_communication": "exposed_comm", "exposed_copies": "exposed_copy"}
    shares = {}
    for row in rows:
        if row["use"] in without_cause:
            row["cause"] = without_cause[row["use"]] if row["cause"] in (None, "unexplained") else row["cause"]
            shares[row["cause"]] = shares.get(row["cause"], 0) + 100 * row["share"]
    assert (summary["idle"]["leading_cause"] or {"cause": first})["cause"] == first  # None: it is only possible
    in_steps = [row for row in found if row["during"] == "steps"]
    assert {row["cause"]: row["percent"] for row in in_steps} == pytest.approx(shares)
    known = [row["percent"] for row in in_steps if row["cause"] != "unknown"]
    assert known == sorted(known, reverse=True) and [row["cause"] for row in in_steps][len(known):] == ["unknown"]
    proved = sum(100 * row["share"] for row in rows if row["cause"] == first and row["certainty"] == "proved")
    assert found[0]["proved_percent"] == pytest.approx(proved)


def test_causes_outside_of_steps_come_last(tmp_path):
    """With their share of that time."""
    pytest.importorskip("duckdb")
    path = tmp_path / "a.trace.json"
    write_trace(path, 300)
    trace = json.loads(path.read_text())
    trace["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "ts": 12_000, "dur": 1000, "args": {"device": 0, "stream": 7}})
    path.write_text(json.dumps(trace))
    in_steps, outside = {}, {}
    for _, during, _, percent, *_ in fleet.ask("causes", path).fetchall():
        assert during == "no step" or not outside
        held = in_steps if during == "steps" else outside
        held["percent"] = held.get("percent", 0) + percent
    assert in_steps["percent"] == pytest.approx(70) and outside["percent"] == pytest.approx(90)


def test_a_dataset_is_written_once(many, tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    root = tmp_path / "ops"

    def write():
        return fleet.write_dataset(many, root, "ops", captures_per_file=10, workers=2,
                                   partition=lambda uri: {"day": pathlib.PurePath(uri).parent.name.partition("=")[2]})

    first = write()
    assert (first.captures, first.captures_read, first.errors) == (100, 100, 3)
    held = dataset.dataset(root, partitioning="hive").to_table()
    assert held.num_rows == first.rows + first.errors
    assert {(row["day"], number_of(row["uri"])) for row in held.to_pylist()} == {(n % 4, n) for n in range(1, 101)}
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*.parquet")}
    assert len(files) == first.files == 12
    # Nothing has changed.
    assert write()[:3] == (100, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.parquet")} == files
    # One is new, one has changed, one is gone.
    write_capture(many / "day=3" / "run103.xplane.pb", 103)
    write_capture(many / "day=3" / "run007.xplane.pb", 8)
    (many / "day=2" / "run002.xplane.pb").unlink()
    again = write()
    assert again.captures == 100 and again.captures_read == 1 + 10 + 9 and again.errors == 0
    held = dataset.dataset(root, partitioning="hive").to_table().to_pylist()
    assert {number_of(row["uri"]) for row in held} == set(range(1, 104)) - {2, 101, 102}
    assert sum(row["count"] for row in held if row["error"] is None and number_of(row["uri"]) == 7) == 8
    # A day is gone.
    shutil.rmtree(many / "day=1")
    assert write().captures_read == 0
    assert not list((root / "day=1").glob("*.parquet")) and len(list((root / "day=2").glob("*.parquet"))) == 3
    with pytest.raises(ValueError, match="another folder"):
        fleet.write_dataset(many, root, "events")


def test_an_interrupted_dataset_goes_on(many, tmp_path, monkeypatch):
    root, read = tmp_path / "ops", []
    whole = fleet.Scan.read

    def interrupted(self, capture):
        read.append(capture.uri)
        if len(read) == 55:
            raise KeyboardInterrupt
        return whole(self, capture)

    monkeypatch.setattr(fleet.Scan, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fleet.write_dataset(many, root, "ops", captures_per_file=10, workers=1)
    left = list(root.rglob("*"))
    assert not [path for path in left if path.name.endswith(".part")]
    complete = [path for path in left if path.suffix == ".parquet"]
    assert 4 <= len(complete) <= 5
    monkeypatch.setattr(fleet.Scan, "read", whole)
    done = fleet.write_dataset(many, root, "ops", captures_per_file=10, workers=1)
    assert done.captures == 100 and done.captures_read == 100 - 10 * len(complete)


def test_exports_of_a_capture_count_once(many):
    day = many / "day=1"
    for name in ("run005.trace.json.gz", "run009.trace.json", "other.trace.json"):
        (day / name).write_text('{"traceEvents": []}')
    names = {pathlib.PurePath(capture.uri).name for capture in fleet.captures(day)}
    assert "other.trace.json" in names and not names & {"run005.trace.json.gz", "run009.trace.json"}
    # What is asked for by its name is read.
    assert [c.uri for c in fleet.captures(day / "run005.trace.json.gz")] == [str(day / "run005.trace.json.gz")]


def test_captures_in_memory_of_fsspec(many):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    for path in sorted((many / "day=1").glob("*.pb"))[:5]:
        store.pipe_file(f"/bucket/{path.name}", path.read_bytes())
    store.pipe_file("/bucket/readme.txt", b"nothing")
    store.pipe_file("/bucket/run005.trace.json.gz", b"an export")
    try:
        for where in ("memory://bucket", "memory://bucket/*.xplane.pb"):
            rows = fleet.scan(where, "ops").to_pyarrow().to_pylist()
            assert {number_of(row["uri"]) for row in rows} == {1, 5, 9, 13, 17}
            assert all(row["uri"].startswith("memory://") for row in rows)
            assert sum(row["count"] for row in rows) == 1 + 5 + 9 + 13 + 17
    finally:
        store.rm("/bucket", recursive=True)


def test_captures_of_a_server(many):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(many)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        root = f"http://127.0.0.1:{server.server_port}/day=1"
        rows = fleet.scan([f"{root}/run005.xplane.pb", f"{root}/run009.xplane.pb", f"{root}/run041.xplane.pb"], "ops").to_pyarrow()
        assert [(number_of(row["uri"]), row["error"] is not None) for row in rows.to_pylist()] == [
            (5, False), (5, False), (9, False), (9, False), (41, True)]
    finally:
        server.shutdown()


@pytest.fixture(scope="module")
def spark():
    """A local engine that really runs; heavy, so only where it is asked for."""
    if not os.environ.get("PROFKIT_TEST_SPARK"):
        pytest.skip("PROFKIT_TEST_SPARK is not set: scripts/test --all does")
    session = pytest.importorskip("pyspark.sql").SparkSession
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    paths = [str(pathlib.Path(profkit.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    made = (session.builder.master("local[2]").config("spark.ui.enabled", "false")
            .config("spark.sql.python.filterPushdown.enabled", "true").getOrCreate())
    from profkit.spark import CaptureSource
    made.dataSource.register(CaptureSource)
    yield made
    made.stop()


def test_spark_has_the_same_rows(spark, many):
    frame = spark.read.format("profkit").option("table", "ops").option("captures_per_task", "7").load(str(many))
    expected = fleet.scan(many, "ops").to_pyarrow().to_pylist()
    assert frame.columns == list(fleet.scan(many, "ops").schema.names)
    assert frame.rdd.getNumPartitions() == 15
    shown = sorted((row.asDict() for row in frame.collect()), key=lambda row: (row["uri"], row["name"] or ""))
    assert shown == sorted(expected, key=lambda row: (row["uri"], row["name"] or ""))
    per_host = {row["host"]: row["n"] for row in frame.where("error is null").groupBy("host").agg({"count": "sum"})
                .withColumnRenamed("sum(count)", "n").collect()}
    assert per_host == {host: sum(row["count"] for row in expected if row["error"] is None and row["host"] == host)
                        for host in {row["host"] for row in expected if row["error"] is None}}
    # Filters that are handed down: the errors of captures stay, unless they are filtered out, too.
    heeding = spark.read.format("profkit").option("table", "ops").option("pushdown", "true").load(str(many))
    some = heeding.where("name = 'kernel_1'").select("uri", "name", "count")
    assert {row["name"] for row in some.collect()} == {"kernel_1"}
    assert some.count() == sum(row["name"] == "kernel_1" for row in expected)
    assert heeding.where("error is not null").count() == 3
    # A table that takes no such filter has all its rows.
    events = spark.read.format("profkit").option("table", "events").option("pushdown", "true").load(str(many))
    assert events.where("name = 'kernel_1' and uri not like '%run040%'").count() == sum(
        number // 2 for number in range(1, 101) if number not in (40, 41, 42))


def test_spark_reads_as_it_is(spark, many):
    """Without a word in the configuration, as in a new session."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    try:
        frame = spark.read.format("profkit").load(str(many / "day=1"))
        assert {number_of(row["uri"]) for row in frame.where("name = 'kernel_0'").collect()} == {n for n in range(1, 100, 4) if n != 41}
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")


def test_spark_columns_and_errors(spark, many):
    frame = spark.read.format("profkit").option("columns", "name,self_ps").load(f"{many}/day=1,{many}/day=2")
    assert frame.columns == ["uri", "name", "self_ps", "error"]
    assert {number_of(row["uri"]) for row in frame.where("error is not null").collect()} == {41, 42}
