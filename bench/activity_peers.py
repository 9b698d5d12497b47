#!/usr/bin/env python3
"""How fast tables and traces are read, beside pandas, polars and bare simdjson: ratios within one run,
of processor time (all threads) first, then of time on the clock.

activity_peers.py ACTIVITY_BENCH CSV [FOLDER] [KINETO_JSON]

CSV is a kernel_details.csv, FOLDER a capture with such a table and a trace, KINETO_JSON a trace.json that is not
compressed. pandas and polars are left out when they are not installed.
"""
import subprocess
import sys
import time


def best_of(runs, work):
    """Least processor time, of all threads, and least time on the clock."""
    best = (1e9, 1e9)
    for _ in range(runs):
        processor, start = time.process_time(), time.perf_counter()
        work()
        took = time.process_time() - processor, time.perf_counter() - start
        best = min(best[0], took[0]), min(best[1], took[1])
    return best


def ours(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=True)
    processor, elapsed = done.stdout.split()[:2]
    return float(processor), float(elapsed)


def show(what, mine, peer, theirs):
    print(f"{what:<40} {mine[0]:6.3f} {mine[1]:6.3f} s   {peer:<26} {theirs[0]:6.3f} {theirs[1]:6.3f} s   "
          f"ratio {theirs[0] / mine[0]:5.2f} {theirs[1] / mine[1]:5.2f}")


def main():
    tool, table = sys.argv[1], sys.argv[2]
    three = ["Name", "Start Time(us)", "Duration(us)"]
    rows, columns = ours(tool, "rows", table), ours(tool, "columns", table)
    activity = ours(tool, "activity", table)
    try:
        import pandas
        all_columns = best_of(5, lambda: pandas.read_csv(table))
        show("rows, all fields", rows, "pandas, all columns", all_columns)
        show("activity of the table, all columns", activity, "pandas, all columns", all_columns)
        if len(sys.argv) > 3:
            show("analysis of the folder with its trace", ours(tool, "analysis", sys.argv[3]),
                 "pandas, the table alone", all_columns)
    except ImportError:
        print("pandas is not installed")
    try:
        import polars
        show("three columns, interned and exact", columns, "polars, three columns",
             best_of(9, lambda: polars.read_csv(table, columns=three)))
    except ImportError:
        print("polars is not installed")
    if len(sys.argv) > 4:
        ondemand = ours(tool, "ondemand", sys.argv[4])
        for what, begins in ("held", "in memory"), ("activity", "from the path"):
            show(f"activity of a Kineto trace, {begins}", ours(tool, what, sys.argv[4]), "simdjson On-Demand alone",
                 ondemand)


if __name__ == "__main__":
    main()
