#!/usr/bin/env python3
"""The extension of SQLite, loaded into Python's own: test_sql_extension.py PROFKIT PROFKIT_SQLITE.SO. Its tables have the rows of
`profkit sql`."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import harness
from harness import GPU, TPU, Case, run

EXTENSION = ""
LOADS = "import sqlite3, sys; sys.exit(0 if hasattr(sqlite3.Connection, 'enable_load_extension') else 1)"
# What the statements give, one list of rows each; of one that fails its message.
ASK = """
import json, sqlite3, sys
base = sqlite3.connect(":memory:")
base.enable_load_extension(True)
base.load_extension(sys.argv[1])
found = []
for statement in json.loads(sys.argv[2]):
    try:
        found.append(base.execute(statement).fetchall())
    except sqlite3.Error as wrong:
        found.append(str(wrong))
base.close()
print(json.dumps(found))
"""


def python_that_loads():
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", LOADS], check=False).returncode == 0:
            return python
    return None


PYTHON = python_that_loads()


@unittest.skipIf(os.environ.get("PROFKIT_SANITIZED"), "a program without the sanitizer cannot load what has it")
@unittest.skipIf(PYTHON is None, "no Python here has sqlite3 with extensions")
class ExtensionTest(Case):
    def ask(self, *statements):
        done = subprocess.run([PYTHON, "-c", ASK, EXTENSION, json.dumps(statements)], stdout=subprocess.PIPE, check=True, timeout=120)
        return json.loads(done.stdout)

    def test_the_rows_are_those_of_the_command(self):
        for table in ("files", "devices", "ops", "steps", "gaps", "causes", "modules", "device_time", "captures"):
            with self.subTest(table=table):
                query = f"select * from {table}"
                wanted = json.loads(run("sql", TPU, GPU, query, "--json").out)["rows"]
                self.assertTrue(wanted)
                opened, rows, again = self.ask(f"select profkit_open('{TPU}', '{GPU}')", query, f"select * from profkit_{table}")
                self.assertEqual(opened, [[2]])
                self.assertEqual(rows, wanted)
                self.assertEqual(again, wanted)

    def test_a_database_has_its_own_tables_too(self):
        found = self.ask("create table events (name text)", "insert into events values ('mine')", f"select profkit_open('{TPU}')",
                         "select name from events", "create table kept as select name, count from ops", "select count(*) from kept",
                         "select count(*) from ops", "select count(*) > 100 from profkit_events")
        self.assertEqual(found[3], [["mine"]])
        self.assertEqual(found[5], found[6])
        self.assertEqual(found[7], [[1]])

    def test_captures_are_exchanged_between_queries(self):
        shutil.copy(TPU, self.scratch / "a.xplane.pb")
        self.write("b.xplane.pb", b"no capture")
        found = self.ask("select count(*) from ops", f"select profkit_open('{self.scratch}')", "select count(distinct uri) from ops",
                         "select profkit_failures()", "select uri, message <> '' from errors", f"select profkit_open('{GPU}')",
                         "select distinct uri from ops", "select profkit_failures()")
        bad = str(self.scratch / "b.xplane.pb")
        self.assertEqual(found, [[[0]], [[2]], [[1]], [[1]], [[bad, 1]], [[1]], [[str(GPU)]], [[0]]])

    def test_what_is_refused(self):
        found = self.ask(f"select profkit_open('{TPU}')", f"select profkit_open('{GPU}') from ops", "select profkit_open()", "select profkit_open(5)",
                         "select count(distinct uri) from ops", "create view a as select profkit_open('x')", "select * from a",
                         "create view b as select * from ops", "select * from b", "delete from ops", "create virtual table c using ops",
                         "select sum(self_ps * 40000) from ops")
        for at, said in [(1, "within a query"), (2, "takes paths"), (3, "takes paths"), (6, "unsafe use"), (8, "unsafe use"),
                         (9, "may not be modified"), (10, ""), (11, "integer overflow")]:
            with self.subTest(at=at):
                self.assertIsInstance(found[at], str)
                self.assertIn(said, found[at])
        self.assertEqual(found[4], [[1]])


if __name__ == "__main__":
    EXTENSION = os.path.abspath(sys.argv.pop(2))
    harness.main(sys.modules["__main__"])
