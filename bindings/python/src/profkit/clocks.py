"""The clock of one node of a cluster: what its instants are on the reference node's wall clock, and how wrong they can be."""
import ctypes as c
from typing import List, NamedTuple, Optional, Sequence

from . import _declarations as d
from ._library import Owner, check, lib, made, options
from .kinds import choice

_OUT_OF_REACH = -2**63


class ClockPair(NamedTuple):
    """Both clocks of a node read together: ns of each, and ps beyond them, 0 to 999."""
    tracer_ns: int
    host_ns: int
    tracer_sub_ps: int = 0
    host_sub_ps: int = 0


class ClockOffset(NamedTuple):
    """A node's wall clock measured against the reference node's: positive where the node's is ahead."""
    midpoint_ns: int
    offset_ps: int
    resolution_ps: int = 0
    drift_ppt: Optional[int] = None
    residual_ps: Optional[int] = None
    midpoint_sub_ps: int = 0


class Clock(Owner):
    """A piecewise-linear map in exact integers, from pairs (at least two) and offsets (at least one, but for the reference
    node). The bases are the zeros of what map() takes and gives."""

    def __init__(self, pairs: Sequence[ClockPair], offsets: Sequence[ClockOffset] = (), *, node_id: int = 0,
                 reference: bool = False, drift_slope: bool = True, tracer_base_ns: int = 0, host_base_ns: int = 0,
                 reference_base_ns: int = 0) -> None:
        raw_pairs = (d.pk_clock_pair * max(1, len(pairs)))(*[d.pk_clock_pair(*pair) for pair in pairs])
        raw_offsets = (d.pk_clock_offset * max(1, len(offsets)))(*[_offset(offset) for offset in offsets])
        given = options(
            d.pk_clock_options, node_id=node_id, tracer_base_ns=tracer_base_ns, host_base_ns=host_base_ns,
            reference_base_ns=reference_base_ns, pairs=raw_pairs, pair_count=len(pairs), offsets=raw_offsets,
            offset_count=len(offsets),
            flags=d.PK_CLOCK_IS_REFERENCE * reference | d.PK_CLOCK_NO_DRIFT_SLOPE * (not drift_slope))
        self._handle = made(lib.pk_clock_build, lib.pk_clock_free, c.byref(given))

    def map(self, times_ps: Sequence[int], domain: str = "tracer") -> List[Optional[int]]:
        """Instants of a clock ("tracer", "host"), ps since its base, as ps since the reference base; None for those that
        are out of reach (53 days)."""
        times = (c.c_int64 * max(1, len(times_ps)))(*times_ps)
        check(lib.pk_clock_map, self._h, choice(domain, "clock_domain", "domain"), times, times, len(times_ps))
        return [None if time == _OUT_OF_REACH else time for time in times[:len(times_ps)]]

    def bound_ps(self, corrected_ps: int, domain: str = "tracer") -> int:
        """How far an event near a corrected instant can be from the truth; -1 when nobody knows."""
        bound = c.c_int64()
        check(lib.pk_clock_bound, self._h, choice(domain, "clock_domain", "domain"), corrected_ps, c.byref(bound))
        return bound.value


def _offset(given: ClockOffset) -> d.pk_clock_offset:
    flags = (d.PK_OFFSET_HAS_DRIFT * (given.drift_ppt is not None)
             | d.PK_OFFSET_HAS_RESIDUAL * (given.residual_ps is not None))
    return d.pk_clock_offset(
        midpoint_ns=given.midpoint_ns, offset_ps=given.offset_ps, resolution_ps=given.resolution_ps,
        drift_ppt=given.drift_ppt or 0, residual_ps=given.residual_ps or 0, midpoint_sub_ps=given.midpoint_sub_ps,
        flags=flags)
