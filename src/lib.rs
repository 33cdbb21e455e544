//! Adjoint MPI: exact gradients of MPI programs in C and C++.
//!
//! The modules stand on floors; a module names only those on lower ones (`tests/floors.rs` guards it).

// `laid_out!` asserts that a struct is laid out as its twin in C; build.rs makes it of src/shim/layout.txt.
include!(concat!(env!("OUT_DIR"), "/layout.rs"));

#[cfg(feature = "mpi")]
pub mod ampi; // floor 5
pub mod arena; // floor 1
pub mod capi; // floor 7
pub mod count; // floor 1
#[cfg(feature = "mpi")]
pub mod datatype; // floor 4
pub mod elementary; // floor 1
pub mod error; // floor 1
pub mod lanes; // floor 1
#[cfg(feature = "mpi")]
pub mod large; // floor 4
pub mod map; // floor 6
#[cfg(feature = "mpi")]
pub mod mpi; // floor 3
pub mod ops; // floor 3
pub mod options; // floor 1
pub mod special; // floor 1
pub mod tape; // floor 2
