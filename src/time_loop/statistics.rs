//! What loops have done.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::rc::Rc;

/// What the loops of an object have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Steps of the first runs.
    pub first: u64,
    /// Steps run again without being recorded.
    pub advanced: u64,
    /// Steps recorded for sweeps.
    pub recorded: u64,
    /// Most states kept in memory at a time by one run, and the bytes of their elements.
    pub snapshots: u64,
    pub snapshot_bytes: u64,
    /// The same on disk.
    pub disk_snapshots: u64,
    pub disk_bytes: u64,
    /// Most recorded blocks kept at a time.
    pub records: u64,
}

/// Those of an object, which its runs add to.
#[derive(Debug, Clone, Default)]
pub struct Counts(Rc<Cell<Statistics>>);

impl Counts {
    pub fn get(&self) -> Statistics {
        self.0.get()
    }

    pub fn add(&self, add: impl FnOnce(&mut Statistics)) {
        let mut statistics = self.0.get();
        add(&mut statistics);
        self.0.set(statistics);
    }
}
