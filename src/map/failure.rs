//! Why a map failed: which job, where, and in whose words.

use crate::error::{Code, Error};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};

/// What went wrong.
#[derive(Debug, Clone)]
pub struct Failure {
    /// `None`: no job is to blame.
    pub job: Option<usize>,
    pub rank: i32,
    /// What the function returned; 0 where it did not return an error itself.
    pub status: i32,
    pub code: Code,
    pub text: String,
}

pub type MpiResult<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error { code, message } = error;
        Self { job: None, rank: 0, status: 0, code, text: message }
    }
}

impl Failure {
    /// Of a panic in a job.
    #[cold]
    pub fn panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::new(Code::Panic, format!("panic: {}", text.unwrap_or("no text"))).into()
    }

    /// As the caller gets it; the thread remembers the parts.
    #[cold]
    pub fn into_error(self) -> Error {
        let Self { job, rank, status, code, text } = self;
        let message = match (job, rank) {
            (None, 0) => text.clone(),
            (None, rank) => format!("rank {rank}: {text}"),
            (Some(job), rank) => format!("job {job} on rank {rank}: {text}"),
        };
        let text = CString::new(text.replace('\0', "")).unwrap_or_default();
        LAST.with_borrow_mut(|last| **last = Last { job, rank, status, text });
        Error::new(code, message)
    }
}

/// Of a call that fails before it begins: `last_failure` is its.
pub fn remember<T>(result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|error| Failure::from(error).into_error())
}

/// The failure of two parts of a call: that of the earlier job or, where none is to blame, of the lower rank.
pub fn both(one: MpiResult<()>, other: MpiResult<()>) -> MpiResult<()> {
    let place = |failure: &Failure| (failure.job, failure.rank);
    match (one, other) {
        (Err(one), Err(other)) => Err(if place(&other) < place(&one) { other } else { one }),
        (one, other) => one.and(other),
    }
}

#[derive(Default)]
struct Last {
    job: Option<usize>,
    rank: i32,
    status: i32,
    text: CString,
}

thread_local! {
    static LAST: RefCell<Box<Last>> = RefCell::default();
}

/// Job, rank, status and text of the thread's last failing call. The text is valid until the next one.
pub fn last_failure() -> (Option<usize>, i32, i32, *const c_char) {
    LAST.with_borrow(|last| (last.job, last.rank, last.status, last.text.as_ptr()))
}
