"""A host's own trace is written to a file and opened again: the same rows and the same answers."""
import json
import random

import pytest

import profkit
from profkit import Accelerator, KernelKind, LaunchKind, SpanKind, TraceAllocation, TraceBuilder, TraceKernel, TraceSpan, TraceStep, TraceValue

US = 1_000_000
# Positions in the file, of which the trace in memory has none; records of kernels of another tool.
OF_THE_FILE = {"source_row", "before_row", "after_row", "path", "encoded_bytes", "uri"}
TABLES = ("files", "devices", "events", "ops", "steps", "kernels", "gaps", "causes", "collectives", "allocators", "live_buffers",
          "live_curve", "device_time", "facts", "collective_calls", "findings", "op_groups")
DOCUMENTS = ("report", "tree", "metadata", "steps", "ops", "op_groups", "collectives", "memory", "bubbles", "explain")
FORMATS = {"xspace": "trace.xplane.pb", "trace.json": "trace.json"}


def random_trace(seed):
    """Everything that a builder takes, with odd names, ties, overlaps, and times before zero."""
    pick = random.Random(seed)
    builder = TraceBuilder("recording", "tracer “7” \\ n")
    host = builder.host(pick.choice(["node-a", 'q"uote', ""]), rank=pick.choice([None, 2]), world_size=pick.choice([0, 4]),
                        origin_unix_ns=pick.choice([None, 1_700_000_000_123_456_789]))
    devices = [builder.device(host, name, accelerator=pick.choice(list(Accelerator)), ordinal=pick.choice([None, at]),
                              model=pick.choice(["", "NVIDIA H100 80GB HBM3"]))
               for at, name in enumerate(["GPU 0", "GPU 0", "naïve\tdevice"][:pick.randint(1, 3)])]
    streams = [builder.stream(pick.choice(devices), at, pick.choice(["", "compute"])) for at in range(4)]
    processes = ["trainer", "loader 7"]
    threads, counters = [], []
    for at in range(5):  # threads and counters of a process take turns
        if pick.random() < 0.6:
            threads.append(builder.thread(host, pick.choice(processes), f"thread {at}"))
        elif pick.random() < 0.5:
            counters.append(builder.counter("rss", host=host, process=pick.choice(processes), unit=pick.choice(["", "bytes"])))
        else:
            counters.append(builder.counter("power", device=pick.choice(devices), unit="W"))
    threads = threads or [builder.thread(host, "trainer", "main")]
    allocators = [builder.allocator("pool", device=devices[0]), builder.allocator("pool", host=host)]
    kernels, spans, steps = [], [], []
    for number in range(1, 40):
        at, length = pick.randint(-50, 900) * US + pick.randint(0, 3), pick.choice([0, 1, 7 * US, 90 * US])
        name = pick.choice(["gemm", "ncclDevKernel_AllReduce_Sum_bf16", "Memcpy HtoD", "void relu<float>(x)", "名前"])
        work = pick.random() < 0.5
        message = pick.random() < 0.5
        kernels.append(TraceKernel(
            pick.choice(streams), name, at, length, correlation=pick.choice([0, number]),
            launch_ps=pick.choice([None, at - 5 * US]), kind=pick.choice([None, *KernelKind]), op=pick.choice(["", "aten::mm"]),
            module=pick.choice(["", "Net/layer_0/lin"]), program=pick.choice(["", "jit_step(7)"]),
            input_shapes=pick.choice(["", "[[8, 4], [4, 4]]"]), input_types=pick.choice(["", '["bf16", "bf16"]']),
            flops=number * 10**9 if work else None, bytes=number * 10**6 if work else None,
            number_type=pick.choice(["", "bf16", "tf32"]) if work else "", group=pick.choice(["", "tp"]),
            group_ranks=pick.choice(["", "[0, 1, 2, 3]"]), group_sequence=pick.choice([None, number]),
            sent_bytes=4096 if message else None, received_bytes=0 if message else None,
            arguments=pick.choice(["", '{"kind": "mine", "bytes": [1, {"a": null}], "x": 1e-7}'])))
        spans.append(TraceSpan(pick.choice(threads), pick.choice(["cudaLaunchKernel", "my_launch", "aten::mm", "nn.Module: Net_0", "gc"]),
                               at - 9 * US, pick.choice([0, 4 * US, 30 * US]), pick.choice(list(SpanKind)), pick.choice([0, number]),
                               pick.choice(list(LaunchKind)), pick.choice(["", '{"grid":[1,2]}'])))
    for number in range(pick.randint(0, 3)):
        steps.append(TraceStep(threads[0], f"step {number}", number * 300 * US, pick.choice([0, 200 * US]), pick.choice([None, number])))
    in_time = lambda row: (row.start_ps, -row.duration_ps)  # as a file has them; `tree` shows the order in which they came
    builder.kernels(sorted(kernels, key=in_time))
    builder.spans(sorted(spans, key=in_time))
    builder.steps(steps)
    builder.values(TraceValue(counter, at * US, pick.choice([0.1, -1e300, 300.5])) for counter in counters for at in range(3))
    builder.allocations([TraceAllocation(allocators[0], 1 * US, 2**64 - 1, 1000, 1024, False, "aten::empty"),
                         TraceAllocation(allocators[1], 1 * US, 5, 10), TraceAllocation(allocators[0], 9 * US, 2**64 - 1, is_free=True)])
    return builder.finish()


def without_places(value, path):
    """A row or document without positions in the file; its path is that of the trace in memory."""
    if isinstance(value, dict):
        of_a_file = {"bytes"} if "path" in value else set()
        return {key: without_places(one, path) for key, one in value.items() if key not in OF_THE_FILE | of_a_file}
    if isinstance(value, list):
        return [without_places(one, path) for one in value]
    return value.replace(str(path), "recording").replace(path.name, "recording") if isinstance(value, str) else value


def rows_of(profile, table, path, **options):
    """The rows of a table; what it fails with, where it does."""
    try:
        return without_places(profile.table(table, **options).to_dicts(), path)
    except profkit.Error as why:
        return type(why).__name__


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("seed", range(12))
def test_every_table_and_document_is_the_same_again(format_name, seed, tmp_path):
    path = tmp_path / FORMATS[format_name]
    with random_trace(seed) as written:
        written.export(path, format_name)
        with profkit.open(path) as read:
            assert [file.family.name for file in read.files] == ["OWN"]
            for table in TABLES:
                assert rows_of(read, table, path) == rows_of(written, table, path), table
            for document in DOCUMENTS:
                told = [without_places(one.document(document), path) for one in (read, written)]
                assert told[0] == told[1], document
            # Once more, from the file.
            again = tmp_path / "again"
            read.export(again, format_name)
            assert again.read_bytes() == path.read_bytes()


def ends_of_planes(content):
    """Where an XSpace may end without a sign that more was to come."""
    at, ends = 0, set()
    while at < len(content):
        at, size, shift = at + 1, 0, 0
        while True:
            byte = content[at]
            at, size, shift = at + 1, size | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        at += size
        ends.add(at)
    return ends


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_file_that_is_cut_says_so_and_keeps_its_rows(format_name, tmp_path):
    path = tmp_path / FORMATS[format_name]
    with random_trace(3) as written:
        written.export(path, format_name)
        whole = rows_of(written, "kernels", path)
    content, most = path.read_bytes(), 0
    unseen = ends_of_planes(content) if format_name == "xspace" else {len(content) - 1}
    for cut in range(0, len(content), 3):
        if cut in unseen:
            continue
        try:
            with profkit.open_buffer(content[:cut], path.name) as part:
                assert part.document("info")["status"] != "ok", cut
                rows = rows_of(part, "kernels", path, skip_damage=True)
        except profkit.Error:
            continue
        if isinstance(rows, list):
            assert most <= len(rows) <= len(whole), cut
            most = len(rows)
    assert most == len(whole)


def test_own_rows_answer_for_work_groups_and_modules():
    with TraceBuilder() as builder:
        host, other = (builder.host(f"box {rank}", rank=rank, world_size=4, origin_unix_ns=10**18) for rank in range(2))
        gpu = builder.device(host, "GPU 0", accelerator=Accelerator.GPU, ordinal=0, model="NVIDIA H100 80GB HBM3")
        far = builder.stream(builder.device(other, "GPU 0", accelerator=Accelerator.GPU, ordinal=0), 7)
        stream, thread = builder.stream(gpu, 7), builder.thread(host, "trainer", "main thread")
        builder.spans([TraceSpan(thread, "nn.Module: Net_0", 0, 500 * US, SpanKind.FRAME), TraceSpan(thread, "aten::add", 1 * US, 90 * US),
                       TraceSpan(thread, "cudaLaunchKernel", 2 * US, 5 * US, SpanKind.RUNTIME, 9)])
        builder.kernels([
            TraceKernel(stream, "gemm", 100 * US, 300 * US, module="Net/lin", op="aten::mm", program="jit_step(7)",
                        flops=10**11, bytes=10**8, number_type="bf16", input_shapes="[[8, 4], [4, 4]]"),
            TraceKernel(stream, "add", 400 * US, 50 * US, 9),
            TraceKernel(stream, "ncclDevKernel_AllReduce_Sum_bf16", 500 * US, 100 * US, group="tp", group_ranks="[0, 1]", group_sequence=3,
                        sent_bytes=4096, received_bytes=4096),
            TraceKernel(far, "ncclDevKernel_AllReduce_Sum_bf16", 490 * US, 90 * US, group="tp", group_ranks="[0, 1]", group_sequence=3,
                        sent_bytes=4096, received_bytes=4096)])
        with pytest.raises(profkit.InvalidArgument, match="row 0: no type of numbers is called"):
            builder.kernels([TraceKernel(stream, "a", 0, 1, flops=1, bytes=1, number_type="bf17")])
        with pytest.raises(profkit.InvalidArgument, match="row 0: its arguments are no JSON object"):
            builder.kernels([TraceKernel(stream, "a", 0, 1, arguments="[1]")])
        with pytest.raises(profkit.InvalidArgument, match="row 0: what it computes or moves is negative"):
            builder.kernels([TraceKernel(stream, "a", 0, 1, flops=-1, bytes=1)])
        profile = builder.finish()
    with profile:
        gemm, add, reduce, _ = profile.table("kernels").to_dicts()
        assert (gemm["module"], gemm["framework_op"], gemm["program"], gemm["input_shapes"]) == (
            "Net/lin", "aten::mm", "jit_step(7)", "[[8, 4], [4, 4]]")
        assert (add["module"], add["framework_op"]) == ("Net_0", "aten::add")
        groups = profile.document("op_groups")
        # 1e11 operations at 989.4 TFLOP/s of bf16; 1e8 bytes at 3.352 TB/s would take 30 us.
        assert (groups["flops"], groups["attainable_ps"] // 1_000_000) == (10**11, 101)
        calls = profile.table("collective_calls").to_dicts()
        assert [(call["members"], call["payload_bytes"], call["start_gap_ps"]) for call in calls] == [(2, 4096, 10 * US)]
        assert reduce["kind"] == "comm"


@pytest.mark.parametrize("last_us", [1600, 1800])
def test_a_step_with_a_duration_ends_there(last_us):
    with TraceBuilder() as builder:
        host = builder.host("box")
        stream, thread = builder.stream(builder.device(host, "dev"), 7), builder.thread(host, "p", "t")
        builder.steps([TraceStep(thread, "a", 0, 600 * US), TraceStep(thread, "b", 1000 * US, 600 * US)])
        builder.spans([TraceSpan(thread, "launch", 1500 * US, 10 * US, SpanKind.RUNTIME, 1, LaunchKind.KERNEL),
                       TraceSpan(thread, "launch", 10 * US, 10 * US, SpanKind.RUNTIME, 2, LaunchKind.KERNEL)])
        builder.kernels([TraceKernel(stream, "k", 20 * US, 30 * US, 2), TraceKernel(stream, "k", (last_us - 100) * US, 100 * US, 1)])
        profile = builder.finish()
    with profile:
        steps = [(row["start_ps"] // US, row["end_ps"] // US) for row in profile.table("steps").to_dicts()]
        assert steps == [(0, 600), (1000, last_us)]
