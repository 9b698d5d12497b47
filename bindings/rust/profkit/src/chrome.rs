//! The events of trace-event JSON files.

use crate::error::check;
use crate::hooks::Handle;
use crate::profile::Profile;
use crate::rows::{row_at, Batched, FromRaw};
use crate::rows_of_tables::{ChromeEvent, ChromeSummary};
use crate::Result;
use profkit_sys as sys;

/// The events of a trace-event JSON file, in the order of the file and in bounded memory. What is broken is passed over:
/// an error comes at the end, after everything that was intact.
#[derive(Debug)]
pub struct ChromeEvents<'d> {
    handle: Handle<'d, sys::pk_chrome_reader>,
    rows: Batched<sys::pk_chrome_event>,
}

impl<'d> Profile<'d> {
    /// Reads the events of the trace-event JSON file at a position.
    ///
    /// # Errors
    /// [`crate::Kind::Unsupported`] for a file of another format; what kept it from being read.
    pub fn chrome_events(&self, file: u32) -> Result<ChromeEvents<'d>> {
        let handle = Handle::make(sys::pk_chrome_free, |out, err| unsafe {
            // SAFETY: the handle is alive; the reader takes a reference of its own.
            sys::pk_chrome_open(self.handle.get_mut(), file, out, err)
        })?;
        Ok(ChromeEvents { handle, rows: Batched::new() })
    }
}

impl ChromeEvents<'_> {
    /// What the file was like, as far as it was read.
    #[must_use]
    pub fn summary(&self) -> ChromeSummary {
        // SAFETY: the handle is alive.
        unsafe { row_at(|out, err| sys::pk_chrome_summarise(self.handle.get(), out, err)) }
    }
}

impl Iterator for ChromeEvents<'_> {
    type Item = Result<ChromeEvent>;
    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.handle.get_mut();
        let row = self.rows.next(|rows, capacity, count| {
            // SAFETY: the reader is ours alone; `rows` has room for `capacity`.
            check(|err| unsafe { sys::pk_chrome_events_read(reader, rows, capacity, count, err) })
        })?;
        // SAFETY: text is borrowed until the next read, and copied.
        Some(row.map(|found| unsafe { ChromeEvent::of(&found) }))
    }
}
