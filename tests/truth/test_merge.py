"""Three nodes on one timeline: every time of the written file by rational arithmetic, and every field of the metadata."""
import fractions
import json
import math
import sys

import proto_reader as reader
import proto_writer as proto
import truth

F = fractions.Fraction
S = 1_000_000_000_000  # ps
US = 1_000_000
START_NS = 1_700_000_000_000_000_000  # of the reference node's collector
READING = {"tracer": 2_000, "host": 1_000}  # clocks are read in whole ns
# What no error exceeds, in units of the scatter, by the number of independent deviations: docs/merge.md, 99.95 %.
FACTORS = [(1, 800), (2, 38), (3, 12.5), (4, 7.8), (5, 6.0), (6, 5.0),
            (7, 4.4), (8, 4.1), (10, 3.8), (14, 3.5), (30, 3.3)]


class Map:
    """Piecewise linear through knots; before and behind them at these slopes, else those of the outermost pieces."""

    def __init__(self, knots, before=None, after=None):
        self.knots = knots
        slope = [F(b[1] - a[1], b[0] - a[0]) for a, b in zip(knots, knots[1:])] or [F(1)]
        self.slopes = [slope[0] if before is None else before, *(slope if len(knots) > 1 else []),
                       slope[-1] if after is None else after]

    def __call__(self, x):
        i = sum(k[0] <= x for k in self.knots)
        base = self.knots[max(i - 1, 0)]
        return base[1] + (x - base[0]) * self.slopes[i]

    def outside(self, x):
        return x < self.knots[0][0] or x > self.knots[-1][0]


def whole(x):
    """To the nearest, halves up."""
    return math.floor(x + F(1, 2))


class Node:
    """`snapshots`: (tracer, wall) in ns since the collector's start; `offsets`: (midpoint on the reference's clock in ps
    since its start, by how much the wall clock is ahead then, in ps)."""

    def __init__(self, number, host, start_ns, gpu_ns, snapshots, offsets, period_ns, embedded, **more):
        self.number, self.host, self.start_ns, self.gpu_ns = number, host, start_ns, gpu_ns
        self.snapshots, self.offsets, self.period_ns, self.embedded = snapshots, offsets, period_ns, embedded
        self.drift_ppt = more.pop("drift_ppt", None)
        self.residual_ps = more.pop("residual_ps", 0)
        self.round_trips = more.pop("round_trips", {})
        self.rounds = more.pop("rounds", True)
        self.planes = more.pop("planes")
        self.is_reference = number == 0
        early = (START_NS - start_ns) * 1000  # added to offsets: wall times count from the node's own start
        self.to_wall = Map([(r * 1000, s * 1000) for r, s in snapshots])
        self.points = [(at, ahead + early) for at, ahead in offsets] if not self.is_reference else []
        slope = None if self.drift_ppt is None else 1 / (1 + F(self.drift_ppt, S))
        self.to_reference = Map([(at + o, at) for at, o in self.points],
                                slope, slope) if self.points else (lambda x: x)

        self.direct = self.composed()

    def composed(self):
        """From the tracer clock to the reference's: knots where either map has one, on whole ps."""
        knots = {r * 1000: whole(self.to_reference(s * 1000)) for r, s in self.snapshots}
        for at, ahead in self.points:
            s = at + ahead
            inside = [(a, b) for a, b in zip(self.to_wall.knots, self.to_wall.knots[1:]) if a[1] < s < b[1]]
            for a, b in inside:
                knots.setdefault(whole(a[0] + F((s - a[1]) * (b[0] - a[0]), b[1] - a[1])), at)
        for far in (-(1 << 58), 1 << 58):
            knots[far] = whole(self.to_reference(whole(self.to_wall(far))))
        return Map(sorted(knots.items()))

    def host_past_offsets(self, x):
        return bool(self.points) and self.to_reference.outside(x)


class Event:
    def __init__(self, called, offset, duration=0, **stats):
        self.name, self.offset, self.duration, self.stats = called, offset, duration, stats


class Line:
    """`at_ns`: since the Unix epoch, or of a device, whose events count from the collector's start, anything."""

    def __init__(self, key, name, at_ns, events, display="", display_id=0):
        self.key, self.name, self.at_ns, self.events, self.display, self.display_id = key, name, at_ns, events, display, display_id


def nodes():
    def device(number, seed):
        kernels = [
            Event("gemm, \"a\"", (seed * 37 + 11) % 997 + k * S // 7 + seed, 5 * US + k, corr=k) for k in range(22)
        ]
        kernels.append(Event("größe", kernels[-1].offset, 7 * US))  # begins with the one before, and is longer
        kernels.append(Event("none", kernels[3].offset, 0))  # out of order
        early = [Event("early", 0, 10), Event("gemm, \"a\"", 3, 1), Event("late", int(31 * S / 10), 2)]
        return (f"/device:GPU:{number}", number + 3,
                [Line(7, "Stream #7", 123, kernels, "größer"), Line(8, "Stream #8", START_NS, early, display_id=4)])

    def host(start_ns, number):
        calls = [Event("launch", k * 13 * S // 100 + number, 3, name=f"k{k}") for k in range(23)]
        return ("/host:CPU", 80, [Line(0, "python", start_ns, calls),
                Line(900, "", start_ns + 5, [Event("x", 1), Event("x", 1)])])

    other = ("/host:metadata, \"x\"", 7, [])
    # The reference: 2 ppm fast, snapshots in a file. Its own offsets are 0.
    first = Node(0, "ada", START_NS, 5_000_000_000,
                 [(k * 1_000_000_000, k * 1_000_002_000) for k in range(4)], [(k * S // 2, 0) for k in range(6)],
                 1_000_000_000, False, planes=[device(0, 1), device(1, 2), host(START_NS, 0), other])
    # A straight clock, 3 ppm slow against its wall clock, which runs 4 ppm fast: as drift_ppm says.
    start = START_NS + 1_234_567
    ahead = 77 * US
    second = Node(1, "bob", start, 7_000_000_000_001,
                  [(k * 500_000_000, k * 499_998_500) for k in range(6)],
                  [(k * S // 2, ahead + 4 * k * S // 2 // US) for k in range(6)], 400_000_000, True, drift_ppt=4 * US,
                  planes=[device(0, 3), device(1, 4), host(start, 1)])
    # A clock that bends; rows without rounds, of which one says how long the probe took; it lags.
    start = START_NS - 5_000_000
    third = Node(2, "", start, 9_000_000_000_000,
                 [(0, 100), (1_000_000_000, 1_000_003_100), (2_000_000_000, 2_000_004_100), (3_000_000_000, 3_000_009_100)],
                 [(S // 10, -3 * US), (11 * S // 10, -2 * US), (21 * S // 10, -4 * US)], 0, False, residual_ps=700,
                 round_trips={1: 40_000}, rounds=False, planes=[host(start, 2), device(0, 5)])
    return [first, second, third]


# ---- what is written ----

def plane_of(name, key, lines):
    plane = proto.Plane(name, key, first_event_id=2, first_stat_id=3)
    for line in lines:
        plane.line(line.name, line.at_ns, [plane.event(e.name, e.offset, e.duration, list(e.stats.items()))
                                           for e in line.events], line.key, line.display, line.display_id)
    return plane


def trace(node):
    planes = [plane_of(*p) for p in node.planes]
    if node.embedded:
        plane = proto.Plane("/host:snapshots", 70)
        plane.line("pairs", node.start_ns, [plane.event("pair", s * 1000, 0,
                   [("rocm_ns", proto.Uint(node.gpu_ns + r))]) for r, s in node.snapshots])
        planes.append(plane)
        clock = proto.Plane("Task Environment", 71)
        clock.own_stat("profile_start_time", proto.Uint(node.start_ns))
        planes.append(clock)
    return proto.xspace(planes, [node.host] if node.host else [])


def snapshot_file(node):
    out = b"".join(proto.text(1, proto.number(1, node.start_ns + s) + proto.number(2, node.gpu_ns + r))
                   for r, s in node.snapshots)
    return out + proto.number(2, node.period_ns)


def offsets_file(all_nodes):
    rows = [{"meta": True, "run_id": "run, 7", "nodes": [
        {"node_id": n.number, "start_walltime_ns": n.start_ns, "start_gpu_ns": n.gpu_ns} for n in all_nodes]}]
    for n in all_nodes:
        for i, (at, ahead) in enumerate(n.offsets):
            row = {"node_id": n.number, "midpoint_sys_ns": START_NS + at // 1000}
            if n.rounds:
                row["round_id"] = i
                if not n.is_reference:  # on the node's own clock; the round's midpoint is the reference's
                    row["midpoint_sys_ns"] += 999
            row["offset_ns"] = None  # written below, digit by digit
            text = json.dumps(row)
            number = f"{'-' if ahead < 0 else ''}{abs(ahead) // 1000}.{abs(ahead) % 1000:03}"
            extra = []
            if n.drift_ppt is not None:
                extra.append(f'"drift_ppm": {n.drift_ppt / 1e6}')
            if n.residual_ps:
                extra.append(f'"residual": {n.residual_ps / 1000}')
            if i in n.round_trips:
                extra.append(f'"rtt_ns": {n.round_trips[i] / 1000}')
            rows.append(text.replace('"offset_ns": null', ", ".join([f'"offset_ns": {number}', *extra])))
    rows.append({"node_id": 2, "midpoint_sys_ns": START_NS, "offset_ns": 123456.125, "reachable": False})
    return "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)


# ---- what is expected ----

class Placed:
    """An event on the corrected timeline."""

    def __init__(self, node, plane, event, base_ps):
        self.event = event
        if plane.startswith("/device:GPU:"):
            self.wall = whole(node.to_wall(event.offset))
            self.at = whole(node.direct(event.offset))
            assert abs(self.at - node.to_reference(node.to_wall(event.offset))) <= 1
            self.past_snapshots = node.to_wall.outside(event.offset)
        else:
            self.wall = event.offset + base_ps
            self.at = whole(node.to_reference(self.wall))
            self.past_snapshots = False
        self.past_offsets = node.host_past_offsets(self.wall)
        # How far the wall clock was ahead of the reference's.
        self.correction = self.wall + (node.start_ns - START_NS) * 1000 - self.at


def placed(node):
    """Of each plane and line, the events in the order of the output: by start, longer ones first."""
    out = []
    for name, key, lines in node.planes:
        rows = []
        for line in lines:
            order = sorted(range(len(line.events)), key=lambda i, e=line.events: (e[i].offset, -e[i].duration, i))
            rows.append(
                (line, [Placed(node, name, line.events[i], (line.at_ns - node.start_ns) * 1000) for i in order]))
        out.append((name, key, rows))
    if node.embedded:
        line = Line(0, "pairs", node.start_ns,
                    [Event("pair", s * 1000, 0, rocm_ns=node.gpu_ns + r) for r, s in node.snapshots])
        out.append(("/host:snapshots", 70, [(line, [Placed(node, "/host:snapshots", e, 0) for e in line.events])]))
        out.append(("Task Environment", 71, []))
    return out


def fitted(points):
    """(slope, what is left squared) of the line of least squares, in doubles about the first point."""
    t0, y0 = points[0]
    n = float(len(points))
    t, y = sum(float(p[0] - t0) for p in points) / n, sum(float(p[1] - y0) for p in points) / n
    tt = ty = left = 0.0
    for at, size in points:
        tt += (float(at - t0) - t) ** 2
        ty += (float(at - t0) - t) * (float(size - y0) - y)
    slope = ty / tt
    for at, size in points:
        left += (float(size - y0) - y - slope * (float(at - t0) - t)) ** 2
    return slope, left


def factor(freedom):
    return [times for least, times in FACTORS if least <= freedom][-1] if freedom >= 1 else 800


def pooled(scatters):
    used = [(rms, freedom) for rms, freedom in scatters if freedom > 0]
    freedom = sum(f for _, f in used)
    return (math.sqrt(sum(r * r * f for r, f in used) / freedom) if freedom else 0.0, freedom)


def of_nodes(scatters):
    """Together, but one that scatters more than three times the usual (the upper one of two) counts as that."""
    usual = sorted(rms for rms, freedom in scatters if freedom > 0)
    most = 3 * usual[len(usual) // 2] if usual else 0
    return pooled([(min(rms, most), freedom) for rms, freedom in scatters])


def largest_error(own, together):
    alone = own[0] * factor(own[1])
    if together[1] <= own[1]:
        return alone
    shared = max(together[0] * factor(together[1]), own[0] * 3.3)
    return max(alone, shared) if own[1] > 0 and own[0] > 2 * together[0] else shared


class Bounds:
    """How far times of each node can be wrong."""

    def __init__(self, all_nodes):
        self.snapshot_scatter, self.offset_scatter = {}, {}
        for n in all_nodes:
            _, left = fitted([(r * 1000, (s - r) * 1000) for r, s in n.snapshots])
            self.snapshot_scatter[n.number] = (math.sqrt(left / (len(n.snapshots) - 2)), len(n.snapshots) - 2)
            if n.points:
                _, left = fitted(n.points)
                self.offset_scatter[n.number] = (math.sqrt(left / (len(n.points) - 2)), len(n.points) - 2)
        self.all_snapshots, self.all_offsets = (of_nodes(list(s.values()))
                                                for s in (self.snapshot_scatter, self.offset_scatter))

    def windows(self, node, least, most):
        noise = math.ceil(largest_error(self.snapshot_scatter[node.number], self.all_snapshots))
        ends = [whole(node.to_reference(node.to_wall(node.snapshots[i][0] * 1000))) for i in (0, -1)]
        lengths = [(node.snapshots[i + 1][0] - node.snapshots[i][0]) * 1000 for i in (0, len(node.snapshots) - 2)]
        growth = [math.ceil(2 * float(noise + READING["tracer"]) / float(length) * 1e12) for length in lengths]
        snapshot = (noise, [noise, noise], ends, growth)
        offset = (0, [0, 0], [0, 0], [0, 0])
        # What each offset says of itself: it counts on both sides, up to the next.
        own = [max(node.residual_ps, node.round_trips.get(i, 0) // 2) for i in range(len(node.points))]
        if node.points:
            noise = math.ceil(largest_error(self.offset_scatter[node.number], self.all_offsets))
            outer = [max(noise, own[0]), max(noise, own[-1])]
            if node.drift_ppt is not None:
                apart = abs(fitted(node.points)[0] * 1e12 - node.drift_ppt)
                growth = [math.ceil(max(1.0, abs(node.drift_ppt) * 5e-6) + apart)] * 2
            else:
                lengths = [node.points[1][0] - node.points[0][0], node.points[-1][0] - node.points[-2][0]]
                growth = [math.ceil(2 * float(n + 1) / float(length) * 1e12) for n, length in zip(outer, lengths)]
            offset = (noise, outer, [node.points[0][0], node.points[-1][0]], growth)
        edges = sorted({least, most, *(t for t in (*(p[0] for p in node.points), *ends) if least < t < most)})
        out = []
        for a, b in zip(edges, edges[1:]):
            of_offset, of_snapshot = (max(self.noise_at(part, a), self.noise_at(part, b))
                                      for part in (offset, snapshot))
            of_offset = max([of_offset, *(float(o) for o, before, after in zip(
                own, [None, *node.points], [*node.points[1:], None])
                if (before is None or before[0] <= a) and (after is None or a < after[0]))])
            window = {"tracer_bound_ps": math.ceil(math.hypot(of_offset, of_snapshot)) + READING["tracer"],
                      "host_bound_ps": math.ceil(of_offset) + READING["host"],
                      "extrapolated": b <= ends[0] or a >= ends[1] or
                      bool(node.points) and (b <= offset[2][0] or a >= offset[2][1]), "suspect": False}
            if out and all(out[-1][k] == v for k, v in window.items()):
                out[-1]["to_ps"] = b
            else:
                out.append({"from_ps": a, "to_ps": b, **window})
        return out

    @staticmethod
    def noise_at(part, t):
        noise, (at_first, at_last), (first, last), (before, after) = part
        if t < first:
            return float(at_first) + (float(first) - float(t)) * float(before) / 1e12
        if t > last:
            return float(at_last) + (float(t) - float(last)) * float(after) / 1e12
        return float(noise)


def ns(ps):
    return F(ps, 1000)


class Answer:
    def __init__(self, all_nodes, zero="auto"):
        self.nodes = all_nodes
        self.placed = [placed(n) for n in all_nodes]
        earliest = min(e.at for planes in self.placed for _, _, lines in planes for _, events in lines for e in events)
        self.by_line = zero == "none"
        self.zero = earliest // 1000 * 1000 if (zero == "auto" and earliest < 0) or zero == "min" else 0
        self.bounds = Bounds(all_nodes)

    def name(self, node, plane, key, others):
        """(name, id) of a plane in the merge."""
        if plane.startswith("/device:GPU:"):
            number = 64 * node + int(plane.rsplit(":", 1)[1])
            return f"/device:GPU:{number}", number
        if plane == "/host:CPU":
            return (plane, key) if node == 0 else (f"/device:GPU:{10000 * node}", 10000 * node)
        number = 50000 + 100 * node + len(others)
        others.append(plane)
        return f"/device:GPU:{number}_misc_{plane.lstrip('/')}", number

    def planes(self):
        others, out = [], []
        for node, planes in zip(self.nodes, self.placed):
            for plane, key, lines in planes:
                out.append((node, plane, *self.name(node.number, plane, key, others), lines))
        return out

    def node(self, node, path):
        events = [e for _, _, lines in self.placed[node.number] for _, line in lines for e in line]
        corrections = [e.correction for e in events]
        greatest, least = max(corrections), min(corrections)
        first, last = min(e.at for e in events), max(e.at for e in events)
        windows = self.bounds.windows(node, first, last)
        _, left = fitted([(r * 1000, whole(node.to_reference(node.to_wall(r * 1000))) - r * 1000)
                         for r, _ in node.snapshots])
        slope, _ = fitted([(r * 1000, (s - r) * 1000) for r, s in node.snapshots])
        expected = (last - first) // 1000 // node.period_ns + 1 if node.period_ns and not node.embedded else 0
        unsorted = sum(any((a.offset, -a.duration) > (b.offset, -b.duration)
                       for a, b in zip(line.events, line.events[1:])) for _, _, lines in node.planes for line in lines)
        return {
            "id": node.number, "snapshots": len(node.snapshots), "offset_windows": len(node.offsets),
            "max_correction_ns": ns(greatest if abs(greatest) >= abs(least) else least),
            "missing_snapshots": max(expected - len(node.snapshots), 0), "hostname": node.host, "trace": str(path),
            "status": "corrected", "aligned_before": False, "incomplete": None, "method": "snapshots",
            "snapshot_source": "embedded" if node.embedded else "file",
            "events": len(events), "planes": len(self.placed[node.number]), "clamped_events": 0, "sorted_lines": unsorted,
            "snapshot_extrapolated_events": sum(e.past_snapshots for e in events),
            "offset_extrapolated_events": sum(e.past_offsets for e in events), "out_of_reach_events": 0,
            "min_correction_ns": ns(least), "mean_correction_ns": ns(int(F(sum(corrections), len(corrections)))),
            "residual_ns": ns(round(math.sqrt(left / len(node.snapshots)))),
            "host_drift_ppm": round(fitted(node.points)[0] * 1e12) / 1e6 if node.points else 0,
            "tracer_drift_ppm": round(-slope / (1 + slope) * 1e12) / 1e6,
            "offset_variance_ns2": fitted(node.points)[1] / len(node.points) / 1e6 if node.points else 0,
            "sampling_period_ns": 0 if node.embedded else node.period_ns,
            "bound": {"tracer_ns": ns(max(w["tracer_bound_ps"] for w in windows)),
                      "host_ns": ns(max(w["host_bound_ps"] for w in windows)),
                      "windows": [{**w, "from_ps": w["from_ps"] - self.zero, "to_ps": w["to_ps"] - self.zero}
                                  for w in windows]},
            "anomalies": []}

    def document(self, paths, offsets, size):
        return {
            "schema": "profkit.merge", "version": 1, "status": "ok", "reason": None, "run_id": "run, 7", "reference_node": 0,
            "origin_ns": str(START_NS + self.zero // 1000),
            "events": sum(len(line) for planes in self.placed for _, _, lines in planes for _, line in lines),
            "output_bytes": size, "hostnames": [n.host for n in self.nodes if n.host],
            "assumptions": ["paths between nodes take as long there as back: offsets do not show it when they do not",
                            "clocks are straight between two measurements, but for what their scatter shows",
                            "errors of measurements last less long than the measurements: those that last longer look like drift"],
            "nodes": [self.node(n, p) for n, p in zip(self.nodes, paths)],
            "planes": [{"name": name, "id": str(key), "node": node.number, "source": plane, "moved": False}
                       for node, plane, name, key, _ in self.planes()],
            "validation": None,
            "warnings": [f"{offsets}: 1 row of an unreachable node is not used"]}

    def written(self):
        """The planes of the file up to those that the merge adds."""
        out = []
        for node, plane, name, key, lines in self.planes():
            skew = self.node(node, "")["residual_ns"]
            stats = [("node_id", node.number), ("hostname", node.host), ("clock_skew_ns", float(skew))]
            if plane == "Task Environment":
                stats.insert(0, ("profile_start_time", node.start_ns))
            rows = []
            for line, events in lines:
                is_host = plane == "/host:CPU"
                called = f"/node:{node.number}/{line.name or 'line_' + str(line.key)}" if is_host else line.name
                display = f"Node {node.number}: {line.display or line.name or 'line_' + str(line.key)}" if is_host else line.display
                rows.append({"id": line.key + node.number * LINE_IDS,
    "name": called,
    "timestamp": START_NS if self.by_line else 0,
    "display_id": line.display_id,
    "display": display,
    "events": [{"name": e.event.name,
    "offset": e.at - self.zero,
    "duration": e.event.duration,
    "stats": list(e.event.stats.items()),
     "times": None} for e in events]})
            out.append({"id": key, "name": name, "lines": rows, "stats": stats})
        return out


LINE_IDS = 1_000_000


# Read against the numbers that Answer works out.
SCREEN = """\
Merged 216 events of 3 nodes, run run, 7
  node  host  times      events  correction  device +-   host +-  snapshots  offsets
     0  ada   corrected      79        0 ps   2.402 ns  1.000 ns          4        6
     1  bob   corrected      85   89.405 us   3.288 us  3.287 us          6        6
     2        corrected      52   -5.990 us   2.930 ms  2.930 ms          4        3
wrote SCRATCH/out/combined.xspace
wrote SCRATCH/out/combined.metadata.json
"""


class Merge(truth.Case):
    def setUp(self):
        super().setUp()
        self.nodes = nodes()
        self.paths = [self.write(f"node{n.number}.xplane.pb", trace(n)) for n in self.nodes]
        self.snapshots = [self.write(f"snap{n.number}.pb", snapshot_file(n))
                                     if not n.embedded else "" for n in self.nodes]
        self.offsets = self.write("offsets.jsonl", offsets_file(self.nodes))
        self.output = self.scratch / "out" / "combined.xspace"
        self.output.parent.mkdir()

    def merge(self, *arguments, status=0):
        return truth.run("merge", "--traces", *self.paths, "--snapshots", *self.snapshots, "--offsets", self.offsets,
                         "--output", self.output, *arguments, status=status)

    def test_every_time_and_every_number(self):
        printed = truth.parsed(self.merge("--json"))
        for zero in ("auto", "min", "node0", "none"):
            if zero != "auto":
                printed = truth.parsed(self.merge("--json", "--normalize", zero))
            answer = Answer(self.nodes, zero)
            data = self.output.read_bytes()
            with self.subTest(zero=zero):
                found = reader.xspace(data)
                expected = answer.written()
                for ours, theirs in zip(found["planes"], expected):
                    self.check(ours_as_lists(ours), ours_as_lists(theirs))
                self.assertEqual(found["hostnames"], ["ada", "bob"])
                added = found["planes"][len(expected):]
                self.check([ours_as_lists(p) for p in added], [ours_as_lists(p) for p in self.clock_planes(answer)])
                self.check(printed, answer.document(self.paths, self.offsets, len(data)))
                beside = truth.parsed((self.output.parent / "combined.metadata.json").read_text())
                self.check(beside, answer.document(self.paths, self.offsets, len(data)))

    def test_the_screen(self):
        self.check_text(self.merge().replace(str(self.scratch), "SCRATCH"), SCREEN)

    def test_names_of_planes(self):
        for arguments, names in (
                (["--plane-scheme", "rocm"], lambda node, plane, seed: (
                    f"/device:GPU:{seed[1] + 100}", seed[1] + 100) if plane.startswith("/device") else seed),
                (["--plane-scheme", "node"], lambda node, plane, seed: (f"/node:{node}/{short(plane)}", seed[1])),
                (["--plane-prefix", "run7"], lambda node, plane, seed: (f"run7/node:{node}/{short(plane)}", seed[1]))):
            self.merge(*arguments)
            others, expected = [], []
            for node in self.nodes:
                for plane, key in [p[:2] for p in node.planes] + \
                    [("/host:snapshots", 0), ("Task Environment", 0)] * node.embedded:
                    expected.append(names(node.number, plane, Answer.name(None, node.number, plane, key, others)))
            found = [(p["name"], p["id"]) for p in reader.xspace(self.output.read_bytes())["planes"]]
            prefix = "run7" if "--plane-prefix" in arguments else ""
            expected += [(f"{prefix}/node:{i}/clock_metadata", 900_000 + i)
                          for i in range(3)] + [("Task Environment", 0)]
            self.assertEqual(found, expected)

    def test_lines_that_keep_their_order(self):
        """An event that begins before the one in front of it stands at the same time as that one."""
        printed = truth.parsed(self.merge("--keep-order", "--json"))
        found = reader.xspace(self.output.read_bytes())["planes"]
        for node, (_, _, _, _, lines), ours in zip(
            [n for n in self.nodes for _ in placed(n)], Answer(self.nodes).planes(), found):
            for (line, events), theirs in zip(lines, ours["lines"]):
                times = {id(e.event): e.at for e in events}
                self.assertEqual([e["name"] for e in theirs["events"]], [e.name for e in line.events])
                self.assertEqual([e["offset"] for e in theirs["events"]], [times[id(e)] -
     Answer(self.nodes).zero for e in line.events], (node.number, line.name))
        self.assertEqual([n["sorted_lines"] for n in printed["nodes"]], [0, 0, 0])

    def test_ends_are_mapped_when_asked_for(self):
        self.merge("--scale-durations")
        answer = Answer(self.nodes)
        found = reader.xspace(self.output.read_bytes())["planes"]
        changed = 0
        for (node, plane, _, _, lines), ours in zip(answer.planes(), found):
            for (line, events), theirs in zip(lines, ours["lines"]):
                for e, written in zip(events, theirs["events"]):
                    end = Placed(
                        node, plane, Event("", e.event.offset + e.event.duration), (line.at_ns - node.start_ns) * 1000
                    ).at
                    self.assertEqual(written["duration"], end - e.at if e.event.duration else 0)
                    changed += written["duration"] != e.event.duration
        self.assertGreater(changed, 20)

    def test_by_wall_time_alone(self):
        for how in ("walltime", "none"):
            printed = truth.parsed(self.merge("--correction", how, "--json"))
            found = reader.xspace(self.output.read_bytes())["planes"]
            zero = (int(printed["origin_ns"]) - START_NS) * 1000
            earliest = []
            for (node, plane, _, _, lines), ours in zip(Answer(self.nodes).planes(), found):
                for (line, events), theirs in zip(lines, ours["lines"]):
                    at_ns = node.start_ns if plane.startswith("/device") and how == "walltime" else line.at_ns
                    if at_ns < 10 ** 17:  # counts from the start of the file
                        at_ns += node.start_ns
                    times = [(at_ns - START_NS) * 1000 + e.event.offset for e in events]
                    earliest += times
                    self.assertEqual([e["offset"] + zero for e in theirs["events"]],
                                     times, (how, node.number, plane, line.name))
            self.assertEqual(zero, min(earliest) // 1000 * 1000)
            for node in printed["nodes"]:
                self.assertEqual((node["status"], node["bound"]), ("walltime" if how == "walltime" else "raw", None))
                self.assertEqual((node["max_correction_ns"], node["min_correction_ns"],
                                 node["mean_correction_ns"]), (0, 0, 0))
            self.assertEqual(printed["assumptions"], [])

    def test_merging_a_merge(self):
        """Nothing is corrected twice."""
        first = truth.parsed(self.merge("--json"))
        before = reader.xspace(self.output.read_bytes())
        again = self.scratch / "again.xspace"
        second = truth.parsed(truth.run("merge", "--traces", self.output, "--output", again, "--json"))
        after = reader.xspace(again.read_bytes())
        self.check([ours_as_lists(p) for p in after["planes"]], [ours_as_lists(p) for p in before["planes"]])
        for ours, theirs in zip(second["nodes"], first["nodes"]):
            same = ("id", "snapshots", "offset_windows", "hostname", "status", "snapshot_source", "residual_ns",
                    "offset_variance_ns2", "sampling_period_ns", "bound")
            self.check({k: ours[k] for k in same}, {k: theirs[k] for k in same})
            self.assertTrue(ours["aligned_before"])
        self.assertEqual([p["node"] for p in second["planes"]], [p["node"] for p in first["planes"]])
        self.assertEqual((second["events"], second["origin_ns"]), (first["events"], first["origin_ns"]))

    def test_printed_events(self):
        printed = [line for line in self.merge("--print-events").splitlines() if line.startswith("    Node ")]
        expected = []
        for node in self.nodes:
            for plane, _, lines in placed(node):
                for line, events in lines:
                    times = {id(e.event): e.at for e in events}
                    for i, e in enumerate(line.events):
                        # snapshots are described anew by placed(): theirs stand in the order of the file
                        at = times[id(e)]
                        expected.append(
                            f"    Node {node.number} Plane '{plane}' Line {line.key} Event {i}: meta='{e.name}', "
                            f"ts={START_NS + whole(F(at, 1000))} ns"
                        )
        self.assertEqual(printed, expected)

    def test_the_library_says_the_same(self):
        document = self.merge("--json")
        written = self.output.read_bytes()
        profkit = truth.library()
        out = self.scratch / "library.xspace"
        with profkit.combine_traces([str(p) for p in self.paths], str(out), offsets=str(self.offsets),
                                    snapshots=[str(s) for s in self.snapshots]) as merge:
            self.assertEqual(out.read_bytes(), written)
            self.assertEqual(merge.document_bytes().decode(), document)
            for ours, theirs in zip(merge.nodes, truth.parsed(document)["nodes"]):
                for field in (
                    "id",
                    "hostname",
                    "trace",
                    "events",
                    "planes",
                    "clamped_events",
                    "snapshots",
                    "offset_windows",
                ):
                    self.assertEqual(getattr(ours, field), theirs[field], field)
                self.assertEqual((ours.max_correction_ps, ours.residual_ps, ours.tracer_bound_ps, ours.host_bound_ps),
                                 tuple(int(x * 1000) for x in (theirs["max_correction_ns"], theirs["residual_ns"],
                                                               theirs["bound"]["tracer_ns"], theirs["bound"]["host_ns"])))

    def clock_planes(self, answer):
        out = []
        origin = START_NS + answer.zero // 1000
        for i, node in enumerate(self.nodes):
            facts = answer.node(node, "")
            windows = [[w["from_ps"], w["to_ps"], w["tracer_bound_ps"], w["host_bound_ps"], int(w["extrapolated"])]
                       for w in facts["bound"]["windows"]]
            stats = [("snapshot_count", len(node.snapshots)), ("sampling_period_ns", facts["sampling_period_ns"]),
                     ("offset_window_count", len(node.offsets)), ("offset_variance_ns2", float(facts["offset_variance_ns2"])),
                     ("clock_skew_ns", float(facts["residual_ns"])), ("clock_skew_ps", int(facts["residual_ns"] * 1000)),
                     ("snapshot_source", facts["snapshot_source"]), ("corrected", 1), ("status", "corrected"),
                     ("node_id", node.number), ("hostname", node.host), ("run_id", "run, 7"), ("reference_node", 0),
                     ("origin_ns", origin), ("clock_windows", json.dumps(windows, separators=(",", ":")))]
            out.append({"id": 900_000 + i, "name": f"/node:{node.number}/clock_metadata", "lines": [], "stats": stats})
        last = max(e.at for planes in answer.placed for _, _, lines in planes for _, line in lines for e in line)
        out.append({"id": 0, "name": "Task Environment", "lines": [], "stats": [
            ("profile_start_time", origin), ("profile_stop_time", origin + (last - answer.zero) // 1000 + 1)]})
        return out


def short(plane):
    return "host_threads" if plane == "/host:CPU" else plane.lstrip("/")


def ours_as_lists(plane):
    """Tuples as lists, so that the comparison tells where two planes differ."""
    return json.loads(json.dumps(plane))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
