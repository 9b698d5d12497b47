package profkit

// #include <profkit/profkit.h>
import "C"

// PlaneKind is what a plane stands for.
type PlaneKind int32

// The kinds of planes.
const (
	PlaneDevice      PlaneKind = C.PK_PLANE_DEVICE
	PlaneHost        PlaneKind = C.PK_PLANE_HOST
	PlaneMetadata    PlaneKind = C.PK_PLANE_METADATA // carries compiled modules
	PlaneCustom      PlaneKind = C.PK_PLANE_CUSTOM
	PlaneEnvironment PlaneKind = C.PK_PLANE_ENVIRONMENT
	PlaneOther       PlaneKind = C.PK_PLANE_OTHER
)

// String is as documents spell it: "device", "host", …
func (k PlaneKind) String() string { return C.GoString(C.pk_plane_kind_name(C.int32_t(k))) }

// MarshalText gives the same.
func (k PlaneKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LineKind is what the events of a line mean. Never sum LineDerived with the line that it repeats.
type LineKind int32

// The kinds of lines.
const (
	LineSteps   LineKind = C.PK_LINE_STEPS
	LineModules LineKind = C.PK_LINE_MODULES
	LineOps     LineKind = C.PK_LINE_OPS
	LineAsync   LineKind = C.PK_LINE_ASYNC
	LineStream  LineKind = C.PK_LINE_STREAM
	LineDerived LineKind = C.PK_LINE_DERIVED
	LineCounter LineKind = C.PK_LINE_COUNTER
	LineThread  LineKind = C.PK_LINE_THREAD
	LineOther   LineKind = C.PK_LINE_OTHER
)

// String is as documents spell it: "steps", "modules", "ops", …
func (k LineKind) String() string { return C.GoString(C.pk_line_kind_name(C.int32_t(k))) }

// MarshalText gives the same.
func (k LineKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

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
	return wordOf([]string{"by_name", "compute", "aicpu", "comm", "copy", "other"}, int(k))
}

// MarshalText gives the same.
func (k KernelKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Cause is why a device waited, as far as a capture shows.
type Cause int32

// The causes.
const (
	CauseLaunchBound      Cause = C.PK_CAUSE_LAUNCH_BOUND
	CauseOptimizerLoop    Cause = C.PK_CAUSE_OPTIMIZER_LOOP
	CauseSyncWait         Cause = C.PK_CAUSE_SYNC_WAIT
	CauseSyncDrain        Cause = C.PK_CAUSE_SYNC_DRAIN
	CauseH2DPageable      Cause = C.PK_CAUSE_H2D_PAGEABLE
	CauseDataLoader       Cause = C.PK_CAUSE_DATA_LOADER
	CauseGC               Cause = C.PK_CAUSE_GC
	CauseAllocation       Cause = C.PK_CAUSE_ALLOCATION
	CauseCompile          Cause = C.PK_CAUSE_COMPILE
	CauseModuleLoad       Cause = C.PK_CAUSE_MODULE_LOAD
	CauseCheckpoint       Cause = C.PK_CAUSE_CHECKPOINT
	CauseCommHostWait     Cause = C.PK_CAUSE_COMM_HOST_WAIT
	CauseDeviceDependency Cause = C.PK_CAUSE_DEVICE_DEPENDENCY
	CauseLock             Cause = C.PK_CAUSE_LOCK
	CauseHostUntraced     Cause = C.PK_CAUSE_HOST_UNTRACED
	CauseUnexplained      Cause = C.PK_CAUSE_UNEXPLAINED
	CauseExposedComm      Cause = C.PK_CAUSE_EXPOSED_COMM // no gap: the device only communicates
	CauseExposedCopy      Cause = C.PK_CAUSE_EXPOSED_COPY // no gap: the device only copies
	CauseGraphLaunchLate  Cause = C.PK_CAUSE_GRAPH_LAUNCH_LATE
	CauseStragglerWait    Cause = C.PK_CAUSE_STRAGGLER_WAIT // no gap: ranks stand in a collective until the last one comes
	CauseRecording        Cause = C.PK_CAUSE_RECORDING      // the profiler itself holds the program up
	CauseHostCall         Cause = C.PK_CAUSE_HOST_CALL      // the launching thread stands in one call, of which it is not known what it does
)

// String is as documents spell it: "data_loader", …
func (c Cause) String() string { return wordOf(idleCauses[:], int(c)) }

// MarshalText gives the same.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Certainty is how sure a cause is.
type Certainty int32

// The certainties, from none to full.
const (
	CertaintyUnknown  Certainty = C.PK_CERTAINTY_UNKNOWN  // nothing on record says why
	CertaintyPossible Certainty = C.PK_CERTAINTY_POSSIBLE // it fits, and so may others
	CertaintyLikely   Certainty = C.PK_CERTAINTY_LIKELY   // most of the evidence points there
	CertaintyProved   Certainty = C.PK_CERTAINTY_PROVED   // the evidence allows nothing else
)

// String is as documents spell it: "likely", …
func (c Certainty) String() string { return wordOf(certainties[:], int(c)) }

// MarshalText gives the same.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// ColumnType is what the values of a column are.
type ColumnType int32

// The types of columns.
const (
	ColumnInt64   ColumnType = C.PK_COLUMN_INT64
	ColumnUint64  ColumnType = C.PK_COLUMN_UINT64
	ColumnInt32   ColumnType = C.PK_COLUMN_INT32
	ColumnUint32  ColumnType = C.PK_COLUMN_UINT32
	ColumnBoolean ColumnType = C.PK_COLUMN_BOOLEAN
	ColumnText    ColumnType = C.PK_COLUMN_TEXT
	ColumnName    ColumnType = C.PK_COLUMN_NAME // text that repeats: a dictionary
)

// LogLevel is how much a remark matters.
type LogLevel int32

// The levels of remarks.
const (
	LogInfo    LogLevel = C.PK_LOG_INFO
	LogWarning LogLevel = C.PK_LOG_WARNING
)

// wordOf is what a value that a later library may have is called: "unknown".
func wordOf(words []string, value int) string {
	if value < 0 || value >= len(words) {
		return "unknown"
	}
	return words[value]
}
