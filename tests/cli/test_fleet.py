#!/usr/bin/env python3
"""`profkit fleet` over captures whose answers are known, and the shipped questions on both engines: test_fleet.py PROFKIT"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

import harness
from harness import ROOT, TPU, Case, event, event_name, line, needs, plane, run, text

QUESTIONS = ROOT / "bindings" / "python" / "src" / "profkit" / "questions"
SCREEN = ["coverage", "uses", "causes", "waits", "stragglers", "regressions", "clocks", "links", "headroom"]
ORIGIN_NS = 1_800_000_000_000_000_000
US = 1_000_000


def capture(host, work_us, steps=5, begin_ns=0, all_reduce_us=(), step_us=1000, more_us=0):
    """A TPU that works `work_us` in each step of `step_us`, `more_us` more in the first, then communicates; a step is marked from its begin to its last op."""
    marks, ops = [], []
    for at in range(steps):
        begin = step_us * US * at
        communicates = all_reduce_us[at % len(all_reduce_us)] if all_reduce_us else 0
        works = work_us + (more_us if at == 0 else 0)
        marks.append(event(10 + at, begin, (works + communicates) * US))
        ops.append(event(1, begin, works * US))
        if communicates:
            ops.append(event(2, begin + works * US, communicates * US))
    return plane(1, "/device:TPU:0", line(1, "Steps", marks, ORIGIN_NS + begin_ns), line(3, "XLA Ops", ops, ORIGIN_NS + begin_ns),
                 event_name(1, "fusion.1"), event_name(2, "all-reduce.1"), *(event_name(10 + at, str(at)) for at in range(steps))) + text(4, host)


@needs("sql")
class FleetTest(Case):
    def ask(self, *arguments, status=0):
        outcome = run("fleet", *arguments, "--json")
        self.check_status(outcome, status)
        document = json.loads(outcome.out)
        answers = {question["name"]: [dict(zip(question["columns"], row)) for row in question["rows"]] for question in document["questions"]}
        return answers, document

    def write_run(self, name, of):
        for number, content in enumerate(of):
            self.write(f"{name}/host{number}.xplane.pb", content)

    def test_stragglers(self):
        self.write_run("log/plugins/profile/monday", [capture(f"host{at}", work, more_us=300 if at == 1 else 0) for at, work in enumerate((100, 100, 150, 100))])
        self.write_run("log/plugins/profile/tuesday", [capture(f"host{at}", work) for at, work in enumerate((300, 300, 300, 330))])
        answers, document = self.ask(self.scratch)
        self.assertEqual([question["name"] for question in document["questions"]], SCREEN)
        self.check_schema(document, "fleet")
        found = [(row["run"].rsplit("/", 1)[1], row["host"], row["device_name"], row["steps"], row["work_ms"], round(row["slower_percent"], 9))
                 for row in answers["stragglers"]]
        self.assertEqual(found, [("monday", "host2", "/device:TPU:0", 5, 0.15, 50.0), ("tuesday", "host3", "/device:TPU:0", 5, 0.33, 10.0)])
        seconds = {row["use"]: row["seconds"] for row in answers["uses"]}
        self.assertEqual(set(seconds), {"compute", "idle"})
        self.assertAlmostEqual(seconds["compute"], (5 * (450 + 1230) + 300) / 1e6)
        # Between steps nothing runs; the last ends with its work.
        self.assertAlmostEqual(sum(seconds.values()), 8 * 4e-3 + (450 + 1230) / 1e6)
        self.assertAlmostEqual(sum(row["seconds"] for row in answers["causes"]), seconds["idle"])
        self.assertEqual([(row["family"], row["captures"], row["errors"]) for row in answers["coverage"]], [("xspace", 8, 0)])

    def test_regressions(self):
        for at, (version, lengths) in enumerate([("v9", (1000, 1100, 1200)), ("v10", (1320, )), ("v2", (660, 660))]):
            for number, length in enumerate(lengths):
                self.write(f"{version}/{number}.xplane.pb", capture("host", 100, begin_ns=(at + 1) * 10**9, step_us=length))
        answers, _ = self.ask(self.scratch, "--question", "regressions")
        self.assertEqual(list(answers), ["regressions"])
        found = [(pathlib.PurePath(row["folder"]).name, pathlib.PurePath(row["before"]).name, row["captures"], row["steps"], row["before_ms"],
                  row["step_ms"], round(row["slower_percent"], 9)) for row in answers["regressions"]]
        self.assertEqual(found, [("v10", "v9", 1, 5, 1.1, 1.32, 20.0), ("v2", "v10", 2, 10, 1.32, 0.66, -50.0)])

    def test_clocks(self):
        off_ns = (0, 250_000_000, -3_000_000, 0)
        self.write_run("plugins/profile/talks", [capture(f"host{at}", 100, begin_ns=off, all_reduce_us=(40, 60)) for at, off in enumerate(off_ns)])
        self.write_run("plugins/profile/silent", [capture(f"host{at}", 100, begin_ns=off) for at, off in enumerate(off_ns)])
        answers, _ = self.ask(self.scratch, "--question", "clocks")
        found = [(pathlib.PurePath(row["run"]).name, row["host"], row["steps"], round(row["off_ms"], 6)) for row in answers["clocks"]]
        self.assertEqual(found, [("talks", "host1", 5, 250.0), ("talks", "host2", 5, -3.0), ("talks", "host0", 5, 0.0), ("talks", "host3", 5, 0.0)])

    def test_links(self):
        # Who comes last waits for nobody: of each run the least counts.
        for name, shortest in (("a", 40), ("b", 40), ("c", 60)):
            self.write_run(f"plugins/profile/{name}", [capture("host0", 100, all_reduce_us=(shortest, 90)), capture("host1", 100, all_reduce_us=(95, 80))])
        answers, _ = self.ask(self.scratch, "--question", "links")
        found = [(pathlib.PurePath(row["run"]).name, row["hosts"], row["collectives"], row["runs_compared"], round(row["slower_percent"], 9))
                 for row in answers["links"]]
        self.assertEqual(found, [("c", 2, 1, 3, 50.0), ("a", 2, 1, 3, 0.0), ("b", 2, 1, 3, 0.0)])

    def test_headroom(self):
        # The allocators of the capture, as `profkit rows` has them.
        rows = [json.loads(row) for row in run("rows", TPU, "allocators", "--format", "json").out.splitlines()]
        answers, _ = self.ask(TPU, "--question", "headroom")
        self.assertTrue(rows)
        self.assertEqual({row["name"]: (row["peak_bytes"], row["capacity_bytes"], row["captures"]) for row in answers["headroom"]},
                         {row["name"]: (row["occupancy_peak_bytes"], row["capacity_bytes"], 1) for row in rows})
        for row in answers["headroom"]:
            self.assertAlmostEqual(row["used_percent"], 100 * row["peak_bytes"] / row["capacity_bytes"])

    def damaged(self):
        self.write_run("runs", [capture(f"host{at}", 100 + at) for at in range(6)])
        whole = (self.scratch / "runs/host1.xplane.pb").read_bytes()
        self.write("runs/host1.xplane.pb", whole[:-20])
        self.write("runs/host4.xplane.pb", b"no capture")
        return self.scratch / "runs"

    def test_damage_is_said_and_all_else_is_there(self):
        answers, document = self.ask(self.damaged(), status=5)
        self.assertEqual({(row["family"], row["captures"], row["errors"]) for row in answers["coverage"]},
                         {("xspace", 5, 1), ("cannot be read", 1, 1)})
        self.assertEqual(document["status"], "partial")
        self.assertEqual([pathlib.PurePath(loss["uri"]).name for loss in document["errors"]], ["host1.xplane.pb", "host4.xplane.pb"])
        outcome = run("fleet", self.scratch / "runs")
        self.check_status(outcome, 5)
        self.assertEqual(outcome.out.splitlines()[0], "6 captures, of which 2 cannot be read, or not to the end")
        self.assertIn("host4.xplane.pb", outcome.err)
        self.check_status(run("fleet", self.scratch / "runs", "--strict"), 4)
        self.check_status(run("fleet", self.scratch / "runs" / "host4.xplane.pb"), 4)
        self.check_status(run("fleet", self.scratch / "nothing"), 3)
        self.check_status(run("fleet", TPU, "--question", "why"), 2)
        self.check_status(run("fleet"), 2)

    def test_a_capture_with_two_faults(self):
        """It is one that cannot be read to the end; both faults are listed."""
        def kernels(*more):
            return json.dumps({"schemaVersion": 1, "traceEvents": [
                {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": at, "dur": 1, "args": {"device": 0, "stream": 7}}
                for at in range(0, 90, 10)] + list(more)}).encode()
        # A folder of a profiler of Ascend is one capture.
        self.write("hurt_ascend_pt/rank0.json", kernels({"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 95, "dur": -5}))
        self.write("hurt_ascend_pt/rank1.json.gz", gzip.compress(kernels())[:-30])
        self.write("sound/rank0.json", kernels())
        both = [self.scratch / name for name in ("hurt_ascend_pt", "sound")]
        outcome = run("fleet", *both, "--json")
        self.check_status(outcome, 5)
        document = json.loads(outcome.out)
        self.assertEqual((document["captures"], [loss["uri"] for loss in document["errors"]]), (2, [str(both[0])] * 2))
        for at, words in enumerate((f"{both[0]}/rank1.json.gz: the gzip stream is cut",
                                    f"{both[0]}/rank0.json: 1 of 10 events were passed over")):
            self.assertTrue(document["errors"][at]["message"].startswith(words), document["errors"])
        for paths, said in ((both, "2 captures, of which 1 cannot be read, or not to the end"),
                            (both[:1], "1 capture, of which 1 cannot be read, or not to the end"),
                            (both[1:], "1 capture, all of them read to the end")):
            self.assertEqual(run("fleet", *paths).out.splitlines()[0], said)

    def test_the_page(self):
        for folder in ("<u>", "v"):   # of the second it is said which came before
            self.write(f"runs/{folder}/a.xplane.pb", capture("<i>host</i>", 100))
        self.write("runs/<b>&other.xplane.pb", b"no capture")
        page = self.scratch / "page.html"
        self.check_status(run("fleet", self.scratch / "runs", "-o", page), 5)
        html = page.read_text(encoding="utf-8")
        self.assertNotIn("<b>", html)
        self.assertNotIn("<u>", html)
        self.assertIn("&lt;b&gt;&amp;other.xplane.pb", html)
        self.assertIn("&lt;u&gt;", html)
        for name in SCREEN:
            self.assertEqual(html.count(f'<h2 id="{name}">'), 1)
        self.assertIn("3 captures, of which 1 cannot be read", html)
        self.check_status(run("fleet", self.scratch / "runs", "-o", self.scratch / "runs" / "<b>&other.xplane.pb"), 2)

    def test_limits(self):
        self.write_run("plugins/profile/run", [capture(f"host{at}", 100 + at) for at in range(24)])
        shown = [len(run("fleet", self.scratch, "--question", "stragglers", *more).out.splitlines()) for more in ([], ["--limit", "3"], ["--limit", "0"])]
        self.assertEqual(shown, [4 + 10 + 1, 4 + 3 + 1, 4 + 11])

    def test_both_engines_say_the_same(self):
        """Of each question as it is shipped."""
        python = os.environ.get("PROFKIT_TEST_PYTHON", str(ROOT / "build" / "python" / "bin" / "python3"))
        library = pathlib.Path(harness.PROFKIT).parents[1] / "libprofkit.so.0"
        if os.environ.get("PROFKIT_SANITIZED") or not library.exists() or not os.path.exists(python) or subprocess.run(
                [python, "-c", "import duckdb, pyarrow"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no Python here has duckdb and pyarrow")
        self.damaged()
        self.write_run("plugins/profile/talks", [capture(f"host{at}", 100 + at, begin_ns=at * 1000, all_reduce_us=(40 + at, 60)) for at in range(3)])
        self.write_run("plugins/profile/more", [capture(f"host{at}", 120, begin_ns=-at * 1000, all_reduce_us=(50, 60)) for at in range(3)])
        (self.scratch / "tpu.xplane.pb").symlink_to(TPU)
        asked = ("import json, sys; from profkit import fleet; "
                 "print(json.dumps({name: (lambda r: [r.columns, r.fetchall()])(fleet.ask(name, sys.argv[1])) for name in fleet.QUESTIONS}))")
        environment = {**os.environ, "PROFKIT_LIBRARY": str(library), "PYTHONPATH": str(ROOT / "bindings/python/src"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([python, "-c", asked, str(self.scratch)], env=environment, stdout=subprocess.PIPE, check=True, timeout=120)
        theirs = json.loads(done.stdout)
        self.assertEqual(sorted(theirs), sorted(path.stem for path in QUESTIONS.glob("*.sql")))
        ours, document = self.ask(self.scratch, *(word for name in theirs for word in ("--question", name)), status=5)
        columns = {question["name"]: question["columns"] for question in document["questions"]}
        for name, (names, rows) in theirs.items():
            with self.subTest(question=name):
                self.assertTrue(rows)
                self.assertEqual(columns[name], names)
                self.assertEqual(len(ours[name]), len(rows))
                for mine, row in zip(ours[name], rows):
                    for value, other in zip(mine.values(), row):
                        if isinstance(other, float):
                            self.assertAlmostEqual(value, other, delta=1e-9 * max(1, abs(other)))
                        else:
                            self.assertEqual(value, other)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
