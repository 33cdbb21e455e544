//! What this process has sent: active messages forward, adjoints back.

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

static FORWARD: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static ADJOINT: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

fn count(counter: &[AtomicU64; 2], doubles: usize) {
    counter[0].fetch_add(1, Ordering::Relaxed);
    counter[1].fetch_add(8 * doubles as u64, Ordering::Relaxed);
}

pub fn sent_forward(doubles: usize) {
    count(&FORWARD, doubles);
}

pub fn sent_back(doubles: usize) {
    count(&ADJOINT, doubles);
}

pub fn get() -> MpiStatistics {
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    MpiStatistics {
        forward_messages: load(&FORWARD[0]),
        forward_bytes: load(&FORWARD[1]),
        adjoint_messages: load(&ADJOINT[0]),
        adjoint_bytes: load(&ADJOINT[1]),
    }
}
