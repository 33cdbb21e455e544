//! Overwriting elements: what recorded events and marked places still need is saved, taken back as a sweep passes,
//! and done again at its end.

use super::{Block, Home, Id, Matrix, Part, STALE, View, bind, check_count, zeros};
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
}

/// From how many elements side by side on they are saved as a run, which then takes less. The matrices of tests are small.
const RUN: usize = if cfg!(test) { 2 } else { 8 };

impl Chunk {
    /// Swaps the saved elements with those of the block: newest first to take assignments back, else to redo them.
    ///
    /// # Safety
    /// Chunk and block are live, and the block has ids.
    unsafe fn swap(chunk: *mut Self, block: *mut Block, newest_first: bool) {
        // SAFETY: the caller's promise; the places were checked when they were saved.
        unsafe {
            let (n, cells) = ((*chunk).n, &(*block).cells);
            if let Kind::Run { place } = (*chunk).kind {
                let (values, ids) = Self::run(chunk);
                std::ptr::swap_nonoverlapping(values, cells.value.add(place), n);
                if !cells.ids.is_null() {
                    std::ptr::swap_nonoverlapping(ids, cells.ids.add(place), n);
                }
                return;
            }
            let saved = chunk.add(1).cast::<Saved>();
            for i in 0..n {
                let saved = &mut *saved.add(if newest_first { n - 1 - i } else { i });
                std::ptr::swap(&raw mut saved.value, cells.value.add(saved.place));
                if !cells.ids.is_null() {
                    std::ptr::swap(&raw mut saved.id, cells.ids.add(saved.place));
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
    /// The block got its array of ids here, and loses it when this is forgotten.
    made_ids: bool,
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
        if self.made_ids {
            block.cells.ids = std::ptr::null_mut();
        }
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
            let block = &mut *Self::writable(tape, name, view.of, &part, active)?;
            let Part { offset, rows, cols, row_step, col_step } = part;
            for j in 0..cols {
                let top = offset + j * col_step;
                let at = |i: usize| top + i * row_step;
                (0..rows).for_each(|i| *block.cells.value.add(at(i)) = source(j * rows + i).0);
                if !block.cells.ids.is_null() {
                    (0..rows).for_each(|i| *block.cells.ids.add(at(i)) = source(j * rows + i).1);
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
            let block = &mut *Self::writable(tape, name, view.of, &part, id.id != 0)?;
            let Part { offset: first, row_step, .. } = part;
            let (n, to, ids) = (values.len(), block.cells.value, block.cells.ids);
            if part.is_contiguous() {
                to.add(first).copy_from_nonoverlapping(values.as_ptr(), n);
            } else {
                (0..n).for_each(|i| *to.add(first + i * row_step) = values[i]);
            }
            if ids.is_null() {
                return Ok(());
            }
            if part.is_contiguous() {
                block.number(first, n, id);
            } else {
                (0..n).for_each(|i| *ids.add(first + i * row_step) = id.behind(i));
            }
        }
        Ok(())
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
                Self::writable(tape.as_deref_mut(), name, view.of, &one, active)?;
            }
            let cells = &(*(*view.of).block).cells;
            for (&place, &Var { value, id, tag }) in places.iter().zip(elements) {
                *cells.value.add(at(place)) = value;
                if !cells.ids.is_null() {
                    *cells.ids.add(at(place)) = Id { id, tag };
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

    /// The block of a matrix of which `part` may be overwritten now: its own, with ids if any are needed, and with what
    /// must not be lost saved.
    ///
    /// # Safety
    /// `matrix` is live; `part` lies within it.
    pub(super) unsafe fn writable(
        tape: Option<&mut Self>,
        name: &str,
        matrix: *mut Matrix,
        part: &Part,
        active: bool,
    ) -> Result<*mut Block> {
        // SAFETY: the caller's promise.
        unsafe {
            let block = &mut *(*matrix).block;
            if part.is_contiguous() && part.len() == block.n {
                return Self::renew(tape, matrix, active);
            }
            if block.is_stale() {
                return Err(Error::new(
                    Code::Stale,
                    format!(
                        "{name} outlived reset, reset_to or recover_nested: assign the whole matrix first"
                    ),
                ));
            }
            if !active && let Home::Heap { held, .. } = block.home {
                if held > 0 || block.bound > 1 {
                    bind(matrix, Block::heap_copy(block.values())?);
                }
                return Ok((*matrix).block);
            }
            let tape = tape.ok_or_else(no_tape)?;
            tape.check_block(name, block)?;
            if block.is_heap() || block.bound > 1 {
                tape.detach(matrix)?;
            } else {
                tape.save(block, part, active)?;
            }
            let block = &mut *(*matrix).block;
            if block.cells.ids.is_null() && (active || block.is_active()) {
                block.cells.ids = tape.make_ids(block)?;
            }
            tape.open(block);
            Ok(block)
        }
    }

    /// Lets elements be written inline while nothing has read them and no place is marked.
    fn open(&self, block: &mut Block) {
        if block.used.is_empty() && block.born == self.cursors.epoch {
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
    ) -> Result<*mut Block> {
        // SAFETY: the caller's promise.
        unsafe {
            let old = (*matrix).block;
            let block = &mut *old;
            let arena = match (tape, &block.home) {
                (Some(tape), Home::Arena { serial, .. }) if *serial == tape.serial => {
                    let free = block.used.is_empty() && block.born == tape.cursors.epoch;
                    if free && block.bound == 1 && !block.cells.ids.is_null() {
                        tape.open(block);
                        return Ok(block);
                    }
                    Some((tape, old))
                }
                (Some(tape), _) if active => Some((tape, std::ptr::null_mut())),
                (None, _) if active => return Err(no_tape()),
                _ => None,
            };
            let new = match arena {
                None => Block::heap(zeros(block.n, 1)?),
                Some((tape, origin)) => {
                    let new = tape.arena_block(block.n)?;
                    (*new).cells.ids = tape.make_ids(&*new)?;
                    (*new).origin = origin;
                    new
                }
            };
            bind(matrix, new);
            Ok(new)
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
            if !old.cells.ids.is_null() {
                (*new).cells.ids = self.make_ids(old)?;
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

    /// Saves the elements of `part` if an event reads them when it is reversed, or if a place has been marked since the
    /// block was made, to which the user may come back.
    fn save(&mut self, block: &mut Block, part: &Part, active: bool) -> Result<()> {
        if let (Some(sweep), Home::Arena { offset, .. }) = (self.sweeps.last(), &block.home)
            && *offset < sweep.top.payload
            && self.nests.len() <= sweep.nests
        {
            // Its elements are those of an earlier time now.
            self.not_in_sweep("assignment to elements")?;
        }
        let span = part.span();
        let read = span.start < block.used.end && block.used.start < span.end;
        if !read && block.born == self.cursors.epoch {
            return Ok(());
        }
        let ids = if block.cells.ids.is_null() && (active || block.is_active()) {
            Some(self.make_ids(block)?)
        } else {
            None
        };
        let journal = self.journal(block, ids.is_some())?;
        let n = part.len();
        let run = part.is_contiguous() && n >= RUN;
        let chunk = if run {
            let bytes = product("saved elements", n, size_of::<f64>() + size_of::<Id>())?;
            self.add_chunk(journal, Kind::Run { place: part.offset }, bytes)?
        } else {
            self.chunk(journal, n)?
        };
        if let Some(ids) = ids {
            block.cells.ids = ids;
        }
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
    fn journal(&mut self, block: &mut Block, makes_ids: bool) -> Result<*mut Journal> {
        let epoch = self.cursors.epoch;
        // SAFETY: a block's journal is on the tape, or was set to null.
        if let Some(journal) = unsafe { block.journal.as_mut() }
            && journal.event >= block.used_until
            && journal.epoch == epoch
            && !makes_ids
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
            made_ids: makes_ids,
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
    unsafe fn copy_ids(&self, first: usize, n: usize, to: *mut Id) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.listed() {
                Some(listed) => to.copy_from_nonoverlapping(listed[first..first + n].as_ptr(), n),
                None if n > 0 => self.id(first).number(n, self.cells.step, to),
                None => {}
            }
        }
    }

    /// Gives `n` elements from `first` on the ids from `id` on, or none if that is passive.
    ///
    /// # Safety
    /// The block has an array of ids, and they are within it.
    pub(super) unsafe fn number(&mut self, first: usize, n: usize, id: Id) {
        // SAFETY: the caller's promise.
        unsafe { id.number(n, u32::from(id.id != 0), self.cells.ids.add(first)) };
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
