//! The matrices that are bound to blocks in the arena of a tape, which they outlive.

use super::block::{Block, Matrix, Storage, bind};
use super::id::STALE;
use crate::tape::{Companion, Position};
use std::cell::UnsafeCell;

/// Those of one tape. Blocks know where the list is, and `bind` finds it there.
#[derive(Default)]
pub struct Bound(Box<UnsafeCell<Vec<*mut Matrix>>>);

// SAFETY: matrices in the arena of a tape belong to its thread.
unsafe impl Send for Bound {}

impl Bound {
    pub const fn list(&self) -> *mut Vec<*mut Matrix> {
        self.0.get()
    }
}

impl Companion for Bound {
    /// Lets go of the blocks above `position`. Matrices bound to them take their values along to the heap; if they were
    /// active, they are stale there. Those of which elements alone were assigned go back to what they were.
    fn forget(&mut self, position: &Position) {
        let (list, mut at) = (self.list(), 0);
        // SAFETY: matrices in the list are live, and so are their blocks.
        unsafe {
            while let Some(&matrix) = (&*list).get(at) {
                let block = &mut *(*matrix).block;
                let stays = |block: &Block| matches!(block.storage, Storage::Arena { offset, .. } if offset < position.payload);
                if stays(block) {
                    at += 1;
                    continue;
                }
                let mut origin = block.origin;
                while !origin.is_null() && !stays(&*origin) {
                    origin = (*origin).origin;
                }
                if !origin.is_null() {
                    bind(matrix, origin);
                    continue;
                }
                if block.moved.is_null() {
                    block.moved = Block::heap(block.values().into());
                    if block.is_active() && (0..block.n).any(|k| block.id(k).id != 0) {
                        (*block.moved).cells.id0 = STALE;
                        (*block.moved).cells.tag = block.cells.tag;
                    }
                }
                // Takes it off the list: another one is at this place now.
                bind(matrix, block.moved);
            }
        }
    }
}
