//! Why devices wait.

use crate::document::analysis_document;
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::kinds::{DocumentStatus, WindowPolicy};
use crate::profile::Profile;
use crate::rows::{limit, text, Row, Rows, Strings};
use crate::rows_of_tables::{Bubble, BubbleStep, DeviceTime, GapCause};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::io;

/// What to look for.
#[derive(Debug, Default)]
pub struct BubbleOptions<'h> {
    /// Only devices whose name contains it.
    pub device: Option<String>,
    /// Whole names that mark a step: a regular expression of RE2.
    pub step_pattern: Option<String>,
    /// Only steps whose name contains it.
    pub step_name: Option<String>,
    /// Only this one of each device, from 0.
    pub step: Option<u64>,
    /// Only steps that share an instant with the time from here.
    pub from_ps: Option<i64>,
    /// First instant after that time.
    pub to_ps: Option<i64>,
    /// "NAME=VALUE" each, by the names that the document lists.
    pub thresholds: Vec<String>,
    /// Rows of each list of the document; 0 is all, `None` the command's default.
    pub limit: Option<u64>,
    /// Where a step begins and ends.
    pub window_policy: WindowPolicy,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// The idle gaps of every step of every device, with what is around them.
#[derive(Debug)]
pub struct Bubbles<'d> {
    pub(crate) handle: Handle<'d, sys::pk_bubbles>,
}

impl Bubble {
    /// How long the device waited.
    #[must_use]
    pub fn duration_ps(&self) -> i64 {
        self.end_ps.saturating_sub(self.start_ps)
    }
}

impl<'d> Profile<'d> {
    /// Runs the detector.
    ///
    /// # Errors
    /// No such threshold; [`crate::Kind::Cancelled`]. A capture without devices is no failure.
    pub fn bubbles(&self, mut options: BubbleOptions<'_>) -> Result<Bubbles<'d>> {
        let mut strings = Strings::default();
        let thresholds: Vec<_> = options.thresholds.iter().map(|threshold| strings.add(threshold.as_bytes())).collect();
        let filters = Filters {
            plane: options.device.take(),
            name: options.step_name.take(),
            step: options.step,
            from_ps: options.from_ps,
            to_ps: options.to_ps,
            ..Default::default()
        }
        .raw(&mut strings);
        let mut raw = sys::pk_bubbles_options {
            filters: &filters,
            step_pattern: strings.optional(options.step_pattern.as_deref()),
            thresholds: thresholds.as_ptr(),
            threshold_count: thresholds.len(),
            limit: limit(options.limit),
            window_policy: options.window_policy.raw(),
            ..Default::default()
        };
        let handle = Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            Handle::make(sys::pk_bubbles_free, |out, err| unsafe {
                sys::pk_bubbles_open(self.handle.get_mut(), &raw, out, err)
            })
        })?;
        Ok(Bubbles { handle })
    }
}

impl Bubbles<'_> {
    /// Names of the devices.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        // SAFETY: the handle is alive; positions are counted; text is borrowed from the handle.
        let count = unsafe { sys::pk_bubbles_device_count(self.handle.get()) };
        (0..count).map(move |at| unsafe { text(sys::pk_bubbles_device_name(self.handle.get(), at)) })
    }

    /// Steps by device, then by time.
    #[must_use]
    pub fn steps(&self) -> Steps<'_> {
        self.rows()
    }

    /// The gaps that are long enough to be listed, by device and time.
    #[must_use]
    pub fn gaps(&self) -> Gaps<'_> {
        self.rows()
    }

    /// Why devices waited, gap by gap.
    #[must_use]
    pub fn causes(&self) -> Rows<'_, GapCause> {
        self.rows()
    }

    /// What each device did with its time, in steps and outside of them.
    #[must_use]
    pub fn device_time(&self) -> Rows<'_, DeviceTime> {
        self.rows()
    }

    fn rows<'b, R: Row<'b>>(&'b self) -> Rows<'b, R> {
        // SAFETY: the handle is alive; the table takes a reference of its own. What rows borrow is the analysis's.
        unsafe {
            Rows::new(|table, out, err| sys::pk_bubbles_table(self.handle.get_mut(), table, std::ptr::null(), out, err))
        }
    }

    /// Writes what `profkit bubbles --json` prints.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write) -> Result<DocumentStatus> {
        analysis_document(to, |write, user, status, err| unsafe {
            // SAFETY: the handle is alive.
            sys::pk_bubbles_write(self.handle.get(), write, user, status, err)
        })
    }
}

/// The steps of all devices.
pub type Steps<'b> = Rows<'b, BubbleStep>;

/// The gaps of all devices.
pub type Gaps<'b> = Rows<'b, Bubble>;
