"""The wire format of protobuf, both ways, with nothing but the standard library."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    """A varint field; a negative number is two's complement of 64 bits."""
    return varint(field << 3) + varint(n)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def message(field, *parts):
    """A field of bytes, text or a message made of the parts."""
    body = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def fields(data):
    """(number, value) of every field in order: an int for a varint, bytes for all others (a double is eight of them)."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            size, at = read_varint(data, at)
            if at + size > len(data):
                raise ValueError(f"field {tag >> 3} runs past the end")
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def first(data, field, default=None):
    """The value of the first field of that number."""
    return next((value for n, value in fields(data) if n == field), default)


def every(data, field):
    return [value for n, value in fields(data) if n == field]


def signed(n):
    return n - (1 << 64) if n >= 1 << 63 else n
