//! Captures in the formats of other tools.

use crate::error::check;
use crate::filters::Filters;
use crate::hooks::{Bridge, Hooks, Output};
use crate::kinds::TraceFormat;
use crate::profile::Profile;
use crate::rows::{flag, FromRaw, Strings};
use crate::rows_of_tables::ExportOutcome;
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
        // SAFETY: it points to nothing.
        Ok(unsafe { ExportOutcome::of(&found) })
    }
}
