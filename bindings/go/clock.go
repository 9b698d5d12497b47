package profkit

/*
#include <profkit/profkit.h>

static pk_clock_options pkgo_clock_options(void) { pk_clock_options o = PK_CLOCK_OPTIONS_INIT; return o; }
*/
import "C"

import (
	"math"
	"unsafe"
)

// OutOfReach is what an instant becomes that a clock cannot map: it lies more than 53 days away.
const OutOfReach = math.MinInt64

// ClockPair is both clocks of a node read together: ns of each, and ps beyond them, 0 to 999.
type ClockPair struct {
	TracerNs, HostNs       int64
	TracerSubPs, HostSubPs int32
}

// ClockOffset is a node's wall clock measured against the reference node's.
type ClockOffset struct {
	MidpointNs    int64 // on the reference node's wall clock
	MidpointSubPs int32
	OffsetPs      int64 // positive: the node's clock is ahead
	ResolutionPs  int64 // half of the last digit of the offset
	DriftPpt      *int64
	ResidualPs    *int64 // of the solver
}

// ClockOptions say what is known of one node's clocks. The bases are the zeros of what Map takes and gives.
type ClockOptions struct {
	Pairs                                     []ClockPair   // at least two
	Offsets                                   []ClockOffset // at least one, but for the reference node
	NodeID                                    int64
	IsReference                               bool
	NoDriftSlope                              bool // beyond the offsets their own slope counts, not their drift
	TracerBaseNs, HostBaseNs, ReferenceBaseNs int64
}

// Clock is the clock of one node: a piecewise-linear map in exact integers, and how far it can be wrong.
type Clock struct{ h *handle }

// NewClock builds the map.
func NewClock(options ClockOptions) (*Clock, error) {
	if err := checkLibrary(uint32(C.pk_version_number())); err != nil {
		return nil, err
	}
	var memory arena
	defer memory.free()
	given := (*C.pk_clock_options)(memory.alloc(unsafe.Sizeof(C.pk_clock_options{})))
	*given = C.pkgo_clock_options()
	given.flags = flag(options.IsReference, C.PK_CLOCK_IS_REFERENCE) | flag(options.NoDriftSlope, C.PK_CLOCK_NO_DRIFT_SLOPE)
	given.node_id = C.int64_t(options.NodeID)
	given.tracer_base_ns, given.host_base_ns = C.int64_t(options.TracerBaseNs), C.int64_t(options.HostBaseNs)
	given.reference_base_ns = C.int64_t(options.ReferenceBaseNs)
	if count := len(options.Pairs); count > 0 {
		given.pairs = (*C.pk_clock_pair)(memory.alloc(uintptr(count) * unsafe.Sizeof(C.pk_clock_pair{})))
		given.pair_count = C.size_t(count)
		for at, into := 0, unsafe.Slice(given.pairs, count); at < count; at++ {
			pair := options.Pairs[at]
			into[at].tracer_ns, into[at].host_ns = C.int64_t(pair.TracerNs), C.int64_t(pair.HostNs)
			into[at].tracer_sub_ps, into[at].host_sub_ps = C.int32_t(pair.TracerSubPs), C.int32_t(pair.HostSubPs)
		}
	}
	if count := len(options.Offsets); count > 0 {
		given.offsets = (*C.pk_clock_offset)(memory.alloc(uintptr(count) * unsafe.Sizeof(C.pk_clock_offset{})))
		given.offset_count = C.size_t(count)
		for at, into := 0, unsafe.Slice(given.offsets, count); at < count; at++ {
			offset, row := options.Offsets[at], &into[at]
			row.midpoint_ns, row.midpoint_sub_ps = C.int64_t(offset.MidpointNs), C.int32_t(offset.MidpointSubPs)
			row.offset_ps, row.resolution_ps = C.int64_t(offset.OffsetPs), C.int64_t(offset.ResolutionPs)
			if offset.DriftPpt != nil {
				row.flags |= C.PK_OFFSET_HAS_DRIFT
				row.drift_ppt = C.int64_t(*offset.DriftPpt)
			}
			if offset.ResidualPs != nil {
				row.flags |= C.PK_OFFSET_HAS_RESIDUAL
				row.residual_ps = C.int64_t(*offset.ResidualPs)
			}
		}
	}
	var out *C.pk_clock
	var raw *C.pk_error
	if err := failure(C.pk_clock_build(given, &out, &raw), raw); err != nil {
		return nil, err
	}
	return &Clock{newHandle(unsafe.Pointer(out), func(raw unsafe.Pointer) { C.pk_clock_free((*C.pk_clock)(raw)) })}, nil
}

// Close frees the clock.
func (c *Clock) Close() { c.h.close() }

// Map puts instants of a clock (ClockTracer, ClockHost), ps since its base, in their place as ps since the reference base.
// What cannot be mapped becomes OutOfReach.
func (c *Clock) Map(domain ClockDomain, timesPs []int64) error {
	return c.h.use(func(object unsafe.Pointer) error {
		if len(timesPs) == 0 {
			return nil
		}
		times := (*C.int64_t)(unsafe.Pointer(&timesPs[0]))
		var raw *C.pk_error
		return failure(C.pk_clock_map((*C.pk_clock)(object), C.int32_t(domain), times, times, C.size_t(len(timesPs)), &raw), raw)
	})
}

// BoundPs is how far an event near a corrected instant can be from the truth; -1 when nobody knows.
func (c *Clock) BoundPs(domain ClockDomain, correctedPs int64) (int64, error) {
	var bound C.int64_t
	err := c.h.use(func(object unsafe.Pointer) error {
		var raw *C.pk_error
		return failure(C.pk_clock_bound((*C.pk_clock)(object), C.int32_t(domain), C.int64_t(correctedPs), &bound, &raw), raw)
	})
	return int64(bound), err
}
