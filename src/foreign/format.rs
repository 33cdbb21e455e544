//! How numbers of a tool's lie in memory: in a row, or in items that have other bytes beside them, as structures do.

use crate::error::{Code, Error, Result};
use crate::tape::Var;
use std::sync::{Mutex, PoisonError};

/// A number of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// In bytes behind the item's address.
    pub offset: i64,
    pub float: bool,
}

/// Bytes of an item that are no numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes {
    pub offset: i64,
    pub n: usize,
}

/// The shape of an item.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    pub numbers: Vec<Number>,
    pub bytes: Vec<Bytes>,
    /// Bytes from one item to the next.
    pub extent: i64,
}

/// All shapes that were described, each once: a format names one for ever.
static ITEMS: Mutex<Vec<&'static Item>> = Mutex::new(Vec::new());

/// The number of a shape.
pub fn describe(item: Item) -> Result<usize> {
    if item.numbers.is_empty() {
        return Err(Error::new(Code::Argument, "an item has no numbers"));
    }
    let mut items = ITEMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = items.iter().position(|known| **known == item) {
        return Ok(known);
    }
    items.push(Box::leak(Box::new(item)));
    Ok(items.len() - 1)
}

/// The shape with a number.
pub fn described(number: usize) -> Option<&'static Item> {
    ITEMS.lock().unwrap_or_else(PoisonError::into_inner).get(number).copied()
}

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Double,
    Float,
    Items(&'static Item),
}

fn bytes_of(float: bool) -> usize {
    if float { size_of::<f32>() } else { size_of::<f64>() }
}

/// What lies in memory is no longer than that.
fn near(offset: i64) -> isize {
    isize::try_from(offset).unwrap_or(0)
}

fn far(i: usize) -> i64 {
    i64::try_from(i).unwrap_or(i64::MAX)
}

impl Item {
    /// Places that an item takes among active values: those of its numbers, and behind them room for its other bytes.
    pub fn places(&self) -> usize {
        self.numbers.len() + self.other_bytes().div_ceil(size_of::<Var>())
    }

    fn other_bytes(&self) -> usize {
        self.bytes.iter().map(|part| part.n).sum()
    }

    fn at(&self, base: *mut u8, i: usize) -> *mut u8 {
        base.wrapping_offset(near(far(i).wrapping_mul(self.extent)))
    }

    /// Copies the other bytes of an item to where they travel.
    ///
    /// # Safety
    /// The item may be read.
    unsafe fn read_bytes(&self, item: *const u8, values: &mut [Var]) {
        let mut to = values[self.numbers.len()..].as_mut_ptr().cast::<u8>();
        for part in &self.bytes {
            // SAFETY: the caller's promise, and `places` has room for all.
            unsafe {
                item.wrapping_offset(near(part.offset)).copy_to_nonoverlapping(to, part.n);
                to = to.add(part.n);
            }
        }
    }

    /// The way back.
    ///
    /// # Safety
    /// The item may be written.
    unsafe fn write_bytes(&self, item: *mut u8, values: &[Var]) {
        let mut from = values[self.numbers.len()..].as_ptr().cast::<u8>();
        for part in &self.bytes {
            // SAFETY: the caller's promise; as many lie there.
            unsafe {
                item.wrapping_offset(near(part.offset)).copy_from_nonoverlapping(from, part.n);
                from = from.add(part.n);
            }
        }
    }

    /// Which are doubles, or floats.
    fn of_kind(&self, float: bool) -> Vec<usize> {
        (0..self.numbers.len()).filter(|&i| self.numbers[i].float == float).collect()
    }
}

impl Format {
    /// Numbers of one item.
    pub fn each(self) -> usize {
        if let Self::Items(item) = self { item.numbers.len() } else { 1 }
    }

    /// Places of one item among active values.
    fn places(self) -> usize {
        if let Self::Items(item) = self { item.places() } else { 1 }
    }

    /// Places of `n` numbers.
    pub fn all_places(self, n: usize) -> usize {
        if let Self::Items(_) = self { n / self.each() * self.places() } else { n }
    }

    /// The place of number `i`. Numbers in a row are in the order of their places: no division for each of them.
    #[inline]
    pub fn place_of(self, i: usize) -> usize {
        match self {
            Self::Double | Self::Float => i,
            Self::Items(item) => {
                let each = item.numbers.len();
                i / each * item.places() + i % each
            }
        }
    }

    /// Where number `i` behind `base` lies, and whether it is a float.
    #[inline(always)]
    fn find(self, base: *mut u8, i: usize) -> (*mut u8, bool) {
        match self {
            Self::Double => (base.wrapping_add(i * size_of::<f64>()), false),
            Self::Float => (base.wrapping_add(i * size_of::<f32>()), true),
            Self::Items(item) => {
                let number = item.numbers[i % item.numbers.len()];
                let at = item.at(base, i / item.numbers.len());
                (at.wrapping_offset(near(number.offset)), number.float)
            }
        }
    }

    /// Number `i` behind `base`.
    ///
    /// # Safety
    /// It is there.
    #[inline(always)]
    pub unsafe fn read(self, base: *const u8, i: usize) -> f64 {
        let (at, float) = self.find(base.cast_mut(), i);
        // SAFETY: the caller's promise.
        unsafe {
            if float {
                f64::from(at.cast::<f32>().read_unaligned())
            } else {
                at.cast::<f64>().read_unaligned()
            }
        }
    }

    /// # Safety
    /// As for `read`, and nothing else refers to it.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // the tool's numbers are no longer
    pub unsafe fn write(self, base: *mut u8, i: usize, number: f64) {
        let (at, float) = self.find(base, i);
        // SAFETY: the caller's promise.
        unsafe {
            if float {
                at.cast::<f32>().write_unaligned(number as f32);
            } else {
                at.cast::<f64>().write_unaligned(number);
            }
        }
    }

    /// Addresses from the first byte of some numbers to behind the last.
    pub fn span(self, base: usize, first: usize, n: usize) -> (usize, usize) {
        let base = std::ptr::without_provenance_mut(base);
        let bounds = |i: usize| {
            let (at, float) = self.find(base, i);
            (at.addr(), at.addr() + bytes_of(float))
        };
        let ends = if let Self::Items(_) = self {
            (first..first + n).map(bounds).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        } else {
            (n > 0).then(|| (bounds(first).0, bounds(first + n - 1).1))
        };
        ends.unwrap_or((base.addr(), base.addr()))
    }

    /// Copies the bytes beside `n` numbers to where they travel.
    ///
    /// # Safety
    /// They may be read.
    pub unsafe fn read_bytes(self, base: *const u8, n: usize, values: &mut [Var]) {
        let Self::Items(item) = self else { return };
        for (i, values) in values.chunks_exact_mut(item.places()).enumerate().take(n / self.each())
        {
            // SAFETY: the caller's promise.
            unsafe { item.read_bytes(item.at(base.cast_mut(), i), values) };
        }
    }

    /// The way back.
    ///
    /// # Safety
    /// They may be written.
    pub unsafe fn write_bytes(self, base: *mut u8, n: usize, values: &[Var]) {
        let Self::Items(item) = self else { return };
        for (i, values) in values.chunks_exact(item.places()).enumerate().take(n / self.each()) {
            // SAFETY: the caller's promise.
            unsafe { item.write_bytes(item.at(base, i), values) };
        }
    }

    fn of_kind(self, float: bool) -> Vec<usize> {
        match self {
            Self::Items(item) => item.of_kind(float),
            one => (0..usize::from((one == Self::Float) == float)).collect(),
        }
    }
}

/// Which adjoint or tangent belongs to which number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    InOrder,
    /// Of each number of an item, whose tangents lie in another item; none has one that is passive there.
    Members {
        others: usize,
        of: Vec<Option<usize>>,
    },
}

impl Match {
    /// Of `n` numbers and `others`: as many, or items of another shape that has all doubles, or all floats, and no more.
    pub fn new((own, n): (Format, usize), (other, others): (Format, usize)) -> Option<Self> {
        if n == others {
            return Some(Self::InOrder);
        }
        if n / own.each() != others / other.each() {
            return None;
        }
        Some(Self::Members { others: other.each(), of: Self::members(own, other)? })
    }

    /// Of each number of an item its place in the other.
    pub fn members(own: Format, other: Format) -> Option<Vec<Option<usize>>> {
        if own.each() == other.each() {
            return Some((0..own.each()).map(Some).collect());
        }
        let mut of = vec![None; own.each()];
        for float in [false, true] {
            let (from, to) = (own.of_kind(float), other.of_kind(float));
            if !to.is_empty() && to.len() != from.len() {
                return None;
            }
            for (&from, &to) in from.iter().zip(&to) {
                of[from] = Some(to);
            }
        }
        Some(of)
    }

    /// What belongs to number `i`.
    #[inline]
    pub fn of(&self, i: usize) -> Option<usize> {
        match self {
            Self::InOrder => Some(i),
            Self::Members { others, of } => of[i % of.len()].map(|at| i / of.len() * others + at),
        }
    }
}

/// Where the adjoints of numbers lie.
#[derive(Debug, Clone)]
pub struct Adjoint {
    pub base: *mut u8,
    pub format: Format,
    pub belongs: Match,
}

impl Adjoint {
    /// Whether they lie in a row, in the order of the numbers, as doubles: there may be millions.
    fn is_plain(&self) -> bool {
        self.format == Format::Double && self.belongs == Match::InOrder
    }

    /// Where they lie from number `first` on, if in a row of doubles.
    pub fn in_a_row(&self, first: usize) -> Option<*mut f64> {
        let base = self.base.cast::<f64>();
        (self.is_plain() && base.is_aligned()).then(|| base.wrapping_add(first))
    }

    /// Appends those of `n` numbers from `first` on to `out`, and zeroes them.
    ///
    /// # Safety
    /// They are there, and nothing else refers to them.
    pub unsafe fn take(&self, first: usize, n: usize, out: &mut Vec<f64>) {
        if self.is_plain() {
            // SAFETY: the caller's promise; so below.
            unsafe {
                let from = self.base.add(first * size_of::<f64>());
                out.extend((0..n).map(|i| Format::Double.read(from, i)));
                from.write_bytes(0, n * size_of::<f64>());
            }
            return;
        }
        out.extend((first..first + n).map(|i| {
            let Some(at) = self.belongs.of(i) else { return 0.0 };
            // SAFETY: as above.
            unsafe {
                let adjoint = self.format.read(self.base, at);
                self.format.write(self.base, at, 0.0);
                adjoint
            }
        }));
    }

    /// Adds to them.
    ///
    /// # Safety
    /// As for `take`.
    pub unsafe fn add(&self, first: usize, adjoints: &[f64]) {
        if self.is_plain() {
            // SAFETY: the caller's promise; so below.
            unsafe {
                let to = self.base.add(first * size_of::<f64>());
                for (i, adjoint) in adjoints.iter().enumerate() {
                    let sum = Format::Double.read(to, i) + adjoint;
                    Format::Double.write(to, i, sum);
                }
            }
            return;
        }
        for (i, adjoint) in adjoints.iter().enumerate() {
            if let Some(at) = self.belongs.of(first + i) {
                // SAFETY: as above.
                unsafe {
                    let sum = self.format.read(self.base, at) + adjoint;
                    self.format.write(self.base, at, sum);
                }
            }
        }
    }
}
