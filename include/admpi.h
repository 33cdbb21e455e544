/* admpi: adjoint MPI and a tape for reverse-mode differentiation. The one header to include.
 *
 * C and C++ get everything. Fortran (`#include <admpi.h>` in .F90 and .F) gets the preprocessor constants, and ADMPI_REAL,
 * ADMPI_COMPLEX and their datatypes for sources that are compiled with and without ADMPI_ACTIVE. Compilers of Fortran are known by their own
 * macros because some preprocess with a C preprocessor; for one that is not known, define ADMPI_FORTRAN.
 *
 * # The contract of handles and pointers
 *
 * This comment says, once for each type, what an argument must be. The comment of a function says what differs. The
 * library reports what it can detect (NULL, a negative length, a stale value). What it cannot detect (a freed handle, an
 * array that is too short, a race) is undefined behaviour.
 *
 * `admpi_tape *` comes from admpi_tape_new and is valid until admpi_tape_free, which is called once. One thread uses a
 * tape at a time. Another thread may take it over while no call on it is running and no thread has it as its current
 * tape. A user's function that a sweep or an operation runs may use the tape through its handle. A destructor on the tape
 * may not, nor may the jobs of a map use the tape of the map's caller (ADMPI_ERR_NEST). None of them may free it. NULL is
 * an error (ADMPI_ERR_NULL) unless the comment allows it; so is &admpi_no_tape (ADMPI_ERR_NO_TAPE). Only the library and
 * its inline functions write the fields.
 *
 * `admpi_position` and `admpi_nest` are plain values from functions of the tape, to be used with the same tape. They are
 * valid until the tape forgets what is below the position, or recovers the nest. Afterwards the library refuses them if
 * it can tell.
 *
 * `admpi_var` is a plain value made by the library or its inline functions, a copy of one, or all zeros, which is passive.
 * It may be in any memory. Programs never make up its id and tag. It belongs to the tape that made it, and becomes stale
 * when the tape is reset, goes back below it, or is freed: assign it before the next use.
 *
 * `admpi_varmat *` comes from a function with an output of type `admpi_varmat **`. Each such output is one reference, and
 * admpi_varmat_free releases each reference once. A matrix may outlive the tape that its elements were recorded on; it
 * keeps its values. One thread uses a matrix at a time, but several may read a passive one. NULL is an error, except for
 * admpi_varmat_free. Only the library and its inline functions write the fields.
 *
 * `admpi_view` and `admpi_operand` are plain values that are read during the call. `of` is a live matrix, which the view
 * does not keep alive. In an operand it may be NULL: then the operand is a scalar. The library checks that the view is
 * inside the matrix (ADMPI_ERR_RANGE).
 *
 * `admpi_tool *` points to a table whose `size` is its sizeof, which stays where it is. Its functions neither throw nor longjmp, and
 * stay loaded. admpi_tool_register copies it; the other calls know the tool by the address. What the functions are given as
 * `access` is what admpi_tool_evaluate was called with.
 *
 * `admpi_operation *`, `admpi_linear_system *` and `admpi_fixed_point_map *` point to a structure whose `size` is its
 * sizeof. The call copies it. Its functions neither throw nor longjmp, and stay loaded as long as the tape holds
 * operations recorded with them. If the structure is not NULL and has its size, the library destroys the data passed with
 * it, once, whether the call succeeds or not. The library passes `admpi_kernel_call *`, `admpi_forward_call *` and the
 * like to such functions: they are valid until the function returns.
 *
 * `admpi_sparse *` comes from admpi_sparse_new, admpi_sparse_copy or a call of admpi/sparsity.h, and admpi_sparse_free
 * frees it once. It never changes, so threads may share it. NULL is an error, except for admpi_sparse_free.
 *
 * `admpi_map *` comes from admpi_map_new or admpi_map_new_mpi and is valid until admpi_map_free, which is called once and
 * not in one of the map's jobs. One thread calls it at a time. A call inside a job runs serially, whatever the map. Where
 * the comment allows NULL, it means a map of the calling thread alone. `admpi_map_data` is a number, not a pointer: a
 * wrong one is refused. `admpi_map_values *` and `admpi_map_call *`, and the arrays that they name, are read during the
 * call.
 *
 * `admpi_device_map *` comes from admpi_device_map_new, and admpi_device_map_free frees it once. Threads may share it while
 * nothing is added. NULL is an error, except for admpi_device_map_free.
 *
 * `admpi_pmap_program *` and `admpi_pmap_simulation *` come from calls with an output of that type, and the functions that free
 * them free each once. They never change, so threads may share them. `admpi_pmap_topology *` and `admpi_pmap_account *` are plain
 * structures. NULL is an error, except where the comment allows it.
 *
 * `admpi_pmap *` comes from admpi_pmap_new, and admpi_pmap_free frees it once, both on all ranks of a communicator. One thread
 * uses it. `admpi_pmap_value *` comes from a call with an output of that type, and admpi_pmap_value_free frees it once; a body of
 * admpi_pmap_run frees neither its inputs nor its results. It may outlive its engine. NULL is an error, except for the functions that
 * free.
 *
 * `admpi_time_loop *` comes from admpi_time_loop_new, and admpi_time_loop_free frees it once. Its tape outlives it. What is declared
 * as state or parameters, the functions and their contexts live as long as the tape holds a run. One thread uses it at a time.
 * NULL is an error, except for admpi_time_loop_free.
 *
 * `admpi_profile *` comes from admpi_tape_profile, and admpi_profile_free frees it once. It outlives its tape. One thread uses it at
 * a time. NULL is an error, except for admpi_profile_free.
 *
 * `AMPI_Request` comes from the call that started it, or is AMPI_REQUEST_NULL. It is completed or freed once: that call
 * sets the handle that it is given to AMPI_REQUEST_NULL, and other copies must not be used again. A persistent request
 * lives until AMPI_Request_free. A request of an active call is completed on the thread whose tape was current at its
 * start, while that tape lives. An `AMPI_Request *` is never NULL, and points to one handle or to `count` handles, as the
 * call says.
 *
 * MPI_Comm, MPI_Datatype, MPI_Op and other handles of MPI must be valid for the MPI call of that name, and belong to the
 * MPI that the library was built for (`admpi_mpi_sizes *` is how the library checks this). The library must know the
 * communicators that carry active data: AMPI_Init registers MPI_COMM_WORLD and MPI_COMM_SELF, admpi_init its
 * communicator, and AMPI calls the communicators that they make. Buffers, counts, MPI_IN_PLACE, MPI_BOTTOM, statuses and
 * significance on ranks are as in MPI. A buffer of AMPI_VARMAT is an `admpi_varmat *`, one of AMPI_VIEW an
 * `admpi_view *`; both live until the call is complete.
 *
 * Other pointers: an input points to the number of items that its comment says, which nobody changes during the call. It
 * may be NULL if there are no items. An output (`_out`) points to memory for that number. It is written only on success. It
 * does not overlap inputs and is not NULL, unless the comment says so. This also holds for admpi_position, admpi_nest,
 * admpi_statistics, admpi_map_data, admpi_map_failure, admpi_mpi_statistics_t, admpi_time_loop_statistics, admpi_profile_row,
 * admpi_profile_spread and arrays of admpi_var and admpi_input_check. A text ends with a
 * zero byte. The caller owns it, and the library copies what it keeps. Memory to which a function returns a pointer
 * belongs to the library, and is valid as long as the comment says. */
#ifndef ADMPI_H
#define ADMPI_H

#include "admpi/interface.h"
#ifndef ADMPI_IS_FORTRAN
#include "admpi/ops.h"
#include "admpi/kernels.h"
#endif

#endif
