//! Partitioned messages: threads say which parts of one are ready, and the last part sends the whole.
//!
//! MPI pairs the nth Psend_init to a peer with the nth Precv_init from it of the same tag, and nothing else matches them. So
//! their messages travel between the mirrors, under a tag that one pair of requests has to itself.
//!
//! The last part may be ready on a thread that is not the tape's. It sends the values as they are, and the tape is told of the
//! message before it records anything that another rank's answer may have led to. By then the buffer still holds what was
//! sent: it is the program's again when the request is complete.

use super::adjoint_comm::NAMED_TAGS;
use super::communicator::{self, Claim};
use super::hash::Table;
use super::message::{Again, Arrival, Route};
use super::pairs::{Channel, Way};
use super::recording::{as_started, not_on_it, state};
use super::untold::{self, Untold};
use super::{AdjointComm, lock};
use crate::error::{Code, Error};
use crate::mpi::message::Envelope;
use crate::mpi::raw::constants;
use crate::mpi::serial::is_concurrent;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, Failure, MpiResult, wide_int};
use crate::tape::{self, Tape};
use std::ffi::c_int;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Tags of the user are smaller: MPI promises no more.
const TAGS: c_int = NAMED_TAGS + 1;

/// One end of a pair of requests.
#[derive(Debug)]
pub struct End {
    private: &'static AdjointComm,
    channel: Channel,
    number: c_int,
    /// As the user knows it.
    pub envelope: Envelope,
    /// As its messages travel.
    wire: Envelope,
}

impl End {
    pub fn new(comm: Comm, envelope: Envelope, way: Way) -> MpiResult<Self> {
        let Envelope { peer, tag } = envelope;
        let private = communicator::of(comm)?;
        let nobody = peer == constants().proc_null;
        if !(nobody || (0..private.size).contains(&peer)) {
            return Err(no_peer(way, peer, private.size).into());
        }
        let (first, tags) = private.tags_of_pairs();
        let most = tags / (2 * TAGS);
        if !(0..TAGS).contains(&tag) || most == 0 {
            return Err(no_tag(tag, private).into());
        }
        let channel = (peer, tag, way);
        let Some(number) = lock(&private.pairs).enter(channel, most) else {
            return Err(too_many(most, peer, tag).into());
        };
        let (own, other) = (private.mirror().rank, private.on_mirror(peer));
        let (from, to) = if way == Way::Out { (own, other) } else { (other, own) };
        let tag = first + 2 * (tag + TAGS * number) + c_int::from(from < to);
        let wire = Envelope::new(if nobody { peer } else { other }, tag);
        Ok(Self { private, channel, number, envelope, wire })
    }

    /// Where its messages go. `comm` is the one that it was made for.
    pub fn route(&self, comm: Comm) -> MpiResult<Route> {
        let (mirror, claim) = (self.private.mirror(), Claim::on(comm));
        let comm = mirror.comm(tape::depth())?;
        Ok(Route { comm, with: self.wire, private: Some(mirror), claim })
    }
}

impl Drop for End {
    fn drop(&mut self) {
        lock(&self.private.pairs).leave(self.channel, self.number);
    }
}

#[cold]
fn no_peer(way: Way, peer: c_int, size: c_int) -> Error {
    let name = if way == Way::Out { "dest" } else { "source" };
    let why = format!(
        "{name} = {peer} is not a rank below {size} or MPI_PROC_NULL, which a partitioned message needs"
    );
    Error::new(Code::Argument, why)
}

#[cold]
fn no_tag(tag: c_int, private: &AdjointComm) -> Error {
    let (_, tags) = private.tags_of_pairs();
    let why = if tags < 2 * TAGS {
        "the MPI in use has too few tags for partitioned messages: use AMPI_Send_init and AMPI_Recv_init"
            .to_owned()
    } else {
        format!("tag = {tag} is not from 0 to {}, which a partitioned message needs", TAGS - 1)
    };
    Error::new(Code::Argument, why)
}

#[cold]
fn too_many(most: c_int, peer: c_int, tag: c_int) -> Error {
    let why = format!(
        "request: {most} later ones have been made for rank {peer} and tag {tag} than one that lives; free that one, or use another tag"
    );
    Error::new(Code::Argument, why)
}

/// A partitioned send.
pub struct Sending {
    partitions: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// None of data that are not active.
    again: Option<Again>,
    /// From its start on, until the request has it again.
    transfer: Option<Transfer>,
    ready: Vec<bool>,
    missing: usize,
    /// The tape that recorded at the start.
    recorder: Option<u64>,
    /// The tape is to be told.
    is_untold: bool,
    /// What the tape has against the message, which has been sent.
    refused: Option<Failure>,
}

impl State {
    fn record(&self, tape: &mut Tape) -> MpiResult<()> {
        self.again.as_ref().map_or(Ok(()), |again| again.record_late(tape))
    }
}

impl Sending {
    pub fn new(again: Option<Again>, partitions: usize) -> Self {
        let state = State { again, ready: vec![false; partitions], ..State::default() };
        Self { partitions, state: Mutex::new(state) }
    }

    /// Starts the request, whose transfer stays here until the message has been sent.
    pub fn start(self: &Arc<Self>, transfer: &mut Transfer) -> MpiResult<()> {
        let state = &mut *lock(&self.state);
        state.ready.fill(false);
        state.missing = self.partitions;
        state.recorder = state.again.as_ref().and_then(|_| self::state());
        state.refused = None;
        if self.partitions == 0 {
            return self.send(state, transfer);
        }
        state.transfer = Some(std::mem::take(transfer));
        Ok(())
    }

    /// Parts are ready; the last one sends the message.
    pub fn mark(self: &Arc<Self>, parts: impl Iterator<Item = c_int> + Clone) -> MpiResult<()> {
        let state = &mut *lock(&self.state);
        let mut marked = 0;
        let done = parts.clone().try_for_each(|part| {
            self.mark_one(state, part)?;
            marked += 1;
            Ok(())
        });
        let mut is_sent = false;
        let done = match done {
            Ok(()) if marked > 0 && state.missing == 0 => {
                let mut transfer = state.transfer.take().unwrap_or_default();
                let sent = self.send(state, &mut transfer);
                // Also a message that could not be recorded is under way.
                is_sent = !transfer.is_idle();
                state.transfer = Some(transfer);
                sent
            }
            done => done,
        };
        if done.is_err() && !is_sent {
            // As if the call had not been made.
            parts.take(marked).for_each(|part| state.ready[wide_int(part)] = false);
            state.missing += marked;
        }
        done
    }

    fn mark_one(&self, state: &mut State, part: c_int) -> MpiResult<()> {
        let why = match state.ready.get_mut(wide_int(part)).filter(|_| part >= 0) {
            _ if state.transfer.is_none() => {
                "request is not started, or its message has been sent".to_owned()
            }
            None => format!("partition = {part} is not below {}", self.partitions),
            Some(ready) if *ready => format!("partition = {part} is ready already"),
            Some(ready) => {
                *ready = true;
                state.missing -= 1;
                return Ok(());
            }
        };
        Err(Error::new(Code::Argument, why).into())
    }

    fn send(self: &Arc<Self>, state: &mut State, transfer: &mut Transfer) -> MpiResult<()> {
        let Some(again) = &state.again else { return transfer.start() };
        let is_own = tape::current(|tape| tape.serial()) == state.recorder;
        if state.recorder.is_none() || is_own {
            let recorded = state.recorder.is_some();
            let start = || again.start(transfer, &mut Arrival::default());
            return as_started(recorded, start).map(|_| ());
        }
        // Known before the message is: who meets its effect finds it.
        state.is_untold = true;
        untold::add(Arc::clone(self) as Arc<dyn Untold>);
        let started = again.start_elsewhere(transfer);
        if started.is_err() {
            state.is_untold = false;
            untold::remove(&**self);
        }
        started
    }

    /// The transfer of a message that has been sent.
    pub fn collect(&self) -> Option<Transfer> {
        let state = &mut *lock(&self.state);
        if state.missing == 0 { state.transfer.take() } else { None }
    }

    /// Waits until the message has been sent, which other threads must see to.
    pub fn collect_when_sent(&self) -> MpiResult<Transfer> {
        loop {
            match self.collect() {
                Some(transfer) => return Ok(transfer),
                None if is_concurrent() => std::thread::yield_now(),
                None => return Err(self.unready().into()),
            }
        }
    }

    /// An error for a wait that would not end.
    #[cold]
    pub fn unready(&self) -> Error {
        let state = lock(&self.state);
        let first = state.ready.iter().position(|ready| !ready).unwrap_or(0);
        let why = format!(
            "{} of {} partitions are not ready, the first of them {first}, and no other thread may call AMPI_Pready without MPI_THREAD_MULTIPLE",
            state.missing, self.partitions
        );
        Error::new(Code::Argument, why)
    }

    /// The message is complete: what the tape has against it.
    pub fn settle(&self) -> MpiResult<()> {
        let state = &mut *lock(&self.state);
        if std::mem::take(&mut state.is_untold) {
            untold::remove(self);
            let recorded = tape::current(|tape| {
                (Some(tape.serial()) == state.recorder).then(|| state.record(tape))
            });
            return recorded.flatten().unwrap_or_else(|| {
                Err(not_on_it(
                    "the request was started while another tape was current; complete it on that tape",
                ))
            });
        }
        state.refused.take().map_or(Ok(()), Err)
    }
}

impl Untold for Sending {
    fn tell(&self, tape: &mut Tape) -> bool {
        let state = &mut *lock(&self.state);
        let is_its = state.recorder == Some(tape.serial());
        if is_its && std::mem::take(&mut state.is_untold) {
            state.refused = state.record(tape).err();
        }
        is_its
    }
}

/// What a request is to those who know its address: threads, which must not look into one that another thread waits for.
#[derive(Clone)]
pub enum Part {
    Sending(Arc<Sending>),
    Receiving,
}

static PARTS: Mutex<Table<usize, Part>> =
    Mutex::new(Table::with_hasher(std::hash::BuildHasherDefault::new()));

/// A partitioned request at its address.
#[derive(Debug)]
pub struct Registered {
    address: usize,
    pub end: End,
}

impl Registered {
    pub fn new(address: usize, end: End, part: Part) -> Self {
        lock(&PARTS).insert(address, part);
        Self { address, end }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&PARTS).remove(&self.address);
    }
}

/// Whether the library made the request.
pub fn is_known(address: usize) -> bool {
    lock(&PARTS).contains_key(&address)
}

pub fn find(address: usize) -> MpiResult<Part> {
    let found = lock(&PARTS).get(&address).cloned();
    let none = || Error::new(Code::Argument, "request is not a partitioned one");
    found.ok_or_else(|| none().into())
}

#[cold]
pub fn no_receive() -> Error {
    Error::new(Code::Argument, "request is not a partitioned receive")
}

/// `MPI_Pready`, `MPI_Pready_range` and `MPI_Pready_list`.
pub fn ready(address: usize, parts: impl Iterator<Item = c_int> + Clone) -> MpiResult<()> {
    match find(address)? {
        Part::Sending(sending) => sending.mark(parts),
        Part::Receiving => {
            Err(Error::new(Code::Argument, "request receives; it has no parts to be ready").into())
        }
    }
}

/// The parts from `low` to `high`.
pub fn range(low: c_int, high: c_int) -> MpiResult<Range<c_int>> {
    if low > high {
        let why = format!("partition_low = {low} is above partition_high = {high}");
        return Err(Error::new(Code::Argument, why).into());
    }
    Ok(low..high.saturating_add(1))
}

/// The items of all parts, or an error.
pub fn total(partitions: c_int, count: i64) -> MpiResult<(usize, i64)> {
    let (name, value) = if partitions < 0 {
        ("partitions", i64::from(partitions))
    } else {
        match count.checked_mul(partitions.into()).filter(|_| count >= 0) {
            Some(items) => return Ok((wide_int(partitions), items)),
            None => ("count", count),
        }
    };
    let why = format!("{name} = {value} is negative, or makes too many items");
    Err(Error::new(Code::Argument, why).into())
}
