//! Which arguments of a call are significant, and whether they are active.

use super::movement::{Parts, Sinks};
use super::wire::Form;
use crate::datatype::{activity, is_passive, passive_layout};
use crate::error::{Code, Error};
use crate::mpi::raw::constants;
use crate::mpi::{
    Argument, Arguments, Comm, Layout, List, Outcome, Sink, Source, Sources, wide_int,
};
use std::ffi::c_int;

fn layout(name: &str, argument: &Argument) -> Outcome<Layout> {
    activity(argument.datatype())?.ok_or_else(|| {
        let why =
            "the datatype is passive, but that of the call's other buffer is active: both must be";
        Error::new(Code::Unsupported, format!("{name}: {why}")).into()
    })
}

/// A buffer of active doubles to read.
#[inline(always)]
pub fn source(name: &str, argument: &Argument) -> Outcome<Source> {
    let source = match argument.plain() {
        Some(source) => source,
        None => unusual_source(name, argument)?,
    };
    Ok(source)
}

#[inline(never)]
fn unusual_source(name: &str, argument: &Argument) -> Outcome<Source> {
    argument.source(name, layout(name, argument)?, 1)
}

/// A buffer of active doubles to write.
#[inline(always)]
pub fn sink(name: &str, argument: &Argument) -> Outcome<Sink> {
    let sink = match argument.plain_sink() {
        Some(sink) => sink,
        None => unusual_sink(name, argument)?,
    };
    Ok(sink)
}

#[inline(never)]
fn unusual_sink(name: &str, argument: &Argument) -> Outcome<Sink> {
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

/// The buffer of a call that has a part for each rank.
#[derive(Clone, Copy)]
pub enum Many {
    /// The argument's items for each, one rank behind the other.
    Each(Argument),
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

    /// Whether none of the datatypes of `ranks` parts is active.
    pub fn is_passive(&self, ranks: usize) -> bool {
        match self {
            Self::Each(argument) => is_passive(argument.datatype()),
            Self::List(arguments) => !arguments.any_type(ranks, |datatype| !is_passive(datatype)),
        }
    }

    pub fn sources(&self, name: &str, ranks: usize) -> Outcome<(Sources, Parts)> {
        match self {
            Self::Each(argument) => {
                let layout = layout(name, argument)?;
                let one = argument.source(name, layout.clone(), 1)?;
                let parts = Parts::each(&one);
                if one.mixed_bytes().is_some() {
                    return Ok((Sources::List(self.source_list(name, ranks)?), parts));
                }
                Ok((Sources::One(argument.source(name, layout, ranks)?), parts))
            }
            Self::List(arguments) => {
                let list = self.source_list(name, ranks)?;
                let parts = Parts::list(&list, form_of(arguments));
                Ok((Sources::List(list), parts))
            }
        }
    }

    pub fn sinks(&self, name: &str, ranks: usize) -> Outcome<(Sinks, Parts)> {
        match self {
            Self::Each(argument) => {
                let layout = layout(name, argument)?;
                let one = argument.source(name, layout.clone(), 1)?;
                let parts = Parts::each(&one);
                // Items with passive parts fill words only all together.
                if one.mixed_bytes().is_some() {
                    return Ok((Sinks::List(self.sink_list(name, ranks)?), parts));
                }
                Ok((Sinks::One(argument.sink(name, layout, ranks)?), parts))
            }
            Self::List(arguments) => {
                let list = self.sink_list(name, ranks)?;
                let parts = Parts::list(&list, form_of(arguments));
                Ok((Sinks::List(list), parts))
            }
        }
    }
}

impl Many {
    /// The parts of `n` ranks or neighbours, each an argument of its own.
    fn parts(&self, name: &str, n: usize) -> Outcome<List<Argument>> {
        match self {
            Self::Each(argument) => {
                // Refused here, before it is taken for the address of the first part.
                source(name, argument)?;
                argument.repeated(n)
            }
            Self::List(arguments) => Ok(arguments.list(name, n)?.collect()),
        }
    }

    /// How a part lies that is not what most are. One without items need not have a type that says anything; where
    /// each part has a type of its own, some may be passive.
    fn unusual_layout(&self, part: &Argument) -> Outcome<Option<Layout>> {
        if part.is_nothing() {
            return Ok(Some(Layout::Plain));
        }
        let passive = self.has_types() && is_passive(part.datatype());
        passive.then(|| passive_layout(part.datatype(), part.items())).transpose()
    }

    /// What the `parts` of neighbours hold.
    pub fn lengths<T: AsRef<Source>>(&self, name: &str, parts: &[T]) -> Outcome<Parts> {
        Ok(match self {
            Self::Each(argument) => Parts::each(&source(name, argument)?),
            Self::List(arguments) => Parts::list(parts, form_of(arguments)),
        })
    }

    /// One buffer for each of `n` ranks or neighbours, to be read.
    pub fn source_list(&self, name: &str, n: usize) -> Outcome<List<Source>> {
        let parts = self.parts(name, n)?;
        let one = |part| match self.unusual_layout(part)? {
            Some(layout) => Argument::source(part, name, layout, 1),
            None => source(name, part),
        };
        parts.iter().map(one).collect()
    }

    /// One buffer for each of `n` ranks or neighbours, to be written.
    pub fn sink_list(&self, name: &str, n: usize) -> Outcome<List<Sink>> {
        let parts = self.parts(name, n)?;
        let one = |part| match self.unusual_layout(part)? {
            Some(layout) => Argument::sink(part, name, layout, 1),
            None => sink(name, part),
        };
        parts.iter().map(one).collect()
    }
}

/// Neither of two buffers is active, as far as it is there.
pub fn both_passive(send: &Argument, receive: &Argument) -> bool {
    (send.is_in_place() || is_passive(send.datatype()))
        && (receive.is_in_place() || is_passive(receive.datatype()))
}

/// As `both_passive`, for buffers with parts for all ranks.
pub fn all_passive(send: &Many, receive: &Many, comm: Comm) -> bool {
    let ranks = if receive.has_counts() { ranks(comm) } else { 1 };
    (send.is_in_place() || send.is_passive(ranks))
        && (receive.is_in_place() || receive.is_passive(ranks))
}

/// As `all_passive`, for buffers with parts for neighbours. A communicator without a topology is left to MPI.
pub fn neighbours_passive(send: &Many, receive: &Many, comm: Comm) -> bool {
    let Some((sources, destinations)) = degrees(comm) else { return true };
    send.is_passive(destinations) && receive.is_passive(sources)
}

fn degrees(comm: Comm) -> Option<(usize, usize)> {
    if comm.is_null() {
        return None;
    }
    comm.degrees().ok().map(|(sources, destinations)| (wide_int(sources), wide_int(destinations)))
}

/// The ranks that a buffer has parts for, or none of a communicator that MPI will refuse.
fn ranks(comm: Comm) -> usize {
    if comm.is_null() { 0 } else { comm.size().map_or(0, wide_int) }
}

/// No significant buffer of a Gather or Scatter is active: `all` is significant on the root, `part` everywhere
/// unless it is in place. On an intercommunicator `all` belongs to the one whose root is MPI_ROOT, and `part` to
/// the other group. A wrong root is left to MPI.
pub fn rooted_passive(part: &Argument, all: &Many, root: c_int, comm: Comm) -> bool {
    if comm.is_null() || root == constants().proc_null {
        return true;
    }
    let inter = comm.is_inter().unwrap_or(false);
    if root < 0 {
        return !inter || all.is_passive(1);
    }
    if inter {
        return is_passive(part.datatype());
    }
    let at_root = comm.rank().is_ok_and(|rank| rank == root);
    let part_is = (at_root && part.is_in_place()) || is_passive(part.datatype());
    part_is && (!at_root || all.is_passive(1))
}
