"""What hosts recorded themselves: how hosts, devices, streams and threads are called and numbered, and whose clock is whose."""
import sys

import truth

US = 1_000_000  # ps
START_NS = 1_700_000_000_000_000_000


class Hosts(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()

    def builder(self, *texts, **options):
        made = self.lib.TraceBuilder(*texts, **options)
        self.addCleanup(made.close)
        return made

    def finished(self, builder):
        profile = builder.finish()
        self.addCleanup(profile.close)
        return profile

    def kernel(self, builder, device, *row, stream=None, **more):
        stream = builder.stream(device, 7) if stream is None else stream
        builder.kernels([self.lib.TraceKernel(stream, *row, **more)])
        return stream

    def test_labels(self):
        """Of one host the label; of several its name beside it, and a number where that would say too little."""
        def labels(*hosts, label="lab"):
            made = self.builder(label)
            for name in hosts:
                made.host(name)
            return [file["path"] for file in self.finished(made).table("files").to_dicts()]

        self.assertEqual(labels("a"), ["lab"])
        self.assertEqual(labels("a", label=""), ["recording"])
        self.assertEqual(labels("a", "b"), ["lab/a", "lab/b"])
        self.assertEqual(labels("a", "b", "a"), ["lab/a 0", "lab/b", "lab/a 2"])
        self.assertEqual(labels("", "b", ""), ["lab/host 0", "lab/b", "lab/host 2"])
        self.assertEqual(labels("", "b"), ["lab/host 0", "lab/b"])

    def test_clocks(self):
        """The first origin is the capture's time zero. A host without one keeps its times. A launch moves with its kernel."""
        made = self.builder()
        for name, origin in (("a", START_NS + 5), ("b", START_NS), ("c", None)):
            host = made.host(name, origin_unix_ns=origin)
            self.kernel(made, made.device(host, "GPU 0"), "gemm", 100 * US, US, launch_ps=90 * US)
            made.steps([self.lib.TraceStep(made.thread(host, "p", "t"), "train", 0, 7 * US, 1)])
        profile = self.finished(made)
        zero = profile.document("info")["origin_unix_ns"]
        self.assertEqual(zero, str(START_NS))
        self.assertEqual([(row["start_ps"], row["launch_ps"]) for row in profile.table("kernels").to_dicts()],
                         [(100 * US + 5000, 90 * US + 5000), (100 * US, 90 * US), (100 * US, 90 * US)])
        self.assertEqual([step["start_ps"] for step in profile.document("steps")["steps"]], [5000, 0, 0])
        self.assertEqual([(file["origin_unix_ns"], file["shift_ns"]) for file in profile.table("files").to_dicts()],
                         [(START_NS + 5, 5), (START_NS, 0), (None, 0)])

    def test_an_origin_of_zero_is_one(self):
        made = self.builder()
        made.host("a", origin_unix_ns=0)
        made.host("b", origin_unix_ns=7)
        files = self.finished(made).table("files").to_dicts()
        self.assertEqual([(file["origin_unix_ns"], file["shift_ns"]) for file in files], [(0, 0), (7, 7)])

    def test_numbers_go_over_all_hosts(self):
        """A device, a stream and a thread are counted over all hosts, in whichever order they come."""
        made = self.builder()
        hosts = [made.host("a"), made.host("b")]
        devices = [made.device(hosts[1], "B"), made.device(hosts[0], "A"), made.device(hosts[1], "B two")]
        streams = [made.stream(devices[2], 3), made.stream(devices[1], 3), made.stream(devices[0], 4), made.stream(devices[2], 1, "own")]
        threads = [made.thread(hosts[1], "p", "x"), made.thread(hosts[0], "p", "y")]
        self.assertEqual((devices, streams, threads), ([0, 1, 2], [0, 1, 2, 3], [0, 1]))
        for at, stream in enumerate(streams):
            self.kernel(made, None, f"k{at}", at * US, US, stream=stream)
        made.spans([self.lib.TraceSpan(thread, f"s{at}", 0, US) for at, thread in enumerate(threads)])
        files = self.finished(made).document("tree", limit=0)["files"]
        self.assertEqual([[(p["name"], p["kind"], [(n["name"], n["id"], [e["name"] for e in n["events"]]) for n in p["lines"]])
                           for p in file["planes"]] for file in files],
                         [[("A", "device", [("stream 3", "3", ["k1"])]), ("p", "host", [("y", "0", ["s1"])])],
                          [("B", "device", [("stream 4", "4", ["k2"])]),
                           ("B two", "device", [("stream 3", "3", ["k0"]), ("own", "1", ["k3"])]), ("p", "host", [("x", "0", ["s0"])])]])

    def test_threads_and_counters_of_a_process(self):
        """They stand in one list of their process, in the order in which they were added; a device has its counters after its streams."""
        made = self.builder()
        host = made.host("a")
        device = made.device(host, "GPU 0")
        made.thread(host, "p", "one")
        watts = made.counter("power", device=device)
        queue = made.counter("queue", host=host, process="p")
        made.thread(host, "q", "other")
        made.thread(host, "p", "two")
        heat = made.counter("heat", device=device)
        alone = made.counter("alone", host=host, process="r")
        made.stream(device, 9)
        made.values([self.lib.TraceValue(number, at, at) for at, number in enumerate((watts, queue, heat, alone))])
        profile = self.finished(made)
        planes = profile.document("tree", limit=0)["files"][0]["planes"]
        self.assertEqual([(plane["name"], plane["kind"], sorted((line["line"], line["name"], line["kind"]) for line in plane["lines"]))
                          for plane in planes],
                         [("GPU 0", "device", [(0, "stream 9", "stream"), (1, "power", "counter"), (2, "heat", "counter")]),
                          ("p", "host", [(0, "one", "thread"), (1, "queue", "counter"), (2, "two", "thread")]),
                          ("q", "host", [(0, "other", "thread")]), ("r", "host", [(0, "alone", "counter")])])
        lines = {line["name"]: (line["events"], line["first_ps"]) for plane in profile.document("info", limit=0)["files"][0]["planes"]
                 for line in plane["lines"]}
        self.assertEqual(lines, {"stream 9": (0, None), "power": (1, 0), "heat": (1, 2), "one": (0, None), "queue": (1, 1),
                                 "two": (0, None), "other": (0, None), "alone": (1, 3)})

    def test_devices(self):
        """Numbers that are not known are none; devices of one name on two hosts are two."""
        made, kind = self.builder(), self.lib.Accelerator
        for name, rank in (("a", 0), ("b", None)):
            host = made.host(name, rank=rank, world_size=4)
            for accelerator, ordinal in ((kind.GPU, 0), (kind.NPU, None), (kind.TPU, 12)):
                self.kernel(made, made.device(host, "chip", accelerator=accelerator, ordinal=ordinal), "k", 0, 1)
        rows = self.finished(made).table("devices").to_dicts()
        self.assertEqual([(row["file"], row["device"], row["host"], row["rank"], row["accelerator"], row["ordinal"]) for row in rows],
                         [(0, 0, "a", 0, "gpu", 0), (0, 1, "a", 0, "npu", None), (0, 2, "a", 0, "tpu", 12),
                          (1, 3, "b", None, "gpu", 0), (1, 4, "b", None, "npu", None), (1, 5, "b", None, "tpu", 12)])

    def test_what_is_not_taken(self):
        made, wrong = self.builder(), self.lib.InvalidArgument
        with self.assertRaises(wrong):
            made.finish()  # no host was added
        host = made.host("a")
        for bad in (lambda: made.host("b", rank=-1), lambda: made.host("b", world_size=-1), lambda: made.host("b", origin_unix_ns=-1),
                    lambda: made.device(host + 1, "GPU"), lambda: made.device(host, "GPU", ordinal=-1), lambda: made.stream(0, 7),
                    lambda: made.thread(1, "p", "t"), lambda: made.counter("c", device=0), lambda: made.allocator("a", host=1)):
            with self.assertRaises(wrong):
                bad()
        self.assertEqual((made.device(host, "GPU"), made.thread(host, "p", "t")), (0, 0))
        profile = self.finished(made)
        self.assertEqual(len(profile.table("files").to_dicts()), 1)
        with self.assertRaises(wrong):
            made.host("late")


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
