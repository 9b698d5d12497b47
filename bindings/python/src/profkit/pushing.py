"""A capture whose bytes arrive piece by piece: its events come out meanwhile."""
import ctypes as c
from typing import Any, Callable, Iterator, List, NamedTuple, Optional

from . import _declarations as d
from . import _library as L
from ._library import Calls, Handle, Owner, check, got, lib, made, text
from .errors import Error
from .profile import Limits, Plane, Profile, Stat, limits_pointer
from .rows import PushedLine, PushedPlane, pushed_line_of, pushed_plane_of


class PushedEvent(NamedTuple):
    """An event whose name is known when its plane ends: that of its metadata_id."""
    metadata_id: int
    #: After the line's timestamp_ns; None when it was not written.
    offset_ps: Optional[int]
    duration_ps: int
    #: Of an aggregated event, which has no place in time.
    num_occurrences: Optional[int]
    raw_stats: bytes

    def stats(self, plane: Optional[Plane] = None) -> Iterator[Stat]:
        """Its own stats. Without the plane that `plane_end` gave, names and texts that are references are empty."""
        at = plane._at if plane is not None else (None, 0, 0)  # pylint: disable=protected-access
        cursor, row = got(lib.pk_stats_begin, d.pk_stat_cursor, self.raw_stats, len(self.raw_stats), *at), d.pk_stat()
        while check(lib.pk_stat_next, c.byref(cursor), c.byref(row)) == d.PK_OK:
            yield Stat(row)


class PushReader(Owner):
    """Takes the bytes of an XSpace as they arrive, plain, gzip or zstd:

        names = {}
        reader = profkit.PushReader(lambda line, events: seen.extend(events), plane_end=lambda position, plane: …)
        for piece in connection:
            reader.push(piece)
        reader.finish()

    What a function raises stops the reading and is raised by push() or finish(). One thread at a time."""

    def __init__(self, events: Callable[[PushedLine, List[PushedEvent]], Any], *,
                 plane_begin: Optional[Callable[[PushedPlane], Any]] = None,
                 line_begin: Optional[Callable[[PushedLine], Any]] = None,
                 line_end: Optional[Callable[[PushedLine], Any]] = None,
                 plane_end: Optional[Callable[[int, Plane], Any]] = None,
                 note: Optional[Callable[[int, str], Any]] = None,
                 damage: Optional[Callable[[Error], Any]] = None,
                 label: str = "", limits: Optional[Limits] = None) -> None:
        """plane_end: given the position of a plane in the capture, and the plane without its events, which may be kept. note: a
        kind (PK_NOTE_) and a text that the capture carries. damage: given what is damaged, around which the rest comes
        nevertheless. label: stands for the path in messages."""
        self._calls = Calls()
        callbacks = L.options(d.pk_push_callbacks)

        def put(field: str, function: Optional[Callable[..., Any]], forward: Callable[..., Any]) -> None:
            def call(_: Any, *given: Any) -> int:
                forward(*given)
                return 0
            if function is not None:
                setattr(callbacks, field, self._calls.callback(_KINDS[field], call, 1))

        put("plane_begin", plane_begin, lambda at: plane_begin(pushed_plane_of(at.contents)))  # type: ignore[misc]
        put("line_begin", line_begin, lambda at: line_begin(pushed_line_of(at.contents)))  # type: ignore[misc]
        put("events", events, lambda at, rows, count: events(pushed_line_of(at.contents), [_event(rows[i]) for i in range(count)]))
        put("line_end", line_end, lambda at: line_end(pushed_line_of(at.contents)))  # type: ignore[misc]
        put("plane_end", plane_end, lambda position, rest: plane_end(position, _rest(rest)))  # type: ignore[misc]
        put("note", note, lambda kind, said: note(kind, text(said.contents)))  # type: ignore[misc]
        put("damage", damage, lambda why: damage(L.exception_of(why, lib.pk_error_code(why))))  # type: ignore[misc]
        encoded = label.encode("utf-8", "surrogateescape")
        given = L.options(d.pk_push_options, label=L.borrowed(encoded), limits=limits_pointer(self._calls, limits))
        self._handle = made(lib.pk_xspace_push_new, lib.pk_xspace_push_free, c.byref(callbacks), c.byref(given),
                            keep=(self._calls, callbacks))

    def push(self, data: bytes) -> None:
        """The next bytes, as many as there are. Raises what cannot be read at all; damage is no exception here."""
        self._calls.run(lambda: check(lib.pk_xspace_push_bytes, self._h, data, len(data)))

    def finish(self) -> None:
        """No more bytes come. Raises Damaged for a capture that was cut or damaged, with the place that lies first."""
        self._calls.run(lambda: check(lib.pk_xspace_push_finish, self._h))


_KINDS = dict(d.pk_push_callbacks._fields_)  # type: ignore[arg-type]


def _event(row: Any) -> PushedEvent:
    return PushedEvent(row.metadata_id, row.offset_ps if row.flags & d.PK_EVENT_HAS_OFFSET else None, row.duration_ps,
                       row.num_occurrences if row.flags & d.PK_EVENT_HAS_OCCURRENCES else None,
                       c.string_at(row.stats, row.stats_bytes) if row.stats_bytes else b"")


def _rest(profile: int) -> Plane:
    return Profile(Handle(lib.pk_profile_ref(profile), lib.pk_profile_free)).files[0].planes[0]
