#!/usr/bin/env python3
"""Ranks of Ascend with two of everything, of which all that is read is worked out here.

The rank of a folder is said by four; its table has three devices, names on two cores, collectives that stand there twice, times in two
units, arrows to one moment and operators whose arrows cannot be told apart; a second rank begins three seconds later, a third has totals
alone. Besides: a table that was cut in two on a clock of its own, and kernels that only the trace has.

test_twice_ascend.py ACTIVITY_DUMP
"""
import json
import sys

import twice

SECOND = 1_000_000_000
ZERO = 1_764_246_877 * SECOND  # ns: the first second of the capture
US = 1000
COLUMNS = ("Step Id,Device_id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(ns),Block Dim,"
           "Input Shapes,Input Data Types,Output Shapes,Output Data Types,aic_mac_ratio")
CLASSES = {"AI_CORE": "compute", "AI_VECTOR_CORE": "compute", "AI_CPU": "aicpu", "HCCL": "comm"}


def micros(ns):
    return f"{ns // US}.{ns % US:03}"


class Table:
    """Rows as text, and what is read of them. `zero` is where the clock of the capture begins."""

    def __init__(self, zero=ZERO, header=COLUMNS):
        self.zero, self.lines, self.rows = zero, [header], {}

    def kernel(self, device, name, op_type, core, start, duration, stream=2, step="", wait=None, shapes="", types="", out="", ratio="0.0",
               written=None, **more):
        at = [step, device, len(self.lines), "N/A" if stream is None else stream, name, op_type, core, written or micros(start), micros(duration),
              "N/A" if wait is None else wait, 24, f'"{shapes}"' if shapes else "N/A", types or "N/A", f'"{out}"' if out else "N/A",
              types or "N/A", ratio]
        self.lines.append(",".join(map(str, at)))
        self.rows.setdefault(device, []).append(twice.row(
            name, (start - self.zero) * 1000, duration * 1000, len(self.lines), op_type=op_type, core=core, step=step.removesuffix(".0"),
            wait_ps=None if wait is None else wait * 1000, stream=stream,
            **{"kind": CLASSES[core], "flags": ["on_aicpu"] if core == "AI_CPU" else [],
               "details": twice.details(block_dim=24), **more}))
        return self.rows[device][-1]

    def text(self):
        return "\n".join(self.lines) + "\n"

    def device(self, ordinal, name, plane, **more):
        rows = self.rows[ordinal]
        streams = list(dict.fromkeys(r["stream"] for r in rows if r["stream"] is not None))
        return twice.device(name, "npu", sorted(rows, key=lambda r: (r["start_ps"], r["duration_ps"], r["source_row"])),
                            [twice.stream(s, plane, line, f"Stream {s}") for line, s in enumerate(streams, 1)], ordinal=ordinal,
                            **{"has_waits": any(r["wait_ps"] is not None for r in rows),
                               "has_launches": any(r["launch_ps"] is not None for r in rows), **more})


class Trace:
    def __init__(self, zero=ZERO):
        self.zero, self.events, self.threads, self.spans, self.markers, self.lines, self.names = zero, [], {}, [], [], {}, {}
        self.planes, self.tracks = {}, {}

    def process(self, pid, name):
        self.planes.setdefault(pid, len(self.planes))
        self.names[pid] = name
        self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})

    def thread_name(self, pid, tid, name):
        self.place(pid, tid)
        self.names[pid, tid] = name
        self.thread(pid, tid)
        self.events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}})

    def place(self, pid, tid):
        of = self.tracks.setdefault(pid, {})
        of.setdefault(tid, len(of))

    def thread(self, pid, tid):
        return self.threads.setdefault((pid, tid), len(self.threads))

    def add(self, use, name, pid, tid, start, duration, cat=None, args=None):
        self.place(pid, tid)
        event = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": micros(start), "dur": duration / US, "args": args or {}}
        self.events.append({**event, "cat": cat} if cat else event)
        line = self.lines.setdefault((pid, tid), {"uses": {}, "sum": 0, "times": []})
        line["uses"][use] = line["uses"].get(use, 0) + 1
        line["sum"] += duration
        line["times"] += [start, start + duration]
        self.thread(pid, tid)
        return len(self.events) - 1

    def span(self, kind, name, pid, tid, start, duration, cat=None, args=None, use=None):
        at = self.add(use or ("op" if kind == "op" else "span"), name, pid, tid, start, duration, cat, args)
        self.spans.append({"name": name, "kind": kind, "start_ps": (start - self.zero) * 1000, "duration_ps": duration * 1000, "source_row": at,
                           "thread": self.thread(pid, tid)})

    def step(self, name, pid, tid, start, duration):
        self.add("step", name, pid, tid, start, duration, "cpu_op")
        self.markers.append(twice.marker(name, int(name.split("#")[1]), (start - self.zero) * 1000, (start + duration - self.zero) * 1000,
                                         "profiler_step", thread=self.thread(pid, tid)))

    def arrow(self, name, number, begin, end):
        """`begin` and `end`: pid, thread, time; an end that is None is not there."""
        ident = {"cat": name if name == "HostToDevice" else "async_npu", "id": str(number), "name": name + ("" if name == "torch_to_npu" else str(number))}
        for ph, at in (("s", begin), ("f", end)):
            if at is not None:
                self.events.append({"ph": ph, **ident, "pid": at[0], "tid": at[1], "ts": micros(at[2])})

    def read_threads(self, system):
        return [{"file": 0, "plane": self.planes[pid], "line": self.tracks[pid][tid], "process": f"{self.names[pid]} {pid}",
                 "name": self.names.get((pid, tid), f"thread {tid}"), "system_thread": tid if self.names[pid] in system else None}
                for pid, tid in self.threads]

    def read_lines(self, file):
        return [{"file": file, "plane": self.planes[pid], "line": self.tracks[pid][tid], "plane_name": self.names[pid],
                 "line_name": self.names.get((pid, tid), ""), "plane_type": "other", "line_type": "other", "id": tid, **line["uses"],
                 "duration_sum_ps": line["sum"] * 1000, "first_ps": (min(line["times"]) - self.zero) * 1000,
                 "last_ps": (max(line["times"]) - self.zero) * 1000} for (pid, tid), line in self.lines.items()]


def launched(begin, end, thread):
    return {"launch_ps": (begin - ZERO) * 1000, "launch_end_ps": None if end is None else (end - ZERO) * 1000, "launch_thread": thread}


def by_op(name, outer=None, **more):
    return {"op": name, "outer_op": outer or name, "phase": "forward", **more}


def times(start_ns, elapsed, transit, wait):
    return {"Communication Time Info": {"Start Timestamp(us)": start_ns / US, "Elapse Time(ms)": elapsed, "Transit Time(ms)": transit,
                                        "Wait Time(ms)": wait}}


def told(step, op, group, start, elapsed, transit, wait, collective, device=0):
    return {"step": step, "op": op, "group": group, "start_ps": (start - ZERO) * 1000, "elapsed_ps": elapsed * 1000, "transit_ps": transit * 1000,
            "wait_ps": wait * 1000, "device": device, "collective": collective}


STEP_TRACE = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Preparing\n"
NAMED = ("computing_ps", "exposed_ps", "overlapped_ps", "communication_ps", "free_ps", "stage_ps", "preparing_ps")


def step_trace(device, step, numbers, index):
    *first, preparing = numbers
    return (",".join(map(str, (device, step, *first, "0.0", preparing))) + "\n",
            {"device": index, "step": step.removesuffix(".0"), **{name: round(n * 1_000_000) for name, n in zip(NAMED, numbers)}})


def one():
    """The table and the trace of the first rank."""
    table, trace = Table(), Trace()
    at = ZERO + 100_000_000
    mm = {"shapes": "4,8;8,2", "types": "FLOAT16;FLOAT16", "out": "4,2"}
    # The first kernel of a step ends last. Only its start has ns.
    long = table.kernel(0, "aclnnA_Op", "Op", "AI_CORE", at + 123, 500_000, step="1.0", wait=1_500)
    table.kernel(0, "aclnnA_Op", "Op", "AI_CPU", at + 100_000, 10_000, stream=3, step="1")
    table.kernel(0, "aclnnA_Op", "Op", "AI_CORE", at + 200_000, 10_000, stream=4, step="2.0", wait=2_000)
    # Equal shapes on two devices; what the counters say is by time.
    for device in (0, 1):
        shared = twice.details(input_shapes="4,8;8,2", output_shapes="4,2", input_dtypes="FLOAT16;FLOAT16", block_dim=24,
                               counters={"aic_mac_ratio": (0.5 + 3 * 0.25) / 4})
        for n, (took, ratio) in enumerate(((100_000, "0.5"), (300_000, "0.25"))):
            table.kernel(device, "aclnnB_Other", "Other", "AI_CORE", at + 1_000_000 + 500_000 * n, took, ratio=ratio, details=shared, **mm)
    # The same collective twice: that without a stream is left out, whichever comes first; of two with streams the second.
    for name, at_ns, streams, dropped in (("hcom_allReduce__123_0_1", 2_000_000, (None, 46), 0), ("hcom_allReduce__123_1_1", 2_300_000, (46, None), 1),
                                          ("hcom_allReduce__123_2_1", 2_600_000, (46, 47), 1)):
        for n, stream in enumerate(streams):
            table.kernel(0, name, "hcom_allReduce_", "HCCL", at + at_ns, 200_000, stream=stream, flags=["duplicate"] if n == dropped else [])
    # Arrows to one moment: each kernel has that of its stream, the third stream has none and takes the first.
    for stream, begin in ((2, 2_900_000), (19, 2_910_000), (5, 2_900_000)):
        table.kernel(0, f"aclnnC_On{stream}", f"On{stream}", "AI_VECTOR_CORE", at + 3_000_000, 5_000, stream=stream,
                     **launched(at + begin, at + begin + (3_000 if begin == 2_900_000 else 6_000), 0))
    # Operators of a device whose table has no shapes: of two kernels that last as long the first stands for the operator.
    plain = {"input_shapes": "4,8;8,2", "input_dtypes": "float;float"}
    work = {"flops": 2 * 4 * 8 * 2, "bytes": 4 * (4 * 8 + 8 * 2 + 4 * 2)}
    for n, known in enumerate((work, {})):
        table.kernel(2, "aclnnD_Mm", "Mm", "AI_CORE", at + 4_000_000 + 100_000 * n, 50_000, **by_op("aten::mm", "aten::linear"),
                     details=twice.details(**plain, block_dim=24, **known))
    # A device whose table has shapes keeps to them.
    table.kernel(0, "aclnnE_E", "E", "AI_CORE", at + 4_200_000, 5_000, **by_op("custom::e"))
    # Who issued it is not known: two arrows of one number, two arrows to one kernel, two kernels at one moment of one stream.
    table.kernel(0, "aclnnF_TwoStarts", "TwoStarts", "AI_CORE", at + 4_300_000, 5_000)
    table.kernel(0, "aclnnG_TwoArrows", "TwoArrows", "AI_CORE", at + 4_400_000, 5_000)
    for n in (0, 1):
        table.kernel(0, "aclnnH_TwoKernels", "TwoKernels", "AI_CORE", at + 4_500_000, 5_000 + 1_000 * n)
    # The framework's thread issued what another thread passes on; the call is the shortest around that moment.
    table.kernel(0, "aclnnI_PassedOn", "PassedOn", "AI_CORE", at + 4_600_000, 5_000, **launched(at + 4_550_000, at + 4_560_000, 2), **by_op("custom::i"))
    table.kernel(0, "aclnnJ_Last", "Last", "AI_CORE", at + 5_000_000, 5_000, written=str((at + 5_000_000) // US))
    # ---- the trace ----
    for pid, name in ((20, "CANN"), (10, "Python"), (1024, "Ascend Hardware"), (1088, "HCCL")):
        trace.process(pid, name)
    # Calls of one start; the same thread of the system is shown by Python as well.
    for begin, calls in ((2_899_000, (4_000, 9_000)), (2_909_000, (7_000,))):
        for took in calls:
            trace.span("runtime", "AscendCL@aclrtLaunchKernel" if took < 9_000 else "Node@launch", 20, 201, at + begin, took)
    trace.span("annotation", "forward", 10, 201, at + 2_800_000, 50_000, "user_annotation")
    trace.step("ProfilerStep#1", 10, 101, at - 1_000, 2_000_000)
    trace.step("ProfilerStep#2", 10, 101, at + 2_000_000, 4_000_000)
    dims = {"Input Dims": "4,8;\r\n8,2", "Input type": "float;float"}
    trace.span("op", "aten::linear", 10, 101, at + 3_500_000, 100_000, "cpu_op", {**dims, "Sequence number": 3})
    trace.span("op", "aten::mm", 10, 101, at + 3_510_000, 50_000, "cpu_op", dims)
    for name, begin in (("custom::e", 3_700_000), ("custom::f", 3_800_000), ("custom::g", 3_900_000), ("custom::h", 4_100_000)):
        trace.span("op", name, 10, 101, at + begin, 50_000, "cpu_op", {"Input Dims": "7", "Input type": "float"})
    trace.span("op", "custom::i", 10, 102, at + 4_530_000, 20_000, "cpu_op")
    trace.span("runtime", "Node@launch", 20, 202, at + 4_540_000, 40_000)
    trace.span("runtime", "AscendCL@aclrtLaunchKernel", 20, 202, at + 4_545_000, 15_000)
    for row in (r for rows in table.rows.values() for r in rows):
        if row["core"] != "HCCL":
            trace.add("elsewhere", row["name"], 1024, row["stream"], row["start_ps"] // 1000 + ZERO, row["duration_ps"] // 1000,
                      args={"Task Type": row["core"]})
    number = iter(range(100))
    for stream, begin in ((19, 2_910_000), (2, 2_900_000)):
        trace.arrow("HostToDevice", next(number), (20, 201, at + begin), (1024, stream, at + 3_000_000))
    trace.arrow("HostToDevice", next(number), (20, 202, at + 4_550_000), (1024, 2, at + 4_600_000))
    def issue(begin, end, ident=None, tid=101, stream=2):
        trace.arrow("torch_to_npu", next(number) if ident is None else ident, None if begin is None else (10, tid, at + begin),
                    None if end is None else (1024, stream, at + end))
    issue(3_520_000, 4_000_000)
    issue(3_530_000, 4_100_000)
    issue(3_710_000, 4_200_000)
    issue(3_810_000, 4_300_000, 900)
    issue(3_820_000, None, 900)
    issue(3_910_000, 4_400_000)
    issue(3_920_000, 4_400_000)
    issue(4_110_000, 4_500_000)
    issue(4_535_000, 4_600_000, tid=102)
    # The shortest calls at those moments; the thread goes by the first number that shows it.
    numbers = {"201": trace.threads[20, 201], "102": trace.threads[10, 102]}
    for rows in table.rows.values():
        for r in rows:
            if r["launch_thread"] is not None:
                r["launch_thread"] = numbers["102" if r["launch_thread"] == 2 else "201"]
    assert long["start_ps"] % 1_000_000
    return table, trace, at


class Everything(twice.Case):
    def test_three_ranks(self):
        table, trace, at = one()
        later = ZERO + 3 * SECOND
        other = Table()
        for n, step in enumerate(("5", "5")):
            other.kernel(0, "aclnnA_Op", "Op", "AI_CORE", later + 500_000_000 + 1_000_000 * n, 20_000, step=step, written=f"{(later + 500_000_000) // US + 1000 * n}.5")
            other.rows[0][-1]["start_ps"] += 500_000
        config = {"common_config": {"with_stack": True, "record_shapes": False}, "experimental_config": {"_profiler_level": "Level1"}}
        groups = {"a": {"group_name": "tp", "global_ranks": [0, 1]}, "b": {"group_name": "dp", "global_ranks": [0, 2, 4]}}
        rows, checks = zip(*(step_trace(device, step, [device + n / 4 for n in range(7)], index)
                             for device, step, index in ((2, "1.0", 2), (0, "2.0", 0), (9, "1.0", None))))
        of_other, other_check = step_trace(0, "5", [2.5] * 7, 3)
        files = {
            "rank8_ascend_pt/profiler_info_5.json": json.dumps({"rank_id": 6, "config": config}),
            "rank8_ascend_pt/profiler_metadata.json": json.dumps({
                "distributed_args": {"tensor_model_parallel_size": 2, "rank": 7, "sequence_parallel": True}, "parallel_group_info": groups}),
            "rank8_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": table.text(),
            "rank8_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json": json.dumps(trace.events),
            "rank8_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json": json.dumps({
                "step1": {"p2p": {"hcom_send__9_0_1@g9": times(at, 0.5, 0.25, 0.125)},
                          "collective": {"hcom_allReduce__123_0_1@g1@x": times(at + 2_000_000, 0.2, 0.1, 0.05), "Total Op Info": times(at, 9, 9, 9)}},
                "step2": {"mixed": {"hcom_allReduce__123_1_1@g1@x": times(at + 2_300_000, 0.2, 0.125, 0.0625)}}}),
            "rank8_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": STEP_TRACE + "".join(rows),
            "rank9_ascend_pt/profiler_metadata.json": json.dumps({"distributed_args": {"rank": 4}}),
            "rank9_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": other.text(),
            "rank9_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json": json.dumps([
                {"collective_name": "hcom_flat", "start_timestamp_us": (later + 500_100_000) / US, "elapse_time_us": 100.5, "wait_time_us": 20.25,
                 "transit_time_us": 30.125}]),
            "rank9_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": STEP_TRACE + of_other,
            "rank2_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv":
                "Device_id,OP Type,Core Type,Count,Total Time(us)\n0,Add,AI_CORE,2,10.5\n0,Add,AI_VECTOR_CORE,3,20\n0,Add,AI_CORE,4,1.25\n"
                "1,Add,AI_CORE,5,2\n",
        }
        for name, text in files.items():
            self.write("run/" + name, text)
        # Of each rank, in the order of the folders: its settings, its tables.
        listed = ["rank2_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv", *(f for f in sorted(files) if f.startswith("rank8")),
                  *(f for f in sorted(files) if f.startswith("rank9"))]
        listed.sort(key=lambda f: (f.split("/")[0], "OUTPUT" in f))
        file = {name.replace("ASCEND_PROFILER_OUTPUT/", ""): n for n, name in enumerate(listed)}
        sizes = [["tensor_model_parallel_size", 2], ["sequence_parallel", 1], ["group tp", 2], ["group dp", 3]]
        of_first = {"rank": 6, "file": file["rank8_ascend_pt/kernel_details.csv"], "host_group": 1, "recorded_stacks": True, "recorded_shapes": False,
                    "parallel_sizes": sizes}
        totals = {0: [twice.total("Add", "AI_CORE", "compute", 6, 11_750_000), twice.total("Add", "AI_VECTOR_CORE", "compute", 3, 20_000_000)],
                  1: [twice.total("Add", "AI_CORE", "compute", 5, 2_000_000)]}
        devices = [twice.device(f"NPU {n} of rank 2", "npu", [], [], ordinal=n, rank=2, totals=totals[n], file=0) for n in (0, 1)] + [
            table.device(0, "NPU 0 of rank 6", 0, has_shapes=True, **of_first), table.device(1, "NPU 1 of rank 6", 1, has_shapes=True, **of_first),
            table.device(2, "NPU 2", 2, **of_first),
            other.device(0, "NPU 0 of rank 4", 0, rank=4, file=file["rank9_ascend_pt/kernel_details.csv"], host_group=2,
                         timestamp_resolution_ps=250_000)]
        def step(name, device, group, of):
            return twice.marker(name, int(name), min(r["start_ps"] for r in of), max(r["start_ps"] + r["duration_ps"] for r in of), "step_id",
                                device=device, host_group=group)
        markers = [{**m, "host_group": 1} for m in trace.markers]
        markers += [step(name, 2, 1, [r for r in table.rows[0] if r["step"] == name]) for name in ("1", "2")]
        markers += [step("5", 5, 2, other.rows[0])]
        kernels = sum(map(len, table.rows.values()))
        alone = sum(r["launch_ps"] is None for rows_of in table.rows.values() for r in rows_of)
        recorder = {"writer": "ascend", "recorder": "torch_npu or msprof (Ascend)"}
        hosts = [twice.host([], **recorder), twice.host(sorted(trace.spans, key=lambda s: (s["start_ps"], s["source_row"])), **recorder,
                                                        file=file["rank8_ascend_pt/kernel_details.csv"], launches=[3, 0, 0]),
                 twice.host([], **recorder, file=file["rank9_ascend_pt/kernel_details.csv"])]
        system = {"Python", "CANN"}
        def taken(variant, name, count, **more):
            return twice.taken(variant, count, file=file[name], **more)
        inputs = [
            taken("op_statistic", "rank2_ascend_pt/op_statistic.csv", 4, notes=["no column of start times: ops are totals, so idle time is not known"]),
            taken("profiler_info", "rank8_ascend_pt/profiler_info_5.json", 2, notes=["profiler_level=Level1",
                  f"{alone} of {kernels} kernels have no launch in the trace: who launched them is unattributed"]),
            taken("profiler_metadata", "rank8_ascend_pt/profiler_metadata.json", 2, notes=[
                "tensor_model_parallel_size=2", "rank=7", "sequence_parallel=true", "group tp=[0, 1]", "group dp=[0, 2, 4]"]),
            taken("kernel_details 2025", "rank8_ascend_pt/kernel_details.csv", kernels),
            taken("trace_view.json", "rank8_ascend_pt/trace_view.json", len(trace.events)),
            taken("communication.json", "rank8_ascend_pt/communication.json", 3),
            taken("step_trace_time", "rank8_ascend_pt/step_trace_time.csv", 3),
            taken("profiler_metadata", "rank9_ascend_pt/profiler_metadata.json", 1, notes=[
                "rank=4", "there is no profiler_info*.json: the collection was not stopped properly"]),
            taken("kernel_details 2025", "rank9_ascend_pt/kernel_details.csv", 2),
            taken("communication.json", "rank9_ascend_pt/communication.json", 1),
            taken("step_trace_time", "rank9_ascend_pt/step_trace_time.csv", 1)]
        threads = [{**t, "file": file["rank8_ascend_pt/trace_view.json"]} for t in trace.read_threads(system)]
        self.check(self.dump(self.scratch / "run"), {
            "origin_unix_ns": str(ZERO), "devices": devices, "hosts": hosts, "threads": threads, "markers": markers,
            "communication": [told("1", "hcom_send__9_0_1", "g9", at, 500_000, 250_000, 125_000, False, 2),
                              told("1", "hcom_allReduce__123_0_1", "g1@x", at + 2_000_000, 200_000, 100_000, 50_000, True, 2),
                              told("2", "hcom_allReduce__123_1_1", "g1@x", at + 2_300_000, 200_000, 125_000, 62_500, True, 2),
                              told("", "hcom_flat", "", later + 500_100_000, 100_500, 30_125, 20_250, True, 5)],
            "step_trace": [{**checks[0], "device": 4}, {**checks[1], "device": 2}, {**other_check, "device": 5}],
            "lines": trace.read_lines(file["rank8_ascend_pt/trace_view.json"]), "operator_calls": [], "inputs": inputs})

    def test_a_table_in_two(self):
        """On the device's own clock: the second goes by that of the first, as does what is told of communication."""
        begin = 2_000 * SECOND
        header = "Device_id,Model Name,Op Name,OP Type,Task Type,Task ID,Stream ID,Task Start Time(us),Task Duration(us),Task Wait Time(us)"
        rows = {0: [], 1: []}
        texts = {}
        for part, (device, zero) in enumerate(((0, begin), (1, begin + 3 * SECOND))):
            at = zero + 250_000_125
            texts[f"op_summary_{part}.csv"] = f"{header}\n{device},m,Op_{part},Op,AI_CORE,1,2,{micros(at)},12.5,3\n"
            rows[device].append(twice.row(f"Op_{part}", (at - begin) * 1000, 12_500_000, 2, op_type="Op", core="AI_CORE", stream=2, wait_ps=3_000_000))
        texts["communication.json"] = json.dumps({"step": {"collective": {"hcom_x@g": times(begin + 300_000_000, 1, 0.5, 0.25)}}})
        for name, text in texts.items():
            self.write("rank3_ascend_pt/mindstudio_profiler_output/" + name, text)
        devices = [twice.device(f"NPU {n}", "npu", rows[n], [twice.stream(2, 0 if n == 0 else None, 1 if n == 0 else None, "Stream 2")], ordinal=n, rank=3,
                                has_waits=True, file=1) for n in (0, 1)]
        notes = ['no column "Input Shapes": changing shapes cannot be seen', 'no column "aic_mac_ratio": nothing is said of what bounds an op']
        missing = ["Input Shapes", "aic_mac_ratio"]
        inputs = [twice.taken("op_summary", 1, file=n, notes=notes, missing_columns=missing) for n in (1, 2)]
        found = self.dump(self.scratch / "rank3_ascend_pt")
        self.check(found, {
            "devices": devices, "hosts": [twice.host([], writer="ascend", recorder="torch_npu or msprof (Ascend)", file=1)], "threads": [], "markers": [],
            "communication": [{"step": "", "op": "hcom_x", "group": "g", "start_ps": 300_000_000_000, "elapsed_ps": 1_000_000_000,
                               "transit_ps": 500_000_000, "wait_ps": 250_000_000, "device": 0, "collective": True}],
            "step_trace": [], "lines": [], "operator_calls": [], "inputs": [*inputs, twice.taken("communication.json", 1)]})

    def test_kernels_of_the_trace_alone(self):
        """Groups have a line of whole operations; their planes repeat them, whatever they are called."""
        t = Trace()
        for pid, name in ((1026, "Ascend Hardware"), (1090, "HCCL"), (20, "CANN")):
            t.process(pid, name)
        t.thread_name(1090, 3, "Group 0 Communication")
        t.thread_name(1090, 4, "Plane 0")
        at = ZERO + 5_000_000
        rows = []
        def kernel(use, pid, tid, name, start, took, task="", **more):
            row = t.add(use, name, pid, tid, at + start, took, args={"Task Type": task} if task else {})
            if use == "kernel":
                rows.append(twice.row(name, (at + start - ZERO) * 1000, took * 1000, row, core=task or "HCCL", **more))
        kernel("kernel", 1026, 7, "MatMul_12", 0, 10_000, "AI_CORE", op_type="MatMul", stream=7)
        kernel("kernel", 1026, 8, "MatMul_13", 20_000, 10_000, "AI_CPU", op_type="MatMul", stream=8, kind="aicpu", flags=["on_aicpu"])
        kernel("device_wait", 1026, 7, "Notify_Wait", 40_000, 10_000, "Notify Wait")
        kernel("kernel", 1090, 3, "hcom_allReduce__1_0_1", 50_000, 30_000, op_type="hcom_allReduce_", kind="comm")
        kernel("repeated", 1090, 4, "hcom_allReduce__1_0_1", 51_000, 10_000)
        for name, tid, start, took, pid in (("Notify_Wait", 7, 40_000, 10_000, 1026), ("hcom_allReduce__1_0_1", 3, 50_000, 30_000, 1090),
                                            ("hcom_allReduce__1_0_1", 4, 51_000, 10_000, 1090)):
            source = next(i for i, e in enumerate(t.events) if e["name"] == name and e["tid"] == tid and e["ph"] == "X")
            t.spans.append({"name": name, "kind": "device_marker", "start_ps": (at + start - ZERO) * 1000, "duration_ps": took * 1000,
                            "source_row": source, "thread": t.thread(pid, tid)})
        t.span("runtime", "AscendCL@x", 20, 9, at, 1_000)
        self.write("rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", json.dumps(t.events))
        device = twice.device("NPU 2", "npu", rows, [twice.stream(s, t.planes[1026], n, f"Stream {s}") for n, s in enumerate((7, 8))], ordinal=2, rank=1)
        self.check(self.dump(self.scratch / "rank1_ascend_pt"), {
            "origin_unix_ns": str(ZERO), "devices": [device],
            "hosts": [twice.host(sorted(t.spans, key=lambda s: (s["start_ps"], s["source_row"])), writer="ascend",
                                 recorder="torch_npu or msprof (Ascend)")],
            "threads": t.read_threads({"CANN"}), "markers": [], "communication": [], "step_trace": [], "lines": t.read_lines(0), "operator_calls": [],
            "inputs": [twice.taken("trace_view.json", len(t.events), notes=["kernels are taken from this trace"])]})


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
