//! What the functions of adjoint MPI share: how they end, and how they read handles.

use super::arguments::{array_mut, null, panic_text};
use crate::ampi::dispatch::Dispatched;
use crate::ampi::hold::{self, Used};
use crate::ampi::request::{self, Request, Slot};
use crate::ampi::{check, communicator, window};
use crate::clock;
use crate::error::{Code, Error, set_last};
use crate::mpi::handle::Object;
use crate::mpi::raw::{self, MPI_Comm, MPI_Request, MPI_Status};
use crate::mpi::transfer::{Completion, Transfer};
use crate::mpi::{CallForm, Comm, Failure, MpiResult, StatusSlots, error};
use crate::tape;
use crate::trace::{self, Link};
use std::any::Any;
use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checking mode remembers the call.
#[inline]
pub fn entered(call: &str) {
    if tape::checking() {
        check::enter(call);
    }
}

/// Runs a call of MPI's kind. Its error is raised on `comm` as the last act, when nothing of ours is left to
/// unwind.
#[inline]
pub fn mpi_call(call: &str, comm: Comm, body: impl FnOnce() -> MpiResult<()>) -> c_int {
    if trace::is_on() {
        return traced(call, Link::NONE, || run(call, comm, body));
    }
    run(call, comm, body)
}

/// Notes a call for the trace.
#[cold]
fn traced(call: &str, link: Link, body: impl FnOnce() -> c_int) -> c_int {
    let mark = tape::current(|tape| tape.trace_mark());
    let begin = clock::now();
    let code = body();
    let times = (begin, clock::now());
    let noted =
        mark.and_then(|mark| tape::current(|tape| tape.trace_call(call, mark, times, link)));
    if noted.is_none() {
        trace::add_span(trace::Kind::Call, call, times.0, times.1, link);
    }
    code
}

fn run(call: &str, comm: Comm, body: impl FnOnce() -> MpiResult<()>) -> c_int {
    entered(call);
    synchronised(call, Object::Comm(comm), || match guarded(body) {
        Ok(()) => raw::SUCCESS,
        Err(failure) => error::raise(call, comm, failure),
    })
}

/// Makes a call by which others may learn what this rank has, and this rank what others have done to its windows under locks.
#[inline(always)]
pub fn synchronised(call: &str, on: Object, body: impl FnOnce() -> c_int) -> c_int {
    if window::may_be_locked() { synchronised_under_locks(call, on, body) } else { body() }
}

#[cold]
#[inline(never)]
fn synchronised_under_locks(call: &str, on: Object, body: impl FnOnce() -> c_int) -> c_int {
    let told = guarded(window::calls::tell);
    let code = body();
    if code != raw::SUCCESS {
        return code;
    }
    match told.and_then(|()| guarded(window::calls::learn)) {
        Ok(()) => code,
        Err(failure) => on.raise(call, failure),
    }
}

/// When a call returns: when its work is done, or at once, with a request written here.
#[derive(Clone, Copy)]
pub enum Return {
    WhenDone,
    AtOnce(*mut *mut Request),
}

/// Makes a call on `comm`: what `library` leaves to MPI is made by `passive`, which is told where a request goes.
///
/// # Safety
/// The place of a request is NULL or may be written to; `passive` starts a request there or fails.
#[inline(always)]
pub unsafe fn dispatched(
    call: &str,
    comm: Comm,
    end: Return,
    library: impl FnOnce(CallForm) -> MpiResult<Dispatched>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
) -> c_int {
    if trace::is_on() {
        // SAFETY: handed on.
        let body = || unsafe { dispatch(call, comm, end, library, passive) };
        return traced(call, Link::NONE, body);
    }
    // SAFETY: handed on.
    unsafe { dispatch(call, comm, end, library, passive) }
}

/// # Safety
/// As for `dispatched`.
#[inline(always)]
unsafe fn dispatch(
    call: &str,
    comm: Comm,
    end: Return,
    library: impl FnOnce(CallForm) -> MpiResult<Dispatched>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
) -> c_int {
    let mut is_passive = false;
    let code = run(call, comm, || {
        let (call_form, place) = match end {
            Return::WhenDone => (CallForm::Blocking, std::ptr::null_mut()),
            Return::AtOnce(place) if place.is_null() => return Err(null("request").into()),
            Return::AtOnce(place) => (CallForm::Nonblocking, place),
        };
        match library(call_form)? {
            Dispatched::Passive => is_passive = true,
            Dispatched::Complete => {}
            // SAFETY: the caller's promise. Whatever stood there is not looked at: it may be uninitialised.
            Dispatched::Started(request) => unsafe { place.write(Box::into_raw(request)) },
        }
        Ok(())
    });
    if code != raw::SUCCESS || !is_passive {
        return code;
    }
    // SAFETY: the caller's promise.
    unsafe { left(call, comm, end, passive) }
}

/// As `dispatched`, of a message of which the caller knows whether it is passive: then it goes to MPI without a guard, which
/// costs some 60 instructions. In checking mode `library` looks at it first. A trace asks for its `link`.
///
/// # Safety
/// As for `dispatched`.
#[inline(always)]
pub unsafe fn dispatched_message(
    call: &str,
    comm: Comm,
    end: Return,
    is_passive: bool,
    library: impl FnOnce(CallForm) -> MpiResult<Dispatched>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
    link: impl FnOnce() -> Link,
) -> c_int {
    if trace::is_on() {
        // SAFETY: handed on.
        let body = || unsafe { dispatch_message(call, comm, end, is_passive, library, passive) };
        return traced(call, link(), body);
    }
    // SAFETY: handed on.
    unsafe { dispatch_message(call, comm, end, is_passive, library, passive) }
}

/// # Safety
/// As for `dispatched`.
#[inline(always)]
unsafe fn dispatch_message(
    call: &str,
    comm: Comm,
    end: Return,
    is_passive: bool,
    library: impl FnOnce(CallForm) -> MpiResult<Dispatched>,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
) -> c_int {
    // SAFETY: handed on.
    unsafe {
        if is_passive && !tape::checking() {
            left(call, comm, end, passive)
        } else {
            dispatch(call, comm, end, library, passive)
        }
    }
}

/// Makes a call that is left to MPI.
///
/// # Safety
/// As for `dispatched`.
#[inline(always)]
unsafe fn left(
    call: &str,
    comm: Comm,
    end: Return,
    passive: impl FnOnce(Option<*mut MPI_Request>) -> c_int,
) -> c_int {
    match end {
        Return::WhenDone => synchronised(call, Object::Comm(comm), || passive(None)),
        // SAFETY: the caller's promise.
        Return::AtOnce(place) => unsafe {
            start(call, place, comm, |handle| passive(Some(handle)))
        },
    }
}

/// Runs a call of the `admpi_` kind that uses MPI: nothing is raised.
pub fn mpi_status(call: &str, body: impl FnOnce() -> MpiResult<()>) -> c_int {
    match guarded(body) {
        Ok(()) => 0,
        Err(failure) => {
            let error = failure.into_error("MPI");
            set_last(&Error::new(error.code, format!("{call}: {}", error.message)))
        }
    }
}

/// Makes an error of a panic.
pub fn guarded(body: impl FnOnce() -> MpiResult<()>) -> MpiResult<()> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(panicked(panic)))
}

#[cold]
#[inline(never)]
fn panicked(panic: Box<dyn Any + Send>) -> Failure {
    Error::new(Code::Panic, panic_text(panic.as_ref())).into()
}

unsafe extern "C" {
    #[cfg_attr(admpi_mpi = "openmpi", link_name = "admpi_abi_openmpi")]
    #[cfg_attr(admpi_mpi = "mpich", link_name = "admpi_abi_mpich")]
    fn admpi_abi_check(sizes: *const c_void) -> c_int;
}

/// An error unless the program was compiled for the MPI of this library. MPI cannot report it yet, and a
/// program that does not ask would crash later: the text goes to standard error too.
pub fn check_abi(sizes: *const c_void) -> MpiResult<()> {
    // SAFETY: NULL, or the structure that the header's function passes.
    let code = unsafe { admpi_abi_check(sizes) };
    if code == 0 {
        return Ok(());
    }
    let why = crate::error::with_last(|text| {
        // SAFETY: the thread's message is a string.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
    });
    eprintln!("admpi: {why}");
    let code = if code == Code::Null as c_int { Code::Null } else { Code::Abi };
    Err(Error::new(code, why).into())
}

/// Where an output goes.
///
/// # Safety
/// `pointer` is NULL or may be written to while the reference lives.
pub unsafe fn out<'a, T>(name: &str, pointer: *mut T) -> MpiResult<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name).into())
}

/// One handle of the user.
///
/// # Safety
/// `request` is NULL or leads to a request of the library, or to AMPI_REQUEST_NULL.
pub unsafe fn slot<'a>(request: *mut *mut Request) -> MpiResult<&'a mut Slot> {
    // SAFETY: a box that may be absent is a pointer that may be null.
    unsafe { out("request", request.cast()) }
}

/// An array of handles of the user.
///
/// # Safety
/// `requests` is NULL or leads to `count` handles, as for `slot`.
pub unsafe fn slots<'a>(requests: *mut *mut Request, count: c_int) -> MpiResult<&'a mut [Slot]> {
    let n = crate::count::from_c("count", count.into())?;
    // SAFETY: the caller's promise, and as above.
    Ok(unsafe { array_mut("requests", requests.cast::<Slot>(), n) }?)
}

/// Starts a passive call by `call` and gives the user a handle of the library's.
///
/// # Safety
/// `place` is NULL or may be written to; `call` starts a request or fails.
#[inline(always)]
pub unsafe fn start(
    name: &str,
    place: *mut *mut Request,
    comm: Comm,
    call: impl FnOnce(*mut MPI_Request) -> c_int,
) -> c_int {
    if place.is_null() {
        return mpi_call(name, comm, || Err(null("request").into()));
    }
    let mut transfer = Transfer::default();
    let code = synchronised(name, Object::Comm(comm), || call(transfer.place()));
    if code == raw::SUCCESS {
        // SAFETY: the caller's promise.
        unsafe { place.write(Box::into_raw(Request::passive(transfer, comm))) };
    }
    code
}

/// Lets `make` write a new communicator to `place`, and enters it.
///
/// # Safety
/// `place` holds a communicator or the null handle once `make` has succeeded.
pub unsafe fn make_comm(call: &str, place: *mut MPI_Comm, make: impl FnOnce() -> c_int) -> c_int {
    let code = synchronised(call, Object::None, make);
    if code != raw::SUCCESS {
        return code;
    }
    // SAFETY: the caller's promise.
    let comm = unsafe { Comm::new(place.read()) };
    mpi_call(call, Comm::world(), || communicator::enter_new(comm))
}

/// Lets `make` write a new distributed graph to `place`, made of the communicator that it is given.
///
/// # Safety
/// As for `make_comm`.
pub unsafe fn make_dist_graph(
    call: &str,
    comm_old: MPI_Comm,
    place: *mut MPI_Comm,
    make: impl FnOnce(MPI_Comm) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { make_comm(call, place, || Comm::new(comm_old).make_dist_graph(make)) }
}

/// Lets `end` free the communicator at `place`, which leaves the library before, unless persistent collectives use it.
///
/// # Safety
/// `place` is NULL or holds a communicator or the null handle.
pub unsafe fn end_comm(call: &str, place: *mut MPI_Comm, end: impl FnOnce() -> c_int) -> c_int {
    let mut given_up = false;
    let code = mpi_call(call, Comm::world(), || {
        // SAFETY: the caller's promise. Open MPI would read what is at NULL.
        let (place, comm) = unsafe { (out("comm", place)?, Comm::new(*place)) };
        given_up = hold::give_up(Used::Comm(comm));
        if given_up {
            *place = Comm::null().raw();
            return Ok(());
        }
        communicator::leave(comm)
    });
    if code == raw::SUCCESS && !given_up { end() } else { code }
}

/// Waitsome and Testsome.
///
/// # Safety
/// As MPI has it for the arguments.
pub unsafe fn complete_some(
    call: &str,
    call_form: Completion,
    count: c_int,
    requests: *mut *mut Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: the caller's promise.
    let mut places = unsafe { StatusSlots::new(statuses) };
    mpi_call(call, Comm::world(), || {
        // SAFETY: the caller's promise.
        let (slots, outcount) = unsafe { (slots(requests, count)?, out("outcount", outcount)?) };
        // SAFETY: the caller's promise.
        let indices = unsafe { array_mut("indices", indices, slots.len()) }?;
        *outcount = request::some(slots, call_form, indices, &mut places)?.count();
        Ok(())
    })
}

/// A call's name, for messages.
///
/// # Safety
/// `text` is NULL or a string.
pub unsafe fn name<'a>(text: *const c_char) -> Cow<'a, str> {
    if text.is_null() {
        return Cow::Borrowed("AMPI");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}
