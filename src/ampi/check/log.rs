//! The log of a tape: its calls on active data, with their numbers and their places in the program.

use super::site;
use crate::ampi::{AdjointComm, lock};
use crate::count::wide;
use crate::mpi::message::Envelope;
use crate::mpi::site::Site;
use crate::tape;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Send,
    Receive,
    Collective,
    /// The end of a communicator: in one order with its collectives.
    Free,
}

impl Kind {
    pub const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Receive)
    }
}

/// The tag of what two ranks exchange in a collective whose counts differ from rank to rank.
pub const SHARE: c_int = -2;
/// As `SHARE` in a call that some members cannot know to be active: they have no part in it.
const APART: c_int = -3;

/// A call on record, or one that was not recorded though its data was active.
#[derive(Debug, Clone)]
pub struct Entry {
    pub kind: Kind,
    pub recorded: bool,
    /// Posted, but not complete.
    pub open: bool,
    /// Nothing came of it.
    pub void: bool,
    /// A sweep has compared it.
    pub compared: bool,
    pub private: &'static AdjointComm,
    pub call: &'static str,
    pub site: Option<Site>,
    /// Of an open receive those that were asked for.
    pub peer: c_int,
    pub tag: c_int,
    pub n: usize,
    /// What all members of a collective must have alike: root, operation, count; -1 where it may differ.
    pub detail: [i64; 4],
    /// The order in which the calls were started.
    pub post: u64,
    /// How many there were before on the channel or communicator. Receives are numbered as they complete.
    pub number: u64,
    pub event: u32,
    /// The event of its completion, where that is another.
    pub done: Option<u32>,
}

impl Entry {
    /// How many calls there have been where this one is numbered.
    pub fn count(&self) -> u64 {
        lock(&COUNTS).get(&self.channel()).copied().unwrap_or(0)
    }

    fn channel(&self) -> Channel {
        if self.kind.is_message() && self.tag != SHARE {
            (self.private.index, self.kind, self.peer, self.tag)
        } else {
            of_collectives(self.private)
        }
    }

    /// It is complete and on record: others must have it too.
    pub const fn needs_partner(&self) -> bool {
        self.recorded && !self.open
    }

    /// Whether it concerns messages with `peer`.
    pub fn is_with(&self, peer: c_int) -> bool {
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
const fn of_collectives(private: &AdjointComm) -> Channel {
    (private.index, Kind::Collective, -1, 0)
}

/// What a tape's calls were, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Log {
    pub(super) entries: Vec<Entry>,
}

/// Whether calls on `private` are looked at. Messages on a mirror are the library's own.
fn is_watched(private: &AdjointComm) -> bool {
    tape::checking() && private.size > 1 && !private.is_mirror() && !private.is_inter()
}

/// Adds a call to the log of the calling thread's tape, if there is one. Returns one more than its post.
fn log(private: &'static AdjointComm, kind: Kind, fill: impl FnOnce(&mut Entry)) -> u64 {
    static POSTS: AtomicU64 = AtomicU64::new(0);
    let (call, site) = site::last();
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
        tape.companion::<Log>().entries.push(entry);
    });
    post + 1
}

impl Log {
    /// Where the call with this post is. Mostly this tape has had all calls since its first one.
    fn place_of(&self, post: u64) -> Option<usize> {
        let is_at = |at: &usize| self.entries.get(*at).is_some_and(|entry| entry.post == post);
        let first = self.entries.first()?.post;
        let near = post.checked_sub(first).map(wide).filter(is_at);
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
pub fn sent(private: &'static AdjointComm, peer: c_int, tag: c_int, n: usize, recorded: bool) {
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
pub struct Posted(Option<&'static AdjointComm>, u64);

/// An active receive is posted.
pub fn posted(private: &'static AdjointComm, from: Envelope, recorded: bool) -> Posted {
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
pub fn started(private: Option<&'static AdjointComm>, detail: Option<[i64; 4]>) -> Posted {
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
pub fn freed(private: &'static AdjointComm, call: &'static str) {
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
pub fn exchanged(private: &'static AdjointComm, posted: Posted, portions: Portions) {
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
            let log = tape.companion::<Log>();
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
    fn received_by(self, private: &'static AdjointComm, peer: c_int, tag: c_int, n: usize) {
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

/// The messages of one kind with one peer that have their place, in the order in which they match.
pub fn messages<'a>(entries: &[&'a Entry], kind: Kind, peer: c_int) -> Vec<(u64, &'a Entry)> {
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

/// The collectives that others have too, and the ends of communicators.
pub fn collectives<'a>(entries: &[&'a Entry]) -> impl Iterator<Item = &'a Entry> {
    entries.iter().copied().filter(|entry| !entry.kind.is_message())
}

/// How many calls there were with a peer, on any tag: those sent to it, those received from it, and collectives.
pub fn calls_with(private: &AdjointComm, peer: c_int) -> [u64; 3] {
    let counts = lock(&COUNTS);
    let of = |kind| {
        let all = (private.index, kind, peer, c_int::MIN)..=(private.index, kind, peer, c_int::MAX);
        counts.range(all).map(|(_, count)| count).sum()
    };
    let collectives = counts.get(&of_collectives(private)).copied().unwrap_or(0);
    [of(Kind::Send), of(Kind::Receive), collectives]
}
