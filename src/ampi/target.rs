//! Where the packed values that a collective receives go.

use super::builtin_op::Operator;
use crate::count::narrow32;
use crate::datatype::{Mark, RecvBuffer};
use crate::mpi::list::listable;
use crate::mpi::{List, MpiResult};

/// Where the packed values that a call receives go.
#[derive(Debug)]
pub enum Target {
    Nothing,
    All(RecvBuffer),
    /// All but the `kept`th of segments of `n` values, which are what they were.
    But {
        sink: RecvBuffer,
        n: usize,
        kept: usize,
    },
    /// What an Exscan brings, and what this rank sent to it: the result of a Scan.
    Folded {
        sink: RecvBuffer,
        operator: Operator,
        /// Nothing came from below.
        lowest: bool,
    },
    /// What all ranks brought to a reduction, in their order, `n` values each: this rank has the result, from its `begin`th
    /// value on.
    Joined {
        sink: RecvBuffer,
        operator: Operator,
        n: usize,
        begin: usize,
    },
    /// Buffers one after the other; values without one are dropped.
    Parts(List<Part>),
}

/// A part of what a call receives.
#[derive(Debug)]
pub struct Part {
    /// Active doubles.
    pub n: usize,
    /// Words that they take, with the passive parts between them.
    pub words: usize,
    /// None where the values stay what they were.
    pub sink: Option<RecvBuffer>,
}

listable!(Part);

impl Target {
    /// Writes what was received, with ids from `mark`.
    pub fn unpack(&mut self, sent: &[f64], values: &mut [f64], mark: Mark) -> MpiResult<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::All(sink) => sink.unpack(values, mark),
            Self::Folded { sink, operator, lowest } => {
                operator.include(sent, values, *lowest);
                sink.unpack(values, mark)
            }
            Self::Joined { sink, operator, n, begin } => {
                let words = operator.words();
                let (result, others) = values.split_at_mut(*n * words);
                for own in others.chunks_exact(result.len().max(1)) {
                    operator.include(own, result, false);
                }
                let share = &result[*begin * words..][..sink.len() * words];
                sink.unpack(share, mark.behind(narrow32(*begin)))
            }
            Self::But { sink, n, kept } => {
                let (below, rest) = values.split_at(*kept * *n);
                sink.unpack(below, mark)?;
                sink.unpack_segment((*kept + 1) * *n, &rest[*n..], mark)
            }
            Self::Parts(parts) => {
                let (mut at, mut n) = (0, 0);
                for part in parts.iter_mut() {
                    if let Some(sink) = &mut part.sink {
                        sink.unpack(&values[at..at + part.words], mark.behind(narrow32(n)))?;
                    }
                    at += part.words;
                    n += part.n;
                }
                Ok(())
            }
        }
    }
}
