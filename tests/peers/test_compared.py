#!/usr/bin/env python3
"""profkit beside XProf, Holistic Trace Analysis and TraceLens: what it finds is what results/*.tsv say, every difference has a
reason, each reason is what the captures say, and docs/compared.md has these tables. The peers' numbers are those that are stored.
"""
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "truth")]
sys.dont_write_bytecode = True
import compare  # pylint: disable=wrong-import-position
import evidence  # pylint: disable=wrong-import-position
import truth  # pylint: disable=wrong-import-position

NUMBERS = {peer: json.loads(compare.numbers_file(peer).read_text()) for peer in compare.PEERS}
RESULTS = {peer: {(r["capture"], r["table"]): r for r in compare.read_results(peer)} for peer in compare.PEERS}


def at(capture):
    return next((compare.path_of(peer, capture) for peer in compare.PEERS if capture in compare.PEERS[peer]), None)


def said(peer, capture, table):
    return NUMBERS[peer]["captures"][capture][table]


class ComparedTest(unittest.TestCase):
    maxDiff = None

    def check(self, peer, capture):
        if compare.path_of(peer, capture) is None:
            self.skipTest(f"needs PROFKIT_CORPUS: {capture}")
        only = {"captures": {capture: NUMBERS[peer]["captures"][capture]}}
        for row, differs in compare.results_of(peer, compare.Profkit(truth.PROFKIT), only):
            row["reasons"] = compare.reasons_of(peer, row, differs)
            with self.subTest(table=row["table"]):
                self.assertNotIn("?", row["reasons"])
                self.assertEqual({f: str(row.get(f, "-")) for f in compare.FIELDS}, RESULTS[peer][capture, row["table"]])

    def test_all_captures_are_there(self):
        for peer, captures in compare.PEERS.items():
            self.assertEqual(NUMBERS[peer]["captures"].keys(), captures.keys())
            self.assertEqual({capture for capture, _ in RESULTS[peer]}, captures.keys())
            self.assertLess(compare.numbers_file(peer).stat().st_size, 200_000)

    def test_page(self):
        page = compare.PAGE.read_text()
        self.assertEqual(page, compare.page_with_tables(page), "compare.py PROFKIT --write writes the tables")

    def test_reasons_are_used(self):
        used = {i for rows in RESULTS.values() for r in rows.values() for i in r["reasons"].split(",")} - {"-"}
        self.assertEqual(used, {r["id"] for r in compare.reasons()})
        self.assertEqual({r["right"] for r in compare.reasons()} - {"profkit", "both", *compare.PEERS}, set())

    def test_differences_are_noticed(self):
        ours = {"a": {"count": 1, "self_ps": 1000, "flops": 5}, "b": {"count": 1, "self_ps": 7, "flops": 0}, "c": {"count": 1}}
        theirs = {"a": {"count": 1, "self_ps": 1001, "flops": 5}, "b": {"count": 2, "self_ps": 7, "flops": 3}, "d": {"count": 1}}
        row, differs = compare.compared(ours, theirs, 0.01)
        self.assertEqual([d[:2] for d in differs], [("count", "b"), ("flops", "b"), ("only_peer", "d"), ("only_profkit", "c")])
        self.assertEqual([row[f] for f in compare.FIELDS[2:-1]], [4, 1, 1, 1, "0.5", "-", "0", "1", "-", "different"])
        self.assertEqual([d[:2] for d in compare.compared(ours, theirs, 1e-6)[1]][:2], [("self_ps", "a"), ("count", "b")])
        self.assertTrue(compare.reasons_of("xprof", {"capture": "tpu_v6e_inference", "table": "hlo_stats"}, differs).startswith("?"))


def check_of(peer, capture):
    return lambda self: self.check(peer, capture)


def evidence_of(name):
    def test(self):
        if truth.is_sanitized():
            self.skipTest("nothing of profkit is run here")
        if not getattr(evidence, name)(at, said):
            self.skipTest("needs PROFKIT_CORPUS")
    return test


for each, its_captures in compare.PEERS.items():
    for one in its_captures:
        setattr(ComparedTest, f"test_{each}_{one}", check_of(each, one))
for each in sorted({r["evidence"] for r in compare.reasons()}):
    setattr(ComparedTest, f"test_evidence_{each}", evidence_of(each))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
