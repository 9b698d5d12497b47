"""Small clusters whose clocks are measured badly, with the true time of every event as an exact integer.

A clock is a base, a rate in parts per 10^9, and changes of that rate; its reading at true time t is an integer of ps. Node 0 is the
reference. `law` says how a measurement errs; a fault of one node draws no random number of the others.
"""
import json
import math
import random

import proto_writer as proto

S = 10**12
US = 10**6
START_NS = 1_700_000_000_000_000_000
NODES, SECONDS, EVENTS = 3, 50, 80


class Clock:
    """`bends`: [(from t, parts per 10^9)], rates added from t on until the next."""

    def __init__(self, base, ppb, bends=(), steps=()):
        self.base, self.ppb, self.bends, self.steps = base, ppb, list(bends), list(steps)

    def at(self, t):
        n = (self.base + t) * 10**9 + t * self.ppb
        for (begin, rate), (end, _) in zip(self.bends, self.bends[1:] + [(t, 0)]):
            if t > begin:
                n += (min(t, end) - begin) * rate
        return n // 10**9 + sum(size for when, size in self.steps if t >= when)


def errors(law, r):
    """An endless sequence of errors of measurements, in ps."""
    kind, size = law[0], law[1]
    held = r.gauss(0, size)
    while True:
        if kind == "uniform":
            yield r.randrange(-size, size + 1)
        elif kind == "normal":
            yield round(r.gauss(0, size))
        elif kind == "late":  # never early, now and then far too late
            yield round(r.expovariate(1 / size))
        elif kind == "skewed":
            yield round(size * math.exp(r.uniform(-2.5, 2.5)))
        elif kind == "tails":
            yield round(size * (math.exp(r.gauss(0, 1.2)) - math.exp(r.gauss(0, 1.2))))
        elif kind == "slow":  # each error is much like the one before
            rho = law[2]
            held = rho * held + math.sqrt(1 - rho * rho) * r.gauss(0, size)
            yield round(held)
        elif kind == "mixed":  # white on top of slow
            held = 0.8 * held + 0.6 * r.gauss(0, size)
            yield round(held) + r.randrange(-size, size + 1)


def wander(r, size_ppb, period_s):
    """A rate that swings and drifts, in steps of a quarter of a second."""
    out, phase, walk = [], r.uniform(0, 6.28), 0.0
    for k in range(-8, 4 * SECONDS + 9):
        walk = 0.97 * walk + r.gauss(0, size_ppb / 30)
        out.append((k * S // 4, round(size_ppb * math.sin(1.5708 * k / period_s + phase) + walk)))
    return out


class Case:
    """`reads`, `paths`: laws of snapshots and of offsets. `fault`: of node 1: {"slew": (s, s, ppb)}, {"route": (s, ps)}, {"step": (s, ps)},
    {"outliers": (share, ps)}, {"gap": (s, s)}; {"reference": (s, ps)}: a step of node 0. `wanders`: (ppb, s). `rtt`: whether rows say
    their round trip."""

    def __init__(self, seed, reads=("uniform", 40_000), paths=("uniform", 60_000), fault=None, wanders=None, rtt=False):
        self.seed, self.reads, self.paths, self.fault, self.rtt = seed, reads, paths, fault or {}, rtt
        self.walls, self.tracers = [], []
        for k in range(NODES):
            r = self.random(k, 1)
            base, ppb, bends = r.randrange(-2 * 10**9, 2 * 10**9), r.randrange(-30_000, 30_000), []
            tracer = r.randrange(10**3, 10**6) * S, r.randrange(-30_000, 30_000)
            if wanders:
                bends = wander(r, *wanders)
            if k == 0:
                base, ppb, bends = 0, 0, []
            if k == 1 and "slew" in self.fault:
                begin, end, rate = self.fault["slew"]
                bends = [(begin * S, rate), (end * S, 0)]
            stepping = {0: "reference", 1: "step"}.get(k)
            steps = [(self.fault[stepping][0] * S + S // 3, self.fault[stepping][1])] if stepping in self.fault else []
            self.walls.append(Clock(START_NS * 1000 + base, ppb, bends, steps))
            self.tracers.append(Clock(*tracer))

    def random(self, node, what):
        return random.Random((self.seed * 101 + node) * 101 + what)

    def snapshots(self, node):
        r = self.random(node, 2)
        for k, error in zip(range(-1, SECONDS + 1), errors(self.reads, self.random(node, 3))):
            t = k * S + S // 2 + r.randrange(0, S // 500)
            yield self.walls[node].at(t) // 1000, self.tracers[node].at(t + error) // 1000

    def offsets(self, node):
        """Rows: middle and length of the probe on the reference's clock (ps), the offset (ps) at it, all whole ns or half of one."""
        bad = self.random(node, 5)
        for k, error in zip(range(-1, SECONDS + 2), errors(self.paths, self.random(node, 4))):
            t = k * S + S // 4
            one_way = 9 * US + abs(error)
            route = self.fault.get("route", (0, 0)) if node == 1 else (0, 0)
            longer = route[1] if k >= route[0] else 0
            there, back = one_way + error + max(0, longer), one_way - error + max(0, -longer)
            share, size = self.fault.get("outliers", (0, 2)) if node == 1 else (0, 2)
            sick = bad.random() < share
            wild = bad.choice((-1, 1)) * bad.randrange(size // 2, size)
            if node == 1 and self.fault.get("gap", (0, 0))[0] <= k < self.fault.get("gap", (0, 0))[1]:
                continue
            first, second, last = self.walls[0].at(t), self.walls[node].at(t + there), self.walls[0].at(t + there + back)
            yield (first + last) // 2, last - first, 0 if node == 0 else second - (first + last) // 2 + (wild if sick else 0)

    def write(self, folder):
        starts = [(self.walls[k].at(0) // 1000, self.tracers[k].at(0) // 1000) for k in range(NODES)]
        rows = [{"meta": True, "nodes": [{"node_id": k, "start_walltime_ns": w, "start_gpu_ns": g}
                                         for k, (w, g) in enumerate(starts)]}]
        for k in range(NODES):
            for middle, length, ahead in self.offsets(k):
                row = {"node_id": k, "midpoint_sys_ns": middle // 1000, "offset_ns": "@", "drift_ppm": self.walls[k].ppb / 1000}
                if self.rtt:
                    row["rtt_ns"] = length / 1000
                sign = "-" if ahead < 0 else ""
                rows.append(json.dumps(row).replace('"@"', f"{sign}{abs(ahead) // 1000}.{abs(ahead) % 1000:03}"))
        text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
        (folder / "offsets.jsonl").write_text(text)
        events = [row for k in range(NODES) for row in self.write_trace(folder, k, *starts[k])]
        (folder / "run_metadata.json").write_text(json.dumps({"run_id": "r", "reference_node": 0, "nodes": [
            {"node_id": k, "hostname": f"host{k}", "trace": f"node{k}.xplane.pb"} for k in range(NODES)]}))
        sick = [0] if "reference" in self.fault else [1] if self.fault else []
        (folder / "truth.json").write_text(json.dumps(
            {"must": "cover_or_warn" if sick else "cover", "sick": sick, "reference": 0, "events": events}))

    def write_trace(self, folder, node, wall_ns, tracer_ns):
        r, truths, planes = self.random(node, 6), [], []
        for plane, clock in (("/host:CPU", "host"), ("/device:GPU:0", "device")):
            of = proto.Plane(plane, 1)
            law, base = (self.walls[node], wall_ns) if clock == "host" else (self.tracers[node], tracer_ns)
            events = []
            for t in sorted(r.randrange(0, SECONDS * S) for _ in range(EVENTS)):
                uid = node * 1000 + len(truths) + 1
                events.append(of.event("e", law.at(t) - base * 1000, 1, [("uid", uid)]))
                truths.append([uid, node, clock, t, self.walls[0].at(t)])
            of.line("line", wall_ns, events)
            planes.append(of)
        (folder / f"node{node}.xplane.pb").write_bytes(proto.xspace(planes, [f"host{node}"]))
        (folder / f"node{node}.snapshots.pb").write_bytes(b"".join(
            proto.text(1, proto.number(1, wall) + proto.number(2, tracer)) for wall, tracer in self.snapshots(node)))
        return truths
