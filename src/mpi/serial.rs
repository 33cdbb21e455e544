//! Data that only calls of MPI's kind touch: MPI itself lets one thread at a time make them, unless it was
//! initialised for concurrent calls.

use super::raw;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// MPI may be called by several threads at once. Assumed until it is known.
static CONCURRENT: AtomicBool = AtomicBool::new(true);

/// Asks MPI for its level of thread support, at initialisation.
pub fn learn_thread_level() {
    let mut provided = 0;
    // SAFETY: a place for the answer; MPI is initialised.
    let known = unsafe { raw::MPI_Query_thread(&mut provided) } == raw::SUCCESS;
    // SAFETY: constant data of the shim of mpi-sys.
    let multiple = unsafe { mpi_sys::RSMPI_THREAD_MULTIPLE };
    CONCURRENT.store(!known || provided >= multiple, Ordering::Relaxed);
}

/// Whether several threads may be in calls of MPI at once.
#[inline]
pub fn is_concurrent() -> bool {
    CONCURRENT.load(Ordering::Relaxed)
}

/// Data for calls of MPI's kind: locked only where several threads may make them at once.
#[derive(Debug, Default)]
pub struct Serial<T> {
    data: UnsafeCell<T>,
    busy: Cell<bool>,
    lock: Mutex<()>,
}

// SAFETY: `with` keeps threads apart by the lock, or relies on MPI's rule that keeps them apart.
unsafe impl<T: Send> Sync for Serial<T> {}

impl<T> Serial<T> {
    pub const fn new(data: T) -> Self {
        Self { data: UnsafeCell::new(data), busy: Cell::new(false), lock: Mutex::new(()) }
    }

    /// Gives `f` the data. `f` must not ask for it again.
    #[inline(always)]
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        if is_concurrent() { self.with_lock(f) } else { self.alone(f) }
    }

    /// Apart, so that a program whose calls never meet has none of it in its way.
    #[cold]
    #[inline(never)]
    fn with_lock<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let _alone = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.alone(f)
    }

    #[inline(always)]
    fn alone<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        assert!(!self.busy.replace(true), "the data is in use");
        // SAFETY: no other thread is here: with concurrent calls the lock is held, else a program in whose
        // calls of MPI two threads meet is against the level of thread support it asked for. This thread is
        // here once, as just checked.
        let done = f(unsafe { &mut *self.data.get() });
        self.busy.set(false);
        done
    }
}

/// Things that wait for their next use.
impl<T> Serial<Vec<T>> {
    /// Lets one more wait, unless `most` do.
    #[inline]
    pub fn keep(&self, thing: T, most: usize) {
        self.with(|idle| {
            if idle.len() < most {
                idle.push(thing);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_serial_is_exclusive() {
        let serial = Serial::new(1);
        assert_eq!(serial.with(|n| std::mem::replace(n, 2)), 1);
        assert_eq!(serial.with(|n| *n), 2);
    }

    #[test]
    #[should_panic(expected = "the data is in use")]
    fn test_serial_refuses_itself() {
        let serial = std::sync::Arc::new(Serial::new(1));
        // Once known, the level admits no concurrency; this process's is not known, so that the lock would hang.
        CONCURRENT.store(false, Ordering::Relaxed);
        let again = std::sync::Arc::clone(&serial);
        serial.with(|_| again.with(|n| *n));
    }
}
