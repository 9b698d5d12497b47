#!/usr/bin/env python3
"""One capture, one answer: report, bubbles, explain, page, rows, fleet and validate say the same of it: test_agreement.py PROFKIT"""
import html
import json
import os
import re
import sys
import unittest

import harness
from harness import CPU_RUN, DATA, TPU, Case, corpus, run

OURS = [DATA / "kineto" / "h100_bert_small.pt.trace.json.gz", TPU, DATA / "xspace" / "jax08_gemm_mi300.xplane.pb", DATA / "ascend" / "two_ranks", CPU_RUN]
MORE = ["kineto/dlrm_8_ranks", "kineto/h100_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "kineto/mi300_Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "kineto/resnet50_nw0_1623143089861.pt.trace.json.gz", "kineto/nccl_data.json.gz", "kineto/inference_sglang_decode_sglang_Qwen3-8B_decode.json.gz",
        "kineto_devices/mtia_inference_rank_0.json.gz", "kineto_devices/mi250_minitoy_train_ROCm6_2_kineto.json.gz", "xspace/gpu_tf_2020_8gpu.xplane.pb",
        "xspace/jax08_attention_mi300.xplane.pb"]
SAY_NOTHING = ("unknown", "host_untraced", "device_dependency")
LEAST_SHARE = 0.02
EXPOSED = {"exposed_comm": "communication that no compute hides", "exposed_copy": "copies that no compute hides"}


def captures():
    yield from OURS
    if corpus() and "PROFKIT_SANITIZED" not in os.environ:
        yield from (corpus() / name for name in MORE)


def document(*arguments):
    return json.loads(run(*arguments, "--json", "--limit", "0").out)


def first(rows):
    """The first of the rows of causes that says why."""
    return next((row for row in rows if row["cause"] not in SAY_NOTHING), None)


def sums_by_use(rows):
    sums = {}
    for row in rows:
        sums[row["use"]] = sums.get(row["use"], 0) + row["time_ps"]
    return sums


def page_of(path, capture):
    run("report", capture, "-o", path)
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1])


class AgreementTest(Case):
    def test_surfaces(self):
        for number, capture in enumerate(captures()):
            with self.subTest(capture=str(capture)):
                self.compare(capture, number)

    def compare(self, capture, number):
        report, brief, bubbles = document("report", capture), json.loads(run("report", capture, "--brief", "--json").out), document("bubbles", capture)
        idle, verdict = report["summary"]["idle"], report["summary"]["verdict"]
        self.assertEqual(brief["summary"]["verdict"], verdict)
        self.assertEqual(report["bubbles"]["leading_cause"], bubbles["leading_cause"])
        of_steps = [row for row in bubbles["time"] if row["device"] is None and row["in_steps"]]
        if idle is None:
            self.assertEqual((of_steps, bubbles["leading_cause"]), ([], None))
            return
        leading = idle["leading_cause"]
        self.assertEqual(leading, bubbles["leading_cause"])
        self.assertEqual(brief["summary"]["idle"]["leading_cause"], leading)

        # The largest sum of the rows that says why, where most of it is sure enough, worked out anew.
        causes = {}
        for row in of_steps:
            cause = row["cause"] or {"exposed_communication": "exposed_comm", "exposed_copies": "exposed_copy"}.get(row["use"])
            if cause and cause not in (*SAY_NOTHING, "unexplained"):
                of = causes.setdefault(cause, [0, 0])
                of[0] += row["time_ps"]
                of[1] += row["time_ps"] if row["certainty"] in ("likely", "proved") else 0
        named = [(time, cause) for cause, (time, sure) in causes.items() if 2 * sure >= time and time >= int(LEAST_SHARE * idle["service_ps"])]
        self.assertEqual(max(named)[::-1] if named else None, (leading["cause"], leading["time_ps"]) if leading else None)
        self.assertEqual(sums_by_use(of_steps), sums_by_use(idle["time"]))
        self.assertEqual(sum(sums_by_use(of_steps).values()), idle["service_ps"])

        # The sentence, the screens and the page.
        listed = [f["id"] for f in document("explain", capture)["findings"]]
        self.assertEqual(listed, [f["id"] for f in report["findings"]])
        of_idle = [name for name in listed if name.startswith("bubbles.")]
        if leading:
            meaning = page_of(self.scratch / f"{number}.html", capture)["verdict"]["causes"][leading["cause"]]
            share = f"{100 * leading['share']:.1f} %"
            self.assertIn(EXPOSED.get(leading["cause"], meaning), verdict)
            if leading["cause"] not in EXPOSED:
                self.assertIn(f"{meaning} ({share})", verdict)
            screen = " ".join(run("bubbles", capture).out.split())
            self.assertIn(f"The largest that is known: {meaning}, {share} of the time", screen)
            if f"bubbles.cause.{leading['cause']}" in listed:
                self.assertEqual(of_idle[0], f"bubbles.cause.{leading['cause']}")
            elif any(name.startswith("bubbles.cause.") for name in listed):
                self.fail(f"{listed} lacks the leading cause {leading['cause']}")
        page = page_of(self.scratch / f"{number}.html", capture)
        self.assertEqual(html.unescape(page["verdict"]["text"]), verdict)

        # One zero: a gap of the page is a row of `gaps`, and `--time` takes its times.
        timeline = page["timeline"]
        if timeline["gaps"]:
            starts = {(row["start_ps"], row["end_ps"] - row["start_ps"]) for row in
                      (json.loads(one) for one in run("rows", capture, "gaps", "--format", "json").out.splitlines())}
            shown = {(timeline["from_ps"] + gap[1], gap[2]) for gap in timeline["gaps"]}
            self.assertEqual(shown - starts, set())
            start, length = min(shown)
            self.assertIn(run("tree", capture, "--time", f"{start - 1000}ps:{start + length + 1000}ps").status, (0, 4))

        # The last rank.
        nodes = document("validate", capture) if capture.is_dir() else {}
        if leading and leading["cause"] == "straggler_wait":
            arrivals = nodes["arrivals"]
            finding = next(f for f in report["findings"] if f["id"] == "bubbles.cause.straggler_wait")
            self.assertIn(f"rank {arrivals['latest_rank']} comes last in", finding["what"])
            self.assertEqual(str(idle["rank_waited_for"]), arrivals["latest_rank"])
        if "sql" not in harness.LEFT_OUT:
            self.compare_fleet(capture, leading, [row for row in bubbles["time"] if row["device"] is None], nodes)

    def check_seconds(self, found, sums_ps):
        self.assertEqual(set(found), set(sums_ps))
        for key, seconds in found.items():  # seconds are sums of doubles
            self.assertAlmostEqual(seconds, sums_ps[key] / 1e12, 9, msg=str(key))

    def compare_fleet(self, capture, leading, time, nodes):
        answers = {question["name"]: [dict(zip(question["columns"], row)) for row in question["rows"]]
                   for question in json.loads(run("fleet", capture, "--json").out)["questions"]}
        self.check_seconds({row["use"]: row["seconds"] for row in answers["uses"]}, sums_by_use(time))
        waits = {}
        for row in time:
            if row["use"] == "idle":
                cause = row["cause"] if row["cause"] not in (None, "unexplained") else "unknown"
                key = (cause, "steps" if row["in_steps"] else "no step")
                waits[key] = waits.get(key, 0) + row["time_ps"]
        self.check_seconds({(row["cause"], row["during"]): row["seconds"] for row in answers["causes"] if row["cause"] not in EXPOSED}, waits)
        here = first([row for row in answers["causes"] if row["during"] == "steps"])
        if leading and leading["cause"] == "straggler_wait":
            # Each capture is read alone there: that ranks wait for each other is the answer to another of its questions.
            self.assertEqual((here["cause"], answers["waits"][0]["last"]), ("exposed_comm", f"rank {nodes['arrivals']['latest_rank']}"))
        elif leading:
            self.assertEqual((here["cause"], round(here["seconds"] * 1e12)), (leading["cause"], leading["time_ps"]))


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
