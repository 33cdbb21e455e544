//! Parts of matrices as operands of events: their values, and the adjoints that a sweep adds to.

use super::argument::{Argument, no_tape};
use super::block::{Block, Ids, Storage};
use super::id::{Id, run};
use super::owned::{Hold, Owned};
use super::part::Part;
use super::runs::Runs;
use super::view::View;
use crate::count::wide32;
use crate::error::Result;
use crate::tape::{Operands, Reach, Tape, Var, with_current};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Where the adjoints of an operand are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Passive,
    /// That of the block's element 0, were it the first.
    Range(u32),
    /// In the block's array, which a sweep brings back to what it was. Where those of the part are consecutive, as
    /// for `Range`.
    Listed(Option<u32>),
    /// By these, which stay what they are. Where those of the part are consecutive, as for `Range`.
    Runs(*const Runs, Option<u32>),
    /// That of a scalar; there is no block.
    Scalar(u32),
}

/// A part of a matrix, as an event remembers it.
#[derive(Debug, Clone, Copy)]
pub struct Operand {
    block: *mut Block,
    part: Part,
    ids: Seen,
}

impl Operand {
    const fn is_scalar(&self) -> bool {
        matches!(self.ids, Seen::Scalar(_))
    }

    pub fn scalar(x: &Var) -> Self {
        let ids = if x.id == 0 { Seen::Passive } else { Seen::Scalar(x.id) };
        Self { block: std::ptr::null_mut(), part: Part::whole(1, 1), ids }
    }

    pub const fn part(&self) -> &Part {
        &self.part
    }

    pub fn is_active(&self) -> bool {
        self.ids != Seen::Passive
    }

    /// Whether a sweep adds to its adjoints where they are.
    #[cfg(test)]
    pub(super) const fn is_of_range(&self) -> bool {
        matches!(self.ids, Seen::Range(_) | Seen::Listed(Some(_)) | Seen::Runs(_, Some(_)))
    }

    /// The operand with rows and columns exchanged.
    pub const fn transposed(&self) -> Self {
        let Part { offset, rows, cols, row_step, col_step } = self.part;
        let part = Part { offset, rows: cols, cols: rows, row_step: col_step, col_step: row_step };
        Self { part, ..*self }
    }

    /// The elements on its diagonal, as a column.
    pub fn diagonal(&self) -> Self {
        let Part { offset, rows, cols, row_step, col_step } = self.part;
        let n = rows.min(cols);
        let part = Part { offset, rows: n, cols: 1, row_step: row_step + col_step, col_step: 0 };
        Self { part, ..*self }
    }

    /// The ids of its elements, column by column; 0 for what is passive.
    pub fn ids(&self) -> Vec<u32> {
        let part = self.part;
        match self.ids {
            Seen::Passive => vec![0; part.len()],
            Seen::Scalar(id) => vec![id],
            Seen::Range(first) | Seen::Listed(Some(first)) | Seen::Runs(_, Some(first)) => {
                part.places().map(|k| first + narrow(k)).collect()
            }
            // SAFETY: on the tape, below the event.
            Seen::Runs(runs, None) => part.places().map(|k| unsafe { (*runs).id(k) }.id).collect(),
            Seen::Listed(None) => {
                // SAFETY: held by the tape.
                let listed = unsafe { &*self.block }.listed().expect("a block with ids");
                part.places().map(|k| listed[k].id).collect()
            }
        }
    }

    /// The values from the part's first to its last element, with the part's steps.
    pub fn values(&self) -> &[f64] {
        // SAFETY: whoever made the operand promised that the block lives; an event's is held by its tape.
        let block = unsafe { &*self.block };
        &block.values()[self.part.span()]
    }
}

/// An operand with its values: a part of a matrix, or a scalar.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    pub operand: Operand,
    /// The value of a scalar.
    scalar: Option<f64>,
}

impl Input {
    pub const fn array(operand: Operand) -> Self {
        Self { operand, scalar: None }
    }

    /// What C passed.
    ///
    /// # Safety
    /// As for `Tape::operand`, if it is not a scalar.
    pub unsafe fn new(tape: Option<&Tape>, name: &str, argument: &Argument) -> Result<Self> {
        if !argument.view.of.is_null() {
            // SAFETY: the caller's promise.
            return Ok(Self::array(unsafe { Tape::operand(tape, name, &argument.view)? }));
        }
        let x = &argument.scalar;
        match tape {
            Some(tape) => tape.check_var(name, x)?,
            None if x.id != 0 => return Err(no_tape()),
            None => {}
        }
        Ok(Self { operand: Operand::scalar(x), scalar: Some(x.value) })
    }

    pub const fn is_scalar(&self) -> bool {
        self.scalar.is_some()
    }

    pub const fn len(&self) -> usize {
        self.operand.part.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values, column by column.
    pub fn values(&self) -> Cow<'_, [f64]> {
        let part = &self.operand.part;
        match &self.scalar {
            Some(value) => Cow::Borrowed(std::slice::from_ref(value)),
            None if part.is_contiguous() => Cow::Borrowed(self.operand.values()),
            None => {
                let seen = self.operand.values();
                part.places().map(|k| seen[k - part.offset]).collect()
            }
        }
    }
}

/// The adjoints of an operand: element (i, j) has its directions from `i * row_step + j * col_step` on.
#[derive(Debug)]
pub struct Adjoint<'s> {
    pub values: &'s mut [f64],
    pub row_step: usize,
    pub col_step: usize,
}

/// Where what is added to an operand's adjoints goes: to them, to values that are added to them afterwards, or nowhere.
#[derive(Debug)]
pub(super) enum Place {
    There(*mut f64),
    Apart(Spare),
    Nowhere,
}

/// Zeros in memory that is used again: to get new one for each operand costs more than to add to it.
#[derive(Debug)]
pub(super) struct Spare(Vec<f64>);

thread_local! {
    static SPARE: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

impl Spare {
    fn zeros(n: usize) -> Self {
        let mut values = SPARE.with(|spare| spare.borrow_mut().pop()).unwrap_or_default();
        values.clear();
        values.resize(n, 0.0);
        Self(values)
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.0);
        // A thread that is ending has none any more.
        let _ = SPARE.try_with(|spare| spare.borrow_mut().push(values));
    }
}

impl Place {
    /// The first adjoint, or null, and the steps of rows and columns.
    pub(super) fn pointer(&mut self, operand: &Operand, width: usize) -> (*mut f64, usize, usize) {
        let part = &operand.part;
        match self {
            // The same adjoint for every element of a result.
            Self::There(adjoint) if operand.is_scalar() => (*adjoint, 0, 0),
            Self::There(adjoint) => (*adjoint, part.row_step * width, part.col_step * width),
            Self::Apart(Spare(values)) if operand.is_scalar() => (values.as_mut_ptr(), 0, 0),
            Self::Apart(Spare(values)) => (values.as_mut_ptr(), width, part.rows * width),
            Self::Nowhere => (std::ptr::null_mut(), 0, 0),
        }
    }
}

impl Block {
    /// Of a block with ids: the id of element 0, were those of the part consecutive with it.
    fn range_of(&self, part: &Part) -> Option<u32> {
        let ids = self.listed()?;
        let Part { offset, rows, cols, row_step, col_step } = *part;
        let first = (!part.is_empty()).then(|| ids[offset].id).filter(|&id| id != 0)?;
        let before = first.checked_sub(u32::try_from(offset).ok()?)?;
        let follows = |k: usize| wide32(ids[k].id) == wide32(before) + k;
        (0..cols)
            .map(|j| offset + j * col_step)
            .all(|top| match row_step {
                1 => follows(top) && run(&ids[top..top + rows]) == rows,
                _ => (0..rows).all(|i| follows(top + i * row_step)),
            })
            .then_some(before)
    }
}

impl Seen {
    fn of_runs(runs: &Runs, part: &Part) -> Self {
        let span = part.span();
        let one = runs.one(span.clone());
        if part.is_empty() || one.is_some_and(|first| first.id == 0) {
            return Self::Passive;
        }
        let before = |first: Id| first.id.checked_sub(u32::try_from(span.start).ok()?);
        runs.kept.set(true);
        Self::Runs(runs, one.and_then(before))
    }
}

/// Calls an operation with whole matrices as its operands.
pub fn with_operands<R, const N: usize>(
    matrices: [(&str, &Owned); N],
    operation: impl FnOnce(Option<&mut Tape>, [Operand; N]) -> Result<R>,
) -> Result<R> {
    with_current(|tape| {
        let mut failure = None;
        let operands = matrices.map(|(name, matrix)| {
            // SAFETY: an owned matrix is live, here until the operation is over.
            let made = unsafe { Tape::operand(tape.as_deref(), name, &matrix.view()) };
            made.map_err(|error| failure.get_or_insert(error).clone()).ok()
        });
        match failure {
            Some(error) => Err(error),
            None => operation(tape, operands.map(|operand| operand.expect("nothing failed"))),
        }
    })
}

impl Tape {
    /// A view as an operand.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix, which lives as long as the operand, or as the events that the operand was
    /// given to after `keep_operand`.
    pub unsafe fn operand(tape: Option<&Self>, name: &str, view: &View) -> Result<Operand> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, (*view.of).block) };
        // SAFETY: a live matrix is bound to a live block.
        let seen = unsafe { &*block };
        let ids = match seen.ids() {
            _ if !seen.is_active() => Seen::Passive,
            Ids::Range => Seen::Range(seen.cells.id0),
            Ids::Runs(runs) => Seen::of_runs(runs, &part),
            Ids::Listed(_) => Seen::Listed(seen.range_of(&part)),
        };
        let operand = Operand { block, part, ids };
        match tape {
            Some(tape) => {
                tape.check_block(name, seen)?;
                if tape.checking() && operand.is_active() {
                    // SAFETY: the caller's promise.
                    tape.check_vars(name, &unsafe { Self::elements(name, view) }?)?;
                }
            }
            None if operand.is_active() => return Err(no_tape()),
            None => {}
        }
        Ok(operand)
    }

    /// Sees to it that events recorded from now on find the operand's ids, and its values if they read those, when
    /// they are reversed.
    pub fn keep_operand(&mut self, operand: &Operand, reads_values: bool) -> Result<()> {
        if operand.block.is_null() || (!reads_values && !matches!(operand.ids, Seen::Listed(_))) {
            return Ok(());
        }
        let (events, serial) = (self.event_count(), self.serial());
        // SAFETY: live, by the promise of who made the operand.
        let block = unsafe { &*operand.block };
        if let Storage::Heap { holder } = &block.storage {
            // Another tape that comes between holds it once more.
            if holder.load(Ordering::Relaxed) != serial {
                block.own();
                let hold = Hold { block: operand.block, serial };
                self.record(0, |_, _| hold)?;
                holder.store(serial, Ordering::Relaxed);
            }
            return Ok(());
        }
        // SAFETY: as above; the tape's own.
        let block = unsafe { &mut *operand.block };
        let span = operand.part.span();
        if !span.is_empty() {
            block.used = match &block.used {
                Range { start, end } if start < end => span.start.min(*start)..span.end.max(*end),
                _ => span,
            };
        }
        block.used_until = events;
        block.cells.epoch = 0;
        Ok(())
    }
}

impl Tape {
    /// A matrix that an operation has computed, as an operand whose values its event reads again: a result, or a factor
    /// that nobody else knows.
    pub fn keep_made(&mut self, made: &Owned) -> Result<Operand> {
        let (rows, cols) = made.shape();
        // SAFETY: a live matrix is bound to a live block; `keep_operand` sees to it that the block stays.
        let block = unsafe { (*made.0).block };
        let operand = Operand { block, part: Part::whole(rows, cols), ids: Seen::Passive };
        self.keep_operand(&operand, true)?;
        Ok(operand)
    }
}

impl Operands<'_> {
    /// Lets `f` add to the adjoints of `operand`. It is not called where there are none, or where they are none of
    /// the nest's business.
    pub fn add(&mut self, operand: &Operand, f: impl FnOnce(Adjoint<'_>)) -> Result<()> {
        let mut place = self.place(operand)?;
        let (adjoint, row_step, col_step) = place.pointer(operand, self.width());
        if adjoint.is_null() {
            return Ok(());
        }
        let n = match &place {
            Place::Apart(Spare(values)) => values.len(),
            _ => operand.part.span().len() * self.width(),
        };
        // SAFETY: as many are there, and `&mut self` keeps others away.
        let values = unsafe { std::slice::from_raw_parts_mut(adjoint, n) };
        f(Adjoint { values, row_step, col_step });
        self.gathered(&place, operand)
    }

    /// Adds one value for each element, column by column, times `weight`, to direction `k` of the adjoints of `operand`.
    pub fn add_columns(
        &mut self,
        operand: &Operand,
        k: usize,
        values: &[f64],
        weight: f64,
    ) -> Result<()> {
        let rows = operand.part.rows;
        self.add(operand, |Adjoint { values: adjoints, row_step, col_step }| {
            for (j, column) in values.chunks(rows).enumerate() {
                let adjoints = &mut adjoints[j * col_step + k..];
                if row_step == 1 {
                    adjoints.iter_mut().zip(column).for_each(|(to, value)| *to += value * weight);
                } else {
                    let adjoints = adjoints.iter_mut().step_by(row_step.max(1));
                    adjoints.zip(column).for_each(|(to, value)| *to += value * weight);
                }
            }
        })
    }

    /// Where what is added to the adjoints of `operand` goes.
    pub(super) fn place(&self, operand: &Operand) -> Result<Place> {
        let (part, width) = (&operand.part, self.width());
        if part.is_empty() {
            return Ok(Place::Nowhere);
        }
        let (first, span) = match operand.ids {
            Seen::Passive => return Ok(Place::Nowhere),
            Seen::Listed(None) | Seen::Runs(_, None) => {
                return Ok(Place::Apart(Spare::zeros(part.len() * width)));
            }
            Seen::Scalar(id) => (id, 0..1),
            Seen::Range(first) | Seen::Listed(Some(first)) | Seen::Runs(_, Some(first)) => {
                (first, part.span())
            }
        };
        let first = wide32(first);
        Ok(match self.reach(first + span.start..first + span.end)? {
            Reach::There(adjoint) => Place::There(adjoint),
            Reach::Each => Place::Apart(Spare::zeros(part.len() * width)),
            Reach::Nowhere => Place::Nowhere,
        })
    }

    /// To be called when all has been added.
    pub(super) fn gathered(&mut self, place: &Place, operand: &Operand) -> Result<()> {
        match place {
            Place::Apart(Spare(values)) => self.scatter(operand, values),
            _ => Ok(()),
        }
    }

    /// Adds values to the adjoints of elements that have no consecutive ids, one run of those after the other, since an
    /// id may occur twice.
    fn scatter(&mut self, operand: &Operand, mut values: &[f64]) -> Result<()> {
        if let Seen::Scalar(id) = operand.ids {
            self.add_run(id, 1, 1, values)?;
            return Ok(());
        }
        let Part { offset, rows, cols, row_step, col_step } = operand.part;
        for top in (0..cols).map(|j| offset + j * col_step) {
            if row_step == 1 {
                values = self.add_elements(operand, top..top + rows, values)?;
            } else {
                for k in (0..rows).map(|i| top + i * row_step) {
                    values = self.add_elements(operand, k..k + 1, values)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the first of `values` to the adjoints of the elements at `places` of the operand's block, which has runs or a list, and
    /// returns the rest.
    fn add_elements<'v>(
        &mut self,
        operand: &Operand,
        places: Range<usize>,
        mut values: &'v [f64],
    ) -> Result<&'v [f64]> {
        if let Seen::Runs(runs, _) = operand.ids {
            // SAFETY: on the tape, below the event.
            for (n, first) in unsafe { &*runs }.each(places) {
                let active = if first.id == 0 { 0 } else { n };
                values = self.add_run(first.id, active, n, values)?;
            }
            return Ok(values);
        }
        if let Seen::Range(first) = operand.ids {
            return self.add_run(first + narrow(places.start), places.len(), places.len(), values);
        }
        // SAFETY: held by the tape.
        let block = unsafe { &*operand.block };
        self.add_listed(&block.listed().expect("a block with ids")[places], values)
    }

    /// Adds the first of `values` to the adjoints of elements with these ids, and returns the rest.
    fn add_listed<'v>(&mut self, mut ids: &[Id], mut values: &'v [f64]) -> Result<&'v [f64]> {
        while let Some(first) = ids.first() {
            let n = run(ids);
            let active = if first.id == 0 { 0 } else { n };
            values = self.add_run(first.id, active, n, values)?;
            ids = &ids[n..];
        }
        Ok(values)
    }

    /// Adds `values`, one for each of the places and direction, to the adjoints of the elements there of an operand that is
    /// a whole matrix.
    pub(super) fn add_places(
        &mut self,
        operand: &Operand,
        places: Range<usize>,
        values: &[f64],
    ) -> Result<()> {
        let n = places.len();
        match operand.ids {
            Seen::Passive | Seen::Scalar(_) => {}
            _ if n == 0 => {}
            Seen::Range(first) | Seen::Listed(Some(first)) => {
                let ahead = u32::try_from(places.start).expect("an element with an id");
                self.add_run(first + ahead, n, n, values)?;
            }
            Seen::Listed(None) | Seen::Runs(..) => {
                self.add_elements(operand, places, values)?;
            }
        }
        Ok(())
    }
}

/// An id that was given out.
fn narrow(id: usize) -> u32 {
    u32::try_from(id).expect("ids are 32 bits")
}
