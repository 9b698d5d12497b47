"""Memory, bubbles, kernels, modules, Chrome events, Neutrino traces, exports, merging."""
import json
import pickle

import pytest

import profkit


def test_memory(tpu):
    with tpu.memory(curve_points=64, fit_bytes=1 << 30) as memory:
        module = memory.modules[0]
        assert module.name == "jit_f" and module.chosen
        space = memory.spaces(0)[0]
        buffers = list(memory.live_buffers())
        assert sum(buffer.size_bytes for buffer in buffers) == space.peak_bytes
        assert (space.method, space.bound) == ("heap_replay", "exact")
        curve = list(memory.live_curve())
        assert max(point.live_bytes for point in curve) <= space.peak_bytes
        fits, spare = memory.fit()
        assert not fits and spare < 0
        assert [allocator.chosen for allocator in memory.allocators].count(True) == 1
        assert memory.document()["schema"]
    assert tpu.memory().fit() is None
    assert tpu.memory().document_bytes() == tpu.document_bytes("memory")
    with pytest.raises(profkit.NotFound):
        tpu.memory(module="no such module")


def test_bubbles(tpu):
    with tpu.bubbles() as bubbles:
        steps, gaps = bubbles.steps, list(bubbles)
        assert bubbles.devices[0] == "/device:TPU:0"
        for step in steps:
            assert step.busy_ps + step.prelaunch_ps + step.internal_ps + step.tail_ps == step.end_ps - step.start_ps
        assert gaps and all(gap.duration_ps > 0 for gap in gaps)
        assert {gap.device for gap in gaps} <= set(range(len(bubbles.devices)))
        assert {step.step for step in steps} >= {gap.step for gap in gaps} - {None}
        assert [cause["gap"] for cause in bubbles.table("causes")] == list(range(len(gaps)))
        assert bubbles.document()["schema"]
    with pytest.raises(profkit.InvalidArgument):
        tpu.bubbles(thresholds={"no_such_threshold": 1})


def test_limits_of_documents(tpu):
    sizes = [len(tpu.document_bytes("report", limit=limit)) for limit in (1, None, 0)]
    assert sizes == sorted(set(sizes)) and sizes[1] <= 1_000_000
    limited = tpu.document("report")["limited"]
    assert limited["limit"] == 20 and all(entry["written"] < entry["total"] for entry in limited["lists"])
    brief = tpu.document_bytes("brief", limit=0)
    assert len(brief) <= 16_000 and b'"more"' in brief
    for limit in (1, None, 0):
        with tpu.bubbles(limit=limit) as bubbles:
            assert bubbles.document_bytes() == tpu.document_bytes("bubbles", limit=limit)


def test_architecture(tpu):
    with tpu.architecture() as architecture:
        assert architecture.document_bytes() == tpu.document_bytes("architecture")
        assert architecture.markdown().startswith("#") and architecture.file_name.endswith(".md")
        assert isinstance(architecture.summary, str)


def test_kernels(tpu, data):
    with tpu.kernels(device="TPU:0") as kernels:
        device, = kernels.devices
        rows = list(kernels.rows())
        assert device.kernel_count == len(rows) and device.accelerator is profkit.Accelerator.TPU
        assert all(a.start_ps <= b.start_ps for a, b in zip(rows, rows[1:]))
    with profkit.open(data / "ascend" / "two_ranks") as ascend, ascend.kernels() as kernels:
        assert {device.accelerator for device in kernels.devices} == {profkit.Accelerator.NPU}
        assert any(row.wait_ps is not None for row in kernels.rows())


def test_modules(tpu):
    with tpu.modules() as modules:
        assert len(modules) > 0 and modules[-1] == list(modules)[-1]
        content = modules[0].hlo_proto
        assert len(content) > 0 and modules[0].damage is None
        with pytest.raises(IndexError):
            modules[len(modules)]  # pylint: disable=pointless-statement
    assert bytes(content[:1])  # keeps the list
    assert len(tpu.module_document("jit_f", limit=2)["entry"]["instructions"]) == 2
    with pytest.raises(profkit.NotFound, match="jit_f"):
        tpu.module_document("no such module")


def test_chrome_events(data):
    with profkit.open(data / "kineto" / "h100_bert_small.pt.trace.json.gz") as profile:
        reader = profile.chrome_events()
        events = list(reader)
        assert len(events) == reader.summary.event_count
        timed = [event for event in events if event.phase == "X"]
        assert timed and all(event.duration_ps is not None for event in timed)
        assert json.loads(next(event.args for event in timed if event.args))
    text = b'{"traceEvents":[{"ph":"X","pid":1,"ts":1,"dur":2,"name":"a"},{"ph":"X","ts":'
    with profkit.open_buffer(text, "a.trace.json") as profile:
        found = []
        with pytest.raises(profkit.Damaged):
            for event in profile.chrome_events():
                found.append(event.name)
        assert found == ["a"]


def test_neutrino(data):
    with profkit.open(data / "neutrino" / "block_sched") as profile, profile.neutrino() as probe:
        assert probe.launches[0].kernel == "matmul" and probe.launches[0].grid == (24, 1, 1)
        assert probe.files[0].damage is None
        layout = probe.maps(0)[0]
        assert [field.name for field in layout.fields] == ["start", "elapsed", "cuid"]
        reader = probe.records(0, 0)
        records = list(reader)
        table = []
        probe.write(table.append, "launches", format="csv")
        assert len(b"".join(table).splitlines()) == 1 + len(probe.launches)
        assert reader.at(records[-1].block, records[-1].lane, records[-1].k) == records[-1]
        assert reader.at(0, layout.lanes, 0) is None
        assert 0 < len(records) <= layout.lanes * layout.capacity
        assert set(records[0].values) == {"start", "elapsed", "cuid"}
        assert probe.document("schedule")["slice"] == "schedule"
        with pytest.raises(ValueError, match="slice is one of"):
            probe.document("nothing")
    with profkit.open(data / "xspace" / "jax08_gemm_mi300.xplane.pb") as profile:
        with pytest.raises(profkit.NotFound):
            profile.neutrino()


def test_filters_reach_documents(tpu):
    few = tpu.ops(plane="TPU:0", limit=2)
    assert len(few["lines"]) < len(tpu.ops()["lines"])
    with pytest.raises(profkit.Error):
        tpu.ops(step=10**6)
    statuses = []
    assert tpu.write_document("info", statuses.append) is profkit.Status.OK


def test_exports(tpu, tmp_path):
    for format in ("trace.json", "pftrace", "xspace", "csv"):
        path = tmp_path / f"out.{format}"
        outcome = tpu.export(path, format, plane="TPU:0")
        parts = []
        assert tpu.write_export(parts.append, format, plane="TPU:0") == outcome
        assert path.read_bytes() == b"".join(parts)
        assert outcome.status is profkit.Status.OK and outcome.events > 0
    with pytest.raises(ValueError, match="format is one of"):
        tpu.export(tmp_path / "x", "pdf")
    with pytest.raises(profkit.OutputFailed):
        tpu.export(tmp_path / "absent" / "x", "csv")


def test_writing_and_merging(two_nodes, tmp_path):
    with profkit.open(two_nodes[0]) as profile:
        event, = profile.planes[0].lines[0]
        assert (event.name, event.duration_ps) == ("all-reduce", 5000)
        assert {stat.name: stat.value for stat in event.stats()} == {"bytes": 8, "ratio": 0.5}
        assert profile.files[0].hostnames == ["node0"]
    output = tmp_path / "combined.xplane.pb"
    merge = profkit.combine_traces(two_nodes, output, correction="walltime")
    assert [(node.id, node.events) for node in merge.nodes] == [(0, 1), (1, 1)]
    assert merge.origin_ns == 1_700_000_000_000_000_000
    assert merge.document()
    parts = []
    profkit.combine_traces(two_nodes, correction="walltime", write=parts.append)
    assert output.read_bytes() == b"".join(parts)
    with profkit.open(output) as combined:
        starts = [event.start_ps for plane in combined.planes for line in plane.lines for event in line
                  if event.name == "all-reduce"]
        assert len(starts) == 2 and starts[1] - starts[0] == 2_000_000_000
        verdict = profkit.validate(combined)
        assert (verdict.summary.node_count, verdict.summary.group_count, verdict.summary.violations) == (2, 1, 1)
        assert verdict.document()["schema"]
        verdict.write_csv(parts.append)


def test_a_merge_can_be_cancelled(two_nodes, tmp_path):
    token = profkit.CancelToken()
    token.cancel()
    with pytest.raises(profkit.Cancelled):
        profkit.combine_traces(two_nodes, tmp_path / "none", correction="walltime", cancel=token)
    assert not (tmp_path / "none").exists()

    def refuse(_):
        raise MemoryError("no room")

    with pytest.raises(MemoryError):
        profkit.combine_traces(two_nodes, correction="walltime", write=refuse)


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    path = tmp_path / "out.xplane.pb"
    with pytest.raises(RuntimeError):
        with profkit.XSpaceWriter(path) as writer:
            with writer.plane("p"):
                raise RuntimeError("the host's own trouble")
    assert not path.exists()


def test_a_clock():
    pairs = [profkit.ClockPair(1000, 500000), profkit.ClockPair(2000, 501000), profkit.ClockPair(3000, 502000, 0, 500)]
    offset = profkit.ClockOffset(500000, 250, resolution_ps=1)
    with pytest.raises(profkit.InvalidArgument):
        profkit.Clock(pairs[:1], [offset])
    clock = profkit.Clock(pairs, [offset], tracer_base_ns=1000, host_base_ns=500000, reference_base_ns=500000)
    assert clock.map([0, 1500000]) == [-250, 1500000]
    assert clock.map([0], "host") == [-250] and clock.map([]) == [] and clock.map([2**63 - 1]) == [None]
    assert clock.bound_ps(0) > 0
    with pytest.raises(ValueError, match="domain is one of"):
        clock.map([0], "wall")
    clock.close()
    with pytest.raises(ValueError, match="closed"):
        clock.bound_ps(0)
    assert profkit.Clock(pairs, reference=True).map([0], "host") == [0]


def test_any_message_field_by_field(data):
    path = data / "xspace" / "tpu_v6e_inference.xplane.pb"
    parts = []
    assert profkit.dump(path, parts.append, limit=1) == profkit.Status.OK
    document = json.loads(b"".join(parts))
    assert document["schema"] == "profkit.dump" and document["type"].endswith("XSpace")
    parts.clear()
    profkit.dump(str(path), parts.append, type="raw", format="text", limit=1)
    assert b"".join(parts).lstrip().startswith((b"#", b"1"))
    with pytest.raises(ValueError, match="format is one of"):
        profkit.dump(path, parts.append, format="xml")
    with pytest.raises(profkit.InvalidArgument, match="directory"):
        profkit.dump(data / "jax" / "two_process_rank0", parts.append)


def test_a_message_of_an_open_file_is_that_of_its_path(data):
    path = data / "xspace" / "tpu_v6e_inference.xplane.pb"
    of_path, of_file = [], []
    profkit.dump(path, of_path.append, limit=1, format="text")
    with profkit.open_buffer(path.read_bytes(), "b.xplane.pb") as profile:
        assert profile.files[0].dump(of_file.append, limit=1, format="text") == profkit.Status.OK
    assert b"".join(of_file) == b"".join(of_path)


def test_a_document_into_a_file(tmp_path, tpu):
    target = tmp_path / "ops.json"
    assert tpu.save_document("ops", target, plane="TPU:0", limit=2) == profkit.Status.OK
    assert target.read_bytes() == tpu.document_bytes("ops", plane="TPU:0", limit=2)
    with pytest.raises(profkit.Error):
        tpu.save_document("ops", tmp_path / "absent" / "ops.json")


def test_a_writer_with_options(tmp_path):
    path = tmp_path / "host.xplane.pb.gz"
    with profkit.XSpaceWriter(path, gzip=True, max_plane_bytes=10_000, threads=2) as writer, writer.plane("/device:GPU:0"):
        with writer.line("Stream #1"):
            writer.event("matmul", 0, 1000)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    with profkit.open(path) as profile:
        assert len(list(profile.planes[0].lines[0])) == 1
    with pytest.raises(profkit.LimitExceeded, match="max_plane_bytes"):
        with profkit.XSpaceWriter(path, max_plane_bytes=10) as writer, writer.plane("/device:GPU:0"):
            with writer.line("Stream #1"):
                writer.event("a kernel with a name", 0, 1000)


def test_the_document_of_a_failure(tmp_path):
    with pytest.raises(profkit.NotFound) as failed:
        profkit.open(tmp_path / "absent.xplane.pb")
    document = failed.value.document("ops")
    assert (document["schema"], document["status"], document["code"]) == ("profkit.ops", "error", "not_found")
    assert document["path"] == str(tmp_path / "absent.xplane.pb")
    with pytest.raises(ValueError, match="no document"):
        failed.value.document("nothing")
    with pytest.raises(ValueError, match="not written by the library"):
        pickle.loads(pickle.dumps(failed.value)).document()


def test_facts_that_events_share(tmp_path):
    path = tmp_path / "host.xplane.pb"
    with profkit.XSpaceWriter(path) as writer, writer.plane("/device:GPU:0"):
        writer.describe("matmul", {"flops": 8})
        with writer.line("Stream #1"):
            writer.event("matmul", 0, 1000)
    with profkit.open(path) as profile:
        plane = profile.planes[0]
        event, = plane.lines[0]
        assert [(stat.name, stat.value, stat.origin) for stat in event.stats()] == [
            ("flops", 8, profkit.StatOrigin.METADATA)]


def test_kernels_are_gone_over(tpu, gpu_path):
    with profkit.open(gpu_path) as gpu:
        for profile in (tpu, gpu):
            kernels = profile.kernels()
            listed = list(kernels)
            assert listed == list(kernels) == list(kernels.rows()) and len(listed) == len(kernels) > 0
            assert {kernel.device for kernel in listed} <= set(range(len(kernels.devices)))


def test_every_table_of_an_analysis_takes_columns(tpu, data):
    memory, bubbles = tpu.memory(curve_points=10), tpu.bubbles()
    for table, names in ((memory.live_buffers_table, ["size_bytes"]), (memory.live_curve_table, ["live_bytes", "event"]),
                         (bubbles.steps_table, ["busy_ps"]), (bubbles.table, ["cause", "start_ps"]), (tpu.kernels().table, ["name"])):
        rows = table(columns=names).to_dicts()
        assert all(list(row) == names for row in rows)
        assert len(rows) == len(table().to_dicts())
    assert bubbles.steps_table(columns=["busy_ps"]).to_dicts()
    with profkit.open(data / "neutrino" / "block_sched") as profile:
        assert {tuple(row) for row in profile.neutrino().launches_table(columns=["kernel"])} == {("kernel",)}


def test_words_are_those_of_tables(tpu, data):
    with profkit.open(data / "kineto" / "h100_bert_small.pt.trace.json.gz") as trace:
        for profile in (tpu, trace):
            bubbles = profile.bubbles()
            own = [(gap.cause, gap.certainty, gap.scope, ",".join(gap.labels)) for gap in bubbles]
            assert own == [(row["cause"], row["certainty"], row["scope"], row["labels"]) for row in profile.table("gaps")]
            tags = [",".join(step.tags) for step in bubbles.steps]
            assert tags == [row["tags"] for row in profile.table("steps")]
        assert any("," in text for text in tags) and any(text.startswith("possible_") for *_, text in own)
