"""Long, wide and dangerous names on screens: lines end at 100 columns, --wide gives all, and nothing reaches a terminal as it is."""
import json
import sys
import unicodedata

import hlo
import truth
from proto_writer import Plane, xspace
from ranks import RanksCase, call

LONG = "begin" + "n" * 190 + "end"
WIDE = "漢字" * 60
COMBINED = "e\u0301" * 40  # each takes one column
BAD = "a\x1b[31mred\nnext\rback\x07\x00end\x7f\u009b2J"


def columns(text):
    """How many columns of a terminal it takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def capture(*names):
    device = Plane("/device:TPU:0", 1)
    device.line("XLA Ops", 0, [device.event(name, 1000 * at, 1000 - at) for at, name in enumerate(names)], line_id=1)
    device.line("Steps", 0, [device.event(name, 1000 * at, 1000) for at, name in enumerate(names)], line_id=2)
    device.line("Async XLA Ops", 0, [device.event("copy-start " + name, 1000 * at, 900 - at) for at, name in enumerate(names)], line_id=3)
    host = Plane("/host:CPU", 2)
    for at, name in enumerate(names):
        host.line(name, 0, [host.event(name, 10 * at, 5, [("stat", name)])], line_id=at + 1)
    modules = Plane("/host:metadata", 3)
    for at, name in enumerate(names):
        modules.event_metadata(name, stats=[("Hlo Proto", hlo.proto(name.replace("\x00", ""), at + 1))])
    return xspace([device, host, modules], ["a"])


TABLES = {"ops": (), "steps": (), "roofline": (), "collectives": (), "modules": (), "framework": (), "ops --by": ("--by", "kernel"),
          "info": (), "tree": (), "metadata": ()}


class LongNames(RanksCase):
    def ask(self, which, path, *options):
        return truth.run(which.split()[0], path, *TABLES[which], *options)

    def rows(self, which, path, begin, *options):
        return [line for line in self.ask(which, path, *options).splitlines() if begin in line]

    def test_one_page(self):
        """A row in which a name is cut fills the page, with the beginning of the name, and an end where the cut is in the middle."""
        path = self.write("a.xplane.pb", capture(LONG, "short"))
        for which in ("ops", "steps", "roofline", "collectives", "modules", "ops --by", "info", "tree"):
            rows = [line for line in self.rows(which, path, "begin") if "=" not in line and "  id " not in line]
            self.assertTrue(rows, which)
            for line in rows:
                self.assertEqual(columns(line), 100, (which, line))
                self.assertRegex(line, "beginn+…n+end", which)
        for line in self.rows("framework", path, "begin"):
            self.assertRegex(line, "beginn+(…|end$)")
        for line in self.rows("metadata", path, "] begin"):
            self.assertEqual((columns(line), line[-1]), (100, "…"))

    def test_wide(self):
        """Then nothing is cut, however long."""
        path = self.write("a.xplane.pb", capture(LONG, WIDE))
        for which in TABLES:
            text = self.ask(which, path, "--wide")
            self.assertIn(LONG, text, which)
            self.assertIn(WIDE, text, which)
            self.assertNotIn("…", text, which)

    def test_columns_stand_below_each_other(self):
        """Characters that take two columns count as two, those that take none as none."""
        for names in ((WIDE, LONG, "x"), ("漢字", "abcdef", "é"), (COMBINED, "e" * 41, "漢"), ("漢" * 30, "x" * 59, "x" * 60)):
            path = self.write("a.xplane.pb", capture(*names))
            for which, unit in (("ops", "%"), ("steps", " ns"), ("collectives", " ps"), ("modules", " B")):
                for options in ((), ("--wide",)):
                    text = self.ask(which, path, *options)
                    for block in text.split("\n\n"):
                        rows = [line for line in block.splitlines() if line.startswith("  ") and line.endswith(unit)]
                        self.assertLessEqual(len({columns(row) for row in rows}), 1, (which, rows))
                        if not options:
                            self.assertLessEqual(max(map(columns, rows), default=0), 100, which)

    def test_what_terminals_would_obey(self):
        """Controls, those of two bytes too, are written as numbers, in every screen, cut or not."""
        path = self.write("a.xplane.pb", capture(BAD, LONG[:100] + BAD))
        for which in TABLES:
            for options in ((), ("--wide",)):
                text = self.ask(which, path, *options)
                self.assertEqual({c for c in text if unicodedata.category(c) == "Cc"}, {"\n"}, which)
                self.assertIn("a\\x1b[31mred\\x0anext" if not options else "a\\x1b[31mred\\x0anext\\x0dback\\x07", text, which)

    def test_names_of_files(self):
        """Also in the commands that stand last, which are to be copied."""
        path = self.write("a\x1b[31m.xplane.pb", capture("a", "b"))
        for text in (*(self.ask(which, path) for which in TABLES), truth.run("report", path)):
            self.assertEqual({c for c in text if unicodedata.category(c) == "Cc"}, {"\n"})

    def test_traces(self):
        """Of names of processes, threads, files and reasons, too."""
        events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": BAD}},
                  {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": BAD}},
                  {"ph": "X", "cat": BAD, "name": BAD, "pid": 1, "tid": 2, "ts": 0, "dur": 1, "args": {BAD: BAD}}]
        path = self.write(f"{BAD[:20].replace('/', '')}.json".replace("\x00", ""), json.dumps({BAD: BAD, "traceEvents": events}))
        for command in ("info", "tree", "metadata", "ops", "framework", "steps"):
            text = truth.run(command, path)
            self.assertEqual({c for c in text if unicodedata.category(c) == "Cc"}, {"\n"}, command)
        said = truth.run("ops", path, "--name", "none" + BAD.replace("\x00", ""), status=2, stderr=True)
        self.assertEqual({c for c in said if unicodedata.category(c) == "Cc"}, {"\n"})

    def test_validate(self):
        ranks = {rank: [call("allreduce", rank, 100, group=BAD, ranks=(0, 1))] for rank in (0, 1)}
        paths = [self.rank(rank, events, 4, host=f"h{rank}" + BAD) for rank, events in ranks.items()]
        text = truth.run("validate", *paths)
        self.assertIn("a\\x1b[31mred\\x0anext", text)
        self.assertEqual({c for c in text if unicodedata.category(c) == "Cc"}, {"\n"})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
