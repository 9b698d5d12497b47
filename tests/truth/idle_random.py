"""Random ranks of PyTorch for `bubbles`: steps of one length, gaps whose parts are twentieths, spans that nest."""
from fractions import Fraction

from idle_model import CLASSES, Capture, Device, Window
from kineto import Trace
from kineto_pair import BASE, PAGEABLE, PINNED, SPANS, TYPES

ATTENTION = "flash_fwd_kernel"
SERVICE = 4_000_000  # ns of every step but the last of a device
LENGTHS = [20_000, 40_000, 49_980, 50_000, 50_000, 60_000, 100_000, 100_000, 200_000, 400_000, 1_000_000]
NAMES = [  # category and name of what a host does
    ("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
    ("python_function", "<built-in method collect of module object at 0x7f>"), ("cuda_runtime", "cudaMalloc"),
    ("cuda_driver", "cuModuleLoadData"), ("python_function", "triton/compiler/compiler.py(52): compile"),
    ("user_annotation", "save_checkpoint"), ("cpu_op", "c10d::allreduce_"), ("cuda_runtime", "cudaStreamSynchronize"),
    ("cuda_runtime", "cudaDeviceSynchronize"), ("cuda_runtime", "cudaMemcpyAsync"),
    ("user_annotation", "Optimizer.step#AdamW.step"), ("python_function", "acquire of _thread.lock"), ("cpu_op", "aten::copy_"),
    ("cpu_op", "aten::mm"), ("cpu_op", "aten::mul"), ("cpu_op", "aten::view"), ("python_function", "model.py(7): forward"),
    ("user_annotation", "forward")]  # the last six are no cause


def nested(r, start, end, depth=0):
    """Spans as parts of a stretch: (start, end), those of one depth apart."""
    unit = (end - start) // 20
    found, at = [], 0
    while at < 20 and unit > 0:
        size = r.choice([1, 2, 4, 5, 6, 9, 10, 11, 16, 20])
        at += r.choice([0, 0, 1, 2, 4, 10])
        if at + size > 20:
            break
        a, b = start + at * unit, start + (at + size) * unit
        found.append((a, b))
        if depth < 2 and size > 1 and r.random() < 0.4:
            found += [p for p in nested(r, a, b, depth + 1) if p != (a, b)]
        at += size
    return found


class Rank:
    """A trace with its steps, and the kernels of its devices."""

    def __init__(self, r, rank, shift, first_thread, frames):
        self.frames, self.r, self.trace = frames, r, Trace(BASE + shift, shift, rank, 2, first_thread=first_thread, types=TYPES)
        self.trace.name_process(900 + rank, "python")

    def host(self, start, end, tid, names=None):
        for a, b in nested(self.r, start, end):
            category, name = self.r.choice([n for n in names or NAMES if self.frames or n[0] != "python_function"])
            self.trace.span(category, name, a, b - a, tid=tid)

    def device(self, device, tid, pattern, starts, last):
        """`pattern`: of a step, (name, kind, stream) of each kernel; `starts`: where steps begin on the device."""
        r, t = self.r, self.trace
        for step, at in enumerate(starts):
            cursor = at
            end = at + SERVICE
            if r.random() < 0.5:
                self.host(at - 100_000, at + SERVICE + 300_000, tid + 300, NAMES[-6:])
            for position, (name, kind, stream) in enumerate(pattern):
                gap = 0 if position == 0 else r.choice(LENGTHS) if r.random() < 0.8 else 0
                start = cursor + gap
                duration = r.choice([20_000, 30_000, 60_000, 100_000])
                if start + duration + 200_000 > end:
                    start, gap = cursor, 0
                launch = None
                if position == 0:
                    launch = (at - 10_000, 5_000, tid)
                elif position + 1 == len(pattern):  # so that all kernels of the step lie between two that it launched
                    launch = (at - 4_000 + 200 * position, 100, tid)
                elif gap and r.random() < 0.85:
                    unit = gap // 20
                    a, size = r.choice([
                        (-6, 2), (-1, 1), (2, 17), (5, 5), (8, 2), (9, 1), (10, 2), (12, 4), (14, 2), (15, 3), (18, 1), (18, 2)])
                    if kind == "copy" and a < 0:
                        a = 1
                    launch = (cursor + a * unit, size * unit, tid)
                    if r.random() < 0.75 and a > 0:
                        self.host(cursor, cursor + a * unit, tid)
                    elif r.random() < 0.2:
                        t.span("cuda_runtime", "cudaDeviceSynchronize", cursor - 15_000,
                               r.choice([15_000, 15_500, 16_000, 20_000]), tid=tid)
                elif r.random() < 0.5:
                    launch = (at - 4_000 + 200 * position, 100, tid)
                if gap and r.random() < 0.1:
                    self.host(cursor - gap // 2, start + 30_000, tid + 200 + 50 * step + position, NAMES[-6:])
                if gap and r.random() < 0.5:
                    self.host(cursor, start, tid + 100)
                if gap and r.random() < 0.2:
                    t.span("cuda_sync", r.choice(["Event Sync", "Stream Wait Event"]), cursor, gap * r.choice([1, 4, 5, 10]) // 20, tid=tid)
                category = "gpu_memcpy" if kind == "copy" else "kernel"
                said = name if kind == "comm" else None
                t.kernel(device, name, start, duration, stream=stream, launch=launch, kind=kind, category=category, op_type=said)
                if kind == "compute" and stream == 7 or duration < 30_000:
                    cursor = max(cursor, start + duration)
                else:
                    cursor = max(cursor, start + r.choice([0, duration // 2, duration]))
        if last:
            t.kernel(device, "after all", cursor + 400_000, 0, stream=7, launch=(cursor, 100, tid))


def parts_of(members, anchor=ATTENTION):
    """Where attention begins a part; the last part repeats the one before it."""
    types = [k.type for k in members]
    at = [i for i, name in enumerate(types) if name == anchor]
    parts = [("head", 0)] if at[0] else []
    parts += [("part", i) for i in at]
    same = 0
    while at[-2] + same < at[-1] and at[-1] + same < len(types) and types[at[-2] + same] == types[at[-1] + same]:
        same += 1
    tail = at[-1] + max(same, 1)
    return tuple(parts + ([("tail", tail)] if tail < len(types) else []))


def capture(r, policy="guide", frames=True):
    """Two ranks of two devices; GPU 0 both have. `policy`: where steps end. `frames`: whether stacks are recorded."""
    ranks, devices, files = [], [], {}
    pattern = [("gemm", "compute", 7)] * 2 + [(ATTENTION, "compute", 7)]
    pattern += [r.choice([("gemm", "compute", 7), (PAGEABLE, "copy", 20), (PINNED, "copy", 20), ("ncclDevKernel_SendRecv", "comm", 30),
                          ("norm", "compute", 7), ("side", "compute", 9)]) for _ in range(r.randrange(3, 7))]
    pattern += [(ATTENTION, "compute", 7)] + pattern[3:3 + r.randrange(0, 4)]
    shift, threads = 0, 0
    for rank in (0, 1):
        of = Rank(r, rank, shift, threads, frames)
        t = of.trace
        count = r.choice([3, 3, 4])
        starts = [1_000_000 + SERVICE * n for n in range(count)]
        of.device(0, 11, pattern, starts, r.random() < 0.3)
        of.device(1 + rank, 12, [(name if kind != "compute" or name == ATTENTION else f"{name}_1", kind, stream)
                                 for name, kind, stream in pattern], [at + 30_000 for at in starts], False)
        for n, at in enumerate(starts):
            t.span("user_annotation", f"ProfilerStep#{n}", at - 10_000, SERVICE - 500_000, kind="marker")
        for device in (0, 1 + rank):
            kernels = t.kernels[device]
            windows, cut = windows_of(t, kernels, starts, policy)
            devices.append(Device(f"GPU {device}" + (f" of rank {rank}" if device == 0 else ""), "gpu", kernels, windows,
                                  "launches", rank, rank, rank, windows_cut=cut))
        ranks.append(of)
        files[f"rank{rank}.pt.trace.json"] = t.text()
        shift += r.choice([0, 1_000, 2_000_500])
        threads += len(t.threads)
    return Capture(devices, [of.trace.spans for of in ranks], BASE, groups_of(devices), stacks=frames, runtime=True, names_origins=True,
                   meanings=SPANS, pageable=(PAGEABLE,), whole=policy == "whole"), files


def windows_of(t, kernels, starts, policy):
    """A step of a device is what its step of the host launched: until the next one begins, or (`device`) until its own last kernel
    ends. Of `marker` only what was launched before the annotation ended counts. A `whole` one begins with its mark where nothing that
    was launched before runs past it, and the last one ends with its mark or the last kernel that was launched in it."""
    windows = []
    for n, at in enumerate(starts):
        begin, end = t.ps(at - 10_000), t.ps(at - 10_000 + SERVICE - 500_000)
        until = end if policy == "marker" or (policy == "whole" and n + 1 == len(starts)) else t.ps(starts[n + 1] - 10_000) if n + 1 < len(starts) else 10 ** 30
        own = [k for k in kernels if k.launch and begin <= k.launch[0] < until]
        windows.append(Window(str(n), min(k.start for k in own), max(k.end for k in own), "profiler_step", end, n, parts_by="attention"))
    if policy == "whole":
        for w, at in zip(windows, starts):
            begin = t.ps(at - 10_000)
            busy = max((k.end for k in kernels if (k.launch[0] < begin if k.launch else k.start < w.start)), default=begin)
            if busy <= begin:
                w.start = begin
            elif w is windows[0]:
                w.start = min(busy, w.start)
        windows[-1].end = max(windows[-1].end, windows[-1].marker_end)
    cut = 0
    for w, following in zip(windows, windows[1:]):
        next_to_next = policy in ("guide", "whole")
        cut += not next_to_next and w.end > following.start
        w.end = following.start if next_to_next else min(w.end, following.start)
    if policy == "guide":
        windows[-1].end, windows[-1].open = max(k.end for k in kernels), True
    for w in windows:
        w.parts = parts_of(sorted((k for k in kernels if w.start <= k.start < w.end or (w.open and k.start == w.end)),
                                  key=lambda k: (k.start, k.duration, k.row)))
    return windows, cut


def work_of(members, known):
    """Steps of a device with the same ops one after another on the main stream, repeats aside, do the work of the first of them."""
    sums = {}
    for k in members:
        if k.kind == "compute":
            sums[k.stream] = sums.get(k.stream, 0) + k.duration
    main = min(sums, key=lambda stream: (-sums[stream], stream))
    types = [k.type for k in members if k.stream == main]
    kinds = [sum(k.duration for k in members if k.kind == kind) for kind in CLASSES]
    return known.setdefault(tuple(name for n, name in enumerate(types) if n == 0 or name != types[n - 1]),
                            (kinds.index(max(kinds)), [k.type for k in members]))


def is_alike(a, b):
    """As much of one kind takes most time, 95 % as many kernels, nine tenths of them the same."""
    most = max(len(a[1]), len(b[1]))
    shared = sum(min(a[1].count(name), b[1].count(name)) for name in set(a[1]))
    return a[0] == b[0] and 20 * abs(len(a[1]) - len(b[1])) <= most and 10 * shared >= 9 * most


def groups_of(devices):
    groups = []  # (works, steps)
    for at, device in enumerate(devices):
        known = {}
        for position, w in enumerate(device.windows):
            work = work_of(sorted((k for k in device.kernels if w.start <= k.start < w.end or (w.open and k.start == w.end)),
                                  key=lambda k: (k.start, k.duration, k.row)), known)
            alike = [g for g in groups if any(is_alike(work, other) for other in g[0])]
            joined = ([work] + [other for g in alike for other in g[0]], [s for g in alike for s in g[1]] + [(at, position)])
            groups = [g for g in groups if g not in alike] + [(joined[0], sorted(joined[1]))]
    groups.sort(key=lambda g: g[1][0])
    service = lambda g: sum(devices[d].windows[p].end - devices[d].windows[p].start for d, p in g[1])
    return [g[1] for g in sorted(groups, key=lambda g: -service(g))]


def thresholds(r, of):
    """Numbers of a capture that decide, each the threshold for its like: it is met by that one, and a millionth more is not."""
    gaps, steps, groups, ops = (r.choice(some) for some in (of.gaps, of.measures, of.group_facts, of.ops))
    parts = [m for m in of.measures if m["parts"]["comm_exposed"] or m["parts"]["copy"]] or of.measures
    sums = lambda key: sum(of.measures[i][key] for i in groups["steps"])
    clocks = of.clocks(r.choice(of.measures)["members"])
    part = r.choice(parts)["parts"]
    big = r.choice([g for g in of.gaps if g.step is not None])
    w = of.steps[big.step][1]
    exact = {
        "reportable_gap_us": Fraction(gaps.length, 10 ** 6), "heavy_gap_us": Fraction(big.length, 10 ** 6),
        "heavy_share": Fraction(big.length, w.end - w.start), "idle_ratio": Fraction(steps["idle"], steps["service"]),
        "exposed_ratio": Fraction(part[r.choice(["comm_exposed", "copy"])], 4 * 10 ** 9),
        "recurring_share": Fraction(r.choice([1, 2, 3, 4]), 4), "sync_overlap": Fraction(r.randrange(1, 12), 20),
        "comm_overlap": Fraction(r.randrange(1, 12), 20), "untraced_coverage": Fraction(r.randrange(1, 8), 20),
        "launch_lag_coverage": Fraction(r.randrange(6, 21), 20), "known_cause": Fraction(r.randrange(1, 18), 20),
        "high_confidence": Fraction(r.randrange(10, 20), 20), "medium_confidence": Fraction(r.randrange(3, 12), 20),
        "late_launch": Fraction(r.choice([13, 15, 16, 18, 19]), 20), "early_launch": Fraction(r.choice([5, 10, 12]), 20),
        "pattern_gap_us": Fraction(groups[r.choice(["prelaunch", "tail", "internal"])][0], 10 ** 6),
        "small_kernel_us": Fraction(r.choice([20, 30, 60, 100])), "sparse": Fraction(clocks[1], clocks[0]),
        "parallel": Fraction(clocks[2], clocks[0]), "serial": Fraction(max(clocks) - min(clocks), min(clocks)),
        "small_op_share": Fraction(ops["duration"] + sum(ops["gaps"]), 12 * 10 ** 9),
        "pattern_share": Fraction(groups["internal"][0], groups["service"][0])}
    if gaps.host:
        exact["serial_parallelism"] = Fraction(gaps.threads, gaps.host) + r.choice([0, 1]) * Fraction(1, 10 ** 6)
    if sums("evidenced"):
        exact["high_coverage"] = Fraction(sums("host"), sums("evidenced"))
    means = sorted((groups[key][0] for key in ("prelaunch", "tail", "internal")), reverse=True)
    if means[0]:
        exact["mixed_pattern"] = Fraction(means[1], means[0])
    names = r.sample(sorted(exact), 14)
    # Six decimals count; what has more is met, or only just not.
    rounded = lambda value: Fraction((value * 10 ** 6).__floor__() + r.choice([0, 0, 0, 1]), 10 ** 6)
    return {name: f"{float(rounded(exact[name])):.6f}" for name in names}
