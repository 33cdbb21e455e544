/* Generated from src/capi/messages.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_MESSAGES_H
#define ADMPI_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/request.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Pack. Active values keep their ids: what AMPI_Unpack reads from the packed bytes, or from a copy of them, are
 * the same values.
 * @param inbuf             `incount` items of `datatype`
 * @param incount           number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data
 * @param[out] outbuf       room for `outsize` bytes: as many as AMPI_Pack_size tells, since ids are packed too
 * @param outsize           bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @param comm              that the packed bytes are to be sent on
 * @return an MPI code, raised on `comm`
 */
int AMPI_Pack(const void *inbuf,
              int incount,
              MPI_Datatype datatype,
              void *outbuf,
              int outsize,
              int *position,
              MPI_Comm comm);

/**
 * AMPI_Pack with a count past 2^31.
 * @param inbuf             `incount` items of `datatype`
 * @param incount           number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data
 * @param[out] outbuf       room for `outsize` bytes: as many as AMPI_Pack_size tells, since ids are packed too
 * @param outsize           bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @param comm              that the packed bytes are to be sent on
 * @return an MPI code, raised on `comm`
 */
int AMPI_Pack_c(const void *inbuf,
                MPI_Count incount,
                MPI_Datatype datatype,
                void *outbuf,
                MPI_Count outsize,
                MPI_Count *position,
                MPI_Comm comm);

/**
 * MPI_Pack_external. Active data are packed as AMPI_Pack does, not as external32 has it.
 * @param datarep           "external32"
 * @param inbuf             `incount` items of `datatype`
 * @param incount           number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data
 * @param[out] outbuf       room for `outsize` bytes: as many as AMPI_Pack_external_size tells
 * @param outsize           bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Pack_external(const char *datarep,
                       const void *inbuf,
                       int incount,
                       MPI_Datatype datatype,
                       void *outbuf,
                       MPI_Aint outsize,
                       MPI_Aint *position);

/**
 * AMPI_Pack_external with a count past 2^31.
 * @param datarep           "external32"
 * @param inbuf             `incount` items of `datatype`
 * @param incount           number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data
 * @param[out] outbuf       room for `outsize` bytes: as many as AMPI_Pack_external_size tells
 * @param outsize           bytes of `outbuf`
 * @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Pack_external_c(const char *datarep,
                         const void *inbuf,
                         MPI_Count incount,
                         MPI_Datatype datatype,
                         void *outbuf,
                         MPI_Count outsize,
                         MPI_Count *position);

/**
 * MPI_Pack_external_size. Of active data this is more than MPI_Pack_external_size tells: ids are packed too.
 * @param datarep    "external32"
 * @param incount    number of items
 * @param datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] size  the bytes that AMPI_Pack_external needs for them
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size);

/**
 * AMPI_Pack_external_size with a count past 2^31.
 * @param datarep    "external32"
 * @param incount    number of items
 * @param datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] size  the bytes that AMPI_Pack_external needs for them
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size);

/**
 * MPI_Pack_size. Of active data this is more than MPI_Pack_size tells: ids are packed too.
 * @param incount    number of items
 * @param datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param comm       that the packed bytes are to be sent on
 * @param[out] size  the bytes that AMPI_Pack needs for them
 * @return an MPI code, raised on `comm`
 */
int AMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);

/**
 * AMPI_Pack_size with a count past 2^31.
 * @param incount    number of items
 * @param datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param comm       that the packed bytes are to be sent on
 * @param[out] size  the bytes that AMPI_Pack needs for them
 * @return an MPI code, raised on `comm`
 */
int AMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size);

/**
 * MPI_Unpack. What AMPI_Pack has not packed as active is passive.
 * @param inbuf             `insize` packed bytes: of this process, or received under MPI_PACKED by an AMPI_ call of point to point
 * @param insize            bytes of `inbuf`
 * @param[in,out] position  where the items are, in bytes; then what follows them
 * @param[out] outbuf       room for `outcount` items of `datatype`
 * @param outcount          number of items
 * @param datatype          active if the items were packed so
 * @param comm              that the packed bytes were received on
 * @return an MPI code, raised on `comm`
 */
int AMPI_Unpack(const void *inbuf,
                int insize,
                int *position,
                void *outbuf,
                int outcount,
                MPI_Datatype datatype,
                MPI_Comm comm);

/**
 * AMPI_Unpack with a count past 2^31.
 * @param inbuf             `insize` packed bytes: of this process, or received under MPI_PACKED by an AMPI_ call of point to point
 * @param insize            bytes of `inbuf`
 * @param[in,out] position  where the items are, in bytes; then what follows them
 * @param[out] outbuf       room for `outcount` items of `datatype`
 * @param outcount          number of items
 * @param datatype          active if the items were packed so
 * @param comm              that the packed bytes were received on
 * @return an MPI code, raised on `comm`
 */
int AMPI_Unpack_c(const void *inbuf,
                  MPI_Count insize,
                  MPI_Count *position,
                  void *outbuf,
                  MPI_Count outcount,
                  MPI_Datatype datatype,
                  MPI_Comm comm);

/**
 * MPI_Unpack_external. As AMPI_Unpack.
 * @param datarep           "external32"
 * @param inbuf             `insize` packed bytes
 * @param insize            bytes of `inbuf`
 * @param[in,out] position  where the items are, in bytes; then what follows them
 * @param[out] outbuf       room for `outcount` items of `datatype`
 * @param outcount          number of items
 * @param datatype          active if the items were packed so
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Unpack_external(const char *datarep,
                         const void *inbuf,
                         MPI_Aint insize,
                         MPI_Aint *position,
                         void *outbuf,
                         int outcount,
                         MPI_Datatype datatype);

/**
 * AMPI_Unpack_external with a count past 2^31.
 * @param datarep           "external32"
 * @param inbuf             `insize` packed bytes
 * @param insize            bytes of `inbuf`
 * @param[in,out] position  where the items are, in bytes; then what follows them
 * @param[out] outbuf       room for `outcount` items of `datatype`
 * @param outcount          number of items
 * @param datatype          active if the items were packed so
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Unpack_external_c(const char *datarep,
                           const void *inbuf,
                           MPI_Count insize,
                           MPI_Count *position,
                           void *outbuf,
                           MPI_Count outcount,
                           MPI_Datatype datatype);

/**
 * MPI_Bsend. See AMPI_Send. The attached buffer needs 8 bytes per active double, as MPI_Pack_size returns for
 * AMPI_ADOUBLE, and MPI_BSEND_OVERHEAD per message.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * AMPI_Bsend with a count past 2^31.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * MPI_Ibsend. See AMPI_Isend and AMPI_Bsend.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ibsend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                AMPI_Request *request);

/**
 * AMPI_Ibsend with a count past 2^31.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ibsend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * MPI_Bsend_init. See AMPI_Send_init and AMPI_Bsend.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bsend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Bsend_init with a count past 2^31.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bsend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Mrecv. Recorded if the tape records at the time of this call. Both ends must record, or neither.
 * @param[out] buf         room for `count` items of `datatype`
 * @param count            number of items, at least as many as arrive
 * @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
 * @param[out] status      or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the communicator of the message
 */
int AMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

/**
 * AMPI_Mrecv with a count past 2^31.
 * @param[out] buf         room for `count` items of `datatype`
 * @param count            number of items, at least as many as arrive
 * @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
 * @param[out] status      or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the communicator of the message
 */
int AMPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status);

/**
 * MPI_Imrecv. See AMPI_Irecv and AMPI_Mrecv.
 * @param[out] buf         room for `count` items of `datatype`, until completion
 * @param count            number of items, at least as many as arrive
 * @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on the communicator of the message
 */
int AMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, AMPI_Request *request);

/**
 * AMPI_Imrecv with a count past 2^31.
 * @param[out] buf         room for `count` items of `datatype`, until completion
 * @param count            number of items, at least as many as arrive
 * @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on the communicator of the message
 */
int AMPI_Imrecv_c(void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Message *message,
                  AMPI_Request *request);

/**
 * MPI_Recv. Received elements get new ids. Elements that are not received keep their values and derivatives.
 * @param[out] buf     room for `count` items of `datatype`
 * @param count        number of items, at least as many as arrive
 * @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag          message tag or MPI_ANY_TAG
 * @param comm         for active data, a communicator that the library knows
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Recv(void *buf,
              int count,
              MPI_Datatype datatype,
              int source,
              int tag,
              MPI_Comm comm,
              MPI_Status *status);

/**
 * AMPI_Recv with a count past 2^31.
 * @param[out] buf     room for `count` items of `datatype`
 * @param count        number of items, at least as many as arrive
 * @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag          message tag or MPI_ANY_TAG
 * @param comm         for active data, a communicator that the library knows
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Recv_c(void *buf,
                MPI_Count count,
                MPI_Datatype datatype,
                int source,
                int tag,
                MPI_Comm comm,
                MPI_Status *status);

/**
 * MPI_Irecv. Values and ids are in the buffer once the request is complete.
 * @param[out] buf      room for `count` items of `datatype`, until completion
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Irecv(void *buf,
               int count,
               MPI_Datatype datatype,
               int source,
               int tag,
               MPI_Comm comm,
               AMPI_Request *request);

/**
 * AMPI_Irecv with a count past 2^31.
 * @param[out] buf      room for `count` items of `datatype`, until completion
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Irecv_c(void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int source,
                 int tag,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * MPI_Recv_init. Each start posts a receive, which is recorded like AMPI_Irecv.
 * @param[out] buf      room for `count` items of `datatype`, as long as the request lives
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Recv_init(void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int source,
                   int tag,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * AMPI_Recv_init with a count past 2^31.
 * @param[out] buf      room for `count` items of `datatype`, as long as the request lives
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Recv_init_c(void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int source,
                     int tag,
                     MPI_Comm comm,
                     AMPI_Request *request);

/**
 * MPI_Rsend. See AMPI_Send. The receive must have been posted.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * AMPI_Rsend with a count past 2^31.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * MPI_Irsend. See AMPI_Isend and AMPI_Rsend.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Irsend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                AMPI_Request *request);

/**
 * AMPI_Irsend with a count past 2^31.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Irsend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * MPI_Rsend_init. See AMPI_Send_init and AMPI_Rsend.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Rsend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Rsend_init with a count past 2^31.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Rsend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Send. An active message is recorded if the tape records. Both ends must record, or neither.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * AMPI_Send with a count past 2^31.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * MPI_Isend. See AMPI_Send.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               AMPI_Request *request);

/**
 * AMPI_Isend with a count past 2^31.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isend_c(const void *buf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 int dest,
                 int tag,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * MPI_Send_init. Each start sends the current contents of the buffer, and is recorded like AMPI_Isend.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Send_init(const void *buf,
                   int count,
                   MPI_Datatype datatype,
                   int dest,
                   int tag,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * AMPI_Send_init with a count past 2^31.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Send_init_c(const void *buf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     int dest,
                     int tag,
                     MPI_Comm comm,
                     AMPI_Request *request);

/**
 * MPI_Sendrecv. Both buffers are active, or neither.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
 * @param recvcount     number of items, at least as many as arrive
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] status   or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Sendrecv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  int dest,
                  int sendtag,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int source,
                  int recvtag,
                  MPI_Comm comm,
                  MPI_Status *status);

/**
 * AMPI_Sendrecv with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
 * @param recvcount     number of items, at least as many as arrive
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] status   or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Sendrecv_c(const void *sendbuf,
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
 * MPI_Isendrecv. See AMPI_Sendrecv. The send is recorded now, and an active message is copied; the receive is
 * recorded at completion. The status is that of the receive.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
 * @param recvcount     number of items, at least as many as arrive
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isendrecv(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   int dest,
                   int sendtag,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   int source,
                   int recvtag,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * AMPI_Isendrecv with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
 * @param recvcount     number of items, at least as many as arrive
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isendrecv_c(const void *sendbuf,
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
                     AMPI_Request *request);

/**
 * MPI_Sendrecv_replace. Elements that are not received keep their values and derivatives.
 * @param[in,out] buf  `count` items of `datatype`
 * @param count        number of items, at least as many as arrive
 * @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest         rank, or MPI_PROC_NULL
 * @param sendtag      tag of the message sent
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag      tag of the message received, or MPI_ANY_TAG
 * @param comm         for active data, a communicator that the library knows
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Sendrecv_replace(void *buf,
                          int count,
                          MPI_Datatype datatype,
                          int dest,
                          int sendtag,
                          int source,
                          int recvtag,
                          MPI_Comm comm,
                          MPI_Status *status);

/**
 * AMPI_Sendrecv_replace with a count past 2^31.
 * @param[in,out] buf  `count` items of `datatype`
 * @param count        number of items, at least as many as arrive
 * @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest         rank, or MPI_PROC_NULL
 * @param sendtag      tag of the message sent
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag      tag of the message received, or MPI_ANY_TAG
 * @param comm         for active data, a communicator that the library knows
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Sendrecv_replace_c(void *buf,
                            MPI_Count count,
                            MPI_Datatype datatype,
                            int dest,
                            int sendtag,
                            int source,
                            int recvtag,
                            MPI_Comm comm,
                            MPI_Status *status);

/**
 * MPI_Isendrecv_replace. See AMPI_Isendrecv and AMPI_Sendrecv_replace.
 * @param[in,out] buf   `count` items of `datatype`, until completion
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isendrecv_replace(void *buf,
                           int count,
                           MPI_Datatype datatype,
                           int dest,
                           int sendtag,
                           int source,
                           int recvtag,
                           MPI_Comm comm,
                           AMPI_Request *request);

/**
 * AMPI_Isendrecv_replace with a count past 2^31.
 * @param[in,out] buf   `count` items of `datatype`, until completion
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param sendtag       tag of the message sent
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag       tag of the message received, or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isendrecv_replace_c(void *buf,
                             MPI_Count count,
                             MPI_Datatype datatype,
                             int dest,
                             int sendtag,
                             int source,
                             int recvtag,
                             MPI_Comm comm,
                             AMPI_Request *request);

/**
 * MPI_Ssend. See AMPI_Send.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * AMPI_Ssend with a count past 2^31.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data, a communicator that the library knows
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * MPI_Issend. See AMPI_Isend and AMPI_Ssend.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Issend(const void *buf,
                int count,
                MPI_Datatype datatype,
                int dest,
                int tag,
                MPI_Comm comm,
                AMPI_Request *request);

/**
 * AMPI_Issend with a count past 2^31.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Issend_c(const void *buf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int dest,
                  int tag,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * MPI_Ssend_init. See AMPI_Send_init and AMPI_Ssend.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ssend_init(const void *buf,
                    int count,
                    MPI_Datatype datatype,
                    int dest,
                    int tag,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Ssend_init with a count past 2^31.
 * @param buf           `count` items of `datatype`, as long as the request lives
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data, a communicator that the library knows
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ssend_init_c(const void *buf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int dest,
                      int tag,
                      MPI_Comm comm,
                      AMPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_MESSAGES_H */
