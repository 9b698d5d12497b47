//! Many nodes on one clock: merging their traces.

use crate::kinds::{Correction, MergedFormat, PlaneNames, Zero};
use crate::error::check;
use crate::hooks::{Bridge, Handle, Hooks, Output};
use crate::profile::Limits;
use crate::rows::{flag, row_at, Strings};
use crate::rows_of_tables::MergeNode;
use crate::{Profile, Result};
use profkit_sys as sys;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr;

/// What to merge.
///
/// ```no_run
/// let merge = profkit::MergeOptions::new(["node0.xplane.pb", "node1.xplane.pb"])
///     .offsets("offsets.jsonl")
///     .run("combined.xplane.pb")?;
/// # Ok::<(), profkit::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MergeOptions<'h> {
    traces: Vec<PathBuf>,
    profiles: Vec<*const sys::pk_profile>, // borrowed for 'h
    snapshots: Vec<PathBuf>,
    offsets: Option<PathBuf>,
    run_metadata: Option<PathBuf>,
    run_dir: Option<PathBuf>,
    correction: Correction,
    zero: Zero,
    planes: PlaneNames,
    format: MergedFormat,
    plane_prefix: Option<String>,
    flags: u32,
    limits: Limits,
    hooks: Hooks<'h>,
}

impl<'h> MergeOptions<'h> {
    /// One trace a node.
    pub fn new<P: Into<PathBuf>>(traces: impl IntoIterator<Item = P>) -> Self {
        Self { traces: traces.into_iter().map(Into::into).collect(), ..Self::default() }
    }
    /// Open captures, after the traces: each of their files that can be merged is one.
    #[must_use]
    pub fn profiles(mut self, profiles: impl IntoIterator<Item = &'h Profile<'h>>) -> Self {
        self.profiles = profiles.into_iter().map(Profile::raw).collect();
        self
    }
    /// One file of snapshots a trace.
    #[must_use]
    pub fn snapshots<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.snapshots = files.into_iter().map(Into::into).collect();
        self
    }
    /// JSON lines with the offsets of the nodes' clocks.
    #[must_use]
    pub fn offsets(mut self, path: impl Into<PathBuf>) -> Self {
        self.offsets = Some(path.into());
        self
    }
    /// Node ids, hosts, start times.
    #[must_use]
    pub fn run_metadata(mut self, path: impl Into<PathBuf>) -> Self {
        self.run_metadata = Some(path.into());
        self
    }
    /// Finds what is not named in this folder.
    #[must_use]
    pub fn run_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.run_dir = Some(path.into());
        self
    }
    /// How times are corrected.
    #[must_use]
    pub fn correction(mut self, correction: Correction) -> Self {
        self.correction = correction;
        self
    }
    /// Which instant becomes 0.
    #[must_use]
    pub fn zero(mut self, zero: Zero) -> Self {
        self.zero = zero;
        self
    }
    /// How planes are named.
    #[must_use]
    pub fn planes(mut self, planes: PlaneNames) -> Self {
        self.planes = planes;
        self
    }
    /// What is written.
    #[must_use]
    pub fn format(mut self, format: MergedFormat) -> Self {
        self.format = format;
        self
    }
    /// Before the names of [`PlaneNames::Node`], which it means.
    #[must_use]
    pub fn plane_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.plane_prefix = Some(prefix.into());
        self
    }
    fn set(mut self, bit: i32, given: bool) -> Self {
        self.flags = self.flags & !flag(true, bit) | flag(given, bit);
        self
    }
    /// What is missing or damaged is told and left out.
    #[must_use]
    pub fn keep_going(self, keep_going: bool) -> Self {
        self.set(sys::PK_MERGE_KEEP_GOING, keep_going)
    }
    /// The events of a line are not sorted.
    #[must_use]
    pub fn keep_order(self, keep_order: bool) -> Self {
        self.set(sys::PK_MERGE_KEEP_ORDER, keep_order)
    }
    /// The ends of events are mapped, too.
    #[must_use]
    pub fn scale_durations(self, scale: bool) -> Self {
        self.set(sys::PK_MERGE_SCALE_DURATIONS, scale)
    }
    /// "Host Threads/N" of /host:ROCTRACER are stamped by the tracer clock.
    #[must_use]
    pub fn tracer_host_threads(self, tracer: bool) -> Self {
        self.set(sys::PK_MERGE_TRACER_HOST_THREADS, tracer)
    }
    /// Beyond the offsets use their drift (the default), or their own slope.
    #[must_use]
    pub fn drift_slope(self, drift: bool) -> Self {
        self.set(sys::PK_MERGE_NO_DRIFT_SLOPE, !drift)
    }
    /// Bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Progress, log, cancel, threads.
    #[must_use]
    pub fn hooks(mut self, hooks: Hooks<'h>) -> Self {
        self.hooks = hooks;
        self
    }

    /// Merges into a file, which appears under its name when it is complete.
    ///
    /// # Errors
    /// Traces that do not fit each other, are missing or damaged; [`crate::Kind::Cancelled`]; an output that fails.
    pub fn run(self, output: impl AsRef<Path>) -> Result<Merge> {
        self.merge(Some(output.as_ref()), None)
    }

    /// Merges into a writer.
    ///
    /// # Errors
    /// As [`MergeOptions::run`].
    pub fn run_to(self, to: &mut dyn io::Write) -> Result<Merge> {
        self.merge(None, Some(to))
    }

    fn merge(mut self, output: Option<&Path>, to: Option<&mut dyn io::Write>) -> Result<Merge> {
        let mut strings = Strings::default();
        let traces: Vec<_> = self.traces.iter().map(|path| strings.path(path)).collect::<Result<_>>()?;
        let snapshots: Vec<_> = self.snapshots.iter().map(|path| strings.path(path)).collect::<Result<_>>()?;
        let limits = self.limits.raw();
        let mut raw = sys::pk_merge_options {
            flags: self.flags,
            plane_prefix: strings.optional(self.plane_prefix.as_deref()),
            traces: traces.as_ptr(),
            trace_count: traces.len(),
            profiles: self.profiles.as_ptr(),
            profile_count: self.profiles.len(),
            snapshots: snapshots.as_ptr(),
            snapshot_count: snapshots.len(),
            offsets: strings.optional_path(self.offsets.as_deref())?,
            run_metadata: strings.optional_path(self.run_metadata.as_deref())?,
            run_dir: strings.optional_path(self.run_dir.as_deref())?,
            output: strings.optional_path(output)?,
            correction: self.correction.raw(),
            zero: self.zero.raw(),
            planes: self.planes.raw(),
            format: self.format.raw(),
            limits: &limits,
            ..Default::default()
        };
        let handle = Bridge::new(&mut self.hooks).run(|hooks| {
            raw.hooks = hooks;
            match to {
                // SAFETY: everything that is pointed to lives until the call returns.
                None => Handle::make(sys::pk_merge_free, |out, err| unsafe {
                    sys::pk_merge_run(&raw, None, ptr::null_mut(), out, err)
                }),
                Some(to) => Output::new(to).run(|user| {
                    // SAFETY: as above.
                    Handle::make(sys::pk_merge_free, |out, err| unsafe {
                        sys::pk_merge_run(&raw, Output::CALLBACK, user, out, err)
                    })
                }),
            }
        })?;
        Ok(Merge { handle })
    }
}

/// What a merge did.
#[derive(Debug)]
pub struct Merge {
    handle: Handle<'static, sys::pk_merge>,
}

impl Merge {
    /// The nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = MergeNode<'_>> {
        // SAFETY: the handle is alive; positions are counted; text is borrowed from the handle.
        let count = unsafe { sys::pk_merge_node_count(self.handle.get()) };
        (0..count).map(move |at| unsafe {
            row_at(|out, err| sys::pk_merge_node_get(self.handle.get(), at, out, err))
        })
    }
    /// Unix ns of time zero of the merged trace.
    #[must_use]
    pub fn origin_ns(&self) -> i64 {
        // SAFETY: the handle is alive.
        unsafe { sys::pk_merge_origin_ns(self.handle.get()) }
    }
    /// Writes what `profkit merge --json` prints.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write) -> Result<()> {
        Output::new(to).run(|user| {
            // SAFETY: the handle is alive.
            check(|err| unsafe { sys::pk_merge_write(self.handle.get(), Output::CALLBACK, user, err) })
        })?;
        Ok(())
    }
}
