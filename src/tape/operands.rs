//! The adjoints of an event in a sweep: those of its results, and apart from them those of its operands.

use super::fence::Fence;
use super::sweep::Sweep;
use crate::count::wide32;
use crate::error::{Code, Error, Result};
use std::ops::Range;

/// The adjoints of values that are older than an event, to which it adds.
#[derive(Debug)]
pub struct Operands<'s> {
    adjoint: *mut f64,
    /// The event's own first id: its operands are older.
    below: u32,
    width: usize,
    fence: &'s mut Fence,
}

/// How the adjoints of consecutive ids may be added to.
#[derive(Debug)]
pub enum Reach {
    /// Where they are, from here on.
    There(*mut f64),
    /// By `Operands::add_run`, which asks for each.
    Each,
    /// Not at all: they are none of the nest's business.
    Nowhere,
}

impl Sweep<'_> {
    /// The adjoints of an event with `n` results from id `first` on, apart: those of its operands, to add to, and the
    /// `n * width` of its results, which it must zero when it has read them.
    pub fn split(&mut self, first: u32, n: usize) -> (Operands<'_>, &mut [f64]) {
        let width = self.width();
        let results = self.adjoints(first, n);
        let results: *mut [f64] = results;
        let adjoint = self.tape().adjoint.base().cast();
        let operands = Operands { adjoint, below: first, width, fence: &mut self.fence };
        // SAFETY: borrowed from the sweep as long as both live; operands keep below the results.
        (operands, unsafe { &mut *results })
    }
}

impl Operands<'_> {
    pub fn width(&self) -> usize {
        self.width
    }

    /// How the adjoints of `ids` may be added to.
    pub fn reach(&self, ids: Range<usize>) -> Result<Reach> {
        if ids.end > wide32(self.below) {
            return Err(foreign(ids.end - 1));
        }
        if ids.start < wide32(self.fence.free()) {
            let ids = narrow(ids.start)..narrow(ids.end);
            if self.fence.ignores_all(&ids) {
                return Ok(Reach::Nowhere);
            }
            if !self.fence.admits_all(&ids) {
                return Ok(Reach::Each);
            }
        }
        // SAFETY: ids below the event's are committed.
        Ok(Reach::There(unsafe { self.adjoint.add(ids.start * self.width) }))
    }

    /// Adds those of `n` elements, the first of `values`, to `active` adjoints of consecutive ids, and returns the rest.
    pub fn add_run<'v>(
        &mut self,
        id: u32,
        active: usize,
        n: usize,
        values: &'v [f64],
    ) -> Result<&'v [f64]> {
        let (now, later) = values.split_at(n * self.width);
        let outside = wide32(self.fence.free().saturating_sub(id)).min(active);
        if wide32(id) + active > wide32(self.below) {
            return Err(foreign(wide32(id) + active - 1));
        }
        for (id, values) in (id..).zip(now.chunks_exact(self.width)).take(outside) {
            if self.fence.lets(id, values) {
                // SAFETY: as in `add`.
                let adjoints = unsafe {
                    std::slice::from_raw_parts_mut(
                        self.adjoint.add(wide32(id) * self.width),
                        self.width,
                    )
                };
                adjoints.iter_mut().zip(values).for_each(|(adjoint, value)| *adjoint += value);
            }
        }
        let now = &now[outside * self.width..active * self.width];
        let first = (wide32(id) + outside) * self.width;
        // SAFETY: as in `add`.
        let adjoints =
            unsafe { std::slice::from_raw_parts_mut(self.adjoint.add(first), now.len()) };
        adjoints.iter_mut().zip(now).for_each(|(adjoint, value)| *adjoint += value);
        Ok(later)
    }
}

/// An id that was given out.
fn narrow(id: usize) -> u32 {
    u32::try_from(id).expect("ids are 32 bits")
}

#[cold]
fn foreign(id: usize) -> Error {
    Error::new(
        Code::Stale,
        format!(
            "an operand has id {id}, made after the operation: it outlived a reset or belongs to another tape \
             (ADMPI_CHECK=1 tells where); clear the adjoints"
        ),
    )
}
