//! The C interface of collectives. `include/admpi/collectives.h` is generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::messages::admpi_request;
use super::support::collectives::{
    End, allgather, alltoall, bcast, each, gather, list, list_of_types, scatter,
};
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use crate::mpi::{Argument, Lists};
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
    unsafe { bcast("AMPI_Bcast", Argument::new(buffer, count, datatype), root, comm, End::Now) }
}

/// AMPI_Bcast with a count past 2^31.
/// @param[in,out] buffer  `count` items of `datatype`
/// @param count           number of items
/// @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
/// @param root            the rank whose buffer is sent
/// @param comm            an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Bcast_c(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe { bcast("AMPI_Bcast_c", Argument::new(buffer, count, datatype), root, comm, End::Now) }
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
    unsafe {
        let data = Argument::new(buffer, count, datatype);
        bcast("AMPI_Ibcast", data, root, comm, End::Request(request))
    }
}

/// AMPI_Ibcast with a count past 2^31.
/// @param[in,out] buffer  `count` items of `datatype`
/// @param count           number of items
/// @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
/// @param root            the rank whose buffer is sent
/// @param comm            an intracommunicator for active data, which has entered the library
/// @param[out] request    to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ibcast_c(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let data = Argument::new(buffer, count, datatype);
        bcast("AMPI_Ibcast_c", data, root, comm, End::Request(request))
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        gather("AMPI_Gather", send, receive, root, comm, End::Now)
    }
}

/// AMPI_Gather with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Gather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        gather("AMPI_Gather_c", send, receive, root, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        gather("AMPI_Igather", send, receive, root, comm, End::Request(request))
    }
}

/// AMPI_Igather with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Igather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        gather("AMPI_Igather_c", send, receive, root, comm, End::Request(request))
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        gather("AMPI_Gatherv", send, receive, root, comm, End::Now)
    }
}

/// AMPI_Gatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Gatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, displs), recvtype);
        gather("AMPI_Gatherv_c", send, receive, root, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        gather("AMPI_Igatherv", send, receive, root, comm, End::Request(request))
    }
}

/// AMPI_Igatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Igatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, displs), recvtype);
        gather("AMPI_Igatherv_c", send, receive, root, comm, End::Request(request))
    }
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
    unsafe {
        let send = each(sendbuf, sendcount, sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Scatter", send, receive, root, comm, End::Now)
    }
}

/// AMPI_Scatter with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Scatter_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = each(sendbuf, sendcount, sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Scatter_c", send, receive, root, comm, End::Now)
    }
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
    unsafe {
        let send = each(sendbuf, sendcount, sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Iscatter", send, receive, root, comm, End::Request(request))
    }
}

/// AMPI_Iscatter with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Iscatter_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = each(sendbuf, sendcount, sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Iscatter_c", send, receive, root, comm, End::Request(request))
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, displs), sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Scatterv", send, receive, root, comm, End::Now)
    }
}

/// AMPI_Scatterv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Scatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list(sendbuf, Lists::Large(sendcounts, displs), sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Scatterv_c", send, receive, root, comm, End::Now)
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, displs), sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Iscatterv", send, receive, root, comm, End::Request(request))
    }
}

/// AMPI_Iscatterv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Iscatterv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list(sendbuf, Lists::Large(sendcounts, displs), sendtype);
        let receive = Argument::new(recvbuf, recvcount, recvtype);
        scatter("AMPI_Iscatterv_c", send, receive, root, comm, End::Request(request))
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        allgather("AMPI_Allgather", send, receive, comm, End::Now)
    }
}

/// AMPI_Allgather with counts past 2^31.
/// @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Allgather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        allgather("AMPI_Allgather_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        allgather("AMPI_Iallgather", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Iallgather with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Iallgather_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        allgather("AMPI_Iallgather_c", send, receive, comm, End::Request(request))
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        allgather("AMPI_Allgatherv", send, receive, comm, End::Now)
    }
}

/// AMPI_Allgatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Allgatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, displs), recvtype);
        allgather("AMPI_Allgatherv_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        allgather("AMPI_Iallgatherv", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Iallgatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Iallgatherv_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    displs: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, displs), recvtype);
        allgather("AMPI_Iallgatherv_c", send, receive, comm, End::Request(request))
    }
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
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        alltoall("AMPI_Alltoall", send, receive, comm, End::Now)
    }
}

/// AMPI_Alltoall with counts past 2^31.
/// @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
/// @param sendcount     number of items for one rank
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each rank
/// @param recvcount     number of items from one rank
/// @param recvtype      active if `sendtype` is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Alltoall_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        alltoall("AMPI_Alltoall_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        alltoall("AMPI_Ialltoall", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ialltoall with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Ialltoall_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        alltoall("AMPI_Ialltoall_c", send, receive, comm, End::Request(request))
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, rdispls), recvtype);
        alltoall("AMPI_Alltoallv", send, receive, comm, End::Now)
    }
}

/// AMPI_Alltoallv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Alltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list(sendbuf, Lists::Large(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, rdispls), recvtype);
        alltoall("AMPI_Alltoallv_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, rdispls), recvtype);
        alltoall("AMPI_Ialltoallv", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ialltoallv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Ialltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list(sendbuf, Lists::Large(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Large(recvcounts, rdispls), recvtype);
        alltoall("AMPI_Ialltoallv_c", send, receive, comm, End::Request(request))
    }
}

/// MPI_Alltoallw. Collective over `comm`, which enters the library if it has not. Where active data moves between any
/// two ranks, every rank has an active type among its own, be it that of a part without items.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank, active or passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank, active where that rank's for this one is
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
    unsafe {
        let send = list_of_types(sendbuf, Lists::Int(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Int(recvcounts, rdispls), recvtypes);
        alltoall("AMPI_Alltoallw", send, receive, comm, End::Now)
    }
}

/// AMPI_Alltoallw with counts and displacements past 2^31. All ranks call this form.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank, active or passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank, active where that rank's for this one is
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Alltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list_of_types(sendbuf, Lists::Large(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Large(recvcounts, rdispls), recvtypes);
        alltoall("AMPI_Alltoallw_c", send, receive, comm, End::Now)
    }
}

/// MPI_Ialltoallw: as AMPI_Alltoallw. What is read is copied; what is received is in its buffer, with ids,
/// once the request is complete.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank, active or passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank, active where that rank's for this one is
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
    unsafe {
        let send = list_of_types(sendbuf, Lists::Int(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Int(recvcounts, rdispls), recvtypes);
        alltoall("AMPI_Ialltoallw", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ialltoallw with counts and displacements past 2^31. All ranks call this form.
/// @param sendbuf       the items for all ranks, or MPI_IN_PLACE
/// @param sendcounts    number of items for each rank
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each rank, active or passive
/// @param[out] recvbuf  room for the items of all ranks
/// @param recvcounts    number of items from each rank
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each rank, active where that rank's for this one is
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ialltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let send = list_of_types(sendbuf, Lists::Large(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Large(recvcounts, rdispls), recvtypes);
        alltoall("AMPI_Ialltoallw_c", send, receive, comm, End::Request(request))
    }
}
