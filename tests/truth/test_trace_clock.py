"""A trace of XLA's exporter says of a TPU what the XSpace of the same run says, by the device's clock."""
import collections
import json
import random
import sys

import trace_model as model
import truth
import xspace as x

US = 1_000_000  # ps
SEEDS = range(1, 31)
OFFSET, DURATION, STEP = 1, 2, 3  # ids of stats
ROWS = ("name", "count", "total_ps", "self_ps", "min_ps", "max_ps")


class Event:
    """What ran: `start` and `size` as the profiler placed it, `own` as the device says: (start, size), or None."""

    def __init__(self, name, start, size, own=(None, None), step=None):
        self.name, self.start, self.size, self.own, self.step = name, start, size, own, step

    def stats(self):
        found = [(OFFSET, "device_offset_ps", self.own[0]), (DURATION, "device_duration_ps", self.own[1]),
                 (STEP, "step_num", self.step)]
        return [row for row in found if row[2] is not None]


class Run:
    """A run of one TPU and its host, as an XSpace and as a trace."""

    def __init__(self, lines, host=()):
        self.lines = lines  # {name: [Event]}
        self.host = list(host)

    def xspace(self):
        names = sorted({e.name for events in (*self.lines.values(), self.host) for e in events})
        ids = {name: i + 1 for i, name in enumerate(names)}
        parts = [x.stat_metadata(OFFSET, "device_offset_ps"), x.stat_metadata(DURATION, "device_duration_ps"),
                 x.stat_metadata(STEP, "step_num"), *(x.event_metadata(i, name) for name, i in ids.items())]

        def line(at, name, events):
            return x.line(at, name, [x.event(ids[e.name], e.start, e.size,
                                             [x.stat(i, value) for i, _, value in e.stats()]) for e in events])
        lines = [line(i + 1, name, events) for i, (name, events) in enumerate(self.lines.items())]
        planes = [x.plane(1, "/device:TPU:0", *lines, *parts)]
        if self.host:
            planes.append(x.plane(2, "/host:CPU", line(1, "main", self.host), *parts))
        return x.space(*planes)

    def trace(self):
        events = []

        def meta(what, pid, tid, name):
            events.append({"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": name}})

        def line(pid, tid, name, given):
            meta("thread_name", pid, tid, name)
            events.extend({"ph": "X", "pid": pid, "tid": tid, "ts": e.start / US, "dur": e.size / US, "name": e.name,
                           "args": {key: str(value) for _, key, value in e.stats()}} for e in given)
        meta("process_name", 3, 0, "/device:TPU:0")
        for tid, (name, given) in enumerate(self.lines.items()):
            line(3, tid + 1, name, given)
        if self.host:
            meta("process_name", 701, 0, "/host:CPU")
            line(701, 12, "main", self.host)
        return json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": [*events, {}]})


class SameRun(truth.Case):
    def both(self, run, name="vm"):
        return (self.write(f"x{name}/{name}.xplane.pb", run.xspace()),
                self.write(f"t{name}/{name}.trace.json", run.trace()))

    @staticmethod
    def ask(command, path, *options, **how):
        return truth.parsed(truth.run(command, path, "--json", *options, **how))

    @staticmethod
    def rows(line):
        return sorted(tuple(op[key] for key in ROWS) for op in line["ops"])

    def lines(self, path, *options):
        return [(line["line_name"], line["clock"], line["events"], line["duration_sum_ps"], line["busy_ps"],
                 self.rows(line))
                for line in self.ask("ops", path, "--limit", 0, *options)["lines"]]

    def truth_of(self, events):
        """(clock, events, sum, busy, rows) of a line, every instant by itself."""
        starts = all(None not in e.own for e in events)
        runs = [model.Run(e.name, e.own[0] if starts else e.start, e.size if e.own[1] is None else e.own[1], row)
                for row, e in enumerate(events)]
        own = model.self_times(runs)
        rows = []
        for name in {r.op for r in runs}:
            sizes = [r.duration for r in runs if r.op == name]
            alone = sum(s for s, r in zip(own, runs) if r.op == name)
            rows.append((name, len(sizes), sum(sizes), alone, min(sizes), max(sizes)))
        clock = "device" if starts else "mixed" if any(e.own[1] is not None for e in events) else "aligned"
        return clock, len(runs), sum(r.duration for r in runs), sum(own), sorted(rows)

    def events(self, r):
        """Ops, some in others; the device's clock is slower or faster, stands still or has starts out of order."""
        kind = r.choice(["all", "all", "all", "no starts", "some", "none"])
        found, at, own_at = [], 0, r.randrange(10**6) * 1000
        for _ in range(r.randrange(1, 40)):
            size, own = r.randrange(1, 2000) * 1000, r.randrange(1, 2000) * 1000
            inside = r.random() < 0.2 and found
            start = found[-1].start if inside else at
            own_start = found[-1].own[0] if inside and found[-1].own[0] is not None else own_at
            times = (own_start, own)
            if kind == "none" or (kind == "some" and r.random() < 0.4):
                times = (None, None)
            elif kind == "no starts":
                times = (None, own)
            found.append(Event(r.choice(["fusion.1", "copy-done.1", "fusion.2", "all-reduce.3"]), start, size, times))
            if not inside:
                at = start + size + r.randrange(3) * 1000
                own_at += own + r.randrange(-200, 500) * 1000
                own_at = max(own_at, 0)
        return found

    def test_the_clock_of_the_device(self):
        clocks = collections.Counter()
        for seed in SEEDS:
            r = random.Random(seed)
            events = self.events(r)
            expected = self.truth_of(events)
            runs = [Event("jit_f(7)", events[0].start, events[-1].start + events[-1].size - events[0].start)]
            space, trace = self.both(Run({"XLA Modules": runs, "XLA Ops": events}), str(seed))
            clocks[expected[0]] += 1
            with self.subTest(seed=seed):
                self.check(self.lines(trace), [("XLA Ops", *expected)])
                self.check(self.lines(trace), self.lines(space))
                text, said = truth.run("ops", trace), truth.run("ops", space)
                self.assertEqual("by the device's clock" in text, expected[0] != "aligned")
                self.assertEqual("by the device's clock" in said, expected[0] != "aligned")
                report = self.ask("report", trace)["summary"]
                self.assertEqual(report["busy_ps"], expected[3])
        self.assertEqual(set(clocks), {"device", "mixed", "aligned"})

    def test_the_report_names_the_clock(self):
        events = [Event("a", 0, 120 * US, (0, 100 * US)), Event("b", 120 * US, 90 * US, (100 * US, 118 * US))]
        _, trace = self.both(Run({"XLA Ops": events}))
        text = truth.run("report", trace)
        self.assertIn("by the device's clock", text)
        self.assertIn("TPU 0 XLA Ops 2 2 218.000 us", " ".join(text.split()))
        # Windows are of the timeline: of b, which the device began 20 us earlier, nothing lies in it.
        self.assertEqual(self.lines(trace, "--time", "0us:110us"),
                         [("XLA Ops", "device", 1, 100 * US, 100 * US, [("a", 1, *[100 * US] * 4)])])

    def steps(self, path):
        return [tuple(s[key] for key in ("index", "name", "step_num", "start_ps", "duration_ps", "source"))
                for s in self.ask("steps", path)["steps"]]

    def test_steps(self):
        ops = [Event("fusion.1", i * 100 * US, 80 * US, (i * 90 * US, 70 * US)) for i in range(5)]
        runs = [Event(f"jit_f({i % 2})", i * 100 * US, 90 * US) for i in range(5)]
        marks = [Event(str(7 + i), i * 100 * US, 95 * US) for i in range(5)]
        host = [Event("train", i * 100 * US, 50 * US, step=i) for i in range(3)]
        host.append(Event("PjitFunction(f)", 0, 10 * US))
        cases = {"runs": (Run({"XLA Modules": runs, "XLA Ops": ops}, host), "XLA Modules", 5),
                 "marks": (Run({"Steps": marks, "XLA Modules": runs, "XLA Ops": ops}, host), "Steps", 5),
                 "host": (Run({"XLA Ops": ops}, host), "step_num", 3),
                 "cores": (Run({"Sparse Core Modules": runs[:2], "XLA Modules": runs, "XLA Ops": ops}), "XLA Modules",
                           5)}
        for name, (run, source, count) in cases.items():
            space, trace = self.both(run, name)
            with self.subTest(name=name):
                found = self.steps(trace)
                self.assertEqual((len(found), {s[-1] for s in found}), (count, {source}))
                self.check(found, self.steps(space))
                if source == "XLA Modules":
                    self.assertIn("none are marked, so every run of a module counts", truth.run("report", trace))
                    ids = [s["step_id"] for s in self.ask("bubbles", trace)["steps"]]
                    self.assertEqual(ids, [s["step_id"] for s in self.ask("bubbles", space)["steps"]])

    def test_advice_is_for_who_recorded_it(self):
        ops = [Event("fusion.1", i * 1000 * US, 10 * US, (i * 1000 * US, 10 * US)) for i in range(9)]
        host = [Event(f"call {i % 2}", i * 1000 * US, 900 * US) for i in range(9)]
        flags = ("with_stack", "record_shapes", "PyTorch", "record_function", "nn.Module")
        space, trace = self.both(Run({"XLA Ops": ops}, host))
        for path in (space, trace):
            for command in ("bubbles", "steps", "report", "modules", "framework"):
                text = truth.run(command, path)
                for flag in flags:
                    self.assertNotIn(flag, text, (path.name, command))
        # PyTorch's own is for PyTorch.
        events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1000 * i, "dur": 10,
                   "args": {"device": 0, "stream": 7}} for i in range(9)]
        events += [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 1, "ts": 1000 * i, "dur": 900}
                   for i in range(9)]
        path = self.write("torch.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertIn("with_stack=true", " ".join(truth.run("bubbles", path).split()))
        self.assertIn("record_function", truth.run("steps", path))
        self.assertIn("nn.Module", truth.run("modules", path))

    def test_a_real_run(self):
        capture = truth.corpus("captures/xspace/tpu_v6e_inference.xplane.pb")
        trace = self.scratch / "vm.trace.json.gz"
        truth.run("export", capture, "--compat", "xla", "-o", trace)
        ours, theirs = self.ask("ops", trace, "--limit", 0)["lines"], self.ask("ops", capture, "--limit", 0)["lines"]
        self.assertEqual([(line["clock"], line["events"], line["busy_ps"]) for line in ours],
                         [(line["clock"], line["events"], line["busy_ps"]) for line in theirs])
        for one, other in zip(ours, theirs):
            # An XSpace has the whole instruction for a name.
            rows = [tuple(op[key] for key in ROWS[1:]) for op in one["ops"]]
            self.assertEqual(rows, [tuple(op[key] for key in ROWS[1:]) for op in other["ops"]])
            self.assertEqual([op["name"] for op in one["ops"][:6]],
                             [op["name"].split(" = ")[0].lstrip("%") for op in other["ops"][:6]])
        self.assertEqual(ours[0]["ops"][0]["name"], "copy-done.4")
        self.check([s[1:] for s in self.steps(trace)], [s[1:] for s in self.steps(capture)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
