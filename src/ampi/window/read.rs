//! Reads of a target's memory in an epoch that ends without an answer of the target: MPI's own, of whole active values.

use crate::ampi::wire::bytes;
use crate::datatype::{Items, Mark, RecvBuffer};
use crate::error::{Code, Error};
use crate::mpi::transfer::Transfer;
use crate::mpi::types::Made;
use crate::mpi::{Arriving, Datatype, Doubles, Failure, MpiResult, Staging, Win};
use crate::tape::Var;
use std::ffi::c_int;

/// What this rank reads until it completes its accesses.
pub struct Read {
    pub target: c_int,
    sink: RecvBuffer,
    items: Items,
    /// Where MPI writes active values with all of their 16 bytes.
    wide: Arriving,
}

#[cold]
fn too_large() -> Failure {
    let why = "target_count: an epoch of AMPI_Win_start, or a lock, takes at most 2^31 - 1 items, of at most 2^31 - 1 bytes each";
    Error::new(Code::Unsupported, why).into()
}

/// A type for all items, of bytes.
pub fn wide_type(items: &Items) -> MpiResult<Doubles> {
    let Some((blocks, extent)) = items.wide() else { return bytes(items.wide_bytes()) };
    let (mut lengths, mut places) = (Vec::new(), Vec::new());
    for (place, n) in blocks {
        lengths.push(c_int::try_from(n).map_err(|_| too_large())?);
        places.push(place);
    }
    let one = Made::hindexed(&lengths, &places, Datatype::byte())?;
    let count = c_int::try_from(items.count()).map_err(|_| too_large())?;
    let all = Made::hvector(count, 1, extent, one.datatype())?.commit()?;
    Ok(Doubles::gathered(all))
}

impl Read {
    /// Starts to read items of `target`'s window.
    pub fn start(
        win: Win,
        target: c_int,
        displacement: i64,
        items: Items,
        sink: RecvBuffer,
        request: Option<&mut Transfer>,
    ) -> MpiResult<Self> {
        let n = items.wide_bytes();
        let room = Staging::take(n.div_ceil(8));
        let (here, there) = (bytes(n)?, wide_type(&items)?);
        let wide = win.get(room, &here, (target, displacement), &there, request)?;
        Ok(Self { target, sink, items, wide })
    }

    /// Active doubles.
    pub const fn len(&self) -> usize {
        self.sink.len()
    }

    /// Writes what has arrived to the user's buffer, with ids from `mark`.
    pub fn finish(self, mark: Mark) -> MpiResult<()> {
        self.give(mark).map(|_| ())
    }

    /// As `finish` of passive values, and returns what marks them at the target.
    pub fn look(self) -> MpiResult<(RecvBuffer, Vec<Var>)> {
        let items = self.items.clone();
        let (sink, wide) = self.give(Mark::PASSIVE)?;
        Ok((sink, items.vars(wide.as_slice())))
    }

    fn give(mut self, mark: Mark) -> MpiResult<(RecvBuffer, Staging)> {
        let n = self.items.bytes();
        let (wide, mut wire) = (self.wide.arrived(), Staging::take(n.div_ceil(8)));
        self.items.narrow(wide.as_slice(), wire.as_mut_slice());
        self.sink.unpack_bytes(wire.as_slice(), n, mark)?;
        Ok((self.sink, wide))
    }
}
