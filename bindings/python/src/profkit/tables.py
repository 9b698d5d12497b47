"""Tables as Arrow streams: what takes `__arrow_c_stream__` (pyarrow, DuckDB, polars, pandas) reads them without a copy."""
import ctypes as c
import functools
import html
import json
from typing import Any, Callable, Dict, Iterator, List, Literal, Optional, Sequence, Tuple, Type, TypeVar, get_args

from . import _declarations as d
from ._library import Calls, Handle, Owner, check, encoded, filters as filters_of, lib, limit_of, made, options, strings, text
from .errors import Error
from .rows import READ

T = TypeVar("T")


class _Stream(c.Structure):
    """ArrowArrayStream of the Arrow C stream interface."""


_Release = c.CFUNCTYPE(None, c.POINTER(_Stream))
_Stream._fields_ = [("get_schema", c.c_void_p), ("get_next", c.c_void_p), ("get_last_error", c.c_void_p),
                    ("release", c.c_void_p), ("private_data", c.c_void_p)]

_api: Any = c.pythonapi
_new_capsule = c.PYFUNCTYPE(c.py_object, c.c_void_p, c.c_char_p, c.c_void_p)(("PyCapsule_New", _api))
_capsule_pointer = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(("PyCapsule_GetPointer", _api))
_CAPSULE_NAME = c.c_char_p(b"arrow_array_stream")

# Streams in capsules that live, by address.
_streams: Dict[int, _Stream] = {}
# What streams over borrowed bytes keep alive, by their private data: (their own release, the bytes).
_borrowing: Dict[int, Tuple[Any, Any]] = {}


def _drop_capsule(capsule: int) -> None:
    address = _capsule_pointer(capsule, _CAPSULE_NAME)
    stream = _streams.pop(address, None)
    if stream is not None and stream.release:
        c.cast(stream.release, _Release)(c.pointer(stream))


def _release_borrowing(stream: Any) -> None:
    own, _ = _borrowing.pop(stream.contents.private_data)
    own(stream)


# The capsule's address, not the object: it is dying, and must not be referred to.
_capsule_destructor = c.PYFUNCTYPE(None, c.c_void_p)(_drop_capsule)
_capsule_destructor_address = c.cast(_capsule_destructor, c.c_void_p)
_borrowing_release = _Release(_release_borrowing)


@functools.lru_cache(maxsize=64)
def _options(columns: Optional[Tuple[str, ...]], batch_rows: int, flags: int, file: int, limit: Optional[int],
             filters: Tuple[Any, ...]) -> Any:
    """A pointer to pk_table_options, which nobody changes: programs ask for the same few again and again."""
    return c.pointer(options(d.pk_table_options, batch_rows=batch_rows, flags=flags, file=file,
                             filters=filters_of(**dict(filters)), limit=limit_of(limit),
                             columns=strings([encoded(name) for name in columns]) if columns else None,
                             column_count=len(columns) if columns else 0))


#: The tables that a profile opens by name; docs/tables.md describes their columns. The records of a Neutrino map are
#: Neutrino.records_table().
TableName = Literal["files", "devices", "events", "ops", "steps", "kernels", "gaps", "causes", "collectives", "modules",
                    "allocators", "live_buffers", "live_curve", "probe_launches", "device_time", "facts",
                    "collective_calls", "findings", "op_groups"]
NUMBERS = {name: getattr(d, "PK_TABLE_" + name.upper()) for name in (*get_args(TableName), "probe_records")}


def number_of(name: str) -> int:
    """PK_TABLE_ of a name."""
    if name not in NUMBERS:
        raise ValueError(f"there is no table {name!r}: choose one of {', '.join(NUMBERS)}")
    return int(NUMBERS[name])


class _Enough(Exception):
    """No more rows are wanted."""


class Table:
    """Rows of a capture, opened anew each time they are read. Give it to whatever reads Arrow, as often as you like:

        duckdb.sql("select name, sum(duration_ps) from events group by name")   # events = profile.events_table()
        pyarrow.table(events), polars.DataFrame(events)

    or go over it: each row is a dict. Times are int64 picoseconds (the unit is in the metadata of the column), names are
    dictionaries. Every table of devices says whose a row is: run, host, rank, node, device_name.

    Name the columns you need, as in profile.table("events", columns=["line", "name", "start_ps"]): a table of few columns
    comes faster and takes less memory.

    What it was made from may be closed; a table that has been read keeps nothing.
    """

    def __init__(self, owner: Owner, function: Any, *arguments: Any, columns: Optional[Sequence[str]] = None,
                 batch_rows: int = 0, skip_damage: bool = False, plain_text: bool = False, signed: bool = False,
                 allow_empty: bool = False, file: Optional[int] = None, limit: Optional[int] = None, filters: Tuple[Tuple[str, Any], ...] = ()) -> None:
        """columns: names of those that are wanted, in that order; what is not wanted is not made. batch_rows: 0 is
        65536. skip_damage: end where damage begins instead of failing after the intact rows. plain_text, signed: no
        dictionaries and no unsigned columns, for engines that refuse those (Spark). allow_empty: filters that fit nothing give
        no rows, and no error."""
        self._handle: Handle = owner._h
        self._function, self._arguments = function, arguments
        if columns is not None and (isinstance(columns, str) or not columns):
            raise ValueError(f"columns is a list of at least one name, not {columns!r}")
        flags = (d.PK_TABLE_SKIP_DAMAGE * skip_damage | d.PK_TABLE_PLAIN_TEXT * plain_text | d.PK_TABLE_SIGNED * signed
                 | d.PK_TABLE_ALLOW_EMPTY * allow_empty | d.PK_TABLE_ONE_FILE * (file is not None))
        self._options = _options(None if columns is None else tuple(columns), batch_rows, flags, file or 0, limit, filters)

    def _opened(self) -> Handle:
        return made(self._function, lib.pk_table_free, self._handle.address, *self._arguments, self._options,
                    keep=self._handle)

    def rows(self, kind: Type[T]) -> Iterator[T]:
        """Rows as tuples: profile.table("ops").rows(profkit.Op)."""
        name, struct, convert = READ[kind]
        if not name:
            raise ValueError(f"{kind.__name__} is no row of a table")
        if self._function is lib.pk_table_open and self._arguments[0] != number_of(name):
            raise ValueError(f"{kind.__name__} is a row of the table {name}")
        table = self._opened()
        rows, count = (struct * 256)(), c.c_size_t()
        while check(lib.pk_table_read, table.address, rows, c.sizeof(struct), 256, c.byref(count)) == d.PK_OK:
            for at in range(count.value):
                yield convert(rows[at])

    @property
    def columns(self) -> Dict[str, str]:
        """What each column means, by its name; also of those that were not asked for."""
        table, column, found = self._opened(), d.pk_column(), {}
        for at in range(lib.pk_table_column_count(table.address)):
            check(lib.pk_table_column_get, table.address, at, c.byref(column))
            found[text(column.name)] = text(column.meaning)
        return found

    def write(self, write: Callable[[bytes], Any], format: str = "csv") -> None:  # pylint: disable=redefined-builtin
        """Hands the rows as "csv", or as "json" (one object a line), to `write`. Not events, and not records."""
        functions = {"csv": lib.pk_table_write_csv, "json": lib.pk_table_write_json}
        if format not in functions:
            raise ValueError(f"format is csv or json, not {format!r}")
        calls, table = Calls(), self._opened()
        calls.run(lambda: check(functions[format], table.address, calls.writer(write), None))

    def to_dicts(self) -> List[Dict[str, Any]]:
        """Every row by the names of its columns. Not events, and not records: those come by Arrow."""
        parts: List[bytes] = []
        self.write(parts.append, "json")
        return [json.loads(line) for line in b"".join(parts).splitlines()]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.to_dicts())

    def _first(self, most: int) -> Tuple[List[Dict[str, Any]], bool]:
        """The first rows, and whether they are all; no more is made than they need."""
        held = bytearray()

        def write(part: bytes) -> None:
            held.extend(part)
            if held.count(b"\n") > most:
                raise _Enough

        try:
            self.write(write, "json")
        except _Enough:
            pass
        lines = held.splitlines()
        return [json.loads(line) for line in lines[:most]], len(lines) <= most

    def _repr_html_(self) -> str:
        """The first rows, for notebooks; of what comes by Arrow alone the names of the columns."""
        try:
            rows, are_all = self._first(20)
        except Error:
            return "<table><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in self.columns) + "</tr></table>"
        cells = [f"<tr>{''.join(f'<td>{html.escape(str(v))}</td>' for v in row.values())}</tr>" for row in rows]
        names = "".join(f"<th>{html.escape(name)}</th>" for name in (rows[0] if rows else self.columns))
        return f"<table><tr>{names}</tr>{''.join(cells)}</table><p>{'' if are_all else 'the first '}{len(rows)} rows</p>"

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> Any:
        """A new stream, in a capsule. `requested_schema` is not heeded, as the interface allows."""
        stream = _Stream()
        table = self._opened()
        check(lib.pk_table_arrow, table.address, c.byref(stream))
        borrowed = self._handle.borrowed
        if borrowed is not None:
            _borrowing[stream.private_data] = (c.cast(stream.release, _Release), borrowed)
            stream.release = c.cast(_borrowing_release, c.c_void_p)
        address = c.addressof(stream)
        _streams[address] = stream
        return _new_capsule(address, _CAPSULE_NAME, _capsule_destructor_address)

    def to_pyarrow(self) -> Any:
        """The rows as a pyarrow.Table."""
        import pyarrow  # pylint: disable=import-outside-toplevel

        return pyarrow.RecordBatchReader.from_stream(self).read_all()
