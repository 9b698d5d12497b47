#!/usr/bin/env python3
"""Two things at once: damage and a condition of --fail-on, a filter that fits nothing and damage, output that cannot be written and a
tripped condition, a command over its own input, two outputs in one file: test_two_conditions.py PROFKIT [TEST ...].

Expected values are written by hand.
"""
import json
import os
import pathlib
import shutil
import sys

import harness
import hlo
from harness import COMMANDS, TPU, Case, needs, run, small_tpu, text

FULL = pathlib.Path("/dev/full")


def event(category, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(device, name, ts, dur, stream=7, category="kernel"):
    return event(category, name, device, stream, ts, dur, device=device, stream=stream)


def rank(*more):
    """GPU 0 is idle for a tenth of step 0 and for 84 % of step 1, GPU 1 for nine tenths and for one; before the steps both are idle. A copy
    of GPU 0 in step 1 overlaps nothing."""
    steps = [event("user_annotation", f"ProfilerStep#{n}", 900, 1, 10_000 + 1_000 * n, 1_000) for n in (0, 1)]
    kernels = [kernel(0, "a", 0, 10), kernel(1, "a", 0, 10),
               kernel(0, "a", 10_000, 900), kernel(1, "a", 10_000, 100), kernel(0, "a", 11_000, 100), kernel(1, "a", 11_000, 890),
               kernel(0, "a", 11_990, 10), kernel(1, "a", 11_990, 10),
               kernel(0, "Memcpy HtoD (Pinned -> Device)", 11_500, 50, category="gpu_memcpy")]
    return [*steps, *kernels, *more]


def trace(events):
    return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()


BROKEN = {"ph": "X", "cat": "kernel", "name": "broken", "pid": 0, "tid": 7, "ts": 10_000, "dur": -5, "args": {"device": 0, "stream": 7}}
OF_KERNELS = ("ops", "bubbles", "steps", "collectives", "report", "info")


class TwoConditions(Case):
    def setUp(self):
        super().setUp()
        self.sound = self.write("sound.json", trace(rank()))
        self.damaged = self.write("damaged.json", trace(rank(BROKEN)))
        self.unreadable = self.write("unreadable.json", b'{"traceEvents": [{"ph"')
        self.incomplete = self.write("incomplete.xplane.pb", small_tpu(errors=["a buffer was full"]))

    def check(self, status, *arguments, words=(), **more):
        with self.subTest(arguments=" ".join(map(str, arguments))[-100:]):
            outcome = run(*arguments, **more)
            self.assertEqual(outcome.status, status, outcome.out[:300] + outcome.err)
            for word in words:
                self.assertIn(word, outcome.err)
            return outcome

    # ---- exit status ----

    def test_damage_counts_more_than_a_condition(self):
        for command in OF_KERNELS:
            self.check(5, command, self.damaged, "--fail-on", "idle>0%")
            self.check(4, command, self.damaged, "--fail-on", "idle>0%", "--strict")
            self.check(5, command, self.damaged, "--fail-on", "idle>0%", "--json")
            self.check(4, command, self.damaged, "--fail-on", "idle>0%", "--json", "--strict")
            self.check(4, command, self.unreadable, "--fail-on", "idle>0%")

    def test_two_conditions_are_both_said(self):
        said = self.check(1, "info", self.incomplete, "--fail-on", "incomplete,idle>0%", words=["incomplete: ", "idle>0%: "])
        self.assertEqual(said.err.count("\n"), 2)
        self.check(1, "info", self.incomplete, "--fail-on", "idle>100%,incomplete", words=["incomplete: "])
        self.check(1, "info", self.incomplete, "--fail-on", "incomplete,idle>100%", words=["incomplete: "])
        self.check(0, "info", self.sound, "--fail-on", "incomplete,idle>100%")

    def test_a_damaged_module_and_an_output(self):
        """Nothing of it is intact: one status as text and as a document, and no file."""
        path, out = self.scratch / "cut.hlo_proto.pb", self.scratch / "out.json"
        path.write_bytes(b"\x0a\x7fjit")  # 127 bytes are announced
        for more, said in (((), "damaged"), (("--json",), "the document says where"), (("--json", "-o", out), "no file was written")):
            done = run("memory", path, *more)
            self.check_status(done, 4)
            self.assertIn(said, done.err)
            self.assertFalse(out.exists())

    def test_what_fits_nothing(self):
        """Counts more than a condition, and less than damage."""
        for command in ("ops", "bubbles", "steps"):
            self.check(2, command, self.sound, "--plane", "GPU 7", "--fail-on", "idle>0%")
            self.check(2, command, self.sound, "--step", 7, "--fail-on", "idle>0%")
        self.check(3, "ops", self.scratch / "nowhere", "--plane", "GPU 7", "--fail-on", "idle>0%")
        self.check(2, "ops", self.scratch / "nowhere", "--fail-on", "idle>101%")
        self.check(2, "ops", self.unreadable, "--step", "first")

    def test_an_absent_slice_and_a_condition(self):
        self.check(0, "modules", self.sound)
        self.check(1, "modules", self.sound, "--fail-on", "idle>0%", words=["idle>0%: "])
        self.check(1, "modules", self.incomplete, "--fail-on", "incomplete", words=["incomplete: "])

    def test_conditions_are_of_what_was_asked_for(self):
        """Of one device, of one step, and never of the time outside of steps."""
        idle = {("GPU 0", 0): 10, ("GPU 0", 1): 84, ("GPU 1", 0): 90, ("GPU 1", 1): 10}
        for (device, step), percent in idle.items():
            for command in ("ops", "bubbles"):
                asked = [command, self.sound, "--plane", device, "--step", step, "--fail-on"]
                self.check(0, *asked, f"idle>{percent}%")
                self.check(1, *asked, f"idle>{percent - 1}.9999%", words=[f"{percent}.0 %"])
        for device, percent in (("GPU 0", 47), ("GPU 1", 50)):
            self.check(0, "ops", self.sound, "--plane", device, "--fail-on", f"idle>{percent}%")
            self.check(1, "ops", self.sound, "--plane", device, "--fail-on", f"idle>{percent - 0.0001}%")
        for step, percent in ((0, 50), (1, 47)):
            self.check(0, "ops", self.sound, "--step", step, "--fail-on", f"idle>{percent}%")
            self.check(1, "ops", self.sound, "--step", step, "--fail-on", f"idle>{percent - 0.0001}%")
        # A copy that nothing hides is exposed, too.
        self.check(0, "ops", self.sound, "--fail-on", "exposed>1.25%")
        self.check(1, "ops", self.sound, "--fail-on", "exposed>1.2499%")
        self.check(1, "ops", self.sound, "--fail-on", "cause:exposed_copy>1.2499%")
        self.check(0, "ops", self.sound, "--fail-on", "cause:exposed_comm>0%")

    def test_equal_damage_of_two_files(self):
        """Files that are damaged alike are both named, each once."""
        for name in ("a", "b"):
            self.write(f"both/{name}.xplane.pb", small_tpu()[:-30])
        why = "damaged XSpace at byte 0: the file ends inside a plane"
        for command in COMMANDS:
            said = self.check(5, command, self.scratch / "both").err
            self.assertEqual([line for line in said.splitlines() if "damaged" in line],
                             [f"profkit: damaged: {self.scratch}/both/{name}.xplane.pb: {why}" for name in ("a", "b")], command)

    # ---- output that cannot be written ----

    def test_a_document_of_nothing_and_a_file(self):
        """It is no reason to replace a file, nor to make one."""
        cut = self.write("cut.hlo_proto.pb", hlo.proto("jit_f", 1)[:20])
        printed = json.loads(self.check(4, "memory", cut, "--json").out)
        self.assertEqual((printed["status"], printed["code"], printed["modules"][0]["has_buffer_assignment"]), ("error", "damaged", False))
        kept = self.write("kept.json", b"something")
        for output in (kept, self.scratch / "new.json"):
            self.assertEqual(self.check(4, "memory", cut, "--json", "-o", output, words=["nothing of the capture is intact"]).out, "")
        self.assertEqual(kept.read_bytes(), b"something")
        self.assertEqual(sorted(p.name for p in self.scratch.iterdir()),
                         ["cut.hlo_proto.pb", "damaged.json", "incomplete.xplane.pb", "kept.json", "sound.json", "unreadable.json"])
        # What holds a part does.
        self.check(5, "info", cut, "--json", "-o", kept)
        self.assertEqual(json.loads(kept.read_bytes())["status"], "partial")

    def test_output_that_fails_late(self):
        """Counts more than what was found."""
        if not FULL.exists():
            self.skipTest("there is no /dev/full")
        for command in (*COMMANDS, "rows", "dump", "sql", "fleet", "validate", "export"):
            more = {"rows": ["ops"], "sql": ["select * from ops"], "export": ["--format", "csv"]}.get(command, [])
            with self.subTest(command=command), FULL.open("wb") as full:
                outcome = run(command, TPU, *more, stdout=full)
                if "was built without" not in outcome.err:
                    self.assertEqual((outcome.status, "No space left" in outcome.err), (4, True), outcome.err)
        for path, more in ((self.sound, ["--fail-on", "idle>0%"]), (self.damaged, []), (self.damaged, ["--json"])):
            with FULL.open("wb") as full:
                self.check(4, "ops", path, *more, stdout=full, words=["No space left"])

    def test_a_file_beside_that_cannot_be_written(self):
        nowhere = self.scratch / "no folder" / "x.svg"
        for path in (self.sound, self.damaged):
            outcome = self.check(4, "bubbles", path, "--svg", nowhere, "--fail-on", "idle>0%", words=["no folder"])
            self.assertIn("Steps", outcome.out)  # the answer comes first
        self.check(4, "ops", self.sound, "-o", self.scratch / "no folder" / "x.txt")
        self.assertFalse((self.scratch / "no folder").exists())

    # ---- outputs and inputs ----

    def overwrite(self, name, command, option, *more, paths=()):
        """The command with an output that is its input, by its name and by others for the same file; the input stays."""
        source = self.scratch / name
        was = source.read_bytes()
        link, hard = self.scratch / f"link-{name}", self.scratch / f"hard-{name}"
        if not link.exists():
            link.symlink_to(source)
            os.link(source, hard)
        for output in (source, self.scratch / "." / name, link, hard):
            self.check(2, command, *(paths or [source]), *more, option, output, words=["the output file is a file of the capture"])
            self.assertEqual(source.read_bytes(), was)
        self.assertEqual(sorted(p.name for p in self.scratch.iterdir() if p.name.startswith(".")), [])

    def test_an_output_that_is_the_input(self):
        shutil.copyfile(TPU, self.scratch / "t.xplane.pb")
        for command in (*COMMANDS, "dump", "validate"):
            self.overwrite("t.xplane.pb", command, "-o")
            if command not in ("dump",):
                self.overwrite("t.xplane.pb", command, "-o", "--json")
        self.overwrite("t.xplane.pb", "rows", "-o", "ops")
        self.overwrite("t.xplane.pb", "export", "-o", "--format", "csv")
        for command in ("bubbles", "memory", "roofline", "architecture", "framework", "validate"):
            self.overwrite("t.xplane.pb", command, "--svg")
        self.overwrite("t.xplane.pb", "validate", "--csv")
        self.overwrite("t.xplane.pb", "info", "--aliases", "--redact")
        self.overwrite("t.xplane.pb", "info", "-o", "--redact")

    @needs("sql")
    def test_an_output_that_is_the_input_of_sql(self):
        shutil.copyfile(TPU, self.scratch / "t.xplane.pb")
        self.overwrite("t.xplane.pb", "sql", "-o", "select * from ops")
        self.overwrite("t.xplane.pb", "fleet", "-o")

    def test_a_merge_over_its_inputs(self):
        for n in (0, 1):
            self.write(f"node{n}.xplane.pb", small_tpu())
        both = [self.scratch / f"node{n}.xplane.pb" for n in (0, 1)]
        offsets = self.write("offsets.jsonl", b'{"node": 0, "offset_ns": 0}\n')
        plain = ["--no-correction", "-o", self.scratch / "out.xplane.pb"]
        for name in ("node0.xplane.pb", "node1.xplane.pb"):
            self.overwrite(name, "merge", "-o", "--no-correction", paths=both)
            self.overwrite(name, "merge", "--svg", *plain, paths=both)
            self.overwrite(name, "merge", "--write-offsets", *plain, paths=both)
        self.check(2, "merge", *both, "--offsets", offsets, "--write-offsets", offsets, "-o", self.scratch / "out.xplane.pb")
        self.assertEqual(offsets.read_bytes(), b'{"node": 0, "offset_ns": 0}\n')
        self.assertFalse((self.scratch / "out.xplane.pb").exists())

    def test_two_outputs_in_one_file(self):
        """The second would replace the first."""
        shutil.copyfile(TPU, self.scratch / "t.xplane.pb")
        both, capture = self.scratch / "both", self.scratch / "t.xplane.pb"
        asked = [("bubbles", ["--svg"]), ("memory", ["--svg"]), ("roofline", ["--svg"]), ("framework", ["--svg"]), ("architecture", ["--svg"]),
                 ("validate", ["--csv"]), ("validate", ["--svg"]), ("info", ["--redact", "--aliases"]), ("export", ["--redact", "--aliases"]),
                 ("merge", ["--svg"]), ("merge", ["--write-offsets"])]
        for command, more in asked:
            for second in (both, self.scratch / "." / "both"):
                self.check(2, command, capture, "-o", both, *more, second, words=[f"--output and {more[-1]} name the same file"])
                self.assertFalse(both.exists())
        self.check(0, "bubbles", capture, "-o", "/dev/null", "--svg", "/dev/null")


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
