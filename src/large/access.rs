//! Windows and files.

use super::limit::{limit, settled};
use super::movement::Side;
use super::plan::{Family, choose};
use super::types::{committed, placed};
use super::{Call, multiply};
use crate::error::{Code, Error};
use crate::mpi::error::First;
use crate::mpi::generalized::{Group, Report, RequestSlot};
use crate::mpi::handle::File;
use crate::mpi::raw::{MPI_Datatype, MPI_Request, constants};
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult};
use std::ffi::c_int;

/// Accumulated at once: larger pieces are not faster, and the MPIs buffer them.
const ACCUMULATE_BYTES: i64 = 64 << 20;
/// One nonblocking access to a file: past 2 GiB it stops short in one MPI and does nothing in the other.
const FILE_BYTES: i64 = 1 << 30;

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least number of bytes that are whole items of every size given; sizes of zero do not count.
fn common(sizes: &[i64]) -> MpiResult<i64> {
    sizes.iter().filter(|&&size| size > 0).try_fold(1, |all, &size| {
        multiply("the common size of the items", all / gcd(all, size), size)
    })
}

/// One buffer of an accumulate: how its items lie.
#[derive(Clone, Copy)]
struct Lie {
    side: Side,
    size: i64,
    extent: i64,
}

impl Lie {
    fn new(side: Side) -> MpiResult<Self> {
        Ok(Self { side, size: side.datatype.size()?, extent: side.datatype.bounds()?.extent() })
    }

    /// Items and offset of the piece that begins after `done` bytes of data and has `bytes` of them.
    fn at(self, done: i64, bytes: i64) -> (i64, c_int) {
        if self.size == 0 {
            return (0, 0);
        }
        let items = c_int::try_from(bytes / self.size).unwrap_or(c_int::MAX);
        (done / self.size * self.extent, items)
    }
}

/// A piece of an accumulate: offsets in bytes and items of the buffers here, and the target's items, whose
/// type holds their displacement.
#[derive(Clone, Copy)]
pub struct Piece {
    pub origin: (i64, c_int),
    pub result: (i64, c_int),
    pub target: (c_int, MPI_Datatype),
}

/// The pieces of an accumulate, with the types made for the target.
struct Pieces {
    origin: Option<Lie>,
    result: Option<Lie>,
    target: Lie,
    step: i64,
    total: i64,
}

impl Pieces {
    fn new(origin: Option<Side>, result: Option<Side>, target: Side) -> MpiResult<Self> {
        let origin = origin.map(Lie::new).transpose()?;
        let result = result.map(Lie::new).transpose()?;
        let target = Lie::new(target)?;
        let lies: Vec<Lie> = [origin, result, Some(target)].into_iter().flatten().collect();
        let sizes: Vec<i64> = lies.iter().map(|lie| lie.size).collect();
        let unit = common(&sizes)?;
        let least = sizes.iter().copied().filter(|&size| size > 0).min().unwrap_or(1);
        // No piece may have more items of any buffer than the limit, unless one unit has.
        let most = ACCUMULATE_BYTES.min(multiply("a piece", i64::from(limit()), least)?);
        let step = (most / unit).max(1) * unit;
        if step / least > i64::from(c_int::MAX) {
            let message = format!(
                "one item of a buffer is {} items of another, more than an int counts",
                step / least
            );
            return Err(Error::new(Code::Argument, message).into());
        }
        let total = multiply("target_count", target.side.count, target.size)?;
        Ok(Self { origin, result, target, step, total })
    }

    fn piece(&self, done: i64, keep: &mut Vec<Made>) -> MpiResult<Piece> {
        let bytes = self.step.min(self.total - done);
        let at = |lie: Option<Lie>| lie.map_or((0, 0), |lie| lie.at(done, bytes));
        let (offset, items) = self.target.at(done, bytes);
        let target = if offset == 0 {
            (items, self.target.side.datatype.raw())
        } else {
            let made = placed(i64::from(items), offset, self.target.side.datatype)?;
            let datatype = made.datatype().raw();
            keep.push(made);
            (1, datatype)
        };
        Ok(Piece { origin: at(self.origin), result: at(self.result), target })
    }
}

/// All buffers of an accumulate; `None` for one that the call does not use.
#[derive(Clone, Copy)]
pub struct Buffers {
    pub origin: Option<Side>,
    pub result: Option<Side>,
    pub target: Side,
}

impl Buffers {
    fn settled(&self) -> bool {
        let fits = |side: Option<Side>| side.is_none_or(|side| settled(side.count).is_some());
        fits(self.origin) && fits(self.result) && fits(Some(self.target))
    }

    /// The whole as one piece.
    fn whole(&self) -> Piece {
        let count = |side: Side| settled(side.count).unwrap_or(0);
        Piece {
            origin: (0, self.origin.map_or(0, count)),
            result: (0, self.result.map_or(0, count)),
            target: (count(self.target), self.target.datatype.raw()),
        }
    }
}

impl Side {
    /// The count, if MPI accesses a file with it as it is: small, and of few bytes.
    fn fits_file(self) -> MpiResult<Option<c_int>> {
        let bytes = multiply("count times size", self.count.max(0), self.datatype.size()?)?;
        Ok(settled(self.count).filter(|_| bytes <= FILE_BYTES))
    }
}

impl Call {
    /// `MPIX_Accumulate_x` and `MPIX_Get_accumulate_x`: one call a piece, complete when the epoch is.
    #[cold]
    #[inline(never)]
    pub fn accumulate(self, buffers: Buffers, mut call: impl FnMut(Piece) -> c_int) -> c_int {
        if buffers.settled() {
            return call(buffers.whole());
        }
        choose(self.name, Family::Accumulate);
        let Buffers { origin, result, target } = buffers;
        let pieces = match self.prepare(|| Pieces::new(origin, result, target)) {
            Ok(pieces) => pieces,
            Err(code) => return code,
        };
        let mut first = First::default();
        let mut done = 0;
        while done < pieces.total {
            let mut keep = Vec::new(); // MPI keeps what it needs of a freed type
            match self.prepare(|| pieces.piece(done, &mut keep)) {
                Ok(piece) => first.note(call(piece)),
                Err(code) => first.note(code),
            }
            done += pieces.step;
        }
        first.code()
    }

    /// The request-based forms: all pieces start, behind one request.
    pub fn raccumulate(
        self,
        buffers: Buffers,
        slot: RequestSlot,
        native: impl FnOnce(Piece) -> c_int,
        mut call: impl FnMut(Piece, *mut MPI_Request) -> c_int,
    ) -> c_int {
        if buffers.settled() {
            return native(buffers.whole());
        }
        choose(self.name, Family::Raccumulate);
        let Buffers { origin, result, target } = buffers;
        let prepared = self.prepare(|| {
            let pieces = Pieces::new(origin, result, target)?;
            let mut keep = Vec::new();
            let mut all = Vec::new();
            let mut done = 0;
            while done < pieces.total {
                all.push(pieces.piece(done, &mut keep)?);
                done += pieces.step;
            }
            Ok((Group::new(Report::Empty)?, all, keep))
        });
        let (mut group, all, keep) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        for piece in all {
            group.start(|request| call(piece, request));
        }
        keep.into_iter().for_each(|made| group.keep(made));
        self.finish(group.finish(slot))
    }

    /// `MPIX_Isendrecv_x`: both start, behind one request, whose status is the receive's. The send first: if it
    /// failed after the receive, that would be left and take another message. A `copy` that is sent from lives
    /// as long as the request.
    #[allow(clippy::too_many_arguments)] // MPI's own, and the two halves
    pub fn isendrecv(
        self,
        send: Side,
        copy: Option<Vec<u8>>,
        receive: Side,
        source: c_int,
        slot: RequestSlot,
        start_send: impl FnOnce(c_int, MPI_Datatype, *mut MPI_Request) -> c_int,
        start_receive: impl FnOnce(c_int, MPI_Datatype, *mut MPI_Request) -> c_int,
    ) -> c_int {
        choose(self.name, Family::Exchange);
        let nobody = source == constants().proc_null;
        let report = if nobody { Report::Nobody } else { Report::Of(1) };
        let prepared = self.prepare(|| Ok((Group::new(report)?, send.fit()?, receive.fit()?)));
        let (mut group, from, to) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        group.start(|request| start_send(from.count, from.datatype, request));
        group.start(|request| start_receive(to.count, to.datatype, request));
        group.hold(Box::new(copy));
        self.finish(group.finish(slot))
    }

    /// Nonblocking access to a file by one rank, in pieces: `call` takes the offsets in memory, in bytes,
    /// and in the file, in units of its view. Items too large to be pieces are accessed by `blocking`.
    pub fn file_pieces(
        self,
        file: File,
        side: Side,
        slot: RequestSlot,
        native: impl FnOnce(c_int) -> c_int,
        mut call: impl FnMut(i64, i64, c_int, *mut MPI_Request) -> c_int,
        blocking: impl FnOnce(c_int, MPI_Datatype, &mut Group) -> c_int,
    ) -> c_int {
        match self.prepare(|| side.fits_file()) {
            Ok(Some(count)) => return native(count),
            Ok(None) => (),
            Err(code) => return code,
        }
        let prepared = self.prepare(|| {
            let size = side.datatype.size()?;
            if size > FILE_BYTES {
                return Ok(None);
            }
            let unit = file.unit()?.max(1);
            let whole = common(&[unit, size])?;
            let step = (whole / size.max(1)).max(1); // items between two offsets that the view can name
            let most = (FILE_BYTES / size.max(1)).clamp(1, i64::from(limit()));
            let piece = (most / step).max(1) * step;
            let extent = side.datatype.bounds()?.extent();
            Ok(Some((Group::new(Report::Sum)?, piece, extent, size, unit)))
        });
        let (mut group, piece, extent, size, unit) = match prepared {
            Err(code) => return code,
            Ok(None) => {
                return self.file_at_once(Family::FileNonblockingItem, side, slot, blocking);
            }
            Ok(Some(prepared)) => prepared,
        };
        choose(self.name, Family::FileNonblocking);
        let mut done = 0;
        while done < side.count {
            let now = piece.min(side.count - done);
            let count = c_int::try_from(now).unwrap_or(c_int::MAX);
            group.start(|request| call(done * extent, done * size / unit, count, request));
            done += now;
        }
        self.finish(group.finish(slot))
    }

    /// Nonblocking access to a file by all ranks: one large type, which must outlive the operation.
    pub fn file_all(
        self,
        side: Side,
        slot: RequestSlot,
        native: impl FnOnce(c_int) -> c_int,
        call: impl FnOnce(c_int, MPI_Datatype, *mut MPI_Request) -> c_int,
    ) -> c_int {
        if let Some(count) = settled(side.count) {
            return native(count);
        }
        choose(self.name, Family::FileNonblockingAll);
        let prepared =
            self.prepare(|| Ok((Group::new(Report::Sum)?, committed(side.count, side.datatype)?)));
        let (mut group, made) = match prepared {
            Ok(prepared) => prepared,
            Err(code) => return code,
        };
        let datatype = made.datatype().raw();
        group.start(|request| call(1, datatype, request));
        group.keep(made);
        self.finish(group.finish(slot))
    }

    /// Nonblocking access by the shared pointer: done at once, behind a request that is complete.
    pub fn file_shared(
        self,
        side: Side,
        slot: RequestSlot,
        native: impl FnOnce(c_int) -> c_int,
        call: impl FnOnce(c_int, MPI_Datatype, &mut Group) -> c_int,
    ) -> c_int {
        match self.prepare(|| side.fits_file()) {
            Ok(Some(count)) => native(count),
            Ok(None) => self.file_at_once(Family::FileNonblockingShared, side, slot, call),
            Err(code) => code,
        }
    }

    fn file_at_once(
        self,
        family: Family,
        side: Side,
        slot: RequestSlot,
        call: impl FnOnce(c_int, MPI_Datatype, &mut Group) -> c_int,
    ) -> c_int {
        choose(self.name, family);
        let (mut group, fitted) =
            match self.prepare(|| Ok((Group::new(Report::Of(0))?, side.fit()?))) {
                Ok(prepared) => prepared,
                Err(code) => return code,
            };
        let code = call(fitted.count, fitted.datatype, &mut group);
        if code != crate::mpi::raw::SUCCESS {
            return code;
        }
        self.finish(group.finish(slot))
    }
}

/// Bytes that a status speaks of, as items of a type: `None` for part of one.
pub fn items(bytes: i64, datatype: Datatype) -> MpiResult<Option<i64>> {
    let size = datatype.size()?;
    Ok(match (bytes, size) {
        (0, 0) => Some(0),
        (_, 0) => None,
        _ => (bytes % size == 0).then_some(bytes / size),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_access_common_sizes() {
        assert_eq!(common(&[8, 12, 0]).ok(), Some(24));
        assert_eq!(common(&[]).ok(), Some(1));
        assert!(common(&[i64::MAX, i64::MAX - 1]).is_err());
    }
}
