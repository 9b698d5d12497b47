"""profkit opens any profile that an ML accelerator leaves behind and says what happened.

    with profkit.open("run/") as profile:
        for plane in profile.planes:
            for line in plane.lines:
                print(plane.name, line.name, sum(event.duration_ps for event in line))
"""
from ._library import version
from .analyses import (
    Architecture, Bubbles, ChromeEvent, ChromeEvents, ChromeSummary, Device, Kernels, Memory, MemoryModule, MemorySpace,
    Modules, Neutrino, Record, RecordField, RecordFile, RecordMap, Records,
)
from .building import TraceAllocation, TraceBuilder, TraceKernel, TraceSpan, TraceStep, TraceValue
from .clocks import Clock, ClockOffset, ClockPair
from .dumping import dump
from .fleet import sql
from .errors import (
    Cancelled, Damaged, Error, InvalidArgument, LimitExceeded, NotFound, OutputFailed, PermissionDenied, ReadFailed,
    Unrecognised, Unsupported,
)
from .kinds import Accelerator, Family, KernelKind, LaunchKind, LineKind, PlaneKind, SpanKind, StatOrigin, Status
from .merging import ClockInterval, Merge, MergedNode, Validation, ValidationSummary, combine_traces, validate
from .profile import (
    CancelToken, Event, EventMetadata, Exported, File, Limits, Line, LineSummary, Plane, Profile, Run, Stat,
    StatMetadata, open, open_buffer, open_callbacks,
)
from .pushing import PushedEvent, PushedLine, PushedPlane, PushReader
from .rows import (
    Allocator, Bubble, BubbleStep, Collective, CollectiveCall, CurvePoint, DeviceInfo, DeviceTime, Fact, FileInfo, GapCause, Kernel,
    Launch, LiveBuffer, Module, Op,
)
from .tables import Table
from .writing import XSpaceWriter

__version__ = "0.1.0"
__all__ = [
    "Accelerator", "Allocator", "Architecture", "Bubble", "BubbleStep", "Bubbles", "CancelToken", "Cancelled", "ChromeEvent",
    "ChromeEvents", "ChromeSummary", "Clock", "ClockInterval", "ClockOffset", "ClockPair", "Collective", "CollectiveCall",
    "CurvePoint", "Damaged", "Device", "DeviceInfo", "DeviceTime", "Error", "Event", "EventMetadata", "Exported", "Fact",
    "Family", "File", "FileInfo", "GapCause", "InvalidArgument", "Kernel", "KernelKind", "Kernels", "Launch", "LaunchKind",
    "LimitExceeded", "Limits", "Line", "LineKind", "LineSummary", "LiveBuffer", "Memory", "MemoryModule", "MemorySpace",
    "Merge", "MergedNode", "Module", "Modules", "Neutrino", "NotFound", "Op", "OutputFailed", "PermissionDenied", "Plane",
    "PlaneKind", "Profile", "PushReader", "PushedEvent", "PushedLine", "PushedPlane", "ReadFailed", "Record", "RecordField",
    "RecordFile", "RecordMap", "Records", "Run", "SpanKind", "Stat", "StatMetadata", "StatOrigin", "Status", "Table",
    "TraceAllocation", "TraceBuilder", "TraceKernel", "TraceSpan", "TraceStep", "TraceValue", "Unrecognised", "Unsupported",
    "Validation", "ValidationSummary", "XSpaceWriter", "combine_traces", "dump", "open", "open_buffer", "open_callbacks",
    "sql", "validate", "version",
]
