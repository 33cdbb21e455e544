//! Count arithmetic: widening that cannot fail, narrowing that is checked.
#![forbid(unsafe_code)]

use crate::error::{Code, Error, Result};

const _: () =
    assert!(usize::BITS == 64, "admpi reserves address ranges and needs a 64-bit machine");

/// Lossless on the 64-bit machines that the assertion above admits.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
pub const fn wide(n: u64) -> usize {
    n as usize
}

#[inline(always)]
pub const fn wide32(n: u32) -> usize {
    n as usize
}

/// A number of ids, of which a tape gives out no more than fit.
#[inline(always)]
pub fn narrow32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The length of an array for C.
#[inline(always)]
#[allow(clippy::cast_possible_wrap)] // no array has 2^63 elements
pub const fn as_c(n: usize) -> i64 {
    n as i64
}

/// A C count: not negative.
pub fn from_c(name: &str, n: i64) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(Code::Argument, format!("{name} = {n} is negative")))
}

/// `a * b`, or an error that names the product.
pub fn product(name: &str, a: usize, b: usize) -> Result<usize> {
    a.checked_mul(b)
        .ok_or_else(|| Error::new(Code::Argument, format!("{name} = {a} * {b} is past 2^64")))
}
