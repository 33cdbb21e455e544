//! What formulas have in common: polynomials, and numbers as sums of two.
#![forbid(unsafe_code)]

/// Adding it rounds a number to an integer, which stands in the low bits then.
pub const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The sum of c(k) x^k, by x and x^2, so that the processor has two sums under way.
#[inline(always)]
pub fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64, x2: f64) -> f64 {
    let (pairs, last) = coefficients.as_chunks();
    let mut sum = last.first().copied();
    for [a, b] in pairs.iter().rev() {
        let pair = b.mul_add(x, *a);
        sum = Some(sum.map_or(pair, |sum| sum.mul_add(x2, pair)));
    }
    sum.unwrap_or(0.0)
}

/// a / b, where 1 / b is there already.
#[inline(always)]
pub fn divided(a: f64, b: f64, inverse: f64) -> f64 {
    let q = a * inverse;
    (-q).mul_add(b, a).mul_add(inverse, q)
}

/// a + b, and what that is rounded by, where a is 0 or not smaller than b.
#[inline(always)]
pub fn exact_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    [sum, a - sum + b]
}

/// The product of two numbers, each the sum of two.
#[inline(always)]
pub fn product_in_two(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let product = a[0] * b[0];
    [product, a[0].mul_add(b[0], -product) + a[0].mul_add(b[1], a[1] * b[0])]
}

/// x^2 as the sum of two numbers.
#[inline(always)]
pub fn square_in_two(x: f64) -> [f64; 2] {
    let square = x * x;
    [square, x.mul_add(x, -square)]
}

/// By one comparison: zero, the subnormal, the infinite, NaN and the negative have smaller or larger bits.
#[inline(always)]
pub fn is_positive_and_normal(x: f64) -> bool {
    let least = f64::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(least) < f64::INFINITY.to_bits() - least
}

/// exp is computed by formulas where |x| is less.
pub const EXP_MOST: f64 = 708.0;
