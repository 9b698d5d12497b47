//! Captures in the formats of other tools.

use crate::error::check;
use crate::filters::Filters;
use crate::hooks::{Bridge, Hooks, Output};
use crate::kinds::{DocumentStatus, TraceFormat};
use crate::profile::Profile;
use crate::rows::{flag, Strings};
use crate::Result;
use profkit_sys as sys;
use std::io;
use std::path::Path;

/// What to write.
#[derive(Debug, Default)]
pub struct ExportOptions<'h> {
    /// The format.
    pub format: TraceFormat,
    /// JSON as XLA's converter writes it: one XSpace, no filters.
    pub like_xla: bool,
    /// Perfetto with the steps of each device and why it waited.
    pub waits: bool,
    /// Compress what is written.
    pub gzip: bool,
    /// Which part of the capture.
    pub filters: Filters,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// What was written, and what was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExportOutcome {
    /// Absent when nothing has events, partial when some input is damaged.
    pub status: DocumentStatus,
    /// Tracks.
    pub tracks: u64,
    /// Further tracks, for events that overlap others of their line.
    pub lanes: u64,
    /// Slices, instants and rows.
    pub events: u64,
    /// Counter values.
    pub counters: u64,
    /// Ends of flows.
    pub flows: u64,
    /// Events without a place in time.
    pub aggregated_left_out: u64,
    /// Events more than 106 days from the origin.
    pub out_of_reach: u64,
    /// Events that still overlap others.
    pub crowded: u64,
}

impl Profile<'_> {
    /// Writes the capture into a file, which appears under its name when it is complete.
    ///
    /// # Errors
    /// No such step; several files where one is needed; a format that this capture cannot become;
    /// [`crate::Kind::Cancelled`]; the output could not be written.
    pub fn export(&self, path: impl AsRef<Path>, options: ExportOptions<'_>) -> Result<ExportOutcome> {
        let mut strings = Strings::default();
        let path = strings.path(path.as_ref())?;
        self.exported(options, strings, |raw, out| {
            // SAFETY: everything that is pointed to lives until the call returns.
            check(|err| unsafe { sys::pk_trace_write_file(self.raw(), raw, path, out, err) })
        })
    }

    /// The same into a writer.
    ///
    /// # Errors
    /// As [`Profile::export`], and what `to` failed with.
    pub fn write_export(&self, to: &mut dyn io::Write, options: ExportOptions<'_>) -> Result<ExportOutcome> {
        self.exported(options, Strings::default(), |raw, out| {
            Output::new(to).run(|user| {
                // SAFETY: everything that is pointed to lives until the call returns.
                check(|err| unsafe { sys::pk_trace_write(self.raw(), raw, Output::CALLBACK, user, out, err) })
            })
        })
    }

    fn exported(
        &self,
        mut options: ExportOptions<'_>,
        mut strings: Strings,
        write: impl FnOnce(*const sys::pk_trace_options, *mut sys::pk_trace_outcome) -> Result<bool>,
    ) -> Result<ExportOutcome> {
        let filters = options.filters.raw(&mut strings);
        let mut raw = sys::pk_trace_options {
            filters: &filters,
            flags: flag(options.like_xla, sys::PK_TRACE_LIKE_XLA)
                | flag(options.gzip, sys::PK_TRACE_GZIP)
                | flag(options.waits, sys::PK_TRACE_WAITS),
            format: options.format.raw(),
            ..Default::default()
        };
        let mut found = sys::pk_trace_outcome::default();
        Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            write(&raw, &mut found)
        })?;
        Ok(ExportOutcome {
            status: DocumentStatus::of(found.status),
            tracks: found.tracks,
            lanes: found.lanes,
            events: found.events,
            counters: found.counters,
            flows: found.flows,
            aggregated_left_out: found.aggregated_left_out,
            out_of_reach: found.out_of_reach,
            crowded: found.crowded,
        })
    }
}
