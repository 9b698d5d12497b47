"""Any protobuf message, field by field."""
import ctypes as c
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _declarations as d
from . import _library as L
from ._library import Calls, check, lib, options
from .kinds import Status, choice
from .profile import CancelToken, Limits, Log, PathLike, Progress, _open_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import DumpOptions


def dump(path: PathLike, write: Callable[[bytes], Any], *, type: Optional[str] = None,  # pylint: disable=redefined-builtin
         format: str = "json", limit: int = 0, io: str = "read",  # pylint: disable=redefined-builtin
         limits: Optional[Limits] = None, progress: Optional[Progress] = None, log: Optional[Log] = None,
         cancel: Optional[CancelToken] = None, threads: int = 0) -> Status:
    """Hands the bytes of `profkit dump PATH --json`, or of protobuf's text format, to `write`.

    type: name of the message type, "raw" for fields by their numbers, None for what the kind of file says. limit:
    elements shown of each repeated field, 0 for all."""
    return _dump(lib.pk_dump_write, (L.encoded_path(path),), write, type=type, format=format, limit=limit, io=io, limits=limits,
                 progress=progress, log=log, cancel=cancel, threads=threads)


def dump_open_file(profile: Any, file: int, write: Callable[[bytes], Any], **given: "Unpack[DumpOptions]") -> Status:
    """The same of a file of a profile, by its position."""
    return _dump(lib.pk_file_dump_write, (profile, file), write, **given)


def _dump(function: Any, of: Any, write: Callable[[bytes], Any], *, type: Optional[str] = None,  # pylint: disable=redefined-builtin
          format: str = "json", limit: int = 0, io: str = "read",  # pylint: disable=redefined-builtin
          limits: Optional[Limits] = None, progress: Optional[Progress] = None, log: Optional[Log] = None,
          cancel: Optional[CancelToken] = None, threads: int = 0) -> Status:
    calls = Calls()
    given = options(d.pk_dump_options, format=choice(format, "dump_format", "format"), type=L.encoded(type), limit=L.limit_of(limit))
    opening = _open_options(calls, 0, None, io, limits, progress=progress, log=log, cancel=cancel, threads=threads)
    given.open = c.pointer(opening)
    status = c.c_int32()
    calls.run(lambda: check(function, *of, c.byref(given), calls.writer(write), None, c.byref(status)))
    return Status(status.value)
