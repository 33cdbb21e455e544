//! Steps that a tool's own sweep meets: evaluated by their handles, as often as it comes by, and deleted with its record.

use super::steps::{Binding, Stands, Step, Steps, wrong};
use super::tool::Tool;
use crate::error::{Code, Result};
use crate::tape::Tape;
use std::ffi::c_void;
use std::mem::take;

impl Steps {
    fn place_of(&self, handle: i64) -> Option<usize> {
        let at = self.steps.binary_search_by_key(&handle, |step| step.handle).ok()?;
        (!self.steps[at].deleted).then_some(at)
    }

    /// Whether a step has this handle.
    pub fn has(&self, handle: i64) -> bool {
        self.place_of(handle).is_some()
    }

    fn find(&self, handle: i64) -> Result<usize> {
        match self.place_of(handle) {
            Some(at) => Ok(at),
            None => wrong(
                Code::Argument,
                format!("handle = {handle} is that of no step: it was deleted, or never given out"),
            ),
        }
    }

    fn bindings_of(&self, at: usize) -> std::ops::Range<usize> {
        let end = self.steps.get(at + 1).map_or(self.bindings.len(), |next| next.marks.bindings);
        self.steps[at].marks.bindings..end
    }

    /// Takes the adjoints of the step's results from the tool, sweeps the step, and adds to those of what went in.
    ///
    /// # Safety
    /// `access` is what the tool's functions expect.
    pub unsafe fn evaluate(&mut self, tool: &Tool, handle: i64, access: *mut c_void) -> Result<()> {
        self.none_is_open()?;
        let at = self.find(handle)?;
        // SAFETY: the caller's promise; so below.
        let width = unsafe { tool.width(access) }?;
        self.tape().set_width(width.next_power_of_two())?;
        let (step, range) = (self.steps[at], self.bindings_of(at));
        let bindings = take(&mut self.bindings);
        let mut room = take(&mut self.adjoints);
        let of_step = &bindings[range];
        // SAFETY: as above.
        let swept = unsafe { self.evaluate_with(tool, access, width, &step, of_step, &mut room) };
        (self.bindings, self.adjoints) = (bindings, room);
        swept
    }

    /// # Safety
    /// As for `evaluate`.
    unsafe fn evaluate_with(
        &mut self,
        tool: &Tool,
        access: *mut c_void,
        width: usize,
        step: &Step,
        bindings: &[Binding],
        room: &mut Vec<f64>,
    ) -> Result<()> {
        let active = |written: bool| {
            bindings.iter().filter(move |binding| binding.written == written && binding.run.id != 0)
        };
        for binding in active(true) {
            let Stands::Ids { at, .. } = binding.stands else { continue };
            room.clear();
            room.resize(binding.run.n * width, 0.0);
            // SAFETY: the caller's promise; so below.
            unsafe { tool.take(access, &self.ids[at..][..binding.run.n], room) };
            self.tape().add_adjoints(binding.run.id, room, 0..width)?;
        }
        self.tape().note_seeded();
        // SAFETY: live; the events are of communication.
        unsafe { Tape::reverse_range(self.tape, &step.to, &step.from) }?;
        for binding in active(false) {
            let Stands::Ids { at, .. } = binding.stands else { continue };
            room.clear();
            room.resize(binding.run.n * width, 0.0);
            self.tape().take_adjoints(binding.run.id, room, width);
            // SAFETY: as above.
            unsafe { tool.add(access, &self.ids[at..][..binding.run.n], room) };
        }
        if tool.restores() {
            for binding in active(true) {
                let Stands::Ids { at, before } = binding.stands else { continue };
                let (ids, n) = (&self.ids[at..], binding.run.n);
                // SAFETY: as above.
                unsafe { tool.restore(access, &ids[..n], &self.before[before..][..n]) };
            }
        }
        Ok(())
    }

    /// The tool has forgotten the step. The companion tape goes back to before all that it has forgotten last.
    pub fn delete(&mut self, handle: i64) -> Result<()> {
        self.none_is_open()?;
        let at = self.find(handle)?;
        self.steps[at].deleted = true;
        let kept = self.steps.iter().rposition(|step| !step.deleted).map_or(0, |last| last + 1);
        let Some(lowest) = self.steps.get(kept).copied() else { return Ok(()) };
        self.steps.truncate(kept);
        self.truncate(&lowest.marks);
        self.go_back(&lowest.from)
    }
}
