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
//! * Handles are [`Send`] and [`Sync`]: any number of threads may read one.
#![warn(missing_docs)]

mod bubbles;
mod document;
mod error;
mod hooks;
mod kernels;
mod memory;
mod merge;
mod profile;
mod rows;

pub use bubbles::{Bubble, BubbleOptions, BubbleStep, Bubbles, Confidence, Gaps, Scope, WindowPolicy};
pub use document::{Document, DocumentOptions, DocumentStatus};
pub use error::{Error, Kind};
pub use hooks::{CancelToken, Hooks};
pub use kernels::{Device, Kernel, KernelKind, KernelOptions, KernelRows, Kernels};
pub use memory::{
    Allocator, CurvePoint, LiveBuffer, LiveBuffers, LiveCurve, Memory, MemoryModule, MemoryOptions, MemorySpace,
    PeakBound, PeakMethod,
};
pub use merge::{Correction, Merge, MergeNode, MergeOptions, NodeStatus, PlaneNames, Zero};
pub use profile::{
    Event, EventMetadata, Events, Family, File, Files, Io, Limits, Line, LineKind, LineSummary, Lines, OpenOptions,
    Plane, PlaneKind, Planes, Profile, Stat, StatOrigin, Stats, Value,
};

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Version of the library that is linked: "0.1.0".
#[must_use]
pub fn version() -> &'static str {
    // SAFETY: a static, NUL-terminated ASCII text.
    unsafe { std::ffi::CStr::from_ptr(profkit_sys::pk_version_string()) }.to_str().unwrap_or("")
}

/// The README's code, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
