#!/usr/bin/env python3
"""What XProf says of a capture: its hlo_stats, op_profile and framework_op_stats, as sums of an op.

    PEER_PYTHON peer_xprof.py CAPTURE ...     prints {"version": ..., "captures": [{table: {op: {column: number}}}, ...]}
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

GIB = 2**30


def ps(microseconds):
    return round(microseconds * 1e6)


def amount(rate, microseconds, unit):
    """Of a rate in so many a second: what all runs did."""
    return round((rate or 0) * unit * microseconds / 1e6)


def rows_of(table):
    names = [c["label"] for c in table["cols"]]
    return [dict(zip(names, ((cell or {}).get("v") for cell in row["c"]))) for row in table["rows"]]


def hlo_stats(document):
    out = {}
    for r in rows_of(document):
        took = r["Total time (us)"]
        out[f"{r['Program id']} {r['HLO op name']}"] = {
            "count": round(r["#Occurrences"]), "total_ps": ps(took), "self_ps": ps(r["Total self time (us)"]),
            "flops": amount(r["Model GFLOP/s"], r["Total self time (us)"], 1e9),
            "bytes": amount(r["Measured memory BW (GiB/s)"], r["Total self time (us)"], GIB)}
    return out


def op_profile(document):
    """Ops of a category of a program. What a fusion holds is under it, equal ops are under their group."""
    out = {}

    def look(node, program, category, depth):
        children = node.get("children", [])
        if depth == 1:
            program = node["name"]
        if depth == 2:
            category = node["name"]
        if depth >= 3 and not node["name"].endswith("duplicate(s)"):
            children = []
            m = node["metrics"]
            out[f"{program} {category} {node['name']}"] = {
                "count": m["occurrences"], "self_ps": round(m["rawTime"]), "flops": round(m["rawFlops"]),
                "bytes": round(sum(m["rawBytesAccessedArray"][:1]))}
        for child in children:
            look(child, program, category, depth + 1)

    look(document["byProgramExcludeIdle"], "", "", 0)
    return out


def framework_op_stats(document):
    """On a device the kinds of operators, on a host the operators. Times alone are sums: a count is that of one instruction."""
    out = {}
    for r in rows_of(document[0]):
        if r["Operation Type"] == "IDLE":
            continue
        kind = r["Operation Type"] if r["Operation Type"] != "Unknown" else ""
        of_host = r["Operation Name"] if kind in ("", "Dataset") else f"{r['Operation Name']}:{kind}"
        name = f"device {kind}" if r["Host/device"] == "Device" else f"host {of_host}"
        took = r["Total self-time (us)"]
        row = out.setdefault(name, {"count": 0, "self_ps": 0, "flops": 0, "bytes": 0})
        row["count"] += round(r["#Occurrences"])
        row["self_ps"] += ps(took)
        row["flops"] += amount(r["Model FLOP Rate (GFLOP/s)"], took, 1e9)
        row["bytes"] += amount(r["Measured Memory BW (GBytes/Sec)"], took, GIB)
    return out


TABLES = {"hlo_stats": hlo_stats, "op_profile": op_profile, "framework_op_stats": framework_op_stats}


def tables_of(path):
    from xprof.convert import raw_to_tool_data  # pylint: disable=import-outside-toplevel,import-error
    out = {}
    for name, read in TABLES.items():
        with tempfile.TemporaryDirectory() as scratch:  # it writes beside what it reads
            folder = pathlib.Path(scratch) / "plugins" / "profile" / "run"
            folder.mkdir(parents=True)
            copy = folder / path.name
            shutil.copy(path, copy)
            document, _ = raw_to_tool_data.xspace_to_tool_data([str(copy)], name, {"use_saved_result": False})
        if not document:
            return None
        out[name] = read(json.loads(document))
    return out


def main():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from importlib import metadata  # pylint: disable=import-outside-toplevel
    print(json.dumps({"version": metadata.version("xprof"), "captures": [tables_of(pathlib.Path(p)) for p in sys.argv[1:]]}))


if __name__ == "__main__":
    main()
