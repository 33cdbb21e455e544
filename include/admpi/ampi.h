/* Generated from src/capi/ampi.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_AMPI_H
#define ADMPI_AMPI_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/abi.h"
#include "admpi/matrix.h"
#include "admpi/profile.h"
#include "admpi/time_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The datatype of one active double (admpi_var): what stands in place of MPI_DOUBLE for active data. Types may
 *  be built from it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE;

/** The datatype of an admpi_var_int, for reductions by MPI_MINLOC and MPI_MAXLOC: what stands in place of
 *  MPI_DOUBLE_INT for active data. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE_INT;

/** The datatype of an admpi_var_complex or a std::complex<admpi::var>: what stands in place of MPI_C_DOUBLE_COMPLEX for
 *  active data. MPI_SUM and MPI_PROD reduce it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE_COMPLEX;

/** The datatype of one active float: what stands in place of MPI_FLOAT for active data. Its item is an admpi_var whose
 *  value is a float, as admpi_to_float makes it; a message has 4 bytes of it. Types may be built from it.
 *  MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT;

/** The datatype of an admpi_var_int whose value is a float, for the same reductions: what stands in place of MPI_FLOAT_INT
 *  for active data. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT_INT;

/** The datatype of two active floats, the parts of a complex number: what stands in place of MPI_C_FLOAT_COMPLEX for active
 *  data. MPI_SUM reduces it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_AFLOAT_COMPLEX;

/** The datatype of an element of a matrix. The buffer is the matrix, an `admpi_varmat *`; counts and displacements are
 *  in elements, column by column. Received elements get new ids. Nothing can be built from it. MPI_DATATYPE_NULL
 *  before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_VARMAT;

/** The same for a part of a matrix: the buffer is an `admpi_view *`, which is read when the call starts. */
extern MPI_Datatype AMPI_VIEW;

#ifdef __cplusplus
}
#endif

/**
 * Messages and bytes that this process has sent for active data.
 */
typedef struct admpi_mpi_statistics_t {
  /**
   * messages of active values, and parts brought to collectives
   */
  uint64_t forward_messages;
  /**
   * their bytes: 8 an active double
   */
  uint64_t forward_bytes;
  /**
   * messages of adjoints, and parts brought to collectives of adjoints
   */
  uint64_t adjoint_messages;
  /**
   * their bytes: 8 a double and direction
   */
  uint64_t adjoint_bytes;
} admpi_mpi_statistics_t;

/**
 * Is told of items of a predefined type in an item of a datatype: where they begin, how many, and bytes from one to the next.
 */
typedef void (*admpi_part_function)(void *to, int64_t offset, int64_t n, int64_t extent, MPI_Datatype datatype);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Init. Also initialises the library and registers MPI_COMM_WORLD and MPI_COMM_SELF with it. Collective over all
 * processes. `AMPI_Init` passes the sizes that its header saw.
 * @param[in,out] argc  as in MPI; may be NULL
 * @param[in,out] argv  as in MPI; may be NULL
 * @param sizes         what the program was compiled with
 * @return an MPI code
 */
int admpi_detail_mpi_init(int *argc,
                          char ***argv,
                          const admpi_mpi_sizes *sizes);

/**
 * MPI_Init_thread. Also initialises the library; see admpi_detail_mpi_init.
 * @param[in,out] argc   as in MPI; may be NULL
 * @param[in,out] argv   as in MPI; may be NULL
 * @param required       the level of thread support that the program needs
 * @param[out] provided  the level that MPI provides
 * @param sizes          what the program was compiled with
 * @return an MPI code
 */
int admpi_detail_mpi_init_thread(int *argc,
                                 char ***argv,
                                 int required,
                                 int *provided,
                                 const admpi_mpi_sizes *sizes);

/**
 * Initialises the library in a program that calls MPI_Init itself. Registers `comm` and MPI_COMM_SELF, which then may
 * carry active data. Collective over `comm`; may be called again for other communicators. `admpi_init` passes the sizes
 * that its header saw.
 * @param comm   an intracommunicator
 * @param sizes  what the program was compiled with
 * @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_ARGUMENT (MPI_COMM_NULL), ADMPI_ERR_MPI, ADMPI_ERR_UNSUPPORTED
 */
int admpi_detail_init(MPI_Comm comm,
                      const admpi_mpi_sizes *sizes);

/**
 * Frees the library's MPI objects: communicators, AMPI_ADOUBLE. Collective over all processes. MPI_Finalize does this
 * too.
 * @return ADMPI_SUCCESS, ADMPI_ERR_MPI
 */
int admpi_finalize(void);

/**
 * MPI_Finalize. Collective over all processes.
 * @return an MPI code
 */
int AMPI_Finalize(void);

/**
 * Counts what this process has sent so far for active data. Local.
 * @param[out] statistics_out  counts of messages and bytes
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int admpi_mpi_statistics(struct admpi_mpi_statistics_t *statistics_out);

/**
 * Gathers the profiles of all ranks on rank 0 of `comm`, where the profile becomes that of all: each row has the least, the mean
 * and the most of a number. A region that a rank never entered counts as zeros there. On other ranks the profile has no
 * rows left, and its table is empty. Collective over `comm`.
 * @param profile  this rank's profile
 * @param comm     an intracommunicator
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_LIMIT, ADMPI_ERR_MPI
 */
int admpi_profile_gather(admpi_profile *profile,
                         MPI_Comm comm);

/**
 * Seeds a value that all ranks of `comm` hold, such as the result of an Allreduce. The seed is set once, on rank 0, since
 * the objective is the sum of what the ranks seed. All ranks of `comm` call this function, which does not communicate.
 * @param tape       the tape of `y`
 * @param comm       a communicator over which `y` is replicated
 * @param y          the value
 * @param weight     added to its adjoint
 * @param direction  below the tape's width
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_MPI
 */
int admpi_tape_seed_replicated(admpi_tape *tape,
                               MPI_Comm comm,
                               admpi_var y,
                               double weight,
                               int direction);

/**
 * Says which ranks do a time loop together. They compare what they are going to do, once a run, and in checking mode a step that
 * is not repeatable on one rank ends the sweep on all.
 * @param loop  the loop
 * @param comm  a communicator of the ranks that run it; it lives as long as a tape holds a run
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI
 */
int admpi_time_loop_set_comm(admpi_time_loop *loop,
                             MPI_Comm comm);

/**
 * Gives up, on all ranks, a sweep that stopped at a place which messages cross. Receives and drops the adjoints that are
 * in flight on `comm`, and forgets those that are held back. Clear the adjoints afterwards. In a callback of a sweep it
 * gives up a sweep that the callback began; the outer sweep goes on. Collective over `comm`.
 * @param tape  the calling process's tape
 * @param comm  the communicator whose messages cross the place
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI
 */
int admpi_tape_abandon_sweep(admpi_tape *tape,
                             MPI_Comm comm);

/**
 * Registers a communicator that plain MPI_ calls made, so that it may carry active data. Collective over `comm`. Does
 * nothing if the library knows it already.
 * @param comm  a communicator; of an intercommunicator both groups call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_register(MPI_Comm comm);

/**
 * Declares that the program may poll, as ADMPI_POLLING=1 in the environment does: its next action may depend on what has
 * arrived by then, through Test or Iprobe, the completion that Waitany found, or the message that a wildcard matched.
 * From now on, the adjoints of collectives that do not make their members wait for each other (Bcast, Reduce, Gather,
 * Scatter, Scan, Exscan, the neighbourhood calls, and calls with counts of zero) are recorded to travel point to point.
 * This takes one message per rank, but never waits for a rank that is not involved. All ranks must set the same value,
 * at the same place among their collectives. Local.
 * @param on  0 or 1
 * @return ADMPI_SUCCESS
 */
int admpi_set_polling(int on);

/**
 * Sets the source line of this thread's AMPI_ calls from now on, for errors, the messages of checking mode and profiles. If
 * ADMPI_SOURCE_LINES is defined before the headers are included, every differentiated call sets it, and ends it.
 * @param file  the source file: a string that lives as long as the program; NULL ends the line
 * @param line  the line
 */
void admpi_at(const char *file,
              int line);

/**
 * Checks that the C++ type of a buffer matches its datatype: active values need an active datatype, others a passive one.
 * For the overloads of `admpi.hpp`. Local.
 * @param call      the AMPI_ call, for the message
 * @param content   what the buffer contains: 0 plain numbers, 1 `admpi::var`, 2 an `admpi_varmat`, 3 an `admpi_view`,
 *                  4 structures with active values under a type of bytes, 5 `admpi::float_var`
 * @param datatype  the datatype of the call
 * @param comm      where an error is raised
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_check_buffer(const char *call,
                              int content,
                              MPI_Datatype datatype,
                              MPI_Comm comm);

/**
 * Returns the datatype of a scalar with adjacent parts, such as the value and the derivatives of a tangent. For
 * `admpi::mpi_type`. The datatype belongs to the library. Local.
 * @param part           the type of each part: a predefined type, AMPI_ADOUBLE, or another such scalar
 * @param parts          their number
 * @param[out] type_out  the type, committed
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (no part, or less than one), ADMPI_ERR_MPI (also if the
 *         library is not initialised)
 */
int admpi_detail_bundle_parts_type(MPI_Datatype part,
                                   int parts,
                                   MPI_Datatype *type_out);

/**
 * Returns the datatype of a scalar followed by an `int`, for MPI_MINLOC and MPI_MAXLOC. For `admpi::mpi_type`. The datatype
 * belongs to the library. Local.
 * @param part           the type of the scalar, as for admpi_detail_bundle_parts_type or made by it
 * @param extent         bytes from one pair to the next
 * @param[out] type_out  the type, committed
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the extent is too small for both),
 *         ADMPI_ERR_MPI (also if the library is not initialised)
 */
int admpi_detail_pair_type(MPI_Datatype part,
                           int64_t extent,
                           MPI_Datatype *type_out);

/**
 * Returns the datatype for a buffer of such scalars if the program passes one built from AMPI_ADOUBLE or from the scalar's
 * own type. For the overloads of `admpi.hpp`. It lives as long as `datatype`. Local.
 * @param call               the AMPI_ call, for the message
 * @param scalar             of admpi_detail_bundle_parts_type
 * @param datatype           what the program passed
 * @param comm               where an error is raised
 * @param[out] datatype_out  `datatype` with `scalar` instead of AMPI_ADOUBLE
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`: nothing in `datatype` is such a scalar
 */
int admpi_detail_bundle_buffer(const char *call,
                               MPI_Datatype scalar,
                               MPI_Datatype datatype,
                               MPI_Comm comm,
                               MPI_Datatype *datatype_out);

/**
 * admpi_detail_bundle_buffer for the datatypes of the peers of a collective call. Datatypes of peers with count 0 are not
 * checked. Local.
 * @param call                the AMPI_ call, for the message
 * @param scalar              of admpi_detail_bundle_parts_type
 * @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
 * @param counts              one per peer
 * @param datatypes           one per peer
 * @param comm                where an error is raised
 * @param[out] datatypes_out  one per peer; they may be read until the program ends
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_bundle_buffers(const char *call,
                                MPI_Datatype scalar,
                                int peers,
                                const int *counts,
                                const MPI_Datatype *datatypes,
                                MPI_Comm comm,
                                const MPI_Datatype **datatypes_out);

/**
 * As admpi_detail_bundle_buffers, with counts past 2^31.
 * @param call                the AMPI_ call, for the message
 * @param scalar              of admpi_detail_bundle_parts_type
 * @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
 * @param counts              one per peer
 * @param datatypes           one per peer
 * @param comm                where an error is raised
 * @param[out] datatypes_out  one per peer; they may be read until the program ends
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_bundle_buffers_c(const char *call,
                                  MPI_Datatype scalar,
                                  int peers,
                                  const MPI_Count *counts,
                                  const MPI_Datatype *datatypes,
                                  MPI_Comm comm,
                                  const MPI_Datatype **datatypes_out);

/**
 * Raises the error of a call that the overloads of `admpi.hpp` refuse. Local.
 * @param call  the AMPI_ call
 * @param why   the reason and the remedy
 * @param comm  where it is raised
 * @return an MPI code, raised on `comm`
 */
int admpi_detail_refuse(const char *call, const char *why, MPI_Comm comm);

/**
 * Raises the thread's last error, for functions outside the library that made a call of the kind of `admpi_`. Local.
 * @param call  the name of the call
 * @param code  what the call of the library returned
 * @param comm  where it is raised
 * @return an MPI code, raised on `comm`
 */
int admpi_detail_raise(const char *call,
                       int code,
                       MPI_Comm comm);

/**
 * Walks a datatype down to the predefined types that it is made of, in the order of its type map. Local.
 * @param datatype         a datatype
 * @param found            is called for each of them
 * @param to               its first argument
 * @param[out] extent_out  the extent of the datatype
 * @return an MPI code
 */
int admpi_detail_parts(MPI_Datatype datatype, admpi_part_function found, void *to, int64_t *extent_out);

/**
 * For numbers of another AD tool that are lent (ADMPI_STEP_LENT): the datatype of the message.
 */
MPI_Datatype admpi_detail_numbers_type(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_AMPI_H */
