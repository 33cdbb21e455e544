//! Adjoint messages on their way out: those to one peer follow each other, and no send waits.

use super::table::Table;
use super::wire::doubles;
use super::{Private, check};
use crate::error::{Error, Result};
use crate::mpi::message::Envelope;
use crate::mpi::{Failure, Operation, Payload};
use std::collections::VecDeque;
use std::ffi::c_int;
use std::ops::Range;

/// Sends outstanding per peer; the rest wait here, in order. (MPICH fails beyond some 200k of them, and
/// Open MPI takes minutes to drain 300k.)
const WINDOW: usize = 256;

/// How often a lane may be found standing still until more are let out. Between two looks other processes have had
/// their turn.
const PATIENCE: u32 = 1000;

/// Doubles of a message of adjoints at most: what is received is added while it lies in the cache (bench_halo).
const PIECE: usize = 1 << 16;

/// How many values of `width` doubles a piece has.
pub const fn in_a_piece(width: usize) -> usize {
    PIECE / width
}

/// The values of each message when `n` of `width` doubles travel. The last has fewer than a piece, and be it none: so each end
/// finds out if the other counts more, or fewer.
pub fn pieces(n: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    let whole = in_a_piece(width);
    (0..=n).step_by(whole).map(move |at| at..n.min(at + whole))
}

/// A message of adjoints: `n` values of `width` directions, at most a piece.
#[derive(Debug)]
pub struct Parcel {
    pub private: &'static Private,
    /// That of the sweep that sends it.
    pub depth: u32,
    pub peer: c_int,
    pub tag: c_int,
    pub n: usize,
    pub width: usize,
    pub data: Payload,
}

impl Parcel {
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

/// The way to one peer.
struct Lane {
    private: usize,
    peer: c_int,
    active: VecDeque<Operation>,
    queue: VecDeque<Parcel>,
    /// How often nothing could leave the queue, since something did.
    stuck: u32,
}

impl Lane {
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
            && let Some(parcel) = self.queue.pop_front()
        {
            self.active.push_back(parcel.send()?);
            started += 1;
        }
        if started > 0 {
            self.stuck = 0;
        }
        Ok(started)
    }

    /// Nothing moves. What the peer asks for first may stand behind what it asks for last, under other tags: after a
    /// while more are let out.
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
pub struct Outbox {
    lanes: Vec<Lane>,
    places: Table<(usize, c_int), usize>,
    /// Parcels that wait in all lanes together.
    queued: usize,
}

/// Few peers are found faster by looking at them than by hashing.
const NEAR: usize = 8;

impl Outbox {
    /// Whether no parcel waits.
    #[inline(always)]
    pub const fn has_no_queue(&self) -> bool {
        self.queued == 0
    }

    /// What has left, and has not been seen to be complete.
    pub fn drain(&mut self) -> impl Iterator<Item = Operation> {
        self.lanes.iter_mut().flat_map(|lane| lane.active.drain(..))
    }

    /// Forgets what is complete, and starts what waits.
    pub fn advance(&mut self) -> Result<()> {
        for lane in &mut self.lanes {
            self.queued -= lane.advance()?;
        }
        Ok(())
    }

    fn lane(&mut self, private: usize, peer: c_int) -> &mut Lane {
        let near = self
            .lanes
            .iter()
            .take(NEAR)
            .position(|lane| lane.peer == peer && lane.private == private);
        let place = near.unwrap_or_else(|| {
            *self.places.entry((private, peer)).or_insert_with(|| {
                self.lanes.push(Lane::new(private, peer));
                self.lanes.len() - 1
            })
        });
        &mut self.lanes[place]
    }

    /// Sends, or queues. The parcel keeps its memory if it has left at once.
    #[inline]
    pub fn send(&mut self, parcel: &mut Parcel) -> Result<()> {
        check::adjoint_sent(parcel.private, parcel.depth, parcel.peer);
        let lane = self.lane(parcel.private.index, parcel.peer);
        let started = if lane.is_quiet() { 0 } else { lane.advance()? };
        if lane.is_quiet() {
            // A small message is mostly gone at once.
            if let Some(operation) = parcel.send_off()? {
                lane.active.push_back(operation);
            }
            return Ok(());
        }
        let parcel = Parcel { data: std::mem::take(&mut parcel.data), ..*parcel };
        let waits = !lane.queue.is_empty() || lane.active.len() >= WINDOW;
        if waits {
            lane.queue.push_back(parcel);
        } else {
            lane.active.push_back(parcel.send()?);
        }
        self.queued = self.queued + usize::from(waits) - started;
        Ok(())
    }

    pub fn pump(&mut self) -> Result<()> {
        for lane in &mut self.lanes {
            if !lane.queue.is_empty() {
                let started = lane.advance()?;
                self.queued -= if started > 0 { started } else { lane.widen()? };
            }
        }
        Ok(())
    }

    /// Starts all that waits, however much is under way: from now on it moves in any call of MPI.
    pub fn start_all(&mut self) -> Result<()> {
        if self.queued == 0 {
            return Ok(());
        }
        for lane in &mut self.lanes {
            while let Some(parcel) = lane.queue.pop_front() {
                self.queued -= 1;
                lane.active.push_back(parcel.send()?);
            }
        }
        Ok(())
    }

    /// Waits until all is under way. What nobody asks for yet is let out in the end.
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
        for lane in &mut self.lanes {
            while let Some(mut operation) = lane.active.pop_front() {
                operation.wait().map_err(|failure| failure.into_error("completing adjoints"))?;
            }
        }
        Ok(())
    }

    /// Whether nothing is under way to members of `private`, on it or its mirror. What goes by other communicators
    /// may wait for others.
    pub fn has_sent_all(&self, private: &Private) -> bool {
        let ways = [private.index, private.mirror().index];
        let mut lanes = self.lanes.iter().filter(|lane| ways.contains(&lane.private));
        lanes.all(|lane| lane.active.is_empty() && lane.queue.is_empty())
    }
}
