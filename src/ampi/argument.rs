//! Which arguments of a call are significant, and whether they are active.

use super::buffers::Sinks;
use super::counts::{Form, PartCounts};
use super::recording::state;
use crate::datatype::{Arguments, BufferTriple, Layout, RecvBuffer, SendBuffer, Sources};
use crate::datatype::{
    Content, active_layout, content, is_installed, is_passive, is_passive_message, not_initialised,
    passive_layout,
};
use crate::error::{Code, Error};
use crate::mpi::handle::Role;
use crate::mpi::raw::constants;
use crate::mpi::{Comm, Datatype, Failure, List, MpiResult, wide_int};
use std::ffi::c_int;

/// How the active doubles of a buffer lie.
pub fn layout(name: &str, argument: &BufferTriple) -> MpiResult<Layout> {
    let datatype = argument.datatype();
    match active_layout(datatype, argument.items())? {
        Some(layout) => Ok(layout),
        None if content(datatype) == Content::Untold => passive_layout(datatype, argument.items()),
        None => {
            let why = "the datatype is passive, but the datatype of the call's other buffer is active: both must be active, or both passive";
            Err(Error::new(Code::Unsupported, format!("{name}: {why}")).into())
        }
    }
}

/// A buffer of active doubles to read.
#[inline(always)]
pub fn source(name: &str, argument: &BufferTriple) -> MpiResult<SendBuffer> {
    let source = match argument.plain() {
        Some(source) => source,
        None => unusual_source(name, argument)?,
    };
    Ok(source)
}

#[inline(never)]
fn unusual_source(name: &str, argument: &BufferTriple) -> MpiResult<SendBuffer> {
    argument.source(name, layout(name, argument)?, 1)
}

/// A buffer of active doubles to write.
#[inline(always)]
pub fn sink(name: &str, argument: &BufferTriple) -> MpiResult<RecvBuffer> {
    let sink = match argument.plain_sink() {
        Some(sink) => sink,
        None => unusual_sink(name, argument)?,
    };
    Ok(sink)
}

#[inline(never)]
fn unusual_sink(name: &str, argument: &BufferTriple) -> MpiResult<RecvBuffer> {
    argument.sink(name, layout(name, argument)?, 1)
}

/// As `source`, of a message, which may be packed bytes.
#[inline(always)]
pub fn source_of_message(name: &str, argument: &BufferTriple) -> MpiResult<SendBuffer> {
    match argument.plain() {
        Some(source) => Ok(source),
        None if argument.is_packed() => argument.packed_source(name),
        None => unusual_source(name, argument),
    }
}

/// As `sink`, of a message.
#[inline(always)]
pub fn sink_of_message(name: &str, argument: &BufferTriple) -> MpiResult<RecvBuffer> {
    match argument.plain_sink() {
        Some(sink) => Ok(sink),
        None if argument.is_packed() => argument.packed_sink(name),
        None => unusual_sink(name, argument),
    }
}

/// A buffer to read, or None for `MPI_IN_PLACE`.
pub fn source_or_in_place(name: &str, argument: &BufferTriple) -> MpiResult<Option<SendBuffer>> {
    if argument.is_in_place() { Ok(None) } else { source(name, argument).map(Some) }
}

/// A buffer to write, or None for `MPI_IN_PLACE`.
pub fn sink_or_in_place(name: &str, argument: &BufferTriple) -> MpiResult<Option<RecvBuffer>> {
    if argument.is_in_place() { Ok(None) } else { sink(name, argument).map(Some) }
}

/// Which buffers of a call with a root count on this rank.
#[derive(Clone, Copy)]
pub struct Side {
    pub root: bool,
    pub others: bool,
}

impl Side {
    /// None count where the call itself is to say what is wrong with the communicator.
    pub fn of(comm: Comm, root: c_int) -> Self {
        if comm.is_null() {
            return Self { root: false, others: false };
        }
        let (role, inter) = (comm.role(root), comm.is_inter().unwrap_or(false));
        let others = !inter || matches!(role, Ok(Role::Leaf));
        Self { root: matches!(role, Ok(Role::Root)), others }
    }
}

/// The buffer of a call that has a part for each rank.
#[derive(Clone, Copy)]
pub enum Many {
    /// The argument's items for each, one rank behind the other.
    Each(BufferTriple),
    /// A count and a displacement for each.
    List(Arguments),
}

const fn form_of(arguments: &Arguments) -> Form {
    if arguments.is_large() { Form::Large } else { Form::Int }
}

impl Many {
    pub fn is_in_place(&self) -> bool {
        match self {
            Self::Each(argument) => argument.is_in_place(),
            Self::List(arguments) => arguments.is_in_place(),
        }
    }

    /// The same in a call on active values, where it is in place or not looked at.
    #[must_use]
    pub fn under_active(self) -> Self {
        match self {
            Self::Each(argument) => Self::Each(argument.under_active()),
            Self::List(arguments) => Self::List(arguments.under_active()),
        }
    }

    const fn has_counts(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// Which form of a call with counts it is from.
    pub const fn form(&self) -> Option<Form> {
        match self {
            Self::Each(_) => None,
            Self::List(arguments) => Some(form_of(arguments)),
        }
    }

    /// Whether each rank has a datatype of its own.
    pub const fn has_types(&self) -> bool {
        matches!(self, Self::List(arguments) if arguments.has_types())
    }

    /// What the datatypes of `ranks` parts say together; None if there are none.
    fn content(&self, ranks: usize) -> Option<Content> {
        match self {
            Self::Each(argument) => Some(content(argument.datatype())),
            Self::List(arguments) => arguments.types(ranks).map(content).max(),
        }
    }

    pub fn sources(&self, name: &str, ranks: usize) -> MpiResult<(Sources, PartCounts)> {
        match self {
            Self::Each(argument) => {
                if let Some([one, all]) = argument.plain_shares(ranks) {
                    return Ok((Sources::One(all), PartCounts::each(&one)));
                }
                let layout = layout(name, argument)?;
                let one = argument.source(name, layout.clone(), 1)?;
                let parts = PartCounts::each(&one);
                if one.mixed_bytes().is_some() {
                    return Ok((Sources::List(self.source_list(name, ranks)?), parts));
                }
                Ok((Sources::One(argument.source(name, layout, ranks)?), parts))
            }
            Self::List(arguments) => {
                let list = self.source_list(name, ranks)?;
                let parts = PartCounts::list(&list, form_of(arguments));
                Ok((Sources::List(list), parts))
            }
        }
    }

    pub fn sinks(&self, name: &str, ranks: usize) -> MpiResult<(Sinks, PartCounts)> {
        match self {
            Self::Each(argument) => {
                if let Some((one, all)) = argument.plain_sink_shares(ranks) {
                    return Ok((Sinks::One(all), PartCounts::each(&one)));
                }
                let layout = layout(name, argument)?;
                let one = argument.source(name, layout.clone(), 1)?;
                let parts = PartCounts::each(&one);
                // Items with passive parts fill words only all together.
                if one.mixed_bytes().is_some() {
                    return Ok((Sinks::List(self.sink_list(name, ranks)?), parts));
                }
                Ok((Sinks::One(argument.sink(name, layout, ranks)?), parts))
            }
            Self::List(arguments) => {
                let list = self.sink_list(name, ranks)?;
                let parts = PartCounts::list(&list, form_of(arguments));
                Ok((Sinks::List(list), parts))
            }
        }
    }
}

impl Many {
    /// The parts of `n` ranks or neighbours, each an argument of its own.
    fn parts(&self, name: &str, n: usize) -> MpiResult<List<BufferTriple>> {
        match self {
            Self::Each(argument) => {
                // Refused here, before it is taken for the address of the first part.
                source(name, argument)?;
                argument.repeated(n)
            }
            // MPI would be asked for the extent of what is no type.
            Self::List(_) if !is_installed() => Err(not_initialised().into()),
            Self::List(_) => self.each(name, n),
        }
    }

    /// As `parts`, of whatever datatype.
    pub fn each(&self, name: &str, n: usize) -> MpiResult<List<BufferTriple>> {
        match self {
            Self::Each(argument) => argument.repeated(n),
            Self::List(arguments) => Ok(arguments.list(name, n)?.collect()),
        }
    }

    /// How a part lies that is not what most are. One without items need not have a type that says anything; where
    /// each part has a type of its own, some may be passive.
    fn unusual_layout(&self, part: &BufferTriple) -> MpiResult<Option<Layout>> {
        if part.is_nothing() {
            return Ok(Some(Layout::Plain));
        }
        let passive = self.has_types() && is_passive(part.datatype());
        passive.then(|| passive_layout(part.datatype(), part.items())).transpose()
    }

    /// What the `parts` of neighbours hold.
    pub fn lengths<T: AsRef<SendBuffer>>(&self, name: &str, parts: &[T]) -> MpiResult<PartCounts> {
        Ok(match self {
            Self::Each(argument) => PartCounts::each(&source(name, argument)?),
            Self::List(arguments) => PartCounts::list(parts, form_of(arguments)),
        })
    }

    /// One buffer for each of `n` ranks or neighbours, to be read.
    pub fn source_list(&self, name: &str, n: usize) -> MpiResult<List<SendBuffer>> {
        let parts = self.parts(name, n)?;
        let one = |part| match self.unusual_layout(part)? {
            Some(layout) => BufferTriple::source(part, name, layout, 1),
            None => source(name, part),
        };
        parts.iter().map(one).collect()
    }

    /// One buffer for each of `n` ranks or neighbours, to be written.
    pub fn sink_list(&self, name: &str, n: usize) -> MpiResult<List<RecvBuffer>> {
        let parts = self.parts(name, n)?;
        let one = |part| match self.unusual_layout(part)? {
            Some(layout) => BufferTriple::sink(part, name, layout, 1),
            None => sink(name, part),
        };
        parts.iter().map(one).collect()
    }
}

/// Whether a call is MPI's own, by what the datatypes of its significant buffers say together; without any it is. Where
/// they say nothing nobody can know, and only where nothing is recorded it does not matter.
fn is_left_to_mpi(contents: impl IntoIterator<Item = Option<Content>>) -> MpiResult<bool> {
    match contents.into_iter().flatten().max() {
        Some(Content::Active) => Ok(false),
        Some(Content::Untold) if state().is_some() => Err(untold()),
        _ => Ok(true),
    }
}

#[cold]
fn untold() -> Failure {
    let why = "the datatype has no blocks, so it does not tell whether the call is on active data, which this rank must record if the others do: make it from AMPI_ADOUBLE (a block of length 0 is enough) or from a passive type";
    Error::new(Code::Unsupported, why).into()
}

/// A call with one datatype is MPI's own.
pub fn one_passive(datatype: Datatype) -> MpiResult<bool> {
    is_left_to_mpi([Some(content(datatype))])
}

/// Neither of the two buffers of a message each way is active, as far as it is there.
pub fn both_passive(send: &BufferTriple, receive: &BufferTriple) -> bool {
    (send.is_in_place() || is_passive_message(send.datatype()))
        && (receive.is_in_place() || is_passive_message(receive.datatype()))
}

/// As `one_passive`, with a buffer each way that is significant as far as it is there.
pub fn all_passive(send: &Many, receive: &Many, comm: Comm) -> MpiResult<bool> {
    let ranks = if receive.has_counts() { ranks(comm) } else { 1 };
    let significant = |data: &Many| if data.is_in_place() { None } else { data.content(ranks) };
    is_left_to_mpi([significant(send), significant(receive)])
}

/// As `all_passive`, for buffers with parts for neighbours. A communicator without a topology is left to MPI, and none at
/// all is not: Open MPI's Neighbor_allgather crashes there.
pub fn neighbours_passive(send: &Many, receive: &Many, comm: Comm) -> MpiResult<bool> {
    if comm.is_null() {
        return Ok(false);
    }
    let Some((sources, destinations)) = degrees(comm) else { return Ok(true) };
    is_left_to_mpi([send.content(destinations), receive.content(sources)])
}

fn degrees(comm: Comm) -> Option<(usize, usize)> {
    if comm.is_null() {
        return None;
    }
    comm.degrees().ok().map(|(sources, destinations)| (wide_int(sources), wide_int(destinations)))
}

/// The ranks that a buffer has parts for, or none of a communicator that MPI will refuse.
fn ranks(comm: Comm) -> usize {
    if comm.is_null() { 0 } else { comm.partners().map_or(0, wide_int) }
}

/// No significant buffer of a Gather or Scatter is active: `all` is significant on the root, `part` everywhere
/// unless it is in place. On an intercommunicator `all` belongs to the one whose root is MPI_ROOT, and `part` to
/// the other group. A wrong root is left to MPI.
pub fn rooted_passive(part: &BufferTriple, all: &Many, root: c_int, comm: Comm) -> MpiResult<bool> {
    if comm.is_null() || root == constants().proc_null {
        return Ok(true);
    }
    let inter = comm.is_inter().unwrap_or(false);
    if root < 0 {
        return if inter { is_left_to_mpi([all.content(1)]) } else { Ok(true) };
    }
    let of_part = Some(content(part.datatype()));
    if inter {
        return is_left_to_mpi([of_part]);
    }
    let at_root = comm.rank().is_ok_and(|rank| rank == root);
    let of_part = of_part.filter(|_| !(at_root && part.is_in_place()));
    is_left_to_mpi([of_part, if at_root { all.content(1) } else { None }])
}
