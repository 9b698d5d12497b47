"""XSpaces from a description: names get their ids by themselves. Field numbers are those of xplane.proto of tsl."""
from wire import double, number, varint
from wire import message as text


def packed(field, numbers):
    return text(field, b"".join(varint(n) for n in numbers)) if numbers else b""


class Ref:
    """A stat value that is the name of a stat metadata entry."""

    def __init__(self, name):
        self.name = name


class Uint:
    """A stat value that is written as uint64 (plain numbers are int64)."""

    def __init__(self, value):
        self.value = value


class Plane:
    """Lines of events; names of events and stats get ids in the order of first use, from 1 or from what is given."""

    def __init__(self, name, plane_id=0, first_event_id=1, first_stat_id=1):
        self.name, self.plane_id = name, plane_id
        self.events, self.stats = {}, {}
        self.first_event_id, self.first_stat_id = first_event_id, first_stat_id
        self.lines, self.own_stats = [], []
        self.event_extras = {}

    def event_id(self, name):
        return self.events.setdefault(name, self.first_event_id + len(self.events))

    def stat_id(self, name):
        return self.stats.setdefault(name, self.first_stat_id + len(self.stats))

    def stat(self, name, value):
        """A message XStat."""
        out = number(1, self.stat_id(name))
        if isinstance(value, Ref):
            return out + number(7, self.stat_id(value.name))
        if isinstance(value, Uint):
            return out + number(3, value.value)
        if isinstance(value, float):
            return out + double(2, value)
        if isinstance(value, int):
            return out + number(4, value)
        return out + text(6 if isinstance(value, bytes) else 5, value)

    def event(self, name, offset_ps, duration_ps=0, stats=(), occurrences=None):
        """A message XEvent. `stats` are pairs of a name and a value."""
        out = number(1, self.event_id(name))
        out += number(2, offset_ps) if occurrences is None else number(5, occurrences)
        if duration_ps:
            out += number(3, duration_ps)
        return out + b"".join(text(4, self.stat(*s)) for s in stats)

    def line(self, name, timestamp_ns, events, line_id=0, display_name="", display_id=0):
        """Adds a line; `events` are messages."""
        out = (number(1, line_id) if line_id else b"") + text(2, name) + number(3, timestamp_ns)
        out += b"".join(text(4, e) for e in events)
        out += (number(10, display_id) if display_id else b"") + (text(11, display_name) if display_name else b"")
        self.lines.append(out)

    def own_stat(self, name, value):
        self.own_stats.append(self.stat(name, value))

    def event_metadata(self, name, display_name="", stats=()):
        """More of an event's metadata than its name."""
        self.event_id(name)
        self.event_extras[name] = (text(4, display_name) if display_name else b"") + \
            b"".join(text(5, self.stat(*s)) for s in stats)

    def bytes(self):
        out = (number(1, self.plane_id) if self.plane_id else b"") + text(2, self.name)
        out += b"".join(text(3, line) for line in self.lines)
        for name, at in self.events.items():
            out += text(4, number(1, at) + text(2, number(1, at) + text(2, name) + self.event_extras.get(name, b"")))
        for name, at in self.stats.items():
            out += text(5, number(1, at) + text(2, number(1, at) + text(2, name)))
        return out + b"".join(text(6, s) for s in self.own_stats)


def xspace(planes, hostnames=()):
    return b"".join(text(1, p.bytes() if isinstance(p, Plane) else p) for p in planes) + \
        b"".join(text(4, h) for h in hostnames)
