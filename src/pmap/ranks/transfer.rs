//! Moves matrices between the members of a communicator, by the library's collectives: the tape sees them.

use crate::ampi::argument::Many;
use crate::ampi::dispatch::{self, Operands};
use crate::datatype::{Whole, lent_matrix, lent_parts};
use crate::matrix::Owned;
use crate::mpi::{CallForm, Comm, MpiResult, Op};

const NOW: CallForm = CallForm::Blocking;

/// Into `part` what the root has for this rank; `counts` are looked at there.
pub fn scatter(
    comm: Comm,
    root: i32,
    packed: Whole<'_>,
    counts: &[i64],
    part: &Owned,
) -> MpiResult<()> {
    lent_matrix(part, |part| {
        lent_parts(packed, counts, |parts| {
            dispatch::scatter("pmap", &Many::List(parts), part, root, comm, NOW).map(|_| ())
        })
    })
}

/// What each has, one part behind the other, into `all` on the root.
pub fn gather(
    comm: Comm,
    root: i32,
    part: &Owned,
    all: Whole<'_>,
    counts: &[i64],
) -> MpiResult<()> {
    lent_matrix(part, |part| {
        lent_parts(all, counts, |parts| {
            dispatch::gather(part, &Many::List(parts), root, comm, NOW).map(|_| ())
        })
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
