//! Reductions. Predefined operations take predefined types only, so blocking ones are made in pieces, which
//! is faster too; nonblocking ones need one call for one request.

use super::limit::{REDUCTION_BYTES, limit, one_piece, settled};
use super::plan::{Family, Plan, choose};
use super::types::committed;
use super::{Call, First, multiply};
use crate::error::{Code, Error};
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::raw::{MPI_Datatype, MPI_Op, MPI_Request};
use crate::mpi::types::Made;
use crate::mpi::wrapped::{Item, Wrapped, describe};
use crate::mpi::{Comm, Datatype, Op, Outcome, wide_int};
use std::ffi::c_int;

/// How a count is cut: into pieces of so many items, so many bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    piece: i64,
    extent: i64,
}

/// Ranks must cut alike, so the length follows from the bytes of data, which are the same everywhere; an
/// extent may differ. Steps are extents: items may have gaps.
fn cut(datatype: Datatype) -> Outcome<Cut> {
    let piece = (REDUCTION_BYTES / datatype.size()?.max(1)).clamp(1, i64::from(limit()));
    Ok(Cut { piece, extent: datatype.bounds()?.extent() })
}

impl Cut {
    /// Calls `f` with offset and length of each piece of `count` items.
    fn pieces(self, count: i64, mut f: impl FnMut(i64, c_int)) {
        let mut done = 0;
        while done < count {
            let now = self.piece.min(count - done);
            f(done * self.extent, c_int::try_from(now).unwrap_or(c_int::MAX));
            done += now;
        }
    }
}

/// A large item and the operation on it.
struct Single {
    made: Made,
    wrapped: Wrapped,
}

impl Single {
    const fn datatype(&self) -> MPI_Datatype {
        self.made.datatype().raw()
    }

    const fn op(&self) -> MPI_Op {
        self.wrapped.op().raw()
    }
}

/// `ordered`: Open MPI's Ireduce reorders operands of a commutative operation into a buffer that it sizes
/// by the type's size, not its extent.
fn single(count: i64, datatype: Datatype, op: Op, ordered: bool) -> Outcome<Single> {
    let cut = cut(datatype)?;
    let made = committed(count, datatype)?;
    let piece = c_int::try_from(cut.piece).unwrap_or(c_int::MAX);
    describe(&made, Item { count, datatype, extent: cut.extent, piece, op })?;
    let wrapped = Wrapped::new(!ordered && op.commutes()?)?;
    Ok(Single { made, wrapped })
}

impl Call {
    /// A blocking reduction: `call` is made for each piece, at its offset in bytes.
    #[cold]
    #[inline(never)]
    pub fn pieces(
        self,
        count: i64,
        datatype: Datatype,
        op: Op,
        mut call: impl FnMut(i64, c_int, MPI_Datatype, MPI_Op) -> c_int,
    ) -> c_int {
        limit();
        if let Some(count) = one_piece(count).or_else(|| (count < 0).then_some(-1)) {
            return call(0, count, datatype.raw(), op.raw());
        }
        if choose(self.name, Family::Reduction) == Plan::Operation {
            return match self.prepare(|| single(count, datatype, op, false)) {
                Ok(single) => call(0, 1, single.datatype(), single.op()),
                Err(code) => code,
            };
        }
        let cut = match self.prepare(|| {
            let cut = cut(datatype)?;
            multiply("count times extent", count, cut.extent).map(|_| cut)
        }) {
            Ok(cut) => cut,
            Err(code) => return code,
        };
        let mut first = First::default();
        cut.pieces(count, |offset, n| first.note(call(offset, n, datatype.raw(), op.raw())));
        first.0
    }

    /// A nonblocking reduction: `large` is MPI-4's call, `call` MPI-3's.
    #[cold]
    #[inline(never)]
    pub fn ireduction(
        self,
        count: i64,
        datatype: Datatype,
        op: Op,
        ordered: bool,
        large: impl FnOnce() -> c_int,
        call: impl FnOnce(c_int, MPI_Datatype, MPI_Op) -> c_int,
    ) -> c_int {
        if let Some(count) = settled(count) {
            return call(count, datatype.raw(), op.raw());
        }
        if choose(self.name, Family::Ireduction) == Plan::LargeCall {
            return large();
        }
        match self.prepare(|| single(count, datatype, op, ordered)) {
            Ok(single) => call(1, single.datatype(), single.op()),
            Err(code) => code,
        }
    }
}

/// The buffers of a reduction whose result is scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The operands have a buffer of their own.
    Apart,
    /// The operands lie where the result goes.
    InPlace,
}

/// The counts of a reduction whose result is scattered: this rank's, and what each rank of the group gets.
#[derive(Debug)]
pub struct Shares {
    starts: Vec<i64>,
    counts: Vec<i64>,
    rank: usize,
}

impl Shares {
    fn new(comm: Comm, counts: Vec<i64>) -> Outcome<Self> {
        if comm.is_inter()? {
            let why = "recvcounts: past the limit this call works on intracommunicators only; reduce to a \
                       root of the other group and scatter there";
            return Err(Error::new(Code::Unsupported, why).into());
        }
        let mut starts = Vec::with_capacity(counts.len());
        let mut total = 0_i64;
        for &count in &counts {
            starts.push(total);
            total = total
                .checked_add(count.max(0))
                .ok_or_else(|| super::too_large("the sum of recvcounts"))?;
        }
        Ok(Self { starts, counts, rank: wide_int(comm.rank()?) })
    }

    /// A large item for each rank whose count does not fit.
    fn singles(&self, datatype: Datatype, op: Op, ordered: bool) -> Outcome<Vec<Option<Single>>> {
        let one = |&count: &i64| {
            settled(count).is_none().then(|| single(count, datatype, op, ordered)).transpose()
        };
        self.counts.iter().map(one).collect()
    }

    /// `count` items of what `rank` gets, `offset` bytes from the beginning of its share.
    fn block(&self, rank: usize, extent: i64, input: Input, offset: i64, count: c_int) -> Block {
        let from = self.starts[rank] * extent + offset;
        Block {
            root: c_int::try_from(rank).unwrap_or(0),
            mine: rank == self.rank,
            from,
            to: if input == Input::InPlace { from } else { offset },
            count,
        }
    }
}

/// One block of a scattered reduction, for its root.
#[derive(Clone, Copy)]
pub struct Block {
    pub root: c_int,
    /// This rank is the root.
    pub mine: bool,
    /// Bytes from the beginning of the operands.
    pub from: i64,
    /// Bytes from the beginning of the result, on the root.
    pub to: i64,
    pub count: c_int,
}

impl Call {
    /// `MPIX_Reduce_scatter_block_x` and, with counts by rank, `MPIX_Reduce_scatter_x`: `native` where the
    /// total fits, else `reduce` for each rank's block in pieces. In place, a block is reduced where its
    /// operands lie and `shift` (from, to, items) moves it to the beginning at last.
    #[allow(clippy::too_many_arguments)] // one a difference between the calls
    pub fn reduce_scatter(
        self,
        comm: Comm,
        counts: impl FnOnce() -> Outcome<Vec<i64>>,
        datatype: Datatype,
        op: Op,
        input: Input,
        native: impl FnOnce(&[i64]) -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op) -> c_int,
        mut shift: impl FnMut(i64, i64, c_int) -> c_int,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if fits(&counts) {
            return native(&counts);
        }
        let whole = choose(self.name, Family::Reduction) == Plan::Operation;
        let prepared = self.prepare(|| {
            let shares = Shares::new(comm, counts)?;
            let singles = if whole { shares.singles(datatype, op, false)? } else { Vec::new() };
            Ok((shares, cut(datatype)?, singles))
        });
        let (shares, cut, singles) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let mut first = First::default();
        for rank in 0..shares.counts.len() {
            let block = |offset, count| shares.block(rank, cut.extent, input, offset, count);
            match singles.get(rank) {
                Some(Some(one)) => first.note(reduce(block(0, 1), one.datatype(), one.op())),
                _ => cut.pieces(shares.counts[rank], |offset, n| {
                    first.note(reduce(block(offset, n), datatype.raw(), op.raw()));
                }),
            }
        }
        let distance = shares.starts[shares.rank] * cut.extent;
        if input == Input::InPlace && distance != 0 {
            // Pieces small enough to be copied; upwards, so that nothing is overwritten before it is read.
            cut.pieces(shares.counts[shares.rank], |offset, n| {
                first.note(shift(distance + offset, offset, n));
            });
        }
        first.0
    }

    /// The nonblocking forms: one reduction to each rank, all started, behind one request.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn ireduce_scatter(
        self,
        comm: Comm,
        counts: impl FnOnce() -> Outcome<Vec<i64>>,
        datatype: Datatype,
        op: Op,
        input: Input,
        slot: RequestSlot,
        native: impl FnOnce(&[i64]) -> c_int,
        large: impl FnOnce() -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op, *mut MPI_Request) -> c_int,
        shift: impl FnMut(i64, i64, c_int) -> c_int + 'static,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if fits(&counts) {
            return native(&counts);
        }
        if choose(self.name, Family::IreduceScatter) == Plan::LargeCall {
            return large();
        }
        let prepared = self.prepare(|| {
            let cut = cut(datatype)?;
            let group = Group::new(Report::Empty)?;
            let shares = Shares::new(comm, counts)?;
            let singles = shares.singles(datatype, op, true)?;
            Ok((shares, cut, group, singles))
        });
        let (shares, cut, mut group, singles) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        for (rank, one) in singles.iter().enumerate() {
            let (count, datatype, op) = match one {
                None => (settled(shares.counts[rank]).unwrap_or(0), datatype.raw(), op.raw()),
                Some(one) => (1, one.datatype(), one.op()),
            };
            let block = shares.block(rank, cut.extent, input, 0, count);
            group.start(|request| reduce(block, datatype, op, request));
        }
        let distance = shares.starts[shares.rank] * cut.extent;
        if input == Input::InPlace && distance != 0 {
            group.at_end(move_down(shift, distance, cut, shares.counts[shares.rank]));
        }
        self.finish(group.finish(slot))
    }
}

fn fits(counts: &[i64]) -> bool {
    let total = counts.iter().try_fold(0_i64, |total, &count| total.checked_add(count.max(0)));
    total.is_some_and(|total| settled(total).is_some())
}

/// The move of a block in place to the beginning, which the last of its reductions allows.
fn move_down(
    mut shift: impl FnMut(i64, i64, c_int) -> c_int + 'static,
    distance: i64,
    cut: Cut,
    count: i64,
) -> Box<dyn FnOnce() -> c_int> {
    Box::new(move || {
        let mut first = First::default();
        cut.pieces(count, |offset, n| {
            first.note(shift(distance + offset, offset, n));
        });
        first.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_reduction_pieces_step_by_extent() {
        let cut = Cut { piece: 7, extent: 16 };
        let mut seen = Vec::new();
        cut.pieces(17, |offset, n| seen.push((offset, n)));
        assert_eq!(seen, [(0, 7), (112, 7), (224, 3)]);
        cut.pieces(0, |_, _| panic!("no items, no pieces"));
    }
}
