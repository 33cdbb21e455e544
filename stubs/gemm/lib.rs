//! In place of gemm, the products of large matrices on processors without AVX2: double precision only, see ../README.md.
#![no_std]

use core::any::TypeId;
pub use gemm_common::Parallelism;
pub use gemm_common::gemm::get_threading_threshold;

/// `dst = alpha * dst + beta * lhs * rhs`, `m` by `n` by `k`; the strides count elements, `_cs` from column to column and `_rs`
/// from row to row.
///
/// # Panics
/// If `T` is not `f64`.
///
/// # Safety
/// The pointers and strides are those of matrices of these sizes, and `dst` overlaps neither factor.
#[allow(clippy::too_many_arguments)]
pub unsafe fn gemm<T: 'static>(
    mut m: usize,
    mut n: usize,
    k: usize,
    mut dst: *mut T,
    mut dst_cs: isize,
    mut dst_rs: isize,
    read_dst: bool,
    mut lhs: *const T,
    mut lhs_cs: isize,
    mut lhs_rs: isize,
    mut rhs: *const T,
    mut rhs_cs: isize,
    mut rhs_rs: isize,
    alpha: T,
    beta: T,
    _conj_dst: bool,
    _conj_lhs: bool,
    _conj_rhs: bool,
    parallelism: Parallelism,
) {
    assert!(TypeId::of::<T>() == TypeId::of::<f64>(), "admpi is built with products of f64 only");
    // The kernels want columns.
    if dst_cs.unsigned_abs() < dst_rs.unsigned_abs() {
        (m, n) = (n, m);
        (dst_cs, dst_rs) = (dst_rs, dst_cs);
        (lhs, rhs) = (rhs, lhs);
        (lhs_cs, lhs_rs, rhs_cs, rhs_rs) = (rhs_rs, rhs_cs, lhs_rs, lhs_cs);
    }
    // And run upwards.
    if let (true, Some(last)) = (dst_rs < 0, m.checked_sub(1)) {
        dst = dst.wrapping_offset(last as isize * dst_rs);
        lhs = lhs.wrapping_offset(last as isize * lhs_rs);
        (dst_rs, lhs_rs) = (-dst_rs, -lhs_rs);
    }
    if let (true, Some(last)) = (dst_cs < 0, n.checked_sub(1)) {
        dst = dst.wrapping_offset(last as isize * dst_cs);
        rhs = rhs.wrapping_offset(last as isize * rhs_cs);
        (dst_cs, rhs_cs) = (-dst_cs, -rhs_cs);
    }
    if let (true, Some(last)) = (lhs_cs < 0, k.checked_sub(1)) {
        lhs = lhs.wrapping_offset(last as isize * lhs_cs);
        rhs = rhs.wrapping_offset(last as isize * rhs_rs);
        (lhs_cs, rhs_rs) = (-lhs_cs, -rhs_rs);
    }
    // SAFETY: T is f64, and the rest is the caller's promise.
    unsafe {
        gemm_f64::gemm::f64::get_gemm_fn()(
            m,
            n,
            k,
            dst.cast(),
            dst_cs,
            dst_rs,
            read_dst,
            lhs.cast(),
            lhs_cs,
            lhs_rs,
            rhs.cast(),
            rhs_cs,
            rhs_rs,
            *(&raw const alpha).cast(),
            *(&raw const beta).cast(),
            false,
            false,
            false,
            parallelism,
        )
    }
}
