//! `ADMPI_CHECK=nan`: the first adjoint of a sweep that is not finite is an error, which names what it came from.

use super::Tape;
use super::fence::Fence;
use super::position::Position;
use super::questions::rank;
use super::sweep::Sweep;
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use crate::options;
use std::sync::LazyLock;

static WANTED: LazyLock<bool> = LazyLock::new(options::check_finite);

/// Whether sweeps look at every adjoint.
pub fn wanted() -> bool {
    *WANTED
}

impl Tape {
    /// As `run_statements`, one by one.
    ///
    /// # Safety
    /// As for that.
    pub(super) unsafe fn run_finite_statements(
        &mut self,
        top: &mut Position,
        n: u32,
        fence: &mut Fence,
    ) -> Result<()> {
        for _ in 0..n {
            let (id, before) = (top.id - 1, *top);
            let weights = self.adjoints_mut(id, self.width).to_vec();
            if let Some(w) = infinite(&weights) {
                let what =
                    format!("the adjoint of a statement's value (id {id}) is {w:?}: it was seeded");
                return Err(self.not_finite(what, before.event));
            }
            // SAFETY: the caller's promise.
            unsafe { self.run_statements(top, 1, fence)? };
            let count = wide(before.argument - top.argument);
            // SAFETY: the arguments of the statement that has just been reversed.
            let (operands, partials) = unsafe {
                let first = wide(top.argument);
                (
                    std::slice::from_raw_parts(
                        self.argument.base().cast::<u32>().add(first),
                        count,
                    ),
                    std::slice::from_raw_parts(
                        self.jacobian.base().cast::<f64>().add(first),
                        count,
                    ),
                )
            };
            for (i, (&operand, partial)) in operands.iter().zip(partials).enumerate() {
                let Some(direction) = (0..self.width).find(|&k| {
                    let adjoint =
                        self.committed_adjoints(usize::MAX)[wide32(operand) * self.width + k];
                    !adjoint.is_finite()
                }) else {
                    continue;
                };
                let what = format!(
                    "the adjoint of operand {} of {count} (id {operand}) of the statement that made id {id} is not finite: \
                     its partial derivative {partial:?} times the adjoint {:?} was added",
                    i + 1,
                    weights[direction]
                );
                return Err(self.not_finite(what, before.event));
            }
        }
        Ok(())
    }

    fn not_finite(&self, what: String, event: u32) -> Error {
        let near = event.checked_sub(1).and_then(|event| self.companions.nearest(event));
        let near = near.map_or_else(String::new, |call| format!(", behind {call}"));
        let rank = rank().map_or_else(String::new, |rank| format!(" on rank {rank}"));
        Error::new(
            Code::Argument,
            format!("ADMPI_CHECK=nan: {what}{near}{rank}; clear the adjoints"),
        )
    }
}

impl Sweep<'_> {
    /// Looks at all that the event adds; `name` is its operation.
    pub(super) fn run_finite_event(
        &mut self,
        name: &str,
        reverse: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.fence.watch();
        let done = reverse(self);
        let found = self.fence.unwatch();
        done?;
        let Some((id, value)) = found else { return Ok(()) };
        let event = self.event;
        let what =
            format!("{name} (event {event}) adds {value:?} to the adjoint of an operand (id {id})");
        Err(self.tape().not_finite(what, event + 1))
    }
}

fn infinite(values: &[f64]) -> Option<f64> {
    values.iter().copied().find(|value| !value.is_finite())
}
