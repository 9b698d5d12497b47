"""A host's own trace: what a profiler of one's own recorded, without a file."""
import ctypes as c
from typing import Any, Iterable, List, NamedTuple, Optional

from . import _declarations as d
from . import _library as L
from ._library import Owner, check, lib, made
from .kinds import Accelerator, KernelKind, LaunchKind, SpanKind
from .profile import Profile


class TraceKernel(NamedTuple):
    """One execution of a kernel, a copy or a collective on a stream."""
    stream: int
    name: str
    start_ps: int
    duration_ps: int
    #: That of the span of its host that launched it; 0: none.
    correlation: int = 0
    #: When the host launched it, where no span has its correlation.
    launch_ps: Optional[int] = None
    #: What it counts as; None: as its name says.
    kind: Optional[KernelKind] = None
    #: Of the framework that launched it: "aten::addmm".
    op: str = ""
    #: From outside in: "Net/layer_0/attn".
    module: str = ""
    #: That was compiled: "jit_step(7)".
    program: str = ""
    #: "[[8, 4], [4, 4]]"
    input_shapes: str = ""
    #: '["bf16", "bf16"]'
    input_types: str = ""
    #: What it computes and moves: both, or neither.
    flops: Optional[int] = None
    bytes: Optional[int] = None
    #: Which it multiplies: "bf16", …; with flops.
    number_type: str = ""
    #: Of a collective: its process group, the ranks of that ("[0, 4]"), its number among those of the group.
    group: str = ""
    group_ranks: str = ""
    group_sequence: Optional[int] = None
    #: By this rank: both, or neither.
    sent_bytes: Optional[int] = None
    received_bytes: Optional[int] = None
    #: A JSON object of what else is known, for exports.
    arguments: str = ""


class TraceSpan(NamedTuple):
    """What a thread did for a while."""
    thread: int
    name: str
    start_ps: int
    duration_ps: int
    kind: SpanKind = SpanKind.OP
    #: Of what it launched; 0: nothing.
    correlation: int = 0
    launches: LaunchKind = LaunchKind.BY_NAME
    #: A JSON object of what else is known, for exports.
    arguments: str = ""


class TraceStep(NamedTuple):
    """A step of the program, as its host saw it. With a duration it ends there, or with the last kernel that it launched; without
    one where the next step begins."""
    thread: int
    name: str
    start_ps: int
    duration_ps: int
    number: Optional[int] = None


class TraceValue(NamedTuple):
    """The value of a counter from an instant on."""
    counter: int
    at_ps: int
    value: float


class TraceAllocation(NamedTuple):
    """Memory that was given out, or came back."""
    allocator: int
    at_ps: int
    address: int
    #: That were asked for.
    bytes: int = 0
    #: Taken for it, rounding included; 0: `bytes`.
    held_bytes: int = 0
    is_free: bool = False
    op: str = ""


class TraceBuilder(Owner):
    """Takes what a host recorded of its devices and of itself, in any order, and becomes a profile:

        with TraceBuilder(recorder="mytracer 1.2") as builder:
            gpu = builder.device(builder.host(), "GPU 0", accelerator=Accelerator.GPU)
            builder.kernels([TraceKernel(builder.stream(gpu, 7), "gemm", 0, 1000)])
            profile = builder.finish()

    Each part gives the number by which others name it. One thread at a time."""

    def __init__(self, label: str = "", recorder: str = "", *, max_bytes: Optional[int] = None) -> None:
        """label: stands for the path in messages and documents. max_bytes: what rows and names may take in memory; None: 8 GiB."""
        texts = _text(label), _text(recorder)
        given = L.options(d.pk_trace_builder_options, label=texts[0], recorder=texts[1], max_bytes=max_bytes)
        self._handle = made(lib.pk_trace_builder_new, lib.pk_trace_builder_free, c.byref(given))

    def host(self, name: str = "", *, rank: Optional[int] = None, world_size: int = 0,
             origin_unix_ns: Optional[int] = None) -> int:
        """Adds a process of the run, which becomes a file of the profile. origin_unix_ns: time zero of its rows."""
        flags = (d.PK_TRACE_HOST_HAS_RANK * (rank is not None)
                 | d.PK_TRACE_HOST_HAS_ORIGIN * (origin_unix_ns is not None))
        return self._add(lib.pk_trace_builder_add_host, d.pk_trace_host, flags=flags, name=_text(name), rank=rank,
                         world_size=world_size, origin_unix_ns=origin_unix_ns)

    def device(self, host: int, name: str, *, accelerator: Accelerator = Accelerator.OTHER,
               ordinal: Optional[int] = None, model: str = "") -> int:
        """Adds a device of a host. model: "NVIDIA H100 80GB HBM3", by which its peaks are known."""
        return self._add(lib.pk_trace_builder_add_device, d.pk_trace_device, name=_text(name), model=_text(model), host=host,
                         flags=d.PK_TRACE_DEVICE_HAS_ORDINAL * (ordinal is not None), ordinal=ordinal, accelerator=accelerator)

    def stream(self, device: int, id: int, name: str = "") -> int:  # pylint: disable=redefined-builtin
        """Adds a queue of a device, which runs one kernel after another."""
        return self._add(lib.pk_trace_builder_add_stream, d.pk_trace_stream, device=device, id=id, name=_text(name))

    def thread(self, host: int, process: str, name: str) -> int:
        """Adds a thread of a host."""
        return self._add(lib.pk_trace_builder_add_thread, d.pk_trace_thread, host=host, process=_text(process),
                         name=_text(name))

    def counter(self, name: str, *, device: Optional[int] = None, host: Optional[int] = None, process: str = "",
                unit: str = "") -> int:
        """Adds a number over time, of a device or of a process of a host."""
        flags, owner = _owner(device, host)
        return self._add(lib.pk_trace_builder_add_counter, d.pk_trace_counter, flags=flags, owner=owner,
                         process=_text(process), name=_text(name), unit=_text(unit))

    def allocator(self, name: str, *, device: Optional[int] = None, host: Optional[int] = None) -> int:
        """Adds where memory comes from: that of a device, or of a host."""
        flags, owner = _owner(device, host)
        return self._add(lib.pk_trace_builder_add_allocator, d.pk_trace_allocator, flags=flags, owner=owner, name=_text(name))

    def kernels(self, rows: Iterable[TraceKernel]) -> None:
        """Adds rows, all or none. Raises InvalidArgument, whose message names the first bad one by its position."""
        def fill(row: TraceKernel, into: d.pk_trace_kernel) -> None:
            into.stream, into.correlation = row.stream, row.correlation
            if row.launch_ps is not None:
                into.launch_ps, into.flags = row.launch_ps, d.PK_TRACE_KERNEL_HAS_LAUNCH
            if row.kind is not None:
                into.kind, into.flags = row.kind, into.flags | d.PK_TRACE_KERNEL_HAS_KIND
            if row.flops is not None and row.bytes is not None:
                into.flops, into.bytes, into.flags = row.flops, row.bytes, into.flags | d.PK_TRACE_KERNEL_HAS_WORK
            if row.group_sequence is not None:
                into.group_sequence, into.flags = row.group_sequence, into.flags | d.PK_TRACE_KERNEL_HAS_SEQUENCE
            if row.sent_bytes is not None and row.received_bytes is not None:
                into.sent_bytes, into.received_bytes = row.sent_bytes, row.received_bytes
                into.flags |= d.PK_TRACE_KERNEL_HAS_MESSAGE
        self._add_rows(lib.pk_trace_builder_add_kernels, d.pk_trace_kernel, rows, fill)

    def spans(self, rows: Iterable[TraceSpan]) -> None:
        """Adds rows, all or none."""
        def fill(row: TraceSpan, into: d.pk_trace_span) -> None:
            into.thread, into.correlation, into.kind, into.launches = row.thread, row.correlation, row.kind, row.launches
        self._add_rows(lib.pk_trace_builder_add_spans, d.pk_trace_span, rows, fill)

    def steps(self, rows: Iterable[TraceStep]) -> None:
        """Adds rows, all or none."""
        def fill(row: TraceStep, into: d.pk_trace_step) -> None:
            into.thread = row.thread
            if row.number is not None:
                into.number, into.flags = row.number, d.PK_TRACE_STEP_HAS_NUMBER
        self._add_rows(lib.pk_trace_builder_add_steps, d.pk_trace_step, rows, fill)

    def values(self, rows: Iterable[TraceValue]) -> None:
        """Adds rows, all or none."""
        def fill(row: TraceValue, into: d.pk_trace_value) -> None:
            into.counter, into.at_ps, into.value = row.counter, row.at_ps, row.value
        self._add_rows(lib.pk_trace_builder_add_values, d.pk_trace_value, rows, fill)

    def allocations(self, rows: Iterable[TraceAllocation]) -> None:
        """Adds rows, all or none."""
        def fill(row: TraceAllocation, into: d.pk_trace_allocation) -> None:
            into.allocator, into.at_ps, into.address = row.allocator, row.at_ps, row.address
            into.bytes, into.held_bytes = row.bytes, row.held_bytes
            into.flags = d.PK_TRACE_ALLOCATION_IS_FREE * row.is_free
        self._add_rows(lib.pk_trace_builder_add_allocations, d.pk_trace_allocation, rows, fill)

    def finish(self) -> Profile:
        """What was added as a profile. The builder takes nothing more."""
        return Profile(made(lib.pk_trace_builder_finish, lib.pk_profile_free, self._h))

    def _add(self, add: Any, kind: Any, **values: Any) -> int:
        number = c.c_uint32()
        given = L.options(kind, **values)
        check(add, self._h, c.byref(given), c.byref(number))
        return number.value

    def _add_rows(self, add: Any, kind: Any, rows: Iterable[Any], fill: Any) -> None:
        given = list(rows)
        array = (kind * len(given))()
        texts = [name for name, of in kind._fields_ if of is d.pk_str]
        has_duration = any(name == "duration_ps" for name, _ in kind._fields_)
        keep: List[d.pk_str] = []  # what the rows borrow
        for row, into in zip(given, array):
            for name in texts:
                if value := getattr(row, name):
                    keep.append(_text(value))
                    setattr(into, name, keep[-1])
            if has_duration:
                into.start_ps, into.duration_ps = row.start_ps, row.duration_ps
            fill(row, into)
        check(add, self._h, array, c.sizeof(kind), len(given))


def _owner(device: Optional[int], host: Optional[int]) -> Any:
    if (device is None) == (host is None):
        raise ValueError("give either a device or a host")
    return (d.PK_TRACE_OF_DEVICE, device) if device is not None else (0, host)


def _text(value: str) -> d.pk_str:
    return L.borrowed(value.encode("utf-8", "surrogateescape"))
