//! What all functions for C share: pointers that a caller passed, and how a call ends.

use crate::error::{Code, Error, Result, set_last};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `f`, turning its error or panic into a code with a message.
pub fn entry(f: impl FnOnce() -> Result<()>) -> i32 {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => 0,
        ended => failed(ended),
    }
}

#[cold]
#[inline(never)]
fn failed(ended: std::thread::Result<Result<()>>) -> i32 {
    match ended {
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

/// The shim calls it when the process ends.
#[unsafe(no_mangle)]
extern "C" fn admpi_shim_end() {
    // Nobody is left who could be told.
    let _ = catch_unwind(crate::trace::end);
}

pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    format!("internal error, please report: {text}")
}

pub fn null(name: &str) -> Error {
    Error::new(Code::Null, format!("{name} is NULL"))
}

/// A reference to what a C caller passed.
///
/// # Safety
/// `pointer` is NULL or points to a live `T`.
pub unsafe fn get<'a, T>(name: &str, pointer: *const T) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// `n` elements that a C caller passed; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or points to `n` elements.
pub unsafe fn array<'a, T>(name: &str, pointer: *const T, n: usize) -> Result<&'a [T]> {
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
pub unsafe fn array_mut<'a, T>(name: &str, pointer: *mut T, n: usize) -> Result<&'a mut [T]> {
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
pub unsafe fn put<T>(name: &str, pointer: *mut T, value: impl FnOnce() -> Result<T>) -> Result<()> {
    if pointer.is_null() {
        return Err(null(name));
    }
    let value = value()?;
    // SAFETY: the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Ends a call that makes one thing: writes it, or gives the code of what went wrong.
///
/// # Safety
/// As for `put`.
pub unsafe fn give<T>((name, pointer): (&str, *mut T), value: impl FnOnce() -> Result<T>) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe { put(name, pointer, value) })
}

/// As `give`, of a handle, which `free` takes.
///
/// # Safety
/// As for `put`.
pub unsafe fn give_handle<T>(
    output: (&str, *mut *mut T),
    value: impl FnOnce() -> Result<T>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { give(output, || Ok(Box::into_raw(Box::new(value()?)))) }
}

/// # Safety
/// The handle is NULL, or was made by `give_handle` and is not used again.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        entry(|| {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(handle) });
            Ok(())
        });
    }
}
