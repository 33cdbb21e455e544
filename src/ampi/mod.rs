//! Adjoint MPI: messages and collectives that the tape sees, and their way back in a reverse sweep.
//!
//! What is recorded, what is sent back and why it cannot deadlock stands in `docs/deadlock.md`.
#![forbid(unsafe_code)]

pub mod abandon;
pub mod adjoint_comm;
pub mod argument;
pub mod buffers;
pub mod bytes;
pub mod channel;
pub mod check;
pub mod collective;
pub mod communicator;
pub mod counts;
pub mod custom;
pub mod dispatch;
pub mod edges;
pub mod environment;
pub mod late;
pub mod local;
pub mod message;
pub mod movement;
pub mod neighbor;
pub mod operator;
pub mod queues;
pub mod recording;
pub mod reduction;
pub mod request;
pub mod scan;
pub mod stamp;
pub mod statistics;
pub mod table;
pub mod tangents;
pub mod traffic;
pub mod wire;

pub use adjoint_comm::Private;
pub use request::Request;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose holder panicked still guards usable data: every update here is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
