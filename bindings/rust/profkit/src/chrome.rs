//! The events of trace-event JSON files.

use crate::error::{check, got};
use crate::hooks::Handle;
use crate::profile::Profile;
use crate::rows::{text, Batched};
use crate::Result;
use profkit_sys as sys;

/// The events of a trace-event JSON file, in the order of the file and in bounded memory. What is broken is passed over:
/// an error comes at the end, after everything that was intact.
#[derive(Debug)]
pub struct ChromeEvents<'d> {
    handle: Handle<'d, sys::pk_chrome_reader>,
    rows: Batched<sys::pk_chrome_event>,
}

/// One event of a trace-event JSON file; escapes are undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChromeEvent {
    /// Name.
    pub name: String,
    /// Category.
    pub category: String,
    /// Of asynchronous and flow events.
    pub id: String,
    /// A number or a string, as written.
    pub pid: String,
    /// A number or a string, as written.
    pub tid: String,
    /// JSON text of the args object; "" when there is none.
    pub args: String,
    /// Relative to [`ChromeSummary::zero_us`]; metadata events have none.
    pub start_ps: Option<i64>,
    /// How long it lasted.
    pub duration_ps: Option<i64>,
    /// Where it stands in the decoded file.
    pub byte_offset: u64,
    /// 'X', 'B', 'M', …; `None` when it is not one character.
    pub phase: Option<char>,
}

/// What a file was like, as far as it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChromeSummary {
    /// Events.
    pub event_count: u64,
    /// Stretches of text that are no event.
    pub broken_count: u64,
    /// Events whose times are no number or out of range.
    pub unusable_time_count: u64,
    /// What 0 ps is on the file's own clock.
    pub zero_us: i64,
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
        let found: sys::pk_chrome_summary =
            got(|out, err| unsafe { sys::pk_chrome_summarise(self.handle.get(), out, err) }).unwrap_or_default();
        ChromeSummary {
            event_count: found.event_count,
            broken_count: found.broken_count,
            unusable_time_count: found.unusable_time_count,
            zero_us: found.zero_us,
        }
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
        Some(row.map(|found| unsafe {
            ChromeEvent {
                name: text(found.name).into_owned(),
                category: text(found.category).into_owned(),
                id: text(found.id).into_owned(),
                pid: text(found.pid).into_owned(),
                tid: text(found.tid).into_owned(),
                args: text(found.args).into_owned(),
                start_ps: (found.flags & sys::PK_CHROME_HAS_START as u32 != 0).then_some(found.start_ps),
                duration_ps: (found.flags & sys::PK_CHROME_HAS_DURATION as u32 != 0).then_some(found.duration_ps),
                byte_offset: found.byte_offset,
                phase: u32::try_from(found.phase).ok().filter(|phase| *phase != 0).and_then(char::from_u32),
            }
        }))
    }
}
