#!/usr/bin/env python3
"""`profkit validate`: which executions are one call, by number, by run, by time; each limit from both sides."""
import sys

import hlo
import proto_writer as proto
import truth
from ranks import US, ZERO_NS, RanksCase, call


class Ranks(RanksCase):
    def starts(self, found, op="allreduce"):
        """Of each call of an operation when its last member began, us."""
        return sorted(c["last_start_ps"] / US for c in found["calls"] if c["op"] == op)

    def test_how_far_apart(self):
        """What begins and ends more than four fifths of a period apart is not one call."""
        for late, groups in ((79, 5), (80, 5), (80.001, 4)):
            times = [0, 100, 200, 300, 400]
            events = {0: [call("allreduce", at, at + 1) for at in times],
                      1: [call("allreduce", at, at + 1) for at in (0, 100, 200 + late, 300, 400)]}
            with self.subTest(late):
                self.check([op["groups"] for op in self.ask(events, "--bound", "0ps")["ops"]], [groups])
        # Where the ends are near, the starts may be far.
        events = {0: [call("allreduce", at, at + 95) for at in times],
                  1: [call("allreduce", at + (90 if at == 200 else 0), at + 95) for at in times]}
        self.check([op["groups"] for op in self.ask(events, "--bound", "0ps")["ops"]], [5])

    def test_who_only_receives(self):
        """Of as many broadcasts each the n-th are one, however late; unless what else they ran says that each lacks another."""
        def events(*lacks, more):
            made = {0: [], 1: []}
            for rank, lacking in zip((0, 1), lacks):
                for slot in range(6):
                    at = 1_000 * slot + (600 if rank else 0)
                    if slot not in lacking:
                        made[rank].append(call("broadcast", at, at + 10, Root=0))
                    made[rank] += [call("allreduce", 1_000 * slot + 700 + 20 * i, 1_000 * slot + 710 + 20 * i) for i in range(more)]
            return made
        groups = lambda found: [op["groups"] for op in found["ops"] if op["name"] == "broadcast"]
        self.check(groups(self.ask(events((), (), more=0), "--bound", "0ps")), [6])
        self.check(groups(self.ask(events((3,), (1,), more=0), "--bound", "0ps")), [5])
        self.check(groups(self.ask(events((3,), (1,), more=1), "--bound", "0ps")), [4])
        self.check(groups(self.ask(events((3,), (1,), more=2), "--bound", "0ps")), [4])

    def test_numbers(self):
        """Numbers are those of a group, and 0 is one: they join over operations, each kernel of a number is part of its call, from the
        first to the last of them."""
        events = {0: [call("allreduce", 0, 10, Seq=0), call("allreduce", 100, 110, Seq=1), call("allreduce", 150, 160, Seq=1),
                      call("allreduce", 300, 310, group="1", Seq=0)],
                  1: [call("allreduce", 105, 115, Seq=0), call("allreduce", 7, 17, Seq=1),
                      call("allreduce", 302, 310, group="1", Seq=0)]}
        events[2] = [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 0, "dur": 1,
                      "args": {"device": 0, "stream": 7}}]
        found = self.ask(events, "--bound", "0ps", world=4)
        self.check([[op["process_group"], op["groups"], op["violations"]] for op in found["ops"]], [["0 [0, 1]", 2, 2], ["1 [0, 1]", 1, 0]])
        self.check([[c["process_group"], c["call"], c["last_start_ps"] // US, c["latest_rank"], c["arrival_skew_ps"] // US,
                     c["span_ps"] // US] for c in found["calls"]], [
            ["0 [0, 1]", 0, 105, "1", 105, 115], ["0 [0, 1]", 1, 100, "0", 93, 153], ["1 [0, 1]", 0, 302, "1", 2, 10]])
        # One kernel without a number: then the order counts.
        del events[0][0]["args"]["Seq"]
        found = self.ask(events, "--bound", "0ps", world=4)
        self.check([[c["process_group"], c["arrival_skew_ps"] // US] for c in found["calls"]], [
            ["0 [0, 1]", 7], ["0 [0, 1]", 5], ["1 [0, 1]", 2]])

    def test_two_groups_of_the_same_ranks(self):
        """Calls of one group are no calls of the other, though they come at the same time; and streams do not matter."""
        events = {rank: [call("allreduce", 100 * k + rank, 100 * k + 10, group=str(k % 2), stream=7 + k % 3) for k in range(6)]
                  for rank in (0, 1)}
        events[2] = [call("allreduce", 10, 20, (2, 3), group="0")]
        found = self.ask(events, "--bound", "0ps", world=4)
        self.check([[op["process_group"], op["groups"]] for op in found["ops"]], [["0 [0, 1]", 3], ["1 [0, 1]", 3]])

    def test_groups_that_are_not_whole(self):
        """Ranks that do not ascend, or are not as many as the group has, are no record of who takes part: the same text is one group."""
        def once(ranks, size, other=None):
            events = {rank: [call("allreduce", rank, 10, ranks if rank == 0 or other is None else other)] for rank in (0, 1)}
            for each in events.values():
                each[0]["args"]["Group size"] = size
            found = self.ask(events, "--bound", "0ps", world=8)
            return [[op["process_group"], op["by_group"], op["groups"]] for op in found["ops"]]
        self.check(once((0, 1), 2), [["", True, 1]])
        self.check(once((1, 0), 2), [["0 [1, 0]", False, 1]])
        self.check(once((0, 1, 1), 3), [["0 [0, 1, 1]", False, 1]])
        self.check(once((0, 1), 3), [["0 [0, 1]", False, 1]])
        self.check(once((0, 1), 3, (0, 1, 5)), [])


    def test_groups_without_ranks(self):
        """As many as there are ranks are everyone, or more; fewer are some that nobody knows, and so are any where it is not known how
        many ranks there are."""
        sub = "sub-groups: it runs in groups of devices, and which of them wait for each other is not known from what is on record"
        for size, world, expected in ((2, 2, [["", False, 1, 0, None]]), (3, 2, [["", False, 1, 0, None]]),
                                      (2, 3, [["", False, 0, 2, sub]]), (0, 3, [["", False, 1, 0, None]])):
            events = {rank: [call("allreduce", rank, 10)] for rank in (0, 1)}
            for each in events.values():
                each[0]["args"].update({"Group size": size, "Process Group Ranks": ""})
            found = self.ask(events, "--bound", "0ps", world=world)
            with self.subTest(size=size, world=world):
                self.check([[op[key] for key in ("process_group", "by_group", "groups", "unjudged", "unjudged_reason")]
                            for op in found["ops"]], expected)
        # What is not compared is counted where it lies in the time that was asked for.
        for window, count in (("2us:", 2), ("10us:", 0), (":1us", 1), (":1001ns", 2)):
            events = {rank: [call("allreduce", rank, 10)] for rank in (0, 1)}
            for each in events.values():
                each[0]["args"].update({"Process Group Ranks": ""})
            found = self.ask(events, "--bound", "0ps", "--time", window, world=3)
            self.check([found["unjudged"]], [count])


class Planes(truth.Case):
    """Which node and which device a plane is."""

    def ask(self, *files):
        """`files`: of each its hosts and its planes: name, id, and its own stats."""
        paths = []
        for at, (hosts, planes) in enumerate(files):
            made = []
            for name, key, own in planes:
                plane = proto.Plane(name, key)
                for stat, value in own.items():
                    plane.own_stat(stat, value)
                plane.line("Stream #1", 0, [plane.event("nccl", 0, US, [("hlo_op", "all-reduce.1")])])
                made.append(plane)
            paths.append(self.write(f"p{at}.xplane.pb", proto.xspace(made, hosts)))
        found = truth.parsed(truth.run("validate", *paths, "--bound", "0ps", "--json"))
        return ([[n["id"], n["hostname"], n["trace"], n["clock"], n["devices"]] for n in found["nodes"]],
                sorted([op["device"], op["groups"]] for op in found["ops"]))

    def test_numbers_of_devices(self):
        """That in the name before that of the plane; from 64 on planes are of other nodes, whatever their names are."""
        nodes, ops = self.ask((["ada"], [("/device:GPU:5", 3, {}), ("/device:GPU:3", 5, {})]),
                              (["bob"], [("/device:GPU:5", 9, {}), ("/device:GPU:4", 3, {})]))
        self.check([nodes, ops], [[["0", "ada", 0, 0, 2], ["1", "bob", 1, 1, 2]], [[5, 1]]])
        nodes, ops = self.ask((["ada", "other"], [("/device:GPU:63", 63, {}), ("/device:GPU:64", 64, {}), ("/device:GPU:127", 127, {}),
                                                  ("/device:GPU:0", 0, {})]))
        self.check([nodes, ops], [[["0", "ada", 0, 0, 2], ["1", "", 0, 1, 2]], [[0, 1], [63, 1]]])

    def test_hosts(self):
        """What a plane says of its host, else the first host of the file, for its first node alone. One name is one clock."""
        nodes, _ = self.ask((["ada"], [("/device:GPU:0", 0, {"hostname": "own"}), ("/device:GPU:1", 1, {"hostname": "late"})]),
                            (["own"], [("/device:GPU:0", 0, {})]), ([], [("/device:GPU:0", 0, {})]))
        self.check(nodes, [["0", "own", 0, 0, 2], ["1", "own", 1, 0, 1], ["2", "", 2, 1, 1]])
        nodes, ops = self.ask((["ada"], [("/device:GPU:70", 70, {"node_id": 3, "hostname": "x"}), ("/device:GPU:1", 1, {"node_id": 0}),
                                         ("/device:GPU:6", 6, {"node_id": 0, "hostname": "y"})]))
        self.check([nodes, ops], [[["0", "y", 0, 0, 2], ["3", "x", 0, 1, 1]], [[6, 1]]])


class Texts(truth.Case):
    """Groups that stand in the texts of operations alone, over two nodes of two devices each."""

    @staticmethod
    def text(number, groups, *more):
        return (f"%all-reduce.{number} = f32[25]{{0}} all-reduce(f32[25]{{0}} %p.1), {''.join(part + ', ' for part in more)}"
                f"replica_groups={groups}, to_apply=%add")

    def ask(self, ops):
        """`ops`: (module, text, devices of a node that ran it)."""
        paths = []
        for node in (0, 1):
            planes = []
            for device in (0, 1):
                plane = proto.Plane(f"/device:TPU:{device}", device)
                plane.line("XLA Ops", ZERO_NS, [plane.event(text, 100 * at * US, 10 * US, [("hlo_module", proto.Ref(module))])
                                                for at, (module, text, devices) in enumerate(ops) if device in devices], 3)
                planes.append(plane)
            paths.append(self.write(f"t{node}.xplane.pb", proto.xspace(planes, [f"host{node}"])))
        found = truth.parsed(truth.run("validate", *paths, "--bound", "0ps", "--json"))
        return [[op[key] for key in ("module", "name", "device", "groups", "unjudged")] for op in found["ops"]], found["within_node"]

    def test_groups(self):
        """As many ids as the program has devices are everyone; how many it has its other operations say, of each program its own."""
        of_all = ("channel_id=1", "use_global_device_ids=true")
        found = self.ask([("jit_a", self.text(1, "{{0,1,2,3}}", *of_all), (0, 1)),
                          ("jit_a", self.text(2, "{{0,1},{2,3}}", *of_all), (0, 1)),
                          ("jit_a", self.text(3, "{{0,1}}"), (0,)), ("jit_a", self.text(4, "{}"), (0, 1)),
                          ("jit_b", self.text(1, "{{0,1}}", *of_all), (0, 1)), ("jit_c", self.text(1, "{{0,1}}", *of_all), (0,)),
                          ("jit_d", self.text(1, "[1,4]<=[4]", *of_all), (1,)), ("jit_e", self.text(1, "[2,2]<=[4]", *of_all), (1,)),
                          ("jit_f", self.text(1, "{}"), (1,))])
        self.check(list(found), [[
            ["jit_a", "all-reduce.1", 0, 1, 0], ["jit_a", "all-reduce.1", 1, 1, 0], ["jit_c", "all-reduce.1", 0, 0, 2],
            ["jit_d", "all-reduce.1", 1, 1, 0], ["jit_e", "all-reduce.1", 1, 0, 2], ["jit_f", "all-reduce.1", 1, 1, 0],
            ["jit_a", "all-reduce.2", 0, 0, 2], ["jit_a", "all-reduce.2", 1, 0, 2], ["jit_a", "all-reduce.3", 0, 0, 2],
            ["jit_a", "all-reduce.4", 0, 1, 0], ["jit_a", "all-reduce.4", 1, 1, 0]], 4])


class Spaces(truth.Case):
    """Planes of XSpaces: of two nodes one device each, unless said."""
    def program(self, opcode="all-reduce", name="all-reduce.1"):
        return hlo.module("jit_a", 11, hlo.replicas_on(0, 1), hlo.computation(1, "main", hlo.instruction(
            1, name, opcode, hlo.shape(hlo.F32, [25]), more=hlo.replica_groups([0, 1]))))

    def ask(self, *nodes, program=True, options=("--bound", "0ps"), kernel="ncclDevKernel_X", op="all-reduce.1"):
        """`nodes`: of each its lines, by name (start, end, stats), us."""
        paths = []
        for at, lines in enumerate(nodes):
            plane = proto.Plane("/device:GPU:0", 0, first_event_id=5)
            for number, (name, events) in enumerate(lines.items(), 1):
                plane.line(name, ZERO_NS, [
                    plane.event(op if "Ops" in name else kernel, int(start * US), int((end - start) * US), [
                        ("hlo_module", proto.Ref("jit_a")),
                        *([("hlo_op", proto.Ref(op))] if "Ops" not in name or op[0] == "p" else []), *stats])
                    for start, end, *stats in events], line_id=number)
            metadata = proto.Plane("/host:metadata", first_event_id=11)
            metadata.event_metadata("jit_a(11)", stats=[("Hlo Proto", self.program(name=op))] if program else [])
            start = proto.Plane("Task Environment")
            start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
            paths.append(self.write(f"n{at}.xplane.pb", proto.xspace([plane, metadata, start], [f"host{at}"])))
        return truth.parsed(truth.run("validate", *paths, "--json", "--limit", 0, *options))

    @staticmethod
    def runs(*rows):
        """(start, run)"""
        return {"Stream #1": [(start, start + 10, ("run_id", run)) for start, run in rows]}

    def skews(self, found):
        return [[c["call"], c["last_start_ps"] // US, c["arrival_skew_ps"] // US] for c in found["calls"]]

    def test_runs(self):
        """Where half of the runs at the least are on both, they say which belong together, and the number 0 is one; the k-th of a run
        with the k-th. Else the order does."""
        for program in (True, False):
            found = self.ask(self.runs((0, 5), (100, 0), (200, 3), (220, 3)), self.runs((1, 0), (99, 5), (205, 3), (221, 3)),
                             program=program)
            self.check(self.skews(found), [[0 if program else 0, 99, 99], [1, 100, 99], [2, 205, 5], [3, 221, 1]])
        found = self.ask(self.runs((0, 1), (100, 2), (200, 3)), self.runs((1, 1), (102, 2), (203, 4)))
        self.check(self.skews(found), [[1, 102, 2], [0, 1, 1]])
        found = self.ask(self.runs((0, 1), (100, 2), (200, 3)), self.runs((1, 1), (102, 5), (203, 4)))
        self.check(self.skews(found), [[2, 203, 3], [1, 102, 2], [0, 1, 1]])

    def test_runs_of_some(self):
        """One execution without a run: then time counts."""
        found = self.ask(self.runs((0, 5), (100, 0)), {"Stream #1": [(1, 11, ("run_id", 0)), (99, 109)]}, program=False)
        self.check(self.skews(found), [[0, 1, 1], [1, 100, 1]])

    def test_what_begins_as_the_first_ends(self):
        """Near in time is less than half of the shortest period, or before the first member ends; neither is not one call."""
        for late, skews in ((49.999, [49.999]), (50, []), (50.001, [49.999])):
            found = self.ask({"Stream #1": [(0, 20), (100, 120)]}, {"Stream #1": [(late, late + 20)]}, program=False)
            self.check([c["arrival_skew_ps"] for c in found["calls"]], [int(skew * US) for skew in skews])
        for late, skew in ((79.999, 79.999), (80, 20)):
            found = self.ask({"Stream #1": [(0, 80), (100, 180)]}, {"Stream #1": [(late, late + 20)]}, program=False)
            self.check([c["arrival_skew_ps"] for c in found["calls"]], [int(skew * US)])

    def test_kernels_before_instructions(self):
        """Where a line of instructions repeats what kernels do, the kernels count; without kernels the line does."""
        line, kernels = {"XLA Ops": [(0, 5), (100, 105)]}, {"Stream #1": [(20, 30), (120, 130)]}
        other = {"Stream #1": [(21, 30), (123, 130)]}
        for op in ("psum.1", "all-reduce.1"):
            self.check(sorted(self.skews(self.ask({**line, **kernels}, other, op=op))), [[0, 21, 1], [1, 123, 3]])
            self.check(sorted(self.skews(self.ask(line, other, op=op))), [[0, 21, 21], [1, 123, 23]])

    def test_sizes(self):
        """How many bytes a kernel says that it moved, be it 0: of as many each what others moved is right."""
        size = lambda *bytes_of: {"Stream #1": [(100 * k, 100 * k + 10, ("bytes_transferred", many)) for k, many in enumerate(bytes_of)
                                                if many is not None]}
        found = self.ask(size(100, 100, 0, 100), size(100, 100, 100, 100))
        self.check([[row["kind"], row["call"], row["node"], row["rank"], row["count"], row["of_count"], row["evidence"]]
                    for row in found["irregularities"]], [["size", 2, "0", "0", 1, 4, "0 bytes; 1 of 2 members: 100 bytes"]])
        found = self.ask(size(100, 1_000_000, 5, 100), size(100, 100, 100, 100))
        self.check([[row["call"], row["node"], row["evidence"]] for row in found["irregularities"]], [
            [1, "0", "1,000,000 bytes; 1 of 2 members: 100 bytes"], [2, "0", "5 bytes; 1 of 2 members: 100 bytes"]])
        self.check(self.ask(size(100, 7, 5, 9), size(100, 100, 100, 100))["irregularities"], [])

    def test_numbers_of_members(self):
        """A correlation of 0 is one; a host and a number of its own for each file."""
        found = self.ask({"Stream #1": [(0, 10, ("correlation_id", 0))]}, {"Stream #1": [(20, 30)]})
        self.check([[m["node"], m["device"], m["rank"], m["start_ps"], m["end_ps"], m["correlation_id"]]
                    for m in found["details"][0]["members"]], [["0", 0, "0", 0, 10 * US, "0"], ["1", 0, "1", 20 * US, 30 * US, None]])
        self.check([[n["id"], n["hostname"], n["trace"], n["clock"], n["collectives"]] for n in found["nodes"]],
                   [["0", "host0", 0, 0, 1], ["1", "host1", 1, 1, 1]])

    def test_clocks_that_are_apart(self):
        """Without a bound they are put together by what they share: here two nodes, 5 ms apart."""
        rows = lambda shift, *starts: [(at + shift, at + shift + 10) for at in starts]
        found = self.ask({"Stream #1": rows(0, 100, 250, 370, 420)}, {"Stream #1": rows(5_000, 100, 250, 370, 420)},
                         program=False, options=())
        self.check([[op["groups"], op["violations_raw"]] for op in found["ops"]], [[4, 4]])
        self.check([c["arrival_skew_ps"] for c in found["calls"]], [5_000 * US] * 4)
        self.check([w["kind"] for w in found["warning_list"]], ["clocks_uncorrected"])

    def test_clocks_over_others(self):
        """Calls of two are put together however far their clocks are apart; who shares nothing with the node of the most calls is reached
        over others, and nodes of one host have one clock."""
        shift = (0, 5_000_000, 9_000_000, 5_000_000)  # us; nodes 1 and 3 are of one host
        times = {"all-reduce.1": ((0, 1), (100, 250, 370, 420, 900)), "all-reduce.2": ((1, 2), (150, 290, 500, 560)),
                 "all-reduce.3": ((0, 3), (1_000, ))}
        paths = []
        for node, host in enumerate(("ada", "bob", "cleo", "bob")):
            plane = proto.Plane("/device:GPU:0", 0, first_event_id=5)
            plane.line("Stream #1", ZERO_NS, [
                plane.event("ncclDevKernel_X", (at + shift[node]) * US, 10 * US, [
                    ("hlo_op", proto.Ref(op)), ("hlo_module", proto.Ref("j"))])
                for op, (of, starts) in times.items() if node in of for at in starts], line_id=1)
            start = proto.Plane("Task Environment")
            start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
            paths.append(self.write(f"n{node}.xplane.pb", proto.xspace([plane, start], [host])))
        found = truth.parsed(truth.run("validate", *paths, "--json", "--limit", 0))
        self.check([[n["hostname"], n["clock"]] for n in found["nodes"]], [["ada", 0], ["bob", 1], ["cleo", 2], ["bob", 1]])
        self.check([[op["name"], op["groups"], op["mean_arrival_skew_ps"]] for op in found["ops"]], [
            ["all-reduce.1", 5, 5_000_000 * US], ["all-reduce.2", 4, 4_000_000 * US], ["all-reduce.3", 1, 5_000_000 * US]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
