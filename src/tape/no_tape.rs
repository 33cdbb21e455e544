//! What a thread without a tape has in its place, and what makes it look at its operands.

use super::cursors::Cursors;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

unsafe extern "C" {
    static mut admpi_no_tape: Cursors;
    /// A plain word for inline code, which only reads it.
    static admpi_detail_regions: AtomicI32;
}

/// What a thread without a tape has in its place.
#[inline]
pub const fn no_tape() -> *mut Cursors {
    &raw mut admpi_no_tape
}

/// Whether `cursors` is the placeholder of a thread without a tape.
pub fn is_no_tape(cursors: *const Cursors) -> bool {
    std::ptr::eq(cursors, no_tape())
}

/// What makes a thread without a tape look at its operands: the lowest bit says that checking is on, the others count
/// the tapes that record, whose values such a thread cannot compute with.
#[inline]
fn reasons_to_look() -> &'static AtomicU32 {
    // SAFETY: a word of a variable that lives as long as the library. The inline recorders only read it, where they have
    // nothing to record, and may see a change late.
    unsafe { AtomicU32::from_ptr(&raw mut (*no_tape()).checking) }
}

/// Whether operands are checked: `ADMPI_CHECK=1`, or the call. A tape asks when it is made.
#[inline]
pub fn checking() -> bool {
    reasons_to_look().load(Ordering::Relaxed) & 1 != 0
}

/// Turns checking on or off for tapes made from now on, and for threads that have none.
pub fn set_checking(on: bool) {
    if on {
        reasons_to_look().fetch_or(1, Ordering::Relaxed);
    } else {
        reasons_to_look().fetch_and(!1, Ordering::Relaxed);
    }
}

/// A tape starts to record, or stops.
#[cold]
pub fn count_recording(on: bool) {
    if on {
        reasons_to_look().fetch_add(2, Ordering::Relaxed);
    } else {
        reasons_to_look().fetch_sub(2, Ordering::Relaxed);
    }
}

/// How many want to know of regions.
#[inline]
fn wanting_regions() -> &'static AtomicI32 {
    // SAFETY: a word of the shim that lives as long as the library.
    unsafe { &admpi_detail_regions }
}

/// One more wants to know of regions, or one fewer: where nobody does, inline code passes them over.
#[cold]
pub fn count_wanting_regions(more: bool) {
    wanting_regions().fetch_add(if more { 1 } else { -1 }, Ordering::Relaxed);
}

/// Whether somebody does.
#[inline]
pub fn regions_are_wanted() -> bool {
    wanting_regions().load(Ordering::Relaxed) != 0
}
