#!/usr/bin/env python3
"""`profkit validate`: who takes part in a call, by every form in which a program may write it, over two nodes of four devices."""
import itertools
import sys
from fractions import Fraction

import hlo
import proto_writer as proto
import truth
from wire import message, number

US, ZERO_NS = 1_000_000, 1_700_000_000_000_000_000
DEVICES = range(8)
# The device of each replica and partition: [replica][partition].
PLACES = ((3, 0, 6, 1), (7, 2, 5, 4))
CHANNEL, GLOBAL = number(26, 3), number(71, 1)


def listed(*groups):
    return message(87, *(message(1, hlo.numbers(1, group)) for group in groups))


def iota(field, groups, size, dims, order):
    body = number(1, groups) + number(2, size) + hlo.numbers(3, dims) + hlo.numbers(4, order)
    return message(92, body) if field == 92 else message(87, message(2, body))


def mesh(sizes, *axes, order=()):
    """axes: (which, of a part of it what lies on its left, its size)."""
    parts = [message(2, number(1, axis[0]), *([message(2, number(1, axis[1]), number(2, axis[2]))] if len(axis) > 1 else []))
             for axis in axes]
    return message(93, message(1, *(message(1, message(1, f"a{i}"), number(2, size)) for i, size in enumerate(sizes)),
                               hlo.numbers(2, order)), *parts)


def iota_groups(dims, order, size):
    """0, 1, 2, … in that shape, turned."""
    places = itertools.product(*(range(dims[axis]) for axis in order))
    ids = []
    for place in places:
        at = [0] * len(dims)
        for axis, value in zip(order, place):
            at[axis] = value
        flat = 0
        for extent, value in zip(dims, at):
            flat = flat * extent + value
        ids.append(flat)
    return [ids[i:i + size] for i in range(0, len(ids), size)]


class ProgramCase(truth.Case):
    def space(self, node, program, runs, assigned=True, kernel="ncclDevKernel_X"):
        """`runs`: (instruction, start, end) of a device, us."""
        planes = []
        for device in range(4):
            plane = proto.Plane(f"/device:GPU:{device}", device)
            plane.line("Stream #7(NCCL)", ZERO_NS, [
                plane.event(kernel, start * US, (end - start) * US, [
                    ("hlo_op", proto.Ref(name)), ("program_id", 11), ("hlo_module", proto.Ref("jit_step"))])
                for name, start, end in runs(4 * node + device)], line_id=7)
            planes.append(plane)
        metadata = proto.Plane("/host:metadata", first_event_id=11)
        metadata.event_metadata("jit_step(11)", stats=[("Hlo Proto", program)])
        start = proto.Plane("Task Environment")
        start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
        return proto.xspace([*planes, metadata, start], [f"host-{node}"])

    @staticmethod
    def program(forms, assigned):
        """`forms`: (name, opcode, fields)."""
        parts = [] if assigned is None else [message(15, number(1, len(assigned)), number(2, len(assigned[0])), *(
            message(3, hlo.numbers(1, [row[p] for row in assigned])) for p in range(len(assigned[0]))))]
        return hlo.module("jit_step", 11, *parts, hlo.computation(1, "main", *(
            hlo.instruction(at, name, opcode, hlo.shape(hlo.F32, [25]), more=more) for at, (name, opcode, more) in enumerate(forms, 1))))

    def ask(self, program, runs, *options, kernel="ncclDevKernel_X"):
        paths = [self.write(f"t{node}.xplane.pb", self.space(node, program, runs, kernel=kernel)) for node in (0, 1)]
        return truth.parsed(truth.run("validate", *paths, "--bound", "0ps", "--limit", 0, "--json", *options))


class Forms(ProgramCase):
    def all_at_once(self, forms, assigned=PLACES):
        """Every device runs every instruction, k us later the greater its number k is. Of each call: its name, its group, who came
        last, and how much later than the first."""
        def runs(device):
            return [(name, 1_000 * at + device, 1_000 * at + 500) for at, (name, _, _) in enumerate(forms)]
        found = self.ask(self.program(forms, assigned), runs)
        self.assertEqual([op["unjudged"] for op in found["ops"]], [0] * len(found["ops"]))
        return sorted([c["op"], c["process_group"], c["latest_node"], c["latest_device"], c["latest_rank"], c["arrival_skew_ps"]]
                      for c in found["calls"])

    @staticmethod
    def expected(groups_of):
        rows = []
        for name, groups in groups_of.items():
            for group in map(sorted, groups):
                rows.append([name, "" if len(group) == 8 else str(group), str(group[-1] // 4), group[-1] % 4, str(group[-1]),
                             (group[-1] - group[0]) * US])
        return sorted(rows)

    def test_what_ids_count(self):
        """Replicas, partitions, both together, or devices by their number among them; in the places that the program was given."""
        replicas = [[PLACES[r][p] for r in (0, 1)] for p in range(4)]
        both = lambda *ids: [PLACES[i // 4][i % 4] for i in ids]
        part = lambda *partitions: [[PLACES[r][p] for p in partitions] for r in (0, 1)]
        forms = [("all-reduce.1", "all-reduce", listed([0, 1])), ("all-reduce.2", "all-reduce", b""),
                 ("all-reduce.3", "all-reduce", CHANNEL + hlo.replica_groups([0], [1])),
                 ("all-reduce.4", "all-reduce", CHANNEL + GLOBAL + hlo.replica_groups([0, 5, 2], [7, 1], [4, 3, 6])),
                 ("all-to-all.5", "all-to-all", CHANNEL + listed([0, 2], [1, 3])),
                 ("all-to-all.6", "all-to-all", hlo.replica_groups([1, 0])),
                 ("all-gather.7", "all-gather", CHANNEL + GLOBAL + hlo.replica_groups([6, 1, 4, 3], [0, 2, 5, 7])),
                 ("reduce-scatter.8", "reduce-scatter", CHANNEL + hlo.replica_groups([0, 1])),
                 ("collective-broadcast.9", "collective-broadcast", CHANNEL + GLOBAL + hlo.replica_groups([3, 1, 2, 0])),
                 ("all-reduce.10", "all-reduce", CHANNEL),
                 ("all-to-all.11", "all-to-all", CHANNEL)]
        groups = {"all-reduce.1": replicas, "all-reduce.2": replicas, "all-reduce.3": part(0, 1, 2, 3),
                  "all-reduce.4": [both(0, 5, 2), both(7, 1), both(4, 3, 6)], "all-to-all.5": part(0, 2) + part(1, 3),
                  "all-to-all.6": replicas, "all-gather.7": [both(6, 1, 4, 3), both(0, 2, 5, 7)], "reduce-scatter.8": [both(*DEVICES)],
                  "collective-broadcast.9": part(3, 1, 2, 0), "all-reduce.10": [both(*DEVICES)], "all-to-all.11": part(0, 1, 2, 3)}
        self.check(self.all_at_once(forms), self.expected(groups))

    def test_how_groups_are_written(self):
        """One program of eight replicas: lists, an iota, axes of a mesh and parts of them."""
        order = [5, 0, 7, 2, 1, 4, 3, 6]
        written = {
            "all-reduce.1": (iota(92, 4, 2, [2, 4], [1, 0]), iota_groups([2, 4], [1, 0], 2)),
            "all-reduce.2": (iota(87, 4, 2, [2, 2, 2], [0, 2, 1]), iota_groups([2, 2, 2], [0, 2, 1], 2)),
            "all-reduce.3": (iota(92, 2, 4, [2, 2, 2], [2, 0, 1]), iota_groups([2, 2, 2], [2, 0, 1], 4)),
            "all-reduce.4": (iota(92, 2, 4, [8], [0]), [[0, 1, 2, 3], [4, 5, 6, 7]]),
            "all-reduce.5": (mesh([2, 4], [0]), [[0, 4], [1, 5], [2, 6], [3, 7]]),
            "all-reduce.6": (mesh([2, 4], [1]), [[0, 1, 2, 3], [4, 5, 6, 7]]),
            "all-reduce.7": (mesh([2, 4], [1, 1, 2]), [[0, 2], [1, 3], [4, 6], [5, 7]]),
            "all-reduce.8": (mesh([2, 4], [1, 2, 2]), [[0, 1], [2, 3], [4, 5], [6, 7]]),
            "all-reduce.9": (mesh([2, 2, 2], [2], [0]), [[0, 1, 4, 5], [2, 3, 6, 7]]),
            "all-reduce.10": (mesh([2, 4], [0], order=order), [[5, 1], [0, 4], [7, 3], [2, 6]]),
            "all-reduce.11": (mesh([8], [0, 2, 2]), [[0, 2], [1, 3], [4, 6], [5, 7]]),
            "all-reduce.12": (mesh([8], [0, 4, 2], [0, 1, 2]), [[0, 1, 4, 5], [2, 3, 6, 7]]),
            "all-reduce.13": (mesh([2, 4], [1, 2, 2], [0], order=order), [[5, 0, 1, 4], [7, 2, 3, 6]]),
            "all-reduce.14": (listed([7, 0], [3, 4, 1], [2, 5, 6]), [[7, 0], [3, 4, 1], [2, 5, 6]]),
            "all-reduce.15": (listed([]), [list(DEVICES)]),
            "all-reduce.16": (mesh([4, 2], [0], [1]), [list(DEVICES)])}
        forms = [(name, "all-reduce", more) for name, (more, _) in written.items()]
        self.check(self.all_at_once(forms, tuple((device,) for device in DEVICES)),
                   self.expected({name: groups for name, (_, groups) in written.items()}))

    def test_an_order_of_its_own(self):
        """Numbers of replicas that are not those of devices: the groups are named by devices."""
        of = (6, 3, 0, 5, 2, 7, 4, 1)
        forms = [("all-reduce.1", "all-reduce", iota(92, 4, 2, [2, 4], [1, 0])),
                 ("all-reduce.2", "all-reduce", hlo.replica_groups([0, 1, 2], [3, 4, 5, 6, 7]))]
        groups = {"all-reduce.1": [[6, 2], [3, 7], [0, 4], [5, 1]], "all-reduce.2": [[6, 3, 0], [5, 2, 7, 4, 1]]}
        self.check(self.all_at_once(forms, tuple((device,) for device in of)), self.expected(groups))

    def test_one_name_in_parts(self):
        """What an instruction calls takes part as it does; its end as its start."""
        def nested(key, name, opcode, called=(), operands=()):
            return hlo.instruction(key, name, opcode, hlo.shape(hlo.F32, [25]), operands=operands, more=hlo.numbers(38, called))
        program = hlo.module("jit_step", 11, message(15, number(1, 8), number(2, 1), message(3, hlo.numbers(1, list(DEVICES)))),
                             hlo.computation(2, "inner", hlo.instruction(
                                 20, "all-reduce.20", "all-reduce", hlo.shape(hlo.F32, [25]),
                                 more=hlo.replica_groups([0, 4], [1, 5], [2, 6], [3, 7]))),
                             hlo.computation(1, "main", nested(10, "all-reduce-start.3", "async-start", [2]),
                                             nested(11, "other.4", "fusion"), nested(12, "all-reduce-done.3", "async-done", operands=[10])))
        def runs(device):
            return [("all-reduce-start.3", device, 500), ("all-reduce-done.3", 500 + device, 600)]
        found = self.ask(program, runs)
        groups = ["[0, 4]", "[1, 5]", "[2, 6]", "[3, 7]"]
        self.check([[op["name"], op["process_group"], op["groups"]] for op in found["ops"]],
                   [[name, group, 1] for name in ("all-reduce-done.3", "all-reduce-start.3") for group in groups])


class Places(ProgramCase):
    """Which devices a program of fewer of them is on."""

    def rows(self, forms, runs, assigned):
        found = self.ask(self.program(forms, assigned), runs)
        calls = sorted([c["process_group"], c["latest_node"], c["latest_device"], c["latest_rank"]] for c in found["calls"])
        return calls, [[op["process_group"], op["groups"], op["unjudged"], op["unjudged_reason"]] for op in found["ops"]]

    FORMS = [("all-reduce.1", "all-reduce", hlo.replica_groups([0, 1], [2, 3]))]

    def test_each_node_has_its_own(self):
        """A program of four devices that all of both nodes run: each node its own."""
        calls, ops = self.rows(self.FORMS, lambda device: [("all-reduce.1", device, 100)], tuple((at,) for at in range(4)))
        self.check(calls, [["[0, 1]", "0", 1, "1"], ["[0, 1]", "1", 1, "1"], ["[2, 3]", "0", 3, "3"], ["[2, 3]", "1", 3, "3"]])
        self.check(ops, [["[0, 1]", 1, 0, None], ["[0, 1]", 1, 0, None], ["[2, 3]", 1, 0, None], ["[2, 3]", 1, 0, None]])

    def test_as_many_as_ran_it(self):
        """The four devices that ran it are its own, in their order, wherever they are."""
        ran = (1, 3, 4, 6)
        calls, _ = self.rows(self.FORMS, lambda device: [("all-reduce.1" if device in ran else "all-gather.7", device, 100)],
                             tuple((at,) for at in range(4)))
        self.check([row for row in calls if row[0]], [["[0, 1]", "0", 3, "1"], ["[2, 3]", "1", 2, "3"]])

    def test_neither(self):
        """Five devices ran it: nobody knows which four are the program's."""
        sub = "sub-groups: it runs in groups of devices, and which of them wait for each other is not known from what is on record"
        calls, ops = self.rows(self.FORMS, lambda device: [("all-reduce.1", device, 100)] if device in (0, 1, 2, 4, 5) else [],
                               tuple((at,) for at in range(4)))
        self.check([calls, ops], [[], [["", 0, 2, sub], ["", 0, 2, sub], ["", 0, 1, sub]]])

    def test_who_is_in_no_group(self):
        """A device that runs it without being in a group of it: then devices are elsewhere, and nothing is said."""
        forms = [("all-reduce.1", "all-reduce", hlo.replica_groups([0, 1, 2], [4, 5, 6]))]
        eight = tuple((device,) for device in DEVICES)
        for others, expected in (((3, 7), [["[0, 1, 2]", "0", 2, "2"], ["[4, 5, 6]", "1", 2, "6"]]), ((7,), [])):
            calls, _ = self.rows(forms, lambda device, others=others: [
                ("all-gather.2" if device in others else "all-reduce.1", device, 100)], eight)
            self.check([row for row in calls if row[0]], expected)


class Doubt(ProgramCase):
    """Which device has which number is inferred; where too many calls would be out of order it is doubted."""

    def counts(self, calls, wrong, assigned):
        """Of `calls` calls of [0, 4] and of as many of [1, 5] `wrong` of the second are out of order."""
        forms = [("all-reduce.1", "all-reduce", hlo.replica_groups([0, 4], [1, 5], [2, 3], [6, 7]))]
        def runs(device):
            return [("all-reduce.1", 1_000 * k + (300 if device == 5 and k < wrong else 0), 1_000 * k + (400 if device == 5 else 200))
                    for k in range(calls)]
        found = self.ask(self.program(forms, assigned), runs)
        return [[op["process_group"], op["violations"], op["violations_raw"], op["unjudged"]] for op in found["ops"]]

    def test_how_many(self):
        """Of one operation, all groups of it together: more than half; more than one in eight where the program has no assignment."""
        eight = tuple((device,) for device in DEVICES)
        rows = lambda wrong, calls, doubted: [
            [group, 0 if doubted or group != "[1, 5]" else wrong, wrong if group == "[1, 5]" else 0, calls if doubted else 0]
            for group in ("[0, 4]", "[1, 5]", "[2, 3]", "[6, 7]")]
        self.check(self.counts(2, 2, eight), rows(2, 2, False))
        self.check(self.counts(2, 1, None), rows(1, 2, False))  # 1 of 8
        self.check(self.counts(3, 2, None), rows(2, 3, True))  # 2 of 12


class Pairs(ProgramCase):
    """Who receives waits for who sends, for nobody else."""

    @staticmethod
    def pairs(*given):
        return b"".join(message(52, number(1, a), number(2, b)) for a, b in given)

    def test_the_pair_furthest_beyond(self):
        """A target that ends before its source has begun. Of three pairs the third counts most; one with itself counts for nothing."""
        forms = [("collective-permute.1", "collective-permute", self.pairs((0, 4), (1, 5), (2, 6), (3, 3)))]
        sources = {0: 120, 1: 110, 2: 150, 3: 900}
        def runs(device):
            if device == 7:
                return []
            late = lambda k: sources.get(device, 10) if k == 2 else 10
            end = 950 if device in sources else 150 if device == 5 else 100
            return [("collective-permute.1", 1_000 * k + late(k), 1_000 * k + end) for k in range(4)]
        found = self.ask(self.program(forms, tuple((device,) for device in DEVICES)), runs, kernel="ncclDevKernel_SendRecv")
        self.check([[op[key] for key in ("name", "process_group", "groups", "violations", "violations_raw", "unjudged")]
                    for op in found["ops"]], [["collective-permute.1", "{0 to 4, 1 to 5, 2 to 6, 3 to 3}", 4, 1, 1, 0]])
        self.check([found["pair_violations"], found["overlaps"]], [2, 3])
        keys = ("rank", "beyond_bound", "latest_start_node", "latest_start_ps", "earliest_end_node", "earliest_end_ps", "gap_ps",
                "bound_ps")
        self.check([[detail[key] for key in keys] for detail in found["details"]],
                   [[2, True, "0", 2_150 * US, "1", 2_100 * US, 50 * US, 0]])

    def test_in_order(self):
        """The same, but for one instant: what begins as the other ends is late by nothing, and not out of order beyond any error."""
        forms = [("collective-permute.1", "collective-permute", self.pairs((4, 0), (0, 5), (2, 6)))]
        starts = {4: 10, 0: 20, 2: 100}
        def runs(device):
            return [("collective-permute.1", starts.get(device, 10), 100 if device == 6 else 200)] if device in (0, 2, 4, 5, 6) else []
        found = self.ask(self.program(forms, tuple((device,) for device in DEVICES)), runs, kernel="ncclDevKernel_SendRecv")
        self.check([[op["process_group"], op["groups"], op["violations"], op["violations_raw"], op["unjudged"]] for op in found["ops"]],
                   [["{4 to 0, 0 to 5, 2 to 6}", 1, 0, 1, 0]])
        self.check([found["pair_violations"], found["overlaps"]], [1, 0])


class Payloads(ProgramCase):
    """How much a call moves, by the shapes of its instruction."""

    def test_shapes(self):
        """Of a start the second part of its result, of a send the first; of several arrays the sum."""
        array = lambda elements, kind=hlo.F32: hlo.shape(kind, [elements])
        pair = lambda *parts: hlo.shape(13, elements=parts)
        half = 10  # f16
        all_of = hlo.replica_groups(list(DEVICES))
        fours = hlo.replica_groups([0, 1, 4, 5], [2, 3, 6, 7])
        rows = [  # name, opcode, shape, group, payload, share of it on a link
            ("all-reduce.1", "all-reduce", array(16), fours, 64, Fraction(3, 2)),
            ("all-reduce.2", "all-reduce", pair(array(8), array(8, half)), fours, 48, Fraction(3, 2)),
            ("all-reduce-start.3", "all-reduce-start", pair(array(8), array(8)), fours, 64, Fraction(3, 2)),
            ("all-gather.4", "all-gather", array(16), fours, 64, Fraction(3, 4)),
            ("all-gather-start.5", "all-gather-start", pair(array(4), array(16)), fours, 64, Fraction(3, 4)),
            ("all-gather-start.6", "all-gather-start", pair(pair(array(4), array(4, half)), pair(array(16), array(16, half))), fours, 96,
             Fraction(3, 4)),
            ("reduce-scatter.7", "reduce-scatter", array(4), fours, 64, Fraction(3, 4)),
            ("reduce-scatter-start.8", "reduce-scatter-start", pair(array(16), array(4)), fours, 64, Fraction(3, 4)),
            ("all-to-all.9", "all-to-all", pair(array(4), array(4), array(4), array(4)), fours, 64, Fraction(3, 4)),
            ("collective-broadcast.10", "collective-broadcast", array(16), fours, 64, 1),
            ("all-reduce.11", "all-reduce", array(16), all_of, 64, Fraction(7, 4)),
            ("all-reduce.12", "all-reduce", array(0), fours, None, None)]
        program = hlo.module("jit_step", 11, message(15, number(1, 8), number(2, 1), message(3, hlo.numbers(1, list(DEVICES)))),
                             hlo.computation(1, "main", *(hlo.instruction(at, name, opcode, shape, more=group)
                                                          for at, (name, opcode, shape, group, _, _) in enumerate(rows, 1))))
        found = self.ask(program, lambda device: [(name, 1_000 * at, 1_000 * at + 100) for at, (name, *_) in enumerate(rows)])
        ops = {}
        for op in found["ops"]:
            ops.setdefault(op["name"], []).append(op)
        for name, _, _, group, payload, share in rows:
            with self.subTest(name):
                for op in ops[name]:
                    rate = payload and Fraction(payload * 10**12, 100 * US)
                    self.check([op["payload_bytes"], op["algorithm_bytes_per_s"], op["bus_bytes_per_s"]],
                               [payload, rate, rate and rate * share])
                self.assertEqual(len(ops[name]), 1 if group == all_of else 2)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
