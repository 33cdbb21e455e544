//! What the functions for C share. A directory of its own, since every file of `capi` is a unit with a header.

pub mod arguments;
#[cfg(feature = "mpi")]
pub mod calls;
#[cfg(feature = "mpi")]
pub mod collectives;
#[cfg(feature = "mpi")]
pub mod large;
#[cfg(feature = "mpi")]
pub mod large_types;
pub mod matrices;
#[cfg(feature = "mpi")]
pub mod messages;
#[cfg(feature = "mpi")]
pub mod one_sided;
#[cfg(feature = "mpi")]
pub mod packing;
#[cfg(feature = "mpi")]
pub mod partitioned;
#[cfg(feature = "mpi")]
pub mod persistent;
#[cfg(feature = "mpi")]
pub mod tools;
