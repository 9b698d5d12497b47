//! A host's own trace: what a profiler of one's own recorded, without a file.

use crate::error::check;
use crate::hooks::Handle;
use crate::rows::{borrowed, flag};
use crate::{Accelerator, KernelKind, LaunchKind, Profile, Result, SpanKind};
use profkit_sys as sys;
use std::marker::PhantomData;
use std::mem::size_of;

/// What a trace builder is told when it is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceBuilderOptions<'t> {
    /// Stands for the path in messages and documents; "" for "recording".
    pub label: &'t str,
    /// Who recorded it, for people: "mytracer 1.2".
    pub recorder: &'t str,
    /// What rows and names may take in memory; 0 for 8 GiB. More is [`crate::Kind::Limit`].
    pub max_bytes: u64,
}

/// A process of a run, which becomes a file of the profile: its devices and threads share a clock and a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceHost<'t> {
    /// Of its machine; may be "".
    pub name: &'t str,
    /// Unix ns of time zero of its rows, by which hosts are put on one clock.
    pub origin_unix_ns: Option<i64>,
    /// In the run.
    pub rank: Option<i32>,
    /// Ranks of the whole run; 0 when it is not known.
    pub world_size: i32,
}

/// Where memory comes from, or a number over time: of a device or of a host, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TraceOwner {
    Device(u32),
    Host(u32),
}

impl TraceOwner {
    fn raw(self) -> (u32, u32) {
        match self {
            Self::Device(number) => (sys::PK_TRACE_OF_DEVICE as u32, number),
            Self::Host(number) => (0, number),
        }
    }
}

/// A device of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceDevice<'t> {
    /// The number of its host.
    pub host: u32,
    /// "GPU 0".
    pub name: &'t str,
    /// "NVIDIA H100 80GB HBM3", by which its peaks are known; may be "".
    pub model: &'t str,
    /// What it is.
    pub accelerator: Accelerator,
    /// Its number on its machine.
    pub ordinal: Option<u32>,
}

/// What a kernel computes and moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceWork<'t> {
    pub flops: i64,
    /// Moved from and to memory.
    pub bytes: i64,
    /// Which it multiplies: "bf16", …; "" where it is not known.
    pub number_type: &'t str,
}

/// What a collective sends and receives on this rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceMessage {
    pub sent_bytes: i64,
    pub received_bytes: i64,
}

/// One execution of a kernel, a copy or a collective on a stream. What is not known is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceKernel<'t> {
    pub stream: u32,
    pub name: &'t str,
    pub start_ps: i64,
    pub duration_ps: i64,
    /// That of the span of its host that launched it; 0 for none.
    pub correlation: u64,
    /// When the host launched it, where no span has its correlation.
    pub launch_ps: Option<i64>,
    /// What it counts as; `None` for what its name says.
    pub kind: Option<KernelKind>,
    /// Of the framework that launched it: "aten::addmm".
    pub op: &'t str,
    /// From outside in: "Net/layer_0/attn".
    pub module: &'t str,
    /// That was compiled: "jit_step(7)".
    pub program: &'t str,
    /// "[[8, 4], [4, 4]]".
    pub input_shapes: &'t str,
    /// `["bf16", "bf16"]`.
    pub input_types: &'t str,
    pub work: Option<TraceWork<'t>>,
    /// Of a collective: its process group.
    pub group: &'t str,
    /// The ranks of that group: "[0, 4]".
    pub group_ranks: &'t str,
    /// Its number among the collectives of its group.
    pub group_sequence: Option<i64>,
    /// Of a collective.
    pub message: Option<TraceMessage>,
    /// A JSON object of what else is known, for exports.
    pub arguments: &'t str,
}

/// What a thread did for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceSpan<'t> {
    pub thread: u32,
    pub name: &'t str,
    pub start_ps: i64,
    pub duration_ps: i64,
    pub kind: SpanKind,
    /// Of what it launched; 0 for nothing.
    pub correlation: u64,
    pub launches: LaunchKind,
    /// A JSON object of what else is known, for exports.
    pub arguments: &'t str,
}

/// A step of the program, as its host saw it. With a duration it ends there, or with the last kernel that it launched; without one
/// where the next step begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceStep<'t> {
    pub thread: u32,
    pub name: &'t str,
    pub start_ps: i64,
    pub duration_ps: i64,
    pub number: Option<i64>,
}

/// The value of a counter from an instant on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct TraceValue {
    pub counter: u32,
    pub at_ps: i64,
    pub value: f64,
}

/// Memory that was given out, or came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TraceAllocation<'t> {
    pub allocator: u32,
    pub at_ps: i64,
    pub address: u64,
    /// That were asked for.
    pub bytes: i64,
    /// Taken for it, rounding included; 0 for `bytes`.
    pub held_bytes: i64,
    pub is_free: bool,
    pub op: &'t str,
}

/// Takes what a host recorded of its devices and of itself, in any order, and becomes a profile:
///
/// ```
/// # fn main() -> profkit::Result<()> {
/// use profkit::{Accelerator, TraceBuilder, TraceDevice, TraceHost, TraceKernel};
/// let mut builder = TraceBuilder::new(&Default::default())?;
/// let host = builder.host(&TraceHost::default())?;
/// let gpu = builder.device(&TraceDevice { host, name: "GPU 0", accelerator: Accelerator::Gpu, ..Default::default() })?;
/// let stream = builder.stream(gpu, 7, "")?;
/// builder.kernels(&[TraceKernel { stream, name: "gemm", duration_ps: 1000, ..Default::default() }])?;
/// let profile = builder.finish()?;
/// # Ok(())
/// # }
/// ```
///
/// Each part gives the number by which others name it. Rows are added all or none: an error names the first bad one by its
/// position.
#[derive(Debug)]
pub struct TraceBuilder {
    handle: Handle<'static, sys::pk_trace_builder>,
    owner: PhantomData<*mut ()>, // one thread at a time
}

type AddPart<T> = unsafe extern "C" fn(*mut sys::pk_trace_builder, *const T, *mut u32, *mut *mut sys::pk_error) -> i32;
type AddRows<T> =
    unsafe extern "C" fn(*mut sys::pk_trace_builder, *const T, usize, usize, *mut *mut sys::pk_error) -> i32;

impl TraceBuilder {
    /// Makes one.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(options: &TraceBuilderOptions<'_>) -> Result<Self> {
        let given = sys::pk_trace_builder_options {
            label: borrowed(options.label.as_bytes()),
            recorder: borrowed(options.recorder.as_bytes()),
            max_bytes: options.max_bytes,
            ..Default::default()
        };
        let handle = Handle::make(sys::pk_trace_builder_free, |out, err| unsafe {
            // SAFETY: the texts live until the call returns. So in all that follow, where the handle is ours.
            sys::pk_trace_builder_new(&given, out, err)
        })?;
        Ok(Self { handle, owner: PhantomData })
    }

    fn part<T>(&mut self, add: AddPart<T>, given: &T) -> Result<u32> {
        let mut number = 0;
        // SAFETY: as new().
        check(|err| unsafe { add(self.handle.get_mut(), given, &mut number, err) })?;
        Ok(number)
    }

    fn rows<T>(&mut self, add: AddRows<T>, rows: &[T]) -> Result<()> {
        // SAFETY: as new().
        check(|err| unsafe { add(self.handle.get_mut(), rows.as_ptr(), size_of::<T>(), rows.len(), err) }).map(|_| ())
    }

    /// Adds a host.
    ///
    /// # Errors
    /// A number is negative.
    pub fn host(&mut self, host: &TraceHost<'_>) -> Result<u32> {
        let given = sys::pk_trace_host {
            flags: flag(host.rank.is_some(), sys::PK_TRACE_HOST_HAS_RANK)
                | flag(host.origin_unix_ns.is_some(), sys::PK_TRACE_HOST_HAS_ORIGIN),
            name: borrowed(host.name.as_bytes()),
            origin_unix_ns: host.origin_unix_ns.unwrap_or(0),
            rank: host.rank.unwrap_or(0),
            world_size: host.world_size,
            ..Default::default()
        };
        self.part(sys::pk_trace_builder_add_host, &given)
    }

    /// Adds a device of a host.
    ///
    /// # Errors
    /// There is no such host.
    pub fn device(&mut self, device: &TraceDevice<'_>) -> Result<u32> {
        let given = sys::pk_trace_device {
            flags: flag(device.ordinal.is_some(), sys::PK_TRACE_DEVICE_HAS_ORDINAL),
            name: borrowed(device.name.as_bytes()),
            model: borrowed(device.model.as_bytes()),
            ordinal: device.ordinal.unwrap_or(0).into(),
            host: device.host,
            accelerator: device.accelerator.raw(),
            ..Default::default()
        };
        self.part(sys::pk_trace_builder_add_device, &given)
    }

    /// Adds a queue of a device, which runs one kernel after another.
    ///
    /// # Errors
    /// There is no such device.
    pub fn stream(&mut self, device: u32, id: i64, name: &str) -> Result<u32> {
        let given = sys::pk_trace_stream { device, id, name: borrowed(name.as_bytes()), ..Default::default() };
        self.part(sys::pk_trace_builder_add_stream, &given)
    }

    /// Adds a thread of a host.
    ///
    /// # Errors
    /// There is no such host.
    pub fn thread(&mut self, host: u32, process: &str, name: &str) -> Result<u32> {
        let given = sys::pk_trace_thread {
            host,
            process: borrowed(process.as_bytes()),
            name: borrowed(name.as_bytes()),
            ..Default::default()
        };
        self.part(sys::pk_trace_builder_add_thread, &given)
    }

    /// Adds a number over time. `process`: of a host, whose it is.
    ///
    /// # Errors
    /// There is no such owner.
    pub fn counter(&mut self, owner: TraceOwner, process: &str, name: &str, unit: &str) -> Result<u32> {
        let (flags, owner) = owner.raw();
        let given = sys::pk_trace_counter {
            flags,
            owner,
            process: borrowed(process.as_bytes()),
            name: borrowed(name.as_bytes()),
            unit: borrowed(unit.as_bytes()),
            ..Default::default()
        };
        self.part(sys::pk_trace_builder_add_counter, &given)
    }

    /// Adds where memory comes from.
    ///
    /// # Errors
    /// There is no such owner.
    pub fn allocator(&mut self, owner: TraceOwner, name: &str) -> Result<u32> {
        let (flags, owner) = owner.raw();
        let given = sys::pk_trace_allocator { flags, owner, name: borrowed(name.as_bytes()), ..Default::default() };
        self.part(sys::pk_trace_builder_add_allocator, &given)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// One of them cannot be; [`crate::Kind::Limit`].
    pub fn kernels(&mut self, rows: &[TraceKernel<'_>]) -> Result<()> {
        let given: Vec<_> = rows
            .iter()
            .map(|row| sys::pk_trace_kernel {
                name: borrowed(row.name.as_bytes()),
                start_ps: row.start_ps,
                duration_ps: row.duration_ps,
                launch_ps: row.launch_ps.unwrap_or(0),
                correlation: row.correlation,
                stream: row.stream,
                kind: row.kind.map_or(0, KernelKind::raw),
                op: borrowed(row.op.as_bytes()),
                module: borrowed(row.module.as_bytes()),
                program: borrowed(row.program.as_bytes()),
                input_shapes: borrowed(row.input_shapes.as_bytes()),
                input_types: borrowed(row.input_types.as_bytes()),
                number_type: borrowed(row.work.map_or("", |work| work.number_type).as_bytes()),
                flops: row.work.map_or(0, |work| work.flops),
                bytes: row.work.map_or(0, |work| work.bytes),
                group: borrowed(row.group.as_bytes()),
                group_ranks: borrowed(row.group_ranks.as_bytes()),
                group_sequence: row.group_sequence.unwrap_or(0),
                sent_bytes: row.message.map_or(0, |message| message.sent_bytes),
                received_bytes: row.message.map_or(0, |message| message.received_bytes),
                arguments: borrowed(row.arguments.as_bytes()),
                flags: flag(row.launch_ps.is_some(), sys::PK_TRACE_KERNEL_HAS_LAUNCH)
                    | flag(row.kind.is_some(), sys::PK_TRACE_KERNEL_HAS_KIND)
                    | flag(row.work.is_some(), sys::PK_TRACE_KERNEL_HAS_WORK)
                    | flag(row.group_sequence.is_some(), sys::PK_TRACE_KERNEL_HAS_SEQUENCE)
                    | flag(row.message.is_some(), sys::PK_TRACE_KERNEL_HAS_MESSAGE),
                ..Default::default()
            })
            .collect();
        self.rows(sys::pk_trace_builder_add_kernels, &given)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// One of them cannot be; [`crate::Kind::Limit`].
    pub fn spans(&mut self, rows: &[TraceSpan<'_>]) -> Result<()> {
        let given: Vec<_> = rows
            .iter()
            .map(|row| sys::pk_trace_span {
                name: borrowed(row.name.as_bytes()),
                start_ps: row.start_ps,
                duration_ps: row.duration_ps,
                correlation: row.correlation,
                thread: row.thread,
                kind: row.kind.raw(),
                launches: row.launches.raw(),
                arguments: borrowed(row.arguments.as_bytes()),
                ..Default::default()
            })
            .collect();
        self.rows(sys::pk_trace_builder_add_spans, &given)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// One of them cannot be; [`crate::Kind::Limit`].
    pub fn steps(&mut self, rows: &[TraceStep<'_>]) -> Result<()> {
        let given: Vec<_> = rows
            .iter()
            .map(|row| sys::pk_trace_step {
                name: borrowed(row.name.as_bytes()),
                start_ps: row.start_ps,
                duration_ps: row.duration_ps,
                number: row.number.unwrap_or(0),
                thread: row.thread,
                flags: flag(row.number.is_some(), sys::PK_TRACE_STEP_HAS_NUMBER),
            })
            .collect();
        self.rows(sys::pk_trace_builder_add_steps, &given)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// One of them cannot be; [`crate::Kind::Limit`].
    pub fn values(&mut self, rows: &[TraceValue]) -> Result<()> {
        let given: Vec<_> = rows
            .iter()
            .map(|row| sys::pk_trace_value {
                at_ps: row.at_ps,
                value: row.value,
                counter: row.counter,
                ..Default::default()
            })
            .collect();
        self.rows(sys::pk_trace_builder_add_values, &given)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// One of them cannot be; [`crate::Kind::Limit`].
    pub fn allocations(&mut self, rows: &[TraceAllocation<'_>]) -> Result<()> {
        let given: Vec<_> = rows
            .iter()
            .map(|row| sys::pk_trace_allocation {
                op: borrowed(row.op.as_bytes()),
                at_ps: row.at_ps,
                address: row.address,
                bytes: row.bytes,
                held_bytes: row.held_bytes,
                allocator: row.allocator,
                flags: flag(row.is_free, sys::PK_TRACE_ALLOCATION_IS_FREE),
            })
            .collect();
        self.rows(sys::pk_trace_builder_add_allocations, &given)
    }

    /// What was added as a profile.
    ///
    /// # Errors
    /// No host was added; no memory is left.
    pub fn finish(self) -> Result<Profile<'static>> {
        let handle = Handle::make(sys::pk_profile_free, |out, err| unsafe {
            // SAFETY: as new().
            sys::pk_trace_builder_finish(self.handle.get_mut(), out, err)
        })?;
        Ok(Profile { handle })
    }
}
