//! Moves active doubles between the members of a communicator, by the library's collectives: the tape sees them.

use crate::ampi::argument::Many;
use crate::ampi::dispatch::{self, Operands};
use crate::datatype::{lent, lent_parts};
use crate::mpi::{CallForm, Comm, MpiResult, Op};
use crate::tape::Var;

const NOW: CallForm = CallForm::Blocking;

fn zeros(n: usize) -> Vec<Var> {
    vec![Var::default(); n]
}

/// A part of what the root has for each.
pub fn scatter(
    comm: Comm,
    root: i32,
    packed: Option<Vec<Var>>,
    counts: &[i64],
    own: usize,
) -> MpiResult<Vec<Var>> {
    let (mut packed, mut part) = (packed.unwrap_or_default(), zeros(own));
    let none = vec![0; counts.len()];
    let counts = if packed.is_empty() { &none } else { counts };
    lent(&mut part, |part| {
        lent_parts(&mut packed, counts, |parts| {
            dispatch::scatter("pmap", &Many::List(parts), part, root, comm, NOW).map(|_| ())
        })
    })?;
    Ok(part)
}

/// What each has, one part behind the other, on the root.
pub fn gather(
    comm: Comm,
    root: i32,
    mut part: Vec<Var>,
    counts: Option<&[i64]>,
) -> MpiResult<Vec<Var>> {
    let n: i64 = counts.unwrap_or_default().iter().sum();
    let mut all = zeros(usize::try_from(n).unwrap_or(0));
    lent(&mut part, |part| {
        lent_parts(&mut all, counts.unwrap_or_default(), |parts| {
            dispatch::gather(part, &Many::List(parts), root, comm, NOW).map(|_| ())
        })
    })?;
    Ok(all)
}

/// What the root has, on the others.
pub fn broadcast(comm: Comm, root: i32, mut data: Vec<Var>) -> MpiResult<Vec<Var>> {
    lent(&mut data, |data| dispatch::bcast(data, root, comm, NOW).map(|_| ()))?;
    Ok(data)
}

/// The sum of what all have: on the root, or without one everywhere.
pub fn sum(comm: Comm, root: Option<i32>, mut data: Vec<Var>) -> MpiResult<Vec<Var>> {
    let mut result = zeros(data.len());
    lent(&mut data, |send| {
        lent(&mut result, |receive| {
            let operands = Operands { send: *send, receive: *receive, op: Op::sum() };
            match root {
                Some(root) => dispatch::reduce(&operands, root, comm, NOW),
                None => dispatch::allreduce(&operands, comm, NOW),
            }
            .map(|_| ())
        })
    })?;
    Ok(result)
}
