//! Overwriting elements: what recorded events and marked places still need is saved, taken back as a sweep passes,
//! and done again at its end.

use super::runs::Runs;
use super::{
    Block, Cells, Home, Id, Ids, Matrix, Part, RUNS, STALE, View, bind, check_count, zeros,
};
use crate::count::product;
use crate::error::{Code, Error, Result};
use crate::tape::{Event, Sweep, Tape, Var};

/// What stood in an element; while the assignment is taken back, what it was overwritten with.
struct Saved {
    value: f64,
    id: Id,
    place: usize,
}

/// Saved elements in the arena, oldest first; `n` of them follow.
struct Chunk {
    older: *mut Self,
    newer: *mut Self,
    n: usize,
    kind: Kind,
}

/// How a chunk holds its elements.
#[derive(Clone, Copy)]
enum Kind {
    /// Each with its place; there is room for so many.
    Scattered { capacity: usize },
    /// Side by side from this place on: all values, then all ids.
    Run { place: usize },
    /// Those of a part of a block whose ids are runs: those, then all values.
    Part,
}

/// What ids a block had before and after an assignment to a part of it, as in `Cells::ids`.
struct Numbered {
    part: Part,
    before: *mut Id,
    after: *mut Id,
}

/// The ids that elements are to get.
#[derive(Clone, Copy)]
pub(super) enum New<'a> {
    /// Consecutive ones, or none if it is passive.
    From(Id),
    /// Those that it gives for 0, 1, 2 and so on, column by column. The caller writes them to an array if there is one.
    Each(&'a dyn Fn(usize) -> Id),
    /// Written by the caller, to an array.
    Listed,
}

/// From how many elements side by side on they are saved as a run, which then takes less. The matrices of tests are small.
const RUN: usize = if cfg!(test) { 2 } else { 8 };

impl Chunk {
    /// Swaps the saved elements with those of the block: newest first to take assignments back, else to redo them.
    ///
    /// # Safety
    /// Chunk and block are live.
    unsafe fn swap(chunk: *mut Self, block: *mut Block, newest_first: bool) {
        // SAFETY: the caller's promise; the places were checked when they were saved.
        unsafe {
            let (n, cells) = ((*chunk).n, &mut (*block).cells);
            let listed = match Cells::read(cells.ids) {
                Ids::Listed(ids) => Some(ids),
                _ => None,
            };
            if let Kind::Part = (*chunk).kind {
                let Numbered { part, before, after } = *chunk.add(1).cast();
                let saved = chunk.add(1).cast::<Numbered>().add(1).cast::<f64>();
                let ids = if newest_first { before } else { after };
                for (i, place) in part.places().enumerate() {
                    std::ptr::swap(saved.add(i), cells.value.add(place));
                }
                cells.ids = ids;
                return;
            }
            if let Kind::Run { place } = (*chunk).kind {
                let (values, ids) = Self::run(chunk);
                std::ptr::swap_nonoverlapping(values, cells.value.add(place), n);
                if let Some(listed) = listed {
                    std::ptr::swap_nonoverlapping(ids, listed.add(place), n);
                }
                return;
            }
            let saved = chunk.add(1).cast::<Saved>();
            for i in 0..n {
                let saved = &mut *saved.add(if newest_first { n - 1 - i } else { i });
                std::ptr::swap(&raw mut saved.value, cells.value.add(saved.place));
                if let Some(listed) = listed {
                    std::ptr::swap(&raw mut saved.id, listed.add(saved.place));
                }
            }
        }
    }

    /// Where the values and the ids of a run are.
    ///
    /// # Safety
    /// The chunk is live, and of that kind.
    unsafe fn run(chunk: *mut Self) -> (*mut f64, *mut Id) {
        // SAFETY: the caller's promise.
        unsafe {
            let values = chunk.add(1).cast::<f64>();
            (values, values.add((*chunk).n).cast())
        }
    }
}

/// Assignments to one block with nothing between them that reads it.
#[derive(Debug)]
pub struct Journal {
    block: *mut Block,
    oldest: *mut Chunk,
    newest: *mut Chunk,
    /// Where on the tape it is, and the tape's epoch: later ones must not be forgotten with an earlier place.
    event: u32,
    epoch: u32,
    /// The block got its array of ids here, the second: what it had in its place, and the array.
    made_ids: Option<[*mut Id; 2]>,
}

impl Journal {
    fn take_back(&self) {
        let mut chunk = self.newest;
        while !chunk.is_null() {
            // SAFETY: chunks and block lie on the tape below or beside this event.
            unsafe {
                Chunk::swap(chunk, self.block, true);
                chunk = (*chunk).older;
            }
        }
        self.set_ids(0);
    }

    /// What the block has before the array is made (0), or then (1).
    fn set_ids(&self, then: usize) {
        if let Some(ids) = self.made_ids {
            // SAFETY: the block lies below the event, or is forgotten after it.
            unsafe { (*self.block).cells.ids = ids[then] };
        }
    }
}

impl Event for Journal {
    const NAME: &'static str = "assignment to elements";
    const MUTATES: bool = true;

    /// The elements brought their ids along: adjoints are where they belong.
    fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
        Ok(())
    }

    fn undo(&mut self, _sweep: &mut Sweep<'_>) {
        self.take_back();
    }

    fn redo(&mut self, _sweep: &mut Sweep<'_>) {
        self.set_ids(1);
        let mut chunk = self.oldest;
        while !chunk.is_null() {
            // SAFETY: as in `take_back`.
            unsafe {
                Chunk::swap(chunk, self.block, false);
                chunk = (*chunk).newer;
            }
        }
    }
}

impl Drop for Journal {
    /// Forgotten: the block is again what it was at the place that the tape goes back to.
    fn drop(&mut self) {
        self.take_back();
        // SAFETY: the block lies below the event, or is forgotten after it.
        let block = unsafe { &mut *self.block };
        block.cells.epoch = 0;
        block.journal = std::ptr::null_mut();
        block.used_until = block.used_until.min(self.event);
    }
}

#[cold]
pub fn no_tape() -> Error {
    Error::new(Code::NoTape, "active elements on a thread that has no tape")
}

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
        match (self.sweeps.last(), &block.home) {
            (Some(sweep), Home::Arena { offset, .. })
                if *offset < sweep.top.payload && self.nests.len() <= sweep.nests =>
            {
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
        let follows = !block.is_listed() && !block.journal.is_null();
        read || block.born != self.cursors.epoch || follows
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

    /// Runs in the arena, for `Cells::ids`.
    fn store_runs(&mut self, runs: Runs) -> Result<*mut Id> {
        let offset = self.allocate(size_of::<Runs>(), align_of::<Runs>())?;
        let place = self.payload_at(offset).cast::<Runs>();
        // SAFETY: fresh room.
        unsafe { place.write(runs) };
        Ok(place.cast::<Id>().map_addr(|address| address | RUNS))
    }

    /// Gives the elements of a block that has just been made, without ids, those of `runs`.
    pub(super) fn number_fresh(&mut self, block: &mut Block, runs: &Runs) -> Result<()> {
        match runs.one(0..block.n) {
            Some(first) => {
                let step = u32::from(first.id != 0);
                let cells = &mut block.cells;
                (cells.id0, cells.tag, cells.step) = (first.id, first.tag, step);
            }
            None => {
                block.cells.ids = self.store_runs(runs.clone())?;
                block.cells.epoch = 0;
            }
        }
        Ok(())
    }

    /// Lets elements be written inline while nothing has read them and no place is marked.
    fn open(&self, block: &mut Block) {
        if block.used.is_empty() && block.born == self.cursors.epoch && block.is_listed() {
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
            let arena = match (tape, &block.home) {
                (Some(tape), Home::Arena { serial, .. }) if *serial == tape.serial => {
                    let free = block.used.is_empty() && block.born == tape.cursors.epoch;
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

    /// An array of the ids of a block.
    fn make_ids(&mut self, block: &Block) -> Result<*mut Id> {
        let offset = self.allocate(product("ids", block.n, size_of::<Id>())?, align_of::<Id>())?;
        let ids = self.payload_at(offset).cast::<Id>();
        // SAFETY: fresh room for as many.
        unsafe { block.copy_ids(0, block.n, ids) };
        Ok(ids)
    }

    /// Saves the elements of `part`, before the block gets `ids`.
    fn save(&mut self, block: &mut Block, part: &Part, ids: *mut Id) -> Result<()> {
        let before = block.cells.ids;
        // SAFETY: just made, or the block's.
        if let Ids::Runs(_) = unsafe { Cells::read(ids) } {
            let journal = self.journal(block, None)?;
            let bytes = product("saved elements", part.len(), size_of::<f64>())?;
            let chunk = self.add_chunk(journal, Kind::Part, size_of::<Numbered>() + bytes)?;
            // SAFETY: `chunk` has room for them.
            unsafe {
                let numbered = chunk.add(1).cast::<Numbered>();
                numbered.write(Numbered { part: *part, before, after: ids });
                let values = numbered.add(1).cast::<f64>();
                part.places().enumerate().for_each(|(i, k)| *values.add(i) = block.values()[k]);
            }
            return Ok(());
        }
        let made = ids != before;
        let journal = self.journal(block, made.then_some([before, ids]))?;
        let n = part.len();
        let run = part.is_contiguous() && n >= RUN;
        let chunk = if run {
            let bytes = product("saved elements", n, size_of::<f64>() + size_of::<Id>())?;
            self.add_chunk(journal, Kind::Run { place: part.offset }, bytes)?
        } else {
            self.chunk(journal, n)?
        };
        // The array that has just been made has been filled: the chunk is of its time.
        block.cells.ids = ids;
        // SAFETY: `chunk` has room for them.
        unsafe {
            if run {
                (*chunk).n = n;
                let (values, ids) = Chunk::run(chunk);
                values.copy_from_nonoverlapping(block.cells.value.add(part.offset), n);
                block.copy_ids(part.offset, n, ids);
                return Ok(());
            }
            for (i, place) in (0..).zip(part.places()) {
                let saved = Saved { value: block.values()[place], id: block.id(place), place };
                chunk.add(1).cast::<Saved>().add((*chunk).n + i).write(saved);
            }
            (*chunk).n += n;
        }
        Ok(())
    }

    /// The journal that an assignment goes into: the block's last one, if nothing has read the block since.
    fn journal(
        &mut self,
        block: &mut Block,
        made_ids: Option<[*mut Id; 2]>,
    ) -> Result<*mut Journal> {
        let epoch = self.cursors.epoch;
        // SAFETY: a block's journal is on the tape, or was set to null.
        if let Some(journal) = unsafe { block.journal.as_mut() }
            && journal.event >= block.used_until
            && journal.epoch == epoch
            && made_ids.is_none()
        {
            return Ok(journal);
        }
        let block: *mut Block = block;
        self.record(0, |_, event| Journal {
            block,
            oldest: std::ptr::null_mut(),
            newest: std::ptr::null_mut(),
            event,
            epoch,
            made_ids,
        })?;
        let journal = self.payload_at(self.header(self.events - 1).payload).cast();
        // SAFETY: live.
        unsafe { (*block).journal = journal };
        Ok(journal)
    }

    /// Room for `n` more saved elements in a journal, each with its place.
    fn chunk(&mut self, journal: *mut Journal, n: usize) -> Result<*mut Chunk> {
        const MOST: usize = 1 << 12;
        // SAFETY: the journal is on the tape, and so are its chunks.
        let newest = unsafe { (*journal).newest.as_ref() };
        let mut before = 0;
        if let Some(&Chunk { n: taken, kind: Kind::Scattered { capacity }, .. }) = newest {
            if capacity - taken >= n {
                // SAFETY: as above.
                return Ok(unsafe { (*journal).newest });
            }
            before = capacity;
        }
        let capacity = n.max((2 * before).min(MOST));
        let bytes = product("saved elements", capacity, size_of::<Saved>())?;
        self.add_chunk(journal, Kind::Scattered { capacity }, bytes)
    }

    /// A new chunk of a journal, without elements, with so many bytes for them.
    fn add_chunk(&mut self, journal: *mut Journal, kind: Kind, bytes: usize) -> Result<*mut Chunk> {
        let offset = self.allocate(size_of::<Chunk>() + bytes, align_of::<Chunk>())?;
        let chunk = self.payload_at(offset).cast::<Chunk>();
        // SAFETY: fresh room; the journal is on the tape, and so are its chunks.
        unsafe {
            let newest = (*journal).newest;
            chunk.write(Chunk { older: newest, newer: std::ptr::null_mut(), n: 0, kind });
            match newest.as_mut() {
                Some(newest) => newest.newer = chunk,
                None => (*journal).oldest = chunk,
            }
            (*journal).newest = chunk;
        }
        Ok(chunk)
    }
}

impl Block {
    /// Writes the ids of `n` elements from `first` on.
    ///
    /// # Safety
    /// `to` has room for as many.
    unsafe fn copy_ids(&self, first: usize, n: usize, mut to: *mut Id) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.ids() {
                Ids::Listed(ids) => to.copy_from_nonoverlapping(ids.add(first), n),
                Ids::Runs(runs) => {
                    for (n, id) in runs.each(first..first + n) {
                        id.number(n, u32::from(id.id != 0), to);
                        to = to.add(n);
                    }
                }
                Ids::Range if n > 0 => self.id(first).number(n, self.cells.step, to),
                Ids::Range => {}
            }
        }
    }

    /// The runs of a block whose ids are not listed, once the elements of `part` have new ones; none if they are too many.
    fn runs_with(&self, part: &Part, new: New<'_>) -> Option<Runs> {
        let mut runs = self.runs(&Part::whole(self.n, 1))?;
        let mut from = 0;
        for run in part.stretches()? {
            let end = from + run.len();
            runs = match new {
                New::From(id) => runs.with(run, std::iter::once((end - from, id.behind(from))))?,
                New::Each(id) => runs.with(run, (from..end).map(|i| (1, id(i))))?,
                New::Listed => return None,
            };
            from = end;
        }
        runs.are_few().then_some(runs)
    }

    /// Gives the elements of `part` new ids: those of the block are `ids` from now on, runs that say them already, or an array.
    fn number(&mut self, part: &Part, ids: *mut Id, new: New<'_>) {
        self.cells.ids = ids;
        let Ids::Listed(ids) = self.ids() else {
            // Nothing is to be written through runs.
            self.cells.epoch = 0;
            return;
        };
        let offset = part.offset;
        // SAFETY: the array is as long as the block, and the part lies within it.
        unsafe {
            match new {
                New::From(id) if part.is_contiguous() => {
                    id.number(part.len(), u32::from(id.id != 0), ids.add(offset));
                }
                New::From(id) => {
                    part.places().enumerate().for_each(|(i, k)| *ids.add(k) = id.behind(i));
                }
                New::Each(_) | New::Listed => {}
            }
        }
    }
}

impl Id {
    /// Writes `n` ids, from this one on, `step` apart.
    ///
    /// # Safety
    /// `to` has room for as many.
    unsafe fn number(self, n: usize, step: u32, to: *mut Self) {
        let Self { mut id, tag } = self;
        for k in 0..n {
            // SAFETY: the caller's promise.
            unsafe { to.add(k).write(Self { id, tag }) };
            id = id.wrapping_add(step);
        }
    }
}

const _: () = assert!(STALE != 0 && align_of::<Saved>() == align_of::<Chunk>());
