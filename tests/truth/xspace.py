"""Writes an XSpace, part by part; each function gives the bytes of one field. Field numbers: xplane.proto of XLA."""
from wire import double, message, number


def stat(key, value, kind=None):
    """kind: "uint", "bytes" or "ref"; else what the type of the value says (int, float, str)."""
    head = number(1, key)
    if kind == "uint":
        return head + number(3, value)
    if kind == "ref":
        return head + number(7, value)
    if kind == "bytes":
        return head + message(6, value)
    if isinstance(value, float):
        return head + double(2, value)
    if isinstance(value, int):
        return head + number(4, value)
    return head + message(5, value)


def event(key, offset_ps=None, duration_ps=0, stats=(), occurrences=None):
    """Without offset and occurrences none of the two is written. `stats` are results of stat()."""
    place = b"" if offset_ps is None else number(2, offset_ps)
    place += b"" if occurrences is None else number(5, occurrences)
    return message(4, number(1, key), place, number(3, duration_ps), *(message(4, s) for s in stats))


def line(key, name, events, timestamp_ns=0, display_name="", display_id=0):
    return message(3, number(1, key), message(2, name), number(3, timestamp_ns), *events,
                   *([number(10, display_id)] if display_id else []), *([message(11, display_name)] if display_name else []))


def event_metadata(key, name, display_name="", stats=(), children=(), own=b""):
    value = [number(1, key), message(2, name)]
    value += [message(3, own)] if own else []
    value += [message(4, display_name)] if display_name else []
    value += [message(5, s) for s in stats] + [number(6, c) for c in children]
    return message(4, number(1, key), message(2, *value))


def stat_metadata(key, name, description=""):
    return message(5, number(1, key), message(2, number(1, key), message(2, name),
                                              *([message(3, description)] if description else [])))


def plane_stat(*given):
    return message(6, stat(*given))


def plane(key, name, *parts):
    return message(1, *([number(1, key)] if key else []), message(2, name), *parts)


def space(*planes, errors=(), warnings=(), hostnames=()):
    return b"".join([*planes, *(message(2, e) for e in errors), *(message(3, w) for w in warnings),
                     *(message(4, h) for h in hostnames)])
