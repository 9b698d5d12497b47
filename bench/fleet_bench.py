#!/usr/bin/env python3
"""How many captures a second `profkit.fleet` turns into a Parquet dataset, and how SQL over them stands to reading them.

fleet_bench.py --library LIBPROFKIT.SO [--captures 1000] [--large 0] [--workers 1,2] [--spark]

The bundled TPU capture (0.8 MB) under many names, in a folder that is removed afterwards, and as many large captures as --large says:
its planes 50 times over (40 MB). Needs pyarrow, duckdb for the SQL, and pyspark
for --spark: how much sooner two cores have read 200 of them than one (median of five, after one that is not counted).
"""
import argparse
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def timed(do):
    begin = time.perf_counter()
    found = do()
    return found, time.perf_counter() - begin


def spark_seconds(folder):
    """Seconds that local[1] and local[2] take."""
    from pyspark.sql import SparkSession  # pylint: disable=import-outside-toplevel
    from profkit.spark import CaptureSource  # pylint: disable=import-outside-toplevel

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python" / "src")
    medians = []
    for cores in (1, 2):
        spark = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
        spark.dataSource.register(CaptureSource)
        ops = spark.read.format("profkit").option("captures_per_task", "10").load(str(folder) + "/run0000*," + str(folder) + "/run0001*")
        seconds = [timed(lambda: ops.groupBy("name").sum("self_ps").collect())[1] for _ in range(6)]  # pylint: disable=cell-var-from-loop
        medians.append(statistics.median(seconds[1:]))
        spark.stop()
    return medians


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--library", required=True)
    options.add_argument("--captures", type=int, default=1000)
    options.add_argument("--large", type=int, default=0)
    options.add_argument("--workers", default=f"1,{os.cpu_count()}")
    options.add_argument("--spark", action="store_true")
    given = options.parse_args()
    os.environ["PROFKIT_LIBRARY"] = str(pathlib.Path(given.library).resolve())
    sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))
    from profkit import fleet  # pylint: disable=import-outside-toplevel

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "captures"
        folder.mkdir()
        original = pathlib.Path(scratch) / "original"
        original.write_bytes((ROOT / "tests" / "data" / "xspace" / "tpu_v6e_inference.xplane.pb").read_bytes())
        for number in range(given.captures):
            os.link(original, folder / f"run{number:06}.xplane.pb")
        for workers in (int(text) for text in given.workers.split(",")):
            written, seconds = timed(lambda: fleet.write_dataset(folder, pathlib.Path(scratch) / f"ops{workers}", workers=workers))  # pylint: disable=cell-var-from-loop
            print(f"{workers} workers: {written.captures_read / seconds:.0f} captures/s to Parquet, {written.rows} rows, "
                  f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB at most")
        _, again = timed(lambda: fleet.write_dataset(folder, pathlib.Path(scratch) / f"ops{workers}", workers=workers))
        print(f"once more, nothing new: {again:.2f} s")
        _, opened = timed(lambda: sum(batch.num_rows for batch in fleet.scan(folder, "files")))
        _, plain = timed(lambda: sum(batch.num_rows for batch in fleet.scan(folder, "ops")))
        print(f"a capture on one core: {opened / given.captures * 1e3:.2f} ms to find and open, "
              f"{plain / given.captures * 1e3:.2f} ms with its ops read")
        try:
            found, asked = timed(lambda: fleet.sql("select name, sum(self_ps) / 1e12 from ops group by name", folder).fetchall())
            print(f"SQL group-by: {asked / plain:.2f} of the time to read all ops ({len(found)} groups)")
        except ImportError as lacks:
            print(f"no SQL: {lacks}")
        if given.large:
            heap = pathlib.Path(scratch) / "large"
            heap.mkdir()
            pages = original.read_bytes() * 50
            (heap / "run000000.xplane.pb").write_bytes(pages)
            for number in range(1, given.large):
                os.link(heap / "run000000.xplane.pb", heap / f"run{number:06}.xplane.pb")
            written, seconds = timed(lambda: fleet.write_dataset(heap, pathlib.Path(scratch) / "large_ops"))
            print(f"large: {written.captures_read / seconds:.1f} captures/s, {written.captures_read * len(pages) / seconds / 1e6:.0f} MB/s, "
                  f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB at most")
        if given.spark:
            one, two = spark_seconds(folder)
            print(f"Spark: local[1] {one:.2f} s, local[2] {two:.2f} s, {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
