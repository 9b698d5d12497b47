//! profkit opens any profile that an ML accelerator leaves behind and says what happened.
//!
//! ```no_run
//! let profile = profkit::Profile::open("vm.xplane.pb")?;
//! for plane in profile.planes() {
//!     for line in plane.lines() {
//!         println!("{} {}: {} events", plane.name(), line.name(), line.events().count());
//!     }
//! }
//! # Ok::<(), profkit::Error>(())
//! ```
//!
//! * Times are `i64` picoseconds relative to the capture's origin, unless a name ends in `_ns`.
//! * What is borrowed from a profile cannot outlive it: the compiler sees to that. Analyses ([`Memory`], [`Bubbles`],
//!   [`Kernels`]) hold a reference of their own.
//! * A damaged capture opens. [`File::damage`] says what was lost, and an iterator gives an error after everything that
//!   was intact.
//! * Kinds and rows may grow: a `match` has an arm for others, a pattern of a row ends in `..`.
//! * Handles are [`Send`] and [`Sync`]: any number of threads may read one.
#![warn(missing_docs)]

mod architecture;
mod arrow;
mod bubbles;
mod builder;
mod chrome;
mod clock;
mod document;
mod dump;
mod error;
mod export;
mod filters;
mod hooks;
mod kernels;
mod kinds;
mod memory;
mod merge;
mod modules;
mod neutrino;
mod profile;
mod push;
mod rows;
mod rows_of_tables;
mod validation;
mod writer;

pub use architecture::{Architecture, ArchitectureOptions};
#[cfg(feature = "arrow")]
pub use arrow::BatchReader;
pub use arrow::{ArrowStream, CellValue, ColumnRows, Table, TableOptions};
pub use bubbles::{BubbleOptions, Bubbles, Gaps, Steps};
pub use builder::{
    TraceAllocation, TraceBuilder, TraceBuilderOptions, TraceDevice, TraceHost, TraceKernel, TraceMessage, TraceOwner, TraceSpan,
    TraceStep, TraceValue, TraceWork,
};
pub use chrome::ChromeEvents;
pub use clock::{Clock, ClockOffset, ClockOptions, ClockPair};
pub use document::{captures_at, DocumentOptions};
pub use dump::{dump, DumpOptions};
pub use error::Error;
pub use export::ExportOptions;
pub use filters::Filters;
pub use hooks::{CancelToken, Hooks};
pub use kernels::{KernelOptions, KernelRows, Kernels};
pub use kinds::{
    Accelerator, BubbleLabel, BubbleLabels, BubbleTag, BubbleTags, Cause, Certainty, ClockDomain, ColumnType,
    Compression, Correction, Document, DocumentStatus, DumpFormat, FactSource, Family, Io, KernelKind, Kind, LaunchKind,
    LaunchOutcome, LineKind, LogLevel, MergedFormat, NodeStatus, NoteKind, OpsClock, PeakBound, PeakMethod, PlaneKind,
    PlaneNames, ProbeFormat, ProbeLevel, ProbeSlice, ProbeTool, Residency, Scope, Sibling, SpanKind, StatOrigin,
    StepPolicy, TimeUse, TraceFormat, WindowPolicy, Zero,
};
pub use memory::{Allocators, LiveBuffers, LiveCurve, Memory, MemoryOptions};
pub use merge::{Merge, MergeOptions};
pub use modules::Modules;
pub use neutrino::{Launches, Neutrino, ProbeQuery, Record, RecordRows, Records};
pub use profile::{
    AllEventMetadata, AllStatMetadata, Event, Events, File, Files, Limits, Line, Lines, OpenOptions, Plane, Planes,
    Profile, ReadAt, Stat, Stats, Value,
};
pub use push::{PushOptions, PushReader, PushVisitor};
pub use rows::{Row, Rows};
pub use rows_of_tables::*;
pub use validation::{ClockIntervals, Validation, ValidationOptions};
pub use writer::{NameId, WriterOptions, XSpaceWriter};

/// `struct ArrowArrayStream` of the Arrow C stream interface.
pub use profkit_sys::ArrowArrayStream;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Version of the library that is linked: "0.1.0".
#[must_use]
pub fn version() -> &'static str {
    // SAFETY: a static, NUL-terminated ASCII text.
    unsafe { std::ffi::CStr::from_ptr(profkit_sys::pk_version_string()) }.to_str().unwrap_or("")
}

/// What was linked may be older than what the crate was made for: the names are checked by the loader, the rest here.
pub(crate) fn require_library() -> Result<()> {
    // SAFETY: takes nothing, gives a number.
    fits(unsafe { profkit_sys::pk_version_number() })
}

fn fits(library: u32) -> Result<()> {
    const MADE_FOR: u32 = profkit_sys::PK_VERSION_MAJOR * 1_000_000 + profkit_sys::PK_VERSION_MINOR * 1000;
    if library >= MADE_FOR {
        return Ok(());
    }
    let shown = |number: u32| format!("{}.{}", number / 1_000_000, number / 1000 % 1000);
    let what =
        format!("libprofkit {} is older than {}, which this crate was made for", shown(library), shown(MADE_FOR));
    Err(Error::new(profkit_sys::PK_E_UNSUPPORTED, what))
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_older_library_is_refused() {
        assert!(super::require_library().is_ok());
        let why = super::fits(0).unwrap_err();
        assert_eq!(why.kind(), super::Kind::Unsupported);
        assert!(why.message().contains("libprofkit 0.0 is older than 0.1"));
    }
}

/// The README's code, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
