//! Messages of which a tape is to be told: a thread that is not the tape's has sent them.
//!
//! The tape's thread is told before it records anything that such a message may have led to, and before a sweep.
#![forbid(unsafe_code)]

use super::lock;
use crate::tape::Tape;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub trait Untold: Send + Sync {
    /// Tells `tape` of the message, if it is the one; returns whether it is.
    fn tell(&self, tape: &mut Tape) -> bool;
}

static ALL: Mutex<Vec<Arc<dyn Untold>>> = Mutex::new(Vec::new());
/// Their number.
static N: AtomicUsize = AtomicUsize::new(0);

/// Comes before the message does: who meets its effect finds it.
pub fn add(one: Arc<dyn Untold>) {
    lock(&ALL).push(one);
    N.fetch_add(1, Ordering::SeqCst);
}

pub fn remove(one: &dyn Untold) {
    let all = &mut *lock(&ALL);
    if let Some(at) = all.iter().position(|other| std::ptr::addr_eq(&raw const **other, one)) {
        all.swap_remove(at);
        N.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Tells a tape of all that are its.
#[inline(always)]
pub fn tell(tape: &mut Tape) {
    if N.load(Ordering::Relaxed) > 0 {
        tell_all(tape);
    }
}

#[cold]
#[inline(never)]
fn tell_all(tape: &mut Tape) {
    let known = lock(&ALL).clone();
    for one in known {
        if one.tell(tape) {
            remove(&*one);
        }
    }
}
