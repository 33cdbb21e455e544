//! What a trace sees of a tape: the messages that calls put on record, and the time that their adjoints take.
#![forbid(unsafe_code)]

use super::Tape;
use super::companions::Companion;
use super::position::Position;
use super::sweep::Sweep;
use crate::clock;
use crate::error::Result;
use crate::trace::{self, Kind, Link, Message, NO_MESSAGE, Way};

/// What an event tells a trace.
#[derive(Debug, Clone, Copy)]
pub enum Seen {
    /// A message of `n` values, whose adjoint takes its way back.
    Message { message: Message, n: usize },
    /// Its adjoints travel otherwise; `waits` if its reverse function waits for other ranks.
    Exchange { waits: bool },
    /// Its reverse function runs code of the user's.
    UserCode,
}

impl Seen {
    fn link(&self, width: usize) -> Link {
        match self {
            Self::Message { message: Message { peer, tag, .. }, n } => {
                Link { peer: *peer, tag: *tag, bytes: 8 * (n * width) as u64 }
            }
            _ => Link::NONE,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Message { message: Message { way: Way::Out, .. }, .. } => Kind::AdjointAwaited,
            Self::Message { .. } | Self::Exchange { waits: false } => Kind::AdjointSent,
            Self::Exchange { waits: true } => Kind::AdjointAwaited,
            Self::UserCode => Kind::UserCode,
        }
    }
}

/// The messages on a tape: their events, ascending, and their numbers in the trace.
#[derive(Default)]
struct Messages(Vec<(u32, u32)>);

impl Companion for Messages {
    fn forget(&mut self, position: &Position) {
        self.0.truncate(self.0.partition_point(|&(event, _)| event < position.event));
    }
}

/// How far a tape has been recorded when a call begins.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    serial: u64,
    event: u32,
}

impl Tape {
    pub fn trace_mark(&self) -> Mark {
        Mark { serial: self.serial(), event: self.events }
    }

    fn seen(&self, event: u32) -> Option<Seen> {
        let header = self.header(event);
        (header.ops.seen)(self.payload_at(header.payload))
    }

    /// Notes a call, which has taken from `begin` to `end`, with the messages that it put on record since `mark`. What it
    /// recorded tells more than `link`, its arguments.
    pub fn trace_call(&mut self, call: &str, mark: Mark, times: (u64, u64), link: Link) {
        let first = if mark.serial == self.serial() { mark.event } else { self.events };
        // They are moved out of the tape meanwhile, which is read.
        let mut found = std::mem::take(&mut self.companion::<Messages>().0);
        let messages = || {
            (first..self.events).filter_map(|event| match self.seen(event) {
                Some(Seen::Message { message, n }) => Some((event, message, n)),
                _ => None,
            })
        };
        let last = messages().last();
        let link = last.map_or(link, |(_, message, n)| Seen::Message { message, n }.link(1));
        let messages = messages().map(|(event, message, _)| (event, message));
        trace::add_call(call, times, link, messages, |event, number| found.push((event, number)));
        self.companion::<Messages>().0 = found;
    }
}

impl Sweep<'_> {
    /// Notes how long the event takes, if it tells anything.
    pub(super) fn run_traced_event(
        &mut self,
        event: u32,
        reverse: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some(seen) = self.tape().seen(event) else { return reverse(self) };
        let begin = clock::now();
        let done = reverse(self);
        let (name, link) = (self.tape().header(event).ops.name, seen.link(self.width()));
        let span = trace::add_span(seen.kind(), name, begin, clock::now(), link);
        let messages = &self.companion::<Messages>().0;
        let number = messages
            .binary_search_by_key(&event, |&(event, _)| event)
            .map_or(NO_MESSAGE, |at| messages[at].1);
        trace::hop(span, number);
        done
    }
}
