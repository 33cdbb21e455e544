//! What outlives the call, the tape or the sweep that started it, until MPI is through with it.

use super::lock;
use crate::mpi::Operation;
use crate::mpi::transfer::Transfer;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Adds one. Two looks for each new one keep the list short, at a cost that does not grow with it.
fn add<T>(list: &mut VecDeque<T>, new: T, is_over: impl Fn(&mut T) -> bool) {
    for _ in 0..2 {
        let Some(mut oldest) = list.pop_front() else { break };
        if !is_over(&mut oldest) {
            list.push_back(oldest);
        }
    }
    list.push_back(new);
}

/// Operations that outlive their tape or their sweep: freed or given up before the other ends came for them.
/// Those that never complete keep their memory, since MPI does.
static LATE: Mutex<VecDeque<Operation>> = Mutex::new(VecDeque::new());

/// Lets MPI finish `operations`.
pub fn leave_to_mpi(operations: impl Iterator<Item = Operation>) {
    let mut late = lock(&LATE);
    for operation in operations {
        add(&mut late, operation, is_over);
    }
}

/// MPI is about to end.
pub fn settle_late() {
    lock(&LATE).retain_mut(|operation| !is_over(operation));
}

fn is_over(operation: &mut Operation) -> bool {
    matches!(operation.test(), Ok(true))
}

/// Sends whose requests the user has freed: their memory returns when they are through.
static ORPHANS: Mutex<VecDeque<Transfer>> = Mutex::new(VecDeque::new());

/// Keeps what a send holds whose request the user frees.
pub fn orphan(transfer: Transfer) {
    add(&mut lock(&ORPHANS), transfer, is_gone);
}

/// Whether nobody needs `transfer` any more, whose request the user has freed.
fn is_gone(transfer: &mut Transfer) -> bool {
    matches!(transfer.test(), Ok(Some(_))) && (transfer.is_null() || transfer.free().is_ok())
}

/// Lets go of what is held for sends that are through, whose requests the user has freed.
pub fn release_orphans() {
    lock(&ORPHANS).retain_mut(|transfer| !(transfer.is_holding() && is_gone(transfer)));
}

/// Waits for the sends whose requests were freed; MPI is about to end.
pub fn settle_orphans() {
    for mut transfer in lock(&ORPHANS).drain(..) {
        // Nothing can be done about a failure now.
        let _ = transfer.wait();
        is_gone(&mut transfer);
    }
}
