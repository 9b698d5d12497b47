"""A capture that arrives piece by piece."""
import gzip

import pytest

import profkit
from profkit import PushReader


def pieces_of(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def test_what_is_pushed_is_what_is_held(data):
    path = data / "xspace" / "jax08_gemm_mi300.xplane.pb"
    with profkit.open(path) as profile:
        wanted = [(plane.name, line.name, event.name, event.offset_ps, event.duration_ps,
                   [(stat.name, stat.value) for stat in event.stats(profkit.StatOrigin.EVENT)])
                  for plane in profile.files[0].planes for line in plane.lines for event in line]
    for encoded in (path.read_bytes(), gzip.compress(path.read_bytes())):
        got, waiting, planes, lines = [], [], [], []

        def take(line, events):
            waiting.extend((line, event) for event in events)

        def resolve(_, plane):
            planes.append(plane)
            got.extend((plane.name, line.name, plane.event_name(event.metadata_id), event.offset_ps, event.duration_ps,
                        [(stat.name, stat.value) for stat in event.stats(plane)]) for line, event in waiting)
            waiting.clear()

        begun = []
        with PushReader(take, plane_end=resolve, plane_begin=begun.append, line_begin=lines.append, line_end=lines.append) as reader:
            for piece in pieces_of(encoded, 5000):
                reader.push(piece)
            reader.finish()
        assert got == wanted
        assert [plane.name for plane in planes] == [plane.name for plane in begun]
        assert sum(len(plane.lines) for plane in planes) * 2 == len(lines)
        assert not any(line.was_changed for line in lines)
        assert not list(profkit.PushedEvent(1, 0, 0, None, b"").stats())


def test_a_cut_capture_and_a_visitor_that_raises(data):
    whole = (data / "xspace" / "jax08_gemm_mi300.xplane.pb").read_bytes()
    damage, seen = [], []
    reader = PushReader(lambda line, events: seen.extend(events), damage=damage.append, note=lambda kind, text: None, label="socket")
    reader.push(whole[:50_000])
    with pytest.raises(profkit.Damaged, match="the file ends inside a plane") as why:
        reader.finish()
    assert seen and damage and damage[0].byte_offset is not None and why.value.path == "socket"

    def refuse(line, events):
        raise KeyError(line.name)

    reader = PushReader(refuse)
    with pytest.raises(KeyError):
        reader.push(whole)
    with pytest.raises(profkit.Unrecognised):
        empty = PushReader(refuse)
        empty.finish()
    with pytest.raises(profkit.LimitExceeded):
        PushReader(lambda line, events: None, limits=profkit.Limits(max_materialised_bytes=100)).push(whole)
