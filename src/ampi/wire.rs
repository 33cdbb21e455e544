//! How doubles travel between two ranks: as many as there are, past an int by the layer for large counts.

use crate::large::limit::{settled, small};
use crate::large::types::committed;
use crate::mpi::{Datatype, Doubles, Outcome, Source};

/// `n` doubles as MPI counts them.
#[inline]
pub fn doubles(n: usize) -> Outcome<Doubles> {
    // No memory holds more than half of the address space.
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    small(n).map_or_else(|| many(n), |count| Ok(Doubles::each(count)))
}

#[cold]
fn many(n: i64) -> Outcome<Doubles> {
    match settled(n) {
        Some(count) => Ok(Doubles::each(count)),
        None => Doubles::bundled(committed(n, Datatype::double())?),
    }
}

/// What `words` of a message that leaves or fills `source` are: doubles, or bytes where passive parts lie between
/// them.
#[inline]
pub fn items(source: &Source, words: usize) -> Outcome<Doubles> {
    match source.mixed_bytes() {
        Some(n) if words > 0 => bytes(n),
        _ => doubles(words),
    }
}

#[cold]
fn bytes(n: usize) -> Outcome<Doubles> {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    match settled(n) {
        Some(count) => Ok(Doubles::bytes(count)),
        None => Doubles::bundled(committed(n, Datatype::byte())?),
    }
}
