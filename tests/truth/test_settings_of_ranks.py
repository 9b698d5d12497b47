#!/usr/bin/env python3
"""Ascend folders without a timeline: `info` says so where the recorder's settings ask for the device, and of those ranks alone."""
import json
import sys

import truth

NPU, CPU = "ProfilerActivity.NPU", "ProfilerActivity.CPU"


def settings(level="Level1", activities=None):
    common = {} if activities is None else {"activities": activities}
    config = {"common_config": common, "experimental_config": {} if level is None else {"_profiler_level": f"{level}"}}
    return {"rank_id": 0, "config": config, "end_info": {}}


class Settings(truth.Case):
    number = 0

    def missing(self, *ranks):
        """Of each rank (settings, whether it has a timeline) whether `info` misses one."""
        Settings.number += 1
        for n, (said, timeline) in enumerate(ranks):
            folder = f"{Settings.number}/host_{n}_ascend_pt"
            self.write(f"{folder}/profiler_info_{n}.json", json.dumps(said))
            self.write(f"{folder}/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", "Device_id,Step,Computing\n0,1,5\n")
            if timeline:
                self.write(f"{folder}/ASCEND_PROFILER_OUTPUT/trace_view.json", json.dumps(
                    [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "1.0", "dur": 2, "args": {}}]))
        found = truth.parsed(truth.run("info", self.scratch / str(Settings.number), "--json"))
        reasons = [r for r in found["reasons"] if "no timeline" in r]
        self.assertEqual(len(reasons), len(set(reasons)))
        return [any(f"host_{n}_ascend_pt: no timeline" in r and f"although profiler_info_{n}.json says" in r for r in reasons)
                for n in range(len(ranks))]

    def test_activities(self):
        for activities, asks in ((None, True), ([NPU], True), ([CPU], False), ([NPU, CPU], True), ([CPU, NPU], True), ([CPU, NPU, CPU], True)):
            self.assertEqual(self.missing((settings(activities=activities), False)), [asks], activities)

    def test_levels(self):
        for level, asks in (("Level0", True), ("Level1", True), ("Level2", True), ("Level_none", False), ("LevelNone", False), ("level1", False),
                            ("", False), (None, False)):
            self.assertEqual(self.missing((settings(level), False)), [asks], level)

    def test_several_ranks(self):
        asked, other = settings(), settings(activities=[CPU])
        self.assertEqual(self.missing((asked, True), (asked, False), (other, False), (asked, False)), [False, True, False, True])
        self.assertEqual(self.missing((asked, True), (other, False)), [False, False])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
