"""What a notebook shows of a profile: its page, and pictures with matplotlib."""
import html
import json
import os
import re

import pytest

import profkit


@pytest.fixture
def trace(data):
    with profkit.open(data / "kineto" / "h100_bert_small.pt.trace.json.gz") as profile:
        yield profile


def test_page(trace):
    shown = trace._repr_html_()
    assert shown.startswith("<iframe ") and 'sandbox="allow-scripts"' in shown
    page = html.unescape(re.search('srcdoc="([^"]*)"', shown).group(1))
    assert page == trace.page().decode() and page.startswith("<!doctype html>")
    inside = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
    assert inside["summary"]["verdict"] == trace.report()["summary"]["verdict"]
    part = trace.page(from_ps=332_000_000_000, to_ps=336_000_000_000)
    assert part != trace.page() and len(part) < 3_000_000
    with pytest.raises(profkit.InvalidArgument):
        trace.page(plane="no such plane")


def test_the_first_rows(trace, tpu):
    """As many as fit a screen, of tables and of analyses; no others are made for it."""
    kernels = trace.kernels()
    shown = kernels._repr_html_()
    assert shown == trace.table("kernels")._repr_html_() and len(kernels) > 20
    assert shown.count("<tr>") == 21 and shown.endswith("<p>the first 20 rows</p>")
    first = next(iter(kernels))
    assert f"<td>{html.escape(first.name)}</td>" in shown and f"<td>{first.start_ps}</td>" in shown
    table, parts, whole = tpu.table("kernels"), [], []
    write = table.write
    write(whole.append, "json")
    table.write = lambda to, format: write(lambda part: (parts.append(part), to(part)), format)
    table._repr_html_()
    assert 0 < sum(map(len, parts)) < sum(map(len, whole)) / 4
    devices = trace.table("devices")
    assert devices._repr_html_().endswith(f"<p>{len(devices.to_dicts())} rows</p>")
    assert "<th>cause</th>" in trace.bubbles()._repr_html_() and "<th>size_bytes</th>" in trace.memory()._repr_html_()
    with pytest.raises(ValueError, match="closed"):
        kernels.close()
        kernels._repr_html_()


@pytest.fixture
def axes():
    if "PROFKIT_SANITIZED" in os.environ:
        pytest.skip("matplotlib cannot be loaded beside a preloaded sanitizer")
    matplotlib = pytest.importorskip("matplotlib", reason="the package matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    yield pyplot.subplots()[1]
    pyplot.close("all")


def bars_of(axes):
    return [[path.get_extents() for path in row.get_paths()] for row in axes.collections]


def test_timeline(trace, axes):
    """The bars cover what kernels cover; gaps of less than a bar's width are closed. The zero is that of `bubbles`."""
    assert trace.plot.timeline(axes) is axes
    kernels = sorted((k.start_ps, k.start_ps + k.duration_ps) for k in trace.kernels().rows())
    first, last = kernels[0][0], max(end for _, end in kernels)
    bars, = bars_of(axes)
    assert bars[0].x0 == pytest.approx(first / 1e9) and max(bar.x1 for bar in bars) == pytest.approx(last / 1e9)
    assert axes.get_xlabel() == "ms since the origin of the capture"
    assert [label.get_text() for label in axes.get_yticklabels()] == [d.name for d in trace.kernels().devices]
    gap = max(trace.bubbles(), key=lambda gap: gap.end_ps - gap.start_ps if gap.scope == "internal" else 0)
    assert gap.end_ps - gap.start_ps > (last - first) / 2000
    assert not any(bar.x0 < (gap.start_ps + gap.end_ps) / 2e9 < bar.x1 for bar in bars)


def test_timeline_of_each_device(tpu, tmp_path, axes):
    """Also where devices without kernels come before it, and where two hosts have devices of one name."""
    for device in tpu.table("devices").to_dicts():
        axes.clear()
        tpu.plot.timeline(axes, device=device["name"])
        assert [label.get_text() for label in axes.get_yticklabels()] == [device["name"]]
        first = min(k.start_ps for k in tpu.kernels(device=device["name"]))
        assert bars_of(axes)[0][0].x0 == pytest.approx(first / 1e9)
    run = tmp_path / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    for host in ("a", "b"):
        with profkit.XSpaceWriter(run / f"{host}.xplane.pb") as writer:
            writer.hostname(host)
            for device in range(3):
                with writer.plane(f"/device:GPU:{device}"):
                    with writer.line("Stream #1", id=1, timestamp_ns=0):
                        if device == 1:
                            writer.event("kernel", offset_ps=0, duration_ps=1_000_000)
    with profkit.open(run) as both:
        axes.clear()
        both.plot.timeline(axes)
        assert [label.get_text() for label in axes.get_yticklabels()] == ["a /device:GPU:1", "b /device:GPU:1"]
        with pytest.raises(profkit.NotFound, match="GPU:2"):
            both.plot.timeline(axes, device="GPU:2")


def test_memory(tpu, axes):
    """What is reserved for programs is held, too, and a value holds until the next: 20.0 GiB to the end."""
    tpu.plot.memory(axes)
    line, = axes.lines
    x, y = line.get_data()
    assert line.get_drawstyle() == "steps-post" and axes.get_ylabel() == "GiB"
    assert axes.get_xlabel() == "ms since the origin of the capture"
    runtime = tpu.memory(time_samples=2000).document()["runtime"]
    samples, peak = runtime["timeline"]["samples"], runtime["peak"]
    assert len(x) == len(samples) + 1 and x[0] == samples[0]["ts_ns"] / 1e6
    at = list(x).index(peak["ts_ns"] / 1e6)
    assert max(y) == pytest.approx(peak["bytes_total"] / 2**30) and y[at] == max(y)
    assert all(size == pytest.approx(20.0, abs=0.05) for size in y[at:])


def test_memory_that_is_planned(data, axes):
    with profkit.open(data / "jax" / "two_process_rank0") as profile:
        profile.plot.memory(axes)
        curve = list(profile.memory(curve_points=2000).live_curve())
        x, y = axes.lines[0].get_data()
        assert len(curve) > 1 and list(x) == [point.event for point in curve]
        assert list(y) == pytest.approx([point.live_bytes / 2**30 for point in curve])
        assert profile.document("memory")["hlo"]["module"] in axes.get_title()


def test_roofline(tpu, data, axes):
    """The dots of the command's picture, those too whose work follows from the shapes in the program."""
    with profkit.open(data / "xspace" / "jax08_gemm_mi300.xplane.pb") as gpu:
        for profile, drawn in ((tpu, 4), (gpu, 6)):
            axes.clear()
            profile.plot.roofline(axes)
            found = profile.op_groups("kernel", limit=0)
            ops = [op for op in found["groups"] if op["flops"] and op["bytes"]]
            points = axes.collections[0].get_offsets()
            assert len(points) == len(ops) == drawn
            assert points[0][1] == pytest.approx(ops[0]["flops"] / ops[0]["worked_ps"] * 1e12)
            assert points[0][0] == pytest.approx(ops[0]["flops"] / ops[0]["bytes"])
            assert max(axes.lines[0].get_ydata()) <= max(peak["flops_per_s"] for peak in found["peaks"])


def test_what_is_not_there(trace, two_nodes):
    with profkit.open(two_nodes[0]) as no_work, pytest.raises(profkit.NotFound):
        no_work.plot.roofline()
    with pytest.raises(profkit.NotFound):
        trace.plot.memory()
