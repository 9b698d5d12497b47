//! Where the memory of a capture goes.

use crate::kinds::{DocumentStatus, PeakBound, PeakMethod};
use crate::document::analysis_document;
use crate::error::{check, got};
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::{flag, limit, text, Strings, TableRows};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::io;

/// Which step window the run-time part is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepPolicy {
    /// That of the peak.
    #[default]
    Peak,
    /// The last one.
    Last,
    /// The first one.
    First,
    /// The one at a position.
    At(u64),
    /// The whole trace is one window.
    WholeTrace,
}

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
    pub step: StepPolicy,
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

/// A compiled module.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MemoryModule<'m> {
    /// Name.
    pub name: Cow<'m, str>,
    /// Name and program id: "jit_f(12)".
    pub label: Cow<'m, str>,
    /// Decimal, as the capture writes it.
    pub program_id: Cow<'m, str>,
    /// Path of the first place it was found in.
    pub source: Cow<'m, str>,
    /// Places it was found in.
    pub source_count: u64,
    /// Memory spaces; 0 without a buffer assignment.
    pub space_count: u64,
    /// The document says which.
    pub problem_count: u64,
    /// The bytes do not parse to the end.
    pub damaged: bool,
    /// The live buffers and the curve are of this module.
    pub chosen: bool,
}

/// One memory space of a module.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MemorySpace<'m> {
    /// Its number.
    pub color: i64,
    /// Allocations without thread-local ones.
    pub total_bytes: i64,
    /// Highest use.
    pub peak_bytes: i64,
    /// Heap event, or schedule position of a sweep, of the peak.
    pub peak_event: Option<i64>,
    /// Parameters, constants and results.
    pub indefinite_bytes: i64,
    /// Temporary memory.
    pub temp_bytes: i64,
    /// Highest use of temporary memory.
    pub temp_peak_bytes: i64,
    /// Not in `total_bytes`.
    pub thread_local_bytes: i64,
    /// Lost between buffers.
    pub fragmentation_bytes: i64,
    /// In use at every moment.
    pub residency_floor_bytes: i64,
    /// Where the peak is.
    pub peak_instruction: Cow<'m, str>,
    /// What the peak counts and what it does not.
    pub coverage: Cow<'m, str>,
    /// How it was found.
    pub method: PeakMethod,
    /// How it relates to the truth.
    pub bound: PeakBound,
}

/// One allocator of one host.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Allocator<'m> {
    /// Position of its file.
    pub file: u32,
    /// Name.
    pub name: Cow<'m, str>,
    /// Its host.
    pub host: Cow<'m, str>,
    /// Position of its device among those of the capture; `None` for host memory.
    pub device: Option<u32>,
    /// Allocated, at most.
    pub heap_peak_bytes: i64,
    /// Reserved and allocated, at most.
    pub occupancy_peak_bytes: i64,
    /// When, on the capture's clock.
    pub occupancy_peak_ps: i64,
    /// What it may use.
    pub capacity_bytes: i64,
    /// In use when the trace began.
    pub pre_trace_bytes: i64,
    /// Frees of what nobody allocated.
    pub unmatched_frees: u64,
    /// The replay equals the allocator's own count after every event.
    pub allocator_agrees: bool,
    /// The run-time part of the document is about it.
    pub chosen: bool,
}

/// A buffer that is alive at the peak of the chosen module.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LiveBuffer<'m> {
    /// Position of the file that carries the module.
    pub file: u32,
    /// Number of the buffer; `None` when the allocation has no assigned one.
    pub logical_buffer_id: Option<i64>,
    /// Size.
    pub size_bytes: i64,
    /// Number of its allocation.
    pub allocation_index: i64,
    /// In the allocation.
    pub offset_bytes: i64,
    /// Number of the instruction that made it; `None` when that is not in the module.
    pub instruction_id: Option<i64>,
    /// Name of the instruction that made it.
    pub instruction_name: Cow<'m, str>,
    /// What the instruction does.
    pub opcode: Cow<'m, str>,
    /// Name in the framework.
    pub op_name: Cow<'m, str>,
    /// Name of its computation.
    pub computation_name: Cow<'m, str>,
    /// Shape; "" past the first `top` rows.
    pub shape: Cow<'m, str>,
    /// Which part of the instruction's result; empty when it is all of it.
    pub shape_index: &'m [i64],
    /// File of the framework's source.
    pub source_file: Cow<'m, str>,
    /// Its line.
    pub source_line: i64,
    /// Alive for the whole program, not temporary.
    pub indefinite: bool,
}

/// A point of the live curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CurvePoint {
    /// Position of the file that carries the module.
    pub file: u32,
    /// Heap event, or schedule position of a sweep.
    pub event: i64,
    /// What is alive.
    pub live_bytes: i64,
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
            step: if let StepPolicy::At(position) = options.step { Some(position) } else { None },
            ..Default::default()
        }
        .raw(&mut strings);
        let mut raw = sys::pk_memory_options {
            flags: flag(options.fit_bytes.is_some(), sys::PK_MEMORY_HAS_FIT)
                | flag(options.time_samples == Some(0), sys::PK_MEMORY_NO_TIMELINE)
                | flag(options.persistent_threshold_steps == Some(0), sys::PK_MEMORY_KEPT_IS_PERSISTENT)
                | flag(options.no_runtime, sys::PK_MEMORY_NO_RUNTIME)
                | flag(options.include_host_pools, sys::PK_MEMORY_INCLUDE_HOST_POOLS)
                | flag(options.step == StepPolicy::WholeTrace, sys::PK_MEMORY_ALL_TRACE),
            filters: &filters,
            step_policy: match options.step {
                StepPolicy::Last => sys::PK_STEP_POLICY_LAST,
                StepPolicy::First => sys::PK_STEP_POLICY_FIRST,
                _ => sys::PK_STEP_POLICY_PEAK,
            },
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
            let found: sys::pk_memory_module =
                got(|out, err| sys::pk_memory_module_get(self.handle.get(), at, out, err)).unwrap_or_default();
            MemoryModule {
                name: text(found.name),
                label: text(found.label),
                program_id: text(found.program_id),
                source: text(found.source),
                source_count: found.source_count,
                space_count: found.space_count,
                problem_count: found.problem_count,
                damaged: found.damaged != 0,
                chosen: found.chosen != 0,
            }
        })
    }

    /// One memory space of a module.
    ///
    /// # Errors
    /// No such module or space.
    pub fn space(&self, module: usize, space: usize) -> Result<MemorySpace<'_>> {
        // SAFETY: the handle is alive; text is borrowed from it.
        unsafe {
            let found: sys::pk_memory_space =
                got(|out, err| sys::pk_memory_space_get(self.handle.get(), module, space, out, err))?;
            Ok(MemorySpace {
                color: found.color,
                total_bytes: found.total_bytes,
                peak_bytes: found.peak_bytes,
                peak_event: (found.peak_event >= 0).then_some(found.peak_event),
                indefinite_bytes: found.indefinite_bytes,
                temp_bytes: found.temp_bytes,
                temp_peak_bytes: found.temp_peak_bytes,
                thread_local_bytes: found.thread_local_bytes,
                fragmentation_bytes: found.fragmentation_bytes,
                residency_floor_bytes: found.residency_floor_bytes,
                peak_instruction: text(found.peak_instruction),
                coverage: text(found.coverage),
                method: PeakMethod::of(found.method),
                bound: PeakBound::of(found.bound),
            })
        }
    }

    /// The allocators of all hosts.
    #[must_use]
    pub fn allocators(&self) -> Allocators<'_> {
        Allocators { rows: self.rows(sys::PK_TABLE_ALLOCATORS) }
    }

    /// What is alive at the peak, largest first; the sizes add up to the peak.
    #[must_use]
    pub fn live_buffers(&self) -> LiveBuffers<'_> {
        LiveBuffers { rows: self.rows(sys::PK_TABLE_LIVE_BUFFERS) }
    }

    /// The curve that `curve_points` asked for.
    #[must_use]
    pub fn live_curve(&self) -> LiveCurve<'_> {
        LiveCurve { rows: self.rows(sys::PK_TABLE_LIVE_CURVE) }
    }

    fn rows<Row: Default + Copy>(&self, table: i32) -> TableRows<'_, Row> {
        TableRows::new(|out, err| unsafe {
            // SAFETY: the handle is alive; the table takes a reference of its own.
            sys::pk_memory_table(self.handle.get_mut(), table, std::ptr::null(), out, err)
        })
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
#[derive(Debug)]
pub struct Allocators<'m> {
    rows: TableRows<'m, sys::pk_memory_allocator>,
}

impl<'m> Iterator for Allocators<'m> {
    type Item = Result<Allocator<'m>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: text is borrowed from the analysis.
        Some(self.rows.next()?.map(|found| unsafe {
            Allocator {
                file: found.file,
                name: text(found.name),
                host: text(found.host),
                device: u32::try_from(found.device).ok(),
                heap_peak_bytes: found.heap_peak_bytes,
                occupancy_peak_bytes: found.occupancy_peak_bytes,
                occupancy_peak_ps: found.occupancy_peak_ps,
                capacity_bytes: found.capacity_bytes,
                pre_trace_bytes: found.pre_trace_bytes,
                unmatched_frees: found.unmatched_frees,
                allocator_agrees: found.flags & sys::PK_ALLOCATOR_AGREES as u32 != 0,
                chosen: found.flags & sys::PK_ALLOCATOR_CHOSEN as u32 != 0,
            }
        }))
    }
}

/// The buffers that are alive at the peak.
#[derive(Debug)]
pub struct LiveBuffers<'m> {
    rows: TableRows<'m, sys::pk_live_buffer>,
}

impl<'m> Iterator for LiveBuffers<'m> {
    type Item = Result<LiveBuffer<'m>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: text is borrowed from the analysis.
        Some(self.rows.next()?.map(|found| unsafe {
            LiveBuffer {
                file: found.file,
                logical_buffer_id: (found.logical_buffer_id >= 0).then_some(found.logical_buffer_id),
                size_bytes: found.size_bytes,
                allocation_index: found.allocation_index,
                offset_bytes: found.offset_bytes,
                instruction_id: (found.flags & sys::PK_LIVE_BUFFER_HAS_INSTRUCTION as u32 != 0)
                    .then_some(found.instruction_id),
                instruction_name: text(found.instruction_name),
                opcode: text(found.opcode),
                op_name: text(found.op_name),
                computation_name: text(found.computation_name),
                shape: text(found.shape),
                shape_index: if found.shape_index_count == 0 {
                    &[]
                } else {
                    std::slice::from_raw_parts(found.shape_index, found.shape_index_count)
                },
                source_file: text(found.source_file),
                source_line: found.source_line,
                indefinite: found.residency == sys::PK_RESIDENCY_INDEFINITE,
            }
        }))
    }
}

/// The live curve.
#[derive(Debug)]
pub struct LiveCurve<'m> {
    rows: TableRows<'m, sys::pk_curve_point>,
}

impl Iterator for LiveCurve<'_> {
    type Item = Result<CurvePoint>;
    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.map(|found| CurvePoint { file: found.file, event: found.event, live_bytes: found.live_bytes }))
    }
}
