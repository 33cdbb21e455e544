//! Whole matrices as inputs, and their adjoints.

use super::block::{Block, bind};
use super::id::Id;
use super::owned::Owned;
use super::part::Part;
use super::view::{View, check_count};
use crate::error::{Code, Error, Result};
use crate::tape::{Tape, Var};

/// Whole matrices on a tape: what is seeded, read and declared is an element at a time for scalars.
impl Tape {
    /// Makes all elements of a matrix inputs, with consecutive ids.
    pub fn input_matrix(&mut self, matrix: &Owned) -> Result<()> {
        // SAFETY: live; the fresh one is as long.
        unsafe {
            if !self.recording() {
                return Err(Error::new(Code::NotRecording, "input: the tape does not record"));
            }
            let block = &*(*matrix.0).block;
            let mut fresh = self.matrix(block.n, 1)?;
            fresh.fresh_values().copy_from_slice(block.values());
            if block.n > 0 {
                let first = self.input_ids(block.n)?;
                self.activate(&fresh, first);
            }
            bind(matrix.0, (*fresh.0).block);
        }
        Ok(())
    }

    /// Adds `weights`, column by column, to the adjoints of a view's elements in `direction`.
    ///
    /// # Safety
    /// `view.of` is NULL or a live matrix.
    pub unsafe fn seed_view(
        &mut self,
        name: &str,
        view: &View,
        weights: &[f64],
        direction: usize,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), weights.len())?;
        self.check_direction(direction)?;
        self.note_seeded();
        if let Some(first) = self.held_range(block, &part) {
            return self.add_adjoints(first, weights, direction..direction + 1);
        }
        // SAFETY: as above.
        let elements = unsafe { Self::elements(name, view)? };
        self.seed_each(name, &elements, weights, direction..direction + 1)
    }

    /// As `check_answers`, for a view's elements. One may be passive: functions of matrices are written for both kinds.
    ///
    /// # Safety
    /// As for `seed_view`.
    pub unsafe fn check_view_answers(
        &self,
        name: &str,
        view: &View,
        adjoints: &[f64],
    ) -> Result<()> {
        if !self.is_strict() {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let elements = unsafe { Self::elements(name, view)? };
        if elements.iter().all(|x| x.id == 0) {
            return Ok(());
        }
        self.check_answers(name, &elements, adjoints)
    }

    /// The first id of a part that has consecutive ids of this tape.
    fn held_range(&self, block: &Block, part: &Part) -> Option<u32> {
        let first = block.range(part).filter(|_| !block.is_listed() && !part.is_empty())?;
        let element = |k: usize| {
            let Id { id, tag } = block.id(k);
            Var { value: 0.0, id, tag }
        };
        let ends = [element(part.offset), element(part.span().end - 1)];
        self.check_vars("", &ends).is_ok().then_some(first)
    }

    /// The adjoints of a view's elements in `direction`, column by column.
    ///
    /// # Safety
    /// As for `seed_view`.
    pub unsafe fn adjoints_of_view(
        &self,
        name: &str,
        view: &View,
        direction: usize,
        out: &mut [f64],
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let (part, block) = unsafe { (view.part(name)?, &*(*view.of).block) };
        check_count(name, part.len(), out.len())?;
        self.check_direction(direction)?;
        if let Some(first) = self.held_range(block, &part)
            && self.adjoints_of_range(first, direction, out)
        {
            return Ok(());
        }
        // SAFETY: as above.
        let elements = unsafe { Self::elements(name, view)? };
        self.check_vars(name, &elements)?;
        self.adjoints_of(&elements, direction, out)
    }
}
