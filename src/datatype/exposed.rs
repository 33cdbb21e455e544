//! Memory that a rank exposes to others, and items in it as another rank describes them: a datatype's handle means nothing
//! there, so its layout travels as numbers.

use super::argument::BufferTriple;
use super::layout::{Element, Layout, Map, Other, Piece, Precision, Run, offset, wide_bytes};
use super::recv_buffer::RecvBuffer;
use super::send_buffer::{SendBuffer, bad};
use crate::error::Code;
use crate::mpi::{MpiResult, to_float};
use crate::tape::Var;
use crate::var_pack::{id_of, mark_of, tag_of};
use std::ffi::c_void;

/// What a rank exposes: a part of its memory, or parts that are named by their addresses.
#[derive(Debug)]
pub struct Exposed {
    base: *mut u8,
    /// Bytes from one displacement to the next.
    unit: i64,
    /// Where each part begins, in bytes behind `base`, and how long it is.
    parts: Vec<(i64, i64)>,
}

// SAFETY: the pointer is the user's promise, which holds on whichever thread calls MPI.
unsafe impl Send for Exposed {}

/// `size` bytes in the address space. MPI's addresses are signed.
fn address(base: *const c_void) -> i64 {
    wide_bytes(base.addr())
}

impl Exposed {
    /// # Safety
    /// The `size` bytes at `base` may be read and written as long as the value lives, by those who may so by MPI's rules for
    /// the window. Where operations on active values go, initialised ones lie.
    pub unsafe fn new(base: *mut c_void, size: i64, unit: i64) -> Self {
        Self { base: base.cast(), unit, parts: vec![(0, size)] }
    }

    /// Nothing yet: what is going to be attached is named by its address.
    pub const fn dynamic() -> Self {
        Self { base: std::ptr::null_mut(), unit: 1, parts: Vec::new() }
    }

    /// Fills memory with zeros, which are passive values.
    pub fn clear(&mut self) {
        if let ([(0, size)], false) = (&self.parts[..], self.base.is_null()) {
            // SAFETY: the promise of `new`.
            unsafe { self.base.write_bytes(0, usize::try_from(*size).unwrap_or(0)) };
        }
    }

    /// Whether that is where the memory begins.
    pub fn begins_at(&self, base: *const c_void) -> bool {
        self.base.cast_const().cast() == base
    }

    /// Adds a part to what is named by addresses.
    ///
    /// # Safety
    /// As for `new`, until the part is detached.
    pub unsafe fn attach(&mut self, base: *mut c_void, size: i64) {
        base.expose_provenance();
        self.parts.push((address(base), size));
    }

    pub fn detach(&mut self, base: *const c_void) {
        self.parts.retain(|&(begin, _)| begin != address(base));
    }

    /// Where a displacement is, in bytes behind the window's address.
    pub const fn place(&self, displacement: i64) -> i64 {
        displacement.saturating_mul(self.unit)
    }

    /// Items behind a displacement, to be read and written.
    pub fn items(&self, displacement: i64, items: &Items) -> MpiResult<RecvBuffer> {
        let begin = self.place(displacement);
        let (low, high) = items.span();
        let (low, high) = (begin.saturating_add(low), begin.saturating_add(high));
        let fits = |&(at, size): &(i64, i64)| low >= at && high <= at.saturating_add(size);
        if !self.parts.iter().any(fits) {
            let why = match self.parts[..] {
                [(0, size)] if !self.base.is_null() => {
                    format!(
                        "bytes {low} to {high} are not in the window, which has {size} bytes here"
                    )
                }
                _ => format!("addresses {low} to {high} are not attached to the window here"),
            };
            let why = format_args!("target_disp = {displacement}, {} items: {why}", items.count);
            return Err(bad("target", Code::Argument, why));
        }
        let at = match self.base.is_null() {
            true => std::ptr::with_exposed_provenance_mut(usize::try_from(begin).unwrap_or(0)),
            false => self.base.wrapping_offset(offset(begin)),
        };
        if !at.addr().is_multiple_of(align_of::<Var>()) {
            let why =
                format_args!("target_disp = {displacement} is in the middle of an active value");
            return Err(bad("target", Code::Argument, why));
        }
        let layout = items.layout.of_items(items.whole());
        Ok(RecvBuffer(SendBuffer::new("target", at.cast(), items.count, 0, layout, 1)?))
    }
}

/// Copies `bytes` to words; the last one is filled up with zeros.
pub fn set_bytes(words: &mut [f64], bytes: &[u8]) {
    for (to, from) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut word = [0; 8];
        word[..from.len()].copy_from_slice(from);
        *to = f64::from_ne_bytes(word);
    }
}

/// So many items of a datatype, wherever they are.
#[derive(Debug, Clone)]
pub struct Items {
    layout: Layout,
    count: i64,
}

impl BufferTriple {
    /// The items, without their address.
    pub fn describe(&self, name: &str, layout: Layout) -> MpiResult<Items> {
        if self.count < 0 {
            return Err(bad(
                name,
                Code::Argument,
                format_args!("count = {} is negative", self.count),
            ));
        }
        let why = match layout.other() {
            None | Some(Other::Map(_)) => return Ok(Items { layout, count: self.count }),
            Some(Other::Refused(why)) => *why,
            Some(Other::Foreign(foreign)) => {
                let why = foreign.refused();
                return Err(bad(name, Code::Unsupported, format_args!("{why}")));
            }
            Some(Other::Passive(..) | Other::Packed(_)) => {
                "the datatype is passive, and that of the origin is active"
            }
            Some(_) => {
                "the memory of a window holds admpi_vars: its datatype cannot be AMPI_VARMAT or AMPI_VIEW"
            }
        };
        Err(bad(name, Code::Unsupported, format_args!("{why}")))
    }
}

impl Items {
    fn whole(&self) -> usize {
        usize::try_from(self.count).unwrap_or(0)
    }

    /// Active doubles in them.
    pub fn doubles(&self) -> usize {
        self.whole().saturating_mul(match self.layout.other() {
            Some(Other::Map(map)) => map.n,
            _ => 1,
        })
    }

    /// Bytes of them on the wire.
    pub fn bytes(&self) -> usize {
        self.whole().saturating_mul(match self.layout.other() {
            Some(Other::Map(map)) => map.bytes(),
            _ => 8,
        })
    }

    /// Where they begin and end in memory, in bytes behind their address.
    fn span(&self) -> (i64, i64) {
        let size = wide_bytes(size_of::<Var>());
        let ((low, high), extent) = match self.layout.other() {
            Some(Other::Map(map)) => (map.span(), map.extent),
            _ => ((0, size), size),
        };
        if self.doubles() == 0 && self.bytes() == 0 {
            return (0, 0);
        }
        let last = extent.saturating_mul((self.count - 1).max(0));
        (low.saturating_add(last.min(0)), high.saturating_add(last.max(0)))
    }

    pub const fn count(&self) -> i64 {
        self.count
    }

    /// How the items lie if each active value is taken as its 16 bytes: where the bytes of one are, in order, and how far it is
    /// to the next. None where all of them lie one after the other.
    pub fn wide(&self) -> Option<(Vec<(i64, usize)>, i64)> {
        let Some(Other::Map(map)) = self.layout.other() else { return None };
        let each = size_of::<Var>();
        let blocks = match map.pieces[..] {
            [] => map.runs.iter().map(|run| (run.offset, each * run.n)).collect(),
            _ => {
                let bytes =
                    |piece: &Piece| if piece.is_active() { each * piece.n } else { piece.n };
                map.pieces.iter().map(|piece| (piece.offset, bytes(piece))).collect()
            }
        };
        Some((blocks, map.extent))
    }

    /// Tells where they begin and end in memory, block by block, in bytes behind their address.
    pub fn each_span(&self, mut tell: impl FnMut(i64, i64)) {
        let (blocks, extent, count) = match self.wide() {
            Some((blocks, extent)) => (blocks, extent, self.count),
            None => (vec![(0, self.wide_bytes())], 0, 1),
        };
        for at in (0..count).map(|i| extent.saturating_mul(i)) {
            for &(begin, bytes) in blocks.iter().filter(|(_, bytes)| *bytes > 0) {
                let begin = at.saturating_add(begin);
                tell(begin, begin.saturating_add(wide_bytes(bytes)));
            }
        }
    }

    /// Bytes of them all so.
    pub fn wide_bytes(&self) -> usize {
        let of_one =
            |(blocks, _): (Vec<(i64, usize)>, i64)| blocks.iter().map(|block| block.1).sum();
        self.whole().saturating_mul(self.wide().map_or(size_of::<Var>(), of_one))
    }

    /// Copies values and passive bytes from `wide`, where each active value has its 16 bytes, to `wire`.
    pub fn narrow(&self, wide: &[f64], wire: &mut [f64]) {
        let pieces = match self.layout.other() {
            Some(Other::Map(map)) if !map.pieces.is_empty() => &map.pieces,
            _ => {
                wire.iter_mut().zip(wide.iter().step_by(2)).for_each(|(to, from)| *to = *from);
                return;
            }
        };
        let mut from = wide.iter().flat_map(|word| word.to_ne_bytes());
        let mut bytes = Vec::with_capacity(self.bytes());
        for piece in (0..self.count).flat_map(|_| pieces) {
            if piece.is_active() {
                for _ in 0..piece.n {
                    let value =
                        f64::from_ne_bytes(std::array::from_fn(|_| from.next().unwrap_or(0)));
                    match piece.element {
                        Element::Float => bytes.extend(to_float(value).to_ne_bytes()),
                        _ => bytes.extend(value.to_ne_bytes()),
                    }
                    from.by_ref().take(size_of::<Var>() - 8).for_each(drop);
                }
            } else {
                bytes.extend(from.by_ref().take(piece.n));
            }
        }
        set_bytes(wire, &bytes);
    }

    /// The opposite: puts values with what marks them, and passive bytes of `wire`, into `wide`.
    pub fn widen(&self, vars: &[Var], wire: &[f64], wide: &mut [f64]) {
        let words = |var: &Var| [var.value, f64::from_bits(mark_of(var.id, var.tag))];
        let pieces = match self.layout.other() {
            Some(Other::Map(map)) if !map.pieces.is_empty() => &map.pieces,
            _ => {
                wide.chunks_exact_mut(2)
                    .zip(vars)
                    .for_each(|(to, var)| to.copy_from_slice(&words(var)));
                return;
            }
        };
        let mut from = wire.iter().flat_map(|word| word.to_ne_bytes());
        let mut vars = vars.iter();
        let mut bytes = Vec::with_capacity(self.wide_bytes());
        for piece in (0..self.count).flat_map(|_| pieces) {
            if piece.is_active() {
                for var in vars.by_ref().take(piece.n) {
                    from.by_ref().take(piece.element.bytes()).for_each(drop);
                    bytes.extend(words(var).iter().flat_map(|word| word.to_ne_bytes()));
                }
            } else {
                bytes.extend(from.by_ref().take(piece.n));
            }
        }
        set_bytes(wide, &bytes);
    }

    /// The active values of `wide`, with what marks them.
    pub fn vars(&self, wide: &[f64]) -> Vec<Var> {
        let var = |value: f64, mark: f64| {
            let mark = mark.to_bits();
            Var { value, id: id_of(mark), tag: tag_of(mark) }
        };
        let pieces = match self.layout.other() {
            Some(Other::Map(map)) if !map.pieces.is_empty() => &map.pieces,
            _ => {
                let all = wide.chunks_exact(2).take(self.doubles());
                return all.map(|words| var(words[0], words[1])).collect();
            }
        };
        let mut from = wide.iter().flat_map(|word| word.to_ne_bytes());
        let mut vars = Vec::with_capacity(self.doubles());
        for piece in (0..self.count).flat_map(|_| pieces) {
            if piece.is_active() {
                for _ in 0..piece.n {
                    let mut word =
                        || f64::from_ne_bytes(std::array::from_fn(|_| from.next().unwrap_or(0)));
                    vars.push(var(word(), word()));
                }
            } else {
                from.by_ref().take(piece.n).for_each(drop);
            }
        }
        vars
    }

    /// Whether they are floats and nothing else.
    pub fn are_floats(&self) -> bool {
        matches!(self.layout.other(), Some(Other::Map(map)) if map.precision() == Some(Precision::Single))
    }

    /// As `SendBuffer::in_doubles`.
    #[must_use]
    pub fn in_doubles(self) -> Self {
        match self.layout.other() {
            Some(Other::Map(map)) if self.are_floats() => {
                Self { layout: map.in_doubles(), count: self.count }
            }
            _ => self,
        }
    }

    /// Whether there are passive parts between the doubles.
    pub fn are_mixed(&self) -> bool {
        matches!(self.layout.other(), Some(Other::Map(map)) if !map.pieces.is_empty())
    }

    /// Whether they lie as those of `other`.
    pub fn lie_as(&self, other: &Self) -> bool {
        match (self.layout.other(), other.layout.other()) {
            (None, None) => true,
            (Some(one), Some(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }

    /// As many items as `count` says that lie as these.
    pub fn again(&self, count: i64) -> Self {
        Self { layout: self.layout.clone(), count }
    }

    /// The layout as numbers; none where doubles lie one after the other.
    pub fn write(&self, mut word: impl FnMut(i64)) {
        let Some(Other::Map(map)) = self.layout.other() else { return };
        for n in [map.extent, wide_bytes(map.runs.len()), wide_bytes(map.pieces.len())] {
            word(n);
        }
        for run in &map.runs {
            word(run.offset);
            word(wide_bytes(run.n));
        }
        for piece in &map.pieces {
            word(piece.offset);
            word(wide_bytes(piece.n));
            word(piece.element as i64);
        }
    }

    /// How many numbers `write` writes.
    pub fn words(&self) -> usize {
        let mut words = 0;
        self.write(|_| words += 1);
        words
    }

    /// What `write` has written, as `count` items.
    pub fn read(mut words: impl Iterator<Item = i64>, count: i64) -> Self {
        let Some(extent) = words.next() else { return Self { layout: Layout::Plain, count } };
        let mut word = || words.next().expect("a layout as it was written");
        let length = |n| usize::try_from(n).expect("a length is not negative");
        let (runs, pieces) = (word(), word());
        let runs: Vec<Run> = (0..runs).map(|_| Run { offset: word(), n: length(word()) }).collect();
        let pieces = (0..pieces)
            .map(|_| Piece {
                offset: word(),
                n: length(word()),
                element: match word() {
                    0 => Element::Passive,
                    1 => Element::Double,
                    _ => Element::Float,
                },
            })
            .collect();
        let n = runs.iter().map(|run| run.n).sum();
        Self { layout: Other::Map(Map { runs, extent, n, pieces, complex: false }).into(), count }
    }
}
