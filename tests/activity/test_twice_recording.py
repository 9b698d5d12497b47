#!/usr/bin/env python3
"""Two files of a host's own format with two of everything, of which all that is read is worked out here.

Devices, streams, processes and threads are added in mixed order, names are equal, one kernel has a launch and the next has none, kinds
disagree with names, spans and steps are outside of what can be placed, a call to the runtime has the name of a step.

test_twice_recording.py ACTIVITY_DUMP
"""
import sys

import twice

BASE, LATER = 1_700_000_000_000_000_000, 3_000_000  # ns
FAR = (1 << 63) - 3  # ps: more than 106 days


class Recording:
    def __init__(self, file, shift, rank, world):
        self.file, self.shift, self.lines = file, shift * 1000, ["calls", f"origin {BASE + shift}", f"recorder one of rank {rank}", f"rank {rank} {world}"]
        self.rank, self.world, self.devices, self.streams, self.threads, self.processes = rank, world, [], [], [], []
        self.spans, self.markers, self.added, self.passed_over = [], [], 0, []

    def device(self, name, ordinal):
        self.lines.append(f"device {ordinal} {name}")
        self.devices.append({"name": name, "ordinal": ordinal, "streams": [], "rows": []})

    def stream(self, device, number, name=""):
        self.lines.append(f"stream {device} {number} {name}")
        self.streams.append((device, number, name or f"stream {number}"))
        self.devices[device]["streams"].append(self.streams[-1])

    def thread(self, process, name):
        self.lines.append(f"thread {process} {name}")
        if process not in self.processes:
            self.processes.append(process)
        self.threads.append({"process": process, "name": name, "line": sum(t["process"] == process for t in self.threads), "spans": [], "steps": []})

    def kernel(self, stream, name, start, duration, launch, kind, read_kind):
        self.added += 1
        self.lines.append(f"kernel {stream} {start} {duration} {'-' if launch is None else launch} {self.added} {kind} {name}")
        self.devices[self.streams[stream][0]]["rows"].append({
            **twice.row(name, start + self.shift, duration, self.added), "kind": read_kind, "stream": self.streams[stream][1],
            "launch_ps": None if launch is None else launch + self.shift, "of": stream})

    def span(self, thread, name, start, duration, kind="op"):
        self.added += 1
        self.lines.append(f"span {thread} {start} {duration} {self.added} {kind} {name}")
        self.threads[thread]["spans"].append((name, start, duration, self.added, kind))

    def step(self, thread, name, number, start, duration):
        self.added += 1
        self.lines.append(f"step {thread} {start} {duration} {self.added} {number} {name}")
        self.threads[thread]["steps"].append((name, start, duration, self.added, number))

    def broken(self, line, reason):
        self.added += 1
        self.lines.append(line.replace("ROW", str(self.added)))
        self.passed_over.append((reason, self.added))

    def text(self):
        return "\n".join(self.lines) + "\n"

    # ---- what has to be read ----

    def read_devices(self, names):
        out = []
        for n, (of, name) in enumerate(zip(self.devices, names)):
            rows = [{key: value for key, value in r.items() if key != "of"} for r in sorted(of["rows"], key=lambda r: (r["start_ps"], r["duration_ps"], r["source_row"]))]
            streams = [twice.stream(number, n, line, text) for line, (_, number, text) in enumerate(of["streams"])]
            out.append(twice.device(name, "gpu", rows, streams, file=self.file, ordinal=of["ordinal"], rank=self.rank, world_size=self.world,
                                    host_group=self.file, timestamp_resolution_ps=1, has_launches=any(r["launch_ps"] is not None for r in rows)))
        return out

    def read_host(self, first):
        spans = [{"name": name, "kind": kind, "start_ps": start + self.shift, "duration_ps": duration, "source_row": row, "thread": first + n}
                 for n, t in enumerate(self.threads) for name, start, duration, row, kind in t["spans"] if not self.is_step(name, kind)]
        return twice.host(sorted(spans, key=lambda s: (s["start_ps"], s["source_row"])), file=self.file, recorder=f"one of rank {self.rank}",
                          rank=self.rank, world_size=self.world)

    @staticmethod
    def is_step(name, kind):
        return name.startswith("ProfilerStep#") and kind != "runtime"

    def read_markers(self, first):
        out = []
        for n, t in enumerate(self.threads):
            at = {"host_group": self.file, "thread": first + n}
            out += [twice.marker(name, int(name.split("#")[1]), start + self.shift, start + self.shift + duration, "profiler_step", **at)
                    for name, start, duration, _, kind in t["spans"] if self.is_step(name, kind)]
            out += [twice.marker(name, number if number >= 0 else None, start + self.shift, start + self.shift + duration, "numbered_step", **at)
                    for name, start, duration, _, number in t["steps"]]
        return sorted(out, key=lambda m: (m["start_ps"], m["source"] != "profiler_step"))

    def read_threads(self):
        return [{"file": self.file, "plane": len(self.devices) + self.processes.index(t["process"]), "line": t["line"], "process": t["process"],
                 "name": t["name"], "system_thread": None} for t in self.threads]

    def read_tracks(self):
        out = []
        for n, of in enumerate(self.devices):
            for line, at in enumerate(of["streams"]):
                events = [[r["start_ps"], r["duration_ps"], r["name"], r["source_row"]] for r in of["rows"] if self.streams[r["of"]] is at]
                out.append({"file": self.file, "plane": n, "line": line, "plane_type": "device", "line_type": "stream", "device": of["ordinal"],
                            "stream": at[1], "host": self.host, "plane_name": of["name"], "line_name": at[2], "events": events})
        for t, place in zip(self.threads, self.read_threads()):
            events = [[start + self.shift, duration, name, row] for name, start, duration, row, _ in t["steps"] + t["spans"]]
            out.append({"file": self.file, "plane": place["plane"], "line": place["line"], "plane_type": "host", "line_type": "thread", "device": None,
                        "stream": None, "host": self.host, "plane_name": t["process"], "line_name": t["name"], "events": events})
        return sorted(out, key=lambda track: (track["plane"], track["line"]))

    def read_input(self, **more):
        reasons = {}
        for reason, _ in self.passed_over:
            reasons[reason] = reasons.get(reason, 0) + 1
        return twice.taken("calls", self.added, file=self.file, rejected=len(self.passed_over), reject_reasons=reasons,
                           first_rejected_line=self.passed_over[0][1] if self.passed_over else 0, **more)


def first():
    r = Recording(0, 0, 3, 8)
    for name, ordinal in (("GPU", 7), ("GPU other", 9)):
        r.device(name, ordinal)
    for device, number, name in ((1, 16, ""), (0, 16, "copies"), (1, 17, "second"), (0, 18, "")):
        r.stream(device, number, name)
    for process, name in (("trainer", "main"), ("loader", "main"), ("trainer", "helper"), ("loader", "other")):
        r.thread(process, name)
    r.kernel(0, "gemm", 5_000, 700, 1_000, "-", "compute")
    r.kernel(2, "gemm", 6_000, 500, None, "-", "compute")
    r.kernel(1, "Memcpy HtoD", 5_500, 100, None, "compute", "compute")
    r.kernel(3, "gemm", 4_000, 100, None, "comm", "comm")
    r.kernel(1, "gemm", 4_000, 100, 3_000, "-", "compute")
    r.kernel(2, "ncclKernel_AllReduce", 9_000, 0, None, "copy", "copy")
    r.span(2, "work", 100, 50)
    r.span(0, "ProfilerStep#4", 0, 9_000)
    r.span(0, "ProfilerStep#5", 200, 10, "runtime")
    r.span(1, "work", 100, 60)
    r.step(3, "epoch", 12, 50, 8_000)
    r.step(0, "epoch", -1, 60, 7_000)
    return r


def second():
    r = Recording(1, LATER, 5, 8)
    r.device("GPU", 7)
    r.stream(0, 16)
    r.thread("trainer", "main")
    r.broken(f"kernel 9 5 5 - ROW - lost", "of a stream that was not added")
    r.kernel(0, "gemm", 1_000, 10, None, "-", "compute")
    r.broken("span 9 5 5 ROW op lost", "of a thread that was not added")
    r.broken("span 0 5 -5 ROW op lost", "the duration is negative")
    r.broken(f"step 0 {FAR} 5 ROW 1 lost", "the time lies out of reach (106 days)")
    r.broken("kernel 0 5 -7 - ROW - lost", "the duration is negative")
    r.step(0, "epoch", 13, 100, 900)
    return r


class Everything(twice.Case):
    def test_all_that_is_read(self):
        a, b = first(), second()
        for r, name in ((a, "one"), (b, "two")):
            r.host = ""
            self.write(f"run/{name}.calls", r.text())
        found = self.dump(self.scratch / "run", "--timeline")
        devices = a.read_devices(["GPU of rank 3", "GPU other"]) + b.read_devices(["GPU of rank 5"])
        self.check(found, {
            "origin_unix_ns": str(BASE), "devices": devices, "hosts": [a.read_host(0), b.read_host(len(a.threads))],
            "threads": a.read_threads() + b.read_threads(), "markers": a.read_markers(0) + b.read_markers(len(a.threads)), "communication": [],
            "step_trace": [], "lines": [], "operator_calls": [],
            "inputs": [a.read_input(), b.read_input(damage="5 of 7 rows were passed over, the first on line 1: of a stream that was not added (1)")],
            "tracks": a.read_tracks() + b.read_tracks()})


if __name__ == "__main__":
    twice.main(sys.modules[__name__])
