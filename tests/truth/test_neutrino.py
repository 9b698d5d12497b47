"""What probes recorded: two kernels, launched again and again, with four maps each; every slice in every form."""
import hashlib
import re
import struct
import sys

import arrow
import truth

PID = 4242
COMMAND = "python \"train\", größe"
TIME_NS = 1_763_158_400_000_000_000
MAPS = [("sched", "warp", [("start", "u64"), ("elapsed", "u32"), ("cuid", "u32")], 1),
        ("refs", "thread", [("clock", "u64"), ("addr", "u64")], 3),
        ("ticks", "thread", [("clock", "u64")], 4),
        ("moved", "thread", [("sync_bytes", "u32"), ("async_bytes", "u32")], 1)]
WARP = 32


def record_bytes(fields):
    return sum(8 if t == "u64" else 4 for _, t in fields)


class Kernel:
    def __init__(self, function, name, params, grid, block, log, launches):
        self.function, self.name, self.params, self.grid, self.block = function, name, params, grid, block
        self.log, self.launches = log, launches
        self.folder = None


class Launch:
    """`times`: prologue, kernel and epilogue in ps. Without a name of a record file the launch ran without its probe."""

    def __init__(self, kernel, after_us, times, file=None, params=(), memory=None):
        self.kernel, self.after_us, self.times, self.file, self.params, self.memory = (
            kernel, after_us, times, file, params, memory)

    @property
    def blocks(self):
        x, y, z = self.kernel.grid
        return x * y * z

    @property
    def threads(self):
        x, y, z = self.kernel.block
        return x * y * z

    def lanes(self, level):
        return self.threads // WARP if level == "warp" else self.threads

    def records(self, index):
        """Of each block and lane of a map, the values of its records."""
        _, level, _, cap = MAPS[index]
        make = (self.sched, self.refs, self.ticks, self.moved)[index]
        return {(b, n): make(b, n)[:cap] for b in range(self.blocks) for n in range(self.lanes(level))}

    def sched(self, block, warp):
        """Touching blocks, equal starts, one that took no time, one that recorded nothing, warps that lag."""
        if block == 5 and self.kernel.grid[0] == 2:
            return []
        start, elapsed = [(1000, 500), (1000, 500), (1532, 250), (1400, 300), (1900, 0), (1950, 90)][block]
        seed = len(self.file or "")
        return [(start + 7 * warp, elapsed + 13 * warp + (seed if elapsed else 0), (0, 0, 0, 5, 0, 5)[block])]

    def refs(self, block, thread):
        base = 0x7F00_0000_0000
        count = (block + thread) % 4
        page = (0, 1, 2, 9)[thread % 4]
        return [(10 * (k + 1) + thread % 3, base + (page << 16) + 64 * k + block) for k in range(count)]

    def ticks(self, block, thread):
        count = (block * 3 + thread) % 5
        rows = [(100 + 10 * block + 2 ** k * (thread % 7 + 1),) for k in range(count)]
        return rows[::-1] if thread == 9 else rows  # of one thread each sample lies before the last

    def moved(self, block, thread):
        return [(thread * 16 if thread % 3 else 0, 4 * block if thread % 2 else 0)]

    def bytes(self):
        head = struct.pack("<8I", *self.kernel.grid, *self.kernel.block, 128, len(MAPS))
        table, body = b"", b""
        for i, (_, level, fields, cap) in enumerate(MAPS):
            lane_bytes = record_bytes(fields) * cap
            table += struct.pack("<IIQ", lane_bytes, WARP if level == "warp" else 1, 32 + 16 * len(MAPS) + len(body))
            form = "<" + "".join("Q" if t == "u64" else "I" for _, t in fields)
            for rows in self.records(i).values():
                body += b"".join(struct.pack(form, *r) for r in rows).ljust(lane_bytes, b"\0")
        return head + table + body


def capture():
    first = Kernel("0xa1", "_Z4gemmPf", 2, (2, 3, 1), (64, 1, 1),
                   "ptxas info : Used 40 registers, 400 bytes\nptxas info : Used 32 registers\nptxas info : Used 24 registers\ndone \n", [])
    second = Kernel("0xb2", "softmax, \"x\" größe", 1, (1, 1, 2), (32, 2, 1), "", [])
    ms = 1_000_000_000
    launches = [
        Launch(first, 0, (5 * ms, 2 * ms, 3 * ms), "0.500000.bin", (0xff, 0x7f0000000000), 4096),
        Launch(second, 500_000, (ms, ms // 4, ms // 8), "9.000001.bin", (1,), 512),
        Launch(first, 9_500_000, (5 * ms, 3 * ms, 2 * ms + 1000), "10.250000.bin", (), 8192),
        Launch(second, 9_700_000, (ms, ms // 4, ms), "10.300000.bin", (2,), 512),
        Launch(second, 9_900_000, None, None, (3,), 512)]
    return [first, second], launches


# ---- what is written ----

def milliseconds(ps):
    return f"{ps // 10 ** 9}.{ps % 10 ** 9 // 1000:06}"


def write(root, kernels, launches):
    lines = [
        f"[init] pid {PID}",
        f"[init] cmd {len(COMMAND.encode())} {COMMAND}#stray",
        "[init] dl 0x13f9690",
        "[init] success",
        "what is this",
        "[mem] cuMemAlloc_v2 0 dptr 7f1292000000 bytesize 33554432",
    ]
    seen = set()
    for k in kernels:
        lines.append(f"[mod] cuModuleGetFunction func {k.function} mod 0x1 name {k.name}")
    for launch in launches:
        k = launch.kernel
        if k.function not in seen:
            seen.add(k.function)
            k.folder = f"{kernels.index(k)}_{hashlib.sha1(k.name.encode()).hexdigest()}"
            at = f"./trace/kernel/{k.folder}"
            lines += [f"[exec] funcmap-not-find {k.function}",
    f"[probe] find {k.function} name {k.name} bin 0x7f size 496",
    f"[probe] rename {k.name} {k.folder}",
    f"[probe] mkdir {at}",
    f"[probe] write {at}/original.bin",
    f"[probe] subproc python {at}",
    "[probe] python succeed",
    f"[probe] read {at}/kernel.info name {k.name} n_param {k.params} n_probe {len(MAPS)} ",
     f"[probe] finish {k.function} name {k.name} n_param {k.params}"]
        lines.append(f"[exec] funcmap-find {k.function} success")
        lines.append(f"[exec] {time_of(launch)} param " + "".join(f"{p:x} " for p in launch.params))
        grid = f"{' '.join(map(str, k.grid))} block {' '.join(map(str, k.block))} shared 128"
        if launch.file is None:
            lines += [f"[exec] probe-mem {launch.memory} (bytes)", f"[exec] backup {grid}"]
            continue
        lines.append(f"[exec] grid {grid}")
        for _, level, fields, cap in MAPS:
            word, lanes = ("warp ", launch.lanes("warp")) if level == "warp" else ("block", launch.threads)
            size = record_bytes(fields) * cap
            lines.append(
                f"[exec] grid {launch.blocks} {word} {lanes} probe {size} total {launch.blocks * lanes * size}")
        lines += [f"[exec] probe-mem {launch.memory} (bytes)", "[exec] succeed 0",
                  f"[exec] save ./trace/result/{launch.file} size {len(launch.bytes())}",
                  "[exec] prologue {} kernel {} epilogue {} ratio 7.500000".format(*map(milliseconds, launch.times)),
                  "[callback] subproc python x", "[callback] succeed"]
    toml = "regs = 5\n[probe.begin]\nlevel = \"warp\"\npos = \"kernel\"\nbefore = \"mov.u64 %NR0, %clock64;\"\n" \
           "after = \"SAVE [ sched ] { %NR0 }\"\n[probe.\"größe\"]\nlevel = \"thread\"\nposition = \"ld.global\"\n"
    for name, level, fields, cap in MAPS:
        toml += f"[map.{name}]\nlevel = \"{level}\"\ntype = \"array\"\nsize = {record_bytes(fields)}\ncap = {cap}\n"
        toml += f"[map.{name}.regs]\n" + "".join(f"{f} = [\"{t}\", \"None\",]\n" for f, t in fields)
    files = {"event.log": "\n".join(lines) + "\n", "probe.toml": toml, "tensor.trace": TENSORS}
    for k in kernels:
        info = f"{k.name}\n{k.params}\n{len(MAPS)}\n" + "".join(
            f"{0 if level == 'thread' else 1},{record_bytes(fields) * cap}\n" for _, level, fields, cap in MAPS)
        files[f"kernel/{k.folder}/kernel.info"] = info
        if k.log:
            files[f"kernel/{k.folder}/process.log"] = k.log
    for launch in launches:
        if launch.file:
            files[f"result/{launch.file}"] = launch.bytes()
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return lines


def time_of(launch):
    return TIME_NS + launch.after_us * 1000


# Two entries of one address, of which the newer counts; one that ends within a page.
TENSORS = """\
[call]  5  [4, 4]  65536  139637976727552  old  f  a.py:1
[call]  9  [2, 8]  65600  139637976727552  w "x"  g  b, c.py:2
no entry
[call]  9  [8]  100  139637976858624  größe  h  d.py:3
"""
ALLOCATIONS = [(9, "[2, 8]", 65600, 0x7F0000000000, "w \"x\"", "g", "b, c.py:2"),
               (9, "[8]", 100, 139637976858624, "größe", "h", "d.py:3")]
KINDS = {
    "[init] pid": "init.pid",
    "[init] cmd": "init.cmd",
    "[init] dl": "init.dl",
    "[init] success": "init.ok",
    "[mem] cuMemAlloc": "mem.alloc",
    "[mod] cuModuleGetFunction": "mod.func",
    "[exec] funcmap-not-find": "exec.miss",
    "[exec] funcmap-find": "exec.hit",
    "[probe] find": "probe.find",
    "[probe] rename": "probe.rename",
    "[probe] mkdir": "probe.mkdir",
    "[probe] write": "probe.write",
    "[probe] subproc": "probe.subproc",
    "[probe] python": "probe.py",
    "[probe] read": "probe.read",
    "[probe] finish": "probe.finish",
    "[exec] probe-mem": "exec.mem",
    "[exec] succeed": "exec.ok",
    "[exec] save": "exec.save",
    "[exec] prologue": "exec.times",
    "[exec] backup": "exec.backup",
    "[callback] subproc": "callback.sub",
     "[callback] succeed": "callback.rc"}


def kind_of(line):
    for start, kind in KINDS.items():
        if line.startswith(start):
            return kind
    if re.match(r"\[exec\] \d+ param", line):
        return "exec.param"
    if re.match(r"\[exec\] grid \d+ \d+ \d+ block", line):
        return "exec.launch"
    if re.match(r"\[exec\] grid \d+ (block|warp )", line):
        return "exec.map.warp" if "warp" in line else "exec.map.thread"
    return None


# ---- what is expected ----

def log2_histogram(values):
    """Bucket 0 counts zeros, bucket i what is at least 2^(i-1) and less than 2^i."""
    out = [0] * max([v.bit_length() + 1 for v in values], default=0)
    for v in values:
        out[v.bit_length()] += 1
    return out


def median(values):
    values = sorted(values)
    if not values:
        return None
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else values[middle - 1] + (values[middle] - values[middle - 1]) // 2


def used(rows):
    """Without the zeros at the end, which nobody can tell from an unused place."""
    rows = list(rows)
    while rows and not any(rows[-1]):
        rows.pop()
    return rows


class Schedule:
    def __init__(self, launch):
        self.blocks, self.skew, self.empty = [], [], 0
        records = launch.records(0)
        for b in range(launch.blocks):
            warps = [records[b, w][0] for w in range(launch.lanes("warp")) if used(records[b, w])]
            if not warps:
                self.empty += 1
                continue
            ends = [s + e for s, e, _ in warps]
            starts, lengths = [s for s, _, _ in warps], [e for _, e, _ in warps]
            mean = sum(lengths) / len(lengths)
            self.skew.append(
                (b, max(starts) - min(starts), max(ends) - min(ends), max(lengths) / mean if mean else 0.0)
            )
            self.blocks.append((warps[0][2], b, min(starts), max(ends)))
        self.sms = {}
        for sm in sorted({x[0] for x in self.blocks}):
            self.sms[sm] = self.slots(sorted((x[1:] for x in self.blocks if x[0] == sm), key=lambda x: (x[1], x[0])))

    @staticmethod
    def slots(blocks):
        """Each takes the free slot that ended last, the lowest of equals."""
        ends, placed, gap, gaps = [], [], 0, 0
        for b, start, end in blocks:
            free = [(-e, i) for i, e in enumerate(ends) if e <= start]
            if free:
                at = min(free)[1]
                gap, gaps = gap + start - ends[at], gaps + 1
                ends[at] = end
            else:
                at = len(ends)
                ends.append(end)
            placed.append((b, at, start, end))
        first, last = min(p[2] for p in placed), max(ends)
        busy = sum(p[3] - p[2] for p in placed)
        return {"blocks": placed,
    "slots": len(ends),
    "gap": gap,
    "gap_count": gaps,
    "busy": busy,
    "first": first,
    "last": last,
     "residency": busy / ((last - first) * len(ends)) if last != first else None}


class Answer:
    def __init__(self, root, kernels, launches, lines):
        self.root, self.kernels, self.launches, self.lines = root, kernels, launches, lines
        self.bins = sorted((n for n in launches if n.file), key=lambda n: float(n.file[:-4]))

    def frame(self, name, **more):
        return {"schema": "profkit.neutrino", "version": 1, "status": "ok", "reason": None, "slice": name, **more,
                "files": [{"path": str(self.root), "family": "neutrino", "export_of": -1}], "damage": []}

    def launch_rows(self):
        out = []
        for i, n in enumerate(self.launches):
            times = [truth.fractions.Fraction(t, 10 ** 9) for t in n.times] if n.times else [None] * 3
            line = next(j for j, text in enumerate(self.lines) if text.startswith(f"[exec] {time_of(n)} param"))
            k = n.kernel
            first = next(m for m in self.launches if m.kernel is k) is n
            line -= 10 if first else 1
            out.append({
                "launch": i, "kernel": k.name, "kernel_index": self.kernels.index(k), "func": k.function,
                "grid_dim": list(k.grid), "block_dim": list(k.block), "shared_bytes": 128, "time_ns": str(time_of(n)),
                "params": [str(p) for p in n.params], "params_torn": False, "probe_mem_bytes": n.memory,
                "prologue_ms": times[0], "kernel_ms": times[1], "epilogue_ms": times[2], "original_ms": None,
                "outcome": "ok" if n.file else "memusage", "return_code": None,
                "callback": "succeeded" if n.file else "none", "bin": n.file, "bin_present": n.file is not None,
                "log_line": line + 1})
        return out

    def kernel_rows(self):
        out = []
        for i, k in enumerate(self.kernels):
            registers = [int(r) for r in re.findall(r"Used (\d+) registers", k.log)] + [None, None]
            reason = [line.strip() for line in k.log.splitlines() if line.strip()]
            out.append({
                "kernel_index": i, "name": k.name, "func": k.function, "module_name": k.name, "found_name": k.name,
                "engine_name": k.name, "folder": k.folder, "folder_index": i, "status": "ok",
                "engine_reason": reason[-1] if reason else None, "probed_registers": registers[0],
                "pruned_registers": registers[1], "param_count": k.params,
                "maps": [{"level": level, "lane_bytes": record_bytes(f) * cap} for _, level, f, cap in MAPS], "hook": None,
                "names_differ": False, "hash_differs": False, "launches": sum(n.kernel is k for n in self.launches),
                "files": ["kernel.info"] + ["process.log"] * bool(k.log)})
        return out

    def map_rows(self):
        out = []
        for n in self.bins:
            offset = 32 + 16 * len(MAPS)
            for i, (name, level, fields, cap) in enumerate(MAPS):
                size, lanes = record_bytes(fields) * cap, n.blocks * n.lanes(level)
                counts = [len(used(rows)) for rows in n.records(i).values()]
                full = sum(c == cap for c in counts)
                out.append({
                    "bin": n.file, "map": name, "level": level, "fields": [f for f, _ in fields], "types": [t for _, t in fields],
                    "declared": list(range(len(fields))), "record_bytes": record_bytes(fields), "lane_bytes": size,
                    "offset": offset, "bytes": size * lanes, "present_bytes": size * lanes, "recorded_offset": offset,
                    "lanes_per_block": n.lanes(level), "lanes": lanes, "used_lanes": sum(c > 0 for c in counts),
                    "full_lanes": full, "missing_lanes": 0, "capacity": cap, "records": sum(counts),
                    "clock": "sm_cycles", "flags": ["possible_overflow"] if full and cap > 1 else []})
                offset += size * lanes
        return out

    def bin_rows(self):
        return [{"bin": n.file, "file_bytes": len(n.bytes()), "elapsed_us": int(n.file[:-4].replace(".", "")),
                 "launch": self.launches.index(n), "kernel": n.kernel.name, "grid_dim": list(n.kernel.grid),
                 "block_dim": list(n.kernel.block), "shared_bytes": 128, "status": "ok", "sections": "warp_width",
                 "map_count": len(MAPS), "trailing_bytes": 0} for n in self.bins]

    def overhead_rows(self):
        out = []
        for k in self.kernels:
            own = [n for n in self.launches if n.kernel is k]
            timed = [n.times for n in own if n.times]
            medians = [truth.fractions.Fraction(median([t[i] for t in timed]), 10 ** 9) for i in range(3)]
            ratios = sorted(sum(t) / t[1] for t in timed)
            middle = len(ratios) // 2
            ratio = ratios[middle] if len(ratios) % 2 else ratios[middle - 1] + \
                                          (ratios[middle] - ratios[middle - 1]) / 2
            total = sum(t[1] for t in timed)
            out.append((total, {
                "kernel": k.name, "kernel_index": self.kernels.index(k), "func": k.function, "launches": len(own),
                "timed": len(timed), "backups": 0, "median_kernel_ms": medians[1], "median_prologue_ms": medians[0],
                "median_epilogue_ms": medians[2], "total_kernel_ms": truth.fractions.Fraction(total, 10 ** 9),
                "total_ms": truth.fractions.Fraction(sum(sum(t) for t in timed), 10 ** 9), "median_ratio": ratio,
                "max_probe_mem_bytes": max(n.memory for n in own), "benchmarked": 0, "mean_impact": None, "total_impact": None}))
        return [row for _, row in sorted(out, key=lambda r: -r[0])]

    def summary(self):
        start = max(time_of(n) - int(n.file[:-4].replace(".", "")) * 1000 for n in self.bins)
        trace = {"path": str(self.root),
    "pid": str(PID),
    "command": COMMAND,
    "start_unix_ns": str(start),
    "log": True,
    "unknown_log_lines": 1,
    "launches": len(self.launches),
    "kernels": len(self.kernels),
    "bins": len(self.bins),
    "probes": [{"name": "begin",
    "level": "warp",
    "position": "kernel"},
    {"name": "größe",
    "level": "thread",
    "position": "ld.global"}],
    "description_damage": None,
     "warnings": []}
        return self.frame("summary", trace=trace, **self.launch_part(), **self.kernel_part(), **self.map_part(),
                          **self.overhead_part())

    def launch_part(self):
        return {"launches": self.launch_rows(), "launch_count": len(self.launches)}

    def kernel_part(self):
        return {"kernels": self.kernel_rows(), "kernel_count": len(self.kernels)}

    def map_part(self):
        return {
            "maps": self.map_rows(),
            "map_count": len(self.map_rows()),
            "bins": self.bin_rows(),
            "bin_count": len(self.bins),
        }

    def overhead_part(self):
        return {"overhead": self.overhead_rows(), "overhead_count": len(self.overhead_rows())}

    def log(self):
        counts = {}
        for line in self.lines:
            if kind_of(line):
                counts[kind_of(line)] = counts.get(kind_of(line), 0) + 1
        return self.frame("log", log={
            "present": True, "lines": len(self.lines), "unknown": 1, "samples": [{"line": 5, "text": "what is this"}],
            "kinds": [{"kind": k, "lines": counts[k]} for k in sorted(counts)], "repeated_launches": 0, "benchmark": False,
            "pid": str(PID), "command": COMMAND, "warnings": []})

    def of_map(self, name, launch, index, flags=None, **more):
        row = next(r for r in self.map_rows() if r["bin"] == launch.file and r["map"] == MAPS[index][0])
        del row["flags"][:]  # told of a map when its records are counted
        return self.frame(name, bin=launch.file, map=MAPS[index][0], matches=1 if flags is None else flags, **more,
                          flags=row["flags"])

    def record_rows(self, launch, index, block=None, lane=None):
        return [{"block": b, "lane": n, "k": k, "values": [str(v) for v in values]}
                for (b, n), rows in launch.records(index).items() if block in (None, b) and lane in (None, n)
                for k, values in enumerate(used(rows))]

    def schedule(self, launch, limit=None):
        s = Schedule(launch)
        residencies = [m["residency"] for m in s.sms.values() if m["residency"] is not None]
        return self.of_map(
            "schedule", launch, 0, clock="sm_cycles",
            sms=[{"sm": sm, "slots": m["slots"], "busy": m["busy"], "gap": m["gap"], "gap_count": m["gap_count"],
                  "residency": m["residency"], "first_start": m["first"], "last_end": m["last"],
                  "block_count": len(m["blocks"]), "blocks": [[b, start, end] for b, _, start, end in m["blocks"][:limit]]}
                 for sm, m in s.sms.items()],
            mean={"busy": sum(m["busy"] for m in s.sms.values()) / len(s.sms),
                  "gap": sum(m["gap"] for m in s.sms.values()) / len(s.sms),
                  "residency": sum(residencies) / len(residencies) if residencies else None,
                  "imbalance": sum(x[3] for x in s.skew) / len(s.skew)},
            block_count=launch.blocks, blocks_without_records=s.empty, max_start_skew=max(x[1] for x in s.skew),
            max_end_skew=max(x[2] for x in s.skew),
            skew=[{"block": b, "start_skew": a, "end_skew": e, "imbalance": i} for b, a, e, i in s.skew[:limit]])

    def totals(self, launch, limit=None):
        records = launch.records(3)
        rows = {at: r[0] for at, r in records.items()}
        fields = []
        for i, (name, _) in enumerate(MAPS[3][2]):
            values = [r[i] for r in rows.values()]
            fields.append({"field": name, "sum": sum(values), "least": min(values), "most": max(values),
                           "log2_histogram": log2_histogram(values)})
        warps = {}
        for (b, n), r in rows.items():
            warps[b, n // WARP] = max(warps.get((b, n // WARP), 0), r[0])
        blocks = [sum(sum(r) for (at, _), r in rows.items() if at == b) for b in range(launch.blocks)]
        return self.of_map("bytes",
    launch,
    3,
    level="thread",
    total=sum(blocks),
    lanes=len(rows),
    zero_lanes=sum(not any(r) for r in rows.values()),
    overflowed=False,
    warp_sum=sum(warps.values()),
    totals=fields,
    block_count=launch.blocks,
     per_block=blocks[:limit])

    def progress(self, launch):
        rows = [[v for v, in r] for r in launch.records(2).values()]
        steps = [b - a for r in rows for a, b in zip(r, r[1:])]
        forward = [s for s in steps if s >= 0]
        return self.of_map(
            "progress", launch, 2, clock="sm_cycles", samples=sum(map(len, rows)), lanes=len(rows),
            full_lanes=sum(len(r) == 4 for r in rows), samples_log2_histogram=log2_histogram([len(r) for r in rows]),
            deltas=len(steps), backward=sum(s < 0 for s in steps), least_delta=min(forward), most_delta=max(forward),
            mean_delta=sum(forward) / len(forward), delta_log2_histogram=log2_histogram(forward))

    def density(self, launch, width=16, height=10):
        rows = [r for lane in launch.records(1).values() for r in lane]
        places = launch.blocks * launch.threads * 3
        pages = sorted({a >> 16 << 16 for _, a in rows})
        span = max(c for c, _ in rows) + 1
        grid = [[0] * width for _ in range(height)]
        cells = {}
        for clock, address in rows:
            page = address >> 16 << 16
            grid[pages.index(page) * height // len(pages)][clock * width // span] += 1
            cells[clock, page] = cells.get((clock, page), 0) + 1
        groups = []
        for page in pages:
            count = sum(a >> 16 << 16 == page for _, a in rows)
            if groups and page - int(groups[-1]["last_page"]) <= 0x10000:
                groups[-1].update(last_page=str(page), pages=groups[-1]["pages"] + \
                                  1, references=groups[-1]["references"] + count)
            else:
                groups.append({"first_page": str(page), "last_page": str(page), "pages": 1, "references": count})
        tensors = []
        for time, shape, size, address, variable, function, place in sorted(ALLOCATIONS, key=lambda t: t[3]):
            tensors.append({"address": str(address),
    "bytes": size,
    "shape": shape,
    "variable": variable,
    "function": function,
    "place": place,
    "time_ns": str(time),
    "references": sum(address <= a < address + size for _,
     a in rows)})
        top = sorted(cells.items(), key=lambda c: (-c[1], c[0]))[:10]
        return self.of_map(
            "density", launch, 1, references=len(rows), unwritten=places - len(rows), page_count=len(pages), page_bytes=65536,
            clocks=len({c for c, _ in rows}), cells=len(cells), max_clock=span - 1, density=grid,
            top=[{"clock": c, "page": str(p), "count": n} for (c, p), n in top], groups=groups, group_count=len(groups),
            tensors=tensors, unattributed=len(rows) - sum(t["references"] for t in tensors))


def csv(rows):
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, truth.fractions.Fraction):
            ps = value * 10 ** 9
            us = (int(ps) + 500) // 1000
            return f"{us // 10 ** 6}.{us % 10 ** 6:06}"
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text
    return "".join(",".join(map(cell, row)) + "\r\n" for row in rows)


# Read against the numbers that Answer works out.
SCREENS = {
    "": """\
Neutrino trace  ROOT
  process   pid 4242: python "train", größe
  started   2025-11-14 22:13:19 UTC or a little before
  launches  5: 4 ok, 1 memusage
  records   4 files, 88.9 KiB
  probes    begin at kernel, größe at ld.global
  log       1 line of no known kind (profkit neutrino PATH log)

Slowest launches
  launch  kernel               grid   block  shared  kernel time  probe mem  outcome  bin
       2  gemm                2x3x1  64x1x1   128 B     3.000 ms    8.0 KiB  ok       10.250000.bin
       0  gemm                2x3x1  64x1x1   128 B     2.000 ms    4.0 KiB  ok       0.500000.bin
       1  softmax, "x" größe  1x1x2  32x2x1   128 B   250.000 us      512 B  ok       9.000001.bin
       3  softmax, "x" größe  1x1x2  32x2x1   128 B   250.000 us      512 B  ok       10.300000.bin

What the probe cost: medians of launches, longest kernels first
  kernel              launches      kernel  prologue    epilogue  with probe  probe mem
  gemm                       2    2.500 ms  5.000 ms    2.500 ms       4.17x    8.0 KiB
  softmax, "x" größe         3  250.000 us  1.000 ms  562.500 us       7.25x      512 B
  with probe: (prologue + kernel + epilogue) / kernel

Maps: 16 in 4 files
  bin           map    level   fields                   room  records  lanes used  flags
  0.500000.bin  sched  warp    start:u64 elapse…    1 a warp       10    10 of 12
  0.500000.bin  refs   thread  clock:u64 addr:u…  3 a thread      576  288 of 384  possible_overflow
  0.500000.bin  ticks  thread  clock:u64          4 a thread      766  307 of 384  possible_overflow
  0.500000.bin  moved  thread  sync_bytes:u32 a…  1 a thread      307  307 of 384
  … 12 more (--limit 0 shows all)
""",
    "launches": """\
Launches: 5
  launch  kernel               grid   block  shared  kernel time  probe mem  outcome  bin
       0  gemm                2x3x1  64x1x1   128 B     2.000 ms    4.0 KiB  ok       0.500000.bin
       1  softmax, "x" größe  1x1x2  32x2x1   128 B   250.000 us      512 B  ok       9.000001.bin
       2  gemm                2x3x1  64x1x1   128 B     3.000 ms    8.0 KiB  ok       10.250000.bin
       3  softmax, "x" größe  1x1x2  32x2x1   128 B   250.000 us      512 B  ok       10.300000.bin
  … 1 more (--limit 0 shows all)
""",
    "kernels": """\
Kernels: 2
  kernel  name                status  launches  params          registers  reason or folder
       0  _Z4gemmPf           ok             2       2  40 of 32 unprobed  0_02efe5c555c494e67cb833…
       1  softmax, "x" größe  ok             3       1                     1_53f377cd0a26895f58e987…
""",
    "maps": """\
Maps: 16 in 4 files
  bin           map    level   fields                   room  records  lanes used  flags
  0.500000.bin  sched  warp    start:u64 elapse…    1 a warp       10    10 of 12
  0.500000.bin  refs   thread  clock:u64 addr:u…  3 a thread      576  288 of 384  possible_overflow
  0.500000.bin  ticks  thread  clock:u64          4 a thread      766  307 of 384  possible_overflow
  0.500000.bin  moved  thread  sync_bytes:u32 a…  1 a thread      307  307 of 384
  … 12 more (--limit 0 shows all)
""",
    "records": """\
Records: 10 in gemm, 0.500000.bin, map sched
  the first of 16 maps that fit; --launch N and --map NAME choose
  block  lane  k  start  elapsed  cuid
      0     0  0   1000      512     0
      0     1  0   1007      525     0
      1     0  0   1000      512     0
      1     1  0   1007      525     0
  … 6 more (--limit 0 shows all)
""",
    "schedule": """\
Block schedule: gemm, 0.500000.bin, map sched
  the first of 4 maps that fit; --launch N and --map NAME choose
  6 blocks on 2 SMs, clock: sm_cycles; 1 block recorded nothing
    SM  blocks  slots   busy  gaps  mean gap  residency
     0       4      2  1,366    86        43     74.2 %
     5       1      1    332     0              100.0 %
  mean                   849    43               87.1 %
  warps of a block: starts up to 7 apart, ends up to 20; longest / mean warp 1.21

Share of slots busy over 920 cycles, each SM from its own first block
  SM 0    |█████████████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░     ·▒|
  SM 5    |███████████████████████·                                        |
""",
    "bytes": """\
Totals: gemm, 0.500000.bin, map moved
  the first of 4 maps that fit; --launch N and --map NAME choose
  128,928 in all over 384 threads; 77 of them with nothing
  field            sum  least  most  mean a thread
  sync_bytes   127,008      0   992          330.8
  async_bytes    1,920      0    20            5.0

sync_bytes of a thread
         value  count
             0    132  ########################################
      16 to 31      6  #
      32 to 63      6  #
     64 to 127     18  #####
    128 to 255     30  #########
    256 to 511     66  ####################
  512 to 1,023    126  ######################################

async_bytes of a thread
     value  count
         0    224  ########################################
    4 to 7     32  #####
   8 to 15     64  ###########
  16 to 31     64  ###########

Blocks 0, 1, …: 21,168, 21,296, 21,424, 21,552, …
""",
    "density": """\
Page references: gemm, 0.500000.bin, map refs
  the first of 4 maps that fit; --launch N and --map NAME choose
  576 references to 4 pages of 64 KiB in 2 ranges, over 32 cycles; room for 576 more was not used
  from            to              pages  references
  0x7f0000000000  0x7f0000020000      3         432
  0x7f0000090000  0x7f0000090000      1         144

Tensors: 240 references belong to none
  tensor  shape   address            bytes  references  from
  w "x"   [2, 8]  0x7f0000000000  64.1 KiB         192  b, c.py:2
  größe   [8]     0x7f0000020000     100 B         144  d.py:3

References by page (up: higher addresses) and time since the thread began; darker: more, log
  |                                                                |  0x7f0000090000
  |                                                                |
  |                                                                |
  |                   █ █ █              █ █ █               ▓ ▓ ▓ |
  |                                                                |
  |                                                                |
  |                                                                |
  |                   █ █ █              █ █ █               ▓ ▓ ▓ |
  |                                                                |
  |                                                                |
  |                                                                |
  |                   █ █ █              █ █ █               ▒ ▓ ▒ |
  |                                                                |
  |                                                                |
  |                                                                |
  |                   █ █ █              ▓ ▓ ▓               ▓ ▒ ▒ |  0x7f0000000000
   0                                                      32 cycles
""",
    "progress": """\
Progress: gemm, 0.500000.bin, map ticks
  the first of 4 maps that fit; --launch N and --map NAME choose
  766 samples of 384 threads; 76 of them with no room left
  9 samples go back in time: a thread that had no room left wrote into the next one's
  samples  count
        0     77  ####################
        1     77  ####################
   2 to 3    154  ########################################
   4 to 7     76  ###################

Time from a sample to the next: 1 to 28 cycles, mean 7.2
    cycles  count
         1     36  #######
    2 to 3     85  ##################
    4 to 7    181  ########################################
   8 to 15    105  #######################
  16 to 31     43  #########
""",
    "overhead": """\
What the probe cost: medians of launches, longest kernels first
  kernel              launches      kernel  prologue    epilogue  with probe  probe mem
  gemm                       2    2.500 ms  5.000 ms    2.500 ms       4.17x    8.0 KiB
  softmax, "x" größe         3  250.000 us  1.000 ms  562.500 us       7.25x      512 B
  with probe: (prologue + kernel + epilogue) / kernel
""",
    "log": """\
event.log: 82 lines, 1 of no known kind
  kind             lines
  callback.rc          4
  callback.sub         4
  exec.backup          1
  exec.hit             5
  exec.launch          4
  exec.map.thread     12
  exec.map.warp        4
  exec.mem             5
  exec.miss            2
  exec.ok              4
  exec.param           5
  exec.save            4
  exec.times           4
  init.cmd             1
  init.dl              1
  init.ok              1
  init.pid             1
  mem.alloc            1
  mod.func             2
  probe.find           2
  probe.finish         2
  probe.mkdir          2
  probe.py             2
  probe.read           2
  probe.rename         2
  probe.subproc        2
  probe.write          2

Lines of no known kind
  5  what is this
""",
}


@truth.needs("toml")
class Neutrino(truth.Case):
    def setUp(self):
        super().setUp()
        self.root = self.scratch / "Nov14_221320_4242"
        self.kernels, self.launches = capture()
        self.lines = write(self.root, self.kernels, self.launches)
        self.answer = Answer(self.root, self.kernels, self.launches, self.lines)

    def ask(self, *arguments):
        return truth.parsed(truth.run("neutrino", self.root, *arguments, "--json"))

    def table(self, *arguments):
        return truth.run("neutrino", self.root, *arguments, "--csv")

    def test_the_summary(self):
        self.check(self.ask(), self.answer.summary())

    def test_lists(self):
        for name, part in (("launches", self.answer.launch_part()), ("kernels", self.answer.kernel_part()),
                           ("maps", self.answer.map_part()), ("overhead", self.answer.overhead_part())):
            self.check(self.ask(name), self.answer.frame(name, **part))
            cut = {k: v[:1] if isinstance(v, list) else v for k, v in part.items()}
            lists = [(k, 1, len(v)) for k, v in part.items() if isinstance(v, list) and len(v) > 1]
            whole = self.answer.frame(name, **cut)
            self.check(self.ask(name, "--limit", "1"), {**whole, "limited": truth.limited(1, *lists)} if lists else whole)
        self.check(self.ask("log"), self.answer.log())

    def test_one_launch(self):
        for name in ("2", "10.250000.bin", "10.250000"):
            rows = self.answer.launch_rows()[2:3]
            self.check(
                self.ask("launches", "--launch", name), self.answer.frame("launches", launches=rows, launch_count=1)
            )
        truth.run("neutrino", self.root, "launches", "--launch", "5", status=2)
        truth.run("neutrino", self.root, "maps", "--map", "none", status=2)

    def test_slices_of_every_map(self):
        for i, launch in enumerate(self.launches[:4]):
            for found in (["--launch", str(i)], ["--launch", launch.file]):
                for name, expected in (("schedule", self.answer.schedule(launch)), ("bytes", self.answer.totals(
                    launch)), ("progress", self.answer.progress(launch)), ("density", self.answer.density(launch))):
                    with self.subTest(slice=name, launch=i):
                        self.check(self.ask(name, *found), expected)
        for limit in (1, 3):
            for name, expected in (("schedule", self.answer.schedule(self.launches[0], limit)),
                                   ("bytes", self.answer.totals(self.launches[0], limit))):
                whole = {"schedule": self.answer.schedule, "bytes": self.answer.totals}[name](self.launches[0])
                of = ("skew", "per_block")[name == "bytes"]
                lists = [(of, len(expected[of]), len(whole[of]))]
                if name == "schedule":
                    lists.append(("sms[].blocks", *(sum(len(sm["blocks"]) for sm in d["sms"]) for d in (expected, whole))))
                expected["limited"] = truth.limited(limit, *(one for one in lists if one[1] != one[2]))
                self.check(self.ask(name, "--launch", "0", "--limit", str(limit)), expected)

    def test_records(self):
        launch = self.launches[0]
        for index, (name, _, fields, _) in enumerate(MAPS):
            for arguments, chosen in (([], {}), (["--block", "2"], {"block": 2}), (["--lane", "1"], {"lane": 1}),
                                      (["--block", "4", "--lane", "1"], {"block": 4, "lane": 1})):
                rows = self.answer.record_rows(launch, index, **chosen)
                expected = self.answer.of_map("records", launch, index, fields=[f for f, _ in fields], rows=rows,
                                              row_count=len(rows))
                given = ["records", "--launch", "0", "--map", name, *arguments]
                with self.subTest(map=name, arguments=arguments):
                    self.check(self.ask(*given, "--limit", "0"), expected)
                    table = [["block", "lane", "k", *(f for f, _ in fields)]]
                    table += [[r["block"], r["lane"], r["k"], *r["values"]] for r in rows]
                    self.check_text(self.table(*given), csv(table))
                    expected["rows"] = rows[:2]
                    if len(rows) > 2:
                        expected["limited"] = truth.limited(2, ("rows", 2, len(rows)))
                    self.check(self.ask(*given, "--limit", "2"), expected)

    def test_tables(self):
        a = self.answer
        rows = a.launch_rows()
        self.check_text(self.table("launches"),
    csv( [["launch",
    "kernel",
    "func",
    "grid_x",
    "grid_y",
    "grid_z",
    "block_x",
    "block_y",
    "block_z",
    "shared_bytes",
    "time_ns",
    "params",
    "probe_mem_bytes",
    "prologue_ms",
    "kernel_ms",
    "epilogue_ms",
    "outcome",
    "bin"]] + [[r["launch"],
    r["kernel"],
    r["func"],
    *r["grid_dim"],
    *r["block_dim"],
    r["shared_bytes"],
    r["time_ns"],
    " ".join(r["params"]),
    r["probe_mem_bytes"],
    r["prologue_ms"],
    r["kernel_ms"],
    r["epilogue_ms"],
    r["outcome"],
     r["bin"]] for r in rows]))
        self.check_text(self.table("kernels"),
    csv( [["kernel_index",
    "name",
    "func",
    "folder",
    "status",
    "reason",
    "param_count",
    "launches",
    "probed_registers",
    "pruned_registers"]] + [[r["kernel_index"],
    r["name"],
    r["func"],
    r["folder"],
    r["status"],
    r["engine_reason"],
    r["param_count"],
    r["launches"],
    r["probed_registers"],
     r["pruned_registers"]] for r in a.kernel_rows()]))
        self.check_text(self.table("maps"),
    csv( [["bin",
    "map",
    "level",
    "fields",
    "types",
    "record_bytes",
    "lane_bytes",
    "offset",
    "bytes",
    "recorded_offset",
    "records",
    "flags"]] + [[r["bin"],
    r["map"],
    r["level"],
    " ".join(r["fields"]),
    " ".join(r["types"]),
    r["record_bytes"],
    r["lane_bytes"],
    r["offset"],
    r["bytes"],
    r["recorded_offset"],
    r["records"],
     " ".join(r["flags"])] for r in a.map_rows()]))
        counted = a.log()["log"]["kinds"]
        self.check_text(self.table("log"), csv([["kind", "lines"], *
    ([k["kind"], k["lines"]] for k in counted), ["unknown", 1]]))
        columns = [
            "kernel",
            "func",
            "launches",
            "timed",
            "backups",
            "median_kernel_ms",
            "median_prologue_ms",
            "median_epilogue_ms",
            "total_kernel_ms",
            "total_ms",
            "median_ratio",
            "max_probe_mem_bytes",
            "mean_impact",
            "total_impact",
        ]
        self.check_text(self.table("overhead"), csv([columns, *([r[c] if c != "median_ratio" or r[c] % 1 else int(r[c])
                                                                 for c in columns] for r in a.overhead_rows())]))
        for i, launch in enumerate(self.launches[:4]):
            found = ["--launch", str(i)]
            s = Schedule(launch)
            self.check_text(self.table("schedule", *found), csv(
                [["sm", "slot", "block", "start", "end"]] +
                [[sm, slot, b, start, end] for sm, m in s.sms.items() for b, slot, start, end in m["blocks"]]))
            self.check_text(self.table("bytes", *found), csv(
                [["block", "total"], *([b, t] for b, t in enumerate(a.totals(launch)["per_block"]))]))
            grid = a.density(launch)["density"]
            self.check_text(self.table("density", *found), csv(
                [["row", "column", "references"],
                 *([y, x, n] for y, row in enumerate(grid) for x, n in enumerate(row))]))
            lanes = [len(r) for r in launch.records(2).values()]
            rows = [[v for v, in r] for r in launch.records(2).values()]
            forward = [y - x for r in rows for x, y in zip(r, r[1:]) if y >= x]
            samples, deltas = log2_histogram(lanes), log2_histogram(forward)
            expected = [["bucket", "from", "lanes_with_samples", "deltas"]]
            for bucket in range(64):
                pair = [h[bucket] if bucket < len(h) else 0 for h in (samples, deltas)]
                if any(pair):
                    expected.append([bucket, 1 << (bucket - 1) if bucket else 0, *pair])
            self.check_text(self.table("progress", *found), csv(expected))

    def test_pictures(self):
        launch = self.launches[0]
        s = Schedule(launch)
        longest = max(m["last"] - m["first"] for m in s.sms.values())
        slots = sum(m["slots"] for m in s.sms.values())
        height = min(max(800 // slots, 4), 16)

        def place(part):
            return round(part / longest * 1100, 2)

        boxes, top = [], 56
        for m in s.sms.values():
            for b, slot, start, end in m["blocks"]:
                tip = f"block {b}: {start:,} to {end:,} ({end - start:,} cycles)"
                boxes.append((90 + place(start - m["first"]), top + slot * height, place(end - start), height - 1, tip))
            top += height * m["slots"] + 3
        path = self.scratch / "schedule.svg"
        truth.run("neutrino", self.root, "schedule", "--launch", "0", "--svg", path)
        self.check_boxes(path, boxes)
        labels = re.findall(r"<text [^>]*>([^<]*)</text>", path.read_text())
        step = next(f * 10 ** p for p in range(20) for f in (1, 2, 5) if f * 10 ** p >= longest // 7 + 1)
        ticks = [f"{at:,}" for at in range(0, longest + 1, step)]
        self.assertEqual(labels, [
            f"{launch.kernel.name}, {launch.file}, map sched".replace("_Z4gemmPf", "gemm"),
            f"{len(s.blocks)} blocks on {len(s.sms)} SMs; width {longest:,} cycles; each SM from its own first block; "
            "colour: number of the block, blue first", *ticks[:-1], ticks[-1] + " cycles",
            *(f"SM {sm}" for sm in s.sms)])
        path = self.scratch / "density.svg"
        truth.run("neutrino", self.root, "density", "--launch", "0", "--svg", path)
        grid = self.answer.density(launch, 160, 100)["density"]
        row = 6
        expected = []
        for y, counts in enumerate(grid):
            for x, count in enumerate(counts):
                if count:
                    expected.append((90 + x / 160 * 1100, 56 + row * (99 - y), 6.88, 6, f"{count} references"))
        self.check_boxes(path, expected)

    def check_boxes(self, path, expected):
        box = re.compile(r'<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" fill="[^"]*"><title>([^<]*)</title>')
        found = box.findall(path.read_text())
        self.assertEqual([b[4] for b in found], [b[4] for b in expected])
        for ours, theirs in zip(found, expected):
            for a, b in zip(ours[:4], theirs[:4]):
                self.assertAlmostEqual(float(a), b, delta=0.011)

    def test_the_screens(self):
        for name, expected in SCREENS.items():
            with self.subTest(slice=name):
                found = truth.run("neutrino", self.root, *([name] if name else []), "--limit", "4")
                self.check_text(found.replace(str(self.root), "ROOT"), expected)

    def test_arrow(self):
        with arrow.Handle("profile", self.root, None) as profile, arrow.Handle("probe", profile, 0) as probe:
            _, rows = arrow.table("probe_launches", probe)
            expected = []
            for i, n in enumerate(self.launches):
                grid, block = n.kernel.grid, n.kernel.block
                expected.append({
                    "run": self.root.name, "host": None, "file": 0,
                    "launch": i, "kernel": n.kernel.name, "function": n.kernel.function, "outcome": "ok" if n.file else "memusage",
                    "bin": n.file, "bin_position": self.answer.bins.index(n) if n.file else None, "time_ns": time_of(n),
                    "grid_x": grid[0], "grid_y": grid[1], "grid_z": grid[2], "block_x": block[0], "block_y": block[1],
                    "block_z": block[2], "shared_bytes": 128, "params": ",".join(map(str, n.params)) or None,
                    "probe_memory_bytes": n.memory, "prologue_ps": n.times and n.times[0], "kernel_ps": n.times and n.times[1],
                    "epilogue_ps": n.times and n.times[2]})
            self.check(rows, expected)
            for b, n in enumerate(self.answer.bins):
                for index, (_, _, fields, _) in enumerate(MAPS):
                    columns, rows = arrow.table("probe_records", probe, (b, index))
                    names = ["run", "host", "file", "bin_position", "block", "lane", "k", *(f for f, _ in fields)]
                    self.assertEqual([c[0] for c in columns], names)
                    self.check(rows, [dict(zip(names, (self.root.name, None, 0, b, r["block"], r["lane"], r["k"],
                                                       *map(int, r["values"]))))
                                      for r in self.answer.record_rows(n, index)])

    def test_the_library_says_the_same(self):
        with truth.library().open(str(self.root)) as profile:
            self.assertEqual(profile.document_bytes("neutrino").decode(), truth.run("neutrino", self.root, "--json"))


class Uneven(Launch):
    """Of odd blocks the later warp begins first."""

    def sched(self, block, warp):
        return [(1000 + 100 * block + (30 - 9 * warp if block % 2 else 11 * warp), 200 + 40 * warp - block, block % 2)]


@truth.needs("toml")
class OtherTraces(truth.Case):
    def test_warps_that_begin_in_another_order(self):
        kernels, launches = capture()
        launches[0].__class__ = Uneven
        root = self.scratch / "Nov14_221320_4242"
        answer = Answer(root, kernels, launches, write(root, kernels, launches))
        found = truth.parsed(truth.run("neutrino", root, "schedule", "--launch", "0", "--json"))
        self.check(found, answer.schedule(launches[0]))

    def log(self, text):
        root = self.scratch / "Nov14_221320_4242"
        root.mkdir()
        (root / "event.log").write_text(text)
        return root

    def test_every_way_a_launch_ends(self):
        head = "[mod] cuModuleGetFunction func 0xa1 mod 0x1 name gemm\n[benchmark] ENABLED L2 Flush Size 1024\n"
        shape = "2 3 4 block 5 6 7 shared 8"

        def launch(at, params, *lines):
            return f"[exec] funcmap-find 0xa1 success\n[exec] {at} param {params} \n" + "\n".join(lines) + "\n"
        ends = [
            ("ok", launch(1, "0123456789abcdef f" + 16 * "0" + " a", f"[exec] grid {shape}", "[exec] probe-mem 100 (bytes)",
                          "[exec] succeed 0", "[exec] save ./trace/result/1.000000.bin size 9",
                          "[exec] prologue 1.000000 kernel 2.000000 epilogue 3.000000 ratio 3.000000")),
            ("benchmark", launch(2, "1", f"[exec] grid {shape}", "[exec] probe-mem 300 (bytes)", "[exec] succeed 0",
                                 "[benchmark] prologue 4.000000 kernel 6.000000 epilogue 5.000000 original 3.000000 "
                                 "impact 2.000000 0")),
            ("benchmark", launch(3, "2", f"[exec] grid {shape}", "[exec] probe-mem 200 (bytes)", "[exec] succeed 0",
                                 "[benchmark] prologue 9.000000 kernel 9.000000 epilogue 9.000000 original 1.000000 "
                                 "impact 9.000000 0")),
            ("failed", launch(4, "3", f"[exec] grid {shape}", "[exec] probe-mem 1 (bytes)", "[exec] failed 700")),
            ("cant-save", launch(5, "4", f"[exec] grid {shape}", "[exec] probe-mem 1 (bytes)", "[exec] succeed 0",
                                 "[exec] can't-save ./trace/result/5.000000.bin")),
            ("memusage", launch(6, "5", "[exec] probe-mem 900 (bytes)", f"[exec] backup {shape}")),
            ("backup", launch(7, "6", f"[exec] backup {shape}")),
            ("unfinished", launch(8, "7", f"[exec] grid {shape}"))]
        root = self.log(head + "".join(text for _, text in ends))
        rows = truth.parsed(truth.run("neutrino", root, "launches", "--json"))["launches"]
        self.assertEqual([r["outcome"] for r in rows], [o for o, _ in ends])
        # A number of more than 16 digits is no argument.
        self.assertEqual([r["params"] for r in rows], [[str(0x0123456789abcdef), "10"], *([str(n)] for n in range(1, 8))])
        self.assertEqual([r["return_code"] for r in rows], [None, None, None, 700, None, None, None, None])
        self.assertEqual([r["original_ms"] for r in rows], [None, 3, 1, None, None, None, None, None])
        self.assertEqual([(r["grid_dim"], r["block_dim"], r["shared_bytes"]) for r in rows],
                         [([2, 3, 4], [5, 6, 7], 8)] * 8)
        found = truth.parsed(truth.run("neutrino", root, "overhead", "--json"))["overhead"]
        self.check(found, [{
            "kernel": None, "kernel_index": None, "func": "0xa1", "launches": 8,
            # Without its probe: the one that was never probed, and the one that failed with it.
            "timed": 3, "backups": 2, "median_kernel_ms": 6.0, "median_prologue_ms": 4.0, "median_epilogue_ms": 5.0,
            "total_kernel_ms": 17.0, "total_ms": 48.0, "median_ratio": 3, "max_probe_mem_bytes": 900, "benchmarked": 2,
            "mean_impact": truth.fractions.Fraction(11, 2), "total_impact": truth.fractions.Fraction(15, 4)}])

    def test_names_of_kernels(self):
        """The module's, the probe engine's question, and its answer; one may be the other cut short."""
        text = ""
        names = [("module_a", "gemm", "gemm"), ("module_b", "gemm_long", "gemm"), ("module_c", "gemm", "gemm_long"),
                 ("module_d", "gemm", "softmax")]
        for i, (module, found, engine) in enumerate(names):
            folder = f"{i}_{hashlib.sha1(found.encode()).hexdigest()}"
            text += f"""\
[mod] cuModuleGetFunction func 0x{i} mod 0x1 name {module}
[exec] funcmap-not-find 0x{i}
[probe] find 0x{i} name {found} bin 0x7f size 496
[probe] rename {found} {folder}
[probe] mkdir ./trace/kernel/{folder}
[probe] read ./trace/kernel/{folder}/kernel.info name {engine} n_param 1 n_probe 1\u0020
[probe] finish 0x{i} name {engine} n_param 1
"""
        rows = truth.parsed(truth.run("neutrino", self.log(text), "kernels", "--json"))["kernels"]
        self.assertEqual([(r["module_name"], r["found_name"], r["engine_name"], r["names_differ"], r["hash_differs"],
                           r["status"]) for r in rows],
                         [(*n, n[2] == "softmax", False, "ok") for n in names])
        # What it is called: by the engine, where the engine has told; else as it was asked for.
        self.assertEqual([r["name"] for r in rows], [n[2] for n in names])

    def test_the_name_of_a_kernel_that_was_not_read(self):
        text = "[mod] cuModuleGetFunction func 0x1 mod 0x1 name module\n[exec] funcmap-not-find 0x1\n" \
               "[probe] find 0x1 name asked bin 0x7f size 496\n"
        row, = truth.parsed(truth.run("neutrino", self.log(text), "kernels", "--json"))["kernels"]
        self.assertEqual((row["name"], row["module_name"], row["found_name"], row["engine_name"], row["status"]),
                         ("asked", "module", "asked", None, "unfinished"))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
