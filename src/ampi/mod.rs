//! Adjoint MPI: messages and collectives that the tape sees, and their way back in a reverse sweep.
//!
//! What is recorded, what is sent back and why it cannot deadlock stands in `docs/deadlock.md`.
#![forbid(unsafe_code)]

pub mod abandon;
pub mod adjoint_comm;
pub mod argument;
pub mod buffers;
pub mod builtin_op;
pub mod bytes;
mod call;
pub mod channel;
pub mod check;
pub mod collective;
pub mod communicator;
pub mod counts;
pub mod dispatch;
pub mod dispatched;
pub mod exchange;
pub mod file;
pub mod hash;
pub mod hold;
pub mod inter;
pub mod late;
pub mod lifecycle;
pub mod message;
pub mod movement;
pub mod neighbor;
pub mod packing;
pub mod pairs;
pub mod partitioned;
pub mod peer_exchange;
pub mod queues;
pub mod recording;
pub mod reduce_local;
pub mod reduction;
pub mod request;
pub mod scan;
pub mod sparsity;
pub mod stamp;
pub mod statistics;
pub mod tangents;
pub mod target;
pub mod trace;
pub mod traffic;
pub mod untold;
pub mod user_op;
pub mod window;
pub mod wire;

pub use adjoint_comm::AdjointComm;
pub use request::Request;

/// What to do where a pattern is asked for that goes through other ranks.
const ACROSS_RANKS: &str =
    "give the pattern yourself, or take it from a recording without communication";

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose holder panicked still guards usable data: every update here is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
