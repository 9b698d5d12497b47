#!/usr/bin/env python3
"""`profkit validate` of calls of ranks: roots, who sends to whom, what is out of order and by how much, where the time goes, sizes; each
limit from both sides, and numbers that are 0."""
import sys
from fractions import Fraction

import truth
from ranks import US, ZERO_NS, RanksCase, call

WORLD = (0, 1, 2)
DETAIL = ("op", "rank", "beyond_bound", "latest_start_node", "latest_start_ps", "earliest_end_node", "earliest_end_ps", "gap_ps",
          "bound_ps")
COUNTS = ("name", "groups", "violations", "violations_raw", "unjudged", "unjudged_reason")


class Roots(RanksCase):
    def rows(self, name, calls, *options, **more):
        """`calls`: of each its root, and of ranks 0, 1 and 2 the start and the end in us; None where a rank has none."""
        events = {rank: [] for rank in WORLD}
        for root, *spans in calls:
            for rank, span in zip(WORLD, spans):
                if span:
                    events[rank].append(call(name, *span, WORLD, **({} if root is None else {"Root": root}), **more))
        found = self.ask(events, "--bound", "1us", *options)
        return ([[op[key] for key in COUNTS] for op in found["ops"]], [[row[key] for key in DETAIL] for row in found["details"]],
                [found["violations"], found["violations_raw"], found["pair_violations"], found["overlaps"], found["unjudged"]])

    def test_whoever_sends_first(self):
        """Nobody ends a broadcast before its root has begun, be that rank 0, the one in the middle or the last: of the others the first
        to end counts. Each root has calls of its own."""
        ops, details, counts = self.rows("broadcast", [
            (0, (25, 30), (10, 23), (20, 22.5)),  # 2.5 us late, and both clocks may be wrong by 1
            (1, (100, 200), (300, 400), (100, 398)), (1, (1_000, 1_001), (1_003, 1_100), (1_000, 1_000.5)),
            (2, (2_000, 2_010), (2_000, 2_010), (2_012.001, 2_100)), (2, (3_000, 3_010), (3_000, 3_010), (3_012, 3_100)),
            (0, (4_000, 4_100), (4_200, 4_300), (4_000, 4_100))])
        self.check(ops, [["broadcast", 2, 1, 2, 0, None], ["broadcast", 2, 2, 2, 0, None], ["broadcast", 2, 1, 2, 0, None]])
        self.check(counts[:2] + counts[3:], [4, 6, 1, 0])
        self.check(details, [
            ["broadcast", 0, True, "1", 300 * US, "0", 200 * US, 100 * US, 2 * US],
            ["broadcast", 0, True, "0", 25 * US, "2", 22_500_000, 2_500_000, 2 * US],
            ["broadcast", 1, True, "1", 1_003 * US, "2", 1_000_500_000, 2_500_000, 2 * US],
            ["broadcast", 0, True, "2", 2_012_001_000, "0", 2_010 * US, 2_001_000, 2 * US],
            ["broadcast", 1, False, "2", 3_012 * US, "0", 3_010 * US, 2 * US, 2 * US]])

    def test_whoever_gets_last(self):
        """The root of a reduce ends after everybody has begun: of the others the last to begin counts."""
        ops, details, counts = self.rows("reduce", [
            (0, (0, 100), (102.001, 110), (50, 60)), (0, (1_000, 1_100), (1_102, 1_110), (1_102, 1_110)),
            (2, (3_000, 3_200), (3_105, 3_200), (3_000, 3_100)), (2, (4_000, 4_001), (4_001, 4_200), (4_000, 4_100))])
        self.check(ops, [["reduce", 2, 1, 2, 0, None], ["reduce", 2, 1, 2, 0, None]])
        self.check(counts[:2] + counts[3:], [2, 4, 1, 0])
        self.check(details, [["reduce", 0, True, "1", 3_105 * US, "2", 3_100 * US, 5 * US, 2 * US],
                             ["reduce", 0, True, "1", 102_001_000, "0", 100 * US, 2_001_000, 2 * US],
                             ["reduce", 1, False, "1", 1_102 * US, "0", 1_100 * US, 2 * US, 2 * US]])

    def test_a_root_that_is_not_there(self):
        away = "the root is not among those that took part"
        ops, _, counts = self.rows("broadcast", [(0, None, (0, 10), (0, 10)), (1, (100, 110), (100, 110), None)])
        self.check(ops, [["broadcast", 1, 0, 0, 1, away], ["broadcast", 1, 0, 0, 0, None]])
        self.check(counts, [0, 0, 0, 1, 1])
        ops, _, _ = self.rows("broadcast", [(None, (0, 10), (0, 10), (0, 10))])
        self.check(ops, [["broadcast", 1, 0, 0, 1, "the trace does not say who is the root"]])

    def test_members_that_disagree(self):
        """Calls of one number whose members name other roots, or other operations, are compared with none. They are called what most
        of them are."""
        events = {rank: [call("broadcast", 0, 10, WORLD, Seq=0, Root=0 if rank < 2 else 1),
                         call("broadcast", 100, 110, WORLD, Seq=1, Root=0),
                         call("_allgather_base" if rank == 0 else "broadcast", 200, 210, WORLD, Seq=2, Root=0),
                         call("allreduce", 300, 310, WORLD, Seq=3)] for rank in WORLD}
        found = self.ask(events, "--bound", "1us")
        self.check([[op["name"], op["groups"]] for op in found["ops"]], [["allreduce", 1], ["broadcast", 1]])
        self.check([[c["op"], c["call"], c["last_start_ps"] // US] for c in found["calls"]], [["allreduce", 0, 300], ["broadcast", 1, 100]])


class Sends(RanksCase):
    def ranks(self, *transfers):
        """(source, target, start and end of who sends, those of who receives)"""
        events = {rank: [] for rank in WORLD}
        for source, target, sends, receives in transfers:
            events[source].append(call("send", *sends, WORLD, Dst_Rank=target, kernel="ncclDevKernel_SendRecv"))
            events[target].append(call("recv", *receives, WORLD, Src_Rank=source, kernel="ncclDevKernel_SendRecv"))
        return events

    def test_pairs(self):
        """A pair for each direction of each two, rank 0 among them: who receives cannot be through before who sends has begun."""
        found = self.ask(self.ranks(
            (1, 0, (112.001, 200), (10, 110)), (0, 1, (1_112, 1_200), (1_010, 1_110)), (2, 0, (2_109, 2_200), (2_010, 2_110)),
            (0, 2, (3_150, 3_200), (3_010, 3_110)), (0, 2, (4_000, 4_100), (4_300, 4_400))), "--bound", "1us")
        self.check([[op["name"], op["process_group"], op["semantics"], op["groups"], op["violations"], op["violations_raw"], op["unjudged"]]
                    for op in found["ops"]], [
            ["send, recv", "0 [0, 1, 2]", "point_to_point", 1, 1, 1, 0], ["send, recv", "0 [0, 1, 2]", "point_to_point", 1, 0, 1, 0],
            ["send, recv", "0 [0, 1, 2]", "point_to_point", 1, 0, 0, 0], ["send, recv", "0 [0, 1, 2]", "point_to_point", 2, 1, 1, 0]])
        self.check([found["pair_violations"], found["overlaps"]], [3, 2])
        self.check([[row[key] for key in DETAIL] for row in found["details"]], [
            ["send, recv", 0, True, "0", 3_150 * US, "2", 3_110 * US, 40 * US, 2 * US],
            ["send, recv", 0, True, "1", 112_001_000, "0", 110 * US, 2_001_000, 2 * US],
            ["send, recv", 0, False, "0", 1_112 * US, "1", 1_110 * US, 2 * US, 2 * US]])
        self.check([[m["node"], m["rank"], m["part"]] for m in found["details"][1]["members"]],
                   [["0", "0", "receives"], ["1", "1", "sends"]])


class Times(RanksCase):
    def ops(self, *pairs, bound="0ps", name="allreduce", hosts=None, ranks=(0, 1)):
        """`pairs`: of each call the start and the end of both ranks."""
        events = {rank: [call(name, *spans[at], ranks) for spans in pairs] for at, rank in enumerate(ranks)}
        return self.ask(events, "--bound", bound, hosts=hosts)

    def test_where_the_time_goes(self):
        """To who waits where that is more than twice what data takes, and the reverse; nothing is said where clocks may turn it round."""
        for late, moving, bound, expected in (
                (20, 10, "0ps", "mixed"), (20.001, 10, "0ps", "arrival"), (10, 20, "0ps", "mixed"), (10, 20.001, "0ps", "transfer"),
                (44, 20, "500ns", "mixed"), (43, 20, "500ns", "mixed"), (43.001, 20, "500ns", "arrival"), (20, 43, "500ns", "mixed"),
                (20, 43.001, "500ns", "transfer"), (8, 8, "2us", "mixed"), (8, 8, "2001ns", "inconclusive")):
            with self.subTest(late=late, moving=moving, bound=bound):
                end = 1_000 + late + moving
                op, = self.ops(((1_000, end), (1_000 + late, end + 5)), bound=bound)["ops"]
                self.check([op["cost"], op["mean_arrival_skew_ps"], op["mean_transfer_ps"]],
                           ["arrival" if late == 44 else expected, late * US, moving * US])

    def test_times_that_are_known(self):
        """Ten times what both clocks may be wrong by is not enough, a bit more is. Else for everybody data moves as long as the shortest
        is there; of a broadcast that is not known."""
        for name in ("allreduce", "broadcast"):
            for end, span, moving in ((20, None, None), (20.001, 20.001, None), (25, 25, None), (25.001, 25.001, 20.001)):
                shorter = round(end - 5, 3)
                call_, = self.ops(((0, end), (5, end)), bound="1us", name=name)["calls"]
                self.check([call_["span_ps"], call_["moving_ps"]], [
                    None if span is None else Fraction(span * US).limit_denominator(),
                    int(moving * US) if moving else int(shorter * US) if name == "allreduce" else None])

    def test_who_is_last_and_by_how_much(self):
        """Most often: rank 2 alone in two calls, ranks 0 and 1 in one each; of two calls several came last at once, which is nobody. The most
        of all calls, not of the last."""
        found = self.ask({rank: [call("allreduce", 1_000 * k + 10 * late[rank], 1_000 * k + 100, WORLD)
                                 for k, late in enumerate(((0, 0, 1), (0, 3, 3), (2, 0, 0), (0, 1, 2), (0, 2, 1), (0, 0, 0)))]
                          for rank in WORLD}, "--bound", "0ps")
        op, = found["ops"]
        self.check([op[key] for key in ("latest_node", "latest_device", "latest_rank", "latest_count", "most_arrival_skew_ps",
                                        "mean_arrival_skew_ps", "mean_transfer_ps", "violations", "groups")],
                   ["2", 0, "2", 2, 30 * US, 100 * US // 6, 500 * US // 6, 0, 6])
        self.check([[c["call"], c["latest_rank"], c["arrival_skew_ps"] // US] for c in found["calls"]],
                   [[1, None, 30], [2, "0", 20], [3, "2", 20], [4, "1", 20], [0, "2", 10], [5, None, 0]])

    def test_who_is_last_where_clocks_are_not_known_to_agree(self):
        """Then the clocks, by which rank 1 is later, say nothing: the shorter one came last, and of as long ones nobody."""
        for ends, last in (((50, 55), None), ((50, 56), "0"), ((50, 54), "1")):
            op, = self.ask({rank: [call("allreduce", 5 * rank, ends[rank])] for rank in (0, 1)}, hosts=("a", "b"))["ops"]
            self.check([op["latest_rank"], op["latest_count"]], [last, int(last is not None)])
            op, = self.ops(tuple((5 * rank, ends[rank]) for rank in (0, 1)))["ops"]
            self.check([op["latest_rank"], op["latest_count"]], ["1", 1])

    def test_three_out_of_order(self):
        """Every two of which one ended before the other began, in three calls; the error counts for the first to end and the last to
        begin."""
        found = self.ask({rank: [call("allreduce", *spans[rank], WORLD) for spans in (
            ((0, 10), (20, 30), (40, 50)), ((1_000, 1_010), (1_010, 1_030), (1_010, 1_020)),
            ((2_000, 2_030), (2_031, 2_032), (2_031, 2_040)))]
                          for rank in WORLD}, "--bound", "15us")
        self.check([found[key] for key in ("violations", "violations_raw", "pair_violations", "overlaps")], [0, 3, 5, 0])
        found = self.ask({rank: [call("allreduce", *spans[rank], WORLD) for spans in (((0, 10), (20, 30), (40, 50)),)]
                          for rank in WORLD}, "--bound", "14.9995us")
        self.check([[row[key] for key in DETAIL] for row in found["details"]],
                   [["allreduce", 0, True, "2", 40 * US, "0", 10 * US, 30 * US, 29_999_000]])

    def test_a_window(self):
        """A call counts where any part of a member lies in it: what ends as it begins does not, what begins then does, of no length or
        not."""
        pairs = (((0, 10), (5, 20)), ((100, 100), (100, 100)), ((200, 210), (195, 210)))
        for window, starts in (("20us:", [200, 100]), ("19.999us:", [5, 200, 100]), (":195us", [5, 100]),
                               (":195.001us", [200, 5, 100]), ("100us:100.001us", [100]), (":100us", [5])):
            events = {rank: [call("allreduce", *spans[rank]) for spans in pairs] for rank in (0, 1)}
            with self.subTest(window):
                found = self.ask(events, "--bound", "0ps", "--time", window)
                self.check(sorted(c["last_start_ps"] // US for c in found["calls"]), sorted(starts))

    def test_origins(self):
        """Each trace has a zero of its own."""
        paths = [self.rank(rank, [call("allreduce", 10 - 2 * rank, 20)], base_ns=ZERO_NS + 1_000 * rank) for rank in (0, 1)]
        found = truth.parsed(truth.run("validate", *paths[::-1], "--json", "--bound", "0ps"))
        self.check(found["origin_unix_ns"], str(ZERO_NS))
        self.check([[c["last_start_ps"], c["latest_rank"], c["arrival_skew_ps"]] for c in found["calls"]], [[10 * US, "0", US]])


class Sizes(RanksCase):
    BESIDE = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 1, "args": {"device": 0, "stream": 7}}

    TYPES = {"Byte": 1, "Char": 1, "Bool": 1, "Short": 2, "Int": 4, "Long": 8, "Half": 2, "BFloat16": 2, "Float": 4, "Double": 8,
             "ComplexHalf": 4, "ComplexFloat": 8, "ComplexDouble": 16, "UInt16": 2, "UInt32": 4, "UInt64": 8, "Float8_e4m3fn": 1,
             "Float8_e5m2": 1, "Float8_e4m3fnuz": 1, "Float8_e5m2fnuz": 1, "Float8_e8m0fnu": 1, "QInt32": None}

    def test_types(self):
        """How much each moves, by its type. Of a type that is not known nobody knows."""
        events = {rank: [call("allreduce", 100 * k, 100 * k + 10, dtype=name, group=str(k), elements=3)
                         for k, name in enumerate(self.TYPES)] for rank in (0, 1)}
        events[2] = [self.BESIDE]
        found = self.ask(events, "--bound", "0ps", world=4)
        self.check({op["process_group"].split()[0]: op["payload_bytes"] for op in found["ops"]},
                   {str(k): size and 3 * size for k, size in enumerate(self.TYPES.values())})

    def test_what_counts_as_moved(self):
        """(operation, elements in and out): the payload of three members, and its share on a link."""
        rows = [("allreduce", 12, 12, 48, Fraction(4, 3)), ("_allgather_base", 10, 30, 120, Fraction(2, 3)),
                ("_reduce_scatter_base", 30, 10, 120, Fraction(2, 3)), ("all_to_all", 12, 9, 48, Fraction(2, 3)),
                ("broadcast", 10, 12, 48, 1), ("reduce", 13, 10, 52, 1), ("allreduce", 0, 0, None, None),
                ("_allgather_base", 10, 29, 120, Fraction(2, 3)), ("gather", 10, 30, None, None)]
        events = {rank: [call(name, 1_000 * k, 1_000 * k + 10, WORLD, group=str(k), elements=into, out=out, Root=0)
                         for k, (name, into, out, _, _) in enumerate(rows)] for rank in WORLD}
        found = self.ask({**events, 3: [self.BESIDE]}, "--bound", "0ps", world=8)
        ops = {op["process_group"].split()[0]: op for op in found["ops"]}
        for k, (name, _, _, payload, share) in enumerate(rows):
            with self.subTest(name=name, k=k):
                op = ops[str(k)]
                rate = None if payload is None else Fraction(payload * 10**12, 10 * US)
                self.check([op["payload_bytes"], op["moving_ps"], op["sized_groups"], op["algorithm_bytes_per_s"], op["bus_bytes_per_s"]],
                           [None] * 2 + [0, None, None] if payload is None else [payload, 10 * US, 1, rate, rate * share])

    def test_sizes_of_some_calls(self):
        """Calls without a size, or whose members do not agree, count neither in bytes nor in time; nor what took no time."""
        sizes = [(10, 10), (10, 20), (0, 0), (5, 5), (7, 7)]
        events = {rank: [call("allreduce", 100 * k, 100 * k + (0 if k == 3 else 10), elements=size[rank]) for k, size in enumerate(sizes)]
                  for rank in (0, 1)}
        op, = self.ask(events, "--bound", "0ps")["ops"]
        self.check([op["groups"], op["sized_groups"], op["payload_bytes"], op["moving_ps"]], [5, 2, 68, 20 * US])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
