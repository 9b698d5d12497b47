"""How long steps last by their marks, what is said to be proved of a gap, and of what a share is; times in µs."""
import sys

import idle_trace
import truth

US = 1_000_000  # ps


def loads_data(steps, step_range=None):
    """Steps of 100 ms: 85 ms of loading, then 8 kernels of 1 ms, 10 us apart, then nothing until the mark ends."""
    trace = idle_trace.Rank()
    for n in range(steps):
        at = n * 100_000
        if step_range:
            trace.span(step_range, at, 100_000, category="user_annotation")
        else:
            trace.step(n, at, 100_000)
        trace.span("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 100, 85_000)
        for k in range(8):
            trace.kernel("gemm", at + 85_400 + k * 1_010, 1_000, (at + 85_150 + k * 20, 5))
    return trace


class StepsAndProofs(idle_trace.Case):
    def bubbles(self, trace):
        return truth.parsed(truth.run("bubbles", self.write("one.json", trace.text()), "--json", "--limit", 0))

    def causes(self, document):
        """Of each gap of a step, by start: its length, its cause, what that names, and how sure it is."""
        return [(g["duration_ns"] / 1000, g["cause"]["id"], g["cause"]["span"], g["cause"]["certainty"])
                for g in sorted(idle_trace.gaps(document), key=lambda g: int(g["start_ns"])) if g["scope"] != "global"]

    def test_steps_are_alike_however_many_follow(self):
        for steps in (1, 2, 4):
            for name in (None, "step[DECODE bs=32]"):
                found = self.bubbles(loads_data(steps, name))
                self.assertEqual([(s["service_ns"], s["device_busy_union_ns"], s["prelaunch_gap_ns"], s["tail_gap_ns"], s["tail_known"])
                                  for s in found["steps"]], [(100_000_000, 8_000_000, 85_400_000, 6_530_000, True)] * steps)
                idle = [(r["cause"], r["time_ps"] // US) for r in found["time"] if r["device"] is None and r["in_steps"] and r["use"] == "idle"]
                self.assertEqual(sum(ps for _, ps in idle), 92_000 * steps)
                self.assertEqual(idle[0], ("data_loader", 85_400 * steps))
                self.assertTrue(found["summary"]["q1"].startswith("Yes"), found["summary"]["q1"])

    def test_the_first_sentence_and_the_gate(self):
        path = self.write("t.json", loads_data(1).text())
        said = truth.run("report", path)
        self.assertIn("92.0 % of the time in steps goes to waiting, 8.0 % to compute. The largest known cause of waiting:\n"
                      "  the host waits for the next batch (85.4 %).", said)
        truth.run("bubbles", path, "-q", "--fail-on", "idle>10%", status=1)

    def recorded(self, name, category, size, wait=0):
        """A kernel, a wait for it, then what the recorder does for `size`, then the next kernel."""
        trace = idle_trace.Rank()
        trace.step(0, 0, 40_000)
        trace.kernel("gemm", 100, 3_000, (20, 5))
        trace.call(40, 3_065, name="cudaStreamSynchronize")  # until 5 us after the kernel
        trace.event(category, name, 3_110, size, -1, 0)
        trace.span("aten::mm", 3_110 + size + 5, 30)
        trace.kernel("gemm", 3_110 + size + 25, 3_000, (3_110 + size + 10, 5))
        return trace

    def test_what_the_recorder_costs(self):
        for name in ("Buffer Flush", "Activity Buffer Request"):
            found = self.bubbles(self.recorded(name, "overhead", 18_000))
            self.assertEqual(self.causes(found)[1], (18_035, "recording", name, "proved"), name)
            advice = [a["text"] for a in found["recommendations"]]
            self.assertTrue(any("recording costs" in a for a in advice), advice)
            self.assertFalse(any("scalars" in a for a in advice), advice)

    def test_a_wait_that_ended_before_owns_nothing(self):
        """The wait of 3 ms ended with the kernel; what the host did in the 18 ms after it is not on record."""
        found = self.bubbles(self.recorded("Buffer Flush", "cpu_instant_event", 18_000))
        self.assertEqual(self.causes(found)[1][1:], ("host_untraced", None, "proved"))
        trace = self.recorded("Buffer Flush", "cpu_instant_event", 18_000)
        trace.span("busy elsewhere", 3_000, 19_000, tid=5)  # then the host is on record
        self.assertEqual(self.causes(self.bubbles(trace))[1][1:], ("unexplained", None, "unknown"))

    def busy(self, spans):
        """A kernel until 1000, `spans` of the launching thread from there to 2000, then a kernel that it launches."""
        trace = idle_trace.Rank()
        trace.step(0, 0, 4_000)
        trace.kernel("gemm", 100, 900, (20, 5))
        for name, start, size in spans:
            trace.span(name, start, size)
        trace.span("aten::mm", 1_990, 20)
        trace.kernel("gemm", 2_010, 990, (1_995, 5))
        return self.causes(self.bubbles(trace))[1]

    def test_busy_with_calls_or_in_one(self):
        many = [("aten::add", 1_000 + 33 * i, 33) for i in range(30)]
        self.assertEqual(self.busy(many), (1_010, "launch_bound", None, "proved"))
        # One span around them changes nothing: the thread goes from call to call.
        self.assertEqual(self.busy([("my op", 990, 1_000), *many]), (1_010, "launch_bound", None, "proved"))
        # In one span alone it does what is not known.
        self.assertEqual(self.busy([("my op", 990, 1_000)]), (1_010, "host_call", "my op", "likely"))
        self.assertEqual(self.busy([("outer", 985, 1_005), ("inner", 1_010, 970)]), (1_010, "host_call", "inner", "likely"))
        # What the vocabulary knows is named by it.
        self.assertEqual(self.busy([("Iterator::Model::Prefetch", 990, 1_000)]),
                         (1_010, "data_loader", "Iterator::Model::Prefetch", "proved"))
        self.assertEqual(self.busy([("SaveV2", 990, 1_000)]), (1_010, "checkpoint", "SaveV2", "proved"))

    def test_nine_tenths_of_the_gap(self):
        for size, sure in ((909, "proved"), (908, "likely")):  # of 1010
            self.assertEqual(self.busy([("cudaMalloc", 1_000, size)]), (1_010, "allocation", "cudaMalloc", sure))

    def test_most_of_the_time_is_outside_of_steps(self):
        trace = idle_trace.Rank()
        trace.step(0, 0, 1_000)
        for k in range(9):
            trace.kernel("gemm", 100 + 100 * k, 90, (10 + 10 * k, 5))
        trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 2_000, 97_000, (1_500, 5))
        said = " ".join(truth.run("report", self.write("t.json", trace.text())).split())
        # The step is 1 ms; 98 ms after it are in none, 97 of them communication.
        self.assertIn("lasts 97.000 ms, 98.0 % of the capture. 99.0 % of the time of the devices lies outside of steps, mostly "
                      "communication that no compute hides (99.0 % of it).", said)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
