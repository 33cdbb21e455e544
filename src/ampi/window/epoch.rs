//! A window with its epochs: what a rank has noted for others, and what happens where an epoch ends.

use super::anchors::Way;
use super::conflicts;
use super::event::{Exchange, Parts, WhatWasRead, lock, part};
use super::event::{record_posted, record_received, record_sent};
use super::ids::{IdRuns, check};
use super::operation::{Combine, Incoming, Operation, Outgoing, Reply};
use super::passive::{Passive, Place};
use super::read::Read;
use super::target::{self, carry_out};
use crate::ampi::AdjointComm;
use crate::ampi::communicator::Claim;
use crate::ampi::late::leave_to_mpi;
use crate::ampi::recording::{as_started, check_tape, on_tape, state};
use crate::ampi::statistics;
use crate::ampi::wire::doubles;
use crate::count::narrow32;
use crate::datatype::{Exposed, Items, Mark, RecvBuffer};
use crate::error::{Code, Error};
use crate::mpi::message::{self, Envelope};
use crate::mpi::parcel::Patience;
use crate::mpi::transfer::Transfer;
use crate::mpi::{CallForm, Comm, Doubles, Failure, MpiResult, Operation as Transmission, Payload};
use crate::mpi::{Reach, Staging, Win, wide_int};
use crate::tape::{self, Tape};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Tags of a window's messages, on its own communicator.
const OPERATIONS: c_int = 0;
const REPLIES: c_int = 1;
/// Of epochs that some ranks end without the others.
const SOME_OPERATIONS: c_int = 2;

/// The epoch in which this rank accesses others' memory.
#[derive(Debug, Default, PartialEq, Eq)]
enum Access {
    /// None that the library knows of.
    #[default]
    None,
    Fence,
    /// To these ranks.
    Started(Vec<c_int>),
}

/// The epoch in which others access this rank's memory.
struct Posted {
    /// Those whom this rank waits for.
    group: Vec<c_int>,
    /// What the event of its beginning is told at its end, the tape that has it, and the first id that was not given then.
    event: Option<(Arc<Mutex<WhatWasRead>>, u64, u32)>,
}

/// A window for active data.
pub struct ActiveWindow {
    exposed: Exposed,
    claim: Claim,
    /// Of the members, for values on their way and nothing else.
    comm: Comm,
    size: c_int,
    /// For adjoints.
    tag: c_int,
    /// For those of what origins read by themselves: a rank's posts and its other calls may have another order than its
    /// partner's.
    read_tag: c_int,
    /// How many fences have ended an epoch.
    fences: u32,
    access: Access,
    posted: Option<Posted>,
    /// What this rank reads by itself until it completes, and the tape that records that then.
    reads: Vec<Read>,
    completing: Option<u64>,
    /// Unless the window is never locked.
    passive: Option<Passive>,
    /// Counts the windows of this process as they are made.
    made: u64,
    /// By target.
    outgoing: Vec<Outgoing>,
    /// The tape that records the epoch, if one does; told by its first operation.
    recorder: Option<Option<u64>>,
}

#[cold]
fn wrong(why: impl Into<String>) -> Failure {
    Error::new(Code::Mpi, why).into()
}

#[cold]
fn unsupported(why: impl Into<String>) -> Failure {
    Error::new(Code::Unsupported, why).into()
}

impl ActiveWindow {
    /// Collective over `comm`, on which the window is.
    pub fn new(exposed: Exposed, comm: Comm, claim: Claim, is_locked: bool) -> MpiResult<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let [tag, read_tag, lock_tag] = [(); 3].map(|()| claim.private().next_tag(Reach::All));
        let own = comm.split(comm.rank()?)?;
        let way = Way { private: claim.private(), tag: lock_tag };
        let passive = is_locked.then(|| Passive::new(own, way)).transpose()?;
        Ok(Self {
            exposed,
            claim,
            comm: own,
            size: own.size()?,
            tag,
            read_tag,
            fences: 0,
            access: Access::None,
            posted: None,
            reads: Vec::new(),
            completing: None,
            passive,
            made: MADE.fetch_add(1, Ordering::Relaxed),
            outgoing: Vec::new(),
            recorder: None,
        })
    }

    /// Collective.
    pub fn free(mut self) -> MpiResult<()> {
        let closed = self.close();
        self.comm.free()?;
        closed
    }

    /// Ends what the window has for locks. Collective.
    pub fn close(&mut self) -> MpiResult<()> {
        let Some(mut passive) = self.passive.take() else { return Ok(()) };
        self.comm.barrier()?;
        let learnt = tape::with_current(|tape| passive.learn(&self.exposed, tape));
        passive.free()?;
        learnt
    }

    /// Before a sweep of `tape`: nobody has anything left that this rank is to be told. Collective.
    pub fn prepare(&mut self, tape: &mut Tape) -> MpiResult<()> {
        let Some(passive) = &mut self.passive else { return Ok(()) };
        self.comm.barrier()?;
        passive.learn(&self.exposed, Some(tape))
    }

    /// What it has for locks.
    pub fn passive(&mut self) -> Option<&mut Passive> {
        self.passive.as_mut()
    }

    /// When it was made, among those of this process.
    pub const fn made(&self) -> u64 {
        self.made
    }

    /// Whether others have told this rank what it has not looked at.
    pub fn is_told(&self) -> bool {
        self.passive.as_ref().is_some_and(Passive::is_told)
    }

    /// Looks at it.
    pub fn learn(&mut self, tape: Option<&mut Tape>) -> MpiResult<()> {
        self.passive.as_mut().map_or(Ok(()), |passive| passive.learn(&self.exposed, tape))
    }

    pub const fn exposed(&mut self) -> &mut Exposed {
        &mut self.exposed
    }

    /// A communicator of the window's ranks.
    pub const fn comm(&self) -> Comm {
        self.comm
    }

    fn private(&self) -> &'static AdjointComm {
        self.claim.private()
    }

    fn exchange(&self, fence: u32, fetched: bool) -> Exchange {
        Exchange { private: self.private(), tag: self.tag, fence, fetched }
    }

    /// Of what origins read by themselves.
    fn read_exchange(&self) -> Exchange {
        Exchange { private: self.private(), tag: self.read_tag, fence: 0, fetched: true }
    }

    fn has_operations(&self) -> bool {
        self.outgoing.iter().any(|outgoing| !outgoing.is_empty())
    }

    /// An error where operations wait for the end of an epoch, which `call` does not end.
    pub fn require_quiet(&self, call: &str) -> MpiResult<()> {
        if self.has_operations() {
            return Err(wrong(format!(
                "{call} with operations on active data that no AMPI_Win_fence or AMPI_Win_complete has ended"
            )));
        }
        Ok(())
    }

    /// Whether an operation may be noted for `target`.
    fn check_access(&self, target: c_int, fetches: bool) -> MpiResult<()> {
        if target < 0 || target >= self.size {
            let why = format!("target_rank = {target} is not from 0 to {}", self.size - 1);
            return Err(Error::new(Code::Argument, why).into());
        }
        if self.is_locking() {
            return Ok(());
        }
        match &self.access {
            Access::Fence => Ok(()),
            Access::Started(_) if fetches => Err(unsupported(
                "AMPI_Get_accumulate and AMPI_Fetch_and_op of active data are not for an epoch of AMPI_Win_start, which ends without an answer of the target: use AMPI_Win_fence, or AMPI_Get and AMPI_Accumulate",
            )),
            Access::Started(group) if group.contains(&target) => Ok(()),
            Access::Started(_) => {
                Err(wrong(format!("target_rank = {target} is not in the group of AMPI_Win_start")))
            }
            Access::None => Err(wrong(
                "no epoch is open: call AMPI_Win_fence, AMPI_Win_start or AMPI_Win_lock before operations on active data",
            )),
        }
    }

    fn is_locking(&self) -> bool {
        self.passive.as_ref().is_some_and(Passive::is_locking)
    }

    /// An error unless `call`, which makes a request, may be made now.
    pub fn require_lock(&self, call: &str) -> MpiResult<()> {
        if self.is_locking() {
            return Ok(());
        }
        Err(wrong(format!("{call} is for locks: no rank of the window is locked by this one")))
    }

    /// Starts to read with a request. Returns a number to finish it by, unless nothing is to be read.
    pub fn read(
        &mut self,
        win: Win,
        target: c_int,
        displacement: i64,
        items: Items,
        sink: RecvBuffer,
    ) -> MpiResult<(u64, Transfer)> {
        self.require_lock("AMPI_Rget")?;
        self.check_access(target, false)?;
        let mut transfer = Transfer::default();
        let place = Place { win, target, displacement, items };
        let number = match &mut self.passive {
            Some(passive) => passive.read_from(place, sink, Some(&mut transfer))?,
            None => 0,
        };
        Ok((number, transfer))
    }

    /// Notes an operation.
    pub fn note(&mut self, win: Win, target: c_int, mut operation: Operation<'_>) -> MpiResult<()> {
        let reads = operation.combine == Combine::Read;
        self.check_access(target, operation.result.is_some() && !reads)?;
        if let Some(passive) = self.passive.as_mut().filter(|passive| passive.is_locking()) {
            return passive.start(win, target, operation);
        }
        let state = state();
        if self.recorder.is_some_and(|recorder| recorder != state) {
            return Err(unsupported(
                "some operations of the epoch are recorded on another tape, or not at all: start and stop recording, and change tapes, between epochs",
            ));
        }
        if let Some(source) = operation.operand {
            match state {
                Some(_) => tape::current(|tape| check(tape, source)).unwrap_or(Ok(()))?,
                None => check_tape(source, || source.shape())?,
            }
        }
        if reads && self.access == Access::Fence {
            operation.combine = Combine::Nothing;
        } else if let Some(sink) = operation.result.take_if(|_| reads) {
            let items = operation.items.clone();
            self.reads.push(Read::start(win, target, operation.displacement, items, sink, None)?);
        }
        self.recorder = Some(state);
        let found = self.outgoing.binary_search_by_key(&target, |outgoing| outgoing.target);
        let at = found.unwrap_or_else(|at| {
            self.outgoing.insert(at, Outgoing::to(target));
            at
        });
        if let Some(source) = operation.operand {
            statistics::sent_forward(source.len());
        }
        self.outgoing[at].add(operation);
        Ok(())
    }

    /// The start of an epoch of some ranks.
    pub fn start(&mut self, group: Vec<c_int>) -> MpiResult<()> {
        self.require_quiet("AMPI_Win_start")?;
        self.reads.clear();
        self.access = Access::Started(group);
        Ok(())
    }

    pub fn post(&mut self, mut group: Vec<c_int>) -> MpiResult<()> {
        group.sort_unstable();
        let record = |serial| {
            let read = Arc::new(Mutex::new(WhatWasRead::default()));
            on_tape(serial, |tape| {
                record_posted(tape, self.read_exchange(), Arc::clone(&read))?;
                Ok((read, serial, tape.next_id()))
            })
        };
        let event = state().filter(|_| !group.is_empty()).map(record).transpose();
        let (event, failed) =
            event.map_or_else(|failure| (None, Err(failure)), |event| (event, Ok(())));
        self.posted = Some(Posted { group, event });
        failed
    }

    /// The tape that records what ends now.
    fn recorder(&mut self) -> Option<u64> {
        self.recorder.take().unwrap_or_else(state)
    }

    /// Sends what was noted for `target`. Does not wait.
    fn send(&mut self, at: usize, recorded: bool, tag: c_int) -> MpiResult<Transmission> {
        let outgoing = &mut self.outgoing[at];
        let data = outgoing.message(recorded);
        transmit(self.comm, data, Envelope::new(outgoing.target, tag))
    }

    /// Records what was noted, which has been sent, and forgets it.
    fn record_sent(&mut self, serial: Option<u64>, fence: u32) -> MpiResult<()> {
        let mut ids = IdRuns::default();
        let mut parts = Parts::new();
        for outgoing in &mut self.outgoing {
            parts.extend(part(outgoing.target, outgoing.operands.len()));
            ids.append(&outgoing.operands);
            outgoing.operands.clear();
        }
        self.record_ids(serial, self.exchange(fence, false), &ids, &parts)
    }

    fn record_ids(
        &self,
        serial: Option<u64>,
        exchange: Exchange,
        ids: &IdRuns,
        parts: &Parts,
    ) -> MpiResult<()> {
        let Some(serial) = serial.filter(|_| ids.len() > 0) else { return Ok(()) };
        on_tape(serial, |tape| {
            let ids = ids.store(tape)?;
            record_sent(tape, exchange, ids, parts)
        })
    }

    /// Records values that came from others, and returns the mark of the first.
    fn record_received(
        &self,
        serial: Option<u64>,
        exchange: Exchange,
        parts: &Parts,
    ) -> MpiResult<Mark> {
        let n = parts.chunks_exact(2).map(|part| crate::count::wide32(part[1])).sum();
        let Some(serial) = serial.filter(|_| n > 0) else { return Ok(Mark::PASSIVE) };
        on_tape(serial, |tape| {
            let first = record_received(tape, exchange, n, parts)?;
            Ok(Mark { first, tag: tape.tag() })
        })
    }

    /// The target's side of what came, in the order of ranks; tells what goes back to each origin.
    fn carry_out(
        &self,
        serial: Option<u64>,
        fence: u32,
        messages: &[Incoming],
        replies: &mut [Reply],
    ) -> MpiResult<()> {
        for message in messages {
            self.check_state(serial, message)?;
        }
        let parts = |message: &Incoming| part(message.origin, message.operands());
        let parts: Parts = messages.iter().flat_map(parts).collect();
        let mut mark = self.record_received(serial, self.exchange(fence, false), &parts)?;
        let all = || -> MpiResult<()> {
            for (message, reply) in messages.iter().zip(replies) {
                for request in message.operations() {
                    let brought = request.values.len().min(request.items.doubles());
                    carry_out(&request, &self.exposed, mark, serial, reply)
                        .map_err(|failure| of_origin(failure, message.origin))?;
                    mark = mark.behind(narrow32(brought));
                }
            }
            Ok(())
        };
        if messages.is_empty() {
            return Ok(());
        }
        as_started(serial.is_some(), all)?;
        if tape::checking() { Ok(conflicts::check(messages, &self.exposed)?) } else { Ok(()) }
    }

    /// Both ends record active values, or neither.
    fn check_state(&self, serial: Option<u64>, message: &Incoming) -> MpiResult<()> {
        if message.is_recorded() == serial.is_some() || message.operations().next().is_none() {
            return Ok(());
        }
        let (theirs, ours) = match serial {
            Some(_) => ("does not record", "does"),
            None => ("records", "does not"),
        };
        Err(Error::new(
            Code::Mismatch,
            format!(
                "rank {} {theirs} its operations on this rank's window, and this rank {ours}: both must record an epoch, or neither",
                message.origin
            ),
        )
        .into())
    }

    /// The values of a fence's epoch. Collective; what fails on one rank keeps no other waiting.
    pub fn fence(&mut self, precedes: bool, succeeds: bool) -> MpiResult<()> {
        self.access = if succeeds { Access::Fence } else { Access::None };
        if !precedes {
            return self.require_quiet("AMPI_Win_fence with MPI_MODE_NOPRECEDE");
        }
        let serial = self.recorder();
        self.fences = self.fences.wrapping_add(1);
        let fence = self.fences;
        let mut lengths = Staging::zeros(wide_int(self.size));
        let mut sends = Vec::new();
        for at in 0..self.outgoing.len() {
            if !self.outgoing[at].is_empty() {
                let target = wide_int(self.outgoing[at].target);
                let data = self.outgoing[at].message(serial.is_some());
                // Exact up to 2^53.
                lengths.as_mut_slice()[target] = data.len() as f64;
                let to = Envelope::new(self.outgoing[at].target, OPERATIONS);
                sends.push(transmit(self.comm, data, to)?);
            }
        }
        let messages = self.receive_all(lengths)?;
        let mut replies: Vec<Reply> = messages.iter().map(|_| Reply::default()).collect();
        let sent = self.record_sent(serial, fence);
        let done = self.carry_out(serial, fence, &messages, &mut replies);
        let answered = self.answer(serial, fence, &messages, replies, &mut sends);
        let fetched = self.fetch(serial, fence);
        for send in &mut sends {
            send.wait()?;
        }
        sent.and(done).and(answered).and(fetched)
    }

    /// Tells each rank how much it gets, and receives what this rank gets, in the order of ranks.
    fn receive_all(&self, lengths: Staging) -> MpiResult<Vec<Incoming>> {
        let one = Doubles::each(1);
        let room = Staging::take(wide_int(self.size));
        let counts = (&one, &one);
        let told = Transmission::alltoall(
            self.comm,
            lengths,
            room,
            counts,
            Reach::All,
            CallForm::Blocking,
        )?;
        let told = told.into_received();
        let mut messages = Vec::new();
        for (origin, &length) in (0..).zip(told.as_slice()) {
            if length > 0.0 {
                // Checked, and a length that was exact.
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let n = length as usize;
                messages.push(self.receive(Envelope::new(origin, OPERATIONS), n)?);
            }
        }
        Ok(messages)
    }

    fn receive(&self, from: Envelope, n: usize) -> MpiResult<Incoming> {
        let mut data = Staging::take(n);
        message::receive(self.comm, data.as_mut_slice(), &doubles(n)?, from)?;
        Ok(Incoming::new(from.peer, data))
    }

    /// Sends back what was fetched, and records that.
    fn answer(
        &self,
        serial: Option<u64>,
        fence: u32,
        messages: &[Incoming],
        replies: Vec<Reply>,
        sends: &mut Vec<Transmission>,
    ) -> MpiResult<()> {
        let (mut ids, mut parts) = (IdRuns::default(), Parts::new());
        for (message, reply) in messages.iter().zip(replies) {
            if message.fetched() > 0 {
                parts.extend(part(message.origin, reply.ids.len()));
                ids.append(&reply.ids);
                let to = Envelope::new(message.origin, REPLIES);
                sends.push(transmit(self.comm, reply.data, to)?);
            }
        }
        self.record_ids(serial, self.exchange(fence, true), &ids, &parts)
    }

    /// Receives what this rank has fetched into its buffers, and records that.
    fn fetch(&mut self, serial: Option<u64>, fence: u32) -> MpiResult<()> {
        let mut arrived = Vec::new();
        let mut whole = Ok(());
        for outgoing in &mut self.outgoing {
            let wanted = std::mem::take(&mut outgoing.fetched);
            if wanted == 0 {
                outgoing.results.clear();
                continue;
            }
            let from = Envelope::new(outgoing.target, REPLIES);
            let mut data = Staging::take(wanted);
            let status = message::receive(self.comm, data.as_mut_slice(), &doubles(wanted)?, from)?;
            if status.doubles()? == Some(wanted) {
                arrived.push((outgoing.target, data, std::mem::take(&mut outgoing.results)));
            } else {
                outgoing.results.clear();
                whole = Err(refused_there(outgoing.target));
            }
        }
        whole?;
        let count = |(target, _, results): &(c_int, Staging, Vec<_>)| {
            part(
                *target,
                results
                    .iter()
                    .map(|(sink, _): &(crate::datatype::RecvBuffer, usize)| sink.len())
                    .sum(),
            )
        };
        let parts: Parts = arrived.iter().flat_map(count).collect();
        let mut mark = self.record_received(serial, self.exchange(fence, true), &parts)?;
        for (_, data, results) in arrived {
            let mut values = data.as_slice();
            for (mut sink, words) in results {
                let (now, later) = values.split_at(words);
                let bytes = sink.source().mixed_bytes().unwrap_or(8 * words);
                sink.unpack_bytes(now, bytes, mark)?;
                mark = mark.behind(narrow32(sink.len()));
                values = later;
            }
        }
        Ok(())
    }

    /// Ends this rank's accesses to some ranks. Waits for nobody.
    pub fn complete(&mut self) -> MpiResult<()> {
        let Access::Started(group) = std::mem::take(&mut self.access) else {
            return Ok(()); // MPI says so
        };
        let serial = self.recorder();
        for target in group {
            let found = self.outgoing.binary_search_by_key(&target, |outgoing| outgoing.target);
            let at = found.unwrap_or_else(|at| {
                self.outgoing.insert(at, Outgoing::to(target));
                at
            });
            let send = self.send(at, serial.is_some(), SOME_OPERATIONS)?;
            leave_to_mpi(std::iter::once(send));
        }
        self.completing = serial;
        self.record_sent(serial, 0)
    }

    /// MPI has ended this rank's accesses: what it has read is there.
    pub fn completed(&mut self) -> MpiResult<()> {
        let mut reads = std::mem::take(&mut self.reads);
        if reads.is_empty() {
            return Ok(());
        }
        let serial = self.completing.take();
        reads.sort_by_key(|read| read.target);
        let mut parts = Parts::new();
        for of_one in reads.chunk_by(|one, other| one.target == other.target) {
            parts.extend(part(of_one[0].target, of_one.iter().map(Read::len).sum()));
        }
        let mut mark = self.record_received(serial, self.read_exchange(), &parts)?;
        for read in reads {
            let next = mark.behind(narrow32(read.len()));
            read.finish(mark)?;
            mark = next;
        }
        Ok(())
    }

    /// Tells the event of Post what the origins have read since.
    fn tell_posted(&self, posted: Posted, messages: &[Incoming]) -> MpiResult<()> {
        let mut read = WhatWasRead::default();
        for message in messages {
            let before = read.ids.len();
            for request in message.operations().filter(|request| request.combine == Combine::Read) {
                target::read(&request, &self.exposed, &mut read.ids)
                    .map_err(|failure| of_origin(failure, message.origin))?;
            }
            read.parts.extend(part(message.origin, read.ids.len() - before));
        }
        if read.ids.len() == 0 || state().is_none() {
            return Ok(());
        }
        let Some((event, serial, next)) = posted.event.filter(|event| Some(event.1) == state())
        else {
            return Err(unsupported(
                "other ranks have read active data since AMPI_Win_post, when the tape did not record: start recording before AMPI_Win_post, and end the epoch on that tape",
            ));
        };
        // A reset has dropped it.
        if Arc::strong_count(&event) == 1 || read.ids.last() >= next {
            return Err(wrong(format!(
                "what other ranks have read was computed after AMPI_Win_post, or the tape {serial} has been reset since: nothing may change in the window between AMPI_Win_post and AMPI_Win_wait"
            )));
        }
        *lock(&event) = read;
        Ok(())
    }

    /// The accesses of others have ended, or are about to: MPI has said so.
    pub fn wait(&mut self) -> MpiResult<()> {
        let Some(posted) = self.posted.take() else { return Ok(()) };
        let mut messages = Vec::new();
        for &origin in &posted.group {
            let from = Envelope::new(origin, SOME_OPERATIONS);
            let mut patience = Patience::default();
            let n = loop {
                match message::probe(self.comm, from)? {
                    Some(status) => break status.doubles()?.unwrap_or(0),
                    None => patience.pause(),
                }
            };
            messages.push(self.receive(from, n)?);
        }
        let serial = state();
        for message in &messages {
            self.check_state(serial, message)?;
        }
        let told = self.tell_posted(posted, &messages);
        let mut replies: Vec<Reply> = messages.iter().map(|_| Reply::default()).collect();
        told.and(self.carry_out(serial, 0, &messages, &mut replies))
    }
}

fn transmit(comm: Comm, data: Staging, to: Envelope) -> MpiResult<Transmission> {
    let items = doubles(data.len())?;
    Transmission::send(comm, Payload::Own(data), &items, to)
}

/// Names the rank whose operation this rank could not carry out.
#[cold]
fn of_origin(failure: Failure, origin: c_int) -> Failure {
    let Error { code, message } = failure.into_error("MPI");
    Error::new(code, format!("an operation of rank {origin}: {message}")).into()
}

#[cold]
fn refused_there(target: c_int) -> Failure {
    Error::new(
        Code::Mismatch,
        format!("rank {target} could not carry out the operations of this rank, and says why"),
    )
    .into()
}
