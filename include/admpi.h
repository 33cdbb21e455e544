/* admpi: adjoint MPI and a tape for reverse-mode differentiation. The one header to include.
 *
 * C and C++ get everything. Fortran (`#include <admpi.h>` in .F90 and .F) gets the preprocessor constants
 * so far. Compilers of Fortran are known by their own macros because
 * some preprocess with a C preprocessor; for one that is not known, define ADMPI_FORTRAN.
 *
 * # The contract of handles and pointers
 *
 * What each argument of a type must be is written here, once. A function's own comment says what differs. The library
 * reports what it can see (NULL, a negative length, a stale value). What it cannot see (a freed handle, an array that
 * is too short, a race) is undefined behaviour.
 *
 * `admpi_tape *` comes from admpi_tape_new and is used until admpi_tape_free, which takes it once. One thread uses a
 * tape at a time: a thread may take it over when no call on it is under way elsewhere and no other thread has it as its
 * current one. Functions of the user's that a sweep or a call of an operation runs may use the tape through its handle.
 * Its destructors may not, nor may a map's jobs use the tape of the map's caller (ADMPI_ERR_NEST). None of them frees
 * it. NULL is an error (ADMPI_ERR_NULL) unless the comment allows it; so is &admpi_no_tape (ADMPI_ERR_NO_TAPE). Only
 * the library and its inline functions write the fields.
 *
 * `admpi_position` and `admpi_nest` come from the functions of the tape that they are given to. They are plain values.
 * They are good until what lies below the position is forgotten, or the nest is recovered; the library refuses them
 * afterwards where it can tell.
 *
 * `admpi_var` is what the library or its inline functions made, a copy of that, or all zeros, which is passive. It is a
 * plain value and may lie in any memory. Its id and tag are never made up. It belongs to the tape that made it and is
 * stale once that is reset, goes back below it, or is freed: assign it before the next use.
 *
 * `admpi_varmat *` comes from a function that has an `admpi_varmat **` as its output. Each such output is one
 * reference, and each reference is given back once by admpi_varmat_free. A matrix outlives the tape that its elements
 * were recorded on, and its values stay. One thread uses a matrix at a time, but several may read a passive one. NULL
 * is an error, except for admpi_varmat_free. Only the library and its inline functions write the fields.
 *
 * `admpi_view` and `admpi_operand` are plain values, read during the call. `of` is a live matrix, which the view does
 * not keep alive; in an operand it may be NULL: then the operand is its scalar. The library checks that the view lies
 * in the matrix (ADMPI_ERR_RANGE).
 *
 * `admpi_operation *`, `admpi_linear_system *` and `admpi_fixed_point_map *` lead to a structure whose `size` is its
 * sizeof. The call copies it. Its functions return, they neither throw nor longjmp, and stay loaded as long as the tape
 * holds what was recorded with them. The data handed over with it are the library's to destroy, once, if the structure
 * is not NULL and has its size, be the call a success or not. `admpi_kernel_call *`, `admpi_forward_call *` and the
 * like are what the library hands to such functions: they are good until the function returns.
 *
 * `admpi_sparse *` comes from admpi_sparse_new or admpi_sparse_copy and is given back once by admpi_sparse_free. It
 * never changes: threads may share it. NULL is an error, except for admpi_sparse_free.
 *
 * `admpi_map *` comes from admpi_map_new or admpi_map_new_mpi and is used until admpi_map_free, which takes it once,
 * not in one of its jobs. One thread calls it at a time; a call inside a job runs serially, whichever the map. Where
 * the comment allows NULL, that is a map of the calling thread alone. `admpi_map_data` is a number, not a pointer: a
 * wrong one is refused. `admpi_map_values *` and `admpi_map_call *` are read during the call, with the arrays that they
 * name.
 *
 * `AMPI_Request` comes from the call that started it, or is AMPI_REQUEST_NULL. It is completed or freed once; the call
 * that does so sets the handle that it is given to AMPI_REQUEST_NULL, and other copies of it are not used again. A
 * persistent request lives until AMPI_Request_free. One of an active call is completed on the thread whose tape was
 * current at its start, while that tape lives. An `AMPI_Request *` is never NULL, and leads to one handle or to the
 * `count` of the call.
 *
 * MPI_Comm, MPI_Datatype, MPI_Op and other handles of MPI are what the MPI call of that name demands, of the MPI that
 * the library was built for (`admpi_mpi_sizes *` is how the library finds out). Communicators that carry active data
 * have entered the library: MPI_COMM_WORLD and MPI_COMM_SELF by AMPI_Init, those of admpi_init, and what AMPI calls
 * make of them. Buffers, counts, MPI_IN_PLACE, MPI_BOTTOM, statuses and what is significant on which rank are as MPI
 * says. A buffer of AMPI_VARMAT is an `admpi_varmat *`, one of AMPI_VIEW an `admpi_view *`, both live until the call is
 * complete.
 *
 * Other pointers: an input leads to as many items as its comment says, which nobody changes during the call; it may be
 * NULL if that is none. An output (`_out`) leads to memory for as many, is written on success alone, does not overlap
 * inputs unless the comment says so, and is not NULL unless the comment says so: admpi_position, admpi_nest,
 * admpi_statistics, admpi_map_data, admpi_map_failure, admpi_mpi_statistics_t and arrays of admpi_var alike. A text
 * ends with a zero byte. Its owner is the caller, and the library copies what it keeps. What a function returns by
 * pointer is the library's, and good as long as its comment says. */
#ifndef ADMPI_H
#define ADMPI_H

#include "admpi/interface.h"
#ifndef ADMPI_IS_FORTRAN
#include "admpi/ops.h"
#include "admpi/kernels.h"
#endif

#endif
