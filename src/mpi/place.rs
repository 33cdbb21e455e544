//! Where the doubles of a message lie that MPI is to read or to write.

use super::raw::MPI_Datatype;
use super::{Datatype, Doubles};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

/// An address and the doubles that lie there: side by side, or 16 bytes apart as active ones.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    address: *mut c_void,
    n: usize,
    spaced: bool,
}

impl Default for Place {
    fn default() -> Self {
        Self { address: std::ptr::null_mut(), n: 0, spaced: false }
    }
}

impl Place {
    pub const fn packed(address: *mut c_void, n: usize) -> Self {
        Self { address, n, spaced: false }
    }

    pub const fn spaced(address: *mut c_void, n: usize) -> Self {
        Self { address, n, spaced: true }
    }

    /// Whether it is all of `memory`.
    pub(super) fn is_at(&self, memory: &[f64]) -> bool {
        !self.spaced && self.n == memory.len() && self.address == memory.as_ptr().cast_mut().cast()
    }

    /// Address, count and datatype as a call of MPI's takes them; the items are there.
    #[inline]
    pub(super) fn items(&self, items: &Doubles) -> (*mut c_void, c_int, MPI_Datatype) {
        assert!(items.len() <= self.n, "room for all items");
        let datatype = if self.spaced {
            assert!(!items.are_bundled(), "doubles apart are an item each");
            Datatype::active_double().raw()
        } else {
            items.datatype()
        };
        (self.address, items.count(), datatype)
    }
}

/// Doubles that MPI may read.
#[derive(Clone, Copy)]
pub struct Readable<'a>(pub(super) Place, PhantomData<&'a [f64]>);

/// Doubles that MPI may write.
pub struct Writable<'a>(pub(super) Place, PhantomData<&'a mut [f64]>);

impl<'a> From<&'a [f64]> for Readable<'a> {
    #[inline]
    fn from(data: &'a [f64]) -> Self {
        Self(Place::packed(data.as_ptr().cast_mut().cast(), data.len()), PhantomData)
    }
}

impl<'a> From<&'a mut [f64]> for Writable<'a> {
    #[inline]
    fn from(data: &'a mut [f64]) -> Self {
        Self(Place::packed(data.as_mut_ptr().cast(), data.len()), PhantomData)
    }
}

impl Readable<'_> {
    /// # Safety
    /// The doubles at `place` may be read while the value lives.
    #[inline]
    pub const unsafe fn at(place: Place) -> Self {
        Self(place, PhantomData)
    }
}

impl Writable<'_> {
    /// # Safety
    /// The doubles at `place` may be written while the value lives, by nobody else.
    #[inline]
    pub const unsafe fn at(place: Place) -> Self {
        Self(place, PhantomData)
    }
}
