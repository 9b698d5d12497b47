"""`tree` and `info` as text: each part of a line that is there or not, limits, names that are missing or too long, what is summed up."""
import json
import sys

import truth
import xspace as x
from screens import table, time

LINES = ["line", "kind", ">events", ">stats", ">sum", ">from", ">to"]
UNCHECKED = ["", "events that are not shown were not checked: `profkit info` reads all of them"]


class XSpaceTrees(truth.Case):
    def ask(self, *parts, options=(), **more):
        self.path = self.write("a.xplane.pb", x.space(*parts, **more))
        return truth.run("tree", self.path, *options).splitlines()

    def test_limits(self):
        """Lines of a plane, events of a line and stats of an event each by themselves; nothing was left unchecked where all are shown."""
        def events(count):
            return [x.event(1, 1000 * at, 0, [x.stat(1, n) for n in range(count)]) for at in range(count)]
        plane = x.plane(1, "p", *(x.line(at, f"l{at}", events(count)) for at, count in enumerate((1, 2, 3))),
                        x.event_metadata(1, "e"), x.stat_metadata(1, "s"))

        def more(count, indent):
            return [" " * indent + f"… {count} more (--limit 0 shows all)"] if count > 0 else []
        for limit in (1, 2, 3, 0):
            shown = limit or 3
            expected = []
            for at, count in list(enumerate((1, 2, 3)))[:shown]:
                expected.append(f"    line {at} l{at}  id {at}, other, at 0 ns, {count} event{'s' * (count > 1)}")
                for n in range(min(count, shown)):
                    expected += [f"      e  at {time(1000 * n)}", *(f"        s={value}  int64" for value in range(min(count, shown))),
                                 *more(count - shown, 8)]
                expected += more(count - shown, 6)
            expected += more(3 - shown, 4)
            found = self.ask(plane, options=("--limit", limit))
            self.assertEqual(found[4:], expected + (UNCHECKED if shown < 3 else []))
        self.assertEqual(found[:4], [str(self.path), "  host a", "", "  plane 0 p  id 1, other, 3 lines, 1 event name, 1 stat name"])

    def test_times(self):
        """Each part where it is not nothing; an event may begin before its line."""
        plane = x.plane(1, "p", x.line(5, "l", [
            x.event(1, 0, 0), x.event(1, 1, 1), x.event(1, 999, 1000), x.event(1, -3000, 0), x.event(1, -2500, 10), x.event(1, None, 7),
            x.event(1, occurrences=1), x.event(1, occurrences=2, duration_ps=2_000_000)], 1), x.event_metadata(1, "e"))
        found = self.ask(plane, options=("--limit", 0))
        self.assertEqual(found[4:], ["    line 0 l  id 5, other, at 1 ns, 8 events", *(f"      e  {text}" for text in (
            "at 1.000 ns", "at 1.001 ns, for 1 ps", "at 1.999 ns, for 1.000 ns", "at -2.000 ns", "at -1.500 ns, for 10 ps", "at 1.000 ns, for 7 ps",
            "1 time", "2 times, for 2.000 us"))])

    def test_head(self):
        """Hosts, errors and warnings each have a line, in this order."""
        found = self.ask(x.plane(1, "p"), errors=["e1", "e2"], warnings=["w1", "w2"], hostnames=["h1", "h2"])
        self.assertEqual(found, [str(self.path), "  host h1", "  host h2", "  error e1", "  error e2", "  warning w1", "  warning w2", "",
                                 "  plane 0 p  id 1, other, 0 lines, 0 event names, 0 stat names"])

    def test_stats(self):
        """Each kind by its name; a text has sixty columns, others all; one without a name has its number."""
        texts = {59: 59 * "x", 60: 60 * "x", 61: 59 * "x" + "…"}
        values = [(5, None), (-5, None), (2**64 - 1, "uint"), (1.25, None), (b"\0\1\2", "bytes"), (9, "ref")]
        shown = ["5  int64", "-5  int64", "18446744073709551615  uint64", "1.25  double", "<3 B>  bytes"]
        planes = x.plane(1, "p", *(x.plane_stat(2, *value) for value in values[:-1]), *(x.plane_stat(2, length * "x") for length in texts),
                         x.plane_stat(7, 1), x.stat_metadata(2, "s"))
        self.assertEqual(self.ask(planes)[4:], [*(f"    s={text}" for text in shown), *(f"    s={text}  str" for text in texts.values()),
                                                "    #7=1  int64"])
        self.assertEqual(self.ask(planes, options=("--wide", ))[9:12], [f"    s={length * 'x'}  str" for length in texts])

    def test_long_names(self):
        """In the middle of an event's name something is left out, so that the line has 100 columns; with --wide nothing is."""
        name = "begin" + 120 * "-" + "end"
        plane = x.plane(1, "p", x.line(5, "l", [x.event(1, 1000, 0), x.event(2, 1000, 0)]), x.event_metadata(1, name),
                        x.event_metadata(2, 80 * "y"))
        found = self.ask(plane)[5:]
        self.assertEqual([len(line) for line in found], [100, 99])
        kept = 100 - len("        at 1.000 ns")  # columns for the name, of which the ellipsis takes one, and its end a third of the rest
        begin, end = found[0][6:6 + kept].split("…")
        self.assertEqual((begin, end), (name[:kept - 1 - (kept - 1) // 3], name[-((kept - 1) // 3):]))
        self.assertEqual(self.ask(plane, options=("--wide", ))[5], f"      {name}  at 1.000 ns")
        lines = [x.line(at, name, [x.event(2, 1000, 0)]) for at in range(11)]
        found = [line for line in self.ask(x.plane(1, "p", *lines), options=("--limit", "0")) if line.startswith("    line")]
        self.assertEqual([len(line) for line in found], [100] * 11)

    def test_several_files(self):
        for name in "ab":
            self.write(f"run/{name}.xplane.pb", x.space(x.plane(1, name)))
        found = truth.run("tree", self.scratch / "run").splitlines()
        facts = "id 1, other, 0 lines, 0 event names, 0 stat names"
        self.assertEqual(found, [f"[0] {self.scratch / 'run/a.xplane.pb'}", "  host a", "", f"  plane 0 a  {facts}", "",
                                 f"[1] {self.scratch / 'run/b.xplane.pb'}", "  host b", "", f"  plane 0 b  {facts}"])


class TraceTrees(truth.Case):
    def ask(self, *events, options=()):
        path = self.write("a.json", json.dumps({"schemaVersion": 1, "traceEvents": list(events)}))
        return truth.run("tree", path, *options).splitlines()[2:]

    @staticmethod
    def event(ph="X", name="n", ts=10, **more):
        return {"ph": ph, "name": name, "pid": 5, "tid": 7, "ts": ts, **({"dur": 0} if ph == "X" else {}), **more}

    def test_phases(self):
        """In words where they are known; a complete event is not said to be one."""
        words = {"B": "begin", "E": "end", "i": "instant", "I": "instant", "s": "flow start", "t": "flow step", "f": "flow end", "R": "mark",
                 "Q": "phase Q", "N": "object created", "D": "object deleted", "O": "object snapshot"}
        for ph, text in words.items():
            self.assertEqual(self.ask(self.event(), self.event(ph, "other", 11))[2:],
                             ["      n  at 10.000 us", f"      other  at 11.000 us, {text}"], ph)

    def test_parts_of_a_line(self):
        """When, how long, phase, id, category: commas stand between those that are there."""
        for more, text in (({}, ""), ({"dur": 0}, ""), ({"dur": 5}, ", for 5.000 us"), ({"cat": "c"}, ", c"),
                           ({"dur": 5, "cat": "c"}, ", for 5.000 us, c"), ({"id": 12}, ", id 12"), ({"id": "0x3", "cat": "c"}, ", id 0x3, c"),
                           ({"ph": "s", "id": 4, "cat": "c"}, ", flow start, id 4, c"), ({"ph": "i", "cat": "c"}, ", instant, c")):
            self.assertEqual(self.ask(self.event(), self.event(**{"name": "other", **more}))[3], f"      other  at 10.000 us{text}", more)

    def test_processes(self):
        """What is known of one stands beside its name: number, labels, how many lines."""
        name = {"ph": "M", "name": "process_name", "pid": 5, "args": {"name": "python"}}
        labels = {"ph": "M", "name": "process_labels", "pid": 5, "args": {"labels": "CPU"}}
        thread = {"ph": "M", "name": "thread_name", "pid": 5, "tid": 7, "args": {"name": "main"}}
        other = self.event(name="", tid=8)
        self.assertEqual(self.ask(self.event()), ["  plane 0 (no name)  pid 5, 1 line", "    line 0 (no name)  tid 7, 1 event",
                                                  "      n  at 10.000 us"])
        self.assertEqual(self.ask(name, self.event(), other), [
            "  plane 0 python  pid 5, 2 lines", "    line 0 (no name)  tid 7, 1 event", "      n  at 10.000 us",
            "    line 1 (no name)  tid 8, 1 event", "      (no name)  at 10.000 us"])
        self.assertEqual(self.ask(name, labels, thread, self.event(), self.event()), [
            "  plane 0 python  pid 5, CPU, 1 line", "    line 0 main  tid 7, 2 events", *["      n  at 10.000 us"] * 2])

    def test_arguments(self):
        """As they are written, without their kind, five of them."""
        given = {"a": 1, "b": "x", "c": [1, 2], "d": None, "e": {"k": 1.5}, "f": True}
        lines = ["a=1", "b=x", "c=[1,2]", "d=null", 'e={"k":1.5}', "f=true"]
        found = self.ask(self.event(args=given))
        self.assertEqual(found[3:9], [*(f"        {line}" for line in lines[:5]), "        … 1 more (--limit 0 shows all)"])
        self.assertEqual(self.ask(self.event(args=given), options=("--limit", 0))[3:], [f"        {line}" for line in lines])
        self.assertEqual(self.ask(self.event(args={"a": 70 * "y"}))[3:], ["        a=" + 59 * "y" + "…"])


class Infos(truth.Case):
    def ask(self, *parts, options=(), status=0, **more):
        self.path = self.write("a.xplane.pb", x.space(*parts, **more))
        return truth.run("info", self.path, *options, status=status).splitlines()

    def test_planes(self):
        """Names of events and stats are counted where there are any; a plane's position stands there unless some are filtered."""
        for events, stats, text in ((0, 0, ""), (1, 0, ", 1 event name"), (0, 1, ", 1 stat name"), (2, 3, ", 2 event names, 3 stat names")):
            plane = x.plane(4, "/device:TPU:0", *(x.event_metadata(at + 1, "e") for at in range(events)),
                            *(x.stat_metadata(at + 1, "s") for at in range(stats)))
            for options, place in (((), "plane 1, "), (("--plane", "TPU"), "")):
                found = self.ask(x.plane(0, ""), plane, options=options)
                self.assertIn(f"  /device:TPU:0  {place}id 4, device{text}", found)
                self.assertEqual("  (no name)  plane 0, id 0, other" in found, place != "")

    def test_lines(self):
        """Sums of what is there; the span where an event has a place; what is left out by the limit."""
        lines = [x.line(1, "a", [x.event(1, 1000, 500, [x.stat(1, 1), x.stat(1, 2)]), x.event(1, 3000, 100)]), x.line(2, "", []),
                 x.line(3, "counted", [x.event(1, occurrences=4, duration_ps=70)]), x.line(4, "late", [x.event(1, 9000, 0)], 1)]
        plane = x.plane(1, "p", *lines, x.event_metadata(1, "e"), x.stat_metadata(1, "s"))
        rows = [["a", "other", 2, 2, "600 ps", "1.000 ns", "3.100 ns"], ["(no name)", "other", 0, 0, "0 ps", "", ""],
                ["counted", "other", 1, 0, "70 ps", "", ""], ["late", "other", 1, 0, "0 ps", "10.000 ns", "10.000 ns"]]
        for options, shown in (((), 4), (("--limit", 1), 1), (("--limit", 3), 3), (("--limit", 4), 4), (("--limit", 0), 4)):
            found = self.ask(plane, options=options)
            self.assertEqual(found, [
                str(self.path), f"  xspace, {self.path.stat().st_size} B", "  hosts     a", "  events    from 1.000 ns to 10.000 ns", "",
                "  p  plane 0, id 1, other, 1 event name, 1 stat name", *table(LINES, *rows[:shown], indent=4),
                *([f"    … {4 - shown} more (--limit 0 shows all)"] if shown < 4 else []), "", "Totals",
                "  1 file, 1 plane, 4 lines, 4 events, 2 event stats", "  complete"])

    def test_totals(self):
        """Of all files; one of each, or several."""
        def space(planes):
            return x.space(*(x.plane(at + 1, f"p{at}", x.line(1, "l", [x.event(1, 5, 5, [x.stat(1, 1)])]), x.event_metadata(1, "e"),
                                     x.stat_metadata(1, "s")) for at in range(planes)))
        self.write("run/a.xplane.pb", space(1))
        self.assertEqual(truth.run("info", self.scratch / "run").splitlines()[-2:], ["  1 file, 1 plane, 1 line, 1 event, 1 event stat", "  complete"])
        self.write("run/b.xplane.pb", space(2))
        found = truth.run("info", self.scratch / "run").splitlines()
        self.assertEqual(found[-2:], ["  2 files, 3 planes, 3 lines, 3 events, 3 event stats", "  complete"])
        self.assertEqual([line for line in found if line.startswith("[")],
                         [f"[{at}] {self.scratch / 'run' / name}.xplane.pb" for at, name in enumerate("ab")])
        self.assertEqual([line for line in found if line.startswith("  events")],
                         ["  events    from 5 ps to 10 ps (on this file's own clock)"] * 2)

    def test_what_a_file_says(self):
        """Hosts on one line, errors and warnings each on one; every error is a reason."""
        found = self.ask(x.plane(1, "p"), errors=["e1", "e2"], warnings=["w1", "w2"], hostnames=["h1", "h2"])
        self.assertEqual(found, [
            str(self.path), f"  xspace, {self.path.stat().st_size} B", "  hosts     h1, h2", "  error     e1", "  error     e2",
            "  warning   w1", "  warning   w2", "", "  p  plane 0, id 1, other", "", "Totals",
            "  1 file, 1 plane, 0 lines, 0 events, 0 event stats", *(f"  not complete: {self.path}: the recorder reported an error: {text}"
                                                                    for text in ("e1", "e2"))])

    def test_stats_of_planes(self):
        """80 columns of a text, or all."""
        texts = {79: 79 * "x", 80: 80 * "x", 81: 79 * "x" + "…"}
        plane = x.plane(1, "p", *(x.plane_stat(2, length * "x") for length in texts), x.plane_stat(2, 2**63, "uint"), x.stat_metadata(2, "s"))
        found = self.ask(plane)
        self.assertEqual([line for line in found if "=" in line], [*(f"    s={text}" for text in texts.values()), f"    s={2**63}"])
        found = self.ask(plane, options=("--wide", ))
        self.assertEqual([line for line in found if "=" in line], [*(f"    s={length * 'x'}" for length in texts), f"    s={2**63}"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
