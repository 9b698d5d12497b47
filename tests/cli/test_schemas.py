#!/usr/bin/env python3
"""Every JSON document of every command, under each of its options, is as docs/schemas says: test_schemas.py PROFKIT.

Options are those that `--help` lists: a new one with a value stands in VALUES, or this test fails."""
import json
import pathlib
import re
import sys
import unittest

import harness
from harness import CPU_RUN, DATA, LEFT_OUT, ROOT, TPU, Case, run

sys.path.insert(0, str(pathlib.Path(ROOT) / "tests" / "golden"))
from validate_documents import validators  # noqa: E402  pylint: disable=wrong-import-position

NEUTRINO = DATA / "neutrino" / "block_sched"
KINETO = sorted((DATA / "kineto").glob("*.json*"))[0]
CAPTURES = {"neutrino": [NEUTRINO], "validate": [CPU_RUN]}
NO_DOCUMENT = {"export", "rows", "dump", "merge", "sql", "fleet", "diff"}   # of one capture; these have documents of their own, tested beside them
# What is written is no document then, or elsewhere.
OTHER_OUTPUT = {"--help", "--output", "--csv", "--svg", "--markdown", "--json", "--compat", "--color", "--aliases", "--thresholds"}
SAME_OUTPUT = {"--io", "--quiet", "--run", "--threads", "--version", "--wide"}
VALUES = {
    "--align": ["collectives"], "--as": ["dmat"], "--block": ["0"], "--bound": ["10us"], "--by": ["category", "module,kernel"], "--curve": ["7"],
    "--dump": ["jit_f"], "--fail-on": ["damage"], "--fit": ["16GiB"], "--host": ["nowhere"], "--lane": ["0"], "--launch": ["0"],
    "--limit": ["0", "1"], "--line": ["XLA Ops"], "--map": ["0"], "--module": ["jit_f"], "--name": ["copy"], "--node": ["0"],
    "--persistent-threshold-steps": ["2"], "--plane": ["TPU:0"], "--sort": ["total"], "--space": ["5"], "--step": ["0"],
    "--step-pattern": ["train.*"], "--step-policy": ["last"], "--threshold": ["reportable_gap_us=1"],
    "--time": ["0ns:20s"], "--time-samples": ["5"], "--top": ["2"], "--traces": [], "--what-if": ["remat=fusion"],
    "--window-policy": ["guide"],
}


def options_of(command):
    """[(name, whether it takes a value)] as the help lists them."""
    found = re.findall(r"^  (?:-\w,)?(--[a-z][a-z-]*)(?: ([A-Z|a-z\[].*?))?(?:  |$)", run(command, "--help").out, re.MULTILINE)
    return [(name, bool(value)) for name, value in found]


class SchemasTest(Case):
    @classmethod
    def setUpClass(cls):
        try:
            cls.checks = validators(pathlib.Path(ROOT) / "docs" / "schemas")
        except ImportError:
            raise unittest.SkipTest("no Python package jsonschema") from None

    def check_document(self, *arguments):
        outcome = run(*arguments)
        self.assertIn(outcome.status, (0, 1, 2, 4, 5), outcome.err)
        if outcome.status == 2 and not outcome.out:
            self.assertIn("hint", outcome.err)   # options that do not go together
            return False
        document = json.loads(outcome.out)
        name = document["schema"].removeprefix("profkit.")
        problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.checks[name].iter_errors(document)]
        self.assertEqual(problems[:5], [])
        return outcome.status != 2

    def test_every_option_of_every_command(self):
        commands = re.findall(r"^  ([a-z]+) {2,}\S", run("--help").out.split("Commands:")[1].split("Examples:")[0], re.MULTILINE)
        checked = 0
        for command in sorted(set(commands) - NO_DOCUMENT):
            if command == "neutrino" and "neutrino" in LEFT_OUT:
                continue
            unknown = [name for name, takes in options_of(command) if takes and name not in VALUES and name not in OTHER_OUTPUT | SAME_OUTPUT]
            self.assertEqual(unknown, [], f"{command}: give each a value in VALUES")
            for path in CAPTURES.get(command, [TPU, KINETO]):
                # The second capture is of another family: as it is, without options.
                for name, takes in [("", False), *(options_of(command) if path != KINETO else [])]:
                    if name in OTHER_OUTPUT or name in SAME_OUTPUT:
                        continue
                    for value in VALUES[name] if takes else [""]:
                        given = [word for word in (name, value) if word]
                        with self.subTest(command=command, path=path.name, options=given):
                            few = [] if name == "--limit" else ["--limit", "5"]
                            checked += self.check_document(command, path, "--json", *few, *given)
        self.assertGreater(checked, 120)

    def test_captures_before_and_after(self):
        if "diff" in LEFT_OUT:
            self.skipTest("built without diff")
        for options in ([], ["--limit", "0"], ["--limit", "1"], ["--fail-on", "step>2%,memory>0%,op:gemm>1%"]):
            for first, second in ((TPU, TPU), (KINETO, TPU), (CPU_RUN, CPU_RUN)):
                with self.subTest(first=first.name, second=second.name, options=options):
                    self.assertTrue(self.check_document("diff", first, second, "--json", *options))
        self.assertTrue(self.check_document("diff", "--before", TPU, TPU, TPU, "--after", TPU, TPU, TPU, "--json"))

    def test_protobuf_messages(self):
        cut = self.write("cut.xplane.pb", TPU.read_bytes()[:-7])
        for path in (TPU, cut, *sorted((DATA / "op_stats").glob("*.pb")), *sorted(CPU_RUN.rglob("*.hlo.pb"))[:1]):
            for options in ((), ("--limit", "1"), ("--type", "raw", "--limit", "2")):
                with self.subTest(path=pathlib.Path(path).name, options=options):
                    self.assertTrue(self.check_document("dump", path, "--json", *options))


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
