"""Steps of XSpaces, one decision after another: numbers of names and of stats, order, which line and which source counts."""
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
KEPT = 65_536  # steps of a file that has one device
NAMES = {1: "op", 2: "7", 3: "jit_f(9)", 4: "Step#5", 5: "ProfilerStep#6", 6: "train"}
ENTRIES = [x.event_metadata(key, name) for key, name in NAMES.items()] + [x.stat_metadata(1, "step_num"), x.stat_metadata(2, "other")]


def events(*rows):
    """(number of the name, start, length, stats)."""
    return [x.event(key, start, length, stats) for key, start, length, *stats in rows]


def line(name, *rows, key=1):
    return x.line(key, name, events(*rows), NS)


def device(*lines, at=0, names=()):
    return x.plane(10 + at, f"/device:TPU:{at}", *lines, *ENTRIES, *names)


def host(*lines, name="/host:CPU"):
    return x.plane(1, name, *lines, *ENTRIES)


OPS = line("XLA Ops", (1, 0, 100), (1, 1000, 100), (1, 2000, 100), key=9)


class Steps(truth.Case):
    def ask(self, command, *planes, options=("--limit", "0")):
        return truth.loads(truth.run(command, self.write("a.xplane.pb", x.space(*planes)), "--json", *options))

    def steps(self, *planes, options=()):
        return [(s["source"], s["name"], s["step_num"], s["start_ps"]) for s in
                self.ask("steps", *planes, options=("--limit", "0", *options))["steps"]]

    def marked(self, *planes):
        return [(s["step_id"], s["exact_ps"]["start"]) for s in self.ask("bubbles", *planes)["steps"] if s["marker"] != "none"]

    def test_numbers_in_names(self):
        """A name that is a whole number is one, as far as int64 holds it."""
        names = ["0", "-3", "12", str((1 << 63) - 1), str(-(1 << 63)), str(1 << 63), "", "7a", "a7", "7 ", " 7", "7.0", "0x10"]
        numbers = ["0", "-3", "12", str((1 << 63) - 1), str(-(1 << 63)), *[None] * 8]
        entries = [x.event_metadata(100 + at, name) for at, name in enumerate(names)]
        found = self.steps(device(line("Steps", *((100 + at, at, 1) for at in range(len(names)))), names=entries))
        self.assertEqual([(name, number) for _, name, number, _ in found], list(zip(names, numbers)))

    def test_numbers_in_stats(self):
        """They come before that of the name; a stat that is no whole number leaves it to the name; of two the last counts."""
        cases = [((x.stat(1, 3),), "3"), ((x.stat(1, 3, "uint"),), "3"), ((x.stat(1, 3.0),), "7"), ((x.stat(1, "3"),), "7"),
                 ((x.stat(2, 3),), "7"), ((x.stat(1, 3), x.stat(1, 4)), "4"), ((x.stat(1, 3), x.stat(1, "4")), "7"),
                 ((x.stat(1, 0),), "0"), ((x.stat(1, -1),), "-1"), ((), "7")]
        rows = [(2, at, 1, *stats) for at, (stats, _) in enumerate(cases)]
        self.assertEqual([number for _, _, number, _ in self.steps(device(line("Steps", *rows)))], [number for _, number in cases])
        # Runs of programs have none but that of the stat.
        runs = [(3, at, 1, *stats) for at, (stats, _) in enumerate(cases)]
        self.assertEqual([number for _, _, number, _ in self.steps(device(line("XLA Modules", *runs)))],
                         [None if number == "7" else number for _, number in cases])

    def test_two_entries_of_the_name_of_the_stat(self):
        """Either counts, and of both in one event the one that stands last."""
        more = x.stat_metadata(3, "step_num")
        rows = [(2, 0, 1, x.stat(1, 10)), (2, 1, 1, x.stat(3, 11)),
                (2, 2, 1, x.stat(1, 12), x.stat(3, 13)), (2, 3, 1, x.stat(3, 14), x.stat(1, 15))]
        self.assertEqual([number for _, _, number, _ in self.steps(device(line("Steps", *rows), names=[more]))], ["10", "11", "13", "15"])

    def test_order(self):
        """Of a plane by start, lines of one name together; those that begin together stand as in the file."""
        lines = [line("Steps", (4, 50, 1), (2, 10, 9), (5, 10, 1)), line("Steps", (6, 10, 5), (2, 0, 1), key=2)]
        self.assertEqual([(name, start) for _, name, _, start in self.steps(device(*lines))],
                         [("7", 0), ("7", 10), ("ProfilerStep#6", 10), ("train", 10), ("Step#5", 50)])

    def test_each_device_counts_by_itself(self):
        planes = [device(line("Steps", (2, 100 * at, 50), (2, 100 * at + 50, 50)), at=at) for at in range(2)]
        found = self.ask("steps", *planes)["steps"]
        self.assertEqual([(s["plane"], s["index"], s["start_ps"]) for s in found], [(0, 0, 0), (0, 1, 50), (1, 0, 100), (1, 1, 150)])
        self.assertEqual([start for _, _, _, start in self.steps(*planes, options=("--step", "1"))], [50, 150])

    def test_which_source_counts(self):
        """The lines of steps of any device, else the runs of programs, else what hosts mark; a host's own names do not come before."""
        marks = host(line("main", (5, 30, 10), (4, 60, 10), (6, 80, 10, x.stat(1, 3))))
        steps, runs = line("Steps", (2, 0, 40)), line("XLA Modules", (3, 5, 40), key=2)
        for planes, wanted in (((marks, device(steps, runs)), [("Steps", "7", "7", 0)]),
                               ((marks, device(runs)), [("XLA Modules", "jit_f(9)", None, 5)]),
                               ((device(runs), device(steps, at=1)), [("Steps", "7", "7", 0)]),
                               ((marks, device(line("Steps"), runs)), [("XLA Modules", "jit_f(9)", None, 5)]),
                               ((marks, device(line("Steps"), OPS)), [("ProfilerStep", "ProfilerStep#6", "6", 30)]),
                               ((marks,), [("ProfilerStep", "ProfilerStep#6", "6", 30)]),
                               ((host(steps),), [])):
            self.assertEqual(self.steps(*planes), wanted)

    def test_hosts_of_a_file_are_one(self):
        """What another plane of the host marks better makes the rest no steps."""
        worse, better = host(line("a", (6, 10, 5, x.stat(1, 3)), (4, 20, 5))), host(line("b", (5, 90, 5)), name="/host:python")
        self.assertEqual(self.steps(worse, better), [("ProfilerStep", "ProfilerStep#6", "6", 90)])
        self.assertEqual(self.steps(better, worse), [("ProfilerStep", "ProfilerStep#6", "6", 90)])
        self.assertEqual(self.steps(worse), [("annotation", "Step#5", "5", 20)])

    def test_bubbles_have_the_same(self):
        """Runs of programs are called by the program and counted."""
        self.assertEqual(self.marked(device(line("Steps", (2, 0, 900), (2, 1000, 1200, x.stat(1, 40))), OPS)), [("7", 0), ("40", 1000)])
        self.assertEqual(self.marked(device(line("XLA Modules", (3, 0, 900), (3, 1000, 1200, x.stat(1, 40))), OPS)),
                         [("jit_f#0", 0), ("40", 1000)])

    def test_none_where_a_filter_looks(self):
        """What a filter leaves out is not said to be missing."""
        planes = (device(line("Steps", (6, 0, 900)), OPS), device(OPS, at=1), host(line("main", (1, 0, 5))))
        beyond = "no step is marked there; without --plane and --line there may be some"
        for options, reason in ((("--plane", "TPU:1"), beyond), (("--plane", "host"), beyond), (("--line", "main"), beyond)):
            self.assertEqual(self.ask("steps", *planes, options=options)["reason"], reason, options)
        self.assertEqual(self.ask("steps", *planes[1:], options=())["reason"], "no device plane has a 'Steps' or 'XLA Modules' line with "
                         "events, and no host event has a step_num stat or the name of a step")

    def test_very_many(self):
        """More than are kept are noted."""
        note = "only the first steps of /device:TPU:0 are kept: it has more of them"
        for count, kept, notes in ((300, 300, []), (KEPT, KEPT, []), (KEPT + 1, KEPT, [note])):
            rows = [(6, at * 1000, 1000) for at in range(count)]
            ops = line("XLA Ops", *((1, at * 1000, 10) for at in range(count)), key=9)
            found = self.ask("bubbles", device(line("Steps", *rows), ops), options=("--limit", "1"))
            self.assertEqual((found["steps_total"], found["inputs"][0]["notes"]), (kept, notes))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
