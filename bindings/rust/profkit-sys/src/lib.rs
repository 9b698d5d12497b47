//! The C ABI of libprofkit, declared for Rust. Written by bindings/declarations.py from profkit.h: do not edit.
//!
//! The header's conventions hold: see the top of `profkit.h`. The crate `profkit` is the safe way in.
#![allow(non_camel_case_types)]

use std::marker::{PhantomData, PhantomPinned};
use std::mem::size_of;
use std::os::raw::{c_char, c_void};

pub const PK_VERSION_MAJOR: u32 = 0;
pub const PK_VERSION_MINOR: u32 = 1;
pub const PK_VERSION_PATCH: u32 = 0;
pub const PK_NO_OFFSET: u64 = u64::MAX;
pub const PK_LIMIT_DEFAULT: u32 = 0;
pub const PK_LIMIT_NONE: u64 = u64::MAX;
pub const PK_PROBE_NO_BLOCK: u64 = u64::MAX;
pub const PK_NO_TIME_PS: i64 = i64::MIN;

/// 0, `PK_END`, or a negative `PK_E_`.
pub type pk_status = i32;
pub const PK_OK: i32 = 0;
/// nothing is left to read
pub const PK_END: i32 = 1;
pub const PK_E_INVALID_ARGUMENT: i32 = -1;
/// no memory was left
pub const PK_E_OUT_OF_MEMORY: i32 = -2;
/// valid input or an option that this version cannot handle
pub const PK_E_UNSUPPORTED: i32 = -3;
/// a callback or the cancel token asked to stop
pub const PK_E_CANCELLED: i32 = -4;
/// a bug of the library
pub const PK_E_INTERNAL: i32 = -9;
/// no such path, or no such metadata entry
pub const PK_E_NOT_FOUND: i32 = -10;
/// the operating system does not let this file be read
pub const PK_E_PERMISSION: i32 = -11;
/// the operating system or the read callback refused a read
pub const PK_E_IO: i32 = -12;
/// the input shrank or changed while it was read
pub const PK_E_INPUT_CHANGED: i32 = -13;
/// bytes that break the format; the byte offset says where
pub const PK_E_DAMAGED: i32 = -20;
/// no reader knows these bytes
pub const PK_E_UNRECOGNISED: i32 = -21;
/// a binary file that went through a text conversion (EF BF BD everywhere)
pub const PK_E_TEXT_MANGLED: i32 = -22;
/// a bound of the limits was hit; the message names it
pub const PK_E_LIMIT: i32 = -30;
/// writing failed
pub const PK_E_OUTPUT: i32 = -40;
/// no space is left for the output
pub const PK_E_OUTPUT_FULL: i32 = -41;
/// worth knowing
pub const PK_LOG_INFO: i32 = 1;
/// something is left out
pub const PK_LOG_WARNING: i32 = 2;
pub const PK_FILTER_HAS_STEP: i32 = 1;
pub const PK_FILTER_HAS_FROM: i32 = 2;
pub const PK_FILTER_HAS_TO: i32 = 4;
/// into memory; a file that another process truncates meanwhile is PK_E_INPUT_CHANGED
pub const PK_IO_READ: i32 = 0;
pub const PK_IO_MAP: i32 = 1;
/// pk_profile_open_buffer() copies the bytes instead of borrowing them
pub const PK_OPEN_COPY: i32 = 1;
pub const PK_OPEN_ONE_PASS: i32 = 2;
pub const PK_OPEN_REDACT: i32 = 4;
pub const PK_OPEN_HAS_RANK: i32 = 8;
pub const PK_OPEN_STANDARD_INPUT: i32 = 16;
/// origin_unix_ns is known
pub const PK_PROFILE_HAS_ORIGIN: i32 = 1;
pub const PK_FAMILY_UNKNOWN: i32 = 0;
/// .xplane.pb: tensorflow.profiler.XSpace
pub const PK_FAMILY_XSPACE: i32 = 1;
pub const PK_FAMILY_CHROME_TRACE: i32 = 2;
/// .hlo_proto.pb, *.hlo.pb: xla.HloProto
pub const PK_FAMILY_HLO_PROTO: i32 = 3;
/// ALL_HOSTS.op_stats_v2.pb: named, not analysed; `dump` shows it
pub const PK_FAMILY_OP_STATS: i32 = 4;
/// kernel_details.csv, op_summary*.csv: a row a kernel of an Ascend NPU
pub const PK_FAMILY_ASCEND_KERNELS: i32 = 5;
/// step_trace_time.csv, operator_details.csv, op_statistic*.csv
pub const PK_FAMILY_ASCEND_TABLE: i32 = 6;
/// communication.json, profiler_info*.json, profiler_metadata.json
pub const PK_FAMILY_ASCEND_JSON: i32 = 7;
/// .db of torch_npu and msprof (SQLite): named, not read
pub const PK_FAMILY_ASCEND_DATABASE: i32 = 8;
pub const PK_FAMILY_NEUTRINO: i32 = 16;
/// What a host recorded itself, pk_trace_builder_finish(): a file without bytes.
pub const PK_FAMILY_OWN: i32 = 17;
pub const PK_COMPRESSION_NONE: i32 = 0;
pub const PK_COMPRESSION_GZIP: i32 = 1;
pub const PK_COMPRESSION_ZSTD: i32 = 2;
/// origin_unix_ns is known; a file without one is not shifted
pub const PK_FILE_HAS_ORIGIN: i32 = 1;
pub const PK_NOTE_HOSTNAME: i32 = 0;
pub const PK_NOTE_ERROR: i32 = 1;
pub const PK_NOTE_WARNING: i32 = 2;
pub const PK_PLANE_DEVICE: i32 = 0;
pub const PK_PLANE_HOST: i32 = 1;
/// carries compiled modules
pub const PK_PLANE_METADATA: i32 = 2;
pub const PK_PLANE_CUSTOM: i32 = 3;
pub const PK_PLANE_ENVIRONMENT: i32 = 4;
pub const PK_PLANE_OTHER: i32 = 5;
pub const PK_LINE_STEPS: i32 = 0;
pub const PK_LINE_MODULES: i32 = 1;
pub const PK_LINE_OPS: i32 = 2;
pub const PK_LINE_ASYNC: i32 = 3;
pub const PK_LINE_STREAM: i32 = 4;
/// repeats the time of another line: never sum it with that
pub const PK_LINE_DERIVED: i32 = 5;
pub const PK_LINE_COUNTER: i32 = 6;
pub const PK_LINE_THREAD: i32 = 7;
pub const PK_LINE_OTHER: i32 = 8;
/// start_ps is known: it fits 64 bits
pub const PK_LINE_HAS_START: i32 = 1;
/// offset_ps was written, be it 0
pub const PK_EVENT_HAS_OFFSET: i32 = 1;
/// an aggregated event: num_occurrences was written, and there is no time
pub const PK_EVENT_HAS_OCCURRENCES: i32 = 2;
/// start_ps is known: the event is not aggregated and the sum fits 64 bits
pub const PK_EVENT_HAS_START: i32 = 4;
/// no value was written
pub const PK_STAT_NONE: i32 = 0;
pub const PK_STAT_DOUBLE: i32 = 2;
pub const PK_STAT_UINT64: i32 = 3;
pub const PK_STAT_INT64: i32 = 4;
pub const PK_STAT_STR: i32 = 5;
pub const PK_STAT_BYTES: i32 = 6;
/// the name of a stat metadata entry of the same plane
pub const PK_STAT_REF: i32 = 7;
/// in the event itself
pub const PK_ORIGIN_EVENT: i32 = 1;
/// in its metadata entry
pub const PK_ORIGIN_METADATA: i32 = 2;
/// in the plane
pub const PK_ORIGIN_PLANE: i32 = 4;
pub const PK_SIBLING_NONE: i32 = 0;
pub const PK_SIBLING_SAME_BYTES: i32 = 1;
/// other bytes, the same computations
pub const PK_SIBLING_SAME_CONTENT: i32 = 2;
pub const PK_SIBLING_DIFFERS: i32 = 3;
/// the bytes do not parse, and the counts cover what did
pub const PK_MODULE_DAMAGED: i32 = 1;
pub const PK_CHROME_HAS_START: i32 = 1;
pub const PK_CHROME_HAS_DURATION: i32 = 2;
/// written "7", not 7
pub const PK_CHROME_PID_IS_STRING: i32 = 4;
pub const PK_CHROME_TID_IS_STRING: i32 = 8;
/// leave shapes and types out
pub const PK_ACTIVITY_NO_DETAILS: i32 = 1;
/// none of these
pub const PK_ACCELERATOR_OTHER: i32 = 0;
/// a TPU
pub const PK_ACCELERATOR_TPU: i32 = 1;
/// a GPU
pub const PK_ACCELERATOR_GPU: i32 = 2;
/// an NPU
pub const PK_ACCELERATOR_NPU: i32 = 3;
pub const PK_DEVICE_HAS_WAITS: i32 = 1;
pub const PK_DEVICE_HAS_SHAPES: i32 = 2;
/// the execution unit; without it classes follow from names
pub const PK_DEVICE_HAS_CLASSES: i32 = 4;
pub const PK_DEVICE_HAS_LAUNCHES: i32 = 8;
/// computation
pub const PK_KERNEL_COMPUTE: i32 = 0;
/// Ascend's host-like core
pub const PK_KERNEL_AICPU: i32 = 1;
/// communication
pub const PK_KERNEL_COMM: i32 = 2;
/// a memory copy or set
pub const PK_KERNEL_COPY: i32 = 3;
/// none of these; or its name is not on record
pub const PK_KERNEL_OTHER: i32 = 4;
pub const PK_KERNEL_ON_AICPU: i32 = 1;
pub const PK_KERNEL_HAS_STREAM: i32 = 2;
/// the same collective was listed twice: not to be summed
pub const PK_KERNEL_DUPLICATE: i32 = 4;
/// an asynchronous copy from its start to its arrival: no time of the device
pub const PK_KERNEL_IN_FLIGHT: i32 = 64;
pub const PK_KERNEL_HAS_WAIT: i32 = 256;
pub const PK_KERNEL_HAS_LAUNCH: i32 = 512;
pub const PK_DOCUMENT_REPORT: i32 = 1;
pub const PK_DOCUMENT_INFO: i32 = 2;
pub const PK_DOCUMENT_TREE: i32 = 3;
pub const PK_DOCUMENT_METADATA: i32 = 4;
pub const PK_DOCUMENT_STEPS: i32 = 5;
pub const PK_DOCUMENT_OPS: i32 = 6;
pub const PK_DOCUMENT_MODULES: i32 = 7;
pub const PK_DOCUMENT_FRAMEWORK: i32 = 8;
pub const PK_DOCUMENT_COLLECTIVES: i32 = 9;
pub const PK_DOCUMENT_MEMORY: i32 = 10;
pub const PK_DOCUMENT_BUBBLES: i32 = 11;
pub const PK_DOCUMENT_ARCHITECTURE: i32 = 12;
pub const PK_DOCUMENT_NEUTRINO: i32 = 20;
/// Of a report what matters most, in 16 KB, with the commands for more.
pub const PK_DOCUMENT_BRIEF: i32 = 21;
/// Ops summed by operator, or by what pk_document_options::of says.
pub const PK_DOCUMENT_OP_GROUPS: i32 = 23;
pub const PK_DOCUMENT_EXPLAIN: i32 = 22;
/// all is well
pub const PK_DOCUMENT_STATUS_OK: i32 = 0;
/// some input was damaged; what was intact is shown
pub const PK_DOCUMENT_STATUS_PARTIAL: i32 = 1;
/// the capture has nothing of this kind; `reason` says why
pub const PK_DOCUMENT_STATUS_ABSENT: i32 = 2;
/// nothing usable
pub const PK_DOCUMENT_STATUS_ERROR: i32 = 3;
/// only what the compiler assigned
pub const PK_MEMORY_NO_RUNTIME: i32 = 1;
/// the whole trace is one window
pub const PK_MEMORY_ALL_TRACE: i32 = 2;
/// host memory may be the fullest, too
pub const PK_MEMORY_INCLUDE_HOST_POOLS: i32 = 4;
/// `fit_bytes` is set
pub const PK_MEMORY_HAS_FIT: i32 = 8;
/// the document's timeline has no samples
pub const PK_MEMORY_NO_TIMELINE: i32 = 16;
/// what was not freed is persistent without crossing the boundary of a step
pub const PK_MEMORY_KEPT_IS_PERSISTENT: i32 = 32;
pub const PK_STEP_POLICY_PEAK: i32 = 0;
pub const PK_STEP_POLICY_LAST: i32 = 1;
pub const PK_STEP_POLICY_FIRST: i32 = 2;
/// the space has no temporary memory: the peak is what lives all the time
pub const PK_PEAK_METHOD_NONE: i32 = 0;
/// the compiler's heap simulation, event by event
pub const PK_PEAK_METHOD_HEAP_REPLAY: i32 = 1;
pub const PK_PEAK_METHOD_SCHEDULE_SWEEP: i32 = 2;
/// neither simulation nor schedule: every temporary allocation in full
pub const PK_PEAK_METHOD_ALLOCATION_SIZES: i32 = 3;
/// it is the truth
pub const PK_PEAK_BOUND_EXACT: i32 = 0;
/// the truth is not below it
pub const PK_PEAK_BOUND_LOWER: i32 = 1;
/// the truth is not above it
pub const PK_PEAK_BOUND_UPPER: i32 = 2;
/// the replay equals the allocator's own count after every event
pub const PK_ALLOCATOR_AGREES: i32 = 1;
/// the run-time part of the document is about it
pub const PK_ALLOCATOR_CHOSEN: i32 = 2;
pub const PK_RESIDENCY_INDEFINITE: i32 = 0;
pub const PK_RESIDENCY_TEMPORARY: i32 = 1;
/// the module has the instruction that defines it
pub const PK_LIVE_BUFFER_HAS_INSTRUCTION: i32 = 1;
/// Chrome trace-event JSON, for Perfetto and chrome://tracing
pub const PK_TRACE_JSON: i32 = 0;
/// Perfetto's protobuf trace (.pftrace)
pub const PK_TRACE_PERFETTO: i32 = 1;
/// an XSpace with the events that the filters keep, byte for byte
pub const PK_TRACE_XSPACE: i32 = 2;
/// one row an event
pub const PK_TRACE_CSV: i32 = 3;
/// PK_TRACE_JSON as XLA's converter writes it: one XSpace, no filters
pub const PK_TRACE_LIKE_XLA: i32 = 1;
/// compress what is written
pub const PK_TRACE_GZIP: i32 = 2;
/// PK_TRACE_PERFETTO with the steps of each device and why it waited
pub const PK_TRACE_WAITS: i32 = 4;
pub const PK_VALUE_DOUBLE: i32 = 2;
pub const PK_VALUE_UINT64: i32 = 3;
pub const PK_VALUE_INT64: i32 = 4;
pub const PK_VALUE_TEXT: i32 = 5;
pub const PK_VALUE_BYTES: i32 = 6;
/// a text that many events share: `bits` is its pk_xspace_writer_stat_metadata()
pub const PK_VALUE_REF: i32 = 7;
/// compress what is written
pub const PK_WRITER_GZIP: i32 = 1;
/// of line_end: id, name or timestamp_ns stood after events and are not what line_begin had
pub const PK_PUSHED_LINE_CHANGED: i32 = 1;
pub const PK_TRACE_HOST_HAS_RANK: i32 = 1;
pub const PK_TRACE_HOST_HAS_ORIGIN: i32 = 2;
pub const PK_TRACE_DEVICE_HAS_ORDINAL: i32 = 1;
/// `owner` is the number of a device; else of a host
pub const PK_TRACE_OF_DEVICE: i32 = 1;
/// else its name says what it counts as
pub const PK_TRACE_KERNEL_HAS_KIND: i32 = 1;
/// launch_ps is known
pub const PK_TRACE_KERNEL_HAS_LAUNCH: i32 = 2;
/// flops and bytes are known
pub const PK_TRACE_KERNEL_HAS_WORK: i32 = 4;
/// group_sequence is known
pub const PK_TRACE_KERNEL_HAS_SEQUENCE: i32 = 8;
/// sent_bytes and received_bytes are known
pub const PK_TRACE_KERNEL_HAS_MESSAGE: i32 = 16;
/// an operator of a framework
pub const PK_SPAN_OP: i32 = 0;
/// a call of the runtime or driver of a device
pub const PK_SPAN_RUNTIME: i32 = 1;
/// python_function
pub const PK_SPAN_FRAME: i32 = 2;
pub const PK_SPAN_ANNOTATION: i32 = 3;
/// garbage collection
pub const PK_SPAN_GC: i32 = 4;
pub const PK_SPAN_OTHER: i32 = 5;
/// as its name says, of calls of CUDA, HIP and CANN
pub const PK_LAUNCH_BY_NAME: i32 = 0;
pub const PK_LAUNCH_KERNEL: i32 = 1;
pub const PK_LAUNCH_COPY: i32 = 2;
/// many kernels
pub const PK_LAUNCH_GRAPH: i32 = 3;
pub const PK_TRACE_STEP_HAS_NUMBER: i32 = 1;
/// the memory came back
pub const PK_TRACE_ALLOCATION_IS_FREE: i32 = 1;
/// one document, as `profkit dump --json` writes it
pub const PK_DUMP_JSON: i32 = 0;
/// protobuf's text format, with remarks after '#'
pub const PK_DUMP_TEXT: i32 = 1;
/// bound the clocks from collectives alone
pub const PK_VALIDATION_ALIGN: i32 = 1;
/// `bound_ps` is set
pub const PK_VALIDATION_HAS_BOUND: i32 = 2;
/// as the name of the kernel's hook says, if it does
pub const PK_PROBE_TOOL_NONE: i32 = 0;
pub const PK_PROBE_TOOL_BLOCK_SCHED: i32 = 1;
pub const PK_PROBE_TOOL_GMEM_BYTES: i32 = 2;
pub const PK_PROBE_TOOL_TENSOROP: i32 = 3;
pub const PK_PROBE_TOOL_PROGRAM_PROGRESS: i32 = 4;
pub const PK_PROBE_TOOL_DMAT: i32 = 5;
/// the log ends, or goes on, without saying
pub const PK_PROBE_OUTCOME_UNFINISHED: i32 = 0;
/// it ran with the probe
pub const PK_PROBE_OUTCOME_OK: i32 = 1;
/// the probed kernel did not run; the original one did
pub const PK_PROBE_OUTCOME_FAILED: i32 = 2;
/// it ran, and its records could not be written
pub const PK_PROBE_OUTCOME_CANT_SAVE: i32 = 3;
/// it was not probed: the original kernel ran
pub const PK_PROBE_OUTCOME_BACKUP: i32 = 4;
/// only the memory that the probe would need was asked for
pub const PK_PROBE_OUTCOME_MEMUSAGE: i32 = 5;
/// it ran for its times only
pub const PK_PROBE_OUTCOME_BENCHMARK: i32 = 6;
pub const PK_PROBE_HAS_GEOMETRY: i32 = 1;
pub const PK_PROBE_HAS_TIME: i32 = 2;
pub const PK_PROBE_HAS_MEMORY: i32 = 4;
pub const PK_PROBE_HAS_DURATIONS: i32 = 8;
pub const PK_PROBE_LEVEL_UNKNOWN: i32 = 0;
pub const PK_PROBE_LEVEL_THREAD: i32 = 1;
pub const PK_PROBE_LEVEL_WARP: i32 = 2;
pub const PK_PROBE_OFFSET_RECOMPUTED: i32 = 1;
pub const PK_PROBE_SIZE_MISMATCH: i32 = 2;
pub const PK_PROBE_TRUNCATED: i32 = 4;
pub const PK_PROBE_OVERLAP: i32 = 8;
pub const PK_PROBE_BAD_OFFSET: i32 = 16;
pub const PK_PROBE_LEVEL_GUESSED: i32 = 32;
pub const PK_PROBE_LEVEL_NOT_KNOWN: i32 = 64;
pub const PK_PROBE_ALIASED: i32 = 128;
pub const PK_PROBE_TABLE_IGNORED: i32 = 256;
pub const PK_PROBE_SLACK: i32 = 512;
pub const PK_PROBE_RAW_WORDS: i32 = 1024;
pub const PK_PROBE_SHAPE_MISMATCH: i32 = 2048;
pub const PK_PROBE_MAPS_MISMATCH: i32 = 4096;
pub const PK_PROBE_POSSIBLE_OVERFLOW: i32 = 8192;
pub const PK_PROBE_SHAPE_ASSUMED: i32 = 16384;
/// launches, kernels, maps and overhead in one
pub const PK_PROBE_SLICE_SUMMARY: i32 = 0;
pub const PK_PROBE_SLICE_LAUNCHES: i32 = 1;
pub const PK_PROBE_SLICE_KERNELS: i32 = 2;
pub const PK_PROBE_SLICE_MAPS: i32 = 3;
pub const PK_PROBE_SLICE_RECORDS: i32 = 4;
pub const PK_PROBE_SLICE_SCHEDULE: i32 = 5;
pub const PK_PROBE_SLICE_BYTES: i32 = 6;
pub const PK_PROBE_SLICE_DENSITY: i32 = 7;
pub const PK_PROBE_SLICE_PROGRESS: i32 = 8;
pub const PK_PROBE_SLICE_OVERHEAD: i32 = 9;
pub const PK_PROBE_SLICE_LOG: i32 = 10;
/// a document
pub const PK_PROBE_JSON: i32 = 0;
/// a heading and a row an item (RFC 4180), of any slice but the summary
pub const PK_PROBE_CSV: i32 = 1;
/// a picture for a browser, of schedule and density
pub const PK_PROBE_SVG: i32 = 2;
pub const PK_PROBE_QUERY_HAS_BLOCK: i32 = 1;
pub const PK_PROBE_QUERY_HAS_LANE: i32 = 2;
pub const PK_CLOCK_TRACER: i32 = 0;
pub const PK_CLOCK_HOST: i32 = 1;
pub const PK_OFFSET_HAS_DRIFT: i32 = 1;
pub const PK_OFFSET_HAS_RESIDUAL: i32 = 2;
pub const PK_CLOCK_IS_REFERENCE: i32 = 1;
pub const PK_CLOCK_NO_DRIFT_SLOPE: i32 = 2;
pub const PK_CORRECTION_CLOCK: i32 = 0;
pub const PK_CORRECTION_WALLTIME: i32 = 1;
pub const PK_CORRECTION_NONE: i32 = 2;
pub const PK_ZERO_AUTO: i32 = 0;
pub const PK_ZERO_EARLIEST: i32 = 1;
pub const PK_ZERO_REFERENCE: i32 = 2;
pub const PK_ZERO_NONE: i32 = 3;
pub const PK_PLANES_SEED: i32 = 0;
pub const PK_PLANES_ROCM: i32 = 1;
pub const PK_PLANES_NODE: i32 = 2;
pub const PK_MERGED_XSPACE: i32 = 0;
pub const PK_MERGED_TRACE_JSON: i32 = 1;
/// what is missing or damaged is reported and left out
pub const PK_MERGE_KEEP_GOING: i32 = 1;
/// the events of a line are not sorted
pub const PK_MERGE_KEEP_ORDER: i32 = 2;
/// the ends of events are mapped, too
pub const PK_MERGE_SCALE_DURATIONS: i32 = 4;
/// "Host Threads/N" of /host:ROCTRACER are stamped by the tracer clock
pub const PK_MERGE_TRACER_HOST_THREADS: i32 = 8;
/// beyond the offsets use their own slope, not drift_ppm
pub const PK_MERGE_NO_DRIFT_SLOPE: i32 = 16;
/// by its clock
pub const PK_NODE_CORRECTED: i32 = 0;
/// by wall time
pub const PK_NODE_WALLTIME: i32 = 1;
/// as it was
pub const PK_NODE_RAW: i32 = 2;
/// not at all: its trace is missing
pub const PK_NODE_MISSING: i32 = 3;
/// not at all: its trace is damaged
pub const PK_NODE_CORRUPT: i32 = 4;
pub const PK_WINDOW_POLICY_WHOLE: i32 = 0;
pub const PK_WINDOW_POLICY_MARKER: i32 = 1;
pub const PK_WINDOW_POLICY_DEVICE: i32 = 2;
pub const PK_WINDOW_POLICY_GUIDE: i32 = 3;
/// the device is idle for much of it
pub const PK_BUBBLE_TAG_DEVICE_IDLE_GAP_HEAVY: i32 = 0;
/// before the first kernel
pub const PK_BUBBLE_TAG_PRELAUNCH_GAP_HEAVY: i32 = 1;
/// after the last kernel
pub const PK_BUBBLE_TAG_TAIL_GAP_HEAVY: i32 = 2;
/// between kernels
pub const PK_BUBBLE_TAG_INTERNAL_BUBBLE_HEAVY: i32 = 3;
/// the same gap in many steps
pub const PK_BUBBLE_TAG_RECURRING_BUBBLE_PATTERN: i32 = 4;
/// the host may be the reason
pub const PK_BUBBLE_TAG_HOST_ORIGINATED_RISK: i32 = 5;
/// the host may be blocked by what was not recorded
pub const PK_BUBBLE_TAG_UNTRACED_HOST_BLOCKING_RISK: i32 = 6;
/// communication may be the reason
pub const PK_BUBBLE_TAG_COMM_SYNC_RISK: i32 = 7;
/// waits may count as work
pub const PK_BUBBLE_TAG_WAIT_POLLUTION_RISK: i32 = 8;
/// a kernel that waits looks like one that works
pub const PK_BUBBLE_TAG_WAIT_ANCHOR_FALSE_HOTSPOT: i32 = 9;
/// kernels of the AI CPU run alone
pub const PK_BUBBLE_TAG_AICPU_EXPOSED_RISK: i32 = 10;
/// it touches the edge of the capture
pub const PK_BUBBLE_TAG_PARTIAL_CAPTURE_BOUNDARY: i32 = 11;
/// shapes vary
pub const PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE: i32 = 12;
/// in no step, or over the boundary of two
pub const PK_BUBBLE_SCOPE_GLOBAL: i32 = 0;
/// between two kernels of a step
pub const PK_BUBBLE_SCOPE_STEP_INTERNAL: i32 = 1;
/// before the first kernel
pub const PK_BUBBLE_SCOPE_PRELAUNCH: i32 = 2;
/// after the last kernel
pub const PK_BUBBLE_SCOPE_TAIL: i32 = 3;
/// synchronisation, or a copy to the device
pub const PK_BUBBLE_LABEL_SYNC_OR_H2D: i32 = 0;
/// communication
pub const PK_BUBBLE_LABEL_COMM_WAIT: i32 = 1;
/// the host was blocked by what was not recorded
pub const PK_BUBBLE_LABEL_UNTRACED_HOST_BLOCKING: i32 = 2;
/// the host launched late
pub const PK_BUBBLE_LABEL_HOST_LAUNCH_LAG: i32 = 3;
/// Python, or a lock
pub const PK_BUBBLE_LABEL_PYTHON_SERIALIZATION_OR_LOCK: i32 = 4;
/// none of these
pub const PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE: i32 = 5;
/// the launching thread is busy with ops of a framework
pub const PK_CAUSE_LAUNCH_BOUND: i32 = 0;
/// the same within the update of the parameters
pub const PK_CAUSE_OPTIMIZER_LOOP: i32 = 1;
pub const PK_CAUSE_SYNC_WAIT: i32 = 2;
/// a wait emptied the queue before the gap
pub const PK_CAUSE_SYNC_DRAIN: i32 = 3;
/// it stands in a copy from pageable memory
pub const PK_CAUSE_H2D_PAGEABLE: i32 = 4;
/// it waits for the next batch
pub const PK_CAUSE_DATA_LOADER: i32 = 5;
/// Python collects garbage
pub const PK_CAUSE_GC: i32 = 6;
/// the allocator asks the driver
pub const PK_CAUSE_ALLOCATION: i32 = 7;
/// something is compiled
pub const PK_CAUSE_COMPILE: i32 = 8;
/// code is loaded to the device
pub const PK_CAUSE_MODULE_LOAD: i32 = 9;
/// the state is saved
pub const PK_CAUSE_CHECKPOINT: i32 = 10;
/// it stands in a call of a collective
pub const PK_CAUSE_COMM_HOST_WAIT: i32 = 11;
/// the work was launched in time: the device waited for something else
pub const PK_CAUSE_DEVICE_DEPENDENCY: i32 = 12;
/// it waits for a lock
pub const PK_CAUSE_LOCK: i32 = 13;
/// nothing of it is on record
pub const PK_CAUSE_HOST_UNTRACED: i32 = 14;
/// little is on record, and none of it says why
pub const PK_CAUSE_UNEXPLAINED: i32 = 15;
/// no gap: the device only communicates
pub const PK_CAUSE_EXPOSED_COMM: i32 = 16;
/// no gap: the device only copies
pub const PK_CAUSE_EXPOSED_COPY: i32 = 17;
/// the launching thread is busy, and what it launches at last is a whole graph
pub const PK_CAUSE_GRAPH_LAUNCH_LATE: i32 = 18;
/// no gap: ranks stand in a collective until the last one comes
pub const PK_CAUSE_STRAGGLER_WAIT: i32 = 19;
/// the profiler itself holds the program up
pub const PK_CAUSE_RECORDING: i32 = 20;
pub const PK_CAUSE_HOST_CALL: i32 = 21;
/// nothing on record says why
pub const PK_CERTAINTY_UNKNOWN: i32 = 0;
/// it fits, and so may others
pub const PK_CERTAINTY_POSSIBLE: i32 = 1;
/// most of the evidence points there
pub const PK_CERTAINTY_LIKELY: i32 = 2;
/// the evidence allows nothing else
pub const PK_CERTAINTY_PROVED: i32 = 3;
pub const PK_BUBBLE_HEAVY: i32 = 1;
/// touches the edge of the capture
pub const PK_BUBBLE_AT_EDGE: i32 = 2;
/// the end of a step and the beginning of the next, which are listed as well
pub const PK_BUBBLE_INTER_STEP: i32 = 4;
/// the host was recorded: the _ps fields of the host mean something
pub const PK_BUBBLE_TRACED: i32 = 8;
/// A file of the capture. A pk_file_info each.
pub const PK_TABLE_FILES: i32 = 1;
/// A pk_device each.
pub const PK_TABLE_DEVICES: i32 = 2;
/// An event that has a place in time. Without a struct: by Arrow alone.
pub const PK_TABLE_EVENTS: i32 = 3;
/// Totals of one op on one line. A pk_op each.
pub const PK_TABLE_OPS: i32 = 4;
/// A step of a device. A pk_bubble_step each.
pub const PK_TABLE_STEPS: i32 = 5;
/// One execution of a kernel (on TPUs: of an op). A pk_kernel_row each.
pub const PK_TABLE_KERNELS: i32 = 6;
/// A gap of a device that is long enough to be listed. A pk_bubble each.
pub const PK_TABLE_GAPS: i32 = 7;
/// Why a device waited in a gap, as far as the capture shows. A pk_cause each.
pub const PK_TABLE_CAUSES: i32 = 8;
/// Totals of one communication op on one line. A pk_collective each.
pub const PK_TABLE_COLLECTIVES: i32 = 9;
/// A compiled module. A pk_module_info each.
pub const PK_TABLE_MODULES: i32 = 10;
/// An allocator of a host. A pk_memory_allocator each.
pub const PK_TABLE_ALLOCATORS: i32 = 11;
/// A buffer that is alive at the peak of the chosen module. A pk_live_buffer each.
pub const PK_TABLE_LIVE_BUFFERS: i32 = 12;
/// A point of the live curve of the chosen module. A pk_curve_point each.
pub const PK_TABLE_LIVE_CURVE: i32 = 13;
/// A launch of a Neutrino trace's log. A pk_probe_launch each.
pub const PK_TABLE_PROBE_LAUNCHES: i32 = 14;
/// Without a struct: by Arrow alone.
pub const PK_TABLE_PROBE_RECORDS: i32 = 15;
/// A pk_device_time each.
pub const PK_TABLE_DEVICE_TIME: i32 = 16;
/// A pk_fact each.
pub const PK_TABLE_FACTS: i32 = 17;
/// A pk_collective_call each.
pub const PK_TABLE_COLLECTIVE_CALLS: i32 = 18;
/// A pk_finding each.
pub const PK_TABLE_FINDINGS: i32 = 19;
/// A pk_op_group each.
pub const PK_TABLE_OP_GROUPS: i32 = 20;
pub const PK_OPS_CLOCK_ALIGNED: i32 = 0;
/// device_offset_ps and device_duration_ps, stats of every event
pub const PK_OPS_CLOCK_DEVICE: i32 = 1;
/// device_duration_ps where an event has it, else duration_ps; starts are aligned
pub const PK_OPS_CLOCK_MIXED: i32 = 2;
pub const PK_OP_HAS_METADATA_ID: i32 = 1;
pub const PK_OP_HAS_FLOPS: i32 = 2;
pub const PK_OP_HAS_BYTES_ACCESSED: i32 = 4;
/// alone or beside anything else
pub const PK_TIME_COMPUTE: i32 = 0;
/// nothing computes
pub const PK_TIME_EXPOSED_COMMUNICATION: i32 = 1;
/// nothing computes or communicates
pub const PK_TIME_EXPOSED_COPIES: i32 = 2;
pub const PK_TIME_OTHER_WORK: i32 = 3;
pub const PK_TIME_IDLE: i32 = 4;
/// not known: work was launched that was not recorded
pub const PK_TIME_NOT_RECORDED: i32 = 5;
pub const PK_DEVICE_TIME_IN_STEPS: i32 = 1;
pub const PK_DEVICE_TIME_HAS_CAUSE: i32 = 2;
/// what a framework wrote around its steps
pub const PK_FACT_ANNOTATION: i32 = 0;
/// scopes of modules: nn.Module, named scopes of programs
pub const PK_FACT_MODULE: i32 = 1;
/// shapes and types of operators, of kernels that a table lists, or of a program
pub const PK_FACT_SHAPE: i32 = 2;
/// names of kernels and their template arguments
pub const PK_FACT_KERNEL: i32 = 3;
/// groups of communication and settings of the run
pub const PK_FACT_GROUP: i32 = 4;
/// what the recorder says of the machine or of the run
pub const PK_FACT_RECORDER: i32 = 5;
/// how often something ran
pub const PK_FACT_COUNT: i32 = 6;
/// it is known who waits for whom
pub const PK_CALL_JUDGED: i32 = 1;
/// out of order beyond the bound of the clocks
pub const PK_CALL_VIOLATES: i32 = 2;
/// the name of the kernel
pub const PK_GROUP_BY_KERNEL: i32 = 0;
/// what that runs, without template arguments: "at::native::MulFunctor"
pub const PK_GROUP_BY_FUNCTION: i32 = 1;
/// of the compiled program: "fusion.3"
pub const PK_GROUP_BY_INSTRUCTION: i32 = 2;
/// the framework's operator that made it: "aten::addmm", "dot_general"
pub const PK_GROUP_BY_OP: i32 = 3;
/// the outermost operator around that: "aten::linear"
pub const PK_GROUP_BY_OUTER_OP: i32 = 4;
/// modules and scopes, one inside the other: "BertLayer_3", "Linear_0"
pub const PK_GROUP_BY_MODULE: i32 = 5;
/// the innermost module without its number: "Linear"
pub const PK_GROUP_BY_KIND_OF_MODULE: i32 = 6;
pub const PK_GROUP_BY_RANGE: i32 = 7;
/// the line of code: "model.py(31): forward", "model.py:31"
pub const PK_GROUP_BY_SOURCE: i32 = 8;
/// forward, recomputation, backward, optimizer
pub const PK_GROUP_BY_PHASE: i32 = 9;
/// of the operator's inputs
pub const PK_GROUP_BY_SHAPE: i32 = 10;
pub const PK_GROUP_BY_STEP: i32 = 11;
pub const PK_GROUP_BY_KIND: i32 = 12;
/// compute, comm, copy; as an XSpace writes it ("convolution fusion")
pub const PK_GROUP_BY_CATEGORY: i32 = 13;
/// the compiled program
pub const PK_GROUP_BY_PROGRAM: i32 = 14;
/// the line of the device
pub const PK_GROUP_BY_STREAM: i32 = 15;
pub const PK_GROUP_BY_DEVICE: i32 = 16;
/// a kernel: other streams of its device may compute meanwhile
pub const PK_COLLECTIVE_ON_STREAM: i32 = 1;
/// the start or the done of an asynchronous operation
pub const PK_COLLECTIVE_IS_HALF: i32 = 2;
/// the rows end where damage begins, instead of failing there
pub const PK_TABLE_SKIP_DAMAGE: i32 = 1;
/// Arrow: names as UTF-8 instead of dictionaries, for engines that refuse those
pub const PK_TABLE_PLAIN_TEXT: i32 = 2;
/// Arrow: unsigned columns as int64; a value past INT64_MAX fails with PK_E_LIMIT
pub const PK_TABLE_SIGNED: i32 = 4;
/// events: of pk_table_options::file alone; otherwise of all files but exports of others
pub const PK_TABLE_ONE_FILE: i32 = 8;
pub const PK_TABLE_ALLOW_EMPTY: i32 = 16;
pub const PK_COLUMN_INT64: i32 = 0;
pub const PK_COLUMN_UINT64: i32 = 1;
pub const PK_COLUMN_INT32: i32 = 2;
pub const PK_COLUMN_UINT32: i32 = 3;
pub const PK_COLUMN_BOOLEAN: i32 = 4;
pub const PK_COLUMN_TEXT: i32 = 5;
/// text that repeats: a dictionary
pub const PK_COLUMN_NAME: i32 = 6;

/// What went wrong, where, and what to do. Immutable; may be used and freed by any thread. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_error {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Lets any thread stop work that another thread is doing. Ownership: who made it frees it, when the calls that were given it
/// have returned. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_cancel_token {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// An opened capture: its files, held in memory (mapped, or decoded) and indexed. Immutable and
/// reference-counted. Functions that read it take `const pk_profile *`; those that keep a reference do not.
/// Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_profile {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The compiled modules of a capture: those embedded in XSpace files and those in files of their own, largest
/// first. Immutable; holds a reference to its profile. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_module_list {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Reads the events of a trace-event JSON file in the order of the file. Holds a reference to its profile. One thread at a
/// time. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_chrome_reader {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What the devices of a capture did: kernels of Ascend tables, Kineto and XLA traces, and XSpace planes. Immutable:
/// read it from any thread. Holds a reference to its profile. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_activity {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Where the memory of a capture goes: what the compiler assigned and what the allocators did. Immutable; holds a
/// reference to its profile. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_memory {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Writes an XSpace plane by plane, for profilers of one's own:
/// begin_plane { begin_line { event  event_stat* }*  end_line }*  plane_stat*  end_plane,   then finish
/// Metadata may be asked for, and given stats, at any time while its plane is open. A plane is held in memory until it
/// ends. Calls that return nothing keep the first failure, after which they do nothing; pk_xspace_writer_finish() and
/// pk_xspace_writer_status() return it. One thread at a time. Ownership: texts and values that it is given are copied.
/// Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_xspace_writer {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Reads an XSpace that its caller pushes in pieces of any size, plain, gzip or zstd, and hands its events on while it arrives.
/// Holds the event or entry of which not all bytes came, and of the open plane everything but its events. Its callbacks are
/// called inside pk_xspace_push_bytes() and pk_xspace_push_finish(), where the reader may not be used or freed. One thread at a
/// time. Ownership: bytes that it is given are borrowed for the call, and so is what callbacks are given. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_xspace_push {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Takes what a host recorded of its devices and of itself, in any order and without a file, and becomes a profile that every
/// analysis, table and document works on. One thread at a time. Ownership: structs, rows and texts that are handed to it are
/// copied. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_trace_builder {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Whether the collectives of several nodes happened in a possible order. Immutable; keeps nothing of the profiles.
/// Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_validation {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// An opened trace folder: what probes recorded inside GPU kernels. Immutable; keeps its profile open.
/// Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_probe {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The records of one map: holds its probe and the bytes of its file. One thread at a time. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_probe_records {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The clock of one node: a piecewise-linear map in exact integers, and how far it can be wrong. Immutable.
/// Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_clock {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What a merge did. Immutable. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_merge {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Why devices wait: idle gaps of every step with what is around them. Of XSpace, Kineto and Ascend captures.
/// Immutable; holds a reference to its profile. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_bubbles {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What model ran: passes, layers and their parts, read from the kernels of one device. Of XSpace, Kineto and Ascend
/// captures. Immutable; holds a reference to its profile. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_architecture {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Rows of one table, given once and in order: as structs, or as an Arrow stream. One thread at a time uses it. Ownership: it
/// holds a reference to the handle that it was opened on. Since 0.1.
#[repr(C)]
#[derive(Debug)]
pub struct pk_table {
    _private: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Receives the next bytes of a document, on the calling thread. Non-zero stops with PK_E_CANCELLED.
/// Since 0.1.
pub type pk_write_callback = Option<unsafe extern "C" fn(user: *mut c_void, data: *const c_void, size: usize) -> i32>;

/// A run of bytes, text unless said otherwise: not NUL-terminated, borrowed. Text comes as it stands in the
/// file and need not be valid UTF-8. `data` may be NULL when `size` is 0. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_str {
    pub data: *const c_char,
    pub size: usize,
}

impl Default for pk_str {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What a call may do on the host's behalf. Used during the call it is given to, never after. `log` and `progress`
/// are called by one thread at a time, which with `threads` \> 1 need not be the calling one. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_hooks {
    /// sizeof(pk_hooks)
    pub struct_size: u32,
    /// threads to work with; 0 and 1: the calling one. Results do not depend on it
    pub threads: u32,
    /// handed to `log` and `progress`
    pub user: *mut c_void,
    /// Receives remarks of level PK_LOG_; `message` is NUL-terminated and borrowed. May be NULL.
    pub log: Option<unsafe extern "C" fn(user: *mut c_void, level: i32, message: *const c_char)>,
    /// Called at most every 50 ms while work lasts; `total_bytes` is 0 when unknown. Non-zero stops the work
    /// with PK_E_CANCELLED. May be NULL.
    pub progress: Option<unsafe extern "C" fn(user: *mut c_void, done_bytes: u64, total_bytes: u64) -> i32>,
    /// may be NULL
    pub cancel: *const pk_cancel_token,
}

impl Default for pk_hooks {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Bounds on what hostile or broken input can make the library do. 0 is the default, UINT64_MAX no bound. What
/// goes over one is PK_E_LIMIT, and the message names the field. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_limits {
    /// sizeof(pk_limits)
    pub struct_size: u32,
    /// depth of messages, JSON and tuple shapes; default 100, at most 1000
    pub max_nesting: u32,
    /// decoded bytes of one file held in memory; default 8 GiB
    pub max_materialised_bytes: u64,
    /// decoded / encoded bytes, past ratio_free_bytes; default 1100
    pub max_decompression_ratio: u64,
    /// decoded bytes before the ratio is looked at; default 1 GiB
    pub ratio_free_bytes: u64,
    /// one JSON string or text line; default 64 MiB
    pub max_string_bytes: u64,
    /// files looked at below one directory; default 100 000
    pub max_files: u64,
}

impl Default for pk_limits {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Which part of a capture to look at. Texts are substrings; NULL and "" match everything. What takes filters says which; one
/// that is set and not taken is PK_E_INVALID_ARGUMENT. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_filters {
    /// sizeof(pk_filters)
    pub struct_size: u32,
    /// PK_FILTER_HAS_
    pub flags: u32,
    /// hosts
    pub host: *const c_char,
    /// planes of an XSpace; of what is about devices, the names of those
    pub plane: *const c_char,
    /// lines of a plane, threads and streams
    pub line: *const c_char,
    /// events, ops, modules; of what is about steps, the names of those
    pub name: *const c_char,
    /// position of a step among those of its device; with PK_FILTER_HAS_STEP
    pub step: u64,
    /// first instant, capture's clock; with PK_FILTER_HAS_FROM
    pub from_ps: i64,
    /// first instant after; with PK_FILTER_HAS_TO
    pub to_ps: i64,
}

impl Default for pk_filters {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_open_options {
    /// sizeof(pk_open_options)
    pub struct_size: u32,
    /// PK_OPEN_ bits
    pub flags: u32,
    /// PK_IO_
    pub io: i32,
    /// of buffers and callbacks: the rank in its run; with PK_OPEN_HAS_RANK
    pub rank: i32,
    /// in a parent of runs: NULL or "" the newest, "all" every one, else a folder name
    pub run: *const c_char,
    /// NULL: the defaults
    pub limits: *const pk_limits,
    /// NULL: none
    pub hooks: *const pk_hooks,
    /// Of buffers and callbacks: the name of the machine. It and the rank count before what the file says, in every table, document
    /// and merge. NULL, "": what the file says
    pub host: *const c_char,
}

impl Default for pk_open_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Positioned reads of the host. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_read_callbacks {
    /// sizeof(pk_read_callbacks)
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// handed to `read_at`
    pub user: *mut c_void,
    /// Writes up to `size` bytes from `offset` on to `into`; gives their number, 0 at the end, and a negative
    /// number on failure (PK_E_IO). Called by the opening thread only, unless PK_OPEN_ONE_PASS is set.
    pub read_at: Option<unsafe extern "C" fn(user: *mut c_void, offset: u64, into: *mut c_void, size: usize) -> i64>,
    /// of the whole input, still compressed; 0 when unknown
    pub size_bytes: u64,
    /// Called once, after the last read, when it is not NULL: what `user` needs may end then. Without PK_OPEN_ONE_PASS, and when
    /// opening fails, that is before pk_profile_open_callbacks() returns; else the thread that gives the last reference back calls
    /// it. Not called when `struct_size` is refused.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

impl Default for pk_read_callbacks {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_profile_info {
    /// as it was given
    pub path: pk_str,
    /// the capture's origin: the least known origin of its files, ns since 1970
    pub origin_unix_ns: i64,
    /// files that no reader knows
    pub ignored_count: u64,
    pub file_count: u32,
    /// runs found below a parent of runs; 0 for a file or a run directory
    pub run_count: u32,
    /// PK_PROFILE_
    pub flags: u32,
    pub reserved: u32,
}

impl Default for pk_profile_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A run below a parent of runs, newest first. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_run_info {
    /// folder name
    pub name: pk_str,
    /// of the folder
    pub path: pk_str,
    /// the profile holds this run's files
    pub chosen: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_run_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A file of the capture. A row of PK_TABLE_FILES. Filters that the table takes: none. Frozen; text is borrowed
/// from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_file_info {
    /// position in the capture
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// as given
    pub path: pk_str,
    /// host that was recorded, as the file or its name says
    pub host: pk_str,
    /// folder of the run; "" for a file that was given by its path
    pub run: pk_str,
    /// size on disk
    pub encoded_bytes: u64,
    /// the file's own time zero, since 1970; with PK_FILE_HAS_ORIGIN
    pub origin_unix_ns: i64,
    /// added to the file's times to put them on the capture's clock
    pub shift_ns: i64,
    /// PK_FAMILY_: format
    pub family: i32,
    /// PK_COMPRESSION_: how it is packed
    pub compression: i32,
    /// position of the file that this one repeats; -1: none
    pub export_of: i32,
    /// 0 when the file is not an XSpace
    pub plane_count: u32,
    /// PK_FILE_
    pub flags: u32,
    /// 0
    pub reserved1: u32,
}

impl Default for pk_file_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A plane of an XSpace. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_plane_info {
    /// as written; not unique
    pub id: i64,
    /// "/device:TPU:0"
    pub name: pk_str,
    /// PK_PLANE_: what it stands for
    pub kind: i32,
    /// N of "/device:TPU:N"; -1: none
    pub device_ordinal: i32,
    /// lines
    pub line_count: u32,
    /// facts of the plane itself
    pub stat_count: u32,
    /// entries as written: one that a later one replaces counts, too
    pub event_metadata_count: u64,
    /// names of stats, as written
    pub stat_metadata_count: u64,
}

impl Default for pk_plane_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What stands before a line's events: cheap to get. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_line_info {
    /// as written; not unique, and negative on lines derived from a GPU's
    pub id: i64,
    /// the name, else the display name where it is known
    pub name: pk_str,
    /// as written: relative to the file's origin, or since 1970
    pub timestamp_ns: i64,
    /// the same instant on the capture's clock: event offsets count from here; with PK_LINE_HAS_START
    pub start_ps: i64,
    /// PK_LINE_: what its events mean
    pub kind: i32,
    /// PK_LINE_HAS_
    pub flags: u32,
}

impl Default for pk_line_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What is known only after a pass over a whole line. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_line_summary {
    /// those before damage, if there is any
    pub event_count: u64,
    /// as written
    pub display_id: i64,
    /// as written
    pub display_name: pk_str,
    /// as written; 0 in every real file seen
    pub duration_ps: i64,
}

impl Default for pk_line_summary {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One event. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_event {
    /// for pk_event_metadata_get(); may have no entry
    pub metadata_id: i64,
    /// on the capture's clock; 0 without PK_EVENT_HAS_START
    pub start_ps: i64,
    /// after the line's own zero, as written; 0 when it was not
    pub offset_ps: i64,
    /// 0: an instant
    pub duration_ps: i64,
    /// of an aggregated event, else 0
    pub num_occurrences: i64,
    /// for pk_event_stats(), of a capture that arrives pk_stats_begin(); borrowed
    pub stats: *const c_void,
    /// 0: the event has no stats of its own
    pub stats_bytes: u32,
    /// PK_EVENT_
    pub flags: u32,
}

impl Default for pk_event {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A position in the events of a line. Lives where the caller puts it, needs no release, and borrows the
/// profile: using it after the last pk_profile_free() is an error of the caller. Its content is private; a
/// zeroed cursor is rejected. It may be copied. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_event_cursor {
    pub priv_: [u64; 8],
}

impl Default for pk_event_cursor {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One stat, its names resolved. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_stat {
    pub metadata_id: i64,
    /// "" when the id has no entry
    pub name: pk_str,
    /// of str, bytes (then it is no text) and ref; else empty
    pub text: pk_str,
    /// of double (IEEE 754), uint64, int64 (two's complement) and ref; else 0
    pub bits: u64,
    /// PK_STAT_
    pub kind: i32,
    /// PK_ORIGIN_
    pub origin: i32,
}

impl Default for pk_stat {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A position in a list of stats. As pk_event_cursor: by value, borrows the profile. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_stat_cursor {
    pub priv_: [u64; 8],
}

impl Default for pk_stat_cursor {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What the events with one id share. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_event_metadata {
    /// the key that events name it by
    pub id: i64,
    /// of the events
    pub name: pk_str,
    /// shorter; "" when there is none
    pub display_name: pk_str,
    /// opaque bytes of the recorder
    pub metadata: pk_str,
    /// entries that it names as its children
    pub child_count: usize,
}

impl Default for pk_event_metadata {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What a stat id means. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_stat_metadata {
    /// the key that stats name it by
    pub id: i64,
    /// of the stat
    pub name: pk_str,
    /// as written
    pub description: pk_str,
}

impl Default for pk_stat_metadata {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A position in the metadata entries of a plane. As pk_event_cursor: by value, borrows the profile. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_metadata_cursor {
    pub priv_: [u64; 8],
}

impl Default for pk_metadata_cursor {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A compiled module. A row of PK_TABLE_MODULES. Filters that the table takes: host, name. Frozen; text is
/// borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_module_info {
    /// position of the file
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// of the event metadata entry that carries it
    pub metadata_id: i64,
    /// as the entry or the file name says
    pub name: pk_str,
    /// as the module itself says
    pub module_name: pk_str,
    /// as the module itself says
    pub module_id: i64,
    /// computations
    pub computation_count: u64,
    /// instructions of all computations
    pub instruction_count: u64,
    /// the serialized xla.HloProto
    pub hlo_proto: pk_str,
    /// the *.hlo_proto.pb beside it; "" when there is none
    pub sibling_path: pk_str,
    /// position of the plane that carries it; -1: a file of its own
    pub plane: i32,
    /// PK_SIBLING_: how the two compare
    pub sibling: i32,
    /// PK_MODULE_
    pub flags: u32,
    /// 0
    pub reserved1: u32,
}

impl Default for pk_module_info {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One event of a trace-event JSON file. Text has its escapes undone. Frozen; text is borrowed until the next
/// read. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_chrome_event {
    /// as recorded
    pub name: pk_str,
    /// as recorded
    pub category: pk_str,
    /// of asynchronous and flow events
    pub id: pk_str,
    /// a number or a string, as written
    pub pid: pk_str,
    /// a number or a string, as written
    pub tid: pk_str,
    /// JSON text of the args object, as written; "" when there is none
    pub args: pk_str,
    /// relative to zero_us of the summary; never of M events; with PK_CHROME_HAS_START
    pub start_ps: i64,
    /// as recorded; with PK_CHROME_HAS_DURATION
    pub duration_ps: i64,
    /// of the event in the decoded file
    pub byte_offset: u64,
    /// 'X', 'B', 'M', …; 0 when it is not one character
    pub phase: i32,
    /// PK_CHROME_
    pub flags: u32,
}

impl Default for pk_chrome_event {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What a trace-event JSON file was like, as far as it was read. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_chrome_summary {
    /// events
    pub event_count: u64,
    /// stretches of text that are no event
    pub broken_count: u64,
    /// events whose ts or dur is no number or out of range
    pub unusable_time_count: u64,
    /// what 0 of start_ps is on the file's own clock: 0, or whole seconds
    pub zero_us: i64,
}

impl Default for pk_chrome_summary {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to read. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_activity_options {
    /// sizeof(pk_activity_options)
    pub struct_size: u32,
    /// PK_ACTIVITY_
    pub flags: u32,
    /// plane; NULL: everything
    pub filters: *const pk_filters,
    /// whole names of the host's step markers, a regular expression of RE2
    pub step_pattern: *const c_char,
    /// NULL: none
    pub hooks: *const pk_hooks,
}

impl Default for pk_activity_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A device of one rank, process or file. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_activity_device {
    /// as recorded
    pub name: pk_str,
    /// its number on its machine; -1: not recorded
    pub ordinal: i64,
    /// kernels
    pub kernel_count: u64,
    /// of its times
    pub timestamp_resolution_ps: i64,
    /// position of the file
    pub file: u32,
    /// position of its plane in an XSpace; -1 in other files
    pub plane: i32,
    /// rank in a distributed run; -1: not recorded
    pub rank: i32,
    /// devices of one host have the same
    pub host_group: u32,
    /// PK_ACCELERATOR_: what it is
    pub accelerator: i32,
    /// PK_DEVICE_
    pub flags: u32,
}

impl Default for pk_activity_device {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One execution of a kernel (on TPUs: of an op). A row of PK_TABLE_KERNELS. Filters that the table takes: plane.
/// Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_kernel_row {
    /// position of the file
    pub file: u32,
    /// position in devices
    pub device: i32,
    /// hardware id; -1 where it is not on record; with PK_KERNEL_HAS_STREAM
    pub stream: i64,
    /// as recorded
    pub name: pk_str,
    /// as recorded, else taken from the name
    pub op_type: pk_str,
    /// execution unit as written; "" when the source has none
    pub core: pk_str,
    /// of the table's own column; "" without one
    pub step_id: pk_str,
    /// capture's clock
    pub start_ps: i64,
    /// on the timeline
    pub duration_ps: i64,
    /// the source's own wait column; with PK_KERNEL_HAS_WAIT
    pub wait_ps: i64,
    /// when the host launched it; with PK_KERNEL_HAS_LAUNCH
    pub launch_ps: i64,
    /// as recorded
    pub input_shapes: pk_str,
    /// as recorded
    pub output_shapes: pk_str,
    /// as recorded
    pub input_types: pk_str,
    /// innermost operator of the framework that launched it: "aten::addmm", "dot_general"
    pub framework_op: pk_str,
    /// outermost operator around that: "aten::linear"
    pub outer_op: pk_str,
    /// modules around the launch, from outside in: "BertModel_0/Linear_3"
    pub module: pk_str,
    /// marked ranges that were open at the launch, from outside in: "forward \> attention"
    pub range: pk_str,
    /// line of code that is not the framework's: "model.py(31): forward"
    pub source: pk_str,
    /// of a training step: forward, recomputation, backward or optimizer
    pub phase: pk_str,
    /// compiled program that it is of: "jit_f(7)"
    pub program: pk_str,
    /// line of a table, ordinal of a JSON event, byte offset in an XSpace
    pub source_row: u64,
    /// PK_KERNEL_: what it counts as
    pub kind: i32,
    /// PK_KERNEL_
    pub flags: u32,
}

impl Default for pk_kernel_row {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Which part of a capture to look at, and how much of it to show. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_document_options {
    /// sizeof(pk_document_options)
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// all of them; NULL: everything
    pub filters: *const pk_filters,
    /// rows a list; 0: the default; PK_LIMIT_NONE: all
    pub limit: u64,
    /// the most the document takes: lists end early for it, and texts of 300 bytes. What stands around
    /// the lists takes up to 20,000, of PK_DOCUMENT_REPORT more. 0: the document's own bound
    pub max_bytes: u64,
    /// NULL: none
    pub hooks: *const pk_hooks,
    /// What of the capture a document is about; NULL: all of it.
    /// PK_DOCUMENT_MODULES: a compiled module, by its name or a part of it. With the instructions of its entry computation, which
    /// `limit` counts: `profkit modules --dump NAME --json`.
    /// PK_DOCUMENT_EXPLAIN: a finding, by the id that PK_DOCUMENT_REPORT, _BRIEF or _EXPLAIN has under the same options. With its
    /// evidence and what happened around it, in 8 KB at most: `profkit explain PATH ID --json`.
    /// PK_DOCUMENT_OP_GROUPS: what ops are summed by, in the words of pk_group_key_name(); several with commas between them make a
    /// tree: `profkit ops PATH --by KEYS --json`. NULL: by operator.
    pub of: *const c_char,
}

impl Default for pk_document_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// What to analyse. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_memory_options {
    /// sizeof(pk_memory_options)
    pub struct_size: u32,
    /// PK_MEMORY_
    pub flags: u32,
    /// host, step (its window); NULL: everything
    pub filters: *const pk_filters,
    /// name or id; NULL: the module with the highest peak
    pub module: *const c_char,
    /// rows of each list of the document; 0: 30; PK_LIMIT_NONE: all
    pub top: u64,
    /// with PK_MEMORY_HAS_FIT: does the highest need fit?
    pub fit_bytes: u64,
    /// at most so many points of the live curve; 0: none
    pub curve_points: u64,
    /// of the document's timeline; 0: 200
    pub time_samples: u64,
    /// boundaries of steps that a persistent block outlives; 0: 2
    pub persistent_threshold_steps: u32,
    /// PK_STEP_POLICY_
    pub step_policy: i32,
    /// NULL: none
    pub hooks: *const pk_hooks,
    /// color of the memory space that is looked into
    pub memory_space: i64,
    /// "remat=NAME" or "offload=NAME" each: the document answers them
    pub what_if: *const *const c_char,
    pub what_if_count: usize,
}

impl Default for pk_memory_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A compiled module and its memory. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_memory_module {
    /// as the module says
    pub name: pk_str,
    /// name and program id: "jit_f(12)"
    pub label: pk_str,
    /// decimal, as the capture writes it
    pub program_id: pk_str,
    /// path of the first place it was found in
    pub source: pk_str,
    /// places it was found in
    pub source_count: u64,
    /// memory spaces; 0 without a buffer assignment
    pub space_count: u64,
    /// the document says which
    pub problem_count: u64,
    /// the bytes do not parse to the end
    pub damaged: u32,
    /// the live buffers and the curve are of this module
    pub chosen: u32,
}

impl Default for pk_memory_module {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One memory space of a module. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_memory_space {
    /// which one
    pub color: i64,
    /// allocations without thread-local ones: XProf's total
    pub total_bytes: i64,
    /// indefinite bytes, and the peak of temporary memory
    pub peak_bytes: i64,
    /// heap event, or schedule position of a sweep; -1: none
    pub peak_event: i64,
    /// parameters, constants and results
    pub indefinite_bytes: i64,
    /// temporary allocations
    pub temp_bytes: i64,
    /// peak of temporary memory
    pub temp_peak_bytes: i64,
    /// not in total_bytes
    pub thread_local_bytes: i64,
    /// temporary allocations that the peak looks at, minus the peak in them
    pub fragmentation_bytes: i64,
    /// in use at every moment
    pub residency_floor_bytes: i64,
    /// where the peak is reached
    pub peak_instruction: pk_str,
    /// what the peak counts and what it does not
    pub coverage: pk_str,
    /// PK_PEAK_METHOD_: how the peak was found
    pub method: i32,
    /// PK_PEAK_BOUND_: whether the peak is exact, or what bounds it
    pub bound: i32,
}

impl Default for pk_memory_space {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// An allocator of a host. A row of PK_TABLE_ALLOCATORS. Filters that the table takes: host. Frozen; text is
/// borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_memory_allocator {
    /// position of the file
    pub file: u32,
    /// position in devices; -1: host memory
    pub device: i32,
    /// whose it is
    pub host: pk_str,
    /// XProf's key
    pub name: pk_str,
    /// highest heap
    pub heap_peak_bytes: i64,
    /// highest sum of reserved and allocated
    pub occupancy_peak_bytes: i64,
    /// when it was reached, capture's clock
    pub occupancy_peak_ps: i64,
    /// of the memory, as the allocator counts it
    pub capacity_bytes: i64,
    /// allocated before the capture began
    pub pre_trace_bytes: i64,
    /// of blocks that the capture did not see allocated
    pub unmatched_frees: u64,
    /// PK_ALLOCATOR_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_memory_allocator {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak. A row of
/// PK_TABLE_LIVE_BUFFERS. Filters that the table takes: none. Frozen; text is borrowed from what gave the row.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_live_buffer {
    /// position of the file that carries the module
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// -1: the allocation has no assigned buffer
    pub logical_buffer_id: i64,
    /// of the buffer
    pub size_bytes: i64,
    /// of the allocation it lies in
    pub allocation_index: i64,
    /// in the allocation
    pub offset_bytes: i64,
    /// of the instruction that defines it; with PK_LIVE_BUFFER_HAS_INSTRUCTION
    pub instruction_id: i64,
    /// of that instruction
    pub instruction_name: pk_str,
    /// of that instruction
    pub opcode: pk_str,
    /// framework op
    pub op_name: pk_str,
    /// where the instruction stands
    pub computation_name: pk_str,
    /// "" past the first `top` rows
    pub shape: pk_str,
    /// which part of the instruction's result; none for the whole
    pub shape_index: *const i64,
    /// of it
    pub shape_index_count: usize,
    /// as the module says
    pub source_file: pk_str,
    /// as the module says
    pub source_line: i64,
    /// PK_RESIDENCY_: why it is alive
    pub residency: i32,
    /// PK_LIVE_BUFFER_
    pub flags: u32,
}

impl Default for pk_live_buffer {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A point of the live curve of the chosen module; of pk_memory_table() only where pk_memory_options::curve_points
/// asked for it. A row of PK_TABLE_LIVE_CURVE. Filters that the table takes: none. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_curve_point {
    /// position of the file that carries the module
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// heap event, or schedule position of a sweep
    pub event: i64,
    /// alive then
    pub live_bytes: i64,
}

impl Default for pk_curve_point {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to write. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_options {
    /// sizeof(pk_trace_options)
    pub struct_size: u32,
    /// PK_TRACE_LIKE_XLA and so on
    pub flags: u32,
    /// PK_TRACE_JSON and so on
    pub format: i32,
    /// 0
    pub reserved: u32,
    /// all of them; NULL: everything
    pub filters: *const pk_filters,
    /// NULL: none
    pub hooks: *const pk_hooks,
}

impl Default for pk_trace_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// What was written, and what was not. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_outcome {
    /// PK_DOCUMENT_STATUS_: absent when nothing has events, partial when some input is damaged
    pub status: i32,
    /// 0
    pub reserved: u32,
    /// tracks
    pub tracks: u64,
    /// further tracks, for events that overlap others of their line
    pub lanes: u64,
    /// slices, instants and rows
    pub events: u64,
    /// counter values
    pub counters: u64,
    /// ends of flows
    pub flows: u64,
    /// events without a place in time
    pub aggregated_left_out: u64,
    /// events more than 106 days from the origin
    pub out_of_reach: u64,
    /// events that still overlap others
    pub crowded: u64,
}

impl Default for pk_trace_outcome {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_value {
    /// PK_VALUE_
    pub kind: i32,
    pub reserved: u32,
    /// an integer, or the bits of a double
    pub bits: u64,
    /// of PK_VALUE_TEXT and PK_VALUE_BYTES
    pub text: pk_str,
}

impl Default for pk_value {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// How an XSpace is written. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_writer_options {
    /// sizeof(pk_writer_options)
    pub struct_size: u32,
    /// PK_WRITER_
    pub flags: u32,
    /// the most that an open plane may take in memory; more is PK_E_LIMIT. 0, PK_LIMIT_NONE: no bound
    pub max_plane_bytes: u64,
    /// NULL: none. `cancel` and `progress`, whose total is 0, are asked whenever bytes are written: at the end of each plane.
    pub hooks: *const pk_hooks,
}

impl Default for pk_writer_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A plane as far as it is known when its first line begins: writers put id and name first. Frozen; text is
/// borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_pushed_plane {
    /// its position in the capture
    pub plane: u32,
    /// 0
    pub reserved: u32,
    /// 0 while none came
    pub id: i64,
    /// "" while none came
    pub name: pk_str,
}

impl Default for pk_pushed_plane {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A line. Before its first event it has what stands before that event, whatever the pieces; line_end has all of
/// it. Writers put id, name and timestamp first, but need not. Frozen; text is borrowed from what gave the row.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_pushed_line {
    /// position in the capture
    pub plane: u32,
    /// position in the plane
    pub line: u32,
    /// as written
    pub id: i64,
    /// as written
    pub display_id: i64,
    /// as written
    pub name: pk_str,
    /// as written
    pub display_name: pk_str,
    /// what the offsets of its events count from: since 1970, or since the profile's start
    pub timestamp_ns: i64,
    /// 0 in files seen so far
    pub duration_ps: i64,
    /// events that were handed on so far
    pub event_count: u64,
    /// PK_PUSHED_LINE_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_pushed_line {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What takes a capture that arrives: planes one after the other, and their lines one after the other. NULL: not called. Each gives
/// 0 to go on; another number ends the reading with PK_E_CANCELLED. What is handed over is borrowed for the call. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_push_callbacks {
    /// sizeof(pk_push_callbacks)
    pub struct_size: u32,
    /// 0
    pub reserved: u32,
    /// handed to each
    pub user: *mut c_void,
    /// A plane whose first line begins, or that ends without one.
    pub plane_begin: Option<unsafe extern "C" fn(user: *mut c_void, plane: *const pk_pushed_plane) -> i32>,
    pub line_begin: Option<unsafe extern "C" fn(user: *mut c_void, line: *const pk_pushed_line) -> i32>,
    /// The next events of a line, in the order of the file. The name of an event is that of its metadata_id, which plane_end knows.
    /// start_ps is not known; an event begins line-\>timestamp_ns and offset_ps after time zero of the file.
    pub events: Option<unsafe extern "C" fn(user: *mut c_void, line: *const pk_pushed_line, events: *const pk_event, count: usize) -> i32>,
    pub line_end: Option<unsafe extern "C" fn(user: *mut c_void, line: *const pk_pushed_line) -> i32>,
    /// All of a plane has come. `rest` has one file with this plane alone, without its events: names, metadata, stats, headers of
    /// lines. It may be kept with pk_profile_ref(). Starts of lines count from its own origin, and positions in its own bytes.
    pub plane_end: Option<unsafe extern "C" fn(user: *mut c_void, plane: u32, rest: *mut pk_profile) -> i32>,
    /// A host name, error or warning (PK_NOTE_) that the capture carries; with the plane after it, or at the end.
    pub note: Option<unsafe extern "C" fn(user: *mut c_void, kind: i32, text: *const pk_str) -> i32>,
    /// Something is damaged, at pk_error_byte_offset(why). What is intact around it comes nevertheless.
    pub damage: Option<unsafe extern "C" fn(user: *mut c_void, why: *const pk_error) -> i32>,
}

impl Default for pk_push_callbacks {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_push_options {
    /// sizeof(pk_push_options)
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// stands for the path in messages
    pub label: pk_str,
    /// NULL: the defaults. max_materialised_bytes bounds an event or entry that is not all there, and the rest of a plane
    pub limits: *const pk_limits,
}

impl Default for pk_push_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_builder_options {
    /// sizeof(pk_trace_builder_options)
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// stands for the path in messages and documents; empty: "recording"
    pub label: pk_str,
    /// who recorded it, for people: "mytracer 1.2"
    pub recorder: pk_str,
    /// what rows and names may take in memory; 0: 8 GiB; PK_LIMIT_NONE: no bound
    pub max_bytes: u64,
}

impl Default for pk_trace_builder_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A process of a run, which becomes a file of the profile: its devices and threads share a clock and a rank. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_host {
    /// sizeof(pk_trace_host)
    pub struct_size: u32,
    /// PK_TRACE_HOST_
    pub flags: u32,
    /// of its machine; may be empty
    pub name: pk_str,
    /// Unix ns of time zero of its rows, by which hosts are put on one clock; with PK_TRACE_HOST_HAS_ORIGIN
    pub origin_unix_ns: i64,
    /// in the run; with PK_TRACE_HOST_HAS_RANK
    pub rank: i32,
    /// ranks of the whole run; 0: not known
    pub world_size: i32,
}

impl Default for pk_trace_host {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A device of a host. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_device {
    /// sizeof(pk_trace_device)
    pub struct_size: u32,
    /// PK_TRACE_DEVICE_
    pub flags: u32,
    /// "GPU 0"
    pub name: pk_str,
    /// "NVIDIA H100 80GB HBM3", by which its peaks are known; may be empty
    pub model: pk_str,
    /// its number on its machine, not negative; with PK_TRACE_DEVICE_HAS_ORDINAL
    pub ordinal: i64,
    /// the number of its host
    pub host: u32,
    /// PK_ACCELERATOR_
    pub accelerator: i32,
}

impl Default for pk_trace_device {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A queue of a device, which runs one kernel after another. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_stream {
    /// sizeof(pk_trace_stream)
    pub struct_size: u32,
    /// the number of its device
    pub device: u32,
    /// as its device counts
    pub id: i64,
    /// empty: "stream ID"
    pub name: pk_str,
}

impl Default for pk_trace_stream {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A thread of a host. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_thread {
    /// sizeof(pk_trace_thread)
    pub struct_size: u32,
    /// the number of its host
    pub host: u32,
    /// "python 4711"
    pub process: pk_str,
    /// "main thread"
    pub name: pk_str,
}

impl Default for pk_trace_thread {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A number over time, which exports to trace viewers show. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_counter {
    /// sizeof(pk_trace_counter)
    pub struct_size: u32,
    /// PK_TRACE_OF_DEVICE
    pub flags: u32,
    /// whose it is
    pub owner: u32,
    /// 0
    pub reserved: u32,
    /// of a host: whose it is, as of its threads
    pub process: pk_str,
    /// "power"
    pub name: pk_str,
    /// "W"; may be empty
    pub unit: pk_str,
}

impl Default for pk_trace_counter {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Where memory comes from: the analysis of memory replays what it gives out and gets back. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_allocator {
    /// sizeof(pk_trace_allocator)
    pub struct_size: u32,
    /// PK_TRACE_OF_DEVICE: it serves a device; else it is memory of the host
    pub flags: u32,
    /// whose it is
    pub owner: u32,
    /// 0
    pub reserved: u32,
    /// a second one of the same name gets a number
    pub name: pk_str,
}

impl Default for pk_trace_allocator {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// One execution of a kernel, a copy or a collective on a stream. Texts may be empty. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_kernel {
    pub name: pk_str,
    /// of the framework that launched it: "aten::addmm". Without op, module and program the spans around its launch say it
    pub op: pk_str,
    /// from outside in: "Net/layer_0/attn"
    pub module: pk_str,
    /// that was compiled: "jit_step(7)"
    pub program: pk_str,
    /// "\[\[8, 4], \[4, 4]]"
    pub input_shapes: pk_str,
    /// "\[\"bf16\", \"bf16\"]"
    pub input_types: pk_str,
    /// which it multiplies: "f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8"; with flops
    pub number_type: pk_str,
    /// of a collective: its process group
    pub group: pk_str,
    /// the ranks of that group: "\[0, 4]"
    pub group_ranks: pk_str,
    /// a JSON object of what else is known, for exports
    pub arguments: pk_str,
    /// with PK_TRACE_KERNEL_HAS_WORK; not negative
    pub flops: i64,
    /// moved from and to memory; with PK_TRACE_KERNEL_HAS_WORK; not negative
    pub bytes: i64,
    /// its number among the collectives of its group; with PK_TRACE_KERNEL_HAS_SEQUENCE; not negative
    pub group_sequence: i64,
    /// by this rank; with PK_TRACE_KERNEL_HAS_MESSAGE; not negative
    pub sent_bytes: i64,
    /// by this rank; with PK_TRACE_KERNEL_HAS_MESSAGE; not negative
    pub received_bytes: i64,
    /// on the clock of its host, as all times of rows
    pub start_ps: i64,
    /// not negative
    pub duration_ps: i64,
    /// when the host launched it; with PK_TRACE_KERNEL_HAS_LAUNCH
    pub launch_ps: i64,
    /// that of the span of its host that launched it, which says more than launch_ps; 0: none
    pub correlation: u64,
    /// the number of its stream
    pub stream: u32,
    /// PK_KERNEL_COMPUTE, …; with PK_TRACE_KERNEL_HAS_KIND
    pub kind: i32,
    /// PK_TRACE_KERNEL_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_trace_kernel {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What a thread did for a while. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_span {
    /// one that marks a step, such as "ProfilerStep#7", makes a step
    pub name: pk_str,
    /// a JSON object of what else is known, for exports; may be empty
    pub arguments: pk_str,
    pub start_ps: i64,
    /// not negative
    pub duration_ps: i64,
    /// of what it launched; the first span with a number counts; 0: none
    pub correlation: u64,
    /// the number of its thread
    pub thread: u32,
    /// PK_SPAN_
    pub kind: i32,
    /// PK_LAUNCH_
    pub launches: i32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_trace_span {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A step of the program, as its host saw it. With a duration it ends there, or with the last kernel that it launched; without one
/// where the next step begins. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_step {
    pub name: pk_str,
    pub start_ps: i64,
    /// not negative
    pub duration_ps: i64,
    /// with PK_TRACE_STEP_HAS_NUMBER; not negative
    pub number: i64,
    /// the number of the thread that marked it
    pub thread: u32,
    /// PK_TRACE_STEP_
    pub flags: u32,
}

impl Default for pk_trace_step {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// The value of a counter from an instant on. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_value {
    pub at_ps: i64,
    /// finite
    pub value: f64,
    /// the number of its counter
    pub counter: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_trace_value {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Memory that was given out, or came back. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_trace_allocation {
    /// for what; may be empty
    pub op: pk_str,
    pub at_ps: i64,
    /// the same when it comes back
    pub address: u64,
    /// that were asked for
    pub bytes: i64,
    /// taken for it, rounding included; 0: `bytes`
    pub held_bytes: i64,
    /// the number of its allocator
    pub allocator: u32,
    /// PK_TRACE_ALLOCATION_
    pub flags: u32,
}

impl Default for pk_trace_allocation {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to show of a message. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_dump_options {
    /// sizeof(pk_dump_options)
    pub struct_size: u32,
    /// PK_DUMP_
    pub format: i32,
    /// Name of the message type, with or without a package, or "raw": every field by its number. NULL: what the kind of
    /// file says.
    pub type_: *const c_char,
    /// elements shown of each repeated field; 0, PK_LIMIT_NONE: all
    pub limit: u64,
    /// how the file is read, its limits and hooks; NULL: the defaults
    pub open: *const pk_open_options,
}

impl Default for pk_dump_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_validation_options {
    /// sizeof(pk_validation_options)
    pub struct_size: u32,
    /// PK_VALIDATION_
    pub flags: u32,
    /// error of every time, instead of what the trace says; with PK_VALIDATION_HAS_BOUND
    pub bound_ps: i64,
    /// an offset known less well than this is undecidable; 0: 1 ms
    pub max_bound_ps: i64,
    pub hooks: *const pk_hooks,
    /// rows of each list of the document; 0: the default; PK_LIMIT_NONE: all
    pub limit: u64,
}

impl Default for pk_validation_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Whether the collectives of several nodes happened in a possible order. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_validation_summary {
    /// PK_DOCUMENT_STATUS_: absent when nothing could be compared
    pub status: i32,
    /// nodes
    pub node_count: u32,
    /// invocations compared
    pub group_count: u64,
    /// beyond the error of the clocks
    pub violations: u64,
    /// whatever the error of the clocks
    pub violations_raw: u64,
    /// pairs of nodes of which one ended before the other began
    pub pair_violations: u64,
    /// invocations in order
    pub overlaps: u64,
    /// who waits for whom, or who takes part, is unknown
    pub unjudged: u64,
    /// the document says which
    pub warnings: u64,
    /// nodes whose offset is known less well than max_bound_ps, or not at all
    pub undecidable: u64,
    /// times are of corrected clocks
    pub clocks_corrected: u32,
    /// of every node it is known how wrong its clock can be
    pub bounds_known: u32,
}

impl Default for pk_validation_summary {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What collectives alone say of a node's clock against the first node's: its time less the first node's is offset
/// + drift * (t - pivot). Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_clock_interval {
    /// the node
    pub node_id: i64,
    /// where the offsets hold
    pub pivot_ps: i64,
    /// no less
    pub least_offset_ps: i64,
    /// no more
    pub most_offset_ps: i64,
    /// the best guess
    pub point_offset_ps: i64,
    /// no less
    pub least_drift_ppm: f64,
    /// no more
    pub most_drift_ppm: f64,
    /// the best guess
    pub point_drift_ppm: f64,
    /// collectives that both nodes took part in
    pub constraints: u64,
    /// known to max_bound_ps
    pub decidable: u32,
    /// 0: the collectives contradict one another, or none joins this node
    pub feasible: u32,
}

impl Default for pk_clock_interval {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A launch of a Neutrino trace's log. A row of PK_TABLE_PROBE_LAUNCHES. Filters that the table takes: none.
/// Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_launch {
    /// position of the trace folder
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// position in the log
    pub launch: u64,
    /// name of the kernel
    pub kernel: pk_str,
    /// the driver's handle, "0x8209510"
    pub function: pk_str,
    /// base name of its record file; "" without one
    pub bin: pk_str,
    /// of the record file; -1: it is not there
    pub bin_position: i64,
    /// since 1970; with PK_PROBE_HAS_TIME
    pub time_ns: i64,
    /// arguments of the kernel
    pub params: *const u64,
    /// of it
    pub params_count: usize,
    /// taken by the probe; with PK_PROBE_HAS_MEMORY
    pub probe_memory_bytes: u64,
    /// before the kernel; with PK_PROBE_HAS_DURATIONS
    pub prologue_ps: i64,
    /// the kernel; with PK_PROBE_HAS_DURATIONS
    pub kernel_ps: i64,
    /// after the kernel; with PK_PROBE_HAS_DURATIONS
    pub epilogue_ps: i64,
    /// PK_PROBE_OUTCOME_: how it ended
    pub outcome: i32,
    /// blocks; with PK_PROBE_HAS_GEOMETRY
    pub grid: [u32; 3],
    /// threads of a block; with PK_PROBE_HAS_GEOMETRY
    pub block: [u32; 3],
    /// shared memory of a block; with PK_PROBE_HAS_GEOMETRY
    pub shared_bytes: u32,
    /// PK_PROBE_HAS_
    pub flags: u32,
    /// 0
    pub reserved1: u32,
}

impl Default for pk_probe_launch {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A record file of a Neutrino trace. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_bin {
    /// base name
    pub name: pk_str,
    /// where it is
    pub path: pk_str,
    /// its size
    pub bytes: u64,
    /// from the driver's start to the end of the launch; -1: not in the name
    pub elapsed_us: i64,
    /// position of its launch in the log; -1: no launch of the log names it
    pub launch: i64,
    /// 0 when the file is damaged
    pub map_count: u32,
    /// shared memory of a block
    pub shared_bytes: u32,
    /// blocks
    pub grid: [u32; 3],
    /// threads of a block
    pub block: [u32; 3],
}

impl Default for pk_probe_bin {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One map of a record file. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_map {
    /// as the probe calls it
    pub name: pk_str,
    /// PK_PROBE_LEVEL_: who has a slot of its own
    pub level: i32,
    /// PK_PROBE_
    pub flags: u32,
    /// size of a record
    pub record_bytes: u32,
    /// fields of a record
    pub field_count: u32,
    /// size of a lane
    pub lane_bytes: u64,
    /// records a lane has room for
    pub capacity: u64,
    /// of the region in the file
    pub offset: u64,
    /// size of the region
    pub bytes: u64,
    /// what the file has of it
    pub present_bytes: u64,
    /// of the region, as the file's own table says
    pub recorded_offset: u64,
    /// lanes of a block
    pub lanes_per_block: u64,
    /// that the file holds
    pub lanes: u64,
}

impl Default for pk_probe_map {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One field of a map's records, in the order of memory: unsigned, little endian. Frozen; text is borrowed from
/// what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_field {
    /// as the probe calls it
    pub name: pk_str,
    /// 8 or 4
    pub bytes: u32,
    /// in the record
    pub offset: u32,
    /// place in the probe's description
    pub declared: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_probe_field {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// One record that was written. Frozen; `data` is borrowed from the pk_probe_records. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_record {
    pub block: u64,
    pub lane: u64,
    /// of its lane
    pub k: u64,
    pub data: *const c_void,
}

impl Default for pk_probe_record {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to look at. NULL and "" match everything. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_probe_query {
    /// sizeof(pk_probe_query)
    pub struct_size: u32,
    /// PK_PROBE_QUERY_HAS_
    pub flags: u32,
    /// PK_PROBE_SLICE_
    pub slice: i32,
    /// of the density's grid; 0: 16 columns, 160 of a picture
    pub width: u32,
    /// 0: 10 rows, 100 of a picture
    pub height: u32,
    /// 0
    pub reserved: u32,
    /// number of a launch, or name of a record file
    pub launch: *const c_char,
    /// name of a map, or its number
    pub map: *const c_char,
    /// slice records, with PK_PROBE_QUERY_HAS_BLOCK
    pub block: u64,
    /// slice records, with PK_PROBE_QUERY_HAS_LANE
    pub lane: u64,
    /// rows a list; 0: 100 of JSON, all of other formats; PK_LIMIT_NONE: all
    pub limit: u64,
    /// NULL: none
    pub hooks: *const pk_hooks,
    /// PK_PROBE_JSON, PK_PROBE_CSV, PK_PROBE_SVG
    pub format: i32,
    /// 0
    pub reserved1: u32,
    /// of a picture; NULL: the names of kernel, record file and map
    pub title: *const c_char,
}

impl Default for pk_probe_query {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// Both clocks of a node read together: ns of each, and ps beyond them in \[0, 1000). Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_clock_pair {
    pub tracer_ns: i64,
    pub host_ns: i64,
    pub tracer_sub_ps: i32,
    pub host_sub_ps: i32,
}

impl Default for pk_clock_pair {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A node's wall clock measured against the reference node's. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_clock_offset {
    /// on the reference node's wall clock
    pub midpoint_ns: i64,
    /// positive: the node's clock is ahead
    pub offset_ps: i64,
    /// half of the last digit of the offset
    pub resolution_ps: i64,
    /// with PK_OFFSET_HAS_DRIFT: parts in 10^12
    pub drift_ppt: i64,
    /// with PK_OFFSET_HAS_RESIDUAL: of the solver
    pub residual_ps: i64,
    /// in \[0, 1000)
    pub midpoint_sub_ps: i32,
    /// PK_OFFSET_
    pub flags: u32,
}

impl Default for pk_clock_offset {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What is known of one node's clocks. The bases are the zeros of what pk_clock_map() takes and gives. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_clock_options {
    /// sizeof(pk_clock_options)
    pub struct_size: u32,
    /// PK_CLOCK_
    pub flags: u32,
    pub node_id: i64,
    pub tracer_base_ns: i64,
    pub host_base_ns: i64,
    pub reference_base_ns: i64,
    /// at least two
    pub pairs: *const pk_clock_pair,
    pub pair_count: usize,
    /// at least one, but for the reference node
    pub offsets: *const pk_clock_offset,
    pub offset_count: usize,
}

impl Default for pk_clock_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// What to merge. Texts may be NULL. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_merge_options {
    /// sizeof(pk_merge_options)
    pub struct_size: u32,
    /// PK_MERGE_
    pub flags: u32,
    pub traces: *const *const c_char,
    pub trace_count: usize,
    /// one a trace ("" or NULL: in the trace), or none
    pub snapshots: *const *const c_char,
    pub snapshot_count: usize,
    pub offsets: *const c_char,
    pub run_metadata: *const c_char,
    /// find what is not named in this folder
    pub run_dir: *const c_char,
    /// before the names of PK_PLANES_NODE, which it means
    pub plane_prefix: *const c_char,
    /// file that is written and then put in place; NULL: to the callback
    pub output: *const c_char,
    /// PK_CORRECTION_
    pub correction: i32,
    /// PK_ZERO_
    pub zero: i32,
    /// PK_PLANES_
    pub planes: i32,
    /// PK_IO_
    pub io: i32,
    /// NULL: the defaults
    pub limits: *const pk_limits,
    /// NULL: none
    pub hooks: *const pk_hooks,
    /// Open captures, from files, buffers or callbacks: each of their files that can be merged is a trace, after `traces`; its rank
    /// is its node where pk_open_options said one. `io` and `limits` do not count for them.
    pub profiles: *const *const pk_profile,
    pub profile_count: usize,
    /// PK_MERGED_: what is written
    pub format: i32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_merge_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// One node of a merge. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_merge_node {
    /// its number
    pub id: i64,
    /// of its machine
    pub hostname: pk_str,
    /// its trace
    pub trace: pk_str,
    /// events of it
    pub events: u64,
    /// planes of it
    pub planes: u64,
    /// moved so that a line does not go back
    pub clamped_events: u64,
    /// pairs of its clocks
    pub snapshots: u64,
    /// measured offsets against the reference node
    pub offset_windows: u64,
    /// wall clock of the node minus corrected time, largest by magnitude
    pub max_correction_ps: i64,
    /// rms of the corrected snapshots about a straight line
    pub residual_ps: i64,
    /// how wrong times of the tracer can be at most; -1: unknown
    pub tracer_bound_ps: i64,
    /// how wrong times of the host can be at most; -1: unknown
    pub host_bound_ps: i64,
    /// PK_NODE_: how its clock was corrected
    pub status: i32,
    /// out of a trace that was merged before
    pub aligned_before: u32,
}

impl Default for pk_merge_node {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to look for. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_bubbles_options {
    /// sizeof(pk_bubbles_options)
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// plane, name, step, and time, an instant of which a step shares; NULL: everything
    pub filters: *const pk_filters,
    /// whole names that mark a step: a regular expression of RE2
    pub step_pattern: *const c_char,
    /// "NAME=VALUE" each, by the names that the document lists
    pub thresholds: *const *const c_char,
    pub threshold_count: usize,
    /// rows of each list of the document; 0: the default; PK_LIMIT_NONE: all
    pub limit: u64,
    /// PK_WINDOW_POLICY_
    pub window_policy: i32,
    /// 0
    pub reserved: u32,
    /// NULL: none
    pub hooks: *const pk_hooks,
}

impl Default for pk_bubbles_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly. A row of
/// PK_TABLE_STEPS. Filters that the table takes: plane, step, time. Frozen; text is borrowed from what gave the
/// row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_bubble_step {
    /// position of the file
    pub file: u32,
    /// position in devices
    pub device: i32,
    /// position in this table
    pub step: i64,
    /// position among the steps of its device: what filters by step count by
    pub step_of_device: i64,
    /// number of its marker, else its name
    pub step_id: pk_str,
    /// capture's clock
    pub start_ps: i64,
    /// capture's clock
    pub end_ps: i64,
    /// union of the kernels
    pub busy_ps: i64,
    /// before the first kernel
    pub prelaunch_ps: i64,
    /// gaps between kernels
    pub internal_ps: i64,
    /// after the last kernel
    pub tail_ps: i64,
    /// longest gap between kernels
    pub largest_internal_ps: i64,
    /// this and the next six add up to the length, too
    pub compute_only_ps: i64,
    /// communication while nothing computes
    pub comm_exposed_ps: i64,
    /// communication while something computes
    pub comm_overlapped_ps: i64,
    /// copies alone
    pub copy_ps: i64,
    /// other kernels alone
    pub other_ps: i64,
    /// no kernel at all, and none that was launched without a record
    pub idle_ps: i64,
    /// not known: work was launched that was not recorded
    pub not_recorded_ps: i64,
    /// launches of the step without any record of a device
    pub unrecorded_launches: u64,
    /// internal gaps of any length
    pub bubble_count: u64,
    /// gaps long enough to be listed, before the first kernel and after the last among them
    pub reportable_ps: i64,
    /// 1 \<\< PK_BUBBLE_TAG_: anomalies of the step
    pub tags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_bubble_step {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
/// device_time adds up what a device waited. A row of PK_TABLE_GAPS. Filters that the table takes: plane, step,
/// time. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_bubble {
    /// position of the file
    pub file: u32,
    /// position in devices
    pub device: i32,
    /// position in steps; -1: none
    pub step: i64,
    /// capture's clock
    pub start_ps: i64,
    /// capture's clock
    pub end_ps: i64,
    /// host activity inside the gap; with PK_BUBBLE_TRACED
    pub host_ps: i64,
    /// the part in synchronisation and copies; with PK_BUBBLE_TRACED
    pub sync_ps: i64,
    /// communication inside the gap; with PK_BUBBLE_TRACED
    pub comm_ps: i64,
    /// sum over the host's threads; with PK_BUBBLE_TRACED
    pub threads_ps: i64,
    /// when the kernel after the gap was launched, in whatever step; PK_NO_TIME_PS: not known
    pub launch_ps: i64,
    /// the kernel that ended last; "": none
    pub before: pk_str,
    /// the kernel that starts next; "": none
    pub after: pk_str,
    /// its source_row in kernels
    pub before_row: u64,
    /// its source_row in kernels
    pub after_row: u64,
    /// PK_BUBBLE_SCOPE_: where in a step it lies
    pub scope: i32,
    /// 1 \<\< PK_BUBBLE_LABEL_: the soft labels that its evidence meets
    pub labels: u32,
    /// PK_CAUSE_: why the device waited, as far as the capture shows
    pub cause: i32,
    /// PK_CERTAINTY_: of the cause
    pub certainty: i32,
    /// PK_BUBBLE_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_bubble {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// What to look at. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_architecture_options {
    /// sizeof(pk_architecture_options)
    pub struct_size: u32,
    /// 0
    pub flags: u32,
    /// plane; NULL: everything
    pub filters: *const pk_filters,
    /// whole names that mark a step: a regular expression of RE2
    pub step_pattern: *const c_char,
    /// rows of each list of the document; 0: the default; PK_LIMIT_NONE: all
    pub limit: u64,
    /// NULL: none
    pub hooks: *const pk_hooks,
}

impl Default for pk_architecture_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A device in the capture: a device plane of an XSpace, a device of a trace or a table. A row of
/// PK_TABLE_DEVICES. Filters that the table takes: none. Frozen; text is borrowed from what gave the row.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_device {
    /// position of the file
    pub file: u32,
    /// position in this table
    pub device: i32,
    /// as recorded: "/device:TPU:0", "GPU 3"
    pub name: pk_str,
    /// its number on its machine; -1: not recorded
    pub ordinal: i64,
    /// PK_ACCELERATOR_: what it is
    pub accelerator: i32,
    /// position of its plane in an XSpace; -1 in other files
    pub plane: i32,
}

impl Default for pk_device {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Totals of one op on one line. A row of PK_TABLE_OPS. Filters that the table takes: host, plane, line, name,
/// step, time, limit. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_op {
    /// position of the file
    pub file: u32,
    /// position in devices; -1: ops of a host
    pub device: i32,
    /// name of the plane
    pub plane: pk_str,
    /// name of the line
    pub line: pk_str,
    /// as recorded; "" where it is not
    pub name: pk_str,
    /// short name, as recorded; "" where it is not
    pub display_name: pk_str,
    /// hlo_category; of a kernel what it counts as
    pub category: pk_str,
    /// "jit_f(7)"; "" where not recorded
    pub program: pk_str,
    /// of an XSpace: the id of its metadata; with PK_OP_HAS_METADATA_ID
    pub metadata_id: i64,
    /// executions
    pub count: u64,
    /// of all executions
    pub total_ps: i64,
    /// without what ran inside; of a line they add up to its busy time
    pub self_ps: i64,
    /// shortest execution
    pub min_ps: i64,
    /// longest execution
    pub max_ps: i64,
    /// of one execution, as recorded; flop; with PK_OP_HAS_FLOPS
    pub flops: u64,
    /// of one execution, as recorded; bytes; with PK_OP_HAS_BYTES_ACCESSED
    pub bytes_accessed: u64,
    /// PK_OPS_CLOCK_: which clock the times are of
    pub clock: i32,
    /// PK_OP_
    pub flags: u32,
}

impl Default for pk_op {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the table
/// device_time adds up what a device waited. A row of PK_TABLE_CAUSES. Filters that the table takes: plane, step,
/// time. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_cause {
    /// position of the file
    pub file: u32,
    /// position in devices
    pub device: i32,
    /// position in gaps
    pub gap: u64,
    /// position in steps; -1: none
    pub step: i64,
    /// the span of the host that names it; "": none does
    pub span: pk_str,
    /// how much of the gap the evidence covers
    pub covered_ps: i64,
    /// of the gap, capture's clock
    pub start_ps: i64,
    /// of the gap, capture's clock
    pub end_ps: i64,
    /// PK_CAUSE_: what the host or the device did
    pub cause: i32,
    /// PK_CERTAINTY_: of the cause
    pub certainty: i32,
    /// PK_BUBBLE_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_cause {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up
/// to its steps, the others to the time between its first and last kernel that is in no step. A row of
/// PK_TABLE_DEVICE_TIME. Filters that the table takes: plane, step, time. Frozen. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_device_time {
    /// position of the file
    pub file: u32,
    /// position in devices
    pub device: i32,
    /// listed gaps with this cause
    pub gaps: u64,
    /// length
    pub time_ps: i64,
    /// PK_TIME_: what the device did; what runs beside compute counts as compute
    pub use_: i32,
    /// PK_CAUSE_: why it waited; none of gaps that are too short to list or lie at the edge of the capture; with
    /// PK_DEVICE_TIME_HAS_CAUSE
    pub cause: i32,
    /// PK_CERTAINTY_: of the cause; of what is on record: proved
    pub certainty: i32,
    /// PK_DEVICE_TIME_
    pub flags: u32,
}

impl Default for pk_device_time {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A fact of the model that ran: what it is, how sure it is, and where it comes from. A row of PK_TABLE_FACTS.
/// Filters that the table takes: plane. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_fact {
    /// position of the file of the device
    pub file: u32,
    /// position in devices; -1: of a host alone
    pub device: i32,
    /// "layers", "hidden_size"; docs/architecture-report.md lists them
    pub name: pk_str,
    /// "24", "true", "prefill, decode"
    pub value: pk_str,
    /// "tokens", "parameters", "%"; "" for counts and words
    pub unit: pk_str,
    /// the event, shape or name that says so
    pub evidence: pk_str,
    /// what other sources say; "; " between them
    pub contradictions: pk_str,
    /// PK_CERTAINTY_: how sure it is
    pub certainty: i32,
    /// PK_FACT_: what it is read from
    pub source: i32,
}

impl Default for pk_fact {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A call of a collective by all members of its process group, over all nodes of the capture. A row of
/// PK_TABLE_COLLECTIVE_CALLS. Filters that the table takes: time. Frozen; text is borrowed from what gave the row.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_collective_call {
    /// position of the file of the member that came last
    pub file: u32,
    /// 0
    pub reserved: u32,
    /// of the op
    pub name: pk_str,
    /// "all-reduce"; "" where nothing names it
    pub kind: pk_str,
    /// as on record; "" of everyone, or where none is on record
    pub process_group: pk_str,
    /// latest start - first start
    pub start_gap_ps: i64,
    /// start of who must be waited for - end of who waits; 0 or more is out of order
    pub order_gap_ps: i64,
    /// how far both clocks together can be wrong
    pub bound_ps: i64,
    /// first start to last end; -1: clocks are not known well enough
    pub span_ps: i64,
    /// last start to last end; -1: not known
    pub moving_ps: i64,
    /// what it moves; -1: not known, or members differ
    pub payload_bytes: i64,
    /// what each link carries at least: over moving_ps it is the bus bandwidth
    pub link_bytes: i64,
    /// id of the node that began last; -1 where several did
    pub latest_node: i64,
    /// number among the calls of the op by its group
    pub call: u32,
    /// devices that took part
    pub members: u32,
    /// local number of the device that came last
    pub latest_device: i32,
    /// PK_CALL_
    pub flags: u32,
}

impl Default for pk_collective_call {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A statement about the capture, with the place that shows it: those of a report. A row of PK_TABLE_FINDINGS.
/// Filters that the table takes: host, plane, step, time. Frozen; text is borrowed from what gave the row.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_finding {
    /// position of the file of the evidence
    pub file: u32,
    /// position in devices; -1: the evidence is of none
    pub device: i32,
    /// "bubbles.cause.launch_bound"; the next of its kind ends in ".2"
    pub id: pk_str,
    /// time that could be won back; -1: it is not about time
    pub recoverable_ps: i64,
    /// memory that could be won back; -1: it is not about memory
    pub recoverable_bytes: i64,
    /// one sentence
    pub what: pk_str,
    /// for people
    pub place: pk_str,
    /// position in steps: that in which the evidence begins; -1: none
    pub step: i64,
    /// of that step; "": none
    pub step_id: pk_str,
    /// of the evidence, capture's clock; PK_NO_TIME_PS: it is no span
    pub start_ps: i64,
    /// of the evidence, capture's clock
    pub end_ps: i64,
    /// what stands there; of further places "; " between them
    pub evidence: pk_str,
    /// what to do or look at next
    pub next: pk_str,
    /// PK_CERTAINTY_: how sure it is
    pub certainty: i32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_finding {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key that
/// lie in no other add up to its busy time. A row of PK_TABLE_OP_GROUPS. Filters that the table takes: host,
/// plane, line, name, step, time. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_op_group {
    /// position of the file
    pub file: u32,
    /// position in devices; -1: ops of a host
    pub device: i32,
    /// position of the row that it lies in; -1: none
    pub parent: i64,
    /// "": ops of which that is not recorded
    pub name: pk_str,
    /// executions
    pub count: u64,
    /// with what lies in rows below
    pub self_ps: i64,
    /// summed durations
    pub total_ps: i64,
    /// of self_ps, what lies in no row below
    pub own_ps: i64,
    /// of self_ps, that of ops of which it is known what they do
    pub worked_ps: i64,
    /// floating-point operations that these ops do; flop
    pub flops: i64,
    /// what they move from and to memory; bytes
    pub bytes: i64,
    /// what ops of known work would take at least at the rates of their device
    pub attainable_ps: i64,
    /// self time of ops that reach 60 % of the rate for their operations
    pub compute_bound_ps: i64,
    /// self time of ops that reach 60 % of the rate of the memory that their bytes are in
    pub memory_bound_ps: i64,
    /// self time of other ops of known work
    pub neither_bound_ps: i64,
    /// PK_GROUP_BY_: what they have in common: op, outer-op, module, module-kind, range, source, phase, kind,
    /// category or program
    pub by: i32,
    /// how many rows it lies in
    pub depth: u32,
}

impl Default for pk_op_group {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// Totals of one communication op on one line. A row of PK_TABLE_COLLECTIVES. Filters that the table takes: host,
/// plane, line, name, step, time, limit. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_collective {
    /// position of the file
    pub file: u32,
    /// position in devices; -1: ops of a host
    pub device: i32,
    /// name of the plane
    pub plane: pk_str,
    /// as recorded
    pub name: pk_str,
    /// "all-reduce", …; of a kernel whose name spells none the library ("nccl")
    pub category: pk_str,
    /// executions
    pub count: u64,
    /// of all executions
    pub total_ps: i64,
    /// shortest execution
    pub min_ps: i64,
    /// longest execution
    pub max_ps: i64,
    /// PK_COLLECTIVE_
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_collective {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// How a table comes. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_table_options {
    /// sizeof(pk_table_options)
    pub struct_size: u32,
    /// PK_TABLE_SKIP_DAMAGE, …
    pub flags: u32,
    /// Arrow: most rows of a batch, up to 2^30; 0: 65,536
    pub batch_rows: u64,
    /// Arrow: names of the columns that come, in this order, each once; NULL: all
    pub columns: *const *const c_char,
    pub column_count: usize,
    /// those that docs/tables.md says of the table; NULL: everything
    pub filters: *const pk_filters,
    /// most rows of one line, of tables that docs/tables.md says it of; 0, PK_LIMIT_NONE: all
    pub limit: u64,
    /// used while the table is opened; NULL: none
    pub hooks: *const pk_hooks,
    /// with PK_TABLE_ONE_FILE
    pub file: u32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_table_options {
    /// The values of the header's _INIT macro.
    fn default() -> Self {
        // SAFETY: integers, pointers and Option<fn>, all of which may be zero.
        let zero: Self = unsafe { std::mem::zeroed() };
        Self {
            struct_size: size_of::<Self>() as u32,
            ..zero
        }
    }
}

/// A column of a table. Frozen; text is borrowed from what gave the row. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pk_column {
    /// by which its values are asked for
    pub name: pk_str,
    /// "ps", "bytes", …; "" without
    pub unit: pk_str,
    /// one sentence
    pub meaning: pk_str,
    /// PK_COLUMN_: what its values are
    pub type_: i32,
    /// 0
    pub reserved: u32,
}

impl Default for pk_column {
    fn default() -> Self {
        // SAFETY: integers and pointers, all of which may be zero.
        unsafe { std::mem::zeroed() }
    }
}

/// A stream of record batches of the Arrow C stream interface.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut c_void) -> i32>,
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut c_void) -> i32>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub private_data: *mut c_void,
}

#[cfg(all(target_pointer_width = "64", not(windows)))]
const _: () = {
    assert!(size_of::<pk_str>() == 16);
    assert!(size_of::<pk_hooks>() == 40);
    assert!(size_of::<pk_limits>() == 48);
    assert!(size_of::<pk_filters>() == 64);
    assert!(size_of::<pk_open_options>() == 48);
    assert!(size_of::<pk_read_callbacks>() == 40);
    assert!(size_of::<pk_profile_info>() == 48);
    assert!(size_of::<pk_run_info>() == 40);
    assert!(size_of::<pk_file_info>() == 104);
    assert!(size_of::<pk_plane_info>() == 56);
    assert!(size_of::<pk_line_info>() == 48);
    assert!(size_of::<pk_line_summary>() == 40);
    assert!(size_of::<pk_event>() == 56);
    assert!(size_of::<pk_event_cursor>() == 64);
    assert!(size_of::<pk_stat>() == 56);
    assert!(size_of::<pk_stat_cursor>() == 64);
    assert!(size_of::<pk_event_metadata>() == 64);
    assert!(size_of::<pk_stat_metadata>() == 40);
    assert!(size_of::<pk_metadata_cursor>() == 64);
    assert!(size_of::<pk_module_info>() == 120);
    assert!(size_of::<pk_chrome_event>() == 128);
    assert!(size_of::<pk_chrome_summary>() == 32);
    assert!(size_of::<pk_activity_options>() == 32);
    assert!(size_of::<pk_activity_device>() == 64);
    assert!(size_of::<pk_kernel_row>() == 288);
    assert!(size_of::<pk_document_options>() == 48);
    assert!(size_of::<pk_memory_options>() == 96);
    assert!(size_of::<pk_memory_module>() == 96);
    assert!(size_of::<pk_memory_space>() == 120);
    assert!(size_of::<pk_memory_allocator>() == 96);
    assert!(size_of::<pk_live_buffer>() == 176);
    assert!(size_of::<pk_curve_point>() == 24);
    assert!(size_of::<pk_trace_options>() == 32);
    assert!(size_of::<pk_trace_outcome>() == 72);
    assert!(size_of::<pk_value>() == 32);
    assert!(size_of::<pk_writer_options>() == 24);
    assert!(size_of::<pk_pushed_plane>() == 32);
    assert!(size_of::<pk_pushed_line>() == 88);
    assert!(size_of::<pk_push_callbacks>() == 72);
    assert!(size_of::<pk_push_options>() == 32);
    assert!(size_of::<pk_trace_builder_options>() == 48);
    assert!(size_of::<pk_trace_host>() == 40);
    assert!(size_of::<pk_trace_device>() == 56);
    assert!(size_of::<pk_trace_stream>() == 32);
    assert!(size_of::<pk_trace_thread>() == 40);
    assert!(size_of::<pk_trace_counter>() == 64);
    assert!(size_of::<pk_trace_allocator>() == 32);
    assert!(size_of::<pk_trace_kernel>() == 248);
    assert!(size_of::<pk_trace_span>() == 72);
    assert!(size_of::<pk_trace_step>() == 48);
    assert!(size_of::<pk_trace_value>() == 24);
    assert!(size_of::<pk_trace_allocation>() == 56);
    assert!(size_of::<pk_dump_options>() == 32);
    assert!(size_of::<pk_validation_options>() == 40);
    assert!(size_of::<pk_validation_summary>() == 80);
    assert!(size_of::<pk_clock_interval>() == 80);
    assert!(size_of::<pk_probe_launch>() == 168);
    assert!(size_of::<pk_probe_bin>() == 88);
    assert!(size_of::<pk_probe_map>() == 96);
    assert!(size_of::<pk_probe_field>() == 32);
    assert!(size_of::<pk_probe_record>() == 32);
    assert!(size_of::<pk_probe_query>() == 88);
    assert!(size_of::<pk_clock_pair>() == 24);
    assert!(size_of::<pk_clock_offset>() == 48);
    assert!(size_of::<pk_clock_options>() == 72);
    assert!(size_of::<pk_merge_options>() == 136);
    assert!(size_of::<pk_merge_node>() == 120);
    assert!(size_of::<pk_bubbles_options>() == 64);
    assert!(size_of::<pk_bubble_step>() == 184);
    assert!(size_of::<pk_bubble>() == 144);
    assert!(size_of::<pk_architecture_options>() == 40);
    assert!(size_of::<pk_device>() == 40);
    assert!(size_of::<pk_op>() == 176);
    assert!(size_of::<pk_cause>() == 80);
    assert!(size_of::<pk_device_time>() == 40);
    assert!(size_of::<pk_fact>() == 96);
    assert!(size_of::<pk_collective_call>() == 136);
    assert!(size_of::<pk_finding>() == 152);
    assert!(size_of::<pk_op_group>() == 128);
    assert!(size_of::<pk_collective>() == 96);
    assert!(size_of::<pk_table_options>() == 64);
    assert!(size_of::<pk_column>() == 56);
};

extern "C" {
    /// Says which library was loaded: its PK_VERSION_NUMBER. Since 0.1.
    pub fn pk_version_number() -> u32;
    /// Says which library was loaded: "MAJOR.MINOR.PATCH". Ownership: static. Since 0.1.
    pub fn pk_version_string() -> *const c_char;
    /// The name of a status as JSON error documents have it: "ok", "end", "damaged", "not_found", …; "internal" for an unknown
    /// value. Ownership: static. Since 0.1.
    pub fn pk_status_name(status: pk_status) -> *const c_char;
    /// The status that the failed call returned; PK_OK for NULL. Since 0.1.
    pub fn pk_error_code(error: *const pk_error) -> pk_status;
    /// What happened, to which file, and what was expected, in English, one line, NUL-terminated: enough to be printed alone. A path
    /// that pk_error_path() has stands in it. "" for NULL. Ownership: borrowed from `error`. Since 0.1.
    pub fn pk_error_message(error: *const pk_error) -> *const c_char;
    /// Path or label of the input; "" when none is involved. Ownership: borrowed from `error`. Since 0.1.
    pub fn pk_error_path(error: *const pk_error) -> *const c_char;
    /// Position in the decoded bytes of pk_error_path(); PK_NO_OFFSET when unknown. Since 0.1.
    pub fn pk_error_byte_offset(error: *const pk_error) -> u64;
    /// What to do next; "" when there is nothing to advise. Ownership: borrowed from `error`. Since 0.1.
    pub fn pk_error_hint(error: *const pk_error) -> *const c_char;
    /// Frees an error that a call wrote through `err`. Never free one that was returned. Since 0.1.
    pub fn pk_error_free(error: *mut pk_error);
    /// Makes a token that has not been cancelled. Ownership: the caller ends `*out` with pk_cancel_token_free(). Errors:
    /// PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_cancel_token_new(
        out: *mut *mut pk_cancel_token,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Stops, with PK_E_CANCELLED, every call that was given this token, now or later. Any thread. Since 0.1.
    pub fn pk_cancel_token_cancel(token: *mut pk_cancel_token);
    /// Frees a token that no running call uses. Since 0.1.
    pub fn pk_cancel_token_free(token: *mut pk_cancel_token);
    /// What documents call a value of these; "warning" for what is none. Ownership: static. Since 0.1.
    pub fn pk_log_level_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_io_mode_name(value: i32) -> *const c_char;
    /// Opens a file ("-": PK_OPEN_STANDARD_INPUT), a run directory, or a parent of runs. `options` may be NULL. A damaged file keeps what
    /// is intact and reports the rest through pk_file_damage(), and so does an unreadable file among several. Ownership: the caller
    /// ends `*out` with pk_profile_free(). Errors: PK_E_NOT_FOUND (nothing at the path, or a directory without a profile),
    /// PK_E_PERMISSION, PK_E_IO, PK_E_INVALID_ARGUMENT (no such run: the message lists them), PK_E_CANCELLED, and what kept the
    /// only file from being read at all. Since 0.1.
    pub fn pk_profile_open(
        path: *const c_char,
        options: *const pk_open_options,
        out: *mut *mut pk_profile,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens one file that lies in memory. `label` stands for the path in messages and helps to recognise the format
    /// ("vm.xplane.pb"); NULL is "". Ownership: the caller ends `*out` with pk_profile_free(); `data` is borrowed until the last
    /// reference is given back, unless PK_OPEN_COPY is set; `label` is copied. Errors: as pk_profile_open(). Since 0.1.
    pub fn pk_profile_open_buffer(
        data: *const c_void,
        size: usize,
        label: *const c_char,
        options: *const pk_open_options,
        out: *mut *mut pk_profile,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens one file through callbacks. `label` as in pk_profile_open_buffer(). Ownership: the caller ends `*out` with
    /// pk_profile_free(); the callbacks are used during this call alone, with PK_OPEN_ONE_PASS until the last reference is given
    /// back, and pk_read_callbacks::release says when; the struct and `label` are copied. Errors: as pk_profile_open(). Since 0.1.
    pub fn pk_profile_open_callbacks(
        callbacks: *const pk_read_callbacks,
        label: *const c_char,
        options: *const pk_open_options,
        out: *mut *mut pk_profile,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Takes one more reference and returns `profile`; NULL for NULL. Ownership: each reference is given back by pk_profile_free().
    /// Since 0.1.
    pub fn pk_profile_ref(profile: *mut pk_profile) -> *mut pk_profile;
    /// Gives a reference back; with the last one everything borrowed from the profile ends. Since 0.1.
    pub fn pk_profile_free(profile: *mut pk_profile);
    /// What a profile holds as a whole. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (NULL).
    /// Since 0.1.
    pub fn pk_profile_get(
        profile: *const pk_profile,
        out: *mut pk_profile_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// A run by its position, newest first. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
    /// run). Since 0.1.
    pub fn pk_run_get(
        profile: *const pk_profile,
        run: u32,
        out: *mut pk_run_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The name of a format: "xspace", "chrome_trace", …; "unknown" for an unknown value. Ownership: static. Since 0.1.
    pub fn pk_family_name(family: i32) -> *const c_char;
    /// What documents call a value of these; "none" for what is none. Ownership: static. Since 0.1.
    pub fn pk_compression_name(value: i32) -> *const c_char;
    /// Number of files; 0 for NULL. Since 0.1.
    pub fn pk_file_count(profile: *const pk_profile) -> u32;
    /// A file by its position. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file). Since 0.1.
    pub fn pk_file_get(
        profile: *const pk_profile,
        file: u32,
        out: *mut pk_file_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The decoded bytes of a file: what was intact when it is damaged. XSpace files, and a file opened from a buffer or callbacks,
    /// are read when they are opened; others when this or pk_file_damage() first asks for them. Ownership: the bytes are borrowed
    /// from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file). Since 0.1.
    pub fn pk_file_bytes(
        profile: *const pk_profile,
        file: u32,
        out: *mut pk_str,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Why a file is damaged or unreadable; NULL when it is sound. Damage inside the events of a line shows when they are read, and
    /// in documents. Ownership: borrowed from `profile`: do not free it. Since 0.1.
    pub fn pk_file_damage(profile: *const pk_profile, file: u32) -> *const pk_error;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_note_kind_name(value: i32) -> *const c_char;
    /// Number of notes of a kind (PK_NOTE_); 0 when the file is not an XSpace. Since 0.1.
    pub fn pk_file_note_count(profile: *const pk_profile, file: u32, kind: i32) -> u32;
    /// A note by its kind (PK_NOTE_) and position. Ownership: borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file
    /// or note). Since 0.1.
    pub fn pk_file_note_get(
        profile: *const pk_profile,
        file: u32,
        kind: i32,
        note: u32,
        out: *mut pk_str,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "other" for what is none. Ownership: static. Since 0.1.
    pub fn pk_plane_kind_name(value: i32) -> *const c_char;
    /// Number of planes; 0 when the file is not an XSpace. Since 0.1.
    pub fn pk_plane_count(profile: *const pk_profile, file: u32) -> u32;
    /// A plane by its position in an XSpace. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
    /// plane; the file is no XSpace), and why the file is damaged when it has none. Since 0.1.
    pub fn pk_plane_get(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        out: *mut pk_plane_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "other" for what is none. Ownership: static. Since 0.1.
    pub fn pk_line_kind_name(value: i32) -> *const c_char;
    /// Number of lines; 0 where there is no such plane. Since 0.1.
    pub fn pk_line_count(profile: *const pk_profile, file: u32, plane: u32) -> u32;
    /// A line by its position in its plane. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
    /// line). Since 0.1.
    pub fn pk_line_get(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        line: u32,
        out: *mut pk_line_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Hops over the events of a line without decoding them: linear in their number. Ownership: text is borrowed from `profile`.
    /// Errors: PK_E_INVALID_ARGUMENT (no such line). Since 0.1.
    pub fn pk_line_summarise(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        line: u32,
        out: *mut pk_line_summary,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the first event of a line. Ownership: the cursor borrows `profile` and needs no release. Errors:
    /// PK_E_INVALID_ARGUMENT (no such line). Since 0.1.
    pub fn pk_events_begin(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        line: u32,
        out: *mut pk_event_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads one event, in the order of the file. PK_END after the last one; PK_E_DAMAGED where the bytes break the format, after
    /// every event before that. Ownership: `out-\>stats` is borrowed from the cursor's profile. Errors: PK_E_DAMAGED,
    /// PK_E_INVALID_ARGUMENT (a cursor that was not begun). Since 0.1.
    pub fn pk_event_next(
        cursor: *mut pk_event_cursor,
        out: *mut pk_event,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads up to `capacity` events and says in `*count` how many; PK_OK means at least one. PK_END and PK_E_DAMAGED come with
    /// none, after everything before was delivered. Ownership: `stats` of the events is borrowed from the cursor's profile. Errors:
    /// PK_E_DAMAGED, PK_E_INVALID_ARGUMENT (a cursor that was not begun; capacity 0). Since 0.1.
    pub fn pk_events_read(
        cursor: *mut pk_event_cursor,
        events: *mut pk_event,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "none" for what is none. Ownership: static. Since 0.1.
    pub fn pk_stat_kind_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_stat_origin_name(value: i32) -> *const c_char;
    /// Puts a cursor before the stats of an event that was read from this plane: of the event itself, then of its metadata entry,
    /// then of the plane, as far as `origins` (PK_ORIGIN_ bits) asks for them. Ownership: the cursor borrows `profile` and needs no
    /// release. Errors: PK_E_INVALID_ARGUMENT (no such plane; unknown origins). Since 0.1.
    pub fn pk_event_stats(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        event: *const pk_event,
        origins: u32,
        out: *mut pk_stat_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Finds one stat of an event by its name, in the order of pk_event_stats(): the first of that name. Ownership: text is borrowed from
    /// `profile`. Errors: PK_E_NOT_FOUND (it has none of that name), PK_E_DAMAGED (before one was found), PK_E_INVALID_ARGUMENT (no such
    /// plane; unknown origins). Since 0.1.
    pub fn pk_event_stat_find(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        event: *const pk_event,
        origins: u32,
        name: pk_str,
        out: *mut pk_stat,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the stats of an event metadata entry. Ownership: the cursor borrows `profile` and needs no release.
    /// Errors: PK_E_NOT_FOUND (no such entry), PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_event_metadata_stats(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        id: i64,
        out: *mut pk_stat_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the stats of a plane. Ownership: the cursor borrows `profile` and needs no release. Errors:
    /// PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_plane_stats(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        out: *mut pk_stat_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the stats of an event by their bytes alone: pk_event::stats of a capture that arrives, or a copy of them.
    /// `names` is a profile with the plane of the event, for names and texts of stats; NULL while it is not known: they are empty
    /// then, `file` and `plane` 0. Ownership: the cursor borrows `stats` and `names` and needs no release. Errors:
    /// PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_stats_begin(
        stats: *const c_void,
        size: usize,
        names: *const pk_profile,
        file: u32,
        plane: u32,
        out: *mut pk_stat_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads one stat, in the order of the file. PK_END after the last one; PK_E_DAMAGED where the bytes break the format.
    /// Ownership: text is borrowed from the cursor's profile. Errors: PK_E_DAMAGED, PK_E_INVALID_ARGUMENT (a cursor that was not
    /// begun). Since 0.1.
    pub fn pk_stat_next(
        cursor: *mut pk_stat_cursor,
        out: *mut pk_stat,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Finds the entry of an id in constant time. Ownership: text is borrowed from `profile`. Errors: PK_E_NOT_FOUND (no such
    /// entry), PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_event_metadata_get(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        id: i64,
        out: *mut pk_event_metadata,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the first `capacity` child ids of an entry to `ids` (NULL with 0) and the number of all of them to `*count`. Errors:
    /// PK_E_NOT_FOUND (no such entry), PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_event_metadata_children(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        id: i64,
        ids: *mut i64,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Finds the entry of an id in constant time. Ownership: text is borrowed from `profile`. Errors: PK_E_NOT_FOUND (no such
    /// entry), PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_stat_metadata_get(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        id: i64,
        out: *mut pk_stat_metadata,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Finds the id of a stat name (`size` bytes) by looking at every entry: do it once a plane. Errors: PK_E_NOT_FOUND (no such
    /// name), PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_stat_metadata_find(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        name: *const c_char,
        size: usize,
        id: *mut i64,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the first event metadata entry of a plane. Ownership: the cursor borrows `profile` and needs no
    /// release. Errors: PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_event_metadata_begin(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        out: *mut pk_metadata_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads one entry, in the order of the file, each id once. PK_END after the last one. Ownership: text is borrowed from the
    /// cursor's profile. Errors: PK_E_INVALID_ARGUMENT (a cursor that was not begun). Since 0.1.
    pub fn pk_event_metadata_next(
        cursor: *mut pk_metadata_cursor,
        out: *mut pk_event_metadata,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a cursor before the first stat metadata entry of a plane. Ownership: the cursor borrows `profile` and needs no release.
    /// Errors: PK_E_INVALID_ARGUMENT (no such plane). Since 0.1.
    pub fn pk_stat_metadata_begin(
        profile: *const pk_profile,
        file: u32,
        plane: u32,
        out: *mut pk_metadata_cursor,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads one entry, in the order of the file, each id once. PK_END after the last one. Ownership: text is borrowed from the
    /// cursor's profile. Errors: PK_E_INVALID_ARGUMENT (a cursor that was not begun). Since 0.1.
    pub fn pk_stat_metadata_next(
        cursor: *mut pk_metadata_cursor,
        out: *mut pk_stat_metadata,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "none" for what is none. Ownership: static. Since 0.1.
    pub fn pk_sibling_state_name(value: i32) -> *const c_char;
    /// Finds and counts the modules of a profile. `hooks` may be NULL. Ownership: the caller ends `*out` with
    /// pk_module_list_free(); it holds a reference to `profile`. Errors: PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. A capture without
    /// modules is no failure. Since 0.1.
    pub fn pk_module_list_open(
        profile: *mut pk_profile,
        hooks: *const pk_hooks,
        out: *mut *mut pk_module_list,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Number of modules; 0 for NULL. Since 0.1.
    pub fn pk_module_count(modules: *const pk_module_list) -> usize;
    /// A module by its position, largest first. Ownership: text and bytes are borrowed from `modules`. Errors:
    /// PK_E_INVALID_ARGUMENT (no such module). Since 0.1.
    pub fn pk_module_get(
        modules: *const pk_module_list,
        module: usize,
        out: *mut pk_module_info,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Why a module does not parse; NULL when it does. Ownership: borrowed from `modules`: do not free it. Since 0.1.
    pub fn pk_module_damage(modules: *const pk_module_list, module: usize) -> *const pk_error;
    /// Frees the list; NULL is fine. Rows and bytes that were taken from it end with it. Since 0.1.
    pub fn pk_module_list_free(modules: *mut pk_module_list);
    /// Puts a reader before the first event of a file of family PK_FAMILY_CHROME_TRACE. Ownership: the caller ends `*out` with
    /// pk_chrome_free(); it holds a reference to `profile`. Errors: PK_E_UNSUPPORTED for another family; what kept the file from
    /// being read. Since 0.1.
    pub fn pk_chrome_open(
        profile: *mut pk_profile,
        file: u32,
        out: *mut *mut pk_chrome_reader,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads up to `capacity` events, in bounded memory, and says in `*count` how many; PK_OK means at least one. What is broken is
    /// passed over: PK_E_DAMAGED comes instead of PK_END, after all that was intact. Ownership: text is borrowed from `reader`
    /// until its next read. Errors: PK_E_INVALID_ARGUMENT (capacity 0), PK_E_DAMAGED, PK_E_LIMIT, PK_E_IO. Since 0.1.
    pub fn pk_chrome_events_read(
        reader: *mut pk_chrome_reader,
        events: *mut pk_chrome_event,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What was met so far: of the whole file when pk_chrome_events_read() gave PK_END. Errors: PK_E_INVALID_ARGUMENT
    /// (NULL). Since 0.1.
    pub fn pk_chrome_summarise(
        reader: *const pk_chrome_reader,
        out: *mut pk_chrome_summary,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the reader; NULL is fine. Text of its last rows ends with it. Since 0.1.
    pub fn pk_chrome_free(reader: *mut pk_chrome_reader);
    /// Reads the activity. `options` may be NULL. A capture without any device is no failure, nor is damage of the input.
    /// Ownership: the caller ends `*out` with pk_activity_free(); it holds a reference to `profile`. Errors: PK_E_INVALID_ARGUMENT,
    /// PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_activity_open(
        profile: *mut pk_profile,
        options: *const pk_activity_options,
        out: *mut *mut pk_activity,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Number of devices that were read; 0 for NULL. Since 0.1.
    pub fn pk_activity_device_count(activity: *const pk_activity) -> u32;
    /// What documents call a value of these; "other" for what is none. Ownership: static. Since 0.1.
    pub fn pk_accelerator_name(value: i32) -> *const c_char;
    /// A device by its position among those that were read. Ownership: text is borrowed from `activity`. Errors:
    /// PK_E_INVALID_ARGUMENT (no such device). Since 0.1.
    pub fn pk_activity_device_get(
        activity: *const pk_activity,
        device: u32,
        out: *mut pk_activity_device,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "other" for what is none. Ownership: static. Since 0.1.
    pub fn pk_kernel_class_name(value: i32) -> *const c_char;
    /// Frees the activity; NULL is fine. Tables that were made of it live on. Since 0.1.
    pub fn pk_activity_free(activity: *mut pk_activity);
    /// The command that writes a document: "report", "info", …; "" for an unknown value. Ownership: static. Since 0.1.
    pub fn pk_document_name(document: i32) -> *const c_char;
    /// What documents call a value of these; "error" for what is none. Ownership: static. Since 0.1.
    pub fn pk_document_status_name(value: i32) -> *const c_char;
    /// Writes a document (PK_DOCUMENT_) of a profile. `options` and `status` may be NULL; `*status` becomes a
    /// PK_DOCUMENT_STATUS_. Damage of the input is reported in the document and is no failure of this call.
    /// Errors: PK_E_INVALID_ARGUMENT, PK_E_NOT_FOUND (no such module or finding: the hint names those there are), PK_E_CANCELLED,
    /// PK_E_LIMIT, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_document_write(
        profile: *const pk_profile,
        document: i32,
        options: *const pk_document_options,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The same into a file, which appears under its name when it is complete. A file of the profile is not replaced. `status` may be
    /// NULL. Errors: as pk_document_write(), and PK_E_INVALID_ARGUMENT (the path is that of an input), PK_E_PERMISSION, PK_E_OUTPUT,
    /// PK_E_OUTPUT_FULL. Since 0.1.
    pub fn pk_document_write_file(
        profile: *const pk_profile,
        document: i32,
        options: *const pk_document_options,
        path: *const c_char,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the report as a page for any browser, HTML of 3 MB at most that loads nothing: that of `profkit report PATH -o
    /// NAME.html`. Of the options the filters and the hooks count. `*status` becomes PK_DOCUMENT_STATUS_PARTIAL where something
    /// is damaged, which the page says. Errors: as pk_document_write(). Since 0.1.
    pub fn pk_page_write(
        profile: *const pk_profile,
        options: *const pk_document_options,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes what PK_OPEN_REDACT replaced and left out, as JSON, with the word that each alias stands for: for who shares the
    /// capture, not for who gets it (`profkit COMMAND --redact --aliases FILE`). Errors: PK_E_INVALID_ARGUMENT (opened without
    /// PK_OPEN_REDACT), PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_redaction_write(
        profile: *const pk_profile,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the captures at a path, each to be opened on its own: of a folder every file below it that says what happened and when,
    /// by what it holds, and every folder that is one capture (of a profiler of Ascend, of probes, with a table of kernels). JSON that
    /// repeats an XSpace beside it is left out. A file, and a folder in which nothing is found, is itself the only one: opening it
    /// says why. `write` is given the paths, in their order, with a zero byte after each. Errors: PK_E_INVALID_ARGUMENT,
    /// PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_captures_write(
        path: *const c_char,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the document that says why a capture could not be opened (status "error"). Errors:
    /// PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_document_write_error(
        document: i32,
        why: *const pk_error,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_step_policy_name(value: i32) -> *const c_char;
    /// Runs the analysis. `options` may be NULL. Damage of the input is no failure: the document reports it. Ownership: the caller
    /// ends `*out` with pk_memory_free(); it holds a reference to `profile`. Errors: PK_E_NOT_FOUND (no such module, space or
    /// instruction), PK_E_INVALID_ARGUMENT, PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_memory_open(
        profile: *mut pk_profile,
        options: *const pk_memory_options,
        out: *mut *mut pk_memory,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "none" for what is none. Ownership: static. Since 0.1.
    pub fn pk_peak_method_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "exact" for what is none. Ownership: static. Since 0.1.
    pub fn pk_peak_bound_name(value: i32) -> *const c_char;
    /// Number of modules, which are in the order of their peak in memory space 0, highest first; 0 for NULL. Since 0.1.
    pub fn pk_memory_module_count(memory: *const pk_memory) -> usize;
    /// A module by its position. Ownership: text is borrowed from `memory`. Errors: PK_E_INVALID_ARGUMENT (no such module).
    /// Since 0.1.
    pub fn pk_memory_module_get(
        memory: *const pk_memory,
        module: usize,
        out: *mut pk_memory_module,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// A memory space of a module, both by their positions. Ownership: text is borrowed from `memory`. Errors:
    /// PK_E_INVALID_ARGUMENT (no such module or space). Since 0.1.
    pub fn pk_memory_space_get(
        memory: *const pk_memory,
        module: usize,
        space: usize,
        out: *mut pk_memory_space,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "temp" for what is none. Ownership: static. Since 0.1.
    pub fn pk_residency_name(value: i32) -> *const c_char;
    /// Whether what was asked with PK_MEMORY_HAS_FIT fits; `*spare_bytes` is negative by what is missing. PK_END when
    /// it was not asked, and when nothing says what is needed. `fits` and `spare_bytes` may be NULL. Errors:
    /// PK_E_INVALID_ARGUMENT (NULL). Since 0.1.
    pub fn pk_memory_fit(
        memory: *const pk_memory,
        fits: *mut u32,
        spare_bytes: *mut i64,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the document `memory` of this analysis: that of `profkit memory --json`. `status` may be NULL; it
    /// becomes a PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero),
    /// PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_memory_write(
        memory: *const pk_memory,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the analysis; NULL is fine. Tables that were made of it live on. Since 0.1.
    pub fn pk_memory_free(memory: *mut pk_memory);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_trace_format_name(value: i32) -> *const c_char;
    /// Writes the capture in a format of other tools. `options` and `out` may be NULL. Damage of the input is no failure:
    /// `out-\>status` reports it. Errors: PK_E_INVALID_ARGUMENT (no such step; several files where one is needed),
    /// PK_E_UNSUPPORTED (a format this capture cannot become), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_trace_write(
        profile: *const pk_profile,
        options: *const pk_trace_options,
        write: pk_write_callback,
        user: *mut c_void,
        out: *mut pk_trace_outcome,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The same into a file, which appears under its name when it is complete. A file of the profile is not replaced. Errors: as
    /// pk_trace_write(), and PK_E_INVALID_ARGUMENT (the path is that of an input), PK_E_PERMISSION, PK_E_OUTPUT, PK_E_OUTPUT_FULL.
    /// Since 0.1.
    pub fn pk_trace_write_file(
        profile: *const pk_profile,
        options: *const pk_trace_options,
        path: *const c_char,
        out: *mut pk_trace_outcome,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Makes a writer that hands its bytes to `write`. `options` may be NULL. Ownership: the caller ends `*out` with
    /// pk_xspace_writer_free(); `write`, `user` and what the hooks refer to are used until then; the structs are copied. Errors:
    /// PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_xspace_writer_new(
        options: *const pk_writer_options,
        write: pk_write_callback,
        user: *mut c_void,
        out: *mut *mut pk_xspace_writer,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Makes a writer into a file, which appears under its name when pk_xspace_writer_finish() succeeds. `options` may be NULL.
    /// Ownership: as of pk_xspace_writer_new(). Errors: PK_E_PERMISSION, PK_E_OUTPUT, PK_E_CANCELLED. Since 0.1.
    pub fn pk_xspace_writer_open(
        options: *const pk_writer_options,
        path: *const c_char,
        out: *mut *mut pk_xspace_writer,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Names a host that was profiled, or keeps a remark (PK_NOTE_). Not while a plane is open. Since 0.1.
    pub fn pk_xspace_writer_note(writer: *mut pk_xspace_writer, kind: i32, text: pk_str);
    /// Begins a plane; none may be open. `id`: as other tools show it, any number. What is wrong is the status of the
    /// writer. Since 0.1.
    pub fn pk_xspace_writer_begin_plane(writer: *mut pk_xspace_writer, name: pk_str, id: i64);
    /// Ends the plane, and the line that is open, and writes both. Since 0.1.
    pub fn pk_xspace_writer_end_plane(writer: *mut pk_xspace_writer);
    /// The id of the event metadata of that name in the open plane, made when it is new; `display_name` may be empty. 0
    /// after a failure. Since 0.1.
    pub fn pk_xspace_writer_event_metadata(
        writer: *mut pk_xspace_writer,
        name: pk_str,
        display_name: pk_str,
    ) -> i64;
    /// The id of the name of a stat, or of a text for PK_VALUE_REF. 0 after a failure. Since 0.1.
    pub fn pk_xspace_writer_stat_metadata(writer: *mut pk_xspace_writer, name: pk_str) -> i64;
    /// Adds a fact that all executions of an operation share, to its metadata in the open plane. Since 0.1.
    pub fn pk_xspace_writer_metadata_stat(
        writer: *mut pk_xspace_writer,
        event_metadata: i64,
        stat_metadata: i64,
        value: *const pk_value,
    );
    /// Adds a fact of the open plane. Since 0.1.
    pub fn pk_xspace_writer_plane_stat(
        writer: *mut pk_xspace_writer,
        stat_metadata: i64,
        value: *const pk_value,
    );
    /// Begins a line of the open plane. `timestamp_ns` is what the offsets of the line's events count from: Unix ns, or ns since
    /// the profile's start. Since 0.1.
    pub fn pk_xspace_writer_begin_line(
        writer: *mut pk_xspace_writer,
        id: i64,
        name: pk_str,
        timestamp_ns: i64,
    );
    /// Ends the line that is open. Since 0.1.
    pub fn pk_xspace_writer_end_line(writer: *mut pk_xspace_writer);
    /// Adds an event to the line that is open: `offset_ps` after the line's timestamp, `duration_ps` long. Its stats follow by
    /// pk_xspace_writer_event_stat(). What is wrong is the status of the writer. Since 0.1.
    pub fn pk_xspace_writer_event(
        writer: *mut pk_xspace_writer,
        event_metadata: i64,
        offset_ps: i64,
        duration_ps: i64,
    );
    /// Adds a fact of the event that was added last. Since 0.1.
    pub fn pk_xspace_writer_event_stat(
        writer: *mut pk_xspace_writer,
        stat_metadata: i64,
        value: *const pk_value,
    );
    /// How the writer fares: PK_OK, or the status of the first failure so far; PK_E_INVALID_ARGUMENT for NULL. Since 0.1.
    pub fn pk_xspace_writer_status(writer: *const pk_xspace_writer) -> pk_status;
    /// Ends what is open, completes the output and gives the first failure. Errors: PK_E_INVALID_ARGUMENT (a call that
    /// was out of place), PK_E_LIMIT (pk_writer_options::max_plane_bytes), PK_E_OUTPUT, PK_E_OUTPUT_FULL, PK_E_CANCELLED.
    /// Since 0.1.
    pub fn pk_xspace_writer_finish(
        writer: *mut pk_xspace_writer,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the writer; NULL is fine. Without pk_xspace_writer_finish() before it, a file does not appear. Since 0.1.
    pub fn pk_xspace_writer_free(writer: *mut pk_xspace_writer);
    /// Makes a reader. `options` may be NULL. Ownership: the caller ends `*out` with pk_xspace_push_free(); `callbacks-\>user` is used
    /// until then; the structs are copied. Errors: PK_E_INVALID_ARGUMENT (NULL), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_xspace_push_new(
        callbacks: *const pk_push_callbacks,
        options: *const pk_push_options,
        out: *mut *mut pk_xspace_push,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Takes the next bytes, as many as there are. Damage is no error here: the callback is called, and pk_xspace_push_finish() fails.
    /// After an error every call gives the same one. Ownership: `data` is borrowed for the call. Errors: PK_E_CANCELLED (a callback),
    /// PK_E_LIMIT, PK_E_UNRECOGNISED and PK_E_TEXT_MANGLED (no XSpace), PK_E_UNSUPPORTED (a compression that this build lacks),
    /// PK_E_INVALID_ARGUMENT (from inside a callback; after the end). Since 0.1.
    pub fn pk_xspace_push_bytes(
        push: *mut pk_xspace_push,
        data: *const c_void,
        size: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Says that no more bytes come: what is open ends here. PK_OK is for a capture that was sound to its last byte; nothing in the
    /// format shows that planes are missing after a whole one. Errors: PK_E_DAMAGED (cut, or damaged: the place that lies first), and
    /// those of pk_xspace_push_bytes(). Since 0.1.
    pub fn pk_xspace_push_finish(push: *mut pk_xspace_push, err: *mut *mut pk_error) -> pk_status;
    /// Frees the reader; NULL is fine. Without pk_xspace_push_finish() before it, what is open does not end. Since 0.1.
    pub fn pk_xspace_push_free(push: *mut pk_xspace_push);
    /// Makes a builder. `options` may be NULL. Ownership: the caller ends `*out` with pk_trace_builder_free(). Errors: PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_trace_builder_new(
        options: *const pk_trace_builder_options,
        out: *mut *mut pk_trace_builder,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds a host; its number, from 0, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (a negative rank, world size or origin; a builder that
    /// was finished), PK_E_LIMIT (more than 65,535). Since 0.1.
    pub fn pk_trace_builder_add_host(
        builder: *mut pk_trace_builder,
        host: *const pk_trace_host,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds a device; its number, from 0 over all hosts, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such host; a field out of
    /// range; a builder that was finished), PK_E_LIMIT (more than 65,535). Since 0.1.
    pub fn pk_trace_builder_add_device(
        builder: *mut pk_trace_builder,
        device: *const pk_trace_device,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds a stream; its number, from 0 over all devices, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such device; a builder
    /// that was finished), PK_E_LIMIT (more than 65,535 of a device). Since 0.1.
    pub fn pk_trace_builder_add_stream(
        builder: *mut pk_trace_builder,
        stream: *const pk_trace_stream,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds a thread; its number, from 0 over all hosts, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such host; a builder that
    /// was finished), PK_E_LIMIT (more than 65,535). Since 0.1.
    pub fn pk_trace_builder_add_thread(
        builder: *mut pk_trace_builder,
        thread: *const pk_trace_thread,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds a counter; its number, from 0, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such owner; a builder that was finished),
    /// PK_E_LIMIT (more than 65,535). Since 0.1.
    pub fn pk_trace_builder_add_counter(
        builder: *mut pk_trace_builder,
        counter: *const pk_trace_counter,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds an allocator; its number, from 0, becomes `*out`. Errors: as pk_trace_builder_add_counter(). Since 0.1.
    pub fn pk_trace_builder_add_allocator(
        builder: *mut pk_trace_builder,
        allocator: *const pk_trace_allocator,
        out: *mut u32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "other" for what is none. Ownership: static. Since 0.1.
    pub fn pk_host_span_kind_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_launch_kind_name(value: i32) -> *const c_char;
    /// Adds rows, all or none of them. `row_size` is sizeof(pk_trace_kernel): a later release may append fields, whose default is zero.
    /// Errors: PK_E_INVALID_ARGUMENT (the message names the first bad row by its position in `rows`: no such stream, a negative duration, a
    /// time more than 106 days from zero, a kind out of range; a builder that was finished), PK_E_UNSUPPORTED (unknown flags), PK_E_LIMIT
    /// (pk_trace_builder_options::max_bytes is reached). Since 0.1.
    pub fn pk_trace_builder_add_kernels(
        builder: *mut pk_trace_builder,
        rows: *const pk_trace_kernel,
        row_size: usize,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). Since 0.1.
    pub fn pk_trace_builder_add_spans(
        builder: *mut pk_trace_builder,
        rows: *const pk_trace_span,
        row_size: usize,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). Since 0.1.
    pub fn pk_trace_builder_add_steps(
        builder: *mut pk_trace_builder,
        rows: *const pk_trace_step,
        row_size: usize,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). Since 0.1.
    pub fn pk_trace_builder_add_values(
        builder: *mut pk_trace_builder,
        rows: *const pk_trace_value,
        row_size: usize,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). Since 0.1.
    pub fn pk_trace_builder_add_allocations(
        builder: *mut pk_trace_builder,
        rows: *const pk_trace_allocation,
        row_size: usize,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Makes a profile of what was added: a file of family PK_FAMILY_OWN for each host. The builder is then empty and takes nothing
    /// more. Ownership: the caller ends `*out` with pk_profile_free(); it needs the builder no more. Errors: PK_E_INVALID_ARGUMENT (no
    /// host was added; a builder that was finished), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_trace_builder_finish(
        builder: *mut pk_trace_builder,
        out: *mut *mut pk_profile,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees a builder; NULL is fine. A profile that it became lives on. Since 0.1.
    pub fn pk_trace_builder_free(builder: *mut pk_trace_builder);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_dump_format_name(value: i32) -> *const c_char;
    /// Writes the one message of a file, compressed or not, field by field; no profile has to be in it. `options` and
    /// `status` may be NULL; `*status` becomes a PK_DOCUMENT_STATUS_: what is damaged is shown as far as it is intact, and
    /// reported after it. Errors: as pk_profile_open(); PK_E_INVALID_ARGUMENT (a directory, a file that is no protobuf, no
    /// such type). Since 0.1.
    pub fn pk_dump_write(
        path: *const c_char,
        options: *const pk_dump_options,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The same of a file of an open profile: also of one that came as a buffer or by callbacks. Of the options those that say how a
    /// file is opened count no more, but for the limits and hooks among them. Errors: PK_E_INVALID_ARGUMENT (no such file; a file that
    /// is no protobuf, or has no bytes as that of pk_trace_builder; no such type), PK_E_CANCELLED. Since 0.1.
    pub fn pk_file_dump_write(
        profile: *const pk_profile,
        file: u32,
        options: *const pk_dump_options,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Compares one merged trace, or one trace a node; a NULL among `profiles` is a trace that could not be opened and keeps its
    /// place. Ownership: the caller ends `*out` with pk_validation_free(); it keeps nothing of the profiles. Errors:
    /// PK_E_INVALID_ARGUMENT (no profile at all), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_validation_open(
        profiles: *const *const pk_profile,
        count: usize,
        options: *const pk_validation_options,
        out: *mut *mut pk_validation,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What the comparison found. Errors: PK_E_INVALID_ARGUMENT (NULL). Since 0.1.
    pub fn pk_validation_get(
        validation: *const pk_validation,
        out: *mut pk_validation_summary,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads up to `capacity` nodes from position `first` on; PK_OK means at least one, PK_END none: also when
    /// PK_VALIDATION_ALIGN was not asked for. Errors: PK_E_INVALID_ARGUMENT (capacity 0). Since 0.1.
    pub fn pk_clock_intervals_read(
        validation: *const pk_validation,
        first: u64,
        intervals: *mut pk_clock_interval,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the document: that of `profkit validate --json`. `status` may be NULL. Errors: PK_E_INVALID_ARGUMENT,
    /// PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_validation_write(
        validation: *const pk_validation,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the start gaps of every invocation as CSV. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave
    /// non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_validation_write_csv(
        validation: *const pk_validation,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the validation; NULL is fine. Since 0.1.
    pub fn pk_validation_free(validation: *mut pk_validation);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_probe_tool_name(value: i32) -> *const c_char;
    /// Opens the first file of family PK_FAMILY_NEUTRINO. `tool`: a PK_PROBE_TOOL_. Ownership: the caller ends `*out` with
    /// pk_probe_free(); it holds a reference to `profile`. Errors: PK_E_NOT_FOUND when the profile has none; PK_E_INVALID_ARGUMENT.
    /// Since 0.1.
    pub fn pk_probe_open(
        profile: *mut pk_profile,
        tool: i32,
        out: *mut *mut pk_probe,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "unfinished" for what is none. Ownership: static. Since 0.1.
    pub fn pk_probe_outcome_name(value: i32) -> *const c_char;
    /// Number of record files, which are in the order of elapsed time; 0 for NULL. Since 0.1.
    pub fn pk_probe_bin_count(probe: *const pk_probe) -> usize;
    /// A record file by its position. Ownership: text is borrowed from `probe`. Errors: PK_E_INVALID_ARGUMENT (no such record
    /// file). Since 0.1.
    pub fn pk_probe_bin_get(
        probe: *const pk_probe,
        bin: usize,
        out: *mut pk_probe_bin,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Why a record file is damaged; NULL when it is sound. Ownership: borrowed from `probe`: do not free it. Since 0.1.
    pub fn pk_probe_bin_damage(probe: *const pk_probe, bin: usize) -> *const pk_error;
    /// What documents call a value of these; "unknown" for what is none. Ownership: static. Since 0.1.
    pub fn pk_probe_level_name(value: i32) -> *const c_char;
    /// The name of one flag as documents have it: "offset_recomputed"; "" for none or several. Ownership: static. Since 0.1.
    pub fn pk_probe_flag_name(flag: u32) -> *const c_char;
    /// A map by the position of its record file and its own. Ownership: text is borrowed from `probe`. Errors:
    /// PK_E_INVALID_ARGUMENT (no such record file or map). Since 0.1.
    pub fn pk_probe_map_get(
        probe: *const pk_probe,
        bin: usize,
        map: u32,
        out: *mut pk_probe_map,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// A field of a map by its position in memory. Ownership: text is borrowed from `probe`. Errors: PK_E_INVALID_ARGUMENT (no such
    /// record file, map or field). Since 0.1.
    pub fn pk_probe_field_get(
        probe: *const pk_probe,
        bin: usize,
        map: u32,
        field: u32,
        out: *mut pk_probe_field,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Puts a reader before the first record of a map. Ownership: the caller ends `*out` with pk_probe_records_free(); it holds a
    /// reference to `probe`. Errors: PK_E_INVALID_ARGUMENT, PK_E_NOT_FOUND, PK_E_IO. Since 0.1.
    pub fn pk_probe_records_open(
        probe: *const pk_probe,
        bin: usize,
        map: u32,
        out: *mut *mut pk_probe_records,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads up to `capacity` of the next records, block by block and lane by lane, and says in `*count` how many; PK_OK means at
    /// least one, PK_END none. Ownership: `data` of the rows is borrowed from `records`. Errors: PK_E_INVALID_ARGUMENT (NULL).
    /// Since 0.1.
    pub fn pk_probe_records_read(
        records: *mut pk_probe_records,
        rows: *mut pk_probe_record,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Record k of a lane, written or not: any of them at once. PK_END when there is none. Ownership: `out-\>data` is borrowed from
    /// `records`. Errors: PK_E_INVALID_ARGUMENT (NULL). Since 0.1.
    pub fn pk_probe_record_get(
        records: *const pk_probe_records,
        block: u64,
        lane: u64,
        k: u64,
        out: *mut pk_probe_record,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the reader; NULL is fine. The data of its records ends with it. Since 0.1.
    pub fn pk_probe_records_free(records: *mut pk_probe_records);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_probe_slice_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_probe_format_name(value: i32) -> *const c_char;
    /// Writes one slice: what `profkit neutrino PATH SLICE` writes with --json, --csv or --svg. `query` and `status` may be
    /// NULL; `*status` becomes a PK_DOCUMENT_STATUS_. Of what is absent only JSON says so; otherwise nothing is written.
    /// Errors: PK_E_INVALID_ARGUMENT (no such launch or map; no table or picture of that slice), PK_E_CANCELLED. Since 0.1.
    pub fn pk_probe_write(
        probe: *const pk_probe,
        query: *const pk_probe_query,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the trace; NULL is fine. Readers and tables that were made of it live on. Since 0.1.
    pub fn pk_probe_free(probe: *mut pk_probe);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_clock_domain_name(value: i32) -> *const c_char;
    /// Builds the clock of one node from what was measured. Ownership: the caller ends `*out` with pk_clock_free(); it keeps
    /// nothing of what the options point to. Errors: PK_E_INVALID_ARGUMENT (too few measurements), PK_E_DAMAGED (they describe no
    /// clock). Since 0.1.
    pub fn pk_clock_build(
        options: *const pk_clock_options,
        out: *mut *mut pk_clock,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Maps `count` instants of a clock (PK_CLOCK_TRACER or PK_CLOCK_HOST, ps since its base) to ps since the reference
    /// base. INT64_MIN where that is out of reach (53 days). `from` and `to` may be the same. Errors:
    /// PK_E_INVALID_ARGUMENT (no such clock). Since 0.1.
    pub fn pk_clock_map(
        clock: *const pk_clock,
        domain: i32,
        from: *const i64,
        to: *mut i64,
        count: usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// How far an event near a corrected instant can be from the truth: `*bound_ps`; -1 when the tracer clock was reset
    /// and nobody knows. Two nodes' events are in order only when they are further apart than the sum of both. Errors:
    /// PK_E_INVALID_ARGUMENT (no such clock). Since 0.1.
    pub fn pk_clock_bound(
        clock: *const pk_clock,
        domain: i32,
        corrected_ps: i64,
        bound_ps: *mut i64,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the clock; NULL is fine. Since 0.1.
    pub fn pk_clock_free(clock: *mut pk_clock);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_merge_correction_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_merge_zero_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_plane_scheme_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_merged_format_name(value: i32) -> *const c_char;
    /// Merges traces of several nodes into one XSpace, or trace JSON into one trace JSON, which goes to `write` or, when that is NULL, to pk_merge_options::output.
    /// `out` may be NULL. Nothing is written when it fails before the second pass over the traces; a file is put in place only when
    /// it is complete. Ownership: the caller ends `*out` with pk_merge_free(); it keeps nothing of what the options point to.
    /// Errors: PK_E_INVALID_ARGUMENT (counts, ids or runs that do not fit each other; an output that is an input), PK_E_NOT_FOUND,
    /// PK_E_DAMAGED, PK_E_UNSUPPORTED (an event out of reach; a trace that is not of the format that is written), PK_E_CANCELLED, PK_E_OUTPUT, PK_E_OUTPUT_FULL. Since 0.1.
    pub fn pk_merge_run(
        options: *const pk_merge_options,
        write: pk_write_callback,
        user: *mut c_void,
        out: *mut *mut pk_merge,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "raw" for what is none. Ownership: static. Since 0.1.
    pub fn pk_node_status_name(value: i32) -> *const c_char;
    /// Number of nodes; 0 for NULL. Since 0.1.
    pub fn pk_merge_node_count(merge: *const pk_merge) -> usize;
    /// A node by its position, as the document lists them. Ownership: text is borrowed from `merge`. Errors: PK_E_INVALID_ARGUMENT
    /// (no such node). Since 0.1.
    pub fn pk_merge_node_get(
        merge: *const pk_merge,
        node: usize,
        out: *mut pk_merge_node,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Unix ns of time zero of the merged trace; 0 for NULL. Since 0.1.
    pub fn pk_merge_origin_ns(merge: *const pk_merge) -> i64;
    /// Writes the metadata document of the merge: that of `profkit merge --json`. Errors: PK_E_INVALID_ARGUMENT,
    /// PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_merge_write(
        merge: *const pk_merge,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the results of the merge; NULL is fine. The file that was written stays. Since 0.1.
    pub fn pk_merge_free(merge: *mut pk_merge);
    /// What documents call a value of these; "whole" for what is none. Ownership: static. Since 0.1.
    pub fn pk_window_policy_name(value: i32) -> *const c_char;
    /// Runs the detector. `options` may be NULL. A capture without devices is no failure: there are no steps then, and the document
    /// says why. Ownership: the caller ends `*out` with pk_bubbles_free(); it holds a reference to `profile`. Errors:
    /// PK_E_INVALID_ARGUMENT (no such threshold), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_bubbles_open(
        profile: *mut pk_profile,
        options: *const pk_bubbles_options,
        out: *mut *mut pk_bubbles,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_bubble_tag_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "global" for what is none. Ownership: static. Since 0.1.
    pub fn pk_bubble_scope_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "insufficient_evidence" for what is none. Ownership: static. Since 0.1.
    pub fn pk_bubble_label_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "unexplained" for what is none. Ownership: static. Since 0.1.
    pub fn pk_idle_cause_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "unknown" for what is none. Ownership: static. Since 0.1.
    pub fn pk_certainty_name(value: i32) -> *const c_char;
    /// Writes the document `bubbles` of this analysis: that of `profkit bubbles --json`. `status` may be NULL; it
    /// becomes a PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero),
    /// PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_bubbles_write(
        bubbles: *const pk_bubbles,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Number of devices of the capture, which `device` of its rows counts; 0 for NULL. Since 0.1.
    pub fn pk_bubbles_device_count(bubbles: *const pk_bubbles) -> usize;
    /// Name of a device; empty past the last. Ownership: borrowed from `bubbles`. Since 0.1.
    pub fn pk_bubbles_device_name(bubbles: *const pk_bubbles, device: usize) -> pk_str;
    /// Frees the analysis; NULL is fine. Tables that were made of it live on. Since 0.1.
    pub fn pk_bubbles_free(bubbles: *mut pk_bubbles);
    /// Looks at the model. `options` may be NULL. A capture without devices is no failure: the document and the report say why they
    /// are empty. Ownership: the caller ends `*out` with pk_architecture_free(); it holds a reference to `profile`. Errors:
    /// PK_E_CANCELLED, PK_E_OUT_OF_MEMORY, PK_E_INVALID_ARGUMENT (the pattern). Since 0.1.
    pub fn pk_architecture_open(
        profile: *mut pk_profile,
        options: *const pk_architecture_options,
        out: *mut *mut pk_architecture,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// One sentence: layers, passes, confidence; empty without a device. Ownership: borrowed from `architecture`. Since 0.1.
    pub fn pk_architecture_summary(architecture: *const pk_architecture) -> pk_str;
    /// "model_architecture_report_\<name\>.md", the name that the report has by convention. Ownership: borrowed from `architecture`.
    /// Since 0.1.
    pub fn pk_architecture_file_name(architecture: *const pk_architecture) -> pk_str;
    /// Writes the document `architecture`: that of `profkit architecture --json`. `status` may be NULL; it becomes a
    /// PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY.
    /// Since 0.1.
    pub fn pk_architecture_write(
        architecture: *const pk_architecture,
        write: pk_write_callback,
        user: *mut c_void,
        status: *mut i32,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the report, UTF-8 Markdown: that of `profkit architecture --markdown`. Errors: PK_E_INVALID_ARGUMENT,
    /// PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_architecture_write_markdown(
        architecture: *const pk_architecture,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees the analysis; NULL is fine. Text that was borrowed from it ends with it. Since 0.1.
    pub fn pk_architecture_free(architecture: *mut pk_architecture);
    /// The name of a table: "files", "ops", …; "" for an unknown value. Ownership: static. Since 0.1.
    pub fn pk_table_name(table: i32) -> *const c_char;
    /// What documents call a value of these; "aligned" for what is none. Ownership: static. Since 0.1.
    pub fn pk_ops_clock_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "idle" for what is none. Ownership: static. Since 0.1.
    pub fn pk_time_use_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "count" for what is none. Ownership: static. Since 0.1.
    pub fn pk_fact_source_name(value: i32) -> *const c_char;
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_group_key_name(value: i32) -> *const c_char;
    /// Opens a table of a profile and runs the analysis that it needs, with default options. `options` may be NULL. Which filters a
    /// table takes the comment of its struct says, and docs/tables.md. A table without rows is no failure. probe_records are opened by pk_probe_records_table().
    /// Ownership: the caller ends `*out` with pk_table_free(); it holds a reference to `profile`. Errors: PK_E_INVALID_ARGUMENT (no
    /// such table; a filter that it does not take, or that fits nothing, without PK_TABLE_ALLOW_EMPTY), PK_E_CANCELLED, PK_E_LIMIT, PK_E_OUT_OF_MEMORY.
    /// Since 0.1.
    pub fn pk_table_open(
        profile: *mut pk_profile,
        table: i32,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens the table of the kernels of an activity that was opened with options of its own. Ownership: the caller ends `*out`
    /// with pk_table_free(); it holds a reference to `activity`. Errors: as pk_table_open(). Since 0.1.
    pub fn pk_activity_table(
        activity: *mut pk_activity,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens a table of an analysis: PK_TABLE_STEPS, PK_TABLE_GAPS, PK_TABLE_CAUSES or PK_TABLE_DEVICE_TIME. Ownership: the caller
    /// ends `*out` with pk_table_free(); it holds a reference to `bubbles`, from which the text of its rows is borrowed. Errors: as
    /// pk_table_open(). Since 0.1.
    pub fn pk_bubbles_table(
        bubbles: *mut pk_bubbles,
        table: i32,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens a table of an analysis: PK_TABLE_LIVE_BUFFERS, PK_TABLE_LIVE_CURVE or PK_TABLE_ALLOCATORS. Ownership: the caller ends
    /// `*out` with pk_table_free(); it holds a reference to `memory`, from which the text of its rows is borrowed. Errors: as
    /// pk_table_open(). Since 0.1.
    pub fn pk_memory_table(
        memory: *mut pk_memory,
        table: i32,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens the table of the launches of a Neutrino trace. Ownership: the caller ends `*out` with pk_table_free(); it holds a
    /// reference to `probe`, from which the text of its rows is borrowed. Errors: as pk_table_open(). Since 0.1.
    pub fn pk_probe_table(
        probe: *mut pk_probe,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Opens the table of the records of one map of a record file. Ownership: the caller ends `*out` with pk_table_free(); it holds
    /// a reference to `probe`. Errors: as pk_table_open(), and those of pk_probe_records_open(). Since 0.1.
    pub fn pk_probe_records_table(
        probe: *mut pk_probe,
        bin: usize,
        map: u32,
        options: *const pk_table_options,
        out: *mut *mut pk_table,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Frees a table; NULL is fine. A stream that was made of it lives on. Since 0.1.
    pub fn pk_table_free(table: *mut pk_table);
    /// What documents call a value of these; "" for what is none. Ownership: static. Since 0.1.
    pub fn pk_column_type_name(value: i32) -> *const c_char;
    /// Number of columns of a table, also of those that the options leave out; 0 for NULL. Since 0.1.
    pub fn pk_table_column_count(table: *const pk_table) -> u32;
    /// A column by its position. Ownership: text is borrowed from `table`. Errors: PK_E_INVALID_ARGUMENT (no such column).
    /// Since 0.1.
    pub fn pk_table_column_get(
        table: *const pk_table,
        column: u32,
        out: *mut pk_column,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Reads the next rows, up to `capacity`, into an array of the table's struct, whose size is `row_size`, and says in `*count`
    /// how many. PK_OK means at least one, PK_END none. `rows` may be NULL and `row_size` 0: then pk_table_values() alone shows
    /// them. Ownership: text of the rows is borrowed from `table`, where its opener promises no more. Errors:
    /// PK_E_INVALID_ARGUMENT (another size; capacity 0), PK_E_UNSUPPORTED (a table without a struct: events and probe_records come
    /// by Arrow; a table that a stream was made of), PK_E_LIMIT, and damage. Since 0.1.
    pub fn pk_table_read(
        table: *mut pk_table,
        rows: *mut c_void,
        row_size: usize,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// The values of one column, by its name, of the rows that pk_table_read() gave last: also of columns that are in no struct, as
    /// `host` and those of later versions. `kind` is PK_VALUE_INT64, PK_VALUE_UINT64 (also of booleans) or PK_VALUE_TEXT, 0 where
    /// the value is not known. `capacity` has to be at least the number of those rows, which `*count` says. Ownership: text of the
    /// values is borrowed from `table` until the next read. Errors: PK_E_INVALID_ARGUMENT. Since 0.1.
    pub fn pk_table_values(
        table: *mut pk_table,
        column: *const c_char,
        values: *mut pk_value,
        capacity: usize,
        count: *mut usize,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Makes an Arrow stream of the rows that are left. They are read when the consumer asks for them.
    /// Ownership: the caller ends `*out` with out-\>release(out), which is NULL after a failure.
    /// The stream holds its own reference to the table, and every batch, child and dictionary owns what it shows: handles,
    /// streams and arrays may be released in any order. One thread at a time uses a stream.
    /// The metadata of a field names its `unit` ("ps", "ns", "bytes", …). What is not UTF-8 in a file becomes U+FFFD. What
    /// is not known is null. Columns that were not asked for cost nothing, or little: name those you need.
    /// Damage: the rows before it come first; then get_next fails and get_last_error() says what pk_error would, unless
    /// PK_TABLE_SKIP_DAMAGE is set.
    /// Errors: PK_E_INVALID_ARGUMENT (of a column that is not there the hint names those that are), PK_E_UNSUPPORTED (rows
    /// were read, or another stream was made), PK_E_OUT_OF_MEMORY. Since 0.1.
    pub fn pk_table_arrow(
        table: *mut pk_table,
        out: *mut ArrowArrayStream,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the rows that are left as text: RFC 4180 with a line of names, all 64-bit integers as numbers. Null is an empty cell.
    /// `options` of the table choose the columns. Errors: as pk_table_read(), and PK_E_CANCELLED (`write` gave non-zero).
    /// Since 0.1.
    pub fn pk_table_write_csv(
        table: *mut pk_table,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
    /// Writes the rows that are left as one JSON object a line, all 64-bit integers as numbers. Errors: as pk_table_write_csv().
    /// Since 0.1.
    pub fn pk_table_write_json(
        table: *mut pk_table,
        write: pk_write_callback,
        user: *mut c_void,
        err: *mut *mut pk_error,
    ) -> pk_status;
}
