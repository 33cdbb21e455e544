//! Views: rectangular parts of matrices, as C sees them.

use super::block::Matrix;
use super::part::Part;
use crate::error::{Code, Error, Result};

/// A rectangular part of a matrix, as C sees it: element (i, j) is element
/// `offset + i * row_step + j * col_step` of the block.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub of: *mut Matrix,
    pub offset: i64,
    pub rows: i64,
    pub cols: i64,
    pub row_step: i64,
    pub col_step: i64,
}

laid_out!(admpi_view, View);
impl View {
    /// The first `n` elements of a matrix, still to be named.
    pub fn column(n: usize) -> Self {
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        Self { of: std::ptr::null_mut(), offset: 0, rows: n, cols: 1, row_step: 1, col_step: n }
    }

    /// The view of its element (i, j).
    ///
    /// # Safety
    /// `of` is NULL or a live matrix.
    pub unsafe fn element(&self, name: &str, i: i64, j: i64) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { self.part(name)? };
        for (index, count, what) in [(i, self.rows, "i"), (j, self.cols, "j")] {
            if index < 0 || index >= count {
                return Err(Error::new(
                    Code::Range,
                    format!(
                        "{what} = {index} is not an index of {name}, which is {} x {}",
                        self.rows, self.cols
                    ),
                ));
            }
        }
        let offset = self.offset + i * self.row_step + j * self.col_step;
        Ok(Self { offset, rows: 1, cols: 1, ..*self })
    }

    /// The number of elements.
    ///
    /// # Safety
    /// As for `element`.
    pub unsafe fn count(&self, name: &str) -> Result<usize> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.part(name)? }.len())
    }

    /// An error unless the view has `n` elements.
    ///
    /// # Safety
    /// As for `element`.
    pub unsafe fn check_count(&self, name: &str, n: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        check_count(name, unsafe { self.part(name)? }.len(), n)
    }

    /// # Safety
    /// `of` is NULL or a live matrix.
    unsafe fn matrix(&self, name: &str) -> Result<*mut Matrix> {
        if self.of.is_null() {
            return Err(Error::new(Code::Null, format!("{name}.of is NULL")));
        }
        Ok(self.of)
    }

    /// The part, if it lies within the matrix as that is now.
    ///
    /// # Safety
    /// As for `matrix`.
    pub unsafe fn part(&self, name: &str) -> Result<Part> {
        // SAFETY: the caller's promise.
        let n = unsafe { (*(*self.matrix(name)?).block).n };
        let read = |what: &str, value: i64| {
            usize::try_from(value).map_err(|_| {
                Error::new(Code::Argument, format!("{name}.{what} = {value} is negative"))
            })
        };
        let mut part = Part {
            offset: read("offset", self.offset)?,
            rows: read("rows", self.rows)?,
            cols: read("cols", self.cols)?,
            row_step: read("row_step", self.row_step)?,
            col_step: read("col_step", self.col_step)?,
        };
        let last = |count: usize, step: usize| count.saturating_sub(1).checked_mul(step);
        let end = last(part.rows, part.row_step)
            .zip(last(part.cols, part.col_step))
            .and_then(|(i, j)| i.checked_add(j)?.checked_add(part.offset)?.checked_add(1));
        let empty = part.rows == 0 || part.cols == 0;
        if part.rows.checked_mul(part.cols).is_none() || !(empty || end.is_some_and(|end| end <= n))
        {
            return Err(Error::new(
                Code::Range,
                format!(
                    "{name} ({} x {} from element {}, steps {} and {}) is not within its matrix of {n} elements",
                    part.rows, part.cols, part.offset, part.row_step, part.col_step
                ),
            ));
        }
        if empty {
            // Behind the last element is as good a place for nothing, which nobody is to look up.
            part.offset = 0;
        }
        Ok(part)
    }
}
pub fn check_count(name: &str, elements: usize, given: usize) -> Result<()> {
    if elements == given {
        return Ok(());
    }
    Err(Error::new(Code::Argument, format!("n = {given}, but {name} has {elements} elements")))
}
