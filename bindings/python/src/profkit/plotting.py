"""Pictures of a profile with matplotlib, which is imported when the first is drawn.

    profile.plot.timeline()
    profile.plot.memory()
    profile.plot.roofline()

Each draws on `ax`, or on axes of its own, and returns them.
"""
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _declarations as d
from .errors import NotFound

if TYPE_CHECKING:
    from .profile import Profile

#: Bars of a device: what lies closer together than this part of the whole is drawn as one.
BARS = 2000
#: Samples of memory over time: more than a screen is wide.
POINTS = 2000
PS_PER_MS = 10**9
GIB = 2**30
#: The zero is that of every table, document and screen.
TIME_AXIS = "ms since the origin of the capture"


class Plots:
    """The pictures of one profile."""

    def __init__(self, profile: "Profile") -> None:
        self._profile = profile

    def timeline(self, ax: Any = None, *, device: Optional[str] = None) -> Any:
        """When each device ran a kernel or a copy, a row a device; `device` keeps those whose name contains it.
        NotFound: no device has kernels."""
        spans: Dict[int, List[Tuple[int, int]]] = {}
        with self._profile.kernels(device=device, details=False) as kernels:
            for kernel in kernels.rows():
                spans.setdefault(kernel.device, []).append((kernel.start_ps, kernel.start_ps + kernel.duration_ps))
        if not spans:
            raise _nothing("no device of this capture has kernels" if device is None else f"no device whose name contains {device!r} has kernels")
        first = min(rows[0][0] for rows in spans.values())
        last = max(max(end for _, end in rows) for rows in spans.values())
        names = self._names_of_devices()
        ax = _axes(ax)
        for row, (_, kernels_of) in enumerate(sorted(spans.items())):
            bars = _merged(kernels_of, (last - first) // BARS)
            ax.broken_barh([(start / PS_PER_MS, max(end - start, 1) / PS_PER_MS) for start, end in bars], (row - 0.4, 0.8))
        ax.set_yticks(range(len(spans)), [names[position] for position in sorted(spans)])
        ax.invert_yaxis()
        ax.set_xlabel(TIME_AXIS)
        ax.set_title("When devices ran")
        return ax

    def _names_of_devices(self) -> Dict[int, str]:
        """By their positions in the capture. The host comes first where two hosts call theirs the same."""
        rows = self._profile.table("devices", columns=["device", "host", "name"]).to_dicts()
        shared = [row["name"] for row in rows]
        return {row["device"]: f"{row['host']} {row['name']}" if row["host"] and shared.count(row["name"]) > 1 else row["name"]
                for row in rows}

    def memory(self, ax: Any = None) -> Any:
        """What the allocator held over time, allocated and reserved for programs, where it was recorded; else what the compiler's
        plan holds from event to event. NotFound: neither is there."""
        with self._profile.memory(time_samples=POINTS, curve_points=POINTS) as memory:
            document = memory.document()
            runtime = document["runtime"]
            samples = runtime["timeline"]["samples"] if runtime else []
            curve = [] if samples else [(point.event, point.live_bytes) for point in memory.live_curve()]
        if samples:
            held = [(s["ts_ns"], s["bytes_allocated"] + s["bytes_reserved"]) for s in samples]
            # The peak may lie between two samples.
            held = sorted(held + [(runtime["peak"]["ts_ns"], runtime["peak"]["bytes_total"])])
            points = [(ts_ns / 10**6, size) for ts_ns, size in held]
            across, title = TIME_AXIS, f"Memory held on {runtime['pool']['device'] or 'the device'}"
        elif curve:
            points = [(float(event), size) for event, size in curve]
            across, title = "event of the plan: a buffer comes or goes", f"Memory that {document['hlo']['module']} plans"
        else:
            raise _nothing(document["runtime_absent_reason"] or document["hlo_absent_reason"] or "no memory curve is recorded")
        ax = _axes(ax)
        ax.step([at for at, _ in points], [size / GIB for _, size in points], where="post")
        ax.set_xlabel(across)
        ax.set_title(title)
        ax.set_ylabel("GiB")
        ax.set_ylim(bottom=0)
        return ax

    def roofline(self, ax: Any = None) -> Any:
        """Ops by operations a byte and operations a second, and what the device can do at most, where that is recorded: the dots
        of `profkit roofline`. NotFound: of no op both counts are known."""
        found = self._profile.op_groups("kernel", limit=0)
        # Rates are over the time of which it is known what the op does.
        points = [(op["flops"] / op["bytes"], op["flops"] / op["worked_ps"] * 1e12, op["self_ps"]) for op in found.get("groups", ())
                  if op["flops"] and op["bytes"] and op["worked_ps"]]
        if not points:
            raise _nothing("no op of this capture has counts of operations and of bytes")
        peaks = {(peak["flops_per_s"], peak["hbm_bytes_per_s"]) for peak in found["peaks"]
                 if peak["flops_per_s"] and peak["hbm_bytes_per_s"]}
        ax = _axes(ax)
        longest = max(time for _, _, time in points) or 1
        ax.scatter([x for x, _, _ in points], [y for _, y, _ in points], s=[10 + 200 * time / longest for _, _, time in points],
                   alpha=0.5)
        left, right = min(x for x, _, _ in points) / 2, max(x for x, _, _ in points) * 2
        for flops, bandwidth in sorted(peaks):
            ridge = flops / bandwidth
            corners = sorted({left, min(max(ridge, left), right), right})
            ax.plot(corners, [min(flops, x * bandwidth) for x in corners], color="gray")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel("operations a byte")
        ax.set_ylabel("operations a second")
        ax.set_title("Roofline; the larger the dot, the longer the op ran")
        return ax


def _nothing(why: str) -> NotFound:
    return NotFound(d.PK_E_NOT_FOUND, "not_found", why)


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    return pyplot.subplots(figsize=(10, 3.5), layout="constrained")[1]


def _merged(spans: List[Tuple[int, int]], closer_ps: int) -> List[Tuple[int, int]]:
    """Spans in the order of their starts, those with at most `closer_ps` between them as one."""
    bars: List[Tuple[int, int]] = []
    for start, end in spans:
        if bars and start - bars[-1][1] <= closer_ps:
            bars[-1] = (bars[-1][0], max(bars[-1][1], end))
        else:
            bars.append((start, end))
    return bars
