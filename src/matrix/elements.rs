//! Elements of matrices as scalars, with their ids.

use super::argument::no_tape;
use super::id::{Id, STALE};
use super::owned::Owned;
use super::runs::Runs;
use super::view::{View, check_count};
use crate::count::product;
use crate::error::Result;
use crate::tape::{Tape, Var};

impl Owned {
    /// The elements as scalars, column by column.
    pub fn elements(&self) -> Result<Vec<Var>> {
        // SAFETY: live, since it is owned.
        unsafe { Tape::elements("matrix", &self.view()) }
    }
}

impl Tape {
    /// The elements of a view as scalars, column by column.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn elements(name: &str, view: &View) -> Result<Vec<Var>> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        let element = |k: usize| {
            let Id { id, tag } = block.id(k);
            Var { value: block.values()[k], id, tag }
        };
        Ok(part.places().map(element).collect())
    }

    /// The values of a view, column by column.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix; `out` does not overlap it.
    pub unsafe fn values_of(name: &str, view: &View, out: &mut [f64]) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), out.len())?;
        let values = block.values();
        for (out, k) in out.iter_mut().zip(part.places()) {
            *out = values[k];
        }
        Ok(())
    }

    /// A matrix with these elements, column by column, ids and all: nothing is recorded.
    pub fn matrix_with(
        tape: Option<&mut Self>,
        rows: usize,
        cols: usize,
        elements: &[Var],
    ) -> Result<Owned> {
        assert_eq!(elements.len(), rows * cols);
        if elements.iter().all(|element| element.id == 0) {
            return Owned::passive(rows, cols, elements.iter().map(|x| x.value));
        }
        let tape = tape.ok_or_else(no_tape)?;
        if tape.checking() {
            tape.check_vars("element", elements)?;
        }
        let block = tape.arena_block(elements.len())?;
        let ids = tape.allocate(product("ids", elements.len(), size_of::<Id>())?, 8)?;
        // SAFETY: just made, of as many values and ids.
        unsafe {
            (*block).cells.ids = tape.payload_at(ids).cast();
            for (k, &Var { value, id, tag }) in elements.iter().enumerate() {
                *(*block).cells.value.add(k) = value;
                *(*block).cells.ids.add(k) = Id { id, tag };
            }
        }
        Ok(Owned::new(block, rows, cols))
    }

    /// A matrix of its own with the elements of a view, ids and all: nothing is recorded.
    ///
    /// # Safety
    /// As for `elements`.
    pub unsafe fn matrix_of(tape: Option<&mut Self>, name: &str, view: &View) -> Result<Owned> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        if block.is_stale() || !block.is_active() || part.is_empty() {
            let values = part.places().map(|k| block.values()[k]);
            let copy = Owned::passive(part.rows, part.cols, values)?;
            if block.is_stale() {
                // SAFETY: just made.
                let cells = unsafe { &mut (*(*copy.0).block).cells };
                (cells.id0, cells.tag) = (STALE, block.cells.tag);
            }
            return Ok(copy);
        }
        let tape = tape.ok_or_else(no_tape)?;
        tape.check_block(name, block)?;
        let runs = block.runs(&part).filter(Runs::are_few);
        let copy = tape.arena_block(part.len())?;
        // SAFETY: just made, of as many values and ids.
        unsafe {
            for (i, k) in part.places().enumerate() {
                *(*copy).cells.value.add(i) = block.values()[k];
            }
            if let Some(runs) = runs {
                tape.number_fresh(&mut *copy, &runs)?;
            } else {
                let ids = tape.allocate(product("ids", part.len(), size_of::<Id>())?, 8)?;
                let ids: *mut Id = tape.payload_at(ids).cast();
                (*copy).cells.ids = ids;
                part.places().enumerate().for_each(|(i, k)| *ids.add(i) = block.id(k));
            }
        }
        Ok(Owned::new(copy, part.rows, part.cols))
    }
}
