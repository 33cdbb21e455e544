//! What persistent collectives use at each start: a communicator, and an operation.
//!
//! MPI counts its own persistent requests as references to these. Here each start is a call of the library's, so a program that
//! frees one of them gives it up, and it is freed with the last request that uses it.
#![forbid(unsafe_code)]

use super::{communicator, lock, user_op};
use crate::mpi::{Comm, MpiResult, Op};
use std::sync::Mutex;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Used {
    Comm(Comm),
    Op(Op),
}

struct Held {
    used: Used,
    requests: usize,
    given_up: bool,
}

static HELD: Mutex<Vec<Held>> = Mutex::new(Vec::new());

impl Used {
    fn free(self) -> MpiResult<()> {
        match self {
            Self::Comm(comm) => {
                communicator::leave(comm)?;
                comm.free()
            }
            Self::Op(op) => {
                user_op::forget(op);
                op.free()
            }
        }
    }
}

/// That of one request.
#[derive(Debug)]
pub struct Hold(Used);

impl Hold {
    pub fn on(used: Used) -> Self {
        let mut all = lock(&HELD);
        match all.iter_mut().find(|held| held.used == used) {
            Some(held) => held.requests += 1,
            None => all.push(Held { used, requests: 1, given_up: false }),
        }
        Self(used)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut all = lock(&HELD);
        let Some(at) = all.iter().position(|held| held.used == self.0) else { return };
        all[at].requests -= 1;
        if all[at].requests > 0 {
            return;
        }
        let last = all.swap_remove(at);
        drop(all);
        if last.given_up {
            let _ = last.used.free(); // as far as the program knows it has been
        }
    }
}

/// Tells whether requests use what a program frees: then it is freed with the last of them.
pub fn give_up(used: Used) -> bool {
    let mut all = lock(&HELD);
    let held = all.iter_mut().find(|held| held.used == used);
    held.map(|held| held.given_up = true).is_some()
}
