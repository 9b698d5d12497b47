//! What the devices of a capture did, kernel by kernel.

use crate::filters::Filters;
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::{flag, row_at, Rows, Strings};
use crate::rows_of_tables::{Device, Kernel};
use crate::Result;
use profkit_sys as sys;

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
        // SAFETY: the handle is alive; positions are counted; text is borrowed from the handle.
        (0..self.device_count()).map(move |at| unsafe {
            row_at(|out, err| sys::pk_activity_device_get(self.handle.get(), at, out, err))
        })
    }
    /// The kernels of all devices, by device and start.
    #[must_use]
    pub fn rows(&self) -> KernelRows<'_> {
        // SAFETY: the handle is alive; the table takes a reference of its own. Rows have their text.
        unsafe { Rows::new(|_, out, err| sys::pk_activity_table(self.handle.get_mut(), std::ptr::null(), out, err)) }
    }
}

/// The kernels of all devices.
pub type KernelRows<'k> = Rows<'k, Kernel>;
