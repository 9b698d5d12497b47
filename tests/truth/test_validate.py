"""Collectives across nodes: three corrected nodes with two devices each, and four ranks in process groups."""
import fractions
import json
import re
import sys

import hlo
import proto_writer as proto
import truth
from screens import time

ZERO_NS = 1_700_000_000_000_000_000
KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SAME_RUN = (
    "executions of one operation on the same device number of several nodes count as one invocation if they have "
    "the same run id, else if they are close in time")
NO_GROUPS = "operations with no process group on record count as collectives of all nodes"
BARRIER = "no member of an all-reduce, or of a collective like it, can end before the last member has begun"


class Clock:
    """What a merge says of a node: windows (from, to, error of device times, error of host times, flags)."""

    def __init__(self, node, host, windows, status="corrected"):
        self.node, self.host, self.windows, self.status = node, host, windows, status

    def bound(self, at_ps):
        before = [w for w in self.windows if w[0] <= at_ps]
        return (before[-1] if before else self.windows[0])[2]

    def plane(self):
        plane = proto.Plane(f"/node:{self.node}/clock_metadata", 900_000 + self.node)
        corrected = self.status == "corrected"
        for name, value in (("corrected", int(corrected)), ("status", self.status), ("node_id", self.node),
                            ("hostname", self.host), ("reference_node", 0), ("origin_ns", ZERO_NS)):
            plane.own_stat(name, value)
        if corrected:
            plane.own_stat("clock_windows", json.dumps([list(w) for w in self.windows], separators=(",", ":")))
        return plane


class Call:
    """One execution. `which`: the invocation of its operation that it belongs to; None: it has no partner."""

    def __init__(self, op, module, device, node, which, start, end, correlation, run=None):
        self.op, self.module, self.device, self.node, self.which = op, module, device, node, which
        self.start, self.end, self.correlation, self.run = start, end, correlation, run


US = 1_000_000


def clocks():
    return [Clock(0, "ada", [(-5 * US, 40 * US, 1_000, 7, 0), (40 * US, 90 * US, 6_000, 8, 2)]),
            Clock(2, "größe, \"b\"", [(-5 * US, 90 * US, 2_000, 9, 0)]),
            Clock(10, "", [(0, 10 * US, 500, 3, 1), (10 * US, 90 * US, 4_000, 30_000, 0)])]


def calls():
    """Starts and ends in ps; every kind of order, each at its limit."""
    a, b = "jit_a", "jit_b"
    rows = []

    def invocation(op, module, device, which, members, run=None):
        for node, start, end, correlation in members:
            rows.append(Call(op, module, device, node, which, start, end, correlation, run))

    one = "all-reduce.1"
    invocation(one, a, 0, 0, [(0, 1_000, 900_000, 11), (2, 5_000, 901_000, 12), (10, 1_000, 899_000, 13)], 70)
    # One ends as another begins: out of order, if only by the clocks. Two begin last together.
    invocation(one, a, 0, 1, [(0, 2 * US, 2_500_000, 21),
               (2, 2_500_000, 3 * US, 22), (10, 2_500_000, 3 * US, -1)], 71)
    # As far out of order as both clocks may be wrong (1,000 + 2,000), and 1 ps further.
    invocation(one, a, 0, 2, [(0, 4 * US, 4_400_000, 31), (2, 4_403_000, 5 * US, 32)], 72)
    invocation(one, a, 0, 3, [(0, 6 * US, 6_400_000, 41), (2, 6_403_001, 7 * US, 42)], 73)
    # The same two distances where the clocks are less certain: 6,000 for an end at 40 us, 1,000 just before.
    invocation(one, a, 0, 4, [(0, 38 * US, 40 * US, 51),
               (2, 40_007_999, 41 * US, 52), (10, 39 * US, 41 * US, 53)], 75)
    invocation(one, a, 0, 5, [(0, 36 * US, 40 * US - 1, 61), (2, 40_007_999, 41_500_000, 62)], 74)
    # The same name in another program, without run ids: by time. Node 10 misses one, and has one of its own.
    invocation(one, b, 0, 0, [(0, 50 * US, 51 * US, 101),
               (2, 50_300_000, 51 * US, 102), (10, 50_900_000, 51 * US, 103)])
    invocation(one, b, 0, 1, [(0, 55 * US, 56 * US, 111), (2, 55_000_000, 56_200_000, 112)])
    invocation(one, b, 0, 2, [(0, 60 * US, 61 * US, 121),
               (2, 60_800_000, 61 * US, 122), (10, 60_100_000, 61 * US, 123)])
    invocation(one, b, 0, None, [(10, 70 * US, 71 * US, 133)])
    # Another device number is another operation.
    invocation(one, a, 1, 0, [(0, 0, 100, 1), (2, 0, 100, 2), (10, 0, 100, 3)], 70)
    invocation("all-gather.7", a, 1, 0, [(2, 20 * US, 20 * US, 5),
               (10, 20 * US + 1, 20 * US + 1, 6)], 70)  # no durations
    # All three out of order: pairs (0,2), (0,10), (2,10).
    invocation("reduce-scatter, \"x\"", a, 1, 0,
               [(0, 30 * US, 30_100_000, 7), (2, 31 * US, 31_100_000, 8), (10, 32 * US, 32_100_000, 9)], 70)
    invocation("all-to-all.3", b, 0, None, [(2, 33 * US, 34 * US, 201), (2, 35 * US, 36 * US, 202)])  # one node alone
    invocation("collective-broadcast.2", a, 0, 0, [(0, 15 * US, 16 * US, 301), (2, 17 * US, 18 * US, 302)], 70)
    return rows


def trace(all_calls, all_clocks, kernel=KERNEL):
    planes = []
    for clock in all_clocks:
        for device in (0, 1):
            plane = proto.Plane(
                f"/device:GPU:{64 * clock.node + device}",
                64 * clock.node + device,
                first_event_id=5 + device,
                first_stat_id=11 - device,
            )
            plane.own_stat("node_id", clock.node)
            if clock.host:
                plane.own_stat("hostname", clock.host)
            events, before_ns = [], 3 + device + 100 * clock.node
            for c in sorted(
                (c for c in all_calls if (c.node, c.device) == (clock.node, device)), key=lambda c: c.start
            ):
                stats = [("hlo_op", proto.Ref(c.op)), ("hlo_module", proto.Ref(c.module))]
                stats += [("correlation_id", c.correlation)] if c.correlation >= 0 else []
                stats += [("run_id", c.run)] if c.run is not None else []
                events.append(plane.event(kernel, c.start + before_ns * 1000, c.end - c.start, stats))
                events.append(plane.event("gemm", c.end + before_ns * 1000, 10))
            # Lines begin before the capture, each at another time.
            plane.line("Stream #7(Kernel)", ZERO_NS - before_ns, events, line_id=7)
            planes.append(plane)
    start = proto.Plane("Task Environment")
    start.own_stat("profile_start_time", proto.Uint(ZERO_NS))
    return proto.xspace([*planes, *(c.plane() for c in all_clocks), start])


def clock_plane_of(clock):
    return proto.text(1, clock.plane().bytes())


# ---- the answer ----

def fixed_ns(ps):
    return f"{'-' if ps < 0 else ''}{abs(ps) // 1000}.{abs(ps) % 1000:03}"


class Answer:
    """The document, worked out from the invocations as they were described. `given`: the error of every time."""

    kinds = {"collective-broadcast": "from_one"}

    def __init__(self, path, all_calls, all_clocks, given=None, window=(None, None)):
        self.path, self.calls, self.clocks, self.given = str(path), all_calls, {c.node: c for c in all_clocks}, given
        self.ids = [c.node for c in all_clocks]
        low, high = window
        self.seen = lambda c: (low is None or c.start >= low or c.end > low) and (high is None or c.start < high)
        self.groups, self.ops, self.warnings = [], [], []
        for clock in all_clocks:
            if given is None and clock.status == "corrected" and any(w[4] & 2 for w in clock.windows):
                self.warnings.append(
                    (
                        "suspect_clock",
                        clock.node,
                        "",
                        0,
                        "its clock jumped, or ran at an impossible rate: the error bound is wide there",
                    )
                )
        for key in sorted({(c.op, c.module, c.device) for c in all_calls}):
            self.add_op(key, [c for c in all_calls if (c.op, c.module, c.device) == key])

    def error(self, call, at):
        return self.clocks[call.node].bound(at) if self.given is None else self.given

    def add_op(self, key, own):
        op, module, device = key
        nodes = sorted({c.node for c in own})
        if len(nodes) == 1:
            self.warnings.append(("one_node", nodes[0], op, len(own), f"only this node ran it on device {device}"))
            return
        groups = []
        for which in sorted({c.which for c in own if c.which is not None},
                            key=lambda w: (min((c.start for c in own if c.which == w), default=0), w)):
            members = sorted((c for c in own if c.which == which), key=lambda c: c.node)
            groups.append((len(groups), members))
        counts = [sum(c.node == n for c in own) for n in nodes]
        if len(set(counts)) > 1:
            self.warnings.append(("count_mismatch", -1, op, max(counts) - min(counts),
                                  f"nodes ran it {min(counts)} to {max(counts)} times on device {device}"))
        for node in nodes:
            alone = sum(c.which is None and c.node == node for c in own)
            if alone:
                self.warnings.append(
                    (
                        "unmatched",
                        node,
                        op,
                        alone,
                        f"{alone} of its executions on device {device} have no partner on any other node",
                    )
                )
        judged = self.kinds.get(op.split(".")[0], "barrier") == "barrier"
        rows = [self.judge(op, device, number, members, judged) for number, members in groups
                if any(self.seen(c) for c in members)]
        if not rows:
            return
        skew = sum(r["skew"] for r in rows) / len(rows)
        moving = sum(max(-r["gap"], 0) for r in rows) / len(rows)
        bound = sum(r["bound"] for r in rows) / len(rows)
        late = {n: sum(r["alone"] and r["late"].node == n for r in rows) for n in self.ids}
        last = [n for n in self.ids if late[n] == max(late.values()) > 0]
        last = last[0] if len(last) == 1 else None
        skew_ps, moving_ps = int(skew), int(moving)
        cost = "mixed"
        if skew_ps - bound > 2 * (moving_ps + bound):
            cost = "arrival"
        elif moving_ps - bound > 2 * (skew_ps + bound):
            cost = "transfer"
        elif bound > (skew_ps + moving_ps) / 4:
            cost = "inconclusive"
        # What is no name of an instruction is what its kernel is.
        why = None if judged else (
            "nodes have several devices, and the partner may be a device with another number")
        self.ops.append({
            "name": op, "collective": "all-reduce" if '"' in op else op.split(".")[0], "module": module, "process_group": "", "device": device, "by_group": False,
            "semantics": self.kinds.get(op.split(".")[0], "barrier"), "groups": len(rows),
            "violations": sum(r["violates"] for r in rows), "violations_raw": sum(r["gap"] >= 0 for r in rows),
            "unjudged": 0 if judged else len(rows), "unjudged_reason": why, "mean_arrival_skew_ps": skew_ps,
            "most_arrival_skew_ps": max(r["skew"] for r in rows), "mean_transfer_ps": moving_ps, "cost": cost,
            "latest_node": None if last is None else str(last), "latest_device": -1, "latest_rank": None, "latest_count": late.get(last, 0),
            "sized_groups": 0, "payload_bytes": None, "moving_ps": None, "algorithm_bytes_per_s": None, "bus_bytes_per_s": None})
        self.groups += rows

    def judge(self, op, device, number, members, judged):
        late = max(members, key=lambda c: (c.start, -c.node))
        early = min(members, key=lambda c: (c.end, c.node))
        gap = late.start - early.end
        bound = 0 if late.node == early.node else self.error(late, late.start) + self.error(early, early.end)
        pairs = sum(a.end < b.start for a in members for b in members) if gap >= 0 else 0
        return {"op": op,
    "device": device,
    "number": number,
    "members": members,
    "late": late,
    "alone": sum(c.start == late.start for c in members) == 1,
    "early": early,
    "gap": gap,
    "bound": bound,
    "skew": late.start - min(c.start for c in members),
    "pairs": pairs,
    "judged": judged,
     "violates": judged and gap > bound}

    def known(self, g, time):
        """A time between clocks, if what they may be wrong by is less than a tenth of it."""
        error = 2 * max(self.error(c, c.start) for c in g["members"])
        return time if time > 0 and 10 * error < time else None

    # ---- who comes last, over all of them ----

    def name(self, node, device):
        """Of a node with several devices the device is named, too."""
        several = len({c.device for c in self.calls if c.node == node}) > 1
        return f"node {node}" + (f", device {device}" if several else "")

    def arrivals(self):
        """All nodes have to take part. In a barrier the shortest came last, and each waited as much longer as it lasts. So it is in
        what is none, if all ended within 10 us, or a tenth of what they began apart."""
        lone = [c for c in self.calls if self.seen(c) and c.which is None]
        missing, apart, tied = len(lone), 0, 0
        devices = {}  # (node, device): calls, times last, waited for it, waited
        for g in self.groups:
            members = g["members"]
            starts, ends, lengths = [c.start for c in members], [c.end for c in members], [c.end - c.start for c in members]
            if len(members) < len(self.ids):
                missing += 1
                continue
            if not g["judged"] and max(ends) - min(ends) > max(10 * US, (max(starts) - min(starts)) // 10):
                apart += 1
                continue
            waits = [length - min(lengths) for length in lengths]
            rows = [devices.setdefault((c.node, c.device), [0, 0, 0, 0]) for c in members]
            for row, wait in zip(rows, waits):
                row[0] += 1
                row[3] += wait
            if waits.count(0) == 1:
                rows[waits.index(0)][1] += 1
                rows[waits.index(0)][2] += sum(waits)
            else:
                tied += 1
        judged, waited = len(self.groups) - apart - (missing - len(lone)), sum(d[3] for d in devices.values())
        most = max((d[2] for d in devices.values()), default=0)
        latest = [at for at in sorted(devices) if devices[at][2] == most > 0]
        texts, of = [], f"{judged} collective{'s' * (judged != 1)}"
        if len(latest) == 1:
            texts.append(f"{self.name(*latest[0])} comes last in {devices[latest[0]][1]} of {of}; the others wait {time(most)} for it" +
                         (f", of {time(waited)} in all" if waited > most else ""))
        elif latest:
            names = [self.name(*at) for at in latest]
            named = f"{', '.join(names[:4])} and {len(names) - 4} more" if len(names) > 4 else f"{', '.join(names[:-1])} and {names[-1]}"
            texts.append(f"nobody is waited for most in {of}: {named} for {time(most)} each")
        elif waited:
            texts.append(f"no one comes last alone in {of}; all together wait {time(waited)}")
        elif judged and missing + apart:
            texts.append(f"nobody waits in {of}")
        if tied and waited:
            texts.append(f"to {tied} of them several come last at once")
        unjudged = [(why, count) for why, count in (
            ("not every member recorded them", missing),
            ("their members need not wait for all others, and did not end together", apart)) if count]
        unjudged.sort(key=lambda each: -each[1])
        for at, (why, count) in enumerate(unjudged):
            texts.append(f"{'' if at else 'not judged: '}{count} collective{'s' * (count != 1)} ({why})")
        node, device = latest[0] if len(latest) == 1 else (None, -1)
        return {"judged": judged, "tied": tied, "waited_ps": waited, "text": "; ".join(texts) or None,
                "latest_node": None if node is None else str(node), "latest_device": device, "latest_rank": None,
                "devices": [{"node": str(n), "device": d, "rank": None,
                             **dict(zip(("calls", "times_last", "waited_for_ps", "waited_ps"), devices[n, d]))} for n, d in sorted(devices)],
                "unjudged": [{"reason": why, "calls": count, "executions": 0} for why, count in unjudged]}

    def call_rows(self):
        rows = []
        for g in sorted(self.groups, key=lambda g: -g["skew"]):
            end, barrier = max(c.end for c in g["members"]), g["judged"]
            shortest = min(c.end - c.start for c in g["members"])
            rows.append({"op": g["op"], "module": g["late"].module, "process_group": "", "device": g["device"], "call": g["number"],
                         "last_start_ps": g["late"].start, "latest_node": str(g["late"].node) if g["alone"] else None, "latest_device": g["device"] if g["alone"] else -1,
                         "latest_rank": None, "arrival_skew_ps": g["skew"],
                         "span_ps": self.known(g, end - min(c.start for c in g["members"])), "payload_bytes": None,
                         "moving_ps": self.known(g, end - g["late"].start) or (shortest if barrier and shortest else None),
                         "algorithm_bytes_per_s": None, "bus_bytes_per_s": None})
        return rows

    def details(self):
        shown = [g for g in self.groups if g["judged"] and g["gap"] >= 0]
        shown.sort(key=lambda g: (not g["violates"], g["bound"] - g["gap"]))
        return [{"op": g["op"], "process_group": "", "device": g["device"], "rank": g["number"], "beyond_bound": g["violates"],
                 "latest_start_node": str(g["late"].node), "latest_start_ps": g["late"].start,
                 "earliest_end_node": str(g["early"].node), "earliest_end_ps": g["early"].end, "gap_ps": g["gap"],
                 "bound_ps": g["bound"],
                 "members": [{"node": str(c.node), "device": c.device, "rank": None, "part": "both", "start_ps": c.start, "end_ps": c.end,
                              "correlation_id": None if c.correlation < 0 else str(c.correlation)} for c in g["members"]]}
                for g in shown]

    def document(self):
        groups = self.groups
        return {
            "schema": "profkit.validate", "version": 1, "status": "ok", "reason": None, "clocks": "corrected", "bounds_known": True, "origin_unix_ns": str(ZERO_NS),
            "violations": sum(g["violates"] for g in groups), "violations_raw": sum(g["gap"] >= 0 for g in groups),
            "pair_violations": sum(g["pairs"] for g in groups),
            "overlaps": sum(g["judged"] and g["gap"] < 0 for g in groups),
            "unjudged": sum(not g["judged"] for g in groups), "within_node": 0, "warnings": len(self.warnings),
            "avg_gap_ns": sum(g["skew"] / 1000 for g in groups) / len(groups), "gap_count": len(groups),
            "assumptions": [SAME_RUN, NO_GROUPS, BARRIER],
            "nodes": [{"id": str(n), "hostname": c.host, "trace": 0,
                       "clock": list(dict.fromkeys(k.host for k in self.clocks.values())).index(c.host),
                       "devices": len({k.device for k in self.calls if k.node == n}),
                       "collectives": sum(k.node == n for k in self.calls),
                       "bound_ps": max(w[2] for w in c.windows) if self.given is None else self.given, "incomplete": None}
                      for n, c in self.clocks.items()],
            "ops": self.ops, "arrivals": self.arrivals(), "details": self.details(), "calls": self.call_rows(), "irregularities": [],
            "unrecorded_calls": [],
            "warning_list": [{"kind": k, "node": None if n < 0 else str(n), "op": op, "count": c, "text": t}
                             for k, n, op, c, t in self.warnings],
            "alignment": None, "traces": [self.path], "events_checked": "some", "damage": []}

    def csv(self):
        columns = sorted(f"node_{n}" for n in self.ids)
        out = "event_idx,op_name,occurrence,start_gap_ns" + \
            "".join(f",{c}_corr_id,{c}_start_ns" for c in columns) + "\r\n"
        for i, g in enumerate(self.groups):
            name = '"' + g["op"].replace('"', '""') + '"' if set(g["op"]) & set(',"') else g["op"]
            out += f"{i},{name},{g['number']},{fixed_ns(g['skew'])}"
            for c in columns:
                own = [m for m in g["members"] if f"node_{m.node}" == c]
                out += f",{own[0].correlation},{fixed_ns(own[0].start)}" if own else ",,"
            out += "\r\n"
        return out


# Read against the numbers that Answer works out.
SCREEN = """\
Violations: 3, Overlaps: 5, Warnings: 4
  clocks were corrected; a violation exceeds the error of both clocks (8 if that error is ignored)
  13 invocations compared across 3 nodes, 9 pairs of nodes out of order, 1 not judged
  node 2, device 0 comes last in 3 of 7 collectives; the others wait 3.521 us for it, of 5.021 us in
  all; to 3 of them several come last at once; not judged: 9 collectives (not every member recorded
  them)
  assumed: executions of one operation on the same device number of several nodes count as one
  invocation if they have the same run id, else if they are close in time
  assumed: operations with no process group on record count as collectives of all nodes
  assumed: no member of an all-reduce, or of a collective like it, can end before the last member
  has begun

Nodes
  node  host        devices  collectives  clock error
     0  ada               2           12    ±6.000 ns
     2  größe, "b"        2           15    ±2.000 ns
    10                    2            9    ±4.000 ns

Collectives
  collective            device  times  violations  arrival skew    transfer  time goes to  last to come
  all-reduce.1               0      6           2      1.221 us  149.000 ns  arrival       node 2 (83.3 %)
  reduce-scatter, "x"        1      1           1      2.000 us        0 ps  arrival       node 10 (100.0 %)
  collective-br…cast.2       0      1           0      2.000 us        0 ps  arrival       node 2 (100.0 %)
  all-reduce.1               0      3           0    566.666 ns  433.333 ns  mixed
  all-gather.7               1      1           0          1 ps        0 ps  inconclusive  node 10 (100.0 %)
  all-reduce.1               1      1           0          0 ps      100 ps  transfer
  not judged: 1 of collective-broadcast.2: nodes have several devices, and the partner may be a
  device with another number

Warnings
  node 0: its clock jumped, or ran at an impossible rate: the error bound is wide there
  all-reduce.1: nodes ran it 3 to 6 times on device 0
  node 10: all-reduce.1: 1 of its executions on device 0 have no partner on any other node
  node 2: all-to-all.3: only this node ran it on device 0
"""


class Corrected(truth.Case):
    def setUp(self):
        super().setUp()
        self.path = self.write("combined.xplane.pb", trace(calls(), clocks()))

    def ask(self, *arguments, **how):
        found = truth.parsed(truth.run("validate", self.path, "--json", *arguments))
        answer = Answer(self.path, calls(), clocks(), **how)
        with self.subTest(arguments=arguments):
            self.check(found, answer.document())
        with self.subTest(csv=arguments):
            self.check_text(truth.run("validate", self.path, "--csv", "-", *arguments), answer.csv())

    def test_the_errors_of_the_trace(self):
        self.ask()

    def test_an_error_that_is_given(self):
        for bound in (0, 1_500, 1_501, 50_000):
            self.ask("--bound", f"{bound}ps", given=bound)

    def test_a_window_of_time(self):
        for low, high in ((2 * US, 7 * US), (900_999, 4 * US), (901_000, 4 * US + 1), (50 * US, 90 * US),
                          (20 * US, 20 * US + 1), (20 * US + 1, 21 * US), (20 * US + 2, 31 * US)):
            self.ask("--time", f"{low}ps:{high}ps", window=(low, high))

    def test_events_in_any_order(self):
        """Planes and events in another order are the same capture."""
        path = self.write("turned.xplane.pb", trace(calls()[::-1], clocks()[::-1]))
        found = truth.parsed(truth.run("validate", path, "--json"))
        expected = Answer(path, calls(), clocks()).document()
        self.check(found, expected)

    def test_the_library_says_the_same(self):
        profkit = truth.library()
        with profkit.open(str(self.path)) as profile, profkit.validate(profile) as found:
            self.assertEqual(found.document_bytes().decode(), truth.run("validate", self.path, "--json"))
            rows = []
            found.write_csv(rows.append)
            self.assertEqual(b"".join(rows).decode(), truth.run("validate", self.path, "--csv", "-"))
            expected, summary = Answer(self.path, calls(), clocks()).document(), found.summary
            for field in ("violations", "violations_raw", "pair_violations", "overlaps", "unjudged", "warnings"):
                self.assertEqual(getattr(summary, field), expected[field], field)

    def test_the_screen(self):
        self.check_text(truth.run("validate", self.path), SCREEN)

    def test_the_exit_status(self):
        truth.run("validate", self.path, "--fail-on", "violations", status=1)
        truth.run("validate", self.path, "--fail-on", "violations", "--bound", "10us", status=0)


# ---- clocks from collectives alone ----

AHEAD = {0: 0, 1: 3 * US, 2: -2_500_000}  # of each node's clock; the clocks are in step


def barriers():
    """Calls whose members end together. Only nodes 0 and 1, or 1 and 2, take part in some."""
    rows = []
    for which, (begin, members) in enumerate((
            (5 * US, {0: 0, 1: 400_000, 2: 900_000}), (15 * US, {0: 700_000, 1: 0, 2: 100_000}),
            (25 * US, {0: 0, 1: 950_000}), (35 * US, {1: 0, 2: 20_000}), (45 * US, {0: 800_000, 1: 100_000, 2: 0}),
            (55 * US, {0: 300_000, 1: 0, 2: 600_000}))):
        for node, later in members.items():
            rows.append(Call("all-reduce.1", "jit_a", 0, node, which, begin + later + AHEAD[node],
                             begin + US + AHEAD[node], 10 * which + node))
    # No barrier: as one it would contradict the others.
    rows.append(Call("collective-broadcast.9", "jit_a", 0, 0, 0, 65 * US, 66 * US, 90))
    rows.append(Call("collective-broadcast.9", "jit_a", 0, 1, 0, 67 * US + AHEAD[1], 68 * US + AHEAD[1], 91))
    return rows


def limits(pivot, own, other):
    """The least and greatest offset and drift of `other` against `own` that all calls of both allow: the corners of all
    lines x' = x + offset + drift * (x - pivot) with which nobody ends before everybody began."""
    cuts = []  # (a, b, c): a * offset + b * drift <= c
    for x in own:
        for y in other:
            if x.which == y.which:
                cuts.append((1, x.start - pivot, y.end - x.start))
                cuts.append((-1, -(x.end - pivot), x.end - y.start))
    most = fractions.Fraction(2 * 1000, 1_000_000)  # both clocks may be wrong by 1000 ppm
    cuts += [(0, 1, most), (0, -1, most)]
    corners = []
    for i, (a, b, c) in enumerate(cuts):
        for d, e, f in cuts[:i]:
            det = a * e - b * d
            if det:
                at = (fractions.Fraction(c * e - b * f, 1) / det, fractions.Fraction(a * f - c * d, 1) / det)
                if all(k * at[0] + m * at[1] <= n for k, m, n in cuts):
                    corners.append(at)
    return (
        min(o for o, _ in corners),
        max(o for o, _ in corners),
        min(d for _, d in corners),
        max(d for _, d in corners),
    )


class Uncorrected(truth.Case):
    """Three traces of one node each, of which nobody has corrected the clocks."""

    def setUp(self):
        super().setUp()
        self.paths = []
        for node in AHEAD:
            clock = Clock(node, f"host{node}", [])
            space = trace([c for c in barriers() if c.node == node], [clock])
            # Without what a merge writes.
            self.paths.append(self.write(f"t{node}.xplane.pb", space.replace(clock_plane_of(clock), b"")))

    def test_the_intervals_of_every_pair(self):
        found = truth.parsed(
            truth.run("validate", *self.paths, "--align", "collectives", "--max-bound", "400ns", "--json")
        )
        told, rows = found["alignment"], barriers()
        times = [t for c in rows if c.op == "all-reduce.1" for t in (c.start, c.end)]
        pivot = (min(times) + max(times)) // 2
        pairs = []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            own, other = ([c for c in rows if c.node == n and c.op == "all-reduce.1"] for n in (a, b))
            shared = len({c.which for c in own} & {c.which for c in other})
            pairs.append((a, b, shared, limits(pivot, own, other)))
        self.assertEqual([p["constraints"] for p in told["pairs"]], [s for _, _, s, _ in pairs])
        for entry, (a, b, shared, within) in zip(told["pairs"], pairs):
            with self.subTest(pair=(a, b)):
                self.check_interval(entry, within, pivot, 400_000)
                self.assertEqual([entry["a"], entry["b"]], [str(a), str(b)])
        for node in (1, 2):
            entry = told["nodes"][node]
            with self.subTest(node=node):
                self.check_interval(entry, next(p[3] for p in pairs if p[:2] ==
                                    (0, node)), pivot, 400_000, through_others=True)
                self.assertEqual((entry["point_offset_ps"], entry["point_drift_ppm"], entry["point_spread_ps"]),
                                 (AHEAD[node], 0, 0))
                self.assertEqual((entry["contains_zero"], entry["reached"]), (False, True))
        undecidable = sum(not n["decidable"] for n in told["nodes"])
        self.assertEqual((told["absent"], told["reference_node"], told["undecidable"], told["contradictions"]),
                         (None, "0", undecidable, 0))
        self.assertEqual((found["clocks"], found["bounds_known"]), ("uncorrected", False))
        self.assertEqual([n["bound_ps"] for n in found["nodes"]], [None] * 3)
        self.assertEqual([w["kind"] for w in found["warning_list"]], ["clocks_uncorrected", "count_mismatch"])
        self.assertEqual([op["cost"] for op in found["ops"]], ["inconclusive"] * 2)

    def check_interval(self, entry, within, pivot, max_bound, through_others=False):
        """What all inequalities allow, and at most a few ps more; over a third node at most as much."""
        least, most = entry["least_offset_ps"], entry["most_offset_ps"]
        self.assertEqual((entry["feasible"], entry["pivot_ps"]), (True, pivot))
        self.assertEqual(entry["decidable"], most - least <= 2 * max_bound)
        if through_others:
            self.assertGreaterEqual(least, within[0] - 8)
            self.assertLessEqual(most, within[1] + 8)
        else:
            self.assertTrue(within[0] - 8 <= least <= within[0], (float(within[0]), least))
            self.assertTrue(within[1] <= most <= within[1] + 8, (float(within[1]), most))
            self.assertLess(abs(float(entry["least_drift_ppm"]) - float(within[2]) * 1e6), 1)
            self.assertLess(abs(float(entry["most_drift_ppm"]) - float(within[3]) * 1e6), 1)

    def test_the_library_says_the_same(self):
        profkit = truth.library()
        opened = [profkit.open(str(p)) for p in self.paths]
        with profkit.validate(*opened, align=True, max_bound_ps=400_000) as found:
            printed = truth.run("validate", *self.paths, "--align", "collectives", "--max-bound", "400ns", "--json")
            self.assertEqual(found.document_bytes().decode(), printed)
            told = truth.parsed(printed)["alignment"]
            self.assertEqual(found.summary.undecidable, told["undecidable"])
            rows = list(found.clock_intervals())
            self.assertEqual([r.node_id for r in rows], [0, 1, 2])
            for ours, theirs in list(zip(rows, told["nodes"]))[1:]:
                for field in (
                    "pivot_ps",
                    "least_offset_ps",
                    "most_offset_ps",
                    "point_offset_ps",
                    "constraints",
                    "decidable",
                    "feasible",
                ):
                    self.assertEqual(getattr(ours, field), theirs[field], field)
        for profile in opened:
            profile.close()

    def test_from_which_width_on_nothing_is_decided(self):
        """Half of the width is what a clock may be wrong: 144,802 ps of node 1, 189,802 ps of node 2."""
        for most, decidable in ((144_801, [True, False, False]), (144_803, [True, True, False]),
                                (189_801, [True, True, False]), (189_803, [True, True, True])):
            asked = ("validate", *self.paths, "--align", "collectives", "--max-bound", f"{most}ps")
            told = truth.parsed(truth.run(*asked, "--json"))["alignment"]
            with self.subTest(most=most):
                self.assertEqual([n["decidable"] for n in told["nodes"]], decidable)
                self.assertEqual((told["undecidable"], told["contradictions"]), (decidable.count(False), 0))
        if truth.is_sanitized():
            return
        profkit = truth.library()
        opened = [profkit.open(str(p)) for p in self.paths]
        with profkit.validate(*opened, align=True, bound_ps=7, max_bound_ps=144_803) as found:
            # Clocks that are taken to agree within 7 ps: other calls are put together, and the three pairs contradict one another.
            self.assertEqual([r.decidable for r in found.clock_intervals()], [True, False, False])
            self.assertEqual(found.summary.undecidable, 2)
            printed = truth.run("validate", *self.paths, "--align", "collectives", "--max-bound", "144803ps",
                                "--bound", "7ps", "--json")
            self.assertEqual(found.document_bytes().decode(), printed)
            self.assertEqual([n["bound_ps"] for n in truth.parsed(printed)["nodes"]], [7, 7, 7])
        for profile in opened:
            profile.close()


CONTRADICTION = """\
Clocks, from collectives alone
  against node 4; every value between least and most fits all collectives that were used
  assumed: matched executions are one invocation, and all of them took part in it
  assumed: no member of an all-reduce, or of a collective like it, can end before the last member
  has begun
  assumed: every clock runs at a constant rate over the capture, off by no more than 1000 ppm
  node
     6  contradiction
     9  not joined by any
"""


class OtherClocks(truth.Case):
    """Node 4 is the reference. Run ids tell which calls belong together, whatever the clocks say."""

    def traces(self, rows):
        paths = []
        for node in sorted({c.node for c in rows}):
            clock = Clock(node, f"host{node}", [])
            space = trace([c for c in rows if c.node == node], [clock])
            paths.append(self.write(f"t{node}.xplane.pb", space.replace(clock_plane_of(clock), b"")))
        return paths

    @staticmethod
    def calls(spans):
        """`spans`: start and end of node 4, and of node 6, ps."""
        return [Call("all-reduce.1", "jit_a", 0, node, i, *at, 10 * i + node, run=i)
                for i, (own, other) in enumerate(spans) for node, at in ((4, own), (6, other))]

    def asked(self, rows, *more):
        paths = self.traces(rows)
        self.screen = truth.run("validate", *paths, "--align", "collectives", *more)
        return truth.parsed(truth.run("validate", *paths, "--align", "collectives", *more, "--json"))["alignment"]

    def test_a_contradiction(self):
        """5 us of difference after 10 us: no clock runs so wrong. Node 9 runs nothing with the others."""
        spans = [((at, at + US), (at + off, at + off + US)) for at, off in ((5 * US, 0), (15 * US, 5 * US))]
        rows = self.calls(spans) + [Call("all-reduce.5", "jit_a", 0, 9, None, US, 2 * US, 1, run=7)]
        told = self.asked(rows)
        self.check(told["pairs"], [{"a": "4", "b": "6", "constraints": 2, "feasible": False, "decidable": False}])
        self.check([{k: n[k] for k in ("id", "reached", "calls_known", "feasible", "decidable", "contains_zero")}
                    for n in told["nodes"]],
                   [{"id": "4", "reached": True, "calls_known": True, "feasible": True, "decidable": True, "contains_zero": True},
                    {"id": "6", "reached": True, "calls_known": False, "feasible": False, "decidable": False, "contains_zero": False},
                    {"id": "9", "reached": False, "calls_known": False, "feasible": True, "decidable": False, "contains_zero": False}])
        self.assertEqual([n["id"] for n in told["nodes"] if "point_offset_ps" in n], ["4"])
        self.assertEqual((told["undecidable"], told["contradictions"]), (2, 1))
        self.check_text(self.screen[self.screen.index("Clocks, from"):], CONTRADICTION)

    def test_how_the_ends_scatter(self):
        """Three calls tell no drift. Their ends are 2.9, 3.0 and 3.2 us apart: 3.0 in the middle, and the middle
        distance from it is 0.1 us, which is a deviation of 148.26 ns where errors are normal."""
        spans = [((at, at + US), (at + 3 * US - 100_000, at + US + off))
                 for at, off in ((5 * US, 2_900_000), (15 * US, 3_000_000), (25 * US, 3_200_000))]
        told = self.asked(self.calls(spans), "--max-bound", "500ns")
        node = told["nodes"][1]
        self.assertEqual((node["point_offset_ps"], node["point_drift_ppm"], node["point_spread_ps"]),
                         (3 * US, 0, 148_260))
        self.assertEqual((told["undecidable"], node["decidable"], node["contains_zero"]), (1, False, False))
        self.check_row(node, ["6", None, None, "+3.000 us", "+0.000 ppm", "148.260 ns",
                              "undecidable (over 500.000 ns)"])

    def check_row(self, node, expected):
        """The last row on the screen: its second and third cell are the least and most of the document."""
        for at, field in ((1, "least_offset_ps"), (2, "most_offset_ps")):
            ps = node[field]
            expected[at] = f"{ps / 1e6:+.3f} us" if abs(ps) >= US else f"{ps / 1e3:+.3f} ns"
        self.assertEqual(re.split("  +", self.screen.splitlines()[-1].strip()), expected)

    def test_a_clock_that_runs_wrong(self):
        """By 900 ppm, either way, over 60 ms: each interval is what all inequalities allow."""
        for ppm in (900, -900, 1):
            spans = []
            for i in range(7):
                own = (i * 10_000 * US, i * 10_000 * US + 500 * US)
                early = (own[0] - 200 * US * (i % 3), own[1])
                spans.append((own, tuple(t + 30 * US + t * ppm // 1_000_000 for t in early)))
            rows = self.calls(spans)
            told = self.asked(rows)
            times = [t for c in rows for t in (c.start, c.end)]
            pivot = (min(times) + max(times)) // 2
            within = limits(pivot, [c for c in rows if c.node == 4], [c for c in rows if c.node == 6])
            node, exact = told["nodes"][1], 30 * US + pivot * ppm / 1e6
            with self.subTest(ppm=ppm):
                for entry in (node, told["pairs"][0]):
                    self.assertEqual((entry["pivot_ps"], entry["constraints"], entry["feasible"]), (pivot, 7, True))
                    self.assertLess(abs(entry["least_offset_ps"] - within[0]), 30)
                    self.assertLess(abs(entry["most_offset_ps"] - within[1]), 30)
                    self.assertLess(abs(float(entry["least_drift_ppm"]) - float(within[2]) * 1e6), 0.01)
                    self.assertLess(abs(float(entry["most_drift_ppm"]) - float(within[3]) * 1e6), 0.01)
                self.assertLess(abs(node["point_offset_ps"] - exact), 30)
                self.assertLess(abs(float(node["point_drift_ppm"]) - ppm), 0.001)

    def test_the_screen_of_no_shift(self):
        spans = [((at, at + 500_000), (at, at + 500_000)) for at in (0, 10 * US, 20 * US)]
        told = self.asked(self.calls(spans))
        self.assertEqual((told["nodes"][1]["contains_zero"], told["undecidable"]), (True, 0))
        self.assertTrue(told["nodes"][1]["calls_known"])  # by the ids of runs: three calls alone show nothing
        self.check_row(told["nodes"][1], ["6", None, None, "+0 ps", "+0.000 ppm", "0 ps", "may be no shift at all"])


# ---- who waits for whom ----

class Roots(truth.Case):
    """Nodes of one device each: who is the root or the sender is told from all calls, and each is judged by that."""

    bounds = [Clock(n, f"host{n}", [(0, 90 * US, 1_000 * (n + 1), 9, 0)]) for n in range(3)]

    def found(self, kernel, op, calls_of_nodes, module="jit_a", all_clocks=None, programs=()):
        """`calls_of_nodes`: for each invocation a dict of (start, end) by node, ps."""
        rows = [Call(op, module, 0, n, i, i * 5 * US + 2 * US + a, i * 5 * US + 2 * US + b, i)
                for i, members in enumerate(calls_of_nodes) for n, (a, b) in members.items()]
        path = self.write("rooted.xplane.pb", trace(rows, all_clocks or self.bounds, kernel) + proto.xspace(programs))
        return truth.parsed(truth.run("validate", path, "--json"))

    def counts(self, *given, **more):
        found = self.found(*given, **more)
        return (found["violations"], found["violations_raw"], found["unjudged"], found["overlaps"])

    def test_a_broadcast(self):
        """Nobody ends before the root begins; the others need not wait for each other. Node 1 is the root."""
        usual = {0: (0, 500_000), 1: (0, 500_000), 2: (0, 500_000)}
        # Out of order only as a barrier, and not if node 0 or 2 were the root.
        without_0 = {0: (600_000, 900_000), 1: (0, 500_000), 2: (0, 500_000)}
        without_2 = {0: (0, 500_000), 1: (0, 500_000), 2: (600_000, 900_000)}
        for gap, violations, overlaps in ((5_000, 0, 6), (5_001, 1, 6), (0, 0, 6), (-1, 0, 7)):
            late = {0: (0, 500_000), 1: (700_000 + gap, 900_000), 2: (0, 700_000)}
            late[0] = (0, 800_000)
            rows = [without_0, usual, without_2, usual, without_0, without_2, late]
            found = self.counts("ncclDevKernel_Broadcast_RING_LL", "collective-broadcast.2", rows)
            self.assertEqual(found, (violations, 4 + (gap >= 0), 0, overlaps), gap)

    def test_a_permute_of_two(self):
        """One receives from the other: here node 2 from node 0, whose clocks may be wrong by 4,000 ps together."""
        pair = [self.bounds[0], self.bounds[2]]
        backwards = {0: (0, 500_000), 2: (600_000, 900_000)}  # node 0 is through before node 2 begins: it only sends
        for gap, violations in ((4_000, 0), (4_001, 1), (-1, 0)):
            late = {0: (700_000 + gap, 900_000), 2: (0, 700_000)}
            rows = [backwards, backwards, backwards, {0: (0, 9), 2: (0, 9)}, late]
            found = self.counts("ncclDevKernel_SendRecv", "collective-permute.4", rows, all_clocks=pair)
            self.assertEqual(found, (violations, 3 + (gap >= 0), 0, 4 + (gap < 0)), gap)

    def test_a_permute_of_three(self):
        """Once node 1 is too late to be a sender, once too early to be a receiver: whatever pairs there are, one of
        the two cannot be. Of the others nothing can be told."""
        late = {0: (0, 500_000), 1: (600_000, 900_000), 2: (0, 500_000)}
        early = {0: (600_000, 900_000), 1: (0, 500_000), 2: (600_000, 900_000)}
        rows = [late, early, {n: (0, 500_000) for n in range(3)}]
        found = self.counts("ncclDevKernel_SendRecv", "collective-permute.4", rows)
        self.assertEqual(found, (1, 2, 2, 0))

    def test_of_some_nothing_can_be_told(self):
        rows = [{0: (0, 500_000), 2: (600_000, 900_000)}] * 3
        pair = [self.bounds[0], self.bounds[2]]
        for kernel, op, module, reason in (
                ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "ncclDevKernel_Reduce_Sum_f32_RING_LL", "",
                 "a kernel without an HLO instruction may serve each root in turn"),
                ("ncclDevKernel_SendRecv", "ncclDevKernel_SendRecv", "",
                 "a kernel without an HLO instruction may join a different pair of nodes each time"),
                ("ncclDevKernel_SendRecv", "send.4", "", "it is not known which recv belongs to which send"),
                ("collective-permute.4", "collective-permute.4", "jit_a",
                 "the event says when the operation was issued, not when its data arrived")):
            found = self.found(kernel, op, rows, module=module, all_clocks=pair)
            with self.subTest(op=op, kernel=kernel):
                self.assertEqual([o["unjudged_reason"] for o in found["ops"]], [reason])
                self.assertEqual((found["violations"], found["violations_raw"], found["unjudged"]), (0, 3, 3))

    def test_what_an_operation_is(self):
        """By its instruction, or by its kernel where it has none."""
        pair = [self.bounds[0], self.bounds[2]]
        rows = [{0: (0, 500_000), 2: (0, 500_000)}]
        for name, kind in (("all-reduce.1", "barrier"), ("all-gather.2", "barrier"), ("reduce-scatter.3", "barrier"),
                           ("all-to-all.4", "barrier"), ("collective-broadcast.5", "from_one"),
                           ("collective-permute.6", "point_to_point"), ("send.7", "point_to_point"),
                           ("recv.8", "point_to_point"), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "barrier"),
                           ("ncclDevKernel_AllGather_RING_LL", "barrier"), ("ncclDevKernel_ReduceScatter_Sum_f32", "barrier"),
                           ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "to_one"), ("ncclDevKernel_Broadcast_RING_LL", "from_one"),
                           ("ncclDevKernel_SendRecv", "point_to_point")):
            kernel = name if name.startswith("nccl") else KERNEL
            found = self.found(kernel, name, rows, module="" if name.startswith("nccl") else "jit_a", all_clocks=pair)
            self.assertEqual([o["semantics"] for o in found["ops"]], [kind], name)

    def test_an_instruction_of_another_name(self):
        """Its program tells what it does; without one the kernel does."""
        array = hlo.shape(hlo.F32, [4])
        program = proto.Plane("/host:metadata", 1_000_000)
        program.event_metadata("jit_a(7)", stats=[("Hlo Proto", hlo.module("jit_a", 7, hlo.computation(
            1, "main", hlo.instruction(1, "psum.7", "all-reduce", array), hlo.instruction(2, "mine.1", "fusion", array),
            hlo.instruction(3, "ppermute.3", "collective-permute", array),
            hlo.instruction(4, "ppermute.4", "collective-permute-start", array))))])
        pair = [self.bounds[0], self.bounds[2]]
        backwards = {0: (0, 500_000), 2: (600_000, 900_000)}
        rows = [backwards, backwards, backwards, {0: (0, 9), 2: (0, 9)}, {0: (700_000, 900_000), 2: (0, 690_000)}]
        for programs, kernel, op, expected in (
                ([program], "ncclDevKernel_SendRecv", "ppermute.3", ("point_to_point", 1, 4, 0)),
                ([program], "ncclDevKernel_SendRecv", "ppermute.4", ("point_to_point", 1, 4, 0)),
                ([program], "my_kernel", "psum.7", ("barrier", 4, 4, 0)),
                ([], "ncclDevKernel_SendRecv", "ppermute.3", ("point_to_point", 0, 4, 5)),
                ([], "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "psum.7", ("barrier", 4, 4, 0))):
            found = self.found(kernel, op, rows, all_clocks=pair, programs=programs)
            with self.subTest(op=op, kernel=kernel, programs=len(programs)):
                self.assertEqual([(o["name"], o["semantics"]) for o in found["ops"]], [(op, expected[0])])
                self.assertEqual((found["violations"], found["violations_raw"], found["unjudged"]), expected[1:])
        # The program says that it is no collective, and so does the name of the kernel.
        found = self.found("my_kernel", "mine.1", rows, all_clocks=pair, programs=[program])
        self.assertEqual(found["status"], "absent")

    def test_of_many_members_no_pairs_are_sought(self):
        """Every two of 512 nodes are compared; of one more, none."""
        for nodes, unjudged, why in (
                (512, 1, "the trace does not say which node receives from which, and at least one pairing fits"),
                (513, 2, "more than 512 members: not every pair is compared")):
            many = [Clock(n, f"host{n}", [(0, 90 * US, 1_000, 9, 0)]) for n in range(nodes)]
            late = {n: (600_000, 900_000) if n == 1 else (0, 500_000) for n in range(nodes)}
            early = {n: (0, 500_000) if n == 1 else (600_000, 900_000) for n in range(nodes)}
            found = self.found("ncclDevKernel_SendRecv", "collective-permute.4", [late, early], all_clocks=many)
            self.assertEqual((found["unjudged"], found["ops"][0]["unjudged_reason"]), (unjudged, why), nodes)

    def test_whether_snapshots_and_collectives_agree(self):
        """Corrected clocks agree where the interval reaches into what both may be wrong, 1,000 + 3,000 ps here."""
        pair = [self.bounds[0], self.bounds[2]]
        for late, agrees in ((-3_900, True), (-4_100, False)):  # node 2 ends so much before node 0 begins
            rows = [{0: (500_000, 500_400), 2: (490_000, 500_000 + late)}]
            space = trace([Call("all-reduce.1", "jit_a", 0, n, 0, *at, 0) for n, at in rows[0].items()], pair)
            path = self.write("agree.xplane.pb", space)
            told = truth.parsed(truth.run("validate", path, "--align", "collectives", "--json"))["alignment"]["nodes"][
                1
            ]
            self.assertEqual((told["snapshot_offset_ps"], told["agrees_with_snapshots"]), (0, agrees), late)
            rows = [{0: (490_000, 500_000 + late), 2: (500_000, 500_400)}]
            space = trace([Call("all-reduce.1", "jit_a", 0, n, 0, *at, 0) for n, at in rows[0].items()], pair)
            path = self.write("agree.xplane.pb", space)
            told = truth.parsed(truth.run("validate", path, "--align", "collectives", "--json"))["alignment"]["nodes"][
                1
            ]
            self.assertEqual(told["agrees_with_snapshots"], agrees, late)
            screen = truth.run("validate", path, "--align", "collectives")
            self.assertEqual("disagrees with the snapshots" in screen, not agrees, late)


# ---- process groups of PyTorch ----

class Ranks(truth.Case):
    """Four ranks: two groups of two, one of everyone, and one of which nobody knows the members."""

    def rank(self, rank, rows):
        events = [{"ph": "X",
    "cat": "kernel",
    "name": "ncclDevKernel_X",
    "pid": 0,
    "tid": 7,
    "ts": start,
    "dur": end - start,
    "args": {"device": 0,
    "stream": 7,
    "Collective name": name,
    "Group size": size,
    "Process Group Name": group,
    **({"Process Group Ranks": ranks} if ranks else {})}} for name,
    group,
    ranks,
    size,
    start,
     end in rows]
        return self.write(f"rank{rank}.json", json.dumps({
            "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
            "baseTimeNanoseconds": ZERO_NS, "traceEvents": events}))

    def test_groups(self):
        paths, late = [], {0: 0, 1: 0, 2: 300, 3: 300}
        for rank in range(4):
            half = "[0, 1]" if rank < 2 else "[2, 3]"
            own = 100 if rank == 3 else 0
            paths.append(self.rank(rank, [
                ("allreduce", "dp", half, 2, 1000 + late[rank] + own, 1100 + late[rank]),
                ("allreduce", "dp", half, 2, 2000 + late[rank] + own + 1, 2100 + late[rank] + (50 if rank == 3 else 0)),
                ("_allgather_base", "world", "[0, 1, 2, 3]", 4, 3000 + rank, 3100),
                ("allreduce", "tp", "", 2, 4000, 4100), ("broadcast", "dp", half, 2, 5000, 5100)]))
        found = truth.parsed(truth.run("validate", *paths, "--bound", "1us", "--json"))
        rows = [(o["name"], o["process_group"], o["groups"], o["violations"], o["violations_raw"], o["unjudged"],
                 o["mean_arrival_skew_ps"], o["most_arrival_skew_ps"], o["latest_node"]) for o in found["ops"]]
        self.assertEqual(rows, [
            ("_allgather_base", "", 1, 0, 0, 0, 3 * US, 3 * US, "3"),
            ("allreduce", "dp [0, 1]", 2, 0, 0, 0, 0, 0, None),
            # 100 us late: as the other ends, which is no violation of 1 us each; and
            # 1 us later, which is none either.
            ("allreduce", "dp [2, 3]", 2, 0, 2, 0, 100 * US, 100 * US, "3"),
            ("allreduce", "", 0, 0, 0, 4, 0, 0, None),
            # It is known who called it together, and not who sent it.
            ("broadcast", "dp [0, 1]", 1, 0, 0, 1, 0, 0, None), ("broadcast", "dp [2, 3]", 1, 0, 0, 1, 0, 0, None)])
        self.assertEqual((found["violations"], found["unjudged"], found["gap_count"]), (0, 6, 7))
        screen = truth.run("validate", *paths, "--bound", "1us")
        self.assertIn("not judged: 4 executions of allreduce: sub-groups", " ".join(screen.split()))
        self.assertIn("not judged: 2 of broadcast and 1 more operation: the trace does not say who is the root",
                      " ".join(screen.split()))
        found = truth.parsed(truth.run("validate", *paths, "--bound", "499ns", "--json"))
        self.assertEqual((found["violations"], [d["gap_ps"] for d in found["details"]]), (1, [US, 0]))
        self.assertEqual([[m["node"] for m in d["members"]] for d in found["details"]], [["2", "3"]] * 2)
        self.assertEqual([n["id"] for n in found["nodes"]], ["0", "1", "2", "3"])


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
