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
PS_PER_MS = 10**9
GIB = 2**30


class Plots:
    """The pictures of one profile."""

    def __init__(self, profile: "Profile") -> None:
        self._profile = profile

    def timeline(self, ax: Any = None, *, device: Optional[str] = None) -> Any:
        """When each device ran a kernel or a copy, a row a device; `device` keeps those whose name contains it.
        NotFound: no device has kernels."""
        spans: Dict[int, List[Tuple[int, int]]] = {}
        with self._profile.kernels(device=device, details=False) as kernels:
            devices = kernels.devices
            for kernel in kernels.rows():
                spans.setdefault(kernel.device, []).append((kernel.start_ps, kernel.start_ps + kernel.duration_ps))
        if not spans:
            raise _nothing("no device of this capture has kernels")
        first = min(rows[0][0] for rows in spans.values())
        last = max(max(end for _, end in rows) for rows in spans.values())
        ax = _axes(ax)
        for row, (position, kernels_of) in enumerate(sorted(spans.items())):
            bars = _merged(kernels_of, (last - first) // BARS)
            ax.broken_barh([((start - first) / PS_PER_MS, max(end - start, 1) / PS_PER_MS) for start, end in bars], (row - 0.4, 0.8))
        ax.set_yticks(range(len(spans)), [devices[position].name for position in sorted(spans)])
        ax.invert_yaxis()
        ax.set_xlabel("ms since the first kernel")
        ax.set_title("When devices ran")
        return ax

    def memory(self, ax: Any = None) -> Any:
        """What the allocator held over time, where it was recorded; else what the compiler's plan holds from event to event.
        NotFound: neither is there."""
        document = self._profile.document("memory")
        runtime, plan = document["runtime"], document["hlo"]
        samples = runtime["timeline"]["samples"] if runtime else []
        if samples:
            ax = _axes(ax)
            first = samples[0]["ts_ns"]
            ax.step([(s["ts_ns"] - first) / 10**6 for s in samples], [s["bytes_allocated"] / GIB for s in samples], where="post")
            ax.set_xlabel("ms since the first allocation")
            ax.set_title(f"Memory held on {runtime['pool']['device'] or 'the device'}")
        else:
            with self._profile.memory() as memory:
                curve = [(point.event, point.live_bytes) for point in memory.live_curve()]
            if not curve:
                raise _nothing(document["runtime_absent_reason"] or document["hlo_absent_reason"] or "no memory curve is recorded")
            ax = _axes(ax)
            ax.step([event for event, _ in curve], [size / GIB for _, size in curve], where="post")
            ax.set_xlabel("event of the plan: a buffer comes or goes")
            ax.set_title(f"Memory that {plan['module']} plans")
        ax.set_ylabel("GiB")
        ax.set_ylim(bottom=0)
        return ax

    def roofline(self, ax: Any = None) -> Any:
        """Ops by operations a byte and operations a second, and what the device can do at most, where that is recorded.
        NotFound: no op has both rates."""
        points: List[Tuple[float, float, int]] = []
        peaks = set()
        for line in self._profile.document("ops", limit=0)["lines"]:
            for op in line["ops"]:
                if op["flops_per_s"] and op["bytes_per_s"]:
                    points.append((op["flops_per_s"] / op["bytes_per_s"], op["flops_per_s"], op["self_ps"]))
            if line["peak_flops_per_s"] and line["peak_hbm_bytes_per_s"]:
                peaks.add((line["peak_flops_per_s"], line["peak_hbm_bytes_per_s"]))
        if not points:
            raise _nothing("no op of this capture has counts of operations and of bytes")
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
