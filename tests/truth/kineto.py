"""Kineto traces: what ran, told to the model of idle time and written as trace events at the same time."""
import json

from idle_model import Kernel, Span


def number(ns):
    """Microseconds as Kineto writes them."""
    return f"{ns // 1000}.{ns % 1000:03}"


class Trace:
    """One rank. Times are ns from its baseTimeNanoseconds; `shift_ns` puts them on the clock of the capture."""

    def __init__(self, base_ns, shift_ns, rank, world, first_thread=0, types=None):
        self.base_ns, self.shift_ns, self.rank, self.world, self.types = base_ns, shift_ns, rank, world, types or {}
        self.events, self.kernels, self.spans, self.markers, self.threads = [], {}, [], [], {}
        self.next_id, self.first_thread = 1000 * (rank + 1), first_thread

    def ps(self, ns):
        return (ns + self.shift_ns) * 1000

    def add(self, **event):
        """The ordinal of the event."""
        self.events.append(event)
        return len(self.events) - 1

    def name_process(self, pid, name):
        self.add(ph="M", name="process_name", pid=pid, tid=0, args={"name": name})

    def thread(self, tid):
        return self.threads.setdefault(tid, self.first_thread + len(self.threads))

    def span(self, category, name, start, duration, tid=11, kind=None, args=None, parts=False):
        """`parts`: as a begin and an end instead of one event."""
        kind = kind or {"cpu_op": "op", "cuda_runtime": "runtime", "cuda_driver": "runtime", "python_function": "frame",
                        "user_annotation": "annotation", "overhead": "other", "cuda_sync": "device_marker"}[category]
        common = {"cat": category, "name": name, "pid": 900 + self.rank, "tid": tid}
        if parts:
            self.add(ph="B", ts=start, args=args or {}, **common)
            self.add(ph="E", ts=start + duration, **common)
        else:
            self.add(ph="X", ts=start, dur=duration, args=args or {}, **common)
        if kind != "marker":
            self.spans.append(Span(name, self.ps(start), duration * 1000, self.thread(tid), kind))
        else:
            self.markers.append(Span(name, self.ps(start), duration * 1000, self.thread(tid), "annotation"))

    def kernel(self, device, name, start, duration, stream=7, launch=None, kind="compute", category="kernel", args=None,
               op_type=None, group="", shapes="", types=""):
        """`launch`: (start, duration, tid) of the call that launched it, which is written as well."""
        given = {"device": device, "stream": stream, **(args or {})}
        call = None
        if launch is not None:
            at, took, tid = launch
            given["correlation"] = self.next_id
            self.span("cuda_runtime", "cudaLaunchKernel" if category == "kernel" else "cudaMemcpyAsync", at, took, tid,
                      args={"correlation": self.next_id})
            self.next_id += 1
            call = (self.ps(at), self.ps(at + took), self.thread(tid))
        row = self.add(ph="X", cat=category, name=name, pid=device, tid=stream, ts=start, dur=duration, args=given)
        self.kernels.setdefault(device, []).append(
            Kernel(name, self.ps(start), duration * 1000, op_type if op_type is not None else self.types.get(name, name), kind, "", stream, None,
                   "", call, shapes, "", types, group, row=row))

    def text(self):
        rows = []
        for e in self.events:
            times = "".join(f', "{key}": {number(e[key])}' for key in ("ts", "dur") if key in e)
            rest = {key: value for key, value in e.items() if key not in ("ts", "dur")}
            rows.append(json.dumps(rest, ensure_ascii=False)[:-1] + times + "}")
        head = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.world},
                "baseTimeNanoseconds": self.base_ns}
        return json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(rows) + "\n]}\n"
