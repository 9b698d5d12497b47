#!/usr/bin/env python3
"""Compares the JSON documents with what the eight reference tools printed, fact by fact.

compare_goldens.py WRITE_DOCUMENT

The goldens are the reference tools' text for each data set; every line of it becomes a tuple of facts that is looked
for in our documents. Where the reference is known to be wrong or to stop short, KNOWN_DEFECTS says so and why, and
the comparison checks what is right instead. Needs the large corpus (PROFKIT_CORPUS, else ../shared beside the source
tree); without it the test is skipped. --self-test shows that a wrong fact is noticed.
"""
import ast
import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77

# What the reference tools get wrong or leave out (specification of the goldens, sections 2 and 10), by where it is
# dealt with below. Nothing else may differ.
KNOWN_DEFECTS = {
    "damage is a traceback": "A damaged file ends the reference with a traceback and exit status 1; we tell the byte "
    "offset, keep what is intact and end with status partial or error.",
    "first file only": "The reference reads the first *.xplane.pb of a directory; we read all and the comparison looks "
    "at that file's rows.",
    "first device plane only": "Steps, ops and collectives come from the first plane named /device:, whatever it is "
    "(an empty GPU, a custom plane); we look at every device plane.",
    "no fallback": "Without a 'Steps' line, without 'XLA Ops' or without a device plane the reference says absent; we "
    "fall back (modules, device streams, host events) and name the source.",
    "refs are numbers": "A ref_value prints as the number of its stat metadata; our value is the name it refers to and "
    "'ref' the number.",
    "hash order": "Metadata rows come in the order of a hash table; ours by ascending signed key, so rows are looked up "
    "by key.",
    "ties in hash order": "Modules of equal size come in the order of a hash table; they are compared as a set.",
    "missing directory is absent": "A directory that does not exist is 'absent', exit status 0; we say not_found.",
    "nothing there is absent": "An empty directory and an empty file are 'absent', exit status 0; we say not_found of the "
    "one, and of the other that nothing can be read.",
    "missing names": "A metadata id without an entry prints '?'; our name is empty.",
    "the file's name names the host": "A file without hostnames belongs to no host there; we take HOST of "
    "HOST.xplane.pb.",
    "aggregates are no steps": "An aggregated event (num_occurrences) has no place in time; the reference lists it.",
    "one event is no pair": "The reference has no stall for one-event flows; we take it from the done operation.",
    "a wait longer than the flight": "The reference prints a wait by the device's clock beside a flight by the host's that "
    "is shorter; the two cannot be compared, and ours is null.",
}


def text_facts(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()


def literal(text):
    return ast.literal_eval(text)


# A Python string or bytes literal as repr() writes it.
REPR = r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*\""""


class Mismatch(Exception):
    pass


def expect(what, wanted, found):
    if wanted != found:
        raise Mismatch(f"{what}: the reference has {wanted!r}, we have {found!r}")


class Documents:
    """Our documents of one data set, each written once."""

    def __init__(self, writer, directory):
        self.writer, self.directory = writer, directory

    @functools.lru_cache(maxsize=None)
    def run(self, *arguments):
        name, *rest = arguments
        done = subprocess.run([self.writer, name, str(self.directory), *map(str, rest)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode("utf-8")

    def get(self, name, limit=0):
        status, text = self.run(name, limit)
        document = json.loads(text)
        if status != {"ok": 0, "absent": 0, "partial": 5, "error": 4}[document["status"]]:
            raise Mismatch(f"{name}: exit status {status} with status {document['status']}")
        return document

    def entry(self, module):
        return self.run("entry", module)[1].splitlines()

    @functools.lru_cache(maxsize=None)
    def first_xspace(self):
        """The file the reference read: its number in our documents."""
        files = self.get("info")["files"]
        own = sorted((f["path"], f["file"]) for f in files if f["family"] == "xspace")
        return own[0][1] if own else None

    def info_planes(self):
        return self.get("info")["files"][self.first_xspace()]["planes"]

    def tree_planes(self, limit):
        return [f for f in self.get("tree", limit)["files"] if f["file"] == self.first_xspace()][0]["planes"]

    def device_plane(self):
        for number, plane in enumerate(self.info_planes()):
            if plane["name"].startswith("/device:"):
                return number
        return None

    def of_plane(self, rows, plane):
        return [r for r in rows if r["file"] == self.first_xspace() and r["plane"] == plane]

    @functools.lru_cache(maxsize=None)
    def stat_kinds(self, plane):
        """Stats of each event metadata entry: metadata id -> {name: stat}, of equal names the last."""
        rows = self.of_plane(self.get("metadata")["planes"], plane)[0]["event_entries"]
        return {row["metadata_id"]: {s["name"]: s for s in row["stats"]} for row in rows}


def same_name(wanted, found):
    return wanted == found or (wanted == "?" and found == "")


def stat_fact(stat):
    """(kind, value) of one of our stats in the reference's terms."""
    kind = stat["kind"]
    value = stat["value"]
    if kind in ("int64", "uint64"):
        value = int(value)
    elif kind == "bytes":
        value = bytes.fromhex(value)
    elif kind == "ref":
        value = int(stat["ref"])
    elif kind == "double":
        value = float("nan") if value is None else float(value)
    return kind + "_value", value


def check_stat(where, name, kind, value, stat):
    if not same_name(name, stat["name"]):
        expect(f"{where}: stat", name, stat["name"])
    expect(f"{where}: {name}", (kind, value), stat_fact(stat))


def data_fact(event):
    if event["offset_ps"] is not None:
        return "offset_ps", str(event["offset_ps"])
    if event["num_occurrences"] is not None:
        return "num_occurrences", str(event["num_occurrences"])
    return "None", "None"


# ---- the tools -------------------------------------------------------------------------------------------------


def check_walk(documents, lines, _arguments):
    facts = 0
    planes = iter(documents.tree_planes(5))
    plane = line = event = None
    lines_of = events_of = stats_of = iter(())
    header = documents.get("tree", 5)["files"]
    own = [f for f in header if f["file"] == documents.first_xspace()][0]
    for text in lines[1:]:
        facts += 1
        if m := re.fullmatch(r"  hostnames=(\[.*\]) errors=(\d+) warnings=(\d+)", text):
            named = [pathlib.Path(own["path"]).name.split(".")[0]]   # KNOWN_DEFECTS: the file's name names the host
            expect("hosts", literal(m[1]) or named, own["hosts"])
            expect("errors, warnings", (int(m[2]), int(m[3])), (len(own["errors"]), len(own["warnings"])))
        elif m := re.fullmatch(rf"  XPlane id=(-?\d+) name=({REPR})  lines=(\d+) event_metadata=(\d+) "
                               r"stat_metadata=(\d+) stats=(\d+)", text):
            plane = next(planes)
            lines_of = iter(plane["lines"])
            expect("plane", (m[1], literal(m[2])), (plane["id"], plane["name"]))
            expect("counts of " + plane["name"], tuple(int(m[i]) for i in range(3, 7)),
                   (plane["line_count"], plane["event_metadata"], plane["stat_metadata"], len(plane["stats"])))
        elif m := re.fullmatch(
            rf"    XLine id=(-?\d+) name=({REPR})  timestamp_ns=(-?\d+) duration_ps=(-?\d+) events=(\d+)", text
        ):
            line = next(lines_of)
            events_of = iter(line["events"])
            expect("line", (m[1], literal(m[2]), m[3], int(m[4]), int(m[5])),
                   (line["id"], line["name"], line["timestamp_ns"], line["duration_ps"], line["event_count"]))
        elif m := re.fullmatch(rf"      XEvent metadata_id=(-?\d+) name=({REPR})  (\w+)=(-?\w+) duration_ps=(-?\d+) "
                               r"stats=(\d+)", text):
            event = next(events_of)
            stats_of = iter(event["stats"])
            if not same_name(literal(m[2]), event["name"]):
                expect("event", literal(m[2]), event["name"])
            expect("event", (m[1], (m[3], m[4]), int(m[5]), int(m[6])),
                   (event["metadata_id"], data_fact(event), event["duration_ps"], event["stat_count"]))
        elif m := re.fullmatch(rf"        XStat name=({REPR})  (\w+)=(.*)", text):
            check_stat(event["name"], literal(m[1]), m[2], literal(m[3]), next(stats_of))
        elif m := re.fullmatch(r"      \.\.\. \((\d+) more events\)", text):
            expect("events left out", int(m[1]), line["events_left_out"])
        elif m := re.fullmatch(r"    \.\.\. \((\d+) more lines\)", text):
            expect("lines left out", int(m[1]), plane["lines_left_out"])
        else:
            raise Mismatch("unread line: " + text)
    expect("further planes", None, next(planes, None))
    return facts


def check_metadata(documents, lines, _arguments):
    facts = 0
    lines = [text for text in lines if text]   # an empty file prints nothing at all
    planes = iter([p for p in documents.get("metadata")["planes"] if p["file"] == documents.first_xspace()])
    plane, table = None, None
    shown = 0
    for text in lines:
        facts += 1
        if m := re.fullmatch(rf"=== Plane ({REPR})  event_metadata=(\d+) stat_metadata=(\d+) ===", text):
            plane = next(planes)
            expect("plane", (literal(m[1]), int(m[2]), int(m[3])),
                   (plane["name"], len(plane["event_entries"]), len(plane["stat_entries"])))
        elif text.startswith("  -- event_metadata"):
            table, shown = {r["metadata_id"]: r for r in plane["event_entries"]}, 0
        elif text.startswith("  -- stat_metadata"):
            table, shown = {r["metadata_id"]: r for r in plane["stat_entries"]}, 0
        elif m := re.fullmatch(rf"    \[(-?\d+)\] name=({REPR}) display=({REPR}) child_id=(\[.*\])", text):
            shown += 1
            row = table[m[1]]   # KNOWN_DEFECTS: hash order
            expect(f"entry {m[1]}", (literal(m[2]), literal(m[3]), literal(m[4])),
                   (row["name"], row["display_name"], [int(i) for i in row["child_ids"]]))
        elif m := re.fullmatch(rf"    \[(-?\d+)\] name=({REPR}) description=({REPR})", text):
            shown += 1
            row = table[m[1]]
            expect(f"entry {m[1]}", (literal(m[2]), literal(m[3])), (row["name"], row["description"]))
        elif m := re.fullmatch(r"    \.\.\. \((\d+) more\)", text):
            expect("entries left out", int(m[1]), len(table) - shown)
        else:
            raise Mismatch("unread line: " + text)
    expect("further planes", None, next(planes, None))
    for p in documents.get("metadata")["planes"]:
        for entries in (p["event_entries"], p["stat_entries"]):
            keys = [int(r["metadata_id"]) for r in entries]
            expect("ascending keys", sorted(keys), keys)
    return facts


def check_steps(documents, lines, _arguments):
    steps = documents.get("steps")
    if lines[0].startswith("[absent]"):
        # KNOWN_DEFECTS: no fallback, first device plane only
        plane = documents.device_plane()
        if plane is not None:
            for row in documents.of_plane(steps["steps"], plane):
                if row["source"] == "Steps":
                    raise Mismatch("we read a Steps line where the reference finds none")
        return 1
    plane = documents.device_plane()
    m = re.fullmatch(rf"Plane ({REPR})  Line 'Steps'  timestamp_ns=(-?\d+) duration_ps=(-?\d+) events=(\d+)", lines[0])
    expect("plane", literal(m[1]), documents.info_planes()[plane]["name"])
    rows = documents.of_plane(steps["steps"], plane)
    line = [r for r in documents.tree_planes(0)[plane]["lines"] if r["name"] == "Steps"][0]
    aggregates = sum(e["num_occurrences"] is not None for e in line["events"])
    expect("steps", int(m[4]) - aggregates, len(rows))   # KNOWN_DEFECTS: aggregates are no steps
    expect("source", {"Steps"}, {r["source"] for r in rows})
    wanted = []
    left_out = 0
    for text in lines[1:]:
        if row := re.fullmatch(rf"  step name=({REPR})  offset_ps=(-?\d+) duration_ps=(\d+)  \(~([\d.]+) us\)", text):
            wanted.append((literal(row[1]), int(row[2]), int(row[3])))
        elif row := re.fullmatch(r"  \.\.\. \((\d+) more\)", text):
            left_out = int(row[1])
        else:
            raise Mismatch("unread line: " + text)
    expect("steps told", len(rows) + aggregates, len(wanted) + left_out)
    base = rows[0]["start_ps"] - wanted[0][1]
    expect("rows", wanted, [(r["name"], r["start_ps"] - base, r["duration_ps"]) for r in rows[:len(wanted)]])
    return len(lines)


def check_ops(documents, lines, _arguments):
    ops = documents.get("ops")
    plane = documents.device_plane()
    if lines[0].startswith("[absent]"):
        # KNOWN_DEFECTS: no fallback, first device plane only
        if plane is not None:
            for line in documents.of_plane(ops["lines"], plane):
                if line["line_name"] == "XLA Ops":
                    raise Mismatch("we read an 'XLA Ops' line where the reference finds none")
        return 1
    m = re.match(rf"Plane ({REPR})  Line 'XLA Ops'  events=(\d+)", lines[0])
    expect("plane", literal(m[1]), documents.info_planes()[plane]["name"])
    line = [r for r in documents.of_plane(ops["lines"], plane) if r["line_name"] == "XLA Ops"][0]
    expect("events", int(m[2]), line["events"])
    expect("executions", int(m[2]), sum(op["count"] for op in line["ops"]))
    shown = [r for r in documents.tree_planes(20)[plane]["lines"] if r["line"] == line["line"]][0]
    events = iter(shown["events"])
    by_id = {op["metadata_id"]: op for op in line["ops"]}
    event = None
    for text in lines[1:]:
        if row := re.fullmatch(rf"  event hlo_op=({REPR}) duration_ps=(\d+)", text):
            event = next(events)
            expect("event", (literal(row[1]), int(row[2])), (event["name"][:60], event["duration_ps"]))
            op = by_id[event["metadata_id"]]
            took = event["duration_ps"]
            if line["clock"] == "device":   # the range is of the device's own durations, the text of the timeline's
                took = {s["name"]: s["value"] for s in event["stats"]}["device_duration_ps"]
            if not op["min_ps"] <= int(took) <= op["max_ps"]:
                raise Mismatch(f"{op['name']}: {took} ps is outside of the op's range")
        elif row := re.fullmatch(r"    (\w+): \((\w+)\) (.*)", text):
            stat = documents.stat_kinds(plane)[event["metadata_id"]][row[1]]
            check_stat(event["name"], row[1], row[2], literal(row[3]), stat)
            expect("the op's " + row[1], stat["value"], by_id[event["metadata_id"]]["stats"][row[1]])
        elif row := re.fullmatch(r"  \.\.\. \((\d+) more\)", text):
            expect("events left out", int(row[1]), line["events"] - 20)
        else:
            raise Mismatch("unread line: " + text)
    return len(lines)


def dimensions_of(shape):
    if shape.startswith("("):
        return "scalar"
    inner = re.match(r"\w+\[([^\]]*)\]", shape)[1]
    return inner.replace("<=", "").replace(",", "x") if inner else "scalar"


def check_modules(documents, lines, arguments):
    modules = documents.get("modules")["modules"]
    embedded = [m for m in modules if m["file"] == documents.first_xspace() and m["plane"] >= 0]
    files = documents.get("info")["files"]
    siblings = {pathlib.Path(f["path"]).name: f for f in files if f["family"] == "hlo_proto"}
    wanted, listed, facts = [], [], 0
    entry = None
    for text in lines:
        facts += 1
        if not text:
            continue
        if m := re.fullmatch(r"Hlo Proto blobs embedded in .*: (\d+)", text):
            expect("modules", int(m[1]), len(embedded))
        elif m := re.fullmatch(r"  (.{60})  id=(-?\d+) *comps=(\d+) *insts=(\d+) *bytes=(\d+)", text):
            wanted.append((m[1].rstrip(), *(int(m[i]) for i in range(2, 6))))
        elif text.startswith("[absent] no 'Hlo Proto' XStat"):
            expect("modules", [], embedded)
        elif text.startswith("[absent] no standalone"):
            expect("siblings", [], [n for n in siblings if n.endswith(".hlo_proto.pb")])
        elif m := re.fullmatch(r"Standalone \*\.hlo_proto\.pb files in .*: (\d+)", text):
            expect("siblings", int(m[1]), len(siblings))
        elif m := re.fullmatch(r"  (.*\.hlo_proto\.pb)  \((\d+) bytes\)", text):
            listed.append((m[1], int(m[2])))
        elif m := re.fullmatch(r"\[absent\] no module name contains (.*)", text):
            expect("entry", ["none"], documents.entry(literal(m[1])))
        elif m := re.fullmatch(rf"--- entry computation ({REPR}) \((\d+) instructions\) ---", text):
            dump = [row.split("\t") for row in documents.entry(arguments[1])]
            expect("entry computation", ["computation", literal(m[1])], dump[0])
            entry = [row for row in dump if row[0] == "proto"]
            expect("instructions", int(m[2]), len(entry))
            scheduled = sorted(row[1:] for row in dump if row[0] == "schedule")
            expect("the schedule runs every instruction", sorted(row[1:] for row in entry), scheduled)
            entry = iter(entry)
        elif entry and (m := re.fullmatch(r"  \.\.\. \((\d+) more instructions\)", text)):
            expect("instructions left out", int(m[1]), len(list(entry)))
        elif entry and (m := re.fullmatch(r"  (\S+) +(\S+) +(\S+)", text)):
            row = next(entry)
            expect("instruction", (m[1], m[2], m[3]), (row[1], row[2][:50], dimensions_of(row[3])))
        else:
            raise Mismatch("unread line: " + text)
    found = [(m["name"][:60], int(m["module_id"]), m["computations"], m["instructions"], m["bytes"]) for m in embedded]
    expect("order by size", sorted((r[4] for r in found), reverse=True), [r[4] for r in found])
    expect("modules", sorted(wanted), sorted(found))   # KNOWN_DEFECTS: ties in hash order
    expect("siblings", listed, sorted((n, f["bytes"]) for n, f in siblings.items() if listed))
    if listed and embedded:
        expect("siblings that repeat a module", {name for name, _ in listed},
               {pathlib.Path(m["sibling_path"]).name for m in embedded if m["sibling_path"]})
        expect("states", set(), {m["sibling"] for m in embedded} - {"same_bytes", "same_content"})
    return facts


def check_framework(documents, lines, _arguments):
    planes = documents.info_planes()
    numbers = [i for i, p in enumerate(planes) if p["name"] == "/host:CPU"]
    if lines[0].startswith("[absent]"):
        expect("host planes", [], numbers)
        return 1
    number = numbers[0]
    m = re.fullmatch(rf"Plane ({REPR})  lines=(\d+)  event_metadata=(\d+)", lines[0])
    expect("plane", (literal(m[1]), int(m[2]), int(m[3])),
           (planes[number]["name"], len(planes[number]["lines"]), planes[number]["event_metadata"]))
    document = documents.get("framework", 20)
    events = iter(documents.of_plane(document["events"], number))
    names, seen = collections.Counter(), collections.Counter()
    for row in documents.get("framework", 0)["names"]:
        names[row["name"]] += row["count"]
    expect("events of all names", sum(
        line["events"] for file in documents.get("info")["files"] for p in file["planes"] if p["kind"] == "host"
        for line in p["lines"] if line["kind"] != "derived"), document["matched"])
    event, stats, base = None, iter(()), None
    for text in lines[1:]:
        if m := re.fullmatch(rf"  XLine name=({REPR})  events=(\d+)", text):
            base = None
            line_name = literal(m[1])
            if (line_name, int(m[2])) not in [(r["name"], r["events"]) for r in planes[number]["lines"]]:
                raise Mismatch("no such line: " + text)
        elif m := re.fullmatch(rf"    event metadata\.name=({REPR})  (\w+)=(-?\w+) duration_ps=(\d+)", text):
            expect("stats of the event before", None, next(stats, None))
            event = next(events)
            stats = iter(event["stats"])
            if not same_name(literal(m[1]), event["name"][:60]):
                expect("event", literal(m[1]), event["name"])
            expect("event", (line_name, int(m[4])), (event["line_name"], event["duration_ps"]))
            seen[event["name"]] += 1
            if names[event["name"]] < seen[event["name"]]:
                raise Mismatch("the total of " + event["name"] + " is less than what is listed")
            if m[2] == "offset_ps":
                if base is None:
                    base = event["start_ps"] - int(m[3])
                expect("start of " + event["name"], int(m[3]), event["start_ps"] - base)
            elif m[2] == "num_occurrences":
                expect("start of an aggregate", None, event["start_ps"])
        elif m := re.fullmatch(r"      (.*?): \((\w+)\) (.*)", text):
            stat = dict(next(stats))
            if stat["kind"] == "str" and len(stat["value"]) > 80:
                stat["value"] = stat["value"][:77] + "..."
            check_stat(event["name"], m[1], m[2], literal(m[3]), stat)
        else:
            raise Mismatch("unread line: " + text)
    return len(lines)


def check_collectives(documents, lines, _arguments):
    plane = documents.device_plane()
    document = documents.get("collectives")
    if lines[0].startswith("[absent]"):
        # KNOWN_DEFECTS: no fallback, first device plane only
        if plane is not None:
            names = [r["name"] for r in documents.info_planes()[plane]["lines"] if r["events"]]
            expect(
                "async rows", False, bool(documents.of_plane(document["async"], plane)) and "Async XLA Ops" not in names
            )
        return 1
    m = re.fullmatch(rf"Plane ({REPR})  Line 'Async XLA Ops'  events=(\d+)", lines[0])
    expect("plane", literal(m[1]), documents.info_planes()[plane]["name"])
    rows = documents.of_plane(document["async"], plane)
    expect("events", int(m[2]), sum(r["events"] for r in rows))
    rows = [r for r in rows if r["flow"] is not None]
    expect("flows", int(re.match(r"  distinct flow IDs: (\d+)", lines[1])[1]), len(rows))
    groups = []
    for text in lines[2:]:
        if m := re.fullmatch(r"  flow=(\d+)  pair_size=(\d+)", text):
            groups.append((m[1], int(m[2]), []))
        elif m := re.fullmatch(rf"    event metadata\.name=({REPR})  hlo_op=({REPR}|None)  offset_ps=(\d+)  "
                               r"duration_ps=(\d+)  device_duration_ps=(\d+|None)", text):
            groups[-1][2].append((literal(m[1]), literal(m[2]), int(m[3]), int(m[4]), literal(m[5])))
        elif not re.fullmatch(r"  \.\.\. \((\d+) more flows?\)", text):
            raise Mismatch("unread line: " + text)
    base = rows[0]["start_ps"] - groups[0][2][0][2]
    for (flow, size, events), row in zip(groups, rows):
        first = events[0]
        expect("flow", (flow, size), (row["flow"], row["events"]))
        expect("flow " + flow, (first[0], first[1] or "", first[2]),
               (row["name"][:50], row["hlo_op"], row["start_ps"] - base))
        expect("end of flow " + flow, max(e[2] + e[3] for e in events), row["start_ps"] - base + row["duration_ps"])
        if size > 1:
            flight = max(e[2] + e[3] for e in events) - first[2]
            if events[-1][4] is not None and events[-1][4] > flight:   # KNOWN_DEFECTS: a wait longer than the flight
                expect("stall of flow " + flow, None, row["exposed_stall_ps"])
            else:
                expect("stall of flow " + flow, events[-1][4], row["exposed_stall_ps"])
        elif first[4] is None and row["exposed_from"] not in (None, "XLA Ops"):   # KNOWN_DEFECTS: one event is no pair
            raise Mismatch("a stall out of nothing: " + flow)
    return len(lines)


# Each reference tool: the document its facts are in, and the comparison.
TOOLS = {
    "walk_xplane": ("tree", check_walk),
    "dump_xplane_metadata": ("metadata", check_metadata),
    "extract_step_events": ("steps", check_steps),
    "extract_hlo_events": ("ops", check_ops),
    "extract_hlo_proto": ("modules", check_modules),
    "extract_framework_ops": ("framework", check_framework),
    "extract_collective_events": ("collectives", check_collectives),
}


def check_damaged(documents, name):
    """KNOWN_DEFECTS: damage is a traceback."""
    document = documents.get(name)
    if document["status"] == "error":
        told = [document]
    else:
        expect("status", "partial", document["status"])
        told = document["damage"]
    for fault in told:
        if fault["code"] not in ("damaged", "text_mangled") or not isinstance(fault["byte_offset"], int):
            raise Mismatch(f"{name}: the damage is not told: {fault}")
    return 1


def check_prefix(cut, whole):
    """Planes before the cut are those of the whole file."""
    offset = cut.get("tree", 5)["damage"][0]["byte_offset"]
    intact = cut.get("tree", 5)["files"][0]["planes"][:-1]
    expect("planes before the cut at " + str(offset), whole.get("tree", 5)["files"][0]["planes"][:len(intact)], intact)
    if len(intact) < 1:
        raise Mismatch("nothing is intact")
    return 1


def check_golden(golden, documents_of):
    command = golden.with_suffix(".cmd").read_text().splitlines()
    tool, data_set = golden.stem.split("__")[:2]
    arguments = command[0].split()[command[0].split().index(next(
        w for w in command[0].split() if w.startswith("in/"))) + 1:]
    name, check = TOOLS[tool]
    lines = text_facts(golden) or [""]
    if data_set == "nodir":   # KNOWN_DEFECTS: missing directory is absent
        document = documents_of("does_not_exist").get(name)
        expect("status", ("error", "not_found"), (document["status"], document["code"]))
        return 1
    refused = {"bad_emptydir": "not_found", "syn_empty_xspace": "unrecognised"}
    if data_set in refused:   # KNOWN_DEFECTS: nothing there is absent
        document = documents_of(data_set).get(name)
        expect("status", ("error", refused[data_set]), (document["status"], document["code"]))
        return 1
    documents = documents_of(data_set)
    if command[-1] != "# rc=0":
        facts = check_damaged(documents, name)
        if data_set == "bad_trunc" and tool == "walk_xplane":
            facts += check_prefix(documents, documents_of("tpu2"))
        return facts
    if lines[0].startswith("[absent] no *."):
        document = documents.get(name)
        # The mangled XSpace has no trace.json beside it; opening it at all is refused, with the reason.
        if data_set == "bad_utf8mangled":
            expect("code", "text_mangled", document["code"])
        elif data_set != "bad_trunc":
            expect("status", "absent", document["status"])
        return 1
    return check(documents, lines, arguments)


def corpus():
    given = os.environ.get("PROFKIT_CORPUS")
    root = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
    folder = pathlib.Path(given) if given else root / ".." / "shared"
    return folder / "oracles" / "xspace-and-memory"


def self_test(writer, folder):
    """Every wrong number in a golden must be noticed."""
    golden = folder / "golden" / "extract_hlo_events__tpu2.txt"
    lines = text_facts(golden)
    missed = []
    for number, text in enumerate(lines):
        changed = re.sub(r"(\d)(\D*)$", lambda m: str((int(m[1]) + 1) % 10) + m[2], text)
        if changed == text or "showing first" in text:
            continue
        try:
            check_ops(Documents(writer, folder / "in" / "tpu2"), lines[:number] + [changed] + lines[number + 1:], [])
            missed.append(changed)
        except (Mismatch, KeyError):
            pass
        if number > 12:
            break
    return missed


def main():
    writer, folder = sys.argv[1], corpus()
    if not (folder / "golden").is_dir():
        print(f"SKIPPED goldens: needs PROFKIT_CORPUS: {folder}")
        return SKIPPED
    sets = {}

    def documents_of(data_set):
        return sets.setdefault(data_set, Documents(writer, folder / "in" / data_set))

    failed = passed = facts = 0
    for golden in sorted((folder / "golden").glob("*.txt")):
        if golden.stem.split("__")[0] not in TOOLS:
            continue
        try:
            facts += check_golden(golden, documents_of)
            passed += 1
        except (Mismatch, KeyError, IndexError, StopIteration, TypeError, ValueError, SyntaxError) as wrong:
            failed += 1
            print(f"FAILED {golden.stem}: {type(wrong).__name__}: {wrong}")
    missed = self_test(writer, folder)
    for line in missed:
        print("not noticed: " + line)
    print(f"{facts} lines of facts compared")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
