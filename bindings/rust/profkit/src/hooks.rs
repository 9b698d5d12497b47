//! What a call may do on the caller's behalf: tell progress, be cancelled, use threads; and writing through callbacks.

use crate::error::{check, Error};
use crate::kinds::LogLevel;
use profkit_sys as sys;
use std::any::Any;
use std::ffi::CStr;
use std::io;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

/// Lets any thread stop work that another thread is doing.
#[derive(Debug)]
pub struct CancelToken(*mut sys::pk_cancel_token);

// SAFETY: profkit.h: a token may be cancelled and looked at by any thread.
unsafe impl Send for CancelToken {}
// SAFETY: as above.
unsafe impl Sync for CancelToken {}

impl CancelToken {
    /// A token that has not been cancelled.
    ///
    /// # Panics
    /// When no memory is left.
    #[must_use]
    pub fn new() -> Self {
        let mut made = ptr::null_mut();
        // SAFETY: `made` is a place for the handle.
        check(|err| unsafe { sys::pk_cancel_token_new(&mut made, err) }).expect("memory for a cancel token");
        Self(made)
    }
    /// Stops every call that was given this token, now or later.
    pub fn cancel(&self) {
        // SAFETY: the token is alive.
        unsafe { sys::pk_cancel_token_cancel(self.0) }
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for CancelToken {
    fn drop(&mut self) {
        // SAFETY: hooks borrow the token, so no running call uses it.
        unsafe { sys::pk_cancel_token_free(self.0) }
    }
}

type Progress<'a> = Box<dyn FnMut(u64, u64) -> ControlFlow<()> + Send + 'a>;
type Log<'a> = Box<dyn FnMut(LogLevel, &str) + Send + 'a>;

/// What a call may do on the caller's behalf while it lasts. Nothing is asked for by default.
#[derive(Default)]
pub struct Hooks<'a> {
    progress: Option<Progress<'a>>,
    log: Option<Log<'a>>,
    cancel: Option<&'a CancelToken>,
    threads: u32,
}

impl std::fmt::Debug for Hooks<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks")
            .field("progress", &self.progress.is_some())
            .field("log", &self.log.is_some())
            .field("cancel", &self.cancel)
            .field("threads", &self.threads)
            .finish()
    }
}

impl<'a> Hooks<'a> {
    /// No hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Called at most every 50 ms with the bytes done and the bytes in all (0: unknown). `Break` stops the work.
    #[must_use]
    pub fn progress(mut self, tell: impl FnMut(u64, u64) -> ControlFlow<()> + Send + 'a) -> Self {
        self.progress = Some(Box::new(tell));
        self
    }
    /// Hears remarks.
    #[must_use]
    pub fn log(mut self, hear: impl FnMut(LogLevel, &str) + Send + 'a) -> Self {
        self.log = Some(Box::new(hear));
        self
    }
    /// Stops the work when the token is cancelled.
    #[must_use]
    pub fn cancel(mut self, token: &'a CancelToken) -> Self {
        self.cancel = Some(token);
        self
    }
    /// Threads to work with; 0 and 1 are the calling one. Results do not depend on it.
    #[must_use]
    pub fn threads(mut self, count: u32) -> Self {
        self.threads = count;
        self
    }
}

type Panic = Option<Box<dyn Any + Send>>;

/// The C struct over hooks, while a call lasts. A callback that panics stops the work; the panic goes on afterwards.
pub(crate) struct Bridge<'h, 'a> {
    raw: sys::pk_hooks,
    state: Box<State<'h, 'a>>,
}

struct State<'h, 'a> {
    hooks: &'h mut Hooks<'a>,
    panic: Panic,
}

impl<'h, 'a> Bridge<'h, 'a> {
    pub(crate) fn new(hooks: &'h mut Hooks<'a>) -> Self {
        let mut state = Box::new(State { hooks, panic: None });
        let raw = sys::pk_hooks {
            threads: state.hooks.threads,
            user: (&mut *state as *mut State<'h, 'a>).cast(),
            log: state.hooks.log.as_ref().map(|_| log as _),
            progress: state.hooks.progress.as_ref().map(|_| progress as _),
            cancel: state.hooks.cancel.map_or(ptr::null(), |token| token.0 as *const _),
            ..Default::default()
        };
        Self { raw, state }
    }

    /// Makes the call, and lets a panic of a callback go on.
    pub(crate) fn run<T>(mut self, call: impl FnOnce(*const sys::pk_hooks) -> T) -> T {
        let result = call(&self.raw);
        if let Some(panic) = self.state.panic.take() {
            resume_unwind(panic);
        }
        result
    }
}

unsafe extern "C" fn progress(user: *mut c_void, done: u64, total: u64) -> i32 {
    let state = &mut *user.cast::<State<'_, '_>>();
    let State { hooks, panic } = state;
    let told = catch_unwind(AssertUnwindSafe(|| {
        hooks.progress.as_mut().map_or(ControlFlow::Continue(()), |tell| tell(done, total))
    }));
    match told {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(why) => {
            *panic = Some(why);
            1
        }
    }
}

unsafe extern "C" fn log(user: *mut c_void, level: i32, message: *const c_char) {
    let state = &mut *user.cast::<State<'_, '_>>();
    if state.panic.is_some() {
        return;
    }
    let State { hooks, panic } = state;
    let text = CStr::from_ptr(message).to_string_lossy();
    if let Err(why) = catch_unwind(AssertUnwindSafe(|| {
        if let Some(hear) = hooks.log.as_mut() {
            hear(LogLevel::of(level), &text);
        }
    })) {
        *panic = Some(why);
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("failed", &self.failed).finish_non_exhaustive()
    }
}

/// A writer behind the write callback. What it fails with comes out as [`crate::Kind::Output`].
pub(crate) struct Output<'w> {
    to: &'w mut dyn io::Write,
    failed: Option<io::Error>,
    panic: Panic,
}

impl<'w> Output<'w> {
    pub(crate) fn new(to: &'w mut dyn io::Write) -> Self {
        Self { to, failed: None, panic: None }
    }

    pub(crate) const CALLBACK: sys::pk_write_callback = Some(write);

    pub(crate) fn run<T>(mut self, call: impl FnOnce(*mut c_void) -> crate::Result<T>) -> crate::Result<T> {
        let user = (&mut self as *mut Output<'w>).cast();
        self.settle(|| call(user))
    }

    /// Makes a call that may write here; then tells what became of the writing.
    pub(crate) fn settle<T>(&mut self, call: impl FnOnce() -> crate::Result<T>) -> crate::Result<T> {
        let result = call();
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
        match self.failed.take() {
            Some(why) => Err(Error::new(sys::PK_E_OUTPUT, why.to_string())),
            None => result,
        }
    }
}

unsafe extern "C" fn write(user: *mut c_void, data: *const c_void, size: usize) -> i32 {
    let output = &mut *user.cast::<Output<'_>>();
    let bytes = slice(data.cast(), size);
    let Output { to, failed, panic } = output;
    if failed.is_some() || panic.is_some() {
        return 1;
    }
    match catch_unwind(AssertUnwindSafe(|| to.write_all(bytes))) {
        Ok(Ok(())) => 0,
        Ok(Err(why)) => {
            *failed = Some(why);
            1
        }
        Err(why) => {
            *panic = Some(why);
            1
        }
    }
}

/// # Safety
/// `data` holds `size` values for as long as `'a`; it may be NULL when `size` is 0.
pub(crate) unsafe fn slice<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, size)
}

/// An owned C object.
#[derive(Debug)]
pub(crate) struct Handle<'d, T> {
    raw: *mut T,
    free: unsafe extern "C" fn(*mut T),
    data: PhantomData<&'d [u8]>,
}

// SAFETY: profkit.h: these handles are immutable; any thread may read and free them.
unsafe impl<T> Send for Handle<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Handle<'_, T> {}

impl<'d, T> Handle<'d, T> {
    /// Calls a function that ends in `(T **out, pk_error **err)`.
    pub(crate) fn make(
        free: unsafe extern "C" fn(*mut T),
        call: impl FnOnce(*mut *mut T, *mut *mut sys::pk_error) -> i32,
    ) -> crate::Result<Self> {
        let mut raw = ptr::null_mut();
        let made = check(|err| call(&mut raw, err));
        // What was made of less than all is given back here.
        let handle = Self { raw, free, data: PhantomData };
        made.map(|_| handle)
    }
    pub(crate) fn get(&self) -> *const T {
        self.raw
    }
    /// For functions that take a reference of their own.
    pub(crate) fn get_mut(&self) -> *mut T {
        self.raw
    }
}

impl<T> Drop for Handle<'_, T> {
    fn drop(&mut self) {
        // SAFETY: made by the matching function, and freed once.
        unsafe { (self.free)(self.raw) }
    }
}
