"""Random ranks of Ascend of which only tables are there: waits, AI CPU ops, counters, shapes, and steps known by their ids."""
import json
from fractions import Fraction

from ascend import Rank
from idle_model import Capture, Device, Window, quantile
from idle_random import groups_of, parts_of, work_of

BASE = 1_764_246_877 * 10 ** 9
ATTENTION = "FlashAttentionScore"
GAPS = [0, 0, 1_000, 9_000, 10_000, 11_000, 49_999, 50_000, 50_001, 100_000, 400_000, 1_000_000]
OPS = {  # op type -> name, core, stream
    "MatMulV3": ("aclnnMatmul", "AI_CORE", 2), "Add": ("aclnnAdd", "AI_VECTOR_CORE", 2), ATTENTION: ("Attention", "MIX_AIC", 2),
    "Mul": ("aclnnMul", "AI_VECTOR_CORE", 19), "Cast": ("aclnnCast", "AI_CPU", 17), "NonZero": ("aclnnNonZero", "AI_CPU", 18),
    "hcom_send_": ("hcom_send__1_0", "HCCL", 46), "memcpy": ("MEMCPY", "MEMCPY_ASYNC", 50), "Strange": ("strange", "NEW_UNIT", 51)}
RATIOS = ["0.125", "0.25", "0.5", "0.499999", "0.75"]


def add_device(r, rank, device, pattern, count, at):
    for step in range(count):
        cursor = at + 5_000_000 * step
        for op_type in pattern:
            name, core, stream = OPS[op_type]
            cursor += r.choice(GAPS)
            duration = r.choice([4_000, 5_000, 9_999, 10_000, 10_001, 20_000, 50_000, 100_000])
            if core in ("AI_CPU", "HCCL"):
                duration *= 2
            wait = r.choice([None, 0, 0, 1_000, duration, 4 * duration, 19 * duration, 95_000, 100_000])
            # Of an op the same unit computes most in every kernel.
            counters = {"aic_mac_ratio": r.choice(RATIOS), "aic_mte2_ratio": r.choice(RATIOS),
                        "cube_utilization(%)": r.choice(["50.0", "99.5"])}
            if op_type == ATTENTION:
                counters["aiv_vec_ratio"] = "0.8"
            if op_type == "Add":
                counters = {"aiv_vec_ratio": r.choice(RATIOS), "aiv_mte2_ratio": "0.5", "aic_mte2_ratio": "0.5"}
            if core not in ("AI_CORE", "MIX_AIC", "AI_VECTOR_CORE"):
                counters = None
            name = f"{name}_{len(rank.lines)}" if core == "HCCL" else name  # listed twice it would count once
            rank.kernel(device, name, op_type, core, cursor, duration, wait, stream, str(step), counters=counters,
                        shapes="8,16" if not rank.lines else r.choice(["8,16", "8,16", "8,32"]) if op_type in ("MatMulV3", "Add") else "")
            cursor += duration if stream == 2 else r.choice([0, duration // 10, duration // 5, duration // 2, duration])


def windows_of(kernels, count):
    """From the first kernel with an id to the end of the last, or to the next step."""
    windows, cut = [], 0
    for n in range(count):
        own = [k for k in kernels if k.step == str(n)]
        end = max(k.end for k in own)
        windows.append(Window(str(n), min(k.start for k in own), end, "step_id", end, n, parts_by="attention"))
    for w, following in zip(windows, windows[1:]):
        cut += w.end > following.start
        w.end = min(w.end, following.start)
    for w in windows:
        w.parts = parts_of(members_of(kernels, w), ATTENTION)
    return windows, cut


def members_of(kernels, w):
    return sorted((k for k in kernels if w.start <= k.start < w.end), key=lambda k: (k.start, k.duration, k.row))


def find_cuts(devices, groups):
    """The first and the last step of a device are cut where they do less than four fifths of what is usual in the group of their
    neighbour, and nine tenths of it the neighbour did, too."""
    of_step = {step: group for group, steps in enumerate(groups) for step in steps}
    for at, device in enumerate(devices):
        known = {}
        works = [work_of(members_of(device.kernels, w), known)[1] for w in device.windows]
        for edge, neighbour in ((0, 1), (len(works) - 1, len(works) - 2)):
            own = len(members_of(device.kernels, device.windows[edge]))
            steps = [step for step in groups[of_step[at, neighbour]] if step != (at, edge)]
            usual = quantile([len(members_of(devices[d].kernels, devices[d].windows[n])) for d, n in steps], 50)
            shared = sum(min(works[edge].count(name), works[neighbour].count(name)) for name in set(works[edge]))
            device.windows[edge].cut = 5 * own < 4 * usual and 10 * shared >= 9 * len(works[edge])


def variation_of(devices, groups):
    """By group: positions of steps that do the work of an earlier one of their device with as many kernels, and how many of those
    positions ever had other shapes than in the first."""
    found = {}
    for group, steps in enumerate(groups):
        aligned = varying = 0
        for at, device in enumerate(devices):
            known, firsts = {}, {}
            for position, w in enumerate(device.windows):
                of = members_of(device.kernels, w)
                shapes = [k.shapes for k in of]
                first = firsts.setdefault(id(work_of(of, known)), [shapes, None, (at, position)])
                if first[0] is not shapes and len(first[0]) == len(shapes):
                    first[1] = [a or b != c for a, b, c in zip(first[1] or [False] * len(shapes), shapes, first[0])]
            for _, varies, step in firsts.values():
                if varies is not None and step in steps:
                    aligned, varying = aligned + len(varies), varying + sum(varies)
        found[group] = (aligned, varying)
    return found


def capture(r):
    pattern = ["MatMulV3", ATTENTION] + [r.choice(sorted(OPS)) for _ in range(r.randrange(5, 12))] + ["Add", ATTENTION, "MatMulV3"]
    ranks, devices, files = [], [], {}
    for number in (0, 1):
        rank = Rank(BASE, 50 * number)
        for device in ((0, 1) if number == 0 else (0,)):
            count = r.choice([3, 4])
            add_device(r, rank, device, pattern, count, BASE + r.choice([0, 1_000_000, 7_000_500]))
            windows, cut = windows_of(rank.kernels[device], count)
            devices.append(Device("NPU 1" if device == 1 else f"NPU 0 of rank {number}", "npu", rank.kernels[device], windows, "step ids",
                                  0, number, number, tells_launches=False, has_shapes=True, windows_cut=cut))
        ranks.append(rank)
        files[f"rank{number}_ascend_pt/profiler_info_{number}.json"] = json.dumps({"config": {"common_config": {}}, "rank_id": number})
        files[f"rank{number}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"] = rank.table()
    groups = groups_of(devices)
    find_cuts(devices, groups)
    rows = [k for rank in ranks for k in sorted((k for of in rank.kernels.values() for k in of), key=lambda k: k.row)]
    return Capture(devices, [None, None], BASE, groups, cores=tuple(dict.fromkeys(k.core for k in rows)),
                   shape_variation=variation_of(devices, groups)), files


def thresholds(r, of):
    """Numbers of the capture that are met exactly, or missed by a millionth."""
    op, kernel = r.choice(of.ops), r.choice([k for kernels in of.kernels for k in kernels if k.wait] or of.kernels[0])
    m, clocks = r.choice(of.measures), of.clocks(r.choice(of.measures)["members"])
    gap = r.choice([g for g in of.gaps if g.step is not None])
    w = of.steps[gap.step][1]
    exact = {"wait_anchor_ratio": Fraction(op["wait"], op["duration"] + op["wait"]),
             "wait_anchor_duration_us": Fraction(op["duration"], len(op["kernels"]) * 10 ** 6), "wait_anchor_rank": r.randrange(1, 6),
             "wait_heavy": Fraction(kernel.wait or 0, kernel.cost), "small_kernel_us": Fraction(r.choice([5, 10, 20, 50])),
             "aicpu_adjacent_us": Fraction(r.choice([0, 1, 9, 11])), "unit_bound": Fraction(r.choice([25, 50, 75]), 100),
             "heavy_gap_us": Fraction(gap.length, 10 ** 6), "heavy_share": Fraction(gap.length, w.end - w.start),
             "idle_ratio": Fraction(m["idle"], m["service"]), "wait_danger": Fraction(clocks[3], clocks[2]),
             "parallel": Fraction(clocks[2], clocks[0]), "sparse": Fraction(clocks[1], clocks[0]),
             "reportable_gap_us": r.choice([Fraction(50), Fraction(10), Fraction(50_001, 1000)]), "inter_step_factor": r.randrange(1, 5),
             "small_op_share": Fraction(op["duration"] + sum(op["gaps"]), sum(n["service"] for n in of.measures) // 3)}
    if m["wait"]:
        exact["polluted_wait"] = Fraction(m["polluted"], m["wait"])
    aicpu = [of.exposure(d, k) + (k.duration,) for d, kernels in enumerate(of.kernels) for k in kernels if k.kind == "aicpu"]
    if aicpu:
        _, left, whole = r.choice(aicpu)
        share = Fraction(whole - left, whole)
        exact["aicpu_masked" if share > Fraction(1, 2) else "aicpu_exposed"] = share
        exact["aicpu_exposed_us"] = Fraction(left, 10 ** 6)
        exact["aicpu_exposed_share"] = Fraction(left, m["service"])
    names = r.sample(sorted(exact), 12)
    rounded = lambda value: Fraction((value * 10 ** 6).__floor__() + r.choice([0, 0, 0, 1]), 10 ** 6)
    return {name: str(exact[name]) if isinstance(exact[name], int) else f"{float(rounded(exact[name])):.6f}" for name in names}
