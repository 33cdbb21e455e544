//! Statuses: our own, and the places where the user wants them.

use super::raw::{self, MPI_Status};
use super::{Datatype, Outcome, check, plain};
use std::ffi::c_int;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Status(MPI_Status);

impl Default for Status {
    fn default() -> Self {
        // SAFETY: a plain structure of integers in every MPI.
        Self(unsafe { std::mem::zeroed() })
    }
}

impl Status {
    pub const fn source(&self) -> c_int {
        self.0.MPI_SOURCE
    }

    pub const fn tag(&self) -> c_int {
        self.0.MPI_TAG
    }

    pub const fn error(&self) -> c_int {
        self.0.MPI_ERROR
    }

    pub const fn raw(&self) -> MPI_Status {
        self.0
    }

    pub const fn as_mut_ptr(&mut self) -> *mut MPI_Status {
        &raw mut self.0
    }

    /// How many items of `datatype` arrived, or `None` for part of one.
    #[inline]
    pub fn count(&self, datatype: Datatype) -> Outcome<Option<usize>> {
        let mut count = 0;
        // SAFETY: a status that MPI filled and a live datatype.
        check(unsafe { raw::MPI_Get_count(&self.0, datatype.raw(), &mut count) })?;
        Ok((count != raw::constants().undefined).then(|| super::wide_int(count)))
    }

    /// How many doubles arrived, or `None` for part of one.
    #[inline(always)]
    pub fn doubles(&self) -> Outcome<Option<usize>> {
        match self.count(Datatype::double())? {
            // Past an int, or part of one.
            None => self.many_doubles(),
            known => Ok(known),
        }
    }

    #[cold]
    fn many_doubles(&self) -> Outcome<Option<usize>> {
        Ok(Some(self.bytes()?).filter(|bytes| bytes % 8 == 0).map(|bytes| bytes / 8))
    }

    /// How many bytes arrived.
    pub fn bytes(&self) -> Outcome<usize> {
        let mut bytes = 0;
        let byte = Datatype::byte().raw();
        // SAFETY: a status that MPI filled and a predefined datatype.
        check(unsafe { plain::MPI_Get_elements_x(&self.0, byte, &mut bytes) })?;
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    pub fn cancelled(&self) -> Outcome<bool> {
        let mut flag = 0;
        // SAFETY: a status that MPI filled.
        check(unsafe { raw::MPI_Test_cancelled(&self.0, &mut flag) })?;
        Ok(flag != 0)
    }
}

/// Where the user wants one status, or nowhere.
pub struct StatusSlot(*mut MPI_Status);

impl StatusSlot {
    /// # Safety
    /// `place` is `MPI_STATUS_IGNORE` or a status that may be written while the value lives.
    pub const unsafe fn new(place: *mut MPI_Status) -> Self {
        Self(place)
    }

    pub fn set(&mut self, status: &Status) {
        // SAFETY: constant data of the shim of mpi-sys.
        if self.0 != unsafe { mpi_sys::RSMPI_STATUS_IGNORE } && !self.0.is_null() {
            // SAFETY: the promise of `new`.
            unsafe { self.0.write(status.0) };
        }
    }
}

/// Where the user wants an array of statuses, or nowhere.
pub struct StatusSlots(*mut MPI_Status);

impl StatusSlots {
    /// # Safety
    /// `places` is `MPI_STATUSES_IGNORE` or statuses that may be written while the value lives, as many as
    /// the call has requests.
    pub const unsafe fn new(places: *mut MPI_Status) -> Self {
        Self(places)
    }

    pub fn ignored(&self) -> bool {
        // SAFETY: constant data of the shim of mpi-sys.
        self.0 == unsafe { mpi_sys::RSMPI_STATUSES_IGNORE } || self.0.is_null()
    }

    /// Copies `statuses` to the first places.
    pub fn set(&mut self, statuses: &[Status]) {
        if !self.ignored() {
            // SAFETY: the promise of `new`; `Status` is transparent.
            unsafe {
                std::ptr::copy_nonoverlapping(statuses.as_ptr().cast(), self.0, statuses.len())
            };
        }
    }
}
