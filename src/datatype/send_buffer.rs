//! Buffers of active doubles to read: an address and a layout, read run by run.
//!
//! Items that have passive parts too (an index, a mass, a flag) travel whole, in the order of the type map, as MPI
//! itself would send them: 8 bytes for the value of each active double, the bytes of the rest between them. Statuses
//! thus count what they always counted. Whatever is recorded is counted in active doubles.

use super::elements::Elements;
use super::layout::{Element, Layout, Map, Other, Piece, Precision, bytes_of, offset};
use super::marks::{Scan, Shape, words};
use crate::error::{Code, Error};
use crate::mpi::list::listable;
use crate::mpi::transfer::{Held, Transfer};
use crate::mpi::{Failure, List, MpiResult, Place, Readable, is_in_place, to_float};
use crate::tape::Var;
use crate::var_pack::take_ids;
use std::ffi::{c_int, c_void};

/// `admpi_var_int`.
#[repr(C)]
pub(super) struct VarInt {
    pub(super) value: Var,
    pub(super) index: c_int,
}

laid_out!(admpi_var_int, VarInt);

/// Active doubles that a call reads.
#[derive(Debug, Clone)]
pub struct SendBuffer {
    pub(super) base: *mut u8,
    pub(super) layout: Layout,
    pub(super) n: usize,
}

/// Nothing.
impl Default for SendBuffer {
    fn default() -> Self {
        Self { base: std::ptr::null_mut(), layout: Layout::Plain, n: 0 }
    }
}

impl SendBuffer {
    /// The items of an argument, whose maker promised what they are.
    #[inline]
    pub(super) fn new(
        name: &str,
        base: *mut c_void,
        count: i64,
        first: i64,
        layout: Layout,
        ranks: usize,
    ) -> MpiResult<Self> {
        let Ok(items) = usize::try_from(count) else {
            return Err(bad(name, Code::Argument, format_args!("count = {count} is negative")));
        };
        let each = match layout.other() {
            None | Some(Other::Pairs | Other::Handle(_) | Other::Elements(_)) => 1,
            Some(Other::Map(map)) => map.n,
            Some(Other::Passive(..) | Other::Packed(_)) => 0,
            Some(Other::Refused(why)) => {
                return Err(bad(name, Code::Unsupported, format_args!("{why}")));
            }
            Some(Other::Foreign(foreign)) => {
                return Err(bad(name, Code::Unsupported, format_args!("{}", foreign.refused())));
            }
        };
        let n = items.checked_mul(each).and_then(|n| n.checked_mul(ranks));
        let Some(n) = n.filter(|&n| u32::try_from(n).is_ok()) else {
            let why = format_args!(
                "{items} items of {each} active doubles for {ranks} ranks are past 2^32"
            );
            return Err(bad(name, Code::Argument, why));
        };
        if is_in_place(base) {
            let why = format_args!("MPI_IN_PLACE is not allowed for this buffer in this call");
            return Err(bad(name, Code::Argument, why));
        }
        // A type with absolute addresses goes with MPI_BOTTOM, which is the null pointer in both MPIs.
        let from_base = match layout.other() {
            Some(Other::Map(map)) => n > 0 && map.span().0 == 0,
            Some(Other::Passive(map, _)) => map.bytes() > 0 && map.span().0 == 0,
            Some(Other::Packed(packed)) => packed.map.bytes() > 0,
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
            // SAFETY: the promise of `BufferTriple::new`.
            Some(Other::Handle(handle)) => unsafe { handle.elements(name, base, first, n)? },
            _ => layout,
        };
        let n = match layout.other() {
            Some(Other::Packed(packed)) => packed.vars.len(),
            _ => n,
        };
        Ok(Self { base: base.cast(), layout, n })
    }

    /// Floats as the doubles that they are in memory, as which they are reduced.
    pub fn in_doubles(mut self) -> Self {
        if let Some(Other::Map(map)) = self.layout.other()
            && map.precision() == Some(Precision::Single)
        {
            self.layout = map.in_doubles();
        }
        self
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
        self.layout.elements().is_some()
    }

    /// Whether MPI can read the values side by side from where they lie.
    pub fn is_packed(&self) -> bool {
        self.layout.elements().is_some_and(|elements| elements.values().is_some())
    }

    /// Lets MPI read the values from where they lie, whatever becomes of the matrix they are elements of until the
    /// request is complete; false where they may have to be copied.
    #[inline]
    pub fn hold(&mut self) -> bool {
        self.layout.elements_mut().is_none_or(Elements::hold)
    }

    /// What `hold` keeps, for the request to keep.
    fn into_held(self) -> Held {
        match self.layout {
            Layout::Other(other) if self.is_of_elements() => Some(other),
            _ => None,
        }
    }

    /// Lets `transfer` send the values of a plain or packed buffer from where they lie.
    #[inline(always)]
    pub fn lend_to(&self, transfer: &mut Transfer) {
        // SAFETY: the promise of `BufferTriple::new`; `hold_by` keeps what may go before.
        unsafe { transfer.lend(self.place()) };
    }

    /// Lets `transfer` keep what `hold` keeps, until it is complete.
    #[inline]
    pub fn hold_by(self, transfer: &mut Transfer) {
        if self.is_of_elements() {
            transfer.hold(self.into_held());
        }
    }

    /// Where MPI finds the values of a plain or packed buffer. One alone has no gap behind it.
    #[inline(always)]
    fn place(&self) -> Place {
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
        let elements = self.layout.elements().expect("no gaps but those of active doubles");
        let values = elements.values().expect("values side by side");
        Place::packed(values.as_ptr().cast_mut().cast(), values.len())
    }

    /// Calls `f` for the runs of the first `n` doubles, in order. Those of matrices are copies, to be read.
    #[inline]
    pub(super) fn for_runs(&self, n: usize, mut f: impl FnMut(*mut Var, usize)) {
        let map = match self.layout.other() {
            // The address of nothing may be NULL, of which no slice can be formed.
            None if n == 0 => return,
            None => return f(self.base.cast(), n),
            Some(Other::Map(map)) => map,
            Some(Other::Pairs) => return (0..n).for_each(|i| f(self.pair(i).cast(), 1)),
            Some(Other::Elements(elements)) => return elements.each(n, f),
            Some(Other::Packed(packed)) => return f(packed.vars.as_ptr().cast_mut(), n),
            Some(Other::Passive(..) | Other::Refused(_) | Other::Foreign(_) | Other::Handle(_)) => {
                return;
            }
        };
        if let [run] = map.runs[..]
            && bytes_of(run.n) == map.extent
            && n > 0
        {
            // Items of one run without gaps are one run.
            return f(self.base.wrapping_offset(offset(run.offset)).cast(), n);
        }
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

    pub(super) const fn pair(&self, i: usize) -> *mut VarInt {
        self.base.cast::<VarInt>().wrapping_add(i)
    }

    /// The map of a buffer whose items have passive parts too, and how many items it has.
    #[inline]
    pub(super) fn mixed(&self) -> Option<(&Map, usize)> {
        match self.layout.other() {
            Some(Other::Map(map)) if !map.pieces.is_empty() => Some((map, self.n / map.n)),
            Some(Other::Passive(map, items)) if !map.pieces.is_empty() => Some((map, *items)),
            Some(Other::Packed(packed)) if !packed.map.pieces.is_empty() => Some((&packed.map, 1)),
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
    pub(super) fn for_pieces(&self, map: &Map, items: usize, mut f: impl FnMut(*mut u8, &Piece)) {
        if let [piece] = map.pieces[..]
            && piece.end() - piece.offset == map.extent
        {
            // Items of one piece without gaps are one piece.
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
            // SAFETY: the promise of `BufferTriple::new`, and room for all, as just checked. A `Var` begins with its
            // value.
            unsafe {
                let value = |i| from.cast::<Var>().add(i).cast::<f64>().read_unaligned();
                match piece.element {
                    Element::Passive => from.copy_to_nonoverlapping(to, piece.n),
                    Element::Double => {
                        (0..piece.n).for_each(|i| to.cast::<f64>().add(i).write_unaligned(value(i)))
                    }
                    Element::Float => (0..piece.n)
                        .for_each(|i| to.cast::<f32>().add(i).write_unaligned(to_float(value(i)))),
                }
                to = to.add(piece.bytes());
            }
        });
    }

    /// The values with what marks them.
    pub fn vars(&self) -> Vec<Var> {
        let mut vars = Vec::with_capacity(self.n);
        self.for_runs(self.n, |run, n| {
            // SAFETY: the promise of `BufferTriple::new`.
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
                // SAFETY: the promise of `BufferTriple::new`.
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
        // SAFETY: the promise of `BufferTriple::new`.
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
        if let Some(elements) = self.layout.elements()
            && let (Some(values), Some(first)) = (elements.values(), elements.range())
        {
            out[..self.n].copy_from_slice(values);
            return scan.run(first, self.n);
        }
        let mut left = &mut out[..self.n];
        self.for_runs(self.n, |run, n| {
            let (now, later) = std::mem::take(&mut left).split_at_mut(n);
            // SAFETY: the promise of `BufferTriple::new`.
            scan.copy(unsafe { words(run, n) }, now);
            left = later;
        });
    }

    fn scan_pairs(&self, scan: &mut Scan, out: &mut [f64]) {
        self.scan_ids(scan);
        for (i, item) in out[..2 * self.n].chunks_exact_mut(2).enumerate() {
            // SAFETY: the promise of `BufferTriple::new`, of a buffer of pairs.
            let (value, index) = unsafe { ((*self.pair(i)).value.value, (*self.pair(i)).index) };
            item.copy_from_slice(&[value, f64::from(index)]);
        }
    }

    fn scan_ids(&self, scan: &mut Scan) {
        if let Some(elements) = self.layout.elements()
            && let Some(first) = elements.range()
        {
            return scan.run(first, self.n);
        }
        self.for_runs(self.n, |run, n| {
            // SAFETY: the promise of `BufferTriple::new`.
            scan.add(unsafe { words(run, n) });
        });
    }

    /// What the ids look like.
    #[inline]
    pub fn shape(&self) -> Shape {
        if let (1, Layout::Plain) = (self.n, &self.layout) {
            // SAFETY: the promise of `BufferTriple::new`.
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

/// The values of a plain or packed buffer, where they lie.
impl<'a> From<&'a SendBuffer> for Readable<'a> {
    #[inline]
    fn from(source: &'a SendBuffer) -> Self {
        // SAFETY: the promise of `BufferTriple::new`.
        unsafe { Self::at(source.place()) }
    }
}

impl AsRef<SendBuffer> for SendBuffer {
    fn as_ref(&self) -> &SendBuffer {
        self
    }
}

// SAFETY: the pointer is the user's promise, which holds on whichever thread completes the request.
unsafe impl Send for SendBuffer {}

listable!(SendBuffer);

/// Active doubles that a call reads, in one buffer or in several.
#[derive(Debug, Clone)]
pub enum Sources {
    One(SendBuffer),
    List(List<SendBuffer>),
}

impl Sources {
    pub fn list(&self) -> &[SendBuffer] {
        match self {
            Self::One(source) => std::slice::from_ref(source),
            Self::List(list) => list,
        }
    }

    pub fn len(&self) -> usize {
        self.list().iter().map(SendBuffer::len).sum()
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
        self.list().iter().map(SendBuffer::words).sum()
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
pub(super) fn bad(name: &str, code: Code, why: std::fmt::Arguments<'_>) -> Failure {
    Error::new(code, format!("{name}: {why}")).into()
}

/// Part of a buffer.
pub struct Segment<'a> {
    pub(super) source: &'a SendBuffer,
    pub(super) from: usize,
    pub(super) n: usize,
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
                // SAFETY: the promise of `BufferTriple::new`.
                f(unsafe { &*run.add(i) });
            }
        });
    }

    pub(super) fn for_runs(&self, mut f: impl FnMut(*mut Var, usize)) {
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
                // SAFETY: the promise of `BufferTriple::new`.
                *value = unsafe { (*run.add(i)).value };
            }
            at += n;
        });
    }

    pub fn shape(&self) -> Shape {
        let mut scan = Scan::default();
        self.for_runs(|run, n| {
            // SAFETY: the promise of `BufferTriple::new`.
            scan.add(unsafe { words(run, n) });
        });
        scan.shape()
    }

    /// Copies the ids to `out`, which has room for all of them, and returns the highest.
    pub fn ids(&self, out: &mut [u32]) -> u32 {
        let (mut at, mut highest) = (0, 0);
        self.for_runs(|run, n| {
            // SAFETY: the promise of `BufferTriple::new`.
            highest = take_ids(unsafe { words(run, n) }, &mut out[at..at + n]).max(highest);
            at += n;
        });
        highest
    }
}
