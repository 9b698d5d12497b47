"""`tree` and `metadata` of a trace, worked out from its events with nothing but Python's own json module."""
import decimal
import json

SHOWN_ON_THREAD, ASYNC, COUNTER = "XBEiIR", "benSF", "C"


class Number(str):
    """A number that is no integer, as it is written."""


def parsed(text):
    """JSON whose numbers keep their text; NaN and Infinity, which Python takes, too."""
    return json.loads(text, parse_float=Number, parse_constant=Number)


def text_of(value):
    """A field of an event as text; "" for what is no text and no number."""
    if value is None or isinstance(value, (dict, list)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def exact_ps(value):
    """A time in ps, however long; nothing for what is no number."""
    try:
        exact = decimal.Decimal(value)
    except (decimal.InvalidOperation, TypeError, ValueError):
        return None
    if isinstance(value, bool) or not exact.is_finite() or abs(exact) > 2**80:
        return None
    return int((exact * 10**6).quantize(0, rounding=decimal.ROUND_HALF_UP, context=decimal.Context(prec=60)))


def in_reach(ps):
    return ps if ps is not None and abs(ps) < 2**63 else None


def microseconds(value):
    """A duration in ps; nothing for what is no number or does not fit 64 bits."""
    return in_reach(exact_ps(value))


def stat(name, value):
    """An argument, a member or a cell as `stat`; the text of kind json as the value that it stands for."""
    fields = {"name": name, "metadata_id": None}
    if isinstance(value, str) and not isinstance(value, Number):
        return {**fields, "kind": "str", "value": value}
    if isinstance(value, int) and not isinstance(value, bool) and -2**63 <= value < 2**64:
        return {**fields, "kind": "int64" if value < 2**63 else "uint64", "value": str(value)}
    return {**fields, "kind": "json", "value": value}


def with_values(found):
    """A document whose texts of kind json are values, for a comparison whatever blanks and escapes they had."""
    if isinstance(found, list):
        return [with_values(item) for item in found]
    if not isinstance(found, dict):
        return found
    out = {key: with_values(value) for key, value in found.items()}
    if out.get("kind") == "json" and not out.get("is_cut"):
        out["value"] = parsed(out["value"])
    return out


class Track:
    def __init__(self, process, kind, key):
        self.process, self.kind, self.key = process, kind, key
        self.name = "" if kind == "thread" else key[0]
        self.position, self.sort_index, self.events = -1, None, []


class Process:
    def __init__(self, pid, position):
        self.pid, self.position = pid, position
        self.name, self.labels, self.sort_index, self.shown, self.events = "", "", None, 0, []


class Trace:
    """`zero_ps`: what zero of the capture is on the clock of the file."""

    def __init__(self, events, zero_ps=0, kinds=lambda plane, line, name: "other"):
        self.events, self.zero_ps, self.kinds = [e for e in events if isinstance(e, dict)], zero_ps, kinds
        self.processes, self.tracks, self.with_pid = {}, {}, 0
        for e in self.events:
            self.see(e)

    def process(self, e):
        key = (text_of(e.get("pid")), isinstance(e.get("pid"), str) and not isinstance(e.get("pid"), Number))
        if key not in self.processes:
            self.processes[key] = Process(key[0], self.with_pid if key[0] else -1)
            self.with_pid += 1 if key[0] else 0
        return self.processes[key]

    def track(self, e, kind, key, is_shown=True):
        process = self.process(e)
        track = self.tracks.setdefault((id(process), kind, key), Track(process, kind, key))
        if is_shown and track.position < 0 <= process.position:
            track.position, process.shown = process.shown, process.shown + 1
        return track

    def thread(self, e, is_shown=True):
        tid = e.get("tid")
        return self.track(e, "thread", (text_of(tid), isinstance(tid, str)), is_shown)

    def see(self, e):
        phase = e.get("ph")
        process = self.process(e)
        args = e.get("args") if isinstance(e.get("args"), dict) else {}
        if phase == "M":
            if e["name"] == "process_name":
                process.name = text_of(args["name"])
            elif e["name"] == "process_labels":
                process.labels = text_of(args["labels"])
            elif e["name"] == "process_sort_index":
                process.sort_index = args["sort_index"]
            elif e["name"] == "thread_name":
                self.thread(e).name = text_of(args["name"])
            elif e["name"] == "thread_sort_index":
                self.thread(e, False).sort_index = args["sort_index"]
            return
        process.events.append(e)
        if phase in tuple(ASYNC):
            track = self.track(e, "async", (text_of(e.get("cat")),))
        elif phase == COUNTER:
            track = self.track(e, "counter", (text_of(e.get("name")),))
        else:
            track = self.thread(e, phase in tuple(SHOWN_ON_THREAD))
        track.events.append(e)

    @staticmethod
    def by_position(items):
        return sorted(items, key=lambda item: (item.position < 0, item.position))

    def start(self, e):
        at = exact_ps(e.get("ts"))
        return None if at is None else in_reach(at - self.zero_ps)

    def event(self, e, limit):
        arguments = e.get("args") if isinstance(e.get("args"), dict) else {}
        stats = [stat(key, value) for key, value in arguments.items()]
        phase = e.get("ph")
        shown_id = {"id": text_of(e["id"])} if text_of(e.get("id")) else {}
        return {"metadata_id": None, "name": text_of(e.get("name")), "display_name": "", "category": text_of(e.get("cat")),
                "phase": phase if isinstance(phase, str) and len(phase) == 1 else "", **shown_id, "start_ps": self.start(e),
                "offset_ps": None, "num_occurrences": None, "duration_ps": microseconds(e.get("dur")),
                "stat_count": len(stats), "stats": stats[:limit] if limit else stats}

    def keeps(self, e, name, window):
        if name not in text_of(e.get("name")):
            return False
        if window == (None, None):
            return True
        start = self.start(e)
        if start is None:
            return False
        end = start + max(microseconds(e.get("dur")) or 0, 0)
        return (window[1] is None or start < window[1]) and (window[0] is None or start >= window[0] or end > window[0])

    def line(self, track, limit, name, window):
        kept = [e for e in track.events if self.keeps(e, name, window)]
        number = track.key[0] if track.kind == "thread" and not track.key[1] and track.key[0].isdigit() else None
        of_thread = {"tid": track.key[0], "sort_index": track.sort_index} if track.kind == "thread" else {}
        kind = self.kinds("line", track.kind, self.name_of(track))
        return {"line": track.position, "id": number or str(track.position), "display_id": "0", "name": self.name_of(track),
                "display_name": "", "kind": kind, "timestamp_ns": "0", "duration_ps": 0, "event_count": len(track.events),
                **of_thread, "events": [self.event(e, limit) for e in (kept[:limit] if limit else kept)],
                "events_left_out": max(len(kept) - limit, 0) if limit else 0}

    @staticmethod
    def name_of(track):
        return track.name if track.process.position >= 0 else ""

    def frame(self, process):
        name = process.name if process.position >= 0 else ""
        return {"plane": process.position, "id": str(process.position), "name": name,
                "kind": self.kinds("plane", "process", name)}

    @staticmethod
    def fits(process, plane):
        """By the name, the labels, or the name with the pid."""
        texts = [process.name, process.labels, f"{process.name} {process.pid}"] if process.position >= 0 else [""]
        return any(plane in text for text in texts)

    def tree(self, limit=5, plane="", line="", name="", window=(None, None)):
        planes = []
        for process in self.by_position(self.processes.values()):
            tracks = self.by_position(t for t in self.tracks.values() if t.process is process and t.events)
            frame = self.frame(process)
            if not tracks or not self.fits(process, plane):
                continue
            fitting = [t for t in tracks if line in self.name_of(t)]
            shown = fitting[:limit] if limit else fitting
            planes.append({**frame, "line_count": len(tracks), "event_metadata": 0, "stat_metadata": 0, "stats": [],
                           "process": {"pid": process.pid, "labels": process.labels, "sort_index": process.sort_index},
                           "lines": [self.line(t, limit, name, window) for t in shown],
                           "lines_left_out": len(fitting) - len(shown)})
        return planes

    def threads(self, process, limit):
        tracks = [t for t in self.by_position(self.tracks.values()) if t.process is process and t.kind == "thread"]
        shown = tracks[:limit] if limit else tracks
        return {"threads": [{"line": t.position, "tid": t.key[0], "name": t.name, "sort_index": t.sort_index} for t in shown],
                "threads_left_out": len(tracks) - len(shown)}

    def metadata(self, file=0, limit=20, plane="", name=""):
        planes = []
        for process in self.by_position(self.processes.values()):
            frame = self.frame(process)
            if not self.fits(process, plane) or (process.position < 0 and not process.events):
                continue
            names, arguments = {}, {}
            for e in process.events:
                row = names.setdefault((text_of(e.get("cat")), text_of(e.get("name"))), [0, {}, {}])
                row[0] += 1
                if isinstance(e.get("ph"), str) and len(e["ph"]) == 1:
                    row[1][e["ph"]] = None
                for key in e.get("args") if isinstance(e.get("args"), dict) else {}:
                    row[2][key] = None
                    arguments[key] = arguments.get(key, 0) + 1
            events = [{"metadata_id": None, "name": n, "display_name": "", "category": cat, "phases": "".join(phases),
                       "count": count, "arguments": list(keys), "child_ids": [], "stats": []}
                      for (cat, n), (count, phases, keys) in
                      sorted(names.items(), key=lambda i: (-i[1][0], i[0][0].encode(), i[0][1].encode())) if name in n]
            keys = [{"metadata_id": None, "name": key, "description": "", "count": count}
                    for key, count in sorted(arguments.items(), key=lambda i: (-i[1], i[0].encode())) if name in key]
            shown = (events[:limit], keys[:limit]) if limit else (events, keys)
            planes.append({"file": file, **frame, "event_metadata": len(names), "stat_metadata": len(arguments),
                           "process": {"pid": process.pid, "labels": process.labels, "sort_index": process.sort_index,
                                       **self.threads(process, limit)},
                           "event_entries": shown[0], "event_entries_left_out": len(events) - len(shown[0]),
                           "stat_entries": shown[1], "stat_entries_left_out": len(keys) - len(shown[1])})
        return planes


def members(document, limit=20):
    """The outer object of a trace or of a file of settings; `bytes` is known only of what the test wrote itself."""
    of = [{**stat(key, value), "is_cut": False} for key, value in document.items() if key != "traceEvents"]
    shown = of[:limit] if limit else of
    return {"members": shown, "members_left_out": len(of) - len(shown)}
