//! Adjoint MPI: exact gradients of MPI programs in C, C++ and Fortran.
//!
//! The modules stand on floors; a module names only those on lower ones (`tests/floors.rs` guards it).

pub mod arena; // floor 1
pub mod capi; // floor 7
pub mod count; // floor 1
pub mod error; // floor 1
pub mod tape; // floor 2
