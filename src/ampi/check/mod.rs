//! Checking across ranks: before a sweep the members of a communicator compare what each of them has on
//! record, so that a mistake which would hang the sweep, or lose a derivative, is an error that names it.
//!
//! The usual answer, that all agree, costs a number a peer and direction. Only where they do not agree do the
//! records themselves travel. Nothing here runs unless checking is on.
//!
//! Every call on active data has a number in the order of its channel or communicator, whether or not a tape records
//! it or even exists: ranks may make, reset and stop their tapes at different places. What is on record needs its
//! partner on record; what is not needs none, so a rank that has nothing on record with another does not know
//! whether that one comes to compare. It lets it know that it has no question, and looks for a while whether the
//! other has one.

mod comparison;
mod encoding;
mod log;
mod protocol;
mod site;
mod travelled;

pub use log::{Log, Portions, Posted, exchanged, freed, posted, sent, started};
pub use site::enter;
pub use travelled::{adjoint_sent, adjoint_set_off, adjoint_taken, adjoints_dropped};
