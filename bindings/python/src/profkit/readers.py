"""Where bytes come from when it is no local path: functions, file objects, fsspec's URIs."""
import ctypes as c
import io
import weakref
from typing import IO, Any, Callable, Mapping, Optional, Tuple

from . import _declarations as d
from ._library import options, reader_raised
from .errors import NotFound

_READ_AT: Any = dict(d.pk_read_callbacks._fields_)["read_at"]  # type: ignore[arg-type]


class Reader:
    """Positioned reads, for as long as a profile needs them. `close` is called once, when nothing refers to this any more."""

    def __init__(self, read_at: Callable[[int, int], bytes], size_bytes: Optional[int] = None,
                 close: Optional[Callable[[], Any]] = None) -> None:
        def forward(_: Any, offset: int, into: int, size: int) -> int:
            reader_raised(None)
            try:
                found = read_at(offset, size)
                if not isinstance(found, (bytes, bytearray, memoryview)):
                    raise TypeError(f"a read gave {type(found).__name__}, not bytes")
                if len(found) > size:
                    raise ValueError(f"read_at gave {len(found)} bytes, {size} were asked for")
                c.memmove(into, bytes(found), len(found))
                return len(found)
            except BaseException as why:  # pylint: disable=broad-except
                reader_raised(why)
                return -1

        self.callbacks = options(d.pk_read_callbacks, size_bytes=size_bytes)
        self.callbacks.read_at = _READ_AT(forward)
        self.close: Callable[[], Any] = weakref.finalize(self, close) if close is not None else lambda: None


def reader_of_file(file: IO[bytes], close: bool) -> Reader:
    """Reads a file object from its first byte on. One that cannot seek is read to its end at once, and held in memory."""
    end: Optional[Callable[[], Any]] = file.close if close else None
    if not file.seekable():
        file = io.BytesIO(file.read())
    size = at = file.seek(0, io.SEEK_END)

    def read_at(offset: int, size: int) -> bytes:
        nonlocal at
        if offset != at:
            at = file.seek(offset)
        found = file.read(size)
        at += len(found)
        return found

    return Reader(read_at, size, end)


def open_uri(uri: str, storage_options: Optional[Mapping[str, Any]]) -> Tuple[Optional[str], Optional[IO[bytes]]]:
    """The local path of a URI, or the file that fsspec opens."""
    try:
        import fsspec  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise ImportError(f"{uri} is read through fsspec, which is not installed: pip install fsspec") from None
    store, path = fsspec.core.url_to_fs(uri, **(storage_options or {}))
    if "file" in ((store.protocol,) if isinstance(store.protocol, str) else store.protocol):
        return path, None
    try:
        return None, store.open(path, "rb")
    except FileNotFoundError as why:
        raise NotFound(d.PK_E_NOT_FOUND, "not_found", f"there is no file {uri}", uri,
                       hint="name one file; profkit.fleet.captures() lists those of a folder") from why
