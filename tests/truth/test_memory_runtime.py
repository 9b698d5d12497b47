"""What allocators did at run time: two hosts with two devices each, replayed by hand."""
import bisect
import itertools
import sys

import proto_writer as proto
import truth

ZERO_NS = 1_700_000_000_000_000_000  # origin of the capture: the start of the host alpha's profile


class Event:
    """An event of an allocator. `counted`: what it says is allocated in all, if it says so."""

    def __init__(self, line, at_ps, kind, addr, size, counted=None, **more):
        self.line, self.at_ps, self.kind, self.addr, self.size = line, at_ps, kind, addr, size
        self.counted = counted
        self.requested = more.pop("requested", size)
        self.peak = more.pop("peak", 0)  # of the allocator's whole life
        self.reserved = more.pop("reserved", 0)
        self.available = more.pop("available", 0)
        self.fragmentation = more.pop("fragmentation", 0.0)
        self.pool = more.pop("pool", 0)
        self.shape = more.pop("shape", "")
        self.op = more.pop("op", "")
        self.type = more.pop("type", None)  # (as it is written, as it is called)
        self.extra = more.pop("extra", [])  # stats behind those that count
        self.parents = []  # see with_parents()
        assert not more, more

    def written(self, plane, key):
        stats = list(key) + [("addr", proto.Uint(self.addr)), ("allocation_bytes", self.size),
                             ("requested_bytes", self.requested), ("peak_bytes_in_use", self.peak),
                             ("bytes_reserved", self.reserved), ("bytes_available", self.available),
                             ("fragmentation", self.fragmentation), ("id", self.pool)]
        if self.counted is not None:
            stats.append(("bytes_allocated", self.counted))
        for name, value in (("shape", self.shape), ("tf_op", self.op), ("data_type", self.type and self.type[0])):
            if value not in ("", None):
                stats.append((name, value))
        stats += self.extra
        return plane.event("MemoryAllocation" if self.kind == "alloc" else "MemoryDeallocation", self.at_ps, 0, stats)


class Allocator:
    def __init__(self, host, name, key, device, events, host_memory=False):
        self.host, self.name, self.key, self.device, self.events = host, name, key, device, events
        self.host_memory = host_memory


class Host:
    """`shift_ns`: how far the host's profile begins behind the capture's origin. Times of events count from it."""

    def __init__(self, name, file, shift_ns, steps, allocators, around=()):
        self.name, self.file, self.shift_ns, self.steps, self.around = name, file, shift_ns, steps, around
        self.allocators = allocators
        self.n_planes = len(steps) + 2

    def bytes(self):
        planes = []
        start_ns = ZERO_NS + self.shift_ns
        for i, (device, windows) in enumerate(self.steps.items()):
            plane = proto.Plane(device, i + 1, first_event_id=7)
            plane.line("Steps", start_ns, [plane.event(name, at, to - at) for name, at, to in windows])
            planes.append(plane)
        plane = proto.Plane("/host:CPU", 50, first_event_id=300, first_stat_id=40)
        lines = sorted({e.line for a in self.allocators for e in a.events} | {line for line, *_ in self.around})
        for line in lines:
            # In the order of the file: as the allocators are listed, what lies around them first.
            own = [plane.event(name, at, to - at) for of, name, at, to in self.around if of == line]
            own += [e.written(plane, a.key) for a in self.allocators for e in a.events if e.line == line]
            plane.line(f"thread {line}", start_ns, own, line_id=line + 1)
        self.host_plane = plane
        planes.append(plane)
        clock = proto.Plane("Task Environment", 60)
        clock.own_stat("profile_start_time", proto.Uint(start_ns))
        planes.append(clock)
        return proto.xspace(planes, [self.name])


# ---- the capture ---------------------------------------------------------------------------------------------

NS = 1000


def capture():
    f32, bf16 = (1, "f32"), (14, "bf16")
    first = [  # /device:TPU:0 of alpha: agrees with its own count; two equal peaks, of which the first counts
        Event(
            0,
            1_000,
            "alloc",
            0x1000,
            4096,
            8096,
            requested=4000,
            peak=9000,
            reserved=1024,
            available=5000,
            fragmentation=0.5,
            shape="f32[1000]",
            op="jit_f/dot",
            type=f32,
        ),
        Event(
            0,
            2_500,
            "alloc",
            0x3000,
            1024,
            9120,
            peak=9120,
            reserved=1024,
            available=3976,
            fragmentation=0.25,
            shape="bf16[512]" + 150 * "x",
            op="jit_f/add",
            type=("größe, \"q\"", "größe, \"q\""),
            pool=2,
            extra=[("addr", 1), ("id", 9), ("tf_op", "no"), ("bytes_reserved", 7)],
        ),
        # At one instant: what one line frees the other allocates. Lines go by their order in the file.
        Event(0, 4_000, "free", 0x3000, 1024, 8096, peak=9120, reserved=1024, available=5000),
        Event(
            1,
            4_000,
            "alloc",
            0x5000,
            1024,
            9120,
            peak=9120,
            reserved=1024,
            available=3976,
            fragmentation=0.125,
            op="späte Größe",
            pool=2,
        ),
        Event(0, 5_000, "alloc", 0x6000, 0, 9120, peak=9120, reserved=1024, available=3976, shape="f32[0]"),  # failed
        Event(0, 7_999, "free", 0x1000, 4096, 5024, peak=9120, reserved=1024, available=8072),
        Event(1, 12_000, "free", 0x9999, 1000, 4024, peak=9120, reserved=0, available=10_096),
        # from before the trace
        Event(1, 12_500, "alloc", 0x1000, 2048, 6072, peak=9120, reserved=0, available=8048, type=("str", "str")),
    ]
    second = [  # /device:TPU:1 of alpha: highest of all; its replay differs from its own count
        Event(0, 500, "free", 0x10, 100, 20_000, reserved=10, available=50, pool=1),
        Event(1, 2_000, "alloc", 0x20, 600, 20_600, reserved=10, available=0, fragmentation=0.75, shape=proto.Ref("s64[75]"),
              pool=1, type=(9, "s64"), op="x"),
        Event(1, 2_000, "alloc", 0x30, 600, 21_200, reserved=10, pool=1, fragmentation=1.0),
        Event(0, 3_000, "alloc", 0x20, 500, 22_000, reserved=10, pool=1, shape="u8[500]"),
        Event(0, 6_000, "free", 0x30, 600, 22_000, reserved=0, pool=1, available=7),
        Event(0, 6_000, "alloc", 0x40, 10, 22_010, reserved=0, pool=3, fragmentation=0.375, shape="u8[10]"),
        Event(1, 9_000, "free", 0x40, 10, None, reserved=0, pool=1, available=20_000),
        Event(1, 9_500, "free", 0x41, 10, 21_000, reserved=0, pool=1, available=30_000, peak=22_500),
    ]
    pinned = [Event(2, 100, "alloc", 0x7, 50_000, 50_000, reserved=0, available=1, pool=9, op="jit_h")]
    by_ordinal = [  # /device:TPU:1 of beta, whose clock begins 7 ns after alpha's
        Event(0, -2_500, "alloc", 0x8, 300, None, requested=299, available=900),
        Event(0, 2_999, "alloc", 0x9, 200, None, available=10),
        Event(0, 2_999, "free", 0x8, 300, None, available=310),
    ]
    by_id = [Event(0, 1_000, "alloc", 0xA, 300, 300, pool=12), Event(0, 1_001, "free", 0xA, 300, 0, pool=12),
             Event(0, 1_002, "alloc", 0xA, 300, 300, pool=12)]
    alpha = Host("alpha", "alpha.xplane.pb", 0, {
        "/device:TPU:0": [("s0", 0, 2_000), ("s1", 2_000, 4_000), ("s2", 4_000, 8_000), ("s3", 8_000, 12_000)],
        "/device:TPU:1": [("t0", 0, 6_500), ("in t0", 1_000, 1_500), ("t1", 6_000, 9_000), ("t2", 9_000, 9_400)]},
        [Allocator("alpha", "TPU_0_bfc", [("allocator_name", "TPU_0_bfc"), ("index_on_host", 1)], "/device:TPU:0", first),
         Allocator("alpha", "1", [("index_on_host", 1), ("device_ordinal", 0)], "/device:TPU:1", second),
         Allocator("alpha", "pinned_host_bfc", [("allocator_name", proto.Ref("pinned_host_bfc"))], "", pinned, True)],
        around=[(0, "run, \"all\"", 500, 7_999), (0, "jit_f(1)", 600, 3_001), (0, "inner", 2_000, 3_500),
                (0, "ends as it starts", 2_500, 2_500), (1, "outer", 1_000, 4_000), (1, "exact", 2_000, 2_100),
                (1, "over", 1_500, 2_000), (0, "over, too", 700, 1_000)])
    beta = Host("beta", "beta.xplane.pb", 7, {
        "/device:TPU:0": [("b0", 0, 1_000)], "/device:TPU:1": [("b1", 0, 1_000), ("b2", 1_000, 3_000)]},
        [Allocator("beta", "1", [("device_ordinal", 1)], "/device:TPU:1", by_ordinal),
         Allocator("beta", "12", [], "", by_id)],
        around=[(0, "späte, \"Runde\"", 2_000, 3_000)])
    return [alpha, beta]


def with_parents(hosts):
    """The chains, worked out anew: what encloses an event on its line, outermost first."""
    for host in hosts:
        for allocator in host.allocators:
            for event in allocator.events:
                spans = [(at, -to, name) for line, name, at, to in host.around
                         if line == event.line and at <= event.at_ps < to]
                event.parents = [name for _, _, name in sorted(spans, key=lambda s: s[:2])]
    return hosts


# ---- the answer ---------------------------------------------------------------------------------------------

def floor_ns(ps):
    return ps // 1000


class Replay:
    """States of an allocator behind each of its events."""

    def __init__(self, allocator, shift_ps):
        order = sorted(range(len(allocator.events)), key=lambda i: (
            allocator.events[i].at_ps, allocator.events[i].line, i))
        self.allocator, self.events = allocator, [allocator.events[i] for i in order]
        self.at = [e.at_ps + shift_ps for e in self.events]
        self.ended = {}  # of an allocation: when
        self.states, self.live_sets = [], []
        self.reuses = self.unmatched = self.disagreements = 0
        self.drift = 0.0
        first = self.events[0]
        self.before = 0
        if first.counted is not None:
            self.before = max(first.counted + (-first.size if first.kind == "alloc" else first.size), 0)
        left, live = self.before, {}
        for i, e in enumerate(self.events):
            if e.kind == "alloc":
                if e.addr in live:
                    self.reuses += 1
                    self.ended[live[e.addr]] = i
                live[e.addr] = i
            elif e.addr in live:
                self.ended[live.pop(e.addr)] = i
            else:
                self.unmatched += 1
                left = max(left - e.size, 0)
            seen = sum(self.events[k].size for k in live.values())
            total = seen + left
            if e.counted is not None and e.counted != total:
                self.disagreements += 1
                self.drift = max(self.drift, abs(total - e.counted) / e.counted * 100.0)
            filled = e.reserved + (total if e.counted is None else e.counted)
            self.states.append({"seen": seen, "live": total, "filled": filled, "count": len(live)})
            self.live_sets.append(sorted(live.values()))

    def first_most(self, key):
        most = max(s[key] for s in self.states)
        return next(i for i, s in enumerate(self.states) if s[key] == most)

    def row(self, file):
        heap, full = self.first_most("seen"), self.first_most("filled")
        at_full = self.events[full]
        return {
            "name": self.allocator.name, "host": self.allocator.host, "device": self.allocator.device, "file": file,
            "n_allocations": sum(e.kind == "alloc" for e in self.events),
            "n_deallocations": sum(e.kind == "free" for e in self.events),
            "heap_peak_bytes": self.states[heap]["seen"], "heap_peak_ps": self.at[heap],
            "lifetime_peak_bytes": max(e.peak for e in self.events),
            "occupancy_peak_bytes": self.states[full]["filled"], "occupancy_peak_ps": self.at[full],
            "reserved_at_peak_bytes": at_full.reserved,
            "allocated_at_peak_bytes": self.states[full]["filled"] - at_full.reserved,
            "available_at_peak_bytes": at_full.available,
            "capacity_bytes": max(s["filled"] + e.available for s, e in zip(self.states, self.events)),
            "pre_trace_bytes": self.before, "trace_end_live_bytes": self.states[-1]["live"],
            "unmatched_frees": self.unmatched, "address_reuses": self.reuses,
            "fragmentation_at_peak": at_full.fragmentation,
            "allocator_agrees": self.disagreements == 0, "disagreements": self.disagreements}


def human(n):
    if n < 1024:
        return f"{n} B"
    unit = 0
    while (n * 10 + (1024 ** (unit + 1)) // 2) // 1024 ** (unit + 1) >= 10240:
        unit += 1
    tenths = (n * 10 + (1024 ** (unit + 1)) // 2) // 1024 ** (unit + 1)
    return f"{tenths // 10}.{tenths % 10} {['KiB', 'MiB', 'GiB'][unit]}"


def share(part, whole):
    return part / whole * 100.0 if whole else 0.0


def live_rows(replay, top, windows, last_ps, threshold, when_ps):
    """What is alive behind event `top`, largest first."""
    peak_ns, rows = floor_ns(when_ps), []
    alive = sorted(replay.live_sets[top], key=lambda i: (replay.at[i], replay.events[i].line, i))
    for i in alive:
        e, at = replay.events[i], replay.at[i]
        freed = replay.ended.get(i)
        end = last_ps if freed is None else replay.at[freed]
        crossed = sum(at <= w[1] <= end for w in windows)
        kind = "unknown"
        if freed is None:
            kind = "persistent" if crossed >= threshold else kind
        elif any(w[1] <= at and end <= w[2] for w in windows):
            kind = "transient"
        shape = e.shape.name if isinstance(e.shape, proto.Ref) else e.shape
        rows.append({"addr": e.addr, "pool_id": e.pool, "size_bytes": e.size, "alloc_bytes": e.size,
                     "shape": shape or "<no shape>", "tf_op": e.op or "<no tf_op>",
                     "data_type": e.type[1] if e.type else "invalid", "alloc_ts_ns": floor_ns(at),
                     "age_ns_at_peak": max(peak_ns - floor_ns(at), 0), "crossed_step_boundaries": crossed,
                     "parent_chain": e.parents, "lifetime_class": kind, "deallocated": freed is not None,
                     "kind": "buffer", "requested_bytes": e.requested})
    event, filled = replay.events[top], replay.states[top]["filled"]
    known = sum(r["size_bytes"] for r in rows)
    for kind, op, size, lifetime in (
            ("program_reserved", "<running program>", event.reserved, "unknown"),
            ("pre_trace", "<allocated before the trace>", max(filled - event.reserved - known, 0), "persistent")):
        if size:
            first_ns = floor_ns(replay.at[0])
            rows.append({"addr": 0,
    "pool_id": event.pool,
    "size_bytes": size,
    "alloc_bytes": size,
    "shape": "<no shape>",
    "tf_op": op,
    "data_type": "invalid",
    "alloc_ts_ns": first_ns,
    "age_ns_at_peak": max(peak_ns - first_ns,
    0),
    "crossed_step_boundaries": 0,
    "parent_chain": [],
    "lifetime_class": lifetime,
    "deallocated": False,
    "kind": kind,
     "requested_bytes": size})
    return sorted(rows, key=lambda r: -r["size_bytes"])


def rollup(rows, key, peak, mixed, top):
    found = {}
    for r in rows:
        found.setdefault(key(r), []).append(r)
    groups = sorted(found.items(), key=lambda kv: -sum(r["size_bytes"] for r in kv[1]))
    if mixed and len(groups) > top:
        groups = groups[:top] + [("<tail>", list(itertools.chain.from_iterable(g for _, g in groups[top:])))]
    out = []
    for name, of in groups:
        total = sum(r["size_bytes"] for r in of)
        row = {"key": name, "n_buffers": len(of), "total_bytes": total}
        if mixed:
            row["lifetime_mix"] = {c: sum(r["size_bytes"] for r in of if r["lifetime_class"] == c)
                                   for c in ("persistent", "transient", "unknown")}
        row["pct_of_peak"] = share(total, peak)
        out.append(row)
    return out


def parent_of(row):
    chain = row["parent_chain"]
    return next((n for n in chain if "jit_" in n), chain[0]) if chain else "<no parent>"


def samples_of(replay, count):
    first, last = replay.at[0], replay.at[-1]
    times = [last] if count <= 1 or first == last else [
        first + (last - first) * i // (count - 1) for i in range(count)]
    out, before = [], 0
    for t in times:
        i = bisect.bisect_right(replay.at, t) - 1
        highest = max(replay.states[k]["live"] + replay.events[k].reserved for k in range(before, i + 1))
        before = i
        out.append({"ts_ns": floor_ns(t), "bytes_allocated": replay.states[i]["live"],
                    "bytes_reserved": replay.events[i].reserved, "highest_bytes": highest, "live_count": replay.states[i]["count"],
                    "fragmentation": replay.events[i].fragmentation})
    return out


class Answer:
    """The document of the capture for the options of the command."""

    def __init__(self, hosts, paths, folder, **options):
        self.hosts, self.paths, self.folder = hosts, paths, folder
        self.o = {"step": None, "all_trace": False, "policy": "peak", "top": 30, "samples": 200, "threshold": 2,
                  "host_pools": False, "host": "", **options}
        self.replays = [(h, i, Replay(a, h.shift_ns * NS)) for i, h in enumerate(hosts) if self.o["host"] in h.name
                        for a in h.allocators]

    def chosen(self):
        def rank(i):
            replay = self.replays[i][2]
            hidden = replay.allocator.host_memory and not self.o["host_pools"]
            return (hidden, -replay.states[replay.first_most("filled")]["filled"], i)
        return min(range(len(self.replays)), key=rank)

    def window(self, host, replay, full_ps):
        """(step as the document has it, from, to, warning)"""
        steps = host.steps.get(replay.allocator.device)
        if steps is None:  # no device of its own: the first that has steps
            steps = next(iter(host.steps.values()))
        windows = [(n, a + host.shift_ns * NS, b + host.shift_ns * NS) for n, a, b in steps]
        whole = ("all_trace", "all_trace", None, replay.at[0], replay.at[-1])
        if self.o["all_trace"]:
            return [], whole, None
        if self.o["step"] is not None:
            name, a, b = windows[self.o["step"]]
            return windows, ("explicit", "steps_line", name, a, b), None
        if self.o["policy"] == "peak":
            holding = [w for w in windows if w[1] <= full_ps <= w[2]]
            if not holding:
                return windows, whole, ("the peak lies in no step: the whole trace is one window (--step-policy last looks "
                                        "at a step)")
            return windows, ("peak", "steps_line", *holding[0]), None
        name, a, b = windows[0 if self.o["policy"] == "first" else -1]
        return windows, (self.o["policy"], "steps_line", name, a, b), None

    def document(self):
        best = self.chosen()
        host, file, replay = self.replays[best]
        rows = [r.row(i) for _, i, r in self.replays]
        full = replay.first_most("filled")
        windows, (policy, source, step, from_ps, to_ps), warning = self.window(host, replay, replay.at[full])
        holds_peak = policy in ("all_trace", "peak")
        peak, when_ps = full, replay.at[full]
        if not holds_peak:
            inside = [i for i, t in enumerate(replay.at) if from_ps <= t <= to_ps]
            earlier = [i for i, t in enumerate(replay.at) if t < from_ps]
            looked_at = earlier[-1:] + inside
            peak = max(looked_at, key=lambda i: replay.states[i]["filled"]) if looked_at else None
            when_ps = from_ps if peak is None or peak in earlier else replay.at[peak]
        last_ps = max(replay.at[-1], windows[-1][2]) if windows else replay.at[-1]
        if peak is None:
            filled, reserved, pool, fragmentation = replay.before, 0, replay.events[0].pool, 0
            alive = [] if filled == 0 else [
                {"addr": 0, "pool_id": pool, "size_bytes": filled, "alloc_bytes": filled, "shape": "<no shape>",
                 "tf_op": "<allocated before the trace>", "data_type": "invalid", "alloc_ts_ns": floor_ns(replay.at[0]),
                 "age_ns_at_peak": max(floor_ns(when_ps) - floor_ns(replay.at[0]), 0), "crossed_step_boundaries": 0,
                 "parent_chain": [], "lifetime_class": "persistent", "deallocated": False, "kind": "pre_trace",
                 "requested_bytes": filled}]
            replayed = filled
        else:
            filled, event = replay.states[peak]["filled"], replay.events[peak]
            reserved, pool, fragmentation = event.reserved, event.pool, event.fragmentation
            alive = live_rows(replay, peak, windows, last_ps, self.o["threshold"], when_ps)
            replayed = replay.states[peak]["live"]
        total, top = sum(r["size_bytes"] for r in alive), self.o["top"]
        row = rows[best]
        warnings = [warning] if warning else []
        if replay.disagreements:
            warnings.append(f"the replay differs from the allocator's own count after {replay.disagreements} of "
                            f"{len(replay.events)} events: the trace misses events of {row['name']}")
        if replay.unmatched:
            frees = "1 free has" if replay.unmatched == 1 else f"{replay.unmatched} frees have"
            warnings.append(f"{frees} no allocation in the trace: the memory was allocated before it began")
        if replay.reuses:
            again = "1 address was" if replay.reuses == 1 else f"{replay.reuses} addresses were"
            warnings.append(f"{again} allocated again without a free between")
        invariants = self.invariants(total,
    sum(r["size_bytes"] for r in alive),
    filled,
    replayed,
    filled - reserved,
    row,
    when_ps,
    source,
    from_ps,
     to_ps)
        devices = sum(bool(r["device"]) for r in rows)
        summary = (
            f"{row['device'] or 'allocator ' + row['name']} was filled up to {human(row['occupancy_peak_bytes'])} of "
            f"{human(row['capacity_bytes'])}"
        )
        if devices > 1 and row["device"]:
            summary += f", the most of {devices} devices"
        broken = [i for i in invariants if i["holds"] is False]
        texts = [f"invariant {i['id']} is broken ({i['note']}): {i['left']} against {i['right']}" for i in broken]
        full_ns, when_ns = floor_ns(replay.at[full]), floor_ns(when_ps)
        return {
            "schema": "profkit.memory", "version": 2, "status": "ok", "reason": None, "skill": "memory-profile",
            "inputs": {"profile_dir": str(self.folder), "xplane_pb": str(self.paths[file]), "hlo_proto_pb": None},
            "primary_source": "runtime_allocator", "hlo": None, "hlo_absent_reason": "no_hlo_proto_pb",
            "runtime": {
                "step": {"id": step, "policy": policy, "range_ns": [floor_ns(from_ps), floor_ns(to_ps)], "source": source},
                "pool": {"id": pool, "bytes_reserved": row["capacity_bytes"], "allocator": row["name"],
                         "host": row["host"], "device": row["device"], "capacity_bytes": row["capacity_bytes"],
                         "program_reserved_bytes": reserved},
                "peak": {"ts_ns": when_ns, "ts_ps": when_ps, "bytes_total": filled, "bytes_by_pool": {str(pool): filled},
                         "fragmentation_at_peak": fragmentation,
                         "is_global_peak": filled == row["occupancy_peak_bytes"]},
                "alive_at_peak": {"n_buffers": len(alive), "total_bytes": total, "buffers": alive[:top],
                                  "tail": {"n_buffers": len(alive[top:]),
                                           "total_bytes": sum(r["size_bytes"] for r in alive[top:])}},
                "rollups": {
                    "by_lifetime_class": rollup(alive, lambda r: r["lifetime_class"], filled, False, top),
                    "by_shape": rollup(alive, lambda r: r["shape"], filled, True, top),
                    "by_tf_op": rollup(alive, lambda r: r["tf_op"], filled, True, top),
                    "by_parent_jit": rollup(alive, parent_of, filled, True, top),
                    "by_dtype": rollup(alive, lambda r: r["data_type"], filled, False, top)},
                "timeline": {
                    "samples": samples_of(replay, self.o["samples"]),
                    "events_of_interest": [
                        {"kind": "global_peak", "ts_ns": full_ns, "bytes": row["occupancy_peak_bytes"]},
                        {"kind": "step_start", "ts_ns": floor_ns(from_ps), "step_id": step},
                        {"kind": "step_end", "ts_ns": floor_ns(to_ps), "step_id": step},
                        {"kind": "step_local_peak", "ts_ns": when_ns, "step_id": step, "bytes": filled}],
                    "axis_units": {"ts_ns": "nanoseconds since the origin of the capture", "bytes": "bytes"}},
                "n_planes": host.n_planes, "host_plane_present": True},
            "runtime_diagnostics": {
                "alloc_accounting_drift_pct": replay.drift, "unmatched_dealloc_count": replay.unmatched,
                "pretrace_dealloc_count": replay.unmatched, "unmatched_alloc_count": replay.states[-1]["count"],
                "trace_end_live_bytes": replay.states[-1]["live"], "n_pools_seen": len(rows),
                "pools_summary": [{"pool_id": i, "n_alloc": r["n_allocations"], "n_dealloc": r["n_deallocations"],
                                   "max_peak_bytes_in_use": r["lifetime_peak_bytes"], "name": r["name"]}
                                  for i, r in enumerate(rows)],
                "step_line_present": source == "steps_line" or not self.o["all_trace"],
                "shape_missing_count": sum(e.kind == "alloc" and not e.shape for e in replay.events),
                "tf_op_missing_count": sum(e.kind == "alloc" and not e.op for e in replay.events),
                "warnings": warnings},
            "runtime_absent_reason": None, "consistency_warnings": texts, "modules": [], "allocators": rows,
            "invariants": invariants, "fit": None, "summary": [summary + "."],
            "findings": [{"id": "memory.invariant." + i["id"], "certainty": "proved", "recoverable_bytes": None, "what": t,
                          "where": "", "next": "treat the numbers it joins with care"} for i, t in zip(broken, texts)],
            "files": [{"path": str(p), "family": "xspace", "export_of": -1} for p in self.paths],
            "events_checked": "some", "damage": []}

    @staticmethod
    def invariants(total, rows, filled, replayed, allocated, row, when_ps, source, from_ps, to_ps):
        out = [{"id": h, "holds": None, "left": 0, "right": 0, "note": "no HLO block"}
            for h in ("H1", "H2", "H3", "H4", "H5")]
        agrees = "agrees after every event" if row["allocator_agrees"] else "differs after some events"
        when_ns, from_ns, to_ns = floor_ns(when_ps), floor_ns(from_ps), floor_ns(to_ps)
        for name, holds, left, right, note in (
                ("R1", rows == total, rows, total, "buffers add up to the alive total"),
                ("R2", total == filled, total, filled, "what is alive adds up to the peak"),
                ("R2b", abs(replayed - allocated) * 100 <= filled - filled % 100, replayed, allocated,
                 "the replay is within 1 % of what the allocator says is allocated (soft); its count " + agrees),
                ("R3", filled <= row["capacity_bytes"], filled, row["capacity_bytes"], "peak <= capacity of the device"),
                ("R4", None if source == "all_trace" else from_ns <= when_ns <= to_ns, when_ns, to_ns,
                 "the peak lies in the step window"),
                ("C1", None, 0, 0, "compile time and run time are not both there")):
            out.append({"id": name, "holds": holds, "left": left, "right": right, "note": note})
        return out


# Read against the numbers that Answer works out.
SCREEN = """\
/device:TPU:1 was filled up to 21.5 KiB of 49.8 KiB, the most of 3 devices.

Compile time
[absent] no compiled module: no XSpace with Hlo Proto, *.hlo_proto.pb or *.hlo.pb

Allocators at run time: 5 allocators
  allocator  device    host   filled to  reserved  allocated  capacity     used        at  replay
  pinned…fc  (host…y)  alpha   48.8 KiB       0 B   48.8 KiB  48.8 KiB  100.0 %    100 ps  agrees
  1          TPU:1     alpha   21.5 KiB      10 B   21.5 KiB  49.8 KiB   43.2 %  3.000 ns  differs 4 times
  TPU_0_bfc  TPU:0     alpha    9.9 KiB   1.0 KiB    8.9 KiB  13.8 KiB   71.8 %  2.500 ns  agrees
  1          TPU:1     beta       500 B       0 B      500 B   1.2 KiB   41.7 %  9.999 ns  agrees
  12         (host…y)  beta       300 B       0 B      300 B     300 B  100.0 %  8.000 ns  agrees

Alive at run time: 21.5 KiB on TPU:1 at the peak of step t0 (--step-policy peak)
     bytes   share  kind              lifetime    shape    from
  20.4 KiB  95.0 %  before the trace  persistent
     600 B   2.7 %  buffer            transient            exact
     500 B   2.3 %  buffer            persistent  u8[500]  inner
      10 B  <0.1 %  running program   unknown
  by lifetime: persistent 20.9 KiB, transient 600 B, unknown 10 B
  - the replay differs from the allocator's own count after 4 of 8 events: the trace misses events
    of 1
  - 2 frees have no allocation in the trace: the memory was allocated before it began
  - 1 address was allocated again without a free between

Checks
  broken invariant R2b: the replay is within 1 % of what the allocator says is allocated
    (soft); its count differs after some events (21,100 and 22,000 B)
  4 of 5 invariants hold
"""
SCREEN_OF_ONE_HOST = """\
allocator pinned_host_bfc was filled up to 48.8 KiB of 48.8 KiB.
It does not fit: 1.5 KiB are missing.

Compile time
[absent] no compiled module: no XSpace with Hlo Proto, *.hlo_proto.pb or *.hlo.pb

Allocators at run time: 3 allocators
  allocator  device    host   filled to  reserved  allocated  capacity     used        at  replay
  pinned…fc  (host…y)  alpha   48.8 KiB       0 B   48.8 KiB  48.8 KiB  100.0 %    100 ps  agrees
  1          TPU:1     alpha   21.5 KiB      10 B   21.5 KiB  49.8 KiB   43.2 %  3.000 ns  differs 4 times
  TPU_0_bfc  TPU:0     alpha    9.9 KiB   1.0 KiB    8.9 KiB  13.8 KiB   71.8 %  2.500 ns  agrees

Alive at run time: 48.8 KiB on pinned_host_bfc at the peak of step s0 (asked for)
     bytes    share  kind    lifetime    op
  48.8 KiB  100.0 %  buffer  persistent  jit_h
  by lifetime: persistent 48.8 KiB

Checks
  5 of 5 invariants hold

Findings
  - /device:TPU:1 at run time needs 21.5 KiB, 1.5 KiB more than the limit. Next: look at what is
    alive at the peak for what to keep out
"""


def with_rest(document, options):
    """With what the limit leaves out of the buffers."""
    peak = (document["runtime"] or {}).get("alive_at_peak")
    if not peak or len(peak["buffers"]) == peak["n_buffers"]:
        return document
    return {**document, "limited": truth.limited(
        max(options["top"], 1), ("runtime.alive_at_peak.buffers", len(peak["buffers"]), peak["n_buffers"]))}


class MemoryRuntime(truth.Case):
    def setUp(self):
        super().setUp()
        self.hosts = with_parents(capture())
        self.paths = [self.write(f"run/{h.file}", h.bytes()) for h in self.hosts]
        self.folder = self.scratch / "run"

    def ask(self, arguments, **options):
        found = truth.parsed(truth.run("memory", self.folder, "--json", *arguments))
        with self.subTest(arguments=arguments):
            self.check(found, with_rest(Answer(self.hosts, self.paths, self.folder, **options).document(), options))
        return found

    def test_the_fullest_device_at_its_peak(self):
        self.ask([])

    def test_every_way_to_choose_a_window(self):
        for arguments, options in (
                (["--all-trace"], {"all_trace": True}),
                (["--step", "0"], {"step": 0}), (["--step", "1"], {"step": 1}), (["--step", "2"], {"step": 2}), (["--step", "3"], {"step": 3}),
                (["--step-policy", "first"], {"policy": "first"}), (["--step-policy", "last"], {"policy": "last"})):
            for host in ("", "alpha", "beta"):
                if host == "beta" and options.get("step", 0) in (2, 3):
                    continue
                self.ask([*arguments, "--host", host] if host else arguments, host=host, **options)

    def test_lists_that_are_cut(self):
        for top in (0, 1, 2, 3):
            self.ask(["--top", str(top)], top=top)

    def test_samples(self):
        for count in (0, 1, 2, 3, 7, 10_001):
            self.ask(["--time-samples", str(count)], samples=count)

    def test_a_buffer_is_persistent_after_so_many_steps(self):
        for threshold in (0, 1, 2, 3, 4):
            self.ask(["--persistent-threshold-steps", str(threshold)], threshold=threshold)
            self.ask(["--persistent-threshold-steps", str(threshold),
                     "--host", "beta"], threshold=threshold, host="beta")

    def test_host_memory_when_it_is_asked_for(self):
        self.ask(["--include-host-pools"], host_pools=True)

    def test_each_allocator_alone(self):
        """Every allocator of the capture is the fullest one of some capture."""
        for host in self.hosts:
            for allocator in host.allocators:
                alone = Host(host.name, host.file, host.shift_ns, host.steps, [allocator], host.around)
                path = self.write(f"{allocator.host}-{allocator.name}/{host.file}", alone.bytes())
                for arguments, options in (([], {}), (["--step", "0"], {"step": 0}),
                                           (["--all-trace"], {"all_trace": True})):
                    found = truth.parsed(truth.run("memory", path.parent, "--json", *arguments))
                    alone_at_zero = Host(host.name, host.file, 0, host.steps, [allocator], host.around)
                    with self.subTest(allocator=allocator.name, host=host.name, arguments=arguments):
                        self.check(found, Answer([alone_at_zero], [path], path.parent, **options).document())

    def test_events_in_any_order(self):
        """Later events stand first in the file. What happened at one instant keeps its order."""
        for host in self.hosts:
            for allocator in host.allocators:
                allocator.events.sort(key=lambda e: -e.at_ps)
            host.around = host.around[::-1]
        with_parents(self.hosts)
        self.paths = [self.write(f"run/{h.file}", h.bytes()) for h in self.hosts]
        for arguments, options in (([], {}), (["--all-trace"], {"all_trace": True}),
                                   (["--host", "beta"], {"host": "beta"})):
            self.ask(arguments, **options)

    def test_types_of_elements(self):
        """The numbers of TensorFlow's types.proto. A text stays as it is; what is neither is no type."""
        names = {0: "invalid", 1: "f32", 2: "f64", 3: "s32", 4: "u8", 5: "s16", 6: "s8", 7: "string", 8: "c64",
                 9: "s64", 10: "pred", 11: "qint8", 12: "quint8", 13: "qint32", 14: "bf16", 15: "qint16",
                 16: "quint16", 17: "u16", 18: "c128", 19: "f16", 20: "resource", 21: "variant", 22: "u32",
                 23: "u64", 24: "f8e5m2", 25: "f8e4m3fn", 26: "f8e4m3fnuz", 27: "f8e4m3b11fnuz", 28: "f8e5m2fnuz",
                 29: "s4", 30: "u4", 31: "s2", 32: "u2", 33: "dt33", 1000: "dt1000"}
        events = [Event(0, 1_000 + number, "alloc", 0x1000 + number, 2000 - number, type=(number, name))
                  for number, name in names.items()]
        host = Host("alpha", "alpha.xplane.pb", 0, {"/device:TPU:0": [("s0", 0, 9_000)]},
                    [Allocator("alpha", "TPU_0_bfc", [("allocator_name", "TPU_0_bfc")], "/device:TPU:0", events)])
        path = self.write("types/alpha.xplane.pb", host.bytes())
        self.check(truth.parsed(truth.run("memory", path.parent, "--json", "--top", "99")),
                   Answer([host], [path], path.parent, top=99).document())

    def test_one_and_several(self):
        """One free without an allocation and two; one address that is allocated again and two."""
        for count in (1, 2):
            events = [Event(0, 1_000 + i, "free", 0x50 + i, 10) for i in range(count)]
            events += [Event(0, 2_000 + i, "alloc", 0x70, 100 + i) for i in range(count + 1)]
            host = Host("alpha", "alpha.xplane.pb", 0, {"/device:TPU:0": [("s0", 0, 9_000)]},
                        [Allocator("alpha", "0", [("index_on_host", 0)], "/device:TPU:0", events)])
            path = self.write(f"count{count}/alpha.xplane.pb", host.bytes())
            found = truth.parsed(truth.run("memory", path.parent, "--json"))
            self.check(found, Answer([host], [path], path.parent).document())
            frees, again = (("1 free has", "1 address was"), ("2 frees have", "2 addresses were"))[count - 1]
            self.assertEqual(found["runtime_diagnostics"]["warnings"][-2:], [
                f"{frees} no allocation in the trace: the memory was allocated before it began",
                f"{again} allocated again without a free between"])

    def test_a_fragmentation_that_is_a_whole_number(self):
        """However it is written, it is a number; one below zero is no huge one."""
        for value in (0, 1, -2, proto.Uint(3)):
            host = Host("alpha", "alpha.xplane.pb", 0, {"/device:TPU:0": [("s0", 0, 9_000)]},
                        [Allocator("alpha", "0", [("index_on_host", 0)], "/device:TPU:0",
                                   [Event(0, 1_000, "alloc", 8, 100, fragmentation=value)])])
            path = self.write("whole/alpha.xplane.pb", host.bytes())
            found = truth.parsed(truth.run("memory", path.parent, "--json"))
            expected = 3 if isinstance(value, proto.Uint) else value
            self.assertEqual(found["allocators"][0]["fragmentation_at_peak"], expected)

    def test_allocators_named_by_refs(self):
        """Events of one line whose names are refs to several entries, and of one that is named in full, in turns."""
        names = ["TPU_1_bfc", "TPU_0_bfc", "TPU_1_own", "TPU_0_bfc", "TPU_1_bfc", "TPU_1_own", "TPU_1_own", "TPU_0_bfc", "TPU_1_bfc"]
        sizes = {"TPU_0_bfc": 10, "TPU_1_bfc": 200, "TPU_1_own": 3000}
        plane = proto.Plane("/host:CPU", 9)
        plane.line("t", ZERO_NS, [
            plane.event("MemoryAllocation", 1_000 * at, 0, [
                ("allocator_name", name if name == "TPU_1_own" else proto.Ref(name)), ("addr", at), ("allocation_bytes", sizes[name])])
            for at, name in enumerate(names, 1)])
        path = self.write("refs/alpha.xplane.pb", proto.xspace([proto.Plane(f"/device:TPU:{n}", n + 1) for n in (0, 1)] + [plane]))
        found = truth.parsed(truth.run("memory", path, "--json"))["allocators"]
        self.assertEqual([(a["name"], a["device"], a["n_allocations"], a["heap_peak_bytes"], a["heap_peak_ps"]) for a in found], [
            ("TPU_1_bfc", "/device:TPU:1", 3, 600, 9_000), ("TPU_0_bfc", "/device:TPU:0", 3, 30, 8_000),
            ("TPU_1_own", "/device:TPU:1", 3, 9_000, 7_000)])

    def test_stats_that_come_twice(self):
        """The first of a name counts, whatever kind of value a later one has."""
        numbers = ("addr", "allocation_bytes", "requested_bytes", "peak_bytes_in_use", "bytes_reserved", "bytes_available", "id",
                   "bytes_allocated")
        texts = ("shape", "tf_op", "data_type", "allocator_name")
        again = {
            "as before": [(n, 77_777) for n in numbers] + [(n, "no") for n in texts] + [("fragmentation", 0.875)],
            "unsigned": [(n, proto.Uint(1 << 40)) for n in (*numbers, *texts, "fragmentation")],
            "as a text": [(n, "5") for n in (*numbers, "fragmentation")] + [(n, proto.Ref("other")) for n in texts],
            "as bytes": [(n, b"5") for n in (*numbers, *texts, "fragmentation")],
            "as a fraction": [(n, 2.5) for n in (*numbers, *texts, "fragmentation")],
            "not of this name": [("device_ordinal", 1), ("index_on_host", 1)]}
        for way, extra in again.items():
            given = {"available": 400, "fragmentation": 0.25, "op": "jit_f/dot", "shape": "f32[25]", "type": (1, "f32"), "extra": extra}
            events = [Event(0, 1_000, "alloc", 0x10, 100, 100, requested=99, peak=200, reserved=16, pool=3, **given),
                      Event(0, 2_000, "alloc", 0x20, 50, 150, requested=49, peak=201, reserved=17, pool=3, **given),
                      Event(0, 3_000, "free", 0x20, 50, 100, requested=49, peak=202, reserved=16, pool=3, **given),
                      Event(0, 4_000, "alloc", 0x30, 20, 120, requested=19, peak=203, reserved=16, pool=3, **given)]
            host = Host("alpha", "alpha.xplane.pb", 0, {"/device:TPU:0": [("s0", 0, 9_000)]},
                        [Allocator("alpha", "TPU_0_bfc", [("allocator_name", "TPU_0_bfc")], "/device:TPU:0", events)])
            path = self.write(f"twice/{way}/alpha.xplane.pb", host.bytes())
            with self.subTest(way=way):
                self.check(truth.parsed(truth.run("memory", path.parent, "--json")), Answer([host], [path], path.parent).document())

    def test_nodes_of_a_merge(self):
        """Two nodes in one file count their devices alike: 0 and 1 of node 2 are 128 and 129."""
        planes = []
        for node, size in ((0, 100), (2, 300)):
            for device in (0, 1):
                plane = proto.Plane(f"/device:GPU:{64 * node + device}", 64 * node + device)
                plane.own_stat("node_id", node)
                plane.own_stat("hostname", f"host{node}")
                plane.line("Steps", ZERO_NS, [plane.event("s0", 0, 10_000)])
                planes.append(plane)
            plane = proto.Plane("/host:CPU", 5000 + node, first_event_id=20)
            plane.own_stat("node_id", node)
            plane.own_stat("hostname", f"host{node}")
            events = [Event(0, 1_000 + device, "alloc", 8, size + device).written(
                plane, [("allocator_name", f"GPU_{device}_bfc")]) for device in (0, 1)]
            plane.line("thread 0", ZERO_NS, events)
            planes.append(plane)
        path = self.write("merged/combined.xplane.pb", proto.xspace(planes))

        def rows(*arguments):
            found = truth.parsed(truth.run("memory", path.parent, "--json", *arguments))
            return [(a["host"], a["name"], a["device"], a["heap_peak_bytes"]) for a in found["allocators"]]
        first = [("host0", "GPU_0_bfc", "/device:GPU:0", 100), ("host0", "GPU_1_bfc", "/device:GPU:1", 101)]
        second = [("host2", "GPU_0_bfc", "/device:GPU:128", 300), ("host2", "GPU_1_bfc", "/device:GPU:129", 301)]
        self.assertEqual(rows(), first + second)
        for wanted, expected in (("host0", first), ("node:0", first), ("host2", second), ("node:2", second)):
            self.assertEqual(rows("--host", wanted), expected, wanted)

    def test_the_library_says_the_same(self):
        printed = truth.run("memory", self.folder, "--json")
        with truth.library().open(str(self.folder)) as profile:
            self.assertEqual(profile.document_bytes("memory").decode(), printed)
            rows = Answer(self.hosts, self.paths, self.folder).document()["allocators"]
            memory = profile.memory()
            self.assertEqual([a.chosen for a in memory.allocators], [False, True, False, False, False])
            planes = [device["name"] for device in profile.table("devices")]
            for ours, theirs in zip(memory.allocators, rows):
                self.assertEqual("" if ours.device is None else planes[ours.device], theirs["device"])
                for field in (
                    "name",
                    "host",
                    "heap_peak_bytes",
                    "occupancy_peak_bytes",
                    "occupancy_peak_ps",
                    "capacity_bytes",
                    "pre_trace_bytes",
                    "unmatched_frees",
                    "allocator_agrees",
                ):
                    self.assertEqual(getattr(ours, field), theirs[field], field)

    def test_the_table_of_allocators(self):
        expected = [
            {"run": self.folder.name, "rank": None, "node": None, "device_name": row["device"] or None,
             "file": [host.name for host in self.hosts].index(row["host"]),
             "device": {"": None, "/device:TPU:0": 0, "/device:TPU:1": 1}[row["device"]] if row["host"] == "alpha" else
                       {"": None, "/device:TPU:0": 2, "/device:TPU:1": 3}[row["device"]],
             **{key: row[key] for key in ("host", "name", "heap_peak_bytes", "occupancy_peak_bytes", "occupancy_peak_ps", "capacity_bytes",
                                          "pre_trace_bytes", "unmatched_frees", "allocator_agrees")},
             "chosen": at == 1}
            for at, row in enumerate(Answer(self.hosts, self.paths, self.folder).document()["allocators"])]
        self.check(truth.rows("allocators", truth.run("rows", self.folder, "allocators", "--format", "json")), expected)

    def test_the_screen(self):
        self.check_text(truth.run("memory", self.folder), SCREEN)
        self.check_text(
            truth.run(
                "memory",
                self.folder,
                "--host",
                "alpha",
                "--step",
                "0",
                "--top",
                "2",
                "--include-host-pools",
                "--fit",
                "20KiB",
                status=1,
            ),
            SCREEN_OF_ONE_HOST,
        )

    def test_what_allocators_are_called(self):
        """Which device each serves, and that host memory is not the fullest unless it is asked for."""
        planes = [("/device:TPU:0 SparseCore 1", 3), ("/device:TPU:0", 0), ("/device:TPU:10", 10), ("/device:GPU:4", 4)]
        table = [([("allocator_name", "TPU_0_bfc")], "TPU_0_bfc", "/device:TPU:0", False),
                 ([("allocator_name", "TPU_10_bfc")], "TPU_10_bfc", "/device:TPU:10", False),
                 ([("allocator_name", "GPU_4_bfc")], "GPU_4_bfc", "/device:GPU:4", False),
                 ([("allocator_name", "GPU_0_bfc")], "GPU_0_bfc", "", False), ([("allocator_name", "0")], "0", "/device:TPU:0", False),
                 ([("index_on_host", 10), ("device_ordinal", 0)], "10", "/device:TPU:10", False),
                 ([("device_ordinal", 4)], "4", "/device:GPU:4", False), ([("device_ordinal", 3)], "3", "", False),
                 ([("allocator_name", "cpu_bfc")], "cpu_bfc", "", True), ([("allocator_name", "CPU")], "CPU", "", True),
                 ([("allocator_name", "mlir_host_pool")], "mlir_host_pool", "", True),
                 ([("allocator_name", ""), ("index_on_host", 0)], "0", "/device:TPU:0", False)]
        for i, (key, name, device, is_host) in enumerate(table):
            names = [n for n, _ in planes]
            host = Host("alpha", f"names{i}.xplane.pb", 0, {n: [("s", 0, 10_000)] for n in names}, [
                Allocator("alpha", "TPU_0_big", [("allocator_name", "TPU_0_big")], "/device:TPU:0",
                          [Event(0, 1_000, "alloc", 1, 100, 100)]),
                Allocator("alpha", name, key, device, [Event(1, 1_000, "alloc", 2, 200, 200)])])
            path = self.write(f"names{i}/names.xplane.pb", host.bytes())
            found = truth.parsed(truth.run("memory", path, "--json"))
            with self.subTest(key=key):
                self.assertEqual([(a["name"], a["device"]) for a in found["allocators"]],
                                 [("TPU_0_big", "/device:TPU:0"), (name, device)])
                self.assertEqual(found["runtime"]["pool"]["allocator"], "TPU_0_big" if is_host else name)
                asked = truth.parsed(truth.run("memory", path, "--json", "--include-host-pools"))
                self.assertEqual(asked["runtime"]["pool"]["allocator"], name)

    def test_a_step_that_is_not_there(self):
        for step in ("-1", "4"):
            truth.run("memory", self.folder, f"--step={step}", status=2)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
