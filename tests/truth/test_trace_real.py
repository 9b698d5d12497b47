"""`ops` and `steps` of real PyTorch and Ascend captures, held against the captures themselves, read here with json and csv."""
import collections
import csv
import gzip
import io
import json
import re
import sys
from decimal import Decimal

import truth

DATA = truth.ROOT / "tests" / "data"
KERNELS = {**dict.fromkeys(("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"), "GPU"),
           "mtia_ccp_events": "device"}
MARKERS = {"user_annotation", "cpu_op", "Operator", "python_function"}


def ps(text):
    """Microseconds, rounded half away from zero."""
    value = Decimal(str(text).strip()) * 1_000_000
    whole = int(abs(value) + Decimal("0.5"))
    return -whole if value < 0 else whole


def union(spans):
    """How much time the spans cover together."""
    covered, until = 0, None
    for start, end in sorted(spans):
        if until is None or start > until:
            until = start
        if end > until:
            covered += end - until
            until = end
    return covered


def load(path):
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    document = json.loads(content, parse_float=Decimal, strict=False)
    return document["traceEvents"] if isinstance(document, dict) else document


def kernels_of(events):
    """{(device's name, stream): [(name, type of a collective, start, length)]}"""
    lines = collections.defaultdict(list)
    for e in events:
        if e.get("ph") == "X" and e.get("cat") in KERNELS:
            args = e["args"]
            device = f"{KERNELS[e['cat']]} {args.get('device', e['pid'])}"
            lines[device, args["stream"]].append((e["name"], args.get("Collective name"), ps(e["ts"]), ps(e["dur"])))
    return lines


class OfPyTorch(truth.Case):
    def check_trace(self, path):
        events = load(path)
        lines = kernels_of(events)
        found = truth.parsed(truth.run("ops", path, "--json", "--limit", 0))
        if not lines:
            self.assertNotEqual(found["source"], "kernels of traces and tables", path)
            return 0
        ours = {(line["plane_name"], line["line_name"]): line for line in found["lines"]}
        self.assertEqual(sorted(ours), sorted((device, f"stream {stream}") for device, stream in lines), path)
        for (device, stream), kernels in lines.items():
            line = ours[device, f"stream {stream}"]
            totals = collections.defaultdict(list)
            for name, collective, _, length in kernels:
                totals[name, collective].append(length)
            expected = sorted((name, len(of), sum(of), min(of), max(of)) for (name, _), of in totals.items())
            self.assertEqual(sorted((op["name"], op["count"], op["total_ps"], op["min_ps"], op["max_ps"])
                                    for op in line["ops"]), expected, path)
            busy = union((start, start + length) for _, _, start, length in kernels)
            self.assertEqual((line["events"], line["duration_sum_ps"], line["busy_ps"], sum(op["self_ps"] for op in line["ops"])),
                             (len(kernels), sum(k[3] for k in kernels), busy, busy), path)
        self.check_steps(path, events)
        return len(lines)

    def check_steps(self, path, events):
        """Threads that mark the same step make one of it."""
        marks = {}
        for e in events:
            if e.get("ph") == "X" and e.get("cat") in MARKERS and re.fullmatch(r"ProfilerStep#[0-9]+", e["name"]):
                start, end = ps(e["ts"]), ps(e["ts"]) + ps(e["dur"])
                first, last = marks.get(e["name"], (start, end))
                marks[e["name"]] = min(start, first), max(end, last)
        found = truth.parsed(truth.run("steps", path, "--json"))
        if not marks:
            self.assertNotIn("ProfilerStep", [s["source"] for s in found["steps"]], path)
            return
        expected = sorted((start, end - start, name) for name, (start, end) in marks.items())
        base = expected[0][0] - found["steps"][0]["start_ps"]
        self.assertEqual([(s["start_ps"] + base, s["duration_ps"], s["name"]) for s in found["steps"]], expected, path)
        self.assertEqual([s["step_num"] for s in found["steps"]], [name.split("#")[1] for _, _, name in expected])

    def test_the_capture_of_the_repository(self):
        self.assertEqual(self.check_trace(DATA / "kineto" / "h100_bert_small.pt.trace.json.gz"), 1)

    def test_the_corpus(self):
        captures = truth.corpus("captures")
        folders = captures / "kineto", captures / "kineto_devices"
        for path in sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".gz", ".json")):
            if "memory_timeline" not in path.name:
                with self.subTest(path.name):
                    self.check_trace(path)


class OfAscend(truth.Case):
    def rows_of(self, table):
        text = table.read_text(encoding="utf-8-sig")
        return list(csv.DictReader(io.StringIO(text)))

    def lines_of(self, folder):
        return truth.parsed(truth.run("ops", folder, "--json", "--limit", 0))["lines"]

    @staticmethod
    def totals_of(lines):
        """{(type, core): (count, total, least, most)} over all streams."""
        totals = {}
        for line in lines:
            for op in line["ops"]:
                key = op["name"], op["stats"].get("core", "")
                count, total, least, most = totals.get(key, (0, 0, op["min_ps"], op["max_ps"]))
                totals[key] = (count + op["count"], total + op["total_ps"], min(least, op["min_ps"]), max(most, op["max_ps"]))
        return totals

    def check_table(self, folder, table):
        """Every type and core of kernel_details.csv; collectives that are listed twice count once."""
        expected, seen = collections.defaultdict(list), set()
        for row in self.rows_of(table):
            name, core = row["Type"], row["Accelerator Core"]
            start, length = ps(row["Start Time(us)"]), ps(row["Duration(us)"])
            collective = core in ("HCCL", "COMMUNICATION")
            key = (row["Name"], start, length)
            if collective and key in seen:
                continue
            seen.add(key)
            expected[row["Name"] if name == "N/A" else name, "" if core == "N/A" else core].append(length)
        wanted = {key: (len(of), sum(of), min(of), max(of)) for key, of in expected.items()}
        self.check(self.totals_of(self.lines_of(folder)), wanted)

    def test_the_capture_of_the_repository(self):
        for rank in (0, 1):
            folder = DATA / "ascend" / "two_ranks" / f"rank_{rank}_ascend_pt"
            self.check_table(folder, folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv")

    def test_totals_that_the_recorder_made(self):
        """op_statistic.csv counts what is no communication; its times have three decimals."""
        captures = truth.corpus("captures")
        tables = sorted((captures / "ascend").rglob("op_statistic*.csv"))
        self.assertTrue(tables)
        for table in tables:
            with self.subTest(str(table.relative_to(captures))):
                found = {key: of for key, of in self.totals_of(self.lines_of(table.parents[1])).items()
                         if key[1] not in ("HCCL", "COMMUNICATION")}
                rows = {(row["OP Type"], row["Core Type"]): row for row in self.rows_of(table)}
                self.assertEqual(sorted(found), sorted(rows))
                for key, row in rows.items():
                    count, total, least, most = found[key]
                    self.assertEqual(count, int(row["Count"]), key)
                    for ours, theirs in ((total, "Total"), (least, "Min"), (most, "Max")):
                        self.assertLessEqual(abs(ours - ps(row[f"{theirs} Time(us)"])), 500 * count + 500, (key, theirs))

    def test_the_same_totals_without_the_table_of_kernels(self):
        """Where op_statistic.csv is all there is, ops are its rows."""
        captures = truth.corpus("captures")
        for number, table in enumerate(sorted((captures / "ascend").rglob("op_statistic*.csv"))):
            alone = self.write(f"{number}/op_statistic.csv", table.read_bytes())
            found = {key: of[:2] for key, of in self.totals_of(self.lines_of(alone)).items()}
            self.check(found, {(row["OP Type"], row["Core Type"]): (int(row["Count"]), ps(row["Total Time(us)"]))
                               for row in self.rows_of(table)})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
