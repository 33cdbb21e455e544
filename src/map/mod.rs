//! Maps: one function on many independent jobs, with exact derivatives on the caller's tape.
//!
//! A job runs on a tape of the library's own, is swept at once and forgotten; its values and partial derivatives go to
//! whoever called, whose tape gets one event for the whole call. Who runs the jobs (this thread, threads, other ranks)
//! makes no difference to what is recorded.
#![forbid(unsafe_code)]

mod backend;
mod call;
mod data;
mod event;
mod failure;
mod function;
mod job;
mod local;
#[cfg_attr(not(feature = "mpi"), path = "no_ranks.rs")]
mod ranks;
mod room;
#[cfg(feature = "mpi")]
mod schedule;
mod serial;
mod shape;
mod task;
mod threads;
#[cfg(feature = "mpi")]
mod wire;

pub use backend::{Choice, number_of_threads};
pub use call::{
    Call, Map, Second, free_data, hessians, new_data, results, second_sizes, sum, update_data,
};
pub use data::{Data, DataHandle, Source};
pub use failure::{last_failure, remember};
pub use function::{register, unregister};
pub use job::{explain, job, with_data};
#[cfg(feature = "mpi")]
pub use ranks::{Service, serve};
pub use shape::Parts;
