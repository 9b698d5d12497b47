"""`steps` as text: a row for each device and source, then steps one by one; which columns stand there."""
import json
import statistics
import sys

import truth
from proto_writer import Plane, xspace
from screens import table, time
from trace_events import run, x

SUMMARY = [">file", "plane", "source", ">steps", ">median", ">min", ">max", ">total"]
ROWS = [">file", "plane", ">index", "step", ">number", ">start", ">duration"]


def tpu(number, line="Steps", *steps):
    """`steps`: (name, start, length, number or None)."""
    plane = Plane(f"/device:TPU:{number}", number + 1)
    plane.line(line, 0, [plane.event(name, start, length, () if step is None else [("step_num", step)])
                         for name, start, length, step in steps])
    return plane


def summed(plane, source, *lengths, file=""):
    middle = int(statistics.median(lengths))  # of an even number between both, down to a whole picosecond
    return [file, plane, source, len(lengths), time(middle), time(min(lengths)), time(max(lengths)), time(sum(lengths))]


def one(plane, index, name, number, start, length, file=""):
    return [file, plane, index, name, number, time(start), time(length)]


def screen(sums, rows, left_out=0):
    return ["Steps", *table(SUMMARY, *sums, indent=2), "", "In order", *table(ROWS, *rows, indent=2),
            *([f"  … {left_out} more (--limit 0 shows all)"] if left_out else [])]


class StepsScreen(truth.Case):
    def ask(self, path, *options):
        return truth.run("steps", path, *options).splitlines()

    def space(self, *planes, name="a.xplane.pb", hosts=()):
        return self.write(name, xspace(planes, hosts))

    def test_middle(self):
        """Of an odd number the one in the middle by length, of an even one what lies between."""
        for lengths in ((5,), (2, 9), (3, 8, 1), (2000, 6001, 1000, 9000), (4, 4, 4, 5, 0), (7, 0), (1, 2, 2, 3)):
            starts = range(0, 20_000 * len(lengths), 20_000)
            plane = tpu(0, "Steps", *(("a", start, length, None) for start, length in zip(starts, lengths)))
            rows = [one("TPU:0", at, "a", "", start, length) for at, (start, length) in enumerate(zip(starts, lengths))]
            self.assertEqual(self.ask(self.space(plane)), screen([summed("TPU:0", "Steps", *lengths)], rows))

    def test_limit(self):
        """Of what follows the sums, over all devices; the sums are of all."""
        planes = [tpu(at, "Steps", *((str(n), 100 * n, 10 + n, None) for n in range(3))) for at in range(2)]
        path = self.space(*planes)
        sums = [summed(f"TPU:{at}", "Steps", 10, 11, 12) for at in range(2)]
        rows = [one(f"TPU:{at}", n, str(n), n, 100 * n, 10 + n) for at in range(2) for n in range(3)]
        for limit, shown in ((1, 1), (3, 3), (5, 5), (6, 6), (7, 6), (0, 6)):
            self.assertEqual(self.ask(path, "--limit", limit), screen(sums, rows[:shown], 6 - shown))

    def test_limit_without_asking(self):
        for count in (20, 21):
            path = self.space(tpu(0, "Steps", *((f"s{n}", 10 * n, 5, None) for n in range(count))))
            rows = [one("TPU:0", n, f"s{n}", "", 10 * n, 5) for n in range(20)]
            self.assertEqual(self.ask(path), screen([summed("TPU:0", "Steps", *[5] * count)], rows, count - 20))

    def test_filters(self):
        """The index is that among all; the sums are of what is left."""
        path = self.space(tpu(0, "Steps", ("1", 0, 1000, None), ("eval", 2000, 300, None), ("2", 5000, 700, None)))
        of = {"1": one("TPU:0", 0, "1", 1, 0, 1000), "eval": one("TPU:0", 1, "eval", "", 2000, 300),
              "2": one("TPU:0", 2, "2", 2, 5000, 700)}
        for options, names in ((("--name", "eval"), ["eval"]), (("--step", 2), ["2"]), (("--time", "1ns:3ns"), ["eval"]),
                               (("--time", "999ps:3ns"), ["1", "eval"]), (("--time", "2ns:5001ps"), ["eval", "2"])):
            kept = [of[name] for name in names]
            lengths = [{"1": 1000, "eval": 300, "2": 700}[name] for name in names]
            self.assertEqual(self.ask(path, *options), screen([summed("TPU:0", "Steps", *lengths)], kept))

    def test_numbers(self):
        """0 and below are numbers; the column is there where any has one."""
        path = self.space(tpu(0, "Steps", ("a", 0, 1, 0), ("b", 5, 1, -2), ("c", 10, 1, None)))
        rows = [one("TPU:0", 0, "a", 0, 0, 1), one("TPU:0", 1, "b", -2, 5, 1), one("TPU:0", 2, "c", "", 10, 1)]
        self.assertEqual(self.ask(path), screen([summed("TPU:0", "Steps", 1, 1, 1)], rows))

    def test_files(self):
        """Numbers of files stand there where the capture has several, whatever is left of them; each file has its own source."""
        self.space(tpu(0, "Steps", ("1", 0, 1000, None)), name="run/a.xplane.pb", hosts=["a"])
        self.space(tpu(0, "XLA Modules", ("jit(1)", 0, 50, None)), name="run/b.xplane.pb", hosts=["b"])
        first = summed("TPU:0", "Steps", 1000, file=0), one("TPU:0", 0, "1", 1, 0, 1000, file=0)
        second = summed("TPU:0", "XLA Modules", 50, file=1), one("TPU:0", 0, "jit(1)", "", 0, 50, file=1)
        self.assertEqual(self.ask(self.scratch / "run"), screen(*zip(first, second)))
        self.assertEqual(self.ask(self.scratch / "run", "--host", "b"), screen(*zip(second)))
        self.assertEqual(self.ask(self.scratch / "run", "--host", "a"), screen(*zip(first)))

    def test_hosts(self):
        """Of an XSpace whose devices have no steps, and of a trace."""
        host = Plane("/host:CPU", 9)
        host.line("python", 0, [host.event("train", 0, 5000, [("step_num", 3)]), host.event("other", 1, 2)], line_id=4)
        self.assertEqual(self.ask(self.space(host)), screen([summed("/host:CPU", "step_num", 5000)],
                                                            [one("/host:CPU", 0, "train", 3, 0, 5000)]))
        us = 1_000_000
        events = [run("gemm", 0, 5), x("user_annotation", "ProfilerStep#8", 50, 1, 0, 10),
                  x("user_annotation", "ProfilerStep#9", 50, 1, 10, 13)]
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        rows = [one("process 50", 0, "ProfilerStep#8", 8, 0, 10 * us), one("process 50", 1, "ProfilerStep#9", 9, 10 * us, 13 * us)]
        self.assertEqual(self.ask(path), screen([summed("process 50", "ProfilerStep", 10 * us, 13 * us)], rows))
        marks = [x("gpu_user_annotation", "ProfilerStep#8", at, 7, at, 10 + at, device=at, stream=7) for at in range(2)]
        path = self.write("b.json", json.dumps({"schemaVersion": 1, "traceEvents": [run("gemm", 0, 5), *marks]}))
        self.assertEqual(self.ask(path), screen([summed(f"GPU {at}", "device annotation", (10 + at) * us) for at in range(2)],
                                                [one(f"GPU {at}", 0, "ProfilerStep#8", 8, at * us, (10 + at) * us) for at in range(2)]))

    def test_processes_by_turns(self):
        """Each has one row, whatever lies between its steps; the first to begin is first."""
        marks = [x("user_annotation", f"ProfilerStep#{at}", 60 - at % 2 * 10, 1, 10 * at, 5 + at) for at in range(4)]
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": [run("gemm", 0, 5), *marks]}))
        us = 1_000_000
        sums = [summed("process 60", "ProfilerStep", 5 * us, 7 * us), summed("process 50", "ProfilerStep", 6 * us, 8 * us)]
        self.assertEqual(self.ask(path)[:4], screen(sums, [])[:4])

    def test_none(self):
        path = self.space(tpu(0, "XLA Ops", ("a", 0, 5, None)))
        self.assertEqual(self.ask(path), ["[absent] no device plane has a 'Steps' or 'XLA Modules' line with events, and no host event has "
                                          "a step_num stat or the name of a step"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
