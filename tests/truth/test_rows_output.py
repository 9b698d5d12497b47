"""`rows` as text: which columns in which order, the two forms and which of them counts, quotes, what is null, and the exit status."""
import csv
import gzip
import io
import json
import sys

import truth
from trace_events import KernelsCase, launch, operator, run

US = 1_000_000
NAMES = ["plain", 'a "quoted" one', "with, comma", "two\nlines", " blank at both ends ", "größe", "", "'single'", "=1+1", "x;y"]


def on_one_line(text):
    return text.replace("\n", "\\n").replace("\r", "\\r")


class RowsOutput(KernelsCase):
    def setUp(self):
        super().setUp()
        self.path = self.save([*(run(name, 10 * at, 5, stream=7 + at % 2, correlation=at) for at, name in enumerate(NAMES)),
                               launch(1, 0, correlation=0), operator("aten::mm", 1, 0, 6)])
        self.expected = [[name, 10 * at * US, 0 if at == 0 else None] for at, name in enumerate(NAMES)]
        self.columns = ["name", "start_ps", "launch_ps"]

    def ask(self, *options, columns="name,start_ps,launch_ps", table="kernels", status=0):
        return truth.run("rows", self.path, table, *(["--columns", columns] if columns else []), *options, status=status)

    def as_csv(self, rows):
        """As RFC 4180 has it: cells with a quote or a comma in quotes, which are doubled inside; a line break is \\n. Null is nothing."""
        def cell(value):
            text = "" if value is None else on_one_line(str(value))
            return '"' + text.replace('"', '""') + '"' if any(c in text for c in '",') else text
        return "".join(",".join(map(cell, row)) + "\r\n" for row in [self.columns, *rows])

    def as_json(self, rows):
        return [dict(zip(self.columns, row)) for row in rows]

    def test_two_forms(self):
        self.assertEqual(self.ask(), self.as_csv(self.expected))
        self.assertEqual([row[:2] for row in csv.reader(io.StringIO(self.ask(), newline=""))][1:],
                         [[on_one_line(name), str(start)] for name, start, _ in self.expected])
        self.assertEqual([json.loads(line) for line in self.ask("--format", "json").splitlines()], self.as_json(self.expected))
        self.assertEqual(self.ask("--format", "csv"), self.ask())

    def test_order_of_columns(self):
        """That in which they are asked for; without that all of the table."""
        for order in (["launch_ps", "name"], ["start_ps"], ["stream", "name", "start_ps", "device"]):
            head, *rows = csv.reader(io.StringIO(self.ask(columns=",".join(order)), newline=""))
            self.assertEqual(head, order)
            first = {"launch_ps": "0", "name": "plain", "start_ps": "0", "stream": "7", "device": "0"}
            self.assertEqual(rows[0], [first[key] for key in order])
        objects = [json.loads(line) for line in self.ask("--format", "json", columns="start_ps,name").splitlines()]
        self.assertEqual(list(objects[1]), ["start_ps", "name"])
        head, *_ = csv.reader(io.StringIO(self.ask(columns=""), newline=""))
        self.assertEqual(len(head), len(set(head)))
        self.assertLess({"run", "host", "rank", "node", "device_name", "name", "duration_ps", "outer_op"}, set(head))

    def test_files(self):
        """The ending of the name says the form and whether it is packed, unless --format says the form."""
        of_csv, of_json = self.ask(), self.ask("--format", "json")
        for name, options, expected in (("a.csv", (), of_csv), ("a.txt", (), of_csv), ("a", (), of_csv), ("b.json", (), of_json),
                                        ("a.jsonl", (), of_json), ("a.csv", ("--format", "json"), of_json), ("a.json.txt", (), of_csv),
                                        ("a.jsonl", ("--format", "csv"), of_csv), ("a.csv.gz", (), of_csv), ("a.jsonl.gz", (), of_json)):
            path = self.scratch / name
            self.assertEqual(self.ask("-o", path, *options), "")
            content = path.read_bytes()
            content = gzip.decompress(content) if name.endswith(".gz") else content
            self.assertEqual(content.decode(), expected, name)
            path.unlink()

    def test_tables_and_their_columns(self):
        """Without a table what there is: each name with its meaning, its columns below it, no line of them beyond 100."""
        lines = truth.run("rows", self.path).splitlines()
        tables, columns = [], {}
        for line in lines:
            if line.startswith("  "):
                self.assertLessEqual(len(line), 100)
                columns[tables[-1]] += line.split()
            else:
                tables.append(line.split(":")[0])
                columns[tables[-1]] = []
        self.assertIn("kernels", tables)
        self.assertNotIn("events", tables)
        for table in ("kernels", "ops", "steps", "files", "devices"):
            head, *_ = csv.reader(io.StringIO(self.ask(columns="", table=table), newline=""))
            self.assertEqual(head, columns[table])

    def test_limit(self):
        """Of each line of ops as many as are asked for, else all."""
        lines = [[at for at in range(len(NAMES)) if at % 2 == odd] for odd in (0, 1)]
        for options, most in (((), 10), (("--limit", 0), 10), (("--limit", 1), 1), (("--limit", 4), 4), (("--limit", 5), 5)):
            found = csv.reader(io.StringIO(self.ask(*options, columns="total_ps,count", table="ops"), newline=""))
            self.assertEqual(list(found)[1:], [[str(5 * US), "1"] for line in lines for _ in line[:most]])

    def test_what_cannot_be(self):
        for options, columns, table in (((), "nope", "kernels"), ((), "name,name", "kernels"), ((), "name,", "kernels"),
                                        ((), "name", "none"), ((), "name", "events"), (("--format", "xml"), "name", "kernels"),
                                        (("--name", "plain"), "name", "kernels"), (("--plane", "none"), "name", "kernels"),
                                        (("-o", self.path), "name", "kernels"), (("--limit", "-1"), "name", "ops")):
            self.assertEqual(self.ask(*options, columns=columns, table=table, status=2), "")
        self.assertTrue(self.path.exists())
        truth.run("rows", self.scratch / "gone.json", "kernels", status=3)
        truth.run("rows", self.write("bad.json", "no trace"), "kernels", status=4)

    def test_damage(self):
        """Rows before it are written, the exit status says that some are lost; with --strict it is an error."""
        whole = self.path.read_text()
        self.path.write_text(whole[:whole.index("=1+1")])
        found = list(csv.reader(io.StringIO(self.ask(columns="name,start_ps", status=5), newline="")))[1:]
        self.assertEqual(found, [[on_one_line(name), str(start)] for name, start, _ in self.expected[:NAMES.index("=1+1")]])
        self.ask("--strict", status=4)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
