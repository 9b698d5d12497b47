"""What a call that fails raises."""
import json
from typing import Any, Dict, List, Optional

from . import _declarations as d


class Error(Exception):
    """A failure of the library: what, where, and what to do next."""

    #: The PK_E_ status of the failed call.
    status: int
    #: Name of the status, as JSON error documents have it: "damaged", "not_found".
    code: str
    message: str
    #: Path or label of the input; "" when none is involved.
    path: str
    #: Position in the decoded bytes of `path`; None when it is not known.
    byte_offset: Optional[int]
    #: What to do next; "" when there is nothing to advise.
    hint: str
    _handle: Any = None  # what the library wrote; absent from what Python found out, and from copies

    def __init__(self, status: int, code: str, message: str, path: str = "", byte_offset: Optional[int] = None,
                 hint: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.path, self.byte_offset, self.hint = path, byte_offset, hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def document_bytes(self, name: str = "report") -> bytes:
        """What `profkit NAME --json` prints instead of its document when this is why it has none. Only of what a call of the
        library failed with."""
        from . import _library as L, profile  # pylint: disable=import-outside-toplevel,cyclic-import
        if self._handle is None:
            raise ValueError("this error was not written by the library")
        parts: List[bytes] = []
        calls = L.Calls()
        calls.run(lambda: L.check(L.lib.pk_document_write_error, profile.document_number(name), self._handle,
                                  calls.writer(parts.append), None))
        return b"".join(parts)

    def document(self, name: str = "report") -> Dict[str, Any]:
        """The same, parsed."""
        found: Dict[str, Any] = json.loads(self.document_bytes(name))
        return found

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.status, self.code, self.message, self.path, self.byte_offset, self.hint)


class InvalidArgument(Error, ValueError):
    """An index out of range, a name that is not there, options that contradict each other."""


class Unsupported(Error):
    """Valid input or an option that this version of the library cannot handle."""


class Cancelled(Error):
    """A callback or the cancel token asked to stop."""


class NotFound(Error, FileNotFoundError):
    """No such path, or no such entry."""

    __str__ = Error.__str__


class PermissionDenied(Error, PermissionError):
    """The operating system does not let this file be read."""

    __str__ = Error.__str__


class ReadFailed(Error, OSError):
    """The operating system refused a read, or the input changed while it was read."""

    __str__ = Error.__str__


class Damaged(Error):
    """Bytes that break the format; `byte_offset` says where."""


class Unrecognised(Error):
    """No reader knows these bytes."""


class LimitExceeded(Error):
    """A bound of Limits was hit; the message names it."""


class OutputFailed(Error, OSError):
    """Writing failed."""

    __str__ = Error.__str__


CLASSES = {
    d.PK_E_INVALID_ARGUMENT: InvalidArgument,
    d.PK_E_UNSUPPORTED: Unsupported,
    d.PK_E_CANCELLED: Cancelled,
    d.PK_E_NOT_FOUND: NotFound,
    d.PK_E_PERMISSION: PermissionDenied,
    d.PK_E_IO: ReadFailed,
    d.PK_E_INPUT_CHANGED: ReadFailed,
    d.PK_E_DAMAGED: Damaged,
    d.PK_E_UNRECOGNISED: Unrecognised,
    d.PK_E_TEXT_MANGLED: Damaged,
    d.PK_E_LIMIT: LimitExceeded,
    d.PK_E_OUTPUT: OutputFailed,
    d.PK_E_OUTPUT_FULL: OutputFailed,
}
