//! What has been noted so far.

use crate::clock;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ON: AtomicBool = AtomicBool::new(false);

/// Whether anything is to be noted.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// What a span of time was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A call of MPI.
    Call,
    /// A region of the program, recorded.
    Region,
    /// The part of a sweep that passes what was recorded in a region.
    RegionSwept,
    Sweep,
    /// The adjoint of a message leaves.
    AdjointSent,
    /// The adjoint of a message, or of a collective, is waited for.
    AdjointAwaited,
    /// An operation whose reverse function runs code of the user's.
    UserCode,
    /// An action of a time loop.
    Loop,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Call,
        Self::Region,
        Self::RegionSwept,
        Self::Sweep,
        Self::AdjointSent,
        Self::AdjointAwaited,
        Self::UserCode,
        Self::Loop,
    ];
    pub const N: usize = Self::ALL.len();

    /// Its place in `ALL`.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// The other end of a message, or -1, its tag, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub peer: i32,
    pub tag: i32,
    pub bytes: u64,
}

impl Link {
    pub const NONE: Self = Self { peer: -1, tag: -1, bytes: 0 };
}

/// Times are those of `clock::now`.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub begin: u64,
    pub end: u64,
    pub name: u32,
    pub kind: Kind,
    pub thread: u16,
    pub link: Link,
}

/// Where a message goes, as seen from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Out,
    In,
}

/// A message on record. Both ends give it one number: its place among those of one communicator, peer and tag.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// The number that all members know the communicator by.
    pub comm: i64,
    /// This rank there.
    pub own: i32,
    pub peer: i32,
    pub tag: i32,
    pub way: Way,
    /// Ascending in the order in which receives were posted; of sends, in which they are noted.
    pub order: u64,
}

/// What an event has that is no message.
pub const NO_MESSAGE: u32 = u32::MAX;

/// A span in which a message is sent or received, or its adjoint.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    pub span: u32,
    pub message: u32,
    pub adjoint: bool,
}

/// All that was noted.
pub struct Noted {
    pub names: Vec<String>,
    pub spans: Vec<Span>,
    pub messages: Vec<Message>,
    pub hops: Vec<Hop>,
    /// Spans that came after the limit.
    pub dropped: u64,
    /// When the trace began.
    pub began: u64,
}

struct Store {
    noted: Noted,
    numbers: HashMap<String, u32>,
    /// The names noted last, by where their texts lie: most are literals.
    recent: [(usize, u32); RECENT],
}

const RECENT: usize = 64;
/// Spans of a process at most: 40 bytes each.
const MOST_SPANS: usize = 1 << 24;

static STORE: Mutex<Option<Store>> = Mutex::new(None);

fn store() -> MutexGuard<'static, Option<Store>> {
    STORE.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static THREAD: Cell<u16> = const { Cell::new(u16::MAX) };
}

/// Begins to note, if it has not begun.
pub fn start() {
    let mut store = store();
    if store.is_some() {
        return;
    }
    *store = Some(Store {
        noted: Noted {
            names: Vec::new(),
            spans: Vec::new(),
            messages: Vec::new(),
            hops: Vec::new(),
            dropped: 0,
            began: clock::now(),
        },
        numbers: HashMap::new(),
        recent: [(0, 0); RECENT],
    });
    ON.store(true, Ordering::Relaxed);
}

/// Ends it, and hands over what was noted.
pub fn take() -> Option<Noted> {
    ON.store(false, Ordering::Relaxed);
    store().take().map(|store| store.noted)
}

/// A number for the calling thread.
fn thread() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if THREAD.get() == u16::MAX {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        THREAD.set(u16::try_from(next).unwrap_or(u16::MAX - 1));
    }
    THREAD.get()
}

impl Store {
    fn number(&mut self, name: &str) -> u32 {
        let place = name.as_ptr().addr();
        let recent = (place >> 3) % RECENT;
        let (known, number) = self.recent[recent];
        // Another text may lie there by now.
        if known == place
            && self.noted.names.get(crate::count::wide32(number)).is_some_and(|text| text == name)
        {
            return number;
        }
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = u32::try_from(self.noted.names.len()).unwrap_or(u32::MAX);
            self.noted.names.push(name.to_owned());
            self.numbers.insert(name.to_owned(), number);
            number
        });
        self.recent[recent] = (place, number);
        number
    }
}

impl Store {
    fn add(&mut self, kind: Kind, name: &str, (begin, end): (u64, u64), link: Link) -> Option<u32> {
        if self.noted.spans.len() >= MOST_SPANS {
            self.noted.dropped += 1;
            return None;
        }
        let name = self.number(name);
        // What was under way when the trace began is shown from then on.
        let begin = begin.max(self.noted.began);
        let number = u32::try_from(self.noted.spans.len()).ok();
        self.noted.spans.push(Span { begin, end, name, kind, thread: thread(), link });
        number
    }
}

/// Notes a span that began at `begin` and ends at `end`. Its number.
pub fn add_span(kind: Kind, name: &str, begin: u64, end: u64, link: Link) -> Option<u32> {
    store().as_mut()?.add(kind, name, (begin, end), link)
}

/// Notes a call, and the messages that it has put on record; `named` is told the number of each, with what comes beside it.
pub fn add_call<T>(
    name: &str,
    times: (u64, u64),
    link: Link,
    messages: impl Iterator<Item = (T, Message)>,
    mut named: impl FnMut(T, u32),
) {
    let mut store = store();
    let Some(store) = store.as_mut() else { return };
    let Some(span) = store.add(Kind::Call, name, times, link) else { return };
    for (beside, mut message) in messages {
        let number = u32::try_from(store.noted.messages.len()).unwrap_or(NO_MESSAGE);
        if message.way == Way::Out {
            message.order = number.into();
        }
        store.noted.messages.push(message);
        store.noted.hops.push(Hop { span, message: number, adjoint: false });
        named(beside, number);
    }
}

/// Notes that the adjoint of a message is sent, or received, in `span`.
pub fn hop(span: Option<u32>, message: u32) {
    if message == NO_MESSAGE {
        return;
    }
    let mut store = store();
    if let (Some(store), Some(span)) = (store.as_mut(), span) {
        store.noted.hops.push(Hop { span, message, adjoint: true });
    }
}
