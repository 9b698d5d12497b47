"""The costliest ops of many captures, with Ray Data: each task reads some of them. Usage: ray_captures.py CAPTURES"""
import sys

import ray
from profkit import fleet


def read(batch):
    found = fleet.scan(batch["uri"].to_pylist(), "ops", columns=["name", "self_ps"], workers=1)
    return found.to_pyarrow()  # a capture that cannot be read is a row with its error


ray.init(log_to_driver=False)
captures = ray.data.from_items([{"uri": capture.uri} for capture in fleet.captures(sys.argv[1])])
ops = captures.map_batches(read, batch_size=32, batch_format="pyarrow").materialize()
errors = ops.filter(lambda row: row["error"] is not None)
print(captures.count(), "captures,", errors.count(), "of them not to the end")
by_name = ops.filter(lambda row: row["error"] is None).groupby("name").sum("self_ps")
for row in by_name.sort("sum(self_ps)", descending=True).take(5):
    print(row["sum(self_ps)"], row["name"])
