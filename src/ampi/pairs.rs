//! Pairs of partitioned requests, on one private communicator.
#![forbid(unsafe_code)]

use super::hash::Table;
use std::collections::BTreeSet;
use std::ffi::c_int;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    Out,
    In,
}

/// What two ranks have made of one tag, in one direction.
pub type Channel = (c_int, c_int, Way);

/// How many requests there have been on each channel, and which of them live.
#[derive(Debug, Default)]
pub struct Pairs(Table<Channel, (c_int, BTreeSet<c_int>)>);

impl Pairs {
    /// A number for a new request, of so many that may live.
    pub fn enter(&mut self, channel: Channel, most: c_int) -> Option<c_int> {
        let (next, live) = self.0.entry(channel).or_default();
        let number = *next % most;
        live.insert(number).then(|| {
            *next = (number + 1) % most;
            number
        })
    }

    pub fn leave(&mut self, channel: Channel, number: c_int) {
        if let Some((_, live)) = self.0.get_mut(&channel) {
            live.remove(&number);
        }
    }

    /// Another communicator is served, by as many requests on all ranks: none.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
