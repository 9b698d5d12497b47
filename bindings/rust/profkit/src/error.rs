//! What a call that fails gives.

use crate::kinds::Kind;
use profkit_sys as sys;
use std::cell::RefCell;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;
use std::ptr;
use std::sync::Arc;

/// What the library wrote.
struct Written(*mut sys::pk_error);

// SAFETY: profkit.h: an error is immutable, and any thread may use and free it.
unsafe impl Send for Written {}
// SAFETY: as above.
unsafe impl Sync for Written {}

impl Drop for Written {
    fn drop(&mut self) {
        // SAFETY: it was written for us, and is freed once.
        unsafe { sys::pk_error_free(self.0) }
    }
}

#[derive(Clone)]
struct Facts {
    written: Option<Arc<Written>>, // None: found out by this crate, or borrowed
    status: i32,
    message: String,
    path: String,
    byte_offset: Option<u64>,
    hint: String,
}

/// What went wrong, where, and what to do. One pointer wide.
#[derive(Clone)]
pub struct Error(Box<Facts>);

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("message", &self.message())
            .field("path", &self.path())
            .field("byte_offset", &self.byte_offset())
            .field("hint", &self.hint())
            .finish()
    }
}

unsafe fn owned(text: *const c_char) -> String {
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

impl Error {
    /// Takes over an error that a call wrote; `status` is what the call returned.
    ///
    /// # Safety
    /// `error` is NULL, or an error that nobody else frees.
    pub(crate) unsafe fn take(status: i32, error: *mut sys::pk_error) -> Self {
        if error.is_null() {
            return Self::new(status, String::new());
        }
        let mut taken = Self::borrow(error);
        taken.0.written = Some(Arc::new(Written(error)));
        taken
    }

    /// Copies a borrowed error.
    ///
    /// # Safety
    /// `error` is alive.
    pub(crate) unsafe fn borrow(error: *const sys::pk_error) -> Self {
        let offset = sys::pk_error_byte_offset(error);
        Self(Box::new(Facts {
            written: None,
            status: sys::pk_error_code(error),
            message: owned(sys::pk_error_message(error)),
            path: owned(sys::pk_error_path(error)),
            byte_offset: (offset != sys::PK_NO_OFFSET).then_some(offset),
            hint: owned(sys::pk_error_hint(error)),
        }))
    }

    pub(crate) fn new(status: i32, message: String) -> Self {
        Self(Box::new(Facts {
            written: None,
            status,
            message,
            path: String::new(),
            byte_offset: None,
            hint: String::new(),
        }))
    }

    /// What the library wrote, as long as this lives.
    pub(crate) fn raw(&self) -> Option<*const sys::pk_error> {
        self.0.written.as_ref().map(|written| written.0 as *const _)
    }

    /// What kind of failure it was.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::of(self.0.status)
    }
    /// The status of the C ABI, a negative `PK_E_` value.
    #[must_use]
    pub fn status(&self) -> i32 {
        self.0.status
    }
    /// The status as JSON error documents have it: "damaged".
    #[must_use]
    pub fn code(&self) -> &'static str {
        // SAFETY: a static, NUL-terminated ASCII text.
        unsafe { CStr::from_ptr(sys::pk_status_name(self.0.status)) }.to_str().unwrap_or("internal")
    }
    /// What happened and what was expected; one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// Path or label of the input; "" when none is involved.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }
    /// Position in the decoded bytes of the input, where it is known.
    #[must_use]
    pub fn byte_offset(&self) -> Option<u64> {
        self.0.byte_offset
    }
    /// What to do next; "" when there is nothing to advise.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.0.hint
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        (a.status, &a.message, &a.path, a.byte_offset, &a.hint) == (b.status, &b.message, &b.path, b.byte_offset, &b.hint)
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.message.is_empty() {
            return f.write_str(self.code());
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "serde")]
impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = to.serialize_struct("Error", 5)?;
        fields.serialize_field("code", self.code())?;
        fields.serialize_field("message", self.message())?;
        fields.serialize_field("path", self.path())?;
        fields.serialize_field("byte_offset", &self.byte_offset())?;
        fields.serialize_field("hint", self.hint())?;
        fields.end()
    }
}

/// Calls a function that ends in `pk_error **err`: `true` for `PK_OK`, `false` for `PK_END`.
pub(crate) fn check(call: impl FnOnce(*mut *mut sys::pk_error) -> i32) -> crate::Result<bool> {
    let mut error = ptr::null_mut();
    set_read_failure(None);
    let status = call(&mut error);
    let read_failure = READ_FAILURE.with(|failure| failure.borrow_mut().take());
    match (status >= 0, read_failure) {
        (true, None) => Ok(status == sys::PK_OK),
        // The library took what it could read, which was not all.
        (true, Some(reason)) => Err(Error::new(sys::PK_E_IO, reason)),
        (false, reason) => {
            // SAFETY: the call wrote NULL or an error that is ours.
            let mut why = unsafe { Error::take(status, error) };
            if let Some(reason) = reason {
                why.0.message = format!("{}: {reason}", why.0.message);
            }
            Err(why)
        }
    }
}

thread_local! {
    static READ_FAILURE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Why the last read of a profile's own reader failed on this thread: the error of the call that made it read says so.
pub(crate) fn set_read_failure(why: Option<String>) {
    READ_FAILURE.with(|failure| *failure.borrow_mut() = why);
}

/// Calls a function that ends in `(T *out, pk_error **err)`.
pub(crate) fn got<T: Default>(call: impl FnOnce(*mut T, *mut *mut sys::pk_error) -> i32) -> crate::Result<T> {
    let mut out = T::default();
    check(|err| call(&mut out, err)).map(|_| out)
}
