//! A private communicator: where adjoints travel, out of reach of the user's messages.
//!
//! A sweep inside a callback of another one has handles of its own: what the outer sweep has under way on the same
//! channels would else be taken for the inner one's. The depth of a sweep, which says how many others it
//! interrupts, is the same at both ends of a message, counted from where the communicator entered.

use super::channel::Window;
use super::lock;
use super::pairs::Pairs;
use crate::count::wide32;
use crate::error::{Code, Error};
use crate::mpi::{
    Comm, Group, MpiResult, Reach, Serial, SharedComm, largest_tag, quirks, transfer, wide_int,
};
use crate::tape;
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// A private communicator. It lives as long as the process: records hold plain references.
#[derive(Debug)]
pub struct AdjointComm {
    /// The handle at depth `base_depth`; null after MPI has ended.
    comm: SharedComm,
    /// The depth of callbacks in which its user entered.
    pub base_depth: u32,
    /// The handles at other depths.
    nested: Box<[SharedComm]>,
    pub rank: c_int,
    pub size: c_int,
    /// Its place in the registry.
    pub index: usize,
    /// A number that all its members know it by.
    name: i64,
    /// Handles that `renew` has replaced.
    replaced: Mutex<Vec<Comm>>,
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
    /// Another one of the same members in reverse order; that of an intercommunicator has both groups, one behind the other.
    mirror: Option<&'static AdjointComm>,
    /// The first rank of the other group there, of an intercommunicator.
    across: Option<c_int>,
    /// The pairs of partitioned requests on it.
    pub pairs: Mutex<Pairs>,
}

/// Tags on a mirror up to this one have a meaning of their own.
pub const NAMED_TAGS: c_int = 32767;

/// What a private communicator is made of.
pub struct Made {
    /// Those for all depths, the first for the present one.
    pub handles: Vec<Comm>,
    pub rank: c_int,
    pub size: c_int,
    pub name: i64,
    pub group: Option<Group>,
    pub mirror: Option<&'static AdjointComm>,
    pub across: Option<c_int>,
}

impl AdjointComm {
    pub fn new(made: Made, index: usize) -> Self {
        let Made { handles, rank, size, name, group, mirror, across } = made;
        let mut handles = handles.into_iter().map(SharedComm::new);
        Self {
            comm: handles.next().expect("there is one at least"),
            base_depth: tape::depth(),
            nested: handles.collect(),
            rank,
            size,
            index,
            name,
            replaced: Mutex::default(),
            group: Mutex::new(group),
            in_use: AtomicBool::new(true),
            claims: AtomicUsize::new(0),
            receives: Serial::new(Window::default()),
            collectives: Serial::new(Window::default()),
            numbered: [const { AtomicU64::new(0) }; 2],
            largest_tag: largest_tag(),
            mirror,
            across,
            pairs: Mutex::default(),
        }
    }

    /// The handle for the messages of a sweep at `depth`; an error after MPI has ended.
    #[inline]
    pub fn comm(&self, depth: u32) -> Result<Comm, Error> {
        let comm = self.handle(depth)?.get();
        if comm.is_null() { Err(ended()) } else { Ok(comm) }
    }

    #[inline]
    fn handle(&self, depth: u32) -> Result<&SharedComm, Error> {
        if depth == self.base_depth { Ok(&self.comm) } else { self.nested(depth) }
    }

    /// The handle at another depth, of as many as there are. Members count them from `base_depth` on, which need not be
    /// one depth for all: some may serve the callbacks of others.
    #[cold]
    fn nested(&self, depth: u32) -> Result<&SharedComm, Error> {
        let levels = u32::try_from(self.nested.len()).unwrap_or(u32::MAX - 1);
        let lowest = self.base_depth.saturating_sub(levels);
        if depth.checked_sub(lowest).is_none_or(|above| above > levels) {
            let wanted = if depth > self.base_depth { depth } else { self.base_depth - depth };
            return Err(too_deep(depth, levels, wanted));
        }
        Ok(&self.nested[wide32((depth + levels - self.base_depth) % (levels + 1))])
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
        std::iter::once(&self.comm).chain(&self.nested)
    }

    /// The number that all members know it by.
    pub const fn name(&self) -> i64 {
        self.name
    }

    pub fn is_closed(&self) -> bool {
        self.comm.get().is_null()
    }

    /// It serves no communicator any more. Tells whether it did.
    pub fn give_back(&self) -> bool {
        lock(&self.pairs).forget();
        self.in_use.swap(false, Ordering::Relaxed)
    }

    /// A persistent request may start messages on it until `disclaim`.
    pub fn claim(&self) {
        self.claims.fetch_add(1, Ordering::Relaxed);
    }

    pub fn disclaim(&self) {
        self.claims.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether its members are those of `group`.
    pub fn has_members(&self, group: &Group) -> MpiResult<bool> {
        lock(&self.group).as_ref().map_or(Ok(false), |own| own.identical(group))
    }

    /// Frees what MPI holds for it; MPI is about to end.
    pub fn free(&self) {
        let handles = self.all_places().map(|place| place.replace(Comm::null()));
        for comm in handles.chain(lock(&self.replaced).drain(..)) {
            if !comm.is_null() && !quirks::COMMUNICATORS_ARE_FREED_EMPTY {
                // Nothing can be done about a failure while MPI ends.
                let _ = comm.free();
            }
        }
        lock(&self.group).take();
    }

    /// Whether it may serve another communicator.
    pub fn is_free(&self) -> bool {
        !self.in_use.load(Ordering::Relaxed)
            && self.claims.load(Ordering::Relaxed) == 0
            && !self.is_closed()
    }

    /// Takes it into use, if it is still free.
    pub fn take(&self) -> bool {
        self.is_free() && !self.in_use.swap(true, Ordering::Relaxed)
    }

    /// Puts other communicators of the same members in place of the present ones, at one depth or all, on which
    /// collectives of an abandoned sweep are still open: some members have started ones that others have not, so the
    /// new ones are made on `user`, the communicator served. Collective; the old ones are freed at the end of MPI.
    pub fn renew(&self, user: Comm, depth: Option<u32>) -> MpiResult<()> {
        let both = self.across.map(|first| user.merge(first == 0)).transpose()?;
        let members = both.unwrap_or(user);
        for (private, from) in [(Some(self), user), (self.mirror, members)] {
            let Some(private) = private else { continue };
            for place in private.places(depth)? {
                let old = place.replace(from.split(private.rank)?);
                lock(&private.replaced).push(old);
            }
        }
        let mut numbers = self.numbers();
        transfer::allreduce_min(members, &mut numbers)?;
        self.agree(numbers);
        both.map_or(Ok(()), Comm::free)
    }

    /// The tag for the adjoints of a collective that travel edge by edge. All members start their collectives in
    /// one order, so they give a call one tag. The calls among neighbours are counted for themselves: a rank that
    /// has none may not know whether such a call is active, but then it needs no tag either. Tags come again after so
    /// many calls that those of a tag, open at once, would not fit into memory.
    pub fn next_tag(&self, reach: Reach) -> c_int {
        let (first, n) = match self.largest_tag - NAMED_TAGS {
            n if n > 3 => (NAMED_TAGS + 1, n / 4),
            _ => (1, NAMED_TAGS / 2 - 1),
        };
        let counter = usize::from(reach == Reach::Neighbours);
        let number = self.numbered[counter].fetch_add(1, Ordering::Relaxed);
        let at = c_int::try_from(number % u64::from(n.unsigned_abs())).unwrap_or(0);
        first + 2 * at + c_int::from(reach == Reach::Neighbours)
    }

    /// The first tag above those of `next_tag`, and how many there are.
    pub const fn tags_of_pairs(&self) -> (c_int, c_int) {
        let first = NAMED_TAGS + 1 + (self.largest_tag - NAMED_TAGS) / 4 * 2;
        (first, self.largest_tag - first + 1)
    }

    /// The rank on the mirror of a peer of the user's.
    pub fn on_mirror(&self, peer: c_int) -> c_int {
        self.across.map_or_else(|| self.mirrored(peer), |first| first + peer)
    }

    /// Negative, so that the least of all members is what they go on from.
    pub fn numbers(&self) -> [i64; 2] {
        let number = |n: &AtomicU64| -i64::try_from(n.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        [number(&self.numbered[0]), number(&self.numbered[1])]
    }

    /// Members go on from one number, also if a call failed on some of them, or passed by.
    pub fn agree(&self, numbers: [i64; 2]) {
        for (counter, number) in self.numbered.iter().zip(numbers) {
            counter.store(number.unsigned_abs(), Ordering::Relaxed);
        }
    }

    pub fn ranks(&self) -> usize {
        wide_int(self.size)
    }

    /// The other ranks, each also as an index.
    pub fn others(&self) -> impl Iterator<Item = (c_int, usize)> + use<> {
        let own = self.rank;
        (0..self.size).zip(0..).filter(move |&(rank, _)| rank != own)
    }

    /// This rank, as an index.
    pub fn place(&self) -> usize {
        wide_int(self.rank)
    }

    /// The members in reverse order: for scans from the last rank on, and for messages of the library's own.
    pub fn mirror(&self) -> &'static AdjointComm {
        self.mirror.expect("only a mirror has none")
    }

    /// Whether it serves an intercommunicator: ranks are those of the other group then, but for this one's.
    pub const fn is_inter(&self) -> bool {
        self.across.is_some()
    }

    /// The first rank of the other group on the mirror.
    pub fn across(&self) -> c_int {
        self.across.expect("only an intercommunicator has another group")
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
    Error::new(
        Code::Mpi,
        "a sweep has adjoints to send, but MPI or the library has been finalised: sweep before AMPI_Finalize and admpi_finalize",
    )
}

#[cold]
fn too_deep(depth: u32, levels: u32, wanted: u32) -> Error {
    let why = format!(
        "a sweep inside {depth} callbacks of sweeps has adjoints to send, but the communicator was registered for {levels} levels; set ADMPI_NESTS={wanted} in the environment of all ranks"
    );
    Error::new(Code::Nest, why)
}
