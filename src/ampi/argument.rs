//! Which arguments of a call are significant, and whether they are active.

use crate::datatype::{activity, is_passive};
use crate::error::{Code, Error};
use crate::mpi::raw::constants;
use crate::mpi::{Argument, Comm, Layout, Outcome, Sink, Source, wide_int};
use std::ffi::c_int;

fn layout(name: &str, argument: &Argument) -> Outcome<Layout> {
    activity(argument.datatype())?.ok_or_else(|| {
        let why =
            "the datatype is passive, but that of the call's other buffer is active: both must be";
        Error::new(Code::Unsupported, format!("{name}: {why}")).into()
    })
}

/// A buffer of active doubles to read.
#[inline]
pub fn source(name: &str, argument: &Argument) -> Outcome<Source> {
    if let Some(source) = argument.plain() {
        return Ok(source);
    }
    argument.source(name, layout(name, argument)?, 1)
}

/// A buffer of active doubles to write.
#[inline]
pub fn sink(name: &str, argument: &Argument) -> Outcome<Sink> {
    if let Some(sink) = argument.plain_sink() {
        return Ok(sink);
    }
    argument.sink(name, layout(name, argument)?, 1)
}

/// A buffer to read, or None for `MPI_IN_PLACE`.
pub fn source_or_in_place(name: &str, argument: &Argument) -> Outcome<Option<Source>> {
    if argument.is_in_place() { Ok(None) } else { source(name, argument).map(Some) }
}

/// A buffer to write, or None for `MPI_IN_PLACE`.
pub fn sink_or_in_place(name: &str, argument: &Argument) -> Outcome<Option<Sink>> {
    if argument.is_in_place() { Ok(None) } else { sink(name, argument).map(Some) }
}

/// A buffer with the argument's items for each rank of `comm`, and how many active doubles one rank has.
pub fn source_of_all(name: &str, argument: &Argument, comm: Comm) -> Outcome<(Source, usize)> {
    let layout = layout(name, argument)?;
    let n = argument.source(name, layout.clone(), 1)?.len();
    Ok((argument.source(name, layout, wide_int(comm.size()?))?, n))
}

/// As `source_of_all`, to write.
pub fn sink_of_all(name: &str, argument: &Argument, comm: Comm) -> Outcome<(Sink, usize)> {
    let layout = layout(name, argument)?;
    let n = argument.source(name, layout.clone(), 1)?.len();
    Ok((argument.sink(name, layout, wide_int(comm.size()?))?, n))
}

/// Neither of two buffers is active, as far as it is there.
pub fn both_passive(send: &Argument, receive: &Argument) -> bool {
    (send.is_in_place() || is_passive(send.datatype()))
        && (receive.is_in_place() || is_passive(receive.datatype()))
}

/// No significant buffer of a Gather or Scatter is active: `all` is significant on the root, `part` everywhere
/// unless it is in place. On an intercommunicator `all` belongs to the one whose root is MPI_ROOT, and `part` to
/// the other group. A wrong root is left to MPI.
pub fn rooted_passive(part: &Argument, all: &Argument, root: c_int, comm: Comm) -> bool {
    if comm.is_null() || root == constants().proc_null {
        return true;
    }
    let inter = comm.is_inter().unwrap_or(false);
    if root < 0 {
        return !inter || is_passive(all.datatype());
    }
    if inter {
        return is_passive(part.datatype());
    }
    let at_root = comm.rank().is_ok_and(|rank| rank == root);
    let part_is = (at_root && part.is_in_place()) || is_passive(part.datatype());
    part_is && (!at_root || is_passive(all.datatype()))
}
