//! Persistent calls that the library makes: each start is the call that does not block. Ranks may start the collectives of a
//! communicator in different orders, unlike calls that do not block, so each has a communicator of its own.

use super::arguments::null;
use super::calls::mpi_call;
use crate::ampi::argument::Side;
use crate::ampi::communicator;
use crate::ampi::hold::{self, Hold, Used};
use crate::ampi::request::Request;
use crate::ampi::tangents::check_tangents;
use crate::datatype::{KeptType, KeptTypes};
use crate::mpi::error::raise_code;
use crate::mpi::raw::{self, MPI_Comm, MPI_Datatype, MPI_Op};
use crate::mpi::{Comm, Datatype, MpiResult, Op, wide_int};
use std::ffi::c_int;

/// What a start does: with the arguments of the user's call, whose pointers are good as long as the request lives.
struct Restart<F> {
    call: F,
    _held: Vec<Hold>,
}

// SAFETY: the pointers are the user's promise, which holds on whichever thread starts the request.
unsafe impl<F> Send for Restart<F> {}

impl<F: Fn(*mut *mut Request) -> c_int> Restart<F> {
    fn start(&self) -> Result<Box<Request>, c_int> {
        let mut place = std::ptr::null_mut();
        match (self.call)(&mut place) {
            // SAFETY: a call that succeeds has written a live request.
            raw::SUCCESS => Ok(unsafe { Box::from_raw(place) }),
            code => Err(code),
        }
    }
}

/// Makes the persistent request of a collective, each start of which calls `start` on the request's communicator. Collective
/// over `comm`.
///
/// # Safety
/// `place` is NULL or may be written to; `start` writes a request or fails.
pub unsafe fn again(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    start: impl Fn(MPI_Comm, *mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: handed on.
    unsafe { again_with(call, comm, place, true, Vec::new(), start) }
}

/// The same of a message, each start of which is on `comm`.
///
/// # Safety
/// As for `again`.
pub unsafe fn message_again(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    start: impl Fn(*mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: handed on.
    unsafe { again_with(call, comm, place, false, Vec::new(), move |_, place| start(place)) }
}

/// The communicator of a persistent collective on `comm`. Between groups it is `comm`, since a private communicator would never be
/// used again there. MPI refuses the null handle at the start.
fn own(comm: Comm) -> MpiResult<Comm> {
    if comm.is_null() || communicator::is_inter(comm) {
        return Ok(comm);
    }
    let own = comm.twin()?;
    communicator::enter_new(own)?;
    Ok(own)
}

/// As `again`; the request holds `held`, and its communicators.
unsafe fn again_with(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    is_collective: bool,
    mut held: Vec<Hold>,
    start: impl Fn(MPI_Comm, *mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    mpi_call(call, on, || {
        if place.is_null() {
            return Err(null("request").into());
        }
        held.push(Hold::on(Used::Comm(on)));
        let own = if is_collective { own(on)? } else { on };
        if own != on {
            held.push(Hold::on(Used::Comm(own)));
            // It dies with the request.
            hold::give_up(Used::Comm(own));
        }
        let start = move |place: *mut *mut Request| match start(own.raw(), place) {
            code if code == raw::SUCCESS || own == on => code,
            // Errors of the request's communicator are returned.
            code => raise_code(on, code),
        };
        let restart = Restart { call: start, _held: held };
        let request = Request::anew(Box::new(move || restart.start()), is_collective, on);
        // SAFETY: the caller's promise.
        unsafe { place.write(Box::into_raw(request)) };
        Ok(())
    })
}

/// The same of a reduction: tangents that it would reduce part by part are refused here, not at the first start.
///
/// # Safety
/// As for `again`; the operation and the datatype are the user's.
pub unsafe fn again_reducing(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    (op, datatype): (MPI_Op, MPI_Datatype),
    start: impl Fn(MPI_Comm, *mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (on, op, datatype) = unsafe { (Comm::new(comm), Op::new(op), Datatype::new(datatype)) };
    match mpi_call(call, on, || Ok(check_tangents(op, datatype)?)) {
        // SAFETY: handed on.
        raw::SUCCESS => unsafe {
            again_with(call, comm, place, true, vec![Hold::on(Used::Op(op))], start)
        },
        code => code,
    }
}

/// Which arguments of a call with a root count on this rank.
///
/// # Safety
/// Here and below: `comm` is a communicator or the null handle.
pub unsafe fn side(comm: MPI_Comm, root: c_int) -> Side {
    // SAFETY: the caller's promise.
    Side::of(unsafe { Comm::new(comm) }, root)
}

/// Keeps `datatype`, if it counts.
///
/// # Safety
/// `datatype` is live if it counts.
pub unsafe fn kept(datatype: MPI_Datatype, counts: bool) -> KeptType {
    // SAFETY: handed on: it is looked at only where it counts.
    KeptType::of(unsafe { Datatype::new(datatype) }, counts)
}

/// Keeps each of `n` datatypes, if they count.
///
/// # Safety
/// `datatypes` leads to `n` live datatypes if they count.
pub unsafe fn kept_each(datatypes: *const MPI_Datatype, n: usize, counts: bool) -> KeptTypes {
    // SAFETY: handed on.
    unsafe { KeptTypes::of(datatypes, n, counts) }
}

/// How many ranks a collective on `comm` has parts for.
///
/// # Safety
/// As for `side`.
pub unsafe fn members(comm: MPI_Comm) -> usize {
    // SAFETY: the caller's promise.
    number(unsafe { Comm::new(comm) }, Comm::partners)
}

/// How many neighbours send to this rank.
///
/// # Safety
/// As for `side`.
pub unsafe fn sources(comm: MPI_Comm) -> usize {
    // SAFETY: the caller's promise.
    number(unsafe { Comm::new(comm) }, |comm| comm.degrees().map(|(sources, _)| sources))
}

/// How many neighbours this rank sends to.
///
/// # Safety
/// As for `side`.
pub unsafe fn destinations(comm: MPI_Comm) -> usize {
    // SAFETY: the caller's promise.
    number(unsafe { Comm::new(comm) }, |comm| comm.degrees().map(|(_, destinations)| destinations))
}

/// None where the call itself is to say what is wrong.
fn number(comm: Comm, of: impl FnOnce(Comm) -> MpiResult<c_int>) -> usize {
    if comm.is_null() { 0 } else { of(comm).map_or(0, wide_int) }
}
