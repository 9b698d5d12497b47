"""Events of allocators as hosts may write them: names and stats in any form, lines on clocks of their own, nodes of a merge."""
import sys

import proto_writer as proto
import truth
from wire import message, number

ZERO_NS = 1_700_000_000_000_000_000


class MemoryEvents(truth.Case):
    def space(self, *planes):
        self.write("a.xplane.pb", proto.xspace(planes))

    def ask(self, path=None, *arguments):
        return truth.parsed(truth.run("memory", path or self.scratch / "a.xplane.pb", "--json", *arguments))

    def occupied(self):
        """(name, allocations, frees, highest, when, free without an allocation, held at the end) of each allocator"""
        return [tuple(a[key] for key in ("name", "n_allocations", "n_deallocations", "occupancy_peak_bytes", "occupancy_peak_ps",
                                         "unmatched_frees", "trace_end_live_bytes")) for a in self.ask()["allocators"]]

    @staticmethod
    def event(plane, at_ps, addr, size, allocator="TPU_0_bfc", kind="Allocation", **more):
        return plane.event(f"Memory{kind}", at_ps, 0, [("allocator_name", allocator), ("addr", proto.Uint(addr)),
                                                       ("allocation_bytes", size), *more.items()])

    def test_addresses_of_64_bits(self):
        """Addresses that differ in their highest bit are two; a signed number is the same address."""
        host = proto.Plane("/host:CPU", 2)
        host.line("t", ZERO_NS, [self.event(host, 1_000, 5, 10), self.event(host, 2_000, 2**63 + 5, 20),
                                 self.event(host, 3_000, 2**64 - 1, 40), host.event("MemoryDeallocation", 4_000, 0, [
                                     ("allocator_name", "TPU_0_bfc"), ("addr", -1), ("allocation_bytes", 40)])])
        self.space(host)
        self.assertEqual(self.occupied(), [("TPU_0_bfc", 3, 1, 70, 3_000, 0, 30)])
        self.assertEqual([b["addr"] for b in self.ask()["runtime"]["alive_at_peak"]["buffers"]], [2**64 - 1, 2**63 + 5, 5])

    def test_one_address_of_two_allocators(self):
        host = proto.Plane("/host:CPU", 2)
        host.line("t", ZERO_NS, [self.event(host, 1_000, 5, 10), self.event(host, 2_000, 5, 20, "TPU_1_bfc"),
                                 self.event(host, 3_000, 5, 20, "TPU_1_bfc", "Deallocation")])
        self.space(host)
        self.assertEqual(self.occupied(), [("TPU_0_bfc", 1, 0, 10, 1_000, 0, 10), ("TPU_1_bfc", 1, 1, 20, 2_000, 0, 0)])

    def test_lines_on_clocks_of_their_own(self):
        """By time, not by line: what the second line frees was allocated by the first, 1 ns before; offsets may be below zero."""
        host = proto.Plane("/host:CPU", 2)
        host.line("free", ZERO_NS + 10, [self.event(host, -2_000, 5, 10, kind="Deallocation")])
        host.line("alloc", ZERO_NS, [self.event(host, 7_000, 5, 10), self.event(host, 8_001, 6, 5)])
        clock = proto.Plane("Task Environment", 3)
        clock.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        self.space(host, clock)
        self.assertEqual(self.occupied(), [("TPU_0_bfc", 2, 1, 10, 7_000, 0, 5)])

    def test_many_ids_of_one_name(self):
        """Each entry with the name counts, whatever the others are."""
        host = proto.Plane("/host:CPU", 2)
        events = [self.event(host, 1_000 * at, at, 10 * at, kind="Allocation") for at in (1, 2, 3, 4)]
        events += [self.event(host, 5_000, 4, 40, kind="Deallocation"), host.event("MemoryAllocationX", 6_000)]
        alike = {}
        for at, extra in ((1, 71), (2, 72), (3, 200)):  # written with ids of their own
            key = number(1, host.event_id("MemoryAllocation"))
            alike[at] = number(1, extra) + events[at][len(key):]
        lines = [events[0], alike[1], alike[2], alike[3], *events[4:]]
        host.line("t", ZERO_NS, lines)
        entries = b"".join(message(4, number(1, key) + message(2, number(1, key) + message(2, "MemoryAllocation")))
                           for key in (71, 72, 200))
        self.write("a.xplane.pb", message(1, host.bytes() + entries))
        self.assertEqual(self.occupied(), [("TPU_0_bfc", 4, 1, 100, 4_000, 0, 60)])

    def test_names_that_are_given_twice(self):
        """The names of events are a map of protobuf, of which the last entry counts."""
        for last, count in (("MemoryAllocation", 1), ("other", 0)):
            host = proto.Plane("/host:CPU", 2)
            host.line("t", ZERO_NS, [self.event(host, 1_000, 5, 10)])
            key = host.event_id("MemoryAllocation")
            again = message(4, number(1, key) + message(2, number(1, key) + message(2, last)))
            self.write("a.xplane.pb", message(1, host.bytes() + again))
            self.assertEqual(sum(a["n_allocations"] for a in self.ask()["allocators"]), count, last)

    def test_stats_with_large_ids(self):
        """Ids of 127, 128 and more, and values of one byte and of nine."""
        for first in (118, 127, 128, 16_383, 2**31):
            host = proto.Plane("/host:CPU", 2, first_stat_id=first)
            host.line("t", ZERO_NS, [self.event(host, 1_000, 5, 127, bytes_reserved=128),
                                     self.event(host, 2_000, 6, 2**61, bytes_available=7),
                                     self.event(host, 3_000, 5, 127, kind="Deallocation")])
            self.space(host)
            self.assertEqual(self.occupied(), [("TPU_0_bfc", 2, 1, 2**61 + 127, 2_000, 0, 2**61)], first)
            self.assertEqual(self.ask()["allocators"][0]["capacity_bytes"], 2**61 + 134)

    def test_the_start_of_a_line_after_its_events(self):
        """Fields of a message may come in any order. Its events are 101 and 105 ns after time zero, one of another line between them."""
        clock = proto.Plane("Task Environment", 3)
        clock.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        for late in (False, True):
            host = proto.Plane("/host:CPU", 2)
            events = message(4, self.event(host, 1_000, 5, 10)) + message(4, self.event(host, 5_000, 6, 10))
            start = number(3, ZERO_NS + 100)
            host.lines.append(message(2, "t") + (events + start if late else start + events))
            host.line("u", ZERO_NS, [self.event(host, 102_000, 7, 1)])
            self.space(host, clock)
            self.assertEqual(self.occupied(), [("TPU_0_bfc", 3, 0, 21, 105_000, 0, 21)], late)
            rows = self.ask(None, "--all-trace")["runtime"]["alive_at_peak"]["buffers"]
            self.assertEqual([(row["addr"], row["alloc_ts_ns"]) for row in rows], [(5, 101), (6, 105), (7, 102)], late)

    def test_where_steps_come_from(self):
        """The line of steps, else runs of programs, else step numbers of the host."""
        for source in ("steps_line", "xla_modules", "host_step_num"):
            device, host = proto.Plane("/device:TPU:0", 1), proto.Plane("/host:CPU", 2)
            if source == "steps_line":
                device.line("Steps", ZERO_NS, [device.event("4", 0, 2_000), device.event("5", 3_000, 2_000)])
            if source != "host_step_num":
                device.line("XLA Modules", ZERO_NS, [device.event("jit_f(1)", 0, 1_500), device.event("jit_f(1)", 3_000, 1_500)])
            host.line("python", ZERO_NS, [host.event("train", at, 1_800, [("step_num", n)]) for at, n in ((0, 7), (3_000, 8))])
            host.line("t", ZERO_NS, [self.event(host, 1_000, 5, 10), self.event(host, 4_000, 6, 10)])
            self.space(device, host)
            step = self.ask()["runtime"]["step"]
            length = {"steps_line": 2, "xla_modules": 1, "host_step_num": 1}[source]
            self.assertEqual((step["source"], step["range_ns"][0]), (source, 3), source)
            self.assertEqual(step["range_ns"][1], 3 + length, source)

    def test_each_node_of_a_merge_as_its_own_trace(self):
        """Whatever its planes are called: the same allocators, on the same device of the node."""
        for node in (0, 1, 2):
            device = [proto.Plane(f"/device:GPU:{n}", n + 1) for n in (0, 1)]
            for plane in device:
                plane.line("Stream #1", ZERO_NS, [plane.event("gemm", 0, 9_000)])
            host = proto.Plane("/host:CPU", 9)
            host.line("t", ZERO_NS, [self.event(host, 1_000 * (1 + n), 5, 100 * node + 10 + n, f"GPU_{n}_bfc") for n in (0, 1)])
            self.write(f"node{node}.xplane.pb", proto.xspace([*device, host], [f"host{node}"]))
        expected = [(f"host{node}", f"GPU_{n}_bfc", 100 * node + 10 + n) for node in (0, 1, 2) for n in (0, 1)]
        for scheme, device in (("seed", lambda node, n: f"/device:GPU:{64 * node + n}"),
                               ("rocm", lambda node, n: f"/device:GPU:{100 + 64 * node + n}"),
                               ("node", lambda node, n: f"/node:{node}/device:GPU:{n}")):
            truth.run("merge", "--traces", *(f"node{n}.xplane.pb" for n in (0, 1, 2)), "--no-correction", "-q", "-o", "all.xplane.pb",
                      "--plane-scheme", scheme, cwd=self.scratch)
            for asked, nodes in (((), (0, 1, 2)), (("--node", "1"), (1,)), (("--host", "host2"), (2,)), (("--host", "node:0"), (0,))):
                with self.subTest(scheme=scheme, asked=asked):
                    found = self.ask(self.scratch / "all.xplane.pb", *asked)["allocators"]
                    self.assertEqual([(a["host"], a["name"], a["occupancy_peak_bytes"]) for a in found],
                                     [row for row in expected if int(row[0][4:]) in nodes])
                    self.assertEqual([a["device"] for a in found], [device(node, n) for node in nodes for n in (0, 1)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
