//! Datatypes of counts past the limit, by repeating types that repeat types. Every type gets the bounds that
//! MPI's own constructor would give it: a structure would round its extent up to its strictest alignment.

use super::limit::{limit, settled};
use crate::error::{Code, Error};
use crate::mpi::dimension::Range;
use crate::mpi::types::{Block, Bounds, Made};
use crate::mpi::{Datatype, Failure, MpiResult, TypeAttribute};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

fn overflow() -> Failure {
    Error::new(Code::Argument, "the type's extent is past 2^63 bytes").into()
}

fn times(a: i64, b: i64) -> MpiResult<i64> {
    a.checked_mul(b).ok_or_else(overflow)
}

fn plus(a: i64, b: i64) -> MpiResult<i64> {
    a.checked_add(b).ok_or_else(overflow)
}

/// The bounds of `count` items, `stride` bytes apart.
fn repeated(count: i64, stride: i64, of: Bounds) -> MpiResult<Bounds> {
    if count == 0 {
        return Ok(Bounds { lower: 0, upper: 0 });
    }
    let last = times(count - 1, stride)?;
    Ok(Bounds { lower: plus(of.lower, last.min(0))?, upper: plus(of.upper, last.max(0))? })
}

fn with_bounds(made: Made, bounds: Bounds) -> MpiResult<Made> {
    if made.datatype().bounds()? == bounds {
        return Ok(made);
    }
    Made::resized(made.datatype(), bounds)
}

fn join(blocks: &[Block], bounds: Bounds) -> MpiResult<Made> {
    with_bounds(Made::structure(blocks)?, bounds)
}

/// `count` items of `of`, `stride` bytes apart.
fn repeat(count: i64, stride: i64, of: Datatype) -> MpiResult<Made> {
    if let Some(count) = settled(count) {
        return Made::hvector(count, 1, stride, of);
    }
    let limit = i64::from(limit());
    let bounds = repeated(count, stride, of.bounds()?)?;
    let row = Made::hvector(super::limit::limit(), 1, stride, of)?;
    let (rows, rest) = (count / limit, count % limit);
    let length = times(limit, stride)?;
    let body = repeat(rows, length, row.datatype())?;
    let tail = repeat(rest, stride, of)?;
    let mut blocks = vec![Block { length: 1, displacement: 0, datatype: body.datatype() }];
    if rest > 0 {
        let displacement = times(rows, length)?;
        blocks.push(Block { length: 1, displacement, datatype: tail.datatype() });
    }
    join(&blocks, bounds)
}

/// Refuses what MPI would raise from within a call that must not be unwound.
fn not_negative(what: &str, n: i64) -> MpiResult<()> {
    if n < 0 {
        return Err(Error::new(Code::Argument, format!("{what} = {n} is negative")).into());
    }
    Ok(())
}

/// `count` items of `of`, one after the other.
pub fn contiguous(count: i64, of: Datatype) -> MpiResult<Made> {
    not_negative("count", count)?;
    match settled(count) {
        Some(small) => Made::contiguous(small, of.known()?),
        None => repeat(count, of.bounds()?.extent(), of),
    }
}

/// As `contiguous`, and ready to be used.
pub fn committed(count: i64, of: Datatype) -> MpiResult<Made> {
    contiguous(count, of)?.commit()
}

/// `count` items of `of`, `displacement` bytes from the beginning, ready to be used.
pub fn placed(count: i64, displacement: i64, of: Datatype) -> MpiResult<Made> {
    if let Some(count) = settled(count) {
        return Made::hindexed(&[count], &[displacement], of.known()?)?.commit();
    }
    let items = contiguous(count, of)?;
    Made::hindexed(&[1], &[displacement], items.datatype())?.commit()
}

/// `count` blocks of `blocklength` items, `stride` bytes apart.
pub fn hvector(count: i64, blocklength: i64, stride: i64, of: Datatype) -> MpiResult<Made> {
    not_negative("count", count)?;
    not_negative("blocklength", blocklength)?;
    let of = of.known()?;
    match (settled(count), settled(blocklength)) {
        (Some(count), Some(blocklength)) => Made::hvector(count, blocklength, stride, of),
        _ if count == 0 || blocklength == 0 => Made::contiguous(0, of),
        _ => repeat(count, stride, contiguous(blocklength, of)?.datatype()),
    }
}

/// `count` blocks of `blocklength` items, `stride` items apart.
pub fn vector(count: i64, blocklength: i64, stride: i64, of: Datatype) -> MpiResult<Made> {
    hvector(count, blocklength, bytes(stride, of)?, of)
}

fn block_length(i: usize, length: i64) -> MpiResult<()> {
    if length < 0 {
        let message = format!("the length of block {i} = {length} is negative");
        return Err(Error::new(Code::Argument, message).into());
    }
    Ok(())
}

/// Blocks of items; each block a count and a displacement in bytes.
pub fn hindexed(blocks: &[(i64, i64)], of: Datatype) -> MpiResult<Made> {
    let item = of.bounds()?;
    for (i, &(length, _)) in blocks.iter().enumerate() {
        block_length(i, length)?;
    }
    let small: Option<Vec<_>> = blocks.iter().map(|&(length, _)| settled(length)).collect();
    if let (Some(lengths), true) = (small, fits(blocks.len())) {
        let displacements: Vec<i64> =
            blocks.iter().map(|&(_, displacement)| displacement).collect();
        return Made::hindexed(&lengths, &displacements, of);
    }
    let mut large = Vec::new();
    let mut pieces = Vec::new();
    let mut bounds: Option<Bounds> = None;
    for &(length, displacement) in blocks {
        if length == 0 {
            continue;
        }
        let own = repeated(length, item.extent(), item)?;
        let (lower, upper) = (plus(own.lower, displacement)?, plus(own.upper, displacement)?);
        let all = bounds.get_or_insert(Bounds { lower, upper });
        (all.lower, all.upper) = (all.lower.min(lower), all.upper.max(upper));
        pieces.push(match settled(length) {
            Some(length) => Block { length, displacement, datatype: of },
            None => {
                let made = contiguous(length, of)?;
                let datatype = made.datatype();
                large.push(made);
                Block { length: 1, displacement, datatype }
            }
        });
    }
    match bounds {
        Some(bounds) => join_many(&pieces, bounds),
        None => Made::contiguous(0, of),
    }
}

fn fits(n: usize) -> bool {
    i64::try_from(n).is_ok_and(|n| n <= i64::from(limit()))
}

/// As `join`, for more blocks than one call takes.
fn join_many(blocks: &[Block], bounds: Bounds) -> MpiResult<Made> {
    if fits(blocks.len()) {
        return join(blocks, bounds);
    }
    let row = usize::try_from(limit()).unwrap_or(1).max(2);
    let rows: Vec<Made> = blocks.chunks(row).map(Made::structure).collect::<MpiResult<_>>()?;
    let outer: Vec<Block> = rows
        .iter()
        .map(|made| Block { length: 1, displacement: 0, datatype: made.datatype() })
        .collect();
    join_many(&outer, bounds)
}

/// Blocks of different types: MPI's own structure of types that hold a block each, so that MPI pads it.
pub fn structure(blocks: &[(i64, i64, Datatype)]) -> MpiResult<Made> {
    if i32::try_from(blocks.len()).is_err() {
        let message =
            format!("count = {} is more than the blocks that a structure can have", blocks.len());
        return Err(Error::new(Code::Argument, message).into());
    }
    let mut large = Vec::new();
    let mut pieces = Vec::with_capacity(blocks.len());
    for (i, &(length, displacement, datatype)) in blocks.iter().enumerate() {
        block_length(i, length)?;
        let datatype = datatype.known()?;
        pieces.push(match settled(length) {
            Some(length) => Block { length, displacement, datatype },
            None => {
                let made = contiguous(length, datatype)?;
                let datatype = made.datatype();
                large.push(made);
                Block { length: 1, displacement, datatype }
            }
        });
    }
    Made::structure(&pieces)
}

/// The parts `ranges` of each dimension of an array of `sizes`, the fastest dimension first. The type spans
/// the whole array.
pub fn subarray(sizes: &[i64], ranges: &[Vec<Range>], of: Datatype) -> MpiResult<Made> {
    let item = of.bounds()?.extent();
    let mut stride = item;
    let mut inner: Option<Made> = None;
    for (&size, ranges) in sizes.iter().zip(ranges) {
        let element = inner.as_ref().map_or(of, Made::datatype);
        let mut rows = Vec::new();
        for range in ranges.iter().filter(|range| range.length > 0 && range.times > 0) {
            let run = repeat(range.length, stride, element)?;
            let runs = repeat(range.times, times(range.step, stride)?, run.datatype())?;
            rows.push((runs, times(range.start, stride)?));
        }
        let blocks: Vec<Block> = rows
            .iter()
            .map(|(made, displacement)| Block {
                length: 1,
                displacement: *displacement,
                datatype: made.datatype(),
            })
            .collect();
        stride = times(stride, size)?;
        let bounds = Bounds { lower: 0, upper: stride };
        let next = if blocks.is_empty() {
            Made::resized(Made::contiguous(0, of)?.datatype(), bounds)?
        } else {
            join_many(&blocks, bounds)?
        };
        inner = Some(next);
    }
    match inner {
        Some(made) => Ok(made),
        None => Made::contiguous(1, of),
    }
}

/// Bytes of so many items.
pub fn bytes(items: i64, of: Datatype) -> MpiResult<i64> {
    times(items, of.bounds()?.extent())
}

/// Blocks of `lengths` items, each at its displacement in bytes.
pub fn blocks(lengths: &[i64], displacements: &[i64]) -> Vec<(i64, i64)> {
    lengths.iter().copied().zip(displacements.iter().copied()).collect()
}

/// Blocks of `lengths` items, each at its displacement in items.
pub fn indexed(lengths: &[i64], displacements: &[i64], of: Datatype) -> MpiResult<Made> {
    let displacements =
        displacements.iter().map(|&items| bytes(items, of)).collect::<MpiResult<Vec<_>>>()?;
    hindexed(&blocks(lengths, &displacements), of)
}

/// Blocks of `blocklength` items, each at its displacement in items.
pub fn indexed_block(blocklength: i64, displacements: &[i64], of: Datatype) -> MpiResult<Made> {
    indexed(&vec![blocklength; displacements.len()], displacements, of)
}

/// Blocks of `blocklength` items, each at its displacement in bytes.
pub fn hindexed_block(blocklength: i64, displacements: &[i64], of: Datatype) -> MpiResult<Made> {
    hindexed(&blocks(&vec![blocklength; displacements.len()], displacements), of)
}

/// Blocks of `lengths` items, each at its displacement in bytes and of its own type.
pub fn structure_of(lengths: &[i64], displacements: &[i64], of: &[Datatype]) -> MpiResult<Made> {
    let blocks: Vec<_> = blocks(lengths, displacements)
        .into_iter()
        .zip(of)
        .map(|((length, start), &datatype)| (length, start, datatype))
        .collect();
    structure(&blocks)
}

/// What `BigMPI_Decode_contiguous_x` tells of a type of `MPIX_Type_contiguous_x`.
static MADE: Mutex<(usize, Option<Origins>)> = Mutex::new((0, None));
type Origins = HashMap<usize, (i64, Datatype)>;
static KEY: OnceLock<TypeAttribute> = OnceLock::new();

fn forget(number: usize) {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = made.1.as_mut() {
        table.remove(&number);
    }
}

/// As `contiguous`; `decode` undoes it.
pub fn remembered(count: i64, of: Datatype) -> MpiResult<Made> {
    let made = contiguous(count, of)?;
    remember(&made, count, of)?;
    Ok(made)
}

/// Remembers what the type was made of, as long as it lives.
fn remember(made: &Made, count: i64, of: Datatype) -> MpiResult<()> {
    let key = match KEY.get() {
        Some(&key) => key,
        None => {
            let key = TypeAttribute::new(forget)?;
            *KEY.get_or_init(|| key)
        }
    };
    let number = {
        let mut table = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        table.0 += 1;
        let number = table.0;
        table.1.get_or_insert_with(HashMap::new).insert(number, (count, of));
        number
    };
    key.set(made.datatype(), number).inspect_err(|_| forget(number))
}

/// Count and type of the items of a type that `MPIX_Type_contiguous_x` made.
pub fn decode(datatype: Datatype) -> MpiResult<(i64, Datatype)> {
    let number = match KEY.get() {
        Some(key) => key.get(datatype)?,
        None => None,
    };
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    number.and_then(|number| made.1.as_ref()?.get(&number).copied()).ok_or_else(|| {
        Error::new(Code::Argument, "the type was not made by MPIX_Type_contiguous_x").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_types_bounds_of_repeated_items() {
        let of = Bounds { lower: -4, upper: 12 };
        assert_eq!(repeated(3, 10, of).ok(), Some(Bounds { lower: -4, upper: 32 }));
        assert_eq!(repeated(3, -10, of).ok(), Some(Bounds { lower: -24, upper: 12 }));
        assert_eq!(repeated(0, 10, of).ok(), Some(Bounds { lower: 0, upper: 0 }));
        assert!(repeated(i64::MAX, 2, of).is_err());
    }
}
