//! Datatypes, packing and queries for counts past 2^31. Long: one C header, half of it comments.
//! And what BigMPI has beside calls of MPI.
//!
//! `include/admpi/large_types.h` is generated from this file.

use super::large_arguments::{fitted, on_comm, on_nothing, shift, shift_mut};
use crate::error::{Code, Error};
use crate::large::access::items;
use crate::large::limit::limit;
use crate::large::types;
use crate::large::{Call, array_type};
use crate::mpi::alone::{self, Items};
use crate::mpi::dimension::{self, Distribution};
use crate::mpi::handle::aints;
use crate::mpi::raw::{self, MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Status};
use crate::mpi::types::{Made, aint, from_aint};
use crate::mpi::{Comm, Datatype, Failure, Outcome, check, plain, quirks};
use mpi_sys::MPI_Win;
use std::ffi::{c_char, c_int, c_void};

fn null(name: &str) -> Failure {
    Error::new(Code::Null, format!("{name} is NULL")).into()
}

/// Elements that a caller passed; NULL is fine for none.
///
/// # Safety
/// `pointer` is NULL or leads to `n` elements.
unsafe fn array<'a, T>(name: &str, pointer: *const T, n: MPI_Count) -> Outcome<&'a [T]> {
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

/// Gives the type that `make` makes to the caller.
///
/// # Safety
/// `newtype` may be written to, or is NULL.
unsafe fn give(
    call: Call,
    newtype: *mut MPI_Datatype,
    make: impl FnOnce() -> Outcome<Made>,
) -> c_int {
    // SAFETY: the caller's promise, and not NULL.
    call.make(
        || if newtype.is_null() { Err(null("newtype")) } else { make() },
        |made| unsafe { newtype.write(made) },
    )
}

/// `MPI_Type_contiguous` with a count past 2^31. `BigMPI_Decode_contiguous_x` undoes it.
///
/// @param[in] count     number of items
/// @param[in] oldtype   their type
/// @param[out] newtype  the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_contiguous_x(
    count: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as the C contract says; so below.
    unsafe {
        give(on_nothing("MPIX_Type_contiguous_x"), newtype, || {
            let of = Datatype::new(oldtype);
            let made = types::contiguous(count, of)?;
            types::remember(&made, count, of)?;
            Ok(made)
        })
    }
}

/// `MPI_Type_vector` with counts past 2^31.
///
/// @param[in] count        number of blocks
/// @param[in] blocklength  items of each block
/// @param[in] stride       items from the beginning of one block to the next
/// @param[in] oldtype      type of the items
/// @param[out] newtype     the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_vector_x(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_vector_x"), newtype, || {
            let of = Datatype::new(oldtype);
            types::hvector(count, blocklength, types::bytes(stride, of)?, of)
        })
    }
}

/// `MPI_Type_create_hvector` with counts past 2^31. (BigMPI gives this name to a type of indexed blocks, which is
/// `MPIX_Type_create_hindexed_x` here; under bigmpi.h the name means BigMPI's.)
///
/// @param[in] count        number of blocks
/// @param[in] blocklength  items of each block
/// @param[in] stride       bytes from the beginning of one block to the next
/// @param[in] oldtype      type of the items
/// @param[out] newtype     the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_hvector_x(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_hvector_x"), newtype, || {
            types::hvector(count, blocklength, from_aint(stride), Datatype::new(oldtype))
        })
    }
}

/// `MPI_Type_indexed` with counts and displacements past 2^31.
///
/// @param[in] count                   number of blocks
/// @param[in] array_of_blocklengths   items of each block
/// @param[in] array_of_displacements  beginning of each block, in items
/// @param[in] oldtype                 type of the items
/// @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_indexed_x(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_indexed_x"), newtype, || {
            let of = Datatype::new(oldtype);
            let lengths = array("array_of_blocklengths", array_of_blocklengths, count)?;
            let starts = array("array_of_displacements", array_of_displacements, count)?;
            types::indexed(lengths, starts, of)
        })
    }
}

/// `MPI_Type_create_hindexed` with counts past 2^31.
///
/// @param[in] count                   number of blocks
/// @param[in] array_of_blocklengths   items of each block
/// @param[in] array_of_displacements  beginning of each block, in bytes
/// @param[in] oldtype                 type of the items
/// @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_hindexed_x(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_hindexed_x"), newtype, || {
            let lengths = array("array_of_blocklengths", array_of_blocklengths, count)?;
            let starts = aints(array("array_of_displacements", array_of_displacements, count)?);
            types::hindexed(&types::blocks(lengths, &starts), Datatype::new(oldtype))
        })
    }
}

/// `MPI_Type_create_indexed_block` with counts and displacements past 2^31.
///
/// @param[in] count                   number of blocks
/// @param[in] blocklength             items of each block
/// @param[in] array_of_displacements  beginning of each block, in items
/// @param[in] oldtype                 type of the items
/// @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_indexed_block_x(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_indexed_block_x"), newtype, || {
            let starts = array("array_of_displacements", array_of_displacements, count)?;
            types::indexed(&vec![blocklength; starts.len()], starts, Datatype::new(oldtype))
        })
    }
}

/// `MPI_Type_create_hindexed_block` with counts past 2^31.
///
/// @param[in] count                   number of blocks
/// @param[in] blocklength             items of each block
/// @param[in] array_of_displacements  beginning of each block, in bytes
/// @param[in] oldtype                 type of the items
/// @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_hindexed_block_x(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_hindexed_block_x"), newtype, || {
            let starts = aints(array("array_of_displacements", array_of_displacements, count)?);
            let blocks: Vec<_> = starts.into_iter().map(|start| (blocklength, start)).collect();
            types::hindexed(&blocks, Datatype::new(oldtype))
        })
    }
}

/// `MPI_Type_create_struct` with block lengths past 2^31.
///
/// @param[in] count                   number of blocks; at most INT_MAX
/// @param[in] array_of_blocklengths   items of each block
/// @param[in] array_of_displacements  beginning of each block, in bytes
/// @param[in] array_of_types          type of each block's items
/// @param[out] newtype                the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_struct_x(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Aint,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_struct_x"), newtype, || {
            let lengths = array("array_of_blocklengths", array_of_blocklengths, count)?;
            let starts = aints(array("array_of_displacements", array_of_displacements, count)?);
            let datatypes = array("array_of_types", array_of_types.cast::<Datatype>(), count)?;
            let blocks = lengths.iter().zip(starts).zip(datatypes);
            let blocks: Vec<_> =
                blocks.map(|((&length, start), &datatype)| (length, start, datatype)).collect();
            types::structure(&blocks)
        })
    }
}

/// `MPI_Type_create_subarray` with sizes past 2^31.
///
/// @param[in] ndims              number of dimensions
/// @param[in] array_of_sizes     items of the array, `ndims` numbers
/// @param[in] array_of_subsizes  items of the part, `ndims` numbers
/// @param[in] array_of_starts    where the part begins, `ndims` numbers from 0
/// @param[in] order              MPI_ORDER_C or MPI_ORDER_FORTRAN
/// @param[in] oldtype            type of the items
/// @param[out] newtype           the type of the part; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_subarray_x(
    ndims: c_int,
    array_of_sizes: *const MPI_Count,
    array_of_subsizes: *const MPI_Count,
    array_of_starts: *const MPI_Count,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_subarray_x"), newtype, || {
            let sizes = array("array_of_sizes", array_of_sizes, ndims.into())?;
            let lengths = array("array_of_subsizes", array_of_subsizes, ndims.into())?;
            let starts = array("array_of_starts", array_of_starts, ndims.into())?;
            let ranges = dimension::inside(sizes, lengths, starts)?;
            array_type(sizes, ranges, in_c_order(order)?, Datatype::new(oldtype))
        })
    }
}

/// `MPI_Type_create_darray` with sizes past 2^31.
///
/// @param[in] size              number of processes
/// @param[in] rank              which of them
/// @param[in] ndims             number of dimensions
/// @param[in] array_of_gsizes   items of the whole array, `ndims` numbers
/// @param[in] array_of_distribs `ndims` values MPI_DISTRIBUTE_*
/// @param[in] array_of_dargs    MPI_DISTRIBUTE_DFLT_DARG or the length of blocks, `ndims` numbers
/// @param[in] array_of_psizes   processes in each dimension
/// @param[in] order             MPI_ORDER_C or MPI_ORDER_FORTRAN
/// @param[in] oldtype           type of the items
/// @param[out] newtype          the type of the part; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.4)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Type_create_darray_x(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: *const MPI_Count,
    array_of_distribs: *const c_int,
    array_of_dargs: *const MPI_Count,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("MPIX_Type_create_darray_x"), newtype, || {
            let sizes = array("array_of_gsizes", array_of_gsizes, ndims.into())?;
            let kinds = array("array_of_distribs", array_of_distribs, ndims.into())?;
            let lengths = array("array_of_dargs", array_of_dargs, ndims.into())?;
            let processes = array("array_of_psizes", array_of_psizes, ndims.into())?;
            let distributions: Vec<_> = kinds
                .iter()
                .zip(lengths)
                .map(|(&kind, &length)| Distribution::new(kind, length))
                .collect::<Outcome<_>>()?;
            let ranges = dimension::share(sizes, &distributions, processes, size, rank)?;
            array_type(sizes, ranges, in_c_order(order)?, Datatype::new(oldtype))
        })
    }
}

fn in_c_order(order: c_int) -> Outcome<bool> {
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
unsafe fn bytes(status: *const MPI_Status) -> Outcome<i64> {
    if status.is_null() {
        return Err(null("status"));
    }
    let mut n = 0;
    // SAFETY: the caller's promise.
    check(unsafe { plain::MPI_Get_elements_x(status, Datatype::byte().raw(), &mut n) })?;
    Ok(n)
}

/// `MPI_Get_count` with a count past 2^31.
///
/// @param[in] status    of a receive, of an access to a file, or of a request for either
/// @param[in] datatype  type of the items received
/// @param[out] count    their number; MPI_UNDEFINED if the last is not whole
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 3.2.5)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Get_count_x(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        on_nothing("MPIX_Get_count_x").run(|| {
            let whole = items(bytes(status)?, Datatype::new(datatype))?;
            let undefined = MPI_Count::from(raw::constants().undefined);
            count
                .as_mut()
                .ok_or_else(|| null("count"))
                .map(|count| *count = whole.unwrap_or(undefined))
        })
    }
}

/// `MPI_Get_elements_x`, which has had large counts since MPI-3.0.
///
/// @param[in] status    of a receive, of an access to a file, or of a request for either
/// @param[in] datatype  type of the items received
/// @param[out] count    number of their predefined elements
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.1.11)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Get_elements_x(
    status: *const MPI_Status,
    datatype: MPI_Datatype,
    count: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    unsafe { plain::MPI_Get_elements_x(status, datatype, count) }
}

/// A packing buffer's bytes as MPI counts them.
fn narrow_room(bytes: i64) -> c_int {
    c_int::try_from(bytes).unwrap_or(c_int::MAX)
}

/// # Safety
/// `datatype` is what the caller passed.
unsafe fn large_item(address: *mut c_void, datatype: MPI_Datatype) -> Items {
    // SAFETY: handed on.
    Items { address, count: 1, datatype: unsafe { Datatype::new(datatype) } }
}

/// `MPI_Pack` with a count and a buffer past 2^31.
///
/// @param[in] inbuf         items of `datatype`
/// @param[in] incount       number of items
/// @param[in] datatype      type of the items
/// @param[out] outbuf       room for `outsize` bytes
/// @param[in] outsize       bytes of `outbuf`
/// @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
/// @param[in] comm          the communicator for which the items are packed
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Pack_x(
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_comm("MPIX_Pack_x", comm);
        let Some(position) = position.as_mut() else { return call.finish(Err(null("position"))) };
        let packed = call.pack(
            incount,
            Datatype::new(datatype),
            outsize,
            *position,
            |from, n, to, room, at| {
                let mut end = 0;
                let code = plain::MPI_Pack(
                    shift(inbuf, from),
                    n,
                    datatype,
                    shift_mut(outbuf, to),
                    narrow_room(room),
                    &mut end,
                    comm,
                );
                *at = end.into();
                code
            },
            Some(&mut |from, to, packed| {
                let item = large_item(shift(inbuf, from).cast_mut(), datatype);
                alone::copy(item, fitted(shift_mut(outbuf, to), packed))
            }),
        );
        end(packed, position)
    }
}

/// `MPI_Unpack` with a count and a buffer past 2^31, of what `MPIX_Pack_x` packed as so many items.
///
/// @param[in] inbuf         `insize` bytes
/// @param[in] insize        bytes of `inbuf`
/// @param[in,out] position  first place in `inbuf`, in bytes; then the end of the unpacked data
/// @param[out] outbuf       room for the items
/// @param[in] outcount      number of items
/// @param[in] datatype      type of the items
/// @param[in] comm          the communicator for which the items were packed
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Unpack_x(
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_comm("MPIX_Unpack_x", comm);
        let Some(position) = position.as_mut() else { return call.finish(Err(null("position"))) };
        let unpacked = call.pack(
            outcount,
            Datatype::new(datatype),
            insize,
            *position,
            |to, n, from, left, at| {
                let mut end = 0;
                let code = plain::MPI_Unpack(
                    shift(inbuf, from),
                    narrow_room(left),
                    &mut end,
                    shift_mut(outbuf, to),
                    n,
                    datatype,
                    comm,
                );
                *at = end.into();
                code
            },
            Some(&mut |to, from, packed| {
                let bytes = fitted(shift(inbuf, from).cast_mut(), packed);
                alone::copy(bytes, large_item(shift_mut(outbuf, to), datatype))
            }),
        );
        end(unpacked, position)
    }
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

/// `MPI_Pack_size` with a count and a size past 2^31: the room that `MPIX_Pack_x` needs at most.
///
/// @param[in] incount   number of items
/// @param[in] datatype  type of the items
/// @param[in] comm      the communicator for which they are packed
/// @param[out] size     bytes
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Pack_size_x(
    incount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_comm("MPIX_Pack_size_x", comm);
        let Some(out) = size.as_mut() else { return call.finish(Err(null("size"))) };
        let total = call.pack_size(incount, Datatype::new(datatype), true, |n, bytes| {
            let mut narrow = 0;
            let code = plain::MPI_Pack_size(n, datatype, comm, &mut narrow);
            *bytes = narrow.into();
            code
        });
        end(total, out)
    }
}

/// `MPI_Pack_external` with a count past 2^31.
///
/// @param[in] datarep       "external32"
/// @param[in] inbuf         items of `datatype`
/// @param[in] incount       number of items
/// @param[in] datatype      type of the items
/// @param[out] outbuf       room for `outsize` bytes
/// @param[in] outsize       bytes of `outbuf`
/// @param[in,out] position  first place in `outbuf`, in bytes; then the end of the packed data
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Pack_external_x(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_nothing("MPIX_Pack_external_x");
        let Some(position) = position.as_mut() else { return call.finish(Err(null("position"))) };
        let packed = call.pack(
            incount,
            Datatype::new(datatype),
            outsize,
            *position,
            |from, n, to, room, at| {
                let mut end = 0;
                let (from, to) = (shift(inbuf, from), shift_mut(outbuf, to));
                let code =
                    plain::MPI_Pack_external(datarep, from, n, datatype, to, aint(room), &mut end);
                *at = from_aint(end);
                code
            },
            None,
        );
        end(packed, position)
    }
}

/// `MPI_Unpack_external` with a count past 2^31, of what `MPIX_Pack_external_x` packed.
///
/// @param[in] datarep       "external32"
/// @param[in] inbuf         `insize` bytes
/// @param[in] insize        bytes of `inbuf`
/// @param[in,out] position  first place in `inbuf`, in bytes; then the end of the unpacked data
/// @param[out] outbuf       room for the items
/// @param[in] outcount      number of items
/// @param[in] datatype      type of the items
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Unpack_external_x(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: *mut MPI_Count,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_nothing("MPIX_Unpack_external_x");
        let Some(position) = position.as_mut() else { return call.finish(Err(null("position"))) };
        let unpacked = call.pack(
            outcount,
            Datatype::new(datatype),
            insize,
            *position,
            |to, n, from, left, at| {
                let mut end = 0;
                let (from, to) = (shift(inbuf, from), shift_mut(outbuf, to));
                let code = plain::MPI_Unpack_external(
                    datarep,
                    from,
                    aint(left),
                    &mut end,
                    to,
                    n,
                    datatype,
                );
                *at = from_aint(end);
                code
            },
            None,
        );
        end(unpacked, position)
    }
}

/// `MPI_Pack_external_size` with a count past 2^31.
///
/// @param[in] datarep   "external32"
/// @param[in] incount   number of items
/// @param[in] datatype  type of the items
/// @param[out] size     bytes
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 4.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Pack_external_size_x(
    datarep: *const c_char,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    size: *mut MPI_Count,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let call = on_nothing("MPIX_Pack_external_size_x");
        let Some(out) = size.as_mut() else { return call.finish(Err(null("size"))) };
        let total = call.pack_size(incount, Datatype::new(datatype), false, |n, bytes| {
            let mut wide = 0;
            let code = plain::MPI_Pack_external_size(datarep, n, datatype, &mut wide);
            *bytes = from_aint(wide);
            code
        });
        end(total, out)
    }
}

/// MPI-3 keeps the unit of a window in an int: a larger one is an error, and belongs into the target's
/// displacements.
fn unit(call: Call, disp_unit: MPI_Aint) -> Result<c_int, c_int> {
    c_int::try_from(from_aint(disp_unit)).map_err(|_| {
        let message = format!("disp_unit = {disp_unit} is past INT_MAX");
        call.finish(Err(Error::new(Code::Argument, message).into()))
    })
}

/// `MPI_Win_create` with a displacement unit in 64 bits, as in MPI-4.
///
/// @param[in] base       the window's memory
/// @param[in] size       its bytes
/// @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[in] comm       the communicator
/// @param[out] win       the window
/// @return MPI_SUCCESS or an error code
/// Collective over the communicator (MPI-3.1, 11.2.1)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Win_create_x(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        match unit(on_comm("MPIX_Win_create_x", comm), disp_unit) {
            Ok(unit) => plain::MPI_Win_create(base, size, unit, info, comm, win),
            Err(code) => code,
        }
    }
}

/// The bytes that an allocated window is to have for MPI to find its parts.
fn window_bytes(size: MPI_Aint) -> MPI_Aint {
    let rounded = quirks::WINDOW_PARTS_ARE_SOUGHT_AT_16_BYTES && size >= 0;
    if rounded { size.saturating_add(15) / 16 * 16 } else { size }
}

/// `MPI_Win_allocate` with a displacement unit in 64 bits, as in MPI-4.
///
/// @param[in] size       bytes of the window; in MPICH it gets the next multiple of 16
/// @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[in] comm       the communicator
/// @param[out] baseptr   address of a pointer, which is set to the window's memory
/// @param[out] win       the window
/// @return MPI_SUCCESS or an error code
/// Collective over the communicator (MPI-3.1, 11.2.2)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Win_allocate_x(
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        match unit(on_comm("MPIX_Win_allocate_x", comm), disp_unit) {
            Ok(unit) => plain::MPI_Win_allocate(window_bytes(size), unit, info, comm, baseptr, win),
            Err(code) => code,
        }
    }
}

/// `MPI_Win_allocate_shared` with a displacement unit in 64 bits, as in MPI-4.
///
/// @param[in] size       bytes of this rank's part of the window
/// @param[in] disp_unit  bytes of one step of target displacements; at most INT_MAX
/// @param[in] info       hints, or MPI_INFO_NULL
/// @param[in] comm       a communicator whose ranks share memory
/// @param[out] baseptr   address of a pointer, which is set to the memory of this rank's part
/// @param[out] win       the window
/// @return MPI_SUCCESS or an error code
/// Collective over the communicator (MPI-3.1, 11.2.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Win_allocate_shared_x(
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        match unit(on_comm("MPIX_Win_allocate_shared_x", comm), disp_unit) {
            Ok(unit) => plain::MPI_Win_allocate_shared(size, unit, info, comm, baseptr, win),
            Err(code) => code,
        }
    }
}

/// `MPI_Win_shared_query` with a displacement unit in 64 bits, as in MPI-4.
///
/// @param[in] win         a window of `MPI_Win_allocate_shared`
/// @param[in] rank        whose part, or MPI_PROC_NULL for the first that is not empty
/// @param[out] size       its bytes
/// @param[out] disp_unit  its displacement unit
/// @param[out] baseptr    address of a pointer, which is set to its memory
/// @return MPI_SUCCESS or an error code
/// Local (MPI-3.1, 11.2.3)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn MPIX_Win_shared_query_x(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut MPI_Aint,
    baseptr: *mut c_void,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let mut narrow = 0;
        let code = plain::MPI_Win_shared_query(win, rank, size, &mut narrow, baseptr);
        if let (raw::SUCCESS, Some(unit)) = (code, disp_unit.as_mut()) {
            *unit = aint(narrow.into());
        }
        code
    }
}

/// The largest count that goes to MPI as it is: INT_MAX, unless ADMPI_INT_MAX lowers it. May be called before
/// MPI_Init.
/// @return the count
#[unsafe(no_mangle)]
pub extern "C-unwind" fn BigMPI_Get_max_int() -> MPI_Count {
    limit().into()
}

/// Undoes `MPIX_Type_contiguous_x`.
///
/// @param[in] intype     a type that it made
/// @param[out] count     the number of items
/// @param[out] basetype  their type: the very handle that was given
/// @return MPI_SUCCESS or an error code
/// Local
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn BigMPI_Decode_contiguous_x(
    intype: MPI_Datatype,
    count: *mut MPI_Count,
    basetype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        on_nothing("BigMPI_Decode_contiguous_x").run(|| {
            if count.is_null() || basetype.is_null() {
                return Err(null("count or basetype"));
            }
            let (n, datatype) = types::decode(Datatype::new(intype))?;
            count.write(n);
            basetype.write(datatype.raw());
            Ok(())
        })
    }
}

/// Items of a type, some bytes from the beginning, as one type.
///
/// @param[in] offset    bytes from the beginning
/// @param[in] count     number of items
/// @param[in] oldtype   their type
/// @param[out] newtype  the type of all; commit it, and free it with MPI_Type_free
/// @return MPI_SUCCESS or an error code
/// Local
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn BigMPI_Type_contiguous(
    offset: MPI_Aint,
    count: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        give(on_nothing("BigMPI_Type_contiguous"), newtype, || {
            types::hindexed(&[(count, from_aint(offset))], Datatype::new(oldtype))
        })
    }
}

/// A communicator with the graph of an exchange of all ranks, or of one with a root, which is its own neighbour too.
///
/// @param[in] comm_old          the ranks
/// @param[in] root              the root; -1 for an exchange of all
/// @param[out] comm_dist_graph  the communicator
/// @return MPI_SUCCESS or an error code
/// Collective over the communicator
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn BigMPI_Create_graph_comm(
    comm_old: MPI_Comm,
    root: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> c_int {
    // SAFETY: as above; arrays as long as the degrees given.
    unsafe {
        let comm = Comm::new(comm_old);
        let call = on_comm("BigMPI_Create_graph_comm", comm_old);
        let (size, rank) = match call.prepare(|| Ok((comm.size()?, comm.rank()?))) {
            Ok(both) => both,
            Err(code) => return code,
        };
        let everyone: Vec<c_int> = (0..size).collect();
        let all = root == -1 || root == rank;
        let unweighted = admpi_shim_unweighted(); // both sides alike, or MPICH refuses
        let (to, destinations) = if all { (size, everyone.as_ptr()) } else { (1, &raw const root) };
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
    }
}

unsafe extern "C" {
    fn admpi_shim_unweighted() -> *const c_int;
}
