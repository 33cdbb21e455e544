//! Products of many factors, which may be past the range of doubles on the way.

/// `mantissa * 2^exponent`: the mantissa is at least 1 and below 2 in size; or 0, infinite or NaN.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    mantissa: f64,
    exponent: i64,
}

const EXPONENT: u64 = 0x7ff << 52;
const BIAS: i64 = 1023;

/// 2^e, for -1023 < e < 1024.
fn power(e: i64) -> f64 {
    f64::from_bits(u64::try_from(e + BIAS).unwrap_or(0) << 52)
}

impl Scaled {
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    pub fn new(x: f64) -> Self {
        if x == 0.0 || !x.is_finite() {
            return Self { mantissa: x, exponent: 0 };
        }
        // Those below the normal ones have no exponent of their own.
        let shift = if x.is_subnormal() { 54 } else { 0 };
        let bits = (x * power(shift)).to_bits();
        let exponent = i64::try_from((bits & EXPONENT) >> 52).unwrap_or(0) - BIAS;
        let mantissa = f64::from_bits(bits & !EXPONENT | 1.0f64.to_bits());
        Self { mantissa, exponent: exponent - shift }
    }

    pub fn times(self, x: f64) -> Self {
        let x = Self::new(x);
        let Self { mantissa, exponent } = Self::new(self.mantissa * x.mantissa);
        Self { mantissa, exponent: self.exponent + x.exponent + exponent }
    }

    pub fn product(factors: impl IntoIterator<Item = f64>) -> Self {
        factors.into_iter().fold(Self::ONE, Self::times)
    }

    /// The product as a double, rounded once.
    pub fn value(self) -> f64 {
        let first = self.exponent.clamp(1 - BIAS, BIAS);
        let rest = (self.exponent - first).clamp(1 - BIAS, BIAS);
        self.mantissa * power(first) * power(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for x in [1.0, -1.5, 0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.3e-310, 0.0, -0.0] {
            assert_eq!(Scaled::new(x).value().to_bits(), x.to_bits(), "{x:e}");
        }
        assert_eq!(Scaled::new(f64::NEG_INFINITY).value(), f64::NEG_INFINITY);
        assert!(Scaled::new(f64::NAN).value().is_nan());
    }

    #[test]
    fn products_past_the_range_on_the_way() {
        let (large, small) = (2f64.powi(1000), 2f64.powi(-1000));
        assert_eq!(Scaled::product([large, large, small, small]).value(), 1.0);
        assert_eq!(Scaled::product([-small, small, large, 3.0 * large]).value(), -3.0);
        assert_eq!(Scaled::product([1e300, 1e300]).value(), f64::INFINITY);
        assert_eq!(Scaled::product([1e-300, -1e-300]).value().to_bits(), (-0.0f64).to_bits());
        assert_eq!(Scaled::product(std::iter::repeat_n(1e-300, 100_000)).value(), 0.0);
        assert_eq!(Scaled::product([]).value(), 1.0);
        // Below the normal numbers there is one rounding.
        assert_eq!(Scaled::product([3.0, 2f64.powi(-600), 2f64.powi(-476)]).value(), 5e-324);
        assert_eq!(Scaled::product([f64::MIN_POSITIVE, 0.5]).value(), f64::MIN_POSITIVE / 2.0);
    }
}
