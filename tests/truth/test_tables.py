#!/usr/bin/env python3
"""Flat tables: whose each row is, what every way out of them gives, and what a new column costs."""
import csv
import io
import json
import shutil
import subprocess
import sys

import arrow
import pair
import truth
import xspace as x

BASE_NS = 1_700_000_000_000_000_000
CSV_OF_BOOL = {True: "true", False: "false"}
NAMES = [name for name in arrow.TABLES if name not in ("events", "probe_records")]


def devices_of_pair():
    """Every device plane of the two hosts, in order: whose it is."""
    return [{"run": "run1", "host": host.name, "rank": None, "node": None, "file": file, "device": None,
             "name": plane.name, "plane": position}
            for file, host in enumerate(pair.HOSTS) for position, plane in enumerate(host.planes) if plane.kind == "device"]


class TwoHosts(pair.PairCase):
    def rows(self, name, *options):
        return truth.rows(name, truth.run("rows", self.folder, name, "--format", "json", *options))

    def test_devices(self):
        expected = [{**row, "device": at} for at, row in enumerate(devices_of_pair())]
        found = self.rows("devices")
        self.check([{key: row[key] for key in expected[0]} for row in found], expected)

    def test_files(self):
        self.check([(r["file"], r["path"], r["host"], r["run"], r["family"]) for r in self.rows("files")],
                   [(i, pair.path_of(self.folder, host), host.name, "run1", "xspace")
                    for i, host in enumerate(pair.HOSTS)])

    def test_sums_by_host_and_device(self):
        """No two hosts are taken for one, though their planes have the same names."""
        expected = {}
        for file, position, _, host, plane, line in pair.lines({"ops"}):
            del file, position
            for e in line.events:
                if e.occurrences is None:
                    key = (host.name, plane.name)
                    expected[key] = expected.get(key, 0) + 1
        found = {}
        for row in self.rows("ops"):
            key = (row["host"], row["device_name"])
            found[key] = found.get(key, 0) + row["count"]
        self.assertEqual(set(found), set(expected))
        self.assertGreater(len({host for host, _ in found}), 1)
        self.assertLess(len({name for _, name in found}), len(found))  # names alone would mix them up
        for key, count in expected.items():
            self.assertGreaterEqual(found[key], count)  # aggregated events count into `count`, too

    def test_sums_by_sql(self):
        try:
            import duckdb  # pylint: disable=import-outside-toplevel
        except ImportError as why:
            self.skipTest(f"DuckDB is not installed: {why}")
        path = self.scratch / "ops.csv"
        truth.run("rows", self.folder, "ops", "-o", path)
        by_sql = duckdb.sql(f"select host, device_name, sum(total_ps)::bigint from read_csv('{path}') group by all").fetchall()
        by_hand = {}
        for line in truth.loads(truth.run("ops", self.folder, "--json", "--limit", "0"))["lines"]:
            host = pair.HOSTS[line["file"]]
            plane = host.planes[line["plane"]]
            key = (host.name, plane.name if plane.kind == "device" else None)
            by_hand[key] = by_hand.get(key, 0) + sum(op["total_ps"] for op in line["ops"])
        self.assertEqual({(host, name): total for host, name, total in by_sql}, by_hand)

    def test_every_way_out_gives_the_same(self):
        """JSON lines, CSV and Arrow, value by value; and columns that were asked for, in their order."""
        with arrow.Handle("profile", self.folder, None) as profile:
            for name in NAMES:
                columns, rows = arrow.table(name, profile)
                self.check(self.rows(name), rows)
                text = truth.run("rows", self.folder, name)
                read = list(csv.reader(io.StringIO(text, newline="")))
                self.assertEqual(read[0], [c[0] for c in columns])
                self.assertEqual(read[1:], [["" if v is None else CSV_OF_BOOL.get(v, str(v)) if isinstance(v, bool)
                                             else str(v) for v in row.values()] for row in rows])
                few = [columns[-1][0], "file"]
                self.check(arrow.table(name, profile, columns=few)[1], [{c: r[c] for c in few} for r in rows])
                plain, plain_rows = arrow.table(name, profile, flags=arrow.PLAIN_TEXT | arrow.SIGNED)
                self.assertLessEqual({c[1] for c in plain}, {"u", "l", "i", "b"})
                self.check(plain_rows, rows)
            plain, rows = arrow.table("events", profile, flags=arrow.PLAIN_TEXT | arrow.SIGNED, batch_rows=7)
            self.assertLessEqual({c[1] for c in plain}, {"u", "l", "i"})
            self.check(rows, arrow.table("events", profile)[1])

    def test_filters_that_a_table_does_not_take(self):
        why = truth.run("rows", self.folder, "files", "--plane", "TPU:0", status=2, stderr=True)
        self.assertIn("takes no filter by plane", why)
        self.assertEqual({r["device_name"] for r in self.rows("kernels", "--plane", "TPU:1")}, {"/device:TPU:1"})

    def test_the_lists_of_tables_and_columns(self):
        text = truth.run("rows", self.folder)
        self.assertEqual([line.split(":")[0] for line in text.splitlines() if not line.startswith(" ")], NAMES)
        document = (truth.ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
        for name in NAMES:
            part = document.split(f"\n## {name}\n")[1].split("\n## ")[0]
            described = [line.split("`")[1] for line in part.splitlines() if line.startswith("| `")]
            shown = text.split(f"\n{name}:")[-1] if f"\n{name}:" in text else text.split(f"{name}:", 1)[1]
            listed = " ".join(line for line in shown.split("\n")[1:] if line.startswith("  ")).split()
            self.assertEqual(listed[:len(described)], described, name)


class Nodes(truth.Case):
    def test_groups_and_findings_of_a_node(self):
        """Two nodes in one file that wait in most of their steps: the host, node and rank of whose time it is."""
        us = 10**6

        def plane(i, node, host, ops):
            runs = [x.event(9, at * 1000 * us, 900 * us) for at in range(4)]
            events = [x.event(1, at * 1000 * us, ops * us) for at in range(4)]
            return x.plane(i, f"/node:{node}/device:TPU:0", x.line(1, "XLA Modules", runs, timestamp_ns=BASE_NS),
                           x.line(2, "XLA Ops", events, timestamp_ns=BASE_NS), x.event_metadata(1, "op"), x.event_metadata(9, "jit_f(1)"),
                           x.stat_metadata(1, "hostname"), x.plane_stat(1, host))
        path = self.write("waits.xplane.pb", x.space(plane(0, 0, "first", 20), plane(64, 3, "second", 10), hostnames=["merged"]))
        groups = truth.rows("op_groups", truth.run("rows", path, "op_groups", "--format", "json"))
        self.check([(r["host"], r["node"], r["device"], r["by"], r["name"], r["count"], r["self_ps"]) for r in groups if r["by"] == "category"],
                   [("first", 0, 0, "category", None, 4, 80 * us), ("second", 3, 1, "category", None, 4, 40 * us)])
        found = truth.rows("findings", truth.run("rows", path, "findings", "--format", "json"))
        waits = {(r["host"], r["node"], r["device"], r["device_name"]) for r in found if r["id"].startswith("bubbles.idle")}
        self.assertTrue(waits, found)
        self.assertLessEqual(waits, {("first", 0, 0, "/node:0/device:TPU:0"), ("second", 3, 1, "/node:3/device:TPU:0")})

    def test_the_node_of_a_merged_trace(self):
        """Two nodes in one file: the node, and the host of the plane, not that of the file."""
        def plane(i, node, host):
            return x.plane(i, f"/node:{node}/device:TPU:0", x.line(1, "XLA Ops", [x.event(1, 0, 5)]), x.event_metadata(1, "op"),
                           x.stat_metadata(1, "hostname"), x.plane_stat(1, host))
        path = self.write("merged.xplane.pb", x.space(plane(0, 0, "first"), plane(64, 3, "second"), hostnames=["merged"]))
        rows = truth.rows("ops", truth.run("rows", path, "ops", "--format", "json"))
        self.check([(r["host"], r["node"], r["device"], r["count"]) for r in rows], [("first", 0, 0, 1), ("second", 3, 1, 1)])


    def test_nodes_of_trace_json_that_was_written_from_a_merged_trace(self):
        """Planes of three nodes in turns: the file holds each node as a trace of its own, and is asked as the merged trace is."""
        def plane(i, name, host, *events, line="XLA Ops"):
            return x.plane(i, name, x.line(1, line, [x.event(1, at, length) for at, length in events], timestamp_ns=BASE_NS),
                           x.event_metadata(1, "op"), x.stat_metadata(1, "hostname"), x.plane_stat(1, host))
        path = self.write("merged.xplane.pb", x.space(
            plane(0, "/node:0/device:TPU:0", "first", (10, 5)), plane(64, "/node:3/device:TPU:0", "second", (20, 7), (40, 1)),
            plane(1, "/node:0/device:TPU:1", "first", (30, 9)), plane(65, "/node:5/device:TPU:0", "", (50, 2)),
            plane(66, "/device:GPU:10000", "", (60, 3), line="/node:5/python")))  # a merge calls the host's threads so
        truth.run("export", path, "-o", "nodes.trace.json", cwd=self.scratch)

        def rows(*asked):
            truth.run("export", "nodes.trace.json", "-o", "events.csv", *asked, cwd=self.scratch)
            with open(self.scratch / "events.csv", newline="") as file:
                return [(r["host"], r["plane"], int(r["start_ps"]), int(r["duration_ps"])) for r in csv.DictReader(file)]

        first = [("first", "/node:0/device:TPU:0", 10, 5), ("first", "/node:0/device:TPU:1", 30, 9)]
        second = [("second", "/node:3/device:TPU:0", 20, 7), ("second", "/node:3/device:TPU:0", 40, 1)]
        third = [("node:5", "/node:5/device:TPU:0", 50, 2), ("node:5", "/host:CPU", 60, 3)]
        self.check(rows(), first + second + third)
        self.check(rows("--host", "second"), second)
        self.check(rows("--host", "node:5"), third)
        processes = truth.loads((self.scratch / "nodes.trace.json").read_bytes())["traceEvents"]
        self.check([e["args"]["name"] for e in processes if e["name"] == "process_name" and e["args"]],
                   ["node 0 (first): /node:0/device:TPU:0", "node 0 (first): /node:0/device:TPU:1",
                    "node 3 (second): /node:3/device:TPU:0", "node 5: /node:5/device:TPU:0", "node 5: /host:CPU"])
        # What has no node at all is written as ever.
        other = self.write("other.xplane.pb", x.space(plane(0, "/node:0/device:TPU:0", "first", (10, 5)), plane(1, "/device:TPU:1", "", (1, 1))))
        truth.run("export", other, "-o", "plain.trace.json", cwd=self.scratch)
        self.assertNotIn(b"profkit_node", (self.scratch / "plain.trace.json").read_bytes())


def rank_of(rank, kernels, more=()):
    """A rank of PyTorch: (start, length, elements) of each all-reduce of both ranks, us."""
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "host_name": "one",
            "deviceProperties": [{"id": 0, "name": "Test GPU"}],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2,
                                "pg_config": [{"pg_name": "0", "pg_size": 2, "ranks": [0, 1]}]},
            "traceEvents": [*more, *({
                "ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "pid": 0, "tid": 7, "ts": start,
                "dur": length, "args": {"device": 0, "stream": 7, "Collective name": "allreduce", "In msg nelems": elements,
                                        "Out msg nelems": elements, "dtype": "Float", "Group size": 2, "Seq": at + 1,
                                        "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}}
                for at, (start, length, elements) in enumerate(kernels))]}


class Ranks(truth.Case):
    def rows(self, path, name):
        return truth.rows(name, truth.run("rows", path, name, "--format", "json"))

    def test_calls_of_collectives(self):
        first, second = [(100, 50, 1000), (300, 40, 500)], [(130, 30, 1000), (290, 45, 500)]
        for rank, kernels in enumerate((first, second)):
            self.write(f"run/rank{rank}.pt.trace.json", json.dumps(rank_of(rank, kernels)).encode())
        found = self.rows(self.scratch / "run", "collective_calls")
        us = 1_000_000
        expected = [  # who begins last, and how long before who ends first; four bytes an element; 2 (n - 1) / n is 1 for two
            {"call": 0, "members": 2, "start_gap_ps": 30 * us, "order_gap_ps": (130 - 150) * us, "span_ps": 60 * us, "moving_ps": 30 * us,
             "payload_bytes": 4000, "link_bytes": 4000, "latest_node": 1, "latest_device": 0, "rank": 1},
            {"call": 1, "members": 2, "start_gap_ps": 10 * us, "order_gap_ps": (300 - 335) * us, "span_ps": 50 * us, "moving_ps": 40 * us,
             "payload_bytes": 2000, "link_bytes": 2000, "latest_node": 0, "latest_device": 0, "rank": 0}]
        for row in expected:  # a group of everyone has no name
            row.update(kind="all-reduce", process_group=None, judged=True, violates=False)
        groups = self.rows(self.scratch / "run", "op_groups")
        self.check([(row["rank"], row["count"], row["self_ps"]) for row in groups if row["by"] == "category"],
                   [(0, 2, 90 * us), (1, 2, 75 * us)])
        # Rank 0 waits longest; in the same run with the ranks exchanged rank 1 does.
        for rank, kernels in enumerate((second, first)):
            self.write(f"exchanged/rank{rank}.pt.trace.json", json.dumps(rank_of(rank, kernels)).encode())
        for folder, rank in (("run", 0), ("exchanged", 1)):
            findings = self.rows(self.scratch / folder, "findings")
            self.check([(row["id"], row["rank"], row["recoverable_ps"]) for row in findings if row["id"].endswith("straggler_wait")],
                       [("bubbles.cause.straggler_wait", rank, 25 * us)])
        found.sort(key=lambda row: row["call"])
        self.check([{key: row[key] for key in expected[0]} for row in found], expected)

    def test_where_kernels_come_from(self):
        span = {"ph": "X", "pid": 1, "tid": 1}
        more = [{**span, "cat": "user_annotation", "name": "epoch 1/2", "ts": 8, "dur": 70},
                {**span, "cat": "user_annotation", "name": "fwd", "ts": 9, "dur": 65},
                {**span, "cat": "python_function", "name": "nn.Module: Net_0", "ts": 10, "dur": 60},
                {**span, "cat": "python_function", "name": "model.py(31): forward", "ts": 11, "dur": 58},
                {**span, "cat": "python_function", "name": "nn.Module: Linear_3", "ts": 12, "dur": 50},
                {**span, "cat": "cpu_op", "name": "aten::linear", "ts": 13, "dur": 40, "args": {"External id": 1}},
                {**span, "cat": "cpu_op", "name": "aten::addmm", "ts": 14, "dur": 30,
                 "args": {"External id": 2, "Input Dims": [[7], [5, 6], [6, 7]], "Input type": ["float", "float", "float"]}},
                {**span, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 15, "dur": 5, "args": {"correlation": 4, "External id": 2}},
                {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 30, "dur": 9,
                 "args": {"device": 0, "stream": 7, "correlation": 4, "External id": 2}}]
        path = self.write("rank0.pt.trace.json", json.dumps(rank_of(0, [(100, 50, 1000)], more)).encode())
        gemm, reduce = self.rows(path, "kernels")
        origin = ("framework_op", "outer_op", "module", "range", "source", "phase")
        self.check([gemm[key] for key in origin], ["aten::addmm", "aten::linear", "Net_0/Linear_3", "epoch 1/2 > fwd", "model.py(31): forward", "forward"])
        self.check([reduce[key] for key in origin], [None] * 6)

    def test_facts(self):
        path = self.write("rank0.pt.trace.json", json.dumps(rank_of(0, [(100, 50, 1000)])).encode())
        facts = {row["name"]: row for row in self.rows(path, "facts")}
        shown = ("value", "unit", "certainty", "source", "device", "rank")
        self.check([facts["device"][key] for key in shown], ["Test GPU", None, "proved", "recorder", 0, 0])
        self.check([facts["world_size"][key] for key in shown][:4], ["2", None, "proved", "group"])
        self.assertTrue(all(row["evidence"] for row in facts.values()))


class Damage(truth.Case):
    def test_rows_before_the_damage_come_and_the_status_says_so(self):
        whole = (truth.ROOT / "tests" / "data" / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes()
        path = self.write("cut.xplane.pb", whole[:len(whole) // 2])
        for name in NAMES:
            text = truth.run("rows", path, name, "--format", "json", status=5)
            for line in text.splitlines():
                json.loads(line)
        self.assertTrue(truth.run("rows", path, "ops", status=5).count("\n") > 10)


class OneLineAColumn(truth.Case):
    """A new column is a line in schema/tables.toml and one where it is computed: the C structs stay as they are."""

    def changed_by(self, schema, line, before, after):
        """The generated files that change when a line is added before the first `before` that follows `after`."""
        root = self.scratch / "copy"
        for part in ("schema", "scripts", "include", "bindings/python/src", "bindings/rust/profkit/src", "bindings/go"):
            shutil.copytree(truth.ROOT / part, root / part, dirs_exist_ok=True)
        path = root / "schema" / schema
        text = path.read_text(encoding="utf-8")
        at = text.index(before, text.index(after))
        path.write_text(text[:at] + line + text[at:], encoding="utf-8")
        program = ("import pathlib, sys; sys.path.insert(0, sys.argv[1] + '/scripts'); import tables; "
                   "made = tables.generated(pathlib.Path(sys.argv[1]));"
                   "print(*[p for p, t in made.items() if (pathlib.Path(sys.argv[2]) / p).read_text() != t])")
        done = subprocess.run([sys.executable, "-c", program, str(root), str(truth.ROOT)], check=True, capture_output=True,
                              text=True)
        return set(done.stdout.split())

    def test_a_later_column_leaves_the_header_alone(self):
        line = '  { name = "stall_ps", type = "int64", unit = "ps", meaning = "time in stalls", since = "0.9" },\n'
        self.assertEqual(self.changed_by("tables.toml", line, '  { name = "flags"', 'name = "ops"'),
                         {"docs/tables.md", "docs/schemas/tables.json"})

    def test_a_value_of_an_enumeration_is_one_line(self):
        self.assertEqual(self.changed_by("enums.toml", '  { name = "tape" },\n', "]\n", 'name = "idle_cause"'),
                         {"include/profkit/profkit.h", "include/profkit/core/bubbles.hpp",
                          "bindings/python/src/profkit/kinds.py", "bindings/rust/profkit/src/kinds.rs",
                          "bindings/go/kinds.go", "docs/schemas/bubbles.json", "docs/schemas/diff.json"})

    def test_a_field_of_a_document_is_one_line(self):
        line = 'stall_ps = { is = "ps", meaning = "Time in stalls." }\n'
        self.assertEqual(self.changed_by("documents/steps.toml", line, 'start_ps = {', "[step.fields]"), {"docs/schemas/steps.json"})

    def test_mistakes_in_the_descriptions_of_documents_are_told(self):
        text = (truth.ROOT / "schema" / "documents" / "steps.toml").read_text(encoding="utf-8")
        for was, becomes in (('step_num = { is = "id?"', 'step_num = { is = "ids"'), ('is = "[step]"', 'is = "[stop]"'), ('is = "count"', 'is = "enum:step"'),
                             ('name = { is = "text"', 'name = { is = "text", colour = "red"'), ('name = { is = "text", ', 'name = { '),
                             ('row = "step_row"', 'row = "step_row"\ntable = "steps.breakdown"'),
                             ('row = "step_row"', 'row = "step_row"\ncolour = "red"'), ("title =", 'colour = "red"\ntitle =')):
            self.assertIn(was, text)
            path = self.write("steps.toml", text.replace(was, becomes, 1))
            program = ("import pathlib, sys; sys.path.insert(0, sys.argv[1]); import documents, enums, tables; root = pathlib.Path(sys.argv[1]).parent;"
                       "known = enums.read((root / enums.SCHEMA).read_text());"
                       "schema = tables.Schema((root / tables.SCHEMA).read_text(), known); texts = {p.stem: p.read_text() for p in (root / documents.FOLDER).glob('*.toml')}; texts['steps'] = pathlib.Path("
                       "sys.argv[2]).read_text(); documents.Schemas(texts, known, {t.name: t for t in schema.tables}).json('steps')")
            done = subprocess.run([sys.executable, "-c", program, str(truth.ROOT / "scripts"), str(path)], check=False,
                                  capture_output=True, text=True)
            self.assertIn("SchemaError", done.stderr, becomes)

    def test_mistakes_in_the_enumerations_are_told(self):
        text = (truth.ROOT / "schema" / "enums.toml").read_text(encoding="utf-8")
        for was, becomes in (('{ name = "gpu",', '{ name = "tpu",'), ('{ name = "gpu",', '{ name = "gpu", number = 1,'),
                             ('{ name = "gpu",', '{ name = "gpu", colour = "red",'), ('name = "accelerator"', 'name = "kernel_class"')):
            self.assertIn(was, text)
            path = self.write("enums.toml", text.replace(was, becomes, 1))
            program = "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import enums; enums.read(pathlib.Path(sys.argv[2]).read_text())"
            done = subprocess.run([sys.executable, "-c", program, str(truth.ROOT / "scripts"), str(path)], check=False,
                                  capture_output=True, text=True)
            self.assertIn("SchemaError", done.stderr, becomes)

    def test_mistakes_in_the_schema_are_told(self):
        text = (truth.ROOT / "schema" / "tables.toml").read_text(encoding="utf-8")
        for was, becomes in (('type = "uint64", meaning = "executions"', 'type = "count", meaning = "executions"'),
                             ('null = "negative", meaning = "position of its plane', 'null = "sometimes", meaning = "position of its plane'),
                             ('name = "min_ps"', 'name = "max_ps"'), ("number = 2", "number = 1")):
            self.assertIn(was, text)
            path = self.write("tables.toml", text.replace(was, becomes, 1))
            program = ("import pathlib, sys; sys.path.insert(0, sys.argv[1]); import enums, tables; known = enums.read((pathlib.Path("
                       "sys.argv[1]).parent / enums.SCHEMA).read_text()); tables.Schema(pathlib.Path(sys.argv[2]).read_text(), known)")
            done = subprocess.run([sys.executable, "-c", program, str(truth.ROOT / "scripts"), str(path)], check=False,
                                  capture_output=True, text=True)
            self.assertIn("SchemaError", done.stderr, becomes)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
