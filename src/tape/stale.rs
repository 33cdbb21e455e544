//! Whether values and places are of this tape, or outlived what made them.
#![forbid(unsafe_code)]

use super::cursors::Var;
use super::no_tape::checking;
use super::position::Position;
use super::{Tape, tags};
use crate::error::{Code, Error, Number, Result};

impl Tape {
    /// An error unless `position` lies on this tape and nothing below it has been forgotten.
    pub fn check_position(&self, name: &str, position: &Position) -> Result<()> {
        if self.segments.holds_position(position, &self.position()) {
            return Ok(());
        }
        Err(Error::new(
            Code::Range,
            format!(
                "{name} (statement {}, id {}, event {}) is not a position of this tape, or outlived a reset",
                position.statement, position.id, position.event
            ),
        ))
    }

    fn holds(&self, var: &Var) -> bool {
        var.id == 0 || self.segments.holds(var.id, var.tag, self.cursors.next_id)
    }

    /// An error unless `var` is passive or made by what is now on this tape.
    pub fn check_var(&self, name: &str, var: &Var) -> Result<()> {
        if self.holds(var) { Ok(()) } else { Err(stale(name, var)) }
    }

    /// The active value of an id that this tape has given out.
    pub fn value_of(&self, value: f64, id: u32) -> Var {
        Var { value, id, tag: self.segments.around(id, self.cursors.next_id).0 }
    }

    /// The same for an array; `in_a_row` as `copy_values` tells.
    pub fn check_copied(&self, name: &str, vars: &[Var], in_a_row: bool) -> Result<()> {
        match vars {
            [first, .., last] if in_a_row => {
                let (tag, ids) = self.segments.around(first.id, self.cursors.next_id);
                let all = first.tag == tag && ids.contains(&first.id) && ids.contains(&last.id);
                if all || first.id == 0 { Ok(()) } else { self.check_vars(name, vars) }
            }
            _ => self.check_vars(name, vars),
        }
    }

    /// The same for an array.
    pub fn check_vars(&self, name: &str, vars: &[Var]) -> Result<()> {
        // Most are made under the same tag as the one before.
        let (mut tag, mut ids) = (0, 0..0);
        for (i, var) in vars.iter().enumerate() {
            if var.id == 0 || (var.tag == tag && ids.contains(&var.id)) {
                continue;
            }
            (tag, ids) = self.segments.around(var.id, self.cursors.next_id);
            if var.tag != tag || !ids.contains(&var.id) {
                return Err(stale(&format!("{name}[{i}]"), var));
            }
        }
        Ok(())
    }
}

#[cold]
fn stale(name: &str, var: &Var) -> Error {
    // Expressions of C++ pass ids and tags alone.
    let value =
        if var.value.is_nan() { String::new() } else { format!("value {}, ", Number(var.value)) };
    if var.tag & tags::REMOTE != 0 {
        let rank = var.tag & ((1 << tags::REMOTE_RANK_BITS) - 1);
        let why = format!(
            "{name} ({value}id {}, tag {}) was put here by rank {rank} of a window, with which this rank has not synchronised since: call AMPI_Win_sync after waiting for a flag",
            var.id, var.tag
        );
        return Error::new(Code::Stale, why);
    }
    let why = if tags::is_foreign(var.tag) {
        "came from another process as bytes, or from a file: send it under AMPI_ADOUBLE, or write and read its value"
    } else {
        "is stale: it belongs to another tape, or outlived reset, reset_to or recover_nested"
    };
    Error::new(Code::Stale, format!("{name} ({value}id {}, tag {}) {why}", var.id, var.tag))
}

/// An error if the derivative of `var` is lost in a computation on a thread that has no tape: always in checking mode, else
/// while the tape that made it records. That tape's next sweep then fails too, for callers that cannot return an error.
pub fn check_without_tape(name: &str, var: &Var) -> Result<()> {
    if var.id == 0 || !(tags::misses(var.tag) || checking()) {
        return Ok(());
    }
    Err(Error::new(
        Code::NoTape,
        format!(
            "{name} (id {}, tag {}) is active, and the calling thread has no tape: activate the tape that made it, compute on \
             that tape's thread, or with admpi::value",
            var.id, var.tag
        ),
    ))
}
