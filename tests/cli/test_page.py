#!/usr/bin/env python3
"""The page of `report -o NAME.html`, as a file: test_page.py PROFKIT."""
import base64
import hashlib
import html
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "collectives"))
import cluster_model  # noqa: E402
import harness
from harness import CPU_RUN, DATA, TPU, Case, event, event_name, line, plane, run, small_tpu

KINETO = DATA / "kineto" / "h100_bert_small.pt.trace.json.gz"
ASCEND = DATA / "ascend" / "two_ranks"
PROBES = DATA / "neutrino" / "block_sched"
MOST_BYTES = 3_000_000
SVG = "http://www.w3.org/2000/svg"  # names the elements of pictures; nothing is loaded from there


def parts_of(page):
    """Its text without the numbers, and the numbers."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} scripts of data")
    return page.replace(found[0], ""), found[0]


def shown_part(summary, report):
    """The summary of the page as the report has it: with as many ops, and the commands to run next, which a page has not."""
    same = json.loads(json.dumps(summary))
    same["ops"]["top"] = same["ops"]["top"][:len(report["ops"]["top"])]
    same["next"] = report["next"]
    return same


MOST_ITEMS = 20_000


def lane_items(flat, origin_ps):
    """(start, end, name, runs, idle) of each item of a lane."""
    at, items = origin_ps, []
    for i in range(0, len(flat), 5):
        start = at + flat[i]
        at = start + flat[i + 1]
        items.append((start, at, flat[i + 2], flat[i + 3], flat[i + 4]))
    return items


def rows_of(capture, table):
    return [json.loads(line) for line in run("rows", capture, table, "--format", "json").out.splitlines()]


def many_kernels(count):
    """A PyTorch trace of so many kernels, 1 us each, with gaps of 1 us and now and then of 200 us. Gives it and the busy time in ps."""
    events = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "GPU"}}]
    at = 1000
    for i in range(count):
        events.append({"ph": "X", "cat": "kernel", "name": f"kernel_{i % 7}", "pid": 0, "tid": 7, "ts": at, "dur": 1,
                       "args": {"device": 0, "stream": 7, "correlation": i}})
        at += 202 if i % 1000 == 999 else 2
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}], "traceEvents": events}).encode(), count * 10**6


class Page(Case):
    def page_of(self, *arguments):
        path = self.scratch / "page.html"
        self.check_status(run("report", *arguments, "-o", path), 0)
        return path.read_text(encoding="utf-8")

    def test_one_file_with_a_strict_policy(self):
        for capture in (TPU, KINETO, ASCEND, CPU_RUN, PROBES):
            with self.subTest(capture=capture.name):
                page = self.page_of(capture)
                self.assertLess(len(page.encode()), MOST_BYTES)
                frame, _ = parts_of(page)
                self.assertNotRegex(frame.replace(SVG, ""), r"https?://|//[a-z]+\.|@import|url\(|<link|<img|<iframe| src=| href=\"[^#]")
                policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page).group(1)
                rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
                self.assertEqual(rules["default-src"], "'none'")
                self.assertNotIn("unsafe", policy)
                for rule, kind in (("script-src", "script"), ("style-src", "style")):
                    bodies = re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
                    self.assertEqual(len(bodies), 1)
                    digest = base64.b64encode(hashlib.sha256(bodies[0].encode()).digest()).decode()
                    self.assertEqual(rules[rule], f"'sha256-{digest}'")
                self.assertNotRegex(frame, r"\son\w+=|style=|javascript:")

    def test_numbers_are_those_of_the_report(self):
        for capture in (TPU, KINETO, ASCEND, CPU_RUN):
            with self.subTest(capture=capture.name):
                inside = json.loads(parts_of(self.page_of(capture))[1])
                report = json.loads(run("report", capture, "--json").out)
                self.assertEqual(inside["schema"], "profkit.page")
                for key in ("path", "complete", "reasons", "model"):
                    self.assertEqual(inside[key], report[key], key)
                if "limited" not in inside:
                    self.assertEqual(shown_part(inside["summary"], report["summary"]), report["summary"])

    def inside_of(self, *arguments):
        return json.loads(parts_of(self.page_of(*arguments))[1])

    def test_timeline_is_what_ran(self):
        for capture in (KINETO, ASCEND):
            with self.subTest(capture=capture.name):
                inside = self.inside_of(capture)
                shown = inside["timeline"]
                self.assertEqual(shown["widths_ps"][0], 0)
                lanes = {"compute": "compute", "aicpu": "compute", "comm": "communication", "copy": "copies", "other": "other"}
                printed = [name.partition("…") if "…" in name else (name, "", name)
                           for name in re.findall(r"^  (\S.*?) {2,}\S+ +[\d,]+ +[\d.]+ \w+ ", run("ops", capture, "--limit", "0").out, re.MULTILINE)]
                ran, drawn = {}, {}
                for row in rows_of(capture, "kernels"):
                    ran.setdefault((row["device_name"], lanes[row["kind"]]), []).append((row["start_ps"], row["start_ps"] + row["duration_ps"], row["name"]))
                for device in shown["devices"]:
                    for lane in device["lanes"]:
                        if lane["kind"] != "steps":
                            drawn[device["name"], lane["kind"]] = lane_items(lane["levels"][0], shown["from_ps"])
                self.assertEqual(sorted(drawn), sorted(ran))
                for lane, rows in ran.items():
                    rows.sort()
                    self.assertEqual([item[:2] for item in drawn[lane]], [row[:2] for row in rows])
                    # A name stands for one kernel, and is the one that `ops` prints, whose middle may be left out.
                    names = {row[2]: inside["names"][item[2]] for item, row in zip(drawn[lane], rows)}
                    self.assertEqual([inside["names"][item[2]] for item in drawn[lane]], [names[row[2]] for row in rows])
                    for name in names.values():
                        self.assertTrue(any(name.startswith(begin) and name.endswith(end) for begin, _, end in printed), name)

    def test_gaps_are_those_of_bubbles(self):
        for capture in (KINETO, ASCEND, TPU):
            with self.subTest(capture=capture.name):
                inside = self.inside_of(capture)
                origin = inside["timeline"]["from_ps"]
                shown = [(start + origin, start + origin + length, cause, sure, edge) for _, start, length, cause, sure, edge, *_ in inside["timeline"]["gaps"]]
                gaps = [(row["start_ps"], row["end_ps"], row["cause"], row["certainty"], row["at_edge"])
                        for row in rows_of(capture, "gaps") if not row["inter_step"]]
                self.assertGreater(len(gaps), 0)
                self.assertEqual(shown, gaps)
                self.assertEqual(inside["timeline"]["gaps_left_out"], 0)

    def test_idle_time_that_is_not_listed(self):
        for capture in (KINETO, TPU):
            with self.subTest(capture=capture.name):
                inside = self.inside_of(capture)
                shown = inside["timeline"]
                time = json.loads(run("bubbles", capture, "--json", "--limit", "0").out)["time"]
                for d, device in enumerate(shown["devices"]):
                    idle_ps = sum(row["time_ps"] for row in time if row["device"] == d and row["use"] == "idle")
                    self.assertEqual(device["unlisted_ps"], idle_ps - sum(gap[2] for gap in shown["gaps"] if gap[0] == d))
                    ends, gaps = None, []
                    for start, end in sorted((row["start_ps"], row["start_ps"] + row["duration_ps"]) for row in rows_of(capture, "kernels") if row["device_name"].removeprefix("/device:") == device["name"] and not row["in_flight"]):
                        if ends is not None and start > ends:
                            gaps.append((ends, start))
                        ends = end if ends is None else max(ends, end)
                    listed = [gap[1] + shown["from_ps"] for gap in shown["gaps"] if gap[0] == d]
                    self.assertEqual(device["unlisted_gaps"] or 0, sum(not any(start <= at < end for at in listed) for start, end in gaps))

    def test_a_cause_has_one_colour(self):
        for capture in (KINETO, ASCEND, TPU):
            with self.subTest(capture=capture.name):
                causes = self.inside_of(capture)["verdict"]["causes_by_time"]
                sums = {}
                for row in json.loads(run("bubbles", capture, "--json", "--limit", "0").out)["time"]:
                    if row["device"] is None and row["use"] == "idle" and row["cause"] not in (None, "unexplained"):
                        sums[row["cause"]] = sums.get(row["cause"], 0) + row["time_ps"]
                self.assertEqual(causes, sorted(sums, key=sums.get, reverse=True))
                picture = self.scratch / "timeline.svg"
                self.check_status(run("bubbles", capture, "--svg", picture), 0)
                legend = re.findall(r'class="cause(\d)"/>\n<text[^>]*>waits: ([^<,]+)', picture.read_text(encoding="utf-8"))
                self.assertEqual(legend, [(str(i), cause.replace("_", " ")) for i, cause in enumerate(causes[:5])])

    def test_names_are_those_of_ops(self):
        kernel = "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, at::detail::Array<char*, 3> >(int, at::native::MulFunctor<float>, at::detail::Array<char*, 3>)"
        capture = self.write("mul.pt.trace.json", many_kernels(10)[0].replace(b'"kernel_0"', json.dumps(kernel).encode()))
        self.assertIn("at::native::MulFunctor<float>", run("ops", capture).out)
        inside = self.inside_of(capture)
        self.assertIn("at::native::MulFunctor<float>", {inside["names"][name] for name in inside["op_names"]})
        self.assertNotIn(kernel.removeprefix("void "), inside["names"])
        picture = self.scratch / "timeline.svg"
        self.check_status(run("bubbles", capture, "--svg", picture), 0)
        self.assertIn("<title>1.000 us: at::native::MulFunctor&lt;float&gt;</title>", picture.read_text(encoding="utf-8"))

    def test_no_text_turns_what_is_around_it(self):
        controls = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        page = self.page_of(self.write("turn.xplane.pb", small_tpu(names=(f"a{controls}b \\ é 語", "\u202egpj.exe"))))
        self.assertFalse(set(controls) & set(page))
        names = [op["short_name"] for op in json.loads(parts_of(page)[1])["summary"]["ops"]["top"]]
        self.assertIn("\\xe2\\x80\\xaegpj.exe", names)
        self.assertIn("a" + "".join(f"\\x{byte:02x}" for byte in controls.encode()) + "b \\ é 語", names)

    def test_steps_add_up(self):
        for capture in (ASCEND, TPU):
            with self.subTest(capture=capture.name):
                inside = self.inside_of(capture)
                shown = [(device["name"], bar[0], inside["names"][bar[3]], bar[1], bar[2], *bar[4:]) for device in inside["step_bars"] for bar in device["bars"]]
                steps = [(row["device_name"].removeprefix("/device:"), 1, row["step_id"], row["start_ps"], row["end_ps"], row["compute_only_ps"] + row["comm_overlapped_ps"], row["comm_exposed_ps"],
                          row["copy_ps"], row["other_ps"], row["idle_ps"], row["not_recorded_ps"]) for row in rows_of(capture, "steps")]
                self.assertEqual(shown, steps)
                self.assertTrue(all(sum(bar[5:]) == bar[4] - bar[3] for bar in shown))

    def test_causes_are_those_of_bubbles(self):
        for capture in (KINETO, ASCEND, TPU):
            with self.subTest(capture=capture.name):
                waits = self.inside_of(capture)["waits"]
                found = json.loads(run("bubbles", capture, "--json", "--limit", "0").out)
                self.assertEqual([(c["cause"], c["certainty"], c["gaps"], c["evidence"]) for c in waits["causes"]],
                                 [(c["cause"], c["certainty"], c["gaps"], c["evidence"]) for c in found["causes"]])
                self.assertEqual([(r["text"], r["how"], r["evidence"]) for r in waits["advice"]],
                                 [(r["text"], r["how"], r["evidence"]) for r in found["recommendations"]])

    def test_memory_is_that_of_memory(self):
        for capture, has_run in ((TPU, True), (CPU_RUN, False)):
            with self.subTest(capture=capture.name):
                shown = self.inside_of(capture)["memory"]
                found = json.loads(run("memory", capture, "--json", "--limit", "0").out)
                self.assertEqual(shown["summary"], found["summary"])
                program, hlo = shown["program"], found["hlo"]
                self.assertEqual((program["module"], program["peak_bytes"], program["alive_rows"]), (hlo["module_name"], hlo["static_peak_bytes"], hlo["alive_at_peak"]["n_buffers"]))
                self.assertEqual([(row["bytes"], row["what"], row["shape"]) for row in program["alive"]],
                                 [(row["size_bytes"], row["instruction_name"], row["shape"]) for row in hlo["alive_at_peak"]["buffers"]])
                curve = dict(zip(program["curve"][::2], program["curve"][1::2]))
                self.assertEqual(max(curve.values()), curve[program["peak_event"]])
                self.assertEqual(shown["runtime"] is not None, has_run)
                if not has_run:
                    continue
                ran, runtime = shown["runtime"], found["runtime"]
                self.assertEqual((ran["peak_bytes"], ran["peak_ps"], ran["capacity_bytes"]),
                                 (runtime["peak"]["bytes_total"], runtime["peak"]["ts_ps"], runtime["pool"]["capacity_bytes"]))
                samples = [value for s in runtime["timeline"]["samples"] for value in (s["ts_ns"], s["highest_bytes"] - s["bytes_reserved"], s["bytes_reserved"])]
                self.assertEqual(ran["samples"], samples)
                self.assertEqual(sum(row["bytes"] for row in ran["alive"]), ran["peak_bytes"])

    def test_collectives_and_model(self):
        for capture in (TPU, ASCEND):
            with self.subTest(capture=capture.name):
                shown = self.inside_of(capture)["collectives"]["ops"]
                found = json.loads(run("collectives", capture, "--json", "--limit", "0").out)["ops"]
                facts = ("category", "count", "total_ps", "min_ps", "max_ps", "on_stream")
                self.assertEqual([[row[key] for key in facts] for row in shown], [[row[key] for key in facts] for row in found])
        model = self.inside_of(KINETO)["architecture"]
        found = json.loads(run("architecture", KINETO, "--json").out)
        self.assertEqual(model["limitations"], found["limitations"])
        self.assertEqual([(one["kind"], one["layers"]) for one in model["types"]], [("Dense", 4)])

    def test_nodes_are_those_of_validate(self):
        cluster = cluster_model.Cluster("3.2", "clocks")
        cluster.write_kineto(self.scratch / "clocks")
        cluster_model.Cluster("5.0", "missing").write_xspace(self.scratch / "missing")
        for capture in (ASCEND, self.scratch / "clocks", self.scratch / "missing"):
            with self.subTest(capture=capture.name):
                shown = self.inside_of(capture)["nodes"]
                found = json.loads(run("validate", capture, "--align", "collectives", "--json", "--limit", "0").out)
                facts = [("group", "process_group"), ("calls", "groups"), ("violations", "violations"), ("skew_ps", "mean_arrival_skew_ps"),
                         ("transfer_ps", "mean_transfer_ps"), ("latest_device", "latest_device"), ("latest_count", "latest_count")]
                self.assertEqual([[row[a] for a, _ in facts] for row in shown["ops"]], [[row[b] for _, b in facts] for row in found["ops"]])
                self.assertEqual([row["latest_node"] for row in shown["ops"]],
                                 [None if row["latest_node"] is None else int(row["latest_node"]) for row in found["ops"]])
                rates = lambda rows: [None if row["bus_bytes_per_s"] is None else round(row["bus_bytes_per_s"], -3) for row in rows]
                self.assertEqual(rates(shown["ops"]), rates(found["ops"]))
                self.assertEqual([[row["kind"], str(row["node"]), row["device"], row["call"], row["evidence"]] for row in shown["irregular"]],
                                 [[row["kind"], row["node"], row["device"], row["call"], row["evidence"]] for row in found["irregularities"]])
                intervals = [{key: node.get(key) for key in ("least_offset_ps", "most_offset_ps")} for node in found["alignment"]["nodes"]]
                self.assertEqual([{key: row[key] for key in intervals[0]} for row in shown["clocks"]], intervals)
                self.assertEqual([str(row["node"]) for row in shown["clocks"] if row["is_reference"]], [found["alignment"]["reference_node"]])
        self.assertTrue(shown["irregular"])

    def test_timeline_of_many_kernels(self):
        trace, busy_ps = many_kernels(60_000)
        capture = self.write("many.pt.trace.json", trace)
        page = self.page_of(capture)
        self.assertLess(len(page), MOST_BYTES)
        shown = json.loads(parts_of(page)[1])["timeline"]
        self.assertGreater(shown["widths_ps"][0], 0)
        self.assertEqual(shown["widths_ps"], sorted(shown["widths_ps"]))
        sizes = []
        for level in range(len(shown["widths_ps"])):
            items = [item for device in shown["devices"] for lane in device["lanes"] for item in lane_items(lane["levels"][level], shown["from_ps"])]
            sizes.append(len(items))
            self.assertEqual(sum(item[3] for item in items), 60_000)
            self.assertEqual(sum(item[1] - item[0] - item[4] for item in items), busy_ps)
            self.assertTrue(all(a[1] <= b[0] for a, b in zip(items, items[1:])))
            self.assertTrue(all(item[3] == 1 or item[1] - item[0] <= shown["widths_ps"][level] for item in items))
        self.assertLess(max(sizes), MOST_ITEMS)
        self.assertGreater(max(sizes), MOST_ITEMS / 5)  # as fine as there is room for
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(len(shown["gaps"]), 59)  # each of 200 us is its own
        self.assertEqual({gap[2] for gap in shown["gaps"]}, {201 * 10**6})

    def test_of_several_kernels_the_last_is_shown(self):
        runs = [("a", 7, 0, 100), ("b", 8, 20, 20), ("c", 8, 50, 10), ("d", 9, 55, 30), ("e", 7, 100, 5), ("f", 8, 100, 10)]
        events = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "GPU"}}]
        events += [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": 10 + ts, "dur": dur, "args": {"device": 0, "stream": stream, "correlation": i}}
                   for i, (name, stream, ts, dur) in enumerate(runs)]
        inside = self.inside_of(self.write("nested.pt.trace.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "made up"}], "traceEvents": events}).encode()))
        shown = [("".join(inside["names"][name]), start // 10**6, end // 10**6, runs) for start, end, name, runs, _ in lane_items(inside["timeline"]["devices"][0]["lanes"][0]["levels"][0], 0)]
        self.assertEqual(shown, [("a", 0, 20, 1), ("b", 20, 40, 1), ("a", 40, 50, 0), ("c", 50, 55, 1), ("d", 55, 85, 1), ("a", 85, 100, 0), ("e", 100, 105, 1), ("f", 105, 110, 1)])

    def test_many_steps_share_columns(self):
        count = 700
        steps = [event(100 + i, 1_000_000 * i, 1_000_000 - 1000 * (i % 7)) for i in range(count)]
        ops = [event(1, 1_000_000 * i, 300_000 + 100 * i) for i in range(count)]
        capture = self.write("steps.xplane.pb", plane(1, "/device:TPU:0", line(1, "Steps", steps), line(3, "XLA Ops", ops), event_name(1, "fusion.1"),
                                                         *(event_name(100 + i, str(i)) for i in range(count))))
        bars = self.inside_of(capture)["step_bars"][0]["bars"]
        rows = rows_of(capture, "steps")
        self.assertEqual(len(rows), count)
        self.assertEqual([bar[0] for bar in bars], [3] * 233 + [1])
        for i, bar in enumerate(bars):
            part = rows[3 * i:3 * i + 3]
            self.assertEqual(bar[4:], [sum(row[key] for row in part) for key in ("compute_only_ps", "comm_exposed_ps", "copy_ps", "other_ps", "idle_ps", "not_recorded_ps")])
            self.assertEqual((bar[1], bar[2]), (part[0]["start_ps"], part[-1]["end_ps"]))

    def test_timeline_keeps_to_the_filter(self):
        whole, part = (self.inside_of(TPU, *filters)["timeline"] for filters in ((), ("--step", "40")))
        steps = [lane for device in part["devices"] for lane in device["lanes"] if lane["kind"] == "steps"]
        self.assertEqual([len(lane["levels"][0]) for lane in steps], [5] * 4)
        self.assertLess(part["to_ps"] - part["from_ps"], (whole["to_ps"] - whole["from_ps"]) / 20)

    def test_names_cannot_leave_the_data(self):
        hostile = "</script><img onerror=alert(1)>"
        name = "<b>&\"'<!--x.xplane.pb"
        capture = self.write(name, small_tpu(names=(hostile, "<!--<script>"), errors=("</script>lost",)))
        page = self.page_of(capture)
        frame, inside = parts_of(page)
        self.assertNotIn("<", inside)
        for hostile_part in ("<img", "<b>", "<!--", "onerror"):
            self.assertNotIn(hostile_part, frame)
        self.assertEqual(html.unescape(re.search("<title>(.*?)</title>", frame).group(1)), name + " – profkit report")
        names = [op["short_name"] for op in json.loads(inside)["summary"]["ops"]["top"]]
        self.assertIn(hostile, names)

    def test_bytes_that_are_no_text(self):
        inside = parts_of(self.page_of(self.write("odd.xplane.pb", small_tpu(names=(b"\xff\xfe\x01 op", "b")))))[1]
        names = [op["short_name"] for op in json.loads(inside)["summary"]["ops"]["top"]]
        self.assertIn("\\xff\\xfe\x01 op", names)

    def test_damage_and_other_extensions(self):
        cut = self.write("cut.xplane.pb", TPU.read_bytes()[:400_000])
        path = self.scratch / "page.HTML.html"
        outcome = run("report", cut, "-o", path)
        self.check_status(outcome, 5)
        inside = json.loads(parts_of(path.read_text(encoding="utf-8"))[1])
        self.assertFalse(inside["complete"])
        self.assertEqual(len(inside["damage"]), 1)
        for name in ("page.txt", "page", "html"):
            self.check_status(run("report", KINETO, "-o", self.scratch / name), 0)
            self.assertTrue((self.scratch / name).read_text(encoding="utf-8").startswith("profkit report"))
        self.check_status(run("report", KINETO, "--json", "-o", self.scratch / "json.html"), 0)
        self.assertEqual(json.loads((self.scratch / "json.html").read_text(encoding="utf-8"))["schema"], "profkit.report")


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 4000
    harness.main(sys.modules[__name__])
