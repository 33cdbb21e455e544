//! The buffers of collectives: where the parts of all ranks go, and packed copies of what is sent.

use super::statistics;
use crate::datatype::{RecvBuffer, SendBuffer, Shape, Sources};
use crate::mpi::{List, Staging};

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

/// What this rank sends, packed.
pub fn packed(source: &SendBuffer) -> (Staging, Shape) {
    packed_by(source.words(), |data| source.pack(data))
}

/// The same of parts for all ranks.
pub fn packed_parts(sources: &Sources) -> (Staging, Shape) {
    packed_by(sources.words(), |data| sources.pack(data))
}

fn packed_by(words: usize, pack: impl FnOnce(&mut [f64]) -> Shape) -> (Staging, Shape) {
    let mut data = Staging::take(words);
    let shape = pack(data.as_mut_slice());
    statistics::sent_forward(words);
    (data, shape)
}
