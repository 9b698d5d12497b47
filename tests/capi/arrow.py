#!/usr/bin/env python3
"""Reads the Arrow streams of libprofkit with pyarrow and, by SQL, with DuckDB. Usage: arrow.py LIBPROFKIT TESTS_DATA

What is not installed is skipped, with the reason.
"""
import ctypes
import gc
import os
import sys

try:
    import pyarrow as pa
except ImportError as why:
    print(f"SKIPPED pyarrow is not installed ({why}): scripts/setup test installs it where there is a package index")
    sys.exit(77)

library, data = sys.argv[1:]
pk = ctypes.CDLL(library)
failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


class Stream(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("schema", "next", "error", "release", "private")]


def opened(function, *arguments):
    handle = ctypes.c_void_p()
    status = getattr(pk, function)(*arguments, ctypes.byref(handle), None)
    assert status == 0, (function, status)
    return handle


def reader(function, *arguments):
    """The stream of a table; pyarrow takes it over."""
    stream = Stream()
    table = opened(function, *arguments, None)
    status = pk.pk_table_arrow(table, ctypes.byref(stream), None)
    pk.pk_table_free(table)
    assert status == 0, (function, status)
    return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))


EVENTS, OPS, STEPS, GAPS, LIVE_BUFFERS = 3, 4, 5, 7, 12  # PK_TABLE_
profile = opened("pk_profile_open", (data + "/xspace/tpu_v6e_inference.xplane.pb").encode(), None)

# Everything that was opened is freed before anything is read.
events = reader("pk_table_open", profile, EVENTS)
ops = reader("pk_table_open", profile, OPS)
bubbles = opened("pk_bubbles_open", profile, None)
activity = opened("pk_activity_open", profile, None)
memory = opened("pk_memory_open", profile, None)
steps, gaps = reader("pk_bubbles_table", bubbles, STEPS), reader("pk_bubbles_table", bubbles, GAPS)
kernels = reader("pk_activity_table", activity)
buffers = reader("pk_memory_table", memory, LIVE_BUFFERS)
for function, handle in (("pk_profile_free", profile), ("pk_bubbles_free", bubbles), ("pk_activity_free", activity),
                         ("pk_memory_free", memory)):
    getattr(pk, function)(handle)

tables = {"events": events, "ops": ops, "steps": steps, "gaps": gaps, "kernels": kernels, "live_buffers": buffers}
tables = {name: table.read_all() for name, table in tables.items()}
for name, table in tables.items():
    table.validate(full=True)
    print(f"{name}: {table.num_rows} rows, {table.num_columns} columns")
    check(table.num_rows > 0, f"{name} has rows")
    for field in table.schema:
        if field.name.endswith("_ps"):
            check(field.type == pa.int64() and field.metadata == {b"unit": b"ps"}, f"{name}.{field.name} is int64 ps")
    check(pa.types.is_dictionary(table.schema[0].type), f"{name} begins with its run")
events = tables["events"]
check(pa.types.is_dictionary(events.schema.field("name").type), "names of events are a dictionary")
check("XLA Ops" in events.column("line").unique().to_pylist(), "the line XLA Ops is there")

busiest = max(tables["ops"].to_pylist(), key=lambda op: op["total_ps"])
check((busiest["display_name"], busiest["program"], busiest["clock"]) ==
      ("copy-done.4", "jit_f(12190760917235803885)", "device"), f"the busiest op of a line: {busiest}")

# A batch lives longer than its reader, a column longer than its batch.
again = opened("pk_profile_open", (data + "/xspace/tpu_v6e_inference.xplane.pb").encode(), None)
stream = reader("pk_table_open", again, EVENTS)
pk.pk_profile_free(again)
batch = stream.read_next_batch()
del stream
gc.collect()
durations, names = batch.column("duration_ps"), batch.column("name")
del batch
gc.collect()
check(len(durations.to_pylist()) == len(names.to_pylist()) > 0, "columns outlive their batch")

# Neutrino records.
folder = opened("pk_profile_open", (data + "/neutrino/block_sched").encode(), None)
probe = opened("pk_probe_open", folder, 0)
records = reader("pk_probe_records_table", probe, ctypes.c_size_t(0), 0).read_all()
launches = reader("pk_probe_table", probe).read_all()
pk.pk_probe_free(probe)
pk.pk_profile_free(folder)
if "toml" in os.environ.get("PROFKIT_LEFT_OUT", ""):
    print("skipped, names of records: built without toml")
else:
    check(records.column_names[4:8] == ["block", "lane", "k", "start"], "columns of records")
check(launches.num_rows == 2 and launches.column("kernel").null_count == 0, "launches")

try:
    import duckdb
except ImportError as why:
    print(f"skipped, DuckDB alone: it is not installed ({why})")
else:
    for name, held in tables.items():
        rows = duckdb.sql("select count(*) from held").fetchall()[0][0]
        check(rows == held.num_rows, f"DuckDB counts the rows of {name}")
    # Straight over the stream.
    again = opened("pk_profile_open", (data + "/xspace/tpu_v6e_inference.xplane.pb").encode(), None)
    stream = reader("pk_table_open", again, EVENTS)
    pk.pk_profile_free(again)
    # Not durations: those of events are aligned, those of ops the device's own.
    top = duckdb.sql("""select name, count(*) n from stream
                        where line = 'XLA Ops' group by name order by n desc, name limit 3""").fetchall()
    totals = {}
    for op in tables["ops"].to_pylist():
        shown = op["display_name"] or op["name"]
        totals[shown] = totals.get(shown, 0) + op["count"]
    check(len(top) == 3, "DuckDB sums the ops")
    check(top ==
          sorted(totals.items(), key=lambda op: (-op[1], op[0]))[:3], "the sums of DuckDB are those of the table of ops")
print("failed checks:", failures)
sys.exit(1 if failures else 0)
