//! The C interface of what other AD tools record. `include/admpi/steps.h` is generated from this file.

use super::{entry, give, null};
use crate::error::{Code, Error, Result};
use crate::foreign::{Argument, Format, Place, Steps};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::slice::from_raw_parts;

use crate::tape::{Statistics as admpi_statistics, Var as admpi_var};

/// The call reads the numbers.
pub const ADMPI_STEP_READ: i32 = 1;
/// The call writes the numbers.
pub const ADMPI_STEP_WRITTEN: i32 = 2;
/// The numbers are floats, not doubles.
pub const ADMPI_STEP_FLOAT: i32 = 4;

thread_local!(static STEPS: RefCell<Steps> = RefCell::default());

fn with_steps<R>(f: impl FnOnce(&mut Steps) -> Result<R>) -> Result<R> {
    let busy =
        || Error::new(Code::Nest, "a step of this thread is being reversed, or the thread ends");
    STEPS
        .try_with(|steps| f(&mut *steps.try_borrow_mut().map_err(|_| busy())?))
        .unwrap_or_else(|_| Err(busy()))
}

/// # Safety
/// `text` is NULL or a string that is there for ever.
unsafe fn text(name: &str, text: *const c_char) -> Result<&'static CStr> {
    if text.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Opens a step: until it is closed the thread's companion tape is its current tape, and records. A step is one call of
/// communication with numbers of another AD tool's. See docs/tools.md.
/// @param call  the name of the call, a static string
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (another step is open), ADMPI_ERR_THREAD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_open(call: *const c_char) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.open(text("call", call)?)) })
}

/// Gives the numbers of the next argument of the call as active values, which the call is made with. Those that it reads
/// have fresh ids; what it writes is copied to the numbers when the call is complete.
/// @param name             the name of the argument, a static string
/// @param numbers          `n` numbers, which stay there until the call is complete
/// @param n                how many
/// @param flags            sum of ADMPI_STEP_READ, ADMPI_STEP_WRITTEN and ADMPI_STEP_FLOAT
/// @param[out] values_out  `n` active values, until the call is complete
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_NEST (no step is open), ADMPI_ERR_IDS,
///         ADMPI_ERR_MEMORY, ADMPI_ERR_LIMIT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_argument(
    name: *const c_char,
    numbers: *mut c_void,
    n: i64,
    flags: i32,
    values_out: *mut *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("values_out", values_out), || {
            let name = text("name", name)?;
            let format = if flags & ADMPI_STEP_FLOAT == 0 { Format::Double } else { Format::Float };
            let wrong = |why: String| {
                Error::new(Code::Argument, format!("{}: {why}", name.to_string_lossy()))
            };
            let n = usize::try_from(n)
                .ok()
                .filter(|n| n.checked_mul(size_of::<admpi_var>()).is_some())
                .ok_or_else(|| wrong(format!("{n} numbers")))?;
            if numbers.is_null() && n > 0 {
                return Err(null(&name.to_string_lossy()));
            }
            let (reads, writes) = (flags & ADMPI_STEP_READ != 0, flags & ADMPI_STEP_WRITTEN != 0);
            let place = Place::Array { base: numbers.cast(), format };
            let argument = Argument { name, n, place, reads, writes };
            with_steps(|steps| steps.argument(argument))
        })
    }
}

/// Closes the step of a call that is complete, or has failed. The thread's tape is again the one before.
/// @param failed  whether the call failed: nothing is written, and the step is forgotten
/// @return ADMPI_SUCCESS, ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_close(failed: i32) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.close(failed != 0)) })
}

/// Closes the step of a call that was started, which another step will complete.
/// @param handle           the request of the call
/// @param[out] number_out  its number, from 0 on, for the calls below; the numbers of complete calls are used again
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_close_started(
    handle: *mut c_void,
    number_out: *mut i64,
) -> i32 {
    let close = || with_steps(|steps| steps.close_started(handle));
    // SAFETY: as the C contract says.
    unsafe { give(("number_out", number_out), || Ok(i64::try_from(close()?).unwrap_or(i64::MAX))) }
}

fn number_of(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the request of a call that was started on this thread and is not complete.
/// @param number           its number
/// @param[out] handle_out  the request
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (there is no such call)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_started(
    number: i64,
    handle_out: *mut *mut c_void,
) -> i32 {
    let started = || with_steps(|steps| steps.started(number_of(number)));
    // SAFETY: as the C contract says.
    unsafe { give(("handle_out", handle_out), started) }
}

/// The call that the open step was to complete is complete: its numbers are written.
/// @param number  the number of the call
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such call), ADMPI_ERR_NEST (no step is open)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_completed(number: i64) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { with_steps(|steps| steps.completed(number_of(number))) })
}

/// Tells where the adjoints of numbers are that a step has completed, such as those of a receive. This is for all steps that
/// are recorded now, until the last of them is reversed.
/// @param numbers  the numbers
/// @param bytes    how many bytes; 0: all of every argument that begins at `numbers`
/// @param adjoint  their adjoints
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_turn(
    numbers: *const c_void,
    bytes: i64,
    adjoint: *mut c_void,
) -> i32 {
    entry(|| {
        if numbers.is_null() {
            return Err(null("numbers"));
        }
        if adjoint.is_null() {
            return Err(null("adjoint"));
        }
        let bytes = usize::try_from(bytes)
            .map_err(|_| Error::new(Code::Argument, format!("bytes = {bytes} is negative")))?;
        with_steps(|steps| {
            steps.turn(numbers.addr(), bytes, adjoint.cast());
            Ok(())
        })
    })
}

/// Reverses the thread's last step and forgets it: takes the adjoints of what the call wrote, and adds to those of what it
/// read. Collective over the ranks that communicated in it, as far as the adjoint communication is.
/// @param call       the name of the call, as it was opened
/// @param adjoint    for each argument its adjoints, of which there are as many and of the same format
/// @param n          how many arguments
/// @param completed  the adjoints of what the call completed, if that was one argument; NULL: see admpi_step_turn
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_RANGE (the last step is another one, or there is none),
///         ADMPI_ERR_ARGUMENT (nobody told where adjoints are), ADMPI_ERR_NEST (a step is open), and as for
///         admpi_tape_reverse_range
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_reverse(
    call: *const c_char,
    adjoint: *const *mut c_void,
    n: i64,
    completed: *mut c_void,
) -> i32 {
    entry(|| {
        let n = usize::try_from(n)
            .map_err(|_| Error::new(Code::Argument, format!("n = {n} is negative")))?;
        // SAFETY: as the C contract says.
        unsafe {
            let call = text("call", call)?;
            let adjoints =
                if n == 0 { &[][..] } else { from_raw_parts(adjoint.cast::<*mut u8>(), n) };
            with_steps(|steps| steps.reverse(call, adjoints, completed.cast()))
        }
    })
}

/// Returns how many steps of this thread are recorded, and what its companion tape holds.
/// @param[out] statistics_out  what the tape holds
/// @param[out] steps_out       how many steps; may be NULL
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_step_statistics(
    statistics_out: *mut admpi_statistics,
    steps_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give(("statistics_out", statistics_out), || {
            let (statistics, steps) = with_steps(|steps| Ok((steps.statistics(), steps.len())))?;
            if let Some(steps_out) = steps_out.as_mut() {
                *steps_out = i64::try_from(steps).unwrap_or(i64::MAX);
            }
            Ok(statistics)
        })
    }
}
