//! The C interface of neighbourhood collectives. `include/admpi/neighbors.h` is generated from this file.
//!
//! A call whose datatypes are passive goes straight to MPI, where a user's error handler may throw.

use super::messages::admpi_request;
use super::support::collectives::{
    End, each, list, list_of_types, neighbor_allgather, neighbor_alltoall,
};
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use crate::mpi::{Argument, Lists};
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        neighbor_allgather("AMPI_Neighbor_allgather", send, receive, comm, End::Now)
    }
}

/// AMPI_Neighbor_allgather with counts past 2^31.
/// @param sendbuf       `sendcount` items of `sendtype`
/// @param sendcount     number of items
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_allgather_c(
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
        neighbor_allgather("AMPI_Neighbor_allgather_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = each(recvbuf, recvcount, recvtype);
        neighbor_allgather("AMPI_Ineighbor_allgather", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ineighbor_allgather with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_allgather_c(
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
        neighbor_allgather("AMPI_Ineighbor_allgather_c", send, receive, comm, End::Request(request))
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        neighbor_allgather("AMPI_Neighbor_allgatherv", send, receive, comm, End::Now)
    }
}

/// AMPI_Neighbor_allgatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Neighbor_allgatherv_c(
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
        neighbor_allgather("AMPI_Neighbor_allgatherv_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = Argument::new(sendbuf, sendcount, sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, displs), recvtype);
        neighbor_allgather("AMPI_Ineighbor_allgatherv", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ineighbor_allgatherv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_allgatherv_c(
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
        neighbor_allgather(
            "AMPI_Ineighbor_allgatherv_c",
            send,
            receive,
            comm,
            End::Request(request),
        )
    }
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
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        neighbor_alltoall("AMPI_Neighbor_alltoall", send, receive, comm, End::Now)
    }
}

/// AMPI_Neighbor_alltoall with counts past 2^31.
/// @param sendbuf       `sendcount` items of `sendtype` for each destination
/// @param sendcount     number of items for one destination
/// @param sendtype      AMPI_ADOUBLE or a type built from it for active data
/// @param[out] recvbuf  room for `recvcount` items from each source
/// @param recvcount     number of items from one source
/// @param recvtype      active if `sendtype` is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoall_c(
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
        neighbor_alltoall("AMPI_Neighbor_alltoall_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let (send, receive) =
            (each(sendbuf, sendcount, sendtype), each(recvbuf, recvcount, recvtype));
        neighbor_alltoall("AMPI_Ineighbor_alltoall", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ineighbor_alltoall with counts past 2^31.
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
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoall_c(
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
        neighbor_alltoall("AMPI_Ineighbor_alltoall_c", send, receive, comm, End::Request(request))
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, rdispls), recvtype);
        neighbor_alltoall("AMPI_Neighbor_alltoallv", send, receive, comm, End::Now)
    }
}

/// AMPI_Neighbor_alltoallv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoallv_c(
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
        neighbor_alltoall("AMPI_Neighbor_alltoallv_c", send, receive, comm, End::Now)
    }
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
    unsafe {
        let send = list(sendbuf, Lists::Int(sendcounts, sdispls), sendtype);
        let receive = list(recvbuf, Lists::Int(recvcounts, rdispls), recvtype);
        neighbor_alltoall("AMPI_Ineighbor_alltoallv", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ineighbor_alltoallv with counts and displacements past 2^31. All ranks call this form.
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
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoallv_c(
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
        neighbor_alltoall("AMPI_Ineighbor_alltoallv_c", send, receive, comm, End::Request(request))
    }
}

/// MPI_Neighbor_alltoallw. The part of a neighbour that is MPI_PROC_NULL keeps its values and their
/// derivatives. Collective over `comm`, which has entered the library. Where active data moves between any two ranks,
/// every rank that has neighbours has an active type among its own, be it that of a part without items.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination, active or passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source, active where the sender's is
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
    unsafe {
        let send = list_of_types(sendbuf, Lists::Addresses(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Addresses(recvcounts, rdispls), recvtypes);
        neighbor_alltoall("AMPI_Neighbor_alltoallw", send, receive, comm, End::Now)
    }
}

/// AMPI_Neighbor_alltoallw with counts and displacements past 2^31. All ranks call this form.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination, active or passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source, active where the sender's is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Neighbor_alltoallw_c(
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
        neighbor_alltoall("AMPI_Neighbor_alltoallw_c", send, receive, comm, End::Now)
    }
}

/// MPI_Ineighbor_alltoallw: as AMPI_Neighbor_alltoallw. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination, active or passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source, active where the sender's is
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
    unsafe {
        let send = list_of_types(sendbuf, Lists::Addresses(sendcounts, sdispls), sendtypes);
        let receive = list_of_types(recvbuf, Lists::Addresses(recvcounts, rdispls), recvtypes);
        neighbor_alltoall("AMPI_Ineighbor_alltoallw", send, receive, comm, End::Request(request))
    }
}

/// AMPI_Ineighbor_alltoallw with counts and displacements past 2^31. All ranks call this form.
/// @param sendbuf       the items for all destinations
/// @param sendcounts    number of items for each destination
/// @param sdispls       where they are, in bytes
/// @param sendtypes     a datatype for each destination, active or passive
/// @param[out] recvbuf  room for the items of all sources
/// @param recvcounts    number of items from each source
/// @param rdispls       where they go, in bytes
/// @param recvtypes     a datatype for each source, active where the sender's is
/// @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ineighbor_alltoallw_c(
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
        neighbor_alltoall("AMPI_Ineighbor_alltoallw_c", send, receive, comm, End::Request(request))
    }
}
