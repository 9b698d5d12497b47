"""Reads protobuf messages without a schema, and an XSpace into plain values. It shares no code with what writes them."""
import struct


def fields(data):
    """(number, value) of each field; a length-delimited one is bytes, a fixed64 one a float."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack_from("<d", data, at)[0]
            at += 8
        elif tag & 7 == 2:
            size = varint()
            if at + size > len(data):
                raise ValueError(f"field {tag >> 3} runs past the end")
            yield tag >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {tag & 7}")


def signed(n):
    return n - (1 << 64) if n >> 63 else n


def one(data, number, default=None):
    found = [v for n, v in fields(data) if n == number]
    return found[-1] if found else default


def many(data, number):
    return [v for n, v in fields(data) if n == number]


def text(data, number):
    return (one(data, number, b"")).decode()


def stats(messages, names):
    """Pairs of name and value, in the order of the file."""
    out = []
    for s in messages:
        key = names[one(s, 1)]
        for number, value in fields(s):
            if number in (2, 3):
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
