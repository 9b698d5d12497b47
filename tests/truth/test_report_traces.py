"""The screen of `report` and its totals: two ranks of PyTorch, two of Ascend, and traces of hosts alone."""
import collections
import json
import pathlib
import sys

import truth
import ascend_pair
import kineto_pair
from idle_model import Idle, length, union

EXPECTED = pathlib.Path(__file__).parent / "expected"


def duration(ps):
    return f"{ps / 1e9:.3f} ms" if ps >= 1e9 else f"{ps / 1e6:.3f} us"


def rounded(part, whole):
    return f"{(2000 * part + whole) // (2 * whole) / 10:.1f} %"


def rows_of_kernels(capture):
    """The tables of the screen, of the kernels themselves; with their blanks made one."""
    busy, names, collectives = [], collections.defaultdict(list), []
    kernels = [k for d in capture.devices for k in d.kernels if not k.duplicate]
    for d in capture.devices:
        own = [k for k in d.kernels if not k.duplicate]
        busy.append((d.file, d.name, len(own), length(union([(k.start, k.end) for k in own]))))
        for k in own:
            # A name of Ascend counts its calls, so that the type tells more.
            names[k.type if d.type == "npu" else k.name.removeprefix("void ")].append(k.duration)
            collectives += [k.duration] if k.kind == "comm" else []
    whole = sum(k.duration for k in kernels)
    lines = [f"{rounded(sum(of), whole)} {duration(sum(of))} {len(of)} {duration(max(of))} {name}"
             for name, of in sorted(names.items(), key=lambda x: (-sum(x[1]), x[0].encode()))[:8]]
    lines.append(f"collective kernels: {len(collectives)} runs, {duration(sum(collectives))} "
                 f"({rounded(sum(collectives), whole)} of all), longest {duration(max(collectives))}")
    return busy, len(names), lines


class ReportOfTraces(truth.Case):
    def check_screen(self, folder, capture, golden):
        text = truth.run("report", folder)
        self.check_text(text.replace(str(folder), "RUN"), (EXPECTED / golden).read_text(encoding="utf-8"))
        lines = [" ".join(line.split()) for line in text.splitlines()]
        busy, names, rows = rows_of_kernels(capture)
        at = lines.index("Busy: time in which at least one kernel or copy ran") + 2
        found = [line.rsplit(" ", 2)[0] for line in lines[at:at + len(busy)]]  # without the share of the span
        wanted = [f"{file} {name} {count} {duration(ps)}" for file, name, count, ps in sorted(busy, key=lambda x: -x[3])]
        self.assertEqual(found, wanted)
        at = lines.index(f"Busiest kernels and copies: 8 of {names}") + 2
        self.assertEqual(lines[at:at + len(rows)], rows)

    def test_ranks_of_pytorch(self):
        capture, files = kineto_pair.capture()
        for name, text in files.items():
            self.write(f"run/{name}", text)
        self.check_screen(self.scratch / "run", capture, "report_kineto.txt")

    def test_ranks_of_ascend(self):
        a, b, capture = ascend_pair.capture()
        steps, capture.self_check = ascend_pair.step_checks(Idle(capture))
        for name, text in ascend_pair.files(a, b, steps).items():
            self.write(f"run/{name}", text)
        self.check_screen(self.scratch / "run", capture, "report_ascend.txt")

    def test_documents(self):
        """What report holds is what the commands tell: their own tests have the truth of it."""
        for name, text in kineto_pair.capture()[1].items():
            self.write(f"run/{name}", text)
        found = truth.parsed(truth.run("report", self.scratch / "run", "--json"))
        for key, command in (("info", "info"), ("bubbles", "bubbles"), ("chrome", "chrome")):
            own = truth.parsed(truth.run(command, self.scratch / "run", "--json"))
            self.assertEqual({k: found[key][k] for k in ("schema", "version", "status")},
                             {k: own[k] for k in ("schema", "version", "status")})
        own = truth.parsed(truth.run("bubbles", self.scratch / "run", "--json"))
        self.check(found["bubbles"]["summary"], own["summary"])
        self.assertEqual(found["model"], "5 layers a pass (5 Dense), 3 passes; confidence high")

    def host_trace(self, name, events):
        """(category, name, thread, start, length in µs)"""
        self.write(f"host/{name}", json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": cat, "name": what, "pid": 5, "tid": thread, "ts": start, "dur": size, "args": {}}
            for cat, what, thread, start, size in events]}))

    def tables(self, heading):
        """The rows of the two tables of a host, blanks made one."""
        lines = [" ".join(line.split()) for line in truth.run("report", self.scratch / "host").splitlines()]
        parts = []
        for title in ("Busy threads; the trace has no device activity", heading):
            at = lines.index(title) + 2
            parts.append(lines[at:lines.index("", at)])
        return parts

    def test_operations_of_a_host(self):
        """Time is given to the innermost; an operation that begins in another and outlasts it takes its time, too."""
        self.host_trace("a.json", [("cpu_op", "outer", 1, 0, 100), ("cpu_op", "inner", 1, 10, 30), ("cpu_op", "leaf", 1, 15, 5),
                                   ("cpu_op", "late", 1, 90, 30), ("user_annotation", "no op", 1, 0, 500),
                                   ("cpu_op", "outer", 2, 200, 10)])
        busy, busiest = self.tables("Busiest operations: 4 of 4")
        self.assertEqual(busy, ["process 5, thread 1 4 120.000 us 24.0 %", "process 5, thread 2 1 10.000 us 2.0 %"])
        rows = ["53.8 % 70.000 us 2 100.000 us outer", "23.1 % 30.000 us 1 30.000 us late",
                "19.2 % 25.000 us 1 30.000 us inner", "3.8 % 5.000 us 1 5.000 us leaf"]
        self.assertEqual(busiest, rows)
        # A file of annotations alone beside it is no operation of a host.
        self.host_trace("b.json", [("user_annotation", "note", 1, 0, 20)])
        busy, busiest = self.tables("Busiest operations: 4 of 4")
        self.assertEqual(busy, ["0 process 5, thread 1 4 120.000 us 24.0 %", "0 process 5, thread 2 1 10.000 us 2.0 %"])
        self.assertEqual(busiest, rows)

    def test_an_operation_that_outlasts_two(self):
        """What has ended gives nothing back: a is open until 100, b until 90, c until 40; d begins when c has ended."""
        self.host_trace("a.json", [("cpu_op", "a", 1, 0, 100), ("cpu_op", "b", 1, 10, 80), ("cpu_op", "c", 1, 20, 100),
                                   ("cpu_op", "d", 1, 130, 10)])
        _, busiest = self.tables("Busiest operations: 4 of 4")
        self.assertEqual(busiest, ["76.9 % 100.000 us 1 100.000 us c", "7.7 % 10.000 us 1 100.000 us a",
                                   "7.7 % 10.000 us 1 80.000 us b", "7.7 % 10.000 us 1 10.000 us d"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
