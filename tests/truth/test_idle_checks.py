"""Tables beside the kernels of Ascend: what step_trace_time.csv says of the same steps, and communication.json of waits."""
import decimal
import json
import sys

import truth
from ascend import Rank
from ascend_pair import step_table

BASE = 1_764_246_877 * 10 ** 9
US = 1_000  # ns
NOT_FOUND = "{} of step_trace_time not compared: not found in the capture"
REACHES = ("{} not compared with step_trace_time: a kernel reaches over an edge, and counts as a whole for one step there, by its parts "
           "here")


class Checks(truth.Case):
    def ask(self, rank, more, *options):
        files = {"profiler_info_0.json": json.dumps({"config": {"common_config": {}}, "rank_id": 0}),
                 "ASCEND_PROFILER_OUTPUT/kernel_details.csv": rank.table(), **more}
        for name, text in files.items():
            self.write(f"run/rank0_ascend_pt/{name}", text)
        return truth.parsed(truth.run("bubbles", self.scratch / "run", "--json", "--limit", 0, "--window-policy", "guide", *options))

    def test_steps_of_a_table(self):
        """Two devices. Of each step 30 µs are free between two kernels, and it lasts 200. Differences up to a quarter of a µs agree."""
        rank = Rank(BASE)
        for device in (0, 1):
            for step in range(4):
                at = BASE + (1_000 * step + 100 * device) * US
                rank.kernel(device, "matmul", "MatMulV3", "AI_CORE", at, 100 * US, step=str(step))
                rank.kernel(device, "add", "Add", "AI_CORE", at + 130 * US, 70 * US, step=str(step))
        # On the first device step 2 reaches into step 3.
        rank.kernel(0, "long", "Long", "AI_CORE", BASE + 2_900 * US, 150 * US, step="2", stream=3)
        us = lambda ps: f"{ps // 10 ** 6}.{ps % 10 ** 6:06}"
        rows = [(1, "0", us(29_750_000), us(200_250_001), "5.0"), (0, "2", us(30_000_000), us(1), "5.0"), (0, "7", "1.0", "1.0", "1.0"),
                (0, "0", us(30_250_000), us(199_749_999), "5.0"), (0, "3", us(30_000_000), us(1), "5.0"),
                (0, "1", us(30_250_001), us(199_750_000), "5.0"), (1, "9", "1.0", "1.0", "1.0"),
                (1, "3", us(29_749_999), us(200_250_000), "5.0"),
                (1, "2", us(30_000_000), us(200_000_000), "5.0"), (2, "0", us(30_000_000), us(200_000_000), "5.0")]
        found = self.ask(rank, {"ASCEND_PROFILER_OUTPUT/step_trace_time.csv": step_table(rows)})
        agrees = {(1, "0"): (True, False), (0, "0"): (True, False), (0, "1"): (False, True), (1, "3"): (False, True),
                  (1, "2"): (True, True)}
        said = {(device, step): (free, stage) for device, step, free, stage, _ in rows}
        wanted = []
        for device, step, *_ in rows:
            for what, ours, theirs, same in zip(("Free", "Stage"), (30, 200), said[device, step], agrees.get((device, step), ())):
                wanted.append({"device": device, "step_id": step, "what": what, "ours_us": decimal.Decimal(ours),
                               "theirs_us": decimal.Decimal(theirs), "agrees": same})
        self.check(found["self_check"]["step_trace_time"], wanted)
        said = [text for text in found["evidence_gaps"] if "step_trace_time" in text]
        self.assertEqual(said, [REACHES.format("2 steps"), NOT_FOUND.format("2 steps")])
        # The first that disagrees is named.
        disagree, = [r for r in found["recommendations"] if r["text"].startswith("The capture's own table disagrees")]
        self.assertEqual([disagree["priority"], disagree["scope"], disagree["evidence"]],
                         ["P3", "global", ["Stage of step 0: 200.000 us here, 200.250 us there"]])
        self.assertIn("1 step window overlapped the next one and ended there", found["evidence_gaps"])
        self.assertIn("no communication.json: waits inside collectives are not split", found["evidence_gaps"])
        self.assertIn("steps are spans of step ids on NPU 0 and NPU 1: time before the first and after the last kernel of a step is "
                      "between steps", found["evidence_gaps"])

    def test_a_capture_that_is_one_step(self):
        """Without ids of steps there is one, which the row without an id is about; two that have one are about no step here."""
        rank = Rank(BASE)
        for at in (0, 130):
            rank.kernel(0, "matmul", "MatMulV3", "AI_CORE", BASE + at * US, 100 * US)
        rows = [(0, "0", "30.0", "230.0", "9.0"), (0, "", "30.0", "229.0", "9.0"), (0, "1", "30.0", "230.0", "9.0")]
        found = self.ask(rank, {"ASCEND_PROFILER_OUTPUT/step_trace_time.csv": step_table(rows)})
        self.check(found["self_check"]["step_trace_time"], [
            {"device": 0, "step_id": "capture", "what": what, "ours_us": decimal.Decimal(ours), "theirs_us": decimal.Decimal(theirs),
             "agrees": ours == theirs} for what, ours, theirs in (("Free", 30, 30), ("Stage", 230, 229))])
        self.assertIn(NOT_FOUND.format("2 steps"), found["evidence_gaps"])
        self.assertIn("no step markers on NPU 0: the whole capture counts as one step", found["evidence_gaps"])

    def test_waits_of_collectives(self):
        """Three steps with a collective each. Of those of the table that begin in a step the sums count: at its very start and in it, not
        at its very end, nor what goes from one to one."""
        rank, said = Rank(BASE), {"p2p": {}, "collective": {}}
        for step in range(3):
            at = BASE + 1_000 * step * US
            rank.kernel(0, f"hcom_allReduce__{step}_0_1@1", "hcom_allReduce_", "HCCL", at, 100 * US, stream=46, wait=None, step=str(step))
            rank.kernel(0, "matmul", "MatMulV3", "AI_CORE", at + 200 * US, 300 * US, step=str(step))
        def say(where, name, at, elapsed, transit, wait):
            said[where][name] = {"Communication Time Info": {"Start Timestamp(us)": (BASE // US) + at, "Elapse Time(ms)": elapsed,
                                                             "Transit Time(ms)": transit, "Wait Time(ms)": wait}}
        say("collective", "hcom_allReduce__0_0_1@1", 0, 0.1, 0.05, 0.025)
        say("collective", "hcom_allReduce__1_0_1@1", 1_499, 0.3, 0.05, 0.075)
        say("collective", "hcom_allReduce__2_0_1@1", 2_500, 7.0, 7.0, 7.0)
        say("collective", "hcom_allReduce__3_0_1@1", 700, 7.0, 7.0, 7.0)
        say("p2p", "hcom_send__0_0_1@1", 2_100, 7.0, 7.0, 7.0)
        found = self.ask(rank, {"ASCEND_PROFILER_OUTPUT/communication.json": json.dumps({"step0": said})})
        exposed, = [c for c in found["causes"] if c["cause"] == "exposed_comm"]
        self.assertEqual(exposed["evidence"], ["300.000 us, 20.0 % of the time in 3 steps", "the most, 100.000 us: step 0",
                                               "its collectives last 400.000 us, of which 25.0 % wait for other ranks and 25.0 % "
                                               "move bytes"])
        self.assertNotIn("no communication.json: waits inside collectives are not split", found["evidence_gaps"])

    def test_a_thread_that_two_processes_show(self):
        """Thread 201 of the system is in an operator for the first half of a gap of 1000 µs, and in CANN from 400 to 900, where the next
        kernel is launched at 890: it works for 900. Another one collects garbage for 200."""
        for garbage, cause, covered in ((200, "launch_bound", 900), (450, "gc", 450)):
            rank = Rank(BASE)
            rank.process(10, "Python", "CPU")
            rank.process(20, "CANN", "CPU")
            rank.process(30, "Python GC", "CPU")
            at = BASE + 1_100 * US
            rank.span(20, 201, "Node@launch", BASE + 900 * US, 20 * US, "runtime")
            rank.kernel(0, "matmul", "MatMulV3", "AI_CORE", BASE + 1_000 * US, 100 * US, launch=BASE + 910 * US)
            rank.span(10, 201, "aten::mm", at, 500 * US, "op", "cpu_op")
            rank.span(20, 201, "Node@launch", at + 400 * US, 500 * US, "runtime")
            rank.span(30, 301, "Python GC", at + 100 * US, garbage * US, "gc")
            rank.kernel(0, "add", "Add", "AI_CORE", at + 1_000 * US, 100 * US, launch=at + 890 * US)
            gap, = self.ask(rank, {"ASCEND_PROFILER_OUTPUT/trace_view.json": rank.trace()})["anomaly_discovery"]["bubble_windows"]
            self.assertEqual([gap["duration_ns"], gap["cause"]["id"], gap["cause"]["covered_ns"], gap["host_visible_coverage_ratio"],
                              gap["gc_overlap_ratio"], float(gap["host_parallelism"])],
                             [1_000_000, cause, covered * 1_000, decimal.Decimal("0.9"), decimal.Decimal(garbage) / 1000,
                              (900 + garbage) / 900])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
