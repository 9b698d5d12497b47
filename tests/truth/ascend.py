"""Files of an Ascend rank, written as torch_npu writes them, and told to the model of idle time at the same time."""
import json

from idle_model import Kernel, Span

COLUMNS = ["Step Id", "Device_id", "Model ID", "Task ID", "Stream ID", "Name", "Type", "OP State", "Accelerator Core",
           "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim", "Mix Block Dim", "HF32 Eligible", "Input Shapes",
           "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats", "Context ID",
           "aicore_time(us)", "aic_mac_ratio", "aic_mte2_ratio", "aiv_vec_ratio", "cube_utilization(%)"]
COUNTERS = COLUMNS[-4:]
CLASSES = {"AI_CORE": "compute", "AI_VECTOR_CORE": "compute", "MIX_AIC": "compute", "AI_CPU": "aicpu", "HCCL": "comm",
           "MEMCPY_ASYNC": "copy", "NEW_UNIT": "other"}


def micros(ns):
    return f"{ns // 1000}.{ns % 1000:03}"


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') else text


class Rank:
    """`origin_ns`: where the clock of the capture begins. Times are ns of the Unix epoch."""

    def __init__(self, origin_ns, first_thread=0):
        self.origin_ns, self.first_thread = origin_ns, first_thread
        self.lines, self.kernels, self.spans, self.markers, self.threads, self.events = [], {}, [], [], {}, []

    def ps(self, ns):
        return (ns - self.origin_ns) * 1000

    def kernel(self, device, name, op_type, core, start, duration, wait=0, stream=2, step="", shapes="", out_shapes="",
               types="", counters=None, launch=None, kind=None, duplicate=False, on_aicpu=None):
        # Where nothing was measured, all are 0.
        counters = {c: float(counters.get(c, 0)) for c in COUNTERS} if counters else {}
        row = [step, str(device), "4294967295", str(len(self.lines) + 7), "N/A" if stream is None else str(stream), name,
               op_type, "dynamic", core, micros(start) + "\t", micros(duration), "N/A" if wait is None else micros(wait),
               "24", "0", "NO", f'"{shapes}"' if shapes else "N/A", types or "N/A", "ND", f'"{out_shapes}"' if out_shapes
               else "N/A", types or "N/A", "ND", "N/A", "0"] + [str(counters.get(c, "0.0")) for c in COUNTERS]
        self.lines.append(",".join(map(quoted, row)))
        kind = kind or CLASSES[core]
        self.kernels.setdefault(device, []).append(Kernel(
            name, self.ps(start), duration * 1000, op_type, kind, core, stream, None if wait is None else wait * 1000,
            step.removesuffix(".0"), None if launch is None else self.call(launch), shapes, out_shapes, types,
            counters=counters, row=len(self.lines) + 1, duplicate=duplicate,
            on_aicpu=core == "AI_CPU" if on_aicpu is None else on_aicpu))
        if launch is not None:
            self.arrow(launch, start, device, stream)

    def table(self):
        return ",".join(COLUMNS) + "\n" + "\n".join(self.lines) + "\n"

    # ---- the trace ----

    def process(self, pid, name, label):
        self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})
        self.events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": label}})

    def call(self, launch):
        """Start, end and thread of a launch, whose arrow begins on thread 201 of CANN: the end is that of the shortest
        of CANN's spans there that lasts at that moment."""
        at, thread = self.ps(launch), self.thread(20, 201)
        lasting = [s for s in self.spans if s.thread == thread and s.kind == "runtime" and s.start <= at <= s.end]
        return at, min(lasting, key=lambda s: s.duration).end if lasting else None, thread

    def thread(self, pid, tid):
        return self.threads.setdefault((pid, tid), self.first_thread + len(self.threads))

    def span(self, pid, tid, name, start, duration, kind, category=None, args=None):
        event = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": micros(start), "dur": duration / 1000,
                 "args": args or {}}
        if category:
            event["cat"] = category
        self.events.append(event)
        thread = self.thread(pid, tid)
        if kind not in ("marker", "nothing"):
            self.spans.append(Span(name, self.ps(start), duration * 1000, thread, kind))
        elif kind == "marker":
            self.markers.append(Span(name, self.ps(start), duration * 1000, thread, "annotation"))

    def arrow(self, launch, start, device, stream):
        number = str(len(self.events))
        self.events.append({"ph": "s", "cat": "HostToDevice", "id": number, "name": "HostToDevice" + number, "pid": 20,
                            "tid": 201, "ts": micros(launch)})
        self.events.append({"ph": "f", "cat": "HostToDevice", "id": number, "name": "HostToDevice" + number,
                            "pid": 1024 + device, "tid": stream, "ts": micros(start), "bp": "e"})

    def trace(self):
        return json.dumps(self.events)
