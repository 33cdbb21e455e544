//! Blocks in the arena of a tape.

use super::block::{Block, RUNS, Storage};
use super::bound::Bound;
use super::id::Id;
use super::owned::Owned;
use super::runs::Runs;
use crate::count::product;
use crate::error::{Code, Error, Result};
use crate::tape::Tape;

impl Tape {
    /// A block of `n` values in the arena, whatever they are; passive.
    pub(super) fn arena_block(&mut self, n: usize) -> Result<*mut Block> {
        const HEAD: usize = size_of::<Block>().next_multiple_of(64);
        let bytes = product("elements", n, size_of::<f64>())?;
        let bytes = bytes.checked_add(HEAD).ok_or_else(|| {
            Error::new(Code::Memory, format!("{n} elements exceed the address space"))
        })?;
        let offset = self.allocate(bytes, 64)?;
        let place = self.payload_at(offset);
        let list = self.companion::<Bound>().list();
        let storage = Storage::Arena { serial: self.serial(), offset, list };
        let block = place.cast::<Block>();
        // SAFETY: fresh bytes of the arena, aligned, for the block and its values.
        unsafe { block.write(Block::new(place.add(HEAD).cast(), n, storage, self.epoch())) };
        Ok(block)
    }

    /// A fresh matrix for the results of an operation, passive until `activate`: in the arena if the tape records. Its values
    /// are to be written.
    pub fn matrix(&mut self, rows: usize, cols: usize) -> Result<Owned> {
        let n = product("rows * cols", rows, cols)?;
        if !self.recording() {
            return Owned::unwritten(rows, cols);
        }
        Ok(Owned::new(self.arena_block(n)?, rows, cols))
    }

    /// As `matrix`, one column in the arena also while the tape does not record.
    pub(super) fn matrix_for_ids(&mut self, n: usize) -> Result<Owned> {
        Ok(Owned::new(self.arena_block(n)?, n, 1))
    }

    /// Gives the elements of a fresh matrix the ids from `first`, which an event has just been given.
    pub fn activate(&self, matrix: &Owned, first: u32) {
        // SAFETY: live.
        unsafe { self.activate_block((*matrix.0).block, first) };
    }

    /// # Safety
    /// `block` is live.
    pub(super) unsafe fn activate_block(&self, block: *mut Block, first: u32) {
        // SAFETY: the caller's promise.
        let block = unsafe { &mut *block };
        assert!(!block.is_heap() && !block.is_active(), "a matrix that others know");
        block.cells.id0 = first;
        block.cells.tag = self.tag();
        block.cells.step = 1;
    }

    /// An error unless the elements of the block may be used with this tape now.
    pub(super) fn check_block(&self, name: &str, block: &Block) -> Result<()> {
        let other = match block.storage {
            Storage::Heap { .. } => block.is_stale(),
            Storage::Arena { serial, .. } => serial != self.serial(),
        };
        if other {
            return Err(Error::new(
                Code::Stale,
                format!(
                    "{name} is stale: its elements belong to another tape, or outlived reset, reset_to or recover_nested"
                ),
            ));
        }
        Ok(())
    }

    /// Runs in the arena, for `Cells::ids`.
    pub(super) fn store_runs(&mut self, runs: Runs) -> Result<*mut Id> {
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

    /// An array of the ids of a block.
    pub(super) fn make_ids(&mut self, block: &Block) -> Result<*mut Id> {
        let offset = self.allocate(product("ids", block.n, size_of::<Id>())?, align_of::<Id>())?;
        let ids = self.payload_at(offset).cast::<Id>();
        // SAFETY: fresh room for as many.
        unsafe { block.copy_ids(0, block.n, ids) };
        Ok(ids)
    }
}
