"""The costliest ops of many captures, with Dask: each partition reads some of them. Usage: dask_captures.py CAPTURES"""
import sys

import dask.dataframe
import pandas
from profkit import fleet


def read(uris):
    found = fleet.scan(uris, "ops", columns=["name", "self_ps"], workers=1)
    # Picoseconds stay integers. A capture that cannot be read is a row with its error.
    return found.to_pyarrow().to_pandas(types_mapper=pandas.ArrowDtype)


if __name__ == "__main__":
    captures = [capture.uri for capture in fleet.captures(sys.argv[1])]
    parts = [captures[at:at + 32] for at in range(0, len(captures), 32)]
    ops = dask.dataframe.from_map(read, parts, meta=read([]))
    print(len(captures), "captures,", int(ops.error.count().compute()), "of them not to the end")
    by_name = ops[ops.error.isnull()].groupby("name").self_ps.sum()
    for name, self_ps in by_name.compute().nlargest(5).items():
        print(int(self_ps), name)
