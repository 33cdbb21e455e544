//! Every `extern "C"` function. No logic: arguments are checked, a lower floor is called, errors become codes.
//!
//! # The C contract
//!
//! `// SAFETY: as the C contract says` refers to what `include/admpi.h` demands of callers under "The contract of
//! handles and pointers", for each type of handle, and to what the function's own comment adds. In Rust's terms it
//! comes to this.
//!
//! - **Tape** (`admpi_tape`): NULL, the placeholder `admpi_no_tape`, or the `Box<Tape>` of `admpi_tape_new`, live. No
//!   other thread is in a call with it, so that `tape::tape` may make the only reference to it. Where functions of the
//!   user's run meanwhile, which may call back through the handle, no reference is held: those calls take
//!   `tape::pointer`.
//! - **Matrix** (`admpi_varmat`): NULL, or a live `Matrix` of which the caller has a reference. Other threads at most
//!   read it, and it is passive then.
//! - **View, operand** (`admpi_view`, `admpi_operand`): their `of` is NULL or a matrix as above. Nothing else is
//!   believed: offsets, lengths and steps are checked against the block.
//! - **Operation, linear system, fixed point**: NULL, or a `size`, and behind it a structure of that size. The
//!   functions have the declared types and do not unwind. The data may be destroyed once by the function for it.
//! - **Pattern** (`admpi_sparse`): NULL, or the `Box` of `admpi_sparse_new`, `admpi_sparse_copy` or a function of `sparsity`, live.
//! - **Map** (`admpi_map`): NULL, or the `Box` of `admpi_map_new` or `admpi_map_new_mpi`, live, with no other thread in
//!   a call with it. Handles of data and numbers of functions are looked up, not believed.
//! - **Device map** (`admpi_device_map`): NULL, or the `Box` of `admpi_device_map_new`, live, with no other thread in a call
//!   that adds to it.
//! - **Program and simulation of pmap** (`admpi_pmap_program`, `admpi_pmap_simulation`): NULL, or the `Box` of the call that made
//!   it, live.
//! - **Engine and value of pmap** (`admpi_pmap`, `admpi_pmap_value`): NULL, or the `Box` of the call that made it, live, on its
//!   thread. An engine may be in a call of `admpi_pmap_run` whose body makes another.
//! - **Profile** (`admpi_profile`): NULL, or the `Box` of `admpi_tape_profile`, live, with no other thread in a call with it.
//! - **Active value** (`admpi_var`): initialised; its id and tag are zero, or were made by the library or its inline
//!   recorders. It may be stale: that is found by its tag, or by the next sweep.
//! - **Arrays**: NULL or `n` initialised elements, aligned, that nobody writes to during the call; for outputs memory
//!   for `n` that nobody else reads or writes, and that overlaps no input but where the comment says so.
//! - **Texts**: NULL or a string that ends with a zero.
//!
//! # MPI's contract
//!
//! `// SAFETY: as MPI's contract says` refers to what the MPI standard demands of the arguments of the call of that
//! name, with these additions.
//!
//! - **Request** (`AMPI_Request`): null, or a `Box<Request>` that a start of the library's gave out and that no
//!   completion has taken back. A pointer to requests is NULL, or leads to as many as the call says; no other thread
//!   uses them.
//! - **Buffers** of active types hold `admpi_var` with initialised ids; that of `AMPI_VARMAT` is a matrix and that of
//!   `AMPI_VIEW` a view, as above. They stay where they are until the call is complete.
//! - **Handles of MPI** may be uninitialised where MPI says that the argument is not significant: they are not looked at
//!   there.

// Comments are those of the C headers: `@param[out]`.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)]
// What a pointer must satisfy stands above, and what differs in each function's C documentation, which becomes the header.
#![allow(clippy::missing_safety_doc)]

#[cfg(feature = "mpi")]
#[allow(non_snake_case)] // MPI's names
pub mod ampi;
pub mod arrays;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod collectives;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod communicators;
pub mod densities;
pub mod derivatives;
#[cfg(feature = "mpi")]
pub mod derivatives_ranks;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod large;
#[cfg(feature = "mpi")]
mod large_arguments;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod large_types;
pub mod linalg;
mod many;
pub mod map;
#[cfg(feature = "mpi")]
pub mod map_service;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod messages;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod neighbors;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod one_sided;
pub mod operations;
pub mod pmap;
pub mod pmap_programs;
#[cfg(feature = "mpi")]
pub mod pmap_ranks;
pub mod profile;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod reductions;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod requests;
pub mod sparsity;
#[cfg(feature = "mpi")]
pub mod sparsity_ranks;
pub mod special;
pub mod steps;
mod support;
pub mod tape;
pub mod time_loop;
#[cfg(feature = "mpi")]
pub mod tools;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod user_ops;
pub mod varmat;
#[cfg(feature = "mpi")]
#[allow(non_snake_case)]
pub mod windows;

use support::arguments::{array, array_mut, entry, free, get, give, give_handle, null, put};
#[cfg(feature = "mpi")]
use support::calls::{
    check_abi, complete_some, end_comm, make_comm, make_dist_graph, mpi_call, mpi_status, name,
    out, slot, slots,
};
