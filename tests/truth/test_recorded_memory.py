"""Allocations and counters that hosts recorded themselves: names, sizes, order; and how much a builder holds."""
import json
import sys

import truth
import wire

US = 1_000_000  # ps
START_NS = 1_700_000_000_000_000_000


class Memory(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()
        self.made = self.lib.TraceBuilder("lab")
        self.addCleanup(self.made.close)
        self.host = self.made.host("a", origin_unix_ns=START_NS)
        self.device = self.made.device(self.host, "GPU 0")

    def finished(self):
        profile = self.made.finish()
        self.addCleanup(profile.close)
        return profile

    def allocate(self, allocator, *rows):
        """Each row: time in us, address, bytes, and what else there is."""
        self.made.allocations([self.lib.TraceAllocation(allocator, at * US, address, *row) for at, address, *row in rows])

    def free(self, allocator, *rows):
        self.made.allocations([self.lib.TraceAllocation(allocator, at * US, address, is_free=True) for at, address in rows])

    def allocators(self, *names):
        found = self.finished().document("memory", limit=0)["allocators"]
        return [tuple(row[name] for name in names) for row in found]

    def test_names(self):
        """A second one of the same name gets a number; the number does not make it the third. Each has a device, or is the host's."""
        other = self.made.host("b", origin_unix_ns=START_NS)
        owners = [{"device": self.device}, {"host": self.host}, {"device": self.device}, {"host": other}]
        for at, (name, owner) in enumerate(zip(("pool", "pool", "pool", "pool"), owners)):
            self.allocate(self.made.allocator(name, **owner), (at, 1, 10 + at))
        self.assertEqual(self.allocators("name", "host", "device", "heap_peak_bytes"),
                         [("pool", "a", "GPU 0", 10), ("pool 2", "a", "", 11), ("pool 3", "a", "GPU 0", 12), ("pool", "b", "", 13)])

    def test_devices_of_several_hosts(self):
        """The position among all devices, also of one whose name another host has as well; none of the host's own."""
        other = self.made.host("b", origin_unix_ns=START_NS)
        devices = [self.device, self.made.device(other, "GPU 1"), self.made.device(other, "GPU 0")]
        for at, device in enumerate(devices):
            self.allocate(self.made.allocator(f"pool {at}", device=device), (at, 1, 10 + at))
        self.allocate(self.made.allocator("own", host=other), (9, 1, 9))
        rows = self.finished().table("allocators").to_dicts()
        self.assertEqual({row["name"]: (row["host"], row["device"], row["device_name"]) for row in rows}, {
            "pool 0": ("a", 0, "GPU 0 of a"), "pool 1": ("b", 1, "GPU 1"), "pool 2": ("b", 2, "GPU 0 of b"), "own": ("b", None, None)})

    def test_sizes(self):
        """What was taken counts, where it is known; else what was asked for. Nothing asked for may still take room."""
        for at, (asked, held) in enumerate(((1000, 0), (1000, 1024), (0, 256), (0, 0), (300, 1))):
            self.allocate(self.made.allocator(f"pool {at}", device=self.device), (1, 1, asked, held), (2, 2, 5))
        self.assertEqual(self.allocators("heap_peak_bytes", "n_allocations"), [(1005, 2), (1029, 2), (261, 2), (5, 2), (6, 2)])

    def test_what_is_alive(self):
        """At the peak of the allocator that holds most: what it was for, asked and taken, and whether it came back."""
        small, pool = (self.made.allocator(name, device=self.device) for name in ("small", "pool"))
        self.allocate(small, (1, 1, 1500))
        self.allocate(pool, (2, 7, 1000, 1024, False, "weights"), (5, 8, 600, 640, False, "gradients"), (3, 9, 50))
        self.free(pool, (4, 9), (6, 8))
        profile = self.finished()
        runtime = profile.document("memory", limit=0)["runtime"]
        self.assertEqual((runtime["pool"]["allocator"], runtime["peak"]["ts_ps"], runtime["peak"]["bytes_total"]), ("pool", 5 * US, 1664))
        self.assertEqual([(b["addr"], b["tf_op"], b["alloc_bytes"], b["requested_bytes"], b["deallocated"])
                          for b in runtime["alive_at_peak"]["buffers"]],
                         [(7, "weights", 1024, 1000, False), (8, "gradients", 640, 600, True)])

    def test_order(self):
        """Rows may come in any order; those of one instant count as they came."""
        early, late = (self.made.allocator(name, device=self.device) for name in ("early", "late"))
        self.free(early, (5, 1))
        self.allocate(early, (5, 2, 30), (1, 1, 100))    # the first ends before the next begins
        self.allocate(late, (5, 2, 30), (1, 1, 100))
        self.free(late, (5, 1))                          # for an instant there are both
        self.assertEqual(self.allocators("name", "heap_peak_bytes", "heap_peak_ps", "trace_end_live_bytes", "unmatched_frees"),
                         [("early", 100, 1 * US, 30, 0), ("late", 130, 5 * US, 30, 0)])

    def test_addresses_are_of_one_allocator(self):
        """What one gave out another cannot take back."""
        one, two = (self.made.allocator(name, device=self.device) for name in ("one", "two"))
        self.allocate(one, (1, 77, 10))
        self.allocate(two, (1, 78, 20))
        self.free(two, (2, 77), (3, 78))
        self.assertEqual(self.allocators("name", "n_deallocations", "unmatched_frees", "trace_end_live_bytes"),
                         [("one", 0, 0, 10), ("two", 2, 1, 0)])

    def test_clock(self):
        """The times of allocations move with their host."""
        later = self.made.host("b", origin_unix_ns=START_NS + 3)
        for host in (self.host, later):
            self.allocate(self.made.allocator("pool", host=host), (10, 1, 5))
        self.assertEqual(self.allocators("host", "heap_peak_ps"), [("a", 10 * US), ("b", 10 * US + 3000)])

    def test_sizes_that_cannot_be(self):
        pool = self.made.allocator("pool", device=self.device)
        for row in ((1, 1, -1, 0), (1, 1, 0, -1)):
            with self.assertRaisesRegex(self.lib.InvalidArgument, "row 0: the size is negative"):
                self.allocate(pool, row)
        self.allocate(pool, (1, 1, (1 << 62)))
        self.assertEqual(self.allocators("heap_peak_bytes"), [(1 << 62,)])

    def test_counters(self):
        """By time within a counter; two of one name stay two. The value has the name of its unit, else of the counter."""
        other = self.made.host("b", origin_unix_ns=START_NS + 2000)
        numbers = [self.made.counter("power", device=self.device, unit="W"), self.made.counter("power", device=self.device),
                   self.made.counter("queue", host=self.host, process="p", unit="rows"),
                   self.made.counter("queue", host=other, process="p")]
        value = self.lib.TraceValue
        self.made.values([value(numbers[0], 9 * US, 2.5), value(numbers[0], 3 * US, -1), value(numbers[1], 4 * US, 0),
                          value(numbers[2], 5 * US, 1e300), value(numbers[3], 5 * US, 7)])
        with self.assertRaisesRegex(self.lib.InvalidArgument, "row 1: the value is no number"):
            self.made.values([value(numbers[0], 0, 1.0), value(numbers[0], 0, float("inf"))])
        with self.assertRaisesRegex(self.lib.InvalidArgument, "row 0: the value is no number"):
            self.made.values([value(numbers[0], 0, float("nan"))])
        pieces, made = [], self.finished()
        made.write_export(pieces.append, "trace.json")
        events = json.loads(b"".join(pieces))["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name" and e["args"]}
        self.assertEqual([(names[e["pid"]], e["name"], e["ts"], e["args"]) for e in events if e["ph"] == "C"],
                         [("a: GPU 0", "power", 3, {"W": -1}), ("a: GPU 0", "power", 9, {"W": 2.5}), ("a: GPU 0", "power", 4, {"power": 0}),
                          ("a: p", "queue", 5, {"rows": 1e300}), ("b: p", "queue", 7, {"queue": 7})])
        pieces = []
        made.write_export(pieces.append, "pftrace")
        tracks = [wire.first(packet, 60) for _, packet in wire.fields(b"".join(pieces))]
        self.assertEqual([wire.first(t, 2) for t in tracks if t is not None and wire.first(t, 8) is not None],
                         [b"power", b"power", b"queue", b"queue"])

    def test_how_much_is_held(self):
        """Once the bytes are reached, rows are refused, and what is there can be finished."""
        made = self.lib.TraceBuilder("lab", max_bytes=1000)
        self.addCleanup(made.close)
        device = made.device(made.host("a"), "GPU 0")
        stream, pool = made.stream(device, 7), made.allocator("pool", device=device)
        made.kernels([self.lib.TraceKernel(stream, "gemm", at, 1) for at in range(1000)])
        for add in (lambda: made.kernels([self.lib.TraceKernel(stream, "gemm", 0, 1)]),
                    lambda: made.allocations([self.lib.TraceAllocation(pool, 0, 1)])):
            with self.assertRaisesRegex(self.lib.LimitExceeded, "max_bytes is 1000"):
                add()
        with made.finish() as profile:
            self.assertEqual(profile.document("ops")["lines"][0]["events"], 1000)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
