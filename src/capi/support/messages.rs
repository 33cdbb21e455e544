//! What the calls of point to point share: how MPI makes those that the library leaves to it.

pub use super::packing::{
    pack, pack_external, pack_external_size, pack_size, unpack, unpack_external,
};

use super::arguments::null;
use super::calls::{Return, dispatched, dispatched_message, mpi_call};
use super::large;
use super::persistent::{kept, message_again};
use super::tools::{self, Use, tool_of};
use crate::ampi::argument::both_passive;
use crate::ampi::dispatch;
use crate::ampi::message::{self, Route};
use crate::ampi::request::{self, Request};
use crate::datatype::{BufferTriple, is_passive_message};
use crate::foreign::Tool;
use crate::mpi::message::{Envelope, Message, Mode};
use crate::mpi::raw::{
    self, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Message, MPI_Request, MPI_Status,
};
use crate::mpi::{Comm, Datatype, StatusSlot, twins};
use crate::trace::Link;
use std::ffi::{c_int, c_void};

type Send = unsafe fn(*const c_void, MPI_Count, MPI_Datatype, c_int, c_int, MPI_Comm) -> c_int;

type SendRequest = unsafe fn(
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

impl Sending {
    const fn new(mode: &'static Mode, send: Send, start: SendRequest, init: SendRequest) -> Self {
        Self { mode, send, start, init }
    }
}

pub const STANDARD: Sending =
    Sending::new(&Mode::STANDARD, large::send, large::isend, large::send_init);
pub const BUFFERED: Sending =
    Sending::new(&Mode::BUFFERED, large::bsend, large::ibsend, large::bsend_init);
pub const SYNCHRONOUS: Sending =
    Sending::new(&Mode::SYNCHRONOUS, large::ssend, large::issend, large::ssend_init);
pub const READY: Sending =
    Sending::new(&Mode::READY, large::rsend, large::irsend, large::rsend_init);

/// What a trace is told of a message before it is known what it holds: bytes as they lie in memory.
fn link(data: &BufferTriple, with: Envelope) -> Link {
    let extent = data.datatype().extent().map_or(0, |(_, extent)| extent.unsigned_abs());
    Link { peer: with.peer, tag: with.tag, bytes: extent * data.items() as u64 }
}

/// Whether MPI is to send it: also packed bytes without anything active among them.
#[inline(always)]
fn is_left_to_mpi(data: &BufferTriple) -> bool {
    let datatype = data.datatype();
    datatype != Datatype::active_double()
        && (is_passive_message(datatype) || (data.is_packed() && !data.holds_units()))
}

/// # Safety
/// Here and below: as MPI has it for the call of that name.
#[inline(always)]
pub unsafe fn send(
    name: &str,
    call_form: &Sending,
    data: BufferTriple,
    to: Envelope,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    if let Some(tool) = tool_of(&data) {
        // SAFETY: handed on; so below.
        return unsafe { send_variables(name, call_form, tool, &data, to, comm, end) };
    }
    let (buf, count, datatype) = data.parts();
    // SAFETY: handed on; so below.
    let passive = |request| unsafe {
        let (now, begin) = (call_form.send, call_form.start);
        twins!(request, now, begin, buf, count, datatype, to.peer, to.tag, comm)
    };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = is_left_to_mpi(&data);
    let library = |blocking| dispatch::send(is_left, &data, to, on, call_form.mode, blocking);
    // SAFETY: as above.
    unsafe { dispatched_message(name, on, end, is_left, library, passive, || link(&data, to)) }
}

/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn send_variables(
    name: &str,
    call_form: &Sending,
    tool: &'static Tool,
    data: &BufferTriple,
    to: Envelope,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        tools::call(
            name,
            Comm::new(comm),
            end,
            tool,
            |call| call.buffer(c"buf", data, Use::Read),
            |data, end| send(name, call_form, *data, to, comm, end),
        )
    }
}

/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn irecv_variables(
    name: &str,
    tool: &'static Tool,
    data: &BufferTriple,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        tools::call(
            name,
            Comm::new(comm),
            Return::AtOnce(place),
            tool,
            |call| call.buffer(c"buf", data, Use::Written),
            |data, end| irecv(name, *data, from, comm, request_of(end)),
        )
    }
}

/// Where a call that returns at once puts its request.
const fn request_of(end: Return) -> *mut *mut Request {
    match end {
        Return::WhenDone => std::ptr::null_mut(),
        Return::AtOnce(place) => place,
    }
}

/// Of the buffers of a message each way, of which one may not be there.
fn tool_of_exchange(send: &BufferTriple, receive: &BufferTriple) -> Option<&'static Tool> {
    let of = |data: &BufferTriple| if data.is_in_place() { None } else { tool_of(data) };
    of(send).or_else(|| of(receive))
}

/// # Safety
/// As above.
pub unsafe fn send_init(
    name: &'static str,
    call_form: &'static Sending,
    data: BufferTriple,
    to: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    if tool_of(&data).is_none() {
        // SAFETY: handed on.
        let code = unsafe { send_init_once(name, call_form, &data, to, comm, place) };
        if code != raw::SUCCESS || !call_form.mode.once {
            return code;
        }
        // The arguments are right. SAFETY: the call has written a live request there, or the null handle.
        let Some(first) = (unsafe { place.read().as_mut() }) else { return code };
        // SAFETY: which is nobody else's.
        let mut first = Some(unsafe { Box::from_raw(first) });
        match mpi_call(name, Comm::world(), || request::free(&mut first)) {
            raw::SUCCESS => {}
            code => return code,
        }
    }
    // SAFETY: as above.
    unsafe {
        let (buf, count, datatype) = data.parts();
        let datatype = kept(datatype, true);
        message_again(name, comm, place, move |place| {
            let data = BufferTriple::new(buf, count, datatype.raw());
            send(name, call_form, data, to, comm, Return::AtOnce(place))
        })
    }
}

/// # Safety
/// As above.
#[inline(always)]
unsafe fn send_init_once(
    name: &str,
    call_form: &Sending,
    data: &BufferTriple,
    to: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |handle| unsafe {
        (call_form.init)(buf, count, datatype, to.peer, to.tag, comm, started(handle))
    };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::send_init(is_left, data, to, on, call_form.mode);
    // SAFETY: as above.
    let code = unsafe {
        dispatched_message(name, on, Return::AtOnce(place), is_left, library, passive, || {
            link(data, to)
        })
    };
    if is_left && code == raw::SUCCESS {
        // SAFETY: the call has written a live request there, or the null handle.
        unsafe { (*place).as_mut() }.into_iter().for_each(|request| request.watch(data));
    }
    code
}

/// Makes MPI's persistent request of passive data on a communicator of the library's; returns MPI's code.
pub type Native = unsafe fn(&BufferTriple, &Route, *mut MPI_Request) -> c_int;

/// That of a send.
///
/// # Safety
/// As MPI's contract says.
pub unsafe fn native_send(data: &BufferTriple, route: &Route, request: *mut MPI_Request) -> c_int {
    let ((buf, n, datatype), Envelope { peer, tag }) = (data.parts(), route.with);
    // SAFETY: the caller's promise.
    unsafe { large::send_init(buf, n, datatype, peer, tag, route.comm.raw(), request) }
}

/// That of a receive.
///
/// # Safety
/// As MPI's contract says.
pub unsafe fn native_receive(
    data: &BufferTriple,
    route: &Route,
    request: *mut MPI_Request,
) -> c_int {
    let ((buf, n, datatype), Envelope { peer, tag }) = (data.parts(), route.with);
    // SAFETY: the caller's promise.
    unsafe { large::recv_init(buf, n, datatype, peer, tag, route.comm.raw(), request) }
}

/// Where a call that starts puts its request.
const fn started(place: Option<*mut MPI_Request>) -> *mut MPI_Request {
    place.expect("a call with a request")
}

/// # Safety
/// As above.
#[inline(always)]
pub unsafe fn recv(
    name: &str,
    data: BufferTriple,
    from: Envelope,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::new(comm),
                Return::WhenDone,
                tool,
                |call| call.buffer(c"buf", &data, Use::Written),
                |data, _| recv(name, *data, from, comm, status),
            )
        };
    }
    let ((buf, count, datatype), Envelope { peer, tag }) = (data.parts(), from);
    // SAFETY: as above.
    let passive = |_| unsafe { large::recv(buf, count, datatype, peer, tag, comm, status) };
    // SAFETY: as above.
    let (on, mut place) = unsafe { (Comm::new(comm), StatusSlot::new(status)) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::recv(is_left, &data, from, on, &mut place);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::WhenDone, is_left, library, passive, || {
            link(&data, from)
        })
    }
}

/// # Safety
/// As above.
#[inline(always)]
pub unsafe fn irecv(
    name: &str,
    data: BufferTriple,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above; so below.
        return unsafe { irecv_variables(name, tool, &data, from, comm, place) };
    }
    let ((buf, count, datatype), Envelope { peer, tag }) = (data.parts(), from);
    // SAFETY: as above.
    let passive =
        |handle| unsafe { large::irecv(buf, count, datatype, peer, tag, comm, started(handle)) };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::irecv(is_left, &data, from, on);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::AtOnce(place), is_left, library, passive, || {
            link(&data, from)
        })
    }
}

/// # Safety
/// As above.
pub unsafe fn recv_init(
    name: &'static str,
    data: BufferTriple,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    if tool_of(&data).is_some() {
        // SAFETY: as above; so below.
        return unsafe {
            let (buf, count, datatype) = data.parts();
            let datatype = kept(datatype, true);
            message_again(name, comm, place, move |place| {
                let data = BufferTriple::new(buf, count, datatype.raw());
                irecv(name, data, from, comm, place)
            })
        };
    }
    let ((buf, count, datatype), Envelope { peer, tag }) = (data.parts(), from);
    // SAFETY: as above.
    let passive = |handle| unsafe {
        large::recv_init(buf, count, datatype, peer, tag, comm, started(handle))
    };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::recv_init(is_left, &data, from, on);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::AtOnce(place), is_left, library, passive, || {
            link(&data, from)
        })
    }
}

/// # Safety
/// As above.
pub unsafe fn sendrecv(
    name: &str,
    (send, to): (BufferTriple, Envelope),
    (receive, from): (BufferTriple, Envelope),
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    if let Some(tool) = tool_of_exchange(&send, &receive) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::new(comm),
                Return::WhenDone,
                tool,
                |call| {
                    let send = call.buffer(c"sendbuf", &send, Use::Read)?;
                    Ok((send, call.buffer(c"recvbuf", &receive, Use::Written)?))
                },
                |&(send, receive), _| sendrecv(name, (send, to), (receive, from), comm, status),
            )
        };
    }
    let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
    // SAFETY: as above.
    let passive = |_| unsafe {
        large::sendrecv(out, n, t, to.peer, to.tag, room, m, u, from.peer, from.tag, comm, status)
    };
    // SAFETY: as above.
    let (on, mut place) = unsafe { (Comm::new(comm), StatusSlot::new(status)) };
    let is_left = both_passive(&send, &receive);
    let library = |_| dispatch::sendrecv(is_left, (&send, to), (&receive, from), on, &mut place);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::WhenDone, is_left, library, passive, || {
            link(&send, to)
        })
    }
}

/// # Safety
/// As above.
pub unsafe fn sendrecv_replace(
    name: &str,
    data: BufferTriple,
    to: Envelope,
    from: Envelope,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::new(comm),
                Return::WhenDone,
                tool,
                |call| call.buffer(c"buf", &data, Use::Both),
                |data, _| sendrecv_replace(name, *data, to, from, comm, status),
            )
        };
    }
    let (buf, n, t) = data.parts();
    // SAFETY: as above.
    let passive = |_| unsafe {
        large::sendrecv_replace(buf, n, t, to.peer, to.tag, from.peer, from.tag, comm, status)
    };
    // SAFETY: as above.
    let (on, mut place) = unsafe { (Comm::new(comm), StatusSlot::new(status)) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::sendrecv_replace(is_left, &data, to, from, on, &mut place);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::WhenDone, is_left, library, passive, || {
            link(&data, to)
        })
    }
}

/// # Safety
/// As above.
pub unsafe fn isendrecv(
    name: &str,
    (send, to): (BufferTriple, Envelope),
    (receive, from): (BufferTriple, Envelope),
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    if let Some(tool) = tool_of_exchange(&send, &receive) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::new(comm),
                Return::AtOnce(place),
                tool,
                |call| {
                    let send = call.buffer(c"sendbuf", &send, Use::Read)?;
                    Ok((send, call.buffer(c"recvbuf", &receive, Use::Written)?))
                },
                |&(send, receive), end| {
                    isendrecv(name, (send, to), (receive, from), comm, request_of(end))
                },
            )
        };
    }
    let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (to, from, request) = ((to.peer, to.tag), (from.peer, from.tag), started(request));
        large::isendrecv(out, n, t, to.0, to.1, room, m, u, from.0, from.1, comm, request)
    };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = both_passive(&send, &receive);
    let library = |_| dispatch::isendrecv(is_left, (&send, to), (&receive, from), on);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::AtOnce(place), is_left, library, passive, || {
            link(&send, to)
        })
    }
}

/// # Safety
/// As above.
pub unsafe fn isendrecv_replace(
    name: &str,
    data: BufferTriple,
    to: Envelope,
    from: Envelope,
    comm: MPI_Comm,
    place: *mut *mut Request,
) -> c_int {
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::new(comm),
                Return::AtOnce(place),
                tool,
                |call| call.buffer(c"buf", &data, Use::Both),
                |data, end| isendrecv_replace(name, *data, to, from, comm, request_of(end)),
            )
        };
    }
    let (buf, n, t) = data.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (to, from) = ((to.peer, to.tag), (from.peer, from.tag));
        large::isendrecv_replace(buf, n, t, to.0, to.1, from.0, from.1, comm, started(request))
    };
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let is_left = is_passive_message(data.datatype());
    let library = |_| dispatch::isendrecv(is_left, (&data, to), (&data, from), on);
    // SAFETY: as above.
    unsafe {
        dispatched_message(name, on, Return::AtOnce(place), is_left, library, passive, || {
            link(&data, to)
        })
    }
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

/// A matched message, and the communicator that it came by, where errors are raised.
///
/// # Safety
/// As above.
unsafe fn matched<'a>(name: &str, handle: *mut MPI_Message) -> Result<(Message<'a>, Comm), c_int> {
    // SAFETY: as above.
    let Some(handle) = (unsafe { handle.as_mut() }) else {
        return Err(mpi_call(name, Comm::world(), || Err(null("message").into())));
    };
    // SAFETY: as above.
    let message = unsafe { Message::new(handle) };
    let on = message::comm_of(&message);
    Ok((message, on))
}

/// # Safety
/// As above.
pub unsafe fn mrecv(
    name: &str,
    data: BufferTriple,
    handle: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as above.
    let (message, on) = match unsafe { matched(name, handle) } {
        Ok(matched) => matched,
        Err(code) => return code,
    };
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above.
        return unsafe {
            tools::call(
                name,
                on,
                Return::WhenDone,
                tool,
                |call| call.buffer(c"buf", &data, Use::Written),
                |data, _| mrecv(name, *data, handle, status),
            )
        };
    }
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive = |_| unsafe { large::mrecv(buf, count, datatype, handle, status) };
    // SAFETY: as above.
    let mut place = unsafe { StatusSlot::new(status) };
    // SAFETY: as above.
    unsafe {
        dispatched(
            name,
            on,
            Return::WhenDone,
            |_| dispatch::mrecv(&data, message, &mut place),
            passive,
        )
    }
}

/// # Safety
/// As above.
pub unsafe fn imrecv(
    name: &str,
    data: BufferTriple,
    handle: *mut MPI_Message,
    place: *mut *mut Request,
) -> c_int {
    // SAFETY: as above.
    let (message, on) = match unsafe { matched(name, handle) } {
        Ok(matched) => matched,
        Err(code) => return code,
    };
    if let Some(tool) = tool_of(&data) {
        // SAFETY: as above.
        return unsafe {
            tools::call(
                name,
                on,
                Return::AtOnce(place),
                tool,
                |call| call.buffer(c"buf", &data, Use::Written),
                |data, end| imrecv(name, *data, handle, request_of(end)),
            )
        };
    }
    let (buf, count, datatype) = data.parts();
    // SAFETY: as above.
    let passive =
        |request| unsafe { large::imrecv(buf, count, datatype, handle, started(request)) };
    let library = |_| dispatch::imrecv(&data, message, on);
    // SAFETY: as above.
    unsafe { dispatched(name, on, Return::AtOnce(place), library, passive) }
}
