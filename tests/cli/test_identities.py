"""What the documents promise to add up adds up, and no share is above 100 %, on every capture of the corpus."""
import json
import os
import re
import sys
import unittest

import harness
from harness import DATA, corpus, run

MOST_BYTES = 300_000 if os.environ.get("PROFKIT_SANITIZED") else 60_000_000  # the sums are the same under sanitizers
SHARE = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?) ?%(?!\w)")
COMMANDS = (["report"], ["bubbles"], ["roofline"], ["collectives"], ["ops"], *(["ops", "--by", key] for key in ("module", "range", "program", "category")),
            ["steps"], ["framework"], ["memory"], ["architecture"], ["explain"], ["modules"], ["validate"], ["info"])


def captures():
    more = corpus()
    places = [DATA] + ([more / name for name in ("kineto", "xspace", "jax", "ascend")] + [more.parent / "cases" / "met"] if more else [])
    for place in places:
        for path in sorted(place.rglob("*")):
            if path.is_dir() and path.name.endswith("_ascend_pt"):
                yield path
            elif path.is_file() and path.stat().st_size <= MOST_BYTES and re.search(r"(\.json(\.gz)?|\.xplane\.pb)$", path.name) \
                    and "_ascend_pt" not in str(path.parent):
                yield path


class Identities(unittest.TestCase):
    def test_parts_of_steps_and_of_time(self):
        steps = 0
        for path in captures():
            done = run("bubbles", path, "--json", "--limit", "0", "-q")
            if done.status not in (0, 5):
                continue
            found = json.loads(done.out)
            if found["status"] not in ("ok", "partial") or not found.get("steps"):
                continue
            with self.subTest(path=str(path)):
                service_ps, total = 0, found["steps_total"]
                for step in found["steps"]:
                    exact, parts = step["exact_ps"], step["breakdown"]
                    length = exact["end"] - exact["start"]
                    service_ps += length
                    steps += 1
                    self.assertEqual(exact["busy"] + exact["prelaunch"] + exact["internal"] + exact["tail"] + parts["not_recorded_ps"], length)
                    self.assertEqual(sum(parts.values()), length)
                    self.assertLessEqual(exact["busy"], length)
                if total == len(found["steps"]):
                    in_steps = [row for row in found["time"] if row["device"] is None and row["in_steps"]]
                    self.assertEqual(sum(row["time_ps"] for row in in_steps), service_ps)
                    causes = sum(cause["time_ns"] * 1000 for cause in found["causes"]
                                 if cause["target_id"] and not cause["cause"].startswith("exposed_"))
                    idle = sum(row["time_ps"] for row in in_steps if row["use"] == "idle")
                    self.assertLessEqual(causes, idle + 1_000 * len(found["causes"]))
                for row in found["time"]:
                    self.assertTrue(0 <= row["share"] <= 1, row)
        self.assertGreater(steps, 3)

    def test_no_share_is_above_the_whole(self):
        for path in captures():
            for command in COMMANDS:
                out = run(*command, path, "--color=never", "-q").out
                for line in out.splitlines():
                    over = [text for text in SHARE.findall(line) if float(text.replace(",", "")) > 100]
                    self.assertFalse(over, f"{' '.join(command)} {path}: {line}")


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
