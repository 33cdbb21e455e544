//! The C interface of matrices. `include/admpi/varmat.h` is generated from this file.

use super::support::matrices::give_matrix;
use super::{array, array_mut, entry, get, null};
use crate::count::{from_c, product};
use crate::error::Result;
use crate::matrix::{self, Id, Owned};
use crate::tape::Tape;
pub(super) use crate::tape::with_current as with_tape;

// By the names under which C knows them: they are defined in `include/admpi/var.h` and `matrix.h`.
use crate::matrix::{Matrix as admpi_varmat, View as admpi_view};
use crate::tape::{Cursors as admpi_tape, Var as admpi_var};

/// A reference of our own to a matrix of the user's.
///
/// # Safety
/// `matrix` is NULL or live.
unsafe fn shared(name: &str, matrix: *const admpi_varmat) -> Result<Owned> {
    if matrix.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { Owned::share(matrix.cast_mut()) })
}

pub(super) fn elements(rows: i64, cols: i64) -> Result<(usize, usize, usize)> {
    let (rows, cols) = (from_c("rows", rows)?, from_c("cols", cols)?);
    Ok((rows, cols, product("rows * cols", rows, cols)?))
}

/// Makes a passive matrix.
/// @param value       `rows*cols` doubles, column-major; NULL: zeros
/// @param rows        number of rows
/// @param cols        number of columns
/// @param[out] a_out  the matrix; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_new(
    value: *const f64,
    rows: i64,
    cols: i64,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let (rows, cols, n) = elements(rows, cols)?;
            let values = if value.is_null() { &[][..] } else { array("value", value, n)? };
            Owned::passive(rows, cols, values.iter().copied())
        })
    }
}

/// Makes a matrix of scalars. If the tape records, the matrix gets consecutive ids, by one event.
/// @param x           `rows*cols` values, column-major
/// @param rows        number of rows
/// @param cols        number of columns
/// @param[out] a_out  the matrix; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_IDS,
///         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_from_vars(
    x: *const admpi_var,
    rows: i64,
    cols: i64,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let (rows, cols, n) = elements(rows, cols)?;
            let x = array("x", x, n)?;
            with_tape(|tape| matrix::gather(tape, rows, cols, x))
        })
    }
}

/// Makes a matrix with the current elements of a view. Nothing is recorded: the elements keep their ids.
/// @param view        part of a matrix
/// @param[out] a_out  the matrix; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE,
///         ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_from_view(
    view: *const admpi_view,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let view = get("view", view)?;
            with_tape(|tape| Tape::matrix_of(tape, "view", view))
        })
    }
}

/// Makes a column of some elements of a view. Nothing is recorded: the elements keep their ids.
/// @param view        part of a matrix
/// @param index       `n` places in the view, from 0, column-major; they may repeat
/// @param n           number of places
/// @param[out] a_out  the matrix, `n` x 1; free it with admpi_varmat_free
/// @return as admpi_varmat_from_view
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_gather(
    view: *const admpi_view,
    index: *const i64,
    n: i64,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let index = array("index", index, from_c("n", n)?)?;
            let all = Tape::elements("view", get("view", view)?)?;
            let places = matrix::indices("index", index, all.len())?;
            let some: Vec<admpi_var> = places.iter().map(|&place| all[place]).collect();
            with_tape(|tape| Tape::matrix_with(tape, some.len(), 1, &some))
        })
    }
}

/// Makes a matrix with the same elements. The two share memory until one of them is written to.
/// @param a           a matrix
/// @param[out] b_out  the copy; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_copy(
    a: *const admpi_varmat,
    b_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { give_matrix(("b_out", b_out), || Ok(shared("a", a)?.copy())) }
}

/// Releases one reference to a matrix: that of its creator, or one counted in `references`. The last one frees the matrix.
/// @param a  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_free(a: *mut admpi_varmat) {
    entry(|| {
        if !a.is_null() {
            // SAFETY: the caller gives the reference up.
            drop(unsafe { Owned::from_raw(a) });
        }
        Ok(())
    });
}

/// Assigns a whole matrix: `a` gets the elements and the shape of `b`, and views of `a` see them.
/// @param a  a matrix
/// @param b  a matrix; later assignments to elements of one do not change the other
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_rebind(
    a: *mut admpi_varmat,
    b: *const admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        shared("a", a)?.rebind(&shared("b", b)?);
        Ok(())
    })
}

/// Changes the shape of a matrix to one with the same number of elements, in column-major order.
/// @param a     a matrix
/// @param rows  number of rows
/// @param cols  number of columns
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_reshape(
    a: *mut admpi_varmat,
    rows: i64,
    cols: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (rows, cols, _) = elements(rows, cols)?;
        shared("a", a)?.reshape(rows, cols)
    })
}

/// Gives a matrix consecutive ids again, by one event, after assignments to its elements. Its adjoints then are one
/// slice. Does nothing if the ids are consecutive.
/// @param a  a matrix
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_STALE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_compact(a: *mut admpi_varmat) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let matrix = shared("a", a)?;
        if matrix.is_compact() {
            return Ok(());
        }
        let (rows, cols, _) = elements((*a).rows(), (*a).cols())?;
        let elements = Tape::elements("a", &matrix.view())?;
        let compact = with_tape(|tape| match tape {
            Some(tape) if tape.recording() => {
                matrix::gather(Some(tape), rows, cols, &elements).map(Some)
            }
            // Results of operations would be passive; the elements stay what they are.
            _ => Ok(None),
        })?;
        if let Some(compact) = compact {
            matrix.rebind(&compact);
        }
        Ok(())
    })
}

/// Makes all elements of a matrix inputs: the same values with new, consecutive ids.
/// @param a  a matrix
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NOT_RECORDING, ADMPI_ERR_IDS,
///         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_input(
    tape: *mut admpi_tape,
    a: *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { super::tape::tape(tape)?.input_matrix(&shared("a", a)?) })
}

/// Assigns one element.
/// @param view  part of a matrix
/// @param i     row, from 0
/// @param j     column, from 0
/// @param x     the value; the element takes its id too
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE,
///         ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY,
///         ADMPI_ERR_NEST (in a callback of a sweep, for a matrix older than the sweep; open a nest)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_set(
    view: *const admpi_view,
    i: i64,
    j: i64,
    x: admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let element = get("view", view)?.element("view", i, j)?;
        with_tape(|tape| Tape::assign_element(tape, "view", &element, &x))
    })
}

/// Assigns the elements of one view to another, with their ids; nothing is computed. The views may overlap. Assigning a
/// whole matrix takes constant time.
/// @param to    part of a matrix
/// @param from  part of a matrix, of the same shape
/// @return as admpi_varmat_set
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_assign(
    to: *const admpi_view,
    from: *const admpi_view,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (to, from) = (get("to", to)?, get("from", from)?);
        with_tape(|tape| Tape::assign_view(tape, to, from))
    })
}

/// Assigns scalars to the elements of a view, with their ids.
/// @param to  part of a matrix
/// @param x   `n` values, column-major
/// @param n   number of elements of the view
/// @return as admpi_varmat_set
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_assign_vars(
    to: *const admpi_view,
    x: *const admpi_var,
    n: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (to, x) = (get("to", to)?, array("x", x, from_c("n", n)?)?);
        with_tape(|tape| Tape::assign_vars(tape, "to", to, x))
    })
}

/// Assigns scalars to some elements of a view, with their ids, in the given order. If that fails, no element is assigned.
/// @param to     part of a matrix
/// @param index  `n` places in the view, from 0, column-major; of repeated places the last counts
/// @param x      `n` values
/// @param n      number of places
/// @return as admpi_varmat_set
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_scatter(
    to: *const admpi_view,
    index: *const i64,
    x: *const admpi_var,
    n: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (to, n) = (get("to", to)?, from_c("n", n)?);
        let (index, x) = (array("index", index, n)?, array("x", x, n)?);
        let places = matrix::indices("index", index, to.count("to")?)?;
        with_tape(|tape| Tape::scatter(tape, "to", to, &places, x))
    })
}

/// Assigns plain numbers to the elements of a view, which become passive.
/// @param to     part of a matrix
/// @param value  `n` doubles, column-major
/// @param n      number of elements of the view
/// @return as admpi_varmat_set
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_assign_values(
    to: *const admpi_view,
    value: *const f64,
    n: i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (to, values) = (get("to", to)?, array("value", value, from_c("n", n)?)?);
        to.check_count("to", values.len())?;
        with_tape(|tape| Tape::assign(tape, "to", to, false, |i| (values[i], Id::default())))
    })
}

/// Reads the values of a view.
/// @param view            part of a matrix
/// @param n               number of its elements
/// @param[out] value_out  `n` doubles, column-major
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_values(
    view: *const admpi_view,
    n: i64,
    value_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let out = array_mut("value_out", value_out, from_c("n", n)?)?;
        Tape::values_of("view", get("view", view)?, out)
    })
}

/// Reads the elements of a view as scalars. Nothing is recorded.
/// @param view        part of a matrix
/// @param n           number of its elements
/// @param[out] x_out  `n` values, column-major
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_vars(
    view: *const admpi_view,
    n: i64,
    x_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let (view, out) = (get("view", view)?, array_mut("x_out", x_out, from_c("n", n)?)?);
        view.check_count("view", out.len())?;
        out.copy_from_slice(&Tape::elements("view", view)?);
        Ok(())
    })
}

/// Adds to the adjoints of the elements of a view.
/// @param view       part of a matrix; passive elements are ignored
/// @param weight     `n` doubles, column-major
/// @param n          number of elements of the view
/// @param direction  from 0, below the width
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE,
///         ADMPI_ERR_STALE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_seed(
    tape: *mut admpi_tape,
    view: *const admpi_view,
    weight: *const f64,
    n: i64,
    direction: i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = super::tape::tape(tape)?;
        let weights = array("weight", weight, from_c("n", n)?)?;
        let (view, direction) = (get("view", view)?, super::tape::direction(direction)?);
        tape.seed_view("view", view, weights, direction)
    })
}

/// Reads the adjoints of the elements of a view.
/// @param view              part of a matrix
/// @param direction         from 0, below the width
/// @param n                 number of elements of the view
/// @param[out] adjoint_out  `n` doubles, column-major
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE,
///         ADMPI_ERR_STALE
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_varmat_adjoints(
    tape: *const admpi_tape,
    view: *const admpi_view,
    direction: i32,
    n: i64,
    adjoint_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let tape = super::tape::tape(tape)?;
        let out = array_mut("adjoint_out", adjoint_out, from_c("n", n)?)?;
        let view = get("view", view)?;
        tape.adjoints_of_view("view", view, super::tape::direction(direction)?, out)?;
        tape.check_view_answers("view", view, out)
    })
}
