#!/usr/bin/env python3
"""The page of `report -o NAME.html`, as a file: test_page.py PROFKIT."""
import base64
import hashlib
import json
import re
import sys
import unittest

import harness
from harness import CPU_RUN, DATA, TPU, Case, run, small_tpu

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

    def test_names_cannot_leave_the_data(self):
        hostile = "</script><img onerror=alert(1)>"
        capture = self.write("<b>&\"'</title>.xplane.pb", small_tpu(names=(hostile, "<!--<script>"), errors=("</script>lost",)))
        page = self.page_of(capture)
        frame, inside = parts_of(page)
        self.assertNotIn("<", inside)
        for hostile_part in ("<img", "<b>", "<!--", "onerror"):
            self.assertNotIn(hostile_part, frame)
        self.assertEqual(len(re.findall("</title>", page)), 1)
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
