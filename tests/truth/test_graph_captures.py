#!/usr/bin/env python3
"""Kernels of a graph belong to the launches of its capture where nothing else is possible; each condition from both sides."""
import json
import sys

import truth

US = 1_000_000  # ps


class Captures(truth.Case):
    def setUp(self):
        super().setUp()
        self.events, self.number, self.saved = [], 0, 0

    def x(self, cat, name, tid, start, length, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 5, "tid": tid, "ts": start, "dur": length, "args": args})

    def call(self, name, start, length=2, tid=1, correlation=None):
        self.number += 1
        number = 1_000 + self.number if correlation is None else correlation
        self.x("cuda_runtime", "cuda" + name, tid, start, length, correlation=number)
        return number

    def node(self, start, length=2, tid=1, correlation=None, name="LaunchKernel"):
        """A launch in an operator of its own, which is named by when it begins."""
        self.x("cpu_op", f"aten::at{start}", tid, start, length)
        return self.call(name, start, length, tid, correlation)

    def capture(self, *launches, begin=100, end=200, tid=1):
        """From the end of the call that begins it, 2 us after `begin`, to the start of the one that ends it."""
        self.call("StreamBeginCapture", begin, 2, tid)
        for start in launches:
            self.node(start, tid=tid)
        self.call("StreamEndCapture", end, 2, tid)

    def kernel(self, name, start, correlation, device=0, stream=7, cat="kernel", length=5, **args):
        self.x(cat, name, 1, start, length, device=device, stream=stream, correlation=correlation, **args)
        self.events[-1].update(pid=device, tid=stream)

    def replay(self, *names, at=300, kernels_at=None, **more):
        """The launch of a graph, and its kernels 10 us apart."""
        number = self.call("GraphLaunch", at)
        for i, name in enumerate(names):
            self.kernel(name, (kernels_at or at + 100) + 10 * i, number, **more)
        return number

    def ops(self):
        """Of each kernel the operator that launched it: when that began."""
        self.saved += 1
        path = self.write(f"{self.saved}.json", json.dumps({"schemaVersion": 1, "traceEvents": self.events}))
        self.events = []
        rows = [json.loads(line) for line in truth.run("rows", path, "kernels", "--format", "json").splitlines()]
        return [[row["name"], row["framework_op"] and int(row["framework_op"][8:])] for row in rows]

    KNOWN, UNKNOWN = [["a", 110], ["b", 120]], [["a", None], ["b", None]]

    def test_which_launches(self):
        """From the instant at which the capture begins to that before it ends, on any thread; not those that have a kernel."""
        self.capture(102, 198)
        self.replay("a", "b")
        self.check(self.ops(), [["a", 102], ["b", 198]])
        for outside in (101, 200):
            self.capture(110, 120, outside)
            self.replay("a", "b")
            self.check(self.ops(), self.KNOWN)
        self.capture(120)
        self.node(110, tid=3)
        self.replay("a", "b")
        self.check(self.ops(), self.KNOWN)
        self.capture(110, 120)
        self.node(115, correlation=0)
        self.replay("a", "b")
        self.kernel("own", 1_000, 0)
        self.check(self.ops(), [*self.KNOWN, ["own", 115]])

    def test_one_after_the_other(self):
        """A launch that begins as the one before it returns is after it; not one that begins 1 ns before that."""
        for second, known in ((112, True), (111.999, False)):
            self.capture(110)
            self.x("cpu_op", "aten::at120", 1, second, 2)
            self.call("LaunchKernel", second, 2)
            self.replay("a", "b")
            self.check(self.ops(), self.KNOWN if known else self.UNKNOWN)

    def test_what_waits_for_another_stream(self):
        """In a capture, be it as it begins, its nodes may run in another order; not before it, nor from its end on."""
        for wait, known in ((101.999, True), (102, False), (150, False), (199.999, False), (200, True)):
            self.capture(110, 120)
            self.call("StreamWaitEvent", wait, 0.5, tid=4)
            self.replay("a", "b")
            with self.subTest(wait):
                self.check(self.ops(), self.KNOWN if known else self.UNKNOWN)

    def test_a_graph_in_a_capture(self):
        for at, known in ((150, False), (210, True)):
            self.capture(110, 120)
            self.call("GraphLaunch", at)
            self.replay("a", "b")
            self.check(self.ops(), self.KNOWN if known else self.UNKNOWN)

    def test_two_captures(self):
        """Of other sizes each has its own replays; of one size nobody knows which; one after the other, or on two threads at a time."""
        self.capture(110, 120)
        self.capture(230, 240, 250, begin=210, end=280)
        self.replay("p", "q", "r", at=300)
        self.replay("a", "b", at=500)
        self.replay("p", "q", "r", at=700)
        self.check(self.ops(), [["p", 230], ["q", 240], ["r", 250], *self.KNOWN, ["p", 230], ["q", 240], ["r", 250]])
        self.capture(110, 120)
        self.capture(230, 240, begin=210, end=280)
        self.replay("a", "b")
        self.check(self.ops(), self.UNKNOWN)
        self.capture(110, 120)
        self.capture(210, 220, 230, begin=195, end=280, tid=9)
        self.replay("a", "b", at=300)
        self.check(self.ops(), self.UNKNOWN)
        self.capture(110, 120, end=150)
        self.capture(210, 220, 230, begin=148, end=280, tid=9)  # from the end of the first on
        self.replay("a", "b", at=300)
        self.check(self.ops(), self.KNOWN)

    def test_begins_and_ends(self):
        """Each end goes with the begin before it on its thread: a begin without an end begins nothing."""
        self.call("StreamBeginCapture", 50)
        self.node(60)
        self.capture(110, 120)
        self.call("StreamEndCapture", 220)
        self.replay("a", "b")
        self.check(self.ops(), self.KNOWN)
        self.call("StreamBeginCapture", 100, tid=1)
        self.node(110)
        self.node(120)
        self.call("StreamEndCapture", 200, tid=2)
        self.replay("a", "b")
        self.check(self.ops(), self.UNKNOWN)

    def test_all_replays_are_explained(self):
        """Each has a capture of its size that had ended when it was launched; else any may be of another graph."""
        for at, known in ((200, True), (199, False)):
            self.capture(110, 120)
            self.replay("a", "b", at=at, kernels_at=400)
            with self.subTest(at=at):
                self.check(self.ops(), self.KNOWN if known else self.UNKNOWN)
        self.capture(110, 120)
        self.replay("a", "b")
        self.replay("p", "q", "r", at=600)
        self.check(self.ops(), [*self.UNKNOWN, ["p", None], ["q", None], ["r", None]])

    def test_what_was_replayed(self):
        """The same kernels each time, on one stream, one after the other; copies are no nodes."""
        def twice(second, **more):
            self.capture(110, 120)
            self.replay("a", "b")
            self.replay(*second, at=600, **more)
            return [op for _, op in self.ops()]
        known, unknown = [110, 120] * 2, [None] * 4
        self.check(twice("ab"), known)
        self.check(twice("ac"), unknown)
        self.check(twice("ba"), unknown)
        self.check(twice("ab", device=1), unknown)
        self.check(twice("ab", stream=8), known)
        for name, more, expected in (("stream", {"stream": 8}, None), ("device", {"device": 1}, None), ("start", {"at": 400}, None),
                                     ("later", {"at": 400.001}, 110)):
            self.capture(110, 120)
            number = self.replay("a")
            self.kernel("b", more.pop("at", 410), number, **more)
            with self.subTest(name):
                self.check(sorted(self.ops())[0][1], expected)
        self.capture(110, 120)
        number = self.replay("a", "b")
        self.kernel("Memcpy DtoD", 405, number, cat="gpu_memcpy", length=1)
        self.check(sorted(self.ops()), [["Memcpy DtoD", None], *self.KNOWN])

    def test_numbers_of_nodes(self):
        """Where recorders have them they grow from one to the next, in one graph; all have one, or none has."""
        for numbers, known in (((0, 1), True), ((3, 4), True), ((4, 3), False), ((3, 3), False), ((None, 3), False), ((0, None), False)):
            for graphs in ((5, 5), (5, 6)):
                self.capture(110, 120)
                call = self.replay("a")
                args = [{} if number is None else {"graph id": graph, "graph node id": number} for graph, number in zip(graphs, numbers)]
                self.events[-1]["args"].update(args[0])
                self.kernel("b", 410, call, **args[1])
                with self.subTest(numbers=numbers, graphs=graphs):
                    self.check(self.ops(), self.KNOWN if known and graphs == (5, 5) else self.UNKNOWN)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
