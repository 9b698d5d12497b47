"""Ranges of the user: the time that was launched while they were open, and the backward pass of what was called in them; µs."""
import sys

import idle_trace
import truth

US = 1_000_000  # ps


class Ranges(idle_trace.Case):
    def rows(self, trace, by="range", forms=()):
        """{path: (self time, backward time)}."""
        path = self.write("t.json", trace.text())
        found = truth.parsed(truth.run("ops", path, "--by", by, "--json", "--limit", 0, *forms))
        rows, around = {}, []
        for row in found["groups"]:
            around = around[:row["depth"]] + [row["name"]]
            rows[" > ".join(around)] = (row["self_ps"] // US, None if "backward_ps" not in row else row["backward_ps"] // US)
        return rows

    def start(self):
        self.next, self.number = 1_000, 0
        return idle_trace.Rank()

    def operator(self, trace, at, size, tid=1, number=None):
        trace.span("aten::mm", at, 20, tid, **({} if number is None else {"Sequence number": number}))
        self.launch(trace, at + 5, size, tid)

    def node(self, trace, at, size, tid=2, number=None):
        numbered = {} if number is None else {"Sequence number": number, "Fwd thread id": 1}
        trace.span("autograd::engine::evaluate_function: MmBackward0", at, 40, tid, **numbered)
        trace.span("MmBackward0", at + 1, 38, tid, **numbered)
        self.launch(trace, at + 10, size, tid)

    def launch(self, trace, at, size, tid):
        trace.kernel("gemm", self.next, size, (at, 5, tid))
        self.next += size + 10

    def two_passes(self, backward_thread=2):
        trace = self.start()
        for step in (0, 1):
            at = 20_000 * step
            self.next = max(self.next, at + 1_000)
            trace.step(step, at, 20_000)
            trace.span("fwd", at + 100, 500, 1, "user_annotation")
            self.operator(trace, at + 120, 1_000, 1, 2 * step)
            self.operator(trace, at + 220, 1_000, 1, 2 * step + 1)
            trace.span("bwd", at + 700, 2_000, 1, "user_annotation")
            for position, number in enumerate((2 * step + 1, 2 * step + 1, 2 * step)):
                self.node(trace, at + 800 + 200 * position, 1_500, backward_thread, number)
        return trace

    def test_forward_and_backward(self):
        """The same whether autograd has a thread of its own or not; steps are no ranges, and nothing is lost or twice."""
        for tid in (1, 2):
            trace = self.two_passes(tid)
            self.assertEqual(self.rows(trace), {"bwd": (9_000, 0), "fwd": (4_000, 9_000)})
            self.assertEqual(self.rows(trace, "module"), {"": (13_000, None)})
            path = self.scratch / "t.json"
            self.assertEqual(truth.parsed(truth.run("ops", path, "--by", "module", "--json"))["in_ranges"], 10)
            self.assertIn("10 of them were launched in ranges", " ".join(truth.run("ops", path, "--by", "module").split()))
            self.assertEqual(self.rows(trace, "phase,range"), {"backward": (9_000, None), "backward > bwd": (9_000, None),
                                                               "forward": (4_000, None), "forward > fwd": (4_000, None)})

    def test_ranges_inside_ranges(self):
        """Names may have slashes. A range has the backward pass of the ranges inside it."""
        trace = self.start()
        trace.span("iteration 1/2", 0, 9_000, 1, "user_annotation")
        trace.span("attention", 100, 200, 1, "user_annotation")
        self.operator(trace, 110, 100, 1, 1)
        self.operator(trace, 400, 30, 1, 2)
        self.node(trace, 1_000, 50, 1, 2)
        self.node(trace, 1_100, 300, 1, 1)
        self.assertEqual(self.rows(trace), {"iteration 1/2": (480, 350), "iteration 1/2 > attention": (100, 300)})

    def test_backward_outside_of_ranges(self):
        """What is called in a range without kernels has a row for its backward pass. A node without a number has none."""
        trace = self.start()
        trace.span("embed", 100, 200, 1, "user_annotation")
        trace.span("aten::view", 110, 20, 1, **{"Sequence number": 1})
        self.node(trace, 1_000, 50, 2, 1)
        self.node(trace, 1_100, 300, 2)
        self.assertEqual(self.rows(trace), {"": (350, 0), "embed": (0, 50)})

    def test_several_threads_in_ranges(self):
        """Which of them asked for the backward pass is not known, as long as both are in ranges."""
        trace = self.start()
        trace.span("left", 0, 2_000, 1, "user_annotation")
        trace.span("right", 500, 1_000, 3, "user_annotation")
        for at, size in ((100, 1), (600, 20), (1_600, 300), (2_100, 4_000)):
            self.node(trace, at, size)
        self.assertEqual(self.rows(trace), {"": (4_020, 0), "left": (301, 0)})

    def test_other_threads_have_ranges_of_their_own(self):
        """A call of another thread that nothing says runs backward is not in the range."""
        trace = self.start()
        trace.span("fwd", 0, 2_000, 1, "user_annotation")
        self.operator(trace, 100, 10, 3)
        self.launch(trace, 200, 7, 1)
        self.assertEqual(self.rows(trace), {"": (10, 0), "fwd": (7, 0)})
        self.assertEqual(self.rows(trace, "phase"), {"forward": (10, None), "": (7, None)})  # a range says nothing of phases

    def test_the_screen(self):
        path = self.write("t.json", self.two_passes().text())
        text = " ".join(truth.run("ops", path, "--by", "range").split())
        self.assertIn("69.2 % 9.000 ms 6 bwd", text)
        self.assertIn("30.8 % 4.000 ms 4 9.000 ms fwd", text)
        self.assertIn("also where that ran in another one", text)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
