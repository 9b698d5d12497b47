"""`profkit ops` of traces and tables: every number of every op of the two ranks of PyTorch and of those of Ascend."""
import json
import sys

import arrow
import ascend
import trace_model as model
import truth
from trace_events import meta
from trace_case import AscendCase, KinetoCase


class Both:
    """What holds of either pair."""

    def test_all(self):
        self.check(self.ask("ops"), self.ops_document(self.lines))

    def test_limit_and_order(self):
        """--json keeps the order by total."""
        expected = self.ops_document(self.lines, limit=1)
        self.check(self.ask("ops", "--limit", 1), expected)
        self.assertTrue(any(line["ops_left_out"] for line in expected["lines"]))
        for by in ("self", "count", "total"):
            self.check(self.ask("ops", "--sort", by), self.ops_document(self.lines))

    def test_self_times_add_up(self):
        for line in self.ask("ops")["lines"]:
            self.assertEqual(sum(op["self_ps"] for op in line["ops"]), line["busy_ps"])
            self.assertEqual(sum(op["total_ps"] for op in line["ops"]), line["duration_sum_ps"])
            self.assertEqual(sum(op["count"] for op in line["ops"]), line["events"])

    def test_devices(self):
        for wanted in (self.lines[0].plane_name, self.lines[-1].plane_name, " 0", self.other_device):
            lines = [line for line in self.lines if wanted in line.plane_name]
            self.assertTrue(lines)
            self.check(self.ask("ops", "--plane", wanted), self.ops_document(lines))

    def test_windows(self):
        runs = sorted((r for line in self.lines for r in line.runs if r.duration), key=lambda r: r.start)
        middle = runs[len(runs) // 2]
        for window in ((middle.start, middle.end), (middle.end, None), (None, middle.start),
                       (middle.start - 1, middle.start + 1), (middle.end - 1, middle.end)):
            text = ":".join("" if at is None else f"{at}ps" for at in window)
            self.check(self.ask("ops", "--time", text),
                       self.ops_document(self.lines, lambda line, run, w=window: model.in_window(run, w)))

    def test_steps_are_windows(self):
        """The N-th step of a host for all of its devices, or that of a device."""
        for index in (0, 2):
            windows = self.windows(index)
            self.check(self.ask("ops", "--step", index),
                       self.ops_document(self.lines, lambda line, run, w=windows: model.in_window(run, w[line.file])))

    def test_a_rank(self):
        lines = [line for line in self.lines if line.file == self.last_file]
        self.check(self.ask("ops", "--host", "rank1"), self.ops_document(lines))

    def test_nothing_there(self):
        for option, text in (("--plane", "PU 7"), ("--name", "no such op"), ("--host", "rank7")):
            truth.run("ops", self.folder, option, text, status=2)


    def test_arrow(self):
        """The same in columns."""
        devices = list(dict.fromkeys((line.file, line.plane_name) for line in self.lines))
        expected = [{"run": "run", "host": self.hosts.get(line["file"]), "rank": self.ranks_of[line["file"]], "node": None,
                     "device_name": line["plane_name"], "file": line["file"],
                     "device": devices.index((line["file"], line["plane_name"])), "plane": line["plane_name"], "line": line["line_name"], "name": op["name"],
                     "display_name": "", "category": op["stats"]["category"], "metadata_id": None,
                     **{key: op[key] for key in ("count", "total_ps", "self_ps", "min_ps", "max_ps")}, "flops": None,
                     "bytes_accessed": None, "program": "", "clock": "aligned"}
                    for line in model.ops_lines(self.lines) for op in line["ops"]]
        with arrow.Handle("profile", self.folder, None) as profile:
            self.check(arrow.table("ops", profile)[1], expected)


class OpsOfPyTorch(Both, KinetoCase):
    other_device, last_file = "GPU 1", 1
    hosts, ranks_of = {0: "rank0", 1: "rank1"}, {0: 0, 1: 1}

    def test_the_description_is_awkward(self):
        lines = model.ops_lines(self.lines)
        self.assertEqual([(line["plane_name"], line["line_name"]) for line in lines],
                         [("GPU 0 of rank 0", "stream 7"), ("GPU 0 of rank 0", "stream 9"), ("GPU 0 of rank 0", "stream 20"),
                          ("GPU 1", "stream 5"), ("GPU 1", "stream 6"), ("GPU 0 of rank 1", "stream 7"),
                          ("GPU 0 of rank 1", "stream 30")])
        self.assertEqual([op["name"] for op in lines[3]["ops"]], ["first", "second", "lonely"])  # two of one total
        self.assertEqual(lines[0]["ops"][2]["min_ps"], 0)

    def test_names(self):
        for name in ("gemm", "AllReduce", "µ", "second"):
            self.check(self.ask("ops", "--name", name), self.ops_document(self.lines, name=name))

    def test_streams(self):
        for wanted in ("stream 7", "stream", "0"):
            lines = [line for line in self.lines if wanted in line.line_name]
            self.check(self.ask("ops", "--line", wanted), self.ops_document(lines))


class OpsOfAscend(Both, AscendCase):
    other_device, last_file = "NPU 1", 7
    hosts, ranks_of = {3: "rank0_ascend_pt", 7: "rank1_ascend_pt"}, {3: 0, 7: 1}

    def test_the_description_is_awkward(self):
        lines = model.ops_lines(self.lines)
        self.assertEqual([line["line_name"] for line in lines if line["plane_name"] == "NPU 1"],
                         ["Stream 2", "Stream 17", "Stream 18", "Stream 19", "Stream 50", "Stream 51", "Stream 60",
                          "communication, no stream"])
        # A collective that is listed twice counts once, where it has a stream.
        self.assertEqual([(line["plane_name"], line["line_name"]) for line in lines
                          if any("allReduce" in op["name"] for op in line["ops"])],
                         [("NPU 0 of rank 0", "Stream 46"), ("NPU 1", "communication, no stream"), ("NPU 0 of rank 1", "Stream 46")])

    def test_names(self):
        for name in ("MatMul", "all", "y"):
            self.check(self.ask("ops", "--name", name), self.ops_document(self.lines, name=name))

    def test_streams(self):
        for wanted in ("Stream 2", "no stream", "Stream 1"):
            lines = [line for line in self.lines if wanted in line.line_name]
            self.check(self.ask("ops", "--line", wanted), self.ops_document(lines))


US = 1_000_000


def span(pid, tid, name, start, duration, cat="cpu_op"):
    return {"ph": "X", **({"cat": cat} if cat else {}), "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration,
            "args": {}}


class SmallTraces(truth.Case):
    """Hand-made traces: the lines are told as (plane, line, plane's name, line's name, kind, runs), a run as (name, category,
    start, length in microseconds, op type)."""

    def kernels(self, device, stream, runs):
        """Rows of the trace, in the order given, and the line that they make."""
        return [{"ph": "X", "cat": "gpu_memcpy" if category == "copy" else "kernel", "name": name, "pid": device, "tid": stream,
                 "ts": start, "dur": size, "args": {"device": device, "stream": stream,
                                                    **({"Collective name": more[0]} if more else {})}}
                for name, category, start, size, *more in runs]

    @staticmethod
    def line(plane, line, plane_name, line_name, runs, kind="stream", file=0):
        return model.Line(file, plane, line, plane_name, line_name,
                          [model.Run(model.Op(name, category, *more), int(start * US), int(size * US), n)
                           for n, (name, category, start, size, *more) in enumerate(runs)], kind,
                          (file, plane_name) if kind == "stream" else (file, "host"))

    def ask(self, events, *options, status=0, name="a.json"):
        self.write(f"log/{name}", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return truth.parsed(truth.run("ops", self.scratch / "log", "--json", *options, status=status))

    def check_lines(self, found, lines, source="kernels of traces and tables"):
        self.check([found["status"], found["source"], found["lines"]], ["ok", source, model.ops_lines(lines)])

    HOST = "host spans of traces: no device is recorded"

    def test_equal_times_and_touching_edges(self):
        runs = [("a", "compute", 0, 10), ("b", "compute", 0, 10), ("c", "compute", 10, 5), ("nothing", "compute", 10, 0),
                ("long", "compute", 20, 10), ("inside", "compute", 22, 3), ("at its end", "compute", 25, 5),
                ("outlasts", "compute", 28, 4), ("copy", "copy", 15, 5), ("same start", "compute", 40, 2),
                ("same start, longer", "compute", 40, 6)]
        found = self.ask(self.kernels(0, 7, runs))
        self.check_lines(found, [self.line(0, 0, "GPU 0", "stream 7", runs)])
        self.assertEqual(found["lines"][0]["busy_ps"], 38 * US)
        # The same in another order.
        found = self.ask(self.kernels(0, 7, runs[::-1]))
        self.assertEqual(found["lines"][0]["busy_ps"], 38 * US)
        self.assertEqual(sum(op["self_ps"] for op in found["lines"][0]["ops"]), 38 * US)

    def test_two_devices_with_the_same_stream(self):
        first, second, third = [("a", "compute", 0, 10)], [("a", "compute", 5, 7), ("b", "compute", 5, 7)], [("c", "compute", 1, 2)]
        found = self.ask(self.kernels(3, 7, first) + self.kernels(1, 7, second) + self.kernels(3, 1, third))
        self.check_lines(found, [self.line(0, 0, "GPU 3", "stream 7", first), self.line(0, 1, "GPU 3", "stream 1", third),
                                 self.line(1, 0, "GPU 1", "stream 7", second)])

    def test_equal_totals_stand_as_the_device_ran_them(self):
        """Whichever of its streams ran them, and however they stand in the file."""
        one, other = [("z", "compute", 5, 3), ("a", "compute", 9, 3)], [("a", "compute", 0, 3), ("z", "compute", 20, 3)]
        found = self.ask(self.kernels(0, 7, one) + self.kernels(0, 8, other))
        self.check_lines(found, [self.line(0, 0, "GPU 0", "stream 7", one), self.line(0, 1, "GPU 0", "stream 8", other)])
        self.assertEqual([op["name"] for op in found["lines"][0]["ops"]], ["a", "z"])

    def test_collectives_are_told_apart_by_their_type(self):
        name = "ncclDevKernel_Generic"
        runs = [(name, "comm", 0, 5, "broadcast"), (name, "comm", 10, 7, "allreduce"), (name, "comm", 20, 6, "broadcast")]
        self.check_lines(self.ask(self.kernels(0, 7, runs)), [self.line(0, 0, "GPU 0", "stream 7", runs)])

    def test_files_that_have_a_device_of_the_same_name(self):
        one, other = [("a", "compute", 0, 10)], [("a", "compute", 0, 4)]
        self.ask(self.kernels(0, 7, one), name="a.json")
        found = self.ask(self.kernels(0, 7, other), name="b.json")
        self.check_lines(found, [self.line(0, 0, "GPU 0 of a.json", "stream 7", one),
                                 self.line(0, 0, "GPU 0 of b.json", "stream 7", other, file=1)])

    def test_operators_of_hosts_alone(self):
        """A line a thread: two processes have the same thread. What is no operator is left out where there are some."""
        runs = [("outer", "op", 0, 100), ("inner", "op", 10, 30), ("leaf", "op", 15, 5), ("late", "op", 90, 30)]
        other, third = [("outer", "op", 50, 10)], [("outer", "op", 0, 2)]
        found = self.ask([meta("process_name", 900, 0, "python"), meta("thread_name", 900, 2, "pt_main_thread")] +
                         [span(900, 1, r[0], *r[2:]) for r in runs] + [span(7, 1, r[0], *r[2:]) for r in other] +
                         [span(900, 2, r[0], *r[2:]) for r in third] +
                         [span(900, 1, "nn.Module: Linear_0", 0, 500, "python_function"),
                          span(900, 1, "model.py(3): forward", 0, 400, "python_function"),
                          span(900, 1, "ProfilerStep#1", 0, 300, "user_annotation"),
                          span(900, 1, "cudaLaunchKernel", 0, 3, "cuda_runtime")])
        self.assertEqual(found["source"], self.HOST)
        lines = [self.line(0, 0, "python 900", "pt_main_thread", third, "thread"), self.line(0, 1, "python 900", "thread 1", runs, "thread"),
                 self.line(1, 0, "process 7", "thread 1", other, "thread")]
        self.check(sorted(found["lines"], key=lambda line: (line["plane"], line["line"])), model.ops_lines(lines))

    def test_frames_of_a_host_alone(self):
        runs = [("a.py(1): f", "frame", 0, 100), ("nn.Module: Linear_0", "frame", 10, 30), ("<built-in method x>", "frame", 10, 30),
                ("note", "annotation", 20, 100)]
        found = self.ask([span(5, 1, name, start, size, {"frame": "python_function", "annotation": "user_annotation"}[category])
                          for name, category, start, size in runs])
        self.check_lines(found, [self.line(0, 0, "process 5", "thread 1", runs, "thread")], self.HOST)

    def test_begins_and_ends(self):
        runs = [("outer", "op", 0, 9), ("inner", "op", 2, 3)]
        events = [(0, "B", "outer"), (2, "B", "inner"), (5, "E", "inner"), (9, "E", "outer"), (20, "B", "open")]
        found = self.ask([{"ph": ph, "cat": "cpu_op", "name": name, "pid": 5, "tid": 1, "ts": ts} for ts, ph, name in events])
        self.check_lines(found, [self.line(0, 0, "process 5", "thread 1", runs, "thread")], self.HOST)

    def test_negative_lengths_are_damage(self):
        runs = [("a", "compute", 0, 10), ("b", "compute", 20, -5), ("a", "compute", 30, 1)]
        found = self.ask(self.kernels(0, 7, runs), status=5)
        self.assertEqual((found["status"], len(found["damage"])), ("partial", 1))
        self.check(found["lines"], model.ops_lines([self.line(0, 0, "GPU 0", "stream 7", runs[:1] + runs[2:])]))
        # So is a host's.
        found = self.ask([span(5, 1, "a", 0, 10), span(5, 1, "b", 20, -5)], status=5)
        self.check(found["lines"], model.ops_lines([self.line(0, 0, "process 5", "thread 1", [("a", "op", 0, 10)], "thread")]))

    def test_planes_of_an_export(self):
        """XLA's exporter names planes and lines: ops are those of XLA Ops; asynchronous ones lie beside them."""
        runs = [("fusion.1", "compute", 0, 5), ("all-reduce.2", "comm", 5, 4, "all-reduce"), ("fusion.1", "compute", 10, 5),
                ("copy.3", "copy", 20, 5)]
        events = [meta("process_name", 3, 0, "/device:TPU:0"), meta("thread_name", 3, 1, "Steps"),
                  meta("thread_name", 3, 3, "XLA Ops"), meta("thread_name", 3, 4, "Async XLA Ops"),
                  meta("thread_name", 3, 2, "XLA Modules"), meta("process_name", 701, 0, "/host:CPU")]
        events += [span(3, 3, r[0], *r[2:4], cat=None) for r in runs]
        events += [span(3, 4, "copy-start.4", 0, 15, cat=None), span(3, 1, "5", 0, 20, cat=None),
                   span(3, 2, "jit_f(1)", 0, 20, cat=None), span(701, 1, "PjitFunction(f)", 0, 3, cat=None)]
        self.write("log/a.trace.json", json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
        found = truth.parsed(truth.run("ops", self.scratch / "log", "--json"))
        line = self.line(0, 1, "TPU 0", "XLA Ops", runs, "ops")
        line.device = (0, "TPU 0")
        self.check_lines(found, [line])

    def test_kernels_without_a_stream(self):
        event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "ts": 0, "dur": 5, "args": {"device": 0}}
        self.check_lines(self.ask([event]), [self.line(-1, -1, "GPU 0", "no stream", [("k", "compute", 0, 5)])])
        # A thread that is text is a line as any other.
        self.check_lines(self.ask([{**event, "tid": "somewhere"}]),
                         [self.line(0, 0, "GPU 0", "stream somewhere", [("k", "compute", 0, 5)])])

    def test_a_trace_without_spans(self):
        found = self.ask([meta("process_name", 5, 0, "python")])
        self.assertEqual((found["status"], found["lines"]), ("absent", []))
        self.assertNotIn("XSpace", found["reason"])
        self.assertNotIn("XLA", found["reason"])

    def test_a_line_with_just_the_name_wins_over_those_that_contain_it(self):
        events = [e for stream in (70, 7, 17) for e in self.kernels(0, stream, [("k", "compute", stream, 5)])]
        for wanted, kept in (("stream 7", ["stream 7"]), ("7", ["stream 70", "stream 7", "stream 17"]),
                             ("stream 1", ["stream 17"])):
            found = self.ask(events, "--line", wanted)
            self.assertEqual([line["line_name"] for line in found["lines"]], kept)

    def test_filters_of_hosts(self):
        """What is shown is what can be asked for."""
        events = [span(5, 1, "a", 0, 10), span(6, 1, "b", 20, 10), span(6, 2, "a", 20, 10)]
        for option, wanted, kept in (("--plane", "process 6", [("process 6", "thread 1"), ("process 6", "thread 2")]),
                                     ("--line", "thread 1", [("process 5", "thread 1"), ("process 6", "thread 1")])):
            found = self.ask(events, option, wanted)
            self.assertEqual([(line["plane_name"], line["line_name"]) for line in found["lines"]], kept)


class TracesOfAscend(truth.Case):
    """A trace alone, where no table tells of kernels: an op is its type, which its name tells, and its core."""

    def test_it(self):
        rank = ascend.Rank(0)
        rank.process(20, "CANN", "CPU")
        rank.process(1024, "Ascend Hardware", "NPU")
        rank.span(20, 201, "Node@launch", 1_000_000, 500, "runtime")
        runs = [("aclnnMatmul_MatMulCommon_MatMulV2", "AI_CORE", 0, 10), ("aclnnAdd_AddAiCore_Add", "AI_VECTOR_CORE", 10, 5),
                ("MEMCPY_ASYNC", "PCIE_DMA_SQE", 20, 4), ("trans_TransData_0", "AI_VECTOR_CORE", 30, 3),
                ("MEMCPY_ASYNC", "SDMA_SQE", 40, 2), ("aclnnMatmul_MatMulCommon_MatMulV2", "AI_CORE", 50, 6)]
        for name, core, start, size in runs:
            rank.span(1024, 2, name, 2_000_000 + 1000 * start, 1000 * size, "nothing", args={"Task Type": core, "Physic Stream Id": 2})
        self.write("log/trace_view.json", rank.trace())
        found = truth.parsed(truth.run("ops", self.scratch / "log", "--json"))["lines"]
        self.check([[op["name"], op["stats"]["core"], op["count"], op["total_ps"]] for op in found[0]["ops"]],
                   [["MatMulV2", "AI_CORE", 2, 16 * US], ["Add", "AI_VECTOR_CORE", 1, 5 * US],
                    ["MEMCPY_ASYNC", "PCIE_DMA_SQE", 1, 4 * US], ["TransData", "AI_VECTOR_CORE", 1, 3 * US],
                    ["MEMCPY_ASYNC", "SDMA_SQE", 1, 2 * US]])


class Statistics(truth.Case):
    """A table of totals alone: nothing tells when anything ran."""
    ROWS = (("0", "MatMulV3", "AI_CORE", 3, "30.5", "5.5", "10.167", "15"), ("0", "Add", "AI_VECTOR_CORE", 4, "40", "9", "10", "11"),
            ("1", "MatMulV3", "AI_CORE", 2, "7", "3", "3.5", "4"), ("0", "MatMulV3", "MIX_AIC", 1, "1", "1", "1", "1"),
            ("0", "hcom_allReduce_", "HCCL", 2, "40", "10", "20", "30"))

    def setUp(self):
        super().setUp()
        lines = ["Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"]
        lines += [",".join(map(str, (*row, "1.5"))) for row in self.ROWS]
        self.path = self.write("PROF_1/mindstudio_profiler_output/op_statistic_20250101.csv", "\n".join(lines) + "\n")

    def document_lines(self):
        kinds = {"AI_CORE": "compute", "AI_VECTOR_CORE": "compute", "MIX_AIC": "compute", "HCCL": "comm"}
        for device in ("0", "1"):
            rows = [r for r in self.ROWS if r[0] == device]
            written = []
            # Of equal totals the one that the table names first.
            for _, name, core, count, total, *_ in sorted(rows, key=lambda r: -float(r[4])):
                whole = int(float(total) * US)
                # All time is an op's own, and no single run is known.
                written.append(model.row_document(model.Op(name, kinds[core], core=core), count, whole, whole, 0, 0))
            total = sum(w["total_ps"] for w in written)
            yield model.frame_of_line(model.Line(0, -1, -1, f"NPU {device}", "totals of a table", []), len(rows), total, total,
                                      written, 0)

    def test_totals(self):
        found = truth.parsed(truth.run("ops", self.path, "--json"))
        self.check(found["lines"], list(self.document_lines()))
        self.check([found["status"], found["source"], found["damage"]], ["ok", "kernels of traces and tables", []])

    def test_what_needs_times(self):
        """A window of time holds nothing of them; there are no steps; collectives are told."""
        found = truth.parsed(truth.run("steps", self.path, "--json"))
        self.assertEqual((found["status"], found["steps"]), ("absent", []))
        found = truth.parsed(truth.run("collectives", self.path, "--json"))
        self.check([[row["name"], row["category"], row["count"], row["total_ps"]] for row in found["ops"]],
                   [["hcom_allReduce_", "all-reduce", 2, 40 * US]])
        found = truth.parsed(truth.run("ops", self.path, "--json", "--plane", "NPU 1"))
        self.check(found["lines"], list(self.document_lines())[1:])
        self.assertIn("NPU 0", truth.run("report", self.path))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
