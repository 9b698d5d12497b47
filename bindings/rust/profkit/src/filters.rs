//! Which part of a capture to look at.

use crate::rows::{flag, Strings};
use profkit_sys as sys;

/// Which part of a capture to look at. Texts are substrings; `None` lets everything pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Only hosts whose name contains it.
    pub host: Option<String>,
    /// Only planes whose name contains it.
    pub plane: Option<String>,
    /// Only lines whose name contains it.
    pub line: Option<String>,
    /// Only events whose name contains it.
    pub name: Option<String>,
    /// Position of a step.
    pub step: Option<u64>,
    /// First instant, on the capture's clock.
    pub from_ps: Option<i64>,
    /// First instant after.
    pub to_ps: Option<i64>,
}

impl Filters {
    /// As the C ABI has them. Texts are kept by `strings`.
    pub(crate) fn raw(&self, strings: &mut Strings) -> sys::pk_filters {
        sys::pk_filters {
            flags: flag(self.step.is_some(), sys::PK_FILTER_HAS_STEP)
                | flag(self.from_ps.is_some(), sys::PK_FILTER_HAS_FROM)
                | flag(self.to_ps.is_some(), sys::PK_FILTER_HAS_TO),
            host: strings.optional(self.host.as_deref()),
            plane: strings.optional(self.plane.as_deref()),
            line: strings.optional(self.line.as_deref()),
            name: strings.optional(self.name.as_deref()),
            step: self.step.unwrap_or(0),
            from_ps: self.from_ps.unwrap_or(0),
            to_ps: self.to_ps.unwrap_or(0),
            ..Default::default()
        }
    }
    /// Only devices whose name contains it.
    pub(crate) fn of_device(device: Option<String>) -> Self {
        Self { plane: device, ..Self::default() }
    }
}
