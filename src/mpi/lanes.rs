//! Active doubles taken apart, into values and what marks them, and put together: simple loops over words, compiled
//! for every machine and, where x86 has wider registers than all of its kind do, once more for those.
#![allow(clippy::inline_always)] // a loop is compiled anew only where it is inlined

use std::mem::MaybeUninit;

/// An active double: the bits of the value; id and tag.
pub type Words = [u64; 2];

/// Below this length it does not pay to look at the machine: an item of a strided type is often one double.
const SHORT: usize = 8;

/// A function whose body is compiled for both kinds of registers.
macro_rules! twice {
    ($(#[$doc:meta])*
     fn $name:ident($slice:ident: $slice_type:ty, $($argument:ident: $type:ty),*) -> $result:ty $body:block) => {
        $(#[$doc])*
        #[inline]
        pub fn $name($slice: $slice_type, $($argument: $type),*) -> $result {
            #[inline(always)]
            fn anywhere($slice: $slice_type, $($argument: $type),*) -> $result $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn wide($slice: $slice_type, $($argument: $type),*) -> $result {
                anywhere($slice, $($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            if $slice.len() >= SHORT && is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has what the function is compiled for.
                return unsafe { wide($slice, $($argument),*) };
            }
            anywhere($slice, $($argument),*)
        }
    };
}

twice! {
    /// Copies the values, and returns the bits in which some mark is not what it would be if the first were `mark` and
    /// each one `step` more than the one before.
    fn take_apart(doubles: &[Words], values: &mut [f64], mark: u64, step: u64) -> u64 {
        let (mut differs, mut expected) = (0, mark);
        for (double, value) in doubles.iter().zip(values) {
            *value = f64::from_bits(double[0]);
            differs |= double[1] ^ expected;
            expected = expected.wrapping_add(step);
        }
        differs
    }
}

twice! {
    /// As `take_apart`, without the values.
    fn marks_differ(doubles: &[Words], mark: u64, step: u64) -> u64 {
        let (mut differs, mut expected) = (0, mark);
        for double in doubles {
            differs |= double[1] ^ expected;
            expected = expected.wrapping_add(step);
        }
        differs
    }
}

twice! {
    /// Copies the ids, and returns the highest.
    fn take_ids(doubles: &[Words], ids: &mut [u32]) -> u32 {
        let mut highest = 0;
        for (double, id) in doubles.iter().zip(ids) {
            *id = id_of(double[1]);
            highest = highest.max(*id);
        }
        highest
    }
}

twice! {
    /// Writes values with marks, of which the first is `mark` and each one `step` more than the one before.
    fn put_together(values: &[f64], doubles: &mut [MaybeUninit<Words>], mark: u64, step: u64) -> () {
        let mut mark = mark;
        for (value, double) in values.iter().zip(doubles) {
            double.write([value.to_bits(), mark]);
            mark = mark.wrapping_add(step);
        }
    }
}

/// Asks for the cache line of `place` before it is needed. Nothing is read: any address may be asked for.
#[inline]
pub fn fetch_ahead<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which no address makes fail.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// The mark of an id and a tag.
pub const fn mark_of(id: u32, tag: u32) -> u64 {
    if cfg!(target_endian = "little") {
        id as u64 | (tag as u64) << 32
    } else {
        (id as u64) << 32 | tag as u64
    }
}

/// The id in a mark.
#[allow(clippy::cast_possible_truncation)]
pub const fn id_of(mark: u64) -> u32 {
    if cfg!(target_endian = "little") { mark as u32 } else { (mark >> 32) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(n: usize) -> Vec<Words> {
        (0..n).zip(7..).map(|(i, id)| [(i as f64 - 2.5).to_bits(), mark_of(id, 3)]).collect()
    }

    #[test]
    fn test_lanes_apart_and_together() {
        for n in (0..40).chain([63, 64, 65, 1000]) {
            let doubles = doubles(n);
            let mut values = vec![0.0; n];
            assert_eq!(take_apart(&doubles, &mut values, mark_of(7, 3), 1), 0, "{n}");
            assert!(values.iter().enumerate().all(|(i, &x)| x == i as f64 - 2.5));
            assert_eq!(marks_differ(&doubles, mark_of(7, 3), 1), 0, "{n}");
            let mut ids = vec![0; n];
            let highest = take_ids(&doubles, &mut ids);
            assert!(ids.iter().zip(7..).all(|(&id, expected)| id == expected));
            assert_eq!(highest, ids.last().copied().unwrap_or(0));
            let mut again = vec![MaybeUninit::new([0; 2]); n];
            put_together(&values, &mut again, mark_of(7, 3), 1);
            // SAFETY: written from the beginning on.
            assert!(again.iter().zip(&doubles).all(|(x, y)| unsafe { x.assume_init() } == *y));
        }
    }

    #[test]
    fn test_lanes_every_mark_counts() {
        for n in [1, 3, 8, 37] {
            for odd in 0..n {
                let mut doubles = doubles(n);
                doubles[odd][1] ^= mark_of(1 << 20, 0);
                let mut values = vec![0.0; n];
                let differs = take_apart(&doubles, &mut values, mark_of(7, 3), 1);
                assert_eq!(differs, mark_of(1 << 20, 0), "{odd} of {n}");
                assert_eq!(marks_differ(&doubles, mark_of(7, 3), 1), differs);
                doubles[odd][1] = mark_of(u32::MAX, 3);
                assert_eq!(take_ids(&doubles, &mut vec![0; n]), u32::MAX);
            }
        }
    }
}
