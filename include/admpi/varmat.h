/* Generated from src/capi/varmat.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_VARMAT_H
#define ADMPI_VARMAT_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a passive matrix.
 * @param value       `rows*cols` doubles, column-major; NULL: zeros
 * @param rows        number of rows
 * @param cols        number of columns
 * @param[out] a_out  the matrix; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_new(const double *value, int64_t rows, int64_t cols, admpi_varmat **a_out);

/**
 * Makes a matrix of scalars. If the tape records, the matrix gets consecutive ids, by one event.
 * @param x           `rows*cols` values, column-major
 * @param rows        number of rows
 * @param cols        number of columns
 * @param[out] a_out  the matrix; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_IDS,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_from_vars(const admpi_var *x, int64_t rows, int64_t cols, admpi_varmat **a_out);

/**
 * Makes a matrix with the current elements of a view. Nothing is recorded: the elements keep their ids.
 * @param view        part of a matrix
 * @param[out] a_out  the matrix; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE,
 *         ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_from_view(const admpi_view *view, admpi_varmat **a_out);

/**
 * Makes a column of some elements of a view. Nothing is recorded: the elements keep their ids.
 * @param view        part of a matrix
 * @param index       `n` places in the view, from 0, column-major; they may repeat
 * @param n           number of places
 * @param[out] a_out  the matrix, `n` x 1; free it with admpi_varmat_free
 * @return as admpi_varmat_from_view
 */
int32_t admpi_varmat_gather(const admpi_view *view, const int64_t *index, int64_t n, admpi_varmat **a_out);

/**
 * Makes a matrix with the same elements. The two share memory until one of them is written to.
 * @param a           a matrix
 * @param[out] b_out  the copy; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_varmat_copy(const admpi_varmat *a, admpi_varmat **b_out);

/**
 * Releases one reference to a matrix: that of its creator, or one counted in `references`. The last one frees the matrix.
 * @param a  NULL is fine
 */
void admpi_varmat_free(admpi_varmat *a);

/**
 * Assigns a whole matrix: `a` gets the elements and the shape of `b`, and views of `a` see them.
 * @param a  a matrix
 * @param b  a matrix; later assignments to elements of one do not change the other
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_varmat_rebind(admpi_varmat *a, const admpi_varmat *b);

/**
 * Changes the shape of a matrix to one with the same number of elements, in column-major order.
 * @param a     a matrix
 * @param rows  number of rows
 * @param cols  number of columns
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_varmat_reshape(admpi_varmat *a, int64_t rows, int64_t cols);

/**
 * Gives a matrix consecutive ids again, by one event, after assignments to its elements. Its adjoints then are one
 * slice. Does nothing if the ids are consecutive.
 * @param a  a matrix
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_STALE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_compact(admpi_varmat *a);

/**
 * Makes all elements of a matrix inputs: the same values with new, consecutive ids.
 * @param a  a matrix
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NOT_RECORDING, ADMPI_ERR_IDS,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_input(admpi_tape *tape, admpi_varmat *a);

/**
 * Assigns one element.
 * @param view  part of a matrix
 * @param i     row, from 0
 * @param j     column, from 0
 * @param x     the value; the element takes its id too
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE,
 *         ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY,
 *         ADMPI_ERR_NEST (in a callback of a sweep, for a matrix older than the sweep; open a nest)
 */
int32_t admpi_varmat_set(const admpi_view *view, int64_t i, int64_t j, admpi_var x);

/**
 * Assigns the elements of one view to another, with their ids; nothing is computed. The views may overlap. Assigning a
 * whole matrix takes constant time.
 * @param to    part of a matrix
 * @param from  part of a matrix, of the same shape
 * @return as admpi_varmat_set
 */
int32_t admpi_varmat_assign(const admpi_view *to,
                            const admpi_view *from);

/**
 * Assigns scalars to the elements of a view, with their ids.
 * @param to  part of a matrix
 * @param x   `n` values, column-major
 * @param n   number of elements of the view
 * @return as admpi_varmat_set
 */
int32_t admpi_varmat_assign_vars(const admpi_view *to, const admpi_var *x, int64_t n);

/**
 * Assigns scalars to some elements of a view, with their ids, in the given order. If that fails, no element is assigned.
 * @param to     part of a matrix
 * @param index  `n` places in the view, from 0, column-major; of repeated places the last counts
 * @param x      `n` values
 * @param n      number of places
 * @return as admpi_varmat_set
 */
int32_t admpi_varmat_scatter(const admpi_view *to,
                             const int64_t *index,
                             const admpi_var *x,
                             int64_t n);

/**
 * Assigns plain numbers to the elements of a view, which become passive.
 * @param to     part of a matrix
 * @param value  `n` doubles, column-major
 * @param n      number of elements of the view
 * @return as admpi_varmat_set
 */
int32_t admpi_varmat_assign_values(const admpi_view *to, const double *value, int64_t n);

/**
 * Reads the values of a view.
 * @param view            part of a matrix
 * @param n               number of its elements
 * @param[out] value_out  `n` doubles, column-major
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE
 */
int32_t admpi_varmat_values(const admpi_view *view, int64_t n, double *value_out);

/**
 * Reads the elements of a view as scalars. Nothing is recorded.
 * @param view        part of a matrix
 * @param n           number of its elements
 * @param[out] x_out  `n` values, column-major
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE
 */
int32_t admpi_varmat_vars(const admpi_view *view, int64_t n, admpi_var *x_out);

/**
 * Adds to the adjoints of the elements of a view.
 * @param view       part of a matrix; passive elements are ignored
 * @param weight     `n` doubles, column-major
 * @param n          number of elements of the view
 * @param direction  from 0, below the width
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE,
 *         ADMPI_ERR_STALE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_varmat_seed(admpi_tape *tape,
                          const admpi_view *view,
                          const double *weight,
                          int64_t n,
                          int32_t direction);

/**
 * Reads the adjoints of the elements of a view.
 * @param view              part of a matrix
 * @param direction         from 0, below the width
 * @param n                 number of elements of the view
 * @param[out] adjoint_out  `n` doubles, column-major
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE,
 *         ADMPI_ERR_STALE
 */
int32_t admpi_varmat_adjoints(const admpi_tape *tape,
                              const admpi_view *view,
                              int32_t direction,
                              int64_t n,
                              double *adjoint_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_VARMAT_H */
