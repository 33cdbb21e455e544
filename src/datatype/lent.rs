//! Active doubles of the library's own as buffers of blocking calls.

use super::argument::BufferTriple;
use super::lists::{Arguments, Lists, Types};
use crate::mpi::Datatype;
use crate::tape::Var;

/// Calls `f` with a buffer that is `values`. A blocking call is done with it when it returns; `f` keeps it no longer.
pub fn lent<R>(values: &mut [Var], f: impl FnOnce(&BufferTriple) -> R) -> R {
    let n = i64::try_from(values.len()).unwrap_or(i64::MAX);
    // SAFETY: so many active doubles, borrowed until `f` is done with them.
    f(&unsafe { BufferTriple::new(values.as_mut_ptr().cast(), n, Datatype::active_double().raw()) })
}

/// The same with so many of the values for each rank, one part behind the other.
pub fn lent_parts<R>(values: &mut [Var], counts: &[i64], f: impl FnOnce(Arguments) -> R) -> R {
    let mut end = 0;
    let before = |&n: &i64| {
        end += n;
        isize::try_from(end - n).unwrap_or(isize::MAX)
    };
    let displacements: Vec<isize> = counts.iter().map(before).collect();
    assert!(usize::try_from(end).is_ok_and(|end| end <= values.len()), "room for all parts");
    let lists = Lists::Large(counts.as_ptr().cast(), displacements.as_ptr().cast());
    let types = Types::One(Datatype::active_double());
    // SAFETY: as above; both arrays live until `f` is done.
    f(unsafe { Arguments::new(values.as_mut_ptr().cast(), lists, types) })
}
