//! Moves matrices between the members of a communicator, by the library's collectives: the tape sees them.

use crate::ampi::argument::Many;
use crate::ampi::dispatch::{self, Operands};
use crate::datatype::{Whole, lent_matrix, lent_parts, lent_shares};
use crate::large::limit::settled;
use crate::matrix::Owned;
use crate::mpi::{CallForm, Comm, MpiResult, Op};

const NOW: CallForm = CallForm::Blocking;

/// The parts of `whole` that the ranks have. All ranks know all counts, so all make the same call.
fn lent<R>(whole: Whole<'_>, counts: &[i64], f: impl FnOnce(&Many) -> R) -> R {
    if counts.iter().all(|n| *n == counts[0]) {
        return lent_shares(whole, counts[0], counts.len(), |share| f(&Many::Each(share)));
    }
    let fit = settled(counts.iter().sum()).is_some();
    lent_parts(whole, counts, fit, |parts| f(&Many::List(parts)))
}

/// Into `part` what the root has in `whole` for this rank.
pub fn scatter(
    comm: Comm,
    root: i32,
    whole: Whole<'_>,
    counts: &[i64],
    part: &Owned,
) -> MpiResult<()> {
    lent_matrix(part, |part| {
        lent(whole, counts, |parts| {
            dispatch::scatter("pmap", parts, part, root, comm, NOW).map(|_| ())
        })
    })
}

/// What each has, one part behind the other, into `whole` on the root.
pub fn gather(
    comm: Comm,
    root: i32,
    part: &Owned,
    whole: Whole<'_>,
    counts: &[i64],
) -> MpiResult<()> {
    lent_matrix(part, |part| {
        lent(whole, counts, |parts| dispatch::gather(part, parts, root, comm, NOW).map(|_| ()))
    })
}

/// What the root has, into what the others have.
pub fn broadcast(comm: Comm, root: i32, data: &Owned) -> MpiResult<()> {
    lent_matrix(data, |data| dispatch::bcast(data, root, comm, NOW).map(|_| ()))
}

/// The sum of what all have: into `sum` on the root, or without one everywhere.
pub fn sum(comm: Comm, root: Option<i32>, data: &Owned, sum: &Owned) -> MpiResult<()> {
    lent_matrix(data, |data| {
        lent_matrix(sum, |sum| {
            let operands = Operands { send: *data, receive: *sum, op: Op::sum() };
            match root {
                Some(root) => dispatch::reduce(&operands, root, comm, NOW),
                None => dispatch::allreduce(&operands, comm, NOW),
            }
            .map(|_| ())
        })
    })
}
