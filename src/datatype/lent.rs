//! Active doubles and matrices of the library's own as buffers of blocking calls.

use super::argument::BufferTriple;
use super::lists::{Arguments, Lists, Types};
use crate::matrix::Owned;
use crate::mpi::Datatype;
use crate::tape::Var;

/// Calls `f` with a buffer that is all elements of a matrix, column by column: they leave from where they lie, and arrive where they
/// are to stay. A blocking call is done with it when it returns; `f` keeps it no longer.
pub fn lent_matrix<R>(matrix: &Owned, f: impl FnOnce(&BufferTriple) -> R) -> R {
    let (rows, cols) = matrix.shape();
    let n = i64::try_from(rows * cols).unwrap_or(i64::MAX);
    // SAFETY: a live matrix of so many elements, borrowed until `f` is done with it.
    f(&unsafe { BufferTriple::new(matrix.view().of.cast(), n, Datatype::of_matrix().raw()) })
}

/// What has a part for each rank, one behind the other.
pub enum Whole<'a> {
    Values(&'a mut [Var]),
    /// Its elements, column by column.
    Matrix(&'a Owned),
}

/// The same with so many elements for each rank.
pub fn lent_parts<R>(whole: Whole<'_>, counts: &[i64], f: impl FnOnce(Arguments) -> R) -> R {
    let mut end = 0;
    let before = |&n: &i64| {
        end += n;
        isize::try_from(end - n).unwrap_or(isize::MAX)
    };
    let displacements: Vec<isize> = counts.iter().map(before).collect();
    let (pointer, n, datatype) = match whole {
        Whole::Values(values) => {
            (values.as_mut_ptr().cast(), values.len(), Datatype::active_double())
        }
        Whole::Matrix(matrix) => {
            let (rows, cols) = matrix.shape();
            (matrix.view().of.cast(), rows * cols, Datatype::of_matrix())
        }
    };
    assert!(usize::try_from(end).is_ok_and(|end| end <= n), "room for all parts");
    let lists = Lists::Large(counts.as_ptr().cast(), displacements.as_ptr().cast());
    // SAFETY: as above; both arrays live until `f` is done.
    f(unsafe { Arguments::new(pointer, lists, Types::One(datatype)) })
}
