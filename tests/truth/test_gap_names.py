"""What `bubbles` names of the host in a gap, and what stands before and after it: several threads, equal times, several hosts."""
import sys

import idle_trace
import truth

NOTE, FRAME, OP, CALL = "user_annotation", "python_function", "cpu_op", "cuda_runtime"


class Names(idle_trace.Case):
    def names(self, gap):
        return list(zip(gap["evidence_ops"], map(int, gap["evidence_op_overlaps_us"])))

    def test_names_of_a_gap(self):
        """In µs: gaps of 1000 at 2000, 4000 and 6000, each after a kernel of 1000, and one of 50 after the last."""
        trace = idle_trace.Rank()
        trace.step(0, 0, 20_000)
        for start, launch in ((1_000, 100), (3_000, None), (5_000, None), (7_000, None)):
            trace.kernel("gemm", start, 1_000, launch and (launch, 5))
        trace.kernel("relu", 8_050, 500)
        # The first gap: twelve names, in no order; of equal ones those that the file names first; frames last, the longest first.
        for name, offset, size, tid, category in (
                ("c", 500, 30, 1, OP), ("a", 100, 40, 1, OP), ("b", 150, 40, 1, NOTE), ("frame.py(1): short", 0, 600, 1, FRAME),
                ("frame.py(2): long", 0, 900, 2, FRAME), ("d", 900, 200, 2, OP), ("e", -50, 75, 2, OP), ("f", 400, 12, 1, CALL),
                ("a", 140, 3, 2, OP), ("g", 410, 11, 2, OP), ("h", 420, 10, 2, OP), ("i", 430, 9, 2, OP), ("k", 440, 8, 3, OP)):
            trace.span(name, 2_000 + offset, size, tid, category)
        # One name of two threads in all of the second gap, and on the way the same name as a frame and as none.
        trace.span("twice", 4_100, 700, 1)
        trace.span("twice", 4_200, 700, 2)
        trace.span("both", 4_300, 20, 1)
        trace.span("both", 4_400, 500, 3, FRAME)
        # Across three gaps, and from one to the end of the next.
        trace.span("over all", 2_990, 5_000, 4)
        trace.span("over two", 4_500, 2_500, 5)
        trace.span("short", 8_000, 50, 1)
        trace.span("before", 7_500, 500, 1)
        trace.span("after", 8_050, 500, 1)
        first, second, third, fourth = idle_trace.gaps(self.bubbles(trace))
        self.assertEqual(self.names(first), [("d", 100), ("a", 43), ("b", 40), ("c", 30), ("e", 25), ("f", 12), ("g", 11),
                                             ("h", 10), ("over all", 10), ("i", 9)])
        self.assertEqual(self.names(second), [("twice", 1000), ("over all", 1000), ("over two", 500), ("both", 20), ("both", 500)])
        self.assertEqual(self.names(third), [("over all", 1000), ("over two", 1000)])
        self.assertEqual(self.names(fourth), [("short", 50)])

    def test_kernels_around_a_gap(self):
        """Three that ended last before it, in that order, and three that begin first after it; of equal ones those of the file. In µs:
        gaps from 1100 to 1300 and from 2000 to 2400."""
        trace = idle_trace.Rank()
        trace.step(0, 0, 3_000)
        for name, start, size, stream in (
                ("first", 100, 900, 7), ("long", 200, 900, 8), ("brief", 300, 100, 9), ("tie", 500, 500, 10), ("none", 1_100, 0, 7),
                ("next", 1_300, 300, 7), ("same start", 1_300, 700, 8), ("zero", 1_350, 0, 7), ("other", 1_400, 600, 9),
                ("last", 2_400, 50, 7)):
            trace.kernel(name, start, size, stream=stream)
        first, second = [gap for gap in idle_trace.gaps(self.bubbles(trace)) if gap["scope"] == "step_internal"]
        kernels = lambda gap: ([k["name"] for k in gap["kernels_before"]], [k["name"] for k in gap["kernels_after"]])
        self.assertEqual(kernels(first), (["long", "tie", "first"], ["next", "same start", "other"]))
        self.assertEqual(kernels(second), (["other", "same start", "next"], ["last"]))

    def hosts(self):
        """Two ranks with threads of one number: the second rank is shifted by 7000 µs and does something else meanwhile."""
        ranks = []
        for number, (what, launched) in enumerate((("DataLoaderIter.__next__", 1_995), ("save_checkpoint", 1_990))):
            rank = idle_trace.Rank(number, 2, pid=77, base_ns=1_700_000_000_000_000_000 + number * 7_000_000)
            for device in (0, 1):
                rank.step(0, 0, 9_000)
                rank.kernel("gemm", 500, 500, (100, 5), device=device)
                rank.kernel("gemm", 2_000, 500, (launched - device, 2, 1 + device), device=device)
                rank.span(what, 1_000, 900 - 100 * device, 1 + device, NOTE)
            ranks.append(rank)
        return ranks

    def test_hosts_that_have_threads_of_one_number(self):
        found = idle_trace.gaps(self.bubbles(*self.hosts()))
        self.assertEqual([(g["device"], g["start_rel_ns"], g["duration_ns"]) for g in found if not g["boundary_adjacent"]],
                         [(0, 1_000_000, 1_000_000), (1, 1_000_000, 1_000_000), (2, 8_000_000, 1_000_000), (3, 8_000_000, 1_000_000)])
        self.assertEqual([(g["cause"]["id"], g["cause"]["covered_ns"], g["cause"]["certainty"]) for g in found],
                         [("data_loader", 900_000, "proved"), ("data_loader", 800_000, "likely"),
                          ("checkpoint", 900_000, "proved"), ("checkpoint", 800_000, "likely")])
        self.assertEqual([self.names(g) for g in found],
                         [[("DataLoaderIter.__next__", 1_000), ("cudaLaunchKernel", 4)],
                          [("DataLoaderIter.__next__", 1_000), ("cudaLaunchKernel", 4)],
                          [("save_checkpoint", 1_000), ("cudaLaunchKernel", 4)], [("save_checkpoint", 1_000), ("cudaLaunchKernel", 4)]])
        self.assertEqual([(g["launch"]["launch_rel_ns"], int(g["launch"]["launch_slack_us"])) for g in found],
                         [(1_995_000, 5), (1_994_000, 6), (8_990_000, 10), (8_989_000, 11)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
