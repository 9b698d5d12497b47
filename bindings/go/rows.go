package profkit

// #include <profkit/profkit.h>
import "C"

import (
	"context"
	"unsafe"
)

// TableRow is a row of a table, for RowsOf.
type TableRow[T any] interface {
	rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[T]
}

// RowsOf reads the table that T is a row of, as in RowsOf[Op](ctx, profile, DocumentOptions{Limit: &ten}). Filters and hooks are
// those of Profile.Table.
func RowsOf[T TableRow[T]](ctx context.Context, p *Profile, filters DocumentOptions) *Rows[T] {
	return rowsFrom[T](func(kind TableKind, options TableOptions) (*Table, error) {
		return p.Table(ctx, kind, filters, options)
	})
}

func rowsFrom[T TableRow[T]](open func(TableKind, TableOptions) (*Table, error)) *Rows[T] {
	var row T
	return row.rows(open)
}

// bits are the names of those that are set.
func bits(names []string, value C.uint32_t) (made []string) {
	for bit, name := range names {
		if value>>bit&1 != 0 {
			made = append(made, name)
		}
	}
	return made
}

func three(values [3]C.uint32_t) [3]uint32 {
	return [3]uint32{uint32(values[0]), uint32(values[1]), uint32(values[2])}
}

func listOf[T any](first unsafe.Pointer, count C.size_t) []T {
	return append([]T(nil), unsafe.Slice((*T)(first), int(count))...)
}

// timeOf is 0 where the time is not known.
func timeOf(time C.int64_t) int64 {
	if time == C.PK_NO_TIME_PS {
		return 0
	}
	return int64(time)
}

// rows: written by scripts/generate
// TableKind is a table of a profile; docs/tables.md describes the columns of each.
type TableKind int

// The tables. Records of a Neutrino map are ProbeTrace.RecordsTable.
const (
	// A file of the capture.
	TableFiles TableKind = C.PK_TABLE_FILES
	// A device in the capture: a device plane of an XSpace, a device of a trace or a table.
	TableDevices TableKind = C.PK_TABLE_DEVICES
	// An event that has a place in time.
	TableEvents TableKind = C.PK_TABLE_EVENTS
	// Totals of one op on one line.
	TableOps TableKind = C.PK_TABLE_OPS
	// A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly.
	TableSteps TableKind = C.PK_TABLE_STEPS
	// One execution of a kernel (on TPUs: of an op).
	TableKernels TableKind = C.PK_TABLE_KERNELS
	// A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table device_time
	// adds up what a device waited.
	TableGaps TableKind = C.PK_TABLE_GAPS
	// Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the table
	// device_time adds up what a device waited.
	TableCauses TableKind = C.PK_TABLE_CAUSES
	// Totals of one communication op on one line.
	TableCollectives TableKind = C.PK_TABLE_COLLECTIVES
	// A compiled module.
	TableModules TableKind = C.PK_TABLE_MODULES
	// An allocator of a host.
	TableAllocators TableKind = C.PK_TABLE_ALLOCATORS
	// A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak.
	TableLiveBuffers TableKind = C.PK_TABLE_LIVE_BUFFERS
	// A point of the live curve of the chosen module; of pk_memory_table() only where pk_memory_options::curve_points
	// asked for it.
	TableLiveCurve TableKind = C.PK_TABLE_LIVE_CURVE
	// A launch of a Neutrino trace's log.
	TableProbeLaunches TableKind = C.PK_TABLE_PROBE_LAUNCHES
	// A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up to
	// its steps, the others to the time between its first and last kernel that is in no step.
	TableDeviceTime TableKind = C.PK_TABLE_DEVICE_TIME
	// A fact of the model that ran: what it is, how sure it is, and where it comes from.
	TableFacts TableKind = C.PK_TABLE_FACTS
	// A call of a collective by all members of its process group, over all nodes of the capture.
	TableCollectiveCalls TableKind = C.PK_TABLE_COLLECTIVE_CALLS
	// A statement about the capture, with the place that shows it: those of a report.
	TableFindings TableKind = C.PK_TABLE_FINDINGS
	// Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key that lie
	// in no other add up to its busy time.
	TableOpGroups TableKind = C.PK_TABLE_OP_GROUPS
)

// FileInfo: a file of the capture.
type FileInfo struct {
	// Position in the capture.
	File int
	// As given.
	Path string
	// Host that was recorded, as the file or its name says.
	Host string
	// Folder of the run; "" for a file that was given by its path.
	Run string
	// Format.
	Family string
	// How it is packed.
	Compression string
	// Size on disk.
	EncodedBytes uint64
	// The file's own time zero, since 1970; see HasOrigin.
	OriginUnixNs int64
	// OriginUnixNs is known.
	HasOrigin bool
	// Added to the file's times to put them on the capture's clock.
	ShiftNs int64
	// Position of the file that this one repeats; -1: none.
	ExportOf int
	// 0 when the file is not an XSpace.
	PlaneCount int
}

func fileInfoOf(row *C.pk_file_info) FileInfo {
	return FileInfo{
		int(row.file), text(row.path), text(row.host), text(row.run), C.GoString(C.pk_family_name(row.family)),
		named("compression", int32(row.compression), "unknown"), uint64(row.encoded_bytes), int64(row.origin_unix_ns),
		row.flags&C.PK_FILE_HAS_ORIGIN != 0, int64(row.shift_ns), int(row.export_of), int(row.plane_count),
	}
}

func (FileInfo) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[FileInfo] {
	table, err := open(C.PK_TABLE_FILES, TableOptions{})
	return rowsOf(table, err, fileInfoOf)
}

// CaptureDevice: a device in the capture: a device plane of an XSpace, a device of a trace or a table.
type CaptureDevice struct {
	// Position of the file.
	File int
	// Position in this table.
	Device int
	// As recorded: "/device:TPU:0", "GPU 3".
	Name string
	// What it is.
	Accelerator Accelerator
	// Its number on its machine; -1: not recorded.
	Ordinal int64
	// Position of its plane in an XSpace; -1 in other files.
	Plane int
}

func captureDeviceOf(row *C.pk_device) CaptureDevice {
	return CaptureDevice{
		int(row.file), int(row.device), text(row.name), Accelerator(row.accelerator), int64(row.ordinal),
		int(row.plane),
	}
}

func (CaptureDevice) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[CaptureDevice] {
	table, err := open(C.PK_TABLE_DEVICES, TableOptions{})
	return rowsOf(table, err, captureDeviceOf)
}

// Op: totals of one op on one line.
type Op struct {
	// Position of the file.
	File int
	// Position in devices; -1: ops of a host.
	Device int
	// Name of the plane.
	Plane string
	// Name of the line.
	Line string
	// As recorded; "" where it is not.
	Name string
	// Short name, as recorded; "" where it is not.
	DisplayName string
	// hlo_category; of a kernel what it counts as.
	Category string
	// "jit_f(7)"; "" where not recorded.
	Program string
	// Which clock the times are of.
	Clock string
	// Of an XSpace: the id of its metadata; see HasMetadataID.
	MetadataID int64
	// MetadataID is known.
	HasMetadataID bool
	// Executions.
	Count uint64
	// Of all executions.
	TotalPs int64
	// Without what ran inside; of a line they add up to its busy time.
	SelfPs int64
	// Shortest execution.
	MinPs int64
	// Longest execution.
	MaxPs int64
	// Of one execution, as recorded; flop; see HasFlops.
	Flops uint64
	// Flops is known.
	HasFlops bool
	// Of one execution, as recorded; bytes; see HasBytesAccessed.
	BytesAccessed uint64
	// BytesAccessed is known.
	HasBytesAccessed bool
}

func opOf(row *C.pk_op) Op {
	return Op{
		int(row.file), int(row.device), text(row.plane), text(row.line), text(row.name), text(row.display_name),
		text(row.category), text(row.program), named("ops_clock", int32(row.clock), "unknown"),
		int64(row.metadata_id), row.flags&C.PK_OP_HAS_METADATA_ID != 0, uint64(row.count), int64(row.total_ps),
		int64(row.self_ps), int64(row.min_ps), int64(row.max_ps), uint64(row.flops), row.flags&C.PK_OP_HAS_FLOPS != 0,
		uint64(row.bytes_accessed), row.flags&C.PK_OP_HAS_BYTES_ACCESSED != 0,
	}
}

func (Op) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Op] {
	table, err := open(C.PK_TABLE_OPS, TableOptions{})
	return rowsOf(table, err, opOf)
}

// BubbleStep: a step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly.
type BubbleStep struct {
	// Position of the file.
	File int
	// Position in devices.
	Device int
	// Position in this table.
	Step int64
	// Position among the steps of its device: what filters by step count by.
	StepOfDevice int64
	// Number of its marker, else its name.
	StepID string
	// Capture's clock.
	StartPs int64
	// Capture's clock.
	EndPs int64
	// Union of the kernels.
	BusyPs int64
	// Before the first kernel.
	PrelaunchPs int64
	// Gaps between kernels.
	InternalPs int64
	// After the last kernel.
	TailPs int64
	// Longest gap between kernels.
	LargestInternalPs int64
	// This and the next six add up to the length, too.
	ComputeOnlyPs int64
	// Communication while nothing computes.
	CommExposedPs int64
	// Communication while something computes.
	CommOverlappedPs int64
	// Copies alone.
	CopyPs int64
	// Other kernels alone.
	OtherPs int64
	// No kernel at all, and none that was launched without a record.
	IdlePs int64
	// Not known: work was launched that was not recorded.
	NotRecordedPs int64
	// Launches of the step without any record of a device.
	UnrecordedLaunches uint64
	// Internal gaps of any length.
	BubbleCount uint64
	// Anomalies of the step.
	Tags []string
	// Gaps long enough to be listed, before the first kernel and after the last among them.
	ReportablePs int64
}

func bubbleStepOf(row *C.pk_bubble_step) BubbleStep {
	return BubbleStep{
		int(row.file), int(row.device), int64(row.step), int64(row.step_of_device), text(row.step_id),
		int64(row.start_ps), int64(row.end_ps), int64(row.busy_ps), int64(row.prelaunch_ps), int64(row.internal_ps),
		int64(row.tail_ps), int64(row.largest_internal_ps), int64(row.compute_only_ps), int64(row.comm_exposed_ps),
		int64(row.comm_overlapped_ps), int64(row.copy_ps), int64(row.other_ps), int64(row.idle_ps),
		int64(row.not_recorded_ps), uint64(row.unrecorded_launches), uint64(row.bubble_count),
		bits(namesOf["bubble_tag"], row.tags), int64(row.reportable_ps),
	}
}

func (BubbleStep) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[BubbleStep] {
	table, err := open(C.PK_TABLE_STEPS, TableOptions{})
	return rowsOf(table, err, bubbleStepOf)
}

// Kernel: one execution of a kernel (on TPUs: of an op).
type Kernel struct {
	// Position of the file.
	File int
	// Position in devices.
	Device int
	// Hardware id; -1 where it is not on record; see HasStream.
	Stream int64
	// Stream is known.
	HasStream bool
	// As recorded.
	Name string
	// As recorded, else taken from the name.
	OpType string
	// What it counts as.
	Kind KernelKind
	// Execution unit as written; "" when the source has none.
	Core string
	// Of the table's own column; "" without one.
	StepID string
	// Capture's clock.
	StartPs int64
	// On the timeline.
	DurationPs int64
	// The source's own wait column; see HasWait.
	WaitPs int64
	// WaitPs is known.
	HasWait bool
	// When the host launched it; see HasLaunch.
	LaunchPs int64
	// LaunchPs is known.
	HasLaunch bool
	// As recorded.
	InputShapes string
	// As recorded.
	OutputShapes string
	// As recorded.
	InputTypes string
	// Innermost operator of the framework that launched it: "aten::addmm", "dot_general".
	FrameworkOp string
	// Outermost operator around that: "aten::linear".
	OuterOp string
	// Modules around the launch, from outside in: "BertModel_0/Linear_3".
	Module string
	// Marked ranges that were open at the launch, from outside in: "forward > attention".
	Range string
	// Line of code that is not the framework's: "model.py(31): forward".
	Source string
	// Of a training step: forward, recomputation, backward or optimizer.
	Phase string
	// Compiled program that it is of: "jit_f(7)".
	Program string
	// Runs on an AI CPU, whatever its kind.
	OnAICPU bool
	// The same collective was listed twice: not to be summed.
	Duplicate bool
	// An asynchronous copy from its start to its arrival, while the device does other things: not to be summed.
	InFlight bool
	// Line of a table, ordinal of a JSON event, byte offset in an XSpace.
	SourceRow uint64
}

func kernelOf(row *C.pk_kernel_row) Kernel {
	return Kernel{
		int(row.file), int(row.device), int64(row.stream), row.flags&C.PK_KERNEL_HAS_STREAM != 0, text(row.name),
		text(row.op_type), KernelKind(1 + row.kind), text(row.core), text(row.step_id), int64(row.start_ps),
		int64(row.duration_ps), int64(row.wait_ps), row.flags&C.PK_KERNEL_HAS_WAIT != 0, int64(row.launch_ps),
		row.flags&C.PK_KERNEL_HAS_LAUNCH != 0, text(row.input_shapes), text(row.output_shapes), text(row.input_types),
		text(row.framework_op), text(row.outer_op), text(row.module), text(row._range), text(row.source),
		text(row.phase), text(row.program), row.flags&C.PK_KERNEL_ON_AICPU != 0, row.flags&C.PK_KERNEL_DUPLICATE != 0,
		row.flags&C.PK_KERNEL_IN_FLIGHT != 0, uint64(row.source_row),
	}
}

func (Kernel) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Kernel] {
	table, err := open(C.PK_TABLE_KERNELS, TableOptions{})
	return rowsOf(table, err, kernelOf)
}

// Bubble: a gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
// device_time adds up what a device waited.
type Bubble struct {
	// Position of the file.
	File int
	// Position in devices.
	Device int
	// Position in steps; -1: none.
	Step int64
	// Where in a step it lies.
	Scope string
	// Capture's clock.
	StartPs int64
	// Capture's clock.
	EndPs int64
	// Host activity inside the gap; see Traced.
	HostPs int64
	// The part in synchronisation and copies; see Traced.
	SyncPs int64
	// Communication inside the gap; see Traced.
	CommPs int64
	// Sum over the host's threads; see Traced.
	ThreadsPs int64
	// HostPs, SyncPs, CommPs and ThreadsPs are known.
	Traced bool
	// When the kernel after the gap was launched, in whatever step; see HasLaunch.
	LaunchPs int64
	// LaunchPs is known.
	HasLaunch bool
	// The kernel that ended last; "": none.
	Before string
	// The kernel that starts next; "": none.
	After string
	// Its source_row in kernels.
	BeforeRow uint64
	// Its source_row in kernels.
	AfterRow uint64
	// The soft labels that its evidence meets.
	Labels []string
	// Why the device waited, as far as the capture shows.
	Cause Cause
	// Of the cause.
	Certainty Certainty
	// Longer than the threshold.
	Heavy bool
	// Touches the edge of the capture.
	AtEdge bool
	// The end of a step and the beginning of the next, which are listed as well.
	InterStep bool
}

func bubbleOf(row *C.pk_bubble) Bubble {
	return Bubble{
		int(row.file), int(row.device), int64(row.step), named("bubble_scope", int32(row.scope), "unknown"),
		int64(row.start_ps), int64(row.end_ps), int64(row.host_ps), int64(row.sync_ps), int64(row.comm_ps),
		int64(row.threads_ps), row.flags&C.PK_BUBBLE_TRACED != 0, timeOf(row.launch_ps),
		row.launch_ps != C.PK_NO_TIME_PS, text(row.before), text(row.after), uint64(row.before_row),
		uint64(row.after_row), bits(namesOf["bubble_label"], row.labels), Cause(row.cause), Certainty(row.certainty),
		row.flags&C.PK_BUBBLE_HEAVY != 0, row.flags&C.PK_BUBBLE_AT_EDGE != 0, row.flags&C.PK_BUBBLE_INTER_STEP != 0,
	}
}

func (Bubble) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Bubble] {
	table, err := open(C.PK_TABLE_GAPS, TableOptions{})
	return rowsOf(table, err, bubbleOf)
}

// GapCause: why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the
// table device_time adds up what a device waited.
type GapCause struct {
	// Position of the file.
	File int
	// Position in devices.
	Device int
	// Position in gaps.
	Gap uint64
	// Position in steps; -1: none.
	Step int64
	// What the host or the device did.
	Cause Cause
	// Of the cause.
	Certainty Certainty
	// The span of the host that names it; "": none does.
	Span string
	// How much of the gap the evidence covers.
	CoveredPs int64
	// Of the gap, capture's clock.
	StartPs int64
	// Of the gap, capture's clock.
	EndPs int64
	// The end of a step and the beginning of the next, which are listed as well.
	InterStep bool
}

func gapCauseOf(row *C.pk_cause) GapCause {
	return GapCause{
		int(row.file), int(row.device), uint64(row.gap), int64(row.step), Cause(row.cause), Certainty(row.certainty),
		text(row.span), int64(row.covered_ps), int64(row.start_ps), int64(row.end_ps),
		row.flags&C.PK_BUBBLE_INTER_STEP != 0,
	}
}

func (GapCause) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[GapCause] {
	table, err := open(C.PK_TABLE_CAUSES, TableOptions{})
	return rowsOf(table, err, gapCauseOf)
}

// Collective: totals of one communication op on one line.
type Collective struct {
	// Position of the file.
	File int
	// Position in devices; -1: ops of a host.
	Device int
	// Name of the plane.
	Plane string
	// As recorded.
	Name string
	// "all-reduce", …; of a kernel whose name spells none the library ("nccl").
	Category string
	// A kernel: other streams of its device may compute meanwhile.
	OnStream bool
	// The start or the done of an asynchronous operation.
	IsHalf bool
	// Executions.
	Count uint64
	// Of all executions.
	TotalPs int64
	// Shortest execution.
	MinPs int64
	// Longest execution.
	MaxPs int64
}

func collectiveOf(row *C.pk_collective) Collective {
	return Collective{
		int(row.file), int(row.device), text(row.plane), text(row.name), text(row.category),
		row.flags&C.PK_COLLECTIVE_ON_STREAM != 0, row.flags&C.PK_COLLECTIVE_IS_HALF != 0, uint64(row.count),
		int64(row.total_ps), int64(row.min_ps), int64(row.max_ps),
	}
}

func (Collective) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Collective] {
	table, err := open(C.PK_TABLE_COLLECTIVES, TableOptions{})
	return rowsOf(table, err, collectiveOf)
}

// Module: a compiled module.
type Module struct {
	// Position of the file.
	File int
	// Position of the plane that carries it; -1: a file of its own.
	Plane int
	// Of the event metadata entry that carries it.
	MetadataID int64
	// As the entry or the file name says.
	Name string
	// As the module itself says.
	ModuleName string
	// As the module itself says.
	ModuleID int64
	// Computations.
	ComputationCount uint64
	// Instructions of all computations.
	InstructionCount uint64
	// The *.hlo_proto.pb beside it; "" when there is none.
	SiblingPath string
	// How the two compare.
	Sibling string
	// The bytes do not parse, and the counts cover what did.
	Damaged bool
	// Size of the serialized xla.HloProto, which HloProto copies.
	HloProtoBytes int
	// Why the bytes do not parse to the end; the counts cover what did.
	Damage error
}

func moduleOf(row *C.pk_module_info, hloProtoBytes int, damage error) Module {
	return Module{
		int(row.file), int(row.plane), int64(row.metadata_id), text(row.name), text(row.module_name),
		int64(row.module_id), uint64(row.computation_count), uint64(row.instruction_count), text(row.sibling_path),
		named("sibling_state", int32(row.sibling), "unknown"), row.flags&C.PK_MODULE_DAMAGED != 0, hloProtoBytes,
		damage,
	}
}

// Allocator: an allocator of a host.
type Allocator struct {
	// Position of the file.
	File int
	// Position in devices; -1: host memory.
	Device int
	// Whose it is.
	Host string
	// XProf's key.
	Name string
	// Highest heap.
	HeapPeakBytes int64
	// Highest sum of reserved and allocated.
	OccupancyPeakBytes int64
	// When it was reached, capture's clock.
	OccupancyPeakPs int64
	// Of the memory, as the allocator counts it.
	CapacityBytes int64
	// Allocated before the capture began.
	PreTraceBytes int64
	// Of blocks that the capture did not see allocated.
	UnmatchedFrees uint64
	// The replay equals the allocator's own count after every event.
	AllocatorAgrees bool
	// The run-time part of the document is about it.
	Chosen bool
}

func allocatorOf(row *C.pk_memory_allocator) Allocator {
	return Allocator{
		int(row.file), int(row.device), text(row.host), text(row.name), int64(row.heap_peak_bytes),
		int64(row.occupancy_peak_bytes), int64(row.occupancy_peak_ps), int64(row.capacity_bytes),
		int64(row.pre_trace_bytes), uint64(row.unmatched_frees), row.flags&C.PK_ALLOCATOR_AGREES != 0,
		row.flags&C.PK_ALLOCATOR_CHOSEN != 0,
	}
}

func (Allocator) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Allocator] {
	table, err := open(C.PK_TABLE_ALLOCATORS, TableOptions{})
	return rowsOf(table, err, allocatorOf)
}

// LiveBuffer: a buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak.
type LiveBuffer struct {
	// Position of the file that carries the module.
	File int
	// -1: the allocation has no assigned buffer.
	LogicalBufferID int64
	// Of the buffer.
	SizeBytes int64
	// Of the allocation it lies in.
	AllocationIndex int64
	// In the allocation.
	OffsetBytes int64
	// Of the instruction that defines it; see HasInstruction.
	InstructionID int64
	// InstructionID is known.
	HasInstruction bool
	// Of that instruction.
	InstructionName string
	// Of that instruction.
	Opcode string
	// Framework op.
	OpName string
	// Where the instruction stands.
	ComputationName string
	// "" past the first `top` rows.
	Shape string
	// Which part of the instruction's result; none for the whole.
	ShapeIndex []int64
	// As the module says.
	SourceFile string
	// As the module says.
	SourceLine int64
	// Why it is alive.
	Residency string
}

func liveBufferOf(row *C.pk_live_buffer) LiveBuffer {
	return LiveBuffer{
		int(row.file), int64(row.logical_buffer_id), int64(row.size_bytes), int64(row.allocation_index),
		int64(row.offset_bytes), int64(row.instruction_id), row.flags&C.PK_LIVE_BUFFER_HAS_INSTRUCTION != 0,
		text(row.instruction_name), text(row.opcode), text(row.op_name), text(row.computation_name), text(row.shape),
		listOf[int64](unsafe.Pointer(row.shape_index), row.shape_index_count), text(row.source_file),
		int64(row.source_line), named("residency", int32(row.residency), "unknown"),
	}
}

func (LiveBuffer) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[LiveBuffer] {
	table, err := open(C.PK_TABLE_LIVE_BUFFERS, TableOptions{})
	return rowsOf(table, err, liveBufferOf)
}

// CurvePoint: a point of the live curve of the chosen module; of pk_memory_table() only where
// pk_memory_options::curve_points asked for it.
type CurvePoint struct {
	// Position of the file that carries the module.
	File int
	// Heap event, or schedule position of a sweep.
	Event int64
	// Alive then.
	LiveBytes int64
}

func curvePointOf(row *C.pk_curve_point) CurvePoint {
	return CurvePoint{
		int(row.file), int64(row.event), int64(row.live_bytes),
	}
}

func (CurvePoint) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[CurvePoint] {
	table, err := open(C.PK_TABLE_LIVE_CURVE, TableOptions{})
	return rowsOf(table, err, curvePointOf)
}

// Launch: a launch of a Neutrino trace's log.
type Launch struct {
	// Position of the trace folder.
	File int
	// Position in the log.
	Launch uint64
	// Name of the kernel.
	Kernel string
	// The driver's handle, "0x8209510".
	Function string
	// How it ended.
	Outcome string
	// Base name of its record file; "" without one.
	Bin string
	// Of the record file; -1: it is not there.
	BinPosition int64
	// Since 1970; see HasTime.
	TimeNs int64
	// TimeNs is known.
	HasTime bool
	// Blocks; see HasGeometry.
	Grid [3]uint32
	// Threads of a block; see HasGeometry.
	Block [3]uint32
	// Shared memory of a block; see HasGeometry.
	SharedBytes int
	// Grid, Block and SharedBytes are known.
	HasGeometry bool
	// Arguments of the kernel.
	Params []uint64
	// Taken by the probe; see HasMemory.
	ProbeMemoryBytes uint64
	// ProbeMemoryBytes is known.
	HasMemory bool
	// Before the kernel; see HasDurations.
	ProloguePs int64
	// The kernel; see HasDurations.
	KernelPs int64
	// After the kernel; see HasDurations.
	EpiloguePs int64
	// ProloguePs, KernelPs and EpiloguePs are known.
	HasDurations bool
}

func launchOf(row *C.pk_probe_launch) Launch {
	return Launch{
		int(row.file), uint64(row.launch), text(row.kernel), text(row.function),
		named("probe_outcome", int32(row.outcome), "unknown"), text(row.bin), int64(row.bin_position),
		int64(row.time_ns), row.flags&C.PK_PROBE_HAS_TIME != 0, three(row.grid), three(row.block),
		int(row.shared_bytes), row.flags&C.PK_PROBE_HAS_GEOMETRY != 0,
		listOf[uint64](unsafe.Pointer(row.params), row.params_count), uint64(row.probe_memory_bytes),
		row.flags&C.PK_PROBE_HAS_MEMORY != 0, int64(row.prologue_ps), int64(row.kernel_ps), int64(row.epilogue_ps),
		row.flags&C.PK_PROBE_HAS_DURATIONS != 0,
	}
}

func (Launch) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Launch] {
	table, err := open(C.PK_TABLE_PROBE_LAUNCHES, TableOptions{})
	return rowsOf(table, err, launchOf)
}

// DeviceTime: a part of the time of a device: what it did, and why it waited. The rows of a device that are in steps
// add up to its steps, the others to the time between its first and last kernel that is in no step.
type DeviceTime struct {
	// Position of the file.
	File int
	// Position in devices.
	Device int
	// Within a step.
	InSteps bool
	// What the device did; what runs beside compute counts as compute.
	Use string
	// Why it waited; none of gaps that are too short to list or lie at the edge of the capture; see HasCause.
	Cause Cause
	// Cause is known.
	HasCause bool
	// Of the cause; of what is on record: proved.
	Certainty Certainty
	// Listed gaps with this cause.
	Gaps uint64
	// Length.
	TimePs int64
}

func deviceTimeOf(row *C.pk_device_time) DeviceTime {
	return DeviceTime{
		int(row.file), int(row.device), row.flags&C.PK_DEVICE_TIME_IN_STEPS != 0,
		named("time_use", int32(row.use), "unknown"), Cause(row.cause), row.flags&C.PK_DEVICE_TIME_HAS_CAUSE != 0,
		Certainty(row.certainty), uint64(row.gaps), int64(row.time_ps),
	}
}

func (DeviceTime) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[DeviceTime] {
	table, err := open(C.PK_TABLE_DEVICE_TIME, TableOptions{})
	return rowsOf(table, err, deviceTimeOf)
}

// Fact: a fact of the model that ran: what it is, how sure it is, and where it comes from.
type Fact struct {
	// Position of the file of the device.
	File int
	// Position in devices; -1: of a host alone.
	Device int
	// "layers", "hidden_size"; docs/architecture-report.md lists them.
	Name string
	// "24", "true", "prefill, decode".
	Value string
	// "tokens", "parameters", "%"; "" for counts and words.
	Unit string
	// How sure it is.
	Certainty Certainty
	// What it is read from.
	Source string
	// The event, shape or name that says so.
	Evidence string
	// What other sources say; "; " between them.
	Contradictions string
}

func factOf(row *C.pk_fact) Fact {
	return Fact{
		int(row.file), int(row.device), text(row.name), text(row.value), text(row.unit), Certainty(row.certainty),
		named("fact_source", int32(row.source), "unknown"), text(row.evidence), text(row.contradictions),
	}
}

func (Fact) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Fact] {
	table, err := open(C.PK_TABLE_FACTS, TableOptions{})
	return rowsOf(table, err, factOf)
}

// CollectiveCall: a call of a collective by all members of its process group, over all nodes of the capture.
type CollectiveCall struct {
	// Position of the file of the member that came last.
	File int
	// Of the op.
	Name string
	// "all-reduce"; "" where nothing names it.
	Kind string
	// As on record; "" of everyone, or where none is on record.
	ProcessGroup string
	// Number among the calls of the op by its group.
	Call int
	// Devices that took part.
	Members int
	// Latest start - first start.
	StartGapPs int64
	// Start of who must be waited for - end of who waits; 0 or more is out of order.
	OrderGapPs int64
	// How far both clocks together can be wrong.
	BoundPs int64
	// First start to last end; -1: clocks are not known well enough.
	SpanPs int64
	// Last start to last end; -1: not known.
	MovingPs int64
	// What it moves; -1: not known, or members differ.
	PayloadBytes int64
	// What each link carries at least: over moving_ps it is the bus bandwidth.
	LinkBytes int64
	// Id of the node that began last; -1 where several did.
	LatestNode int64
	// Local number of the device that came last.
	LatestDevice int
	// It is known who waits for whom.
	Judged bool
	// Out of order beyond the bound of the clocks.
	Violates bool
}

func collectiveCallOf(row *C.pk_collective_call) CollectiveCall {
	return CollectiveCall{
		int(row.file), text(row.name), text(row.kind), text(row.process_group), int(row.call), int(row.members),
		int64(row.start_gap_ps), int64(row.order_gap_ps), int64(row.bound_ps), int64(row.span_ps),
		int64(row.moving_ps), int64(row.payload_bytes), int64(row.link_bytes), int64(row.latest_node),
		int(row.latest_device), row.flags&C.PK_CALL_JUDGED != 0, row.flags&C.PK_CALL_VIOLATES != 0,
	}
}

func (CollectiveCall) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[CollectiveCall] {
	table, err := open(C.PK_TABLE_COLLECTIVE_CALLS, TableOptions{})
	return rowsOf(table, err, collectiveCallOf)
}

// Finding: a statement about the capture, with the place that shows it: those of a report.
type Finding struct {
	// Position of the file of the evidence.
	File int
	// Position in devices; -1: the evidence is of none.
	Device int
	// "bubbles.cause.launch_bound"; the next of its kind ends in ".2".
	ID string
	// How sure it is.
	Certainty Certainty
	// Time that could be won back; -1: it is not about time.
	RecoverablePs int64
	// Memory that could be won back; -1: it is not about memory.
	RecoverableBytes int64
	// One sentence.
	What string
	// For people.
	Place string
	// Position in steps: that in which the evidence begins; -1: none.
	Step int64
	// Of that step; "": none.
	StepID string
	// Of the evidence, capture's clock; see HasStart.
	StartPs int64
	// StartPs is known.
	HasStart bool
	// Of the evidence, capture's clock; see HasEnd.
	EndPs int64
	// EndPs is known.
	HasEnd bool
	// What stands there; of further places "; " between them.
	Evidence string
	// What to do or look at next.
	Next string
}

func findingOf(row *C.pk_finding) Finding {
	return Finding{
		int(row.file), int(row.device), text(row.id), Certainty(row.certainty), int64(row.recoverable_ps),
		int64(row.recoverable_bytes), text(row.what), text(row.place), int64(row.step), text(row.step_id),
		timeOf(row.start_ps), row.start_ps != C.PK_NO_TIME_PS, timeOf(row.end_ps), row.end_ps != C.PK_NO_TIME_PS,
		text(row.evidence), text(row.next),
	}
}

func (Finding) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[Finding] {
	table, err := open(C.PK_TABLE_FINDINGS, TableOptions{})
	return rowsOf(table, err, findingOf)
}

// OpGroup: time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key
// that lie in no other add up to its busy time.
type OpGroup struct {
	// Position of the file.
	File int
	// Position in devices; -1: ops of a host.
	Device int
	// What they have in common: op, outer-op, module, module-kind, range, source, phase, kind, category or program.
	By string
	// Position of the row that it lies in; -1: none.
	Parent int64
	// How many rows it lies in.
	Depth int
	// "": ops of which that is not recorded.
	Name string
	// Executions.
	Count uint64
	// With what lies in rows below.
	SelfPs int64
	// Summed durations.
	TotalPs int64
	// Of self_ps, what lies in no row below.
	OwnPs int64
	// Of self_ps, that of ops of which it is known what they do.
	WorkedPs int64
	// Floating-point operations that these ops do; flop.
	Flops int64
	// What they move from and to memory; bytes.
	Bytes int64
	// What ops of known work would take at least at the rates of their device.
	AttainablePs int64
	// Self time of ops that reach 60 % of the rate for their operations.
	ComputeBoundPs int64
	// Self time of ops that reach 60 % of the rate of the memory that their bytes are in.
	MemoryBoundPs int64
	// Self time of other ops of known work.
	NeitherBoundPs int64
}

func opGroupOf(row *C.pk_op_group) OpGroup {
	return OpGroup{
		int(row.file), int(row.device), named("group_key", int32(row.by), "unknown"), int64(row.parent),
		int(row.depth), text(row.name), uint64(row.count), int64(row.self_ps), int64(row.total_ps), int64(row.own_ps),
		int64(row.worked_ps), int64(row.flops), int64(row.bytes), int64(row.attainable_ps),
		int64(row.compute_bound_ps), int64(row.memory_bound_ps), int64(row.neither_bound_ps),
	}
}

func (OpGroup) rows(open func(TableKind, TableOptions) (*Table, error)) *Rows[OpGroup] {
	table, err := open(C.PK_TABLE_OP_GROUPS, TableOptions{})
	return rowsOf(table, err, opGroupOf)
}

// Run: a run below a parent of runs, newest first.
type Run struct {
	// Folder name.
	Name string
	// Of the folder.
	Path string
	// The profile holds this run's files.
	Chosen bool
}

func runOf(row *C.pk_run_info) Run {
	return Run{
		text(row.name), text(row.path), row.chosen != 0,
	}
}

// PlaneInfo: a plane of an XSpace.
type PlaneInfo struct {
	// As written; not unique.
	ID int64
	// "/device:TPU:0".
	Name string
	// What it stands for.
	Kind PlaneKind
	// N of "/device:TPU:N"; -1: none.
	DeviceOrdinal int
	// Lines.
	LineCount int
	// Facts of the plane itself.
	StatCount int
	// Entries as written: one that a later one replaces counts, too.
	EventMetadataCount uint64
	// Names of stats, as written.
	StatMetadataCount uint64
}

func planeInfoOf(row *C.pk_plane_info) PlaneInfo {
	return PlaneInfo{
		int64(row.id), text(row.name), PlaneKind(row.kind), int(row.device_ordinal), int(row.line_count),
		int(row.stat_count), uint64(row.event_metadata_count), uint64(row.stat_metadata_count),
	}
}

// LineInfo: what stands before a line's events: cheap to get.
type LineInfo struct {
	// As written; not unique, and negative on lines derived from a GPU's.
	ID int64
	// The name, else the display name where it is known.
	Name string
	// As written: relative to the file's origin, or since 1970.
	TimestampNs int64
	// The same instant on the capture's clock: event offsets count from here; see HasStart.
	StartPs int64
	// StartPs is known.
	HasStart bool
	// What its events mean.
	Kind LineKind
}

func lineInfoOf(row *C.pk_line_info) LineInfo {
	return LineInfo{
		int64(row.id), text(row.name), int64(row.timestamp_ns), int64(row.start_ps),
		row.flags&C.PK_LINE_HAS_START != 0, LineKind(row.kind),
	}
}

// LineSummary: what is known only after a pass over a whole line.
type LineSummary struct {
	// Those before damage, if there is any.
	EventCount uint64
	// As written.
	DisplayID int64
	// As written.
	DisplayName string
	// As written; 0 in every real file seen.
	DurationPs int64
}

func lineSummaryOf(row *C.pk_line_summary) LineSummary {
	return LineSummary{
		uint64(row.event_count), int64(row.display_id), text(row.display_name), int64(row.duration_ps),
	}
}

// EventMetadata: what the events with one id share.
type EventMetadata struct {
	// The key that events name it by.
	ID int64
	// Of the events.
	Name string
	// Shorter; "" when there is none.
	DisplayName string
	// Opaque bytes of the recorder.
	Metadata []byte
	// Entries that it names as its children.
	ChildCount uint64
}

func eventMetadataOf(row *C.pk_event_metadata) EventMetadata {
	return EventMetadata{
		int64(row.id), text(row.name), text(row.display_name), []byte(text(row.metadata)), uint64(row.child_count),
	}
}

// StatMetadata: what a stat id means.
type StatMetadata struct {
	// The key that stats name it by.
	ID int64
	// Of the stat.
	Name string
	// As written.
	Description string
}

func statMetadataOf(row *C.pk_stat_metadata) StatMetadata {
	return StatMetadata{
		int64(row.id), text(row.name), text(row.description),
	}
}

// ChromeEvent: one event of a trace-event JSON file. Text has its escapes undone.
type ChromeEvent struct {
	// As recorded.
	Name string
	// As recorded.
	Category string
	// Of asynchronous and flow events.
	ID string
	// A number or a string, as written.
	Pid string
	// A number or a string, as written.
	Tid string
	// JSON text of the args object, as written; "" when there is none.
	Args string
	// Relative to zero_us of the summary; never of M events; see HasStart.
	StartPs int64
	// StartPs is known.
	HasStart bool
	// As recorded; see HasDuration.
	DurationPs int64
	// DurationPs is known.
	HasDuration bool
	// Of the event in the decoded file.
	ByteOffset uint64
	// 'X', 'B', 'M', …; 0 when it is not one character.
	Phase rune
}

func chromeEventOf(row *C.pk_chrome_event) ChromeEvent {
	return ChromeEvent{
		text(row.name), text(row.category), text(row.id), text(row.pid), text(row.tid), text(row.args),
		int64(row.start_ps), row.flags&C.PK_CHROME_HAS_START != 0, int64(row.duration_ps),
		row.flags&C.PK_CHROME_HAS_DURATION != 0, uint64(row.byte_offset), rune(row.phase),
	}
}

// ChromeSummary: what a trace-event JSON file was like, as far as it was read.
type ChromeSummary struct {
	// Events.
	EventCount uint64
	// Stretches of text that are no event.
	BrokenCount uint64
	// Events whose ts or dur is no number or out of range.
	UnusableTimeCount uint64
	// What 0 of start_ps is on the file's own clock: 0, or whole seconds.
	ZeroUs int64
}

func chromeSummaryOf(row *C.pk_chrome_summary) ChromeSummary {
	return ChromeSummary{
		uint64(row.event_count), uint64(row.broken_count), uint64(row.unusable_time_count), int64(row.zero_us),
	}
}

// Device: a device of one rank, process or file.
type Device struct {
	// As recorded.
	Name string
	// Its number on its machine; -1: not recorded.
	Ordinal int64
	// Kernels.
	KernelCount uint64
	// Of its times.
	TimestampResolutionPs int64
	// Position of the file.
	File int
	// Position of its plane in an XSpace; -1 in other files.
	Plane int
	// Rank in a distributed run; -1: not recorded.
	Rank int
	// Devices of one host have the same.
	HostGroup int
	// What it is.
	Accelerator Accelerator
	// Its source tells of waits.
	HasWaits bool
	// Its source tells of shapes.
	HasShapes bool
	// Its source tells the execution unit; else classes follow from names.
	HasClasses bool
	// Its source tells of launches.
	HasLaunches bool
}

func deviceOf(row *C.pk_activity_device) Device {
	return Device{
		text(row.name), int64(row.ordinal), uint64(row.kernel_count), int64(row.timestamp_resolution_ps),
		int(row.file), int(row.plane), int(row.rank), int(row.host_group), Accelerator(row.accelerator),
		row.flags&C.PK_DEVICE_HAS_WAITS != 0, row.flags&C.PK_DEVICE_HAS_SHAPES != 0,
		row.flags&C.PK_DEVICE_HAS_CLASSES != 0, row.flags&C.PK_DEVICE_HAS_LAUNCHES != 0,
	}
}

// MemoryModule: a compiled module and its memory.
type MemoryModule struct {
	// As the module says.
	Name string
	// Name and program id: "jit_f(12)".
	Label string
	// Decimal, as the capture writes it.
	ProgramID string
	// Path of the first place it was found in.
	Source string
	// Places it was found in.
	SourceCount uint64
	// Memory spaces; 0 without a buffer assignment.
	SpaceCount uint64
	// The document says which.
	ProblemCount uint64
	// The bytes do not parse to the end.
	Damaged bool
	// The live buffers and the curve are of this module.
	Chosen bool
}

func memoryModuleOf(row *C.pk_memory_module) MemoryModule {
	return MemoryModule{
		text(row.name), text(row.label), text(row.program_id), text(row.source), uint64(row.source_count),
		uint64(row.space_count), uint64(row.problem_count), row.damaged != 0, row.chosen != 0,
	}
}

// MemorySpace: one memory space of a module.
type MemorySpace struct {
	// Which one.
	Color int64
	// Allocations without thread-local ones: XProf's total.
	TotalBytes int64
	// Indefinite bytes, and the peak of temporary memory.
	PeakBytes int64
	// Heap event, or schedule position of a sweep; -1: none.
	PeakEvent int64
	// Parameters, constants and results.
	IndefiniteBytes int64
	// Temporary allocations.
	TempBytes int64
	// Peak of temporary memory.
	TempPeakBytes int64
	// Not in total_bytes.
	ThreadLocalBytes int64
	// Temporary allocations that the peak looks at, minus the peak in them.
	FragmentationBytes int64
	// In use at every moment.
	ResidencyFloorBytes int64
	// Where the peak is reached.
	PeakInstruction string
	// What the peak counts and what it does not.
	Coverage string
	// How the peak was found.
	Method string
	// Whether the peak is exact, or what bounds it.
	Bound string
}

func memorySpaceOf(row *C.pk_memory_space) MemorySpace {
	return MemorySpace{
		int64(row.color), int64(row.total_bytes), int64(row.peak_bytes), int64(row.peak_event),
		int64(row.indefinite_bytes), int64(row.temp_bytes), int64(row.temp_peak_bytes), int64(row.thread_local_bytes),
		int64(row.fragmentation_bytes), int64(row.residency_floor_bytes), text(row.peak_instruction),
		text(row.coverage), named("peak_method", int32(row.method), "unknown"),
		named("peak_bound", int32(row.bound), "unknown"),
	}
}

// ExportOutcome: what was written, and what was not.
type ExportOutcome struct {
	// Absent when nothing has events, partial when some input is damaged.
	Status DocumentStatus
	// Tracks.
	Tracks uint64
	// Further tracks, for events that overlap others of their line.
	Lanes uint64
	// Slices, instants and rows.
	Events uint64
	// Counter values.
	Counters uint64
	// Ends of flows.
	Flows uint64
	// Events without a place in time.
	AggregatedLeftOut uint64
	// Events more than 106 days from the origin.
	OutOfReach uint64
	// Events that still overlap others.
	Crowded uint64
}

func exportOutcomeOf(row *C.pk_trace_outcome) ExportOutcome {
	return ExportOutcome{
		DocumentStatus(row.status), uint64(row.tracks), uint64(row.lanes), uint64(row.events), uint64(row.counters),
		uint64(row.flows), uint64(row.aggregated_left_out), uint64(row.out_of_reach), uint64(row.crowded),
	}
}

// ValidationSummary: whether the collectives of several nodes happened in a possible order.
type ValidationSummary struct {
	// Absent when nothing could be compared.
	Status DocumentStatus
	// Nodes.
	NodeCount int
	// Invocations compared.
	GroupCount uint64
	// Beyond the error of the clocks.
	Violations uint64
	// Whatever the error of the clocks.
	ViolationsRaw uint64
	// Pairs of nodes of which one ended before the other began.
	PairViolations uint64
	// Invocations in order.
	Overlaps uint64
	// Who waits for whom, or who takes part, is unknown.
	Unjudged uint64
	// The document says which.
	Warnings uint64
	// Nodes whose offset is known less well than max_bound_ps, or not at all.
	Undecidable uint64
	// Times are of corrected clocks.
	ClocksCorrected bool
	// Of every node it is known how wrong its clock can be.
	BoundsKnown bool
}

func validationSummaryOf(row *C.pk_validation_summary) ValidationSummary {
	return ValidationSummary{
		DocumentStatus(row.status), int(row.node_count), uint64(row.group_count), uint64(row.violations),
		uint64(row.violations_raw), uint64(row.pair_violations), uint64(row.overlaps), uint64(row.unjudged),
		uint64(row.warnings), uint64(row.undecidable), row.clocks_corrected != 0, row.bounds_known != 0,
	}
}

// ClockInterval: what collectives alone say of a node's clock against the first node's: its time less the first
// node's is offset + drift * (t - pivot).
type ClockInterval struct {
	// The node.
	NodeID int64
	// Where the offsets hold.
	PivotPs int64
	// No less.
	LeastOffsetPs int64
	// No more.
	MostOffsetPs int64
	// The best guess.
	PointOffsetPs int64
	// No less.
	LeastDriftPpm float64
	// No more.
	MostDriftPpm float64
	// The best guess.
	PointDriftPpm float64
	// Collectives that both nodes took part in.
	Constraints uint64
	// Known to max_bound_ps.
	Decidable bool
	// 0: the collectives contradict one another, or none joins this node.
	Feasible bool
}

func clockIntervalOf(row *C.pk_clock_interval) ClockInterval {
	return ClockInterval{
		int64(row.node_id), int64(row.pivot_ps), int64(row.least_offset_ps), int64(row.most_offset_ps),
		int64(row.point_offset_ps), float64(row.least_drift_ppm), float64(row.most_drift_ppm),
		float64(row.point_drift_ppm), uint64(row.constraints), row.decidable != 0, row.feasible != 0,
	}
}

// RecordFile: a record file of a Neutrino trace.
type RecordFile struct {
	// Base name.
	Name string
	// Where it is.
	Path string
	// Its size.
	Bytes uint64
	// From the driver's start to the end of the launch; -1: not in the name.
	ElapsedUs int64
	// Position of its launch in the log; -1: no launch of the log names it.
	Launch int64
	// 0 when the file is damaged.
	MapCount int
	// Shared memory of a block.
	SharedBytes int
	// Blocks.
	Grid [3]uint32
	// Threads of a block.
	Block [3]uint32
	// Why the file is damaged; none when it is sound.
	Damage error
}

func recordFileOf(row *C.pk_probe_bin, damage error) RecordFile {
	return RecordFile{
		text(row.name), text(row.path), uint64(row.bytes), int64(row.elapsed_us), int64(row.launch),
		int(row.map_count), int(row.shared_bytes), three(row.grid), three(row.block), damage,
	}
}

// RecordField: one field of a map's records, in the order of memory: unsigned, little endian.
type RecordField struct {
	// As the probe calls it.
	Name string
	// 8 or 4.
	Bytes int
	// In the record.
	Offset int
	// Place in the probe's description.
	Declared int
}

func recordFieldOf(row *C.pk_probe_field) RecordField {
	return RecordField{
		text(row.name), int(row.bytes), int(row.offset), int(row.declared),
	}
}

// RecordMap: one map of a record file.
type RecordMap struct {
	// As the probe calls it.
	Name string
	// Who has a slot of its own.
	Level string
	// Size of a record.
	RecordBytes int
	// Size of a lane.
	LaneBytes uint64
	// Records a lane has room for.
	Capacity uint64
	// Of the region in the file.
	Offset uint64
	// Size of the region.
	Bytes uint64
	// What the file has of it.
	PresentBytes uint64
	// Of the region, as the file's own table says.
	RecordedOffset uint64
	// Lanes of a block.
	LanesPerBlock uint64
	// That the file holds.
	Lanes uint64
	// What is doubtful.
	Flags []string
	// What a record holds, in the order of memory.
	Fields []RecordField
}

func recordMapOf(row *C.pk_probe_map, flags []string, fields []RecordField) RecordMap {
	return RecordMap{
		text(row.name), named("probe_level", int32(row.level), "unknown"), int(row.record_bytes),
		uint64(row.lane_bytes), uint64(row.capacity), uint64(row.offset), uint64(row.bytes),
		uint64(row.present_bytes), uint64(row.recorded_offset), uint64(row.lanes_per_block), uint64(row.lanes), flags,
		fields,
	}
}

// MergeNode: one node of a merge.
type MergeNode struct {
	// Its number.
	ID int64
	// Of its machine.
	Hostname string
	// Its trace.
	Trace string
	// Events of it.
	Events uint64
	// Planes of it.
	Planes uint64
	// Moved so that a line does not go back.
	ClampedEvents uint64
	// Pairs of its clocks.
	Snapshots uint64
	// Measured offsets against the reference node.
	OffsetWindows uint64
	// Wall clock of the node minus corrected time, largest by magnitude.
	MaxCorrectionPs int64
	// Rms of the corrected snapshots about a straight line.
	ResidualPs int64
	// How wrong times of the tracer can be at most; -1: unknown.
	TracerBoundPs int64
	// How wrong times of the host can be at most; -1: unknown.
	HostBoundPs int64
	// How its clock was corrected.
	Status string
	// Out of a trace that was merged before.
	AlignedBefore bool
}

func mergeNodeOf(row *C.pk_merge_node) MergeNode {
	return MergeNode{
		int64(row.id), text(row.hostname), text(row.trace), uint64(row.events), uint64(row.planes),
		uint64(row.clamped_events), uint64(row.snapshots), uint64(row.offset_windows), int64(row.max_correction_ps),
		int64(row.residual_ps), int64(row.tracer_bound_ps), int64(row.host_bound_ps),
		named("node_status", int32(row.status), "unknown"), row.aligned_before != 0,
	}
}

// PushedPlane: a plane as far as it is known when its first line begins: writers put id and name first.
type PushedPlane struct {
	// Its position in the capture.
	Plane int
	// 0 while none came.
	ID int64
	// "" while none came.
	Name string
}

func pushedPlaneOf(row *C.pk_pushed_plane) PushedPlane {
	return PushedPlane{
		int(row.plane), int64(row.id), text(row.name),
	}
}

// PushedLine: a line. Before its first event it has what stands before that event, whatever the pieces; line_end has
// all of it. Writers put id, name and timestamp first, but need not.
type PushedLine struct {
	// Position in the capture.
	Plane int
	// Position in the plane.
	Line int
	// As written.
	ID int64
	// As written.
	DisplayID int64
	// As written.
	Name string
	// As written.
	DisplayName string
	// What the offsets of its events count from: since 1970, or since the profile's start.
	TimestampNs int64
	// 0 in files seen so far.
	DurationPs int64
	// Events that were handed on so far.
	EventCount uint64
	// Of line_end: id, name or timestamp_ns stood after events and are not what line_begin had.
	WasChanged bool
}

func pushedLineOf(row *C.pk_pushed_line) PushedLine {
	return PushedLine{
		int(row.plane), int(row.line), int64(row.id), int64(row.display_id), text(row.name), text(row.display_name),
		int64(row.timestamp_ns), int64(row.duration_ps), uint64(row.event_count),
		row.flags&C.PK_PUSHED_LINE_CHANGED != 0,
	}
}

// Column: a column of a table.
type Column struct {
	// By which its values are asked for.
	Name string
	// "ps", "bytes", …; "" without.
	Unit string
	// One sentence.
	Meaning string
	// What its values are.
	Type ColumnType
}

func columnOf(row *C.pk_column) Column {
	return Column{
		text(row.name), text(row.unit), text(row.meaning), ColumnType(row._type),
	}
}

// end of rows
