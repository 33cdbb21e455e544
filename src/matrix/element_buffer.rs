//! Parts of matrices as buffers of messages: values leave from where they lie, and arrive where they are to stay.

use super::block::{Block, Storage, bind};
use super::id::Id;
use super::owned::{Hold, Owned};
use super::part::Part;
use super::view::View;
use crate::error::{Code, Error, Result};
use crate::tape::{ArenaLoan, Tape, Var, with_current};
use std::ops::Range;

/// Elements that are handed on at a time.
const CHUNK: usize = 64;

/// `n` elements of a view, column by column, from the `first` on. It keeps the matrix.
#[derive(Debug)]
pub struct ElementBuffer {
    of: Owned,
    view: View,
    first: usize,
    n: usize,
    loan: Option<Loan>,
}

/// What MPI reads or writes, until the request is complete.
#[derive(Debug)]
#[allow(dead_code)] // some are there to be dropped
enum Loan {
    /// A matrix that is to take the place of the whole one.
    Fresh(Owned, Option<ArenaLoan>),
    /// The elements themselves, of this block, which may be overwritten.
    There(*mut Block, *mut f64, Option<ArenaLoan>),
    /// Values that leave, of a block in the arena.
    Leaving(ArenaLoan),
    /// Of one on the heap.
    Held(Hold),
}

impl Clone for ElementBuffer {
    fn clone(&self) -> Self {
        let Self { of, view, first, n, loan: _ } = self;
        // SAFETY: live.
        let of = unsafe { Owned::share(of.0) };
        Self { of, view: *view, first: *first, n: *n, loan: None }
    }
}

impl ElementBuffer {
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn new(name: &str, view: View, first: i64, n: usize) -> Result<Self> {
        // SAFETY: the caller's promise.
        let part = unsafe { view.part(name)? };
        let within = |first: &usize| first.checked_add(n).is_some_and(|end| end <= part.len());
        let Some(place) = usize::try_from(first).ok().filter(within) else {
            return Err(Error::new(
                Code::Range,
                format!(
                    "{name}: {n} elements from the {first}th on are not within {} x {}",
                    part.rows, part.cols
                ),
            ));
        };
        // SAFETY: as above.
        let of = unsafe { Owned::share(view.of) };
        Ok(Self { of, view, first: place, n, loan: None })
    }

    fn block(&self) -> &Block {
        // SAFETY: `of` keeps the matrix, and a live matrix is bound to a live block.
        unsafe { &*(*self.of.0).block }
    }

    /// The part, which may be beyond the matrix by now.
    fn part(&self) -> Result<Part> {
        // SAFETY: as above.
        unsafe { self.view.part("buf") }
    }

    /// The places of the elements in the block, if they lie side by side.
    fn run(&self) -> Option<Range<usize>> {
        let part = self.part().ok()?;
        let from = part.offset + self.first;
        part.is_contiguous().then_some(from..from + self.n)
    }

    /// The values, if they lie side by side.
    pub fn values(&self) -> Option<&[f64]> {
        self.run().map(|run| &self.block().values()[run])
    }

    /// Keeps the values where they are while MPI reads them, whatever becomes of the matrix and of its tape; false where
    /// that cannot be: not side by side, or on a tape that is not the thread's.
    pub fn hold(&mut self) -> bool {
        if self.run().is_none() {
            return false;
        }
        // SAFETY: `of` keeps the matrix, and a live matrix is bound to a live block.
        let block = unsafe { (*self.of.0).block };
        // SAFETY: as above.
        let loan = match unsafe { &(*block).storage } {
            Storage::Heap { .. } => {
                // SAFETY: as above.
                unsafe { (*block).own() };
                Some(Loan::Held(Hold { block, serial: 0 }))
            }
            Storage::Arena { serial, offset, .. } => with_current(|tape| {
                let tape = tape.filter(|tape| tape.serial() == *serial)?;
                Some(Loan::Leaving(tape.lend_arena(*offset + 1)))
            }),
        };
        self.loan = loan;
        self.loan.is_some()
    }

    /// The first of the ids if they are consecutive, 0 if no element is active; else none. For elements side by side.
    pub fn range(&self) -> Option<u32> {
        let run = self.run()?;
        self.block().range(&Part { offset: run.start, ..Part::whole(run.len(), 1) })
    }

    /// Calls `f` with copies of the first `n` elements, some at a time.
    pub fn each(&self, n: usize, mut f: impl FnMut(*mut Var, usize)) {
        let Ok(part) = self.part() else { return };
        let block = self.block();
        let mut some = [Var::default(); CHUNK];
        let end = self.first + n.min(self.n);
        for from in (self.first..end).step_by(CHUNK) {
            let some = &mut some[..CHUNK.min(end - from)];
            for (k, var) in (from..).zip(&mut *some) {
                let (i, j) = (k % part.rows, k / part.rows);
                let place = part.offset + i * part.row_step + j * part.col_step;
                let Id { id, tag } = block.id(place);
                *var = Var { value: block.values()[place], id, tag };
            }
            f(some.as_mut_ptr(), some.len());
        }
    }

    /// The columns, or parts of columns, that the elements `from..from + n` are, with the number of elements before each.
    fn pieces(&self, from: usize, n: usize) -> Result<Vec<(View, usize)>> {
        let part = self.part()?;
        let begin = self.first + from;
        let end = begin + n;
        assert!(end <= self.first + self.n, "elements of the buffer");
        if n == 0 {
            return Ok(Vec::new());
        }
        let as_c = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let piece = |offset: usize, rows: usize, row_step: usize| View {
            of: self.view.of,
            offset: as_c(offset),
            rows: as_c(rows),
            cols: 1,
            row_step: as_c(row_step),
            col_step: as_c(rows),
        };
        if part.is_contiguous() {
            return Ok(vec![(piece(part.offset + begin, n, 1), 0)]);
        }
        let column = |j: usize| {
            let top = begin.max(j * part.rows);
            let rows = end.min((j + 1) * part.rows) - top;
            let offset = part.offset + (top - j * part.rows) * part.row_step + j * part.col_step;
            (piece(offset, rows, part.row_step), top - begin)
        };
        Ok((begin / part.rows..=(end - 1) / part.rows).map(column).collect())
    }

    /// Overwrites the elements from `from` on with values, which get consecutive ids.
    fn assign(&self, from: usize, values: &[f64], id: Id) -> Result<()> {
        for (piece, before) in self.pieces(from, values.len())? {
            let rows = usize::try_from(piece.rows).unwrap_or(0);
            let values = &values[before..before + rows];
            // SAFETY: `of` keeps the matrix, whose elements the values are not.
            with_current(|tape| unsafe {
                Tape::assign_values(tape, "buf", &piece, values, id.behind(before))
            })?;
        }
        Ok(())
    }

    /// Writes scalars, ids and all, from the beginning on.
    pub fn set(&self, vars: &[Var]) -> Result<()> {
        let active = vars.iter().any(|var| var.id != 0);
        for (piece, before) in self.pieces(0, vars.len())? {
            // SAFETY: `of` keeps the matrix, which the source does not read.
            with_current(|tape| unsafe {
                Tape::assign(tape, "buf", &piece, active, |i| {
                    let Var { value, id, tag } = vars[before + i];
                    (value, Id { id, tag })
                })
            })?;
        }
        Ok(())
    }

    /// Writes what has arrived to the elements from `from` on. They get consecutive ids from `id` on, or none if that is
    /// passive.
    pub fn put(&mut self, from: usize, values: &[f64], id: Id) -> Result<()> {
        if from == 0 && values.len() == self.n && self.is_whole() {
            let mut fresh = with_current(|tape| match tape {
                // Active, though the tape may have stopped recording since.
                Some(tape) if id.id != 0 => tape.matrix_for_ids(self.n),
                tape => self.fresh(tape),
            })?;
            fresh.fresh_values().copy_from_slice(values);
            self.take_over(&fresh, id);
            return Ok(());
        }
        self.assign(from, values, id)
    }

    /// Whether they are all elements of the matrix, in their order.
    fn is_whole(&self) -> bool {
        let n = self.block().n;
        n > 0 && self.run() == Some(0..n)
    }

    fn fresh(&self, tape: Option<&mut Tape>) -> Result<Owned> {
        match tape {
            Some(tape) => tape.matrix(self.n, 1),
            None => Owned::unwritten(self.n, 1),
        }
    }

    /// Binds the matrix to the block of a fresh one of as many elements, which get ids.
    fn take_over(&self, fresh: &Owned, id: Id) {
        // SAFETY: both are live.
        unsafe {
            let block = (*fresh.0).block;
            if id.id != 0 {
                let cells = &mut (*block).cells;
                (cells.id0, cells.tag, cells.step) = (id.id, id.tag, 1);
            }
            bind(self.of.0, block);
        }
    }

    /// Lets values arrive where they are to stay, if that may be: `place` tells where. `at_once`: the program waits for
    /// them.
    pub fn lend(&mut self, at_once: bool) -> Result<()> {
        self.loan = with_current(|tape| {
            if self.is_whole() {
                return self.lend_whole(tape, at_once).map(Some);
            }
            self.lend_part(tape, at_once)
        })?;
        Ok(())
    }

    fn lend_whole(&self, mut tape: Option<&mut Tape>, at_once: bool) -> Result<Loan> {
        let fresh = self.fresh(tape.as_deref_mut())?;
        let token = match tape {
            Some(tape) if !at_once && tape.recording() => {
                Some(tape.lend_arena(tape.position().payload))
            }
            _ => None,
        };
        Ok(Loan::Fresh(fresh, token))
    }

    /// Where what stands there may be forgotten, and nobody can free it meanwhile.
    fn lend_part(&self, mut tape: Option<&mut Tape>, at_once: bool) -> Result<Option<Loan>> {
        let Some(run) = self.run().filter(|run| !run.is_empty()) else { return Ok(None) };
        let active = tape.as_ref().is_some_and(|tape| tape.recording());
        if !at_once && !active && self.block().is_heap() {
            return Ok(None);
        }
        let part = Part { offset: run.start, ..Part::whole(run.len(), 1) };
        // SAFETY: `of` keeps the matrix, within which the part lies.
        unsafe {
            let vacant = Tape::vacant(tape.as_deref_mut(), "buf", self.of.0, &part, active)?;
            let Some(block) = vacant else { return Ok(None) };
            let place = (*block).cells.value.add(run.start);
            let token = match (tape, &(*block).storage) {
                (Some(tape), Storage::Arena { offset, .. }) if !at_once => {
                    Some(tape.lend_arena(*offset + 1))
                }
                _ => None,
            };
            Ok(Some(Loan::There(block, place, token)))
        }
    }

    /// Where the values are to arrive, once `lend` has said so.
    pub fn place(&mut self) -> Option<*mut f64> {
        match self.loan.as_mut()? {
            Loan::There(_, place, _) => Some(*place),
            Loan::Fresh(fresh, _) => Some(fresh.fresh_values().as_mut_ptr()),
            Loan::Leaving(_) | Loan::Held(_) => None,
        }
    }

    /// Whether values arrive where they are to stay.
    pub const fn is_lent(&self) -> bool {
        self.loan.is_some()
    }

    /// The first `n` values have arrived there. Ids as for `put`.
    pub fn settle(&mut self, n: usize, id: Id) -> Result<()> {
        match self.loan.take() {
            Some(Loan::Fresh(fresh, _)) if n == self.n && self.is_whole() => {
                self.take_over(&fresh, id);
            }
            Some(Loan::Fresh(mut fresh, _)) => {
                self.assign(0, &fresh.fresh_values()[..n], id)?;
            }
            Some(Loan::There(block, place, _token)) => {
                self.settle_there(block, place, n.min(self.n), id)?;
            }
            None | Some(Loan::Leaving(_) | Loan::Held(_)) => {}
        }
        Ok(())
    }

    /// The places in the block, if they are still where they were lent.
    fn run_at(&self, block: *mut Block, place: *mut f64) -> Option<Range<usize>> {
        self.run().filter(|run| {
            // SAFETY: `of` keeps the matrix, and the run lies within its block.
            let now = unsafe { ((*self.of.0).block, self.block().cells.value.add(run.start)) };
            now == (block, place)
        })
    }

    fn settle_there(&self, block: *mut Block, place: *mut f64, n: usize, id: Id) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        if let Some(run) = self.run_at(block, place) {
            let part = Part { offset: run.start, ..Part::whole(n, 1) };
            // SAFETY: as above.
            let numbered =
                with_current(|tape| unsafe { Tape::number_vacant(tape, self.of.0, &part, id) })?;
            if numbered {
                return Ok(());
            }
        }
        // The matrix has got other elements since, or the old ones are needed after all.
        // SAFETY: the memory stays while it is lent.
        let values = unsafe { std::slice::from_raw_parts(place, n) }.to_vec();
        self.assign(0, &values, id)
    }

    /// What has arrived are no values of the program's: those that may have been overwritten are passive.
    pub fn spoil(&mut self) {
        match self.loan {
            Some(Loan::There(block, place, _)) if self.run_at(block, place).is_some() => {
                drop(self.settle(self.n, Id::default()));
            }
            _ => self.loan = None,
        }
    }
}

// SAFETY: a matrix belongs to one thread at a time; a request that is completed on another one took it along.
unsafe impl Send for ElementBuffer {}
