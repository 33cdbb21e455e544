//! Active values in passive messages: as bytes they carry the ids of their sender, which mean other values, or none, to a
//! receiver. Checking mode looks for them in what is sent.
#![forbid(unsafe_code)]

use super::argument::Many;
use crate::datatype::{BufferTriple, Pieces, SendBuffer, is_passive, passive_layout};
use crate::error::{Code, Error};
use crate::mpi::handle::Role;
use crate::mpi::{Comm, MpiResult, wide_int};
use crate::tape;
use std::ffi::c_int;

/// An error if a passive buffer that is sent holds a value of the calling thread's tape, which records.
pub fn none_in(argument: &BufferTriple) -> MpiResult<()> {
    described(argument).map_or(Ok(()), |sent| none_at(&sent))
}

/// A passive buffer that is sent. What cannot be described is not looked at, and what is wrong MPI says.
pub fn described(argument: &BufferTriple) -> Option<SendBuffer> {
    if argument.is_in_place() || !is_passive(argument.datatype()) {
        return None;
    }
    let layout = passive_layout(argument.datatype(), argument.items()).ok()?;
    argument.source("buf", layout, 1).ok()
}

/// The same of one that has been described: the datatype may be gone.
pub fn none_at(sent: &SendBuffer) -> MpiResult<()> {
    let mut words = vec![0.0; sent.words()];
    sent.pack(&mut words);
    match tape::current(|tape| tape.value_in(&words)).flatten() {
        None => Ok(()),
        Some((at, id, tag)) => Err(Error::new(
            Code::Unsupported,
            format!(
                "ADMPI_CHECK: an active value (id {id}, tag {tag}) is sent as bytes: byte {at} of the message holds its id, \
                 which means nothing to another process; send it under AMPI_ADOUBLE, or its value"
            ),
        )
        .into()),
    }
}

/// The same of the parts for each of `n` ranks or neighbours.
fn none_in_parts(call: &str, many: &Many, n: c_int) -> MpiResult<()> {
    match many.each(call, wide_int(n)) {
        Ok(parts) if !many.is_in_place() => parts.iter().try_for_each(none_in),
        _ => Ok(()),
    }
}

/// The same of what is sent to each rank.
pub fn none_to_ranks(call: &str, many: &Many, comm: Comm) -> MpiResult<()> {
    if comm.is_null() { Ok(()) } else { none_in_parts(call, many, comm.partners().unwrap_or(0)) }
}

/// The same of what is sent to each neighbour.
pub fn none_to_neighbours(call: &str, many: &Many, comm: Comm) -> MpiResult<()> {
    if comm.is_null() {
        return Ok(());
    }
    none_in_parts(call, many, comm.degrees().map_or(0, |(_, destinations)| destinations))
}

/// The same of what this rank brings to a reduction of which each gets a share.
pub fn none_in_pieces(pieces: &Pieces, comm: Comm) -> MpiResult<()> {
    if comm.is_null() { Ok(()) } else { none_in(&pieces.operands(wide_int(comm.size()?))?) }
}

/// The same of this rank's own part of what all ranks get.
pub fn none_of_own(call: &str, many: &Many, comm: Comm) -> MpiResult<()> {
    if comm.is_null() {
        return Ok(());
    }
    let rank = comm.rank()?;
    let parts = many.each(call, wide_int(rank) + 1)?;
    parts.last().map_or(Ok(()), none_in)
}

/// Whether this rank sends to those that the root serves.
pub fn is_root(root: c_int, comm: Comm) -> bool {
    !comm.is_null() && comm.role(root).is_ok_and(|role| role == Role::Root)
}

/// Whether this rank sends to the root, which in a group of its own does so too.
pub fn serves_root(root: c_int, comm: Comm) -> bool {
    let inter = comm.is_null() || comm.is_inter().unwrap_or(true);
    !inter || (!comm.is_null() && comm.role(root).is_ok_and(|role| role == Role::Leaf))
}
