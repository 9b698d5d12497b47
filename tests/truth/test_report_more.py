#!/usr/bin/env python3
"""`profkit report`, field by field: idle time and who is waited for, memory, evidence of findings, runs; and its brief form."""
import json
import pathlib
import sys

import hlo
import model_run
import proto_writer as proto
import test_memory_questions as programs
import truth
import xspace as x
from test_missing_work import Trace

US = 1_000_000  # ps
ZERO_NS = 1_700_000_000_000_000_000


def report(path, *options, **how):
    return truth.loads(truth.run("report", path, "--json", *options, **how))


class RankCase(truth.Case):
    """A rank of two steps, in µs: of every 1000 from 100 on, compute, then an all-reduce that ends at 700; then nothing until 1100,
    for the host loads data from 710 to 1080 and launches the next kernel after that. The gap lies in both steps: of its 300 in the first
    one the loader has 290, of its 100 in the second one 80. In the 100 before the first kernel the host is on record from 90 to 94 only,
    in the 300 after the last one not at all, and no launch follows."""

    def rank(self, rank, compute, world=2):
        events, correlation = [], 0
        host = {"ph": "X", "pid": 77, "tid": 1}
        for step in (0, 1):
            at = 1000 * step
            events.append({**host, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": at, "dur": 1000})
            if step == 0:
                events.append({**host, "cat": "user_annotation", "name": "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                               "ts": 710, "dur": 370})
            for name, start, length, args in (
                    ("gemm", at + 100, compute, {}),
                    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", at + 100 + compute, 600 - compute, {
                        "Collective name": "allreduce", "In msg nelems": 100, "Out msg nelems": 100, "dtype": "Float", "Group size": world,
                        "Seq": step + 1, "Process Group Name": "0", "Process Group Ranks": json.dumps(list(range(world)))})):
                correlation += 1
                events.append({**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 90 + correlation % 2, "dur": 3,
                               "args": {"correlation": correlation}})
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": length,
                               "args": {"device": 0, "stream": 7, "correlation": correlation, **args}})
        return {"schemaVersion": 1, "baseTimeNanoseconds": ZERO_NS, "traceEvents": events,
                "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world}}


class Ranks(RankCase):
    IDLE = [("data_loader", "proved", 300), ("host_untraced", "possible", 300), ("data_loader", "likely", 100),
            ("host_untraced", "proved", 100)]

    def test_who_is_waited_for(self):
        """Rank 1 computes for longer, whichever file is its own: the other one waits for it in the collective."""
        for names in ("ab", "ba"):
            for rank, compute in ((0, 200), (1, 500)):
                self.write(f"{names}/{names[rank]}.pt.trace.json", json.dumps(self.rank(rank, compute)))
            idle = report(self.scratch / names)["summary"]["idle"]
            whole, row = 2 * 2000, {"cause": None, "certainty": "proved", "gaps": 0}
            self.check(idle, {
                "service_ps": whole * US, "idle_ps": 1600 * US, "not_recorded_ps": 0, "longest_ps": 300 * US, "pattern": truth.Text,
                "leading_cause": {"cause": "data_loader", "certainty": "proved", "time_ps": 800 * US, "share": 0.2},
                "rank_waited_for": 1, "time": [
                    {**row, "use": use, "time_ps": time * US, "share": time / whole, **more} for use, time, more in (
                        ("compute", 2 * (200 + 500), {}), ("exposed_communication", 2 * 300, {"cause": "straggler_wait"}),
                        ("exposed_communication", 2 * (100 + 100), {}),
                        *(("idle", 2 * each, {"cause": cause, "certainty": sure, "gaps": 2}) for cause, sure, each in self.IDLE))]})

    def test_who_is_waited_for_when_nobody_is(self):
        for rank in (0, 1):
            self.write(f"even/{rank}.pt.trace.json", json.dumps(self.rank(rank, 300)))
        idle = report(self.scratch / "even")["summary"]["idle"]
        self.assertIsNone(idle["rank_waited_for"])
        self.assertEqual([(row["use"], row["cause"], row["gaps"], row["time_ps"]) for row in idle["time"]], [
            ("compute", None, 0, 1200 * US), ("exposed_communication", None, 0, 1200 * US),
            *(("idle", cause, 2, 2 * each * US) for cause, _, each in self.IDLE)])

    def test_work_that_is_not_on_record(self):
        """In µs: a kernel of 100 at 100, 600 and 1100; a launch at 200 of which nothing is on record, until 600."""
        trace = Trace()
        for step in (0, 1):
            trace.step(step, 1000 * step, 1000)
            for at in (100, 600):
                trace.kernel("gemm", 1000 * step + at, 100, trace.call("cudaLaunchKernel", 1000 * step + at - 50, 5))
                if (step, at) == (0, 100):
                    trace.call("cudaLaunchKernel", 200, 5)
        idle = report(trace.save(self.scratch / "a.pt.trace.json"))["summary"]["idle"]
        self.assertEqual((idle["service_ps"], idle["not_recorded_ps"], idle["idle_ps"]), (2000 * US, 400 * US, 1200 * US))
        self.assertEqual([(row["use"], row["time_ps"], row["share"]) for row in idle["time"] if row["use"] != "idle"], [
            ("compute", 400 * US, 0.2), ("not_recorded", 400 * US, 0.2)])
        self.assertEqual(sum(row["time_ps"] for row in idle["time"] if row["use"] == "idle"), 1200 * US)



def device(number, *parts):
    return x.plane(number + 1, f"/device:TPU:{number}", x.line(1, "XLA Ops", [x.event(1, 0, 5000)]), x.event_metadata(1, "add"), *parts)


class Memory(truth.Case):
    """A program that keeps 100 bytes and has a pool of 900, of which 420 are used at once; an allocator of the second device."""

    def capture(self, name, allocated, available, kept=100, temp=900, peak=420):
        of = programs.plain("jit_a", kept, temp, peak, 7)
        host = proto.Plane("/host:CPU", 9)
        host.line("t", 0, [host.event("MemoryAllocation", 1000, 0, [
            ("allocator_name", "TPU_1_bfc"), ("addr", 8), ("allocation_bytes", allocated), ("bytes_allocated", allocated),
            ("bytes_available", available)])])
        metadata = x.plane(5, "/host:metadata", x.event_metadata(7, "jit_a(7)", "", [x.stat(1, of.bytes(), "bytes")]),
                           x.stat_metadata(1, "Hlo Proto"))
        return self.write(f"{name}.xplane.pb", x.space(device(0), device(1), metadata, x.message(1, host.bytes())))

    def test_summary(self):
        """The program needs what it keeps and its pool; both agree where they differ by a twentieth of the larger at most."""
        for allocated, agree in ((950, True), (949, False), (1052, True), (1053, False)):
            path = self.capture("a", allocated, 1000)
            self.check(report(path)["summary"]["memory"], {
                "module": "jit_a", "space": "HBM", "needed_bytes": 1000, "device": "TPU:1", "held_bytes": allocated,
                "capacity_bytes": allocated + 1000, "agree": agree})

    def test_what_could_be_won_back(self):
        """More than a tenth of the temporary memory that is never used at once."""
        for peak, won in ((420, 480), (809, 91), (810, None)):
            path = self.capture("b", 500, 1000, peak=peak)
            found = [f for f in report(path)["findings"] if f["id"] == "memory.fragmentation"]
            self.assertEqual([(f["certainty"], f["recoverable_bytes"], f["recoverable_ps"]) for f in found],
                             [("proved", won, None)] if won else [])


class Evidence(truth.Case):
    def test_where_damage_stands(self):
        """In the second file, where its second plane begins."""
        first, second = device(0), device(1)
        self.write("run/a.xplane.pb", x.space(device(0), hostnames=["anna"]))
        path = self.write("run/b.xplane.pb", (first + second)[:-3])
        found = report(self.scratch / "run", status=5)
        finding, = (f for f in found["findings"] if f["id"].startswith("damage."))
        self.check({key: finding[key] for key in ("id", "certainty", "where", "recoverable_ps", "recoverable_bytes")}, {
            "id": "damage.damaged", "certainty": "proved", "where": str(path), "recoverable_ps": None, "recoverable_bytes": None})
        self.check(finding["evidence"], [{"file": 1, "plane": -1, "line": -1, "start_ps": None, "end_ps": None, "row": None,
                                          "byte_offset": len(first), "note": ""}])

    def test_who_was_recorded(self):
        """Where the file does not say it, it is what the file is called, which may have been changed of a single one."""
        for hostnames, name in (((), "b"), (("anna",), "anna")):
            path = self.write("b.xplane.pb", x.space(device(0), hostnames=hostnames))
            self.check(report(path)["summary"]["hosts"], [{"name": name, "from_file_name": not hostnames}])


class Brief(truth.Case):
    def test_document(self):
        """Of two runs one is asked for: they are listed, the newest first, as their names say. It has what the whole report begins with."""
        for run, error in (("2024_01_02", "lost"), ("2024_03_01", "slow")):
            self.write(f"log/plugins/profile/{run}/a.xplane.pb", x.space(device(0), errors=[error]))
        path = self.scratch / "log"
        for chosen, error, options in (("2024_03_01", "slow", ()), ("2024_01_02", "lost", ("--run", "2024_01_02"))):
            found = truth.loads(truth.run("report", path, "--brief", "--json", *options))
            self.assertEqual([(row["name"], row["path"], row["chosen"]) for row in found["runs"]], [
                (run, f"{path}/plugins/profile/{run}", run == chosen) for run in ("2024_03_01", "2024_01_02")])
            self.assertEqual([f["what"] for f in found["findings"]], [f"The recorder reported an error: {error}"])
            self.assertEqual((found["complete"], len(found["reasons"]), found["model"]), (False, 1, None))
            self.assertIn(error, found["reasons"][0])
            self.check(found["summary"]["ops"]["top"], [{
                "short_name": "add", "name": "add", "program": None, "category": None, "count": 1, "total_ps": 5000, "self_ps": 5000,
                "flops": None, "bytes": None}])
            asked = f"{path} --run {chosen}"
            more = [(row["command"].removeprefix("profkit "), row["why"]) for row in found["more"]]
            self.assertEqual(more[:3], [
                (f"report {asked} --json", "all parts, 1 MB at most"), (f"report {asked} --json --limit 0", "everything"),
                (f"explain {asked} incomplete.recorder_error --json", "the first finding, with its evidence and what happened around it")])
            self.assertIn((f"ops {asked} --json", "every op of every line"), more)
            self.assertNotIn(f"steps {asked} --json", [command for command, _ in more])  # there is none
        sound = self.write("sound.xplane.pb", x.space(device(0)))
        found = truth.loads(truth.run("report", sound, "--brief", "--json"))
        self.assertEqual((found["complete"], found["reasons"], found["runs"], found["events_checked"]), (True, [], [], "all"))
        self.assertNotIn("limited", found)
        commands = lambda found: [row["command"].split()[1] for row in found["more"]]
        self.assertNotIn("memory", commands(found))  # nothing in it speaks of that
        copy = hlo.instruction(1, "a", "copy", hlo.shape(hlo.F32, [4]))
        program = self.write("m.hlo_proto.pb", hlo.module("m", 1, hlo.computation(1, "main", copy)))
        self.assertIn("memory", commands(truth.loads(truth.run("report", program, "--brief", "--json"))))

    def test_lists_that_are_cut(self):
        """Five of each, of devices and of ops."""
        path = self.write("many.xplane.pb", x.space(*(x.plane(
            n + 1, f"/device:TPU:{n}", x.line(1, "XLA Ops", [x.event(i + 1, 100 * i, 10 + n) for i in range(6)]),
            *(x.event_metadata(i + 1, f"op.{i}") for i in range(6))) for n in range(7))))
        found = truth.loads(truth.run("report", path, "--brief", "--json"))
        self.assertEqual([row["plane_name"] for row in found["summary"]["busy_lines"]], [f"/device:TPU:{n}" for n in range(5)])
        self.assertEqual([row["name"] for row in found["summary"]["ops"]["top"]], [f"op.{n}" for n in range(5)])
        self.check(found["limited"], truth.limited(5, ("summary.busy_lines", 5, 7), ("summary.ops.top", 5, 6)))

    def test_what_model_ran(self):
        """One sentence, that of `architecture`."""
        self.write("one_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", model_run.described().rank.table())
        path = self.scratch / "one_ascend_pt"
        sentences = json.loads((pathlib.Path(__file__).parent / "expected" / "architecture.json").read_text(encoding="utf-8"))
        found = truth.loads(truth.run("report", path, "--brief", "--json"))
        self.assertEqual(found["model"], sentences["summary"])



class Explain(RankCase):
    """One rank alone, whose second thread does something else in the gap."""
    REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
    LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

    def setUp(self):
        super().setUp()
        document = self.rank(0, 200, world=1)
        document["traceEvents"] += [
            {"ph": "M", "name": "thread_name", "pid": 77, "tid": 1, "args": {"name": "main"}},
            {"ph": "M", "name": "thread_name", "pid": 77, "tid": 2, "args": {"name": "side"}},
            {"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 77, "tid": 2, "ts": 650, "dur": 200, "args": {}}]
        self.path = self.write("a.pt.trace.json", json.dumps(document))

    def ask(self, *which):
        return truth.loads(truth.run("explain", self.path, *which, "--json"))

    WHAT = [  # of 2000 us in two steps: two all-reduces of 400, gaps of 800; the leading cause, what is sure, then by what could be won back
        ("bubbles.cause.exposed_comm", "proved",
         "no compute hides the communication, in 2 steps (g0): 800.000 us, 40.0 % of the time in 2 steps"),
        ("bubbles.idle", "proved", "the device waits 40.0 % of the time in 2 steps (g0), mostly tail gaps"),
        # 300 of its 400 us are proved, less than nine tenths.
        ("bubbles.cause.data_loader", "likely",
         "Likely cause: the host waits for the next batch, in 2 steps (g0): 2 gaps, 400.000 us together, 50.0 % of the idle time")]

    def test_all(self):
        self.check(self.ask(), {
            "schema": "profkit.explain", "version": 1, "status": "ok", "reason": None, "path": str(self.path), "finding": None,
            "neighbours": [], "more": [], "events_checked": "all", "damage": [],
            "findings": [{"id": name, "certainty": sure, "what": what} for name, sure, what in self.WHAT]})

    def test_one(self):
        """Two kernels before the gap and two after it, on their stream; of the host what covers most of it first, on its threads."""
        found = self.ask("bubbles.cause.data_loader")
        self.check({key: value for key, value in found.items() if key != "finding"}, {
            "schema": "profkit.explain", "version": 1, "status": "ok", "reason": None, "path": str(self.path), "damage": [],
            "events_checked": "all", "findings": [{"id": name, "certainty": sure} for name, sure, _ in self.WHAT],
            "more": [{"command": f"profkit bubbles {self.path}", "why": "all gaps, with their causes"},
                     {"command": f"profkit tree {self.path} --time 700000000ps:1000000000ps", "why": "every event of that time"}],
            "neighbours": [{"position": position, "is_host": on != "stream 7", "on": on, "name": name, "start_ps": start * US,
                            "duration_ps": length * US} for position, on, name, start, length in (
                                ("before", "stream 7", "gemm", 100, 200), ("before", "stream 7", self.REDUCE, 300, 400),
                                ("after", "stream 7", "gemm", 1100, 200), ("after", "stream 7", self.REDUCE, 1300, 400),
                                ("during", "main", self.LOADER, 710, 370), ("during", "side", "aten::copy_", 650, 200))]})
        self.assertEqual((found["finding"]["id"], found["finding"]["certainty"], found["finding"]["recoverable_ps"]),
                         ("bubbles.cause.data_loader", "likely", 400 * US))
        self.assertEqual([(e["file"], e["start_ps"], e["end_ps"]) for e in found["finding"]["evidence"]], [(0, 700 * US, 1000 * US)])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
