//! Forgetting what has been recorded: resets and nests.

use super::event::DropOp;
use super::nest::{Nest, NestToken, Outside};
use super::position::Position;
use super::segments::Segments;
use super::{NEXT_SERIAL, Tape};
use crate::arena::{Fresh, Stream};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use std::sync::atomic::Ordering;

impl Tape {
    /// Moves the cursors to `position`, which lies at or below the present one.
    pub(super) fn rewind(&mut self, position: &Position) {
        // SAFETY: the position lies inside what has been written.
        unsafe {
            if !self.argument.base().is_null() {
                self.cursors.argument =
                    self.argument.base().cast::<u32>().add(wide(position.argument));
                self.cursors.jacobian =
                    self.jacobian.base().cast::<f64>().add(wide(position.argument));
                self.cursors.statement = self.statement.base().add(wide32(position.statement));
            }
        }
        self.cursors.next_id = position.id;
        self.swept.end = self.swept.end.min(position.id);
        self.payload_used = wide(position.payload);
        while self.inputs.last().is_some_and(|&(first, _)| first >= position.id) {
            self.inputs.pop();
        }
        if let Some((first, n)) = self.inputs.last_mut() {
            *n = (*n).min(position.id - *first);
        }
        let kept = self.kept.partition_point(|&id| id < position.id);
        self.kept.truncate(kept);
        self.kept_adjoint.truncate(kept * self.width);
    }

    fn forget_companions(&mut self, position: &Position) {
        let top = self.position();
        self.companions.forget(position, &top);
    }

    /// Drops, in reverse order, what the events at and above `position` own, and forgets them. Nothing
    /// is recorded meanwhile, since destructors of the user's may run.
    ///
    /// # Safety
    /// `tape` is live.
    pub(super) unsafe fn drop_events(tape: *mut Self, position: &Position) {
        // SAFETY: the caller's promise; no reference to the tape is held while a destructor runs.
        unsafe {
            let recording = std::mem::replace(&mut (*tape).cursors.recording, 0);
            (*tape).sync();
            (*tape).recovering = true;
            while let Some((drop, payload)) = (*tape).next_to_drop(position.event) {
                drop(payload);
            }
            (*tape).recovering = false;
            (*tape).cursors.recording = recording;
            (*tape).sync();
            for list in [&mut (*tape).mutating, &mut (*tape).pausing] {
                let kept = list.partition_point(|&index| index < position.event);
                list.truncate(kept);
            }
            (*tape).events = position.event;
        }
    }

    /// Takes the newest event that owns something off the list, if it is not below `event`.
    pub(super) fn next_to_drop(&mut self, event: u32) -> Option<(DropOp, *mut u8)> {
        let index = self.droppable.pop_if(|index| *index >= event)?;
        let header = self.header(index);
        Some((header.ops.drop, self.payload_at(header.payload)))
    }

    /// Forgets all that lies above `position`: values made there are stale from now on.
    ///
    /// # Safety
    /// `tape` is live.
    pub(super) unsafe fn forget(tape: *mut Self, position: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).check_arena_loans(position.payload)?;
            (*tape).forget_companions(position);
            (*tape).zero_adjoints_from(position.id);
            Self::drop_events(tape, position);
            (*tape).rewind(position);
        }
        Ok(())
    }

    /// Runs the destructors and frees a tape that was boxed.
    ///
    /// # Safety
    /// `tape` was made by `Box::into_raw` and is not used again.
    pub unsafe fn free(tape: *mut Self) {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).forget_companions(&Position::BOTTOM);
            Self::drop_events(tape, &Position::BOTTOM);
            let mut tape = Box::from_raw(tape);
            if tape.is_arena_lent(0) {
                // MPI is going to write there.
                std::mem::forget(std::mem::replace(
                    &mut tape.payload,
                    Stream::new(0, Fresh::Anything),
                ));
            }
        }
    }

    /// Closes the segments above `position`, and with them forgets a failure in one of those.
    pub(super) fn cut_segments(&mut self, position: &Position) {
        self.segments.cut(position);
        self.failed.take_if(|(tag, _)| *tag != 0 && !self.segments.is_open(*tag));
    }

    /// Empties the tape; committed memory is kept. Its recording state stays.
    ///
    /// # Safety
    /// `tape` is live. Destructors of the user's may run, which must not use it.
    pub unsafe fn reset(tape: *mut Self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).no_open_nest("reset")?;
            (*tape).not_in_sweep("reset")?;
            (*tape).may_end("reset", 0)?;
            Self::forget(tape, &Position::BOTTOM)?;
            let tape = &mut *tape;
            tape.failed = None;
            tape.seeded = false;
            tape.tags.forget_missed();
            tape.cursors.tag = tape.new_tag();
            tape.segments = Segments::new(tape.cursors.tag);
            tape.sync();
        }
        Ok(())
    }

    pub(super) fn no_open_nest(&self, call: &str) -> Result<()> {
        if self.nests.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Code::Nest,
            format!("{call}: {} nests are open; recover them first", self.nests.len()),
        ))
    }

    /// An error in a callback of a sweep, for what a sweep cannot bear.
    pub fn not_in_sweep(&self, call: &str) -> Result<()> {
        if self.sweeps.is_empty() {
            return Ok(());
        }
        Err(Error::new(Code::Nest, format!("{call}: a sweep of this tape is under way")))
    }

    /// Whether the innermost sweep began above `offset` of the arena, and no nest has been opened in its callback.
    pub fn is_swept_above(&self, offset: u64) -> bool {
        let sweep = self.sweeps.last();
        sweep.is_some_and(|sweep| offset < sweep.top.payload && self.nests.len() <= sweep.nests)
    }

    /// An error if a sweep that stopped on its way is to go on below event `event`.
    pub(super) fn may_end(&mut self, call: &str, event: u32) -> Result<()> {
        self.companions.each(|companion| companion.may_end(call, event))
    }

    /// Whether user code runs that the tape called on being reset or recovered.
    pub fn recovering(&self) -> bool {
        self.recovering
    }

    /// Goes back to `position`: values made since are stale.
    ///
    /// # Safety
    /// As for `reset`.
    pub unsafe fn reset_to(tape: *mut Self, position: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).check_reset_to(position)?;
            (*tape).may_end("reset_to", position.event)?;
            Self::forget(tape, position)?;
            let tape = &mut *tape;
            tape.cut_segments(position);
            tape.open_segment();
            tape.sync();
        }
        Ok(())
    }

    pub(super) fn check_reset_to(&self, position: &Position) -> Result<()> {
        self.check_position("position", position)?;
        let error = |what| Err(Error::new(Code::Range, format!("reset_to: position lies {what}")));
        if !self.base().within(position) {
            return error("below the base of the open nest");
        }
        match self.sweeps.last() {
            Some(sweep) if !sweep.top.within(position) => {
                error("below the top of the sweep that is under way")
            }
            _ => Ok(()),
        }
    }

    /// Gives the values made from now on a tag of their own.
    pub(super) fn open_segment(&mut self) {
        let position = self.mark();
        self.cursors.tag = self.new_tag();
        self.segments.open(self.cursors.tag, position);
    }

    /// Opens a nest: what is recorded in it is forgotten by `recover_nested`.
    pub fn start_nested(&mut self, outside: Outside) -> Result<NestToken> {
        let base = self.position();
        let token = NestToken { token: NEXT_SERIAL.fetch_add(1, Ordering::Relaxed) };
        self.nests.push(Nest { base, token, outside, recording: self.recording() });
        self.open_segment();
        Ok(token)
    }

    /// Closes the innermost nest, which must be the one of `token`.
    ///
    /// # Safety
    /// As for `reset`.
    pub unsafe fn recover_nested(tape: *mut Self, token: NestToken) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let (base, recording) = (*tape).check_recover(token)?;
            (*tape).may_end("recover_nested", base.event)?;
            Self::forget(tape, &base)?;
            let tape = &mut *tape;
            tape.nests.pop();
            tape.cursors.tag = base.tag;
            tape.cut_segments(&base);
            tape.cursors.recording = u32::from(recording);
            tape.sync();
        }
        Ok(())
    }

    /// The base of the innermost nest, if that is the one of `token` and no sweep relies on it, and
    /// whether the tape recorded when it was opened.
    pub(super) fn check_recover(&self, token: NestToken) -> Result<(Position, bool)> {
        let asked = token.token;
        let Some(nest) = self.nests.last() else {
            return Err(Error::new(Code::Nest, format!("nest = {asked}: no nest is open")));
        };
        if nest.token != token {
            return Err(Error::new(
                Code::Nest,
                format!(
                    "nest = {asked} is not the innermost open one, which is {}",
                    nest.token.token
                ),
            ));
        }
        if self.sweeps.last().is_some_and(|sweep| sweep.nests == self.nests.len()) {
            self.not_in_sweep("recover_nested")?;
        }
        Ok((nest.base, nest.recording))
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.forget_companions(&Position::BOTTOM);
        // SAFETY: live until this returns.
        unsafe { Self::drop_events(self, &Position::BOTTOM) };
        self.stop();
        if self.has_lent() {
            self.leave_adjoints(Stream::new(0, Fresh::Zeros));
        } else if self.failed.is_none() && self.adjoint.is_short() {
            self.zero_adjoints_from(0);
            self.adjoint.leave();
        }
        if !self.is_arena_lent(0) {
            self.payload.leave();
        }
        for stream in [&mut self.jacobian, &mut self.argument, &mut self.statement, &mut self.event]
        {
            stream.leave();
        }
    }
}
