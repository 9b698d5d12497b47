#!/usr/bin/env python3
"""Collectives across nodes, one question each: which executions belong together, which plane is which node, roots that
are told within the errors of clocks, the two ends of asynchronous operations."""
import json
import pathlib
import re
import sys

import ascend
import proto_writer as proto
import truth
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "collectives"))
import cluster_model  # noqa: E402
from ranks import RanksCase, call
from test_validate import US, ZERO_NS, Call, Clock, clock_plane_of, trace

UNIX = 1_764_246_877_000_000_000  # ns
WIDE = [(-5 * US, 900 * US, 1_000, 7, 0)]


def members_of(csv):
    """Of each row of the CSV table: name, number and the starts in ns, an empty text where a node took no part."""
    rows = [line.split(",") for line in csv.splitlines()[1:]]
    return [(row[1], int(row[2]), row[5::2]) for row in rows]


class Matching(truth.Case):
    def test_steps_that_are_all_alike(self):
        """Each of ten calls, 10 us apart, would fit the one before as well: the clocks are believed, which are in step."""
        paths = []
        for node in (0, 1):
            clock = Clock(node, f"host{node}", [])
            rows = [Call("all-reduce.1", "jit_a", 0, node, i, 10 * i * US, 10 * i * US + US, i) for i in range(10)]
            space = trace(rows, [clock]).replace(clock_plane_of(clock), b"")
            paths.append(self.write(f"t{node}.xplane.pb", space))
        for asked in (paths, paths[::-1]):
            found = truth.parsed(truth.run("validate", *asked, "--json"))
            self.assertEqual([w["kind"] for w in found["warning_list"]], ["clocks_uncorrected"])
            self.assertEqual((found["gap_count"], found["overlaps"]), (10, 10))
            told = members_of(truth.run("validate", *asked, "--csv", "-"))
            starts = [f"{10_000 * i}.000" for i in range(10)]
            self.assertEqual(told, [("all-reduce.1", i, [at, at]) for i, at in enumerate(starts)])

    def test_steps_that_are_all_alike_of_which_one_lacks_an_end(self):
        """Nine executions fit the first nine as well as the last nine: again the clocks are believed."""
        for lacks in (0, 9):
            paths = []
            for node in (0, 1):
                clock = Clock(node, f"host{node}", [])
                rows = [Call("all-reduce.1", "jit_a", 0, node, i, 10 * i * US, 10 * i * US + US, i)
                        for i in range(10) if node == 0 or i != lacks]
                space = trace(rows, [clock]).replace(clock_plane_of(clock), b"")
                paths.append(self.write(f"t{node}.xplane.pb", space))
            told = members_of(truth.run("validate", *paths, "--csv", "-"))
            starts = [f"{10_000 * i}.000" for i in range(10) if i != lacks]
            self.assertEqual(told, [("all-reduce.1", i, [at, at]) for i, at in enumerate(starts)], lacks)

    def test_one_that_begins_after_the_first_end(self):
        """Executions on a node are at least 60 us apart: what begins 30 us or more after the first, when one member is
        through, is of the next invocation, though another member still runs."""
        for late_us, joined in ((29.999, True), (30, False), (50, False)):
            late = int(late_us * US)
            rows = [Call("all-reduce.1", "jit_a", 0, node, None, start, end, -1) for node, start, end in (
                (0, 0, 10 * US), (1, US, 100 * US), (2, late, 70 * US), (0, 60 * US, 90 * US))]
            clocks = [Clock(n, f"host{n}", WIDE) for n in range(3)]
            path = self.write("late.xplane.pb", trace(rows, clocks))
            at = f"{late // 1000}.{late % 1000:03}"
            first = ["0.000", "1000.000", at if joined else ""]
            # The second of node 0 has a partner only in what is not of the first.
            expected = [("all-reduce.1", 0, first)] + ([] if joined else [("all-reduce.1", 1, ["60000.000", "", at])])
            self.assertEqual(members_of(truth.run("validate", path, "--csv", "-")), expected, late_us)

    def test_origins_of_traces(self):
        """Times count from the earliest origin, whichever trace it is of."""
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
            paths = []
            for node in order:
                clock = Clock(node, f"host{node}", [])
                rows = [Call("all-reduce.1", "jit_a", 0, node, 0, 5 * US, 9 * US, 1, run=1)]
                space = trace(rows, [clock]).replace(clock_plane_of(clock), b"")
                paths.append(self.write(f"o{node}.xplane.pb", self.moved(space, node, {0: 20_000, 1: 0, 2: 5_000}[node])))
            found = truth.parsed(truth.run("validate", *paths, "--json"))
            self.assertEqual(found["origin_unix_ns"], str(ZERO_NS))
            self.assertEqual([(m["node"], m["start_ps"], m["end_ps"]) for m in found["details"][0]["members"]],
                             [("0", 25 * US, 29 * US), ("1", 5 * US, 9 * US), ("2", 10 * US, 14 * US)])

    @staticmethod
    def moved(space, node, ns):
        """The same trace, `ns` later: where it begins, and its line, which `trace` lets begin some ns before."""
        for at_ns in (ZERO_NS, ZERO_NS - 3 - 100 * node):
            space = space.replace(proto.varint(at_ns), proto.varint(at_ns + ns))
        return space


class Overlapping(truth.Case):
    def test_executions_of_one_node_are_never_one_invocation(self):
        """Two that overlap on a node: each belongs with another of the other node."""
        clocks = [Clock(n, f"host{n}", [(0, 90 * US, 1_000, 9, 0)]) for n in range(2)]
        rows = [Call("all-reduce.1", "jit_a", 0, node, which, start * US, end * US, which)
                for which, node, start, end in ((0, 0, 0, 10), (0, 1, 1, 10), (1, 0, 5, 15), (1, 1, 6, 15))]
        path = self.write("two.xplane.pb", trace(rows, clocks))
        found = truth.parsed(truth.run("validate", path, "--json"))
        self.assertEqual([(o["groups"], o["violations"]) for o in found["ops"]], [(2, 0)])
        csv = self.scratch / "rows.csv"
        truth.run("validate", path, "--csv", csv)
        starts = [row[2] for row in members_of(csv.read_text())]
        self.assertEqual([[int(s.split(".")[0]) % 100_000 // 1_000 for s in row] for row in starts], [[0, 1], [5, 6]])


class SendsAndReceives(truth.Case):
    def test_which_belong_together(self):
        """The n-th send of a program and its n-th recv, by number; another program has its own."""
        rows = [Call(f"{kind}.{number}", module, 0, node, 0, start * US, (start + 1) * US, number)
                for module, numbers in (("jit_a", ((9, 20), (10, 21), (100, 22))), ("jit_b", ((10, 9),)))
                for start, (send, recv) in enumerate(numbers, 10 if module == "jit_b" else 1)
                for kind, number, node in (("send", send, 0), ("recv", recv, 1))]
        path = self.write("sends.xplane.pb", trace(rows, [Clock(n, f"host{n}", WIDE) for n in (0, 1)],
                                                   "ncclDevKernel_SendRecv"))
        found = truth.parsed(truth.run("validate", path, "--json"))
        self.assertEqual(sorted((o["module"], o["name"]) for o in found["ops"]),
                         [("jit_a", "send.10, recv.21"), ("jit_a", "send.100, recv.22"), ("jit_a", "send.9, recv.20"),
                          ("jit_b", "send.10, recv.9")])


class Lonely(truth.Case):
    def test_members_of_a_group_may_be_elsewhere(self):
        """Ranks 0 and 2 of four: that rank 0 alone ran what is of group [0, 1] says nothing; that it ran alone what is
        of everyone does."""
        paths = []
        for rank, half in ((0, "[0, 1]"), (2, "[2, 3]")):
            rows = [("allreduce", "dp", half, 2), ("alltoall", "world", "[0, 1, 2, 3]", 4),
                    ("all_to_allv", "world", "[0, 1, 2, 3]", 4)]
            rows += [("_allgather_base", "world", "[0, 1, 2, 3]", 4)] if rank == 0 else []
            events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X", "pid": 0, "tid": 7, "ts": 1000 * i,
                       "dur": 9, "args": {"device": 0, "stream": 7, "Collective name": name, "Group size": size,
                                "Process Group Name": group, "Process Group Ranks": ranks}}
                      for i, (name, group, ranks, size) in enumerate(rows, 1)]
            paths.append(self.write(f"rank{rank}.json", json.dumps({
                "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
                "baseTimeNanoseconds": ZERO_NS, "traceEvents": events})))
        found = truth.parsed(truth.run("validate", *paths, "--json"))
        # Shares of an all-to-all that are not equal may leave pairs out.
        self.assertEqual([(o["name"], o["groups"], o["semantics"]) for o in found["ops"]],
                         [("all_to_allv", 1, "point_to_point"), ("alltoall", 1, "barrier")])
        self.assertEqual([(w["op"], w["node"], w["count"]) for w in found["warning_list"] if w["kind"] == "one_node"],
                         [("_allgather_base", "0", 1)])


class Screen(truth.Case):
    """Two ranks, whose times may be wrong by 1 us each."""

    def ranks(self, *calls):
        """calls: name, and of both ranks start and end in us"""
        paths = []
        for rank in (0, 1):
            events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X", "pid": 0, "tid": 7, "ts": spans[rank][0],
                       "dur": spans[rank][1] - spans[rank][0], "args": {
                           "device": 0, "stream": 7, "Collective name": name, "Group size": 2, "Process Group Name": "world",
                           "Process Group Ranks": "[0, 1]"}} for name, *spans in calls]
            paths.append(self.write(f"rank{rank}.json", json.dumps({
                "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
                "baseTimeNanoseconds": ZERO_NS, "traceEvents": events})))
        return paths

    def test_what_costs_most_comes_first(self):
        """Violations first; then what was waited for in all, however often: five times 3 us are more than 10 us once."""
        paths = self.ranks(("_allgather_base", (100, 130), (110, 130)), *(("allreduce", (at, at + 10), (at + 3, at + 10))
                                                                          for at in range(200, 700, 100)),
                           ("broadcast", (1_000, 1_020), (1_001, 1_020)), ("broadcast", (1_100, 1_120), (1_101, 1_120)),
                           ("reduce", (1_200, 1_220), (1_200, 1_220)), ("reduce_scatter", (1_300, 1_301), (1_305, 1_306)))
        screen = truth.run("validate", *paths, "--bound", "1us").splitlines()
        at = screen.index("Collectives")
        columns = [re.split("  +", line.strip()) for line in screen[at + 1:at + 7]]
        self.assertEqual(columns[0], ["collective", "times", "violations", "arrival skew", "transfer", "time goes to", "last to come"])
        self.assertEqual([row[:5] for row in columns[1:]], [
            ["reduce_scatter", "1", "1", "5.000 us", "0 ps"], ["allreduce", "5", "0", "3.000 us", "7.000 us"],
            ["_allgather_base", "1", "0", "10.000 us", "20.000 us"], ["broadcast", "2", "0", "1.000 us", "19.000 us"],
            ["reduce", "1", "0", "0 ps", "20.000 us"]])
        # Of those whose order is unknown the first of the list is named.
        self.assertEqual(screen[at + 7].strip(), "not judged: 3 of broadcast and 1 more operation: the trace does not say who is the root")
        few = truth.run("validate", *paths, "--bound", "1us", "--limit", "2").splitlines()
        self.assertEqual([re.split("  +", line.strip()) for line in few[at + 1:at + 4]], columns[:3])
        self.assertEqual(few[at + 4].strip(), "… 3 more (--limit 0 shows all)")

    def test_a_clock_that_disagrees_with_the_snapshots(self):
        """That is said even of one that collectives hardly bound: node 2 begins 4.1 ns after node 0 has ended."""
        clocks = [Clock(0, "host0", [(0, 90 * US, 1_000, 9, 0)]), Clock(2, "host2", [(0, 90 * US, 3_000, 9, 0)])]
        for late, remark in ((4_100, "disagrees with the snapshots"), (3_900, "undecidable (over 1.000 ns)")):
            rows = [Call("all-reduce.1", "jit_a", 0, node, 0, *span, 0)
                    for node, span in ((0, (490_000, 500_000 - late)), (2, (500_000, 500_400)))]
            asked = ["validate", self.write("two.xplane.pb", trace(rows, clocks)), "--align", "collectives", "--max-bound", "1ns"]
            node = truth.parsed(truth.run(*asked, "--json"))["alignment"]["nodes"][1]
            self.assertEqual((node["id"], node["decidable"], node["agrees_with_snapshots"]), ("2", False, late == 3_900))
            row = re.split("  +", truth.run(*asked).splitlines()[-1].strip())
            self.assertEqual((row[0], row[-1]), ("2", remark))


class Planes(truth.Case):
    def nodes_of(self, ids):
        """Node and device of each plane: each runs an operation of its own device with the others."""
        planes = []
        for key in ids:
            plane = proto.Plane(f"/device:GPU:{key}", key)
            plane.line("Stream #1", 0, [plane.event("nccl", 0, US, [("hlo_op", "all-reduce.1"),
                                                                    ("correlation_id", key)])])
            planes.append(plane)
        path = self.write("ids.xplane.pb", proto.xspace(planes))
        found = truth.parsed(truth.run("validate", path, "--json"))
        return ([(n["id"], n["devices"], n["collectives"]) for n in found["nodes"]],
                [(o["device"], o["groups"]) for o in found["ops"]])

    def test_ids_of_planes(self):
        # Ids of 100 and more alone: of nodes of 64 devices each from 100 on; from 10,000 on they are hosts.
        self.assertEqual(self.nodes_of([100, 101, 163, 164, 165, 227, 228, 9999, 10_000]),
                         ([("0", 3, 3), ("1", 3, 3), ("2", 1, 1), ("154", 1, 1)], [(0, 1), (1, 1), (63, 1)]))
        # One below: from 0 on.
        self.assertEqual(self.nodes_of([0, 63, 64, 99, 100, 128, 163]),
                         ([("0", 2, 2), ("1", 3, 3), ("2", 2, 2)], [(0, 1), (35, 1)]))


    def test_files_beside_each_other(self):
        """A node that is alone in its file is numbered by it, nodes of one file by their planes."""
        def file_of(name, ids):
            planes = []
            for key in ids:
                planes.append(proto.Plane(f"/device:GPU:{key}", key))
                planes[-1].line("Stream #1", 0, [planes[-1].event("nccl", 0, US, [("hlo_op", "all-reduce.1")])])
            self.write(f"plugins/profile/r/{name}.xplane.pb", proto.xspace(planes))
        file_of("a", [228, 292])  # nodes 2 and 3
        file_of("b", [0])
        file_of("c", [0])
        found = truth.parsed(truth.run("validate", self.scratch, "--json"))
        self.assertEqual([n["id"] for n in found["nodes"]], ["1", "2", "3", "4"])

    def test_a_plane_that_says_its_node_beside_one_that_does_not(self):
        """The second is of the node that its id tells: 64 ids a node."""
        planes = []
        for key, told in ((3, 5), (128, None)):
            plane = proto.Plane(f"/device:GPU:{key}", key)
            if told is not None:
                plane.own_stat("node_id", told)
            plane.line("Stream #1", 0, [plane.event("nccl", 0, US, [("hlo_op", "all-reduce.1")])])
            planes.append(plane)
        found = truth.parsed(truth.run("validate", self.write("ids.xplane.pb", proto.xspace(planes)), "--json"))
        self.assertEqual([n["id"] for n in found["nodes"]], ["2", "5"])

    def test_one_node_alone(self):
        """There is nothing to compare it with; a second trace that cannot be read makes the answer one of a part."""
        clock = Clock(0, "host0", [])
        space = trace([Call("all-reduce.1", "jit_a", 0, 0, 0, 0, US, 1)], [clock]).replace(clock_plane_of(clock), b"")
        path = self.write("alone.xplane.pb", space)
        found = truth.parsed(truth.run("validate", path, "--json"))
        self.assertEqual((found["status"], found["reason"]),
                         ("absent", "all collectives are of one node: there is nothing to compare them with"))
        found = truth.parsed(truth.run("validate", path, self.scratch / "missing", "--json", status=5))
        self.assertEqual((found["status"], len(found["nodes"])), ("partial", 1))


class Damaged(RanksCase):
    def test_a_trace_that_is_cut(self):
        """What came before counts; where it is cut is said, by number and path of the trace."""
        paths = [self.rank(rank, [call("allreduce", 100 * k + rank, 100 * k + 10) for k in range(5)]) for rank in (0, 1)]
        text = paths[1].read_text()
        last = text.rindex('{"ph"')
        paths[1].write_text(text[:last + 40])
        for given, cut in ((paths, 1), (paths[::-1], 0)):
            found = truth.parsed(truth.run("validate", *given, "--json", "--bound", "0ps", status=5))
            self.assertEqual((found["status"], [op["groups"] for op in found["ops"]]), ("partial", [4]))
            self.assertEqual([(d["file"], d["path"], d["byte_offset"]) for d in found["damage"]], [(cut, str(paths[1]), last + 40)])
            truth.run("validate", *given, status=5)


class Roots(truth.Case):
    bounds = [Clock(n, f"host{n}", [(0, 90 * US, 1_000 * (n + 1), 9, 0)]) for n in range(3)]

    def counts(self, invocations):
        rows = [Call("collective-broadcast.2", "jit_a", 0, n, i, i * 5 * US + US + a, i * 5 * US + US + b, i)
                for i, members in enumerate(invocations) for n, (a, b) in members.items()]
        path = self.write("rooted.xplane.pb", trace(rows, self.bounds, "ncclDevKernel_Broadcast_RING_LL"))
        found = truth.parsed(truth.run("validate", path, "--json"))
        return (found["violations"], found["violations_raw"], found["unjudged"], found["overlaps"])

    def test_within_the_errors_a_root_is_not_contradicted(self):
        """Three times node 1 begins 4 ns after node 2 ended, and both clocks may be wrong by 5 ns together. Once nobody
        but node 1 can be the root."""
        within = {0: (0, 900_000), 1: (504_000, 900_000), 2: (0, 500_000)}
        only_1 = {0: (600_000, 900_000), 1: (0, 500_000), 2: (600_000, 900_000)}
        self.assertEqual(self.counts([within] * 3 + [only_1]), (0, 4, 0, 1))
        # To the last picosecond, and one more: then node 0 fits best, and node 1 is late for it once.
        within[1] = (505_000, 900_000)
        self.assertEqual(self.counts([within] * 3 + [only_1])[0], 0)
        within[1] = (505_001, 900_000)
        self.assertNotEqual(self.counts([within] * 3 + [only_1])[0], 0)

    def test_who_was_there_seldom(self):
        """Node 2 took part once, and is not contradicted. Node 1 is once, of four times: it is the root."""
        only_1 = {0: (600_000, 900_000), 1: (0, 500_000)}
        not_1 = {0: (0, 500_000), 1: (600_000, 900_000), 2: (0, 900_000)}
        self.assertEqual(self.counts([only_1, only_1, not_1, only_1]), (1, 4, 0, 3))


class AscendRanks(truth.Case):
    """Ranks of Ascend are nodes, and HCCL's name of an operation says in which group it ran."""

    def ranks(self, *rows):
        """rows: (rank, group, number in the group, start, end), all in us"""
        for rank in sorted({row[0] for row in rows}):
            of = ascend.Rank(0)
            of.kernel(0, "aclnnAdd", "Add", "AI_VECTOR_CORE", UNIX, 5_000)
            for _, group, number, start, end in (row for row in rows if row[0] == rank):
                of.kernel(0, f"hcom_allReduce__{group}_{number}_1", "hcom_allReduce_", "HCCL", UNIX + start * 1_000,
                          (end - start) * 1_000, stream=None)
            self.write(f"rank_{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", of.table().encode())
        return self.scratch

    def test_groups(self):
        capture = self.ranks((0, 123, 0, 100, 200), (1, 123, 0, 110, 200),
                             (2, 456, 0, 100, 200), (3, 456, 0, 450, 500),  # a pair out of order: it ends before
                             *((rank, 777, 1, 1_000 + rank, 1_100) for rank in range(4)))
        found = truth.parsed(truth.run("validate", capture, "--json"))
        self.assertEqual([(n["hostname"], n["devices"], n["collectives"]) for n in found["nodes"]],
                         [(f"rank_{rank}_ascend_pt", 1, 2) for rank in range(4)])
        self.assertEqual([(o["name"], o["process_group"], o["groups"], o["violations"]) for o in found["ops"]],
                         [("hcom_allReduce_", "123", 1, 0), ("hcom_allReduce_", "456", 1, 1),
                          ("hcom_allReduce_", "777", 1, 0)])
        self.assertEqual([[m["node"] for m in d["members"]] for d in found["details"]], [["2", "3"]])
        self.assertTrue(any("the same group number" in text for text in found["assumptions"]))
        said = truth.parsed(truth.run("report", capture, "--json"))["summary"]["across_nodes"]
        self.assertEqual(said[0], "3 collectives compared across 4 nodes: 1 violation, which may be clock skew: the clocks were "
                         "not corrected")

    def test_names_of_groups(self):
        """Of two groups whose names end in the same digits communication.json tells which is which."""
        capture = self.ranks((0, 123, 0, 100, 200), (1, 123, 0, 110, 200), (2, 123, 0, 500, 600), (3, 123, 0, 510, 600))
        for rank in range(4):
            times = {"Start Timestamp(us)": UNIX // 1_000, "Elapse Time(ms)": 0.1}
            self.write(f"rank_{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json", json.dumps({"step": {
                "p2p": {}, "collective": {f"hcom_allReduce__123_0_1@{rank // 2}1123": {
                    "Communication Time Info": times}}}}).encode())
        found = truth.parsed(truth.run("validate", capture, "--json"))
        self.assertEqual([(o["process_group"], o["groups"], o["violations"]) for o in found["ops"]],
                         [("01123", 1, 0), ("11123", 1, 0)])
        self.assertFalse(any("the same group number" in text for text in found["assumptions"]))

    def test_one_rank(self):
        capture = self.ranks((0, 123, 0, 100, 200))
        found = truth.parsed(truth.run("validate", capture, "--json"))
        self.assertEqual((found["status"], found["reason"]),
                         ("absent", "all collectives are of one node: there is nothing to compare them with"))


class Asynchronous(truth.Case):
    """The two ends on a line of instructions are one operation; where a line shows it whole, that one counts."""

    def found(self, rows, with_async):
        """`rows`: of each node events (name, start, end) on the line of instructions."""
        planes = []
        for node, events in rows.items():
            plane = proto.Plane("/device:TPU:0", 64 * node)
            plane.own_stat("node_id", node)
            plane.line("XLA Ops", ZERO_NS, [plane.event(name, start, end - start) for name, start, end in events], 1)
            if with_async:
                plane.line("Async XLA Ops", ZERO_NS, [plane.event("all-gather-start.1", 2_000 + node, 7_000)], 2)
            planes.append(plane)
        start = proto.Plane("Task Environment")
        start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        path = self.write("async.xplane.pb", proto.xspace(
            [*planes, *(Clock(n, f"host{n}", WIDE).plane() for n in rows), start]))
        found = truth.parsed(truth.run("validate", path, "--json"))
        self.assertEqual([n["collectives"] for n in found["nodes"]],
                         [1 if with_async else sum("start" in name for name, _, _ in events)
                          for events in rows.values()])
        return found

    def test_two_ends(self):
        """Node 0 issues at 1 ns and is done at 9 ns; node 1 begins 1 ps before, or as, that ends."""
        for begin, overlaps in ((8_999, 1), (9_000, 0)):
            rows = {0: [("all-gather-start.1", 1_000, 1_100), ("fusion.1", 1_100, 8_000),
                        ("all-gather-done.1", 8_000, 9_000)],
                    1: [("all-gather-start.1", begin, begin + 100), ("all-gather-done.1", 20_000, 30_000)]}
            found = self.found(rows, False)
            self.assertEqual((found["overlaps"], found["violations_raw"]), (overlaps, 1 - overlaps), begin)
            self.assertEqual([(o["name"], o["groups"]) for o in found["ops"]], [("all-gather-start.1", 1)])
            for told in found["details"]:
                self.assertEqual([(m["start_ps"], m["end_ps"]) for m in told["members"]],
                                 [(1_000, 9_000), (9_000, 30_000)])

    def test_an_end_without_a_beginning(self):
        rows = {n: [("all-gather-done.1", 500, 900), ("all-gather-start.1", 1_000, 1_100),
                    ("all-gather-done.1", 8_000, 9_000), ("all-gather-done.1", 10_000, 11_000)] for n in (0, 1)}
        self.assertEqual([(o["name"], o["groups"], o["mean_transfer_ps"]) for o in self.found(rows, False)["ops"]],
                         [("all-gather-start.1", 1, 8_000)])

    def test_a_line_that_shows_it_whole(self):
        rows = {n: [("all-gather-start.1", 1_000, 1_100), ("all-gather-done.1", 8_000, 9_000)] for n in (0, 1)}
        found = self.found(rows, True)
        self.assertEqual([(o["name"], o["groups"], o["most_arrival_skew_ps"], o["mean_transfer_ps"])
                          for o in found["ops"]], [("all-gather-start.1", 1, 1, 6_999)])


class ReportOfGroups(truth.Case):
    """Nothing is known of the clocks: between nodes data moves as long as the shortest execution of a collective for which everybody
    waits."""

    def test_what_it_says_of_process_groups(self):
        for seed in range(1, 7):
            cluster = cluster_model.Cluster(f"{seed}.0", "straggler")
            if cluster.nodes == 1:
                continue
            folder = self.scratch / str(seed)
            cluster.write_xspace(folder)
            said = truth.parsed(truth.run("report", folder, "--json"))["summary"]["across_nodes"]
            late, moved = cluster.straggler, {}
            for call in cluster.calls:
                one_node = len({rank // cluster.gpus for rank in call["seen"]}) == 1
                if len(call["seen"]) > 1 and (one_node or call["root"] is None):
                    sums = moved.setdefault(call["op"]["kind"], [0, 0])
                    sums[0] += cluster.moves(call)["link_bytes"]
                    sums[1] += cluster.moves(call)["ps"] if one_node else min(end - start for start, end in call["seen"].values())
            most = sorted(moved.items(), key=lambda row: -row[1][1])[:3]
            three = lambda number: f"{number:#.3g}".rstrip(".")
            si = lambda rate: three(rate / 1e9) + " G" if rate >= 1e9 else three(rate / 1e6) + " M"
            rates = [(si(moved / time * 1e12), kind) for kind, (moved, time) in most]
            name = f"{late['op']} [{', '.join(map(str, late['group']))}]" if len(late["group"]) < cluster.world else late["op"]
            with self.subTest(seed):
                irregular = next(text for text in said if text.startswith("irregular"))
                self.assertTrue(irregular.startswith(f"irregular in their process group: 1 straggler; node {late['node']}, device "
                                                     f"{late['rank'] % cluster.gpus}, {name}: "), irregular)
                self.assertEqual([text for text in said if text.startswith("bus")],
                                 ["bus bandwidth: " + ", ".join(f"{rate}B/s in {kind}" for rate, kind in rates)])

    def test_clocks_of_some_nodes(self):
        """What collectives do not bound from both sides is not said to fit."""
        kinds = set()
        for seed in range(12):
            cluster = cluster_model.Cluster(f"{seed}.0", "clocks")
            folder = self.scratch / f"clocks{seed}"
            cluster.write_kineto(folder)
            said = truth.parsed(truth.run("report", folder, "--json"))["summary"]["across_nodes"]
            known = len(cluster.comparable())
            kinds.add(known < cluster.nodes)
            texts = [text for text in said if text.startswith("clocks")]
            with self.subTest(seed):
                if known < cluster.nodes:
                    self.assertEqual(texts, [f"clocks: collectives bound {known * cluster.gpus} of {cluster.world} nodes against the "
                                             "first; nothing is known of the others"])
                else:
                    self.assertRegex(texts[0], "clocks: (up to .* apart|the collectives fit one clock)")
        self.assertEqual(kinds, {True, False})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
