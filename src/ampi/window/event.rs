//! What an epoch leaves on the tapes: values that went to other ranks, values that came from them, sums at the target.

use super::ids::IdRuns;
use crate::ampi::AdjointComm;
use crate::ampi::peer_exchange::{Edge, Edges, Way};
use crate::ampi::stamp::{Call, Stamp, UNNUMBERED};
use crate::ampi::statistics;
use crate::count::{narrow32, wide32};
use crate::error::Result;
use crate::mpi::Staging;
use crate::tape::{Dependence, Event, Ids, Stored, Sweep, Tape};
use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which values of a window: both ends of a message have this alike.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    pub private: &'static AdjointComm,
    /// The window's, for adjoints.
    pub tag: c_int,
    /// Which fence of the window ended the epoch; 0 where some ranks only did.
    pub fence: u32,
    /// Values that were fetched from the target. Else they went to it.
    pub fetched: bool,
}

impl Exchange {
    fn way(&self, width: usize) -> Way {
        let signature = [self.tag.into(), self.fence.into(), self.fetched.into()];
        let stamp = Stamp::new(Call::Window, signature, UNNUMBERED, width);
        Way { private: self.private, tag: self.tag, stamp }
    }

    /// The edges to the ranks of `parts`, which are pairs of a rank and so many doubles.
    fn edges(&self, parts: &Stored<u32>, sweep: &Sweep<'_>) -> Edges {
        self.edges_of(sweep.stored(parts).chunks_exact(2))
    }

    fn edges_of<'a>(&self, parts: impl Iterator<Item = &'a [u32]>) -> Edges {
        let mut at = 0;
        Edges::of(parts.map(|part| {
            let n = wide32(part[1]);
            let rank = c_int::try_from(part[0]).unwrap_or(-1);
            let edge = Edge { peer: self.private.mirrored(rank), at, n };
            at += n;
            edge
        }))
    }
}

/// Values that went to other ranks: their adjoints come back.
struct Sent {
    exchange: Exchange,
    ids: Ids,
    parts: Stored<u32>,
}

impl Event for Sent {
    const NAME: &'static str = "window, sent";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let Self { exchange, ids, parts } = self;
        let way = exchange.way(sweep.width());
        exchange.edges(parts, sweep).collect(way, &Staging::default(), ids, sweep)
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(crate::ampi::ACROSS_RANKS)
    }
}

/// Values that came from other ranks: their adjoints go there. Does not wait.
struct Received {
    exchange: Exchange,
    first: u32,
    n: u32,
    parts: Stored<u32>,
}

impl Event for Received {
    const NAME: &'static str = "window, received";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width, exchange) = (wide32(self.n), sweep.width(), self.exchange);
        let mut taken = Staging::take(n * width);
        sweep.take(self.first, n, taken.as_mut_slice());
        statistics::sent_back(taken.len());
        let edges = exchange.edges(&self.parts, sweep);
        edges.send(exchange.way(width), &taken, width, sweep).map(|_| ())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(crate::ampi::ACROSS_RANKS)
    }
}

/// What others have read of this rank's window since it was posted: known when they have completed.
#[derive(Default)]
pub struct WhatWasRead {
    pub ids: IdRuns,
    pub parts: Parts,
}

/// Where a window was posted: the values that others read by themselves left the target here, and their adjoints come back.
/// Not where it learns of them: a message that it receives in between may have been sent after they were read.
struct Posted {
    exchange: Exchange,
    read: Arc<Mutex<WhatWasRead>>,
}

impl Event for Posted {
    const NAME: &'static str = "window, posted";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let Self { exchange, read } = self;
        let read = lock(read);
        let (n, width) = (read.ids.len(), sweep.width());
        if n == 0 {
            return Ok(());
        }
        let mut sum = Staging::zeros(n * width);
        exchange.edges_of(read.parts.chunks_exact(2)).receive(
            exchange.way(width),
            &Staging::default(),
            width,
            sweep,
            |at, piece, _| sum.as_mut_slice()[at * width..][..piece.len()].copy_from_slice(piece),
        )?;
        read.ids.add_to(sweep, sum.as_slice());
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(crate::ampi::ACROSS_RANKS)
    }
}

/// Nobody panics while it is held.
pub fn lock(read: &Mutex<WhatWasRead>) -> MutexGuard<'_, WhatWasRead> {
    read.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sums of what lay at the target and what came.
struct Summed {
    first: u32,
    target: Ids,
    operand: Ids,
}

impl Event for Summed {
    const NAME: &'static str = "window, sum";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let n = self.target.len();
        let mut taken = Staging::take(n * sweep.width());
        sweep.take(self.first, n, taken.as_mut_slice());
        sweep.add(&self.target, taken.as_slice());
        sweep.add(&self.operand, taken.as_slice());
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.each_on(&[self.target, self.operand]);
        Ok(())
    }
}

/// How many doubles each rank has of those exchanged, as pairs.
pub type Parts = Vec<u32>;

pub fn part(rank: c_int, n: usize) -> [u32; 2] {
    [u32::try_from(rank).unwrap_or(u32::MAX), narrow32(n)]
}

pub fn record_sent(tape: &mut Tape, exchange: Exchange, ids: Ids, parts: &Parts) -> Result<()> {
    let parts = tape.store_from(parts)?;
    tape.record(0, |_, _| Sent { exchange, ids, parts }).map(|_| ())
}

pub fn record_posted(
    tape: &mut Tape,
    exchange: Exchange,
    read: Arc<Mutex<WhatWasRead>>,
) -> Result<()> {
    tape.record(0, |_, _| Posted { exchange, read }).map(|_| ())
}

/// Returns the first id.
pub fn record_received(
    tape: &mut Tape,
    exchange: Exchange,
    n: usize,
    parts: &Parts,
) -> Result<u32> {
    let parts = tape.store_from(parts)?;
    tape.record(n, |first, _| Received { exchange, first, n: narrow32(n), parts })
}

/// Returns the first id.
pub fn record_sum(tape: &mut Tape, target: Ids, operand: Ids) -> Result<u32> {
    tape.record(target.len(), |first, _| Summed { first, target, operand })
}
