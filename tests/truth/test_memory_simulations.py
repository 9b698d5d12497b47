"""What the compiler's heap simulation says: who shares with whom and how long, what an event cannot mean, what is asked of it."""
import sys

import truth
from test_memory_hlo import CONSTANT, PARAMETER, THREAD_LOCAL, Allocation, Buffer, Op, Program

SIZES = (100, 30, 7, 1000)


class Simulations(truth.Case):
    """Buffers 1, 2, 3, 4 have 100, 30, 7 and 1000 bytes of one temporary allocation."""

    def replayed(self, *events, options=()):
        """(live bytes after each event, the memory space); events: kind, buffer, buffer it shares with."""
        ops = [Op(key, f"op.{key}", "iota", op_name=f"of {1 + key // 3}") for key in (1, 2, 3, 4, 5)]
        buffers = [Buffer(key, size, key) for key, size in enumerate(SIZES, 1)]
        pool = Allocation(0, sum(SIZES), 0, 0, [(b.key, sum(SIZES[:b.key - 1]), b.size) for b in buffers])
        trace = [(kind, key, other[0] if other else 0, f"op.{key}") for kind, key, *other in events]
        program = Program("jit_a", 1, {1: ("main", ops, 5)}, 1, {1: [1, 2, 3, 4, 5]}, buffers, [pool], [trace])
        path = self.write("a.hlo_proto.pb", program.bytes())
        self.found = truth.parsed(truth.run("memory", path, "--json", "--curve", "100", *options))
        module, = self.found["modules"]
        self.problems = {p["id"] for p in module["problems"]} - {"hlo.allocation_index_out_of_range"}
        space, = module["spaces"]
        self.assertEqual((space["method"], space["trace_events"]), ("heap_replay", len(trace)))
        return [point["live_bytes"] for point in self.found["hlo"]["curve"]["points"]], space

    def held(self):
        return [(row["logical_buffer_id"], row["size_bytes"]) for row in self.found["hlo"]["alive_at_peak"]["buffers"]]

    def test_memory_stays_until_the_last_that_shares(self):
        """What shares has the size of what it shares with, in a chain, too, whoever is freed first."""
        start = [("a", 1), ("s", 2, 1), ("s", 4, 2)]
        for freed in ((1, 2, 4), (4, 2, 1), (2, 1, 4)):
            live, _ = self.replayed(*start, *(("f", key) for key in freed))
            self.assertEqual(live, [100, 100, 100, 100, 100, 0])
            self.assertEqual(self.held(), [(1, 100)])
            self.assertEqual(self.problems, set())

    def test_sharing_with_what_is_freed_holds_it_again(self):
        live, space = self.replayed(("a", 1), ("f", 1), ("a", 3), ("s", 2, 1), ("f", 3), ("f", 2))
        self.assertEqual(live, [100, 0, 7, 107, 100, 0])
        self.assertEqual((space["peak_event"], space["peak_instruction"], self.held()), (3, "op.2", [(1, 100), (3, 7)]))

    def test_sharing_in_a_circle_counts_nothing(self):
        live, _ = self.replayed(("a", 1), ("s", 2, 1), ("s", 1, 2), ("s", 3, 3), ("f", 2), ("f", 1))
        self.assertEqual((live, self.problems), ([100, 100, 100, 100, 100, 0], {"hlo.share_with_cycle"}))

    def test_sharing_with_nobody_counts_nothing(self):
        live, _ = self.replayed(("a", 1), ("s", 2, 55), ("a", 3), ("f", 1))
        self.assertEqual((live, self.problems), ([100, 100, 107, 7], {"hlo.unknown_buffer"}))

    def test_a_free_of_what_is_not_held_counts_nothing(self):
        live, space = self.replayed(("f", 1), ("a", 1), ("f", 1), ("f", 1), ("a", 1))
        self.assertEqual((live, self.problems), ([0, 100, 0, 0, 100], {"hlo.free_without_alloc"}))
        problem = next(p for p in self.found["modules"][0]["problems"] if p["id"] == "hlo.free_without_alloc")
        self.assertEqual(problem["count"], 2)
        self.assertEqual((space["peak_event"], space["temp_floor_bytes"]), (1, 0))

    def test_a_second_allocation_counts_once(self):
        live, _ = self.replayed(("a", 1), ("a", 1), ("a", 3))
        self.assertEqual((live, self.problems), ([100, 100, 107], {"hlo.allocated_twice"}))

    def test_the_first_of_equal_peaks(self):
        live, space = self.replayed(("a", 3), ("a", 1), ("f", 1), ("a", 1), ("f", 3))
        self.assertEqual((live, space["peak_event"], space["temp_floor_bytes"]), ([7, 107, 7, 107, 100], 1, 7))
        self.assertEqual((space["fragmentation_bytes"], space["bound"]), (sum(SIZES) - 107, "exact"))

    def test_events_of_another_kind_of_memory(self):
        """What is held in space 3 is said of space 3, on top of what stays there for the whole program."""
        kept = [Allocation(1, 50, PARAMETER, 3, []), Allocation(2, 60, CONSTANT, 3, [(5, 0, 60)]), Allocation(3, 9, THREAD_LOCAL, 3)]
        ops = [Op(1, "a", "iota"), Op(2, "b", "iota")]
        program = Program("jit_a", 1, {1: ("main", ops, 2)}, 1, {}, [Buffer(1, 100, 1, 3), Buffer(5, 60, 2, 3)],
                          [Allocation(0, 100, 0, 3, [(1, 0, 100)]), *kept], [[("a", 1, 0, "a"), ("f", 1, 0, "b")]])
        path = self.write("b.hlo_proto.pb", program.bytes())
        for name in ("3", "CMEM", "cmem", "cMem"):
            found = truth.parsed(truth.run("memory", path, "--json", "--space", name))
            space, = found["modules"][0]["spaces"]
            self.assertEqual((found["hlo"]["memory_space"], space["color"], space["name"]), (3, 3, "CMEM"))
            self.assertEqual([space[f"{part}_bytes"] for part in ("total", "peak", "indefinite", "temp_peak", "thread_local",
                              "residency_floor", "memory_viewer_peak")], [210, 160, 60, 100, 9, 60, 160])
        found = truth.parsed(truth.run("memory", path, "--json"))["hlo"]  # of space 0 there is nothing
        self.assertEqual((found["static_peak_bytes"], found["all_allocations_bytes"], found["alive_at_peak"]["n_buffers"]), (0, 219, 0))

    def test_what_spaces_are_called(self):
        names = ["HBM", "VMEM", "Sflag", "CMEM", "SMEM", "Host", "SparseCore"]
        program = Program("jit_a", 1, {1: ("main", [Op(1, "a", "iota")], 1)}, 1, {}, [Buffer(1 + c, 10 + c, 1, c) for c in range(9)],
                          [Allocation(c, 10 + c, PARAMETER, c, [(1 + c, 0, 10 + c)], c) for c in range(9)], [])
        path = self.write("c.hlo_proto.pb", program.bytes())
        for color, name in enumerate(names):
            for asked in (str(color), name, name.upper(), name.lower()):
                found = truth.parsed(truth.run("memory", path, "--json", "--space", asked))["hlo"]
                self.assertEqual((found["memory_space"], found["static_peak_bytes"]), (color, 10 + color), asked)
        spaces = truth.parsed(truth.run("memory", path, "--json", "--space", "8"))["modules"][0]["spaces"]
        self.assertEqual([(s["color"], s["name"]) for s in spaces[5:]], [(5, "Host"), (6, "SparseCore"), (7, ""), (8, "")])
        for wrong in ("9", "-1", "HB", "HBM ", "0x1", "1.0", ""):
            truth.run("memory", path, "--json", f"--space={wrong}", status=2)

    def without(self, name, *events, action="remat"):
        self.replayed(*events, options=["--what-if", f"{action}={name}"])
        answer, = self.found["hlo"]["what_if"]
        return tuple(answer[f"{part}_bytes"] for part in ("buffer", "before", "after"))

    def test_what_if_a_buffer_were_there_only_at_its_ends(self):
        """At its first event and at the one before its last; where others lie between, it is gone."""
        between = [("a", 4), ("f", 4)]
        self.assertEqual(self.without("op.1", ("a", 1), ("a", 3), *between, ("f", 3), ("f", 1)), (100, 1107, 1007))
        self.assertEqual(self.without("op.1", ("a", 1), *between, ("f", 1)), (100, 1100, 1000))
        # Here it is held at all events but those at which it would be there: nothing is won.
        self.assertEqual(self.without("op.1", ("a", 1), ("a", 4), ("f", 1), ("f", 4)), (100, 1100, 1100))
        self.assertEqual(self.without("op.1", ("a", 4), ("a", 1), ("f", 1), ("f", 4)), (100, 1100, 1100))
        self.assertEqual(self.without("op.4", ("a", 4), ("a", 1), ("a", 2), ("f", 4)), (1000, 1130, 1130))

    def test_what_if_of_memory_that_another_shares(self):
        self.assertEqual(self.without("op.1", ("a", 1), ("s", 2, 1), ("a", 4), ("f", 4), ("f", 1), ("f", 2)), (100, 1100, 1100))

    def test_what_if_of_all_that_came_from_one_op(self):
        """op.1 and op.2 are `of 1`."""
        events = (("a", 1), ("a", 2), ("a", 4), ("f", 4), ("f", 1), ("f", 2))
        self.assertEqual(self.without("of 1", *events), (130, 1130, 1000))
        self.assertEqual(self.without("op.2", *events, action="offload"), (30, 1130, 1100))
        self.assertEqual(self.found["hlo"]["what_if"][0]["action"], "offload")

    def test_questions_that_are_none(self):
        self.replayed(("a", 1), ("f", 1))
        for question in ("remat", "remat=", "=op.1", "drop=op.1", "", "op.1", "Remat=op.1"):
            truth.run("memory", self.scratch / "a.hlo_proto.pb", "--what-if", question, status=2)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
