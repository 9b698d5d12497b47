//! What the devices of a capture did, kernel by kernel.

use crate::kinds::Accelerator;
use crate::error::got;
use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::{flag, text, Rows, Strings};
use crate::rows_of_tables::Kernel;
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
        // SAFETY: the handle is alive; the table takes a reference of its own. What rows borrow is the activity's.
        unsafe { Rows::new(|_, out, err| sys::pk_activity_table(self.handle.get_mut(), std::ptr::null(), out, err)) }
    }
}

/// The kernels of all devices.
pub type KernelRows<'k> = Rows<'k, Kernel<'k>>;
