#!/usr/bin/env python3
"""What Holistic Trace Analysis says of a PyTorch trace: time by kernel, and how a device spent its time.

    PEER_PYTHON peer_hta.py CAPTURE ...     prints {"version": ..., "captures": [{table: {op: {column: number}}}, ...]}

Asked for every step and for times as recorded: as it comes it leaves out the last step, and cuts each event to whole
microseconds inside it.
"""
import json
import logging
import os
import sys
import warnings

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"


def ps(microseconds):
    return round(float(microseconds) * 1e6)


def tables_of(path):
    from hta.trace_analysis import TraceAnalysis  # pylint: disable=import-outside-toplevel,import-error
    try:
        trace = TraceAnalysis(trace_files={0: path}, trace_dir="/", include_last_profiler_step=True)
        parts = trace.get_temporal_breakdown(visualize=False).to_dict("records")[0]
        _, kernels = trace.get_gpu_kernel_breakdown(visualize=False, duration_ratio=1.0, num_kernels=10**6)
    except (AssertionError, IndexError, KeyError, ValueError) as e:
        return {"error": type(e).__name__}
    spent = {name: {"self_ps": ps(parts[f"{theirs}_time(us)"])}
             for name, theirs in (("compute", "compute"), ("not compute", "non_compute"), ("idle", "idle"), ("span", "kernel"))}
    by_name = {}
    for k in kernels.to_dict("records"):
        row = by_name.setdefault(k["name"].removeprefix("void "), {"count": 0, "total_ps": 0})
        row["count"] += round(k["sum (us)"] / k["mean (us)"]) if k["mean (us)"] else 0
        row["total_ps"] += ps(k["sum (us)"])
    return {"kernel_breakdown": by_name, "temporal_breakdown": spent}


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    from importlib import metadata  # pylint: disable=import-outside-toplevel
    print(json.dumps({"version": metadata.version("HolisticTraceAnalysis"), "captures": [tables_of(p) for p in sys.argv[1:]]}))


if __name__ == "__main__":
    main()
