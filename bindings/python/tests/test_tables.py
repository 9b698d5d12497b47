"""Tables through __arrow_c_stream__: pyarrow and DuckDB read them, whatever is closed or dropped first."""
import gc

import pytest

import profkit

pyarrow = pytest.importorskip("pyarrow")


def test_events_are_those_of_the_lines(tpu):
    table = tpu.events_table(0).to_pyarrow()
    timed = [event for plane in tpu.planes for line in plane.lines for event in line if event.start_ps is not None]
    assert table.num_rows == len(timed)
    assert sum(table["duration_ps"].to_pylist()) == sum(event.duration_ps for event in timed)
    assert table.schema.field("start_ps").type == pyarrow.int64()
    assert table.schema.field("start_ps").metadata[b"unit"] == b"ps"
    assert pyarrow.types.is_dictionary(table.schema.field("name").type)


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


def test_sql_over_a_profile(data):
    duckdb = pytest.importorskip("duckdb")
    events = profkit.open(data / "xspace" / "tpu_v6e_inference.xplane.pb").events_table()
    found = duckdb.sql("select plane, count(*) from events where line = 'XLA Ops' group by plane order by plane").fetchall()
    assert [plane for plane, _ in found] == [f"/device:TPU:{at}" for at in range(4)]


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
