//! The back ends of one rank.

use super::backend::Backend;
use super::serial::Serial;
use super::threads::Threads;

/// This thread, and threads that stay for the next call.
pub struct Local {
    serial: Serial,
    threads: Threads,
}

impl Default for Local {
    fn default() -> Self {
        Self { serial: Serial, threads: Threads::default() }
    }
}

impl Local {
    /// The one with `n` threads.
    pub fn with(&mut self, n: usize) -> &mut dyn Backend {
        if n < 2 {
            return &mut self.serial;
        }
        self.threads.resize(n);
        &mut self.threads
    }
}
