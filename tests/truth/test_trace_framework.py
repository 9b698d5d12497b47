"""`profkit framework` of traces and tables: what hosts recorded, by name and process."""
import json
import sys

import trace_model as model
import truth
from ops_model import own_times
from trace_case import AscendCase, KinetoCase


def row(file, plane, name, durations, self_ps=None):
    return {"file": file, "plane": plane, "name": name, "count": len(durations), "total_ps": sum(durations),
            "self_ps": sum(durations) if self_ps is None else self_ps, "max_ps": max(durations)}


def name_rows(spans, name=""):
    """`spans`: (file, plane, line, thread, span) of all that took time. By total; of equal totals by file, plane and name."""
    threads, found = {}, {}
    for file, plane, line, thread, s in spans:
        threads.setdefault((file, plane, line, thread), []).append(s)
    for (file, plane, _, _), calls in threads.items():
        for s, own in zip(calls, own_times([(s.start, s.end) for s in calls])):
            if name in s.name:
                found.setdefault((file, plane, s.name), []).append((s.duration, own))
    rows = [row(*key, [d for d, _ in calls], sum(own for _, own in calls))
            for key, calls in sorted(found.items(), key=lambda f: (*f[0][:2], f[0][2].encode()))]
    return sorted(rows, key=lambda r: -r["total_ps"])


class Both:
    def spans(self):
        """(file, plane, line, thread's name, span) of all that hosts did."""
        raise NotImplementedError

    def document(self, keeps=lambda file, span: True, name=""):
        there = [s for s in self.spans() if keeps(s[0], s[-1])]
        kept = [s for s in there if name in s[-1].name]
        return {**model.frame("framework"), "matched": len(kept), "names": name_rows(there, name),
                "stat_names": [{"name": "kind", "count": len(kept), "kinds": ["str"]}], "files": self.listed(), "damage": []}

    def ask_for(self, *options):
        """The document without its list of events."""
        found = self.ask("framework", *options)
        self.events = found.pop("events")
        if len(self.events) < found["matched"]:
            self.check(found.pop("limited"), truth.limited(20, ("events", len(self.events), found["matched"])))
        return found

    def test_all(self):
        self.check(self.ask_for(), self.document())

    def test_events(self):
        """All of them, in no order that is promised."""
        self.ask_for("--limit", 0)
        expected = [{"file": file, "plane": plane, "line": line, "line_name": line_name, "name": s.name,
                     "start_ps": s.start, "duration_ps": s.duration,
                     "stats": [{"name": "kind", "metadata_id": "0", "kind": "str", "value": s.kind}]}
                    for file, plane, line, line_name, s in self.spans()]
        key = lambda e: (e["file"], e["start_ps"], e["duration_ps"], e["plane"], e["line"], e["name"])
        self.check(sorted(self.events, key=key), sorted(expected, key=key))

    def test_filters(self):
        self.check(self.ask_for("--host", "rank0"), self.document(lambda file, s: file == self.first_file))
        for name in ("aten", "ProfilerStep", "y"):
            self.check(self.ask_for("--name", name), self.document(name=name))

    def test_windows(self):
        some = sorted((s[-1] for s in self.spans()), key=lambda s: s.start)[10]
        for window in ((some.start, some.end), (some.end, None), (None, some.start), (some.end - 1, some.end)):
            text = ":".join("" if at is None else f"{at}ps" for at in window)
            self.check(self.ask_for("--time", text), self.document(lambda file, s, w=window: model.in_window(s, w)))

    def test_a_step(self):
        windows = self.windows(1)
        self.check(self.ask_for("--step", 1), self.document(lambda file, s: model.in_window(s, windows[file])))


class FrameworkOfPyTorch(Both, KinetoCase):
    first_file = 0

    def spans(self):
        for file, rank in enumerate(self.ranks):
            tids = {number: tid for tid, number in rank.threads.items()}
            for s in rank.spans + rank.markers:
                if s.kind != "device_marker":
                    yield file, *self.place_of(file, s.thread), f"thread {tids[s.thread]}", s

    def test_processes_and_threads(self):
        everything = list(self.spans())
        found = self.ask_for("--line", "thread 12")
        self.check(found["names"], name_rows(s for s in everything if s[3] == "thread 12"))
        found = self.ask_for("--plane", "python 901")
        self.check(found["names"], name_rows(s for s in everything if s[0] == 1))


class FrameworkOfAscend(Both, AscendCase):
    first_file = AscendCase.TRACE

    def spans(self):
        rank = self.ranks[0]
        keys = {number: key for key, number in rank.threads.items()}
        for s in rank.spans + rank.markers:
            if s.kind != "device_marker":
                yield self.TRACE, *self.place_of(s.thread), f"thread {keys[s.thread][1]}", s


def x(pid, tid, name, start, duration, cat="cpu_op"):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": {}}


class FrameworkOfSmallTraces(truth.Case):
    def ask(self, *events, status=0, options=()):
        self.write("log/a.json", json.dumps({"schemaVersion": 1, "traceEvents": list(events)}))
        return truth.parsed(truth.run("framework", self.scratch / "log", "--json", *options, status=status))

    def test_two_processes_with_the_same_thread(self):
        found = self.ask(x(9, 1, "b", 0, 6), x(7, 1, "b", 0, 2), x(7, 1, "b", 2, 3), x(7, 1, "a", 5, 5))
        # Names of equal totals stand in their own order.
        self.check(found["names"], [row(0, 0, "b", [6_000_000]), row(0, 1, "a", [5_000_000]),
                                    row(0, 1, "b", [2_000_000, 3_000_000])])
        self.check([[e["plane"], e["line"], e["line_name"]] for e in found["events"] if e["name"] == "a"],
                   [[1, 0, "thread 1"]])

    def test_all_that_a_host_records(self):
        kinds = {"cpu_op": "op", "cuda_runtime": "runtime", "python_function": "frame", "user_annotation": "annotation"}
        found = self.ask(*[x(5, 1, cat, 10 * n, 10 - n, cat) for n, cat in enumerate(kinds)],
                         x(5, 1, "nn.Module: Linear_0", 50, 1, "python_function"),
                         x(0, 7, "k", 0, 50, "kernel"))
        self.check({e["name"]: e["stats"][0]["value"] for e in found["events"]}, {**{cat: kind for cat, kind in kinds.items()},
                                                                                "nn.Module: Linear_0": "frame"})
        self.assertNotIn("k", [n["name"] for n in found["names"]])

    def test_begins_and_ends(self):
        """Pairs nest; halves whose other half was never on record are not counted, and no damage."""
        def half(ph, name, ts):
            return {"ph": ph, "cat": "cpu_op", "name": name, "pid": 5, "tid": 1, "ts": ts, "args": {}}
        pairs = [half("B", "outer", 0), half("B", "inner", 2), half("E", "inner", 5), half("E", "outer", 9)]
        expected = [row(0, 0, "outer", [9_000_000], 6_000_000), row(0, 0, "inner", [3_000_000])]
        self.check(self.ask(*pairs)["names"], expected)
        found = self.ask(*pairs, half("B", "open", 20))
        self.check([found["status"], found["names"]], ["ok", expected])
        found = self.ask(half("E", "never began", 0), *pairs)
        self.check([found["status"], found["names"]], ["ok", expected])

    def test_negative_lengths_are_damage(self):
        found = self.ask(x(5, 1, "a", 0, 10), x(5, 1, "b", 20, -1), x(5, 1, "c", 30, 3), status=5)
        self.check(found["names"], [row(0, 0, "a", [10_000_000]), row(0, 0, "c", [3_000_000])])
        self.assertEqual(len(found["damage"]), 1)

    def test_a_device_alone(self):
        found = self.ask(x(0, 7, "k", 0, 50, "kernel"))
        self.assertEqual((found["status"], found["names"], found["matched"]), ("absent", [], 0))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
