"""`profkit collectives` of traces and tables: kernels that communicate, called after what they spell."""
import json
import sys

import trace_model as model
import truth
from trace_case import AscendCase, KinetoCase


class Both:
    def test_all(self):
        self.check(self.ask("collectives"), self.collectives_document(model.collective_rows(self.lines), recorded=self.recorded()))

    def test_filters(self):
        self.check(self.ask("collectives", "--host", "rank1"),
                   self.collectives_document(model.collective_rows([s for s in self.lines if s.file == self.last_file])))
        for name in ("All", "all", "educe", "allReduce__1"):
            rows, recorded = model.collective_rows(self.lines, name=name), self.recorded(name)
            if rows or recorded:
                self.check(self.ask("collectives", "--name", name), self.collectives_document(rows, recorded=recorded))
        windows = self.windows(1)
        self.check(self.ask("collectives", "--step", 1), self.collectives_document(
            model.collective_rows(self.lines, lambda line, run: model.in_window(run, windows[line.file]))))

    def test_limit(self):
        self.check(self.ask("collectives", "--limit", 1), self.collectives_document(model.collective_rows(self.lines), 1, self.recorded()))


class CollectivesOfPyTorch(Both, KinetoCase):
    last_file = 1

    def test_a_device_without_any(self):
        found = self.ask("collectives", "--plane", "GPU 1")
        self.assertEqual((found["status"], found["ops"]), ("absent", []))
        self.assertNotIn("XSpace", found["reason"])


class CollectivesOfAscend(Both, AscendCase):
    last_file = 7

    def test_a_host_that_recorded_waits(self):
        rows = model.collective_rows([s for s in self.lines if s.file != self.last_file])
        self.check(self.ask("collectives", "--host", "rank0"), self.collectives_document(rows, recorded=self.recorded()))

    def test_a_device_without_recorded_waits(self):
        self.assertEqual(self.ask("collectives", "--plane", "NPU 1")["recorded"], [])

    def test_recorded_waits_of_two_ranks(self):
        """Each rank recorded one; of several the limit leaves some out."""
        folder = truth.ROOT / "tests" / "data" / "ascend" / "two_ranks"
        for limit, names, left_out in ((0, ["NPU 0", "NPU 1"], 0), (1, ["NPU 0"], 1)):
            found = truth.parsed(truth.run("collectives", folder, "--json", "--limit", limit))
            self.assertEqual(([row["device"] for row in found["recorded"]], found["recorded_left_out"]), (names, left_out))


class CollectivesOfSmallTraces(truth.Case):
    def ask(self, *kernels, cat="kernel"):
        """(name, start, length, collective's name or None)"""
        events = [{"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": start, "dur": size,
                   "args": {"device": 0, "stream": 7, **({"Collective name": told} if told else {})}}
                  for name, start, size, told in kernels]
        self.write("log/a.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return truth.parsed(truth.run("collectives", self.scratch / "log", "--json"))

    def test_what_they_are_called(self):
        """What the recorder says, else what the name spells, else the library."""
        wanted = [("ncclDevKernel_AllReduce_Sum_f32_RING_LL", None, "all-reduce"),
                  ("ncclDevKernel_Generic", "_allgather_base", "all-gather"),
                  ("ncclDevKernel_Generic_1", "broadcast", "broadcast"),
                  ("ncclDevKernel_Generic_2", None, "nccl"),
                  ("ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclWork*)", None, "reduce-scatter"),
                  ("ncclKernel_SendRecv", "send", "send"),
                  ("ncclDevKernel_SendRecv", None, "send-recv"),
                  ("void vllm::cross_device_reduce_1stage<float, 8>(AllGather)", None, "all-reduce"),
                  ("mscclKernel_x", None, "msccl"),
                  ("plain_kernel", "alltoall", "all-to-all"),
                  ("ncclDevKernel_AllReduce_Sum", "reduce_scatter_tensor", "reduce-scatter")]
        others = [("reduce_kernel", 900, 5, None), ("gemm_allreduce_like", 910, 5, None)]
        found = self.ask(*[(name, 10 * i, 9 - i * 0.5, told) for i, (name, told, _) in enumerate(wanted)], *others)
        self.check([[row["name"], row["category"]] for row in found["ops"]], [[name, is_] for name, _, is_ in wanted])

    def test_one_name_that_is_two_collectives(self):
        """A kernel of one name may run several collectives."""
        found = self.ask(("ncclDevKernel_Generic", 0, 5, "allreduce"), ("ncclDevKernel_Generic", 10, 3, "broadcast"),
                         ("ncclDevKernel_Generic", 20, 4, "allreduce"))
        self.check(found["ops"], [
            {"file": 0, "plane": 0, "line": 0, "name": "ncclDevKernel_Generic", "category": "all-reduce",
             "is_half": False, "on_stream": True, "count": 2, "total_ps": 9_000_000, "min_ps": 4_000_000, "max_ps": 5_000_000},
            {"file": 0, "plane": 0, "line": 0, "name": "ncclDevKernel_Generic", "category": "broadcast",
             "is_half": False, "on_stream": True, "count": 1, "total_ps": 3_000_000, "min_ps": 3_000_000, "max_ps": 3_000_000}])

    def test_a_trace_of_a_host_has_none(self):
        for category in ("cpu_op", "user_annotation"):
            found = self.ask(("c10d::allreduce_", 0, 5, None), ("record_param_comms", 0, 5, None), cat=category)
            self.assertEqual((found["status"], found["ops"], found["async"]), ("absent", [], []))

    def test_collectives_of_planes_of_an_export(self):
        events = [{"ph": "M", "name": "process_name", "pid": 3, "tid": 0, "args": {"name": "/device:TPU:0"}},
                  {"ph": "M", "name": "thread_name", "pid": 3, "tid": 3, "args": {"name": "XLA Ops"}}]
        events += [{"ph": "X", "name": name, "pid": 3, "tid": 3, "ts": start, "dur": size}
                   for name, start, size in (("all-reduce.7", 0, 10), ("fusion.1", 10, 10), ("reduce.3", 20, 9),
                                             ("all-gather-start.2", 30, 1), ("all-gather-done.2", 31, 4))]
        self.write("log/a.trace.json", json.dumps({"displayTimeUnit": "ns", "traceEvents": events}))
        found = truth.parsed(truth.run("collectives", self.scratch / "log", "--json"))
        self.check([[row["name"], row["category"]] for row in found["ops"]],
                   [["all-reduce.7", "all-reduce"], ["all-gather-done.2", "all-gather"], ["all-gather-start.2", "all-gather"]])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
