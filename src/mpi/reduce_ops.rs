//! Operations of the library's own, for reductions on the way back, and of pairs.

use super::raw::{self, MPI_Datatype};
use super::{MpiResult, Op, check, wide_int};
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// `x * y`, where a factor of zero wins over an infinite one.
pub fn times(x: f64, y: f64) -> f64 {
    let product = x * y;
    if product.is_nan() && !x.is_nan() && !y.is_nan() { 0.0 } else { product }
}

/// The nearest float.
#[allow(clippy::cast_possible_truncation)]
pub const fn to_float(x: f64) -> f32 {
    x as f32
}

/// Whether `x` beats `y`, as MPI_MAX or MPI_MIN has it, but a NaN beats all.
fn beats(x: f64, y: f64, max: bool) -> bool {
    x.is_nan() || (if max { x > y } else { x < y })
}

/// The better of two values.
fn better(x: f64, y: f64, max: bool) -> f64 {
    if beats(x, y, max) { x } else { y }
}

/// The better of two pairs of a value and an index: of equal values that with the lower index.
fn better_pair(x: [f64; 2], y: [f64; 2], max: bool) -> [f64; 2] {
    let tie = x[0] == y[0] || (x[0].is_nan() && y[0].is_nan());
    let first = if tie { x[1] <= y[1] } else { beats(x[0], y[0], max) };
    if first { x } else { y }
}

/// `outer` after `inner`, which are the affine maps u -> m u + b for each direction: m, then the b of all
/// directions.
fn compose<const N: usize>(inner: [f64; N], outer: [f64; N]) -> [f64; N] {
    let mut both = outer;
    both[0] = times(outer[0], inner[0]);
    for (b, &inner) in both[1..].iter_mut().zip(&inner[1..]) {
        *b += times(outer[0], inner);
    }
    both
}

/// Folds an array into another, item by item, as MPI wants it of an operation.
///
/// # Safety
/// `from` and `to` lead to `n` items each.
unsafe fn fold<T: Copy>(from: *mut c_void, to: *mut c_void, n: *mut c_int, f: impl Fn(T, T) -> T) {
    // SAFETY: the caller's promise; MPI aligns its buffers for doubles.
    unsafe {
        for i in 0..wide_int(*n) {
            let to = to.cast::<T>().add(i);
            *to = f(*from.cast::<T>().add(i), *to);
        }
    }
}

macro_rules! own_operations {
    ($($(#[$doc:meta])* $name:ident, $commutes:literal, $item:ty, $f:expr;)*) => {
        impl Op { $($(#[$doc])* pub fn $name() -> MpiResult<Self> {
            unsafe extern "C" fn call(
                from: *mut c_void,
                to: *mut c_void,
                n: *mut c_int,
                _: *mut MPI_Datatype,
            ) {
                // SAFETY: MPI passes two arrays of n items.
                unsafe { fold::<$item>(from, to, n, $f) }
            }
            static MADE: Mutex<Option<Op>> = Mutex::new(None);
            Self::make_once(&MADE, call, $commutes)
        })* }
    };
}

// Made once; they live as long as MPI.
own_operations! {
    /// The product by `times`: MPI_PROD would let one rank's zero and another's infinity make a NaN on a third.
    product_of_factors, true, f64, times;
    /// The sum of floats that have the room of doubles.
    sum_of_floats, true, f64, |x, y| to_float(x + y).into();
    /// Their product.
    product_of_floats, true, f64, |x, y| to_float(x * y).into();
    /// The largest value; a NaN is larger than all.
    largest, true, f64, |x, y| better(x, y, true);
    /// The smallest value; a NaN is smaller than all.
    smallest, true, f64, |x, y| better(x, y, false);
    /// The pair of the largest value; of equal ones that with the lowest index.
    largest_pair, true, [f64; 2], |x, y| better_pair(x, y, true);
    /// The pair of the smallest value; of equal ones that with the lowest index.
    smallest_pair, true, [f64; 2], |x, y| better_pair(x, y, false);
    /// Composes affine maps of one direction.
    composed_1, false, [f64; 2], compose;
    /// Of two directions.
    composed_2, false, [f64; 3], compose;
    /// Of four directions.
    composed_4, false, [f64; 5], compose;
    /// Of eight directions.
    composed_8, false, [f64; 9], compose;
    /// Of sixteen directions.
    composed_16, false, [f64; 17], compose;
}

impl Op {
    /// The composition of affine maps of `width` directions. The map of the lower rank is the inner one.
    pub fn composed(width: usize) -> MpiResult<Self> {
        match width {
            1 => Self::composed_1(),
            2 => Self::composed_2(),
            4 => Self::composed_4(),
            8 => Self::composed_8(),
            16 => Self::composed_16(),
            _ => unreachable!("a tape has no other width"),
        }
    }

    fn make_once(
        made: &Mutex<Option<Self>>,
        function: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype),
        commutes: bool,
    ) -> MpiResult<Self> {
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(op) = *made {
            return Ok(op);
        }
        let mut op = Self::sum().0;
        // SAFETY: a function of the kind that MPI calls, and a place for the handle.
        check(unsafe { raw::MPI_Op_create(Some(function), c_int::from(commutes), &mut op) })?;
        *made = Some(Self(op));
        Ok(Self(op))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_own_pairs_prefer_the_lower_index() {
        for max in [false, true] {
            assert_eq!(better_pair([1.0, 5.0], [1.0, 3.0], max), [1.0, 3.0]);
            assert_eq!(better_pair([1.0, 2.0], [1.0, 3.0], max), [1.0, 2.0]);
            assert_eq!(better_pair([0.0, 7.0], [-0.0, 4.0], max), [-0.0, 4.0]);
            assert_eq!(better_pair([2.0, 7.0], [1.0, 4.0], max)[0], if max { 2.0 } else { 1.0 });
        }
    }

    #[test]
    fn test_own_maps_compose() {
        let apply = |map: [f64; 3], u: f64, k: usize| map[0] * u + map[1 + k];
        let (f, g) = ([2.0, 3.0, 5.0], [-7.0, 11.0, 13.0]);
        for k in 0..2 {
            assert_eq!(apply(compose(f, g), 0.5, k), apply(g, apply(f, 0.5, k), k));
        }
        assert_eq!(compose([0.0, f64::INFINITY], [0.0, 1.0]), [0.0, 1.0]);
    }
}
