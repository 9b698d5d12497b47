//! The compiled modules of a capture.

use crate::error::{got, Error};
use crate::hooks::{Bridge, Handle, Hooks};
use crate::profile::{named, path_of, spelled, Profile};
use crate::rows::{bytes, text};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::path::PathBuf;

named!(
    /// How an embedded module compares with the `*.hlo_proto.pb` beside it.
    Sibling, None = sys::PK_SIBLING_NONE, {
    /// There is none.
    None = sys::PK_SIBLING_NONE,
    /// The same bytes.
    SameBytes = sys::PK_SIBLING_SAME_BYTES,
    /// Other bytes, the same computations.
    SameContent = sys::PK_SIBLING_SAME_CONTENT,
    /// Something else.
    Differs = sys::PK_SIBLING_DIFFERS,
});
spelled!(Sibling, sys::pk_sibling_name);

/// The compiled modules of a capture, largest first: those embedded in XSpace files and those in files of their own.
#[derive(Debug)]
pub struct Modules<'d> {
    handle: Handle<'d, sys::pk_module_list>,
}

/// A compiled module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Module<'m> {
    /// Position of its file.
    pub file: u32,
    /// Position of its plane; `None` for a file of its own.
    pub plane: Option<u32>,
    /// Of the event metadata entry that carries it.
    pub metadata_id: i64,
    /// As the entry or the file name says.
    pub name: Cow<'m, str>,
    /// As the module itself says.
    pub module_name: Cow<'m, str>,
    /// As the module itself says.
    pub module_id: i64,
    /// Computations that were counted.
    pub computation_count: u64,
    /// Instructions that were counted.
    pub instruction_count: u64,
    /// The serialized `xla.HloProto`, not copied.
    pub hlo_proto: &'m [u8],
    /// The file beside the capture that has the same module.
    pub sibling_path: Option<PathBuf>,
    /// How it compares with that.
    pub sibling: Sibling,
    /// Why the bytes do not parse to the end; the counts tell what did.
    pub damage: Option<Error>,
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
        // SAFETY: text and bytes are borrowed from the list; the error is borrowed and copied.
        unsafe {
            let damage = sys::pk_module_damage(self.handle.get(), position);
            let sibling_path = bytes(found.sibling_path);
            Some(Module {
                file: found.file,
                plane: u32::try_from(found.plane).ok(),
                metadata_id: found.metadata_id,
                name: text(found.name),
                module_name: text(found.module_name),
                module_id: found.module_id,
                computation_count: found.computation_count,
                instruction_count: found.instruction_count,
                hlo_proto: bytes(found.hlo_proto),
                sibling_path: (!sibling_path.is_empty()).then(|| path_of(sibling_path)),
                sibling: Sibling::of(found.sibling),
                damage: (!damage.is_null()).then(|| Error::borrow(damage)),
            })
        }
    }
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Module<'_>> {
        (0..self.len()).filter_map(move |position| self.get(position))
    }
}
