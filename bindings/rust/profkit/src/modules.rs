//! The compiled modules of a capture.

use crate::error::{got, Error};
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::Profile;
use crate::rows::FromRaw;
use crate::rows_of_tables::Module;
use crate::Result;
use profkit_sys as sys;

/// The compiled modules of a capture, largest first: those embedded in XSpace files and those in files of their own.
#[derive(Debug)]
pub struct Modules<'d> {
    handle: Handle<'d, sys::pk_module_list>,
}

impl<'d> Profile<'d> {
    /// Finds and counts the compiled modules.
    ///
    /// # Errors
    /// [`crate::Kind::Cancelled`]. A capture without modules is no failure.
    pub fn modules(&self, mut hooks: Hooks<'_>) -> Result<Modules<'d>> {
        let handle = Bridge::new(&mut hooks).run(|hooks| {
            // SAFETY: the hooks live until the call returns.
            Handle::make(sys::pk_module_list_free, |out, err| unsafe {
                sys::pk_module_list_open(self.handle.get_mut(), hooks, out, err)
            })
        })?;
        Ok(Modules { handle })
    }
}

impl Modules<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: the handle is alive.
        unsafe { sys::pk_module_count(self.handle.get()) }
    }
    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The module at a position.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<Module<'_>> {
        // SAFETY: the handle is alive.
        let found: sys::pk_module_info =
            got(|out, err| unsafe { sys::pk_module_get(self.handle.get(), position, out, err) }).ok()?;
        // SAFETY: text and bytes are borrowed from the list.
        Some(unsafe { Module::of(&found) })
    }
    /// Why the bytes of the module at a position do not parse to the end; its counts tell what did.
    #[must_use]
    pub fn damage(&self, position: usize) -> Option<Error> {
        // SAFETY: the handle is alive; the error is borrowed and copied.
        unsafe {
            let damage = sys::pk_module_damage(self.handle.get(), position);
            (!damage.is_null()).then(|| Error::borrow(damage))
        }
    }
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Module<'_>> {
        (0..self.len()).filter_map(move |position| self.get(position))
    }
}
