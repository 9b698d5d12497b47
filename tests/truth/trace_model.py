"""What `ops`, `steps`, `collectives` and `framework` say of traces and tables, worked out from what ran.

Every instant is looked at by itself: slow, and short enough to read.
"""
import dataclasses

# What stands inside a longer name comes after it.
SPELLINGS = {"raggedalltoall": "ragged-all-to-all", "alltoall": "all-to-all", "reducescatter": "reduce-scatter",
             "allreduce": "all-reduce", "allgather": "all-gather", "sendrecv": "send-recv", "broadcast": "broadcast",
             "barrier": "barrier", "reduce": "reduce", "gather": "gather", "scatter": "scatter", "send": "send",
             "recv": "recv"}


@dataclasses.dataclass(frozen=True)
class Op:
    """What makes executions one op; `name` and `stats` are what is shown of it."""
    name: str
    category: str
    op_type: str = ""
    core: str = ""

    @property
    def stats(self):
        return {key: value for key, value in (("category", self.category), ("op_type", self.op_type),
                                              ("core", self.core)) if value}


@dataclasses.dataclass
class Run:
    op: Op
    start: int
    duration: int
    row: int = 0

    @property
    def end(self):
        return self.start + self.duration


@dataclasses.dataclass
class Line:
    file: int
    plane: int
    line: int
    plane_name: str
    line_name: str
    runs: list
    kind: str = "stream"
    device: object = None  # what the line belongs to: ops of one device are met in one order


def op_of(kernel, is_npu):
    """On NPUs names count calls through, and the type tells. A collective's type may be more than its name."""
    if is_npu:
        return Op(kernel.type, kernel.kind, core=kernel.core)
    return Op(kernel.name, kernel.kind, op_type=kernel.type if kernel.kind == "comm" else "")


def lines_of_device(file, name, kernels, place_of, is_npu=False, name_of="stream {}"):
    """A line a stream, by the first kernel that stands in the file; last the kernels without one, which run beside
    communication without one."""
    lines = {}
    without = [Line(file, -1, -1, name, text, [], device=(file, name)) for text in ("no stream", "communication, no stream")]
    for k in sorted(kernels, key=lambda k: k.row):
        if k.stream is None:
            into = without[k.kind == "comm"]
        else:
            if k.stream not in lines:
                lines[k.stream] = Line(file, *place_of(k.stream), name, name_of.format(k.stream), [], device=(file, name))
            into = lines[k.stream]
        if not k.duplicate:
            into.runs.append(Run(op_of(k, is_npu), k.start, k.duration, k.row))
    return [line for line in [*lines.values(), *without] if line.runs]


def in_window(run, window):
    """Half open: what only touches a window from before is outside, an instant at its start is inside."""
    from_ps, to_ps = window
    return (to_ps is None or run.start < to_ps) and (from_ps is None or run.start >= from_ps or run.end > from_ps)


def begins_in(run, window):
    """Half open; without an end when that is None."""
    from_ps, to_ps = window
    return run.start >= from_ps and (to_ps is None or run.start < to_ps)


def self_times(runs):
    """{position: ps}. An instant belongs to what began last; of equal starts to the shorter, then to the later one."""
    found = [0] * len(runs)
    borders = sorted({at for r in runs for at in (r.start, r.end)})
    for from_ps, to_ps in zip(borders, borders[1:]):
        running = [(r.start, -r.end, r.row, i) for i, r in enumerate(runs) if r.start <= from_ps and r.end >= to_ps]
        if running:
            found[max(running)[-1]] += to_ps - from_ps
    return found


def row_document(op, count, total, self_ps, least, most):
    return {"metadata_id": None, "name": op.name, "display_name": "", "program": "", "count": count, "total_ps": total,
            "self_ps": self_ps, "min_ps": least, "max_ps": most, "flops_per_s": None, "flops_share": None,
            "bytes_per_s": None, "bytes_share": None, "stats": op.stats}


def frame_of_line(line, events, durations, busy, written, limit):
    shown = written[:limit] if limit else written
    return {"file": line.file, "plane": line.plane, "line": line.line, "plane_name": line.plane_name,
            "line_name": line.line_name, "kind": line.kind, "clock": "aligned", "events": events, "events_cut": 0,
            "duration_sum_ps": durations, "busy_ps": busy, "device_type": "", "peak_flops_per_s": None,
            "peak_hbm_bytes_per_s": None, "ops": shown, "ops_left_out": len(written) - len(shown)}


def ops_lines(lines, keeps=lambda line, run: True, name="", limit=0):
    """The lines of the document. Rows by total; of equal totals the op that its device ran first comes first: of those that
    began together on a device the shorter one, on a host the one that stands first in the file."""
    out = []
    for line in lines:
        kept = [r for r in line.runs if keeps(line, r)]
        if not kept:
            continue
        of_device = [r for other in lines if other.device == line.device for r in other.runs if keeps(other, r)]
        met = {}
        for r in sorted(of_device, key=lambda r: (r.start, r.row if line.kind == "thread" else r.end, r.row)):
            met.setdefault(r.op, len(met))
        own = self_times(kept)
        written = []
        for op in sorted({r.op for r in kept}, key=lambda op: (-sum(r.duration for r in kept if r.op == op), met[op])):
            durations = [r.duration for r in kept if r.op == op]
            if name in op.name:
                written.append(row_document(op, len(durations), sum(durations),
                                            sum(s for s, r in zip(own, kept) if r.op == op), min(durations),
                                            max(durations)))
        out.append(frame_of_line(line, len(kept), sum(r.duration for r in kept), sum(own), written, limit))
    return out


def squeezed(text):
    return "".join(c for c in text.lower() if c not in "_- ")


def collective_of(op):
    for text in (op.op_type, op.name):
        for letters, spelled in SPELLINGS.items():
            if letters in squeezed(text.split("<")[0].split("(")[0]):
                return spelled
    return None


def collective_rows(lines, keeps=lambda line, run: True, name="", library="nccl"):
    """Rows by total; of equal totals by the line, then as `ops` has them."""
    rows = []
    for line in ops_lines(lines, keeps, name):
        for op in line["ops"]:
            if op["stats"]["category"] != "comm":
                continue
            of = Op(op["name"], "comm", op["stats"].get("op_type", ""))
            rows.append({"file": line["file"], "plane": line["plane"], "line": line["line"], "name": op["name"],
                         "category": collective_of(of) or library,
                         "is_half": False, "on_stream": True,
                         **{key: op[key] for key in ("count", "total_ps", "min_ps", "max_ps")}})
    return sorted(rows, key=lambda row: -row["total_ps"])


def step(file, source, name, number, index, start_ps, duration_ps, plane=0, line=0):
    """`plane` and `line`: of the thread that marked it first; of steps of a device alone the plane of that device."""
    return {"file": file, "plane": plane, "line": line, "source": source, "name": name,
            "step_num": None if number is None else str(number), "index": index, "start_ps": start_ps,
            "duration_ps": duration_ps}


def frame(name, status="ok", reason=None):
    return {"schema": f"profkit.{name}", "version": 1, "status": status, "reason": reason}


def kineto_places(events):
    """{(pid, tid): (plane, line)}: processes and their threads by first sight."""
    processes, threads, places = {}, {}, {}
    for e in events:
        plane = processes.setdefault(e["pid"], len(processes))
        if e["ph"] in "XBE":
            of = threads.setdefault(e["pid"], {})
            places[e["pid"], e["tid"]] = (plane, of.setdefault(e["tid"], len(of)))
    return places
