//! Whether the collectives of several nodes happened in a possible order.

use crate::document::analysis_document;
use crate::error::{check, got};
use crate::hooks::{Bridge, Handle, Hooks, Output};
use crate::kinds::DocumentStatus;
use crate::profile::Profile;
use crate::rows::{flag, limit, Batched};
use crate::Result;
use profkit_sys as sys;
use std::io;
use std::marker::PhantomData;
use std::ptr;

/// What to compare, and how.
#[derive(Debug, Default)]
pub struct ValidationOptions<'h> {
    /// Bound the clocks from collectives alone.
    pub align: bool,
    /// Error of every time, instead of what the trace says.
    pub bound_ps: Option<i64>,
    /// An offset known less well than this is undecidable; `None` is 1 ms.
    pub max_bound_ps: Option<i64>,
    /// Rows of each list of the document; 0 is all, `None` the command's default.
    pub limit: Option<u64>,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// Whether the collectives of several nodes happened in a possible order. Keeps nothing of the profiles.
#[derive(Debug)]
pub struct Validation {
    handle: Handle<'static, sys::pk_validation>,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ValidationSummary {
    /// Absent when nothing could be compared.
    pub status: DocumentStatus,
    /// Nodes.
    pub node_count: u32,
    /// Invocations compared.
    pub group_count: u64,
    /// Beyond the error of the clocks.
    pub violations: u64,
    /// Whatever the error of the clocks.
    pub violations_raw: u64,
    /// Pairs of nodes of which one ended before the other began.
    pub pair_violations: u64,
    /// Invocations in order.
    pub overlaps: u64,
    /// Of which nobody can tell who waits for whom.
    pub unjudged: u64,
    /// Warnings of the document.
    pub warnings: u64,
    /// Nodes whose offset is known less well than was asked for, or not at all.
    pub undecidable: u64,
    /// The trace was merged with corrected clocks.
    pub clocks_corrected: bool,
    /// The errors of the clocks are known.
    pub bounds_known: bool,
}

/// What collectives alone say of a node's clock against the first node's: its time less the first node's is
/// offset + drift * (t - pivot).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct ClockInterval {
    pub node_id: i64,
    pub pivot_ps: i64,
    pub least_offset_ps: i64,
    pub most_offset_ps: i64,
    pub point_offset_ps: i64,
    pub least_drift_ppm: f64,
    pub most_drift_ppm: f64,
    pub point_drift_ppm: f64,
    pub constraints: u64,
    pub decidable: bool,
    pub feasible: bool,
}

impl Validation {
    /// Compares one merged trace, or one trace a node; `None` is a trace that could not be opened and keeps its place.
    ///
    /// # Errors
    /// No profile at all; [`crate::Kind::Cancelled`].
    pub fn of(profiles: &[Option<&Profile<'_>>], mut options: ValidationOptions<'_>) -> Result<Self> {
        let handles: Vec<_> = profiles.iter().map(|given| given.map_or(ptr::null(), |profile| profile.raw())).collect();
        let mut raw = sys::pk_validation_options {
            flags: flag(options.align, sys::PK_VALIDATION_ALIGN)
                | flag(options.bound_ps.is_some(), sys::PK_VALIDATION_HAS_BOUND),
            bound_ps: options.bound_ps.unwrap_or(0),
            max_bound_ps: options.max_bound_ps.unwrap_or(0),
            limit: limit(options.limit),
            ..Default::default()
        };
        let handle = Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            Handle::make(sys::pk_validation_free, |out, err| unsafe {
                sys::pk_validation_open(handles.as_ptr(), handles.len(), &raw, out, err)
            })
        })?;
        Ok(Self { handle })
    }

    /// What was found.
    #[must_use]
    pub fn summary(&self) -> ValidationSummary {
        // SAFETY: the handle is alive.
        let found: sys::pk_validation_summary =
            got(|out, err| unsafe { sys::pk_validation_get(self.handle.get(), out, err) }).unwrap_or_default();
        ValidationSummary {
            status: DocumentStatus::of(found.status),
            node_count: found.node_count,
            group_count: found.group_count,
            violations: found.violations,
            violations_raw: found.violations_raw,
            pair_violations: found.pair_violations,
            overlaps: found.overlaps,
            unjudged: found.unjudged,
            warnings: found.warnings,
            undecidable: found.undecidable,
            clocks_corrected: found.clocks_corrected != 0,
            bounds_known: found.bounds_known != 0,
        }
    }

    /// One a node; none unless [`ValidationOptions::align`] was asked for.
    #[must_use]
    pub fn clock_intervals(&self) -> ClockIntervals<'_> {
        ClockIntervals { validation: self.handle.get(), first: 0, rows: Batched::new(), owner: PhantomData }
    }

    /// Writes what `profkit validate --json` prints.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write) -> Result<DocumentStatus> {
        analysis_document(to, |write, user, status, err| unsafe {
            // SAFETY: the handle is alive.
            sys::pk_validation_write(self.handle.get(), write, user, status, err)
        })
    }

    /// Writes the start gaps of every invocation as CSV.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_csv(&self, to: &mut dyn io::Write) -> Result<()> {
        Output::new(to).run(|user| {
            check(|err| unsafe {
                // SAFETY: the handle is alive; the output lives until the call returns.
                sys::pk_validation_write_csv(self.handle.get(), Output::CALLBACK, user, err)
            })
            .map(|_| ())
        })
    }
}

/// What collectives say of every node's clock.
#[derive(Debug)]
pub struct ClockIntervals<'v> {
    validation: *const sys::pk_validation,
    first: u64,
    rows: Batched<sys::pk_clock_interval>,
    owner: PhantomData<&'v ()>,
}

// SAFETY: profkit.h: any thread may read a validation.
unsafe impl Send for ClockIntervals<'_> {}

impl Iterator for ClockIntervals<'_> {
    type Item = Result<ClockInterval>;
    fn next(&mut self) -> Option<Self::Item> {
        let (validation, first) = (self.validation, &mut self.first);
        let row = self.rows.next(|rows, capacity, count| {
            // SAFETY: the validation lives as long as 'v; `rows` has room for `capacity`.
            let more =
                check(|err| unsafe { sys::pk_clock_intervals_read(validation, *first, rows, capacity, count, err) });
            *first += *count as u64;
            more
        })?;
        Some(row.map(|found| ClockInterval {
            node_id: found.node_id,
            pivot_ps: found.pivot_ps,
            least_offset_ps: found.least_offset_ps,
            most_offset_ps: found.most_offset_ps,
            point_offset_ps: found.point_offset_ps,
            least_drift_ppm: found.least_drift_ppm,
            most_drift_ppm: found.most_drift_ppm,
            point_drift_ppm: found.point_drift_ppm,
            constraints: found.constraints,
            decidable: found.decidable != 0,
            feasible: found.feasible != 0,
        }))
    }
}
