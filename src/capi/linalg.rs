//! The C interface of linear algebra. `include/admpi/linalg.h` is generated from this file.

use super::varmat::with_tape;
use super::{entry, get, put};
use crate::ops;
use crate::tape::Tape;

// By the names under which C knows them: they are defined in `include/admpi/matrix.h`.
use crate::tape::{Matrix as admpi_varmat, View as admpi_view};

/// Multiplies two matrices. Each may be active or passive, and any part of a matrix; a transposed one is multiplied as it
/// lies.
/// @param a           `m x k` elements
/// @param b           `k x n` elements; may overlap a
/// @param[out] c_out  the product, `m x n`; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_multiply(
    a: *const admpi_view,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("c_out", c_out, || {
            let (a, b) = (get("a", a)?, get("b", b)?);
            let product = with_tape(|tape| {
                let operand = |name, view| Tape::operand(tape.as_deref(), name, view);
                let (a, b) = (operand("a", a)?, operand("b", b)?);
                ops::multiply(tape, a, b)
            });
            Ok(product?.into_raw())
        })
    })
}
