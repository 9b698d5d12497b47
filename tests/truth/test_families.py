"""docs/questions.md: which command answers which kind of capture, and what the others say instead."""
import json
import os
import pathlib
import re
import sys

import hlo
import pair
import truth
from trace_case import AscendCase, KinetoCase

ROOT = pathlib.Path(os.environ["PROFKIT_SOURCE_ROOT"])
TEXT = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("|")]
NOTES = dict(re.findall(r"^(\d+)\. (.+)$", TEXT, re.MULTILINE))


class Families:
    """`column`: of the table."""
    column = ""

    def capture(self, command):  # pylint: disable=unused-argument
        return self.folder

    def test_every_command(self):
        at = ROWS[0].index(self.column)
        for row in ROWS[2:]:
            command = row[0].strip("`")
            path = self.capture(command)
            found = truth.parsed(truth.run(command, path, "--json"))
            with self.subTest(command):
                if row[at] == "yes":
                    self.assertEqual((found["status"], found["reason"]), ("ok", None))
                    continue
                self.assertEqual(found["status"], "absent")
                self.assertEqual(found["reason"], NOTES[row[at]])


class XSpace(Families, pair.PairCase):
    column = "XSpace"


class PyTorch(Families, KinetoCase):
    column = "PyTorch trace"

    def capture(self, command):
        """The two ranks run no collective together."""
        if command != "validate":
            return self.folder
        for rank in (0, 1):
            kernel = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7,
                      "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}
            self.write(f"together/rank{rank}.pt.trace.json", json.dumps(
                {"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": [kernel]}))
        return self.scratch / "together"


class Ascend(Families, AscendCase):
    column = "Ascend folder"


class OtherTrace(Families, truth.Case):
    column = "other trace JSON"

    def capture(self, command):
        return self.write("host.json", '{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"}]}')


class Module(Families, truth.Case):
    column = "HLO module"

    def capture(self, command):
        return self.write("jit_f.hlo_proto.pb", hlo.proto("jit_f", 7))


class Neutrino(Families, truth.Case):
    column = "Neutrino trace"

    def capture(self, command):
        return ROOT / "tests" / "data" / "neutrino" / "block_sched" / "Jun23_121812_4242"


class OpStats(Families, truth.Case):
    column = "OpStats"

    def capture(self, command):
        return ROOT / "tests" / "data" / "op_stats" / "tpu_v6e_inference.ALL_HOSTS.op_stats_v2.pb"


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
