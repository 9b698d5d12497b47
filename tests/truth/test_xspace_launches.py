"""XSpaces of GPUs: which call of a host launched a kernel, what a kernel counts as, and of which device and stream it is."""
import sys

import pair
import truth
import xspace as x

US = 1_000_000  # ps
NS = pair.ORIGIN_NS["alpha"]
CORRELATION = x.stat_metadata(3, "correlation_id")


def number(value, kind=None, key=3):
    return x.stat(key, value, kind)


class Kernels(truth.Case):
    def kernels(self, *planes, **columns):
        path = self.write("a.xplane.pb", x.space(*planes))
        with truth.library().open(str(path)) as profile:
            return profile.table("kernels").to_dicts()

    @staticmethod
    def device(*events, name="/device:GPU:0", line="Stream #7(Kernel)", more=()):
        """Events are (us, stats)."""
        rows = [x.event(1, at * US, US, stats) for at, *stats in events]
        return x.plane(1, name, x.line(7, line, rows, NS), x.event_metadata(1, "gemm"), CORRELATION, *more)

    @staticmethod
    def host(*lines, name="/host:CPU", key=2, names=CORRELATION):
        threads = [x.line(1 + at, f"thread {at}", [x.event(1, us * US, US, stats) for us, *stats in events], NS)
                   for at, events in enumerate(lines)]
        return x.plane(key, name, *threads, x.event_metadata(1, "launch"), names)

    def launches(self, *planes):
        """us of each kernel, and us of its launch."""
        return [(row["start_ps"] // US, None if row["launch_ps"] is None else row["launch_ps"] // US) for row in self.kernels(*planes)]

    def test_numbers(self):
        """Whole numbers of either sign and kind; of two stats of one kernel or call the last; a text is none."""
        device = self.device((100, number(1)), (200,), (300, number(2, "uint")), (400, number(-1)), (500, number("5")),
                             (600, number(6)), (700, number(1), number(7)), (800, number(8)),
                             (900, number((1 << 63) + 9, "uint")))
        host = self.host([(10, number(1, "uint")), (20, number(2)), (40, number((1 << 64) - 1, "uint")), (50, number(5)), (60, number(6)),
                          (70, number(8), number(7)), (80, number("8")), (90, number(9 - (1 << 63)))])
        self.assertEqual(self.launches(device, host), [(100, 10), (200, None), (300, 20), (400, 40), (500, None), (600, 60), (700, 70),
                                                       (800, None), (900, 90)])

    def test_the_earliest_call_counts(self):
        """Of several with one number, wherever they stand: within a line, on another thread, on another plane of the host."""
        device = self.device((100, number(1)), (200, number(2)), (300, number(3)))
        first = self.host([(30, number(1)), (20, number(1)), (25, number(1)), (50, number(2))], [(40, number(2)), (60, number(3))])
        second = self.host([(55, number(3)), (45, number(2)), (20, number(1))], name="/host:python", key=3)
        for hosts in ((first, second), (second, first)):
            self.assertEqual(self.launches(device, *hosts), [(100, 20), (200, 40), (300, 55)])
            self.assertEqual(self.launches(*hosts, device), [(100, 20), (200, 40), (300, 55)])

    def test_names_of_the_stat(self):
        """Each plane numbers its stats itself; a number of another name launches nothing."""
        other = x.stat_metadata(9, "correlation_id") + x.stat_metadata(3, "context_id")
        device = self.device((100, number(1)), (200, number(2)))
        host = self.host([(10, number(2), number(1, key=9)), (20, number(2))], names=other)
        self.assertEqual(self.launches(device, host), [(100, 10), (200, None)])
        # An entry whose key was written again does not count.
        again = x.stat_metadata(3, "correlation_id") + x.stat_metadata(3, "context_id")
        self.assertEqual(self.launches(device, self.host([(10, number(1))], names=again)), [(100, None), (200, None)])

    def test_two_devices_share_the_calls(self):
        one, two = (self.device((100 + at, number(at)), name=f"/device:GPU:{at}") for at in (1, 2))
        self.assertEqual(self.launches(one, two, self.host([(5, number(1)), (6, number(2))])), [(101, 5), (102, 6)])

    def test_a_file_is_a_host(self):
        """Another file has numbers of its own."""
        self.write("run/a.xplane.pb", x.space(self.device((100, number(1)), (200, number(2))), self.host([(10, number(1))])))
        self.write("run/b.xplane.pb", x.space(self.device((100, number(1)), (200, number(2))), self.host([(20, number(2))])))
        with truth.library().open(str(self.scratch / "run")) as profile:
            rows = profile.table("kernels").to_dicts()
        self.assertEqual([(row["host"], row["start_ps"] // US, row["launch_ps"] and row["launch_ps"] // US) for row in rows],
                         [("a", 100, 10), ("a", 200, None), ("b", 100, None), ("b", 200, 20)])

    def test_lines_that_are_no_threads(self):
        """A line that was derived from others launches nothing; nor does one of a device, or of a plane that is no host's."""
        calls = [x.event(1, 10 * US, US, [number(1)])]
        names = (x.event_metadata(1, "launch"), CORRELATION)
        for plane in (x.plane(2, "/host:CPU", x.line(-559038737, "derived", calls, NS), *names),
                      x.plane(2, "/device:CUSTOM:x", x.line(1, "thread", calls, NS), *names),
                      x.plane(2, "/device:GPU:1", x.line(1, "thread", calls, NS), *names)):
            self.assertEqual(self.launches(self.device((100, number(1))), plane), [(100, None)])
        found = self.launches(self.device((100, number(1))), x.plane(2, "Host CPUs", x.line(1, "thread", calls, NS), *names))
        self.assertEqual(found, [(100, 10)])

    def test_streams(self):
        """The number in the line's name is the stream; where there is none, the line's own."""
        lines = [x.line(key, name, [x.event(1, at * US, US)], NS) for at, (key, name) in enumerate(
            ((1, "Stream #16(Kernel)"), (2, "Stream #17"), (3, "Stream #x"), (4, "Stream #-5"), (5, "Stream #18(MemcpyH2D,Kernel)")))]
        rows = self.kernels(x.plane(1, "/device:GPU:0", *lines, x.event_metadata(1, "gemm")))
        self.assertEqual([row["stream"] for row in rows], [16, 17, 3, -5, 18])

    def test_devices(self):
        """By the names of planes."""
        given = [("/device:GPU:3", "gpu", 3), ("/device:TPU:0", "tpu", 0), ("/device:TPU:12 SparseCore 1", "tpu", 12),
                 ("/device:XPU:7", "other", 7),
                 ("/device:GPU:", "gpu", None), ("/device:GPU", "gpu", None), ("/device:GPU:2147483647", "gpu", 2147483647),
                 ("/device:GPU:2147483648", "gpu", None), ("/device:GPU:x4", "gpu", None), ("/device:GPU:007", "gpu", 7)]
        planes = [self.device((at,), name=name, line="XLA Ops") for at, (name, _, _) in enumerate(given)]
        with truth.library().open(str(self.write("a.xplane.pb", x.space(*planes)))) as profile:
            rows = profile.table("devices").to_dicts()
        self.assertEqual([(row["plane"], row["accelerator"], row["ordinal"]) for row in rows],
                         [(at, accelerator, ordinal) for at, (_, accelerator, ordinal) in enumerate(given)])

    def test_planes_without_kernels_are_no_devices(self):
        """Steps, modules and derived lines run nothing; nor does an empty line of ops."""
        idle = [x.line(1, "Steps", [x.event(1, 0, US)], NS), x.line(2, "XLA Modules", [x.event(1, 0, US)], NS),
                x.line(-3, "XLA Ops", [x.event(1, 0, US)], NS), x.line(4, "XLA Ops", [], NS),
                x.line(5, "Source code", [x.event(1, 0, US)], NS)]
        planes = [x.plane(at, f"/device:TPU:{at}", line, x.event_metadata(1, "op")) for at, line in enumerate(idle)]
        rows = self.kernels(*planes, self.device((7,), name="/device:TPU:9", line="Async XLA Ops"))
        self.assertEqual([(row["name"], row["device_name"], row["kind"]) for row in rows], [("gemm", "/device:TPU:9", "copy")])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
