//! Arguments of operations on matrices, as C passes them.

use super::view::View;
use crate::error::{Code, Error, Result};
use crate::tape::Var;

/// Values of an operand: element (i, j) is `value[i * row_step + j * col_step]`. Laid out as `admpi_values`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Values {
    pub value: *const f64,
    pub row_step: i64,
    pub col_step: i64,
}

laid_out!(admpi_values, Values);

/// A part of a matrix, or a scalar where `view.of` is null. Laid out as `admpi_operand`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub view: View,
    pub scalar: Var,
}

laid_out!(admpi_operand, Argument);

impl Argument {
    /// # Safety
    /// The matrix is null or live.
    pub(super) unsafe fn is_active(&self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.view.of.as_ref().is_some_and(|matrix| (*matrix.block).is_active()) }
    }

    /// # Safety
    /// The matrix is null or live. The values are where they are as long as it is and nothing is assigned to it.
    pub(super) unsafe fn values(&self, name: &str) -> Result<Values> {
        if self.view.of.is_null() {
            return Ok(Values { value: &raw const self.scalar.value, row_step: 0, col_step: 0 });
        }
        // SAFETY: the caller's promise; the part is within the block.
        let value = unsafe {
            let part = self.view.part(name)?;
            (*(*self.view.of).block).cells.value.add(part.offset)
        };
        Ok(Values { value, row_step: self.view.row_step, col_step: self.view.col_step })
    }
}

/// Calls `f`, which has no effect but to tell what is wrong, with the name of argument `k` of some. That is put together
/// only for an error.
pub fn numbered<T>(what: &str, k: usize, f: impl Fn(&str) -> Result<T>) -> Result<T> {
    f(what).or_else(|_| f(&format!("{what}[{k}]")))
}

/// The places that are named, each below `n`.
pub fn indices(name: &str, index: &[i64], n: usize) -> Result<Vec<usize>> {
    let check = |(k, &place): (usize, &i64)| {
        usize::try_from(place).ok().filter(|&place| place < n).ok_or_else(|| {
            Error::new(
                Code::Range,
                format!("{name}[{k}] = {place} is not an index of {n} elements"),
            )
        })
    };
    index.iter().enumerate().map(check).collect()
}

#[cold]
pub fn no_tape() -> Error {
    Error::new(Code::NoTape, "active elements on a thread that has no tape")
}
