"""Ascend tables on screens, alone and beside a trace: rows, columns, what is empty, rows that are passed over, and ops of both."""
import json
import sys

import truth
from screens import percent, table, time
from trace_events import meta

US = 1_000_000
BASE = 1_700_000_000_000_000
DATE = "2023-11-14 22:13:20 UTC"
HEAD = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Block Dim"
LINES = ["line", "kind", ">events", ">stats", ">sum", ">from", ">to"]
OPS = ["op", "category", ">count", ">total", ">self", ">of busy"]


def kernel(name, kind, start, length, stream=3, core="AI_CORE", wait="0", device=0):
    return f"{name},{kind},{core},{BASE + start}.0,{length},{wait},{device},{stream},4"


class TableScreens(truth.Case):
    def put(self, *rows, trace=()):
        folder = "a_ascend_pt/ASCEND_PROFILER_OUTPUT"
        self.csv = self.write(f"{folder}/kernel_details.csv", "\n".join([HEAD, *rows]) + "\n")
        if trace:
            events = [{"ph": "X", "name": name, "pid": 9, "tid": 1, "ts": str(BASE + start), "dur": length, "args": {}}
                      for name, start, length in trace]
            self.json = self.write(f"{folder}/trace_view.json", json.dumps([meta("process_name", 9, None, "CANN"), *events]))
        return self.scratch / "a_ascend_pt"

    def ask(self, command, path, *options, status=0):
        return truth.run(command, path, *options, status=status).splitlines()

    ROWS = (kernel("MatMul_1", "MatMul", 0, 5), kernel("MatMul_2", "MatMul", 10, 3), kernel("Add_1", "Add", 20, 1, 4, "AI_VECTOR_CORE"),
            kernel("hcom_1", "hcom_allReduce_", 30, 7, 5, "COMMUNICATION"))

    def test_info(self):
        """A table is a file with devices and streams; beside a trace each has its number. One alone is no folder of several."""
        rows = [["Stream 3", "stream", 2, 0, time(8 * US), "0 ps", time(13 * US)],
                ["Stream 4", "stream", 1, 0, time(US), time(20 * US), time(21 * US)],
                ["Stream 5", "stream", 1, 0, time(7 * US), time(30 * US), time(37 * US)]]
        path = self.put(*self.ROWS)
        facts = [f"  ascend_kernels, {self.csv.stat().st_size} B", "  hosts     a_ascend_pt", f"  origin    {DATE}",
                 "  events    from 0 ps to 37.000 us", "", "  NPU 0  plane 0, id 0, device", *table(LINES, *rows, indent=4), ""]
        self.assertEqual(self.ask("info", path), [str(self.csv), *facts, "Totals", "  1 file, 1 plane, 3 lines, 4 events, 0 event stats",
                                                  "  complete"])
        path = self.put(*self.ROWS, trace=[("aclnnMatMul", 0, 3)])
        found = self.ask("info", path)
        self.assertEqual(found[:len(facts) + 2], [f"[0] {self.csv}", *facts, f"[1] {self.json}"])
        self.assertEqual(found[-3:], ["Totals", "  2 files, 2 planes, 4 lines, 5 events, 0 event stats", "  complete"])

    def test_columns(self):
        """Of each how many rows have something there."""
        path = self.put(self.ROWS[0], self.ROWS[1].replace(",0,0,3,4", ",,0,3,"))
        names = HEAD.split(",")
        found = self.ask("metadata", path)
        counts = dict(line.strip().rsplit("  ", 1) for line in found if line.startswith("    "))
        self.assertEqual(found[:2], ["kernel_details.csv  2 rows", "  9 columns"])
        self.assertEqual(counts, {name: "1" if name in ("Block Dim", "Wait Time(us)") else "2" for name in names})
        self.assertEqual(self.ask("metadata", path, "--limit", 2),
                         [*found[:4], f"    … {len(names) - 2} more (--limit 0 shows all)", *found[2 + len(names):]])
        self.assertEqual(self.ask("metadata", self.put(self.ROWS[0]))[0], "kernel_details.csv  1 row")

    def test_cells(self):
        """Each kernel with its cells by the names of their columns, as they are written."""
        found = self.ask("tree", self.put(*self.ROWS[:1]), "--limit", 0)
        self.assertIn("  plane 0 NPU 0  device, 1 line", found)
        at = found.index("      MatMul_1  at 0 ps, for 5.000 us")
        self.assertEqual(found[at + 1:at + 10], [f"        {name}={cell}" for name, cell in zip(HEAD.split(","), self.ROWS[0].split(","))])
        found = self.ask("tree", self.put(*self.ROWS), "--limit", 2)
        self.assertIn("        … 7 more (--limit 0 shows all)", found)
        self.assertIn("    … 1 more (--limit 0 shows all)", found)

    def test_ops(self):
        """By type and core, a list for each stream and device."""
        path = self.put(*self.ROWS, kernel("MatMul_3", "MatMul", 40, 2, device=1), kernel("MatMul_4", "MatMul", 50, 4, core="MIX_AIC"))

        def stream(title, busy, *ops):
            events = sum(count for _, _, count, _ in ops)
            return ["", title, f"  {len(ops)} op{'s' * (len(ops) > 1)}, {events} event{'s' * (events > 1)}, busy {time(busy * US)}, "
                    f"sum of durations {time(busy * US)}", *table(OPS, *(
                        [name, kind, count, time(total * US), time(total * US), percent(total, busy)] for name, kind, count, total in ops),
                                                                  indent=2)]
        found = self.ask("ops", path)
        self.assertEqual(found, ["Operations from kernels of traces and tables, by total time",
                                 *stream("NPU 0  Stream 3", 12, ("MatMul", "compute", 2, 8), ("MatMul", "compute", 1, 4)),
                                 *stream("NPU 0  Stream 4", 1, ("Add", "compute", 1, 1)),
                                 *stream("NPU 0  Stream 5", 7, ("hcom_allReduce_", "comm", 1, 7)),
                                 *stream("NPU 1  Stream 3", 2, ("MatMul", "compute", 1, 2))])

    def test_rows_that_are_passed_over(self):
        """The others are there; how many of how many, and the first, stands on standard error, and in info as well."""
        path = self.put(self.ROWS[0], "short,,", self.ROWS[2], "short,,")
        why = "2 of 4 rows were passed over, the first on line 3: the row has fewer fields than the header (2)"
        for command in ("info", "ops", "tree", "metadata"):
            said = truth.run(command, path, status=5, stderr=True)
            self.assertEqual(said.splitlines(), [f"profkit: damaged: {self.csv}: {why}", "  hint: the others were read",
                                                 "profkit: what was intact is shown; what was lost is not counted"], command)
            self.assertEqual(truth.run(command, path, "-q", status=5, stderr=True).splitlines(), said.splitlines()[:2])
            said = truth.run(command, path, "--strict", status=4, stderr=True)
            self.assertEqual(said.splitlines()[0], f"profkit: error: {self.csv}: {why}")
        self.assertEqual(self.ask("info", path, status=5)[-1], f"  not complete: {self.csv}: {why}")
        self.assertEqual(len([line for line in self.ask("ops", path, status=5) if line.startswith("NPU 0")]), 2)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
