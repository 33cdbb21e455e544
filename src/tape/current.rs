//! The thread's current tape.

use super::Tape;
use super::cursors::Cursors;
use super::no_tape::{is_no_tape, no_tape};
use crate::error::{Code, Error, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

unsafe extern "C" {
    fn admpi_shim_current() -> *mut Cursors;
    fn admpi_shim_set_current(tape: *mut Cursors);
}

/// The calling thread's tape, or `None`.
#[inline(always)]
pub fn current<R>(f: impl FnOnce(&mut Tape) -> R) -> Option<R> {
    // SAFETY: the variable names either the placeholder or a tape that is active on this thread.
    unsafe {
        let tape = admpi_shim_current();
        (tape != no_tape()).then(|| f(&mut *tape.cast::<Tape>()))
    }
}

/// As `current`, also on a thread that has none.
pub fn with_current<R>(f: impl FnOnce(Option<&mut Tape>) -> R) -> R {
    // SAFETY: as above.
    unsafe {
        let tape = admpi_shim_current();
        f((tape != no_tape()).then(|| &mut *tape.cast::<Tape>()))
    }
}

/// A number for the calling thread; never 0.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Makes `tape` the thread's current tape (null: none) and returns the one before (null: none).
///
/// # Safety
/// `tape` is null or a live tape, which stays live while it is current.
pub unsafe fn activate(tape: *mut Tape) -> Result<*mut Tape> {
    // SAFETY: `tape` is live by the caller's promise, the one before because it is current.
    unsafe {
        let me = thread_number();
        if let Some(tape) = tape.as_ref() {
            let owner = tape.owner.load(Ordering::Acquire);
            if owner != 0 && owner != me {
                return Err(Error::new(
                    Code::Thread,
                    "activate: the tape is active on another thread",
                ));
            }
        }
        let before = admpi_shim_current();
        let before = if is_no_tape(before) { std::ptr::null_mut() } else { before.cast::<Tape>() };
        if let Some(before) = before.as_ref() {
            before.owner.store(0, Ordering::Release);
        }
        match tape.as_ref() {
            Some(new) => {
                new.owner.store(me, Ordering::Release);
                admpi_shim_set_current(tape.cast());
            }
            None => admpi_shim_set_current(no_tape()),
        }
        Ok(before)
    }
}

/// Leaves the thread without a tape if `tape` is its current one.
///
/// # Safety
/// `tape` is live.
pub unsafe fn forget_current(tape: *mut Cursors) {
    // SAFETY: the caller's promise.
    unsafe {
        if std::ptr::eq(admpi_shim_current(), tape) {
            admpi_shim_set_current(no_tape());
        }
    }
}
