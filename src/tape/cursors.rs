//! What inline recorders see of a tape: active doubles, and where the next statement goes.

use crate::var_pack::{Words, mark_of, take_apart};

/// The number that headers and library must agree on; the first field of every tape.
pub const TAPE_ABI: u32 = 2;
/// Most arguments of one statement: its byte in the stream.
pub const MAX_ARGUMENTS: u32 = 254;
const _: () = assert!(MAX_ARGUMENTS < 1 << 8, "a byte holds call_form many");

/// An active double as C sees it. Id 0 is passive.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Var {
    pub value: f64,
    pub id: u32,
    pub tag: u32,
}

laid_out!(admpi_var, Var);

impl Var {
    /// Whether `other` has the next id. Passive values have none.
    pub const fn is_followed_by(&self, other: &Self) -> bool {
        self.id != 0 && other.id == self.id.wrapping_add(1)
    }
}

/// Copies the values; whether the ids are consecutive, or all passive, under one tag.
pub fn copy_values(vars: &[Var], values: &mut [f64]) -> bool {
    const { assert!(size_of::<Var>() == size_of::<Words>() && align_of::<Var>() >= align_of::<Words>()) };
    let Some(first) = vars.first() else { return true };
    // SAFETY: a `Var` is two words without a gap.
    let words = unsafe { std::slice::from_raw_parts(vars.as_ptr().cast::<Words>(), vars.len()) };
    let step = u32::from(first.id != 0);
    take_apart(words, values, mark_of(first.id, first.tag), mark_of(step, 0)) == 0
}

/// The public cursors, laid out as `admpi_tape` in `include/admpi/var.h`.
#[repr(C)]
#[derive(Debug)]
pub struct Cursors {
    pub abi: u32,
    pub recording: u32,
    pub jacobian: *mut f64,
    pub argument: *mut u32,
    pub argument_end: *mut u32,
    pub checked_end: *mut u32,
    pub statement: *mut u8,
    pub next_id: u32,
    pub tag: u32,
    pub checking: u32,
    pub epoch: u32,
    pub merge: [u8; 256],
}

laid_out!(admpi_tape, Cursors);
