//! Writing an XSpace, for profilers of one's own.

use crate::error::check;
use crate::hooks::{Handle, Output};
use crate::rows::{borrowed, flag, Strings};
use crate::{Result, Value};
use profkit_sys as sys;
use std::io;
use std::marker::PhantomData;
use std::path::Path;

/// The id of a name of the open plane: of an event, or of a stat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(i64);

/// Writes an XSpace plane by plane:
///
/// ```no_run
/// # fn main() -> profkit::Result<()> {
/// let mut writer = profkit::XSpaceWriter::create("host.xplane.pb")?;
/// writer.begin_plane("/device:GPU:0", 0);
/// let (matmul, flops) = (writer.event_name("matmul", ""), writer.stat_name("flops"));
/// writer.begin_line("Stream #1", 1, 0);
/// writer.event(matmul, 0, 1000);
/// writer.event_stat(flops, &profkit::Value::Uint64(8));
/// writer.end_line();
/// writer.end_plane();
/// writer.finish()
/// # }
/// ```
///
/// Calls that return nothing keep the first failure, after which they do nothing; [`XSpaceWriter::finish`] tells it. A
/// file appears under its name when `finish` succeeds. `'w` is the lifetime of the writer that it writes to.
#[derive(Debug)]
pub struct XSpaceWriter<'w> {
    handle: Handle<'static, sys::pk_xspace_writer>,
    output: Option<Box<Output<'w>>>, // used by the handle: it is dropped after it
    owner: PhantomData<*mut ()>,     // one thread at a time, and writers need not be Send
}

/// How an XSpace is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterOptions {
    /// Compress what is written.
    pub gzip: bool,
    /// Threads that compress; 0 and 1 are the calling one.
    pub threads: u32,
    /// The most that an open plane may take in memory; 0 for no bound. More is [`crate::Kind::Limit`].
    pub max_plane_bytes: u64,
}

impl WriterOptions {
    fn hooks(&self) -> sys::pk_hooks {
        sys::pk_hooks { threads: self.threads, ..Default::default() }
    }
    fn raw(&self, hooks: &sys::pk_hooks) -> sys::pk_writer_options {
        sys::pk_writer_options {
            flags: flag(self.gzip, sys::PK_WRITER_GZIP),
            max_plane_bytes: self.max_plane_bytes,
            hooks,
            ..Default::default()
        }
    }
}

impl XSpaceWriter<'static> {
    /// Writes into a file.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        Self::create_with(path, &WriterOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_with(path: impl AsRef<Path>, options: &WriterOptions) -> Result<Self> {
        let mut strings = Strings::default();
        let path = strings.path(path.as_ref())?;
        let hooks = options.hooks();
        let given = options.raw(&hooks);
        let handle = Handle::make(sys::pk_xspace_writer_free, |out, err| unsafe {
            // SAFETY: the path lives until the call returns.
            sys::pk_xspace_writer_open(&given, path, out, err)
        })?;
        Ok(Self { handle, output: None, owner: PhantomData })
    }
}

impl<'w> XSpaceWriter<'w> {
    /// Writes into a writer. A panic of it goes on in [`XSpaceWriter::finish`].
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(to: &'w mut dyn io::Write) -> Result<Self> {
        Self::with(to, &WriterOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// No memory is left.
    pub fn with(to: &'w mut dyn io::Write, options: &WriterOptions) -> Result<Self> {
        let hooks = options.hooks();
        let given = options.raw(&hooks);
        let mut output = Box::new(Output::new(to));
        let user = (&mut *output as *mut Output<'w>).cast();
        let handle = Handle::make(sys::pk_xspace_writer_free, |out, err| unsafe {
            // SAFETY: the output stays where it is for as long as the handle.
            sys::pk_xspace_writer_new(&given, Output::CALLBACK, user, out, err)
        })?;
        Ok(Self { handle, output: Some(output), owner: PhantomData })
    }

    fn raw(&mut self) -> *mut sys::pk_xspace_writer {
        self.handle.get_mut()
    }

    /// Names a host that was profiled. Not while a plane is open.
    pub fn hostname(&mut self, name: &str) {
        // SAFETY: the handle is ours; the text lives until the call returns. So in all that follow.
        unsafe { sys::pk_xspace_writer_note(self.raw(), sys::PK_NOTE_HOSTNAME, borrowed(name.as_bytes())) }
    }
    /// Keeps a remark. Not while a plane is open.
    pub fn warning(&mut self, remark: &str) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_note(self.raw(), sys::PK_NOTE_WARNING, borrowed(remark.as_bytes())) }
    }
    /// Opens a plane.
    pub fn begin_plane(&mut self, name: &str, id: i64) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_begin_plane(self.raw(), borrowed(name.as_bytes()), id) }
    }
    /// Ends it.
    pub fn end_plane(&mut self) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_end_plane(self.raw()) }
    }
    /// The id of an event's name in the open plane, made when it is new. `display_name` may be "".
    pub fn event_name(&mut self, name: &str, display_name: &str) -> NameId {
        // SAFETY: as hostname().
        NameId(unsafe {
            sys::pk_xspace_writer_event_metadata(self.raw(), borrowed(name.as_bytes()), borrowed(display_name.as_bytes()))
        })
    }
    /// The id of a stat's name in the open plane, made when it is new.
    pub fn stat_name(&mut self, name: &str) -> NameId {
        // SAFETY: as hostname().
        NameId(unsafe { sys::pk_xspace_writer_stat_metadata(self.raw(), borrowed(name.as_bytes())) })
    }
    /// A fact that all events of a name share.
    pub fn metadata_stat(&mut self, event: NameId, stat: NameId, value: &Value<'_>) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_metadata_stat(self.raw(), event.0, stat.0, &raw_of(value)) }
    }
    /// A fact of the open plane.
    pub fn plane_stat(&mut self, stat: NameId, value: &Value<'_>) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_plane_stat(self.raw(), stat.0, &raw_of(value)) }
    }
    /// Opens a line. `timestamp_ns` is what the offsets of its events count from.
    pub fn begin_line(&mut self, name: &str, id: i64, timestamp_ns: i64) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_begin_line(self.raw(), id, borrowed(name.as_bytes()), timestamp_ns) }
    }
    /// Ends it.
    pub fn end_line(&mut self) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_end_line(self.raw()) }
    }
    /// Adds an event to the open line.
    pub fn event(&mut self, name: NameId, offset_ps: i64, duration_ps: i64) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_event(self.raw(), name.0, offset_ps, duration_ps) }
    }
    /// A fact of the event that was added last.
    pub fn event_stat(&mut self, stat: NameId, value: &Value<'_>) {
        // SAFETY: as hostname().
        unsafe { sys::pk_xspace_writer_event_stat(self.raw(), stat.0, &raw_of(value)) }
    }

    /// Ends what is open and completes the output.
    ///
    /// # Errors
    /// The first failure of any call before: a call out of order, or what the writer failed with.
    pub fn finish(mut self) -> Result<()> {
        let raw = self.raw();
        // SAFETY: the handle is ours.
        let finish = || check(|err| unsafe { sys::pk_xspace_writer_finish(raw, err) }).map(|_| ());
        match &mut self.output {
            Some(output) => output.settle(finish),
            None => finish(),
        }
    }
}

/// [`Value::None`] is a stat without a value.
fn raw_of(value: &Value<'_>) -> sys::pk_value {
    let plain = |kind, bits| sys::pk_value { kind, bits, ..Default::default() };
    let text = |kind, content: &[u8]| sys::pk_value { kind, text: borrowed(content), ..Default::default() };
    match value {
        Value::None => sys::pk_value::default(),
        Value::Double(number) => plain(sys::PK_VALUE_DOUBLE, number.to_bits()),
        Value::Uint64(number) => plain(sys::PK_VALUE_UINT64, *number),
        Value::Int64(number) => plain(sys::PK_VALUE_INT64, *number as u64),
        Value::Text(content) => text(sys::PK_VALUE_TEXT, content.as_bytes()),
        Value::Bytes(content) => text(sys::PK_VALUE_BYTES, content),
    }
}
