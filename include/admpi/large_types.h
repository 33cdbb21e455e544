/* Generated from src/capi/large_types.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_LARGE_TYPES_H
#define ADMPI_LARGE_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * `MPI_Type_contiguous` with a count past 2^31. `BigMPI_Decode_contiguous_x` undoes it.
 *
 * @param[in] count     number of items
 * @param[in] oldtype   their type
 * @param[out] newtype  the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_contiguous_x(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype);

/**
 * `MPI_Type_vector` with counts past 2^31.
 *
 * @param[in] count        number of blocks
 * @param[in] blocklength  items of each block
 * @param[in] stride       items from the beginning of one block to the next
 * @param[in] oldtype      type of the items
 * @param[out] newtype     the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_vector_x(MPI_Count count,
                       MPI_Count blocklength,
                       MPI_Count stride,
                       MPI_Datatype oldtype,
                       MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hvector` with counts past 2^31. (BigMPI gives this name to a type of indexed blocks, which is
 * `MPIX_Type_create_hindexed_x` here; under bigmpi.h the name means BigMPI's.)
 *
 * @param[in] count        number of blocks
 * @param[in] blocklength  items of each block
 * @param[in] stride       bytes from the beginning of one block to the next
 * @param[in] oldtype      type of the items
 * @param[out] newtype     the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_create_hvector_x(MPI_Count count,
                               MPI_Count blocklength,
                               MPI_Aint stride,
                               MPI_Datatype oldtype,
                               MPI_Datatype *newtype);

/**
 * `MPI_Type_indexed` with counts and displacements past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] array_of_blocklengths   items of each block
 * @param[in] array_of_displacements  beginning of each block, in items
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_indexed_x(MPI_Count count,
                        const MPI_Count *array_of_blocklengths,
                        const MPI_Count *array_of_displacements,
                        MPI_Datatype oldtype,
                        MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hindexed` with counts past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] array_of_blocklengths   items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_create_hindexed_x(MPI_Count count,
                                const MPI_Count *array_of_blocklengths,
                                const MPI_Aint *array_of_displacements,
                                MPI_Datatype oldtype,
                                MPI_Datatype *newtype);

/**
 * `MPI_Type_create_indexed_block` with counts and displacements past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] blocklength             items of each block
 * @param[in] array_of_displacements  beginning of each block, in items
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_create_indexed_block_x(MPI_Count count,
                                     MPI_Count blocklength,
                                     const MPI_Count *array_of_displacements,
                                     MPI_Datatype oldtype,
                                     MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hindexed_block` with counts past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] blocklength             items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_create_hindexed_block_x(MPI_Count count,
                                      MPI_Count blocklength,
                                      const MPI_Aint *array_of_displacements,
                                      MPI_Datatype oldtype,
                                      MPI_Datatype *newtype);

/**
 * `MPI_Type_create_struct` with block lengths past 2^31.
 *
 * @param[in] count                   number of blocks; at most INT_MAX
 * @param[in] array_of_blocklengths   items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] array_of_types          type of each block's items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int MPIX_Type_create_struct_x(MPI_Count count,
                              const MPI_Count *array_of_blocklengths,
                              const MPI_Aint *array_of_displacements,
                              const MPI_Datatype *array_of_types,
                              MPI_Datatype *newtype);

/**
 * `MPI_Type_create_subarray` with sizes past 2^31.
 *
 * @param[in] ndims              number of dimensions
 * @param[in] array_of_sizes     items of the array, `ndims` numbers
 * @param[in] array_of_subsizes  items of the part, `ndims` numbers
 * @param[in] array_of_starts    where the part begins, `ndims` numbers from 0
 * @param[in] order              MPI_ORDER_C or MPI_ORDER_FORTRAN
 * @param[in] oldtype            type of the items
 * @param[out] newtype           the type of the part; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.3)
 */
int MPIX_Type_create_subarray_x(int ndims,
                                const MPI_Count *array_of_sizes,
                                const MPI_Count *array_of_subsizes,
                                const MPI_Count *array_of_starts,
                                int order,
                                MPI_Datatype oldtype,
                                MPI_Datatype *newtype);

/**
 * `MPI_Type_create_darray` with sizes past 2^31.
 *
 * @param[in] size               number of processes
 * @param[in] rank               which of them
 * @param[in] ndims              number of dimensions
 * @param[in] array_of_gsizes    items of the whole array, `ndims` numbers
 * @param[in] array_of_distribs  `ndims` values MPI_DISTRIBUTE_*
 * @param[in] array_of_dargs     MPI_DISTRIBUTE_DFLT_DARG or the length of blocks, `ndims` numbers
 * @param[in] array_of_psizes    processes in each dimension
 * @param[in] order              MPI_ORDER_C or MPI_ORDER_FORTRAN
 * @param[in] oldtype            type of the items
 * @param[out] newtype           the type of the part; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.4)
 */
int MPIX_Type_create_darray_x(int size,
                              int rank,
                              int ndims,
                              const MPI_Count *array_of_gsizes,
                              const int *array_of_distribs,
                              const MPI_Count *array_of_dargs,
                              const int *array_of_psizes,
                              int order,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

/**
 * `MPI_Get_count` with a count past 2^31.
 *
 * @param[in] status    of a receive, of an access to a file, or of a request for either
 * @param[in] datatype  type of the items received
 * @param[out] count    their number; MPI_UNDEFINED if the last is not whole
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 3.2.5)
 */
int MPIX_Get_count_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

/**
 * `MPI_Get_elements_x`, which has had large counts since MPI-3.0.
 *
 * @param[in] status    of a receive, of an access to a file, or of a request for either
 * @param[in] datatype  type of the items received
 * @param[out] count    number of their predefined elements
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.11)
 */
int MPIX_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);

/**
 * `MPI_Pack` with a count and a buffer past 2^31.
 *
 * @param[in] inbuf         items of `datatype`
 * @param[in] incount       number of items
 * @param[in] datatype      type of the items
 * @param[out] outbuf       room for `outsize` bytes
 * @param[in] outsize       bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @param[in] comm          the communicator for which the items are packed
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.2)
 */
int MPIX_Pack_x(const void *inbuf,
                MPI_Count incount,
                MPI_Datatype datatype,
                void *outbuf,
                MPI_Count outsize,
                MPI_Count *position,
                MPI_Comm comm);

/**
 * `MPI_Unpack` with a count and a buffer past 2^31, of what `MPIX_Pack_x` packed as so many items.
 *
 * @param[in] inbuf         `insize` bytes
 * @param[in] insize        bytes of `inbuf`
 * @param[in,out] position  first place in `inbuf`, in bytes; then the end of the unpacked data
 * @param[out] outbuf       room for the items
 * @param[in] outcount      number of items
 * @param[in] datatype      type of the items
 * @param[in] comm          the communicator for which the items were packed
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.2)
 */
int MPIX_Unpack_x(const void *inbuf,
                  MPI_Count insize,
                  MPI_Count *position,
                  void *outbuf,
                  MPI_Count outcount,
                  MPI_Datatype datatype,
                  MPI_Comm comm);

/**
 * `MPI_Pack_size` with a count and a size past 2^31: the room that `MPIX_Pack_x` needs at most.
 *
 * @param[in] incount   number of items
 * @param[in] datatype  type of the items
 * @param[in] comm      the communicator for which they are packed
 * @param[out] size     bytes
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.2)
 */
int MPIX_Pack_size_x(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size);

/**
 * `MPI_Pack_external` with a count past 2^31.
 *
 * @param[in] datarep       "external32"
 * @param[in] inbuf         items of `datatype`
 * @param[in] incount       number of items
 * @param[in] datatype      type of the items
 * @param[out] outbuf       room for `outsize` bytes
 * @param[in] outsize       bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.3)
 */
int MPIX_Pack_external_x(const char *datarep,
                         const void *inbuf,
                         MPI_Count incount,
                         MPI_Datatype datatype,
                         void *outbuf,
                         MPI_Count outsize,
                         MPI_Count *position);

/**
 * `MPI_Unpack_external` with a count past 2^31, of what `MPIX_Pack_external_x` packed.
 *
 * @param[in] datarep       "external32"
 * @param[in] inbuf         `insize` bytes
 * @param[in] insize        bytes of `inbuf`
 * @param[in,out] position  first place in `inbuf`, in bytes; then the end of the unpacked data
 * @param[out] outbuf       room for the items
 * @param[in] outcount      number of items
 * @param[in] datatype      type of the items
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.3)
 */
int MPIX_Unpack_external_x(const char *datarep,
                           const void *inbuf,
                           MPI_Count insize,
                           MPI_Count *position,
                           void *outbuf,
                           MPI_Count outcount,
                           MPI_Datatype datatype);

/**
 * `MPI_Pack_external_size` with a count past 2^31.
 *
 * @param[in] datarep   "external32"
 * @param[in] incount   number of items
 * @param[in] datatype  type of the items
 * @param[out] size     bytes
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.3)
 */
int MPIX_Pack_external_size_x(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size);

/**
 * `MPI_Win_create` with a displacement unit in 64 bits, as in MPI-4.
 *
 * @param[in] base       the window's memory
 * @param[in] size       its bytes
 * @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[in] comm       the communicator
 * @param[out] win       the window
 * @return MPI_SUCCESS or an error code
 * Collective over the communicator (MPI-3.1, 11.2.1)
 */
int MPIX_Win_create_x(void *base,
                      MPI_Aint size,
                      MPI_Aint disp_unit,
                      MPI_Info info,
                      MPI_Comm comm,
                      MPI_Win *win);

/**
 * `MPI_Win_allocate` with a displacement unit in 64 bits, as in MPI-4.
 *
 * @param[in] size       bytes of the window; in MPICH it gets the next multiple of 16
 * @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[in] comm       the communicator
 * @param[out] baseptr   address of a pointer, which is set to the window's memory
 * @param[out] win       the window
 * @return MPI_SUCCESS or an error code
 * Collective over the communicator (MPI-3.1, 11.2.2)
 */
int MPIX_Win_allocate_x(MPI_Aint size,
                        MPI_Aint disp_unit,
                        MPI_Info info,
                        MPI_Comm comm,
                        void *baseptr,
                        MPI_Win *win);

/**
 * `MPI_Win_allocate_shared` with a displacement unit in 64 bits, as in MPI-4.
 *
 * @param[in] size       bytes of this rank's part of the window
 * @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[in] comm       a communicator whose ranks share memory
 * @param[out] baseptr   address of a pointer, which is set to the memory of this rank's part
 * @param[out] win       the window
 * @return MPI_SUCCESS or an error code
 * Collective over the communicator (MPI-3.1, 11.2.3)
 */
int MPIX_Win_allocate_shared_x(MPI_Aint size,
                               MPI_Aint disp_unit,
                               MPI_Info info,
                               MPI_Comm comm,
                               void *baseptr,
                               MPI_Win *win);

/**
 * `MPI_Win_shared_query` with a displacement unit in 64 bits, as in MPI-4.
 *
 * @param[in] win         a window of `MPI_Win_allocate_shared`
 * @param[in] rank        whose part, or MPI_PROC_NULL for the first that is not empty
 * @param[out] size       its bytes
 * @param[out] disp_unit  its displacement unit
 * @param[out] baseptr    address of a pointer, which is set to its memory
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 11.2.3)
 */
int MPIX_Win_shared_query_x(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr);

/**
 * The largest count that goes to MPI as it is: INT_MAX, unless ADMPI_INT_MAX lowers it. May be called before MPI_Init.
 * @return the count
 */
MPI_Count BigMPI_Get_max_int(void);

/**
 * Undoes `MPIX_Type_contiguous_x`.
 *
 * @param[in] intype     a type that it made
 * @param[out] count     the number of items
 * @param[out] basetype  their type: the very handle that was given
 * @return MPI_SUCCESS or an error code
 * Local
 */
int BigMPI_Decode_contiguous_x(MPI_Datatype intype, MPI_Count *count, MPI_Datatype *basetype);

/**
 * Items of a type, some bytes from the beginning, as one type.
 *
 * @param[in] offset    bytes from the beginning
 * @param[in] count     number of items
 * @param[in] oldtype   their type
 * @param[out] newtype  the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local
 */
int BigMPI_Type_contiguous(MPI_Aint offset, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype);

/**
 * A communicator with the graph of an exchange of all ranks, or of one with a root, which is its own neighbour too.
 *
 * @param[in] comm_old          the ranks
 * @param[in] root              the root; -1 for an exchange of all
 * @param[out] comm_dist_graph  the communicator
 * @return MPI_SUCCESS or an error code
 * Collective over the communicator
 */
int BigMPI_Create_graph_comm(MPI_Comm comm_old,
                             int root,
                             MPI_Comm *comm_dist_graph);

/**
 * `MPI_Type_create_hindexed` with counts past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] array_of_blocklengths   items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int AMPI_Type_create_hindexed_c(MPI_Count count,
                                const MPI_Count *array_of_blocklengths,
                                const MPI_Count *array_of_displacements,
                                MPI_Datatype oldtype,
                                MPI_Datatype *newtype);

/**
 * `MPI_Type_create_hindexed_block` with counts past 2^31.
 *
 * @param[in] count                   number of blocks
 * @param[in] blocklength             items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] oldtype                 type of the items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int AMPI_Type_create_hindexed_block_c(MPI_Count count,
                                      MPI_Count blocklength,
                                      const MPI_Count *array_of_displacements,
                                      MPI_Datatype oldtype,
                                      MPI_Datatype *newtype);

/**
 * `MPI_Type_create_struct` with block lengths past 2^31.
 *
 * @param[in] count                   number of blocks; at most INT_MAX
 * @param[in] array_of_blocklengths   items of each block
 * @param[in] array_of_displacements  beginning of each block, in bytes
 * @param[in] array_of_types          type of each block's items
 * @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.2)
 */
int AMPI_Type_create_struct_c(MPI_Count count,
                              const MPI_Count *array_of_blocklengths,
                              const MPI_Count *array_of_displacements,
                              const MPI_Datatype *array_of_types,
                              MPI_Datatype *newtype);

/**
 * `MPI_Type_create_darray` with sizes past 2^31.
 *
 * @param[in] size               number of processes
 * @param[in] rank               which of them
 * @param[in] ndims              number of dimensions
 * @param[in] array_of_gsizes    items of the whole array, `ndims` numbers
 * @param[in] array_of_distribs  `ndims` values MPI_DISTRIBUTE_*
 * @param[in] array_of_dargs     MPI_DISTRIBUTE_DFLT_DARG or the length of blocks, `ndims` numbers
 * @param[in] array_of_psizes    processes in each dimension
 * @param[in] order              MPI_ORDER_C or MPI_ORDER_FORTRAN
 * @param[in] oldtype            type of the items
 * @param[out] newtype           the type of the part; commit it, and free it with MPI_Type_free
 * @return MPI_SUCCESS or an error code
 * Local (MPI-3.1, 4.1.4)
 */
int AMPI_Type_create_darray_c(int size,
                              int rank,
                              int ndims,
                              const MPI_Count *array_of_gsizes,
                              const int *array_of_distribs,
                              const int *array_of_dargs,
                              const int *array_of_psizes,
                              int order,
                              MPI_Datatype oldtype,
                              MPI_Datatype *newtype);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_LARGE_TYPES_H */
