#!/usr/bin/env python3
"""`profkit report`: its parts are the documents of other commands, which have tests of their own; here the rest."""

import json
import pathlib
import sys

import hlo
import pair
import truth
import xspace as x

EXPECTED = pathlib.Path(__file__).parent / "expected"

STALL = {
    "id": "collectives.exposed_stall",
    "certainty": "likely",
    "recoverable_ps": 650 + 300 + 17,
    "recoverable_bytes": None,
    "what": "TPU:0 waited 967 ps for 3 asynchronous operations, 650 ps at most (all-gather-start.4).",
    "evidence": [
        {
            "file": 0,
            "plane": 0,
            "line": 3,
            "start_ps": 2_018_800,
            "end_ps": 2_021_400,
            "row": None,
            "byte_offset": None,
            "note": "the operation waited for longest",
        }
    ],
    "next": "`profkit collectives` lists them; more work between start and done hides the wait.",
}


class ReportTest(pair.PairCase):
    def part(self, name, *options):
        return truth.parsed(truth.run(name, self.folder, "--json", *options))

    def check_parts(self, found, *options):
        run = f"{self.folder}/plugins/profile/run1"
        findings = [{**STALL, "where": f"{run}/alpha.xplane.pb"}] if not options else []
        expected = {**pair.frame("report"), "path": str(self.folder), "damage": [], "model": None,
                    "complete": True, "reasons": [],
                    "runs": [{"name": "run1", "path": run, "chosen": True}]}
        if not options:  # rows of time in steps: 13 of devices, 3 of all; outside of them: 3 and 2
            expected["limited"] = truth.limited(20, ("bubbles.time", 20, 23))
        for name in (
            "info",
            "steps",
            "ops",
            "modules",
            "framework",
            "collectives",
            "memory",
            "neutrino",
            "bubbles",
        ):
            if options and name == "memory":
                expected[name] = None  # cannot keep to a plane
                continue
            own = {"bubbles": ["--device", "TPU:1"], "neutrino": []}
            expected[name] = self.part(name, *(own.get(name, options) if options else []))
        if not options:
            self.assertEqual(len(expected["bubbles"]["time"]), 23)
            del expected["bubbles"]["time"][20:]
        summaries = json.loads((EXPECTED / "report-summary.json").read_text(encoding="utf-8"))
        by_device = self.part("ops", "--by", "device", *options)
        self.check(found["summary"]["roofline"], {key: by_device[key] for key in found["summary"]["roofline"]})
        self.check(found.pop("summary"), summaries[" ".join(options)])
        validation = found.pop("validation")
        self.assertEqual((validation["schema"], validation["status"]), ("profkit.validate", "ok"))
        # Among them, what the analysis of idle time found.
        idle = [f for f in found["findings"] if f["id"].startswith("bubbles.")]
        found["findings"] = [f for f in found["findings"] if f not in idle]
        self.assertLessEqual({f["id"].rstrip(".0123456789") for f in idle}, {"bubbles.idle", "bubbles.cause.exposed_comm", "bubbles.cause.exposed_copy"})
        self.check(found, {**expected, "findings": findings})

    def test_all(self):
        self.check_parts(self.ask("report"))

    def test_a_plane(self):
        self.check_parts(self.ask("report", "--plane", "TPU:1", plane="TPU:1"), "--plane", "TPU:1")

    def test_screen(self):
        self.check_screen("report", "report")
        self.check_screen("report-plane", "report", "--plane", "TPU:1")
        self.check_screen("report-step", "report", "--host", "alpha", "--step", "1")


class FindingsTest(truth.Case):
    """What the report says beside the numbers, from both sides of where it begins to."""

    def capture(self, planes, name="a", **notes):
        return self.write(f"plugins/profile/r/{name}.xplane.pb", x.space(*planes, hostnames=[name], **notes))

    def device(self, ops, steps=(), number=0, stats=(), name="/device:TPU:{}"):
        """ops: (name, start, duration)"""
        names = sorted({op[0] for op in ops})
        events = [x.event(names.index(n) + 1, start, duration) for n, start, duration in ops]
        marks = [x.event(90, start, duration) for start, duration in steps]
        meta = [x.event_metadata(i + 1, n, "", [x.stat(1, n.split(".")[0])]) for i, n in enumerate(names)]
        return x.plane(number + 1, name.format(number), x.line(1, "Steps", marks), x.line(3, "XLA Ops", events), *meta,
                       x.event_metadata(90, "step"), x.stat_metadata(1, "hlo_category"),
                       *(x.stat_metadata(i + 2, n) for i, (n, _) in enumerate(stats)),
                       *(x.plane_stat(i + 2, v) for i, (_, v) in enumerate(stats)))

    def notes(self, *options):
        text = truth.run("report", self.scratch, *options)
        return text.split("\nNotes\n")[1].split("\n\n")[0] if "\nNotes\n" in text else ""

    def test_waiting_in_done_ops_from_a_fifth_of_the_busy_time_on(self):
        for waited, told in ((200, False), (201, True)):
            self.capture([self.device([("fusion.1", 0, 1000 - waited), ("copy-done.1", 2000, waited)])])
            self.assertEqual("of the busy time goes to *-done ops" in self.notes(), told, waited)
        self.assertIn("20.1 % of the busy time", self.notes())

    def test_a_busiest_line_that_is_busy_for_less_than_a_tenth_of_the_span(self):
        for busy, told in ((100, False), (99, True)):
            self.capture([self.device([("a", 0, busy - 1), ("b", 999, 1)])])
            self.assertEqual("Even the busiest line ran ops for only" in self.notes(), told, busy)
        self.assertIn("for only 9.9 %", self.notes())

    def test_a_step_that_takes_more_than_twice_the_median(self):
        for longest, count, told in ((20, 3, False), (22, 3, True), (22, 2, False)):
            steps = [(100 * i, 10) for i in range(count - 1)] + [(900, longest)]
            self.capture([self.device([("a", 0, 990)], steps)])
            self.assertEqual("more than twice the median" in self.notes(), told, (longest, count))
        steps = [(0, 10), (100, 22), (200, 10)]
        self.capture([self.device([("a", 0, 990)], steps)])
        self.assertIn("Step 1 of TPU:0 took 22 ps, more than twice the median.", self.notes())

    def test_modules_whose_runs_no_line_counts(self):
        """That runs are not recorded is said where no event names the one that it belongs to."""
        step = hlo.proto("jit_step", 7)
        metadata = x.plane(5, "/host:metadata", x.event_metadata(7, "jit_step(7)", "", [x.stat(1, step, "bytes")]),
                           x.stat_metadata(1, "Hlo Proto"))
        for name, told in (("run_id", True), ("other", False)):
            events = [x.event(1, 0, 50, [x.stat(1, 12), x.stat(2, "fusion.1")])]
            host = x.plane(2, "/host:CPU", x.line(1, "t", events), x.event_metadata(1, "fusion.1"),
                           x.stat_metadata(1, name), x.stat_metadata(2, "hlo_op"))
            self.capture([host, metadata])
            text = truth.run("report", self.scratch)
            self.assertIn("Modules: 1, by size\n" if told else "Modules: 1, by size; their runs are not recorded\n", text)

    def test_files_without_a_start_time(self):
        """Only where there is another file to stand beside."""
        def findings():
            found = truth.parsed(truth.run("report", self.scratch, "--json"))["findings"]
            return [
                [f["id"], f["where"].rsplit("/", 1)[1], f["evidence"][0]["file"]]
                for f in found
                if f["id"] == "time.unaligned"
            ]
        environment = x.plane(9, "Task Environment", x.plane_stat(1, 1_700_000_000_000_000_000, "uint"),
                              x.stat_metadata(1, "profile_start_time"))
        self.capture([self.device([("a", 0, 5)])])
        self.assertEqual(findings(), [])
        self.capture([self.device([("a", 0, 5)]), environment], "b")
        self.assertEqual(findings(), [["time.unaligned", "a.xplane.pb", 0]])

    def test_errors_and_warnings_of_the_recorder(self):
        path = self.capture([self.device([("a", 0, 5)])], errors=["lost"], warnings=["slow"])
        found = truth.parsed(truth.run("report", self.scratch, "--json"))["findings"]
        self.check([f for f in found if f["id"].startswith("incomplete")], [{
            "id": "incomplete.recorder_error", "certainty": "proved", "recoverable_ps": None, "recoverable_bytes": None,
            "what": "The recorder reported an error: lost", "where": str(path), "evidence": [{
                "file": 0, "plane": -1, "line": -1, "start_ps": None, "end_ps": None, "row": None, "byte_offset": None,
                "note": ""}], "next": "Record again; counts and times of this file may be too low."}])
        text = truth.run("report", self.scratch)
        self.assertIn("  complete  no: ", text)
        self.assertIn("The recorder warns: slow", text)

    def test_hardware(self):
        """Devices by model and peaks; those without events are told; SparseCores are parts of a chip."""
        gpu = [("device_vendor", "Nvidia"), ("compute_cap_major", 9), ("compute_cap_minor", 0), ("core_count", 132),
               ("memory_size", 80 << 30), ("memory_bandwidth", 3_350_000_000_000)]
        amd = [("device_vendor", "AMD"), ("core_count", 304), ("compute_cap_major", 9)]
        tpu = [("device_type_string", "TPU v6 Lite"), ("peak_teraflops_per_second", 918.0)]
        ops = [("a", 0, 990)]
        self.capture([self.device(ops, (), 0, tpu), self.device([], (), 1, tpu), self.device(ops, (), 2, tpu),
                      self.device(ops, (), 0, tpu, "/device:TPU:{} SparseCore 1")])
        self.assertIn(
            "  devices   3 × TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s; events on 2 of them\n", truth.run("report", self.scratch)
        )
        self.capture([self.device(ops, (), 0, gpu, "/device:GPU:{}"), self.device(ops, (), 1, gpu, "/device:GPU:{}"),
                      self.device([], (), 2, amd, "/device:GPU:{}")])
        self.assertIn("  devices   2 × Nvidia GPU, compute capability 9.0, 132 SMs, 80.0 GiB, 3.35 TB/s\n"
                      "            AMD GPU, 304 CUs; no events\n", truth.run("report", self.scratch))

    def test_lists_that_just_fit_and_those_that_do_not(self):
        """One row more than usual is shown rather than told to be left out."""
        for count, more in ((5, None), (6, "… 2 more, each less busy")):
            self.capture([self.device([(f"a.{i}", 0, 10 + i)], (), i) for i in range(count)])
            text = truth.run("report", self.scratch)
            rows = text.split("Busy: ")[1].split("\n\n")[0].splitlines()
            self.assertEqual(len(rows) - 2, 5, text)
            self.assertEqual(rows[-1].strip() if more else None, more)
        self.assertEqual([row.split()[0] for row in rows[2:-1]], [f"TPU:{i}" for i in (5, 4, 3, 2)])

    def test_shares(self):
        """Nothing is 0.0 %, little is more than that."""
        self.capture(
            [
                self.device([("a", 0, 1_000_000)]),
                self.device([("a", 0, 499)], (), 1),
                self.device([("a", 9, 0)], (), 2),
                self.device([("a", 0, 500)], (), 3),
            ]
        )
        rows = truth.run("report", self.scratch).split("Busy: ")[1].split("\n\n")[0].splitlines()[2:]
        self.assertEqual([row.split("  ")[-1].strip() for row in rows], ["100.0 %", "<0.1 %", "0.0 %", "0.1 %"])

    def test_runs(self):
        for run, name in (("one", "a"), ("two", "b")):
            self.write(f"plugins/profile/{run}/{name}.xplane.pb", x.space(self.device([("a", 0, 5)])))
        text = truth.run("report", self.scratch, "--run", "one")
        self.assertIn("  run       one; others (--run NAME or --run all): two\n", text)
        self.assertIn(" --sort self --run one", text)
        found = truth.parsed(truth.run("report", self.scratch, "--run", "one", "--json"))
        self.check(sorted([r["name"], r["path"], r["chosen"]] for r in found["runs"]), [
            [run, str(self.scratch / "plugins/profile" / run), run == "one"] for run in ("one", "two")])

    def test_many_nodes(self):
        """Two by two clocks are compared for up to 128 nodes; collectives for all, in time that grows as their number."""
        nodes = 0

        def sentences(wanted):
            nonlocal nodes
            for nodes in range(nodes, wanted):
                self.capture([self.device([("all-reduce.1", 0, 50), ("collective-permute.2", 100, 20)])], f"h{nodes}")
            nodes = wanted
            return truth.parsed(truth.run("report", self.scratch, "--json"))["summary"]["across_nodes"]
        compared = "2 collectives compared across {} nodes: 0 violations"
        self.assertEqual(sentences(128), [compared.format("128"), "clocks: the collectives fit one clock for all nodes"])
        left_out = "clocks were not compared by collectives here: more than 128 nodes"
        self.assertEqual(sentences(129), [compared.format("129"), left_out])
        self.assertEqual(sentences(4_000), [compared.format("4,000"), left_out])

    def test_nothing_in_it(self):
        self.write("plugins/profile/r/a.xplane.pb", x.space(x.plane(1, "/host:CPU")))
        text = truth.run("report", self.scratch)
        self.assertTrue(text.rstrip().endswith("the capture is empty: no events and no modules"), text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
