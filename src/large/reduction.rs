//! Reductions. Predefined operations take predefined types only, so blocking ones are made in pieces, which
//! is faster too; nonblocking ones need one call for one request.

use super::limit::{REDUCTION_BYTES, limit, one_piece, settled};
use super::plan::{Family, Plan, choose};
use super::types::committed;
use super::{Call, multiply};
use crate::error::{Code, Error};
use crate::mpi::error::First;
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::large_type_op::{Item, Wrapped, describe};
use crate::mpi::raw::{MPI_Datatype, MPI_Op, MPI_Request};
use crate::mpi::types::{Bounds, Made, shift_mut};
use crate::mpi::{Comm, Datatype, MpiResult, Op, finalize_hook, wide_int};
use std::cell::Cell;
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
fn cut(datatype: Datatype) -> MpiResult<Cut> {
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

/// `ordered`: the operation is not said to commute (`quirks::IREDUCE_REORDERS_BY_SIZE`).
fn single(count: i64, datatype: Datatype, op: Op, ordered: bool) -> MpiResult<Single> {
    let cut = cut(datatype)?;
    let made = committed(count, datatype)?;
    let piece = c_int::try_from(cut.piece).unwrap_or(c_int::MAX);
    let wrapped = Wrapped::new(!ordered && op.known()?.commutes()?)?;
    describe(&made, Item { count, datatype, extent: cut.extent, piece, op })?;
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
            op.known()?; // here once, not by MPI once a piece
            let cut = cut(datatype)?;
            multiply("count times extent", count, cut.extent).map(|_| cut)
        }) {
            Ok(cut) => cut,
            Err(code) => return code,
        };
        let mut first = First::default();
        cut.pieces(count, |offset, n| first.note(call(offset, n, datatype.raw(), op.raw())));
        first.code()
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

/// What each rank of the group gets, as the caller has it.
#[derive(Clone, Copy, Debug)]
pub enum Counts<'a> {
    Alike { count: i64, ranks: usize },
    List(&'a [i64]),
}

thread_local! {
    /// The counts of the last blocking call, for the next one.
    static SPARE: Cell<Vec<c_int>> = const { Cell::new(Vec::new()) };
}

impl Counts<'_> {
    fn to_vec(self) -> Vec<i64> {
        match self {
            Self::Alike { count, ranks } => vec![count; ranks],
            Self::List(list) => list.to_vec(),
        }
    }

    /// Whether MPI takes them: their sum is what it counts inside. What is negative it reports.
    fn fit(self) -> bool {
        let total = match self {
            Self::Alike { count, ranks } => {
                i64::try_from(ranks).ok().and_then(|ranks| count.max(0).checked_mul(ranks))
            }
            Self::List(list) => {
                list.iter().try_fold(0_i64, |total, &count| total.checked_add(count.max(0)))
            }
        };
        total.is_some_and(|total| settled(total).is_some())
    }

    /// A list as MPI takes it, in `room`.
    fn narrowed(self, mut room: Vec<c_int>) -> Vec<c_int> {
        room.clear();
        if let Self::List(list) = self {
            room.extend(list.iter().map(|&count| c_int::try_from(count).unwrap_or(-1)));
        }
        room
    }
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
    fn new(comm: Comm, counts: Vec<i64>) -> MpiResult<Self> {
        let mut starts = Vec::with_capacity(counts.len());
        let mut total = 0_i64;
        for (i, &count) in counts.iter().enumerate() {
            if count < 0 {
                let message = format!("recvcounts[{i}] = {count} is negative");
                return Err(Error::new(Code::Argument, message).into());
            }
            starts.push(total);
            total = total
                .checked_add(count)
                .ok_or_else(|| super::too_large("the sum of recvcounts"))?;
        }
        Ok(Self { starts, counts, total, rank: wide_int(comm.rank()?) })
    }

    fn own(&self) -> Range<i64> {
        let start = self.starts[self.rank];
        start..start + self.counts[self.rank]
    }

    /// A large item for each rank whose count does not fit.
    fn singles(&self, datatype: Datatype, op: Op, ordered: bool) -> MpiResult<Vec<Option<Single>>> {
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
    first: i64,
}

impl Room {
    pub fn new(count: i64, datatype: Datatype) -> MpiResult<Self> {
        let Bounds { lower, upper } = datatype.true_bounds()?;
        let last = multiply("count times extent", count - 1, datatype.bounds()?.extent())?;
        let first = (-lower.min(0)).max(-(last + lower)).max(0);
        let end = (last.max(0) + upper).max(0);
        let memory = super::memory(first.saturating_add(end), "items of the library's own")?;
        Ok(Self { memory, first })
    }

    /// The address of the first item.
    pub fn address(&mut self) -> *mut c_void {
        shift_mut(self.memory.as_mut_ptr().cast(), self.first)
    }

    /// The memory, in which the items stay where they are.
    pub fn into_memory(self) -> Vec<u8> {
        self.memory
    }
}

impl Call {
    /// `MPIX_Reduce_scatter_block_x` and, with counts by rank, `MPIX_Reduce_scatter_x`: `native` where the
    /// total fits, else `reduce` for each rank's block in pieces. In place, a block is reduced where its
    /// operands lie and `copy` moves it to the beginning at last. Between two groups, of which neither knows
    /// the other's blocks, `reduce_all` (offset of the operands, result, items).
    #[allow(clippy::too_many_arguments)] // one a difference between the calls
    pub fn reduce_scatter<'a>(
        self,
        result: Scattered,
        counts: impl FnOnce() -> MpiResult<Counts<'a>>,
        op: Op,
        input: Input,
        native: impl FnOnce(&[c_int]) -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op) -> c_int,
        mut reduce_all: impl FnMut(i64, *mut c_void, c_int) -> c_int,
        copy: Copy,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if counts.fit() {
            // A thread that ends has none, and keeps none.
            let counts = counts.narrowed(SPARE.try_with(Cell::take).unwrap_or_default());
            let code = native(&counts);
            let _ = SPARE.try_with(|spare| spare.set(counts));
            return code;
        }
        let whole = choose(self.name, Family::Reduction) == Plan::Operation;
        let Scattered { comm, datatype, buffer } = result;
        let prepared = self.prepare(|| {
            op.known()?;
            let (shares, cut) = (Shares::new(comm, counts.to_vec())?, cut(datatype)?);
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
                    let place = shift_mut(buffer, (from - own.start) * cut.extent);
                    let from = shift_mut(room, (from - begin) * cut.extent);
                    first.note(self.finish(copy(from, place, kept, datatype)));
                }
            });
            return first.code();
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
            first.note(self.move_down(copy, datatype, buffer, cut, shares.own()));
        }
        first.code()
    }

    /// The nonblocking forms: one reduction to each rank, all started, behind one request; between two groups
    /// one to all, into memory of the library's own.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn ireduce_scatter<'a>(
        self,
        result: Scattered,
        counts: impl FnOnce() -> MpiResult<Counts<'a>>,
        op: Op,
        input: Input,
        slot: RequestSlot,
        native: impl FnOnce(&[c_int], *mut MPI_Request) -> c_int,
        large: impl FnOnce() -> c_int,
        mut reduce: impl FnMut(Block, MPI_Datatype, MPI_Op, *mut MPI_Request) -> c_int,
        reduce_all: impl FnOnce(*mut c_void, c_int, MPI_Datatype, MPI_Op, *mut MPI_Request) -> c_int,
        copy: Copy,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if counts.fit() {
            return match counts {
                Counts::Alike { .. } => native(&[], slot.place()),
                Counts::List(_) => self.start_listed(counts.narrowed(Vec::new()), slot, native),
            };
        }
        if choose(self.name, Family::IreduceScatter) == Plan::LargeCall {
            return large();
        }
        let Scattered { comm, datatype, buffer } = result;
        let prepared = self.prepare(|| {
            let group = Group::new(Report::Empty)?;
            op.known()?;
            let (shares, cut) = (Shares::new(comm, counts.to_vec())?, cut(datatype)?);
            multiply("the sum of recvcounts times extent", shares.total, cut.extent)?;
            if comm.is_inter()? {
                // Past the limit in all, as one.
                let all = single(shares.total, datatype, op, false)?;
                let room = Room::new(shares.total, datatype)?;
                return Ok((shares, cut, group, lasting(datatype)?, Vec::new(), Some((all, room))));
            }
            let singles = shares.singles(datatype, op, true)?;
            Ok((shares, cut, group, lasting(datatype)?, singles, None))
        });
        let (shares, cut, mut group, kept, singles, whole) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let items = kept.datatype();
        if let Some((all, mut room)) = whole {
            let (address, own) = (room.address(), shares.own());
            group.start(|request| reduce_all(address, 1, all.datatype(), all.op(), request));
            let from = shift_mut(address, own.start * cut.extent);
            group.at_end(Box::new(move || {
                self.move_items(copy, items, from, buffer, cut, own.end - own.start)
            }));
            group.hold(Box::new(room));
            group.keep(kept);
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
            let own = shares.own();
            group.at_end(Box::new(move || self.move_down(copy, items, buffer, cut, own)));
            group.keep(kept);
        }
        self.finish(group.finish(slot))
    }

    /// MPI may read the counts until the operation is complete (MPI-3.1, 5.12).
    fn start_listed(
        self,
        counts: Vec<c_int>,
        slot: RequestSlot,
        native: impl FnOnce(&[c_int], *mut MPI_Request) -> c_int,
    ) -> c_int {
        match self.prepare(|| Group::new(Report::Empty)) {
            Ok(mut group) => {
                group.start(|request| native(&counts, request));
                group.hold(Box::new(counts));
                self.finish(group.finish(slot))
            }
            Err(code) => code,
        }
    }

    /// The persistent forms: one call of MPI's, or an error.
    pub fn reduce_scatter_init<'a>(
        self,
        counts: impl FnOnce() -> MpiResult<Counts<'a>>,
        native: impl FnOnce(&[c_int]) -> c_int,
        large: impl FnOnce() -> c_int,
    ) -> c_int {
        let counts = match self.prepare(counts) {
            Ok(counts) => counts,
            Err(code) => return code,
        };
        if counts.fit() {
            let counts = counts.narrowed(Vec::new());
            let code = native(&counts);
            if !counts.is_empty() {
                // Every start may read them, and nobody reports when the request is freed.
                finalize_hook::keep(Box::new(counts));
            }
            return code;
        }
        if choose(self.name, Family::IreduceScatter) == Plan::LargeCall {
            return large();
        }
        let why = "recvcounts: their sum is past the limit, so this needs several operations, which one persistent request cannot start; make a persistent reduction to each rank";
        self.finish(Err(Error::new(Code::Unsupported, why).into()))
    }
}

/// Copies so many items from one address to another. Local.
pub type Copy = fn(*mut c_void, *mut c_void, c_int, Datatype) -> MpiResult<()>;

/// The type for use when all is complete: the user may have freed his by then.
fn lasting(datatype: Datatype) -> MpiResult<Made> {
    Made::duplicate(datatype)?.commit()
}

impl Call {
    /// Moves `count` items, in pieces small enough to be copied; upwards, so that nothing is overwritten before
    /// it is read.
    fn move_items(
        self,
        copy: Copy,
        datatype: Datatype,
        from: *mut c_void,
        to: *mut c_void,
        cut: Cut,
        count: i64,
    ) -> c_int {
        let mut first = First::default();
        cut.pieces(count, |offset, n| {
            first.note(self.finish(copy(
                shift_mut(from, offset),
                shift_mut(to, offset),
                n,
                datatype,
            )));
        });
        first.code()
    }

    /// Moves this rank's block, reduced in place, to the beginning.
    fn move_down(
        self,
        copy: Copy,
        datatype: Datatype,
        buffer: *mut c_void,
        cut: Cut,
        own: Range<i64>,
    ) -> c_int {
        let from = shift_mut(buffer, own.start * cut.extent);
        self.move_items(copy, datatype, from, buffer, cut, own.end - own.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_reduction_counts_that_mpi_takes() {
        let most = i64::from(limit());
        let alike = |count, ranks| Counts::Alike { count, ranks };
        assert!(alike(most / 4, 4).fit() && alike(0, usize::MAX >> 1).fit() && alike(-1, 3).fit());
        assert!(!alike(most, 2).fit() && !alike(i64::MAX, 2).fit());
        assert_eq!(alike(5, 3).to_vec(), [5, 5, 5]);
        let list = [most - 2, -9, 2];
        assert!(Counts::List(&list).fit() && !Counts::List(&[most, 1]).fit());
        assert!(!Counts::List(&[i64::MAX, i64::MAX]).fit());
        assert_eq!(Counts::List(&list).narrowed(vec![7; 9]), [limit() - 2, -9, 2]);
        assert!(alike(5, 3).narrowed(vec![7; 9]).is_empty());
    }

    #[test]
    fn test_reduction_pieces_step_by_extent() {
        let cut = Cut { piece: 7, extent: 16 };
        let mut seen = Vec::new();
        cut.pieces(17, |offset, n| seen.push((offset, n)));
        assert_eq!(seen, [(0, 7), (112, 7), (224, 3)]);
        cut.pieces(0, |_, _| panic!("no items, no pieces"));
    }
}
