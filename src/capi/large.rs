//! The calls of MPI for counts and displacements past 2^31. Written by scripts/large/generate.py; edit that.
//! `include/admpi/large.h` is generated from this file.
//!
//! A count that fits an int goes straight to MPI.

use super::large_arguments::*;
use crate::large::access::Buffers;
use crate::large::limit::{one_piece, small};
use crate::large::plan::Family;
use crate::large::reduction::{Counts, Input, Scattered};
use crate::large::vector::{self, Part, Width};
use crate::mpi::generalized::RequestSlot;
use crate::mpi::handle::File;
use crate::mpi::raw::{
    MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op, MPI_Request, MPI_Status,
};
use crate::mpi::{Comm, Datatype, Op, Status, is_in_place, plain, quirks};
use mpi_sys::{MPI_File, MPI_Message, MPI_Offset, MPI_Win};
use std::ffi::{c_int, c_void};

/// `MPI_Send` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Send_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Send it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Send(buf, n, datatype, dest, tag, comm);
        }
        let call = on_comm("MPIX_Send_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Send_c(buf, count, datatype, dest, tag, comm)),
            move |n, t| plain::MPI_Send(buf, n, t, dest, tag, comm),
        )
    }
}

/// `MPI_Bsend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Bsend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Bsend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Bsend(buf, n, datatype, dest, tag, comm);
        }
        let call = on_comm("MPIX_Bsend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Bsend_c(buf, count, datatype, dest, tag, comm)),
            move |n, t| plain::MPI_Bsend(buf, n, t, dest, tag, comm),
        )
    }
}

/// `MPI_Ssend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ssend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ssend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Ssend(buf, n, datatype, dest, tag, comm);
        }
        let call = on_comm("MPIX_Ssend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Ssend_c(buf, count, datatype, dest, tag, comm)),
            move |n, t| plain::MPI_Ssend(buf, n, t, dest, tag, comm),
        )
    }
}

/// `MPI_Rsend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Rsend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Rsend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Rsend(buf, n, datatype, dest, tag, comm);
        }
        let call = on_comm("MPIX_Rsend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Rsend_c(buf, count, datatype, dest, tag, comm)),
            move |n, t| plain::MPI_Rsend(buf, n, t, dest, tag, comm),
        )
    }
}

/// `MPI_Recv` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] source    rank to receive from, or MPI_ANY_SOURCE
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Recv_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_Recv it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Recv(buf, n, datatype, source, tag, comm, status);
        }
        let call = on_comm("MPIX_Recv_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Recv_c(buf, count, datatype, source, tag, comm, status)),
            move |n, t| plain::MPI_Recv(buf, n, t, source, tag, comm, status),
        )
    }
}

/// `MPI_Isend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Isend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Isend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Isend(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Isend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Isend_c(buf, count, datatype, dest, tag, comm, request)),
            move |n, t| plain::MPI_Isend(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Ibsend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ibsend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ibsend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Ibsend(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Ibsend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Ibsend_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Ibsend(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Issend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Issend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Issend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Issend(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Issend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Issend_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Issend(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Irsend` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Irsend_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Irsend it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Irsend(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Irsend_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Irsend_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Irsend(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Irecv` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] source    rank to receive from, or MPI_ANY_SOURCE
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Irecv_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Irecv it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Irecv(buf, n, datatype, source, tag, comm, request);
        }
        let call = on_comm("MPIX_Irecv_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Irecv_c(buf, count, datatype, source, tag, comm, request))
            },
            move |n, t| plain::MPI_Irecv(buf, n, t, source, tag, comm, request),
        )
    }
}

/// `MPI_Mrecv` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] message   the matched message; becomes MPI_MESSAGE_NULL
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Mrecv_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_Mrecv it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Mrecv(buf, n, datatype, message, status);
        }
        let call = on_nothing("MPIX_Mrecv_x");
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Mrecv_c(buf, count, datatype, message, status)),
            move |n, t| plain::MPI_Mrecv(buf, n, t, message, status),
        )
    }
}

/// `MPI_Imrecv` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] message   the matched message; becomes MPI_MESSAGE_NULL
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Imrecv_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Imrecv it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Imrecv(buf, n, datatype, message, request);
        }
        let call = on_nothing("MPIX_Imrecv_x");
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || large_call!(plain::MPI_Imrecv_c(buf, count, datatype, message, request)),
            move |n, t| plain::MPI_Imrecv(buf, n, t, message, request),
        )
    }
}

/// `MPI_Sendrecv_replace` with a count past 2^31, as one item of a large type.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] sendtag   tag of the message sent
/// @param[in] source    rank to receive from, or MPI_ANY_SOURCE
/// @param[in] recvtag   tag of the message received
/// @param[in] comm      the communicator
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Sendrecv_replace_x(
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
    // SAFETY: what the caller owes MPI_Sendrecv_replace it owes this call.
    unsafe {
        if let (Some(n), false) = (small(count), replaces_by_copy(datatype)) {
            return plain::MPI_Sendrecv_replace(
                buf, n, datatype, dest, sendtag, source, recvtag, comm, status,
            );
        }
        let call = on_comm("MPIX_Sendrecv_replace_x", comm);
        if !COPIES_IN_PLACE {
            return call.one(
                Family::PointToPoint,
                side(count, datatype),
                move || {
                    large_call!(plain::MPI_Sendrecv_replace_c(
                        buf, count, datatype, dest, sendtag, source, recvtag, comm, status
                    ))
                },
                move |n, t| {
                    plain::MPI_Sendrecv_replace(
                        buf, n, t, dest, sendtag, source, recvtag, comm, status,
                    )
                },
            );
        }
        let own = Part { count, displacement: 0, datatype: Datatype::new(datatype) };
        let (copy, sent) = match call.prepare(|| copied(buf, own)) {
            Ok(copied) => copied,
            Err(code) => return code,
        };
        let from = copy.as_ptr().cast();
        call.two(
            Family::Exchange,
            side(sent.count, sent.datatype.raw()),
            side(count, datatype),
            || Ok((true, true)),
            no_large_call,
            |n, t, m, u| {
                plain::MPI_Sendrecv(
                    from, n, t, dest, sendtag, buf, m, u, source, recvtag, comm, status,
                )
            },
        )
    }
}

/// `MPI_Sendrecv` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[in] dest       rank to send to
/// @param[in] sendtag    tag of the message sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] source     rank to receive from, or MPI_ANY_SOURCE
/// @param[in] recvtag    tag of the message received
/// @param[in] comm       the communicator
/// @param[out] status     what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, chapter 3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Sendrecv_x(
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
    // SAFETY: what the caller owes MPI_Sendrecv it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Sendrecv(
                sendbuf, n, sendtype, dest, sendtag, recvbuf, m, recvtype, source, recvtag, comm,
                status,
            );
        }
        let call = on_comm("MPIX_Sendrecv_x", comm);
        call.two(
            Family::PointToPoint,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            move || {
                large_call!(plain::MPI_Sendrecv_c(
                    sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                    source, recvtag, comm, status
                ))
            },
            move |n, t, m, u| {
                plain::MPI_Sendrecv(
                    sendbuf, n, t, dest, sendtag, recvbuf, m, u, source, recvtag, comm, status,
                )
            },
        )
    }
}

/// MPI-4's nonblocking send-receive, on every MPI: both start, behind one request. The status is
/// the receive's.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[in] dest       rank to send to
/// @param[in] sendtag    tag of the message sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] source     rank to receive from, or MPI_ANY_SOURCE
/// @param[in] recvtag    tag of the message received
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-4.0, 3.10)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Isendrecv_x(
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
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Isendrecv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Isendrecv_x", comm);
        call.isendrecv(
            side(sendcount, sendtype),
            None,
            side(recvcount, recvtype),
            source,
            RequestSlot::new(request),
            |n, t, r| plain::MPI_Isend(sendbuf, n, t, dest, sendtag, comm, r),
            |n, t, r| plain::MPI_Irecv(recvbuf, n, t, source, recvtag, comm, r),
        )
    }
}

/// MPI-4's nonblocking send-receive in one buffer, on every MPI: a copy is sent. The status is the
/// receive's.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] sendtag   tag of the message sent
/// @param[in] source    rank to receive from, or MPI_ANY_SOURCE
/// @param[in] recvtag   tag of the message received
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-4.0, 3.10)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Isendrecv_replace_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    sendtag: c_int,
    source: c_int,
    recvtag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Isendrecv_replace it owes this call.
    unsafe {
        let call = on_comm("MPIX_Isendrecv_replace_x", comm);
        let own = Part { count, displacement: 0, datatype: Datatype::new(datatype) };
        let (copy, sent) = match call.prepare(|| copied(buf, own)) {
            Ok(copied) => copied,
            Err(code) => return code,
        };
        let from = copy.as_ptr().cast();
        call.isendrecv(
            side(sent.count, sent.datatype.raw()),
            Some(copy),
            side(count, datatype),
            source,
            RequestSlot::new(request),
            |n, t, r| plain::MPI_Isend(from, n, t, dest, sendtag, comm, r),
            |n, t, r| plain::MPI_Irecv(buf, n, t, source, recvtag, comm, r),
        )
    }
}

/// `MPI_Send_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 3.9)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Send_init_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Send_init it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Send_init(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Send_init_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Send_init_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Send_init(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Bsend_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 3.9)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Bsend_init_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Bsend_init it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Bsend_init(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Bsend_init_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Bsend_init_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Bsend_init(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Ssend_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 3.9)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ssend_init_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ssend_init it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Ssend_init(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Ssend_init_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Ssend_init_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Ssend_init(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Rsend_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] dest      rank to send to
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 3.9)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Rsend_init_x(
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Rsend_init it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Rsend_init(buf, n, datatype, dest, tag, comm, request);
        }
        let call = on_comm("MPIX_Rsend_init_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Rsend_init_c(buf, count, datatype, dest, tag, comm, request))
            },
            move |n, t| plain::MPI_Rsend_init(buf, n, t, dest, tag, comm, request),
        )
    }
}

/// `MPI_Recv_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] source    rank to receive from, or MPI_ANY_SOURCE
/// @param[in] tag       the message's tag
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 3.9)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Recv_init_x(
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Recv_init it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Recv_init(buf, n, datatype, source, tag, comm, request);
        }
        let call = on_comm("MPIX_Recv_init_x", comm);
        call.one(
            Family::PointToPoint,
            side(count, datatype),
            move || {
                large_call!(plain::MPI_Recv_init_c(
                    buf, count, datatype, source, tag, comm, request
                ))
            },
            move |n, t| plain::MPI_Recv_init(buf, n, t, source, tag, comm, request),
        )
    }
}

/// `MPI_Bcast` with a count past 2^31, as one item of a large type.
///
/// @param[in] buffer    items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Bcast_x(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Bcast it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Bcast(buffer, n, datatype, root, comm);
        }
        let call = on_comm("MPIX_Bcast_x", comm);
        call.one(
            Family::Movement,
            side(count, datatype),
            move || large_call!(plain::MPI_Bcast_c(buffer, count, datatype, root, comm)),
            move |n, t| plain::MPI_Bcast(buffer, n, t, root, comm),
        )
    }
}

/// `MPI_Ibcast` with a count past 2^31, as one item of a large type. All ranks pass one count.
///
/// @param[in] buffer    items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ibcast_x(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ibcast it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Ibcast(buffer, n, datatype, root, comm, request);
        }
        let call = on_comm("MPIX_Ibcast_x", comm);
        call.ibcast(
            Comm::new(comm),
            root,
            side(count, datatype),
            address(buffer),
            RequestSlot::new(request),
            |n, t| plain::MPI_Ibcast(buffer, n, t, root, comm, request),
            |l, r| {
                plain::MPI_Ialltoallw(
                    bottom(),
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    buffer,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Gather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Gather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Gather it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) = (
            small(sendcount),
            small(recvcount),
            is_cut(comm, root, (recvcount, recvtype), (sendcount, sendtype)),
        ) {
            return plain::MPI_Gather(sendbuf, n, sendtype, recvbuf, m, recvtype, root, comm);
        }
        let call = on_comm("MPIX_Gather_x", comm);
        if is_cut(comm, root, (recvcount, recvtype), (sendcount, sendtype)) {
            return {
                let in_place = is_in_place(sendbuf);
                let from = if in_place { no_send() } else { sendbuf };
                let to = if is_root(comm, root) { recvbuf } else { no_receive() };
                let own =
                    Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
                let all = |n| blocks(n, recvcount, recvtype);
                call.exchange(
                    guarded(Family::Vector, true),
                    move || {
                        large_call!(plain::MPI_Gather_c(
                            sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
                        ))
                    },
                    Width::Int,
                    || vector::gather(Comm::new(comm), root, in_place, own, all),
                    |l| {
                        plain::MPI_Alltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                        )
                    },
                )
            };
        }
        call.two(
            Family::Movement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || gathered(comm, root, is_in_place(sendbuf)),
            move || {
                large_call!(plain::MPI_Gather_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
                ))
            },
            move |n, t, m, u| plain::MPI_Gather(sendbuf, n, t, recvbuf, m, u, root, comm),
        )
    }
}

/// `MPI_Igather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Igather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Igather it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) = (
            small(sendcount),
            small(recvcount),
            is_cut(comm, root, (recvcount, recvtype), (sendcount, sendtype)),
        ) {
            return plain::MPI_Igather(
                sendbuf, n, sendtype, recvbuf, m, recvtype, root, comm, request,
            );
        }
        let call = on_comm("MPIX_Igather_x", comm);
        if is_cut(comm, root, (recvcount, recvtype), (sendcount, sendtype)) {
            return {
                let in_place = is_in_place(sendbuf);
                let from = if in_place { no_send() } else { sendbuf };
                let to = if is_root(comm, root) { recvbuf } else { no_receive() };
                let own =
                    Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
                let all = |n| blocks(n, recvcount, recvtype);
                call.start_exchange(
                    guarded(Family::Ivector, true),
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || vector::gather(Comm::new(comm), root, in_place, own, all),
                    |l, r| {
                        plain::MPI_Ialltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || gathered(comm, root, is_in_place(sendbuf)),
            no_large_call,
            move |n, t, m, u| plain::MPI_Igather(sendbuf, n, t, recvbuf, m, u, root, comm, request),
        )
    }
}

/// `MPI_Scatter` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scatter_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scatter it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) = (
            small(sendcount),
            small(recvcount),
            is_cut(comm, root, (sendcount, sendtype), (recvcount, recvtype)),
        ) {
            return plain::MPI_Scatter(sendbuf, n, sendtype, recvbuf, m, recvtype, root, comm);
        }
        let call = on_comm("MPIX_Scatter_x", comm);
        if is_cut(comm, root, (sendcount, sendtype), (recvcount, recvtype)) {
            return {
                let in_place = is_in_place(recvbuf);
                let from = if is_root(comm, root) { sendbuf } else { no_send() };
                let to = if in_place { no_receive() } else { recvbuf };
                let own =
                    Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
                let all = |n| blocks(n, sendcount, sendtype);
                call.exchange(
                    guarded(Family::Vector, true),
                    move || {
                        large_call!(plain::MPI_Scatter_c(
                            sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
                        ))
                    },
                    Width::Int,
                    || vector::scatter(Comm::new(comm), root, in_place, own, all),
                    |l| {
                        plain::MPI_Alltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                        )
                    },
                )
            };
        }
        call.two(
            Family::Movement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || scattered(comm, root, is_in_place(recvbuf)),
            move || {
                large_call!(plain::MPI_Scatter_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
                ))
            },
            move |n, t, m, u| plain::MPI_Scatter(sendbuf, n, t, recvbuf, m, u, root, comm),
        )
    }
}

/// `MPI_Iscatter` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iscatter_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iscatter it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) = (
            small(sendcount),
            small(recvcount),
            is_cut(comm, root, (sendcount, sendtype), (recvcount, recvtype)),
        ) {
            return plain::MPI_Iscatter(
                sendbuf, n, sendtype, recvbuf, m, recvtype, root, comm, request,
            );
        }
        let call = on_comm("MPIX_Iscatter_x", comm);
        if is_cut(comm, root, (sendcount, sendtype), (recvcount, recvtype)) {
            return {
                let in_place = is_in_place(recvbuf);
                let from = if is_root(comm, root) { sendbuf } else { no_send() };
                let to = if in_place { no_receive() } else { recvbuf };
                let own =
                    Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
                let all = |n| blocks(n, sendcount, sendtype);
                call.start_exchange(
                    guarded(Family::Ivector, true),
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || vector::scatter(Comm::new(comm), root, in_place, own, all),
                    |l, r| {
                        plain::MPI_Ialltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || scattered(comm, root, is_in_place(recvbuf)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Iscatter(sendbuf, n, t, recvbuf, m, u, root, comm, request)
            },
        )
    }
}

/// `MPI_Allgather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.7)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allgather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allgather it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Allgather(sendbuf, n, sendtype, recvbuf, m, recvtype, comm);
        }
        let call = on_comm("MPIX_Allgather_x", comm);
        call.two(
            Family::Movement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            move || {
                large_call!(plain::MPI_Allgather_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
                ))
            },
            move |n, t, m, u| plain::MPI_Allgather(sendbuf, n, t, recvbuf, m, u, comm),
        )
    }
}

/// `MPI_Iallgather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.7)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iallgather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iallgather it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Iallgather(
                sendbuf, n, sendtype, recvbuf, m, recvtype, comm, request,
            );
        }
        let call = on_comm("MPIX_Iallgather_x", comm);
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            no_large_call,
            move |n, t, m, u| plain::MPI_Iallgather(sendbuf, n, t, recvbuf, m, u, comm, request),
        )
    }
}

/// `MPI_Alltoall` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoall_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoall it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) =
            (small(sendcount), small(recvcount), alltoall_by_copy(sendbuf))
        {
            return plain::MPI_Alltoall(sendbuf, n, sendtype, recvbuf, m, recvtype, comm);
        }
        let call = on_comm("MPIX_Alltoall_x", comm);
        if alltoall_by_copy(sendbuf) {
            return {
                let in_place = is_in_place(sendbuf);
                let staged = in_place && COPIES_IN_PLACE;
                let from = if staged { bottom() } else { sendbuf };
                call.exchange(
                    guarded(Family::Vector, in_place),
                    move || {
                        large_call!(plain::MPI_Alltoall_c(
                            sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
                        ))
                    },
                    Width::Int,
                    || {
                        if staged {
                            let n = partners(comm)?;
                            return staged_traffic(recvbuf, blocks(n, recvcount, recvtype)?);
                        }
                        all_traffic(
                            comm,
                            in_place,
                            |n| blocks(n, sendcount, sendtype),
                            |n| blocks(n, recvcount, recvtype),
                        )
                    },
                    |l| {
                        plain::MPI_Alltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            recvbuf,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                        )
                    },
                )
            };
        }
        call.two(
            Family::Movement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            move || {
                large_call!(plain::MPI_Alltoall_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
                ))
            },
            move |n, t, m, u| plain::MPI_Alltoall(sendbuf, n, t, recvbuf, m, u, comm),
        )
    }
}

/// `MPI_Ialltoall` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ialltoall_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ialltoall it owes this call.
    unsafe {
        if let (Some(n), Some(m), false) =
            (small(sendcount), small(recvcount), alltoall_by_copy(sendbuf))
        {
            return plain::MPI_Ialltoall(sendbuf, n, sendtype, recvbuf, m, recvtype, comm, request);
        }
        let call = on_comm("MPIX_Ialltoall_x", comm);
        if alltoall_by_copy(sendbuf) {
            return {
                let in_place = is_in_place(sendbuf);
                let staged = in_place;
                let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
                call.start_exchange(
                    guarded(Family::Ivector, in_place),
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || {
                        if staged {
                            let n = partners(comm)?;
                            return staged_traffic(recvbuf, blocks(n, recvcount, recvtype)?);
                        }
                        all_traffic(
                            comm,
                            in_place,
                            |n| Ok(blocks(n, sendcount, sendtype)?.behind(base)),
                            |n| blocks(n, recvcount, recvtype),
                        )
                    },
                    |l, r| {
                        plain::MPI_Ialltoallw(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            recvbuf,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            no_large_call,
            move |n, t, m, u| plain::MPI_Ialltoall(sendbuf, n, t, recvbuf, m, u, comm, request),
        )
    }
}

/// `MPI_Neighbor_allgather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_allgather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_allgather it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Neighbor_allgather(sendbuf, n, sendtype, recvbuf, m, recvtype, comm);
        }
        let call = on_comm("MPIX_Neighbor_allgather_x", comm);
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| plain::MPI_Neighbor_allgather(sendbuf, n, t, recvbuf, m, u, comm),
        )
    }
}

/// `MPI_Ineighbor_allgather` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ineighbor_allgather_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ineighbor_allgather it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Ineighbor_allgather(
                sendbuf, n, sendtype, recvbuf, m, recvtype, comm, request,
            );
        }
        let call = on_comm("MPIX_Ineighbor_allgather_x", comm);
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Ineighbor_allgather(sendbuf, n, t, recvbuf, m, u, comm, request)
            },
        )
    }
}

/// `MPI_Neighbor_alltoall` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoall_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoall it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Neighbor_alltoall(sendbuf, n, sendtype, recvbuf, m, recvtype, comm);
        }
        let call = on_comm("MPIX_Neighbor_alltoall_x", comm);
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| plain::MPI_Neighbor_alltoall(sendbuf, n, t, recvbuf, m, u, comm),
        )
    }
}

/// `MPI_Ineighbor_alltoall` with counts past 2^31, as one item of a large type each.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ineighbor_alltoall_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ineighbor_alltoall it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(sendcount), small(recvcount)) {
            return plain::MPI_Ineighbor_alltoall(
                sendbuf, n, sendtype, recvbuf, m, recvtype, comm, request,
            );
        }
        let call = on_comm("MPIX_Ineighbor_alltoall_x", comm);
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Ineighbor_alltoall(sendbuf, n, t, recvbuf, m, u, comm, request)
            },
        )
    }
}

/// `MPI_Reduce` with a count past 2^31, in pieces of at most 16 MiB.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.9 and 5.11)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce it owes this call.
    unsafe {
        if let (Some(n), false) = (one_piece(count), reduces_by_copy(sendbuf, root)) {
            return plain::MPI_Reduce(sendbuf, recvbuf, n, datatype, op, root, comm);
        }
        let call = on_comm("MPIX_Reduce_x", comm);
        call.pieces(count, Datatype::new(datatype), Op::new(op), move |offset, n, t, o| {
            reduce(call, at(sendbuf, offset), at_mut(recvbuf, offset), n, t, o, root, comm)
        })
    }
}

/// `MPI_Allreduce` with a count past 2^31, in pieces of at most 16 MiB.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.9 and 5.11)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allreduce_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allreduce it owes this call.
    unsafe {
        if let Some(n) = one_piece(count) {
            return plain::MPI_Allreduce(sendbuf, recvbuf, n, datatype, op, comm);
        }
        let call = on_comm("MPIX_Allreduce_x", comm);
        call.pieces(count, Datatype::new(datatype), Op::new(op), move |offset, n, t, o| {
            plain::MPI_Allreduce(at(sendbuf, offset), at_mut(recvbuf, offset), n, t, o, comm)
        })
    }
}

/// `MPI_Scan` with a count past 2^31, in pieces of at most 16 MiB.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.9 and 5.11)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scan_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scan it owes this call.
    unsafe {
        if let Some(n) = one_piece(count) {
            return plain::MPI_Scan(sendbuf, recvbuf, n, datatype, op, comm);
        }
        let call = on_comm("MPIX_Scan_x", comm);
        call.pieces(count, Datatype::new(datatype), Op::new(op), move |offset, n, t, o| {
            plain::MPI_Scan(at(sendbuf, offset), at_mut(recvbuf, offset), n, t, o, comm)
        })
    }
}

/// `MPI_Exscan` with a count past 2^31, in pieces of at most 16 MiB.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.9 and 5.11)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Exscan_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Exscan it owes this call.
    unsafe {
        if let Some(n) = one_piece(count) {
            return plain::MPI_Exscan(sendbuf, recvbuf, n, datatype, op, comm);
        }
        let call = on_comm("MPIX_Exscan_x", comm);
        call.pieces(count, Datatype::new(datatype), Op::new(op), move |offset, n, t, o| {
            plain::MPI_Exscan(at(sendbuf, offset), at_mut(recvbuf, offset), n, t, o, comm)
        })
    }
}

/// `MPI_Reduce_local` with a count past 2^31, in pieces of at most 16 MiB.
///
/// @param[in] inbuf     left operands
/// @param[in] inoutbuf  right operands, replaced by the result
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 5.9.7)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_local_x(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_local it owes this call.
    unsafe {
        if let Some(n) = one_piece(count) {
            return plain::MPI_Reduce_local(inbuf, inoutbuf, n, datatype, op);
        }
        let call = on_nothing("MPIX_Reduce_local_x");
        call.pieces(count, Datatype::new(datatype), Op::new(op), move |offset, n, t, o| {
            plain::MPI_Reduce_local(at(inbuf, offset), at_mut(inoutbuf, offset), n, t, o)
        })
    }
}

/// `MPI_Ireduce` with a count past 2^31. A user's operation must live until the request is
/// complete.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ireduce_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ireduce it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Ireduce(sendbuf, recvbuf, n, datatype, op, root, comm, request);
        }
        let call = on_comm("MPIX_Ireduce_x", comm);
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            quirks::IREDUCE_REORDERS_BY_SIZE,
            move || {
                large_call!(plain::MPI_Ireduce_c(
                    sendbuf, recvbuf, count, datatype, op, root, comm, request
                ))
            },
            move |n, t, o| plain::MPI_Ireduce(sendbuf, recvbuf, n, t, o, root, comm, request),
        )
    }
}

/// `MPI_Iallreduce` with a count past 2^31. A user's operation must live until the request is
/// complete.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iallreduce_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iallreduce it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Iallreduce(sendbuf, recvbuf, n, datatype, op, comm, request);
        }
        let call = on_comm("MPIX_Iallreduce_x", comm);
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Iallreduce_c(
                    sendbuf, recvbuf, count, datatype, op, comm, request
                ))
            },
            move |n, t, o| plain::MPI_Iallreduce(sendbuf, recvbuf, n, t, o, comm, request),
        )
    }
}

/// `MPI_Iscan` with a count past 2^31. A user's operation must live until the request is complete.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iscan_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iscan it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Iscan(sendbuf, recvbuf, n, datatype, op, comm, request);
        }
        let call = on_comm("MPIX_Iscan_x", comm);
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Iscan_c(
                    sendbuf, recvbuf, count, datatype, op, comm, request
                ))
            },
            move |n, t, o| plain::MPI_Iscan(sendbuf, recvbuf, n, t, o, comm, request),
        )
    }
}

/// `MPI_Iexscan` with a count past 2^31. A user's operation must live until the request is
/// complete.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iexscan_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iexscan it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_Iexscan(sendbuf, recvbuf, n, datatype, op, comm, request);
        }
        let call = on_comm("MPIX_Iexscan_x", comm);
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Iexscan_c(
                    sendbuf, recvbuf, count, datatype, op, comm, request
                ))
            },
            move |n, t, o| plain::MPI_Iexscan(sendbuf, recvbuf, n, t, o, comm, request),
        )
    }
}

/// `MPI_Reduce_scatter_block` with counts whose sum is past 2^31, by a reduction to each rank in
/// pieces (between two groups, one to all, of which each keeps its own).
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] datatype   type of the items
/// @param[in] op         predefined or user-defined operation
/// @param[in] comm       the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.10)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_scatter_block_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_scatter_block it owes this call.
    unsafe {
        let call = on_comm("MPIX_Reduce_scatter_block_x", comm);
        let in_place = is_in_place(sendbuf);
        let input = if in_place { Input::InPlace } else { Input::Apart };
        let result =
            Scattered { comm: Comm::new(comm), datatype: Datatype::new(datatype), buffer: recvbuf };
        call.reduce_scatter(
            result,
            || Ok(Counts::Alike { count: recvcount, ranks: group_size(comm)? }),
            Op::new(op),
            input,
            |_| {
                plain::MPI_Reduce_scatter_block(
                    sendbuf,
                    recvbuf,
                    narrow(recvcount),
                    datatype,
                    op,
                    comm,
                )
            },
            |b, t, o| {
                let (from, to) = if in_place {
                    (at(recvbuf, b.from), at_mut(recvbuf, b.to))
                } else {
                    (at(sendbuf, b.from), at_mut(recvbuf, b.to))
                };
                let from = if in_place && b.mine { in_place_address() } else { from };
                reduce(call, from, to, b.count, t, o, b.root, comm)
            },
            |from, to, n| plain::MPI_Allreduce(at(sendbuf, from), to, n, datatype, op, comm),
            |from, to, n, t| move_items(from, to, n, t),
        )
    }
}

/// `MPI_Reduce_scatter` with counts whose sum is past 2^31, by a reduction to each rank in pieces
/// (between two groups, one to all, of which each keeps its own).
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] datatype    type of the items
/// @param[in] op          predefined or user-defined operation
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.10)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_scatter_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_scatter it owes this call.
    unsafe {
        let call = on_comm("MPIX_Reduce_scatter_x", comm);
        let in_place = is_in_place(sendbuf);
        let input = if in_place { Input::InPlace } else { Input::Apart };
        let result =
            Scattered { comm: Comm::new(comm), datatype: Datatype::new(datatype), buffer: recvbuf };
        call.reduce_scatter(
            result,
            || counts("recvcounts", recvcounts, group_size(comm)?),
            Op::new(op),
            input,
            |c| plain::MPI_Reduce_scatter(sendbuf, recvbuf, c.as_ptr(), datatype, op, comm),
            |b, t, o| {
                let (from, to) = if in_place {
                    (at(recvbuf, b.from), at_mut(recvbuf, b.to))
                } else {
                    (at(sendbuf, b.from), at_mut(recvbuf, b.to))
                };
                let from = if in_place && b.mine { in_place_address() } else { from };
                reduce(call, from, to, b.count, t, o, b.root, comm)
            },
            |from, to, n| plain::MPI_Allreduce(at(sendbuf, from), to, n, datatype, op, comm),
            |from, to, n, t| move_items(from, to, n, t),
        )
    }
}

/// `MPI_Ireduce_scatter_block` with counts whose sum is past 2^31. A user's operation must live
/// until the request is complete.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] datatype   type of the items
/// @param[in] op         predefined or user-defined operation
/// @param[in] comm       the communicator
/// @param[out] request    to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ireduce_scatter_block_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ireduce_scatter_block it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ireduce_scatter_block_x", comm);
        let in_place = is_in_place(sendbuf);
        let input = if in_place { Input::InPlace } else { Input::Apart };
        let result =
            Scattered { comm: Comm::new(comm), datatype: Datatype::new(datatype), buffer: recvbuf };
        call.ireduce_scatter(
            result,
            || Ok(Counts::Alike { count: recvcount, ranks: group_size(comm)? }),
            Op::new(op),
            input,
            RequestSlot::new(request),
            |_, r| {
                plain::MPI_Ireduce_scatter_block(
                    sendbuf,
                    recvbuf,
                    narrow(recvcount),
                    datatype,
                    op,
                    comm,
                    r,
                )
            },
            move || {
                large_call!(plain::MPI_Ireduce_scatter_block_c(
                    sendbuf, recvbuf, recvcount, datatype, op, comm, request
                ))
            },
            |b, t, o, r| {
                let (from, to) = if in_place {
                    (at(recvbuf, b.from), at_mut(recvbuf, b.to))
                } else {
                    (at(sendbuf, b.from), at_mut(recvbuf, b.to))
                };
                let from = if in_place && b.mine { in_place_address() } else { from };
                plain::MPI_Ireduce(from, to, b.count, t, o, b.root, comm, r)
            },
            |to, n, t, o, r| plain::MPI_Iallreduce(sendbuf, to, n, t, o, comm, r),
            |from, to, n, t| move_items(from, to, n, t),
        )
    }
}

/// `MPI_Ireduce_scatter` with counts whose sum is past 2^31. A user's operation must live until the
/// request is complete.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] datatype    type of the items
/// @param[in] op          predefined or user-defined operation
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.12)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ireduce_scatter_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ireduce_scatter it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ireduce_scatter_x", comm);
        let in_place = is_in_place(sendbuf);
        let input = if in_place { Input::InPlace } else { Input::Apart };
        let result =
            Scattered { comm: Comm::new(comm), datatype: Datatype::new(datatype), buffer: recvbuf };
        call.ireduce_scatter(
            result,
            || counts("recvcounts", recvcounts, group_size(comm)?),
            Op::new(op),
            input,
            RequestSlot::new(request),
            |c, r| plain::MPI_Ireduce_scatter(sendbuf, recvbuf, c.as_ptr(), datatype, op, comm, r),
            move || {
                large_call!(plain::MPI_Ireduce_scatter_c(
                    sendbuf, recvbuf, recvcounts, datatype, op, comm, request
                ))
            },
            |b, t, o, r| {
                let (from, to) = if in_place {
                    (at(recvbuf, b.from), at_mut(recvbuf, b.to))
                } else {
                    (at(sendbuf, b.from), at_mut(recvbuf, b.to))
                };
                let from = if in_place && b.mine { in_place_address() } else { from };
                plain::MPI_Ireduce(from, to, b.count, t, o, b.root, comm, r)
            },
            |to, n, t, o, r| plain::MPI_Iallreduce(sendbuf, to, n, t, o, comm, r),
            |from, to, n, t| move_items(from, to, n, t),
        )
    }
}

/// `MPI_Gatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Gatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Gatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Gatherv_x", comm);
        let in_place = is_in_place(sendbuf);
        let from = if in_place { no_send() } else { sendbuf };
        let to = if is_root(comm, root) { recvbuf } else { no_receive() };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.exchange(
            Family::Vector,
            move || {
                large_call!(plain::MPI_Gatherv_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm
                ))
            },
            Width::Int,
            || vector::gather(Comm::new(comm), root, in_place, own, all),
            |l| {
                plain::MPI_Alltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                )
            },
        )
    }
}

/// `MPI_Igatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Igatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Igatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Igatherv_x", comm);
        let in_place = is_in_place(sendbuf);
        let from = if in_place { no_send() } else { sendbuf };
        let to = if is_root(comm, root) { recvbuf } else { no_receive() };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.start_exchange(
            Family::Ivector,
            move || {
                large_call!(plain::MPI_Igatherv_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                    comm, request
                ))
            },
            Width::Int,
            RequestSlot::new(request),
            || vector::gather(Comm::new(comm), root, in_place, own, all),
            |l, r| {
                plain::MPI_Ialltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Scatterv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount   number of items received
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scatterv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scatterv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Scatterv_x", comm);
        let in_place = is_in_place(recvbuf);
        let from = if is_root(comm, root) { sendbuf } else { no_send() };
        let to = if in_place { no_receive() } else { recvbuf };
        let own = Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
        let all = |n| v_parts(n, ("sendcounts", sendcounts), ("displs", displs), sendtype);
        call.exchange(
            Family::Vector,
            move || {
                large_call!(plain::MPI_Scatterv_c(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
                ))
            },
            Width::Int,
            || vector::scatter(Comm::new(comm), root, in_place, own, all),
            |l| {
                plain::MPI_Alltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                )
            },
        )
    }
}

/// `MPI_Iscatterv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount   number of items received
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iscatterv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iscatterv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Iscatterv_x", comm);
        let in_place = is_in_place(recvbuf);
        let from = if is_root(comm, root) { sendbuf } else { no_send() };
        let to = if in_place { no_receive() } else { recvbuf };
        let own = Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
        let all = |n| v_parts(n, ("sendcounts", sendcounts), ("displs", displs), sendtype);
        call.start_exchange(
            Family::Ivector,
            move || {
                large_call!(plain::MPI_Iscatterv_c(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                    comm, request
                ))
            },
            Width::Int,
            RequestSlot::new(request),
            || vector::scatter(Comm::new(comm), root, in_place, own, all),
            |l, r| {
                plain::MPI_Ialltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Allgatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.7)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allgatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allgatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Allgatherv_x", comm);
        let in_place = is_in_place(sendbuf);
        let from = if in_place { bottom() } else { sendbuf };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.exchange(
            guarded(Family::Vector, allgatherv_is_wrong(comm, recvcounts, recvtype)),
            move || {
                large_call!(plain::MPI_Allgatherv_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
                ))
            },
            Width::Int,
            || vector::allgather(Comm::new(comm), in_place.then(|| address(recvbuf)), own, all),
            |l| {
                plain::MPI_Alltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                )
            },
        )
    }
}

/// `MPI_Iallgatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.7)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Iallgatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Iallgatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Iallgatherv_x", comm);
        let in_place = is_in_place(sendbuf);
        let from = if in_place { bottom() } else { sendbuf };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.start_exchange(
            guarded(Family::Ivector, allgatherv_is_wrong(comm, recvcounts, recvtype)),
            move || {
                large_call!(plain::MPI_Iallgatherv_c(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    request
                ))
            },
            Width::Int,
            RequestSlot::new(request),
            || vector::allgather(Comm::new(comm), in_place.then(|| address(recvbuf)), own, all),
            |l, r| {
                plain::MPI_Ialltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Alltoallv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoallv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoallv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Alltoallv_x", comm);
        let in_place = is_in_place(sendbuf);
        let staged = in_place && COPIES_IN_PLACE;
        let from = if staged { bottom() } else { sendbuf };
        call.exchange(
            guarded(Family::Vector, in_place),
            move || {
                large_call!(plain::MPI_Alltoallv_c(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                    comm
                ))
            },
            Width::Int,
            || {
                if staged {
                    let n = partners(comm)?;
                    return staged_traffic(
                        recvbuf,
                        v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype)?,
                    );
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l| {
                plain::MPI_Alltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                )
            },
        )
    }
}

/// `MPI_Ialltoallv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ialltoallv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ialltoallv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ialltoallv_x", comm);
        let in_place = is_in_place(sendbuf);
        let staged = in_place;
        let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
        call.start_exchange(
            guarded(Family::Ivector, in_place),
            move || {
                large_call!(plain::MPI_Ialltoallv_c(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                    comm, request
                ))
            },
            Width::Int,
            RequestSlot::new(request),
            || {
                if staged {
                    let n = partners(comm)?;
                    return staged_traffic(
                        recvbuf,
                        v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype)?,
                    );
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| {
                        Ok(v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype)?
                            .behind(base))
                    },
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l, r| {
                plain::MPI_Ialltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Alltoallw` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoallw_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoallw it owes this call.
    unsafe {
        let call = on_comm("MPIX_Alltoallw_x", comm);
        let in_place = is_in_place(sendbuf);
        let staged = in_place && COPIES_IN_PLACE;
        let from = if staged { bottom() } else { sendbuf };
        call.exchange(
            guarded(Family::Vector, in_place),
            move || {
                large_call!(plain::MPI_Alltoallw_c(
                    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                    recvtypes, comm
                ))
            },
            Width::Int,
            || {
                if staged {
                    let n = partners(comm)?;
                    return staged_traffic(
                        recvbuf,
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )?,
                    );
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| {
                        w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l| {
                plain::MPI_Alltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                )
            },
        )
    }
}

/// `MPI_Ialltoallw` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 5.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ialltoallw_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ialltoallw it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ialltoallw_x", comm);
        let in_place = is_in_place(sendbuf);
        let staged = in_place;
        let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
        call.start_exchange(
            guarded(Family::Ivector, in_place),
            move || {
                large_call!(plain::MPI_Ialltoallw_c(
                    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                    recvtypes, comm, request
                ))
            },
            Width::Int,
            RequestSlot::new(request),
            || {
                if staged {
                    let n = partners(comm)?;
                    return staged_traffic(
                        recvbuf,
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )?,
                    );
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| {
                        Ok(w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )?
                        .behind(base))
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l, r| {
                plain::MPI_Ialltoallw(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    r,
                )
            },
        )
    }
}

/// `MPI_Neighbor_allgatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_allgatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_allgatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_allgatherv_x", comm);
        call.exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            || {
                neighbour_traffic(
                    comm,
                    |n| Ok(repeated(n, sendcount, sendtype)),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype),
                )
            },
            |l| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                }
            },
        )
    }
}

/// `MPI_Ineighbor_allgatherv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ineighbor_allgatherv_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ineighbor_allgatherv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ineighbor_allgatherv_x", comm);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| Ok(repeated(n, sendcount, sendtype)),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype),
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Ialltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                } else {
                    plain::MPI_Ineighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Neighbor_alltoallv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoallv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoallv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_alltoallv_x", comm);
        call.exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            || {
                neighbour_traffic(
                    comm,
                    |n| v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                }
            },
        )
    }
}

/// `MPI_Ineighbor_alltoallv` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ineighbor_alltoallv_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ineighbor_alltoallv it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ineighbor_alltoallv_x", comm);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Ialltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                } else {
                    plain::MPI_Ineighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Neighbor_alltoallw` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoallw_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoallw it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_alltoallw_x", comm);
        call.exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            || {
                neighbour_traffic(
                    comm,
                    |n| {
                        w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                    )
                }
            },
        )
    }
}

/// `MPI_Ineighbor_alltoallw` with counts and displacements past 2^31.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @param[out] request     to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-3.1, 7.6)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Ineighbor_alltoallw_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Ineighbor_alltoallw it owes this call.
    unsafe {
        let call = on_comm("MPIX_Ineighbor_alltoallw_x", comm);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| {
                        w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Ialltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                } else {
                    plain::MPI_Ineighbor_alltoallw(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Bcast_init` with a count past 2^31, as one item of a large type. Persistent: started by
/// plain MPI_Start. All ranks pass one count.
///
/// @param[in] buffer    items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @param[in] info      hints, or MPI_INFO_NULL
/// @param[out] request   to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Bcast_init_x(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Bcast_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Bcast_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.ibcast(
            Comm::new(comm),
            root,
            side(count, datatype),
            address(buffer),
            RequestSlot::new(request),
            |n, t| plain::MPI_Bcast_init(buffer, n, t, root, comm, info, request),
            |l, r| {
                plain::MPI_Alltoallw_init(
                    bottom(),
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    buffer,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Gather_init` with counts past 2^31, as one item of a large type each. Persistent: started
/// by plain MPI_Start.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Gather_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Gather_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Gather_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                let in_place = is_in_place(sendbuf);
                let from = if in_place { no_send() } else { sendbuf };
                let to = if is_root(comm, root) { recvbuf } else { no_receive() };
                let own =
                    Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
                let all = |n| blocks(n, recvcount, recvtype);
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || vector::gather(Comm::new(comm), root, in_place, own, all),
                    |l, r| {
                        plain::MPI_Alltoallw_init(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            info,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || gathered(comm, root, is_in_place(sendbuf)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Gather_init(sendbuf, n, t, recvbuf, m, u, root, comm, info, request)
            },
        )
    }
}

/// `MPI_Scatter_init` with counts past 2^31, as one item of a large type each. Persistent: started
/// by plain MPI_Start.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] root       rank of the root
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scatter_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scatter_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Scatter_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                let in_place = is_in_place(recvbuf);
                let from = if is_root(comm, root) { sendbuf } else { no_send() };
                let to = if in_place { no_receive() } else { recvbuf };
                let own =
                    Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
                let all = |n| blocks(n, sendcount, sendtype);
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || vector::scatter(Comm::new(comm), root, in_place, own, all),
                    |l, r| {
                        plain::MPI_Alltoallw_init(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            to,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            info,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || scattered(comm, root, is_in_place(recvbuf)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Scatter_init(sendbuf, n, t, recvbuf, m, u, root, comm, info, request)
            },
        )
    }
}

/// `MPI_Allgather_init` with counts past 2^31, as one item of a large type each. Persistent:
/// started by plain MPI_Start.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allgather_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allgather_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Allgather_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                let in_place = is_in_place(sendbuf);
                let from = if in_place { bottom() } else { sendbuf };
                let own =
                    Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
                let all = |n| blocks(n, recvcount, recvtype);
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || {
                        vector::allgather(
                            Comm::new(comm),
                            in_place.then(|| address(recvbuf)),
                            own,
                            all,
                        )
                    },
                    |l, r| {
                        plain::MPI_Alltoallw_init(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            recvbuf,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            info,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Allgather_init(sendbuf, n, t, recvbuf, m, u, comm, info, request)
            },
        )
    }
}

/// `MPI_Alltoall_init` with counts past 2^31, as one item of a large type each. Persistent: started
/// by plain MPI_Start.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoall_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoall_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Alltoall_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                let in_place = is_in_place(sendbuf);
                let staged = in_place;
                let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    Width::Int,
                    RequestSlot::new(request),
                    || {
                        if staged {
                            return Err(no_copies());
                        }
                        all_traffic(
                            comm,
                            in_place,
                            |n| Ok(blocks(n, sendcount, sendtype)?.behind(base)),
                            |n| blocks(n, recvcount, recvtype),
                        )
                    },
                    |l, r| {
                        plain::MPI_Alltoallw_init(
                            from,
                            l.send.counts.as_ptr(),
                            l.send.displacements.as_ptr().cast(),
                            l.send.datatypes.as_ptr().cast(),
                            recvbuf,
                            l.receive.counts.as_ptr(),
                            l.receive.displacements.as_ptr().cast(),
                            l.receive.datatypes.as_ptr().cast(),
                            comm,
                            info,
                            r,
                        )
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((!is_in_place(sendbuf), true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Alltoall_init(sendbuf, n, t, recvbuf, m, u, comm, info, request)
            },
        )
    }
}

/// `MPI_Neighbor_allgather_init` with counts past 2^31, as one item of a large type each.
/// Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_allgather_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_allgather_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_allgather_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    neighbour_width(),
                    RequestSlot::new(request),
                    || {
                        neighbour_traffic(
                            comm,
                            |n| Ok(repeated(n, sendcount, sendtype)),
                            |n| blocks(n, recvcount, recvtype),
                        )
                    },
                    |l, r| {
                        if NEIGHBOURS_BY_RANK {
                            plain::MPI_Alltoallw_init(
                                sendbuf,
                                l.send.counts.as_ptr(),
                                l.send.displacements.as_ptr().cast(),
                                l.send.datatypes.as_ptr().cast(),
                                recvbuf,
                                l.receive.counts.as_ptr(),
                                l.receive.displacements.as_ptr().cast(),
                                l.receive.datatypes.as_ptr().cast(),
                                comm,
                                info,
                                r,
                            )
                        } else {
                            plain::MPI_Neighbor_alltoallw_init(
                                sendbuf,
                                l.send.counts.as_ptr(),
                                l.send.wide_displacements.as_ptr().cast(),
                                l.send.datatypes.as_ptr().cast(),
                                recvbuf,
                                l.receive.counts.as_ptr(),
                                l.receive.wide_displacements.as_ptr().cast(),
                                l.receive.datatypes.as_ptr().cast(),
                                comm,
                                info,
                                r,
                            )
                        }
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Neighbor_allgather_init(
                    sendbuf, n, t, recvbuf, m, u, comm, info, request,
                )
            },
        )
    }
}

/// `MPI_Neighbor_alltoall_init` with counts past 2^31, as one item of a large type each.
/// Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf    items to send
/// @param[in] sendcount  number of items sent
/// @param[in] sendtype   type of the items sent
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] recvtype   type of the items received
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoall_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoall_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_alltoall_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        if call.persistent_by_parts() {
            return {
                call.start_exchange(
                    Family::GuardedVector,
                    no_large_call,
                    neighbour_width(),
                    RequestSlot::new(request),
                    || {
                        neighbour_traffic(
                            comm,
                            |n| blocks(n, sendcount, sendtype),
                            |n| blocks(n, recvcount, recvtype),
                        )
                    },
                    |l, r| {
                        if NEIGHBOURS_BY_RANK {
                            plain::MPI_Alltoallw_init(
                                sendbuf,
                                l.send.counts.as_ptr(),
                                l.send.displacements.as_ptr().cast(),
                                l.send.datatypes.as_ptr().cast(),
                                recvbuf,
                                l.receive.counts.as_ptr(),
                                l.receive.displacements.as_ptr().cast(),
                                l.receive.datatypes.as_ptr().cast(),
                                comm,
                                info,
                                r,
                            )
                        } else {
                            plain::MPI_Neighbor_alltoallw_init(
                                sendbuf,
                                l.send.counts.as_ptr(),
                                l.send.wide_displacements.as_ptr().cast(),
                                l.send.datatypes.as_ptr().cast(),
                                recvbuf,
                                l.receive.counts.as_ptr(),
                                l.receive.wide_displacements.as_ptr().cast(),
                                l.receive.datatypes.as_ptr().cast(),
                                comm,
                                info,
                                r,
                            )
                        }
                    },
                )
            };
        }
        call.two(
            Family::OtherMovement,
            side(sendcount, sendtype),
            side(recvcount, recvtype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Neighbor_alltoall_init(sendbuf, n, t, recvbuf, m, u, comm, info, request)
            },
        )
    }
}

/// `MPI_Reduce_init` with a count past 2^31. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] root      rank of the root
/// @param[in] comm      the communicator
/// @param[in] info      hints, or MPI_INFO_NULL
/// @param[out] request   to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Reduce_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            quirks::IREDUCE_REORDERS_BY_SIZE,
            move || {
                large_call!(plain::MPI_Reduce_init_c(
                    sendbuf, recvbuf, count, datatype, op, root, comm, info, request
                ))
            },
            move |n, t, o| {
                plain::MPI_Reduce_init(sendbuf, recvbuf, n, t, o, root, comm, info, request)
            },
        )
    }
}

/// `MPI_Allreduce_init` with a count past 2^31. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[in] info      hints, or MPI_INFO_NULL
/// @param[out] request   to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allreduce_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allreduce_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Allreduce_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Allreduce_init_c(
                    sendbuf, recvbuf, count, datatype, op, comm, info, request
                ))
            },
            move |n, t, o| {
                plain::MPI_Allreduce_init(sendbuf, recvbuf, n, t, o, comm, info, request)
            },
        )
    }
}

/// `MPI_Scan_init` with a count past 2^31. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[in] info      hints, or MPI_INFO_NULL
/// @param[out] request   to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scan_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scan_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Scan_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Scan_init_c(
                    sendbuf, recvbuf, count, datatype, op, comm, info, request
                ))
            },
            move |n, t, o| plain::MPI_Scan_init(sendbuf, recvbuf, n, t, o, comm, info, request),
        )
    }
}

/// `MPI_Exscan_init` with a count past 2^31. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf   items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf   room for the items received
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[in] op        predefined or user-defined operation
/// @param[in] comm      the communicator
/// @param[in] info      hints, or MPI_INFO_NULL
/// @param[out] request   to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Exscan_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Exscan_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Exscan_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.ireduction(
            count,
            Datatype::new(datatype),
            Op::new(op),
            false,
            move || {
                large_call!(plain::MPI_Exscan_init_c(
                    sendbuf, recvbuf, count, datatype, op, comm, info, request
                ))
            },
            move |n, t, o| plain::MPI_Exscan_init(sendbuf, recvbuf, n, t, o, comm, info, request),
        )
    }
}

/// `MPI_Reduce_scatter_block_init` with counts whose sum is past 2^31: an error where this would be
/// several operations. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf    items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf    room for the items received
/// @param[in] recvcount  number of items received
/// @param[in] datatype   type of the items
/// @param[in] op         predefined or user-defined operation
/// @param[in] comm       the communicator
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[out] request    to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_scatter_block_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_scatter_block_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Reduce_scatter_block_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.reduce_scatter_init(
            || Ok(Counts::Alike { count: recvcount, ranks: group_size(comm)? }),
            |_| {
                plain::MPI_Reduce_scatter_block_init(
                    sendbuf,
                    recvbuf,
                    narrow(recvcount),
                    datatype,
                    op,
                    comm,
                    info,
                    request,
                )
            },
            move || {
                large_call!(plain::MPI_Reduce_scatter_block_init_c(
                    sendbuf, recvbuf, recvcount, datatype, op, comm, info, request
                ))
            },
        )
    }
}

/// `MPI_Reduce_scatter_init` with counts whose sum is past 2^31: an error where this would be
/// several operations. Persistent: started by plain MPI_Start.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] datatype    type of the items
/// @param[in] op          predefined or user-defined operation
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Reduce_scatter_init_x(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Reduce_scatter_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Reduce_scatter_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.reduce_scatter_init(
            || counts("recvcounts", recvcounts, group_size(comm)?),
            |c| {
                plain::MPI_Reduce_scatter_init(
                    sendbuf,
                    recvbuf,
                    c.as_ptr(),
                    datatype,
                    op,
                    comm,
                    info,
                    request,
                )
            },
            move || {
                large_call!(plain::MPI_Reduce_scatter_init_c(
                    sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request
                ))
            },
        )
    }
}

/// `MPI_Gatherv_init` with counts and displacements past 2^31. Persistent: started by plain
/// MPI_Start.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Gatherv_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Gatherv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Gatherv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        let in_place = is_in_place(sendbuf);
        let from = if in_place { no_send() } else { sendbuf };
        let to = if is_root(comm, root) { recvbuf } else { no_receive() };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            Width::Int,
            RequestSlot::new(request),
            || vector::gather(Comm::new(comm), root, in_place, own, all),
            |l, r| {
                plain::MPI_Alltoallw_init(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Scatterv_init` with counts and displacements past 2^31. Persistent: started by plain
/// MPI_Start.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received; MPI_IN_PLACE as in MPI
/// @param[in] recvcount   number of items received
/// @param[in] recvtype    type of the items received
/// @param[in] root        rank of the root
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Scatterv_init_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Scatterv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Scatterv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        let in_place = is_in_place(recvbuf);
        let from = if is_root(comm, root) { sendbuf } else { no_send() };
        let to = if in_place { no_receive() } else { recvbuf };
        let own = Part { count: recvcount, displacement: 0, datatype: Datatype::new(recvtype) };
        let all = |n| v_parts(n, ("sendcounts", sendcounts), ("displs", displs), sendtype);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            Width::Int,
            RequestSlot::new(request),
            || vector::scatter(Comm::new(comm), root, in_place, own, all),
            |l, r| {
                plain::MPI_Alltoallw_init(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    to,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Allgatherv_init` with counts and displacements past 2^31. Persistent: started by plain
/// MPI_Start.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Allgatherv_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Allgatherv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Allgatherv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        let in_place = is_in_place(sendbuf);
        let from = if in_place { bottom() } else { sendbuf };
        let own = Part { count: sendcount, displacement: 0, datatype: Datatype::new(sendtype) };
        let all = |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype);
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            Width::Int,
            RequestSlot::new(request),
            || vector::allgather(Comm::new(comm), in_place.then(|| address(recvbuf)), own, all),
            |l, r| {
                plain::MPI_Alltoallw_init(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Alltoallv_init` with counts and displacements past 2^31. Persistent: started by plain
/// MPI_Start. Not in place: every start would need copies.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoallv_init_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoallv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Alltoallv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        let in_place = is_in_place(sendbuf);
        let staged = in_place;
        let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            Width::Int,
            RequestSlot::new(request),
            || {
                if staged {
                    return Err(no_copies());
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| {
                        Ok(v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype)?
                            .behind(base))
                    },
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l, r| {
                plain::MPI_Alltoallw_init(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Alltoallw_init` with counts and displacements past 2^31. Persistent: started by plain
/// MPI_Start. Not in place: every start would need copies.
///
/// @param[in] sendbuf     items to send; MPI_IN_PLACE as in MPI
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Alltoallw_init_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Alltoallw_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Alltoallw_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        let in_place = is_in_place(sendbuf);
        let staged = in_place;
        let (from, base) = if staged { (bottom(), 0) } else { apart(sendbuf, recvbuf) };
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            Width::Int,
            RequestSlot::new(request),
            || {
                if staged {
                    return Err(no_copies());
                }
                all_traffic(
                    comm,
                    in_place,
                    |n| {
                        Ok(w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )?
                        .behind(base))
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l, r| {
                plain::MPI_Alltoallw_init(
                    from,
                    l.send.counts.as_ptr(),
                    l.send.displacements.as_ptr().cast(),
                    l.send.datatypes.as_ptr().cast(),
                    recvbuf,
                    l.receive.counts.as_ptr(),
                    l.receive.displacements.as_ptr().cast(),
                    l.receive.datatypes.as_ptr().cast(),
                    comm,
                    info,
                    r,
                )
            },
        )
    }
}

/// `MPI_Neighbor_allgatherv_init` with counts and displacements past 2^31. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcount   number of items sent
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] displs      where each partner's items begin, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_allgatherv_init_x(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_allgatherv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_allgatherv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| Ok(repeated(n, sendcount, sendtype)),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("displs", displs), recvtype),
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Neighbor_alltoallv_init` with counts and displacements past 2^31. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in items
/// @param[in] sendtype    type of the items sent
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in items
/// @param[in] recvtype    type of the items received
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoallv_init_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoallv_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_alltoallv_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| v_parts(n, ("sendcounts", sendcounts), ("sdispls", sdispls), sendtype),
                    |n| v_parts(n, ("recvcounts", recvcounts), ("rdispls", rdispls), recvtype),
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Neighbor_alltoallw_init` with counts and displacements past 2^31. Persistent: started by
/// plain MPI_Start.
///
/// @param[in] sendbuf     items to send
/// @param[in] sendcounts  items for each partner
/// @param[in] sdispls     where they begin in `sendbuf`, in bytes
/// @param[in] sendtypes   types of the items for each partner
/// @param[out] recvbuf     room for the items received
/// @param[in] recvcounts  items of each partner
/// @param[in] rdispls     where they begin in `recvbuf`, in bytes
/// @param[in] recvtypes   types of the items of each partner
/// @param[in] comm        the communicator
/// @param[in] info        hints, or MPI_INFO_NULL
/// @param[out] request     to be started by plain MPI_Start
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the communicator (MPI-4.0, 6.13 and 8.8)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Neighbor_alltoallw_init_x(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Neighbor_alltoallw_init it owes this call.
    unsafe {
        let call = on_comm("MPIX_Neighbor_alltoallw_init_x", comm);
        let call = match call.persistent() {
            Ok(call) => call,
            Err(code) => return code,
        };
        call.start_exchange(
            Family::GuardedVector,
            no_large_call,
            neighbour_width(),
            RequestSlot::new(request),
            || {
                neighbour_traffic(
                    comm,
                    |n| {
                        w_parts(
                            n,
                            ("sendcounts", sendcounts),
                            ("sdispls", sdispls),
                            ("sendtypes", sendtypes),
                        )
                    },
                    |n| {
                        w_parts(
                            n,
                            ("recvcounts", recvcounts),
                            ("rdispls", rdispls),
                            ("recvtypes", recvtypes),
                        )
                    },
                )
            },
            |l, r| {
                if NEIGHBOURS_BY_RANK {
                    plain::MPI_Alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                } else {
                    plain::MPI_Neighbor_alltoallw_init(
                        sendbuf,
                        l.send.counts.as_ptr(),
                        l.send.wide_displacements.as_ptr().cast(),
                        l.send.datatypes.as_ptr().cast(),
                        recvbuf,
                        l.receive.counts.as_ptr(),
                        l.receive.wide_displacements.as_ptr().cast(),
                        l.receive.datatypes.as_ptr().cast(),
                        comm,
                        info,
                        r,
                    )
                }
            },
        )
    }
}

/// `MPI_Put` with counts past 2^31, as one item of a large type each.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] win              the window
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Put_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    // SAFETY: what the caller owes MPI_Put it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(origin_count), small(target_count)) {
            return plain::MPI_Put(
                origin_addr,
                n,
                origin_datatype,
                target_rank,
                target_disp,
                m,
                target_datatype,
                win,
            );
        }
        let call = on_win("MPIX_Put_x", win);
        call.two(
            Family::PutGet,
            side(origin_count, origin_datatype),
            side(target_count, target_datatype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Put(origin_addr, n, t, target_rank, target_disp, m, u, win)
            },
        )
    }
}

/// `MPI_Get` with counts past 2^31, as one item of a large type each.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] win              the window
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Get_x(
    origin_addr: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> c_int {
    // SAFETY: what the caller owes MPI_Get it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(origin_count), small(target_count)) {
            return plain::MPI_Get(
                origin_addr,
                n,
                origin_datatype,
                target_rank,
                target_disp,
                m,
                target_datatype,
                win,
            );
        }
        let call = on_win("MPIX_Get_x", win);
        call.two(
            Family::PutGet,
            side(origin_count, origin_datatype),
            side(target_count, target_datatype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Get(origin_addr, n, t, target_rank, target_disp, m, u, win)
            },
        )
    }
}

/// `MPI_Rput` with counts past 2^31, as one item of a large type each.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] win              the window
/// @param[out] request          to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Rput_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Rput it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(origin_count), small(target_count)) {
            return plain::MPI_Rput(
                origin_addr,
                n,
                origin_datatype,
                target_rank,
                target_disp,
                m,
                target_datatype,
                win,
                request,
            );
        }
        let call = on_win("MPIX_Rput_x", win);
        call.two(
            Family::PutGet,
            side(origin_count, origin_datatype),
            side(target_count, target_datatype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Rput(origin_addr, n, t, target_rank, target_disp, m, u, win, request)
            },
        )
    }
}

/// `MPI_Rget` with counts past 2^31, as one item of a large type each.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] win              the window
/// @param[out] request          to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Rget_x(
    origin_addr: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Rget it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(origin_count), small(target_count)) {
            return plain::MPI_Rget(
                origin_addr,
                n,
                origin_datatype,
                target_rank,
                target_disp,
                m,
                target_datatype,
                win,
                request,
            );
        }
        let call = on_win("MPIX_Rget_x", win);
        call.two(
            Family::PutGet,
            side(origin_count, origin_datatype),
            side(target_count, target_datatype),
            || Ok((true, true)),
            no_large_call,
            move |n, t, m, u| {
                plain::MPI_Rget(origin_addr, n, t, target_rank, target_disp, m, u, win, request)
            },
        )
    }
}

/// `MPI_Accumulate` with counts past 2^31, in pieces of at most 64 MiB, each of which is atomic as
/// MPI's are.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] op               predefined or user-defined operation
/// @param[in] win              the window
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Accumulate_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    // SAFETY: what the caller owes MPI_Accumulate it owes this call.
    unsafe {
        if let (Some(n), Some(m)) = (small(origin_count), small(target_count)) {
            return plain::MPI_Accumulate(
                origin_addr,
                n,
                origin_datatype,
                target_rank,
                target_disp,
                m,
                target_datatype,
                op,
                win,
            );
        }
        let call = on_win("MPIX_Accumulate_x", win);
        let buffers = Buffers {
            origin: Some(side(origin_count, origin_datatype)),
            result: None,
            target: side(target_count, target_datatype),
        };
        call.accumulate(buffers, |p| {
            plain::MPI_Accumulate(
                shift(origin_addr, p.origin.0),
                p.origin.1,
                origin_datatype,
                target_rank,
                target_disp,
                p.target.0,
                p.target.1,
                op,
                win,
            )
        })
    }
}

/// `MPI_Get_accumulate` with counts past 2^31, in pieces of at most 64 MiB, each of which is atomic
/// as MPI's are.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[out] result_addr      room for the target's items as they were
/// @param[in] result_count     number of items in `result_addr`
/// @param[in] result_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] op               predefined or user-defined operation
/// @param[in] win              the window
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Get_accumulate_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    // SAFETY: what the caller owes MPI_Get_accumulate it owes this call.
    unsafe {
        if let (Some(n), Some(m), Some(k)) =
            (small(origin_count), small(result_count), small(target_count))
        {
            return plain::MPI_Get_accumulate(
                origin_addr,
                n,
                origin_datatype,
                result_addr,
                m,
                result_datatype,
                target_rank,
                target_disp,
                k,
                target_datatype,
                op,
                win,
            );
        }
        let call = on_win("MPIX_Get_accumulate_x", win);
        let buffers = Buffers {
            origin: (Op::new(op) != Op::no_op()).then(|| side(origin_count, origin_datatype)),
            result: Some(side(result_count, result_datatype)),
            target: side(target_count, target_datatype),
        };
        call.accumulate(buffers, |p| {
            plain::MPI_Get_accumulate(
                shift(origin_addr, p.origin.0),
                p.origin.1,
                origin_datatype,
                shift_mut(result_addr, p.result.0),
                p.result.1,
                result_datatype,
                target_rank,
                target_disp,
                p.target.0,
                p.target.1,
                op,
                win,
            )
        })
    }
}

/// `MPI_Raccumulate` with counts past 2^31, in pieces of at most 64 MiB, each of which is atomic as
/// MPI's are.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] op               predefined or user-defined operation
/// @param[in] win              the window
/// @param[out] request          to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Raccumulate_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Raccumulate it owes this call.
    unsafe {
        let call = on_win("MPIX_Raccumulate_x", win);
        let buffers = Buffers {
            origin: Some(side(origin_count, origin_datatype)),
            result: None,
            target: side(target_count, target_datatype),
        };
        call.raccumulate(
            buffers,
            RequestSlot::new(request),
            |p| {
                plain::MPI_Raccumulate(
                    shift(origin_addr, p.origin.0),
                    p.origin.1,
                    origin_datatype,
                    target_rank,
                    target_disp,
                    p.target.0,
                    p.target.1,
                    op,
                    win,
                    request,
                )
            },
            |p, r| {
                plain::MPI_Raccumulate(
                    shift(origin_addr, p.origin.0),
                    p.origin.1,
                    origin_datatype,
                    target_rank,
                    target_disp,
                    p.target.0,
                    p.target.1,
                    op,
                    win,
                    r,
                )
            },
        )
    }
}

/// `MPI_Rget_accumulate` with counts past 2^31, in pieces of at most 64 MiB, each of which is
/// atomic as MPI's are.
///
/// @param[in] origin_addr      items here
/// @param[in] origin_count     number of items here
/// @param[in] origin_datatype  their type
/// @param[out] result_addr      room for the target's items as they were
/// @param[in] result_count     number of items in `result_addr`
/// @param[in] result_datatype  their type
/// @param[in] target_rank      rank whose window is accessed
/// @param[in] target_disp      where, in the target's displacement unit
/// @param[in] target_count     number of items there
/// @param[in] target_datatype  their type
/// @param[in] op               predefined or user-defined operation
/// @param[in] win              the window
/// @param[out] request          to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 11.3.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Rget_accumulate_x(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: MPI_Count,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_Rget_accumulate it owes this call.
    unsafe {
        let call = on_win("MPIX_Rget_accumulate_x", win);
        let buffers = Buffers {
            origin: (Op::new(op) != Op::no_op()).then(|| side(origin_count, origin_datatype)),
            result: Some(side(result_count, result_datatype)),
            target: side(target_count, target_datatype),
        };
        call.raccumulate(
            buffers,
            RequestSlot::new(request),
            |p| {
                plain::MPI_Rget_accumulate(
                    shift(origin_addr, p.origin.0),
                    p.origin.1,
                    origin_datatype,
                    shift_mut(result_addr, p.result.0),
                    p.result.1,
                    result_datatype,
                    target_rank,
                    target_disp,
                    p.target.0,
                    p.target.1,
                    op,
                    win,
                    request,
                )
            },
            |p, r| {
                plain::MPI_Rget_accumulate(
                    shift(origin_addr, p.origin.0),
                    p.origin.1,
                    origin_datatype,
                    shift_mut(result_addr, p.result.0),
                    p.result.1,
                    result_datatype,
                    target_rank,
                    target_disp,
                    p.target.0,
                    p.target.1,
                    op,
                    win,
                    r,
                )
            },
        )
    }
}

/// `MPI_File_read` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_write` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_at` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_at_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_at it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_at(fh, offset, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_at_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_at(fh, offset, buf, n, t, status)
        })
    }
}

/// `MPI_File_write_at` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_at_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_at it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_at(fh, offset, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_at_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_at(fh, offset, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_shared` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_shared_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_shared it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_shared(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_shared_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_shared(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_write_shared` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_shared_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_shared it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_shared(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_shared_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_shared(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_all_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_all it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_all(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_all_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_all(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_write_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_all_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_all it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_all(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_all_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_all(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_at_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_at_all_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_at_all it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_at_all(fh, offset, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_at_all_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_at_all(fh, offset, buf, n, t, status)
        })
    }
}

/// `MPI_File_write_at_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_at_all_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_at_all it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_at_all(fh, offset, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_at_all_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_at_all(fh, offset, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_ordered` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_ordered_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_ordered it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_ordered(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_read_ordered_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_ordered(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_write_ordered` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] status    what was received or moved; MPI_STATUS_IGNORE allowed
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_ordered_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_ordered it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_ordered(fh, buf, n, datatype, status);
        }
        let call = on_file("MPIX_File_write_ordered_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_ordered(fh, buf, n, t, status)
        })
    }
}

/// `MPI_File_read_all_begin` with a count past 2^31, as one item of a large type. Ended by MPI's
/// own call.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_all_begin_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_all_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_all_begin(fh, buf, n, datatype);
        }
        let call = on_file("MPIX_File_read_all_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_all_begin(fh, buf, n, t)
        })
    }
}

/// `MPI_File_write_all_begin` with a count past 2^31, as one item of a large type. Ended by MPI's
/// own call.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_all_begin_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_all_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_all_begin(fh, buf, n, datatype);
        }
        let call = on_file("MPIX_File_write_all_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_all_begin(fh, buf, n, t)
        })
    }
}

/// `MPI_File_read_at_all_begin` with a count past 2^31, as one item of a large type. Ended by MPI's
/// own call.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_at_all_begin_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_at_all_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_at_all_begin(fh, offset, buf, n, datatype);
        }
        let call = on_file("MPIX_File_read_at_all_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_at_all_begin(fh, offset, buf, n, t)
        })
    }
}

/// `MPI_File_write_at_all_begin` with a count past 2^31, as one item of a large type. Ended by
/// MPI's own call.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_at_all_begin_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_at_all_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_at_all_begin(fh, offset, buf, n, datatype);
        }
        let call = on_file("MPIX_File_write_at_all_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_at_all_begin(fh, offset, buf, n, t)
        })
    }
}

/// `MPI_File_read_ordered_begin` with a count past 2^31, as one item of a large type. Ended by
/// MPI's own call.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_read_ordered_begin_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_read_ordered_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_read_ordered_begin(fh, buf, n, datatype);
        }
        let call = on_file("MPIX_File_read_ordered_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_read_ordered_begin(fh, buf, n, t)
        })
    }
}

/// `MPI_File_write_ordered_begin` with a count past 2^31, as one item of a large type. Ended by
/// MPI's own call.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_write_ordered_begin_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_write_ordered_begin it owes this call.
    unsafe {
        if let Some(n) = small(count) {
            return plain::MPI_File_write_ordered_begin(fh, buf, n, datatype);
        }
        let call = on_file("MPIX_File_write_ordered_begin_x", fh);
        call.one(Family::File, side(count, datatype), no_large_call, move |n, t| {
            plain::MPI_File_write_ordered_begin(fh, buf, n, t)
        })
    }
}

/// `MPI_File_iread` with a count past 2^31, in pieces of at most 1 GiB behind one request.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iread_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iread it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iread_x", fh);
        call.file_pieces(
            File::new(fh),
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iread(fh, buf, n, datatype, request),
            |bytes, _, n, r| plain::MPI_File_iread(fh, shift_mut(buf, bytes), n, datatype, r),
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_read(fh, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}

/// `MPI_File_iwrite` with a count past 2^31, in pieces of at most 1 GiB behind one request.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iwrite_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iwrite it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iwrite_x", fh);
        call.file_pieces(
            File::new(fh),
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iwrite(fh, buf, n, datatype, request),
            |bytes, _, n, r| plain::MPI_File_iwrite(fh, shift(buf, bytes), n, datatype, r),
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_write(fh, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}

/// `MPI_File_iread_at` with a count past 2^31, in pieces of at most 1 GiB behind one request.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iread_at_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iread_at it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iread_at_x", fh);
        call.file_pieces(
            File::new(fh),
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iread_at(fh, offset, buf, n, datatype, request),
            |bytes, units, n, r| {
                plain::MPI_File_iread_at(
                    fh,
                    offset + MPI_Offset::from(units),
                    shift_mut(buf, bytes),
                    n,
                    datatype,
                    r,
                )
            },
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_read_at(fh, offset, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}

/// `MPI_File_iwrite_at` with a count past 2^31, in pieces of at most 1 GiB behind one request.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iwrite_at_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iwrite_at it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iwrite_at_x", fh);
        call.file_pieces(
            File::new(fh),
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iwrite_at(fh, offset, buf, n, datatype, request),
            |bytes, units, n, r| {
                plain::MPI_File_iwrite_at(
                    fh,
                    offset + MPI_Offset::from(units),
                    shift(buf, bytes),
                    n,
                    datatype,
                    r,
                )
            },
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_write_at(fh, offset, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}

/// `MPI_File_iread_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iread_all_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iread_all it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iread_all_x", fh);
        call.file_all(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iread_all(fh, buf, n, datatype, request),
            |n, t, r| plain::MPI_File_iread_all(fh, buf, n, t, r),
        )
    }
}

/// `MPI_File_iwrite_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iwrite_all_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iwrite_all it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iwrite_all_x", fh);
        call.file_all(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iwrite_all(fh, buf, n, datatype, request),
            |n, t, r| plain::MPI_File_iwrite_all(fh, buf, n, t, r),
        )
    }
}

/// `MPI_File_iread_at_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iread_at_all_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iread_at_all it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iread_at_all_x", fh);
        call.file_all(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iread_at_all(fh, offset, buf, n, datatype, request),
            |n, t, r| plain::MPI_File_iread_at_all(fh, offset, buf, n, t, r),
        )
    }
}

/// `MPI_File_iwrite_at_all` with a count past 2^31, as one item of a large type.
///
/// @param[in] fh        the file
/// @param[in] offset    where to begin, in elementary types of the view
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Collective over the file's communicator (MPI-3.1, 13.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iwrite_at_all_x(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iwrite_at_all it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iwrite_at_all_x", fh);
        call.file_all(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iwrite_at_all(fh, offset, buf, n, datatype, request),
            |n, t, r| plain::MPI_File_iwrite_at_all(fh, offset, buf, n, t, r),
        )
    }
}

/// `MPI_File_iread_shared` with a count past 2^31: then the access is done on return, since pieces
/// would let those of other ranks in between.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iread_shared_x(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iread_shared it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iread_shared_x", fh);
        call.file_shared(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iread_shared(fh, buf, n, datatype, request),
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_read_shared(fh, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}

/// `MPI_File_iwrite_shared` with a count past 2^31: then the access is done on return, since pieces
/// would let those of other ranks in between.
///
/// @param[in] fh        the file
/// @param[in] buf       items of `datatype`
/// @param[in] count     number of items
/// @param[in] datatype  type of the items
/// @param[out] request   to be completed by plain MPI_Wait or MPI_Test
/// @return MPI_SUCCESS or an error's code, raised as MPI raises its own
/// Local (MPI-3.1, 13.4.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_File_iwrite_shared_x(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: what the caller owes MPI_File_iwrite_shared it owes this call.
    unsafe {
        let call = on_file("MPIX_File_iwrite_shared_x", fh);
        call.file_shared(
            side(count, datatype),
            RequestSlot::new(request),
            |n| plain::MPI_File_iwrite_shared(fh, buf, n, datatype, request),
            |n, t, group| {
                let mut status = Status::default();
                let code = plain::MPI_File_write_shared(fh, buf, n, t, status.as_mut_ptr());
                group.done(&status);
                code
            },
        )
    }
}
