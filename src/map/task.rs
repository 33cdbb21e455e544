//! What is to be done: a function, the values of its parameters, and what is wanted of its results.

use super::data::Data;
use super::function::Named;
use super::shape::Parts;
use std::ops::Range;
use std::sync::Arc;

/// What is wanted of the jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// Each job's results; for each the derivatives in a row.
    Each,
    /// The sum of all jobs' results, which are of one length; for each the derivatives with respect to the shared
    /// parameters and then those of all jobs in a row.
    Sum,
    /// Each job's results; for each the gradient and then the matrix of second derivatives.
    Hessians,
}

/// The jobs of one call, or those of them that a rank has.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub named: &'a Named,
    pub data: Option<&'a Arc<Data>>,
    pub shared: &'a [f64],
    pub job: &'a [f64],
    pub job_parts: Parts<'a>,
    pub y_parts: Parts<'a>,
    /// How many jobs, and the number of the first.
    pub jobs: usize,
    pub first: usize,
    pub wanted: Wanted,
    /// Whether derivatives with respect to the shared parameters are wanted, and to those of the jobs.
    pub by_shared: bool,
    pub by_job: bool,
    /// Jobs that are timed together; 0: none are.
    pub group: usize,
}

impl Task<'_> {
    /// Derivatives of a result of job `i`.
    #[inline]
    pub fn columns(&self, i: usize) -> usize {
        self.shared_columns() + if self.by_job { self.job_parts.length(i) } else { 0 }
    }

    #[inline]
    pub fn shared_columns(&self) -> usize {
        if self.by_shared { self.shared.len() } else { 0 }
    }

    /// Those of a sum over some jobs.
    pub fn sum_columns(&self, jobs: &Range<usize>) -> usize {
        self.shared_columns() + if self.by_job { self.job_parts.span(jobs).len() } else { 0 }
    }

    /// Where in such a row the derivatives by the parameters of job `i` stand.
    pub fn sum_place(&self, i: usize, jobs: &Range<usize>) -> usize {
        self.sum_columns(&(jobs.start..i))
    }

    pub fn records(&self) -> bool {
        self.by_shared || self.by_job
    }

    /// The numbers that some jobs give: values, and derivatives.
    pub fn sizes(&self, jobs: &Range<usize>) -> (usize, usize) {
        if self.wanted == Wanted::Sum {
            let n = self.y_parts.longest(&(0..1));
            return (n, n * self.sum_columns(jobs));
        }
        let values = self.y_parts.span(jobs).len();
        let of_job = |i: usize| match (self.wanted, self.columns(i)) {
            (Wanted::Hessians, d) => self.y_parts.length(i) * (d + d * d),
            (_, d) => self.y_parts.length(i) * d,
        };
        let derivatives = match (self.y_parts, self.job_parts) {
            (Parts::Equal(_), Parts::Equal(_)) => {
                jobs.len() * if jobs.is_empty() { 0 } else { of_job(jobs.start) }
            }
            _ => jobs.clone().map(of_job).sum(),
        };
        (values, derivatives)
    }
}
