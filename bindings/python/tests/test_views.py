"""numpy over the library's memory: nothing is copied, and what is shown is kept."""
import gc
import weakref

import pytest

import profkit

numpy = pytest.importorskip("numpy")


def address_of(array):
    return array.__array_interface__["data"][0]


def test_file_bytes_are_the_mapping(data):
    path = data / "xspace" / "tpu_v6e_inference.xplane.pb"
    profile = profkit.open(path, io="map")
    handle = weakref.ref(profile._handle)
    first = numpy.frombuffer(profile.files[0].bytes, dtype="u1")
    second = numpy.frombuffer(profile.files[0].bytes, dtype="u1")
    assert address_of(first) == address_of(second) and not first.flags.writeable and not first.flags.owndata
    with open("/proc/self/maps", encoding="utf-8") as maps:
        spans = [line.split() for line in maps if line.rstrip().endswith(path.name)]
    begin, end = (int(part, 16) for part in spans[0][0].split("-"))
    assert begin <= address_of(first) < end
    tail = first[len(first) // 2:]
    profile.close()
    del profile, first, second
    gc.collect()
    assert handle() is not None  # a slice of a view keeps the profile open
    assert tail.sum() == numpy.frombuffer(path.read_bytes()[-len(tail):], dtype="u1").sum()
    del tail
    gc.collect()
    assert handle() is None


def test_a_buffer_is_shown_where_it_lies(gpu_path):
    content = numpy.frombuffer(bytearray(gpu_path.read_bytes()), dtype="u1")
    with profkit.open_buffer(content, "a.xplane.pb") as profile:
        assert address_of(numpy.frombuffer(profile.files[0].bytes, dtype="u1")) == address_of(content)


def test_modules_are_views(tpu):
    modules = tpu.modules()
    proto = numpy.frombuffer(modules[0].hlo_proto, dtype="u1")
    again = numpy.frombuffer(modules[0].hlo_proto, dtype="u1")
    assert address_of(proto) == address_of(again)
    whole = numpy.frombuffer(tpu.files[0].bytes, dtype="u1")
    assert address_of(whole) <= address_of(proto) < address_of(whole) + len(whole)  # where it lies in the capture
    handle = weakref.ref(modules._handle)
    modules.close()
    del modules, again
    gc.collect()
    assert handle() is not None and proto.sum() > 0
    del proto
    gc.collect()
    assert handle() is None


def test_columns_of_events_are_views_of_one_array(tpu):
    line = max((line for plane in tpu.planes for line in plane.lines), key=lambda line: line.summary().event_count)
    rows = line.to_numpy()
    for name in rows.dtype.names:
        column = rows[name]
        assert numpy.shares_memory(column, rows) and not column.flags.owndata
        assert address_of(column) == address_of(rows) + rows.dtype.fields[name][1]
    durations = rows["duration_ps"]
    expected = int(durations.sum())
    del rows
    gc.collect()
    assert int(durations.sum()) == expected


def test_arrow_columns_become_arrays_without_a_copy(tpu):
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(tpu.events_table())
    batch = reader.read_next_batch()
    durations = batch["duration_ps"].to_numpy(zero_copy_only=True)
    assert address_of(durations) == batch["duration_ps"].buffers()[1].address
    expected = sum(batch["duration_ps"].to_pylist())
    indices = batch["name"].indices.to_numpy(zero_copy_only=True)
    assert address_of(indices) == batch["name"].buffers()[1].address
    del batch, reader
    tpu.close()
    gc.collect()
    assert int(durations.sum()) == expected and indices.min() >= 0
