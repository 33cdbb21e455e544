//! In place of nano-gemm-c32, the kernels of small complex matrices of single precision, which admpi never multiplies: see ../README.md.
#![no_std]

include!("../absent.rs");

type Element = num_complex::Complex<f32>;

pub mod x86 {
    pub mod c32 {
        absent!(c32x1 c32x2 avx);
    }
}

pub mod aarch64 {
    pub mod c32 {
        absent!(neon);
    }
}
