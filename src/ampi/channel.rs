//! The order of messages on a channel: private communicator, peer, tag.
//!
//! Both ends of a channel follow the descending order in which the forward run posted. The sender's sweep
//! meets its sends in that order by itself. The receiver's meets its *completions*, whose order may be
//! another: an adjoint is held back while one posted later on its channel is completed at a lower place of
//! the tape. That place is found when a receive completes, since everything posted later and completed
//! earlier is known then; in a program that completes in order there is nothing to keep.

use super::hash::Table;
use crate::count::wide;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;

/// No event has to be passed first.
pub const AT_ONCE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The private communicator's place in the registry.
    pub private: usize,
    pub peer: c_int,
    pub tag: c_int,
}

/// The active receives of one private communicator that are posted and not complete: a bit for each from the
/// oldest such on.
#[derive(Debug, Default)]
pub struct Window {
    /// The posts from `base` on; not 0 unless no receive is open.
    near: u64,
    /// Those behind, 64 a word.
    far: VecDeque<u64>,
    base: u64,
    /// The next post.
    next: u64,
    /// Whether completions were remembered since it was last quiet.
    remembered: bool,
}

/// What the completion of a receive has to know.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// An older one is still open.
    pub older: bool,
    /// Completions of later ones may have been remembered.
    pub remembered: bool,
    /// It was the last of those for whom they were.
    pub settled: bool,
}

impl Closed {
    /// Whether it need not be remembered, and nothing is.
    #[inline]
    pub const fn is_in_order(self) -> bool {
        !self.older && !self.remembered
    }
}

impl Window {
    /// Numbers a receive that is being posted.
    #[inline]
    pub fn post(&mut self) -> u64 {
        let post = self.next;
        self.next += 1;
        if self.is_quiet() {
            self.base = post;
        }
        let bit = 1 << ((post - self.base) & 63);
        match wide((post - self.base) / 64) {
            0 => self.near |= bit,
            word => self.post_far(word, bit),
        }
        post
    }

    #[inline(never)]
    fn post_far(&mut self, word: usize, bit: u64) {
        if self.far.len() < word {
            self.far.push_back(0);
        }
        self.far[word - 1] |= bit;
    }

    /// A receive is complete, or is not going to be.
    #[inline]
    pub fn close(&mut self, post: u64) -> Closed {
        let older = self.take_out(post);
        let remembered = self.remembered;
        let settled = remembered && self.is_quiet();
        self.remembered &= !settled;
        Closed { older, remembered, settled }
    }

    /// Tells whether an older one is still open.
    #[inline]
    fn take_out(&mut self, post: u64) -> bool {
        let bit = 1 << ((post - self.base) & 63);
        let word = wide((post - self.base) / 64);
        if word > 0 {
            // The oldest open one is among the near.
            self.far[word - 1] &= !bit;
            return true;
        }
        self.near &= !bit;
        let older = self.near & (bit - 1) != 0;
        if self.near == 0 && !self.far.is_empty() {
            self.move_up();
        }
        older
    }

    #[inline(never)]
    fn move_up(&mut self) {
        while self.near == 0
            && let Some(next) = self.far.pop_front()
        {
            self.near = next;
            self.base += 64;
        }
    }

    /// Whether none is open.
    pub const fn is_quiet(&self) -> bool {
        self.near == 0
    }

    /// How many are open.
    pub fn open(&self) -> u64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        ones(&self.near) + self.far.iter().map(ones).sum::<u64>()
    }

    /// Whether one is open whose post lies in `from..to`.
    pub fn any_in(&self, from: u64, to: u64) -> bool {
        let from = from.max(self.base);
        if from >= to {
            return false;
        }
        let (first, last) = (wide((from - self.base) / 64), wide((to - 1 - self.base) / 64));
        (first..=last.min(self.far.len())).any(|word| {
            let mut bits = if word == 0 { self.near } else { self.far[word - 1] };
            if word == first {
                bits &= u64::MAX << ((from - self.base) & 63);
            }
            if word == last {
                bits &= u64::MAX >> (63 - ((to - 1 - self.base) & 63));
            }
            bits != 0
        })
    }
}

/// Completions that happened while an older receive was open, for those that complete later.
#[derive(Debug, Default)]
pub struct Order {
    /// Post and event, both ascending.
    stairs: Table<Channel, Vec<(u64, u32)>>,
    /// The channels that have any.
    used: Vec<Channel>,
}

impl Order {
    /// The lowest event that completed a receive of this channel posted after `post`, or `AT_ONCE`.
    pub fn release(&self, channel: Channel, post: u64) -> u32 {
        if self.used.is_empty() {
            return AT_ONCE;
        }
        let Some(stairs) = self.stairs.get(&channel) else { return AT_ONCE };
        let at = stairs.partition_point(|&(other, _)| other < post);
        stairs.get(at).map_or(AT_ONCE, |&(_, event)| event)
    }

    /// `event` completed the receive `post` while an older one was open. It is kept only if a receive is
    /// open to which it would be the first answer.
    pub fn remember(&mut self, channel: Channel, post: u64, event: u32, window: &mut Window) {
        let stairs = self.stairs.entry(channel).or_default();
        let above = stairs.last().map_or(0, |&(last, _)| last + 1);
        if post >= above && window.any_in(above, post) {
            if stairs.is_empty() {
                self.used.push(channel);
            }
            stairs.push((post, event));
            window.remembered = true;
        }
    }

    /// No receive of this private communicator is open: nobody will ask.
    pub fn settle(&mut self, private: usize) {
        if self.used.is_empty() {
            return;
        }
        let stairs = &mut self.stairs;
        self.used.retain(|channel| {
            if channel.private != private {
                return true;
            }
            if let Some(stairs) = stairs.get_mut(channel) {
                stairs.clear();
            }
            false
        });
    }

    /// Events from `event` on are forgotten.
    pub fn cut(&mut self, event: u32) {
        let stairs = &mut self.stairs;
        self.used.retain(|channel| {
            stairs.get_mut(channel).is_some_and(|stairs| {
                stairs.truncate(stairs.partition_point(|&(_, at)| at < event));
                !stairs.is_empty()
            })
        });
    }
}

/// When an adjoint leaves: by its post, and its pieces in the order in which they came.
type Turn = (u64, Reverse<usize>);

/// Adjoints that must wait for others of their channel.
#[derive(Debug)]
pub struct Held<M> {
    /// The last of a channel is the next to leave.
    waiting: Table<Channel, BTreeMap<Turn, (u32, M)>>,
    n: usize,
}

impl<M> Default for Held<M> {
    fn default() -> Self {
        Self { waiting: Table::default(), n: 0 }
    }
}

impl<M> Held<M> {
    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Adds the adjoint of the receive `post`, which may leave once event `release` has been passed. All pieces of it
    /// are added before any leaves.
    pub fn hold(&mut self, channel: Channel, post: u64, release: u32, message: M) {
        let turn = (post, Reverse(self.n));
        self.waiting.entry(channel).or_default().insert(turn, (release, message));
        self.n += 1;
    }

    /// The next adjoint of the channel that may leave now that `event` is being passed.
    pub fn next(&mut self, channel: Channel, event: u32) -> Option<M> {
        let last = self.waiting.get_mut(&channel)?.last_entry()?;
        if last.get().0 < event {
            return None;
        }
        self.n -= 1;
        Some(last.remove().1)
    }

    pub fn clear(&mut self) {
        self.waiting.clear();
        self.n = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: Channel = Channel { private: 0, peer: 1, tag: 2 };

    #[test]
    fn test_channel_window_in_order_is_empty() {
        let mut window = Window::default();
        for round in 0..1000 {
            let (a, b) = (window.post(), window.post());
            assert_eq!((a, b), (2 * round, 2 * round + 1));
            assert!(!window.close(a).older);
            assert!(!window.close(b).older);
            assert!(window.is_quiet());
        }
    }

    #[test]
    fn test_channel_window_finds_open_ones() {
        let mut window = Window::default();
        let posts: Vec<u64> = (0..300).map(|_| window.post()).collect();
        for &post in &posts[1..] {
            if post != 200 {
                assert!(window.close(post).older, "0 is open");
            }
        }
        assert!(window.any_in(0, 1) && window.any_in(100, 201) && window.any_in(200, 300));
        assert!(!window.any_in(1, 200) && !window.any_in(201, 300) && !window.any_in(5, 5));
        assert!(!window.close(0).older);
        assert_eq!(window.open(), 1);
        assert!(!window.any_in(0, 200) && window.any_in(0, 201));
        assert!(!window.close(200).older && window.is_quiet());
    }

    /// Every order of completion of `n` receives: the sweep sends in descending post order.
    fn sweep_of(order: &[u64], kept: &mut usize) -> Vec<u64> {
        let mut window = Window::default();
        let mut book = Order::default();
        for _ in order {
            window.post();
        }
        let mut events = Vec::new();
        for (event, &post) in order.iter().enumerate() {
            let event = u32::try_from(event).expect("small");
            let closed = window.close(post);
            let release = if closed.remembered { book.release(CHANNEL, post) } else { AT_ONCE };
            events.push((post, release));
            if closed.older {
                book.remember(CHANNEL, post, event, &mut window);
            } else if closed.settled {
                book.settle(0);
            }
            *kept = (*kept).max(book.stairs.get(&CHANNEL).map_or(0, Vec::len));
        }
        assert!(book.used.is_empty());
        let mut held = Held::default();
        let mut sent = Vec::new();
        for (event, &(post, release)) in events.iter().enumerate().rev() {
            for piece in 0..3 {
                held.hold(CHANNEL, post, release, 3 * post + piece);
            }
            while let Some(piece) = held.next(CHANNEL, u32::try_from(event).expect("small")) {
                sent.push(piece);
            }
        }
        assert!(held.is_empty());
        assert!(sent.chunks(3).all(|all| [all[0], all[0] + 1, all[0] + 2] == all));
        sent.chunks(3).map(|all| all[0] / 3).collect()
    }

    #[test]
    fn test_channel_every_order_of_six() {
        fn permute(rest: &mut Vec<u64>, done: &mut Vec<u64>) {
            if rest.is_empty() {
                let mut kept = 0;
                assert_eq!(sweep_of(done, &mut kept), [5, 4, 3, 2, 1, 0], "{done:?}");
                return;
            }
            for i in 0..rest.len() {
                let next = rest.remove(i);
                done.push(next);
                permute(rest, done);
                done.pop();
                rest.insert(i, next);
            }
        }
        permute(&mut (0..6).collect(), &mut Vec::new());
    }

    #[test]
    fn test_channel_one_old_receive_keeps_one_stair() {
        let order: Vec<u64> = (1..1000).chain([0]).collect();
        let mut kept = 0;
        assert_eq!(sweep_of(&order, &mut kept).first(), Some(&999));
        assert_eq!(kept, 1);
    }
}
