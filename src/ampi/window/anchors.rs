//! Values that other ranks may take by themselves, and those taken from them: what passive target leaves on a tape.
//!
//! A rank that puts values gives them numbers, by which whoever finds them may name them. Before each call by which others may learn
//! of values that are new, the tape gets an anchor. There a sweep waits for the adjoints of what others have taken since the
//! values were made: an event that this rank had before any other could take them.

use super::ids::IdRuns;
use crate::ampi::AdjointComm;
use crate::ampi::hash::Table;
use crate::ampi::queues::{AdjointMessage, pieces};
use crate::ampi::recording::accompany;
use crate::ampi::statistics;
use crate::ampi::traffic::{Traffic, with_traffic};
use crate::count::{narrow32, wide, wide32};
use crate::error::{Code, Error, Result};
use crate::mpi::message::Envelope;
use crate::mpi::{Payload, Staging};
use crate::tape::{self, Companion, Dependence, Event, Position, Sweep, Tape};
use crate::tape::{REMOTE, REMOTE_RANK_BITS as RANK_BITS};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where adjoints of a window's values travel.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub private: &'static AdjointComm,
    pub tag: c_int,
}

/// Names what one rank took of another's at once; each numbers those that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u64);

static NEXT_KEY: AtomicU64 = AtomicU64::new(1);

impl Key {
    /// One that the taker makes, or the giver.
    pub fn new(by_taker: bool) -> Self {
        Self(NEXT_KEY.fetch_add(1, Ordering::Relaxed) << 1 | u64::from(by_taker))
    }

    pub const fn word(self) -> u64 {
        self.0
    }

    pub const fn of(word: u64) -> Self {
        Self(word)
    }
}

const GENERATION: u32 = (1 << (31 - RANK_BITS)) - 1;
static NEXT_GENERATION: AtomicU32 = AtomicU32::new(1);

/// The rank of which a value is that has this tag, if the tag is none of a tape's.
pub fn owner_of(tag: u32) -> Option<c_int> {
    let rank = c_int::try_from(tag & ((1 << RANK_BITS) - 1));
    (tag & REMOTE != 0).then(|| rank.unwrap_or(0))
}

/// Consecutive values as another rank names them: by ids of a tape with one tag, or by numbers that count down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    pub first: u32,
    pub n: u32,
    pub tag: u32,
}

/// Values that were put, which have numbers from `first` down.
struct Given {
    first: u32,
    ids: IdRuns,
}

/// What another rank has taken: its adjoints come back together.
pub struct Owed {
    pub way: Way,
    pub taker: c_int,
    pub key: Key,
    pub ids: IdRuns,
}

/// A place of the tape.
struct Anchor {
    event: u32,
    /// The next id there, and the next number.
    id: u32,
    number: u32,
    owed: Vec<Owed>,
}

/// By communicator, tag, rank and key.
type Early = Table<(usize, c_int, c_int, u64), Vec<f64>>;

/// Of one tape.
pub struct Anchors {
    /// Whether sweeps of the tape wait for the other ranks of windows that may be locked.
    joins: bool,
    /// Which of the numberings of this process it has; 0 before the first one.
    generation: u32,
    /// The number that the next value gets.
    next: u32,
    given: Vec<Given>,
    list: Vec<Anchor>,
    /// Adjoints that came before those that an anchor waited for.
    early: Early,
}

impl Default for Anchors {
    fn default() -> Self {
        let (given, list, early) = (Vec::new(), Vec::new(), Early::default());
        Self { joins: false, generation: 0, next: u32::MAX, given, list, early }
    }
}

impl Companion for Anchors {
    /// What still lies at other ranks under numbers of what is forgotten is found to be stale. What came early is for places further
    /// down, where a sweep in parts goes on.
    fn forget(&mut self, position: &Position) {
        if position.id == Position::BOTTOM.id {
            *self = Self { joins: self.joins, ..Self::default() };
            return;
        }
        self.list.truncate(self.list.partition_point(|anchor| anchor.event < position.event));
        self.given.retain(|given| given.ids.last() < position.id);
    }
}

impl Anchors {
    pub const fn joins(&self) -> bool {
        self.joins
    }

    /// The tag of what stands for a value of this rank.
    fn tag(&self, rank: c_int) -> u32 {
        REMOTE | (self.generation & GENERATION) << RANK_BITS | rank.unsigned_abs()
    }

    /// Numbers values that this `rank` puts; `next_id` is the tape's. Returns the first number and the tag.
    pub fn give(&mut self, rank: c_int, next_id: u32, ids: IdRuns) -> Result<(u32, u32)> {
        if rank.unsigned_abs() >> RANK_BITS != 0 {
            let why = "active data under locks are differentiated on 2^20 ranks at most";
            return Err(Error::new(Code::Unsupported, why));
        }
        if self.generation == 0 {
            self.generation = NEXT_GENERATION.fetch_add(1, Ordering::Relaxed);
        }
        let first = self.next;
        let next = u32::try_from(ids.len()).ok().and_then(|n| first.checked_sub(n));
        let Some(next) = next.filter(|&next| next > next_id) else {
            let why = "the tape has no numbers left for values that are put under locks: sweep and reset it earlier";
            return Err(Error::new(Code::Memory, why));
        };
        self.next = next;
        self.given.push(Given { first, ids });
        Ok((first, self.tag(rank)))
    }

    /// Adds the ids of values with numbers of this tape's.
    fn find(&self, numbers: Named, rank: c_int, ids: &mut IdRuns) -> Result<()> {
        let stale = || {
            let why = "another rank has read a value that this one put before its tape was reset, or on another tape";
            Error::new(Code::Stale, why)
        };
        if numbers.tag != self.tag(rank) || self.generation == 0 || numbers.first <= self.next {
            return Err(stale());
        }
        let (mut number, mut left) = (numbers.first, wide32(numbers.n));
        while left > 0 {
            let after = self.given.partition_point(|given| given.first >= number);
            let given = after.checked_sub(1).map(|at| &self.given[at]).ok_or_else(stale)?;
            let from = wide32(given.first - number);
            let n = left.min(given.ids.len().saturating_sub(from));
            if n == 0 {
                return Err(stale());
            }
            ids.append_part(&given.ids, from, n);
            left -= n;
            number = number.saturating_sub(narrow32(n));
        }
        Ok(())
    }

    /// The id of a value that this rank has put and finds again.
    pub fn own(&self, number: u32, tag: u32, rank: c_int) -> Result<u32> {
        let mut ids = IdRuns::default();
        self.find(Named { first: number, n: 1, tag }, rank, &mut ids)?;
        Ok(ids.last())
    }

    /// Lets the first anchor behind the values wait for their adjoints.
    fn owe(&mut self, lowest: Option<u32>, owed: Owed) -> Result<()> {
        let highest = owed.ids.last();
        let ahead = |anchor: &Anchor| {
            anchor.id <= highest || lowest.is_some_and(|lowest| anchor.number >= lowest)
        };
        let at = self.list.partition_point(ahead);
        let Some(anchor) = self.list.get_mut(at) else {
            let why = format!(
                "rank {} has read a value that this rank had not let go of: no call of MPI lies between the value and the read",
                owed.taker
            );
            return Err(Error::new(Code::Mpi, why));
        };
        anchor.owed.push(owed);
        Ok(())
    }
}

/// What others have taken, of those that were put with numbers down to `lowest`: as they are told with this.
pub fn owe_put(tape: &mut Tape, lowest: u32, owed: Owed) -> Result<()> {
    tape.companion::<Anchors>().owe(Some(lowest), owed)
}

/// What `taker` has read of this `rank`'s values.
pub fn owe_read(
    tape: &mut Tape,
    rank: c_int,
    (way, taker, key): (Way, c_int, Key),
    values: impl Iterator<Item = Named>,
) -> Result<()> {
    let (mut ids, mut lowest) = (IdRuns::default(), None);
    for named in values {
        if owner_of(named.tag).is_some() {
            tape.companion::<Anchors>().find(named, rank, &mut ids)?;
            let last = named.first - (named.n - 1);
            lowest = Some(lowest.map_or(last, |lowest: u32| lowest.min(last)));
            continue;
        }
        for id in [named.first, named.first.saturating_add(named.n - 1)] {
            let name = format!("a value that rank {taker} has read here");
            tape.check_var(&name, &tape::Var { value: f64::NAN, id, tag: named.tag })?;
        }
        ids.push(named.first, wide32(named.n));
    }
    let owed = Owed { way, taker, key, ids };
    tape.companion::<Anchors>().owe(lowest, owed)
}

/// Whether the tape may be told of others' values now: not while a sweep runs user code, nor in a nest.
pub fn may_record(tape: &Tape) -> bool {
    tape::depth() == 0 && tape.base() == Position::BOTTOM
}

/// The tape takes part in what windows that may be locked ask of all their ranks.
pub fn join(tape: &mut Tape) {
    tape.companion::<Anchors>().joins = true;
}

/// Before others may learn of what is new on the tape.
pub fn release(tape: &mut Tape) -> Result<()> {
    let id = tape.next_id();
    if !may_record(tape) {
        return Ok(());
    }
    if tape.recording() {
        join(tape);
    }
    let anchors = tape.companion::<Anchors>();
    let (number, index) = (anchors.next, anchors.list.len());
    if (id, number) == (Position::BOTTOM.id, u32::MAX) {
        return Ok(());
    }
    if anchors.list.last().is_some_and(|last| (last.id, last.number) == (id, number)) {
        return Ok(());
    }
    accompany(tape);
    tape.record(0, |_, _| Anchored { index })?;
    let event = tape.event_count() - 1;
    tape.companion::<Anchors>().list.push(Anchor { event, id, number, owed: Vec::new() });
    Ok(())
}

/// An anchor's event.
struct Anchored {
    index: usize,
}

impl Event for Anchored {
    const NAME: &'static str = "window, values that others may take";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut anchors = sweep.detach::<Anchors>();
        let owed = std::mem::take(&mut anchors.list[self.index].owed);
        let done = owed.iter().try_for_each(|owed| {
            let values = anchors.early.receive(owed, sweep)?;
            owed.ids.add_to(sweep, &values);
            Ok(())
        });
        anchors.list[self.index].owed = owed;
        sweep.attach(anchors);
        done
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(crate::ampi::ACROSS_RANKS)
    }
}

/// Adjoints come in the order in which their rank sends them, which need not be that of the anchors.
trait Arrivals {
    fn receive(&mut self, owed: &Owed, sweep: &mut Sweep<'_>) -> Result<Vec<f64>>;
}

impl Arrivals for Early {
    fn receive(&mut self, owed: &Owed, sweep: &mut Sweep<'_>) -> Result<Vec<f64>> {
        let Way { private, tag } = owed.way;
        let of = |key| (private.index, tag, owed.taker, key);
        let wanted = owed.ids.len() * sweep.width();
        let values = loop {
            if let Some(values) = self.remove(&of(owed.key.word())) {
                break values;
            }
            let (key, values) = next_adjoints(owed.way, owed.taker, sweep)?;
            self.insert(of(key), values);
        };
        if values.len() == wanted {
            return Ok(values);
        }
        let why = format!(
            "rank {} returned {} adjoints for values under a lock, of which there are {wanted}",
            owed.taker,
            values.len()
        );
        Err(Error::new(Code::Mismatch, why))
    }
}

/// The next adjoints of values that `taker` took, whatever they are of.
fn next_adjoints(way: Way, taker: c_int, sweep: &mut Sweep<'_>) -> Result<(u64, Vec<f64>)> {
    let route = (way.private.mirror(), sweep.depth());
    let from = Envelope::new(way.private.mirrored(taker), way.tag);
    let width = sweep.width();
    with_traffic(sweep, |traffic, _| {
        let mut head = [0; 2];
        traffic.receive(route, from, HEAD, 1, |_, words| {
            head.iter_mut().zip(words).for_each(|(head, word)| *head = word.to_bits());
        })?;
        let [key, n] = head;
        let n = wide(n);
        let mut values = vec![0.0; n * width];
        traffic.receive(route, from, n, width, |at, piece| {
            values[at * width..][..piece.len()].copy_from_slice(piece);
        })?;
        Ok((key, values))
    })
}

/// Words before the adjoints: the key, and how many values there are.
const HEAD: usize = 2;

/// Values that this rank has taken from `owner`.
struct Taken {
    way: Way,
    owner: c_int,
    key: Key,
    first: u32,
    n: u32,
}

impl Event for Taken {
    const NAME: &'static str = "window, values taken";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (wide32(self.n), sweep.width());
        let mut taken = Staging::take(n * width);
        sweep.take(self.first, n, taken.as_mut_slice());
        statistics::sent_back(taken.len());
        let Way { private, tag } = self.way;
        let (peer, depth, private) =
            (private.mirrored(self.owner), sweep.depth(), private.mirror());
        let mut send = |n: usize, width, words: &[f64]| {
            let mut data = Staging::take(words.len());
            data.as_mut_slice().copy_from_slice(words);
            let data = Payload::Own(data);
            let message = AdjointMessage { private, depth, peer, tag, n, width, data };
            sweep.companion::<Traffic>().send(message)
        };
        send(HEAD, 1, &[f64::from_bits(self.key.word()), f64::from_bits(n as u64)])?;
        for piece in pieces(n, width) {
            let words = &taken.as_slice()[piece.start * width..piece.end * width];
            send(piece.len(), width, words)?;
        }
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.unknown(crate::ampi::ACROSS_RANKS)
    }
}

/// Records `n` values of `owner`'s, and returns the first id.
pub fn record_taken(tape: &mut Tape, way: Way, owner: c_int, key: Key, n: usize) -> Result<u32> {
    accompany(tape);
    let count = narrow32(n);
    tape.record(n, |first, _| Taken { way, owner, key, first, n: count })
}
