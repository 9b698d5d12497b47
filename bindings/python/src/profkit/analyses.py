"""Memory, bubbles, kernels, modules, Neutrino traces and Chrome events of a profile."""
import ctypes as c
import json
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Literal, NamedTuple, Optional, Sequence, Tuple

from . import _declarations as d
from . import _library as L
from ._library import Calls, Owner, check, got, lib, made, options, path_text, text
from .kinds import Status, choice
from .tables import Table, number_of
from .profile import CancelToken, Log, Profile, Progress
from .rows import (
    Allocator, Bubble, BubbleStep, ChromeEvent, ChromeSummary, CurvePoint, Device, Kernel, Launch, LiveBuffer, MemoryModule, MemorySpace,
    Module, RecordFile, RecordMap, chrome_event_of, chrome_summary_of, device_of, memory_module_of, memory_space_of, module_of,
    record_field_of, record_file_of, record_map_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import ProbeOptions, TableOptions


class _Document(Owner):
    """What can be written as a JSON document."""

    def write(self, write: Callable[[bytes], Any]) -> Status:
        """Hands the bytes of the command's --json to `write`."""
        raise NotImplementedError

    def document_bytes(self) -> bytes:
        parts: List[bytes] = []
        self.write(parts.append)
        return b"".join(parts)

    def document(self) -> Dict[str, Any]:
        found: Dict[str, Any] = json.loads(self.document_bytes())
        return found

    def _written(self, function: Any, write: Callable[[bytes], Any]) -> Status:
        calls = Calls()
        status = c.c_int32()
        calls.run(lambda: check(function, self._h, calls.writer(write), None, c.byref(status)))
        return Status(status.value)


# ---- memory ----

class Memory(_Document):
    """Where the memory of a capture goes: what the compiler assigned and what the allocators did."""

    def __init__(self, profile: Profile, *, host: Optional[str] = None, module: Optional[str] = None,
                 top: Optional[int] = None, step: Optional[int] = None, step_policy: str = "peak",
                 memory_space: int = 0, fit_bytes: Optional[int] = None, curve_points: int = 0,
                 what_if: Sequence[str] = (), runtime: bool = True, all_trace: bool = False,
                 time_samples: Optional[int] = None, persistent_threshold_steps: Optional[int] = None,
                 include_host_pools: bool = False, progress: Optional[Progress] = None,
                 log: Optional[Log] = None, cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        """module: name or id, None for the one with the highest peak. step_policy: "peak", "last", "first".
        fit_bytes: does the highest need fit? top: rows of each list of the document, 0 for all. what_if: "remat=NAME" or "offload=NAME"."""
        calls, source = Calls(), profile._h
        policy = choice(step_policy, "step_policy", "step_policy")
        flags = (d.PK_MEMORY_NO_RUNTIME * (not runtime) | d.PK_MEMORY_ALL_TRACE * all_trace
                 | d.PK_MEMORY_INCLUDE_HOST_POOLS * include_host_pools
                 | d.PK_MEMORY_HAS_FIT * (fit_bytes is not None) | d.PK_MEMORY_NO_TIMELINE * (time_samples == 0)
                 | d.PK_MEMORY_KEPT_IS_PERSISTENT * (persistent_threshold_steps == 0))
        given = options(d.pk_memory_options, flags=flags, filters=L.filters(host=host, step=step), module=L.encoded(module),
                        top=L.limit_of(top), fit_bytes=fit_bytes, curve_points=curve_points, step_policy=policy,
                        memory_space=memory_space, time_samples=time_samples,
                        persistent_threshold_steps=persistent_threshold_steps, what_if=L.strings([L.encoded(text_) for text_ in what_if]),
                        what_if_count=len(what_if))
        given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        self._handle = calls.run(lambda: made(lib.pk_memory_open, lib.pk_memory_free, source, c.byref(given), keep=source))

    @property
    def modules(self) -> List[MemoryModule]:
        """By peak in memory space 0, highest first."""
        return [memory_module_of(got(lib.pk_memory_module_get, d.pk_memory_module, self._h, at))
                for at in range(lib.pk_memory_module_count(self._h))]

    def spaces(self, module: int = 0) -> List[MemorySpace]:
        """The memory spaces of the module at a position of `modules`."""
        count = got(lib.pk_memory_module_get, d.pk_memory_module, self._h, module).space_count
        return [memory_space_of(got(lib.pk_memory_space_get, d.pk_memory_space, self._h, module, at))
                for at in range(count)]

    @property
    def allocators(self) -> List[Allocator]:
        return list(self.table("allocators").rows(Allocator))

    def live_buffers(self) -> Iterator[LiveBuffer]:
        """What is alive at the peak of the chosen module, largest first; the sizes add up to the peak."""
        return self.table("live_buffers").rows(LiveBuffer)

    def live_curve(self) -> Iterator[CurvePoint]:
        """The curve that `curve_points` asked for."""
        return self.table("live_curve").rows(CurvePoint)

    def _repr_html_(self) -> str:
        return self.table("live_buffers")._repr_html_()

    def table(self, name: Literal["live_buffers", "live_curve", "allocators"], **given: "Unpack[TableOptions]") -> Table:
        """A table of this analysis. Options: see Table."""
        return Table(self, lib.pk_memory_table, number_of(name), **given)

    def live_buffers_table(self, **given: "Unpack[TableOptions]") -> Table:
        """The same as an Arrow table."""
        return self.table("live_buffers", **given)

    def live_curve_table(self, **given: "Unpack[TableOptions]") -> Table:
        """The curve as an Arrow table."""
        return self.table("live_curve", **given)

    def fit(self) -> Optional[Tuple[bool, int]]:
        """Whether what `fit_bytes` asked fits, and how many bytes are spare; None when it was not asked."""
        fits, spare = c.c_uint32(), c.c_int64()
        if check(lib.pk_memory_fit, self._h, c.byref(fits), c.byref(spare)) != d.PK_OK:
            return None
        return bool(fits.value), spare.value

    def write(self, write: Callable[[bytes], Any]) -> Status:
        return self._written(lib.pk_memory_write, write)


# ---- bubbles ----

class Bubbles(_Document):
    """Why devices wait: the idle gaps of every step, with what is around them. Iterate over it for the gaps."""

    def __init__(self, profile: Profile, *, device: Optional[str] = None, step_pattern: Optional[str] = None,
                 step_name: Optional[str] = None, step: Optional[int] = None, from_ps: Optional[int] = None,
                 to_ps: Optional[int] = None, thresholds: Optional[Dict[str, Any]] = None, limit: Optional[int] = None,
                 window_policy: str = "whole", progress: Optional[Progress] = None, log: Optional[Log] = None,
                 cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        """step_name, step, from_ps, to_ps: only steps whose name contains it, the N-th of each device, those that share an
        instant with that time. thresholds: by the names that the document lists. window_policy: "whole", "guide",
        "marker", "device". limit: rows of each list of the document, 0 for all, None for the command's default."""
        calls, source = Calls(), profile._h
        named = [L.encoded(f"{name}={value}") for name, value in (thresholds or {}).items()]
        given = options(d.pk_bubbles_options, step_pattern=L.encoded(step_pattern),
                        filters=L.filters(plane=device, event=step_name, step=step, from_ps=from_ps, to_ps=to_ps), thresholds=L.strings(named),
                        threshold_count=len(named), limit=L.limit_of(limit),
                        window_policy=choice(window_policy, "window_policy", "window_policy"))
        given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        self._handle = calls.run(lambda: made(lib.pk_bubbles_open, lib.pk_bubbles_free, source, c.byref(given), keep=source))

    @property
    def devices(self) -> List[str]:
        handle = self._h
        return [text(lib.pk_bubbles_device_name(handle, at)) for at in range(lib.pk_bubbles_device_count(handle))]

    @property
    def steps(self) -> List[BubbleStep]:
        """By device, then by time."""
        return list(self.table("steps").rows(BubbleStep))

    def __iter__(self) -> Iterator[Bubble]:
        """The gaps that are long enough to be listed, by device and time."""
        return self.table("gaps").rows(Bubble)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self, name: Literal["gaps", "steps", "causes", "device_time"] = "gaps", **given: "Unpack[TableOptions]") -> Table:
        """A table of this analysis. Options: see Table."""
        return Table(self, lib.pk_bubbles_table, number_of(name), **given)

    def steps_table(self, **given: "Unpack[TableOptions]") -> Table:
        """The steps as an Arrow table."""
        return self.table("steps", **given)

    def write(self, write: Callable[[bytes], Any]) -> Status:
        return self._written(lib.pk_bubbles_write, write)


# ---- architecture ----

class Architecture(_Document):
    """What model ran: passes, layers and their parts, read from the kernels of one device."""

    def __init__(self, profile: Profile, *, device: Optional[str] = None, step_pattern: Optional[str] = None,
                 limit: Optional[int] = None, progress: Optional[Progress] = None, log: Optional[Log] = None,
                 cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        """device: only those whose name contains it. limit: rows of each list of the document, 0 for all,
        None for the command's default."""
        calls, source = Calls(), profile._h
        given = options(d.pk_architecture_options, filters=L.filters(plane=device), step_pattern=L.encoded(step_pattern),
                        limit=L.limit_of(limit))
        given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        self._handle = calls.run(lambda: made(lib.pk_architecture_open, lib.pk_architecture_free, source,
                                              c.byref(given), keep=source))

    @property
    def summary(self) -> str:
        """One sentence: layers, passes, confidence; "" without a device."""
        handle = self._h
        return text(lib.pk_architecture_summary(handle))

    @property
    def file_name(self) -> str:
        """The name that the report has by convention."""
        handle = self._h
        return path_text(lib.pk_architecture_file_name(handle))

    def markdown(self) -> str:
        """The report: that of `profkit architecture --markdown`."""
        parts: List[bytes] = []
        calls = Calls()
        calls.run(lambda: check(lib.pk_architecture_write_markdown, self._h, calls.writer(parts.append), None))
        return b"".join(parts).decode("utf-8")

    def write(self, write: Callable[[bytes], Any]) -> Status:
        return self._written(lib.pk_architecture_write, write)


# ---- kernels ----

class Kernels(Owner):
    """What the devices of a capture did: kernels of Ascend tables, Kineto and XLA traces, and XSpace planes. Iterate over it for
    the kernels; `devices` says whose they are."""

    def __init__(self, profile: Profile, *, device: Optional[str] = None, step_pattern: Optional[str] = None,
                 details: bool = True, progress: Optional[Progress] = None, log: Optional[Log] = None,
                 cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        """device: only those whose name contains it. details: shapes and types, too."""
        calls, source = Calls(), profile._h
        given = options(d.pk_activity_options, flags=0 if details else d.PK_ACTIVITY_NO_DETAILS,
                        filters=L.filters(plane=device), step_pattern=L.encoded(step_pattern))
        given.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        self._handle = calls.run(lambda: made(lib.pk_activity_open, lib.pk_activity_free, source, c.byref(given), keep=source))

    @property
    def devices(self) -> List[Device]:
        return [device_of(got(lib.pk_activity_device_get, d.pk_activity_device, self._h, at))
                for at in range(lib.pk_activity_device_count(self._h))]

    def rows(self) -> Iterator[Kernel]:
        """The kernels of all devices, by device and start."""
        return self.table().rows(Kernel)

    def __iter__(self) -> Iterator[Kernel]:
        """The same."""
        return self.rows()

    def __len__(self) -> int:
        """How many kernels there are."""
        return sum(device.kernel_count for device in self.devices)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self, **given: "Unpack[TableOptions]") -> Table:
        """The same as an Arrow table. Options: see Table."""
        return Table(self, lib.pk_activity_table, **given)


# ---- modules ----

class Modules(Owner, Sequence[Module]):
    """The compiled modules of a capture, largest first."""

    def __init__(self, profile: Profile, *, progress: Optional[Progress] = None, log: Optional[Log] = None,
                 cancel: Optional[CancelToken] = None, threads: int = 0) -> None:
        calls, source = Calls(), profile._h
        hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        self._handle = calls.run(lambda: made(lib.pk_module_list_open, lib.pk_module_list_free, source, hooks,
                                              keep=source))

    def __len__(self) -> int:
        return int(lib.pk_module_count(self._h))

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[position] for position in range(*at.indices(len(self)))]
        position = at + len(self) if at < 0 else at
        if not 0 <= position < len(self):
            raise IndexError(f"there are {len(self)} modules")
        handle = self._h
        row = got(lib.pk_module_get, d.pk_module_info, handle, position)
        proto = memoryview(b"")
        if row.hlo_proto.size:
            array = (c.c_ubyte * row.hlo_proto.size).from_address(row.hlo_proto.data)
            setattr(array, "_modules", handle)
            proto = memoryview(array).cast("B").toreadonly()
        return module_of(row, proto, L.damage_of(lib.pk_module_damage(handle, position)))


# ---- Chrome events ----

class ChromeEvents(Owner):
    """The events of a trace-event JSON file, in bounded memory, once. One thread at a time."""

    def __init__(self, profile: Profile, file: int = 0) -> None:
        source = profile._h
        self._handle = made(lib.pk_chrome_open, lib.pk_chrome_free, source, file, keep=source)

    def __iter__(self) -> Iterator[ChromeEvent]:
        """Reads on. Raises Damaged at the end when something was broken, after all that was intact."""
        handle = self._handle
        self._h  # pylint: disable=pointless-statement
        assert handle is not None

        def read(rows: Any, capacity: int, count: Any, err: Any) -> int:
            return int(lib.pk_chrome_events_read(handle.address, rows, capacity, count, err))

        return L.read_rows(read, d.pk_chrome_event, chrome_event_of)

    @property
    def summary(self) -> ChromeSummary:
        return chrome_summary_of(got(lib.pk_chrome_summarise, d.pk_chrome_summary, self._h))


# ---- Neutrino ----

class Record(NamedTuple):
    """One record that was written. block: None when it is not known. values: by field name."""
    block: Optional[int]
    lane: int
    k: int
    values: Dict[str, int]


class Records(Owner):
    """The records of one map that were written, block by block and lane by lane: an iterator. Closing is optional."""

    def __init__(self, probe: "Neutrino", file: int, map: int) -> None:  # pylint: disable=redefined-builtin
        self._layout = probe.maps(file)[map]
        source = probe._h
        self._handle = made(lib.pk_probe_records_open, lib.pk_probe_records_free, source, file, map, keep=source)
        self._rows = L.read_rows(self._read, d.pk_probe_record, self._record)

    def _read(self, rows: Any, capacity: int, count: Any, err: Any) -> int:
        return int(lib.pk_probe_records_read(self._h, rows, capacity, count, err))

    def _record(self, row: Any) -> Record:
        data = c.string_at(row.data, self._layout.record_bytes)
        values = {field.name: int.from_bytes(data[field.offset:field.offset + field.bytes], "little")
                  for field in self._layout.fields}
        return Record(None if row.block == d.PK_PROBE_NO_BLOCK else row.block, row.lane, row.k, values)

    def __iter__(self) -> "Records":
        return self

    def __next__(self) -> Record:
        return next(self._rows)

    def at(self, block: Optional[int], lane: int, k: int) -> Optional[Record]:
        """Record k of a lane, written or not; None when there is none. block: None when it is not known."""
        row = d.pk_probe_record()
        handle = self._h
        found = check(lib.pk_probe_record_get, handle, d.PK_PROBE_NO_BLOCK if block is None else block, lane, k,
                      c.byref(row))
        return self._record(row) if found == d.PK_OK else None


class Neutrino(Owner):
    """What probes recorded inside GPU kernels: the launches of the log, the record files, their maps and records."""

    def __init__(self, profile: Profile, tool: str = "none") -> None:
        """tool: whose records maps without a description hold: "block_sched", "gmem_bytes", "tensorop",
        "program_progress", "dmat"."""
        source = profile._h
        self._handle = made(lib.pk_probe_open, lib.pk_probe_free, source, choice(tool, "probe_tool", "tool"),
                            keep=source)

    @property
    def launches(self) -> List[Launch]:
        return list(self.launches_table().rows(Launch))

    @property
    def files(self) -> List[RecordFile]:
        """By elapsed time."""
        found, handle = [], self._h
        for at in range(lib.pk_probe_bin_count(handle)):
            row = got(lib.pk_probe_bin_get, d.pk_probe_bin, handle, at)
            found.append(record_file_of(row, L.damage_of(lib.pk_probe_bin_damage(handle, at))))
        return found

    def maps(self, file: int) -> List[RecordMap]:
        """The maps of the record file at a position of `files`."""
        found = []
        for at in range(got(lib.pk_probe_bin_get, d.pk_probe_bin, self._h, file).map_count):
            row = got(lib.pk_probe_map_get, d.pk_probe_map, self._h, file, at)
            flags = tuple(lib.pk_probe_flag_name(1 << bit).decode() for bit in range(32) if row.flags >> bit & 1)
            fields = tuple(record_field_of(got(lib.pk_probe_field_get, d.pk_probe_field, self._h, file, at, field))
                           for field in range(row.field_count))
            found.append(record_map_of(row, flags, fields))
        return found

    def records(self, file: int, map: int = 0) -> "Records":  # pylint: disable=redefined-builtin
        """The records of a map."""
        return Records(self, file, map)

    def launches_table(self, **given: "Unpack[TableOptions]") -> Table:
        """The launches as an Arrow table. Options: see Table."""
        return Table(self, lib.pk_probe_table, **given)

    def records_table(self, file: int, map: int = 0, **given: "Unpack[TableOptions]") -> Table:  # pylint: disable=redefined-builtin
        """The records of a map as an Arrow table. Options: see Table."""
        return Table(self, lib.pk_probe_records_table, file, map, **given)

    def write(self, write: Callable[[bytes], Any], slice: str = "summary", *,  # pylint: disable=redefined-builtin
              launch: Optional[str] = None, map: Optional[str] = None,  # pylint: disable=redefined-builtin
              block: Optional[int] = None, lane: Optional[int] = None, limit: Optional[int] = None, width: int = 0, height: int = 0,
              format: str = "json", title: Optional[str] = None,  # pylint: disable=redefined-builtin
              progress: Optional[Progress] = None, log: Optional[Log] = None, cancel: Optional[CancelToken] = None,
              threads: int = 0) -> Status:
        """Hands the bytes of `profkit neutrino PATH SLICE` to `write`. format: "json", "csv", or "svg", a picture of
        "schedule" or "density" below a title. slice: "summary", "launches", "kernels",
        "maps", "records", "schedule", "bytes", "density", "progress", "overhead", "log"."""
        calls = Calls()
        flags = (d.PK_PROBE_QUERY_HAS_BLOCK * (block is not None) | d.PK_PROBE_QUERY_HAS_LANE * (lane is not None))
        query = options(d.pk_probe_query, flags=flags, slice=choice(slice, "probe_slice", "slice"), width=width,
                        height=height, launch=L.encoded(launch), map=L.encoded(map), block=block, lane=lane,
                        limit=L.limit_of(limit), format=choice(format, "probe_format", "format"), title=L.encoded(title))
        query.hooks = L.hooks(calls, progress=progress, log=log, cancel=cancel, threads=threads)
        status = c.c_int32()
        calls.run(lambda: check(lib.pk_probe_write, self._h, c.byref(query), calls.writer(write), None,
                                c.byref(status)))
        return Status(status.value)

    def document(self, slice: str = "summary", **given: "Unpack[ProbeOptions]") -> Dict[str, Any]:  # pylint: disable=redefined-builtin
        """One slice as JSON. Options: see write()."""
        parts: List[bytes] = []
        self.write(parts.append, slice, **given)
        found: Dict[str, Any] = json.loads(b"".join(parts))
        return found
