"""Many nodes on one clock: merging their traces, and telling whether their collectives agree."""
import ctypes as c
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Sequence

from . import _declarations as d
from . import _library as L
from ._library import Calls, check, got, lib, made, options, read_positions
from .analyses import _Document
from .kinds import Status, choice
from .profile import CancelToken, Limits, Log, PathLike, Profile, Progress, limits_pointer
from .rows import ClockInterval, MergedNode, ValidationSummary, clock_interval_of, merged_node_of, validation_summary_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import ValidationOptions


class Merge(_Document):
    """What a merge did."""

    def __init__(self, handle: L.Handle) -> None:
        self._handle = handle

    @property
    def nodes(self) -> List[MergedNode]:
        return [merged_node_of(got(lib.pk_merge_node_get, d.pk_merge_node, self._h, at))
                for at in range(lib.pk_merge_node_count(self._h))]

    @property
    def origin_ns(self) -> int:
        """Unix ns of time zero of the merged trace."""
        return int(lib.pk_merge_origin_ns(self._h))

    def write(self, write: Callable[[bytes], Any]) -> Status:
        calls = Calls()
        calls.run(lambda: check(lib.pk_merge_write, self._h, calls.writer(write), None))
        return Status.OK


def combine_traces(traces: Sequence[PathLike] = (), output: Optional[PathLike] = None, *,
                   profiles: Sequence[Profile] = (), offsets: Optional[PathLike] = None, snapshots: Sequence[Optional[PathLike]] = (),
                   run_metadata: Optional[PathLike] = None, run_dir: Optional[PathLike] = None,
                   correction: str = "clock", zero: str = "auto", planes: str = "seed",
                   format: str = "xspace", plane_prefix: Optional[str] = None, keep_going: bool = False, keep_order: bool = False,
                   scale_durations: bool = False, tracer_host_threads: bool = False,
                   drift_slope: bool = True, write: Optional[Callable[[bytes], Any]] = None,
                   limits: Optional[Limits] = None, progress: Optional[Progress] = None, log: Optional[Log] = None,
                   cancel: Optional[CancelToken] = None, threads: int = 0) -> Merge:
    """Merges the traces of several nodes into one on one clock, into the file `output` or through `write`.

    profiles: open captures, after the traces: each of their files that can be merged is one; its rank, where it was opened with
    one, is its node. The file appears when it is complete. correction: "clock", "walltime", "none". zero: "auto", "earliest", "reference",
    "none". planes: "seed", "rocm", "node". format: "xspace" of XSpaces, "trace_json" of trace JSON. keep_going: what is missing or damaged is
    reported and left out.
    """
    calls = Calls()

    def path(value: Optional[PathLike]) -> Optional[bytes]:
        return None if value is None else L.encoded_path(value)

    flags = (d.PK_MERGE_KEEP_GOING * keep_going | d.PK_MERGE_KEEP_ORDER * keep_order
             | d.PK_MERGE_SCALE_DURATIONS * scale_durations | d.PK_MERGE_TRACER_HOST_THREADS * tracer_host_threads
             | d.PK_MERGE_NO_DRIFT_SLOPE * (not drift_slope))
    given = options(
        d.pk_merge_options, flags=flags, traces=L.strings([path(trace) for trace in traces]), trace_count=len(traces),
        snapshots=L.strings([path(snapshot) for snapshot in snapshots]), snapshot_count=len(snapshots),
        offsets=path(offsets), run_metadata=path(run_metadata), run_dir=path(run_dir),
        plane_prefix=L.encoded(plane_prefix), output=path(output),
        correction=choice(correction, "merge_correction", "correction"), zero=choice(zero, "merge_zero", "zero"),
        planes=choice(planes, "plane_scheme", "planes"), format=choice(format, "merged_format", "format"))
    handles = [profile._h for profile in profiles]  # pylint: disable=protected-access
    given.profiles = (c.c_void_p * len(handles))(*(handle.address for handle in handles)) if handles else None
    given.profile_count = len(handles)
    given.limits = limits_pointer(calls, limits)
    given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
    writer = calls.writer(write) if write else d.pk_write_callback()
    return Merge(calls.run(lambda: made(lib.pk_merge_run, lib.pk_merge_free, c.byref(given), writer, None)))


class Validation(_Document):
    """Whether the collectives of several nodes happened in a possible order."""

    def __init__(self, profiles: Sequence[Optional[Profile]], *, align: bool = False, bound_ps: Optional[int] = None, max_bound_ps: Optional[int] = None,
                 limit: Optional[int] = None, progress: Optional[Progress] = None, log: Optional[Log] = None,
                 cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        """profiles: one merged trace, or one trace a node; None is a trace that could not be opened.
        limit: rows of each list of the document, 0 for all, None for the command's default."""
        calls = Calls()
        flags = d.PK_VALIDATION_ALIGN * align | d.PK_VALIDATION_HAS_BOUND * (bound_ps is not None)
        given = options(d.pk_validation_options, flags=flags, bound_ps=bound_ps, max_bound_ps=max_bound_ps,
                        limit=L.limit_of(limit))
        given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        kept = [None if profile is None else profile._h for profile in profiles]
        handles = (c.c_void_p * max(1, len(kept)))(*[None if handle is None else handle.address for handle in kept])
        self._handle = calls.run(lambda: made(lib.pk_validation_open, lib.pk_validation_free, handles, len(profiles),
                                              c.byref(given), keep=kept))

    @property
    def summary(self) -> ValidationSummary:
        return validation_summary_of(got(lib.pk_validation_get, d.pk_validation_summary, self._h))

    def clock_intervals(self) -> Iterator[ClockInterval]:
        """One a node; none unless `align` was asked for."""
        return read_positions(lib.pk_clock_intervals_read, self._h, (), d.pk_clock_interval, clock_interval_of)

    def write(self, write: Callable[[bytes], Any]) -> Status:
        return self._written(lib.pk_validation_write, write)

    def write_csv(self, write: Callable[[bytes], Any]) -> None:
        """The start gaps of every invocation."""
        calls = Calls()
        calls.run(lambda: check(lib.pk_validation_write_csv, self._h, calls.writer(write), None))


def validate(*profiles: Optional[Profile], **given: "Unpack[ValidationOptions]") -> Validation:
    """Compares one merged trace, or one trace a node. Options: see Validation."""
    return Validation(profiles, **given)
