//! How the active doubles of a datatype lie in memory.

use super::elements::{Elements, NumberBuffer};
use crate::foreign::Numbers;
use crate::foreign::Tool;
use crate::matrix::{ElementBuffer, Matrix, Owned, View};
use crate::mpi::MpiResult;
use crate::tape::Var;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

/// A run of active doubles, 16 bytes apart, from `offset` bytes behind the item's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub offset: i64,
    pub n: usize,
}

/// What a part of an item consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// A byte.
    Passive,
    Double,
    /// An active value that is a float: in memory a double, on the wire 4 bytes.
    Float,
}

impl Element {
    pub const fn is_active(self) -> bool {
        !matches!(self, Self::Passive)
    }

    /// Bytes that it has on the wire.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Passive => 1,
            Self::Double => 8,
            Self::Float => 4,
        }
    }
}

/// What the active values of a type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    Double,
    /// Floats, and nothing beside them.
    Single,
    /// Floats beside something else.
    Mixed,
}

/// A part of an item that does not consist of active doubles alone: `n` active values, 16 bytes apart, or `n` passive bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub offset: i64,
    pub n: usize,
    pub element: Element,
}

impl Piece {
    pub const fn is_active(&self) -> bool {
        self.element.is_active()
    }

    /// Bytes that it has on the wire.
    pub const fn bytes(&self) -> usize {
        self.element.bytes() * self.n
    }

    /// Where it ends in memory.
    pub fn end(&self) -> i64 {
        self.offset + if self.is_active() { bytes_of(self.n) } else { wide_bytes(self.n) }
    }
}

/// The activity map of a datatype: where its active doubles lie, in the order of the type map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map {
    pub runs: Vec<Run>,
    /// Bytes from one item to the next.
    pub extent: i64,
    /// Active doubles of one item.
    pub n: usize,
    /// All parts of an item in the order of the type map, if some of them are passive, or floats; else none.
    pub pieces: Vec<Piece>,
    /// It is built from `AMPI_ADOUBLE_COMPLEX`.
    pub complex: bool,
}

impl Map {
    /// Items and their doubles follow one another without gaps.
    pub(super) fn is_contiguous(&self) -> bool {
        let bytes = bytes_of(self.n);
        self.pieces.is_empty()
            && self.extent == bytes
            && self.runs == [Run { offset: 0, n: self.n }]
    }

    /// Bytes of one item on the wire.
    pub(super) fn bytes(&self) -> usize {
        if self.pieces.is_empty() { 8 * self.n } else { self.pieces.iter().map(Piece::bytes).sum() }
    }

    /// Floats as the doubles that they are in memory, as which they are reduced.
    pub(super) fn in_doubles(&self) -> Layout {
        let map = Self { pieces: Vec::new(), ..self.clone() };
        if map.is_contiguous() { Layout::Plain } else { Other::Map(map).into() }
    }

    /// What its active values are; none if it has none.
    pub(super) fn precision(&self) -> Option<Precision> {
        if self.n == 0 {
            return None;
        }
        let is_float = |piece: &Piece| piece.element == Element::Float;
        let floats = self.pieces.iter().filter(|piece| is_float(piece)).count();
        Some(match floats {
            0 => Precision::Double,
            _ if floats == self.pieces.len() => Precision::Single,
            _ => Precision::Mixed,
        })
    }

    /// How many active doubles are among the first `bytes` of an item on the wire.
    pub(super) fn doubles_in(&self, mut bytes: usize) -> usize {
        let mut n = 0;
        for piece in &self.pieces {
            if piece.is_active() {
                n += piece.n.min(bytes / piece.element.bytes());
            }
            match bytes.checked_sub(piece.bytes()) {
                Some(left) => bytes = left,
                None => break,
            }
        }
        n
    }

    /// Where the parts of an item begin and end in memory.
    pub(super) fn span(&self) -> (i64, i64) {
        let runs = self.runs.iter().map(|run| (run.offset, run.offset + bytes_of(run.n)));
        let parts = runs.chain(self.pieces.iter().map(|piece| (piece.offset, piece.end())));
        parts.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
    }
}

/// What is known of packed bytes: that they are passive to MPI, and the marks of the active doubles among them.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    pub(super) map: Map,
    /// Without their values, which a unit has as bytes.
    pub(super) vars: Vec<Var>,
}

impl Packed {
    pub(super) fn new(bytes: usize, vars: Vec<Var>) -> Self {
        let piece = Piece { offset: 0, n: bytes, element: Element::Passive };
        let pieces = if bytes > 0 { vec![piece] } else { Vec::new() };
        Self { map: Map { pieces, extent: wide_bytes(bytes), ..Map::default() }, vars }
    }
}

/// How the active doubles of a datatype lie in memory. One word, since a message hands it on several times.
#[derive(Debug)]
pub enum Layout {
    /// `AMPI_ADOUBLE`: one after the other.
    Plain,
    Other(Arc<Other>),
}

/// What is not plain.
#[derive(Debug)]
pub enum Other {
    Map(Map),
    /// `AMPI_ADOUBLE_INT` or `AMPI_AFLOAT_INT` in a reduction: pairs of an active double and an index, of a word each.
    Pairs,
    /// `AMPI_VARMAT` and `AMPI_VIEW`: the buffer is the address of a matrix, or of a view of one.
    Handle(Handle),
    /// The elements that such a buffer stands for.
    Elements(Elements),
    /// So many items without an active double, in a call that moves others beside them.
    Passive(Map, usize),
    /// Bytes that `AMPI_Pack` may have written, in a message.
    Packed(Packed),
    /// Variables of another AD tool, which calls that know of them put aside.
    Foreign(Foreign),
    /// Active, but of a kind that the library cannot send: the reason.
    Refused(&'static str),
}

/// How the variables of another AD tool lie in an item.
#[derive(Debug)]
pub struct Foreign {
    pub tool: &'static Tool,
    pub(super) runs: Vec<Run>,
    pub(super) extent: i64,
    /// Variables of one item.
    pub(super) n: usize,
}

impl Foreign {
    /// Why a call that does not know of them refuses them.
    pub(super) fn refused(&self) -> String {
        format!(
            "the datatype is of variables of {}, which this call does not differentiate",
            self.tool.name
        )
    }
}

impl Other {
    pub(super) const fn is_complex(&self) -> bool {
        matches!(self, Self::Map(map) if map.complex)
    }

    /// The active doubles of one item, and its bytes on the wire.
    pub fn of_one_item(&self) -> (usize, usize) {
        match self {
            Self::Map(map) | Self::Passive(map, _) => (map.n, map.bytes()),
            _ => (1, 8),
        }
    }
}

impl Clone for Layout {
    fn clone(&self) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Other(other) => match &**other {
                // It keeps a loan, which the copy has no part in.
                Other::Elements(elements) => Other::Elements(elements.clone()).into(),
                _ => Self::Other(Arc::clone(other)),
            },
        }
    }
}

impl From<Other> for Layout {
    fn from(other: Other) -> Self {
        Self::Other(Arc::new(other))
    }
}

impl Layout {
    /// That of pairs in a reduction.
    pub fn pairs() -> Self {
        static PAIRS: LazyLock<Arc<Other>> = LazyLock::new(|| Arc::new(Other::Pairs));
        Self::Other(Arc::clone(&PAIRS))
    }

    /// That of an active datatype without an active double, and with passive parts.
    pub fn is_hollow(&self) -> bool {
        matches!(self.other(), Some(Other::Map(map)) if map.n == 0 && !map.pieces.is_empty())
    }

    /// As a buffer of so many items has it, whose active doubles do not tell how many there are.
    #[must_use]
    pub fn of_items(&self, items: usize) -> Self {
        match self.other() {
            Some(Other::Map(map)) if self.is_hollow() => Other::Passive(map.clone(), items).into(),
            _ => self.clone(),
        }
    }

    /// That of active doubles without passive parts.
    pub fn is_only_active(&self) -> bool {
        match self.other() {
            None => true,
            Some(Other::Map(map)) => map.n > 0 && map.pieces.is_empty(),
            Some(_) => false,
        }
    }

    #[inline]
    pub fn other(&self) -> Option<&Other> {
        match self {
            Self::Plain => None,
            Self::Other(other) => Some(other),
        }
    }

    #[inline]
    pub(super) fn elements(&self) -> Option<&Elements> {
        match self.other() {
            Some(Other::Elements(elements)) => Some(elements),
            _ => None,
        }
    }

    /// Nobody else has it, since a copy has its own.
    #[inline]
    pub(super) fn elements_mut(&mut self) -> Option<&mut Elements> {
        match self {
            Self::Plain => None,
            Self::Other(other) => match Arc::get_mut(other) {
                Some(Other::Elements(elements)) => Some(elements),
                _ => None,
            },
        }
    }
}

/// What leads to values that lie elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    Matrix,
    View,
    Numbers,
}

impl Handle {
    /// The `n` elements from the `first` on of what it leads to.
    ///
    /// # Safety
    /// `base` is the address of a live matrix, of a view of one, or of numbers.
    pub(super) unsafe fn elements(
        self,
        name: &str,
        base: *mut c_void,
        first: i64,
        n: usize,
    ) -> MpiResult<Layout> {
        // SAFETY: the caller's promise.
        let elements = unsafe {
            let view = match self {
                Self::Matrix => Owned::share(base.cast::<Matrix>()).view(),
                Self::View => *base.cast::<View>(),
                Self::Numbers => {
                    let numbers = NumberBuffer::new(name, base.cast::<Numbers>(), first, n)?;
                    return Ok(Other::Elements(Elements::Numbers(numbers)).into());
                }
            };
            Elements::OfMatrix(ElementBuffer::new(name, view, first, n)?)
        };
        Ok(Other::Elements(elements).into())
    }
}

/// The bytes of `n` active doubles.
pub(super) fn bytes_of(n: usize) -> i64 {
    wide_bytes(n * size_of::<Var>())
}

pub(super) fn wide_bytes(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// An offset in bytes on a 64-bit machine.
#[allow(clippy::cast_possible_truncation)]
pub(super) const fn offset(bytes: i64) -> isize {
    bytes as isize
}

// SAFETY: a copy of a layout has elements of its own, so that no two threads share any; the rest is plain data.
unsafe impl Sync for Other {}
