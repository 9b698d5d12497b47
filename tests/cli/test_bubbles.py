#!/usr/bin/env python3
"""`profkit bubbles` seen from outside: what a person reads, options, documents, damage."""
import gzip
import json
import sys
import tempfile
import unittest
from pathlib import Path

import harness
from harness import CPU_RUN, GPU, TPU, run


def document(*arguments):
    done = run("bubbles", *arguments, "--json")
    return done, json.loads(done.out)

EVENT = '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}'


class Text(unittest.TestCase):
    def test_answers_come_first_and_lines_fit(self):
        for capture in (TPU, GPU):
            done = run("bubbles", capture)
            self.assertEqual(done.status, 0, done.err)
            lines = done.out.splitlines()
            self.assertTrue(lines[0].strip().startswith("idle?"))
            self.assertTrue(any("Longest gaps" in line for line in lines), done.out)
            for line in lines:
                self.assertLessEqual(len(line), 100, line)

    def test_gaps_tell_what_ran_on_both_sides(self):
        done = run("bubbles", GPU, "--limit", "3")
        self.assertRegex(done.out, r"at +after +before +cause +certainty\n")

    def test_a_host_capture_is_absent_and_fine(self):
        done = run("bubbles", CPU_RUN)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("[absent]", done.out)


class Gates(unittest.TestCase):
    """A step of 1 ms: compute 45 %, communication alone 10 %, idle 45 %, of which 40 % are the next batch."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name) / "a.json"
        launch = lambda at, by: {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": at,
                                 "dur": 5, "args": {"correlation": by}}
        kernel = lambda name, at, size, by: {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": size,
                                             "args": {"device": 0, "stream": 7, "correlation": by}}
        cls.path.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 7, "tid": 7, "ts": 100, "dur": 1000},
            launch(100, 1), kernel("gemm", 100, 350, 1), launch(106, 2), kernel("ncclDevKernel_AllReduce", 450, 100, 2),
            {"ph": "X", "cat": "user_annotation", "pid": 7, "tid": 7, "ts": 550, "dur": 390,
             "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"},
            launch(944, 3), kernel("gemm", 950, 60, 3), launch(1000, 4), kernel("gemm", 1060, 40, 4)]}))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_shares(self):
        for gate, status in [("idle>45%", 0), ("idle>44.9999%", 1), ("exposed>10%", 0), ("exposed>9.99%", 1),
                             ("cause:data_loader>40%", 0), ("cause:data_loader>39.9%", 1), ("cause:gc>0%", 0),
                             ("cause:exposed_comm>9%", 1), ("idle>45%,exposed>9%", 1), ("incomplete,idle>45%", 0)]:
            with self.subTest(gate=gate):
                done = run("bubbles", self.path, "--fail-on", gate)
                self.assertEqual(done.status, status, done.err)
                self.assertEqual(done.err.count("of the device time in steps"), status)
        for command in ("report", "ops"):
            self.assertEqual(run(command, self.path, "--fail-on", "idle>40%").status, 1)
        done = run("bubbles", self.path, "-q", "--fail-on", "cause:data_loader>1%")
        self.assertEqual(done.err, "profkit: cause:data_loader>1%: it is 40.0 % of the device time in steps, 400.000 us of 1.000 ms\n")

    def test_they_judge_the_steps_that_were_asked_for(self):
        events = json.loads(self.path.read_text())["traceEvents"]
        events += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 7, "tid": 7, "ts": 1200, "dur": 100},
                   {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1200, "dur": 100, "args": {"device": 0, "stream": 7}}]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "busy.json"
            path.write_text(json.dumps({"traceEvents": events}))
            for step, status in (("0", 1), ("1", 0)):
                for command in ("bubbles", "ops"):
                    with self.subTest(step=step, command=command):
                        self.assertEqual(run(command, path, "--step", step, "--fail-on", "idle>0%").status, status)

    def test_what_only_happens_outside_of_steps_has_a_row(self):
        events = json.loads(self.path.read_text())["traceEvents"]
        events += [{"ph": "X", "cat": kind, "name": name, "pid": 0, "tid": 7, "ts": at, "dur": 50, "args": {"device": 0, "stream": 7}}
                   for at, kind, name in ((1300, "gpu_memcpy", "Memcpy DtoH"), (1400, "gpu_memset", "Memset"),
                                          (1600, "kernel", "gemm"))]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "outside.json"
            path.write_text(json.dumps({"traceEvents": events}))
            lines = run("bubbles", path, "--window-policy", "marker").out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("Where the time went"))
        self.assertEqual(lines[at], "Where the time went: 1.000 ms in steps, 550.000 us outside of them")
        rows = [line.split() for line in lines[at + 2:lines.index("", at)]]
        self.assertIn(["compute", "450.000", "us", "45.0", "%", "50.000", "us", "9.1", "%"], rows)
        self.assertIn(["exposed", "copies", "100.000", "us", "18.2", "%"], rows)

    def test_what_is_no_condition(self):
        for gate in ("idle", "idle>", "idle>10", "idle>x%", "idle>101%", "idle>1.23456%", "idle>1.2.3%", "idle>-1%", "idle>%",
                     "cause:rain>1%", "cause:>1%", "compute>1%", "incomplete,", "incomplete idle>1%"):
            with self.subTest(gate=gate):
                done = run("bubbles", self.path, "--fail-on", gate)
                self.assertEqual(done.status, 0 if gate == "incomplete," else 2, done.err)
        self.assertIn("data_loader", run("bubbles", self.path, "--fail-on", "cause:rain>1%").err)


class Damage(unittest.TestCase):
    def test_a_damaged_event_of_the_host_is_told_by_whoever_reads_it(self):
        # With stats that are looked for, events are read for launches; without, for what they cover of the gap.
        whole = harness.event(2, 30_000_000_000, 5_000_000_000)
        broken = whole[:2] + b"\x0f" + whole[3:]
        for stats in (b"", harness.text(5, harness.number(1, 7) + harness.text(2, harness.number(1, 7) + harness.text(2, "correlation_id")))):
            for event in (b"", broken):
                device = harness.plane(1, "/device:GPU:0", harness.line(1, "Stream #1", [
                    harness.event(1, 0, 10_000_000_000), harness.event(1, 50_000_000_000, 10_000_000_000)]), harness.event_name(1, "kernel"))
                host = harness.plane(2, "/host:CPU", harness.line(1, "main", [
                    harness.event(2, 12_000_000_000, 5_000_000_000), event, harness.event(2, 40_000_000_000, 5_000_000_000)]),
                    harness.event_name(2, "work"), stats)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "a.xplane.pb"
                    path.write_bytes(device + host)
                    done, found = document(path)
                    self.assertEqual(done.status, 5 if event else 0, done.err)
                    self.assertEqual(found["status"], "partial" if event else "ok")
                    self.assertEqual(run("bubbles", path).status, done.status)
                    [gap] = [b for b in found["anomaly_discovery"]["bubble_windows"] if b["scope"] == "step_internal"]
                    self.assertEqual(gap["host_visible_coverage_ratio"], 0.125 if event else 0.25)  # what is intact

    def test_rejected_rows_and_events_are_damage(self):
        with tempfile.TemporaryDirectory() as folder:
            table, trace = Path(folder) / "kernel_details.csv", Path(folder) / "trace.json"
            table.write_text("Name,Type,Start Time(us),Duration(us)\nk,A,1.000,2.000\nk,A,x,2.000\nk,A,9.000,2.000\n")
            broken = EVENT.replace('"ts":1', '"ts":null')
            trace.write_text(f'{{"traceEvents":[{EVENT},{broken},{EVENT}]}}')
            for path, byte, place in ((table, None, "on line 3"), (trace, trace.read_text().find(broken), "at byte")):
                done, found = document(path)
                self.assertEqual(done.status, 5, done.err)
                self.assertEqual(found["status"], "partial")
                [damage] = found["damage"]
                self.assertEqual(damage["byte_offset"], byte)
                self.assertIn("1 of 3", damage["message"])
                self.assertIn(place, damage["message"])
                self.assertEqual(sum(d["kernels"] for d in found["devices"]), 2)
                self.assertEqual(run("bubbles", path).status, 5)
                self.assertEqual(run("bubbles", path, "--strict").status, 4)

    def test_what_a_cut_stream_gave_is_there(self):
        packed = gzip.compress(("[" + ",".join([EVENT] * 4000) + "]").encode())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json.gz"
            for cut in (len(packed) // 2, len(packed) - 1):
                path.write_bytes(packed[:cut])
                done, found = document(path)
                self.assertEqual(done.status, 5, done.err)
                self.assertEqual(found["status"], "partial")
                self.assertGreater(found["devices"][0]["kernels"], 0)
                for command in ("tree", "info", "report"):
                    self.assertEqual(run(command, path).status, 5, command)

    def test_files_without_anything_are_errors_and_answers_without_kernels_have_their_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            for text, message in (("", "the file is empty"), (" \n", "nothing but blanks")):
                path.write_text(text)
                done = run("bubbles", path)
                self.assertEqual(done.status, 4, done.err)
                self.assertIn(message, done.err)
            path.write_text(f'{{"traceEvents":[{EVENT}]}}')
            done, found = document(path, "--device", "NOPE")
            self.assertEqual((done.status, found["status"]), (2, "error"))
            self.assertEqual(found["reason"], 'no device has "NOPE" in its name: there are GPU 0')
            run_folder = Path(folder) / "host_1_ascend_pt"
            run_folder.mkdir()
            (run_folder / "ascend_pytorch_profiler_0.db").write_bytes(b"SQLite format 3\0")
            self.assertIn("export_type=Text", document(run_folder)[1]["reason"])


class Nodes(unittest.TestCase):
    def test_of_merged_traces_each_device_has_the_host_of_its_own_node(self):
        def told(*captures):
            facts = []
            for capture in captures:
                done, found = document(capture, "--limit", "0")
                self.assertEqual(done.status, 0, done.err)
                facts += [json.dumps([b[key] for key in of_the_host]) for b in found["anomaly_discovery"]["bubble_windows"]]
            return sorted(facts)

        of_the_host = ("duration_ns", "candidate_labels", "host_visible_coverage_ratio", "sync_marker_overlap_ratio",
                       "evidence_ops", "evidence_op_overlaps_us", "host_parallelism")
        with tempfile.TemporaryDirectory() as folder:
            mute = Path(folder) / "mute.xplane.pb"  # the same device, of whose host nothing is known
            self.assertEqual(run("export", GPU, "--plane", "device:GPU", "-o", mute).status, 0)
            self.assertNotEqual(told(mute), told(GPU))
            for scheme in ("seed", "rocm", "node"):
                for nodes in ((GPU, mute), (mute, GPU), (GPU, mute, GPU)):
                    merged = Path(folder) / f"{scheme}.xplane.pb"
                    done = run("merge", "--traces", *nodes, "--no-correction", "--plane-scheme", scheme, "-o", merged)
                    self.assertEqual(done.status, 0, done.err)
                    self.assertEqual(told(merged), told(*nodes), (scheme, nodes))


def kernel(name, start, length, phase="X", **more):
    event = {"ph": phase, "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "args": {"device": 0, "stream": 7}}
    if phase == "X":
        event["dur"] = length
    return {**event, **more}


def launched(name, at, start, length, correlation, kind="kernel", call="cuda_runtime"):
    call = {"ph": "X", "cat": call, "name": "launch", "pid": 9, "tid": 9, "ts": at, "dur": 1, "args": {"correlation": correlation}}
    run_by = kernel(name, start, length, cat=kind)
    return [call, {**run_by, "args": {**run_by["args"], "correlation": correlation}}]


def host_step(number, start, length):
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 9, "tid": 9, "ts": start, "dur": length}


class Kineto(unittest.TestCase):
    def look(self, events, wrap='{"schemaVersion": 1, "traceEvents": %s}', status=0):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.json"
            path.write_text(wrap % (events if isinstance(events, str) else json.dumps(events)))
            done, found = document(path)
            self.assertEqual(done.status, status, done.err)
            return found

    def busy(self, found):
        return found["devices"][0]["kernels"], found["devices"][0]["gaps"]["device_busy_union_ms"]

    def test_steps_are_found_one_by_one(self):
        events = []
        for i in range(3):
            events.append(host_step(i, 1000 + 100 * i, 100))
            for k in range(2):
                events += launched("gemm", 1010 + 100 * i + 40 * k, 5010 + 100 * i + 40 * k, 30, 2 * i + k)
        annotation = {**host_step(1, 5105, 90), "cat": "gpu_user_annotation", "pid": 0, "tid": 7, "args": {"device": 0}}
        found = self.look(events + [annotation])
        self.assertEqual([s["step_id"] for s in found["steps"]], ["0", "1", "2"])
        # Nothing ran before the first mark; at the others the device is far behind.
        self.assertEqual([s["start_rel_ns"] for s in found["steps"]], [1000000, 5105000, 5210000])
        self.assertEqual(found["devices"][0]["window_source"], "mixed")
        # Launches of the first step only: where the others ran is not known, and is said.
        some = [e for e in events if e["cat"] != "cuda_runtime" or e["args"]["correlation"] < 2]
        found = self.look(some)
        self.assertEqual([s["step_id"] for s in found["steps"]], ["0"])
        self.assertEqual(found["devices"][0]["kernels_after_steps"], 4)
        self.assertEqual(found["devices"][0]["kernels_without_launch"], 4)
        self.assertTrue(any(g.startswith("2 steps of the host not found") for g in found["evidence_gaps"]))

    def test_devices_of_other_kinds_have_windows_by_launches(self):
        events = [host_step(1, 1000, 100)] + launched("kern", 1010, 5010, 20, 1, "mtia_ccp_events", "mtia_runtime")
        found = self.look(events)
        self.assertEqual(found["devices"][0]["window_source"], "launches")
        self.assertEqual(found["steps"][0]["device_busy_union_ns"], 20000)

    def test_kernels_in_two_parts_are_as_complete_ones(self):
        whole = [kernel("a", 1000, 20), kernel("b", 1010, 5), kernel("c", 1100, 10)]
        parts = [kernel("a", 1000, 0, "B", args={"device": 0}), kernel("b", 1010, 0, "B", args={}),
                 kernel("b", 1015, 0, "E"), kernel("a", 1020, 0, "E", args={"device": 4, "stream": 7}),
                 kernel("c", 1100, 0, "B"), {"ph": "E", "pid": 0, "tid": 7, "ts": 1110}]
        wanted, found = self.look(whole), self.look(parts)
        self.assertEqual(self.busy(found), self.busy(wanted))
        self.assertEqual(self.busy(found), (3, 0.03))
        self.assertEqual(len(found["devices"]), 1)  # the begin's device counts
        self.assertEqual(found["inputs"][0]["notes"], wanted["inputs"][0]["notes"])
        self.assertEqual(found["inputs"][0]["rejected"], 0)

    def test_what_is_no_event_is_counted(self):
        good = [kernel("a", 1010, 20), kernel("b", 1150, 30)]
        no_phase = kernel("x", 1000, 5)
        del no_phase["ph"]
        # What ran already at the beginning of a capture is counted, but no damage.
        for bad, reason, status in ((no_phase, 'no phase ("ph")', 5), ({**no_phase, "ph": 5}, 'no phase ("ph")', 5),
                                    (kernel("x", 1000, 0, "E"), "the end of an event that did not begin", 0)):
            [told] = self.look([good[0], bad, good[1], {}], status=status)["inputs"]
            self.assertEqual(told["reject_reasons"], [{"reason": reason, "count": 1}])
            self.assertEqual((told["rejected"], told["first_rejected_line"]), (1, 2))
        # What still ran at the end of a capture is no damage.
        [told] = self.look([good[0], kernel("x", 1000, 0, "B"), good[1]])["inputs"]
        self.assertEqual(told["rejected"], 0)
        self.assertIn("begins without an end, which are not counted: 1, the first is event 2", told["notes"])

    def test_times_in_nanoseconds(self):
        base = 1736405443863674400
        for text in (int, str):
            found = self.look([kernel("a", text(base), text(10000)), kernel("b", text(base + 50000), text(10000))])
            self.assertEqual(self.busy(found), (2, 0.02))
            self.assertEqual(found["steps"][0]["start_ns"], str(base))
            self.assertIn("times are nanoseconds", found["inputs"][0]["notes"])

    def test_an_array_without_an_end_is_told(self):
        text = json.dumps([kernel("a", 1000, 20), kernel("b", 1100, 20)])
        for end, cut in {"]": False, ",\n": True, "": True}.items():
            found = self.look(text[:-1] + end, "%s")
            self.assertEqual(self.busy(found)[0], 2)
            self.assertEqual(any("has no end" in note for note in found["inputs"][0]["notes"]), cut, end)

    def test_a_long_value_before_the_events(self):
        for bytes_of_it in (10, 70_000, 5_000_000):
            long = '{"metadata": {"k": "' + "x\\\"]}" * (bytes_of_it // 5) + '"}, "traceEvents": %s}'
            self.assertEqual(self.busy(self.look([kernel("a", 1000, 20)], long)), (1, 0.02))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.json"
            path.write_text(json.dumps({"metadata": ["x" * 200_000], "other": 1}))
            self.assertEqual(run("bubbles", path).status, 4)

    def test_kernels_without_launch(self):
        found = self.look([kernel("a", 1000, 20), kernel("b", 1100, 20)])
        self.assertEqual(found["devices"][0]["kernels_without_launch"], 2)
        self.assertTrue(any(g.startswith("2 of 2 kernels (40.000 us) have no launch") for g in found["evidence_gaps"]))
        graph = launched("a", 1000, 1010, 20, 1) + [kernel("b", 1100, 30, args={"device": 0, "stream": 7, "correlation": 1})]
        graph[0]["name"] = "cudaGraphLaunch"
        graph += launched("c", 1200, 1210, 40, 2)
        found = self.look(graph)
        self.assertEqual(found["devices"][0]["kernels_without_launch"], 0)
        self.assertTrue(any(g.startswith("2 of 3 kernels (50.000 us) were launched by graphs") for g in found["evidence_gaps"]))


class Tables(unittest.TestCase):
    def test_a_table_without_start_times_gives_totals_and_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = ["Device_id,Op Name,OP Type,Task Type,Task Duration(us)", "0,a1,MatMul,AI_CORE,10.5",
                    "0,a2,MatMul,AI_CORE,9.5", "0,b,Add,AI_VECTOR_CORE,1.25", "0,c,Add,AI_VECTOR_CORE,N/A"]
            path = Path(folder) / "op_summary_0.csv"
            path.write_text("\n".join(rows) + "\n")
            done, found = document(path)
            self.assertEqual(done.status, 0, done.err)
            self.assertIn("no start times", found["evidence_gaps"][0])
            self.assertEqual(found["steps"], [])
            text = run("bubbles", path).out
            self.assertIn("MatMul", text)
            self.assertIn("20", text)
            self.assertNotIn("[absent]", text)

    def test_totals_of_op_types_stand_in_for_kernels(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "PROF_1" / "mindstudio_profiler_output" / "op_statistic_1.csv"
            path.parent.mkdir(parents=True)
            path.write_text("Device_id,OP Type,Core Type,Count,Total Time(us)\n0,Add,AI_CORE,5,100\n")
            for capture in (path, folder):
                done, found = document(capture, "--limit", "0")
                self.assertEqual(done.status, 0, done.err)
                self.assertIn("no start times", found["evidence_gaps"][0])
                self.assertIn("Add AI_CORE 5 100.000 us 20.000 us", " ".join(run("bubbles", capture).out.split()))

    def test_steps_are_called_as_the_table_calls_them_and_unknown_ones_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            inner = Path(folder) / "a_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
            inner.mkdir(parents=True)
            steps = ("1.0", "2.0", "-1", "2.5")
            (inner / "kernel_details.csv").write_text(
                "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n" +
                "".join(f"{step},0,k,T,AI_CORE,{100 * at},10\n" for at, step in enumerate(steps, 1)))
            (inner / "step_trace_time.csv").write_text(
                "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage\n" +
                "".join(f"0,{step},10,0,0,0,0,10\n" for step in ("1.0", "2", "-1", "7")) + "1,1,10,0,0,0,5,15\n")
            done, found = document(folder)
            self.assertEqual(done.status, 0, done.err)
            self.assertEqual([s["step_id"] for s in found["steps"]], ["1", "2", "-1", "2.5"])
            checked = found["self_check"]["step_trace_time"]
            self.assertEqual([c["step_id"] for c in checked], ["1", "1", "2", "2", "-1", "-1"])
            self.assertTrue(all(c["agrees"] for c in checked))
            self.assertIn("1 step of step_trace_time not compared: not found in the capture", found["evidence_gaps"])


class Options(unittest.TestCase):
    @harness.needs("toml")
    def test_thresholds_by_option_and_file(self):
        _, plain = document(TPU, "--plane", "TPU:0")
        _, higher = document(TPU, "--plane", "TPU:0", "--threshold", "reportable_gap_us=100000")
        many, few = (d["anomaly_discovery"]["bubble_windows"] for d in (plain, higher))
        self.assertGreater(len(many), len(few))
        self.assertTrue(all(b["duration_ms"] >= 100 for b in few))
        self.assertEqual(plain["steps"][0]["device_busy_union_ns"], higher["steps"][0]["device_busy_union_ns"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.toml"
            path.write_text("[bubbles]\nreportable_gap_us = 100000\nidle_ratio = 0.25\n")
            _, by_file = document(TPU, "--plane", "TPU:0", "--thresholds", path)
            self.assertEqual(by_file["anomaly_discovery"]["bubble_windows"], few)
            values = {t["name"]: t["value"] for t in by_file["thresholds"]}
            self.assertEqual((values["reportable_gap_us"], values["idle_ratio"]), (100000, 0.25))
            path.write_text("[bubbles]\nno_such = 1\n")
            self.assertEqual(run("bubbles", TPU, "--thresholds", path).status, 2)
            path.write_text('idle_ratio = "0.25"\n')
            wrong = run("bubbles", TPU, "--thresholds", path)
            self.assertEqual(wrong.status, 2)
            self.assertIn(f"{path}: threshold idle_ratio is no number in line 1", wrong.err)

    def test_what_makes_no_sense_is_a_usage_error(self):
        for wrong in (["--threshold", "no_such=1"], ["--threshold", "idle_ratio"], ["--threshold", "idle_ratio=x"],
                      ["--window-policy", "often"], ["--compat", "other"]):
            done = run("bubbles", TPU, *wrong)
            self.assertEqual(done.status, 2, wrong)
            self.assertIn("hint", done.err)

    def test_window_policies(self):
        ends = {}
        for policy in ("guide", "marker", "device"):
            _, found = document(TPU, "--plane", "TPU:0", "--window-policy", policy)
            self.assertEqual(found["window_policy"], policy)
            steps = found["steps"]
            ends[policy] = [s["exact_ps"]["end"] for s in steps]
            for s in steps:
                e = s["exact_ps"]
                self.assertEqual(e["busy"] + e["prelaunch"] + e["internal"] + e["tail"], e["end"] - e["start"])
                self.assertEqual(sum(s["breakdown"].values()), e["end"] - e["start"])
        self.assertNotEqual(ends["guide"], ends["marker"])


class Documents(unittest.TestCase):
    def test_absolute_times_are_strings_and_exact(self):
        _, found = document(TPU, "--limit", "5")
        bubble = found["anomaly_discovery"]["bubble_windows"][0]
        self.assertEqual(int(bubble["end_ns"]) - int(bubble["start_ns"]), bubble["duration_ns"])
        self.assertEqual(len(found["anomaly_discovery"]["bubble_windows"]), 5)
        self.assertGreater(found["anomaly_discovery"]["bubble_windows_total"], 5)

    def test_threads_do_not_change_a_byte(self):
        self.assertEqual(run("bubbles", TPU, "--json", "-j", "1").out, run("bubbles", TPU, "--json", "-j", "4").out)

    def test_damage_is_told_and_the_rest_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder) / "cut.xplane.pb"
            cut.write_bytes(TPU.read_bytes()[:100000])
            done, found = document(cut)
            self.assertEqual(done.status, 5)
            self.assertEqual(found["status"], "partial")
            self.assertTrue(found["damage"])
            self.assertEqual(run("bubbles", cut, "--strict").status, 4)

    def test_the_report_has_its_line_and_document(self):
        self.assertIn("  idle ", run("report", TPU).out)
        report = json.loads(run("report", TPU, "--json").out)
        self.assertEqual(report["bubbles"]["schema"], "profkit.bubbles")


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
