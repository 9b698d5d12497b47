#!/usr/bin/env python3
"""How a query of `profkit sql` over many captures stands to `profkit ops` on each of them.

sql_bench.py PROFKIT [--captures 1000] [--rounds 3]

Copies of the bundled TPU capture (0.8 MB), in a folder that is removed afterwards; one thread each, the median of the rounds. Processes
that are begun once for each capture cost something, so the time of as many that only print the version is taken off.
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUERIES = {
    "group by": "select name, total(self_ps) from ops group by name",
    "count": "select count(*) from ops",
    "one capture": "select name, self_ps from ops where uri like '%run000007%'",
    "events": "select name, total(duration_ps) from events where line = 'XLA Ops' group by name",
    "join": "select d.name, total(o.self_ps) from ops o join devices d using (uri, device) group by 1",
}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("profkit")
    options.add_argument("--captures", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    profkit = str(pathlib.Path(given.profkit).resolve())

    def run(*arguments):
        subprocess.run([profkit, *map(str, arguments)], stdout=subprocess.DEVNULL, check=True)

    def timed(do):
        begin = time.perf_counter()
        do()
        return time.perf_counter() - begin

    with tempfile.TemporaryDirectory() as scratch:
        paths = [pathlib.Path(scratch) / f"run{number:06}.xplane.pb" for number in range(given.captures)]
        for path in paths:
            shutil.copy(ROOT / "tests" / "data" / "xspace" / "tpu_v6e_inference.xplane.pb", path)
        times = {}
        for _ in range(given.rounds):
            work = {"ops": lambda: [run("ops", path, "--json", "-j", "1") for path in paths],
                    "version": lambda: [run("--version") for _ in paths],
                    **{name: lambda query=query: run("sql", scratch, query, "--format", "csv", "-j", "1") for name, query in QUERIES.items()}}
            for name, do in work.items():
                times.setdefault(name, []).append(timed(do))
        median = {name: statistics.median(taken) for name, taken in times.items()}
        each = median["ops"] - median["version"]
        print(f"ops on each of {given.captures}: {median['ops']:.2f} s, {each:.2f} s without the begin of processes")
        for name in QUERIES:
            print(f"{name}: {median[name]:.2f} s, {median[name] / median['ops']:.2f} of that, {median[name] / each:.2f} without the begin of processes")


if __name__ == "__main__":
    main()
