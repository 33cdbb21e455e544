//! Persistent collectives that the library makes: each start is the call that does not block.

use super::arguments::null;
use super::calls::{mpi_call, start};
use crate::ampi::hold::{Hold, Used};
use crate::ampi::request::Request;
use crate::ampi::tangents::check_tangents;
use crate::datatype::{Lasting, is_passive};
use crate::mpi::raw::{self, MPI_Comm, MPI_Datatype, MPI_Info, MPI_Op, constants};
use crate::mpi::types::Made;
use crate::mpi::{Comm, Datatype, MpiResult, Op, ffi, wide_int};
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

/// Makes a persistent request, each start of which calls `start`.
///
/// # Safety
/// `place` is NULL or may be written to; `start` writes a request or fails.
pub unsafe fn again(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    start: impl Fn(*mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: handed on.
    unsafe { again_with(call, comm, place, Vec::new(), start) }
}

/// As `again`; the request holds `held`, and its communicator.
unsafe fn again_with(
    call: &str,
    comm: MPI_Comm,
    place: *mut *mut Request,
    mut held: Vec<Hold>,
    start: impl Fn(*mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    mpi_call(call, on, || {
        if place.is_null() {
            return Err(null("request").into());
        }
        held.push(Hold::on(Used::Comm(on)));
        let restart = Restart { call: start, _held: held };
        let request = Request::anew(Box::new(move || restart.start()), on);
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
    start: impl Fn(*mut *mut Request) -> c_int + 'static,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (on, op, datatype) = unsafe { (Comm::new(comm), Op::new(op), Datatype::new(datatype)) };
    match mpi_call(call, on, || Ok(check_tangents(op, datatype)?)) {
        // SAFETY: handed on.
        raw::SUCCESS => unsafe {
            again_with(call, comm, place, vec![Hold::on(Used::Op(op))], start)
        },
        code => code,
    }
}

/// For the guard of AMPI_Barrier_init.
#[unsafe(no_mangle)]
#[allow(non_snake_case)] // MPI's
unsafe extern "C-unwind" fn admpi_shim_Barrier_init(
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut *mut Request,
) -> c_int {
    const NAME: &str = "AMPI_Barrier_init";
    // SAFETY: as MPI's contract says.
    unsafe {
        again(NAME, comm, request, move |place| {
            start(NAME, place, Comm::new(comm), |handle| ffi::MPI_Ibarrier(comm, handle))
        })
    }
}

/// Which arguments of a call with a root count on this rank.
pub struct Side {
    pub root: bool,
    pub others: bool,
}

impl Side {
    /// # Safety
    /// `comm` is a communicator or the null handle.
    pub unsafe fn of(comm: MPI_Comm, root: c_int) -> Self {
        // SAFETY: the caller's promise.
        let comm = unsafe { Comm::new(comm) };
        if comm.is_null() {
            return Self { root: false, others: false };
        }
        if comm.is_inter().unwrap_or(false) {
            return Self { root: root < 0 && root != constants().proc_null, others: root >= 0 };
        }
        Self { root: comm.rank().is_ok_and(|rank| rank == root), others: true }
    }
}

/// A datatype that the user may free while the request lives.
pub enum Kept {
    Theirs(Datatype),
    Active(Lasting),
    Passive(Made),
}

impl Kept {
    fn of(datatype: Datatype) -> MpiResult<Self> {
        if !is_passive(datatype) {
            return Ok(Self::Active(Lasting::of(datatype)?));
        }
        match datatype.contents()? {
            None => Ok(Self::Theirs(datatype)),
            Some(_) => Ok(Self::Passive(Made::duplicate(datatype)?.commit()?)),
        }
    }

    /// A handle that is good as long as this lives.
    fn lasting(&self) -> MPI_Datatype {
        match self {
            Self::Active(lasting) => lasting.own().raw(),
            _ => self.raw(),
        }
    }

    /// The user's own handle while it lives, if it is active: operations may compare it.
    pub fn raw(&self) -> MPI_Datatype {
        match self {
            Self::Theirs(datatype) => datatype.raw(),
            Self::Active(lasting) => lasting.now().raw(),
            Self::Passive(made) => made.datatype().raw(),
        }
    }
}

/// Keeps `datatype`, if it counts. What is no datatype is left to the call.
///
/// # Safety
/// `datatype` is live if it counts.
pub unsafe fn kept(datatype: MPI_Datatype, counts: bool) -> Kept {
    // SAFETY: handed on: it is looked at only where it counts.
    let datatype = unsafe { Datatype::new(datatype) };
    if !counts || datatype == Datatype::null() {
        return Kept::Theirs(datatype);
    }
    Kept::of(datatype).unwrap_or(Kept::Theirs(datatype))
}

/// As `Kept`, of an array.
pub struct KeptEach {
    theirs: *const MPI_Datatype,
    made: Vec<MPI_Datatype>,
    _owned: Vec<Kept>,
}

impl KeptEach {
    pub const fn raw(&self) -> *const MPI_Datatype {
        if self.made.is_empty() { self.theirs } else { self.made.as_ptr() }
    }
}

/// # Safety
/// `datatypes` leads to `n` live datatypes if they count.
pub unsafe fn kept_each(datatypes: *const MPI_Datatype, n: usize, counts: bool) -> KeptEach {
    let (mut made, mut owned) = (Vec::new(), Vec::new());
    if counts && !datatypes.is_null() {
        for i in 0..n {
            // SAFETY: the caller's promise. A duplicate stays, whatever the user does with the type.
            let one = unsafe { kept(datatypes.add(i).read(), true) };
            made.push(one.lasting());
            owned.push(one);
        }
    }
    KeptEach { theirs: datatypes, made, _owned: owned }
}

/// How many ranks a collective on `comm` has parts for.
///
/// # Safety
/// Here and below: `comm` is a communicator or the null handle.
pub unsafe fn members(comm: MPI_Comm) -> usize {
    // SAFETY: the caller's promise.
    let comm = unsafe { Comm::new(comm) };
    if comm.is_null() {
        return 0;
    }
    let inter = comm.is_inter().unwrap_or(false);
    if !inter {
        return comm.size().map_or(0, wide_int);
    }
    let mut n = 0;
    // SAFETY: a live intercommunicator and a place for the answer.
    unsafe { ffi::MPI_Comm_remote_size(comm.raw(), &mut n) };
    wide_int(n)
}

/// How many neighbours send to this rank.
///
/// # Safety
/// As above.
pub unsafe fn sources(comm: MPI_Comm) -> usize {
    // SAFETY: handed on.
    unsafe { degrees(comm) }.0
}

/// How many neighbours this rank sends to.
///
/// # Safety
/// As above.
pub unsafe fn destinations(comm: MPI_Comm) -> usize {
    // SAFETY: handed on.
    unsafe { degrees(comm) }.1
}

unsafe fn degrees(comm: MPI_Comm) -> (usize, usize) {
    // SAFETY: the caller's promise.
    let comm = unsafe { Comm::new(comm) };
    if comm.is_null() {
        return (0, 0);
    }
    comm.degrees()
        .map_or((0, 0), |(sources, destinations)| (wide_int(sources), wide_int(destinations)))
}
