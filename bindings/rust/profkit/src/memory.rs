//! Where the memory of a capture goes.

use crate::kinds::{DocumentStatus, StepPolicy};
use crate::document::analysis_document;
use crate::error::{check, got};
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::{flag, limit, row_at, FromRaw, Row, Rows, Strings};
use crate::rows_of_tables::{Allocator, CurvePoint, LiveBuffer, MemoryModule, MemorySpace};
use crate::Result;
use profkit_sys as sys;
use std::io;

/// What to analyse.
#[derive(Debug, Default)]
pub struct MemoryOptions<'h> {
    /// Only hosts whose name contains it.
    pub host: Option<String>,
    /// Name or id; `None` for the module with the highest peak.
    pub module: Option<String>,
    /// Rows of each list of the document; 0 for all, `None` for the command's default.
    pub top: Option<u64>,
    /// Does the highest need fit into so many bytes?
    pub fit_bytes: Option<u64>,
    /// At most so many points of the live curve.
    pub curve_points: u64,
    /// Color of the memory space that is looked into.
    pub memory_space: i64,
    /// Which step window the run-time part is about.
    pub step_policy: StepPolicy,
    /// Position of that step window instead.
    pub step: Option<u64>,
    /// The whole trace is one window.
    pub all_trace: bool,
    /// Samples of the document's timeline; `None` for the command's default.
    pub time_samples: Option<u64>,
    /// Steps that an allocation outlives to count as persistent; `None` for the command's default.
    pub persistent_threshold_steps: Option<u32>,
    /// "remat=NAME" or "offload=NAME" each: the document answers them.
    pub what_if: Vec<String>,
    /// Only what the compiler assigned.
    pub no_runtime: bool,
    /// Host memory may be the fullest, too.
    pub include_host_pools: bool,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// What the compiler assigned and what the allocators did.
#[derive(Debug)]
pub struct Memory<'d> {
    pub(crate) handle: Handle<'d, sys::pk_memory>,
}

impl<'d> Profile<'d> {
    /// Analyses memory.
    ///
    /// # Errors
    /// No such module or space; [`crate::Kind::Cancelled`].
    pub fn memory(&self, mut options: MemoryOptions<'_>) -> Result<Memory<'d>> {
        let mut strings = Strings::default();
        let what_if: Vec<_> = options.what_if.iter().map(|question| strings.add(question.as_bytes())).collect();
        let filters = Filters {
            host: options.host.take(),
            step: options.step,
            ..Default::default()
        }
        .raw(&mut strings);
        let mut raw = sys::pk_memory_options {
            flags: flag(options.fit_bytes.is_some(), sys::PK_MEMORY_HAS_FIT)
                | flag(options.time_samples == Some(0), sys::PK_MEMORY_NO_TIMELINE)
                | flag(options.persistent_threshold_steps == Some(0), sys::PK_MEMORY_KEPT_IS_PERSISTENT)
                | flag(options.no_runtime, sys::PK_MEMORY_NO_RUNTIME)
                | flag(options.include_host_pools, sys::PK_MEMORY_INCLUDE_HOST_POOLS)
                | flag(options.all_trace, sys::PK_MEMORY_ALL_TRACE),
            filters: &filters,
            step_policy: options.step_policy.raw(),
            what_if: what_if.as_ptr(),
            what_if_count: what_if.len(),
            module: strings.optional(options.module.as_deref()),
            top: limit(options.top),
            fit_bytes: options.fit_bytes.unwrap_or(0),
            curve_points: options.curve_points,
            time_samples: options.time_samples.unwrap_or(0),
            persistent_threshold_steps: options.persistent_threshold_steps.unwrap_or(0),
            memory_space: options.memory_space,
            ..Default::default()
        };
        let handle = Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            Handle::make(sys::pk_memory_free, |out, err| unsafe {
                sys::pk_memory_open(self.handle.get_mut(), &raw, out, err)
            })
        })?;
        Ok(Memory { handle })
    }
}

impl Memory<'_> {
    /// Modules by peak in memory space 0, highest first.
    pub fn modules(&self) -> impl ExactSizeIterator<Item = MemoryModule<'_>> {
        // SAFETY: the handle is alive; positions are counted; text is borrowed from the handle.
        let count = unsafe { sys::pk_memory_module_count(self.handle.get()) };
        (0..count).map(move |at| unsafe {
            row_at(|out, err| sys::pk_memory_module_get(self.handle.get(), at, out, err))
        })
    }

    /// One memory space of a module.
    ///
    /// # Errors
    /// No such module or space.
    pub fn space(&self, module: usize, space: usize) -> Result<MemorySpace<'_>> {
        // SAFETY: the handle is alive; text is borrowed from it.
        unsafe {
            got(|out, err| sys::pk_memory_space_get(self.handle.get(), module, space, out, err))
                .map(|found| MemorySpace::of(&found))
        }
    }

    /// The allocators of all hosts.
    #[must_use]
    pub fn allocators(&self) -> Allocators<'_> {
        self.rows()
    }

    /// What is alive at the peak, largest first; the sizes add up to the peak.
    #[must_use]
    pub fn live_buffers(&self) -> LiveBuffers<'_> {
        self.rows()
    }

    /// The curve that `curve_points` asked for.
    #[must_use]
    pub fn live_curve(&self) -> LiveCurve<'_> {
        self.rows()
    }

    fn rows<'m, R: Row<'m>>(&'m self) -> Rows<'m, R> {
        // SAFETY: the handle is alive; the table takes a reference of its own. What rows borrow is the analysis's.
        unsafe {
            Rows::new(|table, out, err| sys::pk_memory_table(self.handle.get_mut(), table, std::ptr::null(), out, err))
        }
    }

    /// Whether what `fit_bytes` asked fits, and how many bytes are spare; `None` when it was not asked.
    ///
    /// # Errors
    /// None is known.
    pub fn fit(&self) -> Result<Option<(bool, i64)>> {
        let (mut fits, mut spare) = (0, 0);
        // SAFETY: the handle is alive.
        let asked = check(|err| unsafe { sys::pk_memory_fit(self.handle.get(), &mut fits, &mut spare, err) })?;
        Ok(asked.then_some((fits != 0, spare)))
    }

    /// Writes what `profkit memory --json` prints.
    ///
    /// # Errors
    /// What `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write) -> Result<DocumentStatus> {
        analysis_document(to, |write, user, status, err| unsafe {
            // SAFETY: the handle is alive.
            sys::pk_memory_write(self.handle.get(), write, user, status, err)
        })
    }
}

/// The allocators of all hosts.
pub type Allocators<'m> = Rows<'m, Allocator>;

/// The buffers that are alive at the peak.
pub type LiveBuffers<'m> = Rows<'m, LiveBuffer>;

/// The live curve.
pub type LiveCurve<'m> = Rows<'m, CurvePoint>;
