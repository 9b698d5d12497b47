"""`ops` as text: which columns stand there, what the lines above them say, and of which ops."""
import sys

import screens
import truth
from proto_writer import Plane, Ref, xspace
from screens import percent, table, time

TITLES = ["op", "program", "category", ">count", ">total", ">self", ">of busy", ">FLOP/s", ">B/s"]
WIDE = TITLES + [">min", ">max", "tf_op", "full name"]


def tpu(number, *events, line="XLA Ops", **facts):
    """`events`: (name, start, length, program or None). `facts`: of each op its stats."""
    plane = Plane(f"/device:TPU:{number}", number + 1)
    plane.line(line, 0, [plane.event(name, start, length, () if program is None else [("program_id", program)])
                         for name, start, length, program in events])
    for name, stats in facts.items():
        plane.event_metadata(name, stats=stats)
    return plane


def row(name, total, own, busy, count=1, program="", category="", flops="", rate=""):
    return [name, program, category, count, time(total), time(own), percent(own, busy), flops, rate]


class OpsScreen(truth.Case):
    def ask(self, planes, *options, name="a.xplane.pb"):
        return truth.run("ops", self.write(name, xspace(planes)), *options).splitlines()

    def screen(self, *lines, by="total time"):
        """`lines`: of each its name, what is said of it, its table."""
        out = [f"Operations from XLA Ops, by {by}"]
        for name, facts, rows in lines:
            out += ["", f"{name}  XLA Ops", "  " + facts, *("  " + text if text.startswith("…") else text for text in rows)]
        return out

    def test_programs_where_several_are_shown(self):
        """Those that are left out do not count, nor those of another line."""
        plane = tpu(0, ("a", 0, 4000, 7), ("b", 4000, 1000, 8), ("c", 5000, 500, None))
        other = tpu(1, ("z", 0, 3000, 7))
        facts = "3 ops, 3 events, busy 5.500 ns, sum of durations 5.500 ns"
        a, b, c = (row("a", 4000, 4000, 5500, program="7"), row("b", 1000, 1000, 5500, program="8"), row("c", 500, 500, 5500))
        of_other = "1 op, 1 event, busy 3.000 ns, sum of durations 3.000 ns", table(TITLES, row("z", 3000, 3000, 3000), indent=2)
        self.assertEqual(self.ask([plane, other]), self.screen(("TPU:0", facts, table(TITLES, a, b, c, indent=2)), ("TPU:1", *of_other)))
        more = "… {} more (--limit 0 shows all)"
        self.assertEqual(self.ask([plane, other], "--limit", 2), self.screen(
            ("TPU:0", facts, table(TITLES, a, b, indent=2) + [more.format(1)]), ("TPU:1", *of_other)))
        self.assertEqual(self.ask([plane, other], "--limit", 1), self.screen(
            ("TPU:0", facts, table(TITLES, row("a", 4000, 4000, 5500), indent=2) + [more.format(2)]), ("TPU:1", *of_other)))
        self.assertEqual(self.ask([plane, other], "--limit", 3), self.ask([plane, other]))

    def test_order(self):
        """Of each of the three another is first; equal ones stay in the order by total."""
        plane = tpu(0, ("outer", 0, 9000, None), ("inner", 1000, 7000, None), ("often", 10_000, 100, None), ("often", 11_000, 100, None),
                    ("late", 12_000, 2000, None), ("twice", 15_000, 50, None), ("twice", 16_000, 50, None))
        rows = {"outer": row("outer", 9000, 2000, 11_300), "inner": row("inner", 7000, 7000, 11_300),
                "late": row("late", 2000, 2000, 11_300), "often": row("often", 200, 200, 11_300, 2),
                "twice": row("twice", 100, 100, 11_300, 2)}
        facts = "5 ops, 7 events, busy 11.300 ns, sum of durations 18.300 ns"
        for options, by, order in ((("--sort", "total"), "total time", ["outer", "inner", "late", "often", "twice"]),
                                   (("--sort", "self"), "self time", ["inner", "outer", "late", "often", "twice"]),
                                   (("--sort", "count"), "count", ["often", "twice", "outer", "inner", "late"])):
            self.assertEqual(self.ask([plane], *options),
                             self.screen(("TPU:0", facts, table(TITLES, *(rows[name] for name in order), indent=2)), by=by))
        found = self.ask([plane], "--sort", "count", "--limit", 1)
        self.assertEqual(found, self.screen(
            ("TPU:0", facts, table(TITLES, rows["often"], indent=2) + ["… 4 more (--limit 0 shows all)"]), by="count"))

    def test_rates(self):
        """Of each execution its work; of what took no time, and where there is no work, none."""
        plane = tpu(0, ("a", 0, 4000, None), ("a", 4000, 1000, None), ("b", 5000, 1000, None), ("none", 6000, 0, None),
                    a=[("flops", 100), ("hlo_category", "loop fusion")], b=[("bytes_accessed", 3), ("hlo_category", Ref("copy"))],
                    none=[("flops", 50), ("bytes_accessed", 50)])
        rows = [row("a", 5000, 5000, 6000, 2, category="loop fusion", flops="40.0 G"),  # 200 in 5 ns
                row("b", 1000, 1000, 6000, category="copy", rate="3.00 G"), row("none", 0, 0, 6000)]
        self.assertEqual(self.ask([plane]), self.screen(
            ("TPU:0", "3 ops, 4 events, busy 6.000 ns, sum of durations 6.000 ns", table(TITLES, *rows, indent=2))))

    def test_nothing_takes_time(self):
        self.assertEqual(self.ask([tpu(0, ("z", 0, 0, None))]), self.screen(
            ("TPU:0", "1 op, 1 event, busy 0 ps, sum of durations 0 ps",
             table(TITLES, ["z", "", "", 1, "0 ps", "0 ps", "-", "", ""], indent=2))))

    def test_shortest_and_longest(self):
        """Where just the sum of several is known they are not; the name is repeated where the short one is another."""
        plane = Plane("/device:TPU:0", 1)
        name = "%fusion.1 = f32[8] fusion(%p)"
        plane.line("XLA Ops", 0, [plane.event(name, 0, 400), plane.event(name, 400, 600),
                                  plane.event("counted", 0, 500, occurrences=5), plane.event("instant", 2000, 0)])
        plane.event_metadata(name, stats=[("tf_op", "jit/mul")])
        rows = [row("fusion.1", 1000, 1000, 1000, 2) + ["400 ps", "600 ps", "jit/mul", name],
                row("counted", 500, 0, 1000, 5) + ["", "", "", ""], row("instant", 0, 0, 1000) + ["0 ps", "0 ps", "", ""]]
        facts = "3 ops, 4 events, busy 1.000 ns, sum of durations 1.500 ns"
        self.assertEqual(self.ask([plane], "--wide"), self.screen(("TPU:0", facts, table(WIDE, *rows, indent=2))))
        self.assertEqual(self.ask([plane]), self.screen(("TPU:0", facts, table(TITLES, *(r[:9] for r in rows), indent=2))))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
