"""Two ranks of PyTorch: three devices, two threads that launch, and gaps of every cause.

rank 0: GPU 0 runs three steps of attention, the last one cut by the end of the capture; between its kernels lies one gap
        of each kind. GPU 1 is fed by a second thread. Its steps are known by their launches alone.
rank 1: starts 2.0005 ms later. Its host names layers. A collective lies beside its compute.
"""
from idle_model import Capture, Device, Window
from kineto import Trace

BASE = 1_700_000_000_123_456_000
SHIFT = 2_000_500
SPANS = {  # name -> (cause, sync, comm)
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": ("data_loader", False, False),
    "<built-in method collect of module object at 0x7f>": ("gc", False, False),
    "cudaMalloc": ("allocation", False, False),
    "cuModuleLoadData": ("module_load", False, False),
    "triton/compiler/compiler.py(52): compile": ("compile", False, False),
    "save_checkpoint": ("checkpoint", False, False),
    "c10d::allreduce_": ("comm_host_wait", False, True),
    "cudaStreamSynchronize": ("sync_wait", True, False),
    "cudaDeviceSynchronize": ("sync_wait", True, False),
    "cudaMemcpyAsync": ("h2d_pageable", True, False),
    "Optimizer.step#AdamW.step": ("optimizer_loop", False, False),
    "<method 'acquire' of '_thread.lock' objects>": (None, False, False),
    "acquire of _thread.lock": ("lock", False, False),
    "aten::copy_": (None, True, False),
    "Event Sync": (None, True, False),
    "Stream Wait Event": (None, False, False),
}
PAGEABLE = "Memcpy HtoD (Pageable -> Device)"
PINNED = "Memcpy HtoD (Pinned -> Device)"
ATTENTION, MATMUL, NORM = "flash_fwd_kernel", "void gemm<float, \"a,b\">(int)", "layer_norm µ"
TYPES = {MATMUL: "gemm", PAGEABLE: "Memcpy HtoD", PINNED: "Memcpy HtoD", "Memset (Device)": "Memset"}
# What the host does in a gap: (category, name, start in thousandths of the gap, length in thousandths). `launch`: when
# the call that launches what ends the gap begins and returns, in thousandths of the gap from its start.
GAPS = [
    ("data_loader", [("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 800)], (900, 950)),
    ("gc", [("python_function", "<built-in method collect of module object at 0x7f>", 100, 799)], (910, 960)),
    ("allocation", [("cuda_runtime", "cudaMalloc", 100, 850)], (960, 990)),
    ("module_load", [("cuda_driver", "cuModuleLoadData", 50, 900)], (955, 1000)),
    ("compile", [("python_function", "triton/compiler/compiler.py(52): compile", -200, 1150)], (960, 990)),
    ("checkpoint", [("user_annotation", "save_checkpoint", 0, 500)], (700, 799)),
    ("comm", [("cpu_op", "c10d::allreduce_", 0, 900)], (910, 990)),
    ("sync", [("cuda_runtime", "cudaStreamSynchronize", 10, 890)], (920, 980)),
    ("drain", [("cuda_runtime", "cudaDeviceSynchronize", -700, 750), ("cpu_op", "aten::add", 100, 100)], (850, 900)),
    ("pageable", [("cuda_runtime", "cudaMemcpyAsync", 20, 900)], (930, 970)),
    ("pinned", [("cuda_runtime", "cudaMemcpyAsync", 20, 900)], (930, 970)),
    ("optimizer", [("user_annotation", "Optimizer.step#AdamW.step", 0, 950), ("cpu_op", "aten::addcdiv_", 100, 700)],
     (960, 980)),
    ("lock", [("python_function", "acquire of _thread.lock", 0, 900)], (910, 950)),
    ("launches", [("cpu_op", "aten::mm", 0, 400), ("cpu_op", "aten::mul", 350, 150)], (800, 850)),
    ("untraced", [], (970, 985)),
    ("little", [("cpu_op", "aten::view", 100, 150)], (900, 940)),
    ("early", [("cpu_op", "aten::mm", 0, 1000)], (-300, -200)),
    ("midway", [("cpu_op", "aten::copy_", 0, 620)], (500, 650)),
    ("long call", [], (100, 900)),
    ("launched in time", [("cpu_op", "aten::mm", 200, 800)], (400, 499)),
]


def rank0():
    t = Trace(BASE, 0, 0, 2, types=TYPES)
    t.name_process(900, "python")
    t.name_process(0, "python 0")
    # Kernels come in no order: the last step first.
    starts = (1_000_000, 6_000_000, 11_000_000)
    for step in (2, 0, 1):
        at = starts[step]
        t.span("user_annotation", f"ProfilerStep#{step}", at, 4_900_000, kind="marker", parts=step == 1)
        if step < 2:
            t.add(ph="X", cat="gpu_user_annotation", name=f"ProfilerStep#{step}", pid=0, tid=7, ts=at + 300_000,
                  dur=4_500_000, args={})
        else:
            t.add(ph="X", cat="gpu_user_annotation", name="ProfilerStep#2", pid=0, tid=7, ts=at + 300_000,
                  dur=1_500_000, args={})
        cursor = at + 400_000
        t.kernel(0, NORM, cursor, 40_000, launch=(at + 10_000, 5_000, 11))
        cursor += 40_000
        wanted = GAPS if step < 2 else GAPS[:4]
        for n, (kind, spans, (begin, end)) in enumerate(wanted):
            gap = 100_000 + 10_000 * (n % 7) if n != 3 else 1_200_000
            if step == 1 and n == 14:
                gap = 49_999  # shorter than what is listed
            for category, name, from_, took in spans:
                t.span(category, name, cursor + gap * from_ // 1000, gap * took // 1000)
            cursor += gap
            launch = (cursor - gap + gap * begin // 1000, gap * (end - begin) // 1000, 11)
            if kind in ("pageable", "pinned"):
                t.kernel(0, PAGEABLE if kind == "pageable" else PINNED, cursor, 20_000, stream=20, launch=launch,
                         kind="copy", category="gpu_memcpy")
                cursor += 20_000
            else:
                name = ATTENTION if n % 4 == 0 else MATMUL
                t.kernel(0, name, cursor, 30_000 + 1000 * n, launch=launch)
                cursor += 30_000 + 1000 * n
        # Two kernels of one end, one that touches them, one of no length, and one inside of another.
        t.kernel(0, NORM, cursor - 10_000, 10_000, stream=9, launch=(at + 20_000, 4_000, 11))
        t.kernel(0, MATMUL, cursor, 25_000, launch=(at + 30_000, 4_000, 11))
        t.kernel(0, MATMUL, cursor + 5_000, 10_000, stream=9, launch=(at + 40_000, 4_000, 11))
        t.kernel(0, NORM, cursor + 25_000, 0, launch=(at + 50_000, 4_000, 11))
    t.kernel(0, "Memset (Device)", 500_000, 15_000, kind="copy", category="gpu_memset")  # in front of all steps
    # The second device: an op that comes back evenly, launched by another thread, without annotations of steps.
    for step in (0, 1, 2):
        at = starts[step]
        for n in range(4):
            cursor = at + 100_000 + 700_000 * n
            t.kernel(1, "first", cursor, 100_000, stream=5, launch=(at + 1_000 + 30_000 * n, 3_000, 12))
            t.kernel(1, "second", cursor + 150_000, 100_000, stream=5, launch=(at + 2_000 + 600_000 * n, 500_000, 12))
            t.kernel(1, "third", cursor + 300_000, 250_000, stream=6, launch=(at + 3_000 + 30_000 * n, 3_000, 12))
        t.span("cpu_op", "aten::linear", at, 2_500_000, tid=12)
    t.kernel(1, "lonely", 600_000, 5_000, stream=5)
    t.span("cuda_sync", "Event Sync", 1_150_000, 500_000, tid=12)
    t.span("cuda_sync", "Stream Wait Event", 1_820_000, 300_000, tid=12)
    return t


def rank1():
    t = Trace(BASE + SHIFT, SHIFT, 1, 2, first_thread=2, types=TYPES)
    t.name_process(901, "python")
    for step in (0, 1, 2):
        at = 1_000_000 + 3_000_000 * step
        t.span("user_annotation", f"ProfilerStep#{step}", at, 2_800_000, kind="marker")
        for layer in range(3):
            start = at + 100_000 + 600_000 * layer
            t.span("user_annotation", f"model.layer_{layer}", start, 500_000)
            t.kernel(0, MATMUL, start + 300_000, 200_000, launch=(start + 10_000, 6_000, 21))
            t.kernel(0, "ncclDevKernel_AllReduce_Sum_f32", start + 400_000, 250_000, stream=30, kind="comm",
                     launch=(start + 20_000, 6_000, 21), op_type="allreduce", group="default, \"pg\"", types="Float",
                     args={"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024,
                           "Group size": 2, "dtype": "Float", "Process Group Name": "0",
                           "Process Group Description": "default, \"pg\"", "Process Group Ranks": "[0, 1]"})
            t.span("python_function", f"model.py({layer}): forward", start - 50_000, 640_000, tid=22)
        t.kernel(0, "elementwise", at + 2_200_000 + 100_000 * step, 60_000, launch=(at + 1_900_000, 8_000, 21))
    return t


def to_their_own_ends(windows0, windows1, windows2, kernels):
    """Steps last as long as their annotations, or from their first kernel to their last."""
    for w in windows0:
        w.end, w.open = w.marker_end, False
    windows0[0].parts = windows0[0].parts[:-1]  # it ends in its last layer
    last = windows0[2]
    last.parts, last.parts_by = (), ""
    last.parts_missing = "no op recurs evenly, and no gap parts the step"
    for windows, of in ((windows1, kernels[1]), (windows2, kernels[2])):
        for w in windows:
            w.end = max(k.end for k in of if w.start <= k.start < w.end)


def parts(*first):
    return tuple(first)


def capture(policy="guide"):
    a, b = rank0(), rank1()
    ps = lambda ns: ns * 1000
    attention = parts(("head", 0), ("part", 1), ("part", 5), ("part", 9), ("part", 13), ("part", 17), ("tail", 21))
    windows0 = [Window("0", ps(1_300_000), ps(6_300_000), "device_annotation", ps(5_800_000), 0, parts=attention,
                       parts_by="attention"),
                Window("1", ps(6_300_000), ps(11_300_000), "device_annotation", ps(10_800_000), 1, parts=attention,
                       parts_by="attention"),
                Window("2", ps(11_300_000), None, "device_annotation", ps(12_800_000), 2, cut=True)]
    kernels = [a.kernels[0], a.kernels[1], b.kernels[0]]
    windows0[2].end = max(k.end for k in kernels[0])
    windows0[2].open = True
    # The norm comes back after five and after three kernels, more evenly than the matmul.
    windows0[2].parts, windows0[2].parts_by = parts(("part", 0), ("part", 5), ("part", 8)), "periodic op"
    even = parts(("part", 0), ("part", 3), ("part", 6), ("part", 9))
    windows1 = [Window(str(n), ps(s + 100_000), ps(s + 5_100_000), "profiler_step", ps(s + 4_900_000), n, parts=even,
                       parts_by="periodic op") for n, s in enumerate((1_000_000, 6_000_000, 11_000_000))]
    windows1[2].end = ps(11_000_000 + 100_000 + 2_100_000 + 550_000)
    layers = parts(("model.layer_0", 0), ("model.layer_1", 2), ("model.layer_2", 4), ("tail", 6))
    at = [1_000_000 + 3_000_000 * n + 400_000 + SHIFT for n in range(3)]
    windows2 = [Window(str(n), ps(s), ps(s + 3_000_000), "profiler_step",
                       ps(1_000_000 + 3_000_000 * n + 2_800_000 + SHIFT), n, parts=layers, parts_by="annotations")
                for n, s in enumerate(at)]
    windows2[2].end = max(k.end for k in kernels[2])
    devices = [Device("GPU 0 of rank 0", "gpu", kernels[0], windows0, "device annotations", 0, 0, 0),
               Device("GPU 1", "gpu", kernels[1], windows1, "launches", 0, 0, 0),
               Device("GPU 0 of rank 1", "gpu", kernels[2], windows2, "launches", 1, 1, 1)]
    if policy == "marker":
        to_their_own_ends(windows0, windows1, windows2, kernels)
    # The steps of one kind, those kinds first that take most time in all.
    groups = [[(1, 0), (1, 1), (1, 2)], [(0, 0), (0, 1)], [(2, 0), (2, 1), (2, 2)], [(0, 2)]]
    if policy == "marker":
        groups[:2] = groups[1::-1]
    return Capture(devices, [a.spans, b.spans], BASE, groups, stacks=True, runtime=True, names_origins=True, meanings=SPANS,
                   pageable=(PAGEABLE,)), {"rank0.pt.trace.json": a.text(), "rank1.pt.trace.json": b.text()}
