//! Adjoint MPI: exact gradients of MPI programs in C, C++ and Fortran.
//!
//! The modules stand on floors; a module names only those on lower ones (`tests/floors.rs` guards it).

pub mod error; // floor 1
