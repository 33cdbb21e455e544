//! Datatypes that the library makes: owned, and freed when dropped.

use super::ffi;
use super::raw::{self, MPI_Aint, MPI_Datatype};
use super::{Contents, Datatype, MpiResult, check, wide_int};
use crate::error::{Code, Error};
use std::ffi::{c_int, c_void};

/// A datatype made here. MPI keeps what operations under way still need of it.
#[derive(Debug)]
pub struct Made(MPI_Datatype);

// SAFETY: as for `Datatype`.
unsafe impl Send for Made {}

/// `length` items, `displacement` bytes from the beginning.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub length: c_int,
    pub displacement: i64,
    pub datatype: Datatype,
}

/// Where the items of a type begin and end, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub lower: i64,
    pub upper: i64,
}

impl Bounds {
    pub const fn extent(self) -> i64 {
        self.upper - self.lower
    }
}

/// `MPI_Aint` is another type in each MPI, of 64 bits in both.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::unnecessary_cast)]
pub const fn aint(n: i64) -> MPI_Aint {
    n as MPI_Aint
}

#[inline]
#[allow(clippy::cast_lossless, clippy::unnecessary_cast)]
pub const fn from_aint(n: MPI_Aint) -> i64 {
    n as i64
}

/// The address so many bytes behind another.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // addresses have 64 bits
pub fn shift(address: *const c_void, bytes: i64) -> *const c_void {
    address.wrapping_byte_offset(aint(bytes) as isize)
}

#[inline(always)]
pub fn shift_mut(address: *mut c_void, bytes: i64) -> *mut c_void {
    shift(address, bytes).cast_mut()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // the callers keep below their limit
const fn length(n: usize) -> c_int {
    n as c_int
}

impl Made {
    fn by(make: impl FnOnce(&mut MPI_Datatype) -> c_int) -> MpiResult<Self> {
        let mut new = Datatype::null().0;
        check(make(&mut new))?;
        Ok(Self(new))
    }

    pub const fn datatype(&self) -> Datatype {
        Datatype(self.0)
    }

    /// Gives the type to the user.
    pub const fn into_raw(self) -> MPI_Datatype {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// Leaves the type to live until `Datatype::free`.
    pub const fn into_datatype(self) -> Datatype {
        Datatype(self.into_raw())
    }

    pub fn commit(mut self) -> MpiResult<Self> {
        // SAFETY: a live datatype.
        check(unsafe { raw::MPI_Type_commit(&mut self.0) })?;
        Ok(self)
    }

    pub fn contiguous(count: c_int, of: Datatype) -> MpiResult<Self> {
        // SAFETY: here and below: live datatypes, arrays as long as their count, a place for the answer.
        Self::by(|new| unsafe { raw::MPI_Type_contiguous(count, of.0, new) })
    }

    pub fn duplicate(of: Datatype) -> MpiResult<Self> {
        // SAFETY: as above.
        Self::by(|new| unsafe { ffi::MPI_Type_dup(of.0, new) })
    }

    pub fn hvector(count: c_int, blocklength: c_int, stride: i64, of: Datatype) -> MpiResult<Self> {
        // SAFETY: as above.
        Self::by(|new| unsafe {
            ffi::MPI_Type_create_hvector(count, blocklength, aint(stride), of.0, new)
        })
    }

    pub fn hindexed(lengths: &[c_int], displacements: &[i64], of: Datatype) -> MpiResult<Self> {
        assert!(lengths.len() == displacements.len());
        let displacements: Vec<MPI_Aint> = displacements.iter().map(|&d| aint(d)).collect();
        // SAFETY: as above.
        Self::by(|new| unsafe {
            ffi::MPI_Type_create_hindexed(
                length(lengths.len()),
                lengths.as_ptr(),
                displacements.as_ptr(),
                of.0,
                new,
            )
        })
    }

    pub fn structure(blocks: &[Block]) -> MpiResult<Self> {
        let lengths: Vec<c_int> = blocks.iter().map(|b| b.length).collect();
        let displacements: Vec<MPI_Aint> = blocks.iter().map(|b| aint(b.displacement)).collect();
        let datatypes: Vec<MPI_Datatype> = blocks.iter().map(|b| b.datatype.0).collect();
        // SAFETY: as above.
        Self::by(|new| unsafe {
            ffi::MPI_Type_create_struct(
                length(blocks.len()),
                lengths.as_ptr(),
                displacements.as_ptr(),
                datatypes.as_ptr(),
                new,
            )
        })
    }

    /// `integers` as `MPI_Type_get_contents` tells them.
    pub fn subarray(integers: &[c_int], of: Datatype) -> MpiResult<Self> {
        let n = wide_int(integers[0]);
        assert!(integers.len() == 3 * n + 2);
        let array = |k: usize| integers[1 + k * n..].as_ptr();
        let order = integers[1 + 3 * n];
        // SAFETY: as above: three arrays of `n`, and the order.
        Self::by(|new| unsafe {
            ffi::MPI_Type_create_subarray(
                integers[0],
                array(0),
                array(1),
                array(2),
                order,
                of.0,
                new,
            )
        })
    }

    /// `integers` as `MPI_Type_get_contents` tells them.
    pub fn darray(integers: &[c_int], of: Datatype) -> MpiResult<Self> {
        let n = wide_int(integers[2]);
        assert!(integers.len() == 4 * n + 4);
        let array = |k: usize| integers[3 + k * n..].as_ptr();
        let order = integers[3 + 4 * n];
        // SAFETY: as above: four arrays of `n`, and the order.
        Self::by(|new| unsafe {
            ffi::MPI_Type_create_darray(
                integers[0],
                integers[1],
                integers[2],
                array(0),
                array(1),
                array(2),
                array(3),
                order,
                of.0,
                new,
            )
        })
    }

    pub fn resized(of: Datatype, bounds: Bounds) -> MpiResult<Self> {
        let (lower, extent) = (aint(bounds.lower), aint(bounds.extent()));
        // SAFETY: as above.
        Self::by(|new| unsafe { raw::MPI_Type_create_resized(of.0, lower, extent, new) })
    }

    /// `part` with another extent, known by `mark`.
    ///
    /// A part that was resized has explicit bounds, and where MPI keeps to their first meaning, as Open MPI does, they
    /// alone are the bounds of a structure. Items of a type made here shall not have any, as those of predefined types
    /// have none. There an item of nothing makes the extent.
    pub fn marked(part: Datatype, extent: i64, mark: i64) -> MpiResult<Self> {
        let marked = Self::resized(part, Bounds { lower: 0, upper: mark })?;
        let nothing = Self::contiguous(0, marked.datatype())?;
        // Nothing comes first: behind the part Open MPI 4.1 takes such items to be without gaps.
        let made = Self::structure(&[
            Block { length: 1, displacement: extent, datatype: nothing.datatype() },
            Block { length: 1, displacement: 0, datatype: part },
        ])?;
        let bounds = Bounds { lower: 0, upper: extent };
        if made.datatype().bounds()? == bounds
            && made.datatype().true_bounds()? == part.true_bounds()?
        {
            return Ok(made);
        }
        Self::resized(marked.datatype(), bounds)
    }
}

impl Contents {
    /// Whether `Made::marked` has made the type, with `mark`.
    pub fn is_marked(&self, mark: i64) -> MpiResult<bool> {
        Ok(self.mark()? == Some(mark))
    }

    /// What a type of `Made::marked` was made of.
    pub fn part(&self) -> Datatype {
        let place = usize::from(self.combiner == raw::constants().structure);
        self.datatypes[place].datatype()
    }

    /// The extent by which a type of `Made::marked` is known, and that of any other that has such a structure.
    pub fn mark(&self) -> MpiResult<Option<i64>> {
        let kinds = raw::constants();
        let holder = if self.combiner == kinds.resized {
            self.datatypes[0].datatype().contents()?
        } else if self.combiner == kinds.structure && self.integers == [2, 1, 1] {
            match self.datatypes[0].datatype().contents()? {
                Some(nothing)
                    if nothing.combiner == kinds.contiguous && nothing.integers == [0] =>
                {
                    nothing.datatypes[0].datatype().contents()?
                }
                _ => None,
            }
        } else {
            None
        };
        Ok(holder.and_then(|it| match it.addresses[..] {
            [0, mark] if it.combiner == kinds.resized => Some(mark),
            _ => None,
        }))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if super::is_live() {
            // SAFETY: a datatype of ours; an error would leave a handle behind, no more.
            unsafe { raw::MPI_Type_free(&mut self.0) };
        }
    }
}

impl Datatype {
    /// Refuses the null handle. MPI itself would raise that on `MPI_COMM_WORLD`, whatever the call is on.
    pub fn known(self) -> MpiResult<Self> {
        if self == Self::null() {
            return Err(Error::new(Code::Argument, "a datatype is MPI_DATATYPE_NULL").into());
        }
        Ok(self)
    }

    /// The bytes of data in one item.
    pub fn size(self) -> MpiResult<i64> {
        let datatype = self.known()?.0;
        let mut size = 0;
        // SAFETY: a live datatype and a place for the answer.
        check(unsafe { ffi::MPI_Type_size_x(datatype, &mut size) })?;
        Ok(size)
    }

    pub fn bounds(self) -> MpiResult<Bounds> {
        let datatype = self.known()?.0;
        let (mut lower, mut extent) = (0, 0);
        // SAFETY: as above.
        check(unsafe { raw::MPI_Type_get_extent(datatype, &mut lower, &mut extent) })?;
        let lower = from_aint(lower);
        Ok(Bounds { lower, upper: lower + from_aint(extent) })
    }

    pub fn float() -> Self {
        // SAFETY: as below.
        Self(unsafe { raw::admpi_shim_type_FLOAT() })
    }

    pub fn int() -> Self {
        // SAFETY: as below.
        Self(unsafe { raw::admpi_shim_type_INT() })
    }

    /// Where the data of an item begin and end, whatever bounds it was given.
    pub fn true_bounds(self) -> MpiResult<Bounds> {
        let datatype = self.known()?.0;
        let (mut lower, mut extent) = (0, 0);
        // SAFETY: as above.
        check(unsafe { ffi::MPI_Type_get_true_extent(datatype, &mut lower, &mut extent) })?;
        let lower = from_aint(lower);
        Ok(Bounds { lower, upper: lower + from_aint(extent) })
    }

    pub fn packed() -> Self {
        // SAFETY: as below.
        Self(unsafe { raw::admpi_shim_type_PACKED() })
    }

    pub fn byte() -> Self {
        // SAFETY: returns a constant handle.
        Self(unsafe { raw::admpi_shim_type_BYTE() })
    }
}
