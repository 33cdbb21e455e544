//! What the collectives share: how MPI makes those that the library leaves to it, for counts of one kind or another.

use super::super::large_arguments::narrow;
use super::calls::{Return, dispatched};
use super::large;
use super::tools::{self, Use, degrees, members, partners, rank, sides, tool_of_many};
use crate::ampi::argument::Many;
use crate::ampi::builtin_op::Extent;
use crate::ampi::dispatch::{self, Operands};
use crate::ampi::{neighbor, reduce_local, reduction, scan};
use crate::datatype::{
    Arguments, BufferTriple, Counts, Lists, Pieces, Types, Wide, foreign_tool, has_tools,
};
use crate::foreign::Tool;
use crate::large::defects;
use crate::mpi::raw::{MPI_Comm, MPI_Datatype, MPI_Op};
use crate::mpi::{Comm, Datatype, Op, ffi, is_in_place, twins};
use std::ffi::{c_int, c_void};

/// So many items for each rank.
///
/// # Safety
/// As for `BufferTriple::new`.
pub unsafe fn each(pointer: *const c_void, count: impl Into<i64>, datatype: MPI_Datatype) -> Many {
    // SAFETY: handed on.
    Many::Each(unsafe { BufferTriple::new(pointer, count, datatype) })
}

/// A count and a displacement for each rank.
///
/// # Safety
/// As for `Arguments::new`.
pub const unsafe fn list(pointer: *const c_void, lists: Lists, datatype: MPI_Datatype) -> Many {
    // SAFETY: handed on.
    Many::List(unsafe { Arguments::new(pointer, lists, Types::One(Datatype::new(datatype))) })
}

/// A count, a displacement and a datatype for each rank.
///
/// # Safety
/// As for `Arguments::new`.
pub const unsafe fn list_of_types(
    pointer: *const c_void,
    lists: Lists,
    datatypes: *const MPI_Datatype,
) -> Many {
    // SAFETY: handed on.
    Many::List(unsafe { Arguments::new(pointer, lists, Types::Each(datatypes)) })
}

/// # Safety
/// Here and below: as MPI has it for the call of that name.
pub unsafe fn bcast(
    name: &str,
    data: BufferTriple,
    root: c_int,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: handed on.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tools::tool_of(&data).filter(|_| sides(on, root) != (false, false)) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let inter = sides(on, root);
                    let used = if inter.0 { Use::Read } else { Use::Written };
                    call.buffer(c"buffer", &data, used)
                },
                |data, end| bcast(name, *data, root, comm, end),
            )
        };
    }
    let (buffer, n, t) = data.parts();
    // SAFETY: handed on; so below.
    let passive =
        |request| unsafe { twins!(request, large::bcast, large::ibcast, buffer, n, t, root, comm) };
    let library = |call_form| dispatch::bcast(&data, root, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// No call has arrays of two kinds.
fn mixed() -> ! {
    unreachable!("the arrays of a call are of one kind")
}

/// The call with counts on both sides that takes what the arrays hold: its two ways for each.
macro_rules! by_lists {
    ($request:expr, ($out:expr, $from:expr, $t:expr), ($room:expr, $into:expr, $u:expr), $comm:expr, {
        $($lists:ident $types:ident => $now:expr, $begin:expr;)+
    }) => {
        match (($from, $t), ($into, $u)) {
            $(((Lists::$lists(n, at), Types::$types(t)), (Lists::$lists(m, to), Types::$types(u))) => {
                let (t, u) = (by_lists!($types t), by_lists!($types u));
                twins!($request, $now, $begin, $out, n, at, t, $room, m, to, u, $comm)
            })+
            _ => mixed(),
        }
    };
    (One $datatype:ident) => {
        $datatype.raw()
    };
    (Each $datatypes:ident) => {
        $datatypes
    };
}

/// # Safety
/// As above.
pub unsafe fn gather(
    name: &str,
    send: BufferTriple,
    receive: Many,
    root: c_int,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_rooted(on, root, &send, &receive) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let (at_root, others) = sides(on, root);
                    let in_place = others && send.is_in_place();
                    let send = match others {
                        true => call.buffer_or_in_place(c"sendbuf", &send, Use::Read)?,
                        false => send.under_active(),
                    };
                    let used = if in_place { Use::Both } else { Use::Written };
                    let receive = match at_root {
                        true => call.many(c"recvbuf", &receive, partners(on), used)?,
                        false => receive.under_active(),
                    };
                    Ok((send, receive))
                },
                |&(send, receive), end| gather(name, send, receive, root, comm, end),
            )
        };
    }
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let (now, begin) = (large::gather, large::igather);
                twins!(request, now, begin, out, n, t, room, m, u, root, comm)
            }
            Many::List(receive) => {
                let ((room, lists, u), mut wide) = (receive.parts(), Wide::default());
                let Types::One(u) = u else { mixed() };
                let wrong = || defects::gatherv(Comm::new(comm), root, request.is_none());
                match lists.widened_where(wrong, &mut wide) {
                    Lists::Int(m, at) => {
                        let (now, begin, n) = (ffi::MPI_Gatherv, ffi::MPI_Igatherv, narrow(n));
                        twins!(request, now, begin, out, n, t, room, m, at, u.raw(), root, comm)
                    }
                    Lists::Large(m, at) => {
                        let (now, begin) = (large::gatherv, large::igatherv);
                        twins!(request, now, begin, out, n, t, room, m, at, u.raw(), root, comm)
                    }
                    Lists::Addresses(..) => mixed(),
                }
            }
        }
    };
    let library = |call_form| dispatch::gather(&send, &receive, root, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn scatter(
    name: &str,
    send: Many,
    receive: BufferTriple,
    root: c_int,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_rooted(on, root, &receive, &send) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let (at_root, others) = sides(on, root);
                    let send = match at_root {
                        true => call.many(c"sendbuf", &send, partners(on), Use::Read)?,
                        false => send.under_active(),
                    };
                    let receive = match others {
                        true => call.buffer_or_in_place(c"recvbuf", &receive, Use::Written)?,
                        false => receive.under_active(),
                    };
                    Ok((send, receive))
                },
                |&(send, receive), end| scatter(name, send, receive, root, comm, end),
            )
        };
    }
    let (room, m, u) = receive.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &send {
            Many::Each(send) => {
                let (out, n, t) = send.parts();
                let (now, begin) = (large::scatter, large::iscatter);
                twins!(request, now, begin, out, n, t, room, m, u, root, comm)
            }
            Many::List(send) => {
                let ((out, lists, t), mut wide) = (send.parts(), Wide::default());
                let Types::One(t) = t else { mixed() };
                let wrong = || defects::gatherv(Comm::new(comm), root, request.is_none());
                match lists.widened_where(wrong, &mut wide) {
                    Lists::Int(n, at) => {
                        let (now, begin, m) = (ffi::MPI_Scatterv, ffi::MPI_Iscatterv, narrow(m));
                        twins!(request, now, begin, out, n, at, t.raw(), room, m, u, root, comm)
                    }
                    Lists::Large(n, at) => {
                        let (now, begin) = (large::scatterv, large::iscatterv);
                        twins!(request, now, begin, out, n, at, t.raw(), room, m, u, root, comm)
                    }
                    Lists::Addresses(..) => mixed(),
                }
            }
        }
    };
    let library = |call_form| dispatch::scatter(name, &send, &receive, root, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn allgather(
    name: &str,
    send: BufferTriple,
    receive: Many,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_many(on, &[(&Many::Each(send), true), (&receive, true)]) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let used = if send.is_in_place() { Use::Both } else { Use::Written };
                    let send = call.buffer_or_in_place(c"sendbuf", &send, Use::Read)?;
                    Ok((send, call.many(c"recvbuf", &receive, partners(on), used)?))
                },
                |&(send, receive), end| allgather(name, send, receive, comm, end),
            )
        };
    }
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let (now, begin) = (large::allgather, large::iallgather);
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            Many::List(receive) => {
                let ((room, lists, u), mut wide) = (receive.parts(), Wide::default());
                let Types::One(u) = u else { mixed() };
                let (on, blocks) = (Comm::new(comm), request.is_none());
                let wrong = || defects::allgatherv(on, u, blocks, |ranks| lists.items(ranks));
                match lists.widened_where(wrong, &mut wide) {
                    Lists::Int(m, at) => {
                        let (now, begin) = (ffi::MPI_Allgatherv, ffi::MPI_Iallgatherv);
                        twins!(request, now, begin, out, narrow(n), t, room, m, at, u.raw(), comm)
                    }
                    Lists::Large(m, at) => {
                        let (now, begin) = (large::allgatherv, large::iallgatherv);
                        twins!(request, now, begin, out, n, t, room, m, at, u.raw(), comm)
                    }
                    Lists::Addresses(..) => mixed(),
                }
            }
        }
    };
    let library = |call_form| dispatch::allgather(name, &send, &receive, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn alltoall(
    name: &str,
    send: Many,
    receive: Many,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_many(on, &[(&send, true), (&receive, true)]) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let used = if send.is_in_place() { Use::Both } else { Use::Written };
                    let send = call.many(c"sendbuf", &send, partners(on), Use::Read)?;
                    Ok((send, call.many(c"recvbuf", &receive, partners(on), used)?))
                },
                |&(send, receive), end| alltoall(name, send, receive, comm, end),
            )
        };
    }
    // SAFETY: as above.
    let passive = |request| unsafe {
        match (&send, &receive) {
            (Many::Each(send), Many::Each(receive)) => {
                let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
                let (now, begin) = (large::alltoall, large::ialltoall);
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            (Many::List(send), Many::List(receive)) => {
                let ((out, from, t), (room, into, u)) = (send.parts(), receive.parts());
                let (on, in_place) = (Comm::new(comm), is_in_place(out));
                let wrong = || match t {
                    Types::One(_) => defects::alltoall(on, in_place),
                    Types::Each(_) => defects::alltoallw(on, in_place, request.is_none()),
                };
                let (mut sent, mut received) = (Wide::default(), Wide::default());
                let none_in_place = || if in_place { wrong().map(|_| 0) } else { wrong() };
                let from = from.widened_where(none_in_place, &mut sent);
                let into = into.widened_where(wrong, &mut received);
                by_lists!(request, (out, from, t), (room, into, u), comm, {
                    Int One => ffi::MPI_Alltoallv, ffi::MPI_Ialltoallv;
                    Large One => large::alltoallv, large::ialltoallv;
                    Int Each => ffi::MPI_Alltoallw, ffi::MPI_Ialltoallw;
                    Large Each => large::alltoallw, large::ialltoallw;
                })
            }
            _ => mixed(),
        }
    };
    let library = |call_form| dispatch::alltoall(name, &send, &receive, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn neighbor_allgather(
    name: &str,
    send: BufferTriple,
    receive: Many,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_neighbours(on, &Many::Each(send), &receive) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let send = call.buffer(c"sendbuf", &send, Use::Read)?;
                    Ok((send, call.many(c"recvbuf", &receive, degrees(on).0, Use::Written)?))
                },
                |&(send, receive), end| neighbor_allgather(name, send, receive, comm, end),
            )
        };
    }
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let now = large::neighbor_allgather;
                let begin = large::ineighbor_allgather;
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            Many::List(receive) => match receive.parts() {
                (room, Lists::Int(m, at), Types::One(u)) => {
                    let now = ffi::MPI_Neighbor_allgatherv;
                    let begin = ffi::MPI_Ineighbor_allgatherv;
                    twins!(request, now, begin, out, narrow(n), t, room, m, at, u.raw(), comm)
                }
                (room, Lists::Large(m, at), Types::One(u)) => {
                    let now = large::neighbor_allgatherv;
                    let begin = large::ineighbor_allgatherv;
                    twins!(request, now, begin, out, n, t, room, m, at, u.raw(), comm)
                }
                _ => mixed(),
            },
        }
    };
    let library = |call_form| neighbor::allgather(&send, &receive, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn neighbor_alltoall(
    name: &str,
    send: Many,
    receive: Many,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_neighbours(on, &send, &receive) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let (sources, destinations) = degrees(on);
                    let send = call.many(c"sendbuf", &send, destinations, Use::Read)?;
                    Ok((send, call.many(c"recvbuf", &receive, sources, Use::Written)?))
                },
                |&(send, receive), end| neighbor_alltoall(name, send, receive, comm, end),
            )
        };
    }
    // SAFETY: as above.
    let passive = |request| unsafe {
        match (&send, &receive) {
            (Many::Each(send), Many::Each(receive)) => {
                let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
                let now = large::neighbor_alltoall;
                let begin = large::ineighbor_alltoall;
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            (Many::List(send), Many::List(receive)) => {
                let ((out, from, t), (room, into, u)) = (send.parts(), receive.parts());
                let wrong = match from {
                    Lists::Addresses(..) => defects::neighbor_alltoallw(Comm::new(comm)),
                    _ => None,
                };
                let (mut sent, mut received) = (Wide::default(), Wide::default());
                let from = from.widened_where(|| wrong.map(|(_, n)| n), &mut sent);
                let into = into.widened_where(|| wrong.map(|(n, _)| n), &mut received);
                by_lists!(request, (out, from, t), (room, into, u), comm, {
                    Int One => ffi::MPI_Neighbor_alltoallv, ffi::MPI_Ineighbor_alltoallv;
                    Large One => large::neighbor_alltoallv, large::ineighbor_alltoallv;
                    Addresses Each => ffi::MPI_Neighbor_alltoallw, ffi::MPI_Ineighbor_alltoallw;
                    Large Each => large::neighbor_alltoallw, large::ineighbor_alltoallw;
                })
            }
            _ => mixed(),
        }
    };
    let library = |call_form| neighbor::alltoall(name, &send, &receive, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// The tool of the buffers of a call with a root, as far as they are significant here.
fn tool_of_rooted(
    comm: Comm,
    root: c_int,
    part: &BufferTriple,
    all: &Many,
) -> Option<&'static Tool> {
    if !has_tools() {
        return None;
    }
    let (at_root, others) = sides(comm, root);
    tool_of_many(comm, &[(&Many::Each(*part), others), (all, at_root)])
}

/// Of a call with buffers that have parts for neighbours.
fn tool_of_neighbours(comm: Comm, send: &Many, receive: &Many) -> Option<&'static Tool> {
    if !has_tools() {
        return None;
    }
    let (sources, destinations) = degrees(comm);
    tools::tool_of_parts(send, destinations).or_else(|| tools::tool_of_parts(receive, sources))
}

fn tool_of_operands(operands: &Operands) -> Option<&'static Tool> {
    foreign_tool(operands.send.datatype())
}

/// The two buffers of a reduction, and the operation.
///
/// # Safety
/// As for `BufferTriple::new` and `Op::new`.
pub unsafe fn operands(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: impl Into<i64>,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Operands {
    let count = count.into();
    // SAFETY: handed on.
    unsafe {
        let send = BufferTriple::new(sendbuf, count, datatype);
        Operands { send, receive: BufferTriple::new(recvbuf, count, datatype), op: Op::new(op) }
    }
}

/// As the caller passed them, for calls of MPI's.
const fn parts(operands: &Operands) -> (*mut c_void, *mut c_void, i64, MPI_Datatype, MPI_Op) {
    let ((from, n, t), (to, ..)) = (operands.send.parts(), operands.receive.parts());
    (from, to, n, t, operands.op.raw())
}

/// # Safety
/// As above.
pub unsafe fn reduce(
    name: &str,
    operands: Operands,
    root: c_int,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_operands(&operands).filter(|_| sides(on, root) != (false, false)) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| {
                    let (at_root, others) = sides(on, root);
                    if others { call.operands(&operands, at_root) } else { call.result(&operands) }
                },
                |operands, end| reduce(name, *operands, root, comm, end),
            )
        };
    }
    let (from, to, n, t, op) = parts(&operands);
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (now, begin) = (large::reduce, large::ireduce);
        twins!(request, now, begin, from, to, n, t, op, root, comm)
    };
    let library = |call_form| dispatch::reduce(&operands, root, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn allreduce(name: &str, operands: Operands, comm: MPI_Comm, end: Return) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_operands(&operands) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| call.operands(&operands, true),
                |operands, end| allreduce(name, *operands, comm, end),
            )
        };
    }
    let (from, to, n, t, op) = parts(&operands);
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (now, begin) = (large::allreduce, large::iallreduce);
        twins!(request, now, begin, from, to, n, t, op, comm)
    };
    let library = |call_form| dispatch::allreduce(&operands, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn scan(
    name: &str,
    operands: Operands,
    extent: Extent,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = tool_of_operands(&operands) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| call.operands(&operands, true),
                |operands, end| scan(name, *operands, extent, comm, end),
            )
        };
    }
    let (from, to, n, t, op) = parts(&operands);
    // SAFETY: as above.
    let passive = |request| unsafe {
        if extent == Extent::Inclusive {
            let (now, begin) = (large::scan, large::iscan);
            twins!(request, now, begin, from, to, n, t, op, comm)
        } else {
            let (now, begin) = (large::exscan, large::iexscan);
            twins!(request, now, begin, from, to, n, t, op, comm)
        }
    };
    let library = |call_form| scan::scan(&operands, extent, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn reduce_scatter(
    name: &str,
    pieces: Pieces,
    op: MPI_Op,
    comm: MPI_Comm,
    end: Return,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    if let Some(tool) = foreign_tool(pieces.datatype()) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                on,
                end,
                tool,
                |call| call.pieces(&pieces, Op::new(op), rank(on), members(on)),
                |pieces, end| reduce_scatter(name, *pieces, op, comm, end),
            )
        };
    }
    let (from, to, counts, t) = pieces.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match counts {
            Counts::Each(n) => {
                let now = large::reduce_scatter_block;
                let begin = large::ireduce_scatter_block;
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
            Counts::List(n) => {
                let (now, begin) = (ffi::MPI_Reduce_scatter, ffi::MPI_Ireduce_scatter);
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
            Counts::Large(n) => {
                let (now, begin) = (large::reduce_scatter, large::ireduce_scatter);
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
        }
    };
    // SAFETY: as above.
    let operation = unsafe { Op::new(op) };
    let library = |call_form| reduction::reduce_scatter(&pieces, operation, on, call_form);
    // SAFETY: as above.
    unsafe { dispatched(name, on, end, library, passive) }
}

/// # Safety
/// As above.
pub unsafe fn reduce_local(name: &str, operands: Operands) -> c_int {
    if let Some(tool) = foreign_tool(operands.send.datatype()) {
        // SAFETY: as above; so below.
        return unsafe {
            tools::call(
                name,
                Comm::world(),
                Return::WhenDone,
                tool,
                |call| call.local(&operands),
                |operands, _| reduce_local(name, *operands),
            )
        };
    }
    let (left, right, n, t, op) = parts(&operands);
    // SAFETY: as above.
    let passive = |_| unsafe { large::reduce_local(left, right, n, t, op) };
    let library = |_| reduce_local::reduce_local(&operands);
    // SAFETY: as above.
    unsafe { dispatched(name, Comm::world(), Return::WhenDone, library, passive) }
}
