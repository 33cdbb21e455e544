//! Scalars into a matrix of consecutive ids.
#![forbid(unsafe_code)]

use super::owned::Owned;
use crate::error::Result;
use crate::tape::{Dependence, Event, Ids, Sweep, Tape, Var};

struct Gather {
    operands: Ids,
    first: u32,
}

impl Event for Gather {
    const NAME: &'static str = "gather";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let n = self.operands.len();
        let mut adjoints = sweep.scratch(n * sweep.width());
        sweep.take(self.first, n, &mut adjoints);
        sweep.add(&self.operands, &adjoints);
        sweep.recycle(adjoints);
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.each_on(&[self.operands]);
        Ok(())
    }
}

/// A matrix of `elements`, column by column. While recording it gets ids of its own, by one event.
pub fn gather(
    tape: Option<&mut Tape>,
    rows: usize,
    cols: usize,
    elements: &[Var],
) -> Result<Owned> {
    let values = elements.iter().map(|element| element.value);
    let Some(tape) = tape.filter(|tape| tape.recording()) else {
        return Owned::passive(rows, cols, values);
    };
    tape.check_vars("element", elements)?;
    let mut matrix = tape.matrix(rows, cols)?;
    for (slot, value) in matrix.fresh_values().iter_mut().zip(values) {
        *slot = value;
    }
    let operands = tape.ids(elements.len(), elements.iter().map(|element| element.id))?;
    if !matches!(operands, Ids::Passive(_)) {
        let first = tape.record(elements.len(), |first, _| Gather { operands, first })?;
        tape.activate(&matrix, first);
    }
    Ok(matrix)
}
