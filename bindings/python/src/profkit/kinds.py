"""The enumerations of the C ABI."""
from enum import IntEnum, IntFlag
from typing import Dict

# kinds: written by scripts/generate


class KernelKind(IntEnum):
    """What a kernel counts as."""
    COMPUTE = 0
    AICPU = 1
    COMM = 2
    COPY = 3
    OTHER = 4

    @classmethod
    def _missing_(cls, value: object) -> "KernelKind":
        return cls.OTHER


class Accelerator(IntEnum):
    """What a device is. On GPUs the host's step windows lie far from the kernels that they launched."""
    OTHER = 0
    TPU = 1
    GPU = 2
    NPU = 3

    @classmethod
    def _missing_(cls, value: object) -> "Accelerator":
        return cls.OTHER


class LaunchKind(IntEnum):
    """What a span with a correlation gave to a device. Where no kernel has its number, it is known that the device
    did something that was not recorded."""
    BY_NAME = 0
    KERNEL = 1
    COPY = 2
    GRAPH = 3


class SpanKind(IntEnum):
    """What a span of a host is."""
    OP = 0
    RUNTIME = 1
    FRAME = 2
    ANNOTATION = 3
    GC = 4
    OTHER = 5

    @classmethod
    def _missing_(cls, value: object) -> "SpanKind":
        return cls.OTHER


class Family(IntEnum):
    """The format of a file."""
    UNKNOWN = 0
    XSPACE = 1
    CHROME_TRACE = 2
    HLO_PROTO = 3
    OP_STATS = 4
    ASCEND_KERNELS = 5
    ASCEND_TABLE = 6
    ASCEND_JSON = 7
    ASCEND_DATABASE = 8
    NEUTRINO = 16
    OWN = 17

    @classmethod
    def _missing_(cls, value: object) -> "Family":
        return cls.UNKNOWN


class Status(IntEnum):
    """How a document ended, which decides the command's exit code."""
    OK = 0
    PARTIAL = 1
    ABSENT = 2
    ERROR = 3

    @classmethod
    def _missing_(cls, value: object) -> "Status":
        return cls.ERROR


class PlaneKind(IntEnum):
    """What a plane (a process in Chrome terms) stands for."""
    DEVICE = 0
    HOST = 1
    METADATA = 2
    CUSTOM = 3
    ENVIRONMENT = 4
    OTHER = 5

    @classmethod
    def _missing_(cls, value: object) -> "PlaneKind":
        return cls.OTHER


class LineKind(IntEnum):
    """What the events of a line mean. `derived` lines repeat the time of another line (TC Overlay, Framework Ops,
    negative GPU line ids) and are never summed with it."""
    STEPS = 0
    MODULES = 1
    OPS = 2
    ASYNC = 3
    STREAM = 4
    DERIVED = 5
    COUNTER = 6
    THREAD = 7
    OTHER = 8

    @classmethod
    def _missing_(cls, value: object) -> "LineKind":
        return cls.OTHER


class StatOrigin(IntFlag):
    """Where a stat was written. Bits: a set of them says which to visit."""
    EVENT = 1
    METADATA = 2
    PLANE = 4


# What documents call the values, by their numbers.
NAMES: Dict[str, Dict[int, str]] = {
    "window_policy": {0: "whole", 1: "marker", 2: "device", 3: "guide"},
    "bubble_scope": {0: "global", 1: "step_internal", 2: "prelaunch", 3: "tail"},
    "bubble_label": {0: "possible_sync_or_h2d", 1: "possible_comm_wait", 2: "possible_untraced_host_blocking",
        3: "possible_host_launch_lag", 4: "possible_python_serialization_or_lock", 5: "insufficient_evidence"},
    "idle_cause": {0: "launch_bound", 1: "optimizer_loop", 2: "sync_wait", 3: "sync_drain", 4: "h2d_pageable",
        5: "data_loader", 6: "gc", 7: "allocation", 8: "compile", 9: "module_load", 10: "checkpoint",
        11: "comm_host_wait", 12: "device_dependency", 13: "lock", 14: "host_untraced", 15: "unexplained",
        16: "exposed_comm", 17: "exposed_copy", 18: "graph_launch_late", 19: "straggler_wait", 20: "recording",
        21: "host_call"},
    "bubble_tag": {0: "DEVICE_IDLE_GAP_HEAVY", 1: "PRELAUNCH_GAP_HEAVY", 2: "TAIL_GAP_HEAVY",
        3: "INTERNAL_BUBBLE_HEAVY", 4: "RECURRING_BUBBLE_PATTERN", 5: "HOST_ORIGINATED_RISK",
        6: "UNTRACED_HOST_BLOCKING_RISK", 7: "COMM_SYNC_RISK", 8: "WAIT_POLLUTION_RISK",
        9: "WAIT_ANCHOR_FALSE_HOTSPOT", 10: "AICPU_EXPOSED_RISK", 11: "PARTIAL_CAPTURE_BOUNDARY",
        12: "VARIABLE_SHAPE_SAME_TEMPLATE"},
    "time_use": {0: "compute", 1: "exposed_communication", 2: "exposed_copies", 3: "other_work", 4: "idle",
        5: "not_recorded"},
    "clock_domain": {0: "tracer", 1: "host"},
    "dump_format": {0: "json", 1: "text"},
    "fact_source": {0: "annotation", 1: "module", 2: "shape", 3: "kernel", 4: "group", 5: "recorder", 6: "count"},
    "certainty": {0: "unknown", 1: "possible", 2: "likely", 3: "proved"},
    "log_level": {1: "info", 2: "warning"},
    "step_policy": {0: "peak", 1: "last", 2: "first"},
    "peak_method": {0: "none", 1: "heap_replay", 2: "schedule_sweep", 3: "allocation_sizes"},
    "peak_bound": {0: "exact", 1: "lower", 2: "upper"},
    "residency": {0: "indefinite", 1: "temp"},
    "plane_scheme": {0: "seed", 1: "rocm", 2: "node"},
    "merge_correction": {0: "clock", 1: "walltime", 2: "none"},
    "merged_format": {0: "xspace", 1: "trace_json"},
    "merge_zero": {0: "auto", 1: "earliest", 2: "reference", 3: "none"},
    "node_status": {0: "corrected", 1: "walltime", 2: "raw", 3: "missing", 4: "corrupt"},
    "sibling_state": {0: "none", 1: "same_bytes", 2: "same_content", 3: "differs"},
    "group_key": {0: "kernel", 1: "function", 2: "instruction", 3: "op", 4: "outer-op", 5: "module", 6: "module-kind",
        7: "range", 8: "source", 9: "phase", 10: "shape", 11: "step", 12: "kind", 13: "category", 14: "program",
        15: "stream", 16: "device"},
    "ops_clock": {0: "aligned", 1: "device", 2: "mixed"},
    "probe_slice": {0: "summary", 1: "launches", 2: "kernels", 3: "maps", 4: "records", 5: "schedule", 6: "bytes",
        7: "density", 8: "progress", 9: "overhead", 10: "log"},
    "probe_format": {0: "json", 1: "csv", 2: "svg"},
    "probe_level": {0: "unknown", 1: "thread", 2: "warp"},
    "probe_outcome": {0: "unfinished", 1: "ok", 2: "failed", 3: "cant-save", 4: "backup", 5: "memusage",
        6: "benchmark"},
    "probe_tool": {0: "", 1: "block_sched", 2: "gmem_bytes", 3: "tensorop", 4: "program_progress", 5: "dmat"},
    "io_mode": {0: "read", 1: "map"},
    "compression": {0: "none", 1: "gzip", 2: "zstd"},
    "column_type": {0: "int64", 1: "uint64", 2: "int32", 3: "uint32", 4: "boolean", 5: "text", 6: "name"},
    "trace_format": {0: "trace.json", 1: "pftrace", 2: "xspace", 3: "csv"},
    "stat_kind": {0: "none", 2: "double", 3: "uint64", 4: "int64", 5: "str", 6: "bytes", 7: "ref"},
    "note_kind": {0: "hostname", 1: "error", 2: "warning"},
}
# end of kinds


def choice(value: str, enumeration: str, what: str) -> int:
    """The number of an option that is given as its word; "none" is the word that is empty in documents."""
    choices = {name or "none": number for number, name in NAMES[enumeration].items()}
    if value not in choices:
        raise ValueError(f"{what} is one of {', '.join(choices)}, not {value!r}")
    return choices[value]
