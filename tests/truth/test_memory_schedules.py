"""Lifetimes that come from the schedule alone: what passes memory on, what runs what it calls, what is in use when."""
import sys

import truth
from test_memory_hlo import PARAMETER, RESULT, TUPLE, Allocation, Buffer, Op, Program


def packed_pool(buffers, extra=0):
    """An allocation in which each buffer has its own addresses, and so many bytes more."""
    places, at = [], 0
    for b in buffers:
        places.append((b.key, at, b.size))
        at += b.size
    return Allocation(0, at + extra, 0, 0, places)


class Schedules(truth.Case):
    """In each program `made` defines 100 bytes; the others fill up what its lifetime is measured with."""

    def space(self, ops, buffers, allocations=None, called=None, root=None):
        """The memory space of a program whose entry is `ops`; `called`: {number: ops} of further computations."""
        computations = {1: ("main", ops, root or ops[-1].key)}
        for number, of in (called or {}).items():
            computations[number] = (f"called.{number}", of, of[-1].key)
        order = {number: [op.key for op in of] for number, (_, of, _) in computations.items()}
        program = Program("jit_a", 1, computations, 1, order, buffers, allocations or [packed_pool(buffers)], [])
        path = self.write("a.hlo_proto.pb", program.bytes())
        found = truth.parsed(truth.run("memory", path, "--json", "--curve", "100"))
        self.hlo = found["hlo"]
        self.live = [point["live_bytes"] for point in self.hlo["curve"]["points"]]
        return found["modules"][0]["spaces"][0]

    def lifetime(self, *users, root=99, index=()):
        """The positions at which `made` (the second of all) is in use when these follow it; the result reads nothing of it."""
        ops = [Op(90, "p", "parameter"), Op(1, "made", "iota"), *users, Op(98, "idle", "iota"), Op(99, "end", "iota")]
        self.space(ops, [Buffer(1, 100, 1, 0, index)], root=root)
        return [at for at, live in enumerate(self.live) if live]

    def test_a_buffer_that_nobody_reads(self):
        self.assertEqual(self.lifetime(), [1])

    def test_up_to_the_last_use(self):
        self.assertEqual(self.lifetime(Op(2, "a", "add", (1,)), Op(3, "b", "iota"), Op(4, "c", "add", (90, 1))), [1, 2, 3, 4])

    def test_what_only_gives_memory_another_name(self):
        """Its readers read the same memory; a copy has memory of its own."""
        for opcode, last in (("bitcast", 4), ("opt-barrier", 4), ("domain", 4), ("copy", 2), ("reshape", 2), ("negate", 2)):
            with self.subTest(opcode=opcode):
                found = self.lifetime(Op(2, "other", opcode, (1,)), Op(3, "b", "iota"), Op(4, "reads", "add", (2,)))
                self.assertEqual(found, list(range(1, last + 1)))

    def test_elements_of_tuples(self):
        """The element that is read again is the one that counts, in tuples of tuples, too."""
        def of(outer, inner, operands):
            return self.lifetime(Op(2, "pair", "tuple", operands), Op(3, "pairs", "tuple", (90, 2)),
                                 Op(4, "outer", "get-tuple-element", (3,), index=outer),
                                 Op(5, "inner", "get-tuple-element", (4,), index=inner), Op(6, "reads", "add", (5,)))
        self.assertEqual(of(1, 0, (1, 90)), [1, 2, 3, 4, 5, 6])
        self.assertEqual(of(1, 1, (90, 1)), [1, 2, 3, 4, 5, 6])
        for outer, inner in ((1, 1), (0, 0)):  # another element; what becomes of the pair itself is no use of it
            self.assertEqual(of(outer, inner, (1, 90)), [1], (outer, inner))

    def test_a_part_of_what_is_made(self):
        """Buffer {1} of a result of two: only its own element is followed."""
        for element, last in ((1, 4), (0, 1)):
            found = self.lifetime(Op(2, "element", "get-tuple-element", (1,), index=element), Op(3, "b", "iota"),
                                  Op(4, "reads", "add", (2,)), index=(1,))
            self.assertEqual(found, list(range(1, last + 1)), element)

    def test_the_result_stays_to_the_end(self):
        """So does what the result is made of, and what another name of it is."""
        for root, users in ((1, ()), (2, (Op(2, "t", "tuple", (1, 90)),)), (2, (Op(2, "b", "bitcast", (1,)),))):
            self.assertEqual(self.lifetime(*users, root=root), list(range(1, 4 + len(users))))
        self.assertEqual(self.lifetime(Op(2, "n", "negate", (1,)), root=2), [1, 2])

    def test_what_runs_what_it_calls(self):
        """One instruction after another, before its own; a fusion and a reduction run theirs as one."""
        for opcode, runs in (("call", True), ("while", True), ("conditional", True), ("async-start", True),
                             ("fusion", False), ("reduce", False), ("custom-call", False)):
            with self.subTest(opcode=opcode):
                made = [Op(20, "first", "iota"), Op(21, "made", "iota"), Op(22, "reads", "add", (21,)), Op(23, "last", "iota")]
                ops = [Op(1, "p", "parameter"), Op(2, "calls", opcode, (1,), called=(2,)), Op(3, "end", "iota")]
                space = self.space(ops, [Buffer(1, 100, 21), Buffer(2, 7, 2)], called={2: made})
                if runs:
                    self.assertEqual(self.live, [0, 0, 100, 100, 0, 7, 0])
                    self.assertEqual((space["peak_instruction"], space["peak_computation"]), ("made", "called.2"))
                else:
                    self.assertEqual(self.live, [0, 7, 0])
                    self.assertEqual((space["temp_peak_bytes"], space["bound"]), (7, "lower"))
                # The entry alone knows nothing of what lies in others.
                swept = self.hlo["schedule_sweep"]
                self.assertEqual((swept["n_subcomputation_lbs_skipped"], swept["peak_alive_bytes_entry_level"],
                                  swept["entry_schedule_length"]), (1, 7, 3))

    def test_several_that_are_called(self):
        """In the order in which they are named; one that is called again runs where it was called first."""
        called = {2: [Op(20, "two", "iota")], 3: [Op(30, "three", "iota")], 4: [Op(40, "four", "call", called=(3,))]}
        ops = [Op(1, "branches", "conditional", called=(4, 2)), Op(2, "again", "call", called=(2, 3)), Op(3, "end", "iota")]
        self.space(ops, [Buffer(key, 10 * key, op) for key, op in ((1, 20), (2, 30), (3, 40), (4, 1), (5, 2))], called=called)
        self.assertEqual(self.live, [20, 30, 10, 40, 50, 0])

    def test_the_bound_is_exact_when_all_is_in_use_at_once(self):
        ops = [Op(1, "a", "iota"), Op(2, "b", "iota"), Op(3, "reads", "add", (1, 2))]
        buffers = [Buffer(1, 60, 1), Buffer(2, 40, 2)]
        for extra, bound in ((0, "exact"), (1, "lower")):
            space = self.space(ops, buffers, [packed_pool(buffers, extra)])
            self.assertEqual((space["method"], space["temp_peak_bytes"], space["fragmentation_bytes"], space["bound"]),
                             ("schedule_sweep", 100, extra, bound))

    def test_addresses_that_are_shared_count_once(self):
        """60 and 40 bytes share 10 of them, a third one touches the end of the second."""
        ops = [Op(1, "a", "iota"), Op(2, "b", "iota"), Op(3, "c", "iota"), Op(4, "reads", "add", (1, 2, 3))]
        pool = Allocation(0, 200, 0, 0, [(1, 0, 60), (2, 50, 40), (3, 90, 5)])
        space = self.space(ops, [Buffer(1, 60, 1), Buffer(2, 40, 2), Buffer(3, 5, 3)], [pool])
        self.assertEqual(self.live, [60, 90, 95, 95])
        self.assertEqual((space["peak_event"], space["peak_instruction"]), (2, "c"))  # the first of two equal ones
        self.assertEqual([(row["instruction_name"], row["size_bytes"]) for row in self.hlo["alive_at_peak"]["buffers"]],
                         [("a", 60), ("b", 30), ("c", 5)])
        self.assertEqual(self.hlo["always_alive"]["total_bytes"], 50 + 30 + 5)

    def test_the_pool_is_the_largest_allocation(self):
        """The entry is swept for it alone, the space for all of them; fixed memory is no pool."""
        ops = [Op(1, "a", "iota"), Op(2, "b", "iota"), Op(3, "out", "tuple", (1, 2))]
        buffers = [Buffer(1, 30, 1), Buffer(2, 50, 2), Buffer(3, 900, 3)]
        allocations = [Allocation(0, 40, 0, 0, [(1, 0, 30)]), Allocation(1, 900, RESULT | TUPLE, 0, [(3, 0, 900)]),
                       Allocation(2, 60, 0, 0, [(2, 5, 50)])]
        space = self.space(ops, buffers, allocations)
        self.assertEqual((space["temp_bytes"], space["temp_peak_bytes"], space["peak_bytes"]), (100, 80, 980))
        parts = self.hlo["decomposition"]
        self.assertEqual((parts["temp_pool_bytes"], parts["temp_pool_alloc_index"], parts["other_bytes"]), (60, 2, 940))
        swept = self.hlo["schedule_sweep"]
        self.assertEqual((swept["peak_alive_bytes_entry_level"], swept["peak_schedule_pos"], swept["peak_instruction"]["name"]),
                         (50, 1, "b"))

    def test_a_lifetime_that_nothing_reorders_is_the_floor(self):
        """The least of all positions, the first and the last ones included."""
        ops = [Op(1, "a", "iota"), Op(2, "b", "iota"), Op(3, "c", "add", (1, 2)), Op(4, "d", "add", (2,))]
        given = Allocation(1, 8, PARAMETER, 0, [(9, 0, 8)])
        for sizes, floor in (((10, 50), 10), ((50, 10), 10)):
            buffers = [Buffer(1, sizes[0], 1), Buffer(2, sizes[1], 2)]
            space = self.space(ops, [*buffers, Buffer(9, 8, 1)], [packed_pool(buffers), given])
            self.assertEqual((space["temp_floor_bytes"], space["residency_floor_bytes"]), (floor, floor + 8))
        self.assertEqual(self.live, [50 + 8, 60 + 8, 60 + 8, 10 + 8])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
