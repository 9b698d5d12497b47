#!/usr/bin/env python3
"""`profkit sql`: test_sql.py PROFKIT. The answers are compared with those of Python's own SQLite over plain tables, which hold the
rows that `profkit rows` writes of each capture, or what made the capture."""
import csv
import io
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tomllib
import unittest

import harness
from harness import DATA, GPU, ROOT, TPU, Case, event, event_name, line, needs, plane, run, text

SCHEMA = tomllib.loads((ROOT / "schema" / "tables.toml").read_text(encoding="utf-8"))
PROBES = DATA / "neutrino" / "block_sched"
ASCEND = sorted((DATA / "ascend" / "two_ranks").glob("*_ascend_pt"))[0]
KINETO = DATA / "kineto" / "h100_bert_small.pt.trace.json.gz"
LISTS = {column["name"]: column["type"] for table in SCHEMA["table"] for column in table["columns"]
         if column["type"].startswith("set:") or column["type"].endswith("[]") and column["type"] != "uint32[3]"}


def tables():
    return [table for table in SCHEMA["table"] if table["name"] not in ("events", "probe_records")]


def columns_of(table):
    """In order, as schema/tables.toml says."""
    joins = table.get("join", list(SCHEMA["join"]))
    own = [column["name"] + axis for column in table["columns"] if column["type"] != "bytes" and not column["type"].startswith("flags:")
           for axis in (("_x", "_y", "_z") if column["type"] == "uint32[3]" else ("",))]
    return [*joins, *own]


def value_for_sql(name, value):
    if value is None or name not in LISTS:
        return int(value) if isinstance(value, bool) else value
    parts = value.split(",") if value else []
    shown = [json.dumps(part) if LISTS[name].startswith("set:") else part for part in parts]
    return "[" + ",".join(shown) + "]"


def rows_of(capture, table, *filters):
    """The rows of `profkit rows`, as SQL has them."""
    outcome = run("rows", capture, table, "--format", "json", "--limit", "0", *filters)
    found = [json.loads(row) for row in outcome.out.splitlines()]
    return [{"uri": str(capture), **{name: value_for_sql(name, value) for name, value in row.items()}} for row in found]


def ask(*arguments):
    """The document of a query, and the outcome."""
    outcome = run("sql", *arguments, "--json")
    return json.loads(outcome.out) if outcome.out else None, outcome


def one_trace(number, host):
    """A TPU with as many ops as its number; names repeat, times do not."""
    names = ["fusion", "copy", "all-reduce"]
    ops = [event(1 + at % 3, 1_000_000 * at, 1000 * number + at) for at in range(number)]
    return plane(1, "/device:TPU:0", line(3, "XLA Ops", ops), *(event_name(1 + at, name) for at, name in enumerate(names))) + text(4, host)


class SqlCase(Case):
    def answer(self, *arguments, status=0):
        document, outcome = ask(*arguments)
        self.check_status(outcome, status)
        return document["rows"]

    def write_fleet(self, count=9):
        """Captures in folders; the truth about their events."""
        events = []
        for number in range(1, count + 1):
            path = self.write(f"day{number % 2}/run{number:02}.xplane.pb", one_trace(number, f"host{number % 3}"))
            events += [(str(path), ["fusion", "copy", "all-reduce"][at % 3], 1_000_000 * at, 1000 * number + at) for at in range(number)]
        return events


@needs("sql")
class TablesTest(SqlCase):
    def test_every_table_has_the_rows_of_the_command(self):
        captures = [TPU, GPU, KINETO, ASCEND] + ([*PROBES.iterdir()] if "neutrino" not in os.environ.get("PROFKIT_LEFT_OUT", "").split() else [])
        with_rows = set()
        for table in tables():
            with self.subTest(table=table["name"]):
                wanted = [row for capture in sorted(map(str, captures)) for row in rows_of(capture, table["name"])]
                document, outcome = ask(*captures, f"select * from {table['name']}")
                self.check_status(outcome, 0)
                self.assertEqual(document["columns"], ["uri", *columns_of(table)])
                self.assertEqual([dict(zip(document["columns"], row)) for row in document["rows"]], wanted)
                self.assertEqual(document["captures"], len(captures))
                with_rows |= {table["name"]} if wanted else set()
        self.assertLessEqual({"files", "devices", "ops", "steps", "kernels", "gaps", "causes", "modules", "device_time"}, with_rows)

    def test_events(self):
        events = self.write_fleet()
        found = self.answer(self.scratch, "select uri, name, start_ps, duration_ps from events order by uri, start_ps")
        self.assertEqual([tuple(row) for row in found], sorted(events, key=lambda row: (row[0], row[2])))
        document, _ = ask(self.scratch, "select * from events limit 1")
        table = next(table for table in SCHEMA["table"] if table["name"] == "events")
        self.assertEqual(document["columns"], ["uri", *columns_of(table)])

    @needs("neutrino")
    def test_probe_records(self):
        for at in range(2):
            document = json.loads(run("neutrino", PROBES, "records", "--launch", str(at), "--limit", "0", "--json").out)
            wanted = [[row["block"], row["lane"], row["k"], dict(zip(document["fields"], map(int, row["values"])))] for row in document["rows"]]
            self.assertTrue(wanted)
            found = self.answer(PROBES, f"select block, lane, k, fields from probe_records where bin_position = {at} and map = 'block_sched'")
            self.assertEqual([[*row[:3], json.loads(row[3])] for row in found], wanted)
        self.assertEqual(self.answer(PROBES, "select distinct bin_position, map from probe_records"), [[at, name] for at in range(2) for name in ("block_sched", "bytes")])

    def test_the_list_of_tables(self):
        outcome = run("sql", "--tables")
        self.check_status(outcome, 0)
        heads = [text.split(":")[0] for text in outcome.out.splitlines() if text and not text.startswith(" ")]
        self.assertEqual(heads, [table["name"] for table in SCHEMA["table"]] + ["waits", "captures", "errors"])
        for table in SCHEMA["table"]:
            shown = outcome.out.split(f"\n{table['name']}: ")[-1].split("\n\n")[0] if table["name"] != "files" else outcome.out.split("\n\n")[0]
            listed = [text.split()[0] for text in shown.splitlines()[1:] if "filter: " not in text]
            extra = ["map", "fields"] if table["name"] == "probe_records" else []
            self.assertEqual(listed, ["uri", *columns_of(table), *extra])
        self.assertEqual(run("sql", ".tables").out, outcome.out)

    def test_filters_of_the_reader(self):
        words = {"only_host": "--host", "only_plane": "--plane", "only_line": "--line", "only_name": "--name", "only_step": "--step"}
        for name, value in [("only_plane", "TPU:1"), ("only_line", "XLA"), ("only_name", "all-reduce"), ("only_step", 3)]:
            with self.subTest(filter=name):
                found = self.answer(TPU, f"select name, count, self_ps from ops where {name} = {value!r}")
                wanted = [[row["name"], row["count"], row["self_ps"]] for row in rows_of(TPU, "ops", words[name], str(value))]
                self.assertTrue(wanted)
                self.assertEqual(found, wanted)
        from_ps, to_ps = 20 * 10**12, 30 * 10**12
        found = self.answer(TPU, f"select name, count from ops where from_ps = {from_ps} and to_ps = {to_ps}")
        self.assertEqual(found, [[row["name"], row["count"]] for row in rows_of(TPU, "ops", "--time", "20s:30s")])
        self.assertEqual(self.answer(TPU, "select only_step, count(*) from ops where only_step in (3, 4) group by 1 order by 1"),
                         [[step, len(rows_of(TPU, "ops", "--step", str(step)))] for step in (3, 4)])
        # One capture lacks it, the other does not.
        self.assertEqual(self.answer(TPU, GPU, "select distinct uri from ops where only_plane = 'TPU'"), [[str(TPU)]])
        self.assertEqual(self.answer(TPU, "select count(*) from ops where only_plane = 'nothing'"), [[0]])
        _, outcome = ask(TPU, "select only_step from ops")
        self.check_status(outcome, 2)
        self.assertIn("only_step = ", outcome.err)
        _, outcome = ask(TPU, "select * from kernels where only_step = 1")  # kernels take no step
        self.check_status(outcome, 2)

    def test_a_number_past_63_bits_is_text(self):
        # flops of an op, as XLA records it: a stat of its metadata.
        large = 2**63 + 5
        entry = text(4, harness.number(1, 1) + text(2, harness.number(1, 1) + text(2, "fusion") +
                                                     text(5, harness.number(1, 7) + harness.number(3, large))))
        stat = text(5, harness.number(1, 7) + text(2, harness.number(1, 7) + text(2, "flops")))
        path = self.write("a.xplane.pb", plane(1, "/device:TPU:0", line(3, "XLA Ops", [event(1, 1000, 500)]), entry, stat))
        self.assertEqual(rows_of(path, "ops")[0]["flops"], large)
        self.assertEqual(self.answer(path, "select flops, typeof(flops) from ops"), [[str(large), "text"]])
        self.assertEqual(self.answer(path, "select count(*) from ops where flops > 5"), [[1]])


@needs("sql")
class QueriesTest(SqlCase):
    def plain(self, captures):
        """The same tables as plain ones."""
        base = sqlite3.connect(":memory:")
        for table in tables():
            names = ["uri", *columns_of(table)]
            integers = {name for column in table["columns"] for name in (column["name"], *(column["name"] + axis for axis in ("_x", "_y", "_z")))
                        if column["type"] in ("int32", "int64", "uint32", "uint64", "uint32[3]") or column["type"].startswith("flag:")}
            integers |= {"rank", "node"}
            kinds = ", ".join(f'"{name}" {"integer" if name in integers else "text"}' for name in names)
            base.execute(f"create table {table['name']} ({kinds})")
            for capture in captures:
                base.executemany(f"insert into {table['name']} values ({', '.join('?' * len(names))})",
                                 [[row[name] for name in names] for row in rows_of(capture, table["name"])])
        return base

    def random_condition(self, rng, base, table):
        names = ["uri", *columns_of(table)]
        name = rng.choice(names + ["uri"] * 2)
        values = [row[0] for row in base.execute(f'select distinct "{name}" from {table["name"]}')] or [None]
        value = rng.choice(values)
        quoted = "null" if value is None else str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
        column = f'"{name}"'
        if isinstance(value, int):
            near = str(value + rng.choice((-1, 0, 0, 1)))
            return rng.choice([f"{column} {rng.choice(['=', '<', '<=', '>', '>=', '<>', 'is'])} {near}", f"{column} between {quoted} and {value + 1000}",
                               f"{column} in ({quoted}, 1, 2)", f"{column} {rng.choice('<>')} {value}.5", f"{column} = '{value}'", f"{near} > {column}"])
        if value is None:
            return rng.choice([f"{column} is null", f"{column} is not null", f"{column} = null"])
        part = str(value)[rng.randrange(len(str(value)) + 1):].replace("'", "''")
        return rng.choice([f"{column} = {quoted}", f"{column} <> {quoted}", f"{column} in ({quoted}, 'x')", f"{column} like '%{part.upper()}'",
                           f"{column} glob '*{part}*'", f"{column} > {quoted}", f"{column} = {quoted} collate nocase",
                           f"upper({column}) = {quoted}", f"{column} = 5"])

    def test_random_queries(self):
        self.write_fleet(5)
        for name, source in [("t.xplane.pb", TPU), ("two.pt.trace.json.gz", KINETO)]:
            shutil.copy(source, self.scratch / name)
        captures = sorted(path for path in self.scratch.rglob("*") if path.is_file())
        base = self.plain(captures)
        rng = random.Random(4)
        some = [table for table in tables() if base.execute(f"select count(*) from {table['name']}").fetchone()[0]]
        queries = []
        for _ in range(60):
            table = rng.choice(some)
            joined = rng.choice([" and ", " or ", " and "]).join(self.random_condition(rng, base, table) for _ in range(rng.randrange(1, 4)))
            columns = rng.choice(["*", "uri, file", "count(*)", "uri"])
            queries.append(f"select {columns} from {table['name']} where {joined}")
        queries += [
            "select uri, count(*), total(self_ps), min(name), max(name), group_concat(distinct name) from ops group by uri order by uri",
            "select name, sum(count) from ops group by name order by 2 desc, 1",
            "select o.uri, o.name, d.name from ops o join devices d using (uri, device) order by 1, 2",
            "select d.uri, d.name, (select count(*) from kernels k where k.uri = d.uri and k.device = d.device) from devices d",
            "select count(*) from ops a join ops b on a.uri = b.uri and a.name = b.name",
            "select f.uri, o.name from files f left join ops o on o.uri = f.uri and o.count > 1000000 order by 1, 2",
            "select uri from files where uri in (select uri from ops where name = 'copy') order by uri desc",
            "select count(*) from ops a, ops b where a.uri < b.uri and a.name = b.name and a.count = 1",
            "with slow as (select uri, max(self_ps) as most from ops group by uri) select o.uri, name from ops o join slow using (uri) "
            "where self_ps = most order by uri, name",
            "select distinct host from ops order by host",
            "select uri from files order by uri desc",
            "select uri from files order by uri",
            "select count(distinct rowid) = count(*) from ops",
        ]
        nonempty = 0
        for query in queries:
            with self.subTest(query=query):
                wanted = base.execute(query).fetchall()
                found = self.answer(self.scratch, query)
                order = (lambda rows: rows) if "order by" in query else (lambda rows: sorted(rows, key=repr))
                self.assertEqual(order([list(row) for row in found]), order([list(row) for row in wanted]))
                nonempty += bool(wanted) and wanted != [(0,)]
        self.assertGreater(nonempty, len(queries) // 3)

    def test_conditions_on_events(self):
        events = self.write_fleet()
        base = sqlite3.connect(":memory:")
        base.execute("create table events (uri text, name text, start_ps integer, duration_ps integer, file integer)")
        base.executemany("insert into events values (?, ?, ?, ?, 0)", events)
        for where in ["start_ps >= 3000000", "start_ps > 3000000 and start_ps <= 7000000", "name = 'copy'", "name = 'COPY' collate nocase",
                      "name = 'nothing'", "file = 0", "file = 1", "file = -1", "file in (0, 1)", "duration_ps < 4003 and name <> 'fusion'",
                      "uri like '%RUN03%'", "uri glob '*run0[45]*'", "start_ps = null", "start_ps > 2999999.5", "start_ps < 3000000.5", "name = 'copy' and uri like '%run09%'",
                      "start_ps < 1000000 or name = 'all-reduce'", "not start_ps < 5000000", "start_ps between 1 and 1000000"]:
            with self.subTest(where=where):
                query = f"select uri, name, start_ps, duration_ps from events where {where} order by 1, 3"
                self.assertEqual([tuple(row) for row in self.answer(self.scratch, query)], base.execute(query).fetchall())

    def test_events_of_one_file(self):
        by_file = dict(map(tuple, self.answer(ASCEND, "select file, count(*) from events group by file")))
        self.assertGreater(len(by_file), 1)
        for file in range(-1, max(by_file) + 2):
            self.assertEqual(self.answer(ASCEND, f"select count(*) from events where file = {file}"), [[by_file.get(file, 0)]])
        first, second = sorted(by_file)[:2]
        self.assertEqual(self.answer(ASCEND, f"select count(*), count(distinct rowid) from events where file = {first} or file = {second}"),
                         [[by_file[first] + by_file[second]] * 2])

    def test_only_captures_that_fit_are_opened(self):
        self.write_fleet(3)
        bad = self.write("day0/bad.xplane.pb", b"no capture at all")
        for where in ["uri like '%run0%'", "uri glob '*run0*'", f"uri = '{self.scratch}/day0/run02.xplane.pb'",
                      f"uri in ('{self.scratch}/day0/run02.xplane.pb')"]:
            self.answer(self.scratch, f"select count(*) from ops where {where}", status=0)
        self.answer(self.scratch, "select count(*) from ops where name = 'copy'", status=5)
        self.answer(self.scratch, f"select count(*) from ops where uri = '{bad}'", status=4)
        # `captures` opens none.
        self.assertEqual(len(self.answer(self.scratch, "select uri from captures")), 4)

    def test_sums_past_106_days(self):
        day_ps = 86400 * 10**12
        for number in (1, 2):
            self.write(f"run{number}.xplane.pb", plane(1, "/device:TPU:0", line(3, "XLA Ops", [event(1, 0, 100 * day_ps)]), event_name(1, "fusion")))
        _, outcome = ask(self.scratch, "select sum(total_ps) from ops")
        self.check_status(outcome, 2)
        self.assertIn("total(x)", outcome.err)
        self.assertEqual(self.answer(self.scratch, "select sum(total_ps / 1000), total(total_ps) from ops"), [[200 * day_ps // 1000, 200.0 * day_ps]])
        self.assertEqual(self.answer(self.scratch, "select max(total_ps) from ops"), [[100 * day_ps]])


@needs("sql")
class DamageTest(SqlCase):
    def damaged_fleet(self):
        """Nine captures, of which one is cut short, one is no capture and one is empty."""
        events = self.write_fleet()
        paths = {int(path.name[3:5]): path for path in self.scratch.rglob("*.xplane.pb")}
        # Cut inside the last plane: what is before is kept.
        paths[7].write_bytes(paths[7].read_bytes()[:-30])
        paths[4].write_bytes(b"this is no capture" * 10)
        paths[2].write_bytes(b"")
        return events, paths

    def test_all_others_are_there(self):
        events, paths = self.damaged_fleet()
        bad = {str(paths[number]) for number in (2, 4, 7)}
        document, outcome = ask(self.scratch, "select uri, name, start_ps, duration_ps from events")
        self.check_status(outcome, 5)
        self.assertEqual({tuple(row) for row in document["rows"] if row[0] not in bad}, {row for row in events if row[0] not in bad})
        self.assertEqual({loss["uri"] for loss in document["errors"]}, bad)
        self.assertEqual(document["status"], "partial")
        for number in (2, 4, 7):
            self.assertIn(paths[number].name, outcome.err)
        outcome = run("sql", self.scratch, "select count(*) from ops", "--strict")
        self.check_status(outcome, 4)

    def test_nothing_can_be_opened(self):
        for path, status in ((self.scratch / "not there", 3), (self.write("text.xplane.pb", b"this is no capture" * 10), 4)):
            document, outcome = ask(path, "select * from ops")
            self.check_status(outcome, status)
            self.assertEqual((document["status"], len(document["errors"])), ("error", 1))

    def test_the_table_of_errors(self):
        _, paths = self.damaged_fleet()
        rows = self.answer(self.scratch, "select uri, table_name, message from errors", status=5)
        self.assertEqual([row[0] for row in rows], sorted(str(paths[number]) for number in (2, 4, 7)))
        self.assertTrue(all(row[2] for row in rows))
        self.assertEqual([row[1] is None for row in rows], [row[0] != str(paths[7]) for row in rows])
        self.assertEqual(self.answer(self.scratch, "select * from errors where uri like '%run01%'"), [])
        self.assertEqual(self.answer(self.scratch, "select count(*) from errors where uri like '%run04%'", status=4), [[1]])

    def test_every_cut_is_said(self):
        whole = one_trace(4, "host")
        path = self.write("one.xplane.pb", b"")
        for end in range(1, len(whole), 3):
            path.write_bytes(whole[:end])
            rows = run("rows", path, "ops").status
            outcome = run("sql", path, "select count(*) from ops")
            with self.subTest(end=end):
                self.assertEqual(outcome.status == 0, rows == 0, (rows, outcome.err))

    def test_a_damaged_file_among_several(self):
        folder = self.scratch / ASCEND.name
        shutil.copytree(ASCEND, folder)
        damaged = 0
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            whole = path.read_bytes()
            path.write_bytes(whole[:len(whole) // 2] + b"\xff{[")
            for table in ("files", "kernels", "ops"):
                with self.subTest(path=path.name, table=table):
                    rows, outcome = run("rows", folder, table, "--limit", "0"), run("sql", folder, f"select * from {table}", "--format", "csv")
                    self.assertEqual(outcome.status, rows.status, outcome.err + rows.err)
                    self.assertEqual(len(outcome.out.splitlines()), len(rows.out.splitlines()))
                    damaged += outcome.status == 5
            path.write_bytes(whole)
        self.assertGreater(damaged, 1)

    def test_damage_inside_events(self):
        whole = one_trace(6, "host")
        at = whole.rindex(event(3, 5_000_000, 6005))
        damaged = self.write("day0/damaged.xplane.pb", whole[:at + 2] + b"\xff" * 3 + whole[at + 5:])
        self.write("day0/whole.xplane.pb", whole)
        self.assertEqual(run("rows", damaged, "ops").status, 5)
        for table in ("ops", "events", "errors"):
            with self.subTest(table=table):
                document, outcome = ask(self.scratch, f"select * from {table}")
                self.check_status(outcome, 5)
                self.assertEqual([loss["uri"] for loss in document["errors"]], [str(damaged)])

    def test_nothing_that_can_be_read(self):
        _, outcome = ask(self.scratch / "nothing", "select count(*) from ops")
        self.check_status(outcome, 3)
        _, outcome = ask(self.scratch / "*.pb", "select count(*) from ops")
        self.check_status(outcome, 3)
        empty = self.scratch / "empty"
        empty.mkdir()
        _, outcome = ask(empty, "select count(*) from ops")
        self.check_status(outcome, 3)
        _, outcome = ask(self.write("junk.xplane.pb", b"junk" * 9), "select count(*) from ops")
        self.check_status(outcome, 4)

    @unittest.skipIf(os.environ.get("PROFKIT_SANITIZED"), "memory is that of the sanitizer")
    def test_one_capture_at_a_time(self):
        def most_memory(folder):
            with open(os.devnull, "wb") as nowhere:
                running = subprocess.Popen([harness.PROFKIT, "sql", str(folder), "select count(*), total(duration_ps) from events", "-j", "1"],
                                           stdout=nowhere)
                _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(running.returncode, 0)
            return used.ru_maxrss
        for number in range(30):
            target = self.scratch / f"all/run{number}.xplane.pb"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(TPU, target)
        one = most_memory(self.scratch / "all/run0.xplane.pb")
        self.assertLess(most_memory(self.scratch / "all"), one + 8000)


@needs("sql")
class CommandTest(SqlCase):
    def test_queries_only_read(self):
        aside = self.scratch / "aside.db"
        for query in [f"attach '{aside}' as other", "pragma writable_schema = on", "pragma database_list", "pragma temp_store_directory = '/'", "create table a (b)",
                      "create temp table a (b)", "create view a as select 1", "insert into ops (name) values ('x')", "delete from ops",
                      "update ops set name = ''", "drop table ops", "begin", "vacuum", f"vacuum into '{aside}'",
                      "select load_extension('x')", "savepoint a", "reindex", "analyze",
                      "create virtual table a using fts5(b)", "insert into sqlite_master values (1, 2, 3, 4, 5)", "detach main"]:
            with self.subTest(query=query):
                _, outcome = ask(TPU, query)
                self.check_status(outcome, 2)
        self.assertFalse(aside.exists())

    def test_wrong_queries(self):
        for query, said in [("select", "incomplete"), ("select nowhere from ops", "--tables"), ("select * from nowhere", "--tables"),
                            ("", "no query"), ("-- nothing", "no query"), ("select 1; select 2", "one by one"), ("select ?", "write the values")]:
            with self.subTest(query=query):
                document, outcome = ask(TPU, query)
                self.check_status(outcome, 2)
                self.assertIn(said, outcome.err)
                self.assertEqual((document["status"], document["rows"]), ("error", []))
        self.assertEqual(self.answer(TPU, "select 1; -- and no more"), [[1]])
        for arguments in [[], [TPU]]:
            self.check_status(run("sql", *arguments), 2)
        self.check_status(run("sql", TPU, "--file", self.scratch / "nothing.sql"), 2)

    def test_outputs_have_the_same_rows(self):
        query = "select name, count, self_ps, total(self_ps) / 7 as part, null as none, '' as empty, 'a,\"b\"' as text from ops group by name"
        document, outcome = ask(TPU, query)
        self.check_status(outcome, 0)
        wrong, _ = ask(TPU, self.write("junk.xplane.pb", b"junk" * 9), "select * from nowhere")
        partial, _ = ask(TPU, self.write("junk.xplane.pb", b"junk" * 9), "select * from ops")
        self.check_schemas([document, wrong, partial], "sql")
        self.assertEqual((document["schema"], document["status"], document["reason"], document["query"]), ("profkit.sql", "ok", None, query))
        wanted = [["" if value is None else repr(value) if isinstance(value, float) else str(value) for value in row] for row in document["rows"]]
        for arguments in (["-o", self.scratch / "a.csv"], ["--format", "csv", "-o", self.scratch / "b"], ["--format", "csv"]):
            outcome = run("sql", TPU, query, *arguments)
            self.check_status(outcome, 0)
            shown = pathlib.Path(arguments[-1]).read_text(encoding="utf-8") if "-o" in arguments else outcome.out
            head, *rows = csv.reader(io.StringIO(shown))
            self.assertEqual(head, document["columns"])
            self.assertEqual([[*map(str, row[:3]), repr(float(row[3])), *row[4:]] for row in rows], wanted)
        self.check_status(run("sql", TPU, query, "-o", self.scratch / "a.json"), 0)
        self.assertEqual(json.loads((self.scratch / "a.json").read_text(encoding="utf-8")), document)
        shown = run("sql", TPU, query, "--wide").out.splitlines()
        self.assertEqual(shown[0].split(), document["columns"])
        self.assertEqual(len(shown), len(document["rows"]) + 1)
        self.assertIn("NULL", shown[1])
        self.assertEqual(run("sql", TPU, "select name from ops where 0").out, "no rows\n")

    def test_numbers_keep_their_type(self):
        document, _ = ask(TPU, "select 9223372036854775807, -9223372036854775808, 0.1, 3.0, 0.1 + 0.2, 1 / 3.0, 1e300, 1e999, x'00ff', 'é' || char(10), cast(x'ff' as text)")
        self.assertEqual(document["rows"], [[2**63 - 1, -2**63, 0.1, 3.0, 0.1 + 0.2, 1 / 3, 1e300, None, "00ff", "é\n", "\ufffd"]])
        self.assertIsInstance(document["rows"][0][3], float)

    def test_parquet_is_for_the_python_package(self):
        outcome = run("sql", TPU, "select 1", "-o", self.scratch / "a.parquet")
        self.check_status(outcome, 2)
        self.assertIn("write_parquet", outcome.err)
        self.assertFalse((self.scratch / "a.parquet").exists())

    def test_a_file_appears_when_it_is_whole(self):
        target = self.write("out.csv", b"before")
        outcome = run("sql", TPU, "select name, abs(case when name like '%copy%' then -9223372036854775808 else 1 end) from ops", "-o", target)
        self.check_status(outcome, 2)
        self.assertEqual(target.read_bytes(), b"before")
        self.assertEqual([path.name for path in self.scratch.iterdir()], ["out.csv"])
        capture = shutil.copy(TPU, self.scratch / "run.xplane.pb")
        for output in (capture, ):
            self.check_status(run("sql", self.scratch, "select 1 from ops", "-o", output), 2)
        self.assertEqual(pathlib.Path(capture).read_bytes(), TPU.read_bytes())

    def test_a_query_of_a_file(self):
        question = self.write("question.sql", b"-- how many\nselect count(*) from ops;\n")
        self.assertEqual(self.answer(TPU, GPU, "-f", question), self.answer(TPU, GPU, "select count(*) from ops"))

    def test_threads_do_not_change_rows(self):
        query = "select * from ops"
        self.assertEqual(run("sql", TPU, GPU, query, "-j", "1").out, run("sql", TPU, GPU, query, "-j", "2").out)

    def test_captures_are_those_of_the_python_package(self):
        names = ["a.xplane.pb", "a.trace.json.gz", "b.trace.json", "c.pt.trace.json.gz", "c.pt.trace.json.zst", "d.xplane.pb.gz", "d.trace.json",
                 "notes.txt", "deep/er/e.xplane.pb", "deep/er/perfetto_trace.json.gz", "deep/PROF_1/f.xplane.pb", "deep/x_ascend_pt/g.trace.json", ".hidden/h.xplane.pb",
                 "deep/.i.xplane.pb", "e.xplane.pb.zst", "none/at/all.txt"]
        for name in names:
            self.write(name, b"")
        self.write("found.by.its.content", TPU.read_bytes())
        self.write("gpu.json", b'{"traceEvents": [{"ph": "X", "name": "k", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}')
        self.write("settings.json", b'{"threads": 4}')
        for name in ("kernel_details.csv", "trace_view.json"):
            shutil.copy(ASCEND / "ASCEND_PROFILER_OUTPUT" / name, self.write(f"tables/{name}", b""))
        (self.scratch / "link.xplane.pb").symlink_to("a.xplane.pb")
        (self.scratch / "loop").symlink_to(".")
        root = str(self.scratch)
        cases = {
            # As `report` does: what begins with a dot is passed over, and what a file holds counts before its name.
            (root,): ["a.xplane.pb", "b.trace.json", "c.pt.trace.json.gz", "c.pt.trace.json.zst", "d.xplane.pb.gz", "deep/PROF_1",
                      "deep/er/e.xplane.pb", "deep/x_ascend_pt", "e.xplane.pb.zst", "found.by.its.content", "gpu.json", "link.xplane.pb",
                      "tables"],
            (root + "/*.trace.json*",): ["a.trace.json.gz", "b.trace.json", "c.pt.trace.json.gz", "c.pt.trace.json.zst", "d.trace.json"],
            (root + "/**/e.xplane*",): ["deep/er/e.xplane.pb", "e.xplane.pb.zst"],
            (root + "/deep/PROF_1", root + "/deep/PROF_1", root + "/nothing"): ["deep/PROF_1", "nothing"],
            (root + "/none",): ["none"],
            (root + "/de*/*/e.xplane.pb",): ["deep/er/e.xplane.pb"],
            (root + "/[ab].*",): ["a.trace.json.gz", "a.xplane.pb", "b.trace.json"],
        }
        library = pathlib.Path(harness.PROFKIT).parents[1] / "libprofkit.so.0"
        for where, wanted in cases.items():
            with self.subTest(where=where):
                # Patterns go through links to folders, a search does not.
                found = [row[0] for row in self.answer(*where, "select uri from captures") if "*" not in where[0] or "/loop/" not in row[0]]
                self.assertEqual(found, [f"{root}/{name}" for name in wanted])
                if library.exists() and "PROFKIT_SANITIZED" not in os.environ:   # Python without the sanitizer cannot load what has it
                    asked = ("import sys; from profkit import fleet; "
                             "print(*[c.uri for c in fleet.captures(sys.argv[1:]) if '*' not in sys.argv[1] or '/loop/' not in c.uri], sep='\\n')")
                    environment = {**os.environ, "PROFKIT_LIBRARY": str(library), "PYTHONPATH": str(ROOT / "bindings/python/src"),
                                   "PYTHONDONTWRITEBYTECODE": "1"}
                    shown = subprocess.run([sys.executable, "-c", asked, *where], env=environment, stdout=subprocess.PIPE, check=True).stdout.decode()
                    self.assertEqual(shown.split("\n")[:-1], found)


if __name__ == "__main__":
    harness.main(sys.modules["__main__"])
