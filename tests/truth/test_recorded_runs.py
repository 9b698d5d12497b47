"""Steps of devices, parts of steps, ranks and graphs of what hosts recorded themselves."""
import sys

import truth

US = 1_000_000  # ps


class Runs(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()

    def builder(self, recorder="", **host):
        """A host with a GPU of two streams and one thread: what adds rows in us, and what gives the profile."""
        made = self.lib.TraceBuilder("lab", recorder)
        self.addCleanup(made.close)
        owner = made.host("a", **host)
        device = made.device(owner, "GPU 0", accelerator=self.lib.Accelerator.GPU)
        streams = [made.stream(device, number) for number in (7, 9)]
        thread = made.thread(owner, "p", "main")

        def kernel(stream, name, start, length, correlation=0, **more):
            made.kernels([self.lib.TraceKernel(streams[stream], name, start * US, length * US, correlation, **more)])

        def span(name, start, length, *more, **named):
            made.spans([self.lib.TraceSpan(thread, name, start * US, length * US, *more, **named)])

        def step(number, start, length):
            made.steps([self.lib.TraceStep(thread, f"step {number}", start * US, length * US, number)])

        def finished():
            profile = made.finish()
            self.addCleanup(profile.close)
            return profile
        return kernel, span, step, finished

    def launched(self, span, *rows):
        for number, at in rows:
            span("call", at, 1, self.lib.SpanKind.RUNTIME, number)

    def test_parts_of_steps(self):
        """What the kernels count as is what the parts are made of; compute comes before communication, that before copies."""
        kernel, span, step, finished = self.builder()
        kind = self.lib.KernelKind
        kernel(0, "a", 100, 50, 1)
        kernel(1, "b", 120, 80, 2, kind=kind.COMM)
        kernel(0, "c", 190, 40, 3, kind=kind.COPY)
        kernel(0, "Memcpy", 400, 30, 4, kind=kind.OTHER)
        kernel(0, "e", 600, 50, 5)
        self.launched(span, (1, 10), (2, 20), (3, 30), (4, 499), (5, 500))
        step(1, 0, 500)
        step(2, 500, 500)
        rows = finished().table("steps").to_dicts()
        columns = ("start_ps", "end_ps", "busy_ps", "prelaunch_ps", "internal_ps", "tail_ps", "largest_internal_ps", "compute_only_ps",
                   "comm_exposed_ps", "comm_overlapped_ps", "copy_ps", "other_ps", "idle_ps", "bubble_count")
        # [100, 150) computes, [120, 200) communicates, to 230 copies, [400, 430) is other work; the next step begins at 500.
        self.assertEqual([tuple(row[name] // (1 if name == "bubble_count" else US) for name in columns) for row in rows],
                         [(0, 500, 160, 100, 170, 70, 170, 20, 50, 30, 30, 30, 340, 1), (500, 1000, 50, 100, 0, 350, 0, 50, 0, 0, 0, 0, 450, 0)])
        self.assertEqual([row["step_id"] for row in rows], ["1", "2"])

    def test_steps_follow_launches(self):
        """A kernel is of the step in which it was launched, however late it runs; an instant at the border begins the next.
        The second step is marked at 100, while what the first one launched runs until 350: there that one ends, and the second begins."""
        kernel, span, step, finished = self.builder()
        for number, (at, begins) in enumerate(((99, 300), (100, 400), (199, 500), (0, 200)), 1):
            self.launched(span, (number, at))
            kernel(0, f"k{number}", begins, 50, number)
        step(5, 0, 100)
        step(6, 100, 100)
        profile = finished()
        self.assertEqual([(row["step_id"], row["start_ps"] // US, row["end_ps"] // US) for row in profile.table("steps").to_dicts()],
                         [("5", 0, 350), ("6", 350, 550)])
        for at, wanted in ((0, ["k1", "k4"]), (1, ["k2", "k3"])):
            (line,) = profile.document("ops", step=at)["lines"]
            self.assertEqual(sorted(op["name"] for op in line["ops"]), wanted)

    def test_graphs(self):
        """Kernels of a graph are counted, on whichever streams; a graph is one by what the host says of it, or by its call."""
        kernel, span, _, finished = self.builder()
        kind, runtime = self.lib.LaunchKind, self.lib.SpanKind.RUNTIME
        span("run", 10, 1, runtime, 1, kind.GRAPH)
        span("cudaGraphLaunch", 20, 1, runtime, 2)
        span("cudaGraphLaunch", 30, 1, runtime, 3, kind.KERNEL)
        span("cudaLaunchKernel", 40, 1, runtime, 4)
        span("run", 50, 1, runtime, 5)
        for at, number in enumerate((1, 1, 2, 3, 4, 5, 0)):
            kernel(at % 2, "gemm", 100 + 10 * at, 10, number)
        self.assertEqual(finished().document("op_groups")["by_graph"], 3)

    def test_ranks(self):
        """Of each host; a size of the run makes no rank."""
        made = self.lib.TraceBuilder("lab", "mytracer 1.2")
        self.addCleanup(made.close)
        for name, options in (("a", {"rank": 3, "world_size": 8}),
                              ("b", {"rank": 0, "world_size": 8}), ("c", {"world_size": 8}), ("d", {})):
            device = made.device(made.host(name, **options), f"GPU {name}")
            made.kernels([self.lib.TraceKernel(made.stream(device, 7), "gemm", 0, 10 * US)])
        with made.finish() as profile:
            summary = profile.document("report")["summary"]
            rows = profile.table("kernels").to_dicts()
        self.assertEqual(sorted((r["rank"], r["world_size"]) for r in summary["ranks"]), [(0, 8), (3, 8)])
        self.assertEqual(summary["software"], ["mytracer 1.2"])
        self.assertEqual([(row["host"], row["rank"]) for row in rows], [("a", 3), ("b", 0), ("c", None), ("d", None)])

    def test_nothing_ran(self):
        """Without a kernel there is nothing to say of devices; hosts and steps are there."""
        _, span, step, finished = self.builder()
        span("load", 0, 50)
        step(1, 0, 100)
        profile = finished()
        bubbles = profile.document("bubbles")
        self.assertEqual((bubbles["status"], bubbles["reason"]), ("absent", "no kernel of a device was found here"))
        self.assertEqual([(n["name"], n["count"]) for n in profile.document("framework")["names"]], [("step 1", 1), ("load", 1)])
        self.assertEqual(profile.document("steps")["matched"], 1)
        found = profile.document("ops")
        self.assertEqual([(line["plane_name"], line["line_name"], [op["name"] for op in line["ops"]]) for line in found["lines"]],
                         [("p", "main", ["load"])])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
