"""Random captures for the model of idle time, whose numbers meet its thresholds often, and what the model is not able to know
by itself: which steps do the same work, which are cut, and how a step falls into parts. docs/bubbles.md said in Python.
"""
from fractions import Fraction

from idle_model import Capture, Device, Window
from kineto import Trace
from kineto_pair import BASE, PAGEABLE, PINNED, SPANS, TYPES

US = 1_000  # ns
MISSING = "no op recurs evenly, and no gap parts the step"
COMM = {"category": "kernel", "kind": "comm", "stream": 30}
COPY = {"category": "gpu_memcpy", "kind": "copy", "stream": 20}
ATTENTION = "flash_fwd_kernel"
CATEGORIES = {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": "user_annotation", "save_checkpoint": "user_annotation",
              "cudaMalloc": "cuda_runtime", "cuModuleLoadData": "cuda_driver", "cudaStreamSynchronize": "cuda_runtime",
              "cudaDeviceSynchronize": "cuda_runtime", "cudaMemcpyAsync": "cuda_runtime",
              "Optimizer.step#AdamW.step": "user_annotation", "c10d::allreduce_": "cpu_op", "aten::copy_": "cpu_op",
              "<built-in method collect of module object at 0x7f>": "python_function",
              "triton/compiler/compiler.py(52): compile": "python_function", "acquire of _thread.lock": "python_function",
              "Event Sync": "cuda_sync", "Stream Wait Event": "cuda_sync", "aten::mm": "cpu_op", "aten::add": "cpu_op",
              "forward": "user_annotation", "model.py(3): forward": "python_function"}


# ---- what kernels and hosts do ----------------------------------------------------------------------------

def recipe(r):
    """The kernels of a kind of step: name, µs, and what they are."""
    kind = r.choice(["plain", "even", "attention", "comm", "copies"])
    names = ["gemm", "relu", "norm", "softmax", "bias", "embed"]
    if kind == "even":
        period = r.choice([2, 3])
        kernels = [(names[n % period], 100 * (1 + n % 2), {}) for n in range(3 * period + r.randrange(3))]
        return [(r.choice(names), 50, {})] * r.randrange(2) + kernels
    if kind == "attention":
        return [(ATTENTION if n % 3 == 1 else r.choice(names), 80, {}) for n in range(r.randrange(4, 11))]
    others = {"plain": [], "comm": [("ncclDevKernel_AllReduce_Sum_f32", 300, COMM)], "copies": [(PINNED, 200, COPY)]}[kind]
    made = [(r.choice(names), r.choice([5, 10, 9, 100, 200]), {"stream": r.choice([7, 7, 7, 9])}) for _ in range(r.randrange(2, 7))]
    for other in others * 2:
        made.insert(r.randrange(len(made) + 1), other)
    return made


def host_in_gap(r, trace, start, size, threads):
    """Some spans of the host, at twentieths of the gap."""
    for _ in range(r.choice([0, 1, 1, 2, 3, 5])):
        name = r.choice(sorted(CATEGORIES))
        at, took = r.choice([-6, -1, 0, 0, 2, 5, 10, 15]), r.choice([1, 2, 4, 5, 8, 10, 16, 17, 20])
        category = CATEGORIES[name]
        at, took, thread = start + size * at // 20, max(size * took // 20, 1), r.choice(threads)
        if thread != threads[0]:  # no two threads do something for as long
            at, took = max(at, start) + thread, max(took - thread, 1)
        trace.span(category, name, at, took, thread)


def launch_of(r, gap_start, gap, threads):
    """When the call began that launched what ends the gap, and how long it took; None where it is not on record."""
    if r.random() < 0.12:
        return None
    if gap <= 0:
        return gap_start - r.choice([20, 100]) * US, 5 * US, r.choice(threads)
    took = r.choice([gap // 50, gap // 20, gap // 5, gap // 2, 0])
    begun = r.choice([-6, -1, 0, 4, 5, 9, 10, 12, 15, 16, 18, 19])
    return gap_start + gap * begun // 20, max(min(took, gap - gap * begun // 20), 0), r.choice(threads)


def steps_on_device(r, trace, device, kinds, numbers, threads):
    """Writes the steps of a device; [(number, start, end)] of their annotations, in ns."""
    found, at = [], 1_000 * US + r.choice([0, 200]) * US
    if r.random() < 0.3:
        trace.kernel(device, "lonely", at - 500 * US, 100 * US, launch=(at - 700 * US, 5 * US, threads[0]))
    for number in numbers:
        start, cursor, gaps = at, at, []
        cut = number == numbers[-1] and r.random() < 0.3
        kernels = r.choice(kinds)
        for place, (name, size, how) in enumerate(kernels[:len(kernels) // 2 + 1] if cut else kernels):
            first = place == 0
            gap = r.choice([0, 0, 0, 100, 300, 1_000] if first else [0, 0, 10, 49, 50, 100, 200, 1_000, 2_000, -20]) * US
            start_of = max(cursor + gap, start)
            if gap > 0:
                host_in_gap(r, trace, cursor, gap, threads)
                gaps.append(gap)
            given = {"stream": 7, "kind": "compute", "category": "kernel", **how}
            if name == PINNED and r.random() < 0.5:
                name = PAGEABLE
            trace.kernel(device, name, start_of, size * US, launch=launch_of(r, cursor, gap, threads), **given)
            cursor = max(cursor, start_of + size * US)
        if gaps:
            # So long that its idle time, or its longest gap, is at a threshold.
            want = r.choice([None, sum(gaps) * 10 // 3, max(gaps) * 10, sum(gaps) * 10 // 3 + 1, max(gaps) * 10 + 1])
            if want and start + want > cursor + 10 * US:
                size = start + want - cursor
                trace.kernel(device, "fill", cursor, size, launch=(start + 1, 1, threads[0]))
                cursor += size
        tail = r.choice([0, 0, 0, 100, 1_000, -30]) * US
        found.append((number, start, max(cursor + tail, start + 40 * US)))
        at = found[-1][2] + r.choice([0, 0, 300, 3_000]) * US
    return found


def rank(r, number, first_thread):
    trace = Trace(BASE + number * 700_000, number * 700_000, number, 8, first_thread=first_thread, types=TYPES)
    trace.name_process(900 + number, "python")
    threads, annotated = r.choice([[11], [11, 12], [11, 12, 13]]), {}
    trace.span("python_function", "main.py(1): main", 100, 50, threads[0])
    numbers = range(r.choice([0, 0, 5]), 99)[:r.choice([1, 2, 3, 4, 5])]
    for device in range(r.choice([1, 1, 2])):
        kinds = [recipe(r) for _ in range(r.choice([1, 1, 2]))]
        annotated[device] = steps_on_device(r, trace, device, kinds, numbers, threads)
        for step, start, end in annotated[device]:
            trace.add(ph="X", cat="gpu_user_annotation", name=f"ProfilerStep#{step}", pid=device, tid=7, ts=start, dur=end - start, args={})
    for step, start, end in annotated[0]:
        trace.span("user_annotation", f"ProfilerStep#{step}", start - 10 * US, end - start, threads[0], kind="marker")
    return trace, annotated


# ---- windows, groups and parts ----------------------------------------------------------------------------

def windows_of(trace, kernels, annotated, policy):
    found = []
    for place, (number, start, end) in enumerate(annotated):
        last = place + 1 == len(annotated)
        w = Window(str(number), trace.ps(start), trace.ps(end), "device_annotation", trace.ps(end), number)
        if policy == "guide":
            w.end = max(k.end for k in kernels if k.start >= w.start) if last else trace.ps(annotated[place + 1][1])
            w.open = last
        found.append(w)
    return found


def members(kernels, w):
    return [k for k in sorted(kernels, key=lambda k: (k.start, k.duration, k.row))
            if w.start <= k.start < w.end or (w.open and k.start == w.end)]


def main_stream(of):
    sums = {}
    for k in of:
        if k.kind == "compute":
            sums[k.stream] = sums.get(k.stream, 0) + k.duration
    return min(sums, key=lambda s: (-sums[s], s)) if sums else None


class Work:
    """What a step does."""

    def __init__(self, of):
        self.of, self.types, self.classes = of, {}, {}
        main = main_stream(of)
        sequence = [k.type for k in of if main is None or k.stream == main]
        self.sequence = tuple(t for n, t in enumerate(sequence) if n == 0 or t != sequence[n - 1])
        for k in of:
            self.types[k.type] = self.types.get(k.type, 0) + 1
            self.classes[k.kind] = self.classes.get(k.kind, 0) + k.duration
        order = ("compute", "aicpu", "comm", "copy", "other")
        self.dominant = max(order, key=lambda c: (self.classes.get(c, 0), -order.index(c)))

    def shared(self, other):
        return sum(min(n, other.types.get(t, 0)) for t, n in self.types.items())

    def same(self, other):
        most, least = max(len(self.of), len(other.of)), min(len(self.of), len(other.of))
        return self.dominant == other.dominant and (most - least) * 20 <= most and self.shared(other) * 10 >= most * 9


def group(steps):
    """`steps`: (device, position, work, service) -> lists of (device, position), and by step its list. Steps of one sequence on a
    device are taken for the first of them."""
    forms, form_of = [], {}
    for device, position, work, _ in steps:
        at = next((n for n, (on, form) in enumerate(forms) if on == device and form.sequence == work.sequence), len(forms))
        if at == len(forms):
            forms.append((device, work))
        form_of[device, position] = at
    root = list(range(len(forms)))
    for a, (_, one) in enumerate(forms):
        for b, (_, other) in enumerate(forms[:a]):
            if one.same(other):
                old, new = max(root[a], root[b]), min(root[a], root[b])
                root = [new if x == old else x for x in root]
    groups, services = {}, {}
    for device, position, _, service in steps:
        key = root[form_of[device, position]]
        groups.setdefault(key, []).append((device, position))
        services[key] = services.get(key, 0) + service
    ordered = sorted(groups.values(), key=lambda of: -services[root[form_of[of[0]]]])
    return ordered, {step: n for n, of in enumerate(ordered) for step in of}, {step: forms[at][1] for step, at in form_of.items()}


def median(values):
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return low + (high - low + 1) // 2


def is_cut(steps, groups, group_of, form_of, edge, neighbour):
    works = {(device, position): work for device, position, work, _ in steps}
    counts = [len(works[step].of) for step in groups[group_of[neighbour]]]
    if group_of[edge] == group_of[neighbour]:
        counts.remove(len(works[edge].of))
    if 10 * len(works[edge].of) >= 8 * max(median(counts), 1):
        return False
    small, whole = form_of[edge], form_of[neighbour]
    return 10 * small.shared(whole) >= 9 * len(small.of)


def periodic(types):
    """The op that comes back most evenly, by three runs at least that span half of the step."""
    best = None
    for op in dict.fromkeys(types):
        at = [n for n, t in enumerate(types) if t == op]
        if not 3 <= len(at) <= 512:
            continue
        distances = [b - a for a, b in zip(at, at[1:])]
        mean = Fraction(sum(distances), len(distances))
        if 2 * (sum(distances) + mean) < len(types):
            continue
        key = (Fraction(sum(d * d for d in distances), len(distances)) / mean ** 2 - 1, -len(at), at[0])
        if best is None or key < best[0]:
            best = (key, op)
    return best[1] if best and best[0][0] <= 1 else None


def parts(of):
    """(parts, by what, why none) of a step's kernels."""
    types = [k.type for k in of]
    runs = {t: types.count(t) for t in types if "flash_fwd" in t}
    anchor, by = max(runs, key=lambda t: runs[t], default=None), "attention"
    if anchor is None or runs[anchor] < 2:
        anchor, by = periodic(types), "periodic op"
    if anchor is not None:
        cuts = [n for n, t in enumerate(types) if t == anchor]
        last, before = cuts[-1], cuts[-2]
        same = 0
        while before + same < last and last + same < len(types) and types[before + same] == types[last + same]:
            same += 1
        tail = last + max(same, 1)
    else:
        holes, reached = [], None
        for n, k in enumerate(of):
            if k.duration > 0 and reached is not None and k.start > reached:
                holes.append((k.start - reached, n))
            if k.duration > 0:
                reached = k.end if reached is None else max(reached, k.end)
        if not holes:
            return (), "", MISSING
        least = max(5 * median([size for size, _ in holes]), 100_000_000)
        cuts, by, tail = [0] + [n for size, n in holes if size >= least and types[n - 1] != types[n]], "gaps", len(of)
        if len(cuts) < 2:
            return (), "", MISSING
    found = ([("head", 0)] if cuts[0] > 0 else []) + [("part", n) for n in cuts]
    return tuple(found + ([("tail", tail)] if tail < len(of) else [])), by, ""


def capture(r, policy):
    """A capture as the model takes it, and its files."""
    ranks = [rank(r, 0, 0)]
    if r.random() < 0.5:
        ranks.append(rank(r, 1, len(ranks[0][0].threads)))
    devices, steps = [], []
    for number, (trace, annotated) in enumerate(ranks):
        whole = all(t % US == 0 for k in trace.events if k.get("cat") in ("kernel", "gpu_memcpy") for t in (k["ts"], k["dur"]))
        for gpu in sorted(annotated):
            kernels = trace.kernels[gpu]
            windows = windows_of(trace, kernels, annotated[gpu], policy)
            for position, w in enumerate(windows):
                of = members(kernels, w)
                w.parts, w.parts_by, w.parts_missing = parts(of) if of else ((), "", "the step has no kernel")
                steps.append((len(devices), position, Work(of), w.end - w.start))
            twice = len(ranks) == 2 and all(gpu in on for _, on in ranks)
            devices.append(Device(f"GPU {gpu}" + f" of rank {number}" * twice, "gpu", kernels, windows, "device annotations", number,
                                  number, number, resolution=1_000_000 if whole else 1_000))
    groups, group_of, form_of = group(steps)
    for number, device in enumerate(devices):
        last = len(device.windows) - 1
        if last >= 2:
            for edge, neighbour in ((0, 1), (last, last - 1)):
                device.windows[edge].cut = is_cut(steps, groups, group_of, form_of, (number, edge), (number, neighbour))
    meanings = {**SPANS, **{name: SPANS.get(name, (None, False, False)) for name in CATEGORIES}}
    return Capture(devices, [trace.spans for trace, _ in ranks], BASE, groups, stacks=True, runtime=True, names_origins=True,
                   meanings=meanings, pageable=(PAGEABLE,)), {f"rank{n}.pt.trace.json": trace.text() for n, (trace, _) in enumerate(ranks)}
