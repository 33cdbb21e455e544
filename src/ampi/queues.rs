//! Adjoint messages on their way out: those to one peer follow each other, and no send waits.

use super::hash::Table;
use super::wire::doubles;
use super::{AdjointComm, check};
use crate::error::{Error, Result};
use crate::mpi::message::Envelope;
use crate::mpi::{Failure, Operation, Payload};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::ops::Range;

/// Sends outstanding per peer; the rest wait here, in order. (MPICH fails beyond some 200k of them, and
/// Open MPI takes minutes to drain 300k.)
const WINDOW: usize = 256;

/// How many times a queue may be found stuck before it may send more than `WINDOW`. Other processes run between two
/// looks.
const PATIENCE: u32 = 1000;

/// The most doubles in one message of adjoints: what is received is added while it is in the cache (bench_halo).
const PIECE: usize = 1 << 16;

/// The number of values of `width` doubles in a whole piece.
pub const fn in_a_piece(width: usize) -> usize {
    PIECE / width
}

/// The values in each message when `n` values of `width` doubles travel. The last message is always short, possibly
/// empty, so a receiver notices if the sender has another count.
pub fn pieces(n: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    let whole = in_a_piece(width);
    (0..=n).step_by(whole).map(move |at| at..n.min(at + whole))
}

/// A message of adjoints: `n` values of `width` directions, at most a piece.
#[derive(Debug)]
pub struct AdjointMessage {
    pub private: &'static AdjointComm,
    /// That of the sweep that sends it.
    pub depth: u32,
    pub peer: c_int,
    pub tag: c_int,
    pub n: usize,
    pub width: usize,
    pub data: Payload,
}

impl AdjointMessage {
    fn send(self) -> Result<Operation> {
        let comm = self.private.comm(self.depth)?;
        let to = Envelope::new(self.peer, self.tag);
        doubles(self.n * self.width)
            .and_then(|items| Operation::send(comm, self.data, &items, to))
            .map_err(unsent)
    }

    /// As `send`, with a look whether it has left at once: then the memory stays here, and nothing is under way.
    #[inline]
    fn send_off(&mut self) -> Result<Option<Operation>> {
        let comm = self.private.comm(self.depth)?;
        let to = Envelope::new(self.peer, self.tag);
        let items = doubles(self.n * self.width).map_err(unsent)?;
        Operation::send_off(comm, &mut self.data, &items, to).map_err(unsent)
    }
}

#[cold]
fn unsent(failure: Failure) -> Error {
    failure.into_error("sending adjoints")
}

/// The sends to one peer.
struct SendQueue {
    private: usize,
    peer: c_int,
    active: VecDeque<Operation>,
    queue: VecDeque<AdjointMessage>,
    /// How many times in a row nothing could leave the queue.
    stuck: u32,
}

impl SendQueue {
    fn new(private: usize, peer: c_int) -> Self {
        let (active, queue) = (VecDeque::new(), VecDeque::new());
        Self { private, peer, active, queue, stuck: 0 }
    }

    fn is_quiet(&self) -> bool {
        self.active.is_empty() && self.queue.is_empty()
    }

    /// Forgets what is complete, oldest first, and starts what waits.
    fn advance(&mut self) -> Result<usize> {
        while let Some(oldest) = self.active.front_mut() {
            if !test(oldest)? {
                break;
            }
            self.active.pop_front();
        }
        self.fill(WINDOW)
    }

    /// Starts what waits, up to so many under way.
    fn fill(&mut self, window: usize) -> Result<usize> {
        let mut started = 0;
        while self.active.len() < window
            && let Some(message) = self.queue.pop_front()
        {
            self.active.push_back(message.send()?);
            started += 1;
        }
        if started > 0 {
            self.stuck = 0;
        }
        Ok(started)
    }

    /// Nothing moves. The peer may be waiting for a message behind those that are under way, since it receives by tag.
    /// After a while more messages are started.
    fn widen(&mut self) -> Result<usize> {
        self.stuck += 1;
        if self.stuck < PATIENCE {
            return Ok(0);
        }
        for mut operation in std::mem::take(&mut self.active) {
            if !test(&mut operation)? {
                self.active.push_back(operation);
            }
        }
        self.fill(self.active.len() + WINDOW)
    }
}

pub fn test(operation: &mut Operation) -> Result<bool> {
    operation.test().map_err(|failure| failure.into_error("completing adjoints"))
}

/// All sends of adjoints of one tape.
#[derive(Default)]
pub struct SendQueues {
    queues: Vec<SendQueue>,
    places: Table<(usize, c_int), usize>,
    /// Messages that wait in all queues together.
    queued: usize,
}

/// Few peers are found faster by looking at them than by hashing.
const NEAR: usize = 8;

impl SendQueues {
    /// Whether no message waits.
    #[inline(always)]
    pub const fn has_no_queue(&self) -> bool {
        self.queued == 0
    }

    /// What has left, and has not been seen to be complete.
    pub fn drain(&mut self) -> impl Iterator<Item = Operation> {
        self.queues.iter_mut().flat_map(|sends| sends.active.drain(..))
    }

    /// Forgets what is complete, and starts what waits.
    pub fn advance(&mut self) -> Result<()> {
        for sends in &mut self.queues {
            self.queued -= sends.advance()?;
        }
        Ok(())
    }

    fn sends(&mut self, private: usize, peer: c_int) -> &mut SendQueue {
        let near = self
            .queues
            .iter()
            .take(NEAR)
            .position(|sends| sends.peer == peer && sends.private == private);
        let place = near.unwrap_or_else(|| {
            *self.places.entry((private, peer)).or_insert_with(|| {
                self.queues.push(SendQueue::new(private, peer));
                self.queues.len() - 1
            })
        });
        &mut self.queues[place]
    }

    /// Sends, or queues. The message keeps its memory if it has left at once.
    #[inline]
    pub fn send(&mut self, message: &mut AdjointMessage) -> Result<()> {
        check::adjoint_sent(message.private, message.depth, message.peer);
        let sends = self.sends(message.private.index, message.peer);
        let started = if sends.is_quiet() { 0 } else { sends.advance()? };
        if sends.is_quiet() {
            // A small message is mostly gone at once.
            if let Some(operation) = message.send_off()? {
                sends.active.push_back(operation);
            }
            return Ok(());
        }
        let message = AdjointMessage { data: std::mem::take(&mut message.data), ..*message };
        let waits = !sends.queue.is_empty() || sends.active.len() >= WINDOW;
        if waits {
            sends.queue.push_back(message);
        } else {
            sends.active.push_back(message.send()?);
        }
        self.queued = self.queued + usize::from(waits) - started;
        Ok(())
    }

    pub fn pump(&mut self) -> Result<()> {
        for sends in &mut self.queues {
            if !sends.queue.is_empty() {
                let started = sends.advance()?;
                self.queued -= if started > 0 { started } else { sends.widen()? };
            }
        }
        Ok(())
    }

    /// Starts all that waits, however much is under way: from now on it moves in any call of MPI.
    pub fn start_all(&mut self) -> Result<()> {
        if self.queued == 0 {
            return Ok(());
        }
        for sends in &mut self.queues {
            while let Some(message) = sends.queue.pop_front() {
                self.queued -= 1;
                sends.active.push_back(message.send()?);
            }
        }
        Ok(())
    }

    /// Waits until all messages are under way. `widen` starts those that no peer has asked for.
    pub fn empty_queue(&mut self) -> Result<()> {
        while self.queued > 0 {
            self.pump()?;
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits until all is sent.
    pub fn flush(&mut self) -> Result<()> {
        self.empty_queue()?;
        for sends in &mut self.queues {
            while let Some(mut operation) = sends.active.pop_front() {
                operation.wait().map_err(|failure| failure.into_error("completing adjoints"))?;
            }
        }
        Ok(())
    }

    /// Whether nothing is under way to members of `private`, on it or its mirror. Sends on other communicators may
    /// wait for other ranks.
    pub fn has_sent_all(&self, private: &AdjointComm) -> bool {
        let ways = [private.index, private.mirror().index];
        let mut queues = self.queues.iter().filter(|sends| ways.contains(&sends.private));
        queues.all(|sends| sends.active.is_empty() && sends.queue.is_empty())
    }
}
