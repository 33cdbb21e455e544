//! Parts of blocks: elements by an offset and two steps, checked to lie within.
#![forbid(unsafe_code)]

use super::runs;
use crate::error::Result;
use std::ops::Range;

/// A view that was checked against its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub offset: usize,
    pub rows: usize,
    pub cols: usize,
    pub row_step: usize,
    pub col_step: usize,
}

impl Part {
    pub const fn whole(rows: usize, cols: usize) -> Self {
        Self { offset: 0, rows, cols, row_step: 1, col_step: rows }
    }

    pub const fn len(&self) -> usize {
        self.rows * self.cols
    }

    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// From the first to the last element.
    pub fn span(&self) -> Range<usize> {
        if self.is_empty() {
            return self.offset..self.offset;
        }
        let last = self.offset + (self.rows - 1) * self.row_step + (self.cols - 1) * self.col_step;
        self.offset..last + 1
    }

    /// Whether the elements lie side by side, column by column.
    pub fn is_contiguous(&self) -> bool {
        (self.rows <= 1 || self.row_step == 1) && (self.cols <= 1 || self.col_step == self.rows)
    }

    /// Where elements lie side by side, in their order; none if that is in too many places.
    pub fn contiguous_spans(self) -> Option<impl Iterator<Item = Range<usize>>> {
        let Self { offset, rows, row_step, col_step, .. } = self;
        let length = match () {
            () if self.is_contiguous() => self.len(),
            () if rows == 1 || row_step == 1 => rows,
            () => 1,
        };
        let places = (0..self.len()).step_by(length.max(1)).map(move |k| {
            let first = offset + k % rows * row_step + k / rows * col_step;
            first..first + length
        });
        (places.len() <= runs::MOST).then_some(places)
    }

    /// Calls `f` for the runs of places among the first `n` that are not of the part.
    pub fn gaps(self, n: usize, mut f: impl FnMut(Range<usize>) -> Result<()>) -> Result<()> {
        let Self { offset, mut rows, mut cols, mut row_step, mut col_step } = self;
        if row_step > col_step {
            (rows, cols, row_step, col_step) = (cols, rows, col_step, row_step);
        }
        let run = if row_step == 1 { rows.max(1) } else { 1 };
        let starts = (0..cols).flat_map(|j| {
            (0..rows).step_by(run).map(move |i| offset + j * col_step + i * row_step)
        });
        let mut end = 0;
        let mut before = |start: usize| {
            let gap = end..start;
            end = start + run;
            f(gap)
        };
        let in_order = rows.saturating_sub(1) * row_step < col_step;
        if in_order || cols <= 1 {
            starts.clone().try_for_each(&mut before)?;
        } else {
            let mut starts: Vec<usize> = starts.collect();
            starts.sort_unstable();
            starts.into_iter().try_for_each(&mut before)?;
        }
        before(n)
    }

    /// The places of the elements, column by column.
    pub fn places(self) -> impl Iterator<Item = usize> {
        let Self { offset, rows, cols, row_step, col_step } = self;
        (0..cols).flat_map(move |j| (0..rows).map(move |i| offset + i * row_step + j * col_step))
    }
}
