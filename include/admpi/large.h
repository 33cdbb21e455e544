/* Generated from src/capi/large.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_LARGE_H
#define ADMPI_LARGE_H

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
 * `MPI_Send` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Send_x(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Bsend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Bsend_x(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Ssend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Ssend_x(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Rsend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Rsend_x(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * `MPI_Recv` with a count past 2^31, as one item of a large type.
 *
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] source    rank to receive from, or MPI_ANY_SOURCE
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Recv_x(void *buf,
                MPI_Count count,
                MPI_Datatype datatype,
                int source,
                int tag,
                MPI_Comm comm,
                MPI_Status *status);

/**
 * `MPI_Isend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Isend_x(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Ibsend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Ibsend_x(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Issend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Issend_x(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Irsend` with a count past 2^31, as one item of a large type.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Irsend_x(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Irecv` with a count past 2^31, as one item of a large type.
 *
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] source    rank to receive from, or MPI_ANY_SOURCE
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Irecv_x(void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int source,
                 int tag,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Mrecv` with a count past 2^31, as one item of a large type.
 *
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in,out] message   the matched message; becomes MPI_MESSAGE_NULL
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Mrecv_x(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

/**
 * `MPI_Imrecv` with a count past 2^31, as one item of a large type.
 *
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in,out] message   the matched message; becomes MPI_MESSAGE_NULL
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Imrecv_x(void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Message *message,
                  MPI_Request *request);

/**
 * `MPI_Sendrecv_replace` with a count past 2^31, as one item of a large type.
 *
 * @param[in,out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] sendtag   tag of the message sent
 * @param[in] source    rank to receive from, or MPI_ANY_SOURCE
 * @param[in] recvtag   tag of the message received
 * @param[in] comm      the communicator
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Sendrecv_replace_x(void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            int dest,
                            int sendtag,
                            int source,
                            int recvtag,
                            MPI_Comm comm,
                            MPI_Status *status);

/**
 * `MPI_Sendrecv` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[in] dest       rank to send to
 * @param[in] sendtag    tag of the message sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] source     rank to receive from, or MPI_ANY_SOURCE
 * @param[in] recvtag    tag of the message received
 * @param[in] comm       the communicator
 * @param[out] status     what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, chapter 3)
 */
int MPIX_Sendrecv_x(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    int dest,
                    int sendtag,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int source,
                    int recvtag,
                    MPI_Comm comm,
                    MPI_Status *status);

/**
 * MPI-4's nonblocking send-receive, on every MPI: one request completes both. The status is that
 * of the receive.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[in] dest       rank to send to
 * @param[in] sendtag    tag of the message sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] source     rank to receive from, or MPI_ANY_SOURCE
 * @param[in] recvtag    tag of the message received
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-4.0, 3.10)
 */
int MPIX_Isendrecv_x(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     int dest,
                     int sendtag,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     int source,
                     int recvtag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * MPI-4's nonblocking send-receive in one buffer, on every MPI: a copy is sent. The status is that
 * of the receive.
 *
 * @param[in,out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] sendtag   tag of the message sent
 * @param[in] source    rank to receive from, or MPI_ANY_SOURCE
 * @param[in] recvtag   tag of the message received
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-4.0, 3.10)
 */
int MPIX_Isendrecv_replace_x(void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             int dest,
                             int sendtag,
                             int source,
                             int recvtag,
                             MPI_Comm comm,
                             MPI_Request *request);

/**
 * `MPI_Send_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 3.9)
 */
int MPIX_Send_init_x(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Bsend_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 3.9)
 */
int MPIX_Bsend_init_x(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Ssend_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 3.9)
 */
int MPIX_Ssend_init_x(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Rsend_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] dest      rank to send to
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 3.9)
 */
int MPIX_Rsend_init_x(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Recv_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start.
 *
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] source    rank to receive from, or MPI_ANY_SOURCE
 * @param[in] tag       the message's tag
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 3.9)
 */
int MPIX_Recv_init_x(void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int source,
                     int tag,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Bcast` with a count past 2^31, as one item of a large type.
 *
 * @param[in,out] buffer    items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.4)
 */
int MPIX_Bcast_x(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

/**
 * `MPI_Ibcast` with a count past 2^31, as one item of a large type. All ranks pass the same count.
 *
 * @param[in,out] buffer    items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12.2)
 */
int MPIX_Ibcast_x(void *buffer,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int root,
                  MPI_Comm comm,
                  MPI_Request *request);

/**
 * `MPI_Gather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.5)
 */
int MPIX_Gather_x(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  MPI_Count recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

/**
 * `MPI_Igather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.5)
 */
int MPIX_Igather_x(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

/**
 * `MPI_Scatter` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.6)
 */
int MPIX_Scatter_x(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

/**
 * `MPI_Iscatter` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.6)
 */
int MPIX_Iscatter_x(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Allgather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.7)
 */
int MPIX_Allgather_x(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * `MPI_Iallgather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.7)
 */
int MPIX_Iallgather_x(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      MPI_Count recvcount,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Alltoall` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Alltoall_x(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * `MPI_Ialltoall` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Ialltoall_x(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Neighbor_allgather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Neighbor_allgather_x(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

/**
 * `MPI_Ineighbor_allgather` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Ineighbor_allgather_x(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               MPI_Count recvcount,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Request *request);

/**
 * `MPI_Neighbor_alltoall` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Neighbor_alltoall_x(const void *sendbuf,
                             MPI_Count sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             MPI_Count recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * `MPI_Ineighbor_alltoall` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Ineighbor_alltoall_x(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              MPI_Request *request);

/**
 * `MPI_Reduce` with a count past 2^31, in pieces of at most 16 MiB.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.9 and 5.11)
 */
int MPIX_Reduce_x(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  int root,
                  MPI_Comm comm);

/**
 * `MPI_Allreduce` with a count past 2^31, in pieces of at most 16 MiB.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.9 and 5.11)
 */
int MPIX_Allreduce_x(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm);

/**
 * `MPI_Scan` with a count past 2^31, in pieces of at most 16 MiB.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.9 and 5.11)
 */
int MPIX_Scan_x(const void *sendbuf,
                void *recvbuf,
                MPI_Count count,
                MPI_Datatype datatype,
                MPI_Op op,
                MPI_Comm comm);

/**
 * `MPI_Exscan` with a count past 2^31, in pieces of at most 16 MiB.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.9 and 5.11)
 */
int MPIX_Exscan_x(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  MPI_Comm comm);

/**
 * `MPI_Reduce_local` with a count past 2^31, in pieces of at most 16 MiB.
 *
 * @param[in] inbuf     left operands
 * @param[in,out] inoutbuf  right operands, replaced by the result
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 5.9.7)
 */
int MPIX_Reduce_local_x(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/**
 * `MPI_Ireduce` with a count past 2^31. A user's operation must live until the request is
 * complete.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Ireduce_x(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   int root,
                   MPI_Comm comm,
                   MPI_Request *request);

/**
 * `MPI_Iallreduce` with a count past 2^31. A user's operation must live until the request is
 * complete.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Iallreduce_x(const void *sendbuf,
                      void *recvbuf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Op op,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Iscan` with a count past 2^31. A user's operation must live until the request is complete.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Iscan_x(const void *sendbuf,
                 void *recvbuf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm,
                 MPI_Request *request);

/**
 * `MPI_Iexscan` with a count past 2^31. A user's operation must live until the request is
 * complete.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Iexscan_x(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Request *request);

/**
 * `MPI_Reduce_scatter_block` with counts whose sum is past 2^31, by a reduction to each rank in
 * pieces (between two groups: one reduction to all, of which each rank keeps its part).
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] datatype   type of the items
 * @param[in] op         predefined or user-defined operation
 * @param[in] comm       the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.10)
 */
int MPIX_Reduce_scatter_block_x(const void *sendbuf,
                                void *recvbuf,
                                MPI_Count recvcount,
                                MPI_Datatype datatype,
                                MPI_Op op,
                                MPI_Comm comm);

/**
 * `MPI_Reduce_scatter` with counts whose sum is past 2^31, by a reduction to each rank in pieces
 * (between two groups: one reduction to all, of which each rank keeps its part).
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] datatype    type of the items
 * @param[in] op          predefined or user-defined operation
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.10)
 */
int MPIX_Reduce_scatter_x(const void *sendbuf,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm);

/**
 * `MPI_Ireduce_scatter_block` with counts whose sum is past 2^31. A user's operation must live
 * until the request is complete.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] datatype   type of the items
 * @param[in] op         predefined or user-defined operation
 * @param[in] comm       the communicator
 * @param[out] request    to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Ireduce_scatter_block_x(const void *sendbuf,
                                 void *recvbuf,
                                 MPI_Count recvcount,
                                 MPI_Datatype datatype,
                                 MPI_Op op,
                                 MPI_Comm comm,
                                 MPI_Request *request);

/**
 * `MPI_Ireduce_scatter` with counts whose sum is past 2^31. A user's operation must live until the
 * request is complete.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] datatype    type of the items
 * @param[in] op          predefined or user-defined operation
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.12)
 */
int MPIX_Ireduce_scatter_x(const void *sendbuf,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           MPI_Datatype datatype,
                           MPI_Op op,
                           MPI_Comm comm,
                           MPI_Request *request);

/**
 * `MPI_Gatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.5)
 */
int MPIX_Gatherv_x(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const MPI_Count *recvcounts,
                   const MPI_Aint *displs,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

/**
 * `MPI_Igatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.5)
 */
int MPIX_Igatherv_x(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const MPI_Count *recvcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    MPI_Request *request);

/**
 * `MPI_Scatterv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount   number of items received
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.6)
 */
int MPIX_Scatterv_x(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm);

/**
 * `MPI_Iscatterv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount   number of items received
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.6)
 */
int MPIX_Iscatterv_x(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *displs,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Request *request);

/**
 * `MPI_Allgatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.7)
 */
int MPIX_Allgatherv_x(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *displs,
                      MPI_Datatype recvtype,
                      MPI_Comm comm);

/**
 * `MPI_Iallgatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.7)
 */
int MPIX_Iallgatherv_x(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       const MPI_Count *recvcounts,
                       const MPI_Aint *displs,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Request *request);

/**
 * `MPI_Alltoallv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Alltoallv_x(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * `MPI_Ialltoallv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Ialltoallv_x(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Alltoallw` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Alltoallw_x(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     const MPI_Datatype *sendtypes,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     const MPI_Datatype *recvtypes,
                     MPI_Comm comm);

/**
 * `MPI_Ialltoallw` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 5.8)
 */
int MPIX_Ialltoallw_x(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      const MPI_Datatype *sendtypes,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      const MPI_Datatype *recvtypes,
                      MPI_Comm comm,
                      MPI_Request *request);

/**
 * `MPI_Neighbor_allgatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Neighbor_allgatherv_x(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *displs,
                               MPI_Datatype recvtype,
                               MPI_Comm comm);

/**
 * `MPI_Ineighbor_allgatherv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Ineighbor_allgatherv_x(const void *sendbuf,
                                MPI_Count sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                const MPI_Count *recvcounts,
                                const MPI_Aint *displs,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Neighbor_alltoallv_x(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

/**
 * `MPI_Ineighbor_alltoallv` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Ineighbor_alltoallv_x(const void *sendbuf,
                               const MPI_Count *sendcounts,
                               const MPI_Aint *sdispls,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *rdispls,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallw` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Neighbor_alltoallw_x(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              const MPI_Datatype *sendtypes,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              const MPI_Datatype *recvtypes,
                              MPI_Comm comm);

/**
 * `MPI_Ineighbor_alltoallw` with counts and displacements past 2^31.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @param[out] request     to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-3.1, 7.6)
 */
int MPIX_Ineighbor_alltoallw_x(const void *sendbuf,
                               const MPI_Count *sendcounts,
                               const MPI_Aint *sdispls,
                               const MPI_Datatype *sendtypes,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *rdispls,
                               const MPI_Datatype *recvtypes,
                               MPI_Comm comm,
                               MPI_Request *request);

/**
 * `MPI_Bcast_init` with a count past 2^31, as one item of a large type. Persistent: started by
 * plain MPI_Start. All ranks pass the same count.
 *
 * @param[in,out] buffer    items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @param[in] info      hints, or MPI_INFO_NULL
 * @param[out] request   to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Bcast_init_x(void *buffer,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      MPI_Request *request);

/**
 * `MPI_Gather_init` with counts past 2^31, as one item of a large type each. Persistent: started
 * by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Gather_init_x(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       MPI_Count recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

/**
 * `MPI_Scatter_init` with counts past 2^31, as one item of a large type each. Persistent: started
 * by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] root       rank of the root
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Scatter_init_x(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        MPI_Count recvcount,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

/**
 * `MPI_Allgather_init` with counts past 2^31, as one item of a large type each. Persistent:
 * started by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Allgather_init_x(const void *sendbuf,
                          MPI_Count sendcount,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          MPI_Count recvcount,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

/**
 * `MPI_Alltoall_init` with counts past 2^31, as one item of a large type each. Persistent: started
 * by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Alltoall_init_x(const void *sendbuf,
                         MPI_Count sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Neighbor_allgather_init` with counts past 2^31, as one item of a large type each.
 * Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Neighbor_allgather_init_x(const void *sendbuf,
                                   MPI_Count sendcount,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   MPI_Count recvcount,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

/**
 * `MPI_Neighbor_alltoall_init` with counts past 2^31, as one item of a large type each.
 * Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send
 * @param[in] sendcount  number of items sent
 * @param[in] sendtype   type of the items sent
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] recvtype   type of the items received
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Neighbor_alltoall_init_x(const void *sendbuf,
                                  MPI_Count sendcount,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  MPI_Count recvcount,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  MPI_Request *request);

/**
 * `MPI_Reduce_init` with a count past 2^31. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] root      rank of the root
 * @param[in] comm      the communicator
 * @param[in] info      hints, or MPI_INFO_NULL
 * @param[out] request   to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Reduce_init_x(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

/**
 * `MPI_Allreduce_init` with a count past 2^31. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[in] info      hints, or MPI_INFO_NULL
 * @param[out] request   to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Allreduce_init_x(const void *sendbuf,
                          void *recvbuf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

/**
 * `MPI_Scan_init` with a count past 2^31. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[in] info      hints, or MPI_INFO_NULL
 * @param[out] request   to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Scan_init_x(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Info info,
                     MPI_Request *request);

/**
 * `MPI_Exscan_init` with a count past 2^31. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf   room for the items received
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[in] op        predefined or user-defined operation
 * @param[in] comm      the communicator
 * @param[in] info      hints, or MPI_INFO_NULL
 * @param[out] request   to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Exscan_init_x(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       MPI_Comm comm,
                       MPI_Info info,
                       MPI_Request *request);

/**
 * `MPI_Reduce_scatter_block_init` with counts whose sum is past 2^31. It is an error if this needs
 * several operations. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf    room for the items received
 * @param[in] recvcount  number of items received
 * @param[in] datatype   type of the items
 * @param[in] op         predefined or user-defined operation
 * @param[in] comm       the communicator
 * @param[in] info       hints, or MPI_INFO_NULL
 * @param[out] request    to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Reduce_scatter_block_init_x(const void *sendbuf,
                                     void *recvbuf,
                                     MPI_Count recvcount,
                                     MPI_Datatype datatype,
                                     MPI_Op op,
                                     MPI_Comm comm,
                                     MPI_Info info,
                                     MPI_Request *request);

/**
 * `MPI_Reduce_scatter_init` with counts whose sum is past 2^31. It is an error if this needs
 * several operations. Persistent: started by plain MPI_Start.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] datatype    type of the items
 * @param[in] op          predefined or user-defined operation
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Reduce_scatter_init_x(const void *sendbuf,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm,
                               MPI_Info info,
                               MPI_Request *request);

/**
 * `MPI_Gatherv_init` with counts and displacements past 2^31. Persistent: started by plain
 * MPI_Start.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Gatherv_init_x(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const MPI_Count *recvcounts,
                        const MPI_Aint *displs,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        MPI_Request *request);

/**
 * `MPI_Scatterv_init` with counts and displacements past 2^31. Persistent: started by plain
 * MPI_Start.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
 * @param[in] recvcount   number of items received
 * @param[in] recvtype    type of the items received
 * @param[in] root        rank of the root
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Scatterv_init_x(const void *sendbuf,
                         const MPI_Count *sendcounts,
                         const MPI_Aint *displs,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         int root,
                         MPI_Comm comm,
                         MPI_Info info,
                         MPI_Request *request);

/**
 * `MPI_Allgatherv_init` with counts and displacements past 2^31. Persistent: started by plain
 * MPI_Start.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Allgatherv_init_x(const void *sendbuf,
                           MPI_Count sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           const MPI_Aint *displs,
                           MPI_Datatype recvtype,
                           MPI_Comm comm,
                           MPI_Info info,
                           MPI_Request *request);

/**
 * `MPI_Alltoallv_init` with counts and displacements past 2^31. Persistent: started by plain
 * MPI_Start. Not in place: every start would need copies.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Alltoallv_init_x(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

/**
 * `MPI_Alltoallw_init` with counts and displacements past 2^31. Persistent: started by plain
 * MPI_Start. Not in place: every start would need copies.
 *
 * @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Alltoallw_init_x(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          const MPI_Datatype *sendtypes,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          const MPI_Datatype *recvtypes,
                          MPI_Comm comm,
                          MPI_Info info,
                          MPI_Request *request);

/**
 * `MPI_Neighbor_allgatherv_init` with counts and displacements past 2^31. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcount   number of items sent
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] displs      where each partner's items begin, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Neighbor_allgatherv_init_x(const void *sendbuf,
                                    MPI_Count sendcount,
                                    MPI_Datatype sendtype,
                                    void *recvbuf,
                                    const MPI_Count *recvcounts,
                                    const MPI_Aint *displs,
                                    MPI_Datatype recvtype,
                                    MPI_Comm comm,
                                    MPI_Info info,
                                    MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallv_init` with counts and displacements past 2^31. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in items
 * @param[in] sendtype    type of the items sent
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in items
 * @param[in] recvtype    type of the items received
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Neighbor_alltoallv_init_x(const void *sendbuf,
                                   const MPI_Count *sendcounts,
                                   const MPI_Aint *sdispls,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   const MPI_Count *recvcounts,
                                   const MPI_Aint *rdispls,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

/**
 * `MPI_Neighbor_alltoallw_init` with counts and displacements past 2^31. Persistent: started by
 * plain MPI_Start.
 *
 * @param[in] sendbuf     items to send
 * @param[in] sendcounts  number of items for each partner
 * @param[in] sdispls     where each partner's items begin in `sendbuf`, in bytes
 * @param[in] sendtypes   types of the items for each partner
 * @param[out] recvbuf     room for the items received
 * @param[in] recvcounts  number of items from each partner
 * @param[in] rdispls     where each partner's items begin in `recvbuf`, in bytes
 * @param[in] recvtypes   types of the items of each partner
 * @param[in] comm        the communicator
 * @param[in] info        hints, or MPI_INFO_NULL
 * @param[out] request     to be started by plain MPI_Start
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the communicator (MPI-4.0, 6.13 and 8.8)
 */
int MPIX_Neighbor_alltoallw_init_x(const void *sendbuf,
                                   const MPI_Count *sendcounts,
                                   const MPI_Aint *sdispls,
                                   const MPI_Datatype *sendtypes,
                                   void *recvbuf,
                                   const MPI_Count *recvcounts,
                                   const MPI_Aint *rdispls,
                                   const MPI_Datatype *recvtypes,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   MPI_Request *request);

/**
 * `MPI_Put` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] win              the window
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Put_x(const void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

/**
 * `MPI_Get` with counts past 2^31, as one item of a large type each.
 *
 * @param[out] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] win              the window
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Get_x(void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

/**
 * `MPI_Rput` with counts past 2^31, as one item of a large type each.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] win              the window
 * @param[out] request          to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Rput_x(const void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                MPI_Request *request);

/**
 * `MPI_Rget` with counts past 2^31, as one item of a large type each.
 *
 * @param[out] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] win              the window
 * @param[out] request          to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Rget_x(void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                MPI_Request *request);

/**
 * `MPI_Accumulate` with counts past 2^31, in pieces of at most 64 MiB. Each piece is atomic, as in
 * MPI.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] op               predefined or user-defined operation
 * @param[in] win              the window
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Accumulate_x(const void *origin_addr,
                      MPI_Count origin_count,
                      MPI_Datatype origin_datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Count target_count,
                      MPI_Datatype target_datatype,
                      MPI_Op op,
                      MPI_Win win);

/**
 * `MPI_Get_accumulate` with counts past 2^31, in pieces of at most 64 MiB. Each piece is atomic,
 * as in MPI.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[out] result_addr      room for the previous items of the target
 * @param[in] result_count     number of items in `result_addr`
 * @param[in] result_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] op               predefined or user-defined operation
 * @param[in] win              the window
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3)
 */
int MPIX_Get_accumulate_x(const void *origin_addr,
                          MPI_Count origin_count,
                          MPI_Datatype origin_datatype,
                          void *result_addr,
                          MPI_Count result_count,
                          MPI_Datatype result_datatype,
                          int target_rank,
                          MPI_Aint target_disp,
                          MPI_Count target_count,
                          MPI_Datatype target_datatype,
                          MPI_Op op,
                          MPI_Win win);

/**
 * `MPI_Raccumulate` with counts past 2^31, in pieces of at most 64 MiB. Each piece is atomic, as
 * in MPI.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] op               predefined or user-defined operation
 * @param[in] win              the window
 * @param[out] request          to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3.5)
 */
int MPIX_Raccumulate_x(const void *origin_addr,
                       MPI_Count origin_count,
                       MPI_Datatype origin_datatype,
                       int target_rank,
                       MPI_Aint target_disp,
                       MPI_Count target_count,
                       MPI_Datatype target_datatype,
                       MPI_Op op,
                       MPI_Win win,
                       MPI_Request *request);

/**
 * `MPI_Rget_accumulate` with counts past 2^31, in pieces of at most 64 MiB. Each piece is atomic,
 * as in MPI.
 *
 * @param[in] origin_addr      items of this rank
 * @param[in] origin_count     number of items of this rank
 * @param[in] origin_datatype  their type
 * @param[out] result_addr      room for the previous items of the target
 * @param[in] result_count     number of items in `result_addr`
 * @param[in] result_datatype  their type
 * @param[in] target_rank      rank whose window is accessed
 * @param[in] target_disp      place in the window, in the target's displacement unit
 * @param[in] target_count     number of items in the window
 * @param[in] target_datatype  their type
 * @param[in] op               predefined or user-defined operation
 * @param[in] win              the window
 * @param[out] request          to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 11.3.5)
 */
int MPIX_Rget_accumulate_x(const void *origin_addr,
                           MPI_Count origin_count,
                           MPI_Datatype origin_datatype,
                           void *result_addr,
                           MPI_Count result_count,
                           MPI_Datatype result_datatype,
                           int target_rank,
                           MPI_Aint target_disp,
                           MPI_Count target_count,
                           MPI_Datatype target_datatype,
                           MPI_Op op,
                           MPI_Win win,
                           MPI_Request *request);

/**
 * `MPI_File_read` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_read_x(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_write_x(MPI_File fh,
                      const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Status *status);

/**
 * `MPI_File_read_at` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_read_at_x(MPI_File fh,
                        MPI_Offset offset,
                        void *buf,
                        MPI_Count count,
                        MPI_Datatype datatype,
                        MPI_Status *status);

/**
 * `MPI_File_write_at` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_write_at_x(MPI_File fh,
                         MPI_Offset offset,
                         const void *buf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Status *status);

/**
 * `MPI_File_read_shared` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_read_shared_x(MPI_File fh,
                            void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            MPI_Status *status);

/**
 * `MPI_File_write_shared` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_write_shared_x(MPI_File fh,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

/**
 * `MPI_File_read_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_read_all_x(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status);

/**
 * `MPI_File_write_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_write_all_x(MPI_File fh,
                          const void *buf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Status *status);

/**
 * `MPI_File_read_at_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_read_at_all_x(MPI_File fh,
                            MPI_Offset offset,
                            void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            MPI_Status *status);

/**
 * `MPI_File_write_at_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_write_at_all_x(MPI_File fh,
                             MPI_Offset offset,
                             const void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

/**
 * `MPI_File_read_ordered` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_read_ordered_x(MPI_File fh,
                             void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Status *status);

/**
 * `MPI_File_write_ordered` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_write_ordered_x(MPI_File fh,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Status *status);

/**
 * `MPI_File_read_all_begin` with a count past 2^31, as one item of a large type. MPI's own call
 * ends the access.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_read_all_begin_x(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

/**
 * `MPI_File_write_all_begin` with a count past 2^31, as one item of a large type. MPI's own call
 * ends the access.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_write_all_begin_x(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

/**
 * `MPI_File_read_at_all_begin` with a count past 2^31, as one item of a large type. MPI's own call
 * ends the access.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_read_at_all_begin_x(MPI_File fh,
                                  MPI_Offset offset,
                                  void *buf,
                                  MPI_Count count,
                                  MPI_Datatype datatype);

/**
 * `MPI_File_write_at_all_begin` with a count past 2^31, as one item of a large type. MPI's own
 * call ends the access.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_write_at_all_begin_x(MPI_File fh,
                                   MPI_Offset offset,
                                   const void *buf,
                                   MPI_Count count,
                                   MPI_Datatype datatype);

/**
 * `MPI_File_read_ordered_begin` with a count past 2^31, as one item of a large type. MPI's own
 * call ends the access.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_read_ordered_begin_x(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype);

/**
 * `MPI_File_write_ordered_begin` with a count past 2^31, as one item of a large type. MPI's own
 * call ends the access.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4.5)
 */
int MPIX_File_write_ordered_begin_x(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype);

/**
 * `MPI_File_iread` with a count past 2^31, in pieces of at most 1 GiB behind one request.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_iread_x(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request);

/**
 * `MPI_File_iwrite` with a count past 2^31, in pieces of at most 1 GiB behind one request.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_iwrite_x(MPI_File fh,
                       const void *buf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Request *request);

/**
 * `MPI_File_iread_at` with a count past 2^31, in pieces of at most 1 GiB behind one request.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_iread_at_x(MPI_File fh,
                         MPI_Offset offset,
                         void *buf,
                         MPI_Count count,
                         MPI_Datatype datatype,
                         MPI_Request *request);

/**
 * `MPI_File_iwrite_at` with a count past 2^31, in pieces of at most 1 GiB behind one request.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4)
 */
int MPIX_File_iwrite_at_x(MPI_File fh,
                          MPI_Offset offset,
                          const void *buf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Request *request);

/**
 * `MPI_File_iread_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_iread_all_x(MPI_File fh,
                          void *buf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Request *request);

/**
 * `MPI_File_iwrite_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_iwrite_all_x(MPI_File fh,
                           const void *buf,
                           MPI_Count count,
                           MPI_Datatype datatype,
                           MPI_Request *request);

/**
 * `MPI_File_iread_at_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_iread_at_all_x(MPI_File fh,
                             MPI_Offset offset,
                             void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Request *request);

/**
 * `MPI_File_iwrite_at_all` with a count past 2^31, as one item of a large type.
 *
 * @param[in] fh        the file
 * @param[in] offset    first place, in elementary types of the view
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Collective over the file's communicator (MPI-3.1, 13.4)
 */
int MPIX_File_iwrite_at_all_x(MPI_File fh,
                              MPI_Offset offset,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Request *request);

/**
 * `MPI_File_iread_shared` with a count past 2^31. The access then is complete on return, because
 * pieces would interleave with those of other ranks.
 *
 * @param[in] fh        the file
 * @param[out] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4.4)
 */
int MPIX_File_iread_shared_x(MPI_File fh,
                             void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             MPI_Request *request);

/**
 * `MPI_File_iwrite_shared` with a count past 2^31. The access then is complete on return, because
 * pieces would interleave with those of other ranks.
 *
 * @param[in] fh        the file
 * @param[in] buf       items of `datatype`
 * @param[in] count     number of items
 * @param[in] datatype  type of the items
 * @param[out] request   to be completed by plain MPI_Wait or MPI_Test
 * @return MPI_SUCCESS or an error code, raised like MPI's own errors
 * Local (MPI-3.1, 13.4.4)
 */
int MPIX_File_iwrite_shared_x(MPI_File fh,
                              const void *buf,
                              MPI_Count count,
                              MPI_Datatype datatype,
                              MPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_LARGE_H */
