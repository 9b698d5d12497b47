#!/usr/bin/env python3
"""What the help, the manual and the README say works, does: test_promises.py PROFKIT [TEST ...]"""
import pathlib
import re
import shlex
import sys
import tempfile

import harness
from harness import COMMANDS, CPU_RUN, DATA, ROOT, TPU, Case, run

TRACE = DATA / "jax" / "mlp_nohlo" / "plugins" / "profile" / "2026_11_21_07_08_37" / "vm.trace.json.gz"
MODULE = CPU_RUN / "dump" / "module_0000.jit_step.cpu_after_optimizations.hlo.pb"
# Where examples that write put it; it goes when the test ends.
REPORTS = tempfile.TemporaryDirectory()
# What stands in the examples for a reader's own files and programs.
OWN = {
    **{name: f"{REPORTS.name}/{name}" for name in ("flame.svg", "memory.svg", "roofline.svg", "stacks.folded", "timeline.svg")},
    "reports/": REPORTS.name + "/", "report.html": REPORTS.name + "/report.html",
    "PATH": TPU, "FILE": MODULE, "logdir": CPU_RUN, "dump/": CPU_RUN / "dump", "vm.xplane.pb": TPU,
    "vm.trace.json.gz": TRACE, "rank0.json.gz": TRACE, "module.hlo_proto.pb": MODULE,
    "ALL_HOSTS.op_stats_v2.pb": MODULE, "unknown.bin": MODULE,
    "rank0_ascend_pt": DATA / "ascend" / "two_ranks" / "rank_0_ascend_pt",
    "train_step": "jit_f", "jit_step": "jit_f", "remat=fusion.3": "remat=copy-start",
}


def examples_of(command):
    """The command lines under "Examples:", without what is said about them."""
    lines = run(command, "--help").out.partition("\nExamples:\n")[2].splitlines()
    return [re.split(r"\s{2,}| \| ", line.strip())[0] for line in lines if line.startswith("  profkit ")]


class PromisesTest(Case):
    def check_runs(self, example):
        words = shlex.split(example)
        self.assertEqual(words[0], "profkit", example)
        outcome = run(*[OWN.get(word, word) for word in words[1:]])
        fine = (0, 1) if "--fit" in words else (0,)
        self.assertIn(outcome.status, fine, f"{example}: {outcome.err}")
        file = pathlib.Path(OWN[words[-1]]) if words[-2] == "-o" else None
        self.assertTrue(file.stat().st_size if file and file.is_file() else outcome.out, example)

    def test_examples_of_the_help(self):
        for command in COMMANDS + ["dump"]:
            examples = examples_of(command)
            self.assertGreaterEqual(len(examples), 2, command)
            for example in examples:
                with self.subTest(example=example):
                    self.check_runs(example)

    def test_examples_of_the_manual(self):
        examples = re.findall(r"(?m)^\.Dl \$ (profkit .*)$", (ROOT / "docs" / "man" / "profkit.1").read_text())
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            with self.subTest(example=example):
                self.check_runs(example)

    def test_options_of_the_readme(self):
        readme = (ROOT / "README.md").read_text()
        options = re.findall(r"--[a-z]+", readme.partition("All take")[2].partition("\n\n")[0])
        self.assertGreaterEqual(len(options), 8)
        for option in options:
            self.assertIn(option, run("ops", "--help").out)

    def test_report_of_the_readme(self):
        readme = (ROOT / "README.md").read_text()
        example = re.search(r"```\n\$ profkit (\S+)\n(.*?)```", readme, re.S)
        printed = run("report", ROOT / example[1]).out.replace(str(ROOT / example[1]), example[1]).splitlines()
        at = 0
        for line in example[2].splitlines():
            if line.strip() == "…":
                continue
            self.assertIn(line, printed[at:])
            at = printed.index(line, at) + 1

    def test_scripts_of_the_readme(self):
        readme = (ROOT / "README.md").read_text()
        for script in set(re.findall(r"\bscripts/[a-z-]+\b", readme)):
            self.assertTrue((ROOT / script).stat().st_mode & 0o100, script)
        for path in set(re.findall(r"`((?:docs|examples|tests)/[\w./-]+)`", readme)):
            self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
