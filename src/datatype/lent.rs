//! Active doubles and matrices of the library's own as buffers of blocking calls.

use super::argument::BufferTriple;
use super::lists::{Arguments, Lists, Types};
use crate::matrix::Owned;
use crate::mpi::Datatype;
use crate::tape::Var;
use std::ffi::{c_int, c_void};

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
    /// Another rank has it.
    Elsewhere,
}

impl Whole<'_> {
    /// Where it lies, what it is made of, and how many elements it has.
    fn parts(self) -> (*mut c_void, Datatype, usize) {
        match self {
            Whole::Values(values) => {
                (values.as_mut_ptr().cast(), Datatype::active_double(), values.len())
            }
            Whole::Matrix(matrix) => {
                let (rows, cols) = matrix.shape();
                (matrix.view().of.cast(), Datatype::of_matrix(), rows * cols)
            }
            Whole::Elsewhere => (std::ptr::null_mut(), Datatype::of_matrix(), usize::MAX),
        }
    }
}

/// Calls `f` with a buffer that has `n` elements of `whole` for each of `ranks`.
pub fn lent_shares<R>(
    whole: Whole<'_>,
    n: i64,
    ranks: usize,
    f: impl FnOnce(BufferTriple) -> R,
) -> R {
    let (pointer, datatype, most) = whole.parts();
    let all = usize::try_from(n).ok().and_then(|n| n.checked_mul(ranks));
    assert!(all.is_some_and(|all| all <= most), "room for all shares");
    // SAFETY: as above; nothing is looked at where another rank has it.
    f(unsafe { BufferTriple::new(pointer, n, datatype.raw()) })
}

/// The same with so many elements for each rank, in lists of ints where `ints` says that they fit.
pub fn lent_parts<R>(
    whole: Whole<'_>,
    counts: &[i64],
    ints: bool,
    f: impl FnOnce(Arguments) -> R,
) -> R {
    let mut end = 0;
    let before = |&n: &i64| {
        end += n;
        end - n
    };
    let places: Vec<i64> = counts.iter().map(before).collect();
    let (pointer, datatype, most) = whole.parts();
    assert!(usize::try_from(end).is_ok_and(|end| end <= most), "room for all parts");
    let (narrow, wide): ([Vec<c_int>; 2], Vec<isize>);
    let lists = if ints {
        let int = |&n: &i64| c_int::try_from(n).expect("as the caller says");
        narrow = [counts, &places].map(|list| list.iter().map(int).collect());
        Lists::Int(narrow[0].as_ptr(), narrow[1].as_ptr())
    } else {
        wide = places.iter().map(|&n| isize::try_from(n).unwrap_or(isize::MAX)).collect();
        Lists::Large(counts.as_ptr().cast(), wide.as_ptr().cast())
    };
    // SAFETY: as above; all arrays live until `f` is done.
    f(unsafe { Arguments::new(pointer, lists, Types::One(datatype)) })
}
