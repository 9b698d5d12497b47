//! Whether the collectives of several nodes happened in a possible order.

use crate::document::analysis_document;
use crate::error::check;
use crate::hooks::{Bridge, Handle, Hooks, Output};
use crate::kinds::DocumentStatus;
use crate::profile::Profile;
use crate::rows::{flag, limit, row_at, Batched, FromRaw};
use crate::rows_of_tables::{ClockInterval, ValidationSummary};
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
        unsafe { row_at(|out, err| sys::pk_validation_get(self.handle.get(), out, err)) }
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
        // SAFETY: it points to nothing.
        Some(row.map(|found| unsafe { ClockInterval::of(&found) }))
    }
}
