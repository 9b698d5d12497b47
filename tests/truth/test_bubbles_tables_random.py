"""The whole document `bubbles` of random tables of Ascend, with thresholds that some of their numbers meet exactly."""
import random
import sys

import idle_answers
import idle_tables_random
import truth
from idle_model import Idle


class RandomTables(truth.Case):
    def each(self, seeds, thresholds=lambda r, capture: {}):
        for seed in seeds:
            r = random.Random(seed)
            capture, files = idle_tables_random.capture(r)
            for name, text in files.items():
                self.write(f"{seed}/{name}", text)
            with self.subTest(seed=seed):
                self.compare(self.scratch / f"{seed}", capture, thresholds(r, capture))

    def test_documents(self):
        self.each(range(1, 9))

    def test_numbers_that_are_thresholds(self):
        self.each(range(101, 119), lambda r, capture: idle_tables_random.thresholds(r, Idle(capture)))

    def compare(self, folder, capture, thresholds):
        given = [text for name, value in thresholds.items() for text in ("--threshold", f"{name}={value}")]
        found = truth.parsed(truth.run("bubbles", folder, "--json", "--limit", 0, "--window-policy", "guide", *given))
        for device, said in zip(capture.devices, found["devices"]):
            device.resolution, device.file = said["timestamp_resolution_ps"], said["file"]  # asked elsewhere
        model = Idle(capture, thresholds=thresholds)
        for op in model.ops:  # of shapes of as many kernels those count that the table has first
            op["shapes"] = dict(sorted(op["shapes"].items()))
        self.check(found, model.document(found["inputs"], found["files"], idle_answers.sentences(model, found)))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
