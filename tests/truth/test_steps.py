#!/usr/bin/env python3
"""`profkit steps`: the steps of devices, of program runs where none are marked, and of hosts."""
import sys

import pair
import truth


def step(file, plane, line, source, name, number, index, start_ps, duration_ps):
    return {"file": file, "plane": plane, "line": line, "source": source, "name": name,
            "step_num": None if number is None else str(number), "index": index, "start_ps": start_ps,
            "duration_ps": duration_ps}


STEPS = [
    step(0, 0, 0, "Steps", "7", 7, 0, 2_000_000, 8_192),  # by start, though it stands second in the file
    step(0, 0, 0, "Steps", "warmup", None, 1, 2_008_192, 12_000),
    step(0, 0, 0, "Steps", "warmup", 42, 2, 2_020_192, 12_000),  # its stat tells the number
    step(0, 1, 0, "Steps", "7", 7, 0, 5_000_000, 1_500),
    step(0, 1, 0, "Steps", "7", 7, 1, 5_001_500, 2_600),
    # Runs of a program are no steps with a number of their own, and their names tell none.
    step(1, 0, 0, "XLA Modules", "jit_step(7)", None, 0, 300_000_000, 10_000),
    step(1, 0, 0, "XLA Modules", "jit_step(7)", None, 1, 300_010_000, 30_000),
    step(1, 1, 0, "XLA Modules", "jit_eval(9)", 5, 0, 310_000_000, 640),
]


NO_STEPS = ("no device plane has a 'Steps' or 'XLA Modules' line with events, and no host event has a step_num stat "
            "or the name of a step")


class StepsTest(pair.PairCase):
    def document(self, steps, limit=0, **more):
        cut = limit and len(steps) > limit
        more = {**more, "limited": truth.limited(limit, ("steps", limit, len(steps)))} if cut else more
        return {**pair.frame("steps"), "steps": steps[:limit] if limit else steps, "matched": len(steps),
                "files": pair.files(self.folder), "damage": [], **more}

    def test_all(self):
        self.check(self.ask("steps"), self.document(STEPS))

    def test_limits(self):
        self.check(self.ask("steps", "--limit", 7, limit=7), self.document(STEPS, 7))
        self.check(self.ask("steps", "--limit", 8, limit=8), self.document(STEPS, 8))

    def test_filters_keep_the_numbers_of_steps(self):
        self.check(self.ask("steps", "--plane", "TPU:1", plane="TPU:1"), self.document(STEPS[3:5] + STEPS[7:]))
        self.check(self.ask("steps", "--host", "beta", host="beta"), self.document(STEPS[5:]))
        self.check(self.ask("steps", "--name", "warm", name="warm"), self.document(STEPS[1:3]))
        self.check(self.ask("steps", "--line", "Steps", line="Steps"), self.document(STEPS[:5]))
        self.check(self.ask("steps", "--step", 1, step=1), self.document([STEPS[1], STEPS[4], STEPS[6]]))
        self.check(self.ask("steps", "--step", 2, "--name", "warm", step=2, name="warm"), self.document(STEPS[2:3]))

    def test_windows(self):
        for from_ps, to_ps in [(2_008_192, 2_020_192), (2_008_191, 2_020_193), (None, 2_008_192), (5_001_500, None)]:
            kept = [s for s in STEPS if pair.in_window(s["start_ps"], s["duration_ps"], from_ps, to_ps)]
            options = f"{'' if from_ps is None else f'{from_ps}ps'}:{'' if to_ps is None else f'{to_ps}ps'}"
            filters = {k: v for k, v in (("from_ps", from_ps), ("to_ps", to_ps)) if v is not None}
            self.check(self.ask("steps", "--time", options, **filters), self.document(kept))

    def test_nothing_fits(self):
        self.check(self.ask("steps", "--step", 1, "--name", "jit_eval", step=1, name="jit_eval"),
                   self.document([], status="absent", reason="nothing in the capture matches the filters"))

    def test_a_step_beyond_the_last(self):
        for command in ("steps", "ops", "tree"):
            done = truth.subprocess.run([truth.PROFKIT, command, str(self.folder), "--step", "3"], check=False,
                                        stdout=truth.subprocess.PIPE, stderr=truth.subprocess.PIPE, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn("there is no step 3: steps go from 0 to 2", done.stderr.decode())

    def test_screen(self):
        self.check_screen("steps", "steps")
        self.check_screen("steps-limited", "steps", "--limit", 3, "--host", "alpha")


class HostStepsTest(truth.Case):
    def ask_for(self, planes, *options, status="ok", reason=None):
        host = pair.Host("alpha", [*planes, pair.Plane(99, "Task Environment", "environment", [], {}, [
            ("profile_start_time", "uint", pair.ORIGIN_NS["alpha"])])])
        path = self.write("a.xplane.pb", host.bytes())
        found = truth.parsed(truth.run("steps", path, "--json", *options))
        self.check(
            {k: found[k] for k in ("status", "reason", "files", "damage")},
            {
                "status": status,
                "reason": reason,
                "files": [{"path": str(path), "family": "xspace", "export_of": -1}],
                "damage": [],
            },
        )
        return found["steps"], found["matched"]

    def test_steps_that_hosts_mark(self):
        """Where no device tells: events with step_num of all threads of a host, by start, counted together."""
        def number(n, kind="int"):
            return ("step_num", kind, n)
        ops = {1: pair.Op("train"), 2: pair.Op("3")}
        first = pair.Line(
            1,
            "a",
            0,
            [
                pair.Ev(1, 500, 100, number(2)),
                pair.Ev(1, 0, 100, number(77), number(1, "uint")),  # the last counts
                pair.Ev(2, 50, 9),
                pair.Ev(1, 0, 9, number(8), occurrences=3),
            ],
            "thread",
        )
        second = pair.Line(
            2, "b", 0, [pair.Ev(2, 250, 0, number(-9)), pair.Ev(2, 500, 1, number("many", "text"))], "thread"
        )
        device = pair.Plane(3, "/device:TPU:0", "device", [pair.Line(3, "XLA Ops", 0, [pair.Ev(1, 0, 5)], "ops")], ops)
        planes = [
            device,
            pair.Plane(1, "/host:CPU", "host", [first, second], ops),
            pair.Plane(
                2, "/host:other", "host", [pair.Line(1, "a", 0, [pair.Ev(1, 100, 10, number(4))], "thread")], ops
            ),
        ]
        expected = [step(0, 1, 0, "step_num", "train", 1, 0, 0, 100), step(0, 1, 1, "step_num", "3", -9, 1, 250, 0),
                    step(0, 1, 0, "step_num", "train", 2, 2, 500, 100), step(0, 1, 1, "step_num", "3", None, 3, 500, 1),
                    step(0, 2, 0, "step_num", "train", 4, 4, 100, 10)]
        self.check(self.ask_for(planes), (expected, 5))
        self.check(self.ask_for(planes, "--step", "4"), (expected[4:], 1))
        # The step is a window for all planes of the host.
        found = truth.parsed(truth.run("framework", self.scratch / "a.xplane.pb", "--json", "--step", "0"))
        self.check([[n["plane"], n["name"], n["count"]] for n in found["names"]], [[1, "train", 1], [1, "3", 1]])
        self.check(
            truth.parsed(truth.run("ops", self.scratch / "a.xplane.pb", "--json", "--step", "0"))["lines"][0]["events"],
            1,
        )

    def test_steps_that_hosts_mark_by_name(self):
        """The best of what a host's names and stats mark; `bubbles` has the same steps."""
        ops = {1: pair.Op("ProfilerStep#8"), 2: pair.Op("Step#5"), 3: pair.Op("train"), 4: pair.Op("step[DECODE bs=2]"),
               5: pair.Op("ProfilerStep#"), 6: pair.Op("kernel")}
        number = ("step_num", "int", 70)

        def planes(*events):
            kernels = [pair.Ev(6, at, 10) for at in range(0, 1_000_000, 50_000)]
            device = pair.Plane(3, "/device:GPU:0", "device", [pair.Line(3, "Stream #1", 0, kernels, "stream")], ops)
            half = len(events) // 2
            host = pair.Plane(1, "/host:CPU", "host", [pair.Line(1, "a", 0, list(events[:half]), "thread"),
                                                       pair.Line(2, "b", 0, list(events[half:]), "thread")], ops)
            return [device, host]

        profiler = pair.Ev(1, 100_000, 200_000)
        profiler_with_number = pair.Ev(1, 400_000, 100_000, number)
        named, numbered = pair.Ev(2, 300_000, 50_000), pair.Ev(3, 350_000, 40_000, number)
        batch, neither = pair.Ev(4, 500_000, 100_000), pair.Ev(5, 600_000, 10_000)

        def row(line, source, name, n, index, event):
            return step(0, 1, line, source, name, n, index, event.start_ps, event.duration_ps)

        cases = [
            # Numbers of stats come before those of names; what a worse source marks is left out.
            ([profiler, named, numbered, batch, neither, profiler_with_number],
             [row(0, "ProfilerStep", "ProfilerStep#8", 8, 0, profiler),
              row(1, "ProfilerStep", "ProfilerStep#8", 70, 1, profiler_with_number)]),
            ([named, numbered, batch, neither], [row(0, "annotation", "Step#5", 5, 0, named)]),
            ([numbered, batch, neither], [row(0, "step_num", "train", 70, 0, numbered)]),
            ([batch, neither], [row(0, "annotation", "step[DECODE bs=2]", None, 0, batch)]),
            ([neither], []),
        ]
        for events, expected in cases:
            status = {} if expected else {"status": "absent", "reason": NO_STEPS}
            self.check(self.ask_for(planes(*events), **status), (expected, len(expected)))
            found = truth.parsed(truth.run("bubbles", self.scratch / "a.xplane.pb", "--json", "--limit", "0"))
            marked = [s for s in found["steps"] if s["marker"] != "none"]
            self.check(sorted(s["step_id"] for s in marked), sorted(s["step_num"] or s["name"] + "#0" for s in expected))

    def test_lines_that_repeat_those_of_the_core(self):
        """Steps of a sparse core count on a plane that has no others."""
        ops = {1: pair.Op("1"), 2: pair.Op("2")}
        sparse = pair.Line(5, "Sparse Core Steps", 0, [pair.Ev(1, 0, 50)], "steps")
        own = pair.Line(6, "Steps", 0, [pair.Ev(2, 10, 20)], "steps")
        empty = pair.Line(7, "Steps", 0, [], "steps")
        runs = pair.Line(8, "XLA Modules", 0, [pair.Ev(2, 10, 20)], "modules")
        planes = [pair.Plane(1, "/device:TPU:0", "device", [sparse, own], ops),
                  pair.Plane(2, "/device:TPU:1", "device", [empty, sparse], ops),
                  pair.Plane(3, "/device:TPU:2", "device", [runs], ops)]  # another source than the file's
        self.check(
            self.ask_for(planes),
            ([step(0, 0, 1, "Steps", "2", 2, 0, 10, 20), step(0, 1, 1, "Steps", "1", 1, 0, 0, 50)], 2),
        )
        self.check(self.ask_for(planes[2:]), ([step(0, 0, 0, "XLA Modules", "2", None, 0, 10, 20)], 1))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
