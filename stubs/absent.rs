// What the stubs of nano-gemm's kernels share. Each defines the type `Element` and includes this.

use nano_gemm_core::{MicroKernel, MicroKernelData};

unsafe fn absent(
    _: &MicroKernelData<Element>,
    _: *mut Element,
    _: *const Element,
    _: *const Element,
) {
    unreachable!("admpi is built with kernels for matrices of f64 only")
}

/// What nano-gemm looks for in each of its kernels' modules.
macro_rules! absent {
    ($($name:ident)*) => {$(
        pub mod $name {
            pub const MR_DIV_N: usize = 1;
            pub const NR: usize = 1;
            pub const N: usize = 1;
            pub static MICROKERNELS: [[[crate::MicroKernel<crate::Element>; NR]; MR_DIV_N]; 17] = [[[crate::absent]]; 17];
            pub static MASKS: [u8; N] = [0];
        }
    )*};
}
