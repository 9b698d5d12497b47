"""The screen of `report` and its totals: two ranks of PyTorch, two of Ascend, and traces of hosts alone."""
import json
import pathlib
import statistics
import sys

import kineto_pair
import trace_case
import trace_model as model
import truth
from idle_model import US, length, union

EXPECTED = pathlib.Path(__file__).parent / "expected"


def duration(ps):
    return f"{ps / 1e9:.3f} ms" if ps >= 1e9 else f"{ps / 1e6:.3f} us"


def rounded(part, whole):
    return f"{(2000 * part + whole) // (2 * whole) / 10:.1f} %"


def totals_of_ops(lines):
    """(name, (count, own, total, category)) by own time; and the sum of the busy times of the streams."""
    shown = model.ops_lines(lines)
    ops = {}
    for line in shown:
        for op in line["ops"]:
            count, own, total, category = ops.get(op["name"], (0, 0, 0, op["stats"]["category"]))
            ops[op["name"]] = (count + op["count"], own + op["self_ps"], total + op["total_ps"], category)
    return sorted(ops.items(), key=lambda x: (-x[1][1], -x[1][2], x[0].encode())), sum(line["busy_ps"] for line in shown), shown


def busiest(lines):
    """Heading and rows of the busiest ops, by their own time in all streams; with their blanks made one."""
    ops, whole, shown = totals_of_ops(lines)
    heading = f"Busiest ops: {min(6, len(ops))} of {len(ops)}" + (f", over all {len(shown)} lines" if len(shown) > 1 else "")
    return heading, [f"{rounded(own, whole)} {duration(own)} {count} {name.removeprefix('void ').removesuffix('(int)')} {category}"
                     for name, (count, own, _, category) in ops[:6]]


def collectives(lines):
    kinds = {}
    for row in model.collective_rows(lines):
        kinds.setdefault(row["category"], []).append(row)
    whole = sum(line["busy_ps"] for line in model.ops_lines(lines))
    rows = []
    for kind, of in sorted(kinds.items(), key=lambda k: -sum(row["total_ps"] for row in k[1])):
        total = sum(row["total_ps"] for row in of)
        rows.append(f"{kind} kernels {sum(row['count'] for row in of)} {duration(total)} "
                    f"{duration(max(row['max_ps'] for row in of))} {rounded(total, whole)}")
    return rows


def steps(groups):
    """`groups`: (place as it is shown, steps)"""
    rows = []
    for place, of in groups:
        lengths = [s["duration_ps"] for s in of]
        rows.append(f"{of[0]['file']} {place} {len(of)} {duration(statistics.median(lengths))} {duration(min(lengths))} "
                    f"{duration(max(lengths))} {of[0]['source']}")
    return rows if len(rows) <= 4 else [*rows[:3], f"… {len(rows) - 3} more planes"]


class Screens:
    def test_screen(self):
        text = truth.run("report", self.folder)
        self.check_text(text.replace(str(self.folder), "RUN"), (EXPECTED / self.golden).read_text(encoding="utf-8"))
        lines = [" ".join(line.split()) for line in text.splitlines()]

        def table(heading):
            at = lines.index(heading) + 2
            return lines[at:lines.index("", at)]
        busy = [(file, name, sum(not k.duplicate for k in kernels),
                 length(union([(k.start, k.end) for k in kernels if not k.duplicate]))) for file, name, kernels in self.devices()]
        found = [line.rsplit(" ", 2)[0] for line in table("Busy: time in which at least one kernel or copy ran")]
        self.assertEqual(found, [f"{file} {name} {count} {duration(ps)}"  # without the share of the span
                                 for file, name, count, ps in sorted(busy, key=lambda x: -x[3])])
        heading, rows = busiest(self.lines)
        self.assertEqual(table(heading), rows)
        self.assertEqual(table("Steps"), steps(self.step_groups()))
        self.assertEqual(table("Collectives and asynchronous copies"), collectives(self.lines))


    def test_summary(self):
        """The document has the same, exactly."""
        found = self.ask("report")["summary"]
        busy = [{"file": file, "device": name, "kernels": sum(not k.duplicate for k in kernels),
                 "busy_ps": length(union([(k.start, k.end) for k in kernels if not k.duplicate]))}
                for file, name, kernels in self.devices()]
        self.check(found["busy_devices"], sorted(busy, key=lambda x: -x["busy_ps"]))
        self.assertEqual(found["busy_lines"], [])
        ops, whole, shown = totals_of_ops(self.lines)
        self.assertEqual((found["busy_ps"], found["ops"]["names"], found["ops"]["lines"]), (whole, len(ops), len(shown)))
        self.check(found["ops"]["top"], [
            {"short_name": name.removeprefix("void "), "name": name, "program": None, "category": category, "count": count,
             "total_ps": total, "self_ps": own, "flops": None, "bytes": None}
            for name, (count, own, total, category) in ops[:8]])
        groups = []
        for place, of in self.step_groups():
            lengths = [s["duration_ps"] for s in of]
            groups.append({"file": of[0]["file"], "plane": of[0]["plane"], "plane_name": place, "source": of[0]["source"],
                           "count": len(of), "total_ps": sum(lengths), "median_ps": int(statistics.median(lengths)),
                           "min_ps": min(lengths), "max_ps": max(lengths), "longest": lengths.index(max(lengths))})
        self.check(found["steps"], groups)
        kinds = {}
        for row in model.collective_rows(self.lines):
            kinds.setdefault(row["category"], []).append(row)
        self.check(found["collectives"], [
            {"kind": kind, "blocking": True, "count": sum(row["count"] for row in of),
             "total_ps": sum(row["total_ps"] for row in of), "max_ps": max(row["max_ps"] for row in of), "exposed_ps": None}
            for kind, of in sorted(kinds.items(), key=lambda k: -sum(row["total_ps"] for row in k[1]))])
        self.check({key: found[key] for key in ("modules", "hosts", "ranks", "devices", "software")}, self.facts)


class ScreenOfPyTorch(Screens, trace_case.KinetoCase):
    golden = "report_kineto.txt"
    facts = {"software": ["PyTorch (Kineto)"], "hosts": [], "devices": [], "modules": [],
             "ranks": [{"rank": rank, "world_size": 2, "backend": "nccl"} for rank in (0, 1)]}

    def devices(self):
        for file, rank in enumerate(self.ranks):
            for device, kernels in sorted(rank.kernels.items()):
                yield file, f"GPU {device}" + (f" of rank {file}" if device == 0 else ""), kernels

    def step_groups(self):
        # Nothing from before a mark runs past it: steps begin with their marks, and the last one ends with its own.
        capture, _ = kineto_pair.capture()
        of_devices = {}
        for d, (first, apart, size, shift) in enumerate(((1_000, 5_000, 4_900, 0), (1_000, 5_000, 4_900, 0),
                                                         (1_000, 3_000, 2_800, kineto_pair.SHIFT * 1000))):
            of_devices[d] = capture.devices[d].windows
            for n, w in enumerate(of_devices[d]):
                w.start = (first + apart * n) * US + shift
                w.end = w.start + (apart if n < 2 else size) * US
        groups = [("python 900", self.steps()[:3]), ("python 901", self.steps()[3:])]
        for d, windows in of_devices.items():
            device = capture.devices[d]
            plane = next(line.plane for line in self.lines if (line.file, line.plane_name) == (device.file, device.name))
            source = "device annotation" if all(w.marker == "device_annotation" for w in windows) else "launches"
            groups.append((device.name, [{"file": device.file, "plane": plane, "source": source, "duration_ps": w.end - w.start}
                                         for w in windows]))
        return groups


class ScreenOfAscend(Screens, trace_case.AscendCase):
    golden = "report_ascend.txt"
    facts = {"software": ["torch_npu or msprof (Ascend)"], "hosts": [], "devices": [], "modules": [], "ranks": []}

    def devices(self):
        for file, rank, number in zip(self.TABLES, self.ranks, (0, 1)):
            for device, kernels in sorted(rank.kernels.items()):
                yield file, "NPU 1" if device else f"NPU 0 of rank {number}", kernels

    def step_groups(self):
        return ("Python 10", self.steps()[:3]), ("NPU 0 of rank 1", self.steps()[3:])


class Documents(trace_case.KinetoCase):
    def test_documents(self):
        """What report holds is what the commands tell: their own tests have the truth of it."""
        found = truth.parsed(truth.run("report", self.scratch / "run", "--json"))
        for key, command in (("info", "info"), ("bubbles", "bubbles")):
            own = truth.parsed(truth.run(command, self.scratch / "run", "--json"))
            self.assertEqual({k: found[key][k] for k in ("schema", "version", "status")},
                             {k: own[k] for k in ("schema", "version", "status")})
        for command in ("ops", "steps", "collectives", "framework"):
            part = found[command]
            if "damage" in part:
                self.check(part.pop("events_checked"), "all")
            part.pop("left_out", None)
            own = self.ask(command, "--limit", 20)
            left_out = own.pop("limited", {"lists": []})["lists"]
            self.check(part, own)
            lists = found.get("limited", {"lists": []})["lists"]
            self.check([one for one in lists if one["list"].startswith(command + ".")],
                       [{**one, "list": f"{command}.{one['list']}"} for one in left_out])
        own = truth.parsed(truth.run("bubbles", self.scratch / "run", "--json"))
        self.check(found["bubbles"]["summary"], own["summary"])
        self.assertEqual(found["model"], "5 layers a pass (5 Dense), 3 passes; confidence high")


class Hosts(truth.Case):
    def host_trace(self, name, events):
        """(category, name, thread, start, length in µs)"""
        self.write(f"host/{name}", json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": cat, "name": what, "pid": 5, "tid": thread, "ts": start, "dur": size, "args": {}}
            for cat, what, thread, start, size in events]}))

    BUSY = "Busy: time in which at least one op ran (from host spans of traces: no device is recorded)"

    def tables(self, heading):
        """The rows of the two tables of a host, blanks made one."""
        lines = [" ".join(line.split()) for line in truth.run("report", self.scratch / "host").splitlines()]
        parts = []
        for title in (self.BUSY, heading):
            at = lines.index(title) + 2
            parts.append(lines[at:lines.index("", at)])
        return parts

    def test_operations_of_a_host(self):
        """Time is given to the innermost; an operation that begins in another and outlasts it takes its time, too."""
        self.host_trace("a.json", [("cpu_op", "outer", 1, 0, 100), ("cpu_op", "inner", 1, 10, 30), ("cpu_op", "leaf", 1, 15, 5),
                                   ("cpu_op", "late", 1, 90, 30), ("user_annotation", "no op", 1, 0, 500),
                                   ("cpu_op", "outer", 2, 200, 10)])
        heading = "Busiest ops: 4 of 4, over all 2 lines"
        busy, busiest_ops = self.tables(heading)
        self.assertEqual(busy, ["process 5 thread 1 4 4 120.000 us 24.0 %", "process 5 thread 2 1 1 10.000 us 2.0 %"])
        rows = ["53.8 % 70.000 us 2 outer op", "23.1 % 30.000 us 1 late op", "19.2 % 25.000 us 1 inner op",
                "3.8 % 5.000 us 1 leaf op"]
        self.assertEqual(busiest_ops, rows)
        # A file of annotations alone beside it is no operation of a host.
        self.host_trace("b.json", [("user_annotation", "note", 1, 0, 20)])
        busy, busiest_ops = self.tables(heading)
        self.assertEqual(busy, ["0 process 5 thread 1 4 4 120.000 us 24.0 %", "0 process 5 thread 2 1 1 10.000 us 2.0 %"])
        self.assertEqual(busiest_ops, rows)

    def test_an_operation_that_outlasts_two(self):
        """What has ended gives nothing back: a is open until 100, b until 90, c until 120; d begins when c has ended."""
        self.host_trace("a.json", [("cpu_op", "a", 1, 0, 100), ("cpu_op", "b", 1, 10, 80), ("cpu_op", "c", 1, 20, 100),
                                   ("cpu_op", "d", 1, 130, 10)])
        _, busiest_ops = self.tables("Busiest ops: 4 of 4")
        # Of equal times of their own those that took longer with what they called come first.
        self.assertEqual(busiest_ops, ["76.9 % 100.000 us 1 c op", "7.7 % 10.000 us 1 a op", "7.7 % 10.000 us 1 b op",
                                       "7.7 % 10.000 us 1 d op"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
