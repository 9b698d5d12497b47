//! What probes recorded inside GPU kernels.

use crate::error::{check, got, Error};
use crate::hooks::{slice, Bridge, Handle, Hooks, Output};
use crate::kinds::{DocumentStatus, ProbeFormat, ProbeSlice, ProbeTool};
use crate::profile::Profile;
use crate::rows::{flag, limit, Batched, FromRaw, Rows, Strings};
use crate::rows_of_tables::{Launch, RecordField, RecordFile, RecordMap};
use crate::Result;
use profkit_sys as sys;
use std::ffi::CStr;
use std::io;
use std::marker::PhantomData;

/// What to look at.
#[derive(Debug, Default)]
pub struct ProbeQuery<'h> {
    /// Which part.
    pub slice: ProbeSlice,
    /// Number of a launch, or name of a record file.
    pub launch: Option<String>,
    /// Name of a map, or its number.
    pub map: Option<String>,
    /// Only this block's records.
    pub block: Option<u64>,
    /// Only this lane's records.
    pub lane: Option<u64>,
    /// Rows a list; 0 is all, `None` the command's default.
    pub limit: Option<u64>,
    /// How the slice is written.
    pub format: ProbeFormat,
    /// Of a picture; `None` for the names of kernel, record file and map.
    pub title: Option<String>,
    /// Columns of the density's grid; 0 is 16, of a picture 160.
    pub width: u32,
    /// Its rows; 0 is 10.
    pub height: u32,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// An opened Neutrino trace: the launches of the log, the record files, their maps and records.
#[derive(Debug)]
pub struct Neutrino<'d> {
    pub(crate) handle: Handle<'d, sys::pk_probe>,
}

/// The launches of the log.
pub type Launches<'n> = Rows<'n, Launch>;

/// The records of one map.
#[derive(Debug)]
pub struct Records<'d> {
    handle: Handle<'d, sys::pk_probe_records>,
    map: RecordMap,
}

/// One record that was written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Record<'r> {
    /// Its block; `None` when it is not known.
    pub block: Option<u64>,
    /// Its lane.
    pub lane: u64,
    /// Which of its lane.
    pub k: u64,
    /// Its bytes, not copied.
    pub data: &'r [u8],
    fields: &'r [RecordField],
}

impl<'d> Profile<'d> {
    /// Opens the Neutrino trace of the capture.
    ///
    /// # Errors
    /// [`crate::Kind::NotFound`] when there is none.
    pub fn neutrino(&self, tool: ProbeTool) -> Result<Neutrino<'d>> {
        let handle = Handle::make(sys::pk_probe_free, |out, err| unsafe {
            // SAFETY: the handle is alive; the trace takes a reference of its own.
            sys::pk_probe_open(self.handle.get_mut(), tool.raw(), out, err)
        })?;
        Ok(Neutrino { handle })
    }
}

impl<'d> Neutrino<'d> {
    /// The launches, in the order of the log.
    #[must_use]
    pub fn launches(&self) -> Launches<'_> {
        // SAFETY: the handle is alive; the table takes a reference of its own. What rows borrow is the trace's.
        unsafe { Rows::new(|_, out, err| sys::pk_probe_table(self.handle.get_mut(), std::ptr::null(), out, err)) }
    }

    /// The record files, by elapsed time.
    pub fn files(&self) -> impl ExactSizeIterator<Item = RecordFile<'_>> {
        // SAFETY: the handle is alive.
        let count = unsafe { sys::pk_probe_bin_count(self.handle.get()) };
        // SAFETY: the handle is alive; positions are counted; text is borrowed from the trace; the error is borrowed and copied.
        (0..count).map(move |at| unsafe {
            let found = got(|out, err| sys::pk_probe_bin_get(self.handle.get(), at, out, err)).unwrap_or_default();
            let damage = sys::pk_probe_bin_damage(self.handle.get(), at);
            RecordFile { damage: (!damage.is_null()).then(|| Error::borrow(damage)), ..RecordFile::of(&found) }
        })
    }

    /// The map of a record file at a position.
    ///
    /// # Errors
    /// No such file or map.
    pub fn map(&self, file: usize, map: u32) -> Result<RecordMap> {
        // SAFETY: the handle is alive.
        let found: sys::pk_probe_map =
            got(|out, err| unsafe { sys::pk_probe_map_get(self.handle.get(), file, map, out, err) })?;
        // SAFETY: the handle is alive, and the position was counted; text is borrowed from the trace, and copied.
        let fields = (0..found.field_count).map(|at| unsafe {
            got(|out, err| sys::pk_probe_field_get(self.handle.get(), file, map, at, out, err))
                .map(|field| RecordField::of(&field))
        });
        // SAFETY: static, NUL-terminated ASCII texts.
        let flag_name = |bit| unsafe { CStr::from_ptr(sys::pk_probe_flag_name(1u32 << bit)) }.to_str().unwrap_or("");
        Ok(RecordMap {
            flags: (0..32).filter(|bit| found.flags >> bit & 1 != 0).map(flag_name).collect(),
            fields: fields.collect::<Result<_>>()?,
            // SAFETY: text is borrowed from the trace, and copied.
            ..unsafe { RecordMap::of(&found) }
        })
    }

    /// The records of a map that were written.
    ///
    /// # Errors
    /// No such file or map; what kept the file from being read.
    pub fn records(&self, file: usize, map: u32) -> Result<Records<'d>> {
        let layout = self.map(file, map)?;
        let handle = Handle::make(sys::pk_probe_records_free, |out, err| unsafe {
            // SAFETY: the handle is alive; the records take a reference of their own.
            sys::pk_probe_records_open(self.handle.get(), file, map, out, err)
        })?;
        Ok(Records { handle, map: layout })
    }

    /// Writes what `profkit neutrino PATH SLICE` writes with `--json`, `--csv` or `--svg`.
    ///
    /// # Errors
    /// No such launch or map; [`crate::Kind::Cancelled`]; what `to` failed with.
    pub fn write_document(&self, to: &mut dyn io::Write, mut query: ProbeQuery<'_>) -> Result<DocumentStatus> {
        let mut strings = Strings::default();
        let mut raw = sys::pk_probe_query {
            flags: flag(query.block.is_some(), sys::PK_PROBE_QUERY_HAS_BLOCK)
                | flag(query.lane.is_some(), sys::PK_PROBE_QUERY_HAS_LANE),
            slice: query.slice.raw(),
            format: query.format.raw(),
            title: strings.optional(query.title.as_deref()),
            launch: strings.optional(query.launch.as_deref()),
            map: strings.optional(query.map.as_deref()),
            block: query.block.unwrap_or(0),
            lane: query.lane.unwrap_or(0),
            limit: limit(query.limit),
            width: query.width,
            height: query.height,
            ..Default::default()
        };
        let mut status = 0;
        Bridge::new(&mut query.hooks).run(|hooks| {
            raw.hooks = hooks;
            Output::new(to).run(|user| {
                // SAFETY: everything that is pointed to lives until the call returns.
                check(|err| unsafe {
                    sys::pk_probe_write(self.handle.get(), &raw, Output::CALLBACK, user, &mut status, err)
                })
            })
        })?;
        Ok(DocumentStatus::of(status))
    }
}

impl Records<'_> {
    /// The map that they are of.
    #[must_use]
    pub fn map(&self) -> &RecordMap {
        &self.map
    }

    /// Reads on: block by block and lane by lane.
    pub fn rows(&mut self) -> RecordRows<'_> {
        RecordRows { records: self.handle.get_mut(), map: &self.map, rows: Batched::new(), owner: PhantomData }
    }

    /// Record `k` of a lane, written or not.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn get(&self, block: u64, lane: u64, k: u64) -> Result<Option<Record<'_>>> {
        let mut found = sys::pk_probe_record::default();
        // SAFETY: the handle is alive.
        let there =
            check(|err| unsafe { sys::pk_probe_record_get(self.handle.get(), block, lane, k, &mut found, err) })?;
        // SAFETY: the bytes are borrowed from the records.
        Ok(there.then(|| unsafe { Record::of(&found, &self.map) }))
    }
}

impl<'r> Record<'r> {
    /// # Safety
    /// The bytes live as long as `'r`.
    unsafe fn of(found: &sys::pk_probe_record, map: &'r RecordMap) -> Self {
        Record {
            block: (found.block != sys::PK_PROBE_NO_BLOCK).then_some(found.block),
            lane: found.lane,
            k: found.k,
            data: slice(found.data.cast(), map.record_bytes as usize),
            fields: &map.fields,
        }
    }

    /// The value of a field.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<u64> {
        self.fields.iter().find(|field| field.name == name).and_then(|field| self.read(field))
    }

    /// The values of all fields, in the order of memory.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.fields.iter().map(move |field| self.read(field).unwrap_or(0))
    }

    fn read(&self, field: &RecordField) -> Option<u64> {
        let from = field.offset as usize;
        let written = self.data.get(from..from + field.bytes as usize)?;
        Some(written.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

/// The records of a map, read on.
#[derive(Debug)]
pub struct RecordRows<'r> {
    records: *mut sys::pk_probe_records,
    map: &'r RecordMap,
    rows: Batched<sys::pk_probe_record>,
    owner: PhantomData<&'r mut ()>,
}

impl<'r> Iterator for RecordRows<'r> {
    type Item = Result<Record<'r>>;
    fn next(&mut self) -> Option<Self::Item> {
        let records = self.records;
        let row = self.rows.next(|rows, capacity, count| {
            // SAFETY: the records are borrowed for 'r and read by nobody else; `rows` has room for `capacity`.
            check(|err| unsafe { sys::pk_probe_records_read(records, rows, capacity, count, err) })
        })?;
        let map = self.map;
        // SAFETY: the bytes are borrowed from the records, which live as long as 'r.
        Some(row.map(|found| unsafe { Record::of(&found, map) }))
    }
}
