"""Finds and loads libprofkit, and calls it: statuses become exceptions, callbacks may raise."""
import ctypes as c
import os
import pathlib
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, TypeVar

from . import _declarations as d
from . import errors

SONAME = "libprofkit.so.0"


def _load() -> c.CDLL:
    """$PROFKIT_LIBRARY, else the library that the wheel carries, else the system's."""
    named = os.environ.get("PROFKIT_LIBRARY")
    carried = pathlib.Path(__file__).with_name(SONAME)
    path = named or (str(carried) if carried.exists() else SONAME)
    try:
        return c.CDLL(path)
    except OSError as why:
        raise ImportError(f"{path} could not be loaded: {why}. Install profkit, or name the library in "
                          "PROFKIT_LIBRARY") from why


def _absent(name: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise errors.Unsupported(d.PK_E_UNSUPPORTED, "unsupported",
                                 f"libprofkit {version()} has no {name}: this package was made for a newer one",
                                 hint="update libprofkit")

    return refuse


class _Functions:
    """The exported functions with their types. What an older library lacks is refused when it is called."""

    def __init__(self, library: c.CDLL) -> None:
        for name, (result, parameters) in d.FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                setattr(self, name, _absent(name))
                continue
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def _require_version(library: c.CDLL) -> None:
    """Refuses what is no libprofkit, and one that is older than the header that the declarations come from."""
    try:
        number = int(library.pk_version_number())
    except AttributeError:
        raise ImportError("what was loaded is no libprofkit: it has no pk_version_number") from None
    wanted = (d.PK_VERSION_MAJOR, d.PK_VERSION_MINOR)
    if (number // 1000000, number // 1000 % 1000) < wanted:
        raise ImportError(f"libprofkit {number // 1000000}.{number // 1000 % 1000}.{number % 1000} is older than "
                          f"{wanted[0]}.{wanted[1]}, which this package was made for: update libprofkit")


_loaded = _load()
_require_version(_loaded)
lib: Any = _Functions(_loaded)


def version() -> str:
    """Version of the library that was loaded."""
    return str(lib.pk_version_string().decode())


# ---- text ----

def text(value: d.pk_str) -> str:
    """Text of a file; bytes that are no UTF-8 are shown as \\xNN."""
    return c.string_at(value.data, value.size).decode("utf-8", "backslashreplace") if value.size else ""


def path_text(value: d.pk_str) -> str:
    return os.fsdecode(c.string_at(value.data, value.size)) if value.size else ""


def raw(value: d.pk_str) -> bytes:
    return c.string_at(value.data, value.size) if value.size else b""


def encoded(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else _without_nul(value.encode("utf-8", "surrogateescape"))


def encoded_path(value: Any) -> bytes:
    return _without_nul(os.fsencode(value))


def _without_nul(value: bytes) -> bytes:
    """C would see the part before a NUL: another path, another filter."""
    if b"\0" in value:
        raise ValueError(f"embedded null byte in {value!r}")
    return value


def borrowed(value: bytes) -> d.pk_str:
    """A pk_str over bytes that the caller keeps."""
    made_text = d.pk_str(c.cast(c.c_char_p(value), c.c_void_p), len(value))
    setattr(made_text, "_keep", value)
    return made_text


# ---- errors ----

def exception_of(error: Optional[int], status: int) -> errors.Error:
    code = lib.pk_status_name(status).decode()
    if not error:
        return errors.CLASSES.get(status, errors.Error)(status, code, code)
    offset = lib.pk_error_byte_offset(error)
    return errors.CLASSES.get(status, errors.Error)(
        status, code, lib.pk_error_message(error).decode("utf-8", "backslashreplace"),
        os.fsdecode(lib.pk_error_path(error)), None if offset == d.PK_NO_OFFSET else offset,
        lib.pk_error_hint(error).decode("utf-8", "backslashreplace"))


_reading = threading.local()


def reader_raised(why: Optional[BaseException]) -> None:
    """What the last read of a profile's reader ended with, on this thread: the call that made the library read raises it."""
    _reading.raised = why


def raise_what_reader_raised() -> None:
    """After a call that may have read: also of one that says no more than that there is damage."""
    raised = _reading.__dict__.pop("raised", None)
    if raised is not None:
        raise raised


def check(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function that has `pk_error **err` last. Gives PK_OK or PK_END, or raises."""
    error = c.c_void_p()
    status = function(*arguments, c.byref(error))
    if _reading.__dict__:
        try:
            raise_what_reader_raised()
        except BaseException:
            lib.pk_error_free(error.value)
            raise
    if status >= 0:
        return status
    handle = Handle(error.value, lib.pk_error_free)
    why = exception_of(error.value, status)
    why._handle = handle if error.value else None  # pylint: disable=protected-access
    raise why


def damage_of(error: Optional[int]) -> Optional[errors.Error]:
    """A borrowed error as an exception that is not raised."""
    return exception_of(error, lib.pk_error_code(error)) if error else None


# ---- handles ----

class Handle:
    """A C object that is freed when nothing refers to it any more: a call that is given it keeps it, whatever another
    thread closes meanwhile."""

    __slots__ = ("address", "_as_parameter_", "_free", "_keep", "__weakref__")

    def __init__(self, address: Optional[int], free: Callable[[int], None], keep: Any = None) -> None:
        self.address, self._free, self._keep = address, free, keep
        self._as_parameter_ = address

    @property
    def borrowed(self) -> Any:
        """The bytes in memory that this object reads, or None: they must outlive what it gives away."""
        return self._keep.borrowed if isinstance(self._keep, Handle) else self._keep

    def __del__(self) -> None:
        if self.address:
            self._free(self.address)


class Owner:
    """Base of the objects that are closed, or used in a `with`."""

    _handle: Optional[Handle]

    @property
    def _h(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ValueError(f"this {type(self).__name__} was closed")
        return handle

    def close(self) -> None:
        """Lets go of the C object. What was taken from it before keeps it alive for as long as it needs it."""
        self._handle = None

    def __enter__(self: "_Owner") -> "_Owner":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_Owner = TypeVar("_Owner", bound=Owner)


def made(function: Callable[..., int], free: Callable[[int], None], *arguments: Any, keep: Any = None) -> Handle:
    """Calls a function that ends in (T **out, pk_error **err)."""
    out = c.c_void_p()
    try:
        check(function, *arguments, c.byref(out))
    except BaseException:
        if out.value:  # it was made of what could be read
            free(out.value)
        raise
    return Handle(out.value, free, keep)


T = TypeVar("T")


def got(function: Callable[..., int], kind: Type[T], *arguments: Any) -> T:
    """Calls a function that ends in (T *out, pk_error **err)."""
    out = kind()
    setattr(out, "_keep", arguments)  # what its text is borrowed from
    check(function, *arguments, c.byref(out))  # type: ignore[arg-type]
    return out


# ---- options and callbacks ----

def limit_of(rows: Optional[int]) -> Optional[int]:
    """A limit as the C ABI has it; here None is the default and 0 none."""
    return d.PK_LIMIT_NONE if rows == 0 else rows


def options(kind: Type[T], **values: Any) -> T:
    """An option struct with its size; None leaves a field at 0, which is the default."""
    made_options = kind(struct_size=c.sizeof(kind))  # type: ignore[call-arg,arg-type]
    for name, value in values.items():
        if value is not None:
            setattr(made_options, name, value)
    return made_options


def filters(*, host: Optional[str] = None, plane: Optional[str] = None, line: Optional[str] = None, event: Optional[str] = None,
            step: Optional[int] = None, from_ps: Optional[int] = None, to_ps: Optional[int] = None) -> Any:
    """A pointer to pk_filters; None when nothing is filtered."""
    given = {"host": encoded(host), "plane": encoded(plane), "line": encoded(line), "name": encoded(event), "step": step,
             "from_ps": from_ps, "to_ps": to_ps}
    if all(value is None for value in given.values()):
        return None
    flags = (d.PK_FILTER_HAS_STEP * (step is not None) | d.PK_FILTER_HAS_FROM * (from_ps is not None)
             | d.PK_FILTER_HAS_TO * (to_ps is not None))
    return c.pointer(options(d.pk_filters, flags=flags, **given))


def strings(values: Any) -> Any:
    """A `const char *const *` over byte strings, and None among them."""
    return (c.c_char_p * len(values))(*values) if values else None


class Calls:
    """Callbacks for one call. What one of them raises stops the work and is raised where the call was made."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self._alive: List[Any] = []

    def callback(self, kind: Any, function: Callable[..., Any], refused: Optional[int]) -> Any:
        def guarded(*arguments: Any) -> Any:
            if self.raised is not None:
                return refused
            try:
                return function(*arguments)
            except BaseException as why:  # pylint: disable=broad-except
                self.raised = why
                return refused

        made_callback = kind(guarded)
        self._alive.append(made_callback)
        return made_callback

    def keep(self, value: Any) -> Any:
        self._alive.append(value)
        return value

    def run(self, call: Callable[[], T]) -> T:
        try:
            result = call()
        except errors.Error:
            if self.raised is not None:
                raise self.raised  # pylint: disable=raise-missing-from
            raise
        if self.raised is not None:
            raise self.raised
        return result

    def writer(self, write: Callable[[bytes], Any]) -> Any:
        def forward(_: Any, data: int, size: int) -> int:
            write(c.string_at(data, size))
            return 0

        return self.callback(d.pk_write_callback, forward, 1)


FIELD_KINDS: Dict[str, Any] = dict(d.pk_hooks._fields_)  # type: ignore[arg-type]


def hooks(calls: Calls, *, progress: Any = None, log: Any = None, cancel: Any = None, threads: int = 0) -> Any:
    """A pointer to pk_hooks, or None when there is nothing to tell."""
    if progress is None and log is None and cancel is None and not threads:
        return None
    made_hooks = options(d.pk_hooks, threads=threads)
    if progress is not None:
        made_hooks.progress = calls.callback(
            FIELD_KINDS["progress"], lambda _, done, total: 1 if progress(done, total) else 0, 1)
    if log is not None:
        made_hooks.log = calls.callback(
            FIELD_KINDS["log"], lambda _, level, message: log(level, message.decode("utf-8", "backslashreplace")), None)
    if cancel is not None:
        made_hooks.cancel = calls.keep(cancel._h).address  # pylint: disable=protected-access
    return c.pointer(calls.keep(made_hooks))


# ---- rows ----

def read_rows(read: Callable[..., int], struct: Any, convert: Callable[[Any], T], batch: int = 256) -> Iterator[T]:
    """Rows of a function (rows, capacity, count, err) that is called until it gives PK_END."""
    rows = (struct * batch)()
    count = c.c_size_t()
    while check(read, rows, batch, c.byref(count)) == d.PK_OK:
        for at in range(count.value):
            yield convert(rows[at])


def read_positions(read: Callable[..., int], handle: Handle, arguments: Tuple[Any, ...], struct: Any,
                   convert: Callable[[Any], T], batch: int = 256) -> Iterator[T]:
    """Rows of a function (object, ..., first, rows, capacity, count, err)."""
    rows = (struct * batch)()
    count = c.c_size_t()
    first = 0
    while check(read, handle.address, *arguments, first, rows, batch, c.byref(count)) == d.PK_OK:
        for at in range(count.value):
            yield convert(rows[at])
        first += count.value
