"""What the documents promise to add up adds up, and no share is above 100 %, on every capture of the corpus."""
import collections
import json
import os
import pathlib
import re
import sys
import unittest

import harness
from harness import DATA, corpus, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import documents  # noqa: E402
import enums  # noqa: E402

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


def amount(value, path):
    """What stands at a path of a sum; of a list and of `*` all together."""
    if not path:
        return value
    word, *rest = path
    if word == "*":
        return sum(value.values())
    if word.endswith("[]"):
        return sum(amount(each, rest) for each in value[word[:-2]])
    return amount(value[word], rest)


def sums_in(schemas, at, record, value):
    """(the record's name, a sum that its description states, the object) for all of a document."""
    for equation in record.sums:
        yield f"{record.document}.{record.name}", equation, value
    for place, field in schemas.flat(at, record.fields):
        below, inner = schemas.record_of(place, field), value.get(field.name)
        if below and inner is not None:
            for each in inner if isinstance(inner, list) else [inner]:
                yield from sums_in(schemas, *below, each)


class Identities(unittest.TestCase):
    def test_what_descriptions_say_adds_up(self):
        schemas = documents.read(ROOT, enums.read((ROOT / enums.SCHEMA).read_text(encoding="utf-8")))
        stated = {(f"{r.document}.{r.name}", equation) for made in schemas.documents.values() for r in made.records.values() for equation in r.sums}
        seen = collections.Counter()
        for path in captures():
            done = run("report", path, "--json", "--limit", "0", "-q")  # with the documents of all its parts
            if done.status not in (0, 5):
                continue
            found = json.loads(done.out)
            if found["status"] not in ("ok", "partial"):
                continue
            for record, equation, value in sums_in(schemas, "report", schemas.documents["report"].root, found):
                seen[record, equation] += 1
                difference = sum(sign * amount(value, term) for sign, term in documents.terms(equation))
                self.assertEqual(difference, 0, f"{path}: {record}: {equation}")
            if found["bubbles"] and found["bubbles"].get("steps"):
                with self.subTest(path=str(path)):
                    self.check_time_and_causes(found["bubbles"])
        missing = stated - set(seen)
        self.assertFalse({one for one in missing if corpus() or one[0] == "bubbles.step"}, "in no document")

    def check_time_and_causes(self, found):
        lengths = [step["exact_ps"]["end"] - step["exact_ps"]["start"] for step in found["steps"]]
        for step, length in zip(found["steps"], lengths):
            self.assertLessEqual(step["exact_ps"]["busy"], length)
        if found["steps_total"] == len(found["steps"]):
            in_steps = [row for row in found["time"] if row["device"] is None and row["in_steps"]]
            self.assertEqual(sum(row["time_ps"] for row in in_steps), sum(lengths))
            causes = sum(cause["time_ns"] * 1000 for cause in found["causes"]
                         if cause["target_id"] and not cause["cause"].startswith("exposed_"))
            idle = sum(row["time_ps"] for row in in_steps if row["use"] == "idle")
            self.assertLessEqual(causes, idle + 1_000 * len(found["causes"]))
        for row in found["time"]:
            self.assertTrue(0 <= row["share"] <= 1, row)

    def test_no_share_is_above_the_whole(self):
        for path in captures():
            for command in COMMANDS:
                out = run(*command, path, "--color=never", "-q").out
                for line in out.splitlines():
                    over = [text for text in SHARE.findall(line) if float(text.replace(",", "")) > 100]
                    self.assertFalse(over, f"{' '.join(command)} {path}: {line}")


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
