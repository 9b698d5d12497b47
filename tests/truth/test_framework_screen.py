"""`framework` as text: names with their times, what stats they carry, and the first events."""
import json
import sys

import truth
from proto_writer import Plane, Ref, Uint, xspace
from screens import table, time
from trace_events import operator
from wire import message

NAMES = [">file", "event", ">count", ">total", ">self", ">max"]
STATS = ["stat", ">count", "kinds"]


def counted(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def names(by, events, *rows, left_out=0):
    """`rows`: (name, count, total, self, max)."""
    cells = [["", name, count, *map(time, times)] for name, count, *times in rows]
    return [f"Host events by {by}: {counted(len(rows) + left_out, 'name')}, {counted(events, 'event')}", *table(NAMES, *cells, indent=2),
            *more(left_out)]


def more(left_out):
    return [f"  … {left_out} more (--limit 0 shows all)"] if left_out else []


def stats(*rows, left_out=0):
    return ["", "Stats they carry", *(table(STATS, *rows, indent=2) if rows else ["  none"]), *more(left_out)]


def first(*lines, left_out=0):
    return ["", "First events", *("  " + line for line in lines), *more(left_out)]


def host(*lines):
    """`lines`: (name, [(event, start, length, stats)])."""
    plane = Plane("/host:CPU", 3)
    for at, (name, events) in enumerate(lines):
        plane.line(name, 0, [plane.event(*event) for event in events], line_id=10 + at)
    return plane


class FrameworkScreen(truth.Case):
    def ask(self, plane, *options):
        return truth.run("framework", self.write("a.xplane.pb", xspace([plane])), *options).splitlines()

    def test_one_of_each(self):
        self.assertEqual(self.ask(host(("main", [("f", 1000, 500)]))),
                         names("total time", 1, ("f", 1, 500, 500, 500)) + stats() + first("main", "  f  at 1.000 ns, for 500 ps"))

    def test_sums(self):
        """How long the longest of several was is not known where only their sum is."""
        plane = Plane("/host:CPU", 3)
        plane.line("main", 0, [plane.event("sum", 0, 70, occurrences=3), plane.event("f", 1000, 5)], line_id=10)
        rows = {line.split()[0]: line.split() for line in self.ask(plane)[2:4]}
        self.assertEqual((rows["sum"][:4], len(rows["sum"])), ("sum 3 70 ps".split(), 6))
        self.assertEqual(rows["f"], "f 1 5 ps 5 ps 5 ps".split())

    def test_orders(self):
        """Of each of the three another is first; equal ones stay in the order by total. Lists are cut after they are ordered."""
        plane = host(("main", [("outer", 0, 9000), ("inner", 1000, 7000), ("often", 10_000, 10), ("often", 10_010, 20),
                               ("often", 11_000, 30), ("twice", 12_000, 20), ("twice", 13_000, 20)]))
        rows = {"outer": (1, 9000, 2000, 9000), "inner": (1, 7000, 7000, 7000), "often": (3, 60, 60, 30), "twice": (2, 40, 40, 20)}
        said = first("main", "  outer  at 0 ps, for 9.000 ns", "  inner  at 1.000 ns, for 7.000 ns", "  often  at 10.000 ns, for 10 ps",
                     "  often  at 10.010 ns, for 20 ps", "  often  at 11.000 ns, for 30 ps", "  twice  at 12.000 ns, for 20 ps",
                     "  twice  at 13.000 ns, for 20 ps")
        for key, by, order in (("total", "total time", "outer inner often twice"), ("self", "self time", "inner outer often twice"),
                               ("count", "count", "often twice outer inner")):
            ordered = [(name, *rows[name]) for name in order.split()]
            self.assertEqual(self.ask(plane, "--sort", key), names(by, 7, *ordered) + stats() + said)
            for limit in (1, 3):
                self.assertEqual(self.ask(plane, "--sort", key, "--limit", limit),
                                 names(by, 7, *ordered[:limit], left_out=4 - limit) + stats() + first(
                                     *[line.strip() if at == 0 else line[2:] for at, line in enumerate(said[2:3 + limit])],
                                     left_out=7 - limit))

    def test_stats(self):
        """By name, those of an event too; each with every kind that it has, in the order of the format."""
        plane = host(("main", [
            ("f", 0, 10, [("b", 1), ("b", 0.5), ("text", "x"), ("big", Uint(5))]),
            ("g", 20, 10, [("b", Uint(2)), ("raw", b"ab"), ("text", Ref("shared"))]),
        ]))
        rows = [("b", 3, "double, uint64, int64"), ("big", 1, "uint64"), ("raw", 1, "bytes"), ("text", 2, "str, ref")]
        events = first("main", "  f  at 0 ps, for 10 ps", "    b=1  b=0.5  big=5  text=x", "  g  at 20 ps, for 10 ps",
                       "    b=2  raw=<2 B>  text=shared")
        sums = ("f", 1, 10, 10, 10), ("g", 1, 10, 10, 10)
        self.assertEqual(self.ask(plane), names("total time", 2, *sums) + stats(*rows) + events)
        self.assertEqual(self.ask(plane, "--limit", 3), names("total time", 2, *sums) + stats(*rows[:3], left_out=1) + events)

    def test_lines(self):
        """A line is named before its events, and not again; an event without a place in time has a length alone."""
        plane = host(("main", [("f", 0, 10), ("f", 20, 5), ("f", 0, 6, (), 3)]), ("", [("", 5, 1)]), ("other", [("f", 7, 2)]))
        plane.lines[1] += message(11, "shown")
        self.assertEqual(self.ask(plane), names("total time", 5, ("f", 6, 23, 17, 10), ("(no name)", 1, 1, 1, 1)) + stats() + first(
            "main", "  f  at 0 ps, for 10 ps", "  f  at 20 ps, for 5 ps", "  f  for 6 ps", "shown", "  (no name)  at 5 ps, for 1 ps",
            "other", "  f  at 7 ps, for 2 ps"))

    def test_long_names(self):
        """Of a first event 60 columns of the name, of its texts too; all of them with --wide."""
        name, text = "n" * 61, "t" * 61
        plane = host(("main", [(name, 0, 10, [("s", text)]), ("n" * 60, 20, 5, [("s", "t" * 60)])]))
        found = self.ask(plane)
        self.assertEqual(found[-5:], ["  main", f"    {'n' * 59}…  at 0 ps, for 10 ps", f"      s={'t' * 59}…",
                                      f"    {'n' * 60}  at 20 ps, for 5 ps", f"      s={'t' * 60}"])
        self.assertEqual(self.ask(plane, "--wide")[-4:-2], [f"    {name}  at 0 ps, for 10 ps", f"      s={text}"])

    def test_a_trace(self):
        """Threads by their names; a filter keeps what the self times are."""
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": [
            operator("aten::linear", 1, 0, 10), operator("aten::mm", 1, 2, 3), operator("aten::mm", 2, 20, 4)]}))
        us = 1_000_000
        found = truth.run("framework", path, "--name", "linear").splitlines()
        self.assertEqual(found, names("total time", 1, ("aten::linear", 1, 10 * us, 7 * us, 10 * us)) + stats(("kind", 1, "str")) + first(
            "thread 1", "  aten::linear  at 0 ps, for 10.000 us", "    kind=op"))
        found = truth.run("framework", path, "--name", "mm").splitlines()
        self.assertEqual(found, names("total time", 2, ("aten::mm", 2, 7 * us, 7 * us, 4 * us)) + stats(("kind", 2, "str")) + first(
            "thread 1", "  aten::mm  at 2.000 us, for 3.000 us", "    kind=op",
            "thread 2", "  aten::mm  at 20.000 us, for 4.000 us", "    kind=op"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
