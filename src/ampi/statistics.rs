//! What this process has sent: active messages forward, adjoints back.

use crate::mpi::serial::is_concurrent;
use std::sync::atomic::{AtomicU64, Ordering};

/// Messages and bytes that went out of this process on behalf of active data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MpiStatistics {
    pub forward_messages: u64,
    pub forward_bytes: u64,
    pub adjoint_messages: u64,
    pub adjoint_bytes: u64,
}

/// In the order of `MpiStatistics`.
static COUNTS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

#[inline(always)]
fn count(messages: &AtomicU64, bytes: &AtomicU64, doubles: usize) {
    let doubles = 8 * doubles as u64;
    if is_concurrent() {
        messages.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(doubles, Ordering::Relaxed);
    } else {
        // Nobody else counts: no locked instruction.
        messages.store(messages.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        bytes.store(bytes.load(Ordering::Relaxed) + doubles, Ordering::Relaxed);
    }
}

#[inline]
pub fn sent_forward(doubles: usize) {
    count(&COUNTS[0], &COUNTS[1], doubles);
}

#[inline]
pub fn sent_back(doubles: usize) {
    count(&COUNTS[2], &COUNTS[3], doubles);
}

pub fn get() -> MpiStatistics {
    let [forward_messages, forward_bytes, adjoint_messages, adjoint_bytes] =
        COUNTS.each_ref().map(|counter| counter.load(Ordering::Relaxed));
    MpiStatistics { forward_messages, forward_bytes, adjoint_messages, adjoint_bytes }
}
