"""`ops` of traces as text: a table for each stream, files by number, what is no op, and groups of all of them."""
import sys

import truth
from screens import percent, table, time
from trace_events import KernelsCase, launch, operator, run

US = 1_000_000
TITLES = ["op", "category", ">count", ">total", ">self", ">of busy"]
SOURCE = "Operations from kernels of traces and tables, by total time"
REDUCE, COPY = "ncclDevKernel_AllReduce_Sum", "Memcpy HtoD"


def stream(title, *ops):
    """`ops`: (name, category, lengths in us), none of which overlap."""
    busy = sum(sum(lengths) for _, _, lengths in ops)
    events = sum(len(lengths) for _, _, lengths in ops)
    rows = [[name, category, len(lengths), time(sum(lengths) * US), time(sum(lengths) * US), percent(sum(lengths), busy)]
            for name, category, lengths in ops]
    return ["", title, f"  {len(ops)} op{'s' * (len(ops) > 1)}, {events} event{'s' * (events > 1)}, busy {time(busy * US)}, "
            f"sum of durations {time(busy * US)}", *table(TITLES, *rows, indent=2)]


class TraceScreens(KernelsCase):
    def ask(self, path, *options):
        return truth.run("ops", path, *options).splitlines()

    def said(self, path, *options):
        """What is left out, as one line."""
        text = truth.run("ops", path, *options)
        at = text.find("Not counted as ops: ")
        return "" if at < 0 else " ".join(text[at:].split())

    def kernels(self, more=()):
        return [run("gemm", 0, 5, correlation=1), run(REDUCE, 20, 8), run(COPY, 40, 4, cat="gpu_memcpy"), run("gemm", 60, 2),
                run("gemm", 10, 3, stream=8), run("gemm", 0, 7, device=1), *more]

    def test_streams(self):
        first = stream("GPU 0  stream 7", (REDUCE, "comm", [8]), ("gemm", "compute", [5, 2]), (COPY, "copy", [4]))
        second, third = stream("GPU 0  stream 8", ("gemm", "compute", [3])), stream("GPU 1  stream 7", ("gemm", "compute", [7]))
        path = self.save(self.kernels())
        self.assertEqual(self.ask(path), [SOURCE, *first, *second, *third])
        self.assertEqual(self.ask(path, "--plane", "GPU 1"), [SOURCE, *third])
        self.assertEqual(self.ask(path, "--line", "stream 8"), [SOURCE, *second])
        self.assertEqual(self.ask(path, "--limit", 2), [SOURCE, *first[:-1], "  … 1 more (--limit 0 shows all)", *second, *third])
        # A line without a row of that name is not there; what it took is that of all on its line.
        found = self.ask(path, "--name", "Reduce")
        self.assertEqual(len([line for line in found if "  stream " in line]), 1)
        self.assertEqual(found[-1].split()[-2:], [percent(8, 19).split()[0], "%"])

    def test_files(self):
        for rank in (0, 1):
            self.save([run("gemm", 0, 5 + rank)], name=f"run/{rank}.json", distributedInfo={"rank": rank, "world_size": 2})
        each = [stream(f"[{rank}] GPU 0 of rank {rank}  stream 7", ("gemm", "compute", [5 + rank])) for rank in (0, 1)]
        self.assertEqual(self.ask(self.scratch / "run"), [SOURCE, *each[0], *each[1]])
        self.assertEqual(self.ask(self.scratch / "run", "--plane", "rank 1"), [SOURCE, *each[1]])

    def test_left_out(self):
        """What `info` counts and no table here does, each with why; a part that is not there is not named."""
        host = "host events (`profkit framework`): "
        self.assertEqual(self.said(self.save(self.kernels())), "")
        self.assertEqual(self.said(self.save(self.kernels([launch(1, 0, correlation=1)]))), f"Not counted as ops: {host}1 on 1 line")
        more = [launch(1, 0, correlation=1), operator("aten::mm", 1, 0, 10), operator("aten::mm", 2, 0, 10)]
        path = self.save(self.kernels(more))
        self.assertEqual(self.said(path), f"Not counted as ops: {host}3 on 2 lines")
        self.assertEqual(self.said(path, "--plane", "GPU"), "")

    def test_host_alone(self):
        """Operators are what there is; calls of the runtime are none."""
        path = self.save([operator("aten::linear", 1, 0, 10), operator("aten::mm", 1, 2, 6), launch(1, 3, 2),
                          operator("aten::mm", 2, 0, 3)])
        found = self.ask(path)
        self.assertEqual(found[0], "Operations from host spans of traces: no device is recorded, by total time")
        rows = [["aten::linear", "op", 1, time(10 * US), time(4 * US), percent(4, 10)],
                ["aten::mm", "op", 1, time(6 * US), time(6 * US), percent(6, 10)]]
        self.assertEqual(found[1:6], ["", "process 50  thread 1", "  2 ops, 2 events, busy 10.000 us, sum of durations 16.000 us",
                                      *table(TITLES, *rows, indent=2)[:2]])
        self.assertEqual(found[6], table(TITLES, *rows, indent=2)[2])
        self.assertEqual(found[7:12], ["", "process 50  thread 2", "  1 op, 1 event, busy 3.000 us, sum of durations 3.000 us",
                                       *table(TITLES, ["aten::mm", "op", 1, time(3 * US), time(3 * US), "100.0 %"], indent=2)])
        self.assertEqual(self.said(path), "Not counted as ops: host events other than operators (`profkit framework`): 1")

    def test_groups(self):
        """Of all devices and files; how much moves data is said where any does, and of which no operator is known."""
        path = self.save([operator("aten::mm", 1, 0, 10), launch(1, 1, correlation=1), *self.kernels()])
        total = 29

        def rows(title, *groups):
            return table([">of ops", ">self time", ">count", title],
                         *([percent(us, total), time(us * US), count, name] for us, count, name in groups), indent=2)
        found = self.ask(path, "--by", "kind")
        self.assertEqual(" ".join(" ".join(found[:-4]).split()), "Time of kernels of traces and tables by kind: 29.000 us in 6 executions; "
                         f"moving data takes 4.000 us ({percent(4, total)}), the most that avoiding it can save")
        self.assertEqual(found[-4:], rows("kind", (17, 4, "compute"), (8, 1, "communication"), (4, 1, "copy to device")))
        found = self.ask(path, "--by", "op")
        self.assertEqual(" ".join(" ".join(found[:-3]).split()), "Time of kernels of traces and tables by op: 29.000 us in 6 executions; "
                         f"of 5 ({percent(24, total)}) no op is on record")
        self.assertEqual(found[-3:], rows("op", (24, 5, "(not on record)"), (5, 1, "aten::mm")))
        found = self.ask(path, "--by", "stream,kernel")
        self.assertEqual(found[1:], rows("stream,kernel", (26, 5, "stream 7"), (14, 3, "  gemm"), (8, 1, "  " + REDUCE),
                                         (4, 1, "  " + COPY), (3, 1, "stream 8"), (3, 1, "  gemm")))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
