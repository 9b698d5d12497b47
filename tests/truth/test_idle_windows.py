"""Where the steps of devices begin and end, and where work of which nothing is on record went; times in µs."""
import sys

import idle_trace
import truth

US = 1_000_000  # ps


class Windows(truth.Case):
    def ask(self, trace, *options):
        path = self.write("trace.json", trace.text())
        return truth.parsed(truth.run("bubbles", path, "--json", "--limit", 0, *(options or ("--window-policy", "guide"))))

    def steps(self, found):
        """Device, id, marker, start and end in µs from the first kernel of the trace, which stands at 100."""
        first = min(s["exact_ps"]["start"] for s in found["steps"]) - 100 * US
        return [[s["device"], s["step_id"], s["marker"], (s["exact_ps"]["start"] - first) / US, (s["exact_ps"]["end"] - first) / US]
                for s in found["steps"]]

    def four_steps(self):
        """Steps 0 and 2 are annotated on the device, step 1 is known by what it launched."""
        trace = idle_trace.Rank()
        for number in (3, 0, 2, 1):
            trace.step(number, 1_000 * number, 900)
        for number in (2, 0):
            trace.event("gpu_user_annotation", f"ProfilerStep#{number}", 1_000 * number + 100, 700, 0, 7)
        for number in range(3):
            trace.kernel("gemm", 1_000 * number + 150, 50, (1_000 * number + 10, 2))
        return trace

    def test_steps_of_three_sources(self):
        """A kernel that nobody launched, in the time of step 3, makes that step its own."""
        trace = self.four_steps()
        trace.kernel("gemm", 3_150, 20)
        found = self.ask(trace)
        self.assertEqual(self.steps(found), [[0, "0", "device_annotation", 100, 1_150], [0, "1", "profiler_step", 1_150, 2_100],
                                             [0, "2", "device_annotation", 2_100, 3_000], [0, "3", "profiler_step", 3_000, 3_170]])
        device, = found["devices"]
        self.assertEqual([device[key] for key in ("window_source", "windows_cut", "kernels_before_steps", "kernels_after_steps",
                                                  "kernels_without_launch")], ["mixed", 0, 0, 0, 1])
        self.assertEqual([s["prelaunch_gap_ns"] for s in found["steps"]], [50_000, 0, 50_000, 150_000])
        self.assertIn("1 of 4 kernels (20.000 us) have no launch on record: graph launches and the like cannot be attributed",
                      found["evidence_gaps"])

    def test_a_step_that_is_not_found(self):
        trace = self.four_steps()
        for lost in (False, True):
            if lost:  # of it no launch is known, and it is in the time of no step: it may be of the step that was not found
                trace.kernel("gemm", 2_950, 20)
            found = self.ask(trace)
            self.assertEqual(self.steps(found)[:2], [[0, "0", "device_annotation", 100, 1_150], [0, "1", "profiler_step", 1_150, 2_100]])
            self.assertEqual(self.steps(found)[2:], [[0, "2", "device_annotation", 2_100, 2_800 if lost else 2_200]])
            self.assertEqual([d["kernels_after_steps"] for d in found["devices"]], [1 if lost else 0])
            self.assertIn("1 step of the host not found on a device: it has no annotation and no known kernel of them",
                          found["evidence_gaps"])

    def test_annotations_that_overlap(self):
        """Of two that begin together the first has nothing; one that reaches into the next ends there."""
        trace = idle_trace.Rank()
        for number, start, size in ((0, 100, 300), (1, 300, 200), (2, 300, 400), (3, 900, 50)):
            trace.event("gpu_user_annotation", f"ProfilerStep#{number}", start, size, 0, 7)
        for start in (100, 310, 650, 900):
            trace.kernel("gemm", start, 40, (start - 20, 2))
        for policy, ends, cut in (("guide", (300, 900, 940), 1), ("marker", (300, 700, 950), 2)):
            found = self.ask(trace, "--window-policy", policy)
            self.assertEqual(self.steps(found), [[0, number, "device_annotation", start, end] for number, start, end in zip("023",
                                                                                                                  (100, 300, 900), ends)])
            said = [text for text in found["evidence_gaps"] if "overlapped" in text]
            self.assertEqual([found["devices"][0]["windows_cut"], said],
                             [cut, [f"{cut} step window{'s' * (cut > 1)} overlapped the next one and ended there"]])

    def test_launches_at_the_edges_of_steps(self):
        """A launch at the very start of a step is its own, one at the end of an annotation is of no step of its own time."""
        trace = idle_trace.Rank()
        for number, start in ((0, 0), (1, 1_000), (2, 2_000)):
            trace.step(number, start, 900)
        for name, start, launch in (("a", 100, 0), ("b", 950, 899), ("c", 1_100, 1_000), ("d", 1_950, 1_900), ("e", 2_100, 2_000),
                                    ("f", 2_950, 2_950)):
            trace.kernel(name, start, 40, (launch, 2))
        for policy, ends in (("guide", (1_100, 2_100, 2_990)), ("device", (990, 1_990, 2_990)), ("marker", (990, 1_140, 2_140))):
            found = self.ask(trace, "--window-policy", policy)
            self.assertEqual(self.steps(found), [[0, str(n), "profiler_step", 1_000 * n + 100, end] for n, end in enumerate(ends)])
            device, = found["devices"]
            self.assertEqual([device[key] for key in ("window_source", "kernels_before_steps", "kernels_between_steps",
                                                      "kernels_after_steps")],
                             ["launches", 0, *((1, 1) if policy == "marker" else (0, 0))])

    def test_work_that_is_not_on_record(self):
        """Three threads and two devices. Thread 2 launches a graph at 150, for the stream on which its last kernel ends at 300 and its
        next begins at 700, and one at 1010, when a kernel is launched as well; thread 1 one at 800, until 1100, and one at 1500, until
        its step ends; thread 3 nothing but one at 1600, which may be of either device."""
        trace = idle_trace.Rank()
        trace.step(0, 0, 1_000)
        trace.step(1, 1_000, 1_000)
        trace.kernel("a0", 100, 50, (10, 2))
        trace.kernel("b0", 110, 40, (10, 2, 2), 8, 1)
        trace.kernel("b1", 200, 100, (20, 2, 2), 9, 1)
        trace.call(150, 5, tid=2, name="cudaGraphLaunch")
        trace.kernel("b2", 500, 20, (400, 2, 2), 8, 1)
        trace.kernel("b3", 700, 30, (600, 2, 2), 9, 1)
        trace.call(800, 5, name="cudaGraphLaunch")
        trace.kernel("a1", 1_100, 50, (1_005, 2))
        trace.call(1_010, 5, tid=2, name="cudaGraphLaunch")
        trace.kernel("b4", 1_200, 10, (1_010, 2, 2), 9, 1)
        trace.call(1_500, 5, name="cudaGraphLaunch")
        trace.call(1_600, 5, tid=3, name="cudaGraphLaunch")
        found = self.ask(trace)
        self.assertEqual(self.steps(found), [[0, "0", "profiler_step", 100, 1_100], [0, "1", "profiler_step", 1_100, 2_000],
                                             [1, "0", "profiler_step", 110, 1_200], [1, "1", "profiler_step", 1_200, 2_000]])
        # Not on record, idle, busy; launches.
        numbers = [[s["breakdown"]["not_recorded_ps"] / US, s["breakdown"]["idle_ps"] / US, s["exact_ps"]["busy"] / US,
                    s["unrecorded_launches"]] for s in found["steps"]]
        self.assertEqual(numbers, [[300, 650, 50, 1], [500, 350, 50, 2], [570, 330, 190, 1], [400, 390, 10, 2]])
        self.assertTrue(found["summary"]["q1"].startswith("Not known for 46.7 % (1.770 ms): 6 launches have no device record. "),
                        found["summary"]["q1"])
        gaps = [[g["device"], g["step_id"], g["scope"], g["duration_ns"] // 1_000] for g in found["anomaly_discovery"]["bubble_windows"]]
        self.assertEqual(gaps, [[0, "0", "step_internal", 650], [0, "1", "step_internal", 350], [1, "0", "step_internal", 50],
                                [1, "0", "step_internal", 280], [1, "1", "step_internal", 390]])
        rows = {(row["device"], row["in_steps"]): row["time_ps"] // US for row in found["time"] if row["use"] == "not_recorded"}
        self.assertEqual(rows, {(None, True): 1_770, (0, True): 800, (1, True): 970})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
