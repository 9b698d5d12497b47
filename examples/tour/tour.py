"""Six things with profkit in Python; see README.md. Usage: tour.py CAPTURE MERGED"""
import pathlib
import sys

import profkit

capture, merged = map(pathlib.Path, sys.argv[1:3])
with profkit.open_buffer(capture.read_bytes(), str(capture)) as profile:
    print(len(profile.table("devices").to_dicts()), "devices")

    busiest = max(profile.table("ops"), key=lambda op: op["self_ps"])
    print(f"busiest op: {busiest['display_name']}, {busiest['self_ps']} ps")

    longest = max(profile.table("gaps"), key=lambda gap: gap["end_ps"] - gap["start_ps"])
    length_ps = longest["end_ps"] - longest["start_ps"]
    print(f"longest gap: {length_ps} ps before {longest['after']}, cause {longest['cause']}")

    print("memory at the peak:", sum(buffer["size_bytes"] for buffer in profile.table("live_buffers")), "bytes")

with profkit.combine_traces([capture], merged, correction="none", keep_going=True) as told:
    print("merged", told.nodes[0].events, "events")
