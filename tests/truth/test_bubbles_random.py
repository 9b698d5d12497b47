"""The whole document `bubbles` of random ranks of PyTorch, with thresholds that some of their numbers meet exactly."""
import random
import sys

import idle_answers
import idle_random
import truth
from idle_model import Idle

SEEDS = range(1, 9)


class RandomRanks(truth.Case):
    def test_documents(self):
        for seed in SEEDS:
            r = random.Random(seed)
            capture, files = idle_random.capture(r)
            for name, text in files.items():
                self.write(f"{seed}/{name}", text)
            with self.subTest(seed=seed):
                self.compare(self.scratch / f"{seed}", capture, {})

    def test_numbers_that_are_thresholds(self):
        for seed in range(101, 115):
            r = random.Random(seed)
            capture, files = idle_random.capture(r)
            for name, text in files.items():
                self.write(f"{seed}/{name}", text)
            with self.subTest(seed=seed):
                self.compare(self.scratch / f"{seed}", capture, idle_random.thresholds(r, Idle(capture)))

    def compare(self, folder, capture, thresholds):
        given = [text for name, value in thresholds.items() for text in ("--threshold", f"{name}={value}")]
        found = truth.parsed(truth.run("bubbles", folder, "--json", "--limit", 0, *given))
        model = Idle(capture, thresholds=thresholds)
        self.check(found, model.document(found["inputs"], found["files"], idle_answers.sentences(model, found)))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
