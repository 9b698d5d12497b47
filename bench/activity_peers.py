#!/usr/bin/env python3
"""How fast tables and traces are read, beside pandas, polars and bare simdjson: ratios within one run.

activity_peers.py ACTIVITY_BENCH CSV [FOLDER] [KINETO_JSON]

CSV is a kernel_details.csv, FOLDER a capture with such a table and a trace, KINETO_JSON a trace.json that is not
compressed. pandas and polars are left out when they are not installed.
"""
import subprocess
import sys
import time


def best_of(runs, work):
    best = None
    for _ in range(runs):
        start = time.perf_counter()
        work()
        took = time.perf_counter() - start
        best = took if best is None or took < best else best
    return best


def ours(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0])


def show(what, seconds, peer, peer_seconds):
    print(f"{what:<44} {seconds:8.3f} s   {peer:<28} {peer_seconds:8.3f} s   ratio {peer_seconds / seconds:6.2f}")


def main():
    tool, table = sys.argv[1], sys.argv[2]
    three = ["Name", "Start Time(us)", "Duration(us)"]
    rows, columns = ours(tool, "rows", table), ours(tool, "columns", table)
    activity = ours(tool, "activity", table)
    try:
        import pandas
        all_columns = best_of(3, lambda: pandas.read_csv(table))
        show("rows, all fields", rows, "pandas, all columns", all_columns)
        show("activity of the table, all columns", activity, "pandas, all columns", all_columns)
        if len(sys.argv) > 3:
            show("activity of the folder with its trace", ours(tool, "activity", sys.argv[3]),
                 "pandas, the table alone", all_columns)
    except ImportError:
        print("pandas is not installed")
    try:
        import polars
        show("three columns, interned and exact", columns, "polars, three columns",
             best_of(5, lambda: polars.read_csv(table, columns=three)))
    except ImportError:
        print("polars is not installed")
    if len(sys.argv) > 4:
        show("activity of a Kineto trace", ours(tool, "activity", sys.argv[4]), "simdjson On-Demand alone",
             ours(tool, "ondemand", sys.argv[4]))


if __name__ == "__main__":
    main()
