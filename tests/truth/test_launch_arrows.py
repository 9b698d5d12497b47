#!/usr/bin/env python3
"""Traces beside tables of kernels: which launch belongs to which kernel, which operator, and what is taken of a trace alone."""
import json
import sys

import truth

BASE = 1_764_246_900_000_000  # us
HEAD = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Device_id,Stream ID,Step Id\n"


class Trace:
    """Events of a trace; times are us from BASE, and may have decimals."""

    def __init__(self, named=True):
        self.events = []
        for pid, name, labels in ((10, "Python", "CPU"), (20, "CANN", "CPU"), (1024, "Ascend Hardware", "NPU"), (1088, "HCCL", "NPU")):
            if named:
                self.process(pid, name, labels)

    def process(self, pid, name, labels=""):
        self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})
        if labels:
            self.events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": labels}})

    @staticmethod
    def at(us):
        return f"{BASE + int(us)}.{round((us - int(us)) * 1000):03}"

    def span(self, pid, tid, name, start, length, cat=None, **args):
        self.events.append({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": self.at(start), "dur": length, "args": args,
                            **({"cat": cat} if cat else {})})

    def arrow(self, number, tid, start, end=None, stream=2, pid=1024, name="HostToDevice", begins=20):
        common = {"cat": "HostToDevice" if name == "HostToDevice" else "async_npu", "id": number, "name": name + ("" if "npu" in name
                                                                                                                  else number)}
        self.events.append({"ph": "s", **common, "pid": begins, "tid": tid, "ts": self.at(start)})
        if end is not None:
            self.events.append({"ph": "f", "bp": "e", **common, "pid": pid, "tid": stream, "ts": self.at(end)})

    def text(self):
        return json.dumps(self.events)


class Arrows(truth.Case):
    number = 0

    def folder(self, trace, rows=None, **files):
        """`rows`: (name, type, start, length, device, stream) of the table."""
        Arrows.number += 1
        root = f"{Arrows.number}/one_ascend_pt/ASCEND_PROFILER_OUTPUT"
        if rows is not None:
            self.write(f"{root}/kernel_details.csv", HEAD + "".join(
                f"{name},{kind},{'HCCL' if 'hcom' in name else 'AI_CORE'},{Trace.at(start)},{length},0,{device},{stream},1\n"
                for name, kind, start, length, device, stream in rows))
        self.write(f"{root}/trace_view.json", trace.text())
        for name, text in files.items():
            self.write(f"{root}/{name.replace('__', '.')}", text)
        return self.scratch / root.rsplit("/", 1)[0]

    @staticmethod
    def kernels(path, *more):
        rows = truth.rows("kernels", truth.run("rows", path, "kernels", "--format", "json", *more))
        return {row["name"]: row for row in rows}

    @staticmethod
    def us(ps, zero=0):
        return None if ps is None else (ps - zero) / 1e6

    def launches(self, path, zero):
        return {name: self.us(row["launch_ps"], zero) for name, row in self.kernels(path).items()}

    def test_launches(self):
        """An arrow ends where its kernel begins, and of several at one moment on its stream; else the first of them."""
        t = Trace()
        t.span(10, 1, "begin", 0, 1, "python_function")
        t.span(20, 7, "Node@launch", 4, 100)
        for number, (start, end, stream) in enumerate(((10, 50, 3), (12, 50, 2), (11, 50, 4), (20, 60, 9), (22, 60, 8), (30, 70.001, 2),
                                                       (0.5, 80, 0))):
            t.arrow(str(number), 7, start, end, stream)
        rows = [("a", "A", 50, 5, 0, 2), ("b", "B", 50, 6, 0, 4), ("c", "C", 50, 7, 0, 7), ("d", "D", 60, 5, 0, "N/A"), ("e", "E", 70, 5,
                                                                                                                         0, 2),
                ("f", "F", 80, 5, 0, 0)]
        found = self.launches(self.folder(t, rows), 0)
        self.assertEqual(found, {"a": 12, "b": 11, "c": 12, "d": 22, "e": None, "f": 0.5})

    def test_arrows_of_the_framework_stand_in(self):
        """Where those of the runtime have no end."""
        for ends, said in ((None, {"a": 7.0}), (50, {"a": 9.0})):
            t = Trace()
            t.span(10, 1, "op", 0, 40, "cpu_op")
            t.arrow("1", 1, 7, 50, name="torch_to_npu", begins=10)
            t.span(20, 7, "Node@launch", 8, 5)
            t.arrow("2", 7, 9, ends)
            self.assertEqual(self.launches(self.folder(t, [("a", "A", 50, 5, 0, 2)]), 0), said)

    def test_operators(self):
        """The innermost one on the thread where the arrow of the framework begins; collectives may be a ns beside it."""
        t = Trace()
        t.span(10, 1, "aten::linear", 0, 40, "cpu_op")
        t.span(10, 1, "aten::mm", 5, 10, "cpu_op")
        t.span(10, 1, "aten::add", 20, 10, "cpu_op")
        t.span(10, 2, "aten::other", 5, 30, "cpu_op")
        for number, (tid, start, end, stream, pid) in enumerate(((1, 6, 50, 2, 1024), (1, 22, 60, 3, 1024), (2, 6, 70, 2, 1024),
                                                                 (1, 35, 80, 2, 1024),
                                                                (1, 7, 90.001, 5, 1088), (1, 8, 95.002, 5, 1088), (1, 9, 99, 4, 1024),
                                                                (1, 15, 110, 2, 1024), (1, 20, 120, 2, 1024))):
            t.arrow(str(number), tid, start, end, stream, pid, "torch_to_npu", 10)
        rows = [("a", "A", 50, 5, 0, 2), ("b", "B", 60, 5, 0, 3), ("c", "C", 70, 5, 0, 2), ("d", "D", 80, 5, 0, 2),
                ("hcom_x__1", "hcom_x_", 90, 2, 0, "N/A"), ("hcom_y__1", "hcom_y_", 95, 2, 0, "N/A"), ("e", "E", 99, 5, 0, 2),
                ("g", "G", 110, 5, 0, 2), ("h", "H", 120, 5, 0, 2)]
        found = self.kernels(self.folder(t, rows))
        self.assertEqual({name: (row["framework_op"], row["outer_op"]) for name, row in found.items()}, {
            "a": ("aten::mm", "aten::linear"), "b": ("aten::add", "aten::linear"), "c": ("aten::other", "aten::other"),
            "d": ("aten::linear", "aten::linear"), "hcom_x__1": ("aten::mm", "aten::linear"), "hcom_y__1": (None, None), "e": (None, None),
            "g": ("aten::linear", "aten::linear"), "h": ("aten::add", "aten::linear")})

    def test_moments_that_several_share(self):
        """Kernels of one stream that begin at once have no operator, nor one whose arrows disagree."""
        t = Trace()
        t.span(10, 1, "aten::mm", 0, 20, "cpu_op")
        for number, (start, end, stream) in enumerate(((5, 50, 2), (6, 60, 2), (7, 60, 2), (8, 70, 2), (8, 70, 2))):
            t.arrow(str(number), 1, start, end, stream, 1024, "torch_to_npu", 10)
        t.arrow("9", 1, 9, None, name="torch_to_npu", begins=10)
        t.arrow("9", 1, 10, 80, name="torch_to_npu", begins=10)
        rows = [("a", "A", 50, 5, 0, 2), ("b", "B", 50, 6, 0, 2), ("c", "C", 60, 5, 0, 2), ("d", "D", 70, 5, 0, 2), ("e", "E", 80, 5, 0, 2)]
        found = self.kernels(self.folder(t, rows))
        self.assertEqual({name: row["framework_op"] for name, row in found.items()}, {"a": None, "b": None, "c": None, "d": "aten::mm",
                                                                                      "e": None})

    def test_kernels_of_a_trace(self):
        """Where no table has them: devices by the last five bits, waits and repeats left out, collectives by their groups."""
        t = Trace(named=False)
        for pid, name, labels in ((1024 + 3, "Ascend Hardware", "NPU"), (2048 + 32, "Ascend Hardware", "NPU"), (1088, "HCCL", "NPU"),
                                  (99, "Overlap Analysis", "NPU"), (20, "CANN", "CPU")):
            t.process(pid, name, labels)
        t.events.append({"ph": "M", "name": "thread_name", "pid": 1088, "tid": 5, "args": {"name": "Group 0 Communication"}})
        t.events.append({"ph": "M", "name": "thread_name", "pid": 1088, "tid": 6, "args": {"name": "Plane 0"}})
        task = lambda kind: {"Task Type": kind}
        t.span(1027, 0, "aclnnMm_MatMulV3", 10, 5, **task("AI_CORE"))
        t.span(1027, 4, "EVENT_WAIT", 12, 5, **task("EVENT_WAIT_SQE"))
        t.span(1027, 4, "Notify_Wait", 13, 5, **task("Notify Wait"))
        t.span(1027, 4, "aclnnCast_Cast", 14, 5, **task("AI_CPU"))
        t.span(2080, 7, "aclnnAdd_Add", 16, 5, **{"task type": "AI_VECTOR_CORE"})
        t.span(1088, 5, "hcom_allReduce__1_2@3", 20, 5)
        t.span(1088, 6, "Reduce_Inline", 21, 5)
        t.span(1088, 9, "hcom_send__1", 23, 5)
        t.span(1088, 9, "Memcpy", 24, 5)
        t.span(99, 1, "Free", 1, 5)
        found = self.kernels(self.folder(t))
        zero = found["aclnnMm_MatMulV3"]["start_ps"]
        self.assertEqual({name: (row["device_name"], row["stream"], row["op_type"], row["kind"], row["core"], self.us(row["start_ps"],
                                                                                                                      zero))
                          for name, row in found.items()}, {
            "aclnnMm_MatMulV3": ("NPU 3", 0, "MatMulV3", "compute", "AI_CORE", 0), "aclnnCast_Cast": ("NPU 3", 4, "Cast", "aicpu",
                                                                                                      "AI_CPU", 4),
            "aclnnAdd_Add": ("NPU 0", 7, "Add", "compute", "AI_VECTOR_CORE", 6),
            "hcom_allReduce__1_2@3": ("NPU 0", None, "hcom_allReduce_", "comm", "HCCL", 10),
            "hcom_send__1": ("NPU 0", None, "hcom_send_", "comm", "HCCL", 13)})

    def test_processes_without_names(self):
        """Host by its categories, runtime by the names of its layers, devices by their labels."""
        t = Trace(named=False)
        t.process(1024, "", "NPU")
        t.process(20, "", "CPU")
        t.process(10, "", "CPU")
        t.span(10, 1, "aten::mm", 0, 30, "cpu_op")
        t.span(20, 7, "Node@launch", 8, 5)
        t.arrow("2", 7, 9, 50, 0)
        t.span(1024, 0, "aclnnMm_MatMulV3", 50, 5, **{"Task Type": "AI_CORE"})
        path = self.folder(t)
        row, = self.kernels(path).values()
        self.assertEqual((self.us(row["launch_ps"], row["start_ps"]), row["stream"], row["device_name"]), (-41, 0, "NPU 0"))

    def test_steps(self):
        """Markers in a trace; ids of a table where there are none, from the first kernel of each to the end of its last."""
        def steps(path, zero=0):
            found = truth.loads(truth.run("steps", path, "--json"))["steps"]
            first = min(s["start_ps"] for s in found) if zero is None else zero
            return [(s["source"], s["name"], s["step_num"], s["index"], self.us(s["start_ps"], first), self.us(s["duration_ps"]))
                    for s in found]
        t = Trace()
        for number, start in ((2, 200), (0, 0), (1, 100)):
            t.span(10, 1, f"ProfilerStep#{number}", start, 90, "user_annotation")
        self.assertEqual(steps(self.folder(t, [("a", "A", 50, 5, 0, 2)])), [
            ("ProfilerStep", f"ProfilerStep#{n}", str(n), n, 100.0 * n, 90.0) for n in range(3)])
        self.write("ids/one_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", HEAD + "".join(
            f"k{n},K,AI_CORE,{start},{length},0,{device},2,{step}\n" for n, (start, length, device, step) in enumerate((
                (30, 5, 0, "0"), (10, 50, 0, "0.0"), (70, 5, 0, "3"), (20, 5, 0, "0"), (90, 5, 0, ""), (75, 1, 0, "3"), (12, 5, 1, "0"),
                (100, 9, 0, "1-7")))))
        found = truth.loads(truth.run("steps", self.scratch / "ids", "--json"))["steps"]
        self.assertEqual([(s["source"], s["plane"], s["name"], s["step_num"], self.us(s["start_ps"]), self.us(s["duration_ps"]))
                          for s in found], [
            ("step id", 0, "0", "0", 10, 50), ("step id", 0, "3", "3", 70, 6), ("step id", 0, "1-7", None, 100, 9), ("step id", 1, "0",
                                                                                                                     "0", 12, 5)])


class Raw(truth.Case):
    def asked(self, *folders, files=()):
        for folder in folders:
            (self.scratch / "raw" / folder).mkdir(parents=True)
        for name in files:
            self.write(f"raw/{name}", "x")
        return truth.run("info", self.scratch / "raw", status=3, stderr=True)

    def test_raw_data_that_was_not_parsed(self):
        said = self.asked("a_ascend_pt/FRAMEWORK", "a_ascend_pt/PROF_1/device_0/data", "b_ascend_pt/PROF_2",
                          "b_ascend_pt/ASCEND_PROFILER_OUTPUT")
        self.assertIn("raw data of torch_npu that was not parsed (no ASCEND_PROFILER_OUTPUT)", said)
        self.assertIn("raw data of torch_npu that was not parsed (ASCEND_PROFILER_OUTPUT is empty)", said)

    def test_raw_data_of_msprof(self):
        said = self.asked("PROF_1/device_0/data", "PROF_2/host/data", "PROF_3/device_0/other")
        self.assertIn("raw data of msprof that was not exported (no mindstudio_profiler_output), in 2 folders", said)
        self.assertNotIn("PROF_3", said)

    def test_raw_data_of_mindspore(self):
        said = self.asked("x/a_ascend_ms/FRAMEWORK")
        self.assertIn("raw data of MindSpore that was not parsed (no ASCEND_PROFILER_OUTPUT)", said)
        self.assertIn("from mindspore.profiler.profiler import analyse", said)
        self.assertIn('raw/x")', said)  # of the folder above it


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
