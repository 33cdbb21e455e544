//! `ADMPI_TRACE`: what this process did, and when: calls, regions, sweeps and the adjoints in them, actions of time loops.
//!
//! Higher floors ask `is_on`, which is a load, and note spans of time in one store. At the end the store is written as events of
//! Chrome's trace format, which Perfetto reads: here by a process alone (`end`), with MPI by `ampi::trace`.
#![forbid(unsafe_code)]

mod file;
mod json;
mod store;
mod text;

pub use file::{create, end, file, set_rank, start_alone, unwritable};
pub use json::{close, open, signed, write_events};
pub use store::{
    Kind, Link, Message, NO_MESSAGE, Noted, Way, add_call, add_span, hop, is_on, start, take,
};
