//! Statuses: our own, and the places where the user wants them.

use super::raw::{self, MPI_Status};
use super::{Datatype, MpiResult, check, ffi};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a status has the count of bytes where this MPI's ABI says, which saves a call of MPI a message.
static FIELDS_TELL: AtomicBool = AtomicBool::new(false);

/// Tries that out, at initialisation.
pub fn learn_fields() {
    let tells = [0, 24, (3 << 32) + 7].into_iter().all(|bytes| {
        let mut status = Status::default();
        status.set_bytes(bytes).is_ok() && status.bytes_field() == bytes
    });
    FIELDS_TELL.store(tells, Ordering::Relaxed);
}

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

    /// Lets it tell of another source and tag, unless it is of nobody.
    pub fn rename(&mut self, source: c_int, tag: c_int) {
        if self.source() != raw::constants().proc_null {
            (self.0.MPI_SOURCE, self.0.MPI_TAG) = (source, tag);
        }
    }

    pub const fn raw(&self) -> MPI_Status {
        self.0
    }

    pub const fn as_mut_ptr(&mut self) -> *mut MPI_Status {
        &raw mut self.0
    }

    /// How many doubles arrived, or `None` for part of one.
    #[inline(always)]
    pub fn doubles(&self) -> MpiResult<Option<usize>> {
        let bytes = self.bytes()?;
        Ok(bytes.is_multiple_of(8).then_some(bytes / 8))
    }

    /// How many bytes arrived.
    #[inline(always)]
    pub fn bytes(&self) -> MpiResult<usize> {
        if FIELDS_TELL.load(Ordering::Relaxed) { Ok(self.bytes_field()) } else { self.ask_bytes() }
    }

    #[inline(never)]
    fn ask_bytes(&self) -> MpiResult<usize> {
        let mut bytes = 0;
        let byte = Datatype::byte().raw();
        // SAFETY: a status that MPI filled and a predefined datatype.
        check(unsafe { ffi::MPI_Get_elements_x(&self.0, byte, &mut bytes) })?;
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Lets it tell of so many.
    pub fn set_bytes(&mut self, bytes: usize) -> MpiResult<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: a status, and a predefined datatype.
        check(unsafe { ffi::MPI_Status_set_elements_x(&mut self.0, Datatype::byte().raw(), bytes) })
    }

    /// What MPI_Get_elements of MPI_BYTE reads.
    #[cfg(admpi_mpi = "openmpi")]
    #[inline(always)]
    const fn bytes_field(&self) -> usize {
        self.0._ucount
    }

    #[cfg(admpi_mpi = "mpich")]
    #[inline(always)]
    const fn bytes_field(&self) -> usize {
        let high = crate::count::wide32(self.0.count_hi_and_cancelled.cast_unsigned() >> 1);
        high << 32 | crate::count::wide32(self.0.count_lo.cast_unsigned())
    }

    /// No count of an MPI that is not known: `learn_fields` finds that out.
    #[cfg(not(any(admpi_mpi = "openmpi", admpi_mpi = "mpich")))]
    #[inline(always)]
    const fn bytes_field(&self) -> usize {
        usize::MAX
    }

    pub fn cancelled(&self) -> MpiResult<bool> {
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

    fn is_ignored(&self) -> bool {
        // SAFETY: constant data of the shim of mpi-sys.
        self.0 == unsafe { mpi_sys::RSMPI_STATUS_IGNORE } || self.0.is_null()
    }

    /// The error field stays as it is: MPI has it only where a call returns several statuses (MPI-3.1, 3.2.5).
    pub fn set(&mut self, status: &Status) {
        if !self.is_ignored() {
            // SAFETY: the promise of `new`. The user need not have set the field.
            unsafe {
                let error = (&raw mut (*self.0).MPI_ERROR).cast::<MaybeUninit<c_int>>();
                let kept = error.read();
                self.0.write(status.0);
                error.write(kept);
            }
        }
    }

    /// What MPI has written there, unless that is nowhere.
    ///
    /// # Safety
    /// MPI has filled the status.
    pub unsafe fn told(&mut self) -> Option<&mut Status> {
        // SAFETY: the promises of `new` and of the caller; a `Status` is one of MPI's.
        if self.is_ignored() { None } else { unsafe { self.0.cast::<Status>().as_mut() } }
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
