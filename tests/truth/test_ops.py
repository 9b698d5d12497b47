#!/usr/bin/env python3
"""`profkit ops`: every number of every op of two hosts, under every filter."""
import random
import sys

import ops_model as model
import pair
import truth
import xspace as x


class OpsTest(pair.PairCase):
    def document(self, places, keeps=lambda place, event: True, name="", limit=0, source="XLA Ops"):
        found = [model.line_document(place, lambda e, p=place: keeps(p, e), name, limit) for place in places]
        return {
            **pair.frame("ops"),
            "source": source,
            "lines": [f for f in found if f],
            "files": pair.files(self.folder),
            "damage": [],
        }

    def test_all(self):
        self.check(self.ask("ops"), self.document(pair.lines({"ops"})))

    def test_the_description_is_awkward(self):
        clocks = [model.total(place[5])[4] for place in pair.lines({"ops"})]
        self.assertEqual(clocks, ["device", "mixed", "aligned", "aligned"])

    def test_sorted_and_limited(self):
        """--json keeps the order by total; the limit tells what it leaves out."""
        expected = truth.with_limited(self.document(pair.lines({"ops"}), limit=3), 3)
        self.check(self.ask("ops", "--limit", 3, limit=3), expected)
        self.assertEqual([line["ops_left_out"] for line in expected["lines"]], [11, 2, 2, 2])
        self.check(self.ask("ops", "--limit", 0, "--sort", "self"), self.document(pair.lines({"ops"})))

    def test_a_plane(self):
        places = [p for p in pair.lines({"ops"}) if "TPU:1" in p[4].name]
        self.check(self.ask("ops", "--plane", "TPU:1", plane="TPU:1"), self.document(places))

    def test_a_host(self):
        places = [p for p in pair.lines({"ops"}) if p[3].name == "beta"]
        self.check(self.ask("ops", "--host", "bet", host="bet"), self.document(places))

    def test_streams_of_a_gpu(self):
        places = list(pair.lines({"stream"}))
        expected = self.document(places, source="lines named 'Stream #'")
        self.check(self.ask("ops", "--line", "Stream #", line="Stream #"), expected)
        self.check(self.ask("ops", "--plane", "GPU", plane="GPU"), {**expected, "source": "device streams"})

    def test_a_line_with_just_the_name_wins_over_those_that_contain_it(self):
        places = [p for p in pair.lines() if p[5].title == "Steps"]
        self.check(
            self.ask("ops", "--line", "Steps", line="Steps"), self.document(places, source="lines named 'Steps'")
        )

    def test_a_name_picks_rows_and_leaves_self_times_as_they_are(self):
        self.check(self.ask("ops", "--name", "copy", name="copy"), self.document(pair.lines({"ops"}), name="copy"))
        self.check(
            self.ask("ops", "--name", "f32[8]", name="f32[8]"), self.document(pair.lines({"ops"}), name="f32[8]")
        )

    def window(self, from_ps, to_ps):
        def keeps(place, event):
            line = place[5]
            return pair.in_window(pair.placed(line, event), event.duration_ps, from_ps, to_ps)
        return self.document(pair.lines({"ops"}), keeps)

    def test_windows(self):
        """Events that touch the window from before are outside, instants at its start inside; by the timeline."""
        base = 2_000_000
        for from_ps, to_ps in [(base + 2 * 4096, base + 2 * 7168), (base + 2 * 4096 - 1, base + 2 * 7168 + 1),
                               (base + 2 * 4096 + 1, None), (None, base + 1), (300_007_048, 300_020_000)]:
            options = ["--time", f"{'' if from_ps is None else f'{from_ps}ps'}:{'' if to_ps is None else f'{to_ps}ps'}"]
            filters = {} if from_ps is None else {"from_ps": from_ps}
            filters.update({} if to_ps is None else {"to_ps": to_ps})
            self.check(self.ask("ops", *options, **filters), self.window(from_ps, to_ps))

    def test_a_step(self):
        """The N-th step of each device by start; it is a window on the timeline."""
        # alpha TPU:0: its second step by start is that of 8,192 ps; beta has none marked: runs of modules stand in.
        windows = {
            ("alpha", "/device:TPU:0"): (2_008_192, 2_020_192),
            ("alpha", "/device:TPU:1"): (5_001_500, 5_004_100),
            ("beta", "/device:TPU:0"): (300_010_000, 300_040_000),
        }

        def keeps(place, event):
            window = windows.get((place[3].name, place[4].name))
            return window is not None and pair.in_window(pair.placed(place[5], event), event.duration_ps, *window)
        self.check(self.ask("ops", "--step", 1, step=1), self.document(pair.lines({"ops"}), keeps))

    def test_nothing_fits(self):
        self.check(self.ask("ops", "--time", "200us:201us", from_ps=200_000_000, to_ps=201_000_000),
                   {**pair.frame("ops", "absent", "nothing in the capture matches the filters"), "source": "",
                    "lines": [], "files": pair.files(self.folder), "damage": []})

    def test_screen(self):
        self.check_screen("ops", "ops", "--plane", "TPU:0", "--limit", 6)
        self.check_screen("ops-wide", "ops", "--host", "beta", "--plane", "TPU:1", "--sort", "count", "--wide")
        self.check_screen("ops-mixed", "ops", "--host", "alpha", "--plane", "TPU:1", "--sort", "self")


class LinesTest(truth.Case):
    """Self times of lines with some hundred events, of which many begin or end together."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(18)

    def ask_for(self, events_of_lines, ops=None):
        """The lines of the ops document for one plane a line."""
        planes = [pair.Plane(i + 1, f"/device:TPU:{i}", "device", [pair.Line(3, "XLA Ops", 0, events, "ops")],
                             ops or {key: pair.Op(f"op.{key}") for key in range(1, 9)})
                  for i, events in enumerate(events_of_lines)]
        host = pair.Host("alpha", planes + [pair.Plane(99, "Task Environment", "environment", [], {}, [
            ("profile_start_time", "uint", pair.ORIGIN_NS["alpha"])])])
        path = self.write("a.xplane.pb", host.bytes())
        found = truth.parsed(truth.run("ops", path, "--json", "--limit", 0))
        self.check(found["status"], "ok")
        return found["lines"], [model.line_document(p, lambda e: True) for p in pair.lines({"ops"}, hosts=[host])]

    def some(self, count, longest=40, widest=400):
        return [(self.random.randrange(1, 9), self.random.randrange(widest), self.random.randrange(longest))
                for _ in range(count)]

    def test_overlaps_in_any_order(self):
        sorted_lines = [sorted(self.some(300, longest), key=lambda e: e[1]) for longest in (1, 4, 40, 300)]
        unsorted = [self.some(300, longest) for longest in (2, 40, 300)]
        self.check(*self.ask_for([[pair.Ev(*e) for e in line] for line in sorted_lines + unsorted]))

    def test_events_that_nest_deeply(self):
        nested = [(1 + i % 8, i, 400 - 2 * i) for i in range(150)]
        ends_together = [(1 + i % 8, i, 300 - i) for i in range(150)] + [(1, 300, 5)]
        begin_together = [(1 + i % 8, 7, 300 - i) for i in range(150)] + [(2, 8, 500)]
        shortest_first = [(1 + i % 8, 7, 3 + i) for i in range(150)]
        lines = (nested, ends_together, begin_together, shortest_first, nested[::-1])
        self.check(*self.ask_for([[pair.Ev(*e) for e in line] for line in lines]))

    def test_totals_without_a_place_in_time(self):
        alone = [pair.Ev(1, 0, 100, occurrences=3), pair.Ev(2, 0, 50, occurrences=0), pair.Ev(1, 0, 7, occurrences=2)]
        beside = alone + [pair.Ev(2, 5, 10), pair.Ev(3, 5, 0)]
        self.check(*self.ask_for([alone, beside]))

    def test_starts_by_the_device_are_put_in_order(self):
        """Up to sixteen places from where the timeline has them."""
        events = []
        for i in range(200):
            start = (i // 9) * 900 + (8 - i % 9) * 90  # the timeline has each nine of them the other way round
            events.append(pair.Ev(1 + i % 8, i * 5, 3, *pair.device_times(start, 70 + i % 60)))
        found, expected = self.ask_for([events])
        self.assertEqual(expected[0]["clock"], "device")
        self.check(found, expected)

    def test_many_starts_at_one_instant_are_no_clock_that_begins_anew(self):
        self.check(*self.ask_for([[pair.Ev(1 + i % 8, i * 5, 3, *pair.device_times(700, 100 - i)) for i in range(60)]]))

    def test_durations_of_the_device_without_its_starts(self):
        events = [
            pair.Ev(1, 0, 100, ("device_duration_ps", "uint", 40)),
            pair.Ev(2, 20, 50, ("device_duration_ps", "int", 10)),
        ]
        found, expected = self.ask_for([events])
        self.check([found[0]["clock"], found[0]["busy_ps"]], ["mixed", 40])
        self.check(found, expected)

    def test_a_stat_whose_entry_was_replaced_tells_no_time_of_the_device(self):
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/device:TPU:0", x.line(3, "XLA Ops", [
            x.event(1, 0, 5, [x.stat(1, 99)])]), x.event_metadata(1, "op"), x.stat_metadata(1, "device_duration_ps"),
                                                         x.stat_metadata(1, "note"))))
        line = truth.parsed(truth.run("ops", path, "--json"))["lines"][0]
        self.check([line["clock"], line["busy_ps"]], ["aligned", 5])

    def test_damage_of_several_files_in_their_order(self):
        data = x.space(x.plane(1, "/device:TPU:0", x.line(3, "XLA Ops", [x.event(1, 0, 5)]), x.event_metadata(1, "op")))
        paths = [
            self.write(f"r/{name}.xplane.pb", data + b"\x0a\x05" + cut)
            for name, cut in (("a", b""), ("b", b"\x0a"), ("c", b""))
        ]
        for command in ("ops", "steps", "modules", "framework", "collectives", "tree", "metadata"):
            found = truth.parsed(truth.run(command, self.scratch / "r", "--json", status=5))
            self.check(
                [[d["file"], d["path"]] for d in found["damage"]], [[i, str(path)] for i, path in enumerate(paths)]
            )
            self.assertTrue(found["reason"].startswith("3 of 3 files are damaged: "), found["reason"])

    def test_a_device_clock_that_begins_anew(self):
        """What follows is placed behind all that was before."""
        events, as_if, base = [], [], 0
        for clock in range(3):
            for i in range(40):
                start, duration = 5 + 100 * i, 130 if i % 3 else 20
                events.append(pair.Ev(1 + i % 8, (40 * clock + i) * 5, 3, *pair.device_times(start, duration)))
                as_if.append(pair.Ev(1 + i % 8, (40 * clock + i) * 5, 3, *pair.device_times(base + start, duration)))
            base = max(e.stat("device_offset_ps") + e.stat("device_duration_ps") for e in as_if) - 5
        self.check(self.ask_for([events])[0], self.ask_for([as_if])[1])

    def test_modules_without_ids_tell_programs_apart(self):
        def of(*module):
            return [("hlo_module", "text", m) for m in module]
        self.check(*self.ask_for([[pair.Ev(1, 0, 5, *of("jit_a")), pair.Ev(1, 5, 7, *of("jit_b")), pair.Ev(1, 12, 1)]]))

    def test_halves_of_transfers_have_no_rates(self):
        """The name that is shown tells a half, where there is one."""
        facts = [("flops", "int", 1 << 10), ("bytes_accessed", "int", 1 << 11)]
        names = [
            ("copy-start.1", ""),
            ("fusion.1", "copy-done.1"),
            ("copy-start.1", "fusion.2"),
            ("%all-gather-done.3 = f32[] x", ""),
            ("all-gather-done.clone", ""),
            ("restart", ""),
            ("copy-starts", ""),
        ]
        ops = {i + 1: pair.Op(name, shown, facts) for i, (name, shown) in enumerate(names)}
        found, expected = self.ask_for([[pair.Ev(i, 100 * i, 64) for i in ops]], ops)
        self.check(found, expected)
        self.check(
            [op["flops_per_s"] is None for op in expected[0]["ops"]], [True, True, False, True, True, False, False]
        )

    def test_the_last_instant_that_can_be_told(self):
        last = (1 << 63) - 2
        path = self.write("last.xplane.pb", x.space(x.plane(1, "/device:TPU:0", x.line(3, "XLA Ops", [
            x.event(1, 0, 5), x.event(1, last, 0)]), x.event_metadata(1, "op"))))
        self.check(truth.parsed(truth.run("ops", path, "--json"))["status"], "ok")
        path = self.write("last.xplane.pb", x.space(x.plane(1, "/device:TPU:0", x.line(3, "XLA Ops", [
            x.event(1, 0, 5), x.event(1, last, 2)]), x.event_metadata(1, "op"))))
        self.check(truth.parsed(truth.run("ops", path, "--json", status=5))["status"], "partial")

    def test_ops_of_host_threads(self):
        """Without devices, events that name an op count, of threads alone."""
        def named(key, start, duration, *more):
            return pair.Ev(key, start, duration, ("hlo_op", "text", "fusion"), *more)
        ops = {1: pair.Op("fusion"), 2: pair.Op("python")}
        lines = [pair.Line(1, "main", 0, [named(1, 0, 9), pair.Ev(2, 0, 50), named(1, 20, 5)], "thread"),
                 pair.Line(-559038737, "XLA Ops", 0, [named(1, 0, 9)], "derived"),
                 pair.Line(2, "idle", 0, [pair.Ev(2, 0, 5)], "thread")]
        host = pair.Host("alpha", [pair.Plane(1, "/host:CPU", "host", lines, ops)])
        path = self.write("a.xplane.pb", host.bytes())
        found = truth.parsed(truth.run("ops", path, "--json"))
        self.check(
            [
                found["source"],
                [[n["line_name"], n["events"], n["busy_ps"], n["duration_sum_ps"]] for n in found["lines"]],
            ],
            ["host events with hlo_op", [["main", 2, 14, 14]]],
        )

    def test_ids_that_are_far_apart(self):
        """Few of them, more than a table has room for, below zero, and without an entry."""
        for count in (5, 700):
            ids = [self.random.randrange(-(1 << 62), 1 << 62) for _ in range(count)]
            ops = {key: pair.Op(f"op {key}") for key in ids[::2]}
            events = [pair.Ev(self.random.choice(ids), i, 1) for i in range(2 * count)]
            self.check(*self.ask_for([events], ops))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
