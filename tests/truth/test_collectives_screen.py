"""`collectives` as text: what each list sums up, in which order, and what stands where a fact is missing."""
import json
import sys

import truth
from proto_writer import Plane, xspace
from screens import table, time
from trace_events import run

OPS = [">file", "plane", "op", "category", ">count", ">total", ">min", ">max"]
ASYNC = [">file", "plane", "op", "category", ">count", ">in flight", ">max", ">exposed", ">bytes"]
COPIES = [">file", "plane", "memory", ">copies", ">bytes", ">in flight", ">B/s", ">exposed"]
ORDER = [">file", "plane", ">flow", "op", "form", ">start", ">duration", ">exposed"]
SYNC = "Synchronous collectives: nothing else runs on the stream or thread meanwhile"
HALVES = "Starts and dones of asynchronous collectives, as the device ran them"
COPIED = "Copies between memories: in flight is the time in which at least one was"
NO_EXPOSED = "  in flight is start to done and may overlap computation; this capture does not carry the exposed part"


def lines(*lists):
    """Of each: title, titles of the columns, rows, how many are left out, what follows."""
    out = []
    for title, columns, rows, *more in lists:
        out += ["", title, *table(columns, *rows, indent=2)]
        out += [f"  … {more[0]} more (--limit 0 shows all)"] if more and more[0] else []
        out += more[1:]
    return out[1:]


def tpu(number=0, **named):
    """`named`: of each line its events: (name, start, length, stats)."""
    plane = Plane(f"/device:TPU:{number}", number + 1)
    for name, events in named.items():
        plane.line({"ops": "XLA Ops", "flights": "Async XLA Ops"}[name], 0, [plane.event(*event) for event in events])
    return plane


def op(plane, name, category, *lengths, file=""):
    return [file, plane, name, category, len(lengths), time(sum(lengths)), time(min(lengths)), time(max(lengths))]


def together(name, category, *lengths, exposed="", size=""):
    return ["", "TPU:0", name, category, len(lengths), time(sum(lengths)), time(max(lengths)), exposed, size]


def flight(flow, name, form, start, length, exposed=""):
    return ["", "TPU:0", flow, name, form, time(start), time(length), exposed]


class CollectivesScreen(truth.Case):
    def ask(self, path, *options):
        return truth.run("collectives", path, *options).splitlines()

    def space(self, *planes, name="a.xplane.pb", hosts=()):
        return self.write(name, xspace(planes, hosts))

    def test_streams_of_a_device(self):
        """Those of one device are one row, those of another are apart; the longest together is first."""
        us = 1_000_000
        calls = [("AllReduce_Sum", 0, 10, 0, 7), ("AllGather", 0, 38, 0, 9), ("AllReduce_Sum", 20, 30, 0, 8),
                 ("AllReduce_Sum", 60, 20, 1, 7), ("AllReduce_Sum", 60, 5, 0, 9)]
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": [
            run("ncclDevKernel_" + name, start, length, device, stream) for name, start, length, device, stream in calls]}))
        rows = [op("GPU 0", "ncclDevKernel_AllReduce_Sum", "all-reduce", 10 * us, 30 * us, 5 * us),
                op("GPU 0", "ncclDevKernel_AllGather", "all-gather", 38 * us),
                op("GPU 1", "ncclDevKernel_AllReduce_Sum", "all-reduce", 20 * us)]
        self.assertEqual(self.ask(path), lines((SYNC, OPS, rows)))
        for limit in (1, 2, 3):
            self.assertEqual(self.ask(path, "--limit", limit), lines((SYNC, OPS, rows[:limit], 3 - limit)))

    def test_times_of_a_sum(self):
        """Where just the sum of several is known, neither the shortest nor the longest is."""
        path = self.space(tpu(ops=[("all-reduce.1", 0, 900, (), 3), ("all-gather.2", 0, 0), ("all-to-all.3", 10, 40),
                                   ("all-to-all.3", 60, 0)]))
        rows = [["", "TPU:0", "all-reduce.1", "all-reduce", 3, "900 ps", "", ""], op("TPU:0", "all-to-all.3", "all-to-all", 40, 0),
                op("TPU:0", "all-gather.2", "all-gather", 0)]
        self.assertEqual(self.ask(path), lines((SYNC, OPS, rows)))

    def test_halves_stand_apart(self):
        path = self.space(tpu(ops=[("all-gather-start.1", 0, 5), ("all-reduce.1", 10, 100), ("all-gather-done.1", 200, 20)]))
        done, start = (op("TPU:0", f"all-gather-{half}.1", f"all-gather-{half}", length) for half, length in (("done", 20), ("start", 5)))
        self.assertEqual(self.ask(path), lines((SYNC, OPS, [op("TPU:0", "all-reduce.1", "all-reduce", 100)]), (HALVES, OPS, [done, start])))
        self.assertEqual(self.ask(path, "--limit", 1),
                         lines((SYNC, OPS, [op("TPU:0", "all-reduce.1", "all-reduce", 100)]), (HALVES, OPS, [done], 1)))
        self.assertEqual(self.ask(path, "--name", "all-gather"), lines((HALVES, OPS, [done, start])))

    def test_flights(self):
        """Of each op and category a sum; then each as it began. The four forms."""
        path = self.space(tpu(flights=[
            ("send-start.1", 0, 10, [("flow", 5)]), ("send-done.1", 300, 40, [("flow", 5)]), ("recv.2", 50, 100),
            ("recv-start.3", 400, 20, [("flow", 6)]), ("recv-done.4", 500, 30, [("flow", 7)]), ("send-start.1", 1000, 5, [("flow", 8)]),
            ("send-done.1", 1400, 1, [("flow", 8)])]))
        sums = [together("send-start.1", "send", 340, 401), together("recv.2", "recv", 100), together("recv-done.4", "recv", 30),
                together("recv-start.3", "recv", 20)]
        order = [flight(5, "send-start.1", "start and done", 0, 340), flight("", "recv.2", "one event", 50, 100),
                 flight(6, "recv-start.3", "start only", 400, 20), flight(7, "recv-done.4", "done only", 500, 30),
                 flight(8, "send-start.1", "start and done", 1000, 401)]
        title = "Asynchronous operations: 4 flows, 1 event without one"
        self.assertEqual(self.ask(path), lines((title, ASYNC, sums, 0, NO_EXPOSED), ("In order", ORDER, order)))
        for limit in (1, 2, 4):
            self.assertEqual(self.ask(path, "--limit", limit), lines((title, ASYNC, sums[:limit], 4 - limit, NO_EXPOSED),
                                                                     ("In order", ORDER, order[:limit], 5 - limit)))

    def test_titles_of_one(self):
        path = self.space(tpu(flights=[("send-start.1", 0, 10, [("flow", 5)]), ("send-done.1", 300, 40, [("flow", 5)])]))
        self.assertEqual(self.ask(path)[0], "Asynchronous operations: 1 flow")
        path = self.space(tpu(flights=[("send.1", 0, 10), ("send.1", 300, 40)]))
        self.assertEqual(self.ask(path)[0], "Asynchronous operations: 0 flows, 2 events without one")

    def test_exposed(self):
        """What the done takes on the device. A column where one has it; the note where none has."""
        done = ("all-gather-done.1", 300, 40, [("flow", 5)])
        path = self.space(tpu(flights=[("all-gather-start.1", 0, 10, [("flow", 5)]), done, ("all-gather.2", 400, 100)],
                              ops=[("all-gather-done.1", 300, 40)]))
        found = self.ask(path)
        sums = [together("all-gather-start.1", "all-gather", 340, exposed="40 ps"), together("all-gather.2", "all-gather", 100)]
        order = [flight(5, "all-gather-start.1", "start and done", 0, 340, "40 ps"), flight("", "all-gather.2", "one event", 400, 100)]
        self.assertEqual(found, lines(("Asynchronous operations: 1 flow, 1 event without one", ASYNC, sums), ("In order", ORDER, order),
                                      (HALVES, OPS, [op("TPU:0", "all-gather-done.1", "all-gather-done", 40)])))

    def test_copies(self):
        """4 KiB each; two that overlap are in flight once. Bytes of the sum; a rate of the time in flight."""
        name = "%copy-start.1 = (f32[1024]{0:S(1)}, f32[1024]{0}, u32[]) copy-start(f32[1024]{0} %p)"
        path = self.space(tpu(flights=[(name, 0, 4096), (name, 2048, 4096), (name, 10_000, 2048)]))
        found = self.ask(path)
        sums = [["", "TPU:0", "copy-start.1", "copy", 3, time(10_240), time(4096), "", "12.0 KiB"]]
        copies = [["", "TPU:0", "HBM to VMEM", 3, "12.0 KiB", time(8192), "1.50 T", ""]]
        order = [flight("", "copy-start.1", "one event", start, length) for start, length in ((0, 4096), (2048, 4096), (10_000, 2048))]
        self.assertEqual(found, lines(("Asynchronous operations: 0 flows, 3 events without one", ASYNC, sums, 0, NO_EXPOSED),
                                      (COPIED, COPIES, copies), ("In order", ORDER, order)))

    def test_files(self):
        for host, length in (("a", 20), ("b", 30)):
            self.space(tpu(ops=[("all-reduce.1", 0, length)]), name=f"run/{host}.xplane.pb", hosts=[host])
        rows = [op("TPU:0", "all-reduce.1", "all-reduce", length, file=file) for file, length in ((1, 30), (0, 20))]
        self.assertEqual(self.ask(self.scratch / "run"), lines((SYNC, OPS, rows)))
        self.assertEqual(self.ask(self.scratch / "run", "--host", "a"), lines((SYNC, OPS, rows[1:])))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
