//! The C interface of reductions and of users' operations. `include/admpi/reductions.h` is generated from this
//! file.
//!
//! A call whose datatype is passive goes straight to MPI, where a user's error handler may throw.

use super::messages::admpi_request;
use super::mpi_call;
use super::support::collectives::{
    End, Operands, allreduce, reduce, reduce_local, reduce_scatter, scan,
};
use crate::ampi::custom;
use crate::ampi::scan::Extent;
use crate::mpi::raw::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Op, MPI_User_function};
use crate::mpi::{Comm, Counts, Derivative, Function, Op, Pieces, plain};
use std::ffi::{c_int, c_void};

#[allow(non_camel_case_types)]
type AMPI_Request = *mut admpi_request;

/// MPI_Reduce. Active doubles are reduced by MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or an operation made by
/// AMPI_Op_create or AMPI_Op_create_adjoint, pairs of AMPI_ADOUBLE_INT by MPI_MINLOC or MPI_MAXLOC.
/// Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
/// @param[out] recvbuf  room for `count` items, on the root
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param root          the rank that gets the result
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        reduce("AMPI_Reduce", operands, root, comm, End::Now)
    }
}

/// AMPI_Reduce with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
/// @param[out] recvbuf  room for `count` items, on the root
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param root          the rank that gets the result
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        reduce("AMPI_Reduce_c", operands, root, comm, End::Now)
    }
}

/// MPI_Ireduce: as AMPI_Reduce. What is read is copied; what is received is in its buffer, with ids, once the
/// request is complete. An operation that the user defines is applied at the completion, on the root to the
/// operands of all ranks, which takes memory for them there.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
/// @param[out] recvbuf  room for `count` items, on the root
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param root          the rank that gets the result
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        reduce("AMPI_Ireduce", operands, root, comm, End::Request(request))
    }
}

/// AMPI_Ireduce with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
/// @param[out] recvbuf  room for `count` items, on the root
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param root          the rank that gets the result
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        reduce("AMPI_Ireduce_c", operands, root, comm, End::Request(request))
    }
}

/// MPI_Allreduce. Active data as in AMPI_Reduce. Collective over `comm`, which enters the library if it has
/// not.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        allreduce("AMPI_Allreduce", operands, comm, End::Now)
    }
}

/// AMPI_Allreduce with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Allreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        allreduce("AMPI_Allreduce_c", operands, comm, End::Now)
    }
}

/// MPI_Iallreduce: as AMPI_Allreduce. What is read is copied; what is received is in its buffer, with ids, once
/// the request is complete. An operation that the user defines is applied at the completion, on every rank to the
/// operands of all ranks, which takes memory for them.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iallreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        allreduce("AMPI_Iallreduce", operands, comm, End::Request(request))
    }
}

/// AMPI_Iallreduce with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iallreduce_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        allreduce("AMPI_Iallreduce_c", operands, comm, End::Request(request))
    }
}

/// MPI_Reduce_scatter. Active data as in AMPI_Reduce. Collective over `comm`, which enters the library if it
/// has not.
/// @param sendbuf       the items of all ranks, one behind the other, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for this rank's items of the result
/// @param recvcounts    number of items of the result for each rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::List(recvcounts), datatype);
        reduce_scatter("AMPI_Reduce_scatter", pieces, op, comm, End::Now)
    }
}

/// AMPI_Reduce_scatter with counts past 2^31.
/// @param sendbuf       the items of all ranks, one behind the other, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for this rank's items of the result
/// @param recvcounts    number of items of the result for each rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Large(recvcounts), datatype);
        reduce_scatter("AMPI_Reduce_scatter_c", pieces, op, comm, End::Now)
    }
}

/// MPI_Ireduce_scatter: as AMPI_Reduce_scatter. What is read is copied; what is received is in its buffer, with
/// ids, once the request is complete. An operation that the user defines is applied at the completion, to what all
/// ranks bring for this one, which takes memory for that.
/// @param sendbuf       the items of all ranks, one behind the other, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for this rank's items of the result
/// @param recvcounts    number of items of the result for each rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::List(recvcounts), datatype);
        reduce_scatter("AMPI_Ireduce_scatter", pieces, op, comm, End::Request(request))
    }
}

/// AMPI_Ireduce_scatter with counts past 2^31.
/// @param sendbuf       the items of all ranks, one behind the other, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for this rank's items of the result
/// @param recvcounts    number of items of the result for each rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce_scatter_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Large(recvcounts), datatype);
        reduce_scatter("AMPI_Ireduce_scatter_c", pieces, op, comm, End::Request(request))
    }
}

/// MPI_Reduce_scatter_block. Active data as in AMPI_Reduce. Collective over `comm`, which enters the library
/// if it has not.
/// @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for `recvcount` items
/// @param recvcount     number of items of the result for one rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Each(recvcount.into()), datatype);
        reduce_scatter("AMPI_Reduce_scatter_block", pieces, op, comm, End::Now)
    }
}

/// AMPI_Reduce_scatter_block with a count past 2^31.
/// @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for `recvcount` items
/// @param recvcount     number of items of the result for one rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Each(recvcount), datatype);
        reduce_scatter("AMPI_Reduce_scatter_block_c", pieces, op, comm, End::Now)
    }
}

/// MPI_Ireduce_scatter_block: as AMPI_Reduce_scatter_block. What is read is copied; what is received is in its
/// buffer, with ids, once the request is complete. An operation that the user defines is applied at the
/// completion, to what all ranks bring for this one, which takes memory for that.
/// @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for `recvcount` items
/// @param recvcount     number of items of the result for one rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Each(recvcount.into()), datatype);
        reduce_scatter("AMPI_Ireduce_scatter_block", pieces, op, comm, End::Request(request))
    }
}

/// AMPI_Ireduce_scatter_block with a count past 2^31.
/// @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
/// @param[out] recvbuf  room for `recvcount` items
/// @param recvcount     number of items of the result for one rank
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Ireduce_scatter_block_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let pieces = Pieces::new(sendbuf, recvbuf, Counts::Each(recvcount), datatype);
        reduce_scatter("AMPI_Ireduce_scatter_block_c", pieces, op, comm, End::Request(request))
    }
}

/// MPI_Scan. Active data as in AMPI_Reduce. Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Scan", operands, Extent::Inclusive, comm, End::Now)
    }
}

/// AMPI_Scan with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Scan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Scan_c", operands, Extent::Inclusive, comm, End::Now)
    }
}

/// MPI_Iscan: as AMPI_Scan. What is read is copied; what is received is in its buffer, with ids, once the request
/// is complete. An operation that the user defines is applied at the completion, on every rank to the operands of
/// all ranks, which takes memory for them.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Iscan", operands, Extent::Inclusive, comm, End::Request(request))
    }
}

/// AMPI_Iscan with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Iscan_c", operands, Extent::Inclusive, comm, End::Request(request))
    }
}

/// MPI_Exscan. The buffer of rank 0 keeps its values and their derivatives. Active data as in AMPI_Reduce.
/// Collective over `comm`, which enters the library if it has not.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items; rank 0 receives nothing
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Exscan", operands, Extent::Exclusive, comm, End::Now)
    }
}

/// AMPI_Exscan with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items; rank 0 receives nothing
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Exscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Exscan_c", operands, Extent::Exclusive, comm, End::Now)
    }
}

/// MPI_Iexscan: as AMPI_Exscan. What is read is copied; what is received is in its buffer, with ids, once the
/// request is complete. An operation that the user defines is applied at the completion, on every rank to the
/// operands of all ranks, which takes memory for them.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items; rank 0 receives nothing
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iexscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Iexscan", operands, Extent::Exclusive, comm, End::Request(request))
    }
}

/// AMPI_Iexscan with a count past 2^31.
/// @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
/// @param[out] recvbuf  room for `count` items; rank 0 receives nothing
/// @param count         number of items
/// @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op            the operation
/// @param comm          an intracommunicator for active data, which has entered the library
/// @param[out] request  to be completed by an AMPI_ call, while the same tape is current
/// @return an MPI code, raised on `comm`
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Iexscan_c(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut AMPI_Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(sendbuf, recvbuf, count, datatype, op);
        scan("AMPI_Iexscan_c", operands, Extent::Exclusive, comm, End::Request(request))
    }
}

/// MPI_Reduce_local. With active data the result is recorded as any local computation is.
/// @param inbuf             `count` items of `datatype`: the left operands
/// @param[in,out] inoutbuf  `count` items: the right operands, then the results
/// @param count             number of items
/// @param datatype          AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op                the operation, as in AMPI_Reduce
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(inbuf, inoutbuf, count, datatype, op);
        reduce_local("AMPI_Reduce_local", operands)
    }
}

/// AMPI_Reduce_local with a count past 2^31.
/// @param inbuf             `count` items of `datatype`: the left operands
/// @param[in,out] inoutbuf  `count` items: the right operands, then the results
/// @param count             number of items
/// @param datatype          AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
/// @param op                the operation, as in AMPI_Reduce
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Reduce_local_c(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> c_int {
    // SAFETY: as MPI's contract says.
    unsafe {
        let operands = Operands::new(inbuf, inoutbuf, count, datatype, op);
        reduce_local("AMPI_Reduce_local_c", operands)
    }
}

/// The adjoint of one application of an operation to `len` items of `size` doubles each, in one direction: of
/// result = in op inout it is told the operands' values and the result's adjoint, and adds what the operands get
/// to `in_adjoint` and `inout_adjoint`. Must not throw.
#[allow(non_camel_case_types)]
pub type AMPI_Op_adjoint_function = Option<
    unsafe extern "C" fn(
        r#in: *const f64,
        inout: *const f64,
        result_adjoint: *const f64,
        in_adjoint: *mut f64,
        inout_adjoint: *mut f64,
        len: c_int,
        size: c_int,
    ),
>;

/// MPI_Op_create of an operation that may be given active data. Then `function` is called with arrays of admpi_var,
/// laid out as the call's datatype has them, and what it computes is recorded on the tape; on passive data MPI calls
/// it. Must not throw.
/// @param function  inout = in op inout
/// @param commute   1 if the operation is commutative; the order of ranks is kept all the same
/// @param[out] op   to be freed by AMPI_Op_free
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_create(
    function: MPI_User_function,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    mpi_call("AMPI_Op_create", Comm::world(), || {
        // SAFETY: the user's promise.
        let (function, op) = unsafe { (Function::new(function)?, super::out("op", op)?) };
        *op = custom::create(function, None, commute)?.raw();
        Ok(())
    })
}

/// Whether an operation was made by AMPI_Op_create_adjoint, so that its function knows doubles only. The overloads of
/// `admpi.hpp` ask. Local.
/// @param op  an operation
/// @return 1 or 0
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_op_has_adjoint(op: MPI_Op) -> c_int {
    // SAFETY: as the C contract says.
    let op = unsafe { Op::new(op) };
    c_int::from(custom::find(op).is_some_and(|custom| custom.has_derivative()))
}

/// As AMPI_Op_create of an operation whose derivative is known: `function` sees plain doubles only, those of
/// active data one behind the other (items of several doubles under a contiguous datatype of MPI_DOUBLE), and
/// `derivative` is called in reverse sweeps. The tape keeps the operands' values.
/// @param function    inout = in op inout
/// @param derivative  its adjoint
/// @param commute     1 if the operation is commutative; the order of ranks is kept all the same
/// @param[out] op     to be freed by AMPI_Op_free
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_create_adjoint(
    function: MPI_User_function,
    derivative: AMPI_Op_adjoint_function,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    mpi_call("AMPI_Op_create_adjoint", Comm::world(), || {
        // SAFETY: the user's promise.
        let (function, op) = unsafe { (Function::new(function)?, super::out("op", op)?) };
        // SAFETY: as above.
        let derivative = unsafe { Derivative::new(derivative)? };
        *op = custom::create(function, Some(derivative), commute)?.raw();
        Ok(())
    })
}

/// MPI_Op_free. What was recorded with the operation stays.
/// @param[in,out] op  the operation, then MPI_OP_NULL
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_free(op: *mut MPI_Op) -> c_int {
    // SAFETY: NULL, or a place of the user's.
    if let Some(op) = unsafe { op.as_ref() } {
        // SAFETY: a handle that the user holds.
        custom::forget(unsafe { Op::new(*op) });
    }
    // SAFETY: as MPI's contract says.
    unsafe { plain::MPI_Op_free(op) }
}
