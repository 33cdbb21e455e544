//! Counts and displacements past 2^31: what stands behind `MPIX_*_x`. Knows nothing of differentiation.
//!
//! Each function takes the call of MPI as a closure and decides what to call it with: with the count as it
//! is, if that fits an int, else along the way that `plan` chooses. What a way needs (types, arrays) is made
//! before the call and released after it, or when the operation is complete.
#![forbid(unsafe_code)]

pub mod access;
pub mod defects;
pub mod limit;
pub mod movement;
pub mod pack;
pub mod plan;
pub mod reduction;
pub mod types;
pub mod under_way;
pub mod vector;

use crate::error::{Code, Error};
use crate::mpi::dimension::Range;
use crate::mpi::handle::Object;
use crate::mpi::types::Made;
use crate::mpi::{Datatype, Failure, MpiResult, finalize_hook, generalized, quirks, raw};
use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A call of the user's: its name, and where its errors go.
#[derive(Clone, Copy)]
pub struct Call {
    name: &'static str,
    on: Object,
    /// Makes a request that is started later, and often.
    persistent: bool,
}

impl Call {
    /// In line, so that a call of a small count saves no registers for what it does not do.
    #[inline(always)]
    pub const fn new(name: &'static str, on: Object) -> Self {
        Self { name, on, persistent: false }
    }

    /// Does what must precede MPI's call. No MPI call that may run a user's error handler belongs here: a
    /// handler may throw, and what it throws must not meet `catch_unwind`.
    pub fn prepare<T>(self, f: impl FnOnce() -> MpiResult<T>) -> Result<T, c_int> {
        let (mut f, mut made) = (Some(f), None);
        let mut once = || {
            let f = f.take().expect("it is called once");
            made = Some(f()?);
            Ok(())
        };
        match self.guarded(&mut once) {
            raw::SUCCESS => Ok(made.expect("it has succeeded")),
            code => Err(code),
        }
    }

    /// As `prepare`, one for all that is prepared: there are hundreds.
    fn guarded(self, f: &mut dyn FnMut() -> MpiResult<()>) -> c_int {
        generalized::sweep();
        under_way::sweep();
        let f = || if self.on.is_null_comm() { Err(null_comm()) } else { f() };
        let result = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| {
            Err(Error::new(
                Code::Panic,
                "internal error, please report: panic in a call with large counts",
            )
            .into())
        });
        self.finish(result)
    }

    /// The same as a persistent collective call. These are MPI-4's, or an extension: an error at once where there
    /// are none.
    pub fn persistent(self) -> Result<Self, c_int> {
        if cfg!(admpi_persistent) {
            return Ok(Self { persistent: true, ..self });
        }
        let why = "this MPI has no persistent collective calls";
        Err(self.on.raise(self.name, Error::new(Code::Unsupported, why).into()))
    }

    /// Whether what the call needs must outlive it: nobody reports when its request is freed.
    const fn is_held(self) -> bool {
        self.persistent && quirks::PERSISTENT_COLLECTIVES_KEEP_NO_REFERENCES
    }

    /// Gives up what a call needed, of which MPI keeps what it needs; or holds it until MPI ends. (Not in MPICH,
    /// which confuses types once some 1280 of them live.)
    fn release(self, used: impl Any + Send) {
        if self.is_held() {
            finalize_hook::keep(Box::new(used));
        }
    }

    /// The code of a call that has done all of its work.
    pub fn finish(self, result: MpiResult<()>) -> c_int {
        match result {
            Ok(()) => raw::SUCCESS,
            Err(failure) => self.on.raise(self.name, failure),
        }
    }

    /// As `prepare`, for calls that consist of nothing else.
    pub fn run(self, f: impl FnOnce() -> MpiResult<()>) -> c_int {
        match self.prepare(f) {
            Ok(()) => raw::SUCCESS,
            Err(code) => code,
        }
    }
}

/// A part of an array whose dimensions the caller numbers in C's order (the last is the fastest) or in
/// Fortran's.
pub fn array_type(
    sizes: &[i64],
    mut ranges: Vec<Vec<Range>>,
    c_order: bool,
    of: Datatype,
) -> MpiResult<Made> {
    let mut sizes = sizes.to_vec();
    if c_order {
        sizes.reverse();
        ranges.reverse();
    }
    types::subarray(&sizes, &ranges, of)
}

/// Memory of the library's own, filled with zeros.
pub fn memory(bytes: i64, what: &str) -> MpiResult<Vec<u8>> {
    let mut memory = Vec::new();
    let n = usize::try_from(bytes).unwrap_or(usize::MAX);
    memory.try_reserve_exact(n).map_err(|_| {
        let message = format!("no memory for {what}: {bytes} bytes");
        Failure::from(Error::new(Code::Memory, message))
    })?;
    memory.resize(n, 0);
    Ok(memory)
}

fn null_comm() -> Failure {
    Error::new(Code::Null, "comm is MPI_COMM_NULL").into()
}

fn too_large(what: &str) -> Failure {
    Error::new(Code::Argument, format!("{what} is past 2^63")).into()
}

fn multiply(what: &str, a: i64, b: i64) -> MpiResult<i64> {
    a.checked_mul(b).ok_or_else(|| too_large(&format!("{what} = {a} * {b}")))
}
