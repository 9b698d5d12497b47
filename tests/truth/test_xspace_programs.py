"""Programs of XSpaces: how `ops` calls the program of an op, and which events of hosts are runs of one."""
import sys

import pair
import truth
import xspace as x

NS = pair.ORIGIN_NS["alpha"]
BIG = (1 << 63) + 7
PROGRAM, MODULE, RUN, DEVICE, TEXT = 1, 2, 3, 4, 5
STATS = [x.stat_metadata(PROGRAM, "program_id"), x.stat_metadata(MODULE, "hlo_module"), x.stat_metadata(RUN, "run_id"),
         x.stat_metadata(DEVICE, "device_ordinal"), x.stat_metadata(TEXT, "jit_by_name")]


def metadata(*names, plane="/host:metadata"):
    return x.plane(9, plane, *(x.event_metadata(1 + at, name) for at, name in enumerate(names)))


class Programs(truth.Case):
    def ask(self, command, *planes, options=()):
        path = self.write("a.xplane.pb", x.space(*planes))
        return truth.loads(truth.run(command, path, "--json", "--limit", "0", *options))

    def programs(self, *events, more=(), entry=()):
        """The programs of an op, of events with these stats, by count: each list of stats stands for so many events as its place says."""
        rows = [x.event(1, 100 * (at * 10 + n), 10, stats) for at, stats in enumerate(events) for n in range(at + 1)]
        device = x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", rows, NS), x.event_metadata(1, "add", "", entry), *STATS)
        (line,) = self.ask("ops", *more, device)["lines"]
        return {op["count"]: op["program"] for op in line["ops"]}

    def test_names_of_numbers(self):
        """By the entry of the metadata plane that ends with the number; two different names for one say nothing."""
        of = x.stat(PROGRAM, 7)
        for names, wanted in ((("jit_f(7)",), "jit_f(7)"), (("jit_f(7)", "jit_g(8)"), "jit_f(7)"), (("jit_f(7)", "jit_f(7)"), "jit_f(7)"),
                              (("jit_f(7)", "jit_g(7)"), "7"), (("jit_f(7)", "jit_g(7)", "jit_f(7)"), "7"), (("jit_f(7) ",), "7"),
                              (("jit_f(17)",), "7"), (("jit_f(7",), "7"), (("jit_f7)",), "7"), (("jit_f(-7)",), "7"), (("jit_f()",), "7"),
                              (("a(b)(7)",), "a(b)(7)"), (("(7)",), "(7)"), ((), "7")):
            self.assertEqual(self.programs([of], more=[metadata(*names)]), {1: wanted}, names)
        self.assertEqual(self.programs([of], more=[metadata("jit_f(7)", plane="/host:CPU")]), {1: "7"})
        self.assertEqual(self.programs([x.stat(PROGRAM, BIG, "uint")], more=[metadata(f"jit_f({BIG})")]), {1: f"jit_f({BIG})"})

    def test_a_module_of_the_event(self):
        """It comes before what the metadata plane says; alone it is the name; a reference is the text that it means."""
        of, named = x.stat(PROGRAM, 7), x.stat(MODULE, "jit_own")
        self.assertEqual(self.programs([of, named], more=[metadata("jit_f(7)")]), {1: "jit_own(7)"})
        self.assertEqual(self.programs([named], [x.stat(MODULE, TEXT, "ref")], []), {1: "jit_own", 2: "jit_by_name", 3: ""})

    def test_programs_of_one_op(self):
        """A number is the program, whatever its event calls it: the first name stays. Without a number the name is."""
        events = [x.stat(PROGRAM, 7)], [x.stat(PROGRAM, 8), x.stat(MODULE, "b")], [x.stat(MODULE, "b")], [x.stat(PROGRAM, -1)]
        self.assertEqual(self.programs(*events), {1: "7", 2: "b(8)", 3: "b", 4: str((1 << 64) - 1)})
        self.assertEqual(self.programs([x.stat(PROGRAM, 7), x.stat(MODULE, "b")], [x.stat(PROGRAM, 7), x.stat(MODULE, "c")]), {3: "b(7)"})

    def test_stats_of_the_op_itself(self):
        """They are those of its events that have none of their own."""
        own = [x.stat(PROGRAM, 9), x.stat(MODULE, "jit_own")]
        self.assertEqual(self.programs([], [x.stat(PROGRAM, 7)], entry=own), {1: "jit_own(9)", 2: "7"})
        self.assertEqual(self.programs([], entry=own[:1], more=[metadata("jit_f(9)")]), {1: "jit_f(9)"})
        self.assertEqual(self.programs([], entry=own[1:]), {1: "jit_own"})

    def test_a_file_has_names_of_its_own(self):
        rows = [x.event(1, 0, 10, [x.stat(PROGRAM, 7)])]
        for host, name in (("a", "jit_f(7)"), ("b", "jit_g(7)"), ("c", "jit_h(8)")):
            device = x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", rows, NS), x.event_metadata(1, "add"), *STATS)
            self.write(f"run/{host}.xplane.pb", x.space(device, metadata(name)))
        found = truth.loads(truth.run("ops", self.scratch / "run", "--json"))["lines"]
        self.assertEqual([line["ops"][0]["program"] for line in found], ["jit_f(7)", "jit_g(7)", "7"])

    def runs(self, *lines, plane="/host:CPU", options=()):
        """Events are (start, length, stats)."""
        threads = [x.line(1 + at, f"t{at}", [x.event(1, start, length, stats) for start, length, *stats in line], NS)
                   for at, line in enumerate(lines)]
        found = self.ask("report", x.plane(1, plane, *threads, x.event_metadata(1, "op"), *STATS), options=options)
        return {m["name"]: (m["runs"], m["total_ps"], m["max_ps"]) for m in found["summary"]["modules"]}

    def test_runs(self):
        """From the first start to the last end of the events of one number, over all threads; a device without a number is the first."""
        one, two = [x.stat(RUN, 1), x.stat(PROGRAM, 7)], [x.stat(RUN, 2), x.stat(PROGRAM, 7)]
        self.assertEqual(self.runs([(100, 50, *one), (300, 10, *one), (500, 20, *two)], [(90, 5, *one), (120, 400, *one)]),
                         {"7": (2, 450, 430)})
        self.assertEqual(self.runs([(0, 10, *one), (50, 10, *one, x.stat(DEVICE, 0)), (90, 10, *one, x.stat(DEVICE, 1))]),
                         {"7": (2, 70, 60)})
        # What names only one of the two, or no whole number, is no run.
        self.assertEqual(self.runs([(0, 10, *one), (50, 10, x.stat(RUN, 5)), (70, 10, x.stat(PROGRAM, 7)),
                                    (90, 10, x.stat(RUN, "3"), x.stat(PROGRAM, 7))]), {"7": (1, 10, 10)})
        # Two programs may have runs of one number.
        self.assertEqual(self.runs([(0, 10, *one), (50, 30, x.stat(RUN, 1), x.stat(PROGRAM, 8))]), {"7": (1, 10, 10), "8": (1, 30, 30)})

    def test_parts_of_runs(self):
        """Of a time what its events span that touch it, as long as they are; of a plane, a line or a name those that are asked for."""
        one = [x.stat(RUN, 1), x.stat(PROGRAM, 7)]
        lines = [(1000, 500, *one), (3000, 1000, *one)], [(6000, 500, *one)]
        for options, wanted in ((("--time", ":3ns"), (1, 500, 500)), (("--time", "3ns:4ns"), (1, 1000, 1000)),
                                (("--time", "3500ps:"), (1, 3500, 3500)),
                                (("--time", "1499ps:3001ps"), (1, 3000, 3000)), (("--time", "1500ps:3000ps"), None),
                                (("--line", "t1"), (1, 500, 500)), (("--plane", "CPU"), (1, 5500, 5500))):
            self.assertEqual(self.runs(*lines, options=options).get("7"), wanted, options)

    def test_names_of_runs(self):
        """The first event that names the module, wherever it stands."""
        one, named = [x.stat(RUN, 1), x.stat(PROGRAM, 7)], x.stat(MODULE, "jit_f")
        self.assertEqual(self.runs([(0, 10, *one), (20, 10, *one, named), (40, 10, *one, x.stat(MODULE, "jit_g"))]),
                         {"jit_f(7)": (1, 50, 50)})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
