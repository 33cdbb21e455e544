//! Long time loops on a short tape: states are kept at some steps, and a sweep records the others again.
//!
//! `schedule` says what is kept, and `plan` what to do next: store, restore, advance, record, reverse. Neither knows of a tape.
//! `binomial`, `mixed` and `two_level` are their arithmetic, and `choose` is the choice for a budget. `executor` does what the plan
//! says: it is the loop's event. `store` keeps states in memory and on disk, `labels` tells what their elements are on the tape,
//! `state` is what a step reads and writes, `step` is the user's function, `run` the loop before it runs, and `statistics` what
//! loops have done.

mod binomial;
mod choose;
mod executor;
mod labels;
mod mixed;
mod plan;
mod run;
mod schedule;
mod state;
mod statistics;
mod step;
mod store;
mod two_level;

pub use executor::Agree;
pub use run::Loop;
pub use schedule::Kind;
pub use state::{Hook, Item};
pub use statistics::Statistics;
pub use step::Step;
pub use two_level::Disk;
