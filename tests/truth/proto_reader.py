"""Reads an XSpace into plain values."""
import struct

from wire import every as many
from wire import fields, signed


def one(data, number, default=None):
    found = many(data, number)
    return found[-1] if found else default


def text(data, number):
    return (one(data, number, b"")).decode()


def stats(messages, names):
    """Pairs of name and value, in the order of the file."""
    out = []
    for s in messages:
        key = names[one(s, 1)]
        for number, value in fields(s):
            if number == 2:
                out.append((key, struct.unpack("<d", value)[0]))
            elif number == 3:
                out.append((key, value))
            elif number == 4:
                out.append((key, signed(value)))
            elif number == 5:
                out.append((key, value.decode()))
            elif number == 6:
                out.append((key, value))
            elif number == 7:
                out.append((key, ("ref", names[value])))
    return out


def plane(data):
    event_names = {one(m, 1): text(one(m, 2), 2) for m in many(data, 4)}
    stat_names = {one(m, 1): text(one(m, 2), 2) for m in many(data, 5)}
    lines = []
    for line in many(data, 3):
        events = [{"name": event_names[one(e, 1)], "offset": None if one(e, 2) is None else signed(one(e, 2)),
                   "duration": one(e, 3, 0), "stats": stats(many(e, 4), stat_names), "times": one(e, 5)}
                  for e in many(line, 4)]
        lines.append({"id": one(line, 1, 0), "name": text(line, 2), "timestamp": signed(one(line, 3, 0)),
                      "display_id": one(line, 10, 0), "display": text(line, 11), "events": events})
    return {"id": signed(one(data, 1, 0)), "name": text(data, 2), "lines": lines,
                         "stats": stats(many(data, 6), stat_names)}


def xspace(data):
    return {"planes": [plane(p) for p in many(data, 1)], "errors": [e.decode() for e in many(data, 2)],
            "warnings": [w.decode() for w in many(data, 3)], "hostnames": [h.decode() for h in many(data, 4)]}
