#!/usr/bin/env python3
"""Writes capture_counts.tsv and xprof_totals.tsv, the facts that the tests compare with.

make_tables.py SHARED [OUT]: SHARED has captures/, oracles/proto/xplane_pb2.py (needs the protobuf package) and
oracles/xprof/. The captures are read with protobuf's own reader; the XProf tables are those XProf 2.24.2 wrote.
"""
import csv
import glob
import os
import sys

shared = sys.argv[1]
out = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(shared, "oracles", "proto"))
import xplane_pb2  # noqa: E402

WORD = (1 << 64) - 1
captures = os.path.join(shared, "captures")
paths = sorted(glob.glob(captures + "/xspace/*.xplane.pb") + glob.glob(captures + "/jax/**/*.xplane.pb", recursive=True))

with open(os.path.join(out, "capture_counts.tsv"), "w") as table:
    table.write("# capture plane line events, and modulo 2^64 the sums of metadata_id offset_ps duration_ps, and event stats\n")
    table.write("# from protobuf's own reader: make_tables.py\n")
    for path in paths:
        if "MUST_REJECT" in path:
            continue
        space = xplane_pb2.XSpace()
        with open(path, "rb") as file:
            space.ParseFromString(file.read())
        name = os.path.relpath(path, captures).replace("two_process/rank0", "two_process_rank0")
        for p, plane in enumerate(space.planes):
            for l, line in enumerate(plane.lines):
                sums = [len(line.events),
                        sum(e.metadata_id for e in line.events) & WORD,
                        sum(e.offset_ps for e in line.events) & WORD,
                        sum(e.duration_ps for e in line.events) & WORD,
                        sum(len(e.stats) for e in line.events)]
                table.write("\t".join(map(str, [name, p, l] + sums)) + "\n")

# XProf counts ops and kernels by name over all devices; times in microseconds. Of TPU ops it tells what one run costs, as
# rates over their time.
with open(os.path.join(out, "xprof_totals.tsv"), "w") as table:
    table.write("# as XProf 2.24.2's hlo_stats and kernel_stats tell them: capture, name, occurrences, total ns (rounded);\n")
    table.write("# of TPU ops also category, framework op, and bytes accessed and FLOPs of one run\n")
    for case, name, tool in (
            ("tpu_inference_2", "xspace/tpu_v6e_inference.xplane.pb", "hlo_stats"),
            ("xprof_gpu_2020", "xspace/gpu_tf_2020_8gpu.xplane.pb", "kernel_stats"),
            ("tl_jax08_attention_mi300", "xspace/jax08_attention_mi300.xplane.pb", "kernel_stats"),
            ("tl_jax08_gemm_mi300", "xspace/jax08_gemm_mi300.xplane.pb", "kernel_stats"),
            ("tl_jax_te_fused_attn_934987a2fc2f", "xspace/jax_te_fused_attn_934987a2fc2f.xplane.pb", "kernel_stats")):
        totals = {}
        with open(os.path.join(shared, "oracles", "xprof", case, tool + ".csv")) as file:
            for row in csv.DictReader(file):
                facts = []
                if tool == "hlo_stats":
                    key, count, us = row["HLO op name"], row["#Occurrences"], row["Total time (us)"]
                    seconds = float(us) / 1e6 / float(count)
                    facts = [row["HLO op category"], row["Framework op name"],
                             round(float(row["Measured memory BW (GiB/s)"]) * 2**30 * seconds),
                             round(float(row["Normalized GFLOP/s"]) * 1e9 * seconds)]
                else:
                    key, count, us = row["Kernel Name"], row["Occurrences"], row["Total Duration (μs)"]
                total = totals.setdefault(key, [0, 0.0, facts])
                total[0] += int(float(count))
                total[1] += float(us)
        for key, (count, us, facts) in sorted(totals.items()):
            table.write("\t".join(map(str, [name, key, count, round(us * 1000)] + facts)) + "\n")
