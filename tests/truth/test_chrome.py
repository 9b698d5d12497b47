#!/usr/bin/env python3
"""`profkit info` of a Chrome trace, its events as Arrow, its damage."""
import json
import sys

import arrow
import truth


def named(kind, pid, tid, name):
    """Metadata that names a process or a thread."""
    return {
        "ph": "M",
        "pid": pid,
        **({} if tid is None else {"tid": tid}),
        "name": f"{kind}_name",
        "args": {"name": name},
    }


EVENTS = [
    named("process", 10, None, "/host:CPU, \"main\""),
    named("process", 9, None, "/device:GPU:0"),
    named("process", "9", None, "ö"),
    {"ph": "M", "pid": 9, "name": "process_sort_index", "args": {"sort_index": -5}},
    {"ph": "M", "pid": 10, "name": "process_sort_index", "args": {"sort_index": 7}},
    named("thread", 10, 20, "worker"),
    named("thread", 10, 3, "python "),
    named("thread", 10, "3", "named 3"),
    named("thread", 9, 7, "stream 7"),
    {
        "ph": "X",
        "pid": 9,
        "tid": 7,
        "ts": 20.5,
        "dur": 1.25,
        "name": "gemm",
        "cat": "kernel",
        "args": {"f": 6, "a": {"x": [1, "t w o"]}, "c": "three", "b": 2.50, "e": None, "d": True},
    },
    {"ph": "X", "pid": 10, "tid": 3, "ts": 10, "dur": 0, "name": "launch, \"gemm\""},
    {"ph": "i", "pid": 10, "tid": 3, "ts": 11.000001, "name": "mark", "s": "t", "args": {"k": 1}},
    {"ph": "I", "pid": 10, "tid": 20, "ts": 12, "name": "old mark"},
    {"ph": "X", "pid": 10, "tid": 20, "ts": 10, "dur": 30, "name": "long"},
    {"ph": "B", "pid": 10, "tid": 20, "ts": 50, "name": "begun"},
    {"ph": "E", "pid": 10, "tid": 20, "ts": 60.5},
    {"ph": "C", "pid": 10, "ts": 5, "name": "memory", "args": {"bytes": 5}},
    {"ph": "s", "pid": 10, "tid": 3, "ts": 10, "id": 1, "cat": "ac2g", "name": "f"},
    {"ph": "f", "pid": 9, "tid": 7, "ts": 20.5, "id": 1, "cat": "ac2g", "name": "f", "bp": "e"},
    {"ph": "X", "pid": "9", "tid": 1, "ts": 21.75, "dur": 1, "name": "gemm 2"},
]
HEAD = {"displayTimeUnit": "ns", "metadata": {"a b": [1, "c \" d"], "n": None}, "zz": 1, "schemaVersion": 2}


GEMM, LAUNCH, MARK, OLD_MARK, LONG, GEMM_2 = (EVENTS[i] for i in (9, 10, 11, 12, 13, 19))


class ChromeTest(truth.Case):
    def setUp(self):
        super().setUp()
        self.path = self.write("rank0.json", json.dumps({**HEAD, "traceEvents": EVENTS}, indent=1))

    def ask(self, document, *options, status=0, **filters):
        text = truth.run(document, self.path, "--json", *options, status=status)
        if not truth.is_sanitized():
            with truth.library().open(str(self.path)) as profile:
                self.assertEqual(profile.document_bytes(document, **filters).rstrip(), text.encode().rstrip())
        return truth.parsed(text)

    def test_info(self):
        found = self.ask("info")
        planes = found["files"][0].pop("planes")
        self.check(
            found,
            {
                "schema": "profkit.info",
                "version": 1,
                "status": "ok",
                "reason": None,
                "origin_unix_ns": None,
                "files": [
                    {
                        "file": 0,
                        "path": str(self.path),
                        "family": "chrome_trace",
                        "export_of": -1,
                        "bytes": self.path.stat().st_size,
                        "hosts": [],
                        "errors": [],
                        "warnings": [],
                        "origin_unix_ns": None,
                        "aligned": False,
                        "first_ps": 5_000_000,
                        "last_ps": 60_500_000,
                        "damage": None,
                    }
                ],
                "totals": {"files": 1, "planes": 3, "lines": 5, "events": 8, "event_stats": 0},
                "complete": True,
                "reasons": [],
            },
        )
        us = 10**6
        self.check([[p["id"], p["name"], p["kind"]] for p in planes],
                   [["1", "/device:GPU:0", "device"], ["0", "/host:CPU, \"main\"", "host"], ["2", "ö", "other"]])
        for plane in planes:
            self.check([plane[k] for k in ("stats", "event_metadata", "stat_metadata")], [{}, 0, 0])
        self.check([[n["id"] for n in p["lines"]] for p in planes], [["7"], ["3", "20", "3"], ["1"]])
        keys = ("name", "kind", "timestamp_ns", "events", "event_stats", "duration_sum_ps", "first_ps", "last_ps")
        self.check([[n[k] for k in keys] for p in planes for n in p["lines"]], [
            ["stream 7", "other", "0", 1, 0, 1_250_000, 20_500_000, 21_750_000],
            ["python ", "thread", "0", 2, 0, 0, 10 * us, 11_000_001],
            ["worker", "thread", "0", 3, 0, 30 * us + 10_500_000, 10 * us, 60_500_000],
            ["memory", "counter", "0", 1, 0, 0, 5 * us, 5 * us],
            ["", "other", "0", 1, 0, us, 21_750_000, 22_750_000]])

    def test_info_of_a_part(self):
        def counts(*options):
            found = truth.parsed(truth.run("info", self.path, "--json", *options))
            return [[n["name"], n["events"]] for p in found["files"][0]["planes"] for n in p["lines"]]
        # What ends where the window begins is outside, what begins at its end, too.
        self.check(
            counts("--time", "10.000001us:12us"),
            [["stream 7", 0], ["python ", 1], ["worker", 1], ["memory", 0], ["", 0]],
        )
        self.check(
            counts("--time", "10us:12.000001us"),
            [["stream 7", 0], ["python ", 2], ["worker", 2], ["memory", 0], ["", 0]],
        )
        self.check(
            counts("--time", "40us:50.000001us"),
            [["stream 7", 0], ["python ", 0], ["worker", 1], ["memory", 0], ["", 0]],
        )
        self.check(counts("--name", "gemm"), [["stream 7", 1], ["python ", 1], ["worker", 0], ["memory", 0], ["", 1]])
        self.check(counts("--plane", "host"), [["python ", 2], ["worker", 3], ["memory", 1]])
        self.check(counts("--line", "stream"), [["stream 7", 1]])

    def test_screen(self):
        text = truth.run("info", self.path).replace(str(self.path), "PATH")
        self.check_text(text, (truth.ROOT / "tests/truth/expected/chrome-info.txt").read_text(encoding="utf-8"))

    def test_events_as_arrow(self):
        with arrow.Handle("profile", self.path, None) as profile:
            _, rows = arrow.table("events", profile)
        found = sorted(
            [r["plane"], r["line"], r["name"], r["start_ps"], r["duration_ps"], r["source_row"]] for r in rows
        )
        us, at = 10**6, {id(e): i for i, e in enumerate(EVENTS)}
        expected = [
            ["/device:GPU:0", "stream 7", GEMM, 20_500_000, 1_250_000],
            ["/host:CPU, \"main\"", "python ", LAUNCH, 10 * us, 0],
            ["/host:CPU, \"main\"", "python ", MARK, 11_000_001, 0],
            ["/host:CPU, \"main\"", "worker", OLD_MARK, 12 * us, 0],
            ["/host:CPU, \"main\"", "worker", LONG, 10 * us, 30 * us],
            ["/host:CPU, \"main\"", "memory", EVENTS[16], 5 * us, 0],
            ["/host:CPU, \"main\"", "worker", EVENTS[14], 50 * us, 10_500_000],
            ["ö", "", GEMM_2, 21_750_000, us],
        ]
        self.check(found, sorted([p, n, e["name"], s, d, at[id(e)]] for p, n, e, s, d in expected))


class DamageTest(truth.Case):
    def ask_for(self, text, status=0):
        path = self.write("rank0.json", text)
        return truth.parsed(truth.run("info", path, "--json", status=status))

    def test_an_event_without_a_length(self):
        events = [
            {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 1, "name": "a"},
            {"ph": "X", "pid": 1, "tid": 1, "ts": 7, "name": "b"},
        ]
        text = json.dumps({"traceEvents": events})
        damage = self.ask_for(text, 5)["files"][0]["damage"]
        self.check([damage["message"], damage["byte_offset"]],
                   ["1 event has no usable time or duration", text.index(json.dumps(events[1]))])

    def test_the_last_instant_is_an_end(self):
        found = self.ask_for(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": length, "name": "a"}
                                         for at, length in ((7, 2), (5, 9), (6, 1))]))["files"][0]
        self.check([found["first_ps"], found["last_ps"]], [5_000_000, 14_000_000])

    def test_how_much_is_no_event(self):
        """The damage tells of the first; more of them are counted."""
        for events, places in (('[{"ph":"i"},x,{"ph":"i"}]', 1), ('[{"ph":"i"},x,{"ph":"i"},y,{"ph":"i"},z]', 3)):
            reasons = self.ask_for(events, 5)["reasons"]
            self.check([r for r in reasons if "places" in r],
                       [f"{self.scratch / 'rank0.json'}: {places} places hold no trace event"] if places > 1 else [])

    def test_the_cap_of_the_exporter(self):
        """From 999,000 events on the tail is thought to be missing."""
        for count, complete in ((998_999, True), (999_000, False)):
            text = '{"traceEvents":[' + ",".join(['{"ph":"i","ts":1}'] * count) + "]}"
            info = self.ask_for(text)
            self.check([info["complete"], info["reasons"]], [complete, [] if complete else [
                f"{self.scratch / 'rank0.json'}: {count} events, the exporter's limit: the end is missing, do not add it up"]])
        for brief in ([], ["--brief"]):
            report = truth.parsed(truth.run("report", self.scratch / "rank0.json", "--json", *brief))
            self.check([f["id"] for f in report["findings"]], ["incomplete.cap_1m"])

    def test_what_is_a_trace_by_its_first_bytes(self):
        """A phase belongs to an event, not to its arguments; a whole object without events is none; of a kernel table five
        columns tell."""
        columns = "Name,Stream ID,Task ID,Task Type,Block Dim"
        for name, text, status in (
                ("a.json", [{"name": "x", "ph": "i", "ts": 1}], 0), ("b.json", [{"name": "x", "args": {"ph": 1}}], 4),
                ("c.json", {"displayTimeUnit": "ms", "traceEvents": [{"ph": "i", "ts": 1}]}, 0),
                ("d.json", {"displayTimeUnit": "ms"}, 4), ("e.json", {"a": 1}, 4),
                ("f.csv", columns + "\n", 5), ("g.csv", columns.rsplit(",", 1)[0] + "\n", 4)):
            with self.subTest(name):
                truth.run("info", self.write(name, text if isinstance(text, str) else json.dumps(text)), status=status)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
