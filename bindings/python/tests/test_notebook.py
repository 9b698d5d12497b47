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


def test_timeline(trace, axes):
    """The bars cover what kernels cover; gaps of less than a bar's width are closed."""
    assert trace.plot.timeline(axes) is axes
    kernels = sorted((k.start_ps, k.start_ps + k.duration_ps) for k in trace.kernels().rows())
    first, last = kernels[0][0], max(end for _, end in kernels)
    bars = [path.get_extents() for path in axes.collections[0].get_paths()]
    assert bars[0].x0 == 0 and max(bar.x1 for bar in bars) == pytest.approx((last - first) / 1e9)
    assert [label.get_text() for label in axes.get_yticklabels()] == [d.name for d in trace.kernels().devices]
    gaps = [(b - a, a) for (_, a), (b, _) in zip(kernels, kernels[1:]) if b > a]
    width, at = max(gaps)
    assert width > (last - first) / 2000
    assert not any(bar.x0 < (at - first + width / 2) / 1e9 < bar.x1 for bar in bars)


def test_memory(tpu, axes):
    samples = tpu.document("memory")["runtime"]["timeline"]["samples"]
    tpu.plot.memory(axes)
    x, y = axes.lines[0].get_data()
    assert len(x) == len(samples) and x[0] == 0
    assert max(y) == pytest.approx(max(s["bytes_allocated"] for s in samples) / 2**30)
    assert axes.get_ylabel() == "GiB"


def test_roofline(tpu, axes):
    lines = tpu.document("ops", limit=0)["lines"]
    ops = [op for line in lines for op in line["ops"] if op["flops_per_s"] and op["bytes_per_s"]]
    tpu.plot.roofline(axes)
    points = axes.collections[0].get_offsets()
    assert len(points) == len(ops) > 0
    assert points[0][1] == pytest.approx(ops[0]["flops_per_s"])
    assert points[0][0] == pytest.approx(ops[0]["flops_per_s"] / ops[0]["bytes_per_s"])
    peak = max(line["peak_flops_per_s"] for line in lines if line["peak_flops_per_s"])
    assert max(axes.lines[0].get_ydata()) <= peak


def test_what_is_not_there(trace, tmp_path):
    with pytest.raises(profkit.NotFound):
        trace.plot.roofline()
    with pytest.raises(profkit.NotFound):
        trace.plot.memory()
