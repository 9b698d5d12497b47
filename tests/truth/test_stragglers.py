#!/usr/bin/env python3
"""`profkit validate`: who does otherwise than its group, each limit from both sides."""
import sys

import truth
from ranks import US, RanksCase, call

WORLD = (0, 1, 2)


class Stragglers(RanksCase):
    """Between the end of a call and the start of the next a device takes as long as it takes."""

    def late(self, takes, *options, ranks=WORLD, name="allreduce", first=0):
        """`takes`: of each call what each rank takes before it, in us. A call ends 100 us after its last member has begun."""
        events = {rank: [call(name, first, first + 100, ranks)] for rank in ranks}
        end = first + 100
        for each in takes:
            starts = [round(end + took, 6) for took in each]
            end = round(max(starts) + 100, 6)
            for rank, start in zip(ranks, starts):
                events[rank].append(call(name, start, end, ranks))
        found = self.ask(events, "--bound", *(options or ("0ps",)))
        return self.irregular(found, "kind", "rank", "call", "call_start_ps", "count", "of_count", "late_ps")

    def row(self, rank, count, of, late_us):
        return ["straggler", str(rank), 0, 0, count, of, int(late_us * US)]

    def test_how_late(self):
        for takes, options, expected in (
                ([(50, 50, 60)] * 3, (), []),  # 10 us at the least
                ([(50, 50, 60.001)] * 3, (), [self.row(2, 3, 3, 10.001)]),
                ([(200, 220, 200)] * 3, (), []),  # a tenth of what it takes
                ([(200, 220.001, 200)] * 3, (), [self.row(1, 3, 3, 20.001)]),
                ([(50, 50, 66)] * 3, ("8us",), []),  # what both clocks may be wrong by
                ([(66.001, 50, 50)] * 3, ("8us",), [self.row(0, 3, 3, 16.001)]),
                ([(50, 47, 62)] * 3, (), []),  # four times what others differ by
                ([(50, 47, 62.001)] * 3, (), [self.row(2, 3, 3, 12.001)])):
            with self.subTest(takes=takes, options=options):
                self.check(self.late(takes, *options), expected)

    def test_how_often(self):
        """Three of four calls, and three calls at least; how late is what it is in the middle, of two the lesser."""
        usual, once = (50, 50, 50), (50, 50, 100)
        for takes, expected in (
                ([once] * 2, []), ([once] * 3, [self.row(2, 3, 3, 50)]), ([once, usual, once], []),
                ([once, once, usual, (50, 50, 90)], [self.row(2, 3, 4, 40)]), ([once, once, usual, usual], []),
                ([once, (50, 50, 70), once, (50, 50, 80)], [self.row(2, 4, 4, 30)]),
                # Two of three are late, by turns: nobody is most often.
                ([(50, 50, 100), (50, 100, 50), (100, 50, 50)], [])):
            with self.subTest(takes=takes):
                self.check(self.late(takes), expected)

    def test_who_is_in_the_middle_of_two(self):
        """Of two the lesser time is the middle."""
        self.check(self.late([(50, 80)] * 3, ranks=(0, 1)), [self.row(1, 3, 3, 30)])
        self.check(self.late([(80, 50)] * 3, ranks=(0, 1)), [self.row(0, 3, 3, 30)])

    def test_where_nobody_waits_for_everybody(self):
        self.check(self.late([(50, 50, 100)] * 4, name="broadcast"), [])

    def test_other_calls_of_a_device(self):
        """What it did for another group counts as waiting, not as its own work; what ends as a call begins was before it. A call of no
        length was nothing."""
        def ranks(between):
            events = {rank: [] for rank in WORLD}
            for k in range(4):
                at = 1_000 * k
                for rank in WORLD:
                    events[rank].append(call("allreduce", at + (200 if rank == 2 else 0), at + 300, WORLD))
                if between:
                    events[2].append(call("_allgather_base", at + between[0], at + between[1], (2, 5), "1"))
            return events
        keys = ("op", "rank", "count", "of_count", "late_ps")
        late = [["allreduce", "2", 3, 3, 200 * US]]
        for between, expected in ((None, late), ((500, 1_200), []), ((500, 1_150), []), ((1_100, 1_100), late)):
            with self.subTest(between=between):
                self.check(self.irregular(self.ask(ranks(between), "--bound", "0ps", world=8), *keys), expected)

    def test_two_operations_of_one_group(self):
        """Each is looked at by itself, and so is each group of an operation."""
        events = {rank: [] for rank in range(4)}
        for k in range(4):
            for at, name, late in ((0, "allreduce", 1), (500, "_allgather_base", 2)):
                for rank in range(4):
                    of = (0, 1) if rank < 2 else (2, 3)
                    start = 1_000 * k + at + (60 if rank in (late, late + 2 if late == 1 else 9) else 0)
                    events[rank].append(call(name, start, 1_000 * k + at + 100, of, "tp"))
        found = self.ask(events, "--bound", "0ps")
        self.check(self.irregular(found, "op", "process_group", "rank", "count", "of_count", "late_ps"), [
            ["allreduce", "tp [0, 1]", "1", 3, 3, 60 * US], ["allreduce", "tp [2, 3]", "3", 3, 3, 60 * US],
            ["_allgather_base", "tp [2, 3]", "2", 4, 4, 60 * US]])


class Absent(RanksCase):
    KEYS = ("kind", "op", "call", "call_start_ps", "node", "rank", "count", "of_count", "evidence")

    def rows(self, starts_of, *options, length=10, world=None, name="allreduce"):
        """`starts_of`: of each rank when its calls begin, in us; calls of one number are one."""
        ranks = tuple(starts_of)
        events = {rank: [call(name, at, at + length, ranks, Seq=number) for number, at in starts.items()]
                  for rank, starts in starts_of.items()}
        found = self.ask(events, "--bound", "0ps", *options, world=world)
        return self.irregular(found, *self.KEYS)

    def missing(self, call_at, start, rank, there=2, of=3, calls=4):
        return ["missing", "allreduce", call_at, start * US, str(rank), str(rank), 1, calls,
                f"{there} member{'s' if there > 1 else ''} of {of} ran this call; this one ran collectives before and after it"]

    def test_how_many_calls(self):
        """Where more than half of the calls lack somebody they were rather not put together as they belong."""
        every = {number: 100 * number for number in range(4)}  # the number 0 is one
        lacks = lambda *numbers: {n: at for n, at in every.items() if n not in numbers}
        self.check(self.rows({0: every, 1: every, 2: lacks(2)}), [self.missing(2, 200, 2)])
        self.check(self.rows({0: every, 1: lacks(1), 2: lacks(2)}), [self.missing(1, 100, 1), self.missing(2, 200, 2)])
        self.check(self.rows({0: lacks(1, 2), 1: lacks(1), 2: every}),
                   [self.missing(1, 100, 0, 1), self.missing(1, 100, 1, 1), self.missing(2, 200, 0)])
        five = {**every, 4: 400}
        self.check(self.rows({0: {n: five[n] for n in (0, 2, 3, 4)}, 1: {n: five[n] for n in (0, 1, 3, 4)},
                              2: {n: five[n] for n in (0, 1, 2, 4)}}), [])

    def test_at_the_ends(self):
        """Who is not there before its first call comes late; what begins as that does is no longer before it. So at the end."""
        every = {number: 100 * number for number in range(6)}
        late = lambda first, count, calls: ["late", "allreduce", 0, 0, "2", "2", count, count,
                                            f"its first collective comes after {calls} of its groups that other members ran"]
        self.check(self.rows({0: every, 1: every, 2: {n: every[n] for n in (1, 2, 3, 4, 5)}}), [late(0, 1, "1 call")])
        self.check(self.rows({0: every, 1: every, 2: {n: every[n] for n in (2, 3, 4, 5)}}), [late(0, 2, "2 calls")])
        # Its first is number 2, which begins with number 1 of others.
        self.check(self.rows({0: every, 1: every, 2: {2: 100, 3: 300, 4: 400, 5: 500}}),
                   [self.missing(1, 100, 2, calls=6), late(0, 1, "1 call")])
        self.check(self.rows({0: every, 1: {**every, 1: 101}, 2: {2: 101, 3: 300, 4: 400, 5: 500}}),
                   [self.missing(1, 100, 2, calls=6), late(0, 1, "1 call")])
        self.check(self.rows({0: every, 1: {**every, 1: 101}, 2: {2: 102, 3: 300, 4: 400, 5: 500}}), [late(0, 2, "2 calls")])
        stopped = lambda first, start, count, calls: ["stopped", "allreduce", first, start * US, "2", "2", count, count,
                                                      f"its last collective comes before {calls} of its groups that other members ran"]
        self.check(self.rows({0: every, 1: every, 2: {n: every[n] for n in (0, 1, 2, 3)}}), [stopped(4, 400, 2, "2 calls")])
        self.check(self.rows({0: every, 1: every, 2: {0: 0, 1: 100, 2: 200, 3: 400}}),
                   [self.missing(4, 400, 2, calls=6), stopped(5, 500, 1, "1 call")])

    def test_a_window(self):
        """Calls outside of it are not listed, but they count."""
        every = {number: 100 * number for number in range(4)}
        ranks = {0: every, 1: {0: 0, 2: 200, 3: 300}, 2: {0: 0, 1: 100, 3: 300}}
        for window, shown in (("100us:200us", [self.missing(1, 100, 1)]), ("110us:201us", [self.missing(2, 200, 2)]),
                              ("109.999us:200.001us", [self.missing(1, 100, 1), self.missing(2, 200, 2)]), ("111us:199us", [])):
            with self.subTest(window):
                self.check(self.rows(ranks, "--time", window), shown)

    def test_who_never_runs_it(self):
        """Of three members one runs other operations alone: it lacks nothing, and nothing is said of it."""
        events = {rank: [call("allreduce", 100 * k, 100 * k + 10, WORLD, Seq=k + 10) for k in (0, 2, 3)] for rank in WORLD}
        events[0].append(call("_allgather_base", 100, 110, WORLD, Seq=11))
        events[1].append(call("_allgather_base", 100, 110, WORLD, Seq=11))
        found = self.ask(events, "--bound", "0ps")
        self.check([found["irregularities"], [(op["name"], op["groups"]) for op in found["ops"]]],
                   [[], [("_allgather_base", 1), ("allreduce", 3)]])

    def test_one_node_alone(self):
        """Of a group of others, too: each operation that only one rank ran is said, with how often; those of a pair are not."""
        events = {rank: [call("allreduce", 0, 10, WORLD)] for rank in WORLD}
        events[1] += [call("_allgather_base", 100 * k, 100 * k + 10, WORLD) for k in (1, 2, 3)]
        events[2] += [call("reduce_scatter", 100 * k, 100 * k + 10, (0, 2), "1") for k in (1, 2)]
        events[0] += [call("send", 500, 510, WORLD, Dst_Rank=2)]
        found = self.ask(events, "--bound", "0ps")
        self.check([(w["op"], w["node"], w["count"], w["text"]) for w in found["warning_list"] if w["kind"] == "one_node"], [
            (op, node, count, "only this node ran it, though devices of other nodes are in its process group")
            for op, node, count in (("_allgather_base", "1", 3), ("reduce_scatter", "2", 2))])


class Orders(RanksCase):
    def rows(self, orders, world=None):
        """`orders`: of each rank the names of its calls."""
        names = {"a": "allreduce", "g": "_allgather_base", "s": "reduce_scatter", "b": "broadcast"}
        events = {rank: [call(names[name], 100 * k, 100 * k + 10, WORLD if len(orders) == 3 else (0, 1))
                         for k, name in enumerate(order)] for rank, order in orders.items()}
        return [row for row in self.irregular(self.ask(events, "--bound", "0ps", world=world), "kind", "op", "rank", "evidence")
                if row[0] == "order"]

    @staticmethod
    def said(rank, at, first, second, said, peers):
        return ["order", first, str(rank), f"order differs at call {at}: {first} before {second}, unlike {said} of {peers} "
                f"device{'s' if peers > 1 else ''} of its groups that make the same calls"]

    def test_whom_most_contradict(self):
        """Of three the one that differs from both, whichever it is. Its calls count from 0."""
        usual, other = "agsagsags", "agsasgags"
        for odd in range(3):
            orders = {rank: other if rank == odd else usual for rank in range(3)}
            self.check(self.rows(orders), [self.said(odd, 4, "reduce_scatter", "_allgather_base", 2, 2)])
        # Three that all differ from one another contradict each other.
        self.check(self.rows({0: "agsagsags", 1: "agsasgags", 2: "gasagsags"}), [
            self.said(2, 0, "_allgather_base", "allreduce", 2, 2), self.said(1, 4, "reduce_scatter", "_allgather_base", 2, 2)])

    def test_twice(self):
        self.check(self.rows({0: "agsagsag", 1: "agsagsag", 2: "gasasgag"}), [
            self.said(2, 0, "_allgather_base", "allreduce", 2, 2), self.said(2, 4, "reduce_scatter", "_allgather_base", 2, 2)])

    def test_at_the_end(self):
        """The last two, and the last two but one; but a call that one of them lacks there is no other order."""
        self.check(self.rows({0: "agsagsag", 1: "agsagsag", 2: "agsagsga"}), [self.said(2, 6, "_allgather_base", "allreduce", 2, 2)])
        self.check(self.rows({0: "agsagsags", 1: "agsagsags", 2: "agsagsgas"}), [self.said(2, 6, "_allgather_base", "allreduce", 2, 2)])
        self.check(self.rows({0: "agsagsag", 1: "agsagsag", 2: "agsagsg"}), [])

    def test_of_two_the_second(self):
        self.check(self.rows({0: "gaagsags", 1: "agagsags"}), [self.said(1, 0, "allreduce", "_allgather_base", 1, 1)])


class Streams(RanksCase):
    def test_the_order_of_a_stream(self):
        """What two streams run has no order; one that runs both has. A group of another size, or for another use, is another call."""
        def rows(*orders, streams=(7, 7), **more):
            events = {0: [], 1: []}
            for rank, order in enumerate(orders):
                for k, which in enumerate(order):
                    name = ("allreduce", "_allgather_base")[which]
                    events[rank].append(call(name, 100 * k, 100 * k + 10, stream=streams[which], group=str(which), **more))
            found = self.ask(events, "--bound", "0ps", world=4)
            return [row[0] for row in self.irregular(found, "kind") if row[0] == "order"]
        first, other = (0, 1, 0, 1, 0, 1, 0, 1), (1, 0, 0, 1, 0, 1, 0, 1)
        self.check(rows(first, other), ["order"])
        self.check(rows(first, other, streams=(7, 8)), [])
        self.check(rows(first, first), [])


class Sizes(RanksCase):
    def rows(self, *calls, name="allreduce"):
        """`calls`: of each the elements of each rank; None: not on record."""
        ranks = tuple(range(len(calls[0])))
        events = {rank: [] for rank in ranks}
        for k, sizes in enumerate(calls):
            for rank, size in zip(ranks, sizes):
                dtype, size = (size[0], size[1]) if isinstance(size, tuple) else ("Float", size)
                made = call(name, 100 * k, 100 * k + 10, ranks, elements=size, dtype=dtype)
                if size is None:
                    del made["args"]["In msg nelems"], made["args"]["Out msg nelems"]
                events[rank].append(made)
        found = self.ask(events, "--bound", "0ps")
        return self.irregular(found, "kind", "call", "rank", "count", "of_count", "evidence")

    @staticmethod
    def text(size, dtype="Float"):
        return f"{size:,} elements in, {size:,} out, of {dtype}"

    def row(self, call_at, rank, own, right, most=2, of=3, calls=4):
        return ["size", call_at, str(rank), 1, calls, f"{own}; {most} of {of} members: {right}"]

    def test_who_is_right(self):
        """Most members; of as many each what others of the operation move; a type that differs is a size that does."""
        t, same = self.text, (10, 10, 10)
        self.check(self.rows(same, (10, 10, 12), same, same), [self.row(1, 2, t(12), t(10))])
        self.check(self.rows(same, (12, 10, 12), same, same), [self.row(1, 1, t(10), t(12))])
        self.check(self.rows(same, same, same, (11, 1_200, 10)), [self.row(3, 0, t(11), t(10), 1), self.row(3, 1, t(1_200), t(10), 1)])
        self.check(self.rows(same, (10, ("Half", 10), 10), same, same), [self.row(1, 1, t(10, "Half"), t(10))])
        self.check(self.rows((0, 0, 10), same, same, same), [self.row(0, 2, t(10), t(0))])

    def test_sizes_that_are_not_on_record(self):
        """Who has none is not wrong, and counts for nobody."""
        same = (10, 10, 10)
        self.check(self.rows(same, (10, None, 10), same, same), [])
        self.check(self.rows(same, (None, 10, 12), same, same), [self.row(1, 2, self.text(12), self.text(10), 1)])

    def test_of_how_many_calls(self):
        """Where more than half of the calls differ, sizes are written down for another reason."""
        same, odd = (10, 10, 10), (10, 10, 12)
        self.check(len(self.rows(odd, odd, same, same)), 2)
        self.check(self.rows(odd, odd, odd, same), [])
        for name, count in (("_allgather_base", 1), ("_reduce_scatter_base", 1), ("broadcast", 0), ("all_to_all", 0)):
            self.check(len(self.rows(same, odd, same, same, name=name)), count)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
