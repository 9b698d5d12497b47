"""The whole document `bubbles` of random ranks of PyTorch, with thresholds that some of their numbers meet exactly."""
import random
import sys

import idle_answers
import idle_random
import truth
from idle_model import Idle


class RandomRanks(truth.Case):
    def each(self, seeds, policy="guide", thresholds=lambda r, capture: {}, frames=True):
        for seed in seeds:
            r = random.Random(seed)
            capture, files = idle_random.capture(r, policy, frames)
            for name, text in files.items():
                self.write(f"{seed}/{name}", text)
            with self.subTest(seed=seed):
                self.compare(self.scratch / f"{seed}", capture, policy, thresholds(r, capture))

    def test_documents(self):
        self.each(range(1, 4))

    def test_hosts_without_stacks(self):
        self.each(range(501, 504), frames=False)

    def test_numbers_that_are_thresholds(self):
        self.each(range(101, 109), thresholds=lambda r, capture: idle_random.thresholds(r, Idle(capture)))

    def test_steps_that_end_with_their_kernels(self):
        self.each(range(201, 206), "device", lambda r, capture: idle_random.thresholds(r, Idle(capture)))

    def test_steps_as_long_as_their_marks(self):
        self.each(range(501, 509), "whole", lambda r, capture: idle_random.thresholds(r, Idle(capture)))

    def test_steps_that_end_with_their_marks(self):
        self.each(range(301, 304), "marker", lambda r, capture: idle_random.thresholds(r, Idle(capture)))

    def test_findings(self):
        for seed in range(401, 405):
            r = random.Random(seed)
            capture, files = idle_random.capture(r, "whole")
            for name, text in files.items():
                self.write(f"{seed}/{name}", text)
            found = truth.parsed(truth.run("report", self.scratch / f"{seed}", "--json", "--limit", 0))["findings"]
            with self.subTest(seed=seed):
                self.check({f["id"]: {key: value for key, value in f.items() if key != "id"} for f in found
                            if f["id"].startswith("bubbles.")}, idle_answers.findings(Idle(capture)))

    def compare(self, folder, capture, policy, thresholds):
        given = [text for name, value in thresholds.items() for text in ("--threshold", f"{name}={value}")]
        found = truth.parsed(truth.run("bubbles", folder, "--json", "--limit", 0, "--window-policy", policy, *given))
        for device, said in zip(capture.devices, found["devices"]):
            device.resolution = said["timestamp_resolution_ps"]  # asked elsewhere
        model = Idle(capture, thresholds=thresholds)
        self.check(found, model.document(found["inputs"], found["files"], idle_answers.sentences(model, found), policy))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
