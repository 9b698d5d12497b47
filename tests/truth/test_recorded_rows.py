"""Rows that hosts recorded themselves: what a kernel counts as, who launched it, what is a step, what is passed over."""
import sys

import truth

US = 1_000_000  # ps
FAR = ((1 << 63) - 1) // 1000 * 1000  # ps that int64 holds, in whole ns: 106 days


class Rows(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()
        self.made = self.lib.TraceBuilder("lab")
        self.addCleanup(self.made.close)
        self.host = self.made.host("a")
        self.device = self.made.device(self.host, "GPU 0", accelerator=self.lib.Accelerator.GPU)
        self.stream = self.made.stream(self.device, 7)
        self.thread = self.made.thread(self.host, "p", "main")

    def finished(self):
        profile = self.made.finish()
        self.addCleanup(profile.close)
        return profile

    def kernel(self, name, start, duration=US, **more):
        self.made.kernels([self.lib.TraceKernel(self.stream, name, start, duration, **more)])

    def span(self, name, start, duration=US, *more, thread=None, **options):
        self.made.spans([self.lib.TraceSpan(self.thread if thread is None else thread, name, start, duration, *more, **options)])

    def test_kinds_of_kernels(self):
        """By the name, unless the host says it."""
        kind = self.lib.KernelKind
        given = [("gemm", None, "compute"), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", None, "comm"), ("Memcpy HtoD", None, "copy"),
                 ("Memset (Device)", None, "copy"), ("ncclDevKernel_AllGather_RING_LL", kind.COMPUTE, "compute"),
                 ("gemm", kind.COMM, "comm"),
                 ("gemm", kind.COPY, "copy"), ("Memcpy DtoH", kind.OTHER, "other"), ("gemm", kind.OTHER, "other")]
        for at, (name, wanted, _) in enumerate(given):
            self.kernel(name, at * US, kind=wanted)
        profile = self.finished()
        self.assertEqual([(row["name"], row["kind"], row["source_row"]) for row in profile.table("kernels").to_dicts()],
                         [(name, found, 1 + at) for at, (name, _, found) in enumerate(given)])
        (line,) = profile.document("ops", limit=0)["lines"]
        self.assertEqual(sorted((op["name"], op["stats"]["category"], op["count"]) for op in line["ops"]),
                         sorted((name, found, 1) for name, _, found in given))

    def launches(self):
        return [(row["name"], row["launch_ps"]) for row in self.finished().table("kernels").to_dicts()]

    def test_launches(self):
        """The span of a kernel's number says more than its own launch; the first of two spans counts; 0 is no number."""
        self.kernel("none", 100 * US)
        self.kernel("own", 200 * US, launch_ps=5)
        self.kernel("at zero", 300 * US, launch_ps=0)
        self.kernel("both", 400 * US, correlation=7, launch_ps=6)
        self.kernel("no such span", 500 * US, correlation=8, launch_ps=7)
        self.kernel("two spans", 600 * US, correlation=9)
        self.kernel("same span", 700 * US, correlation=7)
        self.span("zero", 1 * US, correlation=0)
        self.span("seven", 20 * US, correlation=7)
        self.span("nine", 30 * US, correlation=9)
        self.span("nine again", 40 * US, correlation=9)
        self.assertEqual(self.launches(), [("none", None), ("own", 5), ("at zero", 0), ("both", 20 * US), ("no such span", 7),
                                           ("two spans", 30 * US), ("same span", 20 * US)])

    def test_a_number_is_of_one_host(self):
        """Another host has numbers of its own."""
        other = self.made.host("b")
        self.span("there", 10 * US, correlation=7, thread=self.made.thread(other, "p", "main"))
        self.kernel("here", 100 * US, correlation=7)
        self.made.kernels([self.lib.TraceKernel(self.made.stream(self.made.device(other, "GPU 0"), 7), "there", 50 * US, US, 7)])
        self.assertEqual(self.launches(), [("here", None), ("there", 10 * US)])

    def test_launches_without_a_record(self):
        """What the host says that it launched counts before its name; only spans with a number say it."""
        kind = self.lib.LaunchKind
        self.kernel("gemm", 100 * US, correlation=1)
        for at, (name, number, launches) in enumerate([
                ("cudaLaunchKernel", 1, kind.BY_NAME), ("cudaLaunchKernel", 2, kind.BY_NAME), ("cudaLaunchKernel", 0, kind.BY_NAME),
                ("cudaLaunchKernel", 3, kind.GRAPH), ("mine", 4, kind.KERNEL), ("mine", 5, kind.BY_NAME),
                ("cudaMemcpyAsync", 6, kind.BY_NAME), ("mine", 7, kind.COPY),
                ("cudaGraphLaunch", 8, kind.BY_NAME), ("cudaLaunchHostFunc", 9, kind.BY_NAME)]):
            self.span(name, at * US, US, self.lib.SpanKind.RUNTIME, number, launches)
        found = self.finished().document("info")["reasons"]
        self.assertEqual(found, ["lab: 6 of 7 launches have no record of a device (2 of 3 kernels, 2 of 2 copies, 2 of 2 graphs): what the "
                                 "device did for them, and when, is not known"])

    def steps(self):
        return [(s["name"], s["step_num"], s["start_ps"], s["duration_ps"]) for s in self.finished().document("steps", limit=0)["steps"]]

    def test_steps(self):
        """A step need have no number and no length. A span whose name marks a step is one, too."""
        self.made.steps([self.lib.TraceStep(self.thread, *row) for row in (("a", 90 * US, 5, 0), ("b", 80 * US, 5), ("c", 70 * US, 0, 9))])
        self.span("Step#6", 75 * US, 3)
        self.assertEqual(self.steps(), [("c", "9", 70 * US, 0), ("Step#6", "6", 75 * US, 3),
                                        ("b", None, 80 * US, 5), ("a", "0", 90 * US, 5)])

    def test_names_of_steps(self):
        """A call of a runtime is none, whatever it is called; nor is a name that only resembles one."""
        kind = self.lib.SpanKind
        for at, (name, of) in enumerate((("ProfilerStep#7", kind.OP), ("ProfilerStep#8", kind.RUNTIME), ("ProfilerStep#9", kind.FRAME),
                                         ("ProfilerStep#", kind.OP), ("ProfilerStep#1a", kind.OP), ("ProfilerStep#10", kind.ANNOTATION))):
            self.span(name, at * US, US, of)
        self.assertEqual(self.steps(), [("ProfilerStep#7", "7", 0, US), ("ProfilerStep#9", "9", 2 * US, US),
                                        ("ProfilerStep#10", "10", 5 * US, US)])

    def test_how_far_times_reach(self):
        """106 days to either side, the end of a row included."""
        for start, duration in ((-FAR, 0), (-FAR, FAR), (FAR, 0), (FAR - 5, 5), (0, FAR)):
            self.kernel("taken", start, duration)
        for start, duration in ((-FAR - 1, 0), (FAR + 1, 0), (FAR, 1), (FAR - 5, 6), (1, FAR), ((1 << 63) - 1, (1 << 63) - 1)):
            with self.assertRaisesRegex(self.lib.InvalidArgument, "row 0: the time lies out of reach"):
                self.kernel("not taken", start, duration)
        rows = self.finished().table("kernels").to_dicts()
        self.assertEqual(sorted((row["name"], row["start_ps"], row["duration_ps"]) for row in rows),
                         sorted([("taken", -FAR, 0), ("taken", -FAR, FAR), ("taken", FAR, 0), ("taken", FAR - 5, 5), ("taken", 0, FAR)]))

    def test_all_rows_or_none(self):
        """The message names the first bad row; what was sound before it in the call is not added, what came in other calls is."""
        row, wrong = self.lib.TraceKernel, self.lib.InvalidArgument
        self.kernel("before", 0)
        for bad, why in ((row(self.stream, "bad", 0, -1), "the duration is negative"), (row(self.stream + 1, "bad", 0, 1), "no stream 1"),
                         (row(self.stream, "bad", FAR + 1, 0), "out of reach")):
            with self.assertRaisesRegex(wrong, f"row 2: .*{why}"):
                self.made.kernels([row(self.stream, "one", 5, 1), row(self.stream, "two", 6, 1), bad, bad])
        self.made.kernels([])
        self.kernel("after", 9 * US)
        for add, bad in ((self.made.spans, self.lib.TraceSpan(self.thread, "s", 0, -1)),
                         (self.made.spans, self.lib.TraceSpan(1, "s", 0, 1)),
                         (self.made.steps, self.lib.TraceStep(self.thread, "s", 0, 1, -1)),
                         (self.made.steps, self.lib.TraceStep(1, "s", 0, 1)),
                         (self.made.values, self.lib.TraceValue(0, 0, 1.0)), (self.made.allocations, self.lib.TraceAllocation(0, 0, 1))):
            with self.assertRaisesRegex(wrong, "row 0"):
                add([bad])
        profile = self.finished()
        self.assertEqual([(k["name"], k["source_row"]) for k in profile.table("kernels").to_dicts()], [("before", 1), ("after", 2)])
        (given,) = profile.document("bubbles")["inputs"]
        self.assertEqual((given["rows"], given["rejected"]), (2, 0))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
