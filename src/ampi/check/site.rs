//! The call that a thread is in.

use crate::ampi::lock;
use crate::mpi::site::{Site, here};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Mutex;

thread_local! {
    static CALL: Cell<(&'static str, Option<Site>)> = const { Cell::new(("a call", None)) };
}

/// A call begins.
pub fn enter(call: &str) {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = lock(&NAMES);
    // There are as many as calls of MPI.
    let known = names.get(call).copied().unwrap_or_else(|| {
        let name: &'static str = Box::leak(call.into());
        names.insert(name);
        name
    });
    CALL.set((known, here()));
}

/// The call that has begun last, and where it stands.
pub fn last() -> (&'static str, Option<Site>) {
    CALL.get()
}
