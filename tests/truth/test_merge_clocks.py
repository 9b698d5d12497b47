"""Clocks that were measured badly: whether every event of a merge lies within the bound that is given for it.

With PROFKIT_CLOCKS=DIR the cases in DIR (a folder each, as clock_score.py says) are scored as well, and what they miss is printed.
"""
import os
import pathlib
import sys

import clock_cases
import clock_score
import truth

US = 10**6
SEEDS = (1, 7, 31) if os.environ.get("PROFKIT_SLOW") == "1" else (7,)
LAWS = {
    "healthy": {},
    "normal": {"reads": ("normal", 40_000), "paths": ("normal", 3 * US)},
    "mixed": {"paths": ("mixed", US)},
    "wander": {"wanders": (1000, 50)},
    "round trips": {"paths": ("tails", 300_000), "rtt": True},
}
FAULTS = {
    "step": {"fault": {"step": (30, 2 * 10**9)}},
    "outliers": {"fault": {"outliers": (.06, 100 * US)}},
}


class MergeClocks(truth.Case):
    def score(self, name, seed, how):
        folder = self.scratch / f"{name}{seed}"
        folder.mkdir()
        clock_cases.Case(seed, **how).write(folder)
        return clock_score.Score(folder)

    def test_every_law_of_noise(self):
        for name, how in LAWS.items():
            inside = events = 0
            for seed in SEEDS:
                with self.subTest(name, seed=seed):
                    score = self.score(name, seed, how)
                    self.assertEqual((score.judge(), score.silent()), ([], 0))
                    for node in score.nodes():
                        events += len(score.of_node(node))
                        inside += len(score.of_node(node)) - len(score.outside(node))
            self.assertGreaterEqual(inside, clock_score.COVERAGE * events, name)

    def test_faults_of_one_node(self):
        for seed in SEEDS:
            healthy = self.score("healthy", seed, {})
            for name, how in FAULTS.items():
                with self.subTest(name, seed=seed):
                    score = self.score(name, seed, how)
                    same = {k: v for k, v in how.items() if k != "fault"}
                    before = self.score(name + "_without", seed, same) if same else healthy
                    self.assertEqual((score.judge(before), score.silent()), ([], 0))
                    self.assertTrue(score.warned(1), name)

    def test_cases_of_a_folder(self):
        if "PROFKIT_CLOCKS" not in os.environ:
            self.skipTest("PROFKIT_CLOCKS names no folder of cases")
        passed = silent = 0
        folders = sorted(f.parent for f in pathlib.Path(os.environ["PROFKIT_CLOCKS"]).glob("*/truth.json"))
        for folder in folders:
            score = clock_score.Score(folder)
            found = score.judge()
            passed, silent = passed + (not found), silent + score.silent()
            for sentence in found:
                print(f"{folder.name}: {sentence}")
        print(f"{passed} of {len(folders)} cases as they must be, {silent} events beyond a bound without a warning")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
