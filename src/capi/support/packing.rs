//! What the calls that pack share: how MPI makes those on passive data.

use super::super::large_arguments::{on_comm, on_nothing, side};
use super::arguments::null;
use super::calls::{mpi_call, out};
use super::large_types as large;
use crate::ampi::packing::{self, Unpacking};
use crate::datatype::{BufferTriple, is_passive};
use crate::error::{Code, Error};
use crate::large::limit::settled;
use crate::mpi::raw::{MPI_Comm, MPI_Count, MPI_Datatype};
use crate::mpi::types::aint;
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

/// A count that a caller passed, as MPI-3 has it; none is negative, which MPI refuses.
fn narrow(count: i64) -> c_int {
    c_int::try_from(count).unwrap_or(-1)
}

/// What a form takes sizes and places in packed bytes as: an int, or as MPI-4 has it a count. MPI's calls are those on passive data.
pub trait Bytes: Copy + Into<i64> + TryFrom<i64> {
    /// # Safety
    /// Here and below: as MPI has it for the call of that name.
    unsafe fn pack(
        name: &'static str,
        data: &BufferTriple,
        outbuf: *mut c_void,
        outsize: Self,
        position: *mut Self,
        comm: MPI_Comm,
    ) -> c_int;
    /// # Safety
    /// As above.
    unsafe fn unpack(
        name: &'static str,
        inbuf: *const c_void,
        insize: Self,
        position: *mut Self,
        to: (*mut c_void, i64, MPI_Datatype),
        comm: MPI_Comm,
    ) -> c_int;
    /// # Safety
    /// As above.
    unsafe fn pack_size(
        name: &'static str,
        of: (i64, MPI_Datatype),
        comm: MPI_Comm,
        size: *mut Self,
    ) -> c_int;

    fn told(name: &str, n: i64) -> MpiResult<Self> {
        Self::try_from(n)
            .map_err(|_| Error::new(Code::Argument, format!("{name} = {n} is past INT_MAX")).into())
    }
}

impl Bytes for c_int {
    unsafe fn pack(
        _: &'static str,
        data: &BufferTriple,
        outbuf: *mut c_void,
        outsize: Self,
        position: *mut Self,
        comm: MPI_Comm,
    ) -> c_int {
        let (inbuf, count, datatype) = data.parts();
        // SAFETY: handed on; so below.
        unsafe { ffi::MPI_Pack(inbuf, narrow(count), datatype, outbuf, outsize, position, comm) }
    }
    unsafe fn unpack(
        _: &'static str,
        inbuf: *const c_void,
        insize: Self,
        position: *mut Self,
        (outbuf, count, datatype): (*mut c_void, i64, MPI_Datatype),
        comm: MPI_Comm,
    ) -> c_int {
        // SAFETY: as above.
        unsafe { ffi::MPI_Unpack(inbuf, insize, position, outbuf, narrow(count), datatype, comm) }
    }
    unsafe fn pack_size(
        _: &'static str,
        (count, datatype): (i64, MPI_Datatype),
        comm: MPI_Comm,
        size: *mut Self,
    ) -> c_int {
        // SAFETY: as above.
        unsafe { ffi::MPI_Pack_size(narrow(count), datatype, comm, size) }
    }
}

impl Bytes for MPI_Count {
    unsafe fn pack(
        name: &'static str,
        data: &BufferTriple,
        outbuf: *mut c_void,
        outsize: Self,
        position: *mut Self,
        comm: MPI_Comm,
    ) -> c_int {
        let (inbuf, count, datatype) = data.parts();
        // SAFETY: as above.
        unsafe {
            let (call, of) = (on_comm(name, comm), side(count, datatype));
            large::pack(call, inbuf, of, outbuf, outsize, position, comm)
        }
    }
    unsafe fn unpack(
        name: &'static str,
        inbuf: *const c_void,
        insize: Self,
        position: *mut Self,
        (outbuf, count, datatype): (*mut c_void, i64, MPI_Datatype),
        comm: MPI_Comm,
    ) -> c_int {
        // SAFETY: as above.
        unsafe {
            let (call, of) = (on_comm(name, comm), side(count, datatype));
            large::unpack(call, inbuf, insize, position, outbuf, of, comm)
        }
    }
    unsafe fn pack_size(
        name: &'static str,
        (count, datatype): (i64, MPI_Datatype),
        comm: MPI_Comm,
        size: *mut Self,
    ) -> c_int {
        // SAFETY: as above.
        unsafe { large::pack_size(on_comm(name, comm), side(count, datatype), comm, size) }
    }
}

/// The same place as a count: MPI_Aint has as many bits.
const fn as_count<P>(place: *mut P) -> *mut MPI_Count {
    const { assert!(size_of::<P>() == size_of::<MPI_Count>()) };
    place.cast()
}

/// A size that a caller passed; MPI_Aint has as many bits.
fn as_size(n: impl TryInto<MPI_Count>) -> MPI_Count {
    n.try_into().unwrap_or(-1)
}

/// # Safety
/// As above.
pub unsafe fn pack<N: Bytes>(
    name: &'static str,
    data: BufferTriple,
    outbuf: *mut c_void,
    outsize: N,
    position: *mut N,
    comm: MPI_Comm,
) -> c_int {
    if is_passive(data.datatype()) {
        // SAFETY: handed on; so below.
        return unsafe { N::pack(name, &data, outbuf, outsize, position, comm) };
    }
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    mpi_call(name, on, || {
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        // SAFETY: as above.
        let end = unsafe { pack_active(&data, outbuf, outsize.into(), (*position).into())? };
        *position = N::told("position", end)?;
        Ok(())
    })
}

/// # Safety
/// As above.
pub unsafe fn pack_external<P>(
    name: &'static str,
    datarep: *const c_char,
    data: BufferTriple,
    outbuf: *mut c_void,
    outsize: impl TryInto<MPI_Count>,
    position: *mut P,
) -> c_int {
    let (outsize, position) = (as_size(outsize), as_count(position));
    if is_passive(data.datatype()) {
        let (inbuf, n, datatype) = data.parts();
        // SAFETY: as above.
        return unsafe {
            match settled(n) {
                Some(n) => ffi::MPI_Pack_external(
                    datarep,
                    inbuf,
                    n,
                    datatype,
                    outbuf,
                    aint(outsize),
                    position.cast(),
                ),
                None => large::pack_external(
                    on_nothing(name),
                    datarep,
                    inbuf,
                    side(n, datatype),
                    outbuf,
                    outsize,
                    position,
                ),
            }
        };
    }
    mpi_call(name, Comm::world(), || {
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        // SAFETY: as above.
        *position = unsafe { pack_active(&data, outbuf, outsize, *position)? };
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
pub unsafe fn unpack<N: Bytes>(
    name: &'static str,
    inbuf: *const c_void,
    insize: N,
    position: *mut N,
    data: BufferTriple,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: as above.
    let on = unsafe { Comm::new(comm) };
    // SAFETY: as above.
    let call = |place: *mut N, to| unsafe { N::unpack(name, inbuf, insize, place, to, comm) };
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
                check(call(&raw mut at, (to, n.into(), datatype))).map(|()| at.into())
            })?
        };
        *position = N::told("position", end)?;
        Ok(())
    });
    if code == 0 && is_left { call(position, data.parts()) } else { code }
}

/// # Safety
/// As above.
pub unsafe fn unpack_external<P>(
    name: &'static str,
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: impl TryInto<MPI_Count>,
    position: *mut P,
    data: BufferTriple,
) -> c_int {
    let (insize, position) = (as_size(insize), as_count(position));
    let call = |place: *mut MPI_Count, (to, n, datatype): (*mut c_void, i64, MPI_Datatype)| {
        // SAFETY: as above.
        unsafe {
            match settled(n) {
                Some(n) => ffi::MPI_Unpack_external(
                    datarep,
                    inbuf,
                    aint(insize),
                    place.cast(),
                    to,
                    n,
                    datatype,
                ),
                None => large::unpack_external(
                    on_nothing(name),
                    datarep,
                    inbuf,
                    insize,
                    place,
                    to,
                    side(n, datatype),
                ),
            }
        }
    };
    let mut is_left = false;
    let code = mpi_call(name, Comm::world(), || {
        // SAFETY: as above.
        let packed = unsafe { bytes("inbuf", inbuf, insize)? };
        // SAFETY: as above.
        let position = unsafe { out("position", position)? };
        if is_passive(data.datatype()) {
            is_left = true;
            return packing::none_at(packed, *position);
        }
        let mut at = *position;
        // SAFETY: as above.
        let end = unsafe {
            unpack_active(&data, packed, at, true, |to, n, datatype| {
                check(call(&raw mut at, (to, n.into(), datatype))).map(|()| at)
            })?
        };
        *position = end;
        Ok(())
    });
    if code == 0 && is_left { call(position, data.parts()) } else { code }
}

/// The bytes of active items.
///
/// # Safety
/// As above.
unsafe fn size_of_active(count: i64, datatype: MPI_Datatype) -> MpiResult<i64> {
    if count < 0 {
        return Err(Error::new(Code::Argument, format!("incount = {count} is negative")).into());
    }
    // SAFETY: nothing is at the address, and nobody looks.
    packing::room(&unsafe { BufferTriple::new(std::ptr::null(), count, datatype) })
}

/// # Safety
/// As above.
pub unsafe fn pack_size<N: Bytes>(
    name: &'static str,
    count: impl Into<i64>,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
    size: *mut N,
) -> c_int {
    let count = count.into();
    // SAFETY: as above.
    if is_passive(unsafe { crate::mpi::Datatype::new(datatype) }) {
        // SAFETY: as above.
        return unsafe { N::pack_size(name, (count, datatype), comm, size) };
    }
    // SAFETY: as above.
    mpi_call(name, unsafe { Comm::new(comm) }, || unsafe {
        *out("size", size)? = N::told("size", size_of_active(count, datatype)?)?;
        Ok(())
    })
}

/// # Safety
/// As above.
pub unsafe fn pack_external_size<P>(
    name: &'static str,
    datarep: *const c_char,
    count: impl Into<i64>,
    datatype: MPI_Datatype,
    size: *mut P,
) -> c_int {
    let (count, size) = (count.into(), as_count(size));
    // SAFETY: as above.
    if is_passive(unsafe { crate::mpi::Datatype::new(datatype) }) {
        // SAFETY: as above.
        return unsafe {
            match settled(count) {
                Some(n) => ffi::MPI_Pack_external_size(datarep, n, datatype, size.cast()),
                None => large::pack_external_size(
                    on_nothing(name),
                    datarep,
                    side(count, datatype),
                    size,
                ),
            }
        };
    }
    // SAFETY: as above.
    mpi_call(name, Comm::world(), || unsafe {
        *out("size", size)? = size_of_active(count, datatype)?;
        Ok(())
    })
}
