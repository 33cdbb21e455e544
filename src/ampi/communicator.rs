//! The registry of private communicators: which one serves which of the user's.
//!
//! Every communicator that active data uses has one, found by an attribute that is not copied. Records
//! refer to it and never to the user's handle, which may be freed before the sweep. Private ones are never
//! freed while MPI lives: one whose user is gone serves the next communicator of the same group, since MPICH
//! has 2046 of them and a split and a free in every step must not use them up.

use super::adjoint_comm::{AdjointComm, Made};
use super::{check, lock};
use crate::count::wide;
use crate::datatype::not_initialised;
use crate::error::{Code, Error};
use crate::mpi::serial::is_concurrent;
use crate::mpi::{Comm, CommAttribute, Failure, MpiResult, Serial, transfer};
use crate::options;
use crate::tape;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// For how many levels of sweeps inside callbacks this rank wants handles.
fn levels_wanted() -> i64 {
    options::nests().into()
}

static REGISTRY: Mutex<Vec<&'static AdjointComm>> = Mutex::new(Vec::new());
static ATTRIBUTE: Mutex<Option<CommAttribute>> = Mutex::new(None);
/// Counts the communicators that went or came: a handle may mean another one after that.
static GENERATION: AtomicU64 = AtomicU64::new(1);

/// The attribute's number of a communicator that cannot carry active data; others are places in the
/// registry above `FIRST`.
const OVERTAKING: usize = 1;
const FIRST: usize = 2;

pub fn install() -> MpiResult<()> {
    tape::set_receiving(receiving);
    *lock(&ATTRIBUTE) = Some(CommAttribute::new(user_is_gone)?);
    Ok(())
}

/// How many receives are under way that a tape is going to record. Where several threads communicate, those of one are not told
/// from those of another: then none.
fn receiving() -> u64 {
    if is_concurrent() {
        return 0;
    }
    lock(&REGISTRY).iter().map(|private| private.receives.with(|window| window.open())).sum()
}

fn registered(index: usize) -> Option<&'static AdjointComm> {
    lock(&REGISTRY).get(index).copied()
}

/// A user's communicator lost its attribute: by being freed, or at the end of MPI.
fn user_is_gone(number: usize) {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    if let Some(index) = number.checked_sub(FIRST)
        && let Some(private) = registered(index)
        && private.give_back()
    {
        check::freed(private, "MPI_Comm_free");
    }
}

/// Frees all private communicators; called when MPI is about to end, by all ranks.
pub fn remove() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    *lock(&ATTRIBUTE) = None;
    for private in lock(&REGISTRY).iter() {
        private.free();
    }
}

fn attribute() -> MpiResult<CommAttribute> {
    lock(&ATTRIBUTE).ok_or_else(|| not_initialised().into())
}

fn overtaking() -> Error {
    Error::new(
        Code::Unsupported,
        "the communicator asserts mpi_assert_allow_overtaking, so its messages have no order to reverse; remove the assertion",
    )
}

/// The private communicator of `comm`, if it has entered.
fn find(comm: Comm) -> MpiResult<Option<&'static AdjointComm>> {
    match attribute()?.get(comm)? {
        Some(OVERTAKING) => Err(overtaking().into()),
        Some(number) => Ok(lock(&REGISTRY).get(number - FIRST).copied().filter(|p| !p.is_closed())),
        None => Ok(None),
    }
}

/// What the last call found: a generation, a handle's key and its private communicator.
static LAST: Serial<(u64, usize, Option<&'static AdjointComm>)> = Serial::new((0, 0, None));

#[inline]
fn last(comm: Comm) -> Option<&'static AdjointComm> {
    LAST.with(|&mut (generation, key, private)| {
        private.filter(|_| key == comm.key() && generation == GENERATION.load(Ordering::Relaxed))
    })
}

/// The private communicator for point to point on `comm`, or an error that names the cure.
#[inline]
pub fn of(comm: Comm) -> MpiResult<&'static AdjointComm> {
    match last(comm) {
        Some(private) => Ok(private),
        None => known(comm),
    }
}

/// As `of`, for a call that may turn out to need none.
pub fn lookup(comm: Comm) -> Option<&'static AdjointComm> {
    last(comm).or_else(|| find(comm).ok().flatten())
}

/// A private communicator on which a persistent request may start messages, also when the user's has been freed:
/// until then it serves no other, whose messages would be in no common order with them.
#[derive(Debug)]
pub struct Claim(&'static AdjointComm);

impl Claim {
    /// None where the library does not know `comm`.
    pub fn on(comm: Comm) -> Option<Self> {
        let private = lookup(comm)?;
        private.claim();
        Some(Self(private))
    }

    pub const fn private(&self) -> &'static AdjointComm {
        self.0
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.disclaim();
    }
}

#[cold]
pub fn unknown() -> Failure {
    let why = "active data on a communicator that the library does not know: make it with an AMPI_ call, or call AMPI_Comm_register on all its members";
    Error::new(Code::Mpi, why).into()
}

#[cold]
fn known(comm: Comm) -> MpiResult<&'static AdjointComm> {
    let generation = GENERATION.load(Ordering::Relaxed);
    let private = match find(comm)? {
        Some(private) => private,
        None => return Err(unknown()),
    };
    LAST.with(|last| *last = (generation, comm.key(), Some(private)));
    Ok(private)
}

/// The private communicator for a blocking collective on `comm`, which all members are in.
pub fn of_collective(comm: Comm) -> MpiResult<&'static AdjointComm> {
    if let Some(private) = last(comm).filter(|private| !private.is_inter()) {
        return Ok(private);
    }
    if is_inter(comm) {
        return Err(inter());
    }
    if find(comm)?.is_none() {
        enter(comm)?;
    }
    of(comm)
}

/// Whether it is an intercommunicator; no handle that MPI would refuse is one.
pub fn is_inter(comm: Comm) -> bool {
    match last(comm) {
        Some(private) => private.is_inter(),
        None => !comm.is_null() && comm.is_inter().unwrap_or(false),
    }
}

#[cold]
fn inter() -> Failure {
    let why = "active data on an intercommunicator, where the call is not differentiated: make an intracommunicator with AMPI_Intercomm_merge";
    Error::new(Code::Unsupported, why).into()
}

/// An error for an intercommunicator, where the call means something else.
pub fn refuse_inter(comm: Comm) -> MpiResult<()> {
    if is_inter(comm) { Err(inter()) } else { Ok(()) }
}

/// Gives `comm` its private communicator. Collective over `comm`; nothing happens if it has one.
pub fn enter(comm: Comm) -> MpiResult<()> {
    let attribute = attribute()?;
    if comm.is_null() {
        return Err(Error::new(Code::Argument, "comm is MPI_COMM_NULL").into());
    }
    if attribute.get(comm)? == Some(OVERTAKING) || find(comm)?.is_some() {
        return Ok(());
    }
    if comm.info(c"mpi_assert_allow_overtaking")?.is_some_and(|value| value == "true") {
        return attribute.set(comm, OVERTAKING);
    }
    let private = if comm.is_inter()? {
        create_between(comm)?
    } else {
        match reuse(comm)? {
            Offer::Known(private) => private,
            Offer::Levels(levels) => create(comm, levels)?,
        }
    };
    GENERATION.fetch_add(1, Ordering::Relaxed);
    attribute.set(comm, private.index + FIRST)
}

/// As `enter` for a communicator that an `AMPI_` call has just made, before the library begins too.
pub fn enter_new(comm: Comm) -> MpiResult<()> {
    if lock(&ATTRIBUTE).is_none() || comm.is_null() { Ok(()) } else { enter(comm) }
}

/// Before `comm` is freed: its private communicator is free for others from now on, at this point of the
/// program on every rank. (MPICH would report the end of `comm` only when its last message is through.)
pub fn leave(comm: Comm) -> MpiResult<()> {
    let attribute = *lock(&ATTRIBUTE);
    // MPI refuses to free these two; they stay known.
    if comm == Comm::world() || comm == Comm::itself() {
        return Ok(());
    }
    match attribute {
        Some(attribute) if !comm.is_null() && attribute.get(comm)?.is_some() => {
            if let Ok(Some(private)) = find(comm) {
                check::freed(private, "AMPI_Comm_free");
                private.give_back();
            }
            attribute.delete(comm)
        }
        _ => Ok(()),
    }
}

/// What the members of a communicator agree on when it enters.
enum Offer {
    Known(&'static AdjointComm),
    /// None serves: a new one, with so many handles for other depths.
    Levels(usize),
}

/// One that has served another communicator of the same group, if all members can offer it. A member that holds
/// persistent requests on one cannot.
fn reuse(comm: Comm) -> MpiResult<Offer> {
    let mut known = of_group(comm)?;
    known.sort_unstable_by_key(|private| private.name());
    let mut least = i64::MIN;
    loop {
        // Taken before it is offered: another thread may be making a communicator of the same group.
        let offer = known.iter().find(|private| private.name() >= least && private.take());
        let name = offer.map_or(i64::MAX, |private| private.name());
        let [all, near] = offer.map_or([0; 2], |private| private.numbers());
        let mut agreed = [name, -name, levels_wanted(), all, near];
        let asked = transfer::allreduce_min(comm, &mut agreed);
        let [lowest, highest, levels] = [agreed[0], -agreed[1], agreed[2]];
        if let (true, Some(private)) = (asked.is_ok() && lowest == highest, offer) {
            private.agree([agreed[3], agreed[4]]);
            return Ok(Offer::Known(private));
        }
        if let Some(private) = offer {
            private.give_back();
        }
        asked?;
        if highest == i64::MAX {
            return Ok(Offer::Levels(wide(levels.cast_unsigned())));
        }
        // A member has none below: nobody need offer those again.
        least = highest;
    }
}

/// Those of the members of `comm`, that entered at the present depth.
fn of_group(comm: Comm) -> MpiResult<Vec<&'static AdjointComm>> {
    let (rank, size, group) = (comm.rank()?, comm.size()?, comm.group()?);
    let known: Vec<&'static AdjointComm> = lock(&REGISTRY).clone();
    let mut found = Vec::new();
    for private in known {
        if private.is_free()
            && (private.rank, private.size, private.base_depth) == (rank, size, tape::depth())
            && private.has_members(&group)?
        {
            found.push(private);
        }
    }
    Ok(found)
}

fn create(comm: Comm, levels: usize) -> MpiResult<&'static AdjointComm> {
    let first = comm.split(comm.rank()?)?;
    let (rank, size) = (first.rank()?, first.size()?);
    let name = name(first)?;
    let more = |rank, n: usize| (0..n).map(|_| first.split(rank)).collect::<MpiResult<Vec<_>>>();
    let nested = more(rank, levels)?;
    let mirrored = size - 1 - rank;
    let mirror = register(Made {
        handles: more(mirrored, 1 + levels)?,
        rank: mirrored,
        size,
        name,
        group: None,
        mirror: None,
        across: None,
    });
    let handles = [vec![first], nested].concat();
    let (group, mirror) = (Some(first.group()?), Some(mirror));
    Ok(register(Made { handles, rank, size, name, group, mirror, across: None }))
}

/// A number that all members know: their first rank's world rank above, and its count below.
fn name(comm: Comm) -> MpiResult<i64> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name =
        i64::from(Comm::world().rank()?) << 40 | i64::try_from(count).unwrap_or(i64::MAX);
    transfer::bcast_number(comm, &mut name, 0)?;
    Ok(name)
}

/// That of an intercommunicator: messages go between the groups as the user's do, and collectives by a communicator of both.
/// It serves no other one.
fn create_between(comm: Comm) -> MpiResult<&'static AdjointComm> {
    let both = comm.merge(false)?;
    let (own, ranks) = (comm.rank()?, comm.size()?);
    let (rank, size) = (both.rank()?, both.size()?);
    let mut levels = [levels_wanted()];
    transfer::allreduce_min(both, &mut levels)?;
    let levels = 1 + wide(levels[0].cast_unsigned());
    let name = name(both)?;
    let handles =
        |from: Comm, key| (0..levels).map(|_| from.split(key)).collect::<MpiResult<Vec<_>>>();
    let (pairs, all) = (handles(comm, own)?, handles(both, rank)?);
    both.free()?;
    let made = Made { handles: all, rank, size, name, group: None, mirror: None, across: None };
    let mirror = Some(register(made));
    // This group is the first where its ranks are what they were.
    let across = Some(if rank == own { ranks } else { 0 });
    let size = comm.partners()?;
    Ok(register(Made { handles: pairs, rank: own, size, name, group: None, mirror, across }))
}

fn register(made: Made) -> &'static AdjointComm {
    let mut registry = lock(&REGISTRY);
    let private: &'static AdjointComm = Box::leak(Box::new(AdjointComm::new(made, registry.len())));
    registry.push(private);
    private
}
