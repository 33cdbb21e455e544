//! What a caller may assert of an epoch.
#![forbid(unsafe_code)]

use std::ffi::c_int;

/// No operation since the fence before.
pub const NO_PRECEDE: c_int = mpi_sys::MPI_MODE_NOPRECEDE.cast_signed();
/// None until the next one.
pub const NO_SUCCEED: c_int = mpi_sys::MPI_MODE_NOSUCCEED.cast_signed();
