//! Every `extern "C"` function. No logic: arguments are checked, a lower floor is called, errors become codes.
//!
//! # The C contract
//!
//! `// SAFETY: as the C contract says` refers to what `include/admpi.h` demands of callers under "The contract of
//! handles and pointers", for each type of handle, and to what the function's own comment adds. In Rust's terms it
//! comes to this.
//!
//! - **Tape** (`admpi_tape`): NULL, the placeholder `admpi_no_tape`, or the `Box<Tape>` of `admpi_tape_new`, live. No
//!   other thread is in a call with it, so that `tape::tape` may make the only reference to it. Where functions of the
//!   user's run meanwhile, which may call back through the handle, no reference is held: those calls take
//!   `tape::pointer`.
//! - **Matrix** (`admpi_varmat`): NULL, or a live `Matrix` of which the caller has a reference. Other threads at most
//!   read it, and it is passive then.
//! - **View, operand** (`admpi_view`, `admpi_operand`): their `of` is NULL or a matrix as above. Nothing else is
//!   believed: offsets, lengths and steps are checked against the block.
//! - **Operation, linear system, fixed point**: NULL, or a `size`, and behind it a structure of that size. The
//!   functions have the declared types and do not unwind. The data may be destroyed once by the function for it.
//! - **Pattern** (`admpi_sparse`): NULL, or the `Box` of `admpi_sparse_new` or `admpi_sparse_copy`, live.
//! - **Map** (`admpi_map`): NULL, or the `Box` of `admpi_map_new` or `admpi_map_new_mpi`, live, with no other thread in
//!   a call with it. Handles of data and numbers of functions are looked up, not believed.
//! - **Active value** (`admpi_var`): initialised; its id and tag are zero, or were made by the library or its inline
//!   recorders. It may be stale: that is found by its tag, or by the next sweep.
//! - **Arrays**: NULL or `n` initialised elements, aligned, that nobody writes to during the call; for outputs memory
//!   for `n` that nobody else reads or writes, and that overlaps no input but where the comment says so.
//! - **Texts**: NULL or a string that ends with a zero.
//!
//! # MPI's contract
//!
//! `// SAFETY: as MPI's contract says` refers to what the MPI standard demands of the arguments of the call of that
//! name, with these additions.
//!
//! - **Request** (`AMPI_Request`): null, or a `Box<Request>` that a start of the library's gave out and that no
//!   completion has taken back. A pointer to requests is NULL, or leads to as many as the call says; no other thread
//!   uses them.
//! - **Buffers** of active types hold `admpi_var` with initialised ids; that of `AMPI_VARMAT` is a matrix and that of
//!   `AMPI_VIEW` a view, as above. They stay where they are until the call is complete.
//! - **Handles of MPI** may be uninitialised where MPI says that the argument is not significant: they are not looked at
//!   there.

// What a pointer must satisfy stands above, and what differs in each function's C documentation, which becomes the header.
#![allow(clippy::missing_safety_doc)]

#[cfg(feature = "mpi")]
#[allow(non_snake_case)] // MPI's names
pub mod ampi;
pub mod arrays;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod collectives;
pub mod densities;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod large;
#[cfg(feature = "mpi")]
mod large_arguments;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod large_types;
pub mod linalg;
mod many;
pub mod map;
#[cfg(feature = "mpi")]
pub mod map_service;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod messages;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod neighbors;
pub mod operations;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod reductions;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod requests;
pub mod special;
#[cfg(feature = "mpi")]
mod support;
pub mod tape;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod user_ops;
pub mod varmat;

#[cfg(feature = "mpi")]
use support::{
    check_abi, complete_some, end_comm, make_comm, mpi_call, mpi_status, name, out, slot, slots,
};

use crate::error::{Code, Error, Result, set_last};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`, turning its error or panic into a code with a message.
fn entry(f: impl FnOnce() -> Result<()>) -> i32 {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => set_last(&error),
        Err(panic) => set_last(&Error::new(Code::Panic, panic_text(panic.as_ref()))),
    }
}

/// How the C shim reports an error.
///
/// # Safety
/// `message` is a string.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_fail(code: i32, message: *const c_char) -> i32 {
    // SAFETY: the shim's promise.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    let code = Code::from_c(code).unwrap_or(Code::Panic);
    set_last(&Error::new(code, message))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    format!("internal error, please report: {text}")
}

fn null(name: &str) -> Error {
    Error::new(Code::Null, format!("{name} is NULL"))
}

/// A reference to what a C caller passed.
///
/// # Safety
/// `pointer` is NULL or points to a live `T`.
unsafe fn get<'a, T>(name: &str, pointer: *const T) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// `n` elements that a C caller passed; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or points to `n` elements.
unsafe fn array<'a, T>(name: &str, pointer: *const T, n: usize) -> Result<&'a [T]> {
    check_size::<T>(name, n)?;
    match (pointer.is_null(), n) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise, and the size is one that an array may have.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, n) }),
    }
}

/// As `array`, to be written to.
///
/// # Safety
/// As for `array`, and nothing else refers to the elements.
unsafe fn array_mut<'a, T>(name: &str, pointer: *mut T, n: usize) -> Result<&'a mut [T]> {
    check_size::<T>(name, n)?;
    match (pointer.is_null(), n) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise, and the size is one that an array may have.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts_mut(pointer, n) }),
    }
}

/// No array is larger than half the address space.
fn check_size<T>(name: &str, n: usize) -> Result<()> {
    match n.checked_mul(size_of::<T>()).map(isize::try_from) {
        Some(Ok(_)) => Ok(()),
        _ => Err(Error::new(Code::Argument, format!("{name}: {n} elements do not fit in memory"))),
    }
}

/// Writes an output, if all else went well.
///
/// # Safety
/// `pointer` is NULL or may be written to.
unsafe fn put<T>(name: &str, pointer: *mut T, value: impl FnOnce() -> Result<T>) -> Result<()> {
    if pointer.is_null() {
        return Err(null(name));
    }
    let value = value()?;
    // SAFETY: the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}
