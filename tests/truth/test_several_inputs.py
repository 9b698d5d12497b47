#!/usr/bin/env python3
"""Commands over several captures: which of their outputs gets what, and the status when one of them is not there, is damaged, or has what
--fail-on looks for."""
import json
import os
import subprocess
import sys

import truth
from ranks import RanksCase, call


def rank_events(late_us):
    """Calls of rank 0 end 10 us after they began; rank 1 begins so much after that end, or before it."""
    return {0: [call("allreduce", at, at + 10, Seq=at) for at in (100, 500)],
            1: [call("allreduce", at + 10 + late_us, at + 40 + late_us, Seq=at) for at in (100, 500)]}


class SeveralInputs(RanksCase):
    def setUp(self):
        super().setUp()
        self.paths = self.ranks(5)

    def ranks(self, late_us):
        return [self.rank(rank, events, host=f"host{rank}").name for rank, events in rank_events(late_us).items()]

    def run_here(self, *words, status=0):
        done = subprocess.run([truth.PROFKIT, *map(str, words)], cwd=self.scratch, check=False, timeout=60, capture_output=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        return done.stdout.decode(), done.stderr.decode()

    def validate(self, *options, status=0, paths=None):
        return self.run_here("validate", *(paths or self.paths), *options, status=status)

    def test_what_goes_where(self):
        """Standard output has text, or the document, or the rows; a file is written besides, or is standard output when it is '-'."""
        text, err = self.validate()
        document, rows = self.validate("--json")[0], self.validate("--csv", "-")[0]
        self.assertEqual((err, json.loads(document)["schema"]), ("", "profkit.validate"))
        self.assertEqual(rows.count("\n"), 3)
        limited = self.validate("-o", "-")[0]
        self.assertEqual(limited, document)
        for options, shown, written in ((["-o", "v.json"], text, {"v.json": document}), (["--csv", "v.csv"], text, {"v.csv": rows}),
                                        (["-o", "v.json", "--csv", "-"], rows, {"v.json": document}),
                                        (["-o", "v.json", "--json"], document, {"v.json": document}),
                                        (["-o", "-", "--csv", "v.csv"], document, {"v.csv": rows}),
                                        (["-o", "v.json", "--csv", "v.csv"], text, {"v.json": document, "v.csv": rows})):
            self.assertEqual(self.validate(*options), (shown, ""), options)
            for name, content in written.items():
                self.assertEqual((self.scratch / name).read_bytes().decode(), content, options)
                (self.scratch / name).unlink()
            self.assertEqual(sorted(os.listdir(self.scratch)), self.paths)
        for options in (["--json", "--csv", "-"], ["-o", "-", "--csv", "-"], ["--svg", "-"]):
            out, err = self.validate(*options, status=2)
            self.assertEqual((out, err.count("hint: profkit validate --help")), ("", 1))

    def test_an_output_that_is_an_input(self):
        """Of any of them, by any of its names."""
        os.symlink(self.paths[1], self.scratch / "link")
        before = [(self.scratch / p).read_bytes() for p in self.paths]
        for option in ("-o", "--csv", "--svg"):
            for name in (*self.paths, "link", f"./{self.paths[0]}"):
                found = json.loads(self.validate("--json", option, name, status=2)[0])
                self.assertEqual((found["status"], found["path"]), ("error", name))
        self.assertEqual([(self.scratch / p).read_bytes() for p in self.paths], before)

    def test_one_that_is_not_there(self):
        """The others are compared and the status is 5; of none it is that of the first; a single one is the fault itself."""
        whole = json.loads(self.validate("--json")[0])
        out, err = self.validate("--json", paths=[self.paths[0], "gone.json", self.paths[1]], status=5)
        found = json.loads(out)
        self.assertEqual((found["status"], [len(found[k]) for k in ("nodes", "ops")]), ("partial", [2, 1]))
        self.assertEqual(found["ops"], whole["ops"])
        self.assertTrue(err.startswith("profkit: damaged: gone.json: "), err)
        err = self.validate(paths=[self.paths[0], "gone.json", self.paths[1]], status=4, *["--strict"])[1]
        self.assertTrue(err.startswith("profkit: error: gone.json: "), err)
        self.write("empty.json", "")
        for paths, status in ((["gone.json"], 3), (["empty.json"], 4)):
            out, err = self.validate("--json", paths=paths, status=status)
            self.assertEqual((json.loads(out)["path"], err.startswith("profkit: error: ")), (paths[0], True))

    def test_a_gate_and_a_loss(self):
        """What is lost is said before what is out of order: of both the status is 5."""
        self.validate("--fail-on", "violations", "--bound", "1us", status=1)
        paths = [*self.paths, "gone.json"]
        self.validate("--fail-on", "violations", "--bound", "1us", paths=paths, status=5)
        self.validate("--fail-on", "violations", "--bound", "1us", "--strict", paths=paths, status=4)

    def test_how_late_is_too_late(self):
        """Further apart than both errors together: 20 us are not, of two that may be off by 10 us; a nanosecond more is."""
        for late_us, bound, violations in ((20, "10us", 0), (20.001, "10us", 2), (20, "9.9999us", 2), (-0.001, "0us", 0), (0, "0us", 0),
                                           (0.001, "0us", 2), (0.001, "0", 2)):
            self.ranks(late_us)
            found = json.loads(self.validate("--json", "--bound", bound)[0])
            self.assertEqual(found["violations"], violations, (late_us, bound))
            self.validate("--fail-on", "violations", "--bound", bound, status=1 if violations else 0)

    def test_a_window(self):
        """Calls that end before it or begin after it are none of it."""
        for window, occurrences in (("0:", 2), (":300us", 1), ("300us:", 1)):
            rows = self.validate("--csv", "-", "--time", window)[0].splitlines()
            self.assertEqual(len(rows) - 1, occurrences, window)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
