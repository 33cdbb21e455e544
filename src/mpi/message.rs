//! Point to point with doubles: with whom, in which mode, and messages that a probe has matched.

use super::handles::HandleKey;
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Message, MPI_Request};
use super::{Comm, Doubles, MpiResult, Readable, Status, Writable, check, ffi, quirks};
use std::ffi::{c_int, c_void};

/// Whom a message goes to or comes from, and its tag.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    pub peer: c_int,
    pub tag: c_int,
}

impl Envelope {
    pub const fn new(peer: c_int, tag: c_int) -> Self {
        Self { peer, tag }
    }
}

/// A blocking send.
pub type Send = unsafe extern "C-unwind" fn(
    *const c_void,
    c_int,
    MPI_Datatype,
    c_int,
    c_int,
    MPI_Comm,
) -> c_int;

/// A send that makes a request.
pub type SendRequest = unsafe extern "C-unwind" fn(
    *const c_void,
    c_int,
    MPI_Datatype,
    c_int,
    c_int,
    MPI_Comm,
    *mut MPI_Request,
) -> c_int;

/// A receive that makes a request.
pub type ReceiveRequest = unsafe extern "C-unwind" fn(
    *mut c_void,
    c_int,
    MPI_Datatype,
    c_int,
    c_int,
    MPI_Comm,
    *mut MPI_Request,
) -> c_int;

/// A mode of sending: its calls.
#[derive(Debug)]
pub struct Mode {
    pub send: Send,
    pub start: SendRequest,
    pub init: SendRequest,
    /// A persistent request can be started once only.
    pub once: bool,
}

impl Mode {
    pub const STANDARD: Self =
        Self { send: raw::MPI_Send, start: raw::MPI_Isend, init: ffi::MPI_Send_init, once: false };
    pub const BUFFERED: Self = Self {
        send: ffi::MPI_Bsend,
        start: ffi::MPI_Ibsend,
        init: ffi::MPI_Bsend_init,
        once: quirks::BSEND_INIT_STARTS_ONCE,
    };
    pub const SYNCHRONOUS: Self = Self {
        send: ffi::MPI_Ssend,
        start: ffi::MPI_Issend,
        init: ffi::MPI_Ssend_init,
        once: false,
    };
    pub const READY: Self = Self {
        send: ffi::MPI_Rsend,
        start: ffi::MPI_Irsend,
        init: ffi::MPI_Rsend_init,
        once: false,
    };
}

#[inline]
pub fn send<'a>(
    comm: Comm,
    data: impl Into<Readable<'a>>,
    items: &Doubles,
    to: Envelope,
    mode: &Mode,
) -> MpiResult<()> {
    let (from, count, datatype) = data.into().0.items(items);
    // SAFETY: a place that holds the items, as just checked.
    check(unsafe { (mode.send)(from, count, datatype, to.peer, to.tag, comm.raw()) })
}

#[inline]
pub fn receive<'a>(
    comm: Comm,
    room: impl Into<Writable<'a>>,
    items: &Doubles,
    from: Envelope,
) -> MpiResult<Status> {
    let mut status = Status::default();
    let (to, count, datatype) = room.into().0.items(items);
    let Envelope { peer, tag } = from;
    // SAFETY: a place with room for the items, as just checked.
    check(unsafe {
        raw::MPI_Recv(to, count, datatype, peer, tag, comm.raw(), status.as_mut_ptr())
    })?;
    Ok(status)
}

/// The two halves of a Sendrecv: a message out, room for one in.
pub struct Exchange<'a> {
    pub data: Readable<'a>,
    pub sent: &'a Doubles,
    pub to: Envelope,
    pub room: Writable<'a>,
    pub wanted: &'a Doubles,
    pub from: Envelope,
}

pub fn sendrecv(comm: Comm, exchange: Exchange<'_>) -> MpiResult<Status> {
    let mut status = Status::default();
    let Exchange { data, sent, to, room, wanted, from } = exchange;
    let ((data, sent, sent_type), (room, wanted, wanted_type)) =
        (data.0.items(sent), room.0.items(wanted));
    // SAFETY: a place to read and one to write, which do not overlap and hold the items.
    check(unsafe {
        raw::MPI_Sendrecv(
            data,
            sent,
            sent_type,
            to.peer,
            to.tag,
            room,
            wanted,
            wanted_type,
            from.peer,
            from.tag,
            comm.raw(),
            status.as_mut_ptr(),
        )
    })?;
    Ok(status)
}

/// Whether a message waits on `comm`.
pub fn probe(comm: Comm, from: Envelope) -> MpiResult<Option<Status>> {
    let mut flag = 0;
    let mut status = Status::default();
    // SAFETY: a live communicator and places for the answers.
    check(unsafe {
        raw::MPI_Iprobe(from.peer, from.tag, comm.raw(), &mut flag, status.as_mut_ptr())
    })?;
    Ok((flag != 0).then_some(status))
}

/// A message that a probe has matched: the user's handle, which means one message until it is received.
pub struct Message<'a>(&'a mut MPI_Message);

impl<'a> Message<'a> {
    /// # Safety
    /// The handle comes from a probe of MPI and has not been received.
    pub const unsafe fn new(handle: &'a mut MPI_Message) -> Self {
        Self(handle)
    }

    /// What a probe of `MPI_PROC_NULL` matches.
    pub fn is_from_nobody(&self) -> bool {
        // SAFETY: constant data of the shim of mpi-sys.
        *self.0 == unsafe { mpi_sys::RSMPI_MESSAGE_NO_PROC }
    }

    /// The number behind the handle, for tables keyed by it.
    pub fn key(&self) -> usize {
        self.0.0.key()
    }

    /// For a call that receives the message.
    pub const fn place(&mut self) -> *mut MPI_Message {
        std::ptr::from_mut(self.0)
    }

    pub fn receive<'b>(
        &mut self,
        room: impl Into<Writable<'b>>,
        items: &Doubles,
    ) -> MpiResult<Status> {
        let mut status = Status::default();
        let (to, count, datatype) = room.into().0.items(items);
        // SAFETY: a matched message, and a place with room for the items.
        check(unsafe { ffi::MPI_Mrecv(to, count, datatype, self.place(), status.as_mut_ptr()) })?;
        Ok(status)
    }
}
