//! What collectives count in, at a time, and with whom.
#![forbid(unsafe_code)]

use super::{Comm, Datatype, MpiResult, wide_int};
use std::ffi::c_int;

/// Which of MPI's twins is called: the blocking one, or the nonblocking one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallForm {
    Blocking,
    Nonblocking,
}

/// What MPI reduces at a time: a datatype of so many words of 8 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    pub(super) datatype: Datatype,
    pub(super) words: usize,
}

impl Item {
    pub fn double() -> Self {
        Self { datatype: Datatype::double(), words: 1 }
    }

    /// Several doubles as one, for an operation of the library's own.
    pub fn doubles(n: usize) -> MpiResult<Self> {
        Ok(if n == 1 {
            Self::double()
        } else {
            Self { datatype: super::datatype::wide_type(n)?, words: n }
        })
    }

    /// 64 bits.
    pub fn bits() -> Self {
        Self { datatype: Datatype::word(), words: 1 }
    }

    pub const fn words(self) -> usize {
        self.words
    }
}

/// Whom a call reaches: all ranks, or the neighbours of the communicator's topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    All,
    Neighbours,
}

impl Reach {
    /// How many parts a rank receives, and how many it sends.
    pub(super) fn degrees(self, comm: Comm) -> MpiResult<(usize, usize)> {
        let (sources, destinations) = match self {
            Self::All => {
                let partners = comm.partners()?;
                (partners, partners)
            }
            Self::Neighbours => comm.degrees()?,
        };
        Ok((wide_int(sources), wide_int(destinations)))
    }
}

/// How many items of a reduction, or of a call that only moves them, MPI is given at a time.
#[derive(Debug, Clone, Copy)]
pub struct Step(c_int);

impl Step {
    /// At least one item.
    pub fn new(items: c_int) -> Self {
        Self(items.max(1))
    }

    pub(super) fn items(self) -> usize {
        wide_int(self.0)
    }
}

/// The parts that ranks have of a packed array, one behind the other in their order: each so many times `width` doubles,
/// which are sent as items of `item`.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    pub shares: &'a [u64],
    pub width: usize,
    pub item: Item,
}

impl Listed<'_> {
    /// So many of the array as items.
    pub(super) fn items(&self, n: usize) -> MpiResult<c_int> {
        c_int::try_from(n * self.width / self.item.words)
            .map_err(|_| super::error::too_many(n, self.width))
    }

    pub(super) fn total(&self) -> usize {
        self.shares.iter().map(|&n| crate::count::wide(n)).sum()
    }
}

/// Counts that are known to fit.
pub(super) fn narrow(n: usize) -> c_int {
    c_int::try_from(n).expect("a count that fits")
}
