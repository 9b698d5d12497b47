#!/usr/bin/env python3
"""What a build may leave out (meson_options.txt) says how to have it: test_left_out.py PROFKIT. Only parts that this build
left out are asked for."""
import sys
import unittest

import harness
from harness import DATA, LEFT_OUT, TPU, Case, run

PROBES = DATA / "neutrino" / "block_sched"


def of(part):
    return unittest.skipUnless(part in LEFT_OUT, f"built with {part}")


class LeftOutTest(Case):
    def check_left_out(self, part, status, *arguments):
        outcome = run(*arguments)
        self.check_status(outcome, status)
        self.assertRegex(outcome.err, "this profkit was built without ")
        self.assertIn(f"-D{part}=enabled", outcome.err)

    @of("zstd")
    def test_zstd(self):
        packed = self.write("a.xplane.pb.zst", b"\x28\xb5\x2f\xfd\x00\x38\x01\x00\x00")
        self.check_left_out("zstd", 4, "report", packed)

    @of("re2")
    def test_re2(self):
        self.check_left_out("re2", 2, "bubbles", TPU, "--step-pattern", "train_.*")

    @of("toml")
    def test_toml(self):
        self.check_left_out("toml", 2, "bubbles", TPU, "--thresholds", self.write("t.toml", b"x = 1\n"))
        if "neutrino" not in LEFT_OUT:
            self.check_left_out("toml", 5, "neutrino", PROBES)

    @of("sql")
    def test_sql(self):
        self.check_left_out("sql", 4, "sql", TPU, "select 1")
        self.check_left_out("sql", 4, "fleet", TPU)
        outcome = run("sql", "--tables")
        self.check_status(outcome, 4)
        self.assertIn("libsqlite3-dev", outcome.err)

    @of("neutrino")
    def test_neutrino(self):
        for command in ("neutrino", "report", "info"):
            self.check_left_out("neutrino", 4, command, PROBES)
            self.check_left_out("neutrino", 4, command, PROBES, "--json")
        for slice in ("records", "log"):
            self.check_left_out("neutrino", 4, "neutrino", PROBES, slice)
        self.check_status(run("neutrino", PROBES, "nothing"), 2)
        why = run("info", PROBES, "--why")
        self.check_status(why, 0)
        self.assertIn("neutrino", why.out)

    @of("clusters")
    def test_clusters(self):
        self.check_left_out("clusters", 4, "validate", TPU, TPU)
        self.check_left_out("clusters", 4, "merge", TPU, TPU, "-o", self.scratch / "merged.xplane.pb")
        self.assertFalse((self.scratch / "merged.xplane.pb").exists())
        self.check_left_out("clusters", 4, "rows", TPU, "collective_calls")
        self.check_status(run("collectives", TPU), 0)
        for name in ("a", "b"):
            self.write(f"run/{name}.xplane.pb", TPU.read_bytes())
        self.assertIn("nodes are not compared: this profkit was built without", run("report", self.scratch / "run").out)

    @of("diff")
    def test_diff(self):
        self.check_left_out("diff", 4, "diff", TPU, TPU)

    @of("model")
    def test_model(self):
        self.check_left_out("model", 4, "architecture", TPU)
        self.check_left_out("model", 4, "architecture", TPU, "--json")
        self.check_left_out("model", 4, "rows", TPU, "facts")
        outcome = run("report", TPU, "--json")
        self.check_status(outcome, 0)
        self.assertIn('"model":null', outcome.out.replace(" ", ""))

    @of("page")
    def test_page(self):
        self.check_left_out("page", 4, "report", TPU, "-o", self.scratch / "page.html")
        self.assertFalse((self.scratch / "page.html").exists())
        self.check_left_out("page", 4, "bubbles", TPU, "--svg", self.scratch / "idle.svg")
        self.assertFalse((self.scratch / "idle.svg").exists())

    @of("redact")
    def test_redact(self):
        self.check_left_out("redact", 4, "report", TPU, "--redact")


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
