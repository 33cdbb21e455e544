//! Partitioned messages, for their guards in C (`src/shim/mpi_guards.c`): active ones, and all where MPI has none.
#![allow(non_snake_case)] // MPI's

use super::arguments::{array, null};
use super::calls::{mpi_call, out};
use super::messages::{self, native_receive, native_send};
use super::tools::tool_of;
use crate::ampi::message::Route;
use crate::ampi::pairs::Way;
use crate::ampi::partitioned::{self, End, Part};
use crate::ampi::recording;
use crate::ampi::request::{Native, Request};
use crate::count::from_c;
use crate::datatype::{BufferTriple, is_passive_message};
use crate::mpi::message::Envelope;
use crate::mpi::raw::{MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info};
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, MpiResult, check};
use std::ffi::{c_int, c_void};
use std::sync::Mutex;

type Make = fn(&BufferTriple, usize, End, Comm, Option<Native<'_>>) -> MpiResult<Box<Request>>;

/// Makes a request of `count` items in each of so many partitions.
///
/// # Safety
/// As MPI's contract says.
unsafe fn init(
    call: &str,
    (buf, partitions, count, datatype): (*const c_void, c_int, MPI_Count, MPI_Datatype),
    (envelope, way, comm): (Envelope, Way, MPI_Comm),
    (make, native): (Make, messages::Native),
    place: *mut *mut Request,
) -> c_int {
    // SAFETY: as MPI's contract says.
    let on = unsafe { Comm::new(comm) };
    mpi_call(call, on, || {
        if place.is_null() {
            return Err(null("request").into());
        }
        let (partitions, items) = partitioned::total(partitions, count)?;
        // SAFETY: as above; MPI uses the buffer until the request is freed.
        let data = unsafe { BufferTriple::new(buf, items, datatype) };
        if tool_of(&data).is_some() {
            return Err(recording::no_adjoint().into());
        }
        let end = End::new(on, envelope, way)?;
        let made = |route: &Route| {
            let mut transfer = Transfer::default();
            // SAFETY: as above.
            check(unsafe { native(&data, route, transfer.place()) })?;
            Ok(transfer)
        };
        let native: Option<Native<'_>> =
            if is_passive_message(data.datatype()) { Some(&made) } else { None };
        let request = make(&data, partitions, end, on, native)?;
        // SAFETY: not NULL.
        unsafe { place.write(Box::into_raw(request)) };
        Ok(())
    })
}

/// For the guard of AMPI_Psend_init.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_Psend_init(
    buf: *const c_void,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut *mut Request,
) -> c_int {
    let _ = info;
    let (data, to) = ((buf, partitions, count, datatype), Envelope::new(dest, tag));
    let made = (Request::send_partitioned as Make, native_send as _);
    // SAFETY: as MPI's contract says.
    unsafe { init("AMPI_Psend_init", data, (to, Way::Out, comm), made, request) }
}

/// For the guard of AMPI_Precv_init.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_Precv_init(
    buf: *mut c_void,
    partitions: c_int,
    count: MPI_Count,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut *mut Request,
) -> c_int {
    let _ = info;
    let (data, from) =
        ((buf.cast_const(), partitions, count, datatype), Envelope::new(source, tag));
    let made = (Request::receive_partitioned as Make, native_receive as _);
    // SAFETY: as MPI's contract says.
    unsafe { init("AMPI_Precv_init", data, (from, Way::In, comm), made, request) }
}

/// For the guards: whether the library made the request, which no one looks into.
#[unsafe(no_mangle)]
extern "C-unwind" fn admpi_shim_is_partitioned(request: *mut Request) -> c_int {
    c_int::from(partitioned::is_known(request.addr()))
}

/// For the guard of AMPI_Pready.
#[unsafe(no_mangle)]
extern "C-unwind" fn admpi_shim_Pready(partition: c_int, request: *mut Request) -> c_int {
    mpi_call("AMPI_Pready", Comm::world(), || {
        partitioned::ready(request.addr(), std::iter::once(partition))
    })
}

/// For the guard of AMPI_Pready_range.
#[unsafe(no_mangle)]
extern "C-unwind" fn admpi_shim_Pready_range(
    partition_low: c_int,
    partition_high: c_int,
    request: *mut Request,
) -> c_int {
    mpi_call("AMPI_Pready_range", Comm::world(), || {
        partitioned::ready(request.addr(), partitioned::range(partition_low, partition_high)?)
    })
}

/// For the guard of AMPI_Pready_list.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_Pready_list(
    length: c_int,
    array_of_partitions: *const c_int,
    request: *mut Request,
) -> c_int {
    mpi_call("AMPI_Pready_list", Comm::world(), || {
        let n = from_c("length", length.into())?;
        // SAFETY: as MPI's contract says.
        let parts = unsafe { array("array_of_partitions", array_of_partitions, n) }?;
        partitioned::ready(request.addr(), parts.iter().copied())
    })
}

/// For the guard of AMPI_Parrived.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn admpi_shim_Parrived(
    request: *mut Request,
    partition: c_int,
    flag: *mut c_int,
) -> c_int {
    /// Threads may ask for partitions of one request at once.
    static ASKING: Mutex<()> = Mutex::new(());
    mpi_call("AMPI_Parrived", Comm::world(), || {
        // SAFETY: as MPI's contract says.
        let flag = unsafe { out("flag", flag) }?;
        if let Part::Sending(_) = partitioned::find(request.addr())? {
            return Err(partitioned::no_receive().into());
        }
        let _alone = ASKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: a live request, and no thread completes it while others ask.
        *flag = c_int::from(unsafe { (*request).has_arrived(partition) }?);
        Ok(())
    })
}
