"""The keyword arguments of functions that hand theirs on, so that type checkers know them. Each is as where it ends says."""
from typing import Any, Callable, Dict, Optional, Sequence, TypedDict


class Hooks(TypedDict, total=False):
    """What a call may do on the caller's behalf: see profkit.open()."""
    progress: Optional[Callable[[int, int], Any]]
    log: Optional[Callable[[int, str], Any]]
    cancel: Any
    threads: int


class Filters(TypedDict, total=False):
    """Which part of a capture: see Profile.write_document()."""
    host: Optional[str]
    plane: Optional[str]
    line: Optional[str]
    event: Optional[str]
    step: Optional[int]
    from_ps: Optional[int]
    to_ps: Optional[int]


class FilteredDocument(Filters, Hooks, total=False):
    """See Profile.write_document()."""
    limit: Optional[int]
    max_bytes: Optional[int]


class TableOptions(TypedDict, total=False):
    """See Table."""
    columns: Optional[Sequence[str]]
    batch_rows: int
    skip_damage: bool
    plain_text: bool
    signed: bool
    allow_empty: bool


class FilteredTable(Filters, TableOptions, total=False):
    """See Profile.table()."""
    limit: Optional[int]


class EventsTable(TableOptions, total=False):
    """See Profile.table()."""
    limit: Optional[int]


class MemoryOptions(Hooks, total=False):
    """See Memory."""
    host: Optional[str]
    module: Optional[str]
    top: Optional[int]
    step: Optional[int]
    step_policy: str
    memory_space: int
    fit_bytes: Optional[int]
    curve_points: int
    what_if: Sequence[str]
    runtime: bool
    all_trace: bool
    time_samples: Optional[int]
    persistent_threshold_steps: Optional[int]
    include_host_pools: bool


class BubblesOptions(Hooks, total=False):
    """See Bubbles."""
    device: Optional[str]
    step_pattern: Optional[str]
    step_name: Optional[str]
    step: Optional[int]
    from_ps: Optional[int]
    to_ps: Optional[int]
    thresholds: Optional[Dict[str, Any]]
    limit: Optional[int]
    window_policy: str


class ArchitectureOptions(Hooks, total=False):
    """See Architecture."""
    device: Optional[str]
    step_pattern: Optional[str]
    limit: Optional[int]


class KernelsOptions(Hooks, total=False):
    """See Kernels."""
    device: Optional[str]
    step_pattern: Optional[str]
    details: bool


class ExportOptions(Filters, Hooks, total=False):
    """See Profile.export()."""
    gzip: bool
    like_xla: bool
    waits: bool


class DumpOptions(Hooks, total=False):
    """See dump()."""
    type: Optional[str]
    format: str
    limit: int
    io: str
    limits: Any


class ProbeOptions(Hooks, total=False):
    """See Neutrino.write()."""
    launch: Optional[str]
    map: Optional[str]
    block: Optional[int]
    lane: Optional[int]
    limit: Optional[int]
    width: int
    height: int
    format: str
    title: Optional[str]


class ValidationOptions(Hooks, total=False):
    """See Validation."""
    align: bool
    bound_ps: Optional[int]
    max_bound_ps: Optional[int]
    limit: Optional[int]
