#!/usr/bin/env python3
"""Pictures show what the documents say, and are pictures whatever a name holds: test_pictures.py PROFKIT [TEST ...]"""
import json
import math
import pathlib
import random
import re
import sys
import tempfile
import xml.etree.ElementTree as xml

import harness
from harness import CPU_RUN, DATA, TPU, Case, run

TRACE = DATA / "kineto" / "h100_bert_small.pt.trace.json.gz"
SVG = "{http://www.w3.org/2000/svg}"


def microseconds(text):
    number, unit = text.split()[-2:]
    return float(number) * {"ps": 1e-6, "ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


class Picture:
    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.root = xml.fromstring(self.text)
        self.title = self.root.find(f"{SVG}title").text
        self.says = self.root.find(f"{SVG}desc").text

    def all(self, name, kind=None):
        return [e for e in self.root.iter(SVG + name) if kind is None or e.get("class") == kind]

    def tips(self, name, *kinds):
        return [e.find(f"{SVG}title").text for e in self.all(name) if e.get("class") in kinds and e.find(f"{SVG}title") is not None]

    def words(self):
        return [e.text for e in self.all("text")]


class PicturesTest(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def draw(self, command, path, *options):
        file = pathlib.Path(self.folder.name) / "picture.svg"
        outcome = run(command, path, *options, "--svg", file)
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertEqual(outcome.out, run(command, path, *options).out, "a picture changes what is printed")
        picture = Picture(file)
        self.assertTrue(picture.title and picture.says)
        self.assertEqual(picture.root.get("role"), "img")
        self.assertNotIn("<script", picture.text)
        self.assertNotRegex(picture.text, r"(href|src|url\()")
        return picture

    def test_memory(self):
        picture = self.draw("memory", TPU, "--json")
        document = json.loads(run("memory", TPU, "--json", "--time-samples", "2000").out)
        runtime = document["runtime"]
        curve, = picture.all("path", "curve")
        points = [tuple(map(float, p.split())) for p in re.findall(r"[ML]([-\d.]+ [-\d.]+)", curve.get("d"))]
        bottom, top = 320, 60
        most = max(s["bytes_allocated"] + s["bytes_reserved"] for s in runtime["timeline"]["samples"])
        capacity = runtime["pool"]["capacity_bytes"]
        self.assertAlmostEqual(min(y for _, y in points), bottom - (bottom - top) * most / capacity, delta=0.02)
        self.assertAlmostEqual(max(y for _, y in points), bottom, delta=0.02)
        peak, = [e for e in picture.all("line", "mark") if e.get("x1") == e.get("x2")]
        times = [s["ts_ns"] for s in runtime["timeline"]["samples"]]
        self.assertAlmostEqual(float(peak.get("x1")), 90 + 886 * (runtime["peak"]["ts_ns"] - times[0]) / (times[-1] - times[0]), delta=0.1)
        self.assertIn("20.0 GiB of 31.2 GiB", picture.says)

    def test_plan(self):
        picture = self.draw("memory", CPU_RUN)
        curve = json.loads(run("memory", CPU_RUN, "--json", "--curve", "2000").out)["hlo"]["curve"]["points"]
        path, = picture.all("path", "curve")
        levels = {round(float(y), 1) for y in re.findall(r"[ML][-\d.]+ ([-\d.]+)", path.get("d"))}
        most = max(p["live_bytes"] for p in curve)
        self.assertEqual(levels, {round(320 - 260 * p["live_bytes"] / most, 1) for p in curve})

    def test_timeline(self):
        for path in (TPU, TRACE, DATA / "ascend" / "two_ranks"):
            picture = self.draw("bubbles", path)
            document = json.loads(run("bubbles", path, "--json", "--limit", "0").out)
            devices = [d["device"] if isinstance(d, dict) and "device" in d else d for d in document["devices"]]
            self.assertEqual(len([e for e in picture.all("text") if e.get("text-anchor") == "end"]), len(devices))
            steps = [tip for tip in picture.tips("rect", "steps")]
            self.assertGreater(len(steps), 0)
            ran = picture.tips("rect", "compute", "communication", "copies", "other")
            self.assertGreater(len(ran), 3)
            self.assertTrue(all(re.match(r"[\d.]+ [a-z]+: ", tip) for tip in steps + ran))  # the numbers first
            self.assertIn("time since the capture's origin", picture.words())
            gaps = picture.tips("rect", "idle", "unknown", *(f"cause{i}" for i in range(5)))
            said = re.search(r"([\d,]+) gaps?", picture.says)[1].replace(",", "")
            self.assertEqual(len(gaps), int(said))
            for kind in ("compute", "idle", "unknown"):
                for box in picture.all("rect", kind):
                    if box.find(f"{SVG}title") is not None:
                        self.assertGreaterEqual(float(box.get("x")), 130)
                        self.assertLessEqual(float(box.get("x")) + float(box.get("width")), 1180.4)

    def test_timeline_of_a_part(self):
        whole, part = self.draw("bubbles", TPU), self.draw("bubbles", TPU, "--step", "5", "--device", "TPU:1")
        self.assertIn("of 4 devices", whole.says)
        self.assertIn("of 1 device", part.says)

    def test_roofline(self):
        picture = self.draw("roofline", TPU)
        lines = json.loads(run("ops", TPU, "--json", "--limit", "0").out)["lines"]
        kernels = {}  # of all devices: operations, bytes, time
        for op in [op for line in lines for op in line["ops"] if op["flops_per_s"] and op["bytes_per_s"]]:
            sums = kernels.setdefault(op["display_name"], [0, 0, 0])
            for at, what in enumerate((op["flops_per_s"] * op["total_ps"], op["bytes_per_s"] * op["total_ps"], op["self_ps"])):
                sums[at] += what
        dots = picture.all("circle", "dot")
        self.assertEqual(len(dots), len(kernels))
        self.assertGreater(len(dots), 2)
        self.assertEqual(len(picture.all("path", "roof")), 1)
        # By powers of ten: x from 0.1 to 1000 operations a byte.
        for name in kernels:
            self.assertTrue(any(t.startswith(f"{name}: ") for t in picture.tips("circle", "dot")), name)
        flops, moved, took = max(kernels.values(), key=lambda sums: sums[2])
        x = 90 + (876 - 90) * (math.log10(flops / moved) + 1) / 4
        self.assertAlmostEqual(float(dots[0].get("cx")), x, delta=0.05)
        rates = [sums[0] / sums[2] for sums in kernels.values()]
        least, most = math.floor(math.log10(min(rates))), math.ceil(math.log10(max([*rates, 918e12])))
        y = 510 - (510 - 60) * (math.log10(flops / took) - least) / (most - least)
        self.assertAlmostEqual(float(dots[0].get("cy")), y, delta=0.05)
        self.assertIn("918 TFLOP/s and 1.64 TB/s", picture.says)

    def test_flame(self):
        """Random calls, nested and one after the other: each place of the tree has the calls and the time that it was given."""
        for seed in range(1, 7):
            r = random.Random(seed)
            events, expected, of_threads = [], {}, {}

            def call(tid, path, start, length):
                name = f"f{r.randrange(4)}"
                path = (*path, name)
                events.append({"ph": "X", "cat": "python_function", "name": name, "pid": 9, "tid": tid, "ts": start, "dur": length, "args": {}})
                of = expected.setdefault((tid, path), [0, 0, 0])
                of[0] += 1
                of[1] += length
                of[2] += length
                at = start + r.choice([0, 1])
                while len(path) < 7 and at + 8 < start + length and r.random() < 0.8:
                    inside = r.randrange(4, max(5, (length - (at - start)) // 2))
                    if at + inside > start + length:
                        break
                    if (at, inside) != (start, length):
                        call(tid, path, at, inside)
                        of[2] -= inside
                    at += inside + r.choice([0, 0, 3])

            for tid in (11, 12):
                at = 0
                for _ in range(12):
                    length = r.randrange(100, 3000)
                    call(tid, (), at, length)
                    of_threads[tid] = of_threads.get(tid, 0) + length
                    at += length + r.choice([0, 5, 400])
            r.shuffle(events)
            path = pathlib.Path(self.folder.name) / "calls.pt.trace.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            picture = self.draw("framework", path)
            whole = sum(of_threads.values())
            drawn = {}
            for box in picture.all("rect", "frame"):
                name, rest = box.find(f"{SVG}title").text.split(": ", 1)
                depth = round((float(box.get("y")) - 56) / 17)
                calls = int(re.search(r"; ([\d,]+) calls?,", rest)[1].replace(",", ""))
                drawn.setdefault((depth, name), []).append((calls, round(float(box.get("width")), 1)))
            wanted = {}
            for (tid, calls), (count, total, own) in expected.items():
                width = 1168 * total / whole
                if width >= 0.5:
                    wanted.setdefault((len(calls), calls[-1]), []).append((count, round(max(width - 0.5, 0.3), 1)))
            self.assertEqual({k: [c for c, _ in sorted(v)] for k, v in drawn.items()}, {k: [c for c, _ in sorted(v)] for k, v in wanted.items()})
            for key, boxes in drawn.items():
                for (_, a), (_, b) in zip(sorted(boxes), sorted(wanted[key])):
                    self.assertAlmostEqual(a, b, delta=0.11)
            rows = {}
            for box in picture.all("rect", "frame") + picture.all("rect", "steps"):
                rows.setdefault(float(box.get("y")), []).append((float(box.get("x")), float(box.get("width"))))
            for row in rows.values():
                self.assertGreaterEqual(min(row)[0], 16)
                for (x, width), (following, _) in zip(sorted(row), sorted(row)[1:]):
                    self.assertLessEqual(x + width, following + 0.02)
            own = sum(of[2] for of in expected.values() if 1168 * of[1] / whole >= 0.5)
            said = sum(microseconds(re.search(r"itself (.*)$", tip)[1]) for tip in picture.tips("rect", "frame"))
            self.assertAlmostEqual(said, own, delta=whole * 0.001)
            self.assertEqual(len(picture.all("rect", "steps")), 2)
        refused = run("framework", path, "--svg", self.folder.name + "/x.svg", "--name", "f1")
        self.assertEqual(refused.status, 2)
        half = self.draw("framework", path, "--time", "0us:200us")
        self.assertLess(len(half.all("rect", "frame")), len(picture.all("rect", "frame")))

    def test_layer(self):
        picture = self.draw("architecture", TRACE)
        found = max(json.loads(run("architecture", TRACE, "--json", "--limit", "0").out)["substructures"],
                    key=lambda s: s["typical"]["wall_ns"] * s["layers"])
        boxes = [tip for tip in picture.tips("rect", "steps")]
        self.assertEqual(len(boxes), len(found["tree"]))
        self.assertGreater(len(boxes), 2)
        bars = picture.all("rect", "compute") + picture.all("rect", "communication")
        bars.sort(key=lambda bar: float(bar.get("y")))
        for node, tip, bar in zip(found["tree"], boxes, bars):
            for op in node["ops"][:1]:
                self.assertIn(f"{op['count']} × {op['op'][:60]}", tip)
            whole = 360 if node["beside"] else 560
            wanted = max(1, whole * node["wall_ns"] / found["typical"]["wall_ns"])
            self.assertAlmostEqual(float(bar.get("width")), wanted, delta=0.02 * wanted + 0.1)

    def write_cluster(self):
        sys.path[:0] = [str(harness.ROOT / "tests" / "collectives"), str(harness.ROOT / "tests" / "truth")]
        import cluster_model  # pylint: disable=import-outside-toplevel
        cluster_model.Cluster("17.0", "none").write_xspace(pathlib.Path(self.folder.name) / "run")
        return sorted(str(p) for p in (pathlib.Path(self.folder.name) / "run").rglob("*.xplane.pb"))

    def test_bandwidth(self):
        traces = self.write_cluster()
        file = pathlib.Path(self.folder.name) / "bandwidth.svg"
        outcome = run("validate", *traces, "--json", "--limit", "0", "--svg", file)
        self.assertEqual(outcome.status, 0, outcome.err)
        document, picture = json.loads(outcome.out), Picture(file)
        calls = [c for c in document["calls"] if c["bus_bytes_per_s"]]
        self.assertGreater(len(calls), 10)
        dots = [dot for dot in picture.all("circle") if dot.find(f"{SVG}title") is not None]
        self.assertEqual(len(dots), len(calls))
        decades = [(math.floor(math.log10(min(v))), math.ceil(math.log10(max(v))))
                   for v in ([c["payload_bytes"] for c in calls], [c["bus_bytes_per_s"] for c in calls])]

        def place(value, decade, first, last):
            least, most = decade
            return first + (last - first) * (math.log10(value) - least) / (max(most, least + 1) - least)

        wanted = sorted((round(place(c["payload_bytes"], decades[0], 90, 700), 1), round(place(c["bus_bytes_per_s"], decades[1], 430, 60), 1))
                        for c in calls)
        given = sorted((round(float(dot.get("cx")), 1), round(float(dot.get("cy")), 1)) for dot in dots)
        for (x, y), (wanted_x, wanted_y) in zip(given, wanted):
            self.assertAlmostEqual(x, wanted_x, delta=0.11)
            self.assertAlmostEqual(y, wanted_y, delta=0.11)
        kinds = {op["collective"] for op in document["ops"]}
        self.assertTrue(any(any(words.startswith(kind) for words in picture.words()) for kind in kinds if kind))
        same = run("validate", *traces, "--svg", file, "--csv", file)
        self.assertEqual(same.status, 2)
        self.assertIn("--csv and --svg name the same file", same.err)

    def test_clocks(self):
        sys.path.insert(0, str(harness.ROOT / "tests" / "truth"))
        import clock_cases  # pylint: disable=import-outside-toplevel
        folder = pathlib.Path(self.folder.name)
        clock_cases.Case(5, fault={"gap": (15, 35)}).write(folder)
        file = folder / "clocks.svg"
        outcome = run("merge", "--run-dir", folder, "-o", folder / "merged.xplane.pb", "--svg", file, "--json")
        self.assertEqual(outcome.status, 0, outcome.err)
        picture, nodes = Picture(file), json.loads(outcome.out)["nodes"]
        known = {f"node {n['id']}": n["bound"]["windows"] for n in nodes if n["bound"] and n["bound"]["windows"]}
        self.assertGreater(len(known), 1)
        shown = {}
        for box in picture.all("rect"):
            tip = box.find(f"{SVG}title")
            if tip is not None:
                name = re.match(r"node \d+", tip.text)[0]
                bound = microseconds(re.search(r"within ([\d.,]+ \w+)", tip.text)[1].replace(",", ""))
                shown.setdefault(name, []).append((float(box.get("x")), float(box.get("x")) + float(box.get("width")), bound))
        self.assertEqual(set(shown), set(known))
        first = min(w["from_ps"] for windows in known.values() for w in windows)
        last = max(w["to_ps"] for windows in known.values() for w in windows)
        for name, windows in known.items():
            boxes = sorted(shown[name])
            self.assertAlmostEqual(boxes[0][0], 80 + 720 * (windows[0]["from_ps"] - first) / (last - first), delta=1.1)
            self.assertAlmostEqual(boxes[-1][1], 80 + 720 * (windows[-1]["to_ps"] - first) / (last - first), delta=1.1)
            widest = max(w["tracer_bound_ps"] for w in windows) / 1e6
            self.assertAlmostEqual(max(bound for _, _, bound in boxes), widest, delta=0.01 * widest + 1e-6)

    def test_nothing_to_draw(self):
        file = pathlib.Path(self.folder.name) / "none.svg"
        for command, path in (("ops", TRACE), ("memory", TRACE), ("bubbles", CPU_RUN / "dump")):
            outcome = run(command, path, "--svg", file)
            self.assertEqual(outcome.status, 2, (command, outcome.err))
            self.assertFalse(file.exists())

    def test_names_are_text(self):
        hostile = '</text><script "&\u0007'   # a pair of <> would be taken for the arguments of a template
        events = [{"ph": "X", "cat": "kernel", "name": f"{hostile} {n}", "pid": 0, "tid": 7, "ts": 100 * n, "dur": 60,
                   "args": {"device": 0, "stream": 7, "correlation": n}} for n in range(20)]
        path = pathlib.Path(self.folder.name) / "hostile.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        picture = self.draw("bubbles", path)
        self.assertTrue(any('</text><script "&' in tip for tip in picture.tips("rect", "compute")))


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
