//! What this process has sent: active messages forward, adjoints back.

use crate::mpi::serial::is_concurrent;
use std::sync::atomic::{AtomicU64, Ordering};

/// Messages and bytes that went out of this process on behalf of active data.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MpiStatistics {
    pub forward_messages: u64,
    pub forward_bytes: u64,
    pub adjoint_messages: u64,
    pub adjoint_bytes: u64,
}

/// In the order of `MpiStatistics`.
static COUNTS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

#[inline]
fn count(first: usize, doubles: usize) {
    for (counter, by) in COUNTS[first..first + 2].iter().zip([1, 8 * doubles as u64]) {
        if is_concurrent() {
            counter.fetch_add(by, Ordering::Relaxed);
        } else {
            // Nobody else counts: no locked instruction.
            counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Relaxed);
        }
    }
}

pub fn sent_forward(doubles: usize) {
    count(0, doubles);
}

pub fn sent_back(doubles: usize) {
    count(2, doubles);
}

pub fn get() -> MpiStatistics {
    let [forward_messages, forward_bytes, adjoint_messages, adjoint_bytes] =
        COUNTS.each_ref().map(|counter| counter.load(Ordering::Relaxed));
    MpiStatistics { forward_messages, forward_bytes, adjoint_messages, adjoint_bytes }
}
