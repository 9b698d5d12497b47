#!/usr/bin/env python3
"""Collectives where two of something are alike: programs of one name, ranks of one number, hosts of one name, numbers that come again;
and which of several rows, calls or hosts counts."""
import json
import sys

import hlo
import proto_writer as proto
import truth

US, ZERO_NS = 1_000_000, 1_700_000_000_000_000_000


def kernel(name, start, length, group="0", ranks=(0, 1), number=None):
    """A kernel of NCCL; times in us."""
    more = {} if number is None else {"Seq": number}
    return {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X(ncclDevComm*)", "pid": 0, "tid": 7, "ts": start, "dur": length,
            "args": {"device": 0, "stream": 7, "Collective name": name, "In msg nelems": 10, "Out msg nelems": 10, "dtype": "Float",
                     "Group size": len(ranks), "Process Group Name": group, "Process Group Ranks": json.dumps(list(ranks)), **more}}


class OfRanks(truth.Case):
    def rank(self, rank, events, world=2, file=None, host=None):
        named = {} if host is None else {"host_name": host}
        return self.write(file or f"rank{rank}.pt.trace.json", json.dumps({
            "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world}, **named,
            "baseTimeNanoseconds": ZERO_NS, "traceEvents": events}))

    def ask(self, *given):
        return truth.parsed(truth.run("validate", *given, "--json", "--limit", 0))

    def calls(self, found):
        """(operation, which call, its last start, its skew) by start, us."""
        return sorted(((c["op"], c["call"], c["last_start_ps"] // US, c["arrival_skew_ps"] // US) for c in found["calls"]),
                      key=lambda c: (c[2], c[0]))


class Numbers(OfRanks):
    """Calls with one number belong together; a number that comes again and again is that of a graph, and says nothing."""

    def skews(self, first, second):
        paths = [self.rank(rank, [kernel("allreduce", 1_000 * (i + 1), 100, number=n) for i, n in enumerate(numbers)])
                 for rank, numbers in enumerate((first, second))]
        return [skew for _, _, _, skew in self.calls(self.ask(*paths, "--bound", "1ns"))]

    def test_numbers_in_another_order(self):
        self.check(sorted(self.skews((5, 6, 7, 8), (6, 5, 7, 8))), [0, 0, 1_000, 1_000])

    def test_some_come_again(self):
        """Three of four are different. Several kernels of one number are one call, from the first of them on."""
        self.check(sorted(self.skews((5, 6, 7, 5), (6, 5, 7, 5))), [0, 1_000, 1_000])

    def test_half_of_them_come_again(self):
        self.check(sorted(self.skews((5, 5, 6, 6), (5, 6, 5, 6))), [0, 1_000])

    def test_most_of_them_come_again(self):
        self.check(self.skews((5, 5, 5, 5, 6), (5, 5, 6, 5, 5)), [0, 0, 0, 0, 0])


class Irregular(OfRanks):
    KEYS = ("kind", "op", "process_group", "call", "call_start_ps", "node", "device", "rank", "count", "of_count", "evidence")

    def rows(self, found, kind):
        return [{key: row[key] for key in self.KEYS} for row in found["irregularities"] if row["kind"] == kind]

    ORDERS = ("allreduce _allgather_base broadcast allreduce _allgather_base broadcast allreduce".split(),
              "allreduce broadcast _allgather_base allreduce _allgather_base broadcast allreduce".split())

    def orders(self):
        return [self.rank(rank, [kernel(name, 1_000 * (i + 1), 100, group="1") for i, name in enumerate(names)])
                for rank, names in enumerate(self.ORDERS)]

    def test_of_two_the_second_differs_from_the_first(self):
        found = self.ask(*self.orders(), "--bound", "1ns")
        self.check(self.rows(found, "order"), [{
            "kind": "order", "op": "broadcast", "process_group": "", "call": 0, "call_start_ps": 2_000 * US, "node": "1", "device": 0,
            "rank": "1", "count": 1, "of_count": 2,
            "evidence": "order differs at call 1: broadcast before _allgather_base, unlike 1 of 1 device of its groups that make the "
                        "same calls"}])

    def test_an_order_outside_of_the_window(self):
        paths = self.orders()
        for window, shown in ((":1500us", 0), ("3900us:", 0), ("1900us:3900us", 1)):
            found = self.ask(*paths, "--bound", "1ns", "--time", window)
            self.check(len(self.rows(found, "order")), shown)

    def absent(self, calls, begins, ends):
        """Ranks 0 and 1 make all calls (name, start); rank 2 those that start within [begins, ends]."""
        everyone = (0, 1, 2)
        numbers = {}
        events = []
        for name, start in calls:
            numbers[name] = numbers.get(name, 0) + 1
            events.append(kernel(name, start, 100, group=name, ranks=everyone, number=numbers[name]))
        paths = [self.rank(rank, [e for e in events if rank < 2 or begins <= e["ts"] <= ends], world=3) for rank in everyone]
        return self.ask(*paths, "--bound", "1ns")

    CALLS = (("broadcast", 1_000), ("allreduce", 2_000), ("_allgather_base", 3_000), ("allreduce", 4_000), ("broadcast", 5_000),
             ("_allgather_base", 6_000), ("allreduce", 7_000), ("broadcast", 8_000), ("_allgather_base", 9_000), ("allreduce", 10_000))

    def test_who_comes_late_to_several_operations(self):
        """The first of all calls that it was not there for, whatever the operation, and how many."""
        self.check(self.rows(self.absent(self.CALLS, 4_000, 99_000), "late"), [{
            "kind": "late", "op": "broadcast", "process_group": "", "call": 0, "call_start_ps": 1_000 * US, "node": "2", "device": 0,
            "rank": "2", "count": 3, "of_count": 3,
            "evidence": "its first collective comes after 3 calls of its groups that other members ran"}])

    def test_who_stops_before_several_operations(self):
        self.check(self.rows(self.absent(self.CALLS, 0, 7_000), "stopped"), [{
            "kind": "stopped", "op": "broadcast", "process_group": "", "call": 2, "call_start_ps": 8_000 * US, "node": "2", "device": 0,
            "rank": "2", "count": 3, "of_count": 3,
            "evidence": "its last collective comes before 3 calls of its groups that other members ran"}])


class Hosts(OfRanks):
    def test_files_of_one_rank(self):
        """They are one node: the host is what the first that names it says."""
        events = [kernel("allreduce", 1_000, 100)]
        paths = [self.rank(0, events, file="a.json"), self.rank(0, events, file="b.json", host="ada"),
                 self.rank(0, events, file="c.json", host="bob"), self.rank(1, events, host="cleo")]
        found = self.ask(*paths)
        self.check([(n["id"], n["hostname"]) for n in found["nodes"]], [("0", "ada"), ("1", "cleo")])


    def test_merged_files_of_one_rank(self):
        """A merge made two nodes of them, and that counts."""
        paths = [self.rank(0, [kernel("allreduce", 1_000, 100)], file=f"{host}.json", host=host) for host in ("ada", "bob")]
        truth.run("merge", *paths, "--no-correction", "-o", self.scratch / "merged.json")
        found = self.ask(self.scratch / "merged.json")
        self.check([(n["id"], n["hostname"]) for n in found["nodes"]], [("0", "ada"), ("1", "bob")])
        self.check([(o["name"], o["groups"]) for o in found["ops"]], [("allreduce", 1)])

    def test_hosts_without_a_name(self):
        """One name is one clock, and times of one clock can be compared; but not the name that every host has which has none."""
        for names, known in ((("ada", "ada"), True), (("ada", "bob"), False), (("localhost", "localhost"), False),
                             (("localhost.localdomain", "localhost.localdomain"), False), (("localhost:1", "localhost:1"), False),
                             (("my.localhost", "my.localhost"), True)):
            paths = [self.rank(rank, [kernel("allreduce", 1_000 + rank, 100)], host=name) for rank, name in enumerate(names)]
            with self.subTest(names):
                self.check([c["span_ps"] for c in self.ask(*paths)["calls"]], [101 * US if known else None])


class Programs(truth.Case):
    """What a program says of a collective: by the number of the program, else by its name."""

    def program(self, number, elements, name="jit_a"):
        array = hlo.shape(hlo.F32, [elements])
        return f"{name}({number})", hlo.module(name, number, hlo.replicas_on(0, 1), hlo.computation(1, "main", hlo.instruction(
            1, "all-reduce.1", "all-reduce", array, more=hlo.replica_groups([0, 1]))))

    def device(self, node, number, module="jit_a"):
        plane = proto.Plane(f"/device:GPU:{64 * node}", 64 * node, first_event_id=5, first_stat_id=11)
        plane.own_stat("node_id", node)
        stats = [("hlo_op", proto.Ref("all-reduce.1")), ("hlo_module", proto.Ref(module))]
        stats += [] if number is None else [("program_id", proto.Uint(number))]
        plane.line("Stream #7(Kernel)", ZERO_NS, [
            plane.event("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1_000 * US + node, 500 * US, stats)], line_id=7)
        return plane

    def programs(self, programs):
        metadata = proto.Plane("/host:metadata", 1_000_000)
        for title, module in programs:
            metadata.event_metadata(title, stats=[("Hlo Proto", module)])
        return metadata

    def start(self):
        start = proto.Plane("Task Environment")
        start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        return start

    def ask(self, programs, module="jit_a", number=None):
        planes = [self.device(0, number, module), self.device(1, number, module), self.programs(programs), self.start()]
        found = truth.parsed(truth.run("validate", self.write("a.xplane.pb", proto.xspace(planes)), "--json"))
        return [(op["process_group"], op["groups"], op["payload_bytes"]) for op in found["ops"]]

    def test_two_programs_of_one_name(self):
        """Without the number either may be meant: how much it moves is known where both say the same."""
        for first, second, expected in ((1_000, 1_000, 4_000), (1_000, 10, None), (10, 1_000, None)):
            self.check(self.ask([self.program(7, first), self.program(8, second)]), [("", 1, expected)])

    def test_the_number_counts_before_the_name(self):
        programs = [self.program(7, 1_000), self.program(8, 10, name="jit_b")]
        self.check(self.ask(programs, "jit_a", 7), [("", 1, 4_000)])
        self.check(self.ask(programs, "jit_a", 8), [("", 1, 40)])
        self.check(self.ask(programs, "jit_b", 9), [("", 1, 40)])

    def test_programs_of_two_files(self):
        """Each file has its own, though names and numbers are alike: what they say of a size may differ."""
        for second, expected in ((1_000, 4_000), (10, None)):
            paths = []
            for node, elements in ((0, 1_000), (1, second)):
                plane, start = self.device(node, 7), self.start()
                paths.append(self.write(f"{node}/a.xplane.pb", proto.xspace([plane, self.programs([self.program(7, elements)]), start])))
            found = truth.parsed(truth.run("validate", *paths, "--json"))
            self.check([(op["process_group"], op["groups"], op["payload_bytes"]) for op in found["ops"]], [("", 1, expected)])

    def ends(self, *lines):
        """The calls of two TPUs that both ran these events (name, start, length) on lines of ops, us."""
        planes = []
        for node in (0, 1):
            plane = proto.Plane("/device:TPU:0", 64 * node, first_event_id=5, first_stat_id=11)
            plane.own_stat("node_id", node)
            for line, events in enumerate(lines, 1):
                plane.line("XLA Ops", ZERO_NS, [plane.event(name, at * US, length * US) for name, at, length in events], line_id=line)
            planes.append(plane)
        path = self.write("a.xplane.pb", proto.xspace([*planes, self.start()]))
        found = truth.parsed(truth.run("validate", path, "--bound", "1ns", "--json"))
        return sorted((c["op"], c["last_start_ps"] // US, c["last_start_ps"] // US + c["span_ps"] // US) for c in found["calls"])

    def test_an_end_on_another_line(self):
        """A start without an end on its line ends by itself: the end of another line is not its own."""
        self.check(self.ends([("all-reduce-start.1", 1_000, 10)], [("all-reduce-done.1", 2_000, 10)]),
                   [("all-reduce-start.1", 1_000, 1_010)])

    def test_ends_of_several(self):
        """Of several that run at a time each has the end of its number; where none has it, who began first ends first."""
        self.check(self.ends([("all-reduce-start.1", 1_000, 10), ("all-reduce-start.2", 2_000, 10), ("all-gather-start.1", 2_500, 10),
                              ("all-reduce-done.1", 3_000, 10), ("all-gather-done.1", 3_500, 10), ("all-reduce-done.2", 4_000, 10)]),
                   [("all-gather-start.1", 2_500, 3_510), ("all-reduce-start.1", 1_000, 3_010), ("all-reduce-start.2", 2_000, 4_010)])
        self.check(self.ends([("all-reduce-start.1", 1_000, 10), ("all-reduce-start.2", 2_000, 10),
                              ("all-reduce-done.8", 3_000, 10), ("all-reduce-done.9", 4_000, 10)]),
                   [("all-reduce-start.1", 1_000, 3_010), ("all-reduce-start.2", 2_000, 4_010)])
        # The first never ended.
        self.check(self.ends([("all-reduce-start.1", 1_000, 10), ("all-reduce-start.1", 2_000, 10), ("all-reduce-done.1", 3_000, 10)]),
                   [("all-reduce-start.1", 1_000, 1_010), ("all-reduce-start.1", 2_000, 3_010)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
