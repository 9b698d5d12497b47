"""Every document keeps to its size and its limit, says truly what it left out, and is whole with `limit` 0."""
import json
import re
import shlex
import sys

import truth
import xspace

DATA = truth.ROOT / "tests" / "data"
CAPTURES = truth.CORPUS / "captures"
DOCUMENTS = ["report", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives", "memory",
             "bubbles", "architecture", "neutrino"]
MOST, MOST_BRIEF, MOST_EXPLAIN = 1_000_000, 16_000, 8_000
# Lists that others need hold more than a small limit says; of `bubbles` ops there are so many of each device.
LEAST = 1000
# One list of two: the longest are kept, not the first.
CHOSEN = {"anomaly_discovery.bubble_windows", "bubbles.anomaly_discovery.bubble_windows"}
# What is written of lists that the analysis itself bounds, or of several lists at once, is not the start of a list.
SMALL = [DATA / "jax" / "two_process_rank0", DATA / "xspace" / "tpu_v6e_inference.xplane.pb",
         DATA / "kineto" / "h100_bert_small.pt.trace.json.gz", DATA / "ascend" / "two_ranks", DATA / "neutrino" / "block_sched"]


def lists_at(document, path):
    """Every list or map of one path ("lines[].ops")."""
    found = [document]
    for part in re.findall(r"\[\]|[^.\[\]]+", path):
        following = []
        for value in found:
            if part == "[]":
                following += value
            elif value is not None and part in value:
                following.append(value[part])
        found = following
    return found


class Limits(truth.Case):
    def open_profile(self, path):
        return truth.library().open(str(path))

    def check_sizes(self, profile, path):
        for name in DOCUMENTS:
            written = profile.document_bytes(name)
            self.assertLessEqual(len(written), MOST, f"{name} of {path}")
            json.loads(written)
        written = profile.document_bytes("brief")
        self.assertLessEqual(len(written), MOST_BRIEF, f"brief of {path}")
        self.assertIn("status", json.loads(written))
        for given in ({}, {"limit": 0}):
            listed = profile.document_bytes("explain", **given)
            self.assertLessEqual(len(listed), MOST_EXPLAIN, f"explain of {path}")
            for finding in json.loads(listed)["findings"][:3]:
                written = profile.finding_document_bytes(finding["id"], **given)
                self.assertLessEqual(len(written), MOST_EXPLAIN, f"{finding['id']} of {path}")

    def check_limited(self, profile, name, **limit):
        """What was left out of a document is told, and nothing else differs from the whole."""
        whole = truth.loads(profile.document_bytes(name, limit=0))
        self.assertNotIn("limited", [key for key in whole if key == "limited" and self.of_limit(whole[key])], name)
        part = truth.loads(profile.document_bytes(name, **limit))
        told = part.get("limited", {"lists": [], "texts": 0})
        for entry in told["lists"]:
            place = f"{name} {limit}: {entry['list']}"
            self.assertLess(entry["written"], entry["total"], place)
            written = lists_at(part, entry["list"])
            self.assertEqual(sum(map(len, written)), entry["written"], place)
            if "[]" not in entry["list"]:
                self.assertEqual(len(lists_at(whole, entry["list"])[0]), entry["total"], place)
        return told

    @staticmethod
    def of_limit(limited):
        """Whether the limit left something out; what the analyses do not keep, nobody can write."""
        return [entry for entry in limited["lists"] if not entry["list"].endswith(("structures", "block_side"))]

    def test_real_captures(self):
        paths = [path for folder in ("jax", "xspace", "kineto", "kineto_devices", "ascend", "op_stats", "hlo", "rocprofv3", "riegeli",
                                     "perfetto") if (CAPTURES / folder).is_dir() for path in sorted((CAPTURES / folder).iterdir())]
        library = truth.library()
        opened = 0
        for path in paths + SMALL:
            try:
                profile = library.open(str(path))
            except library.Error:
                continue
            with profile:
                self.check_sizes(profile, path)
            opened += 1
        self.assertGreaterEqual(opened, len(SMALL))

    def test_what_is_left_out_is_told(self):
        cut = set()
        for path in SMALL:
            with self.open_profile(path) as profile:
                for name in DOCUMENTS:
                    for limit in ({}, {"limit": 1}, {"limit": 2}):
                        cut.update((name, entry["list"]) for entry in self.check_limited(profile, name, **limit)["lists"])
        for expected in (("ops", "lines[].ops"), ("info", "files[].planes"), ("info", "files[].planes[].lines"),
                         ("modules", "modules"), ("tree", "files[].planes[].lines"), ("bubbles", "ops.by_duration"),
                         ("steps", "steps"), ("report", "ops.lines[].ops"), ("report", "info.files[].planes"),
                         ("report", "bubbles.anomaly_discovery.bubble_windows"), ("neutrino", "launches"),
                         ("metadata", "planes[].event_entries")):
            self.assertIn(expected, cut)

    def test_lists_hold_to_the_limit(self):
        """No list of rows is longer, wherever it stands."""
        with self.open_profile(SMALL[1]) as profile:
            report = profile.document("report", limit=2)
        for path in ("findings", "summary.modules", "summary.busy_lines", "info.files[].planes", "info.files[].planes[].lines",
                     "steps.steps", "ops.lines[].ops", "modules.modules", "framework.events", "collectives.async",
                     "collectives.ops", "bubbles.steps", "bubbles.anomaly_discovery.bubble_windows"):
            for rows in lists_at(report, path):
                self.assertLessEqual(len(rows), 2, path)

    def test_command(self):
        path = SMALL[1]
        whole = truth.run("report", path, "--json", "--limit", "0")
        few = truth.run("report", path, "--json", "--limit", "3")
        self.assertLess(len(few), len(whole))
        self.assertEqual(json.loads(few)["limited"]["limit"], 3)
        with self.open_profile(path) as profile:
            self.assertEqual(whole.encode(), profile.document_bytes("report", limit=0))
            self.assertEqual(few.encode(), profile.document_bytes("report", limit=3))
            self.assertEqual(truth.run("report", path, "--json").encode(), profile.document_bytes("report"))
            self.assertEqual(truth.run("report", path, "--json", "--brief").encode(), profile.document_bytes("brief"))
            self.assertEqual(truth.run("bubbles", path, "--json").encode(), profile.bubbles().document_bytes())
            self.assertEqual(truth.run("bubbles", path, "--json", "--limit", "1").encode(),
                             profile.bubbles(limit=1).document_bytes())

    def test_order(self):
        keys = list(truth.loads(truth.run("report", SMALL[1], "--json")))
        self.assertEqual(keys[:10], ["schema", "version", "status", "reason", "path", "runs", "complete", "reasons", "summary",
                                     "findings"])

    def test_commands_of_the_brief_report(self):
        """Each is typed as it stands and answers."""
        folder = self.scratch / "a folder's name"
        folder.mkdir()
        path = folder / "it is.xplane.pb"
        path.write_bytes(SMALL[1].read_bytes())
        brief = truth.loads(truth.run("report", path, "--brief", "--json", "--plane", "TPU:0"))
        commands = [more["command"] for more in brief["more"]]
        for command in commands:
            words = shlex.split(command)
            self.assertEqual(words[0], "profkit")
            self.assertIn(str(path), words)
            self.assertTrue(truth.run(*words[1:]))
        self.assertIn(f"profkit report {shlex.quote(str(path))} --plane TPU:0 --json --limit 0".split()[-1], commands[1])

    def test_worst_case(self):
        """Thousands of steps, devices, lines and names of any length, bytes that JSON has to escape among them."""
        names = [f"%fusion.{i} = " + ("f32[128]{0} " * 3000, "\x01" * 4000, "é" * 9000, "\"\\" * 3000)[i % 4] for i in range(24)]
        entries = [xspace.event_metadata(i + 1, name, display_name=name) for i, name in enumerate(names)]
        steps = [xspace.event_metadata(i + 100, f"{i} " + "s" * 500) for i in range(1500)]
        ops = [xspace.event(1 + i % 24, i * 1000, 900) for i in range(240)]
        marks = [xspace.event(100 + i, i * 1000, 900) for i in range(1500)]
        planes = [xspace.plane(n + 1, f"/device:TPU:{n} " + "p" * 300, *entries, *steps,
                               xspace.line(1, "XLA Ops", ops), xspace.line(2, "Steps", marks),
                               *[xspace.line(10 + k, f"line {k} " + "l" * 300, ops[:3]) for k in range(120)]) for n in range(24)]
        path = self.scratch / "worst.xplane.pb"
        path.write_bytes(xspace.space(*planes))
        with self.open_profile(path) as profile:
            self.check_sizes(profile, path)
            report = profile.document("report")
            paths = {entry["list"] for entry in report["limited"]["lists"]}
            self.assertIn("steps.steps", paths)
            self.assertIn("ops.lines[].ops", paths)
            self.assertGreater(report["limited"]["texts"], 0)
            for name in ("ops", "steps", "info", "metadata"):
                self.assertTrue(self.check_limited(profile, name)["lists"], name)
            self.assertGreater(len(profile.document_bytes("ops", limit=0)), MOST)
            # A limit above the default asks for more than a default document holds.
            self.assertGreater(len(profile.document_bytes("ops", limit=1000)), MOST)
            self.assertNotIn("…", profile.document_bytes("ops", limit=1000).decode())
            # And every part of the default report has something.
            for part in ("info.files[].planes", "ops.lines", "steps.steps"):
                self.assertTrue(any(lists_at(report, part)), part)

    def test_worst_trace(self):
        """The same of a trace: many processes, threads, arguments."""
        events = [{"ph": "X", "cat": "kernel", "name": f"k{i % 700}" + "n" * (i % 900), "pid": i % 40, "tid": i % 30,
                   "ts": i * 10, "dur": 9, "args": {"device": i % 40, "stream": i % 30, **{f"a{k}": "v" * 90 for k in range(9)}}}
                  for i in range(30000)]
        events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 900, "tid": 1, "ts": i * 100,
                    "dur": 99} for i in range(3000)]
        path = self.scratch / "worst.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
        with self.open_profile(path) as profile:
            self.check_sizes(profile, path)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
