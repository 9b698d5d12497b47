"""What a compiler assigned: two programs, several memory spaces, replayed by hand."""
import sys

import arrow
import proto_writer as proto
import truth

PARAMETER, CONSTANT, RESULT, THREAD_LOCAL, TUPLE, ALIASED = 1, 2, 4, 8, 16, 32
SPACES = {0: "device memory", 1: "VMEM", 5: "Host"}  # nothing tells what the programs run on
BACK_TO_BACK = (
    "Walks the entry computation alone and counts buffers of the temp pool from their definition to their last "
    "use there; buffers that share addresses count once. Buffers defined in loop bodies, branches and calls are "
    "counted in n_subcomputation_lbs_skipped and are part of alive_at_peak, which comes from the compiler's heap "
    "simulation.")
ALWAYS = (
    "Bytes of the temp pool at addresses that one logical buffer alone ever uses. They need not be in use all the time: "
    "what nothing can remove is residency_floor_bytes.")


class Op:
    """An instruction. `shape`: (as text, elements of its only dimension)."""

    def __init__(self, key, name, opcode, operands=(), op_name="", size=100, called=(), source=None, index=0):
        self.key, self.name, self.opcode, self.operands, self.op_name = key, name, opcode, operands, op_name
        self.size, self.called, self.source, self.index = size, called, source, index
        self.computation = ""

    def bytes(self):
        shape = proto.number(2, 11) + proto.packed(3, [self.size]) + proto.text(5, proto.packed(1, [0]))
        if self.opcode == "tuple":
            element = proto.number(2, 11) + proto.packed(3, [self.size])
            shape = proto.number(2, 13) + b"".join(proto.text(4, element) for _ in self.operands)
        out = proto.text(1, self.name) + proto.text(2, self.opcode) + proto.text(3, shape)
        if self.op_name or self.source:
            about = proto.text(2, self.op_name)
            if self.source:
                about += proto.text(3, self.source[0]) + proto.number(4, self.source[1])
            out += proto.text(7, about)
        if self.opcode == "get-tuple-element":
            out += proto.number(13, self.index)
        return out + proto.number(35, self.key) + proto.packed(36, self.operands) + proto.packed(38, self.called)


class Buffer:
    def __init__(self, key, size, op, color=0, index=()):
        self.key, self.size, self.op, self.color, self.index = key, size, op, color, list(index)
        self.place = None  # (allocation, offset, bytes)


class Allocation:
    def __init__(self, index, size, flags, color, assigned=(), parameter=0, parameter_index=()):
        self.index, self.size, self.flags, self.color, self.assigned, self.parameter = (
            index, size, flags, color, assigned, parameter)
        self.parameter_index = list(parameter_index)  # which part of the parameter

    @property
    def temporary(self):
        return not self.flags & (PARAMETER | CONSTANT | RESULT | THREAD_LOCAL)


class Program:
    def __init__(self, name, key, computations, entry, schedule, buffers, allocations, traces):
        self.name, self.key, self.entry, self.schedule, self.traces = name, key, entry, schedule, traces
        self.computations, self.allocations = computations, allocations
        self.buffers = {b.key: b for b in buffers}
        self.ops, self.roots = {}, {}
        for number, (called, ops, root) in computations.items():
            self.roots[number] = root
            for op in ops:
                op.computation = called
                self.ops[op.key] = op
        for a in allocations:
            for key, offset, size in a.assigned:
                self.buffers[key].place = (a, offset, size)

    def bytes(self):
        out = proto.text(1, self.name)
        for number, (name, ops, root) in self.computations.items():
            out += proto.text(3, proto.text(1, name) + b"".join(proto.text(2, o.bytes()) for o in ops) +
                              proto.number(5, number) + proto.number(6, root))
        out += proto.number(5, self.key) + proto.number(6, self.entry)
        if self.schedule:
            out += proto.text(7, b"".join(proto.text(1, proto.number(1, c) + proto.text(2, proto.packed(1, ids)))
                                          for c, ids in self.schedule.items()))
        assigned = b""
        for b in self.buffers.values():
            at = proto.packed(3, b.index) + proto.number(4, b.op)
            assigned += proto.text(1, proto.number(1, b.key) + proto.number(2, b.size) + proto.text(3, at) +
                                   proto.number(4, b.color))
        for a in self.allocations:
            row = proto.number(1, a.index) + proto.number(2, a.size) + proto.number(8, a.color)
            for flag, field in ((THREAD_LOCAL, 3), (PARAMETER, 5), (RESULT, 7),
                                (TUPLE, 11), (CONSTANT, 12), (ALIASED, 13)):
                row += proto.number(field, 1) if a.flags & flag else b""
            row += proto.number(6, a.parameter) + proto.packed(10, a.parameter_index) if a.flags & PARAMETER else b""
            row += b"".join(proto.text(9, b"".join(proto.number(i + 1, v)
                            for i, v in enumerate(p))) for p in a.assigned)
            assigned += proto.text(3, row)
        for trace in self.traces:
            events = b""
            for kind, key, other, where in trace:
                event = proto.number(1, "afs".index(kind)) + proto.number(2, key)
                event += proto.text(3, self.ops_named(where).computation) + proto.text(4, where)
                events += proto.text(1, event + (proto.number(5, other) if kind == "s" else b""))
            assigned += proto.text(4, events + proto.number(3, 99))
        return proto.text(1, out) + proto.text(3, assigned)

    def ops_named(self, name):
        return next(o for o in self.ops.values() if o.name == name)


class TwoSchedules(dict):
    """A schedule that has other orders of the same computations ahead of its own. It is a map of protobuf: the last entry counts."""

    def __init__(self, earlier, last):
        super().__init__(last)
        self.earlier = earlier

    def items(self):
        return [*self.earlier.items(), *super().items()]


def step():
    """A program with a heap simulation of space 0, none of space 1, and no temporary memory in space 5."""
    entry = [Op(10, "p0", "parameter"), Op(11, "p1", "parameter", op_name="x[\"w\"]"), Op(12, "c", "constant", size=4),
             Op(13, "dot.1", "dot", (10, 11), "jit_step/dot", source=("/src/model.py", 12)),
             Op(14, "while.2", "while", (13,), "jit_step/while", called=(2,)),
             Op(15, "add.3", "add", (14, 12), "jit_step/größe", source=("model.py", 40)),
             Op(16, "copy.4", "copy", (15,)), Op(18, "neg.5", "negate", (13,), "jit_step/dot"),
             Op(17, "tuple.9", "tuple", (16, 18))]
    body = [Op(20, "arg", "parameter"), Op(21, "mul.6", "multiply", (20,), "jit_step/while/mul"),
            Op(22, "pair", "tuple", (21, 20)), Op(23, "first", "get-tuple-element", (22,), index=0),
            Op(24, "exp.7", "exponential", (23,))]
    buffers = [
        Buffer(1, 400, 10),
        Buffer(2, 400, 11),
        Buffer(3, 16, 12),
        Buffer(4, 400, 13),
        Buffer(5, 400, 15),
        Buffer(6, 400, 16),
        Buffer(7, 200, 21),
        Buffer(8, 100, 14),
        Buffer(9, 300, 13, 1),
        Buffer(10, 300, 15, 1),
        Buffer(11, 100, 21, 1),
        Buffer(12, 24, 17),
        Buffer(13, 400, 18),
        Buffer(14, 8, 20),
        Buffer(15, 40, 24, 1),
        Buffer(16, 64, 24),
    ]
    allocations = [
        Allocation(0, 400, PARAMETER, 0, [(1, 0, 400)], 0), Allocation(1, 400, PARAMETER, 0, [(2, 0, 400)], 1),
        Allocation(2, 16, CONSTANT, 0, [(3, 0, 16)]), Allocation(3, 400, RESULT, 0, [(6, 0, 400)]),
        Allocation(4, 64, THREAD_LOCAL, 0, [(14, 0, 8)]),
        Allocation(5, 1000, 0, 0, [(4, 0, 400), (5, 400, 400), (7, 400, 200), (8, 800, 100), (16, 0, 64)]),
        Allocation(6, 50, 0, 0, []), Allocation(7, 700, 0, 1, [(9, 0, 300), (10, 200, 300), (11, 500, 100), (15, 560, 40)]),
        Allocation(8, 77, PARAMETER, 5, [], 2), Allocation(9, 24, RESULT | TUPLE, 0, [(12, 0, 24)]),
        Allocation(10, 400, RESULT, 0, [(13, 0, 400)])]
    # Two equal peaks, of which the first counts; 5 takes over 8's memory after it is freed.
    trace = [("a", 8, 0, "while.2"), ("a", 4, 0, "dot.1"), ("a", 7, 0, "mul.6"), ("f", 7, 0, "while.2"), ("a", 7, 0, "exp.7"),
             ("f", 7, 0, "while.2"), ("f", 4, 0, "neg.5"), ("s", 5, 8, "add.3"), ("f", 8, 0, "add.3"), ("a", 16, 0, "exp.7"),
             ("f", 16, 0, "exp.7"), ("a", 4, 0, "dot.1"), ("f", 4, 0, "neg.5"), ("a", 16, 0, "exp.7")]
    return Program("jit_step", 7, {1: ("main", entry, 17), 2: ("body", body, 24)}, 1, {
                   1: [10, 11, 12, 13, 14, 15, 16, 18, 17], 2: [20, 21, 22, 23, 24]}, buffers, allocations, [[], trace])


def swept():
    """No simulation: lifetimes from the schedule, through tuples, copies that are started and ended, branches and the
    result. Two pools of one size, of which the first counts."""
    entry = [Op(1, "p", "parameter"), Op(2, "pair.1", "dot", (1,), source=("own.py", 3)), Op(3, "neg.2", "negate", (1,)),
             Op(4, "both", "tuple", (2, 3)), Op(5, "second", "get-tuple-element", (4,), index=1),
             Op(6, "start", "copy-start", (3,)), Op(7, "idle.1", "add", (1,)), Op(8, "done", "copy-done", (6,)),
             Op(9, "choose", "conditional", (8,), called=(2, 3)), Op(10, "idle.2", "add", (1,)),
             Op(11, "use", "exponential", (5,)), Op(12, "late", "copy", (8,)), Op(13, "kept", "copy", (1,)),
             Op(15, "idle.3", "add", (1,)), Op(14, "out", "tuple", (13, 13))]
    yes, no = [Op(20, "yes", "add")], [Op(30, "no", "add")]
    buffers = [Buffer(1, 100, 1), Buffer(2, 60, 2), Buffer(3, 50, 3), Buffer(4, 40, 6, 0, (0,)), Buffer(5, 30, 20),
               Buffer(6, 30, 30), Buffer(7, 25, 13), Buffer(8, 16, 14)]
    allocations = [Allocation(0, 100, PARAMETER, 0, [(1, 0, 100)]),
                   Allocation(1, 200, 0, 0, [(2, 0, 60), (3, 40, 50), (4, 90, 40), (7, 160, 25)]),
                   Allocation(2, 200, 0, 0, [(5, 0, 30), (6, 20, 30)]), Allocation(3, 16, RESULT | TUPLE, 0, [(8, 0, 16)])]
    return Program("jit_swept", 9, {1: ("main", entry, 14), 2: ("yes", yes, 20), 3: ("no", no, 30)}, 1,
                   {1: [o.key for o in entry], 2: [20], 3: [30]}, buffers, allocations, [])


def evaluate():
    """The same names in another program, which has neither simulation nor schedule."""
    entry = [Op(10, "p0", "parameter"), Op(13, "dot.1", "dot", (10,), "jit_eval/dot")]
    return Program("jit_eval", 8, {1: ("main", entry, 13)}, 1, {},
                   [Buffer(1, 400, 10), Buffer(4, 500, 13), Buffer(5, 300, 13)],
                   [Allocation(0, 400, PARAMETER | ALIASED, 0, [(1, 0, 400)], 0),
                    Allocation(1, 800, 0, 0, [(5, 0, 300), (4, 300, 500)]), Allocation(2, 90, 0, 1, [])], [])


# ---- the answer ----

def replay(program, trace):
    """Live bytes and holders behind each event."""
    top, users, live, states = {}, {}, 0, []

    def root(key):
        while key in top:
            key = top[key]
        return key

    for kind, key, other, _ in trace:
        if kind == "s":
            top[key] = root(other)
        at = root(key)
        before = users.get(at, 0)
        users[at] = before + (-1 if kind == "f" else 1)
        live += program.buffers[at].size * ((users[at] > 0) - (before > 0))
        states.append((live, sorted((k for k, n in users.items() if n > 0), key=list(program.buffers).index)))
    return states


def order_of(program, whole):
    """The instructions in the order in which they run; what is called runs where it is called."""
    out = []

    def run(computation):
        for key in program.schedule.get(computation, []):
            if whole:
                for called in program.ops[key].called:
                    run(called)
            out.append(key)

    run(program.entry)
    return out


def lifetime(program, order, buffer):
    """(first, last) position, or None."""
    if buffer.op not in order:
        return None
    first = last = order.index(buffer.op)
    todo = [(buffer.op, tuple(buffer.index))]
    while todo:
        key, index = todo.pop()
        if key == program.roots[program.entry]:
            last = len(order) - 1
        for user in (program.ops[k] for k in order):
            for place, operand in enumerate(user.operands):
                if operand != key:
                    continue
                if user.opcode == "tuple":
                    todo.append((user.key, (place, *index)))
                elif user.opcode == "get-tuple-element" and index:
                    if index[0] == user.index:
                        todo.append((user.key, index[1:]))
                elif user.opcode == "copy-done" and index:  # what it gives is what was started
                    last = max(last, order.index(user.key))
                    todo.append((user.key, index[1:]))
                else:
                    last = max(last, order.index(user.key))
    return first, last


def covered(ranges):
    return len(set().union(*(range(a, b) for a, b in ranges))) if ranges else 0


def sweep(program, order, buffers, base):
    """(bytes in use at each position, what has a lifetime)"""
    lives = [(b, lifetime(program, order, b)) for b in buffers]
    known = [(b, life) for b, life in lives if life]

    def place(b):
        start = base[b.place[0].index] + b.place[1]
        return start, start + b.place[2]

    return [covered([place(b) for b, (first, last) in known if first <= at <= last])
                    for at in range(len(order))], known


def first_most(values):
    return values.index(max(values))


class Space:
    def __init__(self, program, color):
        self.program, self.color = program, color
        own = [a for a in program.allocations if a.color == color]
        kept = [a for a in own if not a.flags & THREAD_LOCAL]
        self.temps = [a for a in kept if a.temporary]
        self.fixed = [a for a in kept if not a.temporary]
        self.thread_local = sum(a.size for a in own if a.flags & THREAD_LOCAL)
        self.total = sum(a.size for a in kept)
        self.temp = sum(a.size for a in self.temps)
        self.indefinite = sum(a.size for a in self.fixed if a.assigned)
        self.without = self.total - self.temp - self.indefinite
        self.pool = max(self.temps, key=lambda a: a.size, default=None)
        self.peak_at, self.peak_op, self.events, self.outside = None, None, 0, 0
        self.temp_peak = self.floor = self.fragmentation = 0
        self.method, self.bound, self.reason, self.curve, self.alive = (
            "none", "exact", "there is no temporary memory", [], [])
        trace = self.trace_of_temps()
        if trace:
            self.use_trace(trace)
        elif self.temps and program.schedule:
            self.use_schedule()
        elif self.temps:
            self.method, self.bound, self.temp_peak = "allocation_sizes", "upper", self.temp
            self.reason = "the module has neither heap simulation nor schedule: temporary allocations count in full"
            self.alive = [(a, self.largest(a), a.size) for a in self.temps]
        self.peak = self.indefinite + self.temp_peak

    def trace_of_temps(self):
        """The simulation that begins in a temporary allocation; if there is none, the one with most events of the space."""
        traces, buffers = [t for t in self.program.traces if t], self.program.buffers
        for a in self.temps:
            own = [t for t in traces if buffers[t[0][1]].place[0] is a]
            if own:
                return own[-1]
        counted = [sum(buffers[e[1]].color == self.color for e in t) for t in traces]
        return traces[first_most(counted)] if any(counted) else None

    def largest(self, allocation):
        """The buffer that an allocation is mainly for; of equal ones the first of the list of buffers."""
        buffers = [b for b in self.program.buffers.values() if b.place and b.place[0] is allocation]
        return max(buffers, key=lambda b: b.size, default=None)

    def use_trace(self, trace):
        states = replay(self.program, trace)
        self.method, self.reason = "heap_replay", "the compiler's own simulation, event by event"
        self.curve = [live for live, _ in states]
        self.events, self.peak_at, self.temp_peak, self.floor = len(
            trace), first_most(self.curve), max(self.curve), min(self.curve)
        self.peak_op = self.program.ops_named(trace[self.peak_at][3])
        touched = {self.program.buffers[k].place[0].index for _, k, _, _ in trace}
        self.outside = sum(a.size for a in self.temps if a.index not in touched)
        self.fragmentation = self.temp - self.outside - self.temp_peak
        if self.outside:
            self.bound, self.reason = "lower", f"temporary allocations of {self.outside} B have no heap simulation"
        buffers = [self.program.buffers[k] for k in states[self.peak_at][1]]
        self.alive = [(b.place[0], b, b.size) for b in buffers]

    def use_schedule(self):
        order = order_of(self.program, True)
        base, at = {}, 0
        for a in self.temps:
            base[a.index], at = at, at + a.size
        buffers = [b for b in self.program.buffers.values() if b.place and b.place[0] in self.temps]
        self.curve, known = sweep(self.program, order, buffers, base)
        self.method, self.bound = "schedule_sweep", "lower"
        self.reason = "the module has no heap simulation; lifetimes come from the schedule and may be longer"
        self.peak_at, self.temp_peak, self.floor = first_most(self.curve), max(self.curve), min(self.curve)
        self.peak_op = self.program.ops[order[self.peak_at]]
        self.outside = sum(a.size for a in self.temps if not a.assigned)
        self.fragmentation = self.temp - self.outside - self.temp_peak
        taken = set()
        alive = [b for b, (first, last) in known if first <= self.peak_at <= last]
        for b in sorted(alive, key=lambda b: -b.place[2]):  # of what shares addresses the largest owns them
            start = base[b.place[0].index] + b.place[1]
            own = set(range(start, start + b.place[2])) - taken
            taken |= own
            self.alive.append((b.place[0], b, len(own)))

    def coverage(self):
        text = "Counts parameters, constants and results for the whole program" + {
            "none": "; there is no temporary memory", "heap_replay": " and temporary buffers while the heap simulation holds them",
            "schedule_sweep": " and temporary buffers from definition to last known use",
            "allocation_sizes": " and every temporary allocation in full"}[self.method]
        text += "" if self.method == "none" else ", those of loops, branches and calls included"
        left_out = [f"{what} ({size} B)" for what, size in (
            ("thread-local allocations", self.thread_local), ("temporary allocations without a lifetime", self.outside),
            ("parameters, constants and results without a buffer", self.without)) if size]
        return text + (". Leaves out " + ", ".join(left_out) if left_out else "") + "."

    def row(self):
        def of(flag, but=0):
            return sum(a.size for a in self.fixed if a.flags & flag and not a.flags & but)

        return {"color": self.color,
    "name": SPACES[self.color],
    "total_bytes": self.total,
    "peak_bytes": self.peak,
    "peak_event": self.peak_at,
    "peak_instruction": self.peak_op.name if self.peak_op else "",
    "peak_computation": self.peak_op.computation if self.peak_op else "",
    "indefinite_bytes": self.indefinite,
    "entry_params_bytes": of(PARAMETER),
    "constants_bytes": of(CONSTANT,
    PARAMETER),
    "live_out_bytes": of(RESULT,
    PARAMETER | CONSTANT),
    "temp_bytes": self.temp,
    "temp_peak_bytes": self.temp_peak,
    "temp_outside_bytes": self.outside,
    "thread_local_bytes": self.thread_local,
    "fragmentation_bytes": self.fragmentation,
    "residency_floor_bytes": self.indefinite + self.floor,
    "temp_floor_bytes": self.floor,
    "memory_viewer_peak_bytes": self.indefinite + (self.temp_peak if self.method == "heap_replay" else 0),
    "method": self.method,
    "bound": self.bound,
    "bound_reason": self.reason,
    "coverage": self.coverage(),
    "trace_events": self.events,
     "trace_events_ignored": 0}

    def alive_rows(self, top):
        items = [(a, self.largest(a), a.size, "indefinite")
                  for a in self.program.allocations if a in self.fixed and a.assigned]
        items += [(*item, "temp") for item in self.alive]
        items.sort(key=lambda i: -i[2])
        return [self.buffer_row(a, b, size, kind, i < top) for i, (a, b, size, kind) in enumerate(items)]

    def buffer_row(self, a, b, size, kind, in_full):
        op = self.program.ops[b.op] if b else None
        return {
            "logical_buffer_id": b.key if b else -1,
            "size_bytes": size,
            "allocation_index": a.index,
            "offset_in_allocation": b.place[1] if b else 0,
            "instruction_id": op.key if op else 0,
            "instruction_name": op.name if op else "",
            "opcode": op.opcode if op else "",
            "op_name": op.op_name if op else "",
            "shape_index": b.index if b else [],
            "class": kind,
            "computation": op.computation if op else "",
            "shape": shape_of(op) if op and in_full and not (b.index and op.opcode != "tuple") else "",
            "source_file": op.source[0] if op and op.source and in_full else "",
            "source_line": op.source[1] if op and op.source and in_full else 0,
        }


def shape_of(op):
    if op.opcode == "tuple":
        return "(" + ", ".join(f"f32[{op.size}]" for _ in op.operands) + ")"
    return f"f32[{op.size}]{{0}}"


def share(part, total):
    return 100.0 * part / total if total else 0.0


def rollup(rows, key, total, top):
    sums = {}
    for r in rows:
        sums[r[key] or f"<no {key}>"] = sums.get(r[key] or f"<no {key}>", 0) + r["size_bytes"]
    ordered = sorted(sums.items(), key=lambda kv: -kv[1])
    out = [{"key": k, "total_bytes": v, "pct": share(v, total)} for k, v in ordered[:top]]
    if ordered[top:]:
        rest = sum(v for _, v in ordered[top:])
        out.append({"key": "<other>", "total_bytes": rest, "n_keys": len(ordered) - top, "pct": share(rest, total)})
    return out


def rollups(rows, total, top):
    return {"by_opcode": rollup(rows, "opcode", total, top), "by_op_name": rollup(rows, "op_name", total, top)}


class Answer:
    def __init__(self, programs, paths, folder, chosen, color=0, top=30, curve=None):
        self.programs, self.paths, self.folder = programs, paths, folder
        self.chosen, self.color, self.top, self.curve = chosen, color, top, curve
        self.spaces = [{c: Space(p, c) for c in sorted({a.color for a in p.allocations})} for p in programs]

    def document(self, selection, what_if=(), fit=None, broken=(), summary=(), findings=()):
        program, space = self.programs[self.chosen], self.spaces[self.chosen][self.color]
        path = str(self.paths[self.chosen])
        order = sorted(range(len(self.programs)), key=lambda i: -self.spaces[i][0].peak)
        return {
            "schema": "profkit.memory", "version": 2, "status": "ok", "reason": None, "skill": "memory-profile",
            "inputs": {"profile_dir": str(self.folder), "xplane_pb": None, "hlo_proto_pb": path},
            "primary_source": "hlo_buffer_assignment", "hlo": self.hlo(program, space, path, selection, what_if),
            "hlo_absent_reason": None, "runtime": None, "runtime_diagnostics": None, "runtime_absent_reason": "no_xplane_pb",
            "consistency_warnings": [f["what"] for f in findings if f["id"].startswith("memory.invariant.")],
            "modules": [self.module(i) for i in order], "allocators": [],
            "invariants": self.invariants(space, dict(broken)), "fit": fit, "summary": list(summary), "findings": list(findings),
            "files": [{"path": str(p), "family": "hlo_proto", "export_of": -1} for p in sorted(self.paths)],
            "events_checked": "all", "damage": []}

    def module(self, i):
        p, path = self.programs[i], self.paths[i]
        file = sorted(self.paths).index(path)
        name = path.name[:-len(".hlo_proto.pb")]
        return {"name": p.name,
    "program_id": "7001" if i == 0 else str(p.key),
    "label": f"{p.name}({7001 if i == 0 else p.key})",
    "module_id": str(p.key),
    "source": str(path),
    "sources": [{"file": file,
    "path": str(path),
    "host": "",
    "kind": "hlo_proto",
    "entry": name,
    "same_bytes": True}],
    "differs_from": None,
    "has_buffer_assignment": True,
    "n_logical_buffers": len(p.buffers),
    "n_buffer_allocations": len(p.allocations),
    "all_allocations_bytes": sum(a.size for a in p.allocations),
    "spaces": [s.row() for s in self.spaces[i].values()],
    "problems": [{"id": "hlo.allocation_index_out_of_range",
    "count": 1,
    "what": "a heap trace names buffer allocation 99, which does not exist: the buffers in the trace "
    "say which it is"}] if p.traces else [],
     "damage": None}

    def entry_sweep(self, program, space):
        order = order_of(program, False)
        out = {
            "schedule_present": bool(order),
            "entry_schedule_length": len(order),
            "peak_schedule_pos": 0,
            "peak_instruction": {"id": 0, "name": "", "opcode": "", "op_name": ""},
            "peak_alive_bytes_entry_level": 0,
            "n_subcomputation_lbs_skipped": 0,
            "scope_note": BACK_TO_BACK,
        }
        if not space.pool:
            return out
        buffers = [b for b in program.buffers.values() if b.place and b.place[0] is space.pool]
        bytes_at, known = sweep(program, order, buffers, {space.pool.index: 0})
        out["n_subcomputation_lbs_skipped"] = len(buffers) - len(known)
        if order:
            at = first_most(bytes_at)
            op = program.ops[order[at]]
            out.update(peak_schedule_pos=at, peak_alive_bytes_entry_level=bytes_at[at],
                       peak_instruction={"id": op.key, "name": op.name, "opcode": op.opcode, "op_name": op.op_name})
        return out

    def lone_owners(self, program, space):
        owned = {}
        for at in range(space.pool.size if space.pool else 0):
            owners = [b.key for b in program.buffers.values()
                      if b.place and b.place[0] is space.pool and b.place[1] <= at < b.place[1] + b.place[2]]
            if len(owners) == 1:
                owned[owners[0]] = owned.get(owners[0], 0) + 1
        rows = sorted(owned.items(), key=lambda kv: -kv[1])
        return [space.buffer_row(space.pool, program.buffers[k], size, "temp", i < self.top)
                                 for i, (k, size) in enumerate(rows)]

    def hlo(self, program, space, path, selection, what_if):
        alive, lone = space.alive_rows(self.top), self.lone_owners(program, space)
        total, lone_total = sum(r["size_bytes"] for r in alive), sum(r["size_bytes"] for r in lone)
        pool = space.pool.size if space.pool else 0
        facts = space.row()
        module = self.module(self.chosen)
        largest = sorted(program.allocations, key=lambda a: -a.size)[:15]
        donated = self.donated(program)
        curve = None
        if self.curve:
            curve = {"n_events": len(space.curve), "every_extremum": True, "points": [
                {"event": i, "live_bytes": space.indefinite + space.curve[i]} for i in self.curve]}
        return {
            "hlo_proto_path": path, "module_name": program.name, "module": module["label"], "program_id": module["program_id"],
            "selection": selection, "memory_space": self.color, "static_peak_bytes": space.total,
            "thread_local_excluded_bytes": space.thread_local,
            "all_allocations_bytes": sum(a.size for a in program.allocations),
            "decomposition": {"entry_params_bytes": facts["entry_params_bytes"], "constants_bytes": facts["constants_bytes"],
                              "thread_local_bytes": 0, "temp_pool_bytes": pool,
                              "temp_pool_alloc_index": space.pool.index if space.pool else -1,
                              "other_bytes": facts["live_out_bytes"] + space.temp - pool},
            "n_logical_buffers": len(program.buffers), "n_buffer_allocations": len(program.allocations),
            "schedule_sweep": self.entry_sweep(program, space),
            "alive_at_peak": {"n_buffers": len(alive), "total_bytes": total, "buffers": alive[:self.top],
                              "tail": {"n_buffers": len(alive[self.top:]),
                                       "total_bytes": sum(r["size_bytes"] for r in alive[self.top:])},
                              "rollups": rollups(alive, total, self.top)},
            "always_alive": {"total_bytes": lone_total, "pct_of_temp_pool": share(lone_total, pool),
                             "buffers": lone[:self.top], "rollups": rollups(lone, lone_total, self.top), "definition": ALWAYS},
            "residency_floor": {"total_bytes": facts["residency_floor_bytes"], "indefinite_bytes": space.indefinite,
                                "temp_bytes": space.floor,
                                "definition": "The least value of the live curve over the schedule: bytes in use at every moment."},
            "top_allocations": [{"index": a.index, "size_bytes": a.size, "n_assigned_lbs": len(a.assigned), "color": a.color,
                                 "flags": [f"entry_param[{a.parameter}]"] * bool(a.flags & PARAMETER) +
                                 ["const"] * bool(a.flags & CONSTANT) + ["thread_local"] * bool(a.flags & THREAD_LOCAL) +
                                 ["tuple"] * bool(a.flags & TUPLE) + ["live_out"] * bool(a.flags & RESULT)} for a in largest],
            "donation_candidates": {"n_parameters": len(donated), "saved_bytes": sum(d["saved_bytes"] for d in donated),
                                    "parameters": donated[:self.top]},
            "what_if": list(what_if), "curve": curve}

    def donated(self, program):
        """Parameters with the shape and size of a result, each result once, in the order of the file."""
        if self.color != 0 or program.name != "jit_step":
            return []
        return [{"parameter_number": 0, "parameter_shape_index": [], "parameter": "p0", "output": "copy.4",
                 "output_shape_index": [0], "shape": "f32[100]{0}", "saved_bytes": 400},
                {"parameter_number": 1, "parameter_shape_index": [], "parameter": "p1", "output": "neg.5",
                 "output_shape_index": [1], "shape": "f32[100]{0}", "saved_bytes": 400}]

    def invariants(self, space, broken):
        program = space.program
        alive = sum(r["size_bytes"] for r in space.alive_rows(0))
        lone = sum(r["size_bytes"] for r in self.lone_owners(program, space))
        pool = space.pool.size if space.pool else 0
        swept = self.entry_sweep(program, space)["peak_alive_bytes_entry_level"]
        out = []
        for name, left, right, note in (
                ("H1", space.total, space.total, "static peak = parameters + constants + thread-local + temp pool + other"),
                ("H2", swept, pool, "peak of the entry sweep <= temp pool"),
                ("H3", alive, space.peak, "buffers alive at the peak add up to the peak"),
                ("H4", lone, pool, "bytes with one owner <= temp pool"),
                ("H5", alive, alive, "each rollup adds up to what it rolls up")):
            out.append({"id": name, "holds": name not in broken, "left": left, "right": right, "note": note})
        out += [{"id": r, "holds": None, "left": 0, "right": 0, "note": "no runtime block"}
            for r in ("R1", "R2", "R2b", "R3", "R4")]
        out.append({"id": "C1", "holds": None, "left": 0, "right": 0,
                   "note": "compile time and run time are not both there"})
        return out


def human(n):
    tenths = (n * 10 + 512) // 1024
    return f"{n} B" if n < 1024 else f"{tenths // 10}.{tenths % 10} KiB"


def without(program, trace, name):
    """The greatest sum of a replay in which buffers of these instructions are there only at their first event and at the
    one before their last. Memory that is shared stays as long as another buffer holds it."""
    holds, begun, root = [], {}, {}
    for at, (kind, key, other, _) in enumerate(trace):
        if kind == "s":
            root[key] = root.get(other, other)
        if kind == "f":
            op = program.ops[program.buffers[key].op]
            since = begun.pop(key)
            there = set(range(since, at))
            if name in (op.name, op.op_name):
                there = {since, at - 1} | (there if at - since <= 2 else set())
            holds.append((root.get(key, key), there))
        else:
            begun[key] = at
    holds += [(root.get(key, key), range(since, len(trace))) for key, since in begun.items()]
    return max(sum(program.buffers[r].size for r in {r for r,
     there in holds if at in there}) for at in range(len(trace)))


CLAIM = "the peak cannot fall below after_bytes: the buffer counts only where it is made and where it is last used"
CLAIMS = {"remat": CLAIM + "; what it is recomputed from may have to live longer",
          "offload": CLAIM + "; a copy under way needs room on both sides"}
# Read against the numbers that Answer works out.
SCREEN = """\
jit_step(7001) needs 2.6 KiB of memory space 0 (device memory); its peak is at least 2.3 KiB at
mul.6.
Parameters 800 B, constants 16 B, results 824 B, temporary 1.0 KiB (300 B fragmentation).
No rematerialisation goes below 1.7 KiB.
Besides, it needs 700 B of memory space 1 (VMEM), 77 B of memory space 5 (Host).

Modules, highest peak in memory space 0 first: 2 modules
  module          space              total        peak  temporary    floor  peak at  method
  jit_step(7001)  0 device memory  2.6 KiB  >= 2.3 KiB    1.0 KiB  1.7 KiB  mul.6    heap_replay
                  1 VMEM             700 B    >= 500 B      700 B      0 B  add.3    schedule_sweep
                  5 Host              77 B         0 B        0 B      0 B           none
  jit_eval(8)     0 device memory  1.2 KiB  <= 1.2 KiB      800 B    400 B           allocation_sizes
                  1 VMEM              90 B     <= 90 B       90 B      0 B           allocation_sizes

jit_step(7001), memory space 0 device memory: 2.6 KiB
  [PPPPPPPPPPPPPPCRRRRRRRRRRRRRRRTTTTTTTTTTTTT.....]
  P  parameters     800 B  29.7 %
  C  constants       16 B   0.6 %
  R  results        824 B  30.6 %
  T  temporary      750 B  27.9 %
  .  fragmentation  300 B  11.2 %
  chosen: the module with the highest peak in memory space 0, of 2
  Counts parameters, constants and results for the whole program and temporary buffers while the
  heap simulation holds them, those of loops, branches and calls included. Leaves out thread-local
  allocations (64 B), temporary allocations without a lifetime (50 B).
  bound: lower, temporary allocations of 50 B have no heap simulation

Alive at the peak: 2.3 KiB in 9 buffers
  bytes   share  class       instruction  opcode     shape             op_name           source
  400 B  17.1 %  indefinite  p0           parameter  f32[100]{0}
  400 B  17.1 %  indefinite  p1           parameter  f32[100]{0}       x["w"]
  400 B  17.1 %  indefinite  copy.4       copy       f32[100]{0}
  400 B  17.1 %  indefinite  neg.5        negate     f32[100]{0}       jit_step/dot
  400 B  17.1 %  temp        dot.1        dot        f32[100]{0}       jit_step/dot      model.py:12
  200 B   8.5 %  temp        mul.6        multiply   f32[100]{0}       …_step/while/mul
  100 B   4.3 %  temp        while.2      while      f32[100]{0}       jit_step/while
   24 B   1.0 %  indefinite  tuple.9      tuple      (f32[100], f32[…
   16 B   0.7 %  indefinite  c            constant   f32[4]{0}

By opcode and by op_name
  bytes   share  buffers  opcode
  800 B  34.2 %        2  parameter
  400 B  17.1 %        1  copy
  400 B  17.1 %        1  negate
  400 B  17.1 %        1  dot
  200 B   8.5 %        1  multiply
  100 B   4.3 %        1  while
   24 B   1.0 %        1  tuple
   16 B   0.7 %        1  constant
  bytes   share  buffers  op_name
  840 B  35.9 %        4  <no op_name>
  800 B  34.2 %        2  jit_step/dot
  400 B  17.1 %        1  x["w"]
  200 B   8.5 %        1  jit_step/while/mul
  100 B   4.3 %        1  jit_step/while

What stays
  floor           1.7 KiB  in use at every moment; no rematerialisation goes below it
  lone owners     636 B  of the temp pool, at addresses that one buffer alone uses
  donation        800 B  in 2 parameters with the shape of a result:
                  400 B  parameter 0 p0 -> copy.4  f32[100]{0}
                  400 B  parameter 1 p1 -> neg.5  f32[100]{0}
  what if remat while.2: peak 2.3 KiB -> at least 2.2 KiB, at most 100 B saved (1 buffer, 100 B)
    the peak cannot fall below after_bytes: the buffer counts only where it is made and where it is
    last used; what it is recomputed from may have to live longer

Live curve: 14 points of 14, every extremum kept
  event     live
      0  1.7 KiB  #############################
      1  2.1 KiB  ####################################
      2  2.3 KiB  #######################################
      3  2.1 KiB  ####################################
      4  2.3 KiB  #######################################
      5  2.1 KiB  ####################################
      6  1.7 KiB  #############################
      7  1.7 KiB  #############################
      8  1.7 KiB  #############################
      9  1.8 KiB  ##############################
     10  1.7 KiB  #############################
     11  2.1 KiB  ####################################
     12  1.7 KiB  #############################
     13  1.8 KiB  ##############################

Run time
[absent] no XSpace file, so nothing is known of run time

Checks
  5 of 5 invariants hold

Findings
  - jit_step(7001): 2 parameters have the shape of a result and no donation: 800 B could be shared.
    Next: donate them (donate_argnums) where the caller does not need them again
  - 300 B of the temporary memory of jit_step(7001) is never used at once. Next: smaller or fewer
    long-lived temporaries pack better
"""


class MemoryHlo(truth.Case):
    def setUp(self):
        super().setUp()
        self.programs = [step(), evaluate()]
        self.folder = self.scratch / "run"
        self.paths = [self.write("run/jit_step(7001).hlo_proto.pb", self.programs[0].bytes()),
                      self.write("run/other.hlo_proto.pb", self.programs[1].bytes())]

    def ask(self, *arguments, status=0):
        return truth.parsed(truth.run("memory", self.folder, "--json", *arguments, status=status))

    def answer(self, chosen=0, **how):
        return Answer(self.programs, self.paths, self.folder, chosen, **how)

    def summary(self, chosen, color=0):
        """What the first lines say, and the findings."""
        program, spaces = self.programs[chosen], self.answer().spaces[chosen]
        space, label = spaces[color], f"{program.name}({7001 if chosen == 0 else program.key})"
        row = space.row()
        bound = {"exact": "", "lower": "at least ", "upper": "at most "}[space.bound]
        at = f" at {space.peak_op.name}" if space.peak_op else ""
        place = f"memory space {color} ({SPACES[color]})"
        lines = [
            f"{label} needs {human(space.total)} of {place}; its peak is {bound}{human(space.peak)}{at}.",
            f"Parameters {human(row['entry_params_bytes'])}, constants {human(row['constants_bytes'])}, results "
            f"{human(row['live_out_bytes'])}, temporary {human(space.temp)} ({human(space.fragmentation)} fragmentation).",
        ]
        if row["residency_floor_bytes"] * 100 >= space.peak - space.peak % 100:
            lines.append(f"No rematerialisation goes below {human(row['residency_floor_bytes'])}.")
        others = [f"{human(s.total)} of memory space {c} ({SPACES[c]})" for c,
                           s in spaces.items() if c != color and s.total]
        lines += [f"Besides, it needs {', '.join(others)}."] if others else []
        findings = []
        donated = sum(d["saved_bytes"] for d in self.answer(chosen, color=color).donated(program))
        if donated:
            findings.append({"id": "memory.donation", "certainty": "possible", "recoverable_bytes": donated,
                             "what": f"2 parameters have the shape of a result and no donation: {donated} B could be shared",
                             "where": label, "next": "donate them (donate_argnums) where the caller does not need them again"})
        if space.fragmentation * 10 > space.temp:
            findings.append({"id": "memory.fragmentation",
    "certainty": "proved",
    "recoverable_bytes": space.fragmentation,
    "what": f"{space.fragmentation} B of the temporary memory of {label} is never used at once",
    "where": label,
     "next": "smaller or fewer long-lived temporaries pack better"})
        return lines, findings

    def test_every_module_and_space(self):
        for chosen, color, arguments, selection in (
                (0, 0, [], "the module with the highest peak in memory space 0, of 2"),
                (0, 1, ["--space", "vmem"], "the module with the highest peak in memory space 1, of 2"),
                (0, 5, ["--space", "5"], "the module with the highest peak in memory space 5, of 2"),
                (0, 0, ["--module", "7001"], "asked for as '7001'"), (0, 0, ["--module", "7"], "asked for as '7'"),
                (1, 0, ["--module", "jit_eval"], "asked for as 'jit_eval'"), (1, 0, ["--module", "_ev"], "asked for as '_ev'"),
                (1, 1, ["--module", "jit_eval(8)", "--space", "1"], "asked for as 'jit_eval(8)'"),
                (0, 0, ["--module", "jit"], "asked for as 'jit'; of 2 modules that fit, the one with the highest peak")):
            with self.subTest(arguments=arguments):
                summary, findings = self.summary(chosen, color)
                self.check(self.ask(*arguments),
                           self.answer(chosen, color=color).document(selection, summary=summary, findings=findings))

    def test_lists_that_are_cut(self):
        for top in (0, 1, 2, 5):
            summary, findings = self.summary(0)
            expected = self.answer(0, top=top).document("the module with the highest peak in memory space 0, of 2",
                                                        summary=summary, findings=findings)
            hlo = self.answer(0).document("")["hlo"]
            lists = [("hlo.alive_at_peak.buffers", hlo["alive_at_peak"]), ("hlo.always_alive.buffers", hlo["always_alive"]),
                     ("hlo.donation_candidates.parameters", hlo["donation_candidates"])]
            cut = [(path, min(top, size), size) for path, size in ((p, len(of[p.split(".")[-1]])) for p, of in lists) if size > top]
            if cut:
                expected["limited"] = truth.limited(max(top, 1), *cut)
            self.check(self.ask("--top", str(top)), expected)

    def test_the_live_curve(self):
        for color, arguments, points in ((0, ["--curve", "20"], range(14)),
                                         (1, ["--curve", "20", "--space", "1"], range(14))):
            summary, findings = self.summary(0, color)
            expected = self.answer(0, color=color, curve=list(points)).document(
                f"the module with the highest peak in memory space {color}, of 2", summary=summary, findings=findings)
            self.check(self.ask(*arguments), expected)
        values = self.answer().spaces[0][0].curve
        turns = [i for i in range(14) if i in (0, 13) or values[i] != values[i - 1] and
                 (next(v for v in [*values[i:], None] if v != values[i]) is None or
                  (values[i] > values[i - 1]) != (next(v for v in values[i:] if v != values[i]) > values[i]))]
        found = self.ask("--curve", str(len(turns)))["hlo"]["curve"]
        self.assertEqual([p["event"] for p in found["points"]], turns)
        self.assertEqual((found["n_events"], found["every_extremum"]), (14, True))
        base = self.answer().spaces[0][0].indefinite
        self.assertEqual(len(self.ask("--curve", "14")["hlo"]["curve"]["points"]), 14)  # all of them
        for most in (2, 4):
            found = self.ask("--curve", str(most))["hlo"]["curve"]
            self.assertFalse(found["every_extremum"])
            chosen = []  # of each part of the turning points the least and the greatest, in order
            parts = most // 2
            for part in range(parts):
                own = turns[len(turns) * part // parts:len(turns) * (part + 1) // parts]
                low, high = min(own, key=lambda i: values[i]), max(own, key=lambda i: values[i])
                chosen += sorted({low, high})
            self.assertEqual([(p["event"], p["live_bytes"])
                             for p in found["points"]], [(i, base + values[i]) for i in chosen])

    def test_what_if(self):
        program, space = self.programs[0], self.answer().spaces[0][0]
        trace = program.traces[1]
        questions, expected = [], []
        for action, name in (("remat", "dot.1"), ("remat", "mul.6"), ("remat", "while.2"),
                             ("remat", "jit_step/while"), ("offload", "p0"), ("offload", "exp.7"), ("offload", "add.3")):
            buffers = [b for b in program.buffers.values() if name in (program.ops[b.op].name,
     program.ops[b.op].op_name) and b.place[0].color == 0 and b.place[0].temporary]
            after = space.indefinite + without(program, trace, name) if buffers else space.peak
            claim = (
                CLAIMS[action]
                if buffers
                else (
                    "no temporary buffer of this name lies in memory space 0: parameters, "
                    "constants and results stay for the whole program"
                )
            )
            questions += ["--what-if", f"{action}={name}"]
            expected.append({"action": action, "name": name, "n_buffers": len(buffers),
                             "buffer_bytes": sum(b.size for b in buffers), "before_bytes": space.peak, "after_bytes": after,
                             "bound": "lower", "claim": claim})
        expected.sort(key=lambda w: w["action"] != "remat")
        found = self.ask(*questions)["hlo"]["what_if"]
        self.check(found, expected)
        self.assertGreater(len({w["after_bytes"] for w in expected}), 1)

    def test_whether_it_fits(self):
        total = self.answer().spaces[0][0].total
        for limit, fits in ((total - 1, False), (total, True), (total + 1, True)):
            summary, findings = self.summary(0)
            summary = [*summary, f"It fits, with {human(limit - total)} to spare." if fits else
                       f"It does not fit: {human(total - limit)} are missing."]
            if not fits:
                findings = [{"id": "memory.does_not_fit",
    "certainty": "proved",
    "recoverable_bytes": None,
    "what": f"jit_step(7001) needs {human(total)}, 1 B more than the limit",
    "where": "jit_step(7001)",
    "next": "look at what is alive at the peak for what to keep out"},
     *findings]
            fit = {"limit_bytes": limit, "needed_bytes": total, "needed_by": "jit_step(7001)", "fits": fits,
                   "spare_bytes": limit - total}
            expected = self.answer().document("the module with the highest peak in memory space 0, of 2", fit=fit,
                                              summary=summary, findings=findings)
            self.check(self.ask("--fit", str(limit), status=0 if fits else 1), expected)

    def test_a_schedule_without_simulation(self):
        program = swept()
        path = self.write("swept/jit_swept.hlo_proto.pb", program.bytes())
        answer = Answer([program], [path], path, 0, curve=range(17))
        space = answer.spaces[0][0]
        self.assertEqual(space.pool.index, 1)
        found = truth.parsed(truth.run("memory", path, "--json", "--curve", "17"))
        expected = answer.document("the module with the highest peak in memory space 0, of 1")
        for module in (expected["modules"][0],):
            module.update(program_id="9", label="jit_swept(9)")
        expected["hlo"].update(program_id="9", module="jit_swept(9)")
        self.check(found["hlo"], expected["hlo"])
        self.check(found["modules"], expected["modules"])
        self.check(found["invariants"], expected["invariants"])
        # What a buffer costs that is kept between where it is made and where it is last used.
        for name in ("pair.1", "neg.2", "start", "kept"):
            told = truth.parsed(truth.run("memory", path, "--json", "--what-if", f"remat={name}"))["hlo"]["what_if"][0]
            self.assertEqual((told["before_bytes"], told["after_bytes"]),
                             (space.peak, space.indefinite + self.swept_without(program, name)), name)

    @staticmethod
    def swept_without(program, name):
        order, base = order_of(program, True), {1: 0, 2: 200}
        buffers = [b for b in program.buffers.values() if b.place[0].temporary]
        most = 0
        for at in range(len(order)):
            ranges = []
            for b in buffers:
                first, last = lifetime(program, order, b)
                there = (first, last) if program.ops[b.op].name == name else range(first, last + 1)
                if at in there:
                    start = base[b.place[0].index] + b.place[1]
                    ranges.append((start, start + b.place[2]))
            most = max(most, covered(ranges))
        return most

    def check_alone(self, program, problems=()):
        """A capture of this program alone, but for what is said of it in words."""
        path = self.write(f"alone/{program.name}.hlo_proto.pb", program.bytes())
        found = truth.parsed(truth.run("memory", path, "--json"))
        expected = Answer([program], [path], path, 0).document("the module with the highest peak in memory space 0, of 1")
        named = {"program_id": str(program.key), "label": f"{program.name}({program.key})"}
        expected["modules"][0].update(named, problems=[
            *({"id": name, "count": 1, "what": what} for name, what in problems),
            *({**p, "count": sum(bool(t) for t in program.traces)} for p in expected["modules"][0]["problems"])])
        expected["hlo"].update(program_id=named["program_id"], module=named["label"])
        for part in ("hlo", "modules", "invariants"):
            self.check(found[part], expected[part])
        return found["hlo"], found["modules"][0]["spaces"]

    def test_allocations_of_several_classes(self):
        """A parameter that is constant, too, counts as a parameter, a constant result as a constant; each counts once."""
        ops = [Op(1, "p", "parameter"), Op(2, "c", "constant"), Op(3, "q", "parameter"), Op(4, "dot", "dot", (1, 2)),
               Op(5, "twin", "copy", (4,)), Op(6, "out", "copy", (4,))]
        # 9 and 4 are equal, and so are 5 and 6: in the list of buffers 9 and 5 come first, in their allocations 4 and 6.
        buffers = [Buffer(1, 100, 1), Buffer(2, 20, 2), Buffer(3, 300, 3), Buffer(9, 50, 6), Buffer(4, 50, 5), Buffer(5, 70, 4),
                   Buffer(6, 70, 5), Buffer(7, 69, 6)]
        allocations = [Allocation(0, 100, PARAMETER | CONSTANT, 0, [(1, 0, 100)], 0), Allocation(1, 20, CONSTANT | RESULT, 0, [(2, 0, 20)]),
                       Allocation(2, 300, PARAMETER | RESULT, 0, [(3, 0, 300)], 1), Allocation(3, 60, RESULT, 0, [(4, 0, 50), (9, 10, 50)]),
                       Allocation(4, 150, 0, 0, [(7, 0, 69), (6, 0, 70), (5, 70, 70)])]
        hlo, (space,) = self.check_alone(Program("jit_classes", 5, {1: ("main", ops, 6)}, 1, {}, buffers, allocations, []))
        self.assertEqual([space[f"{part}_bytes"] for part in ("entry_params", "constants", "live_out", "temp", "total")],
                         [100 + 300, 20, 60, 150, 630])
        self.assertEqual([(b["allocation_index"], b["logical_buffer_id"]) for b in hlo["alive_at_peak"]["buffers"]],
                         [(2, 3), (4, 5), (0, 1), (3, 9), (1, 2)])

    def test_which_simulation_is_that_of_temporary_memory(self):
        """One that begins with a parameter or a result is not, however long it is, unless there is no other."""
        def program(traces):
            ops = [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,)), Op(3, "neg", "negate", (2,)), Op(4, "out", "copy", (3,))]
            buffers = [Buffer(1, 4, 1), Buffer(2, 40, 2), Buffer(3, 50, 3), Buffer(4, 6, 4)]
            allocations = [Allocation(0, 4, PARAMETER, 0, [(1, 0, 4)]), Allocation(1, 6, RESULT, 0, [(4, 0, 6)]),
                           Allocation(2, 100, 0, 0, [(2, 0, 40), (3, 40, 50)])]
            return Program("jit_traces", 6, {1: ("main", ops, 4)}, 1, {1: [1, 2, 3, 4]}, buffers, allocations, traces)
        of_parameter = [("a", 1, 0, "p"), ("a", 3, 0, "neg"), ("f", 3, 0, "out"), ("f", 1, 0, "out")]
        of_result = [("a", 4, 0, "out"), ("a", 2, 0, "dot"), ("a", 1, 0, "p"), ("f", 1, 0, "p"), ("f", 2, 0, "neg")]
        of_temps = [("a", 2, 0, "dot"), ("a", 3, 0, "neg"), ("f", 3, 0, "out")]
        for traces, peak, events, at in (([of_parameter, of_temps, of_result], 40 + 50, 3, "neg"),
                                         ([of_result, of_parameter, of_temps], 40 + 50, 3, "neg"),
                                         ([of_parameter, of_result], 6 + 40 + 4, 5, "p"), ([of_parameter], 4 + 50, 4, "neg")):
            _, (space,) = self.check_alone(program(traces))
            self.assertEqual((space["temp_peak_bytes"], space["trace_events"], space["peak_instruction"]), (peak, events, at))

    def test_a_buffer_with_two_places(self):
        """The last place counts, and the allocation of the first has no simulation."""
        ops = [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,)), Op(3, "neg", "negate", (2,))]
        buffers = [Buffer(1, 8, 1), Buffer(2, 100, 2), Buffer(3, 200, 3)]
        allocations = [Allocation(0, 8, PARAMETER, 0, [(1, 0, 8)]), Allocation(1, 120, 0, 0, [(2, 0, 100)]),
                       Allocation(2, 500, 0, 0, [(3, 100, 200), (2, 260, 100)])]
        hlo, (space,) = self.check_alone(
            Program("jit_places", 3, {1: ("main", ops, 3)}, 1, {1: [1, 2, 3]}, buffers, allocations,
                    [[("a", 2, 0, "dot"), ("a", 3, 0, "neg"), ("f", 2, 0, "neg")]]),
            [("hlo.buffer_assigned_twice", "logical buffer 2 is assigned twice: the last place counts")])
        self.assertEqual((space["temp_outside_bytes"], space["fragmentation_bytes"]), (120, 500 - 300))
        self.assertEqual([(b["logical_buffer_id"], b["allocation_index"], b["offset_in_allocation"])
                          for b in hlo["alive_at_peak"]["buffers"]], [(3, 2, 100), (2, 2, 260), (1, 0, 0)])
        # They share 260 to 300: of the 200 and 100 bytes 160 and 60 have one owner.
        self.assertEqual([(b["logical_buffer_id"], b["size_bytes"]) for b in hlo["always_alive"]["buffers"]], [(3, 160), (2, 60)])

    def test_two_orders_of_one_computation(self):
        """The last one counts: there copy.3 is made before the others and lives until the end, 160 bytes with them."""
        ops = [Op(1, "p", "parameter"), Op(2, "dot.1", "dot", (1,)), Op(3, "neg.2", "negate", (2,)), Op(4, "copy.3", "copy", (1,)),
               Op(5, "out", "tuple", (3, 4))]
        buffers = [Buffer(1, 8, 1), Buffer(2, 100, 2), Buffer(3, 10, 3), Buffer(4, 50, 4), Buffer(5, 16, 5)]
        allocations = [Allocation(0, 8, PARAMETER, 0, [(1, 0, 8)]), Allocation(1, 170, 0, 0, [(2, 0, 100), (3, 100, 10), (4, 110, 50)]),
                       Allocation(2, 16, RESULT | TUPLE, 0, [(5, 0, 16)])]
        schedule = TwoSchedules({1: [1, 2, 3, 4, 5]}, {1: [1, 4, 2, 3, 5]})
        hlo, (space,) = self.check_alone(Program("jit_orders", 4, {1: ("main", ops, 5)}, 1, schedule, buffers, allocations, []))
        self.assertEqual((space["temp_peak_bytes"], space["peak_event"], space["peak_instruction"]), (160, 3, "neg.2"))
        self.assertEqual((hlo["schedule_sweep"]["peak_schedule_pos"], hlo["schedule_sweep"]["entry_schedule_length"]), (3, 5))

    def test_what_is_worth_a_finding(self):
        """Donations of a hundredth of the total, fragmentation of more than a tenth of the temporary memory."""
        def found(given, temp, peak):
            ops = [Op(1, "p", "parameter"), Op(2, "dot", "dot", (1,)), Op(3, "out", "copy", (2,))]
            program = Program("jit_f", 1, {1: ("main", ops, 3)}, 1, {1: [1, 2, 3]},
                              [Buffer(1, given, 1), Buffer(2, peak, 2), Buffer(3, given, 3)],
                              [Allocation(0, given, PARAMETER, 0, [(1, 0, given)]), Allocation(1, temp, 0, 0, [(2, 0, peak)]),
                               Allocation(2, given, RESULT, 0, [(3, 0, given)])], [[("a", 2, 0, "dot"), ("f", 2, 0, "out")]])
            path = self.write("limits/f.hlo_proto.pb", program.bytes())
            return {f["id"] for f in truth.parsed(truth.run("memory", path, "--json"))["findings"]}

        self.assertIn("memory.donation", found(100, 9_899, 9_899))  # 100 of 10,099: a hundredth, rounded down
        self.assertNotIn("memory.donation", found(100, 9_900, 9_900))
        self.assertIn("memory.fragmentation", found(10_000, 1_000, 899))
        self.assertNotIn("memory.fragmentation", found(10_000, 1_000, 900))

    def test_compile_and_run_time(self):
        """They agree within 5 % of the greater one; so do the replay and the allocator's count within 1 % of the peak."""
        def checks(static, counted, replayed, color=0, key=(("index_on_host", 0),)):
            ops = [Op(1, "p", "parameter")]
            program = Program("jit_f", 1, {1: ("main", ops, 1)}, 1, {1: [1]}, [Buffer(1, static, 1, color)],
                              [Allocation(0, static, PARAMETER, color, [(1, 0, static)])], [])
            device = proto.Plane("/device:TPU:0", 1)
            host = proto.Plane("/host:CPU", 2)
            # The second event says that what the first allocated is `counted` by now.
            host.line("t", 1_700_000_000_000_000_000, [
                host.event("MemoryAllocation", at, 0, [*key, ("addr", at), ("allocation_bytes", size), ("bytes_allocated", said)])
                for at, size, said in ((1_000, replayed, replayed), (2_000, 0, counted))])
            folder = self.scratch / f"both-{static}-{counted}-{replayed}-{color}-{len(key)}"
            folder.mkdir()
            (folder / "a.xplane.pb").write_bytes(proto.xspace([device, host]))
            (folder / "f.hlo_proto.pb").write_bytes(program.bytes())
            found = truth.parsed(truth.run("memory", folder, "--json", "--space", str(color)))
            by_id = {i["id"]: i for i in found["invariants"]}
            return by_id, [f["what"] for f in found["findings"] if f["id"] == "memory.static_and_runtime_differ"]

        for static, counted, holds in ((1000, 1000, True), (1000, 950, True), (1000, 949, False), (950, 1000, True),
                                       (949, 1000, False)):
            by_id, told = checks(static, counted, counted)
            c1 = by_id["C1"]
            self.assertEqual((c1["holds"], c1["left"], c1["right"]), (holds, static, counted))
            self.assertEqual(len(told), 0 if holds else 1)
            if not holds:
                why = ("The program may not have run while the trace was taken." if static > counted else
                       "Other programs or weights share the device.")
                self.assertTrue(told[0].endswith(f"static {static} B, run time {counted} B. {why}"), told[0])
        for replayed, holds in ((10_000, True), (9_900, True), (9_899, False)):
            self.assertEqual(checks(10_000, 10_000, replayed)[0]["R2b"]["holds"], holds, replayed)
        self.assertIsNone(checks(1000, 1000, 1000, color=1)[0]["C1"]["holds"])
        by_id, _ = checks(1000, 1000, 1000, key=(("allocator_name", "other"), ("id", 1)))
        self.assertIsNone(by_id["C1"]["holds"])
        self.assertEqual(by_id["C1"]["note"], "memory space 0 and allocator other are not the same memory: not compared")

    def test_what_space_0_is(self):
        """What the capture's devices make it; of a program that a host runs, which its threads tell of, its memory."""
        ops = [Op(1, "p", "parameter")]
        program = Program("jit_f", 1, {1: ("main", ops, 1)}, 1, {1: [1, 2, 3]},
                          [Buffer(1, 4000, 1), Buffer(2, 300, 1, 1), Buffer(3, 20, 1, 5)],
                          [Allocation(0, 4000, PARAMETER, 0, [(1, 0, 4000)]), Allocation(1, 300, PARAMETER, 1, [(2, 0, 300)]),
                           Allocation(2, 20, PARAMETER, 5, [(3, 0, 20)])], []).bytes()

        def host(*stats):
            plane = proto.Plane("/host:CPU", 9)
            plane.line("t", 1_700_000_000_000_000_000, [plane.event("dot.1", 0, 10, stats)])
            return plane
        ran = ("hlo_op", "dot.1")
        device = lambda name: proto.Plane(name, 1)
        unknown, gpu = ["device memory", "VMEM", "Host"], ["device memory", "", "Host"]
        tpu, own = ["HBM", "VMEM", "Host"], ["host memory", "", ""]
        cases = [([], unknown), ([host()], unknown), ([host(ran)], own), ([device("/device:TPU:0"), host()], tpu),
                 ([device("/device:TPU:0"), host(ran)], tpu), ([device("/device:GPU:3"), host(ran)], gpu),
                 ([device("/device:CUSTOM:Chip"), host(ran)], unknown)]
        for n, (planes, names) in enumerate(cases):
            for name in ("f.hlo_proto.pb", "module_0001.jit_f.tpu_after_codegen.hlo.pb"):
                folder = self.scratch / f"homes-{n}" / name.split(".")[-2]
                folder.mkdir(parents=True)
                if planes:
                    (folder / "a.xplane.pb").write_bytes(proto.xspace(planes))
                (folder / name).write_bytes(program)
                with self.subTest(case=n, file=name):
                    self.assertEqual(self.names_of_spaces(folder), names)
        for n, planes in enumerate(([], [device("/device:TPU:0")])):
            for word, names in (("cpu", own), ("sm_9.0_gpu", gpu)):
                folder = self.scratch / f"dumps-{n}-{word}"
                folder.mkdir()
                if planes:
                    (folder / "a.xplane.pb").write_bytes(proto.xspace(planes))
                (folder / f"module_0001.jit_f.{word}_after_optimizations.hlo.pb").write_bytes(program)
                with self.subTest(dump=word, planes=n):
                    self.assertEqual(self.names_of_spaces(folder), names)
                    self.assertIn(f"needs 3.9 KiB of memory space 0 ({names[0]});", truth.run("memory", folder))
        # Two hosts that do not agree.
        folder = self.scratch / "homes-two"
        folder.mkdir()
        for name, plane in (("a", device("/device:TPU:0")), ("b", device("/device:GPU:0"))):
            (folder / f"{name}.xplane.pb").write_bytes(proto.xspace([plane]))
        (folder / "f.hlo_proto.pb").write_bytes(program)
        self.assertEqual(self.names_of_spaces(folder), unknown)

    def names_of_spaces(self, folder):
        modules = truth.parsed(truth.run("memory", folder, "--json"))["modules"]
        self.assertEqual(len(modules), 1)
        return [space["name"] for space in modules[0]["spaces"]]

    def test_what_is_not_there(self):
        truth.run("memory", self.folder, "--module", "jit_none", status=2)
        truth.run("memory", self.folder, "--space", "2", status=2)
        truth.run("memory", self.folder, "--what-if", "remat=none", status=2)

    def test_the_screen(self):
        self.check_text(truth.run("memory", self.folder, "--curve", "20", "--what-if", "remat=while.2"), SCREEN)

    def test_the_library_says_the_same(self):
        answer = self.answer()
        space = answer.spaces[0][0]
        with truth.library().open(str(self.folder)) as profile:
            self.assertEqual(profile.document_bytes("memory").decode(), truth.run("memory", self.folder, "--json"))
            with profile.memory(curve_points=20, fit_bytes=space.total - 3) as memory:
                self.assertEqual(memory.fit(), (False, -3))
                self.assertEqual([m.chosen for m in memory.modules], [True, False])
                for module, (program, spaces) in enumerate(zip(self.programs, answer.spaces)):
                    self.assertEqual(memory.modules[module].space_count, len(spaces))
                    for ours, theirs in zip(memory.spaces(module), spaces.values()):
                        row = theirs.row()
                        for field in (
                            "color",
                            "total_bytes",
                            "peak_bytes",
                            "indefinite_bytes",
                            "temp_bytes",
                            "temp_peak_bytes",
                            "thread_local_bytes",
                            "fragmentation_bytes",
                            "residency_floor_bytes",
                            "peak_instruction",
                            "coverage",
                            "method",
                            "bound",
                        ):
                            self.assertEqual(getattr(ours, field), row[field], (program.name, field))
                        self.assertEqual(ours.peak_event, row["peak_event"])
                rows = space.alive_rows(30)
                for ours, theirs in zip(list(memory.live_buffers()), rows):
                    for field, key in (("logical_buffer_id", "logical_buffer_id"), ("size_bytes", "size_bytes"),
                                       ("allocation_index", "allocation_index"), ("offset_bytes", "offset_in_allocation"),
                                       ("instruction_id", "instruction_id"), ("instruction_name", "instruction_name"),
                                       ("opcode", "opcode"), ("op_name", "op_name"), ("computation_name", "computation"),
                                       ("shape", "shape"), ("source_file", "source_file")):
                        self.assertEqual(getattr(ours, field), theirs[key], field)
                    self.assertEqual(ours.source_line, theirs["source_line"] if theirs["source_file"] else None)
                self.assertEqual([(p.event, p.live_bytes) for p in memory.live_curve()],
                                 [(i, space.indefinite + v) for i, v in enumerate(space.curve)])

    def test_arrow(self):
        space = self.answer().spaces[0][0]
        with arrow.Handle("profile", self.folder, None) as profile, arrow.Handle("memory", profile, None) as memory:
            columns, rows = arrow.table("live_buffers", memory)
            self.assertEqual([c[0] for c in columns],
                             ["run", "host", "file", "logical_buffer_id", "size_bytes", "allocation_index", "offset_bytes", "instruction_id",
                              "instruction_name", "opcode", "op_name", "computation_name", "shape", "shape_index",
                              "source_file", "source_line", "residency"])
            expected = []
            for r in space.alive_rows(30):
                expected.append({
                    "run": "run", "host": None, "file": 0,
                    "logical_buffer_id": r["logical_buffer_id"], "size_bytes": r["size_bytes"],
                    "allocation_index": r["allocation_index"], "offset_bytes": r["offset_in_allocation"],
                    "instruction_id": r["instruction_id"], "instruction_name": r["instruction_name"], "opcode": r["opcode"],
                    "op_name": r["op_name"] or None, "computation_name": r["computation"], "shape": r["shape"],
                    "shape_index": ",".join(map(str, r["shape_index"])) or None, "source_file": r["source_file"] or None,
                    "source_line": r["source_line"] if r["source_file"] else None, "residency": r["class"]})
            self.check(rows, expected)
            columns, rows = arrow.table("live_curve", memory)
            self.assertEqual((columns[3:], rows), ([("event", "l", None, True), ("live_bytes", "l", "bytes", True)], []))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
