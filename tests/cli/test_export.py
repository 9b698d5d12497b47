#!/usr/bin/env python3
"""Black-box tests of `profkit export` and `profkit validate`: test_export.py PROFKIT [TEST ...]"""
import csv
import gzip
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import unittest

import harness
from harness import CPU_RUN, GPU, ROOT, TPU, Case, event, event_name, line, number, plane, run, text


def stat_name(key, name):
    return text(5, number(1, key) + text(2, number(1, key) + text(2, name)))


def node(shift_ps=0, runs=3, kernel="ncclDevKernel_AllReduce_Sum_f32_RING_LL"):
    """A trace of one GPU that runs an all-reduce every ms."""
    stat = text(4, number(1, 1) + text(5, "all-reduce.1"))
    events = []
    for i in range(1, runs + 1):
        body = number(1, 1) + number(2, i * 10**9 + shift_ps) + number(3, 10**8) + stat
        events.append(text(4, body))
    start = text(6, number(1, 1) + number(3, 1700000000000000000))
    return (plane(0, "/device:GPU:0", line(1, "Stream #1", events), event_name(1, kernel), stat_name(1, "hlo_op")) +
            plane(0, "Task Environment", stat_name(1, "profile_start_time"), start))


class Export(Case):
    def export(self, source, name, *more):
        path = self.scratch / name
        out = run("export", source, "-o", path, *more)
        self.check_status(out, 0)
        self.assertIn(name, out.err)
        self.assertEqual(out.out, "")
        return path.read_bytes()

    def test_formats_by_name(self):
        trace = json.loads(self.export(TPU, "a.trace.json"))
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        self.assertEqual(len(slices), 26723)
        self.assertEqual(json.loads(gzip.decompress(self.export(TPU, "a.json.gz"))), trace)
        rows = list(csv.DictReader(io.StringIO(self.export(TPU, "a.csv").decode(), newline="")))
        self.assertEqual(len(rows), 26723)
        self.assertEqual(sum(int(r["duration_ps"]) for r in rows), sum(round(e["dur"] * 10**6) for e in slices))
        self.assertTrue(all(isinstance(json.loads(r["stats"]), dict) for r in rows))
        self.assertGreater(len(self.export(TPU, "a.pftrace")), 100000)
        self.assertEqual(self.export(TPU, "a.xplane.pb"), TPU.read_bytes())

    def test_slices_of_a_lane_nest(self):
        lanes = {}
        for e in json.loads(self.export(TPU, "a.trace.json"))["traceEvents"]:
            if e["ph"] == "X":
                lanes.setdefault((e["pid"], e["tid"]), []).append((round(e["ts"] * 10**6), round(e["dur"] * 10**6)))
        self.assertGreater(len(lanes), 10)
        for slices in lanes.values():
            open_ends = []
            for start, duration in slices:
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                self.assertTrue(not open_ends or start + duration <= open_ends[-1])
                open_ends.append(start + duration)

    def test_a_part_is_an_xspace(self):
        self.export(TPU, "part.xplane.pb", "--plane", "TPU:0", "--time", "0:20s")
        out = run("info", self.scratch / "part.xplane.pb", "--json")
        self.check_status(out, 0)
        self.assertLess((self.scratch / "part.xplane.pb").stat().st_size, TPU.stat().st_size)

    def test_compat_is_one_thread_or_many(self):
        one = self.export(GPU, "one.trace.json", "--compat", "xla", "-j", "1")
        self.assertEqual(self.export(GPU, "two.trace.json", "--compat", "xla", "-j", "3"), one)
        self.assertTrue(one.startswith(b'{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":['))

    def test_standard_output(self):
        out = run("export", GPU, "--format", "csv")
        self.check_status(out, 0)
        self.assertTrue(out.out.startswith("file,host,plane,line,"))
        dash = run("export", GPU, "--format", "csv", "-o", "-")
        self.check_status(dash, 0)
        self.assertEqual(dash.out, out.out)
        self.assertFalse(os.path.exists("-"))
        self.check_status(run("export", GPU, "--format", "csv", "-o", "/dev/null"), 0)
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_nothing_but_the_outcome_on_standard_error(self):
        out = run("export", TPU, "-o", self.scratch / "a.trace.json")
        self.assertEqual(len(out.err.splitlines()), 1 + out.err.count("\n  "), out.err)
        self.assertIn("a.trace.json: 26,723 events", out.err)
        self.assertEqual(run("export", TPU, "-q", "-o", self.scratch / "b.trace.json").err, "")

    def test_packed_by_the_name_or_by_the_format(self):
        """Either is enough; the content is the same."""
        for name, plain in (("trace.json", self.export(TPU, "plain.trace.json")), ("csv", self.export(TPU, "plain.csv"))):
            for output, asked, is_packed in ((f"a.{name}", name, False), ("a", name, False), (f"a.{name}.gz", name, True),
                                             ("a.gz", name, True), ("a.gz", f"{name}.gz", True), (f"a.{name}", f"{name}.gz", True)):
                content = self.export(TPU, output, "--format", asked)
                self.assertEqual(content[:2] == b"\x1f\x8b", is_packed, (output, asked))
                self.assertEqual(gzip.decompress(content) if is_packed else content, plain, (output, asked))

    def test_a_full_disk_leaves_what_was_there(self):
        """Every format; a file that is there already stays as it is."""
        import signal
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        for name in ("a.trace.json", "a.trace.json.gz", "a.pftrace", "a.xplane.pb", "a.csv"):
            target = self.write(name, b"before")
            done = subprocess.run([harness.PROFKIT, "export", str(TPU), "-o", str(target)], stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, check=False, preexec_fn=small_files)
            self.assertEqual(done.returncode, 4, (name, done.stderr))
            self.assertEqual(target.read_bytes(), b"before")
            target.unlink()
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_usage(self):
        for arguments, what in ((("-o", self.scratch / "a.txt"), "does not say the format"),
                                ((), "which format"),
                                (("--format", "tar"), "not a choice"),
                                (("--format", "csv", "--compat", "xla"), "as XLA writes it"),
                                (("--format", "json", "--compat", "xla", "--plane", "x"), "no filters")):
            out = run("export", GPU, *arguments)
            self.check_status(out, 2)
            self.assertIn(what, out.err)
        self.assertFalse((self.scratch / "a.txt").exists())
        self.check_status(run("export", self.scratch / "nothing.pb", "--format", "csv"), 3)

    def test_the_input_is_safe(self):
        path = self.write("in.xplane.pb", GPU.read_bytes())
        out = run("export", path, "-o", path)
        self.check_status(out, 2)
        self.assertEqual(path.read_bytes(), GPU.read_bytes())

    def test_damage_is_partial_and_strict_refuses(self):
        path = self.write("cut.xplane.pb", GPU.read_bytes()[:60000])
        out = run("export", path, "-o", self.scratch / "cut.trace.json")
        self.check_status(out, 5)
        json.loads((self.scratch / "cut.trace.json").read_text())
        self.check_status(run("export", path, "-o", self.scratch / "cut.csv", "--strict"), 4)

    def test_nothing_to_export(self):
        folder = self.scratch / "empty"
        folder.mkdir()
        out = run("export", folder, "-o", self.scratch / "x.csv")
        self.check_status(out, 3)
        self.assertFalse((self.scratch / "x.csv").exists())
        out = run("export", harness.DATA / "jax" / "two_process_rank0" / "dump", "-o", self.scratch / "x.csv")
        self.check_status(out, 0)
        self.assertIn("[absent]", out.err)
        self.assertFalse((self.scratch / "x.csv").exists())

    def test_full_disk_leaves_nothing(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        import signal
        target = self.scratch / "big.trace.json"
        done = subprocess.run([harness.PROFKIT, "export", str(TPU), "-o", str(target)], stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, check=False,
                              preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), small_files()))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_a_run_of_xla_leaves_its_own_export_out(self):
        rows = run("export", CPU_RUN, "--format", "csv", "-q").out.count("\r\n")
        info = json.loads(run("info", CPU_RUN, "--json").out)
        self.assertEqual(rows - 1, sum(line["events"] for f in info["files"] if f["export_of"] < 0
                                       for plane in f["planes"] for line in plane["lines"]))


class Validate(Case):
    def traces(self, *contents):
        return [self.write(f"node{i}.xplane.pb", content) for i, content in enumerate(contents)]

    def test_in_order(self):
        out = run("validate", *self.traces(node(), node(20 * 10**6)))
        self.check_status(out, 0)
        self.assertIn("Violations: 0, Overlaps: 3, Warnings: 1", out.out)
        self.assertIn("clocks were not corrected", out.out)
        self.assertTrue(all(len(row) <= 100 for row in out.out.splitlines()))

    def test_violations_and_the_gate(self):
        traces = self.traces(node(), node(200 * 10**6))
        out = run("validate", "--traces", *traces, "--bound", "0ns")
        self.check_status(out, 0)
        self.assertIn("Violations: 3,", out.out)
        self.check_status(run("validate", *traces, "--bound", "0ns", "--fail-on", "violations"), 1)
        self.check_status(run("validate", *traces, "--bound", "60us", "--fail-on", "violations"), 0)

    def test_documents(self):
        traces = self.traces(node(), node(200 * 10**6, runs=4), node(5))
        wanted = self.scratch / "v.json"
        gaps = self.scratch / "gaps.csv"
        out = run("validate", *traces, "--bound", "1us", "--align=collectives", "--json", "--output", wanted, "--csv", gaps)
        self.check_status(out, 0)
        document = json.loads(out.out)
        self.assertEqual(json.loads(wanted.read_text()), document)
        self.assertEqual(document["violations"], 3)
        self.assertEqual(document["gap_count"], 3)
        self.assertEqual([n["id"] for n in document["nodes"]], ["0", "1", "2"])
        self.assertEqual(len(document["details"]), 3)
        kinds = {w["kind"] for w in document["warning_list"]}
        self.assertEqual(kinds, {"count_mismatch", "unmatched"})
        offsets = {n["id"]: n for n in document["alignment"]["nodes"]}
        self.assertLessEqual(offsets["1"]["least_offset_ps"], 200 * 10**6)
        self.assertGreaterEqual(offsets["1"]["most_offset_ps"], 200 * 10**6)
        rows = list(csv.DictReader(io.StringIO(gaps.read_text(), newline="")))
        self.assertEqual([r["occurrence"] for r in rows], ["0", "1", "2"])
        self.check_schema(document, "validate")
        self.check_schema(json.loads(run("validate", *traces[:1], "--json").out), "validate")
        self.check_schema(json.loads(run("validate", *traces, "--json").out), "validate")

    def test_outputs(self):
        traces = self.traces(node(), node(20 * 10**6))
        out = run("validate", *traces, "--csv", self.scratch / "x", "-o", f"{self.scratch}/./x")
        self.check_status(out, 2)
        self.assertIn("same file", out.err)
        self.assertFalse((self.scratch / "x").exists())
        self.assertEqual(json.loads(run("validate", *traces, "-o", "-").out)["overlaps"], 3)
        self.assertTrue(run("validate", *traces, "--csv", "-").out.startswith("event_idx,op_name,"))
        self.check_status(run("validate", *traces, "--json", "--csv", "-"), 2)
        self.assertFalse(os.path.exists("-"))
        self.check_status(run("validate", *traces, "-o", "/dev/full"), 4)

    def test_a_trace_that_is_not_there(self):
        traces = self.traces(node(), node(), node())
        traces[1].unlink()
        out = run("validate", *traces)
        self.check_status(out, 5)
        self.assertIn("node1.xplane.pb", out.err)
        self.assertIn("2 nodes", out.out)
        self.check_status(run("validate", traces[1]), 3)

    def test_nothing_to_compare(self):
        out = run("validate", *self.traces(node(kernel="gemm"), node(kernel="gemm")))
        self.check_status(out, 0)
        out = run("validate", *self.traces(node()))
        self.check_status(out, 0)
        self.assertIn("[absent] all collectives are of one node", out.out)

    def test_usage(self):
        self.check_status(run("validate"), 2)
        self.check_status(run("validate", GPU, "--match", "luck"), 2)
        self.check_status(run("validate", GPU, "--bound", "fast"), 2)
        self.check_status(run("validate", GPU, "--fail-on", "incomplete"), 2)

    def test_report_of_several_hosts(self):
        folder = self.scratch / "plugins" / "profile" / "run"
        folder.mkdir(parents=True)
        (folder / "a.xplane.pb").write_bytes(node())
        (folder / "b.xplane.pb").write_bytes(node(20 * 10**6))
        out = run("report", self.scratch)
        self.check_status(out, 0)
        self.assertIn("Across nodes", out.out)
        self.assertIn("3 collectives compared across 2 nodes: 0 violations", out.out)
        document = json.loads(run("report", self.scratch, "--json").out)
        self.assertEqual(document["validation"]["overlaps"], 3)
        self.check_schema(document["validation"], "validate")
        self.assertIsNone(json.loads(run("report", GPU, "--json").out)["validation"])


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
