//! What the devices of a capture did, kernel by kernel.

use crate::kinds::{Accelerator, KernelKind};
use crate::error::got;
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::{flag, text, Strings, TableRows};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;

/// What to read.
#[derive(Debug, Default)]
pub struct KernelOptions<'h> {
    /// Only devices whose name contains it.
    pub device: Option<String>,
    /// Whole names of the host's step markers, besides those known: a regular expression of RE2.
    pub step_pattern: Option<String>,
    /// Leave shapes and types out.
    pub no_details: bool,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// The kernels of a capture: of Ascend tables, Kineto and XLA traces, and XSpace planes.
#[derive(Debug)]
pub struct Kernels<'d> {
    pub(crate) handle: Handle<'d, sys::pk_activity>,
}

/// A device of one rank, process or file.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Device<'k> {
    /// Name.
    pub name: Cow<'k, str>,
    /// Its number, where it is told.
    pub ordinal: Option<u64>,
    /// Rows of [`Kernels::rows`].
    pub kernel_count: u64,
    /// Rank, where it is told.
    pub rank: Option<u32>,
    /// Position of its file.
    pub file: u32,
    /// Position of its plane, in an XSpace.
    pub plane: Option<u32>,
    /// Devices of one host have the same.
    pub host_group: u32,
    /// Times are no finer than this.
    pub timestamp_resolution_ps: i64,
    /// What it is.
    pub accelerator: Accelerator,
    /// Its source tells how long kernels waited.
    pub has_waits: bool,
    /// Its source tells shapes.
    pub has_shapes: bool,
    /// Its source tells the execution unit; without it classes are told from names.
    pub has_classes: bool,
    /// Its source tells when kernels were launched.
    pub has_launches: bool,
}

/// One execution of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'k> {
    raw: sys::pk_kernel_row,
    owner: std::marker::PhantomData<&'k ()>,
}

// SAFETY: profkit.h: the text is immutable and borrowed from the activity.
unsafe impl Send for Kernel<'_> {}
// SAFETY: as above.
unsafe impl Sync for Kernel<'_> {}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(&self) -> Cow<'k, str> {
            // SAFETY: borrowed from the activity, which lives as long as 'k.
            unsafe { text(self.raw.$name) }
        })*
    };
}

impl<'k> Kernel<'k> {
    /// Line of a table, ordinal of a JSON event, byte offset in an XSpace.
    #[must_use]
    pub fn source_row(&self) -> u64 {
        self.raw.source_row
    }
    /// On an AI CPU of an Ascend device.
    #[must_use]
    pub fn is_on_aicpu(&self) -> bool {
        self.raw.flags & sys::PK_KERNEL_ON_AICPU as u32 != 0
    }
    texts!(
        /// Name.
        name,
        /// Type of the operation.
        op_type,
        /// Execution unit as written; "" when the source has none.
        core,
        /// Step id as written.
        step_id,
        /// Shapes of the inputs.
        input_shapes,
        /// Shapes of the outputs.
        output_shapes,
        /// Types of the inputs.
        input_types
    );
    /// Position of its file.
    #[must_use]
    pub fn file(&self) -> u32 {
        self.raw.file
    }
    /// Position of its device among those of the capture.
    #[must_use]
    pub fn device(&self) -> i32 {
        self.raw.device
    }
    /// On the capture's clock.
    #[must_use]
    pub fn start_ps(&self) -> i64 {
        self.raw.start_ps
    }
    /// How long it ran.
    #[must_use]
    pub fn duration_ps(&self) -> i64 {
        self.raw.duration_ps
    }
    /// The source's own wait column.
    #[must_use]
    pub fn wait_ps(&self) -> Option<i64> {
        (self.raw.flags & sys::PK_KERNEL_HAS_WAIT as u32 != 0).then_some(self.raw.wait_ps)
    }
    /// When the host launched it.
    #[must_use]
    pub fn launch_ps(&self) -> Option<i64> {
        (self.raw.flags & sys::PK_KERNEL_HAS_LAUNCH as u32 != 0).then_some(self.raw.launch_ps)
    }
    /// Hardware id of its stream.
    #[must_use]
    pub fn stream(&self) -> Option<i64> {
        (self.raw.flags & sys::PK_KERNEL_HAS_STREAM as u32 != 0).then_some(self.raw.stream)
    }
    /// What it counts as.
    #[must_use]
    pub fn kind(&self) -> KernelKind {
        KernelKind::of(self.raw.kind)
    }
    /// The same collective was listed twice: not to be summed.
    #[must_use]
    pub fn is_duplicate(&self) -> bool {
        self.raw.flags & sys::PK_KERNEL_DUPLICATE as u32 != 0
    }
    /// An asynchronous copy from its start to its arrival, while the device does other things: not to be summed.
    #[must_use]
    pub fn is_in_flight(&self) -> bool {
        self.raw.flags & sys::PK_KERNEL_IN_FLIGHT as u32 != 0
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Kernel<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        macro_rules! fields {
            ($($name:literal: $value:expr,)*) => {{
                let mut fields = to.serialize_struct("Kernel", [$($name),*].len())?;
                $(fields.serialize_field($name, &$value)?;)*
                fields.end()
            }};
        }
        fields!(
            "file": self.file(),
            "device": self.device(),
            "start_ps": self.start_ps(),
            "duration_ps": self.duration_ps(),
            "wait_ps": self.wait_ps(),
            "launch_ps": self.launch_ps(),
            "stream": self.stream(),
            "name": self.name(),
            "op_type": self.op_type(),
            "core": self.core(),
            "step_id": self.step_id(),
            "input_shapes": self.input_shapes(),
            "output_shapes": self.output_shapes(),
            "input_types": self.input_types(),
            "kind": self.kind(),
            "is_duplicate": self.is_duplicate(),
            "is_on_aicpu": self.is_on_aicpu(),
            "source_row": self.source_row(),
        )
    }
}

impl<'d> Profile<'d> {
    /// Reads the kernels of all devices.
    ///
    /// # Errors
    /// [`crate::Kind::Cancelled`]; a malformed pattern. A capture without devices is no failure.
    pub fn kernels(&self, mut options: KernelOptions<'_>) -> Result<Kernels<'d>> {
        let mut strings = Strings::default();
        let filters = Filters::of_device(options.device.take()).raw(&mut strings);
        let mut raw = sys::pk_activity_options {
            filters: &filters,
            flags: flag(options.no_details, sys::PK_ACTIVITY_NO_DETAILS),
            step_pattern: strings.optional(options.step_pattern.as_deref()),
            ..Default::default()
        };
        let handle = Bridge::new(&mut options.hooks).run(|hooks| {
            raw.hooks = hooks;
            // SAFETY: everything that is pointed to lives until the call returns.
            Handle::make(sys::pk_activity_free, |out, err| unsafe {
                sys::pk_activity_open(self.handle.get_mut(), &raw, out, err)
            })
        })?;
        Ok(Kernels { handle })
    }
}

impl Kernels<'_> {
    /// Number of devices.
    #[must_use]
    pub fn device_count(&self) -> u32 {
        // SAFETY: the handle is alive.
        unsafe { sys::pk_activity_device_count(self.handle.get()) }
    }
    /// The devices.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = Device<'_>> {
        (0..self.device_count()).map(move |device| {
            // SAFETY: the handle is alive, and the position was counted.
            let found: sys::pk_activity_device =
                got(|out, err| unsafe { sys::pk_activity_device_get(self.handle.get(), device, out, err) })
                    .unwrap_or_default();
            Device {
                // SAFETY: borrowed from the activity.
                name: unsafe { text(found.name) },
                ordinal: u64::try_from(found.ordinal).ok(),
                kernel_count: found.kernel_count,
                rank: u32::try_from(found.rank).ok(),
                file: found.file,
                plane: u32::try_from(found.plane).ok(),
                host_group: found.host_group,
                timestamp_resolution_ps: found.timestamp_resolution_ps,
                accelerator: Accelerator::of(found.accelerator),
                has_waits: found.flags & sys::PK_DEVICE_HAS_WAITS as u32 != 0,
                has_shapes: found.flags & sys::PK_DEVICE_HAS_SHAPES as u32 != 0,
                has_classes: found.flags & sys::PK_DEVICE_HAS_CLASSES as u32 != 0,
                has_launches: found.flags & sys::PK_DEVICE_HAS_LAUNCHES as u32 != 0,
            }
        })
    }
    /// The kernels of all devices, by device and start.
    #[must_use]
    pub fn rows(&self) -> KernelRows<'_> {
        KernelRows {
            rows: TableRows::new(|out, err| unsafe {
                // SAFETY: the handle is alive; the table takes a reference of its own.
                sys::pk_activity_table(self.handle.get_mut(), std::ptr::null(), out, err)
            }),
        }
    }
}

/// The kernels of all devices.
#[derive(Debug)]
pub struct KernelRows<'k> {
    rows: TableRows<'k, sys::pk_kernel_row>,
}

impl<'k> Iterator for KernelRows<'k> {
    type Item = Result<Kernel<'k>>;
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // Text is borrowed from the activity.
        Some(self.rows.next()?.map(|raw| Kernel { raw, owner: std::marker::PhantomData }))
    }
}
