//! Tables as Arrow C streams, for whatever reads Arrow.

use crate::error::check;
use crate::hooks::Bridge;
use crate::rows::{flag, Strings};
use crate::{Bubbles, DocumentOptions, Kernels, Memory, Neutrino, Profile, Result};
use profkit_sys as sys;
use std::marker::PhantomData;
use std::os::raw::c_char;

/// How a table comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions<'a> {
    /// Names of the columns that come, in this order, each once; `None` is all. What is not asked for is not made.
    pub columns: Option<&'a [&'a str]>,
    /// Most rows of a batch, up to 2^30; 0 is 65,536.
    pub batch_rows: u64,
    /// The stream ends where damage begins, instead of failing there.
    pub skip_damage: bool,
}

impl TableOptions<'_> {
    /// With the struct, what it points to. An empty list is refused by the library.
    fn raw(self) -> (sys::pk_arrow_options, Strings, Vec<*const c_char>) {
        let mut strings = Strings::default();
        let wanted = self.columns.unwrap_or_default();
        let columns: Vec<_> = wanted.iter().map(|name| strings.add(name.as_bytes())).collect();
        let raw = sys::pk_arrow_options {
            flags: flag(self.skip_damage, sys::PK_ARROW_SKIP_DAMAGE),
            batch_rows: self.batch_rows,
            columns: self.columns.map_or(std::ptr::null(), |_| columns.as_ptr()),
            column_count: columns.len(),
            ..Default::default()
        };
        (raw, strings, columns)
    }
}

/// Rows as an Arrow C stream (`struct ArrowArrayStream`): times are int64 picoseconds (the unit stands in the field's
/// metadata), names are dictionaries, what is not known is null. It holds a reference of its own, so what it was made
/// from may be dropped. `'d` is the lifetime of the bytes that the profile was opened over.
///
/// The crate `arrow` takes it over by its pointer; what is left here is then empty:
///
/// ```ignore
/// let mut stream = profile.events_table(None, TableOptions::default())?;
/// let reader = unsafe { arrow::ffi_stream::ArrowArrayStreamReader::from_raw(stream.as_mut_ptr().cast())? };
/// for batch in reader { println!("{} events", batch?.num_rows()); }
/// ```
#[derive(Debug)]
pub struct ArrowStream<'d> {
    raw: Box<sys::ArrowArrayStream>,
    data: PhantomData<&'d [u8]>,
}

// SAFETY: profkit.h: one thread at a time uses a stream, whichever it is.
unsafe impl Send for ArrowStream<'_> {}

impl<'d> ArrowStream<'d> {
    fn make(
        options: TableOptions<'_>,
        open: impl FnOnce(*const sys::pk_arrow_options, *mut sys::ArrowArrayStream, *mut *mut sys::pk_error) -> i32,
    ) -> Result<Self> {
        let (given, _strings, _columns) = options.raw();
        let mut made = Self {
            raw: Box::new(sys::ArrowArrayStream {
                get_schema: None,
                get_next: None,
                get_last_error: None,
                release: None,
                private_data: std::ptr::null_mut(),
            }),
            data: PhantomData,
        };
        check(|err| open(&given, &mut *made.raw, err))?;
        Ok(made)
    }

    /// The struct, for code that moves it out: it sets `release` to NULL here, and releases what it moved. That must not
    /// outlive the bytes that the profile was opened over.
    pub fn as_mut_ptr(&mut self) -> *mut sys::ArrowArrayStream {
        &mut *self.raw
    }

    /// True when the stream was moved out or released.
    #[must_use]
    pub fn is_released(&self) -> bool {
        self.raw.release.is_none()
    }

    /// Moves the stream into a struct of the caller's.
    ///
    /// # Safety
    /// `into` may be written. Whoever holds it calls its `release` once, before the end of `'d`.
    pub unsafe fn export(mut self, into: *mut sys::ArrowArrayStream) {
        std::ptr::copy_nonoverlapping(self.as_mut_ptr(), into, 1);
        self.raw.release = None;
    }
}

impl Drop for ArrowStream<'_> {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release {
            // SAFETY: the stream is ours as long as it has `release`.
            unsafe { release(&mut *self.raw) }
        }
    }
}

impl<'d> Profile<'d> {
    /// Every event that has a place in time, of the file at a position or of all files.
    ///
    /// # Errors
    /// No such file; options out of range.
    pub fn events_table(&self, file: Option<u32>, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        let file = file.unwrap_or(sys::PK_ARROW_ALL_FILES as u32);
        ArrowStream::make(options, |given, out, err| unsafe {
            // SAFETY: the handle is alive; the stream takes a reference of its own.
            sys::pk_arrow_events(self.handle.get_mut(), file, given, out, err)
        })
    }

    /// Totals of every op, largest first. `filters.limit` is that of rows a line, `None` is all.
    ///
    /// # Errors
    /// A step that is not there, [`crate::Kind::Cancelled`].
    pub fn ops_table(&self, mut filters: DocumentOptions<'_>, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        let mut strings = Strings::default();
        let mut raw = filters.raw(&mut strings);
        Bridge::new(&mut filters.hooks).run(|hooks| {
            raw.hooks = hooks;
            ArrowStream::make(options, |given, out, err| unsafe {
                // SAFETY: everything that is pointed to lives until the call returns.
                sys::pk_arrow_ops(self.handle.get_mut(), &raw, given, out, err)
            })
        })
    }
}

macro_rules! tables {
    ($($owner:ident { $($(#[$doc:meta])* $name:ident = $function:ident;)* })*) => {
        $(impl<'d> $owner<'d> {
            $($(#[$doc])*
            ///
            /// # Errors
            /// Options out of range.
            pub fn $name(&self, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
                ArrowStream::make(options, |given, out, err| unsafe {
                    // SAFETY: the handle is alive; the stream takes a reference of its own.
                    sys::$function(self.handle.get_mut(), given, out, err)
                })
            })*
        })*
    };
}
tables! {
    Kernels {
        /// The kernels of all devices, by device and start.
        table = pk_arrow_kernels;
    }
    Bubbles {
        /// The gaps, by device and time.
        table = pk_arrow_bubbles;
        /// The steps, by device and time.
        steps_table = pk_arrow_steps;
    }
    Memory {
        /// What is alive at the peak, largest first.
        live_buffers_table = pk_arrow_live_buffers;
        /// The live curve; empty unless [`crate::MemoryOptions::curve_points`] asked for it.
        live_curve_table = pk_arrow_live_curve;
    }
    Neutrino {
        /// The launches, in the order of the log.
        launches_table = pk_arrow_launches;
    }
}

impl<'d> Neutrino<'d> {
    /// The records of a map that were written: block, lane, k, then a column a field.
    ///
    /// # Errors
    /// No such file or map.
    pub fn records_table(&self, file: usize, map: u32, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        ArrowStream::make(options, |given, out, err| unsafe {
            // SAFETY: the handle is alive; the stream takes a reference of its own.
            sys::pk_arrow_probe_records(self.handle.get_mut(), file, map, given, out, err)
        })
    }
}
