"""Each gap of `bubbles` at the edge of one rule: its cause, certainty and soft labels, a microsecond before and after."""
import fractions
import sys

import idle_trace
import truth

BUSY = 1_000  # µs of the kernel between two gaps
LOADER, SAVE, MALLOC, SYNC = "DataLoaderIter.__next__", "save_checkpoint", "cudaMalloc", "cudaStreamSynchronize"
LOCK, FETCH = "pthread_mutex_lock", "dataloader.py(5): fetch"
NOTE = "user_annotation"
LATE = (990, 10)  # the launch of what ends the gap: begin and length, from the begin of the gap
LAG, SYNC_LABEL, COMM, UNTRACED, SERIAL, LITTLE = (
    "possible_host_launch_lag", "possible_sync_or_h2d", "possible_comm_wait", "possible_untraced_host_blocking",
    "possible_python_serialization_or_lock", "insufficient_evidence")


def op(start, size, name="aten::mm", tid=1):
    return ("cpu_op", name, start, size, tid)


def ops(start, size):
    """One after the other, twenty of them."""
    return [op(start + i * size // 20, size // 20) for i in range(20)]


def note(start, size, name=LOADER, tid=1):
    return (NOTE, name, start, size, tid)


def frame(start, size, name="model.py(3): forward", tid=1):
    return ("python_function", name, start, size, tid)


def run(start, size, name, tid=1):
    return ("cuda_runtime", name, start, size, tid)


# Length of the gap, what the host does in it, the launch of the kernel after it -> cause, certainty, name, µs of evidence.
CAUSES = [
    # Late from four fifths of the gap on, when the call returned.
    (1000, ops(0, 880), (880, 20), ("launch_bound", "proved", None, 900)),
    (1000, ops(0, 860) + [op(860, 19)], (880, 20), ("launch_bound", "likely", None, 899)),
    (1000, ops(0, 780), (780, 20), ("launch_bound", "likely", None, 800)),
    (1000, ops(0, 780), (779, 20), ("launch_bound", "possible", None, 799)),
    (1000, [op(0, 780)], (780, 20), ("host_call", "likely", "aten::mm", 780)),
    (1000, [op(0, 780)], (779, 20), ("launch_bound", "possible", None, 799)),
    (1000, [op(0, 780), op(790, 10)], (779, 20), ("launch_bound", "possible", None, 800)),
    (1000, [op(0, 490)], LATE, ("launch_bound", "likely", None, 500)),
    (1000, [op(0, 489)], LATE, ("unexplained", "unknown", None, 499)),
    # Early before half of the gap.
    (1000, [op(0, 480)], (480, 20), ("launch_bound", "possible", None, 500)),
    (1000, [op(0, 1000)], (479, 20), ("device_dependency", "likely", None, 501)),
    (1000, [note(0, 1000)], (-300, 20), ("device_dependency", "proved", None, 1000)),
    (55, [], (0, 5), ("device_dependency", "proved", None, 50)),
    (54, [], (0, 5), ("device_dependency", "likely", None, 49)),
    (560, [], (51, 5), ("device_dependency", "proved", None, 504)),
    (560, [], (52, 5), ("device_dependency", "likely", None, 503)),
    (1000, [], (-5, 5), ("device_dependency", "proved", None, 1000)),
    # Silence: the longest time without an op or a call; an annotation or a frame makes it less sure.
    (1000, [op(80, 10)], LATE, ("host_untraced", "proved", None, 0)),
    (1000, [op(81, 10)], LATE, ("unexplained", "unknown", None, 20)),
    (1000, [op(80, 10), note(500, 10, "forward")], LATE, ("host_untraced", "likely", None, 0)),
    (1000, [op(80, 10), frame(500, 10)], LATE, ("host_untraced", "likely", None, 0)),
    (1000, [op(100, 80), op(180, 10), op(185, 5)], LATE, ("unexplained", "unknown", None, 100)),
    # What other threads recorded shows that the host was recorded: a twentieth of the gap.
    (1000, [op(80, 10), op(0, 29, tid=2)], LATE, ("host_untraced", "proved", None, 0)),
    (1000, [op(80, 10), op(0, 30, tid=2)], LATE, ("unexplained", "unknown", None, 20)),
    (1000, [op(-50, 60), op(500, 1)], (799, 1), ("unexplained", "unknown", None, 12)),
    (1000, [], (799, 1), ("unexplained", "unknown", None, 1)),
    (1000, [], (798, 1), ("unexplained", "unknown", None, 1)),
    (1000, [], (899, 1), ("unexplained", "unknown", None, 1)),
    (1000, [], (900, 1), ("host_untraced", "proved", None, 0)),
    # A known activity counts from a fifth of the gap on, and is as sure as its share.
    (1000, [note(0, 900)], LATE, ("data_loader", "proved", LOADER, 900)),
    (1000, [note(0, 899)], LATE, ("data_loader", "likely", LOADER, 899)),
    (1000, [note(0, 500)], LATE, ("data_loader", "likely", LOADER, 500)),
    (1000, [note(0, 499)], LATE, ("data_loader", "possible", LOADER, 499)),
    (1000, [note(0, 200)], LATE, ("data_loader", "possible", LOADER, 200)),
    (1000, [note(0, 199)], LATE, ("unexplained", "unknown", None, 10)),
    (1000, [note(-100, 1200)], LATE, ("data_loader", "proved", LOADER, 1000)),
    (1000, [note(0, 900)], (780, 19), ("data_loader", "likely", LOADER, 900)),
    (1000, [note(0, 900)], (780, 20), ("data_loader", "proved", LOADER, 900)),
    # Unless the thread did twice as much else.
    (1000, [note(0, 200), op(300, 390)], LATE, ("data_loader", "possible", LOADER, 200)),
    (1000, [note(0, 200), op(300, 391)], LATE, ("unexplained", "unknown", None, 401)),
    # The innermost known span counts; names of one cause together, of them the one with most time.
    (1000, [note(0, 900), note(100, 400, SAVE)], LATE, ("data_loader", "likely", LOADER, 500)),
    (1000, [note(0, 900), note(100, 460, SAVE)], LATE, ("checkpoint", "possible", SAVE, 460)),
    (1000, [note(0, 900), note(100, 800, SAVE), note(100, 100, MALLOC), note(300, 100, MALLOC)], LATE, ("checkpoint", "likely", SAVE, 600)),
    (1000, [note(0, 300, MALLOC), note(300, 100, "cudaFree"), note(400, 301, "hipFree"), note(800, 100, "cudaFree")], LATE,
     ("allocation", "likely", "hipFree", 801)),
    (1000, [note(0, 300, MALLOC), note(300, 100, "cudaFree"), note(400, 400, "hipFree"), note(800, 100, "cudaFree")], LATE,
     ("allocation", "proved", "hipFree", 900)),
    (1000, [note(0, 900), note(0, 900, SAVE)], LATE, ("checkpoint", "proved", SAVE, 900)),
    # Frames only where nothing else is known, and locks below them.
    (1000, [frame(0, 900, FETCH), note(100, 300, SAVE)], LATE, ("data_loader", "likely", FETCH, 600)),
    (1000, [note(0, 600, SAVE), frame(100, 800, FETCH)], LATE, ("checkpoint", "likely", SAVE, 600)),
    (1000, [note(0, 1000, LOCK), frame(0, 300, FETCH), note(300, 200, SAVE)], LATE, ("lock", "likely", LOCK, 500)),
    (1000, [note(0, 1000, LOCK)], LATE, ("lock", "likely", LOCK, 1000)),
    (1000, [note(0, 499, LOCK)], LATE, ("lock", "possible", LOCK, 499)),
    # What another thread does does not count.
    (1000, [note(0, 900, tid=2)], LATE, ("unexplained", "unknown", None, 10)),
    (1000, [note(0, 900, tid=2), note(0, 200, SAVE)], LATE, ("checkpoint", "possible", SAVE, 200)),
    (1000, [note(0, 900, tid=2)], (990, 10, 2), ("data_loader", "proved", LOADER, 900)),
    # A wait that began before the gap and ended in it owes its own length.
    (1000, [run(-400, 450, SYNC)] + ops(60, 900), LATE, ("sync_drain", "likely", SYNC, 500)),
    (1000, [run(-399, 449, SYNC)] + ops(60, 900), LATE, ("launch_bound", "proved", None, 960)),
    (1000, [run(-800, 850, SYNC)] + ops(60, 900), LATE, ("sync_drain", "proved", SYNC, 900)),
    (1000, [run(-799, 849, SYNC)] + ops(60, 900), LATE, ("sync_drain", "likely", SYNC, 899)),
    (1000, [run(-800, 850, SYNC)] + ops(60, 700), (779, 20), ("sync_drain", "likely", SYNC, 900)),
    # What the thread does next has to be on record, and to have no name of its own.
    (1000, [run(-900, 950, SYNC)], LATE, ("unexplained", "unknown", None, 60)),
    (1000, [run(-900, 950, SYNC), note(60, 900)], LATE, ("data_loader", "proved", LOADER, 900)),
    (1000, [run(-900, 950, SYNC), op(60, 900)], LATE, ("sync_drain", "likely", SYNC, 1000)),
    (1000, [run(0, 950, SYNC)], LATE, ("sync_wait", "proved", SYNC, 950)),
    (1000, [run(-1, 951, SYNC)], LATE, ("sync_wait", "proved", SYNC, 950)),
    (1000, [run(-900, 900, SYNC)], LATE, ("host_untraced", "proved", None, 0)),
    (1000, [run(-900, 1900, SYNC)], LATE, ("sync_wait", "proved", SYNC, 1000)),
    (1000, [run(-900, 1899, SYNC)], LATE, ("sync_wait", "proved", SYNC, 999)),
    # A launch that fills half of the gap.
    (1000, [], (490, 500), ("unexplained", "unknown", None, 500)),
    (1000, [op(0, 10)], (490, 499), ("launch_bound", "likely", None, 509)),
    (1000, [op(0, 490)], (490, 500), ("unexplained", "unknown", None, 500)),
    (1000, [note(0, 200)], (490, 500), ("unexplained", "unknown", None, 500)),
    (1000, [note(0, 250)], (490, 500), ("data_loader", "possible", LOADER, 250)),
    (1000, [], (-300, 800), ("unexplained", "unknown", None, 500)),
    (1000, [], (-300, 799), ("device_dependency", "likely", None, 501)),
    # A copy waits for pageable memory where the copy that ends the gap says so: here a kernel does.
    (1000, [run(0, 900, "cudaMemcpyAsync")], LATE, ("sync_wait", "proved", "cudaMemcpyAsync", 900)),
    # A call that begins with the gap is not launched in it.
    (1000, [op(0, 1000)], (0, 900), ("unexplained", "unknown", None, 900)),
    (1000, [op(0, 1000)], (1, 499), ("launch_bound", "possible", None, 1000)),
    # 50 µs are listed.
    (50, ops(0, 40), (40, 10), ("launch_bound", "proved", None, 50)),
    # An op that launches, of less than a millisecond, and a call of one that does not.
    (1000, [op(0, 999)], LATE, ("launch_bound", "proved", None, 1000)),
    (1011, [op(0, 1011)], (1000, 11), ("host_call", "likely", "aten::mm", 1000)),
    (50, [op(0, 45)], (45, 5), ("host_call", "likely", "aten::mm", 45)),
]

# Without a launch on record nothing is more than possible: what some thread does most, else how much ops of all threads cover.
UNLAUNCHED = [
    (1000, [note(0, 900)], ("data_loader", "possible", LOADER, 900)),
    (1000, [note(0, 400), note(300, 401, SAVE, 2), note(0, 350, MALLOC, 3)], ("checkpoint", "possible", SAVE, 401)),
    (1000, [note(0, 400), note(300, 400, SAVE, 2)], ("data_loader", "possible", LOADER, 400)),
    (1000, [op(0, 500), op(400, 400, tid=2)], ("launch_bound", "possible", None, 800)),
    (1000, [op(0, 500)], ("launch_bound", "possible", None, 500)),
    (1000, [op(0, 300), op(300, 199, tid=2)], ("unexplained", "unknown", None, 499)),
    (1000, [op(0, 50)], ("unexplained", "unknown", None, 50)),
    (1000, [op(0, 49)], ("host_untraced", "possible", None, 0)),
    (1000, [note(0, 300, "forward"), frame(0, 900)], ("unexplained", "unknown", None, 300)),
    (1000, [frame(0, 900)], ("unexplained", "unknown", None, 0)),
    (1000, [], ("host_untraced", "possible", None, 0)),
]

# The gap, the spans (no launch on record) -> labels, and µs of any host, of leaves, of syncs, of collectives, of all threads.
LABELS = [
    (1000, [op(0, 200, "aten::to")], [SYNC_LABEL], (200, 200, 200, 0, 200)),
    (1000, [op(0, 199, "aten::to")], [LAG], (199, 199, 199, 0, 199)),
    (1000, [op(0, 200, "aten::topk")], [LAG], (200, 200, 0, 0, 200)),
    (1000, [op(0, 150, "aten::to"), op(100, 100, "aten::copy_", 2)], [SYNC_LABEL], (200, 200, 200, 0, 250)),
    (1000, [op(0, 200, "c10d::send")], [COMM], (200, 200, 0, 200, 200)),
    (1000, [op(0, 199, "c10d::send"), op(400, 200, "aten::_to_copy")], [SYNC_LABEL], (399, 399, 200, 199, 399)),
    (1000, [op(0, 200, "c10d::send"), op(400, 200, "aten::_to_copy")], [SYNC_LABEL, COMM], (400, 400, 200, 200, 400)),
    (1000, [("cuda_sync", "Event Sync", 0, 200, 7)], [SYNC_LABEL, UNTRACED], (0, 0, 200, 0, 0)),
    (1000, [("cuda_sync", "Stream Wait Event", 100, 200, 7)], [COMM, UNTRACED], (0, 0, 0, 200, 0)),
    (1000, [("cuda_sync", "Stream Wait Event", 100, 199, 7), op(0, 50)], [SERIAL], (50, 50, 0, 199, 50)),
    (1000, [op(0, 49)], [UNTRACED], (49, 49, 0, 0, 49)),
    (1000, [op(0, 50)], [SERIAL], (50, 50, 0, 0, 50)),
    (1000, [op(0, 99)], [SERIAL], (99, 99, 0, 0, 99)),
    (1000, [op(0, 100)], [LAG], (100, 100, 0, 0, 100)),
    (1000, [frame(0, 100)], [LAG], (100, 0, 0, 0, 100)),
    (1000, [frame(0, 60), op(30, 50)], [SERIAL], (80, 50, 0, 0, 80)),
    (1000, [op(0, 60), op(0, 12, tid=2)], [LITTLE], (60, 60, 0, 0, 72)),
    (1000, [op(0, 60), op(0, 11, tid=2)], [SERIAL], (60, 60, 0, 0, 71)),
    (1000, [op(0, 60), op(0, 60, "aten::add")], [SERIAL], (60, 60, 0, 0, 60)),
    (1000, [op(0, 30), op(10, 30, tid=2), op(20, 30, tid=3)], [LITTLE], (50, 50, 0, 0, 90)),
    (1000, [note(0, 60, "forward")], [SERIAL], (60, 60, 0, 0, 60)),
]


class Gaps(idle_trace.Case):
    def capture(self, cases):
        """`cases`: length, spans, launch or None. One kernel after each gap, and one before all; the begins of the gaps."""
        trace, begins, at = idle_trace.Rank(), [], 10_000
        trace.step(0, 0, 2_000 * (len(cases) + 20))
        trace.kernel("gemm", at, BUSY, (at - 900, 5, 4))
        for length, spans, launch in cases:
            start = at + BUSY
            begins.append(start)
            for category, name, offset, size, tid in spans:
                trace.span(name, start + offset, size, tid, category)
            at = start + length
            trace.kernel("gemm", at, BUSY, launch and (start + launch[0], *launch[1:]))
        found = idle_trace.gaps(self.bubbles(trace))
        self.assertEqual([(g["start_rel_ns"], g["duration_ns"], g["scope"]) for g in found],
                         [(start * 1000, length * 1000, "step_internal") for start, (length, _, _) in zip(begins, cases)])
        return found

    def expect_causes(self, found, expected):
        for gap, (cause, sure, name, covered), place in zip(found, expected, range(len(expected))):
            with self.subTest(case=place):
                self.check(gap["cause"], {"id": cause, "certainty": sure, "span": name, "covered_ns": covered * 1000})

    def test_causes(self):
        found = self.capture([case[:3] for case in CAUSES])
        self.expect_causes(found, [case[3] for case in CAUSES])
        for gap, (length, _, launch, _), place in zip(found, CAUSES, range(len(CAUSES))):
            with self.subTest(case=place):
                begun = launch[0]
                self.check(gap["launch"], {"launch_rel_ns": gap["start_rel_ns"] + begun * 1000,
                                           "launch_slack_us": fractions.Fraction(length - begun), "host_late": begun > 0})
                self.assertEqual(gap["heavy"], False)  # no tenth of the step

    def test_without_launches(self):
        found = self.capture([(length, spans, None) for length, spans, _ in UNLAUNCHED])
        self.expect_causes(found, [case[2] for case in UNLAUNCHED])
        self.assertEqual({gap["launch"] for gap in found}, {None})

    def test_labels(self):
        found = self.capture([(length, spans, None) for length, spans, _, _ in LABELS])
        for gap, (length, _, labels, covered), place in zip(found, LABELS, range(len(LABELS))):
            with self.subTest(case=place):
                host, leaf, sync, comm, threads = covered
                self.assertEqual(gap["candidate_labels"], labels)
                self.check({key: gap[key] for key in ("host_visible_coverage_ratio", "host_leaf_coverage_ratio",
                                                      "sync_marker_overlap_ratio", "comm_marker_overlap_ratio", "gc_overlap_ratio",
                                                      "host_parallelism", "covered_by_frames_only")},
                           {"host_visible_coverage_ratio": fractions.Fraction(host, length),
                            "host_leaf_coverage_ratio": fractions.Fraction(leaf, length),
                            "sync_marker_overlap_ratio": fractions.Fraction(sync, length),
                            "comm_marker_overlap_ratio": fractions.Fraction(comm, length), "gc_overlap_ratio": 0,
                            "host_parallelism": fractions.Fraction(threads, host) if host else None,
                            "covered_by_frames_only": leaf == 0 and host > 0})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
