//! Checking across ranks: before a sweep the members of a communicator compare what each of them has on
//! record, so that a mistake which would hang the sweep, or lose a derivative, is an error that names it.
//!
//! The usual answer, that all agree, costs a number a peer and direction. Only where they do not agree do the
//! records themselves travel. Nothing here runs unless checking is on.
//!
//! Every call on active data has a number in the order of its channel or communicator, whether or not a tape records
//! it or even exists: ranks may make, reset and stop their tapes at different places. What is on record needs its
//! partner on record; what is not needs none, so a rank that has nothing on record with another does not know
//! whether that one comes to compare. It lets it know that it has no question, and looks for a while whether the
//! other has one.

use super::counts::Counts;
use super::traffic::{Traffic, leave_to_mpi};
use super::wire::{self, doubles, failed};
use super::{Private, lock};
use crate::error::{Code, Error, Result};
use crate::mpi::message::{self, Envelope};
use crate::mpi::raw::constants;
use crate::mpi::{Comm, How, Operation, Payload, Reach, Staging, wide_int};
use crate::options;
use crate::tape;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_int};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where a call stands in the user's program.
#[derive(Debug, Clone, Copy)]
struct Site {
    file: &'static CStr,
    line: usize,
}

thread_local! {
    static NEXT: Cell<Option<Site>> = const { Cell::new(None) };
    static CALL: Cell<(&'static str, Option<Site>)> = const { Cell::new(("a call", None)) };
}

/// The next call stands in this line.
pub fn at(file: &'static CStr, line: usize) {
    NEXT.set(Some(Site { file, line }));
}

/// A call begins.
pub fn enter(call: &str) {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = lock(&NAMES);
    // There are as many as calls of MPI.
    let known = names.get(call).copied().unwrap_or_else(|| {
        let name: &'static str = Box::leak(call.into());
        names.insert(name);
        name
    });
    CALL.set((known, NEXT.take()));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Send,
    Receive,
    Collective,
    /// The end of a communicator: in one order with its collectives.
    Free,
}

impl Kind {
    const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Receive)
    }
}

/// The tag of what two ranks exchange in a collective whose counts differ from rank to rank.
const SHARE: c_int = -2;
/// As `SHARE` in a call that some members cannot know to be active: they have no part in it.
const APART: c_int = -3;

/// A call on record, or one that was not recorded though its data was active.
#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    recorded: bool,
    /// Posted, but not complete.
    open: bool,
    /// Nothing came of it.
    void: bool,
    /// A sweep has compared it.
    compared: bool,
    private: &'static Private,
    call: &'static str,
    site: Option<Site>,
    /// Of an open receive those that were asked for.
    peer: c_int,
    tag: c_int,
    n: usize,
    /// What all members of a collective must have alike: root, operation, count; -1 where it may differ.
    detail: [i64; 4],
    /// The order in which the calls were started.
    post: u64,
    /// How many there were before on the channel or communicator. Receives are numbered as they complete.
    number: u64,
    event: u32,
    /// The event of its completion, where that is another.
    done: Option<u32>,
}

impl Entry {
    fn channel(&self) -> Channel {
        if self.kind.is_message() && self.tag != SHARE {
            (self.private.index, self.kind, self.peer, self.tag)
        } else {
            of_collectives(self.private)
        }
    }

    /// It is complete and on record: others must have it too.
    const fn needs_partner(&self) -> bool {
        self.recorded && !self.open
    }

    /// Whether it concerns messages with `peer`.
    fn is_with(&self, peer: c_int) -> bool {
        self.kind.is_message() && self.peer == peer
    }
}

/// Where calls are numbered: collectives and the end of a communicator by its private one alone.
type Channel = (usize, Kind, c_int, c_int);

/// How many calls there were on each channel.
static COUNTS: Mutex<BTreeMap<Channel, u64>> = Mutex::new(BTreeMap::new());

/// The number of a call on `channel`.
fn number(channel: Channel) -> u64 {
    let mut counts = lock(&COUNTS);
    let count = counts.entry(channel).or_default();
    *count += 1;
    *count - 1
}

/// The channel of a communicator's collectives.
const fn of_collectives(private: &Private) -> Channel {
    (private.index, Kind::Collective, -1, 0)
}

/// How many adjoints have travelled: by private communicator, depth of the sweep counted from where that entered, and
/// peer those sent and taken, and without a peer those of collectives that have set off. A sweep that is stopped where
/// messages cross leaves some under way, which another would take for its own.
static TRAVELLED: Mutex<BTreeMap<(usize, i64, c_int), [u64; 2]>> = Mutex::new(BTreeMap::new());

const SENT: usize = 0;
const TAKEN: usize = 1;
const TOGETHER: c_int = -1;

#[inline]
fn count_adjoint(private: &Private, depth: u32, peer: c_int, way: usize) {
    if tape::checking() {
        count_checked(private, depth, peer, way);
    }
}

#[cold]
fn count_checked(private: &Private, depth: u32, peer: c_int, way: usize) {
    let place = (private.index, i64::from(depth) - i64::from(private.home), peer);
    lock(&TRAVELLED).entry(place).or_default()[way] += 1;
}

/// A message of adjoints leaves.
#[inline]
pub fn adjoint_sent(private: &Private, depth: u32, peer: c_int) {
    count_adjoint(private, depth, peer, SENT);
}

/// One has arrived.
#[inline]
pub fn adjoint_taken(private: &Private, depth: u32, peer: c_int) {
    count_adjoint(private, depth, peer, TAKEN);
}

/// The adjoints of a collective set off.
#[inline]
pub fn adjoint_set_off(private: &Private, depth: u32) {
    count_adjoint(private, depth, TOGETHER, SENT);
}

/// Nothing is under way any more, at one depth or all.
pub fn adjoints_dropped(private: &Private, depth: Option<u32>) {
    let depth = depth.map(|depth| i64::from(depth) - i64::from(private.home));
    let gone = |index: usize, at: i64| {
        [private.index, private.mirror().index].contains(&index) && depth.is_none_or(|d| d == at)
    };
    lock(&TRAVELLED).retain(|&(index, at, _), _| !gone(index, at));
}

/// Those that have travelled between this rank and a peer in sweeps at the present depth, or those of collectives.
fn travelled(private: &Private, peer: c_int) -> [u64; 2] {
    let mirror = private.mirror();
    let mirrored = if peer == TOGETHER { TOGETHER } else { private.mirrored(peer) };
    let depth = i64::from(tape::depth()) - i64::from(private.home);
    let travelled = lock(&TRAVELLED);
    let of = |index, peer| travelled.get(&(index, depth, peer)).copied().unwrap_or_default();
    let (own, others) = (of(private.index, peer), of(mirror.index, mirrored));
    [own[SENT] + others[SENT], own[TAKEN] + others[TAKEN]]
}

/// What a tape's calls were, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
}

/// Whether calls on `private` are looked at. Messages on a mirror are the library's own.
fn is_watched(private: &Private) -> bool {
    tape::checking() && private.size > 1 && !private.is_mirror()
}

/// Adds a call to the log of the calling thread's tape, if there is one. Returns one more than its post.
fn log(private: &'static Private, kind: Kind, fill: impl FnOnce(&mut Entry)) -> u64 {
    static POSTS: AtomicU64 = AtomicU64::new(0);
    let (call, site) = CALL.get();
    let post = POSTS.fetch_add(1, Ordering::Relaxed);
    tape::current(|tape| {
        let mut entry = Entry {
            kind,
            recorded: false,
            open: false,
            void: false,
            compared: false,
            private,
            call,
            site,
            peer: -1,
            tag: 0,
            n: 0,
            detail: [-1; 4],
            post,
            number: 0,
            event: tape.event_count(),
            done: None,
        };
        fill(&mut entry);
        tape.companion::<Traffic>().log.entries.push(entry);
    });
    post + 1
}

impl Log {
    /// Where the call with this post is. Mostly this tape has had all calls since its first one.
    fn place_of(&self, post: u64) -> Option<usize> {
        let is_at = |at: &usize| self.entries.get(*at).is_some_and(|entry| entry.post == post);
        let first = self.entries.first()?.post;
        let near = post.checked_sub(first).map(crate::count::wide).filter(is_at);
        near.or_else(|| self.entries.binary_search_by_key(&post, |entry| entry.post).ok())
    }

    /// Events from `event` on are forgotten.
    pub fn cut(&mut self, event: u32) {
        while self.entries.last().is_some_and(|entry| entry.event >= event) {
            self.entries.pop();
        }
        for entry in &mut self.entries {
            if entry.done.is_some_and(|done| done >= event) {
                entry.recorded = false;
            }
        }
    }
}

/// An active message leaves.
pub fn sent(private: &'static Private, peer: c_int, tag: c_int, n: usize, recorded: bool) {
    if is_watched(private) {
        let number = number((private.index, Kind::Send, peer, tag));
        log(private, Kind::Send, |entry| {
            (entry.peer, entry.tag, entry.n) = (peer, tag, n);
            (entry.number, entry.recorded) = (number, recorded);
        });
    }
}

/// A receive or collective that is under way: its communicator, and one more than its post, or 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Posted(Option<&'static Private>, u64);

/// An active receive is posted.
pub fn posted(private: &'static Private, from: Envelope, recorded: bool) -> Posted {
    if !is_watched(private) {
        return Posted::default();
    }
    let post = log(private, Kind::Receive, |entry| {
        (entry.peer, entry.tag) = (from.peer, from.tag);
        (entry.open, entry.recorded) = (true, recorded);
    });
    Posted(Some(private), post)
}

/// A collective on active data starts; `detail` is what is recorded of it.
pub fn started(private: Option<&'static Private>, detail: Option<[i64; 4]>) -> Posted {
    let Some(private) = private.filter(|private| is_watched(private)) else {
        return Posted::default();
    };
    let number = number(of_collectives(private));
    let post = log(private, Kind::Collective, |entry| {
        (entry.open, entry.recorded) = (true, detail.is_some());
        entry.detail = detail.unwrap_or([-1; 4]);
        entry.number = number;
    });
    Posted(Some(private), post)
}

/// A communicator ends by `call`: all members must take the same one.
pub fn freed(private: &'static Private, call: &'static str) {
    if is_watched(private) {
        let number = number(of_collectives(private));
        log(private, Kind::Free, |entry| (entry.call, entry.number) = (call, number));
    }
}

/// What a rank sends to others and receives from them in a collective.
#[derive(Debug, Default)]
pub struct Portions(BTreeMap<(Kind, c_int), usize>);

impl Portions {
    pub fn sends(&mut self, peer: c_int, n: usize) {
        *self.0.entry((Kind::Send, peer)).or_default() += n;
    }

    pub fn receives(&mut self, peer: c_int, n: usize) {
        *self.0.entry((Kind::Receive, peer)).or_default() += n;
    }
}

/// What is exchanged in a collective that was started as `posted`, or that some members have no part in.
pub fn exchanged(private: &'static Private, posted: Posted, portions: Portions) {
    if !is_watched(private) {
        return;
    }
    let mut of_call = None;
    posted.entry(|entry| of_call = Some(entry.number));
    for ((kind, peer), n) in portions.0 {
        let tag = if of_call.is_some() { SHARE } else { APART };
        let number = of_call.unwrap_or_else(|| number((private.index, kind, peer, tag)));
        log(private, kind, |entry| {
            (entry.peer, entry.tag, entry.n) = (peer, tag, n);
            (entry.number, entry.recorded) = (number, true);
        });
    }
}

impl Posted {
    #[inline]
    fn entry(self, f: impl FnOnce(&mut Entry)) {
        if let Some(post) = self.1.checked_sub(1) {
            Self::look_up(post, f);
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(post: u64, f: impl FnOnce(&mut Entry)) {
        tape::current(|tape| {
            let event = tape.event_count();
            let log = &mut tape.companion::<Traffic>().log;
            // A reset may have taken it away, or another tape is current.
            if let Some(at) = log.place_of(post) {
                let entries = &mut log.entries;
                let was_open = entries[at].open;
                f(&mut entries[at]);
                if was_open && !entries[at].open {
                    entries[at].done = Some(event);
                }
            }
        });
    }

    /// A message that a probe has matched is received.
    pub fn is_recorded(self, recorded: bool) {
        self.entry(|entry| entry.recorded = recorded);
    }

    /// The message has arrived.
    #[inline]
    pub fn received(self, peer: c_int, tag: c_int, n: usize) {
        if let Some(private) = self.0 {
            self.received_by(private, peer, tag, n);
        }
    }

    #[cold]
    fn received_by(self, private: &'static Private, peer: c_int, tag: c_int, n: usize) {
        let number = number((private.index, Kind::Receive, peer, tag));
        self.entry(|entry| {
            (entry.peer, entry.tag, entry.n, entry.open) = (peer, tag, n, false);
            entry.number = number;
        });
    }

    /// The collective is complete.
    pub fn completed(self) {
        self.entry(|entry| entry.open = false);
    }

    /// Nothing came of it.
    pub fn withdrawn(self) {
        self.entry(|entry| entry.void = true);
    }
}

/// What is compared on one communicator.
struct Group<'a> {
    private: &'static Private,
    entries: Vec<&'a Entry>,
    /// Calls from this event on are swept now, those below later.
    bottom: u32,
    /// The ranks that messages are compared with.
    peers: BTreeSet<c_int>,
    /// Whether all members are here, for their collectives.
    together: bool,
}

/// What is said of a finding: of several that which comes first, so that all ranks say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kin {
    /// Records do not fit.
    Difference,
    /// A rank was waited for in vain, which a difference may explain.
    Absence,
}

/// What comes of a comparison.
#[derive(Debug, Default)]
struct Conclusion {
    /// Says what does not fit.
    finding: Option<(Kin, String)>,
    /// What has to be compared again, since it was not complete: communicators' names and ranks, -1 for all members.
    again: BTreeSet<(i64, c_int)>,
    /// Whether a rank that has been heard of has seeded a value.
    seeded: bool,
    /// How many have been heard of, if any.
    ranks: usize,
}

impl Conclusion {
    fn keep(&mut self, kin: Kin, text: String) {
        let new = (kin, text);
        if self.finding.as_ref().is_none_or(|old| new < *old) {
            self.finding = Some(new);
        }
    }

    /// Having waited in vain is no reason to keep what was found from the others.
    fn note(&mut self, outcome: Result<()>) -> Result<()> {
        match outcome {
            Err(Error { code: Code::Mismatch, message }) => {
                self.keep(Kin::Absence, message);
                Ok(())
            }
            other => other,
        }
    }
}

/// Compares what the tape has on record from event `base` on, and has not compared yet, with those it
/// communicated with: by pairs what they sent each other, then among all members of a communicator the
/// collectives. What anybody has found everybody is told. Called where a sweep begins at the end of the tape: its
/// first part, down to event `bottom`, compares for those that follow.
pub fn compare(log: &mut Log, base: u32, bottom: u32, seeded: bool) -> Result<()> {
    let mut by_name: BTreeMap<i64, Vec<&Entry>> = BTreeMap::new();
    for entry in &log.entries {
        if entry.event >= base && !entry.void && !entry.compared {
            by_name.entry(entry.private.name()).or_default().push(entry);
        }
    }
    // All members know a communicator by one name, so they come to its comparison in one order.
    let mut groups: Vec<Group<'_>> = by_name
        .into_values()
        .map(|entries| {
            let (private, together) = (entries[0].private, false);
            Group { private, entries, bottom, peers: BTreeSet::new(), together }
        })
        .collect();
    let mut conclusion = Conclusion { seeded, ..Conclusion::default() };
    for group in &mut groups {
        let told = meet(group, &mut conclusion)?;
        let compared = compare_messages(group, &told, &mut conclusion);
        conclusion.note(compared)?;
    }
    for group in groups.iter().filter(|group| group.together) {
        let compared = compare_collectives(group, &mut conclusion);
        conclusion.note(compared)?;
    }
    let spread = spread(&groups, &mut conclusion);
    conclusion.note(spread)?;
    let Conclusion { finding, again, seeded, ranks } = conclusion;
    if let Some((_, text)) = finding {
        return Err(Error::new(Code::Mismatch, format!("ADMPI_CHECK: {text}")));
    }
    // Ranks without a seed may have had no part in the objective of others, but not all ranks there are.
    if !seeded && ranks > 1 && ranks == wide_int(Comm::world().size().map_err(failed)?) {
        let text = format!(
            "ADMPI_CHECK: reverse: none of the {ranks} ranks has seeded an active value (ADMPI_CHECK_ZEROS=0 allows it)"
        );
        return Err(Error::new(Code::Argument, text));
    }
    for entry in &mut log.entries {
        let later = entry.open || again.contains(&(entry.private.name(), entry.peer));
        entry.compared |= entry.event >= base && !later;
    }
    Ok(())
}

/// How long a rank waits for the others to come to the comparison.
fn patience() -> Duration {
    Duration::from_secs(options::check_seconds())
}

/// How long one that has nothing on record waits for questions.
fn grace() -> Duration {
    patience() / 60
}

/// Waits until `look` finds something, from a rank that has come: it may itself be waiting for one that has not.
/// `whom` says for which one, and why.
fn await_some<T>(
    mut look: impl FnMut() -> Result<Option<T>>,
    whom: impl FnOnce() -> String,
) -> Result<T> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if begun.elapsed() > 2 * patience() {
            return Err(Error::new(Code::Mismatch, in_vain(&whom())));
        }
        std::thread::yield_now();
    }
}

/// As `await_some` for an operation. One that does not end stays unfinished.
fn wait(operation: &mut Operation, whom: impl FnOnce() -> String) -> Result<()> {
    await_some(|| Ok(operation.test().map_err(failed)?.then_some(())), whom)
}

fn in_vain(whom: &str) -> String {
    format!(
        "{whom} within {} s (ADMPI_CHECK_SECONDS): all ranks that communicated must sweep, and have recorded; \
         MPI_DOUBLE on one end of a message and AMPI_ADOUBLE on the other leaves nothing on record at the first",
        patience().as_secs()
    )
}

/// The result of a collective of the comparison.
fn agreed(private: &Private, mut operation: Operation) -> Result<Staging> {
    match wait(&mut operation, || all_of(private)) {
        Ok(()) => Ok(operation.into_received()),
        Err(error) => {
            leave_to_mpi([operation].into_iter());
            Err(error)
        }
    }
}

/// What a rank waits for in vain in a comparison of collectives.
fn all_of(private: &Private) -> String {
    format!("a rank of a communicator of {} has not come to this sweep", private.size)
}

/// FNV-1a over 64-bit words.
fn hash(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        word.to_le_bytes()
            .iter()
            .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

const fn bits(n: i64) -> u64 {
    n.cast_unsigned()
}

/// The messages of one kind with one peer that have their place, in the order in which they match.
fn messages<'a>(entries: &[&'a Entry], kind: Kind, peer: c_int) -> Vec<(u64, &'a Entry)> {
    let mut found: Vec<&Entry> = entries
        .iter()
        .copied()
        .filter(|entry| entry.kind == kind && entry.peer == peer && !entry.open)
        .collect();
    found.sort_by_key(|entry| (entry.tag, entry.post));
    // Receives were numbered in the order of their completion.
    let mut numbers: Vec<(c_int, u64)> =
        found.iter().map(|entry| (entry.tag, entry.number)).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|(_, number)| number).zip(found).collect()
}

/// What must be alike at both ends of all messages.
fn hash_of_messages(entries: &[&Entry], kind: Kind, peer: c_int) -> u64 {
    let recorded = messages(entries, kind, peer).into_iter().filter(|(_, entry)| entry.recorded);
    hash(recorded.flat_map(|(number, entry)| [bits(entry.tag.into()), number, entry.n as u64]))
}

/// The collectives that others have too, and the ends of communicators.
fn collectives<'a>(entries: &[&'a Entry]) -> impl Iterator<Item = &'a Entry> {
    entries.iter().copied().filter(|entry| !entry.kind.is_message())
}

/// What all members must have alike.
fn hash_of_collectives(entries: &[&Entry]) -> u64 {
    let alike = collectives(entries).filter(|entry| entry.recorded || entry.kind == Kind::Free);
    hash(alike.flat_map(|entry| {
        let text = hash(entry.call.bytes().map(u64::from));
        let [a, b, c, d] = entry.detail.map(bits);
        [entry.number, u64::from(entry.open), text, a, b, c, d]
    }))
}

/// Messages of the comparison: the highest tag that every MPI has.
const TAG: c_int = 32767;
/// From a rank that has no question.
const NO_QUESTION: c_int = TAG - 1;

/// Words that begin a comparison of two ranks.
const SUMMARY: usize = 6;

/// What a rank tells a peer: all that it sent and received, how many records there are about it, the adjoints that have
/// travelled, and whether all members are to come.
fn summary(group: &Group<'_>, peer: c_int) -> [u64; SUMMARY] {
    let hash = |kind| hash_of_messages(&group.entries, kind, peer);
    let calls = group.entries.iter().filter(|entry| entry.open || entry.is_with(peer)).count();
    let [sent, taken] = travelled(group.private, peer);
    [hash(Kind::Send), hash(Kind::Receive), calls as u64, sent, taken, group.together.into()]
}

const STOPPED: &str = "a sweep was stopped where messages cross, and what is swept now would take its adjoints: sweep it on first, or call admpi_tape_abandon_sweep on all ranks";

/// A comparison with a peer: some words each way.
struct Exchange {
    peer: c_int,
    send: Operation,
    receive: Operation,
    complete: bool,
}

impl Exchange {
    /// Sends `words`, and receives `n`.
    fn begin(private: &Private, peer: c_int, words: &[u64], n: usize) -> Result<Self> {
        let comm = private.mirror().comm(tape::depth())?;
        let at = Envelope { peer: private.mirrored(peer), tag: TAG };
        let items = doubles(n).map_err(failed)?;
        let send = send(private, peer, TAG, words)?;
        let receive = Operation::receive(comm, Staging::take(n), &items, at).map_err(failed)?;
        Ok(Self { peer, send, receive, complete: false })
    }

    /// Tells whether it is complete.
    fn test(&mut self) -> Result<bool> {
        self.complete = self.complete
            || self.receive.test().map_err(failed)? && self.send.test().map_err(failed)?;
        Ok(self.complete)
    }

    /// Waits for a peer that has come. What it has sent.
    fn end(mut self, whom: impl FnOnce() -> String) -> Result<Vec<u64>> {
        match await_some(|| Ok(self.test()?.then_some(())), whom) {
            Ok(()) => Ok(words_of(self.receive.into_received().as_slice())),
            Err(error) => {
                self.give_up()?;
                Err(error)
            }
        }
    }

    /// A receive that stayed would take what a later comparison is told.
    fn give_up(self) -> Result<()> {
        leave_to_mpi([self.send].into_iter());
        self.receive.cancel().map_err(failed)
    }
}

fn send(private: &Private, peer: c_int, tag: c_int, words: &[u64]) -> Result<Operation> {
    let comm = private.mirror().comm(tape::depth())?;
    let items = doubles(words.len()).map_err(failed)?;
    let to = Envelope { peer: private.mirrored(peer), tag };
    Operation::send(comm, Payload::Own(staged(words)), &items, to).map_err(failed)
}

/// A message of the comparison from `peer`, if one has come.
fn come(private: &Private, peer: c_int, tag: c_int) -> Result<Option<Vec<u64>>> {
    let comm = private.mirror().comm(tape::depth())?;
    let from = Envelope { peer: private.mirrored(peer), tag };
    let Some(status) = message::probe(comm, from).map_err(failed)? else { return Ok(None) };
    let n = status.doubles().map_err(failed)?.unwrap_or(0);
    let (mut room, items) = (Staging::take(n), doubles(n).map_err(failed)?);
    message::receive(comm, room.as_mut_slice(), &items, from).map_err(failed)?;
    Ok(Some(words_of(room.as_slice())))
}

/// Whether a message of the comparison has come from `peer`.
fn has_come(private: &Private, peer: c_int) -> Result<bool> {
    let from = Envelope { peer: private.mirrored(peer), tag: TAG };
    let found = message::probe(private.mirror().comm(tape::depth())?, from).map_err(failed)?;
    Ok(found.is_some())
}

/// How many calls there were with a peer, on any tag: those sent to it, those received from it, and collectives.
fn calls_with(private: &Private, peer: c_int) -> [u64; 3] {
    let counts = lock(&COUNTS);
    let of = |kind| {
        let all = (private.index, kind, peer, c_int::MIN)..=(private.index, kind, peer, c_int::MAX);
        counts.range(all).map(|(_, count)| count).sum()
    };
    let collectives = counts.get(&of_collectives(private)).copied().unwrap_or(0);
    [of(Kind::Send), of(Kind::Receive), collectives]
}

fn tell_no_question(private: &Private, peer: c_int) -> Result<()> {
    leave_to_mpi([send(private, peer, NO_QUESTION, &calls_with(private, peer))?].into_iter());
    Ok(())
}

/// Whether `peer` has said that it has no question, and had made all the calls then that this rank knows of: it may
/// have said so in an earlier comparison. Whether an open receive or collective waits for a later one cannot be told.
fn has_no_question(group: &Group<'_>, peer: c_int) -> Result<bool> {
    let any = constants();
    let waits = |entry: &&Entry| {
        entry.open && (!entry.kind.is_message() || [peer, any.any_source].contains(&entry.peer))
    };
    let open = group.entries.iter().any(waits);
    let [sent, received, collectives] = calls_with(group.private, peer);
    while let Some(words) = come(group.private, peer, NO_QUESTION)? {
        let covers = words.iter().zip([received, sent, collectives]).all(|(&n, own)| n >= own);
        if covers && !open {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Exchanges summaries with all that this rank has something on record with, and with those that ask it.
fn meet(group: &mut Group<'_>, conclusion: &mut Conclusion) -> Result<Vec<(c_int, Vec<u64>)>> {
    let private = group.private;
    let entries = group.entries.clone();
    let all = || (0..private.size).collect::<BTreeSet<c_int>>();
    let of_collectives = |f: fn(&Entry) -> bool| {
        entries.iter().any(|entry| entry.kind == Kind::Collective && f(entry))
    };
    group.together = of_collectives(Entry::needs_partner);
    group.peers = if group.together {
        all()
    } else {
        let sure = |entry: &&&Entry| entry.kind.is_message() && entry.needs_partner();
        entries.iter().filter(sure).map(|entry| entry.peer).collect()
    };
    let doubtful = |peer: &c_int| {
        let known = |entry: &&Entry| entry.is_with(*peer);
        of_collectives(|_| true) || entries.iter().any(known)
    };
    let mut in_doubt: BTreeSet<c_int> = all();
    in_doubt.retain(|peer| *peer != private.rank && !group.peers.contains(peer) && doubtful(peer));
    for &peer in &in_doubt {
        tell_no_question(private, peer)?;
    }
    let mut exchanges = Vec::new();
    for &peer in &group.peers {
        exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
    }
    let begun = Instant::now();
    loop {
        for peer in in_doubt.clone() {
            if has_come(private, peer)? {
                in_doubt.remove(&peer);
                group.peers.insert(peer);
                exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
            } else if has_no_question(group, peer)? {
                in_doubt.remove(&peer);
            }
        }
        let (mut open, mut called) = (false, false);
        for exchange in &mut exchanges {
            if exchange.test()? {
                called |= exchange.receive.memory().1[SUMMARY - 1].to_bits() != 0;
            } else {
                open = true;
            }
        }
        if called && !group.together {
            group.together = true;
            in_doubt.clear();
            let others: Vec<c_int> = all().difference(&group.peers).copied().collect();
            for peer in others {
                group.peers.insert(peer);
                exchanges.push(Exchange::begin(private, peer, &summary(group, peer), SUMMARY)?);
            }
            continue;
        }
        let limit = if open { patience() } else { grace() };
        if (!open && in_doubt.is_empty()) || begun.elapsed() > limit {
            break;
        }
        std::thread::yield_now();
    }
    let mut told = Vec::new();
    for exchange in exchanges {
        let peer = exchange.peer;
        if exchange.complete {
            told.push((peer, words_of(exchange.receive.into_received().as_slice())));
        } else {
            conclusion.keep(Kin::Absence, in_vain(&missing(private, &entries, peer)));
            exchange.give_up()?;
            group.peers.remove(&peer);
            group.together = false;
        }
    }
    Ok(told)
}

/// What a rank waits for in vain in a comparison of messages. Others are told, so it names itself.
fn missing(private: &Private, entries: &[&Entry], peer: c_int) -> String {
    let first = entries.iter().find(|entry| entry.is_with(peer) && entry.needs_partner());
    let about = first.map_or_else(String::new, |entry| {
        let way = if entry.kind == Kind::Send { "to" } else { "from" };
        let call = name_of(entry);
        format!(", which has on record {call} {way} it{}", with_tag(entry.tag.into()))
    });
    format!("rank {peer} has not come to the comparison with rank {}{about},", private.rank)
}

/// Says which tag; the shares of a collective have none.
fn with_tag(tag: i64) -> String {
    if tag < 0 { String::new() } else { format!(" with tag {tag}") }
}

fn staged(words: &[u64]) -> Staging {
    let mut data = Staging::take(words.len());
    for (slot, &word) in data.as_mut_slice().iter_mut().zip(words) {
        *slot = f64::from_bits(word);
    }
    data
}

fn words_of(data: &[f64]) -> Vec<u64> {
    data.iter().map(|word| word.to_bits()).collect()
}

/// Where the summaries differ, the records travel. Both ends come to the same conclusion.
fn compare_messages(
    group: &Group<'_>,
    told: &[(c_int, Vec<u64>)],
    conclusion: &mut Conclusion,
) -> Result<()> {
    let private = group.private;
    let told: BTreeMap<c_int, &Vec<u64>> =
        told.iter().map(|(peer, words)| (*peer, words)).collect();
    for (&peer, theirs) in &told {
        let [sent, received, _, adjoints_sent, adjoints_taken, _] = summary(group, peer);
        let ways = [
            (private.rank, peer, adjoints_sent, theirs[4]),
            (peer, private.rank, theirs[3], adjoints_taken),
        ];
        for (from, to, sent, taken) in ways {
            if sent != taken {
                let text = format!(
                    "rank {from} has sent {sent} messages of adjoints to rank {to}, which has taken {taken}: {STOPPED}"
                );
                conclusion.keep(Kin::Difference, text);
            }
        }
        if theirs[0] == received && theirs[1] == sent {
            continue;
        }
        let words = encode_about(group, peer);
        let m = crate::count::wide(theirs[2]) * WORDS;
        let theirs = Exchange::begin(private, peer, &words, m)?;
        let theirs = theirs.end(|| missing(group.private, &group.entries, peer))?;
        let decoded =
            |words: &[u64]| -> Vec<Record> { words.chunks_exact(WORDS).map(decode).collect() };
        let (mine, theirs) = (decoded(&words), decoded(&theirs));
        let (low, high) = if private.rank < peer {
            ((private.rank, &mine), (peer, &theirs))
        } else {
            ((peer, &theirs), (private.rank, &mine))
        };
        for (sender, receiver) in [(low, high), (high, low)] {
            match message_difference(sender, receiver) {
                Found::Nothing => {}
                Found::Open => _ = conclusion.again.insert((private.name(), peer)),
                Found::Wrong(text) => conclusion.keep(Kin::Difference, text),
            }
        }
    }
    Ok(())
}

/// Tells this process from all others that may share a communicator with it.
fn identity() -> Result<u64> {
    static MOMENT: LazyLock<u64> = LazyLock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_secs() << 30 ^ u64::from(since.subsec_nanos())
    });
    let rank = Comm::world().rank().map_err(failed)?;
    Ok(hash([u64::from(std::process::id()), *MOMENT, bits(rank.into())]))
}

/// What a rank has heard of, as it travels: whether that is all there is, whether anybody has seeded, the finding, and
/// from whom.
fn news(conclusion: &Conclusion, known: &BTreeSet<u64>, all: bool) -> Vec<u64> {
    let (kin, text) = match &conclusion.finding {
        None => (0, ""),
        Some((kin, text)) => (1 + *kin as u64, text.as_str()),
    };
    let n = text.len().div_ceil(8);
    let mut words = vec![all.into(), conclusion.seeded.into(), kin, n as u64];
    words.extend(text_words(text, n));
    words.extend(known);
    words
}

/// Takes up another's `news`; tells whether that one had heard of all.
fn learn(news: &[u64], conclusion: &mut Conclusion, known: &mut BTreeSet<u64>) -> bool {
    let [all, seeded, kin, n, rest @ ..] = news else { return true };
    conclusion.seeded |= *seeded != 0;
    let (text, others) = rest.split_at(crate::count::wide(*n));
    match kin {
        0 => {}
        1 => conclusion.keep(Kin::Difference, words_text(text)),
        _ => conclusion.keep(Kin::Absence, words_text(text)),
    }
    known.extend(others);
    *all != 0
}

/// Lets everybody know what anybody has found that could wait for another in the sweep: step by step along the
/// pairs that have met, on all communicators, ranks tell each other what they have heard, and of whom. Who hears of
/// nobody new has heard of all, says so, and is done; so is who is told that by another, once it has passed it on.
fn spread(groups: &[Group<'_>], conclusion: &mut Conclusion) -> Result<()> {
    let pairs = |group: &'_ Group<'_>| -> Vec<c_int> {
        let others = group.peers.iter().copied();
        others.filter(|&peer| peer != group.private.rank).collect()
    };
    let mut edges: Vec<(&Group<'_>, c_int)> = groups
        .iter()
        .flat_map(|group| pairs(group).into_iter().map(move |peer| (group, peer)))
        .collect();
    let mut known = BTreeSet::from([identity()?]);
    let mut all = false;
    while !edges.is_empty() {
        let words = news(conclusion, &known, all);
        let tell = |&(group, peer): &(&Group<'_>, c_int)| send(group.private, peer, TAG, &words);
        let mut sends = edges.iter().map(tell).collect::<Result<Vec<_>>>()?;
        let before = known.len();
        let mut told = false;
        let mut hear = |(group, peer): (&Group<'_>, c_int)| -> Result<bool> {
            let whom = || missing(group.private, &group.entries, peer);
            let news = await_some(|| come(group.private, peer, TAG), whom)?;
            Ok(learn(&news, conclusion, &mut known))
        };
        let mut open = Vec::new();
        let mut heard = Ok(());
        for edge in edges {
            match hear(edge) {
                Ok(true) => told = true,
                Ok(false) => open.push(edge),
                Err(error) => {
                    heard = Err(error);
                    break;
                }
            }
        }
        let sent = heard.and_then(|()| {
            sends.iter_mut().try_for_each(|send| wait(send, || "a rank has not come".to_owned()))
        });
        if sent.is_err() || all {
            leave_to_mpi(sends.into_iter());
            conclusion.ranks = known.len();
            return sent;
        }
        all = told || known.len() == before;
        edges = open;
    }
    conclusion.ranks = known.len();
    Ok(())
}

fn compare_collectives(group: &Group<'_>, conclusion: &mut Conclusion) -> Result<()> {
    let private = group.private;
    let comm = private.mirror().comm(tape::depth())?;
    let ranks = private.ranks();
    let allgather = |words: &[u64]| -> Result<Vec<u64>> {
        let (n, room) = (words.len(), Staging::take(words.len() * ranks));
        let all =
            wire::allgather(comm, staged(words), room, Counts::Each(n), 1, Reach::All, How::Begin);
        Ok(words_of(agreed(private, all.map_err(failed)?)?.as_slice()))
    };
    let entries: Vec<&Entry> = collectives(&group.entries).collect();
    let [set_off, _] = travelled(private, TOGETHER);
    let told = allgather(&[hash_of_collectives(&entries), entries.len() as u64, set_off])?;
    // The mirror's ranks run the other way.
    let mut at = told.chunks_exact(3).rev().map(|theirs| theirs[2]).zip(0..);
    if let Some((first, _)) = at.next()
        && let Some((other, rank)) = at.find(|&(other, _)| other != first)
    {
        let text = format!(
            "the adjoints of {first} collectives have set off on rank 0, and of {other} on rank {rank}: {STOPPED}"
        );
        conclusion.keep(Kin::Difference, text);
    }
    if told.chunks_exact(3).any(|theirs| theirs[0] != told[0]) {
        let most = told.chunks_exact(3).map(|theirs| theirs[1]).max().unwrap_or(0);
        let mut words: Vec<u64> =
            entries.iter().flat_map(|entry| encode(entry, entry.number, group.bottom)).collect();
        words.resize(crate::count::wide(most) * WORDS, u64::MAX);
        let all = allgather(&words)?;
        let mut records: Vec<Vec<Record>> = all
            .chunks_exact(words.len())
            .map(|words| {
                let used = words.chunks_exact(WORDS).take_while(|words| words[0] != u64::MAX);
                used.map(decode).collect()
            })
            .collect();
        records.reverse();
        match collective_difference(&records) {
            Found::Nothing => {}
            Found::Open => _ = conclusion.again.insert((private.name(), -1)),
            Found::Wrong(text) => conclusion.keep(Kin::Difference, text),
        }
    }
    Ok(())
}

/// What travels of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    kind: Kind,
    recorded: bool,
    open: bool,
    /// Swept by a later part.
    below: bool,
    peer: i64,
    tag: i64,
    n: u64,
    detail: [i64; 4],
    /// How many calls there were on its channel before it, and after it.
    number: [u64; 2],
    call: String,
    place: String,
}

const CALL_WORDS: usize = 5;
const PLACE_WORDS: usize = 8;
const WORDS: usize = TEXTS + CALL_WORDS + PLACE_WORDS;
/// Where the texts begin.
const TEXTS: usize = 10;

fn text_words(text: &str, n: usize) -> Vec<u64> {
    // The end of a path tells more than its beginning.
    let bytes = &text.as_bytes()[text.len().saturating_sub(8 * n)..];
    let mut words = vec![0; n];
    for (i, &byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    words
}

fn words_text(words: &[u64]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).filter(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All that concerns messages with a peer.
fn encode_about(group: &Group<'_>, peer: c_int) -> Vec<u64> {
    let entries = &group.entries;
    let complete = [Kind::Send, Kind::Receive]
        .into_iter()
        .flat_map(|kind| messages(entries, kind, peer))
        .flat_map(|(number, entry)| encode(entry, number, group.bottom));
    let open = entries.iter().filter(|entry| entry.open);
    complete.chain(open.flat_map(|entry| encode(entry, 0, group.bottom))).collect()
}

fn encode(entry: &Entry, number: u64, bottom: u32) -> Vec<u64> {
    let flags = entry.kind as u64
        | u64::from(entry.recorded) << 8
        | u64::from(entry.open) << 9
        | u64::from(entry.event < bottom) << 10;
    let [a, b, c, d] = entry.detail.map(bits);
    let count = lock(&COUNTS).get(&entry.channel()).copied().unwrap_or(0);
    let mut words = vec![
        flags,
        bits(entry.peer.into()),
        bits(entry.tag.into()),
        entry.n as u64,
        number,
        count.saturating_sub(number + 1),
        a,
        b,
        c,
        d,
    ];
    words.extend(text_words(entry.call, CALL_WORDS));
    words.extend(text_words(&place_of(entry), PLACE_WORDS));
    words
}

fn text_of(site: Site) -> String {
    format!("{}:{}", site.file.to_string_lossy(), site.line)
}

fn place_of(entry: &Entry) -> String {
    entry.site.map_or_else(String::new, text_of)
}

/// Where the call stands that has begun last, for an error of it.
pub fn place() -> String {
    CALL.get().1.map_or_else(String::new, |site| format!(" ({})", text_of(site)))
}

fn decode(words: &[u64]) -> Record {
    let kind = match words[0] & 0xff {
        0 => Kind::Send,
        1 => Kind::Receive,
        2 => Kind::Collective,
        _ => Kind::Free,
    };
    let signed = |word: u64| word.cast_signed();
    let flag = |bit: u32| words[0] >> bit & 1 != 0;
    Record {
        kind,
        recorded: flag(8),
        open: flag(9),
        below: flag(10),
        peer: signed(words[1]),
        tag: signed(words[2]),
        n: words[3],
        number: [words[4], words[5]],
        detail: std::array::from_fn(|i| signed(words[6 + i])),
        call: words_text(&words[TEXTS..TEXTS + CALL_WORDS]),
        place: words_text(&words[TEXTS + CALL_WORDS..]),
    }
}

/// The call and where it stands.
fn name(call: &str, place: &str) -> String {
    if place.is_empty() { call.to_owned() } else { format!("{call} ({place})") }
}

fn name_of(entry: &Entry) -> String {
    name(entry.call, &place_of(entry))
}

impl Record {
    fn name(&self) -> String {
        name(&self.call, &self.place)
    }
}

/// What a comparison of records says.
enum Found {
    Nothing,
    /// What is missing may still come: it is not needed in this part of the sweep.
    Open,
    Wrong(String),
}

/// Tries both ways of counting: ranks that turned checking on at different places, or of which one was handed
/// passive data by a call that nobody recorded, agree in the number of calls that came after.
fn either_way(compare: impl Fn(usize) -> Found) -> Found {
    match compare(0) {
        Found::Wrong(text) => match compare(1) {
            Found::Wrong(_) => Found::Wrong(text),
            found => found,
        },
        found => found,
    }
}

/// Says where the ranks first disagree; the same text on every rank.
fn collective_difference(all: &[Vec<Record>]) -> Found {
    either_way(|way| {
        let numbers: BTreeSet<u64> =
            all.iter().flatten().map(|record| record.number[way]).collect();
        let mut open = false;
        // In the order of the run.
        let ascending: Vec<u64> = if way == 0 {
            numbers.into_iter().collect()
        } else {
            numbers.into_iter().rev().collect()
        };
        for (i, &number) in ascending.iter().enumerate() {
            let at = |records: &'_ Vec<Record>| -> Option<Record> {
                records.iter().find(|record| record.number[way] == number).cloned()
            };
            let row: Vec<Option<Record>> = all.iter().map(at).collect();
            match row_difference(&row) {
                Found::Nothing => {}
                Found::Open => open = true,
                Found::Wrong(text) => {
                    return Found::Wrong(format!("collective number {}: {text}", i + 1));
                }
            }
        }
        if open { Found::Open } else { Found::Nothing }
    })
}

/// Compares one collective of all members.
fn row_difference(row: &[Option<Record>]) -> Found {
    let find = |f: fn(&Record) -> bool| {
        row.iter().enumerate().find_map(|(rank, record)| {
            record.as_ref().filter(|record| f(record)).map(|record| (rank, record))
        })
    };
    let Some((first, one)) = find(|record| record.recorded && !record.open) else {
        let Some((first, one)) = find(|record| record.kind == Kind::Free) else {
            return Found::Nothing;
        };
        let others =
            row.iter().enumerate().filter_map(|(rank, other)| Some((rank, other.as_ref()?)));
        for (rank, other) in others {
            if other.call != one.call {
                return Found::Wrong(different_calls("call", (first, one), (rank, other)));
            }
        }
        return Found::Nothing;
    };
    let needed =
        row.iter().flatten().any(|record| record.recorded && !record.open && !record.below);
    let mut open = false;
    for (rank, other) in row.iter().enumerate() {
        let Some(other) = other else {
            return Found::Wrong(format!(
                "rank {first} has {} on record and rank {rank} nothing: it passed passive data, or called before its tape was made or reset",
                one.name()
            ));
        };
        let what = if other.call != one.call {
            "call"
        } else if !other.recorded {
            return Found::Wrong(format!(
                "rank {first} recorded {}, and the tape of rank {rank} did not record in {}: recording must be on or off on all members",
                one.name(),
                other.name()
            ));
        } else if other.detail[0] != one.detail[0] {
            "root"
        } else if other.detail[1] != one.detail[1] {
            "operation"
        } else if other.detail[2] != one.detail[2] {
            "count"
        } else if other.detail[3] != one.detail[3] {
            let (with, without) = if one.detail[3] > 0 { (first, rank) } else { (rank, first) };
            return Found::Wrong(format!(
                "{} was recorded with ADMPI_POLLING on rank {with} and without on rank {without}: all ranks must set it alike",
                one.name()
            ));
        } else if other.open && needed {
            return Found::Wrong(format!(
                "rank {rank} has not completed {}, and that of rank {first} waits for it",
                other.name()
            ));
        } else {
            open |= other.open;
            continue;
        };
        return Found::Wrong(different_calls(what, (first, one), (rank, other)));
    }
    if open { Found::Open } else { Found::Nothing }
}

fn different_calls(
    what: &str,
    (first, one): (usize, &Record),
    (rank, other): (usize, &Record),
) -> String {
    let mut text = format!(
        "the {what} differs: rank {first} calls {}, rank {rank} calls {}",
        one.name(),
        other.name()
    );
    if let Some(at) = ["root", "operation", "count"].iter().position(|&name| name == what) {
        let value = |record: &Record| {
            if what == "operation" {
                operation_name(record.detail[1]).into()
            } else {
                record.detail[at].to_string()
            }
        };
        // Writing to a string does not fail.
        let _ = write!(text, " ({} and {})", value(one), value(other));
    }
    text
}

fn operation_name(number: i64) -> &'static str {
    super::operator::NAMES
        .get(usize::try_from(number).unwrap_or(usize::MAX))
        .copied()
        .unwrap_or("another one")
}

/// Compares what `sender` has sent with what `receiver` has received.
fn message_difference(
    (sender, of_sender): (c_int, &Vec<Record>),
    (receiver, of_receiver): (c_int, &Vec<Record>),
) -> Found {
    let of = |records: &[Record], kind, peer: c_int| -> Vec<Record> {
        let there = |record: &&Record| {
            record.kind == kind && record.peer == i64::from(peer) && !record.open
        };
        records.iter().filter(there).cloned().collect()
    };
    let sent = of(of_sender, Kind::Send, receiver);
    let received = of(of_receiver, Kind::Receive, sender);
    let tags: BTreeSet<i64> = sent.iter().chain(&received).map(|record| record.tag).collect();
    let mut open = false;
    for tag in tags {
        let with_tag = |records: &[Record]| -> Vec<Record> {
            records.iter().filter(|record| record.tag == tag).cloned().collect()
        };
        let channel = ChannelOf {
            ends: (sender, receiver),
            tag,
            sent: with_tag(&sent),
            received: with_tag(&received),
            open: of_receiver.iter().filter(|record| may_match(record, sender, tag)).collect(),
        };
        match channel.difference() {
            Found::Nothing => {}
            Found::Open => open = true,
            wrong @ Found::Wrong(_) => return wrong,
        }
    }
    if open { Found::Open } else { Found::Nothing }
}

/// Whether an open receive may yet bring a message of `sender` with `tag`.
fn may_match(record: &Record, sender: c_int, tag: i64) -> bool {
    let any = constants();
    record.open
        && record.recorded
        && record.kind == Kind::Receive
        && [sender.into(), i64::from(any.any_source)].contains(&record.peer)
        && [tag, any.any_tag.into()].contains(&record.tag)
}

/// The messages of one tag from one rank to another.
struct ChannelOf<'a> {
    ends: (c_int, c_int),
    tag: i64,
    sent: Vec<Record>,
    received: Vec<Record>,
    open: Vec<&'a Record>,
}

impl ChannelOf<'_> {
    fn difference(&self) -> Found {
        let recorded = |records: &[Record]| records.iter().filter(|record| record.recorded).count();
        let (out, back) = (recorded(&self.sent), recorded(&self.received));
        let later = self.sent.iter().filter(|record| record.recorded && record.below).count();
        // Which ones an open receive stands for cannot be told.
        if !self.open.is_empty() && back < out && out - back <= self.open.len().min(later) {
            return Found::Open;
        }
        either_way(|way| self.compare(way))
    }

    fn compare(&self, way: usize) -> Found {
        let (sender, receiver) = self.ends;
        let numbered = |records: &[Record]| -> BTreeMap<u64, Record> {
            records.iter().map(|record| (record.number[way], record.clone())).collect()
        };
        let (out, back) = (numbered(&self.sent), numbered(&self.received));
        let numbers: BTreeSet<u64> = out.keys().chain(back.keys()).copied().collect();
        let ascending: Vec<u64> = if way == 0 {
            numbers.into_iter().collect()
        } else {
            numbers.into_iter().rev().collect()
        };
        // What is passive on one end has no number there: the messages behind it are taken for one another.
        let odd = if out.len() == back.len() {
            String::new()
        } else {
            format!(
                "; rank {sender} has {} active sends there and rank {receiver} {} active receives: an earlier one may be \
                 the one that lacks its partner",
                out.len(),
                back.len()
            )
        };
        for (i, number) in ascending.iter().enumerate() {
            let tag = with_tag(self.tag);
            let which =
                format!("message number {} from rank {sender} to rank {receiver}{tag}", i + 1);
            match (out.get(number), back.get(number)) {
                (Some(send), Some(receive)) if send.recorded != receive.recorded => {
                    let state =
                        |record: &Record| if record.recorded { "recorded" } else { "not recorded" };
                    return Found::Wrong(format!(
                        "{which}: {} was {} by rank {sender}, and {} {} by rank {receiver}: recording must be on or off on both ends",
                        send.name(),
                        state(send),
                        receive.name(),
                        state(receive)
                    ));
                }
                (Some(send), Some(receive)) if send.recorded && send.n != receive.n => {
                    return Found::Wrong(format!(
                        "{which}: {} sent {} active doubles, and {} received {}{odd}",
                        send.name(),
                        send.n,
                        receive.name(),
                        receive.n
                    ));
                }
                // That a member has not recorded a collective shows when these are compared.
                _ if self.tag == i64::from(SHARE) => {}
                (Some(send), None) if send.recorded => {
                    let mut text = format!(
                        "{which}: {} has no active receive on rank {receiver}: its data is passive there, it was received before the recording or by a plain MPI call, or the receive is not complete{odd}",
                        send.name()
                    );
                    for record in self.open.iter().take(3) {
                        let _ = write!(text, "; still open there: {}", record.name());
                    }
                    return Found::Wrong(text);
                }
                (None, Some(receive)) if receive.recorded => {
                    return Found::Wrong(format!(
                        "{which}: {} has no active send on rank {sender}: its data is passive there, or it was sent before the recording or by a plain MPI call{odd}",
                        receive.name()
                    ));
                }
                _ => {}
            }
        }
        Found::Nothing
    }
}
