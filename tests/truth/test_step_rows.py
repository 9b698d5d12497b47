"""Rows of `steps` of XSpaces: the one source of a file under filters, limits, windows, lengths below zero, files in turn."""
import sys

import truth
import xspace as x

ENTRIES = [x.event_metadata(1, "1"), x.event_metadata(2, "2"), x.event_metadata(3, "jit_f(3)"), x.event_metadata(4, "Step#4"),
           x.event_metadata(5, "op"), x.event_metadata(6, "ProfilerStep#6")]


def line(name, *rows, key=1, at_ns=0):
    """(name's number, start, length) or a message."""
    return x.line(key, name, [row if isinstance(row, bytes) else x.event(*row) for row in rows], at_ns)


def device(at, *lines):
    return x.plane(10 + at, f"/device:TPU:{at}", *lines, *ENTRIES)


HOST = x.plane(1, "/host:CPU", line("main", (4, 3, 8)), *ENTRIES)


class Rows(truth.Case):
    def ask(self, *planes, status=0, options=("--limit", "0")):
        return truth.loads(truth.run("steps", self.write("a.xplane.pb", x.space(*planes)), "--json", *options, status=status))

    def rows(self, *planes, **more):
        return [(s["source"], s["plane"], s["line"], s["index"], s["name"], s["start_ps"], s["duration_ps"])
                for s in self.ask(*planes, **more)["steps"]]

    def test_one_source_of_a_file(self):
        """Runs of programs of one device are no steps where another has a line of steps; a filter does not bring them back."""
        planes = device(0, line("Steps", (1, 0, 5))), device(1, line("XLA Modules", (3, 0, 5))), HOST
        self.assertEqual(self.rows(*planes), [("Steps", 0, 0, 0, "1", 0, 5)])
        for options in (("--plane", "TPU:1"), ("--plane", "host"), ("--line", "XLA Modules"), ("--line", "main")):
            found = self.ask(*planes, options=options)
            self.assertEqual((found["status"], found["steps"], found["matched"]), ("absent", [], 0), options)
        self.assertEqual(self.rows(*planes[1:]), [("XLA Modules", 0, 0, 0, "jit_f(3)", 0, 5)])
        self.assertEqual(self.rows(planes[2]), [("annotation", 0, 0, 0, "Step#4", 3, 8)])
        # Nor does a line of a thread bring back what another thread marks better.
        marks = x.plane(1, "/host:CPU", line("a", (4, 3, 8)), line("b", (6, 20, 8), key=2), *ENTRIES)
        self.assertEqual(self.rows(marks), [("ProfilerStep", 0, 1, 0, "ProfilerStep#6", 20, 8)])
        self.assertEqual(self.rows(marks, options=("--line", "a")), [])
        # A line of that name counts before one that only has it in its own.
        cores = line("Sparse Core Steps", (2, 0, 9), key=2)
        self.assertEqual(self.rows(device(0, cores, line("Steps", (1, 1, 5)))), [("Steps", 0, 1, 0, "1", 1, 5)])

    def test_positions_are_those_that_step_takes(self):
        """Whatever the other filters leave out: two threads and two planes of a host that mark steps by turns."""
        threads = x.plane(1, "/host:CPU", line("a", (4, 0, 8), (4, 40, 8)), line("b", (4, 20, 8), (4, 60, 8), key=2), *ENTRIES)
        python = x.plane(2, "/host:python", line("b", (4, 80, 8), key=3), *ENTRIES)
        starts = [[0, 20, 40, 60, 80], [0, 40], [20, 60, 80], [0, 20, 40, 60], [80]]
        positions = [[0, 1, 2, 3, 4], [0, 2], [1, 3, 4], [0, 1, 2, 3], [4]]
        cases = zip(((), ("--line", "a"), ("--line", "b"), ("--plane", "CPU"), ("--plane", "python")), positions, starts)
        for options, at, begins in cases:
            found = self.rows(threads, python, options=options)
            self.assertEqual([(row[3], row[5]) for row in found], list(zip(at, begins)), options)
            for position, start in zip(at, begins):
                self.assertEqual([row[5] for row in self.rows(threads, python, options=(*options, "--step", position))], [start])
            other = ({0, 1, 2, 3, 4} - set(at) or {None}).pop()
            if other is not None:
                self.assertEqual(self.rows(threads, python, options=(*options, "--step", other)), [], (options, other))

    def test_each_file_has_its_own(self):
        """By file, then plane, then start, whatever began first; a file without steps has none."""
        spaces = {"a": [device(0, line("Steps", (2, 900, 5), (1, 500, 5)))], "b": [HOST],
                  "c": [device(0, line("XLA Ops", (5, 0, 5)))], "d": [device(0, line("XLA Modules", (3, 0, 5)))]}
        for name, planes in spaces.items():
            self.write(f"run/{name}.xplane.pb", x.space(*planes))
        found = truth.loads(truth.run("steps", self.scratch / "run", "--json"))["steps"]
        self.assertEqual([(s["file"], s["source"], s["index"], s["name"]) for s in found],
                         [(0, "Steps", 0, "1"), (0, "Steps", 1, "2"), (1, "annotation", 0, "Step#4"), (3, "XLA Modules", 0, "jit_f(3)")])
        for options, files in ((("--host", "b"), [1]), (("--step", "1"), [0]), (("--step", "0"), [0, 1, 3]), (("--name", "jit"), [3]),
                               (("--plane", "TPU"), [0, 0, 3]), (("--time", "0ps:4ps"), [1, 3]), (("--time", "11ps:"), [0, 0])):
            found = truth.loads(truth.run("steps", self.scratch / "run", "--json", *options))
            self.assertEqual([s["file"] for s in found["steps"]], files, options)
            self.assertEqual(found["matched"], len(files))

    def test_limits(self):
        """The first rows; what matched is counted before."""
        planes = [device(at, line("Steps", *((1, 100 * at + 10 * n, 5) for n in range(3)))) for at in range(2)]
        whole = self.rows(*planes)
        self.assertEqual([row[5] for row in whole], [0, 10, 20, 100, 110, 120])
        for limit in range(1, 8):
            found = self.ask(*planes, options=("--limit", limit))
            self.assertEqual(([s["start_ps"] for s in found["steps"]], found["matched"]), ([row[5] for row in whole[:limit]], 6))
            self.assertEqual(found.get("limited"), truth.limited(limit, ("steps", limit, 6)) if limit < 6 else None)
        found = self.ask(*planes, options=("--limit", 1, "--step", 2))
        self.assertEqual(([s["start_ps"] for s in found["steps"]], found["matched"]), ([20], 2))

    def test_windows(self):
        """What touches a window from before is outside, an instant at its start inside; a step keeps its number and its length."""
        planes = device(0, line("Steps", (1, 0, 10), (2, 10, 0), (1, 10, 10), (2, 30, 5))),
        for window, kept in (("10ps:11ps", [1, 2]), ("9ps:10ps", [0]), ("9ps:11ps", [0, 1, 2]), ("11ps:30ps", [2]), ("20ps:30ps", []),
                             ("19ps:31ps", [2, 3]), ("34ps:", [3]), (":1ps", [0]), (":10ps", [0]), (":11ps", [0, 1, 2])):
            found = self.ask(*planes, options=("--time", window))["steps"]
            self.assertEqual([s["index"] for s in found], kept, window)
            self.assertEqual([s["duration_ps"] for s in found], [[10, 0, 10, 5][n] for n in kept])
        self.assertEqual([row[3] for row in self.rows(*planes, options=("--time", "9ps:11ps", "--step", "2"))], [2])
        self.assertEqual([row[3] for row in self.rows(*planes, options=("--time", "9ps:11ps", "--name", "2"))], [1])

    def test_starts_of_lines(self):
        """Starts are of the capture's clock: a line's own start counts, and rows of two lines stand in one order."""
        lines = line("Steps", (1, 5, 1), (1, 3000, 1), at_ns=1), line("Steps", (2, 7, 1), key=2, at_ns=2)
        self.assertEqual([row[2:6] for row in self.rows(device(0, *lines))], [(0, 0, "1", 1005), (1, 1, "2", 2007), (0, 2, "1", 4000)])

    def test_events_that_are_no_steps(self):
        """One without a place in time; one that lasts less than no time does so for 0 ps, and is damage."""
        total = x.event(1, None, 9, occurrences=2)
        self.assertEqual(self.rows(device(0, line("Steps", total, (2, 10, 5)))), [("Steps", 0, 0, 0, "2", 10, 5)])
        for name, key, shown in (("Steps", 2, "2"), ("XLA Modules", 3, "jit_f(3)")):
            found = self.ask(device(0, line(name, (key, 5, -4 & (1 << 64) - 1), (1, 10, 5))), status=5)
            self.assertEqual([(s["name"], s["duration_ps"]) for s in found["steps"]], [(shown, 0), ("1", 5)])
            self.assertEqual((found["status"], len(found["damage"])), ("partial", 1))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
