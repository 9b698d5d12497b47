#!/usr/bin/env python3
"""Tables whose times begin anywhere, tables without a kernel, and the two ways in which a rank of Ascend is read."""
import json
import sys

import truth

SUMMARY = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Device_id,Stream ID\n"
DETAILS = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Step Id\n"
BASE = 1_764_246_900_000_000  # us


class Clocks(truth.Case):
    number = 0

    def folder(self, *files, rank="one_ascend_pt"):
        Clocks.number += 1
        for name, text in files:
            self.write(f"{Clocks.number}/{rank}/{name}", text)
        return self.scratch / str(Clocks.number)

    @staticmethod
    def kernels(path, *more):
        return {row["name"]: row for row in truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json", *more))}

    @staticmethod
    def trace(*spans):
        """Of NPU 0: (name, start, length) on stream 3, on the thread of a host a marker and an operator."""
        events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
                  for pid, name in ((10, "Python"), (1024, "Ascend Hardware"))]
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 10, "tid": 1, "ts": f"{BASE}.0", "dur": 900})
        events += [{"ph": "X", "name": name, "pid": 1024, "tid": 3, "ts": f"{BASE + start}.0", "dur": length,
                    "args": {"Task Type": "AI_CORE"}}
                   for name, start, length in spans]
        return "ASCEND_PROFILER_OUTPUT/trace_view.json", json.dumps(events)

    def test_times_that_are_not_of_the_epoch(self):
        """Zero is the second in which the first kernel begins, from 1,000,000,000 us on; other tables are put on the same clock."""
        def tables(*starts):
            return self.kernels(self.folder(*((f"ASCEND_PROFILER_OUTPUT/op_summary_{n}.csv", SUMMARY + f"k{n},A,AI_CORE,{start},1,0,4\n")
                                              for n, start in enumerate(starts))))
        for starts, expected in ((("5000000000.5", "5002000001.5"), (0.5, 2000001.5)), (("999999999", "1000000007"), (999999999,
                                                                                                                      1000000007)),
                                 (("1000000000", "1000000007"), (0, 7)), (("1000999999", "999000000"), (999999, -1000000)),
                                 (("0", "5"), (0, 5))):
            found = tables(*starts)
            self.assertEqual([found[f"k{n}"]["start_ps"] / 1e6 for n in (0, 1)], list(expected), starts)

    def test_the_first_row_with_a_time_says_where_zero_is(self):
        rows = SUMMARY + "a,A,AI_CORE,N/A,1,0,4\nb,B,AI_CORE,-7,1,0,4\nc,C,AI_CORE,5000000100,1,0,4\nd,D,AI_CORE,4999999000,1,0,4\n"
        path = self.folder(("ASCEND_PROFILER_OUTPUT/op_summary_1.csv", rows))
        found = {row["name"]: row["start_ps"] for row in truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json",
                                                                                         status=5))}
        self.assertEqual(found, {"c": 100_000_000, "d": -1_000_000_000})

    def test_kernels_of_a_trace_stand_in_for_an_empty_table(self):
        """For one with kernels they do not."""
        trace = self.trace(("aclnnMm_MatMulV3", 10, 5), ("aclnnAdd_Add", 20, 5))
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS), trace)
        found = self.kernels(path)
        self.assertEqual({name: (row["stream"], row["start_ps"], row["op_type"]) for name, row in found.items()}, {
            "aclnnMm_MatMulV3": (3, 10_000_000, "MatMulV3"), "aclnnAdd_Add": (3, 20_000_000, "Add")})
        notes = {i["variant"]: i["notes"] for i in truth.loads(truth.run("bubbles", path, "--json"))["inputs"]}
        self.assertIn("kernels are taken from this trace", notes["trace_view.json"])
        path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + f"k,K,AI_CORE,{BASE + 30}.0,1,0,0,3,4\n"), trace)
        self.assertEqual(list(self.kernels(path)), ["k"])
        notes = {i["variant"]: i["notes"] for i in truth.loads(truth.run("bubbles", path, "--json"))["inputs"]}
        self.assertNotIn("kernels are taken from this trace", notes["trace_view.json"])

    def test_one_thread_and_several(self):
        """The table and the trace are read one after the other or side by side."""
        trace = self.trace(("x", 10, 5))
        for rows in ("", f"k,K,AI_CORE,{BASE + 30}.0,1,0,0,3,4\nl,L,AI_CORE,{BASE + 10}.0,1,0,0,0,4\n"):
            path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + rows), trace)
            for command in (("rows", path, "kernels", "--format", "json"), ("steps", path, "--json"), ("bubbles", path, "--json"),
                            ("info", path, "--json")):
                one, four = (truth.run(*command, "--threads", threads) for threads in (1, 4))
                self.assertEqual(one, four)
        steps = truth.loads(truth.run("steps", path, "--json", "--threads", 4))["steps"]
        self.assertEqual([(s["name"], s["step_num"], s["start_ps"], s["duration_ps"]) for s in steps], [("ProfilerStep#4", "4", 0,
                                                                                                         900_000_000)])

    def test_ranks_of_one_run(self):
        """Each folder of a rank is one; devices of the same number have their ranks in their names."""
        root = "many"
        for n in (0, 2, 10):
            self.write(f"{root}/a_rank_{n}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
                       DETAILS + f"k{n},K,AI_CORE,{BASE + 10 * n}.0,1,0,0,3,4\n")
        self.write(f"{root}/b_rank_3_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + f"k3,K,AI_CORE,{BASE}.0,1,0,1,3,4\n")
        self.write(f"{root}/c_rank_4_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", DETAILS + f"k4,K,AI_CORE,{BASE}.0,1,0,,3,4\n")
        found = self.kernels(self.scratch / root)
        self.assertEqual({name: (row["device_name"], row["rank"], row["start_ps"]) for name, row in found.items()}, {
            "k0": ("NPU 0 of rank 0", 0, 0), "k2": ("NPU 0 of rank 2", 2, 20_000_000), "k10": ("NPU 0 of rank 10", 10, 100_000_000),
            "k3": ("NPU 1", 3, 0), "k4": ("NPU of rank 4", 4, 0)})

    def test_why_there_is_no_kernel(self):
        head = "Name,Start Time(us),Duration(us)\n"
        for rows, status, said in (("", 0, "no kernel was found here"), ("a,x,1\nb,1,y\n", 5, (
                "no kernel was found here: all 2 rows of kernel_details level0 were skipped (the start time is no number)"))):
            path = self.folder(("ASCEND_PROFILER_OUTPUT/kernel_details.csv", head + rows))
            self.assertEqual(truth.loads(truth.run("bubbles", path, "--json", status=status))["inputs"][0]["notes"][-1], said)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
