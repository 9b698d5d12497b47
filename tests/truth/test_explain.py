"""`explain`: ids are unique, what is sure comes first, and what stands around a finding is what ran there."""
import json
import random
import sys

import truth
import xspace

DATA = truth.ROOT / "tests" / "data"
CAPTURES = truth.CORPUS / "captures"
REAL = [DATA / "jax" / "two_process_rank0", DATA / "xspace" / "tpu_v6e_inference.xplane.pb",
        DATA / "kineto" / "h100_bert_small.pt.trace.json.gz", DATA / "ascend" / "two_ranks",
        CAPTURES / "kineto" / "dlrm_8_ranks", CAPTURES / "kineto" / "resnet50_nw0_1623143089861.pt.trace.json.gz",
        CAPTURES / "xspace" / "jax08_attention_mi300.xplane.pb"]
US = 1_000_000  # ps
SURE = ["proved", "likely", "possible", "unknown"]
MOST_BYTES = 8_000


def ask(path, *arguments, **how):
    return truth.loads(truth.run("explain", path, *arguments, "--json", **how))


class Explain(truth.Case):
    def setUp(self):
        super().setUp()
        self.said = set()  # of all findings: whether advice has a line of its own

    def check_all(self, path):
        listed = ask(path)
        report = truth.loads(truth.run("report", path, "--json", "--limit", "0"))
        ids = [f["id"] for f in report["findings"]]
        self.assertEqual(len(ids), len(set(ids)), ids)
        self.assertEqual([f["id"] for f in listed["findings"]], ids[:len(listed["findings"])])
        # Of what is about idle time the leading cause stands first.
        leading = (report["bubbles"].get("leading_cause") or {}).get("cause")
        first = [f for f in report["findings"] if f["id"] == f"bubbles.cause.{leading}"]
        self.assertEqual(first, [f for f in report["findings"] if f["id"].startswith("bubbles.")][:len(first)])
        ranks = [(SURE.index(f["certainty"]), -max(f["recoverable_ps"] or 0, 0)) for f in report["findings"] if f not in first]
        self.assertEqual(ranks, sorted(ranks))
        for expected in report["findings"]:
            text = truth.run("explain", path, expected["id"], "--json")
            self.assertLessEqual(len(text.encode()), MOST_BYTES, expected["id"])
            document = truth.loads(text)
            if "limited" not in document:
                self.assertEqual(document["finding"], expected)
            self.assertEqual(document["finding"]["id"], expected["id"])
            # The screen says the same in its words.
            screen = " ".join(truth.run("explain", path, expected["id"]).split())
            self.assertIn(expected["id"], screen)
            self.assertIn(" ".join(expected["what"].split())[:40], screen)
            # Advice that is one of the commands below is said once.
            if "limited" not in document:
                commands = [more["command"] for more in document["more"]]
                says_more = bool(expected["next"]) and expected["next"].replace("PATH", str(path)) not in commands
                self.assertEqual(" advice " in screen.partition(" Evidence ")[0], says_more, (path, expected["id"]))
                self.said.add(says_more)
        self.check_rows(path, report["findings"])
        return report["findings"]

    def check_rows(self, path, findings):
        """The table has the same, each with a place: its device, and the step in which the evidence begins."""
        found, steps, devices = (truth.rows(name, truth.run("rows", path, name, "--format", "json"))
                                 for name in ("findings", "steps", "devices"))
        self.assertEqual(len(found), len(findings))
        for row, said in zip(found, findings):
            self.assertTrue(said["evidence"], said["id"])
            at = said["evidence"][0]
            self.assertEqual({key: row[key] for key in ("id", "certainty", "recoverable_ps", "recoverable_bytes", "what", "file", "start_ps", "end_ps")},
                             {**{key: said[key] for key in ("id", "certainty", "recoverable_ps", "recoverable_bytes", "what")},
                              **{key: at[key] for key in ("file", "start_ps", "end_ps")}})
            self.assertEqual([row[key] or "" for key in ("place", "next", "evidence")],
                             [said["where"], said["next"], "; ".join(e["note"] for e in said["evidence"] if e["note"])])
            if said["id"].startswith("bubbles."):  # of a device, in traces as well
                self.assertIsNotNone(row["device"], said["id"])
            if row["device"] is not None:
                of = devices[row["device"]]
                self.assertEqual([row[key] for key in ("host", "rank", "node")], [of[key] for key in ("host", "rank", "node")])
            if at["plane"] >= 0 and any(d["file"] == at["file"] and d["plane"] == at["plane"] for d in devices):
                self.assertEqual(devices[row["device"]]["plane"], at["plane"])
            holds = [n for n, step in enumerate(steps) if step["device"] == row["device"] and at["start_ps"] is not None
                     and step["start_ps"] <= at["start_ps"] < step["end_ps"]]
            self.assertEqual((row["step"], row["step_id"]), (holds[0], steps[holds[0]]["step_id"]) if holds else (None, None), (path, row["id"]))

    def test_real(self):
        found = 0
        for path in REAL:
            if path.exists():
                found += len(self.check_all(path))
        self.assertGreater(found, 8)
        self.assertEqual(self.said, {True, False})

    def test_many(self):
        """More than fits: the list ends early and says so, and each finding is found."""
        folder = self.scratch / "many"
        folder.mkdir()
        whole = REAL[1].read_bytes()
        for n in range(90):
            (folder / f"host{n:02}.xplane.pb").write_bytes(whole[:20_000 + n])
        text = truth.run("explain", folder, "--json", "--limit", "0", status=5)
        self.assertLessEqual(len(text.encode()), MOST_BYTES)
        listed = truth.loads(text)
        lists = {entry["list"]: entry["total"] for entry in listed["limited"]["lists"]}
        self.assertGreaterEqual(lists["findings"], 90)
        self.assertLess(len(listed["findings"]), 90)
        text = truth.run("explain", folder, "damage.damaged.90", "--json", status=5)
        self.assertLessEqual(len(text.encode()), MOST_BYTES)
        self.assertIn("host89.xplane.pb", truth.loads(text)["finding"]["where"])

    def test_unknown_id(self):
        errors = truth.run("explain", REAL[2], "bubbles.idle.99", status=2, stderr=True)
        self.assertIn("no finding 'bubbles.idle.99'", errors)
        self.assertIn("profkit explain", errors)

    def test_commands_answer(self):
        for path in REAL[:4]:
            for finding in ask(path)["findings"]:
                for more in ask(path, finding["id"])["more"]:
                    words = more["command"].split()
                    self.assertEqual(words[0], "profkit")
                    self.assertTrue(truth.run(*[w.strip("'") for w in words[1:]]), more)

    # ---- what ran around a gap ---------------------------------------------------------------------------------

    def around(self, kernels, start, end):
        """(position, name, start, length) of (name, start, length), all in one unit."""
        before = sorted((k for k in kernels if k[1] < end and k[1] + k[2] <= start), key=lambda k: -(k[1] + k[2]))[:2]
        during = sorted((k for k in kernels if k[1] < end and k[1] + k[2] > start), key=lambda k: -k[2])[:3]
        after = sorted((k for k in kernels if k[1] >= end), key=lambda k: k[1:])[:2]
        return [(position, *k) for position, rows in (("before", before), ("during", during), ("after", after))
                for k in sorted(rows, key=lambda k: k[1])]

    def check_around(self, path, kernels, spans, origin):
        """`kernels` and `spans` in ps from `origin`, the capture's zero; lengths are all different."""
        checked = 0
        for listed in ask(path)["findings"]:
            document = ask(path, listed["id"])
            timed = [e for e in document["finding"]["evidence"] if e["start_ps"] is not None]
            if not timed:
                self.assertEqual(document["neighbours"], [])
                continue
            start, end = timed[0]["start_ps"] - origin, timed[0]["end_ps"] - origin
            rows = [(n["position"], n["name"], n["start_ps"] - origin, n["duration_ps"]) for n in document["neighbours"]
                    if not n["is_host"]]
            self.assertEqual(rows, self.around(kernels, start, end), (path, listed["id"]))
            covering = [s for s in spans if s[1] < end and s[1] + s[2] > start]
            covering.sort(key=lambda s: (-(min(end, s[1] + s[2]) - max(start, s[1])), s[2], s[1]))
            hosts = [(n["name"], n["start_ps"] - origin, n["duration_ps"]) for n in document["neighbours"] if n["is_host"]]
            self.assertEqual(hosts, [tuple(s) for s in covering[:4]], (path, listed["id"]))
            self.assertIn(f"--time {timed[0]['start_ps']}ps:{timed[0]['end_ps']}ps", json.dumps(document["more"]))
            checked += 1
        return checked

    def test_kineto(self):
        checked = 0
        for seed in range(1, 9):
            r = random.Random(seed)
            events, kernels, spans, lengths = [], [], [], set()

            def length(least, most):
                while True:
                    chosen = r.randrange(least, most)
                    if chosen not in lengths:
                        lengths.add(chosen)
                        return chosen

            def host(category, name, start, size, **args):
                events.append({"ph": "X", "cat": category, "name": name, "pid": 77, "tid": 1, "ts": start, "dur": size, "args": args})
                if category != "user_annotation":
                    spans.append((name, start * US, size * US))

            # Both cover every gap: the inner one says more.
            host("python_function", "train.py(1): <module>", 0, 1_000_000)
            host("python_function", "train.py(7): main", 1, 999_998)
            at, correlation = 2, 0
            for step in range(5):
                begin = at
                for op in range(4):
                    if op == 2:
                        outer = length(3_000, 9_000)
                        host("python_function", f"loader.py({step}): __next__", at + 5, outer)
                        host("cpu_op", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at + 7, outer - 4)
                        at += outer
                    correlation += 1
                    host("cuda_runtime", "cudaLaunchKernel", at + 10, 5, correlation=correlation)
                    size = length(40, 900)
                    stream = r.choice([7, 7, 9])
                    name = f"kernel_{step}_{op}"
                    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": at + 20, "dur": size,
                                   "args": {"device": 0, "context": 1, "stream": stream, "correlation": correlation}})
                    kernels.append((name, (at + 20) * US, size * US))
                    at += 30 + size
                host("user_annotation", f"ProfilerStep#{step}", begin, at - begin)
                at += 50
            r.shuffle(events)
            path = self.write(f"gaps{seed}.pt.trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())
            checked += self.check_around(path, kernels, spans, 0)
        self.assertGreater(checked, 8)

    def test_xspace(self):
        """Of a stall the ops of the device that waited, those that run into the stall among them; and nothing of others."""
        path = REAL[1]
        with truth.library().open(str(path)) as profile:
            ops = {plane.position: [("", e.start_ps, e.duration_ps) for line in plane.lines if line.name.endswith("XLA Ops")
                                    for e in line] for plane in profile.planes}
        document = ask(path, "collectives.exposed_stall")
        at = document["finding"]["evidence"][0]
        expected = self.around(ops[at["plane"]], at["start_ps"], at["end_ps"])
        rows = [(n["position"], "", n["start_ps"], n["duration_ps"]) for n in document["neighbours"] if not n["is_host"]]
        self.assertEqual(rows, expected)
        self.assertTrue(any(row[0] == "during" and row[2] < at["start_ps"] for row in rows), rows)

    def test_causes(self):
        """The evidence of a cause is its longest gap."""
        checked = 0
        for path in REAL:
            if not path.exists():
                continue
            with truth.library().open(str(path)) as profile:
                gaps = [(gap.cause, gap.end_ps - gap.start_ps) for gap in profile.bubbles(limit=0)]
            for finding in truth.loads(truth.run("report", path, "--json"))["findings"]:
                cause = finding["id"].removeprefix("bubbles.cause.").rstrip(".0123456789")
                if cause == finding["id"].rstrip(".0123456789") or cause.startswith("exposed_") or cause == "straggler_wait":
                    continue
                place = finding["evidence"][0]
                self.assertIn((cause, place["end_ps"] - place["start_ps"]), gaps)
                checked += 1
        self.assertGreater(checked, 1)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
