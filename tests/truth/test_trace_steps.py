"""`profkit steps` of traces and tables: whose markers count, what lasts how long, and which step is which number."""
import datetime
import json
import sys

import trace_model as model
import truth
from trace_events import meta
from trace_case import AscendCase, KinetoCase


class Both:
    def test_all(self):
        self.check(self.ask("steps"), self.steps_document(self.steps()))

    def test_limits(self):
        for limit in (1, 5, 6, 7):
            self.check(self.ask("steps", "--limit", limit), self.steps_document(self.steps(), limit))

    def test_filters_keep_the_numbers_of_steps(self):
        steps = self.steps()
        self.check(self.ask("steps", "--step", 1), self.steps_document([s for s in steps if s["index"] == 1]))
        self.check(self.ask("steps", "--host", "rank1"), self.steps_document(steps[3:]))
        name = steps[2]["name"]
        self.check(self.ask("steps", "--name", name), self.steps_document([s for s in steps if name in s["name"]]))

    def test_windows(self):
        steps = self.steps()
        edge, other = steps[1]["start_ps"], steps[4]["start_ps"] + steps[4]["duration_ps"]
        for from_ps, to_ps in ((edge, edge + 1), (None, edge), (other, None), (other - 1, other), (None, edge + 1)):
            kept = [s for s in steps if (to_ps is None or s["start_ps"] < to_ps) and
                    (from_ps is None or s["start_ps"] >= from_ps or s["start_ps"] + s["duration_ps"] > from_ps)]
            text = ":".join("" if at is None else f"{at}ps" for at in (from_ps, to_ps))
            absent = {} if kept else {"status": "absent", "reason": "nothing in the capture matches the filters"}
            self.check(self.ask("steps", "--time", text), self.steps_document(kept, **absent))

    def test_a_step_beyond_the_last(self):
        for command in ("steps", "ops", "framework", "collectives"):
            truth.run(command, self.folder, "--step", 3, status=2)


class StepsOfPyTorch(Both, KinetoCase):
    def test_the_steps_of_a_device_are_those_of_its_host(self):
        self.check(self.ask("steps", "--plane", "GPU 1"), self.steps_document(self.steps()[:3]))

    def test_the_process_that_marks_steps(self):
        """What `steps` shows can be asked for."""
        self.check(self.ask("steps", "--plane", "python 901"), self.steps_document(self.steps()[3:]))
        self.check(self.ask("steps", "--line", "thread 11"), self.steps_document(self.steps()))


class StepsOfAscend(Both, AscendCase):
    def test_the_steps_of_a_device_are_those_of_its_host(self):
        self.check(self.ask("steps", "--plane", "NPU 1"), self.steps_document(self.steps()[:3]))


def x(name, start, duration, cat="user_annotation", pid=5, tid=5, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


US = 1_000_000


class StepsOfSmallTraces(truth.Case):
    def ask(self, *events, name="a.json", rank=None, **kept):
        document = {"schemaVersion": 1, "traceEvents": list(events)}
        if rank is not None:
            document["distributedInfo"] = {"rank": rank, "world_size": 2, "backend": "nccl"}
        self.write(f"log/{name}", json.dumps(document))
        found = truth.parsed(truth.run("steps", self.scratch / "log", "--json"))
        return found["steps"]

    def test_the_best_markers_of_a_host_count_alone(self):
        events = [x("Iteration#3", 0, 10), x("Step#4", 10, 10), x("ProfilerStep#x", 0, 5), x("iteration#5", 0, 5)]
        numbered = [model.step(0, "annotation", "Iteration#3", 3, 0, 0, 10 * US),
                    model.step(0, "annotation", "Step#4", 4, 1, 10 * US, 10 * US)]
        self.check(self.ask(*events), numbered)
        self.check(self.ask(*events, x("ProfilerStep#7", 2, 3)),
                   [model.step(0, "ProfilerStep", "ProfilerStep#7", 7, 0, 2 * US, 3 * US)])

    def test_every_host_has_its_own_best(self):
        self.ask(x("Iteration#3", 0, 10), name="a.json")
        found = self.ask(x("ProfilerStep#1", 1, 2), x("Iteration#1", 1, 2), name="b.json")
        self.check(found, [model.step(0, "annotation", "Iteration#3", 3, 0, 0, 10 * US),
                           model.step(1, "ProfilerStep", "ProfilerStep#1", 1, 0, 1 * US, 2 * US)])

    def test_annotations_of_a_device_where_the_host_has_none(self):
        """In device time, each device for itself."""
        kernel = [x(f"k{d}", 5, 10, "kernel", d, 7, device=d, stream=7) for d in (1, 0)]
        marks = [x("ProfilerStep#2", 20, 5, "gpu_user_annotation", 0, 7), x("ProfilerStep#1", 5, 10, "gpu_user_annotation", 0, 7),
                 x("ProfilerStep#1", 7, 9, "gpu_user_annotation", 1, 7), x("other", 5, 6, "gpu_user_annotation", 1, 7)]
        # Devices as the file shows them: GPU 1 first.
        expected = [model.step(0, "device annotation", "ProfilerStep#1", 1, 0, 7 * US, 9 * US, 0, -1),
                    model.step(0, "device annotation", "ProfilerStep#1", 1, 0, 5 * US, 10 * US, 1, -1),
                    model.step(0, "device annotation", "ProfilerStep#2", 2, 1, 20 * US, 5 * US, 1, -1)]
        self.check(self.ask(*kernel, *marks), expected)
        # A filter of devices, and a step of each as a window for its kernels.
        found = truth.parsed(truth.run("ops", self.scratch / "log", "--json", "--step", 0))
        self.check([[line["plane_name"], line["events"]] for line in found["lines"]], [["GPU 1", 1], ["GPU 0", 1]])
        found = truth.parsed(truth.run("ops", self.scratch / "log", "--json", "--step", 1))
        self.check(found["lines"], [])
        # Markers of the host are better.
        self.check(self.ask(*kernel, *marks, x("Iteration#1", 0, 4)),
                   [model.step(0, "annotation", "Iteration#1", 1, 0, 0, 4 * US, 2, 0)])

    def test_a_trace_that_is_not_in_the_order_of_time(self):
        """Its first event is not the earliest: what the tail tells of an earlier one moves zero by whole seconds."""
        at = 3_545_057_000_000  # us
        later, first = x("ProfilerStep#2", at + 100_000, 50), x("ProfilerStep#1", at - 400_000, 60)
        start = {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "t", "ts": at - 400_010}
        nothing = {"ph": "M", "name": "process_name", "pid": 5, "ts": 0, "args": {"name": "python"}}
        kernel = x("k", at - 300_000, 20, "kernel", 0, 7, device=0, stream=7)

        def steps(*events):
            self.write("log/a.json", json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 1_767_189_312_000_000_000,
                                                 "traceEvents": list(events)}))
            return [[step["name"][-1], step["start_ps"]]
                    for step in truth.parsed(truth.run("steps", self.scratch / "log", "--json"))["steps"]]
        moved = [["1", 600_000 * US], ["2", 1_100_000 * US]]
        self.check(steps(later, first, nothing, start, kernel), moved)
        found = truth.parsed(truth.run("bubbles", self.scratch / "log", "--json"))
        self.assertEqual([step["start_rel_ns"] for step in found["steps"]], [600_000_000, 1_100_000_000])
        found = truth.parsed(truth.run("info", self.scratch / "log", "--json"))
        self.assertEqual(found["origin_unix_ns"], str(1_767_189_312_000_000_000 + at * 1000 - 1_000_000_000))
        self.assertEqual(found["files"][0]["origin_unix_ns"], str(1_767_189_312_000_000_000 + at * 1000))
        self.assertEqual(found["files"][0]["first_ps"], 599_990 * US)
        origin = datetime.datetime.fromtimestamp(1_767_189_312 + at // 1_000_000 - 1, datetime.timezone.utc)
        self.assertIn(f"  origin    {origin:%Y-%m-%d %H:%M:%S} UTC", truth.run("info", self.scratch / "log"))
        # In order nothing moves, and neither does it for what lies more than an hour before.
        self.check(steps(first, later, nothing, start, kernel), moved)
        self.check(steps(later, nothing), [["2", 100_000 * US]])
        self.check(steps(later, {**start, "ts": at - 3_600_000_001}), [["2", 100_000 * US]])
        self.check(steps(later, {**start, "ts": at - 3_600_000_000}), [["2", 3_600_100_000 * US]])

    def test_threads_that_write_the_same_step(self):
        """One step from the earliest start to the latest end."""
        self.check(self.ask(x("ProfilerStep#1", 10, 10), x("ProfilerStep#1", 5, 8, tid=6), x("ProfilerStep#2", 30, 1, tid=6)),
                   [model.step(0, "ProfilerStep", "ProfilerStep#1", 1, 0, 5 * US, 15 * US, 0, 1),
                    model.step(0, "ProfilerStep", "ProfilerStep#2", 2, 1, 30 * US, 1 * US, 0, 1)])

    def test_a_number_that_comes_back(self):
        """A thread that counts anew, such as in each epoch, marks other steps."""
        self.check([[s["name"], s["start_ps"], s["duration_ps"]] for s in
                    self.ask(*[x(f"Step#{n}", 100 * epoch + 10 * n, 8) for epoch in (0, 1) for n in (0, 1)])],
                   [[f"Step#{n}", (100 * epoch + 10 * n) * US, 8 * US] for epoch in (0, 1) for n in (0, 1)])

    def test_equal_times_and_steps_of_no_length(self):
        found = self.ask(x("ProfilerStep#9", 10, 0), x("ProfilerStep#8", 10, 5), x("ProfilerStep#7", 15, 5))
        self.check([s["index"] for s in found], [0, 1, 2])
        self.check([[s["start_ps"], s["duration_ps"]] for s in found],
                   [[10 * US, 5 * US], [10 * US, 0], [15 * US, 5 * US]])  # of one start by number
        self.check([s["name"] for s in found], ["ProfilerStep#8", "ProfilerStep#9", "ProfilerStep#7"])

    def test_no_step(self):
        self.ask(x("aten::mm", 0, 10, "cpu_op"))
        found = truth.parsed(truth.run("steps", self.scratch / "log", "--json"))
        self.assertEqual((found["status"], found["steps"], found["matched"]), ("absent", [], 0))
        self.assertIn("no step is marked", found["reason"])

    def test_steps_of_planes_of_an_export(self):
        """XLA's exporter: a line of steps of each device."""
        events = [meta("process_name", 3, 0, "/device:TPU:0"), meta("thread_name", 3, 1, "Steps"),
                  meta("thread_name", 3, 3, "XLA Ops")]
        events += [{"ph": "X", "name": name, "pid": 3, "tid": tid, "ts": start, "dur": size}
                   for name, tid, start, size in (("5", 1, 0, 10), ("6", 1, 10, 10), ("fusion.1", 3, 1, 5),
                                                  ("fusion.2", 3, 10, 5), ("fusion.1", 3, 9, 2))]
        self.write("log/a.trace.json", json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
        found = truth.parsed(truth.run("steps", self.scratch / "log", "--json"))
        self.check(found["steps"], [model.step(0, "Steps", "5", 5, 0, 0, 10 * US, 0, -1),
                                    model.step(0, "Steps", "6", 6, 1, 10 * US, 10 * US, 0, -1)])
        found = truth.parsed(truth.run("ops", self.scratch / "log", "--json", "--step", 1))
        self.check([[op["name"], op["count"]] for op in found["lines"][0]["ops"]], [["fusion.2", 1], ["fusion.1", 1]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
