//! Packing: MPI's calls count their bytes in ints, so items are packed in pieces, one behind the other.

use super::limit::limit;
use super::movement::{Fitted, Side};
use super::{Call, multiply};
use crate::error::{Code, Error};
use crate::mpi::raw::SUCCESS;
use crate::mpi::{Datatype, Failure, MpiResult};
use std::ffi::c_int;

/// The packed bytes of a piece stay well inside an int, whatever a library adds to them.
const PIECE_BYTES: i64 = 1 << 28;

struct Cut {
    piece: i64,
    extent: i64,
    size: i64,
}

fn cut(datatype: Datatype) -> MpiResult<Cut> {
    let size = datatype.size()?;
    let piece = (PIECE_BYTES / size.max(1)).clamp(1, i64::from(limit()));
    Ok(Cut { piece, extent: datatype.bounds()?.extent(), size })
}

impl Cut {
    /// An item of more bytes than MPI's packing calls count.
    fn is_large(&self) -> bool {
        self.size > i64::from(limit())
    }
}

fn narrow(n: i64) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// One item that is too large for MPI's call: the offset in bytes of the item, that of its packed bytes, and
/// these as items of a type.
pub type PackItem<'a> = &'a mut dyn FnMut(i64, i64, &Fitted) -> MpiResult<()>;

impl Call {
    /// Pack and unpack: `call` takes the offset of the items in bytes, their number, the offset in the packed
    /// buffer and the bytes left there, and advances a position that begins at zero. `item` serves large items
    /// where `call` cannot; homogeneous, so packed data are the bytes of the items.
    pub fn pack(
        self,
        count: i64,
        datatype: Datatype,
        bytes: i64,
        position: i64,
        mut call: impl FnMut(i64, c_int, i64, i64, &mut i64) -> c_int,
        item: Option<PackItem<'_>>,
    ) -> Result<i64, c_int> {
        let cut = self.prepare(|| {
            if count < 0 || position < 0 || bytes < 0 {
                let message = format!(
                    "count = {count}, position = {position}, size = {bytes}: none may be negative"
                );
                return Err(Error::new(Code::Argument, message).into());
            }
            let cut = cut(datatype)?;
            multiply("count times extent", count, cut.extent).map(|_| cut)
        })?;
        if let (Some(item), true) = (item, cut.is_large()) {
            return self.prepare(|| pack_items(&cut, count, bytes, position, item));
        }
        let (mut done, mut at) = (0, position);
        while done < count {
            let now = cut.piece.min(count - done);
            let mut advanced = 0;
            let room = (bytes - at).max(0);
            let code = call(done * cut.extent, narrow(now), at, room, &mut advanced);
            if code != SUCCESS {
                return Err(code);
            }
            at += advanced;
            done += now;
        }
        Ok(at)
    }

    /// The room that `pack` needs: `size` asks MPI for that of so many items; `by_item` as for `pack`.
    pub fn pack_size(
        self,
        count: i64,
        datatype: Datatype,
        by_item: bool,
        mut size: impl FnMut(c_int, &mut i64) -> c_int,
    ) -> Result<i64, c_int> {
        let cut = self.prepare(|| cut(datatype))?;
        if by_item && cut.is_large() {
            return self.prepare(|| multiply("the packed size", count.max(0), cut.size));
        }
        let mut of = |items: i64| -> Result<i64, c_int> {
            let mut bytes = 0;
            match size(narrow(items), &mut bytes) {
                SUCCESS => Ok(bytes),
                code => Err(code),
            }
        };
        if count <= cut.piece {
            return of(count.max(-1));
        }
        let (pieces, rest) = (count / cut.piece, count % cut.piece);
        let each = of(cut.piece)?;
        let last = if rest > 0 { of(rest)? } else { 0 };
        let total = self.prepare(|| {
            multiply("the packed size", pieces, each)?.checked_add(last).ok_or_else(|| {
                Failure::from(Error::new(Code::Argument, "the packed size is past 2^63"))
            })
        })?;
        Ok(total)
    }
}

fn pack_items(
    cut: &Cut,
    count: i64,
    bytes: i64,
    position: i64,
    item: PackItem<'_>,
) -> MpiResult<i64> {
    let end = multiply("count times size", count, cut.size)?.checked_add(position);
    let Some(end) = end.filter(|&end| end <= bytes) else {
        let message = format!(
            "{count} items of {} bytes from position {position} on do not fit into {bytes} bytes",
            cut.size
        );
        return Err(Error::new(Code::Argument, message).into());
    };
    let packed = Side { count: cut.size, datatype: Datatype::byte() }.fit()?;
    for i in 0..count {
        item(i * cut.extent, position + i * cut.size, &packed)?;
    }
    Ok(end)
}
