#!/usr/bin/env python3
"""`profkit export`: every track, event, argument, flow and counter of four formats, from a description of the capture."""
import collections
import csv
import io
import json
import sys
from fractions import Fraction

import truth
import wire
import xspace as x

# ---- the description ----
#
# Two hosts whose clocks have other origins. Stats by name are (name, kind, value); a ref's value is the text.

ORIGIN_NS = {"alpha": 1_700_000_000_000_000_000, "beta": 1_700_000_000_000_250_000}
BIG = (1 << 53) + 1  # a number that a double cannot hold


class Event:
    def __init__(self, op, start_ps, duration_ps, *stats, occurrences=None):
        self.op, self.start_ps, self.duration_ps, self.stats = op, start_ps, duration_ps, stats
        self.occurrences = occurrences

    @property
    def end_ps(self):
        return self.start_ps + self.duration_ps


class Line:
    def __init__(self, key, name, base_ps, events, title="", counter=False):
        self.key, self.name, self.base_ps, self.events = key, name, base_ps, events
        self.title, self.counter = title or name or f"line {key}", counter
        self.display_name = title


# key: (name, display name, stats of the operation)
OPERATIONS = {
    1: ("fusion.1", "", [("flops", "int", 1000), ("note", "text", 'say "hi", ö\n')]),
    2: ("%copy.2 = f32[4]{0} copy(%p)", "copy.2", [("category", "ref", "data, movement")]),
    3: ("launch", "", []),
    4: ("", "", []),
    5: ("bytes in use", "", []),
}

# Line offsets count from base_ps on the capture's clock; the capture begins where alpha does.
CAPTURE = {
    "alpha": {
        "/device:GPU:0": [
            Line(7, "Stream #7(Kernel)", 1_000_000, [
                Event(1, 3_000_001, 1_000_000, ("correlation_id", "int", 11)),  # not in the order of time
                Event(1, 1_000_000, 1_000_000, ("correlation_id", "int", 12), ("flops", "int", -7)),
                Event(2, 2_000_000, 1_000_000),  # touches the one before
                Event(2, 2_500_000, 1_500_000, ("share", "double", 0.25)),  # overlaps it without nesting
                Event(4, 2_600_000, 400_000, ("big", "uint", BIG)),  # inside copy.2, to its very end
                Event(3, 4_000_001, 0, ("raw", "bytes", b"\x00\xff\x01")),  # an instant at the end of another
            ]),
            Line(9, "Stream #9(Memcpy)", 2_000_000, [Event(2, 0, 10)], title="copies, \"d2h\""),
            Line(12, "counters_0", 1_000_000, [Event(5, 0, 0, ("used", "int", 5), ("share", "double", 0.5)),
                                              Event(5, 3, 0, ("category", "ref", "no number")),
                                              Event(5, 7, 0, ("used", "int", 6), ("category", "ref", "no number"))],
                 counter=True),
            # Out of order, and two that only their stats tell apart: they keep the order of the file.
            Line(13, "", 1_000_000, [Event(1, 5, 6, ("flops", "int", 1)), Event(1, 5, 6, ("flops", "int", 2)),
                                     Event(1, 0, 0, occurrences=3), Event(2, 0, 5, ("big", "uint", 1 << 53))]),
        ],
        "/host:CPU": [
            Line(-5, "main", 500_000, [Event(3, 10, 100, ("correlation_id", "int", 12)),
                                       Event(3, 110, 100, ("correlation_id", "int", 11))]),
        ],
    },
    "beta": {
        "/device:GPU:0": [
            Line(7, "Stream #7(Kernel)", 250_000_000, [
                # Equal to alpha's in number, but of another host: no flow joins the two.
                Event(1, 1_000, 1_000, ("correlation_id", "int", 12)),
                Event(1, 1_000, 3_000),  # begins with it and lasts longer: its parent
                Event(2, 2_000, 2_000),  # touches the child, ends with the parent
            ]),
        ],
        "/host:CPU": [
            Line(1, "main", 250_000_000, [Event(3, 0, 1, ("correlation_id", "int", 12))]),
        ],
    },
}


def names_of_stats():
    """Ids of stat metadata: of the names, then of the texts that refs refer to."""
    ids = {}
    every = [s for planes in CAPTURE.values() for lines in planes.values() for line in lines for e in line.events
             for s in e.stats] + [s for _, _, stats in OPERATIONS.values() for s in stats]
    for name, kind, value in every:
        ids.setdefault(name, len(ids) + 1)
        if kind == "ref":
            ids.setdefault(value, len(ids) + 1)
    return ids


STAT_IDS = names_of_stats()


def stat_bytes(stat):
    name, kind, value = stat
    if kind == "ref":
        return x.stat(STAT_IDS[name], STAT_IDS[value], "ref")
    return x.stat(STAT_IDS[name], value, kind if kind in ("uint", "bytes") else None)


def bytes_of(host):
    planes = []
    for position, (name, lines) in enumerate(CAPTURE[host].items()):
        parts = []
        for line in lines:
            events = [x.event(e.op, None if e.occurrences else e.start_ps, e.duration_ps,
                              [stat_bytes(s) for s in e.stats], occurrences=e.occurrences) for e in line.events]
            # The line's own time is Unix time; what is not whole ns goes into no line here.
            base_ns = ORIGIN_NS["alpha"] + line.base_ps // 1000
            parts.append(x.line(line.key, line.name, events, base_ns, line.display_name))
        parts += [x.event_metadata(key, op[0], op[1], [stat_bytes(s) for s in op[2]]) for key, op in OPERATIONS.items()]
        parts += [x.stat_metadata(key, stat) for stat, key in STAT_IDS.items()]
        planes.append(x.plane(position + 1, name, *parts))
    planes.append(x.plane(9, "Task Environment", x.plane_stat(1, ORIGIN_NS[host], "uint"),
                          x.stat_metadata(1, "profile_start_time")))
    return x.space(*planes, hostnames=[host])


# ---- what follows from it ----

def title_of(event):
    name, display_name, _ = OPERATIONS[event.op]
    return display_name or name


def arguments(event, text):
    """Stats of the event, then those of its operation; `text` renders one."""
    name, display_name, shared = OPERATIONS[event.op]
    found = {s[0]: text(s) for s in shared}
    if display_name:
        found["long_name"] = name
    found.update((s[0], text(s)) for s in event.stats)
    return found


def json_value(stat):
    _, kind, value = stat
    if kind == "bytes":
        return f"<{len(value)} bytes>"
    if isinstance(value, int) and abs(value) > 1 << 53:
        return str(value)
    return Fraction(value) if isinstance(value, float) else value


def shift_ps(line):
    return line.base_ps


def in_order(line):
    """(start, event) on the capture's clock, in the order of time, parents before children."""
    placed = [(shift_ps(line) + e.start_ps, e) for e in line.events if e.occurrences is None]
    return sorted(placed, key=lambda p: (p[0], -p[1].duration_ps))


def lanes(line):
    """Events by lane: each goes to the first lane on which it follows or lies inside what is open."""
    found, open_ends = [], []
    for start, event in in_order(line):
        for lane, ends in enumerate(open_ends):
            while ends and ends[-1] <= start:
                ends.pop()
            if not ends or ends[-1] >= start + event.duration_ps:
                break
        else:
            lane = len(open_ends)
            open_ends.append([])
            found.append([])
        open_ends[lane].append(start + event.duration_ps)
        found[lane].append((start, event))
    return found


def tracks():
    """(process, thread) → its events, in the order in which a viewer shows them."""
    found = collections.OrderedDict()
    for host, planes in CAPTURE.items():
        for plane, lines in planes.items():
            for line in lines:
                if line.counter:
                    continue
                for lane, events in enumerate(lanes(line)):
                    found[f"{host}: {plane}", line.title + (f" #{lane + 1}" if lane else "")] = events
    return found


def flows():
    """{(host, id): (track and time of the launch, those of the kernel)}"""
    found = collections.defaultdict(lambda: [[], []])
    for (process, thread), events in tracks().items():
        for start, event in events:
            for name, _, value in event.stats:
                if name == "correlation_id":
                    found[process.split(":")[0], value]["device" in process].append((process, thread, start))
    return {key: (out[0], into[0]) for key, (out, into) in found.items()}


def counters():
    """(process, curve) → [(ps, value)]"""
    found = collections.defaultdict(list)
    for host, planes in CAPTURE.items():
        for plane, lines in planes.items():
            for line in lines:
                for e in line.events if line.counter else []:
                    for name, kind, value in e.stats:
                        if kind != "ref":
                            found[f"{host}: {plane}", f"{title_of(e)} {name}"].append((line.base_ps + e.start_ps, value))
    return dict(found)


class ExportTest(truth.Case):
    def run_folder(self):
        for host in CAPTURE:
            self.write(f"log/plugins/profile/run/{host}.xplane.pb", bytes_of(host))
        return self.scratch / "log"

    def export(self, path, name, *options):
        made = self.scratch / name
        truth.run("export", path, "-o", made, "--quiet", *options)
        return made.read_bytes()

    def test_the_description_is_awkward(self):
        """Lanes, a flow whose number stands twice, and a line out of order are really there."""
        self.assertEqual([t for _, t in tracks()], ["Stream #7(Kernel)", "Stream #7(Kernel) #2", 'copies, "d2h"',
                                                    "line 13", "main", "Stream #7(Kernel)", "main"])
        self.assertEqual(len(flows()), 3)

    def test_trace_json(self):
        found = truth.parsed(self.export(self.run_folder(), "all.trace.json").decode())
        self.check_trace_json(found)

    def test_trace_json_gz_is_the_same(self):
        import gzip  # pylint: disable=import-outside-toplevel
        folder = self.run_folder()
        self.assertEqual(gzip.decompress(self.export(folder, "all.trace.json.gz")), self.export(folder, "all.trace.json"))

    def check_trace_json(self, found):
        events = found.pop("traceEvents")
        self.check(found, {"displayTimeUnit": "ns", "baseTimeNanoseconds": ORIGIN_NS["alpha"],
                           "metadata": {"producer": "profkit"}})
        self.check(events.pop(), {"ph": "M", "pid": 0, "name": "process_name", "args": {}})
        titles, orders = {}, {}
        for e in events:
            if e["ph"] != "M":
                continue
            self.check(set(e), {"ph", "pid", "name", "args"} | ({"tid"} if "thread" in e["name"] else set()))
            key = (e["pid"], e.get("tid"))
            into = titles if e["name"] in ("process_name", "thread_name") else orders
            self.assertNotIn(key, into)
            into[key] = e["args"]["name" if into is titles else "sort_index"]
        processes = [t for (pid, tid), t in sorted(titles.items(), key=lambda i: orders[i[0]]) if tid is None]
        self.assertEqual(processes, ["alpha: /device:GPU:0", "alpha: /host:CPU", "beta: /device:GPU:0", "beta: /host:CPU"])
        shown = {}
        for pid, process in [(pid, t) for (pid, tid), t in titles.items() if tid is None]:
            threads = [(orders[pid, tid], t) for (p, tid), t in titles.items() if p == pid and tid is not None]
            shown[process] = [t for _, t in sorted(threads)]
        expected = collections.defaultdict(list)
        for process, thread in tracks():
            expected[process].append(thread)
        expected["alpha: /device:GPU:0"].insert(3, "counters_0")
        self.check(shown, dict(expected))

        slices, arrows, curves = collections.defaultdict(list), {}, collections.defaultdict(list)
        for e in events:
            track = titles.get((e["pid"], None)), titles.get((e["pid"], e.get("tid")))
            if e["ph"] == "X":
                self.assertLessEqual(set(e), {"ph", "pid", "tid", "ts", "dur", "name", "args"})
                slices[track].append({"ts": e["ts"], "dur": e["dur"], "name": e["name"], "args": e.get("args", {})})
            elif e["ph"] == "C":
                self.assertEqual(track[1], "counters_0")
                for key, value in e["args"].items():
                    curves[track[0], f'{e["name"]} {key}'].append([e["ts"], value])
            elif e["ph"] in "sf":
                self.check({k: v for k, v in e.items() if k not in ("pid", "tid", "ts", "id", "ph", "bp")},
                           {"cat": "flow", "name": "flow"})
                self.assertEqual(e.get("bp"), {"s": None, "f": "e"}[e["ph"]])
                arrows.setdefault(e["id"], {})[e["ph"]] = [*track, e["ts"]]
            else:
                self.assertEqual(e["ph"], "M")

        def us(ps):
            return Fraction(ps, 10**6)

        self.check(dict(slices), {track: [
            {"ts": us(start), "dur": us(e.duration_ps), "name": title_of(e), "args": arguments(e, json_value)}
            for start, e in placed] for track, placed in tracks().items()})
        self.check(dict(curves), {key: [[us(at), Fraction(v)] if isinstance(v, float) else [us(at), v] for at, v in points]
                                  for key, points in counters().items()})

        def sorted_arrows(pairs):
            return sorted(pairs, key=lambda a: str(a["s"]))

        self.check(sorted_arrows(arrows.values()), sorted_arrows(
            {"s": [*out[:2], us(out[2])], "f": [*into[:2], us(into[2])]} for out, into in flows().values()))
        self.assertTrue(all(0 <= key < 1 << 53 for key in arrows))

    def test_csv(self):
        text = self.export(self.run_folder(), "all.csv").decode()
        rows = list(csv.reader(io.StringIO(text, newline="")))
        self.assertEqual(rows[0], ["file", "host", "plane", "line", "line_id", "start_ps", "duration_ps", "name", "stats"])
        expected = []
        for file, (host, planes) in enumerate(CAPTURE.items()):
            for plane, lines in planes.items():
                for line in lines:
                    expected += [[str(file), host, plane, line.title, str(line.key), str(start), str(e.duration_ps),
                                  title_of(e), arguments(e, json_value)] for start, e in in_order(line)]
        found = [row[:8] + [truth.parsed(row[8])] for row in rows[1:]]
        self.check(found, expected)

    def test_csv_quotes_as_rfc_4180_says(self):
        text = self.export(self.run_folder(), "all.csv").decode()
        self.assertIn('0,alpha,/device:GPU:0,"copies, ""d2h""",9,2000000,10,copy.2,'
                      '"{""category"":""data, movement"",""long_name"":""%copy.2 = f32[4]{0} copy(%p)""}"\r\n', text)
        self.assertTrue(text.endswith("\r\n"))

    def test_perfetto(self):
        data = self.export(self.run_folder(), "all.pftrace")
        processes, threads, curve_names, interned = {}, {}, {}, collections.defaultdict(dict)
        machines, clocks = {}, []
        open_slices, slices, curves = collections.defaultdict(list), collections.defaultdict(list), \
            collections.defaultdict(list)
        tids = set()
        for number, packet in wire.fields(data):
            self.assertEqual(number, 1)
            machine = wire.first(packet, 98)
            if wire.first(packet, 6) is not None:  # both clocks of the machine, REALTIME and BOOTTIME
                self.assertEqual([(wire.first(c, 1), wire.first(c, 2)) for c in wire.every(wire.first(packet, 6), 1)],
                                 [(1, ORIGIN_NS["alpha"]), (6, ORIGIN_NS["alpha"])])
                clocks.append(machine)
                continue
            for kind, table in wire.fields(wire.first(packet, 12, b"")):
                interned[machine, kind][wire.first(table, 1)] = wire.first(table, 2).decode()
            descriptor, event = wire.first(packet, 60), wire.first(packet, 11)
            self.assertEqual((descriptor is None), (event is not None))
            if descriptor is not None:
                uuid = wire.first(descriptor, 1)
                if wire.first(descriptor, 3):
                    processes[uuid] = wire.first(wire.first(descriptor, 3), 6).decode()
                    machines[processes[uuid]] = machine
                elif wire.first(descriptor, 8) is not None:
                    curve_names[uuid] = (processes[wire.first(descriptor, 5)], wire.first(descriptor, 2).decode())
                else:
                    thread = wire.first(descriptor, 4)
                    self.assertEqual(wire.first(thread, 1), wire.first(descriptor, 5))
                    self.assertEqual(wire.first(thread, 5), wire.first(descriptor, 2))
                    tids.add(wire.first(thread, 2))
                    threads[uuid] = (processes[wire.first(descriptor, 5)], wire.first(descriptor, 2).decode())
                continue
            track, at, what = wire.first(event, 11), wire.first(packet, 8), wire.first(event, 9)
            if what == 4:  # a value of a counter
                value = wire.first(event, 30)
                if value is None:
                    value = wire.struct.unpack("<d", wire.first(event, 44))[0]
                curves[curve_names[track]].append([at, value])
            elif what == 1:
                made = {"start": at, "name": interned[machine, 2][wire.first(event, 10)], "args": [], "flows":
                        [wire.struct.unpack("<Q", f)[0] for f in wire.every(event, 47)]}
                for annotation in wire.every(event, 4):
                    made["args"].append((interned[machine, 3][wire.first(annotation, 1)],
                                         self.annotation(annotation, interned[machine, 29])))
                slices[threads[track]].append(made)
                open_slices[track].append(made)
            else:
                self.assertEqual(what, 2)
                open_slices[track].pop()["end"] = at
        hosts = [host for host in CAPTURE if any(name.startswith(host + ": ") for name in processes.values())]
        self.assertEqual(sorted(clocks), list(range(1, len(hosts) + 1)))
        self.assertEqual(machines, {name: 1 + hosts.index(name.split(": ")[0]) for name in processes.values()})
        self.assertEqual(len(tids), len(threads))
        self.assertFalse(any(open_slices.values()))

        def ns(ps):
            return ORIGIN_NS["alpha"] + ps // 1000

        def plain(stat):
            _, kind, value = stat
            return f"<{len(value)} bytes>" if kind == "bytes" else value

        joined = collections.defaultdict(list)
        for track, made in slices.items():
            for s in made:
                for flow in s.pop("flows"):
                    joined[flow].append((*track, s["start"]))
        expected = {}
        for track, placed in tracks().items():
            expected[track] = []
            for start, e in placed:
                name, display_name, shared = OPERATIONS[e.op]
                args = [("long_name", name)] if display_name else []
                args += [(s[0], plain(s)) for s in shared] + [(s[0], plain(s)) for s in e.stats]
                expected[track].append({"start": ns(start), "end": ns(start + e.duration_ps), "name": title_of(e),
                                        "args": args})
        for track, made in slices.items():
            for s in made:
                s["args"] = [list(a) for a in s["args"]]
        self.check(dict(slices), {k: [{**s, "args": [[a, Fraction(b) if isinstance(b, float) else b] for a, b in s["args"]]}
                                      for s in v] for k, v in expected.items()})
        self.check(sorted(sorted(j) for j in joined.values()),
                   sorted(sorted([(*a[:2], ns(a[2])), (*b[:2], ns(b[2]))]) for a, b in flows().values()))
        self.check(dict(curves), {key: [[ns(at), v] for at, v in points] for key, points in counters().items()})

    def annotation(self, data, interned):
        """The one value of an annotation, exactly; `interned` holds the texts of its machine."""
        values = [(n, v) for n, v in wire.fields(data) if n != 1]
        self.assertEqual(len(values), 1)
        number, value = values[0]
        if number == 3:
            return value
        if number == 4:
            return wire.signed(value)
        if number == 5:
            return truth.decimal.Decimal(wire.struct.unpack("<d", value)[0])
        return interned[value] if number == 17 else value.decode()

    def test_a_part_of_an_xspace(self):
        """The events that touch a window, byte for byte, with the metadata that they name and no other."""
        path = self.write("alpha.xplane.pb", bytes_of("alpha"))
        # From the end of the first kernel to the start of the last: both only touch the window.
        window = (3_000_000, 4_000_000 + 1)
        part = self.export(path, "part.xplane.pb", "--time", f"{window[0]}ps:{window[1]}ps", "--plane", "GPU")
        planes = {wire.first(p, 2).decode(): p for p in wire.every(part, 1)}
        self.assertEqual(list(planes), ["/device:GPU:0", "Task Environment"])
        whole = {wire.first(p, 2).decode(): p for p in wire.every(bytes_of("alpha"), 1)}
        self.assertEqual(planes["Task Environment"], whole["Task Environment"])
        self.assertEqual(wire.every(part, 4), [b"alpha"])
        expected, ops, stats = {}, set(), set()
        for line, raw in zip(CAPTURE["alpha"]["/device:GPU:0"], wire.every(whole["/device:GPU:0"], 3)):
            kept = []
            for e, event in zip(line.events, wire.every(raw, 4)):
                start = line.base_ps + e.start_ps
                if e.occurrences is None and start < window[1] and (start + e.duration_ps > window[0] or
                                                                    start >= window[0]):
                    kept.append(event)
                    ops.add(e.op)
                    for name, kind, value in [*e.stats, *OPERATIONS[e.op][2]]:
                        stats |= {STAT_IDS[name]} | ({STAT_IDS[value]} if kind == "ref" else set())
            if kept:
                expected[line.key] = kept
        found = {wire.signed(wire.first(part, 1)): wire.every(part, 4) for part in wire.every(planes["/device:GPU:0"], 3)}
        self.assertEqual(found, expected)
        self.assertEqual(sorted(found), [7])
        self.assertEqual({wire.first(m, 1) for m in wire.every(planes["/device:GPU:0"], 4)}, ops)
        self.assertEqual({wire.first(m, 1) for m in wire.every(planes["/device:GPU:0"], 5)}, stats)

    def test_only_totals_that_are_left_out_are_told(self):
        path = self.write("alpha.xplane.pb", bytes_of("alpha"))
        done = truth.subprocess.run([truth.PROFKIT, "export", str(path), "--time", "3us:4us", "-o",
                                     str(self.scratch / "part.xplane.pb")], stdin=truth.subprocess.DEVNULL,
                                    stdout=truth.subprocess.PIPE, stderr=truth.subprocess.PIPE, timeout=60, check=False)
        self.assertIn("left out: 1 total without a place in time\n", done.stderr.decode())

    def test_captures_of_which_nothing_is_intact(self):
        for name in "ab":
            self.write(f"run/{name}.xplane.pb", b"\x0f\x0f")
        truth.run("export", self.scratch / "run", "-o", self.scratch / "a.csv", status=4)

    @truth.needs("toml")
    def test_a_neutrino_trace(self):
        folder = truth.ROOT / "tests" / "data" / "neutrino" / "block_sched"
        made = self.export(folder, "a.pftrace")
        kinds = collections.Counter(wire.first(wire.first(p, 11, b""), 9) for _, p in wire.fields(made))
        self.assertGreater(kinds[1], 2)  # at least its two launches
        self.assertEqual(kinds[1], kinds[2])
        rows = list(csv.reader(io.StringIO(self.export(folder, "a.csv").decode(), newline="")))[1:]
        slices = [e for e in truth.parsed(self.export(folder, "a.trace.json").decode())["traceEvents"] if e["ph"] == "X"]
        self.assertEqual([kinds[1]] * 2, [len(rows), len(slices)])
        truth.run("export", folder, "-o", self.scratch / "a.xplane.pb", status=4)

    def test_durations_below_zero_count_as_zero(self):
        line = x.line(1, "Stream #1", [x.event(1, 5_000_000, -3_000_000), x.event(1, 7_000_000, 1_000_000)])
        path = self.write("a.xplane.pb", x.space(x.plane(1, "/device:GPU:0", line, x.event_metadata(1, "k"))))
        truth.run("export", path, "-o", self.scratch / "a.csv", status=5)
        rows = list(csv.reader(io.StringIO((self.scratch / "a.csv").read_text(), newline="")))
        self.assertEqual([row[5:7] for row in rows[1:]], [["5000000", "0"], ["7000000", "1000000"]])

    def test_without_filters_a_part_is_the_whole(self):
        whole = bytes_of("alpha")
        self.assertEqual(self.export(self.write("alpha.xplane.pb", whole), "again.xplane.pb"), whole)

    def test_what_was_written_is_told(self):
        folder = self.run_folder()
        lines = [line for planes in CAPTURE.values() for lines in planes.values() for line in lines]
        events = sum(len(in_order(line)) for line in lines if not line.counter)
        values = sum(len(points) for points in counters().values())
        ends = 2 * len(flows())
        left_out = sum(e.occurrences is not None for line in lines for e in line.events)
        drawn = f"{events} events on {len(lines) - 1} tracks, 1 more lane for events that overlap, " \
                f"{values} counter values, {ends} ends of flows\n"
        rows = f"{events + 3} events on {len(lines)} tracks\n"  # the events of the counter line are rows, too
        for name, wrote in {"a.trace.json": drawn, "a.pftrace": drawn, "a.csv": rows}.items():
            done = truth.subprocess.run([truth.PROFKIT, "export", str(folder), "-o", str(self.scratch / name)],
                                        stdin=truth.subprocess.DEVNULL, stdout=truth.subprocess.PIPE,
                                        stderr=truth.subprocess.PIPE, timeout=60, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stdout, b"")
            self.check_text(done.stderr.decode(), f"profkit: {self.scratch / name}: {wrote}"
                                                  f"  left out: {left_out} total without a place in time\n")


class ChromeTest(truth.Case):
    """A Chrome trace as trace JSON, Perfetto and CSV: sound JSON, no overlaps, times on the capture's clock."""
    TRACE = [
        {"ph": "M", "pid": 7, "name": "process_name", "args": {"name": "GPU 0"}},
        {"ph": "M", "pid": 7, "tid": "7", "name": "thread_name", "args": {"name": "stream 7"}},
        {"ph": "M", "pid": 7, "tid": "7", "name": "thread_sort_index", "args": {"sort_index": 0}},
        {"ph": "X", "pid": 7, "tid": "7", "ts": 10.5, "dur": 10, "name": "outer", "cat": "kernel", "args": {"n": 5}},
        {"ph": "X", "pid": 7, "tid": "7", "ts": 15, "dur": 10, "name": "over"},
        {"ph": "X", "pid": 7, "tid": "7", "ts": 10.5, "dur": 2, "name": "inner"},
        {"ph": "B", "pid": 7, "tid": 7, "ts": 1, "name": "begun"},  # another thread: 7 is not "7"
        {"ph": "B", "pid": 7, "tid": 7, "ts": 2, "name": "inside"},
        {"ph": "E", "pid": 7, "tid": 7, "ts": 4.000001},
        {"ph": "E", "pid": 7, "tid": 7, "ts": 5},
        {"ph": "E", "pid": 7, "tid": 7, "ts": 6},  # ends nothing
        {"ph": "i", "pid": 7, "tid": 7, "ts": 9, "name": "mark", "s": "t"},
        {"ph": "R", "pid": 7, "tid": 7, "ts": 9.5, "name": "old mark"},
        {"ph": "s", "pid": 7, "tid": 7, "ts": 2, "id": 3, "cat": "ac2g", "name": "f"},
        {"ph": "f", "pid": 7, "tid": "7", "ts": 10.5, "id": 3, "cat": "ac2g", "name": "f", "bp": "e"},
        {"ph": "s", "pid": 7, "tid": 7, "ts": 1, "id": 3, "cat": "other", "name": "f"},  # of another category
        {"ph": "s", "pid": 7, "tid": 7, "ts": 1, "id": 3, "cat": "ac2", "name": "gf"},  # the same letters, cut elsewhere
        {"ph": "C", "pid": 7, "ts": 2, "name": "mem", "args": {"bytes": 5, "text": "no number"}},
    ]
    #        thread     start_ps    duration_ps  name       args
    ROWS = [("stream 7", 10_500_000, 10_000_000, "outer", {"n": 5}),
            ("stream 7", 10_500_000, 2_000_000, "inner", {}),
            ("stream 7", 15_000_000, 10_000_000, "over", {}),
            ("", 1_000_000, 4_000_000, "begun", {}),
            ("", 2_000_000, 2_000_001, "inside", {}),
            ("", 9_000_000, 0, "mark", {}),
            ("", 9_500_000, 0, "old mark", {}),
            ("mem", 2_000_000, 0, "mem", {"bytes": 5, "text": "no number"})]

    def export(self, name, *options):
        trace = json.dumps({"traceEvents": self.TRACE})
        made = self.scratch / name
        truth.run("export", self.write("rank0.json", trace), "-o", made, "--quiet", *options)
        return made.read_bytes().decode("utf-8", "replace") if not name.endswith("pftrace") else made.read_bytes()

    def test_csv(self):
        rows = list(csv.reader(io.StringIO(self.export("a.csv"), newline="")))
        tids = {"stream 7": "7", "": "7", "mem": "2"}  # what has no number of its own has its position
        self.check([row[:8] + [truth.parsed(row[8])] for row in rows[1:]],
                   [["0", "", "GPU 0", thread, tids[thread], str(start), str(duration), name, args]
                    for thread, start, duration, name, args in self.ROWS])

    def test_csv_of_a_window_and_a_name(self):
        def names(*options):
            return [row[7] for row in csv.reader(io.StringIO(self.export("a.csv", *options), newline=""))][1:]
        # What ends where the window begins is outside, what begins at its end, too; an instant at its start is inside.
        self.assertEqual(names("--time", "5us:10.5us"), ["mark", "old mark"])
        self.assertEqual(names("--time", "4.999999us:10.500001us"), ["outer", "inner", "begun", "mark", "old mark"])
        self.assertEqual(names("--name", "in"), ["inner", "inside"])
        self.assertEqual(names("--line", "stream"), ["outer", "inner", "over"])

    def test_a_step(self):
        events = [{"ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": 10, "name": f"ProfilerStep#{n}", "cat": "user_annotation"}
                  for n, start in ((4, 0), (5, 10))]
        events += [{"ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": 2, "name": name, "cat": "cpu_op"}
                   for start, name in ((3, "before"), (12, "inside"), (25, "after"))]
        path = self.write("rank0.json", json.dumps({"traceEvents": events}))
        truth.run("export", path, "-o", self.scratch / "a.csv", "--quiet", "--step", "1")
        rows = list(csv.reader(io.StringIO((self.scratch / "a.csv").read_text(), newline="")))[1:]
        self.assertEqual([row[7] for row in rows], ["ProfilerStep#5", "inside"])

    def test_trace_json(self):
        found = truth.parsed(self.export("a.trace.json"))
        events = found["traceEvents"]
        self.assertEqual(set(found), {"displayTimeUnit", "metadata", "traceEvents"})  # its clock is not on record
        names = {(e["pid"], e.get("tid")): e["args"].get("name") for e in events if e["name"] in ("process_name",
                                                                                                 "thread_name")}
        slices = [{"thread": names[e["pid"], e["tid"]], **{k: e[k] for k in e if k not in ("pid", "tid")}}
                  for e in events if e["ph"] in "Xi"]

        def of(thread, start, duration, name, more):
            return {"thread": thread, "ph": "X", "ts": Fraction(start, 10**6), "dur": Fraction(duration, 10**6),
                    "name": name, **more}

        self.check(slices, [
            of("stream 7", 10_500_000, 10_000_000, "outer", {"cat": "kernel", "args": {"n": 5}}),
            of("stream 7", 10_500_000, 2_000_000, "inner", {}),
            of("stream 7 #2", 15_000_000, 10_000_000, "over", {}),
            of("thread 7", 1_000_000, 4_000_000, "begun", {}), of("thread 7", 2_000_000, 2_000_001, "inside", {}),
            {"thread": "thread 7", "ph": "i", "s": "t", "ts": 9, "name": "mark"},
            {"thread": "thread 7", "ph": "i", "s": "t", "ts": Fraction(19, 2), "name": "old mark"}])
        order = {names[e["pid"], e["tid"]]: e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
        self.assertEqual(sorted(order, key=order.get), ["stream 7", "stream 7 #2", "thread 7", "mem"])
        marks = [{"thread": names.get((e["pid"], e.get("tid"))), **{k: e[k] for k in e if k not in ("pid", "tid")}}
                 for e in events if e["ph"] in "sfC"]
        self.check(marks, [
            {"thread": "stream 7", "ph": "f", "bp": "e", "ts": Fraction(21, 2), "cat": "ac2g", "name": "f", "id": 3},
            {"thread": "thread 7", "ph": "s", "ts": 1, "cat": "other", "name": "f", "id": 3},
            {"thread": "thread 7", "ph": "s", "ts": 1, "cat": "ac2", "name": "gf", "id": 3},
            {"thread": "thread 7", "ph": "s", "ts": 2, "cat": "ac2g", "name": "f", "id": 3},
            {"thread": "mem", "ph": "C", "ts": 2, "name": "mem", "args": {"bytes": 5, "text": "no number"}}])

    def test_perfetto_flows_belong_to_the_innermost_slice_that_starts_there(self):
        data = self.export("a.pftrace")
        names, flows, threads, curves = {}, collections.defaultdict(list), {}, []
        for _, packet in wire.fields(data):
            for kind, table in wire.fields(wire.first(packet, 12, b"")):
                names[kind, wire.first(table, 1)] = wire.first(table, 2).decode()
            descriptor, event = wire.first(packet, 60), wire.first(packet, 11)
            if descriptor is not None:
                threads[wire.first(descriptor, 1)] = wire.first(descriptor, 2, b"").decode()
            if event is not None and wire.first(event, 9) in (1, 3):
                for flow in wire.every(event, 47):
                    flows[flow].append(names[2, wire.first(event, 10)])
            if event is not None and wire.first(event, 9) == 4:
                curves.append([threads[wire.first(event, 11)], wire.first(packet, 8),
                               wire.struct.unpack("<d", wire.first(event, 44))[0]])
        self.assertEqual(sorted(map(sorted, flows.values())), [["begun"], ["begun"], ["inner", "inside"]])
        self.assertEqual(curves, [["mem bytes", 3600 * 10**9 + 2000, 5.0]])  # an hour of room where no clock is known


class WaitsTest(truth.Case):
    """Steps and gaps of devices stand beside the events of a pftrace, which stay as they are."""
    PATHS = [truth.ROOT / "tests" / "data" / "kineto" / "h100_bert_small.pt.trace.json.gz",
             truth.ROOT / "tests" / "data" / "xspace" / "tpu_v6e_inference.xplane.pb"]

    def tracks(self, path, *options):
        """(process, track) → its slices as (name, start in ns, end in ns, arguments)."""
        made = self.scratch / "waits.pftrace"
        truth.run("export", path, "-o", made, "-q", *options)
        names, processes, threads, slices, opened = {}, {}, {}, collections.defaultdict(list), collections.defaultdict(list)
        for _, packet in wire.fields(made.read_bytes()):
            for kind, table in wire.fields(wire.first(packet, 12, b"")):
                names[kind, wire.first(table, 1)] = wire.first(table, 2)
            descriptor, event = wire.first(packet, 60), wire.first(packet, 11)
            if descriptor is not None and wire.first(descriptor, 3):
                processes[wire.first(descriptor, 1)] = wire.first(wire.first(descriptor, 3), 6).decode()
            elif descriptor is not None:
                threads[wire.first(descriptor, 1)] = (processes[wire.first(descriptor, 5)], wire.first(descriptor, 2).decode())
            if event is None or wire.first(event, 9) not in (1, 2):
                continue
            track = wire.first(event, 11)
            if wire.first(event, 9) == 1:
                given = {names[3, wire.first(a, 1)].decode(): names.get((29, wire.first(a, 17)), b"").decode()
                         for a in wire.every(event, 4)}
                opened[track].append([names[2, wire.first(event, 10)].decode(), wire.first(packet, 8), None, given])
            else:
                done = opened[track].pop()
                done[2] = wire.first(packet, 8)
                slices[threads[track]].append(done)
        return slices

    def test_it(self):
        for path in self.PATHS:
            plain, both = self.tracks(path), self.tracks(path, "--waits")
            own = {track for track in both if track[0].startswith("profkit: ")}
            self.assertEqual({t: rows for t, rows in both.items() if t not in own}, plain)
            with truth.library().open(str(path)) as profile:
                origin = profile.origin_unix_ns or 3600 * 10**9
                found = profile.bubbles(limit=0)
                gaps = sorted((gap.start_ps // 1000 + origin, gap.end_ps // 1000 + origin, gap.cause) for gap in found)
            waits = sorted((start, end, name.replace(" ", "_")) for track in own if track[1] == "waits"
                           for name, start, end, _ in both[track])
            self.assertGreater(len(waits), 10)
            for track in own:
                rows = sorted((start, end) for _, start, end, _ in both[track])
                self.assertTrue(all(a[1] <= b[0] for a, b in zip(rows, rows[1:])), f"{track}: one device does two things at a time")
            inside = collections.Counter(wait for wait in waits if wait[2] != "edge_of_the_capture")
            self.assertFalse(inside - collections.Counter(gaps), "more waits than gaps")
            sure = {arguments["certainty"] for track in own if track[1] == "waits" for *_, arguments in both[track]
                    if "certainty" in arguments}
            self.assertTrue(sure and sure <= {"proved", "likely", "possible", "unknown"}, sure)
            devices = {track[0] for track in own}
            self.assertEqual(len(devices), len(truth.parsed(truth.run("bubbles", path, "--json"))["devices"]))

    def test_what_cannot_be(self):
        made = self.scratch / "none.trace.json"
        self.assertIn("pftrace", truth.run("export", self.PATHS[0], "-o", made, "--waits", status=2, stderr=True))
        made = self.scratch / "none.pftrace"
        self.assertIn("whole devices", truth.run("export", self.PATHS[1], "-o", made, "--waits", "--line", "XLA Ops", status=2,
                                                 stderr=True))
        self.assertFalse(made.exists())


if __name__ == "__main__":
    truth.main(sys.modules[__name__])
