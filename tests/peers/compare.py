#!/usr/bin/env python3
"""profkit beside other readers of the same captures, op by op.

    compare.py PROFKIT                           checks results/*.tsv and docs/compared.md against numbers/*.json
    compare.py PROFKIT --write                   writes them anew
    compare.py PROFKIT --run PEER PYTHON [--write]   asks the peer itself, in that Python, and checks or writes its numbers first

Captures are looked for under tests/data, then in the large corpus (PROFKIT_CORPUS). Of one that is not there the row of
results stays as it is. See README.md.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = pathlib.Path(os.environ.get("PROFKIT_CORPUS", ROOT.parent / "shared")) / "captures"
PAGE = ROOT / "docs" / "compared.md"
COLUMNS = ("count", "total_ps", "self_ps", "flops", "bytes")
FIELDS = ("capture", "table", "ops", "equal", "only_peer", "only_profkit", *COLUMNS, "verdict", "reasons")
# Of each peer the captures that it opens, by the names that results have.
XSPACES = {name: f"xspace/{name}.xplane.pb" for name in (
    "gpu_tf_2020_8gpu", "jax08_attention_mi300", "jax08_gemm_mi300", "tpu_v6e_inference")}
XSPACES["jax_te_fused_attn"] = "xspace/jax_te_fused_attn_934987a2fc2f.xplane.pb"
XSPACES |= {name: f"jax/{run}/vm.xplane.pb" for name, run in (
    ("cpu_mlp_nohlo", "mlp_nohlo/plugins/profile/2026_11_21_07_08_37"), ("cpu_mlp_train", "mlp_train/plugins/profile/2026_11_21_06_43_55"),
    ("cpu_multi_device", "multi_device/plugins/profile/2026_11_21_06_45_09"),
    ("cpu_transformer", "transformer/plugins/profile/2026_11_21_06_44_05"),
    ("cpu_two_process_rank0", "two_process/rank0/plugins/profile/2026_11_21_06_45_11"),
    ("cpu_two_process_rank1", "two_process/rank1/plugins/profile/2026_11_21_06_45_11"))}
TRACES = {name: f"kineto/{file}.json.gz" for name, file in (
    ("b200_eager", "b200_eager_trace"), ("dlrm_worker0", "dlrm_8_ranks/worker0_step_12.1694128201545.pt.trace"),
    ("h100_qwen", "h100_Qwen_Qwen1.5-0.5B-Chat__1016005"), ("h100_bert_small", "h100_gaunernst_bert-small-uncased__1016001"),
    ("mi300_sglang_decode", "inference_sglang_decode_sglang_Qwen3-8B_decode"), ("mi300_qwen", "mi300_Qwen_Qwen1.5-0.5B-Chat__1016005"),
    ("nccl_data", "nccl_data"), ("rank0_apr_03", "rank-0.Apr_03_18_51_38.1102.pt.trace"),
    ("resnet50_2021", "resnet50_nw0_1623143089861.pt.trace"))}
PEERS = {"xprof": XSPACES, "hta": TRACES, "tracelens": TRACES}
IN_DATA = {TRACES["h100_bert_small"]: "kineto/h100_bert_small.pt.trace.json.gz",
           XSPACES["cpu_two_process_rank0"]: XSPACES["cpu_two_process_rank0"].replace("two_process/rank0", "two_process_rank0")}
# Peers keep times and rates as numbers of floating point; TraceLens takes a time as an end less a start, in steps of 0.25 us at most.
UNITS = {"count": "count", "total_ps": "time", "self_ps": "self time", "flops": "operations", "bytes": "bytes"}
CLOSE, CLOSE_TIMES = 1e-6, {"tracelens": 1e-3}


def path_of(peer, name):
    """The file, or None where this machine does not have it."""
    capture = PEERS[peer][name]
    places = ROOT / "tests" / "data" / IN_DATA.get(capture, capture), CORPUS / capture
    return next((p for p in places if p.exists()), None)


class Profkit:
    def __init__(self, command):
        self.command = command

    def ask(self, *arguments):
        done = subprocess.run([self.command, *map(str, arguments), "--json", "--limit", "0", "-q"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, timeout=300, check=True)
        return json.loads(done.stdout)

    def groups(self, path, *keys):
        """[(names by key, group)] of the innermost groups."""
        names, out = [], []
        for g in self.ask("ops", path, "--by", ",".join(keys))["groups"]:
            names[g["depth"]:] = [g["name"]]
            if g["depth"] == len(keys) - 1:
                out.append((tuple(names), g))
        return out


def sums(groups, name_of, columns=COLUMNS):
    out = {}
    for names, g in groups:
        name = name_of(names)
        if name is None:
            continue
        row = out.setdefault(name, dict.fromkeys(columns, 0))
        for column in columns:
            row[column] += g[column]
    return out


def program_id(program):
    return program.rpartition("(")[2].rstrip(")")


def of_xprof(profkit, path, table, theirs):
    if table == "framework_op_stats":
        columns = ("count", "self_ps", "flops", "bytes")
        out = {f"device {name}": g for name, g in sums(profkit.groups(path, "op"), lambda n: n[0], columns).items()}
        for event in profkit.ask("framework", path)["names"]:
            if "host " + event["name"] in theirs:  # XProf lists 500 of a host at most
                row = out.setdefault("host " + event["name"], dict.fromkeys(columns, 0))
                row["count"] += event["count"]
                row["self_ps"] += event["total_ps"]
        return out
    if table == "hlo_stats":
        return sums(profkit.groups(path, "program", "instruction"), lambda n: f"{program_id(n[0])} {n[1]}" if n[1] else None)
    return sums(profkit.groups(path, "program", "category", "instruction"), lambda n: " ".join(n) if n[2] else None,
                ("count", "self_ps", "flops", "bytes"))


def spent(profkit, path):
    """How devices spent the time from the first kernel to the end of the last, by use."""
    found = profkit.ask("bubbles", path)
    uses = {}
    for part in found["time"]:
        if part["device"] is None and part["use"] != "idle":
            uses[part["use"]] = uses.get(part["use"], 0) + part["time_ps"]
    gaps = [d["gaps"] for d in found["devices"] if d["kernels"]]
    idle, span = (round(sum(g[key] for g in gaps) * 1e9) for key in ("device_gap_ms", "capture_span_ms"))
    return uses, idle, span


def of_hta(profkit, path, table, _):
    if table == "kernel_breakdown":
        return sums(profkit.groups(path, "kernel"), lambda n: n[0], ("count", "total_ps"))
    uses, idle, span = spent(profkit, path)
    busy = {"compute": uses.pop("compute", 0), "not compute": sum(uses.values()), "idle": idle, "span": span}
    return {name: {"self_ps": took} for name, took in busy.items()}


def of_tracelens(profkit, path, table, _):
    if table == "gpu_timeline":
        uses, idle, span = spent(profkit, path)
        named = {"computation_time": uses.get("compute", 0), "exposed_comm_time": uses.get("exposed_communication", 0),
                 "exposed_memcpy_time": uses.get("exposed_copies", 0), "idle_time": idle, "busy_time": span - idle, "total_time": span}
        return {name: {"self_ps": took} for name, took in named.items()}
    if table == "kernel_launchers":
        return sums(profkit.groups(path, "op"), lambda n: n[0] or None, ("count", "self_ps"))
    by_shape = profkit.groups(path, "op", "shape")
    name_of = lambda n: f"{n[0]} {n[1] or '[]'}" if n[0] else None  # pylint: disable=unnecessary-lambda-assignment
    if table == "kernel_launchers_by_shape":
        return sums(by_shape, name_of, ("count", "self_ps"))
    return sums([(n, g) for n, g in by_shape if g["flops"] or g["bytes"]], name_of, ("flops", "bytes"))


SIDES = {"xprof": of_xprof, "hta": of_hta, "tracelens": of_tracelens}


def apart(ours, theirs):
    """By how much two numbers differ, of the larger."""
    return 0.0 if ours == theirs else abs(ours - theirs) / max(abs(ours), abs(theirs))


def compared(ours, theirs, close_times):
    """A row of results, and what differs: [(column, op, ours, theirs)]"""
    differs, equal, worst = [], 0, {}
    for op in sorted(ours.keys() & theirs.keys()):
        same = True
        for column in COLUMNS:
            if column in ours[op] and column in theirs[op]:
                by = apart(ours[op][column], theirs[op][column])
                worst.setdefault(column, 0.0)
                if by > (close_times if column.endswith("_ps") else CLOSE):
                    worst[column] = max(worst[column], by)
                    same = False
                    differs.append((column, op, ours[op][column], theirs[op][column]))
        equal += same
    only_peer, only_ours = sorted(theirs.keys() - ours.keys()), sorted(ours.keys() - theirs.keys())
    differs += [("only_peer", op, None, theirs[op]) for op in only_peer] + [("only_profkit", op, ours[op], None) for op in only_ours]
    row = {"ops": len(ours.keys() | theirs.keys()), "equal": equal, "only_peer": len(only_peer), "only_profkit": len(only_ours)}
    row.update({column: "-" if column not in worst else f"{worst[column]:.2g}" if worst[column] else "0" for column in COLUMNS})
    row["verdict"] = "different" if differs else "equal"
    return row, differs


def numbers_file(peer):
    return HERE / "numbers" / f"{peer}.json"


def written_numbers(numbers):
    """One op a line, in order."""
    out = ['{"version": ' + json.dumps(numbers["version"]) + ', "date": ' + json.dumps(numbers["date"]) + ', "captures": {']
    for at, (capture, tables) in enumerate(numbers["captures"].items()):
        out.append(f" {json.dumps(capture)}: {{")
        for i, (table, ops) in enumerate(tables.items()):
            end = "," if i + 1 < len(tables) else ""
            if not isinstance(ops, dict):
                out.append(f"  {json.dumps(table)}: {json.dumps(ops)}{end}")
                continue
            lines = [f"   {json.dumps(op)}: {json.dumps(ops[op])}" for op in sorted(ops)]
            out.append(f"  {json.dumps(table)}: {{")
            out.append(",\n".join(lines) + "}" + end if lines else "  }" + end)
        out.append(" }" + ("," if at + 1 < len(numbers["captures"]) else ""))
    return "\n".join(out) + "\n}}\n"


def asked(peer, python):
    """The peer itself, of the captures that this machine has."""
    captures = [c for c in PEERS[peer] if path_of(peer, c)]
    done = subprocess.run([python, HERE / f"peer_{peer}.py", *(path_of(peer, c) for c in captures)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=1800, check=True)
    found = json.loads(done.stdout)
    return found["version"], dict(zip(captures, found["captures"]))


def results_of(peer, profkit, numbers):
    """[(row, what differs)] of the captures that this machine has."""
    out = []
    for capture, tables in numbers["captures"].items():
        path = path_of(peer, capture)
        if path is None:
            continue
        if "error" in tables:
            out.append(({"capture": capture, "table": "all", "verdict": "not opened"}, [("not_opened", "", None, None)]))
            continue
        for table, theirs in tables.items():
            row, differs = compared(SIDES[peer](profkit, path, table, theirs), theirs, CLOSE_TIMES.get(peer, CLOSE))
            out.append(({"capture": capture, "table": table, **row}, differs))
    return out


def read_results(peer):
    path = HERE / "results" / f"{peer}.tsv"
    lines = path.read_text().splitlines() if path.exists() else []
    return [dict(zip(FIELDS, line.split("\t"))) for line in lines[1:]]


def write_results(peer, rows):
    lines = ["\t".join(FIELDS)] + ["\t".join(str(r.get(f, "-")) for f in FIELDS) for r in rows]
    (HERE / "results" / f"{peer}.tsv").write_text("\n".join(lines) + "\n")


def reasons():
    return tomllib.loads((HERE / "reasons.toml").read_text())["reason"]


def is_reason(reason, peer, capture, table, column, op):
    fits = lambda key, value: key not in reason or any(re.fullmatch(p, value) for p in reason[key])
    return (reason["peer"] == peer and column in reason["columns"] and fits("captures", capture) and fits("tables", table)
            and re.fullmatch(reason.get("ops", ".*"), op) is not None)


def reasons_of(peer, row, differs):
    """The ids of the reasons of a row; '?' for a number that has none."""
    found = set()
    for column, op, *_ in differs:
        ids = {r["id"] for r in reasons() if is_reason(r, peer, row["capture"], row["table"], column, op)}
        found |= ids or {f"? {column} {op}"}
    return ",".join(sorted(found)) or "-"


def wrapped(text, indent=""):
    return "\n".join(textwrap.wrap(text, 138, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def differing(row):
    """What differs in a row of results, in words."""
    if row["verdict"] == "not opened":
        return "not opened"
    worst = [f"{UNITS[c]} {row[c]}" for c in COLUMNS if row[c] not in ("0", "-")]
    alone = {"only_peer": "only there", "only_profkit": "only here"}
    return ", ".join(worst + [f"{row[c]} {where}" for c, where in alone.items() if row[c] != "0"])


def table_of_page(peer):
    """What is committed, as the page has it: tables of one capture that differ alike share a line."""
    number = {r["id"]: i for i, r in enumerate(reasons(), 1)}
    right = {r["id"]: r["right"] for r in reasons()}
    equal, lines = {}, {}
    for row in read_results(peer):
        if row["verdict"] == "equal":
            if row["ops"] != "0":
                equal.setdefault(row["table"], []).append(f"{row['capture']} {row['ops']}")
            continue
        ids = sorted(row["reasons"].split(","), key=number.get)
        by_side = {side: [f"({number[i]})" for i in ids if right[i] == side] for side in dict.fromkeys(map(right.get, ids))}
        who = ", ".join(f"{side} {' '.join(places)}" for side, places in by_side.items())
        alone = row["ops"] == row["only_profkit"] != "-"  # all of a CPU is
        name = row["capture"].partition("_")[0] + "_*" if alone else row["capture"]
        lines.setdefault((name, "all only here" if alone else differing(row), who), []).append(row)
    out = ["| capture | table | ops | equal | differs, at most by | who is right |", "|---|---|---|---|---|---|"]
    for (capture, differs, who), rows in lines.items():
        tables = ", ".join(dict.fromkeys(r["table"] for r in rows))
        ops, same = (", ".join(r[c] for r in rows) if len(rows) < 4 else sum(int(r[c]) for r in rows)
                     for c in ("ops", "equal"))
        out.append(f"| {capture} | {tables} | {ops} | {same} | {differs} | {who} |")
    same = "; ".join(f"{table}: {', '.join(captures)}" for table, captures in equal.items())
    return "\n".join(out) + "\n" + (f"\n{wrapped(f'All ops equal, of {same}.')}\n" if equal else "")


def versions():
    said = {peer: json.loads(numbers_file(peer).read_text()) for peer in PEERS}
    commit = re.search(r"TraceLens@(\w{8})", (HERE / "install").read_text())[1]
    names = {"xprof": "XProf", "hta": "HolisticTraceAnalysis", "tracelens": f"TraceLens (commit {commit})"}
    return "; ".join(f"{names[p]} {n['version']}, asked on {n['date']}" for p, n in said.items()) + ".\n"


def page_with_tables(text):
    """The page with its generated parts made anew; each stands between two comments."""
    parts = {peer: table_of_page(peer) for peer in PEERS} | {"versions": versions()}
    parts["reasons"] = "".join(wrapped(f"{i}. **{r['right']}** {r['why']}", "   ") + "\n" for i, r in enumerate(reasons(), 1))
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        head, found, rest = text.partition(begin)
        assert found and end in rest, f"docs/compared.md has no place for {name}"
        text = head + begin + "\n" + part + "\n" + end + rest.partition(end)[2]
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profkit")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--run", nargs=2, action="append", default=[], metavar=("PEER", "PYTHON"))
    parser.add_argument("--date", default="")
    parser.add_argument("--show", action="store_true", help="every number that differs")
    args = parser.parse_args()
    wrong = []
    for peer, python in args.run:
        version, captures = asked(peer, python)
        stored = json.loads(numbers_file(peer).read_text()) if numbers_file(peer).exists() else {"captures": {}}
        if args.write:
            stored = {"version": version, "date": args.date or stored.get("date", ""), "captures": {**stored["captures"], **captures}}
            numbers_file(peer).parent.mkdir(exist_ok=True)
            numbers_file(peer).write_text(written_numbers(stored))
        else:
            wrong += [f"{peer} {c}: not the numbers that are stored" for c in captures if captures[c] != stored["captures"].get(c)]
    for peer in PEERS:
        found = results_of(peer, Profkit(args.profkit), json.loads(numbers_file(peer).read_text()))
        rows = {}
        for row, differs in found:
            row["reasons"] = reasons_of(peer, row, differs)
            rows[row["capture"], row["table"]] = {f: str(row.get(f, "-")) for f in FIELDS}
            if args.show:
                for each in differs:
                    print(peer, row["capture"], row["table"], *each, sep=" | ")
            if "?" in row["reasons"]:
                wrong.append(f"{peer} {row['capture']} {row['table']}: no reason is given for {row['reasons']}")
        kept = {(r["capture"], r["table"]): r for r in read_results(peer)}
        if args.write:
            (HERE / "results").mkdir(exist_ok=True)
            write_results(peer, [row for _, row in sorted((kept | rows).items())])
        else:
            wrong += [f"{peer} {key}: {kept.get(key)} is committed, {rows[key]} is found" for key in rows if rows[key] != kept.get(key)]
    used = {i for peer in PEERS for r in read_results(peer) for i in r["reasons"].split(",")}
    wrong += [f"reason {r['id']}: nothing differs for it" for r in reasons() if r["id"] not in used]
    page = page_with_tables(PAGE.read_text())
    if args.write:
        PAGE.write_text(page)
    elif page != PAGE.read_text():
        wrong.append("the tables of docs/compared.md are not those of the results: compare.py PROFKIT --write")
    print("\n".join(wrong) if wrong else "as committed")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
