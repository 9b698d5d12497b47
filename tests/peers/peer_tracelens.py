#!/usr/bin/env python3
"""What TraceLens says of a PyTorch trace: time by operator, by its shapes, what operators do, and how a device spent its time.

    PEER_PYTHON peer_tracelens.py CAPTURE ...     prints {"version": ..., "captures": [{table: {op: {column: number}}}, ...]}
"""
import contextlib
import io
import json
import logging
import sys
import warnings

MB = 2**20


def ps(microseconds):
    return round(float(microseconds) * 1e6)


def listed(shape):
    return [listed(x) for x in shape] if isinstance(shape, (list, tuple)) else shape


def add(table, name, **more):
    row = table.setdefault(name, dict.fromkeys(more, 0))
    for key, value in more.items():
        row[key] += value


def tables_of(path):
    from TraceLens import TreePerfAnalyzer  # pylint: disable=import-outside-toplevel,import-error
    try:
        trace = TreePerfAnalyzer.from_file(path, include_unlinked_kernels=True)
        spent = {r["type"]: {"self_ps": ps(r["time ms"] * 1e3)} for r in trace.get_df_gpu_timeline().to_dict("records")
                 if r["type"] not in ("total_comm_time", "total_memcpy_time")}
        by_op, by_shape, work = {}, {}, {}
        for r in trace.get_df_kernel_launchers().to_dict("records"):
            shapes = r["Input Dims"] if isinstance(r["Input Dims"], (list, tuple)) else []
            count, took = r["direct_kernel_count"], ps(r["total_direct_kernel_time"])
            add(by_op, r["name"], count=count, self_ps=took)
            add(by_shape, f"{r['name']} {json.dumps(listed(shapes))}", count=count, self_ps=took)
        for e in trace.collect_unified_perf_events():
            if trace._has_perf_model(e):  # pylint: disable=protected-access
                with contextlib.suppress(Exception):  # of shapes that its model does not take
                    m = trace.compute_perf_metrics(e)
                    add(work, f"{e['name']} {json.dumps(listed(e['args'].get('Input Dims', [])))}", flops=round(m["GFLOPS"] * 1e9),
                        bytes=round((m.get("Data Moved (MB)") or 0) * MB))
    except (AssertionError, IndexError, KeyError, ValueError) as e:
        return {"error": type(e).__name__}
    return {"gpu_timeline": spent, "kernel_launchers": by_op, "kernel_launchers_by_shape": by_shape, "perf_metrics": work}


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    from importlib import metadata  # pylint: disable=import-outside-toplevel
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        captures = [tables_of(p) for p in sys.argv[1:]]
    print(json.dumps({"version": metadata.version("TraceLens"), "captures": captures}))


if __name__ == "__main__":
    main()
