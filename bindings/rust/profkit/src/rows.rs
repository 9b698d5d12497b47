//! Text of the C ABI, C strings for it, and rows that are read in batches.

use crate::error::{check, got, Error};
use crate::hooks::{slice, Handle};
use crate::Result;
use profkit_sys as sys;
use std::borrow::Cow;
use std::ffi::CString;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;

/// # Safety
/// What `text` points to lives as long as `'a`.
pub(crate) unsafe fn bytes<'a>(text: sys::pk_str) -> &'a [u8] {
    slice(text.data.cast(), text.size)
}

/// Text as it stands in the file; what is no UTF-8 is replaced.
///
/// # Safety
/// As [`bytes`].
pub(crate) unsafe fn text<'a>(text: sys::pk_str) -> Cow<'a, str> {
    String::from_utf8_lossy(bytes(text))
}

/// # Safety
/// As [`bytes`].
pub(crate) unsafe fn path<'a>(path: sys::pk_str) -> &'a Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes(path)))
}

/// Whether a bit of flags is set.
pub(crate) fn has(flags: u32, bit: i32) -> bool {
    flags & bit as u32 != 0
}

/// What is handed to a call, which must not keep it.
pub(crate) fn borrowed(text: &[u8]) -> sys::pk_str {
    sys::pk_str { data: text.as_ptr().cast(), size: text.len() }
}

/// A limit as the C ABI has it; here `None` is the default and 0 none.
pub(crate) fn limit(given: Option<u64>) -> u64 {
    match given {
        None => sys::PK_LIMIT_DEFAULT.into(),
        Some(0) => sys::PK_LIMIT_NONE,
        Some(rows) => rows,
    }
}

/// A flag of an option struct.
pub(crate) fn flag(given: bool, bit: i32) -> u32 {
    if given {
        bit as u32
    } else {
        0
    }
}

/// C strings that live as long as a call. A NUL inside a text ends it.
#[derive(Debug, Default)]
pub(crate) struct Strings(Vec<CString>);

impl Strings {
    pub(crate) fn add(&mut self, value: &[u8]) -> *const c_char {
        let end = value.iter().position(|&byte| byte == 0).unwrap_or(value.len());
        let made = CString::new(&value[..end]).unwrap_or_default();
        self.0.push(made);
        self.0.last().map_or(ptr::null(), |text| text.as_ptr())
    }
    /// NULL for nothing.
    pub(crate) fn optional(&mut self, value: Option<&str>) -> *const c_char {
        value.map_or(ptr::null(), |text| self.add(text.as_bytes()))
    }
    /// A path with a NUL names no file: the part before it would name another.
    pub(crate) fn path(&mut self, path: &Path) -> Result<*const c_char> {
        use std::os::unix::ffi::OsStrExt;
        let bytes = path.as_os_str().as_bytes();
        if bytes.contains(&0) {
            return Err(Error::new(sys::PK_E_INVALID_ARGUMENT, format!("there is a NUL byte in the path {path:?}")));
        }
        Ok(self.add(bytes))
    }
    pub(crate) fn optional_path(&mut self, path: Option<&Path>) -> Result<*const c_char> {
        path.map_or(Ok(ptr::null()), |path| self.path(path))
    }
}

/// Rows that are fetched `BATCH` at a time. Gives an error once, after everything before it, and then ends.
#[derive(Debug)]
pub(crate) struct Batched<Row> {
    rows: Box<[Row]>,
    at: usize,
    count: usize,
    ended: bool,
}

const BATCH: usize = 256;

impl<Row: Default + Copy> Batched<Row> {
    pub(crate) fn new() -> Self {
        Self { rows: vec![Row::default(); BATCH].into_boxed_slice(), at: 0, count: 0, ended: false }
    }

    /// `read(rows, capacity, count)` gives `Ok(false)` at the end.
    #[inline]
    pub(crate) fn next(
        &mut self,
        read: impl FnOnce(*mut Row, usize, &mut usize) -> Result<bool>,
    ) -> Option<Result<Row>> {
        if self.at == self.count {
            match self.fill(read) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(why) => return Some(Err(why)),
            }
        }
        let row = self.rows[self.at];
        self.at += 1;
        Some(Ok(row))
    }

    /// The rows that are left of this batch, or the next batch; `None` at the end.
    pub(crate) fn next_batch(
        &mut self,
        read: impl FnOnce(*mut Row, usize, &mut usize) -> Result<bool>,
    ) -> Option<Result<&[Row]>> {
        if self.at == self.count {
            match self.fill(read) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(why) => return Some(Err(why)),
            }
        }
        let first = std::mem::replace(&mut self.at, self.count);
        Some(Ok(&self.rows[first..self.count]))
    }

    fn fill(&mut self, read: impl FnOnce(*mut Row, usize, &mut usize) -> Result<bool>) -> Result<bool> {
        self.at = 0;
        self.count = 0;
        if self.ended {
            return Ok(false);
        }
        let mut count = 0;
        let more = read(self.rows.as_mut_ptr(), self.rows.len(), &mut count);
        self.ended = !matches!(more, Ok(true));
        if more? {
            self.count = count;
        }
        Ok(self.count > 0)
    }
}

/// A struct of the C ABI as one of Rust. What it borrows lives as long as `'a`. Outside of this crate it has no name: a wrong
/// struct would be read as another.
pub trait FromRaw<'a> {
    /// The struct of the C ABI.
    #[doc(hidden)]
    type Raw: Default + Copy + std::fmt::Debug;
    /// # Safety
    /// What `row` points to lives as long as `'a`.
    #[doc(hidden)]
    unsafe fn of(row: &Self::Raw) -> Self;
}

/// The row at a position that was counted.
///
/// # Safety
/// What it points to lives as long as `'a`.
pub(crate) unsafe fn row_at<'a, R: FromRaw<'a>>(get: impl FnOnce(*mut R::Raw, *mut *mut sys::pk_error) -> i32) -> R {
    R::of(&got(get).unwrap_or_default())
}

/// A row of a table of docs/tables.md. Only structs of this crate are one.
pub trait Row<'a>: FromRaw<'a> {
    /// PK_TABLE_ of the C ABI.
    #[doc(hidden)]
    const TABLE: i32;
}

/// A struct, and how each field is made of that of the C ABI.
macro_rules! row {
    ($(#[$about:meta])* $name:ident $(<$life:lifetime>)?: $raw:ident = |$row:ident| {
        $($(#[$field_about:meta])* $field:ident: $type:ty = $value:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub struct $name $(<$life>)? { $($(#[$field_about])* pub $field: $type,)* }
        impl<'a> $crate::rows::FromRaw<'a> for $name $(<$life>)? {
            type Raw = sys::$raw;
            unsafe fn of($row: &sys::$raw) -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}
pub(crate) use row;

/// Which table a row is one of.
macro_rules! of_table {
    ($($name:ty: $table:ident,)*) => {
        $(impl<'a> $crate::rows::Row<'a> for $name {
            const TABLE: i32 = sys::$table;
        })*
    };
}
pub(crate) use of_table;

/// Rows of a table, whose text lives as long as `'t` if it is not their own. They are read 256 at a time.
#[derive(Debug)]
pub struct Rows<'t, R: FromRaw<'t>> {
    table: Option<Handle<'t, sys::pk_table>>,
    failed: Option<Error>,
    rows: Batched<R::Raw>,
}

impl<'t, R: Row<'t>> Rows<'t, R> {
    /// `open(table, out, err)`. What opening failed with is the first item.
    ///
    /// # Safety
    /// The table is of such rows, and what they borrow lives as long as `'t`.
    pub(crate) unsafe fn new(open: impl FnOnce(i32, *mut *mut sys::pk_table, *mut *mut sys::pk_error) -> i32) -> Self {
        match Handle::make(sys::pk_table_free, |out, err| open(R::TABLE, out, err)) {
            Ok(table) => Self::of(table),
            Err(why) => Self { table: None, failed: Some(why), rows: Batched::new() },
        }
    }

    /// # Safety
    /// As [`Rows::new`].
    pub(crate) unsafe fn of(table: Handle<'t, sys::pk_table>) -> Self {
        Self { table: Some(table), failed: None, rows: Batched::new() }
    }
}

impl<'t, R: FromRaw<'t>> Iterator for Rows<'t, R> {
    type Item = Result<R>;
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(why) = self.failed.take() {
            return Some(Err(why));
        }
        let table = self.table.as_ref()?.get_mut();
        let row = self.rows.next(|rows, capacity, count| {
            // SAFETY: the table is alive; `rows` has room for `capacity`.
            check(|err| unsafe {
                sys::pk_table_read(table, rows.cast(), std::mem::size_of::<R::Raw>(), capacity, count, err)
            })
        })?;
        // SAFETY: new()
        Some(row.map(|row| unsafe { R::of(&row) }))
    }
}

/// Rows that a cursor gives one by one. Gives an error once, after everything before it, and then ends.
#[derive(Debug)]
pub(crate) struct OneByOne<Cursor> {
    cursor: Cursor,
    failed: Option<Error>,
    ended: bool,
}

impl<Cursor: Default> OneByOne<Cursor> {
    pub(crate) fn begin(begin: impl FnOnce(*mut Cursor, *mut *mut sys::pk_error) -> i32) -> Self {
        let mut cursor = Cursor::default();
        let failed = check(|err| begin(&mut cursor, err)).err();
        Self { cursor, failed, ended: false }
    }

    pub(crate) fn next<Row: Default>(
        &mut self,
        next: impl FnOnce(*mut Cursor, *mut Row, *mut *mut sys::pk_error) -> i32,
    ) -> Option<Result<Row>> {
        if self.ended {
            return None;
        }
        let mut row = Row::default();
        let read = match self.failed.take() {
            Some(why) => Err(why),
            None => check(|err| next(&mut self.cursor, &mut row, err)),
        };
        self.ended = !matches!(read, Ok(true));
        match read {
            Ok(more) => more.then_some(Ok(row)),
            Err(why) => Some(Err(why)),
        }
    }
}
