//! Users' buffers of active doubles: a pointer, a count and a layout, read and written run by run.
//!
//! Items that have passive parts too (an index, a mass, a flag) travel whole, in the order of the type map, as MPI
//! itself would send them: 8 bytes for the value of each active double, the bytes of the rest between them. Statuses
//! thus count what they always counted. Whatever is recorded is counted in active doubles.

use super::place::Place;
use super::raw::{MPI_Aint, MPI_Count, MPI_Datatype};
use super::types::aint;
use super::{Datatype, Failure, List, Outcome};
use crate::count::wide32;
use crate::error::{Code, Error};
use crate::matrix::{ElementBuffer, Id, Matrix, Owned, View};
use crate::tape::Var;
use crate::var_pack::{
    Words, fetch_ahead, id_of, mark_of, marks_differ, put_together, spread, take_apart, take_ids,
};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Arc, LazyLock};

/// A run of active doubles, 16 bytes apart, from `offset` bytes behind the item's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub offset: i64,
    pub n: usize,
}

/// A part of an item that has passive parts: `n` active doubles, 16 bytes apart, or `n` passive bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub offset: i64,
    pub n: usize,
    pub active: bool,
}

impl Piece {
    /// Bytes that it has on the wire.
    pub const fn bytes(&self) -> usize {
        if self.active { 8 * self.n } else { self.n }
    }

    /// Where it ends in memory.
    pub fn end(&self) -> i64 {
        self.offset + if self.active { bytes_of(self.n) } else { wide_bytes(self.n) }
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
    /// All parts of an item in the order of the type map, if some of them are passive; else none.
    pub pieces: Vec<Piece>,
}

impl Map {
    /// Items and their doubles follow one another without gaps.
    fn is_contiguous(&self) -> bool {
        let bytes = bytes_of(self.n);
        self.pieces.is_empty()
            && self.extent == bytes
            && self.runs == [Run { offset: 0, n: self.n }]
    }

    /// Bytes of one item on the wire.
    fn bytes(&self) -> usize {
        if self.pieces.is_empty() { 8 * self.n } else { self.pieces.iter().map(Piece::bytes).sum() }
    }

    /// How many active doubles are among the first `bytes` of an item on the wire.
    fn doubles_in(&self, mut bytes: usize) -> usize {
        let mut n = 0;
        for piece in &self.pieces {
            if piece.active {
                n += piece.n.min(bytes / 8);
            }
            match bytes.checked_sub(piece.bytes()) {
                Some(left) => bytes = left,
                None => break,
            }
        }
        n
    }

    /// Where the parts of an item begin and end in memory.
    fn span(&self) -> (i64, i64) {
        let runs = self.runs.iter().map(|run| (run.offset, run.offset + bytes_of(run.n)));
        let parts = runs.chain(self.pieces.iter().map(|piece| (piece.offset, piece.end())));
        parts.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
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
    /// `AMPI_ADOUBLE_INT` in a reduction: pairs of an active double and an index, of a word each.
    Pairs,
    /// `AMPI_VARMAT` and `AMPI_VIEW`: the buffer is the address of a matrix, or of a view of one.
    Handle(Handle),
    /// The elements that such a buffer stands for.
    Elements(ElementBuffer),
    /// So many items without an active double, in a call that moves others beside them.
    Passive(Map, usize),
    /// Active, but of a kind that the library cannot send: the reason.
    Refused(&'static str),
}

impl Clone for Layout {
    fn clone(&self) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Other(other) => match &**other {
                // It keeps a loan, which the copy has no part in.
                Other::Elements(stretch) => Other::Elements(stretch.clone()).into(),
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

    #[inline]
    pub fn other(&self) -> Option<&Other> {
        match self {
            Self::Plain => None,
            Self::Other(other) => Some(other),
        }
    }

    #[inline]
    fn stretch(&self) -> Option<&ElementBuffer> {
        match self.other() {
            Some(Other::Elements(stretch)) => Some(stretch),
            _ => None,
        }
    }

    /// Nobody else has it, since a copy has its own.
    #[inline]
    fn stretch_mut(&mut self) -> Option<&mut ElementBuffer> {
        match self {
            Self::Plain => None,
            Self::Other(other) => match Arc::get_mut(other) {
                Some(Other::Elements(stretch)) => Some(stretch),
                _ => None,
            },
        }
    }
}

/// What leads to a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    Matrix,
    View,
}

impl Handle {
    /// The `n` elements from the `first` on of what it leads to.
    ///
    /// # Safety
    /// `base` is the address of a live matrix, or of a view of one.
    unsafe fn elements(
        self,
        name: &str,
        base: *mut c_void,
        first: i64,
        n: usize,
    ) -> Outcome<Layout> {
        // SAFETY: the caller's promise.
        let stretch = unsafe {
            let view = match self {
                Self::Matrix => Owned::share(base.cast::<Matrix>()).view(),
                Self::View => *base.cast::<View>(),
            };
            ElementBuffer::new(name, view, first, n)?
        };
        Ok(Other::Elements(stretch).into())
    }
}

/// `admpi_var_int`.
#[repr(C)]
struct VarInt {
    value: Var,
    index: c_int,
}

laid_out!(admpi_var_int, VarInt);

/// What the ids of a buffer look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Passive,
    Range(u32),
    Mixed,
}

/// Which ids received values get: consecutive ones, with the tag of the tape that made them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    pub first: u32,
    pub tag: u32,
}

impl Mark {
    /// Of values that no tape knows.
    pub const PASSIVE: Self = Self { first: 0, tag: 0 };

    /// The marks of values `n` further on.
    #[must_use]
    pub const fn behind(self, n: u32) -> Self {
        Self { first: self.id(n), tag: self.tag }
    }

    const fn id(self, i: u32) -> u32 {
        // Passive values all have id 0: then the step is 0 as well.
        self.first + if self.first == 0 { 0 } else { i }
    }

    /// What the marks of two values differ by, of which one follows the other.
    fn step(self) -> u64 {
        mark_of(u32::from(self.first != 0), 0)
    }
}

impl From<Mark> for Id {
    fn from(mark: Mark) -> Self {
        Self { id: mark.first, tag: mark.tag }
    }
}

/// Ids are 32 bits, and a buffer's doubles are numbered by them.
#[allow(clippy::cast_possible_truncation)]
const fn narrow(n: usize) -> u32 {
    n as u32
}

/// Active doubles that a call reads.
#[derive(Debug, Clone)]
pub struct Source {
    base: *mut u8,
    layout: Layout,
    n: usize,
}

/// Nothing.
impl Default for Source {
    fn default() -> Self {
        Self { base: std::ptr::null_mut(), layout: Layout::Plain, n: 0 }
    }
}

/// Active doubles that a call writes (and may read, in place).
#[derive(Debug, Clone, Default)]
pub struct Sink(Source);

/// Active doubles that a call reads, in one buffer or in several.
#[derive(Debug, Clone)]
pub enum Sources {
    One(Source),
    List(List<Source>),
}

impl Sources {
    pub fn list(&self) -> &[Source] {
        match self {
            Self::One(source) => std::slice::from_ref(source),
            Self::List(list) => list,
        }
    }

    pub fn len(&self) -> usize {
        self.list().iter().map(Source::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies all values to `out`, one after the other, and tells what the ids look like.
    pub fn pack(&self, out: &mut [f64]) -> Shape {
        if let Self::One(source) = self {
            return source.pack(out);
        }
        self.pack_behind(0, out)
    }

    /// The words of 8 bytes that `pack` fills.
    pub fn words(&self) -> usize {
        self.list().iter().map(Source::words).sum()
    }

    /// As `pack`, leaving room for `gap` words before those of each buffer.
    pub fn pack_behind(&self, gap: usize, out: &mut [f64]) -> Shape {
        let mut scan = Scan::default();
        let mut left = out;
        for source in self.list() {
            let (now, later) = std::mem::take(&mut left).split_at_mut(gap + source.words());
            source.scan(&mut scan, &mut now[gap..]);
            left = later;
        }
        scan.shape()
    }

    /// Copies the ids to `out`, which has room for all of them, and returns the highest.
    pub fn ids(&self, out: &mut [u32]) -> u32 {
        let (mut left, mut highest) = (out, 0);
        for source in self.list() {
            let (now, later) = std::mem::take(&mut left).split_at_mut(source.n);
            highest = source.ids(now).max(highest);
            left = later;
        }
        highest
    }

    /// As `pack` of the part of one rank.
    pub fn pack_part(&self, rank: usize, n: usize, out: &mut [f64]) -> Shape {
        if let Self::List(list) = self {
            return list[rank].pack(out);
        }
        let part = self.part(rank, n);
        part.values(out);
        part.shape()
    }

    /// The part of one rank, if each has `n` doubles in one buffer, or its own buffer.
    pub fn part(&self, rank: usize, n: usize) -> Segment<'_> {
        match self {
            Self::One(source) => source.segment(rank * n, n),
            Self::List(list) => list[rank].segment(0, n),
        }
    }
}

/// An argument that makes no sense.
#[cold]
fn bad(name: &str, code: Code, why: std::fmt::Arguments<'_>) -> Failure {
    Error::new(code, format!("{name}: {why}")).into()
}

impl Source {
    /// The items of an argument, whose maker promised what they are.
    #[inline]
    fn new(
        name: &str,
        base: *mut c_void,
        count: i64,
        first: i64,
        layout: Layout,
        ranks: usize,
    ) -> Outcome<Self> {
        let Ok(items) = usize::try_from(count) else {
            return Err(bad(name, Code::Argument, format_args!("count = {count} is negative")));
        };
        let each = match layout.other() {
            None | Some(Other::Pairs | Other::Handle(_) | Other::Elements(_)) => 1,
            Some(Other::Map(map)) => map.n,
            Some(Other::Passive(..)) => 0,
            Some(Other::Refused(why)) => {
                return Err(bad(name, Code::Unsupported, format_args!("{why}")));
            }
        };
        let n = items.checked_mul(each).and_then(|n| n.checked_mul(ranks));
        let Some(n) = n.filter(|&n| u32::try_from(n).is_ok()) else {
            let why = format_args!(
                "{items} items of {each} active doubles for {ranks} ranks are past 2^32"
            );
            return Err(bad(name, Code::Argument, why));
        };
        if super::is_in_place(base) {
            let why = format_args!("MPI_IN_PLACE does not stand for this buffer in this call");
            return Err(bad(name, Code::Argument, why));
        }
        // A type with absolute addresses goes with MPI_BOTTOM, which is the null pointer in both MPIs.
        let from_base = match layout.other() {
            Some(Other::Map(_)) => false,
            Some(Other::Passive(map, _)) => map.bytes() > 0 && map.span().0 == 0,
            _ => n > 0,
        };
        if base.is_null() && from_base {
            let why = format_args!("the buffer is NULL and count = {count}");
            return Err(bad(name, Code::Null, why));
        }
        // Items side by side are one run, however many doubles the type bundles.
        let layout = match layout.other() {
            Some(Other::Map(map)) if map.is_contiguous() => Layout::Plain,
            Some(Other::Handle(_)) if n == 0 => Layout::Plain,
            // SAFETY: the promise of `Argument::new`.
            Some(Other::Handle(handle)) => unsafe { handle.elements(name, base, first, n)? },
            _ => layout,
        };
        Ok(Self { base: base.cast(), layout, n })
    }

    /// The number of active doubles.
    pub const fn len(&self) -> usize {
        self.n
    }

    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Whether the active doubles lie one after the other.
    #[inline]
    pub fn is_plain(&self) -> bool {
        matches!(self.layout, Layout::Plain)
    }

    /// Elements of a matrix.
    #[inline]
    pub fn is_of_elements(&self) -> bool {
        self.layout.stretch().is_some()
    }

    /// Whether MPI can read the values side by side from where they lie.
    pub fn is_packed(&self) -> bool {
        self.layout.stretch().is_some_and(|stretch| stretch.values().is_some())
    }

    /// Lets MPI read the values from where they lie, whatever becomes of the matrix they are elements of until the
    /// request is complete; false where they may have to be copied.
    #[inline]
    pub fn hold(&mut self) -> bool {
        self.layout.stretch_mut().is_none_or(ElementBuffer::hold)
    }

    /// What `hold` keeps, for the request to keep.
    pub fn into_held(self) -> Layout {
        self.layout
    }

    /// Where MPI finds the values of a plain or packed buffer. One alone has no gap behind it.
    #[inline(always)]
    pub(super) fn place(&self) -> Place {
        if !self.is_plain() {
            return self.place_of_elements();
        }
        if self.n <= 1 {
            Place::packed(self.base.cast(), self.n)
        } else {
            Place::spaced(self.base.cast(), self.n)
        }
    }

    #[inline(never)]
    fn place_of_elements(&self) -> Place {
        let stretch = self.layout.stretch().expect("no gaps but those of active doubles");
        let values = stretch.values().expect("values side by side");
        Place::packed(values.as_ptr().cast_mut().cast(), values.len())
    }

    /// Calls `f` for the runs of the first `n` doubles, in order. Those of matrices are copies, to be read.
    #[inline]
    fn for_runs(&self, n: usize, mut f: impl FnMut(*mut Var, usize)) {
        let map = match self.layout.other() {
            // The address of nothing may be NULL, of which no slice can be formed.
            None if n == 0 => return,
            None => return f(self.base.cast(), n),
            Some(Other::Map(map)) => map,
            Some(Other::Pairs) => return (0..n).for_each(|i| f(self.pair(i).cast(), 1)),
            Some(Other::Elements(stretch)) => return stretch.each(n, f),
            Some(Other::Passive(..) | Other::Refused(_) | Other::Handle(_)) => return,
        };
        let mut left = n;
        let mut item = self.base;
        while left > 0 {
            for run in &map.runs {
                let length = run.n.min(left);
                if length > 0 {
                    f(item.wrapping_offset(offset(run.offset)).cast(), length);
                }
                left -= length;
            }
            item = item.wrapping_offset(offset(map.extent));
        }
    }

    const fn pair(&self, i: usize) -> *mut VarInt {
        self.base.cast::<VarInt>().wrapping_add(i)
    }

    /// The map of a buffer whose items have passive parts too, and how many items it has.
    #[inline]
    fn mixed(&self) -> Option<(&Map, usize)> {
        match self.layout.other() {
            Some(Other::Map(map)) if !map.pieces.is_empty() => Some((map, self.n / map.n)),
            Some(Other::Passive(map, items)) if !map.pieces.is_empty() => Some((map, *items)),
            _ => None,
        }
    }

    /// Bytes of the items on the wire, if they have passive parts too.
    #[inline]
    pub fn mixed_bytes(&self) -> Option<usize> {
        self.mixed().map(|(map, items)| items * map.bytes())
    }

    /// Words of 8 bytes that `pack` fills.
    #[inline(always)]
    pub fn words(&self) -> usize {
        if self.is_plain() { self.n } else { self.words_between() }
    }

    #[inline(never)]
    fn words_between(&self) -> usize {
        match self.layout.other() {
            Some(Other::Pairs) => 2 * self.n,
            _ => self.mixed_bytes().map_or(self.n, |bytes| bytes.div_ceil(8)),
        }
    }

    /// How many active doubles are among the first `bytes` of what arrives for the items.
    #[inline]
    pub fn doubles_in(&self, bytes: usize) -> usize {
        self.mixed().map_or(bytes / 8, |(map, _)| {
            let each = map.bytes();
            bytes / each * map.n + map.doubles_in(bytes % each)
        })
    }

    /// Calls `f` for the parts of the first `items` items, in order.
    fn for_pieces(&self, map: &Map, items: usize, mut f: impl FnMut(*mut u8, &Piece)) {
        if let [piece @ Piece { active: false, .. }] = map.pieces[..]
            && wide_bytes(piece.n) == map.extent
        {
            // Items without gaps, of passive bytes only, are one piece.
            let all = Piece { n: piece.n * items, ..piece };
            return f(self.base.wrapping_offset(offset(piece.offset)), &all);
        }
        let mut item = self.base;
        for _ in 0..items {
            for piece in &map.pieces {
                f(item.wrapping_offset(offset(piece.offset)), piece);
            }
            item = item.wrapping_offset(offset(map.extent));
        }
    }

    /// As `pack` of items with passive parts.
    fn pack_mixed(&self, map: &Map, items: usize, out: &mut [f64]) {
        assert!(out.len() >= self.words(), "all items have room");
        let mut to = out.as_mut_ptr().cast::<u8>();
        self.for_pieces(map, items, |from, piece| {
            // SAFETY: the promise of `Argument::new`, and room for all, as just checked. A `Var` begins with its
            // value.
            unsafe {
                if piece.active {
                    for i in 0..piece.n {
                        from.add(i * size_of::<Var>()).copy_to_nonoverlapping(to.add(8 * i), 8);
                    }
                } else {
                    from.copy_to_nonoverlapping(to, piece.n);
                }
                to = to.add(piece.bytes());
            }
        });
    }

    /// The values with what marks them.
    pub fn vars(&self) -> Vec<Var> {
        let mut vars = Vec::with_capacity(self.n);
        self.for_runs(self.n, |run, n| {
            // SAFETY: the promise of `Argument::new`.
            vars.extend_from_slice(unsafe { std::slice::from_raw_parts(run, n) });
        });
        vars
    }

    /// The doubles `from..from + n` of a buffer, as one of its own: a segment of a gathered array.
    pub fn segment(&self, from: usize, n: usize) -> Segment<'_> {
        Segment { source: self, from, n: n.min(self.n.saturating_sub(from)) }
    }

    /// Copies what travels to `out`, which has room for all words of it, and tells what the ids look like: values,
    /// in one pass over the memory; behind that of a pair its index; and what lies between them.
    #[inline]
    pub fn pack(&self, out: &mut [f64]) -> Shape {
        match (self.n, &self.layout) {
            (1, Layout::Plain) => {
                // SAFETY: the promise of `Argument::new`.
                let var = unsafe { self.base.cast::<Var>().read() };
                out[0] = var.value;
                if var.id == 0 { Shape::Passive } else { Shape::Range(var.id) }
            }
            (1.., Layout::Plain) => self.pack_plain(out),
            _ => self.pack_runs(out),
        }
    }

    #[inline(never)]
    fn pack_plain(&self, out: &mut [f64]) -> Shape {
        let mut scan = Scan::default();
        // SAFETY: the promise of `Argument::new`.
        scan.copy(unsafe { words(self.base.cast(), self.n) }, &mut out[..self.n]);
        scan.shape()
    }

    fn pack_runs(&self, out: &mut [f64]) -> Shape {
        let mut scan = Scan::default();
        self.scan(&mut scan, out);
        scan.shape()
    }

    fn scan(&self, scan: &mut Scan, out: &mut [f64]) {
        if matches!(self.layout.other(), Some(Other::Pairs)) {
            return self.scan_pairs(scan, out);
        }
        if let Some((map, items)) = self.mixed() {
            self.pack_mixed(map, items, out);
            return self.scan_ids(scan);
        }
        if let Some(stretch) = self.layout.stretch()
            && let (Some(values), Some(first)) = (stretch.values(), stretch.range())
        {
            out[..self.n].copy_from_slice(values);
            return scan.run(first, self.n);
        }
        let mut left = &mut out[..self.n];
        self.for_runs(self.n, |run, n| {
            let (now, later) = std::mem::take(&mut left).split_at_mut(n);
            // SAFETY: the promise of `Argument::new`.
            scan.copy(unsafe { words(run, n) }, now);
            left = later;
        });
    }

    fn scan_pairs(&self, scan: &mut Scan, out: &mut [f64]) {
        self.scan_ids(scan);
        for (i, item) in out[..2 * self.n].chunks_exact_mut(2).enumerate() {
            // SAFETY: the promise of `Argument::new`, of a buffer of pairs.
            let (value, index) = unsafe { ((*self.pair(i)).value.value, (*self.pair(i)).index) };
            item.copy_from_slice(&[value, f64::from(index)]);
        }
    }

    fn scan_ids(&self, scan: &mut Scan) {
        if let Some(stretch) = self.layout.stretch()
            && let Some(first) = stretch.range()
        {
            return scan.run(first, self.n);
        }
        self.for_runs(self.n, |run, n| {
            // SAFETY: the promise of `Argument::new`.
            scan.add(unsafe { words(run, n) });
        });
    }

    /// What the ids look like.
    #[inline]
    pub fn shape(&self) -> Shape {
        if let (1, Layout::Plain) = (self.n, &self.layout) {
            // SAFETY: the promise of `Argument::new`.
            let id = unsafe { (*self.base.cast::<Var>()).id };
            return if id == 0 { Shape::Passive } else { Shape::Range(id) };
        }
        self.shape_of_runs()
    }

    fn shape_of_runs(&self) -> Shape {
        let mut scan = Scan::default();
        self.scan_ids(&mut scan);
        scan.shape()
    }

    /// Copies the ids to `out`, which has room for all of them, and returns the highest.
    pub fn ids(&self, out: &mut [u32]) -> u32 {
        self.segment(0, self.n).ids(out)
    }
}

/// A buffer as a C caller passed it: pointer, count and datatype, none of which is looked at before it is
/// known to be significant.
#[derive(Clone, Copy)]
pub struct Argument {
    pointer: *mut c_void,
    count: i64,
    datatype: Datatype,
    /// Which element of a matrix or a view is the first item: an address does not lead to it.
    first: i64,
}

impl Argument {
    /// # Safety
    /// Where the call says that the argument is significant, it is `MPI_IN_PLACE` or leads to the items that
    /// `count` and `datatype` describe, which may be read, and written by calls that write, until the call of
    /// MPI completes. An active datatype describes items of 16 bytes.
    #[inline]
    pub unsafe fn new(
        pointer: *const c_void,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
    ) -> Self {
        // SAFETY: the handle is used only where it is significant.
        let datatype = unsafe { Datatype::new(datatype) };
        Self { pointer: pointer.cast_mut(), count: count.into(), datatype, first: 0 }
    }

    /// The same `items` further on, in bytes `bytes`.
    #[must_use]
    fn behind(self, items: i64, bytes: i64) -> Self {
        if self.datatype.is_of_elements() {
            return Self { first: self.first.wrapping_add(items), ..self };
        }
        Self { pointer: self.pointer.wrapping_byte_offset(offset(bytes)), ..self }
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, i64, MPI_Datatype) {
        (self.pointer, self.count, self.datatype.raw())
    }

    pub fn is_in_place(&self) -> bool {
        super::is_in_place(self.pointer)
    }

    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Such items `n` times, one behind the other.
    pub fn repeated(&self, n: usize) -> Outcome<List<Self>> {
        let step = self.count.wrapping_mul(self.datatype.extent()?.1);
        let mut part = *self;
        Ok((0..n)
            .map(|_| {
                let next = part.behind(self.count, step);
                std::mem::replace(&mut part, next)
            })
            .collect())
    }

    /// Whether it has no items.
    pub const fn is_nothing(&self) -> bool {
        self.count == 0
    }

    /// Active doubles to read: the argument's items for each of `ranks`.
    #[inline]
    pub fn source(&self, name: &str, layout: Layout, ranks: usize) -> Outcome<Source> {
        Source::new(name, self.pointer, self.count, self.first, layout, ranks)
    }

    /// The usual argument: active doubles one after the other, at an address, none too many.
    #[inline(always)]
    pub fn plain(&self) -> Option<Source> {
        let n = wide32(u32::try_from(self.count).ok()?);
        let usual = self.datatype == Datatype::active_double()
            && !self.pointer.is_null()
            && !self.is_in_place();
        usual.then(|| Source { base: self.pointer.cast(), layout: Layout::Plain, n })
    }

    /// As `plain`, to be written.
    #[inline(always)]
    pub fn plain_sink(&self) -> Option<Sink> {
        self.plain().map(Sink)
    }

    /// Active doubles to write.
    pub fn sink(&self, name: &str, layout: Layout, ranks: usize) -> Outcome<Sink> {
        Ok(Sink(self.source(name, layout, ranks)?))
    }
}

impl Argument {
    /// How many items there are; a count that was negative has been refused.
    pub fn items(&self) -> usize {
        usize::try_from(self.count).unwrap_or(0)
    }

    /// The arguments of a user's reduction of this into `other`, which has as many items of the datatype.
    pub(super) fn beside(
        &self,
        other: &Self,
    ) -> Outcome<(*mut c_void, *mut c_void, c_int, MPI_Datatype)> {
        assert!(self.count == other.count && self.datatype == other.datatype);
        let count = c_int::try_from(self.count).map_err(|_| {
            let why = "is past INT_MAX, and a user's operation counts by int";
            bad("count", Code::Unsupported, format_args!("{} {why}", self.count))
        })?;
        Ok((self.pointer, other.pointer, count, self.datatype.raw()))
    }

    /// `n` of the items, from the `first` on.
    pub fn items_from(&self, first: usize, n: usize) -> Outcome<Self> {
        assert!(first + n <= self.items());
        let step = i64::try_from(first).unwrap_or(i64::MAX).wrapping_mul(self.datatype.extent()?.1);
        let count = i64::try_from(n).unwrap_or(i64::MAX);
        Ok(Self { count, ..self.behind(i64::try_from(first).unwrap_or(i64::MAX), step) })
    }

    /// The same under a duplicate of its datatype.
    pub const fn under(self, duplicate: Datatype) -> Self {
        Self { datatype: duplicate, ..self }
    }

    /// Memory for the same items; what it holds is passive.
    pub fn twin(&self, source: &Source) -> Twin {
        let (mut lowest, mut n) = (0, source.n);
        if let Some(Other::Map(map) | Other::Passive(map, _)) = source.layout.other() {
            let last = map.extent * (self.count - 1).max(0);
            let (begin, end) = map.span();
            lowest = begin + last.min(0);
            n = usize::try_from(end + last.max(0) - lowest).unwrap_or(0).div_ceil(size_of::<Var>());
        }
        let mut memory = vec![Var::default(); n];
        let base = memory.as_mut_ptr().wrapping_byte_offset(offset(-lowest));
        Twin { argument: Self { pointer: base.cast(), ..*self }, _memory: memory }
    }
}

/// The bytes of `n` active doubles.
fn bytes_of(n: usize) -> i64 {
    wide_bytes(n * size_of::<Var>())
}

fn wide_bytes(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Memory of the library's own that is laid out as a user's buffer, for functions of the user's.
pub struct Twin {
    argument: Argument,
    _memory: Vec<Var>,
}

impl Twin {
    /// Leads to the memory, while the twin lives.
    pub const fn argument(&self) -> &Argument {
        &self.argument
    }
}

/// The buffers of a call that takes a count and a displacement for each rank.
#[derive(Clone, Copy)]
pub struct Arguments {
    pointer: *mut c_void,
    lists: Lists,
    types: Types,
}

/// The arrays of counts and of displacements that a caller passed.
#[derive(Clone, Copy)]
pub enum Lists {
    Int(*const c_int, *const c_int),
    /// As `MPI_Neighbor_alltoallw` has them.
    Addresses(*const c_int, *const MPI_Aint),
    /// As MPI-4's calls for large counts have them.
    Large(*const MPI_Count, *const MPI_Aint),
}

impl Lists {
    const fn are_null(self) -> bool {
        match self {
            Self::Int(counts, displs) => counts.is_null() || displs.is_null(),
            Self::Addresses(counts, displs) => counts.is_null() || displs.is_null(),
            Self::Large(counts, displs) => counts.is_null() || displs.is_null(),
        }
    }

    /// The arrays of `n` ranks as MPI-4's calls take them; none where the caller passed none.
    ///
    /// # Safety
    /// As for `at`, for each of `n` ranks, unless there are no arrays.
    pub unsafe fn widened(self, n: usize) -> Wide {
        if self.are_null() {
            return Wide::default();
        }
        // SAFETY: the caller's promise.
        let each = (0..n).map(|rank| unsafe { self.at(rank) });
        let (counts, displacements) = each.map(|(count, at)| (count, aint(at))).unzip();
        Wide { counts, displacements }
    }

    /// These lists, or where `wrong` tells a number of ranks, the same in `wide`, as MPI-4's calls take them.
    ///
    /// # Safety
    /// As for `widened`, with what `wrong` tells.
    pub unsafe fn widened_where(
        self,
        wrong: impl FnOnce() -> Option<usize>,
        wide: &mut Wide,
    ) -> Self {
        let n = if matches!(self, Self::Large(..)) { None } else { wrong() };
        let Some(n) = n else { return self };
        // SAFETY: the caller's promise.
        *wide = unsafe { self.widened(n) };
        let (counts, displacements) = wide.arrays();
        Self::Large(counts, displacements)
    }

    /// The items of `n` ranks; none where the caller passed no arrays.
    ///
    /// # Safety
    /// As for `widened`.
    pub unsafe fn items(self, n: usize) -> i64 {
        let n = if self.are_null() { 0 } else { n };
        // SAFETY: the caller's promise.
        (0..n).map(|rank| unsafe { self.at(rank) }.0).fold(0, i64::saturating_add)
    }

    /// The count and the displacement of one rank.
    ///
    /// # Safety
    /// Both arrays have an entry for it.
    unsafe fn at(self, rank: usize) -> (i64, i64) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::Int(counts, displs) => {
                    ((*counts.add(rank)).into(), (*displs.add(rank)).into())
                }
                Self::Addresses(counts, displs) => {
                    ((*counts.add(rank)).into(), super::widen(*displs.add(rank)))
                }
                Self::Large(counts, displs) => (*counts.add(rank), super::widen(*displs.add(rank))),
            }
        }
    }
}

/// Counts and displacements as MPI-4's calls take them.
#[derive(Default)]
pub struct Wide {
    counts: Vec<MPI_Count>,
    displacements: Vec<MPI_Aint>,
}

impl Wide {
    /// So many items of each of `n` ranks, one behind the other.
    pub fn even(n: usize, count: i64) -> Self {
        let displacements = (0..).map(|rank: i64| aint(rank.wrapping_mul(count))).take(n).collect();
        Self { counts: vec![count; n], displacements }
    }

    /// NULL for no elements.
    pub fn arrays(&self) -> (*const MPI_Count, *const MPI_Aint) {
        if self.counts.is_empty() {
            (std::ptr::null(), std::ptr::null())
        } else {
            (self.counts.as_ptr(), self.displacements.as_ptr())
        }
    }
}

/// One datatype, whose extent is the unit of the displacements, or one for each rank, and bytes.
#[derive(Clone, Copy)]
pub enum Types {
    One(Datatype),
    Each(*const MPI_Datatype),
}

impl Arguments {
    /// # Safety
    /// As for `Argument::new`, and where the argument is significant and not in place the arrays have an entry
    /// for each rank.
    pub const unsafe fn new(pointer: *const c_void, lists: Lists, types: Types) -> Self {
        Self { pointer: pointer.cast_mut(), lists, types }
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, Lists, Types) {
        (self.pointer, self.lists, self.types)
    }

    /// Whether the call is the one for counts past 2^31.
    pub const fn is_large(&self) -> bool {
        matches!(self.lists, Lists::Large(..))
    }

    pub fn is_in_place(&self) -> bool {
        super::is_in_place(self.pointer)
    }

    /// Whether each part has a datatype of its own.
    pub const fn has_types(&self) -> bool {
        matches!(self.types, Types::Each(_))
    }

    /// The part of each of `ranks`. The argument must be significant, and not in place.
    pub fn list(
        &self,
        name: &str,
        ranks: usize,
    ) -> Outcome<impl ExactSizeIterator<Item = Argument>> {
        let unit = match self.types {
            Types::One(datatype) => datatype.extent()?.1,
            Types::Each(_) => 1,
        };
        if ranks > 0 && self.lists.are_null() {
            let why = format_args!("counts or displacements are NULL");
            return Err(bad(name, Code::Null, why));
        }
        let this = *self;
        Ok((0..ranks).map(move |rank| {
            // SAFETY: the promise of `new`.
            let (count, displ) = unsafe { this.lists.at(rank) };
            let datatype = match this.types {
                Types::One(datatype) => datatype,
                // SAFETY: as above.
                Types::Each(types) => unsafe { Datatype::new(*types.add(rank)) },
            };
            let bytes = displ.wrapping_mul(unit);
            let all = Argument { pointer: this.pointer, count, datatype, first: 0 };
            // That of an element is a double.
            all.behind(bytes / 8, bytes)
        }))
    }

    /// The datatypes of `ranks` parts: one, if all have the same. Nothing else is looked at.
    pub fn types(&self, ranks: usize) -> impl Iterator<Item = Datatype> + '_ {
        let n = match self.types {
            Types::One(_) => 1,
            Types::Each(types) if types.is_null() => 0,
            Types::Each(_) => ranks,
        };
        (0..n).map(|rank| match self.types {
            Types::One(datatype) => datatype,
            // SAFETY: the promise of `new`.
            Types::Each(types) => unsafe { Datatype::new(*types.add(rank)) },
        })
    }
}

/// The buffers of a reduction of which each rank gets a share: so many items each, or a count for each.
#[derive(Clone, Copy)]
pub struct Pieces {
    send: *mut c_void,
    receive: *mut c_void,
    counts: Counts,
    datatype: Datatype,
}

#[derive(Clone, Copy)]
pub enum Counts {
    Each(i64),
    List(*const c_int),
    /// As MPI-4's call for large counts has them.
    Large(*const MPI_Count),
}

impl Pieces {
    /// # Safety
    /// As for `Argument::new`, `send` of the items of all ranks, or in place, which means that they are at
    /// `receive`; else `receive` has room for those of this rank. A list has an entry for each rank.
    pub const unsafe fn new(
        send: *const c_void,
        receive: *mut c_void,
        counts: Counts,
        datatype: MPI_Datatype,
    ) -> Self {
        // SAFETY: the handle is used only where it is significant.
        let datatype = unsafe { Datatype::new(datatype) };
        Self { send: send.cast_mut(), receive, counts, datatype }
    }

    pub const fn datatype(&self) -> Datatype {
        self.datatype
    }

    pub const fn has_counts(&self) -> bool {
        !matches!(self.counts, Counts::Each(_))
    }

    /// As the caller passed it, for calls of MPI's.
    pub const fn parts(&self) -> (*mut c_void, *mut c_void, Counts, MPI_Datatype) {
        (self.send, self.receive, self.counts, self.datatype.raw())
    }

    fn count(&self, rank: usize, ranks: usize) -> Outcome<i64> {
        let is_null = match self.counts {
            Counts::Each(_) => false,
            Counts::List(counts) => counts.is_null(),
            Counts::Large(counts) => counts.is_null(),
        };
        if is_null {
            return Err(bad("recvcounts", Code::Null, format_args!("the array is NULL")));
        }
        assert!(rank < ranks);
        let count = match self.counts {
            Counts::Each(count) => count,
            // SAFETY: the promise of `new`.
            Counts::List(counts) => unsafe { (*counts.add(rank)).into() },
            // SAFETY: as above.
            Counts::Large(counts) => unsafe { *counts.add(rank) },
        };
        if count < 0 {
            let why = format_args!("{count} for rank {rank} is negative");
            return Err(bad("recvcounts", Code::Argument, why));
        }
        Ok(count)
    }

    /// What this rank brings.
    pub fn operands(&self, ranks: usize) -> Outcome<Argument> {
        let mut total = 0i64;
        for rank in 0..ranks {
            // What passes 2^63 is refused as more than the library counts.
            total = total.saturating_add(self.count(rank, ranks)?);
        }
        Ok(Argument { pointer: self.brought(), count: total, datatype: self.datatype, first: 0 })
    }

    fn brought(&self) -> *mut c_void {
        if super::is_in_place(self.send) { self.receive } else { self.send }
    }

    /// As much as a rank gets. It has no place here, where the buffer for a share of none may be NULL; it stands
    /// for what is brought.
    pub fn share(&self, rank: usize, ranks: usize) -> Outcome<Argument> {
        let count = self.count(rank, ranks)?;
        Ok(Argument { pointer: self.brought(), count, datatype: self.datatype, first: 0 })
    }

    /// What a rank gets, at the beginning of its buffer.
    pub fn result(&self, rank: usize, ranks: usize) -> Outcome<Argument> {
        let count = self.count(rank, ranks)?;
        Ok(Argument { pointer: self.receive, count, datatype: self.datatype, first: 0 })
    }
}

/// Part of a buffer.
pub struct Segment<'a> {
    source: &'a Source,
    from: usize,
    n: usize,
}

impl Segment<'_> {
    pub const fn len(&self) -> usize {
        self.n
    }

    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Calls `f` for each value, in order.
    pub fn each(&self, f: &mut dyn FnMut(&Var)) {
        self.for_runs(|run, n| {
            for i in 0..n {
                // SAFETY: the promise of `Argument::new`.
                f(unsafe { &*run.add(i) });
            }
        });
    }

    fn for_runs(&self, mut f: impl FnMut(*mut Var, usize)) {
        let mut skip = self.from;
        self.source.for_runs(self.from + self.n, |run, n| {
            let skipped = skip.min(n);
            skip -= skipped;
            if n > skipped {
                f(run.wrapping_add(skipped), n - skipped);
            }
        });
    }

    pub fn values(&self, out: &mut [f64]) {
        let mut at = 0;
        self.for_runs(|run, n| {
            for (i, value) in out[at..at + n].iter_mut().enumerate() {
                // SAFETY: the promise of `Argument::new`.
                *value = unsafe { (*run.add(i)).value };
            }
            at += n;
        });
    }

    pub fn shape(&self) -> Shape {
        let mut scan = Scan::default();
        self.for_runs(|run, n| {
            // SAFETY: the promise of `Argument::new`.
            scan.add(unsafe { words(run, n) });
        });
        scan.shape()
    }

    /// Copies the ids to `out`, which has room for all of them, and returns the highest.
    pub fn ids(&self, out: &mut [u32]) -> u32 {
        let (mut at, mut highest) = (0, 0);
        self.for_runs(|run, n| {
            // SAFETY: the promise of `Argument::new`.
            highest = take_ids(unsafe { words(run, n) }, &mut out[at..at + n]).max(highest);
            at += n;
        });
        highest
    }
}

/// A run as words.
///
/// # Safety
/// It lies in the user's buffer.
unsafe fn words<'a>(run: *const Var, n: usize) -> &'a [Words] {
    const { assert!(size_of::<Var>() == size_of::<Words>() && align_of::<Var>() >= align_of::<Words>()) };
    // SAFETY: the caller's promise; a `Var` is two words.
    unsafe { std::slice::from_raw_parts(run.cast(), n) }
}

/// Finds out whether a sequence of ids is a range, passive, or neither.
#[derive(Default)]
struct Scan {
    first: Option<u32>,
    seen: u32,
    /// The bits in which some id differs from what a range would have.
    broken: u64,
}

impl Scan {
    /// Sees `n` consecutive ids from `first` on, or passive ones if that is 0.
    fn run(&mut self, first: u32, n: usize) {
        if n == 0 {
            return;
        }
        let start = *self.first.get_or_insert(first);
        let expected = if start == 0 { 0 } else { start.wrapping_add(self.seen) };
        self.broken |= mark_of(first ^ expected, 0);
        self.seen = self.seen.wrapping_add(narrow(n));
    }

    fn add(&mut self, doubles: &[Words]) {
        self.walk(doubles, marks_differ);
    }

    /// Copies the values beside.
    fn copy(&mut self, doubles: &[Words], values: &mut [f64]) {
        self.walk(doubles, |doubles, mark, step| take_apart(doubles, values, mark, step));
    }

    #[inline]
    fn walk(&mut self, doubles: &[Words], differs: impl FnOnce(&[Words], u64, u64) -> u64) {
        let Some(start) = doubles.first() else { return };
        let first = *self.first.get_or_insert(id_of(start[1]));
        let step = u32::from(first != 0);
        let next = first.wrapping_add(step.wrapping_mul(self.seen));
        let differs = differs(doubles, mark_of(next, 0), mark_of(step, 0));
        self.broken |= differs & mark_of(u32::MAX, 0);
        self.seen = self.seen.wrapping_add(narrow(doubles.len()));
    }

    const fn shape(&self) -> Shape {
        match (self.first, self.broken) {
            (None | Some(0), 0) => Shape::Passive,
            (Some(first), 0) => Shape::Range(first),
            _ => Shape::Mixed,
        }
    }
}

impl AsRef<Source> for Source {
    fn as_ref(&self) -> &Source {
        self
    }
}

impl AsRef<Source> for Sink {
    fn as_ref(&self) -> &Source {
        &self.0
    }
}

impl Sink {
    pub const fn len(&self) -> usize {
        self.0.n
    }

    pub const fn is_empty(&self) -> bool {
        self.0.n == 0
    }

    /// Whether the active doubles lie one after the other.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.0.is_plain()
    }

    /// The same memory, to be read.
    pub const fn source(&self) -> &Source {
        &self.0
    }

    /// Asks for the first double before it is needed.
    #[inline]
    pub fn fetch_ahead(&self) {
        fetch_ahead(self.0.base);
    }

    /// Prepares elements of a matrix for MPI to write the values where they are to stay; `is_direct` tells whether it
    /// can. `at_once`: the call waits for them.
    #[inline(always)]
    pub fn lend(&mut self, at_once: bool) -> Outcome<()> {
        if self.is_plain() { Ok(()) } else { self.lend_elements(at_once) }
    }

    #[inline(never)]
    fn lend_elements(&mut self, at_once: bool) -> Outcome<()> {
        if let Some(stretch) = self.0.layout.stretch_mut() {
            stretch.lend(at_once)?;
        }
        Ok(())
    }

    /// Whether MPI writes to the buffer itself, so that `settle` is left to be done.
    #[inline]
    pub fn is_direct(&self) -> bool {
        self.is_plain() || self.0.layout.stretch().is_some_and(ElementBuffer::is_lent)
    }

    /// The first `n` values are in the buffer itself: gives them their places, and ids from `mark`.
    #[inline(always)]
    pub fn settle(&mut self, n: usize, mark: Mark) -> Outcome<()> {
        if self.is_plain() {
            self.spread(n, mark);
            return Ok(());
        }
        self.settle_elements(n, mark)
    }

    #[inline(never)]
    fn settle_elements(&mut self, n: usize, mark: Mark) -> Outcome<()> {
        let stretch = self.0.layout.stretch_mut().expect("elements that were lent");
        Ok(stretch.settle(n, mark.into())?)
    }

    /// What MPI has written to the buffer itself are no values of the program's.
    pub fn spoil(&mut self) {
        if self.is_plain() {
            self.spread(self.len(), Mark::PASSIVE);
        } else if let Some(stretch) = self.0.layout.stretch_mut() {
            stretch.spoil();
        }
    }

    /// Where MPI may write the doubles of a plain buffer side by side, to be put in their places by `settle`: from its
    /// beginning on, so that what does not arrive is not touched. Or where those of a matrix are to stay.
    #[inline(always)]
    pub(super) fn place(&mut self) -> Place {
        if self.0.is_plain() {
            Place::packed(self.0.base.cast(), 2 * self.0.n)
        } else {
            self.place_of_elements()
        }
    }

    #[inline(never)]
    fn place_of_elements(&mut self) -> Place {
        let stretch = self.0.layout.stretch_mut().expect("no gaps but those of active doubles");
        let place = stretch.place().expect("lent before");
        Place::packed(place.cast(), self.0.n)
    }

    /// Gives the first `n` doubles, which lie side by side at the beginning of the buffer, their places and ids from
    /// `mark`.
    #[inline(always)]
    fn spread(&mut self, n: usize, mark: Mark) {
        assert!(self.0.is_plain() && n <= self.0.n);
        let run = self.0.base.cast::<Words>();
        let (first, step) = (mark_of(mark.first, mark.tag), mark.step());
        match n {
            // SAFETY: the promise of `Argument::new`.
            1 => unsafe { run.write([run.cast::<u64>().read(), first]) },
            // SAFETY: as above.
            _ => unsafe { spread(run, n, first, step) },
        }
    }

    /// Writes what `Source::pack` has packed, or its beginning, with ids from `mark`.
    pub fn unpack(&mut self, values: &[f64], mark: Mark) -> Outcome<()> {
        match self.0.layout.other() {
            None => self.unpack_runs(values, mark),
            Some(Other::Pairs) => self.unpack_pairs(values, mark),
            _ => return self.unpack_bytes(values, 8 * values.len(), mark),
        }
        Ok(())
    }

    /// As `unpack` of the first `bytes`.
    pub fn unpack_bytes(&mut self, values: &[f64], bytes: usize, mark: Mark) -> Outcome<()> {
        if let Some(stretch) = self.0.layout.stretch_mut() {
            let n = (bytes / 8).min(self.0.n);
            return Ok(stretch.put(0, &values[..n], mark.into())?);
        }
        match self.0.mixed() {
            None => self.unpack_runs(&values[..bytes / 8], mark),
            Some((map, items)) => self.unpack_mixed(map, items, values, bytes, mark),
        }
        Ok(())
    }

    fn unpack_mixed(&self, map: &Map, items: usize, values: &[f64], bytes: usize, mark: Mark) {
        let each = map.bytes();
        let mut left = bytes.min(8 * values.len()).min(items * each);
        let mut from = values.as_ptr().cast::<u8>();
        let mut done = 0;
        self.0.for_pieces(map, left.div_ceil(each), |to, piece| {
            if piece.active {
                let n = piece.n.min(left / 8);
                for i in 0..n {
                    // SAFETY: as many bytes are left.
                    let value = unsafe { from.add(8 * i).cast::<f64>().read_unaligned() };
                    write(to.cast::<Var>().wrapping_add(i), &[value], mark, done + i);
                }
                done += n;
            } else {
                // SAFETY: as above, and the promise of `Argument::new`.
                unsafe { to.copy_from_nonoverlapping(from, piece.n.min(left)) };
            }
            from = from.wrapping_add(piece.bytes());
            left = left.saturating_sub(piece.bytes());
        });
    }

    fn unpack_pairs(&mut self, items: &[f64], mark: Mark) {
        for (i, item) in items.chunks_exact(2).take(self.0.n).enumerate() {
            write(self.0.pair(i).cast(), &item[..1], mark, i);
            // An index that has been an integer.
            #[allow(clippy::cast_possible_truncation)]
            let index = item[1] as c_int;
            // SAFETY: the promise of `Argument::new`, of a buffer of pairs.
            unsafe { (&raw mut (*self.0.pair(i)).index).write(index) };
        }
    }

    fn unpack_runs(&mut self, values: &[f64], mark: Mark) {
        let mut left = values;
        let mut done = 0;
        self.0.for_runs(values.len().min(self.0.n), |run, n| {
            let (now, later) = left.split_at(n);
            write(run, now, mark, done);
            done += n;
            left = later;
        });
    }

    /// Copies items of the same datatype: values with what marks them, and what lies between.
    pub fn copy(&mut self, from: &Source) {
        let to = &self.0;
        let alike = match (to.layout.other(), from.layout.other()) {
            (None, None) | (Some(Other::Pairs), Some(Other::Pairs)) => true,
            (Some(Other::Map(to)), Some(Other::Map(from))) => to == from,
            (Some(Other::Passive(to, n)), Some(Other::Passive(from, m))) => (to, n) == (from, m),
            _ => false,
        };
        assert!(alike && to.n == from.n, "items of one datatype");
        let beside = |at: *mut u8| from.base.wrapping_add(at.addr().wrapping_sub(to.base.addr()));
        to.for_runs(to.n, |run, n| {
            // SAFETY: the promise of `Argument::new`, of two buffers that are laid out alike.
            unsafe { run.copy_from_nonoverlapping(beside(run.cast()).cast(), n) };
        });
        let Some((map, items)) = to.mixed() else { return };
        to.for_pieces(map, items, |at, piece| {
            if !piece.active {
                // SAFETY: as above.
                unsafe { at.copy_from_nonoverlapping(beside(at), piece.n) };
            }
        });
    }

    /// Writes values with what marks them.
    pub fn set_vars(&mut self, vars: &[Var]) -> Outcome<()> {
        if let Some(stretch) = self.0.layout.stretch() {
            return Ok(stretch.set(vars)?);
        }
        let mut left = vars;
        self.0.for_runs(vars.len().min(self.0.n), |run, n| {
            let (now, later) = left.split_at(n);
            // SAFETY: the promise of `Argument::new`.
            unsafe { std::ptr::copy_nonoverlapping(now.as_ptr(), run, n) };
            left = later;
        });
        Ok(())
    }

    /// Copies the index of the `i`th pair of `from`.
    pub fn set_index(&mut self, i: usize, from: &Source) {
        assert!(i < self.0.n && i < from.n);
        let is_pairs = |source: &Source| matches!(source.layout.other(), Some(Other::Pairs));
        assert!(is_pairs(&self.0) && is_pairs(from));
        // SAFETY: the promise of `Argument::new`, of buffers of pairs.
        unsafe { (&raw mut (*self.0.pair(i)).index).write((*from.pair(i)).index) };
    }

    /// Writes the doubles from `from` on, with the ids they have when all are numbered from `mark`.
    pub fn unpack_segment(&mut self, from: usize, values: &[f64], mark: Mark) -> Outcome<()> {
        if let Some(stretch) = self.0.layout.stretch_mut() {
            return Ok(stretch.put(from, values, mark.behind(narrow(from)).into())?);
        }
        let mut at = 0;
        self.0.segment(from, values.len()).for_runs(|run, n| {
            write(run, &values[at..at + n], mark, from + at);
            at += n;
        });
        Ok(())
    }
}

/// Writes a run whose first value is the `done`th from `mark`.
#[inline]
fn write(run: *mut Var, values: &[f64], mark: Mark, done: usize) {
    let first = mark_of(mark.id(narrow(done)), mark.tag);
    if let [value] = values {
        // SAFETY: the promise of `Argument::new`: the run lies in the user's buffer. A `Var` is two words.
        return unsafe { run.cast::<Words>().write([value.to_bits(), first]) };
    }
    // SAFETY: as above.
    let run =
        unsafe { std::slice::from_raw_parts_mut(run.cast::<MaybeUninit<Words>>(), values.len()) };
    put_together(values, run, first, mark.step());
}

/// An offset in bytes on a 64-bit machine.
#[allow(clippy::cast_possible_truncation)]
const fn offset(bytes: i64) -> isize {
    bytes as isize
}

// SAFETY: a copy of a layout has elements of its own, so that no two threads share any; the rest is plain data.
unsafe impl Sync for Other {}
// SAFETY: the pointer is the user's promise, which holds on whichever thread completes the request.
unsafe impl Send for Source {}
// SAFETY: as above; a twin's leads to its own memory.
unsafe impl Send for Argument {}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(ids: &[u32]) -> Vec<Var> {
        ids.iter()
            .enumerate()
            .map(|(i, &id)| Var { value: i as f64 + 0.5, id, tag: u32::from(id != 0) })
            .collect()
    }

    fn source(vars: &mut [Var], layout: Layout, count: i64) -> Source {
        Source::new("buf", vars.as_mut_ptr().cast(), count, 0, layout, 1).expect("valid")
    }

    #[test]
    fn test_buffer_shapes() {
        for (ids, shape) in [
            (&[][..], Shape::Passive),
            (&[0, 0, 0], Shape::Passive),
            (&[4, 5, 6], Shape::Range(4)),
            (&[7], Shape::Range(7)),
            (&[4, 6, 5], Shape::Mixed),
            (&[0, 1, 2], Shape::Mixed),
            (&[4, 5, 0], Shape::Mixed),
            (&[4, 4], Shape::Mixed),
        ] {
            let mut vars = vars(ids);
            let n = i64::try_from(ids.len()).expect("small");
            let source = source(&mut vars, Layout::Plain, n);
            let mut out = vec![0.0; ids.len()];
            assert_eq!(source.pack(&mut out), shape, "{ids:?}");
            assert_eq!(source.shape(), shape);
            assert!(out.iter().enumerate().all(|(i, &x)| x == i as f64 + 0.5));
        }
    }

    #[test]
    fn test_buffer_range_across_blocks() {
        let ids: Vec<u32> = (3..3 + 1300).collect();
        let mut good = vars(&ids);
        let mut out = vec![0.0; 1300];
        assert_eq!(source(&mut good, Layout::Plain, 1300).pack(&mut out), Shape::Range(3));
        good[1024].id = 9;
        assert_eq!(source(&mut good, Layout::Plain, 1300).pack(&mut out), Shape::Mixed);
    }

    #[test]
    fn test_buffer_spread_in_place() {
        for n in [0_usize, 1, 2, 3, 4, 7, 8, 100, 128, 129, 1025] {
            for received in [0, 1, n / 3, n.saturating_sub(1), n] {
                let received = received.min(n);
                let ids: Vec<u32> = (50..).take(n).collect();
                let mut memory = vars(&ids);
                // As MPI leaves it: the values side by side.
                let at = memory.as_mut_ptr().cast::<f64>();
                for i in 0..received {
                    // SAFETY: fewer than the vars, of which each has room for two.
                    unsafe { at.add(i).write(i as f64 - 3.25) };
                }
                let count = i64::try_from(n).expect("small");
                let mut sink = Sink(source(&mut memory, Layout::Plain, count));
                sink.spread(received, Mark { first: 900, tag: 5 });
                for (i, var) in memory.iter().enumerate() {
                    let id = u32::try_from(i).expect("small");
                    let expected = if i < received {
                        Var { value: i as f64 - 3.25, id: 900 + id, tag: 5 }
                    } else {
                        Var { value: i as f64 + 0.5, id: 50 + id, tag: 1 }
                    };
                    assert_eq!(*var, expected, "{i} of {received} in {n}");
                }
            }
        }
    }

    #[test]
    fn test_buffer_map_runs_and_segments() {
        // Every second element of an item of four.
        let runs = vec![Run { offset: 0, n: 1 }, Run { offset: 32, n: 1 }];
        let map = Map { runs, extent: 64, n: 2, pieces: Vec::new() };
        let mut memory = vars(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let source = source(&mut memory, Other::Map(map.clone()).into(), 2);
        let mut values = [0.0; 4];
        assert_eq!(source.pack(&mut values), Shape::Mixed);
        assert_eq!(values, [0.5, 2.5, 4.5, 6.5]);
        let mut ids = [0; 2];
        source.segment(1, 2).ids(&mut ids);
        assert_eq!(ids, [3, 5]);
        let mut sink = Sink(self::source(&mut memory, Other::Map(map).into(), 2));
        let mark = Mark { first: 20, tag: 3 };
        assert!(sink.unpack(&[10.0, 11.0, 12.0], mark).is_ok());
        assert!(sink.unpack_segment(3, &[13.0], mark).is_ok());
        assert_eq!(memory.iter().map(|v| v.id).collect::<Vec<_>>(), [20, 2, 21, 4, 22, 6, 23, 8]);
        assert_eq!(memory[6].value, 13.0);
    }

    /// An item as `{var; int; var; short}` would be: its bytes on the wire do not fill words.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Item {
        a: Var,
        i: c_int,
        b: Var,
        s: i16,
    }

    fn items_map() -> Layout {
        let piece = |offset, n, active| Piece { offset, n, active };
        Layout::from(Other::Map(Map {
            runs: vec![Run { offset: 0, n: 1 }, Run { offset: 24, n: 1 }],
            extent: 48,
            n: 2,
            pieces: vec![
                piece(0, 1, true),
                piece(16, 4, false),
                piece(24, 1, true),
                piece(40, 2, false),
            ],
        }))
    }

    #[test]
    fn test_buffer_items_with_passive_parts() {
        let var = |value, id| Var { value, id, tag: 7 };
        let mut out = [1, 2, 3].map(|i: i16| {
            let x = f64::from(i);
            Item { a: var(x, 10), i: i.into(), b: var(10.0 * x, 11), s: 100 * i }
        });
        let source =
            Source::new("buf", out.as_mut_ptr().cast(), 3, 0, items_map(), 1).expect("valid");
        assert_eq!((source.len(), source.mixed_bytes(), source.words()), (6, Some(66), 9));
        let mut words = [0.0; 9];
        assert_eq!(source.pack(&mut words), Shape::Mixed);
        let blank = Item { a: var(0.0, 0), i: -1, b: var(0.0, 0), s: -1 };
        // Whole items, then a part of the second one: its first double and some of the int behind it.
        for (bytes, doubles) in [(66, 6), (31, 3), (22, 2), (9, 1), (7, 0), (0, 0)] {
            let mut back = [blank; 3];
            let items =
                Source::new("buf", back.as_mut_ptr().cast(), 3, 0, items_map(), 1).expect("valid");
            assert_eq!(items.doubles_in(bytes), doubles);
            let mark = Mark { first: 20, tag: 3 };
            assert!(Sink(items).unpack_bytes(&words, bytes, mark).is_ok());
            let mut id = 20;
            for (k, (item, sent)) in back.iter().zip(&out).enumerate() {
                for (at, got, value) in [(0, item.a, sent.a.value), (12, item.b, sent.b.value)] {
                    let came = 22 * k + at + 8 <= bytes;
                    let expected = if came { (value, id, 3) } else { (0.0, 0, 7) };
                    assert_eq!((got.value, got.id, got.tag), expected, "{bytes} bytes, item {k}");
                    id += u32::from(came);
                }
                assert_eq!(item.s, if 22 * (k + 1) <= bytes { sent.s } else { -1 });
            }
        }
        let mut copied = [blank; 3];
        let room =
            Source::new("buf", copied.as_mut_ptr().cast(), 3, 0, items_map(), 1).expect("valid");
        Sink(room).copy(&source);
        assert!(copied.iter().zip(&out).all(|(x, y)| x.i == y.i && x.s == y.s && x.b.id == 11));
    }
}
