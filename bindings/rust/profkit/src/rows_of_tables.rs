//! Tables, their rows, and the other structs that carry what the library says. Written by scripts/generate from
//! schema/tables.toml.

use crate::hooks::slice;
use crate::kinds::{self, worded};
use crate::rows::{bytes, has, of_table, path, row, text};
use profkit_sys as sys;
use std::borrow::Cow;
use std::path::Path;

worded!(
    /// The tables of a profile; docs/tables.md describes their columns.
    TableKind, Files, {
    /// A file of the capture.
    Files = sys::PK_TABLE_FILES => "files",
    /// A device in the capture: a device plane of an XSpace, a device of a trace or a table.
    Devices = sys::PK_TABLE_DEVICES => "devices",
    /// An event that has a place in time.
    Events = sys::PK_TABLE_EVENTS => "events",
    /// Totals of one op on one line.
    Ops = sys::PK_TABLE_OPS => "ops",
    /// A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly.
    Steps = sys::PK_TABLE_STEPS => "steps",
    /// One execution of a kernel (on TPUs: of an op).
    Kernels = sys::PK_TABLE_KERNELS => "kernels",
    /// A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
    /// device_time adds up what a device waited.
    Gaps = sys::PK_TABLE_GAPS => "gaps",
    /// Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the table
    /// device_time adds up what a device waited.
    Causes = sys::PK_TABLE_CAUSES => "causes",
    /// Totals of one communication op on one line.
    Collectives = sys::PK_TABLE_COLLECTIVES => "collectives",
    /// A compiled module.
    Modules = sys::PK_TABLE_MODULES => "modules",
    /// An allocator of a host.
    Allocators = sys::PK_TABLE_ALLOCATORS => "allocators",
    /// A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak.
    LiveBuffers = sys::PK_TABLE_LIVE_BUFFERS => "live_buffers",
    /// A point of the live curve of the chosen module; of pk_memory_table() only where
    /// pk_memory_options::curve_points asked for it.
    LiveCurve = sys::PK_TABLE_LIVE_CURVE => "live_curve",
    /// A launch of a Neutrino trace's log.
    ProbeLaunches = sys::PK_TABLE_PROBE_LAUNCHES => "probe_launches",
    /// A record of one map that was written; after these columns one for each field, as the probe describes it.
    ProbeRecords = sys::PK_TABLE_PROBE_RECORDS => "probe_records",
    /// A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up
    /// to its steps, the others to the time between its first and last kernel that is in no step.
    DeviceTime = sys::PK_TABLE_DEVICE_TIME => "device_time",
    /// A fact of the model that ran: what it is, how sure it is, and where it comes from.
    Facts = sys::PK_TABLE_FACTS => "facts",
    /// A call of a collective by all members of its process group, over all nodes of the capture.
    CollectiveCalls = sys::PK_TABLE_COLLECTIVE_CALLS => "collective_calls",
    /// A statement about the capture, with the place that shows it: those of a report.
    Findings = sys::PK_TABLE_FINDINGS => "findings",
    /// Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key that
    /// lie in no other add up to its busy time.
    OpGroups = sys::PK_TABLE_OP_GROUPS => "op_groups",
});

row!(
    /// A file of the capture.
    #[derive(Eq)]
    FileInfo<'a>: pk_file_info = |row| {
    /// Position in the capture.
    file: u32 = row.file,
    /// As given.
    path: &'a Path = path(row.path),
    /// Host that was recorded, as the file or its name says.
    host: Cow<'a, str> = text(row.host),
    /// Folder of the run; "" for a file that was given by its path.
    run: Cow<'a, str> = text(row.run),
    /// Format.
    family: kinds::Family = kinds::Family::of(row.family),
    /// How it is packed.
    compression: kinds::Compression = kinds::Compression::of(row.compression),
    /// Size on disk.
    encoded_bytes: u64 = row.encoded_bytes,
    /// The file's own time zero, since 1970.
    origin_unix_ns: Option<i64> = has(row.flags, sys::PK_FILE_HAS_ORIGIN).then_some(row.origin_unix_ns),
    /// Added to the file's times to put them on the capture's clock.
    shift_ns: i64 = row.shift_ns,
    /// Position of the file that this one repeats; `None`: none.
    export_of: Option<i32> = (row.export_of >= 0).then_some(row.export_of),
    /// 0 when the file is not an XSpace.
    plane_count: u32 = row.plane_count,
});

row!(
    /// A device in the capture: a device plane of an XSpace, a device of a trace or a table.
    #[derive(Eq)]
    CaptureDevice: pk_device = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in this table.
    device: i32 = row.device,
    /// As recorded: "/device:TPU:0", "GPU 3".
    name: String = text(row.name).into(),
    /// What it is.
    accelerator: kinds::Accelerator = kinds::Accelerator::of(row.accelerator),
    /// Its number on its machine; `None`: not recorded.
    ordinal: Option<i64> = (row.ordinal >= 0).then_some(row.ordinal),
    /// Position of its plane in an XSpace; `None` in other files.
    plane: Option<i32> = (row.plane >= 0).then_some(row.plane),
});

row!(
    /// Totals of one op on one line.
    #[derive(Eq)]
    Op: pk_op = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices; `None`: ops of a host.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// Name of the plane.
    plane: String = text(row.plane).into(),
    /// Name of the line.
    line: String = text(row.line).into(),
    /// As recorded; "" where it is not.
    name: String = text(row.name).into(),
    /// Short name, as recorded; "" where it is not.
    display_name: String = text(row.display_name).into(),
    /// hlo_category; of a kernel what it counts as.
    category: String = text(row.category).into(),
    /// "jit_f(7)"; "" where not recorded.
    program: String = text(row.program).into(),
    /// Which clock the times are of.
    clock: kinds::OpsClock = kinds::OpsClock::of(row.clock),
    /// Of an XSpace: the id of its metadata.
    metadata_id: Option<i64> = has(row.flags, sys::PK_OP_HAS_METADATA_ID).then_some(row.metadata_id),
    /// Executions.
    count: u64 = row.count,
    /// Of all executions.
    total_ps: i64 = row.total_ps,
    /// Without what ran inside; of a line they add up to its busy time.
    self_ps: i64 = row.self_ps,
    /// Shortest execution.
    min_ps: i64 = row.min_ps,
    /// Longest execution.
    max_ps: i64 = row.max_ps,
    /// Of one execution, as recorded; flop.
    flops: Option<u64> = has(row.flags, sys::PK_OP_HAS_FLOPS).then_some(row.flops),
    /// Of one execution, as recorded; bytes.
    bytes_accessed: Option<u64> = has(row.flags, sys::PK_OP_HAS_BYTES_ACCESSED).then_some(row.bytes_accessed),
});

row!(
    /// A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly.
    #[derive(Eq)]
    BubbleStep: pk_bubble_step = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices.
    device: i32 = row.device,
    /// Position in this table.
    step: i64 = row.step,
    /// Position among the steps of its device: what filters by step count by.
    step_of_device: i64 = row.step_of_device,
    /// Number of its marker, else its name.
    step_id: String = text(row.step_id).into(),
    /// Capture's clock.
    start_ps: i64 = row.start_ps,
    /// Capture's clock.
    end_ps: i64 = row.end_ps,
    /// Union of the kernels.
    busy_ps: i64 = row.busy_ps,
    /// Before the first kernel.
    prelaunch_ps: i64 = row.prelaunch_ps,
    /// Gaps between kernels.
    internal_ps: i64 = row.internal_ps,
    /// After the last kernel.
    tail_ps: i64 = row.tail_ps,
    /// Longest gap between kernels.
    largest_internal_ps: i64 = row.largest_internal_ps,
    /// This and the next six add up to the length, too.
    compute_only_ps: i64 = row.compute_only_ps,
    /// Communication while nothing computes.
    comm_exposed_ps: i64 = row.comm_exposed_ps,
    /// Communication while something computes.
    comm_overlapped_ps: i64 = row.comm_overlapped_ps,
    /// Copies alone.
    copy_ps: i64 = row.copy_ps,
    /// Other kernels alone.
    other_ps: i64 = row.other_ps,
    /// No kernel at all, and none that was launched without a record.
    idle_ps: i64 = row.idle_ps,
    /// Not known: work was launched that was not recorded.
    not_recorded_ps: i64 = row.not_recorded_ps,
    /// Launches of the step without any record of a device.
    unrecorded_launches: u64 = row.unrecorded_launches,
    /// Internal gaps of any length.
    bubble_count: u64 = row.bubble_count,
    /// Anomalies of the step.
    tags: kinds::BubbleTags = kinds::BubbleTags(row.tags),
    /// Gaps long enough to be listed, before the first kernel and after the last among them.
    reportable_ps: i64 = row.reportable_ps,
});

row!(
    /// One execution of a kernel (on TPUs: of an op).
    #[derive(Eq)]
    Kernel: pk_kernel_row = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices.
    device: i32 = row.device,
    /// Hardware id; `None` where it is not on record.
    stream: Option<i64> = has(row.flags, sys::PK_KERNEL_HAS_STREAM).then_some(row.stream),
    /// As recorded.
    name: String = text(row.name).into(),
    /// As recorded, else taken from the name.
    op_type: String = text(row.op_type).into(),
    /// What it counts as.
    kind: kinds::KernelKind = kinds::KernelKind::of(row.kind),
    /// Execution unit as written; "" when the source has none.
    core: String = text(row.core).into(),
    /// Of the table's own column; "" without one.
    step_id: String = text(row.step_id).into(),
    /// Capture's clock.
    start_ps: i64 = row.start_ps,
    /// On the timeline.
    duration_ps: i64 = row.duration_ps,
    /// The source's own wait column.
    wait_ps: Option<i64> = has(row.flags, sys::PK_KERNEL_HAS_WAIT).then_some(row.wait_ps),
    /// When the host launched it.
    launch_ps: Option<i64> = has(row.flags, sys::PK_KERNEL_HAS_LAUNCH).then_some(row.launch_ps),
    /// As recorded.
    input_shapes: String = text(row.input_shapes).into(),
    /// As recorded.
    output_shapes: String = text(row.output_shapes).into(),
    /// As recorded.
    input_types: String = text(row.input_types).into(),
    /// Innermost operator of the framework that launched it: "aten::addmm", "dot_general".
    framework_op: String = text(row.framework_op).into(),
    /// Outermost operator around that: "aten::linear".
    outer_op: String = text(row.outer_op).into(),
    /// Modules around the launch, from outside in: "BertModel_0/Linear_3".
    module: String = text(row.module).into(),
    /// Marked ranges that were open at the launch, from outside in: "forward > attention".
    range: String = text(row.range).into(),
    /// Line of code that is not the framework's: "model.py(31): forward".
    source: String = text(row.source).into(),
    /// Of a training step: forward, recomputation, backward or optimizer.
    phase: String = text(row.phase).into(),
    /// Compiled program that it is of: "jit_f(7)".
    program: String = text(row.program).into(),
    /// Runs on an AI CPU, whatever its kind.
    on_aicpu: bool = has(row.flags, sys::PK_KERNEL_ON_AICPU),
    /// The same collective was listed twice: not to be summed.
    duplicate: bool = has(row.flags, sys::PK_KERNEL_DUPLICATE),
    /// An asynchronous copy from its start to its arrival, while the device does other things: not to be summed.
    in_flight: bool = has(row.flags, sys::PK_KERNEL_IN_FLIGHT),
    /// Line of a table, ordinal of a JSON event, byte offset in an XSpace.
    source_row: u64 = row.source_row,
});

row!(
    /// A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
    /// device_time adds up what a device waited.
    #[derive(Eq)]
    Bubble: pk_bubble = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices.
    device: i32 = row.device,
    /// Position in steps; `None`: none.
    step: Option<i64> = (row.step >= 0).then_some(row.step),
    /// Where in a step it lies.
    scope: kinds::Scope = kinds::Scope::of(row.scope),
    /// Capture's clock.
    start_ps: i64 = row.start_ps,
    /// Capture's clock.
    end_ps: i64 = row.end_ps,
    /// Host activity inside the gap.
    host_ps: Option<i64> = has(row.flags, sys::PK_BUBBLE_TRACED).then_some(row.host_ps),
    /// The part in synchronisation and copies.
    sync_ps: Option<i64> = has(row.flags, sys::PK_BUBBLE_TRACED).then_some(row.sync_ps),
    /// Communication inside the gap.
    comm_ps: Option<i64> = has(row.flags, sys::PK_BUBBLE_TRACED).then_some(row.comm_ps),
    /// Sum over the host's threads.
    threads_ps: Option<i64> = has(row.flags, sys::PK_BUBBLE_TRACED).then_some(row.threads_ps),
    /// When the kernel after the gap was launched, in whatever step; `None`: not known.
    launch_ps: Option<i64> = (row.launch_ps != sys::PK_NO_TIME_PS).then_some(row.launch_ps),
    /// The kernel that ended last; "": none.
    before: String = text(row.before).into(),
    /// The kernel that starts next; "": none.
    after: String = text(row.after).into(),
    /// Its source_row in kernels.
    before_row: Option<u64> = (row.before.size != 0).then_some(row.before_row),
    /// Its source_row in kernels.
    after_row: Option<u64> = (row.after.size != 0).then_some(row.after_row),
    /// The soft labels that its evidence meets.
    labels: kinds::BubbleLabels = kinds::BubbleLabels(row.labels),
    /// Why the device waited, as far as the capture shows.
    cause: kinds::Cause = kinds::Cause::of(row.cause),
    /// Of the cause.
    certainty: kinds::Certainty = kinds::Certainty::of(row.certainty),
    /// Longer than the threshold.
    heavy: bool = has(row.flags, sys::PK_BUBBLE_HEAVY),
    /// Touches the edge of the capture.
    at_edge: bool = has(row.flags, sys::PK_BUBBLE_AT_EDGE),
    /// The end of a step and the beginning of the next, which are listed as well.
    inter_step: bool = has(row.flags, sys::PK_BUBBLE_INTER_STEP),
});

row!(
    /// Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the table
    /// device_time adds up what a device waited.
    #[derive(Eq)]
    GapCause: pk_cause = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices.
    device: i32 = row.device,
    /// Position in gaps.
    gap: u64 = row.gap,
    /// Position in steps; `None`: none.
    step: Option<i64> = (row.step >= 0).then_some(row.step),
    /// What the host or the device did.
    cause: kinds::Cause = kinds::Cause::of(row.cause),
    /// Of the cause.
    certainty: kinds::Certainty = kinds::Certainty::of(row.certainty),
    /// The span of the host that names it; "": none does.
    span: String = text(row.span).into(),
    /// How much of the gap the evidence covers.
    covered_ps: i64 = row.covered_ps,
    /// Of the gap, capture's clock.
    start_ps: i64 = row.start_ps,
    /// Of the gap, capture's clock.
    end_ps: i64 = row.end_ps,
    /// The end of a step and the beginning of the next, which are listed as well.
    inter_step: bool = has(row.flags, sys::PK_BUBBLE_INTER_STEP),
});

row!(
    /// Totals of one communication op on one line.
    #[derive(Eq)]
    Collective: pk_collective = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices; `None`: ops of a host.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// Name of the plane.
    plane: String = text(row.plane).into(),
    /// As recorded.
    name: String = text(row.name).into(),
    /// "all-reduce", …; of a kernel whose name spells none the library ("nccl").
    category: String = text(row.category).into(),
    /// A kernel: other streams of its device may compute meanwhile.
    on_stream: bool = has(row.flags, sys::PK_COLLECTIVE_ON_STREAM),
    /// The start or the done of an asynchronous operation.
    is_half: bool = has(row.flags, sys::PK_COLLECTIVE_IS_HALF),
    /// Executions.
    count: u64 = row.count,
    /// Of all executions.
    total_ps: i64 = row.total_ps,
    /// Shortest execution.
    min_ps: i64 = row.min_ps,
    /// Longest execution.
    max_ps: i64 = row.max_ps,
});

row!(
    /// A compiled module.
    #[derive(Eq)]
    Module<'a>: pk_module_info = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position of the plane that carries it; `None`: a file of its own.
    plane: Option<i32> = (row.plane >= 0).then_some(row.plane),
    /// Of the event metadata entry that carries it.
    metadata_id: i64 = row.metadata_id,
    /// As the entry or the file name says.
    name: String = text(row.name).into(),
    /// As the module itself says.
    module_name: String = text(row.module_name).into(),
    /// As the module itself says.
    module_id: i64 = row.module_id,
    /// Computations.
    computation_count: u64 = row.computation_count,
    /// Instructions of all computations.
    instruction_count: u64 = row.instruction_count,
    /// The serialized xla.HloProto.
    hlo_proto: &'a [u8] = bytes(row.hlo_proto),
    /// The *.hlo_proto.pb beside it; "" when there is none.
    sibling_path: Option<std::path::PathBuf> = (row.sibling_path.size != 0).then_some(path(row.sibling_path).into()),
    /// How the two compare.
    sibling: kinds::Sibling = kinds::Sibling::of(row.sibling),
    /// The bytes do not parse, and the counts cover what did.
    damaged: bool = has(row.flags, sys::PK_MODULE_DAMAGED),
});

row!(
    /// An allocator of a host.
    #[derive(Eq)]
    Allocator: pk_memory_allocator = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices; `None`: host memory.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// Whose it is.
    host: String = text(row.host).into(),
    /// XProf's key.
    name: String = text(row.name).into(),
    /// Highest heap.
    heap_peak_bytes: i64 = row.heap_peak_bytes,
    /// Highest sum of reserved and allocated.
    occupancy_peak_bytes: i64 = row.occupancy_peak_bytes,
    /// When it was reached, capture's clock.
    occupancy_peak_ps: i64 = row.occupancy_peak_ps,
    /// Of the memory, as the allocator counts it.
    capacity_bytes: i64 = row.capacity_bytes,
    /// Allocated before the capture began.
    pre_trace_bytes: i64 = row.pre_trace_bytes,
    /// Of blocks that the capture did not see allocated.
    unmatched_frees: u64 = row.unmatched_frees,
    /// The replay equals the allocator's own count after every event.
    allocator_agrees: bool = has(row.flags, sys::PK_ALLOCATOR_AGREES),
    /// The run-time part of the document is about it.
    chosen: bool = has(row.flags, sys::PK_ALLOCATOR_CHOSEN),
});

row!(
    /// A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak.
    #[derive(Eq)]
    LiveBuffer: pk_live_buffer = |row| {
    /// Position of the file that carries the module.
    file: u32 = row.file,
    /// `None`: the allocation has no assigned buffer.
    logical_buffer_id: Option<i64> = (row.logical_buffer_id >= 0).then_some(row.logical_buffer_id),
    /// Of the buffer.
    size_bytes: i64 = row.size_bytes,
    /// Of the allocation it lies in.
    allocation_index: i64 = row.allocation_index,
    /// In the allocation.
    offset_bytes: i64 = row.offset_bytes,
    /// Of the instruction that defines it.
    instruction_id: Option<i64> = has(row.flags, sys::PK_LIVE_BUFFER_HAS_INSTRUCTION).then_some(row.instruction_id),
    /// Of that instruction.
    instruction_name: String = text(row.instruction_name).into(),
    /// Of that instruction.
    opcode: String = text(row.opcode).into(),
    /// Framework op.
    op_name: String = text(row.op_name).into(),
    /// Where the instruction stands.
    computation_name: String = text(row.computation_name).into(),
    /// "" past the first `top` rows.
    shape: String = text(row.shape).into(),
    /// Which part of the instruction's result; none for the whole.
    shape_index: Vec<i64> = slice(row.shape_index, row.shape_index_count).into(),
    /// As the module says.
    source_file: String = text(row.source_file).into(),
    /// As the module says.
    source_line: Option<i64> = (row.source_file.size != 0).then_some(row.source_line),
    /// Why it is alive.
    residency: kinds::Residency = kinds::Residency::of(row.residency),
});

row!(
    /// A point of the live curve of the chosen module; of pk_memory_table() only where
    /// pk_memory_options::curve_points asked for it.
    #[derive(Eq)]
    CurvePoint: pk_curve_point = |row| {
    /// Position of the file that carries the module.
    file: u32 = row.file,
    /// Heap event, or schedule position of a sweep.
    event: i64 = row.event,
    /// Alive then.
    live_bytes: i64 = row.live_bytes,
});

row!(
    /// A launch of a Neutrino trace's log.
    #[derive(Eq)]
    Launch: pk_probe_launch = |row| {
    /// Position of the trace folder.
    file: u32 = row.file,
    /// Position in the log.
    launch: u64 = row.launch,
    /// Name of the kernel.
    kernel: String = text(row.kernel).into(),
    /// The driver's handle, "0x8209510".
    function: String = text(row.function).into(),
    /// How it ended.
    outcome: kinds::LaunchOutcome = kinds::LaunchOutcome::of(row.outcome),
    /// Base name of its record file; "" without one.
    bin: String = text(row.bin).into(),
    /// Of the record file; `None`: it is not there.
    bin_position: Option<i64> = (row.bin_position >= 0).then_some(row.bin_position),
    /// Since 1970.
    time_ns: Option<i64> = has(row.flags, sys::PK_PROBE_HAS_TIME).then_some(row.time_ns),
    /// Blocks.
    grid: Option<[u32; 3]> = has(row.flags, sys::PK_PROBE_HAS_GEOMETRY).then_some(row.grid),
    /// Threads of a block.
    block: Option<[u32; 3]> = has(row.flags, sys::PK_PROBE_HAS_GEOMETRY).then_some(row.block),
    /// Shared memory of a block.
    shared_bytes: Option<u32> = has(row.flags, sys::PK_PROBE_HAS_GEOMETRY).then_some(row.shared_bytes),
    /// Arguments of the kernel.
    params: Vec<u64> = slice(row.params, row.params_count).into(),
    /// Taken by the probe.
    probe_memory_bytes: Option<u64> = has(row.flags, sys::PK_PROBE_HAS_MEMORY).then_some(row.probe_memory_bytes),
    /// Before the kernel.
    prologue_ps: Option<i64> = has(row.flags, sys::PK_PROBE_HAS_DURATIONS).then_some(row.prologue_ps),
    /// The kernel.
    kernel_ps: Option<i64> = has(row.flags, sys::PK_PROBE_HAS_DURATIONS).then_some(row.kernel_ps),
    /// After the kernel.
    epilogue_ps: Option<i64> = has(row.flags, sys::PK_PROBE_HAS_DURATIONS).then_some(row.epilogue_ps),
});

row!(
    /// A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up
    /// to its steps, the others to the time between its first and last kernel that is in no step.
    #[derive(Eq)]
    DeviceTime: pk_device_time = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices.
    device: i32 = row.device,
    /// Within a step.
    in_steps: bool = has(row.flags, sys::PK_DEVICE_TIME_IN_STEPS),
    /// What the device did; what runs beside compute counts as compute.
    #[cfg_attr(feature = "serde", serde(rename = "use"))]
    use_: kinds::TimeUse = kinds::TimeUse::of(row.use_),
    /// Why it waited; none of gaps that are too short to list or lie at the edge of the capture.
    cause: Option<kinds::Cause> = has(row.flags, sys::PK_DEVICE_TIME_HAS_CAUSE).then_some(kinds::Cause::of(row.cause)),
    /// Of the cause; of what is on record: proved.
    certainty: kinds::Certainty = kinds::Certainty::of(row.certainty),
    /// Listed gaps with this cause.
    gaps: u64 = row.gaps,
    /// Length.
    time_ps: i64 = row.time_ps,
});

row!(
    /// A fact of the model that ran: what it is, how sure it is, and where it comes from.
    #[derive(Eq)]
    Fact: pk_fact = |row| {
    /// Position of the file of the device.
    file: u32 = row.file,
    /// Position in devices; `None`: of a host alone.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// "layers", "hidden_size"; docs/architecture-report.md lists them.
    name: String = text(row.name).into(),
    /// "24", "true", "prefill, decode".
    value: String = text(row.value).into(),
    /// "tokens", "parameters", "%"; "" for counts and words.
    unit: String = text(row.unit).into(),
    /// How sure it is.
    certainty: kinds::Certainty = kinds::Certainty::of(row.certainty),
    /// What it is read from.
    source: kinds::FactSource = kinds::FactSource::of(row.source),
    /// The event, shape or name that says so.
    evidence: String = text(row.evidence).into(),
    /// What other sources say; "; " between them.
    contradictions: String = text(row.contradictions).into(),
});

row!(
    /// A call of a collective by all members of its process group, over all nodes of the capture.
    #[derive(Eq)]
    CollectiveCall: pk_collective_call = |row| {
    /// Position of the file of the member that came last.
    file: u32 = row.file,
    /// Of the op.
    name: String = text(row.name).into(),
    /// "all-reduce"; "" where nothing names it.
    kind: String = text(row.kind).into(),
    /// As on record; "" of everyone, or where none is on record.
    process_group: String = text(row.process_group).into(),
    /// Number among the calls of the op by its group.
    call: u32 = row.call,
    /// Devices that took part.
    members: u32 = row.members,
    /// Latest start - first start.
    start_gap_ps: i64 = row.start_gap_ps,
    /// Start of who must be waited for - end of who waits; 0 or more is out of order.
    order_gap_ps: i64 = row.order_gap_ps,
    /// How far both clocks together can be wrong.
    bound_ps: i64 = row.bound_ps,
    /// First start to last end; `None`: clocks are not known well enough.
    span_ps: Option<i64> = (row.span_ps >= 0).then_some(row.span_ps),
    /// Last start to last end; `None`: not known.
    moving_ps: Option<i64> = (row.moving_ps >= 0).then_some(row.moving_ps),
    /// What it moves; `None`: not known, or members differ.
    payload_bytes: Option<i64> = (row.payload_bytes >= 0).then_some(row.payload_bytes),
    /// What each link carries at least: over moving_ps it is the bus bandwidth.
    link_bytes: Option<i64> = (row.link_bytes >= 0).then_some(row.link_bytes),
    /// Id of the node that began last; `None` where several did.
    latest_node: Option<i64> = (row.latest_node >= 0).then_some(row.latest_node),
    /// Local number of the device that came last.
    latest_device: Option<i32> = (row.latest_device >= 0).then_some(row.latest_device),
    /// It is known who waits for whom.
    judged: bool = has(row.flags, sys::PK_CALL_JUDGED),
    /// Out of order beyond the bound of the clocks.
    violates: bool = has(row.flags, sys::PK_CALL_VIOLATES),
});

row!(
    /// A statement about the capture, with the place that shows it: those of a report.
    #[derive(Eq)]
    Finding: pk_finding = |row| {
    /// Position of the file of the evidence.
    file: u32 = row.file,
    /// Position in devices; `None`: the evidence is of none.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// "bubbles.cause.launch_bound"; the next of its kind ends in ".2".
    id: String = text(row.id).into(),
    /// How sure it is.
    certainty: kinds::Certainty = kinds::Certainty::of(row.certainty),
    /// Time that could be won back; `None`: it is not about time.
    recoverable_ps: Option<i64> = (row.recoverable_ps >= 0).then_some(row.recoverable_ps),
    /// Memory that could be won back; `None`: it is not about memory.
    recoverable_bytes: Option<i64> = (row.recoverable_bytes >= 0).then_some(row.recoverable_bytes),
    /// One sentence.
    what: String = text(row.what).into(),
    /// For people.
    place: String = text(row.place).into(),
    /// Position in steps: that in which the evidence begins; `None`: none.
    step: Option<i64> = (row.step >= 0).then_some(row.step),
    /// Of that step; "": none.
    step_id: String = text(row.step_id).into(),
    /// Of the evidence, capture's clock; `None`: it is no span.
    start_ps: Option<i64> = (row.start_ps != sys::PK_NO_TIME_PS).then_some(row.start_ps),
    /// Of the evidence, capture's clock.
    end_ps: Option<i64> = (row.end_ps != sys::PK_NO_TIME_PS).then_some(row.end_ps),
    /// What stands there; of further places "; " between them.
    evidence: String = text(row.evidence).into(),
    /// What to do or look at next.
    next: String = text(row.next).into(),
});

row!(
    /// Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key that
    /// lie in no other add up to its busy time.
    #[derive(Eq)]
    OpGroup: pk_op_group = |row| {
    /// Position of the file.
    file: u32 = row.file,
    /// Position in devices; `None`: ops of a host.
    device: Option<i32> = (row.device >= 0).then_some(row.device),
    /// What they have in common: op, outer-op, module, module-kind, range, source, phase, kind, category or program.
    by: kinds::GroupKey = kinds::GroupKey::of(row.by),
    /// Position of the row that it lies in; `None`: none.
    parent: Option<i64> = (row.parent >= 0).then_some(row.parent),
    /// How many rows it lies in.
    depth: u32 = row.depth,
    /// "": ops of which that is not recorded.
    name: String = text(row.name).into(),
    /// Executions.
    count: u64 = row.count,
    /// With what lies in rows below.
    self_ps: i64 = row.self_ps,
    /// Summed durations.
    total_ps: i64 = row.total_ps,
    /// Of self_ps, what lies in no row below.
    own_ps: i64 = row.own_ps,
    /// Of self_ps, that of ops of which it is known what they do.
    worked_ps: i64 = row.worked_ps,
    /// Floating-point operations that these ops do; flop.
    flops: i64 = row.flops,
    /// What they move from and to memory; bytes.
    bytes: i64 = row.bytes,
    /// What ops of known work would take at least at the rates of their device.
    attainable_ps: i64 = row.attainable_ps,
    /// Self time of ops that reach 60 % of the rate for their operations.
    compute_bound_ps: i64 = row.compute_bound_ps,
    /// Self time of ops that reach 60 % of the rate of the memory that their bytes are in.
    memory_bound_ps: i64 = row.memory_bound_ps,
    /// Self time of other ops of known work.
    neither_bound_ps: i64 = row.neither_bound_ps,
});

row!(
    /// A run below a parent of runs, newest first.
    #[derive(Eq)]
    Run<'a>: pk_run_info = |row| {
    /// Folder name.
    name: Cow<'a, str> = text(row.name),
    /// Of the folder.
    path: &'a Path = path(row.path),
    /// The profile holds this run's files.
    chosen: bool = row.chosen != 0,
});

row!(
    /// A plane of an XSpace.
    #[derive(Eq)]
    PlaneInfo<'a>: pk_plane_info = |row| {
    /// As written; not unique.
    id: i64 = row.id,
    /// "/device:TPU:0".
    name: Cow<'a, str> = text(row.name),
    /// What it stands for.
    kind: kinds::PlaneKind = kinds::PlaneKind::of(row.kind),
    /// N of "/device:TPU:N"; `None`: none.
    device_ordinal: Option<i32> = (row.device_ordinal >= 0).then_some(row.device_ordinal),
    /// Lines.
    line_count: u32 = row.line_count,
    /// Facts of the plane itself.
    stat_count: u32 = row.stat_count,
    /// Entries as written: one that a later one replaces counts, too.
    event_metadata_count: u64 = row.event_metadata_count,
    /// Names of stats, as written.
    stat_metadata_count: u64 = row.stat_metadata_count,
});

row!(
    /// What stands before a line's events: cheap to get.
    #[derive(Eq)]
    LineInfo<'a>: pk_line_info = |row| {
    /// As written; not unique, and negative on lines derived from a GPU's.
    id: i64 = row.id,
    /// The name, else the display name where it is known.
    name: Cow<'a, str> = text(row.name),
    /// As written: relative to the file's origin, or since 1970.
    timestamp_ns: i64 = row.timestamp_ns,
    /// The same instant on the capture's clock: event offsets count from here.
    start_ps: Option<i64> = has(row.flags, sys::PK_LINE_HAS_START).then_some(row.start_ps),
    /// What its events mean.
    kind: kinds::LineKind = kinds::LineKind::of(row.kind),
});

row!(
    /// What is known only after a pass over a whole line.
    #[derive(Eq)]
    LineSummary<'a>: pk_line_summary = |row| {
    /// Those before damage, if there is any.
    event_count: u64 = row.event_count,
    /// As written.
    display_id: i64 = row.display_id,
    /// As written.
    display_name: Cow<'a, str> = text(row.display_name),
    /// As written; 0 in every real file seen.
    duration_ps: i64 = row.duration_ps,
});

row!(
    /// What the events with one id share.
    #[derive(Eq)]
    EventMetadata<'a>: pk_event_metadata = |row| {
    /// The key that events name it by.
    id: i64 = row.id,
    /// Of the events.
    name: Cow<'a, str> = text(row.name),
    /// Shorter; "" when there is none.
    display_name: Cow<'a, str> = text(row.display_name),
    /// Opaque bytes of the recorder.
    metadata: &'a [u8] = bytes(row.metadata),
    /// Entries that it names as its children.
    child_count: usize = row.child_count,
});

row!(
    /// What a stat id means.
    #[derive(Eq)]
    StatMetadata<'a>: pk_stat_metadata = |row| {
    /// The key that stats name it by.
    id: i64 = row.id,
    /// Of the stat.
    name: Cow<'a, str> = text(row.name),
    /// As written.
    description: Cow<'a, str> = text(row.description),
});

row!(
    /// One event of a trace-event JSON file. Text has its escapes undone.
    #[derive(Eq)]
    ChromeEvent: pk_chrome_event = |row| {
    /// As recorded.
    name: String = text(row.name).into(),
    /// As recorded.
    category: String = text(row.category).into(),
    /// Of asynchronous and flow events.
    id: String = text(row.id).into(),
    /// A number or a string, as written.
    pid: String = text(row.pid).into(),
    /// A number or a string, as written.
    tid: String = text(row.tid).into(),
    /// JSON text of the args object, as written; "" when there is none.
    args: String = text(row.args).into(),
    /// Relative to zero_us of the summary; never of M events.
    start_ps: Option<i64> = has(row.flags, sys::PK_CHROME_HAS_START).then_some(row.start_ps),
    /// As recorded.
    duration_ps: Option<i64> = has(row.flags, sys::PK_CHROME_HAS_DURATION).then_some(row.duration_ps),
    /// Of the event in the decoded file.
    byte_offset: u64 = row.byte_offset,
    /// 'X', 'B', 'M', …; `None` when it is not one character.
    phase: Option<char> = (row.phase != 0).then_some(char::from_u32(row.phase as u32).unwrap_or_default()),
});

row!(
    /// What a trace-event JSON file was like, as far as it was read.
    #[derive(Eq)]
    ChromeSummary: pk_chrome_summary = |row| {
    /// Events.
    event_count: u64 = row.event_count,
    /// Stretches of text that are no event.
    broken_count: u64 = row.broken_count,
    /// Events whose ts or dur is no number or out of range.
    unusable_time_count: u64 = row.unusable_time_count,
    /// What 0 of start_ps is on the file's own clock: 0, or whole seconds.
    zero_us: i64 = row.zero_us,
});

row!(
    /// A device of one rank, process or file.
    #[derive(Eq)]
    Device<'a>: pk_activity_device = |row| {
    /// As recorded.
    name: Cow<'a, str> = text(row.name),
    /// Its number on its machine; `None`: not recorded.
    ordinal: Option<i64> = (row.ordinal >= 0).then_some(row.ordinal),
    /// Kernels.
    kernel_count: u64 = row.kernel_count,
    /// Of its times.
    timestamp_resolution_ps: i64 = row.timestamp_resolution_ps,
    /// Position of the file.
    file: u32 = row.file,
    /// Position of its plane in an XSpace; `None` in other files.
    plane: Option<i32> = (row.plane >= 0).then_some(row.plane),
    /// Rank in a distributed run; `None`: not recorded.
    rank: Option<i32> = (row.rank >= 0).then_some(row.rank),
    /// Devices of one host have the same.
    host_group: u32 = row.host_group,
    /// What it is.
    accelerator: kinds::Accelerator = kinds::Accelerator::of(row.accelerator),
    /// Its source tells of waits.
    has_waits: bool = has(row.flags, sys::PK_DEVICE_HAS_WAITS),
    /// Its source tells of shapes.
    has_shapes: bool = has(row.flags, sys::PK_DEVICE_HAS_SHAPES),
    /// Its source tells the execution unit; else classes follow from names.
    has_classes: bool = has(row.flags, sys::PK_DEVICE_HAS_CLASSES),
    /// Its source tells of launches.
    has_launches: bool = has(row.flags, sys::PK_DEVICE_HAS_LAUNCHES),
});

row!(
    /// A compiled module and its memory.
    #[derive(Eq)]
    MemoryModule<'a>: pk_memory_module = |row| {
    /// As the module says.
    name: Cow<'a, str> = text(row.name),
    /// Name and program id: "jit_f(12)".
    label: Cow<'a, str> = text(row.label),
    /// Decimal, as the capture writes it.
    program_id: Cow<'a, str> = text(row.program_id),
    /// Path of the first place it was found in.
    source: &'a Path = path(row.source),
    /// Places it was found in.
    source_count: u64 = row.source_count,
    /// Memory spaces; 0 without a buffer assignment.
    space_count: u64 = row.space_count,
    /// The document says which.
    problem_count: u64 = row.problem_count,
    /// The bytes do not parse to the end.
    damaged: bool = row.damaged != 0,
    /// The live buffers and the curve are of this module.
    chosen: bool = row.chosen != 0,
});

row!(
    /// One memory space of a module.
    #[derive(Eq)]
    MemorySpace<'a>: pk_memory_space = |row| {
    /// Which one.
    color: i64 = row.color,
    /// Allocations without thread-local ones: XProf's total.
    total_bytes: i64 = row.total_bytes,
    /// Indefinite bytes, and the peak of temporary memory.
    peak_bytes: i64 = row.peak_bytes,
    /// Heap event, or schedule position of a sweep; `None`: none.
    peak_event: Option<i64> = (row.peak_event >= 0).then_some(row.peak_event),
    /// Parameters, constants and results.
    indefinite_bytes: i64 = row.indefinite_bytes,
    /// Temporary allocations.
    temp_bytes: i64 = row.temp_bytes,
    /// Peak of temporary memory.
    temp_peak_bytes: i64 = row.temp_peak_bytes,
    /// Not in total_bytes.
    thread_local_bytes: i64 = row.thread_local_bytes,
    /// Temporary allocations that the peak looks at, minus the peak in them.
    fragmentation_bytes: i64 = row.fragmentation_bytes,
    /// In use at every moment.
    residency_floor_bytes: i64 = row.residency_floor_bytes,
    /// Where the peak is reached.
    peak_instruction: Cow<'a, str> = text(row.peak_instruction),
    /// What the peak counts and what it does not.
    coverage: Cow<'a, str> = text(row.coverage),
    /// How the peak was found.
    method: kinds::PeakMethod = kinds::PeakMethod::of(row.method),
    /// Whether the peak is exact, or what bounds it.
    bound: kinds::PeakBound = kinds::PeakBound::of(row.bound),
});

row!(
    /// What was written, and what was not.
    #[derive(Eq)]
    ExportOutcome: pk_trace_outcome = |row| {
    /// Absent when nothing has events, partial when some input is damaged.
    status: kinds::DocumentStatus = kinds::DocumentStatus::of(row.status),
    /// Tracks.
    tracks: u64 = row.tracks,
    /// Further tracks, for events that overlap others of their line.
    lanes: u64 = row.lanes,
    /// Slices, instants and rows.
    events: u64 = row.events,
    /// Counter values.
    counters: u64 = row.counters,
    /// Ends of flows.
    flows: u64 = row.flows,
    /// Events without a place in time.
    aggregated_left_out: u64 = row.aggregated_left_out,
    /// Events more than 106 days from the origin.
    out_of_reach: u64 = row.out_of_reach,
    /// Events that still overlap others.
    crowded: u64 = row.crowded,
});

row!(
    /// Whether the collectives of several nodes happened in a possible order.
    #[derive(Eq)]
    ValidationSummary: pk_validation_summary = |row| {
    /// Absent when nothing could be compared.
    status: kinds::DocumentStatus = kinds::DocumentStatus::of(row.status),
    /// Nodes.
    node_count: u32 = row.node_count,
    /// Invocations compared.
    group_count: u64 = row.group_count,
    /// Beyond the error of the clocks.
    violations: u64 = row.violations,
    /// Whatever the error of the clocks.
    violations_raw: u64 = row.violations_raw,
    /// Pairs of nodes of which one ended before the other began.
    pair_violations: u64 = row.pair_violations,
    /// Invocations in order.
    overlaps: u64 = row.overlaps,
    /// Who waits for whom, or who takes part, is unknown.
    unjudged: u64 = row.unjudged,
    /// The document says which.
    warnings: u64 = row.warnings,
    /// Nodes whose offset is known less well than max_bound_ps, or not at all.
    undecidable: u64 = row.undecidable,
    /// Times are of corrected clocks.
    clocks_corrected: bool = row.clocks_corrected != 0,
    /// Of every node it is known how wrong its clock can be.
    bounds_known: bool = row.bounds_known != 0,
});

row!(
    /// What collectives alone say of a node's clock against the first node's: its time less the first node's is
    /// offset + drift * (t - pivot).
    ClockInterval: pk_clock_interval = |row| {
    /// The node.
    node_id: i64 = row.node_id,
    /// Where the offsets hold.
    pivot_ps: i64 = row.pivot_ps,
    /// No less.
    least_offset_ps: i64 = row.least_offset_ps,
    /// No more.
    most_offset_ps: i64 = row.most_offset_ps,
    /// The best guess.
    point_offset_ps: i64 = row.point_offset_ps,
    /// No less.
    least_drift_ppm: f64 = row.least_drift_ppm,
    /// No more.
    most_drift_ppm: f64 = row.most_drift_ppm,
    /// The best guess.
    point_drift_ppm: f64 = row.point_drift_ppm,
    /// Collectives that both nodes took part in.
    constraints: u64 = row.constraints,
    /// Known to max_bound_ps.
    decidable: bool = row.decidable != 0,
    /// 0: the collectives contradict one another, or none joins this node.
    feasible: bool = row.feasible != 0,
});

row!(
    /// A record file of a Neutrino trace.
    #[derive(Eq)]
    RecordFile<'a>: pk_probe_bin = |row| {
    /// Base name.
    name: Cow<'a, str> = text(row.name),
    /// Where it is.
    path: &'a Path = path(row.path),
    /// Its size.
    bytes: u64 = row.bytes,
    /// From the driver's start to the end of the launch; `None`: not in the name.
    elapsed_us: Option<i64> = (row.elapsed_us >= 0).then_some(row.elapsed_us),
    /// Position of its launch in the log; `None`: no launch of the log names it.
    launch: Option<i64> = (row.launch >= 0).then_some(row.launch),
    /// 0 when the file is damaged.
    map_count: u32 = row.map_count,
    /// Shared memory of a block.
    shared_bytes: u32 = row.shared_bytes,
    /// Blocks.
    grid: [u32; 3] = row.grid,
    /// Threads of a block.
    block: [u32; 3] = row.block,
    /// Why the file is damaged; none when it is sound.
    damage: Option<crate::Error> = Default::default(),
});

row!(
    /// One field of a map's records, in the order of memory: unsigned, little endian.
    #[derive(Eq)]
    RecordField: pk_probe_field = |row| {
    /// As the probe calls it.
    name: String = text(row.name).into(),
    /// 8 or 4.
    bytes: u32 = row.bytes,
    /// In the record.
    offset: u32 = row.offset,
    /// Place in the probe's description.
    declared: u32 = row.declared,
});

row!(
    /// One map of a record file.
    #[derive(Eq)]
    RecordMap: pk_probe_map = |row| {
    /// As the probe calls it.
    name: String = text(row.name).into(),
    /// Who has a slot of its own.
    level: kinds::ProbeLevel = kinds::ProbeLevel::of(row.level),
    /// Size of a record.
    record_bytes: u32 = row.record_bytes,
    /// Size of a lane.
    lane_bytes: u64 = row.lane_bytes,
    /// Records a lane has room for.
    capacity: u64 = row.capacity,
    /// Of the region in the file.
    offset: u64 = row.offset,
    /// Size of the region.
    bytes: u64 = row.bytes,
    /// What the file has of it.
    present_bytes: u64 = row.present_bytes,
    /// Of the region, as the file's own table says.
    recorded_offset: u64 = row.recorded_offset,
    /// Lanes of a block.
    lanes_per_block: u64 = row.lanes_per_block,
    /// That the file holds.
    lanes: u64 = row.lanes,
    /// What is doubtful.
    flags: Vec<&'static str> = Default::default(),
    /// What a record holds, in the order of memory.
    fields: Vec<RecordField> = Default::default(),
});

row!(
    /// One node of a merge.
    #[derive(Eq)]
    MergeNode<'a>: pk_merge_node = |row| {
    /// Its number.
    id: i64 = row.id,
    /// Of its machine.
    hostname: Cow<'a, str> = text(row.hostname),
    /// Its trace.
    trace: &'a Path = path(row.trace),
    /// Events of it.
    events: u64 = row.events,
    /// Planes of it.
    planes: u64 = row.planes,
    /// Moved so that a line does not go back.
    clamped_events: u64 = row.clamped_events,
    /// Pairs of its clocks.
    snapshots: u64 = row.snapshots,
    /// Measured offsets against the reference node.
    offset_windows: u64 = row.offset_windows,
    /// Wall clock of the node minus corrected time, largest by magnitude.
    max_correction_ps: i64 = row.max_correction_ps,
    /// Rms of the corrected snapshots about a straight line.
    residual_ps: i64 = row.residual_ps,
    /// How wrong times of the tracer can be at most; `None`: unknown.
    tracer_bound_ps: Option<i64> = (row.tracer_bound_ps >= 0).then_some(row.tracer_bound_ps),
    /// How wrong times of the host can be at most; `None`: unknown.
    host_bound_ps: Option<i64> = (row.host_bound_ps >= 0).then_some(row.host_bound_ps),
    /// How its clock was corrected.
    status: kinds::NodeStatus = kinds::NodeStatus::of(row.status),
    /// Out of a trace that was merged before.
    aligned_before: bool = row.aligned_before != 0,
});

row!(
    /// A plane as far as it is known when its first line begins: writers put id and name first.
    #[derive(Eq)]
    PushedPlane<'a>: pk_pushed_plane = |row| {
    /// Its position in the capture.
    plane: u32 = row.plane,
    /// 0 while none came.
    id: i64 = row.id,
    /// "" while none came.
    name: Cow<'a, str> = text(row.name),
});

row!(
    /// A line. Before its first event it has what stands before that event, whatever the pieces; line_end has all of
    /// it. Writers put id, name and timestamp first, but need not.
    #[derive(Eq)]
    PushedLine<'a>: pk_pushed_line = |row| {
    /// Position in the capture.
    plane: u32 = row.plane,
    /// Position in the plane.
    line: u32 = row.line,
    /// As written.
    id: i64 = row.id,
    /// As written.
    display_id: i64 = row.display_id,
    /// As written.
    name: Cow<'a, str> = text(row.name),
    /// As written.
    display_name: Cow<'a, str> = text(row.display_name),
    /// What the offsets of its events count from: since 1970, or since the profile's start.
    timestamp_ns: i64 = row.timestamp_ns,
    /// 0 in files seen so far.
    duration_ps: i64 = row.duration_ps,
    /// Events that were handed on so far.
    event_count: u64 = row.event_count,
    /// Of line_end: id, name or timestamp_ns stood after events and are not what line_begin had.
    was_changed: bool = has(row.flags, sys::PK_PUSHED_LINE_CHANGED),
});

row!(
    /// A column of a table.
    #[derive(Eq)]
    Column: pk_column = |row| {
    /// By which its values are asked for.
    name: String = text(row.name).into(),
    /// "ps", "bytes", …; "" without.
    unit: String = text(row.unit).into(),
    /// One sentence.
    meaning: String = text(row.meaning).into(),
    /// What its values are.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    column_type: kinds::ColumnType = kinds::ColumnType::of(row.type_),
});

of_table!(
    FileInfo<'a>: PK_TABLE_FILES,
    CaptureDevice: PK_TABLE_DEVICES,
    Op: PK_TABLE_OPS,
    BubbleStep: PK_TABLE_STEPS,
    Kernel: PK_TABLE_KERNELS,
    Bubble: PK_TABLE_GAPS,
    GapCause: PK_TABLE_CAUSES,
    Collective: PK_TABLE_COLLECTIVES,
    Allocator: PK_TABLE_ALLOCATORS,
    LiveBuffer: PK_TABLE_LIVE_BUFFERS,
    CurvePoint: PK_TABLE_LIVE_CURVE,
    Launch: PK_TABLE_PROBE_LAUNCHES,
    DeviceTime: PK_TABLE_DEVICE_TIME,
    Fact: PK_TABLE_FACTS,
    CollectiveCall: PK_TABLE_COLLECTIVE_CALLS,
    Finding: PK_TABLE_FINDINGS,
    OpGroup: PK_TABLE_OP_GROUPS,
);
