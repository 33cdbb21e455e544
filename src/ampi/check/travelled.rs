//! How many adjoints have travelled: what a sweep that was stopped has left under way.

use crate::ampi::{AdjointComm, lock};
use crate::tape;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Mutex;

/// How many adjoints have travelled: by private communicator, depth of the sweep counted from where that entered, and
/// peer those sent and taken, and without a peer those of collectives that have set off. A sweep that is stopped where
/// messages cross leaves some under way, which another would take for its own.
static TRAVELLED: Mutex<BTreeMap<(usize, i64, c_int), [u64; 2]>> = Mutex::new(BTreeMap::new());

const SENT: usize = 0;
const TAKEN: usize = 1;
pub const TOGETHER: c_int = -1;

#[inline]
fn count_adjoint(private: &AdjointComm, depth: u32, peer: c_int, way: usize) {
    if tape::checking() {
        count_checked(private, depth, peer, way);
    }
}

#[cold]
fn count_checked(private: &AdjointComm, depth: u32, peer: c_int, way: usize) {
    let place = (private.index, i64::from(depth) - i64::from(private.base_depth), peer);
    lock(&TRAVELLED).entry(place).or_default()[way] += 1;
}

/// A message of adjoints leaves.
#[inline]
pub fn adjoint_sent(private: &AdjointComm, depth: u32, peer: c_int) {
    count_adjoint(private, depth, peer, SENT);
}

/// One has arrived.
#[inline]
pub fn adjoint_taken(private: &AdjointComm, depth: u32, peer: c_int) {
    count_adjoint(private, depth, peer, TAKEN);
}

/// The adjoints of a collective set off.
#[inline]
pub fn adjoint_set_off(private: &AdjointComm, depth: u32) {
    count_adjoint(private, depth, TOGETHER, SENT);
}

/// Nothing is under way any more, at one depth or all.
pub fn adjoints_dropped(private: &AdjointComm, depth: Option<u32>) {
    let depth = depth.map(|depth| i64::from(depth) - i64::from(private.base_depth));
    let gone = |index: usize, at: i64| {
        [private.index, private.mirror().index].contains(&index) && depth.is_none_or(|d| d == at)
    };
    lock(&TRAVELLED).retain(|&(index, at, _), _| !gone(index, at));
}

/// Those that have travelled between this rank and a peer in sweeps at the present depth, or those of collectives.
pub fn travelled(private: &AdjointComm, peer: c_int) -> [u64; 2] {
    let mirror = private.mirror();
    let mirrored = if peer == TOGETHER { TOGETHER } else { private.mirrored(peer) };
    let depth = i64::from(tape::depth()) - i64::from(private.base_depth);
    let travelled = lock(&TRAVELLED);
    let of = |index, peer| travelled.get(&(index, depth, peer)).copied().unwrap_or_default();
    let (own, others) = (of(private.index, peer), of(mirror.index, mirrored));
    [own[SENT] + others[SENT], own[TAKEN] + others[TAKEN]]
}
