//! The JSON documents, byte for byte those of `profkit <command> --json`.

use crate::kinds::{Document, DocumentStatus};
use crate::error::{check, Error};
use crate::filters::Filters;
use crate::hooks::{Bridge, Hooks, Output};
use crate::profile::Profile;
use crate::rows::{limit, Strings};
use crate::Result;
use profkit_sys as sys;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::raw::c_void;
use std::path::{Path, PathBuf};

/// Which part of a capture to look at, and how much of it to show.
#[derive(Debug, Default)]
pub struct DocumentOptions<'h> {
    /// Which part.
    pub filters: Filters,
    /// Rows a list; 0 is all; `None` the command's default.
    pub limit: Option<u64>,
    /// About the most bytes that the document takes; 0 is the document's own bound.
    pub max_bytes: u64,
    /// What the document is about; `None`: all of the capture. Of [`Document::Modules`] a compiled module by its name or a part of
    /// it, with the instructions of its entry computation, which `limit` counts; of [`Document::Explain`] a finding by its id, with
    /// its evidence and what happened around it; of [`Document::OpGroups`] what ops are summed by, "module,op".
    pub of: Option<&'h str>,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

impl DocumentOptions<'_> {
    /// Without hooks.
    fn raw(&self, filters: &sys::pk_filters, strings: &mut Strings) -> sys::pk_document_options {
        sys::pk_document_options {
            filters,
            limit: limit(self.limit),
            max_bytes: self.max_bytes,
            of: self.of.map_or(std::ptr::null(), |of| strings.add(of.as_bytes())),
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
        options: DocumentOptions<'_>,
        to: &mut dyn io::Write,
    ) -> Result<DocumentStatus> {
        filtered(options, to, |raw, user, status, err| unsafe {
            // SAFETY: everything that is pointed to lives until the call returns.
            sys::pk_document_write(self.raw(), document.raw(), raw, Output::CALLBACK, user, status, err)
        })
    }

    /// Writes a document into a file, which appears under its name when it is complete.
    ///
    /// # Errors
    /// As [`Profile::write_document`]; a file that is read, or that cannot be written.
    pub fn write_document_file(
        &self,
        document: Document,
        mut options: DocumentOptions<'_>,
        path: impl AsRef<Path>,
    ) -> Result<DocumentStatus> {
        let mut strings = Strings::default();
        let path = strings.path(path.as_ref())?;
        let filters = options.filters.raw(&mut strings);
        let mut raw = options.raw(&filters, &mut strings);
        let mut status = 0;
        Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            check(|err| unsafe {
                sys::pk_document_write_file(self.raw(), document.raw(), &raw, path, &mut status, err)
            })
        })?;
        Ok(DocumentStatus::of(status))
    }

    /// Writes the report as HTML for a browser: what `profkit report PATH -o NAME.html` writes.
    ///
    /// # Errors
    /// As [`Profile::write_document`].
    pub fn write_page(&self, options: DocumentOptions<'_>, to: &mut dyn io::Write) -> Result<DocumentStatus> {
        filtered(options, to, |raw, user, status, err| unsafe {
            // SAFETY: as write_document().
            sys::pk_page_write(self.raw(), raw, Output::CALLBACK, user, status, err)
        })
    }

    /// Writes what [`crate::OpenOptions::redact`] replaced and left out, as JSON, with the word that each alias stands for.
    ///
    /// # Errors
    /// [`crate::Kind::InvalidArgument`] for a capture that was opened as it is; what `to` failed with.
    pub fn write_redaction(&self, to: &mut dyn io::Write) -> Result<()> {
        Output::new(to).run(|user| {
            // SAFETY: the profile and the output live until the call returns.
            check(|err| unsafe { sys::pk_redaction_write(self.raw(), Output::CALLBACK, user, err) }).map(|_| ())
        })
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

/// Writes the document of a call that has `(options, user, status, err)`.
fn filtered(
    mut options: DocumentOptions<'_>,
    to: &mut dyn io::Write,
    write: impl FnOnce(*const sys::pk_document_options, *mut c_void, *mut i32, *mut *mut sys::pk_error) -> i32,
) -> Result<DocumentStatus> {
    let mut strings = Strings::default();
    let filters = options.filters.raw(&mut strings);
    let mut raw = options.raw(&filters, &mut strings);
    let mut status = 0;
    Bridge::new(&mut options.hooks).run(|hooks| {
        raw.hooks = hooks;
        Output::new(to).run(|user| check(|err| write(&raw, user, &mut status, err)))
    })?;
    Ok(DocumentStatus::of(status))
}

impl Error {
    /// Writes what `profkit <command> --json` prints when this is why it has no document to show.
    ///
    /// # Errors
    /// [`crate::Kind::InvalidArgument`] for an error that was not written by the library; what `to` failed with.
    pub fn write_document(&self, document: Document, to: &mut dyn io::Write) -> Result<()> {
        let why = match self.raw() {
            Some(why) => why,
            None => {
                return Err(Error::new(sys::PK_E_INVALID_ARGUMENT, "this error was not written by the library".into()))
            }
        };
        Output::new(to).run(|user| {
            // SAFETY: the error and the output live until the call returns.
            check(|err| unsafe { sys::pk_document_write_error(document.raw(), why, Output::CALLBACK, user, err) })
                .map(|_| ())
        })
    }
}

/// The captures at a path, each to be opened on its own: of a folder every file below it that says what happened and when, by what
/// it holds, and every folder that is one capture. A file, and a folder in which nothing is found, is itself the only one.
///
/// # Errors
/// [`crate::Kind::InvalidArgument`] for a path with a zero byte.
pub fn captures_at(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let mut strings = Strings::default();
    let path = strings.path(path.as_ref())?;
    let mut found = Vec::new();
    Output::new(&mut found).run(|user| {
        // SAFETY: the path and the output live until the call returns.
        check(|err| unsafe { sys::pk_captures_write(path, Output::CALLBACK, user, err) }).map(|_| ())
    })?;
    let is_end = |byte: &u8| *byte == 0;
    Ok(found.split(is_end).filter(|one| !one.is_empty()).map(|one| PathBuf::from(OsStr::from_bytes(one))).collect())
}

/// Writes the document of an analysis that has `(object, write, user, status, err)`.
pub(crate) fn analysis_document(
    to: &mut dyn io::Write,
    write: impl FnOnce(sys::pk_write_callback, *mut c_void, *mut i32, *mut *mut sys::pk_error) -> i32,
) -> Result<DocumentStatus> {
    let mut status = 0;
    Output::new(to).run(|user| check(|err| write(Output::CALLBACK, user, &mut status, err)))?;
    Ok(DocumentStatus::of(status))
}
