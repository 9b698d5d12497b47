"""What becomes of the events of a trace of PyTorch, line by line, told from the events themselves."""
import collections

KERNELS = ("kernel", "gpu_memcpy", "gpu_memset")
OPERATORS = ("cpu_op",)
HOST = ("cuda_runtime", "cuda_driver", "python_function", "user_annotation", "overhead")
HOSTS = "host events (`profkit framework`)"
STEPS = "step marks (`profkit steps`)"
WAITS = "waits of devices"
REPEATED = "lines that repeat other lines of the device"
SELF = "the recorder's own events"


def why_not(event):
    """Why no line of `ops` counts an event of a trace that has kernels; None for what it counts."""
    cat = event.get("cat", "")
    if cat in KERNELS:
        return None
    if cat == "cuda_sync":
        return WAITS
    if cat == "gpu_user_annotation":
        return STEPS if event["name"].startswith("ProfilerStep#") else REPEATED
    if cat == "user_annotation" and event["name"].startswith("ProfilerStep#"):
        return STEPS
    if cat == "Trace":
        return SELF
    assert cat in OPERATORS + HOST, cat
    return HOSTS


def left_out(*traces):
    """[{why, lines, events}] of lists of events, by events. A line of which nothing is counted is of what most of it is."""
    lines, events = collections.Counter(), collections.Counter()
    for trace in traces:
        threads = collections.defaultdict(collections.Counter)
        open_begins = collections.defaultdict(list)
        for e in trace:
            thread = e["pid"], e.get("tid")
            if e["ph"] == "B":
                open_begins[thread, e["name"]].append(e)
            elif e["ph"] == "E":
                threads[thread][why_not(open_begins[thread, e["name"]].pop())] += 1
            elif e["ph"] == "X":
                threads[thread][why_not(e)] += 1
        for uses in threads.values():
            events.update({why: count for why, count in uses.items() if why is not None})
            if None not in uses:
                lines[max(uses, key=uses.get)] += 1
    return sorted(({"why": why, "lines": lines[why], "events": count} for why, count in events.items()),
                  key=lambda row: -row["events"])
