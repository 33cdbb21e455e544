//! What the calls that pack share: how MPI makes those on passive data.

use super::arguments::null;
use super::calls::{mpi_call, out};
use crate::ampi::packing::{self, Unpacking};
use crate::datatype::{BufferTriple, is_passive};
use crate::error::{Code, Error};
use crate::mpi::raw::{MPI_Aint, MPI_Comm, MPI_Datatype};
use crate::mpi::types::{aint, from_aint};
use crate::mpi::{Comm, MpiResult, check, ffi};
use std::ffi::{c_char, c_int, c_void};

/// A packed buffer as C has it.
///
/// # Safety
/// NULL, or so many bytes.
unsafe fn bytes<'a>(name: &str, buffer: *const c_void, size: i64) -> MpiResult<&'a [u8]> {
    let n = room(name, size)?;
    match buffer.is_null() {
        true if n == 0 => Ok(&[]),
        true => Err(null(name).into()),
        // SAFETY: the caller's promise.
        false => Ok(unsafe { std::slice::from_raw_parts(buffer.cast(), n) }),
    }
}

fn room(name: &str, size: i64) -> MpiResult<usize> {
    usize::try_from(size).map_err(|_| {
        Error::new(Code::Argument, format!("{name}: its size {size} is negative")).into()
    })
}

/// Packs active items.
///
/// # Safety
/// As MPI has it for MPI_Pack.
unsafe fn pack_active(
    data: &BufferTriple,
    outbuf: *mut c_void,
    outsize: i64,
    position: i64,
) -> MpiResult<i64> {
    let n = room("outbuf", outsize)?;
    if outbuf.is_null() {
        return Err(null("outbuf").into());
    }
    // SAFETY: as above. What is there may have been written by nobody, and is only written to.
    let to = unsafe { std::slice::from_raw_parts_mut(outbuf.cast(), n) };
    packing::pack(data, to, position)
}

fn narrow(name: &str, n: i64) -> MpiResult<c_int> {
    c_int::try_from(n)
        .map_err(|_| Error::new(Code::Argument, format!("{name} = {n} is past INT_MAX")).into())
}

/// # Safety
/// Here and below: as MPI has it for the call of that name.
pub unsafe fn pack(
    name: &str,
    data: BufferTriple,
    outbuf: *mut c_void,
    outsize: c_int,
    position: *mut c_int,
    comm: MPI_Comm,
) -> c_int {
    if is_passive(data.datatype()) {
        let (inbuf, count, datatype) = data.parts();
        let count = c_int::try_from(count).unwrap_or(-1);
        // SAFETY: handed on; so below.
        return unsafe { ffi::MPI_Pack(inbuf, count, datatype, outbuf, outsize, position, comm) };
    }
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    mpi_call(name, on, || {
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        // SAFETY: as above.
        let end = unsafe { pack_active(&data, outbuf, outsize.into(), (*position).into())? };
        *position = narrow("position", end)?;
        Ok(())
    })
}

/// # Safety
/// As above.
pub unsafe fn pack_external(
    name: &str,
    datarep: *const c_char,
    data: BufferTriple,
    outbuf: *mut c_void,
    outsize: MPI_Aint,
    position: *mut MPI_Aint,
) -> c_int {
    if is_passive(data.datatype()) {
        let (inbuf, count, datatype) = data.parts();
        let count = c_int::try_from(count).unwrap_or(-1);
        // SAFETY: as above.
        return unsafe {
            ffi::MPI_Pack_external(datarep, inbuf, count, datatype, outbuf, outsize, position)
        };
    }
    mpi_call(name, Comm::world(), || {
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        let (size, begin) = (from_aint(outsize), from_aint(*position));
        // SAFETY: as above.
        *position = aint(unsafe { pack_active(&data, outbuf, size, begin)? });
        Ok(())
    })
}

/// Unpacks from `begin` on what was packed as active, or else lets `by_mpi` do it: that of so many doubles or bytes to an
/// address. Tells where the items end.
///
/// # Safety
/// As above.
unsafe fn unpack_active(
    data: &BufferTriple,
    packed: &[u8],
    begin: i64,
    external: bool,
    by_mpi: impl FnOnce(*mut c_void, c_int, MPI_Datatype) -> MpiResult<i64>,
) -> MpiResult<i64> {
    let mut items = Unpacking::new(data)?;
    if let Some(end) = items.unpack(packed, begin)? {
        return Ok(end);
    }
    let mut end = begin;
    items.unpack_passive(external, |words, wire| {
        end = by_mpi(words.as_mut_ptr().cast(), wire.count(), wire.datatype())?;
        Ok(())
    })?;
    Ok(end)
}

/// # Safety
/// As above.
pub unsafe fn unpack(
    name: &str,
    inbuf: *const c_void,
    insize: c_int,
    position: *mut c_int,
    data: BufferTriple,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    let call = |place: *mut c_int, to: *mut c_void, n: c_int, datatype: MPI_Datatype| {
        // SAFETY: as above.
        unsafe { ffi::MPI_Unpack(inbuf, insize, place, to, n, datatype, comm) }
    };
    let mut is_left = false;
    let code = mpi_call(name, on, || {
        // SAFETY: as above.
        let packed = unsafe { bytes("inbuf", inbuf, insize.into())? };
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        if is_passive(data.datatype()) {
            is_left = true;
            return packing::none_at(packed, (*position).into());
        }
        let mut at = *position;
        // SAFETY: as above.
        let end = unsafe {
            unpack_active(&data, packed, at.into(), false, |to, n, datatype| {
                check(call(&raw mut at, to, n, datatype)).map(|()| at.into())
            })?
        };
        *position = narrow("position", end)?;
        Ok(())
    });
    if code != 0 || !is_left {
        return code;
    }
    let (outbuf, count, datatype) = data.parts();
    call(position, outbuf, c_int::try_from(count).unwrap_or(-1), datatype)
}

/// # Safety
/// As above.
pub unsafe fn unpack_external(
    name: &str,
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Aint,
    position: *mut MPI_Aint,
    data: BufferTriple,
) -> c_int {
    let call = |place: *mut MPI_Aint, to: *mut c_void, n: c_int, datatype: MPI_Datatype| {
        // SAFETY: as above.
        unsafe { ffi::MPI_Unpack_external(datarep, inbuf, insize, place, to, n, datatype) }
    };
    let mut is_left = false;
    let code = mpi_call(name, Comm::world(), || {
        // SAFETY: as above.
        let packed = unsafe { bytes("inbuf", inbuf, from_aint(insize))? };
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        if is_passive(data.datatype()) {
            is_left = true;
            return packing::none_at(packed, from_aint(*position));
        }
        let mut at = *position;
        // SAFETY: as above.
        let end = unsafe {
            unpack_active(&data, packed, from_aint(at), true, |to, n, datatype| {
                check(call(&raw mut at, to, n, datatype)).map(|()| from_aint(at))
            })?
        };
        *position = aint(end);
        Ok(())
    });
    if code != 0 || !is_left {
        return code;
    }
    let (outbuf, count, datatype) = data.parts();
    call(position, outbuf, c_int::try_from(count).unwrap_or(-1), datatype)
}

/// The bytes of active items.
///
/// # Safety
/// As above.
unsafe fn size_of_active(count: c_int, datatype: MPI_Datatype) -> MpiResult<i64> {
    if count < 0 {
        return Err(Error::new(Code::Argument, format!("incount = {count} is negative")).into());
    }
    // SAFETY: nothing is at the address, and nobody looks.
    packing::room(&unsafe { BufferTriple::new(std::ptr::null(), count, datatype) })
}

/// # Safety
/// As above.
pub unsafe fn pack_size(
    name: &str,
    count: c_int,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut c_int,
) -> c_int {
    // SAFETY: as above.
    if is_passive(unsafe { crate::mpi::Datatype::new(datatype) }) {
        // SAFETY: as above.
        return unsafe { ffi::MPI_Pack_size(count, datatype, comm, size) };
    }
    // SAFETY: as above.
    mpi_call(name, unsafe { Comm::new(comm) }, || unsafe {
        *out("size", size)? = narrow("size", size_of_active(count, datatype)?)?;
        Ok(())
    })
}

/// # Safety
/// As above.
pub unsafe fn pack_external_size(
    name: &str,
    datarep: *const c_char,
    count: c_int,
    datatype: MPI_Datatype,
    size: *mut MPI_Aint,
) -> c_int {
    // SAFETY: as above.
    if is_passive(unsafe { crate::mpi::Datatype::new(datatype) }) {
        // SAFETY: as above.
        return unsafe { ffi::MPI_Pack_external_size(datarep, count, datatype, size) };
    }
    // SAFETY: as above.
    mpi_call(name, Comm::world(), || unsafe {
        *out("size", size)? = aint(size_of_active(count, datatype)?);
        Ok(())
    })
}
