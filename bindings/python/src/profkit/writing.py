"""Writing an XSpace, for profilers of one's own."""
import ctypes as c
import struct
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Optional, Union

from . import _declarations as d
from . import _library as L
from ._library import Calls, Owner, borrowed, check, lib, made
from .profile import PathLike

Value = Union[int, float, str, bytes]


class XSpaceWriter(Owner):
    """Writes an XSpace plane by plane, into a file that appears when the `with` block ends without an exception:

        with XSpaceWriter("host.xplane.pb") as writer:
            with writer.plane("/device:GPU:0"):
                with writer.line("Stream #1", timestamp_ns=0):
                    writer.event("matmul", offset_ps=0, duration_ps=1000, stats={"flops": 8})
    """

    def __init__(self, path: Optional[PathLike] = None, write: Optional[Callable[[bytes], Any]] = None, *, gzip: bool = False,
                 max_plane_bytes: int = 0, threads: int = 0) -> None:
        """gzip: compress what is written, with so many threads. max_plane_bytes: the most that an open plane may take in
        memory, 0 for no bound."""
        if (path is None) == (write is None):
            raise ValueError("give either a path or `write`")
        hooks = L.options(d.pk_hooks, threads=threads)
        given = L.options(d.pk_writer_options, flags=d.PK_WRITER_GZIP * gzip, max_plane_bytes=max_plane_bytes,
                          hooks=c.pointer(hooks))
        self._calls = Calls()
        self._names: Dict[str, int] = {}
        self._display: Dict[str, str] = {}
        self._events: Dict[Any, int] = {}
        if path is not None:
            self._handle = made(lib.pk_xspace_writer_open, lib.pk_xspace_writer_free, c.byref(given), L.encoded_path(path))
        else:
            assert write is not None
            callback = self._calls.writer(write)
            self._handle = made(lib.pk_xspace_writer_new, lib.pk_xspace_writer_free, c.byref(given), callback, None,
                                keep=(self._calls, callback))

    def hostname(self, name: str) -> None:
        """Names a host that was profiled. Not while a plane is open."""
        lib.pk_xspace_writer_note(self._h, d.PK_NOTE_HOSTNAME, _text(name))

    def warning(self, text: str) -> None:
        """Keeps a remark. Not while a plane is open."""
        lib.pk_xspace_writer_note(self._h, d.PK_NOTE_WARNING, _text(text))

    @contextmanager
    def plane(self, name: str, id: int = 0,  # pylint: disable=redefined-builtin
              stats: Optional[Dict[str, Value]] = None) -> Iterator[None]:
        """Opens a plane, and ends it. `stats` are facts of the plane."""
        self._names, self._events = {}, {}
        lib.pk_xspace_writer_begin_plane(self._h, _text(name), id)
        yield
        for key, value in (stats or {}).items():
            lib.pk_xspace_writer_plane_stat(self._h, self._stat_name(key), _value(value))
        lib.pk_xspace_writer_end_plane(self._h)

    @contextmanager
    def line(self, name: str, id: int = 0,  # pylint: disable=redefined-builtin
             timestamp_ns: int = 0) -> Iterator[None]:
        """Opens a line, and ends it. `timestamp_ns` is what the offsets of its events count from."""
        lib.pk_xspace_writer_begin_line(self._h, id, _text(name), timestamp_ns)
        yield
        lib.pk_xspace_writer_end_line(self._h)

    def event(self, name: str, offset_ps: int, duration_ps: int, stats: Optional[Dict[str, Value]] = None,
              display_name: str = "") -> None:
        """Adds an event to the open line."""
        lib.pk_xspace_writer_event(self._h, self._event_name(name, display_name), offset_ps, duration_ps)
        for stat, value in (stats or {}).items():
            lib.pk_xspace_writer_event_stat(self._h, self._stat_name(stat), _value(value))

    def describe(self, name: str, stats: Dict[str, Value], display_name: str = "") -> None:
        """Facts that all events of a name share in the open plane."""
        for stat, value in stats.items():
            lib.pk_xspace_writer_metadata_stat(self._h, self._event_name(name, display_name), self._stat_name(stat),
                                        _value(value))

    def _event_name(self, name: str, display_name: str) -> int:
        key = (name, display_name)
        found = self._events.get(key)
        if found is None:
            found = self._events[key] = lib.pk_xspace_writer_event_metadata(self._h, _text(name), _text(display_name))
        return found

    def _stat_name(self, name: str) -> int:
        found = self._names.get(name)
        if found is None:
            found = self._names[name] = lib.pk_xspace_writer_stat_metadata(self._h, _text(name))
        return found

    def finish(self) -> None:
        """Ends what is open and completes the output. Raises the first failure of any call before."""
        self._calls.run(lambda: check(lib.pk_xspace_writer_finish, self._h))

    def __exit__(self, kind: Any, *_: Any) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()


def _value(value: Value) -> d.pk_value:
    made_value = d.pk_value()
    if isinstance(value, (str, bytes)):
        content = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
        made_value.kind = d.PK_VALUE_BYTES if isinstance(value, bytes) else d.PK_VALUE_TEXT
        made_value.text = borrowed(content)
        setattr(made_value, "_keep", content)
    elif isinstance(value, float):
        made_value.kind, made_value.bits = d.PK_VALUE_DOUBLE, struct.unpack("=Q", struct.pack("=d", value))[0]
    elif -2**63 <= value < 2**63:
        made_value.kind, made_value.bits = d.PK_VALUE_INT64, value & (2**64 - 1)
    elif 0 <= value < 2**64:
        made_value.kind, made_value.bits = d.PK_VALUE_UINT64, value
    else:
        raise OverflowError(f"{value} has more than 64 bits")
    return made_value


def _text(value: str) -> d.pk_str:
    return borrowed(value.encode("utf-8", "surrogateescape"))
