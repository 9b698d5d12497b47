//! Tables: rows by the names of their columns, as Arrow C streams for whatever reads Arrow, and as text.

use crate::error::check;
use crate::hooks::{Bridge, Handle, Output};
use crate::rows::{flag, limit, row_at, text, Row, Rows, Strings};
use crate::rows_of_tables::Column;
use crate::{Bubbles, DocumentOptions, Kernels, Memory, Neutrino, Profile, Result, TableKind};
use profkit_sys as sys;
use std::ffi::CString;
use std::io;
use std::marker::PhantomData;
use std::os::raw::c_char;

/// How a table comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions<'a> {
    /// Names of the columns that come, in this order, each once; `None` is all. What is not asked for is not made.
    pub columns: Option<&'a [&'a str]>,
    /// Most rows of a batch, up to 2^30; 0 is 65,536.
    pub batch_rows: u64,
    /// The rows end where damage begins, instead of failing there.
    pub skip_damage: bool,
    /// Arrow: names as text instead of dictionaries, for engines that refuse those.
    pub plain_text: bool,
    /// Arrow: unsigned columns as int64.
    pub signed: bool,
    /// Filters that fit nothing give no rows, and no error.
    pub allow_empty: bool,
    /// Events: of the file at this position alone.
    pub file: Option<u32>,
}

impl TableOptions<'_> {
    /// With the struct, what it points to. An empty list is refused by the library.
    fn raw(self) -> (sys::pk_table_options, Strings, Vec<*const c_char>) {
        let mut strings = Strings::default();
        let wanted = self.columns.unwrap_or_default();
        let columns: Vec<_> = wanted.iter().map(|name| strings.add(name.as_bytes())).collect();
        let raw = sys::pk_table_options {
            flags: flag(self.skip_damage, sys::PK_TABLE_SKIP_DAMAGE)
                | flag(self.plain_text, sys::PK_TABLE_PLAIN_TEXT)
                | flag(self.signed, sys::PK_TABLE_SIGNED)
                | flag(self.allow_empty, sys::PK_TABLE_ALLOW_EMPTY)
                | flag(self.file.is_some(), sys::PK_TABLE_ONE_FILE),
            file: self.file.unwrap_or_default(),
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
/// With the feature `arrow`, into_reader() makes it a reader of record batches:
///
/// ```ignore
/// for batch in profile.events_table(None, TableOptions::default())?.into_reader()? {
///     println!("{} events", batch?.num_rows());
/// }
/// ```
#[derive(Debug)]
pub struct ArrowStream<'d> {
    raw: Box<sys::ArrowArrayStream>,
    data: PhantomData<&'d [u8]>,
}

// SAFETY: profkit.h: one thread at a time uses a stream, whichever it is.
unsafe impl Send for ArrowStream<'_> {}

impl<'d> ArrowStream<'d> {
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

// The name that every release of the range has; the last ones have another, too.
#[cfg(feature = "arrow")]
#[allow(deprecated)]
type StreamReader = arrow_array::ffi_stream::ArrowArrayStreamReader;

/// Record batches of the crate `arrow`, over a stream of the library. They are its own: they may outlive what they came from.
#[cfg(feature = "arrow")]
#[derive(Debug)]
pub struct BatchReader<'d> {
    inner: StreamReader,
    data: PhantomData<&'d [u8]>,
}

#[cfg(feature = "arrow")]
impl<'d> ArrowStream<'d> {
    /// The stream as an [`arrow_array::RecordBatchReader`], without a copy. With the feature `arrow`.
    ///
    /// # Errors
    /// Damage before the first row.
    pub fn into_reader(mut self) -> Result<BatchReader<'d>> {
        // SAFETY: both are `struct ArrowArrayStream` of the interface, and from_raw() leaves an empty one.
        let inner = unsafe { StreamReader::from_raw(self.as_mut_ptr().cast()) };
        match inner {
            Ok(inner) => Ok(BatchReader { inner, data: PhantomData }),
            Err(why) => Err(crate::Error::new(sys::PK_E_DAMAGED, why.to_string())),
        }
    }
}

#[cfg(feature = "arrow")]
impl Iterator for BatchReader<'_> {
    type Item = <StreamReader as Iterator>::Item;
    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next()
    }
}

#[cfg(feature = "arrow")]
impl arrow_array::RecordBatchReader for BatchReader<'_> {
    fn schema(&self) -> arrow_schema::SchemaRef {
        self.inner.schema()
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

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum CellValue {
    /// A signed integer.
    Int64(i64),
    /// An unsigned one, or a boolean: 0 or 1.
    UInt64(u64),
    /// Text.
    Text(String),
}

/// Rows of one table, given once and in order: by the names of their columns, as an Arrow stream, or as text. It holds a
/// reference of its own, so what it was made from may be dropped.
#[derive(Debug)]
pub struct Table<'d> {
    handle: Handle<'d, sys::pk_table>,
    rows: usize,
}

impl<'d> Table<'d> {
    fn open(
        options: TableOptions<'_>,
        set: impl FnOnce(&mut sys::pk_table_options),
        open: impl FnOnce(*const sys::pk_table_options, *mut *mut sys::pk_table, *mut *mut sys::pk_error) -> i32,
    ) -> Result<Self> {
        let (mut given, _strings, _columns) = options.raw();
        set(&mut given);
        Ok(Self { handle: Handle::make(sys::pk_table_free, |out, err| open(&given, out, err))?, rows: 0 })
    }

    /// All of them, also those that were not asked for.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = Column> + '_ {
        // SAFETY: the handle is alive; positions are counted; text is copied.
        let count = unsafe { sys::pk_table_column_count(self.handle.get()) };
        (0..count).map(move |at| unsafe {
            row_at(|out, err| sys::pk_table_column_get(self.handle.get(), at, out, err))
        })
    }

    /// Goes to the next rows, up to `most`, and gives how many they are; 0 at the end.
    ///
    /// # Errors
    /// Damage; a table that comes by Arrow alone (events).
    pub fn advance(&mut self, most: usize) -> Result<usize> {
        let mut count = 0;
        // SAFETY: the handle is alive; no rows are asked for.
        check(|err| unsafe {
            sys::pk_table_read(self.handle.get_mut(), std::ptr::null_mut(), 0, most, &mut count, err)
        })?;
        self.rows = count;
        Ok(count)
    }

    /// The values of a column of the rows that advance() went to; `None` where one is not known.
    ///
    /// # Errors
    /// No such column: the hint names those there are.
    pub fn values(&mut self, column: &str) -> Result<Vec<Option<CellValue>>> {
        let name = CString::new(column).unwrap_or_default();
        let mut raw = vec![sys::pk_value::default(); self.rows.max(1)];
        let mut count = 0;
        // SAFETY: there is room for every row; text is copied while it is there.
        unsafe {
            check(|err| {
                sys::pk_table_values(self.handle.get_mut(), name.as_ptr(), raw.as_mut_ptr(), raw.len(), &mut count, err)
            })?;
            Ok(raw[..count]
                .iter()
                .map(|value| match value.kind {
                    sys::PK_VALUE_INT64 => Some(CellValue::Int64(value.bits as i64)),
                    sys::PK_VALUE_UINT64 => Some(CellValue::UInt64(value.bits)),
                    sys::PK_VALUE_TEXT => Some(CellValue::Text(text(value.text).into_owned())),
                    _ => None,
                })
                .collect())
        }
    }

    /// The rows that are left, with the values of these columns.
    ///
    /// ```no_run
    /// # use profkit::{CellValue, DocumentOptions, Profile, TableKind, TableOptions};
    /// let profile = Profile::open("vm.xplane.pb")?;
    /// for row in profile.table(TableKind::Ops, DocumentOptions::default(), TableOptions::default())?.rows(["name", "self_ps"]) {
    ///     if let [Some(CellValue::Text(name)), Some(CellValue::Int64(self_ps))] = row? {
    ///         println!("{name}: {self_ps} ps");
    ///     }
    /// }
    /// # Ok::<(), profkit::Error>(())
    /// ```
    pub fn rows<'c, const N: usize>(self, columns: [&'c str; N]) -> ColumnRows<'d, 'c, N> {
        ColumnRows { table: self, columns, held: Vec::new().into_iter(), ended: false }
    }

    /// The rows as an Arrow stream.
    ///
    /// # Errors
    /// Rows were taken already.
    pub fn into_arrow(self) -> Result<ArrowStream<'d>> {
        let mut made = ArrowStream {
            raw: Box::new(sys::ArrowArrayStream {
                get_schema: None,
                get_next: None,
                get_last_error: None,
                release: None,
                private_data: std::ptr::null_mut(),
            }),
            data: PhantomData,
        };
        // SAFETY: the handle is alive; the stream takes a reference of its own.
        check(|err| unsafe { sys::pk_table_arrow(self.handle.get_mut(), &mut *made.raw, err) })?;
        Ok(made)
    }

    /// The rows that are left as CSV, with a line of names.
    ///
    /// # Errors
    /// Damage, behind the rows before it; what `to` failed with.
    pub fn write_csv(&mut self, to: &mut dyn io::Write) -> Result<()> {
        self.write(to, sys::pk_table_write_csv)
    }

    /// The rows that are left as one JSON object a line.
    ///
    /// # Errors
    /// As write_csv().
    pub fn write_json(&mut self, to: &mut dyn io::Write) -> Result<()> {
        self.write(to, sys::pk_table_write_json)
    }

    fn write(&mut self, to: &mut dyn io::Write, function: WriteRows) -> Result<()> {
        Output::new(to).run(|user| {
            // SAFETY: the handle and the output live until the call returns.
            check(|err| unsafe { function(self.handle.get_mut(), Output::CALLBACK, user, err) }).map(|_| ())
        })
    }
}

/// The rows of a table, with the values of some columns: [`Table::rows`]. Gives an error once, after everything before it, and then
/// ends.
#[derive(Debug)]
pub struct ColumnRows<'d, 'c, const N: usize> {
    table: Table<'d>,
    columns: [&'c str; N],
    held: std::vec::IntoIter<[Option<CellValue>; N]>,
    ended: bool,
}

impl<const N: usize> ColumnRows<'_, '_, N> {
    fn fill(&mut self) -> Result<()> {
        let count = self.table.advance(256)?;
        self.ended = count == 0;
        if count > 0 {
            let mut columns = Vec::with_capacity(N);
            for name in self.columns {
                columns.push(self.table.values(name)?.into_iter());
            }
            let row = |_| std::array::from_fn(|at| columns[at].next().flatten());
            self.held = (0..count).map(row).collect::<Vec<_>>().into_iter();
        }
        Ok(())
    }
}

impl<const N: usize> Iterator for ColumnRows<'_, '_, N> {
    type Item = Result<[Option<CellValue>; N]>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.held.len() == 0 && !self.ended {
            if let Err(why) = self.fill() {
                self.ended = true;
                return Some(Err(why));
            }
        }
        self.held.next().map(Ok)
    }
}

type WriteRows = unsafe extern "C" fn(
    *mut sys::pk_table,
    sys::pk_write_callback,
    *mut std::os::raw::c_void,
    *mut *mut sys::pk_error,
) -> i32;

impl<'d> Profile<'d> {
    /// Any table of the capture but the records of probes; runs the analysis that it needs. Which filters it takes
    /// docs/tables.md says; `filters.limit` is that of rows a line, `None` is all.
    ///
    /// # Errors
    /// A filter that the table does not take, or that fits nothing; [`crate::Kind::Cancelled`]; options out of range.
    pub fn table(
        &self,
        kind: TableKind,
        filters: DocumentOptions<'_>,
        options: TableOptions<'_>,
    ) -> Result<Table<'d>> {
        self.table_of(kind.raw(), filters, options)
    }

    fn table_of(&self, kind: i32, mut filters: DocumentOptions<'_>, options: TableOptions<'_>) -> Result<Table<'d>> {
        let mut strings = Strings::default();
        let raw = filters.filters.raw(&mut strings);
        let rows = limit(filters.limit);
        Bridge::new(&mut filters.hooks).run(|hooks| {
            let set = |given: &mut sys::pk_table_options| {
                (given.filters, given.limit, given.hooks) = (&raw, rows, hooks);
            };
            Table::open(options, set, |given, out, err| unsafe {
                // SAFETY: everything that is pointed to lives until the call returns.
                sys::pk_table_open(self.handle.get_mut(), kind, given, out, err)
            })
        })
    }

    /// The rows of a table; runs the analysis that it needs. Compiled modules, which hold bytes: [`Profile::modules`].
    ///
    /// ```no_run
    /// # use profkit::{DocumentOptions, Op, Profile};
    /// let profile = Profile::open("vm.xplane.pb")?;
    /// for op in profile.rows_of::<Op>(DocumentOptions::default())? {
    ///     let op = op?;
    ///     println!("{}: {} ps", op.name, op.self_ps);
    /// }
    /// # Ok::<(), profkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Profile::table`].
    pub fn rows_of<'s, R: Row<'s>>(&'s self, filters: DocumentOptions<'_>) -> Result<Rows<'s, R>> {
        let table = self.table_of(R::TABLE, filters, TableOptions::default())?;
        // SAFETY: the table is of such rows, which borrow from the profile alone.
        Ok(unsafe { Rows::of(table.handle) })
    }

    /// Every event that has a place in time, of the file at a position or of all files.
    ///
    /// # Errors
    /// No such file; options out of range.
    pub fn events_table(&self, file: Option<u32>, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        let options = TableOptions { file, ..options };
        self.table(TableKind::Events, DocumentOptions::default(), options)?.into_arrow()
    }

    /// Totals of every op, largest first. `filters.limit` is that of rows a line, `None` is all.
    ///
    /// # Errors
    /// A step that is not there, [`crate::Kind::Cancelled`].
    pub fn ops_table(&self, filters: DocumentOptions<'_>, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        self.table(TableKind::Ops, filters, options)?.into_arrow()
    }
}

macro_rules! tables {
    ($($owner:ident { $($(#[$doc:meta])* $name:ident = $function:ident($($argument:expr),*);)* })*) => {
        $(impl<'d> $owner<'d> {
            $($(#[$doc])*
            ///
            /// # Errors
            /// Options out of range.
            pub fn $name(&self, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
                Table::open(options, |_| (), |given, out, err| unsafe {
                    // SAFETY: the handle is alive; the table takes a reference of its own.
                    sys::$function(self.handle.get_mut(), $($argument,)* given, out, err)
                })?.into_arrow()
            })*
        })*
    };
}
tables! {
    Kernels {
        /// The kernels of all devices, by device and start.
        table = pk_activity_table();
    }
    Bubbles {
        /// The gaps, by device and time.
        table = pk_bubbles_table(sys::PK_TABLE_GAPS);
        /// The steps, by device and time.
        steps_table = pk_bubbles_table(sys::PK_TABLE_STEPS);
        /// Why devices waited, gap by gap.
        causes_table = pk_bubbles_table(sys::PK_TABLE_CAUSES);
        /// What each device did with its time, in steps and outside of them.
        time_table = pk_bubbles_table(sys::PK_TABLE_DEVICE_TIME);
    }
    Memory {
        /// What is alive at the peak, largest first.
        live_buffers_table = pk_memory_table(sys::PK_TABLE_LIVE_BUFFERS);
        /// The live curve; empty unless [`crate::MemoryOptions::curve_points`] asked for it.
        live_curve_table = pk_memory_table(sys::PK_TABLE_LIVE_CURVE);
        /// The allocators of all hosts.
        allocators_table = pk_memory_table(sys::PK_TABLE_ALLOCATORS);
    }
    Neutrino {
        /// The launches, in the order of the log.
        launches_table = pk_probe_table();
    }
}

impl<'d> Neutrino<'d> {
    /// The records of a map that were written: block, lane, k, then a column a field.
    ///
    /// # Errors
    /// No such file or map.
    pub fn records_table(&self, file: usize, map: u32, options: TableOptions<'_>) -> Result<ArrowStream<'d>> {
        Table::open(options, |_| (), |given, out, err| unsafe {
            // SAFETY: the handle is alive; the table takes a reference of its own.
            sys::pk_probe_records_table(self.handle.get_mut(), file, map, given, out, err)
        })?
        .into_arrow()
    }
}
