"""Opened captures: files, planes, lines, events, stats, metadata, documents."""
import ctypes as c
import html
import json
import os
import struct
from typing import IO, TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _declarations as d
from . import _library as L
from ._library import Calls, Handle, Owner, check, got, lib, made, options, path_text, text
from .errors import Error, NotFound
from .kinds import NAMES, StatOrigin, Status, choice
from .readers import Reader, open_uri, reader_of_file
from .rows import (
    EventMetadata, Exported, FileInfo, LineInfo, LineSummary, PlaneInfo, Run, StatMetadata, event_metadata_of, exported_of, line_summary_of,
    run_of, stat_metadata_of,
)
from .tables import Table, TableName, number_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .analyses import Architecture, Bubbles, ChromeEvents, Kernels, Memory, Modules, Neutrino
    from .keywords import (ArchitectureOptions, BubblesOptions, DumpOptions, EventsTable, ExportOptions, FilteredDocument, FilteredTable,
                           Filters, Hooks, KernelsOptions, MemoryOptions)
    from .plotting import Plots

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Progress = Callable[[int, int], Any]
Log = Callable[[int, str], Any]

_DOCUMENTS = {lib.pk_document_name(value).decode(): value
              for name, value in vars(d).items()
              if name.startswith("PK_DOCUMENT_") and not name.startswith(("PK_DOCUMENT_STATUS", "PK_DOCUMENT_HAS"))}
_EVENT = struct.Struct("@qqqqqPII")
assert _EVENT.size == c.sizeof(d.pk_event)


class CancelToken(Owner):
    """Lets any thread stop work that another thread is doing."""

    def __init__(self) -> None:
        self._handle = made(lib.pk_cancel_token_new, lib.pk_cancel_token_free)

    def cancel(self) -> None:
        """Stops every call that was given this token, now or later."""
        lib.pk_cancel_token_cancel(self._h)


class Limits(NamedTuple):
    """Bounds on what hostile or broken input can make the library do. 0 is the default."""
    max_nesting: int = 0
    max_materialised_bytes: int = 0
    max_decompression_ratio: int = 0
    ratio_free_bytes: int = 0
    max_string_bytes: int = 0
    max_files: int = 0


def limits_pointer(calls: Calls, limits: Optional[Limits]) -> Any:
    if limits is None:
        return None
    return c.pointer(calls.keep(options(d.pk_limits, **limits._asdict())))


class Stat:
    """One fact of an event, of its metadata entry, or of a plane."""

    __slots__ = ("name", "value", "metadata_id", "kind", "origin")

    name: str
    #: int, float, str or bytes; None when no value was written.
    value: Union[int, float, str, bytes, None]
    metadata_id: int
    #: "none", "double", "uint64", "int64", "str", "bytes", "ref".
    kind: str
    origin: StatOrigin

    def __init__(self, row: d.pk_stat) -> None:
        self.name, self.metadata_id, self.origin = text(row.name), row.metadata_id, StatOrigin(row.origin)
        self.kind = NAMES["stat_kind"].get(row.kind, "none")
        if row.kind in (d.PK_STAT_STR, d.PK_STAT_REF):
            self.value = text(row.text)
        elif row.kind == d.PK_STAT_BYTES:
            self.value = L.raw(row.text)
        elif row.kind == d.PK_STAT_DOUBLE:
            self.value = struct.unpack("=d", struct.pack("=Q", row.bits))[0]
        elif row.kind == d.PK_STAT_INT64:
            self.value = row.bits - (1 << 64) if row.bits >> 63 else row.bits
        elif row.kind == d.PK_STAT_UINT64:
            self.value = row.bits
        else:
            self.value = None

    def __repr__(self) -> str:
        return f"Stat({self.name!r}, {self.value!r})"


class Event:
    """One event of a line."""

    __slots__ = ("_plane", "_row")

    def __init__(self, plane: "Plane", row: Any) -> None:
        self._plane, self._row = plane, row

    @property
    def metadata_id(self) -> int:
        return int(self._row[0])

    @property
    def start_ps(self) -> Optional[int]:
        """On the capture's clock; None for an aggregated event, which has no place in time."""
        return self._row[1] if self._row[7] & d.PK_EVENT_HAS_START else None

    @property
    def offset_ps(self) -> Optional[int]:
        """After the line's own zero, as written; None when it was not."""
        return self._row[2] if self._row[7] & d.PK_EVENT_HAS_OFFSET else None

    @property
    def duration_ps(self) -> int:
        return int(self._row[3])

    @property
    def num_occurrences(self) -> Optional[int]:
        """Of an aggregated event."""
        return self._row[4] if self._row[7] & d.PK_EVENT_HAS_OCCURRENCES else None

    @property
    def name(self) -> str:
        """Name of the metadata entry; "" when the id has none."""
        return self._plane.event_name(self._row[0])

    @property
    def metadata(self) -> Optional[EventMetadata]:
        return self._plane.find_event_metadata(self._row[0])

    def stats(self, origins: int = StatOrigin.EVENT | StatOrigin.METADATA) -> Iterator[Stat]:
        """Stats of the event itself, then of its metadata entry, then of the plane, as far as `origins` asks."""
        return self._plane._stats(lib.pk_event_stats, c.byref(d.pk_event(*self._row)), int(origins))

    def stat(self, name: str, origins: int = StatOrigin.EVENT | StatOrigin.METADATA) -> Optional[Stat]:
        """The first of the stats with that name; None when there is none."""
        try:
            return Stat(got(lib.pk_event_stat_find, d.pk_stat, *self._plane._at, c.byref(d.pk_event(*self._row)), int(origins),
                            L.borrowed(name.encode())))
        except NotFound:
            return None

    def __repr__(self) -> str:
        return f"Event({self.name!r}, start_ps={self.start_ps}, duration_ps={self.duration_ps})"


class Line(LineInfo):
    """One row of events of a plane."""

    __slots__ = ("plane", "position")

    def __init__(self, plane: "Plane", position: int) -> None:
        super().__init__(got(lib.pk_line_get, d.pk_line_info, *plane._at, position))
        self.plane, self.position = plane, position

    def summary(self) -> LineSummary:
        """Counts the events without decoding them."""
        return line_summary_of(got(lib.pk_line_summarise, d.pk_line_summary, *self.plane._at, self.position))

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def events(self, batch: int = 1024) -> Iterator[Event]:
        """Events in the order of the file. Raises Damaged where the bytes break the format, after those before."""
        plane = self.plane
        cursor = got(lib.pk_events_begin, d.pk_event_cursor, *plane._at, self.position)
        rows = (d.pk_event * batch)()
        count = c.c_size_t()
        size = _EVENT.size
        view = memoryview(rows).cast("B")
        while check(lib.pk_events_read, c.byref(cursor), rows, batch, c.byref(count)) == d.PK_OK:
            for row in _EVENT.iter_unpack(view[:count.value * size]):
                yield Event(plane, row)

    def to_numpy(self) -> Any:
        """All events as one structured array that the library fills: metadata_id, start_ps, offset_ps, duration_ps,
        num_occurrences, stats (an address), stats_bytes, flags (PK_EVENT_). Its columns are views, not copies."""
        import numpy  # pylint: disable=import-outside-toplevel

        count = c.c_size_t()
        rows = numpy.empty(self.summary().event_count, dtype=EVENT_DTYPE())
        cursor = got(lib.pk_events_begin, d.pk_event_cursor, *self.plane._at, self.position)
        done = 0
        while done < len(rows):
            at = c.cast(rows.ctypes.data + done * _EVENT.size, c.POINTER(d.pk_event))
            if check(lib.pk_events_read, c.byref(cursor), at, len(rows) - done, c.byref(count)) != d.PK_OK:
                break
            done += count.value
        return rows[:done]

    def __repr__(self) -> str:
        return f"<Line {self.position} {self.name!r} {self.kind.name}>"


def EVENT_DTYPE() -> Any:  # pylint: disable=invalid-name
    """numpy's dtype of the rows of Line.to_numpy()."""
    import numpy  # pylint: disable=import-outside-toplevel

    return numpy.dtype([("metadata_id", "i8"), ("start_ps", "i8"), ("offset_ps", "i8"), ("duration_ps", "i8"),
                        ("num_occurrences", "i8"), ("stats", "u8"), ("stats_bytes", "u4"), ("flags", "u4")])


class Plane(PlaneInfo):
    """One device, host or other source of an XSpace file."""

    def __init__(self, file: "File", position: int) -> None:
        self.file, self.position = file, position
        self._handle = file._handle
        self._at = (self._handle.address, file.position, position)
        super().__init__(got(lib.pk_plane_get, d.pk_plane_info, *self._at))
        self._names: Dict[int, str] = {}

    @property
    def lines(self) -> List[Line]:
        return [Line(self, at) for at in range(lib.pk_line_count(*self._at))]

    def _stats(self, function: Any, *arguments: Any) -> Iterator[Stat]:
        cursor, row = got(function, d.pk_stat_cursor, *self._at, *arguments), d.pk_stat()
        while check(lib.pk_stat_next, c.byref(cursor), c.byref(row)) == d.PK_OK:
            yield Stat(row)

    def stats(self) -> Iterator[Stat]:
        """Facts of the plane itself."""
        return self._stats(lib.pk_plane_stats)

    def metadata_stats(self, event_metadata_id: int) -> Iterator[Stat]:
        """Facts that all events with this id share. Raises NotFound."""
        return self._stats(lib.pk_event_metadata_stats, event_metadata_id)

    def event_name(self, metadata_id: int) -> str:
        name = self._names.get(metadata_id)
        if name is None:
            entry = self.find_event_metadata(metadata_id)
            name = self._names[metadata_id] = entry.name if entry else ""
        return name

    def find_event_metadata(self, metadata_id: int) -> Optional[EventMetadata]:
        """The entry of an id, in constant time; None when there is none."""
        found: Optional[EventMetadata] = self._find(lib.pk_event_metadata_get, d.pk_event_metadata, event_metadata_of,
                                                    metadata_id)
        return found

    def find_stat_metadata(self, metadata_id: int) -> Optional[StatMetadata]:
        """The entry of an id, in constant time; None when there is none."""
        found: Optional[StatMetadata] = self._find(lib.pk_stat_metadata_get, d.pk_stat_metadata, stat_metadata_of,
                                                   metadata_id)
        return found

    def _find(self, function: Any, kind: Any, convert: Any, key: int) -> Any:
        try:
            return convert(got(function, kind, *self._at, key))
        except NotFound:
            return None

    def event_metadata_children(self, metadata_id: int) -> List[int]:
        """Ids of the children of an entry. Raises NotFound."""
        count = c.c_size_t()
        check(lib.pk_event_metadata_children, *self._at, metadata_id, None, 0, c.byref(count))
        ids = (c.c_int64 * count.value)()
        check(lib.pk_event_metadata_children, *self._at, metadata_id, ids, count.value, c.byref(count))
        return list(ids)

    def stat_id(self, name: str) -> Optional[int]:
        """Id of a stat name, by looking at every entry: do it once a plane."""
        encoded = L.encoded(name) or b""
        found = c.c_int64()
        try:
            check(lib.pk_stat_metadata_find, *self._at, encoded, len(encoded), c.byref(found))
        except NotFound:
            return None
        return found.value

    def event_metadata(self) -> Iterator[EventMetadata]:
        """All entries, in the order of the file, each id once."""
        return self._entries(lib.pk_event_metadata_begin, lib.pk_event_metadata_next, d.pk_event_metadata(),
                             event_metadata_of)

    def stat_metadata(self) -> Iterator[StatMetadata]:
        """All entries, in the order of the file, each id once."""
        return self._entries(lib.pk_stat_metadata_begin, lib.pk_stat_metadata_next, d.pk_stat_metadata(),
                             stat_metadata_of)

    def _entries(self, begin: Any, following: Any, row: Any, convert: Any) -> Iterator[Any]:
        cursor = got(begin, d.pk_metadata_cursor, *self._at)
        while check(following, c.byref(cursor), c.byref(row)) == d.PK_OK:
            yield convert(row)

    def __repr__(self) -> str:
        return f"<Plane {self.position} {self.name!r} {self.kind.name}>"


class File(FileInfo):
    """One file of a profile."""

    def __init__(self, handle: Handle, position: int) -> None:
        super().__init__(got(lib.pk_file_get, d.pk_file_info, handle.address, position))
        self._handle, self.position = handle, position

    def dump(self, write: Callable[[Any], Any], **given: "Unpack[DumpOptions]") -> Status:
        """Hands the bytes of `profkit dump --json`, or of protobuf's text format, of this file to `write`. Options: see
        dump(); those of opening count no more, but for limits and hooks."""
        from .dumping import dump_open_file  # pylint: disable=import-outside-toplevel
        return dump_open_file(self._handle.address, self.position, write, **given)

    @property
    def bytes(self) -> memoryview:
        """The decoded bytes, read-only and not copied: a memoryview over the mapping (small files: what was read), which it keeps."""
        found = got(lib.pk_file_bytes, d.pk_str, self._handle.address, self.position)
        if not found.size:
            return memoryview(b"")
        array = (c.c_ubyte * found.size).from_address(found.data)
        setattr(array, "_profile", self._handle)
        return memoryview(array).cast("B").toreadonly()

    @property
    def damage(self) -> Optional[Error]:
        """Why the file is damaged or unreadable; None when it is sound."""
        found = L.damage_of(lib.pk_file_damage(self._handle.address, self.position))
        L.reader_raised(None)  # the damage says it
        return found

    @property
    def planes(self) -> List[Plane]:
        """None unless the file is an XSpace."""
        count = lib.pk_plane_count(self._handle.address, self.position)
        L.raise_what_reader_raised()
        return [Plane(self, at) for at in range(count)]

    @property
    def hostnames(self) -> List[str]:
        return self._notes(d.PK_NOTE_HOSTNAME)

    @property
    def errors(self) -> List[str]:
        """What the recorder wrote down as an error."""
        return self._notes(d.PK_NOTE_ERROR)

    @property
    def warnings(self) -> List[str]:
        return self._notes(d.PK_NOTE_WARNING)

    def _notes(self, kind: int) -> List[str]:
        count = lib.pk_file_note_count(self._handle.address, self.position, kind)
        L.raise_what_reader_raised()
        return [text(got(lib.pk_file_note_get, d.pk_str, self._handle.address, self.position, kind, at))
                for at in range(count)]

    def __repr__(self) -> str:
        return f"<File {self.position} {self.path!r} {self.family.name}>"


class Profile(Owner):
    """An opened capture. Immutable: any number of threads may read it."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._known: Optional[d.pk_profile_info] = None

    @property
    def _info(self) -> d.pk_profile_info:
        """Asked for when somebody wants it."""
        if self._known is None:
            self._known = got(lib.pk_profile_get, d.pk_profile_info, self._h.address)
        return self._known

    # ---- what is in it ----

    @property
    def path(self) -> str:
        """As it was given."""
        self._h  # pylint: disable=pointless-statement
        return path_text(self._info.path)

    @property
    def origin_unix_ns(self) -> Optional[int]:
        """What 0 ps is, in ns since 1970; None when no file tells."""
        return self._info.origin_unix_ns if self._info.flags & d.PK_PROFILE_HAS_ORIGIN else None

    @property
    def ignored_count(self) -> int:
        """Files that no reader knows."""
        return int(self._info.ignored_count)

    @property
    def files(self) -> List[File]:
        handle = self._h
        return [File(handle, at) for at in range(lib.pk_file_count(handle))]

    @property
    def runs(self) -> List[Run]:
        """Runs below a parent of runs, newest first."""
        return [run_of(got(lib.pk_run_get, d.pk_run_info, self._h, at)) for at in range(self._info.run_count)]

    @property
    def planes(self) -> List[Plane]:
        """The planes of all files."""
        return [plane for file in self.files for plane in file.planes]

    # ---- documents ----

    def write_document(self, name: str, write: Callable[[bytes], Any], *, host: Optional[str] = None,
                       plane: Optional[str] = None, line: Optional[str] = None, event: Optional[str] = None,
                       step: Optional[int] = None, from_ps: Optional[int] = None, to_ps: Optional[int] = None,
                       limit: Optional[int] = None, max_bytes: Optional[int] = None, progress: Optional[Progress] = None,
                       log: Optional[Log] = None, cancel: Optional[CancelToken] = None, threads: int = 0) -> Status:
        """Hands the bytes of `profkit NAME --json` to `write`. Filters are substrings; `limit` 0 is all rows, and
        `max_bytes` the most that the document takes, from 20,000 on (0: its own bound)."""
        return self._write_filtered(
            lib.pk_document_write, (document_number(name),), write, host=host, plane=plane, line=line, event=event,
            step=step, from_ps=from_ps, to_ps=to_ps, limit=limit, max_bytes=max_bytes, progress=progress, log=log,
            cancel=cancel, threads=threads)

    def save_document(self, name: str, path: PathLike, *, limit: Optional[int] = None, max_bytes: Optional[int] = None,
                      progress: Optional[Progress] = None, log: Optional[Log] = None, cancel: Optional[CancelToken] = None,
                      threads: int = 0, **filters: "Unpack[Filters]") -> Status:
        """Writes the document into a file, which appears when it is complete. Filters as of write_document()."""
        calls = Calls()
        given = options(d.pk_document_options, filters=L.filters(**filters), limit=L.limit_of(limit), max_bytes=max_bytes)
        given.hooks = hooks_of(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        status = c.c_int32()
        calls.run(lambda: check(lib.pk_document_write_file, self._h, document_number(name), c.byref(given),
                                L.encoded_path(path), c.byref(status)))
        return Status(status.value)

    def _write_filtered(self, function: Any, what: Tuple[Any, ...], write: Callable[[bytes], Any], *,
                        progress: Optional[Progress] = None, log: Optional[Log] = None, cancel: Optional[CancelToken] = None,
                        threads: int = 0, of: Optional[str] = None, **filters: Any) -> Status:
        calls = Calls()
        limit, max_bytes = filters.pop("limit", None), filters.pop("max_bytes", None)
        given = options(d.pk_document_options, filters=L.filters(**filters), limit=L.limit_of(limit), max_bytes=max_bytes,
                        of=None if of is None else L.encoded(of))
        given.hooks = hooks_of(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        status = c.c_int32()
        calls.run(lambda: check(function, self._h, *what, c.byref(given), calls.writer(write), None, c.byref(status)))
        return Status(status.value)

    def _filtered_bytes(self, function: Any, what: Tuple[Any, ...], **filters: Any) -> bytes:
        parts: List[bytes] = []
        self._write_filtered(function, what, parts.append, **filters)
        return b"".join(parts)

    def module_document_bytes(self, module: str, **filters: "Unpack[FilteredDocument]") -> bytes:
        """The bytes of `profkit modules --dump NAME --json`: a compiled module and the instructions of its entry
        computation. `limit` counts instructions; other filters as of write_document()."""
        return self._filtered_bytes(lib.pk_document_write, (d.PK_DOCUMENT_MODULES,), of=module, **filters)

    def finding_document_bytes(self, id: str, **filters: "Unpack[FilteredDocument]") -> bytes:
        """The bytes of `profkit explain PATH ID --json`: one finding of the report, with its evidence and what happened
        around it. `id` is one of document("explain") under the same filters, which are those of write_document()."""
        return self._filtered_bytes(lib.pk_document_write, (d.PK_DOCUMENT_EXPLAIN,), of=id, **filters)

    def finding_document(self, id: str, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """The same, parsed."""
        found: Dict[str, Any] = json.loads(self.finding_document_bytes(id, **filters))
        return found

    def module_document(self, module: str, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """The same, parsed."""
        found: Dict[str, Any] = json.loads(self.module_document_bytes(module, **filters))
        return found

    def op_groups(self, by: str = "op", **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """Ops summed by what they have in common, as `profkit ops PATH --by KEYS --json`: "module,op" is a tree. Filters as of
        write_document()."""
        found: Dict[str, Any] = json.loads(self._filtered_bytes(lib.pk_document_write, (d.PK_DOCUMENT_OP_GROUPS,), of=by, **filters))
        return found

    def page(self, **filters: "Unpack[FilteredDocument]") -> bytes:
        """The report as HTML for a browser, with its style, script and numbers inside: `profkit report PATH -o NAME.html`.
        Filters as of write_document()."""
        return self._filtered_bytes(lib.pk_page_write, (), **filters)

    def redaction(self) -> Dict[str, Any]:
        """What open(…, redact=True) replaced and left out, with the word that each alias stands for: not to be shared."""
        parts: List[bytes] = []
        calls = Calls()
        calls.run(lambda: check(lib.pk_redaction_write, self._h, calls.writer(parts.append), None))
        found: Dict[str, Any] = json.loads(b"".join(parts))
        return found

    def _repr_html_(self) -> str:
        """In a notebook: the page, in a frame of its own that loads and sends nothing."""
        page = html.escape(self.page().decode(), quote=True)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="profkit report of {html.escape(self.path, quote=True)}" '
                'style="width: 100%; height: 45em; border: 0"></iframe>')

    @property
    def plot(self) -> "Plots":
        """Pictures with matplotlib: plot.timeline(), .memory(), .roofline()."""
        from .plotting import Plots  # pylint: disable=import-outside-toplevel
        return Plots(self)

    def document_bytes(self, name: str, **filters: "Unpack[FilteredDocument]") -> bytes:
        """The bytes of `profkit NAME --json`."""
        parts: List[bytes] = []
        self.write_document(name, parts.append, **filters)
        return b"".join(parts)

    def document(self, name: str, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """The document of a command: "report", "info", "tree", "metadata", "steps", "ops", "modules", "framework",
        "collectives", "memory", "bubbles", "neutrino". Filters as of write_document()."""
        found: Dict[str, Any] = json.loads(self.document_bytes(name, **filters))
        return found

    def report(self, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """Everything about the capture."""
        return self.document("report", **filters)

    def info(self, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """Every file, host, plane and line, with counts."""
        return self.document("info", **filters)

    def ops(self, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        """Totals of every op over all its events."""
        return self.document("ops", **filters)

    def steps(self, **filters: "Unpack[FilteredDocument]") -> Dict[str, Any]:
        return self.document("steps", **filters)

    # ---- tables ----

    def events_table(self, file: Optional[int] = None, **given: "Unpack[EventsTable]") -> Table:
        """The events of a file, or of all, as an Arrow table. Options: see Table."""
        return Table(self, lib.pk_table_open, d.PK_TABLE_EVENTS, file=file, **given)

    def ops_table(self, **given: "Unpack[FilteredTable]") -> Table:
        """Totals of every op. Options: see table()."""
        return self.table("ops", **given)

    def table(self, name: TableName, *, columns: Optional[Sequence[str]] = None, batch_rows: int = 0,
              skip_damage: bool = False, plain_text: bool = False, signed: bool = False, allow_empty: bool = False,
              host: Optional[str] = None, plane: Optional[str] = None, line: Optional[str] = None, event: Optional[str] = None,
              step: Optional[int] = None, from_ps: Optional[int] = None, to_ps: Optional[int] = None,
              limit: Optional[int] = None) -> Table:
        """Any table of the capture; the analysis that it needs is made when the rows are read. Which filters a table
        takes docs/tables.md says; limit: rows a line. The other options: see Table."""
        return Table(self, lib.pk_table_open, number_of(name), columns=columns, batch_rows=batch_rows,
                     skip_damage=skip_damage, plain_text=plain_text, signed=signed, allow_empty=allow_empty,
                     limit=limit, filters=tuple({"host": host, "plane": plane, "line": line, "event": event, "step": step,
                                                 "from_ps": from_ps, "to_ps": to_ps}.items()))

    # ---- analyses ----

    def memory(self, **given: "Unpack[MemoryOptions]") -> "Memory":
        """Where the memory goes. Options: see Memory."""
        from .analyses import Memory  # pylint: disable=import-outside-toplevel
        return Memory(self, **given)

    def bubbles(self, **given: "Unpack[BubblesOptions]") -> "Bubbles":
        """Why devices wait. Options: see Bubbles."""
        from .analyses import Bubbles  # pylint: disable=import-outside-toplevel
        return Bubbles(self, **given)

    def architecture(self, **given: "Unpack[ArchitectureOptions]") -> "Architecture":
        """What model ran. Options: see Architecture."""
        from .analyses import Architecture  # pylint: disable=import-outside-toplevel
        return Architecture(self, **given)

    def kernels(self, **given: "Unpack[KernelsOptions]") -> "Kernels":
        """What the devices did, kernel by kernel. Options: see Kernels."""
        from .analyses import Kernels  # pylint: disable=import-outside-toplevel
        return Kernels(self, **given)

    def modules(self, **given: "Unpack[Hooks]") -> "Modules":
        """The compiled modules. Options: progress, log, cancel, threads."""
        from .analyses import Modules  # pylint: disable=import-outside-toplevel
        return Modules(self, **given)

    def neutrino(self, tool: str = "none") -> "Neutrino":
        """What probes recorded inside GPU kernels. Raises NotFound when the capture has no such trace."""
        from .analyses import Neutrino  # pylint: disable=import-outside-toplevel
        return Neutrino(self, tool)

    def chrome_events(self, file: Union[int, File] = 0) -> "ChromeEvents":
        """The events of a trace-event JSON file."""
        from .analyses import ChromeEvents  # pylint: disable=import-outside-toplevel
        return ChromeEvents(self, file if isinstance(file, int) else file.position)

    # ---- export ----

    def export(self, path: PathLike, format: str, **given: "Unpack[ExportOptions]") -> "Exported":  # pylint: disable=redefined-builtin
        """Writes "trace.json", "pftrace", "xspace" or "csv" to a file, which appears when it is complete. Options:
        host, plane, line, event, step, from_ps, to_ps, gzip, like_xla, waits, progress, log, cancel, threads."""
        calls = Calls()
        trace = _trace_options(calls, format, **given)
        out = d.pk_trace_outcome()
        calls.run(lambda: check(lib.pk_trace_write_file, self._h, c.byref(trace), L.encoded_path(path), c.byref(out)))
        return exported_of(out)

    def write_export(self, write: Callable[[bytes], Any], format: str,  # pylint: disable=redefined-builtin
                     **given: "Unpack[ExportOptions]") -> "Exported":
        """The same, to `write`."""
        calls = Calls()
        trace = _trace_options(calls, format, **given)
        out = d.pk_trace_outcome()
        calls.run(lambda: check(lib.pk_trace_write, self._h, c.byref(trace), calls.writer(write), None, c.byref(out)))
        return exported_of(out)

    def __repr__(self) -> str:
        return f"<Profile {self.path!r}>" if self._handle else "<Profile closed>"


def _trace_options(calls: Calls, format: str, *,  # pylint: disable=redefined-builtin
                   host: Optional[str] = None, plane: Optional[str] = None, line: Optional[str] = None,
                   event: Optional[str] = None, step: Optional[int] = None, from_ps: Optional[int] = None,
                   to_ps: Optional[int] = None, gzip: bool = False, like_xla: bool = False, waits: bool = False,
                   progress: Optional[Progress] = None, log: Optional[Log] = None,
                   cancel: Optional[CancelToken] = None, threads: int = 0) -> Any:
    flags = d.PK_TRACE_LIKE_XLA * like_xla | d.PK_TRACE_WAITS * waits | d.PK_TRACE_GZIP * gzip
    trace = options(d.pk_trace_options, format=choice(format, "trace_format", "format"), flags=flags,
                    filters=L.filters(host=host, plane=plane, line=line, event=event, step=step, from_ps=from_ps, to_ps=to_ps))
    trace.hooks = hooks_of(calls, progress=progress, log=log, cancel=cancel, threads=threads)
    return trace


def hooks_of(calls: Calls, **given: Any) -> Any:
    return L.hooks(calls, **given)


def document_number(name: str) -> int:
    """The PK_DOCUMENT_ of a command."""
    if name not in _DOCUMENTS:
        raise ValueError(f"there is no document {name!r}; there are {', '.join(_DOCUMENTS)}")
    return int(_DOCUMENTS[name])


def _open_options(calls: Calls, flags: int, run: Optional[str], io: str, limits: Optional[Limits],
                  host: Optional[str] = None, rank: Optional[int] = None, **given: Any) -> Any:
    made_options = options(d.pk_open_options, flags=flags | d.PK_OPEN_HAS_RANK * (rank is not None), io=choice(io, "io_mode", "io"),
                           run=L.encoded(run), host=L.encoded(host), rank=rank)
    made_options.limits = limits_pointer(calls, limits)
    made_options.hooks = hooks_of(calls, **given)
    return made_options


def open(path: Union[PathLike, IO[bytes]], *, run: Optional[str] = None,  # pylint: disable=redefined-builtin
         io: Literal["read", "map"] = "read", standard_input: bool = False, one_pass: bool = False, redact: bool = False,
         storage_options: Optional[Mapping[str, Any]] = None, limits: Optional[Limits] = None, progress: Optional[Progress] = None,
         log: Optional[Log] = None, cancel: Optional[CancelToken] = None, threads: int = 0) -> Profile:
    """Opens a file, a run directory, or a parent of runs; one file that is open for reading bytes; or one that fsspec knows by a
    URI ("s3://bucket/vm.xplane.pb", with storage_options for it).

    run: in a parent of runs, None for the newest, "all", or a folder name. io: "read", or "map" for less memory (then a file that is
    truncated meanwhile ends the process). standard_input: "-" is it; else "-" is refused. one_pass: only the documents info and ops
    will be asked for: they read what cannot be mapped (compressed, a pipe, a file object, a URI) through a window, and not into
    memory. redact: aliases for what is not public, see redaction().
    progress(done_bytes, total_bytes) stops the work by giving something true, or by raising; log(level, message) hears remarks.

    A file object is not closed; with one_pass it is read until the profile and all that was made of it is gone. One that cannot
    seek is held in memory. A URI is of one file: fleet.captures() lists those of a folder.
    """
    given: Dict[str, Any] = {"limits": limits, "progress": progress, "log": log, "cancel": cancel, "threads": threads}
    where: Any = path
    if isinstance(where, str) and "://" in where:
        local, file = open_uri(where, storage_options)
        if file is not None:
            _refuse_paths_options(run, io)
            return _open_reader(reader_of_file(file, close=True), where, one_pass, redact, **given)
        where = local
    elif hasattr(where, "read"):
        _refuse_paths_options(run, io)
        name = getattr(where, "name", "")
        return _open_reader(reader_of_file(where, close=False), name if isinstance(name, (str, bytes)) else "", one_pass, redact,
                            **given)
    if (run, io, standard_input, one_pass, redact, limits, progress, log, cancel, threads) == (
            None, "read", False, False, False, None, None, None, None, 0):
        return Profile(made(lib.pk_profile_open, lib.pk_profile_free, L.encoded_path(where), None))
    calls = Calls()
    flags = _flags_of(one_pass, redact) | d.PK_OPEN_STANDARD_INPUT * standard_input
    made_options = _open_options(calls, flags, run, io, **given)
    return Profile(calls.run(lambda: made(lib.pk_profile_open, lib.pk_profile_free, L.encoded_path(where),
                                          c.byref(made_options))))


def _flags_of(one_pass: bool, redact: bool) -> int:
    return d.PK_OPEN_ONE_PASS * one_pass | d.PK_OPEN_REDACT * redact


def _refuse_paths_options(run: Optional[str], io: str) -> None:
    if run is not None or io != "read":
        raise ValueError("run and io are of local paths")


def _open_reader(reader: Reader, label: Any, one_pass: bool, redact: bool, *, host: Optional[str] = None, rank: Optional[int] = None,
                 **given: Any) -> Profile:
    calls = Calls()
    made_options = _open_options(calls, _flags_of(one_pass, redact), None, "read", given.pop("limits"), host, rank, **given)
    try:
        handle = calls.run(lambda: made(lib.pk_profile_open_callbacks, lib.pk_profile_free, c.byref(reader.callbacks),
                                        L.encoded_path(label), c.byref(made_options), keep=reader if one_pass else None))
    except BaseException:
        reader.close()
        raise
    if not one_pass:
        reader.close()
    return Profile(handle)


def open_buffer(data: Any, label: str = "", *, copy: bool = False, host: Optional[str] = None,
                rank: Optional[int] = None, limits: Optional[Limits] = None,
                progress: Optional[Progress] = None, log: Optional[Log] = None,
                cancel: Optional[CancelToken] = None, threads: int = 0) -> Profile:
    """Opens one file that lies in memory: bytes, or anything with a contiguous buffer, which is kept and not copied
    unless `copy`. It must not change while the profile is open. host, rank: the machine, and the rank in its run, which count
    before what the file says."""
    calls = Calls()
    flags = d.PK_OPEN_COPY if copy else 0
    given = _open_options(calls, flags, None, "read", limits, host, rank, progress=progress, log=log, cancel=cancel,
                          threads=threads)
    view = memoryview(data).cast("B")
    address, keep = _address_of(view)
    handle = calls.run(lambda: made(lib.pk_profile_open_buffer, lib.pk_profile_free, address, view.nbytes,
                                    L.encoded_path(label), c.byref(given), keep=None if copy else (keep, view)))
    return Profile(handle)


def _address_of(view: memoryview) -> Any:
    if not view.nbytes:
        return None, None
    if isinstance(view.obj, bytes) and view.nbytes == len(view.obj):
        keep = c.c_char_p(view.obj)
        return c.cast(keep, c.c_void_p), keep
    if not view.readonly:
        array = (c.c_ubyte * view.nbytes).from_buffer(view)
        return c.addressof(array), array
    copied = bytes(view)  # ctypes gives no address of other read-only buffers
    keep = c.c_char_p(copied)
    return c.cast(keep, c.c_void_p), (keep, copied)


def open_callbacks(read_at: Callable[[int, int], bytes], size_bytes: Optional[int] = None, label: str = "", *,
                   one_pass: bool = False, redact: bool = False, close: Optional[Callable[[], Any]] = None,
                   host: Optional[str] = None, rank: Optional[int] = None, limits: Optional[Limits] = None,
                   progress: Optional[Progress] = None, log: Optional[Log] = None, cancel: Optional[CancelToken] = None,
                   threads: int = 0) -> Profile:
    """Opens one file through read_at(offset, size), which gives up to `size` bytes, and b"" at the end. What it raises is
    raised by the call that made the library read.

    one_pass: only the documents info and ops will be asked for, which read again, each time it is asked, from the thread
    that asks, and hold no more than a window; whatever else is asked for decodes all into memory. close() is called once,
    after the last read: before this call returns or raises, with one_pass when the profile and all that was made of it is gone.
    """
    return _open_reader(Reader(read_at, size_bytes, close), label, one_pass, redact, host=host, rank=rank, limits=limits,
                        progress=progress, log=log, cancel=cancel, threads=threads)
