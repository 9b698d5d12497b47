"""Which events of hosts mark steps, what number a mark has, and which marks count beside others: of XSpaces, of PyTorch and of JAX's
exports alike."""
import itertools
import json
import sys

import truth
from proto_writer import Plane, xspace
from trace_events import meta

MOST = (1 << 63) - 1
PROFILER, NOTE, NUMBER = "ProfilerStep", "annotation", "step_num"
LONG = "step[" + "x" * 1018 + "]"  # 1024 characters
# Name: source and number; None: no step.
NAMES = {
    "ProfilerStep#7": (PROFILER, "7"), "ProfilerStep#007": (PROFILER, "7"), "ProfilerStep#0": (PROFILER, "0"),
    f"ProfilerStep#{MOST}": (PROFILER, str(MOST)), f"ProfilerStep#{MOST + 1}": (PROFILER, None), "ProfilerStep#": None,
    "ProfilerStep#1a": None, "ProfilerStep#-1": None, "ProfilerStep# 1": None, "ProfilerStep#1 ": None, "profilerstep#1": None,
    "a ProfilerStep#1": None,
    "ProfilerStep7": None, "ProfilerStep": None, "Iteration#3": (NOTE, "3"), "Iteration#": None, "iteration#3": None, "Iteration 3": None,
    "Step#12": (NOTE, "12"), "Step#": None, "step#12": None, "Step#1#2": None, "step[DECODE bs=8]": (NOTE, None), "step[]": (NOTE, None),
    "step[EXTEND bs=1 toks=512]": (NOTE, None), "step[DECODE bs=8": None, "step[DECODE bs=8] ": None, "step(DECODE)": None,
    "Step[DECODE]": None, "my step[DECODE]": None, LONG: (NOTE, None), LONG.replace("x]", "xx]"): None,
    "execute_context_1(8)_generation_0(0)": (NOTE, None), "execute_8_context_1(sq8sk8)_generation_0(sq0sk0)": (NOTE, None),
    "execute_context_1(8)": None, "execute_generation_0(0)_context_1(8)": None, "execute_context_1_generation_0(0)": None,
    "execute_context_1(8)_generation_0": None, "context_1(8)_generation_0(0)": None, "executes_context_1(8)_generation_0(0)": None}
# Kinds of marks by rank: what stands first counts alone.
RANKS = (("ProfilerStep#1", "ProfilerStep#2"), ("Iteration#1", "Step#2"), ("step[DECODE bs=1]", "step[EXTEND bs=2]"),
         ("execute_context_1(8)_generation_0(0)", "execute_1_context_1(8)_generation_0(0)"))


class Marks:
    """`saved(rows)`: the path of a capture with these events on a thread of a host: name, start, length in us, step_num or None."""

    def steps(self, rows, *options):
        found = truth.loads(truth.run("steps", self.saved(rows), "--json", "--limit", "0", *options))["steps"]
        return [(s["source"], s["name"], s["step_num"], s["start_ps"] // 10**6, s["duration_ps"] // 10**6) for s in found]

    def test_names(self):
        for name, wanted in NAMES.items():
            found = self.steps([(name, 10, 5, None), ("other", 0, 30, None)])
            self.assertEqual(found, [] if wanted is None else [(wanted[0], name, wanted[1], 10, 5)], name)

    def test_which_count(self):
        """Of two kinds the better one alone, whichever comes first; of one kind all."""
        for better, worse in itertools.combinations(RANKS, 2):
            for names in ((*worse, *better), (*better, *worse), (better[0], *worse, better[1])):
                rows = [(name, 10 * n, 5, None) for n, name in enumerate(names)]
                self.assertEqual([row[1] for row in self.steps(rows)], list(better), names)
        for names in RANKS:
            self.assertEqual([row[1] for row in self.steps([(name, 10 * n, 5, None) for n, name in enumerate(names)])], list(names))

    def test_what_a_filter_finds(self):
        """A filter picks among the steps that count: no worse marks take the place of those that it leaves out."""
        rows = [("Step#1", 0, 10, None), ("ProfilerStep#1", 20, 10, None), ("ProfilerStep#12", 40, 10, None), ("Step#2", 60, 10, None)]
        self.assertEqual([row[1] for row in self.steps(rows, "--name", "Step#2")], [])
        self.assertEqual([row[1] for row in self.steps(rows, "--name", "#1")], ["ProfilerStep#1", "ProfilerStep#12"])
        for window, kept in (("0us:20us", []), ("0us:21us", [1]), ("30us:40us", []), ("29us:41us", [1, 12]), ("49us:", [12]),
                             ("50us:", [])):
            self.assertEqual([row[2] for row in self.steps(rows, "--time", window)], [str(n) for n in kept], window)


class Numbered(Marks):
    """Of JAX, whose marks have a stat step_num."""

    def test_step_nums(self):
        """It makes an event a step, and it is more than the number in a name; a better name makes others no steps."""
        for rows, wanted in (
                ([("train", 0, 5, 3), ("train", 10, 5, 4), ("eval", 20, 5, None)], [(NUMBER, "train", "3"), (NUMBER, "train", "4")]),
                ([("train", 0, 5, 0)], [(NUMBER, "train", "0")]), ([("train 9", 0, 5, 3)], [(NUMBER, "train 9", "3")]),
                ([("ProfilerStep#6", 0, 5, 3)], [(PROFILER, "ProfilerStep#6", "3")]), ([("Step#6", 0, 5, 3)], [(NOTE, "Step#6", "3")]),
                ([("step[DECODE]", 0, 5, 3)], [(NOTE, "step[DECODE]", "3")]),
                ([("train", 0, 5, 3), ("Step#6", 10, 5, None)], [(NOTE, "Step#6", "6")]),
                ([("train", 0, 5, 3), ("ProfilerStep#6", 10, 5, None)], [(PROFILER, "ProfilerStep#6", "6")])):
            self.assertEqual([row[:3] for row in self.steps(rows)], wanted)


class OfXSpaces(Numbered, truth.Case):
    def saved(self, rows):
        plane = Plane("/host:CPU")
        plane.line("python", 0, [plane.event(name, start * 10**6, length * 10**6, [("step_num", n)] if n is not None else [])
                                 for name, start, length, n in rows])
        return self.write("a.xplane.pb", xspace([plane]))

    def test_planes_in_turn(self):
        """Rows stand by plane, and within a plane by start; positions are of the file."""
        planes = [Plane("/host:CPU", 1), Plane("/host:python", 2)]
        for at, plane in enumerate(planes):
            for n, starts in enumerate(((30, 10), (20,))):
                plane.line(f"t{n}", 0, [plane.event(f"Step#{start + at}", start * 10**6, 10**6) for start in starts])
        found = truth.loads(truth.run("steps", self.write("b.xplane.pb", xspace(planes)), "--json"))["steps"]
        self.assertEqual([(s["plane"], s["line"], s["index"], s["step_num"]) for s in found],
                         [(0, 0, 0, "10"), (0, 1, 1, "20"), (0, 0, 2, "30"), (1, 0, 3, "11"), (1, 1, 4, "21"), (1, 0, 5, "31")])


class OfJaxExports(Numbered, truth.Case):
    def saved(self, rows):
        events = [meta("process_name", 7, None, "/host:CPU"), meta("thread_name", 7, 1, "python")]
        events += [{"ph": "X", "name": name, "pid": 7, "tid": 1, "ts": start, "dur": length,
                    "args": {} if n is None else {"step_num": str(n)}} for name, start, length, n in rows]
        return self.write("a.trace.json", json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))


class OfPyTorch(Marks, truth.Case):
    def saved(self, rows):
        return self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": name, "pid": 7, "tid": 1, "ts": start, "dur": length, "args": {}}
            for name, start, length, _ in rows]}))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
