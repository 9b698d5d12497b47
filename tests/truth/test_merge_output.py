#!/usr/bin/env python3
"""What `profkit merge` writes and where: formats and names of files, lines of the screen, warnings, statuses, and what it does not leave
when it fails."""
import gzip
import json
import os
import subprocess
import sys

import proto_reader as reader
import proto_writer as proto
import truth
from test_merge_command import AHEAD_NS, START_NS, offsets, snapshots, trace


def xspace(*hosts, events=(("e", 0, 5),), planes=("/device:GPU:0",)):
    made = []
    for name in planes:
        made.append(proto.Plane(name))
        made[-1].line("l", START_NS, [made[-1].event(*e) for e in events], 3)
    return proto.xspace(made, hosts)


class MergeOutput(truth.Case):
    def setUp(self):
        super().setUp()
        self.write("node0.xplane.pb", xspace("ada"))
        self.write("node1.xplane.pb", xspace("bob"))
        self.before = self.files()

    def files(self):
        return {str(p.relative_to(self.scratch)) for p in self.scratch.rglob("*") if p.is_file()}

    def new(self):
        found = self.files() - self.before
        for name in found:
            (self.scratch / name).unlink()
        return found

    def merge(self, *options, output="out.xspace", traces=("node0.xplane.pb", "node1.xplane.pb"), how=("--no-correction",), **more):
        return truth.run("merge", "--traces", *traces, *how, "-o", output, *options, cwd=self.scratch, **more)

    def kind(self, name):
        data = (self.scratch / name).read_bytes()
        if data[:2] == b"\x1f\x8b":
            return "packed " + self.kind_of(gzip.decompress(data))
        return self.kind_of(data)

    @staticmethod
    def kind_of(data):
        if data[:1] == b"{":
            return "json" if "traceEvents" in json.loads(data) else "other"
        try:
            return "xspace" if reader.xspace(data)["planes"][-1]["name"] == "Task Environment" else "other"
        except (KeyError, IndexError, ValueError, UnicodeDecodeError, TypeError):
            return "perfetto"

    def test_formats_and_stems(self):
        """The ending says what is written; the metadata stands beside it without that ending."""
        for output, kind, beside in (
                ("a.xspace", "xspace", "a"), ("a.xplane.pb", "xspace", "a"), ("a.xspace.pb", "xspace", "a"), ("a.pb", "xspace", "a"),
                ("a.b.c", "xspace", "a.b"), ("plain", "xspace", "plain"), (".hidden", "xspace", ".hidden"),
                ("d.e/plain", "xspace", "d.e/plain"), ("a.trace.json", "json", "a"), ("a.trace.json.gz", "packed json", "a"),
                ("a.json", "json", "a"), ("a.json.gz", "packed json", "a"), ("a.pftrace", "perfetto", "a"),
                ("a.perfetto-trace", "perfetto", "a"), ("a.xspace.gz", "packed xspace", "a.xspace")):
            (self.scratch / "d.e").mkdir(exist_ok=True)
            self.merge(output=output)
            self.assertEqual(self.kind(output), kind, output)
            self.assertEqual(self.new(), {output, beside + ".metadata.json"})

    def test_every_file_beside(self):
        for node, ahead in ((0, 0), (1, AHEAD_NS)):
            self.write(f"node{node}.xplane.pb", trace(node, START_NS + ahead))
            self.write(f"node{node}.pb", snapshots(START_NS + ahead, (5_000, 9_000)[node]))
        self.write("given.jsonl", offsets())
        self.before = self.files()
        said = self.merge("--trace-json", "--validate", "--svg", "p.svg", "--write-offsets", "o.jsonl", output="x.xplane.pb",
                          how=("--snapshots", "node0.pb", "node1.pb", "--offsets", "given.jsonl"))
        names = ["x.xplane.pb", "o.jsonl", "x.violations.json", "x.trace.json.gz", "x.metadata.json", "p.svg"]
        self.assertEqual([row for row in said.splitlines() if row.startswith("wrote ")], ["wrote " + name for name in names])
        self.assertEqual(self.kind("x.trace.json.gz"), "packed json")
        self.assertEqual(self.new(), set(names))
        self.merge("--trace-json", output="x.pftrace")
        self.assertEqual(self.new(), {"x.pftrace", "x.trace.json.gz", "x.metadata.json"})
        self.merge("--trace-json", output="x.trace.json", status=2)
        self.assertEqual(self.new(), set())

    def test_no_file_is_an_input(self):
        """Nor any that is written beside the output."""
        self.write("r.json", '{"nodes": [{"node_id": 0}, {"node_id": 1}]}')
        self.write("o.jsonl", json.dumps({"meta": True, "nodes": [{"node_id": 0, "start_walltime_ns": START_NS}]}) + "\n")
        self.write("s.metadata.json", xspace())
        before = {name: (self.scratch / name).read_bytes() for name in self.files()}
        for options, output in ((["--run-metadata", "r.json"], "r.json"), (["--offsets", "o.jsonl"], "o.jsonl"),
                                (["--offsets", "o.jsonl", "--write-offsets", "o.jsonl"], "a.xspace"),
                                (["--svg", "node1.xplane.pb"], "a.xspace"), (["--traces", "s.metadata.json"], "s.xspace"),
                                (["--svg", "./node0.xplane.pb"], "a.xspace")):
            message = self.merge(*options, output=output, status=2, stderr=True)
            self.assertTrue(message.startswith("profkit: error: "), message)
            self.assertEqual({name: (self.scratch / name).read_bytes() for name in self.files()}, before, options)

    def test_nothing_stays_of_a_merge_that_fails(self):
        """A file that was there stays as it was, with its metadata; the error is a document where that was asked for."""
        self.merge()
        whole = {name: (self.scratch / name).read_bytes() for name in self.files()}
        self.write("node1.xplane.pb", b"\x0a\xff")
        whole["node1.xplane.pb"] = b"\x0a\xff"
        for options, status, code in (([], 4, "damaged"), (["--traces", "gone.xplane.pb"], 4, "damaged")):
            found = truth.loads(self.merge("--json", *options, status=status))
            self.assertEqual((found["status"], found["code"], found["path"]), ("error", code, "node1.xplane.pb"))
            self.assertEqual({name: (self.scratch / name).read_bytes() for name in self.files()}, whole)
        found = truth.loads(self.merge("--json", traces=["node0.xplane.pb", "gone.xplane.pb"], status=3))
        self.assertEqual((found["code"], found["path"]), ("not_found", "gone.xplane.pb"))
        self.assertEqual(self.merge("-q", status=4), "")
        self.assertIn("damaged or cut", self.merge("-q", status=4, stderr=True))

    def test_warnings_go_to_standard_error(self):
        """Those that differ in numbers alone once, with how many there were; --quiet shows none, the metadata each."""
        planes = [f"/device:GPU:{k}" for k in (64, 65, 66)]
        self.write("node0.xplane.pb", xspace(planes=planes))
        self.write("node1.xplane.pb", xspace(planes=[f"/device:GPU:{k}" for k in range(3)]))
        text = "plane /device:GPU:0 of node 1 has the id of another plane; it is now /device:GPU:67 (3 times)"
        self.assertEqual(self.merge(stderr=True), f"profkit: warning: {text}\n")
        self.assertNotIn("warning", self.merge())
        self.assertEqual(self.merge("--quiet", stderr=True), "")
        self.assertTrue(self.merge("--quiet").startswith("Merged 6 events of 2 nodes\n"))
        self.assertEqual(truth.loads(self.merge("--json"))["warnings"], [text])

    def test_lines_of_the_screen(self):
        """One is one, thousands are grouped; of more than 32 nodes those beyond are counted."""
        self.assertEqual(self.merge(traces=["node0.xplane.pb"]).splitlines()[0], "Merged 1 event of 1 node")
        self.write("node0.xplane.pb", xspace("ada", events=[("e", k, 1) for k in range(1234)]))
        rows = self.merge().splitlines()
        self.assertEqual(rows[0], "Merged 1,235 events of 2 nodes")
        self.assertEqual([row.split() for row in rows[1:4]], [
            ["node", "host", "times", "events", "correction", "device", "+-", "host", "+-", "snapshots", "offsets"],
            ["0", "ada", "raw", "1,234", "-", "unknown", "unknown", "0", "0"],
            ["1", "bob", "raw", "1", "-", "unknown", "unknown", "0", "0"]])
        for count, last in ((32, []), (33, ["  … 1 more (the metadata has them)"]), (40, ["  … 8 more (the metadata has them)"])):
            names = [f"n/node{k}.xplane.pb" for k in range(count)]
            for name in names:
                self.write(name, xspace("h"))
            rows = self.merge(traces=names).splitlines()
            self.assertEqual([r for r in rows[2:] if not r.startswith("wrote")][32:], last)
            self.assertEqual(rows[33].split()[0], "31")

    def test_printed_collectives(self):
        """By the name of a library in any case, or by the op of the compiler; each stands beside the one of node 0 of its number."""
        names = [("x_NCCL_y", {}), ("RcclKernel", {}), ("k", {"hlo_op": "reduce-scatter.1"}), ("k", {"hlo_op": "all-to-all"}),
                 ("k", {"hlo_op": "all-gather"}), ("all-reduce", {}), ("k", {"hlo_op": "fusion"})]
        for node, names_of_node in ((0, names), (1, [*names[:5], *names[:1]])):
            plane = proto.Plane("/device:GPU:0")
            plane.line("l", START_NS, [plane.event(n, k * 10**6 + 499 + node, 5, [*facts.items(), ("correlation_id", k)])
                                       for k, (n, facts) in enumerate(names_of_node)], 3)
            self.write(f"node{node}.xplane.pb", proto.xspace([plane]))
        printed = [row for row in self.merge("--print-collectives").splitlines() if row.startswith("  COLL")]
        shown = ["x_NCCL_y", "RcclKernel", "reduce-scatter.1", "all-to-all", "all-gather"]
        at = [START_NS + k * 1000 for k in range(6)]
        expected = [f"  COLLECTIVE node=0 corr_id={k} op='{n}' e_un={at[k]}ns e_h0={at[k]}ns offset_applied=0ns e_final={at[k]}ns"
                    for k, n in enumerate(shown)]
        expected += [f"  COLLECTIVE node=1 corr_id={k} op='{n}' e_un={at[k] + 1}ns e_h0={at[k] if k < 5 else '-'}{'ns' * (k < 5)} "
                     f"offset_applied=0ns e_final={at[k] + 1}ns" for k, n in enumerate([*shown, "x_NCCL_y"])]
        self.assertEqual(printed, expected)

    def test_options_that_do_not_go_together(self):
        for options, words in ((["--max-bound", "2ms"], "--max-bound belongs to --align=collectives"),
                               (["--align", "collectives", "--offsets", "o"], "without snapshots and offsets"),
                               (["--align", "collectives", "--correction", "walltime"], "--correction and --no-correction"),
                               (["--align", "offsets"], "--align"), (["--normalize", "node1"], "--normalize"),
                               (["--correction", "x"], "--correction")):
            self.assertIn(words, self.merge(*options, how=(), status=2, stderr=True))
            self.assertEqual(self.new(), set())
        # What is typed as --correction goes before --no-correction.
        found = truth.loads(self.merge("--json", how=("--no-correction", "--correction", "none")))
        self.assertEqual([n["status"] for n in found["nodes"]], ["raw", "raw"])

    def test_the_other_name(self):
        """A command of that name merges; options may be written with _."""
        other = self.scratch / "xprof_trace_combine"
        os.symlink(truth.PROFKIT, other)
        done = subprocess.run([other, "--traces", "node0.xplane.pb", "--no_correction", "--plane_scheme", "node", "-o", "out.xspace"],
                              cwd=self.scratch, capture_output=True, check=True)
        self.assertTrue(done.stdout.startswith(b"Merged 1 event of 1 node\n"))
        self.assertEqual(reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"][0]["name"], "/node:0/device:GPU:0")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
