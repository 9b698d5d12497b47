#!/usr/bin/env python3
"""Tables of kernels as CANN's tools write them: columns, units, types, classes, devices, kernels that are listed twice."""
import sys

import truth

BASE = 1_764_246_900_000_000  # us
DETAILS = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Step Id\n"


class Tables(truth.Case):
    number = 0

    def folder(self, *files):
        """`files`: (name, text), below a folder of one rank."""
        Tables.number += 1
        root = f"{Tables.number}/one_ascend_pt"
        for name, text in files:
            self.write(f"{root}/{name}", text)
        return self.scratch / root

    def kernels(self, *tables, name="kernel_details.csv", status=0):
        """Rows of the table of kernels, in the order of time."""
        files = [(f"ASCEND_PROFILER_OUTPUT/{'' if n == 0 else n}{name}", text) for n, text in enumerate(tables)]
        return truth.rows("kernels", truth.run("rows", self.folder(*files), "kernels", "--format", "json", status=status))

    def said(self, rows, *keys):
        return [tuple(row.get(key) for key in keys) for row in rows]


class Columns(Tables):
    def test_units_of_times(self):
        """Each column has its own unit: us where none is named."""
        for start, duration, wait, times in (
                ("Start Time(us)", "Duration(us)", "Wait Time(us)", (2_000_000, 3_000_000, 4_000_000)),
                ("Start Time(ns)", "Duration(us)", "Wait Time(ms)", (2_000, 3_000_000, 4_000_000_000)),
                ("Start Time(ms)", "Duration(ns)", "Wait Time(s)", (2_000_000_000, 3_000, 4_000_000_000_000)),
                ("Start Time", "Duration(s)", "Wait Time(NS)", (2_000_000, 3_000_000_000_000, 4_000)),
                ("Task Start Time(us)", "Task Duration(ms)", "Task Wait Time(us)", (2_000_000, 3_000_000_000, 4_000_000))):
            rows = self.kernels(f"Name,{start},{duration},{wait}\na,2,3,4\n")
            self.assertEqual(self.said(rows, "start_ps", "duration_ps", "wait_ps"), [times], start)

    def test_decimals(self):
        """Starts and durations are whole ns, halves go up; waits are not."""
        rows = self.kernels("Name,Start Time(us),Duration(us),Wait Time(us)\na,1.0004,1.0005,1.0005\nb,2.0015,2.0014,\nc,3,0,0\n"
                            "d,4,1,N/A\n")
        self.assertEqual(self.said(rows, "start_ps", "duration_ps", "wait_ps"), [
            (1_000_000, 1_001_000, 1_000_500), (2_002_000, 2_001_000, None), (3_000_000, 0, 0), (4_000_000, 1_000_000, None)])

    def test_the_first_of_two_columns_counts(self):
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv",
                            "Name,Start Time(us),Duration(us),Op Name,Duration(us),Duration(ms)\na,2,3,b,4,5\n"))
        rows = truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json"))
        self.assertEqual(self.said(rows, "name", "duration_ps"), [("a", 3_000_000)])
        notes = truth.loads(truth.run("bubbles", path, "--json"))["inputs"][0]["notes"]
        self.assertEqual([note for note in notes if "twice" in note], [
            f'the column "{name}" is there twice: the first one counts' for name in ("Op Name", "Duration(us)", "Duration(ms)")])

    def test_columns_that_are_missing(self):
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv",
                            "Name,Start Time(us),Duration(us),Colour,aic_mac_ratio\na,2,3,red,0.5\n"))
        found = truth.loads(truth.run("bubbles", path, "--json"))["inputs"][0]
        self.assertEqual((found["unknown_columns"], found["missing_columns"]), (
            ["Colour"], ["Step Id", "Stream ID", "Type", "Accelerator Core", "Wait Time(us)", "Input Shapes"]))
        path = self.folder(("ASCEND_PROFILER_OUTPUT/op_summary_1.csv",
                            "Op Name,Task Start Time(us),Task Duration(us),Task Type\na,2,3,AI_CORE\n"))
        found = truth.loads(truth.run("bubbles", path, "--json"))["inputs"][0]
        self.assertEqual((found["variant"], found["missing_columns"]), (
            "op_summary", ["Stream ID", "OP Type", "Task Wait Time(us)", "Input Shapes", "aic_mac_ratio"]))

    def test_variants(self):
        for header, variant in (("Name,Start Time(us),Duration(us)", "kernel_details level0"),
                                ("Name,Start Time(us),Duration(us),Stream ID",
                                                                                               "kernel_details 2023"),
                                ("Name,Start Time(us),Duration(us),Task ID,OP State", "kernel_details 2024"),
                                ("Name,Start Time(us),Duration(us),Task ID,Device_id", "kernel_details 2025"),
                                ("Name,Start Time(us),Duration(us),Device_id", "kernel_details level0"),
                                ("Name,Start Time(us),Duration(us),Block Num,Device_id,Task ID", "kernel_details 2026"),
                                ("Name,Start Time(us),Duration(us),Block Num,Cycle Counter", "kernel_details guide")):
            path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv",
                                header + "\n" + ",".join("a23456789"[:header.count(",") + 1]) + "\n"))
            self.assertEqual(truth.loads(truth.run("bubbles", path, "--json"))["inputs"][0]["variant"], variant)

    def test_steps(self):
        """A whole number is one with zeros after a point, too. Step 0 is a step."""
        steps = ("0", "0.0", "7.00", "7.5", "N/A", "", "a.0", "12-3")
        rows = self.kernels("Name,Start Time(us),Duration(us),Step Id\n" + "".join(f"k,{n},1,{step}\n" for n, step in enumerate(steps)))
        self.assertEqual([row["step_id"] for row in rows], ["0", "0", "7", "7.5", None, None, "a.0", "12-3"])

    def test_rows_that_end_early(self):
        """Fields after the times may be missing, and then say nothing of the row before."""
        rows = self.kernels("Name,Start Time(us),Duration(us),Stream ID,Type\na,1,2,5,Add\nb,2,2\nc,3,2,6\n", status=0)
        self.assertEqual(self.said(rows, "name", "stream", "op_type"), [("a", 5, "Add"), ("b", None, "b"), ("c", 6, "c")])

    def test_rows_that_are_skipped(self):
        head = "Name,Start Time(us),Duration(us)\n"
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv",
                            head + "a,1,2\nb,-1,2\nc,x,2\n" + head + "d,1,y\ne,N/A,2\nf,2,N/A\ng,3,-1\n"
                            "h,4,5\n"))
        found = truth.loads(truth.run("bubbles", path, "--json", status=5))["inputs"][0]
        reasons = {r["reason"]: r["count"] for r in found["reject_reasons"]}
        self.assertEqual((found["rows"], found["rejected"], found["first_rejected_line"]), (9, 7, 3))
        self.assertEqual(reasons, {"the start time is negative": 1, "the start time is no number": 1,
                                   "a header in the middle of the table": 1,
                                   "the duration is no number": 1, "no start time": 1, "no duration": 1, "the duration is negative": 1})


class Names(Tables):
    def test_types_that_are_derived_from_names(self):
        names = {"aclnnMatmul_MatMulCommon_MatMulV3": "MatMulV3", "aclnnAdd_Add_12": "Add", "split_qkv_kernel": "split_qkv_kernel",
                 "hcom_allReduce__0_1@99": "hcom_allReduce_", "hcom_send_0": "hcom_send_0", "MEMCPY_ASYNC": "MEMCPY_ASYNC",
                 "x_Cast@tail_Add": "Cast", "12_34": "12_34", "Add_lower": "Add_lower", "Add_": "Add"}
        written = [("N/A", name) for name in names] + [("0", "b_Mul_1"), ("", "b_Mul_1"), ("Real", "b_Mul_1"), ("0", "b_Mul_1")]
        rows = self.kernels("Name,Type,Start Time(us),Duration(us)\n" + "".join(f"{name},{kind},{n},1\n" for n,
                                                                                (kind, name) in enumerate(written)))
        self.assertEqual([row["op_type"] for row in rows], [*names.values(), "Mul", "Mul", "Real", "Mul"])

    def test_classes(self):
        """By the unit, else by the name; what communicates does so wherever it runs."""
        cases = [("AI_CORE", "a", "compute"), ("AiCore", "a", "compute"), ("AI_VECTOR_CORE", "a", "compute"), ("AI_VECTOR", "a", "compute"),
                 ("MIX_AIC", "a", "compute"), ("MIX_AIV", "a", "compute"), ("FFTS_PLUS_X", "a", "compute"), ("DSA_SQE", "a", "compute"),
                 ("DVPP_VPC", "a", "compute"), ("AI_CPU", "a", "aicpu"), ("AI_CPU_X", "a", "other"), ("HCCL", "a", "comm"),
                 ("COMMUNICATION", "a", "comm"), ("SDMA_SQE", "a", "copy"), ("PCIE_DMA_SQE", "a", "copy"), ("MEMCPY_ASYNC", "a", "copy"),
                 ("MEMSET", "a", "copy"), ("NEW", "a", "other"), ("N/A", "a", "compute"), ("N/A", "xAicpuKernel", "aicpu"),
                 ("AI_CORE", "xAicpuKernel", "compute"), ("AI_CPU", "allgatherAicpuKernel", "comm"), ("AI_CORE", "hcom_allReduce__1",
                                                                                                      "comm")]
        rows = self.kernels("Name,Accelerator Core,Start Time(us),Duration(us)\n" + "".join(f"{name},{core},{n},1\n" for n, (core, name, _)
                                                                                          in enumerate(cases)))
        self.assertEqual([(core, name, row["kind"]) for (core, name, _), row in zip(cases, rows)], cases)
        self.assertEqual([n for n, row in enumerate(rows) if row["on_aicpu"]],
                         [n for n, (core, name, _) in enumerate(cases) if core == "AI_CPU" or (core == "N/A" and "Aicpu" in name)])

    def test_units_by_the_type_of_the_task(self):
        """Where the unit is not known. Rows of one name may differ, and each is of its own class."""
        rows = self.kernels("Op Name,Core Type,Task Type,Task Start Time(us),Task Duration(us)\na,N/A,AI_CPU,1,1\na,AI_CORE,AI_CPU,2,1\n"
                            "a,,SDMA_SQE,3,1\na,N/A,AI_CPU,4,1\n", name="op_summary_1.csv")
        self.assertEqual(self.said(rows, "kind", "core"), [("aicpu", "AI_CPU"), ("compute", "AI_CORE"), ("copy", "SDMA_SQE"),
                                                           ("aicpu", "AI_CPU")])

    def test_tasks_that_are_no_kernels(self):
        kinds = ["AI_CORE", "EVENT_RECORD_SQE", "NOTIFY_WAIT_SQE", "PLACE_HOLDER_SQE", "PROFILING_ENABLE", "MAINTENANCE", "WRITE_VALUE_SQE",
                 "CMO_SQE", "SWITCH_X", "GOTO_X", "TIMEOUT_SET", "LABEL_SET", "MEMCPY_ASYNC"]
        path = self.folder(("ASCEND_PROFILER_OUTPUT/task_time_1.csv",
                            "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n" + "".join(
            f"k{n},{kind},{n},1,{n + 1},{100 + n}\n" for n, kind in enumerate(kinds))))
        rows = truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json"))
        self.assertEqual(self.said(rows, "name", "start_ps", "duration_ps", "stream"), [("k0", 100_000_000, 1_000_000, 0),
                                                                                        ("k12", 112_000_000, 13_000_000, 12)])
        notes = truth.loads(truth.run("bubbles", path, "--json"))["inputs"][0]["notes"]
        self.assertIn("11 rows are events of the hardware, no kernels", notes)


class Devices(Tables):
    def test_devices_and_streams(self):
        """Those without a number are one of their own; 0 is a device and a stream."""
        rows = self.kernels(DETAILS + "a,A,AI_CORE,1,1,0,0,0,1\nb,B,AI_CORE,2,1,0,N/A,3,1\nc,C,AI_CORE,3,1,0,7,0,1\n"
                            "d,D,AI_CORE,4,1,0,0,N/A,1\n"
                            "e,E,AI_CORE,5,1,0,,0,1\nf,F,AI_CORE,6,1,0,7,5,1\n")
        self.assertEqual(sorted(self.said(rows, "name", "device_name", "stream")), [
            ("a", "NPU 0", 0), ("b", "NPU", 3), ("c", "NPU 7", 0), ("d", "NPU 0", None), ("e", "NPU", 0), ("f", "NPU 7", 5)])

    def test_kernels_that_are_listed_twice(self):
        """Collectives of one name, but for its group, start and length: the one without a stream, else the later one."""
        def row(name, start, duration, stream, core="HCCL", device=0):
            return f"{name},{name.split('_')[0]},{core},{start},{duration},0,{device},{stream},1\n"
        lines = [("hcom_allReduce__1@5", 1, 2, "N/A", True), ("hcom_allReduce__1@5", 1, 2, 9, False),
                 ("hcom_allReduce__1@5", 5, 2, 9, False), ("hcom_allReduce__1@6", 5, 2, "N/A", True),
                 ("hcom_allReduce__1@5", 10, 2, 9, False), ("hcom_allReduce__2@5", 10, 2, 8, False),
                 ("hcom_allReduce__1@5", 15, 2, 9, False), ("hcom_allReduce__1@5", 15, 3, 8, False),
                 ("hcom_allReduce__1@5", 20, 2, 9, False), ("hcom_allReduce__3@5", 20, 2, 7, False), ("hcom_allReduce__1@5", 20, 2, "N/A",
                                                                                                      True),
                 ("Add", 25, 2, 9, False), ("Add", 25, 2, 8, False), ("hcom_allReduce__1@5", 30, 2, 9, False),
                 ("hcom_allReduce__1@5", 30, 2, 8, True)]
        table = DETAILS + "".join(row(*line[:4], core="AI_CORE" if line[0] == "Add" else "HCCL") for line in lines)
        table += row("hcom_allReduce__1@5", 1, 2, 9, device=1)
        rows = sorted(self.kernels(table), key=lambda r: r["source_row"])
        self.assertEqual([row["duplicate"] for row in rows], [line[4] for line in lines] + [False])

    def test_tables_of_one_rank(self):
        """msprof may cut a table into several: their kernels are one list."""
        head = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Device_id,Stream ID\n"
        path = self.folder(("ASCEND_PROFILER_OUTPUT/op_summary_1.csv", head + f"a,A,AI_CORE,{BASE}.5,1,0,4\n"),
                           ("ASCEND_PROFILER_OUTPUT/op_summary_2.csv",
                            head + f"b,B,AI_CORE,{BASE + 2}.5,1,0,4\nc,C,AI_CORE,{BASE - 3}.5,1,1,4\n"))
        rows = truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json"))
        starts = {row["name"]: row["start_ps"] for row in rows}
        self.assertEqual((starts["b"] - starts["a"], starts["a"] - starts["c"]), (2_000_000, 3_000_000))
        self.assertEqual({row["name"]: row["device_name"] for row in rows}, {"a": "NPU 0", "b": "NPU 0", "c": "NPU 1"})
        # kernel_details.csv lists the same kernels.
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + "k,K,AI_CORE,1,1,0,0,0,1\n"),
                           ("ASCEND_PROFILER_OUTPUT/op_summary_1.csv", head + "a,A,AI_CORE,1,1,0,4\n"),
                           ("ASCEND_PROFILER_OUTPUT/task_time_1.csv",
                            "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\nt,AI_CORE,1,1,1,1\n"))
        rows = truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json"))
        self.assertEqual([row["name"] for row in rows], ["k"])
        notes = {i["path"].rsplit("/", 1)[1]: i["notes"] for i in truth.loads(truth.run("bubbles", path, "--json"))["inputs"]}
        self.assertEqual((notes["op_summary_1.csv"], notes["task_time_1.csv"]), (["not read: kernel_details.csv lists the same kernels"], [
            "not read: the kernels of these tasks are known from another file"]))

    def test_totals(self):
        """By type and unit; rows without a count say nothing, and totals stand back where any file has kernels."""
        head = "Device_id,OP Type,Core Type,Count,Total Time(us)\n"
        table = head + ("0,Add,AI_CORE,3,6\n0,Add,AI_CPU,2,8\n0,Add,AI_CORE,1,1\n1,Add,AI_CORE,5,10\n0,Mul,AI_CORE,0,9\n"
                        "0,hcom_send_,HCCL,2,4.5\n")
        path = self.folder(("ASCEND_PROFILER_OUTPUT/op_statistic_1.csv", table))
        found = truth.loads(truth.run("bubbles", path, "--json", status=5))
        totals = {d["name"]: d for d in found["devices"]}
        self.assertEqual(sorted(totals), ["NPU 0", "NPU 1"])
        facts = truth.loads(truth.run("architecture", path, "--json", status=5))
        self.assertEqual(facts["op_counts"], {"Add": 6, "hcom_send_": 2})

    def test_ranks(self):
        """What profiler_info says, its name, the metadata, the folder: in this order. Rank 0 is one."""
        info = '{"rank_id": %s, "config": {"common_config": {"with_stack": true, "record_shapes": false}}}'
        table = ("ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + "k,K,AI_CORE,1,1,0,0,0,1\n")
        meta = ("profiler_metadata.json", '{"distributed_args": {"rank": %s, "world_size": 8}}')
        for number, (folder, files, rank) in enumerate((
                ("a_rank_3_ascend_pt", [], 3), ("a_rank_0_ascend_pt", [], 0), ("a_ascend_pt", [], None),
                ("a_rank_3_ascend_pt", [(meta[0], meta[1] % 0)], 0), ("a_rank_3_ascend_pt", [("profiler_info_0.json", "{}")], 0),
                ("a_rank_3_ascend_pt", [("profiler_info_2.json", info % 0)], 0), ("a_ascend_pt", [("profiler_info_2.json", info % 5)], 5),
                ("a_ascend_pt", [("profiler_info_0.json", "{}"), (meta[0], meta[1] % 4)], 0),
                ("a_ascend_pt", [("profiler_info.json", info % -1), (meta[0], meta[1] % 4)], 4),
                ("rank12_profiler_ascend_pt", [], 12), ("host_profiler_7_ascend_pt", [], 7), ("a_rank_x_ascend_pt", [], None))):
            for name, text in (table, *files):
                self.write(f"r{number}/{folder}/{name}", text)
            rows = truth.rows("kernels", truth.run("rows", self.scratch / f"r{number}" / folder, "kernels", "--format", "json"))
            self.assertEqual([row["rank"] for row in rows], [rank], (folder, files))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
