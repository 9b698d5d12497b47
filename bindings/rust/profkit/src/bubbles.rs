//! Why devices wait.

use crate::document::analysis_document;
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::kinds::{BubbleLabels, BubbleTags, Cause, Certainty, DocumentStatus, Scope};
use crate::profile::Profile;
use crate::rows::{limit, text, Strings, TableRows};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::io;

/// Where a step begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WindowPolicy {
    /// From its mark to the next step, the last one to the end of its mark.
    #[default]
    Whole,
    /// Up to the next mark, the last one to the last kernel.
    Guide,
    /// Its own mark.
    Marker,
    /// Its first to its last kernel.
    Device,
}

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

/// One step of one device. busy + prelaunch + internal + tail + not recorded is its length, exactly.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BubbleStep<'b> {
    /// Position of its file.
    pub file: u32,
    /// Position of its device among those of the capture.
    pub device: i32,
    /// Position among all steps.
    pub step: i64,
    /// Number of its marker, else its name.
    pub step_id: Cow<'b, str>,
    /// Begin.
    pub start_ps: i64,
    /// End.
    pub end_ps: i64,
    /// Union of the kernels.
    pub busy_ps: i64,
    /// Idle before the first kernel.
    pub prelaunch_ps: i64,
    /// Idle between kernels.
    pub internal_ps: i64,
    /// Idle after the last kernel.
    pub tail_ps: i64,
    /// The longest gap between kernels.
    pub largest_internal_ps: i64,
    /// Gaps between kernels, of any length.
    pub bubble_count: u64,
    /// This and the next six add up to the length, too: compute alone.
    pub compute_only_ps: i64,
    /// Communication alone.
    pub comm_exposed_ps: i64,
    /// Communication beside compute.
    pub comm_overlapped_ps: i64,
    /// Copies alone.
    pub copy_ps: i64,
    /// Other kernels alone.
    pub other_ps: i64,
    /// Nothing.
    pub idle_ps: i64,
    /// Not known: work was launched that was not recorded.
    pub not_recorded_ps: i64,
    /// Launches of the step without any record of a device.
    pub unrecorded_launches: u64,
    /// Its anomalies.
    pub tags: BubbleTags,
}

/// One gap of a device that is long enough to be listed.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Bubble<'b> {
    /// Begin.
    pub start_ps: i64,
    /// End.
    pub end_ps: i64,
    /// Host activity inside the gap; `None` when the host was not recorded.
    pub host_ps: Option<i64>,
    /// Of it, synchronisation and copies.
    pub sync_ps: Option<i64>,
    /// Sum over the host's threads.
    pub threads_ps: Option<i64>,
    /// Communication inside the gap.
    pub comm_ps: i64,
    /// When the kernel behind the gap was launched.
    pub launch_ps: Option<i64>,
    /// The kernel that ended last; "" for none.
    pub before: Cow<'b, str>,
    /// The kernel that starts next; "" for none.
    pub after: Cow<'b, str>,
    /// Where it stands: line of a table, ordinal of a JSON event, byte offset in an XSpace.
    pub before_row: u64,
    /// The same of the next one.
    pub after_row: u64,
    /// Position of its step.
    pub step: Option<usize>,
    /// Position of its file.
    pub file: u32,
    /// Position of its device among those of the capture.
    pub device: i32,
    /// Where in a step it lies.
    pub scope: Scope,
    /// The soft labels that its evidence meets.
    pub labels: BubbleLabels,
    /// Why the device waited, as far as the capture shows.
    pub cause: Cause,
    /// How sure that is.
    pub certainty: Certainty,
    /// Worth a look.
    pub heavy: bool,
    /// Touches the edge of the capture.
    pub at_edge: bool,
    /// The end of a step and the beginning of the next, which are listed as well.
    pub inter_step: bool,
}

impl Bubble<'_> {
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
            window_policy: match options.window_policy {
                WindowPolicy::Whole => sys::PK_WINDOW_POLICY_WHOLE,
                WindowPolicy::Guide => sys::PK_WINDOW_POLICY_GUIDE,
                WindowPolicy::Marker => sys::PK_WINDOW_POLICY_MARKER,
                WindowPolicy::Device => sys::PK_WINDOW_POLICY_DEVICE,
            },
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
        Steps { rows: self.rows(sys::PK_TABLE_STEPS) }
    }

    /// The gaps that are long enough to be listed, by device and time.
    #[must_use]
    pub fn gaps(&self) -> Gaps<'_> {
        Gaps { rows: self.rows(sys::PK_TABLE_GAPS) }
    }

    fn rows<Row: Default + Copy>(&self, table: i32) -> TableRows<'_, Row> {
        TableRows::new(|out, err| unsafe {
            // SAFETY: the handle is alive; the table takes a reference of its own.
            sys::pk_bubbles_table(self.handle.get_mut(), table, std::ptr::null(), out, err)
        })
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
#[derive(Debug)]
pub struct Steps<'b> {
    rows: TableRows<'b, sys::pk_bubble_step>,
}

impl<'b> Iterator for Steps<'b> {
    type Item = Result<BubbleStep<'b>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the text is copied while the table is there.
        Some(self.rows.next()?.map(|found| unsafe {
            BubbleStep {
                file: found.file,
                device: found.device,
                step: found.step,
                step_id: Cow::Owned(text(found.step_id).into_owned()),
                start_ps: found.start_ps,
                end_ps: found.end_ps,
                busy_ps: found.busy_ps,
                prelaunch_ps: found.prelaunch_ps,
                internal_ps: found.internal_ps,
                tail_ps: found.tail_ps,
                largest_internal_ps: found.largest_internal_ps,
                bubble_count: found.bubble_count,
                compute_only_ps: found.compute_only_ps,
                comm_exposed_ps: found.comm_exposed_ps,
                comm_overlapped_ps: found.comm_overlapped_ps,
                copy_ps: found.copy_ps,
                other_ps: found.other_ps,
                idle_ps: found.idle_ps,
                not_recorded_ps: found.not_recorded_ps,
                unrecorded_launches: found.unrecorded_launches,
                tags: BubbleTags(found.tags),
            }
        }))
    }
}

/// The gaps of all devices.
#[derive(Debug)]
pub struct Gaps<'b> {
    rows: TableRows<'b, sys::pk_bubble>,
}

impl<'b> Iterator for Gaps<'b> {
    type Item = Result<Bubble<'b>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: text is borrowed from the analysis.
        Some(self.rows.next()?.map(|found| unsafe {
            let traced = found.flags & sys::PK_BUBBLE_TRACED as u32 != 0;
            Bubble {
                start_ps: found.start_ps,
                end_ps: found.end_ps,
                host_ps: traced.then_some(found.host_ps),
                sync_ps: traced.then_some(found.sync_ps),
                threads_ps: traced.then_some(found.threads_ps),
                comm_ps: found.comm_ps,
                launch_ps: (found.launch_ps != sys::PK_NO_TIME_PS).then_some(found.launch_ps),
                before: text(found.before),
                after: text(found.after),
                before_row: found.before_row,
                after_row: found.after_row,
                step: usize::try_from(found.step).ok(),
                file: found.file,
                device: found.device,
                scope: Scope::of(found.scope),
                labels: BubbleLabels(found.labels),
                cause: Cause::of(found.cause),
                certainty: Certainty::of(found.certainty),
                heavy: found.flags & sys::PK_BUBBLE_HEAVY as u32 != 0,
                at_edge: found.flags & sys::PK_BUBBLE_AT_EDGE as u32 != 0,
                inter_step: found.flags & sys::PK_BUBBLE_INTER_STEP as u32 != 0,
            }
        }))
    }
}
