//! Point to point and requests of adjoint MPI. `include/admpi/messages.h` is generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::support::messages::{
    BUFFERED, READY, STANDARD, SYNCHRONOUS, imrecv, irecv, isend, mrecv, probed, recv, recv_init,
    send, send_init, sendrecv, sendrecv_replace,
};
use super::{mpi_call, slots};
use crate::ampi::request::{self, Request};
use crate::mpi::message::Envelope;
use crate::mpi::raw::{
    self, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Fint, MPI_Message, MPI_Request, MPI_Status,
};
use crate::mpi::transfer::{Completion, Transfer};
use crate::mpi::{Argument, Comm, StatusSlot, StatusSlots};
use std::ffi::{c_int, c_void};

/// What stands behind an AMPI_Request.
#[allow(non_camel_case_types)]
pub type admpi_request = Request;
#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;

/// MPI_Send. An active message is recorded if the tape records; both ends must do alike.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Send(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Send", &STANDARD, Argument::new(buf, count, datatype), to, comm) }
}

/// AMPI_Send with a count past 2^31.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Send_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Send_c", &STANDARD, Argument::new(buf, count, datatype), to, comm) }
}

/// MPI_Bsend. See AMPI_Send. The user's buffer holds 8 bytes an active double, which is what MPI_Pack_size says of
/// AMPI_ADOUBLE, and MPI_BSEND_OVERHEAD a message.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bsend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Bsend", &BUFFERED, Argument::new(buf, count, datatype), to, comm) }
}

/// AMPI_Bsend with a count past 2^31.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bsend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Bsend_c", &BUFFERED, Argument::new(buf, count, datatype), to, comm) }
}

/// MPI_Ssend. See AMPI_Send.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ssend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Ssend", &SYNCHRONOUS, Argument::new(buf, count, datatype), to, comm) }
}

/// AMPI_Ssend with a count past 2^31.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ssend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Ssend_c", &SYNCHRONOUS, Argument::new(buf, count, datatype), to, comm) }
}

/// MPI_Rsend. See AMPI_Send. The receive must have been posted.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Rsend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Rsend", &READY, Argument::new(buf, count, datatype), to, comm) }
}

/// AMPI_Rsend with a count past 2^31.
/// @param buf       `count` items of `datatype`; may be reused on return
/// @param count     number of items
/// @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest      rank, or MPI_PROC_NULL
/// @param tag       message tag
/// @param comm      for active data one that has entered the library
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Rsend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { send("AMPI_Rsend_c", &READY, Argument::new(buf, count, datatype), to, comm) }
}

/// MPI_Recv. What arrives gets fresh ids; a buffer that is not written keeps its values and derivatives.
/// @param[out] buf     room for `count` items of `datatype`
/// @param count        number of items, at least as many as arrive
/// @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag          message tag or MPI_ANY_TAG
/// @param comm         for active data one that has entered the library
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Recv(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe { recv("AMPI_Recv", Argument::new(buf, count, datatype), from, comm, status) }
}

/// AMPI_Recv with a count past 2^31.
/// @param[out] buf     room for `count` items of `datatype`
/// @param count        number of items, at least as many as arrive
/// @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag          message tag or MPI_ANY_TAG
/// @param comm         for active data one that has entered the library
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Recv_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe { recv("AMPI_Recv_c", Argument::new(buf, count, datatype), from, comm, status) }
}

/// MPI_Sendrecv. Both buffers are active, or neither.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param dest          rank, or MPI_PROC_NULL
/// @param sendtag       tag of the message sent
/// @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
/// @param recvcount     number of items, at least as many as arrive
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param recvtag       tag of the message received, or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] status   or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Sendrecv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let out = (Argument::new(sendbuf, sendcount, sendtype), Envelope::new(dest, sendtag));
        let back = (Argument::new(recvbuf, recvcount, recvtype), Envelope::new(source, recvtag));
        sendrecv("AMPI_Sendrecv", out, back, comm, status)
    }
}

/// AMPI_Sendrecv with counts past 2^31.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param dest          rank, or MPI_PROC_NULL
/// @param sendtag       tag of the message sent
/// @param[out] recvbuf  room for `recvcount` items of `recvtype`, apart from `sendbuf`
/// @param recvcount     number of items, at least as many as arrive
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param recvtag       tag of the message received, or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] status   or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Sendrecv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let out = (Argument::new(sendbuf, sendcount, sendtype), Envelope::new(dest, sendtag));
        let back = (Argument::new(recvbuf, recvcount, recvtype), Envelope::new(source, recvtag));
        sendrecv("AMPI_Sendrecv_c", out, back, comm, status)
    }
}

/// MPI_Sendrecv_replace. What does not arrive keeps its values and derivatives.
/// @param[in,out] buf  `count` items of `datatype`
/// @param count        number of items, at least as many as arrive
/// @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest         rank, or MPI_PROC_NULL
/// @param sendtag      tag of the message sent
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param recvtag      tag of the message received, or MPI_ANY_TAG
/// @param comm         for active data one that has entered the library
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Sendrecv_replace(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let (to, from) = (Envelope::new(dest, sendtag), Envelope::new(source, recvtag));
    // SAFETY: as MPI's contract says.
    unsafe {
        let data = Argument::new(buf, count, datatype);
        sendrecv_replace("AMPI_Sendrecv_replace", data, to, from, comm, status)
    }
}

/// AMPI_Sendrecv_replace with a count past 2^31.
/// @param[in,out] buf  `count` items of `datatype`
/// @param count        number of items, at least as many as arrive
/// @param datatype     AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest         rank, or MPI_PROC_NULL
/// @param sendtag      tag of the message sent
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param recvtag      tag of the message received, or MPI_ANY_TAG
/// @param comm         for active data one that has entered the library
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Sendrecv_replace_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    let (to, from) = (Envelope::new(dest, sendtag), Envelope::new(source, recvtag));
    // SAFETY: as MPI's contract says.
    unsafe {
        let data = Argument::new(buf, count, datatype);
        sendrecv_replace("AMPI_Sendrecv_replace_c", data, to, from, comm, status)
    }
}

/// MPI_Isend. See AMPI_Send.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Isend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Isend", &STANDARD, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// AMPI_Isend with a count past 2^31.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Isend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Isend_c", &STANDARD, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// MPI_Ibsend. See AMPI_Isend and AMPI_Bsend.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ibsend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Ibsend", &BUFFERED, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// AMPI_Ibsend with a count past 2^31.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ibsend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Ibsend_c", &BUFFERED, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// MPI_Issend. See AMPI_Isend and AMPI_Ssend.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Issend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Issend", &SYNCHRONOUS, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// AMPI_Issend with a count past 2^31.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Issend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Issend_c", &SYNCHRONOUS, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// MPI_Irsend. See AMPI_Isend and AMPI_Rsend.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Irsend(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe { isend("AMPI_Irsend", &READY, Argument::new(buf, count, datatype), to, comm, request) }
}

/// AMPI_Irsend with a count past 2^31.
/// @param buf           `count` items of `datatype`
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Irsend_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        isend("AMPI_Irsend_c", &READY, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// MPI_Irecv. The values and their ids are in the buffer once the request is complete, and not before.
/// @param[out] buf      room for `count` items of `datatype`, until completion
/// @param count         number of items, at least as many as arrive
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Irecv(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe { irecv("AMPI_Irecv", Argument::new(buf, count, datatype), from, comm, request) }
}

/// AMPI_Irecv with a count past 2^31.
/// @param[out] buf      room for `count` items of `datatype`, until completion
/// @param count         number of items, at least as many as arrive
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Irecv_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe { irecv("AMPI_Irecv_c", Argument::new(buf, count, datatype), from, comm, request) }
}

/// MPI_Mprobe. The message counts as posted here: its adjoint is in order with those of receives posted before
/// and after.
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] message  to be received by AMPI_Mrecv or AMPI_Imrecv
/// @param[out] status   or MPI_STATUS_IGNORE; MPI_Get_count counts in the type of the receiver
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Mprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let code = raw::MPI_Mprobe(source, tag, comm, message, status);
        probed("AMPI_Mprobe", code, true, comm, message)
    }
}

/// MPI_Improbe. See AMPI_Mprobe.
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] flag     1 if there was a message, else 0
/// @param[out] message  to be received by AMPI_Mrecv or AMPI_Imrecv
/// @param[out] status   or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let code = raw::MPI_Improbe(source, tag, comm, flag, message, status);
        probed("AMPI_Improbe", code, code == raw::SUCCESS && *flag != 0, comm, message)
    }
}

/// MPI_Mrecv. Recorded if the tape records now; both ends must do alike.
/// @param[out] buf         room for `count` items of `datatype`
/// @param count            number of items, at least as many as arrive
/// @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the communicator that the message came by
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Mrecv(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { mrecv("AMPI_Mrecv", Argument::new(buf, count, datatype), message, status) }
}

/// AMPI_Mrecv with a count past 2^31.
/// @param[out] buf         room for `count` items of `datatype`
/// @param count            number of items, at least as many as arrive
/// @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the communicator that the message came by
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Mrecv_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { mrecv("AMPI_Mrecv_c", Argument::new(buf, count, datatype), message, status) }
}

/// MPI_Imrecv. See AMPI_Irecv and AMPI_Mrecv.
/// @param[out] buf         room for `count` items of `datatype`, until completion
/// @param count            number of items, at least as many as arrive
/// @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
/// @param[out] request     to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on the communicator that the message came by
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Imrecv(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { imrecv("AMPI_Imrecv", Argument::new(buf, count, datatype), message, request) }
}

/// AMPI_Imrecv with a count past 2^31.
/// @param[out] buf         room for `count` items of `datatype`, until completion
/// @param count            number of items, at least as many as arrive
/// @param datatype         AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param[in,out] message  matched by AMPI_Mprobe or AMPI_Improbe; MPI_MESSAGE_NULL on return
/// @param[out] request     to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on the communicator that the message came by
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Imrecv_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { imrecv("AMPI_Imrecv_c", Argument::new(buf, count, datatype), message, request) }
}

/// MPI_Send_init. Each start sends what the buffer then holds, and is recorded as AMPI_Isend would be.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Send_init(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Send_init",
            &STANDARD,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// AMPI_Send_init with a count past 2^31.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Send_init_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Send_init_c",
            &STANDARD,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// MPI_Bsend_init. See AMPI_Send_init and AMPI_Bsend.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bsend_init(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Bsend_init",
            &BUFFERED,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// AMPI_Bsend_init with a count past 2^31.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bsend_init_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Bsend_init_c",
            &BUFFERED,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// MPI_Ssend_init. See AMPI_Send_init and AMPI_Ssend.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ssend_init(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Ssend_init",
            &SYNCHRONOUS,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// AMPI_Ssend_init with a count past 2^31.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ssend_init_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Ssend_init_c",
            &SYNCHRONOUS,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// MPI_Rsend_init. See AMPI_Send_init and AMPI_Rsend.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Rsend_init(
    buf: *const c_void,
    count: c_int,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init("AMPI_Rsend_init", &READY, Argument::new(buf, count, datatype), to, comm, request)
    }
}

/// AMPI_Rsend_init with a count past 2^31.
/// @param buf           `count` items of `datatype`, as long as the request lives
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param dest          rank, or MPI_PROC_NULL
/// @param tag           message tag
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Rsend_init_c(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let to = Envelope::new(dest, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        send_init(
            "AMPI_Rsend_init_c",
            &READY,
            Argument::new(buf, count, datatype),
            to,
            comm,
            request,
        )
    }
}

/// MPI_Recv_init. Each start posts a receive, which is recorded as AMPI_Irecv's would be.
/// @param[out] buf      room for `count` items of `datatype`, as long as the request lives
/// @param count         number of items, at least as many as arrive
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Recv_init(
    buf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe { recv_init("AMPI_Recv_init", Argument::new(buf, count, datatype), from, comm, request) }
}

/// AMPI_Recv_init with a count past 2^31.
/// @param[out] buf      room for `count` items of `datatype`, as long as the request lives
/// @param count         number of items, at least as many as arrive
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, any other for passive data
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data one that has entered the library
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Recv_init_c(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    let from = Envelope::new(source, tag);
    // SAFETY: as MPI's contract says.
    unsafe {
        recv_init("AMPI_Recv_init_c", Argument::new(buf, count, datatype), from, comm, request)
    }
}

/// MPI_Start. Whether the message is recorded is decided at each start.
/// @param[in,out] request  persistent and not active
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Start(request: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Start", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::start(unsafe { super::slot(request) }?)
    })
}

/// MPI_Startall. The requests start in the order of the array.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, persistent and not active
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Startall(count: c_int, requests: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Startall", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::start_all(unsafe { slots(requests, count) }?)
    })
}

/// MPI_Wait. The completion of an active receive is recorded, on the tape that its start was recorded on.
/// @param[in,out] request  AMPI_REQUEST_NULL on return, unless it is persistent; so in the calls below
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Wait(
    request: *mut AMPI_Request,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Wait", Comm::world(), || {
        // SAFETY: as above.
        request::wait(unsafe { super::slot(request) }?, &mut place)
    })
}

/// MPI_Test.
/// @param[in,out] request  AMPI_REQUEST_NULL on return if complete
/// @param[out] flag        1 if complete, else 0
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Test(
    request: *mut AMPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Test", Comm::world(), || {
        // SAFETY: as above.
        unsafe {
            let (slot, flag) = (super::slot(request)?, super::out("flag", flag)?);
            *flag = c_int::from(request::test(slot, &mut place)?);
        }
        Ok(())
    })
}

/// MPI_Waitall. Completions are recorded in the order of the array.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return
/// @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitall(
    count: c_int,
    requests: *mut AMPI_Request,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut places = unsafe { StatusSlots::new(statuses) };
    mpi_call("AMPI_Waitall", Comm::world(), || {
        // SAFETY: as above.
        let slots = unsafe { slots(requests, count) }?;
        request::all(slots, Completion::WaitAll, &mut places).map(|_| ())
    })
}

/// MPI_Testall.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return if all are complete
/// @param[out] flag         1 if all are complete, else 0
/// @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testall(
    count: c_int,
    requests: *mut AMPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut places = unsafe { StatusSlots::new(statuses) };
    mpi_call("AMPI_Testall", Comm::world(), || {
        // SAFETY: as above.
        let (slots, flag) = unsafe { (slots(requests, count)?, super::out("flag", flag)?) };
        *flag = c_int::from(request::all(slots, Completion::TestAll, &mut places)?);
        Ok(())
    })
}

/// MPI_Waitany.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
/// @param[out] index        which one, or MPI_UNDEFINED if none was active
/// @param[out] status       or MPI_STATUS_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitany(
    count: c_int,
    requests: *mut AMPI_Request,
    index: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Waitany", Comm::world(), || {
        // SAFETY: as above.
        let (slots, index) = unsafe { (slots(requests, count)?, super::out("index", index)?) };
        *index = request::any(slots, Completion::WaitAny, &mut place)?.index();
        Ok(())
    })
}

/// MPI_Testany.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
/// @param[out] index        which one, or MPI_UNDEFINED
/// @param[out] flag         1 if one is complete or none was active, else 0
/// @param[out] status       or MPI_STATUS_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testany(
    count: c_int,
    requests: *mut AMPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Testany", Comm::world(), || {
        // SAFETY: as above.
        let (slots, index, flag) = unsafe {
            (slots(requests, count)?, super::out("index", index)?, super::out("flag", flag)?)
        };
        let found = request::any(slots, Completion::TestAny, &mut place)?;
        (*index, *flag) = (found.index(), c_int::from(found.is_answer()));
        Ok(())
    })
}

/// MPI_Waitsome.
/// @param incount           number of requests
/// @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
/// @param[out] outcount     how many, or MPI_UNDEFINED if none was active
/// @param[out] indices      which ones: room for `incount`
/// @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitsome(
    incount: c_int,
    requests: *mut AMPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        super::complete_some(
            "AMPI_Waitsome",
            Completion::WaitSome,
            incount,
            requests,
            outcount,
            indices,
            statuses,
        )
    }
}

/// MPI_Testsome.
/// @param incount           number of requests
/// @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
/// @param[out] outcount     how many, or MPI_UNDEFINED if none was active
/// @param[out] indices      which ones: room for `incount`
/// @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testsome(
    incount: c_int,
    requests: *mut AMPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        super::complete_some(
            "AMPI_Testsome",
            Completion::TestSome,
            incount,
            requests,
            outcount,
            indices,
            statuses,
        )
    }
}

/// MPI_Request_free. An active send may be freed, and its adjoint still comes back; an active receive may not.
/// @param[in,out] request  AMPI_REQUEST_NULL on return
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_free(request: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Request_free", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::free(unsafe { super::slot(request) }?)
    })
}

/// MPI_Request_get_status. Nothing is completed, so an active buffer holds nothing new yet.
/// @param request      the request
/// @param[out] flag    1 if the call is complete, else 0
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_get_status(
    request: AMPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Request_get_status", Comm::world(), || {
        // SAFETY: as above.
        let flag = unsafe { super::out("flag", flag) }?;
        // SAFETY: as above.
        let found = request::peek(unsafe { request.as_ref() })?;
        *flag = c_int::from(found.is_some());
        found.iter().for_each(|status| place.set(status));
        Ok(())
    })
}

/// MPI_Cancel. A receive that is cancelled is not recorded; an active send cannot be cancelled.
/// @param request  the request, which is still to be completed
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Cancel(request: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Cancel", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::cancel(unsafe { super::slot(request) }?)
    })
}

/// A request's number for Fortran, which it keeps until it is completed.
/// @param request  or AMPI_REQUEST_NULL
/// @return the number; 0 for AMPI_REQUEST_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_c2f(request: AMPI_Request) -> MPI_Fint {
    // SAFETY: as the C contract says.
    unsafe { request.as_mut() }.map_or(0, |request| {
        let address = std::ptr::from_mut(request).expose_provenance();
        request::number_of(request, address)
    })
}

/// The request with a number that AMPI_Request_c2f gave.
/// @param request  the number
/// @return the request; AMPI_REQUEST_NULL for 0 and for a number that is not in use
#[unsafe(no_mangle)]
pub extern "C-unwind" fn AMPI_Request_f2c(request: MPI_Fint) -> AMPI_Request {
    std::ptr::with_exposed_provenance_mut(request::address_of(request))
}

/// For the guards: the library's request for one of MPI's.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_wrap_request(request: MPI_Request) -> AMPI_Request {
    // SAFETY: the guards pass the request of a call that has just started.
    let transfer = unsafe { Transfer::adopt(request) };
    if transfer.is_null() {
        return std::ptr::null_mut();
    }
    Box::into_raw(Request::passive(transfer, Comm::world()))
}

/// For the guards: where a wrapped request is kept.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_wrapped_request(request: AMPI_Request) -> *mut MPI_Request {
    // SAFETY: the guards pass a handle of the user.
    let request = unsafe { request.as_mut() }.filter(|request| request.is_passive());
    request.map_or(std::ptr::null_mut(), |request| request.transfer().place())
}
