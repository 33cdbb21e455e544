//! What the library holds until MPI ends: `MPI_Finalize` begins with deleting the attributes of `MPI_COMM_SELF`,
//! and that is the last time that anything of MPI's can be freed.
#![forbid(unsafe_code)]

use super::{Comm, CommAttribute, MpiResult};
use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// Calls `end` as MPI ends.
pub fn at_end(end: fn(usize)) -> MpiResult<()> {
    CommAttribute::new(end)?.set(Comm::itself(), 0)
}

static KEPT: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// Keeps a value until MPI ends.
pub fn keep(value: Box<dyn Any + Send>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_empty() {
        let _ = at_end(drop_kept); // failing that, it is kept for ever
    }
    kept.push(value);
}

fn drop_kept(_: usize) {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    drop(kept); // outside the lock
}
