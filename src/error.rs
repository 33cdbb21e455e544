//! Error codes of the C interface, and the thread's last message.
#![forbid(unsafe_code)]

mod code;

pub use code::Code;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString};

impl Code {
    /// The code of a number that crossed the C interface.
    pub fn from_c(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|&code| code as i32 == number)
    }
}

/// A code and a message that names the argument and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    #[cold]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// A number in a message: with an exponent where it would have many digits without one.
pub struct Number(pub f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || !size.is_finite() || (1e-5..1e17).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
    /// How many there have been, and the code of the last.
    static FAILURES: Cell<(u64, i32)> = const { Cell::new((0, 0)) };
}

/// Keeps the message for `admpi_last_error` and returns the code as C sees it.
#[cold]
pub fn set_last(error: &Error) -> i32 {
    let text: Vec<u8> = error.message.bytes().filter(|&b| b != 0).collect();
    // A thread that is ending may have lost its message already, and still destroys tapes.
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).unwrap_or_default());
    let code = error.code as i32;
    FAILURES.set((FAILURES.get().0 + 1, code));
    code
}

/// Calls a function of the user's. If it returns the status of a call of the library's that has failed in it, the message is
/// told too.
pub fn of_users(call: impl FnOnce() -> i32) -> Result<()> {
    let (before, _) = FAILURES.get();
    let status = call();
    if status == 0 {
        return Ok(());
    }
    let mut text = format!("the user's function returned {status}");
    let (failures, code) = FAILURES.get();
    if failures != before && code == status {
        with_last(|last| text = format!("{text}: {}", last.to_string_lossy()));
    }
    Err(Error::new(Code::Callback, text))
}

/// The thread's last message; valid until the thread's next failing call.
pub fn with_last<R>(mut f: impl FnMut(&CStr) -> R) -> R {
    let known = LAST.try_with(|last| f(&last.borrow()));
    known.unwrap_or_else(|_| f(c""))
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn numbers_of_messages_are_short() {
        let shown = [0.0, -2.0, 0.1, 1e16, 1e-300, -2.5e200, 5e-324, f64::INFINITY, f64::NAN]
            .map(|x| Number(x).to_string());
        assert_eq!(
            shown,
            ["0", "-2", "0.1", "10000000000000000", "1e-300", "-2.5e200", "5e-324", "inf", "NaN"]
        );
    }
}
