//! Handles of MPI as values, and what can be told of them without a call that may fail.

use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Op};
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Handles are pointers in one MPI and integers in another.
pub(super) trait HandleKey: Sized {
    fn key(&self) -> usize;
    fn from_key(key: usize) -> Self;
}

impl<T> HandleKey for *mut T {
    #[inline]
    fn key(&self) -> usize {
        self.expose_provenance()
    }
    #[inline]
    fn from_key(key: usize) -> Self {
        std::ptr::with_exposed_provenance_mut(key)
    }
}

impl HandleKey for c_int {
    #[inline]
    fn key(&self) -> usize {
        crate::count::wide32(u32::from_ne_bytes(self.to_ne_bytes()))
    }
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // what `key` widened
    fn from_key(key: usize) -> Self {
        Self::from_ne_bytes((key as u32).to_ne_bytes())
    }
}

/// A communicator's handle.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Comm(pub(super) MPI_Comm);

// SAFETY: a handle names an object of MPI, which serves every thread its own level of support allows.
unsafe impl Send for Comm {}
// SAFETY: as above.
unsafe impl Sync for Comm {}

impl Comm {
    /// # Safety
    /// `handle` is the null handle or a communicator that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Comm) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Comm {
        self.0
    }

    pub fn world() -> Self {
        // SAFETY: constant data of the shim of mpi-sys.
        Self(unsafe { mpi_sys::RSMPI_COMM_WORLD })
    }

    pub fn itself() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_COMM_SELF })
    }

    pub fn null() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_COMM_NULL })
    }

    pub fn is_null(self) -> bool {
        self == Self::null()
    }

    /// The number behind the handle, for tables keyed by it.
    #[inline]
    pub fn key(self) -> usize {
        self.0.0.key()
    }
}

/// A place for a communicator's handle that threads may read while another one changes it.
#[derive(Debug)]
pub struct SharedComm(AtomicUsize);

impl SharedComm {
    pub fn new(comm: Comm) -> Self {
        Self(AtomicUsize::new(comm.0.0.key()))
    }

    /// The handle; null after `take`.
    #[inline]
    pub fn get(&self) -> Comm {
        Comm(MPI_Comm(HandleKey::from_key(self.0.load(Ordering::Acquire))))
    }

    /// Puts `comm` in the place of what stood there.
    pub fn replace(&self, comm: Comm) -> Comm {
        Comm(MPI_Comm(HandleKey::from_key(self.0.swap(comm.0.0.key(), Ordering::AcqRel))))
    }
}

/// A datatype's handle.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Datatype(pub(super) MPI_Datatype);

// SAFETY: as for `Comm`.
unsafe impl Send for Datatype {}
// SAFETY: as for `Comm`.
unsafe impl Sync for Datatype {}

impl Datatype {
    /// # Safety
    /// `handle` is the null handle or a datatype that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Datatype) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Datatype {
        self.0
    }

    pub fn double() -> Self {
        // SAFETY: constant data of the shim of mpi-sys.
        Self(unsafe { mpi_sys::RSMPI_DOUBLE })
    }

    /// 64 bits.
    pub fn word() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_UINT64_T })
    }

    pub fn null() -> Self {
        // SAFETY: as above.
        Self(unsafe { mpi_sys::RSMPI_DATATYPE_NULL })
    }

    /// The type of one active double; the null handle before the library is initialised.
    #[inline]
    pub fn active_double() -> Self {
        // SAFETY: a variable that is written when the library begins and ends, and then only.
        Self(unsafe { (&raw const raw::AMPI_ADOUBLE).read() })
    }

    pub fn set_active_double(self) {
        // SAFETY: called at initialisation and finalisation, when no other call of the library may run.
        unsafe { raw::admpi_shim_set_adouble(self.0) }
    }

    /// The type of an active double and an index; the null handle before the library is initialised.
    pub fn active_pair() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_ADOUBLE_INT).read() })
    }

    pub fn set_active_pair(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_adouble_int(self.0) }
    }

    /// Fortran's types of tangents: of values that are plain doubles, and of active ones.
    pub fn set_tangents(plain: Self, active: Self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_tangents(plain.0, active.0) }
    }

    /// The type of a complex number of two active doubles; the null handle before the library is initialised.
    #[inline]
    pub fn active_complex() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_ADOUBLE_COMPLEX).read() })
    }

    pub fn set_active_complex(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_adouble_complex(self.0) }
    }

    /// The type of an active float; the null handle before the library is initialised.
    #[inline]
    pub fn active_float() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_AFLOAT).read() })
    }

    pub fn set_active_float(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_afloat(self.0) }
    }

    /// The type of an active float and an index; the null handle before the library is initialised.
    pub fn active_float_pair() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_AFLOAT_INT).read() })
    }

    pub fn set_active_float_pair(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_afloat_int(self.0) }
    }

    /// Of an active value and an index.
    pub fn is_active_pair(self) -> bool {
        [Self::active_pair(), Self::active_float_pair()].contains(&self)
    }

    /// The type of a complex number of two active floats; the null handle before the library is initialised.
    pub fn active_float_complex() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_AFLOAT_COMPLEX).read() })
    }

    pub fn set_active_float_complex(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_afloat_complex(self.0) }
    }

    /// The type of the elements of a matrix, where the buffer is the matrix; the null handle before the library is
    /// initialised.
    pub fn of_matrix() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_VARMAT).read() })
    }

    pub fn set_of_matrix(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_varmat(self.0) }
    }

    /// The same where the buffer is a view.
    pub fn of_view() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::AMPI_VIEW).read() })
    }

    pub fn set_of_view(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_view(self.0) }
    }

    /// The same of doubles of another AD tool's that have consecutive ids.
    pub fn of_numbers() -> Self {
        // SAFETY: as above.
        Self(unsafe { (&raw const raw::admpi_shim_numbers).read() })
    }

    pub fn set_of_numbers(self) {
        // SAFETY: as above.
        unsafe { raw::admpi_shim_set_numbers(self.0) }
    }

    /// Whether a buffer of this type only leads to the values, which its address does not lead into.
    pub fn is_of_elements(self) -> bool {
        self != Self::null()
            && (self == Self::of_matrix() || self == Self::of_view() || self == Self::of_numbers())
    }

    /// The number behind the handle, for tables keyed by it.
    #[inline]
    pub fn key(self) -> usize {
        handle_key(&self.0)
    }
}

#[inline]
fn handle_key(handle: &MPI_Datatype) -> usize {
    handle.0.key()
}

/// A reduction's operation.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
pub struct Op(pub(super) MPI_Op);

impl Op {
    /// The number behind the handle, for tables keyed by it.
    pub fn key(self) -> usize {
        self.0.0.key()
    }

    /// # Safety
    /// `handle` is an operation that lives while the value is used.
    #[inline(always)]
    pub const unsafe fn new(handle: MPI_Op) -> Self {
        Self(handle)
    }

    pub const fn raw(self) -> MPI_Op {
        self.0
    }
}

macro_rules! operations {
    ($($name:ident $shim:ident;)*) => {
        impl Op { $(pub fn $name() -> Self {
            // SAFETY: returns a constant handle.
            Self(unsafe { raw::$shim() })
        })* }
    };
}

operations! {
    sum admpi_shim_op_SUM;
    product admpi_shim_op_PROD;
    min admpi_shim_op_MIN;
    max admpi_shim_op_MAX;
    min_location admpi_shim_op_MINLOC;
    max_location admpi_shim_op_MAXLOC;
    bit_or admpi_shim_op_BOR;
    bit_and admpi_shim_op_BAND;
    bit_xor admpi_shim_op_BXOR;
    and admpi_shim_op_LAND;
    or admpi_shim_op_LOR;
    xor admpi_shim_op_LXOR;
    replace admpi_shim_op_REPLACE;
    no_op admpi_shim_op_NO_OP;
    null admpi_shim_op_OP_NULL;
}

// SAFETY: as for `Comm`.
unsafe impl Send for Op {}
