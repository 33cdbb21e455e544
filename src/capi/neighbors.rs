//! The C interface of neighbourhood collectives. `include/admpi/neighbors.h` is generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::messages::admpi_request;
use super::mpi_call;
use crate::ampi::argument::{Many, neighbours_passive};
use crate::ampi::neighbor;
use crate::ampi::request::Request;
use crate::mpi::plain;
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Datatype};
use crate::mpi::{Argument, Arguments, Comm, Datatype, How, Types};
use std::ffi::{c_int, c_void};

#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;

/// MPI_Neighbor_allgather. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_allgather(
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
    if neighbours_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Neighbor_allgather(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        };
    }
    mpi_call("AMPI_Neighbor_allgather", on, || {
        neighbor::allgather(&send, &receive, on, How::Now)?.finish()
    })
}

/// MPI_Ineighbor_allgather: as AMPI_Neighbor_allgather. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_allgather(
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
    if neighbours_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ineighbor_allgather", request, on, |handle| {
                plain::MPI_Ineighbor_allgather(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(neighbor::allgather(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ineighbor_allgather", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Neighbor_allgatherv. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param displs        where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_allgatherv(
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
    if neighbours_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Neighbor_allgatherv(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
            )
        };
    }
    mpi_call("AMPI_Neighbor_allgatherv", on, || {
        neighbor::allgather(&send, &receive, on, How::Now)?.finish()
    })
}

/// MPI_Ineighbor_allgatherv: as AMPI_Neighbor_allgatherv. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param displs        where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_allgatherv(
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
    if neighbours_passive(&Many::Each(send), &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ineighbor_allgatherv", request, on, |handle| {
                plain::MPI_Ineighbor_allgatherv(
                    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                    handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(neighbor::allgather(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ineighbor_allgatherv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Neighbor_alltoall. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `sendcount` items of `sendtype` for each destination
/// @param sendcount     number of items for one destination
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoall(
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
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Neighbor_alltoall(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
            )
        };
    }
    mpi_call("AMPI_Neighbor_alltoall", on, || {
        neighbor::alltoall(&send, &receive, on, How::Now)?.finish()
    })
}

/// MPI_Ineighbor_alltoall: as AMPI_Neighbor_alltoall. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       `sendcount` items of `sendtype` for each destination
/// @param sendcount     number of items for one destination
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoall(
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
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ineighbor_alltoall", request, on, |handle| {
                plain::MPI_Ineighbor_alltoall(
                    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(neighbor::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ineighbor_alltoall", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Neighbor_alltoallv. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in extents of `sendtype`
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoallv(
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
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Neighbor_alltoallv(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm,
            )
        };
    }
    mpi_call("AMPI_Neighbor_alltoallv", on, || {
        neighbor::alltoall(&send, &receive, on, How::Now)?.finish()
    })
}

/// MPI_Ineighbor_alltoallv: as AMPI_Neighbor_alltoallv. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in extents of `sendtype`
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in extents of `recvtype`
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoallv(
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
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ineighbor_alltoallv", request, on, |handle| {
                plain::MPI_Ineighbor_alltoallv(
                    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                    comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(neighbor::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ineighbor_alltoallv", on, || unsafe { super::hand_out(request, begin) })
}

/// MPI_Neighbor_alltoallw. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which has entered the library.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination: all active, or all passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source; active if `sendtypes` are
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::with_addresses(
                sendbuf,
                sendcounts,
                sdispls,
                Types::Each(sendtypes),
            )),
            Many::List(Arguments::with_addresses(
                recvbuf,
                recvcounts,
                rdispls,
                Types::Each(recvtypes),
            )),
            Comm::new(comm),
        )
    };
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            plain::MPI_Neighbor_alltoallw(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm,
            )
        };
    }
    mpi_call("AMPI_Neighbor_alltoallw", on, || {
        neighbor::alltoall(&send, &receive, on, How::Now)?.finish()
    })
}

/// MPI_Ineighbor_alltoallw: as AMPI_Neighbor_alltoallw. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination: all active, or all passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source; active if `sendtypes` are
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let (send, receive, on) = unsafe {
        (
            Many::List(Arguments::with_addresses(
                sendbuf,
                sendcounts,
                sdispls,
                Types::Each(sendtypes),
            )),
            Many::List(Arguments::with_addresses(
                recvbuf,
                recvcounts,
                rdispls,
                Types::Each(recvtypes),
            )),
            Comm::new(comm),
        )
    };
    if neighbours_passive(&send, &receive, on) {
        // SAFETY: as above.
        return unsafe {
            super::start("AMPI_Ineighbor_alltoallw", request, on, |handle| {
                plain::MPI_Ineighbor_alltoallw(
                    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                    recvtypes, comm, handle,
                )
            })
        };
    }
    let begin =
        || Ok(Request::collective(neighbor::alltoall(&send, &receive, on, How::Begin)?, on));
    // SAFETY: as above.
    mpi_call("AMPI_Ineighbor_alltoallw", on, || unsafe { super::hand_out(request, begin) })
}
