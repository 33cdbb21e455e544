//! The C interface of drivers: derivatives of functions of active values. `include/admpi/derivatives.h` is generated from this
//! file.

use super::linalg::admpi_sparse;
use super::{array, array_mut, entry, get, give_handle, null, put};
use crate::count::{as_c, from_c};
use crate::derivatives::{self, Check};
use crate::error::{Result, of_users};
use crate::sparsity::{Alone, Exchange};
use std::ffi::c_void;
use std::sync::Arc;

// By the names under which C knows them: they are defined in `include/admpi/var.h`.
use crate::tape::Var as admpi_var;

/// A function of active values, with AMPI calls if ranks compute it together. What it records is swept and forgotten. Active values
/// from elsewhere are constants.
/// @param x         the inputs
/// @param n         how many
/// @param[out] y    the results, each of which the function sets
/// @param m         how many
/// @param ctx       the context given with it
/// @return 0, or any other number: the call ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_function_fn = Option<
    unsafe extern "C-unwind" fn(
        x: *const admpi_var,
        n: i64,
        y: *mut admpi_var,
        m: i64,
        ctx: *mut c_void,
    ) -> i32,
>;

/// What admpi_check_gradient found of an input.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[allow(non_camel_case_types)]
pub struct admpi_input_check {
    /// The derivative by a sweep.
    pub reverse: f64,
    /// The derivative by central differences: of those for eight steps, the one that changed least from step to step.
    pub difference: f64,
    /// Whether one of the differences agrees with the sweep.
    pub is_right: i64,
}

laid_out!(admpi_input_check, admpi_input_check);

/// A function with its context.
type Called = (admpi_function_fn, *mut c_void);

/// # Safety
/// As the C contract says.
unsafe fn with<R>(
    (f, ctx): Called,
    run: impl FnOnce(derivatives::Function<'_>) -> Result<R>,
) -> Result<R> {
    let f = f.ok_or_else(|| null("f"))?;
    run(&|x: &[admpi_var], y: &mut [admpi_var]| {
        let (n, m) = (as_c(x.len()), as_c(y.len()));
        // SAFETY: the caller's promise; the arrays have as many elements.
        of_users(|| unsafe { f(x.as_ptr(), n, y.as_mut_ptr(), m, ctx) })
    })
}

/// Writes values to an output that may be left out.
///
/// # Safety
/// `pointer` is NULL, or there is room for as many.
unsafe fn tell(pointer: *mut f64, values: &[f64]) -> Result<()> {
    if pointer.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe { array_mut("value_out", pointer, values.len())? }.copy_from_slice(values);
    Ok(())
}

/// # Safety
/// As the C contract says.
pub(super) unsafe fn gradient(
    f: Called,
    (x, n): (*const f64, i64),
    (value_out, gradient_out): (*mut f64, *mut f64),
    ranks: &mut impl Exchange,
) -> Result<()> {
    let n = from_c("n", n)?;
    // SAFETY: the caller's promise.
    unsafe {
        let (x, out) = (array("x", x, n)?, array_mut("gradient_out", gradient_out, n)?);
        let value = with(f, |f| derivatives::gradient(f, x, out, ranks))?;
        tell(value_out, &[value])
    }
}

/// # Safety
/// As the C contract says.
pub(super) unsafe fn check_gradient(
    f: Called,
    (x, n): (*const f64, i64),
    tolerance: f64,
    (checks_out, wrong_out): (*mut admpi_input_check, *mut i64),
    ranks: &mut impl Exchange,
) -> Result<()> {
    let n = from_c("n", n)?;
    // SAFETY: the caller's promise.
    unsafe {
        let (x, out) = (array("x", x, n)?, array_mut("checks_out", checks_out, n)?);
        put("wrong_out", wrong_out, || {
            let mut checks = vec![Check::default(); n];
            let (_, wrong) =
                with(f, |f| derivatives::check_gradient(f, x, tolerance, &mut checks, ranks))?;
            for (out, &Check { reverse, difference, is_right }) in out.iter_mut().zip(&checks) {
                *out = admpi_input_check { reverse, difference, is_right: is_right.into() };
            }
            Ok(as_c(wrong))
        })
    }
}

/// The gradient of a function with one result, by a recording and a sweep: on a nest of the thread's tape, or on a tape of its own if the
/// thread has none. If all ranks call it together, it is the gradient of the sum of what the function returns on the ranks, by this
/// rank's inputs. Of one that returns the same on all: admpi_gradient_ranks.
/// @param f                  the function
/// @param ctx                its context
/// @param x                  where
/// @param n                  number of inputs
/// @param[out] value_out     the function's value, or NULL
/// @param[out] gradient_out  `n` derivatives
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the function has not set its result), ADMPI_ERR_CALLBACK, and as
///         admpi_tape_reverse
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_gradient(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    value_out: *mut f64,
    gradient_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { gradient((f, ctx), (x, n), (value_out, gradient_out), &mut Alone) })
}

/// The Jacobian of a function, by one recording and a sweep for each 16 results, or for each result on a tape that the thread has.
/// @param f                  the function, which communicates with no other rank
/// @param ctx                its context
/// @param x                  where
/// @param n                  number of inputs
/// @param m                  number of results
/// @param[out] value_out     `m` values, or NULL
/// @param[out] jacobian_out  `m * n` derivatives, column by column: that of result i by input j is `jacobian_out[i + j * m]`. After an
///                           error it may hold anything
/// @return as admpi_gradient
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_jacobian(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    m: i64,
    value_out: *mut f64,
    jacobian_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (n, m) = (from_c("n", n)?, from_c("m", m)?);
        let elements = crate::count::product("m * n", m, n)?;
        let (x, out) = (array("x", x, n)?, array_mut("jacobian_out", jacobian_out, elements)?);
        let mut values = vec![0.0; m];
        with((f, ctx), |f| derivatives::jacobian(f, x, &mut values, out))?;
        tell(value_out, &values)
    })
}

/// Weights times the Jacobian of a function: the gradient of the results, weighted, by a sweep.
/// @param f                 the function
/// @param ctx               its context
/// @param x                 where
/// @param n                 number of inputs
/// @param w                 the weights
/// @param m                 number of results
/// @param[out] value_out    `m` values, or NULL
/// @param[out] product_out  `n` derivatives
/// @return as admpi_gradient
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_transposed_jacobian_product(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    w: *const f64,
    m: i64,
    value_out: *mut f64,
    product_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (n, m) = (from_c("n", n)?, from_c("m", m)?);
        let (x, w) = (array("x", x, n)?, array("w", w, m)?);
        let out = array_mut("product_out", product_out, n)?;
        let mut values = vec![0.0; m];
        with((f, ctx), |f| derivatives::transposed_product(f, x, w, (&mut values, out)))?;
        tell(value_out, &values)
    })
}

/// Finds where the Jacobian of a function may have elements, from one recording: for any inputs at which it takes the same branches.
/// admpi_sparse_rows copies it.
/// @param f           the function, which communicates with no other rank
/// @param ctx         its context
/// @param x           where
/// @param n           number of inputs
/// @param m           number of results
/// @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
/// @return as admpi_gradient, and as admpi_tape_sparsity
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_jacobian_sparsity(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    m: i64,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("s_out", s_out), || {
            let (x, m) = (array("x", x, from_c("n", n)?)?, from_c("m", m)?);
            let pattern = with((f, ctx), |f| derivatives::sparsity(f, x, m))?;
            Ok(admpi_sparse(Arc::new(pattern)))
        })
    }
}

/// The elements of a function's Jacobian that a pattern has, by one recording and a sweep for each 16 colours of rows, or for each
/// colour on a tape that the thread has. A pattern that lacks an element is an error.
/// @param f                 the function, with a result for each row, which communicates with no other rank
/// @param ctx               its context
/// @param x                 where
/// @param n                 number of inputs
/// @param s                 a pattern, such as one of admpi_jacobian_sparsity or admpi_sparse_new
/// @param[out] value_out    a value for each row, or NULL
/// @param[out] element_out  the elements, row by row, as admpi_sparse_rows has them. After an error they may be anything
/// @return as admpi_gradient; ADMPI_ERR_ARGUMENT if the pattern has not `n` columns, or lacks an element
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_jacobian(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    s: *const admpi_sparse,
    value_out: *mut f64,
    element_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let pattern = &get("s", s)?.0;
        let x = array("x", x, from_c("n", n)?)?;
        let elements = array_mut("element_out", element_out, pattern.column().len())?;
        let mut values = vec![0.0; pattern.rows()];
        with((f, ctx), |f| derivatives::sparse_jacobian(f, x, pattern, (&mut values, elements)))?;
        tell(value_out, &values)
    })
}

/// Compares the gradient of a function with one result, by a sweep, with central differences of its values, for steps from 1e-2 to 1e-9
/// times max(1, |x|): one of them must agree. At a kink differences tell nothing. Calls the function 16 times for each input.
/// @param f                the function
/// @param ctx              its context
/// @param x                where
/// @param n                number of inputs
/// @param tolerance        how far the two may differ, relative to the larger, such as 1e-6
/// @param[out] checks_out  what was found of each input
/// @param[out] wrong_out   how many derivatives are wrong
/// @return as admpi_gradient
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_check_gradient(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    tolerance: f64,
    checks_out: *mut admpi_input_check,
    wrong_out: *mut i64,
) -> i32 {
    let outputs = (checks_out, wrong_out);
    // SAFETY: as the C contract says.
    entry(|| unsafe { check_gradient((f, ctx), (x, n), tolerance, outputs, &mut Alone) })
}
