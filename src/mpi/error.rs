//! Errors: codes that MPI gave, and our own as classes registered with MPI.

use super::handles::Comm;
use super::raw::{self, is_live};
use super::site::here;
use crate::error::{Code, Error, set_last};
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, PoisonError};

/// Why a call failed.
#[derive(Debug)]
pub enum Failure {
    /// A code of MPI, already raised on the communicator concerned (or on one that returns errors).
    Mpi(c_int),
    /// An error of ours, to be raised on the communicator of the call. Boxed, as below: every call returns
    /// room for a failure, and hardly any has one.
    Own(Box<Error>),
    /// An error of ours, to be raised on this communicator.
    On(Box<(Comm, Error)>),
}

pub type MpiResult<T> = Result<T, Failure>;

/// The first error of several calls, all of which were made: others may wait for each of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct First(c_int);

impl First {
    pub const fn note(&mut self, code: c_int) {
        if self.0 == raw::SUCCESS {
            self.0 = code;
        }
    }

    pub const fn code(self) -> c_int {
        self.0
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Self {
        Self::Own(Box::new(error))
    }
}

impl Failure {
    /// As an error of the tape, which knows nothing of MPI.
    pub fn into_error(self, what: impl std::fmt::Display) -> Error {
        match self {
            Self::Mpi(code) => Error::new(Code::Mpi, format!("{what}: {}", describe(code))),
            Self::Own(error) => *error,
            Self::On(error) => error.1,
        }
    }

    /// The code that MPI gave, or that of success for an error of ours.
    pub const fn code(&self) -> c_int {
        if let Self::Mpi(code) = self { *code } else { raw::SUCCESS }
    }

    /// Names the communicator on which an own error is to be raised, unless it is known.
    pub fn on(self, comm: Comm) -> Self {
        match self {
            Self::Own(error) => Self::On(Box::new((comm, *error))),
            other => other,
        }
    }
}

#[inline]
pub fn check(code: c_int) -> MpiResult<()> {
    if code == raw::SUCCESS { Ok(()) } else { Err(Failure::Mpi(code)) }
}

#[cold]
pub fn too_many(n: usize, width: usize) -> Failure {
    Error::new(Code::Argument, format!("{n} doubles times {width} directions are past INT_MAX"))
        .into()
}

/// Whether a receive ended by `code` has filled its buffer with the beginning of a longer message.
#[cold]
pub fn is_truncation(code: c_int) -> bool {
    let mut class = raw::SUCCESS;
    // SAFETY: a code of MPI's and a place for the answer.
    unsafe { raw::MPI_Error_class(code, &mut class) };
    class == raw::constants().err_truncate
}

/// MPI's text for a code.
pub fn describe(code: c_int) -> String {
    let mut text = vec![0 as c_char; raw::wide_int(raw::constants().max_error_string) + 1];
    let mut length = 0;
    // SAFETY: the buffer is as long as MPI asks for; MPI_Error_string may be called while MPI lives.
    let known = is_live()
        && unsafe { raw::MPI_Error_string(code, text.as_mut_ptr(), &mut length) } == raw::SUCCESS;
    if !known {
        return format!("MPI error {code}");
    }
    // SAFETY: MPI ends the string inside the buffer.
    unsafe { std::ffi::CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

/// Class and code of each of our errors, in the order of `Code::ALL`; empty until registered.
static CODES: Mutex<Vec<(c_int, c_int)>> = Mutex::new(Vec::new());

/// Registers one class and one code for each of our errors. Done by all ranks at initialisation, in one
/// order, so that the numbers agree; adding a class is a local call.
pub fn register() -> MpiResult<()> {
    let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    if !codes.is_empty() {
        return Ok(());
    }
    let mut made = Vec::with_capacity(Code::ALL.len());
    for kind in Code::ALL {
        let (mut class, mut code) = (0, 0);
        // SAFETY: places for the answers.
        check(unsafe { raw::MPI_Add_error_class(&mut class) })?;
        let name = CString::new(format!("admpi: {kind:?}")).unwrap_or_default();
        // SAFETY: the class just made and a string.
        check(unsafe { raw::MPI_Add_error_string(class, name.as_ptr()) })?;
        // SAFETY: as above.
        check(unsafe { raw::MPI_Add_error_code(class, &mut code) })?;
        made.push((class, code));
    }
    *codes = made;
    Ok(())
}

/// MPI's limit in both implementations is at least this, with the end of the string.
const LONGEST: usize = 255;

/// Gives the error's text to MPI and returns its code, or MPI's general one if there is none. The text names the source line
/// of the call if the program tells it.
pub fn announce(call: &str, error: &Error) -> c_int {
    let place = here().map_or_else(String::new, |site| format!(" ({})", site.short()));
    let mut text = format!("{call}{place}: {}", error.message);
    set_last(&Error::new(error.code, text.clone()));
    // Programs need not have called anything of the library before.
    if is_live() && register().is_err() {
        return raw::constants().err_other;
    }
    text.truncate(
        (0..=LONGEST.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0),
    );
    let codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    let at = Code::ALL.iter().position(|&code| code == error.code).unwrap_or(0);
    let (Some(&(_, code)), Ok(text)) = (codes.get(at), CString::new(text)) else {
        return raw::constants().err_other;
    };
    // SAFETY: a code that was registered, and a string.
    unsafe { raw::MPI_Add_error_string(code, text.as_ptr()) };
    code
}

/// Ends a failed call: the text goes to MPI, then the communicator's error handler runs, which may abort or
/// throw; nothing of ours is left to run after it.
pub fn raise(call: &str, comm: Comm, failure: Failure) -> c_int {
    let (comm, code) = match failure {
        Failure::Mpi(code) => return code,
        Failure::Own(error) => (comm, announce(call, &error)),
        Failure::On(error) => (error.0, announce(call, &error.1)),
    };
    if is_live() { raise_code(comm, code) } else { code }
}

/// The communicator's error handler runs.
pub fn raise_code(comm: Comm, code: c_int) -> c_int {
    let comm = if comm.is_null() { Comm::world() } else { comm };
    // SAFETY: a live communicator and a code.
    unsafe { raw::admpi_shim_raise_comm(comm.raw(), code) }
}
