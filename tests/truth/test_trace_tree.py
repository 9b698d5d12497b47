#!/usr/bin/env python3
"""`profkit tree` and `profkit metadata` of traces and of Ascend folders: what a file holds, as it holds it."""
import csv
import gzip
import io
import json
import pathlib
import random
import sys

import anatomy_model as model
import truth
from trace_case import AscendCase

FRAME = {"version": 1, "status": "ok", "reason": None}


def text_of_file(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")


def without_bytes(found):
    """How long members were in the file is told; of files that others wrote it is not known here."""
    for facts in found.get("file_facts", []):
        for member in facts["members"]:
            assert isinstance(member.pop("bytes"), int)
    return found


class TraceCase(truth.Case):
    path = None

    def ask(self, command, *options, status=0, **filters):
        """The document of the command, which that of the C ABI equals."""
        text = truth.run(command, self.path, "--json", *options, status=status)
        if not truth.is_sanitized():
            with truth.library().open(str(self.path)) as profile:
                self.assertEqual(profile.document_bytes(command, **filters).rstrip(), text.encode().rstrip())
        return model.with_values(truth.parsed(text))

    def check_planes(self, found, expected):
        self.check(found["files"][0]["planes"], expected)


def zero_of(events):
    """What zero of a file's times is: the first time cut to whole seconds when it is 1e9 us or more."""
    times = (model.exact_ps(e.get("ts")) for e in events if e.get("ph") != "M")
    first = next(at for at in times if at is not None)
    return first // 10**12 * 10**12 if first >= 10**15 else 0


class RealTest(TraceCase):
    """Every Kineto capture that is at hand, whole."""

    def check_trace(self, path):
        document = model.parsed(text_of_file(path))
        events = document["traceEvents"] if isinstance(document, dict) else document
        self.path = path
        trace = model.Trace(events, zero_of(events), lambda *_: truth.Text)
        for limit in (0, 3):
            found = self.ask("tree", "--limit", limit, limit=limit)
            self.check([found["status"], found["damage"]], ["ok", []])
            self.check_planes(found, trace.tree(limit))
            found = without_bytes(self.ask("metadata", "--limit", limit, limit=limit))
            self.check(found["planes"], trace.metadata(limit=limit))
            facts = {"file": 0, **model.members(document if isinstance(document, dict) else {}, limit)}
            if all(member["kind"] != "json" or len(json.dumps(member["value"])) < 60_000 for member in facts["members"]):
                self.check(found["file_facts"], [facts])
        name = next(model.text_of(e["name"]) for e in events[len(events) // 2:] + events if e.get("ph") != "M" and e.get("name"))
        self.check_planes(self.ask("tree", "--name", name, "--limit", 2, event=name, limit=2), trace.tree(2, name=name))

    def check_positions(self):
        """Planes and lines are those of `info`."""
        shown = {(p["plane"], n["line"]): (p["name"], n["name"], p["kind"], n["kind"], n["id"])
                 for p in self.ask("tree", "--limit", 0, limit=0)["files"][0]["planes"] for n in p["lines"]}
        for plane in truth.parsed(truth.run("info", self.path, "--json"))["files"][0]["planes"]:
            of = [v for (p, _), v in shown.items() if str(p) == plane["id"]]
            for line in plane["lines"]:
                self.assertIn((plane["name"], line["name"], plane["kind"], line["kind"], line["id"]), of)

    def test_bert(self):
        self.check_trace(truth.ROOT / "tests/data/kineto/h100_bert_small.pt.trace.json.gz")
        self.check_positions()

    def test_a_device_by_its_label(self):
        self.path = truth.ROOT / "tests/data/kineto/h100_bert_small.pt.trace.json.gz"
        for plane, pid in (("GPU 0", "0"), ("python3 19392", "19392")):
            for found in (self.ask("tree", "--plane", plane, plane=plane)["files"][0]["planes"],
                          self.ask("metadata", "--plane", plane, plane=plane)["planes"]):
                self.check([p["process"]["pid"] for p in found], [pid])

    def test_corpus(self):
        paths = sorted(p for p in truth.corpus("captures/kineto").glob("**/*.json*") if p.stat().st_size < 1 << 20)
        self.assertTrue(paths)
        for path in paths:
            text = text_of_file(path)
            if "traceEvents" not in text[:1 << 16] and '"ph"' not in text[:1 << 16] or len(text) > 12 << 20:
                continue
            with self.subTest(str(path)):
                self.check_trace(path)


NAMES = ("a", "matmul", "ncclKernel", "ö \"quoted\"", "a\\b", "", "very " * 9)
CATEGORIES = ("kernel", "cpu_op", "", "gpu_memcpy")


def random_arguments(rng):
    values = (0, -5, 2**63, 2**64, -2**63 - 1, True, None, "text", "ü\n", "", [1, [2, " b "]], {"k": {"n": 1}}, 7)
    return {rng.choice(("k", "External id", "ä", "x y")): rng.choice(values) for _ in range(rng.randrange(4))}


def random_events(rng):
    events = []
    pids, tids = (1, 7, "7", "Spans"), (0, 3, "3", "main")
    for _ in range(rng.randrange(1, 40)):
        phase = rng.choice("XXXXXBEbenSFiICstfMMMRN")
        e = {"ph": phase, "pid": rng.choice(pids), "tid": rng.choice(tids), "name": rng.choice(NAMES)}
        if phase == "M":
            e["name"], key = rng.choice((("process_name", "name"), ("process_labels", "labels"), ("thread_name", "name"),
                                         ("process_sort_index", "sort_index"), ("thread_sort_index", "sort_index"),
                                         ("other", "k")))
            e["args"] = {key: rng.randrange(-3, 9) if key == "sort_index" else rng.choice(("p", "q é", "stream 7"))}
        else:
            e["ts"] = rng.choice((rng.randrange(100), rng.randrange(100) + 0.25, str(rng.randrange(50))))
            if rng.random() < 0.6:
                e["cat"] = rng.choice(CATEGORIES)
            if rng.random() < 0.5:
                e["args"] = random_arguments(rng)
            if phase in "bensftSF":
                e["id"] = rng.choice((5, "0x1f"))
            if phase == "X" or rng.random() < 0.1:
                e["dur"] = rng.choice((0, 1, 2.5, 40))
        if rng.random() < 0.05:
            del e["pid"]
        if rng.random() < 0.05:
            del e["tid"]
        events.append(e)
    if not any(e["ph"] == "X" for e in events):
        events.append({"ph": "X", "pid": 1, "tid": 3, "ts": 4, "dur": 1, "name": "a"})
    return events


def random_kinds(where, kind, name):
    if where == "plane":
        return "other"
    return {"async": "async", "counter": "counter"}.get(kind, "other")


class RandomTest(TraceCase):
    def test_random_traces(self):
        for seed in range(15 if truth.is_sanitized() else 60):  # a process of a sanitized build takes seconds
            rng = random.Random(seed)
            events = random_events(rng)
            head = {key: value for key, value in (("schemaVersion", 1), ("deviceProperties", [{"id": 0}, 1.50]),
                                                  ("with_stack", True), ("traceName", "t é"), ("zz", None))
                    if rng.random() < 0.7}
            tail = {"record_shapes": 0} if rng.random() < 0.5 else {}
            text = json.dumps({**head, "traceEvents": events, **tail}, indent=rng.choice((None, 1)),
                              ensure_ascii=rng.random() < 0.5)
            self.path = self.write("rank0.json", text)
            document = model.parsed(text)
            trace = model.Trace(document["traceEvents"], 0, random_kinds)
            with self.subTest(seed=seed):
                self.check_all(trace, document, rng)

    def check_all(self, trace, document, rng):
        expected = {"schema": "profkit.tree", **FRAME, "files": [
            {"file": 0, "path": str(self.path), "hosts": [], "errors": [], "warnings": [], "origin_unix_ns": None,
             "planes": trace.tree(0)}], "events_checked": "all", "damage": []}
        self.check(self.ask("tree", "--limit", 0, limit=0), expected)
        limit = rng.randrange(1, 4)
        self.check_planes(self.ask("tree", "--limit", limit, limit=limit), trace.tree(limit))
        self.check_planes(self.ask("tree"), trace.tree())
        self.check_filters(trace, rng)
        of_all = {"schema": "profkit.metadata", **FRAME, "planes": trace.metadata(),
                  "file_facts": [{"file": 0, **model.members(document)}],
                  "files": [{"path": str(self.path), "family": "chrome_trace", "export_of": -1}],
                  "events_checked": "all", "damage": []}
        self.check(without_bytes(self.ask("metadata")), truth.with_limited(of_all, 20))
        found = without_bytes(self.ask("metadata", "--limit", limit, limit=limit))
        self.check(found["planes"], trace.metadata(limit=limit))
        self.check(found["file_facts"], [{"file": 0, **model.members(document, limit)}])

    def check_filters(self, trace, rng):
        lines = [t for t in trace.tracks.values() if t.events and trace.name_of(t) and
                 any(e["ph"] in "XiIC" for e in t.events)]
        if lines:
            line, plane = trace.name_of(lines[0]), lines[0].process.name
            self.check_planes(self.ask("tree", "--line", line, "--plane", plane, line=line, plane=plane),
                              trace.tree(line=line, plane=plane))
            self.check(self.ask("metadata", "--plane", plane, plane=plane)["planes"], trace.metadata(plane=plane))
        name = rng.choice([e["name"] for e in trace.events if e["ph"] != "M"])
        self.check_planes(self.ask("tree", "--name", name, event=name), trace.tree(name=name))
        self.check(self.ask("metadata", "--name", name, event=name)["planes"], trace.metadata(name=name))
        at = next(trace.start(e) for e in trace.events if e["ph"] == "X")
        self.check_planes(self.ask("tree", "--time", f"{at}ps:{at + 9 * 10**6}ps", from_ps=at, to_ps=at + 9 * 10**6),
                          trace.tree(window=(at, at + 9 * 10**6)))


class HandmadeTest(TraceCase):
    def test_texts(self):
        """What a comparison of values does not see: how JSON texts are written, how long members were, the screen."""
        self.path = self.write("rank0.json", '{"schemaVersion": 1, "deviceProperties": [ {"id": 0, "a b": "c  d"} ],\n'
                               '"traceEvents": [{"ph":"M","name":"process_name","pid":4,"args":{"name":"python"}},\n'
                               '{"ph":"M","name":"process_labels","pid":4,"args":{"labels":"GPU 0"}},\n'
                               '{"ph":"M","name":"thread_name","pid":4,"tid":7,"args":{"name":"stream 7"}},\n'
                               '{"ph":"M","name":"thread_sort_index","pid":4,"tid":7,"args":{"sort_index":2}},\n'
                               '{"ph":"X","pid":4,"tid":7,"ts":1,"dur":2.5,"name":"gemm","cat":"kernel",'
                               '"args":{"grid": [1, 2 ], "rate": 2.50, "s": "t"}},\n'
                               '{"ph":"f","pid":4,"tid":7,"ts":1,"name":"ac2g","cat":"ac2g","id":9,"bp":"e"}]}')
        event = truth.parsed(truth.run("tree", self.path, "--json"))["files"][0]["planes"][0]["lines"][0]["events"][0]
        self.check([[s["kind"], s["value"]] for s in event["stats"]],
                   [["json", "[1,2]"], ["json", "2.50"], ["str", "t"]])
        members = truth.parsed(truth.run("metadata", self.path, "--json"))["file_facts"][0]["members"]
        self.check([[m["name"], m["value"], m["bytes"]] for m in members],
                   [["schemaVersion", "1", 1], ["deviceProperties", '[{"id":0,"a b":"c  d"}]', 28]])
        self.check_text(truth.run("tree", self.path),
                        f"{self.path}\n\n  plane 0 python  pid 4, GPU 0, 1 line\n    line 0 stream 7  tid 7, 2 events\n"
                        "      gemm  at 1.000 us, for 2.500 us, kernel\n        grid=[1,2]\n        rate=2.50\n        s=t\n"
                        "      ac2g  at 1.000 us, flow end, id 9, ac2g\n")
        self.check_text(truth.run("metadata", self.path),
                        f"{self.path}\n  schemaVersion=1\n  deviceProperties=[{{\"id\":0,\"a b\":\"c  d\"}}]\n\n"
                        "python  pid 4, labels GPU 0\n  thread 7 stream 7  sort index 2\n  2 event names\n"
                        "    ac2g  1, ac2g, phase f\n    gemm  1, kernel\n        grid, rate, s\n"
                        "  3 argument names\n    grid  1\n    rate  1\n    s  1\n")

    def test_a_long_member_is_cut(self):
        """64 KiB are shown whole; what is longer begins as it is written."""
        for length, is_cut in ((65_534, False), (65_535, True)):
            self.path = self.write("rank0.json", json.dumps({"long": "x" * length, "traceEvents": [
                {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "name": "a"}]}))
            member = truth.parsed(truth.run("metadata", self.path, "--json"))["file_facts"][0]["members"][0]
            self.check([member["is_cut"], member["bytes"], member["kind"], len(member["value"])],
                       [is_cut, length + 2, "json" if is_cut else "str", 65_536 if is_cut else length])

    def test_a_list_and_nothing_at_all(self):
        self.path = self.write("rank0.json", '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]')
        found = self.ask("metadata")
        self.check([found["file_facts"], len(found["planes"])], [[{"file": 0, "members": [], "members_left_out": 0}], 1])
        # Names alone are metadata, and no tree.
        events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "p"}}]
        self.path = self.write("rank0.json", json.dumps(events))
        found = self.ask("tree")
        self.check([found["status"], found["reason"], found["files"][0]["planes"]],
                   ["absent", "no event and no row in this part of the capture", []])
        self.check(self.ask("metadata")["planes"], model.Trace(events).metadata())
        self.assertIn("[absent] no event and no row", truth.run("tree", self.path))

    def test_two_clocks(self):
        """Times stand on the clock of the capture, whose zero is the earlier file's."""
        at = {"early": 1_700_000_000_000_000, "late": 1_700_000_003_000_001}
        for name, us in at.items():
            self.write(f"run/{name}.json", json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": us, "dur": 5, "name": name}]))
        self.path = self.scratch / "run"
        found = self.ask("tree")["files"]
        self.check([f["planes"][0]["lines"][0]["events"][0]["start_ps"] for f in found], [0, 3 * 10**12 + 10**6])
        window = self.ask("tree", "--time", "1s:4s", from_ps=10**12, to_ps=4 * 10**12)["files"]
        self.check([len(f["planes"][0]["lines"][0]["events"]) for f in window], [0, 1])

    def test_a_table_with_empty_cells(self):
        self.path = self.write("op_statistic.csv", "Device_id,OP Type,Core Type,Count,Total Time(us)\n"
                               "0,MatMul, ,5,10.5\n,Add,AI_CORE,2,3\n")
        plane = self.ask("tree")["files"][0]["planes"][0]
        self.check([plane["name"], plane["rows"]], ["op_statistic.csv", 2])
        self.check([[e["name"], e["stat_count"], [[s["name"], s["value"]] for s in e["stats"]]]
                    for e in plane["lines"][0]["events"]],
                   [["MatMul", 4, [["Device_id", "0"], ["OP Type", "MatMul"], ["Count", "5"], ["Total Time(us)", "10.5"]]],
                    ["Add", 4, [["OP Type", "Add"], ["Core Type", "AI_CORE"], ["Count", "2"], ["Total Time(us)", "3"]]]])
        self.check([[s["name"], s["count"]] for s in self.ask("metadata")["planes"][0]["stat_entries"]],
                   [["Device_id", 1], ["OP Type", 2], ["Core Type", 1], ["Count", 2], ["Total Time(us)", 2]])
        self.check_text(truth.run("tree", self.path, "--limit", 2),
                        f"{self.path}\n\n  plane 0 op_statistic.csv  2 rows\n      MatMul\n        Device_id=0\n"
                        "        OP Type=MatMul\n        … 2 more (--limit 0 shows all)\n      Add\n        OP Type=Add\n"
                        "        Core Type=AI_CORE\n        … 2 more (--limit 0 shows all)\n")
        self.check_text(truth.run("metadata", self.path, "--limit", 1),
                        "op_statistic.csv  2 rows\n  5 columns\n    Device_id  1\n    … 4 more (--limit 0 shows all)\n")

    def test_filters_that_match_nothing(self):
        self.path = self.write("rank0.json", '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":{"key":1}},'
                                             '{"ph":"s","pid":1,"tid":1,"ts":1,"id":1,"name":"arrow"}]')
        for command in ("tree", "metadata"):
            truth.run(command, self.path, "--name", "nothing", status=2)
            truth.run(command, self.path, "--plane", "nothing", status=2)
            truth.run(command, self.path, "--name", "arrow")  # of what `info` does not count, too
            truth.run(command, self.path, "--name", "key")


class DamageTest(TraceCase):
    def ask_for(self, text, command, status=5):
        self.path = self.write("rank0.json", text)
        return model.with_values(truth.parsed(truth.run(command, self.path, "--json", status=status)))

    def test_times(self):
        """What is wrong with times is said as `info` says it, and the events are shown."""
        sound = '{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"a"}'
        for broken in ('{"ph":"X","pid":1,"tid":1,"ts":NaN,"dur":1,"name":"b"}',
                       '{"ph":"X","pid":1,"tid":1,"ts":7,"dur":-1,"name":"b"}', '{"ph":"X","pid":1,"tid":1,"ts":7,"name":"b"}',
                       '{"ph":"X","pid":1,"tid":1,"ts":1e30,"dur":1,"name":"b"}', '{"ph":"i","pid":1,"tid":1,"ts":"x","name":"b"}'):
            text = f'{{"traceEvents":[{sound},{broken}]}}'
            with self.subTest(broken):
                told = [{"file": 0, **self.ask_for(text, "info")["files"][0]["damage"]}]
                found = self.ask_for(text, "tree")
                self.check(found["damage"], told)
                trace = model.Trace(model.parsed(text)["traceEvents"], 0)
                self.check_planes(found, trace.tree())
                found = self.ask_for(text, "metadata")
                self.check(found["damage"], told)
                self.check(found["planes"], trace.metadata())
                truth.run("tree", self.path, status=5)
                truth.run("metadata", self.path, status=5)

    def test_a_broken_event_loses_no_other(self):
        events = ['{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"a"}', '{"ph":"X","pid":1,,"ts":6 "dur":}',
                  '{"ph":"X","pid":1,"tid":1,"ts":7,"dur":1,"name":"c"}']
        found = self.ask_for('{"traceEvents":[' + ",".join(events) + "]}", "tree")
        self.check_planes(found, model.Trace([json.loads(events[0]), json.loads(events[2])]).tree())

    def test_cut_at_every_byte(self):
        events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "p"}},
                  {"ph": "X", "pid": 1, "tid": 2, "ts": 1.5, "dur": 2, "name": "a", "args": {"k": [1]}},
                  {"ph": "B", "pid": 1, "tid": 2, "ts": 5, "name": "b"}, {"ph": "E", "pid": 1, "tid": 2, "ts": 6},
                  {"ph": "f", "pid": 1, "tid": 3, "ts": 6, "id": 1, "name": "x"}]
        texts = [json.dumps(e) for e in events]
        whole = '{"schemaVersion": 1, "traceEvents": [' + ", ".join(texts) + '], "zz": "é"}'
        data = whole.encode()
        ends = [data.index(t.encode()) + len(t.encode()) for t in texts]
        for cut in range(len(data)):
            self.path = self.scratch / "rank0.json"
            self.path.write_bytes(data[:cut])
            for command in ("tree", "metadata"):
                done = self.outcome(command)
                with self.subTest(cut=cut, command=command):
                    self.assertIn(done[0], (4, 5))
                    if cut < ends[1]:
                        continue
                    self.assertEqual(done[0], 5)
                    intact = [e for e, end in zip(events, ends) if end <= cut]
                    found = model.with_values(json.loads(done[1]))
                    trace = model.Trace(model.parsed(json.dumps(intact)), 0)
                    if command == "tree":
                        self.check_planes(found, trace.tree())
                    else:
                        self.check(found["planes"], trace.metadata())

    def outcome(self, command):
        for status in (5, 4):
            try:
                return status, truth.run(command, self.path, "--json", status=status)
            except AssertionError as wrong:
                last = wrong
        raise last


class AscendTest(AscendCase):
    """The table of kernels, that of steps, and the settings, read by Python's own modules."""

    def kernel_planes(self, file, rank, limit):
        name = self.files[file][0]
        rows = list(csv.reader(io.StringIO((self.folder / name).read_text(encoding="utf-8-sig"))))
        planes = []
        for plane, device in enumerate(dict.fromkeys(int(r[rows[0].index("Device_id")]) if "Device_id" in rows[0] else device
                                                     for r in rows[1:] for device in (min(rank.kernels),))):
            kernels = sorted(rank.kernels[device], key=lambda k: k.row)
            streams = list(dict.fromkeys(k.stream for k in kernels if k.stream is not None))
            lines = []
            for position, stream in enumerate([None, *streams]):
                of = [k for k in kernels if k.stream == stream]
                if of:
                    lines.append(self.line(position, stream, of, rows, limit))
            planes.append({"plane": plane, "id": str(plane), "name": f"NPU {device}", "kind": "device",
                           "line_count": len(lines), "event_metadata": 0, "stat_metadata": 0, "stats": [],
                           "lines": lines[:limit] if limit else lines,
                           "lines_left_out": max(len(lines) - limit, 0) if limit else 0})
        return planes

    @staticmethod
    def cells(header, row, limit):
        # Without blanks and quotes around them, as other commands show shapes.
        pairs = ((column.strip(), cell.strip(' \t"')) for column, cell in zip(header, row))
        stats = [model.stat(column, cell) for column, cell in pairs if cell]
        return {"stat_count": len(stats), "stats": stats[:limit] if limit else stats}

    def event(self, name, start, duration, header, row, limit):
        return {"metadata_id": None, "name": name, "display_name": "", "category": "", "phase": "", "start_ps": start,
                "offset_ps": None, "num_occurrences": None, "duration_ps": duration, **self.cells(header, row, limit)}

    @staticmethod
    def line_frame(position, number, name, kind, events):
        return {"line": position, "id": str(number), "display_id": "0", "name": name, "display_name": "", "kind": kind,
                "timestamp_ns": "0", "duration_ps": 0, "event_count": events}

    def line(self, position, stream, kernels, rows, limit):
        events = [self.event(k.name, k.start, k.duration, rows[0], rows[k.row - 1], limit) for k in kernels]
        name = "no stream" if stream is None else f"Stream {stream}"
        return {**self.line_frame(position, position if stream is None else stream, name, "stream", len(events)),
                "events": events[:limit] if limit else events,
                "events_left_out": max(len(events) - limit, 0) if limit else 0}

    def test_kernels(self):
        for limit in (0, 2):
            found = self.ask("tree", "--limit", limit)["files"]
            self.assertEqual([f["path"].rsplit("/", 1)[1] for f in found if not f["path"].endswith("trace_view.json")],
                             [name.rsplit("/", 1)[1] for name, family in self.files
                              if family in ("ascend_kernels", "ascend_table")])
            for file, rank in zip(self.TABLES, self.ranks):
                self.check(next(f for f in found if f["file"] == file)["planes"], self.kernel_planes(file, rank, limit))

    def test_steps(self):
        found = self.ask("tree", "--limit", 0)["files"]
        for of in found:
            if not of["path"].endswith("step_trace_time.csv"):
                continue
            header, *rows = csv.reader(io.StringIO(pathlib.Path(of["path"]).read_text(encoding="utf-8-sig")))
            events = [self.event(row[header.index("Step")], None, None, header, row, 0) for row in rows]
            self.check(of["planes"], [{
                "plane": 0, "id": "0", "name": "step_trace_time.csv", "kind": "other", "line_count": 1, "event_metadata": 0,
                "stat_metadata": 0, "stats": [], "rows": len(rows),
                "lines": [{**self.line_frame(0, 0, "rows", "other", len(rows)), "events": events, "events_left_out": 0}],
                "lines_left_out": 0}])

    def test_trace(self):
        """Its times stand on the clock of the capture."""
        origin = int(truth.parsed(truth.run("info", self.folder, "--json"))["origin_unix_ns"]) * 1000
        found = [f for f in model.with_values(self.ask("tree", "--limit", 0))["files"] if f["path"].endswith(".json")]
        self.assertTrue(found)
        for of in found:
            events = model.parsed(pathlib.Path(of["path"]).read_text(encoding="utf-8"))
            trace = model.Trace(events if isinstance(events, list) else events["traceEvents"], origin, lambda *_: truth.Text)
            self.check(of["planes"], trace.tree(0))

    def test_metadata(self):
        found = model.with_values(self.ask("metadata", "--limit", 0))
        tables = [p for p in found["planes"] if "rows" in p]
        expected, facts = [], []
        for file, (name, family) in enumerate(self.files):
            text = (self.folder / name).read_text(encoding="utf-8-sig")
            if family == "chrome_trace":
                document = model.parsed(text)
                facts.append({"file": file, **model.members(document if isinstance(document, dict) else {}, 0)})
            if family == "ascend_json":
                facts.append({"file": file, **model.members(model.parsed(text), 0)})
            if family not in ("ascend_kernels", "ascend_table"):
                continue
            header, *rows = csv.reader(io.StringIO(text))
            position = -1 if family == "ascend_kernels" else 0
            expected.append({
                "file": file, "plane": position, "id": str(position), "name": name.rsplit("/", 1)[1], "kind": "other",
                "event_metadata": 0, "stat_metadata": len(header), "rows": len(rows), "event_entries": [],
                "event_entries_left_out": 0,
                "stat_entries": [{"metadata_id": None, "name": column.strip(), "description": "",
                                  "count": sum(1 for row in rows if row[i].strip())} for i, column in enumerate(header)],
                "stat_entries_left_out": 0})
        self.check(tables, expected)
        self.check(without_bytes(found)["file_facts"], facts)

    def test_tables_are_planes(self):
        name = "step_trace_time.csv"
        found = self.ask("tree", "--plane", name)
        self.check(sorted({p["name"] for f in found["files"] for p in f["planes"]}), [name])
        truth.run("tree", self.folder, "--plane", "no such table", status=2)

    def test_a_broken_row_loses_no_other(self):
        path = self.folder / self.files[self.TABLES[0]][0]
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        path.write_text("".join([*lines[:2], "broken,row\n", *lines[2:]]), encoding="utf-8")
        found = truth.parsed(truth.run("tree", path, "--json", "--limit", 0, status=5))
        rows = sum(n["event_count"] for p in found["files"][0]["planes"] for n in p["lines"])
        self.check(rows, len(lines) - 1)
        info = truth.parsed(truth.run("info", path, "--json", status=5))
        self.check(found["damage"][0]["message"], info["files"][0]["damage"]["message"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
