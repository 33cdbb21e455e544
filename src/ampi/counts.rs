//! Per-rank counts: how many values each rank has of a packed array, as a call tells them, as the tape keeps them, and
//! as they travel.

use crate::count::{wide, wide32};
use crate::datatype::SendBuffer;
use crate::error::{Code, Error, Result};
use crate::mpi::{List, MpiResult};
use crate::tape::{Store, Stored, Tape};

/// By which of its forms all ranks call a collective that has counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Int,
    Large,
}

/// A count for each rank: one for all, or a list. The parts of an array lie one behind the other in the order of ranks.
#[derive(Debug, Clone, Copy)]
pub enum RankCounts<L> {
    Each(usize),
    List(L, Form),
}

/// Borrowed for the time of a question or of an operation.
pub type Counts<'a> = RankCounts<&'a [u64]>;
/// In memory of the call.
pub type OwnedCounts = RankCounts<List<u64>>;
/// On the tape.
pub type StoredCounts = RankCounts<Stored<u64>>;

impl Counts<'_> {
    /// The part of one rank.
    pub fn of(self, rank: usize) -> usize {
        match self {
            Self::Each(n) => n,
            Self::List(list, _) => wide(list[rank]),
        }
    }

    /// The part of each of so many ranks.
    pub fn all(self, ranks: usize) -> impl Iterator<Item = usize> {
        (0..ranks).map(move |rank| self.of(rank))
    }

    /// How many values the ranks below have.
    pub fn below(self, rank: usize) -> usize {
        match self {
            Self::Each(n) => n * rank,
            Self::List(list, _) => list[..rank].iter().map(|&n| wide(n)).sum(),
        }
    }

    pub fn total(self, ranks: usize) -> MpiResult<usize> {
        match self {
            Self::Each(n) => whole(n, ranks),
            Self::List(list, _) => {
                let total = list.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
                match total.map(u32::try_from) {
                    Some(Ok(total)) => Ok(wide32(total)),
                    _ => {
                        let why =
                            "the counts of all ranks are more than 2^32 active doubles in total";
                        Err(Error::new(Code::Argument, why).into())
                    }
                }
            }
        }
    }

    /// Whether every rank has a part.
    pub fn is_full(self) -> bool {
        match self {
            Self::Each(n) => n > 0,
            Self::List(list, _) => !list.contains(&0),
        }
    }

    /// The counts when each part has `n` values more, as a stamp before it.
    pub fn widened(self, n: usize) -> OwnedCounts {
        match self {
            Self::Each(own) => RankCounts::Each(own + n),
            Self::List(list, form) => {
                RankCounts::List(list.iter().map(|own| own + n as u64).collect(), form)
            }
        }
    }

    /// Keeps them on the tape.
    pub fn store(self, tape: &mut Tape) -> Result<StoredCounts> {
        Ok(match self {
            Self::Each(n) => RankCounts::Each(n),
            Self::List(list, form) => RankCounts::List(tape.store_from(list)?, form),
        })
    }
}

impl OwnedCounts {
    /// Lists in another form.
    pub fn in_form(self, form: Form) -> Self {
        match self {
            Self::Each(n) => Self::Each(n),
            Self::List(list, _) => Self::List(list, form),
        }
    }

    pub fn borrowed(&self) -> Counts<'_> {
        match self {
            Self::Each(n) => RankCounts::Each(*n),
            Self::List(list, form) => RankCounts::List(list, *form),
        }
    }
}

impl StoredCounts {
    /// Off the root of a call with counts.
    pub fn none(form: Form, tape: &mut Tape) -> Result<Self> {
        Ok(Self::List(tape.store_from(&[])?, form))
    }

    /// The part of each, or -1 where the parts may differ.
    pub fn each(&self) -> i64 {
        match self {
            Self::Each(n) => i64::try_from(*n).unwrap_or(-1),
            Self::List(..) => -1,
        }
    }

    pub fn read<'a>(&self, store: &'a impl Store) -> Counts<'a> {
        match self {
            Self::Each(n) => RankCounts::Each(*n),
            Self::List(list, form) => RankCounts::List(store.read(list), *form),
        }
    }
}

/// `n` for each of `ranks`, or an error.
pub fn whole(n: usize, ranks: usize) -> MpiResult<usize> {
    n.checked_mul(ranks).filter(|&n| u32::try_from(n).is_ok()).ok_or_else(|| {
        Error::new(
            Code::Argument,
            format!("{n} active doubles from each of {ranks} ranks are more than 2^32"),
        )
        .into()
    })
}

/// What the parts of all ranks in a packed array count: what is recorded of them, and what travels.
#[derive(Debug)]
pub struct PartCounts {
    /// Active doubles.
    doubles: OwnedCounts,
    /// Words of 8 bytes, where passive parts lie between the doubles.
    words: Option<OwnedCounts>,
}

impl PartCounts {
    /// As many items for each rank as `part` has.
    pub fn each(part: &SendBuffer) -> Self {
        let (n, words) = (part.len(), part.words());
        Self {
            doubles: RankCounts::Each(n),
            words: (words != n).then_some(RankCounts::Each(words)),
        }
    }

    /// The items of a buffer for each rank.
    pub fn list<T: AsRef<SendBuffer>>(parts: &[T], form: Form) -> Self {
        let list = |count: fn(&SendBuffer) -> usize| {
            RankCounts::List(parts.iter().map(|part| count(part.as_ref()) as u64).collect(), form)
        };
        let mixed = parts.iter().any(|part| part.as_ref().mixed_bytes().is_some());
        Self { doubles: list(SendBuffer::len), words: mixed.then(|| list(SendBuffer::words)) }
    }

    /// What is recorded, in active doubles.
    pub fn doubles(&self) -> Counts<'_> {
        self.doubles.borrowed()
    }

    /// What travels, in words.
    pub fn wire(&self) -> Counts<'_> {
        self.words.as_ref().unwrap_or(&self.doubles).borrowed()
    }

    /// Doubles and words of one rank.
    pub fn of(&self, rank: usize) -> (usize, usize) {
        (self.doubles().of(rank), self.wire().of(rank))
    }
}
