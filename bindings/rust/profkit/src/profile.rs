//! Opened captures: files, planes, lines, events, stats, metadata.

use crate::error::{check, got, set_read_failure, Error};
use crate::hooks::{slice, Bridge, Handle, Hooks};
use crate::kinds::{Compression, Family, Io, LineKind, PlaneKind, StatOrigin};
use crate::rows::{borrowed, bytes, flag, path, row_at, text, Batched, FromRaw, OneByOne, Strings};
use crate::rows_of_tables::{EventMetadata, FileInfo, LineInfo, LineSummary, PlaneInfo, Run, StatMetadata};
use crate::Result;
use profkit_sys as sys;
use std::any::Any;
use std::borrow::Cow;
use std::io;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::ptr;

/// Bounds on what hostile or broken input can make the library do. 0 is the default, `u64::MAX` no bound.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Limits {
    pub max_nesting: u32,
    pub max_materialised_bytes: u64,
    pub max_decompression_ratio: u64,
    pub ratio_free_bytes: u64,
    pub max_string_bytes: u64,
    pub max_files: u64,
}

impl Limits {
    pub(crate) fn raw(&self) -> sys::pk_limits {
        sys::pk_limits {
            max_nesting: self.max_nesting,
            max_materialised_bytes: self.max_materialised_bytes,
            max_decompression_ratio: self.max_decompression_ratio,
            ratio_free_bytes: self.ratio_free_bytes,
            max_string_bytes: self.max_string_bytes,
            max_files: self.max_files,
            ..Default::default()
        }
    }
}

/// How to open a capture.
#[derive(Debug, Default)]
pub struct OpenOptions<'h> {
    /// How files are reached.
    pub io: Io,
    /// In a parent of runs: `None` for the newest, "all", or a folder name.
    pub run: Option<String>,
    /// Bounds.
    pub limits: Limits,
    /// The path "-" is standard input; else it is refused.
    pub standard_input: bool,
    /// Only the documents info and ops will be asked for: they read what cannot be mapped through a window.
    pub one_pass: bool,
    /// Of bytes and reads: the name of the machine, which counts before what the file says.
    pub host: Option<String>,
    /// Of bytes and reads: the rank in its run.
    pub rank: Option<i32>,
    /// Aliases for what is not public; [`Profile::write_redaction`] says what was replaced.
    pub redact: bool,
    /// Progress, log, cancel, threads.
    pub hooks: Hooks<'h>,
}

/// An opened capture. `'d` is the lifetime of the bytes that it was opened over, `'static` for files.
///
/// What is borrowed from it cannot outlive it:
///
/// ```compile_fail,E0505
/// let profile = profkit::Profile::open("vm.xplane.pb").unwrap();
/// let plane = profile.planes().next().unwrap();
/// drop(profile);
/// println!("{}", plane.name());
/// ```
///
/// Nor can an analysis outlive the bytes that the profile was opened over:
///
/// ```compile_fail,E0505
/// let bytes = std::fs::read("vm.xplane.pb").unwrap();
/// let bubbles = profkit::Profile::from_bytes(&bytes, "vm.xplane.pb").unwrap().bubbles(Default::default());
/// drop(bytes);
/// drop(bubbles);
/// ```
#[derive(Debug)]
pub struct Profile<'d> {
    pub(crate) handle: Handle<'d, sys::pk_profile>,
}

impl Profile<'static> {
    /// Opens a file ("-": [`OpenOptions::standard_input`]), a run directory, or a parent of runs.
    ///
    /// # Errors
    /// Nothing at that path, no permission, or a file of which nothing is usable.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, OpenOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Profile::open`]; [`crate::Kind::Cancelled`].
    pub fn open_with(path: impl AsRef<Path>, options: OpenOptions<'_>) -> Result<Self> {
        let mut strings = Strings::default();
        let path = strings.path(path.as_ref())?;
        opened(options, strings, |options, out, err| {
            // SAFETY: the strings and the options live until the call returns.
            unsafe { sys::pk_profile_open(path, options, out, err) }
        })
    }
}

/// Reads of the caller, while a profile is opened.
struct Reads<'r> {
    read_at: &'r mut ReadAt<'r>,
    failed: Option<io::Error>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Reads up to `into.len()` bytes from an offset on and gives their number, 0 at the end.
pub type ReadAt<'r> = dyn FnMut(u64, &mut [u8]) -> io::Result<usize> + 'r;

unsafe extern "C" fn read_at(user: *mut c_void, offset: u64, into: *mut c_void, size: usize) -> i64 {
    let Reads { read_at, failed, panic } = &mut *user.cast::<Reads<'_>>();
    if failed.is_some() || panic.is_some() {
        return -1;
    }
    // The library does not clear what it wants filled; a slice may only be made over bytes that were written.
    ptr::write_bytes(into.cast::<u8>(), 0, size);
    let into = if size == 0 { &mut [][..] } else { std::slice::from_raw_parts_mut(into.cast::<u8>(), size) };
    match catch_unwind(AssertUnwindSafe(|| read_at(offset, into))) {
        Ok(Ok(read)) => read.min(size) as i64,
        Ok(Err(why)) => {
            *failed = Some(why);
            -1
        }
        Err(why) => {
            *panic = Some(why);
            -1
        }
    }
}

impl Profile<'static> {
    /// Opens one file through reads of the caller, which come during this call only. `label` as for
    /// [`Profile::from_bytes`]; `size` is that of the whole input, still compressed, if it is known.
    ///
    /// # Errors
    /// As [`Profile::open`], and [`crate::Kind::Io`] with what a read failed with. A panic of a read goes on here.
    pub fn open_reads(label: &str, size: Option<u64>, read: &mut ReadAt<'_>, options: OpenOptions<'_>) -> Result<Self> {
        if options.one_pass {
            let why = "documents read again when they are asked for, which a borrowed closure does not last for: open_reader() owns one";
            return Err(Error::new(sys::PK_E_INVALID_ARGUMENT, why.into()));
        }
        let mut strings = Strings::default();
        let label = strings.add(label.as_bytes());
        let mut reads = Reads { read_at: read, failed: None, panic: None };
        let callbacks = sys::pk_read_callbacks {
            user: (&mut reads as *mut Reads<'_>).cast(),
            read_at: Some(read_at),
            size_bytes: size.unwrap_or(0),
            ..Default::default()
        };
        let made = opened(options, strings, |options, out, err| {
            // SAFETY: everything that is pointed to lives until the call returns; no read comes later.
            unsafe { sys::pk_profile_open_callbacks(&callbacks, label, options, out, err) }
        });
        if let Some(panic) = reads.panic.take() {
            resume_unwind(panic);
        }
        match reads.failed.take() {
            Some(why) => Err(Error::new(sys::PK_E_IO, why.to_string())),
            None => made,
        }
    }
}

/// A reader that a profile owns, and that the library ends.
type Reader<'r> = Box<dyn FnMut(u64, &mut [u8]) -> io::Result<usize> + Send + 'r>;

unsafe extern "C" fn read_owned(user: *mut c_void, offset: u64, into: *mut c_void, size: usize) -> i64 {
    let reader = &mut *user.cast::<Reader<'_>>();
    // As in read_at().
    ptr::write_bytes(into.cast::<u8>(), 0, size);
    let into = if size == 0 { &mut [][..] } else { std::slice::from_raw_parts_mut(into.cast::<u8>(), size) };
    let (read, failed) = match catch_unwind(AssertUnwindSafe(|| reader(offset, into))) {
        Ok(Ok(read)) => (read.min(size) as i64, None),
        Ok(Err(why)) => (-1, Some(why.to_string())),
        Err(why) => {
            let text = why.downcast_ref::<&str>().copied().or_else(|| why.downcast_ref::<String>().map(|text| &text[..]));
            (-1, Some(format!("the reader panicked: {}", text.unwrap_or("it does not say why"))))
        }
    };
    set_read_failure(failed);
    read
}

unsafe extern "C" fn end_reader(user: *mut c_void) {
    // What a reader's end panics with has nobody to go to.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(user.cast::<Reader<'_>>()))));
}

impl<'d> Profile<'d> {
    /// Opens one file through a reader that the profile owns: `reader(offset, into)` reads up to `into.len()` bytes and gives
    /// their number, 0 at the end. `label` as for [`Profile::from_bytes`]; `size` is that of the whole input, still
    /// compressed, if it is known.
    ///
    /// With [`OpenOptions::one_pass`] each document reads anew when it is asked for, on the thread that asks, through a window,
    /// and the reader is dropped with the profile and all that was made of it; without, it is dropped before this returns.
    ///
    /// ```no_run
    /// use std::os::unix::fs::FileExt;
    /// let file = std::fs::File::open("vm.xplane.pb")?;
    /// let size = file.metadata()?.len();
    /// let options = profkit::OpenOptions { one_pass: true, ..Default::default() };
    /// let profile = profkit::Profile::open_reader("vm.xplane.pb", Some(size), move |at, into| file.read_at(into, at), options)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Profile::open`]. What a reader fails or panics with, here and later, is the message of a [`crate::Kind::Io`].
    pub fn open_reader(
        label: &str,
        size: Option<u64>,
        reader: impl FnMut(u64, &mut [u8]) -> io::Result<usize> + Send + 'd,
        options: OpenOptions<'_>,
    ) -> Result<Self> {
        let mut strings = Strings::default();
        let label = strings.add(label.as_bytes());
        let reader: Reader<'d> = Box::new(reader);
        opened(options, strings, |options, out, err| {
            let callbacks = sys::pk_read_callbacks {
                user: Box::into_raw(Box::new(reader)).cast(),
                read_at: Some(read_owned),
                size_bytes: size.unwrap_or(0),
                release: Some(end_reader),
                ..Default::default()
            };
            // SAFETY: everything that is pointed to lives until the call returns, and the reader until the library ends it.
            unsafe { sys::pk_profile_open_callbacks(&callbacks, label, options, out, err) }
        })
    }

    /// Opens one file that lies in memory, without copying it. `label` stands for the path in messages and helps to
    /// recognise the format ("vm.xplane.pb").
    ///
    /// # Errors
    /// As [`Profile::open`].
    pub fn from_bytes(data: &'d [u8], label: &str) -> Result<Self> {
        Self::from_bytes_with(data, label, OpenOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Profile::open`]; [`crate::Kind::Cancelled`].
    pub fn from_bytes_with(data: &'d [u8], label: &str, options: OpenOptions<'_>) -> Result<Self> {
        let mut strings = Strings::default();
        let label = strings.add(label.as_bytes());
        opened(options, strings, |options, out, err| {
            // SAFETY: `data` outlives the handle, which has its lifetime.
            unsafe { sys::pk_profile_open_buffer(data.as_ptr().cast(), data.len(), label, options, out, err) }
        })
    }

    fn info(&self) -> sys::pk_profile_info {
        // SAFETY: the handle is alive.
        got(|out, err| unsafe { sys::pk_profile_get(self.raw(), out, err) }).unwrap_or_default()
    }

    pub(crate) fn raw(&self) -> *const sys::pk_profile {
        self.handle.get()
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        // SAFETY: borrowed from the profile, and copied.
        unsafe { path(self.info().path) }.into()
    }

    /// What 0 ps is, in ns since 1970; `None` when no file tells.
    #[must_use]
    pub fn origin_unix_ns(&self) -> Option<i64> {
        let info = self.info();
        (info.flags & sys::PK_PROFILE_HAS_ORIGIN as u32 != 0).then_some(info.origin_unix_ns)
    }

    /// Files that no reader knows.
    #[must_use]
    pub fn ignored_count(&self) -> u64 {
        self.info().ignored_count
    }

    /// The files of the capture.
    #[must_use]
    pub fn files(&self) -> Files<'_> {
        Files {
            profile: self.raw(),
            // SAFETY: the handle is alive.
            next: 0..unsafe { sys::pk_file_count(self.raw()) },
            owner: PhantomData,
        }
    }

    /// The runs below a parent of runs, newest first.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        (0..self.info().run_count).map(move |at| {
            // SAFETY: the handle is alive, and the position was counted; text is borrowed from the profile.
            unsafe { row_at(|out, err| sys::pk_run_get(self.raw(), at, out, err)) }
        })
    }

    /// The planes of all files.
    pub fn planes(&self) -> impl Iterator<Item = Plane<'_>> {
        self.files().flat_map(|file| file.planes())
    }
}

impl OpenOptions<'_> {
    /// Points to the limits; without the hooks.
    pub(crate) fn raw(&self, strings: &mut Strings, limits: &sys::pk_limits) -> sys::pk_open_options {
        sys::pk_open_options {
            flags: flag(self.one_pass, sys::PK_OPEN_ONE_PASS) | flag(self.redact, sys::PK_OPEN_REDACT)
                | flag(self.rank.is_some(), sys::PK_OPEN_HAS_RANK)
                | flag(self.standard_input, sys::PK_OPEN_STANDARD_INPUT),
            rank: self.rank.unwrap_or(0),
            host: strings.optional(self.host.as_deref()),
            io: self.io.raw(),
            run: strings.optional(self.run.as_deref()),
            limits,
            ..Default::default()
        }
    }
}

fn opened<'d>(
    mut options: OpenOptions<'_>,
    mut strings: Strings,
    open: impl FnOnce(*const sys::pk_open_options, *mut *mut sys::pk_profile, *mut *mut sys::pk_error) -> i32,
) -> Result<Profile<'d>> {
    crate::require_library()?;
    let limits = options.limits.raw();
    let mut raw = options.raw(&mut strings, &limits);
    let handle = Bridge::new(&mut options.hooks).run(|hooks| {
        raw.hooks = hooks;
        Handle::make(sys::pk_profile_free, |out, err| open(&raw, out, err))
    })?;
    Ok(Profile { handle })
}

/// Items that are found by position.
macro_rules! positions {
    ($(#[$doc:meta])* $name:ident, $item:ident { $($field:ident : $type:ty),* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<'p> {
            profile: *const sys::pk_profile,
            $($field: $type,)*
            next: std::ops::Range<u32>,
            owner: PhantomData<&'p ()>,
        }
        impl<'p> Iterator for $name<'p> {
            type Item = $item<'p>;
            fn next(&mut self) -> Option<$item<'p>> {
                let position = self.next.next()?;
                Some($item { profile: self.profile, $($field: self.$field,)* position, owner: PhantomData })
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.next.size_hint()
            }
        }
        impl ExactSizeIterator for $name<'_> {}
        // SAFETY: profkit.h: any thread may read a profile.
        unsafe impl Send for $name<'_> {}
        // SAFETY: as above.
        unsafe impl Sync for $name<'_> {}
        // SAFETY: as above.
        unsafe impl Send for $item<'_> {}
        // SAFETY: as above.
        unsafe impl Sync for $item<'_> {}
    };
}
positions!(
    /// The files of a capture.
    Files, File {});
positions!(
    /// The planes of a file.
    Planes, Plane { file: u32 });
positions!(
    /// The lines of a plane.
    Lines, Line { file: u32, plane: u32 });

/// One file of a capture.
#[derive(Clone, Copy, Debug)]
pub struct File<'p> {
    profile: *const sys::pk_profile,
    position: u32,
    owner: PhantomData<&'p ()>,
}

impl<'p> File<'p> {
    pub(crate) fn raw_profile(&self) -> *const sys::pk_profile {
        self.profile
    }
    /// The row of the table files.
    #[must_use]
    pub fn info(&self) -> FileInfo<'p> {
        // SAFETY: the profile lives as long as 'p, and the position was counted.
        unsafe { row_at(|out, err| sys::pk_file_get(self.profile, self.position, out, err)) }
    }
    /// From 0.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.position
    }
    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.info().path.into()
    }
    /// The host as the file name tells it; "" when it does not.
    #[must_use]
    pub fn host(&self) -> Cow<'p, str> {
        self.info().host
    }
    /// Its format.
    #[must_use]
    pub fn family(&self) -> Family {
        self.info().family
    }
    /// How its bytes were compressed: by magic, not by name.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.info().compression
    }
    /// The run folder; "" for a file given by path.
    #[must_use]
    pub fn run(&self) -> Cow<'p, str> {
        self.info().run
    }
    /// Position of the XSpace that this file repeats.
    #[must_use]
    pub fn export_of(&self) -> Option<u32> {
        u32::try_from(self.info().export_of?).ok()
    }
    /// Names of the hosts that were profiled, as an XSpace lists them.
    pub fn hostnames(&self) -> impl Iterator<Item = Cow<'p, str>> {
        self.notes(sys::PK_NOTE_HOSTNAME)
    }
    /// Errors that the profiler wrote into an XSpace.
    pub fn errors(&self) -> impl Iterator<Item = Cow<'p, str>> {
        self.notes(sys::PK_NOTE_ERROR)
    }
    /// Warnings that the profiler wrote into an XSpace.
    pub fn warnings(&self) -> impl Iterator<Item = Cow<'p, str>> {
        self.notes(sys::PK_NOTE_WARNING)
    }
    fn notes(&self, kind: i32) -> impl Iterator<Item = Cow<'p, str>> {
        let File { profile, position, .. } = *self;
        // SAFETY: as info(); text is borrowed from the profile.
        (0..unsafe { sys::pk_file_note_count(profile, position, kind) }).map(move |note| unsafe {
            text(got(|out, err| sys::pk_file_note_get(profile, position, kind, note, out, err)).unwrap_or_default())
        })
    }
    /// What its own 0 ps is, in ns since 1970; a file that does not tell is not shifted.
    #[must_use]
    pub fn origin_unix_ns(&self) -> Option<i64> {
        self.info().origin_unix_ns
    }
    /// Added to its times to put them on the capture's clock.
    #[must_use]
    pub fn shift_ns(&self) -> i64 {
        self.info().shift_ns
    }
    /// Size on disk.
    #[must_use]
    pub fn encoded_bytes(&self) -> u64 {
        self.info().encoded_bytes
    }
    /// The decoded bytes: what was intact when it is damaged.
    ///
    /// # Errors
    /// What kept the file from being read.
    pub fn bytes(&self) -> Result<&'p [u8]> {
        // SAFETY: as info(); the bytes live as long as the profile.
        got(|out, err| unsafe { sys::pk_file_bytes(self.profile, self.position, out, err) })
            .map(|found| unsafe { bytes(found) })
    }
    /// Why the file is damaged or unreadable; `None` when it is sound.
    #[must_use]
    pub fn damage(&self) -> Option<Error> {
        // SAFETY: as info(); the error is borrowed and copied.
        unsafe {
            let damage = sys::pk_file_damage(self.profile, self.position);
            (!damage.is_null()).then(|| Error::borrow(damage))
        }
    }
    /// None unless the file is an XSpace.
    #[must_use]
    pub fn planes(&self) -> Planes<'p> {
        Planes {
            profile: self.profile,
            file: self.position,
            // SAFETY: as info().
            next: 0..unsafe { sys::pk_plane_count(self.profile, self.position) },
            owner: PhantomData,
        }
    }
}

/// One device, host or other source of an XSpace file.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'p> {
    profile: *const sys::pk_profile,
    file: u32,
    position: u32,
    owner: PhantomData<&'p ()>,
}

impl<'p> Plane<'p> {
    /// What the file says of it.
    #[must_use]
    pub fn info(&self) -> PlaneInfo<'p> {
        // SAFETY: the profile lives as long as 'p, and the position was counted.
        unsafe { row_at(|out, err| sys::pk_plane_get(self.profile, self.file, self.position, out, err)) }
    }
    /// In its file, from 0.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.position
    }
    /// As written; not unique.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.info().id
    }
    /// "/device:TPU:0"
    #[must_use]
    pub fn name(&self) -> Cow<'p, str> {
        self.info().name
    }
    /// What it stands for.
    #[must_use]
    pub fn kind(&self) -> PlaneKind {
        self.info().kind
    }
    /// N of "/device:TPU:N".
    #[must_use]
    pub fn device_ordinal(&self) -> Option<u32> {
        u32::try_from(self.info().device_ordinal?).ok()
    }
    /// Its lines.
    #[must_use]
    pub fn lines(&self) -> Lines<'p> {
        Lines {
            profile: self.profile,
            file: self.file,
            plane: self.position,
            // SAFETY: as info().
            next: 0..unsafe { sys::pk_line_count(self.profile, self.file, self.position) },
            owner: PhantomData,
        }
    }
    /// Facts of the plane itself.
    #[must_use]
    pub fn stats(&self) -> Stats<'p> {
        // SAFETY: as info().
        Stats::begin(|out, err| unsafe { sys::pk_plane_stats(self.profile, self.file, self.position, out, err) })
    }
    /// The entry of an id, in constant time.
    #[must_use]
    pub fn event_metadata(&self, id: i64) -> Option<EventMetadata<'p>> {
        // SAFETY: as info().
        let found: sys::pk_event_metadata =
            got(|out, err| unsafe { sys::pk_event_metadata_get(self.profile, self.file, self.position, id, out, err) })
                .ok()?;
        // SAFETY: borrowed from the profile.
        Some(unsafe { EventMetadata::of(&found) })
    }
    /// All entries, in the order of the file, each id once. An error comes where the bytes break the format.
    #[must_use]
    pub fn all_event_metadata(&self) -> AllEventMetadata<'p> {
        // SAFETY: as info().
        let rows = OneByOne::begin(|out, err| unsafe {
            sys::pk_event_metadata_begin(self.profile, self.file, self.position, out, err)
        });
        AllEventMetadata { rows, owner: PhantomData }
    }
    /// Ids of the entries that an entry names as its children.
    ///
    /// # Errors
    /// [`crate::Kind::NotFound`]: there is no such entry.
    pub fn event_metadata_children(&self, id: i64) -> Result<Vec<i64>> {
        let (profile, file, plane) = (self.profile, self.file, self.position);
        let mut ids = Vec::new();
        let mut count = 0;
        // SAFETY: as info(); first the number, then as many.
        check(|err| unsafe {
            sys::pk_event_metadata_children(profile, file, plane, id, ptr::null_mut(), 0, &mut count, err)
        })?;
        ids.resize(count, 0);
        check(|err| unsafe {
            // SAFETY: `ids` has room for `count`.
            sys::pk_event_metadata_children(profile, file, plane, id, ids.as_mut_ptr(), count, &mut count, err)
        })?;
        Ok(ids)
    }
    /// All names of stats, in the order of the file, each id once.
    #[must_use]
    pub fn all_stat_metadata(&self) -> AllStatMetadata<'p> {
        // SAFETY: as info().
        let rows = OneByOne::begin(|out, err| unsafe {
            sys::pk_stat_metadata_begin(self.profile, self.file, self.position, out, err)
        });
        AllStatMetadata { rows, owner: PhantomData }
    }
    /// The name of a stat id, in constant time.
    #[must_use]
    pub fn stat_name(&self, id: i64) -> Option<Cow<'p, str>> {
        // SAFETY: as info().
        let found: sys::pk_stat_metadata =
            got(|out, err| unsafe { sys::pk_stat_metadata_get(self.profile, self.file, self.position, id, out, err) })
                .ok()?;
        // SAFETY: borrowed from the profile.
        Some(unsafe { text(found.name) })
    }
    /// The id of a stat name, by looking at every entry: do it once a plane.
    #[must_use]
    pub fn stat_id(&self, name: &str) -> Option<i64> {
        let mut id = 0;
        // SAFETY: as info(); the name lives until the call returns.
        check(|err| unsafe {
            let (profile, file, plane) = (self.profile, self.file, self.position);
            sys::pk_stat_metadata_find(profile, file, plane, name.as_ptr().cast(), name.len(), &mut id, err)
        })
        .ok()
        .map(|_| id)
    }
    /// Stats that all events of an id share.
    #[must_use]
    pub fn metadata_stats(&self, id: i64) -> Stats<'p> {
        // SAFETY: as info().
        Stats::begin(|out, err| unsafe {
            sys::pk_event_metadata_stats(self.profile, self.file, self.position, id, out, err)
        })
    }
    /// The name of an event; "" when its id has no entry.
    #[must_use]
    pub fn name_of(&self, event: &Event<'p>) -> Cow<'p, str> {
        self.event_metadata(event.metadata_id()).map_or(Cow::Borrowed(""), |entry| entry.name)
    }
    /// Stats of an event of this plane: its own, then those of its metadata entry.
    #[must_use]
    pub fn stats_of(&self, event: &Event<'p>) -> Stats<'p> {
        let origins = (sys::PK_ORIGIN_EVENT | sys::PK_ORIGIN_METADATA) as u32;
        // SAFETY: as info(); the event borrows the same profile.
        Stats::begin(|out, err| unsafe {
            sys::pk_event_stats(self.profile, self.file, self.position, &event.raw, origins, out, err)
        })
    }
    /// The first of them with that name; `None` when there is none.
    #[must_use]
    pub fn find_stat(&self, event: &Event<'p>, name: &str) -> Option<Stat<'p>> {
        let origins = (sys::PK_ORIGIN_EVENT | sys::PK_ORIGIN_METADATA) as u32;
        // SAFETY: as stats_of().
        let found = got(|out, err| unsafe {
            sys::pk_event_stat_find(self.profile, self.file, self.position, &event.raw, origins, borrowed(name.as_bytes()), out, err)
        });
        found.ok().map(|raw| Stat { raw, owner: PhantomData })
    }
}

/// The event metadata entries of a plane.
#[derive(Debug)]
pub struct AllEventMetadata<'p> {
    rows: OneByOne<sys::pk_metadata_cursor>,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: a cursor belongs to one thread at a time.
unsafe impl Send for AllEventMetadata<'_> {}

impl<'p> Iterator for AllEventMetadata<'p> {
    type Item = Result<EventMetadata<'p>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the cursor borrows the profile, which lives as long as 'p; so does the text.
        let row = self.rows.next(|cursor, row, err| unsafe { sys::pk_event_metadata_next(cursor, row, err) })?;
        Some(row.map(|found: sys::pk_event_metadata| unsafe { EventMetadata::of(&found) }))
    }
}

/// The names of stats of a plane.
#[derive(Debug)]
pub struct AllStatMetadata<'p> {
    rows: OneByOne<sys::pk_metadata_cursor>,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: a cursor belongs to one thread at a time.
unsafe impl Send for AllStatMetadata<'_> {}

impl<'p> Iterator for AllStatMetadata<'p> {
    type Item = Result<StatMetadata<'p>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: as AllEventMetadata.
        let row = self.rows.next(|cursor, row, err| unsafe { sys::pk_stat_metadata_next(cursor, row, err) })?;
        Some(row.map(|found: sys::pk_stat_metadata| unsafe { StatMetadata::of(&found) }))
    }
}

/// One row of events of a plane.
#[derive(Clone, Copy, Debug)]
pub struct Line<'p> {
    profile: *const sys::pk_profile,
    file: u32,
    plane: u32,
    position: u32,
    owner: PhantomData<&'p ()>,
}

impl<'p> Line<'p> {
    /// What stands before its events.
    #[must_use]
    pub fn info(&self) -> LineInfo<'p> {
        // SAFETY: the profile lives as long as 'p, and the position was counted.
        unsafe { row_at(|out, err| sys::pk_line_get(self.profile, self.file, self.plane, self.position, out, err)) }
    }
    /// In its plane, from 0.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.position
    }
    /// As written; not unique.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.info().id
    }
    /// Name.
    #[must_use]
    pub fn name(&self) -> Cow<'p, str> {
        self.info().name
    }
    /// What its events mean.
    #[must_use]
    pub fn kind(&self) -> LineKind {
        self.info().kind
    }
    /// What event offsets count from, as written: relative to the file's origin, or ns since 1970.
    #[must_use]
    pub fn timestamp_ns(&self) -> i64 {
        self.info().timestamp_ns
    }
    /// What event offsets count from, on the capture's clock; `None` when it is out of range.
    #[must_use]
    pub fn start_ps(&self) -> Option<i64> {
        self.info().start_ps
    }
    /// Counts the events without decoding them.
    ///
    /// # Errors
    /// Damage that leaves nothing to count.
    pub fn summary(&self) -> Result<LineSummary<'p>> {
        // SAFETY: as info(); text is borrowed from the profile.
        unsafe {
            got(|out, err| sys::pk_line_summarise(self.profile, self.file, self.plane, self.position, out, err))
                .map(|found| LineSummary::of(&found))
        }
    }
    /// Events in the order of the file. An error comes where the bytes break the format, after every event before.
    #[must_use]
    pub fn events(&self) -> Events<'p> {
        let mut cursor = sys::pk_event_cursor::default();
        // SAFETY: as info().
        let begun = check(|err| unsafe {
            sys::pk_events_begin(self.profile, self.file, self.plane, self.position, &mut cursor, err)
        });
        Events { cursor, rows: Batched::new(), failed: begun.err(), owner: PhantomData }
    }
}

/// One event.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Event<'p> {
    raw: sys::pk_event,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: what it points to is immutable and borrowed from the profile.
unsafe impl Send for Event<'_> {}
// SAFETY: as above.
unsafe impl Sync for Event<'_> {}

impl Event<'_> {
    fn when(&self, flag: i32, value: i64) -> Option<i64> {
        (self.raw.flags & flag as u32 != 0).then_some(value)
    }
    /// Names the metadata entry; it may have none.
    #[must_use]
    pub fn metadata_id(&self) -> i64 {
        self.raw.metadata_id
    }
    /// On the capture's clock; `None` for an aggregated event, which has no place in time.
    #[must_use]
    pub fn start_ps(&self) -> Option<i64> {
        self.when(sys::PK_EVENT_HAS_START, self.raw.start_ps)
    }
    /// After the line's own zero, as written.
    #[must_use]
    pub fn offset_ps(&self) -> Option<i64> {
        self.when(sys::PK_EVENT_HAS_OFFSET, self.raw.offset_ps)
    }
    /// 0 is an instant.
    #[must_use]
    pub fn duration_ps(&self) -> i64 {
        self.raw.duration_ps
    }
    /// Of an aggregated event.
    #[must_use]
    pub fn num_occurrences(&self) -> Option<i64> {
        self.when(sys::PK_EVENT_HAS_OCCURRENCES, self.raw.num_occurrences)
    }
}

impl<'p> Event<'p> {
    /// Its own stats as bytes, for [`Stats::of_bytes`].
    #[must_use]
    pub fn raw_stats(&self) -> &'p [u8] {
        // SAFETY: borrowed from the profile, or for the call of a visitor.
        unsafe { slice(self.raw.stats.cast(), self.raw.stats_bytes as usize) }
    }
}

/// The events of a line. They are read 256 at a time.
#[derive(Debug)]
pub struct Events<'p> {
    cursor: sys::pk_event_cursor,
    rows: Batched<sys::pk_event>,
    failed: Option<Error>,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: a cursor belongs to one thread at a time.
unsafe impl Send for Events<'_> {}

impl<'p> Events<'p> {
    fn wrong(&mut self) -> Option<Error> {
        self.failed.take()
    }

    /// The next events at once: the fastest way to go over all of them.
    pub fn next_batch(&mut self) -> Option<Result<&[Event<'p>]>> {
        if let Some(why) = self.wrong() {
            return Some(Err(why));
        }
        let cursor = &mut self.cursor;
        let batch = self.rows.next_batch(|rows, capacity, count| {
            // SAFETY: the cursor borrows the profile; `rows` has room for `capacity`.
            check(|err| unsafe { sys::pk_events_read(cursor, rows, capacity, count, err) })
        })?;
        Some(batch.map(|rows| {
            // SAFETY: Event is a transparent pk_event.
            unsafe { std::slice::from_raw_parts(rows.as_ptr().cast::<Event<'p>>(), rows.len()) }
        }))
    }
}

impl<'p> Iterator for Events<'p> {
    type Item = Result<Event<'p>>;
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed.is_some() {
            return self.wrong().map(Err);
        }
        let cursor = &mut self.cursor;
        let row = self.rows.next(|rows, capacity, count| {
            // SAFETY: as next_batch().
            check(|err| unsafe { sys::pk_events_read(cursor, rows, capacity, count, err) })
        })?;
        Some(row.map(|raw| Event { raw, owner: PhantomData }))
    }
}

/// What a stat says.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum Value<'p> {
    /// No value was written.
    None,
    /// A double.
    Double(f64),
    /// An unsigned integer.
    Uint64(u64),
    /// A signed integer.
    Int64(i64),
    /// Text, of the stat itself or of the entry that it refers to.
    Text(Cow<'p, str>),
    /// Bytes.
    Bytes(&'p [u8]),
}

/// One fact of an event, of its metadata entry, or of a plane.
#[derive(Clone, Copy, Debug)]
pub struct Stat<'p> {
    raw: sys::pk_stat,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: what it points to is immutable and borrowed from the profile.
unsafe impl Send for Stat<'_> {}
// SAFETY: as above.
unsafe impl Sync for Stat<'_> {}

impl<'p> Stat<'p> {
    /// "" when its id has no entry.
    #[must_use]
    pub fn name(&self) -> Cow<'p, str> {
        // SAFETY: borrowed from the profile.
        unsafe { text(self.raw.name) }
    }
    /// Its value.
    #[must_use]
    pub fn value(&self) -> Value<'p> {
        // SAFETY: borrowed from the profile.
        unsafe {
            match self.raw.kind {
                sys::PK_STAT_DOUBLE => Value::Double(f64::from_bits(self.raw.bits)),
                sys::PK_STAT_UINT64 => Value::Uint64(self.raw.bits),
                sys::PK_STAT_INT64 => Value::Int64(self.raw.bits as i64),
                sys::PK_STAT_STR | sys::PK_STAT_REF => Value::Text(text(self.raw.text)),
                sys::PK_STAT_BYTES => Value::Bytes(bytes(self.raw.text)),
                _ => Value::None,
            }
        }
    }
    /// Where it was written.
    #[must_use]
    pub fn origin(&self) -> StatOrigin {
        StatOrigin::of(self.raw.origin)
    }
}

/// A list of stats.
#[derive(Debug)]
pub struct Stats<'p> {
    rows: OneByOne<sys::pk_stat_cursor>,
    owner: PhantomData<&'p ()>,
}

// SAFETY: profkit.h: a cursor belongs to one thread at a time.
unsafe impl Send for Stats<'_> {}

impl<'p> Stats<'p> {
    /// Stats of an event by their bytes. Without its plane, names and texts that are references are "".
    #[must_use]
    pub fn of_bytes(stats: &'p [u8], plane: Option<Plane<'p>>) -> Self {
        let (profile, file, position) = plane.map_or((ptr::null(), 0, 0), |at| (at.profile, at.file, at.position));
        Self::begin(|cursor, err| {
            // SAFETY: the bytes and the plane live as long as 'p.
            unsafe { sys::pk_stats_begin(stats.as_ptr().cast(), stats.len(), profile, file, position, cursor, err) }
        })
    }
}

impl Stats<'_> {
    fn begin(begin: impl FnOnce(*mut sys::pk_stat_cursor, *mut *mut sys::pk_error) -> i32) -> Self {
        Self { rows: OneByOne::begin(begin), owner: PhantomData }
    }
}

impl<'p> Iterator for Stats<'p> {
    type Item = Result<Stat<'p>>;
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the cursor borrows the profile, which lives as long as 'p.
        let row = self.rows.next(|cursor, row, err| unsafe { sys::pk_stat_next(cursor, row, err) })?;
        Some(row.map(|raw| Stat { raw, owner: PhantomData }))
    }
}
