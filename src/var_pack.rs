//! Active doubles taken apart, into values and what marks them, and put together; adjoints added and taken. Simple loops
//! over words, compiled for every machine and, where x86 has wider registers than all of its kind do, once more for those.
#![allow(clippy::inline_always)] // a loop is compiled anew only where it is inlined

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_storeu_si256,
    _mm256_sub_epi64, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};
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
    /// Adds each of `values`, of which there are as many.
    fn add_to(numbers: &mut [f64], values: &[f64]) -> () {
        for (number, value) in numbers.iter_mut().zip(values) {
            *number += value;
        }
    }
}

twice! {
    /// Copies the numbers to `out`, which has as many, and leaves zeros.
    fn move_out(numbers: &mut [f64], out: &mut [f64]) -> () {
        for (number, out) in numbers.iter_mut().zip(out) {
            *out = *number;
            *number = 0.0;
        }
    }
}

/// The mark of the `i`th double, if that of the first is `mark` and each one `step` more than the one before.
const fn nth(mark: u64, step: u64, i: usize) -> u64 {
    mark.wrapping_add(step.wrapping_mul(i as u64))
}

/// Copies the values, and returns the bits in which some mark is not what it would be if the first were `mark` and
/// each one `step` more than the one before.
#[inline]
pub fn take_apart(doubles: &[Words], values: &mut [f64], mark: u64, step: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if doubles.len() >= SHORT && is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has what the function is compiled for.
        return unsafe { take_apart_wide(doubles, values, mark, step) };
    }
    take_apart_anywhere(doubles, values, mark, step)
}

#[inline(always)]
fn take_apart_anywhere(doubles: &[Words], values: &mut [f64], mark: u64, step: u64) -> u64 {
    let (mut differs, mut expected) = (0, mark);
    for (double, value) in doubles.iter().zip(values) {
        *value = f64::from_bits(double[0]);
        differs |= double[1] ^ expected;
        expected = expected.wrapping_add(step);
    }
    differs
}

/// The marks of four doubles from the `i`th on, in the order in which the halves of registers are interleaved.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn interleaved(mark: u64, step: u64, i: usize) -> __m256i {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| nth(mark, step, i + k).cast_signed());
    _mm256_set_epi64x(d, b, c, a)
}

/// To that order and from it.
#[cfg(target_arch = "x86_64")]
const INTERLEAVE: i32 = 0b11_01_10_00;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn take_apart_wide(doubles: &[Words], values: &mut [f64], mark: u64, step: u64) -> u64 {
    let (fours, rest) = doubles.as_chunks::<4>();
    let (values, rest_of_values) = values[..doubles.len()].as_chunks_mut::<4>();
    let (mut expected, mut differs) = (interleaved(mark, step, 0), _mm256_setzero_si256());
    let on = _mm256_set1_epi64x(nth(0, step, 4).cast_signed());
    for (doubles, values) in fours.iter().zip(values) {
        // SAFETY: four doubles, and room for four values.
        unsafe {
            let low = _mm256_loadu_si256(doubles.as_ptr().cast());
            let high = _mm256_loadu_si256(doubles.as_ptr().add(2).cast());
            let found = _mm256_permute4x64_epi64::<INTERLEAVE>(_mm256_unpacklo_epi64(low, high));
            _mm256_storeu_si256(values.as_mut_ptr().cast(), found);
            let marks = _mm256_unpackhi_epi64(low, high);
            differs = _mm256_or_si256(differs, _mm256_xor_si256(marks, expected));
            expected = _mm256_add_epi64(expected, on);
        }
    }
    let mut each = [0; 4];
    // SAFETY: room for four words.
    unsafe { _mm256_storeu_si256(each.as_mut_ptr().cast(), differs) };
    let next = nth(mark, step, 4 * fours.len());
    each.iter().fold(0, |all, bits| all | bits)
        | take_apart_anywhere(rest, rest_of_values, next, step)
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

/// Gives `n` values, which lie side by side at the beginning of the memory of as many active doubles, their places and
/// marks, as `put_together` does. The last one first: none is overwritten before it has been read.
///
/// # Safety
/// The memory may be written, and its first half holds the values.
#[inline]
pub unsafe fn spread(doubles: *mut Words, n: usize, mark: u64, step: u64) {
    #[cfg(target_arch = "x86_64")]
    if n >= SHORT && is_x86_feature_detected!("avx2") {
        // SAFETY: the caller's promise, and the machine has what the function is compiled for.
        return unsafe { spread_wide(doubles, n, mark, step) };
    }
    // SAFETY: the caller's promise.
    unsafe { spread_from(0, doubles, n, mark, step) };
}

/// As `spread`, of those from the `first` on.
///
/// # Safety
/// As above.
#[inline(always)]
unsafe fn spread_from(first: usize, doubles: *mut Words, n: usize, mark: u64, step: u64) {
    for i in (first..n).rev() {
        // SAFETY: the caller's promise.
        unsafe {
            let value = doubles.cast::<u64>().add(i).read();
            doubles.add(i).write([value, nth(mark, step, i)]);
        }
    }
}

/// # Safety
/// As for `spread`, of four doubles at least.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn spread_wide(doubles: *mut Words, n: usize, mark: u64, step: u64) {
    let fours = n / 4;
    let mut marks = interleaved(mark, step, 4 * fours - 4);
    let back = _mm256_set1_epi64x(nth(0, step, 4).cast_signed());
    // SAFETY: the caller's promise: 32 bytes from 32 i on are read before the 64 from 64 i on are written, and all below
    // 32 i are still what they were.
    unsafe {
        spread_from(4 * fours, doubles, n, mark, step);
        for i in (0..fours).rev() {
            let values = _mm256_loadu_si256(doubles.cast::<u64>().add(4 * i).cast());
            let values = _mm256_permute4x64_epi64::<INTERLEAVE>(values);
            let to = doubles.add(4 * i);
            _mm256_storeu_si256(to.cast(), _mm256_unpacklo_epi64(values, marks));
            _mm256_storeu_si256(to.add(2).cast(), _mm256_unpackhi_epi64(values, marks));
            marks = _mm256_sub_epi64(marks, back);
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

pub const fn tag_of(mark: u64) -> u32 {
    id_of(mark.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubles(n: usize) -> Vec<Words> {
        (0..n).zip(7..).map(|(i, id)| [(i as f64 - 2.5).to_bits(), mark_of(id, 3)]).collect()
    }

    #[test]
    fn test_apart_and_together() {
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
    fn test_spread_in_place() {
        for n in (0..40).chain([63, 64, 65, 1000]) {
            for (mark, step) in [(mark_of(7, 3), 1), (0, 0)] {
                let mut memory = vec![[u64::MAX; 2]; n + 1];
                let values = (0..n).map(|i| (i as f64 - 2.5).to_bits());
                for (i, value) in values.clone().enumerate() {
                    memory[i / 2][i % 2] = value;
                }
                // SAFETY: room for one more than all.
                unsafe { spread(memory.as_mut_ptr(), n, mark, step) };
                let expected = values.zip(0..).map(|(value, i)| [value, mark + step * i]);
                assert!(memory.iter().zip(expected).all(|(got, expected)| *got == expected), "{n}");
                assert_eq!(memory[n], [u64::MAX; 2], "{n}: behind the last");
            }
        }
    }

    #[test]
    fn test_add_and_move_out() {
        for n in (0..40).chain([1000]) {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            let mut sum: Vec<f64> = values.iter().map(|x| 1.0 - x).collect();
            add_to(&mut sum, &values);
            assert!(sum.iter().all(|&x| x == 1.0), "{n}");
            let mut out = vec![-1.0; values.len()];
            let mut from = values.clone();
            move_out(&mut from, &mut out);
            assert_eq!(out, values);
            assert!(from.iter().all(|&x| x == 0.0), "{n}");
        }
    }

    #[test]
    fn test_every_mark_counts() {
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
