"""profkit opens any profile that an ML accelerator leaves behind and says what happened.

    with profkit.open("run/") as profile:
        for plane in profile.planes:
            for line in plane.lines:
                print(plane.name, line.name, sum(event.duration_ps for event in line))
"""
from ._library import version
from .analyses import Architecture, Bubbles, ChromeEvents, Kernels, Memory, Modules, Neutrino, Record, Records
from .building import TraceAllocation, TraceBuilder, TraceKernel, TraceSpan, TraceStep, TraceValue
from .clocks import Clock, ClockOffset, ClockPair
from .dumping import dump
from .fleet import sql
from .errors import (
    Cancelled, Damaged, Error, InvalidArgument, LimitExceeded, NotFound, OutputFailed, PermissionDenied, ReadFailed,
    Unrecognised, Unsupported,
)
from .kinds import Accelerator, Family, KernelKind, LaunchKind, LineKind, PlaneKind, SpanKind, StatOrigin, Status
from .merging import Merge, Validation, combine_traces, validate
from .profile import CancelToken, Event, File, Limits, Line, Plane, Profile, Stat, open, open_buffer, open_callbacks
from .pushing import PushedEvent, PushReader
from .rows import (
    Allocator, Bubble, BubbleStep, CaptureDevice, ChromeEvent, ChromeSummary, ClockInterval, Collective, CollectiveCall, CurvePoint, Device,
    DeviceTime, EventMetadata, Exported, Fact, FileInfo, Finding, GapCause, Kernel, Launch, LineInfo, LineSummary, LiveBuffer, MemoryModule,
    MemorySpace, MergedNode, Module, Op, OpGroup, PlaneInfo, PushedLine, PushedPlane, RecordField, RecordFile, RecordMap, Run,
    StatMetadata, ValidationSummary,
)
from .tables import Table
from .writing import XSpaceWriter

__version__ = "0.1.0"
__all__ = [
    "Accelerator", "Allocator", "Architecture", "Bubble", "BubbleStep", "Bubbles", "CancelToken", "Cancelled",
    "CaptureDevice", "ChromeEvent", "ChromeEvents", "ChromeSummary", "Clock", "ClockInterval", "ClockOffset", "ClockPair",
    "Collective", "CollectiveCall", "CurvePoint", "Damaged", "Device", "DeviceTime", "Error", "Event", "EventMetadata",
    "Exported", "Fact", "Family", "File", "FileInfo", "Finding", "GapCause", "InvalidArgument", "Kernel", "KernelKind", "Kernels",
    "Launch", "LaunchKind", "LimitExceeded", "Limits", "Line", "LineInfo", "LineKind", "LineSummary", "LiveBuffer", "Memory",
    "MemoryModule", "MemorySpace", "Merge", "MergedNode", "Module", "Modules", "Neutrino", "NotFound", "Op", "OpGroup", "OutputFailed",
    "PermissionDenied", "Plane", "PlaneInfo", "PlaneKind", "Profile", "PushReader", "PushedEvent", "PushedLine",
    "PushedPlane", "ReadFailed", "Record", "RecordField", "RecordFile", "RecordMap", "Records", "Run", "SpanKind", "Stat",
    "StatMetadata", "StatOrigin", "Status", "Table", "TraceAllocation", "TraceBuilder", "TraceKernel", "TraceSpan",
    "TraceStep", "TraceValue", "Unrecognised", "Unsupported", "Validation", "ValidationSummary", "XSpaceWriter",
    "combine_traces", "dump", "open", "open_buffer", "open_callbacks", "sql", "validate", "version",
]
