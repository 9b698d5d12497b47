"""`--compat=reference` at run time: what the reference tool says of the first host, worked out by its own rules."""
import bisect
import sys

import proto_writer as proto
import test_memory_runtime as runtime
import truth

ZERO = runtime.ZERO_NS
TYPES = {
    0: "INVALID",
    1: "PRED",
    2: "s8",
    3: "s16",
    4: "s32",
    5: "s64",
    6: "u8",
    7: "u16",
    8: "u32",
    9: "u64",
    10: "f16",
    11: "f32",
    12: "f64",
    16: "bf16",
    19: "f8e5m2",
    20: "f8e4m3fn",
    23: "f8e4m3",
    24: "f8e5m2fnuz",
    26: "f8e4m3fnuz",
     28: "f8e3m4"}
FOREVER = (1 << 63) - 1


class Live:
    """What is allocated, by pool and address, in the order of the allocations; who takes an occupied place keeps it."""

    def __init__(self):
        self.held = {}

    def apply(self, e):
        """False: a free of something that is not there."""
        if e.kind == "alloc":
            self.held[e.pool, e.addr] = e
            return True
        found = next((key for key in self.held if key[1] == e.addr), None)
        if found is None:
            return False
        self.pool = found[0]
        del self.held[found]
        return True

    def total(self):
        return sum(e.requested for e in self.held.values())


class Reference:
    def __init__(self, hosts, folder, path, **options):
        self.host, self.folder, self.path = hosts[0], folder, path
        self.o = {"host_pools": False, "samples": 200, "top": 30, "threshold": 2, "all_trace": False, "step": None,
                  "policy": "peak", **options}
        # In the order of the file, then by ns, what allocates first.
        events = [e for line in range(9) for a in self.host.allocators for e in a.events if e.line == line]
        for e in events:
            e.ns = ZERO + e.at_ps // 1000
        events.sort(key=lambda e: (e.ns, e.kind != "alloc"))
        self.capacity = {}
        for e in events:
            pool = e.pool if e.kind == "alloc" else 0
            self.capacity[pool] = max(self.capacity.get(pool, e.reserved), e.reserved)
        if not self.o["host_pools"] and any(e.kind == "alloc" and e.pool == 0 for e in events):
            events = [e for e in events if e.kind == "free" or e.pool == 0]
            self.capacity = {0: self.capacity[0]}
        self.events = events
        steps = self.host.steps.get("/device:TPU:0", [])
        self.steps = [(name, ZERO + a // 1000, ZERO + a // 1000 + (b - a) // 1000) for name, a, b in steps]

    def first_pass(self):
        live, pools, states = Live(), [], []
        self.drift, self.missing_shape, self.missing_op, self.pretrace = 0.0, 0, 0, 0
        self.in_use, self.allocations, frees = dict.fromkeys(self.capacity, 0), {}, 0
        self.most, self.most_ns = 0, 0
        for e in self.events:
            matched = live.apply(e)
            if e.kind == "alloc":
                self.allocations[e.pool] = self.allocations.get(e.pool, 0) + 1
                if e.pool not in pools:
                    pools.append(e.pool)
                self.in_use[e.pool] = max(self.in_use.get(e.pool, 0), e.peak)
                if len(pools) == 1 and (e.counted or 0) > 0:
                    self.drift = max(self.drift, abs(live.total() - e.counted) / e.counted * 100.0)
                self.missing_shape += not e.shape
                self.missing_op += not e.op
            else:
                frees += 1
                if matched:
                    self.in_use[live.pool] = max(self.in_use[live.pool], e.peak)
                else:
                    self.pretrace += 1
            if live.total() > self.most:
                self.most, self.most_ns = live.total(), e.ns
            states.append((e.ns, live.total(), len(live.held), e.fragmentation))
        self.frees, self.left, self.states = frees, live, states

    def samples(self):
        n, times = self.o["samples"], [s[0] for s in self.states]
        if n <= 1 or times[0] == times[-1]:
            chosen = [(times[-1], self.states[-1])]
        else:
            width = float(times[-1] - times[0]) / float(n - 1)
            targets = [float(times[0]) + float(k) * width for k in range(n)]
            chosen = [(int(t), self.states[max(bisect.bisect_right([float(x) for x in times], t) - 1, 0)])
                       for t in targets]
        return [{"ts_ns": t, "bytes_allocated": s[1], "live_count": s[2], "fragmentation": s[3]} for t, s in chosen]

    def window(self):
        if self.o["all_trace"]:
            return "all_trace", "all_trace", (None, 0, FOREVER)
        if self.o["step"] is not None:
            return "explicit", "steps_line", self.steps[self.o["step"]]
        if self.o["policy"] == "last":
            return "last", "steps_line", self.steps[-1]
        if self.o["policy"] == "first":
            return "first", "steps_line", self.steps[0]
        inside = [s for s in self.steps if s[1] <= self.most_ns <= s[2]]
        nearest = min(self.steps, key=lambda s: min(abs(s[1] - self.most_ns), abs(s[2] - self.most_ns)))
        return "peak", "steps_line", (inside or [nearest])[0]

    def document(self, shape_ids):
        self.first_pass()
        policy, source, (name, from_ns, to_ns) = self.window()
        live, most, at_ns = Live(), 0, self.most_ns
        for e in self.events:
            if e.ns <= to_ns:
                live.apply(e)
                if e.ns >= from_ns and live.total() > most:
                    most, at_ns = live.total(), e.ns
        live, fragmentation = Live(), 0
        for e in self.events:
            if e.ns <= at_ns and live.apply(e):
                fragmentation = e.fragmentation
        rows = sorted((self.row(e, at_ns, shape_ids) for e in live.held.values()), key=lambda r: -r["size_bytes"])
        total = sum(r["size_bytes"] for r in rows)
        by_pool = {}
        for e in live.held.values():
            by_pool[e.pool] = by_pool.get(e.pool, 0) + e.requested
        pool = 0 if 0 in self.capacity else next(e.pool for e in self.events if e.kind == "alloc")
        top = self.o["top"]

        def rolled(key, mixed):
            return runtime.rollup(rows, key, total, mixed, top)

        warnings = []
        if self.drift > 1.0:
            warnings.append(f"alloc_accounting_drift_pct={self.drift:.3f}% exceeds 1% threshold")
        if self.pretrace:
            warnings.append(f"{self.pretrace} MemoryDeallocation event(s) reference pre-trace allocations")
        return {
            "status": "ok", "skill": "memory-profile", "version": 2,
            "inputs": {"profile_dir": str(self.folder), "xplane_pb": str(self.path), "hlo_proto_pb": None},
            "primary_source": "runtime_allocator", "hlo": None, "hlo_absent_reason": "no_hlo_proto_pb",
            "runtime": {
                "step": {"id": name, "policy": policy, "range_ns": [from_ns, to_ns], "source": source},
                "pool": {"id": pool, "bytes_reserved": self.capacity[pool]},
                "peak": {"ts_ns": at_ns, "bytes_total": total, "bytes_by_pool": {str(p): by_pool[p] for p in sorted(by_pool)},
                         "fragmentation_at_peak": fragmentation,
                         "is_global_peak": at_ns == self.most_ns and total >= self.most},
                "alive_at_peak": {"n_buffers": len(rows), "total_bytes": total, "buffers": rows[:top],
                                  "tail": {"n_buffers": len(rows[top:]), "total_bytes": sum(r["size_bytes"] for r in rows[top:])}},
                "rollups": {"by_lifetime_class": rolled(lambda r: r["lifetime_class"], False),
                            "by_shape": rolled(lambda r: r["shape"], True), "by_tf_op": rolled(lambda r: r["tf_op"], True),
                            "by_parent_jit": rolled(runtime.parent_of, True),
                            "by_dtype": rolled(lambda r: r["data_type"], False)},
                "timeline": {"samples": self.samples(), "events_of_interest": [
                    {"kind": "global_peak", "ts_ns": self.most_ns, "bytes": self.most},
                    {"kind": "step_start", "ts_ns": from_ns, "step_id": name},
                    {"kind": "step_end", "ts_ns": to_ns, "step_id": name},
                    {"kind": "step_local_peak", "ts_ns": at_ns, "step_id": name, "bytes": total}],
                    "axis_units": {"ts_ns": "nanoseconds since epoch", "bytes": "bytes (base-2)"}},
                "n_planes": self.host.n_planes, "host_plane_present": True},
            "runtime_diagnostics": {
                "alloc_accounting_drift_pct": self.drift, "unmatched_dealloc_count": 0, "pretrace_dealloc_count": self.pretrace,
                "unmatched_alloc_count": len(self.left.held), "trace_end_live_bytes": self.left.total(),
                "n_pools_seen": len(self.capacity),
                "pools_summary": [{"pool_id": p, "n_alloc": self.allocations.get(p, 0), "n_dealloc": self.frees,
                                   "max_peak_bytes_in_use": self.in_use[p]} for p in sorted(self.capacity)],
                "step_line_present": True, "shape_missing_count": self.missing_shape, "tf_op_missing_count": self.missing_op,
                "warnings": warnings},
            "runtime_absent_reason": None, "consistency_warnings": []}

    def row(self, e, at_ns, shape_ids):
        freed = next((f.ns for f in self.events if f.kind == "free" and f.addr == e.addr), None)
        end = max(self.events[-1].ns, self.steps[-1][2]) if freed is None else freed
        crossed = sum(e.ns <= s[1] <= end for s in self.steps)
        kind = "unknown"
        if freed is None:
            kind = "persistent" if crossed >= self.o["threshold"] else kind
        elif any(s[1] <= min(e.ns, freed) and max(e.ns, freed) <= s[2] for s in self.steps):
            kind = "transient"
        shape = shape_ids[e.shape.name] if isinstance(e.shape, proto.Ref) else e.shape  # a reference is not looked up
        data_type = 0 if e.type is None else e.type[0]
        return {
            "addr": e.addr,
            "pool_id": e.pool,
            "size_bytes": e.requested,
            "alloc_bytes": e.size,
            "shape": shape or "<no shape>",
            "tf_op": e.op or "<no tf_op>",
            "data_type": data_type if isinstance(data_type, str) else TYPES.get(data_type, f"dt{data_type}"),
            "alloc_ts_ns": e.ns,
            "age_ns_at_peak": at_ns - e.ns,
            "crossed_step_boundaries": crossed,
            "parent_chain": e.parents,
            "lifetime_class": kind,
            "deallocated": freed is not None and freed >= at_ns,
        }


class MemoryReference(truth.Case):
    def setUp(self):
        super().setUp()
        self.hosts = runtime.with_parents(runtime.capture())
        paths = [self.write(f"run/{h.file}", h.bytes()) for h in self.hosts]
        self.folder, self.path = self.scratch / "run", paths[0]
        self.shape_ids = {"s64[75]": str(self.hosts[0].host_plane.stats["s64[75]"])}

    def test_every_choice(self):
        for arguments, options in (
                ([], {}), (["--include-host-pools"], {"host_pools": True}), (["--all-trace"], {"all_trace": True}),
                (["--step", "0"], {"step": 0}), (["--step", "1"], {"step": 1}), (["--step", "3"], {"step": 3}),
                (["--step-policy", "first"], {"policy": "first"}), (["--step-policy", "last"], {"policy": "last"}),
                (["--top", "1"], {"top": 1}), (["--top", "0"], {"top": 0}), (["--time-samples", "1"], {"samples": 1}),
                (["--time-samples", "5"], {"samples": 5}), (["--time-samples", "13"], {"samples": 13}),
                (["--persistent-threshold-steps", "1"], {"threshold": 1}),
                (["--persistent-threshold-steps", "4"], {"threshold": 4})):
            for more, pools in (([], {}), (["--include-host-pools"], {"host_pools": True})):
                if "--include-host-pools" in arguments and more:
                    continue
                found = truth.parsed(truth.run("memory", self.folder, "--compat", "reference", *arguments, *more))
                answer = Reference(self.hosts, self.folder, self.path, **options, **pools)
                with self.subTest(arguments=[*arguments, *more]):
                    self.check(found, answer.document(self.shape_ids))

    def test_the_nearest_step(self):
        """The peak lies in no step: the nearest edge decides, the first of equals."""
        host = self.hosts[0]
        for steps in ([("a", 0, 3_000), ("b", 9_000, 12_000)], [("a", 0, 1_000), ("b", 4_000, 4_900), ("c", 9_000, 12_000)],
                      [("b", 14_000, 15_000), ("a", 12_600, 12_700)], [("a", 0, 1_000), ("b", 9_000, 9_100)]):
            host.steps["/device:TPU:0"] = steps
            self.path.write_bytes(host.bytes())
            for more, pools in (([], {}), (["--include-host-pools"], {"host_pools": True})):
                found = truth.parsed(truth.run("memory", self.folder, "--compat", "reference", *more))
                with self.subTest(steps=steps, more=more):
                    self.check(found, Reference(self.hosts, self.folder, self.path, **pools).document(self.shape_ids))

    def test_every_type(self):
        host, beta = self.hosts
        events = [runtime.Event(0, 1_000 * i, "alloc", i + 1, 10 + i, type=(i, "")) for i in range(40)]
        alone = runtime.Host(
            host.name,
            host.file,
            0,
            host.steps,
            [runtime.Allocator("alpha", "0", [("device_ordinal", 0)], "/device:TPU:0", events)],
        )
        self.path.write_bytes(alone.bytes())
        found = truth.parsed(truth.run("memory", self.folder, "--compat", "reference", "--all-trace", "--top", "50"))
        answer = Reference([alone, beta], self.folder, self.path, all_trace=True, top=50)
        self.check(found, answer.document({}))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
