#!/usr/bin/env python3
"""profkit merge, seen from outside: outputs, flags, exit statuses, and its second name."""
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import Case, double, event_name, number, plane, run, text, varint  # noqa: F401

WALL = 1_765_400_000_000_000_000
OFFSET = 5_000_000


def tracer(node):
    return 10 ** 12 * (node + 1)


def stat_names(*names):
    return b"".join(text(5, number(1, i + 1) + text(2, number(1, i + 1) + text(2, n))) for i, n in enumerate(names))


def event(metadata_id, offset_ps, duration_ps, *stats):
    return text(4, number(1, metadata_id) + number(2, offset_ps) + number(3, duration_ps) + b"".join(stats))


def line(line_id, name, events, timestamp_ns=0):
    return text(3, number(1, line_id) + text(2, name) + (number(3, timestamp_ns) if timestamp_ns else b"") + b"".join(events))


@functools.lru_cache(maxsize=4)
def node_trace(node, snapshots=True, events=3, spacing=10 ** 9):
    own = OFFSET * node
    kernels = [event(1 + i % 2, 10 ** 6 + i * spacing, 5 * 10 ** 8, text(4, number(1, 1) + text(5, f"all-reduce.{i % 2}")))
               for i in range(events)]
    device = plane(0, "/device:GPU:0", line(1, "Stream #1", kernels, WALL + own),
                   event_name(1, "ncclDevKernel_AllReduce"), event_name(2, "gemm"), stat_names("hlo_op"))
    host = plane(7, "/host:CPU", line(77, "python", [event(1, 2 * 10 ** 6, 100)], WALL + own), event_name(1, "step"))
    pairs = [event(1, k * 10 ** 10, 0, text(4, number(1, 1) + number(3, tracer(node) + k * 10 ** 7))) for k in range(8)]
    taken = plane(0, "/host:snapshots", line(0, "Clock Snapshots", pairs, WALL + own), event_name(1, "Snapshot"), stat_names("rocm_ns"))
    return host + device + (taken if snapshots else b"") + text(4, f"host{node}")


def offsets(nodes=2, header=True, wrong=0):
    lines = []
    if header:
        lines.append(json.dumps({"meta": True, "nodes": [
            {"node_id": n, "start_walltime_ns": WALL + OFFSET * n, "start_gpu_ns": tracer(n)} for n in range(nodes)]}))
    for r in range(6):
        for n in range(nodes):
            start = WALL + r * 16_000_000 - 16_000_000
            lines.append(json.dumps({"round_id": r, "window_id": r, "window_start_ns": start, "window_end_ns": start + 16_000_000,
                                     "node_id": n, "offset_ns": float((OFFSET + wrong) * n), "drift_ppm": 0.0, "residual": 0,
                                     "reachable": True, "converged": True}))
    return ("\n".join(lines) + "\n").encode()


class Merge(Case):
    def setUp(self):
        super().setUp()
        self.traces = [self.write(f"node{n}.xplane.pb", node_trace(n)) for n in range(2)]
        self.offsets = self.write("offsets.jsonl", offsets())
        self.output = self.scratch / "combined.xspace"

    def merge(self, *more, traces=None, offsets_file=None, output=None, name="merge", **keywords):
        arguments = ["--traces", *(traces or self.traces), "--offsets", offsets_file or self.offsets, "--output", output or self.output]
        return run(name, *arguments, *more, **keywords)

    def written(self):
        return sorted(p.name for p in self.scratch.iterdir() if p.name.startswith("combined") or p.name.startswith(".profkit"))

    def test_writes_the_trace_and_its_metadata(self):
        done = self.merge()
        self.check_status(done, 0)
        self.assertEqual(self.written(), ["combined.metadata.json", "combined.xspace"])
        self.assertIn("Merged 24 events of 2 nodes", done.out)
        self.assertTrue(all(len(row) <= 100 for row in done.out.splitlines()), done.out)
        metadata = json.loads((self.scratch / "combined.metadata.json").read_text())
        self.assertEqual((metadata["schema"], metadata["status"]), ("profkit.merge", "ok"))
        for node, known in enumerate(metadata["nodes"]):
            self.assertEqual((known["id"], known["snapshots"], known["offset_windows"], known["status"]), (node, 8, 6, "corrected"))
            self.assertEqual(known["max_correction_ns"], OFFSET * node)
            self.assertGreater(known["bound"]["tracer_ns"], 0)
        info = json.loads(run("info", self.output, "--json").out)
        names = [p["name"] for p in info["planes"]] if "planes" in info else json.dumps(info)
        for wanted in ("/host:CPU", "/device:GPU:64", "/device:GPU:10000", "/node:1/clock_metadata"):
            self.assertIn(wanted, names)

    def test_hosts_named_like_devices_are_no_devices(self):
        self.merge()
        self.assertRegex(run("report", self.output).out, r"\n  devices   2 × GPU\n")

    def test_json_is_the_metadata(self):
        done = self.merge("--json")
        self.check_status(done, 0)
        self.assertEqual(json.loads(done.out), json.loads((self.scratch / "combined.metadata.json").read_text()))

    def test_the_metadata_obeys_its_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no Python package jsonschema")
        self.merge()
        folder = harness.ROOT / "docs" / "schemas"
        schemas = {p.stem: json.loads(p.read_text()) for p in folder.glob("*.json")}
        store = {s["$id"]: s for s in schemas.values()}
        try:
            import referencing
            import referencing.jsonschema
            registry = referencing.Registry().with_resources(
                (i, referencing.jsonschema.DRAFT202012.create_resource(s)) for i, s in store.items())
            validator = jsonschema.Draft202012Validator(schemas["merge"], registry=registry)
        except ImportError:
            validator = jsonschema.Draft202012Validator(schemas["merge"], resolver=jsonschema.RefResolver("", schemas["merge"], store=store))
        document = json.loads((self.scratch / "combined.metadata.json").read_text())
        self.assertEqual([e.message for e in validator.iter_errors(document)], [])
        described = schemas["merge"]["properties"]
        self.assertEqual(set(document) - set(described), set())
        node = schemas["merge"]["$defs"]["node"]["properties"]
        self.assertEqual(set(document["nodes"][0]) - set(node), set())

    def test_other_outputs(self):
        done = self.merge("--trace_json", "--validate")
        self.check_status(done, 0)
        self.assertEqual(self.written(), ["combined.metadata.json", "combined.trace.json.gz", "combined.violations.json", "combined.xspace"])
        self.assertRegex(done.out, r"Violations: 0, Overlaps: \d+, Warnings: \d+")
        found = json.loads((self.scratch / "combined.violations.json").read_text())
        counts = json.loads((self.scratch / "combined.metadata.json").read_text())["validation"]
        self.assertEqual(counts["overlaps"], found["overlaps"])

    def test_xprof_shows_every_event(self):
        try:
            from xprof.convert import raw_to_tool_data
        except ImportError:
            self.skipTest("no Python package xprof")
        self.merge()
        shown = self.scratch / "shown.xplane.pb"
        shutil.copy(self.output, shown)
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(shown)], "trace_viewer", {})
        slices = [e for e in json.loads(data)["traceEvents"] if e.get("ph") == "X"]
        for node in range(2):
            kernels = [e for e in slices if e["pid"] == 64 * node + 1 and e["name"] in ("ncclDevKernel_AllReduce", "gemm")]
            self.assertEqual([(round(e["ts"] * 1e6), round(e["dur"] * 1e6)) for e in kernels],
                             [(10 ** 6 + i * 10 ** 9, 5 * 10 ** 8) for i in range(3)])

    def test_planned_name(self):
        other = self.scratch / "xprof_trace_combine"
        other.symlink_to(harness.PROFKIT)
        done = subprocess.run([other, "--traces", *self.traces, "--offsets", self.offsets, "--output", self.output, "--no_correction"],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        metadata = json.loads((self.scratch / "combined.metadata.json").read_text())
        self.assertEqual({n["status"] for n in metadata["nodes"]}, {"walltime"})

    def test_run_dir(self):
        self.write("run_metadata.json", json.dumps({"run_id": "r7", "nodes": [
            {"node_id": n, "hostname": f"host{n}", "trace": f"node{n}.xplane.pb"} for n in range(2)]}).encode())
        done = run("merge", "--run_dir", self.scratch, "--auto_discover", "--output", self.output)
        self.check_status(done, 0)
        self.assertIn("run r7", done.out)
        again = run("merge", "--run_dir", self.scratch, "--auto_discover", "--output", self.output)
        self.check_status(again, 0)
        self.write("more/offsets/second.jsonl", offsets())
        self.check_status(run("merge", "--run_dir", self.scratch, "-o", self.output), 2)

    def test_inputs_of_a_run_folder_are_never_the_output(self):
        for name in ["node0.xplane.pb", "offsets.jsonl"]:
            before = (self.scratch / name).read_bytes()
            outcome = run("merge", "--run_dir", self.scratch, "-o", self.scratch / name)
            self.check_status(outcome, 2)
            self.assertEqual((self.scratch / name).read_bytes(), before)

    def test_offsets_of_another_reference_are_refused(self):
        self.write("run_metadata.json", json.dumps({"run_id": "r7", "reference_node": 1, "nodes": [
            {"node_id": n, "hostname": f"host{n}", "trace": f"node{n}.xplane.pb"} for n in range(2)]}).encode())
        outcome = self.merge("--run_metadata", self.scratch / "run_metadata.json")
        self.check_status(outcome, 2)
        self.assertIn("relative to another node", outcome.err)

    def test_planes_named_after_nodes_are_validated(self):
        counts = [self.merge("--validate", *scheme).out.splitlines()[-1] for scheme in ([], ["--plane-scheme", "node"])]
        self.assertRegex(counts[0], r"Overlaps: [1-9]")
        self.assertEqual(counts[0], counts[1])

    def test_what_the_hosts_did_is_no_collective(self):
        # A pass of the compiler, on the host, is called all-reduce-combiner.
        for scheme in ("seed", "rocm", "node"):
            done = run("merge", "--traces", harness.TPU, harness.TPU, "--no-correction", "--plane-scheme", scheme, "-o", self.output)
            self.assertEqual(done.status, 0, done.err)
            done = run("validate", self.output, "--json")
            self.assertEqual(done.status, 0, done.err)
            found = json.loads(done.out)
            self.assertEqual({op["name"] for op in found["ops"]}, {"all-reduce"}, scheme)
            self.assertEqual([node["devices"] for node in found["nodes"]], [4, 4], scheme)

    def test_clocks_from_collectives_agree_with_snapshots_or_say_so(self):
        self.traces = [self.write(f"node{n}.xplane.pb", node_trace(n, events=8, spacing=10 ** 10)) for n in range(2)]
        for wrong, agrees in ((0, True), (2_000_000, False)):
            self.offsets.write_bytes(offsets(wrong=wrong))
            self.check_status(self.merge(), 0)
            done = run("validate", self.output, "--align=collectives", "--json")
            [_, node] = json.loads(done.out)["alignment"]["nodes"]
            self.assertEqual(node["snapshot_offset_ps"], 0)
            self.assertEqual(node["agrees_with_snapshots"], agrees, node)
            told = run("validate", self.output, "--align=collectives").out
            self.assertEqual("disagrees with the snapshots" in told, not agrees, told)

    def test_prints_events_and_collectives(self):
        done = self.merge("--print_events", "--print_collectives")
        self.check_status(done, 0)
        self.assertIn(f"Node 1 Plane '/device:GPU:0' Line 1 Event 0: meta='ncclDevKernel_AllReduce', ts={WALL + 1000} ns", done.out)
        self.assertIn(f"COLLECTIVE node=1 corr_id=-1 op='all-reduce.0' e_un={tracer(1) + 1000}ns e_h0={WALL + 1000}ns "
                      f"offset_applied={OFFSET}ns e_final={WALL + 1000}ns", done.out)
        # A node with more collectives than node 0 has none to stand beside.
        more = self.write("node1.xplane.pb", node_trace(1, events=9))
        done = self.merge("--print_collectives", traces=[self.traces[0], more])
        self.check_status(done, 0)
        self.assertIn("e_h0=- ", done.out)

    def test_faults_leave_nothing_behind(self):
        cases = [
            (dict(traces=[self.traces[0], self.scratch / "node9.xplane.pb"]), 3, "node 9: its trace cannot be opened"),
            (dict(offsets_file=self.scratch / "none.jsonl"), 3, "the offsets file cannot be read"),
            (dict(offsets_file=self.write("empty.jsonl", b"")), 4, "the file is empty"),
            (dict(offsets_file=self.write("headless.jsonl", offsets(header=False))), 2, "no start times"),
            (dict(traces=[self.traces[0], self.write("node1_cut.xplane.pb", node_trace(1)[:200])]), 4, "damaged or cut at byte"),
            (dict(traces=[self.traces[0], self.write("node1_none.xplane.pb", node_trace(1, snapshots=False))]), 2, "it has 0 clock snapshots"),
        ]
        for keywords, status, message in cases:
            with self.subTest(message):
                done = self.merge(**keywords)
                self.check_status(done, status)
                self.assertIn(message, done.err)
                self.assertIn("hint:", done.err)
                self.assertEqual(self.written(), [])
        for keywords, _, _ in cases:
            done = self.merge("--keep_going", **keywords)
            self.check_status(done, 0)
            self.assertIn("warning", done.err)

    def test_usage(self):
        self.check_status(run("merge"), 2)
        self.check_status(run("merge", "--auto_discover", "-o", "x"), 2)
        self.check_status(run("merge", "--traces", *self.traces), 2)
        self.check_status(self.merge("--snapshots", self.traces[0]), 2)
        self.check_status(self.merge("--plane_scheme", "nothing"), 2)
        self.check_status(self.merge(output=self.traces[0]), 2)
        self.check_status(self.merge(output=self.offsets), 2)
        self.assertEqual(self.written(), [])
        self.check_status(run("merge", "--help"), 0)

    def test_output_that_cannot_be_written(self):
        done = self.merge(output=self.scratch / "missing" / "combined.xspace")
        self.check_status(done, 4)
        done = self.merge(output="/dev/full")
        self.check_status(done, 4)
        self.assertIn("no space", done.err.lower())

    def test_outputs_that_are_no_files(self):
        done = self.merge(output="-")
        self.check_status(done, 2)
        self.assertIn("name a file", done.err)
        self.assertFalse(os.path.exists("-") or os.path.exists("-.metadata.json"))
        done = self.merge(output="/dev/null")
        self.check_status(done, 0)
        self.assertIn("no metadata beside it", done.out)
        self.assertFalse(os.path.exists("/dev/null.metadata.json"))
        self.assertEqual(json.loads(self.merge("--json", output="/dev/null").out)["nodes"][1]["status"], "corrected")
        for flag in ("--validate", "--trace-json"):
            done = self.merge(flag, output="/dev/null")
            self.check_status(done, 2)
            self.assertIn("name a file", done.err)

    def slow_merge(self, stderr):
        """A merge of 2 x 30 MB whose offsets come through a pipe, a second after it began."""
        big = [self.write(f"node{n}.xplane.pb", node_trace(n, events=400_000)) for n in range(2)]
        pipe = self.scratch / "offsets"
        os.mkfifo(pipe)
        running = subprocess.Popen([harness.PROFKIT, "merge", "--traces", *big, "--offsets", pipe, "-o", self.output, "-j1", "--validate"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        writer = os.open(pipe, os.O_WRONLY)
        time.sleep(1.1)
        os.write(writer, offsets())
        os.close(writer)
        return running

    def test_no_progress_but_on_a_terminal(self):
        running = self.slow_merge(subprocess.PIPE)
        _, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, err), (0, b""))

    def test_progress_on_a_terminal(self):
        told, status = harness.shown_on_terminal(self.slow_merge)
        self.assertEqual(status, 0)
        if not told:
            self.skipTest("the merge took less than the 50 ms between two notes")
        self.assertIn(b"profkit: read ", told)
        self.assertTrue(told.endswith(b"\r\x1b[K"), told[-80:])  # the line is cleared in the end

    def test_interrupted_between_two_outputs(self):
        """What is complete and what is not is told by name."""
        big = [self.write(f"node{n}.xplane.pb", node_trace(n, events=400_000)) for n in range(2)]
        running = subprocess.Popen([harness.PROFKIT, "merge", "--traces", *big, "--offsets", self.offsets, "-o", self.output, "-j1",
                                    "--trace-json"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.time() + 30
        while not self.output.exists() and running.poll() is None and time.time() < deadline:
            time.sleep(0.001)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
        if running.returncode == 0:
            self.skipTest("the merge was faster than the interrupt")
        self.assertEqual(running.returncode, -signal.SIGINT)
        told = err.decode()
        self.assertIn("combined.metadata.json are complete", told)
        self.assertIn("combined.trace.json.gz was not written", told)
        self.assertEqual(self.written(), ["combined.metadata.json", "combined.xspace"])

    def test_interrupted(self):
        big = [self.write(f"node{n}.xplane.pb", node_trace(n, events=400_000)) for n in range(2)]
        running = subprocess.Popen([harness.PROFKIT, "merge", "--traces", *big, "--offsets", self.offsets, "-o", self.output, "-j1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.time() + 20
        while not list(self.scratch.glob(".profkit-*")) and running.poll() is None and time.time() < deadline:
            time.sleep(0.001)
        running.send_signal(signal.SIGINT)
        running.wait(timeout=60)
        if running.returncode == 0:
            self.skipTest("the merge was faster than the interrupt")
        self.assertEqual(running.returncode, -signal.SIGINT)
        self.assertEqual(self.written(), [])


class Memory(Case):
    def test_memory_does_not_grow_with_the_input(self):
        """Peak memory of a merge of 60 MB: far below the input, and near that of a tenth of it."""
        if sanitizer := os.environ.get("PROFKIT_SANITIZED"):
            self.skipTest(f"the sanitizer ({sanitizer}) has memory of its own, which would be measured")

        def peak(events):
            traces = [self.write(f"node{n}.xplane.pb", node_trace(n, events=events)) for n in range(2)]
            size = sum(os.path.getsize(t) for t in traces)
            script = ("import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
                      "print(r, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            offsets_file = self.write("offsets.jsonl", offsets())
            done = subprocess.run([sys.executable, "-c", script, harness.PROFKIT, "merge", "--traces", *traces, "--offsets", offsets_file,
                                   "-o", self.scratch / "out.xspace", "-j2"], capture_output=True, check=True, text=True)
            status, kib = map(int, done.stdout.split())
            self.assertEqual(status, 0)
            return size, kib * 1024

        slow = os.environ.get("PROFKIT_SLOW") == "1"
        small_size, small = peak(20_000)
        size, large = peak(2_000_000 if slow else 300_000)
        self.assertLess(large, 64 << 20)
        self.assertLess(large - small, 16 << 20, f"{small_size} bytes took {small}, {size} bytes took {large}")


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
