//! Datatypes as a file has them: of the program without derivatives, whose doubles have 8 bytes and floats 4.
#![forbid(unsafe_code)]

use super::SendBuffer;
use super::layout::{Element, wide_bytes};
use super::magic::{ACTIVE_EXTENT, BUNDLE_MAGIC, COMPLEX_MAGIC, FLOAT_MAGIC, MAGIC};
use super::{
    BufferTriple, Layout, active_layout, active_tangents, activity, is_of_bundles, is_passive,
    require_installed, tangents,
};
use crate::error::{Code, Error};
use crate::mpi::raw::constants;
use crate::mpi::types::{Block, Bounds, Made};
use crate::mpi::{Contents, Datatype, MpiResult, wide_int};
use std::ffi::c_int;

const OF_OTHERS: &str = "the datatype has numbers beside tangents, tangents of several kinds or of more than 254 directions, and a file holds the values of tangents only: write and read the parts by calls of their own";
const OF_ELEMENTS: &str = "the datatype is AMPI_VARMAT or AMPI_VIEW, in which MPI finds no values: write and read an array of doubles";

/// How the numbers of a buffer lie of which a file gets values, and of how many of them the first one is the value: of all
/// that a tangent has. None where MPI finds in memory what it needs.
pub fn layout_for_file(data: &BufferTriple) -> MpiResult<Option<(Layout, usize)>> {
    let datatype = data.datatype();
    require_values(datatype)?;
    if is_of_bundles(datatype) {
        let (layout, nest) = match activity(datatype)? {
            Some(layout) => (layout, active_tangents(datatype)?),
            None => tangents(datatype)?,
        };
        if !nest.is_told() {
            return Err(Error::new(Code::Unsupported, OF_OTHERS).into());
        }
        return Ok(Some((layout.of_items(data.items()), nest.numbers())));
    }
    if is_passive(datatype) {
        return Ok(None);
    }
    Ok(active_layout(datatype, data.items())?.map(|layout| (layout, 1)))
}

/// Refuses a datatype in which MPI finds no values.
fn require_values(datatype: Datatype) -> MpiResult<()> {
    if datatype.is_of_elements() {
        return Err(Error::new(Code::Unsupported, OF_ELEMENTS).into());
    }
    Ok(())
}

/// Of items with active floats, or without active values, which MPI does not find in memory: one of them with its parts side by
/// side, as they are packed.
pub fn packed_item(source: &SendBuffer) -> MpiResult<Option<Made>> {
    let Some((map, _)) = source.mixed() else { return Ok(None) };
    if map.n > 0 && map.pieces.iter().all(|piece| piece.element != Element::Float) {
        return Ok(None);
    }
    let (mut blocks, mut end): (Vec<Block>, i64) = (Vec::new(), 0);
    for piece in &map.pieces {
        let datatype = match piece.element {
            Element::Passive => Datatype::byte(),
            Element::Double => Datatype::double(),
            Element::Float => Datatype::float(),
        };
        let length = c_int::try_from(piece.n).unwrap_or(c_int::MAX);
        match blocks.last_mut() {
            Some(last) if last.datatype == datatype => {
                last.length = last.length.saturating_add(length);
            }
            _ => blocks.push(Block { length, displacement: end, datatype }),
        }
        end += wide_bytes(piece.bytes());
    }
    let parts = Made::structure(&blocks)?;
    Made::resized(parts.datatype(), Bounds { lower: 0, upper: end })?.commit().map(Some)
}

/// The committed type of doubles or floats that `datatype` was before its program became active; none if it is passive.
pub fn in_file(datatype: Datatype) -> MpiResult<Option<Made>> {
    require_values(datatype)?;
    if is_passive(datatype) && !is_of_bundles(datatype) {
        return Ok(None);
    }
    require_installed()?;
    twin(datatype)?.commit().map(Some)
}

fn twin(datatype: Datatype) -> MpiResult<Made> {
    match datatype.contents()? {
        Some(contents) => twin_of(&contents),
        None => Made::duplicate(datatype),
    }
}

/// The twin of what was made as `contents` tells.
fn twin_of(contents: &Contents) -> MpiResult<Made> {
    if contents.is_marked(MAGIC)? || contents.is_marked(BUNDLE_MAGIC)? {
        return Made::duplicate(Datatype::double());
    }
    if contents.is_marked(FLOAT_MAGIC)? {
        return Made::duplicate(Datatype::float());
    }
    if contents.is_marked(COMPLEX_MAGIC)? {
        return twin(contents.part());
    }
    let kinds = constants();
    let (combiner, i) = (contents.combiner, &contents.integers[..]);
    let item = || twin(contents.datatypes[0].datatype());
    if combiner == kinds.dup {
        item()
    } else if combiner == kinds.contiguous {
        Made::contiguous(i[0], item()?.datatype())
    } else if combiner == kinds.vector {
        let item = item()?;
        let stride = i64::from(i[2]) * extent(&item)?;
        Made::hvector(i[0], i[1], stride, item.datatype())
    } else if combiner == kinds.indexed {
        let (lengths, places) = i[1..].split_at(wide_int(i[0]));
        indexed(lengths, places, &item()?)
    } else if combiner == kinds.indexed_block {
        indexed(&vec![i[1]; i.len() - 2], &i[2..], &item()?)
    } else if combiner == kinds.subarray {
        Made::subarray(i, item()?.datatype())
    } else if combiner == kinds.darray {
        Made::darray(i, item()?.datatype())
    } else {
        let why = format!(
            "the datatype has offsets in bytes, where an active number has {ACTIVE_EXTENT} of them: build it from MPI_DOUBLE or MPI_FLOAT for a file"
        );
        Err(Error::new(Code::Unsupported, why).into())
    }
}

fn extent(item: &Made) -> MpiResult<i64> {
    Ok(item.datatype().bounds()?.extent())
}

fn indexed(lengths: &[c_int], places: &[c_int], item: &Made) -> MpiResult<Made> {
    let extent = extent(item)?;
    let places: Vec<i64> = places.iter().map(|&place| i64::from(place) * extent).collect();
    Made::hindexed(lengths, &places, item.datatype())
}
