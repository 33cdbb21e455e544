//! The journal of assignments to elements: what recorded events and marked places still need is saved, taken back as a
//! sweep passes, and done again at its end.

use super::block::{Block, Cells, Ids};
use super::id::Id;
use super::part::Part;
use crate::count::product;
use crate::error::Result;
use crate::tape::{Event, Sweep, Tape};

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
    entries: Entries,
}

/// How a chunk holds its elements, and where they are from.
#[derive(Clone, Copy)]
enum Entries {
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
            if let Entries::Part = (*chunk).entries {
                let Numbered { part, before, after } = *chunk.add(1).cast();
                let saved = chunk.add(1).cast::<Numbered>().add(1).cast::<f64>();
                let ids = if newest_first { before } else { after };
                for (i, place) in part.places().enumerate() {
                    std::ptr::swap(saved.add(i), cells.value.add(place));
                }
                cells.ids = ids;
                return;
            }
            if let Entries::Run { place } = (*chunk).entries {
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
struct Journal {
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
        block.journal = None;
        block.used_until = block.used_until.min(self.event);
    }
}
impl Tape {
    /// Saves the elements of `part`, before the block gets `ids`.
    pub(super) fn save(&mut self, block: &mut Block, part: &Part, ids: *mut Id) -> Result<()> {
        let before = block.cells.ids;
        // SAFETY: just made, or the block's.
        if let Ids::Runs(_) = unsafe { Cells::read(ids) } {
            let journal = self.journal(block, None)?;
            let bytes = product("saved elements", part.len(), size_of::<f64>())?;
            let chunk = self.add_chunk(journal, Entries::Part, size_of::<Numbered>() + bytes)?;
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
            self.add_chunk(journal, Entries::Run { place: part.offset }, bytes)?
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
        let epoch = self.epoch();
        if let Some(at) = block.journal
            && made_ids.is_none()
        {
            let journal = self.payload_at(at).cast::<Journal>();
            // SAFETY: the journal of a block is on the tape, or the block has none.
            let Journal { event, epoch: then, .. } = unsafe { &*journal };
            if *event >= block.used_until && *then == epoch {
                return Ok(journal);
            }
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
        let at = self.newest_payload();
        // SAFETY: live.
        unsafe { (*block).journal = Some(at) };
        Ok(self.payload_at(at).cast())
    }

    /// Room for `n` more saved elements in a journal, each with its place.
    fn chunk(&mut self, journal: *mut Journal, n: usize) -> Result<*mut Chunk> {
        const MOST: usize = 1 << 12;
        // SAFETY: the journal is on the tape, and so are its chunks.
        let newest = unsafe { (*journal).newest.as_ref() };
        let mut before = 0;
        if let Some(&Chunk { n: taken, entries: Entries::Scattered { capacity }, .. }) = newest {
            if capacity - taken >= n {
                // SAFETY: as above.
                return Ok(unsafe { (*journal).newest });
            }
            before = capacity;
        }
        let capacity = n.max((2 * before).min(MOST));
        let bytes = product("saved elements", capacity, size_of::<Saved>())?;
        self.add_chunk(journal, Entries::Scattered { capacity }, bytes)
    }

    /// A new chunk of a journal, without elements, with so many bytes for them.
    fn add_chunk(
        &mut self,
        journal: *mut Journal,
        entries: Entries,
        bytes: usize,
    ) -> Result<*mut Chunk> {
        let offset = self.allocate(size_of::<Chunk>() + bytes, align_of::<Chunk>())?;
        let chunk = self.payload_at(offset).cast::<Chunk>();
        // SAFETY: fresh room; the journal is on the tape, and so are its chunks.
        unsafe {
            let newest = (*journal).newest;
            chunk.write(Chunk { older: newest, newer: std::ptr::null_mut(), n: 0, entries });
            match newest.as_mut() {
                Some(newest) => newest.newer = chunk,
                None => (*journal).oldest = chunk,
            }
            (*journal).newest = chunk;
        }
        Ok(chunk)
    }
}

const _: () = assert!(align_of::<Saved>() == align_of::<Chunk>());
