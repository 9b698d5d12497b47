#!/usr/bin/env python3
"""XSpaces with two of something: events out of order, host planes with names of their own, stats of one name."""
import sys

import arrow
import pair
import truth

US, MS = 1_000_000, 1_000_000_000


class Xspace(truth.Case):
    def ask(self, command, planes, *options):
        host = pair.Host("alpha", [*planes, pair.Plane(99, "Task Environment", "environment", [], {}, [
            ("profile_start_time", "uint", pair.ORIGIN_NS["alpha"])])])
        return truth.parsed(truth.run(command, self.write("a.xplane.pb", host.bytes()), "--json", *options))


class Overruns(Xspace):
    OPS = {1: pair.Op("first"), 2: pair.Op("second"), 3: pair.Op("third"), 4: pair.Op("last")}

    def lengths(self, *events):
        """How long each kernel lasts, by name; whatever part is asked for."""
        line = pair.Line(7, "Stream #7", 0, [pair.Ev(*event) for event in events], "stream")
        planes = [pair.Plane(1, "/device:GPU:0", "device", [line], self.OPS)]
        found = [(op["name"], op["total_ps"]) for op in self.ask("ops", planes)["lines"][0]["ops"]]
        first = self.ask("ops", planes, "--time", ":1ns")["lines"][0]["ops"]
        self.check([(op["name"], op["total_ps"]) for op in first], [row for row in found if row[0] == "first"])
        return sorted(found)

    def test_a_line_out_of_order(self):
        """The second kernel in time is the third in the file: the first lasts 1.1 ms over its start, and ends there."""
        self.check(self.lengths((1, 0, 3 * MS), (3, 2_500 * US, 100 * US), (2, 1_900 * US, 100 * US), (4, 4 * MS, 10 * US)),
                   [("first", 1_900 * US), ("last", 10 * US), ("second", 100 * US), ("third", 100 * US)])

        # The first in time is the last in the file.
        self.check(self.lengths((3, 2_500 * US, 100 * US), (2, 900 * US, 100 * US), (1, 0, 2 * MS), (4, 4 * MS, 10 * US)),
                   [("first", 900 * US), ("last", 10 * US), ("second", 100 * US), ("third", 100 * US)])

    def test_a_millisecond_is_allowed(self):
        self.check(self.lengths((1, 0, 3 * MS), (3, 2_500 * US, 100 * US), (2, 2_000 * US, 100 * US), (4, 4 * MS, 10 * US)),
                   [("first", 3 * MS), ("last", 10 * US), ("second", 100 * US), ("third", 100 * US)])


class HostPlanes(Xspace):
    def test_layers_of_another_plane(self):
        """Each plane has names of its own: number 1 is a layer only in the second. Kernels launched in a layer are one structure."""
        def number(n):
            return ("correlation_id", "uint", n)

        kernels = [pair.Ev(1 + at % 2, 1_000 * US + at * 100 * US, 50 * US, number(at + 1)) for at in range(6)]
        calls = [pair.Ev(3, 10 * US + at * 20 * US, 5 * US, number(at + 1)) for at in range(6)]
        layers = [pair.Ev(1, 5 * US, 50 * US), pair.Ev(2, 65 * US, 60 * US)]
        other = [pair.Ev(1, 0, 900 * US), pair.Ev(2, 100 * US, 10 * US)]
        planes = [
            pair.Plane(1, "/device:GPU:0", "device", [pair.Line(7, "Stream #7", 0, kernels, "stream")],
                       {1: pair.Op("gemm"), 2: pair.Op("softmax")}),
            pair.Plane(2, "/host:CPU", "host", [pair.Line(1, "main", 0, other, "thread")], {1: pair.Op("wait"), 2: pair.Op("poll")}),
            pair.Plane(3, "/host:python", "host", [pair.Line(2, "worker", 0, [*layers, *calls], "thread")],
                       {1: pair.Op("layer_0"), 2: pair.Op("layer_1"), 3: pair.Op("cuLaunchKernel")})]
        found = self.ask("bubbles", planes)["structures"]
        self.check([[s["name"], s["source"], s["start_rel_ns"], s["kernel_count"]] for s in found],
                   [["layer_0", "annotations", 1_000_000, 3], ["layer_1", "annotations", 1_300_000, 3]])


class IdleOfTwo(Xspace):
    """Two streams, two programs, two layers: which of two that are alike counts."""

    def ask_streams(self, ops, *streams, modules=(), more=(), names=()):
        """Each stream is a list of (op, start, length), us."""
        lines = [pair.Line(7 + at, f"Stream #{7 + at}", 0, [pair.Ev(key, start * US, length * US, *stats) for key, start, length, *stats in events],
                           "stream") for at, events in enumerate(streams)]
        if modules:
            lines.append(pair.Line(99, "XLA Modules", 0, [pair.Ev(key, start * US, length * US) for key, start, length in modules], "modules"))
        plane = pair.Plane(1, "/device:GPU:0", "device", lines, {key: pair.Op(name) for key, name in ops.items()})
        return self.ask("bubbles", [plane, *more], "--limit", "0")

    def gaps(self):
        """(kernel before, kernel after, length in us) of the capture that was asked for last."""
        with arrow.Handle("profile", self.scratch / "a.xplane.pb", None) as profile, \
                arrow.Handle("bubbles", profile, None) as bubbles:
            return [(row["before"], row["after"], (row["end_ps"] - row["start_ps"]) // US) for row in arrow.table("gaps", bubbles)[1]]

    def test_runs_of_two_programs(self):
        """Runs of each are counted by themselves."""
        found = self.ask_streams({1: "gemm", 2: "jit_a(1)", 3: "jit_b(2)"}, [(1, at, 50) for at in (100, 400, 800, 1_100)],
                                 modules=[(2, 0, 200), (3, 300, 200), (2, 700, 200), (3, 1_000, 200)])
        self.check([s["step_id"] for s in found["steps"]], ["jit_a#0", "jit_b#0", "jit_a#1", "jit_b#1"])

    def test_kernels_that_end_together(self):
        """Of two the one that begins later is the last before the gap."""
        self.ask_streams({1: "gemm", 2: "softmax", 3: "add"}, [(1, 0, 500), (3, 900, 100)], [(2, 100, 400)])
        self.check(self.gaps(), [("softmax", "add", 400)])
        self.ask_streams({1: "gemm", 2: "softmax", 3: "add"}, [(1, 100, 400), (3, 900, 100)], [(2, 0, 500)])
        self.check(self.gaps(), [("gemm", "add", 400)])

    def test_two_attention_ops(self):
        """Of as many calls each the first begins a layer; else the one that is called more often."""
        ops = {1: "flash_fwd_b", 2: "gemm", 3: "flash_fwd_a", 4: "add"}
        found = self.ask_streams(ops, [(1 + at % 4, 100 * at, 50) for at in range(16)])
        self.check([(s["anchor"], s["source"], s["kernel_count"], s["start_rel_ns"]) for s in found["structures"]],
                   [("flash_fwd_b", "attention", 4, 400_000 * at) for at in range(4)])
        found = self.ask_streams(ops, [((1, 2, 3, 4, 3)[at % 5], 100 * at, 50) for at in range(20)])
        self.check([s["anchor"] for s in found["structures"]], ["flash_fwd_b", *["flash_fwd_a"] * 8])  # the first is what comes before

    def layers(self, *streams):
        """Kernels of layer_0 are launched by calls 1 to 9, those of layer_1 by 11 to 19."""
        def number(n):
            return ("correlation_id", "uint", n)

        host = pair.Plane(2, "/host:CPU", "host", [pair.Line(1, "main", 0, [
            pair.Ev(1, 0, 50 * US), pair.Ev(2, 60 * US, 50 * US), *(pair.Ev(3, n * US, 1, number(n)) for n in range(1, 10)),
            *(pair.Ev(3, (60 + n) * US, 1, number(n)) for n in range(11, 20))], "thread")],
            {1: pair.Op("layer_0"), 2: pair.Op("layer_1"), 3: pair.Op("cuLaunchKernel")})
        found = self.ask_streams({1: "gemm", 2: "softmax"}, *([(key, at, length, number(n)) for key, at, length, n in events] for events in streams),
                                 more=[host])
        return [(s["name"], s["kernel_count"], s["bubble_count"], s["bubble_total_ms"] * 1000, s["gap_before_ms"] * 1000)
                for s in found["structures"]]

    def test_a_layer_that_ends_with_the_one_before(self):
        """Its first kernel ends when the last of the layer before does: the gap after both is its own."""
        self.check(self.layers([(1, 1_000, 500, 1), (1, 2_000, 100, 12)], [(2, 1_200, 300, 11)]),
                   [("layer_0", 1, 0, 0, 0), ("layer_1", 2, 1, 500, 0)])


class HostCauses(Xspace):
    """What hosts did in a gap, by the thread that launched the kernel after it, else by the one that says most: of two calls of one kind
    the longer counts, of as much time each the call that the file names first, or the thread that comes first."""

    def cause(self, names, *threads, launched=True):
        """Each thread is a list of (number of the call's name, start, length) within a gap from 150 to 1,000 us. Of that gap: the cause,
        the call, and how much of the gap is covered. Where kernels are launched, the first thread does it."""
        ops = {1: pair.Op("gemm"), 2: pair.Op("cuLaunchKernel"), **{10 + at: pair.Op(name) for at, name in enumerate(names)}}
        numbers = [[("correlation_id", "uint", n)] if launched else [] for n in (1, 2, 3)]
        kernels = [pair.Ev(1, at * US, 50 * US, *number) for number, at in zip(numbers, (100, 1_000, 1_100))]
        lines = [[pair.Ev(10 + key, start * US, length * US) for key, start, length in calls] for calls in threads]
        lines[0] += [pair.Ev(2, at * US, 5 * US, *number) for number, at in zip(numbers, (50, 900, 950))]
        host = [pair.Line(1 + at, f"thread {at}", 0, events, "thread") for at, events in enumerate(lines)]
        found = self.ask("bubbles", [pair.Plane(1, "/device:GPU:0", "device", [pair.Line(7, "Stream #7", 0, kernels, "stream")], ops),
                                     pair.Plane(2, "/host:CPU", "host", host, ops)], "--limit", "0")
        longest = max(found["causes"], key=lambda c: int(c["time_ns"]))
        covers = [e.rsplit(" ", 2)[1] for e in longest["evidence"] if e.startswith("the evidence covers")]
        return (longest["cause"], longest["span"], *covers)

    def test_it(self):
        a, b = "cuStreamSynchronize", "cuEventSynchronize"
        for names in ([a, b], [b, a]):
            first, second = names
            self.check(self.cause(names, [(0, 200, 300), (1, 500, 300)]), ("sync_wait", first, "70.6"))
            self.check(self.cause(names, [(0, 200, 299), (1, 500, 300)]), ("sync_wait", second, "70.5"))
            self.check(self.cause(names, [(0, 200, 300)], [(1, 300, 300)], launched=False), ("sync_wait", first, "35.3"))
            self.check(self.cause(names, [(0, 200, 300)], [(1, 300, 301)], launched=False), ("sync_wait", second, "35.4"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
