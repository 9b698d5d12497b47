"""The rows of tables, and other flat facts of a capture."""
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import _declarations as d
from ._library import path_text, raw as raw_of, text
from .errors import Error
from .kinds import NAMES, Accelerator, Family, KernelKind, LineKind, PlaneKind, Status


def name_of(enumeration: str, value: int) -> str:
    """What documents call a value."""
    return NAMES[enumeration].get(value, "unknown")  # a later library may have more


def _bits(enumeration: str, value: int) -> Tuple[str, ...]:
    return tuple(name for at, name in NAMES[enumeration].items() if value >> at & 1)


# rows: written by scripts/generate


class FileInfo:
    """A file of the capture."""
    #: Position in the capture.
    file: int
    #: As given.
    path: str
    #: Host that was recorded, as the file or its name says.
    host: str
    #: Folder of the run; "" for a file that was given by its path.
    run: str
    #: Format.
    family: Family
    #: How it is packed.
    compression: str
    #: Size on disk.
    encoded_bytes: int
    #: The file's own time zero, since 1970.
    origin_unix_ns: Optional[int]
    #: Added to the file's times to put them on the capture's clock.
    shift_ns: int
    #: Position of the file that this one repeats; None: none.
    export_of: Optional[int]
    #: 0 when the file is not an XSpace.
    plane_count: int

    __slots__ = ("file", "path", "host", "run", "family", "compression", "encoded_bytes", "origin_unix_ns",
                 "shift_ns", "export_of", "plane_count")

    def __init__(self, row: Any) -> None:
        self.file = row.file
        self.path = path_text(row.path)
        self.host = text(row.host)
        self.run = text(row.run)
        self.family = Family(row.family)
        self.compression = name_of("compression", row.compression)
        self.encoded_bytes = row.encoded_bytes
        self.origin_unix_ns = row.origin_unix_ns if row.flags & d.PK_FILE_HAS_ORIGIN else None
        self.shift_ns = row.shift_ns
        self.export_of = row.export_of if row.export_of >= 0 else None
        self.plane_count = row.plane_count


class CaptureDevice(NamedTuple):
    """A device in the capture: a device plane of an XSpace, a device of a trace or a table."""
    #: Position of the file.
    file: int
    #: Position in this table.
    device: int
    #: As recorded: "/device:TPU:0", "GPU 3".
    name: str
    #: What it is.
    accelerator: Accelerator
    #: Its number on its machine; None: not recorded.
    ordinal: Optional[int]
    #: Position of its plane in an XSpace; None in other files.
    plane: Optional[int]


def capture_device_of(row: Any) -> CaptureDevice:
    return CaptureDevice(
        row.file, row.device, text(row.name), Accelerator(row.accelerator), row.ordinal if row.ordinal >= 0 else None,
        row.plane if row.plane >= 0 else None)


class Op(NamedTuple):
    """Totals of one op on one line."""
    #: Position of the file.
    file: int
    #: Position in devices; None: ops of a host.
    device: Optional[int]
    #: Name of the plane.
    plane: str
    #: Name of the line.
    line: str
    #: As recorded; "" where it is not.
    name: str
    #: Short name, as recorded; "" where it is not.
    display_name: str
    #: hlo_category; of a kernel what it counts as.
    category: str
    #: "jit_f(7)"; "" where not recorded.
    program: str
    #: Which clock the times are of.
    clock: str
    #: Of an XSpace: the id of its metadata.
    metadata_id: Optional[int]
    #: Executions.
    executions: int
    #: Of all executions.
    total_ps: int
    #: Without what ran inside; of a line they add up to its busy time.
    self_ps: int
    #: Shortest execution.
    min_ps: int
    #: Longest execution.
    max_ps: int
    #: Of one execution, as recorded; flop.
    flops: Optional[int]
    #: Of one execution, as recorded; bytes.
    bytes_accessed: Optional[int]


def op_of(row: Any) -> Op:
    return Op(
        row.file, row.device if row.device >= 0 else None, text(row.plane), text(row.line), text(row.name),
        text(row.display_name), text(row.category), text(row.program), name_of("ops_clock", row.clock),
        row.metadata_id if row.flags & d.PK_OP_HAS_METADATA_ID else None, row.count, row.total_ps, row.self_ps,
        row.min_ps, row.max_ps, row.flops if row.flags & d.PK_OP_HAS_FLOPS else None,
        row.bytes_accessed if row.flags & d.PK_OP_HAS_BYTES_ACCESSED else None)


class BubbleStep(NamedTuple):
    """A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly."""
    #: Position of the file.
    file: int
    #: Position in devices.
    device: int
    #: Position in this table.
    step: int
    #: Position among the steps of its device: what filters by step count by.
    step_of_device: int
    #: Number of its marker, else its name.
    step_id: str
    #: Capture's clock.
    start_ps: int
    #: Capture's clock.
    end_ps: int
    #: Union of the kernels.
    busy_ps: int
    #: Before the first kernel.
    prelaunch_ps: int
    #: Gaps between kernels.
    internal_ps: int
    #: After the last kernel.
    tail_ps: int
    #: Longest gap between kernels.
    largest_internal_ps: int
    #: This and the next six add up to the length, too.
    compute_only_ps: int
    #: Communication while nothing computes.
    comm_exposed_ps: int
    #: Communication while something computes.
    comm_overlapped_ps: int
    #: Copies alone.
    copy_ps: int
    #: Other kernels alone.
    other_ps: int
    #: No kernel at all, and none that was launched without a record.
    idle_ps: int
    #: Not known: work was launched that was not recorded.
    not_recorded_ps: int
    #: Launches of the step without any record of a device.
    unrecorded_launches: int
    #: Internal gaps of any length.
    bubble_count: int
    #: Anomalies of the step.
    tags: Tuple[str, ...]
    #: Gaps long enough to be listed, before the first kernel and after the last among them.
    reportable_ps: int

    @property
    def duration_ps(self) -> int:
        return self.end_ps - self.start_ps


def bubble_step_of(row: Any) -> BubbleStep:
    return BubbleStep(
        row.file, row.device, row.step, row.step_of_device, text(row.step_id), row.start_ps, row.end_ps, row.busy_ps,
        row.prelaunch_ps, row.internal_ps, row.tail_ps, row.largest_internal_ps, row.compute_only_ps,
        row.comm_exposed_ps, row.comm_overlapped_ps, row.copy_ps, row.other_ps, row.idle_ps, row.not_recorded_ps,
        row.unrecorded_launches, row.bubble_count, _bits("bubble_tag", row.tags), row.reportable_ps)


class Kernel(NamedTuple):
    """One execution of a kernel (on TPUs: of an op)."""
    #: Position of the file.
    file: int
    #: Position in devices.
    device: int
    #: Hardware id; None where it is not on record.
    stream: Optional[int]
    #: As recorded.
    name: str
    #: As recorded, else taken from the name.
    op_type: str
    #: What it counts as.
    kind: KernelKind
    #: Execution unit as written; "" when the source has none.
    core: str
    #: Of the table's own column; "" without one.
    step_id: str
    #: Capture's clock.
    start_ps: int
    #: On the timeline.
    duration_ps: int
    #: The source's own wait column.
    wait_ps: Optional[int]
    #: When the host launched it.
    launch_ps: Optional[int]
    #: As recorded.
    input_shapes: str
    #: As recorded.
    output_shapes: str
    #: As recorded.
    input_types: str
    #: Innermost operator of the framework that launched it: "aten::addmm", "dot_general".
    framework_op: str
    #: Outermost operator around that: "aten::linear".
    outer_op: str
    #: Modules around the launch, from outside in: "BertModel_0/Linear_3".
    module: str
    #: Marked ranges that were open at the launch, from outside in: "forward > attention".
    range: str
    #: Line of code that is not the framework's: "model.py(31): forward".
    source: str
    #: Of a training step: forward, recomputation, backward or optimizer.
    phase: str
    #: Compiled program that it is of: "jit_f(7)".
    program: str
    #: Runs on an AI CPU, whatever its kind.
    on_aicpu: bool
    #: The same collective was listed twice: not to be summed.
    duplicate: bool
    #: An asynchronous copy from its start to its arrival, while the device does other things: not to be summed.
    in_flight: bool
    #: Line of a table, ordinal of a JSON event, byte offset in an XSpace.
    source_row: int


def kernel_of(row: Any) -> Kernel:
    return Kernel(
        row.file, row.device, row.stream if row.flags & d.PK_KERNEL_HAS_STREAM else None, text(row.name),
        text(row.op_type), KernelKind(row.kind), text(row.core), text(row.step_id), row.start_ps, row.duration_ps,
        row.wait_ps if row.flags & d.PK_KERNEL_HAS_WAIT else None,
        row.launch_ps if row.flags & d.PK_KERNEL_HAS_LAUNCH else None, text(row.input_shapes),
        text(row.output_shapes), text(row.input_types), text(row.framework_op), text(row.outer_op), text(row.module),
        text(row.range), text(row.source), text(row.phase), text(row.program), bool(row.flags & d.PK_KERNEL_ON_AICPU),
        bool(row.flags & d.PK_KERNEL_DUPLICATE), bool(row.flags & d.PK_KERNEL_IN_FLIGHT), row.source_row)


class Bubble(NamedTuple):
    """A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
    device_time adds up what a device waited."""
    #: Position of the file.
    file: int
    #: Position in devices.
    device: int
    #: Position in steps; None: none.
    step: Optional[int]
    #: Where in a step it lies.
    scope: str
    #: Capture's clock.
    start_ps: int
    #: Capture's clock.
    end_ps: int
    #: Host activity inside the gap.
    host_ps: Optional[int]
    #: The part in synchronisation and copies.
    sync_ps: Optional[int]
    #: Communication inside the gap.
    comm_ps: Optional[int]
    #: Sum over the host's threads.
    threads_ps: Optional[int]
    #: When the kernel after the gap was launched, in whatever step; None: not known.
    launch_ps: Optional[int]
    #: The kernel that ended last; "": none.
    before: str
    #: The kernel that starts next; "": none.
    after: str
    #: Its source_row in kernels.
    before_row: Optional[int]
    #: Its source_row in kernels.
    after_row: Optional[int]
    #: The soft labels that its evidence meets.
    labels: Tuple[str, ...]
    #: Why the device waited, as far as the capture shows.
    cause: str
    #: Of the cause.
    certainty: str
    #: Longer than the threshold.
    heavy: bool
    #: Touches the edge of the capture.
    at_edge: bool
    #: The end of a step and the beginning of the next, which are listed as well.
    inter_step: bool

    @property
    def duration_ps(self) -> int:
        return self.end_ps - self.start_ps


def bubble_of(row: Any) -> Bubble:
    return Bubble(
        row.file, row.device, row.step if row.step >= 0 else None, name_of("bubble_scope", row.scope), row.start_ps,
        row.end_ps, row.host_ps if row.flags & d.PK_BUBBLE_TRACED else None,
        row.sync_ps if row.flags & d.PK_BUBBLE_TRACED else None,
        row.comm_ps if row.flags & d.PK_BUBBLE_TRACED else None,
        row.threads_ps if row.flags & d.PK_BUBBLE_TRACED else None,
        row.launch_ps if row.launch_ps != d.PK_NO_TIME_PS else None, text(row.before), text(row.after),
        row.before_row if row.before.size else None, row.after_row if row.after.size else None,
        _bits("bubble_label", row.labels), name_of("idle_cause", row.cause), name_of("certainty", row.certainty),
        bool(row.flags & d.PK_BUBBLE_HEAVY), bool(row.flags & d.PK_BUBBLE_AT_EDGE),
        bool(row.flags & d.PK_BUBBLE_INTER_STEP))


class GapCause(NamedTuple):
    """Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the
    table device_time adds up what a device waited."""
    #: Position of the file.
    file: int
    #: Position in devices.
    device: int
    #: Position in gaps.
    gap: int
    #: Position in steps; None: none.
    step: Optional[int]
    #: What the host or the device did.
    cause: str
    #: Of the cause.
    certainty: str
    #: The span of the host that names it; "": none does.
    span: str
    #: How much of the gap the evidence covers.
    covered_ps: int
    #: Of the gap, capture's clock.
    start_ps: int
    #: Of the gap, capture's clock.
    end_ps: int
    #: The end of a step and the beginning of the next, which are listed as well.
    inter_step: bool

    @property
    def duration_ps(self) -> int:
        return self.end_ps - self.start_ps


def gap_cause_of(row: Any) -> GapCause:
    return GapCause(
        row.file, row.device, row.gap, row.step if row.step >= 0 else None, name_of("idle_cause", row.cause),
        name_of("certainty", row.certainty), text(row.span), row.covered_ps, row.start_ps, row.end_ps,
        bool(row.flags & d.PK_BUBBLE_INTER_STEP))


class Collective(NamedTuple):
    """Totals of one communication op on one line."""
    #: Position of the file.
    file: int
    #: Position in devices; None: ops of a host.
    device: Optional[int]
    #: Name of the plane.
    plane: str
    #: As recorded.
    name: str
    #: "all-reduce", …; of a kernel whose name spells none the library ("nccl").
    category: str
    #: A kernel: other streams of its device may compute meanwhile.
    on_stream: bool
    #: The start or the done of an asynchronous operation.
    is_half: bool
    #: Executions.
    executions: int
    #: Of all executions.
    total_ps: int
    #: Shortest execution.
    min_ps: int
    #: Longest execution.
    max_ps: int


def collective_of(row: Any) -> Collective:
    return Collective(
        row.file, row.device if row.device >= 0 else None, text(row.plane), text(row.name), text(row.category),
        bool(row.flags & d.PK_COLLECTIVE_ON_STREAM), bool(row.flags & d.PK_COLLECTIVE_IS_HALF), row.count,
        row.total_ps, row.min_ps, row.max_ps)


class Module(NamedTuple):
    """A compiled module."""
    #: Position of the file.
    file: int
    #: Position of the plane that carries it; None: a file of its own.
    plane: Optional[int]
    #: Of the event metadata entry that carries it.
    metadata_id: int
    #: As the entry or the file name says.
    name: str
    #: As the module itself says.
    module_name: str
    #: As the module itself says.
    module_id: int
    #: Computations.
    computation_count: int
    #: Instructions of all computations.
    instruction_count: int
    #: The *.hlo_proto.pb beside it; "" when there is none.
    sibling_path: str
    #: How the two compare.
    sibling: str
    #: The bytes do not parse, and the counts cover what did.
    damaged: bool
    #: The serialized xla.HloProto, not copied.
    hlo_proto: memoryview
    #: Why the bytes do not parse to the end; the counts cover what did.
    damage: Optional[Error]


def module_of(row: Any, hlo_proto: memoryview, damage: Optional[Error]) -> Module:
    return Module(
        row.file, row.plane if row.plane >= 0 else None, row.metadata_id, text(row.name), text(row.module_name),
        row.module_id, row.computation_count, row.instruction_count, path_text(row.sibling_path),
        name_of("sibling_state", row.sibling), bool(row.flags & d.PK_MODULE_DAMAGED), hlo_proto, damage)


class Allocator(NamedTuple):
    """An allocator of a host."""
    #: Position of the file.
    file: int
    #: Position in devices; None: host memory.
    device: Optional[int]
    #: Whose it is.
    host: str
    #: XProf's key.
    name: str
    #: Highest heap.
    heap_peak_bytes: int
    #: Highest sum of reserved and allocated.
    occupancy_peak_bytes: int
    #: When it was reached, capture's clock.
    occupancy_peak_ps: int
    #: Of the memory, as the allocator counts it.
    capacity_bytes: int
    #: Allocated before the capture began.
    pre_trace_bytes: int
    #: Of blocks that the capture did not see allocated.
    unmatched_frees: int
    #: The replay equals the allocator's own count after every event.
    allocator_agrees: bool
    #: The run-time part of the document is about it.
    chosen: bool


def allocator_of(row: Any) -> Allocator:
    return Allocator(
        row.file, row.device if row.device >= 0 else None, text(row.host), text(row.name), row.heap_peak_bytes,
        row.occupancy_peak_bytes, row.occupancy_peak_ps, row.capacity_bytes, row.pre_trace_bytes, row.unmatched_frees,
        bool(row.flags & d.PK_ALLOCATOR_AGREES), bool(row.flags & d.PK_ALLOCATOR_CHOSEN))


class LiveBuffer(NamedTuple):
    """A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak."""
    #: Position of the file that carries the module.
    file: int
    #: None: the allocation has no assigned buffer.
    logical_buffer_id: Optional[int]
    #: Of the buffer.
    size_bytes: int
    #: Of the allocation it lies in.
    allocation_index: int
    #: In the allocation.
    offset_bytes: int
    #: Of the instruction that defines it.
    instruction_id: Optional[int]
    #: Of that instruction.
    instruction_name: str
    #: Of that instruction.
    opcode: str
    #: Framework op.
    op_name: str
    #: Where the instruction stands.
    computation_name: str
    #: "" past the first `top` rows.
    shape: str
    #: Which part of the instruction's result; none for the whole.
    shape_index: Tuple[int, ...]
    #: As the module says.
    source_file: str
    #: As the module says.
    source_line: Optional[int]
    #: Why it is alive.
    residency: str


def live_buffer_of(row: Any) -> LiveBuffer:
    return LiveBuffer(
        row.file, row.logical_buffer_id if row.logical_buffer_id >= 0 else None, row.size_bytes, row.allocation_index,
        row.offset_bytes, row.instruction_id if row.flags & d.PK_LIVE_BUFFER_HAS_INSTRUCTION else None,
        text(row.instruction_name), text(row.opcode), text(row.op_name), text(row.computation_name), text(row.shape),
        tuple(row.shape_index[:row.shape_index_count]) if row.shape_index_count else (), text(row.source_file),
        row.source_line if row.source_file.size else None, name_of("residency", row.residency))


class CurvePoint(NamedTuple):
    """A point of the live curve of the chosen module; of pk_memory_table() only where
    pk_memory_options::curve_points asked for it."""
    #: Position of the file that carries the module.
    file: int
    #: Heap event, or schedule position of a sweep.
    event: int
    #: Alive then.
    live_bytes: int


def curve_point_of(row: Any) -> CurvePoint:
    return CurvePoint(
        row.file, row.event, row.live_bytes)


class Launch(NamedTuple):
    """A launch of a Neutrino trace's log."""
    #: Position of the trace folder.
    file: int
    #: Position in the log.
    launch: int
    #: Name of the kernel.
    kernel: str
    #: The driver's handle, "0x8209510".
    function: str
    #: How it ended.
    outcome: str
    #: Base name of its record file; "" without one.
    bin: str
    #: Of the record file; None: it is not there.
    bin_position: Optional[int]
    #: Since 1970.
    time_ns: Optional[int]
    #: Blocks.
    grid: Optional[Tuple[int, int, int]]
    #: Threads of a block.
    block: Optional[Tuple[int, int, int]]
    #: Shared memory of a block.
    shared_bytes: Optional[int]
    #: Arguments of the kernel.
    params: Tuple[int, ...]
    #: Taken by the probe.
    probe_memory_bytes: Optional[int]
    #: Before the kernel.
    prologue_ps: Optional[int]
    #: The kernel.
    kernel_ps: Optional[int]
    #: After the kernel.
    epilogue_ps: Optional[int]


def launch_of(row: Any) -> Launch:
    return Launch(
        row.file, row.launch, text(row.kernel), text(row.function), name_of("probe_outcome", row.outcome),
        text(row.bin), row.bin_position if row.bin_position >= 0 else None,
        row.time_ns if row.flags & d.PK_PROBE_HAS_TIME else None,
        tuple(row.grid) if row.flags & d.PK_PROBE_HAS_GEOMETRY else None,
        tuple(row.block) if row.flags & d.PK_PROBE_HAS_GEOMETRY else None,
        row.shared_bytes if row.flags & d.PK_PROBE_HAS_GEOMETRY else None,
        tuple(row.params[:row.params_count]) if row.params_count else (),
        row.probe_memory_bytes if row.flags & d.PK_PROBE_HAS_MEMORY else None,
        row.prologue_ps if row.flags & d.PK_PROBE_HAS_DURATIONS else None,
        row.kernel_ps if row.flags & d.PK_PROBE_HAS_DURATIONS else None,
        row.epilogue_ps if row.flags & d.PK_PROBE_HAS_DURATIONS else None)


class DeviceTime(NamedTuple):
    """A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add
    up to its steps, the others to the time between its first and last kernel that is in no step."""
    #: Position of the file.
    file: int
    #: Position in devices.
    device: int
    #: Within a step.
    in_steps: bool
    #: What the device did; what runs beside compute counts as compute.
    use: str
    #: Why it waited; none of gaps that are too short to list or lie at the edge of the capture.
    cause: Optional[str]
    #: Of the cause; of what is on record: proved.
    certainty: str
    #: Listed gaps with this cause.
    gaps: int
    #: Length.
    time_ps: int


def device_time_of(row: Any) -> DeviceTime:
    return DeviceTime(
        row.file, row.device, bool(row.flags & d.PK_DEVICE_TIME_IN_STEPS), name_of("time_use", row.use),
        name_of("idle_cause", row.cause) if row.flags & d.PK_DEVICE_TIME_HAS_CAUSE else None,
        name_of("certainty", row.certainty), row.gaps, row.time_ps)


class Fact(NamedTuple):
    """A fact of the model that ran: what it is, how sure it is, and where it comes from."""
    #: Position of the file of the device.
    file: int
    #: Position in devices; None: of a host alone.
    device: Optional[int]
    #: "layers", "hidden_size"; docs/architecture-report.md lists them.
    name: str
    #: "24", "true", "prefill, decode".
    value: str
    #: "tokens", "parameters", "%"; "" for counts and words.
    unit: str
    #: How sure it is.
    certainty: str
    #: What it is read from.
    source: str
    #: The event, shape or name that says so.
    evidence: str
    #: What other sources say; "; " between them.
    contradictions: str


def fact_of(row: Any) -> Fact:
    return Fact(
        row.file, row.device if row.device >= 0 else None, text(row.name), text(row.value), text(row.unit),
        name_of("certainty", row.certainty), name_of("fact_source", row.source), text(row.evidence),
        text(row.contradictions))


class CollectiveCall(NamedTuple):
    """A call of a collective by all members of its process group, over all nodes of the capture."""
    #: Position of the file of the member that came last.
    file: int
    #: Of the op.
    name: str
    #: "all-reduce"; "" where nothing names it.
    kind: str
    #: As on record; "" of everyone, or where none is on record.
    process_group: str
    #: Number among the calls of the op by its group.
    call: int
    #: Devices that took part.
    members: int
    #: Latest start - first start.
    start_gap_ps: int
    #: Start of who must be waited for - end of who waits; 0 or more is out of order.
    order_gap_ps: int
    #: How far both clocks together can be wrong.
    bound_ps: int
    #: First start to last end; None: clocks are not known well enough.
    span_ps: Optional[int]
    #: Last start to last end; None: not known.
    moving_ps: Optional[int]
    #: What it moves; None: not known, or members differ.
    payload_bytes: Optional[int]
    #: What each link carries at least: over moving_ps it is the bus bandwidth.
    link_bytes: Optional[int]
    #: Id of the node that began last; None where several did.
    latest_node: Optional[int]
    #: Local number of the device that came last.
    latest_device: Optional[int]
    #: It is known who waits for whom.
    judged: bool
    #: Out of order beyond the bound of the clocks.
    violates: bool


def collective_call_of(row: Any) -> CollectiveCall:
    return CollectiveCall(
        row.file, text(row.name), text(row.kind), text(row.process_group), row.call, row.members, row.start_gap_ps,
        row.order_gap_ps, row.bound_ps, row.span_ps if row.span_ps >= 0 else None,
        row.moving_ps if row.moving_ps >= 0 else None, row.payload_bytes if row.payload_bytes >= 0 else None,
        row.link_bytes if row.link_bytes >= 0 else None, row.latest_node if row.latest_node >= 0 else None,
        row.latest_device if row.latest_device >= 0 else None, bool(row.flags & d.PK_CALL_JUDGED),
        bool(row.flags & d.PK_CALL_VIOLATES))


class Finding(NamedTuple):
    """A statement about the capture, with the place that shows it: those of a report."""
    #: Position of the file of the evidence.
    file: int
    #: Position in devices; None: the evidence is of none.
    device: Optional[int]
    #: "bubbles.cause.launch_bound"; the next of its kind ends in ".2".
    id: str
    #: How sure it is.
    certainty: str
    #: Time that could be won back; None: it is not about time.
    recoverable_ps: Optional[int]
    #: Memory that could be won back; None: it is not about memory.
    recoverable_bytes: Optional[int]
    #: One sentence.
    what: str
    #: For people.
    place: str
    #: Position in steps: that in which the evidence begins; None: none.
    step: Optional[int]
    #: Of that step; "": none.
    step_id: str
    #: Of the evidence, capture's clock; None: it is no span.
    start_ps: Optional[int]
    #: Of the evidence, capture's clock.
    end_ps: Optional[int]
    #: What stands there; of further places "; " between them.
    evidence: str
    #: What to do or look at next.
    next: str


def finding_of(row: Any) -> Finding:
    return Finding(
        row.file, row.device if row.device >= 0 else None, text(row.id), name_of("certainty", row.certainty),
        row.recoverable_ps if row.recoverable_ps >= 0 else None,
        row.recoverable_bytes if row.recoverable_bytes >= 0 else None, text(row.what), text(row.place),
        row.step if row.step >= 0 else None, text(row.step_id),
        row.start_ps if row.start_ps != d.PK_NO_TIME_PS else None,
        row.end_ps if row.end_ps != d.PK_NO_TIME_PS else None, text(row.evidence), text(row.next))


class OpGroup(NamedTuple):
    """Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key
    that lie in no other add up to its busy time."""
    #: Position of the file.
    file: int
    #: Position in devices; None: ops of a host.
    device: Optional[int]
    #: What they have in common: op, outer-op, module, module-kind, range, source, phase, kind, category or program.
    by: str
    #: Position of the row that it lies in; None: none.
    parent: Optional[int]
    #: How many rows it lies in.
    depth: int
    #: "": ops of which that is not recorded.
    name: str
    #: Executions.
    executions: int
    #: With what lies in rows below.
    self_ps: int
    #: Summed durations.
    total_ps: int
    #: Of self_ps, what lies in no row below.
    own_ps: int
    #: Of self_ps, that of ops of which it is known what they do.
    worked_ps: int
    #: Floating-point operations that these ops do; flop.
    flops: int
    #: What they move from and to memory; bytes.
    bytes: int
    #: What ops of known work would take at least at the rates of their device.
    attainable_ps: int
    #: Self time of ops that reach 60 % of the rate for their operations.
    compute_bound_ps: int
    #: Self time of ops that reach 60 % of the rate of the memory that their bytes are in.
    memory_bound_ps: int
    #: Self time of other ops of known work.
    neither_bound_ps: int


def op_group_of(row: Any) -> OpGroup:
    return OpGroup(
        row.file, row.device if row.device >= 0 else None, name_of("group_key", row.by),
        row.parent if row.parent >= 0 else None, row.depth, text(row.name), row.count, row.self_ps, row.total_ps,
        row.own_ps, row.worked_ps, row.flops, row.bytes, row.attainable_ps, row.compute_bound_ps, row.memory_bound_ps,
        row.neither_bound_ps)


class Run(NamedTuple):
    """A run below a parent of runs, newest first."""
    #: Folder name.
    name: str
    #: Of the folder.
    path: str
    #: The profile holds this run's files.
    chosen: bool


def run_of(row: Any) -> Run:
    return Run(
        text(row.name), path_text(row.path), bool(row.chosen))


class PlaneInfo:
    """A plane of an XSpace."""
    #: As written; not unique.
    id: int
    #: "/device:TPU:0".
    name: str
    #: What it stands for.
    kind: PlaneKind
    #: N of "/device:TPU:N"; None: none.
    device_ordinal: Optional[int]
    #: Lines.
    line_count: int
    #: Facts of the plane itself.
    stat_count: int
    #: Entries as written: one that a later one replaces counts, too.
    event_metadata_count: int
    #: Names of stats, as written.
    stat_metadata_count: int

    __slots__ = ("id", "name", "kind", "device_ordinal", "line_count", "stat_count", "event_metadata_count",
                 "stat_metadata_count")

    def __init__(self, row: Any) -> None:
        self.id = row.id
        self.name = text(row.name)
        self.kind = PlaneKind(row.kind)
        self.device_ordinal = row.device_ordinal if row.device_ordinal >= 0 else None
        self.line_count = row.line_count
        self.stat_count = row.stat_count
        self.event_metadata_count = row.event_metadata_count
        self.stat_metadata_count = row.stat_metadata_count


class LineInfo:
    """What stands before a line's events: cheap to get."""
    #: As written; not unique, and negative on lines derived from a GPU's.
    id: int
    #: The name, else the display name where it is known.
    name: str
    #: As written: relative to the file's origin, or since 1970.
    timestamp_ns: int
    #: The same instant on the capture's clock: event offsets count from here.
    start_ps: Optional[int]
    #: What its events mean.
    kind: LineKind

    __slots__ = ("id", "name", "timestamp_ns", "start_ps", "kind")

    def __init__(self, row: Any) -> None:
        self.id = row.id
        self.name = text(row.name)
        self.timestamp_ns = row.timestamp_ns
        self.start_ps = row.start_ps if row.flags & d.PK_LINE_HAS_START else None
        self.kind = LineKind(row.kind)


class LineSummary(NamedTuple):
    """What is known only after a pass over a whole line."""
    #: Those before damage, if there is any.
    event_count: int
    #: As written.
    display_id: int
    #: As written.
    display_name: str
    #: As written; 0 in every real file seen.
    duration_ps: int


def line_summary_of(row: Any) -> LineSummary:
    return LineSummary(
        row.event_count, row.display_id, text(row.display_name), row.duration_ps)


class EventMetadata(NamedTuple):
    """What the events with one id share."""
    #: The key that events name it by.
    id: int
    #: Of the events.
    name: str
    #: Shorter; "" when there is none.
    display_name: str
    #: Opaque bytes of the recorder.
    metadata: bytes
    #: Entries that it names as its children.
    child_count: int


def event_metadata_of(row: Any) -> EventMetadata:
    return EventMetadata(
        row.id, text(row.name), text(row.display_name), raw_of(row.metadata), row.child_count)


class StatMetadata(NamedTuple):
    """What a stat id means."""
    #: The key that stats name it by.
    id: int
    #: Of the stat.
    name: str
    #: As written.
    description: str


def stat_metadata_of(row: Any) -> StatMetadata:
    return StatMetadata(
        row.id, text(row.name), text(row.description))


class ChromeEvent(NamedTuple):
    """One event of a trace-event JSON file. Text has its escapes undone."""
    #: As recorded.
    name: str
    #: As recorded.
    category: str
    #: Of asynchronous and flow events.
    id: str
    #: A number or a string, as written.
    pid: str
    #: A number or a string, as written.
    tid: str
    #: JSON text of the args object, as written; "" when there is none.
    args: str
    #: Relative to zero_us of the summary; never of M events.
    start_ps: Optional[int]
    #: As recorded.
    duration_ps: Optional[int]
    #: Of the event in the decoded file.
    byte_offset: int
    #: 'X', 'B', 'M', …; None when it is not one character.
    phase: Optional[str]


def chrome_event_of(row: Any) -> ChromeEvent:
    return ChromeEvent(
        text(row.name), text(row.category), text(row.id), text(row.pid), text(row.tid), text(row.args),
        row.start_ps if row.flags & d.PK_CHROME_HAS_START else None,
        row.duration_ps if row.flags & d.PK_CHROME_HAS_DURATION else None, row.byte_offset,
        chr(row.phase) if row.phase else None)


class ChromeSummary(NamedTuple):
    """What a trace-event JSON file was like, as far as it was read."""
    #: Events.
    event_count: int
    #: Stretches of text that are no event.
    broken_count: int
    #: Events whose ts or dur is no number or out of range.
    unusable_time_count: int
    #: What 0 of start_ps is on the file's own clock: 0, or whole seconds.
    zero_us: int


def chrome_summary_of(row: Any) -> ChromeSummary:
    return ChromeSummary(
        row.event_count, row.broken_count, row.unusable_time_count, row.zero_us)


class Device(NamedTuple):
    """A device of one rank, process or file."""
    #: As recorded.
    name: str
    #: Its number on its machine; None: not recorded.
    ordinal: Optional[int]
    #: Kernels.
    kernel_count: int
    #: Of its times.
    timestamp_resolution_ps: int
    #: Position of the file.
    file: int
    #: Position of its plane in an XSpace; None in other files.
    plane: Optional[int]
    #: Rank in a distributed run; None: not recorded.
    rank: Optional[int]
    #: Devices of one host have the same.
    host_group: int
    #: What it is.
    accelerator: Accelerator
    #: Its source tells of waits.
    has_waits: bool
    #: Its source tells of shapes.
    has_shapes: bool
    #: Its source tells the execution unit; else classes follow from names.
    has_classes: bool
    #: Its source tells of launches.
    has_launches: bool


def device_of(row: Any) -> Device:
    return Device(
        text(row.name), row.ordinal if row.ordinal >= 0 else None, row.kernel_count, row.timestamp_resolution_ps,
        row.file, row.plane if row.plane >= 0 else None, row.rank if row.rank >= 0 else None, row.host_group,
        Accelerator(row.accelerator), bool(row.flags & d.PK_DEVICE_HAS_WAITS),
        bool(row.flags & d.PK_DEVICE_HAS_SHAPES), bool(row.flags & d.PK_DEVICE_HAS_CLASSES),
        bool(row.flags & d.PK_DEVICE_HAS_LAUNCHES))


class MemoryModule(NamedTuple):
    """A compiled module and its memory."""
    #: As the module says.
    name: str
    #: Name and program id: "jit_f(12)".
    label: str
    #: Decimal, as the capture writes it.
    program_id: str
    #: Path of the first place it was found in.
    source: str
    #: Places it was found in.
    source_count: int
    #: Memory spaces; 0 without a buffer assignment.
    space_count: int
    #: The document says which.
    problem_count: int
    #: The bytes do not parse to the end.
    damaged: bool
    #: The live buffers and the curve are of this module.
    chosen: bool


def memory_module_of(row: Any) -> MemoryModule:
    return MemoryModule(
        text(row.name), text(row.label), text(row.program_id), path_text(row.source), row.source_count,
        row.space_count, row.problem_count, bool(row.damaged), bool(row.chosen))


class MemorySpace(NamedTuple):
    """One memory space of a module."""
    #: Which one.
    color: int
    #: Allocations without thread-local ones: XProf's total.
    total_bytes: int
    #: Indefinite bytes, and the peak of temporary memory.
    peak_bytes: int
    #: Heap event, or schedule position of a sweep; None: none.
    peak_event: Optional[int]
    #: Parameters, constants and results.
    indefinite_bytes: int
    #: Temporary allocations.
    temp_bytes: int
    #: Peak of temporary memory.
    temp_peak_bytes: int
    #: Not in total_bytes.
    thread_local_bytes: int
    #: Temporary allocations that the peak looks at, minus the peak in them.
    fragmentation_bytes: int
    #: In use at every moment.
    residency_floor_bytes: int
    #: Where the peak is reached.
    peak_instruction: str
    #: What the peak counts and what it does not.
    coverage: str
    #: How the peak was found.
    method: str
    #: Whether the peak is exact, or what bounds it.
    bound: str


def memory_space_of(row: Any) -> MemorySpace:
    return MemorySpace(
        row.color, row.total_bytes, row.peak_bytes, row.peak_event if row.peak_event >= 0 else None,
        row.indefinite_bytes, row.temp_bytes, row.temp_peak_bytes, row.thread_local_bytes, row.fragmentation_bytes,
        row.residency_floor_bytes, text(row.peak_instruction), text(row.coverage), name_of("peak_method", row.method),
        name_of("peak_bound", row.bound))


class Exported(NamedTuple):
    """What was written, and what was not."""
    #: Absent when nothing has events, partial when some input is damaged.
    status: Status
    #: Tracks.
    tracks: int
    #: Further tracks, for events that overlap others of their line.
    lanes: int
    #: Slices, instants and rows.
    events: int
    #: Counter values.
    counters: int
    #: Ends of flows.
    flows: int
    #: Events without a place in time.
    aggregated_left_out: int
    #: Events more than 106 days from the origin.
    out_of_reach: int
    #: Events that still overlap others.
    crowded: int


def exported_of(row: Any) -> Exported:
    return Exported(
        Status(row.status), row.tracks, row.lanes, row.events, row.counters, row.flows, row.aggregated_left_out,
        row.out_of_reach, row.crowded)


class ValidationSummary(NamedTuple):
    """Whether the collectives of several nodes happened in a possible order."""
    #: Absent when nothing could be compared.
    status: Status
    #: Nodes.
    node_count: int
    #: Invocations compared.
    group_count: int
    #: Beyond the error of the clocks.
    violations: int
    #: Whatever the error of the clocks.
    violations_raw: int
    #: Pairs of nodes of which one ended before the other began.
    pair_violations: int
    #: Invocations in order.
    overlaps: int
    #: Who waits for whom, or who takes part, is unknown.
    unjudged: int
    #: The document says which.
    warnings: int
    #: Nodes whose offset is known less well than max_bound_ps, or not at all.
    undecidable: int
    #: Times are of corrected clocks.
    clocks_corrected: bool
    #: Of every node it is known how wrong its clock can be.
    bounds_known: bool


def validation_summary_of(row: Any) -> ValidationSummary:
    return ValidationSummary(
        Status(row.status), row.node_count, row.group_count, row.violations, row.violations_raw, row.pair_violations,
        row.overlaps, row.unjudged, row.warnings, row.undecidable, bool(row.clocks_corrected), bool(row.bounds_known))


class ClockInterval(NamedTuple):
    """What collectives alone say of a node's clock against the first node's: its time less the first node's is
    offset + drift * (t - pivot)."""
    #: The node.
    node_id: int
    #: Where the offsets hold.
    pivot_ps: int
    #: No less.
    least_offset_ps: int
    #: No more.
    most_offset_ps: int
    #: The best guess.
    point_offset_ps: int
    #: No less.
    least_drift_ppm: float
    #: No more.
    most_drift_ppm: float
    #: The best guess.
    point_drift_ppm: float
    #: Collectives that both nodes took part in.
    constraints: int
    #: Known to max_bound_ps.
    decidable: bool
    #: 0: the collectives contradict one another, or none joins this node.
    feasible: bool


def clock_interval_of(row: Any) -> ClockInterval:
    return ClockInterval(
        row.node_id, row.pivot_ps, row.least_offset_ps, row.most_offset_ps, row.point_offset_ps, row.least_drift_ppm,
        row.most_drift_ppm, row.point_drift_ppm, row.constraints, bool(row.decidable), bool(row.feasible))


class RecordFile(NamedTuple):
    """A record file of a Neutrino trace."""
    #: Base name.
    name: str
    #: Where it is.
    path: str
    #: Its size.
    bytes: int
    #: From the driver's start to the end of the launch; None: not in the name.
    elapsed_us: Optional[int]
    #: Position of its launch in the log; None: no launch of the log names it.
    launch: Optional[int]
    #: 0 when the file is damaged.
    map_count: int
    #: Shared memory of a block.
    shared_bytes: int
    #: Blocks.
    grid: Tuple[int, int, int]
    #: Threads of a block.
    block: Tuple[int, int, int]
    #: Why the file is damaged; none when it is sound.
    damage: Optional[Error]


def record_file_of(row: Any, damage: Optional[Error]) -> RecordFile:
    return RecordFile(
        text(row.name), path_text(row.path), row.bytes, row.elapsed_us if row.elapsed_us >= 0 else None,
        row.launch if row.launch >= 0 else None, row.map_count, row.shared_bytes, tuple(row.grid), tuple(row.block),
        damage)


class RecordField(NamedTuple):
    """One field of a map's records, in the order of memory: unsigned, little endian."""
    #: As the probe calls it.
    name: str
    #: 8 or 4.
    bytes: int
    #: In the record.
    offset: int
    #: Place in the probe's description.
    declared: int


def record_field_of(row: Any) -> RecordField:
    return RecordField(
        text(row.name), row.bytes, row.offset, row.declared)


class RecordMap(NamedTuple):
    """One map of a record file."""
    #: As the probe calls it.
    name: str
    #: Who has a slot of its own.
    level: str
    #: Size of a record.
    record_bytes: int
    #: Size of a lane.
    lane_bytes: int
    #: Records a lane has room for.
    capacity: int
    #: Of the region in the file.
    offset: int
    #: Size of the region.
    bytes: int
    #: What the file has of it.
    present_bytes: int
    #: Of the region, as the file's own table says.
    recorded_offset: int
    #: Lanes of a block.
    lanes_per_block: int
    #: That the file holds.
    lanes: int
    #: What is doubtful.
    flags: Tuple[str, ...]
    #: What a record holds, in the order of memory.
    fields: Tuple[RecordField, ...]


def record_map_of(row: Any, flags: Tuple[str, ...], fields: Tuple[RecordField, ...]) -> RecordMap:
    return RecordMap(
        text(row.name), name_of("probe_level", row.level), row.record_bytes, row.lane_bytes, row.capacity, row.offset,
        row.bytes, row.present_bytes, row.recorded_offset, row.lanes_per_block, row.lanes, flags, fields)


class MergedNode(NamedTuple):
    """One node of a merge."""
    #: Its number.
    id: int
    #: Of its machine.
    hostname: str
    #: Its trace.
    trace: str
    #: Events of it.
    events: int
    #: Planes of it.
    planes: int
    #: Moved so that a line does not go back.
    clamped_events: int
    #: Pairs of its clocks.
    snapshots: int
    #: Measured offsets against the reference node.
    offset_windows: int
    #: Wall clock of the node minus corrected time, largest by magnitude.
    max_correction_ps: int
    #: Rms of the corrected snapshots about a straight line.
    residual_ps: int
    #: How wrong times of the tracer can be at most; None: unknown.
    tracer_bound_ps: Optional[int]
    #: How wrong times of the host can be at most; None: unknown.
    host_bound_ps: Optional[int]
    #: How its clock was corrected.
    status: str
    #: Out of a trace that was merged before.
    aligned_before: bool


def merged_node_of(row: Any) -> MergedNode:
    return MergedNode(
        row.id, text(row.hostname), path_text(row.trace), row.events, row.planes, row.clamped_events, row.snapshots,
        row.offset_windows, row.max_correction_ps, row.residual_ps,
        row.tracer_bound_ps if row.tracer_bound_ps >= 0 else None,
        row.host_bound_ps if row.host_bound_ps >= 0 else None, name_of("node_status", row.status),
        bool(row.aligned_before))


class PushedPlane(NamedTuple):
    """A plane as far as it is known when its first line begins: writers put id and name first."""
    #: Its position in the capture.
    plane: int
    #: 0 while none came.
    id: int
    #: "" while none came.
    name: str


def pushed_plane_of(row: Any) -> PushedPlane:
    return PushedPlane(
        row.plane, row.id, text(row.name))


class PushedLine(NamedTuple):
    """A line. Before its first event it has what stands before that event, whatever the pieces; line_end has all
    of it. Writers put id, name and timestamp first, but need not."""
    #: Position in the capture.
    plane: int
    #: Position in the plane.
    line: int
    #: As written.
    id: int
    #: As written.
    display_id: int
    #: As written.
    name: str
    #: As written.
    display_name: str
    #: What the offsets of its events count from: since 1970, or since the profile's start.
    timestamp_ns: int
    #: 0 in files seen so far.
    duration_ps: int
    #: Events that were handed on so far.
    event_count: int
    #: Of line_end: id, name or timestamp_ns stood after events and are not what line_begin had.
    was_changed: bool


def pushed_line_of(row: Any) -> PushedLine:
    return PushedLine(
        row.plane, row.line, row.id, row.display_id, text(row.name), text(row.display_name), row.timestamp_ns,
        row.duration_ps, row.event_count, bool(row.flags & d.PK_PUSHED_LINE_CHANGED))


#: The table ("": of none), the row of C, and what makes the row of it, by row.
READ: Dict[Any, Any] = {
    FileInfo: ("files", d.pk_file_info, FileInfo),
    CaptureDevice: ("devices", d.pk_device, capture_device_of),
    Op: ("ops", d.pk_op, op_of),
    BubbleStep: ("steps", d.pk_bubble_step, bubble_step_of),
    Kernel: ("kernels", d.pk_kernel_row, kernel_of),
    Bubble: ("gaps", d.pk_bubble, bubble_of),
    GapCause: ("causes", d.pk_cause, gap_cause_of),
    Collective: ("collectives", d.pk_collective, collective_of),
    Allocator: ("allocators", d.pk_memory_allocator, allocator_of),
    LiveBuffer: ("live_buffers", d.pk_live_buffer, live_buffer_of),
    CurvePoint: ("live_curve", d.pk_curve_point, curve_point_of),
    Launch: ("probe_launches", d.pk_probe_launch, launch_of),
    DeviceTime: ("device_time", d.pk_device_time, device_time_of),
    Fact: ("facts", d.pk_fact, fact_of),
    CollectiveCall: ("collective_calls", d.pk_collective_call, collective_call_of),
    Finding: ("findings", d.pk_finding, finding_of),
    OpGroup: ("op_groups", d.pk_op_group, op_group_of),
    Run: ("", d.pk_run_info, run_of),
    PlaneInfo: ("", d.pk_plane_info, PlaneInfo),
    LineInfo: ("", d.pk_line_info, LineInfo),
    LineSummary: ("", d.pk_line_summary, line_summary_of),
    EventMetadata: ("", d.pk_event_metadata, event_metadata_of),
    StatMetadata: ("", d.pk_stat_metadata, stat_metadata_of),
    ChromeEvent: ("", d.pk_chrome_event, chrome_event_of),
    ChromeSummary: ("", d.pk_chrome_summary, chrome_summary_of),
    Device: ("", d.pk_activity_device, device_of),
    MemoryModule: ("", d.pk_memory_module, memory_module_of),
    MemorySpace: ("", d.pk_memory_space, memory_space_of),
    Exported: ("", d.pk_trace_outcome, exported_of),
    ValidationSummary: ("", d.pk_validation_summary, validation_summary_of),
    ClockInterval: ("", d.pk_clock_interval, clock_interval_of),
    RecordField: ("", d.pk_probe_field, record_field_of),
    MergedNode: ("", d.pk_merge_node, merged_node_of),
    PushedPlane: ("", d.pk_pushed_plane, pushed_plane_of),
    PushedLine: ("", d.pk_pushed_line, pushed_line_of),
}
# end of rows
