#!/usr/bin/env python3
"""Black-box tests of the command: test_cli.py PROFKIT [TEST ...]"""
import gzip
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import harness
from harness import COMMANDS, CPU_RUN, DATA, GPU, LEFT_OUT, ROOT, TPU, Case, event, event_name, line, needed_corpus, needs, plane, run, small_tpu

ESCAPE = "\x1b["


def mangled(content):
    """What a text conversion makes of a binary file."""
    return content.decode("utf-8", errors="replace").encode()


class UsageTest(Case):
    def test_mistakes_are_told_with_a_hint(self):
        wrong = [
            ["nonsense", TPU], ["report"], ["ops", TPU, "--bogus"], ["ops", TPU, "extra"], ["ops", TPU, "--limit"],
            ["ops", TPU, "--limit", "-3"], ["ops", TPU, "--limit", "ten"], ["ops", TPU, "--limit", "9" * 30],
            ["ops", TPU, "--sort", "color"], ["report", TPU, "--io", "magic"], ["report", TPU, "--color", "blue"],
            ["report", TPU, "--fail-on", "rain"], ["report", TPU, "-j", "0"], ["ops", TPU, "--step", "x"],
            ["report", TPU, "--run", "no_such_run"], ["memory", TPU, "--all-trace", "--step", "1"],
        ]
        for arguments in wrong:
            with self.subTest(arguments=arguments[:1] + arguments[2:]):
                outcome = run(*arguments)
                self.check_status(outcome, 2)
                self.assertEqual(outcome.out, "")
                self.assertRegex(outcome.err, r"^profkit: .*\n  hint: .+\n$")

    def test_times(self):
        for time_text in ["3:4", "5ms", "2ms:1ms", "1.5ps:2ps", "1e3ns:", "1..5ms:", "1fortnight:", "99999999999s:"]:
            with self.subTest(time=time_text):
                self.check_status(run("ops", TPU, "--time", time_text), 2)
        for time_text in ["0:1s", "1.5ms:", ":20s", ":"]:
            with self.subTest(time=time_text):
                self.check_status(run("ops", TPU, f"--time={time_text}"), 0)
        for time_text in ["0.001ns:1ns", "-1s:5us", "10us:20µs"]:  # times, though the first event begins at 483 ms
            with self.subTest(time=time_text):
                self.assertIn("no event is in the time window", run("ops", TPU, f"--time={time_text}").err)

    def test_a_path_without_a_command(self):
        """It asks for the report, with the options of one. What looks like a path and is none is no capture."""
        for options in ([], ["--json"], ["--plane", "TPU:2"]):
            outcome = run(TPU, *options)
            self.check_status(outcome, 0)
            self.assertEqual(outcome.out, run("report", TPU, *options).out)
        self.check_status(run(self.scratch / "nothing"), 3)
        self.check_status(run("nothing.pb"), 3)
        outcome = run("nothing")
        self.check_status(outcome, 2)
        self.assertIn("there is no command 'nothing', and no file or folder", outcome.err)

    def test_what_was_probably_meant(self):
        for arguments, meant in ((("bubles",), "bubbles"), (("ops", TPU, "--jsn"), "--json"), (("ops", TPU, "--line", "XLA Opss"), "XLA Ops"),
                                 (("ops", TPU, "--plane", "TPU;0"), "/device:TPU:0")):
            with self.subTest(arguments=arguments):
                outcome = run(*arguments)
                self.check_status(outcome, 2)
                self.assertIn(f"did you mean '{meant}'?", outcome.err)
        self.assertNotIn("did you mean", run("nothing").err)

    def test_as_wide_as_columns_says(self):
        widest = {columns: max(map(len, run("report", TPU, environment={"COLUMNS": columns}).out.splitlines()[1:4]))
                  for columns in ("70", "100", "7", "wide", "")}
        self.assertLessEqual(widest["70"], 70)
        self.assertGreater(widest["100"], 70)
        self.assertEqual(widest["wide"], widest["100"])
        self.assertEqual(widest[""], widest["100"])
        self.assertLess(widest["7"], widest["70"])   # the least is 60
        for command in ("ops", "bubbles", "report", "roofline", "steps"):
            narrow, wide = (run(command, TPU, environment={"COLUMNS": columns}).out for columns in ("60", "200"))
            self.assertLessEqual(max(map(len, narrow.splitlines())), 60, command)
            self.assertNotIn("no room in", wide)
        columns = {name: run("ops", TPU, environment={"COLUMNS": "60"} if name == "narrow" else {}).out for name in ("narrow", "piped")}
        self.assertIn("no room in 60 columns for: program, category", " ".join(columns["narrow"].split()))
        self.assertRegex(columns["piped"], "(?m)^  op +program +category +count +total +self")

    def test_help(self):
        general = run("--help")
        self.check_status(general, 0)
        self.assertEqual(run().out, general.out)
        self.assertEqual(run("help").out, general.out)
        for command in COMMANDS + ["dump"]:
            with self.subTest(command=command):
                self.assertRegex(general.out, rf"(?m)^  {command} +\S")
                own = run(command, "--help")
                self.check_status(own, 0)
                self.assertRegex(own.out, rf"(?m)^Usage: profkit {command} (PATH|FILE)( \[ID\])? \[OPTIONS\]$")
                self.assertRegex(own.out, rf"(?m)^Examples:\n  profkit {command} ")
                self.assertEqual(own.out, run("help", command).out)
                self.assertLessEqual(max(map(len, own.out.splitlines())), 100)
        self.assertLessEqual(max(map(len, general.out.splitlines())), 100)

    def test_help_asked_in_either_way_is_the_same(self):
        # "help ops --json" asks for help as well: the word after `help` is the command.
        self.assertEqual(run("help", "ops").out, run("ops", "--help").out)
        self.assertNotEqual(run("help", "ops").out, run("--help").out)
        self.check_status(run("help", "nonsense"), 2)

    def test_a_dash_as_output_is_standard_output(self):
        with tempfile.TemporaryDirectory() as folder:
            outcome = run("ops", GPU, "--json", "-o", "-", cwd=folder)
            self.assertEqual(os.listdir(folder), [])
        self.check_status(outcome, 0)
        self.assertEqual(outcome.out, run("ops", GPU, "--json").out)

    def test_a_position_is_named_once(self):
        cut = self.write("cut.xplane.pb", GPU.read_bytes()[:5000])
        line = next(l for l in run("ops", cut).err.splitlines() if "damaged" in l)
        self.assertEqual(len(re.findall(r"byte \d+", line)), 1, line)

    @harness.needs("toml")
    @harness.needs("neutrino")
    def test_an_output_inside_a_trace_folder(self):
        """What the driver of Neutrino wrote is not overwritten; beside and below it there is room."""
        folder = self.scratch / "trace"
        shutil.copytree(DATA / "neutrino" / "block_sched" / "Jun23_121812_4242", folder)
        before = (folder / "probe.toml").read_bytes()
        for name in ["probe.toml", "event.log", "result/new.json", "./result/new.json"]:
            with self.subTest(name=name):
                outcome = run("neutrino", folder, "--json", "-o", folder / name)
                self.check_status(outcome, 2)
                self.assertIn("is a file of the capture", outcome.err)
        for name in ["summary.json", "../result.json"]:
            with self.subTest(name=name):
                self.check_status(run("neutrino", folder, "--json", "-o", folder / name), 0)
        self.assertEqual((folder / "probe.toml").read_bytes(), before)

    def test_version(self):
        outcome = run("--version")
        self.check_status(outcome, 0)
        self.assertRegex(outcome.out, r"^profkit \d+\.\d+\.\d+\n$")


class DocumentationTest(Case):
    """What tests/cli/meson.build's `generated` cannot tell: whether other programs take the manual and the completions."""

    def test_manual_is_sound(self):
        manual = ROOT / "docs" / "man" / "profkit.1"
        if shutil.which("mandoc"):
            lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", manual], capture_output=True, text=True, check=False)
            self.assertEqual(lint.stdout + lint.stderr, "")
        elif shutil.which("man"):
            lint = subprocess.run(["man", "--warnings", "-l", manual], capture_output=True, text=True, check=False,
                                  env={**os.environ, "MANPAGER": "cat"})
            self.assertEqual(lint.stderr, "")
        else:
            self.skipTest("no mandoc and no man to check the manual page with")

    def check_syntax(self, shell, name):
        if not shutil.which(shell):
            self.skipTest(f"no {shell} to check the completion of {shell} with")
        finished = subprocess.run([shell, "-n", ROOT / "tools" / "completion" / name], capture_output=True, check=False)
        self.assertEqual((finished.returncode, finished.stderr), (0, b""))

    def test_bash_syntax(self):
        self.check_syntax("bash", "profkit.bash")

    def test_zsh_syntax(self):
        self.check_syntax("zsh", "_profkit")

    def test_fish_syntax(self):
        self.check_syntax("fish", "profkit.fish")

    def completed_in_bash(self, *words):
        """What bash offers for the last of the words after `profkit`."""
        if not shutil.which("bash"):
            self.skipTest("no bash to complete with")
        script = ROOT / "tools" / "completion" / "profkit.bash"
        shell = (f". '{script}'; COMP_WORDS=({shlex.join(['profkit', *words])}); COMP_CWORD={len(words)}; _profkit; "
                 'printf "%s\\n" "${COMPREPLY[@]}"')
        found = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True, cwd=self.scratch)
        return set(found.stdout.split())

    def test_bash_completes(self):
        self.write("trace.pb", b"")
        (self.scratch / "folder").mkdir()
        for words, expected in [
            (["co"], {"collectives"}), (["help", "co"], {"collectives"}), (["ops", "x", "--so"], {"--sort"}),
            (["ops", "x", "--sort", "se"], {"self"}), (["report", "--du"], set()), (["modules", "--du"], {"--dump"}),
            (["dump", "--ty"], {"--type"}), (["export", "x", "--compat", ""], {"xla"}),
            (["ops", "x", "--limit", ""], set()),
            (["ops", ""], {"trace.pb", "folder"}), (["merge", "--run-dir", ""], {"folder"}),
            (["neutrino", "x", "--svg", ""], {"trace.pb", "folder"}), (["neutrino", "x", "sch"], {"schedule"}),
        ]:
            with self.subTest(words=words):
                self.assertEqual(self.completed_in_bash(*words), expected)

    def test_bash_completes_what_the_help_names(self):
        commands = set(re.findall(r"(?m)^  ([a-z]+) ", run("--help").out.partition("\nCommands:\n")[2].partition("\n\n")[0]))
        self.assertLess(set(COMMANDS), commands)
        self.assertEqual(self.completed_in_bash("") - {"help", "--help", "--version"}, commands)
        for command in sorted(commands):
            with self.subTest(command=command):
                named = re.findall(r"(?m)^  (-\S+)", run(command, "--help").out)
                options = {name for names in named for name in names.split(",") if "_" not in name}
                self.assertIn("--output", options)
                self.assertEqual(self.completed_in_bash(command, "-"), options)


class ExitStatusTest(Case):
    def test_not_found(self):
        outcome = run("report", self.scratch / "nothing.xplane.pb")
        self.check_status(outcome, 3)
        self.assertIn("nothing.xplane.pb", outcome.err)

    def test_permission(self):
        path = self.write("secret.xplane.pb", small_tpu())
        path.chmod(0)
        more = {}
        if os.geteuid() == 0:
            self.scratch.chmod(0o755)
            more = {"user": 65534, "group": 65534, "extra_groups": []}
            try:
                self.check_status(run("--version", **more), 0)
            except (OSError, AssertionError):
                self.skipTest("this is root, and another user cannot run the command")
        outcome = run("report", path, **more)
        self.check_status(outcome, 4)
        self.assertRegex(outcome.err, "(?i)permission|allow")

    def test_text_mangled(self):
        path = self.write("mangled.xplane.pb", mangled(TPU.read_bytes()))
        for command in ["report", "ops"]:
            outcome = run(command, path)
            self.check_status(outcome, 4)
            self.assertRegex(outcome.err, "(?i)text conversion|as text|EF BF BD")

    def test_empty_file(self):
        path = self.write("empty.xplane.pb", b"")
        for command in ["report", "info"]:
            outcome = run(command, path)
            self.check_status(outcome, 4)
            self.assertIn("the file is empty", outcome.err)

    def test_a_folder_of_files_that_are_known_and_not_read(self):
        for name, content in (("a", b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"), ("b", b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"), ("c", b"what")):
            self.write(f"run/{name}", content)
        outcome = run("report", self.scratch / "run")
        self.check_status(outcome, 3)
        self.assertIn("3 files looked at, none recognised", outcome.err)
        self.assertIn("; not read: a Riegeli file (2 files)", outcome.err)
        self.assertIn("hint: Unpack its records", outcome.err)

    def test_files_beside_a_capture_that_are_not_read(self):
        self.write("run/a.xplane.pb", TPU.read_bytes())
        self.assertNotIn("not_read", json.loads(run("info", self.scratch / "run", "--json").out))
        self.assertNotIn("not read", run("info", self.scratch / "run").out)
        for name in ("b.riegeli", "notes.txt", "o", "p"):
            self.write(f"run/{name}", b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f")
        found = json.loads(run("info", self.scratch / "run", "--json").out)["not_read"]
        self.assertEqual(found, {"files": 4, "paths": [str(self.scratch / "run" / name) for name in ("b.riegeli", "notes.txt", "o", "p")]})
        self.assertIn("\n  4 files not read (b.riegeli, notes.txt, o, …); --why says why\n", run("info", self.scratch / "run").out)
        self.assertEqual(json.loads(run("report", self.scratch / "run", "--json").out)["info"]["not_read"], found)

    def test_empty_directory(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                outcome = run(command, self.scratch)
                self.check_status(outcome, 3)
                self.assertIn("no profile in", outcome.err)

    def test_directory_of_strangers(self):
        self.write("notes.txt", b"nothing to see")
        outcome = run("report", self.scratch)
        self.check_status(outcome, 3)
        self.assertIn("notes.txt", outcome.err)

    def test_a_stranger(self):
        path = self.write("README.md", b"# Nothing that a profiler wrote\n" * 20)
        outcome = run("report", path)
        self.check_status(outcome, 4)
        self.assertIn("no reader knows", outcome.err)
        self.assertIn("profkit dump", outcome.err)

    def test_truncated_keeps_what_is_intact(self):
        whole = TPU.read_bytes()
        path = self.write("cut.xplane.pb", whole[:500_000])
        for command in ["report", "info", "tree", "ops"]:
            with self.subTest(command=command):
                outcome = run(command, path)
                self.check_status(outcome, 5)
                self.assertIn("TPU:0", outcome.out)
                self.assertIn("damaged", outcome.err)
                self.assertRegex(outcome.err, r"byte \d|offset \d|\d{3}")
        self.check_status(run("info", path, "--strict"), 4)
        self.check_status(run("info", path, "--strict", "--json"), 4)
        self.check_status(run("info", path, "--json"), 5)

    def test_one_bad_file_of_two(self):
        self.write("run/a.xplane.pb", small_tpu())
        self.write("run/b.xplane.pb", mangled(TPU.read_bytes()))
        outcome = run("ops", self.scratch / "run")
        self.check_status(outcome, 5)
        self.assertIn("fusion.1", outcome.out)
        self.assertIn("b.xplane.pb", outcome.err)
        self.check_status(run("ops", self.scratch / "run", "--json"), 5)
        self.check_status(run("ops", self.scratch / "run", "--strict"), 4)

    def test_fail_on_incomplete(self):
        whole = self.write("whole.xplane.pb", small_tpu())
        lossy = self.write("lossy.xplane.pb", small_tpu(errors=["dropped 17 buffers"]))
        self.check_status(run("report", whole, "--fail-on", "incomplete"), 0)
        self.check_status(run("report", lossy), 0)
        for extra in [[], ["--json"]]:
            outcome = run("info", lossy, "--fail-on", "incomplete", *extra)
            self.check_status(outcome, 1)
            self.assertIn("dropped 17 buffers", outcome.err)

    def test_absent_slices_are_fine(self):
        path = self.write("host.xplane.pb", harness.plane(0, "/host:CPU"))
        for command in ["steps", "ops", "modules", "collectives"]:
            with self.subTest(command=command):
                outcome = run(command, path)
                self.check_status(outcome, 0)
                self.assertRegex(outcome.out, r"^\[absent\] .+\n$")


class RowsTest(Case):
    def test_the_ending_of_the_file_is_what_it_holds(self):
        rows = run("rows", TPU, "steps", "--format", "json").out
        self.assertEqual(run("rows", TPU, "steps", "--json").out, rows)
        for ending in ("jsonl", "ndjson", "json"):
            path = self.scratch / f"steps.{ending}"
            self.check_status(run("rows", TPU, "steps", "-o", path), 0)
            self.assertEqual(path.read_text(), rows)
        for ending in ("parquet", "arrow", "feather", "tsv"):
            path = self.scratch / f"steps.{ending}"
            outcome = run("rows", TPU, "steps", "-o", path)
            self.check_status(outcome, 2)
            self.assertIn(f"not as .{ending}", outcome.err)
            self.assertFalse(path.exists())
        self.check_status(run("rows", TPU, "steps", "-o", self.scratch / "steps.tsv", "--format", "csv"), 0)

    def test_a_row_is_a_line(self):
        ops = line(3, "XLA Ops", [event(1, 0, 10)])
        path = self.write("a.xplane.pb", plane(1, "/device:TPU:0", ops, event_name(1, "a\nb\r\"c\"")))
        rows = run("rows", path, "ops", "--columns", "name").out
        self.assertEqual(rows, 'name\r\n"a\\nb\\r""c"""\r\n')
        if "sql" not in LEFT_OUT:
            self.assertEqual(run("sql", path, "select name from ops", "--format", "csv").out, rows)


class JsonTest(Case):
    def test_every_document_parses(self):
        for path in [TPU, GPU, CPU_RUN]:
            for command in COMMANDS:
                with self.subTest(command=command, path=path.name):
                    outcome = run(command, path, "--json")
                    document = json.loads(outcome.out)
                    left_out = command == "architecture" and "model" in LEFT_OUT
                    self.check_status(outcome, 4 if left_out else 0)
                    self.assertIn(document["status"], ("error",) if left_out else ("ok", "absent"))
                    self.assertIn("schema", document)
                    self.assertIn("version", document)
                    self.assertIn("reason", document)

    def test_errors_are_documents(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                outcome = run(command, self.scratch / "nothing", "--json")
                self.check_status(outcome, 3)
                document = json.loads(outcome.out)
                self.assertEqual(document["status"], "error")
                self.assertEqual(document["code"], "not_found")
                self.assertIn("nothing", document["message"] + str(document["path"]))
                self.assertIn("hint", document)
                self.assertNotEqual(outcome.err, "")

    @needs("clusters")
    def test_errors_of_commands_on_several_captures_are_documents(self):
        gone = self.scratch / "nothing"
        for name, command in (("validate", ["validate", gone]), ("validate", ["validate", gone, gone]),
                              ("merge", ["merge", "--traces", gone, "-o", self.scratch / "all.xspace"])):
            outcome = run(*command, "--json")
            self.check_status(outcome, 3)
            document = json.loads(outcome.out)
            self.assertEqual((document["schema"], document["version"], document["status"], document["code"], document["path"]),
                             (f"profkit.{name}", 1, "error", "not_found", str(gone)))
            self.assertEqual(document["reason"], document["message"])
            self.assertIn(document["message"], outcome.err)
            self.check_schema(document, name)

    def test_ops_document_has_all_rows_unless_limited(self):
        document = json.loads(run("ops", TPU, "--json").out)
        self.assertEqual([len(line["ops"]) for line in document["lines"]], [17, 16, 16, 16])
        document = json.loads(run("ops", TPU, "--json", "--limit", "3").out)
        self.assertEqual([len(line["ops"]) for line in document["lines"]], [3, 3, 3, 3])


class TextTest(Case):
    def check_screen(self, path):
        outcome = run("report", path)
        self.assertIn(outcome.status, (0, 5), outcome.err)
        lines = outcome.out.splitlines()
        self.assertLessEqual(len(lines), 60)
        for row in lines:
            self.assertLessEqual(len(row), 100, row)
            self.assertEqual(row, row.rstrip(), "blanks at the end of a line")
        return outcome.out

    def test_reports_fit_one_screen(self):
        self.assertIn("TPU v6 Lite", self.check_screen(TPU))
        self.assertIn("AMD GPU", self.check_screen(GPU))
        self.assertIn("JAX 0.10.2", self.check_screen(CPU_RUN))
        self.check_screen(DATA / "jax")

    def test_reports_of_the_corpus_fit_one_screen(self):
        folder = needed_corpus()
        # What belongs to the corpus by its name: whatever else lies beside it is none of this test's business.
        parts = ["xspace/*.xplane.pb", "kineto/*.json*", "kineto/torch_cpu/*.json*", "kineto/dlrm_8_ranks", "hlo/*.pb"]
        paths = [p for part in parts for p in sorted(folder.glob(part))]
        paths += sorted({folder / "jax" / p.relative_to(folder / "jax").parts[0]
                         for p in (folder / "jax").glob("**/*.xplane.pb")})
        self.assertGreater(len(paths), 20)
        for path in paths:
            if "MUST_REJECT" in path.name:
                continue
            with self.subTest(path=path.name):
                self.check_screen(path)

    def test_the_rejected_capture_of_the_corpus(self):
        folder = needed_corpus()
        outcome = run("report", folder / "xspace" / "MUST_REJECT_tpu_text_mangled.xplane.pb")
        self.check_status(outcome, 4)
        self.assertEqual(outcome.out, "")

    def test_numbers_of_the_report(self):
        report = run("report", TPU).out
        for fact in ["4 × TPU v6 Lite", "26,723 events", "copy-done.4", "jit_f(12190760917235803885)", "2025-03-11"]:
            self.assertIn(fact, report)

    def test_limits_tell_the_total(self):
        for command in ["tree", "metadata", "steps", "ops", "modules", "framework", "collectives"]:
            with self.subTest(command=command):
                limited = run(command, TPU, "--limit", "1")
                self.check_status(limited, 0)
                self.assertRegex(limited.out, r"… [\d,]+ more \(--limit 0 shows all\)")
                self.assertNotIn("--limit 0", run(command, TPU, "--limit", "0", "--plane", "TPU:1").out)
        self.assertIn("… 16 more", run("ops", TPU, "--limit", "1", "--plane", "TPU:0").out)

    def test_names_are_escaped(self):
        path = self.write("evil.xplane.pb", small_tpu(names=(b"red \x1b[31m\xff\x00", "new\nline \u202e")))
        for command in ["report", "ops", "tree", "metadata"]:
            with self.subTest(command=command):
                outcome = run(command, path)
                self.check_status(outcome, 0)
                self.assertNotIn("\x1b", outcome.out)
                self.assertNotIn("\u202e", outcome.out)
                self.assertIn(r"\x1b", outcome.out)
        self.assertEqual(json.loads(run("ops", path, "--json").out)["status"], "ok")

    def test_ids_without_an_entry(self):
        ops = [harness.event(1, 1000, 500), harness.event(77, 2000, 100), harness.event(-5, 3000, 50)]
        path = self.write("a.xplane.pb", harness.plane(1, "/device:TPU:0", harness.line(3, "XLA Ops", ops),
                                                       harness.event_name(1, "fusion")))
        for command in ["report", "ops", "tree"]:
            outcome = run(command, path)
            self.check_status(outcome, 0)
            for name in ["fusion", "#77", "#-5"]:
                self.assertIn(f" {name}", outcome.out)

    def test_wide_shows_whole_names(self):
        name = "kernel_" + "x" * 300
        path = self.write("long.xplane.pb", small_tpu(names=(name, "copy")))
        self.assertNotIn(name, run("ops", path).out)
        self.assertIn(name, run("ops", path, "--wide").out)

    def test_threads_do_not_change_results(self):
        for arguments in (["report", TPU], ["ops", TPU, "--limit", "0"], ["info", GPU, "--json"], ["ops", CPU_RUN, "--json"]):
            one, two = run(*arguments, "-j", "1"), run(*arguments, "-j", "2")
            self.assertEqual((one.status, one.out), (two.status, two.out))

    def test_a_window_holds_less(self):
        whole = json.loads(run("ops", TPU, "--json").out)
        part = json.loads(run("ops", TPU, "--json", "--time", "20s:30s").out)
        count = lambda document: sum(op["count"] for line in document["lines"] for op in line["ops"])
        self.assertLess(0, count(part))
        self.assertLess(count(part), count(whole))

    def test_filters_that_match_nothing_are_the_reason(self):
        for command in ["report", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives"]:
            for option in ["--host", "--plane"]:
                with self.subTest(command=command, option=option):
                    outcome = run(command, TPU, option, "zzz")
                    self.assertIn("name contains 'zzz'", outcome.err)

    def test_the_index_of_a_step_is_what_step_takes(self):
        for extra in [["--name", "psum"], ["--time", "50s:52s"], ["--step", "3"]]:
            steps = json.loads(run("steps", TPU, "--plane", "TPU:0", "--json", *extra).out)["steps"]
            self.assertTrue(steps)
            for step in steps[:3]:
                again = run("steps", TPU, "--plane", "TPU:0", "--step", step["index"], "--json").out
                self.assertEqual(json.loads(again)["steps"], [step])

    def test_a_report_leaves_out_what_cannot_keep_to_its_filters(self):
        whole = json.loads(run("report", TPU, "--json").out)
        self.assertTrue(whole["memory"] and whole["bubbles"])
        part = json.loads(run("report", TPU, "--step", "3", "--json").out)
        self.assertIsNone(part["memory"])
        self.assertEqual(len(part["bubbles"]["steps"]), 4)
        text = run("report", TPU, "--step", "3").out
        self.assertNotRegex(text, r"(?m)^  memory ")
        self.assertIn("these filters leave out that part", " ".join(text.split()))
        part = json.loads(run("report", TPU, "--line", "XLA Ops", "--json").out)
        self.assertIsNone(part["bubbles"])

    def test_halves_of_transfers_have_no_rate(self):
        for line in json.loads(run("ops", TPU, "--json").out)["lines"]:
            for op in line["ops"]:
                if op["bytes_per_s"] is not None:
                    self.assertLess(float(op["bytes_per_s"]), 2 * float(line["peak_hbm_bytes_per_s"]), op["name"])

    def test_filters_keep_names_right(self):
        info = run("info", TPU, "--plane", "TPU:2").out
        self.assertIn("/device:TPU:2", info)
        self.assertNotIn("/device:TPU:1", info)
        self.assertNotIn("plane 0", info)
        report = run("report", TPU, "--plane", "TPU:2").out
        self.assertIn("TPU:2", report)
        self.assertNotIn("TPU:0", report)
        none = run("ops", TPU, "--name", "no such op")
        self.check_status(none, 2)
        self.assertIn("no event, op or module has a name that contains 'no such op'", none.err)

    def test_dump_of_a_module(self):
        outcome = run("modules", TPU, "--dump", "jit_f")
        self.check_status(outcome, 0)
        self.assertIn("parameter", outcome.out)
        self.assertIn("chedule", outcome.out)
        missing = run("modules", TPU, "--dump", "no such module")
        self.check_status(missing, 2)
        self.assertIn("jit_f", missing.err)


    def test_entry_as_json(self):
        outcome = run("modules", TPU, "--dump", "jit_f", "--json")
        self.check_status(outcome, 0)
        document = json.loads(outcome.out)
        entry = document["entry"]
        self.assertEqual(len(document["modules"]), 1)
        self.assertEqual((len(entry["instructions"]), entry["matched"]), (19, 19))
        self.assertEqual(sorted(entry["schedule"]), list(range(19)))
        self.assertNotEqual(entry["schedule"], list(range(19)))
        self.assertEqual(entry["instructions"][0]["opcode"], "parameter")
        limited = json.loads(run("modules", TPU, "--dump", "jit_f", "--json", "--limit", "2").out)["entry"]
        self.assertEqual((len(limited["instructions"]), limited["matched"]), (2, 19))
        missing = run("modules", TPU, "--dump", "no such module", "--json")
        self.check_status(missing, 2)
        self.assertEqual(json.loads(missing.out)["code"], "not_found")


class DumpTest(Case):
    def test_text_and_json(self):
        path = self.write("small.xplane.pb", small_tpu())
        text = run("dump", path)
        self.check_status(text, 0)
        self.assertIn('name: "/device:TPU:0"', text.out)
        document = json.loads(run("dump", path, "--json").out)
        self.assertEqual(document["type"], "XSpace")
        self.assertEqual(document["message"]["planes"][0]["name"], "/device:TPU:0")

    def test_raw(self):
        path = self.write("small.xplane.pb", small_tpu())
        raw = run("dump", path, "--type", "raw").out
        self.assertIn('"/device:TPU:0"', raw)
        self.assertNotIn("planes", raw)

    def test_limit(self):
        limited = run("dump", TPU, "--limit", "1").out
        self.assertIn("104 more events", limited)
        self.assertLess(len(limited), 10_000)

    def test_mistakes(self):
        path = self.write("small.xplane.pb", small_tpu())
        self.check_status(run("dump", path, "--type", "Nonsense"), 2)
        self.check_status(run("dump", self.scratch), 2)
        self.check_status(run("dump", self.scratch / "nothing"), 3)
        trace = run("dump", self.write("a.trace.json", b'{"traceEvents": []}'))
        self.check_status(trace, 2)
        self.assertIn("profkit tree", trace.err)

    def test_damage(self):
        path = self.write("cut.xplane.pb", small_tpu()[:-7])
        outcome = run("dump", path)
        self.check_status(outcome, 5)
        self.assertIn("TPU:0", outcome.out)
        self.assertIn("damaged", outcome.err)
        self.check_status(run("dump", path, "--strict"), 4)
        self.assertEqual(json.loads(run("dump", path, "--json").out)["status"], "partial")

    def test_streams(self):
        outcome = run("dump", "-", input=gzip.compress(small_tpu()))
        self.check_status(outcome, 0)
        self.assertIn("TPU:0", outcome.out)
        target = self.scratch / "out.txt"
        self.check_status(run("dump", TPU, "-o", target), 0)
        self.assertEqual(target.read_text(), run("dump", TPU).out)


class StreamTest(Case):
    def test_standard_input(self):
        content = GPU.read_bytes()
        for data in (content, gzip.compress(content)):
            for command in ("report", "info", "ops"):
                outcome = run(command, "-", input=data)
                self.check_status(outcome, 0)
                self.assertEqual(outcome.err, "")
                self.assertIn("GPU:0", outcome.out)

    def test_a_named_pipe(self):
        path = self.scratch / "p.xplane.pb"
        os.mkfifo(path)
        with self.subTest("that somebody writes into is read once"):
            writer = threading.Thread(target=path.write_bytes, args=(GPU.read_bytes(),))
            writer.start()
            outcome = run("ops", path)
            writer.join()
            self.assertEqual((outcome.status, outcome.err), (0, ""))
            self.assertEqual(outcome.out, run("ops", GPU).out)
        with self.subTest("that nobody writes into is not waited for"):
            outcome = run("ops", path)
            self.check_status(outcome, 4)
            self.assertIn("no program writes to this pipe", outcome.err)
            self.assertIn("hint: start what writes into it first", outcome.err)
        with self.subTest("without a byte"):
            writer = threading.Thread(target=path.write_bytes, args=(b"",))
            writer.start()
            outcome = run("ops", path)
            writer.join()
            self.check_status(outcome, 4)
        path.unlink()
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            outcome = run("ops", path)
        self.check_status(outcome, 4)
        self.assertIn("this is a socket, which is not read", outcome.err)

    def test_pipes_in_a_folder_are_not_opened(self):
        os.mkfifo(self.scratch / "a.xplane.pb")
        os.mkfifo(self.scratch / "notes")
        for command in harness.COMMANDS:
            outcome = run(command, self.scratch)
            self.check_status(outcome, 4)
            self.assertIn("a.xplane.pb: a named pipe in a folder, which is not read", outcome.err)
            self.assertIn("hint: name the pipe itself", outcome.err)
        why = run("info", "--why", self.scratch)
        self.check_status(why, 3)
        self.assertEqual(why.out.count("a named pipe in a folder, which is not read"), 2)
        shutil.copy(GPU, self.scratch / "b.xplane.pb")
        for command in ("info", "ops", "report"):
            outcome = run(command, self.scratch)
            self.check_status(outcome, 5)
            self.assertIn("GPU:0", outcome.out)
            self.assertIn("a.xplane.pb: a named pipe in a folder", outcome.err)

    def test_what_begins_with_damage_is_not_read_to_its_end(self):
        path = self.scratch / "endless.xplane.pb"
        path.symlink_to("/dev/zero")
        for command in ["report", "info", "ops", "memory"]:
            with self.subTest(command=command):
                outcome = run(command, path)
                self.check_status(outcome, 4)
                self.assertRegex(outcome.err, "byte 0|no reader knows these bytes")
                self.assertNotIn("intact", outcome.err)

    def test_a_reader_that_leaves(self):
        pipe = subprocess.Popen([harness.PROFKIT, "tree", TPU, "--limit", "0"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        pipe.stdout.read(100)
        pipe.stdout.close()
        self.assertEqual(pipe.stderr.read(), b"")
        pipe.stderr.close()
        self.assertEqual(pipe.wait(timeout=60), -13)

    def test_output_file(self):
        target = self.scratch / "report.txt"
        outcome = run("report", GPU, "-o", target)
        self.check_status(outcome, 0)
        self.assertEqual(outcome.out, "")
        self.assertEqual(target.read_text(), run("report", GPU).out)
        self.assertEqual(os.listdir(self.scratch), ["report.txt"])

    def test_output_that_cannot_be_written(self):
        for arguments in (["tree", TPU, "--limit", "0"], ["ops", TPU, "--json"]):
            outcome = run(*arguments, "-o", "/dev/full")
            self.check_status(outcome, 4)
            self.assertRegex(outcome.err, "(?i)space|full")
        outcome = run("report", TPU, "-o", self.scratch / "no" / "such" / "folder")
        self.check_status(outcome, 4)
        with open("/dev/full", "wb") as full:
            self.check_status(run("tree", TPU, "--limit", "0", stdout=full), 4)

    def test_a_failure_leaves_the_output_file_alone(self):
        target = self.write("out.json", b"precious")
        path = self.write("mangled.xplane.pb", mangled(TPU.read_bytes()))
        for extra in [[], ["--json"]]:
            self.check_status(run("report", path, "-o", target, *extra), 4)
            self.assertEqual(target.read_bytes(), b"precious")
        self.assertEqual(sorted(os.listdir(self.scratch)), ["mangled.xplane.pb", "out.json"])

    def test_the_input_is_never_the_output(self):
        path = self.write("a.xplane.pb", small_tpu())
        (self.scratch / "link").symlink_to(path)
        for target in (path, self.scratch / "link"):
            self.check_status(run("report", path, "-o", target), 2)
            self.assertEqual(path.read_bytes(), small_tpu())

    def on_a_terminal(self, *arguments, environment=None):
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        env.update({"TERM": "xterm", **(environment or {})})
        shown, status = harness.shown_on_terminal(lambda terminal: subprocess.Popen(
            [harness.PROFKIT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=env))
        self.assertEqual(status, 0)
        return shown.decode()

    def test_course_of_steps(self):
        """On a terminal, a bar a step, or the longest of neighbours; never elsewhere."""
        bars = "▁▂▃▄▅▆▇█"
        lengths = [500, 500, 1000, 500, 250]
        for repeat in (1, 9):
            events, at = [], 0
            for number, length in enumerate(length for length in lengths for _ in range(repeat)):
                events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 9, "tid": 1, "ts": at,
                               "dur": length, "args": {}})
                events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 1, "ts": at + 5, "dur": 10, "args": {}})
                at += length
            path = self.scratch / "steps.pt.trace.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            shown = re.search(f"[{bars}]+", self.on_a_terminal("report", path))
            self.assertIsNotNone(shown)
            self.assertEqual(shown[0], "▄▄█▄▂" if repeat == 1 else "▄▄▄▄▄▄▄▄████▄▄▄▄▂▂▂▂")
            self.assertNotRegex(run("report", path).out, f"[{bars}]")

    def test_color(self):
        self.assertNotIn(ESCAPE, run("report", GPU).out)
        self.assertIn(ESCAPE, run("report", GPU, "--color", "always").out)
        self.assertIn(ESCAPE, self.on_a_terminal("report", GPU))
        self.assertNotIn(ESCAPE, self.on_a_terminal("report", GPU, "--color", "never"))
        self.assertNotIn(ESCAPE, self.on_a_terminal("report", GPU, environment={"NO_COLOR": "1"}))
        self.assertNotIn(ESCAPE, self.on_a_terminal("report", GPU, environment={"TERM": "dumb"}))
        self.assertIn(ESCAPE, self.on_a_terminal("report", GPU, "--color", "always", environment={"NO_COLOR": "1"}))


class RunsTest(Case):
    def setUp(self):
        super().setUp()
        for name, op in (("2025_01_01_00_00_00", "old.op"), ("2026_01_01_00_00_00", "new.op")):
            self.write(f"plugins/profile/{name}/vm.xplane.pb", small_tpu(names=(op, "copy")))

    def test_newest_by_default(self):
        outcome = run("ops", self.scratch)
        self.check_status(outcome, 0)
        self.assertIn("new.op", outcome.out)
        self.assertNotIn("old.op", outcome.out)
        self.assertIn("2025_01_01_00_00_00", run("report", self.scratch).out)

    def test_by_name(self):
        outcome = run("ops", self.scratch, "--run", "2025_01_01_00_00_00")
        self.check_status(outcome, 0)
        self.assertIn("old.op", outcome.out)

    def test_all(self):
        outcome = run("ops", self.scratch, "--run", "all")
        self.check_status(outcome, 0)
        self.assertIn("old.op", outcome.out)
        self.assertIn("new.op", outcome.out)

    def test_unknown(self):
        outcome = run("ops", self.scratch, "--run", "1999")
        self.check_status(outcome, 2)
        self.assertIn("2025_01_01_00_00_00", outcome.err)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
