//! A call on the caller's tape: one event, whatever the number of jobs.

use super::shape::Parts;
use crate::error::Result;
use crate::tape::{Dependence, Event, Ids, Stored, Sweep, Tape};

/// Parts as the tape keeps them.
#[derive(Debug, Clone, Copy)]
pub enum StoredParts {
    Equal(usize),
    Ends(Stored<i64>),
}

impl StoredParts {
    pub fn new(tape: &mut Tape, parts: &Parts) -> Result<Self> {
        Ok(match parts {
            Parts::Equal(n) => Self::Equal(*n),
            Parts::Ends(ends) => Self::Ends(tape.store_from(ends)?),
        })
    }

    fn read<'a>(&self, sweep: &'a Sweep) -> Parts<'a> {
        match self {
            Self::Equal(n) => Parts::Equal(*n),
            Self::Ends(ends) => Parts::Ends(sweep.stored(ends)),
        }
    }
}

/// The results of all jobs, and their derivatives: for each a row, first by the shared parameters, then by those of its
/// job. Either may be missing.
pub struct Mapped {
    pub first: u32,
    pub outputs: usize,
    pub jobs: usize,
    pub shared: Ids,
    pub job: Ids,
    pub y_parts: StoredParts,
    pub job_parts: StoredParts,
    pub derivatives: Stored<f64>,
}

impl Event for Mapped {
    const NAME: &'static str = "map";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let (n_shared, n_job) = (active_len(&self.shared), active_len(&self.job));
        let mut adjoints = sweep.scratch((self.outputs + n_shared + n_job) * width);
        let (weights, operands) = adjoints.split_at_mut(self.outputs * width);
        let (shared, job) = operands.split_at_mut(n_shared * width);
        sweep.take(self.first, self.outputs, weights);
        let (y_parts, job_parts) = (self.y_parts.read(sweep), self.job_parts.read(sweep));
        let mut rows = sweep.stored(&self.derivatives);
        for i in 0..self.jobs {
            let own = if n_job == 0 { 0..0 } else { job_parts.range(i) };
            let own = &mut job[own.start * width..own.end * width];
            for y in y_parts.range(i) {
                let weights = &weights[y * width..][..width];
                let (by_shared, by_job);
                (by_shared, rows) = rows.split_at(n_shared);
                (by_job, rows) = rows.split_at(own.len() / width);
                add(weights, by_shared, shared);
                add(weights, by_job, own);
            }
        }
        if n_shared > 0 {
            sweep.add(&self.shared, shared);
        }
        if n_job > 0 {
            sweep.add(&self.job, job);
        }
        sweep.recycle(adjoints);
        Ok(())
    }

    /// The results of a job depend on what all share, and on its own parameters.
    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        let (shared, job) = (on.list(&self.shared), on.list(&self.job));
        let mut of_output = vec![0..0; self.outputs];
        let sweep = on.sweep();
        let (y_parts, job_parts) = (self.y_parts.read(sweep), self.job_parts.read(sweep));
        for i in 0..self.jobs {
            let own = if job.is_empty() { 0..0 } else { job_parts.range(i) };
            of_output[y_parts.range(i)].fill(own);
        }
        for own in of_output {
            on.next(shared.iter().chain(&job[own]).copied());
        }
        Ok(())
    }
}

fn active_len(ids: &Ids) -> usize {
    if matches!(ids, Ids::Passive(_)) { 0 } else { ids.len() }
}

/// Adds `row` times each direction's weight. A weight of zero wins over an infinite derivative.
#[inline]
fn add(weights: &[f64], row: &[f64], to: &mut [f64]) {
    if let [weight] = *weights {
        if weight != 0.0 {
            for (to, value) in to.iter_mut().zip(row) {
                *to += weight * value;
            }
        }
        return;
    }
    for (k, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        for (to, value) in to.iter_mut().skip(k).step_by(weights.len()).zip(row) {
            *to += weight * value;
        }
    }
}
