#!/usr/bin/env python3
"""What the events of a trace JSON are put together to: begins and ends, processes and threads by their ids, names, time zeros of files;
each where two are alike."""
import json
import sys

import truth
from trace_events import RowsCase, meta

US, BASE_NS, DAY_US = 1_000_000, 1_700_000_000_000_000_000, 86_400_000_000


class PiecesCase(RowsCase):
    def save(self, events, name="a.json", **head):
        return self.write(name, json.dumps({**head, "traceEvents": events}))

    def info(self, path):
        return truth.parsed(truth.run("info", path, "--json"))

    def lines(self, path):
        """Of each line: process, thread, events, their lengths, from when to when in us."""
        return [[plane["name"], line["id"], line["name"], line["events"], line["duration_sum_ps"] // US, line["first_ps"] // US,
                 line["last_ps"] // US] for plane in self.info(path)["files"][0]["planes"] for line in plane["lines"]]


class Pairs(PiecesCase):
    def event(self, ph, ts, name=None, pid=0, tid=7, **args):
        made = {"ph": ph, "pid": pid, "tid": tid, "ts": ts}
        made.update({} if name is None else {"name": name})
        made.update({"cat": "kernel", "args": {"device": pid, "stream": tid, **args}} if ph == "B" else {"args": args} if args else {})
        return made

    KEYS = ("name", "start_ps", "duration_ps", "source_row", "stream")

    def test_which_begin_an_end_ends(self):
        """The last of its name that is open on its thread; without a name the last of all. It counts as the event of its begin."""
        e = self.event
        path = self.save([
            e("B", 0, "a"), e("B", 10, "b"), e("B", 20, "a"), e("B", 21, "a", tid=8), e("B", 22, "a", pid=1), e("B", 25, "c"),
            e("E", 30, "a"), e("E", 40), e("E", 50, "a"), e("E", 60), e("E", 70), e("E", 71, "a", tid=8), e("E", 75, "a", pid=1),
            e("B", 80, "d"), e("B", 85, "d"), e("E", 85, "d")])
        us = lambda *rows: [[name, start * US, length * US, row, stream] for name, start, length, row, stream in rows]
        self.check(self.rows(path, *self.KEYS), us(
            ("a", 0, 50, 0, 7), ("b", 10, 50, 1, 7), ("a", 20, 10, 2, 7), ("a", 21, 50, 3, 8), ("c", 25, 15, 5, 7), ("d", 85, 0, 14, 7),
            ("a", 22, 53, 4, 7)))
        inputs = truth.parsed(truth.run("bubbles", path, "--json"))["inputs"][0]
        self.check([inputs["rejected"], inputs["notes"][:1]],
                   [1, ["begins without an end, which are not counted: 1, the first is event 14"]])

    def test_arguments_of_both(self):
        """What the begin says counts before what the end says; what the end alone says counts as well."""
        call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 1, "dur": 1}
        e = self.event
        path = self.save([{**call, "ts": 1, "args": {"correlation": 0}}, {**call, "ts": 2, "args": {"correlation": 1}},
                          e("B", 10, "a", correlation=0), e("E", 20, "a", correlation=1), e("B", 30, "b"), e("E", 40, "b", correlation=1),
                          e("B", 50, "c", correlation=1), e("E", 60, "c")], schemaVersion=1)
        self.check(self.rows(path, "name", "launch_ps"), [["a", US], ["b", 2 * US], ["c", 2 * US]])

    def test_asynchronous_ones(self):
        """By process, category, id and name: an id of another category, or the same as a text of another process, is another."""
        def a(ph, ts, cat, number, name="n", pid=1, tid=1):
            return {"ph": ph, "cat": cat, "id": number, "name": name, "pid": pid, "tid": tid, "ts": ts}
        path = self.save([a("b", 0, "x", "0"), a("b", 5, "y", "0"), a("b", 7, "x", "1"), a("b", 8, "x", "0", "m"),
                          a("b", 9, "x", "0", pid=2),
                          a("e", 10, "x", "0", tid=2), a("e", 20, "x", "1"), a("e", 30, "y", "0"), a("e", 40, "x", "0", "m"),
                          a("e", 50, "x", "0", pid=2), a("n", 60, "x", "0"), a("e", 70, "x", "0")])
        self.check(self.lines(path), [["", "0", "x", 4, 10 + 13 + 32, 0, 60], ["", "1", "y", 1, 25, 5, 30], ["", "0", "x", 1, 41, 9, 50]])


class Processes(PiecesCase):
    @staticmethod
    def x(pid, tid, start, length=1):
        return {"ph": "X", "name": "n", "ts": start, "dur": length, **({} if pid is None else {"pid": pid}),
                **({} if tid is None else {"tid": tid})}

    def test_ids_that_look_alike(self):
        """7 and "7" are two processes, and two threads; events of them come by turns, and so do ids of which the sum is one."""
        ids = [(7, 1), ("7", 1), (7, "1"), ("7", "1"), (1, 6), (2, 1), (0, 0), (1, 6), (0, None), (10, 1), (1, 10), (-1, 0)]
        events, counts = [], {}
        for again in range(3):
            for at, (pid, tid) in enumerate(ids):
                events.append(self.x(pid, tid, 100 * again + at, at + 1))
                row = counts.setdefault((repr(pid), repr(tid)), [0, 0, at, 0])
                row[0], row[1], row[3] = row[0] + 1, row[1] + at + 1, 100 * again + 2 * at + 1
        found = sorted(line[3:] for line in self.lines(self.save(events)))
        self.check(found, sorted(counts.values()))
        planes = self.info(self.scratch / "a.json")["files"][0]["planes"]
        self.check([[plane["id"], len(plane["lines"])] for plane in planes if plane["lines"]], [
            [str(at), lines] for at, lines in enumerate((2, 2, 2, 1, 2, 1, 1))])

    def test_names(self):
        """The last name counts, wherever it stands; each process and each thread has its own, those without one have none."""
        path = self.save([meta("process_name", 1, 0, "first"), self.x(1, 1, 0), self.x(2, 1, 10), self.x(1, 2, 20), self.x(3, 1, 30),
                          meta("thread_name", 1, 2, "second"), meta("process_name", 2, 0, "two"), meta("process_name", 1, 0, "one"),
                          meta("thread_name", 1, 2, "last"), meta("thread_name", 3, 1, ""), meta("process_name", 3, 0, "three"),
                          meta("process_name", 3, 0, "")])
        self.check([line[:4] for line in self.lines(path)],
                   [["one", "1", "", 1], ["one", "2", "last", 1], ["two", "1", "", 1], ["", "1", "", 1]])

    def test_what_a_line_holds(self):
        """Spans, instants and counters; a line that lies beside counts for itself. The last to end need not be the last in the file."""
        path = self.save([self.x(1, 1, 50, 100), self.x(1, 1, 10, 5), {"ph": "i", "name": "now", "pid": 1, "tid": 2, "ts": 70},
                          {"ph": "C", "name": "memory", "pid": 1, "tid": 1, "ts": 5, "args": {"v": 1}}, self.x(1, 1, 60, 0),
                          {"ph": "C", "name": "memory", "pid": 1, "tid": 2, "ts": 3, "args": {"v": 2}},
                          {"ph": "C", "name": "power", "pid": 1, "tid": 1, "ts": 9, "args": {"v": 2}}])
        self.check([line[1:] for line in self.lines(path)], [
            ["1", "", 3, 105, 10, 150], ["2", "", 1, 0, 70, 70], ["2", "memory", 2, 0, 3, 5], ["3", "power", 1, 0, 9, 9]])


class Zeros(PiecesCase):
    @staticmethod
    def kernel(start, name="k", length=5):
        return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": length,
                "args": {"device": 0, "stream": 7}}

    def test_files_of_one_capture(self):
        """Times count from the first zero of all files, whichever it is of; before the events or after them."""
        def tail(base, *events):
            return json.dumps({"traceEvents": list(events), "more": {"baseTimeNanoseconds": 1}, "baseTimeNanoseconds": base})
        for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
            for place, which in enumerate(order):
                base = BASE_NS + 7_000 * which
                self.write(f"run{order[0]}/{place}.json", tail(base, self.kernel(10 + which)) if which == 1 else
                           json.dumps({"baseTimeNanoseconds": base, "traceEvents": [self.kernel(10 + which)]}))
            found = self.info(self.scratch / f"run{order[0]}")
            self.check([found["origin_unix_ns"], [file["origin_unix_ns"] for file in found["files"]]],
                       [str(BASE_NS), [str(BASE_NS + 7_000 * which) for which in order]])
            self.check(self.rows(self.scratch / f"run{order[0]}", "file", "start_ps"),
                       [[place, (10 + 8 * which) * US] for place, which in enumerate(order)])

    def test_a_key_that_is_none(self):
        """Inside of something else, after what closes the file or not, it is no zero; nor is 0."""
        events = [self.kernel(10)]
        for text in (json.dumps({"traceEvents": events, "more": {"baseTimeNanoseconds": BASE_NS}}),
                     json.dumps({"traceEvents": [{**events[0], "args": {"baseTimeNanoseconds": BASE_NS}}]}),
                     json.dumps({"baseTimeNanoseconds": 0, "traceEvents": events}),
                     json.dumps({"more": {"baseTimeNanoseconds": BASE_NS}, "traceEvents": events})):
            found = self.info(self.write("a.json", text))
            self.check([found["origin_unix_ns"], found["files"][0]["first_ps"]], [None, 10 * US])
        found = self.info(self.write("a.json", json.dumps({"baseTimeNanoseconds": 1, "traceEvents": events})))
        self.check(found["origin_unix_ns"], "1")

    def test_times_since_1970(self):
        """They are their own zero: whole seconds before the first event of all, where the first in the file is not the first of all."""
        first = BASE_NS // 1_000 + 300_000
        for times, before_s in (((first, first + 10), 0), ((first, first - 10), 0), ((first, first - 300_000), 0),
                                ((first, first - 300_001), 1), ((first, first - 1_300_000), 1), ((first, first - 1_300_001), 2),
                                ((first, first + 5, first - 299_999), 0)):
            zero_us = first - first % 1_000_000 if first % 1_000_000 else first
            path = self.save([self.kernel(at) for at in times])
            found = self.info(path)
            origin = int(found["origin_unix_ns"])
            starts = sorted(self.rows(path, "start_ps"))
            self.check(starts, sorted([at * 1_000_000 - origin * 1_000] for at in times))
            self.check(origin, (zero_us - 1_000_000 * before_s) * 1_000)

    def test_two_files_since_1970(self):
        """Each has a zero of its own, and all show one clock."""
        first = BASE_NS // 1_000 + 300_000
        for name, at in (("a", first + 2_500_000), ("b", first), ("c", first + 999_999)):
            self.save([self.kernel(at, name)], f"run/{name}.json")
        found = self.info(self.scratch / "run")
        self.check(found["origin_unix_ns"], str(BASE_NS))
        self.check(self.rows(self.scratch / "run", "name", "start_ps"), [
            ["a", 2_800_000 * US], ["b", 300_000 * US], ["c", 1_299_999 * US]])


class Texts(PiecesCase):
    """The same events, however they are written."""
    KEYS = ("device_name", "stream", "name", "start_ps", "duration_ps", "source_row")

    def test_around_the_events(self):
        """A list alone or in an object, with other members before and after it and inside of it; marks, blanks and commas at the end."""
        events = json.dumps([Zeros.kernel(10, "a"), Zeros.kernel(20, "b"), Zeros.kernel(5, "c")])
        inner = json.dumps({"traceEvents": [Zeros.kernel(1, "no")], "x": "]}"})
        expected = [["GPU 0", 7, name, start * US, 5 * US, row] for name, start, row in (("c", 5, 2), ("a", 10, 0), ("b", 20, 1))]
        for text in (events, "\ufeff" + events, " \n" + events + "\n ", events[:-1] + ",]", events[:-1], '{"traceEvents":' + events + "}",
                     '{"a": 1, "more": ' + inner + ', "traceEvents" :\n' + events + ', "more": ' + inner + "}",
                     '{"displayTimeUnit": "ns", "traceEvents": ' + events + "}", events.replace(", ", ",").replace(": ", ":"),
                     json.dumps(json.loads(events), indent=2)):
            self.check(self.rows(self.write("a.json", text), *self.KEYS), expected)

    def test_numbers(self):
        """Times as numbers or as texts, with decimals or a power; down to a ps."""
        rows = [("10", 10 * US), ('"10.5"', 10_500_000), ("1e1", 10 * US), ("1.25e2", 125 * US), ("0", 0), ("0.000001", 1), ("-0", 0),
                ("12.345678", 12_345_678), ("1000000000.000001", 1_000_000_000_000_001)]
        event = '{"ph":"X","cat":"kernel","name":"k%d","pid":0,"tid":7,"dur":%s,"ts":%s,"args":{"device":0,"stream":7}}'
        text = ",".join(event % (at, ts, ts) for at, (ts, _) in enumerate(rows))
        found = self.rows(self.write("a.json", "[" + text + "]"), "name", "start_ps", "duration_ps")
        self.check(sorted(found), [[f"k{at}", ps, ps] for at, (_, ps) in enumerate(rows)])

    def test_names(self):
        """Texts with escapes, in keys, too; of a member that comes twice the last counts; other members may have the same names inside."""
        text = ('[{"ph":"X","cat":"kernel","na\\u006de":"\\u00b5 \\"x\\" \\ud83d\\ude00","pid":0,"tid":7,"ts":1,"dur":2,'
                '"args":{"device":0,"stream":7}},'
                '{"name":"first","args":{"name":"inner","ts":99,"device":1,"stream":0},"ph":"X","cat":"kernel","pid":5,'
                '"tid":6,"ts":3,"dur":4,'
                '"name":"last"},'
                '{"ph":"X","cat":"kernel","name":"","pid":0,"tid":7,"ts":9,"dur":1,'
                '"args":{"x":{"device":3,"stream":4},"stream":7,"device":0}}]')
        self.check(self.rows(self.write("a.json", text), "device_name", "stream", "name", "start_ps"), [
            ["GPU 0", 7, 'µ "x" 😀', US], ["GPU 0", 7, "", 9 * US], ["GPU 1", 0, "last", 3 * US]])


class Recorders(PiecesCase):
    def test_what_is_of_ascend(self):
        """Marks of Ascend say so in the first or the last part of a file; not where PyTorch says in its head what wrote it."""
        kernel = Zeros.kernel(10)
        named = {"ph": "M", "name": "process_name", "pid": 9, "tid": 0, "args": {"name": "CANN"}}
        for head, events, kernels in (({"schemaVersion": 1}, [named, kernel], 1), ({}, [named, kernel], 0), ({}, [kernel, named], 0),
                                      ({}, [kernel], 1), ({"more": "x" * 240, "schemaVersion": 1}, [named, kernel], 0)):
            path = self.save(events, **head)
            devices = truth.parsed(truth.run("bubbles", path, "--json"))["devices"]
            self.check(sum(d["kernels"] for d in devices if d["type"] == "gpu"), kernels)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
