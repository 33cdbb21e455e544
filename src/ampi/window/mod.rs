//! Windows: one-sided communication on active data, in epochs that both sides close, and under locks (`passive`).
//!
//! MPI lets an implementation postpone every operation of an epoch that both sides close to its end, and forbids all to look earlier. So an
//! operation is noted at its origin, with its values. At the end of the epoch one message goes from each origin to each target
//! that it has operations for, and the target carries them out, in the order of ranks and of each rank's program: an order that
//! MPI allows. On the tapes such an epoch is values that were sent and received, and statements of the target on its own
//! memory. The adjoints travel as those of messages along edges do.
//!
//! Nothing on a tape refers to a window, its memory or a datatype: all may be gone before the sweep.

mod anchors;
pub mod calls;
mod conflicts;
mod epoch;
mod event;
mod ids;
mod operation;
mod passive;
mod read;
mod registry;
mod target;

pub use passive::is_live as may_be_locked;
pub use registry::{Hints, create, install, prepare, remove};
