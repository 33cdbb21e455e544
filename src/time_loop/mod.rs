//! Long time loops on a short tape: states are kept at some steps, and a sweep records the others again.
//!
//! `schedule` says where, and knows of no tape; `state` is what a step reads and writes; `run` does a loop and is its event.

mod labels;
mod run;
mod schedule;
mod state;

pub use run::{Agree, Loop, Statistics, Step};
pub use schedule::{Kind, Schedule};
pub use state::{Hook, Item};
