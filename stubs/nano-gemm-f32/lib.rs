//! In place of nano-gemm-f32, the kernels of small matrices of single precision, which admpi never multiplies: see ../README.md.
#![no_std]

include!("../absent.rs");

type Element = f32;

pub mod x86 {
    pub mod f32 {
        absent!(f32x1 f32x2 f32x4 avx);
    }
}

pub mod aarch64 {
    pub mod f32 {
        absent!(neon);
    }
}
