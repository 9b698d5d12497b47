//! The JSON documents, byte for byte those of `profkit <command> --json`.

use crate::error::check;
use crate::hooks::{Bridge, Hooks, Output};
use crate::profile::{named, Profile};
use crate::rows::Strings;
use crate::Result;
use profkit_sys as sys;
use std::io;

named!(
    /// A document: that of the command of the same name.
    Document, Report = sys::PK_DOCUMENT_REPORT, {
    /// Everything about the capture.
    Report = sys::PK_DOCUMENT_REPORT,
    /// Every file, host, plane and line, with counts.
    Info = sys::PK_DOCUMENT_INFO,
    /// Nesting of events.
    Tree = sys::PK_DOCUMENT_TREE,
    /// Metadata entries.
    Metadata = sys::PK_DOCUMENT_METADATA,
    /// Steps.
    Steps = sys::PK_DOCUMENT_STEPS,
    /// Totals of every op.
    Ops = sys::PK_DOCUMENT_OPS,
    /// Compiled modules.
    Modules = sys::PK_DOCUMENT_MODULES,
    /// Of the framework.
    Framework = sys::PK_DOCUMENT_FRAMEWORK,
    /// Collectives.
    Collectives = sys::PK_DOCUMENT_COLLECTIVES,
    /// Trace-event JSON files.
    Chrome = sys::PK_DOCUMENT_CHROME,
    /// Memory.
    Memory = sys::PK_DOCUMENT_MEMORY,
    /// Idle device time.
    Bubbles = sys::PK_DOCUMENT_BUBBLES,
    /// What model ran.
    Architecture = sys::PK_DOCUMENT_ARCHITECTURE,
    /// Probe traces.
    Neutrino = sys::PK_DOCUMENT_NEUTRINO,
});

impl Document {
    fn raw(self) -> i32 {
        match self {
            Self::Report => sys::PK_DOCUMENT_REPORT,
            Self::Info => sys::PK_DOCUMENT_INFO,
            Self::Tree => sys::PK_DOCUMENT_TREE,
            Self::Metadata => sys::PK_DOCUMENT_METADATA,
            Self::Steps => sys::PK_DOCUMENT_STEPS,
            Self::Ops => sys::PK_DOCUMENT_OPS,
            Self::Modules => sys::PK_DOCUMENT_MODULES,
            Self::Framework => sys::PK_DOCUMENT_FRAMEWORK,
            Self::Collectives => sys::PK_DOCUMENT_COLLECTIVES,
            Self::Chrome => sys::PK_DOCUMENT_CHROME,
            Self::Memory => sys::PK_DOCUMENT_MEMORY,
            Self::Bubbles => sys::PK_DOCUMENT_BUBBLES,
            Self::Architecture => sys::PK_DOCUMENT_ARCHITECTURE,
            Self::Neutrino => sys::PK_DOCUMENT_NEUTRINO,
        }
    }
}

named!(
    /// What a document says of itself in its field `status`.
    DocumentStatus, Ok = sys::PK_DOCUMENT_STATUS_OK, {
    /// All is well.
    Ok = sys::PK_DOCUMENT_STATUS_OK,
    /// Some input was damaged; what was intact is told.
    Partial = sys::PK_DOCUMENT_STATUS_PARTIAL,
    /// The capture has nothing of this kind; `reason` says why.
    Absent = sys::PK_DOCUMENT_STATUS_ABSENT,
    /// Nothing usable.
    Error = sys::PK_DOCUMENT_STATUS_ERROR,
});

/// Which part of a capture to look at, and how much of it to show. Text filters are substrings.
#[derive(Debug, Default)]
pub struct DocumentOptions<'h> {
    /// Only hosts whose name contains it.
    pub host: Option<String>,
    /// Only planes whose name contains it.
    pub plane: Option<String>,
    /// Only lines whose name contains it.
    pub line: Option<String>,
    /// Only events whose name contains it.
    pub name: Option<String>,
    /// Position of a step.
    pub step: Option<u64>,
    /// First instant, on the capture's clock.
    pub from_ps: Option<i64>,
    /// First instant after.
    pub to_ps: Option<i64>,
    /// Rows a list; 0 is all; `None` the command's default.
    pub limit: Option<u64>,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

impl DocumentOptions<'_> {
    /// Without hooks.
    pub(crate) fn raw(&self, strings: &mut Strings) -> sys::pk_document_options {
        let flag = |given: bool, bit: i32| if given { bit as u32 } else { 0 };
        sys::pk_document_options {
            flags: flag(self.step.is_some(), sys::PK_DOCUMENT_HAS_STEP)
                | flag(self.from_ps.is_some(), sys::PK_DOCUMENT_HAS_FROM)
                | flag(self.to_ps.is_some(), sys::PK_DOCUMENT_HAS_TO),
            host: strings.optional(self.host.as_deref()),
            plane: strings.optional(self.plane.as_deref()),
            line: strings.optional(self.line.as_deref()),
            name: strings.optional(self.name.as_deref()),
            step: self.step.unwrap_or(0),
            from_ps: self.from_ps.unwrap_or(0),
            to_ps: self.to_ps.unwrap_or(0),
            limit: self.limit.unwrap_or(sys::PK_LIMIT_DEFAULT),
            ..Default::default()
        }
    }
}

impl Profile<'_> {
    /// Writes a document.
    ///
    /// # Errors
    /// A step that is not there, [`crate::Kind::Cancelled`], or what `to` failed with. Damage of the capture is told in
    /// the document.
    pub fn write_document(
        &self,
        document: Document,
        mut options: DocumentOptions<'_>,
        to: &mut dyn io::Write,
    ) -> Result<DocumentStatus> {
        let mut strings = Strings::default();
        let mut raw = options.raw(&mut strings);
        let mut status = 0;
        Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            Output::new(to).run(|user| {
                // SAFETY: everything that is pointed to lives until the call returns.
                check(|err| unsafe {
                    sys::pk_document_write(self.raw(), document.raw(), &raw, Output::CALLBACK, user, &mut status, err)
                })
            })
        })?;
        Ok(DocumentStatus::of(status))
    }

    /// A document as JSON text, with the command's defaults.
    ///
    /// # Errors
    /// As [`Profile::write_document`].
    pub fn document(&self, document: Document) -> Result<String> {
        let mut bytes = Vec::new();
        self.write_document(document, DocumentOptions::default(), &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Writes the document of an analysis that has `(object, write, user, status, err)`.
pub(crate) fn analysis_document(
    to: &mut dyn io::Write,
    write: impl FnOnce(sys::pk_write_callback, *mut std::os::raw::c_void, *mut i32, *mut *mut sys::pk_error) -> i32,
) -> Result<DocumentStatus> {
    let mut status = 0;
    Output::new(to).run(|user| check(|err| write(Output::CALLBACK, user, &mut status, err)))?;
    Ok(DocumentStatus::of(status))
}
