//! What marks active values, their ids and tags: read from a buffer, or written to one.

use crate::matrix::Id;
use crate::tape::Var;
use crate::var_pack::{Words, id_of, mark_of, marks_differ, take_apart};

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

    pub(super) const fn id(self, i: u32) -> u32 {
        // Passive values all have id 0: then the step is 0 as well.
        self.first + if self.first == 0 { 0 } else { i }
    }

    /// What the marks of two values differ by, of which one follows the other.
    pub(super) fn step(self) -> u64 {
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
pub(super) const fn narrow(n: usize) -> u32 {
    n as u32
}

/// A run as words.
///
/// # Safety
/// It lies in the user's buffer.
pub(super) unsafe fn words<'a>(run: *const Var, n: usize) -> &'a [Words] {
    const { assert!(size_of::<Var>() == size_of::<Words>() && align_of::<Var>() >= align_of::<Words>()) };
    // SAFETY: the caller's promise; a `Var` is two words.
    unsafe { std::slice::from_raw_parts(run.cast(), n) }
}

/// Finds out whether a sequence of ids is a range, passive, or neither.
#[derive(Default)]
pub(super) struct Scan {
    first: Option<u32>,
    seen: u32,
    /// The bits in which some id differs from what a range would have.
    broken: u64,
}

impl Scan {
    /// Sees `n` consecutive ids from `first` on, or passive ones if that is 0.
    pub(super) fn run(&mut self, first: u32, n: usize) {
        if n == 0 {
            return;
        }
        let start = *self.first.get_or_insert(first);
        let expected = if start == 0 { 0 } else { start.wrapping_add(self.seen) };
        self.broken |= mark_of(first ^ expected, 0);
        self.seen = self.seen.wrapping_add(narrow(n));
    }

    pub(super) fn add(&mut self, doubles: &[Words]) {
        self.walk(doubles, marks_differ);
    }

    /// Copies the values beside.
    pub(super) fn copy(&mut self, doubles: &[Words], values: &mut [f64]) {
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

    pub(super) const fn shape(&self) -> Shape {
        match (self.first, self.broken) {
            (None | Some(0), 0) => Shape::Passive,
            (Some(first), 0) => Shape::Range(first),
            _ => Shape::Mixed,
        }
    }
}
