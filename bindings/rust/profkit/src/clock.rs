//! The clock of one node of a cluster.

use crate::error::check;
use crate::hooks::Handle;
use crate::rows::flag;
use crate::{ClockDomain, Result};
use profkit_sys as sys;

/// Both clocks of a node read together: ns of each, and ps beyond them, 0 to 999.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ClockPair {
    pub tracer_ns: i64,
    pub host_ns: i64,
    pub tracer_sub_ps: i32,
    pub host_sub_ps: i32,
}

/// A node's wall clock measured against the reference node's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// On the reference node's wall clock.
    pub midpoint_ns: i64,
    /// Beyond that, 0 to 999.
    pub midpoint_sub_ps: i32,
    /// Positive: the node's clock is ahead.
    pub offset_ps: i64,
    /// Half of the last digit of the offset.
    pub resolution_ps: i64,
    /// Parts in 10^12.
    pub drift_ppt: Option<i64>,
    /// Of the solver.
    pub residual_ps: Option<i64>,
}

/// What is known of a node's clocks. The bases are the zeros of what [`Clock::map`] takes and gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockOptions<'c> {
    /// At least two.
    pub pairs: &'c [ClockPair],
    /// At least one, but for the reference node.
    pub offsets: &'c [ClockOffset],
    /// Number of the node.
    pub node_id: i64,
    /// It is the reference node.
    pub is_reference: bool,
    /// Beyond the offsets their own slope counts, not their drift.
    pub no_drift_slope: bool,
    /// Zero of the tracer's instants.
    pub tracer_base_ns: i64,
    /// Zero of the host's instants.
    pub host_base_ns: i64,
    /// Zero of mapped instants.
    pub reference_base_ns: i64,
}

/// The clock of one node: a piecewise-linear map in exact integers, and how far it can be wrong.
#[derive(Debug)]
pub struct Clock {
    handle: Handle<'static, sys::pk_clock>,
}

impl Clock {
    /// Builds the map.
    ///
    /// # Errors
    /// Too few measurements, or measurements that describe no clock.
    pub fn new(options: ClockOptions<'_>) -> Result<Self> {
        crate::require_library()?;
        let pairs: Vec<_> = options
            .pairs
            .iter()
            .map(|pair| sys::pk_clock_pair {
                tracer_ns: pair.tracer_ns,
                host_ns: pair.host_ns,
                tracer_sub_ps: pair.tracer_sub_ps,
                host_sub_ps: pair.host_sub_ps,
            })
            .collect();
        let offsets: Vec<_> = options
            .offsets
            .iter()
            .map(|offset| sys::pk_clock_offset {
                midpoint_ns: offset.midpoint_ns,
                offset_ps: offset.offset_ps,
                resolution_ps: offset.resolution_ps,
                drift_ppt: offset.drift_ppt.unwrap_or(0),
                residual_ps: offset.residual_ps.unwrap_or(0),
                midpoint_sub_ps: offset.midpoint_sub_ps,
                flags: flag(offset.drift_ppt.is_some(), sys::PK_OFFSET_HAS_DRIFT)
                    | flag(offset.residual_ps.is_some(), sys::PK_OFFSET_HAS_RESIDUAL),
            })
            .collect();
        let raw = sys::pk_clock_options {
            flags: flag(options.is_reference, sys::PK_CLOCK_IS_REFERENCE)
                | flag(options.no_drift_slope, sys::PK_CLOCK_NO_DRIFT_SLOPE),
            node_id: options.node_id,
            tracer_base_ns: options.tracer_base_ns,
            host_base_ns: options.host_base_ns,
            reference_base_ns: options.reference_base_ns,
            pairs: pairs.as_ptr(),
            pair_count: pairs.len(),
            offsets: offsets.as_ptr(),
            offset_count: offsets.len(),
            ..Default::default()
        };
        // SAFETY: everything that is pointed to lives until the call returns.
        let handle = Handle::make(sys::pk_clock_free, |out, err| unsafe { sys::pk_clock_build(&raw, out, err) })?;
        Ok(Self { handle })
    }

    /// An instant, ps since its clock's base, as ps since the reference base; `None` when it is out of reach (53 days).
    #[must_use]
    pub fn map(&self, domain: ClockDomain, time_ps: i64) -> Option<i64> {
        let mut times = [time_ps];
        self.map_all(domain, &mut times);
        (times[0] != i64::MIN).then_some(times[0])
    }

    /// Maps many at once, in their place; `i64::MIN` for what is out of reach.
    pub fn map_all(&self, domain: ClockDomain, times_ps: &mut [i64]) {
        let times = times_ps.as_mut_ptr();
        // SAFETY: the handle is alive; both sides may be the same. Nothing of this can fail.
        let _ = check(|err| unsafe {
            sys::pk_clock_map(self.handle.get(), domain.raw(), times, times, times_ps.len(), err)
        });
    }

    /// How far an event near a corrected instant can be from the truth; -1 when nobody knows.
    #[must_use]
    pub fn bound_ps(&self, domain: ClockDomain, corrected_ps: i64) -> i64 {
        let mut bound = 0;
        // SAFETY: the handle is alive. Nothing of this can fail.
        let _ =
            check(|err| unsafe { sys::pk_clock_bound(self.handle.get(), domain.raw(), corrected_ps, &mut bound, err) });
        bound
    }
}
