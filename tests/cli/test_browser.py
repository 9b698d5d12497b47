#!/usr/bin/env python3
"""The page of `report -o NAME.html` in a headless Chromium: test_browser.py PROFKIT. PROFKIT_SLOW=1 opens pages of all kinds of
captures; without it one small capture is enough."""
import json
import os
import re
import sys
import unittest

import harness
from browser import Browser, browser_path
from harness import CPU_RUN, DATA, TPU, Case, corpus, run
from test_page import ASCEND, KINETO, PROBES, many_kernels, rows_of

SLOW = os.environ.get("PROFKIT_SLOW") == "1"
WHY_NOT = "no browser: the package chromium is not installed"


def duration(ps):
    """As the command prints it."""
    if ps < 1000:
        return f"{ps} ps"
    for name, step, most in (("ns", 1, 1000000), ("us", 10**3, 1000000), ("ms", 10**6, 1000000), ("s", 10**9, 60000)):
        thousandths = (2 * ps + step) // (2 * step)
        if thousandths < most:
            return f"{thousandths // 1000}.{thousandths % 1000:03} {name}"
    ms = (ps + 5 * 10**8) // 10**9
    if ms < 3600000:
        return f"{ms // 60000} min {ms // 1000 % 60:02}.{ms % 1000:03} s"
    minutes = (ms + 30000) // 60000
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def share(part, whole):
    tenths = (2000 * part + whole) // (2 * whole)
    return "<0.1 %" if part > 0 and tenths == 0 else f"{tenths // 10}.{tenths % 10} %"


@unittest.skipIf(browser_path() is None, WHY_NOT)
class Opened(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, capture, *arguments):
        """Opens the page of a capture, and gives its report as JSON."""
        path = self.scratch / "page.html"
        self.assertIn(run("report", capture, *arguments, "-o", path).status, (0, 5))
        self.browser.errors.clear()
        self.browser.open(path)
        self.check_console()
        return json.loads(run("report", capture, *arguments, "--json").out)

    def check_console(self):
        self.browser.value("1")  # what was said before has come by then
        self.assertEqual(self.browser.errors, [])

    def check_verdict(self, report):
        idle = report["summary"]["idle"]
        if not idle or not idle["time"]:
            self.assertEqual(self.browser.texts("#verdict .parts tr"), [])
            return
        shown = self.browser.value("[...document.querySelectorAll('#verdict .parts tr')].map((r) => [r.dataset.use, r.dataset.cause || null, "
                                   "...[...r.querySelectorAll('td.number')].map((c) => c.innerText)])")
        expected = {}
        for row in idle["time"]:
            cause = "unknown" if row["use"] == "idle" and row["cause"] in (None, "unexplained") else row["cause"]
            expected[row["use"], cause] = expected.get((row["use"], cause), 0) + row["time_ps"]
        self.assertEqual(sum(expected.values()), idle["service_ps"])
        self.assertEqual(sorted(map(str, shown)), sorted(str([use, cause, share(ps, idle["service_ps"]), duration(ps)])
                                                        for (use, cause), ps in expected.items()))

    def check_ops(self, report):
        top = report["summary"]["ops"]["top"]
        times = self.browser.value("[...document.querySelectorAll('#ops tbody tr')].map((r) => r.cells[2].innerText)")
        self.assertEqual(times[:len(top)], [duration(op["self_ps"]) for op in top][:len(times)])
        shares = self.browser.value("[...document.querySelectorAll('#ops tbody tr')].map((r) => r.cells[1].innerText.trim())")
        self.assertEqual(shares[:len(top)], [share(op["self_ps"], report["summary"]["busy_ps"]) for op in top][:len(shares)])

    def drawn(self):
        """What the timeline shows: its first and last moment, and how many items."""
        frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.browser.ask("Runtime.evaluate", expression=frame, awaitPromise=True)
        shown = self.browser.value("({...document.querySelector('#timeline canvas').dataset})")
        return float(shown["from"]), float(shown["to"]), int(shown["items"])

    def check_timeline(self, capture):
        gaps = [row for row in rows_of(capture, "gaps") if not row["inter_step"]]
        longest = max(gaps, key=lambda row: row["end_ps"] - row["start_ps"])
        whole = self.drawn()
        self.assertGreater(whole[2], 0)
        self.browser.value("[...document.querySelectorAll('#timeline button')].find((b) => b.innerText === 'Longest gap').click()")
        from_ps, to_ps, _ = self.drawn()
        length = longest["end_ps"] - longest["start_ps"]
        self.assertAlmostEqual((to_ps - from_ps) / min(2.2 * length, whole[1]), 1, 2)
        panel = "\n".join(self.browser.texts("#timeline .panel"))
        self.assertIn(f"Gap of {duration(length)} on ", panel)
        self.assertIn(f"at {duration(longest['start_ps'])} since the capture's origin", panel)
        self.assertIn("at an edge" if longest["at_edge"] else "nothing on record" if longest["cause"] == "unexplained"
                      else f"{longest['cause'].replace('_', ' ')} ({longest['certainty']})", panel)
        self.browser.value("document.querySelector('#timeline canvas').focus()")
        self.browser.key("+")
        self.assertAlmostEqual(self.drawn()[1] - self.drawn()[0], max(1000, (to_ps - from_ps) / 2), delta=1)
        self.browser.key("n")
        if len(gaps) > 1:
            self.assertNotEqual("\n".join(self.browser.texts("#timeline .panel")), panel)
        self.browser.key("0")
        self.assertEqual(self.drawn(), whole)
        self.browser.key("Escape")
        self.assertEqual(self.browser.texts("#timeline .panel"), [""])

    def check_waits(self):
        """A click on a cause shows its longest gap."""
        self.browser.value("document.querySelector('#waits .causes button').click()")
        row = self.browser.value("document.querySelector('#waits .causes button').closest('tr').innerText")
        length = re.search(r"the longest, ([\d.]+ \w+)", row) or re.search(r"([\d.]+ \w+)", row)
        self.assertIn(f"Gap of {length.group(1)} on ", "\n".join(self.browser.texts("#timeline .panel")))
        self.assertEqual(self.browser.value("document.activeElement.tagName"), "CANVAS")

    def check_tip(self):
        """A pointer on the first gap: the numbers come first, on the clock of the capture."""
        self.browser.value("document.querySelector('#timeline').scrollIntoView()")
        left, bottom = self.browser.value("(({left, bottom}) => [left, bottom])(document.querySelector('#timeline canvas').getBoundingClientRect())")
        self.browser.mouse("mouseMoved", left + 136, bottom - 20)
        first = min((row for row in rows_of(KINETO, "gaps") if not row["inter_step"]), key=lambda row: row["start_ps"])
        self.assertTrue(self.browser.texts("#timeline .tip")[0].startswith(f"{duration(first['end_ps'] - first['start_ps'])} idle, from {duration(first['start_ps'])}"))

    def test_a_small_capture(self):
        report = self.open(KINETO)
        self.check_verdict(report)
        self.check_ops(report)
        self.check_timeline(KINETO)
        self.check_tip()
        self.check_waits()
        # A link scrolls by itself: in a frame without an address of its own it would load what is around the frame.
        self.browser.value("document.querySelector('nav a[href=\"#capture\"]').click()")
        self.assertEqual(self.browser.value("location.hash"), "")
        self.assertGreater(self.browser.value("scrollY"), 500)
        # Every heading is reached from the top, and everything that can be clicked or drawn has a name.
        self.assertEqual(self.browser.value("[...document.querySelectorAll('nav a')].filter((a) => !document.querySelector(a.hash)).length"), 0)
        self.assertEqual(self.browser.value("[...document.querySelectorAll('button, input, canvas, svg, [role=img], [role=region]')]"
                                            ".filter((e) => !(e.innerText || '').trim() && !e.getAttribute('aria-label') && !e.querySelector(':scope > title') && !e.hidden).map((e) => e.outerHTML)"), [])
        # What the library drew stands in its section, in the colours of the page.
        self.assertGreater(self.browser.value("document.querySelectorAll('#calls svg rect.frame').length"), 50)
        self.assertEqual(self.browser.value("getComputedStyle(document.querySelector('#calls rect.frame')).fill"), "rgb(76, 107, 60)")
        # Search.
        names = report["summary"]["ops"]["names"]
        self.assertEqual(self.browser.texts("#ops .count"), [f"{names} ops"])
        self.browser.type("#ops input", "flash fwd")
        found = self.browser.texts("#ops tbody .name")
        self.assertEqual(len(found), 1)
        self.assertIn("flash", found[0])
        self.assertEqual(self.browser.texts("#ops .count"), [f"1 of {names} ops"])
        self.browser.type("#ops input", " nothing")
        self.assertEqual(self.browser.texts("#ops tbody tr"), [])
        # Sort.
        self.browser.value("(document.querySelector('#ops input').value = '', document.querySelector('#ops input').dispatchEvent(new Event('input')))")
        self.browser.value("[...document.querySelectorAll('#ops th button')].find((b) => b.innerText === 'runs').click()")
        runs = [int(text.replace(",", "")) for text in self.browser.value("[...document.querySelectorAll('#ops tbody tr')].map((r) => r.cells[3].innerText)")]
        self.assertEqual(runs, sorted(runs, reverse=True))
        self.assertEqual(self.browser.value("document.querySelectorAll('#ops th[aria-sort=descending]').length"), 1)
        self.check_console()

    def test_a_cause_has_one_row(self):
        self.open(TPU)
        causes = [row["cause"] for row in json.loads(run("bubbles", TPU, "--json", "--limit", "0").out)["causes"]]
        self.assertGreater(len(causes), len(set(causes)))
        shown = self.browser.value("[...document.querySelectorAll('#waits .causes th')].map((th) => th.childNodes[1].textContent)")
        self.assertEqual(sorted(shown), sorted(cause.replace("_", " ") for cause in set(causes)))

    def test_the_gap_is_scrolled_to(self):
        """Of more devices than there is room for, the last."""
        devices = 40
        events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": d, "tid": 7, "ts": 1000 + i * (900 if d == devices - 1 else 500), "dur": 100,
                   "args": {"device": d, "stream": 7, "correlation": 10 * d + i}} for d in range(devices) for i in range(3)]
        self.open(self.write("many.pt.trace.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": d, "name": "made up"} for d in range(devices)], "traceEvents": events}).encode()))
        self.browser.value("[...document.querySelectorAll('#timeline button')].find((b) => b.innerText === 'Longest gap').click()")
        above, holder, height = self.browser.value("((e) => [e.scrollTop, e.clientHeight, e.scrollHeight])(document.querySelector('#timeline .canvas'))")
        self.assertGreater(height, holder)
        self.assertAlmostEqual(above + holder, height, delta=40)

    def test_on_paper(self):
        ops = range(1, 34)
        self.open(self.write("ops.xplane.pb", harness.plane(1, "/device:TPU:0", harness.line(3, "XLA Ops", [harness.event(i, 1000 * i, 500) for i in ops]),
                                                            *(harness.event_name(i, f"fusion.{i} with a long name " + 20 * "of_parts_") for i in ops))))
        self.browser.ask("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.browser.ask("Emulation.setDeviceMetricsOverride", width=718, height=1000, deviceScaleFactor=1, mobile=False)
        try:
            self.assertEqual(self.browser.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            wide = self.browser.value("[...document.querySelectorAll('html, .scroll, table')].filter((e) => e.scrollWidth > e.clientWidth + 1).length")
            self.assertEqual(wide, 0)
            left = self.browser.value("getComputedStyle(document.querySelector('#ops .more'), '::after').content")
            self.assertEqual(left, '"13 more ops are left out."')
        finally:
            self.browser.ask("Emulation.setEmulatedMedia", media="", features=[])
            self.browser.ask("Emulation.clearDeviceMetricsOverride")

    @unittest.skipUnless(SLOW, "PROFKIT_SLOW=1 opens the pages of all kinds of captures")
    def test_all_kinds(self):
        captures = [TPU, ASCEND, CPU_RUN, PROBES, DATA / "xspace" / "jax08_gemm_mi300.xplane.pb"]
        if corpus():
            captures += sorted((corpus() / "kineto").glob("*.json.gz")) + [corpus() / "xspace" / "gpu_tf_2020_8gpu.xplane.pb"]
        for capture in captures:
            with self.subTest(capture=capture.name):
                report = self.open(capture)
                self.check_verdict(report)
                self.check_ops(report)
                if self.browser.texts("#timeline .tools button:nth-child(6)"):
                    self.check_timeline(capture)
                for x in (0.1, 0.5, 0.9):
                    for picture in range(self.browser.value("document.querySelectorAll('section svg').length")):
                        self.browser.value(f"document.querySelectorAll('section svg')[{picture}].scrollIntoView()")
                        left, top, width, height = self.browser.value(f"(({{x, y, width, height}}) => [x, y, width, height])(document.querySelectorAll('section svg')[{picture}].getBoundingClientRect())")
                        self.browser.mouse("mouseMoved", left + x * width, top + height / 2)
                self.check_console()
                sections = self.browser.value("[...document.querySelectorAll('section')].map((s) => [s.id, s.innerText.length])")
                self.assertIn("completeness", [name for name, _ in sections])
                self.assertTrue(all(size > 20 for _, size in sections), sections)
                wide = self.browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(wide, 0)

    @unittest.skipUnless(SLOW, "PROFKIT_SLOW=1 measures frames")
    def test_frames_while_zooming(self):
        self.open(self.write("many.pt.trace.json", many_kernels(60_000)[0]))
        self.assertGreater(self.drawn()[2], 0)
        zoom = """new Promise((done) => {
          const canvas = document.querySelector('#timeline canvas'), times = [];
          let last = performance.now(), left = 60;
          const step = () => {
            const now = performance.now();
            times.push(now - last);
            last = now;
            if (--left === 0) return done(times.sort((a, b) => a - b)[30]);
            canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: left % 20 < 10 ? -120 : 120, ctrlKey: true, cancelable: true, clientX: 600, clientY: 10}));
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);
        })"""
        median = self.browser.ask("Runtime.evaluate", expression=zoom, awaitPromise=True, returnByValue=True)["result"]["value"]
        print(f"median frame while zooming: {median:.1f} ms")
        self.assertLess(median, 50)

    @unittest.skipUnless(SLOW, "PROFKIT_SLOW=1 looks at hostile names")
    def test_hostile_names(self):
        hostile = "</script><img src=x onerror=document.title='taken'>"
        capture = self.write("<b>.xplane.pb", harness.small_tpu(names=(hostile, "<b>bold</b>")))
        self.open(capture)
        self.assertIn(re.sub(r"\s", "", hostile)[:20], re.sub(r"\s", "", "".join(self.browser.texts("#ops tbody .name"))))
        self.assertEqual(self.browser.value("document.querySelectorAll('img, b').length"), 0)
        self.assertNotEqual(self.browser.value("document.title"), "taken")


if __name__ == "__main__":
    harness.main(sys.modules[__name__])
