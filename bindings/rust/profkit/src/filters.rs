//! Which part of a capture to look at.

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

/// Sets the filters of an option struct of the C ABI; the bits say which of the last three are set.
macro_rules! set_filters {
    ($raw:ident, $filters:expr, $strings:expr, [$step:path, $from:path, $to:path]) => {{
        let (filters, strings): (&$crate::Filters, &mut $crate::rows::Strings) = (&$filters, &mut $strings);
        $raw.host = strings.optional(filters.host.as_deref());
        $raw.plane = strings.optional(filters.plane.as_deref());
        $raw.line = strings.optional(filters.line.as_deref());
        $raw.name = strings.optional(filters.name.as_deref());
        $raw.step = filters.step.unwrap_or(0);
        $raw.from_ps = filters.from_ps.unwrap_or(0);
        $raw.to_ps = filters.to_ps.unwrap_or(0);
        $raw.flags |= $crate::rows::flag(filters.step.is_some(), $step)
            | $crate::rows::flag(filters.from_ps.is_some(), $from)
            | $crate::rows::flag(filters.to_ps.is_some(), $to);
    }};
}
pub(crate) use set_filters;
