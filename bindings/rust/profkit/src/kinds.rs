//! Kinds and sets of bits of the C ABI, with the words that documents have for them.
//!
//! A `match` has an arm for what a later release may know:
//!
//! ```compile_fail,E0004
//! fn is_proved(certainty: profkit::Certainty) -> bool {
//!     match certainty {
//!         profkit::Certainty::Proved => true,
//!         profkit::Certainty::Likely | profkit::Certainty::Possible | profkit::Certainty::Unknown => false,
//!     }
//! }
//! ```

use profkit_sys as sys;
use std::fmt;

/// Display and serialisation of what has a `name()`.
macro_rules! shown_by_name {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }
    };
}
pub(crate) use shown_by_name;

/// A kind whose words are those of the C ABI's names. Values that a later library may have are the last case.
macro_rules! worded {
    ($(#[$doc:meta])* $name:ident, $other:ident, { $($(#[$case_doc:meta])* $case:ident = $value:path => $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$case_doc])* $case,)* }
        impl $name {
            #[allow(dead_code)]
            pub(crate) const ALL: &'static [(Self, i32)] = &[$((Self::$case, $value)),*];
            #[allow(dead_code)]
            pub(crate) fn of(value: i32) -> Self {
                Self::ALL.iter().find(|(_, known)| *known == value).map_or(Self::$other, |(case, _)| *case)
            }
            #[allow(dead_code)]
            pub(crate) fn raw(self) -> i32 {
                match self { $(Self::$case => $value,)* }
            }
            /// As documents spell it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $word,)* }
            }
        }
        $crate::kinds::shown_by_name!($name);
    };
}
pub(crate) use worded;

/// A set of such kinds: bit `1 << value` each.
macro_rules! set_of {
    ($(#[$doc:meta])* $set:ident of $item:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $set(pub(crate) u32);
        impl $set {
            /// Whether it is one of them.
            #[must_use]
            pub fn contains(self, item: $item) -> bool {
                self.iter().any(|own| own == item)
            }
            /// Whether there is none.
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }
            /// Those that this crate knows, in the order of the C ABI.
            pub fn iter(self) -> impl Iterator<Item = $item> {
                $item::ALL.iter().filter(move |(_, value)| self.0 >> value & 1 != 0).map(|(item, _)| *item)
            }
            /// As the C ABI has them, also those that this crate does not know.
            #[must_use]
            pub fn bits(self) -> u32 {
                self.0
            }
        }
        impl fmt::Debug for $set {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_set().entries(self.iter()).finish()
            }
        }
        #[cfg(feature = "serde")]
        impl serde::Serialize for $set {
            fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.collect_seq(self.iter())
            }
        }
    };
}

// kinds: written by scripts/generate

worded!(
    /// What a kernel counts as.
    KernelKind, Other, {
    /// Computation.
    Compute = sys::PK_KERNEL_COMPUTE => "compute",
    /// Ascend's host-like core.
    AiCpu = sys::PK_KERNEL_AICPU => "aicpu",
    /// Communication.
    Comm = sys::PK_KERNEL_COMM => "comm",
    /// A memory copy or set.
    Copy = sys::PK_KERNEL_COPY => "copy",
    /// None of these; or its name is not on record.
    Other = sys::PK_KERNEL_OTHER => "other",
});

worded!(
    /// What a device is. On GPUs the host's step windows lie far from the kernels that they launched.
    #[derive(Default)]
    Accelerator, Other, {
    /// None of these.
    #[default]
    Other = sys::PK_ACCELERATOR_OTHER => "other",
    /// A TPU.
    Tpu = sys::PK_ACCELERATOR_TPU => "tpu",
    /// A GPU.
    Gpu = sys::PK_ACCELERATOR_GPU => "gpu",
    /// An NPU.
    Npu = sys::PK_ACCELERATOR_NPU => "npu",
});

worded!(
    /// What a span with a correlation gave to a device. Where no kernel has its number, it is known that the device
    /// did something that was not recorded.
    #[derive(Default)]
    #[allow(missing_docs)]
    LaunchKind, ByName, {
    /// As its name says, of calls of CUDA, HIP and CANN.
    #[default]
    ByName = sys::PK_LAUNCH_BY_NAME => "by_name",
    Kernel = sys::PK_LAUNCH_KERNEL => "kernel",
    Copy = sys::PK_LAUNCH_COPY => "copy",
    /// Many kernels.
    Graph = sys::PK_LAUNCH_GRAPH => "graph",
});

worded!(
    /// What a span of a host is.
    #[derive(Default)]
    #[allow(missing_docs)]
    SpanKind, Other, {
    /// An operator of a framework.
    #[default]
    Op = sys::PK_SPAN_OP => "op",
    /// A call of the runtime or driver of a device.
    Runtime = sys::PK_SPAN_RUNTIME => "runtime",
    /// python_function.
    Frame = sys::PK_SPAN_FRAME => "frame",
    Annotation = sys::PK_SPAN_ANNOTATION => "annotation",
    /// Garbage collection.
    Gc = sys::PK_SPAN_GC => "gc",
    Other = sys::PK_SPAN_OTHER => "other",
});

worded!(
    /// Where a step begins and ends. WHOLE: from its mark, or from its first kernel where the device is still busy
    /// with earlier work, to the next step; the last one to the end of its mark or of its last kernel. GUIDE: from
    /// its mark or first kernel to those of the next step; the last one to the end of the last kernel. MARKER: its
    /// own mark. DEVICE: its first to its last kernel.
    #[derive(Default)]
    #[allow(missing_docs)]
    WindowPolicy, Whole, {
    #[default]
    Whole = sys::PK_WINDOW_POLICY_WHOLE => "whole",
    Marker = sys::PK_WINDOW_POLICY_MARKER => "marker",
    Device = sys::PK_WINDOW_POLICY_DEVICE => "device",
    Guide = sys::PK_WINDOW_POLICY_GUIDE => "guide",
});

worded!(
    /// Where in a step a gap lies.
    Scope, Global, {
    /// In no step, or over the boundary of two.
    Global = sys::PK_BUBBLE_SCOPE_GLOBAL => "global",
    /// Between two kernels of a step.
    StepInternal = sys::PK_BUBBLE_SCOPE_STEP_INTERNAL => "step_internal",
    /// Before the first kernel.
    Prelaunch = sys::PK_BUBBLE_SCOPE_PRELAUNCH => "prelaunch",
    /// After the last kernel.
    Tail = sys::PK_BUBBLE_SCOPE_TAIL => "tail",
});

worded!(
    /// Soft causes, in the order in which the rules are tried.
    BubbleLabel, InsufficientEvidence, {
    /// Synchronisation, or a copy to the device.
    SyncOrH2d = sys::PK_BUBBLE_LABEL_SYNC_OR_H2D => "possible_sync_or_h2d",
    /// Communication.
    CommWait = sys::PK_BUBBLE_LABEL_COMM_WAIT => "possible_comm_wait",
    /// The host was blocked by what was not recorded.
    UntracedHostBlocking = sys::PK_BUBBLE_LABEL_UNTRACED_HOST_BLOCKING => "possible_untraced_host_blocking",
    /// The host launched late.
    HostLaunchLag = sys::PK_BUBBLE_LABEL_HOST_LAUNCH_LAG => "possible_host_launch_lag",
    /// Python, or a lock.
    PythonSerializationOrLock = sys::PK_BUBBLE_LABEL_PYTHON_SERIALIZATION_OR_LOCK => "possible_python_serialization_or_lock",
    /// None of these.
    InsufficientEvidence = sys::PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE => "insufficient_evidence",
});

worded!(
    /// Why a device waits, as far as the capture shows; what each needs is in docs/bubbles.md. Work comes late from
    /// the host for the first ones, then the device or a lock holds it up, then nothing is known.
    Cause, Unexplained, {
    /// The launching thread is busy with ops of a framework.
    LaunchBound = sys::PK_CAUSE_LAUNCH_BOUND => "launch_bound",
    /// The same within the update of the parameters.
    OptimizerLoop = sys::PK_CAUSE_OPTIMIZER_LOOP => "optimizer_loop",
    /// It stands in a wait for a stream, an event or the device, or in a copy that waits.
    SyncWait = sys::PK_CAUSE_SYNC_WAIT => "sync_wait",
    /// A wait emptied the queue before the gap.
    SyncDrain = sys::PK_CAUSE_SYNC_DRAIN => "sync_drain",
    /// It stands in a copy from pageable memory.
    H2dPageable = sys::PK_CAUSE_H2D_PAGEABLE => "h2d_pageable",
    /// It waits for the next batch.
    DataLoader = sys::PK_CAUSE_DATA_LOADER => "data_loader",
    /// Python collects garbage.
    Gc = sys::PK_CAUSE_GC => "gc",
    /// The allocator asks the driver.
    Allocation = sys::PK_CAUSE_ALLOCATION => "allocation",
    /// Something is compiled.
    Compile = sys::PK_CAUSE_COMPILE => "compile",
    /// Code is loaded to the device.
    ModuleLoad = sys::PK_CAUSE_MODULE_LOAD => "module_load",
    /// The state is saved.
    Checkpoint = sys::PK_CAUSE_CHECKPOINT => "checkpoint",
    /// It stands in a call of a collective.
    CommHostWait = sys::PK_CAUSE_COMM_HOST_WAIT => "comm_host_wait",
    /// The work was launched in time: the device waited for something else.
    DeviceDependency = sys::PK_CAUSE_DEVICE_DEPENDENCY => "device_dependency",
    /// It waits for a lock.
    Lock = sys::PK_CAUSE_LOCK => "lock",
    /// Nothing of it is on record.
    HostUntraced = sys::PK_CAUSE_HOST_UNTRACED => "host_untraced",
    /// Little is on record, and none of it says why.
    Unexplained = sys::PK_CAUSE_UNEXPLAINED => "unexplained",
    /// No gap: the device only communicates.
    ExposedComm = sys::PK_CAUSE_EXPOSED_COMM => "exposed_comm",
    /// No gap: the device only copies.
    ExposedCopy = sys::PK_CAUSE_EXPOSED_COPY => "exposed_copy",
    /// The launching thread is busy, and what it launches at last is a whole graph.
    GraphLaunchLate = sys::PK_CAUSE_GRAPH_LAUNCH_LATE => "graph_launch_late",
    /// No gap: ranks stand in a collective until the last one comes.
    StragglerWait = sys::PK_CAUSE_STRAGGLER_WAIT => "straggler_wait",
    /// The profiler itself holds the program up.
    Recording = sys::PK_CAUSE_RECORDING => "recording",
    /// The launching thread stands in one call, of which it is not known what it does.
    HostCall = sys::PK_CAUSE_HOST_CALL => "host_call",
});

worded!(
    /// Anomalies of a step.
    BubbleTag, DeviceIdleGapHeavy, {
    /// The device is idle for much of it.
    DeviceIdleGapHeavy = sys::PK_BUBBLE_TAG_DEVICE_IDLE_GAP_HEAVY => "DEVICE_IDLE_GAP_HEAVY",
    /// Before the first kernel.
    PrelaunchGapHeavy = sys::PK_BUBBLE_TAG_PRELAUNCH_GAP_HEAVY => "PRELAUNCH_GAP_HEAVY",
    /// After the last kernel.
    TailGapHeavy = sys::PK_BUBBLE_TAG_TAIL_GAP_HEAVY => "TAIL_GAP_HEAVY",
    /// Between kernels.
    InternalBubbleHeavy = sys::PK_BUBBLE_TAG_INTERNAL_BUBBLE_HEAVY => "INTERNAL_BUBBLE_HEAVY",
    /// The same gap in many steps.
    RecurringBubblePattern = sys::PK_BUBBLE_TAG_RECURRING_BUBBLE_PATTERN => "RECURRING_BUBBLE_PATTERN",
    /// The host may be the reason.
    HostOriginatedRisk = sys::PK_BUBBLE_TAG_HOST_ORIGINATED_RISK => "HOST_ORIGINATED_RISK",
    /// The host may be blocked by what was not recorded.
    UntracedHostBlockingRisk = sys::PK_BUBBLE_TAG_UNTRACED_HOST_BLOCKING_RISK => "UNTRACED_HOST_BLOCKING_RISK",
    /// Communication may be the reason.
    CommSyncRisk = sys::PK_BUBBLE_TAG_COMM_SYNC_RISK => "COMM_SYNC_RISK",
    /// Waits may count as work.
    WaitPollutionRisk = sys::PK_BUBBLE_TAG_WAIT_POLLUTION_RISK => "WAIT_POLLUTION_RISK",
    /// A kernel that waits looks like one that works.
    WaitAnchorFalseHotspot = sys::PK_BUBBLE_TAG_WAIT_ANCHOR_FALSE_HOTSPOT => "WAIT_ANCHOR_FALSE_HOTSPOT",
    /// Kernels of the AI CPU run alone.
    AicpuExposedRisk = sys::PK_BUBBLE_TAG_AICPU_EXPOSED_RISK => "AICPU_EXPOSED_RISK",
    /// It touches the edge of the capture.
    PartialCaptureBoundary = sys::PK_BUBBLE_TAG_PARTIAL_CAPTURE_BOUNDARY => "PARTIAL_CAPTURE_BOUNDARY",
    /// Shapes vary.
    VariableShapeSameTemplate = sys::PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE => "VARIABLE_SHAPE_SAME_TEMPLATE",
});

worded!(
    /// What a device did. What runs beside compute counts as compute.
    #[allow(missing_docs)]
    TimeUse, Idle, {
    /// Alone or beside anything else.
    Compute = sys::PK_TIME_COMPUTE => "compute",
    /// Nothing computes.
    ExposedComm = sys::PK_TIME_EXPOSED_COMMUNICATION => "exposed_communication",
    /// Nothing computes or communicates.
    ExposedCopy = sys::PK_TIME_EXPOSED_COPIES => "exposed_copies",
    OtherWork = sys::PK_TIME_OTHER_WORK => "other_work",
    Idle = sys::PK_TIME_IDLE => "idle",
    /// Not known: work was launched that was not recorded.
    NotRecorded = sys::PK_TIME_NOT_RECORDED => "not_recorded",
});

worded!(
    /// The format of a file.
    #[allow(missing_docs)]
    Family, Unknown, {
    Unknown = sys::PK_FAMILY_UNKNOWN => "unknown",
    /// *.xplane.pb: tensorflow.profiler.XSpace.
    XSpace = sys::PK_FAMILY_XSPACE => "xspace",
    /// Chrome trace-event JSON (XLA trace.json.gz, perfetto_trace.json.gz, Kineto, Ascend).
    ChromeTrace = sys::PK_FAMILY_CHROME_TRACE => "chrome_trace",
    /// *.hlo_proto.pb, *.hlo.pb: xla.HloProto.
    HloProto = sys::PK_FAMILY_HLO_PROTO => "hlo_proto",
    /// ALL_HOSTS.op_stats_v2.pb: named, not analysed; `dump` shows it.
    OpStats = sys::PK_FAMILY_OP_STATS => "op_stats",
    /// kernel_details.csv, op_summary*.csv: a row a kernel of an Ascend NPU.
    AscendKernels = sys::PK_FAMILY_ASCEND_KERNELS => "ascend_kernels",
    /// step_trace_time.csv, operator_details.csv, op_statistic*.csv.
    AscendTable = sys::PK_FAMILY_ASCEND_TABLE => "ascend_table",
    /// communication.json, profiler_info*.json, profiler_metadata.json.
    AscendJson = sys::PK_FAMILY_ASCEND_JSON => "ascend_json",
    /// *.db of torch_npu and msprof (SQLite): named, not read.
    AscendDatabase = sys::PK_FAMILY_ASCEND_DATABASE => "ascend_database",
    /// A Neutrino trace folder, or one of its record files: one "file" of a profile, which has no bytes of its own.
    Neutrino = sys::PK_FAMILY_NEUTRINO => "neutrino",
    /// What a host recorded itself, pk_trace_builder_finish(): a file without bytes.
    Own = sys::PK_FAMILY_OWN => "own",
});

worded!(
    /// Which clock stamped an instant.
    #[allow(missing_docs)]
    ClockDomain, Tracer, {
    Tracer = sys::PK_CLOCK_TRACER => "tracer",
    Host = sys::PK_CLOCK_HOST => "host",
});

worded!(
    /// The JSON documents, byte for byte those of `profkit <command> --json`.
    #[allow(missing_docs)]
    Document, Report, {
    Report = sys::PK_DOCUMENT_REPORT => "report",
    Info = sys::PK_DOCUMENT_INFO => "info",
    Tree = sys::PK_DOCUMENT_TREE => "tree",
    Metadata = sys::PK_DOCUMENT_METADATA => "metadata",
    Steps = sys::PK_DOCUMENT_STEPS => "steps",
    Ops = sys::PK_DOCUMENT_OPS => "ops",
    Modules = sys::PK_DOCUMENT_MODULES => "modules",
    Framework = sys::PK_DOCUMENT_FRAMEWORK => "framework",
    Collectives = sys::PK_DOCUMENT_COLLECTIVES => "collectives",
    Memory = sys::PK_DOCUMENT_MEMORY => "memory",
    Bubbles = sys::PK_DOCUMENT_BUBBLES => "bubbles",
    Architecture = sys::PK_DOCUMENT_ARCHITECTURE => "architecture",
    Neutrino = sys::PK_DOCUMENT_NEUTRINO => "neutrino",
    /// Of a report what matters most, in 16 KB, with the commands for more.
    Brief = sys::PK_DOCUMENT_BRIEF => "brief",
    /// Ops summed by operator, or by what pk_document_options::of says.
    OpGroups = sys::PK_DOCUMENT_OP_GROUPS => "op_groups",
    /// The findings of a report with their ids; of one of them: pk_document_options::of.
    Explain = sys::PK_DOCUMENT_EXPLAIN => "explain",
});

worded!(
    /// How a document ended, which decides the command's exit code.
    DocumentStatus, Error, {
    /// All is well.
    Ok = sys::PK_DOCUMENT_STATUS_OK => "ok",
    /// Some input was damaged; what was intact is shown.
    Partial = sys::PK_DOCUMENT_STATUS_PARTIAL => "partial",
    /// The capture has nothing of this kind; `reason` says why.
    Absent = sys::PK_DOCUMENT_STATUS_ABSENT => "absent",
    /// Nothing usable.
    Error = sys::PK_DOCUMENT_STATUS_ERROR => "error",
});

worded!(
    /// How a message is written.
    #[derive(Default)]
    DumpFormat, Json, {
    /// One document, as `profkit dump --json` writes it.
    #[default]
    Json = sys::PK_DUMP_JSON => "json",
    /// Protobuf's text format, with remarks after '#'.
    Text = sys::PK_DUMP_TEXT => "text",
});

worded!(
    /// pk_fact.source: what a fact is read from, best first.
    FactSource, Count, {
    /// What a framework wrote around its steps.
    Annotation = sys::PK_FACT_ANNOTATION => "annotation",
    /// Scopes of modules: nn.Module, named scopes of programs.
    Module = sys::PK_FACT_MODULE => "module",
    /// Shapes and types of operators, of kernels that a table lists, or of a program.
    Shape = sys::PK_FACT_SHAPE => "shape",
    /// Names of kernels and their template arguments.
    Kernel = sys::PK_FACT_KERNEL => "kernel",
    /// Groups of communication and settings of the run.
    Group = sys::PK_FACT_GROUP => "group",
    /// What the recorder says of the machine or of the run.
    Recorder = sys::PK_FACT_RECORDER => "recorder",
    /// How often something ran.
    Count = sys::PK_FACT_COUNT => "count",
});

worded!(
    /// How sure a statement is. proved: arithmetic on the capture, or evidence that allows nothing else; what each
    /// cause needs is in docs/bubbles.md. likely: most of the evidence points there. possible: it fits, and so may
    /// others. unknown: nothing on record says.
    Certainty, Unknown, {
    /// Nothing on record says why.
    Unknown = sys::PK_CERTAINTY_UNKNOWN => "unknown",
    /// It fits, and so may others.
    Possible = sys::PK_CERTAINTY_POSSIBLE => "possible",
    /// Most of the evidence points there.
    Likely = sys::PK_CERTAINTY_LIKELY => "likely",
    /// The evidence allows nothing else.
    Proved = sys::PK_CERTAINTY_PROVED => "proved",
});

worded!(
    /// Levels of pk_hooks::log.
    LogLevel, Warning, {
    /// Worth knowing.
    Info = sys::PK_LOG_INFO => "info",
    /// Something is left out.
    Warning = sys::PK_LOG_WARNING => "warning",
});

worded!(
    /// Which step window the run-time part is about.
    #[derive(Default)]
    #[allow(missing_docs)]
    StepPolicy, Peak, {
    #[default]
    Peak = sys::PK_STEP_POLICY_PEAK => "peak",
    Last = sys::PK_STEP_POLICY_LAST => "last",
    First = sys::PK_STEP_POLICY_FIRST => "first",
});

worded!(
    /// How a peak was found.
    PeakMethod, None, {
    /// The space has no temporary memory: the peak is what lives all the time.
    None = sys::PK_PEAK_METHOD_NONE => "none",
    /// The compiler's heap simulation, event by event.
    HeapReplay = sys::PK_PEAK_METHOD_HEAP_REPLAY => "heap_replay",
    /// No simulation in the file: lifetimes from schedule and uses, memory from address ranges.
    ScheduleSweep = sys::PK_PEAK_METHOD_SCHEDULE_SWEEP => "schedule_sweep",
    /// Neither simulation nor schedule: every temporary allocation in full.
    AllocationSizes = sys::PK_PEAK_METHOD_ALLOCATION_SIZES => "allocation_sizes",
});

worded!(
    /// How a peak relates to the truth.
    PeakBound, Exact, {
    /// It is the truth.
    Exact = sys::PK_PEAK_BOUND_EXACT => "exact",
    /// The truth is not below it.
    Lower = sys::PK_PEAK_BOUND_LOWER => "lower",
    /// The truth is not above it.
    Upper = sys::PK_PEAK_BOUND_UPPER => "upper",
});

worded!(
    /// Why bytes are alive.
    #[allow(missing_docs)]
    Residency, Temporary, {
    Indefinite = sys::PK_RESIDENCY_INDEFINITE => "indefinite",
    Temporary = sys::PK_RESIDENCY_TEMPORARY => "temp",
});

worded!(
    /// How planes are named. seed: /device:GPU:\<64 node + k>, hosts of nodes above 0 as /device:GPU:\<10000 node>;
    /// rocm: the numbers of the reference tool (100 + 64 node + k); node: /node:\<n>/device:GPU:\<k> and
    /// /node:\<n>/host_threads.
    #[derive(Default)]
    #[allow(missing_docs)]
    PlaneNames, Seed, {
    #[default]
    Seed = sys::PK_PLANES_SEED => "seed",
    Rocm = sys::PK_PLANES_ROCM => "rocm",
    Node = sys::PK_PLANES_NODE => "node",
});

worded!(
    /// Clock: by snapshots and offsets. walltime: by the start of each node's collector. none: times as they are in
    /// the files.
    #[derive(Default)]
    #[allow(missing_docs)]
    Correction, Clock, {
    #[default]
    Clock = sys::PK_CORRECTION_CLOCK => "clock",
    Walltime = sys::PK_CORRECTION_WALLTIME => "walltime",
    None = sys::PK_CORRECTION_NONE => "none",
});

worded!(
    /// What is written. xspace: of XSpaces. trace_json: of trace JSON (PyTorch, Ascend); the events of a node stand
    /// together.
    #[derive(Default)]
    #[allow(missing_docs)]
    MergedFormat, XSpace, {
    #[default]
    XSpace = sys::PK_MERGED_XSPACE => "xspace",
    TraceJson = sys::PK_MERGED_TRACE_JSON => "trace_json",
});

worded!(
    /// Which instant becomes 0: the start of the reference node, or the earliest event when one lies before it
    /// (AUTO); the earliest event; the start of the reference node; none, with absolute line times.
    #[derive(Default)]
    #[allow(missing_docs)]
    Zero, Auto, {
    #[default]
    Auto = sys::PK_ZERO_AUTO => "auto",
    Earliest = sys::PK_ZERO_EARLIEST => "earliest",
    Reference = sys::PK_ZERO_REFERENCE => "reference",
    None = sys::PK_ZERO_NONE => "none",
});

worded!(
    /// How a node came into the timeline.
    NodeStatus, Raw, {
    /// By its clock.
    Corrected = sys::PK_NODE_CORRECTED => "corrected",
    /// By wall time.
    Walltime = sys::PK_NODE_WALLTIME => "walltime",
    /// As it was.
    Raw = sys::PK_NODE_RAW => "raw",
    /// Not at all: its trace is missing.
    Missing = sys::PK_NODE_MISSING => "missing",
    /// Not at all: its trace is damaged.
    Corrupt = sys::PK_NODE_CORRUPT => "corrupt",
});

worded!(
    /// How an embedded module compares with a *.hlo_proto.pb beside the XSpace.
    #[allow(missing_docs)]
    Sibling, None, {
    None = sys::PK_SIBLING_NONE => "none",
    SameBytes = sys::PK_SIBLING_SAME_BYTES => "same_bytes",
    /// Other bytes, the same computations.
    SameContent = sys::PK_SIBLING_SAME_CONTENT => "same_content",
    Differs = sys::PK_SIBLING_DIFFERS => "differs",
});

worded!(
    /// What ops are grouped by. Of an XSpace op, module, phase and source are what the op's metadata says (`tf_op`,
    /// `source`).
    #[allow(missing_docs)]
    GroupKey, Kernel, {
    /// The name of the kernel.
    Kernel = sys::PK_GROUP_BY_KERNEL => "kernel",
    /// What that runs, without template arguments: "at::native::MulFunctor".
    Function = sys::PK_GROUP_BY_FUNCTION => "function",
    /// Of the compiled program: "fusion.3".
    Instruction = sys::PK_GROUP_BY_INSTRUCTION => "instruction",
    /// The framework's operator that made it: "aten::addmm", "dot_general".
    Op = sys::PK_GROUP_BY_OP => "op",
    /// The outermost operator around that: "aten::linear".
    OuterOp = sys::PK_GROUP_BY_OUTER_OP => "outer-op",
    /// Modules and scopes, one inside the other: "BertLayer_3", "Linear_0".
    Module = sys::PK_GROUP_BY_MODULE => "module",
    /// The innermost module without its number: "Linear".
    KindOfModule = sys::PK_GROUP_BY_KIND_OF_MODULE => "module-kind",
    /// Ranges that the user marked (record_function, NVTX, rocTX) and that were open at the launch, one inside the
    /// other.
    Range = sys::PK_GROUP_BY_RANGE => "range",
    /// The line of code: "model.py(31): forward", "model.py:31".
    Source = sys::PK_GROUP_BY_SOURCE => "source",
    /// Forward, recomputation, backward, optimizer.
    Phase = sys::PK_GROUP_BY_PHASE => "phase",
    /// Of the operator's inputs.
    Shape = sys::PK_GROUP_BY_SHAPE => "shape",
    /// "step 3", as query_filters::step counts the steps of a device; "" of what began in none.
    Step = sys::PK_GROUP_BY_STEP => "step",
    /// What work it is: "compute", "communication", or how it moves data: "transpose", "cast", "copy to device".
    Kind = sys::PK_GROUP_BY_KIND => "kind",
    /// Compute, comm, copy; as an XSpace writes it ("convolution fusion").
    Category = sys::PK_GROUP_BY_CATEGORY => "category",
    /// The compiled program.
    Program = sys::PK_GROUP_BY_PROGRAM => "program",
    /// The line of the device.
    Stream = sys::PK_GROUP_BY_STREAM => "stream",
    Device = sys::PK_GROUP_BY_DEVICE => "device",
});

worded!(
    /// Which clock the durations, self and busy times of a line of ops are of. Which events belong to a step, a time
    /// or a filter is always decided by aligned starts.
    OpsClock, Aligned, {
    /// offset_ps and duration_ps: the device's times as the profiler fitted them to the host's clock.
    Aligned = sys::PK_OPS_CLOCK_ALIGNED => "aligned",
    /// device_offset_ps and device_duration_ps, stats of every event.
    Device = sys::PK_OPS_CLOCK_DEVICE => "device",
    /// device_duration_ps where an event has it, else duration_ps; starts are aligned.
    Mixed = sys::PK_OPS_CLOCK_MIXED => "mixed",
});

worded!(
    /// The parts of the document `neutrino`.
    #[derive(Default)]
    #[allow(missing_docs)]
    ProbeSlice, Summary, {
    /// Launches, kernels, maps and overhead in one.
    #[default]
    Summary = sys::PK_PROBE_SLICE_SUMMARY => "summary",
    Launches = sys::PK_PROBE_SLICE_LAUNCHES => "launches",
    Kernels = sys::PK_PROBE_SLICE_KERNELS => "kernels",
    Maps = sys::PK_PROBE_SLICE_MAPS => "maps",
    Records = sys::PK_PROBE_SLICE_RECORDS => "records",
    Schedule = sys::PK_PROBE_SLICE_SCHEDULE => "schedule",
    Bytes = sys::PK_PROBE_SLICE_BYTES => "bytes",
    Density = sys::PK_PROBE_SLICE_DENSITY => "density",
    Progress = sys::PK_PROBE_SLICE_PROGRESS => "progress",
    Overhead = sys::PK_PROBE_SLICE_OVERHEAD => "overhead",
    Log = sys::PK_PROBE_SLICE_LOG => "log",
});

worded!(
    /// How a slice is written.
    #[derive(Default)]
    ProbeFormat, Json, {
    /// A document.
    #[default]
    Json = sys::PK_PROBE_JSON => "json",
    /// A heading and a row an item (RFC 4180), of any slice but the summary.
    Csv = sys::PK_PROBE_CSV => "csv",
    /// A picture for a browser, of schedule and density.
    Svg = sys::PK_PROBE_SVG => "svg",
});

worded!(
    /// Who has a slot of its own in a map.
    #[allow(missing_docs)]
    ProbeLevel, Unknown, {
    Unknown = sys::PK_PROBE_LEVEL_UNKNOWN => "unknown",
    Thread = sys::PK_PROBE_LEVEL_THREAD => "thread",
    Warp = sys::PK_PROBE_LEVEL_WARP => "warp",
});

worded!(
    /// How a launch ended, by the log.
    LaunchOutcome, Unfinished, {
    /// The log ends, or goes on, without saying.
    Unfinished = sys::PK_PROBE_OUTCOME_UNFINISHED => "unfinished",
    /// It ran with the probe.
    Ok = sys::PK_PROBE_OUTCOME_OK => "ok",
    /// The probed kernel did not run; the original one did.
    Failed = sys::PK_PROBE_OUTCOME_FAILED => "failed",
    /// It ran, and its records could not be written.
    CantSave = sys::PK_PROBE_OUTCOME_CANT_SAVE => "cant-save",
    /// It was not probed: the original kernel ran.
    Backup = sys::PK_PROBE_OUTCOME_BACKUP => "backup",
    /// Only the memory that the probe would need was asked for.
    MemUsage = sys::PK_PROBE_OUTCOME_MEMUSAGE => "memusage",
    /// It ran for its times only.
    Benchmark = sys::PK_PROBE_OUTCOME_BENCHMARK => "benchmark",
});

worded!(
    /// What records are taken for that no probe.toml describes.
    #[derive(Default)]
    #[allow(missing_docs)]
    ProbeTool, None, {
    /// As the name of the kernel's hook says, if it does.
    #[default]
    None = sys::PK_PROBE_TOOL_NONE => "",
    BlockSched = sys::PK_PROBE_TOOL_BLOCK_SCHED => "block_sched",
    GmemBytes = sys::PK_PROBE_TOOL_GMEM_BYTES => "gmem_bytes",
    Tensorop = sys::PK_PROBE_TOOL_TENSOROP => "tensorop",
    ProgramProgress = sys::PK_PROBE_TOOL_PROGRAM_PROGRESS => "program_progress",
    Dmat = sys::PK_PROBE_TOOL_DMAT => "dmat",
});

worded!(
    /// What went wrong, in groups of ten. More may come.
    Kind, Internal, {
    /// Misuse: NULL, an index out of range, a name that is not there, options that contradict each other.
    InvalidArgument = sys::PK_E_INVALID_ARGUMENT => "invalid_argument",
    /// No memory was left.
    OutOfMemory = sys::PK_E_OUT_OF_MEMORY => "out_of_memory",
    /// Valid input or an option that this version cannot handle.
    Unsupported = sys::PK_E_UNSUPPORTED => "unsupported",
    /// A callback or the cancel token asked to stop.
    Cancelled = sys::PK_E_CANCELLED => "cancelled",
    /// A bug of the library.
    Internal = sys::PK_E_INTERNAL => "internal",
    /// No such path, or no such metadata entry.
    NotFound = sys::PK_E_NOT_FOUND => "not_found",
    /// The operating system does not let this file be read.
    Permission = sys::PK_E_PERMISSION => "permission",
    /// The operating system or the read callback refused a read.
    Io = sys::PK_E_IO => "io",
    /// The input shrank or changed while it was read.
    InputChanged = sys::PK_E_INPUT_CHANGED => "input_changed",
    /// Bytes that break the format; the byte offset says where.
    Damaged = sys::PK_E_DAMAGED => "damaged",
    /// No reader knows these bytes.
    Unrecognised = sys::PK_E_UNRECOGNISED => "unrecognised",
    /// A binary file that went through a text conversion (EF BF BD everywhere).
    TextMangled = sys::PK_E_TEXT_MANGLED => "text_mangled",
    /// A bound of the limits was hit; the message names it.
    Limit = sys::PK_E_LIMIT => "limit",
    /// Writing failed.
    Output = sys::PK_E_OUTPUT => "output",
    /// No space is left for the output.
    OutputFull = sys::PK_E_OUTPUT_FULL => "output_full",
});

worded!(
    /// How files are reached.
    #[derive(Default)]
    Io, Read, {
    /// Into memory; a file that another process truncates meanwhile is PK_E_INPUT_CHANGED.
    #[default]
    Read = sys::PK_IO_READ => "read",
    /// Maps local files above 512 KiB, which takes less memory; truncated under the mapping, such a file raises
    /// SIGBUS.
    Map = sys::PK_IO_MAP => "map",
});

worded!(
    /// How the bytes of a file were compressed.
    #[allow(missing_docs)]
    Compression, None, {
    None = sys::PK_COMPRESSION_NONE => "none",
    Gzip = sys::PK_COMPRESSION_GZIP => "gzip",
    Zstd = sys::PK_COMPRESSION_ZSTD => "zstd",
});

worded!(
    /// What the values of a column are. A name is text that repeats.
    #[allow(missing_docs)]
    ColumnType, Int64, {
    Int64 = sys::PK_COLUMN_INT64 => "int64",
    UInt64 = sys::PK_COLUMN_UINT64 => "uint64",
    Int32 = sys::PK_COLUMN_INT32 => "int32",
    UInt32 = sys::PK_COLUMN_UINT32 => "uint32",
    Boolean = sys::PK_COLUMN_BOOLEAN => "boolean",
    Text = sys::PK_COLUMN_TEXT => "text",
    /// Text that repeats: a dictionary.
    Name = sys::PK_COLUMN_NAME => "name",
});

worded!(
    /// Formats of other tools.
    #[derive(Default)]
    TraceFormat, Json, {
    /// Chrome trace-event JSON, for Perfetto and chrome://tracing.
    #[default]
    Json = sys::PK_TRACE_JSON => "trace.json",
    /// Perfetto's protobuf trace (.pftrace).
    Perfetto = sys::PK_TRACE_PERFETTO => "pftrace",
    /// An XSpace with the events that the filters keep, byte for byte.
    XSpace = sys::PK_TRACE_XSPACE => "xspace",
    /// One row an event.
    Csv = sys::PK_TRACE_CSV => "csv",
});

worded!(
    /// What a plane (a process in Chrome terms) stands for.
    #[allow(missing_docs)]
    PlaneKind, Other, {
    Device = sys::PK_PLANE_DEVICE => "device",
    Host = sys::PK_PLANE_HOST => "host",
    /// Carries compiled modules.
    Metadata = sys::PK_PLANE_METADATA => "metadata",
    Custom = sys::PK_PLANE_CUSTOM => "custom",
    Environment = sys::PK_PLANE_ENVIRONMENT => "environment",
    Other = sys::PK_PLANE_OTHER => "other",
});

worded!(
    /// What the events of a line mean. `derived` lines repeat the time of another line (TC Overlay, Framework Ops,
    /// negative GPU line ids) and are never summed with it.
    #[allow(missing_docs)]
    LineKind, Other, {
    Steps = sys::PK_LINE_STEPS => "steps",
    Modules = sys::PK_LINE_MODULES => "modules",
    Ops = sys::PK_LINE_OPS => "ops",
    Async = sys::PK_LINE_ASYNC => "async",
    Stream = sys::PK_LINE_STREAM => "stream",
    /// Repeats the time of another line: never sum it with that.
    Derived = sys::PK_LINE_DERIVED => "derived",
    Counter = sys::PK_LINE_COUNTER => "counter",
    Thread = sys::PK_LINE_THREAD => "thread",
    Other = sys::PK_LINE_OTHER => "other",
});

worded!(
    /// Where a stat was written. Bits: a set of them says which to visit.
    StatOrigin, Event, {
    /// In the event itself.
    Event = sys::PK_ORIGIN_EVENT => "event",
    /// In its metadata entry.
    Metadata = sys::PK_ORIGIN_METADATA => "metadata",
    /// In the plane.
    Plane = sys::PK_ORIGIN_PLANE => "plane",
});

worded!(
    /// Lists of text that an XSpace carries beside its planes.
    #[allow(missing_docs)]
    NoteKind, Hostname, {
    Hostname = sys::PK_NOTE_HOSTNAME => "hostname",
    Error = sys::PK_NOTE_ERROR => "error",
    Warning = sys::PK_NOTE_WARNING => "warning",
});
// end of kinds

set_of!(
    /// The soft labels that the evidence of a gap meets.
    BubbleLabels of BubbleLabel
);

set_of!(
    /// The anomalies of a step.
    BubbleTags of BubbleTag
);

#[cfg(test)]
mod tests {
    use super::*;

    /// (name, value) of the constants of the C ABI with a prefix.
    fn constants(prefix: &str) -> Vec<(String, i32)> {
        include_str!("../../profkit-sys/src/lib.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const ")?.strip_prefix(prefix)?.split_once(": i32 = "))
            .map(|(name, value)| (name.to_lowercase(), value.trim_end_matches(';').parse().unwrap()))
            .collect()
    }

    #[test]
    fn every_constant_has_its_word() {
        fn same<T: Copy>(prefix: &str, all: &[(T, i32)], name: impl Fn(T) -> &'static str) {
            let word = |case| name(case).to_lowercase().replace("possible_", "").replace('-', "_");
            let own: Vec<_> = all.iter().map(|(case, value)| (word(*case), *value)).collect();
            assert_eq!(own, constants(prefix), "{prefix}");
            assert!(!own.is_empty());
        }
        same("PK_CAUSE_", Cause::ALL, Cause::name);
        same("PK_BUBBLE_LABEL_", BubbleLabel::ALL, BubbleLabel::name);
        same("PK_BUBBLE_TAG_", BubbleTag::ALL, BubbleTag::name);
        same("PK_COLUMN_", ColumnType::ALL, ColumnType::name);
        same("PK_LOG_", LogLevel::ALL, LogLevel::name);
        same("PK_BUBBLE_SCOPE_", crate::Scope::ALL, crate::Scope::name);
        same("PK_CERTAINTY_", crate::Certainty::ALL, crate::Certainty::name);
        same("PK_ACCELERATOR_", crate::Accelerator::ALL, crate::Accelerator::name);
        same("PK_PEAK_METHOD_", crate::PeakMethod::ALL, crate::PeakMethod::name);
        same("PK_PEAK_BOUND_", crate::PeakBound::ALL, crate::PeakBound::name);
        same("PK_DOCUMENT_STATUS_", crate::DocumentStatus::ALL, crate::DocumentStatus::name);
        same("PK_PROBE_OUTCOME_", crate::LaunchOutcome::ALL, crate::LaunchOutcome::name);
    }

    #[test]
    fn sets_say_what_is_in_them() {
        let set = BubbleLabels(0b10_1000 | 1 << 31);
        assert!(set.contains(BubbleLabel::HostLaunchLag) && !set.contains(BubbleLabel::CommWait) && !set.is_empty());
        assert_eq!(format!("{set:?}"), "{HostLaunchLag, InsufficientEvidence}");
        assert_eq!(set.bits(), 0b10_1000 | 1 << 31);
        assert_eq!(Cause::of(1 << 20), Cause::Unexplained);
        assert_eq!(Cause::DataLoader.to_string(), "data_loader");
    }
}
