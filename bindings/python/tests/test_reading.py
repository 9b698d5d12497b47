"""Planes, lines, events, stats and metadata; lifetimes, errors, threads."""
import gc
import os
import subprocess
import sys
import threading

import pytest

import profkit


def test_events_agree_with_arrays_and_summaries(tpu):
    numpy = pytest.importorskip("numpy")
    events = 0
    for plane in tpu.planes:
        for line in plane.lines:
            listed = list(line)
            rows = line.to_numpy()
            assert len(listed) == len(rows) == line.summary().event_count
            assert sum(event.duration_ps for event in listed) == int(rows["duration_ps"].sum())
            assert [event.start_ps or 0 for event in listed] == rows["start_ps"].tolist()
            assert len(rows) == 0 or numpy.shares_memory(rows, rows["duration_ps"])
            events += len(listed)
    assert events == 26723


def test_small_batches_give_the_same(tpu):
    line = max((line for plane in tpu.planes for line in plane.lines), key=lambda line: line.summary().event_count)
    assert [e.start_ps for e in line.events(batch=7)] == [e.start_ps for e in line.events()]


def test_names_stats_and_metadata(tpu):
    plane = tpu.planes[0]
    assert (plane.name, plane.kind, plane.device_ordinal) == ("/device:TPU:0", profkit.PlaneKind.DEVICE, 0)
    ops = next(line for line in plane.lines if line.kind is profkit.LineKind.OPS)
    event = next(iter(ops))
    assert event.metadata.name == event.name
    stats = {stat.name: stat for stat in event.stats()}
    assert stats["program_id"].kind == "uint64" or isinstance(stats["program_id"].value, int)
    assert stats["program_id"].origin in profkit.StatOrigin
    entries = {entry.id: entry for entry in plane.event_metadata()}
    assert entries[event.metadata_id].name == event.name
    assert plane.find_event_metadata(-5) is None
    names = {entry.name: entry.id for entry in plane.stat_metadata()}
    assert plane.stat_id("program_id") == names["program_id"]
    assert plane.stat_id("no such stat") is None
    assert plane.find_stat_metadata(names["program_id"]).name == "program_id"
    assert {stat.name for stat in plane.metadata_stats(event.metadata_id)} <= set(stats)
    with pytest.raises(profkit.NotFound):
        plane.event_metadata_children(-5)
    environment = {stat.name: stat.value for stat in tpu.planes[-1].stats()}
    assert environment["profile_start_time"] == 1741722099081044120


def test_files_and_bytes(tpu, data):
    file, = tpu.files
    assert file.family is profkit.Family.XSPACE and file.compression == "none" and file.damage is None
    assert file.bytes == (data / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes()
    assert file.bytes.readonly
    assert tpu.origin_unix_ns == file.origin_unix_ns
    assert file.hostnames == [] or all(isinstance(name, str) for name in file.hostnames)


def test_what_was_taken_outlives_the_profile(gpu_path):
    profile = profkit.open(gpu_path)
    line = max((line for plane in profile.planes for line in plane.lines), key=lambda line: line.summary().event_count)
    events, content = iter(line), profile.files[0].bytes
    first = next(events)
    profile.close()
    del profile
    gc.collect()
    assert first.name and list(first.stats()) is not None
    assert len(list(events)) + 1 == line.summary().event_count
    assert bytes(content[:1]) == b"\n"


def test_a_closed_profile_is_refused(gpu_path):
    with profkit.open(gpu_path) as profile:
        pass
    for use in (lambda: profile.files, lambda: profile.path, lambda: profile.document("info"),
                lambda: profile.memory()):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_errors_say_what_where_and_what_next(tmp_path, tpu):
    with pytest.raises(profkit.NotFound) as caught:
        profkit.open(tmp_path / "absent.xplane.pb")
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.code == "not_found" and str(tmp_path) in caught.value.path and caught.value.hint
    assert str(caught.value).count(caught.value.path) == 1
    (tmp_path / "noise.bin").write_bytes(b"\x00\x01\x02" * 100)
    with pytest.raises(profkit.Error):
        profkit.open(tmp_path / "noise.bin")
    with pytest.raises(profkit.Unrecognised, match="empty"):
        profkit.open_buffer(b"", "a.xplane.pb")
    with pytest.raises(ValueError, match="no document"):
        tpu.document("nothing")


def test_damage_keeps_what_is_intact(gpu_path):
    whole = gpu_path.read_bytes()
    with profkit.open_buffer(whole[:len(whole) // 2], "cut.xplane.pb") as profile:
        damage = profile.files[0].damage
        assert isinstance(damage, profkit.Damaged) and damage.byte_offset is not None
        assert profile.document("info")["status"] == "partial"
        assert profile.planes


def test_paths_that_are_no_utf8(gpu_path, tmp_path):
    path = bytes(tmp_path) + b"/caf\xe9.xplane.pb"
    with open(path, "wb") as copy:
        copy.write(gpu_path.read_bytes())
    with profkit.open(path) as profile:
        assert profile.files[0].path.encode("utf-8", "surrogateescape") == path


def test_buffers_and_callbacks_give_the_same_document(gpu_path):
    content = gpu_path.read_bytes()

    def read_at(offset, size):
        return content[offset:offset + min(size, 1000)]

    opened = [profkit.open_buffer(content, "a.xplane.pb"), profkit.open_buffer(bytearray(content), "a.xplane.pb"),
              profkit.open_buffer(memoryview(content)[:], "a.xplane.pb", copy=True),
              profkit.open_callbacks(read_at, len(content), "a.xplane.pb"),
              profkit.open_callbacks(read_at, None, "a.xplane.pb")]
    documents = {profile.document_bytes("ops") for profile in opened}
    assert len(documents) == 1


def test_a_callback_that_raises_is_heard(gpu_path):
    def read_at(_offset, _size):
        raise RuntimeError("the host's own trouble")

    with pytest.raises(RuntimeError, match="own trouble"):
        profkit.open_callbacks(read_at, 10, "a.xplane.pb")
    with profkit.open(gpu_path) as profile:
        def write(_data):
            raise KeyError("full")

        with pytest.raises(KeyError):
            profile.write_document("info", write)


def test_limits_and_cancelling(gpu_path):
    with pytest.raises(profkit.LimitExceeded):
        profkit.open(gpu_path, io="read", limits=profkit.Limits(max_materialised_bytes=1000))
    token = profkit.CancelToken()
    with profkit.open(gpu_path, cancel=token) as profile:
        token.cancel()
        with pytest.raises(profkit.Cancelled):
            profile.document("ops", cancel=token)
    with pytest.raises(ValueError, match="io is one of"):
        profkit.open(gpu_path, io="magic")


def test_progress_may_stop_the_work(gpu_path):
    import time

    content = gpu_path.read_bytes()
    heard = []

    def read_at(offset, size):
        time.sleep(0.06)
        return content[offset:offset + min(size, max(1, len(content) // 5))]

    def progress(done, total):
        heard.append((done, total))
        return len(heard) == 2

    with pytest.raises(profkit.Cancelled):
        profkit.open_callbacks(read_at, len(content), "slow.xplane.pb", progress=progress)
    assert len(heard) == 2 and heard[0][1] == len(content)


def test_eight_threads_read_one_profile(tpu):
    expected = [[event.start_ps for event in line] for plane in tpu.planes for line in plane.lines[:4]]
    found = {}

    def read(number):
        found[number] = [[event.start_ps for event in line] for plane in tpu.planes for line in plane.lines[:4]]

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[number] == expected for number in range(8))


def test_other_threads_run_while_the_library_works(gpu_path, tmp_path):
    """The library waits for bytes of a pipe that another thread of Python writes: with the GIL held it would wait for ever."""
    pipe = tmp_path / "pipe.xplane.pb"
    os.mkfifo(pipe)
    code = f"""
import threading, profkit
def feed():
    with open({str(gpu_path)!r}, "rb") as capture, open({str(pipe)!r}, "wb", buffering=0) as pipe:
        while part := capture.read(8192):
            pipe.write(part)
writer = threading.Thread(target=feed, daemon=True)
writer.start()
with profkit.open({str(pipe)!r}) as profile:
    print(profile.document("info")["status"])
writer.join()
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert shown.stdout == "ok\n", shown.stderr


def test_opening_and_closing_frees(gpu_path):
    def resident():
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * 4096

    def once():
        with profkit.open(gpu_path) as profile:
            for line in profile.planes[0].lines:
                for event in line:
                    event.name  # pylint: disable=pointless-statement
            profile.memory().document()

    for _ in range(5):
        once()
    gc.collect()
    before = resident()
    for _ in range(40):
        once()
    gc.collect()
    assert resident() - before < 8 << 20


def test_a_parent_of_runs(data):
    with profkit.open(data / "jax" / "two_process_rank0") as profile:
        assert [run.chosen for run in profile.runs] in ([True], [])
        assert {file.family for file in profile.files} >= {profkit.Family.XSPACE}
