"""Arrow tables of the C ABI, read by hand: the C data interface with nothing but ctypes."""
import ctypes
import struct

from fields import placed
import truth


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [  # pylint: disable=protected-access
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p)]


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [  # pylint: disable=protected-access
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))), ("private_data", ctypes.c_void_p)]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [  # pylint: disable=protected-access
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))), ("private_data", ctypes.c_void_p)]

_NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}
TABLES = {name: number for number, name in enumerate(
    ("files", "devices", "events", "ops", "steps", "kernels", "gaps", "causes", "collectives", "modules", "allocators",
     "live_buffers", "live_curve", "probe_launches", "probe_records", "device_time", "facts", "collective_calls",
     "findings", "op_groups"), 1)}
SKIP_DAMAGE, PLAIN_TEXT, SIGNED, ONE_FILE = 1, 2, 4, 8


class _Filters(ctypes.Structure):
    """pk_filters"""
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("host", ctypes.c_char_p),
                ("plane", ctypes.c_char_p), ("line", ctypes.c_char_p), ("name", ctypes.c_char_p), ("step", ctypes.c_uint64),
                ("from_ps", ctypes.c_int64), ("to_ps", ctypes.c_int64)]


class _Options(ctypes.Structure):
    """pk_table_options"""
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("batch_rows", ctypes.c_uint64),
                ("columns", ctypes.POINTER(ctypes.c_char_p)), ("column_count", ctypes.c_size_t),
                ("filters", ctypes.POINTER(_Filters)), ("limit", ctypes.c_uint64), ("hooks", ctypes.c_void_p), ("file", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]



class Handle:
    """What a function of the C ABI opened; `with` frees it."""

    def __init__(self, kind, *arguments):
        """kind: "profile" for pk_profile_open and pk_profile_free."""
        self.kind, self.at = kind, ctypes.c_void_p()
        status = getattr(_c(), f"pk_{kind}_open")(*(_argument(a) for a in arguments), ctypes.byref(self.at), None)
        if status != 0:
            raise AssertionError(f"pk_{kind}_open: status {status}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        getattr(_c(), f"pk_{self.kind}_free")(self.at)


class _BubblesOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("filters", ctypes.c_void_p), ("step_pattern", ctypes.c_char_p),
                ("thresholds", ctypes.c_void_p), ("threshold_count", ctypes.c_size_t), ("limit", ctypes.c_uint64),
                ("window_policy", ctypes.c_int32), ("reserved", ctypes.c_uint32), ("hooks", ctypes.c_void_p)]


def guided():
    """For "bubbles": steps end where the next one begins, the last one with the last kernel."""
    return ctypes.byref(_BubblesOptions(struct_size=ctypes.sizeof(_BubblesOptions), window_policy=3))


def _c():
    return ctypes.CDLL(truth.library_path())


def _argument(value):
    if isinstance(value, Handle):
        return value.at
    return str(value).encode() if hasattr(value, "parts") or isinstance(value, str) else value


def opened(name, handle, place=(), flags=0, batch_rows=0, columns=(), file=None, **filters):
    """(a pk_table, what it needs to live) of a handle; `place`: the record file and the map of probe_records."""
    at = ctypes.c_void_p()
    limit = filters.pop("limit", 0)
    of = _Filters(ctypes.sizeof(_Filters), 0)
    for key, value in filters.items():
        setattr(of, key, value.encode() if isinstance(value, str) else value)
    names = (ctypes.c_char_p * len(columns))(*(c.encode() for c in columns)) if columns else None
    options = _Options(ctypes.sizeof(_Options), flags | (0 if file is None else ONE_FILE), batch_rows, names, len(columns),
                       ctypes.pointer(of), limit, None, file or 0, 0)
    asked = (ctypes.byref(options), ctypes.byref(at), None)
    number = ctypes.c_int32(TABLES[name])
    if handle.kind == "profile":
        status = _c().pk_table_open(handle.at, number, *asked)
    elif handle.kind == "activity":
        status = _c().pk_activity_table(handle.at, *asked)
    elif name == "probe_records":
        status = _c().pk_probe_records_table(handle.at, ctypes.c_size_t(place[0]), ctypes.c_uint32(place[1]), *asked)
    elif handle.kind == "probe":
        status = _c().pk_probe_table(handle.at, *asked)
    else:
        status = getattr(_c(), f"pk_{handle.kind}_table")(handle.at, number, *asked)
    if status != 0:
        raise AssertionError(f"{name}: status {status}")
    return at


def table(name, handle, place=(), **options):
    """(columns, rows) of a table: `columns` is a list of (name, Arrow format, unit or None, may be null), where a
    dictionary is "dict<index format, format of its values>", and each of `rows` is a dict by name of column."""
    stream, schema = _Stream(), _Schema()
    at = opened(name, handle, place, **options)
    status = _c().pk_table_arrow(at, ctypes.byref(stream), None)
    _c().pk_table_free(at)
    if status != 0:
        raise AssertionError(f"{name}: status {status}")
    _expect(stream.get_schema(stream, schema), stream)
    fields = [schema.children[i].contents for i in range(schema.n_children)]
    columns = [(f.name.decode(), _format(f), _unit(f.metadata), bool(f.flags & 2)) for f in fields]
    rows = []
    while True:
        batch = _Array()
        _expect(stream.get_next(stream, batch), stream)
        if not batch.release:
            break
        values = [_values(batch.children[i].contents, f) for i, f in enumerate(fields)]
        rows += [dict(zip((c[0] for c in columns), row)) for row in zip(*values)]
        batch.release(batch)
    schema.release(schema)
    stream.release(stream)
    return columns, placed(rows, ("table." + name,))


def _expect(status, stream):
    if status != 0:
        raise AssertionError(f"the stream ends with {status}: {stream.get_last_error(stream)}")


def _format(field):
    own = field.format.decode()
    return f"dict<{own}, {_format(field.dictionary.contents)}>" if field.dictionary else own


def _unit(metadata):
    """The value of the key `unit`: a count, then lengths and bytes of keys and values, all int32."""
    if not metadata:
        return None
    at = metadata

    def number():
        nonlocal at
        value = ctypes.c_int32.from_address(at).value
        at += 4
        return value

    def text():
        nonlocal at
        size = number()
        value = ctypes.string_at(at, size).decode()
        at += size
        return value

    pairs = {}
    for _ in range(number()):
        key = text()
        pairs[key] = text()
    return pairs.get("unit")


def _values(array, field):
    n, start = array.length, array.offset
    form = field.format.decode()
    validity = array.buffers[0] if array.n_buffers > 0 else None
    valid = [True] * n
    if validity:
        valid = [bool(ctypes.c_uint8.from_address(validity + (start + i) // 8).value >> (start + i) % 8 & 1)
                 for i in range(n)]
    if valid.count(False) != array.null_count and array.null_count != -1:
        raise AssertionError(f"{field.name}: {array.null_count} nulls are said to be there, {valid.count(False)} are")
    if form in _NUMBERS:
        size = struct.calcsize(_NUMBERS[form])
        raw = ctypes.string_at(array.buffers[1] + start * size, n * size) if n else b""
        values = list(struct.unpack(f"={n}{_NUMBERS[form]}", raw))
    elif form == "b":
        values = [bool(ctypes.c_uint8.from_address(array.buffers[1] + (start + i) // 8).value >> (start + i) % 8 & 1)
                  for i in range(n)]
    elif form in ("u", "U", "z", "Z"):
        wide = "q" if form in "UZ" else "i"
        size = struct.calcsize(wide)
        offsets = struct.unpack(f"={n + 1}{wide}", ctypes.string_at(array.buffers[1] + start * size, (n + 1) * size)) \
            if n else ()
        values = [ctypes.string_at(array.buffers[2] + a, b - a) for a, b in zip(offsets, offsets[1:])]
        values = [v.decode() for v in values] if form in "uU" else values
    else:
        raise AssertionError(f"{field.name}: the format {form!r} is not known here")
    if field.dictionary:
        words = _values(array.dictionary.contents, field.dictionary.contents)
        values = [words[i] if ok else None for i, ok in zip(values, valid)]
    return [value if ok else None for value, ok in zip(values, valid)]
