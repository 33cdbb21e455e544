//! Sections of a program that the thread's tape does not record, or forgets.

use super::current::{activate, with_current};
use super::{Dependences, Outside, Tape};
use crate::error::{Code, Error, Result};

/// A section that is not recorded.
pub struct Passive(bool);

impl Passive {
    pub fn begin() -> Self {
        Self(with_current(|tape| {
            let tape = tape.filter(|tape| tape.recording());
            tape.map(Tape::stop).is_some()
        }))
    }
}

impl Drop for Passive {
    fn drop(&mut self) {
        if self.0 {
            with_current(|tape| tape.map(Tape::start));
        }
    }
}

/// The thread's tape, or null.
pub fn current_or_null() -> *mut Tape {
    with_current(|tape| tape.map_or(std::ptr::null_mut(), std::ptr::from_mut))
}

/// The same, borrowed for one call.
pub fn on_current<R>(f: impl FnOnce(&mut Tape) -> Result<R>) -> Result<R> {
    let none =
        || Error::new(Code::NoTape, "the user's function left the thread without a current tape");
    with_current(|tape| f(tape.ok_or_else(none)?))
}

/// Calls `f` while the thread's tape records, and forgets what it has recorded: in a nest, or on a tape of its own if the
/// thread has none.
pub fn in_nest<R>(outside: Outside, f: impl FnOnce() -> Result<R>) -> Result<R> {
    let tape = current_or_null();
    if tape.is_null() {
        let mut own = Box::new(Tape::new());
        if outside == Outside::Refused {
            // Values of another tape would be taken for its own.
            own.check_operands(true);
        }
        let own = Box::into_raw(own);
        // SAFETY: live until it is freed here, after it was made current no more.
        unsafe {
            (*own).start();
            activate(own)?;
            let done = f();
            activate(std::ptr::null_mut())?;
            Tape::free(own);
            return done;
        }
    }
    let nest = on_current(|tape| {
        let nest = tape.start_nested(outside)?;
        tape.start();
        Ok(nest)
    })?;
    let done = f();
    // SAFETY: the tape was current, and lives as long as the call that this one is part of.
    let recovered = unsafe { Tape::recover_nested(tape, nest) };
    done.and_then(|done| recovered.map(|()| done))
}

/// Asks what was recorded in the innermost nest, or on the whole tape, which value depends on which.
pub fn ask_current<R>(f: impl FnOnce(&Dependences<'_>) -> Result<R>) -> Result<R> {
    on_current(|_| Ok(()))?;
    // SAFETY: the thread's tape, of which no reference is held; `f` records nothing.
    f(&unsafe { Tape::dependences(current_or_null()) }?)
}

/// Sweeps what was recorded in the innermost nest, or on the whole tape.
pub fn reverse_current() -> Result<()> {
    on_current(|_| Ok(()))?;
    // SAFETY: the thread's tape, of which no reference is held.
    unsafe { Tape::reverse(current_or_null()) }
}
