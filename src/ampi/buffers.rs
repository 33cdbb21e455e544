//! The buffers of collectives: where the parts of all ranks go, and packed copies of what is sent.

use super::recording::{Operands, check_tape};
use super::statistics;
use crate::datatype::{RecvBuffer, SendBuffer, Shape, Sources};
use crate::mpi::{List, MpiResult, Staging};

/// Buffers for the parts of all ranks.
pub enum Sinks {
    One(RecvBuffer),
    List(List<RecvBuffer>),
}

impl Sinks {
    /// The same memory, to be read.
    pub fn sources(&self) -> Sources {
        match self {
            Self::One(sink) => Sources::One(sink.source().clone()),
            Self::List(sinks) => {
                Sources::List(sinks.iter().map(|sink| sink.source().clone()).collect())
            }
        }
    }
}

/// What this rank sends, packed. An error if the call is not `recorded`, and should be.
pub fn packed(source: &SendBuffer, recorded: bool) -> MpiResult<(Staging, Shape)> {
    packed_by(source, recorded, source.words(), |data| source.pack(data))
}

/// The same of parts for all ranks.
pub fn packed_parts(sources: &Sources, recorded: bool) -> MpiResult<(Staging, Shape)> {
    packed_by(sources, recorded, sources.words(), |data| sources.pack(data))
}

/// The same of `operands` that `pack` brings into so many words.
pub fn packed_by(
    operands: &impl Operands,
    recorded: bool,
    words: usize,
    pack: impl FnOnce(&mut [f64]) -> Shape,
) -> MpiResult<(Staging, Shape)> {
    let mut data = Staging::take(words);
    let shape = pack(data.as_mut_slice());
    if !recorded {
        check_tape(operands, || shape)?;
    }
    statistics::sent_forward(words);
    Ok((data, shape))
}
