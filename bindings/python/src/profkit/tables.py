"""Tables as Arrow streams: what takes `__arrow_c_stream__` (pyarrow, DuckDB, polars, pandas) reads them without a copy."""
import ctypes as c
import functools
from typing import Any, Dict, Optional, Sequence, Tuple

from . import _declarations as d
from ._library import Handle, Owner, check, encoded, options, strings


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
def _options(columns: Optional[Tuple[str, ...]], batch_rows: int, skip_damage: bool) -> Any:
    """A pointer to pk_arrow_options, which nobody changes: programs ask for the same few again and again."""
    return c.pointer(options(d.pk_arrow_options, batch_rows=batch_rows,
                             flags=d.PK_ARROW_SKIP_DAMAGE if skip_damage else 0,
                             columns=strings([encoded(name) for name in columns]) if columns else None,
                             column_count=len(columns) if columns else 0))


class Table:
    """Rows of a capture as an Arrow stream: int64 picoseconds (the unit is in the metadata of the column), names as
    dictionaries. Give it to whatever reads Arrow, as often as you like:

        duckdb.sql("select name, sum(duration_ps) from events group by name")   # events = profile.events_table()
        pyarrow.table(events), polars.DataFrame(events)

    Name the columns you need, as in profile.events_table(columns=["line", "name", "start_ps", "duration_ps"]): a table
    of few columns comes faster and takes less memory.

    What it was made from may be closed; a table that has been read keeps nothing.
    """

    def __init__(self, owner: Owner, function: Any, *arguments: Any, columns: Optional[Sequence[str]] = None,
                 batch_rows: int = 0, skip_damage: bool = False) -> None:
        """columns: names of those that are wanted, in that order; what is not wanted is not made. batch_rows: 0 is
        65536. skip_damage: end where damage begins instead of failing after the intact rows."""
        self._handle: Handle = owner._h
        self._function, self._arguments = function, arguments
        self._options = None
        if columns is not None or batch_rows or skip_damage:
            if isinstance(columns, str) or columns is not None and not columns:
                raise ValueError(f"columns is a list of at least one name, not {columns!r}")
            self._options = _options(None if columns is None else tuple(columns), batch_rows, skip_damage)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> Any:
        """A new stream, in a capsule. `requested_schema` is not heeded, as the interface allows."""
        stream = _Stream()
        check(self._function, self._handle.address, *self._arguments, self._options, c.byref(stream))
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
