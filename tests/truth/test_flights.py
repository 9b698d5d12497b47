#!/usr/bin/env python3
"""`profkit collectives` of asynchronous operations where one decision counts each: numbers and times that are 0, equal times, what one
device says and the next does not, which of several events has how long the device waited."""
import sys

import pair
import truth

HBM, VMEM = "f32[8]{0:T(8)}", "f32[8]{0:T(8)S(1)}"  # 32 bytes
COPY = f"%copy-start.1 = ({VMEM}, {HBM}, u32[]{{:S(2)}}) copy-start({HBM} %p)"
BACK = f"%copy-start.2 = ({HBM}, {VMEM}, u32[]{{:S(2)}}) copy-start({VMEM} %p)"
OPS = {1: COPY, 2: "%copy-done.1 = f32[8] copy-done(x)", 3: "%copy-start.9 = f32[8] s(x)", 4: "%copy-done.9 = f32[8] s(x)",
       5: BACK, 6: "%copy-done.2 = f32[8] copy-done(x)", 7: "%all-gather-start.7 = f32[8] s(x)", 8: "%all-gather-done.7 = f32[8] d(x)",
       9: "fusion.9"}
KEYS = ("plane", "line", "flow", "form", "start_ps", "duration_ps", "in_flight_ps", "exposed_stall_ps", "exposed_from", "events")


def flow(key, number, start, duration, *stats):
    return pair.Ev(key, start, duration, ("flow", "uint", number), *stats)


def waited(ps):
    return ("device_duration_ps", "uint", ps)


def at(ps):
    return ("device_offset_ps", "uint", ps)


def names_done(name):
    return ("hlo_op", "text", name)


class Flights(truth.Case):
    def ask(self, *planes, more=()):
        """planes: of each its lines of ops, and its lines of asynchronous operations."""
        made = []
        for number, (ran, flights) in enumerate(planes):
            lines = [pair.Line(3 + i, "XLA Ops", 0, events, "ops") for i, events in enumerate(ran)]
            lines += [pair.Line(40 + i, "Async XLA Ops", 0, events, "async") for i, events in enumerate(flights)]
            made.append(pair.Plane(1 + number, f"/device:TPU:{number}", "device", lines, {k: pair.Op(v) for k, v in OPS.items()}))
        path = self.write("a.xplane.pb", pair.Host("alpha", made).bytes())
        return truth.parsed(truth.run("collectives", path, "--json", *more))

    def rows(self, found):
        return [[row[key] for key in KEYS] for row in found["async"]]

    def test_a_flow_of_number_0(self):
        """0 is a number like any other: its two events are a pair, and on two lines, too; the line is that of the first by time."""
        found = self.ask(([], [[flow(4, 0, 50, 5), flow(9, 7, 10, 1)], [flow(3, 0, 20, 5), flow(9, 8, 1, 1)]]),
                         ([], [[flow(3, 0, 30, 5), pair.Ev(9, 5, 1)]]))
        self.check(self.rows(found), [
            [0, 1, "0", "pair", 20, 35, 35, None, None, 2], [0, 0, "7", "single", 10, 1, 1, None, None, 1],
            [0, 1, "8", "single", 1, 1, 1, None, None, 1], [1, 0, "0", "single", 30, 5, 5, None, None, 1],
            [1, 0, None, "single", 5, 1, 1, None, None, 1]])
        self.check([found["flows"], found["events_without_flow"]], [4, 1])

    def test_a_wait_of_0(self):
        """The device did not wait at all: that is known, by the done event and by the line of ops."""
        found = self.ask(([[pair.Ev(4, 300, 20, waited(0))]], [[
            flow(3, 1, 0, 5), flow(4, 1, 50, 5, waited(0)),
            flow(3, 2, 200, 5), flow(4, 2, 310, 10),
            flow(4, 3, 400, 5, waited(0))]]))
        self.check(self.rows(found), [
            [0, 1, "1", "pair", 0, 55, 55, 0, "done event", 2], [0, 1, "2", "pair", 200, 120, 120, 0, "XLA Ops", 2],
            [0, 1, "3", "unmatched_done", 400, 5, 5, 0, "done event", 1]])

    def test_where_no_event_says_that_it_is_the_done(self):
        """The last by its start, of equal ones the last in the file; the end is the latest of all."""
        found = self.ask(([], [[
            flow(3, 1, 0, 5, waited(1)), flow(9, 1, 30, 5, waited(2)), flow(9, 1, 20, 50, waited(3)),
            flow(3, 2, 100, 5, waited(1)), flow(3, 2, 130, 5, waited(2)), flow(3, 2, 130, 4, waited(3)),
            # One that says so counts, however early it begins.
            flow(4, 3, 200, 5, waited(4)), flow(3, 3, 201, 60, waited(5)), flow(9, 3, 230, 1, waited(6))]]))
        self.check(self.rows(found), [
            [0, 0, "1", "pair", 0, 70, 70, 2, "done event", 3], [0, 0, "2", "pair", 100, 35, 35, 3, "done event", 3],
            [0, 0, "3", "pair", 200, 61, 61, 4, "done event", 3]])

    def test_the_flight_by_the_clock_of_the_device(self):
        """From the offset of the start, be it 0, to the end of the done; not where the done is not what ends last, nor where one of
        the two has no offset, nor where the device waited longer than that."""
        found = self.ask(([], [[
            flow(3, 1, 0, 5, at(0)), flow(4, 1, 50, 5, at(70), waited(9)),
            flow(3, 2, 100, 80, at(100)), flow(4, 2, 150, 5, at(170), waited(9)),  # the start ends later
            flow(3, 3, 200, 5), flow(4, 3, 250, 5, at(270), waited(9)),
            flow(3, 4, 300, 5, at(300)), flow(4, 4, 350, 5, waited(9)),
            flow(3, 5, 400, 5, at(440)), flow(4, 5, 450, 5, at(440), waited(20)),  # as long as the wait
            flow(3, 6, 500, 5, at(541)), flow(4, 6, 550, 5, at(540), waited(20)),  # 19 of 20
            flow(3, 7, 600, 5, at(641)), flow(4, 7, 605, 14, at(640), waited(20)),  # nor is the trace's as long
            flow(3, 8, 700, 5, at(641)), flow(4, 8, 705, 15, at(640), waited(20))]]))
        self.check([[row["flow"], row["duration_ps"], row["in_flight_ps"], row["exposed_stall_ps"]] for row in found["async"]], [
            ["1", 55, 79, 9], ["2", 80, 80, 9], ["3", 55, 55, 9], ["4", 55, 55, 9], ["5", 55, 20, 20], ["6", 55, 55, 20],
            ["7", 19, 19, None], ["8", 20, 20, 20]])

    def test_which_op_of_the_line_of_ops(self):
        """The one that ends when the flight does, by its name; of several the first in the file. What it waited is its length by the
        device's clock, else by the trace's; of starts at one time with one name the first counts for both."""
        found = self.ask(([[pair.Ev(9, 40, 15), pair.Ev(4, 48, 7), pair.Ev(4, 44, 11, waited(3)), pair.Ev(4, 150, 4), pair.Ev(4, 150, 6),
                            pair.Ev(2, 150, 5)],
                           [pair.Ev(4, 250, 5, waited(6)), pair.Ev(3, 200, 1, at(7)), pair.Ev(3, 200, 1, at(8)),
                            pair.Ev(4, 290, 5, at(9), waited(2))]],
                          [[flow(3, 1, 0, 5), flow(4, 1, 50, 5), flow(3, 2, 100, 5), flow(4, 2, 150, 5),
                            flow(3, 3, 200, 5), flow(4, 3, 250, 5), flow(3, 4, 200, 5), flow(4, 4, 280, 15)]]))
        self.check([[row["flow"], row["in_flight_ps"], row["exposed_stall_ps"], row["exposed_from"]] for row in found["async"]], [
            ["1", 55, 7, "XLA Ops"], ["2", 55, None, None], ["3", 55, 6, "XLA Ops"], ["4", 4, 2, "XLA Ops"]])

    def test_the_beginning_on_the_line_of_ops(self):
        """Of several the first that has an offset, and of another name none."""
        found = self.ask(([[pair.Ev(9, 200, 3, at(1)), pair.Ev(1, 200, 3, at(2)), pair.Ev(3, 200, 3), pair.Ev(3, 200, 2, at(0)),
                            pair.Ev(3, 200, 1, at(20)), pair.Ev(3, 201, 1, at(30)), pair.Ev(4, 300, 5, at(40), waited(5)),
                            pair.Ev(4, 400, 5, at(90), waited(5))]],
                          [[flow(3, 1, 200, 90), flow(4, 1, 300, 5), flow(3, 2, 199, 90), flow(4, 2, 400, 5)]]))
        self.check([[row["flow"], row["duration_ps"], row["in_flight_ps"], row["exposed_stall_ps"]] for row in found["async"]],
                   [["1", 105, 45, 5], ["2", 206, 206, 5]])

    def test_flights_that_end_at_one_op(self):
        """All that name it waited for it together."""
        done = names_done("copy-done.9")
        found = self.ask(([[pair.Ev(4, 90, 10)]], [[flow(3, 1, 0, 100, done), flow(3, 2, 40, 60, done), flow(3, 3, 41, 58, done),
                                                    flow(3, 4, 50, 50, names_done("copy-start.9")), pair.Ev(3, 95, 5, done)]]))
        self.check([[row["flow"], row["form"], row["exposed_stall_ps"], row["exposed_from"]] for row in found["async"]], [
            ["1", "single", 10, "XLA Ops"], ["2", "single", 10, "XLA Ops"], ["3", "single", None, None], ["4", "single", None, None],
            [None, "single", None, None]])  # longer than its flight

    def test_one_half_alone(self):
        """A start alone is one whose done is missing where the device has pairs, unless it names its done; another device has none. An
        event that is neither half, or has no flow, is the whole."""
        lone = [flow(3, 2, 100, 5), flow(3, 3, 110, 5, names_done("copy-done.9")), flow(3, 4, 120, 5, names_done("copy-start.9")),
                flow(9, 5, 130, 5), pair.Ev(3, 140, 5), flow(4, 6, 150, 5), pair.Ev(4, 160, 5)]
        found = self.ask(([], [[flow(3, 1, 0, 5), flow(4, 1, 50, 5), *lone]]), ([], [lone]))
        forms = ["single", "unmatched_start", "single", "single", "unmatched_done", "unmatched_done"]
        self.check([row["form"] for row in found["async"]],
                   ["pair", "unmatched_start", *forms, "single", "single", "single", *forms[2:]])

    def test_one_id_is_another_op_on_another_device(self):
        planes = []
        for number, (name, category) in enumerate((("copy-start.1", ""), ("copy-done.1", ""), ("slice-start.1", "all-gather-start"))):
            stats = [("hlo_category", "text", category)] if category else []
            planes.append(pair.Plane(1 + number, f"/device:TPU:{number}", "device", [pair.Line(4, "Async XLA Ops", 0, [
                flow(1, 5, 10, 5, waited(3))], "async")], {1: pair.Op(name, "", stats)}))
        path = self.write("a.xplane.pb", pair.Host("alpha", planes).bytes())
        found = truth.parsed(truth.run("collectives", path, "--json"))
        self.check([[row["plane"], row["name"], row["form"], row["category"], row["exposed_stall_ps"]] for row in found["async"]], [
            [0, "copy-start.1", "single", "copy", None], [1, "copy-done.1", "unmatched_done", "copy", 3],
            [2, "slice-start.1", "single", "all-gather", None]])

    def test_copies_of_two_devices(self):
        """Each device has totals of its own. By the device's clock only where all of one way have it; how long the device waited only
        where that is known of all of one way. Times that overlap count once."""
        def copy(there, number, start, length, *stats):
            return [flow(1 if there else 5, number, start, 2, *([at(stats[0])] if stats else [])),
                    flow(2 if there else 6, number, start + length - 2, 2, *([at(stats[1]), waited(stats[2])] if stats else []))]
        first = [*copy(True, 1, 0, 100, 1_000, 1_040, 10), *copy(True, 2, 50, 100, 1_045, 1_070, 0), *copy(False, 3, 500, 60, 0, 20, 5),
                 *copy(False, 4, 560, 60)]
        second = [*copy(True, 1, 0, 30), *copy(False, 2, 10, 30, 2_000, 2_010, 7)]
        found = self.ask(([], [first]), ([], [second]))
        self.check(found["transfers"], [
            {"file": 0, "plane": 0, "from_space": "HBM", "to_space": "VMEM", "count": 2, "bytes": 64, "in_flight_ps": 70,
             "exposed_stall_ps": 10},
            {"file": 0, "plane": 0, "from_space": "VMEM", "to_space": "HBM", "count": 2, "bytes": 64, "in_flight_ps": 120,
             "exposed_stall_ps": None},
            {"file": 0, "plane": 1, "from_space": "HBM", "to_space": "VMEM", "count": 1, "bytes": 32, "in_flight_ps": 30,
             "exposed_stall_ps": None},
            {"file": 0, "plane": 1, "from_space": "VMEM", "to_space": "HBM", "count": 1, "bytes": 32, "in_flight_ps": 17,
             "exposed_stall_ps": 7}])

    def test_only_a_part_is_asked_for(self):
        """What is left out of two flights is neither counted nor paired; ops that ended them count all the same."""
        lines = ([[pair.Ev(4, 90, 10)]], [[flow(3, 1, 0, 5), flow(4, 1, 95, 5), flow(3, 2, 50, 5), flow(4, 2, 60, 5)]])
        found = self.ask(lines, more=("--time", "5ps:60ps"))
        self.check([[row["flow"], row["form"]] for row in found["async"]], [["2", "single"]])
        found = self.ask(lines, more=("--time", "60ps:"))
        self.check([[row["flow"], row["form"]] for row in found["async"]], [["1", "unmatched_done"], ["2", "unmatched_done"]])
        found = self.ask(lines, lines, more=("--plane", "TPU:1"))
        self.check([[row["plane"], row["flow"], row["exposed_stall_ps"]] for row in found["async"]], [[1, "1", 10], [1, "2", None]])


class Ops(truth.Case):
    """Of the ops, not of asynchronous lines."""

    def test_counts(self):
        """Times are by the device's clock where it has them, be they 0; what is totalled already has neither a least nor a most."""
        ops = {1: pair.Op("ncclDevKernel_AllReduce_Sum"), 2: pair.Op("ncclDevKernel_AllGather"), 3: pair.Op("fusion.1")}
        named = ("hlo_op", "text", "all-reduce.1")
        lines = [pair.Line(16, "Stream #16", 0, [
            pair.Ev(1, 0, 50, named, waited(0)), pair.Ev(1, 100, 50, named, waited(7)), pair.Ev(1, 200, 9, named),
            pair.Ev(2, 0, 90, ("hlo_op", "text", "fusion.1"), occurrences=3),
            pair.Ev(3, 300, 30, ("hlo_op", "text", "fusion.1"))], "stream"),
                 pair.Line(17, "Stream #17", 0, [pair.Ev(1, 0, 16, named), pair.Ev(2, 20, 0, named)], "stream")]
        path = self.write("a.xplane.pb", pair.Host("alpha", [pair.Plane(1, "/device:GPU:0", "device", lines, ops),
                                                             pair.Plane(2, "/device:GPU:1", "device", [lines[1]], {
                                                                 1: ops[2], 2: ops[3]})]).bytes())
        keys = ("plane", "line", "name", "category", "on_stream", "is_half", "count", "total_ps", "min_ps", "max_ps")
        found = truth.parsed(truth.run("collectives", path, "--json"))["ops"]
        reduce, gather = ops[1].name, ops[2].name
        self.check([[row[key] for key in keys] for row in found], [
            [0, 0, gather, "all-gather", True, False, 3, 90, 0, 0], [0, 0, reduce, "all-reduce", True, False, 3, 16, 0, 9],
            [0, 1, reduce, "all-reduce", True, False, 1, 16, 16, 16], [1, 0, gather, "all-gather", True, False, 1, 16, 16, 16],
            [0, 1, gather, "all-gather", True, False, 1, 0, 0, 0], [1, 0, "fusion.1", "all-reduce", True, False, 1, 0, 0, 0]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
