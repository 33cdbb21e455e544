//! Reductions. Predefined operations take predefined types only, so blocking ones are made in pieces, which
//! is faster too; nonblocking ones need one call for one request.

use super::limit::{REDUCTION_BYTES, limit, one_piece, settled};
use super::plan::{Family, Plan, choose};
use super::types::committed;
use super::{Call, First, multiply};
use crate::error::{Code, Error};
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::raw::{MPI_Datatype, MPI_Op, MPI_Request};
use crate::mpi::types::{Bounds, Made, aint};
use crate::mpi::wrapped::{Item, Wrapped, describe};
use crate::mpi::{Comm, Datatype, Failure, Op, Outcome, wide_int};
use std::ffi::{c_int, c_void};
use std::ops::Range;

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
    /// Calls `f` with the first item and the length of each piece of `count` items.
    fn items(self, count: i64, mut f: impl FnMut(i64, c_int)) {
        let mut done = 0;
        while done < count {
            let now = self.piece.min(count - done);
            f(done, c_int::try_from(now).unwrap_or(c_int::MAX));
            done += now;
        }
    }

    /// As `items`, with the offset of the first in bytes.
    fn pieces(self, count: i64, mut f: impl FnMut(i64, c_int)) {
        self.items(count, |first, n| f(first * self.extent, n));
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
            Ok(single) => {
                let code = call(1, single.datatype(), single.op());
                self.release(single);
                code
            }
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

/// Where a reduction whose result is scattered leaves this rank's share.
#[derive(Clone, Copy)]
pub struct Scattered {
    pub comm: Comm,
    pub datatype: Datatype,
    pub buffer: *mut c_void,
}

/// What each rank of the group gets, and which of them is this one.
#[derive(Debug)]
struct Shares {
    starts: Vec<i64>,
    counts: Vec<i64>,
    total: i64,
    rank: usize,
}

impl Shares {
    fn new(comm: Comm, counts: Vec<i64>) -> Outcome<Self> {
        let mut starts = Vec::with_capacity(counts.len());
        let mut total = 0_i64;
        for &count in &counts {
            starts.push(total);
            total = total
                .checked_add(count.max(0))
                .ok_or_else(|| super::too_large("the sum of recvcounts"))?;
        }
        Ok(Self { starts, counts, total, rank: wide_int(comm.rank()?) })
    }

    fn own(&self) -> Range<i64> {
        let start = self.starts[self.rank];
        start..start + self.counts[self.rank]
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

/// Memory for items of a type, some of which may lie in front of their address.
pub struct Room {
    memory: Vec<u8>,
    first: usize,
}

impl Room {
    pub fn new(count: i64, datatype: Datatype) -> Outcome<Self> {
        let Bounds { lower, upper } = datatype.true_bounds()?;
        let last = multiply("count times extent", count - 1, datatype.bounds()?.extent())?;
        let room =
            |n: i64| usize::try_from(n).map_err(|_| super::too_large("the room for a result"));
        let first = room((-lower.min(0)).max(-(last + lower)).max(0))?;
        let end = room((last.max(0) + upper).max(0))?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(first + end).map_err(|_| {
            let message = format!("no memory for a result of {} bytes", first + end);
            Failure::from(Error::new(Code::Memory, message))
        })?;
        memory.resize(first + end, 0);
        Ok(Self { memory, first })
    }

    /// The address of the first item.
    pub fn address(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr().wrapping_add(self.first).cast()
    }
}

/// The address so many bytes behind another.
#[allow(clippy::cast_possible_truncation)] // addresses have 64 bits
fn behind(address: *mut c_void, bytes: i64) -> *mut c_void {
    address.wrapping_byte_offset(aint(bytes) as isize)
}

impl Call {
    /// `MPIX_Reduce_scatter_block_x` and, with counts by rank, `MPIX_Reduce_scatter_x`: `native` where the
    /// total fits, else `reduce` for each rank's block in pieces. In place, a block is reduced where its
    /// operands lie and `copy` (from, to, items) moves it to the beginning at last. Between two groups, of
    /// which neither knows the other's blocks, `reduce_all` (offset of the operands, result, items).
    #[allow(clippy::too_many_arguments)] // one a difference between the calls
    pub fn reduce_scatter(
        self,
        result: Scattered,
        counts: impl FnOnce() -> Outcome<Vec<i64>>,
        op: Op,
        input: Input,
        native: impl FnOnce(&[i64]) -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op) -> c_int,
        mut reduce_all: impl FnMut(i64, *mut c_void, c_int) -> c_int,
        mut copy: impl FnMut(*mut c_void, *mut c_void, c_int) -> c_int + 'static,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if fits(&counts) {
            return native(&counts);
        }
        let whole = choose(self.name, Family::Reduction) == Plan::Operation;
        let Scattered { comm, datatype, buffer } = result;
        let prepared = self.prepare(|| {
            let (shares, cut) = (Shares::new(comm, counts)?, cut(datatype)?);
            multiply("the sum of recvcounts times extent", shares.total, cut.extent)?;
            if comm.is_inter()? {
                let room = Room::new(cut.piece.min(shares.total), datatype)?;
                return Ok((shares, cut, Vec::new(), Some(room)));
            }
            let singles = if whole { shares.singles(datatype, op, false)? } else { Vec::new() };
            Ok((shares, cut, singles, None))
        });
        let (shares, cut, singles, room) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let mut first = First::default();
        if let Some(mut room) = room {
            let (own, room) = (shares.own(), room.address());
            cut.items(shares.total, |begin, n| {
                first.note(reduce_all(begin * cut.extent, room, n));
                let (from, to) = (own.start.max(begin), own.end.min(begin + i64::from(n)));
                if from < to {
                    let kept = c_int::try_from(to - from).unwrap_or(c_int::MAX);
                    let place = behind(buffer, (from - own.start) * cut.extent);
                    first.note(copy(behind(room, (from - begin) * cut.extent), place, kept));
                }
            });
            return first.0;
        }
        for rank in 0..shares.counts.len() {
            let block = |offset, count| shares.block(rank, cut.extent, input, offset, count);
            match singles.get(rank) {
                Some(Some(one)) => first.note(reduce(block(0, 1), one.datatype(), one.op())),
                _ => cut.pieces(shares.counts[rank], |offset, n| {
                    first.note(reduce(block(offset, n), datatype.raw(), op.raw()));
                }),
            }
        }
        if input == Input::InPlace && shares.own().start != 0 {
            first.note(move_down(copy, buffer, cut, shares.own())());
        }
        first.0
    }

    /// The nonblocking forms: one reduction to each rank, all started, behind one request; between two groups
    /// one to all, into memory of the library's own.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn ireduce_scatter(
        self,
        result: Scattered,
        counts: impl FnOnce() -> Outcome<Vec<i64>>,
        op: Op,
        input: Input,
        slot: RequestSlot,
        native: impl FnOnce(&[i64]) -> c_int,
        large: impl FnOnce() -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op, *mut MPI_Request) -> c_int,
        reduce_all: impl FnOnce(*mut c_void, c_int, MPI_Datatype, MPI_Op, *mut MPI_Request) -> c_int,
        copy: impl FnMut(*mut c_void, *mut c_void, c_int) -> c_int + 'static,
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
        let Scattered { comm, datatype, buffer } = result;
        let prepared = self.prepare(|| {
            let group = Group::new(Report::Empty)?;
            let (shares, cut) = (Shares::new(comm, counts)?, cut(datatype)?);
            multiply("the sum of recvcounts times extent", shares.total, cut.extent)?;
            if comm.is_inter()? {
                // Past the limit in all, as one.
                let all = single(shares.total, datatype, op, false)?;
                let room = Room::new(shares.total, datatype)?;
                return Ok((shares, cut, group, Vec::new(), Some((all, room))));
            }
            let singles = shares.singles(datatype, op, true)?;
            Ok((shares, cut, group, singles, None))
        });
        let (shares, cut, mut group, singles, whole) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        if let Some((all, mut room)) = whole {
            let (address, own) = (room.address(), shares.own());
            group.start(|request| reduce_all(address, 1, all.datatype(), all.op(), request));
            let from = behind(address, own.start * cut.extent);
            group.at_end(move_items(copy, from, buffer, cut, own.end - own.start));
            group.hold(Box::new(room));
            return self.finish(group.finish(slot));
        }
        for (rank, one) in singles.iter().enumerate() {
            let (count, datatype, op) = match one {
                None => (settled(shares.counts[rank]).unwrap_or(0), datatype.raw(), op.raw()),
                Some(one) => (1, one.datatype(), one.op()),
            };
            let block = shares.block(rank, cut.extent, input, 0, count);
            group.start(|request| reduce(block, datatype, op, request));
        }
        if input == Input::InPlace && shares.own().start != 0 {
            group.at_end(move_down(copy, buffer, cut, shares.own()));
        }
        self.finish(group.finish(slot))
    }

    /// The persistent forms: one call of MPI's, or an error.
    pub fn reduce_scatter_init(
        self,
        counts: impl FnOnce() -> Outcome<Vec<i64>>,
        native: impl FnOnce(&[i64]) -> c_int,
        large: impl FnOnce() -> c_int,
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
        let why = "recvcounts: their sum is past the limit, where this is several operations, which one persistent \
                   request cannot start; make a persistent reduction to each rank";
        self.finish(Err(Error::new(Code::Unsupported, why).into()))
    }
}

fn fits(counts: &[i64]) -> bool {
    let total = counts.iter().try_fold(0_i64, |total, &count| total.checked_add(count.max(0)));
    total.is_some_and(|total| settled(total).is_some())
}

/// The move of `count` items, in pieces small enough to be copied; upwards, so that nothing is overwritten
/// before it is read.
fn move_items(
    mut copy: impl FnMut(*mut c_void, *mut c_void, c_int) -> c_int + 'static,
    from: *mut c_void,
    to: *mut c_void,
    cut: Cut,
    count: i64,
) -> Box<dyn FnOnce() -> c_int> {
    Box::new(move || {
        let mut first = First::default();
        cut.pieces(count, |offset, n| {
            first.note(copy(behind(from, offset), behind(to, offset), n))
        });
        first.0
    })
}

/// The move of this rank's block, reduced in place, to the beginning.
fn move_down(
    copy: impl FnMut(*mut c_void, *mut c_void, c_int) -> c_int + 'static,
    buffer: *mut c_void,
    cut: Cut,
    own: Range<i64>,
) -> Box<dyn FnOnce() -> c_int> {
    move_items(copy, behind(buffer, own.start * cut.extent), buffer, cut, own.end - own.start)
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
