"""Two ranks of an Ascend run.

rank 0: NPU 0 and NPU 1 with their host; the trace begins in the second before the kernels. AI CPU ops that compute hides,
        half hides and leaves alone; waits that look like hot spots and waits that a collective pollutes; a collective that is
        listed twice; shapes that change.
rank 1: NPU 0 three seconds later, without a trace: its steps are known by their ids alone.
"""
import json
from fractions import Fraction

from ascend import Rank
from idle_model import Capture, Device, Window

SECOND = 1_000_000_000
TRACE_ZERO = 1_764_246_877 * SECOND
FIRST = TRACE_ZERO + SECOND + 100_000_000  # of the kernels
STEP = 10_000_000
MATMUL = {"aic_mac_ratio": "0.75", "aic_mte2_ratio": "0.25", "cube_utilization(%)": "60.5"}
ADD = {"aiv_vec_ratio": "0.125", "aic_mte2_ratio": "0.0625"}
ATTENTION = {"aic_mac_ratio": "0.5", "aiv_vec_ratio": "0.625", "aic_mte2_ratio": "0.75"}
MEANINGS = {"AscendCL@aclrtSynchronizeStream": ("sync_wait", True, False), "AscendCL@aclrtMemcpy": ("h2d_pageable", True, False),
            "aten::to": (None, True, False), "hcom_allReduce_": (None, False, True), "Notify_Wait": (None, False, True),
            "DistributedDataParallel.forward": (None, False, False)}


def add_step(r, number, device, traced):
    at = FIRST + STEP * number + (0 if traced else 3 * SECOND)
    step = f"{number + 10}.0" if device == 0 else str(number + 10)
    def kernel(name, op_type, core, start, duration, launch=None, **more):
        r.kernel(device, name, op_type, core, at + start, duration, step=more.pop("step", step),
                 launch=at + launch if traced and launch is not None else None, **more)
    shapes = "8,16;16,8" if number == 0 else "8,32;32,8"
    # Rows stand in no order.
    kernel("aclnnAdd_AddAiCore_Add", "Add", "AI_VECTOR_CORE", 5_205_000, 5_000, 5_100_000, wait=1_000_000, counters=ADD)
    kernel("aclnnMatmul_MatMulV3", "MatMulV3", "AI_CORE", 500_000, 400_000, 480_000, wait=100_000, shapes=shapes,
           out_shapes="8,8", types="FLOAT16;FLOAT16", counters=MATMUL)
    kernel("aclnnCast_Cast", "Cast", "AI_CPU", 600_000, 200_000, 500_000, stream=17)
    kernel("aclnnUnique_Unique2", "Unique2", "AI_CPU", 850_000, 100_000, 700_000, stream=17)
    if number != 1:
        kernel("aclnnNonZero_NonZero", "NonZero", "AI_CPU", 2_000_000, 300_000, 1_200_000, stream=18)
    group = "4711" if device == 0 else "4712"
    kernel(f"hcom_allReduce__{number}_0_1@{group}", "hcom_allReduce_", "HCCL", 3_000_000, 800_000, None, stream=None,
           wait=None, duplicate=device == 0)
    if device == 0:
        kernel(f"hcom_allReduce__{number}_0_1@{group}", "hcom_allReduce_", "HCCL", 3_000_000, 800_000, None, stream=46,
               wait=None)
    kernel("aclnnMatmul_MatMulV3", "MatMulV3", "AI_CORE", 3_400_000, 600_000, 3_300_000, wait=2_000_000,
           shapes="8,16;16,8", out_shapes="8,8", types="FLOAT16;FLOAT16", counters=MATMUL)
    kernel("aclnnAdd_AddAiCore_Add", "Add", "AI_VECTOR_CORE", 4_000_000, 5_000, 3_950_000, wait=995_000, counters=ADD)
    for n in range(3):
        start = 5_300_000 + 400_000 * n
        kernel("FlashAttentionScore_1", "FlashAttentionScore", "MIX_AIC", start, 100_000, start - 200_000,
               counters=ATTENTION)
        kernel("aclnnMatmul_MatMulV3", "MatMulV3", "AI_CORE", start + 120_000, 110_000 + 10_000 * n, start - 150_000,
               shapes="8,16;16,8", out_shapes="8,8", types="FLOAT16;FLOAT16", counters=MATMUL)
        # At the same instant on another stream; its arrow comes from elsewhere.
        kernel("aclnnAdd_AddAiCore_Add", "Add", "AI_VECTOR_CORE", start + 120_000, 20_000, start - 140_000, stream=19,
               counters=ADD)
    kernel("MEMCPY", "N/A" if device else "memcpy", "MEMCPY_ASYNC", 7_000_000, 100_000, 6_600_000, stream=50)
    kernel("trans_Identity_18", "Identity", "AI_VECTOR_CORE", 7_200_000, 0, None)
    kernel("Strange, \"new\" µ", "Strange", "NEW_UNIT", 7_300_000 + 500_000 * number, 50_000, 7_250_000, stream=51,
           step="11" if number == 2 else step)
    kernel("allgatherAicpuKernel", "allgatherAicpuKernel", "AI_CPU", 7_320_000, 100_000, None, stream=60, kind="comm")


def add_host(r):
    r.process(10, "Python", "CPU")
    r.process(20, "CANN", "CPU")
    r.process(30, "Python GC", "CPU")
    r.process(1024, "Ascend Hardware", "NPU")
    r.process(1088, "HCCL", "NPU")
    r.process(99, "Overlap Analysis", "NPU")
    r.span(10, 101, "aten::empty", TRACE_ZERO + 999_000_000, 1_000, "op", "cpu_op")
    for number in range(3):
        at = FIRST + STEP * number
        r.span(10, 101, f"ProfilerStep#{number + 10}", at, 9_500_000, "marker", "cpu_op")
        r.span(10, 101, "DistributedDataParallel.forward", at + 50_000, 6_000_000, "annotation", "user_annotation")
        r.span(10, 101, "train.py(12): step", at, 9_400_000, "frame", "python_function")
        r.span(10, 101, "aten::to", at + 1_000_000, 900_000, "op", "cpu_op")
        r.span(10, 102, "aten::mm", at + 950_000, 1_100_000, "op", "cpu_op")
        r.span(20, 201, "AscendCL@aclrtSynchronizeStream", at + 4_100_000, 1_000_000, "runtime")
        r.span(20, 201, "Node@launch", at + 6_900_000, 30_000, "runtime")
        r.span(30, 301, "Python GC", at + 8_000_000, 1_500_000, "gc")
        r.span(1088, 5, "hcom_allReduce_", at + 2_350_000, 1_450_000, "device_marker")
        r.span(1024, 2, "Notify_Wait", at + 7_110_000, 40_000, "device_marker")
        r.span(99, 1, "Free", at, 400_000, "nothing")


STEP_COLUMNS = ["Device_id", "Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication", "Free",
                "Stage", "Bubble", "Communication(Not Overlapped and Exclude Receive)", "Preparing"]


def step_checks(idle):
    """Rows of step_trace_time.csv of rank 0, and what is said of them: differences up to a quarter of a µs agree."""
    rows, checks = [], []
    wanted = {(0, 0): (0, 250_000, -250_001), (1, 2): (-250_000, 250_001, 0), (2, 1): (1, -1, None)}
    for (device, step), differences in wanted.items():
        m = idle.measures[idle.index(device, step)]
        ours = (m["internal"], m["clocks"][0], m["prelaunch"])
        theirs = [o + (d or 0) for o, d in zip(ours, differences)]
        rows.append((device, f"{step + 10}.0", *map(exact, theirs)))
        checks += [{"device": device, "step_id": str(step + 10), "what": what, "ours_us": Fraction(o, 1_000_000),
                    "theirs_us": Fraction(t, 1_000_000), "agrees": abs(o - t) <= 250_000}
                   for what, o, t, d in zip(("Free", "Stage", "Preparing"), ours, theirs, differences) if d is not None]
    rows.append((1, "99", "0", "0", "0"))
    return rows, checks


def step_table(rows):
    lines = [",".join(STEP_COLUMNS)]
    for device, step, free, stage, preparing in rows:
        lines.append(",".join([str(device), step, "1.0", "2.0", "3.0", "4.0", free, stage, "0.0", "0.0", preparing]))
    return "\n".join(lines) + "\n"


def exact(ps):
    return f"{ps // 1_000_000}.{ps % 1_000_000:06}"


def communication(number_of_steps, start_ns):
    steps = {}
    for n in range(number_of_steps):
        steps[f"step{n + 10}"] = {"p2p": {}, "collective": {f"hcom_allReduce__{n}_0_1@4711": {
            "Communication Time Info": {"Start Timestamp(us)": float((start_ns + STEP * n) / 1000), "Elapse Time(ms)": 0.8,
                                        "Transit Time(ms)": 0.5, "Wait Time(ms)": 0.25, "Synchronization Time(ms)": 0.125,
                                        "Idle Time(ms)": 0.05},
            "Communication Bandwidth Info": {
                link: {"Transit Size(MB)": size, "Transit Time(ms)": time, "Bandwidth(GB/s)": 0, "Packet Count": 0}
                for link, size, time in (("RDMA", 0, 0), ("HCCS", n + 1.5, 0.5), ("PCIE", 0, 0), ("SDMA", n + 1.5, 0.5))}},
            "Total Op Info": {"Communication Time Info": {"Elapse Time(ms)": 0.8}}}}
    return json.dumps(steps)


def capture():
    a, b = Rank(TRACE_ZERO), Rank(TRACE_ZERO, first_thread=50)
    add_host(a)
    for number in (2, 0, 1):
        for device in (0, 1):
            add_step(a, number, device, True)
        add_step(b, number, 0, False)
    # Derived op types: a memory copy of device 1 is written without one.
    for k in a.kernels[1]:
        if k.op_type == "N/A":
            k.op_type = "MEMCPY"
    parts = (("head", 0), ("part", 8), ("part", 11), ("part", 14), ("tail", 17))
    fewer = tuple((role, max(first - 1, 0)) for role, first in parts)
    def windows(kernels, marker, host):
        out = []
        for n in range(3):
            start = a.ps(FIRST + STEP * n)
            of = [k for k in kernels if k.step == str(n + 10) or (n == 2 and k.step == "11" and k.start >= start)]
            if host:
                w = Window(str(n + 10), start, start + STEP * 1000, marker, start + 9_500_000_000, n + 10)
            else:  # from the first kernel with its id to the end of the last, or to the next step
                of = [k for k in kernels if k.step == str(n + 10)]
                later = [k.start for k in kernels if k.step == str(n + 11)]
                w = Window(str(n + 10), min(k.start for k in of), max(k.end for k in of), marker, None, n + 10)
                w.marker_end = w.end
                w.end = min([w.end] + later)
            w.parts, w.parts_by = (fewer if n == 1 else parts), "attention"
            if host and n == 2:
                w.end, w.open = max(k.end for k in of), True
            out.append(w)
        return out
    devices = [Device("NPU 0 of rank 0", "npu", a.kernels[0], windows(a.kernels[0], "profiler_step", True), "host markers",
                      3, 0, 0, has_shapes=True),
               Device("NPU 1", "npu", a.kernels[1], windows(a.kernels[1], "profiler_step", True), "host markers", 3, 0, 0,
                      has_shapes=True),
               Device("NPU 0 of rank 1", "npu", b.kernels[0], windows(b.kernels[0], "step_id", False), "step ids", 7, 1, 1,
                      tells_launches=False, has_shapes=True, windows_cut=1)]
    groups = [[(device, step) for device in range(3) for step in range(3)]]
    # Position by position in steps 10 and 12 of both devices of rank 0: the first matmul has other shapes.
    variation = {0: (42, 2)}
    told = tuple((0, a.ps(FIRST + 3_000_000 + STEP * n), 800_000_000, 500_000_000, 250_000_000) for n in range(3))
    return a, b, Capture(devices, [a.spans, None], TRACE_ZERO, groups, shape_variation=variation, stacks=True, runtime=True,
                         meanings=MEANINGS, communication=told)


def files(a, b, steps):
    info = lambda rank: json.dumps({"config": {"common_config": {"with_stack": True, "record_shapes": True},
                                               "experimental_config": {"_profiler_level": "Level1"}}, "rank_id": rank})
    metadata = json.dumps({"distributed_args": {"tensor_model_parallel_size": 2, "rank": 0, "world_size": 2},
                           "parallel_group_info": {"x": {"group_name": "tp", "global_ranks": [0, 1]}}})
    return {
        "rank0_ascend_pt/profiler_info_0.json": info(0),
        "rank0_ascend_pt/profiler_metadata.json": metadata,
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": a.table(),
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json": a.trace(),
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json": communication(3, FIRST + 3_000_000),
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": step_table([s for s in steps if s[0] < 2]),
        "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv": step_table([(0, *s[1:]) for s in steps if s[0] == 2]),
        "rank1_ascend_pt/profiler_info_1.json": info(1),
        "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": b.table(),
    }
