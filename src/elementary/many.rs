//! A function of many numbers: by its formula, many at a time, or by the C library.

/// A function of one number: its value and its derivative, by a formula without branches where that is good, and by the C
/// library, which is asked for the other numbers.
pub trait Function: Sized {
    fn inside(x: f64) -> bool;
    fn formula(x: f64) -> [f64; 2];
    fn library(x: f64) -> [f64; 2];

    /// The formula of all numbers with AVX-512. A function may have a quicker one.
    #[cfg(target_arch = "x86_64")]
    const BY_AVX512: Formula = by_avx512::<Self>;
}

/// Writes the values, and the derivatives where there is room for them, of a multiple of `LANES` numbers. Tells whether it is not
/// good for some. Unsafe where the machine has not what it is compiled for.
pub type Formula = unsafe fn(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool;

/// What formulas are computed with, the widest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Machine {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the crate is compiled for, if that rounds a multiplication and an addition once.
    Compiled,
    /// None: all is the C library's.
    Library,
}

impl Machine {
    pub const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        Self::Compiled,
        Self::Library,
    ];

    pub fn is_here(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Self::Compiled => cfg!(target_arch = "aarch64"),
            Self::Library => true,
        }
    }

    pub fn widest() -> Self {
        Self::ALL.iter().copied().find(|machine| machine.is_here()).unwrap_or(Self::Library)
    }
}

/// A multiple of the numbers that one pass of a loop over vectors is for. The rest would go one by one, and is padded.
pub const LANES: usize = 16;

/// See `Formula`.
#[inline(always)]
pub fn by_formula<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    let n = x.len() / LANES * LANES;
    let (x, y) = (&x[..n], &mut y[..n]);
    // As wide as the numbers, for which a comparison gives such masks.
    let mut outside = 0;
    let mut see = |x: f64| outside |= u64::from(!F::inside(x)).wrapping_neg();
    match derivative {
        None => {
            for (y, &x) in y.iter_mut().zip(x) {
                *y = F::formula(x)[0];
                see(x);
            }
        }
        Some(derivative) => {
            for ((y, d), &x) in y.iter_mut().zip(&mut derivative[..n]).zip(x) {
                [*y, *d] = F::formula(x);
                see(x);
            }
        }
    }
    outside != 0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub fn by_avx512<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    by_formula::<F>(x, y, derivative)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub fn by_avx2<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    by_formula::<F>(x, y, derivative)
}

pub fn by_machine<F: Function>(
    machine: Machine,
    x: &[f64],
    y: &mut [f64],
    derivative: Option<&mut [f64]>,
) -> bool {
    match machine {
        // SAFETY: the machine has what the function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx512 => unsafe { F::BY_AVX512(x, y, derivative) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2 => unsafe { by_avx2::<F>(x, y, derivative) },
        Machine::Compiled => by_formula::<F>(x, y, derivative),
        Machine::Library => true,
    }
}

/// The function of all numbers, and the derivative if there is room for it.
pub fn evaluate<F: Function>(
    machine: Machine,
    x: &[f64],
    y: &mut [f64],
    mut derivative: Option<&mut [f64]>,
) {
    let vectors = x.len() / LANES * LANES;
    let rest = x.len() - vectors;
    let d = derivative.as_deref_mut().map(|d| &mut d[..vectors]);
    let mut outside = by_machine::<F>(machine, &x[..vectors], &mut y[..vectors], d);
    if rest > 0 {
        let mut padded = [x[vectors]; LANES];
        padded[..rest].copy_from_slice(&x[vectors..]);
        let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
        let d = derivative.is_some().then_some(&mut slopes[..]);
        outside |= by_machine::<F>(machine, &padded, &mut values, d);
        y[vectors..].copy_from_slice(&values[..rest]);
        if let Some(d) = derivative.as_deref_mut() {
            d[vectors..].copy_from_slice(&slopes[..rest]);
        }
    }
    if outside {
        for (k, &x) in x.iter().enumerate() {
            if machine == Machine::Library || !F::inside(x) {
                let [value, slope] = F::library(x);
                y[k] = value;
                if let Some(d) = derivative.as_deref_mut() {
                    d[k] = slope;
                }
            }
        }
    }
}

/// Functions of the C library that std has not, or computes itself, less exactly.
pub mod c {
    unsafe extern "C" {
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
    }
}

/// A function of as many numbers as there are.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident as $Name:ident, $inside:expr, $formula:expr, $library:expr $(, $by_avx512:path)?) => {
        pub struct $Name;

        impl $crate::elementary::many::Function for $Name {
            #[inline(always)]
            fn inside(x: f64) -> bool {
                ($inside)(x)
            }

            #[inline(always)]
            fn formula(x: f64) -> [f64; 2] {
                ($formula)(x)
            }

            fn library(x: f64) -> [f64; 2] {
                ($library)(x)
            }
            $(
                #[cfg(target_arch = "x86_64")]
                const BY_AVX512: $crate::elementary::many::Formula = $by_avx512;
            )?
        }

        $(#[$doc])*
        pub fn $name(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
            $crate::elementary::many::evaluate::<$Name>(
                $crate::elementary::many::Machine::widest(), x, y, derivative);
        }
    };
}
pub(super) use function;
