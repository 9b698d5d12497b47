"""Tables through __arrow_c_stream__: pyarrow and DuckDB read them, whatever is closed or dropped first."""
import csv
import ctypes
import enum
import gc
import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import typing

import pytest

import profkit
from profkit import _declarations as d
from profkit._library import borrowed
from profkit.rows import READ

pyarrow = pytest.importorskip("pyarrow")


def test_events_are_those_of_the_lines(tpu):
    table = tpu.events_table(0).to_pyarrow()
    timed = [event for plane in tpu.planes for line in plane.lines for event in line if event.start_ps is not None]
    assert table.num_rows == len(timed)
    assert sum(table["duration_ps"].to_pylist()) == sum(event.duration_ps for event in timed)
    assert table.schema.field("start_ps").type == pyarrow.int64()
    assert table.schema.field("start_ps").metadata[b"unit"] == b"ps"
    assert pyarrow.types.is_dictionary(table.schema.field("name").type)


def shown_rows(profile):
    """What events_table() should hold, read event by event."""
    for file in profile.files:
        host = file.hostnames[0] if file.hostnames else file.host
        for plane in file.planes:
            shown = {entry.id: entry.display_name or entry.name for entry in plane.event_metadata()}
            for line in plane.lines:
                for event in line:
                    if event.num_occurrences is None:
                        yield (file.position, host, plane.name, line.name, plane.kind.name.lower(), line.kind.name.lower(),
                               plane.position, line.position, plane.device_ordinal, shown.get(event.metadata_id, ""),
                               event.start_ps, event.duration_ps)


@pytest.mark.parametrize("batch_rows", [0, 1000, 1, 1 << 20])
def test_every_column_of_every_event(tpu, gpu_path, two_nodes, batch_rows):
    names = ["file", "host", "plane", "line", "plane_kind", "line_kind", "plane_position", "line_position", "device",
             "name", "start_ps", "duration_ps"]
    for profile in (tpu, profkit.open(gpu_path), profkit.open(two_nodes[1])):
        if batch_rows == 1 and profile is tpu:
            continue
        table = profile.events_table(batch_rows=batch_rows).to_pyarrow()
        table.validate(full=True)
        columns = [table[name].to_pylist() for name in names]
        assert list(zip(*columns)) == list(shown_rows(profile))
        if batch_rows:
            assert max(batch.num_rows for batch in table.to_batches()) <= batch_rows


@pytest.mark.parametrize("columns", [["duration_ps"], ["name", "plane"], ["line", "source_row", "start_ps"], ["stream"],
                                     ["plane", "line", "name", "start_ps", "duration_ps"]])
def test_only_the_columns_that_were_asked_for_come(tpu, gpu_path, data, columns):
    for profile in (tpu, profkit.open(gpu_path), profkit.open(data / "kineto" / "h100_bert_small.pt.trace.json.gz")):
        whole = profile.events_table().to_pyarrow()
        for batch_rows in (0, 777):
            table = profile.events_table(columns=columns, batch_rows=batch_rows).to_pyarrow()
            table.validate(full=True)
            assert table.schema.equals(whole.select(columns).schema, check_metadata=True)
            for name in columns:
                assert table[name].to_pylist() == whole[name].to_pylist()


def test_columns_of_other_tables_and_wrong_ones(tpu):
    whole = tpu.ops_table().to_pyarrow()
    few = tpu.ops_table(columns=("self_ps", "category", "name")).to_pyarrow()
    assert few.to_pylist() == whole.select(few.column_names).to_pylist()
    with pytest.raises(profkit.InvalidArgument, match="colour") as told:
        tpu.events_table(columns=["name", "colour"]).to_pyarrow()
    assert "duration_ps" in told.value.hint
    with pytest.raises(profkit.InvalidArgument, match="twice"):
        tpu.events_table(columns=["name", "name"]).to_pyarrow()
    for wrong in ("name", [], ["na\0me"]):
        with pytest.raises(ValueError):
            tpu.events_table(columns=wrong).to_pyarrow()


def test_batches_of_a_long_capture_end_at_lines_and_share_what_repeats(data):
    content = (data / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes() * 8
    profile = profkit.open_buffer(content, "a.xplane.pb")
    batches = list(pyarrow.RecordBatchReader.from_stream(profile.events_table()))
    assert sum(batch.num_rows for batch in batches) == 8 * 26723
    assert all(16384 <= batch.num_rows <= 65536 for batch in batches[:-1])
    for batch in batches:
        batch.validate(full=True)
    addresses = {batch["file"].buffers()[1].address for batch in batches}
    assert len(addresses) == 1  # file 0 in all of them
    whole = pyarrow.Table.from_batches(batches)
    once = profkit.open_buffer(content[:len(content) // 8], "a.xplane.pb").events_table().to_pyarrow()
    for column in ("name", "line", "start_ps", "duration_ps", "device_name", "stream"):
        assert whole[column].to_pylist() == once[column].to_pylist() * 8
    devices = once["device"].to_pylist()  # planes of one name in one file are different devices
    assert whole["device"].to_pylist() == [None if d is None else d + 4 * k for k in range(8) for d in devices]


def test_aggregated_events_and_far_ids_have_rows_of_their_own():
    """Events without a place in time are left out; ids need not be small."""
    with_time = b"\x22\x0c\x08\xff\xff\xff\xff\xff\xff\x7f\x10\x05\x18\x07"
    aggregated = b"\x22\x06\x08\x01\x28\x03\x18\x02"
    entry = b"\x22\x0c\x08\x01\x12\x08\x08\x01\x12\x04near"
    line = aggregated + with_time + b"\x22\x06\x08\x01\x10\x02\x18\x01" + aggregated
    body = b"\x12\x01p" + entry + b"\x1a" + bytes([len(line)]) + line
    profile = profkit.open_buffer(b"\x0a" + bytes([len(body)]) + body, "a.xplane.pb")
    table = profile.events_table().to_pyarrow()
    assert table["name"].to_pylist() == ["", "near"]
    assert table["start_ps"].to_pylist() == [5, 2] and table["duration_ps"].to_pylist() == [7, 1]


def test_every_table(tpu, data):
    with tpu.memory(curve_points=64) as memory:
        live = memory.live_buffers_table().to_pyarrow()
        assert live["size_bytes"].to_pylist() == [buffer.size_bytes for buffer in memory.live_buffers()]
        assert memory.live_curve_table().to_pyarrow().num_rows == len(list(memory.live_curve()))
    with tpu.bubbles() as bubbles:
        assert bubbles.table().to_pyarrow()["start_ps"].to_pylist() == [gap.start_ps for gap in bubbles]
        assert bubbles.steps_table().to_pyarrow()["busy_ps"].to_pylist() == [step.busy_ps for step in bubbles.steps]
    with tpu.kernels() as kernels:
        assert kernels.table().to_pyarrow().num_rows == sum(device.kernel_count for device in kernels.devices)
    assert tpu.ops_table(plane="TPU:0").to_pyarrow().num_rows < tpu.ops_table().to_pyarrow().num_rows
    with profkit.open(data / "neutrino" / "block_sched") as profile, profile.neutrino() as probe:
        assert probe.launches_table().to_pyarrow()["kernel"].to_pylist() == [row.kernel for row in probe.launches]
        rows = probe.records_table(0).to_pyarrow().to_pylist()
        assert [row["start"] for row in rows] == [record.values["start"] for record in probe.records(0)]


def test_every_table_by_its_name(tpu):
    for name in typing.get_args(profkit.tables.TableName):
        table = tpu.table(name)
        whole = table.to_pyarrow()
        assert whole.column_names == list(table.columns) and all(table.columns.values())
        assert "<th>file</th>" in table._repr_html_()  # pylint: disable=protected-access
        if name == "events":
            with pytest.raises(profkit.Unsupported):
                table.to_dicts()
            continue
        # The same as JSON, value by value; and CSV has a line for each row and one for the names.
        assert table.to_dicts() == whole.to_pylist()
        text = io.BytesIO()
        table.write(text.write)
        assert len(list(csv.reader(io.StringIO(text.getvalue().decode())))) == whole.num_rows + 1
    devices = tpu.table("devices").to_dicts()
    assert [device["name"] for device in devices] == [f"/device:TPU:{i}" for i in range(4)]
    with pytest.raises(ValueError):
        tpu.table("no such table")
    with pytest.raises(profkit.InvalidArgument):
        tpu.table("files", plane="TPU:0").to_dicts()
    assert {row["device"] for row in tpu.table("kernels", plane="TPU:2", columns=["device"])} == {2}


def test_tables_for_engines_that_refuse_dictionaries_and_unsigned_integers(tpu):
    for name in ("events", "ops", "kernels"):
        plain, usual = tpu.table(name, plain_text=True, signed=True).to_pyarrow(), tpu.table(name).to_pyarrow()
        assert {str(field.type) for field in plain.schema} <= {"string", "int64", "int32", "bool"}
        assert plain.to_pylist() == usual.to_pylist()


def test_sql_over_a_profile(data):
    duckdb = pytest.importorskip("duckdb")
    events = profkit.open(data / "xspace" / "tpu_v6e_inference.xplane.pb").events_table()
    found = duckdb.sql("select plane, count(*) from events where line = 'XLA Ops' group by plane order by plane").fetchall()
    assert [plane for plane, _ in found] == [f"/device:TPU:{at}" for at in range(4)]


def test_duckdb_in_any_order(data):
    duckdb = pytest.importorskip("duckdb")
    profile = profkit.open(data / "xspace" / "tpu_v6e_inference.xplane.pb")
    events, ops = profile.events_table(), profile.ops_table()
    memory, bubbles = profile.memory(curve_points=16), profile.bubbles()
    buffers, gaps = memory.live_buffers_table(), bubbles.table()
    for each in (profile, memory, bubbles):
        each.close()
    with duckdb.connect() as database:
        relation = database.sql("select name, sum(duration_ps) as total from events group by name order by total desc, name")
        first = relation.limit(3).fetchall()
        assert len(first) == 3 and first[0][1] >= first[1][1]
        assert database.sql("select count(*) from ops").fetchall()[0][0] == ops.to_pyarrow().num_rows
        assert database.sql("select * from buffers limit 1").fetchall()  # and left
        assert database.sql("select count(*) from gaps").fetchall()[0][0] > 0
        kept = database.sql("select * from events").limit(5)
        del events, relation
        gc.collect()
        assert len(kept.fetchall()) == 5
        left = database.sql("select * from buffers")  # never read
        del left, buffers
    gc.collect()
    with duckdb.connect() as database:
        reader = pyarrow.RecordBatchReader.from_stream(profkit.open(data / "xspace" / "jax08_gemm_mi300.xplane.pb").events_table())
        assert database.sql("select sum(duration_ps) from reader").fetchall()[0][0] > 0
        closed = pyarrow.RecordBatchReader.from_stream(ops)
        closed.close()  # before anything was read


def test_what_the_pages_show(data, tmp_path):
    """The SQL of docs/arrow.md and of the README, as it stands there."""
    pytest.importorskip("duckdb")
    library = os.environ.get("PROFKIT_LIBRARY")
    if library is None:
        pytest.skip("PROFKIT_LIBRARY does not name the library")
    root = data.parents[1]
    (tmp_path / "run").mkdir()
    shutil.copy(data / "xspace" / "tpu_v6e_inference.xplane.pb", tmp_path / "run" / "vm.xplane.pb")
    (tmp_path / "libprofkit.so.0").symlink_to(library)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(tmp_path), PYTHONPATH=str(root / "bindings" / "python" / "src"))
    pages = ((root / "docs" / "arrow.md", 0, tmp_path), (root / "bindings" / "python" / "README.md", 1, root))
    for page, which, folder in pages:
        code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[which]
        shown = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True,
                               check=True).stdout
        assert "async-copy" in shown or "fusion" in shown, shown


def test_batches_and_early_release(tpu):
    reader = pyarrow.RecordBatchReader.from_stream(tpu.events_table(batch_rows=1000))
    first = reader.read_next_batch()
    assert first.num_rows <= 1000
    del reader
    gc.collect()
    assert first["duration_ps"].to_pylist()  # a batch owns what it shows
    capsule = tpu.events_table().__arrow_c_stream__()
    del capsule  # never read
    gc.collect()


def test_a_stream_outlives_what_it_came_from(gpu_path):
    content = bytearray(gpu_path.read_bytes())
    profile = profkit.open_buffer(content, "a.xplane.pb")
    expected = profile.events_table().to_pyarrow()
    reader = pyarrow.RecordBatchReader.from_stream(profile.events_table())
    profile.close()
    with pytest.raises(BufferError):
        content.clear()  # the stream keeps it
    del profile, content
    gc.collect()
    assert reader.read_all() == expected
    del reader
    gc.collect()
    from profkit import tables  # pylint: disable=import-outside-toplevel

    assert not tables._streams and not tables._borrowing


def test_damage_comes_after_the_intact_rows():
    line = b"\x22\x04\x08\x07\x18\x05" * 2 + b"\x22\x04\x08\x07\x18\xff"
    plane = b"\x12\x01p\x1a" + bytes([len(line)]) + line
    profile = profkit.open_buffer(b"\x0a" + bytes([len(plane)]) + plane, "bad.xplane.pb")
    reader = pyarrow.RecordBatchReader.from_stream(profile.events_table())
    assert reader.read_next_batch().num_rows == 2
    with pytest.raises(Exception, match="bad.xplane.pb|damaged|byte"):
        reader.read_next_batch()
    assert profile.events_table(skip_damage=True).to_pyarrow().num_rows == 2


def test_rows_are_the_cells_of_their_columns(tpu, data):
    """Each field of a tuple is what the column of its name has."""
    def shown(value):
        if isinstance(value, enum.Enum):
            return value.name.lower()
        return ",".join(map(str, value)) if isinstance(value, tuple) else value

    compared = set()
    with profkit.open(data / "neutrino" / "block_sched") as neutrino:
        for profile in (tpu, neutrino):
            for kind, (name, *_) in ((kind, read) for kind, read in READ.items() if read[0]):
                for row, cells in itertools.zip_longest(profile.table(name, allow_empty=True).rows(kind),
                                                        profile.table(name, allow_empty=True).to_dicts()):
                    fields = row._asdict() if isinstance(row, tuple) else {field: getattr(row, field) for field in row.__slots__}
                    cells["executions"] = cells.get("count")
                    held = {field: shown(value) for field, value in fields.items() if field in cells}
                    assert len(held) > 2 and held == {field: "" if cells[field] is None and held[field] == "" else cells[field] for field in held}
                    compared.add(kind)
    assert {kind.__name__ for kind, (name, *_) in READ.items() if name and kind not in compared} <= {"CurvePoint", "CollectiveCall"}
    with pytest.raises(ValueError, match="Op is a row of the table ops"):
        next(tpu.table("facts").rows(profkit.Op))


def test_rows_have_each_number_and_text_of_its_own_field():
    """Of every row also where no capture has it: each field of C is given another value."""
    for kind, (_, struct, make) in READ.items():
        raw, given, held = struct(), {}, []
        for number, (name, is_of) in enumerate(struct._fields_, 1):
            if is_of is d.pk_str:
                given[name] = f"text {number}"
                held.append(borrowed(given[name].encode()))
                setattr(raw, name, held[-1])
            elif name == "flags":
                raw.flags = 2**32 - 1
            elif issubclass(is_of, ctypes._SimpleCData) and name.replace("_count", "") not in ("shape_index", "params"):
                given[name] = number
                setattr(raw, name, number)
        row = make(raw)
        for name, value in given.items():
            found = getattr(row, name, None)
            if type(found) in (int, float, bytes) or isinstance(found, str) and isinstance(value, str):
                assert found in (value, str(value).encode()), f"{kind.__name__}.{name}"
