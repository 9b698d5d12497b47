"""What `profkit merge` prints and refuses: two nodes, one of which has a clock with oddities."""
import json
import os
import sys

import proto_reader as reader
import proto_writer as proto
import truth

START_NS = 1_700_000_000_000_000_000
S_NS = 1_000_000_000
AHEAD_NS = 250_000  # of the second node's wall clock


def trace(node, start_ns):
    device = proto.Plane("/device:GPU:0", 1)
    device.line("Stream #1", start_ns, [
        device.event("ncclDevKernel_AllReduce", k * 500_000_000_000, 7_000, [("correlation_id", 10 * node + k)])
        for k in range(3)] + [device.event("gemm", 1_600_000_000_000, 5)])
    host = proto.Plane("/host:CPU", 2)
    host.line("python", start_ns, [host.event("all-gather", 1_000_000_600, 3)])
    return proto.xspace([device, host], [f"host{node}"])


def snapshots(start_ns, gpu_ns, repeated=False):
    times = [0, 1, 1, 2, 3] if repeated else [0, 1, 2, 3]
    return b"".join(proto.text(1, proto.number(1, start_ns + k * S_NS) + proto.number(2, gpu_ns + k * S_NS))
                    for k in times)


def offsets(header=True):
    rows = []
    if header:
        rows.append({"meta": True, "run_id": "r", "nodes": [
            {"node_id": 0, "start_walltime_ns": START_NS, "start_gpu_ns": 5_000},
            {"node_id": 1, "start_walltime_ns": START_NS + AHEAD_NS, "start_gpu_ns": 9_000}]})
    for k in range(4):
        rows += [{"node_id": n, "round_id": k, "midpoint_sys_ns": START_NS + k * S_NS, "offset_ns": n * AHEAD_NS}
                 for n in (0, 1)]
    return "".join(json.dumps(r) + "\n" for r in rows)


class MergeCommand(truth.Case):
    def setUp(self):
        super().setUp()
        self.write("node0.xplane.pb", trace(0, START_NS))
        self.write("node1.xplane.pb", trace(1, START_NS + AHEAD_NS))
        self.write("node0.snapshots.pb", snapshots(START_NS, 5_000))
        self.write("node1.snapshots.pb", snapshots(START_NS + AHEAD_NS, 9_000, repeated=True))
        self.write("offsets.jsonl", offsets())

    def merge(self, *arguments, output="out.xspace", status=0):
        return truth.run("merge", "--run-dir", ".", "--output", output, *arguments, status=status, cwd=self.scratch)

    def test_collectives_as_they_are_printed(self):
        expected = []
        for node in (0, 1):
            for k in range(3):
                recorded = (5_000, 9_000)[node] + k * 500_000_000  # on the device's own clock
                right = START_NS + k * 500_000_000
                expected.append(f"  COLLECTIVE node={node} corr_id={10 * node + k} op='ncclDevKernel_AllReduce' "
                                f"e_un={recorded}ns e_h0={right}ns offset_applied={node * AHEAD_NS}ns "
                                f"e_final={right}ns")
        printed = [row for row in self.merge("--print-collectives").splitlines() if row.startswith("  COLLECTIVE")]
        self.assertEqual(printed, expected)

    def test_the_screen_names_what_is_odd(self):
        rows = self.merge().splitlines()
        self.assertEqual(rows[0], "Merged 10 events of 2 nodes, run r")
        self.assertNotIn("see warnings", rows[2])
        self.assertTrue(rows[3].endswith("see warnings"), rows[3])
        document = truth.parsed(self.merge("--json"))
        self.assertEqual([n["anomalies"] for n in document["nodes"]][0], [])
        self.assertEqual([a["kind"] for a in document["nodes"][1]["anomalies"]], ["duplicate"])
        # Merged again it is read from the merge.
        again = truth.run("merge", "--traces", "out.xspace", "--output", "again.xspace", cwd=self.scratch).splitlines()
        self.assertTrue(again[2].endswith("merged before"), again[2])

    def test_an_anomaly_with_its_time_and_size(self):
        odd = b"".join(proto.text(1, proto.number(1, START_NS + AHEAD_NS + k * S_NS // 4 + (90_000 if k == 5 else 0)) +
                                  proto.number(2, 9_000 + k * S_NS // 4)) for k in range(13))
        self.write("node1.snapshots.pb", odd)
        found = truth.parsed(self.merge("--json"))["nodes"][1]["anomalies"]
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["kind"], float(found[0]["size_ns"])), ("slope", 90_000))
        self.assertEqual(float(found[0]["at_ns"]), 1_250_000_000 + 90_000)

    def test_an_output_that_is_an_input(self):
        before = (self.scratch / "node0.xplane.pb").read_bytes()
        os.symlink("node0.xplane.pb", self.scratch / "link.pb")
        for output in ("node0.xplane.pb", "./node0.xplane.pb", self.scratch / "node0.xplane.pb", "link.pb"):
            truth.run("merge", "--traces", "node0.xplane.pb", "node1.xplane.pb", "--snapshots", "node0.snapshots.pb",
                      "node1.snapshots.pb", "--offsets", "offsets.jsonl", "--output", output, status=2,
                      cwd=self.scratch)
            self.assertEqual((self.scratch / "node0.xplane.pb").read_bytes(), before)

    def test_the_snapshots_of_the_same_name_come_first(self):
        """Another file of the same node does not replace them."""
        wrong = b"".join(proto.text(1, proto.number(1, START_NS + k * S_NS) + proto.number(2, k * S_NS))
                         for k in (0, 1))
        for name in ("a-node0.snapshots.pb", "z-node0.snapshots.pb"):
            self.write(name, wrong)
        self.assertEqual([n["snapshots"] for n in truth.parsed(self.merge("--json"))["nodes"]], [4, 5])

    def test_starts_from_the_run_metadata(self):
        """Where the offsets have no header, the metadata of the run says when each collector started."""
        expected = truth.parsed(self.merge("--json"))
        planes = reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"]
        self.write("offsets.jsonl", offsets(header=False))
        self.write("run_metadata.json", json.dumps({"run_id": "r", "reference_node": 0, "nodes": [
            {"node_id": n, "hostname": f"host{n}", "start_walltime_ns": START_NS + n * AHEAD_NS,
             "start_gpu_ns": (5_000, 9_000)[n]} for n in (0, 1)]}))
        found = truth.parsed(self.merge("--json"))
        self.check(found["nodes"], expected["nodes"])
        self.check(reader.xspace((self.scratch / "out.xspace").read_bytes())["planes"][:4], planes[:4])

    def test_a_trace_that_is_damaged(self):
        """A merge without one of its nodes says so."""
        (self.scratch / "node1.xplane.pb").write_bytes(b"\x0a\xff")
        document = truth.parsed(self.merge("--json", "--keep-going"))
        broken = document["nodes"][1]
        self.assertEqual((document["status"], broken["status"]), ("partial", "corrupt"))
        self.assertEqual(broken["events"], 0)

    def test_snapshots_in_the_trace_from_before_the_collector_started(self):
        """Wall times up to a day before the start are wall times; further away they count from the start."""
        times = [-2, -1, 0, 1, 2, 3]
        start = START_NS + AHEAD_NS
        corrections = []
        for base in (start, 0):
            plane = proto.Plane("/host:snapshots", 70)
            plane.line("pairs", base, [
                plane.event("pair", k * S_NS * 1000, 0, [("rocm_ns", proto.Uint(9_000_000_009_000 + k * S_NS))])
                for k in (times if base else times[2:])])
            self.write("node1.xplane.pb", trace(1, start) + proto.text(1, plane.bytes()))
            (self.scratch / "node1.snapshots.pb").unlink(missing_ok=True)
            self.write("offsets.jsonl", offsets().replace('"start_gpu_ns": 9000', '"start_gpu_ns": 9000000009000'))
            node = truth.parsed(self.merge("--json"))["nodes"][1]
            corrections.append((node["snapshot_source"], node["max_correction_ns"], node["min_correction_ns"]))
        self.assertEqual(corrections, [("embedded", AHEAD_NS, AHEAD_NS)] * 2)

    def test_every_flag_of_the_library_is_that_of_the_command(self):
        device = proto.Plane("/device:GPU:0", 1)
        device.line("Stream #1", START_NS, [device.event("b", 7_000_000, 9_000_000), device.event("a", 3_000_000, 5)])
        self.write("node0.xplane.pb", proto.xspace([device], ["host0"]))
        plain = self.library()
        self.merge()
        self.assertEqual(plain, (self.scratch / "out.xspace").read_bytes())
        self.merge("--keep-order")
        kept = (self.scratch / "out.xspace").read_bytes()
        self.assertEqual(self.library(keep_order=True), kept)
        self.assertNotEqual(kept, plain)
        self.assertEqual(self.library(keep_going=True), plain)

    def library(self, **flags):
        out = self.scratch.parent / (self.scratch.name + "-library.xspace")
        try:
            with truth.library().combine_traces(run_dir=str(self.scratch), output=str(out), **flags):
                return out.read_bytes()
        finally:
            out.unlink(missing_ok=True)

    def test_validation_in_the_metadata(self):
        document = truth.parsed(self.merge("--json", "--validate"))
        report = truth.parsed((self.scratch / "out.violations.json").read_text())
        found = document["validation"]
        for field in ("violations", "violations_raw", "overlaps", "warnings"):
            self.assertEqual(found[field], report.get(field, report.get("summary", {}).get(field)), field)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
