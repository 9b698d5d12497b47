"""What `ops` says of the lines and events of a trace that none of its lines counts: why, how many, in which order, and when it is
silent."""
import json
import sys

import truth
from trace_events import launch, operator, run, x

HOSTS, OTHERS, STEPS = "host events", "host events other than operators", "step marks"
WAITS, REPEATED, OWN, NO_END = "waits of devices", "lines that repeat other lines of the device", "the recorder's own events", \
    "begins or ends without the other"


def mark(n, tid, at):
    return x("user_annotation", f"ProfilerStep#{n}", 50, tid, at, 9)


def half(ph, name, tid, at):
    return {"ph": ph, "cat": "cpu_op", "name": name, "pid": 50, "tid": tid, "ts": at, "args": {}}


class LeftOut(truth.Case):
    def ask(self, events, *options):
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        found = truth.loads(truth.run("ops", path, "--json", "--limit", "0", *options)).get("left_out")
        return None if found is None else [(row["why"].split(" (")[0], row["lines"], row["events"]) for row in found]

    def test_by_reason(self):
        """The most events first. A line of which nothing is counted is of what most of it is."""
        kernel = run("k", 100, 5)
        self.assertIsNone(self.ask([kernel]))
        for events, wanted in (
                ([operator("mm", 1, 0, 5)], [(HOSTS, 1, 1)]),
                ([operator("mm", 1, 0, 5), operator("mm", 2, 0, 5), launch(1, 10)], [(HOSTS, 2, 3)]),
                ([operator("mm", 1, 0, 5), operator("mm", 1, 5, 1), mark(1, 1, 0)], [(HOSTS, 1, 2), (STEPS, 0, 1)]),
                ([operator("mm", 1, 0, 5), mark(1, 1, 0), mark(2, 1, 10)], [(STEPS, 1, 2), (HOSTS, 0, 1)]),
                ([operator("mm", 1, 0, 5), mark(1, 2, 0), mark(2, 2, 10), mark(3, 2, 20)], [(STEPS, 1, 3), (HOSTS, 1, 1)]),
                ([x("cuda_sync", "Stream Sync", 0, 3, 0, 5)], [(WAITS, 1, 1)]),
                ([x("gpu_user_annotation", "note", 0, 3, 0, 5), x("gpu_user_annotation", "note", 0, 3, 9, 5)], [(REPEATED, 1, 2)]),
                ([x("Trace", "PyTorch Profiler (0)", "Spans", "s", 0, 99), operator("mm", 1, 0, 5), operator("mm", 1, 6, 5)],
                 [(HOSTS, 1, 2), (OWN, 1, 1)])):
            self.assertEqual(self.ask([*events, kernel]), wanted)
            self.assertEqual(self.ask([kernel, *events[::-1]]), wanted)

    def test_lines_that_are_counted(self):
        """What else lies on the line of a kernel is left out as events alone."""
        beside = x("gpu_user_annotation", "note", 0, 7, 0, 5)
        self.assertEqual(self.ask([run("k", 100, 5), beside, operator("mm", 1, 0, 5)]), [(REPEATED, 0, 1), (HOSTS, 1, 1)])

    def test_without_an_end(self):
        """A line of which no event has one is a line without events; elsewhere such a begin is no event."""
        kernel = run("k", 100, 5)
        self.assertEqual(self.ask([kernel, half("B", "open", 1, 0)]), [(NO_END, 1, 0)])
        self.assertEqual(self.ask([kernel, half("B", "open", 1, 0), half("B", "open", 2, 0)]), [(NO_END, 2, 0)])
        self.assertEqual(self.ask([kernel, half("B", "open", 1, 0), operator("mm", 1, 5, 5)]), [(HOSTS, 1, 1)])
        self.assertEqual(self.ask([kernel, half("B", "f", 1, 0), half("E", "f", 1, 5), half("B", "open", 2, 0)]),
                         [(HOSTS, 1, 1), (NO_END, 1, 0)])

    def test_hosts_alone(self):
        """Where operators are counted the other calls are not; where there is none, all calls are, and only steps are left out."""
        calls = [launch(1, 10), launch(2, 10), x("python_function", "f", 50, 2, 0, 50)]
        self.assertEqual(self.ask([operator("mm", 1, 0, 5), *calls]), [(OTHERS, 1, 3)])
        self.assertEqual(self.ask([operator("mm", 1, 0, 5), *calls, mark(1, 1, 0)]), [(OTHERS, 1, 3), (STEPS, 0, 1)])
        self.assertIsNone(self.ask(calls))
        self.assertEqual(self.ask([*calls, mark(1, 2, 0), mark(2, 3, 0)]), [(STEPS, 1, 2)])

    def test_under_filters(self):
        """Nothing is said of what was not asked for."""
        events = [run("k", 100, 5), operator("mm", 1, 0, 5), mark(1, 1, 0)]
        self.assertEqual(self.ask(events), [(HOSTS, 1, 1), (STEPS, 0, 1)])
        for options in (("--plane", "GPU"), ("--line", "stream"), ("--name", "k"), ("--time", "0:1s"), ("--time", "0:"), ("--step", "0")):
            self.assertIsNone(self.ask(events, *options), options)

    def test_several_files(self):
        """They are added up."""
        for name, events in (("a", [run("k", 100, 5), operator("mm", 1, 0, 5)]), ("b", [operator("mm", 1, 0, 5), mark(1, 2, 0)])):
            self.write(f"run/{name}.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        found = truth.loads(truth.run("ops", self.scratch / "run", "--json"))["left_out"]
        self.assertEqual([(row["why"].split(" (")[0], row["lines"], row["events"]) for row in found], [(HOSTS, 2, 2), (STEPS, 1, 1)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
