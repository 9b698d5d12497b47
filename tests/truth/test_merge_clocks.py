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
SEEDS = (1, 7, 31, 101, 204, 305) if os.environ.get("PROFKIT_SLOW") == "1" else (7,)
LAWS = {
    "healthy": {},
    "normal": {"reads": ("normal", 40_000), "paths": ("normal", 3 * US)},
    "late": {"reads": ("late", 90_000), "paths": ("late", 700_000)},
    "skewed": {"reads": ("skewed", 60_000)},
    "tails": {"paths": ("tails", 300_000)},
    "slow": {"paths": ("slow", 5 * US, .95)},
    "less slow": {"paths": ("slow", US, .8)},
    "mixed": {"paths": ("mixed", US)},
    "wander": {"wanders": (1000, 50)},
    "swift wander": {"wanders": (4000, 6)},
    "wander, late": {"wanders": (800, 30), "reads": ("late", 90_000)},
    "round trips": {"paths": ("tails", 300_000), "rtt": True},
}
# How many times the bound may be the least one that holds 99.95 % of all events, in the middle.
WIDTH = {"healthy": 1.6, "normal": 1.5, "late": 1.5, "skewed": 1.5, "tails": 1.5, "slow": 3, "wander": 5, "swift wander": 5}
FAULTS = {
    "step": {"fault": {"step": (30, 2 * 10**9)}},
    "step of the reference": {"fault": {"reference": (30, 2 * 10**9)}},
    "outliers": {"fault": {"outliers": (.06, 100 * US)}},
    "gap": {"fault": {"gap": (15, 35)}, "wanders": (1000, 40)},
    "slew": {"fault": {"slew": (20, 40, 500_000)}},
    "gentle slew": {"fault": {"slew": (20, 40, 20_000)}},
    "short slew": {"fault": {"slew": (30, 32, 400_000)}},
    "route": {"fault": {"route": (25, 12 * US)}},
    "route back": {"fault": {"route": (25, -200 * US)}},
    "route, round trips": {"fault": {"route": (25, 12 * US)}, "rtt": True},
}


class MergeClocks(truth.Case):
    def score(self, name, seed, how):
        folder = self.scratch / f"{name}{seed}"
        folder.mkdir()
        clock_cases.Case(seed, **how).write(folder)
        return clock_score.Score(folder)

    def test_every_law_of_noise(self):
        for name, how in LAWS.items():
            inside, events, errors, bounds = 0, 0, [], []
            for seed in SEEDS:
                score = self.score(name, seed, how)
                with self.subTest(name, seed=seed):
                    self.assertEqual((score.judge(), score.silent()), ([], 0))
                for node in score.nodes():
                    rows = score.of_node(node)
                    events += len(rows)
                    inside += len(rows) - len(score.outside(node))
                for (node, clock), rows in score.rows.items():
                    if (node, clock) != (0, "host"):  # the truth itself
                        errors += [abs(r[1]) for r in rows]
                        bounds += [r[2] for r in rows]
            with self.subTest(name):
                self.assertGreaterEqual(inside, clock_score.COVERAGE * events)
                best = sorted(errors)[int(clock_score.COVERAGE * len(errors))]
                if name in WIDTH:
                    self.assertLess(sorted(bounds)[len(bounds) // 2], WIDTH[name] * best)

    def test_faults_of_one_node(self):
        for seed in SEEDS:
            before = {}
            for name, how in FAULTS.items():
                same = tuple((k, v) for k, v in how.items() if k != "fault")
                if same not in before:
                    before[same] = self.score(f"without{len(before)}", seed, dict(same))
                with self.subTest(name, seed=seed):
                    score = self.score(name, seed, how)
                    self.assertEqual((score.judge(before[same]), score.silent()), ([], 0))
                    # What is said of the node is no excuse for a bound that does not hold.
                    self.assertEqual(score.outside(1), [])
                    self.assertTrue(any(score.warned(node) for node in score.truth["sick"]))

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
