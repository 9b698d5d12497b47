"""What the document `bubbles` must hold, worked out from a description: docs/bubbles.md said in Python.

Everything is looked at instant by instant or pair by pair, with exact numbers: slow, and short enough to read. Nothing
is swept, packed or kept by size as the product does it. What depends on taste and not on numbers is told by the test:
where the windows of steps lie and what they were taken from, which steps do the same work, how steps are cut into parts,
and sentences.
"""
import dataclasses
from fractions import Fraction

from idle_sentences import counted, human, percent

US, MS = 1_000_000, 1_000_000_000
CLASSES = ("compute", "aicpu", "comm", "copy", "other")
LABELS = ("possible_sync_or_h2d", "possible_comm_wait", "possible_untraced_host_blocking", "possible_host_launch_lag",
          "possible_python_serialization_or_lock", "insufficient_evidence")
TAGS = ("DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", "TAIL_GAP_HEAVY", "INTERNAL_BUBBLE_HEAVY",
        "RECURRING_BUBBLE_PATTERN", "HOST_ORIGINATED_RISK", "UNTRACED_HOST_BLOCKING_RISK", "COMM_SYNC_RISK",
        "WAIT_POLLUTION_RISK", "WAIT_ANCHOR_FALSE_HOTSPOT", "AICPU_EXPOSED_RISK", "PARTIAL_CAPTURE_BOUNDARY",
        "VARIABLE_SHAPE_SAME_TEMPLATE")
CAUSES = ("launch_bound", "optimizer_loop", "sync_wait", "sync_drain", "h2d_pageable", "data_loader", "gc", "allocation",
          "compile", "module_load", "checkpoint", "comm_host_wait", "device_dependency", "lock", "host_untraced",
          "unexplained", "exposed_comm", "exposed_copy", "graph_launch_late",
          "straggler_wait", "recording", "host_call")
CAUSE_LABELS = {"launch_bound": "possible_host_launch_lag", "optimizer_loop": "possible_host_launch_lag",
                "graph_launch_late": "possible_host_launch_lag",
                "sync_wait": "possible_sync_or_h2d", "sync_drain": "possible_sync_or_h2d",
                "h2d_pageable": "possible_sync_or_h2d", "comm_host_wait": "possible_comm_wait",
                "recording": "possible_recording", "host_call": "possible_host_call",
                "lock": "possible_python_serialization_or_lock", "host_untraced": "possible_untraced_host_blocking",
                "unexplained": "insufficient_evidence"}
CAUSE_MEANINGS = {
    "launch_bound": "the host issues work more slowly than the device runs it",
    "optimizer_loop": "the host updates the parameters one by one",
    "sync_wait": "the host is in a wait while the device has nothing to do",
    "sync_drain": "a wait of the host emptied the queue of the device",
    "h2d_pageable": "the host is held up by a copy from pageable memory",
    "data_loader": "the host waits for the next batch",
    "gc": "Python collects garbage",
    "allocation": "the allocator asks the driver for memory or gives it back",
    "compile": "something is compiled while the device waits",
    "module_load": "code is loaded to the device",
    "checkpoint": "the state is saved while the device waits",
    "comm_host_wait": "the host is inside a collective call",
    "device_dependency": "the work was launched early: the device did not wait for the host",
    "lock": "the host waits for a lock",
    "host_untraced": "almost nothing of the host was recorded",
    "unexplained": "nothing on record says why the device waits",
    "exposed_comm": "no compute hides the communication",
    "exposed_copy": "no compute hides the copies",
    "graph_launch_late": "the host launches a whole graph late",
    "straggler_wait": "ranks wait in collectives for the last one",
    "recording": "the profiler itself holds the program up",
    "host_call": "the host is inside one call",
}
PARTS = ("compute_only", "comm_exposed", "comm_overlapped", "copy", "other", "idle")
CERTAINTIES = {"high": "proved", "medium": "likely", "low": "possible"}


def certainty(cause, sure):
    return "unknown" if cause == "unexplained" else CERTAINTIES[sure]



# name, value in its unit, unit, meaning: as docs/schemas says, one row for every number that decides.
THRESHOLDS = [
    ("heavy_gap_us", 1000, "us", "a gap is heavy from the larger of this and heavy_share"),
    ("heavy_share", "0.1", "ratio", "of the step's service time"),
    ("reportable_gap_us", 50, "us", "shorter gaps are only summed"),
    ("idle_ratio", "0.3", "ratio", "share of a step that makes its idle time heavy"),
    ("exposed_ratio", "0.05", "ratio", "share of a group's steps that makes exposed time a cause"),
    ("compute_bound", "0.9", "ratio", "share of compute in all steps: the answer to \"idle?\" is No"),
    ("merge_tolerance_us", 0, "us", "holes up to this length count as busy"),
    ("recurring_share", "0.6", "ratio", "of the steps of a group"),
    ("sync_overlap", "0.2", "ratio", "possible_sync_or_h2d from here on"),
    ("comm_overlap", "0.2", "ratio", "possible_comm_wait from here on"),
    ("untraced_coverage", "0.05", "ratio", "possible_untraced_host_blocking below"),
    ("launch_lag_coverage", "0.1", "ratio", "possible_host_launch_lag from here on"),
    ("serial_parallelism", "1.2", "ratio", "possible_python_serialization_or_lock below"),
    ("high_coverage", "0.5", "ratio", "host coverage that makes the host risk high"),
    ("known_cause", "0.2", "ratio", "share of a gap that names what the launching thread did"),
    ("high_confidence", "0.9", "ratio", "share of a gap that it covers: high, with a late launch"),
    ("medium_confidence", "0.5", "ratio", "share of a gap that it covers: medium"),
    ("late_launch", "0.8", "ratio", "of a gap: a launch from here on was late"),
    ("early_launch", "0.5", "ratio", "of a gap: launched before, so the device waited for another"),
    ("wait_anchor_ratio", "0.95", "ratio", "wait / total cost above"),
    ("wait_anchor_duration_us", 10, "us", "mean duration below"),
    ("wait_anchor_rank", 10, "count", "by mean total cost, at most"),
    ("wait_heavy", "0.8", "ratio", "wait / total cost of one kernel above"),
    ("polluted_wait", "0.2", "ratio", "share of a step's waits that overlap communication"),
    ("aicpu_masked", "0.9", "ratio", "AICPU_MASKED_BUT_UNDESIRABLE from here on"),
    ("aicpu_exposed", "0.2", "ratio", "AICPU_EXPOSED_NOT_ALLOWED below"),
    ("aicpu_exposed_us", 100, "us", "exposed time of partly exposed ops"),
    ("aicpu_exposed_share", "0.01", "ratio", "the same as a share of the step"),
    ("aicpu_adjacent_us", 10, "us", "an AI CPU kernel so near belongs to a gap"),
    ("small_kernel_us", 10, "us", "shorter kernels are side work"),
    ("small_op_share", "0.01", "ratio", "of the service time: a small op is inefficient"),
    ("group_count_tolerance", "0.05", "ratio", "kernel counts of steps of one group differ by at most"),
    ("group_overlap", "0.9", "ratio", "op types of steps of one group overlap by at least"),
    ("cut_step", "0.8", "ratio", "of the group's median kernel count: the step was cut"),
    ("structure_gap_factor", 5, "count", "of the median gap"),
    ("structure_gap_us", 100, "us", "gaps that can part structures"),
    ("parallel", "1.2", "ratio", "kernel sum / wall above: streams run in parallel"),
    ("sparse", "0.8", "ratio", "busy / wall below: bubbles"),
    ("wait_danger", 2, "ratio", "total cost / kernel sum above: waits dominate"),
    ("serial", "0.05", "ratio", "all clocks agree within: serial"),
    ("pattern_share", "0.01", "ratio", "of the service time: below, no idle pattern"),
    ("pattern_gap_us", 50, "us", "below, no idle pattern"),
    ("mixed_pattern", "0.8", "ratio", "second / first kind of gap: mixed from here on"),
    ("inter_step_factor", 3, "count", "times every other kind: inter_step"),
    ("rank_disagreement", 10, "count", "places between two rankings of an op"),
    ("unit_bound", "0.5", "ratio", "share of an op's time in which its unit works"),
]


@dataclasses.dataclass
class Kernel:
    name: str
    start: int
    duration: int
    op_type: str = ""
    kind: str = "compute"
    core: str = ""
    stream: object = None
    wait: object = None
    step: str = ""
    launch: object = None  # (start, end or None, thread or None) of the call
    shapes: str = ""
    out_shapes: str = ""
    types: str = ""
    group: str = ""  # process group of a collective
    counters: dict = dataclasses.field(default_factory=dict)
    row: int = 0
    duplicate: bool = False
    in_flight: bool = False  # a copy on its way, which is no time of the device
    on_aicpu: bool = False

    @property
    def end(self):
        return self.start + self.duration

    @property
    def type(self):
        return self.op_type or self.name

    @property
    def cost(self):
        return self.duration + max(self.wait or 0, 0)


@dataclasses.dataclass
class Span:
    name: str
    start: int
    duration: int
    thread: int
    kind: str = "op"  # op, runtime, frame, annotation, gc, other, device_marker

    @property
    def end(self):
        return self.start + self.duration


@dataclasses.dataclass
class Window:
    id: str
    start: int
    end: int
    marker: str
    marker_end: object = None
    number: int = -1
    members: tuple = ()
    # How the step is cut into parts: where its first kernels stand among its kernels, with their roles; of a layer that
    # the host names that name.
    parts: tuple = ()
    parts_by: str = ""
    parts_missing: str = ""
    cut: bool = False
    tail_known: bool = True
    open: bool = False  # it ends with its last kernel, which may have no length


@dataclasses.dataclass
class Device:
    name: str
    type: str
    kernels: list
    windows: list
    window_source: str
    file: int = 0
    rank: int = -1
    host: int = 0
    resolution: int = 1000
    streams: tuple = ()
    tells_launches: bool = True
    has_shapes: bool = False
    windows_cut: int = 0


@dataclasses.dataclass
class Capture:
    devices: list
    hosts: list  # lists of spans, None where a host was not traced
    origin_ns: int
    groups: list  # of steps, as (device, position) in each
    stacks: bool = False
    runtime: bool = False
    names_origins: bool = False  # a kernel's record says which call of which thread launched it
    meanings: dict = dataclasses.field(default_factory=dict)  # of names of spans: (cause or None, sync, comm)
    pageable: tuple = ()  # names of kernels that copy from pageable memory
    self_check: tuple = ()
    cores: tuple = ()  # in the order of the table, where it matters
    communication: tuple = ()  # collectives of a table: device, start, elapsed, transit, wait
    whole: bool = False  # steps last as long as their marks say
    shape_variation: dict = dataclasses.field(default_factory=dict)  # group -> (positions, varying)


# ---- numbers -------------------------------------------------------------------------------------------

def union(spans):
    out = []
    for start, end in sorted(map(tuple, spans)):
        if end <= start:
            continue
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def clipped(spans, start, end):
    return [[max(a, start), min(b, end)] for a, b in spans if max(a, start) < min(b, end)]


def length(spans):
    return sum(b - a for a, b in spans)


def cover(spans, start, end):
    return length(clipped(union(spans), start, end))


def half_away(value):
    """A Fraction to the nearest integer, halves away from zero."""
    whole = abs(value) + Fraction(1, 2)
    return (whole.numerator // whole.denominator) * (1 if value >= 0 else -1)


def ns(ps):
    return half_away(Fraction(ps, 1000))


def us(ps):
    return Fraction(ps, US)


def ms(ps):
    return Fraction(ps, MS)


def ratio(part, whole):
    return Fraction(part, whole) if whole > 0 else Fraction(0)


def quantile(values, percent):
    values = sorted(values)
    if not values:
        return 0
    at = Fraction((len(values) - 1) * percent, 100)
    low = at.numerator // at.denominator
    if at == low:
        return values[low]
    return values[low] + half_away((values[low + 1] - values[low]) * (at - low))


def mean(values):
    return half_away(Fraction(sum(values), len(values))) if values else 0


# ---- the model -----------------------------------------------------------------------------------------

class Gap:
    def __init__(self, device, step, scope, start, end, inter_step=False):
        self.device, self.step, self.scope, self.start, self.end = device, step, scope, start, end
        self.inter_step = inter_step
        self.before, self.after, self.next = [], [], None
        self.part_before = self.part_after = -1

    @property
    def length(self):
        return self.end - self.start


class Idle:
    """The answer, part by part; `document()` puts it together."""

    def __init__(self, capture, thresholds=None):
        self.c = capture
        self.t = {name: Fraction(str(value)) for name, value, _, _ in THRESHOLDS}
        self.t.update({name: Fraction(str(value)) for name, value in (thresholds or {}).items()})
        self.kernels = [sorted((k for k in d.kernels if not k.duplicate), key=lambda k: (k.start, k.duration, k.row))
                        for d in capture.devices]
        self.running = [[k for k in all_of if k.duration > 0] for all_of in self.kernels]
        self.busy = [union((k.start, k.end) for k in running) for running in self.running]
        self.steps = [(d, w) for d in range(len(capture.devices)) for w in capture.devices[d].windows]
        self.name_order = {}
        for spans in capture.hosts:
            for span in spans or ():
                self.name_order.setdefault(span.name, len(self.name_order))
        self.gaps = []
        for d in range(len(capture.devices)):
            self.gaps += self.gaps_of(d)
        for gap in self.gaps:
            self.look_at_host(gap)
        self.group_of = {}
        for g, steps in enumerate(capture.groups):
            for device, position in steps:
                self.group_of[self.index(device, position)] = g
        self.find_edges()
        for gap in self.gaps:
            gap.labels = self.labels(gap)
            gap.cause, gap.span, gap.covered, gap.sure = self.cause(gap)
            if gap.edge:
                gap.sure = "low"
        self.measures = [self.measure(i) for i in range(len(self.steps))]
        self.ops = [op for d in range(len(capture.devices)) for op in self.ops_of(d)]
        self.aicpu = [op for d in range(len(capture.devices)) for op in self.aicpu_of(d)]
        self.judge_steps()
        self.group_facts = [self.measure_group(g) for g in range(len(capture.groups))]
        self.tag_steps()
        self.tag_groups()

    def index(self, device, position):
        return sum(len(d.windows) for d in self.c.devices[:device]) + position

    def at_least(self, part, whole, name):
        return whole > 0 and Fraction(part, whole) >= self.t[name]

    def above(self, part, whole, name):
        return whole > 0 and Fraction(part, whole) > self.t[name]

    def ps(self, name):
        return self.t[name] * US

    # ---- gaps ----

    def gaps_of(self, d):
        device, busy = self.c.devices[d], self.busy[d]
        windows = device.windows
        found, tail = [], None
        for position, w in enumerate(windows):
            step, inside = self.index(d, position), clipped(busy, w.start, w.end)
            if not inside:
                found.append(Gap(d, step, "prelaunch", w.start, w.end))
                tail = None
                continue
            first, last = inside[0][0], inside[-1][1]
            if tail is not None and tail.end == w.start and tail.length > 0 and first > w.start:
                found.append(Gap(d, None, "global", tail.start, first, True))
            found.append(Gap(d, step, "prelaunch", w.start, first))
            found += [Gap(d, step, "step_internal", a[1], b[0]) for a, b in zip(inside, inside[1:])]
            tail = Gap(d, step, "tail", last, w.end)
            found.append(tail)
        # Between and around the steps, from the first kernel to the last.
        first, last = self.first(d), self.last(d)
        covered = union([(w.start, w.end) for w in windows] + busy)
        at = first
        for a, b in covered:
            if at < a and a <= last:
                found.append(Gap(d, None, "global", max(at, first), a))
            at = max(at, b)
        found = [g for g in found if g.length > 0 and g.length >= self.ps("reportable_gap_us")]
        for g in found:
            self.fill(g)
        scopes = ("global", "step_internal", "prelaunch", "tail")
        return sorted(found, key=lambda g: (g.start, -g.end, scopes.index(g.scope)))

    def first(self, d):
        return min(k.start for k in self.kernels[d])

    def last(self, d):
        return max(k.end for k in self.kernels[d])

    def fill(self, g):
        running, windows = self.running[g.device], self.c.devices[g.device].windows
        past = [k for k in running if k.end <= g.start]
        order = {id(k): i for i, k in enumerate(running)}
        g.before = sorted(past, key=lambda k: (-k.end, -order[id(k)]))[:3]
        following = [k for k in running if k.start >= g.end]
        g.next = following[0] if following else None
        open_until = min((w.end for w in windows if w.end > (g.end if g.step is None else g.start)), default=None)
        if g.step is not None:
            open_until = self.steps[g.step][1].end
        if g.scope != "tail":
            g.after = [k for k in following if open_until is None or k.start < open_until][:3]
        if g.step is not None:
            g.before_other = bool(g.before) and g.before[0].start < self.steps[g.step][1].start
            if g.scope == "step_internal" and g.before and g.after:
                g.part_before, g.part_after = (self.part_at(g.step, k[0].start) for k in (g.before, g.after))
        else:
            g.before_other = False
        if g.step is None:
            g.heavy = g.length >= self.ps("heavy_gap_us")
        else:
            w = self.steps[g.step][1]
            g.heavy = self.is_heavy(g.length, w.end - w.start)

    def is_heavy(self, ps, service):
        return ps >= self.ps("heavy_gap_us") and self.at_least(ps, service, "heavy_share")

    def members(self, step):
        d, w = self.steps[step]
        return [k for k in self.kernels[d] if self.holds(w, k)]

    @staticmethod
    def holds(w, k):
        return w.start <= k.start < w.end or (w.open and k.start == w.end)

    def part_starts(self, step):
        members = self.members(step)
        return [members[first].start for _, first in self.steps[step][1].parts]

    def part_at(self, step, instant):
        return sum(1 for start in self.part_starts(step) if start <= instant) - 1

    # ---- the host ----

    def look_at_host(self, g):
        spans = self.c.hosts[self.c.devices[g.device].host]
        g.traced = spans is not None
        for name in ("host", "leaf", "sync", "comm", "gc", "recording", "threads", "launcher", "known_ps", "drain", "still"):
            setattr(g, name, 0)
        g.still_span = ""
        g.known, g.known_span, g.names = "unexplained", "", []
        g.drain_end = g.drain_span = None
        if not g.traced:
            return
        here = [s for s in spans if s.start < g.end and s.end > g.start and s.duration > 0]
        meaning = lambda s: self.c.meanings.get(s.name, (None, False, False))
        on_host = [s for s in here if s.kind != "device_marker"]
        total = lambda some: cover([(s.start, s.end) for s in some], g.start, g.end)
        g.host = total(on_host)
        g.leaf = total([s for s in on_host if s.kind != "frame"])
        g.sync = total([s for s in here if meaning(s)[1]])
        g.comm = total([s for s in here if meaning(s)[2] or (s.kind == "device_marker" and not meaning(s)[1])])
        g.gc = total([s for s in on_host if s.kind == "gc"])
        g.recording = total([s for s in on_host if meaning(s)[0] == "recording"])
        threads = sorted({s.thread for s in spans if s.kind != "device_marker"})
        g.threads = sum(total([s for s in on_host if s.thread == t]) for t in threads)
        sums = {}
        for s in on_host:
            key = (s.kind == "frame", s.name)
            sums[key] = sums.get(key, 0) + min(s.end, g.end) - max(s.start, g.start)
        # Frames enclose what they call and come last; of names with as much time the one that was written first.
        g.names = sorted(((frame, -min(ps, g.length), name) for (frame, name), ps in sums.items()),
                         key=lambda n: (n[0], n[1], self.name_order[n[2]]))[:10]
        launcher = g.next.launch[2] if g.next is not None and g.next.launch is not None else None
        if launcher is not None:
            g.known, g.known_span, g.known_ps = self.known(spans, launcher, g.start, g.end)
            g.launcher = total([s for s in on_host if s.thread == launcher
                                and s.kind not in ("frame", "annotation", "gc")])
            own = [s for s in on_host if s.thread == launcher]
            g.silent = self.silence([s for s in own if s.kind not in ("frame", "annotation", "gc")], g)
            g.untraced = self.silence(own, g)
            self.find_drain(g, spans, launcher)
            self.find_still(g, [s for s in own if s.kind not in ("frame", "gc")])
            return
        for t in threads:
            cause, span, ps = self.known(spans, t, g.start, g.end)
            if ps > g.known_ps:
                g.known, g.known_span, g.known_ps = cause, span, ps

    def known_at(self, spans, thread, instant):
        """The span that counts on a thread at an instant, and its cause: the innermost of the best rank."""
        best = None
        for s in spans:
            if s.thread != thread or s.kind == "device_marker" or not s.start <= instant < s.end:
                continue
            cause = "gc" if s.kind == "gc" else self.c.meanings.get(s.name, (None,))[0]
            if cause is None:
                continue
            rank = 2 if cause == "lock" else 1 if s.kind == "frame" else 0
            key = (-rank, s.start, -s.end)
            if best is None or key >= best[0]:
                best = (key, s, cause)
        return best

    def known(self, spans, thread, start, end):
        cuts = sorted({start, end} | {t for s in spans if s.thread == thread for t in (s.start, s.end) if start < t < end})
        by_cause, by_name = {}, {}
        for a, b in zip(cuts, cuts[1:]):
            found = self.known_at(spans, thread, a)
            if found is None:
                continue
            _, span, cause = found
            by_cause[cause] = by_cause.get(cause, 0) + b - a
            by_name[cause, span.name] = by_name.get((cause, span.name), 0) + b - a
        if not by_cause:
            return "launch_bound", "", 0
        cause = max(by_cause, key=lambda c: (by_cause[c], -CAUSES.index(c)))
        span = max((n for c, n in by_name if c == cause), key=lambda n: by_name[cause, n])
        return cause, span, by_cause[cause]

    def find_drain(self, g, spans, thread):
        found = self.known_at(spans, thread, g.start)
        if found is None:
            return
        _, span, cause = found
        if cause == "sync_wait" and span.start < g.start and span.end < g.end:
            g.drain, g.drain_end, g.drain_span = span.duration, span.end, span.name

    def find_still(self, g, own):
        """The longest stretch without a beginning and an end, but for those of up to 25 us between two; the shortest span around it."""
        inside = sorted({t for s in own for t in (s.start, s.end) if g.start < t < g.end})
        cuts = [g.start, *inside, g.end]
        best = (g.start, g.start)
        for a, b in zip(cuts, cuts[1:]):
            if b - a > best[1] - best[0] and (b - a > 25 * US or a == g.start or b == g.end):
                best = (a, b)
        g.still = best[1] - best[0]
        around = [s for s in own if s.start <= best[0] and s.end >= best[1] and s.duration >= 25 * US
                  and (s.kind != "annotation" or s.duration // 2 <= g.length)]
        if g.still and around:
            around = min(around, key=lambda s: s.duration)
            g.still_span = around.name
            if around.start <= g.next.launch[0] < around.end and g.still < 1000 * US:
                g.still = 0  # an op that launches

    @staticmethod
    def silence(spans, g):
        """The longest stretch of the gap in which none of the spans lies."""
        edges = sorted({g.start, g.end} | {t for s in spans for t in (s.start, s.end) if g.start < t < g.end})
        best = run = 0
        for a, b in zip(edges, edges[1:]):
            run = 0 if any(s.start < b and s.end > a for s in spans) else run + b - a
            best = max(best, run)
        return best

    def labels(self, g):
        if not g.traced:
            return {LABELS[2]}
        out = set()
        if self.at_least(g.sync, g.length, "sync_overlap"):
            out.add(LABELS[0])
        if self.at_least(g.comm, g.length, "comm_overlap"):
            out.add(LABELS[1])
        if not self.at_least(g.host, g.length, "untraced_coverage"):
            out.add(LABELS[2])
        if out:
            return out
        if self.at_least(g.host, g.length, "launch_lag_coverage"):
            return {LABELS[3]}
        if g.host > 0 and not self.at_least(g.threads, g.host, "serial_parallelism"):
            return {LABELS[4]}
        return {LABELS[5]}

    def cause(self, g):
        """(cause, span, covered, certainty) as docs/bubbles.md has it under "Causes"."""
        if not g.traced:
            return "host_untraced", "", 0, "low"
        launch = g.next.launch if g.next is not None else None
        thread = launch[2] if launch else None
        returned = (launch[1] if launch[1] is not None else launch[0]) if launch else None
        reading = "unknown"
        if launch:
            into = min(max(returned, g.start), g.end) - g.start
            reading = "late" if self.at_least(into, g.length, "late_launch") else \
                "midway" if self.at_least(into, g.length, "early_launch") else "early"
        if reading == "early" and thread is not None:
            waited = g.end - max(returned, g.start)
            most = waited >= self.ps("reportable_gap_us") and self.at_least(waited, g.length, "high_confidence")
            return "device_dependency", "", waited, "high" if most else "medium"
        # Garbage is collected under the lock of the interpreter, and a profiler holds the driver: all threads stand still.
        cause, span, covered = (g.known, g.known_span, g.known_ps) if g.gc <= g.known_ps else ("gc", "", g.gc)
        if g.recording > covered:
            named = [n for _, _, n in g.names if self.c.meanings.get(n, (None,))[0] == "recording"]
            cause, span, covered = "recording", (named + [""])[0], g.recording
        if self.at_least(covered, g.length, "high_confidence") and cause not in ("lock", "optimizer_loop"):
            return self.by_known(g, cause, span, covered, reading, thread)
        stands = self.at_least(g.still, g.length, "medium_confidence")
        owed = min(g.length, g.drain_end - g.start + g.drain) if g.drain else 0
        if self.at_least(owed, g.length, "medium_confidence") and cause != "recording" \
                and self.at_least(g.launcher, g.length, "medium_confidence"):
            other = (stands and g.still_span) or \
                (cause not in ("sync_wait", "optimizer_loop") and self.at_least(covered, g.length, "medium_confidence"))
            most = self.at_least(owed, g.length, "high_confidence") and reading == "late" and not other
            return "sync_drain", g.drain_span, owed, "high" if most else "medium"
        if self.at_least(covered, g.length, "known_cause") and covered >= g.launcher // 2:
            return self.by_known(g, cause, span, covered, reading, thread)
        call = cover([(launch[0], max(launch[0], returned))], g.start, g.end) if launch else 0
        if self.at_least(call, g.length, "medium_confidence"):
            if stands and g.still_span:
                return "host_call", g.still_span, g.still, "medium"
            return "unexplained", "", call, "low"
        if reading == "early":
            return "unexplained", "", 0, "low"
        active = g.launcher if thread is not None else g.leaf
        late = thread is not None and reading == "late"
        if thread is not None and stands and g.still_span:
            return "host_call", g.still_span, g.still, "medium" if late else "low"
        if self.at_least(active, g.length, "medium_confidence"):
            most = self.at_least(active, g.length, "high_confidence")
            return "launch_bound", "", active, "low" if not late else "high" if most else "medium"
        untraced = not self.at_least(g.host, g.length, "untraced_coverage") and \
            (thread is None or self.at_least(g.silent, g.length, "high_confidence"))
        if untraced:
            whole = thread is not None and self.at_least(g.untraced, g.length, "high_confidence")
            return "host_untraced", "", 0, "low" if not late else "high" if whole else "medium"
        return "unexplained", "", active, "low"

    def by_known(self, g, cause, span, covered, reading, thread):
        if cause == "h2d_pageable" and (g.next is None or g.next.name not in self.c.pageable):
            cause = "sync_wait"
        stands = self.at_least(g.still, g.length, "medium_confidence")
        sure = "low"
        if thread is not None:
            if self.at_least(covered, g.length, "high_confidence") and reading == "late" \
                    and cause != "lock" and not (cause == "optimizer_loop" and stands):
                sure = "high"
            elif self.at_least(covered, g.length, "medium_confidence"):
                sure = "medium"
        return cause, span, covered, sure

    # ---- steps ----

    def find_edges(self):
        for g in self.gaps:
            g.edge = self.touches(g.device, g.start, g.end)

    def touches(self, d, start, end):
        windows = self.c.devices[d].windows
        if self.c.whole and any(w.marker != "none" for w in windows):
            return False  # where steps begin and end their marks say
        return end == self.first(d) or start == self.last(d) or \
            (bool(windows) and (start == windows[0].start or end == max(w.end for w in windows)))

    def clocks(self, kernels):
        """Wall, busy union, kernel sum, total cost."""
        if not kernels:
            return (0, 0, 0, 0)
        return (max(k.end for k in kernels) - min(k.start for k in kernels),
                length(union((k.start, k.end) for k in kernels)), sum(k.duration for k in kernels),
                sum(k.cost for k in kernels))

    def is_polluted(self, d, k):
        ends = [c.end for c in self.kernels[d] if c.kind == "comm" and c.start < k.start and c.duration > 0]
        return (k.wait or 0) > 0 and bool(ends) and max(ends) > k.start - k.wait

    def measure(self, i):
        d, w = self.steps[i]
        service, members = w.end - w.start, self.members(i)
        inside = clipped(self.busy[d], w.start, w.end)
        m = {"service": service, "busy": length(inside), "members": members}
        if inside:
            m["prelaunch"], m["tail"] = inside[0][0] - w.start, w.end - inside[-1][1]
            internal = [b[0] - a[1] for a, b in zip(inside, inside[1:])]
        else:
            m["prelaunch"], m["tail"], internal = service, 0, []
        m["internal"], m["largest"], m["count"] = sum(internal), max(internal, default=0), len(internal)
        reportable = [g for g in self.gaps if g.step == i]
        m["reportable"], m["listed"] = len(reportable), sum(g.length for g in reportable)
        m["idle"] = service - m["busy"]
        m["parts"] = self.parts_between(d, w.start, w.end)
        m["clocks"] = self.clocks(members)
        m["wait"] = sum(max(k.wait or 0, 0) for k in members)
        m["polluted"] = sum(k.wait for k in members if self.is_polluted(d, k))
        longest = max(m["prelaunch"], m["tail"], m["largest"])
        at_edge = (m["prelaunch"] == longest and self.touches(d, w.start, w.start + m["prelaunch"])) or \
            (m["tail"] == longest and self.touches(d, w.end - m["tail"], w.end))
        m["edge"] = longest > 0 and longest >= self.ps("reportable_gap_us") and at_edge
        return m

    def judge_steps(self):
        for i, m in enumerate(self.measures):
            m["labels"], m["tags"] = set(), set()
            m["traced"] = False
            m["evidenced"] = m["early"] = m["host"] = m["sync"] = m["comm"] = 0
            for g in self.gaps:
                if g.step != i:
                    continue
                m["labels"] |= g.labels
                m["traced"] = m["traced"] or g.traced
                if g.edge or not g.traced:
                    continue
                m["evidenced"] += g.length
                if g.cause == "device_dependency":
                    m["early"] += g.length
                    continue
                m["host"] += g.host
                m["sync"] += g.sync
                m["comm"] += g.comm

    def has_issue(self, m):
        return self.at_least(m["idle"], m["service"], "idle_ratio") or \
            any(self.is_heavy(m[part], m["service"]) for part in ("prelaunch", "tail", "largest"))

    def risk(self, sums):
        if not self.at_least(sums["idle"], sums["service"], "idle_ratio"):
            return "low"
        if self.at_least(sums["sync"], sums["evidenced"], "sync_overlap") or \
                self.at_least(sums["host"], sums["evidenced"], "high_coverage"):
            return "high"
        return "medium"

    def host_tags(self, sums, recurring, boundary):
        out = set()
        if not recurring or not self.at_least(sums["idle"], sums["service"], "idle_ratio"):
            return out
        if not boundary and (self.at_least(sums["host"], sums["evidenced"], "launch_lag_coverage") or
                             self.at_least(sums["sync"], sums["evidenced"], "sync_overlap")):
            out.add("HOST_ORIGINATED_RISK")
        if not sums["traced"] or (sums["evidenced"] > 0 and
                                  not self.at_least(sums["host"] + sums["early"], sums["evidenced"], "untraced_coverage")):
            out.add("UNTRACED_HOST_BLOCKING_RISK")
        return out

    def parts_between(self, d, start, end):
        parts = dict.fromkeys(PARTS, 0)
        pieces = {c: clipped(union((k.start, k.end) for k in self.running[d] if k.kind == c), start, end)
                  for c in CLASSES}
        cuts = sorted({start, end} | {t for spans in pieces.values() for s in spans for t in s})
        for a, b in zip(cuts, cuts[1:]):
            on = {c for c in CLASSES if any(s[0] <= a < s[1] for s in pieces[c])}
            computes, communicates = bool(on & {"compute", "aicpu"}), "comm" in on
            part = ("comm_overlapped" if computes and communicates else "compute_only" if computes else
                    "comm_exposed" if communicates else "copy" if "copy" in on else "other" if on else "idle")
            parts[part] += b - a
        return parts

    def time_of(self, d, in_steps):
        """(use, cause, certainty) -> [gaps, time] of a device, in its steps or between its kernels outside of them."""
        windows = [(w.start, w.end) for owner, w in self.steps if owner == d]
        if not in_steps:
            first, last = self.first(d), self.last(d)
            at, around = first, []
            for start, end in sorted(windows):
                around.append((at, min(start, last)))
                at = max(at, end)
            windows = around + [(at, last)]
        sums = {}
        for start, end in windows:
            if end > start:
                for part, ps in self.parts_between(d, start, end).items():
                    use = {"compute_only": "compute", "comm_overlapped": "compute", "comm_exposed": "exposed_communication",
                           "copy": "exposed_copies", "other": "other_work", "idle": "idle"}[part]
                    key = (use, None, "unknown" if use == "idle" else "proved")
                    sums.setdefault(key, [0, 0])[1] += ps
        for g in self.gaps:
            if g.device != d or g.edge or g.inter_step or (g.step is not None) != in_steps:
                continue
            of = sums.setdefault(("idle", g.cause, certainty(g.cause, g.sure)), [0, 0])
            of[0] += 1
            of[1] += g.length
            sums[("idle", None, "unknown")][1] -= g.length
        return sums

    def time_rows(self):
        devices = range(len(self.c.devices))
        every = {}
        for in_steps in (True, False):
            for d in devices:
                every[d, in_steps] = self.time_of(d, in_steps)
            together = every[None, in_steps] = {}
            for d in devices:
                for key, (gaps, ps) in every[d, in_steps].items():
                    of = together.setdefault(key, [0, 0])
                    of[0] += gaps
                    of[1] += ps
        uses = ("compute", "exposed_communication", "exposed_copies", "other_work", "idle")
        sure = ("unknown", "possible", "likely", "proved")
        order = lambda item: (uses.index(item[0][0]), item[0][1] is None, -item[1][1],
                              CAUSES.index(item[0][1]) if item[0][1] else 0, sure.index(item[0][2]))
        rows = []
        for d in (None, *devices):
            for in_steps in (True, False):
                whole = sum(ps for _, ps in every[d, in_steps].values())
                rows += [{"device": d, "in_steps": in_steps, "use": use, "cause": cause, "certainty": level, "gaps": gaps,
                          "time_ps": ps, "share": Fraction(ps, whole)}
                         for (use, cause, level), (gaps, ps) in sorted(every[d, in_steps].items(), key=order) if ps > 0]
        return rows

    def leading_cause(self):
        """The known cause of most of the time in steps in which devices do not compute: a fiftieth at least, half of it likely or proved."""
        sums, whole = {}, 0
        for row in self.time_rows():
            if row["device"] is not None or not row["in_steps"]:
                continue
            whole += row["time_ps"]
            cause = row["cause"] or {"exposed_communication": "exposed_comm", "exposed_copies": "exposed_copy"}.get(row["use"])
            if cause not in (None, "unexplained", "host_untraced", "device_dependency"):
                of = sums.setdefault(cause, {"possible": 0, "likely": 0, "proved": 0})
                of[row["certainty"]] += row["time_ps"]
        named = [(sum(of.values()), -CAUSES.index(cause), cause, of) for cause, of in sums.items()
                 if 2 * (of["likely"] + of["proved"]) >= sum(of.values()) >= whole // 50]
        if not named:
            return None
        time, _, cause, of = max(named, key=lambda each: each[:2])
        return {"cause": cause, "certainty": "proved" if 2 * of["proved"] >= time else "likely", "time_ps": time, "share": Fraction(time, whole)}

    def outside(self, d):
        """Kernels before the first, between, and behind the last window."""
        windows, counts = self.c.devices[d].windows, [0, 0, 0]
        for k in self.kernels[d]:
            if any(self.holds(w, k) for w in windows):
                continue
            counts[0 if not windows or k.start < windows[0].start else 2 if k.start >= windows[-1].end else 1] += 1
        return counts

    def tag_steps(self):
        anchors = {(op["op_type"], op["core"]) for op in self.ops if op["false_hotspot"]}
        for i, m in enumerate(self.measures):
            d, w = self.steps[i]
            tags, service = m["tags"], m["service"]
            for g in self.gaps:
                if g.step != i:
                    continue
                if g.after and (g.after[0].type, g.after[0].core) in anchors:
                    tags.add("WAIT_ANCHOR_FALSE_HOTSPOT")
                if g.heavy and LABELS[1] in g.labels:
                    tags.add("COMM_SYNC_RISK")
            for part, tag in (("prelaunch", "PRELAUNCH_GAP_HEAVY"), ("tail", "TAIL_GAP_HEAVY"),
                              ("largest", "INTERNAL_BUBBLE_HEAVY")):
                if self.is_heavy(m[part], service):
                    tags.add(tag)
            if self.has_issue(m):
                tags.add("DEVICE_IDLE_GAP_HEAVY")
            m["risk"] = self.risk(m)
            tags |= self.host_tags(m, self.group_facts[self.group_of[i]]["recurring"], m["edge"])
            if self.at_least(m["comm"], m["evidenced"], "comm_overlap"):
                tags.add("COMM_SYNC_RISK")
            if self.at_least(m["polluted"], m["wait"], "polluted_wait"):
                tags.add("WAIT_POLLUTION_RISK")
            exposed = [self.exposure(d, k) for k in m["members"] if self.runs_on_aicpu(k) and k.duration > 0]
            partly = sum(ps for verdict, ps in exposed if verdict == "AICPU_PARTIALLY_EXPOSED")
            if any(verdict == "AICPU_EXPOSED_NOT_ALLOWED" for verdict, _ in exposed) or \
                    (partly >= self.ps("aicpu_exposed_us") and self.at_least(partly, service, "aicpu_exposed_share")):
                tags.add("AICPU_EXPOSED_RISK")
            before, _, behind = self.outside(d)
            windows = self.c.devices[d].windows
            if m["edge"] or w.cut or (w is windows[0] and before) or (w is windows[-1] and behind):
                tags.add("PARTIAL_CAPTURE_BOUNDARY")

    # ---- groups ----

    def measure_group(self, g):
        of = [self.index(d, p) for d, p in self.c.groups[g]]
        whole = [i for i in of if not self.steps[i][1].cut]
        f = {"steps": of, "complete": len(whole)}
        counted = whole if len(whole) >= 3 else of
        f["counted"] = counted
        f["recurring"] = self.at_least(sum(1 for i in counted if self.measures[i]["count"] > 0), len(counted),
                                       "recurring_share")
        for key in ("service", "busy", "prelaunch", "tail", "internal", "largest", "count"):
            values = [self.measures[i][key] for i in counted]
            f[key] = (mean(values), quantile(values, 50), quantile(values, 90), quantile(values, 95))
        shares = [self.measures[i]["idle"] * 1_000_000 // self.measures[i]["service"]
                  if self.measures[i]["service"] else 0 for i in counted]
        f["idle_ppm"] = (mean(shares), quantile(shares, 50), quantile(shares, 90), quantile(shares, 95))
        between = []
        for i in of:
            if i + 1 < len(self.steps) and self.steps[i + 1][0] == self.steps[i][0]:
                between.append(max(self.steps[i + 1][1].start - self.steps[i][1].end, 0))
        f["between"] = mean(between)
        kinds = [("prelaunch", f["prelaunch"][0]), ("tail", f["tail"][0]), ("internal_bubble", f["internal"][0])]
        best = max(kinds, key=lambda k: k[1])
        f["script"] = best[0] if best[1] > 0 else "none"
        order = sorted((k[1] for k in kinds), reverse=True)
        if f["between"] > 0 and f["between"] >= order[0] * self.t["inter_step_factor"]:
            f["pattern"] = "inter_step"
        elif order[0] == 0 or order[0] < self.ps("pattern_gap_us") or \
                order[0] < (f["service"][0] * self.t["pattern_share"]).__floor__():
            f["pattern"] = "none"
        elif self.at_least(order[1], order[0], "mixed_pattern"):
            f["pattern"] = "mixed"
        else:
            f["pattern"] = f["script"]
        places = {}
        for gap in self.gaps:
            if gap.step is None or self.group_of[gap.step] != g:
                continue
            before = gap.before[0].type if gap.before else ""
            place = ("prelaunch",) if gap.scope == "prelaunch" else \
                ("tail", before) if gap.scope == "tail" else (gap.part_before, before)
            places.setdefault(place, set()).add(gap.step)
        f["places"] = sum(1 for steps in places.values() if len(of) >= 2 and
                          self.at_least(len(steps), len(of), "recurring_share"))
        return f

    def tag_groups(self):
        for g, f in enumerate(self.group_facts):
            all_of = [self.measures[i] for i in f["steps"]]
            sums = {key: sum(m[key] for m in all_of) for key in ("idle", "service", "sync", "host", "early", "comm", "evidenced")}
            sums["traced"] = any(m["traced"] for m in all_of)
            f["risk"] = self.risk(sums)
            n = len(all_of)
            f["tags"] = self.host_tags(sums, f["recurring"], 2 * sum(m["edge"] for m in all_of) > n)
            if f["places"] > 0:
                f["tags"].add("RECURRING_BUBBLE_PATTERN")
            counts = {tag: sum(1 for m in all_of if tag in m["tags"]) for tag in TAGS}
            if self.at_least(sums["comm"], sums["evidenced"], "comm_overlap") or 2 * counts["COMM_SYNC_RISK"] >= n:
                f["tags"].add("COMM_SYNC_RISK")
            variation = self.c.shape_variation.get(g)
            if variation is not None and variation[1] > 0:
                f["tags"].add("VARIABLE_SHAPE_SAME_TEMPLATE")
            f["dominant"] = sorted((t for t in TAGS if counts[t] > 0 and 2 * counts[t] >= n), key=lambda t: -counts[t])
            issue = any(self.has_issue(m) for m in all_of)
            f["issue"] = issue
            labels = set().union(*(m["labels"] for m in all_of)) - {LABELS[2], LABELS[5]}
            polluted, wait = sum(m["polluted"] for m in all_of), sum(m["wait"] for m in all_of)
            f["followup"] = (issue and f["recurring"] and not labels) or \
                (issue and (not self.c.stacks or variation is None)) or self.at_least(polluted, wait, "polluted_wait")

    def exposed_split(self, steps):
        """What the next compute kernel waited for, instant by instant: each lies between two borders of kernels or launches."""
        sums = {"all": 0, " not launched yet": 0, " queued on the same stream": 0,
                " queued on another stream": 0}
        for i in steps:
            compute = [k for k in self.measures[i]["members"] if k.kind in ("compute", "aicpu") and k.duration > 0]
            comm = sorted((k for k in self.measures[i]["members"] if k.kind == "comm"), key=lambda k: k.start)
            end = self.steps[i][1].end
            borders = sorted({t for k in compute + comm for t in (k.start, k.end)} | {k.launch[0] for k in compute if k.launch} | {end})
            for a, b in zip(borders, borders[1:]):
                alone = next((k for k in comm if k.start <= a and k.end >= b), None)
                if b > end or alone is None or any(k.start <= a and k.end >= b for k in compute):
                    continue
                sums["all"] += b - a
                after = next((k for k in compute if k.start >= b), None)
                if after is None or not after.launch:
                    continue
                if after.launch[0] >= b:
                    sums[" not launched yet"] += b - a
                elif alone.stream is not None and after.stream is not None:
                    sums[" queued on the same stream" if alone.stream == after.stream else " queued on another stream"] += b - a
        whole = sums.pop("all")
        parts = [percent(ps, whole) + what for what, ps in sums.items() if ps]
        return ["the next compute kernel: for " + ", ".join(parts)] if parts else []

    # ---- ops ----

    def ops_of(self, d):
        found = {}
        service = sum(self.measures[i]["service"] for i in range(len(self.steps)) if self.steps[i][0] == d)
        for k in self.kernels[d]:
            op = found.setdefault((k.type, k.core), {
                "device": d, "op_type": k.type, "name": k.name, "core": k.core, "kind": k.kind, "kernels": [], "gaps": [],
                "short": [],
                "polluted": 0, "wait": 0, "duration": 0, "shapes": {}, "counters": []})
            op["kernels"].append(k)
            op["duration"] += k.duration
            op["wait"] += max(k.wait or 0, 0)
            op["polluted"] += k.wait if self.is_polluted(d, k) else 0
            if k.shapes:
                op["shapes"][k.shapes] = op["shapes"].get(k.shapes, 0) + 1
        for a, b in zip(self.busy[d], self.busy[d][1:]):
            ends = next(k for k in self.running[d] if k.start == b[0])
            found[ends.type, ends.core]["gaps"].append(b[0] - a[1])
            if b[0] - a[1] < self.ps("reportable_gap_us"):
                ended = [k for k in self.running[d] if k.start + k.duration == a[1]][-1]
                found[ended.type, ended.core]["short"].append(b[0] - a[1])
        ops = list(found.values())
        for rank, key in (("rank_duration", lambda o: o["duration"]),
                          ("rank_mean", lambda o: Fraction(o["duration"] + o["wait"], len(o["kernels"]))),
                          ("rank_cost", lambda o: o["duration"] + o["wait"])):
            ops.sort(key=lambda o: -key(o))
            for i, op in enumerate(ops):
                op[rank] = i + 1
        for op in ops:
            calls = len(op["kernels"])
            op["small"] = op["duration"] < self.ps("small_kernel_us") * calls
            op["inefficient"] = op["small"] and self.at_least(op["duration"] + sum(op["gaps"]), service, "small_op_share")
            op["false_hotspot"] = self.above(op["wait"], op["duration"] + op["wait"], "wait_anchor_ratio") and \
                op["duration"] < self.ps("wait_anchor_duration_us") * calls and \
                op["rank_mean"] <= self.t["wait_anchor_rank"]
            op["pmu"] = self.units(op)
        return ops

    def units(self, op):
        """Means of the counters, weighted by duration; what bounds the op."""
        def weighted(columns):
            values = [(max(k.counters[c] for c in columns if c in k.counters), k.duration) for k in op["kernels"]
                      if k.duration > 0 and any(c in k.counters for c in columns)]
            weight = sum(w for _, w in values)
            return None if weight == 0 else Fraction(half_away(Fraction(
                sum(Fraction(str(v)) * w for v, w in values)) / weight * 1_000_000), 1_000_000)
        cube = weighted(("cube_utilization(%)",))
        compute, memory = weighted(("aic_mac_ratio", "aiv_vec_ratio")), weighted(("aic_mte2_ratio", "aiv_mte2_ratio"))
        bound = None
        if compute is not None and memory is not None and max(compute, memory) > 0:
            limit = self.t["unit_bound"]
            bound = "low_utilisation" if max(compute, memory) < limit else \
                "balanced" if min(compute, memory) >= limit else "compute" if compute > memory else "memory"
        if bound is None and cube is None:
            return None
        return {"bound": bound, "cube_utilization": None if cube is None else cube / 100,
                "compute_unit_ratio": compute, "memory_unit_ratio": memory}

    @staticmethod
    def runs_on_aicpu(k):
        return k.kind == "aicpu" or k.on_aicpu

    def exposure(self, d, k):
        """(verdict, time that compute does not hide)."""
        masked = cover([(c.start, c.end) for c in self.running[d] if c.kind == "compute"], k.start, k.end)
        return self.aicpu_verdict(masked, k.duration), k.duration - masked

    def aicpu_verdict(self, masked, duration):
        if duration <= 0:
            return None
        if self.at_least(masked, duration, "aicpu_masked"):
            return "AICPU_MASKED_BUT_UNDESIRABLE"
        return "AICPU_PARTIALLY_EXPOSED" if self.at_least(masked, duration, "aicpu_exposed") \
            else "AICPU_EXPOSED_NOT_ALLOWED"

    def aicpu_of(self, d):
        found = {}
        for k in self.kernels[d]:
            if not self.runs_on_aicpu(k):
                continue
            op = found.setdefault((k.type, k.core), {"device": d, "op_type": k.type, "op_name": k.name, "kind": k.kind,
                                                     "calls": 0, "duration": 0, "masked": 0, "shares": [],
                                                     "verdicts": [], "beside": 0})
            op["calls"] += 1
            if k.duration <= 0:
                continue
            verdict, exposed = self.exposure(d, k)
            op["duration"] += k.duration
            op["masked"] += k.duration - exposed
            op["shares"].append((k.duration - exposed) * 1_000_000 // k.duration)
            op["verdicts"].append(verdict)
        near = self.ps("aicpu_adjacent_us")
        for g in self.gaps:
            if g.device != d:
                continue
            beside = [k for k in g.before if k.end >= g.start - near] + [k for k in g.after if k.start <= g.end + near]
            for k in beside:
                if self.runs_on_aicpu(k):
                    found[k.type, k.core]["beside"] += 1
        return sorted(found.values(), key=lambda op: -(op["duration"] - op["masked"]))

    # ---- the document ----

    def prefix(self, d):
        return f"d{d}." if len(self.c.devices) > 1 else ""

    def absolute(self, ps):
        return ns(ps) + self.c.origin_ns

    def absolute_us(self, ps):
        return Fraction(self.absolute(ps), 1000)

    def part_id(self, step, part):
        d, w = self.steps[step]
        return f"{self.prefix(d)}s{w.id}_{part}"

    def kernel(self, d, step, k):
        part = None
        if step is not None and self.steps[step][1].parts and k.start < self.steps[step][1].end:
            at = self.part_at(step, k.start)
            part = self.part_id(step, at) if at >= 0 else None
        return {"name": k.name, "op_type": k.op_type, "task_type": k.core or None, "class": k.kind,
                "start_rel_ns": ns(k.start), "duration_us": us(k.duration),
                "wait_us": None if k.wait is None else us(k.wait),
                "stream_id": None if k.stream is None else str(k.stream), "device": d, "structure_id": part,
                "source_row": str(k.row)}

    def window_list(self, spans):
        return [{"start_us": self.absolute_us(a), "end_us": self.absolute_us(b), "duration_ms": ms(b - a),
                 "start_ns": str(self.absolute(a)), "end_ns": str(self.absolute(b))} for a, b in spans]

    def device_gaps(self, d):
        gaps = [(a[1], b[0]) for a, b in zip(self.busy[d], self.busy[d][1:])]
        span, busy = self.last(d) - self.first(d), length(self.busy[d])
        top = sorted(gaps, key=lambda g: (g[0] - g[1], g[0]))[:5]
        return {"capture_span_ms": ms(span), "device_busy_union_ms": ms(busy), "device_gap_ms": ms(span - busy),
                "device_gap_ratio": ratio(span - busy, span),
                "largest_gap_ms": ms(max((b - a for a, b in gaps), default=0)), "top_gap_windows": self.window_list(top)}

    def device(self, d):
        device = self.c.devices[d]
        before, between, behind = self.outside(d)
        return {"device": d, "name": device.name, "type": device.type, "file": device.file, "rank": device.rank,
                "kernels": len(self.kernels[d]), "duplicates": sum(k.duplicate for k in device.kernels),
                "timestamp_resolution_ps": device.resolution, "window_source": device.window_source,
                "windows_cut": device.windows_cut, "kernels_before_steps": before, "kernels_between_steps": between,
                "kernels_after_steps": behind,
                "kernels_without_launch": sum(1 for k in self.kernels[d] if k.launch is None)
                if device.tells_launches else 0,
                "gap_count": max(len(self.busy[d]) - 1, 0), "gaps": self.device_gaps(d), "bubbles_left_out": 0,
                "bubbles_left_out_ns": 0}

    def step(self, i):
        d, w = self.steps[i]
        m = self.measures[i]
        members = m["members"]
        numbers = {"compute_only_ps": "compute_only", "comm_exposed_ps": "comm_exposed",
                   "comm_overlapped_ps": "comm_overlapped", "copy_ps": "copy", "other_ps": "other", "idle_ps": "idle"}
        other_ids = sum(1 for k in members if w.number >= 0 and k.step.isdigit() and int(k.step) != w.number)
        return {"device": d, "step_id": w.id, "group_id": f"g{self.group_of[i]}", "marker": w.marker,
                "start_ns": str(self.absolute(w.start)), "end_ns": str(self.absolute(w.end)), "start_rel_ns": ns(w.start),
                "tail_known": w.tail_known,
                "marker_end_us": None if w.marker_end is None else self.absolute_us(w.marker_end),
                "service_ns": ns(m["service"]), "device_busy_union_ns": ns(m["busy"]), "underfeed_ns": ns(m["idle"]),
                "prelaunch_gap_ns": ns(m["prelaunch"]), "tail_gap_ns": ns(m["tail"]),
                "internal_bubble_total_ns": ns(m["internal"]), "largest_internal_bubble_ns": ns(m["largest"]),
                "bubble_count": m["count"], "unrecorded_launches": 0, "reportable_count": m["reportable"],
                "reportable_ns": ns(m["listed"]),
                "underfeed_ratio": ratio(m["idle"], m["service"]),
                "exact_ps": {"start": w.start, "end": w.end, "busy": m["busy"], "prelaunch": m["prelaunch"],
                             "internal": m["internal"], "tail": m["tail"]},
                "breakdown": {**{key: m["parts"][part] for key, part in numbers.items()}, "not_recorded_ps": 0},
                "kernels": {**{c: sum(1 for k in members if k.kind == c) for c in CLASSES},
                            "zero_length": sum(1 for k in members if k.duration == 0), "of_other_step_id": other_ids},
                "streams": len({k.stream for k in members if k.stream is not None}),
                "clocks": self.clock_fields(m["clocks"]), "wait_sum_ns": ns(m["wait"]),
                "polluted_wait_ns": ns(m["polluted"]), "structure_source": w.parts_by,
                "structures_missing": w.parts_missing, "host_risk": m["risk"], "truncated": w.cut,
                "anomaly_tags": [t for t in TAGS if t in m["tags"]],
                "candidate_labels": [x for x in LABELS if x in m["labels"]]}

    @staticmethod
    def clock_fields(clocks):
        return dict(zip(("wall_ms", "device_busy_union_ms", "kernel_sum_ms", "total_cost_ms"), map(ms, clocks)))

    def reading(self, kernels):
        wall, busy, total, cost = self.clocks(kernels)
        if not kernels or wall == 0:
            return ""
        if self.above(cost, total, "wait_danger"):
            return "wait_anchor_danger"
        if self.above(total, wall, "parallel"):
            return "stream_parallelism"
        if not self.at_least(busy, wall, "sparse"):
            return "bubbles"
        numbers = (wall, busy, total, cost)
        return "" if self.above(max(numbers) - min(numbers), min(numbers), "serial") else "clean_serial"

    def structures(self, i):
        d, w = self.steps[i]
        members = self.members(i)
        out = []
        firsts = [first for _, first in w.parts] + [len(members)]
        part_of = {id(k): p for p in range(len(w.parts)) for k in members[firsts[p]:firsts[p + 1]]}
        for p, (role, first) in enumerate(w.parts):
            own = members[first:firsts[p + 1]]
            inside, before = [], 0
            reached, owner = None, 0
            for k in members:  # gaps of the whole step: inside a part when both neighbours belong to it
                if k.duration == 0:
                    continue
                if reached is not None and k.start > reached and part_of[id(k)] == p:
                    if owner == p:
                        inside.append(k.start - reached)
                    elif before == 0:
                        before = k.start - reached
                if reached is None or k.end >= reached:
                    owner = part_of[id(k)]
                reached = k.end if reached is None else max(reached, k.end)
            clocks = self.clocks(own)
            share = lambda kind: ratio(sum(k.duration for k in own if k.kind == kind), clocks[2])
            named = role not in ("head", "part", "tail")
            out.append({"device": d, "step_id": w.id, "structure_id": self.part_id(i, p),
                        "structure_type": "layer" if named else role, "name": role if named else "",
                        "anchor": own[0].type, "source": w.parts_by, "start_us": self.absolute_us(own[0].start),
                        "end_us": self.absolute_us(max(k.end for k in own)), "start_rel_ns": ns(own[0].start),
                        "kernel_count": len(own), **self.clock_fields(clocks), "ai_core_pct": share("compute"),
                        "ai_cpu_pct": share("aicpu"), "hccl_pct": share("comm"),
                        "structure_share": ratio(clocks[0], w.end - w.start), "bubble_count": len(inside),
                        "bubble_total_ms": ms(sum(inside)), "bubble_largest_ms": ms(max(inside, default=0)),
                        "gap_before_ms": ms(before)})
        return out

    def in_table_order(self, cores):
        return sorted(cores, key=lambda c: self.c.cores.index(c) if c in self.c.cores else 0)

    def block_side(self, i):
        d, w = self.steps[i]
        members = self.members(i)
        if not members:
            return []
        sums = {}
        for k in members:
            if k.kind == "compute" and k.stream is not None:
                sums[k.stream] = sums.get(k.stream, 0) + k.duration
        main = min(sums, key=lambda s: (-sums[s], s)) if sums else None
        small = self.ps("small_kernel_us")
        in_block = lambda k: k.kind == "compute" and k.duration >= small and (k.stream is None or k.stream == main)
        halves = [[k for k in members if in_block(k)], [k for k in members if not in_block(k)]]
        comm = union((k.start, k.end) for k in members if k.kind == "comm")
        block = union((k.start, k.end) for k in halves[0])
        over = sum(cover(block, a, b) for a, b in comm)
        out = []
        for name, kernels in zip(("block", "side"), halves):
            pieces = union((k.start, k.end) for k in kernels)
            gaps = [b[0] - a[1] for a, b in zip(pieces, pieces[1:])]
            cores, streams = {}, {}
            for k in kernels:
                cores[k.core] = cores.get(k.core, 0) + k.duration
                if k.stream is not None:
                    streams[k.stream] = streams.get(k.stream, 0) + k.duration
            core = max(cores.values(), default=None)
            top = lambda key: [self.kernel(d, i, k) for k in sorted(kernels, key=lambda k: -key(k))[:5]]
            out.append({"device": d, "step_id": w.id, "part": name, "kernel_count": len(kernels),
                        **self.clock_fields(self.clocks(kernels)), "reading": self.reading(kernels),
                        "dominant_core": next((c for c in self.in_table_order(cores) if cores[c] == core), None) or None,
                        "dominant_stream": str(min(streams, key=lambda s: (-streams[s], s))) if streams else None,
                        "top_by_duration": top(lambda k: k.duration), "top_by_total_cost": top(lambda k: k.cost),
                        "wait_heavy_kernels": sum(1 for k in kernels
                                                  if self.above(max(k.wait or 0, 0), k.cost, "wait_heavy")),
                        "bubble_count": len(gaps), "bubble_total_ms": ms(sum(gaps)),
                        "bubble_largest_ms": ms(max(gaps, default=0)),
                        "comm_busy_union_ms": ms(length(comm) if name == "side" else 0),
                        "comm_over_block_ms": ms(over if name == "side" else 0)})
        return out

    def op(self, op):
        calls, cost = len(op["kernels"]), op["duration"] + op["wait"]
        average = lambda ps: us(half_away(Fraction(ps, calls)))
        most = max(op["shapes"].values(), default=0)
        return {"device": op["device"], "op_type": op["op_type"], "op_name": op["name"], "class": op["kind"],
                "core": op["core"] or None, "calls": calls, "duration_us_total": us(op["duration"]),
                "duration_us_avg": average(op["duration"]), "wait_us_avg": average(op["wait"]),
                "total_cost_us_total": us(cost), "total_cost_us_avg": average(cost),
                "wait_ratio": ratio(op["wait"], cost), "wait_not_reliable_for_rootcause": op["polluted"] > 0,
                "gaps_before": len(op["gaps"]), "gap_before_us_total": us(sum(op["gaps"])),
                "short_gaps_after": len(op["short"]), "short_gap_after_us_total": us(sum(op["short"])),
                "input_shapes": next((s for s in op["shapes"] if op["shapes"][s] == most), None),
                "rank_by_total_cost": op["rank_cost"], "rank_by_duration": op["rank_duration"],
                "ranks_disagree": abs(op["rank_cost"] - op["rank_duration"]) >= self.t["rank_disagreement"],
                "is_false_hotspot_risk": op["false_hotspot"],
                "small_op": ("inefficient" if op["inefficient"] else "noise") if op["small"] else None,
                "pmu": op["pmu"]}

    def wait_anchors(self):
        out = []
        for op in self.ops:
            if op["wait"] <= 0 or op["rank_mean"] > self.t["wait_anchor_rank"]:
                continue
            whole = self.op(op)
            evidence = []
            if op["gaps"]:
                evidence.append(f"{len(op['gaps'])} gaps end with this op, {ns(sum(op['gaps']))} ns together, the longest "
                                f"{ns(max(op['gaps']))} ns")
                if op["false_hotspot"]:
                    g = next((g for g in self.gaps if g.device == op["device"] and g.after and g.length == max(op["gaps"])
                              and g.after[0].op_type == op["op_type"]), None)
                    if g is not None:
                        evidence.append(f"the longest starts at {ns(g.start)} ns" +
                                        ("" if g.step is None else f" in step {self.steps[g.step][1].id}"))
            if op["polluted"] > 0:
                evidence.append(f"{ns(op['polluted'])} ns of its waits overlap communication")
            out.append({"op_name": op["op_type"], "location": self.c.devices[op["device"]].name,
                        **{key: whole[key] for key in ("duration_us_avg", "wait_us_avg", "total_cost_us_avg", "wait_ratio",
                                                       "is_false_hotspot_risk", "calls", "rank_by_total_cost")},
                        "rank_by_mean_total_cost": op["rank_mean"], "evidence": evidence})
        return out

    def group(self, g):
        f = self.group_facts[g]
        def spread(name, values, scale):
            return {f"{name}_{which}": scale(v) for which, v in zip(("avg", "median", "p90", "p95"), values)}
        shares = [ratio(self.measures[i]["idle"], self.measures[i]["service"]) for i in f["counted"]]
        out = {"group_id": f"g{g}", "group_size": len(f["steps"]), "complete_steps": f["complete"]}
        for name, key in (("service_ms", "service"), ("device_busy_union_ms", "busy"), ("prelaunch_gap_ms", "prelaunch"),
                          ("tail_gap_ms", "tail"), ("internal_bubble_total_ms", "internal"),
                          ("largest_internal_bubble_ms", "largest")):
            out.update(spread(name, f[key], ms))
        millionths = lambda v: Fraction(v, 1_000_000)
        out.update(spread("underfeed_ratio", f["idle_ppm"], millionths))
        variation = self.c.shape_variation.get(g)
        out.update({
            "underfeed_ratio_avg": float(sum(map(float, shares)) / len(shares)), "bubble_count_median": f["count"][1],
            "bubble_count_p95": f["count"][3], "inter_step_gap_ms_avg": ms(f["between"]),
            "recurring_bubble_pattern": f["recurring"], "recurring_places": f["places"],
            "dominant_idle_pattern": f["pattern"], "dominant_idle_pattern_script": f["script"],
            "dominant_anomaly_tags": f["dominant"], "anomaly_tags": [t for t in TAGS if t in f["tags"]],
            "host_risk": f["risk"],
            "shape_variation": None if variation is None else dict(zip(("positions", "varying"), variation)),
            "requires_followup": f["followup"]})
        return out

    def gap(self, g, number):
        known = lambda part, whole: ratio(part, whole) if g.traced and whole > 0 else None
        launch = None
        if g.next is not None and g.next.launch is not None:
            at = g.next.launch[0]
            launch = {"launch_rel_ns": ns(at), "launch_slack_us": us(g.end - at), "host_late": at > g.start}
        of_step = "global" if g.step is None else self.steps[g.step][1].id
        inside = g.part_before >= 0 and g.part_before == g.part_after
        return {"bubble_id": f"{self.prefix(g.device)}b{of_step}_{number}", "device": g.device, "scope": g.scope,
                "inter_step": g.inter_step, "step_id": "" if g.step is None else of_step,
                "group_id": None if g.step is None else f"g{self.group_of[g.step]}",
                "start_us": self.absolute_us(g.start), "end_us": self.absolute_us(g.end),
                "start_ns": str(self.absolute(g.start)), "end_ns": str(self.absolute(g.end)), "start_rel_ns": ns(g.start),
                "rel_us": us(g.start), "duration_ms": ms(g.length), "duration_ns": ns(g.length), "heavy": g.heavy,
                "boundary_adjacent": g.edge, "candidate_labels": [x for x in LABELS if x in g.labels],
                "cause": {"id": g.cause, "span": g.span or None, "covered_ns": ns(g.covered), "certainty": certainty(g.cause, g.sure)},
                "host_visible_coverage_ratio": known(g.host, g.length),
                "host_leaf_coverage_ratio": known(g.leaf, g.length),
                "sync_marker_overlap_ratio": known(g.sync, g.length), "comm_marker_overlap_ratio": known(g.comm, g.length),
                "gc_overlap_ratio": known(g.gc, g.length), "host_parallelism": known(g.threads, g.host),
                "covered_by_frames_only": g.host > 0 and g.leaf == 0, "evidence_ops": [n for _, _, n in g.names],
                "evidence_op_overlaps_us": [us(-ps) for _, ps, _ in g.names], "launch": launch,
                "kernels_before": [self.kernel(g.device, g.step, k) for k in g.before],
                "before_in_previous_step": g.before_other,
                "kernels_after": [self.kernel(g.device, g.step, k) for k in g.after],
                "structure_id": self.part_id(g.step, g.part_before) if inside else None,
                "relation": None if g.scope != "step_internal" or g.part_before < 0 else
                "inside" if inside else "between"}

    def gap_list(self):
        counts, out = {}, []
        for g in self.gaps:
            number = counts.setdefault((g.device, g.step), 0)
            counts[g.device, g.step] += 1
            out.append(self.gap(g, number))
        return out

    def cause_sums(self):
        """By group and cause, most time first; those at the edges of the capture do not count."""
        sums = {}
        for g in self.gaps:
            if g.edge or g.inter_step:
                continue
            group = -1 if g.step is None else self.group_of[g.step]
            sums.setdefault((group, CAUSES.index(g.cause)), []).append(g)
        out = []
        for (group, cause), gaps in sorted(sums.items()):
            total = sum(g.length for g in gaps)
            sure = lambda *levels: sum(g.length for g in gaps if g.sure in levels)
            steps = {g.step for g in gaps}
            one_step = group >= 0 and len(steps) == 1 and len(self.c.groups[group]) > 1
            spans = {}
            for g in gaps:
                if g.span:
                    spans[g.span] = spans.get(g.span, 0) + g.covered
            out.append({"cause": CAUSES[cause], "exposed": False,
                        "span": max(spans, key=lambda s: spans[s]) if spans else None,
                        "sure": "high" if self.at_least(sure("high"), total, "high_confidence") else
                        "medium" if self.at_least(sure("high", "medium"), total, "medium_confidence") else "low",
                        "scope": "global" if group < 0 else "step" if one_step else "group",
                        "target_id": None if group < 0 else self.steps[steps.pop()][1].id if one_step else f"g{group}",
                        "gaps": len(gaps), "time": total, "evidence": self.cause_evidence(gaps, spans)})
        for group, f in enumerate(self.group_facts):
            for part, cause in (("comm_exposed", "exposed_comm"), ("copy", "exposed_copy")):
                parts = [(self.measures[i]["parts"][part], i) for i in f["steps"]]
                total, service = sum(ps for ps, _ in parts), sum(self.measures[i]["service"] for i in f["steps"])
                if total == 0 or not self.at_least(total, service, "exposed_ratio"):
                    continue
                most, step = max(parts, key=lambda p: (p[0], -p[1]))
                out.append({"cause": cause, "exposed": True, "span": None, "sure": "high", "scope": "group",
                            "target_id": f"g{group}", "gaps": 0, "time": total, "most_in": step, "evidence": [
                                f"{human(total)}, {percent(total, service)} of the time in "
                                f"{counted(len(parts), 'step')}",
                                f"the most, {human(most)}: step {self.steps[step][1].id}"]})
                if cause == "exposed_comm":
                    out[-1]["evidence"] += self.exposed_split(f["steps"])
                told = [row for row in self.c.communication for i in f["steps"]
                        if row[0] == self.steps[i][0] and self.steps[i][1].start <= row[1] < self.steps[i][1].end]
                if cause == "exposed_comm" and told:
                    elapsed, transit, wait = (sum(row[at] for row in told) for at in (2, 3, 4))
                    out[-1]["evidence"].append(f"its collectives last {human(elapsed)}, of which {percent(wait, elapsed)} wait "
                                               f"for other ranks and {percent(transit, elapsed)} move bytes")
        return sorted(out, key=lambda c: -c["time"])

    @staticmethod
    def soft_summary(causes):
        return [{"label": CAUSE_LABELS.get(c["cause"], "possible_" + c["cause"]), "cause": c["cause"], "span": c["span"],
                 "scope": c["scope"], "target_id": c["target_id"], "bubbles": c["gaps"], "total_ms": ms(c["time"]),
                 "evidence": c["evidence"]} for c in causes if not c["exposed"]]

    @staticmethod
    def cause_rows(causes):
        return [{"cause": c["cause"], "meaning": CAUSE_MEANINGS[c["cause"]], "certainty": certainty(c["cause"], c["sure"]),
                 "scope": c["scope"], "target_id": c["target_id"], "gaps": c["gaps"], "time_ns": ns(c["time"]),
                 "span": c["span"], "evidence": c["evidence"]} for c in causes]

    def cause_evidence(self, gaps, spans):
        total, longest = sum(g.length for g in gaps), max(gaps, key=lambda g: g.length)
        out = [f"{counted(len(gaps), 'gap')}, {human(total)} together",
               f"the longest, {human(longest.length)}: {self.where(longest)}"]
        if spans:
            most = max(spans, key=lambda s: spans[s])
            out.append(f"mostly in {most}")
        covered = sum(g.covered for g in gaps)
        if covered > 0:
            out.append(f"the evidence covers {percent(covered, total)}")
        late = sum(1 for g in gaps if g.next is not None and g.next.launch is not None and g.next.launch[0] > g.start)
        if late:
            out.append(f"the kernel after {counted(late, 'gap')} was launched after the gap had begun")
        return out

    def where(self, g):
        name = lambda k: k.type + (f" ({k.group})" if k.group else "")
        out = [self.c.devices[g.device].name]
        out += [f"step {self.steps[g.step][1].id}"] if g.step is not None else []
        out += [f"after {name(g.before[0])}"] if g.before else []
        out += [f"before {name(g.after[0])}"] if g.after else []
        return ", ".join(out)

    def idlest(self):
        totals = [sum(self.measures[i]["idle"] for i in f["steps"]) for f in self.group_facts]
        group = max(range(len(totals)), key=lambda g: (totals[g], -g))
        step = max(self.group_facts[group]["steps"], key=lambda i: (self.measures[i]["idle"], -i))
        return group, step

    def sure(self):
        if not any(h is not None for h in self.c.hosts):
            return "low"
        f = self.group_facts[self.idlest()[0]]
        edges = sum(self.measures[i]["edge"] for i in f["steps"])
        return "high" if self.c.runtime and f["complete"] >= 3 and 2 * edges < len(f["steps"]) else "medium"

    def document(self, inputs, files, sentences, policy="guide"):
        """`sentences`: answers, recommendations and evidence_gaps, which are texts."""
        devices = range(len(self.c.devices))
        idle = [self.last(d) - self.first(d) - length(self.busy[d]) for d in devices]
        worst = max(devices, key=lambda d: (idle[d], -d))
        causes = self.cause_sums()
        thresholds = [{"name": n, "value": self.t[n], "unit": u, "meaning": m} for n, _, u, m in THRESHOLDS]
        traced = any(h is not None for h in self.c.hosts)
        followup = not traced or any("UNTRACED_HOST_BLOCKING_RISK" in f["tags"] for f in self.group_facts)
        steps = range(len(self.steps))
        ops = sorted(self.ops, key=lambda o: (o["device"], o["rank_cost"]))
        by_duration = sorted(self.ops, key=lambda o: (o["device"], o["rank_duration"]))
        parts = [s for i in steps for s in self.structures(i)]
        halves = [b for i in steps for b in self.block_side(i)]
        gaps = self.gap_list()
        return {
            "schema": "profkit.bubbles", "version": 1, "status": "ok", "reason": None, "inputs": inputs,
            "window_policy": policy, "thresholds": thresholds,
            "devices": [self.device(d) for d in devices],
            "time": self.time_rows(),
            "causes": self.cause_rows(causes),
            "leading_cause": self.leading_cause(),
            "anomaly_discovery": {
                "enabled": True, "dominant_group_id": "g0",
                "global_device_gap_analysis": {**self.device_gaps(worst), "device": worst},
                "step_group_anomalies": [self.group(g) for g in range(len(self.c.groups))],
                "bubble_windows_total": len(gaps), "bubble_windows": gaps,
                "wait_anchor_ops": self.wait_anchors(), "soft_root_cause_summary": self.soft_summary(causes),
                "requires_host_followup": followup, "confidence": self.sure()},
            "steps_total": len(self.steps), "steps": [self.step(i) for i in steps],
            "structures_total": len(parts), "structures": parts, "block_side_total": len(halves), "block_side": halves,
            "ops": {"total": len(ops), "by_total_cost": [self.op(o) for o in ops],
                    "by_duration": [self.op(o) for o in by_duration]},
            "aicpu_ops": [self.aicpu_op(a) for a in self.aicpu],
            "summary": {"significant": any(f["issue"] for f in self.group_facts), **sentences["answers"],
                        "dominant_step": self.steps[self.idlest()[1]][1].id},
            "recommendations": sentences["recommendations"], "evidence_gaps": sentences["evidence_gaps"],
            "self_check": {"busy_and_idle_fill_every_step": True, "step_trace_time": list(self.c.self_check)},
            "files": files, "damage": [],
            "events_checked": "some" if any(f["family"] == "xspace" for f in files) else "all"}

    def aicpu_op(self, a):
        known = a["duration"] > 0
        share = lambda ppm: Fraction(ppm, 1_000_000) if known else None
        return {"device": a["device"], "op_type": a["op_type"], "op_name": a["op_name"], "class": a["kind"],
                "calls": a["calls"], "duration_us_total": us(a["duration"]), "masked_us_total": us(a["masked"]),
                "masked_ratio": ratio(a["masked"], a["duration"]) if known else None,
                "masked_ratio_min": share(min(a["shares"], default=0)), "masked_ratio_max": share(max(a["shares"], default=0)),
                "verdict": self.aicpu_verdict(a["masked"], a["duration"]),
                "exposed_calls": a["verdicts"].count("AICPU_EXPOSED_NOT_ALLOWED"),
                "partially_exposed_calls": a["verdicts"].count("AICPU_PARTIALLY_EXPOSED"), "beside_bubbles": a["beside"]}

    # ---- tables ----

    def place(self, d, hosts):
        """Whose the rows of a device are; `hosts`: by file."""
        device = self.c.devices[d]
        return {"run": "run", "host": hosts.get(device.file), "rank": device.rank if device.rank >= 0 else None,
                "node": None, "device_name": device.name, "file": device.file, "device": d}

    def arrow_steps(self, hosts):
        rows = []
        for i, (d, w) in enumerate(self.steps):
            m = self.measures[i]
            p = m["parts"]
            rows.append({**self.place(d, hosts), "step": i, "step_of_device": sum(1 for other, _ in self.steps[:i] if other == d), "step_id": w.id, "start_ps": w.start, "end_ps": w.end,
                         "busy_ps": m["busy"], "prelaunch_ps": m["prelaunch"], "internal_ps": m["internal"],
                         "tail_ps": m["tail"], "largest_internal_ps": m["largest"],
                         **{f"{key}_ps": p[key] for key in ("compute_only", "comm_exposed", "comm_overlapped", "copy",
                                                            "other", "idle")},
                         "not_recorded_ps": 0, "unrecorded_launches": 0, "bubble_count": m["count"], "tags": ",".join(t for t in TAGS if t in m["tags"]),
                         "reportable_ps": m["listed"]})
        return rows

    def arrow_gaps(self, hosts):
        known = lambda g, value: value if g.traced else None
        return [{**self.place(g.device, hosts), "step": g.step, "scope": g.scope, "start_ps": g.start,
                 "end_ps": g.end, "host_ps": known(g, g.host), "sync_ps": known(g, g.sync), "comm_ps": known(g, g.comm),
                 "threads_ps": known(g, g.threads),
                 "launch_ps": g.next.launch[0] if g.next is not None and g.next.launch else None,
                 "before": g.before[0].name if g.before else None, "after": g.after[0].name if g.after else None,
                 "before_row": g.before[0].row if g.before else None, "after_row": g.after[0].row if g.after else None,
                 "labels": ",".join(x for x in LABELS if x in g.labels), "cause": g.cause, "certainty": certainty(g.cause, g.sure), "heavy": g.heavy,
                 "at_edge": g.edge, "inter_step": g.inter_step} for g in self.gaps]

    def arrow_causes(self, hosts):
        return [{**self.place(g.device, hosts), "gap": at, "step": g.step, "cause": g.cause, "certainty": certainty(g.cause, g.sure),
                 "span": g.span or None, "covered_ps": g.covered, "start_ps": g.start, "end_ps": g.end, "inter_step": g.inter_step}
                for at, g in enumerate(self.gaps)]

    def arrow_time(self, hosts):
        return [{**self.place(r["device"], hosts), **{key: r[key] for key in ("in_steps", "use", "cause", "certainty", "gaps",
                                                                              "time_ps")}}
                for r in self.time_rows() if r["device"] is not None]

    def origin(self, device, k):
        """Which operators lie around the call that launched it. No module, no line of code and no optimizer is among the spans."""
        spans = self.c.hosts[device.host] if self.c.names_origins and k.launch else None
        around = sorted((s for s in spans or () if s.kind == "op" and s.thread == k.launch[2] and s.start <= k.launch[0] < s.end),
                        key=lambda s: (s.start, -s.duration))
        return {"framework_op": around[-1].name if around else None, "outer_op": around[0].name if around else None,
                "phase": "forward" if around else None, "module": None, "range": None, "source": None, "program": None}

    def arrow_kernels(self, hosts):
        rows = []
        for d, device in enumerate(self.c.devices):
            for k in sorted(device.kernels, key=lambda k: (k.start, k.duration, k.row)):
                rows.append({**self.place(d, hosts), "stream": k.stream, "name": k.name, "op_type": k.op_type or None,
                             "kind": k.kind, "core": k.core or None, "step_id": k.step or None, "start_ps": k.start,
                             "duration_ps": k.duration, "wait_ps": k.wait, "launch_ps": k.launch[0] if k.launch else None,
                             "input_shapes": k.shapes or None, "output_shapes": k.out_shapes or None,
                             "input_types": k.types or None, **self.origin(device, k), "on_aicpu": k.on_aicpu, "duplicate": k.duplicate,
                             "in_flight": k.in_flight,
                             "source_row": k.row})
        return rows
