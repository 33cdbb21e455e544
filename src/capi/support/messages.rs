//! What the calls of point to point share: passive data goes straight to MPI, active data to the tape.

use super::super::large;
use super::{hand_out, mpi_call, refused, start};
use crate::ampi::argument::both_passive;
use crate::ampi::request::Request;
use crate::ampi::{bytes, message};
use crate::datatype::is_passive;
use crate::mpi::message::{Envelope, Message, Mode};
use crate::mpi::raw::{
    self, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Message, MPI_Request, MPI_Status,
};
use crate::mpi::{Argument, Comm, Outcome, StatusSlot};
use std::ffi::{c_int, c_void};

type Send = unsafe extern "C-unwind" fn(
    *const c_void,
    MPI_Count,
    MPI_Datatype,
    c_int,
    c_int,
    MPI_Comm,
) -> c_int;

type SendRequest = unsafe extern "C-unwind" fn(
    *const c_void,
    MPI_Count,
    MPI_Datatype,
    c_int,
    c_int,
    MPI_Comm,
    *mut MPI_Request,
) -> c_int;

/// A mode of sending, and its calls for passive data, which go straight to MPI where the count is small.
pub struct Sending {
    mode: &'static Mode,
    send: Send,
    start: SendRequest,
    init: SendRequest,
}

pub const STANDARD: Sending = Sending {
    mode: &Mode::STANDARD,
    send: large::MPIX_Send_x,
    start: large::MPIX_Isend_x,
    init: large::MPIX_Send_init_x,
};
pub const BUFFERED: Sending = Sending {
    mode: &Mode::BUFFERED,
    send: large::MPIX_Bsend_x,
    start: large::MPIX_Ibsend_x,
    init: large::MPIX_Bsend_init_x,
};
pub const SYNCHRONOUS: Sending = Sending {
    mode: &Mode::SYNCHRONOUS,
    send: large::MPIX_Ssend_x,
    start: large::MPIX_Issend_x,
    init: large::MPIX_Ssend_init_x,
};
pub const READY: Sending = Sending {
    mode: &Mode::READY,
    send: large::MPIX_Rsend_x,
    start: large::MPIX_Irsend_x,
    init: large::MPIX_Rsend_init_x,
};

/// # Safety
/// Here and below: as MPI has it for the call of that name.
pub unsafe fn send(
    name: &str,
    how: &Sending,
    data: Argument,
    to: Envelope,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: handed on; so below.
    let on = unsafe { Comm::new(comm) };
    if is_passive(data.datatype()) {
        let (buf, count, datatype) = data.parts();
        return refused(name, on, || bytes::none_in(&data)).unwrap_or_else(|| {
            // SAFETY: as above.
            unsafe { (how.send)(buf, count, datatype, to.peer, to.tag, comm) }
        });
    }
    mpi_call(name, on, || message::send(&data, to, on, how.mode))
}

/// # Safety
/// As above.
pub unsafe fn recv(
    name: &str,
    data: Argument,
    from: Envelope,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    if is_passive(data.datatype()) {
        let (buf, count, datatype) = data.parts();
        let Envelope { peer, tag } = from;
        // SAFETY: as above.
        return unsafe { large::MPIX_Recv_x(buf, count, datatype, peer, tag, comm, status) };
    }
    // SAFETY: as above.
    let (on, mut place) = unsafe { (Comm::new(comm), StatusSlot::new(status)) };
    mpi_call(name, on, || message::recv(&data, from, on).map(|status| place.set(&status)))
}

/// # Safety
/// As above.
pub unsafe fn sendrecv(
    name: &str,
    (send, to): (Argument, Envelope),
    (receive, from): (Argument, Envelope),
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if both_passive(&send, &receive) {
        let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
        return refused(name, on, || bytes::none_in(&send)).unwrap_or_else(|| {
            // SAFETY: as above.
            unsafe {
                large::MPIX_Sendrecv_x(
                    out, n, t, to.peer, to.tag, room, m, u, from.peer, from.tag, comm, status,
                )
            }
        });
    }
    // SAFETY: as above.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call(name, on, || {
        message::sendrecv(&send, to, &receive, from, on).map(|status| place.set(&status))
    })
}

/// # Safety
/// As above.
pub unsafe fn sendrecv_replace(
    name: &str,
    data: Argument,
    to: Envelope,
    from: Envelope,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if is_passive(data.datatype()) {
        let (buf, count, datatype) = data.parts();
        return refused(name, on, || bytes::none_in(&data)).unwrap_or_else(|| {
            // SAFETY: as above.
            unsafe {
                large::MPIX_Sendrecv_replace_x(
                    buf, count, datatype, to.peer, to.tag, from.peer, from.tag, comm, status,
                )
            }
        });
    }
    // SAFETY: as above.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call(name, on, || {
        message::sendrecv_replace(&data, to, from, on).map(|status| place.set(&status))
    })
}

/// A call that makes a request: `passive` by MPI, `active` by the library.
///
/// # Safety
/// As above.
unsafe fn request(
    name: &str,
    data: &Argument,
    comm: MPI_Comm,
    place: *mut *mut Request,
    passive: impl FnOnce(*mut MPI_Request) -> c_int,
    active: impl FnOnce(Comm) -> Outcome<Box<Request>>,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if is_passive(data.datatype()) {
        // SAFETY: as above.
        return unsafe { start(name, place, on, passive) };
    }
    // SAFETY: as above.
    mpi_call(name, on, || unsafe { hand_out(place, || active(on)) })
}

/// # Safety
/// As above.
pub unsafe fn isend(
    name: &str,
    how: &Sending,
    data: Argument,
    to: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive =
        |handle| unsafe { (how.start)(buf, count, datatype, to.peer, to.tag, comm, handle) };
    let active = |on| Request::send(&data, to, on, how.mode);
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if is_passive(data.datatype())
        && let Some(code) = refused(name, on, || bytes::none_in(&data))
    {
        return code;
    }
    // SAFETY: as above.
    unsafe { request(name, &data, comm, place, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn send_init(
    name: &str,
    how: &Sending,
    data: Argument,
    to: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive =
        |handle| unsafe { (how.init)(buf, count, datatype, to.peer, to.tag, comm, handle) };
    let active = |on| Request::send_init(&data, to, on, how.mode);
    // SAFETY: as above.
    unsafe { request(name, &data, comm, place, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn irecv(
    name: &str,
    data: Argument,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |handle| unsafe {
        large::MPIX_Irecv_x(buf, count, datatype, from.peer, from.tag, comm, handle)
    };
    let active = |on| Request::receive(&data, from, on);
    // SAFETY: as above.
    unsafe { request(name, &data, comm, place, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn recv_init(
    name: &str,
    data: Argument,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |handle| unsafe {
        large::MPIX_Recv_init_x(buf, count, datatype, from.peer, from.tag, comm, handle)
    };
    let active = |on| Request::receive_init(&data, from, on);
    // SAFETY: as above.
    unsafe { request(name, &data, comm, place, passive, active) }
}

/// The books of a probe that has succeeded, and found something if `found` says so.
///
/// # Safety
/// As above.
pub unsafe fn probed(
    name: &str,
    code: c_int,
    found: bool,
    comm: MPI_Comm,
    handle: *mut MPI_Message,
) -> c_int {
    if code != raw::SUCCESS || !found {
        return code;
    }
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    mpi_call(name, on, || {
        // SAFETY: MPI has written the handle.
        message::matched(&unsafe { Message::new(&mut *handle) }, on);
        Ok(())
    })
}

/// A call that receives a matched message: `passive` by MPI, `active` by the library, which raises errors on the
/// communicator that the message came by.
///
/// # Safety
/// As above.
unsafe fn matched(
    name: &str,
    data: &Argument,
    handle: *mut MPI_Message,
    passive: impl FnOnce(Comm) -> c_int,
    active: impl FnOnce(Message<'_>, Comm) -> c_int,
) -> c_int {
    // SAFETY: as above.
    let Some(handle) = (unsafe { handle.as_mut() }) else {
        return mpi_call(name, Comm::world(), || Err(super::null("message").into()));
    };
    // SAFETY: as above.
    let message = unsafe { Message::new(handle) };
    let on = message::comm_of(&message);
    if is_passive(data.datatype()) {
        message::give_up(&message);
        return passive(on);
    }
    active(message, on)
}

/// # Safety
/// As above.
pub unsafe fn mrecv(
    name: &str,
    data: Argument,
    handle: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |_| unsafe { large::MPIX_Mrecv_x(buf, count, datatype, handle, status) };
    // SAFETY: as above.
    let mut place = unsafe { StatusSlot::new(status) };
    let active = |mut message: Message<'_>, on| {
        mpi_call(name, on, || message::mrecv(&data, &mut message).map(|status| place.set(&status)))
    };
    // SAFETY: as above.
    unsafe { matched(name, &data, handle, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn imrecv(
    name: &str,
    data: Argument,
    handle: *mut MPI_Message,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |on| unsafe {
        start(name, place, on, |request| {
            large::MPIX_Imrecv_x(buf, count, datatype, handle, request)
        })
    };
    let active = |mut message: Message<'_>, on| {
        mpi_call(name, on, || {
            // SAFETY: as above.
            unsafe { hand_out(place, || Request::receive_matched(&data, &mut message, on)) }
        })
    };
    // SAFETY: as above.
    unsafe { matched(name, &data, handle, passive, active) }
}
