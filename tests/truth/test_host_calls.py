"""What threads of hosts did, in `framework` and, without a device, in `ops`: of hosts that record themselves, of traces, and of a
trace beside an XSpace."""
import json
import sys

import truth
import xspace as xs
from trace_events import meta, x

US = 1_000_000  # ps


class Recorded(truth.Case):
    """`rows`: (host, process, thread, name, start, length, kind), us."""

    def setUp(self):
        super().setUp()
        self.lib = truth.library()

    def profile(self, rows, steps=(), kernels=()):
        made, hosts, threads = self.lib.TraceBuilder("lab"), {}, {}
        self.addCleanup(made.close)

        def thread(host, *names):
            if host not in hosts:
                hosts[host] = made.host(host)
            if (host, *names) not in threads:
                threads[host, *names] = made.thread(hosts[host], *names)
            return threads[host, *names]
        for host, process, line, name, start, length, *kind in rows:
            made.spans([self.lib.TraceSpan(thread(host, process, line), name, start * US, length * US,
                                           self.lib.SpanKind[kind[0].upper()] if kind else self.lib.SpanKind.OP)])
        for host, process, line, name, start, length in steps:
            made.steps([self.lib.TraceStep(thread(host, process, line), name, start * US, length * US, 1)])
        for host, name, start, length in kernels:
            made.kernels([self.lib.TraceKernel(made.stream(made.device(hosts[host], "GPU 0"), 7), name, start * US, length * US)])
        profile = made.finish()
        self.addCleanup(profile.close)
        return profile

    def names(self, profile, **filters):
        """File, plane, name, count, total, self, longest; times in us."""
        found = profile.document("framework", limit=0, **filters)
        self.assertEqual(sum(n["count"] for n in found["names"]), found["matched"])
        return [(n["file"], n["plane"], n["name"], n["count"], *(n[key] // US for key in ("total_ps", "self_ps", "max_ps")))
                for n in found["names"]]

    def ops(self, profile, **filters):
        """(plane, line): {(name, category): (count, total, self)}."""
        return {(line["plane_name"], line["line_name"]): {
            (op["name"], op["stats"]["category"]): (op["count"], op["total_ps"] // US, op["self_ps"] // US) for op in line["ops"]}
                for line in profile.document("ops", limit=0, **filters)["lines"]}

    def test_threads_processes_and_hosts(self):
        """A name is one of all threads of a process; those of other processes and hosts stand apart, whatever they are called."""
        rows = [("a", "p", "main", "load", 0, 50), ("a", "p", "main", "copy", 10, 20), ("a", "p", "aux", "load", 5, 30),
                ("a", "q", "main", "load", 0, 7), ("b", "p", "main", "load", 0, 9), ("a", "q", "main", "copy", 20, 9)]
        profile = self.profile(rows)
        self.assertEqual(self.names(profile), [(0, 0, "load", 2, 80, 60, 50), (0, 0, "copy", 1, 20, 20, 20), (0, 1, "copy", 1, 9, 9, 9),
                                               (1, 0, "load", 1, 9, 9, 9), (0, 1, "load", 1, 7, 7, 7)])
        self.assertEqual(self.names(profile, line="aux"), [(0, 0, "load", 1, 30, 30, 30)])
        self.assertEqual(self.names(profile, plane="q", event="load"), [(0, 1, "load", 1, 7, 7, 7)])
        self.assertEqual(self.names(profile, host="b"), [(1, 0, "load", 1, 9, 9, 9)])

    def test_any_order(self):
        """Calls are taken in any order of their starts; of those that begin together the shorter one lies inside."""
        calls = [("outer", 0, 100), ("inner", 20, 30), ("leaf", 20, 10), ("late", 90, 40)]
        own = {"outer": 60, "inner": 20, "leaf": 10, "late": 40}
        for turn in range(4):
            for order in (calls[turn:] + calls[:turn], (calls[turn:] + calls[:turn])[::-1]):
                profile = self.profile([("a", "p", "main", *call) for call in order])
                self.assertEqual({row[2]: row[5] for row in self.names(profile)}, own, order)
                self.assertEqual({key[0]: row[2] for key, row in self.ops(profile)["p", "main"].items()}, own)

    def test_kinds(self):
        """All of them are shown; where operators are on record, `ops` has these alone. A name of two kinds is two ops and one name."""
        rows = [("a", "p", "main", "f", 10 * n, n + 1, kind) for n, kind in enumerate(("runtime", "frame", "annotation", "gc", "other"))]
        profile = self.profile(rows)
        self.assertEqual(self.names(profile), [(0, 0, "f", 5, 15, 15, 5)])
        self.assertEqual(self.ops(profile)["p", "main"], {("f", kind): (1, n + 1, n + 1) for n, (*_, kind) in enumerate(rows)})
        profile = self.profile(rows + [("a", "q", "main", "g", 0, 8)])
        self.assertEqual(self.ops(profile), {("q", "main"): {("g", "op"): (1, 8, 8)}})
        self.assertEqual(len(self.names(profile)), 2)

    def test_steps_are_calls(self):
        """Of `framework`; of `ops` they are none, and take no time there."""
        profile = self.profile([("a", "p", "main", "load", 10, 30), ("a", "p", "aux", "load", 20, 5)],
                               [("a", "p", "main", "train", 0, 100), ("a", "p", "aux", "train", 200, 50)])
        self.assertEqual(self.names(profile), [(0, 0, "train", 2, 150, 120, 100), (0, 0, "load", 2, 35, 35, 30)])
        self.assertEqual(self.ops(profile), {("p", "main"): {("load", "op"): (1, 30, 30)}, ("p", "aux"): {("load", "op"): (1, 5, 5)}})
        self.assertEqual(self.names(profile, step=0), [(0, 0, "train", 1, 100, 70, 100), (0, 0, "load", 2, 35, 35, 30)])
        kinds = [(e["name"], e["stats"][0]["value"]) for e in profile.document("framework", limit=0)["events"]]
        self.assertEqual(sorted(kinds), [("load", "op")] * 2 + [("train", "annotation")] * 2)

    def test_a_device_of_any_host(self):
        """Where one has kernels, what hosts did is in `framework` alone."""
        profile = self.profile([("a", "p", "main", "load", 0, 5), ("b", "p", "main", "load", 0, 5)], kernels=[("b", "gemm", 0, 10)])
        self.assertEqual(self.ops(profile), {("GPU 0", "stream 7"): {("gemm", "compute"): (1, 10, 10)}})
        self.assertEqual([row[:3] for row in self.names(profile)], [(0, 0, "load"), (1, 1, "load")])  # devices come first
        self.assertEqual(profile.document("ops", host="a")["status"], "absent")


class Traces(truth.Case):
    def ask(self, command, *options):
        return truth.loads(truth.run(command, self.scratch / "run", "--json", "--limit", "0", *options))

    def trace(self, name, *events, **head):
        self.write(f"run/{name}", json.dumps({**head, "traceEvents": list(events)}))

    def test_beside_an_xspace(self):
        """Names of both in one list, by total; kinds of stats are of both; a filter of hosts picks either."""
        line = xs.line(1, "t", [xs.event(1, 0, 7 * US, [xs.stat(1, 5)]), xs.event(2, 10 * US, US)])
        self.write("run/a.xplane.pb", xs.space(xs.plane(1, "/host:CPU", line, xs.event_metadata(1, "load"), xs.event_metadata(2, "sum"),
                                                        xs.stat_metadata(1, "kind"))))
        self.trace("b.json", x("cpu_op", "load", 5, 1, 0, 9), x("cpu_op", "load", 5, 1, 20, 1), x("cpu_op", "sum", 5, 1, 30, 1),
                   schemaVersion=1)
        found = self.ask("framework")
        self.assertEqual([f["family"] for f in found["files"]], ["xspace", "chrome_trace"])
        self.assertEqual([(n["file"], n["name"], n["count"], n["total_ps"] // US) for n in found["names"]],
                         [(1, "load", 2, 10), (0, "load", 1, 7), (0, "sum", 1, 1), (1, "sum", 1, 1)])
        self.assertEqual([(s["name"], s["count"], s["kinds"]) for s in found["stat_names"]], [("kind", 4, ["int64", "str"])])
        self.assertEqual([(e["file"], e["name"]) for e in found["events"]], [(0, "load"), (0, "sum"), *[(1, "load")] * 2, (1, "sum")])

    def test_waits_of_devices_are_no_calls(self):
        """Nor is what a device was annotated with."""
        self.trace("a.json", meta("thread_name", 5, 1, "main"), x("cpu_op", "mm", 5, 1, 0, 9),
                   x("cuda_sync", "Stream Sync", 0, 7, 0, 50, device=0), x("gpu_user_annotation", "note", 0, 7, 0, 40),
                   x("user_annotation", "note", 5, 1, 0, 30), schemaVersion=1)
        found = self.ask("framework")
        self.assertEqual([(n["name"], n["total_ps"] // US, n["self_ps"] // US) for n in found["names"]], [("note", 30, 21), ("mm", 9, 9)])
        self.assertEqual({e["line_name"] for e in found["events"]}, {"main"})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
