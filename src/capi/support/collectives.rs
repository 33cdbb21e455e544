//! What the collectives share: a call blocks or makes a request, for counts of one kind or another; passive data goes
//! straight to MPI, active data to the tape.

use super::super::large;
use super::super::large_arguments::narrow;
use super::{hand_out, mpi_call, refused, start};
use crate::ampi::argument::{Many, all_passive, neighbours_passive, one_passive, rooted_passive};
use crate::ampi::collective::{Forward, Rule};
use crate::ampi::operator::Extent;
use crate::ampi::request::Request;
use crate::ampi::{bytes, local, movement, neighbor, reduction, scan as scans, tangents};
use crate::datatype::is_passive;
use crate::error::Result;
use crate::large::defects;
use crate::mpi::raw::{MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request};
use crate::mpi::{
    Argument, Arguments, Comm, Counts, Datatype, How, Lists, Op, Outcome, Pieces, Types, Wide,
    is_in_place, plain, twins,
};
use std::ffi::{c_int, c_void};

/// How a call ends: when its work is done, or at once, with a request written here.
#[derive(Clone, Copy)]
pub enum End {
    Now,
    Request(*mut *mut Request),
}

/// A call: `passive` by MPI, which is told where a request goes; else `now` or `begin` by the library.
///
/// # Safety
/// Here and below: as MPI has it for the call of that name.
unsafe fn either(
    name: &str,
    comm: MPI_Comm,
    end: End,
    is_passive: impl FnOnce(Comm) -> Outcome<bool>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
    now: impl FnOnce(Comm) -> Outcome<()>,
    begin: impl FnOnce(Comm) -> Outcome<Box<Request>>,
) -> c_int {
    // SAFETY: handed on; so below.
    let on = unsafe { Comm::new(comm) };
    match (end, is_passive(on)) {
        (_, Err(failure)) => mpi_call(name, on, || Err(failure)),
        (End::Now, Ok(true)) => passive(None),
        (End::Now, Ok(false)) => mpi_call(name, on, || now(on)),
        // SAFETY: as above.
        (End::Request(place), Ok(true)) => unsafe {
            start(name, place, on, |handle| passive(Some(handle)))
        },
        (End::Request(place), Ok(false)) => {
            // SAFETY: as above.
            mpi_call(name, on, || unsafe { hand_out(place, || begin(on)) })
        }
    }
}

/// As `either`, of a call whose two ways are one function of the library's. `sent` looks at what a passive call sends; a
/// reduction has none, since MPI computes with what it sends.
///
/// # Safety
/// As above.
unsafe fn moving<R: Rule>(
    name: &str,
    comm: MPI_Comm,
    end: End,
    is_passive: impl FnOnce(Comm) -> Outcome<bool>,
    sent: impl FnOnce(Comm) -> Outcome<()>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
    active: impl Fn(Comm, How) -> Outcome<Forward<R>>,
) -> c_int {
    let now = |on| active(on, How::Now)?.finish();
    let begin = |on| Ok(Request::collective(active(on, How::Begin)?, on));
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let checked = |request| refused(name, on, || sent(on)).unwrap_or_else(|| passive(request));
    // SAFETY: as above.
    unsafe { either(name, comm, end, is_passive, checked, now, begin) }
}

/// So many items for each rank.
///
/// # Safety
/// As for `Argument::new`.
pub unsafe fn each(pointer: *const c_void, count: impl Into<i64>, datatype: MPI_Datatype) -> Many {
    // SAFETY: handed on.
    Many::Each(unsafe { Argument::new(pointer, count, datatype) })
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
/// As above.
pub unsafe fn bcast(name: &str, data: Argument, root: c_int, comm: MPI_Comm, end: End) -> c_int {
    let (buffer, n, t) = data.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        twins!(request, large::MPIX_Bcast_x, large::MPIX_Ibcast_x, buffer, n, t, root, comm)
    };
    let active = |on, how| movement::bcast(&data, root, on, how);
    let sent = |on| if bytes::is_root(root, on) { bytes::none_in(&data) } else { Ok(()) };
    // SAFETY: as above.
    unsafe { moving(name, comm, end, |_| one_passive(data.datatype()), sent, passive, active) }
}

/// No call has arrays of two kinds.
fn mixed() -> ! {
    unreachable!("the arrays of a call are of one kind")
}

/// # Safety
/// As above.
pub unsafe fn gather(
    name: &str,
    send: Argument,
    receive: Many,
    root: c_int,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let (now, begin) = (large::MPIX_Gather_x, large::MPIX_Igather_x);
                twins!(request, now, begin, out, n, t, room, m, u, root, comm)
            }
            Many::List(receive) => match receive.parts() {
                (room, Lists::Int(m, at), Types::One(u)) => {
                    let (now, begin) = (plain::MPI_Gatherv, plain::MPI_Igatherv);
                    twins!(request, now, begin, out, narrow(n), t, room, m, at, u.raw(), root, comm)
                }
                (room, Lists::Large(m, at), Types::One(u)) => {
                    let (now, begin) = (large::MPIX_Gatherv_x, large::MPIX_Igatherv_x);
                    twins!(request, now, begin, out, n, t, room, m, at, u.raw(), root, comm)
                }
                _ => mixed(),
            },
        }
    };
    let is_passive = |on| rooted_passive(&send, &receive, root, on);
    let active = |on, how| movement::gather(&send, &receive, root, on, how);
    let sent = |on| if bytes::serves_root(root, on) { bytes::none_in(&send) } else { Ok(()) };
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn scatter(
    name: &str,
    send: Many,
    receive: Argument,
    root: c_int,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (room, m, u) = receive.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &send {
            Many::Each(send) => {
                let (out, n, t) = send.parts();
                let (now, begin) = (large::MPIX_Scatter_x, large::MPIX_Iscatter_x);
                twins!(request, now, begin, out, n, t, room, m, u, root, comm)
            }
            Many::List(send) => match send.parts() {
                (out, Lists::Int(n, at), Types::One(t)) => {
                    let (now, begin) = (plain::MPI_Scatterv, plain::MPI_Iscatterv);
                    twins!(request, now, begin, out, n, at, t.raw(), room, narrow(m), u, root, comm)
                }
                (out, Lists::Large(n, at), Types::One(t)) => {
                    let (now, begin) = (large::MPIX_Scatterv_x, large::MPIX_Iscatterv_x);
                    twins!(request, now, begin, out, n, at, t.raw(), room, m, u, root, comm)
                }
                _ => mixed(),
            },
        }
    };
    let is_passive = |on| rooted_passive(&receive, &send, root, on);
    let active = |on, how| movement::scatter(&send, &receive, root, on, how);
    let sent = |on| {
        if bytes::is_root(root, on) { bytes::none_to_ranks(name, &send, on) } else { Ok(()) }
    };
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn allgather(
    name: &str,
    send: Argument,
    receive: Many,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let (now, begin) = (large::MPIX_Allgather_x, large::MPIX_Iallgather_x);
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            Many::List(receive) => match receive.parts() {
                (room, lists @ Lists::Int(m, at), Types::One(u)) => {
                    let items = |ranks| lists.items(ranks);
                    if let Some(ranks) = defects::allgatherv(Comm::new(comm), u, items) {
                        let wide = lists.widened(ranks);
                        let (m, at) = wide.arrays();
                        let (now, begin) = (large::MPIX_Allgatherv_x, large::MPIX_Iallgatherv_x);
                        return twins!(request, now, begin, out, n, t, room, m, at, u.raw(), comm);
                    }
                    let (now, begin) = (plain::MPI_Allgatherv, plain::MPI_Iallgatherv);
                    twins!(request, now, begin, out, narrow(n), t, room, m, at, u.raw(), comm)
                }
                (room, Lists::Large(m, at), Types::One(u)) => {
                    let (now, begin) = (large::MPIX_Allgatherv_x, large::MPIX_Iallgatherv_x);
                    twins!(request, now, begin, out, n, t, room, m, at, u.raw(), comm)
                }
                _ => mixed(),
            },
        }
    };
    let is_passive = |on| all_passive(&Many::Each(send), &receive, on);
    let active = |on, how| movement::allgather(&send, &receive, on, how);
    let sent = |_| bytes::none_in(&send);
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn alltoall(name: &str, send: Many, receive: Many, comm: MPI_Comm, end: End) -> c_int {
    // SAFETY: as above.
    let passive = |request| unsafe {
        match (&send, &receive) {
            (Many::Each(send), Many::Each(receive)) => {
                let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
                let (now, begin) = (large::MPIX_Alltoall_x, large::MPIX_Ialltoall_x);
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            (Many::List(send), Many::List(receive)) => match (send.parts(), receive.parts()) {
                (
                    (out, from @ Lists::Int(n, at), Types::One(t)),
                    (room, into @ Lists::Int(m, to), Types::One(u)),
                ) => {
                    let in_place = is_in_place(out);
                    if let Some(ranks) = defects::alltoall(Comm::new(comm), in_place) {
                        let from = if in_place { Wide::default() } else { from.widened(ranks) };
                        let into = into.widened(ranks);
                        let ((n, at), (m, to)) = (from.arrays(), into.arrays());
                        let (now, begin) = (large::MPIX_Alltoallv_x, large::MPIX_Ialltoallv_x);
                        return twins!(
                            request,
                            now,
                            begin,
                            out,
                            n,
                            at,
                            t.raw(),
                            room,
                            m,
                            to,
                            u.raw(),
                            comm
                        );
                    }
                    let (now, begin) = (plain::MPI_Alltoallv, plain::MPI_Ialltoallv);
                    twins!(request, now, begin, out, n, at, t.raw(), room, m, to, u.raw(), comm)
                }
                (
                    (out, Lists::Large(n, at), Types::One(t)),
                    (room, Lists::Large(m, to), Types::One(u)),
                ) => {
                    let (now, begin) = (large::MPIX_Alltoallv_x, large::MPIX_Ialltoallv_x);
                    twins!(request, now, begin, out, n, at, t.raw(), room, m, to, u.raw(), comm)
                }
                (
                    (out, from @ Lists::Int(n, at), Types::Each(t)),
                    (room, into @ Lists::Int(m, to), Types::Each(u)),
                ) => {
                    let in_place = is_in_place(out);
                    if let Some(ranks) =
                        defects::alltoallw(Comm::new(comm), in_place, request.is_none())
                    {
                        let from = if in_place { Wide::default() } else { from.widened(ranks) };
                        let into = into.widened(ranks);
                        let ((n, at), (m, to)) = (from.arrays(), into.arrays());
                        let (now, begin) = (large::MPIX_Alltoallw_x, large::MPIX_Ialltoallw_x);
                        return twins!(request, now, begin, out, n, at, t, room, m, to, u, comm);
                    }
                    let (now, begin) = (plain::MPI_Alltoallw, plain::MPI_Ialltoallw);
                    twins!(request, now, begin, out, n, at, t, room, m, to, u, comm)
                }
                (
                    (out, Lists::Large(n, at), Types::Each(t)),
                    (room, Lists::Large(m, to), Types::Each(u)),
                ) => {
                    let (now, begin) = (large::MPIX_Alltoallw_x, large::MPIX_Ialltoallw_x);
                    twins!(request, now, begin, out, n, at, t, room, m, to, u, comm)
                }
                _ => mixed(),
            },
            _ => mixed(),
        }
    };
    let is_passive = |on| all_passive(&send, &receive, on);
    let active = |on, how| movement::alltoall(&send, &receive, on, how);
    let sent = |on| bytes::none_to_ranks(name, &send, on);
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn neighbor_allgather(
    name: &str,
    send: Argument,
    receive: Many,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (out, n, t) = send.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match &receive {
            Many::Each(receive) => {
                let (room, m, u) = receive.parts();
                let now = large::MPIX_Neighbor_allgather_x;
                let begin = large::MPIX_Ineighbor_allgather_x;
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            Many::List(receive) => match receive.parts() {
                (room, Lists::Int(m, at), Types::One(u)) => {
                    let now = plain::MPI_Neighbor_allgatherv;
                    let begin = plain::MPI_Ineighbor_allgatherv;
                    twins!(request, now, begin, out, narrow(n), t, room, m, at, u.raw(), comm)
                }
                (room, Lists::Large(m, at), Types::One(u)) => {
                    let now = large::MPIX_Neighbor_allgatherv_x;
                    let begin = large::MPIX_Ineighbor_allgatherv_x;
                    twins!(request, now, begin, out, n, t, room, m, at, u.raw(), comm)
                }
                _ => mixed(),
            },
        }
    };
    let is_passive = |on| neighbours_passive(&Many::Each(send), &receive, on);
    let active = |on, how| neighbor::allgather(&send, &receive, on, how);
    let sent = |_| bytes::none_in(&send);
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// # Safety
/// As above.
pub unsafe fn neighbor_alltoall(
    name: &str,
    send: Many,
    receive: Many,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    // SAFETY: as above.
    let passive = |request| unsafe {
        match (&send, &receive) {
            (Many::Each(send), Many::Each(receive)) => {
                let ((out, n, t), (room, m, u)) = (send.parts(), receive.parts());
                let now = large::MPIX_Neighbor_alltoall_x;
                let begin = large::MPIX_Ineighbor_alltoall_x;
                twins!(request, now, begin, out, n, t, room, m, u, comm)
            }
            (Many::List(send), Many::List(receive)) => match (send.parts(), receive.parts()) {
                (
                    (out, Lists::Int(n, at), Types::One(t)),
                    (room, Lists::Int(m, to), Types::One(u)),
                ) => {
                    let now = plain::MPI_Neighbor_alltoallv;
                    let begin = plain::MPI_Ineighbor_alltoallv;
                    twins!(request, now, begin, out, n, at, t.raw(), room, m, to, u.raw(), comm)
                }
                (
                    (out, Lists::Large(n, at), Types::One(t)),
                    (room, Lists::Large(m, to), Types::One(u)),
                ) => {
                    let now = large::MPIX_Neighbor_alltoallv_x;
                    let begin = large::MPIX_Ineighbor_alltoallv_x;
                    twins!(request, now, begin, out, n, at, t.raw(), room, m, to, u.raw(), comm)
                }
                (
                    (out, sent @ Lists::Addresses(n, at), Types::Each(t)),
                    (room, received @ Lists::Addresses(m, to), Types::Each(u)),
                ) => {
                    if let Some((from, into)) = defects::neighbor_alltoallw(Comm::new(comm)) {
                        let (sent, received) = (sent.widened(into), received.widened(from));
                        let ((n, at), (m, to)) = (sent.arrays(), received.arrays());
                        let now = large::MPIX_Neighbor_alltoallw_x;
                        let begin = large::MPIX_Ineighbor_alltoallw_x;
                        return twins!(request, now, begin, out, n, at, t, room, m, to, u, comm);
                    }
                    let now = plain::MPI_Neighbor_alltoallw;
                    let begin = plain::MPI_Ineighbor_alltoallw;
                    twins!(request, now, begin, out, n, at, t, room, m, to, u, comm)
                }
                (
                    (out, Lists::Large(n, at), Types::Each(t)),
                    (room, Lists::Large(m, to), Types::Each(u)),
                ) => {
                    let now = large::MPIX_Neighbor_alltoallw_x;
                    let begin = large::MPIX_Ineighbor_alltoallw_x;
                    twins!(request, now, begin, out, n, at, t, room, m, to, u, comm)
                }
                _ => mixed(),
            },
            _ => mixed(),
        }
    };
    let is_passive = |on| neighbours_passive(&send, &receive, on);
    let active = |on, how| neighbor::alltoall(&send, &receive, on, how);
    let sent = |on| bytes::none_to_neighbours(name, &send, on);
    // SAFETY: as above.
    unsafe { moving(name, comm, end, is_passive, sent, passive, active) }
}

/// The two buffers of a reduction, and the operation.
#[derive(Clone, Copy)]
pub struct Operands {
    send: Argument,
    receive: Argument,
    op: MPI_Op,
}

impl Operands {
    /// # Safety
    /// As for `Argument::new` and `Op::new`.
    pub unsafe fn new(
        sendbuf: *const c_void,
        recvbuf: *mut c_void,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
        op: MPI_Op,
    ) -> Self {
        let count = count.into();
        // SAFETY: handed on.
        let (send, receive) = unsafe {
            (Argument::new(sendbuf, count, datatype), Argument::new(recvbuf, count, datatype))
        };
        Self { send, receive, op }
    }

    fn check_tangents(&self) -> Result<()> {
        tangents::check_tangents(self.op(), self.send.datatype())
    }

    fn are_passive(&self) -> Outcome<bool> {
        self.check_tangents()?;
        one_passive(self.send.datatype())
    }

    /// As the caller passed them, for calls of MPI's.
    const fn parts(&self) -> (*mut c_void, *mut c_void, i64, MPI_Datatype, MPI_Op) {
        let ((from, n, t), (to, ..)) = (self.send.parts(), self.receive.parts());
        (from, to, n, t, self.op)
    }

    fn op(&self) -> Op {
        // SAFETY: the promise of `new`.
        unsafe { Op::new(self.op) }
    }
}

/// # Safety
/// As above.
pub unsafe fn reduce(
    name: &str,
    operands: Operands,
    root: c_int,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (from, to, n, t, op) = operands.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (now, begin) = (large::MPIX_Reduce_x, large::MPIX_Ireduce_x);
        twins!(request, now, begin, from, to, n, t, op, root, comm)
    };
    let Operands { send, receive, .. } = &operands;
    let now = |on| reduction::reduce(send, receive, operands.op(), root, on);
    let begin = |on| {
        Ok(Request::collective(reduction::ireduce(send, receive, operands.op(), root, on)?, on))
    };
    // SAFETY: as above.
    unsafe { either(name, comm, end, |_| operands.are_passive(), passive, now, begin) }
}

/// # Safety
/// As above.
pub unsafe fn allreduce(name: &str, operands: Operands, comm: MPI_Comm, end: End) -> c_int {
    let (from, to, n, t, op) = operands.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        let (now, begin) = (large::MPIX_Allreduce_x, large::MPIX_Iallreduce_x);
        twins!(request, now, begin, from, to, n, t, op, comm)
    };
    let Operands { send, receive, .. } = &operands;
    let now = |on| reduction::allreduce(send, receive, operands.op(), on);
    let begin =
        |on| Ok(Request::collective(reduction::iallreduce(send, receive, operands.op(), on)?, on));
    // SAFETY: as above.
    unsafe { either(name, comm, end, |_| operands.are_passive(), passive, now, begin) }
}

/// # Safety
/// As above.
pub unsafe fn scan(
    name: &str,
    operands: Operands,
    extent: Extent,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (from, to, n, t, op) = operands.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        if extent == Extent::Inclusive {
            let (now, begin) = (large::MPIX_Scan_x, large::MPIX_Iscan_x);
            twins!(request, now, begin, from, to, n, t, op, comm)
        } else {
            let (now, begin) = (large::MPIX_Exscan_x, large::MPIX_Iexscan_x);
            twins!(request, now, begin, from, to, n, t, op, comm)
        }
    };
    let Operands { send, receive, .. } = &operands;
    let now = |on| scans::scan(send, receive, operands.op(), on, extent);
    let begin =
        |on| Ok(Request::collective(scans::iscan(send, receive, operands.op(), on, extent)?, on));
    // SAFETY: as above.
    unsafe { either(name, comm, end, |_| operands.are_passive(), passive, now, begin) }
}

/// # Safety
/// As above.
pub unsafe fn reduce_scatter(
    name: &str,
    pieces: Pieces,
    op: MPI_Op,
    comm: MPI_Comm,
    end: End,
) -> c_int {
    let (from, to, counts, t) = pieces.parts();
    // SAFETY: as above.
    let passive = |request| unsafe {
        match counts {
            Counts::Each(n) => {
                let now = large::MPIX_Reduce_scatter_block_x;
                let begin = large::MPIX_Ireduce_scatter_block_x;
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
            Counts::List(n) => {
                let (now, begin) = (plain::MPI_Reduce_scatter, plain::MPI_Ireduce_scatter);
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
            Counts::Large(n) => {
                let (now, begin) = (large::MPIX_Reduce_scatter_x, large::MPIX_Ireduce_scatter_x);
                twins!(request, now, begin, from, to, n, t, op, comm)
            }
        }
    };
    // SAFETY: as above.
    let operation = unsafe { Op::new(op) };
    let is_passive = |_| {
        tangents::check_tangents(operation, pieces.datatype())?;
        one_passive(pieces.datatype())
    };
    let now = |on| reduction::reduce_scatter(&pieces, operation, on);
    let begin =
        |on| Ok(Request::collective(reduction::ireduce_scatter(&pieces, operation, on)?, on));
    // SAFETY: as above.
    unsafe { either(name, comm, end, is_passive, passive, now, begin) }
}

/// # Safety
/// As above.
pub unsafe fn reduce_local(name: &str, operands: Operands) -> c_int {
    let Operands { send: left, receive: right, .. } = &operands;
    match operands.check_tangents().map(|()| is_passive(left.datatype())) {
        Ok(true) => {
            let (left, right, n, t, op) = operands.parts();
            // SAFETY: as above.
            unsafe { large::MPIX_Reduce_local_x(left, right, n, t, op) }
        }
        Ok(false) => mpi_call(name, Comm::world(), || local::reduce(left, right, operands.op())),
        Err(error) => mpi_call(name, Comm::world(), || Err(error.into())),
    }
}
