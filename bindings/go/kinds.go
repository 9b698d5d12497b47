package profkit

// #include <profkit/profkit.h>
import "C"

// KernelKind is what a kernel counts as.
type KernelKind int32

// The kinds of kernels. KernelByName is of a TraceBuilder alone: what the name says.
const (
	KernelByName  KernelKind = 0
	KernelCompute KernelKind = 1 + C.PK_KERNEL_COMPUTE
	KernelAICPU   KernelKind = 1 + C.PK_KERNEL_AICPU
	KernelComm    KernelKind = 1 + C.PK_KERNEL_COMM
	KernelCopy    KernelKind = 1 + C.PK_KERNEL_COPY
	KernelOther   KernelKind = 1 + C.PK_KERNEL_OTHER
)

// String is as documents spell it: "compute", "comm", …
func (k KernelKind) String() string {
	if k == KernelByName {
		return "by_name"
	}
	return named("kernel_class", int32(k)-1, "unknown")
}

// MarshalText gives the same.
func (k KernelKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// named is what documents call a value; other where a later library has it.
func named(enum string, value int32, other string) string {
	if names := namesOf[enum]; value >= 0 && int(value) < len(names) {
		return names[value]
	}
	return other
}

// kinds: written by scripts/generate

// Accelerator: what a device is. On GPUs the host's step windows lie far from the kernels that they launched.
type Accelerator int32

// Values of Accelerator.
const (
	// none of these
	AcceleratorOther Accelerator = C.PK_ACCELERATOR_OTHER
	// a TPU
	AcceleratorTPU Accelerator = C.PK_ACCELERATOR_TPU
	// a GPU
	AcceleratorGPU Accelerator = C.PK_ACCELERATOR_GPU
	// an NPU
	AcceleratorNPU Accelerator = C.PK_ACCELERATOR_NPU
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k Accelerator) String() string { return named("accelerator", int32(k), "unknown") }

// MarshalText gives what String does.
func (k Accelerator) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LaunchKind: what a span with a correlation gave to a device. Where no kernel has its number, it is known that the
// device did something that was not recorded.
type LaunchKind int32

// Values of LaunchKind.
const (
	// as its name says, of calls of CUDA, HIP and CANN
	LaunchByName LaunchKind = C.PK_LAUNCH_BY_NAME
	LaunchKernel LaunchKind = C.PK_LAUNCH_KERNEL
	LaunchCopy   LaunchKind = C.PK_LAUNCH_COPY
	// many kernels
	LaunchGraph LaunchKind = C.PK_LAUNCH_GRAPH
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k LaunchKind) String() string { return named("launch_kind", int32(k), "unknown") }

// MarshalText gives what String does.
func (k LaunchKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// SpanKind: what a span of a host is.
type SpanKind int32

// Values of SpanKind.
const (
	// an operator of a framework
	SpanOp SpanKind = C.PK_SPAN_OP
	// a call of the runtime or driver of a device
	SpanRuntime SpanKind = C.PK_SPAN_RUNTIME
	// python_function
	SpanFrame      SpanKind = C.PK_SPAN_FRAME
	SpanAnnotation SpanKind = C.PK_SPAN_ANNOTATION
	// garbage collection
	SpanGC    SpanKind = C.PK_SPAN_GC
	SpanOther SpanKind = C.PK_SPAN_OTHER
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k SpanKind) String() string { return named("host_span_kind", int32(k), "unknown") }

// MarshalText gives what String does.
func (k SpanKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// WindowPolicy: where a step begins and ends. WHOLE: from its mark, or from its first kernel where the device is
// still busy with earlier work, to the next step; the last one to the end of its mark or of its last kernel. GUIDE:
// from its mark or first kernel to those of the next step; the last one to the end of the last kernel. MARKER: its
// own mark. DEVICE: its first to its last kernel.
type WindowPolicy int32

// Values of WindowPolicy.
const (
	WindowWhole  WindowPolicy = C.PK_WINDOW_POLICY_WHOLE
	WindowMarker WindowPolicy = C.PK_WINDOW_POLICY_MARKER
	WindowDevice WindowPolicy = C.PK_WINDOW_POLICY_DEVICE
	WindowGuide  WindowPolicy = C.PK_WINDOW_POLICY_GUIDE
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k WindowPolicy) String() string { return named("window_policy", int32(k), "unknown") }

// MarshalText gives what String does.
func (k WindowPolicy) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Cause: why a device waits, as far as the capture shows; what each needs is in docs/bubbles.md. Work comes late from
// the host for the first ones, then the device or a lock holds it up, then nothing is known.
type Cause int32

// Values of Cause.
const (
	// the launching thread is busy with ops of a framework
	CauseLaunchBound Cause = C.PK_CAUSE_LAUNCH_BOUND
	// the same within the update of the parameters
	CauseOptimizerLoop Cause = C.PK_CAUSE_OPTIMIZER_LOOP
	// it stands in a wait for a stream, an event or the device, or in a copy that waits
	CauseSyncWait Cause = C.PK_CAUSE_SYNC_WAIT
	// a wait emptied the queue before the gap
	CauseSyncDrain Cause = C.PK_CAUSE_SYNC_DRAIN
	// it stands in a copy from pageable memory
	CauseH2DPageable Cause = C.PK_CAUSE_H2D_PAGEABLE
	// it waits for the next batch
	CauseDataLoader Cause = C.PK_CAUSE_DATA_LOADER
	// Python collects garbage
	CauseGC Cause = C.PK_CAUSE_GC
	// the allocator asks the driver
	CauseAllocation Cause = C.PK_CAUSE_ALLOCATION
	// something is compiled
	CauseCompile Cause = C.PK_CAUSE_COMPILE
	// code is loaded to the device
	CauseModuleLoad Cause = C.PK_CAUSE_MODULE_LOAD
	// the state is saved
	CauseCheckpoint Cause = C.PK_CAUSE_CHECKPOINT
	// it stands in a call of a collective
	CauseCommHostWait Cause = C.PK_CAUSE_COMM_HOST_WAIT
	// the work was launched in time: the device waited for something else
	CauseDeviceDependency Cause = C.PK_CAUSE_DEVICE_DEPENDENCY
	// it waits for a lock
	CauseLock Cause = C.PK_CAUSE_LOCK
	// nothing of it is on record
	CauseHostUntraced Cause = C.PK_CAUSE_HOST_UNTRACED
	// little is on record, and none of it says why
	CauseUnexplained Cause = C.PK_CAUSE_UNEXPLAINED
	// no gap: the device only communicates
	CauseExposedComm Cause = C.PK_CAUSE_EXPOSED_COMM
	// no gap: the device only copies
	CauseExposedCopy Cause = C.PK_CAUSE_EXPOSED_COPY
	// the launching thread is busy, and what it launches at last is a whole graph
	CauseGraphLaunchLate Cause = C.PK_CAUSE_GRAPH_LAUNCH_LATE
	// no gap: ranks stand in a collective until the last one comes
	CauseStragglerWait Cause = C.PK_CAUSE_STRAGGLER_WAIT
	// the profiler itself holds the program up
	CauseRecording Cause = C.PK_CAUSE_RECORDING
	// the launching thread stands in one call, of which it is not known what it does
	CauseHostCall Cause = C.PK_CAUSE_HOST_CALL
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k Cause) String() string { return named("idle_cause", int32(k), "unknown") }

// MarshalText gives what String does.
func (k Cause) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ClockDomain: which clock stamped an instant.
type ClockDomain int32

// Values of ClockDomain.
const (
	ClockTracer ClockDomain = C.PK_CLOCK_TRACER
	ClockHost   ClockDomain = C.PK_CLOCK_HOST
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k ClockDomain) String() string { return named("clock_domain", int32(k), "unknown") }

// MarshalText gives what String does.
func (k ClockDomain) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Document: the JSON documents, byte for byte those of `profkit <command> --json`.
type Document int32

// Values of Document.
const (
	DocumentReport       Document = C.PK_DOCUMENT_REPORT
	DocumentInfo         Document = C.PK_DOCUMENT_INFO
	DocumentTree         Document = C.PK_DOCUMENT_TREE
	DocumentMetadata     Document = C.PK_DOCUMENT_METADATA
	DocumentSteps        Document = C.PK_DOCUMENT_STEPS
	DocumentOps          Document = C.PK_DOCUMENT_OPS
	DocumentModules      Document = C.PK_DOCUMENT_MODULES
	DocumentFramework    Document = C.PK_DOCUMENT_FRAMEWORK
	DocumentCollectives  Document = C.PK_DOCUMENT_COLLECTIVES
	DocumentMemory       Document = C.PK_DOCUMENT_MEMORY
	DocumentBubbles      Document = C.PK_DOCUMENT_BUBBLES
	DocumentArchitecture Document = C.PK_DOCUMENT_ARCHITECTURE
	DocumentNeutrino     Document = C.PK_DOCUMENT_NEUTRINO
	// Of a report what matters most, in 16 KB, with the commands for more.
	DocumentBrief Document = C.PK_DOCUMENT_BRIEF
	// Ops summed by operator, or by what pk_document_options::of says.
	DocumentOpGroups Document = C.PK_DOCUMENT_OP_GROUPS
	// The findings of a report with their ids; of one of them: pk_document_options::of.
	DocumentExplain Document = C.PK_DOCUMENT_EXPLAIN
)

// DocumentStatus: how a document ended, which decides the command's exit code.
type DocumentStatus int32

// Values of DocumentStatus.
const (
	// all is well
	StatusOK DocumentStatus = C.PK_DOCUMENT_STATUS_OK
	// some input was damaged; what was intact is shown
	StatusPartial DocumentStatus = C.PK_DOCUMENT_STATUS_PARTIAL
	// the capture has nothing of this kind; `reason` says why
	StatusAbsent DocumentStatus = C.PK_DOCUMENT_STATUS_ABSENT
	// nothing usable
	StatusError DocumentStatus = C.PK_DOCUMENT_STATUS_ERROR
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k DocumentStatus) String() string { return named("document_status", int32(k), "unknown") }

// MarshalText gives what String does.
func (k DocumentStatus) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// DumpFormat: how a message is written.
type DumpFormat int32

// Values of DumpFormat.
const (
	// one document, as `profkit dump --json` writes it
	DumpJSON DumpFormat = C.PK_DUMP_JSON
	// protobuf's text format, with remarks after '#'
	DumpText DumpFormat = C.PK_DUMP_TEXT
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k DumpFormat) String() string { return named("dump_format", int32(k), "unknown") }

// MarshalText gives what String does.
func (k DumpFormat) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Certainty: how sure a statement is. proved: arithmetic on the capture, or evidence that allows nothing else; what
// each cause needs is in docs/bubbles.md. likely: most of the evidence points there. possible: it fits, and so may
// others. unknown: nothing on record says.
type Certainty int32

// Values of Certainty.
const (
	// nothing on record says why
	CertaintyUnknown Certainty = C.PK_CERTAINTY_UNKNOWN
	// it fits, and so may others
	CertaintyPossible Certainty = C.PK_CERTAINTY_POSSIBLE
	// most of the evidence points there
	CertaintyLikely Certainty = C.PK_CERTAINTY_LIKELY
	// the evidence allows nothing else
	CertaintyProved Certainty = C.PK_CERTAINTY_PROVED
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k Certainty) String() string { return named("certainty", int32(k), "unknown") }

// MarshalText gives what String does.
func (k Certainty) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogLevel: levels of pk_hooks::log.
type LogLevel int32

// Values of LogLevel.
const (
	// worth knowing
	LogInfo LogLevel = C.PK_LOG_INFO
	// something is left out
	LogWarning LogLevel = C.PK_LOG_WARNING
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k LogLevel) String() string { return named("log_level", int32(k), "unknown") }

// MarshalText gives what String does.
func (k LogLevel) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// StepPolicy: which step window the run-time part is about.
type StepPolicy int32

// Values of StepPolicy.
const (
	StepOfPeak StepPolicy = C.PK_STEP_POLICY_PEAK
	StepLast   StepPolicy = C.PK_STEP_POLICY_LAST
	StepFirst  StepPolicy = C.PK_STEP_POLICY_FIRST
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k StepPolicy) String() string { return named("step_policy", int32(k), "unknown") }

// MarshalText gives what String does.
func (k StepPolicy) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// PlaneNames: how planes are named. seed: /device:GPU:<64 node + k>, hosts of nodes above 0 as /device:GPU:<10000
// node>; rocm: the numbers of the reference tool (100 + 64 node + k); node: /node:<n>/device:GPU:<k> and
// /node:<n>/host_threads.
type PlaneNames int32

// Values of PlaneNames.
const (
	PlanesSeed PlaneNames = C.PK_PLANES_SEED
	PlanesRocm PlaneNames = C.PK_PLANES_ROCM
	PlanesNode PlaneNames = C.PK_PLANES_NODE
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k PlaneNames) String() string { return named("plane_scheme", int32(k), "unknown") }

// MarshalText gives what String does.
func (k PlaneNames) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Correction: clock: by snapshots and offsets. walltime: by the start of each node's collector. none: times as they
// are in the files.
type Correction int32

// Values of Correction.
const (
	CorrectionClock    Correction = C.PK_CORRECTION_CLOCK
	CorrectionWalltime Correction = C.PK_CORRECTION_WALLTIME
	CorrectionNone     Correction = C.PK_CORRECTION_NONE
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k Correction) String() string { return named("merge_correction", int32(k), "unknown") }

// MarshalText gives what String does.
func (k Correction) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MergedFormat: what is written. xspace: of XSpaces. trace_json: of trace JSON (PyTorch, Ascend); the events of a
// node stand together.
type MergedFormat int32

// Values of MergedFormat.
const (
	MergedXSpace    MergedFormat = C.PK_MERGED_XSPACE
	MergedTraceJSON MergedFormat = C.PK_MERGED_TRACE_JSON
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k MergedFormat) String() string { return named("merged_format", int32(k), "unknown") }

// MarshalText gives what String does.
func (k MergedFormat) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Zero: which instant becomes 0: the start of the reference node, or the earliest event when one lies before it
// (AUTO); the earliest event; the start of the reference node; none, with absolute line times.
type Zero int32

// Values of Zero.
const (
	ZeroAuto      Zero = C.PK_ZERO_AUTO
	ZeroEarliest  Zero = C.PK_ZERO_EARLIEST
	ZeroReference Zero = C.PK_ZERO_REFERENCE
	ZeroNone      Zero = C.PK_ZERO_NONE
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k Zero) String() string { return named("merge_zero", int32(k), "unknown") }

// MarshalText gives what String does.
func (k Zero) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ProbeSlice: the parts of the document `neutrino`.
type ProbeSlice int32

// Values of ProbeSlice.
const (
	// launches, kernels, maps and overhead in one
	ProbeSummary  ProbeSlice = C.PK_PROBE_SLICE_SUMMARY
	ProbeLaunches ProbeSlice = C.PK_PROBE_SLICE_LAUNCHES
	ProbeKernels  ProbeSlice = C.PK_PROBE_SLICE_KERNELS
	ProbeMaps     ProbeSlice = C.PK_PROBE_SLICE_MAPS
	ProbeRecords  ProbeSlice = C.PK_PROBE_SLICE_RECORDS
	ProbeSchedule ProbeSlice = C.PK_PROBE_SLICE_SCHEDULE
	ProbeBytes    ProbeSlice = C.PK_PROBE_SLICE_BYTES
	ProbeDensity  ProbeSlice = C.PK_PROBE_SLICE_DENSITY
	ProbeProgress ProbeSlice = C.PK_PROBE_SLICE_PROGRESS
	ProbeOverhead ProbeSlice = C.PK_PROBE_SLICE_OVERHEAD
	ProbeLog      ProbeSlice = C.PK_PROBE_SLICE_LOG
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k ProbeSlice) String() string { return named("probe_slice", int32(k), "unknown") }

// MarshalText gives what String does.
func (k ProbeSlice) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ProbeFormat: how a slice is written.
type ProbeFormat int32

// Values of ProbeFormat.
const (
	// a document
	ProbeJSON ProbeFormat = C.PK_PROBE_JSON
	// a heading and a row an item (RFC 4180), of any slice but the summary
	ProbeCSV ProbeFormat = C.PK_PROBE_CSV
	// a picture for a browser, of schedule and density
	ProbeSVG ProbeFormat = C.PK_PROBE_SVG
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k ProbeFormat) String() string { return named("probe_format", int32(k), "unknown") }

// MarshalText gives what String does.
func (k ProbeFormat) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ProbeTool: what records are taken for that no probe.toml describes.
type ProbeTool int32

// Values of ProbeTool.
const (
	// as the name of the kernel's hook says, if it does
	ProbeToolNone            ProbeTool = C.PK_PROBE_TOOL_NONE
	ProbeToolBlockSched      ProbeTool = C.PK_PROBE_TOOL_BLOCK_SCHED
	ProbeToolGmemBytes       ProbeTool = C.PK_PROBE_TOOL_GMEM_BYTES
	ProbeToolTensorop        ProbeTool = C.PK_PROBE_TOOL_TENSOROP
	ProbeToolProgramProgress ProbeTool = C.PK_PROBE_TOOL_PROGRAM_PROGRESS
	ProbeToolDmat            ProbeTool = C.PK_PROBE_TOOL_DMAT
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k ProbeTool) String() string { return named("probe_tool", int32(k), "unknown") }

// MarshalText gives what String does.
func (k ProbeTool) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// IO: how files are reached.
type IO int32

// Values of IO.
const (
	// into memory; a file that another process truncates meanwhile is PK_E_INPUT_CHANGED
	IORead IO = C.PK_IO_READ
	// maps local files above 512 KiB, which takes less memory; truncated under the mapping, such a file raises SIGBUS
	IOMap IO = C.PK_IO_MAP
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k IO) String() string { return named("io_mode", int32(k), "unknown") }

// MarshalText gives what String does.
func (k IO) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ColumnType: what the values of a column are. A name is text that repeats.
type ColumnType int32

// Values of ColumnType.
const (
	ColumnInt64   ColumnType = C.PK_COLUMN_INT64
	ColumnUint64  ColumnType = C.PK_COLUMN_UINT64
	ColumnInt32   ColumnType = C.PK_COLUMN_INT32
	ColumnUint32  ColumnType = C.PK_COLUMN_UINT32
	ColumnBoolean ColumnType = C.PK_COLUMN_BOOLEAN
	ColumnText    ColumnType = C.PK_COLUMN_TEXT
	// text that repeats: a dictionary
	ColumnName ColumnType = C.PK_COLUMN_NAME
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k ColumnType) String() string { return named("column_type", int32(k), "unknown") }

// MarshalText gives what String does.
func (k ColumnType) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// TraceFormat: formats of other tools.
type TraceFormat int32

// Values of TraceFormat.
const (
	// Chrome trace-event JSON, for Perfetto and chrome://tracing
	TraceJSON TraceFormat = C.PK_TRACE_JSON
	// Perfetto's protobuf trace (.pftrace)
	TracePerfetto TraceFormat = C.PK_TRACE_PERFETTO
	// an XSpace with the events that the filters keep, byte for byte
	TraceXSpace TraceFormat = C.PK_TRACE_XSPACE
	// one row an event
	TraceCSV TraceFormat = C.PK_TRACE_CSV
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k TraceFormat) String() string { return named("trace_format", int32(k), "unknown") }

// MarshalText gives what String does.
func (k TraceFormat) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// PlaneKind: what a plane (a process in Chrome terms) stands for.
type PlaneKind int32

// Values of PlaneKind.
const (
	PlaneDevice PlaneKind = C.PK_PLANE_DEVICE
	PlaneHost   PlaneKind = C.PK_PLANE_HOST
	// carries compiled modules
	PlaneMetadata    PlaneKind = C.PK_PLANE_METADATA
	PlaneCustom      PlaneKind = C.PK_PLANE_CUSTOM
	PlaneEnvironment PlaneKind = C.PK_PLANE_ENVIRONMENT
	PlaneOther       PlaneKind = C.PK_PLANE_OTHER
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k PlaneKind) String() string { return named("plane_kind", int32(k), "unknown") }

// MarshalText gives what String does.
func (k PlaneKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LineKind: what the events of a line mean. `derived` lines repeat the time of another line (TC Overlay, Framework
// Ops, negative GPU line ids) and are never summed with it.
type LineKind int32

// Values of LineKind.
const (
	LineSteps   LineKind = C.PK_LINE_STEPS
	LineModules LineKind = C.PK_LINE_MODULES
	LineOps     LineKind = C.PK_LINE_OPS
	LineAsync   LineKind = C.PK_LINE_ASYNC
	LineStream  LineKind = C.PK_LINE_STREAM
	// repeats the time of another line: never sum it with that
	LineDerived LineKind = C.PK_LINE_DERIVED
	LineCounter LineKind = C.PK_LINE_COUNTER
	LineThread  LineKind = C.PK_LINE_THREAD
	LineOther   LineKind = C.PK_LINE_OTHER
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k LineKind) String() string { return named("line_kind", int32(k), "unknown") }

// MarshalText gives what String does.
func (k LineKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// NoteKind: lists of text that an XSpace carries beside its planes.
type NoteKind int32

// Values of NoteKind.
const (
	NoteHostname NoteKind = C.PK_NOTE_HOSTNAME
	NoteError    NoteKind = C.PK_NOTE_ERROR
	NoteWarning  NoteKind = C.PK_NOTE_WARNING
)

// String is as documents spell it; "unknown" for a value of a later library.
func (k NoteKind) String() string { return named("note_kind", int32(k), "unknown") }

// MarshalText gives what String does.
func (k NoteKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// What documents call the values, by their numbers.
var namesOf = map[string][]string{
	"kernel_class": {
		"compute", "aicpu", "comm", "copy", "other",
	},
	"accelerator": {
		"other", "tpu", "gpu", "npu",
	},
	"launch_kind": {
		"by_name", "kernel", "copy", "graph",
	},
	"host_span_kind": {
		"op", "runtime", "frame", "annotation", "gc", "other",
	},
	"window_policy": {
		"whole", "marker", "device", "guide",
	},
	"bubble_scope": {
		"global", "step_internal", "prelaunch", "tail",
	},
	"bubble_label": {
		"possible_sync_or_h2d", "possible_comm_wait", "possible_untraced_host_blocking", "possible_host_launch_lag",
		"possible_python_serialization_or_lock", "insufficient_evidence",
	},
	"idle_cause": {
		"launch_bound", "optimizer_loop", "sync_wait", "sync_drain", "h2d_pageable", "data_loader", "gc", "allocation",
		"compile", "module_load", "checkpoint", "comm_host_wait", "device_dependency", "lock", "host_untraced", "unexplained",
		"exposed_comm", "exposed_copy", "graph_launch_late", "straggler_wait", "recording", "host_call",
	},
	"bubble_tag": {
		"DEVICE_IDLE_GAP_HEAVY", "PRELAUNCH_GAP_HEAVY", "TAIL_GAP_HEAVY", "INTERNAL_BUBBLE_HEAVY", "RECURRING_BUBBLE_PATTERN",
		"HOST_ORIGINATED_RISK", "UNTRACED_HOST_BLOCKING_RISK", "COMM_SYNC_RISK", "WAIT_POLLUTION_RISK",
		"WAIT_ANCHOR_FALSE_HOTSPOT", "AICPU_EXPOSED_RISK", "PARTIAL_CAPTURE_BOUNDARY", "VARIABLE_SHAPE_SAME_TEMPLATE",
	},
	"time_use": {
		"compute", "exposed_communication", "exposed_copies", "other_work", "idle", "not_recorded",
	},
	"clock_domain": {
		"tracer", "host",
	},
	"document_status": {
		"ok", "partial", "absent", "error",
	},
	"dump_format": {
		"json", "text",
	},
	"fact_source": {
		"annotation", "module", "shape", "kernel", "group", "recorder", "count",
	},
	"certainty": {
		"unknown", "possible", "likely", "proved",
	},
	"log_level": {
		"", "info", "warning",
	},
	"step_policy": {
		"peak", "last", "first",
	},
	"peak_method": {
		"none", "heap_replay", "schedule_sweep", "allocation_sizes",
	},
	"peak_bound": {
		"exact", "lower", "upper",
	},
	"residency": {
		"indefinite", "temp",
	},
	"plane_scheme": {
		"seed", "rocm", "node",
	},
	"merge_correction": {
		"clock", "walltime", "none",
	},
	"merged_format": {
		"xspace", "trace_json",
	},
	"merge_zero": {
		"auto", "earliest", "reference", "none",
	},
	"node_status": {
		"corrected", "walltime", "raw", "missing", "corrupt",
	},
	"sibling_state": {
		"none", "same_bytes", "same_content", "differs",
	},
	"group_key": {
		"kernel", "function", "instruction", "op", "outer-op", "module", "module-kind", "range", "source", "phase", "shape",
		"step", "kind", "category", "program", "stream", "device",
	},
	"ops_clock": {
		"aligned", "device", "mixed",
	},
	"probe_slice": {
		"summary", "launches", "kernels", "maps", "records", "schedule", "bytes", "density", "progress", "overhead", "log",
	},
	"probe_format": {
		"json", "csv", "svg",
	},
	"probe_level": {
		"unknown", "thread", "warp",
	},
	"probe_outcome": {
		"unfinished", "ok", "failed", "cant-save", "backup", "memusage", "benchmark",
	},
	"probe_tool": {
		"", "block_sched", "gmem_bytes", "tensorop", "program_progress", "dmat",
	},
	"io_mode": {
		"read", "map",
	},
	"compression": {
		"none", "gzip", "zstd",
	},
	"column_type": {
		"int64", "uint64", "int32", "uint32", "boolean", "text", "name",
	},
	"trace_format": {
		"trace.json", "pftrace", "xspace", "csv",
	},
	"plane_kind": {
		"device", "host", "metadata", "custom", "environment", "other",
	},
	"line_kind": {
		"steps", "modules", "ops", "async", "stream", "derived", "counter", "thread", "other",
	},
	"stat_kind": {
		"none", "", "double", "uint64", "int64", "str", "bytes", "ref",
	},
	"note_kind": {
		"hostname", "error", "warning",
	},
}

// end of kinds
