"""`info`, `tree` and `metadata` as text: what stands there of one file and of several, of what has no name, and of what is left out."""
import gzip
import json
import sys

import truth
import xspace as parts
from proto_writer import Plane, Ref, xspace
from screens import table

ZERO_NS = 1_700_000_000_000_000_000
DATE = "2023-11-14 22:13:20 UTC"
LINES = ["line", "kind", ">events", ">stats", ">sum", ">from", ">to"]
UNCHECKED = "events {}: `profkit info` reads all of them"


def host(start_ns=ZERO_NS, *events, name="/host:CPU"):
    plane = Plane(name, 7)
    plane.line("main", start_ns, [plane.event(*event) for event in events or [("f", 0, 5000)]], line_id=5)
    return plane


class Screens(truth.Case):
    def ask(self, command, path, *options, status=0):
        return truth.run(command, path, *options, status=status).splitlines()

    def space(self, *planes, name="a.xplane.pb", hosts=("a",), more=b""):
        return self.write(name, xspace(planes, hosts) + more)


class Info(Screens):

    def test_one_file(self):
        """One of each is no plural."""
        path = self.space(host(ZERO_NS, ("f", 0, 5000, [("x", 1)])))
        self.assertEqual(self.ask("info", path), [
            str(path), f"  xspace, {path.stat().st_size} B", "  hosts     a", f"  origin    {DATE}",
            "  events    from 0 ps to 5.000 ns", "",
            "  /host:CPU  plane 0, id 7, host, 1 event name, 1 stat name",
            *table(LINES, ["main", "thread", 1, 1, "5.000 ns", "0 ps", "5.000 ns"], indent=4), "", "Totals",
            "  1 file, 1 plane, 1 line, 1 event, 1 event stat", "  complete"])

    def test_several_files(self):
        """Each with its number and origin; one that has none is on a clock of its own. What recorders report stands with its file."""
        self.space(host(), name="run/a.xplane.pb")
        self.space(host(ZERO_NS + 2_000_000_000), name="run/b.xplane.pb", hosts=["b", "bb"],
                   more=parts.space(errors=["bad"], warnings=["late", "later"]))
        self.space(host(0), name="run/c.xplane.pb", hosts=["c"])
        folder = self.scratch / "run"
        found = self.ask("info", folder)
        heads = [line for line in found if line.startswith(("[", "  hosts", "  origin", "  events", "  error", "  warning"))]
        a = [f"[0] {folder}/a.xplane.pb", "  hosts     a", f"  origin    {DATE}", "  events    from 0 ps to 5.000 ns"]
        b = [f"[1] {folder}/b.xplane.pb", "  hosts     b, bb", f"  origin    {DATE.replace(':20', ':22')}",
             "  events    from 2.000 s to 2.000 s", "  error     bad", "  warning   late", "  warning   later"]
        c = [f"[2] {folder}/c.xplane.pb", "  hosts     c", "  events    from 0 ps to 5.000 ns (on this file's own clock)"]
        self.assertEqual(heads, a + b + c)
        self.assertEqual(found[-3:], ["Totals", "  3 files, 3 planes, 3 lines, 3 events, 0 event stats",
                                      f"  not complete: {folder}/b.xplane.pb: the recorder reported an error: bad"])
        self.assertEqual(self.ask("info", folder, "--host", "bb")[:2], [b[0], f"  xspace, {(folder / 'b.xplane.pb').stat().st_size} B"])
        self.assertEqual(self.ask("info", folder, "--host", "c")[-2:], ["  1 file, 1 plane, 1 line, 1 event, 0 event stats", "  complete"])

    def test_lines_left_out(self):
        """Of each plane as many as are asked for; a line that has no event has a place nowhere. With --plane there are no positions."""
        plane = host()
        plane.line("idle", ZERO_NS, [], line_id=6)
        path = self.space(plane, Plane("", 0))
        rows = [["main", "thread", 1, 0, "5.000 ns", "0 ps", "5.000 ns"], ["idle", "thread", 0, 0, "0 ps", "", ""]]
        for options, shown in (((), 2), (("--limit", 2), 2), (("--limit", 1), 1), (("--limit", 0), 2)):
            self.assertEqual(self.ask("info", path, *options)[6:-4], [
                "  /host:CPU  plane 0, id 7, host, 1 event name", *table(LINES, *rows[:shown], indent=4),
                *(["    … 1 more (--limit 0 shows all)"] if shown == 1 else []), "", "  (no name)  plane 1, id 0, other"])
        self.assertEqual(self.ask("info", path, "--plane", "host")[6], "  /host:CPU  id 7, host, 1 event name")

    def test_compressed(self):
        path = self.write("a.xplane.pb.gz", gzip.compress(xspace([host()], ["a"])))
        self.assertEqual(self.ask("info", path)[1], f"  xspace, gzip, {path.stat().st_size} B")


class Tree(Screens):

    def test_events(self):
        """A place, a length where there is one; a count where there is no place. A name is that of the entry, else its number."""
        plane = host(ZERO_NS, ("f", 0, 5000), ("f", 7, 0), ("f", 0, 30, (), 4), ("f", 0, 0, (), 2), ("", 9, 0))
        path = self.space(plane)
        head = [str(path), "  host a", "", "  plane 0 /host:CPU  id 7, host, 1 line, 2 event names, 0 stat names",
                f"    line 0 main  id 5, thread, at {ZERO_NS} ns, 5 events"]
        events = ["      " + text for text in ("f  at 0 ps, for 5.000 ns", "f  at 7 ps", "f  4 times, for 30 ps", "f  2 times",
                                               "#2  at 9 ps")]
        self.assertEqual(self.ask("tree", path), head + events)
        # What is not shown was not checked, and that is said.
        self.assertEqual(self.ask("tree", path, "--limit", 4),
                         [*head, *events[:4], "      … 1 more (--limit 0 shows all)", "",
                          UNCHECKED.format("that are not shown were not checked")])
        self.assertEqual(self.ask("tree", path, "--limit", 5), head + events)

    def test_each_limit(self):
        """It bounds lines of a plane, events of a line and stats of an event, each where it stands."""
        plane = Plane("/host:CPU", 7)
        plane.line("one", 5, [plane.event("f", 0, 1, [("s", 1), ("t", 2), ("u", 3)]), plane.event("g", 2, 1)], line_id=5)
        plane.line("two", 6, [plane.event("h", 0, 1, [("s", 4)])], line_id=6, display_name="two", display_id=3)
        plane.line("three", 7, [], line_id=7, display_name="shown")
        path = self.space(plane)
        one, two, three = ("    line 0 one  id 5, thread, at 5 ns, 2 events",
                           "    line 1 two  id 6, thread, at 6 ns, 1 event, display id 3",
                           "    line 2 three  id 7, thread, at 7 ns, 0 events, display name shown")
        f, g, h = (f"      {name}  at {at} ns, for 1 ps" for name, at in (("f", "5.000"), ("g", "5.002"), ("h", "6.000")))
        stat = "        {}={}  int64".format

        def more(indent, count):
            return " " * indent + f"… {count} more (--limit 0 shows all)"
        self.assertEqual(self.ask("tree", path, "--limit", 1)[4:-2], [one, f, stat("s", 1), more(8, 2), more(6, 1), more(4, 2)])
        self.assertEqual(self.ask("tree", path, "--limit", 2)[4:-2],
                         [one, f, stat("s", 1), stat("t", 2), more(8, 1), g, two, h, stat("s", 4), more(4, 1)])
        self.assertEqual(self.ask("tree", path, "--limit", 3)[4:],
                         [one, f, stat("s", 1), stat("t", 2), stat("u", 3), g, two, h, stat("s", 4), three])

    def test_phases(self):
        """What is no complete event has its phase in words; a process and a thread their numbers."""
        events = [{"ph": phase, "name": "e", "pid": 3, "tid": 4, "ts": ts, "cat": "c", **more} for phase, ts, more in (
            ("X", 0, {"dur": 2}), ("B", 5, {}), ("E", 6, {}), ("i", 7, {"args": {"k": "v"}}), ("b", 8, {"id": "0x5"}),
            ("e", 9, {"id": "0x5"}))]
        path = self.write("a.json", json.dumps({"traceEvents": events}))
        found = self.ask("tree", path, "--limit", 0)
        self.assertEqual([line for line in found if line.startswith("      e  ")], [f"      e  {text}" for text in (
            "at 0 ps, for 2.000 us, c", "at 5.000 us, begin, c", "at 6.000 us, end, c", "at 7.000 us, instant, c",
            "at 8.000 us, async begin, id 0x5, c", "at 9.000 us, async end, id 0x5, c")])
        self.assertIn("        k=v", found)
        self.assertTrue(found[2].startswith("  plane 0 (no name)  pid 3, "), found)


class Metadata(Screens):

    def test_entries(self):
        """Of a plane as many as are asked for, of names of events and of stats alike."""
        plane = host(ZERO_NS, ("f", 0, 1, [("s", 1), ("t", Ref("shared"))]), ("g", 5, 1))
        plane.event_metadata("f", display_name="F", stats=[("t", "x" * 61), ("s", 2.5)])
        plane.event_metadata("g", display_name="g")
        path = self.space(plane)
        events = ["    [1] f", "        display name F", f"        t={'x' * 59}…  str", "        s=2.5  double", "    [2] g"]
        stats = ["    [1] s", "    [2] t", "    [3] shared"]
        end = ["", UNCHECKED.format("not checked")]
        self.assertEqual(self.ask("metadata", path), ["/host:CPU", "  2 event names", *events, "  3 stat names", *stats, *end])
        self.assertEqual(self.ask("metadata", path, "--limit", 1), [
            "/host:CPU", "  2 event names", *events[:4], "    … 1 more (--limit 0 shows all)", "  3 stat names", stats[0],
            "    … 2 more (--limit 0 shows all)", *end])
        self.assertIn(f"        t={'x' * 61}  str", self.ask("metadata", path, "--wide"))

    def test_several_files(self):
        for name in "ab":
            self.space(host(), name=f"run/{name}.xplane.pb", hosts=[name])
        each = [" /host:CPU", "  1 event name", "    [1] f", "  0 stat names"]
        self.assertEqual(self.ask("metadata", self.scratch / "run"),
                         ["[0]" + each[0], *each[1:], "", "[1]" + each[0], *each[1:], "", UNCHECKED.format("not checked")])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
