//! What the functions for datatypes, packing and queries with counts past 2^31 do between C and the library.

use super::super::large_arguments::{fitted, shift, shift_mut};
use crate::error::{Code, Error};
use crate::large::access::items;
use crate::large::movement::{Fitted, Side};
use crate::large::pack::PackItem;
use crate::large::types;
use crate::large::{Call, array_type};
use crate::mpi::dimension::{self, Distribution};
use crate::mpi::raw::{self, MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Status};
use crate::mpi::self_copy::{self, Items};
use crate::mpi::types::{Made, aint, from_aint};
use crate::mpi::{Comm, Datatype, Failure, MpiResult, check, ffi, quirks};
use mpi_sys::MPI_Win;
use std::ffi::{c_char, c_int, c_void};

fn null(name: &str) -> Failure {
    Error::new(Code::Null, format!("{name} is NULL")).into()
}

/// Elements that a caller passed; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or leads to `n` elements.
pub unsafe fn array<'a, T>(
    (name, pointer): (&str, *const T),
    n: impl Into<MPI_Count>,
) -> MpiResult<&'a [T]> {
    let n = n.into();
    let Ok(length) = usize::try_from(n) else {
        return Err(Error::new(Code::Argument, format!("{name}: count = {n} is negative")).into());
    };
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(pointer, length) }),
    }
}

/// # Safety
/// As for `array`.
pub unsafe fn datatypes<'a>(
    (name, pointer): (&str, *const MPI_Datatype),
    n: impl Into<MPI_Count>,
) -> MpiResult<&'a [Datatype]> {
    // SAFETY: the caller's promise; a `Datatype` is a handle.
    unsafe { array((name, pointer.cast()), n) }
}

/// Gives the type that `make` makes to the caller.
///
/// # Safety
/// `newtype` may be written to, or is NULL.
pub unsafe fn give(
    call: Call,
    newtype: *mut MPI_Datatype,
    make: impl FnOnce() -> MpiResult<Made>,
) -> c_int {
    // SAFETY: the caller's promise, and not NULL.
    call.make(
        || if newtype.is_null() { Err(null("newtype")) } else { make() },
        |made| unsafe { newtype.write(made) },
    )
}

/// The part of an array.
pub fn subarray(
    sizes: &[i64],
    lengths: &[i64],
    starts: &[i64],
    order: c_int,
    of: Datatype,
) -> MpiResult<Made> {
    array_type(sizes, dimension::inside(sizes, lengths, starts)?, in_c_order(order)?, of)
}

/// The part that a rank has of a distributed array.
pub fn darray(
    (size, rank): (c_int, c_int),
    sizes: &[i64],
    kinds: &[c_int],
    lengths: &[impl Copy + Into<i64>],
    processes: &[c_int],
    order: c_int,
    of: Datatype,
) -> MpiResult<Made> {
    let distributions: Vec<_> = kinds
        .iter()
        .zip(lengths)
        .map(|(&kind, &length)| Distribution::new(kind, length.into()))
        .collect::<MpiResult<_>>()?;
    let ranges = dimension::share(sizes, &distributions, processes, size, rank)?;
    array_type(sizes, ranges, in_c_order(order)?, of)
}

fn in_c_order(order: c_int) -> MpiResult<bool> {
    let constants = raw::constants();
    if order != constants.order_c && order != constants.order_fortran {
        let message = format!("order = {order} is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
        return Err(Error::new(Code::Argument, message).into());
    }
    Ok(order == constants.order_c)
}

/// The bytes that a status speaks of.
///
/// # Safety
/// `status` is a status that MPI filled, or NULL.
unsafe fn bytes(status: *const MPI_Status) -> MpiResult<i64> {
    if status.is_null() {
        return Err(null("status"));
    }
    let mut n = 0;
    // SAFETY: the caller's promise.
    check(unsafe { ffi::MPI_Get_elements_x(status, Datatype::byte().raw(), &mut n) })?;
    Ok(n)
}

/// # Safety
/// Here and below: as MPI has it for the call of that name.
pub unsafe fn get_count(
    call: Call,
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> c_int {
    // SAFETY: handed on; so below.
    call.run(|| unsafe {
        let whole = items(bytes(status)?, Datatype::new(datatype))?;
        let count = count.as_mut().ok_or_else(|| null("count"))?;
        *count = whole.unwrap_or_else(|| raw::constants().undefined.into());
        Ok(())
    })
}

/// A packing buffer's bytes as MPI counts them.
fn narrow_room(bytes: i64) -> c_int {
    c_int::try_from(bytes).unwrap_or(c_int::MAX)
}

fn one_item(address: *mut c_void, datatype: Datatype) -> Items {
    Items { address, count: 1, datatype }
}

/// Packs or unpacks by `step`, or item by item, from `position` on in a buffer of so many bytes, and writes where that ends.
///
/// # Safety
/// As above.
unsafe fn pass(
    call: Call,
    items: Side,
    bytes: MPI_Count,
    position: *mut MPI_Count,
    step: impl FnMut(i64, c_int, i64, i64, &mut i64) -> c_int,
    item: Option<PackItem<'_>>,
) -> c_int {
    // SAFETY: as above.
    let Some(position) = (unsafe { position.as_mut() }) else {
        return call.finish(Err(null("position")));
    };
    end(call.pack(items.count, items.datatype, bytes, *position, step, item), position)
}

fn end(result: Result<i64, c_int>, out: &mut MPI_Count) -> c_int {
    match result {
        Ok(value) => {
            *out = value;
            raw::SUCCESS
        }
        Err(code) => code,
    }
}

/// # Safety
/// As above.
pub unsafe fn pack(
    call: Call,
    inbuf: *const c_void,
    of: Side,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
    comm: MPI_Comm,
) -> c_int {
    let step = |from, n, to, room, at: &mut i64| {
        let (mut end, from, to) = (0, shift(inbuf, from), shift_mut(outbuf, to));
        let (datatype, room) = (of.datatype.raw(), narrow_room(room));
        // SAFETY: as above.
        let code = unsafe { ffi::MPI_Pack(from, n, datatype, to, room, &mut end, comm) };
        *at = end.into();
        code
    };
    let mut item = |from, to, packed: &Fitted| {
        let item = one_item(shift(inbuf, from).cast_mut(), of.datatype);
        // SAFETY: as above.
        unsafe { self_copy::copy(item, fitted(shift_mut(outbuf, to), packed)) }
    };
    // SAFETY: as above.
    unsafe { pass(call, of, outsize, position, step, Some(&mut item)) }
}

/// # Safety
/// As above.
pub unsafe fn unpack(
    call: Call,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    of: Side,
    comm: MPI_Comm,
) -> c_int {
    let step = |to, n, from, left, at: &mut i64| {
        let (mut end, from, to) = (0, shift(inbuf, from), shift_mut(outbuf, to));
        let (datatype, left) = (of.datatype.raw(), narrow_room(left));
        // SAFETY: as above.
        let code = unsafe { ffi::MPI_Unpack(from, left, &mut end, to, n, datatype, comm) };
        *at = end.into();
        code
    };
    let mut item = |to, from, packed: &Fitted| {
        let item = one_item(shift_mut(outbuf, to), of.datatype);
        // SAFETY: as above.
        unsafe { self_copy::copy(fitted(shift(inbuf, from).cast_mut(), packed), item) }
    };
    // SAFETY: as above.
    unsafe { pass(call, of, insize, position, step, Some(&mut item)) }
}

/// # Safety
/// As above.
pub unsafe fn pack_external(
    call: Call,
    datarep: *const c_char,
    inbuf: *const c_void,
    of: Side,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
) -> c_int {
    let step = |from, n, to, room, at: &mut i64| {
        let (mut end, from, to) = (0, shift(inbuf, from), shift_mut(outbuf, to));
        let (datatype, room) = (of.datatype.raw(), aint(room));
        // SAFETY: as above.
        let code =
            unsafe { ffi::MPI_Pack_external(datarep, from, n, datatype, to, room, &mut end) };
        *at = from_aint(end);
        code
    };
    // SAFETY: as above.
    unsafe { pass(call, of, outsize, position, step, None) }
}

/// # Safety
/// As above.
pub unsafe fn unpack_external(
    call: Call,
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    of: Side,
) -> c_int {
    let step = |to, n, from, left, at: &mut i64| {
        let (mut end, from, to) = (0, shift(inbuf, from), shift_mut(outbuf, to));
        let (datatype, left) = (of.datatype.raw(), aint(left));
        // SAFETY: as above.
        let code =
            unsafe { ffi::MPI_Unpack_external(datarep, from, left, &mut end, to, n, datatype) };
        *at = from_aint(end);
        code
    };
    // SAFETY: as above.
    unsafe { pass(call, of, insize, position, step, None) }
}

/// # Safety
/// As above.
pub unsafe fn pack_size(call: Call, of: Side, comm: MPI_Comm, size: *mut MPI_Count) -> c_int {
    // SAFETY: as above.
    let Some(out) = (unsafe { size.as_mut() }) else { return call.finish(Err(null("size"))) };
    let total = call.pack_size(of.count, of.datatype, true, |n, bytes| {
        let mut narrow = 0;
        // SAFETY: as above.
        let code = unsafe { ffi::MPI_Pack_size(n, of.datatype.raw(), comm, &mut narrow) };
        *bytes = narrow.into();
        code
    });
    end(total, out)
}

/// # Safety
/// As above.
pub unsafe fn pack_external_size(
    call: Call,
    datarep: *const c_char,
    of: Side,
    size: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    let Some(out) = (unsafe { size.as_mut() }) else { return call.finish(Err(null("size"))) };
    let total = call.pack_size(of.count, of.datatype, false, |n, bytes| {
        let (mut wide, datatype) = (0, of.datatype.raw());
        // SAFETY: as above.
        let code = unsafe { ffi::MPI_Pack_external_size(datarep, n, datatype, &mut wide) };
        *bytes = from_aint(wide);
        code
    });
    end(total, out)
}

/// Makes a window with a displacement unit. MPI-3 keeps it in an int: a larger one is an error, and belongs into the
/// target's displacements.
pub fn with_unit(call: Call, disp_unit: MPI_Aint, make: impl FnOnce(c_int) -> c_int) -> c_int {
    match c_int::try_from(from_aint(disp_unit)) {
        Ok(unit) => make(unit),
        Err(_) => {
            let message = format!("disp_unit = {disp_unit} is past INT_MAX");
            call.finish(Err(Error::new(Code::Argument, message).into()))
        }
    }
}

/// The bytes that an allocated window is to have for MPI to find its parts.
pub fn window_bytes(size: MPI_Aint) -> MPI_Aint {
    let rounded = quirks::WINDOW_PARTS_ARE_SOUGHT_AT_16_BYTES && size >= 0;
    if rounded { size.saturating_add(15) / 16 * 16 } else { size }
}

/// # Safety
/// As above.
pub unsafe fn shared_query(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut MPI_Aint,
    baseptr: *mut c_void,
) -> c_int {
    let mut narrow = 0;
    // SAFETY: as above.
    unsafe {
        let code = ffi::MPI_Win_shared_query(win, rank, size, &mut narrow, baseptr);
        if let (raw::SUCCESS, Some(unit)) = (code, disp_unit.as_mut()) {
            *unit = aint(narrow.into());
        }
        code
    }
}

/// # Safety
/// The outputs are NULL or may be written to.
pub unsafe fn decode(
    call: Call,
    intype: MPI_Datatype,
    count: *mut MPI_Count,
    basetype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the caller's promise.
    call.run(|| unsafe {
        if count.is_null() || basetype.is_null() {
            return Err(null("count or basetype"));
        }
        let (n, datatype) = types::decode(Datatype::new(intype))?;
        count.write(n);
        basetype.write(datatype.raw());
        Ok(())
    })
}

/// # Safety
/// As for `MPI_Dist_graph_create_adjacent`.
pub unsafe fn graph_comm(
    call: Call,
    comm_old: MPI_Comm,
    root: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> c_int {
    // SAFETY: the caller's promise; arrays as long as the degrees given.
    unsafe {
        let comm = Comm::new(comm_old);
        let (size, rank) = match call.prepare(|| Ok((comm.size()?, comm.rank()?))) {
            Ok(both) => both,
            Err(code) => return code,
        };
        let everyone: Vec<c_int> = (0..size).collect();
        let all = root == -1 || root == rank;
        let unweighted = admpi_shim_unweighted(); // both sides alike, or MPICH refuses
        let (to, destinations) = if all { (size, everyone.as_ptr()) } else { (1, &raw const root) };
        comm.make_dist_graph(|comm_old| {
            raw::MPI_Dist_graph_create_adjacent(
                comm_old,
                if all { size } else { 0 },
                everyone.as_ptr(),
                unweighted,
                to,
                destinations,
                unweighted,
                mpi_sys::RSMPI_INFO_NULL,
                0,
                comm_dist_graph,
            )
        })
    }
}

unsafe extern "C" {
    fn admpi_shim_unweighted() -> *const c_int;
}
