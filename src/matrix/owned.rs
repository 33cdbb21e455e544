//! References to matrices, and to what they are bound to.

use super::block::{Block, Matrix, Storage, bind, zeros};
use super::view::View;
use crate::error::{Code, Error, Result};
use crate::tape::{Event, Sweep, Tape};
use std::sync::atomic::{AtomicI64, Ordering};

/// A matrix that this Rust code owns a reference to.
#[derive(Debug)]
pub struct Owned(pub(super) *mut Matrix);

impl Owned {
    pub(super) fn new(block: *mut Block, rows: usize, cols: usize) -> Self {
        let as_c = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let matrix = Box::into_raw(Box::new(Matrix {
            block: std::ptr::null_mut(),
            rows: as_c(rows),
            cols: as_c(cols),
            references: AtomicI64::new(1),
            listed: 0,
        }));
        // SAFETY: both are live.
        unsafe { bind(matrix, block) };
        Self(matrix)
    }

    /// A passive matrix of these values, column by column, or of as many as there are and zeros.
    pub fn passive(
        rows: usize,
        cols: usize,
        values: impl IntoIterator<Item = f64>,
    ) -> Result<Self> {
        let mut all = zeros(rows, cols)?;
        for (to, value) in all.iter_mut().zip(values) {
            *to = value;
        }
        Ok(Self::new(Block::heap(all), rows, cols))
    }

    pub fn zeros(rows: usize, cols: usize) -> Result<Self> {
        Self::passive(rows, cols, [])
    }

    /// A passive matrix whose elements are written before any of them is read.
    pub fn unwritten(rows: usize, cols: usize) -> Result<Self> {
        Ok(Self::new(Block::heap_unwritten(rows, cols)?, rows, cols))
    }

    /// One more reference to a matrix that somebody else owns.
    ///
    /// # Safety
    /// `matrix` is live.
    pub unsafe fn share(matrix: *mut Matrix) -> Self {
        // SAFETY: the caller's promise.
        unsafe { (*matrix).references.fetch_add(1, Ordering::Relaxed) };
        Self(matrix)
    }

    /// Takes over a reference that C held.
    ///
    /// # Safety
    /// `matrix` is live, and the reference is not used again.
    pub unsafe fn from_raw(matrix: *mut Matrix) -> Self {
        Self(matrix)
    }

    /// The reference, for C to hold.
    pub fn into_raw(self) -> *mut Matrix {
        std::mem::ManuallyDrop::new(self).0
    }

    /// The whole matrix.
    pub fn view(&self) -> View {
        // SAFETY: live.
        let (rows, cols) = unsafe { ((*self.0).rows, (*self.0).cols) };
        View { of: self.0, offset: 0, rows, cols, row_step: 1, col_step: rows }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        // SAFETY: live.
        let (rows, cols) = unsafe { ((*self.0).rows, (*self.0).cols) };
        let count = |n: i64| usize::try_from(n).unwrap_or(0);
        (count(rows), count(cols))
    }

    /// Whether its ids are a range, or none.
    pub fn is_compact(&self) -> bool {
        // SAFETY: live.
        unsafe { (*(*self.0).block).cells.ids.is_null() }
    }

    /// Whether any of its elements may depend on what a tape records.
    pub fn is_active(&self) -> bool {
        // SAFETY: live.
        unsafe { (*(*self.0).block).is_active() }
    }

    /// The values of all elements, column by column, if none of them may depend on what a tape records.
    pub fn passive_values(&self) -> Option<&[f64]> {
        // SAFETY: live.
        let block = unsafe { &*(*self.0).block };
        (!block.is_active() && !block.is_stale()).then(|| block.values())
    }

    /// A matrix of its own with the same elements: it shares the block.
    pub fn copy(&self) -> Self {
        // SAFETY: live.
        unsafe {
            let (rows, cols) = ((*self.0).rows, (*self.0).cols);
            let copy = Self::new((*self.0).block, 0, 0);
            ((*copy.0).rows, (*copy.0).cols) = (rows, cols);
            copy
        }
    }

    /// Makes this matrix the same as `other`. Views of it see the new elements.
    pub fn rebind(&self, other: &Self) {
        // SAFETY: live.
        unsafe {
            bind(self.0, (*other.0).block);
            ((*self.0).rows, (*self.0).cols) = ((*other.0).rows, (*other.0).cols);
        }
    }

    /// Whether its elements lie in the arena of `tape`.
    pub fn is_on(&self, tape: &Tape) -> bool {
        // SAFETY: live.
        let storage = unsafe { &(*(*self.0).block).storage };
        matches!(storage, Storage::Arena { serial, .. } if *serial == tape.serial())
    }

    /// Another shape for the same number of elements, column by column.
    pub fn reshape(&self, rows: usize, cols: usize) -> Result<()> {
        // SAFETY: live.
        let n = unsafe { (*(*self.0).block).n };
        if rows.checked_mul(cols) != Some(n) {
            return Err(Error::new(
                Code::Argument,
                format!("reshape: {rows} x {cols} is not the {n} elements of the matrix"),
            ));
        }
        let as_c = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        // SAFETY: live.
        unsafe { ((*self.0).rows, (*self.0).cols) = (as_c(rows), as_c(cols)) };
        Ok(())
    }

    /// The values, to be written by whoever has just made the matrix.
    pub fn fresh_values(&mut self) -> &mut [f64] {
        // SAFETY: live.
        unsafe {
            let block = &mut *(*self.0).block;
            assert!(block.owners() == 1 && block.used.is_empty(), "a matrix that others know");
            std::slice::from_raw_parts_mut(block.cells.value, block.n)
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: live until its last reference goes.
        unsafe {
            if (*self.0).references.fetch_sub(1, Ordering::AcqRel) == 1 {
                bind(self.0, std::ptr::null_mut());
                drop(Box::from_raw(self.0));
            }
        }
    }
}
/// A hold of a block on the heap, whose values the events of a tape read, or MPI.
#[derive(Debug)]
pub struct Hold {
    pub block: *mut Block,
    pub serial: u64,
}

impl Event for Hold {
    const NAME: &'static str = "passive matrix";
    fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
        Ok(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // SAFETY: live, since it is held.
        unsafe {
            if let Storage::Heap { holder } = &(*self.block).storage {
                let _ =
                    holder.compare_exchange(self.serial, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
            Block::disown(self.block);
        }
    }
}
