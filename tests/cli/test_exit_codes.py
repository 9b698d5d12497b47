#!/usr/bin/env python3
"""What every command says of the same file: its exit status, and the words that tell why: test_exit_codes.py PROFKIT
[TEST ...]. Expected values are written by hand."""
import json
import shutil
import struct
import sys

import harness
from harness import (COMMANDS, DATA, GPU, ROOT, TPU, Case, event, event_name, line, needed_corpus, number, plane, run, small_tpu,
                     text, varint)

KINETO = DATA / "kineto" / "h100_bert_small.pt.trace.json.gz"
ASCEND = DATA / "ascend" / "two_ranks"
PROBES = DATA / "neutrino" / "block_sched" / "Jun23_121812_4242"
# Commands whose answer depends on events of device lines of an XSpace; and those that read trace-event JSON.
READ_DEVICES = ["report", "info", "tree", "ops", "collectives", "bubbles", "architecture", "export"]
READ_TRACES = ["report", "info", "tree", "metadata", "export"]
DRIVER = "PROF_000001_20260101000000000_ABC"  # what the driver of an Ascend device recorded
READ_KERNELS = ["ops", "steps", "collectives", "framework", "bubbles", "architecture"]
ALL = COMMANDS + ["neutrino", "validate", "export"]
FAR = 9223372036854775807  # the last picosecond of int64, 106 days


def device(*events, timestamp_ns=0):
    return plane(1, "/device:TPU:0", line(0, "XLA Ops", list(events), timestamp_ns), event_name(1, "a"),
                 event_name(2, "b"))


def trace(*events):
    return json.dumps({"schemaVersion": 1, "traceEvents": list(events)}).encode()


def kernel(name, ts, dur, **more):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur,
            "args": {"device": 0, "stream": 7}, **more}


# Packets: a sequence (10), a descriptor of a track (60), a time (8) with an event (11).
PERFETTO = (text(1, number(10, 1) + text(60, number(1, 7) + text(2, "main"))) +
            text(1, number(8, 1000) + number(10, 1) + text(11, number(9, 1) + number(11, 7) + text(23, "work"))))
# Kinds of samples (1), a sample (2), a mapping (3), the table of strings (6) with an empty one first.
PPROF = (text(1, number(1, 1) + number(2, 2)) + text(2, text(1, b"\x01") + text(2, b"\x05\x80\x01")) +
         text(3, number(1, 1)) + text(6, "") + text(6, "space") + text(6, "bytes"))
SAVED_MODEL = number(1, 1) + text(2, text(1, text(4, "serve")) + text(2, text(1, text(1, "x") + text(2, "Const"))))
GRAPH = text(1, text(1, "x") + text(2, "Const")) + text(1, text(1, "y") + text(2, "Add") + text(3, "x"))
ONNX = number(1, 8) + text(2, "pytorch") + text(3, "2.1") + text(7, text(1, text(4, "Conv"))) + text(8, number(2, 17))
EVENTS = (lambda body: struct.pack("<QI", len(body), 0) + body + b"\0\0\0\0")(
    varint(1 << 3 | 1) + struct.pack("<d", 1.7e9) + text(3, "brain.Event:2"))


class ExitCodesTest(Case):
    def ask(self, command, path, *more):
        return run(command, path, *(["-o", self.scratch / "out.trace.json"] if command == "export" else []), *more)

    def check(self, path, status, *words, commands=ALL, more=()):
        """Every one of the commands ends with the status, and says the words on one of its streams."""
        for command in commands:
            with self.subTest(path=str(path)[-60:], command=command):
                outcome = self.ask(command, path, *more)
                self.assertEqual(outcome.status, status, outcome.out[:300] + outcome.err)
                for word in words:
                    self.assertIn(word, outcome.out + outcome.err)

    # ---- nothing there: 3; nothing readable: 4 ----

    def test_no_capture_at_the_path(self):
        self.check(self.scratch / "nowhere", 3, "nowhere")
        (self.scratch / "empty").mkdir()
        self.check(self.scratch / "empty", 3, "no profile in", "holds no files")
        self.write("other/readme.txt", b"hello\n")
        self.check(self.scratch / "other", 3, "no profile in", "1 file looked at", "readme.txt")
        document = json.loads(run("ops", self.scratch / "other", "--json").out)
        self.assertEqual((document["status"], document["code"]), ("error", "not_found"))

    def test_a_merge_of_an_empty_folder(self):
        (self.scratch / "none").mkdir()
        done = run("merge", "--run-dir", self.scratch / "none", "-o", self.scratch / "merged.xspace")
        self.assertEqual(done.status, 3, done.err)
        self.assertIn("no trace to merge", done.err)

    def test_a_report_leaves_out_what_no_filter_reaches(self):
        path = self.write("two.trace.json", trace(kernel("a", 0, 10), kernel("b", 20, 10)))
        whole, part = run("report", path), run("report", path, "--name", "a")
        self.assertIn("idle ", whole.out)
        self.assertNotIn("idle ", part.out.split("Notes")[0])
        self.assertRegex(part.out, r"50\.0 % +10\.000 us +1  a +compute")
        self.assertIn("leave out that part", part.out)

    def test_no_readable_record(self):
        for name in ("a.xplane.pb", "a.pb", "a", "a.trace.json", "a.json", "kernel_details.csv", "a.hlo_proto.pb"):
            self.check(self.write(name, b""), 4, "the file is empty")
        self.check(self.write("a.xplane.pb.gz", harness_gzip(b"")), 4, "the file is empty")
        self.check(self.write("a.txt", b"hello world\n"), 4, "no reader knows these bytes")
        self.check(self.write("b.trace.json", b'{"otherData": {"version": "1"}}'), 4, "traceEvents")
        self.check(self.write("c.trace.json", b'{"traceEvents": [{"ph": "X", "na'), 4, "ends inside an event")
        for content in (b"[]", b'{"traceEvents": []}', b'{"traceEvents": null}'):
            self.check(self.write("c.trace.json", content), 4, "the trace has no event")
        self.check(self.write("d.trace.json", b"no JSON"), 4, "expected '{' or '['")
        self.check(self.write("e.xplane.pb", b"\xff" * 64), 4, "damaged XSpace at byte 0")

    def test_a_message_of_another_kind(self):
        known = {"Perfetto trace": PERFETTO, "pprof profile": PPROF, "TensorFlow events": EVENTS, "SavedModel": SAVED_MODEL,
                 "SQLite database": b"SQLite format 3\0" + bytes(84)}
        for words, content in known.items():
            self.check(self.write("a.bin", content), 4, words, "expected an XSpace", "hint: ")
        for content in (GRAPH, ONNX, number(9, 1) + text(12, "x")):
            self.check(self.write("b.pb", content), 4, "not an XSpace", "hint: ")
        # The name does not make it one.
        self.check(self.write("c.xplane.pb", PERFETTO), 4, "Perfetto trace")
        self.check(self.write("d.xplane.pb.gz", harness_gzip(PERFETTO)), 4, "Perfetto trace")
        exported = self.scratch / "e.pftrace"
        self.assertEqual(run("export", GPU, "-o", exported).status, 0)
        self.check(exported, 4, "Perfetto trace")

    def test_foreign_files_of_the_corpus(self):
        folder = needed_corpus()
        for path in sorted((folder / "perfetto").glob("*trace")):
            self.check(path, 4, "Perfetto trace", commands=["report", "info", "ops"])
        for path in sorted((folder / "jax").glob("*/device_memory.pprof")):
            self.check(path, 4, "pprof profile", commands=["report", "info", "ops"])
        for path in sorted((folder / "tfevents").glob("events.out.tfevents.*")):
            self.check(path, 4, "TensorFlow events", commands=["report", "info", "ops"])

    def test_a_merge_takes_no_other_message(self):
        first, second = self.write("node0.xplane.pb", PERFETTO), self.write("node1.xplane.pb", small_tpu())
        outcome = run("merge", first, second, "--no_correction", "-o", self.scratch / "merged.xplane.pb")
        self.assertEqual(outcome.status, 4, outcome.err)
        self.assertIn("Perfetto trace", outcome.err)
        self.assertFalse((self.scratch / "merged.xplane.pb").exists())

    # ---- what stays an XSpace ----

    def test_xspaces_of_all_kinds(self):
        later = text(100, "of a later version")
        sound = {
            "an empty plane": text(1, b""),
            "a plane with an id": text(1, number(1, 7)),
            "a plane with a name": text(1, text(2, "/host:CPU")),
            "only a warning": text(3, "dropped events"),
            "fields of a later version": later + text(1, later + number(1, 3) + text(2, "/device:TPU:0") + later),
            "a whole one": small_tpu(),
        }
        for kind, content in sound.items():
            for name in ("a.xplane.pb", "a.bin"):
                with self.subTest(kind=kind, name=name):
                    self.assertEqual(run("info", self.write(name, content)).status, 0)

    def test_damage_does_not_make_an_xspace_foreign(self):
        whole = small_tpu()
        for at in range(2, 24):  # id, name and the first line's head
            with self.subTest(at=at):
                outcome = run("info", self.write("a.xplane.pb", whole[:at] + b"\x01" + whole[at + 1:]))
                self.assertIn(outcome.status, (0, 5), outcome.err)
        for end in range(4, len(whole)):  # behind the tag, the length and a byte of the plane
            with self.subTest(end=end):
                self.assertEqual(run("info", self.write("cut", whole[:end])).status, 5)

    # ---- absent: 0 ----

    def test_sound_captures_without_the_slice(self):
        empty = self.write("a.xplane.pb", plane(1, "/host:CPU"))
        for command in ("steps", "ops", "modules", "framework", "collectives", "memory", "bubbles",
                        "architecture", "neutrino"):
            self.check(empty, 0, "[absent]", commands=[command])
        self.check(self.write("a.trace.json", trace({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}})), 0,
                   "[absent]", commands=["tree", "steps", "ops", "modules", "bubbles", "architecture"])
        self.check(TPU, 0, "[absent]", commands=["neutrino", "validate"])

    # ---- damage: one verdict, 5 ----

    def test_a_negative_duration(self):
        path = self.write("neg.xplane.pb", device(event(1, 0, 100), event(1, 200, -5)))
        self.check(path, 5, "1 event has a negative duration, which counts as 0", commands=READ_DEVICES)
        self.check(path, 4, commands=READ_DEVICES, more=["--strict"])
        self.assertIn("not complete: ", run("info", path).out)
        self.assertRegex(run("report", path).out, r"complete +no: ")
        self.assertEqual(json.loads(run("ops", path, "--json").out)["lines"][0]["duration_sum_ps"], 100)
        self.assertEqual(json.loads(run("info", path, "--json").out)["files"][0]["planes"][0]["lines"][0]
                         ["duration_sum_ps"], 100)
        for command in ("report", "info", "ops", "bubbles"):
            self.assertEqual(json.loads(run(command, path, "--json").out)["status"], "partial", command)

    def test_an_event_out_of_reach(self):
        path = self.write("huge.xplane.pb", device(event(1, 0, 1000), event(2, 500, FAR), timestamp_ns=FAR))
        self.check(path, 5, "more than 106 days from the capture's origin", commands=READ_DEVICES)
        self.check(path, 4, commands=READ_DEVICES, more=["--strict"])
        self.assertIn("not complete: ", run("info", path).out)
        self.assertRegex(run("report", path).out, r"complete +no: ")

    def test_sums_that_stop(self):
        path = self.write("sum.xplane.pb", device(*[event(1, 0, FAR // 2)] * 4))
        self.check(path, 5, "their sum stops there", commands=["report", "info", "ops", "bubbles"])
        self.assertEqual(json.loads(run("ops", path, "--json").out)["status"], "partial")
        self.assertRegex(run("report", path).out, r"complete +no: ")

    def test_an_event_of_json_out_of_reach(self):
        path = self.write("far.json", trace(kernel("b", 70, 20), kernel("a", 9000000000000, 9000000000000)))
        self.check(path, 5, "1 event has a ts or dur that is no number, negative or 106 days off", commands=READ_TRACES)
        self.check(path, 5, "1 of 2 events were passed over", commands=READ_KERNELS)
        report = run("report", path).out
        self.assertRegex(report, r"complete +no: ")
        self.assertRegex(report, r"GPU 0 +1  20\.000 us")
        self.assertEqual(json.loads(run("info", path, "--json").out)["totals"]["events"], 1)

    def test_times_that_are_none(self):
        for broken in (kernel("a", 10, -5), kernel("a", "soon", 5)):
            path = self.write("a.trace.json", trace(kernel("b", 70, 20), broken))
            self.check(path, 5, "1 event has a ts or dur that is no number", commands=READ_TRACES)
            self.check(path, 5, "1 of 2 events were passed over", commands=READ_KERNELS)
        for broken in ({"ph": "X", "name": "a", "pid": 0, "tid": 7, "ts": 3},
                       {"ph": "X", "name": "a", "pid": 0, "tid": 7, "dur": 3}):
            path = self.write("a.trace.json", trace(kernel("b", 70, 20), broken))
            self.check(path, 5, "no usable", commands=["report", "info", "tree", "metadata", "bubbles", "architecture"])

    @harness.needs("toml")
    def test_a_broken_probe_toml(self):
        folder = self.scratch / PROBES.name
        shutil.copytree(PROBES, folder)
        self.check(folder, 0, commands=["neutrino", "report", "info"])
        (folder / "probe.toml").chmod(0o644)
        (folder / "probe.toml").write_text('kernel = "a\nb = = 3\n')
        self.check(folder, 5, "no valid TOML at line 1", commands=["neutrino", "report", "info"])
        self.check(folder, 4, "no valid TOML at line 1", commands=["neutrino", "report", "info"], more=["--strict"])
        self.assertEqual(json.loads(run("neutrino", folder, "--json").out)["status"], "partial")

    # ---- the same kernels everywhere ----

    def test_kernels_in_two_events(self):
        begin = {key: value for key, value in kernel("gemm", 10, 0, ph="B").items() if key != "dur"}
        path = self.write("be.pt.trace.json", trace(
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 100, "tid": 100, "ts": 0, "dur": 100},
            begin, {"ph": "E", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 60},
            kernel("nvshmemi_put", 70, 20)))
        report = run("report", path).out
        self.assertRegex(report, r"GPU 0 +2  70\.000 us")
        self.assertRegex(report, r"\n  process 100 +1  100\.000 us  100\.000 us  100\.000 us  ProfilerStep")
        device = json.loads(run("bubbles", path, "--json").out)["devices"][0]
        self.assertEqual((device["kernels"], device["gaps"]["device_busy_union_ms"]), (2, 0.07))

    def test_kernels_of_other_devices(self):
        path = self.write("hpu.pt.trace.json", trace(
            {"ph": "X", "cat": "user_annotation", "name": "Iteration#3", "pid": 100, "tid": 100, "ts": 0, "dur": 100},
            kernel("gemm", 10, 50, cat="hpu_op"), kernel("gemm", 70, 20, cat="hpu_op")))
        report = run("report", path).out
        self.assertRegex(report, r"device 0 +2  70\.000 us")
        self.assertRegex(report, r"gemm")
        self.assertRegex(report, r"\n  process 100 +1  100\.000 us  100\.000 us  100\.000 us  annotation")
        self.assertRegex(run("steps", path).out, r"Iteration#3 +3 +0 ps  100\.000 us")

    def test_a_collective_of_another_library(self):
        path = self.write("agg.pt.trace.json", trace(kernel("a", 10, 5), kernel("cross_device_reduce_1stage", 20, 60)))
        self.assertRegex(run("report", path).out, r"all-reduce  kernels +1  60\.000 us  60\.000 us +92\.3 %")

    # ---- raw data of Ascend, which its own tools have to parse first ----

    def raw(self, name, *parts, files=200):
        for i in range(files):
            self.write(f"{name}/{DRIVER}/device_0/data/ts_track.data.0.slice_{i}", bytes([i, 7]) * 50)
        self.write(f"{name}/{DRIVER}/device_0/info.json.0", b"{}")
        self.write(f"{name}/FRAMEWORK/torch.op_range", bytes(range(256)))
        self.write(f"{name}/profiler_info_0.json", (ASCEND / "rank_0_ascend_pt" / "profiler_info_0.json").read_bytes())
        for part in parts:
            self.write(f"{name}/{part}", b"x")
        return self.scratch / name

    def test_raw_data_that_was_not_parsed(self):
        torch = "raw data of torch_npu that was not parsed (no ASCEND_PROFILER_OUTPUT)"
        parse = "from torch_npu.profiler.profiler import analyse; analyse("
        raw = self.raw("one/vm_1_20260101000000000_ascend_pt")
        for path in (raw, raw.parent):
            self.check(path, 3, torch, f'{parse}"{raw}")')
            told = run("ops", path)
            self.assertEqual(told.err.count("\n"), 2, told.err)
            document = json.loads(run("info", path, "--json").out)
            self.assertEqual((document["status"], document["code"], document["path"]), ("error", "not_found", str(raw)))
            self.assertEqual(document["reason"], torch)
            self.assertIn(f'{parse}"{raw}")', document["hint"])
            why = run("info", "--why", path)
            self.check_status(why, 3)
            self.assertIn(torch, run("info", "--why", path, "--json").out)
            self.assertLess(len(why.out.splitlines()), 8)
        # A copy under another name, and one whose folder for the results was made and stayed empty.
        self.check(self.raw("renamed/first", files=3), 3, torch)
        (self.raw("tried/vm_ascend_pt", files=3) / "ASCEND_PROFILER_OUTPUT").mkdir()
        self.check(self.scratch / "tried", 3, "was not parsed (ASCEND_PROFILER_OUTPUT is empty)", commands=["info"])
        mindspore = self.raw("ms/rank_0_ascend_ms", files=3)
        self.check(mindspore, 3, "raw data of MindSpore that was not parsed",
                   f'from mindspore.profiler.profiler import analyse; analyse("{mindspore.parent}")', commands=["info"])
        driver = raw / DRIVER
        self.check(driver, 3, "raw data of msprof that was not exported (no mindstudio_profiler_output)",
                   f"msprof --export=on --output={driver}")

    def test_several_folders_of_raw_data(self):
        for rank in range(7):
            self.raw(f"job/vm_{rank}_20260101000000000_ascend_pt", files=1)
        told = run("report", self.scratch / "job")
        self.check_status(told, 3)
        self.assertIn("that was not parsed (no ASCEND_PROFILER_OUTPUT), in 7 folders: ", told.err)
        self.assertEqual(told.err.splitlines()[0].count("_ascend_pt"), 5)
        self.assertIn("for each of them, as of the first: ", told.err)
        why = run("info", "--why", self.scratch / "job")
        self.check_status(why, 3)
        self.assertIn("7 files, 0 recognised", why.out)

    def test_raw_data_beside_what_was_parsed(self):
        shutil.copytree(ASCEND, self.scratch / "job")
        self.check_status(run("info", self.scratch / "job", "--fail-on", "incomplete"), 0)
        raw = self.raw("job/rank_2_ascend_pt", files=2)
        told = run("info", self.scratch / "job")
        self.check_status(told, 0)
        self.assertIn(f"not complete: {raw}: raw data of torch_npu that was not parsed", told.out)
        self.check_status(run("info", self.scratch / "job", "--fail-on", "incomplete"), 1)
        # Not of a rank that was asked for alone, nor of a run of the same worker that was replaced by a later one.
        self.check_status(run("info", self.scratch / "job" / "rank_0_ascend_pt", "--fail-on", "incomplete"), 0)
        shutil.rmtree(raw)
        for rank in range(2):
            folder = self.scratch / "job" / f"rank_{rank}_ascend_pt"
            folder.rename(folder.with_name(f"rank_{rank}_20260102000000_ascend_pt"))
        self.raw("job/rank_0_20260101000000_ascend_pt", files=2)
        self.check_status(run("info", self.scratch / "job", "--fail-on", "incomplete"), 0)
        self.raw("job/rank_0_20260103000000_ascend_pt", files=2)
        self.check_status(run("info", self.scratch / "job", "--fail-on", "incomplete"), 1)

    def test_a_timeline_that_is_missing(self):
        job = self.scratch / "job"
        shutil.copytree(ASCEND, job)
        output = job / "rank_1_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        (output / "trace_view.json").unlink()
        self.check_status(run("info", job, "--fail-on", "incomplete"), 0)  # the table has the times, too
        (output / "kernel_details.csv").unlink()
        reason = (f"{job}/rank_1_ascend_pt: no timeline (kernel_details.csv, op_summary*.csv or trace_view.json), "
                  "although profiler_info_1.json says that the device was traced")
        for path in (job, job / "rank_1_ascend_pt"):
            told = run("info", path, "--json")
            self.check_status(told, 0)
            document = json.loads(told.out)
            self.assertIs(document["complete"], False)
            self.assertEqual([r.split(": copy")[0] for r in document["reasons"]], [reason])
            for command in ("info", "report"):
                self.check_status(run(command, path, "--fail-on", "incomplete"), 1)
        self.assertIs(json.loads(run("info", job, "--host", "rank_0", "--json").out)["complete"], True)
        # What was not asked for is not missing.
        info = job / "rank_1_ascend_pt" / "profiler_info_1.json"
        settings = json.loads(info.read_bytes())
        for activities, level, status in ((["CPU", "NPU"], "Level0", 1), (["CPU"], "Level1", 0), (["CPU", "NPU"], "Level_none", 0)):
            told = json.loads(json.dumps(settings))
            told["config"]["common_config"]["activities"] = [f"ProfilerActivity.{a}" for a in activities]
            told["config"]["experimental_config"]["_profiler_level"] = level
            info.write_text(json.dumps(told))
            self.check_status(run("info", job, "--fail-on", "incomplete"), status)
        # Databases instead of tables are named for what they are.
        info.write_text(json.dumps(settings))
        (output / "ascend_pytorch_profiler_1.db").write_bytes(b"SQLite format 3\0")
        self.assertIn("rank_1_ascend_pt: there is only a database export", run("info", job).out)

    def test_a_lone_trace_of_an_ascend_device(self):
        lone = self.write("trace_view.json",
                          (ASCEND / "rank_0_ascend_pt" / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_bytes())
        devices = json.loads(run("bubbles", lone, "--json").out)["devices"]
        report = run("report", lone).out
        if devices:
            self.assertNotIn("no device activity", report)
            self.assertIn("at least one kernel or copy ran", report)
        else:
            self.assertNotIn("at least one kernel or copy ran", report)

    # ---- what matches nothing: 2, with what there is ----

    def test_filters_that_match_nothing(self):
        slices = ["report", "info", "tree", "metadata", "steps", "ops", "framework", "collectives", "export"]
        self.check(TPU, 2, "no plane's name contains 'zzz'", "'/device:TPU:0'", commands=slices,
                   more=["--plane", "zzz"])
        self.check(TPU, 2, "no line's name contains 'zzz'", "'XLA Ops'", commands=slices, more=["--line", "zzz"])
        self.check(TPU, 2, "no host's name contains 'zzz'", "'tpu_v6e_inference'", commands=slices + ["memory"],
                   more=["--host", "zzz"])
        self.check(TPU, 2, "has a name that contains 'zzz'", commands=slices, more=["--name", "zzz"])
        self.check(TPU, 2, "no event is in the time window", "events from", commands=slices, more=["--time", "100000s:"])
        self.check(TPU, 2, "there is no step 99999: steps go from 0 to 104",
                   commands=["report", "info", "steps", "ops", "export"], more=["--step", "99999"])
        self.check(KINETO, 2, "no plane's name contains 'zzz'", "'python3'", commands=["report", "info"],
                   more=["--plane", "zzz"])
        self.check(ASCEND, 2, "no line's name contains 'zzz'", "'Stream 2'", commands=["report", "info"],
                   more=["--line", "zzz"])
        self.check(TPU, 2, "no module's name contains 'zzz'", "jit_f", commands=["modules"], more=["--dump", "zzz"])

    def test_filters_of_a_stream(self):
        packed = self.write("a.xplane.pb.gz", harness_gzip(TPU.read_bytes()))
        self.check(packed, 2, "no plane's name contains 'zzz'", commands=["info", "ops"], more=["--plane", "zzz"])
        outcome = run("ops", "-", "--plane", "zzz", input=TPU.read_bytes())
        self.assertEqual(outcome.status, 2)
        self.check(packed, 0, commands=["info", "ops"], more=["--plane", "TPU:0"])

    @harness.needs("re2")
    def test_devices_and_patterns_that_match_nothing(self):
        kinds = ["bubbles", "architecture"]
        self.check(TPU, 2, 'no device has "zzz" in its name', "/device:TPU:0", commands=kinds, more=["--device", "zzz"])
        self.check(KINETO, 2, 'matches the step pattern "zzz"', "'ProfilerStep#6'", commands=kinds,
                   more=["--step-pattern", "zzz"])
        self.check(KINETO, 0, commands=kinds, more=["--step-pattern", "ProfilerStep#[0-9]+"])
        document = json.loads(run("bubbles", TPU, "--device", "zzz", "--json").out)
        self.assertEqual((document["status"], document["code"]), ("error", "invalid_argument"))

    def test_filters_that_match(self):
        self.check(TPU, 0, commands=["report", "info", "tree", "ops"],
                   more=["--plane", "TPU:0", "--line", "XLA", "--host", "tpu", "--name", "fusion", "--time", "1s:120s"])
        # Nothing of the slice is there, but the filter fits the capture.
        self.check(TPU, 0, "[absent]", commands=["ops"], more=["--plane", "/host:metadata"])


def harness_gzip(content):
    import gzip
    return gzip.compress(content, mtime=0)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
