//! Requests and probes of adjoint MPI. `include/admpi/requests.h` is generated from this file.

use super::support::calls::{start, synchronised};
use super::support::messages::probed;
use super::support::persistent::again;
use super::{mpi_call, slots};
use crate::ampi::request::{self, Request};
use crate::mpi::handle::Object;
use crate::mpi::raw::{self, MPI_Comm, MPI_Fint, MPI_Info, MPI_Message, MPI_Request, MPI_Status};
use crate::mpi::transfer::{Completion, Transfer};
use crate::mpi::{Comm, StatusSlot, StatusSlots, ffi};
use std::ffi::c_int;

/// What stands behind an AMPI_Request.
#[allow(non_camel_case_types)]
pub type admpi_request = Request;
#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;

/// MPI_Mprobe. The message counts as posted by this call, which determines the order of its adjoint among those of other
/// receives.
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data, a communicator that the library knows
/// @param[out] message  receive it with AMPI_Mrecv or AMPI_Imrecv
/// @param[out] status   or MPI_STATUS_IGNORE; MPI_Get_count counts in the type of the receiver
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Mprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let on = Comm::new(comm);
        let code = left("AMPI_Mprobe", on, || raw::MPI_Mprobe(source, tag, comm, message, status));
        probed("AMPI_Mprobe", code, true, comm, message)
    }
}

/// MPI_Improbe. See AMPI_Mprobe.
/// @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag           message tag or MPI_ANY_TAG
/// @param comm          for active data, a communicator that the library knows
/// @param[out] flag     1 if there was a message, else 0
/// @param[out] message  receive it with AMPI_Mrecv or AMPI_Imrecv
/// @param[out] status   or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let on = Comm::new(comm);
        let code =
            left("AMPI_Improbe", on, || raw::MPI_Improbe(source, tag, comm, flag, message, status));
        probed("AMPI_Improbe", code, code == raw::SUCCESS && *flag != 0, comm, message)
    }
}

/// MPI_Probe.
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag          message tag or MPI_ANY_TAG
/// @param comm         a communicator
/// @param[out] status  or MPI_STATUS_IGNORE; MPI_Get_count counts in the type of the receiver
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Probe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    // SAFETY: as above.
    left("AMPI_Probe", on, || unsafe { raw::MPI_Probe(source, tag, comm, status) })
}

/// MPI_Iprobe.
/// @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
/// @param tag          message tag or MPI_ANY_TAG
/// @param comm         a communicator
/// @param[out] flag    1 if there was a message, else 0
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    // SAFETY: as above.
    left("AMPI_Iprobe", on, || unsafe { raw::MPI_Iprobe(source, tag, comm, flag, status) })
}

/// MPI_Barrier. Collective over `comm`.
/// @param comm  a communicator
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Barrier(comm: MPI_Comm) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    // SAFETY: as above.
    left("AMPI_Barrier", on, || unsafe { raw::MPI_Barrier(comm) })
}

/// MPI_Barrier_init: each start is AMPI_Ibarrier. Collective over `comm`, which may be freed before a start.
/// @param comm          a communicator
/// @param info          not looked at
/// @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Barrier_init(
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut AMPI_Request,
) -> c_int {
    const NAME: &str = "AMPI_Barrier_init";
    let _ = info;
    // SAFETY: as MPI's contract says.
    unsafe {
        again(NAME, comm, request, |comm, place| {
            start(NAME, place, Comm::new(comm), |handle| ffi::MPI_Ibarrier(comm, handle))
        })
    }
}

/// A call of MPI's, which raises its own errors.
fn left(call: &str, comm: Comm, mpi: impl FnOnce() -> c_int) -> c_int {
    synchronised(call, Object::Comm(comm), mpi)
}

/// MPI_Start. Each start decides whether the message is recorded.
/// @param[in,out] request  persistent and not active
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Start(request: *mut AMPI_Request) -> c_int {
    let mut is_left = false;
    let code = mpi_call("AMPI_Start", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        is_left = request::start(unsafe { super::slot(request) }?)?;
        Ok(())
    });
    // SAFETY: as above; the request is live.
    if is_left { unsafe { start_anew(request) } } else { code }
}

/// MPI_Startall. The requests start in the order of the array.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, persistent and not active
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Startall(count: c_int, requests: *mut AMPI_Request) -> c_int {
    let (mut from, mut left) = (0, None);
    loop {
        let code = mpi_call("AMPI_Startall", Comm::world(), || {
            // SAFETY: as MPI's contract says.
            left = request::start_all(unsafe { slots(requests, count) }?, from)?;
            Ok(())
        });
        let Some(i) = left.take() else { return code };
        // SAFETY: as above; the request is live.
        let code = unsafe { start_anew(requests.add(i)) };
        if code != raw::SUCCESS {
            return code;
        }
        from = i + 1;
    }
}

/// Starts a collective, which raises its own errors.
///
/// # Safety
/// `request` leads to a live request.
unsafe fn start_anew(request: *mut AMPI_Request) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { (**request).start_anew() } {
        Ok(()) => raw::SUCCESS,
        Err(code) => code,
    }
}

/// MPI_Wait. The completion of an active receive is recorded, on the tape that its start was recorded on.
/// @param[in,out] request  AMPI_REQUEST_NULL on return, unless it is persistent; this holds in the calls below too
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Wait(
    request: *mut AMPI_Request,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Wait", Comm::world(), || {
        // SAFETY: as above.
        request::wait(unsafe { super::slot(request) }?, &mut place)
    })
}

/// MPI_Test.
/// @param[in,out] request  AMPI_REQUEST_NULL on return if complete
/// @param[out] flag        1 if complete, else 0
/// @param[out] status      or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Test(
    request: *mut AMPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Test", Comm::world(), || {
        // SAFETY: as above.
        unsafe {
            let (slot, flag) = (super::slot(request)?, super::out("flag", flag)?);
            *flag = c_int::from(request::test(slot, &mut place)?);
        }
        Ok(())
    })
}

/// MPI_Waitall. Completions are recorded in the order of the array.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return
/// @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitall(
    count: c_int,
    requests: *mut AMPI_Request,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut places = unsafe { StatusSlots::new(statuses) };
    mpi_call("AMPI_Waitall", Comm::world(), || {
        // SAFETY: as above.
        let slots = unsafe { slots(requests, count) }?;
        request::all(slots, Completion::WaitAll, &mut places).map(|_| ())
    })
}

/// MPI_Testall.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return if all are complete
/// @param[out] flag         1 if all are complete, else 0
/// @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testall(
    count: c_int,
    requests: *mut AMPI_Request,
    flag: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut places = unsafe { StatusSlots::new(statuses) };
    mpi_call("AMPI_Testall", Comm::world(), || {
        // SAFETY: as above.
        let (slots, flag) = unsafe { (slots(requests, count)?, super::out("flag", flag)?) };
        *flag = c_int::from(request::all(slots, Completion::TestAll, &mut places)?);
        Ok(())
    })
}

/// MPI_Waitany.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
/// @param[out] index        which one, or MPI_UNDEFINED if none was active
/// @param[out] status       or MPI_STATUS_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitany(
    count: c_int,
    requests: *mut AMPI_Request,
    index: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Waitany", Comm::world(), || {
        // SAFETY: as above.
        let (slots, index) = unsafe { (slots(requests, count)?, super::out("index", index)?) };
        *index = request::any(slots, Completion::WaitAny, &mut place)?.index();
        Ok(())
    })
}

/// MPI_Testany.
/// @param count             number of requests
/// @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
/// @param[out] index        which one, or MPI_UNDEFINED
/// @param[out] flag         1 if one is complete or none was active, else 0
/// @param[out] status       or MPI_STATUS_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testany(
    count: c_int,
    requests: *mut AMPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Testany", Comm::world(), || {
        // SAFETY: as above.
        let (slots, index, flag) = unsafe {
            (slots(requests, count)?, super::out("index", index)?, super::out("flag", flag)?)
        };
        let found = request::any(slots, Completion::TestAny, &mut place)?;
        (*index, *flag) = (found.index(), c_int::from(found.is_answer()));
        Ok(())
    })
}

/// MPI_Waitsome.
/// @param incount           number of requests
/// @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
/// @param[out] outcount     how many, or MPI_UNDEFINED if none was active
/// @param[out] indices      their indices: room for `incount`
/// @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Waitsome(
    incount: c_int,
    requests: *mut AMPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        super::complete_some(
            "AMPI_Waitsome",
            Completion::WaitSome,
            incount,
            requests,
            outcount,
            indices,
            statuses,
        )
    }
}

/// MPI_Testsome.
/// @param incount           number of requests
/// @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
/// @param[out] outcount     how many, or MPI_UNDEFINED if none was active
/// @param[out] indices      their indices: room for `incount`
/// @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
/// @return an MPI code, raised on a request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Testsome(
    incount: c_int,
    requests: *mut AMPI_Request,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        super::complete_some(
            "AMPI_Testsome",
            Completion::TestSome,
            incount,
            requests,
            outcount,
            indices,
            statuses,
        )
    }
}

/// MPI_Request_free. An active send may be freed: its adjoint still comes back. An active receive must not be freed.
/// @param[in,out] request  AMPI_REQUEST_NULL on return
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_free(request: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Request_free", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::free(unsafe { super::slot(request) }?)
    })
}

/// MPI_Request_get_status. It does not complete the request, so an active buffer does not hold new values yet.
/// @param request      the request
/// @param[out] flag    1 if the call is complete, else 0
/// @param[out] status  or MPI_STATUS_IGNORE
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_get_status(
    request: AMPI_Request,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let mut place = unsafe { StatusSlot::new(status) };
    mpi_call("AMPI_Request_get_status", Comm::world(), || {
        // SAFETY: as above.
        let flag = unsafe { super::out("flag", flag) }?;
        // SAFETY: as above.
        let found = request::peek(unsafe { request.as_mut() })?;
        *flag = c_int::from(found.is_some());
        found.iter().for_each(|status| place.set(status));
        Ok(())
    })
}

/// MPI_Cancel. A receive that is cancelled is not recorded; an active send cannot be cancelled.
/// @param request  the request, which is still to be completed
/// @return an MPI code, raised on the request's communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Cancel(request: *mut AMPI_Request) -> c_int {
    mpi_call("AMPI_Cancel", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        request::cancel(unsafe { super::slot(request) }?)
    })
}

/// Returns the Fortran number of a request, which is valid until the request completes.
/// @param request  or AMPI_REQUEST_NULL
/// @return the number; 0 for AMPI_REQUEST_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Request_c2f(request: AMPI_Request) -> MPI_Fint {
    // SAFETY: as the C contract says.
    unsafe { request.as_mut() }.map_or(0, |request| {
        let address = std::ptr::from_mut(request).expose_provenance();
        request::number_of(request, address)
    })
}

/// Returns the request with a number from AMPI_Request_c2f.
/// @param request  the number
/// @return the request; AMPI_REQUEST_NULL for 0 and for a number that is not in use
#[unsafe(no_mangle)]
pub extern "C-unwind" fn AMPI_Request_f2c(request: MPI_Fint) -> AMPI_Request {
    std::ptr::with_exposed_provenance_mut(request::address_of(request))
}

/// For the guards: the library's request for one of MPI's.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_wrap_request(request: MPI_Request) -> AMPI_Request {
    // SAFETY: the guards pass the request of a call that has just started.
    let transfer = unsafe { Transfer::adopt(request) };
    Request::of_mpi(transfer, None).map_or(std::ptr::null_mut(), Box::into_raw)
}

/// For the guards: where a wrapped request is kept.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_wrapped_request(request: AMPI_Request) -> *mut MPI_Request {
    // SAFETY: the guards pass a handle of the user.
    let request = unsafe { request.as_mut() }.filter(|request| request.is_passive());
    request.map_or(std::ptr::null_mut(), |request| request.transfer().place())
}
