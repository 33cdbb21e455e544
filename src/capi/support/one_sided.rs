//! What the calls on windows share: how MPI makes those that the library leaves to it, and where errors are raised.

use super::arguments::null;
use super::calls::{entered, guarded, out, start, synchronised};
use super::large;
use crate::ampi::dispatch::Dispatched;
use crate::ampi::request::Request;
use crate::ampi::window::Hints;
use crate::ampi::window::calls::{self, Target};
use crate::datatype::BufferTriple;
use crate::mpi::comm::hint;
use crate::mpi::handle::Object;
use crate::mpi::raw::{
    self, MPI_Aint, MPI_Comm, MPI_Datatype, MPI_Group, MPI_Info, MPI_Op, MPI_Request, MPI_Win,
};
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, MpiResult, Win, ffi};
use crate::tape;
use std::ffi::{c_int, c_void};

/// Items of a target's window.
///
/// # Safety
/// As MPI has it for the arguments.
pub unsafe fn target(
    rank: c_int,
    displacement: MPI_Aint,
    count: impl Into<i64>,
    datatype: MPI_Datatype,
) -> Target {
    // SAFETY: nothing is at the address, and nobody looks.
    let items = unsafe { BufferTriple::new(std::ptr::null(), count, datatype) };
    Target { rank, displacement: raw::widen(displacement), items }
}

/// Runs the library's part of a call. Its error is raised on `win` as the last act.
pub fn on_window(call: &str, win: Win, body: impl FnOnce() -> MpiResult<()>) -> c_int {
    entered(call);
    match guarded(body) {
        Ok(()) => raw::SUCCESS,
        Err(failure) => object(win).raise(call, failure),
    }
}

/// What is no window has no error handler.
fn object(win: Win) -> Object {
    if win.is_null() { Object::None } else { Object::Win(win) }
}

/// An operation: what the library leaves to MPI is made by `passive`.
#[inline(always)]
fn dispatched(
    call: &str,
    win: Win,
    is_passive: bool,
    library: impl FnOnce() -> MpiResult<Dispatched>,
    passive: impl FnOnce() -> c_int,
) -> c_int {
    if is_passive && !tape::checking() {
        return passive();
    }
    let mut is_left = false;
    let code = on_window(call, win, || {
        is_left = matches!(library()?, Dispatched::Passive);
        Ok(())
    });
    if code == raw::SUCCESS && is_left { passive() } else { code }
}

/// # Safety
/// Here and below: as MPI has it for the call of that name.
pub unsafe fn put(name: &str, origin: BufferTriple, target: Target, win: MPI_Win) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: handed on; so below.
    let passive = || unsafe { large::put(addr, n, t, rank, disp, m, u, win) };
    // SAFETY: as above.
    let on = unsafe { Win::new(win) };
    let is_passive = calls::are_passive([&origin, &target.items]);
    dispatched(name, on, is_passive, || calls::put(&origin, &target, on), passive)
}

/// # Safety
/// As above.
pub unsafe fn get(name: &str, origin: BufferTriple, target: Target, win: MPI_Win) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    let passive = || unsafe { large::get(addr, n, t, rank, disp, m, u, win) };
    // SAFETY: as above.
    let on = unsafe { Win::new(win) };
    let is_passive = calls::are_passive([&origin, &target.items]);
    dispatched(name, on, is_passive, || calls::get(&origin, &target, on), passive)
}

/// # Safety
/// As above.
pub unsafe fn accumulate(
    name: &str,
    origin: BufferTriple,
    target: Target,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    let passive = || unsafe { large::accumulate(addr, n, t, rank, disp, m, u, op, win) };
    // SAFETY: as above.
    let (on, by) = unsafe { (Win::new(win), crate::mpi::Op::new(op)) };
    dispatched(name, on, false, || calls::accumulate(&origin, &target, by, on), passive)
}

/// # Safety
/// As above.
pub unsafe fn get_accumulate(
    name: &str,
    origin: BufferTriple,
    result: BufferTriple,
    target: Target,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let ((addr, n, t), (room, m, u)) = (origin.parts(), result.parts());
    let (_, l, v) = target.items.parts();
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    let passive =
        || unsafe { large::get_accumulate(addr, n, t, room, m, u, rank, disp, l, v, op, win) };
    // SAFETY: as above.
    let (on, by) = unsafe { (Win::new(win), crate::mpi::Op::new(op)) };
    let library = || calls::get_accumulate(&origin, &result, &target, by, on);
    dispatched(name, on, false, library, passive)
}

/// # Safety
/// As above.
pub unsafe fn fetch_and_op(
    name: &str,
    origin: BufferTriple,
    result: BufferTriple,
    target: Target,
    op: MPI_Op,
    win: MPI_Win,
) -> c_int {
    let ((addr, _, t), (room, ..)) = (origin.parts(), result.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    let passive = || unsafe { ffi::MPI_Fetch_and_op(addr, room, t, rank, disp, op, win) };
    // SAFETY: as above.
    let (on, by) = unsafe { (Win::new(win), crate::mpi::Op::new(op)) };
    let library = || calls::get_accumulate(&origin, &result, &target, by, on);
    dispatched(name, on, false, library, passive)
}

/// As `dispatched`, of a call that makes a request.
///
/// # Safety
/// `place` is NULL or may be written to; `passive` starts a request there or fails.
unsafe fn requested(
    call: &str,
    win: Win,
    place: *mut *mut Request,
    library: impl FnOnce() -> MpiResult<Dispatched>,
    passive: impl FnOnce(*mut MPI_Request) -> c_int,
) -> c_int {
    let mut is_left = false;
    let code = on_window(call, win, || {
        // SAFETY: the caller's promise.
        let place = unsafe { out("request", place) }?;
        let request = match library()? {
            Dispatched::Passive => {
                is_left = true;
                return Ok(());
            }
            Dispatched::Complete => Request::passive(Transfer::complete()?, Comm::world()),
            Dispatched::Started(request) => request,
        };
        *place = Box::into_raw(request);
        Ok(())
    });
    if code != raw::SUCCESS || !is_left {
        return code;
    }
    // SAFETY: the caller's promise.
    unsafe { start(call, place, Comm::world(), passive) }
}

/// # Safety
/// As above.
pub unsafe fn rput(
    name: &str,
    origin: BufferTriple,
    target: Target,
    win: MPI_Win,
    place: *mut *mut Request,
) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above; so below.
    unsafe {
        let passive = |request| large::rput(addr, n, t, rank, disp, m, u, win, request);
        let on = Win::new(win);
        let library = || {
            calls::requesting(name, on, calls::are_passive([&origin, &target.items]), || {
                calls::put(&origin, &target, on)
            })
        };
        requested(name, on, place, library, passive)
    }
}

/// # Safety
/// As above.
pub unsafe fn rget(
    name: &str,
    origin: BufferTriple,
    target: Target,
    win: MPI_Win,
    place: *mut *mut Request,
) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    unsafe {
        let passive = |request| large::rget(addr, n, t, rank, disp, m, u, win, request);
        let on = Win::new(win);
        requested(name, on, place, || calls::rget(&origin, &target, on), passive)
    }
}

/// # Safety
/// As above.
pub unsafe fn raccumulate(
    name: &str,
    origin: BufferTriple,
    target: Target,
    op: MPI_Op,
    win: MPI_Win,
    place: *mut *mut Request,
) -> c_int {
    let ((addr, n, t), (_, m, u)) = (origin.parts(), target.items.parts());
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    unsafe {
        let passive = |request| large::raccumulate(addr, n, t, rank, disp, m, u, op, win, request);
        let (on, by) = (Win::new(win), crate::mpi::Op::new(op));
        let library = || {
            let is_left = calls::are_accumulated_by_mpi([&origin, &target.items]);
            calls::requesting(name, on, is_left, || calls::accumulate(&origin, &target, by, on))
        };
        requested(name, on, place, library, passive)
    }
}

/// # Safety
/// As above.
#[allow(clippy::too_many_arguments)] // MPI's
pub unsafe fn rget_accumulate(
    name: &str,
    origin: BufferTriple,
    result: BufferTriple,
    target: Target,
    op: MPI_Op,
    win: MPI_Win,
    place: *mut *mut Request,
) -> c_int {
    let ((addr, n, t), (room, m, u)) = (origin.parts(), result.parts());
    let (_, l, v) = target.items.parts();
    let (rank, disp) = (target.rank, narrow(target.displacement));
    // SAFETY: as above.
    unsafe {
        let passive = |request| {
            large::rget_accumulate(addr, n, t, room, m, u, rank, disp, l, v, op, win, request)
        };
        let (on, by) = (Win::new(win), crate::mpi::Op::new(op));
        let library = || {
            let is_left = calls::are_accumulated_by_mpi([&result, &target.items]);
            calls::requesting(name, on, is_left, || {
                calls::get_accumulate(&origin, &result, &target, by, on)
            })
        };
        requested(name, on, place, library, passive)
    }
}

/// As it came from C.
#[allow(clippy::cast_possible_truncation, clippy::unnecessary_cast)]
const fn narrow(displacement: i64) -> MPI_Aint {
    displacement as MPI_Aint
}

/// Lets `make` write a new window to `place`, and `enter` take note of it with the hint on active data.
///
/// # Safety
/// `place` holds a window once `make` has succeeded; `info` is live or null.
pub unsafe fn make_window(
    call: &str,
    (info, comm): (MPI_Info, MPI_Comm),
    place: *mut MPI_Win,
    make: impl FnOnce() -> c_int,
    enter: impl FnOnce(Win, Comm, Hints) -> MpiResult<()>,
) -> c_int {
    let code = make();
    if code != raw::SUCCESS {
        return code;
    }
    // SAFETY: the caller's promise.
    let (win, comm) = unsafe { (Win::new(place.read()), Comm::new(comm)) };
    on_window(call, win, || {
        // SAFETY: as above.
        let [active, no_locks] =
            unsafe { [hint(info, c"admpi_active")?, hint(info, c"no_locks")?] }
                .map(|hint| hint.map(|value| value == "true"));
        enter(win, comm, Hints { active, no_locks: no_locks == Some(true) })
    })
}

/// A call of MPI's that ends an epoch, which the library's part comes before. That may fail, but MPI's call is made all the same:
/// other ranks wait in it.
///
/// # Safety
/// `win` is a window, or the null handle.
pub unsafe fn before_mpi(
    call: &str,
    win: MPI_Win,
    library: impl FnOnce(Win) -> MpiResult<()>,
    mpi: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let on = unsafe { Win::new(win) };
    entered(call);
    synchronised(call, object(on), || {
        let done = guarded(|| library(on));
        let code = mpi();
        match done {
            Err(failure) if code == raw::SUCCESS => object(on).raise(call, failure),
            _ => code,
        }
    })
}

/// A call of MPI's, which the library takes note of when it has succeeded.
///
/// # Safety
/// As above.
pub unsafe fn after_mpi(
    call: &str,
    win: MPI_Win,
    mpi: impl FnOnce() -> c_int,
    library: impl FnOnce(Win) -> MpiResult<()>,
) -> c_int {
    // SAFETY: the caller's promise.
    let on = unsafe { Win::new(win) };
    synchronised(call, object(on), || {
        let code = mpi();
        if code != raw::SUCCESS {
            return code;
        }
        on_window(call, on, || library(on))
    })
}

/// The ranks of `group` among those of `comm`.
///
/// # Safety
/// `group` is live.
pub unsafe fn ranks(group: MPI_Group, comm: Comm) -> MpiResult<Vec<c_int>> {
    // SAFETY: the caller's promise.
    unsafe { comm.group()?.ranks_of(group) }
}

/// An address that MPI has written to `place`.
///
/// # Safety
/// `place` is NULL or leads to an address.
pub unsafe fn address(place: *mut c_void) -> MpiResult<*mut c_void> {
    // SAFETY: the caller's promise.
    unsafe { place.cast::<*mut c_void>().as_ref() }.copied().ok_or_else(|| null("baseptr").into())
}
