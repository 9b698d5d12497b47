//! A capture whose bytes arrive piece by piece.

use crate::error::{check, Error};
use crate::kinds::NoteKind;
use crate::hooks::{slice, Handle};
use crate::rows::{borrowed, FromRaw};
use crate::rows_of_tables::{PushedLine, PushedPlane};
use crate::{Event, Limits, Profile, Result};
use profkit_sys as sys;
use std::any::Any;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// What takes a capture that is pushed: planes one after the other, and their lines one after the other. `Break` ends the
/// reading with [`crate::Kind::Cancelled`].
pub trait PushVisitor {
    /// A plane whose first line begins, or that ends without one.
    fn plane_begin(&mut self, _plane: &PushedPlane<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// A line whose first event came, or that ends without one.
    fn line_begin(&mut self, _line: &PushedLine<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// The next events of a line, in the order of the file. Their names are those of their metadata ids, which `plane_end`
    /// knows; `start_ps()` is not known.
    fn events(&mut self, line: &PushedLine<'_>, events: &[Event<'_>]) -> ControlFlow<()>;
    /// All of the line.
    fn line_end(&mut self, _line: &PushedLine<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// All of a plane has come: `rest` has a file with it alone, without its events, and may be kept.
    fn plane_end(&mut self, _plane: u32, _rest: Profile<'static>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// What the capture says beside its planes; with the plane after it, or at the end.
    fn note(&mut self, _kind: NoteKind, _text: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    /// Something is damaged. What is intact around it comes nevertheless.
    fn damage(&mut self, _why: Error) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How a pushed capture is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct PushOptions<'a> {
    /// Stands for the path in messages.
    pub label: &'a str,
    /// `max_materialised_bytes` bounds an event or entry that is not all there, and the rest of a plane.
    pub limits: Limits,
}

/// Takes the bytes of an XSpace as they arrive, plain, gzip or zstd, and hands its events on meanwhile.
///
/// ```no_run
/// # use std::{io::Read, ops::ControlFlow};
/// struct Count(usize);
/// impl profkit::PushVisitor for Count {
///     fn events(&mut self, _: &profkit::PushedLine<'_>, events: &[profkit::Event<'_>]) -> ControlFlow<()> {
///         self.0 += events.len();
///         ControlFlow::Continue(())
///     }
/// }
/// let mut reader = profkit::PushReader::new(Count(0))?;
/// let mut piece = [0; 4096];
/// while let Ok(count @ 1..) = std::io::stdin().read(&mut piece) {
///     reader.push(&piece[..count])?;
/// }
/// reader.finish()?;
/// # Ok::<(), profkit::Error>(())
/// ```
#[derive(Debug)]
pub struct PushReader<V: PushVisitor> {
    handle: Handle<'static, sys::pk_xspace_push>,
    state: Box<State<V>>,        // used by the handle: it is dropped after it
    owner: PhantomData<*mut ()>, // one thread at a time, and visitors need not be Send
}

struct State<V> {
    visitor: V,
    panic: Option<Box<dyn Any + Send>>,
}

impl<V> std::fmt::Debug for State<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl<V: PushVisitor> PushReader<V> {
    /// A reader with the default limits.
    ///
    /// # Errors
    /// No memory is left.
    pub fn new(visitor: V) -> Result<Self> {
        Self::with(visitor, &PushOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// No memory is left.
    pub fn with(visitor: V, options: &PushOptions<'_>) -> Result<Self> {
        let mut state = Box::new(State { visitor, panic: None });
        let callbacks = sys::pk_push_callbacks {
            user: (&mut *state as *mut State<V>).cast(),
            plane_begin: Some(plane_begin::<V>),
            line_begin: Some(line_begin::<V>),
            events: Some(events::<V>),
            line_end: Some(line_end::<V>),
            plane_end: Some(plane_end::<V>),
            note: Some(note::<V>),
            damage: Some(damage::<V>),
            ..Default::default()
        };
        let limits = options.limits.raw();
        let given = sys::pk_push_options { label: borrowed(options.label.as_bytes()), limits: &limits, ..Default::default() };
        let handle = Handle::make(sys::pk_xspace_push_free, |out, err| unsafe {
            // SAFETY: the state stays where it is for as long as the handle; the options are copied.
            sys::pk_xspace_push_new(&callbacks, &given, out, err)
        })?;
        Ok(Self { handle, state, owner: PhantomData })
    }

    /// The next bytes, as many as there are. Damage is no error here. A panic of the visitor goes on.
    ///
    /// # Errors
    /// Bytes that are no XSpace, a limit, or a visitor that asked to stop; the same at every call after it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let raw = self.handle.get_mut();
        // SAFETY: the handle is ours; the bytes live until the call returns.
        let result = check(|err| unsafe { sys::pk_xspace_push_bytes(raw, bytes.as_ptr().cast(), bytes.len(), err) });
        self.settle(result)
    }

    /// No more bytes come. Gives the visitor back.
    ///
    /// # Errors
    /// Of a capture that was cut or damaged [`crate::Kind::Damaged`] with the place that lies first; else as [`PushReader::push`].
    pub fn finish(mut self) -> Result<V> {
        self.end()?;
        Ok(self.state.visitor)
    }

    /// The same where the visitor is needed also when the capture was damaged.
    pub fn finish_with(mut self) -> (V, Result<()>) {
        let ended = self.end();
        (self.state.visitor, ended)
    }

    fn end(&mut self) -> Result<()> {
        let raw = self.handle.get_mut();
        // SAFETY: the handle is ours.
        let result = check(|err| unsafe { sys::pk_xspace_push_finish(raw, err) });
        self.settle(result)
    }

    fn settle(&mut self, result: Result<bool>) -> Result<()> {
        if let Some(panic) = self.state.panic.take() {
            resume_unwind(panic);
        }
        result.map(|_| ())
    }
}

/// Calls the visitor; a panic goes on when the call of the library has returned.
unsafe fn handed<V>(user: *mut c_void, call: impl FnOnce(&mut V) -> ControlFlow<()>) -> i32 {
    let State { visitor, panic } = &mut *user.cast::<State<V>>();
    match catch_unwind(AssertUnwindSafe(|| call(visitor))) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(why) => {
            *panic = Some(why);
            1
        }
    }
}

unsafe extern "C" fn plane_begin<V: PushVisitor>(user: *mut c_void, plane: *const sys::pk_pushed_plane) -> i32 {
    handed(user, |to: &mut V| to.plane_begin(&PushedPlane::of(&*plane)))
}

unsafe extern "C" fn line_begin<V: PushVisitor>(user: *mut c_void, line: *const sys::pk_pushed_line) -> i32 {
    handed(user, |to: &mut V| to.line_begin(&PushedLine::of(&*line)))
}

unsafe extern "C" fn events<V: PushVisitor>(
    user: *mut c_void,
    line: *const sys::pk_pushed_line,
    events: *const sys::pk_event,
    count: usize,
) -> i32 {
    // Event is a transparent pk_event.
    handed(user, |to: &mut V| to.events(&PushedLine::of(&*line), std::slice::from_raw_parts(events.cast::<Event<'_>>(), count)))
}

unsafe extern "C" fn line_end<V: PushVisitor>(user: *mut c_void, line: *const sys::pk_pushed_line) -> i32 {
    handed(user, |to: &mut V| to.line_end(&PushedLine::of(&*line)))
}

unsafe extern "C" fn plane_end<V: PushVisitor>(user: *mut c_void, plane: u32, rest: *mut sys::pk_profile) -> i32 {
    let kept = Handle::make(sys::pk_profile_free, |out, _| {
        *out = sys::pk_profile_ref(rest);
        sys::PK_OK
    });
    handed(user, |to: &mut V| match kept {
        Ok(handle) => to.plane_end(plane, Profile { handle }),
        Err(_) => ControlFlow::Break(()),
    })
}

unsafe extern "C" fn note<V: PushVisitor>(user: *mut c_void, kind: i32, said: *const sys::pk_str) -> i32 {
    let said = slice((*said).data.cast(), (*said).size);
    handed(user, |to: &mut V| to.note(NoteKind::of(kind), &String::from_utf8_lossy(said)))
}

unsafe extern "C" fn damage<V: PushVisitor>(user: *mut c_void, why: *const sys::pk_error) -> i32 {
    handed(user, |to: &mut V| to.damage(Error::borrow(why)))
}
