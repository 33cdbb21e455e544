//! Private communicators: where adjoints travel, out of reach of the user's messages.
//!
//! Every communicator that active data uses has one, found by an attribute that is not copied. Records
//! refer to it and never to the user's handle, which may be freed before the sweep. Private ones are never
//! freed while MPI lives: one whose user is gone serves the next communicator of the same group, since MPICH
//! has 2046 of them and a split and a free in every step must not use them up.
//!
//! A sweep inside a callback of another one has handles of its own: what the outer sweep has under way on the same
//! channels would else be taken for the inner one's. The depth of a sweep, which says how many others it
//! interrupts, is the same at both ends of a message, counted from where the communicator entered.

use super::channel::Window;
use super::{check, lock};
use crate::count::wide32;
use crate::datatype::not_initialised;
use crate::error::{Code, Error};
use crate::mpi::{
    Comm, CommAttribute, Failure, Group, Outcome, Reach, Serial, SharedComm, largest_tag, transfer,
};
use crate::options;
use crate::tape;
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// A private communicator. It lives as long as the process: records hold plain references.
#[derive(Debug)]
pub struct Private {
    /// The handle at depth `home`; null after MPI has ended.
    comm: SharedComm,
    /// The depth of callbacks in which its user entered.
    pub home: u32,
    /// The handles at other depths.
    away: Box<[SharedComm]>,
    pub rank: c_int,
    pub size: c_int,
    /// Its place in the registry.
    pub index: usize,
    /// A number that all its members know it by.
    name: i64,
    /// Its members; none after MPI has ended.
    group: Mutex<Option<Group>>,
    /// Whether a communicator of the user is served by it.
    in_use: AtomicBool,
    /// How many persistent requests may still start messages on it.
    claims: AtomicUsize,
    /// The receives of active data that are under way.
    pub receives: Serial<Window>,
    /// The collectives on active data that are under way.
    pub collectives: Serial<Window>,
    /// How many collectives there have been whose adjoints travel edge by edge, among all members and among
    /// neighbours, and the largest tag they may have.
    numbered: [AtomicU64; 2],
    largest_tag: c_int,
    /// Another one of the same members in reverse order.
    mirror: Option<&'static Private>,
}

/// Tags on a mirror up to this one have a meaning of their own.
const NAMED_TAGS: c_int = 32767;

impl Private {
    /// The handle for the messages of a sweep at `depth`; an error after MPI has ended.
    #[inline]
    pub fn comm(&self, depth: u32) -> Result<Comm, Error> {
        let comm = self.handle(depth)?.get();
        if comm.is_null() { Err(ended()) } else { Ok(comm) }
    }

    #[inline]
    fn handle(&self, depth: u32) -> Result<&SharedComm, Error> {
        if depth == self.home { Ok(&self.comm) } else { self.away(depth) }
    }

    /// The handle at another depth, of as many as there are. Members count them from `home` on, which need not be
    /// one depth for all: some may serve the callbacks of others.
    #[cold]
    fn away(&self, depth: u32) -> Result<&SharedComm, Error> {
        let levels = u32::try_from(self.away.len()).unwrap_or(u32::MAX - 1);
        let lowest = self.home.saturating_sub(levels);
        if depth.checked_sub(lowest).is_none_or(|above| above > levels) {
            let wanted = if depth > self.home { depth } else { self.home - depth };
            return Err(too_deep(depth, levels, wanted));
        }
        Ok(&self.away[wide32((depth + levels - self.home) % (levels + 1))])
    }

    /// The handle at one depth, or all that there are.
    pub fn handles(&self, depth: Option<u32>) -> Result<Vec<Comm>, Error> {
        let handles = self.places(depth)?.into_iter().map(SharedComm::get);
        Ok(handles.filter(|comm| !comm.is_null()).collect())
    }

    fn places(&self, depth: Option<u32>) -> Result<Vec<&SharedComm>, Error> {
        match depth {
            Some(depth) => Ok(vec![self.handle(depth)?]),
            None => Ok(self.all_places().collect()),
        }
    }

    fn all_places(&self) -> impl Iterator<Item = &SharedComm> {
        std::iter::once(&self.comm).chain(&self.away)
    }

    /// The number that all members know it by.
    pub const fn name(&self) -> i64 {
        self.name
    }

    fn is_closed(&self) -> bool {
        self.comm.get().is_null()
    }

    /// Whether it may serve another communicator.
    fn is_free(&self) -> bool {
        !self.in_use.load(Ordering::Relaxed)
            && self.claims.load(Ordering::Relaxed) == 0
            && !self.is_closed()
    }

    /// Takes it into use, if it is still free.
    fn take(&self) -> bool {
        self.is_free() && !self.in_use.swap(true, Ordering::Relaxed)
    }

    /// Puts other communicators of the same members in place of the present ones, at one depth or all, on which
    /// collectives of an abandoned sweep are still open: some members have started ones that others have not, so the
    /// new ones are made on `user`, the communicator served. Collective; the old ones are freed at the end of MPI.
    pub fn renew(&self, user: Comm, depth: Option<u32>) -> Outcome<()> {
        for private in [Some(self), self.mirror].into_iter().flatten() {
            for place in private.places(depth)? {
                let old = place.replace(user.split(private.rank)?);
                lock(&ABANDONED).push(old);
            }
        }
        let mut numbers = self.numbers();
        transfer::allreduce_min(user, &mut numbers)?;
        self.agree(numbers);
        Ok(())
    }

    /// The tag for the adjoints of a collective that travel edge by edge. All members start their collectives in
    /// one order, so they give a call one tag. The calls among neighbours are counted for themselves: a rank that
    /// has none may not know whether such a call is active, but then it needs no tag either. Tags come again after so
    /// many calls that those of a tag, open at once, would not fit into memory.
    pub fn next_tag(&self, reach: Reach) -> c_int {
        let (first, n) = match self.largest_tag - NAMED_TAGS {
            n if n > 1 => (NAMED_TAGS + 1, n / 2),
            _ => (1, NAMED_TAGS / 2 - 1),
        };
        let counter = usize::from(reach == Reach::Neighbours);
        let number = self.numbered[counter].fetch_add(1, Ordering::Relaxed);
        let at = c_int::try_from(number % u64::from(n.unsigned_abs())).unwrap_or(0);
        first + 2 * at + c_int::from(reach == Reach::Neighbours)
    }

    /// Negative, so that the least of all members is what they go on from.
    fn numbers(&self) -> [i64; 2] {
        let number = |n: &AtomicU64| -i64::try_from(n.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        [number(&self.numbered[0]), number(&self.numbered[1])]
    }

    /// Members go on from one number, also if a call failed on some of them, or passed by.
    fn agree(&self, numbers: [i64; 2]) {
        for (counter, number) in self.numbered.iter().zip(numbers) {
            counter.store(number.unsigned_abs(), Ordering::Relaxed);
        }
    }

    pub fn ranks(&self) -> usize {
        crate::mpi::wide_int(self.size)
    }

    /// The other ranks, each also as an index.
    pub fn others(&self) -> impl Iterator<Item = (c_int, usize)> + use<> {
        let own = self.rank;
        (0..self.size).zip(0..).filter(move |&(rank, _)| rank != own)
    }

    /// This rank, as an index.
    pub fn place(&self) -> usize {
        crate::mpi::wide_int(self.rank)
    }

    /// The members in reverse order: for scans from the last rank on, and for messages of the library's own.
    pub fn mirror(&self) -> &'static Private {
        self.mirror.expect("only a mirror has none")
    }

    pub const fn is_mirror(&self) -> bool {
        self.mirror.is_none()
    }

    /// The rank on the mirror of one that has `rank` here.
    pub const fn mirrored(&self, rank: c_int) -> c_int {
        self.size - 1 - rank
    }

    /// What the user calls the rank that is `rank` here.
    pub const fn users_rank(&self, rank: c_int) -> c_int {
        if self.mirror.is_some() { rank } else { self.mirrored(rank) }
    }
}

#[cold]
fn ended() -> Error {
    Error::new(Code::Mpi, "adjoints were to travel after the end of MPI, or of the library")
}

#[cold]
fn too_deep(depth: u32, levels: u32, wanted: u32) -> Error {
    let why = format!(
        "adjoints were to travel in a sweep inside {depth} callbacks of sweeps, and the communicator entered with room for {levels}; set ADMPI_NESTS={wanted} in the environment of all ranks"
    );
    Error::new(Code::Nest, why)
}

/// For how many levels of sweeps inside callbacks this rank wants handles.
fn levels_wanted() -> i64 {
    options::nests().into()
}

static REGISTRY: Mutex<Vec<&'static Private>> = Mutex::new(Vec::new());
/// Handles that `renew` replaced.
static ABANDONED: Mutex<Vec<Comm>> = Mutex::new(Vec::new());
static ATTRIBUTE: Mutex<Option<CommAttribute>> = Mutex::new(None);
/// Counts the communicators that went or came: a handle may mean another one after that.
static GENERATION: AtomicU64 = AtomicU64::new(1);

/// The attribute's number of a communicator that cannot carry active data; others are places in the
/// registry above `FIRST`.
const OVERTAKING: usize = 1;
const FIRST: usize = 2;

pub fn install() -> Outcome<()> {
    *lock(&ATTRIBUTE) = Some(CommAttribute::new(user_is_gone)?);
    Ok(())
}

fn registered(index: usize) -> Option<&'static Private> {
    lock(&REGISTRY).get(index).copied()
}

/// A user's communicator lost its attribute: by being freed, or at the end of MPI.
fn user_is_gone(number: usize) {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    if let Some(index) = number.checked_sub(FIRST)
        && let Some(private) = registered(index)
        && private.in_use.swap(false, Ordering::Relaxed)
    {
        check::freed(private, "MPI_Comm_free");
    }
}

/// Frees all private communicators; called when MPI is about to end, by all ranks.
pub fn remove() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    *lock(&ATTRIBUTE) = None;
    for private in lock(&REGISTRY).iter() {
        for place in private.all_places() {
            let comm = place.replace(Comm::null());
            if !comm.is_null() {
                // Nothing can be done about a failure while MPI ends.
                let _ = comm.free();
            }
        }
        lock(&private.group).take();
    }
    for comm in lock(&ABANDONED).drain(..) {
        let _ = comm.free();
    }
}

fn attribute() -> Outcome<CommAttribute> {
    lock(&ATTRIBUTE).ok_or_else(|| not_initialised().into())
}

fn overtaking() -> Error {
    Error::new(
        Code::Unsupported,
        "the communicator asserts mpi_assert_allow_overtaking, so that its messages have no order to reverse; remove the assertion",
    )
}

/// The private communicator of `comm`, if it has entered.
fn find(comm: Comm) -> Outcome<Option<&'static Private>> {
    match attribute()?.get(comm)? {
        Some(OVERTAKING) => Err(overtaking().into()),
        Some(number) => Ok(lock(&REGISTRY).get(number - FIRST).copied().filter(|p| !p.is_closed())),
        None => Ok(None),
    }
}

/// What the last call found: a generation, a handle's key and its private communicator.
static LAST: Serial<(u64, usize, Option<&'static Private>)> = Serial::new((0, 0, None));

#[inline]
fn last(comm: Comm) -> Option<&'static Private> {
    LAST.with(|&mut (generation, key, private)| {
        private.filter(|_| key == comm.key() && generation == GENERATION.load(Ordering::Relaxed))
    })
}

/// The private communicator for point to point on `comm`, or an error that names the cure.
#[inline]
pub fn of(comm: Comm) -> Outcome<&'static Private> {
    match last(comm) {
        Some(private) => Ok(private),
        None => known(comm),
    }
}

/// As `of`, for a call that may turn out to need none.
pub fn lookup(comm: Comm) -> Option<&'static Private> {
    last(comm).or_else(|| find(comm).ok().flatten())
}

/// A private communicator on which a persistent request may start messages, also when the user's has been freed:
/// until then it serves no other, whose messages would be in no common order with them.
#[derive(Debug)]
pub struct Claim(&'static Private);

impl Claim {
    /// None where the library does not know `comm`.
    pub fn on(comm: Comm) -> Option<Self> {
        let private = lookup(comm)?;
        private.claims.fetch_add(1, Ordering::Relaxed);
        Some(Self(private))
    }

    pub const fn private(&self) -> &'static Private {
        self.0
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.0.claims.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cold]
pub fn unknown() -> Failure {
    let why = "active data on a communicator that the library does not know: make it by an AMPI_ call, or call AMPI_Comm_register on all its members";
    Error::new(Code::Mpi, why).into()
}

#[cold]
fn known(comm: Comm) -> Outcome<&'static Private> {
    let generation = GENERATION.load(Ordering::Relaxed);
    let private = match find(comm)? {
        Some(private) => private,
        None => return refuse_inter(comm).and(Err(unknown())),
    };
    LAST.with(|last| *last = (generation, comm.key(), Some(private)));
    Ok(private)
}

/// The private communicator for a blocking collective on `comm`, which all members are in.
pub fn of_collective(comm: Comm) -> Outcome<&'static Private> {
    if let Some(private) = last(comm) {
        return Ok(private);
    }
    if find(comm)?.is_none() {
        enter(comm)?;
    }
    of(comm)
}

/// An error for an intercommunicator, whose collectives mean something else.
pub fn refuse_inter(comm: Comm) -> Outcome<()> {
    if comm.is_inter()? {
        return Err(Error::new(Code::Unsupported, "active data on an intercommunicator").into());
    }
    Ok(())
}

/// Gives `comm` its private communicator. Collective over `comm`; nothing happens if it has one.
pub fn enter(comm: Comm) -> Outcome<()> {
    let attribute = attribute()?;
    if comm.is_null() {
        return Err(Error::new(Code::Argument, "comm is MPI_COMM_NULL").into());
    }
    refuse_inter(comm)?;
    if attribute.get(comm)? == Some(OVERTAKING) || find(comm)?.is_some() {
        return Ok(());
    }
    if comm.info(c"mpi_assert_allow_overtaking")?.is_some_and(|value| value == "true") {
        return attribute.set(comm, OVERTAKING);
    }
    let private = match reuse(comm)? {
        Offer::Private(private) => private,
        Offer::Levels(levels) => create(comm, levels)?,
    };
    GENERATION.fetch_add(1, Ordering::Relaxed);
    attribute.set(comm, private.index + FIRST)
}

/// As `enter` for a communicator that an `AMPI_` call has just made: one that cannot carry active data is
/// left alone until it is asked to.
pub fn enter_new(comm: Comm) -> Outcome<()> {
    if lock(&ATTRIBUTE).is_none() || comm.is_null() || comm.is_inter()? {
        Ok(())
    } else {
        enter(comm)
    }
}

/// Before `comm` is freed: its private communicator is free for others from now on, at this point of the
/// program on every rank. (MPICH would report the end of `comm` only when its last message is through.)
pub fn leave(comm: Comm) -> Outcome<()> {
    let attribute = *lock(&ATTRIBUTE);
    // MPI refuses to free these two; they stay known.
    if comm == Comm::world() || comm == Comm::itself() {
        return Ok(());
    }
    match attribute {
        Some(attribute) if !comm.is_null() && attribute.get(comm)?.is_some() => {
            if let Ok(Some(private)) = find(comm) {
                check::freed(private, "AMPI_Comm_free");
                private.in_use.store(false, Ordering::Relaxed);
            }
            attribute.delete(comm)
        }
        _ => Ok(()),
    }
}

/// What the members of a communicator agree on when it enters.
enum Offer {
    Private(&'static Private),
    /// None serves: a new one, with so many handles for other depths.
    Levels(usize),
}

/// One that has served another communicator of the same group, if all members can offer it. A member that holds
/// persistent requests on one cannot.
fn reuse(comm: Comm) -> Outcome<Offer> {
    let mut known = of_group(comm)?;
    known.sort_unstable_by_key(|private| private.name);
    let mut least = i64::MIN;
    loop {
        // Taken before it is offered: another thread may be making a communicator of the same group.
        let offer = known.iter().find(|private| private.name >= least && private.take());
        let name = offer.map_or(i64::MAX, |private| private.name);
        let [all, near] = offer.map_or([0; 2], |private| private.numbers());
        let mut agreed = [name, -name, levels_wanted(), all, near];
        let asked = transfer::allreduce_min(comm, &mut agreed);
        let [lowest, highest, levels] = [agreed[0], -agreed[1], agreed[2]];
        if let (true, Some(private)) = (asked.is_ok() && lowest == highest, offer) {
            private.agree([agreed[3], agreed[4]]);
            return Ok(Offer::Private(private));
        }
        if let Some(private) = offer {
            private.in_use.store(false, Ordering::Relaxed);
        }
        asked?;
        if highest == i64::MAX {
            return Ok(Offer::Levels(crate::count::wide(levels.cast_unsigned())));
        }
        // A member has none below: nobody need offer those again.
        least = highest;
    }
}

/// Those of the members of `comm`, that entered at the present depth.
fn of_group(comm: Comm) -> Outcome<Vec<&'static Private>> {
    let (rank, size, group) = (comm.rank()?, comm.size()?, comm.group()?);
    let known: Vec<&'static Private> = lock(&REGISTRY).clone();
    let mut found = Vec::new();
    for private in known {
        if private.is_free()
            && (private.rank, private.size, private.home) == (rank, size, tape::depth())
            && lock(&private.group).as_ref().map_or(Ok(false), |own| own.identical(&group))?
        {
            found.push(private);
        }
    }
    Ok(found)
}

fn create(comm: Comm, levels: usize) -> Outcome<&'static Private> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let first = comm.split(comm.rank()?)?;
    let (rank, size) = (first.rank()?, first.size()?);
    // Named by its first rank: world rank above, count below.
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name =
        i64::from(Comm::world().rank()?) << 40 | i64::try_from(count).unwrap_or(i64::MAX);
    transfer::bcast_number(first, &mut name, 0)?;
    let more = |rank, n: usize| (0..n).map(|_| first.split(rank)).collect::<Outcome<Vec<_>>>();
    let away = more(rank, levels)?;
    let mirrored = size - 1 - rank;
    let mirror = register(more(mirrored, 1 + levels)?, (mirrored, size), name, None, None);
    let handles = [vec![first], away].concat();
    Ok(register(handles, (rank, size), name, Some(first.group()?), Some(mirror)))
}

/// The first handle is that at the present depth.
fn register(
    handles: Vec<Comm>,
    (rank, size): (c_int, c_int),
    name: i64,
    group: Option<Group>,
    mirror: Option<&'static Private>,
) -> &'static Private {
    let mut handles = handles.into_iter().map(SharedComm::new);
    let comm = handles.next().expect("there is one at least");
    let mut registry = lock(&REGISTRY);
    let made: &'static Private = Box::leak(Box::new(Private {
        comm,
        home: tape::depth(),
        away: handles.collect(),
        rank,
        size,
        index: registry.len(),
        name,
        group: Mutex::new(group),
        in_use: AtomicBool::new(true),
        claims: AtomicUsize::new(0),
        receives: Serial::new(Window::default()),
        collectives: Serial::new(Window::default()),
        numbered: [const { AtomicU64::new(0) }; 2],
        largest_tag: largest_tag(),
        mirror,
    }));
    registry.push(made);
    made
}
