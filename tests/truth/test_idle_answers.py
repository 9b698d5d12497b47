"""What `bubbles` answers where groups and steps wait as long as each other, and why it may not be sure; times in µs."""
import json
import sys

import truth


class IdleAnswers(truth.Case):
    def ask(self, steps, calls=True, *options):
        """`steps`: op and length of each, which begins with a kernel of 100; the last one is that kernel alone."""
        events, at = [], 1_000
        for number, (name, length) in enumerate(steps):
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 77, "tid": 1, "ts": at - 10,
                           "dur": length, "args": {}})
            more = {"correlation": number + 1} if calls else {}
            if calls:
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 77, "tid": 1, "ts": at - 10, "dur": 2,
                               "args": more})
            else:
                events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 77, "tid": 1, "ts": at - 10, "dur": 2, "args": {}})
                if number == 0:  # the device says where its steps are
                    events += [{"ph": "X", "cat": "gpu_user_annotation", "name": f"ProfilerStep#{n}", "pid": 0, "tid": 7, "dur": 100,
                                "ts": 1_000 + sum(size for _, size in steps[:n]), "args": {}} for n in range(len(steps))]
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": 100,
                           "args": {"device": 0, "stream": 7, **more}})
            at += length
        path = self.write("trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        found = truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, "--window-policy", "guide", *options))
        return found["summary"], found

    def test_six_groups_that_wait_alike(self):
        """Of as much waiting the first group and the first step are named; of more than four groups the others are counted."""
        said, found = self.ask([(name, 1_000) for name in "abcdefg"])
        self.assertEqual(said, {
            "significant": True, "dominant_step": "0",
            "q1": "Yes. Device time in steps, 6.100 ms: compute 11.5 %, idle 88.5 % (5.400 ms). The longest gap in a step is 900.000 us.",
            "q2": "In g0 (1 step, 90.0 % idle), g1 (1 step, 90.0 % idle), g2 (1 step, 90.0 % idle), g3 (1 step, 90.0 % idle) and 2 more.",
            "q3": "tail in g0: 0.0 % between kernels, 0.0 % before a step's first kernel, 100.0 % after its last.",
            "q4": "medium in g0.", "q5": "No: only 1 whole step of g0 was recorded; it may not be typical."})
        self.assertEqual([s["group_id"] for s in found["steps"]], [f"g{n}" for n in range(7)])

    def test_the_longest_step_of_the_first_group(self):
        """Steps of a and of b wait 2800 each. Of those of a the second waits longest; all kernels are launched late, and nothing else is
        on record of the host."""
        said, _ = self.ask([("a", 1_000), ("b", 2_000), ("a", 2_000), ("b", 1_000), ("a", 100)])
        self.assertEqual([said["dominant_step"], said["q2"], said["q5"]],
                         ["2", "In g0 (3 steps, 90.3 % idle) and g1 (2 steps, 93.3 % idle).",
                          "No: no cause of the idle time is known."])
        said, _ = self.ask([("a", 1_000), ("a", 2_000), ("a", 2_000), ("a", 1_000)])
        self.assertEqual(said["dominant_step"], "1")
        # b waits longer than a, whose steps take more time together.
        said, _ = self.ask([("a", 200), ("b", 1_000)] + [("a", 200)] * 5 + [("a", 100)])
        self.assertEqual([said["dominant_step"], said["q3"][:11]], ["1", "tail in g1:"])
        said, _ = self.ask([("a", 1_000), ("b", 1_000), ("a", 100)])
        self.assertEqual(said["q5"], "No: only 2 whole steps of g0 were recorded; they may not be typical.")

    def test_hosts_that_say_little(self):
        said, _ = self.ask([("a", 1_000)] * 4, False)
        self.assertEqual(said["q5"], "No: no launches of the host are on record.")

    def test_steps_that_hardly_wait(self):
        """Of 1000 in all: a gap of 100 is a tenth, and 90 % are computed, which is No; a little less is Little."""
        gaps = [("a", 150), ("a", 150), ("a", 100), ("a", 100), ("a", 100), ("a", 100), ("a", 100), ("a", 100), ("a", 100)]
        none = ("--threshold", "idle_ratio=0.5")
        said, _ = self.ask(gaps, True, *none)
        self.assertEqual([said["significant"], said["q1"][:22], said["q2"], said["q5"]],
                         [False, "No. Device time in ste", "Nowhere: no group of steps waits long enough to matter.",
                          "Nothing needs an explanation."])
        said, _ = self.ask(gaps, True, *none, "--threshold", "compute_bound=0.900001")
        self.assertEqual([said["significant"], said["q1"][:22], said["q5"]],
                         [False, "Little. Device time in",
                          "Idle time needs none. Exposed communication and copies are not judged here."])
        # A step of which a third waits is one that matters, from exactly that share on.
        for share, matters in (("0.333333", True), ("0.333334", False)):
            self.assertEqual(self.ask(gaps, True, "--threshold", f"idle_ratio={share}")[0]["significant"], matters)

    def test_gaps_that_weigh(self):
        """A gap of 1000 and a tenth of its step."""
        for length, kernel_gap in ((1_100, True), (1_099, False)):
            found = self.ask([("a", length), ("a", 100)], True, "--threshold", "idle_ratio=1")[1]
            self.assertEqual("TAIL_GAP_HEAVY" in found["steps"][0]["anomaly_tags"], kernel_gap)
        for share, heavy in (("0.909090", True), ("0.909091", False)):
            found = self.ask([("a", 1_100), ("a", 100)], True, "--threshold", "idle_ratio=1", "--threshold", f"heavy_share={share}")[1]
            self.assertEqual(found["anomaly_discovery"]["bubble_windows"][0]["heavy"], heavy)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
