"""A host's own trace."""
import json

import pytest

import profkit
from profkit import Accelerator, SpanKind, TraceAllocation, TraceBuilder, TraceKernel, TraceSpan, TraceStep, TraceValue

US = 1_000_000


def test_rows_of_a_host_become_a_profile():
    """A GPU waits from 400 to 900 us for what the host launches at 880."""
    with TraceBuilder("mine", "pytracer 1") as builder:
        host = builder.host("box", rank=3, world_size=8, origin_unix_ns=1_700_000_000_000_000_000)
        gpu = builder.device(host, "GPU 0", accelerator=Accelerator.GPU, ordinal=0)
        stream, thread = builder.stream(gpu, 7), builder.thread(host, "trainer", "main thread")
        builder.kernels([TraceKernel(stream, "gemm", 100 * US, 300 * US, 1), TraceKernel(stream, "relu", 900 * US, 80 * US, 2)])
        builder.spans(TraceSpan(thread, "cudaLaunchKernel", start * US, 10 * US, SpanKind.RUNTIME, number)
                      for start, number in ((50, 1), (880, 2)))
        builder.steps([TraceStep(thread, "step 10", 0, 1000 * US, 10)])
        builder.values([TraceValue(builder.counter("power", device=gpu, unit="W"), 5, 250.5)])
        pool = builder.allocator("pool", device=gpu)
        builder.allocations([TraceAllocation(pool, 5 * US, 1, bytes=1000, op="weights"),
                             TraceAllocation(pool, 9 * US, 1, is_free=True)])
        with pytest.raises(profkit.InvalidArgument, match="row 1: the duration is negative"):
            builder.kernels([TraceKernel(stream, "a", 0, 1), TraceKernel(stream, "a", 0, -1)])
        with pytest.raises(ValueError, match="either a device or a host"):
            builder.allocator("pool")
        profile = builder.finish()
        with pytest.raises(profkit.InvalidArgument, match="finished"):
            builder.finish()
    with profile:
        assert profile.path == "mine"
        assert [(file.family.name, file.host) for file in profile.files] == [("OWN", "box")]
        gaps = profile.table("gaps").to_dicts()
        assert max(gap["end_ps"] - gap["start_ps"] for gap in gaps) == 500 * US
        assert [(a["name"], a["heap_peak_bytes"]) for a in profile.table("allocators")] == [("pool", 1000)]
        pieces = []
        profile.write_export(pieces.append, "trace.json")
        assert b'"W":250.5' in b"".join(pieces)
    with pytest.raises(ValueError, match="closed"):
        builder.host()


def test_ranks_in_memory_merge_into_trace_json():
    def rank(number):
        kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10 + number, "dur": 2, "args": {"device": 0, "stream": 7}}
        text = json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [kernel]})
        return profkit.open_buffer(text.encode(), "memory", host=f"trainer-{number}", rank=number)

    parts = []
    with rank(0) as first, rank(1) as second:
        with profkit.combine_traces(profiles=[first, second], correction="none", format="trace_json", write=parts.append) as merged:
            assert [node.events for node in merged.nodes] == [1, 1]
        with pytest.raises(ValueError, match="format"):
            profkit.combine_traces(profiles=[first], format="text", write=parts.append)
    with profkit.open_buffer(b"".join(parts), "merged") as merged:
        assert [(row["host"], row["start_ps"]) for row in merged.table("kernels")] == [("trainer-0", 10_000_000), ("trainer-1", 11_000_000)]


def test_buffers_of_two_hosts_merge(gpu_path, tmp_path):
    content = gpu_path.read_bytes()
    opened = [profkit.open_buffer(content, "memory", host=f"trainer-{at}", rank=4 - at) for at in range(2)]
    with opened[0] as first, opened[1] as second:
        assert {row["host"] for row in first.table("devices")} == {"trainer-0"}
        assert {row["rank"] for row in second.table("devices")} == {3}
        with profkit.combine_traces(output=tmp_path / "merged.xplane.pb", profiles=[first, second], correction="none") as merged:
            assert [(node.id, node.hostname) for node in merged.nodes] == [(4, "trainer-0"), (3, "trainer-1")]
    with profkit.open(tmp_path / "merged.xplane.pb") as merged:
        assert {row["host"] for row in merged.table("devices")} == {"trainer-0", "trainer-1"}
    with pytest.raises(ValueError, match="closed"):
        profkit.combine_traces(output=tmp_path / "more.xplane.pb", profiles=[first], correction="none")
