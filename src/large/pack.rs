//! Packing: MPI's calls count their bytes in ints, so items are packed in pieces, one behind the other.

use super::limit::limit;
use super::{Call, multiply};
use crate::error::{Code, Error};
use crate::mpi::raw::SUCCESS;
use crate::mpi::{Datatype, Failure, Outcome};
use std::ffi::c_int;

/// The packed bytes of a piece stay well inside an int, whatever a library adds to them.
const PIECE_BYTES: i64 = 1 << 28;

struct Cut {
    piece: i64,
    extent: i64,
}

fn cut(datatype: Datatype) -> Outcome<Cut> {
    let piece = (PIECE_BYTES / datatype.size()?.max(1)).clamp(1, i64::from(limit()));
    Ok(Cut { piece, extent: datatype.bounds()?.extent() })
}

fn narrow(n: i64) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

impl Call {
    /// Pack and unpack: `call` takes the offset of the items in bytes, their number, the offset in the packed
    /// buffer and the bytes left there, and advances a position that begins at zero.
    pub fn pack(
        self,
        count: i64,
        datatype: Datatype,
        bytes: i64,
        position: i64,
        mut call: impl FnMut(i64, c_int, i64, c_int, &mut c_int) -> c_int,
    ) -> Result<i64, c_int> {
        let cut = self.prepare(|| {
            if count < 0 || position < 0 || bytes < 0 {
                let message =
                    format!("count = {count}, position = {position}, size = {bytes}: negative");
                return Err(Error::new(Code::Argument, message).into());
            }
            let cut = cut(datatype)?;
            multiply("count times extent", count, cut.extent).map(|_| cut)
        })?;
        let (mut done, mut at) = (0, position);
        while done < count {
            let now = cut.piece.min(count - done);
            let mut advanced = 0;
            let room = narrow((bytes - at).max(0));
            let code = call(done * cut.extent, narrow(now), at, room, &mut advanced);
            if code != SUCCESS {
                return Err(code);
            }
            at += i64::from(advanced);
            done += now;
        }
        Ok(at)
    }

    /// The room that `pack` needs: `size` asks MPI for that of so many items.
    pub fn pack_size(
        self,
        count: i64,
        datatype: Datatype,
        mut size: impl FnMut(c_int, &mut i64) -> c_int,
    ) -> Result<i64, c_int> {
        let cut = self.prepare(|| cut(datatype))?;
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
