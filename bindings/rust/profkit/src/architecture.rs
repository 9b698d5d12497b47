//! What model ran.

use crate::document::analysis_document;
use crate::error::check;
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks, Output};
use crate::kinds::DocumentStatus;
use crate::profile::Profile;
use crate::rows::{limit, text, Strings};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::io;

/// What to look at.
#[derive(Debug, Default)]
pub struct ArchitectureOptions<'h> {
    /// Only devices whose name contains it.
    pub device: Option<String>,
    /// Whole names that mark a step: a regular expression of RE2.
    pub step_pattern: Option<String>,
    /// Rows of each list of the document; 0 is all, `None` the command's default.
    pub limit: Option<u64>,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// What model ran: passes, layers and their parts, read from the kernels of one device.
#[derive(Debug)]
pub struct Architecture<'d> {
    handle: Handle<'d, sys::pk_architecture>,
}

impl<'d> Profile<'d> {
    /// Looks at the model.
    ///
    /// # Errors
    /// A malformed pattern; [`crate::Kind::Cancelled`]. A capture without devices is no failure.
    pub fn architecture(&self, mut options: ArchitectureOptions<'_>) -> Result<Architecture<'d>> {
        let mut strings = Strings::default();
        let filters = Filters::of_device(options.device.take()).raw(&mut strings);
        let mut raw = sys::pk_architecture_options {
            filters: &filters,
            step_pattern: strings.optional(options.step_pattern.as_deref()),
            limit: limit(options.limit),
            ..Default::default()
        };
        let handle = Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            Handle::make(sys::pk_architecture_free, |out, err| unsafe {
                sys::pk_architecture_open(self.handle.get_mut(), &raw, out, err)
            })
        })?;
        Ok(Architecture { handle })
    }
}

impl Architecture<'_> {
    /// One sentence: layers, passes, confidence. "" without a device.
    #[must_use]
    pub fn summary(&self) -> Cow<'_, str> {
        // SAFETY: borrowed from the analysis.
        unsafe { text(sys::pk_architecture_summary(self.handle.get())) }
    }
    /// The name that the report has by convention.
    #[must_use]
    pub fn file_name(&self) -> Cow<'_, str> {
        // SAFETY: borrowed from the analysis.
        unsafe { text(sys::pk_architecture_file_name(self.handle.get())) }
    }
    /// Writes what `profkit architecture --json` prints.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write) -> Result<DocumentStatus> {
        analysis_document(to, |write, user, status, err| unsafe {
            // SAFETY: the handle is alive.
            sys::pk_architecture_write(self.handle.get(), write, user, status, err)
        })
    }
    /// Writes the report as Markdown.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_markdown(&self, to: &mut dyn io::Write) -> Result<()> {
        Output::new(to).run(|user| {
            check(|err| unsafe {
                // SAFETY: the handle is alive; the output lives until the call returns.
                sys::pk_architecture_write_markdown(self.handle.get(), Output::CALLBACK, user, err)
            })
            .map(|_| ())
        })
    }
}
