"""The whole document `bubbles` of random captures whose numbers lie at the thresholds, against the model."""
import random
import sys

import idle_random
import truth
from idle_model import Idle

SEEDS = range(1, 41)


class RandomIdle(truth.Case):
    def expect(self, seed, policy):
        r = random.Random(seed)
        capture, files = idle_random.capture(r, policy)
        for name, text in files.items():
            self.write(f"{policy}{seed}/{name}", text)
        found = truth.parsed(truth.run("bubbles", self.scratch / f"{policy}{seed}", "--json", "--limit", 0, "--window-policy", policy))
        sentences = {"answers": {key: text for key, text in found["summary"].items() if key.startswith("q")},
                     "recommendations": found["recommendations"], "evidence_gaps": found["evidence_gaps"]}
        self.check(found, Idle(capture).document(found["inputs"], found["files"], sentences, policy))

    def test_steps_that_end_where_the_next_one_begins(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.expect(seed, "guide")

    def test_steps_with_ends_of_their_own(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.expect(1000 + seed, "marker")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
