//! Any protobuf message, field by field.

use crate::error::check;
use crate::hooks::{Bridge, Output};
use crate::kinds::{DocumentStatus, DumpFormat};
use crate::profile::{File, OpenOptions};
use crate::rows::{limit, Strings};
use crate::Result;
use profkit_sys as sys;
use std::io;
use std::os::raw::c_void;
use std::path::Path;

/// What to show of a message.
#[derive(Debug, Default)]
pub struct DumpOptions<'h> {
    /// How it is written.
    pub format: DumpFormat,
    /// Name of the message type, or "raw": every field by its number. `None` for what the kind of file says.
    pub message_type: Option<String>,
    /// Elements shown of each repeated field; 0 is all.
    pub limit: u64,
    /// How the file is read; progress, log, cancel.
    pub open: OpenOptions<'h>,
}

/// Writes the one protobuf message of a file, field by field: what `profkit dump` writes.
///
/// # Errors
/// A directory, a file that is no protobuf, no such type; as [`crate::Profile::open`]; what `to` failed with.
pub fn dump(path: impl AsRef<Path>, to: &mut dyn io::Write, mut options: DumpOptions<'_>) -> Result<DocumentStatus> {
    crate::require_library()?;
    let mut strings = Strings::default();
    let path = strings.path(path.as_ref())?;
    dumped(&mut options, strings, to, |raw, user, status, err| unsafe {
        // SAFETY: everything that is pointed to lives until the call returns.
        sys::pk_dump_write(path, raw, Output::CALLBACK, user, status, err)
    })
}

impl File<'_> {
    /// Writes the one protobuf message of this file: also of one that came as a buffer. Of the options those that say how
    /// a file is opened count no more, but for the limits and hooks among them.
    ///
    /// # Errors
    /// A file that is no protobuf, no such type; what `to` failed with.
    pub fn dump(&self, to: &mut dyn io::Write, mut options: DumpOptions<'_>) -> Result<DocumentStatus> {
        dumped(&mut options, Strings::default(), to, |raw, user, status, err| unsafe {
            // SAFETY: the profile lives as long as the file.
            sys::pk_file_dump_write(self.raw_profile(), self.position(), raw, Output::CALLBACK, user, status, err)
        })
    }
}

/// Writes the dump of a call that has `(options, user, status, err)`.
fn dumped(
    options: &mut DumpOptions<'_>,
    mut strings: Strings,
    to: &mut dyn io::Write,
    write: impl FnOnce(*const sys::pk_dump_options, *mut c_void, *mut i32, *mut *mut sys::pk_error) -> i32,
) -> Result<DocumentStatus> {
    let limits = options.open.limits.raw();
    let mut open = options.open.raw(&mut strings, &limits);
    let mut status = 0;
    Bridge::new(&mut options.open.hooks).run(|hooks| {
        open.hooks = hooks;
        let raw = sys::pk_dump_options {
            format: options.format.raw(),
            type_: strings.optional(options.message_type.as_deref()),
            limit: limit(Some(options.limit)),
            open: &open,
            ..Default::default()
        };
        Output::new(to).run(|user| {
            check(|err| write(&raw, user, &mut status, err))
        })
    })?;
    Ok(DocumentStatus::of(status))
}
