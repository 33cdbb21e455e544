//! Operations of an epoch as they travel: noted at the origin, read at the target.
//!
//! A message is words of 8 bytes. Each operation has a head, the layout of its items at the target where they are not one active
//! double after the other, and the values that it brings.

use super::ids::IdRuns;
use crate::ampi::builtin_op::Kind;
use crate::datatype::{Items, Nest, RecvBuffer, SendBuffer, Shape};
use crate::mpi::Staging;
use std::ffi::c_int;

/// What becomes of the target's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// They stay as they are.
    Nothing,
    Replace,
    Reduce(Kind),
    /// Of floats, which travel as the doubles that they are in memory.
    Floats(Kind),
    /// Of pairs of a value and an index, by `Kind::Min` or `Kind::Max` of the values.
    Locate(Kind),
    /// Of pairs of a float and an index.
    LocateFloats(Kind),
    /// Of passive tangents.
    Tangents(Kind, Nest),
    /// Of tangents of active values.
    ActiveTangents(Kind, Nest),
    /// They stay, and the origin has read them by itself.
    Read,
}

impl Combine {
    const KINDS: [Kind; 4] = [Kind::Sum, Kind::Product, Kind::Min, Kind::Max];
    /// But for those of tangents.
    const ALL: [Self; 15] = [
        Self::Nothing,
        Self::Replace,
        Self::Reduce(Kind::Sum),
        Self::Reduce(Kind::Product),
        Self::Reduce(Kind::Min),
        Self::Reduce(Kind::Max),
        Self::Floats(Kind::Sum),
        Self::Floats(Kind::Product),
        Self::Floats(Kind::Min),
        Self::Floats(Kind::Max),
        Self::Locate(Kind::Min),
        Self::Locate(Kind::Max),
        Self::LocateFloats(Kind::Min),
        Self::LocateFloats(Kind::Max),
        Self::Read,
    ];

    fn number(self) -> usize {
        let of_kind = |of| Self::KINDS.iter().position(|&kind| kind == of);
        let place = match self {
            Self::Tangents(of, _) => of_kind(of).map(|at| Self::ALL.len() + at),
            Self::ActiveTangents(of, _) => {
                of_kind(of).map(|at| Self::ALL.len() + Self::KINDS.len() + at)
            }
            _ => Self::ALL.iter().position(|&one| one == self),
        };
        place.unwrap_or(0)
    }

    fn of_number(number: usize, nest: impl FnOnce() -> Nest) -> Self {
        match number.checked_sub(Self::ALL.len()) {
            None => Self::ALL[number],
            Some(at) => {
                let kind = Self::KINDS[at % Self::KINDS.len()];
                let of = if at < Self::KINDS.len() { Self::Tangents } else { Self::ActiveTangents };
                of(kind, nest())
            }
        }
    }
}

/// Words before all operations: how many there are and whether a tape records them; active doubles that they bring; words
/// that they fetch.
const HEAD: usize = 3;
/// Words of an operation.
const EACH: usize = 4;

pub fn word(n: usize) -> f64 {
    f64::from_bits(n as u64)
}

pub fn number(word: f64) -> usize {
    crate::count::wide(word.to_bits())
}

/// One operation at its origin.
pub struct Operation<'a> {
    pub combine: Combine,
    /// Others may update the same items at the same time.
    pub is_atomic: bool,
    /// Where the target's values before it go.
    pub result: Option<RecvBuffer>,
    /// What it brings.
    pub operand: Option<&'a SendBuffer>,
    pub displacement: i64,
    pub items: Items,
}

/// What one target is going to be told at the end of the epoch.
#[derive(Default)]
pub struct Outgoing {
    pub target: c_int,
    data: Staging,
    operations: usize,
    /// Ids of what is brought.
    pub operands: IdRuns,
    /// Where what is fetched goes, in order, and how many words each has.
    pub results: Vec<(RecvBuffer, usize)>,
    /// Words of all results.
    pub fetched: usize,
    /// The last layout that the target is told.
    items: Option<Items>,
}

impl Outgoing {
    pub fn to(target: c_int) -> Self {
        Self { target, ..Self::default() }
    }

    pub const fn is_empty(&self) -> bool {
        self.operations == 0
    }

    fn room(&mut self, n: usize) -> &mut [f64] {
        let used = self.data.len();
        self.data.grow(used + n);
        &mut self.data.as_mut_slice()[used..]
    }

    /// Notes an operation with the values that it brings.
    pub fn add(&mut self, operation: Operation<'_>) {
        let Operation { combine, is_atomic, result, operand, displacement, items } = operation;
        if self.is_empty() {
            self.data.grow(HEAD);
        }
        self.operations += 1;
        let known = self.items.as_ref().is_some_and(|last| last.lie_as(&items));
        let layout = if known { 0 } else { items.words() };
        let flags = [known, result.is_some(), is_atomic].map(usize::from);
        let kind = combine.number() << 3 | flags[2] << 2 | flags[1] << 1 | flags[0];
        let head = self.room(EACH + layout);
        head[0] = word(kind | layout << 8);
        head[1] = f64::from_bits(displacement.cast_unsigned());
        head[2] = f64::from_bits(items.count().cast_unsigned());
        head[3] = word(items.bytes());
        if !known {
            let mut places = head[EACH..].iter_mut();
            items.write(|n| {
                let place = places.next().expect("as many as counted");
                *place = f64::from_bits(n.cast_unsigned());
            });
            self.items = Some(items.clone());
        }
        if let Combine::Tangents(_, nest) | Combine::ActiveTangents(_, nest) = combine {
            self.room(1)[0] = f64::from_bits(nest.word());
        }
        if let Some(source) = operand {
            let shape = source.pack(self.room(source.words()));
            self.operands.add(source, shape);
        }
        if let Some(sink) = result {
            let words = items.bytes().div_ceil(8);
            self.fetched += words;
            self.results.push((sink, words));
        }
    }

    /// The message, and nothing is left but what it fetches.
    pub fn message(&mut self, recorded: bool) -> Staging {
        if self.is_empty() {
            self.data.grow(HEAD);
        }
        let head = self.data.as_mut_slice();
        head[0] = word(self.operations << 1 | usize::from(recorded));
        head[1] = word(self.operands.len());
        head[2] = word(self.fetched);
        self.operations = 0;
        self.items = None;
        std::mem::take(&mut self.data)
    }
}

/// A message at the target.
pub struct Incoming {
    pub origin: c_int,
    data: Staging,
}

impl Incoming {
    pub const fn new(origin: c_int, data: Staging) -> Self {
        Self { origin, data }
    }

    fn head(&self, i: usize) -> usize {
        number(self.data.as_slice()[i])
    }

    /// Whether a tape of the origin's records.
    pub fn is_recorded(&self) -> bool {
        self.head(0) & 1 != 0
    }

    /// Active doubles that it brings.
    pub fn operands(&self) -> usize {
        self.head(1)
    }

    /// Words that it fetches.
    pub fn fetched(&self) -> usize {
        self.head(2)
    }

    pub fn operations(&self) -> Operations<'_> {
        Operations { left: self.head(0) >> 1, words: &self.data.as_slice()[HEAD..], items: None }
    }
}

/// The operations of a message, in order.
pub struct Operations<'a> {
    left: usize,
    words: &'a [f64],
    items: Option<Items>,
}

/// One operation at its target.
pub struct Request<'a> {
    pub combine: Combine,
    pub is_atomic: bool,
    pub fetches: bool,
    pub displacement: i64,
    pub items: Items,
    /// Bytes of the items on the wire.
    pub bytes: usize,
    /// What it brings.
    pub values: &'a [f64],
}

impl<'a> Operations<'a> {
    fn take(&mut self, n: usize) -> &'a [f64] {
        let (now, later) = self.words.split_at(n);
        self.words = later;
        now
    }
}

impl<'a> Iterator for Operations<'a> {
    type Item = Request<'a>;

    fn next(&mut self) -> Option<Request<'a>> {
        self.left = self.left.checked_sub(1)?;
        let head = self.take(EACH);
        let kind = number(head[0]);
        let signed = |word: f64| word.to_bits().cast_signed();
        let layout = self.take(kind >> 8);
        let (known, fetches, is_atomic) = (kind & 1 != 0, kind & 2 != 0, kind & 4 != 0);
        let count = signed(head[2]);
        let items = match &self.items {
            Some(items) if known => items.again(count),
            _ => Items::read(layout.iter().map(|&word| signed(word)), count),
        };
        self.items = Some(items.clone());
        let nest = || Nest::of_word(self.take(1)[0].to_bits());
        let combine = Combine::of_number(kind >> 3 & 31, nest);
        let bytes = number(head[3]);
        let brings = match combine {
            Combine::Nothing | Combine::Read => 0,
            _ => bytes.div_ceil(8),
        };
        let displacement = signed(head[1]);
        let values = self.take(brings);
        Some(Request { combine, is_atomic, fetches, displacement, items, bytes, values })
    }
}

/// What goes back to an origin: values as they were before its operations.
#[derive(Default)]
pub struct Reply {
    pub data: Staging,
    pub ids: IdRuns,
}

impl Reply {
    pub fn add(&mut self, source: &SendBuffer) {
        let used = self.data.len();
        self.data.grow(used + source.words());
        let shape: Shape = source.pack(&mut self.data.as_mut_slice()[used..]);
        self.ids.add(source, shape);
    }
}
