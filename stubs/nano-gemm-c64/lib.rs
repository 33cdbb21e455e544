//! In place of nano-gemm-c64, the kernels of small complex matrices, which admpi never multiplies: see ../README.md.
#![no_std]

include!("../absent.rs");

type Element = num_complex::Complex<f64>;

pub mod x86 {
    pub mod c64 {
        absent!(c64x1 avx);
    }
}

pub mod aarch64 {
    pub mod c64 {
        absent!(neon);
    }
}
