//! The C interface of collectives. `include/admpi/collectives.h` is generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::messages::admpi_request;
use super::mpi_call;
use crate::ampi::argument::{Many, all_passive, rooted_passive};
use crate::ampi::movement;
use crate::ampi::request::Request;
use crate::datatype::is_passive;
use crate::mpi::plain;
use crate::mpi::raw::{MPI_Comm, MPI_Datatype};
use crate::mpi::{Argument, Arguments, Comm, Datatype, How, Types};
use std::ffi::{c_int, c_void};

#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;

/// MPI_Bcast. Collective over `comm`, which enters the library if it has not.
/// @param[in,out] buffer  `count` items of `datatype`
/// @param count           number of items
/// @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
/// @param root            the rank whose buffer is sent
/// @param comm            an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bcast(
    buffer: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (data, on) = unsafe { (Argument::new(buffer, count, datatype), Comm::new(comm)) };
    if is_passive(data.datatype()) {
        // SAFETY: as above.
        return unsafe { plain::MPI_Bcast(buffer, count, datatype, root, comm) };
    }
    mpi_call("AMPI_Bcast", on, || movement::bcast(&data, root, on, How::Now)?.finish())
}

/// MPI_Ibcast: as AMPI_Bcast. What is read is copied; what is received is in its buffer, with ids, once the
/// request is complete.
/// @param[in,out] buffer  `count` items of `datatype`
/// @param count           number of items
/// @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
/// @param root            the rank whose buffer is sent
/// @param comm            an intracommunicator for active data, which has entered the library
/// @param[out] request    to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ibcast(
    buffer: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (data, on) = unsafe { (Argument::new(buffer, count, datatype), Comm::new(comm)) };
    if is_passive(data.datatype()) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ibcast", request, on, |handle| {
                plain::MPI_Ibcast(buffer, count, datatype, root, comm, handle)
            })
        };
    }
    let begin = || Ok(Request::collective(movement::bcast(&data, root, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ibcast", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Gather. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank, on the root
/// @param recvcount     number of items from one rank, on the root
/// @param recvtype      active if `sendtype` is, on the root
/// @param root          the rank that gathers
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Gather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if rooted_passive(&send, &receive, root, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Gather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        };
    }
    mpi_call("AMPI_Gather", on, || movement::gather(&send, &receive, root, on, How::Now)?.finish())
}

/// MPI_Igather: as AMPI_Gather. What is read is copied; what is received is in its buffer, with ids, once the
/// request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank, on the root
/// @param recvcount     number of items from one rank, on the root
/// @param recvtype      active if `sendtype` is, on the root
/// @param root          the rank that gathers
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Igather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if rooted_passive(&send, &receive, root, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Igather", request, on, |handle| {
                plain::MPI_Igather(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::gather(&send, &receive, root, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Igather", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Gatherv. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks, on the root
/// @param recvcounts    number of items from each rank, on the root
/// @param displs        where they go, in extents of `recvtype`, on the root
/// @param recvtype      active if `sendtype` is, on the root
/// @param root          the rank that gathers
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Gatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                displs,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if rooted_passive(&send, &receive, root, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Gatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
            )
        };
    }
    mpi_call("AMPI_Gatherv", on, || movement::gather(&send, &receive, root, on, How::Now)?.finish())
}

/// MPI_Igatherv: as AMPI_Gatherv. What is read is copied; what is received is in its buffer, with ids, once
/// the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks, on the root
/// @param recvcounts    number of items from each rank, on the root
/// @param displs        where they go, in extents of `recvtype`, on the root
/// @param recvtype      active if `sendtype` is, on the root
/// @param root          the rank that gathers
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Igatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                displs,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if rooted_passive(&send, &receive, root, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Igatherv", request, on, |handle| {
                plain::MPI_Igatherv(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                    comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::gather(&send, &receive, root, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Igatherv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Scatter. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
/// @param sendcount     number of items for one rank, on the root
/// @param sendtype      active if `recvtype` is, on the root
/// @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
/// @param recvcount     number of items
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param root          the rank that scatters
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Scatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::Each(Argument::new(sendbuf, sendcount, sendtype)),
            Argument::new(recvbuf, recvcount, recvtype),
            Comm::new(comm),
        )
    };
    if rooted_passive(&receive, &send, root, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Scatter(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        };
    }
    mpi_call("AMPI_Scatter", on, || {
        movement::scatter(&send, &receive, root, on, How::Now)?.finish()
    })
}

/// MPI_Iscatter: as AMPI_Scatter. What is read is copied; what is received is in its buffer, with ids, once
/// the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
/// @param sendcount     number of items for one rank, on the root
/// @param sendtype      active if `recvtype` is, on the root
/// @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
/// @param recvcount     number of items
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param root          the rank that scatters
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iscatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::Each(Argument::new(sendbuf, sendcount, sendtype)),
            Argument::new(recvbuf, recvcount, recvtype),
            Comm::new(comm),
        )
    };
    if rooted_passive(&receive, &send, root, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Iscatter", request, on, |handle| {
                plain::MPI_Iscatter(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::scatter(&send, &receive, root, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Iscatter", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Scatterv. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       the items of all ranks, on the root
/// @param sendcounts    number of items for each rank, on the root
/// @param displs        where they are, in extents of `sendtype`, on the root
/// @param sendtype      active if `recvtype` is, on the root
/// @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
/// @param recvcount     number of items
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param root          the rank that scatters
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Scatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(
                sendbuf,
                sendcounts,
                displs,
                Types::One(Datatype::new(sendtype)),
            )),
            Argument::new(recvbuf, recvcount, recvtype),
            Comm::new(comm),
        )
    };
    if rooted_passive(&receive, &send, root, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Scatterv(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
            )
        };
    }
    mpi_call("AMPI_Scatterv", on, || {
        movement::scatter(&send, &receive, root, on, How::Now)?.finish()
    })
}

/// MPI_Iscatterv: as AMPI_Scatterv. What is read is copied; what is received is in its buffer, with ids, once
/// the request is complete.
/// @param sendbuf       the items of all ranks, on the root
/// @param sendcounts    number of items for each rank, on the root
/// @param displs        where they are, in extents of `sendtype`, on the root
/// @param sendtype      active if `recvtype` is, on the root
/// @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
/// @param recvcount     number of items
/// @param recvtype      AMPI_ADOUBLE or a type built from it for active data
/// @param root          the rank that scatters
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iscatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(
                sendbuf,
                sendcounts,
                displs,
                Types::One(Datatype::new(sendtype)),
            )),
            Argument::new(recvbuf, recvcount, recvtype),
            Comm::new(comm),
        )
    };
    if rooted_passive(&receive, &send, root, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Iscatterv", request, on, |handle| {
                plain::MPI_Iscatterv(
                    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                    comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::scatter(&send, &receive, root, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Iscatterv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Allgather. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Allgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if all_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
        };
    }
    mpi_call("AMPI_Allgather", on, || movement::allgather(&send, &receive, on, How::Now)?.finish())
}

/// MPI_Iallgather: as AMPI_Allgather. What is read is copied; what is received is in its buffer, with ids,
/// once the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iallgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if all_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Iallgather", request, on, |handle| {
                plain::MPI_Iallgather(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::allgather(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Iallgather", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Allgatherv. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param displs        where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Allgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                displs,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if all_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        };
    }
    mpi_call("AMPI_Allgatherv", on, || movement::allgather(&send, &receive, on, How::Now)?.finish())
}

/// MPI_Iallgatherv: as AMPI_Allgatherv. What is read is copied; what is received is in its buffer, with ids,
/// once the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param displs        where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iallgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Argument::new(sendbuf, sendcount, sendtype),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                displs,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if all_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Iallgatherv", request, on, |handle| {
                plain::MPI_Iallgatherv(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::allgather(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Iallgatherv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Alltoall. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
/// @param sendcount     number of items for one rank
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Alltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::Each(Argument::new(sendbuf, sendcount, sendtype)),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
        };
    }
    mpi_call("AMPI_Alltoall", on, || movement::alltoall(&send, &receive, on, How::Now)?.finish())
}

/// MPI_Ialltoall: as AMPI_Alltoall. What is read is copied; what is received is in its buffer, with ids, once
/// the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
/// @param sendcount     number of items for one rank
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ialltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::Each(Argument::new(sendbuf, sendcount, sendtype)),
            Many::Each(Argument::new(recvbuf, recvcount, recvtype)),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ialltoall", request, on, |handle| {
                plain::MPI_Ialltoall(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ialltoall", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Alltoallv. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in extents of `sendtype`
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(
                sendbuf,
                sendcounts,
                sdispls,
                Types::One(Datatype::new(sendtype)),
            )),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                rdispls,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        };
    }
    mpi_call("AMPI_Alltoallv", on, || movement::alltoall(&send, &receive, on, How::Now)?.finish())
}

/// MPI_Ialltoallv: as AMPI_Alltoallv. What is read is copied; what is received is in its buffer, with ids,
/// once the request is complete.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in extents of `sendtype`
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ialltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(
                sendbuf,
                sendcounts,
                sdispls,
                Types::One(Datatype::new(sendtype)),
            )),
            Many::List(Arguments::new(
                recvbuf,
                recvcounts,
                rdispls,
                Types::One(Datatype::new(recvtype)),
            )),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ialltoallv", request, on, |handle| {
                plain::MPI_Ialltoallv(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                    comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ialltoallv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Alltoallw. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank: all active, or all passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank; active if `sendtypes` are
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(sendbuf, sendcounts, sdispls, Types::Each(sendtypes))),
            Many::List(Arguments::new(recvbuf, recvcounts, rdispls, Types::Each(recvtypes))),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        };
    }
    mpi_call("AMPI_Alltoallw", on, || movement::alltoall(&send, &receive, on, How::Now)?.finish())
}

/// MPI_Ialltoallw: as AMPI_Alltoallw. What is read is copied; what is received is in its buffer, with ids,
/// once the request is complete.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank: all active, or all passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank; active if `sendtypes` are
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ialltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::new(sendbuf, sendcounts, sdispls, Types::Each(sendtypes))),
            Many::List(Arguments::new(recvbuf, recvcounts, rdispls, Types::Each(recvtypes))),
            Comm::new(comm),
        )
    };
    if all_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ialltoallw", request, on, |handle| {
                plain::MPI_Ialltoallw(
                    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                    recvtypes, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(movement::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ialltoallw", on, || unsafe { super::hand_out(request, begin) })
}
