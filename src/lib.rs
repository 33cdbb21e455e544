//! Adjoint MPI: exact gradients of MPI programs in C, C++ and Fortran.
//!
//! The modules stand on floors; a module names only those on lower ones (`tests/floors.rs` guards it).

// `laid_out!` asserts that a struct is laid out as its twin in C; build.rs makes it of src/shim/layout.txt.
include!(concat!(env!("OUT_DIR"), "/layout.rs"));

#[cfg(feature = "mpi")]
pub mod ampi; // floor 6
pub mod arena; // floor 1
pub mod capi; // floor 8
pub mod clock; // floor 1
pub mod count; // floor 1
#[cfg(feature = "mpi")]
pub mod datatype; // floor 5
pub mod densities; // floor 5
pub mod derivatives; // floor 4
pub mod elementary; // floor 1
pub mod error; // floor 1
pub mod foreign; // floor 3
pub mod implicit; // floor 4
#[cfg(feature = "mpi")]
pub mod large; // floor 5
pub mod linalg; // floor 4
pub mod map; // floor 7
pub mod matrix; // floor 3
#[cfg(feature = "mpi")]
pub mod mpi; // floor 4
pub mod options; // floor 1
pub mod pmap; // floor 7
pub mod profile; // floor 1
pub mod sparsity; // floor 3
pub mod special; // floor 1
pub mod tape; // floor 2
pub mod time_loop; // floor 4
pub mod trace; // floor 1
pub mod user_operation; // floor 4
pub mod var_pack; // floor 1
