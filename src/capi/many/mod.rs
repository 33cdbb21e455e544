//! What the functions of many numbers at once share. A directory of its own, since every file of `capi` is a unit with a
//! header.

use super::{array, array_mut, entry};
use crate::count::from_c;
use crate::elementary::OfPairs;

/// A function of one number, of all numbers, with its derivative where there is room for it.
pub type OfNumbers = fn(&[f64], &mut [f64], Option<&mut [f64]>);

/// # Safety
/// As for `array` and `array_mut`; `derivative_out` may be NULL.
pub unsafe fn of_numbers(
    function: OfNumbers,
    (n, x): (i64, *const f64),
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    entry(|| {
        let n = from_c("n", n)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (x, y) = (array("x", x, n)?, array_mut("y_out", y_out, n)?);
            let wanted = !derivative_out.is_null();
            let derivative =
                wanted.then(|| array_mut("derivative_out", derivative_out, n)).transpose()?;
            function(x, y, derivative);
        }
        Ok(())
    })
}

/// # Safety
/// As for `array` and `array_mut`; the derivatives may be NULL.
pub unsafe fn of_pairs(
    function: OfPairs,
    (n, x1, x2): (i64, *const f64, *const f64),
    y_out: *mut f64,
    [derivative_1_out, derivative_2_out]: [*mut f64; 2],
) -> i32 {
    entry(|| {
        let n = from_c("n", n)?;
        // SAFETY: the caller's promise.
        unsafe {
            let (x1, x2) = (array("x1", x1, n)?, array("x2", x2, n)?);
            let y = array_mut("y_out", y_out, n)?;
            let wanted =
                |name, to: *mut f64| (!to.is_null()).then(|| array_mut(name, to, n)).transpose();
            let by_x1 = wanted("derivative_1_out", derivative_1_out)?;
            let by_x2 = wanted("derivative_2_out", derivative_2_out)?;
            function([x1, x2], y, [by_x1, by_x2]);
        }
        Ok(())
    })
}
