//! Assignment to elements of matrices.

use super::argument::no_tape;
use super::block::{Block, Cells, Ids, Matrix, RUNS, Storage, bind, zeros};
use super::id::{Id, New};
use super::part::Part;
use super::runs::Runs;
use super::view::{View, check_count};
use crate::error::{Code, Error, Result};
use crate::tape::{Tape, Var};

impl Tape {
    /// Overwrites the elements of a view, column by column, with what `source` gives for 0, 1, 2 and so on; their
    /// number has been checked. `active` if one of them may have an id. `source` must not read the matrix.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn assign(
        tape: Option<&mut Self>,
        name: &str,
        view: &View,
        active: bool,
        source: impl Fn(usize) -> (f64, Id),
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let part = view.part(name)?;
            if part.is_empty() {
                return Ok(());
            }
            let ids = |i: usize| source(i).1;
            let new = if active { New::Each(&ids) } else { New::From(Id::default()) };
            let block = Self::writable(tape, name, view.of, &part, active, new)?;
            let Part { offset, rows, cols, row_step, col_step } = part;
            for j in 0..cols {
                let top = (*block).cells.value.add(offset + j * col_step);
                (0..rows).for_each(|i| *top.add(i * row_step) = source(j * rows + i).0);
            }
            if let (true, Ids::Listed(ids)) = (active, (*block).ids()) {
                for j in 0..cols {
                    let top = ids.add(offset + j * col_step);
                    (0..rows).for_each(|i| *top.add(i * row_step) = source(j * rows + i).1);
                }
            }
        }
        Ok(())
    }

    /// Overwrites the elements of a view that is a column with as many values, which get consecutive ids from `id` on, or none
    /// if that is passive.
    ///
    /// # Safety
    /// As for `assign`; `values` are none of the matrix.
    pub(super) unsafe fn assign_values(
        tape: Option<&mut Self>,
        name: &str,
        view: &View,
        values: &[f64],
        id: Id,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let part = view.part(name)?;
            check_count(name, part.len(), values.len())?;
            if part.is_empty() {
                return Ok(());
            }
            let block = Self::writable(tape, name, view.of, &part, id.id != 0, New::From(id))?;
            let Part { offset, row_step, .. } = part;
            let (n, to) = (values.len(), (*block).cells.value.add(offset));
            if part.is_contiguous() {
                to.copy_from_nonoverlapping(values.as_ptr(), n);
            } else {
                (0..n).for_each(|i| *to.add(i * row_step) = values[i]);
            }
        }
        Ok(())
    }

    /// Overwrites one element with a scalar. Others may follow: they are written in place where that is possible.
    ///
    /// # Safety
    /// As for `assign`; the view has one element.
    pub unsafe fn assign_element(
        tape: Option<&mut Self>,
        name: &str,
        view: &View,
        x: &Var,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { Self::scatter(tape, name, view, &[0], std::slice::from_ref(x)) }
    }

    /// Overwrites the elements of a view with scalars, column by column, ids and all.
    ///
    /// # Safety
    /// As for `assign`.
    pub unsafe fn assign_vars(
        tape: Option<&mut Self>,
        name: &str,
        view: &View,
        elements: &[Var],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            check_count(name, view.part(name)?.len(), elements.len())?;
            let active = elements.iter().any(|element| element.id != 0);
            if let Some(tape) = tape.as_deref()
                && tape.checking()
            {
                tape.check_vars("element", elements)?;
            }
            Self::assign(tape, name, view, active, |i| {
                let Var { value, id, tag } = elements[i];
                (value, Id { id, tag })
            })
        }
    }

    /// Overwrites the elements of a view at `places`, each below their number, with scalars, in their order. All or none.
    ///
    /// # Safety
    /// As for `assign`.
    pub unsafe fn scatter(
        mut tape: Option<&mut Self>,
        name: &str,
        view: &View,
        places: &[usize],
        elements: &[Var],
    ) -> Result<()> {
        if let Some(tape) = tape.as_deref()
            && tape.checking()
        {
            tape.check_vars("x", elements)?;
        }
        let active = elements.iter().any(|element| element.id != 0);
        // SAFETY: the caller's promise.
        unsafe {
            let part = view.part(name)?;
            let at = |place: usize| {
                part.offset + place % part.rows * part.row_step + place / part.rows * part.col_step
            };
            // Nothing is overwritten before all may be.
            for &place in places {
                let one = Part { offset: at(place), ..Part::whole(1, 1) };
                Self::writable(tape.as_deref_mut(), name, view.of, &one, active, New::Listed)?;
            }
            let Cells { value: to, ids, .. } = (*(*view.of).block).cells;
            for (&place, &Var { value, id, tag }) in places.iter().zip(elements) {
                *to.add(at(place)) = value;
                if !ids.is_null() {
                    *ids.add(at(place)) = Id { id, tag };
                }
            }
        }
        Ok(())
    }

    /// Overwrites the elements of a view with those of another of its shape, which may overlap it.
    ///
    /// # Safety
    /// As for `assign`, for both.
    pub unsafe fn assign_view(tape: Option<&mut Self>, to: &View, from: &View) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let (target, source) = (to.part("to")?, from.part("from")?);
            if (target.rows, target.cols) != (source.rows, source.cols) {
                return Err(Error::new(
                    Code::Argument,
                    format!(
                        "to is {} x {}, but from is {} x {}",
                        target.rows, target.cols, source.rows, source.cols
                    ),
                ));
            }
            let block = (*from.of).block;
            match tape.as_deref() {
                Some(tape) => tape.check_block("from", &*block)?,
                None if (*block).is_active() => return Err(no_tape()),
                None => {}
            }
            let whole = |part: &Part, view: &View| {
                part.is_contiguous() && part.len() == (*(*view.of).block).n
            };
            if whole(&target, to) && whole(&source, from) {
                bind(to.of, block);
                return Ok(());
            }
            let elements = Self::elements("from", from)?;
            Self::assign_vars(tape, "to", to, &elements)
        }
    }

    /// The block of a matrix of which `part`, which is not empty, may be overwritten now: its own, with the new ids and with what
    /// must not be lost saved.
    ///
    /// # Safety
    /// `matrix` is live; `part` lies within it.
    unsafe fn writable(
        tape: Option<&mut Self>,
        name: &str,
        matrix: *mut Matrix,
        part: &Part,
        active: bool,
        new: New<'_>,
    ) -> Result<*mut Block> {
        // SAFETY: the caller's promise.
        unsafe {
            if part.is_contiguous() && part.len() == (*(*matrix).block).n {
                return Self::renew(tape, matrix, active, new);
            }
            if let Some(tape) = Self::own_block(tape, name, matrix, active)? {
                tape.overwrite(&mut *(*matrix).block, part, active, new)?;
            }
            Ok((*matrix).block)
        }
    }

    /// Sees to it that the block of a matrix of which a part is to be overwritten is its own. Returns the tape if that has
    /// to know.
    ///
    /// # Safety
    /// `matrix` is live.
    unsafe fn own_block<'t>(
        tape: Option<&'t mut Self>,
        name: &str,
        matrix: *mut Matrix,
        active: bool,
    ) -> Result<Option<&'t mut Self>> {
        // SAFETY: the caller's promise.
        unsafe {
            let block = &mut *(*matrix).block;
            if block.is_stale() {
                return Err(Error::new(
                    Code::Stale,
                    format!(
                        "{name} outlived reset, reset_to or recover_nested: assign the whole matrix first"
                    ),
                ));
            }
            if !active && block.is_heap() {
                if block.owners() > 1 {
                    bind(matrix, Block::heap_copy(block.values())?);
                }
                return Ok(None);
            }
            let tape = tape.ok_or_else(no_tape)?;
            tape.check_block(name, block)?;
            if block.is_heap() || block.owners() > 1 {
                tape.detach(matrix)?;
            }
            Ok(Some(tape))
        }
    }

    /// The block of a matrix, its own, of which `part`, neither nothing nor all, may be overwritten by and by, and gets its new ids
    /// then; none if something would have to be saved.
    ///
    /// # Safety
    /// As for `writable`.
    pub(super) unsafe fn vacant(
        tape: Option<&mut Self>,
        name: &str,
        matrix: *mut Matrix,
        part: &Part,
        active: bool,
    ) -> Result<Option<*mut Block>> {
        // SAFETY: the caller's promise.
        unsafe {
            let tape = Self::own_block(tape, name, matrix, active)?;
            let block = (*matrix).block;
            let vacant = tape.is_none_or(|tape| {
                tape.check_time(&*block).is_ok() && !tape.must_save(&*block, part)
            });
            Ok(vacant.then_some(block))
        }
    }

    /// Gives ids, from `id` on or none if that is passive, to a part of a matrix that was vacant and has been overwritten. False if
    /// the values must be assigned from there instead, since the block is not the matrix's alone any more, or a place has been
    /// marked: whoever sees them there sees plain numbers.
    ///
    /// # Safety
    /// As for `writable`.
    pub(super) unsafe fn number_vacant(
        tape: Option<&mut Self>,
        matrix: *mut Matrix,
        part: &Part,
        id: Id,
    ) -> Result<bool> {
        // SAFETY: the caller's promise.
        unsafe {
            let block = &mut *(*matrix).block;
            let Some(tape) = tape.filter(|_| !block.is_heap()) else {
                return Ok(id.id == 0 && !block.is_active());
            };
            tape.check_block("buf", block)?;
            if block.owners() == 1 && !tape.must_save(block, part) {
                tape.overwrite(block, part, id.id != 0, New::From(id))?;
                return Ok(true);
            }
            let none = Id::default();
            if block.is_listed() {
                block.number(part, block.cells.ids, New::From(none));
            } else if block.is_active() {
                let now = block.runs(&Part::whole(block.n, 1));
                // There is room for two more than may stay.
                let now =
                    now.and_then(|now| now.with(part.span(), std::iter::once((part.len(), none))));
                let ids = now.map(|runs| tape.store_runs(runs)).transpose()?;
                block.number(part, ids.unwrap_or(block.cells.ids), New::From(none));
            }
            Ok(false)
        }
    }

    /// Saves the elements of a part of a block on this tape, if that is needed, and gives them new ids.
    fn overwrite(
        &mut self,
        block: &mut Block,
        part: &Part,
        active: bool,
        new: New<'_>,
    ) -> Result<()> {
        self.check_time(block)?;
        let must_save = self.must_save(block, part);
        let ids = if active || block.is_active() {
            self.ids_with(block, part, new, must_save)?
        } else {
            block.cells.ids
        };
        if must_save {
            self.save(block, part, ids)?;
        }
        block.number(part, ids, new);
        self.open(block);
        Ok(())
    }

    /// An error in a sweep that has come to a time when elements of the block may not have been what they are to be.
    fn check_time(&self, block: &Block) -> Result<()> {
        match block.storage {
            Storage::Arena { offset, .. } if self.is_swept_above(offset) => {
                self.not_in_sweep("assignment to elements")
            }
            _ => Ok(()),
        }
    }

    /// Whether elements of `part` have to be saved before they are overwritten: if an event reads them when it is reversed, or
    /// if a place has been marked since the block was made, to which the user may come back. A journal whose block has no array
    /// brings back all ids as they were, so that what follows it has to be there too.
    fn must_save(&self, block: &Block, part: &Part) -> bool {
        let span = part.span();
        let read = span.start < block.used.end && block.used.start < span.end;
        let follows = !block.is_listed() && block.journal.is_some();
        read || block.born != self.epoch() || follows
    }

    /// The ids of a block once `part` has new ones, for `Block::number`: its array, a new one, or runs. `apart`: a journal tells which
    /// runs it has now.
    fn ids_with(
        &mut self,
        block: &mut Block,
        part: &Part,
        new: New<'_>,
        apart: bool,
    ) -> Result<*mut Id> {
        if block.is_listed() {
            return Ok(block.cells.ids);
        }
        let Some(runs) = block.runs_with(part, new) else { return self.make_ids(block) };
        if let Ids::Runs(own) = block.ids()
            && !apart
            && !own.kept.get()
        {
            let own = block.cells.ids.map_addr(|address| address & !RUNS);
            // SAFETY: live, and nobody has another reference to them.
            unsafe { own.cast::<Runs>().write(runs) };
            return Ok(block.cells.ids);
        }
        self.store_runs(runs)
    }

    /// Lets elements be written inline while nothing has read them and no place is marked.
    fn open(&self, block: &mut Block) {
        if block.used.is_empty() && block.born == self.epoch() && block.is_listed() {
            block.cells.epoch = block.born;
        }
    }

    /// Binds a matrix whose elements are all to be overwritten to a new block, since nobody needs a copy of the old one;
    /// or leaves it its block if that is free.
    ///
    /// # Safety
    /// `matrix` is live.
    unsafe fn renew(
        tape: Option<&mut Self>,
        matrix: *mut Matrix,
        active: bool,
        new: New<'_>,
    ) -> Result<*mut Block> {
        // SAFETY: the caller's promise.
        unsafe {
            let old = (*matrix).block;
            let block = &mut *old;
            let arena = match (tape, &block.storage) {
                (Some(tape), Storage::Arena { serial, .. }) if *serial == tape.serial() => {
                    let free = block.used.is_empty() && block.born == tape.epoch();
                    if free && block.owners() == 1 && block.is_listed() {
                        block.number(&Part::whole(block.n, 1), block.cells.ids, new);
                        tape.open(block);
                        return Ok(block);
                    }
                    Some((tape, old))
                }
                (Some(tape), _) if active => Some((tape, std::ptr::null_mut())),
                (None, _) if active => return Err(no_tape()),
                _ => None,
            };
            let fresh = match arena {
                None => Block::heap(zeros(block.n, 1)?),
                Some((tape, origin)) => {
                    let fresh = tape.arena_block(block.n)?;
                    let all = Part::whole(block.n, 1);
                    match (*fresh).runs_with(&all, new) {
                        Some(runs) => tape.number_fresh(&mut *fresh, &runs)?,
                        None => {
                            let ids = tape.make_ids(&*fresh)?;
                            (*fresh).number(&all, ids, new);
                        }
                    }
                    (*fresh).origin = origin;
                    fresh
                }
            };
            bind(matrix, fresh);
            Ok(fresh)
        }
    }

    /// Binds a matrix to a block of its own with the same elements.
    ///
    /// # Safety
    /// `matrix` is live.
    unsafe fn detach(&mut self, matrix: *mut Matrix) -> Result<()> {
        // SAFETY: the caller's promise; the new block is as long as the old one.
        unsafe {
            let old = &*(*matrix).block;
            let new = self.arena_block(old.n)?;
            std::ptr::copy_nonoverlapping(old.cells.value, (*new).cells.value, old.n);
            match old.ids() {
                Ids::Range => {}
                Ids::Runs(runs) => {
                    runs.kept.set(true);
                    ((*new).cells.ids, (*new).cells.epoch) = (old.cells.ids, 0);
                }
                Ids::Listed(_) => (*new).cells.ids = self.make_ids(old)?,
            }
            let (from, to) = (&old.cells, &mut (*new).cells);
            (to.id0, to.tag, to.step) = (from.id0, from.tag, from.step);
            if !old.is_heap() {
                (*new).origin = (*matrix).block;
            }
            bind(matrix, new);
        }
        Ok(())
    }
}
