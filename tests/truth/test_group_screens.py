"""`ops` as text: what the lines above lists say, sums by keys, columns that are there or not, clocks, peaks, what has no name."""
import json
import sys

import truth
import xspace as x
from proto_writer import Plane, xspace
from screens import percent, table, time
from trace_events import launch, operator, run

BY = [">of ops", ">self time", ">count"]
OPS = ["op", "program", "category", ">count", ">total", ">self", ">of busy", ">FLOP/s", ">B/s"]


def tpu(*events, number=0, line="XLA Ops", **facts):
    """`events`: (name, start, length[, stats]). `facts`: stats of each op by its name."""
    plane = Plane(f"/device:TPU:{number}", number + 1)
    plane.line(line, 0, [plane.event(*event) for event in events])
    for name, stats in facts.items():
        plane.event_metadata(name, stats=stats)
    return plane


def category(name, **work):
    return [("hlo_category", name), *work.items()]


class Screen(truth.Case):
    def ask(self, *planes, by="", options=()):
        path = self.write("a.xplane.pb", xspace(planes))
        return truth.run("ops", path, *(("--by", by) if by else ()), *options).splitlines()


class Sums(Screen):
    def rows(self, by, whole, *rows, rates=()):
        """`rows`: self time, executions, [rates,] name."""
        return table([*BY, *(">" + rate for rate in rates), by], *(
            [percent(own, whole), time(own), *rest] for own, *rest in rows), indent=2)

    def test_all_on_record(self):
        """One execution or several; nothing is said of what is missing where nothing is."""
        one = tpu(("a", 0, 4000), a=category("fusion"))
        self.assertEqual(self.ask(one, by="category"), ["Time of XLA Ops by category: 4.000 ns in 1 execution",
                                                        *self.rows("category", 4000, (4000, 1, "fusion"))])
        two = tpu(("a", 0, 4000), ("a", 4000, 1000), a=category("fusion"))
        self.assertEqual(self.ask(two, by="category"), ["Time of XLA Ops by category: 5.000 ns in 2 executions",
                                                        *self.rows("category", 5000, (5000, 2, "fusion"))])

    def test_not_on_record(self):
        """How many executions have no first key, and what share of the time is theirs; further keys do not count there."""
        plane = tpu(("a", 0, 6000), ("b", 6000, 1000), ("b", 7000, 1000), ("c", 8000, 2000), a=category("fusion"))
        head = "Time of XLA Ops by {}: 10.000 ns in 4 executions"
        self.assertEqual(self.ask(plane, by="category"), [
            head.format("category") + "; of 3 (40.0 %) no category is on record",
            *self.rows("category", 10_000, (6000, 1, "fusion"), (4000, 3, "(not on record)"))])
        self.assertEqual(self.ask(plane, by="kernel,category"), [
            head.format("kernel,category"), *self.rows(
                "kernel,category", 10_000, (6000, 1, "a"), (6000, 1, "  fusion"), (2000, 2, "b"), (2000, 2, "  (not on record)"),
                (2000, 1, "c"), (2000, 1, "  (not on record)"))])
        self.assertEqual(self.ask(plane, by="category,kernel", options=("--wide", ))[0],
                         head.format("category,kernel") + "; of 3 (40.0 %) no category is on record")

    def test_outside_of_steps(self):
        """An op belongs to the step in which it began, by the step's position; without one it is outside."""
        plane = tpu(("a", 1000, 3000), ("b", 4000, 1000), ("c", 6000, 500))
        plane.line("Steps", 0, [plane.event("7", 1000, 4000), plane.event("8", 5000, 500)])
        self.assertEqual(self.ask(plane, by="step"), [
            "Time of XLA Ops by step: 4.500 ns in 3 executions; of 1 (11.1 %) no step is on record",
            *self.rows("step", 4500, (4000, 2, "step 0"), (500, 1, "(outside of steps)"))])

    def test_rates(self):
        """A column where any execution has such work; what has none, or took no time, has no rate there."""
        both = {"a": category("fusion", flops=8, bytes_accessed=100), "b": category("copy")}
        events = ("a", 0, 4000), ("b", 4000, 1000)
        for facts, rates, cells in (
                (both, ("FLOP/s", "B/s"), (("2.00 G", "25.0 G"), ("", ""))),
                ({**both, "a": category("fusion", flops=8)}, ("FLOP/s", ), (("2.00 G", ), ("", ))),
                ({**both, "a": category("fusion", bytes_accessed=100)}, ("B/s", ), (("25.0 G", ), ("", ))),
                ({**both, "a": category("fusion")}, (), ((), ())),
                ({"a": category("fusion", flops=0), "b": category("copy", bytes_accessed=1)}, ("B/s", ), (("", ), ("1.00 G", )))):
            self.assertEqual(self.ask(tpu(*events, **facts), by="category")[1:], self.rows(
                "category", 5000, (4000, 1, *cells[0], "fusion"), (1000, 1, *cells[1], "copy"), rates=rates))

    def test_moving_data(self):
        """What moves data, with its share, where anything does."""
        head = "Time of XLA Ops by kind: 5.000 ns in 2 executions"
        plane = tpu(("a", 0, 4000), ("copy.1", 4000, 1000), a=category("convolution"), **{"copy.1": category("copy")})
        found = self.ask(plane, by="kind", options=("--wide", ))
        self.assertEqual(found, [head + "; moving data takes 1.000 ns (20.0 %), the most that avoiding it can save",
                                 *self.rows("kind", 5000, (4000, 1, "compute"), (1000, 1, "copy"))])
        plane = tpu(("a", 0, 4000), ("b", 4000, 1000), a=category("convolution"), b=category("fusion"))
        self.assertEqual(self.ask(plane, by="kind", options=("--wide", ))[0], head)
        self.assertNotIn("moving data", self.ask(plane, by="category", options=("--wide", ))[0])

    def test_limit(self):
        """Groups of the first key are counted with what is below them."""
        plane = tpu(*((f"op{at}", 1000 * at, 900 - at) for at in range(4)))
        whole = sum(900 - at for at in range(4))
        rows = [(900 - at, 1, f"op{at}") for at in range(4)]
        for options, shown in (((), 4), (("--limit", 1), 1), (("--limit", 3), 3), (("--limit", 4), 4), (("--limit", 0), 4)):
            self.assertEqual(self.ask(plane, by="kernel", options=options), [
                f"Time of XLA Ops by kernel: {time(whole)} in 4 executions", *self.rows("kernel", whole, *rows[:shown]),
                *([f"  … {4 - shown} more (--limit 0 shows all)"] if shown < 4 else [])])

    def test_what_nests(self):
        """Times are those of each op alone."""
        plane = tpu(("outer", 0, 9000), ("inner", 1000, 7000), outer=category("while"), inner=category("fusion"))
        self.assertEqual(self.ask(plane, by="category"), ["Time of XLA Ops by category: 9.000 ns in 2 executions",
                                                          *self.rows("category", 9000, (7000, 1, "fusion"), (2000, 1, "while"))])


class Facts(Screen):
    def facts(self, *planes):
        return self.ask(*planes, options=("--wide", ))[3]

    def test_peaks(self):
        """Each where it is known, in units of which it has one at least."""
        for stats, text in (((), ""), ((("peak_teraflops_per_second", 197.0), ), ", peak 197 TFLOP/s"),
                            ((("peak_hbm_bw_gigabytes_per_second", 819.0), ), ", peak 819 GB/s"),
                            ((("peak_teraflops_per_second", 1.5), ("peak_hbm_bw_gigabytes_per_second", 1200.0)),
                             ", peak 1.50 TFLOP/s, peak 1.20 TB/s"),
                            ((("peak_teraflops_per_second", 0.0), ("peak_hbm_bw_gigabytes_per_second", 0.0)), "")):
            plane = tpu(("a", 0, 4000))
            for stat in stats:
                plane.own_stat(*stat)
            self.assertEqual(self.facts(plane), "  1 op, 1 event, busy 4.000 ns, sum of durations 4.000 ns" + text)

    def test_clocks(self):
        """Of events with the device's own times all, some, or none."""
        def own(at, length):
            return [("device_offset_ps", at), ("device_duration_ps", length)]
        for stats, busy, text in (((own(100, 30), own(200, 50)), 80, ", by the device's clock"),
                                  ((own(100, 30), ()), 230, None), (((), ()), 400, "")):
            found = self.facts(tpu(("a", 0, 200, stats[0]), ("b", 200, 200, stats[1])))
            if text is not None:
                self.assertEqual(found, f"  2 ops, 2 events, busy {busy} ps, sum of durations {busy} ps{text}")
            else:
                self.assertTrue(found.endswith(", by the device's clock where events have its durations"), found)

    def test_without_metadata(self):
        """What has none is named by its number, and has no second name."""
        space = x.space(x.plane(1, "/device:TPU:0", x.line(1, "XLA Ops", [x.event(7, 0, 300), x.event(8, 300, 100), x.event(-3, 400, 50)]),
                                x.event_metadata(8, "")))
        found = truth.run("ops", self.write("a.xplane.pb", space), "--wide").splitlines()
        self.assertEqual([" ".join(line.split()[:3]) for line in (found[5], found[7])], ["#7 (no metadata)", "#-3 (no metadata)"])
        self.assertEqual([line.count("(no metadata)") for line in found[5:8]], [1, 0, 1])

    def test_several_files(self):
        """Each list is of a file, by its number; of one file there is none."""
        for name in "ab":
            self.write(f"run/{name}.xplane.pb", xspace([tpu(("x", 0, 100)), tpu(("y", 0, 100), number=1)], [name]))
        found = truth.run("ops", self.scratch / "run").splitlines()
        self.assertEqual([line for line in found if "XLA Ops" in line][1:], [
            f"[{file}] TPU:{number}  XLA Ops" for file in (0, 1) for number in (0, 1)])
        found = truth.run("ops", self.scratch / "run/a.xplane.pb").splitlines()
        self.assertEqual([line for line in found if "XLA Ops" in line][1:], ["TPU:0  XLA Ops", "TPU:1  XLA Ops"])

    def test_lines_without_rows(self):
        """Where a name is asked for, lines without it are not shown."""
        planes = tpu(("x", 0, 100), ("both", 100, 50)), tpu(("y", 0, 100), ("both", 100, 50), number=1)
        for name, shown in (("x", ["TPU:0"]), ("y", ["TPU:1"]), ("both", ["TPU:0", "TPU:1"])):
            found = self.ask(*planes, options=("--name", name))
            self.assertEqual([line.split()[0] for line in found if line.endswith("  XLA Ops")], shown)
            row = [name, "", "", 1, *([time(50 if name == "both" else 100)] * 2), percent(50 if name == "both" else 100, 150), "", ""]
            self.assertEqual([found[at + 1:at + 3] for at, line in enumerate(found) if "busy" in line and "event" in line],
                             [table(OPS, row, indent=2)] * len(shown))


class LeftOut(truth.Case):
    def said(self, *events):
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": list(events)}))
        found = truth.run("ops", path, "--wide").splitlines()
        return [line for line in found if line.startswith("Not counted")]

    def test_several_reasons(self):
        """The most events first, with how many lines of it have nothing that is counted, one or several."""
        kernel, beside = run("k", 100, 5), run("note", 0, 5, cat="gpu_user_annotation")
        one = self.said(kernel, operator("mm", 1, 0, 5))
        self.assertEqual(len(one), 1)
        host = one[0][len("Not counted as ops: "):-len("1 on 1 line")]
        self.assertTrue(host.startswith("host events") and host.endswith(": "), one)
        self.assertEqual(one, [f"Not counted as ops: {host}1 on 1 line"])
        self.assertEqual(self.said(kernel, operator("mm", 1, 0, 5), operator("mm", 2, 0, 5), launch(1, 10)),
                         [f"Not counted as ops: {host}3 on 2 lines"])
        both, = self.said(kernel, operator("mm", 1, 0, 5), operator("mm", 1, 6, 5), beside)
        first, second = both.split("; ")
        self.assertEqual(first, f"Not counted as ops: {host}2 on 1 line")
        self.assertTrue(second.startswith("lines that repeat other lines of the device") and second.endswith(": 1"), second)
        self.assertEqual(self.said(kernel), [])
        many = [operator("mm", 1, 10 * at, 5) for at in range(1200)]
        self.assertEqual(self.said(kernel, *many), [f"Not counted as ops: {host}1,200 on 1 line"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
