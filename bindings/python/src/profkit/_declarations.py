"""The C ABI as ctypes sees it. Written by bindings/declarations.py from profkit.h: do not edit."""
import ctypes as c
from typing import Any, Dict, Tuple

PK_VERSION_MAJOR = 0
PK_VERSION_MINOR = 1
PK_VERSION_PATCH = 0
PK_NO_OFFSET = 18446744073709551615
PK_LIMIT_DEFAULT = 0
PK_LIMIT_NONE = 18446744073709551615
PK_PROBE_NO_BLOCK = 18446744073709551615
PK_NO_TIME_PS = -9223372036854775808
PK_OK = 0
PK_END = 1
PK_E_INVALID_ARGUMENT = -1
PK_E_OUT_OF_MEMORY = -2
PK_E_UNSUPPORTED = -3
PK_E_CANCELLED = -4
PK_E_INTERNAL = -9
PK_E_NOT_FOUND = -10
PK_E_PERMISSION = -11
PK_E_IO = -12
PK_E_INPUT_CHANGED = -13
PK_E_DAMAGED = -20
PK_E_UNRECOGNISED = -21
PK_E_TEXT_MANGLED = -22
PK_E_LIMIT = -30
PK_E_OUTPUT = -40
PK_E_OUTPUT_FULL = -41
PK_LOG_INFO = 1
PK_LOG_WARNING = 2
PK_FILTER_HAS_STEP = 1
PK_FILTER_HAS_FROM = 2
PK_FILTER_HAS_TO = 4
PK_IO_READ = 0
PK_IO_MAP = 1
PK_OPEN_COPY = 1
PK_OPEN_ONE_PASS = 2
PK_OPEN_REDACT = 4
PK_OPEN_HAS_RANK = 8
PK_OPEN_STANDARD_INPUT = 16
PK_PROFILE_HAS_ORIGIN = 1
PK_FAMILY_UNKNOWN = 0
PK_FAMILY_XSPACE = 1
PK_FAMILY_CHROME_TRACE = 2
PK_FAMILY_HLO_PROTO = 3
PK_FAMILY_OP_STATS = 4
PK_FAMILY_ASCEND_KERNELS = 5
PK_FAMILY_ASCEND_TABLE = 6
PK_FAMILY_ASCEND_JSON = 7
PK_FAMILY_ASCEND_DATABASE = 8
PK_FAMILY_NEUTRINO = 16
PK_FAMILY_OWN = 17
PK_COMPRESSION_NONE = 0
PK_COMPRESSION_GZIP = 1
PK_COMPRESSION_ZSTD = 2
PK_FILE_HAS_ORIGIN = 1
PK_NOTE_HOSTNAME = 0
PK_NOTE_ERROR = 1
PK_NOTE_WARNING = 2
PK_PLANE_DEVICE = 0
PK_PLANE_HOST = 1
PK_PLANE_METADATA = 2
PK_PLANE_CUSTOM = 3
PK_PLANE_ENVIRONMENT = 4
PK_PLANE_OTHER = 5
PK_LINE_STEPS = 0
PK_LINE_MODULES = 1
PK_LINE_OPS = 2
PK_LINE_ASYNC = 3
PK_LINE_STREAM = 4
PK_LINE_DERIVED = 5
PK_LINE_COUNTER = 6
PK_LINE_THREAD = 7
PK_LINE_OTHER = 8
PK_LINE_HAS_START = 1
PK_EVENT_HAS_OFFSET = 1
PK_EVENT_HAS_OCCURRENCES = 2
PK_EVENT_HAS_START = 4
PK_STAT_NONE = 0
PK_STAT_DOUBLE = 2
PK_STAT_UINT64 = 3
PK_STAT_INT64 = 4
PK_STAT_STR = 5
PK_STAT_BYTES = 6
PK_STAT_REF = 7
PK_ORIGIN_EVENT = 1
PK_ORIGIN_METADATA = 2
PK_ORIGIN_PLANE = 4
PK_SIBLING_NONE = 0
PK_SIBLING_SAME_BYTES = 1
PK_SIBLING_SAME_CONTENT = 2
PK_SIBLING_DIFFERS = 3
PK_MODULE_DAMAGED = 1
PK_CHROME_HAS_START = 1
PK_CHROME_HAS_DURATION = 2
PK_CHROME_PID_IS_STRING = 4
PK_CHROME_TID_IS_STRING = 8
PK_ACTIVITY_NO_DETAILS = 1
PK_ACCELERATOR_OTHER = 0
PK_ACCELERATOR_TPU = 1
PK_ACCELERATOR_GPU = 2
PK_ACCELERATOR_NPU = 3
PK_DEVICE_HAS_WAITS = 1
PK_DEVICE_HAS_SHAPES = 2
PK_DEVICE_HAS_CLASSES = 4
PK_DEVICE_HAS_LAUNCHES = 8
PK_KERNEL_COMPUTE = 0
PK_KERNEL_AICPU = 1
PK_KERNEL_COMM = 2
PK_KERNEL_COPY = 3
PK_KERNEL_OTHER = 4
PK_KERNEL_ON_AICPU = 1
PK_KERNEL_HAS_STREAM = 2
PK_KERNEL_DUPLICATE = 4
PK_KERNEL_IN_FLIGHT = 64
PK_KERNEL_HAS_WAIT = 256
PK_KERNEL_HAS_LAUNCH = 512
PK_DOCUMENT_REPORT = 1
PK_DOCUMENT_INFO = 2
PK_DOCUMENT_TREE = 3
PK_DOCUMENT_METADATA = 4
PK_DOCUMENT_STEPS = 5
PK_DOCUMENT_OPS = 6
PK_DOCUMENT_MODULES = 7
PK_DOCUMENT_FRAMEWORK = 8
PK_DOCUMENT_COLLECTIVES = 9
PK_DOCUMENT_MEMORY = 10
PK_DOCUMENT_BUBBLES = 11
PK_DOCUMENT_ARCHITECTURE = 12
PK_DOCUMENT_NEUTRINO = 20
PK_DOCUMENT_BRIEF = 21
PK_DOCUMENT_OP_GROUPS = 23
PK_DOCUMENT_EXPLAIN = 22
PK_DOCUMENT_STATUS_OK = 0
PK_DOCUMENT_STATUS_PARTIAL = 1
PK_DOCUMENT_STATUS_ABSENT = 2
PK_DOCUMENT_STATUS_ERROR = 3
PK_MEMORY_NO_RUNTIME = 1
PK_MEMORY_ALL_TRACE = 2
PK_MEMORY_INCLUDE_HOST_POOLS = 4
PK_MEMORY_HAS_FIT = 8
PK_MEMORY_NO_TIMELINE = 16
PK_MEMORY_KEPT_IS_PERSISTENT = 32
PK_STEP_POLICY_PEAK = 0
PK_STEP_POLICY_LAST = 1
PK_STEP_POLICY_FIRST = 2
PK_PEAK_METHOD_NONE = 0
PK_PEAK_METHOD_HEAP_REPLAY = 1
PK_PEAK_METHOD_SCHEDULE_SWEEP = 2
PK_PEAK_METHOD_ALLOCATION_SIZES = 3
PK_PEAK_BOUND_EXACT = 0
PK_PEAK_BOUND_LOWER = 1
PK_PEAK_BOUND_UPPER = 2
PK_ALLOCATOR_AGREES = 1
PK_ALLOCATOR_CHOSEN = 2
PK_RESIDENCY_INDEFINITE = 0
PK_RESIDENCY_TEMPORARY = 1
PK_LIVE_BUFFER_HAS_INSTRUCTION = 1
PK_TRACE_JSON = 0
PK_TRACE_PERFETTO = 1
PK_TRACE_XSPACE = 2
PK_TRACE_CSV = 3
PK_TRACE_LIKE_XLA = 1
PK_TRACE_GZIP = 2
PK_TRACE_WAITS = 4
PK_VALUE_DOUBLE = 2
PK_VALUE_UINT64 = 3
PK_VALUE_INT64 = 4
PK_VALUE_TEXT = 5
PK_VALUE_BYTES = 6
PK_VALUE_REF = 7
PK_WRITER_GZIP = 1
PK_PUSHED_LINE_CHANGED = 1
PK_TRACE_HOST_HAS_RANK = 1
PK_TRACE_HOST_HAS_ORIGIN = 2
PK_TRACE_DEVICE_HAS_ORDINAL = 1
PK_TRACE_OF_DEVICE = 1
PK_TRACE_KERNEL_HAS_KIND = 1
PK_TRACE_KERNEL_HAS_LAUNCH = 2
PK_TRACE_KERNEL_HAS_WORK = 4
PK_TRACE_KERNEL_HAS_SEQUENCE = 8
PK_TRACE_KERNEL_HAS_MESSAGE = 16
PK_SPAN_OP = 0
PK_SPAN_RUNTIME = 1
PK_SPAN_FRAME = 2
PK_SPAN_ANNOTATION = 3
PK_SPAN_GC = 4
PK_SPAN_OTHER = 5
PK_LAUNCH_BY_NAME = 0
PK_LAUNCH_KERNEL = 1
PK_LAUNCH_COPY = 2
PK_LAUNCH_GRAPH = 3
PK_TRACE_STEP_HAS_NUMBER = 1
PK_TRACE_ALLOCATION_IS_FREE = 1
PK_DUMP_JSON = 0
PK_DUMP_TEXT = 1
PK_VALIDATION_ALIGN = 1
PK_VALIDATION_HAS_BOUND = 2
PK_PROBE_TOOL_NONE = 0
PK_PROBE_TOOL_BLOCK_SCHED = 1
PK_PROBE_TOOL_GMEM_BYTES = 2
PK_PROBE_TOOL_TENSOROP = 3
PK_PROBE_TOOL_PROGRAM_PROGRESS = 4
PK_PROBE_TOOL_DMAT = 5
PK_PROBE_OUTCOME_UNFINISHED = 0
PK_PROBE_OUTCOME_OK = 1
PK_PROBE_OUTCOME_FAILED = 2
PK_PROBE_OUTCOME_CANT_SAVE = 3
PK_PROBE_OUTCOME_BACKUP = 4
PK_PROBE_OUTCOME_MEMUSAGE = 5
PK_PROBE_OUTCOME_BENCHMARK = 6
PK_PROBE_HAS_GEOMETRY = 1
PK_PROBE_HAS_TIME = 2
PK_PROBE_HAS_MEMORY = 4
PK_PROBE_HAS_DURATIONS = 8
PK_PROBE_LEVEL_UNKNOWN = 0
PK_PROBE_LEVEL_THREAD = 1
PK_PROBE_LEVEL_WARP = 2
PK_PROBE_OFFSET_RECOMPUTED = 1
PK_PROBE_SIZE_MISMATCH = 2
PK_PROBE_TRUNCATED = 4
PK_PROBE_OVERLAP = 8
PK_PROBE_BAD_OFFSET = 16
PK_PROBE_LEVEL_GUESSED = 32
PK_PROBE_LEVEL_NOT_KNOWN = 64
PK_PROBE_ALIASED = 128
PK_PROBE_TABLE_IGNORED = 256
PK_PROBE_SLACK = 512
PK_PROBE_RAW_WORDS = 1024
PK_PROBE_SHAPE_MISMATCH = 2048
PK_PROBE_MAPS_MISMATCH = 4096
PK_PROBE_POSSIBLE_OVERFLOW = 8192
PK_PROBE_SHAPE_ASSUMED = 16384
PK_PROBE_SLICE_SUMMARY = 0
PK_PROBE_SLICE_LAUNCHES = 1
PK_PROBE_SLICE_KERNELS = 2
PK_PROBE_SLICE_MAPS = 3
PK_PROBE_SLICE_RECORDS = 4
PK_PROBE_SLICE_SCHEDULE = 5
PK_PROBE_SLICE_BYTES = 6
PK_PROBE_SLICE_DENSITY = 7
PK_PROBE_SLICE_PROGRESS = 8
PK_PROBE_SLICE_OVERHEAD = 9
PK_PROBE_SLICE_LOG = 10
PK_PROBE_JSON = 0
PK_PROBE_CSV = 1
PK_PROBE_SVG = 2
PK_PROBE_QUERY_HAS_BLOCK = 1
PK_PROBE_QUERY_HAS_LANE = 2
PK_CLOCK_TRACER = 0
PK_CLOCK_HOST = 1
PK_OFFSET_HAS_DRIFT = 1
PK_OFFSET_HAS_RESIDUAL = 2
PK_CLOCK_IS_REFERENCE = 1
PK_CLOCK_NO_DRIFT_SLOPE = 2
PK_CORRECTION_CLOCK = 0
PK_CORRECTION_WALLTIME = 1
PK_CORRECTION_NONE = 2
PK_ZERO_AUTO = 0
PK_ZERO_EARLIEST = 1
PK_ZERO_REFERENCE = 2
PK_ZERO_NONE = 3
PK_PLANES_SEED = 0
PK_PLANES_ROCM = 1
PK_PLANES_NODE = 2
PK_MERGED_XSPACE = 0
PK_MERGED_TRACE_JSON = 1
PK_MERGE_KEEP_GOING = 1
PK_MERGE_KEEP_ORDER = 2
PK_MERGE_SCALE_DURATIONS = 4
PK_MERGE_TRACER_HOST_THREADS = 8
PK_MERGE_NO_DRIFT_SLOPE = 16
PK_NODE_CORRECTED = 0
PK_NODE_WALLTIME = 1
PK_NODE_RAW = 2
PK_NODE_MISSING = 3
PK_NODE_CORRUPT = 4
PK_WINDOW_POLICY_WHOLE = 0
PK_WINDOW_POLICY_MARKER = 1
PK_WINDOW_POLICY_DEVICE = 2
PK_WINDOW_POLICY_GUIDE = 3
PK_BUBBLE_TAG_DEVICE_IDLE_GAP_HEAVY = 0
PK_BUBBLE_TAG_PRELAUNCH_GAP_HEAVY = 1
PK_BUBBLE_TAG_TAIL_GAP_HEAVY = 2
PK_BUBBLE_TAG_INTERNAL_BUBBLE_HEAVY = 3
PK_BUBBLE_TAG_RECURRING_BUBBLE_PATTERN = 4
PK_BUBBLE_TAG_HOST_ORIGINATED_RISK = 5
PK_BUBBLE_TAG_UNTRACED_HOST_BLOCKING_RISK = 6
PK_BUBBLE_TAG_COMM_SYNC_RISK = 7
PK_BUBBLE_TAG_WAIT_POLLUTION_RISK = 8
PK_BUBBLE_TAG_WAIT_ANCHOR_FALSE_HOTSPOT = 9
PK_BUBBLE_TAG_AICPU_EXPOSED_RISK = 10
PK_BUBBLE_TAG_PARTIAL_CAPTURE_BOUNDARY = 11
PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE = 12
PK_BUBBLE_SCOPE_GLOBAL = 0
PK_BUBBLE_SCOPE_STEP_INTERNAL = 1
PK_BUBBLE_SCOPE_PRELAUNCH = 2
PK_BUBBLE_SCOPE_TAIL = 3
PK_BUBBLE_LABEL_SYNC_OR_H2D = 0
PK_BUBBLE_LABEL_COMM_WAIT = 1
PK_BUBBLE_LABEL_UNTRACED_HOST_BLOCKING = 2
PK_BUBBLE_LABEL_HOST_LAUNCH_LAG = 3
PK_BUBBLE_LABEL_PYTHON_SERIALIZATION_OR_LOCK = 4
PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE = 5
PK_CAUSE_LAUNCH_BOUND = 0
PK_CAUSE_OPTIMIZER_LOOP = 1
PK_CAUSE_SYNC_WAIT = 2
PK_CAUSE_SYNC_DRAIN = 3
PK_CAUSE_H2D_PAGEABLE = 4
PK_CAUSE_DATA_LOADER = 5
PK_CAUSE_GC = 6
PK_CAUSE_ALLOCATION = 7
PK_CAUSE_COMPILE = 8
PK_CAUSE_MODULE_LOAD = 9
PK_CAUSE_CHECKPOINT = 10
PK_CAUSE_COMM_HOST_WAIT = 11
PK_CAUSE_DEVICE_DEPENDENCY = 12
PK_CAUSE_LOCK = 13
PK_CAUSE_HOST_UNTRACED = 14
PK_CAUSE_UNEXPLAINED = 15
PK_CAUSE_EXPOSED_COMM = 16
PK_CAUSE_EXPOSED_COPY = 17
PK_CAUSE_GRAPH_LAUNCH_LATE = 18
PK_CAUSE_STRAGGLER_WAIT = 19
PK_CAUSE_RECORDING = 20
PK_CAUSE_HOST_CALL = 21
PK_CERTAINTY_UNKNOWN = 0
PK_CERTAINTY_POSSIBLE = 1
PK_CERTAINTY_LIKELY = 2
PK_CERTAINTY_PROVED = 3
PK_BUBBLE_HEAVY = 1
PK_BUBBLE_AT_EDGE = 2
PK_BUBBLE_INTER_STEP = 4
PK_BUBBLE_TRACED = 8
PK_TABLE_FILES = 1
PK_TABLE_DEVICES = 2
PK_TABLE_EVENTS = 3
PK_TABLE_OPS = 4
PK_TABLE_STEPS = 5
PK_TABLE_KERNELS = 6
PK_TABLE_GAPS = 7
PK_TABLE_CAUSES = 8
PK_TABLE_COLLECTIVES = 9
PK_TABLE_MODULES = 10
PK_TABLE_ALLOCATORS = 11
PK_TABLE_LIVE_BUFFERS = 12
PK_TABLE_LIVE_CURVE = 13
PK_TABLE_PROBE_LAUNCHES = 14
PK_TABLE_PROBE_RECORDS = 15
PK_TABLE_DEVICE_TIME = 16
PK_TABLE_FACTS = 17
PK_TABLE_COLLECTIVE_CALLS = 18
PK_TABLE_FINDINGS = 19
PK_TABLE_OP_GROUPS = 20
PK_OPS_CLOCK_ALIGNED = 0
PK_OPS_CLOCK_DEVICE = 1
PK_OPS_CLOCK_MIXED = 2
PK_OP_HAS_METADATA_ID = 1
PK_OP_HAS_FLOPS = 2
PK_OP_HAS_BYTES_ACCESSED = 4
PK_TIME_COMPUTE = 0
PK_TIME_EXPOSED_COMMUNICATION = 1
PK_TIME_EXPOSED_COPIES = 2
PK_TIME_OTHER_WORK = 3
PK_TIME_IDLE = 4
PK_TIME_NOT_RECORDED = 5
PK_DEVICE_TIME_IN_STEPS = 1
PK_DEVICE_TIME_HAS_CAUSE = 2
PK_FACT_ANNOTATION = 0
PK_FACT_MODULE = 1
PK_FACT_SHAPE = 2
PK_FACT_KERNEL = 3
PK_FACT_GROUP = 4
PK_FACT_RECORDER = 5
PK_FACT_COUNT = 6
PK_CALL_JUDGED = 1
PK_CALL_VIOLATES = 2
PK_GROUP_BY_KERNEL = 0
PK_GROUP_BY_FUNCTION = 1
PK_GROUP_BY_INSTRUCTION = 2
PK_GROUP_BY_OP = 3
PK_GROUP_BY_OUTER_OP = 4
PK_GROUP_BY_MODULE = 5
PK_GROUP_BY_KIND_OF_MODULE = 6
PK_GROUP_BY_RANGE = 7
PK_GROUP_BY_SOURCE = 8
PK_GROUP_BY_PHASE = 9
PK_GROUP_BY_SHAPE = 10
PK_GROUP_BY_STEP = 11
PK_GROUP_BY_KIND = 12
PK_GROUP_BY_CATEGORY = 13
PK_GROUP_BY_PROGRAM = 14
PK_GROUP_BY_STREAM = 15
PK_GROUP_BY_DEVICE = 16
PK_COLLECTIVE_ON_STREAM = 1
PK_COLLECTIVE_IS_HALF = 2
PK_TABLE_SKIP_DAMAGE = 1
PK_TABLE_PLAIN_TEXT = 2
PK_TABLE_SIGNED = 4
PK_TABLE_ONE_FILE = 8
PK_TABLE_ALLOW_EMPTY = 16
PK_COLUMN_INT64 = 0
PK_COLUMN_UINT64 = 1
PK_COLUMN_INT32 = 2
PK_COLUMN_UINT32 = 3
PK_COLUMN_BOOLEAN = 4
PK_COLUMN_TEXT = 5
PK_COLUMN_NAME = 6

pk_write_callback = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_size_t)


class pk_str(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("size", c.c_size_t),
    ]


class pk_hooks(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("threads", c.c_uint32),
        ("user", c.c_void_p),
        ("log", c.CFUNCTYPE(None, c.c_void_p, c.c_int32, c.c_char_p)),
        ("progress", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_uint64, c.c_uint64)),
        ("cancel", c.c_void_p),
    ]


class pk_limits(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("max_nesting", c.c_uint32),
        ("max_materialised_bytes", c.c_uint64),
        ("max_decompression_ratio", c.c_uint64),
        ("ratio_free_bytes", c.c_uint64),
        ("max_string_bytes", c.c_uint64),
        ("max_files", c.c_uint64),
    ]


class pk_filters(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("host", c.c_char_p),
        ("plane", c.c_char_p),
        ("line", c.c_char_p),
        ("name", c.c_char_p),
        ("step", c.c_uint64),
        ("from_ps", c.c_int64),
        ("to_ps", c.c_int64),
    ]


class pk_open_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("io", c.c_int32),
        ("rank", c.c_int32),
        ("run", c.c_char_p),
        ("limits", c.POINTER(pk_limits)),
        ("hooks", c.POINTER(pk_hooks)),
        ("host", c.c_char_p),
    ]


class pk_read_callbacks(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("user", c.c_void_p),
        ("read_at", c.CFUNCTYPE(c.c_int64, c.c_void_p, c.c_uint64, c.c_void_p, c.c_size_t)),
        ("size_bytes", c.c_uint64),
        ("release", c.CFUNCTYPE(None, c.c_void_p)),
    ]


class pk_profile_info(c.Structure):
    _fields_ = [
        ("path", pk_str),
        ("origin_unix_ns", c.c_int64),
        ("ignored_count", c.c_uint64),
        ("file_count", c.c_uint32),
        ("run_count", c.c_uint32),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_run_info(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("path", pk_str),
        ("chosen", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_file_info(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("path", pk_str),
        ("host", pk_str),
        ("run", pk_str),
        ("encoded_bytes", c.c_uint64),
        ("origin_unix_ns", c.c_int64),
        ("shift_ns", c.c_int64),
        ("family", c.c_int32),
        ("compression", c.c_int32),
        ("export_of", c.c_int32),
        ("plane_count", c.c_uint32),
        ("flags", c.c_uint32),
        ("reserved1", c.c_uint32),
    ]


class pk_plane_info(c.Structure):
    _fields_ = [
        ("id", c.c_int64),
        ("name", pk_str),
        ("kind", c.c_int32),
        ("device_ordinal", c.c_int32),
        ("line_count", c.c_uint32),
        ("stat_count", c.c_uint32),
        ("event_metadata_count", c.c_uint64),
        ("stat_metadata_count", c.c_uint64),
    ]


class pk_line_info(c.Structure):
    _fields_ = [
        ("id", c.c_int64),
        ("name", pk_str),
        ("timestamp_ns", c.c_int64),
        ("start_ps", c.c_int64),
        ("kind", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_line_summary(c.Structure):
    _fields_ = [
        ("event_count", c.c_uint64),
        ("display_id", c.c_int64),
        ("display_name", pk_str),
        ("duration_ps", c.c_int64),
    ]


class pk_event(c.Structure):
    _fields_ = [
        ("metadata_id", c.c_int64),
        ("start_ps", c.c_int64),
        ("offset_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("num_occurrences", c.c_int64),
        ("stats", c.c_void_p),
        ("stats_bytes", c.c_uint32),
        ("flags", c.c_uint32),
    ]


class pk_event_cursor(c.Structure):
    _fields_ = [
        ("priv", c.c_uint64 * 8),
    ]


class pk_stat(c.Structure):
    _fields_ = [
        ("metadata_id", c.c_int64),
        ("name", pk_str),
        ("text", pk_str),
        ("bits", c.c_uint64),
        ("kind", c.c_int32),
        ("origin", c.c_int32),
    ]


class pk_stat_cursor(c.Structure):
    _fields_ = [
        ("priv", c.c_uint64 * 8),
    ]


class pk_event_metadata(c.Structure):
    _fields_ = [
        ("id", c.c_int64),
        ("name", pk_str),
        ("display_name", pk_str),
        ("metadata", pk_str),
        ("child_count", c.c_size_t),
    ]


class pk_stat_metadata(c.Structure):
    _fields_ = [
        ("id", c.c_int64),
        ("name", pk_str),
        ("description", pk_str),
    ]


class pk_metadata_cursor(c.Structure):
    _fields_ = [
        ("priv", c.c_uint64 * 8),
    ]


class pk_module_info(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("metadata_id", c.c_int64),
        ("name", pk_str),
        ("module_name", pk_str),
        ("module_id", c.c_int64),
        ("computation_count", c.c_uint64),
        ("instruction_count", c.c_uint64),
        ("hlo_proto", pk_str),
        ("sibling_path", pk_str),
        ("plane", c.c_int32),
        ("sibling", c.c_int32),
        ("flags", c.c_uint32),
        ("reserved1", c.c_uint32),
    ]


class pk_chrome_event(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("category", pk_str),
        ("id", pk_str),
        ("pid", pk_str),
        ("tid", pk_str),
        ("args", pk_str),
        ("start_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("byte_offset", c.c_uint64),
        ("phase", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_chrome_summary(c.Structure):
    _fields_ = [
        ("event_count", c.c_uint64),
        ("broken_count", c.c_uint64),
        ("unusable_time_count", c.c_uint64),
        ("zero_us", c.c_int64),
    ]


class pk_activity_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("step_pattern", c.c_char_p),
        ("hooks", c.POINTER(pk_hooks)),
    ]


class pk_activity_device(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("ordinal", c.c_int64),
        ("kernel_count", c.c_uint64),
        ("timestamp_resolution_ps", c.c_int64),
        ("file", c.c_uint32),
        ("plane", c.c_int32),
        ("rank", c.c_int32),
        ("host_group", c.c_uint32),
        ("accelerator", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_kernel_row(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("stream", c.c_int64),
        ("name", pk_str),
        ("op_type", pk_str),
        ("core", pk_str),
        ("step_id", pk_str),
        ("start_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("wait_ps", c.c_int64),
        ("launch_ps", c.c_int64),
        ("input_shapes", pk_str),
        ("output_shapes", pk_str),
        ("input_types", pk_str),
        ("framework_op", pk_str),
        ("outer_op", pk_str),
        ("module", pk_str),
        ("range", pk_str),
        ("source", pk_str),
        ("phase", pk_str),
        ("program", pk_str),
        ("source_row", c.c_uint64),
        ("kind", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_document_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("limit", c.c_uint64),
        ("max_bytes", c.c_uint64),
        ("hooks", c.POINTER(pk_hooks)),
        ("of", c.c_char_p),
    ]


class pk_memory_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("module", c.c_char_p),
        ("top", c.c_uint64),
        ("fit_bytes", c.c_uint64),
        ("curve_points", c.c_uint64),
        ("time_samples", c.c_uint64),
        ("persistent_threshold_steps", c.c_uint32),
        ("step_policy", c.c_int32),
        ("hooks", c.POINTER(pk_hooks)),
        ("memory_space", c.c_int64),
        ("what_if", c.POINTER(c.c_char_p)),
        ("what_if_count", c.c_size_t),
    ]


class pk_memory_module(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("label", pk_str),
        ("program_id", pk_str),
        ("source", pk_str),
        ("source_count", c.c_uint64),
        ("space_count", c.c_uint64),
        ("problem_count", c.c_uint64),
        ("damaged", c.c_uint32),
        ("chosen", c.c_uint32),
    ]


class pk_memory_space(c.Structure):
    _fields_ = [
        ("color", c.c_int64),
        ("total_bytes", c.c_int64),
        ("peak_bytes", c.c_int64),
        ("peak_event", c.c_int64),
        ("indefinite_bytes", c.c_int64),
        ("temp_bytes", c.c_int64),
        ("temp_peak_bytes", c.c_int64),
        ("thread_local_bytes", c.c_int64),
        ("fragmentation_bytes", c.c_int64),
        ("residency_floor_bytes", c.c_int64),
        ("peak_instruction", pk_str),
        ("coverage", pk_str),
        ("method", c.c_int32),
        ("bound", c.c_int32),
    ]


class pk_memory_allocator(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("host", pk_str),
        ("name", pk_str),
        ("heap_peak_bytes", c.c_int64),
        ("occupancy_peak_bytes", c.c_int64),
        ("occupancy_peak_ps", c.c_int64),
        ("capacity_bytes", c.c_int64),
        ("pre_trace_bytes", c.c_int64),
        ("unmatched_frees", c.c_uint64),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_live_buffer(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("logical_buffer_id", c.c_int64),
        ("size_bytes", c.c_int64),
        ("allocation_index", c.c_int64),
        ("offset_bytes", c.c_int64),
        ("instruction_id", c.c_int64),
        ("instruction_name", pk_str),
        ("opcode", pk_str),
        ("op_name", pk_str),
        ("computation_name", pk_str),
        ("shape", pk_str),
        ("shape_index", c.POINTER(c.c_int64)),
        ("shape_index_count", c.c_size_t),
        ("source_file", pk_str),
        ("source_line", c.c_int64),
        ("residency", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_curve_point(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("event", c.c_int64),
        ("live_bytes", c.c_int64),
    ]


class pk_trace_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("format", c.c_int32),
        ("reserved", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("hooks", c.POINTER(pk_hooks)),
    ]


class pk_trace_outcome(c.Structure):
    _fields_ = [
        ("status", c.c_int32),
        ("reserved", c.c_uint32),
        ("tracks", c.c_uint64),
        ("lanes", c.c_uint64),
        ("events", c.c_uint64),
        ("counters", c.c_uint64),
        ("flows", c.c_uint64),
        ("aggregated_left_out", c.c_uint64),
        ("out_of_reach", c.c_uint64),
        ("crowded", c.c_uint64),
    ]


class pk_value(c.Structure):
    _fields_ = [
        ("kind", c.c_int32),
        ("reserved", c.c_uint32),
        ("bits", c.c_uint64),
        ("text", pk_str),
    ]


class pk_writer_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("max_plane_bytes", c.c_uint64),
        ("hooks", c.POINTER(pk_hooks)),
    ]


class pk_pushed_plane(c.Structure):
    _fields_ = [
        ("plane", c.c_uint32),
        ("reserved", c.c_uint32),
        ("id", c.c_int64),
        ("name", pk_str),
    ]


class pk_pushed_line(c.Structure):
    _fields_ = [
        ("plane", c.c_uint32),
        ("line", c.c_uint32),
        ("id", c.c_int64),
        ("display_id", c.c_int64),
        ("name", pk_str),
        ("display_name", pk_str),
        ("timestamp_ns", c.c_int64),
        ("duration_ps", c.c_int64),
        ("event_count", c.c_uint64),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_push_callbacks(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("user", c.c_void_p),
        ("plane_begin", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(pk_pushed_plane))),
        ("line_begin", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(pk_pushed_line))),
        ("events", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(pk_pushed_line), c.POINTER(pk_event), c.c_size_t)),
        ("line_end", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(pk_pushed_line))),
        ("plane_end", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_uint32, c.c_void_p)),
        ("note", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_int32, c.POINTER(pk_str))),
        ("damage", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p)),
    ]


class pk_push_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("label", pk_str),
        ("limits", c.POINTER(pk_limits)),
    ]


class pk_trace_builder_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("label", pk_str),
        ("recorder", pk_str),
        ("max_bytes", c.c_uint64),
    ]


class pk_trace_host(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("name", pk_str),
        ("origin_unix_ns", c.c_int64),
        ("rank", c.c_int32),
        ("world_size", c.c_int32),
    ]


class pk_trace_device(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("name", pk_str),
        ("model", pk_str),
        ("ordinal", c.c_int64),
        ("host", c.c_uint32),
        ("accelerator", c.c_int32),
    ]


class pk_trace_stream(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device", c.c_uint32),
        ("id", c.c_int64),
        ("name", pk_str),
    ]


class pk_trace_thread(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("host", c.c_uint32),
        ("process", pk_str),
        ("name", pk_str),
    ]


class pk_trace_counter(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("owner", c.c_uint32),
        ("reserved", c.c_uint32),
        ("process", pk_str),
        ("name", pk_str),
        ("unit", pk_str),
    ]


class pk_trace_allocator(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("owner", c.c_uint32),
        ("reserved", c.c_uint32),
        ("name", pk_str),
    ]


class pk_trace_kernel(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("op", pk_str),
        ("module", pk_str),
        ("program", pk_str),
        ("input_shapes", pk_str),
        ("input_types", pk_str),
        ("number_type", pk_str),
        ("group", pk_str),
        ("group_ranks", pk_str),
        ("arguments", pk_str),
        ("flops", c.c_int64),
        ("bytes", c.c_int64),
        ("group_sequence", c.c_int64),
        ("sent_bytes", c.c_int64),
        ("received_bytes", c.c_int64),
        ("start_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("launch_ps", c.c_int64),
        ("correlation", c.c_uint64),
        ("stream", c.c_uint32),
        ("kind", c.c_int32),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_trace_span(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("arguments", pk_str),
        ("start_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("correlation", c.c_uint64),
        ("thread", c.c_uint32),
        ("kind", c.c_int32),
        ("launches", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class pk_trace_step(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("start_ps", c.c_int64),
        ("duration_ps", c.c_int64),
        ("number", c.c_int64),
        ("thread", c.c_uint32),
        ("flags", c.c_uint32),
    ]


class pk_trace_value(c.Structure):
    _fields_ = [
        ("at_ps", c.c_int64),
        ("value", c.c_double),
        ("counter", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_trace_allocation(c.Structure):
    _fields_ = [
        ("op", pk_str),
        ("at_ps", c.c_int64),
        ("address", c.c_uint64),
        ("bytes", c.c_int64),
        ("held_bytes", c.c_int64),
        ("allocator", c.c_uint32),
        ("flags", c.c_uint32),
    ]


class pk_dump_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("format", c.c_int32),
        ("type", c.c_char_p),
        ("limit", c.c_uint64),
        ("open", c.POINTER(pk_open_options)),
    ]


class pk_validation_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("bound_ps", c.c_int64),
        ("max_bound_ps", c.c_int64),
        ("hooks", c.POINTER(pk_hooks)),
        ("limit", c.c_uint64),
    ]


class pk_validation_summary(c.Structure):
    _fields_ = [
        ("status", c.c_int32),
        ("node_count", c.c_uint32),
        ("group_count", c.c_uint64),
        ("violations", c.c_uint64),
        ("violations_raw", c.c_uint64),
        ("pair_violations", c.c_uint64),
        ("overlaps", c.c_uint64),
        ("unjudged", c.c_uint64),
        ("warnings", c.c_uint64),
        ("undecidable", c.c_uint64),
        ("clocks_corrected", c.c_uint32),
        ("bounds_known", c.c_uint32),
    ]


class pk_clock_interval(c.Structure):
    _fields_ = [
        ("node_id", c.c_int64),
        ("pivot_ps", c.c_int64),
        ("least_offset_ps", c.c_int64),
        ("most_offset_ps", c.c_int64),
        ("point_offset_ps", c.c_int64),
        ("least_drift_ppm", c.c_double),
        ("most_drift_ppm", c.c_double),
        ("point_drift_ppm", c.c_double),
        ("constraints", c.c_uint64),
        ("decidable", c.c_uint32),
        ("feasible", c.c_uint32),
    ]


class pk_probe_launch(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("launch", c.c_uint64),
        ("kernel", pk_str),
        ("function", pk_str),
        ("bin", pk_str),
        ("bin_position", c.c_int64),
        ("time_ns", c.c_int64),
        ("params", c.POINTER(c.c_uint64)),
        ("params_count", c.c_size_t),
        ("probe_memory_bytes", c.c_uint64),
        ("prologue_ps", c.c_int64),
        ("kernel_ps", c.c_int64),
        ("epilogue_ps", c.c_int64),
        ("outcome", c.c_int32),
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("shared_bytes", c.c_uint32),
        ("flags", c.c_uint32),
        ("reserved1", c.c_uint32),
    ]


class pk_probe_bin(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("path", pk_str),
        ("bytes", c.c_uint64),
        ("elapsed_us", c.c_int64),
        ("launch", c.c_int64),
        ("map_count", c.c_uint32),
        ("shared_bytes", c.c_uint32),
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
    ]


class pk_probe_map(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("level", c.c_int32),
        ("flags", c.c_uint32),
        ("record_bytes", c.c_uint32),
        ("field_count", c.c_uint32),
        ("lane_bytes", c.c_uint64),
        ("capacity", c.c_uint64),
        ("offset", c.c_uint64),
        ("bytes", c.c_uint64),
        ("present_bytes", c.c_uint64),
        ("recorded_offset", c.c_uint64),
        ("lanes_per_block", c.c_uint64),
        ("lanes", c.c_uint64),
    ]


class pk_probe_field(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("bytes", c.c_uint32),
        ("offset", c.c_uint32),
        ("declared", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_probe_record(c.Structure):
    _fields_ = [
        ("block", c.c_uint64),
        ("lane", c.c_uint64),
        ("k", c.c_uint64),
        ("data", c.c_void_p),
    ]


class pk_probe_query(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("slice", c.c_int32),
        ("width", c.c_uint32),
        ("height", c.c_uint32),
        ("reserved", c.c_uint32),
        ("launch", c.c_char_p),
        ("map", c.c_char_p),
        ("block", c.c_uint64),
        ("lane", c.c_uint64),
        ("limit", c.c_uint64),
        ("hooks", c.POINTER(pk_hooks)),
        ("format", c.c_int32),
        ("reserved1", c.c_uint32),
        ("title", c.c_char_p),
    ]


class pk_clock_pair(c.Structure):
    _fields_ = [
        ("tracer_ns", c.c_int64),
        ("host_ns", c.c_int64),
        ("tracer_sub_ps", c.c_int32),
        ("host_sub_ps", c.c_int32),
    ]


class pk_clock_offset(c.Structure):
    _fields_ = [
        ("midpoint_ns", c.c_int64),
        ("offset_ps", c.c_int64),
        ("resolution_ps", c.c_int64),
        ("drift_ppt", c.c_int64),
        ("residual_ps", c.c_int64),
        ("midpoint_sub_ps", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_clock_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("node_id", c.c_int64),
        ("tracer_base_ns", c.c_int64),
        ("host_base_ns", c.c_int64),
        ("reference_base_ns", c.c_int64),
        ("pairs", c.POINTER(pk_clock_pair)),
        ("pair_count", c.c_size_t),
        ("offsets", c.POINTER(pk_clock_offset)),
        ("offset_count", c.c_size_t),
    ]


class pk_merge_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("traces", c.POINTER(c.c_char_p)),
        ("trace_count", c.c_size_t),
        ("snapshots", c.POINTER(c.c_char_p)),
        ("snapshot_count", c.c_size_t),
        ("offsets", c.c_char_p),
        ("run_metadata", c.c_char_p),
        ("run_dir", c.c_char_p),
        ("plane_prefix", c.c_char_p),
        ("output", c.c_char_p),
        ("correction", c.c_int32),
        ("zero", c.c_int32),
        ("planes", c.c_int32),
        ("io", c.c_int32),
        ("limits", c.POINTER(pk_limits)),
        ("hooks", c.POINTER(pk_hooks)),
        ("profiles", c.POINTER(c.c_void_p)),
        ("profile_count", c.c_size_t),
        ("format", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class pk_merge_node(c.Structure):
    _fields_ = [
        ("id", c.c_int64),
        ("hostname", pk_str),
        ("trace", pk_str),
        ("events", c.c_uint64),
        ("planes", c.c_uint64),
        ("clamped_events", c.c_uint64),
        ("snapshots", c.c_uint64),
        ("offset_windows", c.c_uint64),
        ("max_correction_ps", c.c_int64),
        ("residual_ps", c.c_int64),
        ("tracer_bound_ps", c.c_int64),
        ("host_bound_ps", c.c_int64),
        ("status", c.c_int32),
        ("aligned_before", c.c_uint32),
    ]


class pk_bubbles_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("step_pattern", c.c_char_p),
        ("thresholds", c.POINTER(c.c_char_p)),
        ("threshold_count", c.c_size_t),
        ("limit", c.c_uint64),
        ("window_policy", c.c_int32),
        ("reserved", c.c_uint32),
        ("hooks", c.POINTER(pk_hooks)),
    ]


class pk_bubble_step(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("step", c.c_int64),
        ("step_of_device", c.c_int64),
        ("step_id", pk_str),
        ("start_ps", c.c_int64),
        ("end_ps", c.c_int64),
        ("busy_ps", c.c_int64),
        ("prelaunch_ps", c.c_int64),
        ("internal_ps", c.c_int64),
        ("tail_ps", c.c_int64),
        ("largest_internal_ps", c.c_int64),
        ("compute_only_ps", c.c_int64),
        ("comm_exposed_ps", c.c_int64),
        ("comm_overlapped_ps", c.c_int64),
        ("copy_ps", c.c_int64),
        ("other_ps", c.c_int64),
        ("idle_ps", c.c_int64),
        ("not_recorded_ps", c.c_int64),
        ("unrecorded_launches", c.c_uint64),
        ("bubble_count", c.c_uint64),
        ("reportable_ps", c.c_int64),
        ("tags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_bubble(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("step", c.c_int64),
        ("start_ps", c.c_int64),
        ("end_ps", c.c_int64),
        ("host_ps", c.c_int64),
        ("sync_ps", c.c_int64),
        ("comm_ps", c.c_int64),
        ("threads_ps", c.c_int64),
        ("launch_ps", c.c_int64),
        ("before", pk_str),
        ("after", pk_str),
        ("before_row", c.c_uint64),
        ("after_row", c.c_uint64),
        ("scope", c.c_int32),
        ("labels", c.c_uint32),
        ("cause", c.c_int32),
        ("certainty", c.c_int32),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_architecture_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("filters", c.POINTER(pk_filters)),
        ("step_pattern", c.c_char_p),
        ("limit", c.c_uint64),
        ("hooks", c.POINTER(pk_hooks)),
    ]


class pk_device(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("name", pk_str),
        ("ordinal", c.c_int64),
        ("accelerator", c.c_int32),
        ("plane", c.c_int32),
    ]


class pk_op(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("plane", pk_str),
        ("line", pk_str),
        ("name", pk_str),
        ("display_name", pk_str),
        ("category", pk_str),
        ("program", pk_str),
        ("metadata_id", c.c_int64),
        ("count", c.c_uint64),
        ("total_ps", c.c_int64),
        ("self_ps", c.c_int64),
        ("min_ps", c.c_int64),
        ("max_ps", c.c_int64),
        ("flops", c.c_uint64),
        ("bytes_accessed", c.c_uint64),
        ("clock", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_cause(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("gap", c.c_uint64),
        ("step", c.c_int64),
        ("span", pk_str),
        ("covered_ps", c.c_int64),
        ("start_ps", c.c_int64),
        ("end_ps", c.c_int64),
        ("cause", c.c_int32),
        ("certainty", c.c_int32),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_device_time(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("gaps", c.c_uint64),
        ("time_ps", c.c_int64),
        ("use", c.c_int32),
        ("cause", c.c_int32),
        ("certainty", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_fact(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("name", pk_str),
        ("value", pk_str),
        ("unit", pk_str),
        ("evidence", pk_str),
        ("contradictions", pk_str),
        ("certainty", c.c_int32),
        ("source", c.c_int32),
    ]


class pk_collective_call(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
        ("name", pk_str),
        ("kind", pk_str),
        ("process_group", pk_str),
        ("start_gap_ps", c.c_int64),
        ("order_gap_ps", c.c_int64),
        ("bound_ps", c.c_int64),
        ("span_ps", c.c_int64),
        ("moving_ps", c.c_int64),
        ("payload_bytes", c.c_int64),
        ("link_bytes", c.c_int64),
        ("latest_node", c.c_int64),
        ("call", c.c_uint32),
        ("members", c.c_uint32),
        ("latest_device", c.c_int32),
        ("flags", c.c_uint32),
    ]


class pk_finding(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("id", pk_str),
        ("recoverable_ps", c.c_int64),
        ("recoverable_bytes", c.c_int64),
        ("what", pk_str),
        ("place", pk_str),
        ("step", c.c_int64),
        ("step_id", pk_str),
        ("start_ps", c.c_int64),
        ("end_ps", c.c_int64),
        ("evidence", pk_str),
        ("next", pk_str),
        ("certainty", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class pk_op_group(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("parent", c.c_int64),
        ("name", pk_str),
        ("count", c.c_uint64),
        ("self_ps", c.c_int64),
        ("total_ps", c.c_int64),
        ("own_ps", c.c_int64),
        ("worked_ps", c.c_int64),
        ("flops", c.c_int64),
        ("bytes", c.c_int64),
        ("attainable_ps", c.c_int64),
        ("compute_bound_ps", c.c_int64),
        ("memory_bound_ps", c.c_int64),
        ("neither_bound_ps", c.c_int64),
        ("by", c.c_int32),
        ("depth", c.c_uint32),
    ]


class pk_collective(c.Structure):
    _fields_ = [
        ("file", c.c_uint32),
        ("device", c.c_int32),
        ("plane", pk_str),
        ("name", pk_str),
        ("category", pk_str),
        ("count", c.c_uint64),
        ("total_ps", c.c_int64),
        ("min_ps", c.c_int64),
        ("max_ps", c.c_int64),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_table_options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("batch_rows", c.c_uint64),
        ("columns", c.POINTER(c.c_char_p)),
        ("column_count", c.c_size_t),
        ("filters", c.POINTER(pk_filters)),
        ("limit", c.c_uint64),
        ("hooks", c.POINTER(pk_hooks)),
        ("file", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class pk_column(c.Structure):
    _fields_ = [
        ("name", pk_str),
        ("unit", pk_str),
        ("meaning", pk_str),
        ("type", c.c_int32),
        ("reserved", c.c_uint32),
    ]


# name: (result, parameters)
FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "pk_version_number": (c.c_uint32, ()),
    "pk_version_string": (c.c_char_p, ()),
    "pk_status_name": (c.c_char_p, (c.c_int32,)),
    "pk_error_code": (c.c_int32, (c.c_void_p,)),
    "pk_error_message": (c.c_char_p, (c.c_void_p,)),
    "pk_error_path": (c.c_char_p, (c.c_void_p,)),
    "pk_error_byte_offset": (c.c_uint64, (c.c_void_p,)),
    "pk_error_hint": (c.c_char_p, (c.c_void_p,)),
    "pk_error_free": (None, (c.c_void_p,)),
    "pk_cancel_token_new": (c.c_int32, (c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_cancel_token_cancel": (None, (c.c_void_p,)),
    "pk_cancel_token_free": (None, (c.c_void_p,)),
    "pk_log_level_name": (c.c_char_p, (c.c_int32,)),
    "pk_io_mode_name": (c.c_char_p, (c.c_int32,)),
    "pk_profile_open": (c.c_int32, (
        c.c_char_p, c.POINTER(pk_open_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_profile_open_buffer": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_char_p, c.POINTER(pk_open_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_profile_open_callbacks": (c.c_int32, (
        c.POINTER(pk_read_callbacks), c.c_char_p, c.POINTER(pk_open_options), c.POINTER(c.c_void_p),
        c.POINTER(c.c_void_p))),
    "pk_profile_ref": (c.c_void_p, (c.c_void_p,)),
    "pk_profile_free": (None, (c.c_void_p,)),
    "pk_profile_get": (c.c_int32, (c.c_void_p, c.POINTER(pk_profile_info), c.POINTER(c.c_void_p))),
    "pk_run_get": (c.c_int32, (c.c_void_p, c.c_uint32, c.POINTER(pk_run_info), c.POINTER(c.c_void_p))),
    "pk_family_name": (c.c_char_p, (c.c_int32,)),
    "pk_compression_name": (c.c_char_p, (c.c_int32,)),
    "pk_file_count": (c.c_uint32, (c.c_void_p,)),
    "pk_file_get": (c.c_int32, (c.c_void_p, c.c_uint32, c.POINTER(pk_file_info), c.POINTER(c.c_void_p))),
    "pk_file_bytes": (c.c_int32, (c.c_void_p, c.c_uint32, c.POINTER(pk_str), c.POINTER(c.c_void_p))),
    "pk_file_damage": (c.c_void_p, (c.c_void_p, c.c_uint32)),
    "pk_note_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_file_note_count": (c.c_uint32, (c.c_void_p, c.c_uint32, c.c_int32)),
    "pk_file_note_get": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_int32, c.c_uint32, c.POINTER(pk_str), c.POINTER(c.c_void_p))),
    "pk_plane_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_plane_count": (c.c_uint32, (c.c_void_p, c.c_uint32)),
    "pk_plane_get": (c.c_int32, (c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_plane_info), c.POINTER(c.c_void_p))),
    "pk_line_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_line_count": (c.c_uint32, (c.c_void_p, c.c_uint32, c.c_uint32)),
    "pk_line_get": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_uint32, c.POINTER(pk_line_info), c.POINTER(c.c_void_p))),
    "pk_line_summarise": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_uint32, c.POINTER(pk_line_summary), c.POINTER(c.c_void_p))),
    "pk_events_begin": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_uint32, c.POINTER(pk_event_cursor), c.POINTER(c.c_void_p))),
    "pk_event_next": (c.c_int32, (c.POINTER(pk_event_cursor), c.POINTER(pk_event), c.POINTER(c.c_void_p))),
    "pk_events_read": (c.c_int32, (
        c.POINTER(pk_event_cursor), c.POINTER(pk_event), c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))),
    "pk_stat_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_stat_origin_name": (c.c_char_p, (c.c_int32,)),
    "pk_event_stats": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_event), c.c_uint32, c.POINTER(pk_stat_cursor),
        c.POINTER(c.c_void_p))),
    "pk_event_stat_find": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_event), c.c_uint32, pk_str, c.POINTER(pk_stat),
        c.POINTER(c.c_void_p))),
    "pk_event_metadata_stats": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_int64, c.POINTER(pk_stat_cursor), c.POINTER(c.c_void_p))),
    "pk_plane_stats": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_stat_cursor), c.POINTER(c.c_void_p))),
    "pk_stats_begin": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_stat_cursor), c.POINTER(c.c_void_p))),
    "pk_stat_next": (c.c_int32, (c.POINTER(pk_stat_cursor), c.POINTER(pk_stat), c.POINTER(c.c_void_p))),
    "pk_event_metadata_get": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_int64, c.POINTER(pk_event_metadata), c.POINTER(c.c_void_p))),
    "pk_event_metadata_children": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_int64, c.POINTER(c.c_int64), c.c_size_t, c.POINTER(c.c_size_t),
        c.POINTER(c.c_void_p))),
    "pk_stat_metadata_get": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_int64, c.POINTER(pk_stat_metadata), c.POINTER(c.c_void_p))),
    "pk_stat_metadata_find": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.c_char_p, c.c_size_t, c.POINTER(c.c_int64), c.POINTER(c.c_void_p))),
    "pk_event_metadata_begin": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_metadata_cursor), c.POINTER(c.c_void_p))),
    "pk_event_metadata_next": (c.c_int32, (
        c.POINTER(pk_metadata_cursor), c.POINTER(pk_event_metadata), c.POINTER(c.c_void_p))),
    "pk_stat_metadata_begin": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(pk_metadata_cursor), c.POINTER(c.c_void_p))),
    "pk_stat_metadata_next": (c.c_int32, (
        c.POINTER(pk_metadata_cursor), c.POINTER(pk_stat_metadata), c.POINTER(c.c_void_p))),
    "pk_sibling_state_name": (c.c_char_p, (c.c_int32,)),
    "pk_module_list_open": (c.c_int32, (c.c_void_p, c.POINTER(pk_hooks), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_module_count": (c.c_size_t, (c.c_void_p,)),
    "pk_module_get": (c.c_int32, (c.c_void_p, c.c_size_t, c.POINTER(pk_module_info), c.POINTER(c.c_void_p))),
    "pk_module_damage": (c.c_void_p, (c.c_void_p, c.c_size_t)),
    "pk_module_list_free": (None, (c.c_void_p,)),
    "pk_chrome_open": (c.c_int32, (c.c_void_p, c.c_uint32, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_chrome_events_read": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_chrome_event), c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))),
    "pk_chrome_summarise": (c.c_int32, (c.c_void_p, c.POINTER(pk_chrome_summary), c.POINTER(c.c_void_p))),
    "pk_chrome_free": (None, (c.c_void_p,)),
    "pk_activity_open": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_activity_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_activity_device_count": (c.c_uint32, (c.c_void_p,)),
    "pk_accelerator_name": (c.c_char_p, (c.c_int32,)),
    "pk_activity_device_get": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.POINTER(pk_activity_device), c.POINTER(c.c_void_p))),
    "pk_kernel_class_name": (c.c_char_p, (c.c_int32,)),
    "pk_activity_free": (None, (c.c_void_p,)),
    "pk_document_name": (c.c_char_p, (c.c_int32,)),
    "pk_document_status_name": (c.c_char_p, (c.c_int32,)),
    "pk_document_write": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(pk_document_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_document_write_file": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(pk_document_options), c.c_char_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_page_write": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_document_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_redaction_write": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_captures_write": (c.c_int32, (c.c_char_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_document_write_error": (c.c_int32, (
        c.c_int32, c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_step_policy_name": (c.c_char_p, (c.c_int32,)),
    "pk_memory_open": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_memory_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_peak_method_name": (c.c_char_p, (c.c_int32,)),
    "pk_peak_bound_name": (c.c_char_p, (c.c_int32,)),
    "pk_memory_module_count": (c.c_size_t, (c.c_void_p,)),
    "pk_memory_module_get": (c.c_int32, (c.c_void_p, c.c_size_t, c.POINTER(pk_memory_module), c.POINTER(c.c_void_p))),
    "pk_memory_space_get": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_size_t, c.POINTER(pk_memory_space), c.POINTER(c.c_void_p))),
    "pk_residency_name": (c.c_char_p, (c.c_int32,)),
    "pk_memory_fit": (c.c_int32, (c.c_void_p, c.POINTER(c.c_uint32), c.POINTER(c.c_int64), c.POINTER(c.c_void_p))),
    "pk_memory_write": (c.c_int32, (
        c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_int32), c.POINTER(c.c_void_p))),
    "pk_memory_free": (None, (c.c_void_p,)),
    "pk_trace_format_name": (c.c_char_p, (c.c_int32,)),
    "pk_trace_write": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_options), pk_write_callback, c.c_void_p, c.POINTER(pk_trace_outcome),
        c.POINTER(c.c_void_p))),
    "pk_trace_write_file": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_options), c.c_char_p, c.POINTER(pk_trace_outcome), c.POINTER(c.c_void_p))),
    "pk_xspace_writer_new": (c.c_int32, (
        c.POINTER(pk_writer_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_xspace_writer_open": (c.c_int32, (
        c.POINTER(pk_writer_options), c.c_char_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_xspace_writer_note": (None, (c.c_void_p, c.c_int32, pk_str)),
    "pk_xspace_writer_begin_plane": (None, (c.c_void_p, pk_str, c.c_int64)),
    "pk_xspace_writer_end_plane": (None, (c.c_void_p,)),
    "pk_xspace_writer_event_metadata": (c.c_int64, (c.c_void_p, pk_str, pk_str)),
    "pk_xspace_writer_stat_metadata": (c.c_int64, (c.c_void_p, pk_str)),
    "pk_xspace_writer_metadata_stat": (None, (c.c_void_p, c.c_int64, c.c_int64, c.POINTER(pk_value))),
    "pk_xspace_writer_plane_stat": (None, (c.c_void_p, c.c_int64, c.POINTER(pk_value))),
    "pk_xspace_writer_begin_line": (None, (c.c_void_p, c.c_int64, pk_str, c.c_int64)),
    "pk_xspace_writer_end_line": (None, (c.c_void_p,)),
    "pk_xspace_writer_event": (None, (c.c_void_p, c.c_int64, c.c_int64, c.c_int64)),
    "pk_xspace_writer_event_stat": (None, (c.c_void_p, c.c_int64, c.POINTER(pk_value))),
    "pk_xspace_writer_status": (c.c_int32, (c.c_void_p,)),
    "pk_xspace_writer_finish": (c.c_int32, (c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_xspace_writer_free": (None, (c.c_void_p,)),
    "pk_xspace_push_new": (c.c_int32, (
        c.POINTER(pk_push_callbacks), c.POINTER(pk_push_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_xspace_push_bytes": (c.c_int32, (c.c_void_p, c.c_void_p, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_xspace_push_finish": (c.c_int32, (c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_xspace_push_free": (None, (c.c_void_p,)),
    "pk_trace_builder_new": (c.c_int32, (
        c.POINTER(pk_trace_builder_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_host": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_host), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_device": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_device), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_stream": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_stream), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_thread": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_thread), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_counter": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_counter), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_allocator": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_allocator), c.POINTER(c.c_uint32), c.POINTER(c.c_void_p))),
    "pk_host_span_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_launch_kind_name": (c.c_char_p, (c.c_int32,)),
    "pk_trace_builder_add_kernels": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_kernel), c.c_size_t, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_spans": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_span), c.c_size_t, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_steps": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_step), c.c_size_t, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_values": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_value), c.c_size_t, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_trace_builder_add_allocations": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_trace_allocation), c.c_size_t, c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_trace_builder_finish": (c.c_int32, (c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_trace_builder_free": (None, (c.c_void_p,)),
    "pk_dump_format_name": (c.c_char_p, (c.c_int32,)),
    "pk_dump_write": (c.c_int32, (
        c.c_char_p, c.POINTER(pk_dump_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_file_dump_write": (c.c_int32, (
        c.c_void_p, c.c_uint32, c.POINTER(pk_dump_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_validation_open": (c.c_int32, (
        c.POINTER(c.c_void_p), c.c_size_t, c.POINTER(pk_validation_options), c.POINTER(c.c_void_p),
        c.POINTER(c.c_void_p))),
    "pk_validation_get": (c.c_int32, (c.c_void_p, c.POINTER(pk_validation_summary), c.POINTER(c.c_void_p))),
    "pk_clock_intervals_read": (c.c_int32, (
        c.c_void_p, c.c_uint64, c.POINTER(pk_clock_interval), c.c_size_t, c.POINTER(c.c_size_t),
        c.POINTER(c.c_void_p))),
    "pk_validation_write": (c.c_int32, (
        c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_int32), c.POINTER(c.c_void_p))),
    "pk_validation_write_csv": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_validation_free": (None, (c.c_void_p,)),
    "pk_probe_tool_name": (c.c_char_p, (c.c_int32,)),
    "pk_probe_open": (c.c_int32, (c.c_void_p, c.c_int32, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_probe_outcome_name": (c.c_char_p, (c.c_int32,)),
    "pk_probe_bin_count": (c.c_size_t, (c.c_void_p,)),
    "pk_probe_bin_get": (c.c_int32, (c.c_void_p, c.c_size_t, c.POINTER(pk_probe_bin), c.POINTER(c.c_void_p))),
    "pk_probe_bin_damage": (c.c_void_p, (c.c_void_p, c.c_size_t)),
    "pk_probe_level_name": (c.c_char_p, (c.c_int32,)),
    "pk_probe_flag_name": (c.c_char_p, (c.c_uint32,)),
    "pk_probe_map_get": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_uint32, c.POINTER(pk_probe_map), c.POINTER(c.c_void_p))),
    "pk_probe_field_get": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_uint32, c.c_uint32, c.POINTER(pk_probe_field), c.POINTER(c.c_void_p))),
    "pk_probe_records_open": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_uint32, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_probe_records_read": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_probe_record), c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))),
    "pk_probe_record_get": (c.c_int32, (
        c.c_void_p, c.c_uint64, c.c_uint64, c.c_uint64, c.POINTER(pk_probe_record), c.POINTER(c.c_void_p))),
    "pk_probe_records_free": (None, (c.c_void_p,)),
    "pk_probe_slice_name": (c.c_char_p, (c.c_int32,)),
    "pk_probe_format_name": (c.c_char_p, (c.c_int32,)),
    "pk_probe_write": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_probe_query), pk_write_callback, c.c_void_p, c.POINTER(c.c_int32),
        c.POINTER(c.c_void_p))),
    "pk_probe_free": (None, (c.c_void_p,)),
    "pk_clock_domain_name": (c.c_char_p, (c.c_int32,)),
    "pk_clock_build": (c.c_int32, (c.POINTER(pk_clock_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_clock_map": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(c.c_int64), c.POINTER(c.c_int64), c.c_size_t, c.POINTER(c.c_void_p))),
    "pk_clock_bound": (c.c_int32, (c.c_void_p, c.c_int32, c.c_int64, c.POINTER(c.c_int64), c.POINTER(c.c_void_p))),
    "pk_clock_free": (None, (c.c_void_p,)),
    "pk_merge_correction_name": (c.c_char_p, (c.c_int32,)),
    "pk_merge_zero_name": (c.c_char_p, (c.c_int32,)),
    "pk_plane_scheme_name": (c.c_char_p, (c.c_int32,)),
    "pk_merged_format_name": (c.c_char_p, (c.c_int32,)),
    "pk_merge_run": (c.c_int32, (
        c.POINTER(pk_merge_options), pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_node_status_name": (c.c_char_p, (c.c_int32,)),
    "pk_merge_node_count": (c.c_size_t, (c.c_void_p,)),
    "pk_merge_node_get": (c.c_int32, (c.c_void_p, c.c_size_t, c.POINTER(pk_merge_node), c.POINTER(c.c_void_p))),
    "pk_merge_origin_ns": (c.c_int64, (c.c_void_p,)),
    "pk_merge_write": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_merge_free": (None, (c.c_void_p,)),
    "pk_window_policy_name": (c.c_char_p, (c.c_int32,)),
    "pk_bubbles_open": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_bubbles_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_bubble_tag_name": (c.c_char_p, (c.c_int32,)),
    "pk_bubble_scope_name": (c.c_char_p, (c.c_int32,)),
    "pk_bubble_label_name": (c.c_char_p, (c.c_int32,)),
    "pk_idle_cause_name": (c.c_char_p, (c.c_int32,)),
    "pk_certainty_name": (c.c_char_p, (c.c_int32,)),
    "pk_bubbles_write": (c.c_int32, (
        c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_int32), c.POINTER(c.c_void_p))),
    "pk_bubbles_device_count": (c.c_size_t, (c.c_void_p,)),
    "pk_bubbles_device_name": (pk_str, (c.c_void_p, c.c_size_t)),
    "pk_bubbles_free": (None, (c.c_void_p,)),
    "pk_architecture_open": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_architecture_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_architecture_summary": (pk_str, (c.c_void_p,)),
    "pk_architecture_file_name": (pk_str, (c.c_void_p,)),
    "pk_architecture_write": (c.c_int32, (
        c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_int32), c.POINTER(c.c_void_p))),
    "pk_architecture_write_markdown": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_architecture_free": (None, (c.c_void_p,)),
    "pk_table_name": (c.c_char_p, (c.c_int32,)),
    "pk_ops_clock_name": (c.c_char_p, (c.c_int32,)),
    "pk_time_use_name": (c.c_char_p, (c.c_int32,)),
    "pk_fact_source_name": (c.c_char_p, (c.c_int32,)),
    "pk_group_key_name": (c.c_char_p, (c.c_int32,)),
    "pk_table_open": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_activity_table": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_bubbles_table": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_memory_table": (c.c_int32, (
        c.c_void_p, c.c_int32, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_probe_table": (c.c_int32, (
        c.c_void_p, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_probe_records_table": (c.c_int32, (
        c.c_void_p, c.c_size_t, c.c_uint32, c.POINTER(pk_table_options), c.POINTER(c.c_void_p), c.POINTER(c.c_void_p))),
    "pk_table_free": (None, (c.c_void_p,)),
    "pk_column_type_name": (c.c_char_p, (c.c_int32,)),
    "pk_table_column_count": (c.c_uint32, (c.c_void_p,)),
    "pk_table_column_get": (c.c_int32, (c.c_void_p, c.c_uint32, c.POINTER(pk_column), c.POINTER(c.c_void_p))),
    "pk_table_read": (c.c_int32, (
        c.c_void_p, c.c_void_p, c.c_size_t, c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))),
    "pk_table_values": (c.c_int32, (
        c.c_void_p, c.c_char_p, c.POINTER(pk_value), c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))),
    "pk_table_arrow": (c.c_int32, (c.c_void_p, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_table_write_csv": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
    "pk_table_write_json": (c.c_int32, (c.c_void_p, pk_write_callback, c.c_void_p, c.POINTER(c.c_void_p))),
}
